"""A seat's turn: what its page needs to act, made only for this seat (docs/reference/api-games.md)."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from games.common import clock
from games.common.errors import DomainError
from games.models import Deal, Game, Player
from games.play import beats, offers
from games.play import services as play
from games.play.turn import own_or_former_seat, turn_for, turn_of, why_not
from games.visibility import observe, presence
from scorebook_games.chance import SeedDealer
from scorebook_games.gamelog import visibility
from scorebook_games.presentation.base import MoveLabel, MoverView
from scorebook_games.registry import KINDS
from tests.games.conftest import BuiltInBot, Person

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair(person: Person) -> list[Player]:
    return [person("Martha"), person("Laura")]


def opened(players: list[Player], kind: str, deal: Deal, **terms: Any) -> Game:
    return play.open_game(kind=kind, players=players, deal=deal, terms=terms)


def turn(game: Game, seat: int, *after: str) -> dict[str, Any]:
    return turn_of(play.load_unit(game), seat, after)


def test_the_seat_on_turn_gets_its_legal_moves_in_words(pair: list[Player], deal: Deal) -> None:
    game = opened(pair, "chinese_ten", deal)
    mine, hers = turn(game, 0), turn(game, 1)
    assert [move["move"] for move in mine["legal"]] == visibility.legal_moves(play.load_game(game), 0)
    assert all(" on spot " in move["words"] for move in mine["legal"] if move["move"].startswith("capture"))
    assert (mine["may_act"], hers["may_act"], hers["legal"]) == (True, False, [])
    assert mine["waiting_for"] == hers["waiting_for"] == [0]
    assert mine["version"] == game.version


def test_nobody_gets_the_turn_of_another(pair: list[Player], deal: Deal, person: Person) -> None:
    game, otto = opened(pair, "chinese_ten", deal), person("Otto")
    assert pair[0].user
    assert otto.user
    assert turn_for(game, 0, pair[0].user) is not None
    assert turn_for(game, 1, pair[0].user) is None
    assert turn_for(game, visibility.PUBLIC, pair[0].user) is None
    assert turn_for(game, 0, otto.user) is None
    assert turn_for(game, 0, AnonymousUser()) is None
    play.leave_game(game=game, seat=0, how="resigned")
    assert turn_for(game, 1, pair[0].user) is None


def test_when_the_game_is_over_the_turn_says_how_and_what_may_come_after(pair: list[Player], deal: Deal) -> None:
    game = opened(pair, "chinese_ten", deal)
    assert turn(game, 0)["over"] is None
    play.leave_game(game=game, seat=0, how="resigned")
    assert pair[0].user
    mine = turn_for(game, 0, pair[0].user)  # a player who left sees it again
    assert mine
    assert (mine["may_act"], mine["legal"], mine["may"]["rematch"]) == (False, [], True)
    assert mine["over"]["words"] == "Martha resigned. Laura wins."
    assert mine["over"]["result"]["placings"] == [2, 1]
    offers.offer_rematch(game=game, seat=1)
    assert turn(game, 0)["offers"] == [{"what": "rematch", "by": [1], "declined": []}]
    following = offers.offer_rematch(game=game, seat=0)
    assert following
    assert turn(game, 1)["over"]["rematch"] == following.public_id


def test_a_sealed_game_tells_its_players_that_it_is_over_and_not_how(pair: list[Player], person: Person) -> None:
    deal = Deal.objects.create(seed=bytes(32))
    games = [opened(pair, "chinese_ten", deal, sealed=True, rematch=False) for _ in range(2)]
    play.leave_game(game=games[0], seat=0, how="resigned")
    assert turn(games[0], 1)["over"]["result"] is None
    play.leave_game(game=games[1], seat=0, how="resigned")
    games[0].refresh_from_db(from_queryset=Game.objects.select_related("deal"))
    assert turn(games[0], 1)["over"]["result"]["placings"] == [2, 1]


def test_why_not_gives_clause_and_sentence_and_plays_nothing(pair: list[Player], deal: Deal) -> None:
    game = opened(pair, "chinese_ten", deal)
    fold = play.load_game(game)
    held = {card[0] for card in visibility.observation(fold, 0)["hand"]}
    capture = visibility.legal_moves(fold, 0)[0]
    rank = next(
        rank for rank in sorted(held) if not any(f" {rank} " in move for move in visibility.legal_moves(fold, 0))
    )
    reason = why_not(fold, 0, f"lay {rank}")
    assert reason
    assert (reason["code"], reason["clause"]) == ("must_capture", "CT-7")
    assert why_not(fold, 0, capture) is None
    assert why_not(fold, 0, "sing") == {
        "code": "malformed_move",
        "clause": "",
        "sentence": KINDS["chinese_ten"].spec.notation,
    }
    assert why_not(fold, 1, capture) is not None
    assert play.load_game(game).version == game.version


class TestBeats:
    @pytest.fixture
    def game(self, pair: list[Player], deal: Deal) -> Game:
        return opened(pair, "plate_spinner", deal, pace="beats", rated=False)

    def assign(self, game: Game, seat: int) -> str:
        """Return a legal assign of a seat. If there is none now, play beats until there is one."""
        for _ in range(20):
            found = [move["move"] for move in turn(game, seat)["legal"] if move.get("goes_on")]
            if found:
                return str(found[0])
            for each in (0, 1):
                moves = [turn(game, each)["any_of"]["move"]]
                beats.give_bundle(game=game, seat=each, beat=play.load_game(game).beat + 1, moves=moves)
        raise AssertionError("No die can be assigned.")

    def test_one_roll_stands_for_all_of_them(self, game: Game) -> None:
        mine = turn(game, 0)
        rolls = [move["move"] for move in mine["legal"] if move["move"].startswith("roll")]
        assert rolls == [mine["any_of"]["move"]]
        assert mine["any_of"]["wait_ms"] == 0

    def test_a_bundle_in_the_making_shows_what_may_follow_it(self, game: Game) -> None:
        assign = self.assign(game, 0)
        before, after = turn(game, 0), turn(game, 0, assign)
        assert len(after["any_of"]["move"]) == len(before["any_of"]["move"]) - 1
        fold = play.load_game(game)
        refused = why_not(fold, 0, assign, [assign])
        assert (why_not(fold, 0, assign), refused and refused["clause"]) == (None, "PS-9")
        assert after["observation"]["players"][0]["dice"] == after["any_of"]["move"].removeprefix("roll ")
        assert "observation" not in before
        assert turn(game, 0)["legal"] == before["legal"]  # nothing was stored

    def test_only_what_a_bundle_begins_with_is_tried(self, game: Game) -> None:
        with pytest.raises(DomainError) as refused:
            turn(game, 0, turn(game, 0)["any_of"]["move"])  # a roll's dice are drawn when the beat is taken
        assert refused.value.code == "malformed_move"
        with pytest.raises(DomainError) as refused:
            turn(game, 0, "assign 1 P99 0")
        assert (refused.value.code, refused.value.extra["index"]) == ("illegal_move", 0)

    def test_a_bundle_that_was_given_is_its_seats_own(self, game: Game) -> None:
        roll = turn(game, 0)["any_of"]["move"]
        beats.give_bundle(game=game, seat=0, beat=1, moves=[roll])
        mine, hers = turn(game, 0), turn(game, 1)
        assert (mine["given"], hers["given"]) == ([roll], None)
        assert mine["waiting_for"] == hers["waiting_for"] == [1]

    def test_a_bundle_that_was_given_is_told_in_the_words_of_its_buttons(self, game: Game) -> None:
        assign = self.assign(game, 0)
        named = next(each["words"] for each in turn(game, 0)["legal"] if each["move"] == assign)
        roll = turn(game, 0, assign)["any_of"]["move"]
        beats.give_bundle(game=game, seat=0, beat=1, moves=[assign, roll])
        words = turn(game, 0)["given_words"]
        assert (words[0], len(words)) == (named, 2)
        assert words[1] != roll

    def test_in_turns_nothing_is_tried(self, pair: list[Player]) -> None:
        game = opened(pair, "chinese_ten", Deal.objects.create())
        with pytest.raises(DomainError) as refused:
            turn(game, 0, "lay 7")
        assert refused.value.code == "wrong_pace"


def test_before_go_nobody_may_act_and_after_it_a_roll_has_to_wait(pair: list[Player], deal: Deal) -> None:
    game = opened(pair, "plate_spinner", deal, pace="live", rated=False)
    play.mark_ready(game=game, seat=1)
    mine = turn(game, 0)
    assert (mine["may_act"], mine["before_go"]) == (False, {"ready": [1], "countdown": False, "begins_at": None})
    play.mark_ready(game=game, seat=0)
    assert turn(game, 0)["before_go"]["countdown"] is True
    assert game.deadline
    with clock.frozen_at(game.deadline + timedelta(milliseconds=1)):
        play.expire_clocks(game=game)
        gone = turn(game, 0)
        assert (gone["may_act"], "before_go" in gone) == (True, False)
        assert gone["any_of"]["wait_ms"] == 700
    with clock.frozen_at(game.moved_at + timedelta(milliseconds=800)):
        assert turn(game, 0)["any_of"]["wait_ms"] == 0


def test_a_race_is_its_owners_secret(pair: list[Player]) -> None:
    """Only the seat itself sees that it could throw (PA-16)."""
    for seed in range(40):
        game = opened(pair, "palace", Deal.objects.create(seed=bytes([seed]) * 32))
        for _ in range(80):
            fold = play.load_game(game)
            seats = fold.to_act()
            if len(seats) == 2 and len(fold.awaited()) == 1:
                owner, other = seats[0], fold.awaited()[0]
                mine, hers = turn(game, owner), turn(game, other)
                assert {move["move"].split()[0] for move in mine["legal"]} == {"throw", "pass"}
                assert mine["waiting_for"] == hers["waiting_for"] == [other]
                assert "throw" not in str(hers["legal"])
                assert hers["may_act"] is True
                return
            if not seats:
                break
            legal = visibility.legal_moves(fold, seats[0])
            play.play_move(game=game, seat=seats[0], text=legal[0], expected_version=fold.version)
    raise AssertionError("No race came up.")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_move_of_a_game_has_words_of_its_own(kind: str, pair: list[Player], deal: Deal) -> None:
    """Two legal moves never have the same words."""
    fold, dealer, chance = play.load_game(opened(pair, kind, deal)), SeedDealer(bytes(deal.seed)), random.Random(1)
    for _ in range(400):
        if not fold.to_act():
            break
        seat = chance.choice(fold.to_act())
        seen = MoverView(visibility.observation(fold, seat), seat, ["Martha", "Laura"])
        legal = visibility.legal_moves(fold, seat)
        words = [KINDS[kind].presentation.move_label(text, seen).words for text in legal]
        assert len(set(words)) == len(words), words
        assert not set(words) & set(legal)
        action = fold.rules.parse_move(fold.state, chance.choice(legal))
        for event in fold.rules.decide(fold.state, seat, action, dealer):
            fold.apply(event)


def test_a_grab_that_breaks_plates_is_grave() -> None:
    """Unfilled plates break, and a bomb also destroys the filled ones (PS-13, PS-14)."""

    def plate(free: int, bomb: bool = False, sort: str = "plate") -> dict[str, Any]:
        return {"sort": sort, "free": free, "bomb": bomb}

    def grab(*plates: dict[str, Any]) -> MoveLabel:
        seen = {"catalogue": {"version": 1}, "meeples": [2, 3], "players": [{"plates": list(plates)}]}
        return KINDS["plate_spinner"].presentation.move_label("grab", MoverView(seen, 0, ["Martha"]))

    assert grab(plate(0), plate(2, sort="starting")) == MoveLabel("Grab meeple 2")
    assert grab(plate(1), plate(0)) == MoveLabel("Grab meeple 2: one plate breaks", grave=True)
    assert grab(plate(1, bomb=True), plate(0)) == MoveLabel(
        "Grab meeple 2: a bomb is unfilled, all plates break", grave=True
    )


def test_presence_is_by_process_and_goes_by_itself(pair: list[Player], deal: Deal) -> None:
    game = opened(pair, "chinese_ten", deal)
    one, two = uuid4(), uuid4()
    presence.record_arrival(game.pk, 0, one)
    presence.record_arrival(game.pk, 0, two)
    presence.record_departure(game.pk, 0, one)
    assert presence.present_seats(game) == [0]  # a second tab, on another web process
    with clock.frozen_at(clock.now() + timedelta(seconds=presence.AWAY_AFTER_SECONDS + 1)):
        assert presence.present_seats(game) == []  # that process has died
        presence.still_here(two)
        assert presence.present_seats(game) == [0]
    with clock.frozen_at(clock.now() + timedelta(hours=3)):
        presence.still_here(uuid4())
    assert presence.present_seats(game) == []


def test_a_built_in_bot_needs_no_presence_and_is_waited_for(person: Person, built_in: BuiltInBot, deal: Deal) -> None:
    game = opened([built_in("random"), person("Martha")], "chinese_ten", deal)
    assert turn(game, 1)["waiting_for"] == [0]
    assert turn(game, 1)["present"] == []


def test_a_request_that_meets_the_end_by_leaving_is_still_the_players_own(pair: list[Player], deal: Deal) -> None:
    """The page requests its turn while the game ends. If that were refused, the page would close and miss an offer of a
    rematch."""
    game = opened(pair, "chinese_ten", deal)
    read_before = Game.objects.select_related("deal").get(pk=game.pk)
    play.leave_game(game=game, seat=0, how="resigned")
    assert pair[0].user
    assert own_or_former_seat(read_before, pair[0].user) == 0
    read_before = Game.objects.get(pk=game.pk)
    read_before.status = Game.Status.PLAYING
    assert observe.requested_viewpoint(read_before, pair[0].user, "0") == 0


def test_who_has_left_learns_of_the_end_when_everybody_may(person: Person, deal: Deal) -> None:
    """A player who left sees what the public sees, here with a delay of an hour."""
    players = [person(name) for name in ("Martha", "Laura", "Otto")]
    game = opened(players, "chinese_ten", deal, watch_delay=3600)
    play.leave_game(game=game, seat=2, how="resigned")
    otto = Client()
    assert players[2].user
    otto.force_login(players[2].user)
    address = f"/api/v1/games/{game.public_id}"

    def asked() -> list[Any]:
        page = otto.get(f"/games/{game.public_id}/")
        again = page.content.decode().count(f"/games/{game.public_id}/again/")
        wish = otto.post(f"{address}/rematch/", content_type="application/json")
        return [otto.get(f"{address}/turn/").status_code, wish.status_code, page.status_code, again]

    before = asked()
    play.abort_game(game=game, reason="rain")
    game.refresh_from_db()
    offers.offer_rematch(game=game, seat=0)
    assert asked() == before
    with clock.frozen_at(clock.now() + timedelta(hours=2)):
        assert otto.get(f"{address}/turn/").json()["over"]["words"] == "The game was aborted. It has no result."


@pytest.mark.parametrize(
    ("move", "phase", "pile", "words"),
    [
        ("turn 0", "play", [], "Turn up the first face-down card"),
        ("turn 0", "look", [], "Look at the first face-down card"),
        ("keep", "drawn", [], "Keep the 9"),
        ("keep", "drawn", ["KS"], "Keep the 9 and take the pile (1)"),
    ],
)
def test_palace_names_a_look_that_nobody_else_shares_and_a_card_that_costs_no_pile(
    move: str, phase: str, pile: list[str], words: str
) -> None:
    """PA-9, PA-20"""
    seen = {"phase": phase, "pile": pile, "seats": [{"drawn": "9S"}]}
    assert KINDS["palace"].presentation.move_label(move, MoverView(seen, 0, ["Martha"])).words == words
