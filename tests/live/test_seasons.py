"""A whole season on real records: data, problem, plan, campaign, and the answer at the end.

Everything is typed as a person would, with entries that come late, wrong or never. What is shown
is checked sentence by sentence against what happened; SPNB_SCREENS=FOLDER keeps it for reading.
"""

import csv
import os
import re
import shlex
from collections import defaultdict
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from spnb.base.errors import ConflictError
from spnb.cli.app import app
from spnb.live import clock
from spnb.live.campaign import Campaign

Shared = Callable[[str], Path]
Readings = dict[tuple[date, int], list[tuple[float, float]]]  # day, minute: values and weights


class Season:
    """Types commands, keeps what they print, and sets the clock."""

    def __init__(self, folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(folder)
        self.store = f"sqlite:///{folder}/spnb.db"
        self.now = datetime.now().astimezone()
        self.screens: list[str] = []
        self.name, self.code = name, 0
        monkeypatch.setattr(clock, "now", lambda: self.now)

    def __call__(self, *words: object, feed: str | None = None, show: bool = True) -> str:
        environment = {"SPNB_STORE": self.store, "COLUMNS": "80"}
        typed = [str(word) for word in words]
        done = CliRunner().invoke(app, typed, env=environment, input=feed)
        self.code = done.exit_code
        said = " ".join(done.output.split())
        if show:
            self.screens.append(f"$ spnb {shlex.join(typed)}\n{done.output}")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            self.screens.append(f"$ spnb {shlex.join(typed)}\nspnb: {done.exception}\n")
            raise done.exception
        return said

    def plan(self, *words: object) -> tuple[str, list[str]]:
        """What a plan says, and the command of the campaign with which it ends."""
        said = self("plan", *words)
        shown = self.screens[-1]
        command = shown[shown.rindex("spnb campaign new") :].replace("\\\n", " ")
        return said, shlex.split(command)[1:]

    def keep(self) -> None:
        if folder := os.environ.get("SPNB_SCREENS"):
            Path(folder, f"{self.name}.txt").write_text("\n".join(self.screens))


@pytest.fixture
def season(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Season:
    return Season(tmp_path, request.node.name, monkeypatch)


def readings(path: Path, read: Callable[[dict[str, str]], tuple[datetime, float, float]],
             slot: int) -> Readings:  # fmt: skip
    found: Readings = defaultdict(list)
    with path.open() as file:
        for row in csv.DictReader(file):
            try:
                stamp, value, weight = read(row)
            except ValueError:
                continue
            minute = (stamp.hour * 60 + stamp.minute) // slot * slot
            found[stamp.date(), minute].append((value, weight))
    return found


def mean(cell: list[tuple[float, float]]) -> float:
    return sum(value for value, _ in cell) / len(cell)


class Crew:
    """People who ask at every slot, and mostly tell in time what they measured."""

    def __init__(self, season: Season, name: str, record: Readings, zone: str) -> None:
        self.season, self.name, self.record, self.zone = season, name, record, zone
        self.late: list[tuple[int, list[str]]] = []
        self.wrong: list[tuple[int, list[str]]] = []
        self.pulls = self.lost = 0

    def told(self, cell: list[tuple[float, float]]) -> list[str]:
        return ["--value", f"{mean(cell):.5g}"]

    def mistaken(self, cell: list[tuple[float, float]]) -> list[str]:
        return ["--value", f"{10 * mean(cell):.5g}"]

    def work(self, day: date, minute: int) -> None:
        """One slot: ask, measure, tell; every seventh pull something goes amiss."""
        from zoneinfo import ZoneInfo

        local = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(self.zone))
        self.season.now = local + timedelta(minutes=minute + 5)
        cell = self.record.get((day, minute))
        show = self.pulls < 3
        said = self.season("ask", self.name, show=show)
        if self.season.code != 0:
            return
        self.pulls += 1
        decision = int(re.search(r"decision (\d+)", said)[1])  # type: ignore[index]
        kind = self.pulls % 7
        if cell is None or kind == 4:
            self.lost += 1  # nobody ever tells: --lost-after gives it up
            return
        if kind == 2:
            self.late.append((decision, self.told(cell)))
            return
        if kind == 6:
            self.season("tell", self.name, "--decision", decision, *self.mistaken(cell), show=show)
            self.wrong.append((decision, self.told(cell)))
            return
        self.season("tell", self.name, "--decision", decision, *self.told(cell), show=show)

    def evening(self) -> None:
        """What was late is told, what was wrong is put right."""
        for decision, worth in self.late:
            self.season("tell", self.name, "--decision", decision, *worth, show=decision < 60)
        for decision, worth in self.wrong:
            with pytest.raises(ConflictError, match="if that was wrong, correct it"):
                self.season("tell", self.name, "--decision", decision, *worth, show=False)
            self.season("correct", self.name, "--decision", decision, *worth, show=decision < 60)
        self.late, self.wrong = [], []


@pytest.mark.shared
@pytest.mark.soak  # the longest of the three seasons
def test_canary(season: Season, shared: Shared) -> None:
    """Twelve two-hour slots, 0.3 NTU: the best slot is wanted; the first 60 days are known."""
    path = shared("canary_station_b_turbidity_2h.csv")
    record = readings(
        path,
        lambda row: (
            datetime.fromisoformat(row["date"]) + timedelta(hours=int(row["slot_hour"])),
            float(row["turb_mean"]), 1.0,
        ),
        120,
    )  # fmt: skip
    days = sorted({day for day, _ in record})
    known, live = days[:60], days[60:]
    said = season(
        "problem", "series", path, "--time", "date", "--hour", "slot_hour", "--value", "turb_mean",
        "--above", 0.3, "--zone", "America/New_York", "--until", known[-1], "-o", "water.json",
        "--seed", 1,
    )  # fmt: skip
    assert "K = 12 arms over 60 rounds" in said
    season.now = datetime.combine(live[0], datetime.min.time()).astimezone()
    advice, command = season.plan(
        "--problem", "water.json", "--goal", "best", "--runs", 100, "--seed", 1, "--most", 300,
        "--cost-per-pull", 40, "--cost-per-round", 10,
    )  # fmt: skip
    assert "at 40 a pull and 10 a round" in advice.lower()
    more = ["--start", str(live[0]), "--seed", "7", "--warm-start", "--lost-after", "1d"]
    agent = ["--agent", "Seq(TS)", "--rounds", str(len(live))]
    words = [*command[: command.index("--agent")], "--goal", "best", *agent, *more]
    said = season(*words)
    assert "reward: above 0.3" in said
    assert "the record counts as at most 10 rewards an arm" in said
    crew = Crew(season, "water", record, "America/New_York")
    for number, day in enumerate(live):
        for minute in range(0, 24 * 60, 120):
            if (number, minute) < (0, 600):
                continue  # it begins in the middle of a day
            crew.work(day, minute)
        if number % 2:
            crew.evening()
        if number in (0, 10):
            season("status", "water")
    crew.evening()
    finished(season, crew, "water")


@pytest.mark.shared
def test_gecco(season: Season, shared: Shared) -> None:
    """Four-hour slots of a waterworks whose record has gaps: lose little over the weeks to come."""
    path = shared("gecco2018_water_hourly.csv")
    record = readings(
        path, lambda row: (datetime.fromisoformat(row["time"]), float(row["trueb"]), 1.0), 240
    )
    days = sorted({day for day, _ in record})
    known, live = days[:50], days[50:80]
    season(
        "problem", "series", path, "--time", "time", "--value", "trueb", "--slot", "4h",
        "--below", 0.0125, "--zone", "Europe/Berlin", "--until", known[-1], "-o", "works.json",
        "--seed", 1,
    )  # fmt: skip
    advice, command = season.plan(
        "--problem", "works.json", "--goal", "regret", "--rounds", len(live), "--runs", 100,
        "--seed", 1,
    )  # fmt: skip
    assert f"To lose least over {len(live)} rounds, use" in advice
    season.now = datetime.combine(live[0], datetime.min.time()).astimezone()
    said = season(*command, "--start", live[0], "--seed", 7, "--lost-after", "1d")
    assert "time zone: Europe/Berlin" in said
    crew = Crew(season, "works", record, "Europe/Berlin")
    for number, day in enumerate(live):
        for minute in range(0, 24 * 60, 240):
            crew.work(day, minute)
        if number % 3 == 2:
            crew.evening()
    crew.evening()
    finished(season, crew, "works")


class Editors(Crew):
    """They tell clicks of impressions."""

    def told(self, cell: list[tuple[float, float]]) -> list[str]:
        wins, trials = (int(sum(part)) for part in zip(*cell, strict=True))
        return ["--wins", str(wins), "--trials", str(trials)]

    def mistaken(self, cell: list[tuple[float, float]]) -> list[str]:
        wins, trials = (int(sum(part)) for part in zip(*cell, strict=True))
        return ["--wins", str(wins), "--trials", str(10 * trials)]


@pytest.mark.shared
def test_upworthy(season: Season, shared: Shared) -> None:
    """Headlines by the six hours in which they came out: clicks of impressions, as counts."""
    path = shared("upworthy_packages.csv")

    def read(row: dict[str, str]) -> tuple[datetime, float, float]:
        if row["time_ok"] != "1":
            raise ValueError
        clicks, shown = float(row["clicks"]), float(row["impressions"])
        return datetime.fromisoformat(row["created_utc"]), clicks, shown

    record = readings(path, read, 360)
    days = sorted({day for day, _ in record})
    known, live = days[:400], days[400:440]
    said = season(
        "problem", "series", path, "--time", "created_utc", "--value", "clicks", "--per",
        "impressions", "--slot", "6h", "--where", "time_ok=1", "--zone", "UTC", "--until",
        known[-1], "--missing", "absent", "-o", "headlines.json", "--seed", 1,
    )  # fmt: skip
    assert "Rewards are counts" in said
    advice, command = season.plan(
        "--problem", "headlines.json", "--goal", "regret", "--rounds", 40, "--runs", 100,
        "--seed", 1,
    )  # fmt: skip
    assert "To lose least over 40 rounds" in advice
    season.now = datetime.combine(live[0], datetime.min.time()).astimezone()
    season(*command, "--start", live[0], "--seed", 7, "--warm-start", "--weight", 5000)
    crew = Editors(season, "headlines", record, "UTC")
    day = live[0]
    for number in range(40):
        for minute in range(0, 24 * 60, 360):
            crew.work(day + timedelta(days=number), minute)
        crew.evening()
        if number == 2:
            season("status", "headlines")
    for pull in Campaign.open(season.store, "headlines").pending():
        season("lost", "headlines", "--decision", pull.decision, show=False)
    finished(season, crew, "headlines")


def finished(season: Season, crew: Crew, name: str) -> None:
    """The end: every number that is shown is what was counted on the way."""
    season.now += timedelta(days=3)
    season("ask", name)
    assert season.code == 1
    said = season("status", name)
    campaign = Campaign.open(season.store, name)
    status = campaign.status()
    assert status.state == "finished"
    assert f"{status.recommended} is taken to be the best" in said
    assert f"and {crew.pulls} pull" in said
    told = sum(arm.rewards for arm in status.arms)
    lost = sum(arm.lost for arm in status.arms)
    assert told + lost + len(status.pending) == crew.pulls
    assert (lost + len(status.pending)) == crew.lost
    earned = sum(arm.earned for arm in status.arms)
    assert f"earned {earned:.6g} in all" in said
    for arm in status.arms:
        assert arm.low <= (arm.mean if arm.mean is not None else 0.5) <= arm.high
    season("log", name, "--last", "8")
    assert "all decisions and the snapshot as they were" in season("campaign", "verify", name)
    season("campaign", "report", name, "-o", "report.html")
    season("campaign", "list")
    page = Path("report.html").read_text()
    assert page.count("<g>") == crew.pulls  # one sign each in the picture
    if folder := os.environ.get("SPNB_SCREENS"):
        Path(folder, f"{season.name}.html").write_text(page)
    season.keep()
