"""Text in other encodings than UTF-8, copied before it is read.

Arrow would call Python's codecs from threads of its own; after an error these make the program hang
or abort.
"""

import codecs
import gzip
import tempfile
import zlib
from pathlib import Path
from typing import IO, Any

from spnb.base.errors import DataError

_BLOCK = 1 << 20
MOST_COPIED = 1 << 32  # bytes


def utf8_copy(path: Path, encoding: str, *, zipped: bool) -> "IO[bytes]":
    """The text in UTF-8, unpacked, in a file that is gone when it is closed."""
    copy: Any = tempfile.NamedTemporaryFile(prefix="spnb-", suffix=".csv")  # noqa: SIM115
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with gzip.open(path, "rb") if zipped else path.open("rb") as raw:
            while block := raw.read(_BLOCK):
                copy.write(decoder.decode(block).encode())
                if copy.tell() > MOST_COPIED:
                    raise DataError(f"{path} is too large: convert it to UTF-8 first")
        copy.write(decoder.decode(b"", final=True).encode())
        copy.flush()
    except UnicodeError:
        raise DataError(f"{path} is not text in {encoding}: name another --encoding") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot read {path}: {error}") from error
    return copy
