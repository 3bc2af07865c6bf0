"""What a seat was shown of a game, as a review gets it (`scorebook_games.review.sight`)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from scorebook_games.cli.record import Recorded, decisions
from scorebook_games.contract import REDACTED, Event, listed_actions
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.registry import KINDS
from scorebook_games.review.sight import DECISION, NoReview, has_choice, sight_of
from tests.scorebook_games.kinds.permute import GENERATORS
from tests.scorebook_games.review.reviewed_games import played, recorded

of_every_kind = pytest.mark.parametrize("kind", sorted(KINDS))
IN_BEATS = "plate_spinner"
in_turns = pytest.mark.parametrize("kind", sorted(set(KINDS) - {IN_BEATS}))


def choices(log: list[Event], seed: bytes, seat: int) -> list[tuple[int, str]]:
    """Return where a seat had a choice and what it chose, found by playing all moves again with the game's seed."""
    game = Recorded("", [""] * log[0][1]["seats"], seed, b"", recorded(log))
    return [
        (made.version, made.moves[0])
        for made in decisions(game)
        if made.seat == seat and has_choice(made.fold.rules, made.fold.state, seat)
    ]


@in_turns
@pytest.mark.parametrize("seats", [2, 4])
def test_the_decisions_of_a_seat_are_found_without_the_seed(kind: str, seats: int) -> None:
    seed = random.Random(f"reviewed {kind} 0").randbytes(32)
    log = played(kind, [0.4] * seats)
    for seat in range(seats):
        found = [(at.version, at.move) for at in sight_of(log, seat).positions if at.what == DECISION]
        assert found == choices(log, seed, seat)


@in_turns
def test_every_position_is_what_the_seat_observed_then(kind: str) -> None:
    log = played(kind, [0.2, 0.2, 0.2])
    sight = sight_of(log, 1)
    versions = [at.version for at in sight.positions]
    assert versions == sorted(set(versions))
    for at in sight.positions:
        fold = fold_game(log[: at.version])
        assert at.seen == fold.rules.observation(fold.state, 1)
        assert list(at.legal) == [
            fold.rules.move_text(fold.state, action) for action in listed_actions(fold.rules, fold.state, 1)
        ]
        assert at.event in (0, at.version + 1)
        assert sight.record(at).events == [fold.rules.redact(event, 1) for event in fold.story]
    assert sight.result in (0, 0.25, 0.5, 0.75, 1)


@pytest.mark.some(2)
@of_every_kind
def test_two_games_that_differ_only_in_what_is_hidden_look_alike(kind: str) -> None:
    """The end of a game may show everything, so its first half is compared too."""
    rng, compared = random.Random(4), 0
    whole = played(kind, [0.3, 0.0, 0.3])
    for end in (len(whole) // 3, 2 * len(whole) // 3, len(whole)):
        log = whole[:end]
        for seat in range(3):
            other = GENERATORS[kind](3, log[0][1]["options"], log[1:], seat, rng)
            if other is not None:
                assert sight_of([log[0], *other], seat).hash() == sight_of(log, seat).hash()
                compared += 1
    assert compared > 3


def test_games_that_a_seat_can_tell_apart_have_other_hashes() -> None:
    log = played("palace", [0.0, 0.0])
    hashes = {sight_of(log, seat).hash() for seat in (0, 1)} | {sight_of(log[:-1], 0).hash()}
    assert len(hashes) == 3


def test_a_game_has_one_review_whoever_played_it_and_whatever_it_is_called() -> None:
    log = played("palace", [0.0, 0.0])
    named = [[log[0][0], {**log[0][1], "game": "K7Q2", "players": [4, 9], "commitment": "ab"}], *log[1:]]
    again = [*named[:3], ["@attempt", 2, "lease"], *named[3:]]
    assert sight_of(named, 0).hash() == sight_of(log, 0).hash()
    assert [at.seen for at in sight_of(again, 0).positions] == [at.seen for at in sight_of(log, 0).positions]


def test_what_a_seat_is_not_shown_is_no_position() -> None:
    log = played("chinese_ten", [0.0, 0.0])
    sight = sight_of(log, 0)
    assert all(event != REDACTED for event in sight.events)
    assert sight.events[0][1][1] == [None] * len(log[1][1][1])


def test_after_a_player_left_nothing_is_the_players_own() -> None:
    log = played("palace", [0.0, 0.0, 0.0])
    half = len(log) // 2
    left = [*log[:half], ["@left", 1, "resigned"], ["@taken_over", 1, "sensible"], *log[half:]]
    gone, stayed = sight_of(left, 1), sight_of(left, 0)
    assert max(at.version for at in gone.positions) <= half
    assert gone.result == 0
    assert stayed.positions[-1].left == (1,)
    assert stayed.positions[-1].version > half


def test_an_unfinished_game_ends_with_the_position_where_it_stands() -> None:
    log = played("chinese_ten", [0.0, 0.0])
    end = next(at.version for at in sight_of(log, 0).positions if at.version > 40)
    sight = sight_of(log[:end], 0)
    assert sight.result is None
    assert sight.positions[-1].version == end
    aborted = [*log[:end], ["@ended", {"termination": "aborted", "scores": [], "placings": []}]]
    assert sight_of(aborted, 0).result is None


def test_a_bundle_is_judged_by_what_its_player_knew_when_the_beat_began() -> None:
    log = played(IN_BEATS, [0.0, 0.0, 0.3])
    sight = sight_of(log, 2)
    game = Recorded("", [""] * 3, random.Random(f"reviewed {IN_BEATS} 0").randbytes(32), b"", recorded(log))
    given = {(made.version, move) for made in decisions(game) if made.seat == 2 for move in made.moves}
    beats = {version for version, event in enumerate(log) if event[0] == "@beat"}
    decided = [at for at in sight.positions if at.what == DECISION]
    assert len(decided) > 20
    for at in decided:
        assert at.version in beats
        assert (at.version, at.move) in given
        assert log[at.event - 1][1] == 2
    first = [at for at in decided if not at.own]
    for at in first:
        fold = fold_game(log[: at.version])
        assert at.seen == fold.rules.observation(fold.state, 2)
    assert [at.version for at in sight.positions if at.listed] == sorted({at.version for at in sight.positions})
    assert any(at.own for at in decided)


@pytest.mark.parametrize(
    ("events", "seat", "why"),
    [
        ([], 0, "does not begin with the opening"),
        ([["dealt", 1]], 0, "does not begin with the opening"),
        (played("palace", [1.0, 1.0])[:1], 2, "The game has seats 0 to 1, not 2."),
        ([["@opened", {"kind": "whist", "rules_version": 1, "seats": 4, "options": {}, "terms": {}}]], 0, "whist"),
    ],
)
def test_what_cannot_be_reviewed_says_why(events: list[Any], seat: int, why: str) -> None:
    with pytest.raises(NoReview, match=why):
        sight_of(events, seat)
