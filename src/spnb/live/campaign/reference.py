"""Which decision is meant: a number that people type, or an id that cannot be guessed."""

import operator
import re
from dataclasses import dataclass
from typing import SupportsIndex

from spnb.base.errors import DataError, MissingError
from spnb.base.words import shown
from spnb.live.campaign.offers import SEAL, Decision
from spnb.live.store import Event

_UID = re.compile(rf"([0-9a-f]{{16}})-([1-9]\d{{0,17}})-([0-9a-f]{{{SEAL}}})")
_NUMBER = re.compile(r"\d{1,18}")
MOST = 10**18  # more than any log holds, and less than a database's whole numbers end at


@dataclass(frozen=True, slots=True)
class Reference:
    """A decision as somebody named it; without a number it is the latest pull."""

    number: int | None = None
    seal: str = ""
    text: str = ""  # as it was given

    def fits(self, event: Event) -> bool:
        """Whether this event can be the decision meant."""
        return event.kind == "ask" and event.hash.startswith(self.seal)


def campaign_of(decision: str) -> str:
    """The uid of the campaign that the id of a decision names."""
    match = _UID.fullmatch(decision) if isinstance(decision, str) else None
    if match is None:
        raise DataError(f"this is no id of a decision: {shown(decision)}")
    return match[1]


def campaign_part(decision: str) -> str:
    """What stands where the id of a decision has its campaign's uid, be this one or not."""
    return decision.partition("-")[0]


def number_in(decision: str) -> int:
    """The number in the id of a decision; 0 if this is none."""
    match = _UID.fullmatch(decision)
    return int(match[2]) if match else 0


def reference(decision: object, campaign: str) -> Reference:
    """What is meant by a decision, its number or its id, in the campaign of this uid."""
    if decision is None:
        return Reference()
    if isinstance(decision, Decision):
        if decision.id is None:
            raise DataError(f"nothing was decided ({decision.reason}): there is nothing to tell")
        decision = decision.uid or decision.id
    if isinstance(decision, str) and not _NUMBER.fullmatch(decision):
        if campaign_of(decision) != campaign:
            raise DataError(f"decision {decision} is one of another campaign")
        _, number, seal = decision.split("-")
        return Reference(int(number), seal, decision)
    return Reference(_number(decision))


def _number(decision: object) -> int:
    if isinstance(decision, str):
        number = int(decision)
    elif isinstance(decision, SupportsIndex) and not isinstance(decision, bool):
        number = operator.index(decision)  # NumPy's numbers, too
    else:
        raise DataError(f"a decision is named by its number or its id, got {shown(decision)}")
    if not 0 < number < MOST:
        raise MissingError(f"there is no decision {shown(number)}")
    return number
