"""The review of a game (docs/explanation/reviews.md). How good it is: `python -m tests.bench.review`."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any, cast

import pytest

from scorebook_games.bots.builtin import SearchBot
from scorebook_games.contract import Event
from scorebook_games.registry import KINDS
from scorebook_games.review import NoReview, Reviewer, example_moves, lines, review_of, reviewer, summary_text
from scorebook_games.review.examples import example_in
from scorebook_games.review.lines import Lines, Setting
from scorebook_games.review.report import Decision, Mistake, Point, Swing, chance, estimate
from scorebook_games.review.reviewer import Reviewer as Work
from scorebook_games.review.reviewer import add, best_of, chance_at, hope_at, spread
from scorebook_games.review.sight import DECISION, sight_of
from scorebook_games.review.summary import summary_of
from scorebook_games.search import general
from tests.parameters import mostly_slow
from tests.scorebook_games.kinds.permute import GENERATORS
from tests.scorebook_games.review.reviewed_games import played
from tests.scorebook_games.rounds import Rounds, offered
from tests.scorebook_games.rounds import played as rounds_played

of_every_kind = pytest.mark.parametrize("kind", sorted(KINDS))
LITTLE = 6000  # positions


def text_of(events: list[Event], seat: int, budget: int = LITTLE) -> str:
    return json.dumps(review_of(events, seat, budget=budget).plain())


@pytest.mark.some(2)
@of_every_kind
def test_cards_hidden_from_a_seat_have_no_part_in_its_review(kind: str) -> None:
    """This is so in a stopped game, too; in some kinds a finished game shows all cards."""
    whole, rng = played(kind, [0.3, 0.3, 0.3]), random.Random(2)
    log = whole[: len(whole) // 2]
    for seat in range(3):
        other = GENERATORS[kind](3, log[0][1]["options"], log[1:], seat, rng)
        if other is not None:
            break
    assert other
    assert other != log[1:]
    assert text_of([log[0], *other], seat) == text_of(log, seat)


@pytest.mark.parametrize("kind", mostly_slow(sorted(KINDS), ["plates"]))
def test_a_review_that_was_stopped_after_each_step_is_the_same_to_the_byte(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviewer, "STEP", 700)
    log = played(kind, [0.5, 0.0])
    whole, state, steps = text_of(log, 0), None, 0
    done = -1
    while True:
        again = Reviewer(log, 0, budget=LITTLE, state=state)
        progress = next(again.steps())
        assert progress.whole == LITTLE
        assert progress.done >= done
        done, steps = progress.done, steps + 1
        state = json.loads(json.dumps(again.state()))
        if progress.done == progress.whole and state["phase"] == 5:
            break
    assert steps > 4
    assert json.dumps(Reviewer(log, 0, budget=LITTLE, state=state).review().plain()) == whole


@pytest.mark.some(2)
@of_every_kind
@pytest.mark.parametrize("seats", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_review_has_what_its_docstring_promises(kind: str, seats: int) -> None:
    log = played(kind, [0.5] * seats)
    found = review_of(log, 1, budget=4 * LITTLE).plain()
    assert (found["schema"], found["kind"], found["seats"], found["seat"]) == (2, kind, seats, 1)
    assert found["policy"] == "sensible"
    assert found["finished"]
    versions = [point["version"] for point in found["curve"]]
    assert versions == sorted(set(versions))
    end = found["curve"][-1]
    assert end == {"version": len(log), "what": "end", "seat": None, "chance": found["result"], "error": 0.0}
    for point in found["curve"][:-1]:
        assert 0 <= point["chance"] <= 1
        assert 0 < point["error"] < 0.5
        assert point["what"] in ("deal", "decision", "turn")
    for made in found["decisions"]:
        assert made["legal"] > 1 or kind == "plate_spinner"  # a roll stands for many
        assert made["mark"] in ("best", "fine", "mistake", "skipped")
        assert (made["worlds"] > 0) == (made["mark"] in ("fine", "mistake"))
        assert (made["best"] == made["move"]) == (made["mark"] in ("best", "skipped"))
    marked = [made["event"] for made in found["decisions"] if made["mark"] == "mistake"]
    assert [each["event"] for each in found["mistakes"]] == marked
    assert all(each["cost"] > 2 * each["error"] > 0 for each in found["mistakes"])
    assert summary_text(found)


@of_every_kind
def test_an_example_ends_as_the_line_did_for_which_it_was_chosen(kind: str) -> None:
    """Else the better move might end worse. In Plate Spinner, a line stops where a forecast can be made."""
    sight = sight_of(played(kind, [0.5, 0.0]), 0)
    decisions = [position for position in sight.positions if position.what == DECISION]
    for at in decisions[:: max(1, len(decisions) // 4)]:
        tried = Lines(Setting(sight), at, "examples")
        better = tried.candidates(random.Random(1))[-1][0]
        world = tried.world(random.Random("examples 0"))
        ended = [
            tried.after(world, "examples 0 luck", tried.rules.parse_move(world, move)) for move in (better, at.move)
        ]
        example = example_in(tried, 0, better)
        assert [example["best"]["share"], example["made"]["share"]] == ended


@pytest.mark.usefixtures("strong_thinks_fully")
def test_a_blunder_is_found_and_explained() -> None:
    """In the last two, `place K` wins for seat 0 with certainty, and `place 2` loses."""
    log = played("plates", [0.3, 0.0], 4, rounds=1)
    found = review_of(log, 0, budget=80_000).plain()
    (worst,) = [each for each in found["mistakes"] if each["event"] == 49]
    assert (worst["move"], worst["best"], worst["strong"], worst["cost"]) == ("place 2", "place K", "place K", 1.0)
    line = worst["line"]
    assert line["version"] == worst["version"] == 48
    assert line["best"]["moves"][0] == [0, "place K"]
    assert line["made"]["moves"][0] == [0, "place 2"]
    assert (line["best"]["share"], line["made"]["share"]) == (1.0, 0.0)
    again = example_moves(sight_of(log, 0), worst)
    for side in ("best", "made"):
        assert [[each.seat, each.move] for each in again[side]] == line[side]["moves"]
        assert all(each.seen["seat"] == each.seat for each in again[side])
    assert line["best"]["scores"][0] < line["made"]["scores"][0]  # penalty points
    (swing,) = [each for each in found["swings"] if each["version"] <= 48 < each["to"]]
    assert (swing["seat"], swing["decision"], swing["change"] < -0.5) == (0, 48, True)
    assert [code for code, _ in found["summary"]] == [
        "review_course",
        "review_mistakes",
        "review_worst",
        "review_unmeasured",
        "review_swing",
    ]


def test_what_the_strong_bot_would_have_played_too_is_no_mistake() -> None:
    class Same:
        """A bot that plays the move of event 49."""

        def searched(self, view: Any, legal: list[str], rng: random.Random) -> str:
            return "place 2" if view.observation == at.seen else legal[0]

    log = played("plates", [0.3, 0.0], 4, rounds=1)
    work = Reviewer(log, 0, budget=80_000)
    (at,) = [each for each in work.decisions if each.event == 49]
    work.setting.strong = cast("SearchBot", Same())
    for _ in work.steps():
        pass
    found = work.review().plain()
    (made,) = [each for each in found["decisions"] if each["event"] == 49]
    assert (made["mark"], made["cost"]) == ("fine", 1.0)
    assert 49 not in [each["event"] for each in found["mistakes"]]
    assert 39 in [each["event"] for each in found["mistakes"]]


def test_another_seat_budget_or_method_begins_again() -> None:
    log = played("chinese_ten", [0.0, 0.0])
    kept = Reviewer(log, 0, budget=LITTLE)
    for _ in kept.steps():
        pass
    assert Reviewer(log, 0, budget=LITTLE, state=kept.state()).state()["spent"] >= LITTLE * 0.9
    other = dict(kept.state(), key=["0-0", *kept.state()["key"][1:]])
    for again in (
        Reviewer(log, 1, budget=LITTLE, state=kept.state()),
        Reviewer(log, 0, budget=2 * LITTLE, state=kept.state()),
        Reviewer(log, 0, budget=LITTLE, state=other),
    ):
        assert again.state()["spent"] == 0


def test_the_positions_that_a_review_takes_are_those_of_its_budget_whatever_the_game() -> None:
    for log in (played("plates", [1.0, 1.0]), played("palace", [1.0, 1.0, 1.0])):
        found = review_of(log, 0, budget=40_000).plain()
        assert 30_000 < found["spent"] < 52_000 + 5 * reviewer.STRONG


def test_in_a_very_long_game_some_decisions_are_skipped_and_counted() -> None:
    log = played("palace", [1.0, 1.0])
    found = review_of(log, 0, budget=LITTLE).plain()
    skipped = [made for made in found["decisions"] if made["mark"] == "skipped"]
    assert len(skipped) == found["skipped"]["decisions"] > 0
    assert found["skipped"]["moments"] >= 0


@pytest.mark.parametrize("events", [24, pytest.param(None, marks=pytest.mark.slow)])
def test_a_kind_without_a_guide_is_reviewed_by_its_rules_alone(events: int | None) -> None:
    log = played("chinese_ten", [0.5, 0.0])[:events]
    kind = KINDS["chinese_ten"]
    guide, plan = kind.bots.guide, kind.bots.plan
    try:
        object.__setattr__(kind.bots, "guide", None)
        with_plan = review_of(log, 0, budget=LITTLE).plain()
        object.__setattr__(kind.bots, "plan", None)
        without = review_of(log, 0, budget=LITTLE).plain()
    finally:
        object.__setattr__(kind.bots, "guide", guide)
        object.__setattr__(kind.bots, "plan", plan)
    assert (with_plan["policy"], without["policy"]) == ("sensible", "random")
    assert with_plan["curve"]
    assert without["curve"]


def test_chances_come_closer_to_the_result_as_a_game_goes_on() -> None:
    early: list[float] = []
    late: list[float] = []
    for number in range(8):
        sight = sight_of(played("chinese_ten", [0.0, 0.0], number), 0)
        for far, at in ((early, sight.positions[3]), (late, sight.positions[-2])):
            far.append(abs(chance_at(Setting(sight), at, "x", 2000).mean - (sight.result or 0.0)))
    assert fmean(late) < fmean(early) - 0.2


def test_a_moment_for_which_no_world_is_found_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: Counter[int] = Counter()
    real = Lines.world

    def world(self: Lines, rng: random.Random) -> Any:
        if " curve " not in self.name:
            return real(self, rng)
        tries[self.position.version] += 1
        return None if self.position.version == hard else real(self, rng)

    log = played("chinese_ten", [0.0, 0.0])
    work = Reviewer(log, 0, budget=LITTLE)
    hard = work.points[1].version
    monkeypatch.setattr(Lines, "world", world)
    for _ in work.steps():
        pass
    assert tries.pop(hard) == 1
    assert min(tries.values()) > 8
    assert [point.version for point in work.review().curve if point.chance is None] == [hard]


def test_the_best_move_wins_the_race_of_all_moves() -> None:
    """In an invented game, the value of an action is the action plus much luck that all actions share."""

    class Numbers(Lines):
        def __init__(self) -> None:
            self.used, self.name = 0, "numbers"

        def candidates(self, rng: random.Random) -> list[tuple[str, int]]:
            return [(str(action), action) for action in (3, 0, 1, 2, 4, 5)]

        def world(self, rng: random.Random) -> Any:
            return rng.random()

        def usual(self, rng: random.Random, moves: Sequence[tuple[str, int]]) -> int:
            return 4

        def after(self, world: Any, luck: str, action: int) -> float:
            self.used += 1
            return float(world) + action / 100

    assert best_of(Numbers(), 200) == "5"


def test_an_estimate_knows_that_a_few_lines_are_no_certainty() -> None:
    sums = [0, 0.0, 0.0]
    for _ in range(10):
        add(sums, 1.0)
    found = estimate(sums)
    assert (found.mean, found.lines) == (1.0, 10)
    assert 0.04 < found.error < 0.06
    for _ in range(990):
        add(sums, 1.0)
    assert estimate(sums).error < 0.001
    even = [0, 0.0, 0.0]
    for number in range(100):
        add(even, float(number % 2))
    assert estimate(even).error == pytest.approx(0.05, abs=0.002)


def test_a_chance_of_few_lines_is_neither_0_nor_1() -> None:
    lost, many = chance([10, 0.0, 0.0]), chance([1000, 1000.0, 1000.0])
    assert lost.mean == pytest.approx(2 / 14)
    assert 0.05 < lost.error < 0.15
    assert many.mean > 0.99
    assert many.error < 0.01
    assert chance([0, 0.0, 0.0]).lines == 0


def test_what_is_too_hopeful_is_taken_back_most_where_it_is_least_certain() -> None:
    raw, sober = (chance([96, 48.0, 48.0], hope) for hope in (0.0, 0.2))
    assert raw.mean == 0.5
    assert sober.mean == pytest.approx(0.45, abs=0.001)
    sure, less = (chance([96, 95.0, 95.0], hope).mean for hope in (0.0, 0.2))
    assert 0 < sure - less < 0.01


def test_before_the_first_move_nobody_is_too_hopeful() -> None:
    sight = sight_of(played("plates", [0.0, 0.0]), 0)
    setting = Setting(sight)
    assert setting.hope > 0
    assert [hope_at(setting, at) for at in sight.positions[:2]] == [0.0, setting.hope]


def test_of_too_many_items_some_are_taken_at_equal_distances() -> None:
    assert spread([1, 2, 3], 3) == [1, 2, 3]
    assert spread(list(range(10)), 5) == [0, 2, 4, 6, 8]
    assert len(spread(list(range(1000)), 7)) == 7


def marked(costs: list[tuple[float, float, int]]) -> list[int]:
    """Return which decisions with these (mean, spread, pairs) are called mistakes."""
    log = played("chinese_ten", [0.0, 0.0])
    work = Work(log, 0, budget=LITTLE)
    for index, (mean, deviation, pairs) in enumerate(costs):
        work.work["fresh"][str(index)] = [pairs, mean * pairs, pairs * (mean * mean + deviation * deviation)]
    return work._costly()


def test_a_mistake_costs_more_than_two_errors_and_more_than_chance_among_so_many_decisions() -> None:
    clear, doubtful, none = (0.2, 0.5, 200), (0.075, 0.5, 200), (0.0, 0.5, 200)
    assert marked([clear, doubtful, none]) == [0, 1]
    assert marked([doubtful, *[none] * 10]) == []
    assert marked([none, clear, (0.3, 0.5, 200), *[none] * 10]) == [2, 1]
    assert marked([(0.005, 0.01, 1000)]) == []  # certain, and too little to matter
    assert marked([]) == []


def test_only_a_fall_of_the_chance_names_a_mistake_in_it() -> None:
    work = Work(played("chinese_ten", [0.0, 0.0]), 0, budget=LITTLE)
    curve = [Point(version, "turn", 0, chance, 0.01) for version, chance in ((4, 0.1), (9, 0.9), (14, 0.2))]
    made = [Decision(version, version + 1, "lay 3", "lay K", 7, 0.1, 0.01, 100, "mistake") for version in (5, 10)]
    assert [(swing.version, swing.decision) for swing in work._found_swings(curve, made)] == [(4, None), (9, 10)]


def test_the_summary_says_what_there_is() -> None:
    curve = [Point(2, "deal", None, 0.52, 0.02), Point(9, "turn", 1, 0.3, 0.02), Point(20, "end", None, 1.0, 0.0)]
    good = Decision(4, 5, "lay K", "lay K", 7, 0.0, 0.0, 0, "best")
    mistake = Mistake(9, 10, "lay 3", "capture 6 1", 0.081, 0.02, "capture 6 1", None)
    swing = Swing(9, 20, 10, 0, 0.3, 1.0, 0.7, 0.02, 9)
    codes = summary_of(curve, [good, good], [mistake], [swing])
    assert json.loads(json.dumps(codes)) == codes
    assert summary_text({"summary": codes}) == [
        "Your chance was 52 % at the start, 52 % at best and 30 % at worst.",
        "1 of your 2 decisions was a mistake; it lowered your chance by 8 percentage points.",
        "The costliest was lay 3 at step 10: capture 6 1 would have brought 8 percentage points more.",
        "The greatest swing began at step 10: from 30 % to 100 %.",
    ]
    assert summary_text({"summary": codes}, "Laura")[:2] == [
        "The chance of Laura was 52 % at the start, 52 % at best and 30 % at worst.",
        "1 of 2 decisions of Laura was a mistake; it lowered the chance by 8 percentage points.",
    ]
    assert summary_text({"summary": summary_of(curve, [good], [], [])})[1] == "Your only decision was no mistake."
    without = {"summary": summary_of([], [], [], [])}
    assert [*summary_text(without), *summary_text(without, "Laura")] == [
        "You never had a choice.",
        "Laura never had a choice.",
    ]


def test_worlds_of_a_line_are_those_that_the_seat_cannot_exclude() -> None:
    log = played("palace", [0.0, 0.0])
    sight = sight_of(log, 0)
    setting = Setting(sight)
    at = next(at for at in sight.positions[5:] if at.what == DECISION)
    lines = Lines(setting, at, "x")
    for number in range(5):
        world = lines.world(random.Random(number))
        assert sight.rules.observation(world, 0) == at.seen


def test_no_review_of_a_seat_that_is_not_there() -> None:
    with pytest.raises(NoReview):
        review_of(played("palace", [1.0, 1.0]), 2)


@pytest.fixture
def nothing_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a small budget reach all decisions."""
    monkeypatch.setattr(reviewer, "MAKING", 100)
    monkeypatch.setattr(reviewer, "LEAST_SCREEN", 100)
    monkeypatch.setattr(reviewer, "LEAST_POINT", 100)


