"""The dashboard in a real browser, as people use it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Page, expect

from service.browser import DESK, PHONE, Windows, browser, windows
from service.conftest import Service, free_port
from spnb.live.campaign import Campaign
from spnb.live.store import Store
from spnb.live.store.tokens import revoke, tokens_of

__all__ = ["browser", "windows"]


def begun(service: Service, name: str = "c", **given: object) -> Campaign:
    arms = {"arms": ["a", "b"], "agent": "Uniform+", "reward": "binary", "actor": "tests"}
    return Campaign.create(service.store, name, **(arms | given))  # type: ignore[arg-type]


def sign_in(page: Page, url: str, token: str) -> None:
    page.goto(url)
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()


def drawn(page: Page, kind: str) -> int:
    """How many signs of a kind the picture in sight has."""
    page.wait_for_load_state()  # before the styles have come, both pictures are in sight
    return page.locator(f"#rounds svg.picture:visible .{kind}").count()


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESK, "light")])
def test_from_the_form_to_a_corrected_reward(
    local: Service, windows: Windows, size: tuple[int, int], scheme: str
) -> None:
    page = windows.open(size, scheme)
    page.goto(local.url)
    page.get_by_role("link", name="Begin a campaign").click()
    page.get_by_label("Name", exact=True).fill("Water works")
    page.get_by_label("Arms that are named").check()
    page.get_by_label("Arms, one a line").fill("north\nsouth")
    page.get_by_label("A reward is").select_option("above")
    page.get_by_label("Limit").fill("0,3")
    page.get_by_label("Agent").fill("Uniform+")
    page.get_by_role("button", name="Preview").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_contain_text("2 arms")
    expect(preview).to_contain_text("1 if it is above 0.3, else 0")
    preview.get_by_role("button", name="Begin").click()

    page.get_by_role("button", name="Ask about north").click()
    answer = page.locator("#offer .card.pull")
    expect(answer).to_contain_text("Pull")
    expect(answer).to_contain_text("north")
    assert (drawn(page, "open"), drawn(page, "told")) == (1, 0)
    page.reload()  # in the middle: the answer stands, and nothing is asked again
    expect(answer).to_contain_text("Pull")

    answer.get_by_label("Value measured").fill("0.42")
    answer.get_by_role("button", name="Enter").click()
    expect(answer).to_contain_text("Reward 1")
    assert (drawn(page, "open"), drawn(page, "told")) == (0, 1)

    answer.locator("summary", has_text="Correct").click()
    answer.get_by_label("Value measured").fill("0.1")
    answer.get_by_role("button", name="Enter").click()
    expect(answer).to_contain_text("Reward 0")
    assert drawn(page, "told") == 0
    expect(page.locator("#log")).to_contain_text("reward corrected")

    with Store(local.store) as store:
        kinds = [event.kind for event in Campaign.open(store, "Water works").events()]
    assert kinds == ["create", "ask", "tell", "correct"]


def test_a_wrong_value_is_refused_on_the_page_and_changes_nothing(
    local: Service, windows: Windows
) -> None:
    windows.forgiven = ("422",)
    campaign = begun(local, reward="range 0 5")
    campaign.ask("a", 1)
    page = windows.open()
    page.goto(f"{local.url}/campaigns/{campaign.uid}")
    page.locator("#offer").get_by_label("Value measured").fill("7")
    page.locator("#offer").get_by_role("button", name="Enter").click()
    expect(page.get_by_role("alert")).to_contain_text("Value must lie in [0, 5], got 7")
    assert [event.kind for event in campaign.events()] == ["create", "ask"]
    page.locator("#offer").get_by_label("Value measured").fill("5")
    page.locator("#offer").get_by_role("button", name="Enter").click()
    expect(page.locator("#offer")).to_contain_text("Reward 1")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_lost_found_paused_resumed_closed(local: Service, windows: Windows) -> None:
    campaign = begun(local)
    campaign.ask("a", 1)
    page = windows.open()
    page.goto(f"{local.url}/campaigns/{campaign.uid}")
    offer = page.locator("#offer")
    offer.get_by_role("button", name="never come").click()
    expect(offer).to_contain_text("given up for lost")
    assert drawn(page, "lost") == 1
    offer.locator("summary", has_text="after all").click()
    offer.get_by_role("button", name="yes").click()
    expect(offer).to_contain_text("Reward 1")
    page.get_by_role("button", name="Pause").click()
    expect(offer).to_contain_text("Paused")
    offer.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Ask about b")).to_be_visible()
    page.locator("summary", has_text="Close").click()
    page.get_by_role("button", name="Close for good").click()
    expect(offer).to_contain_text("Closed")
    expect(page.locator("h1")).to_contain_text("closed")
    kinds = [event.kind for event in campaign.events()]
    assert kinds == ["create", "ask", "lost", "found", "pause", "resume", "close"]


def test_a_form_filled_in_from_a_problem_file(
    local: Service, windows: Windows, tmp_path: Path
) -> None:
    file = tmp_path / "water.json"
    problem = {"spnb": "problem", "version": 1, "name": "water", "means": [0.25, 0.5]}
    problem["trials"] = [20, 4]
    file.write_text(
        json.dumps(
            problem | {"arms": ["06:00", "12:00"], "slots": [360, 720], "zone": "Europe/Rome"}
        )
    )
    page = windows.open()
    page.goto(f"{local.url}/new")
    page.locator("summary", has_text="problem file").click()
    page.get_by_label("Problem file").set_input_files(file)
    page.get_by_role("button", name="Fill in").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("water")
    expect(page.get_by_label("Times", exact=True)).to_have_value("06:00,12:00")
    page.get_by_label("Begin with what the file's record says").check()
    page.get_by_label("at most so many rewards").fill("8")
    page.get_by_role("button", name="Preview").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_contain_text("Europe/Rome")
    expect(preview).to_contain_text("waits for every reward")
    expect(preview).to_contain_text("begins with a record of 2 arms, as at most 8 rewards each")
    page.get_by_role("button", name="Begin this campaign").click()
    expect(page.locator("h1")).to_contain_text("water")
    with Store(local.store) as store:
        warm = Campaign.open(store, "water").config.warm
    assert warm == (("06:00", 2.0, 8), ("12:00", 2.0, 4))


def test_sign_in_and_out(local: Service, windows: Windows) -> None:
    windows.forgiven = ("401",)
    campaign, token = begun(local, "mine"), local.token("write")
    page = windows.open()
    here = f"{local.url}/campaigns/{campaign.uid}"
    sign_in(page, here, "spnb_000000000000_wrong")
    expect(page.get_by_role("alert")).to_contain_text("not known here")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(here)
    name = f"spnb_token_{urlsplit(local.url).port}"
    cookie = next(each for each in page.context.cookies() if each.get("name") == name)
    assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")
    page.get_by_role("button", name="Ask about a").click()
    expect(page.locator("#offer")).to_contain_text("Pull")
    assert list(campaign.events())[-1].actor == "a write"
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Token")).to_be_visible()
    page.goto(here)
    expect(page.get_by_label("Token")).to_be_visible()


def test_two_services_on_one_machine_keep_their_sign_ins_apart(
    serve: Callable[[str], Service], local: Service, windows: Windows, tmp_path: Path
) -> None:
    windows.forgiven = ("401",)
    other = serve(f"sqlite:///{tmp_path}/other.db")
    page = windows.open()
    for service in (local, other):
        sign_in(page, service.url, service.token("read"))
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.goto(local.url)
    page.get_by_role("button", name="Sign out").click()
    page.goto(other.url)
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def test_a_reader_sees_and_changes_nothing_and_others_campaigns_are_not_there(
    local: Service, windows: Windows
) -> None:
    windows.forgiven = ("401", "404")
    mine, other = begun(local, "mine"), begun(local, "other")
    mine.ask("a", 1)
    token = local.token("read", campaigns=["mine"])
    page = windows.open()
    sign_in(page, local.url, token)
    expect(page.get_by_role("link", name="mine")).to_be_visible()
    assert page.get_by_text("other").count() == 0
    assert page.get_by_role("link", name="New campaign").count() == 0
    page.goto(f"{local.url}/campaigns/{mine.uid}")
    assert page.locator("main form").count() == 0
    expect(page.locator("#offer")).to_contain_text("still to come")
    page.goto(f"{local.url}/campaigns/{other.uid}")
    expect(page.locator("h1")).to_have_text("Not here")


def test_two_tabs_show_the_same_and_nobody_loses_what_they_type(
    local: Service, windows: Windows
) -> None:
    campaign = begun(local, reward="range 0 5", arms=["a", "b", "c"])
    for arm in ("a", "b", "c"):
        campaign.ask(arm, 1)
    one = windows.open(DESK)
    two = windows.tab(one.context)
    fetched: list[str] = []
    two.on("requestfinished", lambda sent: fetched.append(sent.resource_type))
    for page in (one, two):
        page.goto(f"{local.url}/campaigns/{campaign.uid}")
    typed = two.locator("#waiting").get_by_label("for b in round 1")
    typed.fill("2.5")
    two.wait_for_timeout(500)
    assert "fetch" not in fetched  # nothing is new, so nothing is loaded
    told = one.locator("#waiting")
    told.get_by_label("for a in round 1").fill("5")
    told.get_by_role("button", name="Enter").first.click()
    expect(one.locator("#waiting").get_by_label("for a in round 1")).to_have_count(0)
    expect(two.locator("#log")).to_contain_text("reward told")  # without a reload
    assert drawn(two, "told") == 1
    expect(typed).to_have_value("2.5")
    typed.press("Enter")
    expect(two.locator("#waiting")).to_be_hidden()
    expect(one.locator("#waiting")).to_be_hidden()
    assert [event.reward for event in campaign.events() if event.kind == "tell"] == [1.0, 0.5]


def test_a_revoked_token_ends_on_open_pages(local: Service, windows: Windows) -> None:
    windows.forgiven = ("401",)
    campaign, token = begun(local), local.token("write")
    page = windows.open()
    sign_in(page, f"{local.url}/campaigns/{campaign.uid}", token)
    expect(page.locator("#offer")).to_be_visible()
    with Store(local.store) as store:
        revoke(store, tokens_of(store)[0].id)
    expect(page.get_by_label("Token")).to_be_visible()


class Process:
    """``spnb serve`` as a process that can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.store, self.port = f"sqlite:///{folder}/store.db", free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "spnb", "serve", "--store", self.store]
        self._running = subprocess.Popen([*command, "--port", str(self.port)])
        for _ in range(300):
            try:
                httpx.get(f"{self.url}/readyz").raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError("the service does not start")

    def tell(self, number: int) -> None:
        os.kill(self._running.pid, number)

    def end(self) -> None:
        if self._running.poll() is None:
            self.tell(signal.SIGTERM)
        self._running.wait(60)


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    served = Process(tmp_path)
    served.start()
    yield served
    served.end()


