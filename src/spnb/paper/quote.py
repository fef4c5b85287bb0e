"""Put the figures of a run into the pages that quote them.

``python -m spnb.paper.quote FOLDER PAGE...`` fills, in each page, what stands between
``<!-- reproduced: NAME -->`` and ``<!-- end -->`` with the block of that name of the run in FOLDER.
"""

import json
import sys
from pathlib import Path

from spnb.base.files import write_text
from spnb.paper.markdown import quoted


def main(folder: str, *pages: str) -> None:
    found = json.loads((Path(folder) / "quotes.json").read_text(encoding="utf-8"))
    for page in map(Path, pages):
        write_text(page, quoted(page.read_text(encoding="utf-8"), found))


if __name__ == "__main__":
    main(*sys.argv[1:])
