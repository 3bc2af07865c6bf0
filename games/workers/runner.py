"""Plays claimed games with the bots that sit in them.

Built-in bots are asked seat by seat. In beats each gives a bundle, and the worker takes the beat. In live games, each
is asked as soon as it may move again. A worker holds several games at a time and stores what it has played in chunks,
because most games are over very quickly and one transaction can serve many (`Chunk`). A game with people stores every
move at once. None of this shows in the rule events: a bot's randomness depends only on seed, seat and the number of
rule events, whoever asks it and however often.

Uploaded bots are asked in their sandboxes (`games.workers.sandboxed_bot`), one at a time. If one fails, the game goes
on as the terms say (`games.play.faults`). If the platform fails, the game is released and costs nobody anything.

Rules that do not come to an end are stopped after `STEP_SECONDS`. Then all games of their kind are left alone
(`leases.park_kind`), and the worker goes on with the other kinds.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from django.conf import settings
from django.db import Error, connection
from django.db.models import F

from games.common import clock, incidents, log_context
from games.common.errors import DomainError
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import Game, seated_programs
from games.play import beats, faults, live_pace, unit_of_work
from games.play import services as play_services
from games.play.unit_of_work import ConcurrentAppend, GameUnit
from games.play.wake_up import wake_players
from games.workers import leases
from games.workers.models import Worker
from games.workers.session import BotFailed, GameSession, KindHangs
from games.workers.uploaded_bots import ask_bundles, decide_uploaded_bot, record_sandboxes, start_sandboxes, versions_in
from scorebook_games.bots import requests
from scorebook_games.bots.builtin import quick_bot
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import events_of
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.gamelog.pacing import beat_events
from scorebook_games.gamelog.terms import BEATS, LIVE, TURNS
from scorebook_games.step_limit import NeverEnds, step_limit

logger = logging.getLogger(__name__)

CLAIM_BATCH_SIZE: Final = 200
CHUNK_SECONDS: Final = 0.25
MAX_CHUNK_SECONDS: Final = 2.0  # by the clock, of a chunk that lasts `CHUNK_SECONDS` of the processor
STEP_SECONDS: Final = 30.0  # of the processor, for a move or beat with the search of its bots, and for folding a log
REACTION_SECONDS: Final = 0.5  # of a built-in bot that races with people
SEARCHING_BOT: Final = "strong"
TRIAL_SEARCH_SECONDS: Final = 10  # seconds of a trial's game, in which it searches


@dataclass(slots=True)
class Chunk:
    """How long games are played before they are stored: until a monotonic time, or until the processor has worked for
    them until `worked` (`time.thread_time`). Before the monotonic time `look` it cannot have worked for so long.
    """

    until: float
    worked: float = inf
    look: float = 0.0

    def is_over(self) -> bool:
        """Return whether the games must be stored now. It is asked after each move, and the processor's time is dearer
        than the clock's."""
        now = time.monotonic()
        if now >= self.look:
            self.look = now + self.worked - time.thread_time()
        return now >= self.until or now >= self.look


def never() -> bool:
    """Return False: never stop."""
    return False


