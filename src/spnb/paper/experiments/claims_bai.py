"""Claims 4 to 8: identification on the seven problems."""

from collections.abc import Iterator

from spnb.paper.experiments.bai import SHOWN_C, c_text
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.verdict import (
    Check,
    Claim,
    above,
    below,
    ends,
    judged,
    text_of,
    unanswered,
    within,
)

C = c_text(SHOWN_C)
NEEDS_C = f"this run has no c = {C}, of which the claim speaks"
# The paper prints whole percents: half of one either way is agreement.
ROUNDS_SAVED = (-0.185, -0.025)
PULLS_ADDED = (0.025, 0.195)
LESS = ("LP - SR+", "LR - UCBE", "LR - SR+")  # differences that the paper says are negative
LIKE = 0.02  # errors "like" each other differ by less than two points
SIMILAR = 0.05  # savings "similar" to each other, by less than five


def rounds_saved(results: Plain) -> Claim:
    text = f"At c = {C} Seq(UCBE)-LP saves between 3 % and 18 % of UCBE's rounds"
    return _range(4, text, "-3 % to -18 %", "LP", "psi_rounds", ROUNDS_SAVED, results)


def pulls_added(results: Plain) -> Claim:
    text = f"At c = {C} Seq(UCBE)-LR makes between 3 % and 19 % more pulls than UCBE"
    return _range(5, text, "+3 % to +19 %", "LR", "psi_pulls", PULLS_ADDED, results)


def _range(
    id_: int,
    claim: str,
    paper: str,
    agent: str,
    metric: str,
    bounds: tuple[float, float],
    results: Plain,
) -> Claim:
    if C not in results["c"]:
        return unanswered(id_, claim, paper, NEEDS_C)
    found = {number: at["agents"][agent][metric] for number, at in _at_c(results)}
    checks = [
        within(f"experiment {number}: {text_of(each, percent=True)}", each, *bounds)
        for number, each in found.items()
    ]
    listed = (f"{number}: {text_of(each, percent=True)}" for number, each in found.items())
    return judged(id_, claim, paper, "by experiment. " + "; ".join(listed), checks)


def errors(results: Plain) -> Claim:
    claim = "LP errs like UCBE and less than SR+; LR errs less than UCBE and than SR+"
    paper = "'comparably' and 'better' in most experiments; no figures printed"
    if C not in results["c"]:
        return unanswered(6, claim, paper, NEEDS_C)
    over = results["overall"][C]
    count = len(results["experiments"])
    like = f"LP - UCBE within {LIKE:.0%} either way over all {count}"
    checks = [
        within(like, over["LP - UCBE"], -LIKE, LIKE),
        *(below(f"{pair} below 0 over all {count}", over[pair]) for pair in LESS),
    ]
    listed = (f"{pair} {text_of(each, percent=True)}" for pair, each in over.items())
    ours = f"error at c = {C}, mean over {count} experiments, paired. {'; '.join(listed)}"
    exceptions = _exceptions(results)
    if exceptions:
        ours += f". Single experiments that say otherwise: {'; '.join(exceptions)}"
    return judged(6, claim, paper, ours, checks)


def _exceptions(results: Plain) -> list[str]:
    """Experiments whose own interval contradicts the claim, or where SR+ is no worse than LP."""
    found = []
    for number, at in _at_c(results):
        pairs = at["paired"]
        low, high = ends(pairs["LP - UCBE"])
        if low > 0 or high < 0:
            found.append(f"{number} (LP - UCBE {text_of(pairs['LP - UCBE'], percent=True)})")
        for pair in LESS:
            low, _ = ends(pairs[pair])
            if low > 0 or pairs[pair]["mean"] >= 0:
                found.append(f"{number} ({pair} {text_of(pairs[pair], percent=True)})")
    return found


def grows_with_c(results: Plain) -> Claim:
    claim = "The saving of rounds (LP) and the added pulls (LR) grow with c"
    paper = "'monotonically' for c = 1, 2, 4, 8"
    if len(results["c"]) < 2:
        return unanswered(7, claim, paper, "this run has a single value of c")
    checks: list[Check] = []
    for number, experiment in results["experiments"].items():
        for step in experiment["growth"]:
            name = f"experiment {number}, c {step['from']} to {step['to']}"
            checks.append(below(f"{name}: fewer rounds", step["psi_rounds"]))
            checks.append(above(f"{name}: more pulls", step["psi_pulls"]))
    ours = "; ".join(
        f"c = {c}: rounds {_span(results, c, 'LP', 'psi_rounds')}, "
        f"pulls {_span(results, c, 'LR', 'psi_pulls')}"
        for c in results["c"]
    )
    return judged(7, claim, paper, f"mean over the experiments, least to most. {ours}", checks)


def _span(results: Plain, c: str, agent: str, metric: str) -> str:
    values = [e["c"][c]["agents"][agent][metric]["mean"] for e in results["experiments"].values()]
    return f"{sum(values) / len(values):+.1%} ({min(values):+.1%} to {max(values):+.1%})"


def rejects_similar(results: Plain) -> Claim:
    claim = "SR+ saves about as many rounds as Seq(UCBE)-LP in most experiments"
    paper = "'in the majority of the experiments, similar'"
    if C not in results["c"]:
        return unanswered(8, claim, paper, NEEDS_C)
    checks, ours = [], []
    for number, at in _at_c(results):
        rejects = results["experiments"][number]["agents"]["SR+"]["psi_rounds"]["mean"]
        seq = at["agents"]["LP"]["psi_rounds"]
        text = f"experiment {number}: within {SIMILAR:.0%} of LP"
        checks.append(within(text, seq, rejects - SIMILAR, rejects + SIMILAR))
        ours.append(f"{number}: SR+ {rejects:+.1%}, LP {seq['mean']:+.1%}")
    most = sum(check.holds is True for check in checks) * 2 > len(checks)
    unlike = sum(check.holds is False for check in checks) * 2 >= len(checks)
    holds = True if most else False if unlike else None
    why = (
        "SR+ pulls every arm still in question in every round, so the pulls of one arm a round "
        "are spent in a fraction of the rounds."
    )
    return Claim(
        8,
        claim,
        paper,
        "by experiment. " + "; ".join(ours),
        holds,
        "" if most else why,
        tuple(checks),
    )


def _at_c(results: Plain) -> Iterator[tuple[str, Plain]]:
    return ((number, each["c"][C]) for number, each in results["experiments"].items())
