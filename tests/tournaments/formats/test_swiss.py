"""Swiss for two at a table, compared with the pairings of another program, and with all the troubles of a club
(docs/reference/formats.md)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.chance import SeedDealer
from scorebook_games.presentation.coded_text import text
from tests.tournaments.formats.fairness import assert_fair, most_pairs
from tests.tournaments.simulated_competition import (
    MUCH,
    SEED,
    Competition,
    Trouble,
    by_lot,
    compete,
    competition,
    large_ones_slow,
    points_for,
)
from tournaments.core.results import GameResult, MatchResult, RoundResult
from tournaments.formats import FORMATS, field
from tournaments.formats.base import Finished, FormatOptions, Pairings, Wait
from tournaments.formats.dutch import MAX_ENTRANTS, dutch
from tournaments.formats.fast_swiss import Free, fold_pairs, nearest
from tournaments.formats.field import MOVES_FIRST, MOVES_SECOND, Candidate
from tournaments.formats.first_moves import MovePreference, in_move_order, move_preference
from tournaments.formats.look_ahead import LookAhead, _Search
from tournaments.formats.matching import MAX_WEIGHT, matching
from tournaments.formats.reasons import AWAY, WITHDRAWN
from tournaments.scoring.points import PointsSystem, default_points

SWISS = FORMATS["swiss"]
PLACINGS = {"1": (1, 2), "0": (2, 1), "=": (1, 1)}


class FirstLot:
    """A dealer whose lots always fall on the first."""

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        return [0] * len(bounds)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        return list(items)

    def dice(self, label: str, count: int) -> list[int]:
        return [1] * count


def options(entrants: int, **more: object) -> FormatOptions:
    seeds = {entrant: entrant for entrant in range(1, entrants + 1)}
    return FormatOptions(2, points_for("swiss", 2), seeds=seeds, **more)  # type: ignore[arg-type]


def pairs(text: str) -> tuple[list[MatchResult], tuple[int, ...], list[int]]:
    """Parse a line of the file. Return its matches with their results, the entrants with a bye, and those who were
    away."""
    matches, rest, away = [], [], []
    words = iter(text.split())
    for word in words:
        if word == "rest":
            rest = [int(next(words))]
        elif word == "away":
            away = [int(number) for number in next(words).split(",")]
        else:
            both, result = word.split(":")
            first, second = map(int, both.split("-"))
            matches.append(MatchResult((first, second), (GameResult((first, second), (0, 0), PLACINGS[result]),)))
    return matches, tuple(rest), away


def tournaments() -> Iterator[tuple[int, int, list[str]]]:
    """Yield (entrants, rounds, the lines of the rounds) of each tournament in the file."""
    text = Path(__file__).with_name("dutch_pairings.txt").read_text()
    for part in text.split("tournament ")[1:]:
        head, *lines = part.strip().splitlines()
        entrants, rounds = map(int, head.split())
        yield entrants, rounds, lines


@pytest.mark.some(5)
@pytest.mark.parametrize("held", list(tournaments()), ids=lambda held: f"{held[0]} entrants")
def test_pairs_are_those_of_bbp_pairings(held: tuple[int, int, list[str]]) -> None:
    """FIDE C.04.3: each tournament is random, and bbpPairings 5.0.1, which FIDE has endorsed, paired its rounds.

    Tables, their order, first moves and byes are the same. In 886 of 888 rounds of 164 such tournaments, py4swiss made
    the same pairings; in the other two it gave the bye to somebody else.
    """
    entrants, rounds, lines = held
    history: list[RoundResult] = []
    for line in lines:
        matches, rest, away = pairs(line)
        asked = options(entrants, settings={"rounds": rounds}, away=dict.fromkeys(away, AWAY))
        made = SWISS.next(range(1, entrants + 1), history, asked, FirstLot())
        assert isinstance(made, Pairings)
        assert [table.seats for table in made.tables] == [match.entrants for match in matches]
        assert tuple(bye.entrant for bye in made.byes) == rest
        history.append(RoundResult(len(history) + 1, tuple(matches), rest))


def assert_nobody_meets_twice(held: Competition) -> None:
    assert set(held.met().values()) <= {1}


def running(held: Competition, entrant: int) -> int:
    """Return the longest run of the entrant with the same move, without the last round (C.04.3, A.7)."""
    longest = run = 0
    before = None
    for seat in (
        table.seats.index(entrant) for past in held.answers[:-1] for table in past.tables if entrant in table.seats
    ):
        run = run + 1 if seat == before else 1
        before, longest = seat, max(longest, run)
    return longest


@pytest.mark.parametrize("entrants", large_ones_slow([*range(2, 21), 33, 48]))
def test_nobody_meets_or_rests_twice_and_first_moves_are_shared_out(entrants: int) -> None:
    held = compete("swiss", entrants)
    assert len(held.answers) == SWISS.rounds(entrants, 2, {})
    assert_nobody_meets_twice(held)
    byes = held.byes()
    assert set(byes.values()) <= {1}
    assert byes.total() == len(held.answers) * (entrants % 2)
    for entrant in held.entrants:
        seats = held.sat(entrant)
        assert abs(seats.count(0) - seats.count(1)) <= 2
        assert running(held, entrant) <= 2


@pytest.mark.parametrize("largest", large_ones_slow([16, 40]))
@given(st.data())
@settings(max_examples=settings().max_examples // 8, deadline=None)
def test_no_trouble_makes_a_dead_end_or_a_needless_bye_or_second_meeting(largest: int, data: st.DataObject) -> None:
    """Entrants are away, withdraw and come late. Each round has pairs (`Competition` checks it), and the competition
    ends."""
    entrants, rounds = data.draw(st.integers(2, largest)), data.draw(st.integers(0, 12))
    seed = data.draw(st.integers(0, 1000))
    held = compete("swiss", entrants, seed=seed, trouble=MUCH, rounds=min(rounds, entrants - 1))
    assert_fair(held)
    assert len(held.answers) <= (SWISS.rounds(len(held.entrants), 2, {"rounds": rounds}) or 0)


@given(st.integers(2, 9), st.integers(0, 1000))
@settings(max_examples=settings().max_examples // 3, deadline=None)
def test_all_play_and_nobody_rests_or_meets_twice_while_there_is_another_way(entrants: int, seed: int) -> None:
    """The test compares each round with all ways to pair it."""
    held = compete("swiss", entrants, seed=seed, trouble=MUCH, rounds=entrants - 1 + entrants % 2)
    met: Counter[frozenset[int]] = Counter()
    byes: Counter[int] = Counter()
    for made, here, past in zip(held.answers, held.present, held.history, strict=True):
        assert len(made.tables) == len(here) // 2
        resting = {rest.entrant for rest in made.byes}
        assert all(byes[one] for one in here) or not any(byes[one] for one in resting)
        if any(met[frozenset(table.seats)] for table in made.tables):
            assert most_pairs(here - resting, met) < len(made.tables)
        byes.update(past.byes)
        byes.update(one for match in past.matches if not match.met for one in set(match.entrants) - set(match.away))
        met.update(frozenset(match.met) for match in past.matches if match.met)


@pytest.mark.parametrize("entrants", large_ones_slow([24, 32, 48], 24))
def test_hardly_anybody_meets_somebody_more_than_a_point_away_in_a_wide_field(entrants: int) -> None:
    apart = [abs(gap) for gap in gaps(compete("swiss", entrants))]
    assert max(apart) <= Fraction(3, 2)
    assert sum(gap > 1 for gap in apart) * 40 <= len(apart)


def test_same_history_gives_the_same_pairings() -> None:
    assert compete("swiss", 23, seed=3, trouble=MUCH) == compete("swiss", 23, seed=3, trouble=MUCH)


# The faster rule for more than 256 entrants.


@pytest.mark.slow
def test_above_256_nobody_meets_twice_and_first_moves_are_shared_out() -> None:
    held = compete("swiss", MAX_ENTRANTS + 1, rounds=6)
    assert_nobody_meets_twice(held)
    assert set(held.byes().values()) == {1}
    for entrant in held.entrants:
        seats = held.sat(entrant)
        assert abs(seats.count(0) - seats.count(1)) <= 2
        assert running(held, entrant) <= 2
    assert max(abs(gap) for gap in gaps(held)) <= 1


def gaps(held: Competition) -> Iterator[Fraction]:
    """Yield the difference in points of every pair at the moment of its pairing."""
    points: Counter[int] = Counter()
    for past in held.history:
        for match in past.matches:
            yield Fraction(points[match.entrants[0]] - points[match.entrants[1]])
        for match in past.matches:
            drawn = match.games[0].placings == (1, 1)
            for entrant, place in zip(match.entrants, match.games[0].placings, strict=True):
                points[entrant] += Fraction(1, 2) if drawn else 2 - place  # type: ignore[assignment]
        for entrant in past.byes:
            points[entrant] += 1


@given(st.integers(4, 40), st.integers(0, 500))
@settings(max_examples=settings().max_examples // 3, deadline=None)
def test_folded_pairs_a_field_four_times_the_rounds_without_a_rest_too_many(entrants: int, seed: int) -> None:
    """tournaments/formats/fast_swiss.py promises that step 4 of the rule always succeeds in such a field."""
    known = grown(entrants, entrants // 4, seed)
    couples, resting = fold_pairs(known)
    assert len(couples) == entrants // 2
    assert len(resting) == entrants % 2
    assert all(b.entrant not in a.met for a, b in couples)


def grown(entrants: int, rounds: int, seed: int) -> list[Candidate]:
    """Return a field after so many rounds, which the same rule paired."""
    known = [Candidate(number, number) for number in range(1, entrants + 1)]
    lots = SeedDealer(seed.to_bytes(32, "big"))
    for number in range(rounds):
        couples, resting = fold_pairs(known)
        for couple in couples:
            first, second = in_move_order(*couple, True)
            won = lots.integers(f"{number}/{first.entrant}", [3])[0]
            meet(first, second, won)
        for one in resting:
            one.before.append(one.points + 1)
            one.rested.append(True)
            one.floats.append(-1)
            one.opponents.append(None)
    return known


def meet(first: Candidate, second: Candidate, halves: int) -> None:
    """Record a match: the first gets `halves` half points, and the other the rest of two."""
    gap = first.points - second.points
    for one, other, move, took, down in (
        (first, second, MOVES_FIRST, halves, gap),
        (second, first, MOVES_SECOND, 2 - halves, -gap),
    ):
        one.before.append(one.points + Fraction(took, 2))
        one.moves.append(move)
        one.met.add(other.entrant)
        one.opponents.append(other.entrant)
        one.rested.append(False)
        one.floats.append((down < 0) - (down > 0))


@pytest.mark.some(1)
@pytest.mark.parametrize(("entrants", "rounds"), [(6, 5), (7, 7), (8, 6), (8, 7), (9, 9)])
def test_a_long_season_has_all_games_in_each_round_and_no_second_bye(entrants: int, rounds: int) -> None:
    """FIDE C.04.1: nobody meets twice, and only an odd number has a bye, which nobody has twice. The rounds must be
    paired with those in mind that follow: of 200 seasons of 6 players and 5 rounds, 106 had two byes in a round."""
    for seed in range(8):
        held = competition("swiss", entrants, rounds=rounds)
        held.to_the_end(by_lot(random.Random(seed)))
        assert [len(made.tables) for made in held.answers] == [entrants // 2] * rounds
        assert_nobody_meets_twice(held)
        assert set(held.byes().values()) <= {1}


def test_pairs_that_would_leave_too_few_for_a_later_round_are_not_made() -> None:
    """After two rounds each of 1, 2 and 3 has met two of 4, 5 and 6. If they met the third one now, two trios would be
    left, which cannot be paired."""
    lines = ["1-4:1 2-5:1 3-6:0", "5-1:0 6-2:1 4-3:1"]
    history = [RoundResult(n, tuple(pairs(line)[0])) for n, line in enumerate(lines, start=1)]
    known = field.candidates(range(1, 7), history, options(6), {n: n for n in range(1, 7)})
    ahead = LookAhead(list(known.values()), list(known.values()), 2)
    assert not ahead.allows([(1, 6), (2, 4), (3, 5)], None)
    made = SWISS.next(range(1, 7), history, options(6, settings={"rounds": 5}), FirstLot())
    assert isinstance(made, Pairings)
    assert ahead.allows([table.seats for table in made.tables], None)  # type: ignore[misc]
    found = [text(table.reason) for table in made.tables]
    assert any("They meet now so that a later round can be paired without second meetings." in one for one in found)


@given(st.sets(st.sampled_from(list(combinations(range(6), 2)))), st.integers(1, 4))
def test_rounds_ahead_are_those_that_exist(joined: set[tuple[int, int]], rounds: int) -> None:
    """The test compares the search with all ways to pair so many rounds."""
    edges = tuple(sum(1 << other for other in range(6) if {(one, other), (other, one)} & joined) for one in range(6))
    assert _Search().rounds_exist(edges, 0b111111, rounds) == rounds_exist(frozenset(joined), rounds)


def rounds_exist(joined: frozenset[tuple[int, int]], rounds: int) -> bool:
    return not rounds or any(
        rounds_exist(joined - set(three), rounds - 1)
        for three in combinations(joined, 3)
        if len({one for pair in three for one in pair}) == 6
    )


def test_where_nobody_new_is_left_for_some_they_meet_again() -> None:
    """In three rounds each of 1, 2 and 3 has met each of 4, 5 and 6. What is left within the two trios makes two pairs
    only."""
    rounds = ["1-4:1 2-5:1 3-6:1", "5-1:0 6-2:0 4-3:0", "1-6:1 2-4:1 3-5:1"]
    history = [RoundResult(n, tuple(pairs(line)[0])) for n, line in enumerate(rounds, start=1)]
    made = SWISS.next(range(1, 7), history, options(6, settings={"rounds": 5}), FirstLot())
    assert isinstance(made, Pairings)
    assert not made.byes
    again = [table for table in made.tables if (table.seats[0] <= 3) != (table.seats[1] <= 3)]
    assert len(again) == 1
    assert "They meet again, because not everybody can meet a new opponent in this round." in text(again[0].reason)


def test_nearest_lets_play_who_has_rested() -> None:
    known = grown(5, 1, 1)
    rested = next(one for one in known if one.byes)
    _, resting = nearest(known)
    assert resting[0].entrant != rested.entrant


@given(st.integers(2, 8), st.data())
@settings(max_examples=60, deadline=None)
def test_matching_is_the_best_of_all(count: int, data: st.DataObject) -> None:
    """The test compares it with all ways to make pairs."""
    edges = st.sampled_from(list(combinations(range(count), 2)))
    weights = data.draw(st.dictionaries(edges, st.integers(1, 9) | st.integers(1, MAX_WEIGHT)))
    made = matching(count, [(a, b, weight) for (a, b), weight in weights.items()])
    assert len({place for pair in made for place in pair}) == 2 * len(made)
    assert sum(weights[pair] for pair in made) == greatest_sum(range(count), weights)


def greatest_sum(places: Sequence[int], weights: Mapping[tuple[int, int], int]) -> int:
    """Return the greatest sum of weights that pairs of `places` can have, by trying all ways."""
    if len(places) < 2:
        return 0
    one, *rest = places
    sums = [
        weights[one, other] + greatest_sum([place for place in rest if place != other], weights)
        for other in rest
        if (one, other) in weights
    ]
    return max([greatest_sum(rest, weights), *sums])


# First moves.


@pytest.mark.parametrize(
    ("moves", "due"),
    [
        ([], MovePreference(0, 0)),
        ([MOVES_FIRST], MovePreference(MOVES_SECOND, 2)),
        ([MOVES_FIRST, MOVES_SECOND], MovePreference(MOVES_FIRST, 1)),
        ([MOVES_SECOND, MOVES_FIRST, MOVES_FIRST], MovePreference(MOVES_SECOND, 3)),
        ([MOVES_FIRST, MOVES_FIRST, MOVES_SECOND, MOVES_SECOND], MovePreference(MOVES_FIRST, 3)),
        (
            [MOVES_FIRST, MOVES_SECOND, MOVES_FIRST, MOVES_SECOND, MOVES_SECOND, MOVES_SECOND],
            MovePreference(MOVES_FIRST, 3),
        ),
    ],
)
def test_turn_that_is_due_is_as_in_the_handbook(moves: list[int], due: MovePreference) -> None:
    """FIDE C.04.3, A.6."""
    assert move_preference(Candidate(1, 1, moves=moves)) == due


def test_two_who_are_due_the_same_turn_change_their_last_difference_over() -> None:
    """FIDE C.04.3, E.3, and E.4 if E.3 does not decide."""
    one, other = (
        Candidate(1, 1, moves=[MOVES_FIRST, MOVES_SECOND]),
        Candidate(2, 2, moves=[MOVES_SECOND, MOVES_FIRST, MOVES_FIRST, MOVES_SECOND]),
    )
    assert in_move_order(one, other, True) == (one, other)
    stronger = Candidate(2, 2, moves=[MOVES_FIRST, MOVES_SECOND, MOVES_SECOND])
    assert (
        in_move_order(Candidate(1, 1, moves=[MOVES_SECOND, MOVES_FIRST, MOVES_SECOND]), stronger, True)[0] == stronger
    )
    level = Candidate(3, 3, moves=[MOVES_FIRST, MOVES_SECOND])
    assert in_move_order(level, Candidate(1, 1, moves=[MOVES_FIRST, MOVES_SECOND]), True)[0].number == 1


# Reasons, byes and the number of rounds.


def test_reasons_say_what_a_club_player_understands() -> None:
    history = [RoundResult(1, tuple(pairs("1-4:1 5-2:0 3-6:=")[0]), (7,))]
    made = SWISS.next(range(1, 8), history, options(7), FirstLot())
    assert isinstance(made, Pairings)
    found = {table.seats: text(table.reason) for table in made.tables}
    assert found[7, 1] == (
        "Both have 1 point, and they have not met. "
        "Only one of them has played before. That player’s turn to move first or second decides."
    )
    assert found[2, 3] == (
        "1 point against ½, and they have not met. An odd number of players have 1 point, so one is paired down. "
        "The player who moves first has moved first in 0 of 1 match so far, the other in 1 of 1 match."
    )
    assert found[6, 5].startswith(
        "½ point against 0, and they have not met. An odd number of players with ½ point are left, so one is paired "
        "down."
    )
    second = RoundResult(2, tuple(pairs("7-1:1 2-3:1 5-6:1")[0]), (4,))
    after = SWISS.next(range(1, 8), [*history, second], options(7), FirstLot())
    assert isinstance(after, Pairings)
    assert text(after.tables[0].reason).startswith("Both have 2 points, and they have not met.")
    assert made.byes[0].entrant == 4
    assert text(made.byes[0].reason) == (
        "7 entrants are an odd number. The bye goes to the lowest player who had none and whose bye "
        "lets all others meet a new opponent."
    )


def test_first_round_folds_the_list_of_seeds() -> None:
    made = SWISS.next(range(1, 9), [], options(8), FirstLot())
    assert isinstance(made, Pairings)
    assert [table.seats for table in made.tables] == [(1, 5), (6, 2), (3, 7), (8, 4)]
    assert text(made.tables[1].reason) == (
        "Round 1: the upper half of the list meets the lower half, here number 2 and number 6. "
        "Neither has played yet, so the lot of the first round decides who moves first."
    )


@pytest.mark.parametrize(("entrants", "usual"), [(2, 1), (3, 3), (4, 3), (6, 3), (8, 4), (9, 5), (64, 7), (2000, 12)])
def test_rounds_are_one_more_than_halving_takes_and_can_always_be_paired(entrants: int, usual: int) -> None:
    assert SWISS.rounds(entrants, 2, {}) == usual
    assert SWISS.rounds(entrants, 2, {"rounds": 2}) == min(2, entrants - 1 + entrants % 2)


def test_more_rounds_than_opponents_are_refused_with_what_to_do() -> None:
    assert SWISS.why_unplayable(6, 2, {"rounds": 5}) is None
    assert SWISS.why_unplayable(6, 2, {"rounds": 6}) == (
        "6 entrants can play at most 5 rounds without meeting twice, not 6. Choose fewer rounds."
    )
    assert (
        SWISS.why_unplayable(1, 2, {})
        == "The season needs at least 2 entrants and has 1. Invite more, or make the tables smaller."
    )


def test_it_ends_early_when_those_who_stay_have_all_met() -> None:
    history = [RoundResult(1, tuple(pairs("1-3:1 4-2:0")[0]))]
    gone = options(4, away=dict.fromkeys((2, 4), WITHDRAWN), withdrawn=frozenset({2, 4}))
    assert isinstance(SWISS.next(range(1, 5), history, gone, FirstLot()), Finished)


def test_a_round_in_which_one_alone_is_there_is_a_rest() -> None:
    made = SWISS.next(range(1, 5), [], options(4, away=dict.fromkeys((2, 3, 4), AWAY)), FirstLot())
    assert isinstance(made, Pairings)
    assert [text(rest.reason) for rest in made.byes] == ["Nobody else plays in this round."]


def test_next_round_waits_for_the_one_that_is_played() -> None:
    history = [RoundResult(1, (MatchResult((1, 2)),), closed=False)]
    assert SWISS.next([1, 2], history, options(2), FirstLot()) == Wait("Round 1 is still being played.")


def test_pairing_goes_by_the_points_of_the_season() -> None:
    """A match won gives ten thirds of a point, and a lost one gives a third."""
    system = PointsSystem("match_points", (Fraction(10, 3), Fraction(1, 3)), Fraction(1))
    history = [RoundResult(1, tuple(pairs("1-3:1 4-2:=")[0]))]
    asked = FormatOptions(2, system, seeds={n: n for n in range(1, 5)})
    made = SWISS.next(range(1, 5), history, asked, FirstLot())
    assert isinstance(made, Pairings)
    assert [table.seats for table in made.tables] == [(2, 1), (3, 4)]
    assert text(made.tables[0].reason).startswith("3⅓ points against 1.83")


def test_a_bye_is_worth_a_win_where_not_all_rest_as_often() -> None:
    assert default_points(2, 2, rests_equal=False).bye == 1
    assert default_points(2, 2).bye == 0


def test_the_dutch_system_itself_says_when_it_finds_no_pairs() -> None:
    one, other = Candidate(1, 1), Candidate(2, 2)
    meet(one, other, 2)
    assert dutch([one, other], [one, other], True, True) is None


def test_seed_of_the_season_draws_the_first_move_of_round_one() -> None:
    seeds = (SEED, b"x" * 32, b"y" * 32, b"z" * 32)
    first = {SWISS.next([1, 2], [], options(2), SeedDealer(seed)).tables[0].seats for seed in seeds}  # type: ignore[union-attr]
    assert first == {(1, 2), (2, 1)}


def test_trouble_is_there_in_these_tests() -> None:
    """The checks above would be empty without withdrawals, late entrants and absences."""
    held = compete("swiss", 40, trouble=Trouble(leaves=0.05, misses=0.2, late=0.2))
    assert held.options.withdrawn
    assert held.history[0].late
    assert len({frozenset(here) for here in held.present}) > 2


@given(
    st.integers(1, 30).flatmap(lambda count: st.tuples(st.just(count), st.sets(st.integers(0, count - 1)))), st.data()
)
def test_free_places_are_found_from_the_nearest_to_the_farthest(
    places: tuple[int, set[int]], data: st.DataObject
) -> None:
    count, taken = places
    free = Free(count)
    for place in data.draw(st.permutations(sorted(taken))):
        free.take(place)
    wanted = data.draw(st.integers(0, count - 1))
    left = [place for place in range(count) if place not in taken]
    assert list(free.outward(wanted)) == sorted(left, key=lambda place: (abs(place - wanted), place))


def test_ten_thousand_are_paired_by_points_in_the_first_rounds() -> None:
    field = [Candidate(number, number) for number in range(1, 10_001)]
    pairs, resting = fold_pairs(field)
    assert not resting
    assert sorted((a.entrant, b.entrant) for a, b in pairs) == [(number, number + 5000) for number in range(1, 5001)]
