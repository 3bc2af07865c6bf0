"""Points, tie-breaks and the arithmetic of a row (docs/reference/points-and-tie-breaks.md); every figure is computed
by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.presentation.coded_text import plain, text
from tests.tournaments.simulated_competition import HIGH_SCORES, LOW_SCORES
from tournaments.core.results import FILLER_BOT, GameResult, MatchResult, RoundResult, among_entrants, game_result_of
from tournaments.formats import FORMATS
from tournaments.scoring.explanations import level, tie_break_decides
from tournaments.scoring.points import (
    PointsSystem,
    default_points,
    format_number,
    parse_points_system,
    score_match,
    share_places,
)
from tournaments.scoring.standings import EntrantStanding, compute_standings
from tournaments.scoring.tie_breaks import DEFAULT_TIE_BREAKS, TIE_BREAKS

HALF = Fraction(1, 2)
MATCHES = default_points(2, 2)


def duel(a: int, b: int, *scores: tuple[int, int]) -> MatchResult:
    """Return a match of two. `scores` has (a's, b's) of each game. The higher score wins; seats change from game to
    game."""
    games = []
    for number, (mine, theirs) in enumerate(scores):
        placings = (1, 1) if mine == theirs else (1, 2) if mine > theirs else (2, 1)
        turn = -1 if number % 2 else 1
        games.append(GameResult((a, b)[::turn], (mine, theirs)[::turn], placings[::turn]))
    return MatchResult((a, b), tuple(games))


def rounds(*matches: list[MatchResult], byes: dict[int, tuple[int, ...]] | None = None) -> list[RoundResult]:
    return [RoundResult(n, tuple(some), (byes or {}).get(n, ())) for n, some in enumerate(matches, start=1)]


# Four entrants, each pair once, two games a match.
#   round 1: 1–4  2–0 (30–10, 20–15)   2–3  1–1 (20–10, 5–25)
#   round 2: 4–3  0–2 (10–12, 11–20)   1–2  1½–½ (15–15, 30–20)
#   round 3: 2–4  2–0 (40–10, 20–10)   3–1  2–0 (33–30, 21–20)
# Points: 1: 1 + 1 + 0 = 2; 2: ½ + 0 + 1 = 1½; 3: ½ + 1 + 1 = 2½; 4: 0.
FOUR = rounds(
    [duel(1, 4, (30, 10), (20, 15)), duel(2, 3, (20, 10), (5, 25))],
    [duel(4, 3, (10, 12), (11, 20)), duel(1, 2, (15, 15), (30, 20))],
    [duel(2, 4, (40, 10), (20, 10)), duel(3, 1, (33, 30), (21, 20))],
)


def by_entrant(rows: list[EntrantStanding]) -> dict[int, EntrantStanding]:
    return {row.entrant: row for row in rows}


def test_match_points_place_the_four() -> None:
    rows = compute_standings([1, 2, 3, 4], FOUR, MATCHES, DEFAULT_TIE_BREAKS)
    assert [(row.place, row.entrant, row.points) for row in rows] == [
        (1, 3, Fraction(5, 2)),
        (2, 1, 2),
        (3, 2, Fraction(3, 2)),
        (4, 4, 0),
    ]


def test_row_expands_to_its_arithmetic() -> None:
    row = by_entrant(compute_standings([1, 2, 3, 4], FOUR, MATCHES, DEFAULT_TIE_BREAKS))[2].plain()
    assert row["lines"] == [
        {
            "round": 1,
            "opponents": [3],
            "result": "D",
            "games": 1,
            "games_against": 1,
            "points": 0.5,
            "buchholz": 2.5,
            "sonneborn_berger": 1.25,
            "wins": 1,
            "difference": -10,
        },
        {
            "round": 2,
            "opponents": [1],
            "result": "L",
            "games": 0.5,
            "games_against": 1.5,
            "points": 0,
            "buchholz": 2,
            "sonneborn_berger": 0,
            "wins": 0,
            "difference": -10,
        },
        {
            "round": 3,
            "opponents": [4],
            "result": "W",
            "games": 2,
            "games_against": 0,
            "points": 1,
            "buchholz": 0,
            "sonneborn_berger": 0,
            "wins": 2,
            "difference": 40,
        },
    ]
    assert (row["games"], row["games_against"], row["points"], row["played"]) == (3.5, 2.5, 1.5, 3)


def test_what_each_round_adds_to_a_tie_break_comes_to_its_value() -> None:
    for row in compute_standings(
        [1, 2, 3, 4], FOUR, MATCHES, ["wins", "buchholz", "sonneborn_berger", "score_difference"]
    ):
        plain = row.plain()
        values = {each["name"]: each["value"] for each in plain["tie_breaks"]}
        for name, term in (
            *((each, each) for each in values if each != "score_difference"),
            ("score_difference", "difference"),
        ):
            assert sum(line[term] for line in plain["lines"]) == values[name]


def test_row_says_what_parts_it_from_its_neighbour() -> None:
    rows = compute_standings([1, 2, 3, 4], FOUR, MATCHES, DEFAULT_TIE_BREAKS)
    assert [(row.neighbour, text(row.why)) for row in rows] == [
        (1, "½ point ahead of {neighbour}."),
        (2, "½ point ahead of {neighbour}."),
        (4, "1½ points ahead of {neighbour}."),
        (2, "1½ points behind {neighbour}."),
    ]


def values(name: str, played: list[RoundResult], entrants: int, **more: Any) -> list[Fraction | None]:
    """Return each entrant's value of this tie-break, which is the only one, from entrant 1 on."""
    rows = by_entrant(compute_standings(range(1, entrants + 1), played, MATCHES, [name], **more))
    return [dict(rows[entrant].tie_breaks)[name] for entrant in range(1, entrants + 1)]


