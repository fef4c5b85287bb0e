"""Classical bandits: choose an arm, learn its reward. One family per module."""

from spnb.bandits.policies.adapt import Adapted, adapt
from spnb.bandits.policies.base import IndexPolicy, Policy, Stats
from spnb.bandits.policies.baselines import EpsGreedy, Greedy, Uniform
from spnb.bandits.policies.bayes import TS, bUCB
from spnb.bandits.policies.belief import Belief
from spnb.bandits.policies.confidence import KLLUCB, LUCB, T3C, TTTS, Confident
from spnb.bandits.policies.elimination import CRA, CRC, SH, SR, Elimination, UCBrev
from spnb.bandits.policies.forget import DTS, DUCB, SWTS, SWUCB
from spnb.bandits.policies.hours import GPTS, GPUCB, UTS
from spnb.bandits.policies.kl import IMED, KLUCB, KLUCBPlus
from spnb.bandits.policies.restart import GLRKLUCB
from spnb.bandits.policies.thresholds import APT, Placing
from spnb.bandits.policies.tracking import TrackAndStop
from spnb.bandits.policies.ucb import MOSS, UCB1, UCBE

__all__ = [
    "APT", "CRA", "CRC", "DTS", "DUCB", "GLRKLUCB", "GPTS", "GPUCB", "IMED", "KLLUCB", "KLUCB",
    "LUCB", "MOSS", "SH", "SR", "SWTS", "SWUCB", "T3C", "TS", "TTTS", "UCB1", "UCBE", "UTS",
    "Adapted", "Belief", "Confident", "Elimination", "EpsGreedy", "Greedy", "IndexPolicy",
    "KLUCBPlus", "Placing", "Policy", "Stats", "TrackAndStop", "UCBrev", "Uniform", "adapt", "bUCB",
]  # fmt: skip
