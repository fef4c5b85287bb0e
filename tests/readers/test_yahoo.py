import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from spnb.base.errors import DataError, SpnbError
from spnb.problems.readers.synthetic_day import SyntheticDay
from spnb.problems.readers.yahoo import click_problem, read_day, read_log

FEATURES = "|user 2:0.1 1:1.000000 |109498 2:0.3 1:1.000000"


def write(path: Path, lines: list[str]) -> Path:
    data = "".join(line + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    events=st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=200),
    slots=st.integers(1, 12),
    suffix=st.sampled_from([".gz", ".txt"]),
)
def test_slots_hold_equally_many_events_whatever_the_stamps(
    tmp_path: Path, events: Any, slots: Any, suffix: Any
) -> None:
    lines = [f"1241160900 10{article} {int(click)} {FEATURES}" for article, click in events]
    articles = {a.id: a for a in read_day(write(tmp_path / f"day{suffix}", lines), slots)}
    shown: dict[tuple[str, int], int] = {}
    clicks: dict[tuple[str, int], int] = {}
    for rank, (article, click) in enumerate(events):
        cell = f"10{article}", rank * slots // len(events)
        shown[cell] = shown.get(cell, 0) + 1
        clicks[cell] = clicks.get(cell, 0) + click
    for id_, article in articles.items():
        assert article.shown.tolist() == [shown.get((id_, s), 0) for s in range(slots)]
        assert article.clicks.tolist() == [clicks.get((id_, s), 0) for s in range(slots)]
    sizes = np.sum([a.shown for a in articles.values()], axis=0)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize(
    "line",
    [
        "1241160900 109498 1 |user 2:nan |109498 |109499 2: :5 garbage",
        "1241160900 109498 1",
        "1241160900 109498 1 \xff\xfe",
        "1241160900  109498\t1 |user",
        "1241160900 109498 1\r",
    ],
)
def test_odd_features_do_no_harm(tmp_path: Path, line: Any) -> None:
    log = read_log([write(tmp_path / "day", [line] * 5)])
    assert (log.events, log.malformed) == (5, 0)
    assert log.article("109498").clicks.sum() == 5


@pytest.mark.parametrize("bad", ["", "1241160900 109498", "x 109498 1 |user", "1 2 7 |", "1 2 3"])
def test_malformed_lines_are_counted_and_the_first_is_named(tmp_path: Path, bad: Any) -> None:
    lines = [f"1241160900 109498 0 {FEATURES}"] * 300
    lines[123] = lines[200] = bad
    log = read_log([write(tmp_path / "day.gz", lines)])
    assert (log.events, log.malformed) == (298, 2)
    assert str(log.first_malformed).endswith("day.gz, line 124")


def test_more_than_one_malformed_line_in_a_hundred_is_an_error(tmp_path: Path) -> None:
    lines = [f"1241160900 109498 0 {FEATURES}"] * 200
    lines[10] = lines[20] = "oops"
    assert read_log([write(tmp_path / "day", lines)]).malformed == 2
    lines[30] = "oops"
    with pytest.raises(DataError, match=r"3 of 200 lines .* line 11"):
        read_log([write(tmp_path / "day", lines)])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (bytes(range(256)) * 100, "is no click log"),
        (gzip.compress(b"1 2 0\n" * 9999)[:-20], "is damaged"),
        (gzip.compress(b"1 2 0\n" * 99)[:20] + b"rubbish", "is damaged"),
        (b"x" * (18 << 20), "a line of more than"),
    ],
    ids=["empty", "binary", "cut short", "broken", "endless line"],
)
def test_what_is_no_log_is_one_clear_line(tmp_path: Path, content: Any, says: str) -> None:
    path = tmp_path / "day"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_log([path])
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_or_no_slots_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_day(tmp_path / "none.gz")
    with pytest.raises(DataError, match="slots"):
        read_day(write(tmp_path / "day", ["1 2 0"]), slots=0)


def test_days_are_cut_one_by_one_and_added_up(tmp_path: Path) -> None:
    first = write(tmp_path / "a.gz", ["1 7 0", "1 7 1", "1 8 1", "1 8 1"])
    second = write(tmp_path / "b", ["2 9 0", "2 7 1"])
    log = read_log([first, second], slots=2)
    assert [article.id for article in log.articles] == ["7", "8", "9"]
    assert log.article("7").shown.tolist() == [2, 1]
    assert log.article("7").clicks.tolist() == [1, 1]
    assert log.article("9").shown.tolist() == [1, 0]
    assert log.pooled().shown.tolist() == [3, 3]
    with pytest.raises(DataError, match="no article '6'"):
        log.article("6")