def test_a_lost_connection_is_said_and_comes_back_with_the_news(
    process: Process, windows: Windows
) -> None:
    windows.forgiven = ("ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY_RESPONSE")
    with Store(process.store) as store:
        campaign = Campaign.create(store, "c", arms=["a", "b"], agent="Uniform+", reward="binary")
        page = windows.open()
        page.goto(f"{process.url}/campaigns/{campaign.uid}")
        expect(page.get_by_role("button", name="Ask about a")).to_be_visible()
        process.end()
        expect(page.locator("#connection")).to_contain_text("Connection lost")
        campaign.ask("a", 1)
        process.start()
        expect(page.locator("#connection")).to_be_empty(timeout=15_000)
        expect(page.locator("#offer")).to_contain_text("Pull")
        campaign.tell(reward=1)
        expect(page.locator("#offer")).to_contain_text("Reward 1")


def test_a_stream_ends_in_good_order_when_the_service_stops(process: Process) -> None:
    with Store(process.store) as store:
        uid = Campaign.create(store, "c", arms=["a"]).uid
    address = f"{process.url}/campaigns/{uid}/stream"
    with httpx.stream("GET", address, timeout=60) as stream:
        lines = stream.iter_lines()
        assert next(lines) == "data: 1"
        process.tell(signal.SIGTERM)
        assert set(lines) <= {"", "data: 1"}  # one that is cut off raises
    process.end()
