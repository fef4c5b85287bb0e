"""A problem made from data, and the small JSON file that holds it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from spnb.base import params
from spnb.base.errors import DataError, SpecError
from spnb.base.files import write_text
from spnb.base.words import amount, printable
from spnb.engine.arrays import FloatArray
from spnb.problems import Bernoulli, Estimated, Recorded
from spnb.problems.base import checked_means
from spnb.problems.readers.limits import MOST_BYTES, check_size
from spnb.problems.stationary import KnownMeans

VERSION = 1
KNOWN = {
    "spnb", "version", "name", "arms", "slots", "zone", "reward", "table", "shows", "rounds",
    "means", "trials", "block", "notes",
}  # fmt: skip

Replay = Literal["repeat", "resample", "worlds", "bernoulli"]
REPLAYS: tuple[str, ...] = get_args(Replay)


@dataclass(frozen=True, eq=False)
class ProblemData:
    """Arms with their labels, and either a table of rewards [rounds, arms] or means.

    A nan in the table is an offer that was not made. ``trials`` says how many events each mean
    was counted over, and ``shows`` how many each cell of the table was: its rewards are counts
    then (clicks of impressions). ``block`` is the number of consecutive rounds that resampling
    keeps together.

    Where arms are times of day, ``slots`` has their minutes and ``zone`` whose clock; ``reward``
    is the rule that made readings rewards (``above 0.3``). A campaign begins with these.
    """

    name: str
    arms: tuple[str, ...]
    table: FloatArray | None = None
    rounds: tuple[str, ...] | None = None
    means: tuple[float, ...] = ()
    trials: tuple[int, ...] | None = None
    block: int = 1
    notes: tuple[str, ...] = ()
    shows: FloatArray | None = None
    slots: tuple[int, ...] | None = None
    zone: str | None = None
    reward: str | None = None

    def __post_init__(self) -> None:
        params.whole(self, "block", least=1)
        # Whatever a file says ends up on a terminal or a page some day.
        object.__setattr__(self, "name", printable(self.name))
        for names in ("arms", "notes"):
            object.__setattr__(self, names, tuple(map(printable, getattr(self, names))))
        for names in ("rounds", "trials", "slots"):
            if isinstance(getattr(self, names), list | np.ndarray):
                object.__setattr__(self, names, tuple(getattr(self, names)))
        if (self.table is None) == (not self.means):
            raise DataError("a problem has either a table of rewards or means")
        if self.table is None:
            if self.shows is not None:
                raise DataError("shows go with a table of rewards")
            object.__setattr__(self, "means", checked_means(self.means))
            width = len(self.means)
        else:
            record = Recorded(self.table, shows=self.shows)
            object.__setattr__(self, "table", record.table)
            object.__setattr__(self, "shows", record.shows)
            object.__setattr__(self, "means", record.means)
            width = record.arms
        if len(self.arms) != width or len(set(self.arms)) != width:
            raise DataError(f"{width} arms need as many different labels, got {list(self.arms)}")
        if self.rounds is not None and (self.table is None or len(self.rounds) != len(self.table)):
            raise DataError(
                f"there are {len(self.rounds)} labels of rounds, but not as many rounds"
            )
        if self.trials is not None:
            Estimated(self.means, self.trials)
        self._check_clock()

    def __repr__(self) -> str:
        rounds = "" if self.table is None else f", {amount(len(self.table), 'round')}"
        best = int(np.argmax(self.means))
        return (
            f"<ProblemData {self.name!r}: {len(self.arms)} arms{rounds}, "
            f"best {self.arms[best]!r}, mean {self.means[best]:.4g}>"
        )

    def _repr_html_(self) -> str:
        """A table of its arms, for a notebook."""
        from spnb.report.profile import data_table

        return data_table(self).html()

    def _check_clock(self) -> None:
        day = range(24 * 60)
        slots = self.slots
        if slots is not None and (
            len(slots) != len(self.arms)
            or not all(type(slot) is int and slot in day for slot in slots)
            or list(slots) != sorted(set(slots))
        ):
            raise DataError(
                f"slots must be a minute of the day for each of {len(self.arms)} arms, in order, "
                f"got {_cut(slots)}"
            )
        for name in ("zone", "reward"):
            text = getattr(self, name)
            if text is not None and not (isinstance(text, str) and text.isprintable()):
                raise DataError(f"{name} must be a text, got {_cut(text)}")

    def seen(self) -> tuple[int, ...] | None:
        """How many rewards the mean of each arm stands for; None if nobody knows."""
        if self.table is None:
            return self.trials
        offered = ~np.isnan(self.table)
        counts = offered if self.shows is None else np.where(offered, self.shows, 0)
        return tuple(int(count) for count in counts.sum(axis=0))

    def problem(self, replay: str | None = None) -> KnownMeans:
        """The problem to simulate: by default the record repeated, or Bernoulli arms."""
        chosen = replay or ("bernoulli" if self.table is None else "repeat")
        if chosen not in REPLAYS:
            raise SpecError(f"replay must be one of {', '.join(REPLAYS)}, got {chosen!r}")
        if chosen == "bernoulli":
            return Bernoulli(self.means)
        if self.table is not None:
            return Recorded(self.table, chosen, self.block, self.shows)  # type: ignore[arg-type]
        if chosen == "worlds" and self.trials is not None:
            return Estimated(self.means, self.trials)
        raise DataError(f"replay {chosen!r} needs a recorded table; {self.name!r} has only means")

    def replay_note(self, replay: str | None, rounds: int) -> str | None:
        """What replaying this for so many rounds really means, in one line."""
        if self.table is None or replay == "bernoulli":
            return None
        days = len(self.table)
        blocks = f"in blocks of {self.block}" if self.block > 1 else "one by one"
        if replay == "resample":
            return f"every round replays one of {amount(days, 'recorded round')}, drawn {blocks}"
        if replay == "worlds":
            own = amount(days, "round")
            return f"every run has its own record: {own} drawn {blocks} from those recorded"
        if rounds <= days:
            return None
        return (
            f"the record of {amount(days, 'round')} is repeated {rounds / days:.3g} times over, "
            "the same in every run; --replay resample draws its rounds anew"
        )

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {"spnb": "problem", "version": VERSION, "name": self.name}
        data["arms"] = list(self.arms)
        clock = {"slots": self.slots, "zone": self.zone, "reward": self.reward}
        data |= {key: value for key, value in clock.items() if value is not None}
        if self.table is None:
            data["means"] = list(self.means)
            if self.trials is not None:
                data["trials"] = list(self.trials)
        else:
            for key, grid in (("table", self.table), ("shows", self.shows)):
                if grid is not None:
                    data[key] = [[_short(value) for value in row] for row in grid.tolist()]
            if self.rounds is not None:
                data["rounds"] = list(self.rounds)
            data["block"] = self.block
        data["notes"] = list(self.notes)
        return data

    def save(self, path: str | Path) -> None:
        """Write the problem file, whole or not at all; a line for each round."""
        data = self.to_dict()
        parts = [f"  {json.dumps(key)}: {_text(key, value)}" for key, value in data.items()]
        text = "{\n" + ",\n".join(parts) + "\n}\n"
        if len(text) > MOST_BYTES:
            raise DataError(
                f"{path} would have {len(text)} bytes, at most {MOST_BYTES} can be read"
            )
        write_text(Path(path), text)

    @classmethod
    def load(cls, path: str | Path) -> "ProblemData":
        """Read a problem file."""
        check_size(Path(path))
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise DataError(f"cannot read {path}: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path} is not JSON: {error}") from None
        try:
            return cls.from_dict(data)
        except (DataError, SpecError) as error:
            raise DataError(f"{path}: {error}") from error

    @classmethod
    def from_dict(cls, data: Any) -> "ProblemData":
        if not isinstance(data, dict) or data.get("spnb") != "problem":
            raise DataError('this is no problem file: it lacks "spnb": "problem"')
        if data.get("version") != VERSION:
            raise DataError(f"version must be {VERSION}, got {data.get('version')!r}")
        unknown = sorted(set(data) - KNOWN)
        if unknown:
            raise DataError(
                f"unknown field {unknown[0]!r}; a problem has {', '.join(sorted(KNOWN))}"
            )
        if "arms" not in data:
            raise DataError("arms is missing: the labels of the arms in their order")
        rounds = _labels(data, "rounds") if "rounds" in data else None
        return cls(
            name=str(data.get("name", "problem")),
            arms=_labels(data, "arms"),
            table=_table(data["table"]) if "table" in data else None,
            rounds=rounds,
            means=checked_means(data["means"]) if "means" in data else (),
            trials=_trials(data["trials"]) if "trials" in data else None,
            block=data.get("block", 1),
            notes=_labels(data, "notes") if "notes" in data else (),
            shows=_table(data["shows"]) if "shows" in data else None,
            slots=_slots(data["slots"]) if "slots" in data else None,
            zone=data.get("zone"),
            reward=data.get("reward"),
        )


def _short(value: float) -> float | int | None:
    """A number as JSON: null for nan, and no needless digits for a whole one."""
    if np.isnan(value):
        return None
    return int(value) if value % 1 == 0 else value


def _text(key: str, value: Any) -> str:
    if key not in ("table", "shows"):
        return json.dumps(value, allow_nan=False)
    return "[\n" + ",\n".join(f"    {json.dumps(row, allow_nan=False)}" for row in value) + "\n  ]"


def _labels(data: dict[str, Any], key: str) -> tuple[str, ...]:
    value = data[key]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise DataError(f"{key} must be a list of texts, got {_cut(value)}")
    return tuple(value)


def _trials(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(item) is int for item in value):
        raise DataError(f"trials must be a list of whole numbers, got {_cut(value)}")
    return tuple(value)


def _slots(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise DataError(f"slots must be a list of minutes, got {_cut(value)}")
    return tuple(value)


def _table(value: Any) -> FloatArray:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise DataError(f"table must be a list of rows, got {_cut(value)}")
    width = len(value[0]) if value else 0
    for number, row in enumerate(value):
        if len(row) != width:
            raise DataError(
                f"row {number} of the table has {len(row)} cells, the first has {width}"
            )
        for cell in row:
            if not (cell is None or (type(cell) in (int, float) and np.isfinite(cell))):
                raise DataError(f"row {number} of the table: {cell!r} is neither number nor null")
    return np.array([[np.nan if cell is None else cell for cell in row] for row in value])


def _cut(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
