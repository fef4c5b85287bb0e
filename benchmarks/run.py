"""The command: measure, print two tables, write JSON."""

import argparse
import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import costs as other_costs
from benchmarks import limit, speed
from benchmarks.rivals import RIVALS
from benchmarks.speed import LIMIT, SPNB, Row
from benchmarks.targets import Target, check
from benchmarks.timing import FULL, QUICK


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0 whether or not the targets are met: a busy machine is not an error."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.json is not None:
        try:  # now, not after minutes of measuring
            options.json.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            parser.error(f"cannot write {options.json}: {error.strerror}")
    console, effort = Console(), QUICK if options.quick else FULL
    notes = Console(stderr=True)
    with notes.status("measuring") as status:
        rows = speed.measure(effort, limit.load(), lambda text: status.update(f"speed, {text}"))
        status.update("workers, memory, import")
        costs = other_costs.measure(effort)
    targets = check(rows, costs)
    console.print(speed_table(rows))
    console.print(target_table(targets))
    console.print(
        f"import numpy {costs.import_numpy:.3f} s; one worker {costs.workers.one:.1f} s, "
        f"two {costs.workers.two:.1f} s; load average {os.getloadavg()[0]:.1f}"
    )
    if options.json is not None:
        answer = machine() | {
            "quick": options.quick,
            "rows": [row.to_dict() for row in rows],
            "targets": [target.to_dict() for target in targets],
            "costs": costs.to_dict(),
        }
        options.json.write_text(json.dumps(answer, indent=2) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time per pull of spnb, of other libraries and of a loop in C.",
    )
    parser.add_argument("--quick", action="store_true", help="a rough look")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    return parser


def speed_table(rows: Sequence[Row]) -> Table:
    """A line per policy and number of arms; a dash where nobody has the policy."""
    table = Table(title="CPU microseconds per pull, one core")
    table.add_column("policy")
    heads = ("arms", "spnb", *RIVALS, "rival / spnb", "C", "spnb / C")
    for head in heads:
        table.add_column(head, justify="right")
    for at, row in enumerate(rows):
        last = at + 1 == len(rows) or rows[at + 1].size != row.size
        table.add_row(
            row.policy,
            f"{row.size.arms:,}",
            _us(row.us.get(SPNB)),
            *(_us(row.us.get(name)) for name in RIVALS),
            _ratio(row.over_rivals),
            _us(row.us.get(LIMIT)),
            _ratio(row.over_limit),
            end_section=last,
        )
    return table


def target_table(targets: Sequence[Target]) -> Table:
    table = Table(title="Targets")
    table.add_column("claim")
    table.add_column("target", justify="right")
    table.add_column("measured", justify="right")
    table.add_column("met")
    words = {True: "yes", False: "[bold red]no[/]", None: "not measured"}
    for target in targets:
        measured = "-" if target.measured is None else f"{target.measured:.3g}{target.unit}"
        table.add_row(
            target.claim, f"{target.sense} {target.limit:g}{target.unit}", measured,
            words[target.met],
        )  # fmt: skip
    return table


def _us(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}x"


def machine() -> dict[str, Any]:
    """Where and with what the figures were taken."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "versions": {name: _version(name) for name in ("spnb", "numpy", "scipy", *RIVALS)},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