def test_wins_are_games_won_outright() -> None:
    assert values("wins", FOUR, 4) == [3, 3, 5, 0]


def test_buchholz_is_the_points_of_those_one_has_met() -> None:
    assert values("buchholz", FOUR, 4) == [4, Fraction(9, 2), Fraction(7, 2), 6]


# Swiss: round 1: 1–2 (1), 3–4 (1), 5 rests; round 2: 1–3 (1), 5–2 (1), 4 is away. A bye is worth ½.
SWISS = [
    RoundResult(1, (duel(1, 2, (9, 1)), duel(3, 4, (9, 1))), byes=(5,)),
    RoundResult(2, (duel(1, 3, (9, 1)), duel(5, 2, (9, 1))), away=(4,)),
]
HALF_A_BYE = PointsSystem("match_points", (Fraction(1),), bye=HALF)


def swiss(name: str, played: list[RoundResult]) -> list[Fraction | None]:
    rows = by_entrant(compute_standings(range(1, 6), played, HALF_A_BYE, [name]))
    return [dict(rows[entrant].tie_breaks)[name] for entrant in range(1, 6)]


def test_an_unplayed_round_counts_as_one_against_somebody_like_oneself() -> None:
    """FIDE C.07, 16.3 and 16.4. Points: 1: 2; 2: 0; 3: 1; 4: 0; 5: 1½.

    The bye of 5 counts as a draw with a dummy. It has no more points than a draw in each of the two rounds gives, 1.
    4 asked to miss the last round, which counts as a draw for those who met 4: 3 has beaten somebody with ½.
    """
    assert swiss("buchholz", SWISS) == [1, Fraction(7, 2), Fraction(5, 2), 1, 1]
    assert swiss("sonneborn_berger", SWISS) == [1, 0, HALF, 0, HALF]


def test_rounds_after_a_withdrawal_count_as_missed_by_request() -> None:
    """FIDE C.07, 16.1.1: 4 lost to 3 and withdrew, so it is named in no further round. Its two rounds count as draws
    for 3, and as lost against a dummy without points for itself."""
    played = [
        RoundResult(1, (duel(1, 2, (9, 1)), duel(3, 4, (9, 1)))),
        RoundResult(2, (duel(1, 3, (9, 1)),), byes=(2,)),
        RoundResult(3, (duel(2, 3, (9, 1)),), byes=(1,)),
    ]
    rows = by_entrant(compute_standings([1, 2, 3, 4], played, MATCHES, ["buchholz", "sonneborn_berger"]))
    assert [line.result for line in rows[4].lines] == ["L", "0", "0"]
    assert rows[4].played == 1
    assert dict(rows[3].tie_breaks)["sonneborn_berger"] == 1
    assert dict(rows[4].tie_breaks) == {"buchholz": 1, "sonneborn_berger": 0}


