"""The platform sends each viewpoint what it may know. No message lets anybody compute a hidden card."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User

from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from games.visibility import observe
from games.workers import runner
from scorebook_games.cards import card_text
from scorebook_games.contract import REDACTED
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.registry import KINDS
from tests.games.conftest import BuiltInBot, Person

pytestmark = pytest.mark.django_db

ANYBODY = AnonymousUser()


@pytest.fixture
def martha(person: Person) -> Player:
    return person("Martha")


@pytest.fixture
def laura(person: Person) -> Player:
    return person("Laura")


def user_of(player: Player) -> User:
    assert isinstance(player.user, User)
    return player.user


def admin() -> User:
    return User.objects.create_superuser("ada")


def over(game: Game) -> Game:
    """End the game, and return it."""
    play.leave_game(game=game, seat=0, how="resigned")
    return game


def viewpoint_answer(game: Game, user: observe.User, viewpoint: str) -> str:
    """Return the answer to a requested viewpoint: the viewpoint, or the error's code."""
    try:
        return observe.viewpoint_text(observe.requested_viewpoint(game, user, viewpoint))
    except DomainError as error:
        return error.code


def test_while_a_game_is_on_everybody_has_their_own_eyes_or_the_publics_staff_too(
    martha: Player, laura: Player, deal: Deal
) -> None:
    game = play.open_game(kind="chinese_ten", players=[martha, laura], deal=deal)

    assert observe.allowed_viewpoints(game, user_of(martha)) == [0, visibility.PUBLIC]
    assert observe.allowed_viewpoints(game, user_of(laura)) == [1, visibility.PUBLIC]
    for user in (ANYBODY, admin()):
        assert observe.allowed_viewpoints(game, user) == [visibility.PUBLIC]
        assert [viewpoint_answer(game, user, viewpoint) for viewpoint in ("", "public", "0", "all")] == [
            "public",
            "public",
            "not_your_viewpoint",
            "not_your_viewpoint",
        ]
    assert viewpoint_answer(game, user_of(martha), "") == "0"
    assert viewpoint_answer(game, user_of(martha), "1") == "not_your_viewpoint"


@pytest.mark.parametrize("viewpoint", ["2", "-1", "01x", "everything", "²"])
def test_eyes_that_there_are_not_are_named_as_such(martha: Player, laura: Player, viewpoint: str) -> None:
    game = play.open_game(kind="chinese_ten", players=[martha, laura])

    assert viewpoint_answer(game, ANYBODY, viewpoint) == "bad_viewpoint"


def test_when_a_game_is_over_everybody_may_look_through_all_eyes(martha: Player, laura: Player) -> None:
    game = over(play.open_game(kind="chinese_ten", players=[martha, laura]))

    assert observe.allowed_viewpoints(game, ANYBODY) == [visibility.ALL, 0, 1, visibility.PUBLIC]
    assert [entry.event for entry in observe.known_events(game, visibility.ALL)] == [
        entry.event for entry in eventlog.read_events(game.stream_id)
    ]


def test_who_has_left_sees_no_more_than_the_public(martha: Player, laura: Player, person: Person) -> None:
    game = over(play.open_game(kind="chinese_ten", players=[martha, laura, person("Otto")]))

    assert game.status == Game.Status.PLAYING
    assert observe.allowed_viewpoints(game, user_of(martha)) == [visibility.PUBLIC]


def test_a_game_stays_closed_while_another_with_its_deal_is_on(martha: Player, laura: Player, deal: Deal) -> None:
    openings = [play.Opening("chinese_ten", [martha, laura], deal=deal) for _ in range(2)]
    first, second = play.open_many(openings)
    over(first)
    assert observe.allowed_viewpoints(first, ANYBODY) == [visibility.PUBLIC]
    over(second)
    first.refresh_from_db()

    assert observe.allowed_viewpoints(first, ANYBODY)[0] == visibility.ALL


def test_a_sealed_game_shows_nothing_to_strangers_and_its_result_to_nobody_until_the_deal_is_known(
    martha: Player, laura: Player, deal: Deal
) -> None:
    sealed = {"sealed": True}
    openings = [play.Opening("chinese_ten", [martha, laura], terms=sealed, deal=deal) for _ in range(2)]
    first, second = play.open_many(openings)
    assert viewpoint_answer(first, ANYBODY, "") == viewpoint_answer(first, admin(), "public") == "sealed"
    assert observe.allowed_viewpoints(first, user_of(martha)) == [0]

    over(first)
    facts = observe.game_facts(first)
    assert (facts["status"], facts["outcome"], facts["finished_at"]) == ("playing", None, None)
    assert visibility.observation(play.load_game(first), 1)["outcome"] is None
    assert viewpoint_answer(first, ANYBODY, "") == "sealed"
    assert ended(first, 1) == []

    over(second)
    first.refresh_from_db()
    assert observe.game_facts(first)["outcome"]["termination"] == "resigned"
    assert viewpoint_answer(first, ANYBODY, "") == "all"
    assert visibility.observation(play.load_game(first), visibility.ALL)["outcome"] == first.outcome


