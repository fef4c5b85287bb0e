"""Campaigns on the command line: what is printed, and the exit codes that cron lives by."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from spnb.base.errors import SpnbError
from spnb.cli.app import COMMANDS, app


class Shell:
    """Runs ``spnb`` in this process; errors are what ``main`` would print with exit code 2."""

    def __init__(self, folder: Path) -> None:
        self.store = f"sqlite:///{folder}/spnb.db"
        self.code = 0

    def __call__(self, *words: str, feed: str | None = None) -> str:
        environment = {"SPNB_STORE": self.store, "COLUMNS": "100"}
        result = CliRunner().invoke(app, list(words), env=environment, input=feed)
        self.code = result.exit_code
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.stdout

    def json(self, *words: str, feed: str | None = None) -> Any:
        return json.loads(self(*words, "--json", feed=feed))


@pytest.fixture
def spnb(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def water(spnb: Shell) -> Shell:
    spnb("campaign", "new", "water", "--arms", "red, green,blue", "--agent", "Uniform+",
         "--seed", "1", "--reward", "above 0.3")  # fmt: skip
    return spnb


def test_a_campaign_from_beginning_to_end(water: Shell) -> None:
    assert water("ask", "water", "--arm", "red") == (
        "pull red (round 1, decision 2): still in the running: never pulled\n"
    )
    assert water.code == 0
    assert water("tell", "water", "--value", "0.4") == "red in round 1, decision 2: 1\n"
    assert "(known before)" in water("tell", "water", "--decision", "2", "--reward", "1")
    assert water("correct", "water", "--decision", "2", "--value", "0.1").endswith(": 0\n")
    water("ask", "water", "--arm", "blue")
    assert water("lost", "water") == "blue in round 1, decision 5: lost\n"
    assert water("campaign", "pause", "water") == "water: paused, round 1\n"
    assert water("ask", "water", "--arm", "red", "--round", "2") == (
        "pass red (round 2): the campaign is paused\n"
    )
    assert water.code == 1
    water("campaign", "resume", "water")
    water("campaign", "add-arm", "water", "white", "--before", "red")
    water("campaign", "retire-arm", "water", "green")
    assert water("campaign", "close", "water") == "water: closed, round 1\n"
    assert water("campaign", "list").split() == ["water", "closed", "round", "1", "Uniform+"]
    assert "all decisions and the snapshot as they were" in water("campaign", "verify", "water")
    assert water.code == 0
    log = water("log", "water", "--last", "0").splitlines()
    assert len(log) == 11
    assert "correct" in log[3]
    assert "  close" in water("log", "water", "--last", "1")


def test_every_command_speaks_json(water: Shell) -> None:
    asked = water.json("ask", "water", "--arm", "red")
    assert (asked["id"], asked["pull"], asked["arm"], asked["until"]) == (2, True, "red", None)
    assert water.json("tell", "water", "--value", "1")["reward"] == 1.0
    assert water.json("correct", "water", "--decision", "2", "--lost")["reward"] is None
    water.json("ask", "water", "--arm", "green")
    assert water.json("lost", "water")["new"] is True
    status = water.json("status", "water")
    assert [arm["arm"] for arm in status["arms"]] == ["red", "green", "blue"]
    assert water.json("campaign", "show", "water")["seed"] == 1
    assert water.json("campaign", "list")[0]["name"] == "water"
    verdict = water.json("campaign", "verify", "water")
    assert (verdict["ok"], verdict["events"], verdict["problem"]) == (True, 6, None)
    assert len(verdict["hash"]) == 64
    for command in ("pause", "resume", "close"):
        assert water.json("campaign", command, "water")["name"] == "water"
    lines = water("log", "water", "--json").splitlines()
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 10))


def test_a_new_campaign_says_what_it_is(spnb: Shell) -> None:
    said = spnb(
        "campaign", "new", "day", "--slots", "08:00,18:00", "--zone", "Europe/Rome", "--days",
        "mon-fri", "--window", "2h", "--lost-after", "2d", "--rounds", "30", "--goal", "best",
    )  # fmt: skip
    for words in ("08:00, 18:00", "Europe/Rome", "Seq(TS)", "best", "30", "lost after: 2d"):
        assert words in said
    assert "any number" not in said
    assert spnb("ask", "day", "--at", "2000-01-01T10:00").startswith("pass: nothing is on offer")
    assert spnb.code == 1


def test_a_slot_says_until_when(spnb: Shell) -> None:
    spnb("campaign", "new", "day", "--slots", "00:00/2h", "--zone", "UTC", "--agent", "Uniform+")
    said = spnb("ask", "day")
    assert said.startswith("pull ")
    assert "until " in said


def test_status_draws_the_arms(water: Shell) -> None:
    assert "Nothing was asked yet." in water("status", "water")
    for round_ in range(1, 9):
        for arm, value in (("red", "1"), ("green", "0"), ("blue", "0")):
            water("ask", "water", "--arm", arm, "--round", str(round_))
            water("tell", "water", "--value", value)
    said = water("status", "water")
    assert "red *" in said
    assert "████" in said
    assert "red is best with probability" in said
    water("ask", "water", "--arm", "red", "--round", "9")
    assert "1 pull without a reward yet." in " ".join(water("status", "water").split())


def test_a_reward_can_be_piped_in(water: Shell) -> None:
    water("ask", "water", "--arm", "red")
    assert water("tell", "water", feed="0.7\n").endswith(": 1\n")
    water("campaign", "new", "plain", "--arms", "a", "--agent", "Uniform+")
    water("ask", "plain", "--arm", "a")
    assert water("tell", "plain", feed="0.25").endswith(": 0.25\n")
    with pytest.raises(SpnbError, match="must hold one number, or wins/trials, got 'oops'"):
        water("tell", "plain", feed="oops")


def test_clicks_of_impressions_can_be_told(spnb: Shell) -> None:
    spnb("campaign", "new", "ads", "--arms", "noon,evening", "--agent", "Uniform+")
    spnb("ask", "ads", "--arm", "noon")
    assert spnb("tell", "ads", "--wins", "7", "--trials", "120").endswith("decision 2: 7 of 120\n")
    assert spnb("tell", "ads", feed="7/120\n").endswith(": 7 of 120 (known before)\n")
    told = spnb.json("correct", "ads", "--decision", "2", "--wins", "8", "--trials", "120")
    assert (told["reward"], told["trials"], told["new"]) == (8, 120, True)
    assert "reward 8 of 120" in spnb("log", "ads")
    assert spnb.json("status", "ads")["arms"][0]["trials"] == 120
    for feed in ("7/", "/120", "7/1/2", "7.5/120"):
        with pytest.raises(SpnbError, match="one number, or wins/trials"):
            spnb("tell", "ads", feed=feed)
    with pytest.raises(SpnbError, match="wins and trials go together"):
        spnb("tell", "ads", "--wins", "7")


def test_a_campaign_moves_by_export_and_import(water: Shell, tmp_path: Path) -> None:
    water("ask", "water", "--arm", "red")
    printed = water("campaign", "export", "water")
    water("campaign", "export", "water", "--output", str(tmp_path / "water.jsonl"))
    assert (tmp_path / "water.jsonl").read_text() == printed
    other = f"sqlite:///{tmp_path}/other.db"
    water("campaign", "import", str(tmp_path / "water.jsonl"), "--store", other)
    assert water.json("campaign", "verify", "water", "--store", other)["ok"]
    assert water("campaign", "import", "--name", "copy", feed=printed) == (
        "copy: running, round 1\n"
    )
    with pytest.raises(SpnbError, match="cannot read"):
        water("campaign", "import", str(tmp_path / "nothing.jsonl"))


def test_a_log_that_was_tampered_with_is_found(water: Shell, tmp_path: Path) -> None:
    import sqlite3

    water("ask", "water", "--arm", "red")
    with sqlite3.connect(tmp_path / "spnb.db") as database:
        database.execute("UPDATE spnb_events SET pull = 0 WHERE seq = 2")
    database.close()
    assert "event 2 (ask of" in water("campaign", "verify", "water")
    assert water.code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ask", "nope"], "there is no campaign 'nope'; the store has: water"),
        (["ask", "water"], "say which arm is on offer"),
        (["ask", "water", "--arm", "red", "--at", "soon"], "--at must be a time"),
        (["ask", "water", "--arm", "red", "--at", "2026-01-01", "--round", "1"], "not both"),
        (["tell", "water", "--reward", "1"], "nothing was pulled yet"),
        (["tell", "water", "--reward", "1", "--value", "1"], "one of them"),
        (["campaign", "new", "water", "--arms", "a,b"], "there is a campaign 'water' already"),
        (["campaign", "new", "x"], "give --arms, --slots or --problem"),
        (["campaign", "new", "x", "--arms", "a", "--slots", "08:00"], "give either"),
        (["status", "water", "--store", "mysql://x"], "other databases are not supported"),
    ],
)
def test_mistakes_are_one_clear_line(water: Shell, words: list[str], said: str) -> None:
    with pytest.raises(SpnbError) as caught:
        water(*words)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_help_lists_every_command(spnb: Shell) -> None:
    said = spnb("--help")
    for command in COMMANDS:
        assert command in said
        assert "Usage" in spnb(command, "--help")


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", "from spnb.cli import main; main()", *words]
    environment = {**os.environ, "SPNB_STORE": f"sqlite:///{folder}/spnb.db"}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=environment
    )


def test_exit_codes_are_what_a_shell_script_needs(water: Shell, tmp_path: Path) -> None:
    assert run(tmp_path, "ask", "water", "--arm", "red").returncode == 0
    water("campaign", "pause", "water")
    assert run(tmp_path, "ask", "water", "--arm", "blue").returncode == 1
    wrong = run(tmp_path, "ask", "nope")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("spnb: there is no campaign 'nope'")
    assert run(tmp_path, "ask").returncode == 2
    assert run(tmp_path, "ask", "water", "--colour", "red").returncode == 2


def test_an_ask_loads_only_what_it_needs(tmp_path: Path, spnb: Shell) -> None:
    spnb("campaign", "new", "c", "--arms", "a,b", "--agent", "Seq(TS)")
    code = (
        "import sys\nfrom spnb.cli.app import app\n"
        "try:\n    app(['ask', 'c', '--arm', 'a'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'alembic', 'matplotlib', 'scipy', 'rich', 'psycopg', 'fastapi', 'uvicorn', "
        "'httpx', 'jinja2', 'prometheus_client'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    environment = {**os.environ, "SPNB_STORE": spnb.store}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_importing_spnb_loads_no_database() -> None:
    code = "import sys, spnb; print({'sqlalchemy', 'alembic', 'typer', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_store_is_migrated_by_a_command(tmp_path: Path, spnb: Shell) -> None:
    assert spnb("store", "migrate") == "schema 0003\n"
    assert spnb("store", "migrate") == "nothing to do: schema 0003\n"
    golden = Path(__file__).parent.parent / "golden" / "store-0001.db"
    (tmp_path / "old.db").write_bytes(golden.read_bytes())
    said = spnb("store", "migrate", "--store", f"sqlite:///{tmp_path}/old.db")
    assert said == "schema 0003, before it was 0001\n"
    spnb("campaign", "verify", "water", "--store", f"sqlite:///{tmp_path}/old.db")
    assert spnb.code == 0


def test_a_leap_and_a_move_on_the_command_line(water: Shell, tmp_path: Path) -> None:
    water("campaign", "new", "seq", "--arms", "a,b", "--agent", 'Seq(UCB1(ties="first"))')
    water("ask", "seq", "--arm", "a")
    with pytest.raises(SpnbError, match="far ahead of round 1"):
        water("ask", "seq", "--arm", "b", "--round", "99")
    water("ask", "seq", "--arm", "b", "--round", "99", "--ahead")
    assert water("campaign", "void", "seq") == "seq: running, round 1\n"
    water("campaign", "export", "seq", "--move", "--output", str(tmp_path / "seq.jsonl"))
    with pytest.raises(SpnbError, match="was moved"):
        water("tell", "seq", "--reward", "1")
    other = f"sqlite:///{tmp_path}/other.db"
    water("campaign", "import", str(tmp_path / "seq.jsonl"), "--store", other)
    assert water("tell", "seq", "--reward", "1", "--store", other).startswith("a in round 1")
    assert "by " in water("log", "seq", "--store", other)


def test_names_with_markup_are_shown_as_they_are(spnb: Shell) -> None:
    spnb("campaign", "new", "[red]x[/red]", "--arms", "[bold]a,[/],b", "--agent", "Uniform+")
    spnb("ask", "[red]x[/red]", "--arm", "[bold]a")
    said = spnb("status", "[red]x[/red]") + spnb("log", "[red]x[/red]")
    for name in ("[red]x[/red]: Uniform+", "[bold]a", "[/]"):
        assert name in said
