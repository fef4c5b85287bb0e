"""A table of rewards: rows of (round, arm, reward), or a wide matrix with a column for each arm."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from spnb.base.errors import DataError
from spnb.base.words import amount
from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.engine.blocks import Progress
from spnb.problems.readers.amounts import Amounts
from spnb.problems.readers.batch import Batch, Column
from spnb.problems.readers.cells import Cells
from spnb.problems.readers.data import ProblemData
from spnb.problems.readers.limits import LONGEST_LABEL, check_cells, check_labels
from spnb.problems.readers.reward import Reward
from spnb.problems.readers.series import default_block
from spnb.problems.readers.source import Layout, Source


def read_long(
    path: str | Path,
    *,
    round_: str,
    arm: str,
    value: str,
    reward: Reward,
    per: str | None = None,
    arms: Sequence[str] = (),
    layout: Layout | None = None,
    block: int | None = None,
    progress: Progress | None = None,
) -> ProblemData:
    """Rows of (round, arm, reward) in any order; several of one cell are averaged.

    Rounds and arms are put in the order of their numbers, or, if they are no numbers, rounds in
    that of the alphabet and arms in that of their first appearance; ``arms`` says another order.
    What has no row is an offer that was not made. With ``per`` a cell is the sum of ``value`` over
    the sum of ``per``.
    """
    rounds, names, amounts = _Names(), _Names(), Amounts(value, per)
    batches = Source(path, layout).batches([round_, arm, *amounts.columns], progress)
    cells, blank = _gather(batches, round_, arm, amounts, rounds, names)
    if not cells.key.size:
        raise DataError(f"{path} gives no reward: {_all_blank(blank)}")
    row_order, column_order = rounds.order(by_appearance=False), names.given_order(arms)
    check_cells(path, len(row_order), len(column_order))
    table = _spread(cells, cells.values("mean"), row_order, column_order)
    amounts.check(table, reward)
    counted = per is not None and reward.as_told and cells.counts()
    shows = _spread(cells, cells.weight, row_order, column_order) if counted else None
    shown = [names.labels()[i] for i in column_order]
    told = [rounds.labels()[i] for i in row_order]
    notes = _blank_note(blank)
    return _finished(path, amounts, shown, table, told, reward, block, notes, shows)


def _gather(
    batches: Iterable[Batch],
    round_: str,
    arm: str,
    amounts: Amounts,
    rounds: "_Names",
    names: "_Names",
) -> tuple[Cells, int]:
    """The cells, and the number of rows that gave none."""
    cells, blank = Cells.none(), 0
    for batch in batches:
        row, row_known = rounds.places(batch, round_)
        column, arm_known = names.places(batch, arm)
        values, weights = amounts.read(batch)
        use = row_known & arm_known & ~np.isnan(values) & ~np.isnan(weights)
        blank += int((batch.chosen & ~use).sum())
        # arms are numbered as they come: a key must not depend on how many there will be
        key = (row[use] << 32) | column[use]
        cells = cells.plus(Cells.of(key, values[use], weights[use], np.zeros_like(key)))
        check_cells(batch.path, cells.key.size, 1)
    return cells, blank


def read_wide(
    path: str | Path,
    *,
    reward: Reward,
    arms: Sequence[str] = (),
    round_: str | None = None,
    layout: Layout | None = None,
    block: int | None = None,
    progress: Progress | None = None,
) -> ProblemData:
    """A row for each round and a column for each arm (all columns but ``round_``, or ``arms``)."""
    source = Source(path, layout)
    names = list(arms) or [name for name in source.names if name != round_]
    parts: list[FloatArray] = []
    labels: list[str | None] = []
    wanted = [*names, *([round_] if round_ else [])]
    rows = 0
    for batch in source.batches(wanted, progress):
        rows += int(batch.chosen.sum())
        check_cells(source.path, rows, len(names))
        parts.append(np.column_stack([batch.numbers(name) for name in names])[batch.chosen])
        if round_:
            labels += batch.texts(round_).filter(_mask(batch.chosen)).to_pylist()
    table = np.concatenate(parts)
    told = [text or f"row {i + 1}" for i, text in enumerate(labels)] or None
    empty = np.isnan(table).all(axis=1)
    if empty.all():
        raise DataError(f"{source.path} gives no reward: {_all_blank(len(table))}")
    kept = None if told is None else [told[i] for i in np.flatnonzero(~empty)]
    amounts, notes = Amounts("rewards", None), _blank_note(int(empty.sum()))
    return _finished(path, amounts, names, table[~empty], kept, reward, block, notes)


def _all_blank(rows: int) -> str:
    return "its only row is blank" if rows == 1 else f"all {rows} rows are blank"


def _blank_note(rows: int) -> list[str]:
    return [f"{amount(rows, 'blank row')} left out"] if rows else []


def _finished(
    path: str | Path,
    amounts: Amounts,
    arms: list[str],
    table: FloatArray,
    rounds: list[str] | None,
    reward: Reward,
    block: int | None,
    notes: list[str],
    shows: FloatArray | None = None,
) -> ProblemData:
    seen = np.flatnonzero(~np.isnan(table).all(axis=0))
    if len(seen) < 2:
        only = ", ".join(arms[i] for i in seen)
        raise DataError(f"nothing to choose between: the arms with rewards are: {only}")
    if len(seen) < len(arms):
        notes.append(f"left out for want of any reward: {amount(len(arms) - len(seen), 'arm')}")
    table = table[:, seen]
    notes += [] if amounts.per else reward.doubts(table)
    gaps = int(np.isnan(table).sum())
    if gaps:
        notes.append(f"absent offers: {gaps} of {table.size}")
    return ProblemData(
        name=f"{amounts.name} in {Path(path).name}",
        arms=tuple(arms[i] for i in seen),
        table=reward.of(table),
        rounds=None if rounds is None else tuple(rounds),
        block=default_block(len(table)) if block is None else block,
        notes=tuple(notes),
        shows=None if shows is None else shows[:, seen],
        reward=reward.rule(table),
    )


class _Names:
    """Labels numbered in the order of their first appearance."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}

    def places(self, batch: Batch, name: str) -> tuple[IntArray, BoolArray]:
        """The number of every label of a column, and which cells have one."""
        import pyarrow.compute as pc

        texts = batch.texts(name)
        too_long = pc.fill_null(pc.greater(pc.utf8_length(texts), LONGEST_LABEL), False)
        batch.refuse(
            too_long.to_numpy(False), name, f"a label of {LONGEST_LABEL} characters at most"
        )
        coded = texts.dictionary_encode()
        known: BoolArray = np.asarray(coded.is_valid().to_numpy(False))
        # Arrow lists the words of a dictionary in the order of their first appearance
        own = [
            self.number.setdefault(text, len(self.number)) for text in coded.dictionary.to_pylist()
        ]
        check_labels(batch.path, self.number)
        index = coded.indices.fill_null(0).to_numpy(False)
        return np.array([*own, 0], dtype=np.int64)[index], known

    def labels(self) -> list[str]:
        return list(self.number)

    def order(self, by_appearance: bool) -> list[int]:
        labels = self.labels()
        try:
            numbers = [float(label) for label in labels]
        except ValueError:
            numbers = []
        if numbers:
            return sorted(range(len(labels)), key=numbers.__getitem__)
        return (
            list(range(len(labels)))
            if by_appearance
            else sorted(range(len(labels)), key=labels.__getitem__)
        )

    def given_order(self, arms: Sequence[str]) -> list[int]:
        if not arms:
            return self.order(by_appearance=True)
        for arm in arms:
            if arm not in self.number:
                raise DataError(f"no row has the arm {arm!r}")
        return [self.number[arm] for arm in arms]


def _spread(cells: Cells, values: FloatArray, rows: list[int], columns: list[int]) -> FloatArray:
    """Cells as a table whose rows and columns are in the given order; other arms are left out."""
    row_place = np.empty(len(rows), dtype=np.intp)
    row_place[rows] = np.arange(len(rows))
    column_place = np.full(max(columns) + 1, -1)
    column_place[columns] = np.arange(len(columns))
    arm = cells.key & 0xFFFFFFFF
    use = arm <= max(columns)
    use[use] = column_place[arm[use]] >= 0
    table = np.full((len(rows), len(columns)), np.nan)
    table[row_place[cells.key[use] >> 32], column_place[arm[use]]] = values[use]
    return table


def _mask(chosen: BoolArray) -> Column:
    import pyarrow as pa

    return pa.array(chosen)
