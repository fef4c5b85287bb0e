"""Many campaigns at once: what is refused, what a file keeps, and parts of a whole."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spnb
from spnb.engine import rows
from spnb.engine.compiler import CannotCompileError
from spnb.live.fleet import Fleet

ARMS = 3


def live(fleet: Fleet, rounds: int, seed: int) -> list[list[int]]:
    """Some rounds with rewards that depend on id, round and arm alone; every third is late."""
    answers, late = [], []
    for _ in range(rounds):
        for arm in range(fleet.arms):
            ids = fleet.wants(arm)
            answers.append(ids.tolist())
            now = ids[(ids + arm) % 3 != 0]
            late += [(ids[(ids + arm) % 3 == 0], arm)]
            fleet.observe(now, ((now * 7 + arm + fleet.round + seed) % 4 == 0).astype(float))
        fleet.next_round()
        for ids, arm in late:
            fleet.observe(ids, np.full(len(ids), 0.5), arm=arm)
        late.clear()
    return answers


@pytest.fixture
def fleet(seed: int) -> Fleet:
    return Fleet("Challenge(TS)", ARMS, 5, seed=seed)


def test_a_fleet_asks_learns_and_says_how_much_it_takes(fleet: Fleet) -> None:
    assert fleet.wants(0).tolist() == [0, 1, 2, 3, 4]
    fleet.observe([4, 1], [1, 0])
    fleet.observe([0], [7], trials=[120])
    fleet.lost([2])
    assert fleet.learner(0).state.policy.pulls == [120.0, 0.0, 0.0]
    assert fleet.learner(4).state.policy.sums == [1.0, 0.0, 0.0]
    assert fleet.wants(2, offered=np.arange(5) == 3).tolist() == [3]
    fleet.next_round()
    fleet.observe([3], [1], arm=0)
    fleet.found([2], [1], arm=0)
    assert fleet.learner(3).state.policy.total == 1.0
    assert fleet.learner(2).state.policy.sums == [1.0, 0.0, 0.0]
    assert fleet.wants(1).tolist() == [0, 1, 2, 3, 4]
    assert len(fleet) == 5
    assert repr(fleet) == "Fleet('Challenge(TS)', arms=3, ids 0 to 4, round 2)"
    with_it, without = Fleet("Challenge", 24, 10), Fleet("Challenge", 12, 10)
    assert with_it.nbytes - without.nbytes == 10 * 12 * (5 * 8 + 4)  # N, S, 3 more, and open pulls
    assert fleet.bytes_per_arm == fleet.nbytes / 15


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda f: f.wants(3), "arm must be from 0 to 2, got 3"),
        (lambda f: f.wants(True), "arm must be a whole number, got True"),
        (lambda f: f.wants(1), "arm 1 comes too late: arm 1 was the last one offered in round 1"),
        (lambda f: f.wants(0), "arm 0 comes too late"),
        (lambda f: f.wants(2, offered=[1, 0, 1, 1, 1]), "true or false for each of 5 campaigns"),
        (lambda f: f.wants(2, offered=[True]), "true or false for each of 5 campaigns"),
        (lambda f: f.observe([2, 5], [0, 1]), "there is no campaign 5: ids are 0 to 4"),
        (lambda f: f.observe([-1], [0]), "there is no campaign -1"),
        (lambda f: f.observe([1.0], [0]), "ids must be a list of whole numbers"),
        (lambda f: f.observe(2, [0]), "ids must be a list of whole numbers"),
        (lambda f: f.observe([2, 3, 2], [0, 1, 0]), "campaign 2 is named twice"),
        (
            lambda f: f.observe([2, 1], [0, 1]),
            "campaign 1 waits for no reward of arm 1: it did not",
        ),
        (lambda f: f.observe([2], [0], arm=2), "campaign 2 waits for no reward of arm 2"),
        (lambda f: f.lost([0]), "campaign 0 waits for no reward of arm 1"),
        (
            lambda f: f.observe([2, 3], [0, 1.5]),
            r"reward of campaign 3 must lie in \[0, 1\], got 1.5",
        ),
        (lambda f: f.observe([2, 3], [0, np.nan]), "reward of campaign 3 .* got nan"),
        (lambda f: f.observe([2], ["a"]), "rewards must be numbers"),
        (lambda f: f.observe([2, 3], [1]), "rewards must be one for each of 2 ids"),
        (lambda f: f.observe([2], [1], trials=0), "trials must be whole numbers >= 1, got 0"),
        (lambda f: f.found([9], [1], arm=0), "there is no campaign 9"),
        (lambda f: f.learner(5), "there is no campaign 5"),
        (lambda f: (f.next_round(), f.lost([2])), "no arm was offered in round 2 yet"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(act: Any, message: str) -> None:
    fleet = Fleet("Challenge", ARMS, 5, seed=1)
    fleet.wants(1, offered=np.array([False, True, True, True, False]))
    fleet.observe([1], [1])
    before = [array.tobytes() for _, array in fleet.arrays()]
    with pytest.raises(spnb.SpnbError, match=message):
        act(fleet)
    if fleet.round == 1:
        assert [array.tobytes() for _, array in fleet.arrays()] == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": 0}, "size must be a whole number >= 1"),
        ({"size": True}, "size must be"),
        ({"size": range(5, 2)}, "size must be"),
        ({"size": range(0, 9, 2)}, "size must be"),
        ({"size": range(-2, 2)}, "size must be"),
        ({"size": 10**13}, "ids must be below"),
        ({"arms": 0}, "arms must be a whole number >= 1"),
        ({"agent": "Pack"}, "needs to know the horizon"),
        ({"agent": "Nonsense"}, "unknown policy or agent"),
        ({"agent": spnb.adapt("Foreign", make=list, select=len, learn=len)}, "a foreign object"),
    ],
)
def test_a_fleet_that_cannot_be_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(spnb.SpecError, match=message):
        Fleet(**{"agent": "Challenge", "arms": ARMS, "size": 5, **given})


def test_parts_do_what_the_whole_does(seed: int) -> None:
    whole = live(Fleet("Seq(TS)", ARMS, 9, seed=seed), 8, seed)
    parts = [
        live(Fleet("Seq(TS)", ARMS, ids, seed=seed), 8, seed) for ids in (range(4), range(4, 9))
    ]
    assert whole == [first + second for first, second in zip(*parts, strict=True)]


@pytest.mark.parametrize("spec", ["Challenge(TS)", "Challenge(SWUCB(window=4))", "Seq(GPTS)"])
def test_a_saved_fleet_goes_on_as_if_nothing_had_happened(
    spec: str, tmp_path: Path, seed: int
) -> None:
    fleet = Fleet(spec, ARMS, range(2, 8), seed=seed, horizon=40)
    live(fleet, 4, seed)
    waiting = fleet.wants(1)  # in the middle of a round, with rewards to come
    fleet.save(tmp_path / "fleet.npz")
    again = Fleet.load(tmp_path / "fleet.npz")
    assert repr(again) == repr(fleet)
    for each in (fleet, again):
        each.observe(waiting, np.ones(len(waiting)))
        each.next_round()
    assert live(again, 6, seed) == live(fleet, 6, seed)
    kept = dict(again.arrays())
    assert all(kept[name].tobytes() == array.tobytes() for name, array in fleet.arrays())


def header_of(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return json.loads(arrays.pop("header").tobytes()), arrays


def write(path: Path, header: Any, arrays: dict[str, Any]) -> None:
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 1}, "it is of version 1, written by spnb '.*'; this spnb reads version 2"),
        ({"form": 1}, "decide in form 1"),
        ({"kind": "else"}, "it is no saved fleet"),
        ({"arms": 4}, "its arrays are of another size"),
        ({"ids": [0, 10**11]}, "its arrays are of another size"),
        ({"ids": [0, 5.0]}, "a number that is not whole"),
        ({"ids": [3]}, "damaged"),
        ({"position": 4}, "beyond the last arm"),
        ({"agent": "Seq(TS)"}, "damaged"),
        ({"agent": "Nonsense"}, "unknown policy or agent"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_a_file_of_another_kind_is_refused(
    change: dict[str, Any], message: str, fleet: Fleet, tmp_path: Path
) -> None:
    fleet.save(tmp_path / "f.npz")
    header, arrays = header_of(tmp_path / "f.npz")
    write(tmp_path / "f.npz", header | change, arrays)
    with pytest.raises(spnb.DataError, match=message) as told:
        Fleet.load(tmp_path / "f.npz")
    assert str(told.value).startswith(f"cannot load {tmp_path / 'f.npz'}: ")
    assert "\n" not in str(told.value)


def test_a_damaged_file_is_refused(fleet: Fleet, tmp_path: Path, seed: int) -> None:
    live(fleet, 3, seed)
    fleet.save(tmp_path / "f.npz")
    good, path = (tmp_path / "f.npz").read_bytes(), tmp_path / "damaged.npz"
    luck = np.random.default_rng(seed)
    with np.load(tmp_path / "f.npz") as archive:
        spot = good.index(archive["state.policy.sums"].tobytes())  # data, not padding
    texts = [
        good[: len(good) // 2],
        good[:10],
        b"",
        b"nothing",
        good[:spot] + b"\xff" + good[spot + 1 :],
    ]
    texts += [good[: int(luck.integers(len(good)))] for _ in range(20)]
    for text in texts:
        path.write_bytes(text)
        with pytest.raises(spnb.DataError, match="cannot load .*damaged"):
            Fleet.load(path)
    _, arrays = header_of(tmp_path / "f.npz")
    for name in arrays:
        header, whole = header_of(tmp_path / "f.npz")
        write(path, header, {key: value for key, value in whole.items() if key != name})
        with pytest.raises(spnb.DataError, match="damaged"):
            Fleet.load(path)
    header, whole = header_of(tmp_path / "f.npz")
    write(path, header, whole | {"seat.pulled": whole["seat.pulled"] + 99})
    with pytest.raises(spnb.DataError, match="an arm that is not there"):
        Fleet.load(path)
    with pytest.raises(spnb.DataError, match="there is no such file"):
        Fleet.load(tmp_path / "nowhere.npz")
    with pytest.raises(spnb.DataError, match="the folder .* does not exist"):
        fleet.save(tmp_path / "no" / "f.npz")


def test_a_save_that_fails_leaves_the_older_file(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.save(tmp_path / "f.npz")
    before = (tmp_path / "f.npz").read_bytes()
    fleet.wants(0)

    def full(file: Any, **arrays: Any) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.savez", full)
    with pytest.raises(spnb.DataError, match="No space left on device"):
        fleet.save(tmp_path / "f.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["f.npz"]
    assert (tmp_path / "f.npz").read_bytes() == before


def test_what_cannot_be_compiled_is_run_plainly_and_that_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    def refuse(loop: Any, name: str, args: Any) -> None:
        raise CannotCompileError(f"{name} cannot be compiled: no")

    plain = live(Fleet("Seq(TS)", ARMS, 2, seed=seed), 3, seed)
    monkeypatch.setattr(rows, "SMALL", 1)
    monkeypatch.setattr(rows, "compiled", refuse)
    assert live(Fleet("Seq(TS)", ARMS, 2, seed=seed), 3, seed) == plain
    (told,) = [each.getMessage() for each in caplog.records]
    assert told.startswith("Seq(TS) cannot be compiled: no; it is run in plain Python")