def test_what_is_missed_before_somebody_plays_again_is_no_draw_for_opponents() -> None:
    """FIDE C.07, 16.2.3: 4 missed round 2 and came back."""
    played = [
        RoundResult(1, (duel(3, 4, (9, 1)),), byes=(1,)),
        RoundResult(2, (duel(1, 3, (9, 1)),), away=(4,)),
        RoundResult(3, (duel(1, 4, (9, 1)),), byes=(3,)),
    ]
    rows = by_entrant(compute_standings([1, 3, 4], played, MATCHES, ["sonneborn_berger"]))
    assert dict(rows[3].tie_breaks)["sonneborn_berger"] == 0


# Round robin. 4 did not come to its match with 1, and has one point; 1 and 2 have 2½, 3 has none.
NO_SHOW = rounds(
    [MatchResult((1, 4), (GameResult((1, 4), (0, 0), (1, 2), left=(1,), absent=(1,)),)), duel(2, 3, (9, 1))],
    [duel(4, 3, (9, 1)), duel(1, 2, (5, 5))],
    [duel(2, 4, (9, 1)), duel(3, 1, (1, 9))],
)


def planned(name: str, played: list[RoundResult], entrants: int) -> list[Fraction | None]:
    return values(name, played, entrants, dummies=False)


def test_in_a_round_robin_a_match_to_which_somebody_did_not_come_counts_like_any_other() -> None:
    """FIDE C.07, 15.2. 1: beat 4 (1) and 3 (0), drew with 2 (½ · 2½) = 2¼. 2: beat 3 and 4, drew with 1: as much."""
    assert planned("sonneborn_berger", NO_SHOW, 4) == [Fraction(9, 4), Fraction(9, 4), 0, 0]
    assert planned("buchholz", NO_SHOW, 4) == [Fraction(7, 2), Fraction(7, 2), 6, 5]


def test_in_a_round_robin_the_absent_one_counts_with_all_points() -> None:
    """2 has two points and did not come to its match with 3, who has one. A dummy had one point."""
    missed = MatchResult((3, 2), (GameResult((3, 2), (0, 0), (1, 2), left=(1,), absent=(1,)),))
    played = rounds([duel(2, 1, (9, 1))], [duel(2, 4, (9, 1))], [missed])
    assert planned("sonneborn_berger", played, 4)[2] == 2
    assert values("sonneborn_berger", played, 4)[2] == 1


def test_a_walkover_in_a_round_robin_is_won_against_who_is_missing() -> None:
    """4 beat 3 and withdrew. 2, who was to meet 4, has beaten somebody with one point."""
    played = [
        RoundResult(1, (duel(1, 2, (9, 1)), duel(4, 3, (9, 1)))),
        RoundResult(2, (duel(1, 3, (9, 1)),), walkovers=(2,), missing=((2, 4),)),
    ]
    rows = by_entrant(compute_standings([1, 2, 3, 4], played, MATCHES, ["sonneborn_berger"], dummies=False))
    assert [rows[2].points, dict(rows[2].tie_breaks)["sonneborn_berger"]] == [1, 1]
    assert rows[2].lines[1].result == "+"


def test_in_a_round_robin_a_round_without_an_opponent_adds_nothing() -> None:
    played = rounds([duel(1, 2, (9, 1))], byes={1: (3,)})
    rows = by_entrant(compute_standings([1, 2, 3], played, HALF_A_BYE, ["buchholz", "sonneborn_berger"], dummies=False))
    assert [rows[3].points, *dict(rows[3].tie_breaks).values()] == [HALF, 0, 0]


@pytest.mark.parametrize(
    ("name", "size", "as_in_a_swiss"),
    [
        ("swiss", 2, True),
        ("swiss", 4, True),
        ("round_robin", 2, False),
        ("double_round_robin", 2, False),
        ("groups", 2, False),
        ("round_robin", 4, True),
        ("arena", 2, False),
    ],
)
def test_unplayed_rounds_count_as_in_a_swiss_where_rounds_are_paired_one_by_one(
    name: str, size: int, as_in_a_swiss: bool
) -> None:
    assert FORMATS[name].counts_dummies(size) == as_in_a_swiss


