"""Columns of a CSV or Parquet file, batch by batch: memory does not grow with the file."""

import codecs
import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from spnb.base import params
from spnb.base.errors import DataError
from spnb.base.extras import need
from spnb.base.words import listed, shown
from spnb.engine.blocks import Progress
from spnb.problems.readers.batch import Batch, Column
from spnb.problems.readers.encoded import utf8_copy
from spnb.problems.readers.fields import misshapen
from spnb.problems.readers.limits import check_file

BLOCK = 1 << 20
SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is written; what is left out is found out from the header.

    With ``,`` between the fields numbers have a decimal point; with any other separator a comma
    inside a number is a decimal comma.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"
    where: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.separator is not None and len(self.separator) != 1:
            params.refuse(self, "separator", "one character")
        if self.decimal is not None:
            params.one_of(self, "decimal", (".", ","))
        try:
            "".encode(self.encoding)
        except (LookupError, ValueError):
            params.refuse(self, "encoding", "one that Python knows, such as 'cp1252'")


class Source:
    """A file with named columns: CSV (plain or gzip) or Parquet, told apart by its first bytes."""

    def __init__(self, path: str | Path, layout: Layout | None = None) -> None:
        need("data")
        self.path, self.layout = Path(path), layout or Layout()
        check_file(self.path)
        self.zipped = False
        start = self._first_bytes()
        self.is_parquet = start[:4] == b"PAR1"
        self.separator = self.layout.separator or ","
        self._file = self.path
        if not self.is_parquet:
            header = self._checked_header(start)
            self.separator = self.layout.separator or max(SEPARATORS, key=header.count)
            if codecs.lookup(self.layout.encoding).name not in ("utf-8", "ascii"):
                self._copy = utf8_copy(self.path, self.layout.encoding, zipped=self.zipped)
                self._file, self.zipped = Path(self._copy.name), False
        self.decimal = self.layout.decimal or ("." if self.separator == "," else ",")
        with self._translated(), self._opened() as raw:
            self.names: tuple[str, ...] = tuple(self._schema(raw))

    def batches(self, names: Sequence[str], progress: Progress | None = None) -> Iterator[Batch]:
        """The columns ``names`` of the rows that the layout's ``where`` lets through."""
        wanted = list(dict.fromkeys([*names, *(name for name, _ in self.layout.where)]))
        for name in wanted:
            self._check_name(name)
        size, row, chosen = float(self._file.stat().st_size), 0, 0
        with self._translated(), self._opened() as raw:
            for batch in self._parquet(wanted) if self.is_parquet else self._csv(raw, wanted):
                columns = dict(zip(wanted, batch.columns, strict=True))
                rows = self._chosen(columns, row, batch.num_rows)
                yield rows
                row, chosen = row + batch.num_rows, chosen + int(rows.chosen.sum())
                if progress is not None:
                    progress(self._done(raw, row, size), size)
        if row == 0:
            raise DataError(f"{self.path} has a header but no rows")
        if chosen == 0:
            asked = " ".join(
                f"--where {shown(f'{name}={text}')}" for name, text in self.layout.where
            )
            raise DataError(f"{self.path} gives nothing: {asked} leaves out all {row} rows")

    def _chosen(self, columns: dict[str, Column], row: int, rows: int) -> Batch:
        import pyarrow as pa
        import pyarrow.compute as pc

        batch = Batch(columns, row, self.path, self.decimal, np.ones(rows, dtype=bool))
        for name, value in self.layout.where:
            # Rows are blanked, not removed: the row numbers of messages stay true.
            match = pc.fill_null(pc.equal(batch.texts(name), value), False)
            blanked = {
                key: pc.if_else(match, column, pa.scalar(None, column.type))
                for key, column in batch.columns.items()
            }
            batch = replace(batch, columns=blanked, chosen=batch.chosen & match.to_numpy(False))
        return batch

    def _opened(self) -> Any:
        """The file, read by Arrow itself.

        It reads ahead in threads of its own, which must not be in Python's code when, after an
        error, the program ends: that would abort it.
        """
        import pyarrow as pa

        return pa.OSFile(str(self._file), "rb")

    def _first_bytes(self) -> bytes:
        with self.path.open("rb") as raw:
            start = raw.read(1 << 16)
            self.zipped = start[:2] == b"\x1f\x8b"
            if self.zipped:
                raw.seek(0)
                try:
                    start = gzip.GzipFile(fileobj=raw).read(1 << 16)
                except (OSError, EOFError, zlib.error) as error:
                    raise DataError(f"{self.path} is damaged: {error}") from error
        if not start.strip():
            raise DataError(f"{self.path} is empty")
        return start

    def _checked_header(self, start: bytes) -> str:
        if b"\0" in start:
            raise DataError(f"{self.path} is not text: CSV (in UTF-8) or Parquet is needed")
        line = start.lstrip().splitlines()[0]
        try:
            return line.decode(self.layout.encoding)
        except UnicodeDecodeError:
            raise DataError(
                f"{self.path} is not text in {self.layout.encoding}: name another --encoding"
            ) from None

    def _schema(self, raw: Any) -> list[str]:
        if self.is_parquet:
            import pyarrow.parquet as pq

            return list(pq.ParquetFile(self.path).schema_arrow.names)
        return list(self._open_csv(raw, None).schema.names)

    def _parquet(self, names: list[str]) -> Iterator[Any]:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as file:
            self.rows = max(file.metadata.num_rows, 1)
            for batch in file.iter_batches(batch_size=1 << 17, columns=names):
                yield batch.select(names)

    def _csv(self, raw: Any, names: list[str]) -> Iterator[Any]:
        yield from self._open_csv(raw, names)

    def _open_csv(self, raw: Any, names: list[str] | None) -> Any:
        import pyarrow as pa
        from pyarrow import csv

        stream = pa.CompressedInputStream(raw, "gzip") if self.zipped else raw
        return csv.open_csv(
            stream,
            read_options=csv.ReadOptions(block_size=BLOCK),
            parse_options=csv.ParseOptions(delimiter=self.separator, newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                include_columns=names, column_types={name: pa.string() for name in names or ()}
            ),
        )

    def _done(self, raw: Any, row: int, size: float) -> float:
        return size * row / self.rows if self.is_parquet else float(raw.tell())

    def _check_name(self, name: str) -> None:
        found = self.names.count(name)
        if found == 0:
            known = listed([shown(each) for each in self.names], most=40)
            raise DataError(f"{self.path} has no column {shown(name)}; it has {known}")
        if found > 1:
            raise DataError(f"{self.path} has {found} columns named {name!r}")

    def misshapen(self) -> str | None:
        """The first row with too many or too few fields, in words."""
        return misshapen(self._file, self.separator, zipped=self.zipped)

    def _translated(self) -> "_Translated":
        return _Translated(self)


@dataclass(frozen=True, slots=True)
class _Translated:
    """What pyarrow says of a file, as one line that names it."""

    source: Source

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        import pyarrow as pa

        if isinstance(error, (pa.ArrowException, OSError, UnicodeDecodeError)):
            why = (str(error).splitlines() or [type(error).__name__])[0][:200]
            if "CSV parse error: Expected" in why:
                why = self.source.misshapen() or why
            raise DataError(f"cannot read {self.source.path}: {why}") from error
