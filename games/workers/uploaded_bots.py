"""Asks the uploaded bots of a game in a worker, and handles their faults (`games.play.faults`)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db.models import Count, Sum

from games import sandbox
from games.common.incidents import sandbox_failed
from games.common.models import Incident
from games.models import BotVersion, Game, Seat
from games.play import faults
from games.play.departures import FORFEITED, leave_events
from games.play.fault_sentences import (
    all_bots_too_slow,
    machine_kept_waiting,
    platform_failed_in_game,
    sandbox_not_ready,
)
from games.play.models import Fault
from games.workers import kept_processes
from games.workers.models import BotResponseTimes
from games.workers.sandboxed_bot import (
    ENDING_REASONS,
    INFRASTRUCTURE,
    SLOW_REASONS,
    Choice,
    Failure,
    SandboxedBot,
    printed_too_much,
)
from games.workers.session import BotFailed, GameSession
from scorebook_games.bots.conversation import seed_for
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.presentation.coded_text import Sentence

MAX_SECONDS_PER_BEAT: Final = 1.0  # of asking for one beat; then the worker turns to its other games first
MAX_SLOW_ROUNDS: Final = 4  # times in a row that all bots of a game may be too slow


def versions_in(games: Sequence[Game]) -> dict[int, dict[int, BotVersion]]:
    """Return by game and seat the uploaded version that sits there."""
    found: dict[int, dict[int, BotVersion]] = {game.pk: {} for game in games}
    seats = Seat.objects.filter(game__in=games, player__bot_version__transport=BotVersion.Transport.UPLOAD)
    for seat in seats.select_related("player__bot_version__bot", "player__bot_version__stored_source") if games else ():
        version = seat.player.bot_version
        assert version is not None, "The filter selects rows with a version."
        found[seat.game_id][seat.seat] = version
    return found


def start_sandboxes(session: GameSession, versions: dict[int, BotVersion]) -> None:
    """Give the uploaded bots of a game their sandboxes, which start when they are asked."""
    session.versions = versions
    if not versions:
        session.sandboxed_bots = {}
        return
    game, fold = session.game, session.unit.fold
    seed, salt = bytes(game.deal.seed), bytes(game.salt)
    used, ends = processor_used(game), ends_of(game)
    most_ends = faults.max_faults(fold)
    session.sandboxed_bots = {}
    for seat, version in versions.items():
        if seat not in fold.left:
            made = kept_processes.take_process(game.public_id, seat, fold.version)
            made = made or SandboxedBot(version.source.encode(), seat, seed_for(seed, salt, seat))
            made.begin(used.get(seat, 0), ends.get(seat, 0), most_ends)
            session.sandboxed_bots[seat] = made


def processor_used(game: Game) -> Mapping[int, int]:
    """Return by seat the ms of processor time that its bot has used in the game so far, in all workers."""
    return dict(BotResponseTimes.objects.filter(game=game).values_list("seat").annotate(Sum("cpu_ms")).order_by())


def ends_of(game: Game) -> Mapping[int, int]:
    """Return by seat how often its bot's process has ended in the game through the bot's own fault."""
    ended = Fault.objects.filter(game=game, kind__in=ENDING_REASONS).order_by()
    return dict(ended.values_list("seat").annotate(Count("pk")))


def record_sandboxes(session: GameSession) -> None:
    """Record the sandbox of the bots, and let go of bots whose version may no longer play."""
    tier = sandbox.tier()
    if session.unit.fold.sandboxed != [tier.name, tier.policy_hash]:
        session.take([[ev.SANDBOXED, tier.name, tier.policy_hash]])
    for seat in sorted(session.sandboxed_bots):
        if (
            session.game.trial_id is None
            and not session.versions[seat].may_play
            and session.unit.fold.outcome() is None
        ):
            session.take(leave_events(session.unit.fold, seat, FORFEITED, session.unit.programs))


def ask_bundles(session: GameSession, bundles: dict[int, list[str]]) -> list[Event] | None:
    """Ask the uploaded bots for their bundles, one after the other, and put them into `bundles`.

    A fault's cost is applied at once. Returns the events that charge their banks, or None if the time was used up
    before all had been asked; then the session keeps the answers. Raises `BotFailed`.
    """
    seats = [seat for seat in session.unit.fold.to_act() if seat in session.sandboxed_bots]
    until = time.monotonic() + MAX_SECONDS_PER_BEAT
    for seat in seats:
        if seat not in session.answers:
            session.answers[seat] = ask_bundle_of(session, seat)
            if time.monotonic() >= until and len(session.answers) < len(seats):
                return None
    answers, session.answers = session.answers, {}
    return events_of_answers(session, answers, bundles)


def ask_bundle_of(session: GameSession, seat: int) -> Choice | Failure:
    """Return what the bot of `seat` answers for the next beat."""
    try:
        return session.sandboxed_bots[seat].choose(session.unit.fold, session.entries)
    except Failure as failure:
        return failure


def events_of_answers(
    session: GameSession, answers: Mapping[int, Choice | Failure], bundles: dict[int, list[str]]
) -> list[Event]:
    """Return the events of all answers; see `ask_bundles`."""
    failures = {seat: answer for seat, answer in answers.items() if isinstance(answer, Failure)}
    choices = {seat: answer for seat, answer in answers.items() if isinstance(answer, Choice)}
    if all_slow(session.game, sum(was_kept_waiting(failure) for failure in failures.values()), len(answers)):
        seat = next(iter(failures))
        raise stalled(session, seat, failures[seat], why_all(failures.values()))
    bundles.update((seat, choice.moves) for seat, choice in choices.items())
    for seat, failed_so in failures.items():
        if session.unit.fold.outcome() is None:
            bundles.update(suffer_in_beat(session, seat, failed_so))
    return [charge for seat, choice in choices.items() for charge in charges_of(seat, choice)]


def charges_of(seat: int, sentence: Choice | Failure) -> list[Event]:
    """Return what an answer, or a fault in its place, costs the bank of `seat`."""
    return [[ev.CHARGED, seat, sentence.charged_ms]] if sentence.charged_ms else []


def all_slow(game: Game, slow: int, seats: int) -> bool:
    """Return whether the machine was too slow, if `slow` of the `seats` with uploaded bots took too long at the same
    time.

    Those bots must have had little processor time. If it happens again and again, after rests and on other machines, it
    was not the machine: a game does not wait for ever for bots that never answer.
    """
    return 1 < seats == slow and game.failures < MAX_SLOW_ROUNDS


def was_kept_waiting(failure: Failure) -> bool:
    """Return whether the bot took too long without computing most of the time, which may be the machine's fault."""
    evidence = failure.evidence
    if printed_too_much(evidence):
        return False
    return failure.kind in SLOW_REASONS and 2 * evidence.get("cpu_ms", 0) < evidence.get("limit", 0)


