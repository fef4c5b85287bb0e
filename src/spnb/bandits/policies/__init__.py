"""Classical bandits: choose an arm, learn its reward. One family per module."""

from spnb.bandits.policies.adapt import Adapted, adapt
from spnb.bandits.policies.base import IndexPolicy, Policy, Stats
from spnb.bandits.policies.baselines import EpsGreedy, Greedy, Uniform
from spnb.bandits.policies.bayes import TS, bUCB
from spnb.bandits.policies.elimination import SH, SR, Elimination, UCBrev
from spnb.bandits.policies.kl import IMED, KLUCB, KLUCBPlus
from spnb.bandits.policies.ucb import MOSS, UCB1, UCBE

__all__ = [
    "IMED", "KLUCB", "MOSS", "SH", "SR", "TS", "UCB1", "UCBE", "Adapted", "Elimination",
    "EpsGreedy", "Greedy", "IndexPolicy", "KLUCBPlus", "Policy", "Stats", "UCBrev", "Uniform",
    "adapt", "bUCB",
]  # fmt: skip
