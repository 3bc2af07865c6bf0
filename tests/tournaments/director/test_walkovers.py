"""The value, in every format, of matches to which an entrant did not come or whose other side has withdrawn.

The FIDE Handbook has the rules for unplayed rounds in C.04.1 (pairing) and C.07 (tie-breaks).
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from games.common import clock
from games.models import Game, Player
from scorebook_games.chance import SeedDealer
from scorebook_games.presentation.coded_text import text
from tests.tournaments.club import BEGIN
from tests.tournaments.entries.test_entries import club_people as club_people
from tests.tournaments.entries.test_entries import faults, season_of
from tests.tournaments.season_pages.test_pages import address, get
from tests.tournaments.simulated_competition import HIGH_SCORES, LOW_SCORES, competition
from tournaments.core.results import GameResult, MatchResult, RoundResult
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.formats import FORMATS, groups
from tournaments.formats.base import Finished, FormatOptions, Pairings
from tournaments.formats.field import candidates
from tournaments.formats.groups import Groups
from tournaments.formats.reasons import WITHDRAWN
from tournaments.formats.tables import first_seats, meetings
from tournaments.scoring.points import PointsSystem, default_points, score_match
from tournaments.scoring.standings import EntrantStanding, compute_standings
from tournaments.seasons.models import Bye, League, MatchEntrant
from tournaments.standings.models import Standing

ONE = Fraction(1)
WINS = default_points(2, 2, rests_equal=False)


def duel(first: int, second: int, *, absent: tuple[int, ...] = (), scores: tuple[int, int] = (9, 4)) -> MatchResult:
    """Return a match of one game. The first entrant wins, or the one who came."""
    places = (2, 1) if absent == (0,) else (1, 1) if len(absent) == 2 else (1, 2)
    game = GameResult((first, second), scores, places, left=absent, absent=absent)
    return MatchResult((first, second), (game,))


def table(*seats: int, absent: tuple[int, ...] = ()) -> MatchResult:
    """Return a match of one game at a table of three or more, with the seats in the order of their places."""
    places = tuple(range(1, len(seats) + 1))
    scores = tuple(10 - place for place in places)
    return MatchResult(seats, (GameResult(seats, scores, places, left=absent, absent=absent),))


def rows(
    entrants: int, played: list[RoundResult], points: PointsSystem = WINS, *names: str
) -> dict[int, EntrantStanding]:
    return {row.entrant: row for row in compute_standings(range(1, entrants + 1), played, points, names)}


# standings


def test_who_comes_alone_has_won_and_has_met_nobody() -> None:
    """Round 1: 1 beats 2; 3 comes and 4 does not. Round 2: 3 beats 1; 2 beats 4. Points: 1: 1, 2: 1, 3: 2, 4: 0.

    For tie-breaks, the match that 3 won without an opponent counts as a win against a dummy. It has 2 points as 3 has,
    but no more than 4, who was to come: 0. The match that 4 missed counts as a loss against a dummy without points as
    4 (FIDE C.07, 16.4.1).
    """
    played = [
        RoundResult(1, (duel(1, 2), duel(3, 4, absent=(1,)))),
        RoundResult(2, (duel(3, 1), duel(2, 4))),
    ]
    got = rows(4, played, WINS, "wins", "buchholz", "sonneborn_berger", "score_difference", "fewest_forfeits")
    assert [got[n].points for n in (1, 2, 3, 4)] == [1, 1, 2, 0]
    assert [line.result for line in got[3].lines] == ["+", "W"]
    assert [line.result for line in got[4].lines] == ["F", "L"]
    assert got[3].lines[0].opponents == (4,), "one still reads who was to be met"
    assert dict(got[3].tie_breaks) == {
        "wins": 1,
        "buchholz": 0 + 1,
        "sonneborn_berger": 0 + 1,
        "score_difference": 5,
        "fewest_forfeits": 0,
    }
    assert dict(got[4].tie_breaks)["buchholz"] == 0 + 1
    assert dict(got[4].tie_breaks)["fewest_forfeits"] == 1


def test_where_nobody_comes_nobody_has_anything_of_it() -> None:
    got = rows(2, [RoundResult(1, (duel(1, 2, absent=(0, 1)),))], WINS, "wins", "sonneborn_berger")
    assert [got[n].points for n in (1, 2)] == [0, 0]
    assert [got[n].lines[0].result for n in (1, 2)] == ["F", "F"]


def test_who_did_not_come_cuts_that_round_first() -> None:
    """FIDE C.07, 16.5: rounds that an entrant chose not to play are cut first. 1 has 2 points, and met 2 (1), 3 (2) and
    4 (3). Round 3, to which 1 did not come, counts 2. It is cut in place of the lowest opponent, and 4 as the
    highest."""
    played = [
        RoundResult(1, (duel(1, 2), duel(3, 4))),
        RoundResult(2, (duel(1, 3), duel(4, 2))),
        RoundResult(3, (duel(1, 3, absent=(0,), scores=(0, 0)), duel(4, 2))),
        RoundResult(4, (duel(4, 1), duel(2, 3))),
    ]
    got = rows(4, played, WINS, "median_buchholz")
    assert [line.buchholz for line in got[1].lines] == [1, 2, 2, 3]
    assert dict(got[1].tie_breaks)["median_buchholz"] == 1 + 2


def test_a_match_of_which_one_game_was_missed_was_played() -> None:
    games = (
        GameResult((1, 2), (9, 4), (1, 2), left=(1,), absent=(1,)),
        GameResult((2, 1), (9, 4), (1, 2)),
    )
    got = rows(2, [RoundResult(1, (MatchResult((1, 2), games),))], WINS, "wins", "score_difference")
    assert [got[n].points for n in (1, 2)] == [Fraction(1, 2), Fraction(1, 2)]
    assert [got[n].lines[0].result for n in (1, 2)] == ["D", "D"]
    assert dict(got[2].tie_breaks) == {"wins": 1, "score_difference": 5}
    assert dict(got[1].tie_breaks) == {"wins": 0, "score_difference": -5}


def test_at_a_table_the_others_have_met_each_other_and_not_who_did_not_come() -> None:
    """A table of three gives 2, 1 and 0 points. 3 did not come to round 1 and won round 2. Points: 1: 3, 2: 1, 3: 2.
    A dummy has no more points than the player who did not come."""
    points = default_points(3, 1)
    played = [RoundResult(1, (table(1, 2, 3, absent=(2,)),)), RoundResult(2, (table(3, 1, 2),))]
    got = rows(3, played, points, "buchholz", "sonneborn_berger", "score_difference")
    assert [got[n].points for n in (1, 2, 3)] == [3, 1, 2]
    assert [got[n].lines[0].result for n in (1, 2, 3)] == ["1", "2", "F"]
    assert [list(map(int, got[n].lines[0].met)) for n in (1, 2, 3)] == [[1, 2], [3, 1], [2, 1]]
    assert [got[n].lines[0].sonneborn_berger for n in (1, 2, 3)] == [1 + 2, 1, 0]
    # round 1: 9 against 8, the only other who came; round 2: 8 against the mean of 9 and 7, which is level
    assert dict(got[1].tie_breaks)["score_difference"] == 1


def test_a_place_drawn_by_lot_among_those_who_did_not_come_is_worth_nothing() -> None:
    """Two of four did not come and are placed third and fourth. By places, the third would get a point."""
    match = table(1, 2, 3, 4, absent=(2, 3))
    assert score_match(default_points(4, 1), match).points == {1: 3, 2: 2, 3: 0, 4: 0}


def test_where_scores_count_who_came_alone_has_what_they_make_on_the_mean() -> None:
    """1 scored 10 and 20. It came alone to round 3, whose game ended 0–0, and gets its mean, 15. 2 did not come and
    gets the lowest score of that round, but at most 0."""
    played = [
        RoundResult(1, (duel(1, 2, scores=(10, 8)),)),
        RoundResult(2, (duel(1, 3, scores=(20, 7)),)),
        RoundResult(3, (duel(1, 2, absent=(1,), scores=(0, 0)), duel(3, 4, scores=(9, 6)))),
    ]
    got = rows(4, played, HIGH_SCORES)
    assert [got[n].points for n in (1, 2, 3, 4)] == [45, 8, 16, 6]
    low = rows(4, played, LOW_SCORES)
    assert [low[n].points for n in (1, 2, 3, 4)] == [-45, -8 - 9, -16, -6], "coming is never worse than not coming"


# Swiss


def options(size: int = 2, **more: Any) -> FormatOptions:
    return FormatOptions(size, default_points(size, 1, rests_equal=False), lots={n: n for n in range(1, 40)}, **more)


def test_in_a_swiss_season_a_match_to_which_one_did_not_come_was_not_played() -> None:
    """C.04.1: the two may meet again, and the match counts for no first move. Both went down (C.04.3, A.4)."""
    past = RoundResult(1, (duel(1, 2, absent=(1,)), duel(3, 4)))
    known = candidates([1, 2, 3, 4], [past], options(), {n: n for n in range(1, 5)})
    assert [known[n].met for n in (1, 2, 3, 4)] == [set(), set(), {4}, {3}]
    assert [known[n].balance for n in (1, 2, 3, 4)] == [0, 0, 1, -1]
    assert [known[n].floats for n in (1, 2)] == [[-1], [-1]]
    assert [known[n].points for n in (1, 2)] == [1, 0]
    assert [known[n].byes for n in (1, 2)] == [1, 0]


def test_who_has_won_since_nobody_else_came_gets_no_bye() -> None:
    """C.04.1 gives a second bye to nobody. 4 had the bye, and 5 won without an opponent. So 3 has it: the lower of the
    two without points."""
    past = RoundResult(1, (duel(1, 3), duel(2, 5, absent=(0,))), byes=(4,))
    answer = FORMATS["swiss"].next([1, 2, 3, 4, 5], [past], options(settings={"rounds": 3}), SeedDealer(bytes(32)))
    assert isinstance(answer, Pairings)
    assert [rest.entrant for rest in answer.byes] == [3]


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(st.integers(4, 14), st.integers(0, 10**6), st.sampled_from([2, 3, 4]))
def test_no_swiss_season_comes_to_a_dead_end_where_people_do_not_come(entrants: int, seed: int, size: int) -> None:
    """A seat stays empty with the probability 1/3. Two who have met are not paired again at tables of two."""
    chance = random.Random(seed)
    history: list[RoundResult] = []
    for number in range(1, 20):
        answer = FORMATS["swiss"].next(range(1, entrants + 1), history, options(size), SeedDealer(bytes(32)))
        if isinstance(answer, Finished):
            assert set(answer.places) == set(range(1, entrants + 1))
            break
        assert isinstance(answer, Pairings)
        matches = []
        for pairing in answer.tables:
            absent = tuple(seat for seat in range(len(pairing.seats)) if chance.random() < 1 / 3)
            match = duel(*pairing.seats, absent=absent) if size == 2 else table(*pairing.seats, absent=absent)
            matches.append(match)
        history.append(RoundResult(number, tuple(matches), tuple(rest.entrant for rest in answer.byes)))
        if size == 2:
            often = Counter(frozenset(match.met) for past in history for match in past.matches if match.met)
            assert set(often.values()) <= {1}
    else:
        raise AssertionError("it never ends")


def test_at_tables_who_did_not_come_has_met_nobody_and_had_no_seat() -> None:
    past = RoundResult(1, (table(1, 2, 3, absent=(2,)), table(4, 5, 6, absent=(1, 2))))
    assert meetings([past]) == {frozenset((1, 2)): 1}
    assert set(first_seats([past])) == {(1, 0), (2, 1)}


# round robins


def test_in_a_round_robin_it_is_not_owed_any_more() -> None:
    """The match was paired, and the entrant who did not come has lost it. So it is not played again."""
    going = competition("round_robin", 4)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    matches = [duel(*pairing.seats, absent=(1,)) for pairing in answer.tables]
    going.history.append(RoundResult(1, tuple(matches)))
    going.to_the_end()
    assert len(going.history) == 3
    assert all(sum(match.entrants == pair.seats for match in going.matches()) == 1 for pair in answer.tables)


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(st.integers(4, 11), st.integers(1, 3), st.integers(0, 10**6))
def test_who_owes_a_match_to_who_has_withdrawn_has_a_walkover_also_after_a_late_entry(
    entrants: int, gone: int, seed: int
) -> None:
    """After a late entry no Berger table says when the two were to meet. Nobody has two walkovers of one opponent, or
    one of an opponent they have met, and nobody has a bye in a round while a walkover is still due."""
    chance = random.Random(seed)
    people = list(range(1, entrants + 2))
    withdrawn = set(chance.sample(people[:-1], min(gone, entrants - 2)))
    leaves = chance.randint(2, entrants)
    history: list[RoundResult] = []
    for number in range(1, 60):
        known = people if number > 1 else people[:-1]
        left = withdrawn if number >= leaves else set()
        sentence = options(away=dict.fromkeys(left, WITHDRAWN), withdrawn=frozenset(left))
        answer = FORMATS["round_robin"].next(known, history, sentence, SeedDealer(bytes(32)))
        if isinstance(answer, Finished):
            break
        assert isinstance(answer, Pairings)
        over = tuple((rest.entrant, rest.missing) for rest in answer.byes if rest.missing is not None)
        history.append(
            RoundResult(
                number,
                tuple(duel(*pairing.seats) for pairing in answer.tables),
                tuple(rest.entrant for rest in answer.byes if rest.missing is None),
                walkovers=tuple(entrant for entrant, _ in over),
                missing=over,
            )
        )
    met = {frozenset(match.entrants) for past in history for match in past.matches}
    given_ = Counter(pair for past in history for pair in past.missing)
    assert not [pair for pair in given_ if frozenset(pair) in met]
    assert set(given_.values()) <= {1}
    staying = set(people) - withdrawn
    assert all(frozenset(pair) in met for pair in combinations(staying, 2))
    for past in history[leaves - 1 :]:
        for one in past.byes:
            later = {pair for then in history[past.number - 1 :] for pair in then.missing}
            owed = [other for other in withdrawn if frozenset((one, other)) not in met and (one, other) in later]
            assert not owed, "who rests while a match is owed has its walkover in that round"


# groups and brackets


def test_a_walkover_makes_nobody_stronger_in_the_group_than_who_won_all_matches() -> None:
    """The seeds of the knockout are ordered by points per match. A walkover counts as a match: an entrant with two
    played matches and a walkover has three."""
    going = competition("groups", 8)
    while True:
        asked = _pairings(going.ask())
        if not asked.tables[0].slot.startswith("Group"):
            break
        if len(going.history) == 2:
            going.withdraw(8)
            asked = _pairings(going.ask())
            over = {rest.entrant: rest.missing for rest in asked.byes}
            assert list(over.values()) == [8]
        going.history.append(
            RoundResult(
                len(going.history) + 1,
                tuple(
                    MatchResult(pairing.seats, duel(*sorted(pairing.seats)).games, slot=pairing.slot)
                    for pairing in asked.tables
                ),
                walkovers=tuple(rest.entrant for rest in asked.byes if rest.missing),
                missing=tuple((rest.entrant, rest.missing) for rest in asked.byes if rest.missing),
            )
        )
    stages = Groups().stages(going.entrants, going.history, going.options, SeedDealer(going.seed))
    rows_of = {name: groups.group_standings(stages, name, going.options) for name in stages.groups}
    assert {row.points for own in rows_of.values() for row in own if row.place == 1} == {3}
    assert groups.knockout_field(rows_of, stages, 2, going.options)[:2] == [1, 2], "three won of three, walkover or not"


def _pairings(answer: object) -> Pairings:
    assert isinstance(answer, Pairings)
    return answer


@pytest.mark.parametrize("format", ["knockout", "double_elimination"])
def test_in_a_bracket_who_goes_on_without_an_opponent_has_a_walkover(format: str) -> None:
    going = competition(format, 8)
    going.play()
    going.withdraw(4)
    byes = {rest.entrant: rest for rest in _pairings(going.ask()).byes}
    assert byes[1].missing == 4
    assert "has withdrawn" in text(byes[1].reason)
    assert {rest.missing for one, rest in byes.items() if one != 1} <= {None}


# the platform


@pytest.mark.slow
@pytest.mark.django_db
def test_a_swiss_season_counts_who_did_not_come_the_same_wherever_it_stands(
    league: League, club_people: list[Player]
) -> None:
    """Martha, Laura, Otto and Jonas play. In round 1, one of the first pair and both of the second do not come."""
    season = season_of(
        league, club_people[:4], format="swiss", on_round_deadline="forfeit", withdrawals="forfeit", max_no_shows=0
    )
    with clock.frozen_at(BEGIN):
        director.advance()
        games = list(Game.objects.order_by("pk"))
        entries.forfeit_seat(games[0], 1)
    with clock.frozen_at(BEGIN + timedelta(days=7)):
        director.advance()
        director.advance()
    season.refresh_from_db()
    points = dict(MatchEntrant.objects.filter(match__round__number=1).values_list("entrant__number", "points"))
    standing = {row.entrant.number: row for row in Standing.objects.select_related("entrant")}
    assert sorted(worth or 0 for worth in points.values()) == [0, 0, 0, 1], "the second pair came neither of them"
    assert {number: row.points for number, row in standing.items()} == points
    assert sorted(row.row["lines"][0]["result"] for row in standing.values()) == ["+", "F", "F", "F"]
    assert faults() == []


@pytest.mark.django_db
def test_a_walkover_in_a_knockout_stands_as_one_on_the_page(
    client: Client, league: League, club_people: list[Player]
) -> None:
    """The winner of the only match withdraws before the final, which nobody plays."""
    season = season_of(league, club_people[:3], format="knockout", withdrawals="forfeit")
    with clock.frozen_at(BEGIN):
        director.advance()
        [game] = Game.objects.all()
        entries.forfeit_seat(game, 0)
        director.advance()
        winner = MatchEntrant.objects.get(points=1).entrant
        entries.withdraw_entrant(entrant=winner, why="asked")
    with clock.frozen_at(BEGIN + timedelta(days=7)):
        director.advance()
        director.advance()
    page = get(client, address(season))
    assert "Final walkover" in page.text
    season.refresh_from_db()
    assert season.status == "finished"
    [rest] = Bye.objects.all()
    assert (rest.round.number, rest.kind) == (1, "bye"), "the final has no round"
    assert Standing.objects.get(place=1).entrant == rest.entrant
    assert faults() == []
