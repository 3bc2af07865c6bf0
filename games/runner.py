"""Plays claimed games with their house bots.

A worker holds some games at a time and stores what it has played in chunks: the games are over in a blink for the most
part, and one transaction serves many. A chunk ends after `CHUNK_SECONDS`, so that whoever watches sees the game live. A
game that people play in stores every move at once. Nothing of this shows in the rule events: a bot's chance depends
on seed, seat and the number of rule events alone, whoever asks it and however often it is asked.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import Error, connection
from django.db.models import F

from games import clock, leases, log, table
from games import events as ev
from games.bots.house import BOTS, View
from games.engines.base import Event
from games.engines.chance import SeedDealer, bot_random
from games.errors import TableError
from games.fold import Fold, fold_game
from games.models import Game, Incident, Seat, Worker
from games.table import Conflict, Step
from games.wake import wake_players

logger = logging.getLogger(__name__)

CLAIMED_AT_ONCE: Final = 50
CHUNK_SECONDS: Final = 0.25


class NoLegalMove(Exception):
    """A house bot wants a move that is not legal."""


class BotFailed(Exception):
    """A house bot cannot go on; `detail` is the traceback."""

    def __init__(self, seat: int, bot: str, version: int, cause: Incident.Cause, detail: str) -> None:
        super().__init__(f"The house bot {bot} in seat {seat} failed at event {version}.")
        self.cause = cause
        self.detail = detail


@dataclass(eq=False, slots=True)
class Hand:
    """A game in this worker's hands: what is not stored of it yet, and when it is to go on (monotonic seconds)."""

    attempt: int
    step: Step
    dealer: SeedDealer
    due: float = 0.0
    failure: BotFailed | None = None

    @property
    def game(self) -> Game:
        return self.step.game

    @property
    def seat(self) -> int | None:
        """The seat that a program is to move now; None when the runner can do nothing more."""
        if self.failure:
            return None
        for seat in self.step.fold.to_act():
            if seat in self.step.programs:
                return seat
        return None


def never() -> bool:
    """Whether to stop: no."""
    return False


def play_due(worker: str, budget_seconds: float = 60, stop: Callable[[], bool] = never) -> int:
    """Claim games and play them until nothing is due or the time is spent; how many were brought to an end.

    `worker` is the name of this process, not that of any other that is alive. When `stop` says so, what is being
    played is stored and given back within a chunk's time.
    """
    until = time.monotonic() + budget_seconds
    ended = 0
    with leases.pulse_of(worker) as pulse:
        _limit_idle_transactions()
        while not stop() and time.monotonic() < until and (claims := leases.claim(worker, CLAIMED_AT_ONCE)):
            if len(claims) == CLAIMED_AT_ONCE:
                wake_players()  # there may be more than one worker can play
            held = {game.pk: game.attempt for game, _ in claims}
            pulse.hold(held, until - time.monotonic() + settings.SCOREBOOK_LEASE_SECONDS)
            try:
                ended += play(claims, until, stop)
            finally:
                pulse.hold({}, 0)
        if ended:
            Worker.objects.filter(name=worker).update(games_played=F("games_played") + ended)
    return ended


def _limit_idle_transactions() -> None:
    """Let the database end a transaction of ours that stands still, so that a stopped worker's locks hold up nobody."""
    with connection.cursor() as cursor:
        milliseconds = str(1000 * settings.SCOREBOOK_LEASE_SECONDS)
        cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, false)", [milliseconds])


def play(claims: Sequence[leases.Claim], until: float, stop: Callable[[], bool]) -> int:
    """Play claimed games until each is over, waits for a person or has failed, or it is `until` (monotonic).

    Then, or when `stop` says so, what is left is given back. Returns how many games came to an end.
    """
    hands = take_up(claims)
    ended = 0
    try:
        hands = store(hands)
        while hands and time.monotonic() < until and not stop():
            play_chunk(hands, min(until, time.monotonic() + CHUNK_SECONDS))
            stored = store(hands)
            going = [hand for hand in stored if hand.seat is not None]
            idle = [hand for hand in stored if hand.seat is None]
            ended += sum(hand.step.fold.outcome() is not None for hand in idle)
            give_back(idle)
            hands = going
    finally:
        give_back(hands)
    return ended


def take_up(claims: Sequence[leases.Claim]) -> list[Hand]:
    """The claimed games, folded from their logs."""
    games = [game for game, _ in claims]
    logs = log.read_many([game.stream_id for game in games])
    programs: dict[int, dict[int, str]] = {game.pk: {} for game in games}
    seats = Seat.objects.filter(game__in=games, player__bot_version__isnull=False)
    for game_id, seat, program in seats.values_list("game", "seat", "player__bot_version__program"):
        programs[game_id][seat] = program
    hands = []
    for game, lost in claims:
        fold = fold_game(entry.event for entry in logs[game.stream_id])
        hand = in_hand(game, game.attempt, fold, programs[game.pk] | fold.taken_over)
        if lost:
            hand.step.take([[ev.ATTEMPT, game.attempt, "worker_lost"]], clock.now())
        hands.append(hand)
    return hands


