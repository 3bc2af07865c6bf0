"""Plays claimed games with the bots that sit in them.

Built-in bots are asked seat by seat; in beats each gives a bundle, and the worker takes the beat; live, each is asked
as soon as it may move again. A worker holds some games at a time and stores what it has played in chunks: the games are
over in a blink for the most part, and one transaction serves many. A chunk ends after `CHUNK_SECONDS`, so that whoever
watches sees the game live. A game that people play in stores every move at once. Nothing of this shows in the rule
events: a bot's chance depends on seed, seat and the number of rule events alone, whoever asks it and however often it
is asked.

Uploaded bots are asked in their sandboxes (`games.workers.sandboxed_bot`), one at a time. Where one fails, the game
goes on as the terms say (`games.play.faults`); where the platform fails, the game is given back and costs nobody
anything.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Final

from django.conf import settings
from django.db import Error, connection
from django.db.models import F
from django.utils.translation import gettext as _

from games.common import clock, log_context
from games.common.errors import DomainError
from games.common.models import Incident
from games.engines.base import Event
from games.engines.chance import SeedDealer
from games.eventlog import store as eventlog
from games.gamelog import events as ev
from games.gamelog.events import events_of
from games.gamelog.fold import fold_game
from games.gamelog.pacing import beat_events
from games.gamelog.terms import BEATS, LIVE, TURNS
from games.models import REMOTE, Game, Seat
from games.play import beats, faults, live_pace, unit_of_work
from games.play import services as play_services
from games.play.unit_of_work import ConcurrentAppend, GameUnit
from games.play.wake_up import wake_players
from games.programs import requests
from games.workers import leases
from games.workers.models import Worker
from games.workers.session import BotFailed, GameSession
from games.workers.uploaded_bots import ask_bundles, decide_uploaded_bot, record_sandboxes, start_sandboxes, versions_in

logger = logging.getLogger(__name__)

CLAIM_BATCH_SIZE: Final = 50
CHUNK_SECONDS: Final = 0.25
REACTION_SECONDS: Final = 0.5  # of a built-in bot that races with people


def never() -> bool:
    """Whether to stop: no."""
    return False


def play_due_games(worker: str, budget_seconds: float = 60, stop: Callable[[], bool] = never) -> int:
    """Claim games and play them until nothing is due or the time is spent; how many were brought to an end.

    `worker` is the name of this process, not that of any other that is alive. When `stop` says so, what is being
    played is stored and given back within a chunk's time.
    """
    until = time.monotonic() + budget_seconds
    ended = 0
    leased: dict[int, int] = {}

    def hold(claims: Sequence[leases.Claim]) -> None:
        leased.update({game.pk: game.attempt for game, _ in claims})
        pulse.hold(dict(leased), until - time.monotonic() + settings.SCOREBOOK_LEASE_SECONDS)

    def more(limit: int) -> Sequence[leases.Claim]:
        if claims := leases.claim_more(worker, limit):
            hold(claims)
        return claims

    with leases.heartbeat_of(worker) as pulse:
        _limit_idle_transactions()
        while not stop() and time.monotonic() < until and (claims := leases.claim_games(worker, CLAIM_BATCH_SIZE)):
            if leases.due_games().exists():
                wake_players()  # there is more than this worker's share
            hold(claims)
            try:
                ended += play_claims(claims, until, stop, more)
            finally:
                leased.clear()
                pulse.hold({}, 0)
        if ended:
            Worker.objects.filter(name=worker).update(games_played=F("games_played") + ended)
    return ended


def _limit_idle_transactions() -> None:
    """Let the database end a transaction of ours that stands still, so that a stopped worker's locks hold up nobody."""
    with connection.cursor() as cursor:
        milliseconds = str(1000 * settings.SCOREBOOK_LEASE_SECONDS)
        cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, false)", [milliseconds])


def claim_nothing(_limit: int) -> Sequence[leases.Claim]:
    """No more games than those at hand."""
    return ()


