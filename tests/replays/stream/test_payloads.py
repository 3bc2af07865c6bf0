"""No payload that a player's browser receives has a card which this player may not know.

Whole games of each kind are played through the API. This file tracks what each seat may know, from the log and a table
of who sees what, independently of `games.visibility.observe`. Then every string of every answer is searched for cards.
"""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from replays.stream.game_tail import NDJSON, GameTail, Ticket, event_line, read_news
from scorebook_games.cards import card_text
from scorebook_games.gamelog import visibility

pytestmark = pytest.mark.django_db

CARD = re.compile(r"(?<![A-Za-z0-9])(10|[A2-9TJQK])([SHDC♠♥♦♣])(?![A-Za-z0-9])")
ITEM = re.compile(r"(?<![A-Za-z0-9])[PR]\d{1,2}(?![A-Za-z0-9])")
SIGNS = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
MOST_MOVES = 400
ALL = frozenset(rank + suit for rank in "A23456789TJQK" for suit in "SHDC")


def strings(data: Any) -> Iterator[str]:
    """Yield every string of an answer, except the texts on plates and rims, which are public (`items`)."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list):
        for each in data:
            yield from strings(each)
    elif isinstance(data, dict):
        for name, value in data.items():
            yield str(name)
            if name != "items":
                yield from strings(value)


def text_of(payload: str) -> str:
    """Return the text of a payload: the strings of JSON, or the whole page."""
    if payload.startswith("{"):
        return "\n".join(strings(json.loads(payload)))
    for sign in SIGNS:
        payload = payload.replace(f"\\u{ord(sign):04x}", sign)
    return html.unescape(payload)


def cards_in(payload: str) -> set[str]:
    """Return the cards in a payload, written as letters or with suit signs."""
    found = CARD.findall(text_of(payload))
    return {("T" if rank == "10" else rank) + SIGNS.get(suit, suit) for rank, suit in found}


def cards_of(value: Any) -> set[str]:
    """Return the cards in a part of an event, which stores them as small integers."""
    if isinstance(value, list):
        return {card for each in value for card in cards_of(each)}
    return {card_text(value)} if isinstance(value, int) and 0 <= value < 52 else set()


# Kind → type of event → place in the event → who sees its cards: "all", "own" (the seat that the event names), "none",
# or "by seat" (a list with one list for each seat). A type that is not listed has no cards.
SEEN: dict[str, dict[str, dict[int, str]]] = {
    "chinese_ten": {
        "dealt": {1: "by seat", 2: "all", 3: "none"},
        "captured": {2: "all", 4: "all"},
        "laid": {2: "all"},
        "took": {2: "all", 4: "all"},
        "placed": {2: "all"},
        "flipped": {2: "all"},
    },
    "palace": {
        "dealt": {2: "by seat", 3: "all", 4: "all"},
        "chose": {2: "own"},
        "laid": {1: "all"},
        "played": {2: "all"},
        "drew": {2: "own"},
        "threw": {2: "all"},
        "chanced": {2: "own"},
        "risked": {2: "all"},
        "turned": {3: "all"},
        "failed": {3: "all"},
        "looked": {3: "own"},
    },
    "plates": {
        "dealt": {4: "by seat", 5: "all"},
        "placed": {2: "all", 3: "all"},
        "turned": {3: "all"},
        "added": {2: "all"},
        "scored": {3: "all"},
    },
    "platinum_fish": {
        "dealt": {3: "all", 4: "own"},
        "turned": {1: "all"},
        "drew": {2: "all", 3: "all"},
        "took": {2: "all", 3: "all"},
        "fished": {2: "all", 3: "all"},
        "asked": {4: "all", 5: "all"},
        "salvaged": {2: "all", 3: "all"},
    },
}


def learn(kind: str, event: list[Any], known: list[set[str]]) -> None:
    """Add to each seat's knowledge what it sees of an event."""
    for place, who in SEEN[kind].get(event[0], {}).items():
        for seat, cards in enumerate(known):
            if who == "all" or (who == "own" and event[1] == seat):
                cards |= cards_of(event[place])
            elif who == "by seat":
                cards |= cards_of(event[place][seat])


@pytest.fixture
def players() -> list[Player]:
    return [
        Player.objects.create(name=name, user=User.objects.create_user(name.lower())) for name in ("Martha", "Laura")
    ]


def clients(players: list[Player]) -> list[Client]:
    made = []
    for player in players:
        client = Client()
        assert player.user
        client.force_login(player.user)
        made.append(client)
    return made


