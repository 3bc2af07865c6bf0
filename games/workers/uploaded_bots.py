"""Asks the uploaded bots of a game in a worker's hands, and sees to it where one fails (`games.play.faults`)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db.models import Count, Sum
from django.utils.translation import gettext as _

from games import sandbox
from games.common.models import Incident
from games.engines.base import Event
from games.gamelog import events as ev
from games.models import BotVersion, Game, Seat
from games.play import faults
from games.play.departures import FORFEITED, leave_events
from games.play.models import Fault
from games.programs.conversation import seed_for
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

MAX_SECONDS_PER_BEAT: Final = 1.0  # of asking for one beat; then the worker turns to its other games first
MAX_SLOW_ROUNDS: Final = 4  # times in a row that all bots of a game may be too slow


def versions_in(games: Sequence[Game]) -> dict[int, dict[int, BotVersion]]:
    """Game → seat → the uploaded version that sits there."""
    found: dict[int, dict[int, BotVersion]] = {game.pk: {} for game in games}
    seats = Seat.objects.filter(game__in=games, player__bot_version__transport=BotVersion.Transport.UPLOAD)
    for seat in seats.select_related("player__bot_version__bot", "player__bot_version__stored_source") if games else ():
        version = seat.player.bot_version
        assert version is not None, "The filter selects rows with a version."
        found[seat.game_id][seat.seat] = version
    return found


def start_sandboxes(hand: GameSession, versions: dict[int, BotVersion]) -> None:
    """Give the uploaded bots of a game their sandboxes, which start when they are asked."""
    hand.versions = versions
    if not versions:
        hand.sandboxed_bots = {}
        return
    game, fold = hand.game, hand.step.fold
    seed, salt = bytes(game.deal.seed), bytes(game.salt)
    used, ends = processor_used(game), ends_of(game)
    most_ends = faults.max_faults(fold)
    hand.sandboxed_bots = {}
    for seat, version in versions.items():
        if seat not in fold.left:
            made = kept_processes.take_process(game.public_id, seat, fold.version)
            made = made or SandboxedBot(version.source.encode(), seat, seed_for(seed, salt, seat))
            made.begin(used.get(seat, 0), ends.get(seat, 0), most_ends)
            hand.sandboxed_bots[seat] = made


def processor_used(game: Game) -> Mapping[int, int]:
    """Seat → the milliseconds that its bot has used in the game so far, whichever worker had it."""
    return dict(BotResponseTimes.objects.filter(game=game).values_list("seat").annotate(Sum("cpu_ms")).order_by())


def ends_of(game: Game) -> Mapping[int, int]:
    """Seat → how often its bot's process has ended in the game through the bot's own fault."""
    ended = Fault.objects.filter(game=game, kind__in=ENDING_REASONS).order_by()
    return dict(ended.values_list("seat").annotate(Count("pk")))


def record_sandboxes(hand: GameSession) -> None:
    """Write down by what the bots are held, and let those go whose version plays no more."""
    tier = sandbox.tier()
    if hand.step.fold.sandboxed != [tier.name, tier.policy_hash]:
        hand.take([[ev.SANDBOXED, tier.name, tier.policy_hash]])
    for seat in sorted(hand.sandboxed_bots):
        if hand.game.trial_id is None and not hand.versions[seat].may_play and hand.step.fold.outcome() is None:
            hand.take(leave_events(hand.step.fold, seat, FORFEITED, hand.step.programs))


def ask_bundles(hand: GameSession, bundles: dict[int, list[str]]) -> list[Event] | None:
    """Ask the uploaded bots for their bundles, one after the other, and put them into `bundles`; what a fault costs is
    taken at once. The events of what it cost their banks; None if the time was over before all had been asked, and what
    has been said waits in the hand. Raises `BotFailed`."""
    seats = [seat for seat in hand.step.fold.to_act() if seat in hand.sandboxed_bots]
    until = time.monotonic() + MAX_SECONDS_PER_BEAT
    for seat in seats:
        if seat not in hand.answers:
            hand.answers[seat] = ask_bundle_of(hand, seat)
            if time.monotonic() >= until and len(hand.answers) < len(seats):
                return None
    answers, hand.answers = hand.answers, {}
    return events_of_answers(hand, answers, bundles)


def ask_bundle_of(hand: GameSession, seat: int) -> Choice | Failure:
    """What the bot of `seat` says to the next beat."""
    try:
        return hand.sandboxed_bots[seat].choose(hand.step.fold, hand.entries)
    except Failure as failure:
        return failure


def events_of_answers(
    hand: GameSession, answers: Mapping[int, Choice | Failure], bundles: dict[int, list[str]]
) -> list[Event]:
    """What all answers to a beat come to, see `ask_bundles`."""
    failures = {seat: answer for seat, answer in answers.items() if isinstance(answer, Failure)}
    choices = {seat: answer for seat, answer in answers.items() if isinstance(answer, Choice)}
    if all_slow(hand.game, sum(was_kept_waiting(each) for each in failures.values()), len(answers)):
        seat = next(iter(failures))
        raise stalled(hand, seat, failures[seat], why_all(failures.values()))
    bundles.update((seat, choice.moves) for seat, choice in choices.items())
    for seat, failed_so in failures.items():
        if hand.step.fold.outcome() is None:
            bundles.update(suffer_in_beat(hand, seat, failed_so))
    return [charge for seat, choice in choices.items() for charge in charges_of(seat, choice)]


def charges_of(seat: int, said: Choice | Failure) -> list[Event]:
    """What an answer, or a fault in its place, costs the bank of `seat`."""
    return [[ev.CHARGED, seat, said.charged_ms]] if said.charged_ms else []


def all_slow(game: Game, slow: int, seats: int) -> bool:
    """Whether it was the machine, if `slow` of the `seats` that uploaded bots play took too long at the same time and
    had little of the processor.

    Where that happens time and again, after rests and on other machines, it was not: a game does not wait for ever for
    bots that never answer.
    """
    return 1 < seats == slow and game.failures < MAX_SLOW_ROUNDS


def was_kept_waiting(failure: Failure) -> bool:
    """Whether the bot took too long without computing for most of the time: that may be the machine's fault."""
    evidence = failure.evidence
    if printed_too_much(evidence):
        return False
    return failure.kind in SLOW_REASONS and 2 * evidence.get("cpu_ms", 0) < evidence.get("limit", 0)