def play_claims(
    claims: Sequence[leases.Claim],
    until: float,
    stop: Callable[[], bool],
    more: Callable[[int], Sequence[leases.Claim]] = claim_nothing,
) -> int:
    """Play claimed games as `play_sessions` does, and release them all. Returns how many came to an end.

    A beat for which some of the bots have been asked is brought to its end first.
    """
    ended, begun = play_sessions(load_claimed(claims), until, stop, more)
    try:
        begun = finish_beats(begun, stop)
    finally:
        release_sessions(begun)
    return ended


def load_claimed(claims: Sequence[leases.Claim]) -> list[GameSession]:
    """The claimed games as `load_sessions` makes them; where the database is away, their release is made up for."""
    try:
        return load_sessions(claims)
    except Error:
        leases.remember_unreleased({game.pk: game.attempt for game, _ in claims})
        raise


# The games, the time and the wish to stop each end the loop.
def play_sessions(
    hands: Sequence[GameSession],
    until: float,
    stop: Callable[[], bool],
    more: Callable[[int], Sequence[leases.Claim]] = claim_nothing,
) -> tuple[int, list[GameSession]]:
    """Play games until each is over, waits for a person or has failed, or it is `until` (monotonic).

    `more` claims up to so many games that have come up meanwhile, lest somebody who has just sat down waits for games
    that are paced. Returns how many games came to an end, and those in which some of the bots have been asked for the
    next beat. All others are released; when `stop` says so, these too.
    """
    ended, begun = 0, list[GameSession]()
    try:
        hands = store_sessions(hands)
        while hands and time.monotonic() < until and not stop():
            play_chunk(hands, min(until, time.monotonic() + CHUNK_SECONDS))
            stored = store_sessions(hands)
            idle = [hand for hand in stored if hand.seat is None]
            ended += sum(hand.step.fold.outcome() is not None for hand in idle)
            release_sessions(idle)
            hands = [hand for hand in stored if hand.seat is not None]
            if hands and (further := more(CLAIM_BATCH_SIZE - len(hands))):
                hands += store_sessions(load_sessions(further))
        if not stop():
            begun = [hand for hand in hands if hand.answers]
    finally:
        release_sessions([hand for hand in hands if hand not in begun])
    return ended, begun


def finish_beats(hands: Sequence[GameSession], stop: Callable[[], bool]) -> list[GameSession]:
    """Ask on where some bots have been asked for a beat, lest they are all asked anew time and again."""
    for hand in hands:
        while hand.answers and hand.seat is not None and not stop():
            with log_context.bound_log_context(game=hand.game.public_id):
                play_on(hand, 0)
    return store_sessions(hands)


def load_sessions(claims: Sequence[leases.Claim]) -> list[GameSession]:
    """The claimed games, folded from their logs."""
    games = [game for game, _ in claims]
    logs = eventlog.read_logs([game.stream_id for game in games])
    programs: dict[int, dict[int, str]] = {game.pk: {} for game in games}
    seats = Seat.objects.filter(game__in=games, player__bot_version__isnull=False).exclude(REMOTE)
    for game_id, seat, program in seats.values_list("game", "seat", "player__bot_version__program"):
        programs[game_id][seat] = program
    uploads = versions_in([game for game in games if game.sandboxed])
    hands = []
    for game, lost in claims:
        log = logs[game.stream_id]
        fold = fold_game(entry.event for entry in events_of(log))
        hand = session_for(GameUnit(game, fold, programs[game.pk] | fold.taken_over, log), game.attempt)
        start_sandboxes(hand, uploads.get(game.pk, {}))
        if lost:
            hand.take([[ev.ATTEMPT, game.attempt, "worker_lost"]])
        if hand.sandboxed_bots:
            record_sandboxes(hand)
        hands.append(hand)
    return hands


def session_for(step: GameUnit, attempt: int) -> GameSession:
    """A game as it stands, ready to be played on in `attempt`."""
    step.attempt = attempt
    game, fold = step.game, step.fold
    waited = (clock.now() - game.moved_at).total_seconds()
    due = time.monotonic() + max(0.0, min_move_seconds(game) - waited)
    bundles = beats.pending_bundles(game, fold) if fold.pace == BEATS else []
    return GameSession(attempt, step, SeedDealer(bytes(game.deal.seed)), due, bundles=bundles)


