"""A fleet spread over a Dask cluster: each worker keeps the campaigns of a range of ids."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spnb.bandits.agents import Agent
from spnb.bandits.policies import Policy
from spnb.bandits.spec import agent as parse_agent
from spnb.base.errors import DataError, SpecError, SpnbError
from spnb.base.files import write_text
from spnb.base.words import said
from spnb.engine.arrays import BoolArray, IntArray
from spnb.engine.dice import checked_seed
from spnb.live.fleet import Fleet
from spnb.live.fleet_checks import checked_ids, checked_offered, paid, refuse_closed, rows_of

LIST = "parts.json"  # written last: a folder that has it is whole
PATIENCE = 2  # seconds without an answer, after which it is looked whether the worker is there
GONE = "a worker is gone, and the campaigns it kept: load what was saved last"


class Part:
    """The campaigns that one worker keeps, for as long as it lives."""

    def __init__(self, make: Callable[..., Fleet], *args: Any, **told: Any) -> None:
        self.fleet, self.heard = make(*args, **told), 0

    @property
    def nbytes(self) -> int:
        return self.fleet.nbytes

    def hear(self, number: int, what: str, told: dict[str, Any]) -> Any:
        """Do what the whole fleet does; ``number`` counts what it has done before."""
        if number != self.heard:  # Dask makes anew what was lost: a fleet that knows nothing
            raise DataError(GONE)
        self.heard += 1
        return getattr(self.fleet, what)(**told)


class SpreadFleet:
    """The campaigns of a ``Fleet`` in parts, one for each worker; they take the same decisions.

    ``client`` is a ``distributed.Client``. What a lost worker kept is lost with it, back to what
    was saved.
    """

    def __init__(
        self,
        client: Any,
        agent: str | Agent | Policy,
        arms: int,
        size: int | range,
        *,
        horizon: int | None = None,
        seed: int | None = None,
        hardness: float | None = None,
    ) -> None:
        chosen, spans = parse_agent(agent), _cut(checked_ids(size), len(_workers(client)))
        told = {"horizon": horizon, "seed": checked_seed(seed), "hardness": hardness}
        self._last = -1  # the arm offered last, of this round
        self._hire(client, spans, lambda span: (Fleet, chosen, arms, span), told)

    def _hire(
        self, client: Any, spans: list[range], make: Callable[[range], Any], told: dict[str, Any]
    ) -> None:
        """Let every span be kept by a worker."""
        workers = _workers(client)
        self._homes = [workers[number % len(workers)] for number in range(len(spans))]
        self._held = [
            client.submit(Part, *make(span), **told, actor=True, workers=home)
            for span, home in zip(spans, self._homes, strict=True)
        ]
        self.ids, self._spans = range(spans[0].start, spans[-1].stop), spans
        self._client, self._done = client, 0
        with client.as_current():
            self._parts = [self._answer(future) for future in self._held]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def nbytes(self) -> int:
        """Memory that the campaigns take, on all workers."""
        with self._client.as_current():
            return sum(part.nbytes for part in self._parts)

    def wants(self, arm: int, offered: ArrayLike | None = None) -> IntArray:
        """As ``Fleet.wants``."""
        told: list[dict[str, Any]] = [{"arm": arm} for _ in self._parts]
        if offered is not None:
            mask, everybody = checked_offered(offered, len(self)), np.array(self.ids)
            for each, own in zip(told, self._owned(everybody), strict=True):
                each["offered"] = mask[own]
        ids = np.concatenate(self._all("wants", told))
        self._last = int(arm)
        return ids

    def observe(
        self, ids: ArrayLike, rewards: ArrayLike, *, arm: int | None = None, trials: ArrayLike = 1
    ) -> None:
        """As ``Fleet.observe``."""
        given, place = rows_of(ids, self.ids) + self.ids.start, self._arm_or_last(arm)
        sums, of = paid(given, rewards, trials)
        self._refuse_closed(given, place)
        self._tell("observe", place, ids=given, rewards=sums, trials=of)

    def lost(self, ids: ArrayLike, *, arm: int | None = None) -> None:
        """As ``Fleet.lost``."""
        given, place = rows_of(ids, self.ids) + self.ids.start, self._arm_or_last(arm)
        self._refuse_closed(given, place)
        self._tell("lost", place, ids=given)

    def found(self, ids: ArrayLike, rewards: ArrayLike, *, arm: int, trials: ArrayLike = 1) -> None:
        """As ``Fleet.found``."""
        given = rows_of(ids, self.ids) + self.ids.start
        sums, of = paid(given, rewards, trials)
        self._tell("found", arm, ids=given, rewards=sums, trials=of)

    def next_round(self) -> None:
        """As ``Fleet.next_round``."""
        self._all("next_round", [{} for _ in self._parts])
        self._last = -1

    def save(self, folder: str | Path) -> None:
        """Write every part into a new folder that all workers see."""
        place = Path(folder).absolute()
        try:
            place.mkdir()
        except OSError as error:
            raise DataError(f"cannot write {place}: {error.strerror}") from None
        self._all("save", [{"path": _file(place, span)} for span in self._spans])
        spans = [[span.start, span.stop] for span in self._spans]
        write_text(place / LIST, json.dumps({"ids": spans, "last": self._last}))

    @classmethod
    def load(cls, client: Any, folder: str | Path) -> "SpreadFleet":
        """The fleet that ``save`` wrote, its parts kept by the workers of this cluster."""
        place, fleet = Path(folder).absolute(), cls.__new__(cls)
        try:
            listed = json.loads((place / LIST).read_text("utf-8"))
            spans, fleet._last = [range(*ends) for ends in listed["ids"]], int(listed["last"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise DataError(f"{place} has no fleet, or not all of one: {said(error)}") from None
        fleet._hire(client, spans, lambda span: (Fleet.load, _file(place, span)), {})
        return fleet

    def _arm_or_last(self, arm: int | None) -> int:
        if arm is None and self._last < 0:
            raise SpecError("no arm was offered in this round yet: say whose rewards these are")
        return self._last if arm is None else arm

    def _refuse_closed(self, ids: IntArray, arm: int) -> None:
        """Ask all parts before any of them learns: all is learnt or nothing."""
        waiting = np.ones(len(ids), dtype=bool)
        for own, answer in zip(self._owned(ids), self._tell("waiting", arm, ids=ids), strict=True):
            waiting[own] = answer
        refuse_closed(ids, waiting, arm)

    def _tell(self, what: str, arm: int, ids: IntArray, **more: Any) -> list[Any]:
        """Let every part have what is its own."""
        named = {"ids": ids, **more}
        told = [{name: each[own] for name, each in named.items()} for own in self._owned(ids)]
        return self._all(what, [each | {"arm": arm} for each in told])

    def _owned(self, ids: IntArray) -> list[BoolArray]:
        """For each part, which of these ids it keeps."""
        return [(ids >= span.start) & (ids < span.stop) for span in self._spans]

    def _all(self, what: str, told: list[dict[str, Any]]) -> list[Any]:
        """Let all parts do the same at the same time; then what they answer, or one refuses."""
        number, self._done = self._done, self._done + 1
        answers, refused = [], []
        with self._client.as_current():
            try:
                calls = zip(self._parts, told, strict=True)
                for future in [part.hear(number, what, own) for part, own in calls]:
                    try:
                        answers.append(self._answer(future))
                    except SpnbError as error:
                        refused.append(error)
            except (OSError, RuntimeError) as error:
                raise DataError(f"{GONE} ({said(error)})") from error
        if refused:
            raise refused[0]
        return answers

    def _answer(self, future: Any) -> Any:
        while True:
            try:
                return future.result(timeout=PATIENCE)
            except TimeoutError:
                if not set(self._homes) <= set(_workers(self._client)):
                    raise DataError(GONE) from None


def _workers(client: Any) -> list[str]:
    workers: list[str] = sorted(client.scheduler_info(n_workers=-1)["workers"])
    if not workers:
        raise DataError("the cluster has no workers")
    return workers


def _cut(ids: range, parts: int) -> list[range]:
    ends = np.linspace(ids.start, ids.stop, 1 + min(parts, len(ids)), dtype=int).tolist()
    return [range(first, stop) for first, stop in pairwise(ends)]


def _file(folder: Path, span: range) -> Path:
    return folder / f"{span.start}-{span.stop - 1}.npz"