def test_head_to_head_counts_no_game_to_which_somebody_did_not_come_but_in_a_round_robin() -> None:
    """FIDE C.07, 6.1.1 and 15.2."""
    played = rounds(
        [MatchResult((1, 2), (GameResult((1, 2), (0, 0), (1, 2), left=(1,), absent=(1,)),))], [duel(2, 3, (9, 1))]
    )
    assert values("head_to_head", played, 3) == [None, None, None]
    assert planned("head_to_head", played, 3) == [1, 0, None]


def test_who_was_away_has_what_the_season_gives_for_it() -> None:
    system = PointsSystem("match_points", (Fraction(1),), away=Fraction(1, 4))
    rows = by_entrant(
        compute_standings([1, 2, 3], [RoundResult(1, (duel(1, 2, (9, 1)),), away=(3,))], system, ["lots"])
    )
    assert (rows[3].points, rows[3].lines[0].result) == (Fraction(1, 4), "0")


def test_median_buchholz_leaves_the_best_and_the_worst_opponent_out() -> None:
    """1 met 4 (0), 2 (1½), 3 (2½): 1½ stays; 4 met 1 (2), 3 (2½), 2 (1½): 2 stays."""
    assert values("median_buchholz", FOUR, 4) == [Fraction(3, 2), 2, Fraction(3, 2), 2]


def test_median_buchholz_of_two_rounds_is_nothing() -> None:
    assert values("median_buchholz", FOUR[:2], 4) == [0, 0, 0, 0]


def test_a_round_that_one_was_away_from_is_the_first_that_the_median_cuts() -> None:
    """FIDE C.07, 16.5. 1 has 2 points. It met 2 (1), 3 (2) and 4 (2), and was away in round 3, which counts 2. That
    round is cut as the lower one, and 4 as the highest."""
    played = [
        RoundResult(1, (duel(1, 2, (9, 1)), duel(3, 4, (9, 1)))),
        RoundResult(2, (duel(1, 3, (9, 1)), duel(4, 2, (9, 1)))),
        RoundResult(3, (duel(2, 3, (9, 1)),), byes=(4,), away=(1,)),
        RoundResult(4, (duel(4, 1, (9, 1)), duel(3, 2, (9, 1)))),
    ]
    met = by_entrant(compute_standings(range(1, 5), played, MATCHES, ["median_buchholz"]))[1]
    assert [line.buchholz for line in met.lines] == [1, 2, 2, 2]
    assert dict(met.tie_breaks)["median_buchholz"] == 1 + 2


def test_a_struck_match_counts_for_nobody() -> None:
    struck = MatchResult((1, 2), duel(1, 2, (9, 1)).games, struck=(2,))
    rows = by_entrant(
        compute_standings([1, 2, 3], rounds([struck], [duel(1, 3, (1, 9))]), MATCHES, ["wins", "buchholz"])
    )
    assert [rows[entrant].points for entrant in (1, 2, 3)] == [0, 0, 1]
    assert [rows[entrant].played for entrant in (1, 2, 3)] == [1, 0, 1]
    assert dict(rows[1].tie_breaks) == {"wins": 0, "buchholz": 1}


def test_at_a_table_the_others_move_up_where_one_is_struck() -> None:
    game = GameResult((1, 2, 3), (9, 8, 7), (1, 2, 3), left=(2,))
    match = MatchResult((1, 2, 3), (game,), struck=(1,))
    counted = match.counted()
    assert counted == MatchResult((2, 3), (GameResult((2, 3), (8, 7), (1, 2), left=(1,)),), struck=(1,))
    rows = by_entrant(compute_standings([1, 2, 3], rounds([match]), default_points(3, 1), ["lots"]))
    assert [rows[entrant].points for entrant in (1, 2, 3)] == [0, 2, 1]


def test_points_that_are_brought_along_are_there_from_the_start() -> None:
    rows = compute_standings([1, 2], [], MATCHES, ["lots"], carried={2: Fraction(3, 2)})
    assert [(row.entrant, row.points, row.plain()["carried"]) for row in rows] == [(2, Fraction(3, 2), 1.5), (1, 0, 0)]


def test_an_adjudicated_game_counts_as_its_placings_say_and_adds_nothing_to_the_score_difference() -> None:
    match = MatchResult((1, 2), (GameResult((1, 2), (3, 40), (1, 2), adjudicated=True),))
    row = by_entrant(compute_standings([1, 2], rounds([match]), MATCHES, ["wins", "score_difference"]))[1]
    assert [row.points, *dict(row.tie_breaks).values()] == [1, 1, 0]