def min_move_seconds(game: Game) -> float:
    """How many seconds a built-in bot's move is to take at the least, for games that people watch; where it races with
    people, they need a moment to react."""
    seconds = float(game.terms["bot_pace_ms"]) / 1000
    racing = game.terms.get("pace") == LIVE and not game.played_by_workers
    return max(seconds, REACTION_SECONDS) if racing else seconds


def play_chunk(hands: Sequence[GameSession], until: float) -> None:
    """Play on, the game that is due first first, until `until` or until something must be stored at once."""
    going = [hand for hand in hands if hand.seat is not None]
    while going:
        hand = min(going, key=lambda each: each.due)
        now = time.monotonic()
        if now >= until:
            return
        if hand.due > now:
            time.sleep(min(hand.due, until) - now)
            continue
        with log_context.bound_log_context(game=hand.game.public_id):
            play_on(hand, until)
        if not hand.game.played_by_workers:
            return
        if hand.seat is None:
            going.remove(hand)
        if hand.sandboxed_bots:
            hand.due = time.monotonic()  # the others come first now


def play_on(hand: GameSession, until: float) -> None:
    """Play one game on: to its end or till `until`; a single move or beat where they are paced or people play."""
    wait = min_move_seconds(hand.game)
    play = PLAY_BY_PACE[hand.step.fold.pace]
    while (seat := hand.seat) is not None:
        try:
            play(hand, seat, wait)
        except BotFailed as failure:
            # What the exception says may name cards: it stands in the incident, for admins alone.
            logger.error("Game %s cannot continue: %s. See its incident.", hand.game.public_id, failure.cause)
            hand.failure = failure
            return
        now = time.monotonic()
        if hand.due > now or not hand.game.played_by_workers or now >= until or hand.answers:
            return


def play_turn(hand: GameSession, seat: int, wait: float) -> None:
    """Let `seat` move, or pass. Raises `BotFailed`."""
    if events := decide_move(hand, seat):
        hand.take(events)
        if wait:
            hand.due = time.monotonic() + wait


def play_beat(hand: GameSession, _seat: int, wait: float) -> None:
    """Take the next beat, with the bundles that have been given and those of the built-in bots. Raises `BotFailed`."""
    step = hand.step
    bundles: dict[int, list[str]] = {bundle.seat: bundle.moves for bundle in hand.bundles}
    charges = ask_bundles(hand, bundles) if hand.sandboxed_bots else []
    if charges is None or step.fold.outcome():
        return
    for seat in step.fold.to_act():
        if seat in step.programs and seat not in bundles:
            try:
                bundles[seat] = requests.bundle(step.fold, seat, step.programs[seat], hand.dealer.seed)
            except Exception as error:
                raise bot_failed(hand, seat, error) from error
    charges += play_services.bank_charges(step, clock.now())
    step.bundles, hand.bundles = hand.bundles, []
    hand.take([*charges, *beat_events(step.fold, bundles, hand.dealer)])
    if wait:
        hand.due = time.monotonic() + wait


def play_live(hand: GameSession, seat: int, wait: float) -> None:
    """Let `seat` move, pass or wait, and then rest, as whoever has come to be to move does. Raises `BotFailed`."""
    before = hand.step.fold.awaited()
    if events := decide_move(hand, seat):
        hand.take(events)
    until = time.monotonic() + wait
    for each in [seat, *set(hand.step.fold.awaited()).difference(before)]:
        hand.rests[each] = max(until, hand.rests.get(each, 0.0))
    following = hand.seat
    hand.due = 0.0 if following is None else hand.rests.get(following, 0.0)


PLAY_BY_PACE: Final = {TURNS: play_turn, BEATS: play_beat, LIVE: play_live}


