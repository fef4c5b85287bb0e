"""Functions of single numbers: right, without ever raising, and the same when compiled."""

from math import exp, log, log1p
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy.optimize import brentq
from scipy.special import rel_entr

from spnb.engine import maths
from spnb.engine.maths import kl_upper, sort, wilson

unit = st.floats(0, 1)


@given(mean=unit, radius=st.floats(0, 25))
def test_the_kl_upper_bound_is_the_root_that_a_root_finder_finds(
    mean: float, radius: float
) -> None:
    q = kl_upper(mean, radius)
    assert mean <= q <= 1
    if radius < 1e-12 or mean > 1 - 1e-9:
        assert q == pytest.approx(mean, abs=1e-6)
        return

    def excess(logit: float) -> float:  # so that a root next to 1 is found as well
        yes, no = -log1p(exp(-logit)), -log1p(exp(logit))  # ln q and ln(1 - q)
        divergence = rel_entr(mean, 1) + rel_entr(1 - mean, 1) - mean * yes - (1 - mean) * no
        return float(divergence) - radius

    least = log(mean / (1 - mean)) if mean > 1e-300 else -700.0
    if excess(34.0) < 0:  # nearer to 1 than floats can tell
        assert q > 1 - 1e-14
    elif excess(least) < 0:
        root = 1 / (1 + exp(-brentq(excess, least, 34.0, xtol=1e-12)))
        assert 1 - q == pytest.approx(1 - root, rel=1e-5, abs=1e-15)
        assert q == pytest.approx(root, rel=1e-7, abs=1e-9)


def test_the_kl_upper_bound_at_the_edges() -> None:
    assert kl_upper(1.0, 0.0) == 1.0
    assert kl_upper(1.0, 5.0) == 1.0
    assert kl_upper(0.0, 0.7) == pytest.approx(1 - np.exp(-0.7))
    assert kl_upper(0.3, 0.0) == 0.3
    assert kl_upper(0.3, 1e-300) == pytest.approx(0.3)
    assert kl_upper(0.3, 1e9) == 1.0


@given(st.lists(st.floats(allow_nan=False), max_size=20), st.integers(0, 20))
def test_the_first_values_are_sorted_and_the_others_left(values: list[float], size: int) -> None:
    size = min(size, len(values))
    expected = sorted(values[:size]) + values[size:]
    sort(values, size)
    assert values == expected


def test_wilsons_bound_solves_its_quadratic() -> None:
    for pulls, sums, nats in ((5.0, 2.0, 1.3), (9.0, 0.0, 0.1), (3.0, 3.0, 4.0)):
        q = wilson(pulls, sums, nats)
        assert (q - sums / pulls) ** 2 == pytest.approx(2 * nats / pulls * q * (1 - q))


ANY = [0.0, -0.0, 1.0, -1.0, 0.3, 1e-300, 1e300, -745.0, 709.5, 800.0, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize(
    ("name", "reference"),
    [("log", np.log), ("log1p", np.log1p), ("exp", np.exp), ("sqrt", np.sqrt)],
)
def test_elementary_functions_never_raise(name: str, reference: Any) -> None:
    with np.errstate(all="ignore"):
        for x in ANY:
            found, expected = getattr(maths, name)(x), float(reference(x))
            assert found == pytest.approx(expected, rel=1e-15, nan_ok=True), x


def test_a_ratio_by_nothing_is_infinite() -> None:
    assert maths.ratio(3.0, 4.0) == 0.75
    assert maths.ratio(2.0, 0.0) == np.inf
    assert maths.ratio(-2.0, 0.0) == -np.inf
    assert maths.ratio(2.0, -0.0) == -np.inf
    assert np.isnan(maths.ratio(np.nan, 0.0))
    assert np.isnan(maths.ratio(0.0, 0.0))


@given(st.floats(-1e15, 1e15))
def test_ceil_is_the_next_whole_number(x: float) -> None:
    assert maths.ceil(x) == float(np.ceil(x))
    assert isinstance(maths.ceil(x), float)


def test_special_functions_are_those_of_scipy() -> None:
    assert maths.betainc(2.5, 3.0, 0.4) == special.betainc(2.5, 3.0, 0.4)
    assert maths.betaincinv(2.5, 3.0, 0.4) == special.betaincinv(2.5, 3.0, 0.4)
    assert maths.gammaln(7.5) == special.gammaln(7.5)
    assert maths.ndtri(0.975) == special.ndtri(0.975)


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_the_quick_normal_quantile_is_right_to_ten_digits(p: float) -> None:
    assert maths.normal_quantile(p) == pytest.approx(special.ndtri(p), rel=2e-10, abs=0)


def compiled_values(rows: Any) -> Any:
    """Every function of every row [n, 3], in machine code."""
    from numba import njit

    from spnb.engine import native

    native.introduce(all_values)
    return njit(**native.OPTIONS)(all_values)(rows)


def all_values(rows: Any) -> Any:
    out = np.zeros((len(rows), 13))
    for i in range(len(rows)):
        a, b, x = rows[i, 0], rows[i, 1], rows[i, 2]
        out[i, 0] = maths.log(x)
        out[i, 1] = maths.log1p(x)
        out[i, 2] = maths.exp(a)
        out[i, 3] = maths.sqrt(b)
        out[i, 4] = maths.ratio(a, b)
        out[i, 5] = maths.ceil(b)
        out[i, 6] = maths.xlogx(x)
        out[i, 7] = maths.kl_upper(x, b)
        out[i, 8] = maths.betainc(a, b, x)
        out[i, 9] = maths.betaincinv(a, b, x)
        out[i, 10] = maths.gammaln(a)
        out[i, 11] = maths.ndtri(x)
        out[i, 12] = maths.normal_quantile(x)
    return out


def test_compiled_functions_are_the_plain_ones_to_the_last_bit(seed: int) -> None:
    rows = np.random.default_rng(seed).uniform(0.001, 0.999, (300, 3)) * (80, 80, 1)
    rows[:100] = np.round(rows[:100])
    rows[200:, :2] /= 60
    rows[:40, 2] = 0.0
    rows[40:80, 2] = 1.0
    rows[rows[:, 0] == 0, 0] = 1.0
    rows[rows[:, 1] == 0, 1] = 2.0
    plain = all_values(rows)
    assert np.isfinite(plain[100:]).all()
    assert compiled_values(rows).tobytes() == plain.tobytes()


def elementary(values: Any) -> Any:
    out = np.zeros((len(values), 4))
    for i in range(len(values)):
        x = values[i]
        out[i] = maths.log(x), maths.log1p(x), maths.exp(x), maths.sqrt(x)
    return out


def ratios(values: Any) -> Any:
    out = np.zeros((len(values), len(values)))
    for i in range(len(values)):
        for j in range(len(values)):
            out[i, j] = maths.ratio(values[i], values[j])
    return out


@pytest.mark.parametrize("loop", [elementary, ratios])
def test_at_the_edges_compiled_functions_are_the_plain_ones(loop: Any) -> None:
    from numba import njit

    from spnb.engine import native

    native.introduce(loop)
    values = [*ANY, 709.72, 709.78, 709.79]
    fast = njit(**native.OPTIONS)(loop)(np.array(values))
    np.testing.assert_array_equal(fast, loop(values))
