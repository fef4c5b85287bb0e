"""All campaigns that a token reaches, each with its latest pulls and what is on offer."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from markupsafe import Markup

from spnb.live.campaign import Campaign
from spnb.live.campaign.looking import Look, look
from spnb.live.campaign.status import Status
from spnb.live.campaign.story import Story
from spnb.live.store.tokens import Token
from spnb.service.desk import Caller
from spnb.service.pages.drawings import sparkline
from spnb.service.pages.frame import drawn, render
from spnb.service.pages.stream import mark_of_all
from spnb.service.pages.view import seconds_until
from spnb.service.routes.common import AtDesk, Reader

router = APIRouter(include_in_schema=False)
_PAGE = 20
_TAIL, _PULLS = 400, 40  # of the latest events the latest pulls are drawn


@dataclass(frozen=True, slots=True)
class Card:
    """One campaign of the list."""

    uid: str
    status: Status
    look: Look
    spark: Markup | None


@router.get("/")
async def page(
    request: Request,
    who: Reader,
    desk: AtDesk,
    after: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Twenty campaigns, by name."""

    def do(caller: Caller) -> tuple[Token, str, list[Card], str | None]:
        mark = mark_of_all(caller)
        with caller.store.reading() as tx:
            names = [name for name in tx.names() if name > after and caller.token.reaches(name)]
        found = [caller.named(name) for name in names[:_PAGE]]
        cards = [_card(each) for each in found if each is not None]
        return caller.token, mark, cards, names[_PAGE - 1] if len(names) > _PAGE else None

    token, mark, cards, following = await desk.read(who, do)
    soonest = [wait for card in cards if (wait := seconds_until(card.look.coming)) is not None]
    return render(
        request,
        "overview.html",
        token,
        mark=mark,
        wait=min(soonest, default=None),
        cards=cards,
        following=following,
        first=not after,
    )


def _card(campaign: Campaign) -> Card:
    status = campaign.status()
    story = Story.of(campaign.events(max(0, status.events - _TAIL)))
    pulls = [cell for cell in story.cells.values() if cell.became != "pass"][-_PULLS:]
    spark = drawn(sparkline(pulls)) if pulls else None
    return Card(campaign.uid, status, look(campaign), spark)
