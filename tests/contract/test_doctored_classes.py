"""The contracts must fail on plausible bugs, and say which; each class below has one."""

from dataclasses import replace
from typing import Any, ClassVar

import pytest

import spnb
from spnb import testing
from spnb.bandits import registry
from spnb.bandits.agents import Agent, Challenge, Seq
from spnb.bandits.agents.follow import Following
from spnb.bandits.policies import UCB1, IndexPolicy, Policy, Stats
from spnb.engine import play as engine
from spnb.engine.maths import log, nan, sqrt

FIRST: Any = "first"


class Impatient(Seq):
    """Goes on before the reward is there."""

    def pulled(self, s: Following, arm: int) -> None:
        s.target = (arm + 1) % len(s.policy.pulls)


class Forgetful(Seq):
    """Chooses from what it knew before the reward."""

    def observe(self, s: Following, arm: int, reward: float, trials: float) -> None:
        s.target = self.policy.choose(s.policy)
        self.policy.learn(s.policy, arm, reward, trials)
        s.waiting = False


@pytest.mark.parametrize(
    ("agent", "words"),
    [(Impatient, "goes on before the reward is there"), (Forgetful, "pulls .* alone")],
)
def test_the_contract_catches_an_agent_that_leaves_its_policys_sequence(
    agent: type[Seq], words: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(testing, "Seq", agent)
    with pytest.raises(AssertionError, match=words):
        testing.check_seq_follows(UCB1(ties=FIRST), spnb.Bernoulli(testing.MEANS), seed)


REMEMBERED: list[int] = []


class Leaky(Policy):
    """Decides by what lies outside its state: a list of the module."""

    def choose(self, s: Stats) -> int:
        REMEMBERED.append(1)
        return (len(REMEMBERED) // 3) % len(s.pulls)


class Secretive(Policy):
    """Keeps in its state what it has not declared there."""

    def choose(self, s: Any) -> int:
        s.turn = getattr(s, "turn", 0) + 1
        return int(s.turn) % len(s.pulls)


def test_the_contract_catches_runs_that_depend_on_other_runs(seed: int) -> None:
    with pytest.raises(AssertionError, match="differs alone"):
        testing.check_rows_are_independent(Seq(Leaky()), seed)


def test_the_contract_catches_a_state_that_is_not_declared(seed: int) -> None:
    with pytest.raises(AssertionError, match=r"keeps \['turn'\] in its state without declaring it"):
        testing.check_policy(Secretive(), seed)


class Hidden(IndexPolicy):
    """Draws with dice that nobody writes down."""

    def choose(self, s: Any) -> int:
        s.dice.__dict__["more"] = s.dice.__dict__.get("more", 0) + 1
        return int(s.dice.more * 7) % 3 % len(s.pulls)


def test_the_contract_catches_what_is_lost_when_a_run_is_saved(seed: int) -> None:
    with pytest.raises(AssertionError, match="differs once it was saved and read back"):
        testing.check_live_repeats_simulation(Seq(Hidden()), seed)
    with pytest.raises(AssertionError, match=r"keeps \['more'\] in its state without declaring"):
        testing.check_learning(Hidden(), seed)


class Deaf(UCB1):
    """Forgets s.add."""

    def learn(self, s: Stats, arm: int, reward: float, trials: float) -> None:
        s.sums[arm] += reward


class Hasty(UCB1):
    """Takes many trials for one."""

    def learn(self, s: Stats, arm: int, reward: float, trials: float) -> None:
        s.add(arm, reward / trials, 1.0)


@pytest.mark.parametrize(
    ("policy", "words"),
    [(Deaf(), "counts 0 of 1 rewards: does it forget to call s.add"), (Hasty(), "counts 1 of 5")],
)
def test_the_contract_catches_rewards_that_are_not_counted(
    policy: Policy, words: str, seed: int
) -> None:
    with pytest.raises(AssertionError, match=words):
        testing.check_policy(policy, seed)


class Gambler(Agent):
    """Throws dice when it is asked."""

    def wanted(self, s: Any, start: int) -> int:
        return start if s.policy.dice.random() < 0.5 else len(s.policy.pulls)


class Fickle(Agent):
    """Changes its state when it is asked, though not its answer."""

    def wanted(self, s: Any, start: int) -> int:
        s.policy.ahead += 1
        return start


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (Gambler(UCB1()), r"Gambler\(UCB1\).wanted (answers|changes the state's policy)"),
        (Fickle(UCB1()), r"Fickle\(UCB1\).wanted changes the state's policy"),
    ],
)
def test_the_contract_catches_an_agent_whom_asking_changes(
    agent: Agent, words: str, seed: int
) -> None:
    with pytest.raises(AssertionError, match=words):
        testing.check_agent(agent, seed)


class Lonely(IndexPolicy):
    """Breaks where there is only one arm."""

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return sums / pulls + 1.0 / (clock - pulls - 1.0)


class Blind(UCB1):
    """Breaks on an arm without a reward, which Pack asks for."""

    def score(self, s: Stats, arm: int, common: float) -> float:
        return s.sums[arm] / s.pulls[arm] + sqrt(log(common))


class Binary(Policy):
    """Takes every reward for 0 or 1."""

    def choose(self, s: Any) -> int:
        wins = [int(w) for w in s.sums]
        if wins != s.sums:
            raise ValueError("half a success")
        return int(s.total) % len(s.pulls)


def test_the_contract_catches_a_formula_that_breaks_at_one_arm(seed: int) -> None:
    with pytest.raises(AssertionError, match="Lonely breaks with 1 arms: ZeroDivisionError"):
        testing.check_policy(Lonely(), seed)


