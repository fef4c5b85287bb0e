"""The report in a real browser: it fits a phone, shows every figure and fetches nothing."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from reproduction.tiny import Quiet, Tiny
from spnb.paper.experiments.settings import PARTS
from spnb.paper.reproduce import Job, reproduce

pytestmark = pytest.mark.xdist_group("report")  # what is made once serves one worker

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

# Written into a copy of the page: what a person would see, told in its title.
PROBE = """<script>addEventListener("load", () => {
  const shown = [...document.images, ...document.querySelectorAll("svg")]
    .filter(figure => figure.getBoundingClientRect().width > 100);
  const root = document.documentElement;
  document.title = `probe ${root.scrollWidth} ${root.clientWidth} ${shown.length} `
    + performance.getEntriesByType("resource").filter(e => e.name.startsWith("http")).length;
});</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("browser")
    reproduce(Tiny(seed=5), Job(out, 1), Quiet(), PARTS)
    probed = out / "probed.html"
    text = (out / "report.html").read_text(encoding="utf-8")
    probed.write_text(text.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    return probed


def probe(page: Path, width: int, profile: Path) -> list[int]:
    """Page width, window width, figures shown, addresses fetched."""
    if CHROMIUM is None:
        pytest.skip("no chromium; Debian's package of that name has it")
    done = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-quic", f"--user-data-dir={profile}", f"--window-size={width},900",
            "--virtual-time-budget=5000", "--dump-dom", page.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    told = re.search(r"<title>probe (\d+) (\d+) (\d+) (\d+)</title>", done.stdout)
    assert told, "the page did not load to its end"
    return [int(number) for number in told.groups()]


@pytest.mark.parametrize("width", [500, 1400])
def test_the_page_fits_its_window_shows_its_figures_and_fetches_nothing(
    page: Path, width: int, tmp_path: Path
) -> None:
    page_width, window, figures, fetched = probe(page, width, tmp_path)
    assert page_width <= window, "one has to scroll sideways"
    assert figures >= 10
    assert fetched == 0
