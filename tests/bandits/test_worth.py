"""Worth: its rule, the regret of profit, and that it pays."""

import numpy as np
import pytest

import spnb
from spnb.base.errors import SpecError
from spnb.engine.dice import generator
from spnb.testing import pull_table
from spnb.theory import kl


def test_worth_pulls_while_the_index_reaches_the_cost(seed: int) -> None:
    learner = spnb.Learner("Worth(KLUCB, cost=0.45)", 4, seed=seed)
    luck = generator(seed, "rewards")
    means = luck.random(4)
    for round_ in range(1, 80):
        for arm in range(4):
            stats, answer = learner.state.policy, learner.ask(arm)
            n, mean = stats.pulls[arm], stats.sums[arm] / max(stats.pulls[arm], 1)
            if n == 0 or mean >= 0.45:
                assert answer
            else:  # the index reaches the cost: N kl(mean, cost) <= ln r
                short = n * float(kl(np.array(mean), np.array(0.45))) - np.log(round_)
                assert answer == (short <= 0) or abs(short) < 1e-9
            if answer:
                learner.pulled(arm)
                learner.observe(arm, float(luck.random() < means[arm]))
        learner.next_round()


def test_an_arm_that_has_paid_so_far_is_pulled_whatever_the_draw() -> None:
    learner = spnb.Learner("Worth(TS, cost=0.5)", 2, seed=1)
    for arm, wins in ((0, 10.0), (1, 9.0)):
        learner.pulled(arm)
        learner.observe(arm, wins, trials=20)
    answers = []
    for _ in range(60):
        learner.next_round()
        answers.append((learner.ask(0), learner.ask(1)))
    assert all(first for first, _ in answers)
    assert {second for _, second in answers} == {True, False}


@pytest.mark.parametrize("spec", ["Worth(cost=0.4)", "Challenge", "Seq(TS)"])
def test_the_regret_of_profit_is_its_definition(spec: str, seed: int) -> None:
    problem, cost, rounds = spnb.Bernoulli((0.1, 0.7, 0.4, 0.5)), 0.4, 50
    result = spnb.simulate(problem, spec, rounds=rounds, runs=1, seed=seed, cost=cost)
    table, mu = pull_table(spnb.agent(spec), problem, rounds, seed), np.array(problem.means)
    pulls = table.sum(axis=0)
    missed = np.where(mu > cost, (mu - cost) * (rounds - pulls), (cost - mu) * pulls)
    assert result.agents[spec].regret[0] == pytest.approx(missed.sum())
    worthwhile = table[:, mu > cost].mean()
    assert result.agents[spec].opti[0] == pytest.approx(worthwhile)


def test_where_no_arm_is_worth_a_pull_nothing_is_missed(seed: int) -> None:
    result = spnb.simulate([0.2, 0.3], "Uniform+", rounds=10, runs=2, seed=seed, cost=0.4)
    runs = result.agents["Uniform+"]
    assert list(runs.opti) == [1.0, 1.0]
    assert list(runs.opt) == [0.0, 0.0]
    assert runs.regret == pytest.approx([3.0, 3.0])


def test_worth_earns_more_than_agents_that_look_for_the_best_arm(seed: int) -> None:
    agents = ["Seq(TS)", "Challenge", "Worth(cost=0.5)", "Worth(TS, cost=0.5)"]
    result = spnb.simulate(spnb.RandomMeans(10), agents, rounds=400, runs=200, seed=seed, cost=0.5)
    for spec in agents[2:]:
        for other in agents[:2]:
            assert result.paired("regret", spec, other).high < 0


def test_nonsense_is_refused() -> None:
    with pytest.raises(SpecError, match="Worth.cost must be a number in"):
        spnb.agent("Worth(cost=2)")
    for policy in ("T3C", "TTTS", "APT(level=0.4)"):  # whose index is not on the scale of a cost
        with pytest.raises(SpecError, match="Worth.policy must have an index on the scale of rew"):
            spnb.agent(f"Worth({policy}, cost=0.4)")
    with pytest.raises(SpecError, match="cost must be a number in"):
        spnb.simulate(spnb.RandomMeans(3), "Challenge", rounds=5, cost=1.5)
    with pytest.raises(SpecError, match="best must be 1"):
        spnb.simulate(spnb.RandomMeans(3), "Challenge", rounds=5, cost=0.5, best=2)
    with pytest.raises(SpecError, match="means that do not change"):
        spnb.simulate(spnb.Abrupt(3), "Challenge", rounds=5, cost=0.5)
