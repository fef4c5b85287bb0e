"""Run the scripts of this folder as notebooks and keep what they show: ``make notebooks``.

The same script gives the same file, whenever and wherever it is run: what differs from one run to
the next (times, random names of cells) is left out.
"""

import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def made(script: Path) -> Any:
    """The notebook of a script, not yet run."""
    notebook = jupytext.read(script)
    notebook.metadata = nbformat.from_dict(METADATA)
    for number, cell in enumerate(notebook.cells, 1):
        cell.id, cell.metadata = f"cell-{number}", nbformat.from_dict({})
    return notebook


def run(notebook: Any) -> None:
    """Run all cells; the first that fails ends it."""
    client = NotebookClient(
        notebook, timeout=120, kernel_name="python3", record_timing=False, resources={}
    )
    client.execute()
    notebook.metadata = nbformat.from_dict(METADATA)


def main() -> None:
    wanted = [Path(name) for name in sys.argv[1:]]
    for script in wanted or sorted(set(FOLDER.glob("*.py")) - {Path(__file__)}):
        notebook = made(script)
        run(notebook)
        nbformat.validate(notebook)
        nbformat.write(notebook, script.with_suffix(".ipynb"))


if __name__ == "__main__":
    main()