def test_scores_count_themselves_where_the_season_says_so() -> None:
    """Entrant 1 scores 30 + 15 and 20 + 1. 3 has one bye and gets its mean of a match, 10 + 2 = 12."""
    played = rounds([duel(1, 2, (30, 10), (15, 20))], [duel(1, 3, (20, 10), (1, 2))], byes={1: (3,), 2: (2,)})
    rows = by_entrant(compute_standings([1, 2, 3], played, HIGH_SCORES, ["lots"]))
    assert {entrant: row.points for entrant, row in rows.items()} == {1: 66, 2: 60, 3: 24}
    assert [line.games for line in rows[1].lines] == [45, 21]


def test_where_the_lowest_score_is_best_scores_count_as_minus_and_who_is_away_gains_nothing() -> None:
    """PL-21: in Plates the least total wins."""
    game = GameResult((1, 2), (12, 30), (1, 2))
    played = [RoundResult(1, (MatchResult((1, 2), (game,)),), away=(3,))]
    rows = compute_standings([1, 2, 3], played, LOW_SCORES, ["lots"])
    assert [row.entrant for row in rows] == [1, 2, 3]
    assert [row.points for row in rows] == [-12, -30, -30]
    assert rows[0].lines[0].result == "W"


def test_a_score_counts_in_the_direction_in_which_its_kind_is_won() -> None:
    with pytest.raises(ValueError, match="lowest score is the best"):
        parse_points_system({"system": "score", "scale": [1]}, lowest_best=True)
    with pytest.raises(ValueError, match="highest score is the best"):
        parse_points_system({"system": "score", "scale": [-1]}, lowest_best=False)


def test_sonneborn_berger_is_the_points_of_the_beaten_and_half_of_the_drawn() -> None:
    """1 beat 4 (0) and 2 (1½); 2 drew with 3 (½ · 2½), beat 4; 3 drew with 2 (½ · 1½), beat 4 and 1 (2)."""
    assert values("sonneborn_berger", FOUR, 4) == [Fraction(3, 2), Fraction(5, 4), Fraction(11, 4), 0]


def test_score_difference_counts_the_kinds_own_points() -> None:
    """1: 20 + 5 + 0 + 10 − 3 − 1 = 31; 2: 10 − 20 + 0 − 10 + 30 + 10 = 20; 3: −10 + 20 + 2 + 9 + 3 + 1 = 25."""
    assert values("score_difference", FOUR, 4) == [31, 20, 25, -76]


def test_score_difference_turns_round_where_the_lowest_score_is_best() -> None:
    """PL-21: in Plates the least total wins."""
    assert values("score_difference", FOUR, 4, lowest_best=True) == [-31, -20, -25, 76]


def test_score_difference_at_a_table_is_against_the_mean_of_the_others() -> None:
    table = MatchResult((1, 2, 3), (GameResult((1, 2, 3), (10, 4, 1), (1, 2, 3)),))
    assert values("score_difference", rounds([table]), 3) == [
        Fraction(15, 2),
        Fraction(-3, 2),
        Fraction(-6),
    ]


def dealt(seats: tuple[int, ...], scores: tuple[int, ...], deal: int | None) -> MatchResult:
    places = tuple(1 + sum(other > own for other in scores) for own in scores)
    return MatchResult(seats, (GameResult(seats, scores, places, deal=deal),))


def test_datum_compares_scores_with_those_of_the_others_in_the_same_seat_of_the_same_deal() -> None:
    """Seat 0 of deal 7 scored 30, 20 and 10; seat 1 scored 5, 8 and 20. Deal 8 was played at one table only, and games
    without a deal are not compared."""
    same = [dealt((1, 2), (30, 5), 7), dealt((3, 4), (20, 8), 7), dealt((5, 6), (10, 20), 7)]
    alone = [dealt((1, 3), (90, 0), 8), dealt((2, 4), (90, 0), None), dealt((5, 6), (0, 90), None)]
    assert values("datum", rounds(same, alone), 6) == [
        15,
        -9,
        0,
        Fraction(-9, 2),
        -15,
        Fraction(27, 2),
    ]
    assert values("datum", rounds(same), 6, lowest_best=True)[0] == -15


