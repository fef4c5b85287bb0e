"""What a reader of the reproduction should know beside its figures."""

from collections.abc import Mapping, Sequence

from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.verdict import Claim, text_of

SHOWN_C = "2"

SLIPS = (
    (
        "Offer index",
        "The arm offered at step t is printed as mod(t, K) + 1, which starts with the second arm; "
        "the first offer is the first arm.",
    ),
    ("Steps of a round", "ro_i is printed with (i - 1)/K; it should be (i - 1) K."),
    (
        "A round that misses the best arm",
        "The text gives it the reward -X_*, the formula for Z_t has 0. Both make the same regret "
        "only if the round's best is counted once: mu* is lost, as here.",
    ),
    (
        "Second regret formula",
        "The empirical regret is printed as T mu*/K minus the sum of the means pulled, which goes "
        "negative once several arms are pulled in a round. Used here, and in the authors' own "
        "code: the gap of every pull of another arm, plus mu* for every round that missed the "
        "best one.",
    ),
    ("Order of C_i", "'C_i is o(1)' should be O(1)."),
    ("Theorem 1", "The bound is printed with -C_i K; it should be -C_i ln K."),
    (
        "UCB1's bound",
        "The display has ln(tau) and subtracts 8K/Delta_i^2 as well: what turns ln(T) into "
        "ln(tau) is subtracted twice.",
    ),
    (
        "Terms of Thompson sampling and Bayes-UCB",
        "o(ln ln t) and o((ln ln t)^2) should be O. Bayes-UCB's constants are proven for c >= 5; "
        "the experiments, here as there, use c = 0.",
    ),
    (
        "Theorem 2",
        "Its proof charges mu* for every suboptimal pull although a round is missed only if a* is "
        "not pulled in it: Seq misses at most as many rounds as its policy makes two suboptimal "
        "pulls in a row.",
    ),
    (
        "Theorem 3",
        "The factor K is groundless: one pull a round is the classical setting with tau pulls.",
    ),
    (
        "UCBE's error bound",
        "Printed without the minus sign: it is 2nK exp(-2a/25), for a <= 25/36 (n - K)/H1 with the "
        "best arm counted in H1. Every c of the experiments lies outside of that.",
    ),
    (
        "Theorem 4",
        "With the budget given there the exponent is (2T - 1)/(2 K H2); the K is missing. The "
        "proof loses a factor of 2: 2 tau/H2 is attainable. It bounds its own budget, not SR+ with "
        "tau pulls, which the experiments play. Nor is the gain over SR K/logbar(K) (statement "
        "I11).",
    ),
    (
        "Theorem 5",
        "The proof takes a maximum of gaps where their sum is needed, and prints sqrt(e/lambda) "
        "for sqrt(e/T).",
    ),
    (
        "Algorithm S2",
        "The radius is printed as ln(t d^2)/(2t), and the test comes before the pulls of its "
        "round, so one pull early; Auer and Ortner's ln(tau d^2)/(2 n_m) after n_m pulls is used "
        'here. UCBrev+(radius="printed") has the printed radius.',
    ),
    (
        "Algorithm S3",
        "The phase index starts at n_0, which is not defined; the first phase ends after n_1.",
    ),
)

DIFFERENCES = (
    "As the authors did: the best arm first in the synthetic problems, ties to the lowest position "
    "(bUCB, UCBE, SR+), TS and bUCB from their prior. --order random puts the best arm anywhere.",
    "The full run plays more often than the paper's 100 times where differences are small.",
    "Every agent faces the same worlds, so differences are paired and their intervals are those of "
    "the differences. Intervals of few or skewed values are wider than Student's; their coverage "
    "was tried by simulation. Bands of curves are Student's.",
    "The advertising log and the water record of the paper may not be passed on. Without a file of "
    "your own the day of articles is made up, and the water tables are drawn from the rates of "
    "another drinking-water station.",
    "UCBE is told the hardness H1 of its problem. So it is in the paper; no live learner knows it.",
    "With ties to the lowest position, where the best arm stands, SR+ drops it first among equals "
    "and errs more than with random ties: {}.",
)


def tally(claims: Sequence[Claim]) -> str:
    """``Of 35 statements of the paper 31 hold, 2 do not hold (R14, I5), 2 are not settled.``"""
    words = {True: "hold", False: "do not hold", None: "are not settled"}
    said = []
    for kind, word in words.items():
        those = [claim.id for claim in claims if claim.holds is kind]
        if those:
            named = f" ({', '.join(those)})" if kind is not True else ""
            said.append(f"{len(those)} {word}{named}")
    return f"Of {len(claims)} statements of the paper {', '.join(said)}."


def limits(results: Mapping[str, Plain]) -> list[str]:
    """What does not go well, and where this run differs from the paper, with this run's figures."""
    said = [text for text in DIFFERENCES if "{}" not in text]
    if "rm" in results:
        ((arms, change),) = results["rm"]["aside"]["Seq(UCB1) - UCB1"].items()
        said.append(
            f"Seq does not help every policy: with UCB1 at K = {arms} the regret of Seq minus that "
            f"of one pull a round is {text_of(change)}."
        )
    if "yahoo" in results:
        low = results["yahoo"]["aside"]
        said.append(
            f"With ten arms of click rates from {min(low['rates'])} to {max(low['rates'])} "
            f"TS has a regret of {text_of(low['TS'])}, and Seq(TS) minus TS is "
            f"{text_of(low['Seq(TS) - TS'])}."
        )
    if "bai" in results:
        worse = {
            number: found["agents"]["SR+"]["error"]["mean"]
            - found["agents"]["SR+ random"]["error"]["mean"]
            for number, found in results["bai"]["experiments"].items()
        }
        listed = ", ".join(f"{number}: {100 * more:+.1f}" for number, more in worse.items())
        said.append(DIFFERENCES[-1].format(f"points by experiment {listed}"))
    return said


def changes(results: Mapping[str, Plain]) -> list[tuple[str, str, str]]:
    """(change, what is measured, figures): what spnb recommends, each change by itself."""
    rows = []
    if "rm" in results:
        problems = results["rm"]["problems"]
        for name in ("random order", "sweep", "Challenge"):
            found = {f"K = {arms}": each["worth"][name] for arms, each in problems.items()}
            rows.append((name, "regret, against Seq(TS) as in the paper", _cases(found)))
    if "bai" in results and SHOWN_C in results["bai"]["c"]:
        experiments = results["bai"]["experiments"]
        for ties in ("random", "ahead"):
            key = f"{ties} - first"
            found = {number: each["ties"][SHOWN_C][key] for number, each in experiments.items()}
            what = 'rounds of LP in UCBE\'s, against ties="first", by experiment'
            rows.append((f'ties="{ties}"', what, _cases(found, percent=True)))
        for name, one in results["bai"]["beyond"].items():
            what = "error, half of UCBE's rounds, mean of the experiments"
            rows.append((name, what, text_of(one, percent=True)))
    return rows


def _cases(found: Mapping[str, Plain], percent: bool = False) -> str:
    return "; ".join(f"{case}: {text_of(one, percent)}" for case, one in found.items())