@pytest.mark.usefixtures("nothing_skipped")
def test_every_round_of_a_game_by_rules_alone_is_measured() -> None:
    rules = Rounds(4)
    with offered(rules):
        log = rounds_played(rules)
        found = review_of(log, 1, budget=40_000).plain()
    assert {made["mark"] for made in found["decisions"]} <= {"best", "fine", "mistake"}
    assert len(found["decisions"]) == 4 * 3  # in the last trick of a round there is no choice
    assert found["unmeasured"] == {"moments": 0, "decisions": 0}
    assert all(point["chance"] is not None for point in found["curve"])


@pytest.mark.usefixtures("nothing_skipped")
def test_a_decision_for_which_no_world_is_found_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no good decision either: its cost is not 0, the summary counts it apart, and nothing swings there."""
    monkeypatch.setattr(lines, "MAKING", 2)
    rules = Rounds(2)
    with offered(rules):
        found = review_of(rounds_played(rules), 1, budget=LITTLE).plain()
    assert [(made["mark"], made["cost"], made["error"], made["worlds"]) for made in found["decisions"]] == [
        ("unmeasured", None, None, 0)
    ] * 6
    gaps = [point for point in found["curve"] if point["chance"] is None]
    assert all(point["error"] is None for point in gaps)
    assert found["unmeasured"] == {"moments": len(gaps), "decisions": 6}
    assert len(gaps) > len(found["curve"]) / 2
    assert found["mistakes"] == []
    assert "None of the 6 decisions was measured, so nothing is said of them." in summary_text(found)


def test_worlds_that_are_found_for_the_screen_only_measure_nothing() -> None:
    rules = Rounds(2)
    with offered(rules):
        work = Reviewer(rounds_played(rules), 1, budget=LITTLE)
        work.work["better"]["0"], work.work["fresh"]["0"] = "play AS", [0, 0.0, 0.0]
        work._pair = lambda *_: None  # type: ignore[method-assign]
        assert work._measure()
        assert work.review().decisions[0].mark == "unmeasured"


def test_what_the_strong_bot_plays_without_a_search_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(general, "MAKING", 2)
    rules = Rounds(2)
    with offered(rules):
        work = Reviewer(rounds_played(rules), 1, budget=LITTLE)
        assert work._strong(work.decisions[0]) is None
        monkeypatch.setattr(general, "MAKING", 500)
        assert work._strong(work.decisions[0]) in work.decisions[0].legal


def test_the_summary_counts_what_was_not_measured_apart() -> None:
    good = Decision(4, 5, "lay K", "lay K", 7, 0.0, 0.0, 0, "best")
    unknown = Decision(8, 9, "lay K", "lay K", 7, None, None, 0, "unmeasured")
    skipped = Decision(12, 13, "lay K", "lay K", 7, None, None, 0, "skipped")
    gap, known = Point(2, "deal", None, None, None), Point(9, "turn", 1, 0.3, 0.02)
    assert summary_text({"summary": summary_of([gap, known], [good, unknown, skipped], [], [])}) == [
        "Your only decision was no mistake.",
        "2 further decisions were not measured, so nothing is said of them.",
    ]
