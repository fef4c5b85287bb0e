"""Why an agent pulls or passes, in a few words a person understands."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from spnb.bandits.agents import Above, Agent, Challenge, Once, Pack, Plus, Seq, Stakes, Worth
from spnb.bandits.policies.root import RootIndex
from spnb.base.words import share_text
from spnb.live.campaign.tally import Tally
from spnb.live.learner import Learner


@dataclass(frozen=True, slots=True)
class _Case:
    state: Any  # of the kind that the agent keeps
    arm: int
    labels: Sequence[str]
    pull: bool
    tally: Tally
    forgets: bool  # whether the policy does: then what counts is what it remembers


def reason(learner: Learner, arm: int, labels: Sequence[str], tally: Tally, *, pull: bool) -> str:
    """Why this arm, on offer now, is pulled or passed; ``tally`` is what was counted of it."""
    forgets = learner.agent.policy.forgets
    return _why(learner.agent, _Case(learner.state, arm, labels, pull, tally, forgets))


def follower(agent: Agent) -> str:
    """What people call an agent that follows a target: Seq, or a policy as it is."""
    return str(agent) if isinstance(agent, Once) else type(agent).__name__


@singledispatch
def _why(agent: Agent, case: _Case) -> str:
    return f"{agent} {'pulls' if case.pull else 'passes'}: {_record(case)}"


@_why.register
def _(agent: Seq, case: _Case) -> str:  # and Once
    who, state = follower(agent), case.state
    if case.pull:
        return f"{agent.policy} chose it: {_record(case)}"
    target = case.labels[state.target]
    if state.waiting:  # for a pull of long ago, of which the store knows nothing
        return f"{who} waits for the reward of {target}"
    if state.spent:
        return "this round's pull is made"
    return f"{who} waits for {target}"


@_why.register
def _(_agent: Plus, case: _Case) -> str:
    return f"{'still in the running' if case.pull else 'ruled out'}: {_record(case)}"


@_why.register
def _(agent: Above, case: _Case) -> str:
    if case.pull:
        return f"may lie on either side of {agent.level:g}: {_record(case)}"
    side = "above" if agent.accepts(case.state, case.arm) else "not above"
    return f"known to be {side} {agent.level:g}: {_record(case)}"


@_why.register
def _(agent: Challenge, case: _Case) -> str:
    state = case.state
    if state.policy.pulls[case.arm] == 0:
        return _fresh(case) if case.pull else "a reward of it is still to come"
    standings = [agent.standing(state, arm) for arm in range(len(case.labels))]
    rank = sum(standing > standings[case.arm] for standing in standings)
    if rank < agent.best:
        return f"{'leader' if rank == 0 else 'among the leaders'}: {_record(case)}"
    if case.pull and getattr(state.policy, "due", -1) == case.arm:  # GLR-klUCB's forced looks
        return f"a look in turn, should it have changed: {_record(case)}"
    if case.pull:
        place = "best" if agent.best == 1 else "among the best"
        return f"could still be {place}: {_pulls(case)}, {_reach(agent, case)}"
    leader = case.labels[standings.index(max(standings))]
    if isinstance(agent, Stakes):
        return f"not worth another look beside {leader}: {_record(case)}"
    if case.forgets:
        return f"behind {leader} for now: {_record(case)}"
    # Not for good: its bound rises with the rounds.
    return f"unlikely to beat {leader}: {_record(case)}"


@_why.register
def _(agent: Worth, case: _Case) -> str:
    if case.state.policy.pulls[case.arm] == 0:
        return _fresh(case) if case.pull else "a reward of it is still to come"
    may = "may be" if case.pull else "is hardly"
    return f"{may} worth more than {share_text(agent.cost)}, the cost of a pull: {_record(case)}"


@_why.register
def _(_agent: Pack, case: _Case) -> str:
    ahead = len(case.labels) - case.arm  # this offer included
    left = min(case.state.quota, ahead)
    if left == ahead:
        return f"every offer left in this round is to be pulled: {_record(case)}"
    if left == 0:
        over = case.state.pulls_left <= 0 or case.state.rounds_left <= 0
        return "all its pulls or rounds are used up" if over else "this round's pulls are made"
    # By index, not by mean: an arm that was hardly tried is worth a look, however little it paid.
    rank = "more worth a look than others" if case.pull else "less worth a look than others"
    return f"{rank} ahead ({left} of the next {ahead} are to be pulled): {_record(case)}"


def _fresh(case: _Case) -> str:
    forgotten = case.forgets and case.tally.pulled > 0
    return "nothing is remembered of it" if forgotten else "never pulled"


def _pulls(case: _Case) -> str:
    count, trials = case.tally.pulled, case.tally.trials
    of = f" of {trials} trials" if case.tally.more else ""
    record = " and the record" if case.state.policy.pulls[case.arm] > trials else ""
    return f"{count} pull{'' if count == 1 else 's'}{of}{record}"


def _record(case: _Case) -> str:
    known = case.state.policy.pulls[case.arm]
    if case.tally.pulled == 0:
        return f"never pulled, the record says {_mean(case)}" if known else "never pulled"
    if known == 0:
        return f"{_pulls(case)}, {'none remembered' if case.forgets else 'no reward yet'}"
    return f"{_pulls(case)}, {_mean(case)}"


def _mean(case: _Case) -> str:
    lately = " of what is remembered" if case.forgets else ""
    return f"mean {share_text(case.state.policy.mean(case.arm))}{lately}"


def _reach(agent: Challenge, case: _Case) -> str:
    """How high the arm's mean may still turn out to be, where the index is such a bound."""
    policy, state = agent.policy, case.state
    if not isinstance(policy, RootIndex):
        return _mean(case)
    index = policy.score(state.policy, case.arm, policy.common(state.policy, state.round))
    return f"up to {share_text(min(index, 1.0))}"
