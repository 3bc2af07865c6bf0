"""The part of the story with open tables, and with games that are played, offered, left, viewed and continued."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from games.accounts import dataset_consent
from games.eventlog import store as eventlog
from games.models import Deal, Game
from games.play import services as play
from replays.practice import exercises
from replays.practice.models import Exercise, Puzzle
from replays.review import ledgers
from replays.review.models import GameReview
from scorebook_games.review import Reviewer
from tests.config.docs.story.cast import game_of, played, player
from tests.config.docs.story.teller import Teller

TABLE, GAME = "tables/{token}/", "games/{public_id}/"
BY_POST: dict[str, Any] = {"move_days": 3}


def tables(teller: Teller) -> None:
    """Let Martha open tables, which the others join or decline."""
    ask = teller.ask
    ask("", "GET kinds/")
    ask("", "GET kinds/{kind}/", kind="palace")
    wish = {"kind": "palace", "seats": 3, "access": "listed", "terms": BY_POST, "invite": [player("Otto").pk]}
    one = {"token": ask("martha", "POST tables/", wish)["id"]}
    ask("laura", "GET tables/")
    ask("laura", f"GET {TABLE}", **one)
    ask("laura", f"POST {TABLE}sit/", {}, **one)
    ask("laura", f"POST {TABLE}leave/", {}, **one)
    ask("otto", f"POST {TABLE}decline/", {}, **one)
    ask("martha", f"POST {TABLE}invite/", {"players": [player("Niamh").pk]}, **one)
    ask("martha", f"POST {TABLE}close/", {}, **one)
    one = {"token": ask("martha", "POST tables/", {"kind": "chinese_ten", "seats": 2})["id"]}
    ask("martha", f"POST {TABLE}fill/", {"bot": "random"}, **one)
    live = {"kind": "chinese_ten", "seats": 2, "terms": {"move_seconds": 60, "rated": False}}
    one = {"token": ask("martha", "POST tables/", live)["id"]}
    ask("laura", f"POST {TABLE}sit/", {}, **one)
    ask("martha", f"POST {TABLE}ready/", {}, **one)


def playing(teller: Teller) -> None:
    """Let Martha and Laura play, and end games in several ways."""
    ask = teller.ask
    game = game_of("Martha", "Laura", **BY_POST)
    one = {"public_id": game.public_id}
    turn = ask("martha", f"GET {GAME}turn/", **one)
    ask("martha", f"GET {GAME}asks/", **one)
    ask("martha", f"GET {GAME}turn/why/", **one, move="lay K")
    move = {"move": turn["legal"][0]["move"], "expected_version": turn["version"]}
    ask("martha", f"POST {GAME}moves/", move, **one)
    ask("laura", "GET games/", kind="chinese_ten", status="playing")
    ask("laura", f"GET {GAME}", **one)
    ask("laura", f"GET {GAME}events/", **one, since=0)
    ask("laura", "GET me/games/")
    ask("laura", "GET me/games/events/")
    ask("martha", f"POST {GAME}offer-abort/", {}, **one)
    ask("laura", f"POST {GAME}decline-abort/", {}, **one)
    teller.later(hours=30)
    move = ask("laura", f"GET {GAME}turn/", **one)
    wish = {"move": move["legal"][0]["move"], "expected_version": move["version"]}
    ask("laura", f"POST {GAME}moves/", wish, **one)
    ask("laura", f"POST {GAME}offer-abort/", {}, **one)
    ask("martha", f"POST {GAME}accept-abort/", {}, **one)
    ask("martha", f"POST {GAME}resign/", {}, public_id=game_of("Martha", "Laura", **BY_POST).public_id)


def over(teller: Teller) -> None:
    """View a finished game, download it, play it again and continue it from a moment."""
    ask = teller.ask
    one = {"public_id": played("Martha", "Laura").public_id}
    ask("", f"GET {GAME}replay/", **one)
    ask("", f"GET {GAME}export/", **one, **{"as": "json"})
    ask("", f"GET {GAME}verify/", **one)
    ledgers.find_games()
    ledgers.compute_due()
    ask("", f"GET {GAME}luck/", **one)
    ask("", f"GET {GAME}result/", **one)
    ask("martha", f"POST {GAME}review/{{seat}}/", None, **one, seat=1)
    ask("martha", f"DELETE {GAME}review/{{seat}}/", None, **one, seat=1)
    ask("martha", f"GET {GAME}review/{{seat}}/", **one, seat=1)
    mistakes(teller, Game.objects.get(public_id=one["public_id"]))
    ask("martha", f"POST {GAME}continue/", {"version": 5, "seat": 0, "program": "random"}, **one)
    ask("martha", f"POST {GAME}rematch/", {}, **one)
    ask("laura", f"POST {GAME}decline-rematch/", {}, **one)


def mistakes(teller: Teller, game: Game) -> None:
    """Record a mistake that a review found, and ask its player about it."""
    at = Reviewer([entry.event for entry in eventlog.read_events(game.stream_id)], 0).decisions[0]
    best = next(move for move in at.legal if move != at.move)
    found = {"version": at.version, "event": at.event, "move": at.move, "best": best, "cost": 0.08, "error": 0.02}
    exercises.add_exercises(GameReview(game=game, seat=0, review={"mistakes": [found]}))
    exercises.measure_due()
    asked = teller.ask("martha", "GET me/mistakes/")["exercise"]
    one = {"exercise": asked["id"]}
    teller.ask("martha", "POST me/mistakes/{exercise}/answer/", {"move": best}, **one)
    teller.ask("martha", "GET me/mistakes/{exercise}/", **one)
    puzzle_of(teller, Exercise.objects.get(pk=asked["id"]))


def puzzle_of(teller: Teller, exercise: Exercise) -> None:
    """Make the same position the puzzle of a day. Its players consent to that."""
    for seat in exercise.game.seats.select_related("player__user"):
        if seat.player.user:
            dataset_consent.set_consent(user=seat.player.user, given=True)
    puzzle = Puzzle.objects.create(
        kind=exercise.game.kind,
        date=teller.now.date(),
        game=exercise.game,
        event=exercise.event,
        moves=exercise.moves,
        state=Puzzle.State.DONE,
        due_at=teller.now,
    )
    one = {"kind": puzzle.kind, "date": str(puzzle.date)}
    teller.ask("", "GET kinds/{kind}/introduction/", kind=puzzle.kind, step=1)
    teller.ask("", "GET kinds/{kind}/explanations/", kind=puzzle.kind)
    teller.ask("", "GET puzzles/")
    teller.ask("", "GET puzzles/{kind}/{date}/", **one)
    teller.ask("laura", "POST puzzles/{kind}/{date}/", {"move": puzzle.moves[0]["move"]}, **one)


def together(teller: Teller) -> None:
    """Play a game in beats, and one that begins when everybody is present."""
    beats = game_of("Martha", "Laura", kind="plate_spinner", pace="beats", rated=False)
    turn = teller.ask("martha", f"GET {GAME}turn/", public_id=beats.public_id)
    bundle = {"beat": 1, "moves": [turn["any_of"]["move"]]}
    teller.ask("martha", f"POST {GAME}bundles/", bundle, public_id=beats.public_id)
    live = play.open_game(
        kind="chinese_ten",
        players=[player("Martha"), player("Laura")],
        terms={"move_seconds": 30, "check_in_minutes": 30, "rated": False},
        deal=Deal.objects.create(seed=bytes(range(32))),
        begins=teller.now + timedelta(minutes=30),
    )
    teller.ask("laura", f"POST {GAME}ready/", {}, public_id=live.public_id)
