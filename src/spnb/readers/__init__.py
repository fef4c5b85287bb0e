"""From a user's own data to a problem: click logs, series of readings, tables, problem files."""

from spnb.readers.certainty import Facts, facts
from spnb.readers.data import ProblemData
from spnb.readers.reward import Reward
from spnb.readers.series import Window, read_series
from spnb.readers.source import Layout
from spnb.readers.stamps import Clock
from spnb.readers.synthetic_day import SyntheticDay
from spnb.readers.table import read_long, read_wide
from spnb.readers.yahoo import Article, ClickLog, click_problem, read_day, read_log

__all__ = [
    "Article", "ClickLog", "Clock", "Facts", "Layout", "ProblemData", "Reward", "SyntheticDay",
    "Window", "click_problem", "facts", "read_day", "read_log", "read_long", "read_series",
    "read_wide",
]  # fmt: skip
