"""What the paper says of best-arm identification on the seven problems."""

from collections.abc import Iterator
from functools import partial

from spnb.paper.experiments.bai import SHOWN_C, c_text
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.statements import tolerances
from spnb.paper.experiments.statements.tolerances import WORDS
from spnb.paper.experiments.verdict import (
    Check,
    MissingError,
    Statement,
    above,
    below,
    exact,
    text_of,
    within,
)

C = c_text(SHOWN_C)
WHERE = "Synthetic datasets, identification"
LOGBAR = (
    "The exponent of theorem 4, with the K that its own budget brings, is logbar(K) times "
    "that of SR with tau pulls; 2 logbar(K) times is attainable; neither is K/logbar(K)."
)
SOONER = (
    "SR+ pulls every arm still in question in every round, so it makes the pulls of one arm a "
    "round in a fraction of the rounds."
)
FOOTNOTE = "Footnote on baselines"


def need_c(results: Plain, c: str = C) -> None:
    if c not in results["c"]:
        raise MissingError(f"This run has no c = {c}, of which the statement speaks.")


def at_c(results: Plain, c: str = C) -> Iterator[tuple[str, Plain]]:
    need_c(results, c)
    return ((number, each["c"][c]) for number, each in results["experiments"].items())


def over_all(pair: str, results: Plain, c: str = C) -> Check:
    """The first of the pair errs less, averaged over the experiments."""
    need_c(results, c)
    count = len(results["experiments"])
    return below(f"c = {c}: error of {pair}, mean of {count} experiments, below 0",
                 results["overall"][c][pair], percent=True)  # fmt: skip


def like_once(results: Plain, c: str = C) -> Check:
    need_c(results, c)
    near = tolerances.COMPARABLE_ERRORS
    return within(f"c = {c}: error of LP - UCBE, mean of the experiments, within 2 points",
                  results["overall"][c]["LP - UCBE"], -near, near, percent=True)  # fmt: skip


def exceptions(pairs: tuple[str, ...], results: Plain) -> str:
    """Single experiments in which the first of a pair is not the better one."""
    if C not in results["c"]:
        return ""
    found = [
        f"{number} ({pair} {text_of(at['paired'][pair], percent=True)})"
        for number, at in at_c(results)
        for pair in pairs
        if at["paired"][pair]["mean"] >= 0
    ]
    return f"Experiments in which it was not so: {'; '.join(found)}." if found else ""


def fewer_rounds(results: Plain) -> list[Check]:
    return [
        below(f"experiment {number}: rounds of LP below UCBE's", at["agents"]["LP"]["psi_rounds"],
              percent=True)
        for number, at in at_c(results)
    ]  # fmt: skip


def in_range(agent: str, metric: str, ends: tuple[float, float], results: Plain) -> list[Check]:
    """Every experiment within the printed range, and the range reached at both ends."""
    near = tolerances.ROUNDING
    found = {number: at["agents"][agent][metric] for number, at in at_c(results)}
    least, most = min(ends), max(ends)
    name = f"{'rounds' if metric == 'psi_rounds' else 'pulls'} of {agent} against UCBE's"
    checks = [
        within(f"experiment {number}: {name} from {least:+.0%} to {most:+.0%}", each,
               least - near, most + near, percent=True)
        for number, each in found.items()
    ]  # fmt: skip
    if len(found) < 7:  # the ends are those of all seven
        raise MissingError("This run has not all seven experiments, whose range is printed.")
    for end, pick in ((least, min), (most, max)):
        number = pick(found, key=lambda key: found[key]["mean"])
        checks.append(
            within(f"experiment {number}, the outermost: {name} rounds to {end:+.0%}",
                   found[number], end - near, end + near, percent=True)
        )  # fmt: skip
    return checks


def similar(results: Plain) -> list[Check]:
    checks = []
    for number, at in at_c(results):
        rejects = results["experiments"][number]["agents"]["SR+"]["psi_rounds"]["mean"]
        near = tolerances.SIMILAR_SAVINGS
        checks.append(
            within(f"experiment {number}: rounds of LP against UCBE's, within 5 points of SR+'s "
                   f"{rejects:+.1%}", at["agents"]["LP"]["psi_rounds"],
                   rejects - near, rejects + near, percent=True)
        )  # fmt: skip
    return checks


def monotone(results: Plain) -> list[Check]:
    if len(results["c"]) < 2:
        raise MissingError("This run has a single value of c.")
    checks: list[Check] = []
    for number, experiment in results["experiments"].items():
        for step in experiment["growth"]:
            name = f"experiment {number}, c = {step['from']} to {step['to']}"
            checks.append(below(f"{name}: rounds of LP fall", step["psi_rounds"], percent=True))
            checks.append(above(f"{name}: pulls of LR grow", step["psi_pulls"], percent=True))
    return checks


