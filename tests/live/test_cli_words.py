"""What the command line says is true, and in the words of the command line."""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from spnb.cli import main
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.schedule import Schedule
from spnb.live.store import Store


class Shell:
    """Runs ``spnb`` as ``main`` does: what it prints, and what it says of a mistake."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self._patch, self._capture = monkeypatch, capsys
        monkeypatch.setenv("SPNB_STORE", f"sqlite:///{folder}/s.db")
        monkeypatch.setenv("COLUMNS", "200")

    def __call__(self, *words: str) -> str:
        self._patch.setattr(sys, "argv", ["spnb", *words])
        with pytest.raises(SystemExit):
            main()
        said = self._capture.readouterr()
        return said.out + said.err


@pytest.fixture
def spnb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    return Shell(tmp_path, monkeypatch, capsys)


def test_messages_name_the_option(spnb: Shell) -> None:
    new = ("campaign", "new", "c", "--arms", "a,b")
    assert spnb(*new, "--rounds", "0").startswith("spnb: --rounds must be a whole number >= 1")
    assert spnb(*new, "--pulls", "-1").startswith("spnb: --pulls must be a whole number >= 1")
    unsaid = ("--agent", "Seq(UCBE)", "--rounds", "9")
    assert "(--hardness)" in spnb(*new, *unsaid)
    spnb(*new)
    assert "confirm it (--ahead)" in spnb("ask", "c", "--arm", "a", "--round", "99")


def test_a_year_mistyped_is_refused_on_the_command_line(
    spnb: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 5, 1, 4, tzinfo=UTC))
    slots = ("--slots", "08:00,18:00", "--zone", "UTC", "--start", "2025-11-18", "--rounds", "90")
    assert spnb("campaign", "new", "c", *slots) == (
        "spnb: the last of the 90 rounds was on 2026-02-15: is the first day right, 2025-11-18?\n"
    )
    assert "no store" in spnb("campaign", "list"), "nothing was begun"


def test_a_weekly_offer_says_on_which_day_it_ends(spnb: Shell) -> None:
    spnb("campaign", "new", "c", "--slots", "mon 08:00,thu 18:00", "--zone", "Europe/Rome",
         "--start", "2026-05-04", "--agent", "Uniform+")  # fmt: skip
    said = spnb("ask", "c", "--at", "2026-05-04T09:00")
    assert said.startswith("pull mon 08:00 (round 1, until thu 18:00 CEST, decision 2)")
    assert "'mon 08:00' is, until thu 18:00 CEST" in spnb(
        "ask", "c", "--arm", "thu 18:00", "--at", "2026-05-05T09:00"
    )
    assert "until 18:00 CEST, " in spnb("ask", "c", "--at", "2026-05-07T09:00")


def test_the_log_says_what_was_lost_and_keeps_its_columns(spnb: Shell, tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path}/s.db") as store:
        plan = Schedule.parse("06:00", "Europe/Rome", start="2026-10-24")
        campaign = Campaign.create(store, "c", schedule=plan, agent="Uniform+")
        campaign.ask(at="2026-10-24T06:00")
        campaign.ask(at="2026-10-26T06:00")
        campaign.tell(2, reward=1)
        campaign.correct(2, lost=True)
    lines = spnb("log", "c").splitlines()
    asks = [line for line in lines if " ask " in line]
    assert [line[8:].split()[2] for line in asks] == ["CEST", "CET"]
    assert len({line.index(" ask ") for line in asks}) == 1
    assert re.search(r"correct +06:00  round 1  decision 2  lost  was 1", lines[-1])
