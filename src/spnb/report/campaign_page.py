"""A campaign as one page that needs nothing else: answer, picture, estimates, the log's summary."""

from collections.abc import Iterator
from html import escape
from importlib.resources import files

from spnb.live.campaign import Campaign, Status
from spnb.live.campaign.rewards import reward_text
from spnb.live.campaign.status import ArmStatus
from spnb.live.campaign.story import Cell, Story
from spnb.live.schedule import length_text, local_text
from spnb.report.campaigns import digits_of, earned_text, status_lines, top_of

_CELLS = 30_000  # drawn at the most: of longer campaigns the latest rounds
_WIDE, _HIGH = 14, 18  # of a cell
_SHADES = ("#eaf1fb", "#c6dbef", "#9ecae1", "#6baed6", "#3182bd", "#08519c")
_KINDS = {  # of an event: in words, one and several
    "ask": ("decision", "decisions"),
    "tell": ("reward told", "rewards told"),
    "found": ("reward that came after all", "rewards that came after all"),
    "correct": ("correction", "corrections"),
    "lost": ("reward given up", "rewards given up"),
    "pause": ("pause", "pauses"),
    "void": ("leap taken back", "leaps taken back"),
    "add": ("arm added", "arms added"),
    "retire": ("arm retired", "arms retired"),
    "adopt": ("change of version", "changes of version"),
    "limit": ("change of the time to wait", "changes of the time to wait"),
    "move": ("move", "moves"),
}


