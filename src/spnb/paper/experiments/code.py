"""Which code computed a number: what must be equal for results to be equal."""

import hashlib
import platform
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
# Numbers cannot depend on these: imports go only downwards, and within the paper what is drawn,
# judged and written comes after what is computed.
ABOVE = ("cli", "live", "report", "testing.py")
COMPUTES = ("experiments", "beyond")
TELLS = ("statements", "verdict.py", "answers.py", "quotes.py", "figure.py", "page.py", "run.py")
ARRAYS = ("numpy", "scipy", "numba")


@cache
def code_digest() -> str:
    """A digest of every source file that numbers can depend on, and of the array libraries."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        if _counts(place.parts):
            digest.update(f"{place.as_posix()}\n".encode() + path.read_bytes())
    digest.update("".join(f"{name} {version(name)}," for name in ARRAYS).encode())
    return digest.hexdigest()[:16]


def _counts(parts: tuple[str, ...]) -> bool:
    """Whether numbers can depend on the file of this place."""
    if parts[0] == "paper":
        return parts[1] in COMPUTES and parts[2] not in TELLS
    return parts[0] not in ABOVE


def versions() -> dict[str, str]:
    own = {"spnb": version("spnb"), "python": platform.python_version()}
    return own | {name: version(name) for name in ARRAYS}


def commit() -> str:
    """The commit of the source tree, marked if it was changed since; "none" outside of one."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(PACKAGE), *words], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    try:
        if not git("ls-files", str(PACKAGE / "__init__.py")):
            return "none"  # installed into somebody else's repository
        changed = " with changes" if git("status", "--porcelain", str(PACKAGE)) else ""
        return git("rev-parse", "--short=12", "HEAD") + changed
    except (OSError, subprocess.CalledProcessError):
        return "none"
