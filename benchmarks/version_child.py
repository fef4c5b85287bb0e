"""One version of spnb at work: a line of JSON says what to do, a line answers what it cost.

It is started by its path with some checkout's ``src`` ahead on PYTHONPATH, so it uses nothing but
what every version has: ``simulate``, ``Learner`` and the problems.
"""

import json
import sys
from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any

import numpy as np

import spnb

SEED = 20
DAYS = 30


def means_of(arms: int) -> list[float]:
    """Even means, a gap of 0.1 below the best, in a mixed order."""
    means = np.append(np.linspace(0.05, 0.8, arms - 1), 0.9)
    mixed: list[float] = np.random.default_rng(arms).permutation(means).tolist()
    return mixed


def problem_of(world: str, arms: int) -> Any:
    """One problem of each kind."""
    means = means_of(arms)
    if world in ("Recorded", "Recorded worlds"):
        table = (np.random.default_rng(1).random((DAYS, arms)) < means).astype(float)
        table[3, 1] = np.nan  # not offered on that day
        return spnb.Recorded(table, replay="worlds" if world == "Recorded worlds" else "repeat")
    return getattr(spnb, world)(means)


def simulated(agent: str, arms: int, world: str, rounds: int, runs: int) -> float:
    """CPU microseconds per pull, everything that ``simulate`` does included."""
    problem = problem_of(world, arms)
    start = process_time()
    found = spnb.simulate(problem, [agent], rounds=rounds, runs=runs, seed=SEED)
    spent = process_time() - start
    return 1e6 * spent / float(found.agents[agent].pulls.sum())


def started_alike(agent: str) -> str:
    """The agent with every arm pulled once first.

    Some versions start TS and bUCB so, others from the prior unless told: with many arms that is
    other work altogether, a thousand cheap pulls or a few dear ones.
    """
    swept = agent.replace("(TS)", "(TS(sweep))").replace("(bUCB)", "(bUCB(sweep))")
    try:
        spnb.agent(swept)
    except spnb.SpecError:
        return agent
    return swept


def lived(agent: str, arms: int, rounds: int, how: str) -> float:
    """CPU microseconds per pull of a live learner: every arm of every round is asked for.

    "live, swept": of the rounds after the first, in which every arm was pulled. "live, per offer":
    per offer instead, where versions that start in their own ways make other numbers of pulls.
    """
    means, luck, swept = means_of(arms), Random(SEED), how == "live, swept"
    chosen = started_alike(agent) if swept else agent
    learner = spnb.Learner(chosen, arms, horizon=rounds, seed=SEED)
    ask, pulled, observe = learner.ask, learner.pulled, learner.observe
    pulls, start = 0, process_time()
    for number in range(rounds):
        if number == 1 and swept:
            pulls, start = 0, process_time()
        for arm in range(arms):
            if ask(arm):
                pulled(arm)
                observe(arm, 1.0 if luck.random() < means[arm] else 0.0)
                pulls += 1
        if number + 1 < rounds:
            learner.next_round()
    spent = process_time() - start
    return 1e6 * spent / (rounds * arms if how == "live, per offer" else pulls)


def main() -> None:
    works: dict[str, Callable[..., float]] = {"simulate": simulated, "live": lived}
    print(json.dumps(spnb.__file__), flush=True)  # which version answers
    for line in sys.stdin:
        task = json.loads(line)
        print(json.dumps(works[task.pop("what")](**task)), flush=True)


if __name__ == "__main__":
    main()
