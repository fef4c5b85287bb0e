"""A real browser for the tests of the dashboard, and what it must never do."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic",
]  # fmt: skip
PHONE, DESK = (390, 844), (1280, 900)


@dataclass
class Windows:
    """Opens windows and notes what goes wrong in any of them."""

    browser: Browser
    faults: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)
    forgiven: tuple[str, ...] = ()  # what a test makes go wrong itself

    def open(self, size: tuple[int, int] = PHONE, scheme: str = "light", **given: Any) -> Page:
        """A window of its own, with no cookies from before."""
        size_ = {"width": size[0], "height": size[1]}
        context = self.browser.new_context(viewport=size_, color_scheme=scheme, **given)  # type: ignore[arg-type]
        self.contexts.append(context)
        context.set_default_timeout(8000)
        return self.tab(context)

    def tab(self, context: BrowserContext) -> Page:
        """One more tab of a window."""
        page = context.new_page()
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self._asked(request.url))
        return page

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.type}: {message.text}")

    def _asked(self, url: str) -> None:
        if urlsplit(url).hostname != "127.0.0.1":
            self.faults.append(f"left the machine: {url}")

    def found(self) -> list[str]:
        """What went wrong, but for what was meant to."""
        return [fault for fault in self.faults if not any(word in fault for word in self.forgiven)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium; Debian's package of that name has it")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def windows(browser: Browser) -> Iterator[Windows]:
    """Windows whose consoles must be clean in the end, and which fetch nothing from elsewhere."""
    opened = Windows(browser)
    yield opened
    for context in opened.contexts:
        context.close()
    assert opened.found() == []
