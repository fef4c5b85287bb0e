"""A campaign as one page that needs nothing else: answer, picture, estimates, the log's summary."""

from collections.abc import Iterable
from html import escape
from importlib.resources import files
from typing import Protocol

from spnb.base.words import chance_text
from spnb.live.campaign import Config, Status
from spnb.live.campaign.status import ArmStatus
from spnb.live.campaign.story import Story
from spnb.live.schedule import length_text, local_text
from spnb.live.store import Event
from spnb.live.store.events import instant
from spnb.report.campaigns import digits_of, earned_text, pulls_text, status_lines, top_of
from spnb.report.picture import highest, rounds_picture, sign

_CELLS = 30_000  # drawn at the most: of longer campaigns the latest rounds
_KINDS = {  # of an event: in words, one and several
    "ask": ("decision", "decisions"),
    "tell": ("reward told", "rewards told"),
    "found": ("reward that came after all", "rewards that came after all"),
    "correct": ("correction", "corrections"),
    "lost": ("reward given up", "rewards given up"),
    "pause": ("pause", "pauses"),
    "void": ("jump undone", "jumps undone"),
    "add": ("arm added", "arms added"),
    "retire": ("arm retired", "arms retired"),
    "adopt": ("change of version", "changes of version"),
    "limit": ("change of the time to wait", "changes of the time to wait"),
    "move": ("move", "moves"),
}


class Watched(Protocol):
    """A campaign, wherever it is."""

    name: str

    @property
    def config(self) -> Config:
        """What it was begun with."""

    def status(self) -> Status:
        """Where it stands."""

    def events(self) -> Iterable[Event]:
        """Its log."""


def campaign_page(campaign: Watched) -> str:
    """The whole page."""
    status, config = campaign.status(), campaign.config
    story = Story.of(campaign.events(), rounds=max(30, _CELLS // len(config.arms)))
    parts = [
        f"<h1>{escape(campaign.name)}</h1>",
        *(f"<p class=lead>{escape(line)}</p>" for line in status_lines(status) or [status.advice]),
        _facts(campaign, status),
        "<h2>Round by round</h2>",
        _picture(story, [arm.arm for arm in status.arms], status.best),
        "<h2>What is known of each arm</h2>",
        _estimates(status),
        "<h2>The log</h2>",
        _log(campaign, story),
    ]
    style = files("spnb.report").joinpath("campaign_page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(campaign.name)}</title><style>{style}</style></head><body><main>"
        + "\n".join(parts)
        + "</main></body></html>\n"
    )


def _facts(campaign: Watched, status: Status) -> str:
    config = campaign.config
    rows = {
        "agent": config.agent,
        "goal": "find the best arm" if config.goal == "best" else "lose little on the way",
        "state": status.state,
        "rounds": f"{status.round}" + (f" of {status.rounds}" if status.rounds else ""),
        "pulls": f"{status.pulled}" + (f" of {status.pulls}" if status.pulls else ""),
        "reward": str(config.reward),
        "time zone": status.zone or "that of this machine",
    }
    if config.lost_after is not None:
        rows["given up after"] = length_text(config.lost_after)
    if config.warm:
        most = max(count for _, _, count in config.warm)
        rows["warm start"] = f"the record counts as at most {most} rewards an arm"
    items = (f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in rows.items())
    return f"<dl>{''.join(items)}</dl>"


def _picture(story: Story, arms: list[str], best: str | None) -> str:
    """Rounds from left to right, arms from top to bottom as the day offers them."""
    cells = list(story.cells.values())
    if not cells:
        return "<p>Nothing was asked yet.</p>"
    first, last = min(c.round for c in cells), max(c.round for c in cells)
    drawn = rounds_picture(cells, arms, first=first, shown=last - first + 1, best=best)
    early = f" Only the latest rounds, from {first} on, are drawn." if story.forgot else ""
    return (
        f"<div class=wide>{drawn}</div><p class=note>A column is a round, a row an arm. "
        f"{_legend(highest(cells))}{early}</p>"
    )


def _legend(top: float) -> str:
    signs = {
        "told": f"pulled, filled as high as its reward, up to {top:.3g}",
        "open": "reward to come",
        "lost": "reward lost",
        "pass": "passed",
    }
    said = "; ".join(f"{sign(became)} {words}" for became, words in signs.items())  # type: ignore[arg-type]  # all of them are
    return f"{said}; blank: no decision (nobody asked, or the campaign was paused or over)."


def _estimates(status: Status) -> str:
    head = ("arm", "", "mean", "95 %", "P(best)", "pulls", "earned", "lost")
    top, digits = top_of(status), digits_of(status)
    rows = "".join(_estimate(arm, arm.arm == status.best, top, digits) for arm in status.arms)
    record = " The record of the warm start is in it." if any(a.record for a in status.arms) else ""
    bold = " The arm taken to be the best is bold." if status.best else ""
    return (
        "<div class=wide><table><thead><tr>"
        + "".join(f"<th>{title}</th>" for title in head)
        + f"</tr></thead><tbody>{rows}</tbody></table></div>"
        "<p class=note>Mean and 95 % interval of the posterior, drawn from 0 to "
        f"{top:g}: the dot and the line.{record} P(best): chance of the largest mean.{bold}</p>"
    )


def _estimate(arm: ArmStatus, best: bool, top: float, digits: int) -> str:
    dot = "" if arm.mean is None else f'<circle cx="{100 * arm.mean / top:.1f}" cy="7" r="3.5"/>'
    bar = (
        '<svg class=bar viewBox="-4 0 108 14" width="130" height="17"><path d="M0 7H100"/>'
        f'<path class=span d="M{100 * arm.low / top:.1f} 7H{100 * arm.high / top:.1f}"/>{dot}</svg>'
    )
    cells = (
        "-" if arm.mean is None else f"{arm.mean:.{digits}f}",
        f"{arm.low:.{digits}f} to {arm.high:.{digits}f}",
        "retired" if arm.retired else chance_text(arm.chance),
        pulls_text(arm),
        earned_text(arm),
        str(arm.lost or ""),
    )
    mark = " class=best" if best else ""
    return f"<tr{mark}><td>{escape(arm.arm)}</td><td>{bar}</td>" + "".join(
        f"<td>{cell}</td>" for cell in cells
    ) + "</tr>"  # fmt: skip


def _log(campaign: Watched, story: Story) -> str:
    schedule = campaign.config.schedule
    if story.first is None or story.last is None:
        return ""
    begun, ended = (local_text(event.time, schedule) for event in (story.first, story.last))
    asked = [local_text(instant(at), schedule) for at in story.asked or ()]
    offers = (
        f" Its asks are dated {asked[0]} to {asked[1]}, by the time asked about." if asked else ""
    )
    counts = [f"{n} {_KINDS[kind][n > 1]}" for kind, n in story.kinds.items() if kind in _KINDS]
    seal = f"<code>{escape(story.last.hash)}</code>"
    return (
        f"<p>{sum(story.kinds.values())} events"
        f"{': ' + ', '.join(counts) if counts else ''}. The campaign was begun {begun}; the last "
        f"event is dated {ended}.{offers}</p>"
        f"<p class=note>The log is sealed by {seal}; <code>spnb campaign verify</code> replays "
        "it and compares every decision.</p>"
    )