def campaign_page(campaign: Campaign) -> str:
    """The whole page."""
    status, config = campaign.status(), campaign.config
    story = Story.of(campaign.events(), rounds=max(30, _CELLS // len(config.arms)))
    parts = [
        f"<h1>{escape(campaign.name)}</h1>",
        *(f"<p class=lead>{escape(line)}</p>" for line in status_lines(status) or [status.advice]),
        _facts(campaign, status),
        "<h2>Round by round</h2>",
        _picture(story, [arm.arm for arm in status.arms]),
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


def _facts(campaign: Campaign, status: Status) -> str:
    config = campaign.config
    rows = {
        "agent": config.agent,
        "goal": "find the best arm" if config.goal == "best" else "lose little on the way",
        "state": status.state,
        "rounds": f"{status.round}" + (f" of {status.rounds}" if status.rounds else ""),
        "pulls": str(sum(arm.pulls for arm in status.arms)),
        "reward": str(config.reward),
        "time zone": status.zone or "that of this machine",
    }
    if config.pulls is not None:
        rows["pulls"] += f" of {config.pulls}"
    if config.lost_after is not None:
        rows["given up after"] = length_text(config.lost_after)
    if config.warm:
        most = max(count for _, _, count in config.warm)
        rows["warm start"] = f"the record counts as at most {most} rewards an arm"
    items = (f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in rows.items())
    return f"<dl>{''.join(items)}</dl>"


def _picture(story: Story, arms: list[str]) -> str:
    """Rounds from left to right, arms from top to bottom as the day offers them."""
    cells = story.cells.values()
    if not cells:
        return "<p>Nothing was asked yet.</p>"
    first, last = min(c.round for c in cells), max(c.round for c in cells)
    place = {arm: at for at, arm in enumerate(arms)}
    label = 12 + 7 * min(max(map(len, arms)), 24)
    wide, high = label + (last - first + 1) * _WIDE + 8, len(arms) * _HIGH + 26
    shapes = [
        f'<text x="{label - 6}" y="{at * _HIGH + 13}" text-anchor="end">'
        f"{escape(_short(arm))}</text>"
        for arm, at in place.items()
    ]
    top = max((c.reward / c.trials for c in cells), default=0.0) or 1.0
    shapes += [
        _cell(c, label + (c.round - first) * _WIDE, place[c.arm] * _HIGH + 1, top) for c in cells
    ]
    shapes += list(_ticks(first, last, label, len(arms) * _HIGH + 16))
    early = f" Only the latest rounds, from {first} on, are drawn." if story.forgot else ""
    return (
        f'<div class=wide><svg width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'role="img" aria-label="Rounds and arms">{"".join(shapes)}</svg></div>'
        f"<p class=note>A column is a round, a row an arm. {_legend(top)}{early}</p>"
    )


def _cell(cell: Cell, x: int, y: int, top: float) -> str:
    what = {"pass": "passed", "open": "pulled, reward to come", "lost": "pulled, reward lost"}
    said = what.get(cell.became) or f"pulled, reward {reward_text(cell.reward, cell.trials)}"
    title = f"<title>round {cell.round}, {escape(cell.arm)}: {said}</title>"
    if cell.became == "pass":
        return f'<circle class=pass cx="{x + 6}" cy="{y + 8}" r="1.5">{title}</circle>'
    fill = f' fill="{_shade(cell, top)}"' if cell.became == "told" else ""
    return (
        f'<rect class={cell.became} x="{x}" y="{y}" width="{_WIDE - 2}" height="{_HIGH - 2}"'
        f"{fill}>{title}</rect>"
    )


def _shade(cell: Cell, top: float) -> str:
    share = cell.reward / cell.trials / top
    return _SHADES[min(int(share * len(_SHADES)), len(_SHADES) - 1)]


def _legend(top: float) -> str:
    squares = [
        (f'<i style="background:{_SHADES[0]}"></i>', "pulled, reward 0"),
        (f'<i style="background:{_SHADES[-1]}"></i>', f"reward {top:.3g}, shades between"),
        ("<i class=open></i>", "reward to come"),
        ("<i class=lost></i>", "reward lost"),
        ("<b>&middot;</b>", "passed"),
    ]
    return "; ".join(f"{square} {words}" for square, words in squares) + "; blank: not asked."


def _ticks(first: int, last: int, label: int, y: int) -> Iterator[str]:
    step = 1 if last - first < 12 else 5
    for round_ in range(first, last + 1):
        if round_ == first or (round_ % step == 0 and round_ - first > step / 2):
            x = label + (round_ - first) * _WIDE + _WIDE // 2
            yield f'<text class=tick x="{x}" y="{y}" text-anchor="middle">{round_}</text>'


def _short(arm: str) -> str:
    return arm if len(arm) <= 24 else arm[:23] + "…"


def _estimates(status: Status) -> str:
    head = ("arm", "", "mean", "95 %", "P(best)", "pulls", "earned", "lost")
    top, digits = top_of(status), digits_of(status)
    rows = "".join(
        _estimate(arm, arm.arm == status.recommended, top, digits) for arm in status.arms
    )
    record = " The record of the warm start is in it." if any(a.record for a in status.arms) else ""
    return (
        "<div class=wide><table><thead><tr>"
        + "".join(f"<th>{title}</th>" for title in head)
        + f"</tr></thead><tbody>{rows}</tbody></table></div>"
        "<p class=note>Mean and 95 % interval of the posterior, drawn from 0 to "
        f"{top:g}: the dot and the line.{record} P(best): chance of the largest mean. The arm held "
        "for the best is bold.</p>"
    )


def _estimate(arm: ArmStatus, best: bool, top: float, digits: int) -> str:
    dot = "" if arm.mean is None else f'<circle cx="{100 * arm.mean / top:.1f}" cy="7" r="3.5"/>'
    bar = (
        '<svg class=bar viewBox="-4 0 108 14" width="130" height="17"><path d="M0 7H100"/>'
        f'<path class=span d="M{100 * arm.low / top:.1f} 7H{100 * arm.high / top:.1f}"/>{dot}</svg>'
    )
    waiting = arm.pulls - arm.rewards - arm.lost
    cells = (
        "-" if arm.mean is None else f"{arm.mean:.{digits}f}",
        f"{arm.low:.{digits}f} to {arm.high:.{digits}f}",
        "retired" if arm.retired else f"{arm.chance:.2f}",
        f"{arm.pulls}" + (f" ({waiting} open)" if waiting else ""),
        earned_text(arm),
        str(arm.lost or ""),
    )
    mark = " class=best" if best else ""
    return f"<tr{mark}><td>{escape(arm.arm)}</td><td>{bar}</td>" + "".join(
        f"<td>{cell}</td>" for cell in cells
    ) + "</tr>"  # fmt: skip


def _log(campaign: Campaign, story: Story) -> str:
    schedule = campaign.config.schedule
    if story.first is None or story.last is None:
        return ""
    begun, ended = (local_text(event.time, schedule) for event in (story.first, story.last))
    counts = [f"{n} {_KINDS[kind][n > 1]}" for kind, n in story.kinds.items() if kind in _KINDS]
    seal = f"<code>{escape(story.last.hash)}</code>"
    return (
        f"<p>{sum(story.kinds.values())} events from {begun} to {ended}"
        f"{': ' + ', '.join(counts) if counts else ''}.</p>"
        f"<p class=note>The log is sealed by {seal}; <code>spnb campaign verify</code> replays "
        "it and compares every decision.</p>"
    )
