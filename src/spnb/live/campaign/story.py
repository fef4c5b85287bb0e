"""What a log tells, offer by offer: for pictures and reports, in one pass over the events."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from spnb.live.store import Event

Became = Literal["pass", "open", "told", "lost"]


@dataclass(slots=True)
class Cell:
    """An offer that was asked about, and what became of it."""

    round: int
    arm: str
    became: Became
    reward: float = 0.0
    trials: int = 1


@dataclass(slots=True)
class Story:
    """The offers by the number of their decision, and how many events there were of each kind."""

    cells: dict[int, Cell] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)
    first: Event | None = None
    last: Event | None = None
    asked: tuple[int, int] | None = None  # the earliest and the latest time of an ask
    forgot: bool = False  # whether offers of earlier rounds were left out

    @classmethod
    def of(cls, events: Iterable[Event], *, rounds: int | None = None) -> "Story":
        """The story of a log; with ``rounds`` the offers of so many rounds of late."""
        story = cls()
        for event in events:
            story._add(event)
            if rounds is not None and len(story.cells) % 10_000 == 9999:
                story._forget(rounds)
        if rounds is not None:
            story._forget(rounds)
        return story

    def _add(self, event: Event) -> None:
        self.first, self.last = self.first or event, event
        self.kinds[event.kind] += 1
        if event.kind == "ask":
            early, late = self.asked or (event.at, event.at)
            self.asked = min(early, event.at), max(late, event.at)
            became: Became = "open" if event.pull else "pass"
            self.cells[event.seq] = Cell(event.round or 0, str(event.arm), became)
        elif event.kind == "void":
            for seq in [seq for seq in self.cells if seq >= (event.decision or 0)]:
                del self.cells[seq]
        elif (cell := self.cells.get(event.decision or 0)) is not None:
            if event.reward is None:
                cell.became = "lost"
            else:
                cell.became, cell.reward, cell.trials = "told", event.reward, event.trials

    def _forget(self, rounds: int) -> None:
        """Only the latest rounds stay: a picture of more could not be read."""
        latest = max((cell.round for cell in self.cells.values()), default=0)
        kept = {n: cell for n, cell in self.cells.items() if cell.round > latest - rounds}
        self.forgot |= len(kept) < len(self.cells)
        self.cells = kept
