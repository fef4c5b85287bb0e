"""The wheel without extras, in an environment that holds the core's own packages and no more."""

import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import spnb
from spnb.base.extras import EXTRAS

pytestmark = pytest.mark.xdist_group("install")  # what is made once serves one worker

ROOT = Path(__file__).parents[2]
SITE = Path(sysconfig.get_path("purelib"))


def packages(name: str, seen: set[str]) -> Iterator[str]:
    """The packages that this one asks for, without extras, and all that they ask for."""
    for line in distribution(name).requires or []:
        wanted = Requirement(line)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        if wanted.name not in seen:
            seen.add(wanted.name)
            yield wanted.name
            yield from packages(wanted.name, seen)


def link(name: str, site: Path) -> None:
    """Put an installed package into another environment."""
    files = distribution(name).files or []
    for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
        if not (site / top).exists():
            (site / top).symlink_to(SITE / top)


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of such an environment."""
    place = tmp_path_factory.mktemp("install")

    def run(*words: str | Path) -> None:
        subprocess.run([sys.executable, "-m", *words], check=True, capture_output=True, cwd=ROOT)

    run("hatchling", "build", "-t", "wheel", "-d", place)
    (wheel,) = place.glob("spnb-*.whl")
    home = place / "venv"
    run("venv", "--without-pip", home)
    run("pip", "--python", home / "bin" / "python", "install", "--no-deps", "--no-index", wheel)
    (site,) = home.glob("lib/python*/site-packages")
    for name in packages("spnb", set()):
        link(name, site)
    return home / "bin"


def call(core: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [core / "spnb", *words], capture_output=True, text=True, check=False, cwd=core
    )


def test_it_simulates(core: Path) -> None:
    done = call(core, "simulate", "--arms", "3", "--rounds", "20", "--runs", "5", "--seed", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Seq(TS)" in done.stdout


def test_help_names_the_extras_of_what_is_not_there(core: Path) -> None:
    said = call(core, "--help").stdout
    assert "campaign   Not installed here: pip install 'spnb[live]'" in said
    assert "serve      Not installed here: pip install 'spnb[service]'" in said


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["ask", "water", "--arm", "x"], "live"),
        (["campaign", "new", "water", "--arms", "a,b"], "live"),
        (["serve"], "service"),
        (["simulate", "--arms", "3", "--plot", "a.png"], "plot"),
        (["reproduce", "rm"], "plot"),
        (["problem", "table", "a.csv"], "data"),
    ],
)
def test_a_missing_extra_is_one_line_with_the_command(
    core: Path, words: list[str], extra: str
) -> None:
    done = call(core, *words)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"not installed here: pip install 'spnb[{extra}]'")


def test_the_library_says_the_same(core: Path) -> None:
    code = (
        "import spnb\n"
        "for name in ('Campaign', 'Client'):\n"
        "    try: getattr(spnb, name)\n"
        "    except ImportError as error: print(error)"
    )
    done = subprocess.run([core / "python", "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'spnb[live]'" in done.stdout
    assert "pip install 'spnb[client]'" in done.stdout


def test_every_extra_that_a_message_names_can_be_installed() -> None:
    offered = distribution("spnb").metadata.get_all("Provides-Extra") or []
    assert set(EXTRAS) <= set(offered)


def test_the_index_shows_a_page_whose_links_lead_somewhere(core: Path) -> None:
    (wheel,) = core.parents[1].glob("spnb-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        shown = archive.read(name).decode()
    links = re.findall(r"\]\(([^)]*)\)", shown)
    inside = [
        re.fullmatch(r"https://.*/spnb/spnb/(?:blob/)?main/([^#]*)(#.*)?", to) for to in links
    ]
    assert len(links) > 20
    assert [to for to in links if not to.startswith("https://")] == []
    assert all((ROOT / found[1]).exists() for found in inside if found)


def test_the_citation_names_this_version() -> None:
    assert f"\nversion: {spnb.__version__}\n" in (ROOT / "CITATION.cff").read_text()
