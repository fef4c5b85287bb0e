"""What pages look like to a machine: who gets in, what is inert, what breaks no window."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from service.browser import DESK, PHONE, Windows, browser, windows
from service.conftest import Running, Service
from service.season import season

pytestmark = pytest.mark.xdist_group("pages")  # what is made once serves one worker

__all__ = ["browser", "windows"]

RECORD = json.dumps({"spnb": "problem", "version": 1, "arms": ["a"], "means": [0.5], "trials": [4]})
PLACES = [
    "/", "/new", "running", "paused", "finished", "closed", "waiting", "new", "hostile", "many",
    "/sign-in", "/campaigns/0000000000000000",
]  # fmt: skip


@pytest.fixture(scope="module")
def seasoned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, dict[str, str]]]:
    """A service with campaigns in every state; nothing is changed in it."""
    folder = tmp_path_factory.mktemp("season")
    url = f"sqlite:///{folder}/season.db"
    uids = season(url, datetime.now(UTC).replace(second=0, microsecond=0))
    running = Running(url)
    yield running.service, uids
    running.stop()


def address(service: Service, uids: dict[str, str], place: str) -> str:
    path = place if place.startswith("/") else f"/campaigns/{uids[place]}"
    return service.url + path


@pytest.mark.parametrize(
    ("size", "scheme", "ruled"),
    [
        (PHONE, "light", {"/", "/new", "/sign-in", "running", "finished", "waiting", "hostile"}),
        (DESK, "dark", {"/new", "running", "paused", "waiting", "/campaigns/0000000000000000"}),
        (PHONE, "dark", set()),
        (DESK, "light", set()),
    ],
)
def test_every_page_fits_its_window_and_keeps_the_rules(
    seasoned: tuple[Service, dict[str, str]],
    windows: Windows,
    size: tuple[int, int],
    scheme: str,
    ruled: set[str],  # the pages that are held against Axe's rules
) -> None:
    windows.forgiven = ("404",)
    service, uids = seasoned
    page = windows.open(size, scheme)
    for place in PLACES:
        page.goto(address(service, uids, place))
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], place
        if place in ruled:
            # Axe comes in through the debugger: the page itself would let no script in.
            found = Axe().run(page).response["violations"]
            serious = [each for each in found if each["impact"] in ("serious", "critical")]
            assert serious == [], place


def test_what_others_wrote_is_text_and_nothing_else(
    seasoned: tuple[Service, dict[str, str]], windows: Windows
) -> None:
    service, uids = seasoned
    page = windows.open()
    page.goto(address(service, uids, "hostile"))
    expect(page.locator("h1")).to_contain_text('<img src=x onerror=alert(1)> & "quoted"')
    expect(page.locator("#arms")).to_contain_text("<script>alert(2)</script>")
    expect(page.locator("#log")).to_contain_text("<i>eve</i>")
    assert page.locator("main img, main script, main b, main i").count() == 0
    page.goto(service.url)
    expect(page.get_by_role("link", name="<img src=x")).to_be_visible()
    assert page.locator("main img, main script").count() == 0


def test_states_are_told_and_only_what_makes_sense_is_offered(
    seasoned: tuple[Service, dict[str, str]], windows: Windows
) -> None:
    service, uids = seasoned
    page = windows.open()
    page.goto(address(service, uids, "new"))
    expect(page.locator("#head")).to_contain_text("no round yet")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.goto(address(service, uids, "finished"))
    expect(page.locator("#offer")).to_contain_text("best with probability over 0.99")
    assert page.get_by_role("button", name="Pause").count() == 0


def test_the_keyboard_reaches_everything(
    seasoned: tuple[Service, dict[str, str]], windows: Windows
) -> None:
    service, uids = seasoned
    page = windows.open(DESK)
    page.goto(address(service, uids, "new"))
    reached = []
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.innerText.trim()"))
    for wanted in ("Skip to the content", "Campaigns", "Ask about x", "Another arm is on offer"):
        assert wanted in reached
    page.goto(address(service, uids, "new"))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
