"""The sentences of incidents: what went wrong with a game or the platform, for admins.

Times are in ISO 8601, seats are numbered from 0, and events are versions of a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scorebook_games.presentation.coded_text import Sentence, sentence
from scorebook_games.registry import KINDS

# Games


@sentence
def game_aborted(game: str, reason: str | Sentence) -> str:
    """`reason`: as an admin wrote it, or why a season's games ended."""
    return _("Game {game} was aborted: {reason}").format(game=game, reason=reason)


@sentence
def built_in_bot_failed(bot: str, seat: int, event: int) -> str:
    words = _("The built-in bot {bot} in seat {seat} failed at event {n}.")
    return words.format(bot=bot, seat=seat + 1, n=event)


@sentence
def sandbox_failed(event: int, reason: str | Sentence) -> str:
    return _("The sandbox failed at event {n}: {reason}").format(n=event, reason=reason)


@sentence
def rules_hang(kind: str, seconds: float, event: int, game: str) -> str:
    title = KINDS[kind].spec.title if kind in KINDS else kind
    words = _("The rules of {kind} ran for more than {seconds} s at event {n} of game {game}.")
    return words.format(kind=title, seconds=f"{seconds:g}", n=event, game=game)


@sentence
def rules_hang_in_web(kind: str, seconds: float) -> str:
    words = _(
        "The rules of {kind} did not come to an end within {seconds} s in a web process. It leaves all games of this "
        "kind alone until it is started again."
    )
    return words.format(kind=kind, seconds=f"{seconds:g}")


@sentence
def game_stopped(game: str, why: Sentence) -> str:
    return _("{why} Game {game} has stopped.").format(why=why, game=game)


@sentence
def next_attempt(pause: int) -> str:
    """`pause`: in seconds."""
    return _("The next attempt is in {pause} s.").format(pause=pause)


@sentence
def game_waits_for_admin() -> str:
    return _("The game waits for an admin.")


@sentence
def games_wait_for_admin(games: int) -> str:
    words = ngettext("{n} game of this kind waits for an admin.", "{n} games of this kind wait for an admin.", games)
    return words.format(n=games)


# Workers


@sentence
def worker_lost(lost: str, event: int, game: str, seats: Sequence[int], worker: str, attempt: int) -> str:
    """`seats`: those that had the move; `worker`: who continues."""
    words = _(
        "Worker {lost} was lost at event {n} of game {game}, when {seats} had the move. Worker {worker} continues "
        "(attempt {attempt})."
    )
    named = _(" and ").join(_("seat {seat}").format(seat=seat + 1) for seat in seats)
    return words.format(lost=lost, n=event, game=game, seats=named, worker=worker, attempt=attempt)


@sentence
def worker_silent(worker: str, since: str) -> str:
    return _("Worker {worker} has not reported since {time} UTC.").format(worker=worker, time=_time(since))


# The platform


@sentence
def database_disk_full(at: str) -> str:
    words = _("The database’s disk was full at {time} UTC and refused a write. No partial data was stored.")
    return words.format(time=_time(at))


@sentence
def part_was_down(part: str, start: str, end: str) -> str:
    words = _("The part {part} was down from {start} to {end} UTC. Clocks were stopped for that time.")
    return words.format(part=part, start=_time(start), end=_time(end))


@sentence
def clock_jumped_forward(seconds: int) -> str:
    return _("The system clock jumped forward by {seconds} s. No player loses time.").format(seconds=seconds)


@sentence
def clock_jumped_back(seconds: int) -> str:
    return _("The system clock jumped back by {seconds} s. Every player gains that time.").format(seconds=seconds)


def _time(moment: str) -> str:
    return f"{datetime.fromisoformat(moment):%H:%M:%S}"