def in_hand(game: Game, attempt: int, fold: Fold, programs: dict[int, str]) -> Hand:
    """A game as it stands, ready to be played on in `attempt`."""
    step = Step(game, fold, programs, fold.version, attempt=attempt)
    waited = (clock.now() - game.moved_at).total_seconds()
    return Hand(attempt, step, SeedDealer(bytes(game.deal.seed)), time.monotonic() + max(0.0, pace(game) - waited))


def pace(game: Game) -> float:
    """How many seconds a house bot's move is to take, for games that people watch; 0 for as fast as it goes."""
    return float(game.terms["bot_pace_ms"]) / 1000


def play_chunk(hands: Sequence[Hand], until: float) -> None:
    """Play on, the game that is due first first, until `until` or until something must be stored at once."""
    while going := [hand for hand in hands if hand.seat is not None]:
        hand = min(going, key=lambda each: each.due)
        now = time.monotonic()
        if now >= until:
            return
        if hand.due > now:
            time.sleep(min(hand.due, until) - now)
            continue
        play_on(hand, until)
        if not hand.game.local:
            return


def play_on(hand: Hand, until: float) -> None:
    """Play one game on: to its end or till `until`; a single move where moves are paced or people play."""
    wait = pace(hand.game)
    while (seat := hand.seat) is not None:
        try:
            events = decide(hand, seat)
        except BotFailed as failure:
            logger.exception("Game %s cannot go on.", hand.game.public_id)
            hand.failure = failure
            return
        hand.step.take(events, clock.now())
        if wait:
            hand.due = time.monotonic() + wait
            return
        if not hand.game.local or time.monotonic() >= until:
            return


def decide(hand: Hand, seat: int) -> list[Event]:
    """The events of the move that the house bot in `seat` wants. Raises `BotFailed`.

    A bot with one legal move is not asked. The bot is told nothing that a worker's death could change: its version
    counts rule events, and it sees the engine's observation without what the table adds.
    """
    fold = hand.step.fold
    rules, state = fold.rules, fold.state
    actions = rules.legal_actions(state, seat)
    name = hand.step.programs[seat]
    try:
        action = actions[0] if len(actions) == 1 else ask(fold, seat, name, actions, hand.dealer.seed)
        return rules.decide(state, seat, action, hand.dealer)
    except Exception as error:
        cause = Incident.Cause.ILLEGAL_MOVE if isinstance(error, NoLegalMove) else Incident.Cause.BOT_CRASHED
        raise BotFailed(seat, name, fold.version, cause, traceback.format_exc()) from error


def ask(fold: Fold, seat: int, name: str, actions: Sequence[int], seed: bytes) -> int:
    """The action that the house bot `name` chooses."""
    rules, state = fold.rules, fold.state
    legal = [rules.move_text(state, action) for action in actions]
    bot = BOTS[name]
    view = View(fold.opened["kind"], rules.observation(state, seat) if bot.looks else {}, fold.rule_events)
    text = bot.move(view, legal, bot_random(seed, seat, fold.rule_events))
    if text not in legal:
        raise NoLegalMove(f"{text!r} is none of {', '.join(legal)}.")
    return actions[legal.index(text)]


def store(hands: Sequence[Hand]) -> list[Hand]:
    """Store what was played, and return the hands that are still ours.

    Where somebody else came first (an abort, a leaver), the game is folded anew and its unstored moves are dropped;
    where the lease is lost, the game is let go.
    """
    steps = [hand.step for hand in hands if hand.step.events]
    overtaken: set[Step] = set()
    while steps:
        try:
            table.store(steps, clock.now())
            break
        except Conflict as conflict:
            overtaken.update(conflict.steps)
            steps = [step for step in steps if step not in overtaken]
    kept = []
    for hand in hands:
        try:
            kept.append(look_again(hand) if hand.step in overtaken else hand)
        except leases.LeaseLost as lost:
            logger.warning("lease_lost: %s", lost.sentence)
    for hand in kept:
        if hand.step.events:
            hand.step = hand.step.following()
    return kept


def look_again(hand: Hand) -> Hand:
    """The game as it stands after somebody else came first. Raises `LeaseLost`."""
    try:
        step = table.begin(hand.game)
    except TableError as over:
        raise leases.LeaseLost(hand.game, hand.attempt) from over
    if hand.game.attempt != hand.attempt:
        raise leases.LeaseLost(hand.game, hand.attempt)
    return in_hand(hand.game, hand.attempt, step.fold, step.programs)


def give_back(hands: Sequence[Hand]) -> None:
    """Release games that go on without this worker, and report those at which a bot failed."""
    try:
        for hand in hands:
            if hand.failure:
                sentence = f"{hand.failure} Game {hand.game.public_id} stands still."
                leases.fail(hand.game, hand.attempt, hand.failure.cause, sentence, hand.failure.detail)
        going = [hand for hand in hands if not hand.failure and hand.step.fold.outcome() is None]
        leases.release({hand.game.pk: hand.attempt for hand in going})
    except Error:
        logger.warning("Games could not be given back; their leases run out instead.", exc_info=True)
        connection.close()
