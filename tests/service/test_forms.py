"""Pages by HTTP alone: forms and their marks, errors, headers, signing in, long lists and logs."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.resources import files

import httpx
import pytest

from service.browser import browser, windows
from service.conftest import Service
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.schedule import Schedule
from spnb.live.store import Store

pytestmark = pytest.mark.xdist_group("pages")  # what is made once serves one worker

__all__ = ["browser", "windows"]

RECORD = json.dumps({"spnb": "problem", "version": 1, "arms": ["a"], "means": [0.5], "trials": [4]})


@pytest.fixture
def http(local: Service) -> Iterator[httpx.Client]:
    with local.http() as client:
        yield client


def mark_of(page: str) -> str:
    found = re.search(r'name="form_mark" value="([0-9a-f]{64})"', page)
    assert found
    return found[1]


@pytest.fixture
def campaign(local: Service) -> Iterator[Campaign]:
    with Store(local.store) as store:
        yield Campaign.create(store, "c", arms=["a", "b"], agent="Uniform+", reward="binary")


def test_a_form_needs_the_mark_of_its_own_page(http: httpx.Client, campaign: Campaign) -> None:
    path = f"/campaigns/{campaign.uid}"
    ask = {"offer": "1 a"}
    assert http.post(f"{path}/ask", data=ask).status_code == 422
    mark = mark_of(http.get(path).text)
    for wrong in ("", "0" * 64, "é", mark[:-1]):
        answer = http.post(f"{path}/ask", data=ask | {"form_mark": wrong})
        assert answer.status_code == 422
        assert "out of date" in answer.text
    with httpx.Client(base_url=http.base_url) as other:  # a mark is good for one browser
        other.get(path)
        assert other.post(f"{path}/ask", data=ask | {"form_mark": mark}).status_code == 422
    there = {"Origin": "https://evil.example"}
    refused = http.post(f"{path}/ask", data=ask | {"form_mark": mark}, headers=there)
    assert refused.status_code == 403
    assert [event.kind for event in campaign.events()] == ["create"]
    assert http.post(f"{path}/ask", data=ask | {"form_mark": mark}).status_code == 303
    assert [event.kind for event in campaign.events()] == ["create", "ask"]


@pytest.mark.parametrize(
    ("act", "data", "said"),
    [
        ("ask", {"offer": "a"}, "which arm is on offer"),
        ("ask", {"offer": "1 z"}, "no arm"),
        ("ask", {"offer": "99 a"}, "far ahead"),
        ("tell", {"reward": "1"}, "which decision"),
        ("tell", {"decision": "2", "reward": "x"}, "must be a number"),
        ("tell", {"decision": "2"}, "must be a number"),
        ("tell", {"decision": "99", "reward": "1"}, "no decision 99"),
        ("correct", {"decision": "2", "reward": "1"}, "no reward to correct"),
        ("turn", {"to": "delete"}, "pause, resume, close"),
    ],
)
def test_what_makes_no_sense_is_said_and_changes_nothing(
    http: httpx.Client, campaign: Campaign, act: str, data: dict[str, str], said: str
) -> None:
    campaign.ask("a", 1)
    path = f"/campaigns/{campaign.uid}"
    mark = mark_of(http.get(path).text)
    answer = http.post(f"{path}/{act}", data=data | {"form_mark": mark})
    assert answer.status_code in (404, 409, 422)
    assert answer.headers["content-type"].startswith("text/html")
    assert said in answer.text
    assert len(list(campaign.events())) == 2


def test_looking_changes_nothing(http: httpx.Client, campaign: Campaign) -> None:
    campaign.ask("a", 1)
    before = list(campaign.events())
    for path in ("/", "/new", f"/campaigns/{campaign.uid}", f"/campaigns/{campaign.uid}?arms=all"):
        assert http.get(path).status_code == 200
    assert http.get(f"/campaigns/{campaign.uid}?before=2").text.count("begun") == 1
    assert list(campaign.events()) == before


def test_errors_are_pages_for_people_and_json_for_programs(
    http: httpx.Client, campaign: Campaign
) -> None:
    for path, status in (
        ("/nowhere", 404),
        ("/campaigns/zzz", 404),
        (f"/campaigns/{campaign.uid}?before=x", 422),
        (f"/campaigns/{campaign.uid}/ask", 405),
    ):
        answer = http.get(path)
        assert answer.status_code == status
        assert answer.headers["content-type"].startswith("text/html")
        assert "<h1>" in answer.text
    large = http.post("/new", content=b"x" * 2_000_000)
    assert large.status_code == 413
    assert "<h1>" in large.text
    assert http.get("/v1/nowhere").json()["error"]["code"] == "not_found"


def test_what_a_browser_may_do_is_said_with_every_page(http: httpx.Client) -> None:
    answer = http.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?! src=\"/static/)|<style|\sstyle=|\son\w+=", answer.text)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    http.cookies.clear()
    behind_tls = http.get("/", headers={"X-Forwarded-Proto": "https"})
    assert "secure" in behind_tls.headers["set-cookie"].lower()


def test_signing_in_leads_only_to_pages_of_ours_and_tires_of_failures(local: Service) -> None:
    token = local.token("read")
    with local.http() as http:
        page = http.get("/sign-in", params={"back": "//evil.example"})
        assert "evil" not in page.text
        form = {"form_mark": mark_of(page.text), "token": token, "back": "https://evil.example"}
        assert http.post("/sign-in", data=form).headers["location"] == "/"
    with local.http() as http:
        form = {"form_mark": mark_of(http.get("/sign-in").text), "token": "spnb_x_y"}
        codes = [http.post("/sign-in", data=form).status_code for _ in range(22)]
        assert codes[0] == 401
        assert codes[-1] == 429
        assert "spnb_x_y" not in http.post("/sign-in", data=form).text


def test_a_stream_says_where_a_campaign_stands(http: httpx.Client, campaign: Campaign) -> None:
    with http.stream("GET", f"/campaigns/{campaign.uid}/stream") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = (line for line in stream.iter_lines() if line)
        assert next(lines) == "data: 1"
        campaign.ask("a", 1)
        assert next(lines) == "data: 2"
    with http.stream("GET", "/stream") as stream:
        lines = (line for line in stream.iter_lines() if line)
        first = next(lines)
        campaign.ask("b", 1)
        assert next(lines) != first
    assert http.get("/campaigns/0000000000000000/stream").status_code == 404


def test_many_campaigns_come_on_several_pages(http: httpx.Client, local: Service) -> None:
    with Store(local.store) as store:
        for number in range(23):
            Campaign.create(store, f"c{number:02d}", arms=["a"])
    first = http.get("/").text
    assert first.count("<li>") == 20
    second = http.get("/", params={"after": "c19"}).text
    assert second.count("<li>") == 3
    assert "c22" in second
    assert "No more campaigns" in http.get("/", params={"after": "z"}).text


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"name": ""}, "the name of a campaign"),
        ({"kind": "slots", "slots": ""}, "slots are wanted"),
        ({"kind": "slots", "slots": "25:00"}, "lies between 00:00 and 23:59"),
        ({"kind": "slots", "slots": "08:00", "zone": "Mars"}, "time zone"),
        ({"kind": "slots", "slots": "8:00", "start": "2020-01-01", "rounds": "9"}, "2020-01-09"),
        ({"kind": "arms", "arms": "  "}, "arms are wanted"),
        ({"rounds": "many"}, "rounds must be a whole number"),
        ({"agent": "Nobody"}, "unknown policy or agent"),
        ({"rule": "above", "low": "x"}, "reward rule"),
        ({"lost_after": "soon"}, "length of time"),
        ({"goal": "luck"}, "goal"),
        ({"do": "fill"}, "choose a problem file"),
        ({"warm": "yes", "record": "x"}, "not JSON"),
        ({"warm": "yes", "record": RECORD, "weight": "0"}, "a whole number &gt;= 1"),
        ({"warm": "yes", "record": RECORD, "arms": "c, d"}, "knows none of these arms"),
    ],
)
def test_the_form_says_what_is_wrong_and_keeps_what_was_typed(
    http: httpx.Client, typed: dict[str, str], said: str
) -> None:
    fine = {"name": "kept & safe", "kind": "arms", "arms": "a, b", "agent": "Seq(TS)"}
    rest = {"rule": "binary", "goal": "regret", "do": "begin"}
    mark = {"form_mark": mark_of(http.get("/new").text)}
    answer = http.post("/new", data=fine | rest | mark | typed)
    assert answer.status_code == 422
    assert said.lower() in answer.text.lower()
    assert "kept &amp; safe" in answer.text or "name" in typed
    assert http.get("/v1/campaigns").json()["items"] == []


@pytest.mark.parametrize("body", [b"", b"\xff\x00", b"[" * 100_000, b"{}", b'{"spnb": "problem"}'])
def test_what_is_no_problem_file_is_refused(http: httpx.Client, body: bytes) -> None:
    data = {"form_mark": mark_of(http.get("/new").text), "do": "fill", "name": "n"}
    answer = http.post("/new", data=data, files={"problem": ("p.json", body)})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_pages_are_part_of_the_package() -> None:
    here = files("spnb.service")
    for folder, ending in (("templates", ".html"), ("static", (".css", ".js", ".svg"))):
        names = [each.name for each in here.joinpath(folder).iterdir()]
        assert names
        assert all(name.endswith(ending) for name in names)


def test_a_long_log_is_read_from_its_end(http: httpx.Client, local: Service) -> None:
    with Store(local.store) as store:
        campaign = Campaign.create(store, "long", arms=["a"], agent="Uniform+", reward="binary")
        for _ in range(60):
            campaign.tell(campaign.ask("a", campaign.outline().round + 1), reward=1)
    page = http.get(f"/campaigns/{campaign.uid}").text
    assert "?before=97" in page
    older = http.get(f"/campaigns/{campaign.uid}?before=97").text
    assert "?before=72" in older
    assert "earned: 60 with 60 rewards" in page


def test_by_the_clock_the_form_asks_about_what_it_showed(
    http: httpx.Client, local: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    noon = datetime(2026, 5, 4, 12, 5, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: noon)
    with Store(local.store) as store:
        campaign = Campaign.create(
            store, "c", schedule=Schedule.parse("08:00,12:00", "UTC"), agent="Uniform+"
        )
    path = f"/campaigns/{campaign.uid}"
    page = http.get(path).text
    assert "Ask about 12:00" in page
    assert 'data-wait="71701"' in page  # seconds until 08:00, and one more
    form = {"form_mark": mark_of(page), "arm": "08:00"}  # a page that was left open since
    refused = http.post(f"{path}/ask", data=form)
    assert refused.status_code == 422
    assert "is not on offer at this time" in refused.text
    assert http.post(f"{path}/ask", data=form | {"arm": "12:00"}).status_code == 303
    assert [event.arm for event in campaign.events() if event.kind == "ask"] == ["12:00"]


def test_counts_and_patience(http: httpx.Client, campaign: Campaign) -> None:
    campaign.ask("a", 1)
    campaign.ask("b", 1)
    path = f"/campaigns/{campaign.uid}"
    mark = {"form_mark": mark_of(http.get(path).text)}
    for act, data in (
        ("tell", {"decision": "2", "wins": "7", "trials": "120"}),
        ("correct", {"decision": "2", "wins": "8", "trials": "120"}),
        ("limit", {"lost_after": "2d"}),
    ):
        assert http.post(f"{path}/{act}", data=mark | data).status_code == 303
    page = http.get(path).text
    assert "8 of 120, was 7 of 120" in page
    assert "a reward is lost after 2d" in page
    assert campaign.status().arms[0].trials == 120
    campaign.ask("a", 2, ahead=True)
    assert http.post(f"{path}/limit", data=mark | {"lost_after": "soon"}).status_code == 422


def test_a_problem_file_says_all_that_it_knows(http: httpx.Client) -> None:
    problem = {
        "spnb": "problem", "version": 1, "name": "water", "arms": ["early", "late"],
        "slots": [360, 1080], "zone": "Europe/Rome", "reward": "range 0 2.5",
        "table": [[1, 0], [0, 1], [1, 1]],
    }  # fmt: skip
    data = {"form_mark": mark_of(http.get("/new").text), "do": "fill"}
    file = {"problem": ("p.json", json.dumps(problem).encode())}
    page = http.post("/new", data=data, files=file).text
    for name, value in {
        "name": "water", "slots": "06:00,18:00", "zone": "Europe/Rome", "rounds": "3", "low": "0",
        "high": "2.5",
    }.items():  # fmt: skip
        assert f'name="{name}" value="{value}"' in page
    assert '<option value="range" selected>' in page
    named = {key: value for key, value in problem.items() if key != "slots"}
    file = {"problem": ("p.json", json.dumps(named).encode())}
    assert "early\nlate</textarea>" in http.post("/new", data=data, files=file).text


def test_a_preview_shows_the_next_offers_and_begins_nothing(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    friday = datetime(2026, 5, 8, 12, 5, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: friday)
    data = {
        "form_mark": mark_of(http.get("/new").text), "do": "preview", "name": "n", "kind": "slots",
        "slots": "08:00,12:00", "zone": "UTC", "days": "mon-fri", "window": "1h",
        "lost_after": "2d",
    }  # fmt: skip
    page = http.post("/new", data=data).text
    offers = re.findall(r"<strong>([\d:]+)</strong> (\w+ \d+ \w+ [\d:]+) to ([\d:]+)", page)
    assert offers[:3] == [
        ("12:00", "Fri 08 May 12:00", "13:00"),
        ("08:00", "Mon 11 May 08:00", "09:00"),
        ("12:00", "Mon 11 May 12:00", "13:00"),
    ]
    assert "given up for lost" in page
    assert "waits for every reward" not in page
    assert http.get("/v1/campaigns").json()["items"] == []
    begun = http.post("/new", data=data | {"do": "begin"})
    assert re.fullmatch("/campaigns/[0-9a-f]{16}", begun.headers["location"])
    again = http.post("/new", data=data | {"do": "begin"})
    assert again.status_code == 409
    assert "there is a campaign" in again.text.lower()


def test_a_search_for_arms_above_a_level_shows_no_best_one(
    http: httpx.Client, local: Service
) -> None:
    with Store(local.store) as store:
        campaign = Campaign.create(
            store, "c", arms=["a", "b"], agent="Above(level=0.5)", goal="best", pulls=90
        )
        for round_ in range(1, 30):
            for arm in ("a", "b"):
                decision = campaign.ask(arm, at=round_)
                if decision.pull:
                    campaign.tell(decision, reward=0)
        pulled = campaign.status().pulled
        path = f"/campaigns/{campaign.uid}"
        for end in ("Finished: Above 0.5 with", "Closed. Above 0.5 with"):
            page = http.get(path).text
            assert f"<p>{end}" in page
            assert f"{pulled} of 90 pulls" in page
            assert 'class="big"' not in page
            assert 'class="star"' not in page
            if end.startswith("Finished"):
                overview = http.get("/").text
                assert "The search is over: Above 0.5" in overview
                assert "comes next" not in overview
            campaign.close()


def test_rounds_and_pulls_to_go(http: httpx.Client, local: Service) -> None:
    with Store(local.store) as store:
        arms = {"arms": ["a", "b"], "agent": "Uniform+"}
        both = Campaign.create(store, "both", **arms, rounds=44, pulls=9)  # type: ignore[arg-type]
        rounds = Campaign.create(store, "rounds", **arms, rounds=1)  # type: ignore[arg-type]
        for campaign in (both, rounds):
            campaign.tell(campaign.ask("a"), reward=1)
        said = {each.name: http.get(f"/campaigns/{each.uid}").text for each in (both, rounds)}
    assert "At most 43 of 44 rounds and 8 of 9 pulls to go." in said["both"]
    assert "round 1 of 44 · 1 of 9 pulls" in " ".join(said["both"].split())
    assert "This is the last round." in said["rounds"]
    assert "to go." not in said["rounds"]


def test_a_weekly_offer_says_on_which_day_it_ends(
    http: httpx.Client, local: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 5, 4, 9, tzinfo=UTC))
    plan = Schedule.parse("mon 08:00,thu 18:00", "UTC", start="2026-05-04")
    with Store(local.store) as store:
        campaign = Campaign.create(store, "c", schedule=plan, agent="Uniform+")
        path = f"/campaigns/{campaign.uid}"
        assert "round 1, until thu 18:00 UTC<" in http.get(path).text
        assert "is on offer until thu 18:00 UTC, not asked yet" in http.get("/").text
        campaign.ask()
        assert "round 1, until thu 18:00 UTC<" in http.get(path).text
        assert "mon 08:00, until thu 18:00 UTC" in http.get("/").text