def test_how_a_sealed_game_was_ended_is_in_no_replay_and_no_stream(martha: Player, laura: Player, deal: Deal) -> None:
    """Nobody, not even a player, sees the result until the deal is public (docs/explanation/duplicate-deals.md)."""
    opening = play.Opening("chinese_ten", [martha, laura], terms={"sealed": True}, deal=deal)
    game, _ = play.open_many([opening, opening])
    over(game)
    fold, last = play.load_game(game), eventlog.read_events(game.stream_id)[-1].event
    assert last[0] == ev.ENDED
    assert [visibility.event_as_seen(fold, last, viewer) for viewer in (0, 1, visibility.PUBLIC, visibility.ALL)] == [
        *[REDACTED] * 3,
        last,
    ]


def ended(game: Game, viewer: visibility.Viewpoint) -> list[Any]:
    """Return the events @ended that the viewer gets."""
    return [entry.event for entry in observe.known_events(game, viewer) if entry.event[0] == ev.ENDED]


def test_the_public_watches_with_a_delay_and_the_players_without(martha: Player, laura: Player, deal: Deal) -> None:
    game = play.open_game(kind="chinese_ten", players=[martha, laura], terms={"watch_delay": 60}, deal=deal)
    version = game.version
    with clock.frozen_at(game.opened_at + timedelta(seconds=30)):
        over(game)
        assert observe.known_events(game, visibility.PUBLIC) == []
        assert len(observe.known_events(game, 1)) == game.version
        assert observe.game_facts(game)["status"] == "playing"
        assert observe.allowed_viewpoints(game, ANYBODY) == [visibility.PUBLIC]
    with clock.frozen_at(game.opened_at + timedelta(seconds=89)):
        assert len(observe.known_events(game, visibility.PUBLIC)) == version
        assert observe.allowed_viewpoints(game, ANYBODY) == [visibility.PUBLIC]
    with clock.frozen_at(game.opened_at + timedelta(seconds=91)):
        assert len(observe.known_events(game, visibility.PUBLIC)) == game.version
        assert observe.game_facts(game)["status"] == "finished"
        assert observe.allowed_viewpoints(game, ANYBODY)[0] == visibility.ALL


def test_no_viewer_misses_a_version(martha: Player, laura: Player, deal: Deal) -> None:
    game = play.open_game(kind="plates", players=[martha, laura], deal=deal)
    versions = list(range(1, game.version + 1))

    for viewer in (visibility.PUBLIC, 0, 1):
        assert [entry.version for entry in observe.known_events(game, viewer)] == versions
        assert [entry.version for entry in observe.known_events(game, viewer, after=1)] == versions[1:]


def test_an_event_of_the_table_that_is_not_listed_is_redacted() -> None:
    rules = KINDS["plates"].rules
    assert visibility.redact(rules, ["@whisper", "AS"], 0) == REDACTED
    assert visibility.redact(rules, [ev.LEFT, 1, "resigned"], visibility.PUBLIC) == [ev.LEFT, 1, "resigned"]


@pytest.mark.parametrize(
    ("event", "named"),
    [
        ([ev.OPENED, {"kind": "plates"}], {"type": "@opened", "kind": "plates"}),
        ([ev.ATTEMPT, 2, "worker_lost"], {"type": "@attempt", "attempt": 2, "reason": "worker_lost"}),
        ([ev.LEFT, 1, "resigned"], {"type": "@left", "seat": 1, "how": "resigned"}),
        ([ev.TAKEN_OVER, 1, "sensible"], {"type": "@taken_over", "seat": 1, "bot": "sensible"}),
        ([ev.EXPIRED, 1], {"type": "@expired", "seat": 1}),
        ([ev.SANDBOXED, "A", "ab"], {"type": "@sandboxed", "tier": "A", "policy": "ab"}),
        ([ev.FAULT, 1, "timeout"], {"type": "@fault", "seat": 1, "fault": "timeout"}),
        ([ev.CHARGED, 1, 4000], {"type": "@charged", "seat": 1, "ms": 4000}),
        ([ev.ABORT_OFFERED, 1], {"type": "@abort_offered", "seat": 1}),
        ([ev.ABORT_ACCEPTED, 0], {"type": "@abort_accepted", "seat": 0}),
        ([ev.ABORT_DECLINED, 0], {"type": "@abort_declined", "seat": 0}),
        ([ev.ENDED, {"termination": "left"}], {"type": "@ended", "termination": "left"}),
        (REDACTED, {"type": "redacted"}),
    ],
)
def test_the_tables_events_are_readable(event: Any, named: dict[str, Any]) -> None:
    assert visibility.readable_event(KINDS["plates"].rules, event) == named


