"""What a bot is sent, and what happens with its answer, on every transport."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorebook_games.bots import requests
from scorebook_games.bots.conversation import Conversation, IllegalAnswer, begin_conversation, choose_moves, seed_for
from scorebook_games.bots.protocol import DEFAULT_CLOCK, BadReply
from scorebook_games.bots.sdk.scorebook_bot import Bot, Part
from scorebook_games.contract import REDACTED
from scorebook_games.gamelog.pacing import beat_events
from scorebook_games.gamelog.visibility import legal_moves
from scorebook_games.registry import KINDS
from tests.scorebook_games.games_in_memory import SEED, Local, answering, saying


class First(Bot):
    """A bot that plays the first legal move."""

    def move(self, view: Any, legal: list[str]) -> str:
        return legal[0]


class Drawn(Bot):
    """A bot that plays a random legal move."""

    def move(self, view: Any, legal: list[str]) -> str:
        return str(view.random.choice(legal))


def clock_ms() -> int:
    return 1000


SALT = bytes(16)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("pace", ["", "beats"])
def test_bots_that_know_only_the_lines_play_whole_games(kind: str, pace: str) -> None:
    game = Local(kind, 2, pace, {"turn_limit": 60})
    exchanges = [answering(Drawn) for _ in range(2)]
    talks = [begin_conversation(game.fold, seat, seat, DEFAULT_CLOCK, exchanges[seat])[0] for seat in range(2)]
    while game.fold.outcome() is None:
        if game.fold.pace == "beats":
            seats = game.fold.to_act()
            bundles = {s: choose_moves(talks[s], game.fold, game.entries, clock_ms, exchanges[s]) for s in seats}
            game.take(beat_events(game.fold, bundles, game.dealer))
            continue
        for seat in game.fold.to_act():
            version = game.fold.version
            game.play(seat, choose_moves(talks[seat], game.fold, game.entries, clock_ms, exchanges[seat])[0])
            if game.fold.version > version:
                break
    assert game.fold.outcome()


def test_a_bot_is_told_each_event_once_as_its_seat_may_see_it() -> None:
    game = Local("chinese_ten")
    heard: list[dict[str, Any]] = []
    exchange = answering(First, heard)
    talk, _ = begin_conversation(game.fold, 0, 1, DEFAULT_CLOCK, exchange)
    found: list[dict[str, Any]] = []
    while game.fold.outcome() is None:
        seat = game.fold.to_act()[0]
        if seat == 0:
            game.play(0, choose_moves(talk, game.fold, game.entries, clock_ms, exchange)[0])
        else:
            game.play(1, legal_moves(game.fold, 1)[0])
    for line in heard[1:]:
        found += line["events"]
    versions = [event["version"] for event in found]
    assert versions == list(range(2, versions[-1] + 1))
    dealt = found[0]
    assert dealt["type"] == "dealt"
    assert all(card is not None for card in dealt["hands"][0])
    assert not any(dealt["hands"][1] or [])
    assert sorted(heard[1]["observation"]["hand"]) == sorted(dealt["hands"][0])


def test_what_a_bot_does_not_want_is_left_out() -> None:
    game = Local("palace")
    line = requests.ask_for_seat(game.fold, 0, game.entries, 10, ())
    assert (line["observation"], line["events"]) == (None, [])
    assert line["legal"] == legal_moves(game.fold, 0)
    whole = requests.ask_for_seat(game.fold, 0, game.entries, 10)
    assert whole["observation"]["seat"] == 0
    assert whole["version"] == game.fold.version == whole["observation"]["version"]


def test_the_only_legal_move_is_made_without_asking() -> None:
    game = Local("platinum_fish")
    while requests.forced(game.fold, game.fold.to_act()[0]) is None:
        seat = game.fold.to_act()[0]
        game.play(seat, legal_moves(game.fold, seat)[0])
    seat = game.fold.to_act()[0]
    assert choose_moves(Conversation(seat), game.fold, game.entries, clock_ms, saying()) == legal_moves(game.fold, seat)


def test_a_listed_roll_of_several_dice_is_a_choice() -> None:
    game = Local("plate_spinner")
    while len(legal_moves(game.fold, 0)) > 1:
        game.play(0, legal_moves(game.fold, 0)[0])
    assert legal_moves(game.fold, 0)[0].startswith("roll ")
    assert (requests.forced(game.fold, 0) is None) == (len(legal_moves(game.fold, 0)[0]) > len("roll 1"))


def test_a_bot_says_which_kinds_it_plays_and_is_not_made_to_play_another() -> None:
    class Palace(First):
        kinds = ("palace",)

    with pytest.raises(BadReply, match="plays palace, but this is a game of plates"):
        begin_conversation(Local("plates").fold, 0, 1, DEFAULT_CLOCK, answering(Palace))


def test_a_reason_quotes_no_more_than_the_beginning_of_what_a_bot_wrote() -> None:
    kinds = ",".join(f'"kind {n}"' for n in range(5000))
    with pytest.raises(BadReply) as refused:
        begin_conversation(
            Local("plates").fold, 0, 1, DEFAULT_CLOCK, saying(f'{{"type":"ready","kinds":[{kinds}]}}'.encode())
        )
    assert len(refused.value.reason) < 200


def test_hello_has_the_options_and_a_seed_that_is_the_same_again() -> None:
    heard: list[dict[str, Any]] = []
    game = Local("palace", 3)
    seed = seed_for(SEED, SALT, 2)
    begin_conversation(game.fold, 2, seed, DEFAULT_CLOCK, answering(First, heard))
    assert heard[0]["options"] == game.fold.opened["options"]
    assert (heard[0]["seat"], heard[0]["seats"], heard[0]["kind"]) == (2, 3, "palace")
    assert heard[0]["seed"] == seed < 2**53  # exact in every language's numbers


def test_each_seat_of_each_game_has_a_seed_of_its_own_and_those_of_one_deal_too() -> None:
    games = [bytes([n] * 16) for n in range(3)]
    seeds = {seed_for(deal, salt, seat) for deal in (SEED, SEED[::-1]) for salt in games for seat in range(4)}
    assert len(seeds) == 24


def test_an_illegal_move_names_the_clause_and_the_legal_moves() -> None:
    game = Local("chinese_ten")
    line = json.dumps({"move": "capture K 4", "version": game.fold.version}).encode()
    with pytest.raises(IllegalAnswer) as illegal:
        choose_moves(Conversation(0), game.fold, game.entries, clock_ms, saying(line))
    assert illegal.value.move == "capture K 4"
    assert illegal.value.clause.startswith("CT-")
    assert illegal.value.legal == legal_moves(game.fold, 0)
    assert illegal.value.sentence.endswith(".")


def test_a_text_that_is_no_move_at_all_is_illegal_too() -> None:
    game = Local("palace")
    line = json.dumps({"move": "resign", "version": game.fold.version}).encode()
    with pytest.raises(IllegalAnswer, match="A move is written"):
        choose_moves(Conversation(0), game.fold, game.entries, clock_ms, saying(line))


def test_stale_answers_are_passed_over_but_not_for_ever() -> None:
    game = Local("palace")
    seat = game.fold.to_act()[0]
    move = legal_moves(game.fold, seat)[0]
    stale = json.dumps({"move": "play 8", "version": 1}).encode()
    fresh = json.dumps({"move": move, "version": game.fold.version}).encode()
    assert choose_moves(Conversation(seat), game.fold, game.entries, clock_ms, saying(stale, stale, fresh)) == [move]
    with pytest.raises(BadReply, match="More than 8 answers in a row"):
        choose_moves(Conversation(seat), game.fold, game.entries, clock_ms, saying(*[stale] * 20, fresh))


def beat_line(game: Local, moves: list[str], more: bool = False) -> bytes:
    return json.dumps({"moves": moves, "beat": game.fold.beat + 1, "more": more}).encode()


def test_a_bundle_is_described_by_what_goes_on_and_what_ends_it() -> None:
    game = Local("plate_spinner")
    described = requests.ask_for_seat(game.fold, 0, [], 10)["legal"]
    assert described["assign"] == ["assign 5 A2 0.0"]
    assert (described["dice"], described["roll"]) == ("456", "any subset")
    assert (described["grab"], described["finish"], described["moves"]) == (False, False, [])
    ten = requests.ask_for_seat(Local("chinese_ten", 2, "beats").fold, 0, [], 10)["legal"]
    assert ten["moves"]
    assert (ten["assign"], ten["roll"], ten["dice"]) == ([], None, "")


def test_a_bundle_in_parts_is_asked_for_with_the_position_after_them() -> None:
    game = Local("plate_spinner")
    heard: list[dict[str, Any]] = []
    exchange = answering(First, heard)  # its first legal move assigns
    talk, _ = begin_conversation(game.fold, 0, 1, DEFAULT_CLOCK, exchange)
    before = game.fold.state.plain()
    assert choose_moves(talk, game.fold, game.entries, clock_ms, exchange) == ["assign 5 A2 0.0", "roll 46"]
    assert game.fold.state.plain() == before
    assert [line.get("after") for line in heard[1:]] == [[], ["assign 5 A2 0.0"]]
    assert [line["observation"]["players"][0]["dice"] for line in heard[1:]] == ["456", "46"]
    assert heard[2]["events"] == []


def test_a_bundle_may_be_given_whole_with_a_roll_of_some_dice() -> None:
    class Whole(First):
        def bundle(self, view: Any, legal: dict[str, Any]) -> list[str]:
            return ["assign 5 A2 0.0", "roll 4"]

    game = Local("plate_spinner")
    exchange = answering(Whole)
    talk, _ = begin_conversation(game.fold, 0, 1, DEFAULT_CLOCK, exchange)
    assert choose_moves(talk, game.fold, game.entries, clock_ms, exchange) == ["assign 5 A2 0.0", "roll 4"]


def test_a_part_of_several_moves_is_a_beginning() -> None:
    class Parts(First):
        def bundle(self, view: Any, legal: dict[str, Any]) -> list[str]:
            return ["roll 6"] if view.after else Part(["assign 5 A2 0.0"])

    game = Local("plate_spinner")
    exchange = answering(Parts)
    talk, _ = begin_conversation(game.fold, 0, 1, DEFAULT_CLOCK, exchange)
    assert choose_moves(talk, game.fold, game.entries, clock_ms, exchange) == ["assign 5 A2 0.0", "roll 6"]


@pytest.mark.parametrize(
    ("moves", "index", "sentence"),
    [
        (["assign 5 A2 0.0"], 0, "The bundle is incomplete"),
        (["roll 4", "roll 5"], 0, "ends the bundle, so nothing may follow it"),
        (["assign 5 A2 0.0", "assign 5 A2 0.0"], 1, "5"),
        (["dance"], 0, "A move is written"),
    ],
)
def test_an_illegal_bundle_names_the_move_that_breaks_it(moves: list[str], index: int, sentence: str) -> None:
    game = Local("plate_spinner")
    with pytest.raises(IllegalAnswer, match=sentence) as illegal:
        choose_moves(Conversation(0), game.fold, game.entries, clock_ms, saying(beat_line(game, moves)))
    assert (illegal.value.index, illegal.value.move) == (index, moves[index])


def test_the_legal_moves_of_a_broken_bundle_are_those_at_its_break() -> None:
    game = Local("plate_spinner")
    line = beat_line(game, ["assign 5 A2 0.0", "assign 5 A2 0.0"])
    with pytest.raises(IllegalAnswer) as illegal:
        choose_moves(Conversation(0), game.fold, game.entries, clock_ms, saying(line))
    assert illegal.value.legal == ["roll 46"]


def test_more_after_a_move_that_ends_the_bundle_is_a_bad_reply() -> None:
    game = Local("plate_spinner")
    with pytest.raises(BadReply, match=r'"roll 4" ends the bundle, so "more" can\'t be true'):
        choose_moves(Conversation(0), game.fold, game.entries, clock_ms, saying(beat_line(game, ["roll 4"], more=True)))


def test_more_after_a_move_that_is_not_legal_is_an_illegal_move() -> None:
    game = Local("plate_spinner")
    with pytest.raises(IllegalAnswer) as illegal:
        choose_moves(
            Conversation(0), game.fold, game.entries, clock_ms, saying(beat_line(game, ["assign 1 A1 0.0"], more=True))
        )
    assert illegal.value.legal == legal_moves(game.fold, 0)


def test_a_new_process_is_told_the_whole_game_masked() -> None:
    game = Local("chinese_ten")
    for _ in range(6):
        seat = game.fold.to_act()[0]
        game.play(seat, legal_moves(game.fold, seat)[0])
    seat = game.fold.to_act()[0]
    heard: list[dict[str, Any]] = []
    exchange = answering(First, heard)
    talk, _ = begin_conversation(game.fold, seat, 1, DEFAULT_CLOCK, exchange)
    choose_moves(talk, game.fold, game.entries, clock_ms, exchange)
    assert [event["version"] for event in heard[1]["events"]] == list(range(2, game.fold.version + 1))
    assert REDACTED[0] not in {event["type"] for event in heard[1]["events"][:1]}
