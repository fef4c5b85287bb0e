"""What the paper says of the advertising study."""

from collections.abc import Sequence

from spnb.paper.experiments.plain import Plain, point
from spnb.paper.experiments.statements import tolerances
from spnb.paper.experiments.statements.tolerances import WORDS
from spnb.paper.experiments.verdict import Check, Statement, above, below, text_of, within

WHERE = "Real-world datasets, advertising"
HARD = (
    "UCBrev+ never misses the best slot, and at such low click rates every other pull costs "
    "little; those who pull once a round miss the best slot most of the time."
)
POLICIES = ("TS", "bUCB")
RATIOS = ("Seq(TS) / TS", "Seq(bUCB) / bUCB")


def _pairs(results: Plain) -> Plain:
    pairs: Plain = results["panels"]["paired"]
    return pairs


def comparable(results: Plain) -> list[Check]:
    near, pairs = tolerances.COMPARABLE_REGRETS, _pairs(results)
    return [
        within(f"regret of Seq({p}) against {p}'s, within a fifth",
               pairs[f"relative, Seq({p}) - {p}"], -near, near, percent=True)
        for p in POLICIES
    ]  # fmt: skip


def clearly_higher(results: Plain) -> list[Check]:
    return [
        above(f"regret of {name} above 0", found)
        for name, found in _pairs(results).items()
        if name.startswith("UCBrev+ - ")
    ]


def not_yet_one(results: Plain) -> list[Check]:
    one, checks = tolerances.ONE_PULL, []
    for policy in POLICIES:
        found = results["panels"]["tenths"][f"Seq({policy})"]
        name = f"pulls per round of Seq({policy})"
        checks += [
            below(f"{name}, last tenth of the rounds - first tenth, below 0", found["change"]),
            above(f"{name}, last tenth, above {one}", found["last"], one),
        ]
    return checks


def more_best(results: Plain) -> list[Check]:
    pairs = _pairs(results)
    return [
        above(f"Opti* of Seq({p}) - {p} above 0", pairs[f"Opti* of Seq({p}) - {p}"], percent=True)
        for p in POLICIES
    ]


def marginally(results: Plain) -> list[Check]:
    near, pairs = tolerances.COMPARABLE_SHARES, _pairs(results)
    return [
        within(f"Opt* of Seq({p}) - {p} above 0 and below 5 points",
               pairs[f"Opt* of Seq({p}) - {p}"], 0.0, near, percent=True)
        for p in POLICIES
    ]  # fmt: skip


def below_one(results: Plain) -> list[Check]:
    start = tolerances.START * results["rounds"]
    return [
        below(f"{name} at round {at} below 1", point(results["ratio"][name], i), 1.0)
        for name in RATIOS
        for i, at in enumerate(results["ratio"][name]["rounds"])
        if at > start
    ]


def at_first(results: Plain) -> str:
    """What the tolerance leaves out: the largest ratio of the first rounds."""
    told = []
    for name in RATIOS:
        curve = results["ratio"][name]
        early = [i for i, at in enumerate(curve["rounds"])
                 if at <= tolerances.START * results["rounds"]]  # fmt: skip
        if early:
            top = max(early, key=lambda i: curve["mean"][i])
            told.append(f"{name} {text_of(point(curve, top))} at round {curve['rounds'][top]}")
    return f"Largest in the rounds left out: {'; '.join(told)}." if told else ""


def better_early(results: Plain) -> list[Check]:
    name = "ratio of bUCB - ratio of TS, first tenth of the rounds, below 0"
    return [below(name, results["early"])]


def nine_tenths(results: Plain) -> list[Check]:
    return [
        within(f"{name} at the end, from 0.85 to 0.95", point(results["ratio"][name], -1),
               *tolerances.ABOUT_NINE_TENTHS)
        for name in RATIOS
    ]  # fmt: skip


STATEMENTS: Sequence[Statement] = (
    Statement(
        "A1", "yahoo", WHERE,
        "[regret] seems comparable between the Seq algorithms and their traditional "
        "counterparts",
        "one article: regret of each Seq form comparable to that of the classical one",
        comparable, WORDS["regrets"],
    ),
    Statement(
        "A2", "yahoo", WHERE, "UCBrev+ clearly shows an higher regret",
        "one article: UCBrev+ has more regret than each of the other four", clearly_higher,
        why_not=HARD,
    ),
    Statement(
        "A3", "yahoo", WHERE,
        "[NPR] decreases during the simulations, it does not converge yet to 1",
        "one article: pulls per round of both Seq forms are fewer in the last tenth of the rounds "
        "than in the first, and more than a single one",
        not_yet_one, WORDS["one pull"],
    ),
    Statement(
        "A4", "yahoo", WHERE, "both algorithms show significantly higher Opti*",
        "one article: the best slot is pulled in more rounds than by the classical form",
        more_best,
    ),
    Statement(
        "A5", "yahoo", WHERE, "[both algorithms show] marginally higher Opt*",
        "one article: a larger share of all pulls goes to the best slot, by less than what is "
        "comparable", marginally, WORDS["shares"],
    ),
    Statement(
        "A6", "yahoo", WHERE,
        "[ratios:] the mean and its confidence interval ... are below 1 over the "
        "entire time horizon",
        "all articles: both ratios of regret are below 1 at every round that is drawn",
        below_one, WORDS["start"], notes=at_first,
    ),
    Statement(
        "A7", "yahoo", WHERE, "Seq(bUCB) seems to perform better during an initial period",
        "all articles: over the first tenth of the rounds the ratio of bUCB is below that of TS",
        better_early,
    ),
    Statement(
        "A8", "yahoo", WHERE, "[ratios] converge to a rate of ≈ 0.9 by the end of the time horizon",
        "all articles: both ratios are about 0.9 at the end", nine_tenths, WORDS["nine tenths"],
    ),
)  # fmt: skip