def test_a_built_in_bot_that_fills_a_table_is_taken_out_of_its_games_and_nobody_is_compared() -> None:
    """The outcome is 9, 7 and 5 by seats, and the bot sits between the two entrants."""
    outcome = {"scores": [9, 7, 5], "placings": [1, 2, 3]}
    assert game_result_of(outcome, (1, 2), 3) == GameResult((1, 2), (7, 5), (1, 2))
    game = among_entrants(GameResult((1, FILLER_BOT, 2), (9, 7, 5), (1, 2, 3), left=(2,), deal=7))
    assert game == GameResult((1, 2), (9, 5), (1, 2), left=(1,))


def test_fewest_forfeits_counts_games_left() -> None:
    game = GameResult((1, 2), (0, 0), (2, 1), left=(0,))
    played = rounds([MatchResult((1, 2), (game, game))])
    assert values("fewest_forfeits", played, 2) == [2, 0]
    drawn = [GameResult((1, 2), (0, 0), (1, 2)), game]
    rows = compute_standings([1, 2], rounds([MatchResult((1, 2), tuple(drawn))]), MATCHES, ["fewest_forfeits"])
    assert [row.entrant for row in rows] == [2, 1]
    assert text(rows[0].why) == "Tied with {neighbour} on ½ point. Games left decide: 0 against 1."


# Three on two points each: 1 beat 2 by 2–0, 2 beat 3 by 2–0, 3 beat 1 by 1½–½; all three beat 4.
CYCLE = rounds(
    [duel(1, 2, (9, 1), (9, 1)), duel(3, 4, (9, 1), (9, 1))],
    [duel(2, 3, (9, 1), (9, 1)), duel(1, 4, (9, 1), (9, 1))],
    [duel(3, 1, (9, 1), (5, 5)), duel(2, 4, (9, 1), (9, 1))],
)


def test_head_to_head_counts_the_games_among_those_who_are_level() -> None:
    """1: 2 + ½ = 2½; 2: 0 + 2 = 2; 3: 0 + 1½ = 1½."""
    rows = compute_standings([1, 2, 3, 4], CYCLE, MATCHES, ["head_to_head"])
    assert [(row.place, row.entrant) for row in rows] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert [dict(row.tie_breaks)["head_to_head"] for row in rows] == [Fraction(5, 2), 2, Fraction(3, 2), None]
    assert text(rows[0].why) == "Tied with {neighbour} on 2 points. Head-to-head decides: 2½ against 2."


# Six meet once, and each match is one game. 1 to 4 have three points each; 5 has two and 6 one.
TIED_TWICE = rounds(
    [duel(1, 6, (1, 9)), duel(2, 5, (1, 9)), duel(3, 4, (9, 1))],
    [duel(6, 4, (1, 9)), duel(5, 3, (1, 9)), duel(1, 2, (9, 1))],
    [duel(2, 6, (9, 1)), duel(3, 1, (1, 9)), duel(4, 5, (9, 1))],
    [duel(6, 5, (1, 9)), duel(1, 4, (1, 9)), duel(2, 3, (9, 1))],
    [duel(3, 6, (9, 1)), duel(4, 2, (1, 9)), duel(5, 1, (1, 9))],
)


