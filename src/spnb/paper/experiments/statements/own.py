"""What spnb says of its own agents, judged like the paper."""

from collections.abc import Sequence

from spnb.paper.experiments.bai import SHOWN_C, c_text
from spnb.paper.experiments.limits import TITLES
from spnb.paper.experiments.plain import Plain, point
from spnb.paper.experiments.statements import tolerances
from spnb.paper.experiments.statements.identification import need_c
from spnb.paper.experiments.statements.tolerances import WORDS
from spnb.paper.experiments.verdict import Check, MissingError, Statement, below, within

C = c_text(SHOWN_C)
NEAR = tolerances.COMPARABLE_ERRORS
NEAR_LIMIT = 2.5
NO_HALF = "This run has no Pack with half of the rounds."


def challenge(results: Plain) -> list[Check]:
    return [
        below(f"K = {arms}: regret of {text} below 0", problem["worth"][name])
        for text, name in (
            ("Challenge - Seq(TS), random order,", "Challenge, both in random order"),
            ("Challenge - Seq(TS)", "Challenge"),
            ("Challenge - Seq(bUCB)", "Challenge, against Seq(bUCB)"),
        )
        for arms, problem in results["problems"].items()
    ]


def near_the_limit(results: Plain) -> list[Check]:
    """The limit is a lower bound on what any agent loses, so one is the best there could be."""
    checks = []
    for name, found in results["limits"].items():
        of = f"{TITLES[name]}: regret in multiples of the limit,"
        checks += [
            below(f"{of} Challenge, below {NEAR_LIMIT:g}",
                  found["regret / limit"]["Challenge"], NEAR_LIMIT),
            below(f"{of} Challenge - Seq(TS), below 0", found["Challenge - Seq(TS)"]),
        ]  # fmt: skip
    return checks


def sweep(results: Plain) -> list[Check]:
    arms = max(results["problems"], key=int)
    found = results["problems"][arms]["worth"]["sweep"]
    return [below(f"K = {arms}: regret of Seq(TS(sweep)) - Seq(TS) below 0", found)]


def challenge_articles(results: Plain) -> list[Check]:
    end = point(results["ratio"]["Challenge / Seq(TS)"], -1)
    return [below("regret of Challenge / Seq(TS) at the end below 1", end, 1.0)]


def ahead_saves(results: Plain) -> list[Check]:
    need_c(results)
    return [
        below(f"experiment {number}, c = {C}: rounds of LP, ahead - random, in UCBE's, below 0",
              found["ties"][C]["ahead - random"], percent=True)
        for number, found in results["experiments"].items()
    ]  # fmt: skip


def ahead_is_free(results: Plain) -> list[Check]:
    need_c(results)
    return [
        within(f"c = {C}: error of LP, ahead - random, mean of the experiments, within 2 points",
               results["overall"][C]["LP ahead - LP random"], -NEAR, NEAR, percent=True)
    ]  # fmt: skip


def _beyond(results: Plain, names: Sequence[str]) -> list[Plain]:
    need_c(results)
    if not results["beyond"]:
        raise MissingError(NO_HALF)
    return [results["beyond"][name] for name in names]


def pack_like_once(results: Plain) -> list[Check]:
    (found,) = _beyond(results, ["Pack - UCBE"])
    text = "error of Pack(UCBE), half of the rounds, - UCBE, mean, within 2 points"
    return [within(text, found, -NEAR, NEAR, percent=True)]


def pack_beats_rejects(results: Plain) -> list[Check]:
    (found,) = _beyond(results, ["Pack - SR+"])
    text = "error of Pack(UCBE), half of the rounds, - SR+, mean, below 0"
    return [below(text, found, percent=True)]


def free(results: Plain) -> list[Check]:
    """Without oracle knowledge, for every policy that Pack has without it."""
    need_c(results)
    names = [name for name in results["beyond"] if name.startswith("Pack ") and name[5] != "-"]
    if not names:
        raise MissingError(NO_HALF)
    checks = []
    for name in names:
        text, found = f"error of {name}, half of the rounds, mean,", results["beyond"][name]
        if name.endswith("SR+"):
            checks.append(below(f"{text} below 0", found, percent=True))
        else:
            checks.append(within(f"{text} below 2 points", found, -1.0, NEAR, percent=True))
    return checks


STATEMENTS: Sequence[Statement] = (
    Statement(
        "S1", "rm", "spnb", "Challenge has less regret than Seq",
        "less regret than Seq(TS) and Seq(bUCB) at every K, and than Seq(TS) in a random order",
        challenge,
    ),
    Statement(
        "S2", "rm", "spnb", "With many arms a first sweep helps Seq(TS)",
        "at the largest K Seq(TS(sweep)) has less regret than Seq(TS)", sweep,
    ),
    Statement(
        "S3", "yahoo", "spnb", "Challenge has less regret than Seq(TS) on articles",
        "the ratio of their regrets, averaged over all articles, is below 1 at the end",
        challenge_articles,
    ),
    Statement(
        "S4", "bai", "spnb", "ties=\"ahead\" saves rounds against random ties",
        "at c = 2 LP uses fewer rounds with it in every experiment", ahead_saves,
    ),
    Statement(
        "S5", "bai", "spnb", "ties=\"ahead\" costs no accuracy",
        "at c = 2 the errors of LP with it and with random ties are comparable", ahead_is_free,
        WORDS["errors"],
    ),
    Statement(
        "S6", "bai", "spnb", "Pack errs like UCBE in half of the rounds",
        "both are told H1 and make the same number of pulls; errors averaged over the experiments",
        pack_like_once, WORDS["errors"],
    ),
    Statement(
        "S7", "bai", "spnb", "Pack errs less than SR+ with the same pulls",
        "Pack is told H1 and takes half of UCBE's rounds, SR+ (random ties) is not and takes fewer",
        pack_beats_rejects,
    ),
    Statement(
        "S8", "bai", "spnb", "Pack does not need to be told H1",
        "half of the rounds, H1 estimated: errors averaged over the experiments at most 2 points "
        "above those of UCBE, which is told H1, and below those of SR+ (random ties)",
        free, WORDS["errors"],
    ),
    Statement(
        "S9", "rm", "spnb", "Challenge is near to what no agent can beat, nearer than Seq(TS)",
        f"on four families of random problems (10 arms) its mean regret is below {NEAR_LIMIT:g} "
        "times the Bayes limit, which even an agent loses that is told the best of the other "
        "means, and below that of Seq(TS)",
        near_the_limit,
    ),
)  # fmt: skip
