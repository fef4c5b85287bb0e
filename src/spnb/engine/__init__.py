"""The engine: an agent plays every run of a world to its end."""

from spnb.engine.game import Limits, Played, Tick
from spnb.engine.play import play

__all__ = ["Limits", "Played", "Tick", "play"]
