"""A campaign that opened its store closes it; whoever gave it a store keeps that."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from spnb.base.errors import SpnbError
from spnb.live.campaign import Campaign
from spnb.live.store import Store


def held(path: Path) -> int:
    """How often this process has a file open."""
    links = [each for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return sum(os.path.realpath(each) == str(path) for each in links)


def test_a_campaign_lets_go_of_the_store_that_was_opened_for_it(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "c.db"
    url = f"sqlite:///{path}"
    with Campaign.create(url, "c", arms=["a", "b"], agent="Uniform+") as campaign:
        decision = campaign.ask("a", 1)
        assert held(path)
    assert not held(path)
    with Campaign.open(url, "c") as campaign:
        lines = list(campaign.export())
    with Campaign.of_decision(url, str(decision.uid)) as campaign:
        assert campaign.name == "c"
    with Campaign.import_(url, lines, "d") as campaign:
        assert campaign.verify().ok
    assert not held(path)
    with Store(url) as store:
        with Campaign.open(store, "c") as campaign, Campaign.import_(store, lines, "e") as other:
            pass
        assert campaign.ask("b", 1).pull  # the store is its owner's
        assert other.ask("b", 1).pull
    assert not held(path)


def test_what_could_not_be_opened_leaves_no_store_open(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "c.db"
    url = f"sqlite:///{path}"
    Store(url).close()
    tries: list[Callable[[], Campaign]] = [
        lambda: Campaign.open(url, "nobody"),
        lambda: Campaign.of_decision(url, f"{'0' * 16}-2-{'0' * 16}"),
        lambda: Campaign.import_(url, ["nothing"]),
    ]
    for attempt in tries:
        with pytest.raises(SpnbError) as refused:
            attempt()
        assert not held(path), refused  # though the traceback still knows the store
