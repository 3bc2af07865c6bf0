"""Chooses a puzzle a day for each kind, from real games, without anybody's help.

A position qualifies if it has at least three legal moves, its best move is ahead of every other one by three standard
errors in two sets of worlds, of which the second did not choose it, and at least 95 of 100 other seeds find the same
best move. Games with people are used only if all of these people consent to the dataset; games of bots alone always.

1. *Look*: a cheap measurement at some decisions of some games, those first that ended last. What looks clear enough is
   kept.
2. *Check*: what was kept is measured with more work, then with other seeds, one after another, until six disagree. What
   the sensible bot would not have played comes first, because it is harder to find. Whenever fewer than four such
   positions are kept, the search looks at another game first.

The work is stored after each game and every few seeds, so another worker can go on. A game at which the rules fail is
left out, and the next attempt goes on without it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from games.accounts.models import DatasetConsent
from games.common import clock
from games.eventlog import store as eventlog
from games.models import Game, Seat
from replays import claims
from replays.dataset.source_games import dataset_games
from replays.practice.models import Puzzle
from replays.review.models import GameReview, LuckLedger
from scorebook_games.practice import MIN_WORLDS, MoveValue, choices_at, decision_at, lead_of, measure, usual_move
from scorebook_games.registry import KINDS
from scorebook_games.review import NoReview
from scorebook_games.review.lines import Setting
from scorebook_games.review.sight import DECISION, Position, sight_of
from scorebook_games.step_limit import step_limit

State = Puzzle.State
AHEAD: Final = 3.0  # standard errors
SEEDS: Final = 100
MAX_DISAGREEING: Final = 5
RECENT_GAMES: Final = 500
MAX_GAMES: Final = 60  # looked at for a puzzle
DECISIONS: Final = 8  # looked at in a game
MAX_KEPT: Final = 12
MIN_MOVES: Final = 3  # of two moves, every second guess is right
ENOUGH_HARD: Final = 4  # with so many kept positions whose best move is not the usual one, no other game is looked at
LOOK: Final = 4_000  # positions
LOOKS_CLEAR: Final = 1.5  # standard errors
SEED_POSITIONS: Final = 10_000
FULL: Final = 40_000
SHOWN_WORLDS: Final = 200  # for each move of a puzzle
SEEDS_A_STEP: Final = 5
STEP_SECONDS: Final = 60.0  # of the processor
LEASE: Final = timedelta(minutes=3)
AGAIN: Final = timedelta(hours=1)  # until a day without a puzzle is looked at once more


# -- finding work


def add_days() -> int:
    """Add a waiting row for each kind, for today and tomorrow; return how many were missing. A day on which nothing
    qualified is tried again until it is over."""
    today = clock.now().date()
    days = [today, today + timedelta(days=1)]
    there = set(Puzzle.objects.filter(date__in=days).values_list("kind", "date"))
    missing = [Puzzle(kind=kind, date=day, due_at=Now()) for day in days for kind in KINDS if (kind, day) not in there]
    Puzzle.objects.bulk_create(missing, ignore_conflicts=True)
    stale = Puzzle.objects.filter(state=State.NONE, date__gte=today, due_at__lte=Now())
    stale.update(state=State.WAITING, attempts=0, work=None)
    return len(missing)


def is_idle() -> bool:
    """Return whether no ledger and no review waits. Puzzles are less urgent."""
    return not claims.due(LuckLedger).exists() and not claims.due(GameReview).exists()


def unused_games(kind: str) -> QuerySet[Game]:
    """Return the finished games of a kind whose people all consent, and that no puzzle is from."""
    used = Puzzle.objects.filter(game=OuterRef("pk"))
    return dataset_games(clock.now()).filter(~Exists(used), ~Exists(without_consent(OuterRef("pk"))), kind=kind)


def without_consent(game: OuterRef) -> QuerySet[Seat]:
    """Return the seats of a game whose person has not consented, or is not known any more."""
    newest = DatasetConsent.objects.filter(user=OuterRef("player__user")).order_by("-pk").values("given")[:1]
    people = Seat.objects.filter(game=game, player__bot_version__isnull=True)
    return people.annotate(given=Subquery(newest)).filter(Q(given__isnull=True) | Q(given=False))


# -- choosing


def choose_due(until: float) -> bool:
    """Work on one puzzle that is due, as long as the monotonic clock is before `until`; return whether there was one.

    What is not finished by then waits for the next call.
    """
    row = next(iter(claims.claim(claims.due(Puzzle).order_by("date", "pk"), 1, LEASE)), None)
    if row is None:
        return False
    work = row.work or begun(row.kind, row.date)
    with claims.attempt(row, work=work):
        _choose(row, work, until)
    return True


def _choose(row: Puzzle, work: dict[str, Any], until: float) -> None:
    for _step in steps(row, work):
        if time.monotonic() >= until:  # another call goes on; this was no failure
            claims.held(row).update(state=State.WAITING, attempts=0, due_at=Now(), work=work)
            return
        if not claims.held(row).update(due_at=Now() + LEASE, work=work):  # another worker has it
            return
    if not work["kept"]:
        claims.held(row).update(state=State.NONE, work=None, due_at=Now() + AGAIN)
        return
    try:
        with transaction.atomic():
            claims.held(row).update(state=State.DONE, work=None, **work["kept"][0]["found"])
    except IntegrityError:  # the puzzle of another day is from this game, chosen since the check
        del work["kept"][0]
        claims.held(row).update(state=State.WAITING, attempts=0, due_at=Now(), work=work)


def begun(kind: str, day: date) -> dict[str, Any]:
    """Return the work on a puzzle before its first step: games that were not used yet, in an order by lot."""
    games = list(unused_games(kind).order_by("-finished_at", "-pk").values_list("pk", flat=True)[:RECENT_GAMES])
    random.Random(f"puzzle {kind} {day}").shuffle(games)
    return {"games": games[:MAX_GAMES], "kept": []}


def steps(row: Puzzle, work: dict[str, Any]) -> Iterator[None]:
    """Go on with the work, and yield after each step. At the end, the first kept position has `found` if one qualifies.

    What is looked at or checked is taken out of the work first, so that it is left out if an error ends the attempt.
    """
    while not (work["kept"] and "found" in work["kept"][0]):
        with step_limit(STEP_SECONDS):
            if work["games"] and sum(each["hard"] for each in work["kept"]) < ENOUGH_HARD:
                game = Game.objects.get(pk=work["games"].pop(0))
                work["kept"] += _looked(game, random.Random(f"puzzle {row.kind} {row.date} {game.public_id}"))
                work["kept"].sort(key=lambda kept: (not kept["hard"], -kept["lead"]))
                del work["kept"][MAX_KEPT:]
            elif work["kept"]:
                position = work["kept"].pop(0)
                try:
                    qualifies = _qualifies(position)
                except NoReview:  # with another seed no world is found
                    qualifies = False
                if qualifies:
                    work["kept"].insert(0, position)
            else:
                return
        yield


def _looked(game: Game, rng: random.Random) -> list[dict[str, Any]]:
    """Return the positions of one seat of a game that look clear."""
    seat = rng.randrange(game.seats.count())
    try:
        sight = sight_of(_events(game), seat)
    except NoReview:
        return []
    setting = Setting(sight)
    decisions = [at for at in sight.positions if at.what == DECISION and not at.own and len(at.legal) >= MIN_MOVES]
    found = []
    for at in rng.sample(decisions, min(DECISIONS, len(decisions))):
        try:
            values = _values(setting, at, "look", LOOK)
            hard = lead_of(values) >= LOOKS_CLEAR and values[0].move != usual_move(setting, at)
        except NoReview:
            continue
        if lead_of(values) >= LOOKS_CLEAR:
            kept = {"game": game.pk, "seat": seat, "event": at.event, "seed": 0, "agreed": 0}
            found.append({**kept, "hard": hard, "lead": lead_of(values)})
    return found


def _qualifies(kept: dict[str, Any]) -> bool:
    """Check a position that was kept with some more seeds, and return whether it still qualifies.

    After the last seed its fields of the puzzle are stored as `found`.
    """
    game = Game.objects.get(pk=kept["game"])
    sight = sight_of(_events(game), kept["seat"])
    setting, at = Setting(sight), decision_at(sight, kept["event"])
    if "best" not in kept:
        values = _values(setting, at, "chosen", FULL)
        kept["best"] = values[0].move
        return lead_of(values) >= AHEAD
    for seed in range(kept["seed"], min(SEEDS, kept["seed"] + SEEDS_A_STEP)):
        kept["agreed"] += _values(setting, at, f"seed {seed}", SEED_POSITIONS)[0].move == kept["best"]
        kept["seed"] = seed + 1
        if kept["seed"] - kept["agreed"] > MAX_DISAGREEING:
            return False
    if kept["seed"] < SEEDS:
        return True
    values = _values(setting, at, "solution", FULL, best=kept["best"])
    moves = [asdict(value) for value in values]
    kept["found"] = {"game_id": game.pk, **{name: kept[name] for name in ("seat", "event", "agreed")}, "moves": moves}
    return lead_of(values) >= AHEAD and unused_games(game.kind).filter(pk=game.pk).exists()


def _values(setting: Setting, at: Position, seed: str, positions: int, *, best: str = "") -> list[MoveValue]:
    """Return the values of all moves. Those beside a `best` one are shown to people, so no move is dropped early."""
    moves, worlds = choices_at(setting, at, best=best), SHOWN_WORLDS if best else MIN_WORLDS
    return measure(setting, at, moves, seed=seed, positions=positions, best=best, worlds=worlds)


def _events(game: Game) -> list[Any]:
    return [entry.event for entry in eventlog.read_events(game.stream_id)]