def test_the_contract_catches_a_formula_that_breaks_without_a_reward(seed: int) -> None:
    with pytest.raises((AssertionError, ArithmeticError), match="division by zero"):
        testing.check_policy(Blind(), seed)
    testing.check_decisions(Challenge(Blind()), seed)  # which never asks for such an arm


def test_the_contract_catches_a_formula_that_breaks_on_rewards_inside(seed: int) -> None:
    with pytest.raises(AssertionError, match=r"Seq\(Binary\) breaks with rewards inside \(0, 1\)"):
        testing.check_agent(Seq(Binary()), seed)


class Twice(Agent):
    """Wants an arm before the place asked for, over and over."""

    def wanted(self, s: Any, start: int) -> int:
        return 0 if s.policy.total % 5 < 4 else len(s.policy.pulls)


def test_an_arm_before_the_place_asked_for_is_refused_where_it_would_go_on_for_ever(
    seed: int,
) -> None:
    with pytest.raises(AssertionError, match=r"wanted\(s, 1\) answers 0: it must be 1 or a later"):
        testing.check_agent(Twice(UCB1()), seed)
    for job in (1, 10**6):  # plain, compiled
        game = replace(testing._game(Twice(UCB1()), spnb.Bernoulli((0.5, 0.5)), [0], seed), job=job)
        with pytest.raises(
            spnb.SpecError, match=r"wanted\(s, start\) must be start or a later arm"
        ):
            engine.play(game)


class Lost(IndexPolicy):
    """Has no index that is a number."""

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return nan


class Torn(IndexPolicy):
    """Fails at its first reward."""

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return sums / (clock - clock)


def test_the_contract_catches_an_index_that_is_no_number_or_fails(seed: int) -> None:
    with pytest.raises(
        AssertionError, match=r"Lost has no index \(nan\) for 1 rewards of sum [01]"
    ):
        testing.check_policy(Lost(), seed)
    with pytest.raises(AssertionError, match="Torn breaks with its first rewards: ZeroDivisionErr"):
        testing.check_policy(Torn(), seed)


class Stubborn(Seq):
    """Never hears of a reward that is late."""

    def next_round(self, s: Following) -> None:
        if s.waiting:
            s.target = len(s.policy.pulls)

    def observe(self, s: Following, arm: int, reward: float, trials: float) -> None:
        if s.target < len(s.policy.pulls):
            super().observe(s, arm, reward, trials)


def test_the_contract_catches_an_agent_that_stalls(seed: int) -> None:
    with pytest.raises(AssertionError, match="stalls"):
        testing.check_late_rewards(Stubborn(UCB1()), seed)


class Unsure(UCB1):
    """Not the same in machine code: whole numbers there wrap around."""

    def index(self, pulls: float, sums: float, clock: float) -> float:
        big = 2**62 * int(pulls)
        return sums / pulls + (1.0 if big * 4 > 0 else 0.0) * (int(pulls) % 2)


def test_the_contract_catches_code_that_differs_when_compiled(seed: int) -> None:
    with pytest.raises(AssertionError, match="differs when compiled"):
        testing.check_compiled_equals_plain(Seq(Unsure()), seed)


class Last(IndexPolicy):
    """The most losses."""

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return pulls - sums


class Misnamed(Last):
    """Prints as less than it is."""

    width: float = 1.0

    def __str__(self) -> str:
        return "Misnamed"


def test_the_contract_catches_a_spec_that_does_not_read_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "_REGISTERED", {})
    spnb.register(Misnamed)
    with pytest.raises(AssertionError, match="Misnamed reads back as Misnamed"):
        testing.check_policy(Misnamed(width=2.0), 0)


class Careless(Last):
    """Takes any value for its parameter."""

    width: float = 1.0

    def __post_init__(self) -> None:
        pass


class Vague(Careless):
    """Refuses, but does not say what."""

    def __post_init__(self) -> None:
        if not isinstance(self.width, float) or self.ties not in ("random", "first", "ahead"):
            raise spnb.SpecError("bad parameter")


def test_the_contract_catches_parameters_that_are_not_checked() -> None:
    with pytest.raises(AssertionError, match="Careless.ties accepts"):
        testing.check_parameters(Careless())
    with pytest.raises(AssertionError, match="Vague.ties is not named: bad parameter"):
        testing.check_parameters(Vague())


def test_a_parameter_is_checked_without_a_word_in_the_class() -> None:
    class Wide(Last):
        """Its width is a number."""

        width: float = 1.0

    testing.check_parameters(Wide())
    with pytest.raises(spnb.SpecError, match=r"Wide.width must be a number, got 'x'"):
        Wide(width="x")  # type: ignore[arg-type]
    assert type(Wide(width=2).width) is float


class Hurried(Challenge):
    """Makes one pull a round, and says that pulls change nothing."""

    heeds_pulls: ClassVar[bool] = False

    def pulled(self, s: Any, arm: int) -> None:
        s.waiting[arm] += 1
        s.bar = s.waiting[arm] + 1.0  # nobody reaches it

    def wanted(self, s: Any, start: int) -> int:
        return start if s.bar < 1.0 and start < len(s.policy.pulls) else len(s.policy.pulls)


def test_the_contract_catches_pulls_that_change_what_is_wanted_next(seed: int) -> None:
    with pytest.raises(AssertionError, match="must not say heeds_pulls = False"):
        testing.check_late_rewards(Hurried(), seed)


def test_a_class_that_decides_in_its_own_way_heeds_pulls_unless_it_says_otherwise() -> None:
    class Own(Challenge):
        def pulled(self, s: Any, arm: int) -> None:
            s.waiting[arm] += 1

    class Renamed(Challenge):
        pass

    assert Own.heeds_pulls
    assert not Renamed.heeds_pulls
    assert not Challenge.heeds_pulls
    assert Seq.heeds_pulls
