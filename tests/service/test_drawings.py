"""What drawings say: every offer in its place, every number where it belongs."""

import itertools
import re
from xml.etree import ElementTree as ET

import pytest

from spnb.live.campaign import Campaign
from spnb.live.campaign.status import ArmStatus
from spnb.live.campaign.story import Cell, Story
from spnb.live.store import Store
from spnb.report.picture import highest, rounds_picture
from spnb.report.svg import tag, words
from spnb.service.pages.drawings import Earned, earned_picture, interval, scale, sparkline
from spnb.service.pages.frame import percent
from spnb.service.pages.view import earned_of, view_of

CELLS = [
    Cell(1, "a", "pass"), Cell(1, "b", "told", 1.0), Cell(2, "a", "told", 0.25),
    Cell(2, "b", "open"), Cell(3, "a", "lost"), Cell(3, "b", "told", 0.0),
]  # fmt: skip


def shapes(svg: str, kind: str) -> list[dict[str, str]]:
    found = ET.fromstring(svg).iter()
    return [each.attrib for each in found if kind in each.attrib.get("class", "").split()]


def test_every_offer_stands_in_the_column_of_its_round_and_the_row_of_its_arm() -> None:
    svg = rounds_picture(CELLS, ["a", "b"], first=1, shown=5)
    frames = shapes(svg, "frame")
    columns = sorted({float(each["x"]) for each in frames})
    assert [columns.index(float(each["x"])) for each in frames] == [0, 1, 2]
    assert [float(each["y"]) > 10 for each in frames] == [True, False, True]
    assert [float(each["height"]) for each in shapes(svg, "told")] == [10.0, 2.5]
    assert (len(shapes(svg, "open")), len(shapes(svg, "lost"))) == (1, 1)
    assert shapes(svg, "pass")[0]["d"].count("M") == 1
    label = ET.fromstring(svg).attrib["aria-label"]
    assert label == (
        "Rounds 1 to 3 of 2 arms: 3 rewards told, 1.25 in all; 1 still to come, 1 lost."
    )


def test_a_picture_shows_the_rounds_and_arms_it_is_asked_for() -> None:
    svg = rounds_picture(CELLS, ["b"], first=2, shown=1)
    assert (len(shapes(svg, "open")), len(shapes(svg, "frame")), len(shapes(svg, "lost"))) == (
        1, 0, 0,
    )  # fmt: skip


def test_few_clicks_fill_a_box_as_far_as_the_most_there_were() -> None:
    cells = [Cell(1, "a", "told", 3.0, 100), Cell(2, "a", "told", 6.0, 100)]
    assert highest(cells) == pytest.approx(0.06)
    heights = [float(each["height"]) for each in shapes(
        rounds_picture(cells, ["a"], first=1, shown=2), "told"
    )]  # fmt: skip
    assert heights == pytest.approx([5.0, 10.0])
    assert highest([]) == 1.0


def test_drawn_words_are_text() -> None:
    hostile = '"><script>&'
    ET.fromstring(rounds_picture([], [hostile], first=1, shown=3))
    ET.fromstring(tag("g", words(1, 2, hostile, class_=hostile)))
    arm = ArmStatus(hostile, 1, 1, 1, 1, 1.0, 0, 0.5, 0.2, 0.8, 1.0)
    assert "<script>" not in interval(arm, 1.0)
    ET.fromstring(interval(arm, 1.0))


def arm_of(name: str, mean: float, low: float, high: float, rewards: int = 10) -> ArmStatus:
    return ArmStatus(name, 10, rewards, rewards, rewards, mean * rewards, 0, mean, low, high, 0.5)


def test_an_interval_lies_between_the_ends_of_its_axis() -> None:
    assert scale([arm_of("a", 0.02, 0.01, 0.04)]) == 0.05
    assert scale([arm_of("a", 0.02, 0.01, 0.04), arm_of("b", 0.5, 0.0, 0.97, 0)]) == 0.05
    assert scale([]) == 1.0
    (span,) = shapes(interval(arm_of("a", 0.02, 0.01, 0.04), 0.05), "span")
    assert (float(span["x1"]), float(span["x2"])) == pytest.approx((4 + 142 / 5, 4 + 142 * 4 / 5))
    (wide,) = shapes(interval(arm_of("b", 0.5, 0.0, 0.97), 0.05), "span")
    assert (float(wide["x1"]), float(wide["x2"])) == (4, 146)


