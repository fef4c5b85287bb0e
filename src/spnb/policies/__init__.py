"""Classical bandits: choose an arm, learn its reward. One family per module."""

from spnb.policies.base import IndexPolicy, Policy, Stats
from spnb.policies.baselines import EpsGreedy, Greedy, Uniform
from spnb.policies.bayes import bUCB
from spnb.policies.elimination import SH, SR, Elimination, UCBrev
from spnb.policies.kl import IMED, KLUCB, KLUCBPlus
from spnb.policies.thompson import TS
from spnb.policies.ucb import MOSS, UCB1
from spnb.policies.ucbe import UCBE

__all__ = [
    "IMED", "KLUCB", "MOSS", "SH", "SR", "TS", "UCB1", "UCBE", "Elimination", "EpsGreedy",
    "Greedy", "IndexPolicy", "KLUCBPlus", "Policy", "Stats", "UCBrev", "Uniform", "bUCB",
]  # fmt: skip
