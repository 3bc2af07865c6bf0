"""Standings with supposed results of open games, computed without a database. Every figure is computed by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.contract import Event
from tournaments.scoring.points import default_points
from tournaments.seasons.events.registry import read_events
from tournaments.seasons.fold import SeasonFold
from tournaments.standings.what_if import GameKey, check_ends, open_games, recorded_game_count, supposed_standings

HALF = Fraction(1, 2)
Placings = tuple[int, ...]


def recorded(match: int, game: int, seats: list[int], placings: list[int]) -> Event:
    record = {"game": 100 * match + game, "seats": seats, "scores": [9, 9], "placings": placings, "left": []}
    return ["game_recorded", match, game, record]


def season(points: dict[str, Any], *more: Event) -> SeasonFold:
    """Return a season of four entrants with matches of two games. In round 1, 1 beat 2 by 2–0, and 3 and 4 drew. Round
    2 is open: 1–3 and 2–4."""
    settings = {
        "kind": "chinese_ten",
        "rules_version": 1,
        "points": points,
        "tie_breaks": ["wins"],
        "format": "round_robin",
        "format_options": {},
        "table_size": 2,
        "short_tables": "bye",
        "games_a_match": 2,
    }
    joined = [["entrant_joined", 1, entrant, 10 + entrant] for entrant in (1, 2, 3, 4)]
    paired = [
        [
            "round_paired",
            1,
            number,
            [[match, seats, "", [100 * match + 1, 100 * match + 2], ""] for match, seats in tables],
            [],
            None,
        ]
        for number, tables in ((1, [(5, [1, 2]), (6, [3, 4])]), (2, [(7, [1, 3]), (8, [2, 4])]))
    ]
    first = [
        recorded(5, 1, [1, 2], [1, 2]),
        recorded(5, 2, [2, 1], [2, 1]),
        recorded(6, 1, [3, 4], [1, 2]),
        recorded(6, 2, [4, 3], [1, 2]),
    ]
    return SeasonFold(
        read_events(
            [
                ["season_created", settings],
                *joined,
                ["season_started", {"seed": "00" * 32, "pool": "people"}],
                paired[0],
                *first,
                ["round_closed", 1, 1],
                paired[1],
                *more,
            ]
        )
    )


MATCHES = default_points(2, 2).plain()
GAMES = default_points(2, 2).plain() | {"system": "game_wins"}


def table(folded: SeasonFold, ends: dict[GameKey, Placings]) -> list[tuple[int, int, Fraction]]:
    """Return (place, entrant, points) of each row with these supposed results."""
    rows = supposed_standings(folded, folded.division(1), ends)
    return [(each.row.place, each.row.entrant, each.row.points) for each in rows]


def test_open_games_are_those_without_a_result_with_the_seats_changed_over() -> None:
    folded = season(MATCHES, recorded(7, 1, [1, 3], [1, 2]))
    games = open_games(folded.division(1))
    assert [(game.key, game.table, game.seats) for game in games] == [
        ((7, 2), 1, (3, 1)),
        ((8, 1), 2, (2, 4)),
        ((8, 2), 2, (4, 2)),
    ]


def test_if_nothing_is_supposed_the_table_is_that_of_what_is_there() -> None:
    folded = season(MATCHES)
    assert table(folded, {}) == [(1, 1, 1), (2, 3, HALF), (2, 4, HALF), (4, 2, 0)]


def test_a_game_that_was_annulled_is_neither_open_nor_waited_for() -> None:
    folded = season(MATCHES, recorded(7, 1, [1, 3], [2, 1]), ["game_annulled", 7, 2, {"by": 1, "note": None}])
    assert [game.key for game in open_games(folded.division(1))] == [(8, 1), (8, 2)]
    assert table(folded, {})[0] == (1, 3, Fraction(3, 2)), "3 has won the one game of the match that counts"
    assert recorded_game_count(folded.division(1)) == 1


def test_a_match_that_counts_as_a_whole_waits_for_its_last_game() -> None:
    folded = season(MATCHES)
    assert [points for _, _, points in table(folded, {(7, 1): (2, 1)})] == [1, HALF, HALF, 0]
    both = table(folded, {(7, 1): (2, 1), (7, 2): (1, 2)})
    assert both[0] == (1, 3, Fraction(3, 2))
    assert both[1] == (2, 1, Fraction(1))


def test_what_is_recorded_counts_with_what_is_supposed() -> None:
    """3 won game 1; if 1 wins game 2 they draw the match."""
    folded = season(MATCHES, recorded(7, 1, [1, 3], [2, 1]))
    assert table(folded, {(7, 2): (2, 1)})[:2] == [(1, 1, Fraction(3, 2)), (2, 3, 1)]


def test_where_games_count_each_counts_at_once() -> None:
    folded = season(GAMES)
    assert table(folded, {(8, 1): (1, 2)})[-1] == (2, 4, Fraction(1))
    assert table(folded, {(8, 1): (1, 1)}) == [(1, 1, 2), (2, 4, Fraction(3, 2)), (3, 3, 1), (4, 2, HALF)]


def test_each_row_says_what_it_was_and_where_it_may_still_come() -> None:
    """1 beats 3, so they have 2 and ½ points. 4 has won one of two games: it has 1 or 1½ points, and 2 has 0 or ½."""
    folded = season(MATCHES)
    decided: dict[GameKey, Placings] = {(7, 1): (1, 2), (7, 2): (2, 1), (8, 1): (2, 1)}
    rows = {each.row.entrant: each for each in supposed_standings(folded, folded.division(1), decided)}
    assert {entrant: (each.low, each.high) for entrant, each in rows.items()} == {
        1: (1, 1),
        2: (3, 4),
        3: (3, 4),
        4: (2, 2),
    }
    before = {entrant: (each.before.place, each.before.points) for entrant, each in rows.items() if each.before}
    assert before == {1: (1, 1), 2: (4, 0), 3: (2, HALF), 4: (2, HALF)}
    # Now 4 wins its match and has 1½, 2 stays at 0; 1 has won one of two: 1½ or 2, and 3 has ½ or 1.
    decided = {(8, 1): (2, 1), (8, 2): (1, 2), (7, 1): (1, 2)}
    rows = {each.row.entrant: each for each in supposed_standings(folded, folded.division(1), decided)}
    assert {entrant: (each.low, each.high) for entrant, each in rows.items()} == {
        1: (1, 2),
        2: (4, 4),
        3: (3, 3),
        4: (1, 2),
    }


ENDS = st.sampled_from([None, (1, 2), (2, 1), (1, 1)])
KEYS = [(7, 1), (7, 2), (8, 1), (8, 2)]


@settings(deadline=None, max_examples=settings().max_examples)
@given(st.lists(ENDS, min_size=4, max_size=4), st.lists(ENDS.filter(bool), min_size=4, max_size=4), st.booleans())
def test_whatever_comes_stays_within_what_was_said(some: list[Any], rest: list[Any], games: bool) -> None:
    """The test supposes some results, and then all. By points alone, every place is in the range given before."""
    folded = season(GAMES if games else MATCHES)
    division = folded.division(1)
    known = {key: end for key, end in zip(KEYS, some, strict=True) if end}
    found = {each.row.entrant: each for each in supposed_standings(folded, division, known)}
    full = dict(zip(KEYS, rest, strict=True)) | known
    rows = supposed_standings(folded, division, full)
    for each in rows:
        better = sum(other.row.points > each.row.points for other in rows)
        level = sum(other.row.points >= each.row.points for other in rows)
        before = found[each.row.entrant]
        assert before.low is not None
        assert before.high is not None
        assert before.low <= 1 + better
        assert level <= before.high


def test_where_scores_count_nobody_knows_what_may_come() -> None:
    folded = season({"system": "score", "scale": [1], "bye": 0})
    rows = supposed_standings(folded, folded.division(1), {(7, 1): (1, 2), (7, 2): (1, 2)})
    assert [(each.low, each.high) for each in rows] == [(None, None)] * 4
    assert [each.row.points for each in rows] == [18, 18, 18, 18], "nobody knows the scores of what is supposed"


def test_before_the_first_round_there_is_no_row_to_come_from() -> None:
    folded = season(MATCHES)
    folded.division(1).rounds[0].closed = False
    assert all(each.before is None for each in supposed_standings(folded, folded.division(1), {}))


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        ({(5, 1): (1, 2)}, "Match 5 has no open game 1."),
        ({(7, 3): (1, 2)}, "Match 7 has no open game 3."),
        ({(7, 1): (1, 2, 3)}, "A game for 2 needs a place for each seat"),
        ({(7, 1): (2, 2)}, "not 2.2."),
        ({(7, 1): (1, 3)}, "not 1.3."),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(ends: dict[GameKey, Placings], sentence: str) -> None:
    folded = season(MATCHES)
    with pytest.raises(ValueError, match=sentence.replace(".", r"\.")):
        check_ends(open_games(folded.division(1)), ends)
