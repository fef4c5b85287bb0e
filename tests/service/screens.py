"""Draw the dashboard for the README: ``python tests/service/screens.py docs/images/dashboard.png``.

The campaign, its seed and the time of day are fixed, so the picture changes only when pages do.
"""

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from service.browser import ARGUMENTS, CHROMIUM
from service.conftest import Running
from service.season import at, season

NOON = datetime(2026, 6, 14, 12, 20, tzinfo=UTC)
HIGH, DESK, PHONE = 1010, 1280, 390


def main(target: Path) -> None:
    """A desk in the light and a phone in the dark, side by side."""
    with tempfile.TemporaryDirectory() as folder, at(NOON):
        url = f"sqlite:///{folder}/season.db"
        uid = season(url, NOON)["running"]
        running = Running(url)
        try:
            draw(f"{running.service.url}/campaigns/{uid}", Path(folder))
        finally:
            running.stop()
        whole = Image.new("RGB", (DESK + 16 + PHONE, HIGH), "#cfd7e0")
        for name, left in (("desk", 0), ("phone", DESK + 16)):
            whole.paste(Image.open(Path(folder) / f"{name}.png"), (left, 0))
        few = whole.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.save(target, optimize=True)


def draw(address: str, folder: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, wide, scheme in (("desk", DESK, "light"), ("phone", PHONE, "dark")):
            size = {"width": wide, "height": HIGH}
            page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(address)
            page.screenshot(path=folder / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