def test_head_to_head_applies_again_to_those_who_are_still_tied() -> None:
    """FIDE C.07, 6.2: where it parts a group, it is applied again within each part.

    Among 1, 2, 3 and 4: 1 beat 2 and 3, 2 beat 3 and 4, 3 beat 4, and 4 beat 1. So 1 and 2 have 2, 3 and 4 have 1. Of
    1 and 2, 1 won their game; of 3 and 4, 3 did. The lots say the contrary.
    """
    points = {row.entrant: row.points for row in compute_standings(range(1, 7), TIED_TWICE, MATCHES, [])}
    assert points == {1: 3, 2: 3, 3: 3, 4: 3, 5: 2, 6: 1}
    rows = compute_standings(
        range(1, 7), TIED_TWICE, MATCHES, ["head_to_head", "lots"], lots=dict(enumerate((4, 3, 2, 1, 5, 6), start=1))
    )
    assert [row.entrant for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [dict(row.tie_breaks)["head_to_head"] for row in rows[:4]] == [2, 2, 1, 1]
    sentence = "Tied with {neighbour} on 3 points. Head-to-head among those still tied decides: 1 against 0."
    assert text(rows[0].why) == sentence
    assert text(rows[1].why) == "Tied with {neighbour} on 3 points. Head-to-head decides: 2 against 1."


def test_head_to_head_ends_where_it_parts_nobody() -> None:
    """A circle of three has 1 each, also when it is asked again; the next tie-break decides."""
    cycle = rounds([duel(1, 2, (9, 1))], [duel(2, 3, (9, 1))], [duel(3, 1, (9, 1))])
    rows = compute_standings([1, 2, 3], cycle, MATCHES, ["head_to_head", "lots"], lots={1: 3, 2: 1, 3: 2})
    assert [row.entrant for row in rows] == [2, 3, 1]
    sentence = "Tied with {neighbour} on 1 point and in head-to-head. The drawing of lots decides: 1 against 2."
    assert text(rows[0].why) == sentence


def test_head_to_head_is_not_asked_of_those_who_have_not_all_met() -> None:
    played = rounds([duel(1, 3, (9, 1)), duel(2, 4, (9, 1))])
    rows = compute_standings([1, 2, 3, 4], played, MATCHES, ["head_to_head", "score_difference", "lots"])
    assert dict(rows[0].tie_breaks)["head_to_head"] is None
    assert (
        text(rows[0].why)
        == "Tied with {neighbour} on 1 point and in score difference. The drawing of lots decides: 1 against 2."
    )


def test_tie_breaks_are_asked_in_the_seasons_order() -> None:
    by_wins = compute_standings([1, 2, 3, 4], CYCLE, MATCHES, ["wins", "head_to_head"])
    assert [row.entrant for row in by_wins] == [1, 2, 3, 4]
    assert (
        text(by_wins[0].why) == "Tied with {neighbour} on 2 points and in games won. Head-to-head decides: 2 against 0."
    )
    assert text(by_wins[2].why) == "Tied with {neighbour} on 2 points. Games won decide: 3 against 4."


def test_lower_lot_goes_first() -> None:
    rows = compute_standings([1, 2], [], MATCHES, ["lots"], lots={1: 2, 2: 1})
    assert [row.entrant for row in rows] == [2, 1]
    assert text(rows[1].why) == "Tied with {neighbour} on 0 points. The drawing of lots decides: 2 against 1."


def test_entrants_level_to_the_end_share_their_place() -> None:
    rows = compute_standings([1, 2, 3], rounds([duel(1, 2, (9, 1), (1, 9))], byes={1: (3,)}), MATCHES, ["wins"])
    assert [(row.entrant, row.place) for row in rows] == [(1, 1), (2, 1), (3, 3)]
    assert text(rows[0].why) == "Tied with {neighbour} on ½ point and in games won: they share the place."


def test_one_entrant_alone_has_no_neighbour() -> None:
    (row,) = compute_standings([1], [], MATCHES, ["lots"])
    assert (row.place, row.neighbour, row.why) == (1, None, ())


def test_open_rounds_do_not_count() -> None:
    history = [RoundResult(1, (duel(1, 2, (9, 1)),), closed=False)]
    assert [row.points for row in compute_standings([1, 2], history, MATCHES, [])] == [0, 0]


def test_placing_points_are_added_up_game_by_game() -> None:
    """Tables of three at 2, 1, 0: first and shared second give 2, ½, ½; a bye counts the middle, 1 a game."""
    games = (GameResult((1, 2, 3), (9, 5, 5), (1, 2, 2)), GameResult((2, 3, 1), (9, 8, 7), (1, 2, 3)))
    rows = compute_standings(
        [1, 2, 3, 4], rounds([MatchResult((1, 2, 3), games)], byes={1: (4,)}), default_points(3, 2), ["lots"]
    )
    assert [(row.entrant, row.points) for row in rows] == [
        (2, Fraction(5, 2)),
        (1, 2),
        (4, 2),
        (3, Fraction(3, 2)),
    ]
    lines = {row.entrant: row.lines[0] for row in rows}
    assert [lines[entrant].result for entrant in (1, 2, 3, 4)] == ["2", "1", "3", "–"]
    assert (lines[1].games, lines[1].games_against) == (Fraction(2), Fraction(4))


def test_game_wins_count_first_places_alone() -> None:
    system = PointsSystem("game_wins", (Fraction(1),))
    match = MatchResult(
        (1, 2, 3), (GameResult((1, 2, 3), (9, 9, 5), (1, 1, 3)), GameResult((2, 3, 1), (9, 8, 7), (1, 2, 3)))
    )
    assert score_match(system, match).points == {1: HALF, 2: Fraction(3, 2), 3: 0}


def test_match_points_at_a_table_place_by_its_games() -> None:
    system = PointsSystem("match_points", (Fraction(3), Fraction(1)))
    games = (GameResult((1, 2, 3), (9, 8, 7), (1, 2, 3)), GameResult((2, 3, 1), (9, 8, 7), (1, 2, 3)))
    scored = score_match(system, MatchResult((1, 2, 3), games))
    assert scored.games == {1: 2, 2: 3, 3: 1}
    assert scored.points == {1: 1, 2: 3, 3: 0}


def test_shared_places_share_what_they_are_worth() -> None:
    assert share_places([Fraction(3), Fraction(2), Fraction(1)], [1, 2, 2, 4]) == [3, Fraction(3, 2), Fraction(3, 2), 0]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_a_table_gives_away_exactly_its_scale(scores: list[int]) -> None:
    placings = [1 + sum(other > score for other in scores) for score in scores]
    scale = [Fraction(n) for n in range(len(scores), 0, -1)]
    assert sum(share_places(scale, placings)) == sum(scale)


@settings(deadline=None)
@given(st.permutations(range(4)), st.permutations(range(3)))
def test_order_of_entrants_rounds_and_tables_does_not_matter(entrants: list[int], order: list[int]) -> None:
    straight = compute_standings([1, 2, 3, 4], FOUR, MATCHES, DEFAULT_TIE_BREAKS)
    turned = [RoundResult(FOUR[n].number, FOUR[n].matches[::-1]) for n in order]
    assert compute_standings([1 + entrant for entrant in entrants], turned, MATCHES, DEFAULT_TIE_BREAKS) == straight


@pytest.mark.parametrize("name", sorted(TIE_BREAKS))
def test_every_tie_break_stands_before_the_first_round(name: str) -> None:
    rows = compute_standings([1, 2, 3], [], MATCHES, [name])
    assert [row.points for row in rows] == [0, 0, 0]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"system": "sums", "scale": [1]}, "The points system must be one of"),
        ({"system": "placing"}, "scale must be a list"),
        ({"system": "placing", "scale": [1, "x"]}, "Points must be numbers"),
        ({"system": "placing", "scale": [1, True]}, "Points must be numbers"),
        ({"system": "placing", "scale": [1, 2]}, "must not have fewer points"),
        ({"system": "placing", "scale": [2, 1], "bonus": 1}, "Points have no setting 'bonus'"),
        ({"system": "score", "scale": [2, 1]}, "If scores count, the scale is"),
        ({"system": "score", "scale": [1], "bye": 3}, "If scores count, the scale is"),
    ],
)
def test_bad_points_are_refused_with_a_sentence(data: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_points_system(data)


def test_points_survive_json() -> None:
    system = PointsSystem("placing", (Fraction(1), HALF), Fraction(1, 10))
    assert parse_points_system(system.plain()) == system


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(7, 2), "3½"), (HALF, "½"), (Fraction(-3, 4), "−¾"), (Fraction(12), "12"), (Fraction(13, 6), "2.17")],
)
def test_fractions_are_written_as_people_write_them(value: Fraction, text: str) -> None:
    assert format_number(value) == text


def test_why_somebody_has_a_place_is_read_in_the_language_of_the_reader() -> None:
    why = json.loads(json.dumps(plain((level(0.5, ["wins"]), tie_break_decides("lots", 1, 2)))))
    assert why == [
        ["level", {"points": 0.5, "also": ["wins"]}],
        ["tie_break_decides", {"name": "lots", "mine": 1, "theirs": 2}],
    ]
    assert text(why) == "Tied with {neighbour} on ½ point and in games won. The drawing of lots decides: 1 against 2."
    with translation.override("de"):
        assert text(why).startswith(
            "Gleichauf mit {neighbour} (½ Punkt); gleich auch: gewonnene Spiele. Das Los entscheidet:"
        )
