"""What somebody who does not look at a campaign should hear of."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from spnb.live.campaign.certainty import conclusion
from spnb.live.campaign.course import Course
from spnb.live.campaign.status import rounds_over
from spnb.live.campaign.waiting import ago, overdue
from spnb.live.store import Pending

Kind = Literal["overdue", "decided", "horizon"]


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that happens once; ``subject`` is the decision it is about, or 0."""

    kind: Kind
    subject: int
    message: str


def alerts_of(course: Course, waiting: list[Pending], now: datetime) -> list[Alert]:
    """All there is to hear of at this moment."""
    if course.status != "running":
        return []
    found = [
        Alert(
            "overdue",
            pull.decision,
            f"the reward of {pull.arm} in round {pull.round}, asked {ago(pull, now)}, has not come",
        )
        for pull in overdue(course, waiting, now)
    ]
    if course.decided:
        found.append(Alert("decided", 0, conclusion(course)))
    if course.spent or rounds_over(course, now):
        found.append(Alert("horizon", 0, "all rounds or pulls that were planned are over"))
    return found
