"""Why a game or trial that nobody plays now waits: as a code, to be counted, and as a sentence."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final

from django.db.models import Case, Q, Value, When
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.common import clock
from games.models import Game, Trial
from games.workers import leases
from games.workers.models import Worker
from scorebook_games.registry import KINDS

WORKER_LOST_AFTER = timedelta(seconds=30)  # a worker that has not reported for this long counts as lost
RECENT = timedelta(minutes=5)
REQUIRED_TIER = "A"  # of the sandbox that uploaded bots need

# What games wait for; the first that fits counts: (code, which games, in words).
WAIT_REASONS: Final[tuple[tuple[str, str | Promise], ...]] = (
    ("retry", gettext_lazy("Waiting for the next attempt after a failure")),
    ("lost", gettext_lazy("Interrupted; it continues automatically within a minute")),
    ("start", gettext_lazy("Waiting for check-in or the start time")),
    ("person", gettext_lazy("Waiting for a person’s move")),
    ("trial", gettext_lazy("Waiting for the turn of its admission or comparison")),
    ("sandbox", gettext_lazy("Waiting for the turn of an uploaded bot")),
    ("worker", gettext_lazy("Waiting for a free worker")),
)


def wait_reason(now: datetime) -> Case:
    """Return what a game waits for, as an expression with a code of `WAIT_REASONS`."""
    return Case(
        When(failures__gt=0, then=Value("retry")),
        When(Q(leased_until__lte=now) & ~Q(leased_by=""), then=Value("lost")),
        When(begins_at__isnull=False, then=Value("start")),
        When(awaits_worker=False, then=Value("person")),
        When(sandboxed=True, trial__isnull=False, then=Value("trial")),
        When(sandboxed=True, then=Value("sandbox")),
        default=Value("worker"),
    )


class SharedFacts:
    """What several reasons need to know, looked up once."""

    @cached_property
    def sandboxes(self) -> str:
        """Return `why_sandboxes_wait`."""
        return why_sandboxes_wait()

    @cached_property
    def played(self) -> int:
        """Return how many games of uploaded bots were played in the last minutes."""
        return played_lately()


def why_in_full(game: Game, now: datetime, known: SharedFacts) -> str:
    """Return `why_not_played`, with the trial that a game belongs to."""
    why = why_not_played(game, now, known)
    if game.trial is None:
        return why
    return _("{why} The game belongs to the {trial}.").format(why=why, trial=game.trial.title)


# Each branch is one reason.
def why_not_played(game: Game, now: datetime, known: SharedFacts | None = None) -> str:
    """Return what a game waits for that nobody plays now."""
    known = known or SharedFacts()
    if game.failures == leases.PARKED:
        return _(
            "The rules of {kind} did not come to an end in a game, so workers leave the games of this kind alone. Mend "
            "its package, then start each game again."
        ).format(kind=KINDS[game.kind].spec.title)
    if game.failures:
        failed = ngettext(
            "The game failed once at event {n};", "The game failed {times} times at event {n};", game.failures
        )
        failed = failed.format(times=game.failures, n=game.version)
        if game.failures >= leases.MAX_FAILED_CLAIMS:
            return f"{failed} {_('an admin must start it again.')}"
        return f"{failed} {_next_try(game.retry_at, now)}"
    if game.leased_until and game.leased_until <= now and game.leased_by:
        sentence = _("Worker {worker} was lost. The next free worker continues the game.")
        return sentence.format(worker=game.leased_by)
    if game.deadline and game.deadline <= now:
        return _("A clock has run out and was not handled. Is a worker for the queue `short` running?")
    if not game.awaits_worker:
        return _("The game waits for a person’s move.")
    if game.sandboxed and (reason := known.sandboxes):
        return _("It is an uploaded bot’s turn. {reason}").format(reason=reason)
    if game.sandboxed and game.trial_id is not None:
        return _("It is an uploaded bot’s turn. A worker will continue its trial.")
    if game.sandboxed:
        ahead = getattr(game, "ahead", None)  # if the query counted them
        first = leases.due_games(sandboxed=True).filter(moved_at__lt=game.moved_at).count() if ahead is None else ahead
        sentence = _("It is an uploaded bot’s turn. {games} are before it.")
        return sentence.format(games=queue_text(first, known.played))
    return _("The game waits for a free worker.")


def why_trial_waits(trial: Trial, now: datetime) -> str:
    """Return, for its author and for admins, what happened to a trial at which the platform failed."""
    games = Game.objects.filter(trial=trial, status=Game.Status.PLAYING)
    return trial_words(trial, games.order_by("-failures").first(), now)


def trial_words(trial: Trial, game: Game | None, now: datetime) -> str:
    """Return the sentence of `why_trial_waits`. `game` is the one of the trial's games that failed most often."""
    if trial.state == Trial.State.GIVEN_UP:
        return _("It was given up because the platform failed repeatedly. Its author can start it again.")
    if trial.failures:
        failed = ngettext("The platform failed once;", "The platform failed {n} times in a row;", trial.failures)
        return f"{failed.format(n=trial.failures)} {_next_try(trial.leased_until, now)}"
    return why_not_played(game, now) if game and game.failures else ""


def _next_try(at: datetime | None, now: datetime) -> str:
    if at and at > now:
        return _("the next attempt is at {time} UTC.").format(time=f"{at:%H:%M:%S}")
    return _("the next free worker tries it again.")


def why_sandboxes_wait() -> str:
    """Return why games of uploaded bots are not played now; "" if a worker with a sandbox is alive."""
    now = clock.now()
    alive = Worker.objects.filter(stopped_at=None, heartbeat_at__gt=now - WORKER_LOST_AFTER)
    if alive.filter(tier=REQUIRED_TIER).exists():
        return ""
    if alive.exclude(tier="").exists():
        return _("The sandbox for bots does not work on this server. The dashboard tells admins why.")
    return _("The sandbox for bots is not running on this server. The dashboard tells admins why.")


def why_waits(game: Game) -> str:
    """Return why uploaded bots of `game` may have to wait now, for everybody; "" if none does.

    It does not say whether a bot is to move, because that may be its seat's secret.
    """
    return sandbox_wait_text() if game.sandboxed and game.status == Game.Status.PLAYING else ""


def sandbox_wait_text() -> str:
    """Return what games of uploaded bots wait for now, and about how long; "" if none waits."""
    if reason := why_sandboxes_wait():
        return _("Uploaded bots cannot play now: {reason}").format(reason=reason)
    count = leases.due_games(sandboxed=True).count()
    return (
        _("{games} of uploaded bots are waiting for their turn.").format(games=queue_text(count)) if count > 1 else ""
    )


def played_lately() -> int:
    """Return how many games of uploaded bots were played in the last minutes."""
    return Game.objects.filter(sandboxed=True, trial=None, finished_at__gt=clock.now() - RECENT).count()


def queue_text(games: int, played: int | None = None) -> str:
    """Return how many games wait, and how long they take at the speed of the last minutes."""
    played = played_lately() if played is None else played
    words = ngettext("{n} game", "{n} games", games).format(n=games)
    if not played:
        return words
    seconds = round(games * RECENT.total_seconds() / played)
    return _("{games} (about {seconds} s)").format(games=words, seconds=seconds)


def sandbox_wait_on_request(**_signal: Any) -> str:
    """Return `sandbox_wait_text`, as a receiver of `asking_why_bots_wait`."""
    return sandbox_wait_text()
