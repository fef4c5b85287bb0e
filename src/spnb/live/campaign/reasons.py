"""Why an agent pulls or passes, in a few words a person understands."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from spnb.bandits.agents import Agent, Challenge, Once, Pack, Plus, Seq
from spnb.bandits.agents.challenge import posterior_mean
from spnb.bandits.policies.root import RootIndex
from spnb.live.learner import Learner

_ROW = np.zeros(1, dtype=np.intp)


@dataclass(frozen=True, slots=True)
class _Case:
    state: Any  # of the kind that the agent keeps
    arm: int
    labels: Sequence[str]
    pull: bool


def reason(learner: Learner, arm: int, labels: Sequence[str], *, pull: bool) -> str:
    """Why this arm, on offer now, is pulled or passed."""
    return _why(learner.agent, _Case(learner.state, arm, labels, pull))


@singledispatch
def _why(agent: Agent, case: _Case) -> str:
    return f"{agent} {'pulls' if case.pull else 'passes'}: {_record(case)}"


@_why.register(Once)
@_why.register(Seq)
def _(agent: Once | Seq, case: _Case) -> str:
    who, state = type(agent).__name__, case.state
    if case.pull:
        return f"{agent.policy} chose it: {_record(case)}"
    target = case.labels[int(state.target[0])]
    if state.waiting[0]:
        return f"{who} waits for the reward of {target}"
    if state.spent[0]:
        return "this round's pull is made"
    return f"{who} waits for {target}"


@_why.register
def _(_agent: Plus, case: _Case) -> str:
    return f"{'still in the running' if case.pull else 'ruled out'}: {_record(case)}"


@_why.register
def _(agent: Challenge, case: _Case) -> str:
    pulls, sums = case.state.policy.pulls[0], case.state.policy.sums[0]
    if pulls[case.arm] == 0:
        return "never pulled"
    standing = np.where(pulls == 0, -1.0, posterior_mean(pulls, sums))
    rank = int((standing > standing[case.arm]).sum())
    if rank < agent.best:
        return f"{'leader' if rank == 0 else 'among the leaders'}: {_record(case)}"
    if case.pull:
        return f"could still be best: {_pulls(case)}, {_reach(agent, case)}"
    return f"cannot beat {case.labels[int(standing.argmax())]} any more: {_record(case)}"


@_why.register
def _(_agent: Pack, case: _Case) -> str:
    left = int(case.state.quota[0])
    if not case.pull and left == 0:
        return "this round's pulls are made"
    standing = "one of the best ahead" if case.pull else "better ones are ahead"
    return f"{standing} ({left} to pull in this round): {_record(case)}"


def _pulls(case: _Case) -> str:
    count = int(case.state.policy.pulls[0, case.arm])
    return f"{count} pull{'' if count == 1 else 's'}"


def _record(case: _Case) -> str:
    if case.state.policy.pulls[0, case.arm] == 0:
        return "never pulled"
    return f"{_pulls(case)}, {_mean(case)}"


def _mean(case: _Case) -> str:
    return f"mean {case.state.policy.means(_ROW)[0, case.arm]:.2f}"


def _reach(agent: Challenge, case: _Case) -> str:
    """How high the arm's mean may still turn out to be, where the index is such a bound."""
    if not isinstance(agent.policy, RootIndex):
        return _mean(case)
    index = agent.policy.index(case.state.policy, _ROW, case.state.round)
    return f"up to {min(float(index[0, case.arm]), 1.0):.2f}"