def received(client: Client, game: Game, seat: int, since: int) -> Iterator[str]:
    """Yield what a seat's browser receives between two moves, including the page and the stream."""
    address = f"/api/v1/games/{game.public_id}/"
    for path in (
        f"replay/?viewpoint={seat}&since={since}",
        "turn/",
        "turn/why/?move=nonsense",
        f"events/?since={since}",
    ):
        yield client.get(address + path).content.decode()
    yield client.get(f"/games/{game.public_id}/").content.decode()
    fold = play.load_game(game)
    for entry in eventlog.read_events(game.stream_id, after=fold.version - 1):
        yield json.dumps(event_line(fold, entry, seat))
    tail = GameTail(game)
    ticket = Ticket(game, seat, since, NDJSON, {}, plays=True, frames=True)
    tail.join(ticket)
    tail.take(read_news(tail, list(tail.feeds.values())), stirred=False)
    yield tail.feeds[ticket.feed].line(NDJSON, tail, since, turn=True).decode()


def learnt(game: Game, after: int, known: list[set[str]]) -> None:
    """Add to each seat's knowledge what it has seen since version `after`."""
    for entry in eventlog.read_events(game.stream_id, after=after):
        learn(game.kind, entry.event, known)


@pytest.mark.some(1)
@pytest.mark.parametrize(("looks", "answers"), [(27, 4), pytest.param(9, 1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("chinese_ten", {"packs": 1}),
        pytest.param("palace", {"packs": 1, "jokers": False, "turn_limit": 40}, marks=pytest.mark.slow),
        ("plates", {"rounds": 1, "turn_limit": 40}),
        pytest.param("platinum_fish", {"turn_limit": 30}, marks=pytest.mark.slow),
    ],
)
def test_no_payload_of_a_whole_game_names_a_card_that_its_reader_may_not_know(
    kind: str, options: dict[str, Any], players: list[Player], looks: int, answers: int
) -> None:
    """Each seat reads its payloads after some of the moves. Some of the answers to moves are searched too."""
    game = play.open_game(kind=kind, players=players, options=options, deal=Deal.objects.create(seed=bytes(range(32))))
    browsers, chance = clients(players), random.Random(4)
    known: list[set[str]] = [set(), set()]
    learnt(game, 0, known)
    secret = 0
    for number in range(MOST_MOVES):
        game.refresh_from_db()
        fold = play.load_game(game)
        if fold.outcome():
            break
        for seat in (0, 1) if number % looks == 0 else ():
            secret += len(ALL - known[seat])
            for payload in received(browsers[seat], game, seat, max(0, game.version - 4)):
                assert cards_in(payload) <= known[seat]
        seat = chance.choice(fold.to_act())
        move = chance.choice(visibility.legal_moves(fold, seat))
        if number % answers:
            play.play_move(game=game, seat=seat, text=move, expected_version=fold.version)
            learnt(game, fold.version, known)
            continue
        body = {"move": move, "expected_version": fold.version, "frames": True}
        answer = browsers[seat].post(f"/api/v1/games/{game.public_id}/moves/", body, "application/json")
        assert answer.status_code == 201
        assert answer.json()["frames"]
        if play.load_game(game).outcome():
            break  # who has made the last move may see all
        learnt(game, fold.version, known)
        assert cards_in(answer.content.decode()) <= known[seat]
    assert secret > 900 / looks  # the game has secrets


def test_no_payload_names_a_plate_that_has_not_been_turned_up(players: list[Player]) -> None:
    game = play.open_game(kind="plate_spinner", players=players, terms={"pace": "beats", "rated": False})
    browsers = clients(players)
    kept = 0
    for _ in range(6):
        fold = play.load_game(game)
        state = fold.state
        packs = [*state.plates[state.plates_at :], *state.rims_pack[state.rims_at :]]
        hidden = {state.items[item].id for item in packs}
        kept += len(hidden)
        for seat, browser in enumerate(browsers):
            asked = received(browser, game, seat, max(0, fold.version - 4))
            for payload in (
                next(asked),
                next(asked),
            ):  # only the replay and the turn, because examples of the notation name plates
                assert not set(ITEM.findall(text_of(payload))) & hidden
        for seat in fold.to_act():
            moves = [text for text in visibility.legal_moves(fold, seat) if not text.startswith("assign")]
            body = {"beat": fold.beat + 1, "moves": [moves[-1]]}
            answer = browsers[seat].post(f"/api/v1/games/{game.public_id}/bundles/", body, "application/json")
            assert answer.status_code == 202
            assert not set(ITEM.findall(text_of(answer.content.decode()))) & hidden
    assert kept > 100
