"""What an installation weighs: ``python -m benchmarks.install`` prints it for every extra.

Sizes are those of the files that the packages of this environment list as theirs, so it wants an
environment with all extras, as ``make`` sets one up.
"""

from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

EXTRAS = (
    "", "plot", "data", "pandas", "polars", "live", "postgres", "client", "service", "cluster",
    "gym", "all",
)  # fmt: skip


def brought(name: str, extra: str) -> set[str]:
    """The packages that come with this one and its extra."""
    found: set[tuple[str, str]] = set()
    todo = [(name, extra), (name, "")]
    while todo:
        at = todo.pop()
        if at in found:
            continue
        found.add(at)
        for line in distribution(at[0]).requires or []:
            wanted = Requirement(line)
            if wanted.marker is None or wanted.marker.evaluate({"extra": at[1]}):
                todo += [(wanted.name, more) for more in ("", *wanted.extras)]
    return {package for package, _ in found}


def megabytes(packages: set[str]) -> float:
    files = [file for package in packages for file in distribution(package).files or []]
    places = [Path(file.locate()) for file in files]
    sizes = [place.stat().st_size for place in places if place.is_file()]
    return sum(sizes) / 1e6


def main() -> None:
    print("| install | packages | MB |\n| --- | --: | --: |")
    for extra in EXTRAS:
        packages = brought("spnb", extra)
        name = f"spnb[{extra}]" if extra else "spnb"
        print(f"| `{name}` | {len(packages)} | {megabytes(packages):.0f} |")


if __name__ == "__main__":
    main()