def test_an_article_becomes_a_problem_of_the_slots_it_was_shown_in(tmp_path: Path) -> None:
    path = write(tmp_path / "a", ["1 7 0", "1 8 1", "1 7 1", "1 7 1", "1 8 0", "1 7 0"])
    log = read_log([path], slots=3)
    data = click_problem(log.article("7"))
    assert data.arms == ("slot 1", "slot 2", "slot 3")
    assert data.means == (0.0, 1.0, 0.0)
    assert data.trials == (1, 2, 1)
    assert log.most_shown().id == "7"
    with pytest.raises(DataError, match="nothing to choose between"):
        click_problem(log.article("7"), least=2)


def test_a_made_up_day_has_exactly_the_format_of_the_log(tmp_path: Path) -> None:
    day = SyntheticDay(seed=5, events=2000)
    day.write(tmp_path / "day")
    lines = (tmp_path / "day").read_text().splitlines()
    assert len(lines) == 2000
    stamps = [int(line.split()[0]) for line in lines]
    assert stamps == sorted(stamps)
    assert all(stamp % 300 == 0 for stamp in stamps)
    for line in lines[::100]:
        head, user, *pool = line.split("|")
        _, shown, click = head.split()
        assert click in "01"
        assert user.split()[0] == "user"
        assert len(pool) == 20
        assert shown in [article.split()[0] for article in pool]
        for group in (user, *pool):
            features = [word.split(":") for word in group.split()[1:]]
            assert [number for number, _ in features] == ["2", "3", "4", "5", "6", "1"]
            assert sum(float(value) for _, value in features) == pytest.approx(2.0, abs=1e-5)


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    for name, seed in (("a.gz", 1), ("b.gz", 1), ("c.gz", 2)):
        SyntheticDay(seed, events=3000).write(tmp_path / name)
    a, b, c = ((tmp_path / name).read_bytes() for name in ("a.gz", "b.gz", "c.gz"))
    assert a == b
    assert a != c


def test_reading_a_made_up_day_recovers_its_click_rates(seed: int, tmp_path: Path) -> None:
    day = SyntheticDay(seed, events=40_000)
    day.write(tmp_path / "day.gz")
    articles = read_day(tmp_path / "day.gz")
    assert sum(int(a.shown.sum()) for a in articles) == 40_000
    cells = 0
    for article in articles:
        for slot in np.flatnonzero(article.shown).tolist():
            rate = float(day.rates[day.ids.index(article.id), slot])
            test = binomtest(int(article.clicks[slot]), int(article.shown[slot]), rate)
            # 500 cells at most: any false alarm among them is rarer than one in a million
            assert test.pvalue > 1e-9, (seed, article.id, slot)
            cells += 1
    assert cells > 100


def test_articles_come_and_go_as_in_the_log(tmp_path: Path) -> None:
    kinds = [len(list(SyntheticDay(seed).segments)) for seed in range(5)]
    assert all(20 < kind <= 31 for kind in kinds)
    SyntheticDay(1, events=20_000).write(tmp_path / "day")
    articles = read_day(tmp_path / "day")
    arms = [np.count_nonzero(a.shown) for a in articles]
    assert 40 < len(articles) <= 50
    assert 3.5 < np.mean(arms) < 6.5


@pytest.mark.parametrize("given", [{"events": 0}, {"pool": 60}, {"articles": 0}, {"seed": -1}])
def test_days_that_cannot_be_made_up_are_refused(given: Any) -> None:
    with pytest.raises(SpnbError):
        SyntheticDay(**({"seed": 1} | given))


def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    def peak(events: int) -> int:
        lines = [f"1241160900 10{i % 40} 0 |user 2:0.1" for i in range(1000)]
        path = tmp_path / "day.gz"
        with gzip.open(path, "wb", compresslevel=1) as file:
            for _ in range(events // 1000):
                file.write("".join(line + "\n" for line in lines).encode())
        tracemalloc.start()
        read_day(path)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    assert peak(400_000) < 1.2 * peak(100_000)


def test_progress_goes_up_to_the_end(tmp_path: Path) -> None:
    SyntheticDay(1, events=5000).write(tmp_path / "a.gz")
    SyntheticDay(2, events=5000).write(tmp_path / "b")
    heard: list[tuple[float, float]] = []
    read_log(
        [tmp_path / "a.gz", tmp_path / "b"],
        progress=lambda done, total: heard.append((done, total)),
    )
    done = [d for d, _ in heard]
    assert done == sorted(done)
    assert heard[-1][0] == heard[-1][1]
