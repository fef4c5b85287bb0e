"""A fleet over the workers of a Dask cluster is the fleet of one process."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spnb
from spnb.live import spread
from spnb.live.fleet import Fleet
from spnb.live.spread import Part, SpreadFleet

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as found,
    ):
        yield found


def test_it_decides_as_one_fleet_does_saved_or_not(client: Any, tmp_path: Path, seed: int) -> None:
    one = Fleet("Challenge(TS)", 3, range(2, 11), seed=seed)
    many = SpreadFleet(client, "Challenge(TS)", 3, range(2, 11), seed=seed)
    assert (len(many), len(many._parts), many.nbytes) == (9, 2, one.nbytes)
    there = np.arange(9) % 2 == 0
    waiting = one.wants(1, there)
    assert many.wants(1, there).tolist() == waiting.tolist() == [2, 4, 6, 8, 10]
    many.save(tmp_path / "fleet")
    again = SpreadFleet.load(client, tmp_path / "fleet")
    for each in (one, again):
        each.observe(waiting[1:], [0, 0.3, 1, 1])
        each.lost(waiting[:1])
        each.next_round()
        each.found(waiting[:1], 1, arm=1)
    for number in range(9):
        for arm in range(3):
            pulled = one.wants(arm)
            assert again.wants(arm).tolist() == pulled.tolist()
            for each in (one, again):
                each.observe(pulled, ((pulled + number * arm) % 4 == 0).astype(float))
        one.next_round()
        again.next_round()
    with pytest.raises(spnb.DataError, match="cannot write .*: File exists"):
        again.save(tmp_path / "fleet")
    with pytest.raises(spnb.DataError, match="has no fleet, or not all of one"):
        SpreadFleet.load(client, tmp_path)


def test_what_one_part_refuses_no_part_learns(client: Any) -> None:
    fleet = SpreadFleet(client, "Challenge", 2, 4, seed=1)
    with pytest.raises(spnb.SpecError, match="no arm was offered"):
        fleet.observe([0], [1])
    fleet.wants(0)
    fleet.observe([3], [1])
    with pytest.raises(spnb.SpnbError, match="campaign 3 waits for no reward of arm 0"):
        fleet.observe([0, 3], [1, 1])
    with pytest.raises(spnb.SpnbError, match="campaign 3 must lie in"):
        fleet.found([0, 3], [1, 2], arm=0)
    with pytest.raises(spnb.SpnbError, match="there is no campaign 4"):
        fleet.lost([4])
    with pytest.raises(spnb.SpnbError, match="arm 0 comes too late"):
        fleet.wants(0)
    fleet.observe([0, 1, 2], [1, 0, 1])  # nothing of it was learnt before


def test_what_a_part_has_not_heard_from_the_beginning_it_refuses(client: Any) -> None:
    part = Part(Fleet, "Challenge", 2, range(2), seed=1)
    assert part.hear(0, "wants", {"arm": 0}).tolist() == [0, 1]
    anew = Part(Fleet, "Challenge", 2, range(2), seed=1)  # as Dask makes it after a loss
    with pytest.raises(spnb.DataError, match="a worker is gone, and the campaigns it kept"):
        anew.hear(1, "wants", {"arm": 1})


def test_a_lost_worker_is_one_line(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "PATIENCE", 0.2)
    fleet = SpreadFleet(client, "Challenge", 2, 4, seed=1)
    client.cluster.sync(client.cluster.workers[0].close, executor_wait=False)
    with pytest.raises(spnb.DataError, match="a worker is gone, and the campaigns it") as told:
        fleet.wants(0)
    assert "\n" not in str(told.value)
