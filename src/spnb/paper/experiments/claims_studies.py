"""Claims 9 and 10: the two case studies."""

from spnb.paper.experiments.bai import SHOWN_C, c_text
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.verdict import (
    Check,
    Claim,
    below,
    judged,
    text_of,
    unanswered,
    verdict,
    within,
)

NEAR = (0.85, 0.95)  # "about 0.9"
SETTLED = 0.02  # of the rounds: what a curve of the whole horizon does not show
RATIOS = ("Seq(TS) / TS", "Seq(bUCB) / bUCB")
C = c_text(SHOWN_C)
WHY_NOT = (
    "SR+ measures every slot still in question every day; over many tables it catches up with "
    "Seq(UCBE) and settles sooner. A single table, as in the paper, may show either."
)


def yahoo_ratios(results: Plain) -> Claim:
    checks: list[Check] = []
    ours: list[str] = []
    for name in RATIOS:
        curve = results["ratio"][name]
        end = {key: curve[key][-1] for key in ("mean", "low", "high")}
        since = below_from(curve)
        text = f"{name} below 1 but for the first {SETTLED:.0%} of the rounds"
        checks.append(Check(text, _below_throughout(curve, SETTLED * results["rounds"])))
        checks.append(below(f"{name} below 1 at the end", end, 1.0))
        checks.append(_near(f"{name} near 0.9 at the end", end))
        start = "never" if since is None else f"from round {since}"
        ours.append(f"{name} {text_of(end)} at the end, interval below 1 {start}")
    day = "a made-up day" if results["synthetic"] else results["source"]
    return judged(
        9,
        "Both ratios of regret are below 1 all along and near 0.9 at the end",
        "about 0.9",
        f"{day}, {len(results['articles'])} articles. " + "; ".join(ours),
        checks,
    )


def _below_throughout(curve: Plain, start: float) -> bool | None:
    """Whether the curve stays below 1 after the start: all of it, or not, or not settled."""
    late = [i for i, at in enumerate(curve["rounds"]) if at > start]
    points = [{key: curve[key][i] for key in ("mean", "low", "high")} for i in late]
    return verdict([below("", point, 1.0).holds for point in points])


def _near(text: str, end: Plain) -> Check:
    """Agreement: the interval reaches into the band around 0.9; disagreement: it does not."""
    return Check(text, within(text, end, *NEAR).holds is not False)


def below_from(curve: Plain) -> int | None:
    """The round from which the interval stays below 1."""
    since: int | None = None
    for at, high in zip(curve["rounds"], curve["high"], strict=True):
        if high is None or high >= 1:
            since = None
        elif since is None:
            since = at
    return since


def _wrong(found: Plain) -> str:
    since = found["rounds_to_90"] or "never"
    return f"{text_of(found['wrong_rounds'])} (90 % right from {since})"


def water_rounds(results: Plain) -> Claim:
    claim = "Seq(UCBE) needs fewer rounds than UCBE and than SR+ for a correct answer"
    paper = "curve of Seq(UCBE) above both; no figures printed"
    if C not in results["c"]:
        return unanswered(10, claim, paper, f"this run has no c = {C}, of which the claim speaks")
    checks: list[Check] = []
    for pair, found in results["c"][C]["paired"].items():
        checks.append(below(f"c = {C}: {pair} {text_of(found)}", found))
    others = [
        f"c = {c}, {pair}: {text_of(found)}"
        for c, at in results["c"].items()
        if c != C
        for pair, found in at["paired"].items()
    ]
    agents = results["c"][C]["agents"] | {"SR+": results["SR+"]}
    listed = (f"{label} {_wrong(found)}" for label, found in agents.items())
    ours = (
        f"numbers of rounds, of {results['rounds']}, with a wrong answer at c = {C}: "
        f"{'; '.join(listed)}. Paired: {'; '.join(check.text for check in checks)}"
    )
    ahead = ahead_until(agents["Seq(UCBE)"]["correct"], results["SR+"]["correct"])
    ours += f". Seq(UCBE) is right more often than SR+ up to about {ahead} rounds"
    if others:
        ours += f". At other values of c: {'; '.join(others)}"
    return judged(10, claim, paper, ours, checks, why_not=WHY_NOT)


def ahead_until(first: Plain, second: Plain) -> int:
    """The last number of rounds at which the first curve is above the second; 0 if none is."""
    pairs = zip(first["rounds"], first["mean"], second["mean"], strict=True)
    return max((at for at, one, other in pairs if one > other), default=0)