def other_values(results: Plain) -> list[Check]:
    others = [c for c in results["c"] if c != C]
    if not others:
        raise MissingError(f"This run has no other value of c than {C}.")
    return [
        check
        for c in others
        for check in (
            over_all("LP - SR+", results, c),
            like_once(results, c),
            over_all("LR - UCBE", results, c),
            over_all("LR - SR+", results, c),
        )
    ]


def rejects_worse(results: Plain) -> list[Check]:
    checks = [
        above(f"experiment {number}: rounds of SR - SR+, in UCBE's, above 0",
              experiment["SR - SR+"], percent=True)
        for number, experiment in results["experiments"].items()
    ]  # fmt: skip
    text = "error of SR - SR+, mean of the experiments, above -2 points"
    near = tolerances.COMPARABLE_ERRORS
    return [*checks, above(text, results["SR - SR+"], -near, percent=True)]


def scaling(results: Plain) -> list[Check]:
    checks, near = [], tolerances.SCALING
    for arms, found in results["remark"].items():
        factor, said = found["factor"], found["said"]
        # 2 / logbar(2) is 2 itself, but for the last digit
        checks += [
            exact(f"K = {arms}: K/logbar(K) at least 2", said, said >= 2 - 1e-9),
            exact(f"K = {arms}: the factor between the exponents is about {said:.3g}",
                  factor, abs(factor / said - 1) < near),
        ]  # fmt: skip
    return checks


STATEMENTS = (
    Statement(
        "I1", "bai", WHERE, "Seq(UCBE)-LP performs better than SR+",
        "at c = 2 the error of LP, averaged over the experiments, is below that of SR+",
        lambda results: [over_all("LP - SR+", results)],
        notes=partial(exceptions, ("LP - SR+",)),
    ),
    Statement(
        "I2", "bai", WHERE, "[Seq(UCBE)-LP performs] comparably to UCBE in terms of [error]",
        "at c = 2 the errors of LP and UCBE, averaged over the experiments, are comparable",
        lambda results: [like_once(results)], WORDS["errors"],
    ),
    Statement(
        "I3", "bai", WHERE, "[LP] requiring a significantly lower number of rounds than UCBE",
        "at c = 2 LP uses fewer rounds than UCBE in every experiment", fewer_rounds,
    ),
    Statement(
        "I4", "bai", WHERE, "[rounds of LP] between -3% and -18%, depending on the experiment",
        "at c = 2 the rounds of LP against UCBE's lie in this range in all seven experiments and "
        "reach both of its ends",
        partial(in_range, "LP", "psi_rounds", (-0.18, -0.03)), WORDS["rounding"],
    ),
    Statement(
        "I5", "bai", WHERE,
        "[saving] in the majority of the experiments, similar to what obtainable using "
        "SR+",
        "at c = 2 LP and SR+ save similar numbers of rounds in more than half of the experiments",
        similar, WORDS["savings"], quorum="most", why_not=SOONER,
    ),
    Statement(
        "I6", "bai", WHERE, "Seq(UCBE)-LR generically provides a significant reduction ... when "
        "compared to the UCBE and SR+ ones",
        "at c = 2 the error of LR, averaged over the experiments, is below UCBE's and below SR+'s",
        lambda results: [over_all("LR - UCBE", results), over_all("LR - SR+", results)],
        notes=partial(exceptions, ("LR - UCBE", "LR - SR+")),
    ),
    Statement(
        "I7", "bai", WHERE, "[pulls of LR] varies from 3% and 19%, depending on the experiment",
        "at c = 2 the pulls of LR against UCBE's lie in this range in all seven experiments and "
        "reach both of its ends",
        partial(in_range, "LR", "psi_pulls", (0.03, 0.19)), WORDS["rounding"],
    ),
    Statement(
        "I8", "bai", "Supplement, additional results", "c ... influences monotonically both the "
        "reduction of rounds ... and the increase percentage of pulls",
        "from each c to the next larger one the rounds of LP fall and the pulls of LR grow, in "
        "every experiment", monotone,
    ),
    Statement(
        "I9", "bai", WHERE, "other values of c ... in line with those presented",
        "I1, I2 and I6 at every other c", other_values, WORDS["errors"],
    ),
    Statement(
        "I10", "bai", FOOTNOTE, "SR ... strictly worse than [SR+]",
        "with the same number of pulls SR needs more rounds than SR+ in every experiment, and its "
        "error, averaged over them, is not lower than what is comparable",
        rejects_worse, WORDS["errors"],
    ),
    Statement(
        "I11", "bai", "Remark after theorem 4",
        "[SR+ has] a better scaling factor of ≈ K/logbar(K) ≥ 2",
        "that factor is at least 2, and is the one between the exponents of the bounds of SR+ "
        "(theorem 4) and SR, for many rounds",
        scaling, WORDS["scaling"], why_not=LOGBAR,
    ),
)  # fmt: skip
