"""What the paper says of regret on its random problems."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from spnb.paper.experiments.plain import Plain, window
from spnb.paper.experiments.statements import tolerances
from spnb.paper.experiments.statements.tolerances import WORDS
from spnb.paper.experiments.verdict import (
    Check,
    MissingError,
    Statement,
    above,
    below,
    exact,
    within,
)

POLICIES = ("TS", "bUCB")
SHOWN = "25"  # arms: the main text
WHERE = "Synthetic datasets, regret"
ONE_PULL_SAVES = (
    "With many arms and few rounds one pull a round cannot pull many bad arms; UCBrev+ pulls "
    "them all until it drops them."
)

Judge = Callable[[Plain, str], list[Check]]
"""Checks of the results at one number of arms."""


def _problem(results: Plain, arms: str) -> Plain:
    if arms not in results["problems"]:
        raise MissingError(f"This run has no K = {arms}, of which the statement speaks.")
    found: Plain = results["problems"][arms]
    return found


def more_pulls(results: Plain, arms: str) -> list[Check]:
    agents = _problem(results, arms)["agents"]
    return [
        above(f"K = {arms}: pulls per round of Seq({p}) above 1",
              agents[f"Seq({p})"]["pulls_per_round"], 1.0)
        for p in POLICIES
    ]  # fmt: skip


def less_regret(results: Plain, arms: str) -> list[Check]:
    pairs = _problem(results, arms)["paired"]
    return [
        below(f"K = {arms}: regret of Seq({p}) - {p} below 0", pairs[f"Seq({p}) - {p}"])
        for p in POLICIES
    ]


def more_best(results: Plain, arms: str) -> list[Check]:
    pairs = _problem(results, arms)["paired"]
    return [
        above(f"K = {arms}: Opti* of Seq({p}) - {p} above 0", pairs[f"Opti* of Seq({p}) - {p}"],
              percent=True)
        for p in POLICIES
    ]  # fmt: skip


def larger_gain(results: Plain, arms: str) -> list[Check]:
    pairs = _problem(results, arms)["paired"]
    return [
        above(f"K = {arms}: regret saved, TS - bUCB, above 0", pairs["gain of TS - gain of bUCB"]),
        above(f"K = {arms}: Opti* gained, TS - bUCB, above 0",
              pairs["Opti* gain of TS - of bUCB"], percent=True),
    ]  # fmt: skip


def always_best(results: Plain, arms: str) -> list[Check]:
    own = _problem(results, arms)["agents"]["UCBrev+"]["opti"]
    level = tolerances.NEARLY_ONE
    return [above(f"K = {arms}: Opti* of UCBrev+ above {level}", own, level)]


def worst_regret(results: Plain, arms: str) -> list[Check]:
    return [
        above(f"K = {arms}: regret of {name} above 0", found)
        for name, found in _problem(results, arms)["paired"].items()
        if name.startswith("UCBrev+ - ")
    ]


def limited_pulls(results: Plain, arms: str) -> list[Check]:
    rounds, runs = results["rounds"], results["runs"]
    checks = []
    for policy in POLICIES:
        name = f"K = {arms}: pulls per round of Seq({policy})"
        curve = _problem(results, arms)["agents"][f"Seq({policy})"]["pulls_curve"]
        first = window(curve, 1, 10, runs)
        second = window(curve, rounds / 4, rounds / 2, runs)
        few = tolerances.LIMITED * int(arms)
        checks += [
            above(f"{name}, first ten rounds, above 1", first, 1.0),
            below(f"{name}, first ten rounds, below {few:g}", first, few),
            below(f"{name}, second quarter, below {tolerances.ONE_PULL}", second,
                  tolerances.ONE_PULL),
        ]  # fmt: skip
    return checks


def all_at_first(results: Plain, arms: str) -> list[Check]:
    curve = _problem(results, arms)["agents"]["UCBrev+"]["pulls_curve"]
    first = curve["mean"][:10]
    return [exact(f"K = {arms}: UCBrev+ pulls K in each of ten rounds (the fewest)",
                  min(first), all(pulls == float(arms) for pulls in first))]  # fmt: skip


def slower(results: Plain, arms: str) -> list[Check]:
    pairs = _problem(results, arms)["paired"]
    names = [f"pulls per round of UCBrev+ - Seq({p})" for p in POLICIES]
    return [above(f"K = {arms}: {name} above 0", pairs[name]) for name in names]


def like_classical(results: Plain, arms: str) -> list[Check]:
    pairs, near = _problem(results, arms)["paired"], tolerances.COMPARABLE_SHARES
    names = [f"Opt* of Seq({p}) - {p}" for p in POLICIES]
    return [
        within(f"K = {arms}: {name} within 5 points", pairs[name], -near, near, percent=True)
        for name in names
    ]


def lowest_share(results: Plain, arms: str) -> list[Check]:
    return [
        below(f"K = {arms}: {name} below 0", found, percent=True)
        for name, found in _problem(results, arms)["paired"].items()
        if name.startswith("Opt* of UCBrev+")
    ]


ALL: tuple[Judge, ...] = (
    more_pulls, less_regret, more_best, larger_gain, always_best, worst_regret, limited_pulls,
    all_at_first, slower, like_classical, lowest_share,
)  # fmt: skip


def _every(judges: Sequence[Judge], arms: str, results: Plain) -> list[Check]:
    return [check for judge in judges for check in judge(results, arms)]


def _at_every_k(judge: Judge, results: Plain) -> list[Check]:
    return [check for arms in results["problems"] for check in judge(results, arms)]


def strictly_worse(results: Plain) -> list[Check]:
    return [
        above(f"K = {arms}: regret of UCBrev - UCBrev+ above 0", found)
        for arms, found in results["aside"]["UCBrev - UCBrev+"].items()
    ]


def _statements() -> Iterator[Statement]:
    def at_shown(judge: Judge) -> Callable[[Plain], Sequence[Check]]:
        return partial(_every, (judge,), SHOWN)

    yield Statement(
        "R1", "rm", WHERE,
        "the proposed methodology is capable of increase the number of pulls per round",
        "K = 25: both Seq forms make more than one pull a round on average",
        at_shown(more_pulls),
    )  # fmt: skip
    yield Statement(
        "R2", "rm", WHERE,
        "[Seq forms] reduce the pseudo-regret suffered over time compared to the "
        "traditional counterparts",
        "less regret at the end than the classical form, at every K, paired",
        partial(_at_every_k, less_regret),
    )  # fmt: skip
    yield Statement(
        "R3", "rm", WHERE, "both algorithms select the optimal arm a number of times larger",
        "K = 25: the best arm is pulled in more rounds (Opti*) than by the classical form",
        at_shown(more_best),
    )  # fmt: skip
    yield Statement(
        "R4", "rm", WHERE, "larger decrease in pseudo-regret observed for Seq(TS) ... higher "
        "increase of Opti*",
        "K = 25: TS saves more regret by Seq than bUCB, and its Opti* grows more",
        at_shown(larger_gain),
    )  # fmt: skip
    yield Statement(
        "R5", "rm", WHERE, "UCBrev+ pulled the optimal arm with a large probability (≈ 1)",
        "K = 25: Opti* of UCBrev+ is about 1", at_shown(always_best), WORDS["nearly one"],
    )  # fmt: skip
    yield Statement(
        "R6", "rm", WHERE, "[UCBrev+] still achieved significantly worse performances in terms of "
        "pseudo-regret",
        "K = 25: UCBrev+ has more regret than each of the other four",
        at_shown(worst_regret),
    )  # fmt: skip
    yield Statement(
        "R7", "rm", WHERE,
        "[Seq forms] perform only a limited NPR during the first rounds, quickly dropping to a "
        "single pull per round",
        "K = 25: over the first ten rounds more than one pull a round, but few; in the second "
        "quarter of the rounds a single one",
        at_shown(limited_pulls), f"{WORDS['limited']}; {WORDS['one pull']}",
    )  # fmt: skip
    yield Statement(
        "R8", "rm", WHERE, "UCBrev+ start pulling a large number of arms, i.e., equal to K",
        "K = 25: UCBrev+ pulls every arm in each of the first ten rounds",
        at_shown(all_at_first),
    )  # fmt: skip
    yield Statement(
        "R9", "rm", WHERE, "[UCBrev+'s NPR] decrease slower than the other two",
        "K = 25: more pulls per round over the whole run than both Seq forms", at_shown(slower),
    )  # fmt: skip
    yield Statement(
        "R10", "rm", WHERE,
        "[Seq forms] allocate a percentage of pulls to a* comparable to the traditional "
        "counterparts",
        "K = 25: Opt* of the Seq forms is comparable to that of the classical ones",
        at_shown(like_classical), WORDS["shares"],
    )  # fmt: skip
    yield Statement(
        "R11", "rm", WHERE, "UCBrev+ select a* with a lower percentage of the total number of "
        "pulls",
        "K = 25: Opt* of UCBrev+ is below that of each of the other four",
        at_shown(lowest_share),
    )  # fmt: skip
    for number, arms in (("R12", "10"), ("R13", "50")):
        yield Statement(
            number, "rm", "Supplement, additional results",
            f"in line with those of the case K = 25 (K = {arms})",
            f"all that is checked in R1 to R11, at K = {arms}", partial(_every, ALL, arms),
            "as in R1 to R11",
        )  # fmt: skip
    yield Statement(
        "R14", "rm", "Footnote on baselines", "UCBrev ... strictly worse than [UCBrev+]",
        "UCBrev, one pull a round, has more regret than UCBrev+ at every K",
        strictly_worse, why_not=ONE_PULL_SAVES,
    )  # fmt: skip


STATEMENTS = tuple(_statements())