def decide_move(hand: GameSession, seat: int) -> list[Event]:
    """The events of the move that the bot in `seat` wants; none if it passes or waits. Raises `BotFailed`."""
    if seat in hand.sandboxed_bots:
        events = decide_uploaded_bot(hand, seat)
        if not events:
            hand.passed.add(seat)
        return events
    step, fold = hand.step, hand.step.fold
    rules, state = fold.rules, fold.state
    try:
        action = requests.action(fold, seat, step.programs[seat], hand.dealer.seed)
        if fold.pace == LIVE and (
            wait := live_pace.wait_ms(hand.game, step.grown_log, fold, seat, action, clock.now())
        ):
            hand.rests[seat] = time.monotonic() + wait / 1000
            return []
        events = rules.decide(state, seat, action, hand.dealer)
    except Exception as error:
        raise bot_failed(hand, seat, error) from error
    if not events:
        hand.passed.add(seat)
    return events


def bot_failed(hand: GameSession, seat: int, error: Exception) -> BotFailed:
    """What became of the game because of `error`, which is being handled."""
    cause = Incident.Cause.ILLEGAL_MOVE if isinstance(error, requests.NoLegalMove) else Incident.Cause.BOT_CRASHED
    bot, version = hand.step.programs[seat], hand.step.fold.version
    sentence = _("The built-in bot {bot} in seat {seat} failed at event {n}.").format(bot=bot, seat=seat + 1, n=version)
    return BotFailed(sentence, cause, traceback.format_exc())


def store_sessions(hands: Sequence[GameSession]) -> list[GameSession]:
    """Store what was played, and return the hands that are still ours.

    Where somebody else came first (an abort, a leaver), the game is folded anew and its unstored moves are dropped;
    where the lease is lost, the game is let go.
    """
    steps = [hand.step for hand in hands if hand.step.events]
    overtaken: set[GameUnit] = set()
    while steps:
        try:
            unit_of_work.commit(steps, clock.now())
            break
        except ConcurrentAppend as conflict:
            overtaken.update(conflict.steps)
            steps = [step for step in steps if step not in overtaken]
    kept = []
    for hand in hands:
        try:
            kept.append(reload_after_conflict(hand) if hand.step in overtaken else hand)
        except leases.LeaseLost as lost:
            hand.close()
            with log_context.bound_log_context(game=hand.game.public_id):
                logger.warning("lease_lost: %s", lost.sentence)
    for hand in kept:
        if hand.step.events:
            hand.step = hand.step.following()
    return kept


def reload_after_conflict(hand: GameSession) -> GameSession:
    """The game as it stands after somebody else came first. Raises `LeaseLost`."""
    try:
        step = play_services.begin_unit(hand.game)
    except DomainError as over:
        raise leases.LeaseLost(hand.game, hand.attempt) from over
    if hand.game.attempt != hand.attempt:
        raise leases.LeaseLost(hand.game, hand.attempt)
    hand.close()  # its bots may have been told what is not so any more
    hand.store_times()
    again = session_for(step, hand.attempt)
    start_sandboxes(again, hand.versions)
    return again


# What is left of each session, and what became of it, is a condition of its own.
def release_sessions(hands: Sequence[GameSession]) -> None:
    """Release games that go on without this worker, and report those at which a bot failed."""
    for hand in hands:
        hand.release_game()
    try:
        for hand in hands:
            if hand.versions:
                hand.store_times()
                if not hand.step.events:  # else they go with the events, which were not stored
                    faults.store_faults(hand.step.faults)
            if hand.failure:
                sentence = _("{why} Game {game} has stopped.").format(why=hand.failure, game=hand.game.public_id)
                leases.fail(hand.game, hand.attempt, hand.failure.cause, sentence, hand.failure.detail)
        # One that is over in our hands alone, for its end could not be stored, is played to its end again.
        going = [hand for hand in hands if not hand.failure and (hand.step.events or not hand.step.fold.outcome())]
        for hand in going:
            if hand.passed and hand.seat is None:
                leases.rest(hand.game, hand.attempt, hand.step.fold.version)
        leases.release_leases({hand.game.pk: hand.attempt for hand in going})
    except Error:
        logger.warning("Leases could not be released now. This is tried again.", exc_info=True)
        leases.remember_unreleased({hand.game.pk: hand.attempt for hand in hands})
        connection.close()
