"""How far an agent is from what no agent can beat, on families of random problems."""

from collections.abc import Mapping
from typing import Any

from spnb.paper.experiments import plain
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Task
from spnb.problems import families
from spnb.simulation.simulate import simulate
from spnb.theory import bayes_limit

ARMS = 10
MORE_RUNS = 4  # regret of random problems has long tails, and a ratio to a limit is wanted
CLICK_ROUNDS = 730
LIMIT = "limit"
LIMIT_COST = 2000.0  # beside a run of TS
TITLES = {
    "uniform": "uniform means",
    "beta": "Beta(1, 3) means",
    "clustered": "clustered means, 0.4 to 0.6",
    "clicks": "click rates, 0.01 to 0.08",
}
Key = tuple[str, str]


def tasks(agents: Mapping[str, str], rounds: int, runs: int, seed: int) -> dict[Key, Task]:
    """The limit of each family, and each agent's regret there, by (family, label)."""
    found: dict[Key, Task] = {}
    for name, family in families(ARMS).items():
        length = rounds_of(name, rounds)
        # As long for few runs as for many, so it weighs the more the fewer there are.
        found[name, LIMIT] = Task(bayes_limit, (family, length), weight=LIMIT_COST / runs)
        for label, spec in agents.items():
            found[name, label] = Task(
                simulate, (family, spec), weight=float(MORE_RUNS),
                options={"rounds": length, "runs": MORE_RUNS * runs, "seed": seed},
            )  # fmt: skip
    return found


def rounds_of(family: str, rounds: int) -> int:
    """Click rates are followed for two years of days at most."""
    return min(rounds, CLICK_ROUNDS) if family == "clicks" else rounds


def results(found: Mapping[Key, Any], agents: Mapping[str, str], rounds: int) -> Plain:
    """Regret in multiples of the limit, by family, and how much less of it Challenge has."""
    out: Plain = {}
    for name in families(ARMS):
        least = found[name, LIMIT]
        regret = {
            label: found[name, label].agents[spec].regret / least for label, spec in agents.items()
        }
        out[name] = {
            "arms": ARMS,
            "rounds": rounds_of(name, rounds),
            "limit": plain.number(least),
            "regret / limit": {label: plain.mean(values) for label, values in regret.items()},
            "Challenge - Seq(TS)": plain.mean(regret["Challenge"] - regret["Seq(TS)"]),
        }
    return out
