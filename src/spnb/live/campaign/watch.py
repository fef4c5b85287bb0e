"""Changes of the means that the rewards of a log show, for policies that do not say themselves.

The test is that of GLR-klUCB (``bandits/policies/restart.py``), arm by arm: an arm whose rewards
showed a change is watched from there on anew. It decides nothing: a policy that forgets does so
anyhow, and this is to tell people when there was reason to.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from spnb.bandits.policies import GLRKLUCB
from spnb.bandits.policies.restart import Watched
from spnb.engine.state import Layout
from spnb.live.campaign.story import Cell

_TEST = GLRKLUCB()  # at its usual risk of a false alarm


@dataclass(frozen=True, slots=True)
class Shift:
    """An arm whose rewards showed a change, and the round of the one that did."""

    arm: str
    round: int


def shifts(cells: Iterable[Cell]) -> list[Shift]:
    """The changes that the rewards of these offers show, in the order of the offers."""
    watched: dict[str, Watched] = {}
    found = []
    for cell in cells:
        if cell.became != "told":
            continue
        if cell.arm not in watched:
            watched[cell.arm] = _fresh()
        state = watched[cell.arm]
        state.add(0, cell.reward, float(cell.trials))
        if state.shows_change(0, _TEST.delta):
            found.append(Shift(cell.arm, cell.round))
            del watched[cell.arm]
    return found


def _fresh() -> Watched:
    """One arm about which nothing is known."""
    state: Watched = Layout.of(Watched, _TEST, {"arms": 1}).fresh()
    state.size[0] = 1
    return state


def in_words(found: list[Shift]) -> str:
    """What the latest of them was; nothing if there is none."""
    if not found:
        return ""
    times = "a change" if len(found) == 1 else f"{len(found)} changes, the latest"
    return f"The rewards showed {times} of {found[-1].arm} in round {found[-1].round}."
