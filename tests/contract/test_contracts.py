"""Every policy and agent of the registry keeps the contracts that spnb ships."""

from dataclasses import dataclass

import numpy as np
import pytest

import spnb
from spnb import testing
from spnb.bandits import registry
from spnb.bandits.agents import Challenge, Seq
from spnb.bandits.agents.follow import Following
from spnb.bandits.policies.base import IndexPolicy, Stats, empty_stats
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.setting import Setting


@pytest.mark.parametrize("spec", registry.policy_samples())
def test_a_policy_keeps_the_contract(spec: str, seed: int) -> None:
    testing.check_policy(spec, seed)


@pytest.mark.parametrize("spec", registry.agent_samples(under_seq=False))
def test_an_agent_keeps_the_contract(spec: str, seed: int) -> None:
    testing.check_agent(spec, seed)


@dataclass(frozen=True)
class Last(IndexPolicy[Stats]):
    """A policy of a user's own: the highest position."""

    def init(self, batch: int, setting: Setting) -> Stats:
        return Stats(*empty_stats(batch, setting.arms))

    def index(self, state: Stats, rows: IntArray, clock: FloatArray) -> FloatArray:
        return np.tile(np.arange(state.pulls.shape[1], dtype=float), (len(rows), 1))


@pytest.fixture
def own_policy(monkeypatch: pytest.MonkeyPatch) -> Last:
    monkeypatch.setattr(registry, "POLICIES", (*registry.POLICIES, registry.Row(Last, ("Last",))))
    return Last()


def test_a_policy_of_ones_own_is_checked_and_simulated_like_the_built_in_ones(
    own_policy: Last, seed: int
) -> None:
    testing.check_policy(own_policy, seed)
    result = spnb.simulate(
        spnb.Bernoulli((0.1, 0.9)), ["Seq(Last)", Challenge(own_policy)], rounds=20, runs=3, seed=1
    )
    assert result.agents["Seq(Last)"].opti.mean() == 1.0


# The contracts must fail on plausible bugs; each class below has one.


@dataclass(frozen=True)
class Impatient(Seq):
    """Goes on before the reward is there."""

    def pulled(self, state: Following, rows: IntArray, arm: IntArray) -> None:
        state.target[rows] = (arm + 1) % state.policy.pulls.shape[1]


@dataclass(frozen=True)
class Forgetful(Seq):
    """Chooses from what it knew before the reward."""

    def observe(
        self,
        state: Following,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        state.target[rows] = self.policy.choose(state.policy, rows, rng)
        self.policy.update(state.policy, rows, arm, reward, rng)
        state.waiting[rows] = False


@dataclass(frozen=True)
class Leaky(Last):
    """Decides by what lies outside its state."""

    def index(self, state: Stats, rows: IntArray, clock: FloatArray) -> FloatArray:
        shape = (len(rows), state.pulls.shape[1])
        return np.random.default_rng(len(state.pulls)).random(shape) + state.pulls[rows] % 2


def test_the_contract_catches_an_agent_that_leaves_its_policys_sequence(seed: int) -> None:
    policy = spnb.policy('UCB1(ties="first")')
    for agent in (Impatient(policy), Forgetful(policy)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(testing, "Seq", type(agent))
            with pytest.raises(AssertionError):
                testing.check_seq_follows(policy, testing.MEANS, seed)


def test_the_contract_catches_rows_that_depend_on_the_batch(seed: int) -> None:
    with pytest.raises(AssertionError, match="differs alone"):
        testing.check_rows_are_independent(Seq(Leaky(ties="first")), seed)


@dataclass(frozen=True)
class Misnamed(Last):
    """Prints as another policy."""

    spec_name = "Last"


def test_the_contract_catches_a_spec_that_does_not_read_back(own_policy: Last) -> None:
    with pytest.raises(AssertionError, match="reads back"):
        testing.check_policy(Misnamed(), 0)


@dataclass(frozen=True)
class Careless(Last):
    """Takes any value for its parameter."""

    width: float = 1.0


@dataclass(frozen=True)
class Vague(Careless):
    """Refuses, but does not say what."""

    def __post_init__(self) -> None:
        if not isinstance(self.width, float):
            raise spnb.SpecError("bad parameter")


def test_the_contract_catches_parameters_that_are_not_checked() -> None:
    with pytest.raises(AssertionError, match="Careless.width accepts"):
        testing.check_parameters(Careless())
    with pytest.raises(AssertionError, match="Vague.ties accepts"):
        testing.check_parameters(Vague())