def why_all(failures: Iterable[Failure]) -> str:
    """That all bots of a game were too slow, with what was measured."""
    found = list(failures)
    most = max(each.evidence.get("cpu_ms", 0) for each in found)
    sentence = _(
        "all {n} uploaded bots of the game took too long at the same time; none computed for more than {ms} ms."
    )
    return sentence.format(n=len(found), ms=round(most))


def why(seat: int, evidence: Mapping[str, Any]) -> str:
    """For what the platform's fault is held, as the end of a sentence. People count seats from 1."""
    if "reason" in evidence:
        return str(evidence["reason"])
    if evidence.get("at") == "lock":
        return _("the sandbox of the bot in seat {seat} was not ready in time.").format(seat=seat + 1)
    sentence = _(
        "the machine kept the bot in seat {seat} waiting for {waited} ms, in which the bot computed for {cpu} "
        "ms of its {limit} ms."
    )
    waited, cpu, limit = (round(evidence.get(name, 0)) for name in ("waited_ms", "cpu_ms", "wall_limit_ms"))
    return sentence.format(seat=seat + 1, waited=waited, cpu=cpu, limit=limit)


def suffer_in_beat(hand: GameSession, seat: int, failure: Failure) -> dict[int, list[str]]:
    """What a fault in beats comes to: it is told, and a bundle drawn by lot given; or the seat is forfeited."""
    fold = hand.step.fold
    cost = record_fault(hand, seat, failure)
    if cost == Fault.Cost.FORFEIT:
        hand.take(
            [
                *charges_of(seat, failure),
                [ev.FAULT, seat, failure.kind],
                *leave_events(fold, seat, FORFEITED, hand.step.programs),
            ]
        )
        return {}
    bundle = faults.bundle_of(fold, seat, cost, hand.dealer)
    if cost == Fault.Cost.RANDOM_MOVE:
        hand.take([*charges_of(seat, failure), [ev.FAULT, seat, failure.kind]])
    return {seat: bundle}


def record_fault(hand: GameSession, seat: int, failure: Failure) -> str:
    """Keep what a fault's author needs to see, to be stored with the events, and return what it costs.

    Raises `BotFailed` where it is the platform's.
    """
    if failure.kind == INFRASTRUCTURE:
        raise stalled(hand, seat, failure)
    cost = faults.fault_cost(hand.step.fold, seat, failure.kind)
    hand.step.faults.append(fault_row(hand, seat, failure, failure.kind, cost, str(failure)))
    return cost


def fault_row(hand: GameSession, seat: int, failure: Failure, kind: str, cost: str, sentence: str) -> Fault:
    """The row of a fault where the game stands."""
    version, position = hand.versions[seat], hand.step.fold.version
    return faults.row(
        version,
        kind,
        sentence,
        failure.evidence,
        failure.stderr,
        game=hand.game,
        seat=seat,
        position=position,
        cost=cost,
    )


def stalled(hand: GameSession, seat: int, failure: Failure, reason: str = "") -> BotFailed:
    """What became of the game because the platform failed under its bots: nobody is to blame. The author is told of it
    once a game."""
    reason = reason or why(seat, failure.evidence)
    sentence = _("The platform failed, not the bot: {reason} The game continues from this point.")
    sentence = sentence.format(reason=reason)
    row = fault_row(hand, seat, failure, INFRASTRUCTURE, Fault.Cost.NONE, sentence)
    row.stderr = ""
    if not Fault.objects.filter(game=hand.game, seat=seat, kind=INFRASTRUCTURE).exists():
        hand.step.faults.append(row)
    text = _("The sandbox failed at event {n}: {reason}").format(n=hand.step.fold.version, reason=reason)
    return BotFailed(text, Incident.Cause.INFRASTRUCTURE, str(failure.evidence))


def decide_uploaded_bot(hand: GameSession, seat: int) -> list[Event]:
    """The events of what the uploaded bot in `seat` does, or of what its fault costs. Raises `BotFailed`."""
    step, fold = hand.step, hand.step.fold
    try:
        choice = hand.sandboxed_bots[seat].choose(fold, hand.entries)
        action = fold.rules.parse_move(fold.state, choice.moves[0])
        events = fold.rules.decide(fold.state, seat, action, hand.dealer)
        hand.slow.pop(seat, None)
        return [*charges_of(seat, choice), *events] if events else []
    except Failure as failure:
        if was_kept_waiting(failure):
            hand.slow[seat] = failure
            if all_slow(hand.game, len(hand.slow), len(hand.sandboxed_bots)):
                reason = why_all(hand.slow.values())
                hand.slow.clear()
                raise stalled(hand, seat, failure, reason) from failure
        record_fault(hand, seat, failure)
        suffered = faults.fault_events(fold, seat, failure.kind, step.programs, hand.dealer)
        return [*charges_of(seat, failure), *suffered] if suffered else []
