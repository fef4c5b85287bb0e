"""The advertising study (figures 3, 4 and 5): when in the day to show an article.

An article's arms are the slots of the day in which it was shown, their means its click rates
there. The paper's log may not be passed on: without a file, the day is made up, and says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from spnb.bandits.spec import agent as parse_agent
from spnb.base.errors import DataError
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.blocks import Progress, split
from spnb.engine.play import Limits
from spnb.engine.play import play as play_out
from spnb.paper.experiments import plain
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Task
from spnb.paper.experiments.rm import (
    BEYOND,
    COST,
    OURS,
    PAPER,
    SWEEP,
    Agents,
    only,
    paired,
    play,
)
from spnb.problems import Bernoulli, Problem, Worlds
from spnb.problems.readers.synthetic_day import SyntheticDay
from spnb.problems.readers.yahoo import read_log
from spnb.problems.stationary import bernoulli_worlds
from spnb.simulation.metrics import Goal
from spnb.simulation.results import Comparison
from spnb.simulation.simulate import new_game

ROUNDS = 730  # two years
SLOTS = 10
PAIRS = (
    ("Seq(TS)", "TS"), ("Seq(bUCB)", "bUCB"), (SWEEP, "TS"), (BEYOND, "TS"), (BEYOND, "Seq(TS)"),
)  # fmt: skip
EARLY = 0.1  # of the rounds: the "initial period"
ALONE = 10  # times as many runs for the article that is drawn by itself
DAYS = 4  # made up, since one alone is an accident
LOW_RATES = tuple(np.linspace(0.012, 0.039, 10).round(3).tolist())
"""Ten arms below 0.04: too hard for two years, whoever learns."""


@dataclass(frozen=True)
class Article:
    """The slots of the day in which an article was shown, and its click rate in each."""

    id: str
    slots: tuple[int, ...]
    rates: tuple[float, ...]

    @property
    def lead(self) -> float:
        """By how much the best slot is ahead of the second best."""
        second, best = sorted(self.rates)[-2:]
        return best - second


@dataclass(frozen=True)
class Yahoo:
    """``articles`` are those of the day with two slots at least; ``dropped`` counts the others."""

    name: ClassVar[str] = "yahoo"

    articles: tuple[Article, ...]
    dropped: int
    source: str
    synthetic: bool
    runs: int = 100
    seed: int = 1
    rounds: int = ROUNDS
    agents: Agents = (*PAPER, *OURS)

    def tasks(self) -> dict[tuple[str, Any], Task]:
        common = (self.rounds, self.runs, self.seed)
        more = (self.rounds, ALONE * self.runs, self.seed)
        tasks: dict[tuple[str, Any], Task] = {}
        alone = [("shown", self.shown.rates, label, spec) for label, spec in self.agents]
        alone += [("low", LOW_RATES, spec, spec) for spec in ("TS", "Seq(TS)")]
        for where, rates, label, spec in alone:
            arguments = (Bernoulli(rates), spec, *more)
            tasks[where, label] = Task(play, arguments, COST.get(label, 1.0) * 15)
        for label, spec in self.agents:
            if label.startswith("Seq("):
                arguments = (Bernoulli(self.shown.rates), spec, *more)
                tasks["tenths", label] = Task(pulls_by_tenth, arguments, 15.0)
        for arms, group in self._groups().items():
            rates_of = tuple(article.rates for article in group)
            for label, spec in self._in_ratios():
                weight = COST.get(label, 1.0) * (10 + arms * len(group) / 5)
                tasks[label, arms] = Task(mean_regrets, (rates_of, spec, *common), weight)
        return tasks

    def _in_ratios(self) -> Agents:
        """The agents that are compared on every article."""
        return tuple(agent for agent in self.agents if agent[0] != "UCBrev+")

    def _groups(self) -> dict[int, list[Article]]:
        """Articles by their number of arms: those of a group are played side by side."""
        groups: dict[int, list[Article]] = {}
        for article in self.articles:
            groups.setdefault(len(article.slots), []).append(article)
        return groups

    @property
    def shown(self) -> Article:
        """The article drawn by itself: of those seen in the most slots, the easiest to learn,
        whose best slot is the farthest ahead of its second best.
        """
        return max(self.articles, key=lambda article: (len(article.slots), article.lead))

    def results(self, found: Mapping[tuple[str, Any], Any]) -> Plain:
        mine = {label: only(found["shown", label]) for label, _ in self.agents}
        low = {label: only(found["low", label]).regret for label in ("TS", "Seq(TS)")}
        example: Comparison = found["shown", "TS"]
        return {
            "source": self.source,
            "synthetic": self.synthetic,
            "rounds": self.rounds,
            "runs": self.runs,
            "articles": {a.id: {"slots": a.slots, "rates": a.rates} for a in self.articles},
            "dropped": self.dropped,
            "shown": self.shown.id,
            "runs_shown": ALONE * self.runs,
            "panels": {
                "agents": {label: plain.regret(runs) for label, runs in mine.items()},
                "paired": paired({label: mine[label] for label, _ in PAPER}),
                "tenths": {
                    label: {
                        "first": plain.mean(tenths[:, 0]),
                        "last": plain.mean(tenths[:, -1]),
                        "change": plain.mean(tenths[:, -1] - tenths[:, 0]),
                    }
                    for (where, label), tenths in found.items()
                    if where == "tenths"
                },
                "bounds": {
                    "lower": plain.curve(example.lower_bound),
                    "one_pull": plain.curve(example.one_pull_bound),
                },
            },
            "ratio": {f"{a} / {b}": self._ratio(a, b, found) for a, b in PAIRS},
            "early": self._early(found),
            "aside": {
                "rates": LOW_RATES,
                "TS": plain.mean(low["TS"]),
                "Seq(TS) - TS": plain.mean(low["Seq(TS)"] - low["TS"]),
            },
        }

    def _ratio(self, first: str, second: str, found: Mapping[tuple[str, Any], Any]) -> Plain:
        """Ratio of mean regrets of each article, averaged over the articles."""
        at = plain.drawn_rounds(self.rounds)
        return plain.points_of(self._ratios(first, second, found), at[1:])

    def _ratios(self, first: str, second: str, found: Mapping[tuple[str, Any], Any]) -> FloatArray:
        """[articles, points], from round 2 on: in round 1 a lone pull may hit the best arm, and
        there is no ratio.
        """
        groups = self._groups()
        return np.concatenate(
            [found[first, arms][:, 1:] / found[second, arms][:, 1:] for arms in groups]
        )

    def _early(self, found: Mapping[tuple[str, Any], Any]) -> Plain:
        """The ratio of bUCB minus that of TS, each averaged over the first tenth of the rounds."""
        at = plain.drawn_rounds(self.rounds)[1:]
        early = at <= max(EARLY * self.rounds, at[0])
        bayes = self._ratios("Seq(bUCB)", "bUCB", found)[:, early].mean(axis=1)
        return plain.mean(bayes - self._ratios("Seq(TS)", "TS", found)[:, early].mean(axis=1))


@dataclass(frozen=True)
class SideBySide(Problem):
    """Several problems of equally many arms, each faced by ``runs`` runs in turn."""

    rates: tuple[tuple[float, ...], ...]
    runs: int

    @property
    def arms(self) -> int:
        return len(self.rates[0])

    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        return bernoulli_worlds(np.array(self.rates)[runs // self.runs], seed, runs)


def pulls_by_tenth(problem: Problem, spec: str, rounds: int, runs: int, seed: int) -> FloatArray:
    """[runs, 10]: pulls per round in each tenth of the rounds."""
    at = np.unique(np.linspace(0, rounds, 11).round().astype(np.intp))[1:]
    agent, parts = parse_agent(spec), []
    for block in split(runs, problem.arms):
        worlds = problem.worlds(seed, block)
        goal = Goal.of(worlds.means)
        played = play_out(new_game(agent, worlds, seed, block, Limits(rounds), goal.worth, at))
        parts.append(np.diff(played.count, axis=1, prepend=0) / np.diff(at, prepend=0))
    return np.concatenate(parts)


def mean_regrets(
    rates: tuple[tuple[float, ...], ...], spec: str, rounds: int, runs: int, seed: int
) -> FloatArray:
    """[problems, points]: the mean regret in each problem at the rounds that are drawn."""
    at = plain.drawn_rounds(rounds)
    problem, agent = SideBySide(rates, runs), parse_agent(spec)
    total = np.zeros((len(rates), len(at)))
    for block in split(len(rates) * runs, problem.arms):
        worlds = problem.worlds(seed, block)
        goal = Goal.of(worlds.means)
        played = play_out(new_game(agent, worlds, seed, block, Limits(rounds), goal.worth, at))
        np.add.at(total, block // runs, goal.regret(at.astype(float), played.gain))
    return total / runs


def synthetic_day(seed: int, runs: int, most: int | None = None, days: int = DAYS) -> Yahoo:
    """The study on made-up days, with their true click rates; ``most`` articles of each."""
    articles, dropped = [], 0
    for day in range(days):
        listed = _made_up(SyntheticDay(seed * days + day), f"day {day + 1}, ")
        fit = [article for article in listed if len(set(article.rates)) > 1]
        dropped += len(listed) - len(fit)
        articles += fit[:most]
    source = f"{days} made-up days, seed {seed}"
    return _study(articles, source, runs, seed, synthetic=True, dropped=dropped)


def _made_up(day: SyntheticDay, name: str) -> list[Article]:
    shown = np.zeros((day.articles, day.slots), dtype=bool)
    for first, last, pool in day.segments:
        slots = np.arange(first * day.slots // day.events, (last - 1) * day.slots // day.events + 1)
        shown[np.ix_(pool, slots)] = True
    rates = [tuple(float(f"{rate:.6g}") for rate in row) for row in day.rates]
    return [
        _article(f"{name}{id_}", tuple(np.flatnonzero(row).tolist()), rates[i])
        for i, (id_, row) in enumerate(zip(day.ids, shown, strict=True))
    ]


def day_file(
    path: Path, seed: int, runs: int, most: int | None = None, progress: Progress | None = None
) -> Yahoo:
    """The study on a day of the real log."""
    articles = [
        _article(
            article.id,
            tuple(np.flatnonzero(article.shown).tolist()),
            tuple((article.clicks / np.maximum(article.shown, 1)).tolist()),
        )
        for article in read_log([path], SLOTS, progress).articles
    ]
    fit = [article for article in articles if len(set(article.rates)) > 1][:most]
    unfit = sum(len(set(article.rates)) < 2 for article in articles)
    return _study(fit, path.name, runs, seed, synthetic=False, dropped=unfit)


def _article(id_: str, slots: tuple[int, ...], rates: tuple[float, ...]) -> Article:
    return Article(id_, slots, tuple(rates[slot] for slot in slots))


def _study(
    articles: list[Article], source: str, runs: int, seed: int, *, synthetic: bool, dropped: int
) -> Yahoo:
    if not articles:
        raise DataError(f"{source}: no article was shown in two slots with different click rates")
    return Yahoo(tuple(articles), dropped, source, synthetic, runs, seed)