def test_a_sparkline_has_a_bar_for_each_pull() -> None:
    svg = sparkline([cell for cell in CELLS if cell.became != "pass"])
    assert [float(bar["height"]) for bar in shapes(svg, "told")] == [28, 8.5, 2]
    assert "mean 0.42" in svg


def test_what_was_earned_ends_where_the_numbers_say() -> None:
    earned = Earned(((0, 0.0), (1, 1.0), (2, 1.0), (4, 3.0)), (2.0, 1.0, 3.0), (4.0, 3.0, 4.0), "a")
    svg = earned_picture(earned, 350, 200)
    (curve,) = shapes(svg, "earned")
    (fixed,) = shapes(svg, "fixed")
    last, top = (
        [float(x) for x in each["points"].split()[-1].split(",")] for each in (curve, fixed)
    )
    assert last[0] == top[0] == 342
    assert (top[1], last[1]) == pytest.approx((8, 8 + 172 / 4))


def test_the_curve_of_a_long_log_ends_with_all_rewards(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+")
    for round_ in range(1, 11):
        campaign.tell(campaign.ask("a", round_), reward=1)
        campaign.tell(campaign.ask("b", round_), wins=2, trials=4)
    campaign.correct(2, reward=0)  # before the tail
    campaign.correct(38, reward=0.5)
    campaign.correct(34, lost=True)
    status, events = campaign.status(), list(campaign.events())
    whole, tail = earned_of(events, status), earned_of(events[-15:], status)
    assert whole is not None
    assert tail is not None
    first, *_, last = whole.points
    assert (first, last) == ((0, 0.0), (49, 27.5))
    assert tail.points == whole.points[-len(tail.points) :]
    assert len(tail.points) < len(whole.points)
    assert whole.fixed[1] <= whole.fixed[0] <= whole.fixed[2]
    assert whole.every[1] <= whole.every[0] <= whole.every[2]


def test_nothing_is_taken_to_be_the_best_before_anything_is_known() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+")
    view = view_of(campaign)
    assert [view.best, view.rounds, view.curve] == [None] * 3
    campaign.close()
    assert view_of(campaign).finished


def test_of_very_many_arms_the_likeliest_are_shown() -> None:
    arms = [f"arm {number}" for number in range(60)]
    with Store("sqlite://") as store:
        campaign = Campaign.create(store, "c", arms=arms, agent="Uniform+")
        for arm in arms:
            campaign.tell(campaign.ask(arm, 1), reward=float(arm == "arm 55"))
        few, every = view_of(campaign), view_of(campaign, every_arm=True)
    assert "arm 55" in [row.arm.arm for row in few.rows]
    assert (len(few.rows), few.more_arms, len(every.rows)) == (40, 20, 60)


def test_a_leap_that_was_taken_back_is_not_drawn() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a"], agent="Seq(UCB1)")
    campaign.ask("a", 1)
    campaign.ask("a", 30, ahead=True)  # a pass: the first reward is still to come
    assert len(Story.of(campaign.events()).cells) == 2
    campaign.void()
    view = view_of(campaign)
    assert view.rounds is not None
    assert shapes(view.rounds.wide, "pass")[0]["d"] == ""
    assert len(shapes(view.rounds.wide, "open")) == 1


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0 %"), (0.001, "under 1 %"), (0.5, "50 %"), (0.999, "over 99 %"), (1, "100 %")],
)
def test_what_is_not_certain_is_not_called_so(share: float, said: str) -> None:
    assert percent(share) == said


def test_numbers_of_rounds_never_touch() -> None:
    cells = [Cell(round_, "a", "pass") for round_ in range(8, 60)]
    svg = rounds_picture(cells, ["a"], first=8, shown=52)
    places = [
        float(x) for x in re.findall(r'<text x="([\d.]+)" y="[\d.]+" text-anchor="middle"', svg)
    ]
    assert len(places) >= 5
    assert min(b - a for a, b in itertools.pairwise(places)) > 26
