"""How it is run: the state of one run, its dice, the one loop, and the compiler.

What algorithms are written with: kinds of numbers that a state may hold, what a learner is told
(``Setting``), and functions that give the same number to the last bit in plain Python and compiled.
"""

from spnb.engine.dice import Dice
from spnb.engine.loop import Setting
from spnb.engine.maths import exp, inf, log, log1p, sqrt
from spnb.engine.state import Arms, Count, Counts, Flag, Flags, Number, Room, State

__all__ = [
    "Arms", "Count", "Counts", "Dice", "Flag", "Flags", "Number", "Room", "Setting", "State",
    "exp", "inf", "log", "log1p", "sqrt",
]  # fmt: skip
