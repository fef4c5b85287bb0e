"""Claims 1 to 3: regret on the random problems."""

from collections.abc import Iterator

from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.verdict import Check, Claim, above, below, judged, text_of, within

NEARLY_ONE = 0.97  # "Opti* ~ 1"
ONE_PULL = (0.95, 1.1)  # "falls to 1"


def less_regret(results: Plain) -> Claim:
    checks: list[Check] = []
    ours: list[str] = []
    for arms, problem in results["problems"].items():
        pairs = problem["paired"]
        for policy in ("TS", "bUCB"):
            name = f"Seq({policy}) - {policy}"
            checks.append(below(f"K={arms}: regret of {name} below 0", pairs[name]))
        more = pairs["gain of TS - gain of bUCB"]
        checks.append(above(f"K={arms}: TS gains more than bUCB", more))
        shown = (f"{p} {text_of(pairs[f'Seq({p}) - {p}'])}" for p in ("TS", "bUCB"))
        ours.append(f"K={arms}: {', '.join(shown)}")
    return judged(
        1,
        "Seq(TS) and Seq(bUCB) have less regret than TS and bUCB at every K; TS gains more",
        "curves of Seq below; no figures printed",
        "change of regret under Seq, paired. " + "; ".join(ours),
        checks,
    )


def pulls_fall(results: Plain) -> Claim:
    checks: list[Check] = []
    ours: list[str] = []
    for arms, problem in results["problems"].items():
        agents = problem["agents"]
        for label in ("Seq(TS)", "Seq(bUCB)"):
            start, end = first_and_last(agents[label]["pulls_curve"])
            checks.append(above(f"K={arms}: {label} starts above 1 pull", start, 1.0))
            checks.append(within(f"K={arms}: {label} ends at 1 pull", end, *ONE_PULL))
            slower = problem["paired"][f"pulls per round of UCBrev+ - {label}"]
            checks.append(above(f"K={arms}: UCBrev+ falls slower than {label}", slower))
            ours.append(f"K={arms} {label} {start['mean']:.3g} to {end['mean']:.3g}")
        start, _ = first_and_last(agents["UCBrev+"]["pulls_curve"])
        checks.append(Check(f"K={arms}: UCBrev+ starts at K", start["mean"] == float(arms)))
        over = agents["UCBrev+"]["pulls_per_round"]
        ours.append(f"UCBrev+ {start['mean']:.3g}, {over['mean']:.3g} on average")
    return judged(
        2,
        "Seq's pulls per round start above 1 and fall to 1; UCBrev+ starts at K and falls slower",
        "curves; no figures printed",
        "pulls in round 1 and in the last tenth. " + "; ".join(ours),
        checks,
    )


def revisited_worst(results: Plain) -> Claim:
    checks: list[Check] = []
    ours: list[str] = []
    for arms, problem in results["problems"].items():
        own = problem["agents"]["UCBrev+"]
        checks.append(
            above(f"K={arms}: Opti* of UCBrev+ above {NEARLY_ONE}", own["opti"], NEARLY_ONE)
        )
        for name, estimate in _against_revisited(problem["paired"]):
            if name.startswith("Opt*"):
                checks.append(below(f"K={arms}: {name} below 0", estimate))
            elif name.startswith("UCBrev+"):
                checks.append(above(f"K={arms}: regret of {name} above 0", estimate))
        ours.append(
            f"K={arms}: Opti* {text_of(own['opti'])}, Opt* {text_of(own['opt'])}, "
            f"regret {text_of(own['regret'])}"
        )
    return judged(
        3,
        "UCBrev+ has Opti* of about 1, the lowest Opt* and the worst regret",
        "Opti*(UCBrev+) about 1; significantly worse regret",
        "UCBrev+. " + "; ".join(ours),
        checks,
    )


def _against_revisited(paired: Plain) -> Iterator[tuple[str, Plain]]:
    return ((name, estimate) for name, estimate in paired.items() if "UCBrev+ - " in name)


def first_and_last(curve: Plain) -> tuple[Plain, Plain]:
    """The first point and the mean over the last tenth of the rounds.

    The interval of the latter is the mean of its points' intervals: wider than it need be.
    """
    first = {name: curve[name][0] for name in ("mean", "low", "high")}
    bar = 0.9 * curve["rounds"][-1]
    late = [i for i, at in enumerate(curve["rounds"]) if at > bar]
    last: Plain = {}
    for name in first:
        values = [curve[name][i] for i in late]
        last[name] = None if None in values else sum(values) / len(values)
    return first, last