def test_an_observation_says_where_the_game_stands_and_whose_turn_it_is(
    martha: Player, laura: Player, deal: Deal
) -> None:
    game = play.open_game(kind="chinese_ten", players=[martha, laura], deal=deal)
    fold = play.load_game(game)
    seen = visibility.observation(fold, visibility.PUBLIC)

    assert (seen["version"], seen["to_act"], seen["left"], seen["outcome"]) == (game.version, [0], [], None)
    everything = visibility.observation(fold, visibility.ALL)
    assert everything["by_seat"] == [fold.rules.observation(fold.state, seat) for seat in (0, 1)]


def test_legal_moves_are_those_of_one_seat(martha: Player, laura: Player, person: Person, deal: Deal) -> None:
    game = play.open_game(kind="chinese_ten", players=[martha, laura, person("Otto")], deal=deal)
    fold = play.load_game(game)
    assert visibility.legal_moves(fold, 0)
    assert visibility.legal_moves(fold, 1) == []
    play.leave_game(game=game, seat=0, how="resigned")
    assert visibility.legal_moves(play.load_game(game), 0) == []


def sent_to(game: Game, player: Player, seat: int, versions: int) -> str:
    """Return everything that one seat and the public were sent, with the seat's errors, as one text."""
    sentence: list[Any] = []

    def hear() -> None:
        fold = play.load_game(game)
        for viewer in (seat, visibility.PUBLIC):
            sentence.append(visibility.observation(fold, viewer))
            entries = observe.known_events(game, viewer)
            sentence.append([visibility.readable_event(fold.rules, entry.event) for entry in entries])
            sentence.append(entries)
        sentence.append(visibility.legal_moves(fold, seat))
        sentence.append(observe.game_facts(game))
        sentence.append(
            [observe.viewpoint_text(viewpoint) for viewpoint in observe.allowed_viewpoints(game, user_of(player))]
        )
        for text in ("castle", "capture 6 1", "place 99", "take"):
            try:
                play.decide_move(play.load_unit(game), seat, text, game.version)
            except DomainError as error:
                sentence.append([error.sentence, error.code, error.extra])

    while game.status == Game.Status.PLAYING:
        hear()
        fold = play.load_game(game)
        moves = visibility.legal_moves(fold, seat)
        if moves:
            sentence.append(play.play_move(game=game, seat=seat, text=moves[0], expected_version=game.version))
        else:
            runner.play_due_games("one")
            game.refresh_from_db()
        if game.version > versions:
            break
    return json.dumps(sentence, default=str)


@pytest.mark.parametrize("versions", [40, pytest.param(120, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["chinese_ten", "plates"])
def test_nothing_that_a_seat_is_sent_is_a_seed_a_salt_a_head_or_a_hash_of_what_it_does_not_know(
    martha: Player, built_in: BuiltInBot, kind: str, versions: int
) -> None:
    """Two heads would reveal a hidden card to anybody who tries all cards (docs/explanation/event-log.md)."""
    deal = Deal.objects.create()
    openings = [play.Opening(kind, [martha, built_in("random")], deal=deal) for _ in range(2)]
    game, other = play.open_many(openings)
    heads = {bytes(game.stream.head)}
    text = sent_to(game, martha, 0, versions)
    game.stream.refresh_from_db()
    heads.add(bytes(game.stream.head))
    head = bytes(32)
    for batch in eventlog.stored_batches(game.stream_id):
        head = ev.next_head(head, batch.body, batch.times)
        heads.add(head)
    other.stream.refresh_from_db()
    heads.add(bytes(other.stream.head))

    for secret in (*heads, bytes(deal.seed), bytes(game.salt), bytes(other.salt)):
        for form in (secret.hex(), secret.hex().upper(), repr(secret), str(list(secret))):
            assert form not in text
    # The only hash that is sent is a commitment to seed and salt together, and both are secret.
    committed = hashlib.sha256(bytes(game.salt) + bytes(deal.seed)).hexdigest()
    hashes = {word for word in words(text) if len(word) in (32, 40, 56, 64, 96, 128)}
    assert hashes == {committed}
    assert hashlib.sha256(bytes(deal.seed)).hexdigest() != committed


def words(text: str) -> set[str]:
    """Return the runs of hexadecimal digits in `text`."""
    return set("".join(letter if letter in "0123456789abcdefABCDEF" else " " for letter in text).split())


def test_a_seat_is_sent_its_own_cards_and_not_the_deck(martha: Player, laura: Player, deal: Deal) -> None:
    game = play.open_game(kind="chinese_ten", players=[martha, laura], options={"packs": 1}, deal=deal)
    dealt = eventlog.read_events(game.stream_id)[1].event
    own = {card_text(card) for card in dealt[1][0]}
    hidden = {card_text(card) for card in [*dealt[1][1], *dealt[3]]}
    rules = KINDS["chinese_ten"].rules
    fold = play.load_game(game)
    seen = json.dumps(
        [
            visibility.observation(fold, 0),
            [visibility.readable_event(rules, e.event) for e in observe.known_events(game, 0)],
        ]
    )

    assert all(f'"{card}"' in seen for card in own)
    assert not any(f'"{card}"' in seen for card in hidden)