def why_all(failures: Iterable[Failure]) -> Sentence:
    """Return the sentence that all bots of a game were too slow, with the measurements."""
    found = list(failures)
    cpu_ms = max(each.evidence.get("cpu_ms", 0) for each in found)
    return all_bots_too_slow(len(found), round(cpu_ms))


def why(seat: int, evidence: Mapping[str, Any]) -> Sentence | str:
    """Return what the platform is held responsible for, as the end of a sentence."""
    if "reason" in evidence:
        return str(evidence["reason"])
    if evidence.get("at") == "lock":
        return sandbox_not_ready(seat)
    waited, cpu, limit = (round(evidence.get(name, 0)) for name in ("waited_ms", "cpu_ms", "wall_limit_ms"))
    return machine_kept_waiting(seat, waited, cpu, limit)


def suffer_in_beat(session: GameSession, seat: int, failure: Failure) -> dict[int, list[str]]:
    """Handle a fault in beats: record it, and give a random bundle or forfeit the seat."""
    fold = session.unit.fold
    cost = record_fault(session, seat, failure)
    if cost == Fault.Cost.FORFEIT:
        session.take(
            [
                *charges_of(seat, failure),
                [ev.FAULT, seat, failure.kind],
                *leave_events(fold, seat, FORFEITED, session.unit.programs),
            ]
        )
        return {}
    bundle = faults.bundle_of(fold, seat, cost, session.dealer)
    if cost == Fault.Cost.RANDOM_MOVE:
        session.take([*charges_of(seat, failure), [ev.FAULT, seat, failure.kind]])
    return {seat: bundle}


def record_fault(session: GameSession, seat: int, failure: Failure) -> str:
    """Keep what a fault's author needs to see, to be stored with the events, and return its cost.

    Raises `BotFailed` if the fault is the platform's.
    """
    if failure.kind == INFRASTRUCTURE:
        raise stalled(session, seat, failure)
    cost = faults.fault_cost(session.unit.fold, seat, failure.kind)
    session.unit.faults.append(fault_row(session, seat, failure, failure.kind, cost, failure.sentences))
    return cost


def fault_row(
    session: GameSession, seat: int, failure: Failure, kind: str, cost: str, sentences: Sequence[Sentence]
) -> Fault:
    """Return the row of a fault at the game's present version."""
    version, position = session.versions[seat], session.unit.fold.version
    return faults.row(
        version,
        kind,
        sentences,
        failure.evidence,
        failure.stderr,
        game=session.game,
        seat=seat,
        position=position,
        cost=cost,
    )


def stalled(session: GameSession, seat: int, failure: Failure, reason: Sentence | None = None) -> BotFailed:
    """Return what becomes of the game because the platform failed under its bots. Nobody is to blame.

    The author is notified once for each game.
    """
    blamed = reason or why(seat, failure.evidence)
    row = fault_row(session, seat, failure, INFRASTRUCTURE, Fault.Cost.NONE, [platform_failed_in_game(blamed)])
    row.stderr = ""
    if not Fault.objects.filter(game=session.game, seat=seat, kind=INFRASTRUCTURE).exists():
        session.unit.faults.append(row)
    sentence = sandbox_failed(session.unit.fold.version, blamed)
    return BotFailed(sentence, Incident.Cause.INFRASTRUCTURE, str(failure.evidence))


def decide_uploaded_bot(session: GameSession, seat: int) -> list[Event]:
    """Return the events of the uploaded bot's move in `seat`, or of its fault's cost. Raises `BotFailed`."""
    unit, fold = session.unit, session.unit.fold
    try:
        choice = session.sandboxed_bots[seat].choose(fold, session.entries)
        action = fold.rules.parse_move(fold.state, choice.moves[0])
        events = fold.rules.decide(fold.state, seat, action, session.dealer)
        session.slow.pop(seat, None)
        return [*charges_of(seat, choice), *events] if events else []
    except Failure as failure:
        if was_kept_waiting(failure):
            session.slow[seat] = failure
            if all_slow(session.game, len(session.slow), len(session.sandboxed_bots)):
                reason = why_all(session.slow.values())
                session.slow.clear()
                raise stalled(session, seat, failure, reason) from failure
        record_fault(session, seat, failure)
        suffered = faults.fault_events(fold, seat, failure.kind, unit.programs, session.dealer)
        return [*charges_of(seat, failure), *suffered] if suffered else []
