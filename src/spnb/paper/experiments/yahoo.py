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
from spnb.paper.experiments.rm import BEYOND, COST, Agents, named, only, paired, play
from spnb.problems import Bernoulli, Problem, Worlds
from spnb.problems.readers.synthetic_day import SyntheticDay
from spnb.problems.readers.yahoo import read_log
from spnb.problems.stationary import bernoulli_worlds
from spnb.simulation.metrics import Goal
from spnb.simulation.results import Comparison
from spnb.simulation.simulate import new_game

ROUNDS = 730  # two years
SLOTS = 10
PAIRS = (("Seq(TS)", "TS"), ("Seq(bUCB)", "bUCB"), (BEYOND, "TS"))
LOW_RATES = tuple(np.linspace(0.012, 0.039, 10).round(3).tolist())
"""Ten arms below 0.04: too hard for two years, whoever learns."""


@dataclass(frozen=True)
class Article:
    """The slots of the day in which an article was shown, and its click rate in each."""

    id: str
    slots: tuple[int, ...]
    rates: tuple[float, ...]


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
    agents: Agents = named("bUCB", "Seq(bUCB)", "TS", "Seq(TS)", BEYOND)

    def tasks(self) -> dict[tuple[str, Any], Task]:
        common = (self.rounds, self.runs, self.seed)
        tasks: dict[tuple[str, Any], Task] = {}
        alone = [("shown", self.shown.rates, label, spec) for label, spec in self._on_show()]
        alone += [("low", LOW_RATES, spec, spec) for spec in ("TS", "Seq(TS)")]
        for where, rates, label, spec in alone:
            arguments = (Bernoulli(rates), spec, *common)
            tasks[where, label] = Task(play, arguments, COST.get(label, 1.0) * 15)
        for arms, group in self._groups().items():
            rates_of = tuple(article.rates for article in group)
            for label, spec in self.agents:
                weight = COST.get(label, 1.0) * (10 + arms * len(group) / 5)
                tasks[label, arms] = Task(mean_regrets, (rates_of, spec, *common), weight)
        return tasks

    def _on_show(self) -> Agents:
        """The agents of the shown article's figure, ours last."""
        ours = tuple(agent for agent in self.agents if agent[0] == BEYOND)
        return (*(agent for agent in self.agents if agent not in ours), *named("UCBrev+"), *ours)

    def _groups(self) -> dict[int, list[Article]]:
        """Articles by their number of arms: those of a group are played side by side."""
        groups: dict[int, list[Article]] = {}
        for article in self.articles:
            groups.setdefault(len(article.slots), []).append(article)
        return groups

    @property
    def shown(self) -> Article:
        """The article drawn by itself: seen in the most slots, the first of these."""
        return max(self.articles, key=lambda article: len(article.slots))

    def results(self, found: Mapping[tuple[str, Any], Any]) -> Plain:
        mine = {label: only(found["shown", label]) for label, _ in self._on_show()}
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
            "panels": {
                "agents": {label: plain.regret(runs) for label, runs in mine.items()},
                "paired": paired(mine),
                "bounds": {
                    "lower": plain.curve(example.lower_bound),
                    "one_pull": plain.curve(example.one_pull_bound),
                },
            },
            "ratio": {f"{a} / {b}": self._ratio(a, b, found) for a, b in PAIRS},
            "aside": {
                "rates": LOW_RATES,
                "TS": plain.mean(low["TS"]),
                "Seq(TS) - TS": plain.mean(low["Seq(TS)"] - low["TS"]),
            },
        }

    def _ratio(self, first: str, second: str, found: Mapping[tuple[str, Any], Any]) -> Plain:
        """Ratio of mean regrets of each article, averaged over the articles.

        From round 2 on: in round 1 a lone pull may hit the best arm, and there is no ratio.
        """
        at = plain.drawn_rounds(self.rounds)
        ratios = [found[first, arms][:, 1:] / found[second, arms][:, 1:] for arms in self._groups()]
        return plain.curve_of(np.concatenate(ratios), at[1:])


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


def synthetic_day(seed: int, runs: int, most: int | None = None) -> Yahoo:
    """The study on a made-up day, with its true click rates."""
    day = SyntheticDay(seed)
    shown = np.zeros((day.articles, day.slots), dtype=bool)
    for first, last, pool in day.segments:
        slots = np.arange(first * day.slots // day.events, (last - 1) * day.slots // day.events + 1)
        shown[np.ix_(pool, slots)] = True
    rates = [tuple(float(f"{rate:.6g}") for rate in row) for row in day.rates]
    articles = [
        _article(id_, tuple(np.flatnonzero(row).tolist()), rates[i])
        for i, (id_, row) in enumerate(zip(day.ids, shown, strict=True))
    ]
    return _study(articles, f"made-up day, seed {seed}", runs, seed, synthetic=True, most=most)


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
    return _study(articles, path.name, runs, seed, synthetic=False, most=most)


def _article(id_: str, slots: tuple[int, ...], rates: tuple[float, ...]) -> Article:
    return Article(id_, slots, tuple(rates[slot] for slot in slots))


def _study(
    articles: list[Article], source: str, runs: int, seed: int, *, synthetic: bool, most: int | None
) -> Yahoo:
    fit = [article for article in articles if len(set(article.rates)) > 1]
    if not fit:
        raise DataError(f"{source}: no article was shown in two slots with different click rates")
    kept = tuple(fit[:most])
    return Yahoo(kept, len(articles) - len(fit), source, synthetic, runs, seed)