def play_due_games(worker: str, budget_seconds: float = 60, stop: Callable[[], bool] = never) -> int:
    """Claim games and play them until nothing is due or the time is used; return how many ended.

    `worker` is the name of this process, which no other living one has. When `stop` returns true, games are stored and
    released within a chunk's time.
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
    """Let the database end an idle transaction of this process, so that the locks of a stopped worker block nobody."""
    with connection.cursor() as cursor:
        milliseconds = str(1000 * settings.SCOREBOOK_LEASE_SECONDS)
        cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, false)", [milliseconds])


def claim_nothing(_limit: int) -> Sequence[leases.Claim]:
    """Claim no more games."""
    return ()


def play_claims(
    claims: Sequence[leases.Claim],
    until: float,
    stop: Callable[[], bool],
    more: Callable[[int], Sequence[leases.Claim]] = claim_nothing,
) -> int:
    """Play claimed games as `play_sessions` does, and release them all; return how many ended.

    A beat for which some of the bots were asked is finished first.
    """
    ended, begun = play_sessions(load_claimed(claims), until, stop, more)
    try:
        begun = finish_beats(begun, stop)
    finally:
        release_sessions(begun)
    return ended


def load_claimed(claims: Sequence[leases.Claim]) -> list[GameSession]:
    """Return the claimed games as `load_sessions` does. If the database is away, they are released later."""
    try:
        return load_sessions(claims)
    except Error:
        leases.remember_unreleased({game.pk: game.attempt for game, _ in claims})
        raise


# The games, the time and `stop` each end the loop.
def play_sessions(
    sessions: Sequence[GameSession],
    until: float,
    stop: Callable[[], bool],
    more: Callable[[int], Sequence[leases.Claim]] = claim_nothing,
) -> tuple[int, list[GameSession]]:
    """Play games until each is over, waits for a person or has failed, or until the monotonic time `until`.

    `more` claims up to this many new games, so that a person who has just sat down need not wait for paced games.
    Returns how many games ended, and those in which some of the bots were asked for the next beat. All others are
    released, and with `stop` these too.
    """
    ended, begun = 0, list[GameSession]()
    try:
        sessions = store_sessions(sessions)
        while sessions and time.monotonic() < until and not stop():
            play_chunk(sessions, chunk_of(sessions, until))
            stored = store_sessions(sessions)
            idle = [session for session in stored if session.seat is None]
            ended += sum(not session.failure and session.unit.fold.outcome() is not None for session in idle)
            release_sessions(idle)
            sessions = [session for session in stored if session.seat is not None]
            if sessions and (further := more(CLAIM_BATCH_SIZE - len(sessions))):
                sessions += store_sessions(load_sessions(further))
        if not stop():
            begun = [session for session in sessions if session.answers]
    finally:
        release_sessions([session for session in sessions if session not in begun])
    return ended, begun


def finish_beats(sessions: Sequence[GameSession], stop: Callable[[], bool]) -> list[GameSession]:
    """Ask the remaining bots where some were asked for a beat, so that not all are asked again each time."""
    for session in sessions:
        while session.answers and session.seat is not None and not stop():
            with log_context.bound_log_context(game=session.game.public_id):
                play_on(session, Chunk(0))
    return store_sessions(sessions)


def load_sessions(claims: Sequence[leases.Claim]) -> list[GameSession]:
    """Return the claimed games, folded from their logs."""
    games = [game for game, _ in claims]
    logs = eventlog.read_logs([game.stream_id for game in games])
    programs = seated_programs(games)
    uploads = versions_in([game for game in games if game.sandboxed])
    sessions = []
    hanging: set[str] = set()
    for game, lost in claims:
        if game.kind in hanging:
            continue
        log = logs[game.stream_id]
        try:
            with step_limit(STEP_SECONDS):
                fold = fold_game(entry.event for entry in events_of(log))
                fold.to_act()
        except NeverEnds:
            hanging.add(game.kind)
            park_kind(kind_hangs(game, game.version))
            continue
        session = session_for(GameUnit(game, fold, programs[game.pk] | fold.taken_over, log), game.attempt)
        start_sandboxes(session, uploads.get(game.pk, {}))
        if lost:
            session.take([[ev.ATTEMPT, game.attempt, "worker_lost"]])
        if session.sandboxed_bots:
            record_sandboxes(session)
        sessions.append(session)
    return sessions


def session_for(unit: GameUnit, attempt: int) -> GameSession:
    """Return a game ready to be played in `attempt`."""
    unit.attempt = attempt
    game, fold = unit.game, unit.fold
    waited = (clock.now() - game.moved_at).total_seconds()
    due = time.monotonic() + max(0.0, min_move_seconds(game) - waited)
    bundles = beats.pending_bundles(game, fold) if fold.pace == BEATS else []
    return GameSession(attempt, unit, SeedDealer(bytes(game.deal.seed)), due, bundles=bundles)


def min_move_seconds(game: Game) -> float:
    """Return how many seconds a built-in bot's move takes at least, for games that people watch.

    People who race with it need a moment to react.
    """
    seconds = float(game.terms["bot_pace_ms"]) / 1000
    racing = game.terms.get("pace") == LIVE and not game.played_by_workers
    return max(seconds, REACTION_SECONDS) if racing else seconds


def chunk_of(sessions: Sequence[GameSession], until: float) -> Chunk:
    """Return the next chunk of these games, which ends before `until`.

    Watchers of paced games and of bots that think see each move within `CHUNK_SECONDS`. Other games are over so quickly
    that this is a time of the processor. By the clock, a busy machine would store few events in each transaction.
    """
    now = time.monotonic()
    if any(session.sandboxed_bots or min_move_seconds(session.game) for session in sessions):
        return Chunk(min(until, now + CHUNK_SECONDS))
    return Chunk(min(until, now + MAX_CHUNK_SECONDS), time.thread_time() + CHUNK_SECONDS)


def play_chunk(sessions: Sequence[GameSession], chunk: Chunk) -> None:
    """Play the games, the first due first, until the chunk is over or until something must be stored at once."""
    going = [session for session in sessions if session.seat is not None]
    while going:
        session = min(going, key=lambda each: each.due)
        if chunk.is_over():
            return
        now = time.monotonic()
        if session.due > now:
            time.sleep(max(0.0, min(session.due, chunk.until) - now))
            continue
        with log_context.bound_log_context(game=session.game.public_id):
            play_on(session, chunk)
        if isinstance(session.failure, KindHangs):
            for other in going:
                if other.game.kind == session.game.kind:
                    other.failure = session.failure
            going = [other for other in going if not other.failure]
            continue
        if not session.game.played_by_workers:
            return
        if session.seat is None:
            going.remove(session)
        if session.sandboxed_bots:
            session.due = time.monotonic()  # the others come first now


def play_on(session: GameSession, chunk: Chunk) -> None:
    """Play one game to its end or to that of the chunk; only one move or beat if it is paced or has people."""
    try:
        with step_limit(STEP_SECONDS):  # set once: all moves but the last together take no longer than a chunk
            play_moves(session, chunk)
    except NeverEnds:
        session.failure = kind_hangs(session.game, session.unit.fold.version)
    except BotFailed as failure:
        # The exception's text may name cards, so it is only in the incident, for admins.
        logger.error("Game %s cannot continue: %s. See its incident.", session.game.public_id, failure.cause)
        session.failure = failure


def play_moves(session: GameSession, chunk: Chunk) -> None:
    """Do what `play_on` does. Raises `BotFailed`."""
    wait = min_move_seconds(session.game)
    play = PLAY_BY_PACE[session.unit.fold.pace]
    seat = session.seat
    while seat is not None:
        play(session, seat, wait)
        seat = session.seat  # asked here, where rules that never end are stopped
        if not session.game.played_by_workers or session.answers or chunk.is_over() or session.due > time.monotonic():
            return


def play_turn(session: GameSession, seat: int, wait: float) -> None:
    """Let `seat` move or pass. Raises `BotFailed`."""
    if events := decide_move(session, seat):
        session.take(events)
        if wait:
            session.due = time.monotonic() + wait


def play_beat(session: GameSession, _seat: int, wait: float) -> None:
    """Take the next beat with the bundles given and those of the built-in bots. Raises `BotFailed`."""
    unit = session.unit
    bundles: dict[int, list[str]] = {bundle.seat: bundle.moves for bundle in session.bundles}
    charges = ask_bundles(session, bundles) if session.sandboxed_bots else []
    if charges is None or unit.fold.outcome():
        return
    for seat in unit.fold.to_act():
        if seat in unit.programs and seat not in bundles:
            try:
                bundles[seat] = requests.bundle(unit.fold, seat, builtin_program(session, seat), session.dealer.seed)
            except Exception as error:
                raise bot_failed(session, seat, error) from error
    charges += play_services.bank_charges(unit, clock.now())
    unit.bundles, session.bundles = session.bundles, []
    session.take([*charges, *beat_events(unit.fold, bundles, session.dealer)])
    if wait:
        session.due = time.monotonic() + wait


def play_live(session: GameSession, seat: int, wait: float) -> None:
    """Let `seat` move, pass or wait, and then rest, as do seats whose turn has just begun. Raises `BotFailed`."""
    before = session.unit.fold.awaited()
    if events := decide_move(session, seat):
        session.take(events)
    until = time.monotonic() + wait
    for each in [seat, *set(session.unit.fold.awaited()).difference(before)]:
        session.paused_until[each] = max(until, session.paused_until.get(each, 0.0))
    following = session.seat
    session.due = 0.0 if following is None else session.paused_until.get(following, 0.0)


PLAY_BY_PACE: Final = {TURNS: play_turn, BEATS: play_beat, LIVE: play_live}


def decide_move(session: GameSession, seat: int) -> list[Event]:
    """Return the events of the move that the bot in `seat` wants; none if it passes or waits. Raises `BotFailed`."""
    if seat in session.sandboxed_bots:
        events = decide_uploaded_bot(session, seat)
        if not events:
            session.passed.add(seat)
        return events
    unit, fold = session.unit, session.unit.fold
    rules, state = fold.rules, fold.state
    try:
        action = requests.action(fold, seat, builtin_program(session, seat), session.dealer.seed)
        if fold.pace == LIVE and (
            wait := live_pace.wait_ms(session.game, unit.grown_log, fold, seat, action, clock.now())
        ):
            session.paused_until[seat] = time.monotonic() + wait / 1000
            return []
        events = rules.decide(state, seat, action, session.dealer)
    except Exception as error:
        raise bot_failed(session, seat, error) from error
    if not events:
        session.passed.add(seat)
    return events


def builtin_program(session: GameSession, seat: int) -> str:
    """Return the built-in bot that moves in `seat`.

    An author waits for a trial, so there the searching bot searches in the first seconds of a game only. Then another
    bot plays, which answers at once.
    """
    program, game = session.unit.programs[seat], session.game
    searches = game.trial_id is not None and program == SEARCHING_BOT
    late = searches and (clock.now() - game.opened_at).total_seconds() > TRIAL_SEARCH_SECONDS
    return quick_bot(game.kind) if late else program


def bot_failed(session: GameSession, seat: int, error: Exception) -> BotFailed:
    """Return what becomes of the game because of `error`, which is being handled."""
    cause = Incident.Cause.ILLEGAL_MOVE if isinstance(error, requests.NoLegalMove) else Incident.Cause.BOT_CRASHED
    bot, version = session.unit.programs[seat], session.unit.fold.version
    return BotFailed(incidents.built_in_bot_failed(bot, seat, version), cause, traceback.format_exc())


def kind_hangs(game: Game, version: int) -> KindHangs:
    """Return what becomes of a game whose rules were stopped by the exception that is being handled."""
    logger.error("The rules of %s do not come to an end in game %s. See its incident.", game.kind, game.public_id)
    sentence = incidents.rules_hang(game.kind, STEP_SECONDS, version, game.public_id)
    return KindHangs(game, sentence, traceback.format_exc())


def park_kind(hang: KindHangs) -> None:
    """Leave all games of a kind alone."""
    leases.park_kind(hang.game, hang.sentence, hang.detail)


def store_sessions(sessions: Sequence[GameSession]) -> list[GameSession]:
    """Store what was played, and return the sessions that still belong to this worker.

    If somebody else came first (an abort, a leaver), the game is folded again and its unstored moves are dropped. If
    the lease is lost, the game is dropped.
    """
    units = [session.unit for session in sessions if session.unstored]
    overtaken: set[GameUnit] = set()
    while units:
        try:
            unit_of_work.commit(units, clock.now())
            break
        except ConcurrentAppend as conflict:
            overtaken.update(conflict.units)
            units = [unit for unit in units if unit not in overtaken]
    kept = []
    for session in sessions:
        try:
            kept.append(reload_after_conflict(session) if session.unit in overtaken else session)
        except leases.LeaseLost as lost:
            session.close()
            with log_context.bound_log_context(game=session.game.public_id):
                logger.warning("lease_lost: %s", lost.sentence)
    for session in kept:
        if session.unstored:
            session.unit = unit_after(session.unit)
    return kept


def unit_after(unit: GameUnit) -> GameUnit:
    """Return an empty unit that follows a stored one. Nobody reads the log of a game that is over, so it stays as it
    was."""
    if unit.fold.outcome() is None:
        return unit.following()
    return GameUnit(unit.game, unit.fold, unit.programs, unit.log, attempt=unit.attempt)


def reload_after_conflict(session: GameSession) -> GameSession:
    """Return the game as it is after somebody else came first. Raises `LeaseLost`."""
    try:
        unit = play_services.begin_unit(session.game)
    except DomainError as over:
        raise leases.LeaseLost(session.game, session.attempt) from over
    if session.game.attempt != session.attempt:
        raise leases.LeaseLost(session.game, session.attempt)
    session.close()  # its bots may have been told events that were dropped
    session.store_times()
    again = session_for(unit, session.attempt)
    start_sandboxes(again, session.versions)
    return again


# What is left of each session, and its result, is a condition of its own.
def release_sessions(sessions: Sequence[GameSession]) -> None:
    """Release games that go on without this worker, and report those at which a bot failed."""
    for session in sessions:
        session.release_game()
    try:
        for session in sessions:
            if session.versions:
                session.store_times()
                if not session.unit.events:  # otherwise they belong to the events, which were not stored
                    faults.store_faults(session.unit.faults)
            if session.failure and not isinstance(session.failure, KindHangs):
                sentence = incidents.game_stopped(session.game.public_id, session.failure.sentence)
                leases.fail(session.game, session.attempt, session.failure.cause, sentence, session.failure.detail)
        for hang in {session.failure for session in sessions if isinstance(session.failure, KindHangs)}:
            park_kind(hang)
        # A game that is over only here, because its end could not be stored, is played to its end again.
        going = [
            session
            for session in sessions
            if not session.failure and (session.unit.events or not session.unit.fold.outcome())
        ]
        for session in going:
            if session.passed and session.seat is None:
                leases.rest(session.game, session.attempt, session.unit.fold.version)
        leases.release_leases({session.game.pk: session.attempt for session in going})
    except Error:
        logger.warning("Leases could not be released now. This is tried again.", exc_info=True)
        leases.remember_unreleased({session.game.pk: session.attempt for session in sessions})
        connection.close()
