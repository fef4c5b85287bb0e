"""From a user's own data to a problem: click logs, series of readings, tables, problem files."""

from spnb.problems.readers.data import ProblemData
from spnb.problems.readers.reward import Reward
from spnb.problems.readers.series import Window, read_series
from spnb.problems.readers.source import Layout
from spnb.problems.readers.stamps import Clock
from spnb.problems.readers.synthetic_day import SyntheticDay
from spnb.problems.readers.table import read_long, read_wide
from spnb.problems.readers.yahoo import Article, ClickLog, click_problem, read_day, read_log

__all__ = [
    "Article", "ClickLog", "Clock", "Layout", "ProblemData", "Reward", "SyntheticDay",
    "Window", "click_problem", "read_day", "read_log", "read_long", "read_series",
    "read_wide",
]  # fmt: skip
