"""Trials: what uploaded versions play outside leagues. Workers claim them and play them in slices, like games.

A trial is a row with steps. A worker claims it, goes on for some seconds from the state in the database, and releases
it; then another worker goes on. Each step plays games that belong to the trial.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, When
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from games.bots import uploads
from games.bots.admission import notifications as author_notifications
from games.bots.sentences import (
    admission_of,
    comparison_of,
    game_failed,
    trial_given_up,
    trial_interrupted,
)
from games.common import clock
from games.common.errors import DomainError
from games.common.models import Incident
from games.models import GOING, BotVersion, Game, Trial
from games.play import faults
from games.play import services as play_services
from games.play.models import Fault
from games.play.openings import Opening, open_many
from games.play.wake_up import wake_sandboxes
from games.workers import leases, runner
from scorebook_games.presentation.coded_text import Sentence, plain

logger = logging.getLogger(__name__)

MAX_ERRORS_IN_A_ROW: Final = 8  # errors of the platform in a row before a trial is given up
MAX_REST_SECONDS: Final = 300  # seconds between them
IDLE_REST: Final = timedelta(seconds=1)
MAX_SLICE_SECONDS: Final = 300  # seconds in which six bots can use all the time that terms can give them for a beat
OPEN_STEP_STATES: Final = ("wait", "live")  # states of steps that are not finished
FIRST_STEPS: Final = {"read": "done", "deals": "live"}  # the steps that trials begin with, and their states
TrialStep = dict[str, Any]


class TrialLost(Exception):
    """Another worker has claimed the trial."""


class TrialStuck(Exception):
    """The workers have given up a game of the trial (`MAX_FAILED_CLAIMS`)."""

    def __init__(self, game: Game) -> None:
        self.sentence = game_failed(game.public_id, game.failures, game.version)
        super().__init__(str(self.sentence))


@dataclass(slots=True)
class ClaimedTrial:
    """A trial that this worker has claimed, `until` a time in monotonic seconds."""

    trial: Trial
    worker: str
    until: float
    stop: Callable[[], bool]

    @property
    def steps(self) -> list[TrialStep]:
        return list(self.trial.steps)

    def games(self, part: str = "") -> list[Game]:
        """Return the trial's games whose part begins with `part`, oldest first."""
        return list(games_that_count(self.trial).filter(part__startswith=part).order_by("pk"))

    def open(self, openings: Sequence[Opening], steps: Sequence[TrialStep]) -> None:
        """Open games and store the steps that they belong to, both or neither."""
        with transaction.atomic():
            self.save(steps=list(steps))
            open_many(openings)

    def play(self) -> bool:
        """Play some of the trial's games while there is time; return whether there were any. Raises `TrialStuck`."""
        claims = leases.claim_of_trial(self.trial, self.worker)
        with leases.heartbeat_of(self.worker) as pulse:
            pulse.hold({game.pk: game.attempt for game, _ in claims}, MAX_SLICE_SECONDS, self.trial)
            try:
                runner.play_claims(claims, self.until, self.stop)
            finally:
                pulse.hold({}, MAX_SLICE_SECONDS, self.trial)
        if stuck := leases.given_up_games().filter(trial=self.trial).first():
            raise TrialStuck(stuck)
        return bool(claims)

    def is_played(self) -> bool:
        """Return whether all its games are over."""
        return not Game.objects.filter(trial=self.trial, status=Game.Status.PLAYING).exists()

    def save(self, **values: Any) -> None:
        """Write `values` into the row. Raises `TrialLost`."""
        mine = Trial.objects.filter(pk=self.trial.pk, attempt=self.trial.attempt)
        if not mine.update(leased_until=Now() + leases.lease(), **values):
            raise TrialLost(f"Trial {self.trial.pk} no longer belongs to this worker.")
        for name, value in values.items():
            setattr(self.trial, name, value)

    def finish(self, steps: Sequence[TrialStep], **result: Any) -> None:
        """Finish the trial."""
        done = {"state": Trial.State.DONE, "finished_at": clock.now()}
        self.save(steps=list(steps), result={**self.trial.result, **result}, **done)


def games_that_count(trial: Trial) -> QuerySet[Game]:
    """Return the games that count for a trial. Games from before a restart have lost their `part`."""
    return Game.objects.filter(trial=trial).exclude(part="")


def end_games(trial: Trial) -> None:
    """End the trial's games that are still on. This is no failure of the platform, so no incident is recorded."""
    for game in Game.objects.filter(trial=trial, status=Game.Status.PLAYING):
        play_services.abort_game(game=game)


def due_trials() -> Any:
    """Return the trials that are due: admissions first, then those that were not served for longest."""
    admissions_first = Case(When(what=Trial.What.ADMISSION, then=0), default=1)
    free = Q(leased_until=None) | Q(leased_until__lte=Now())
    return Trial.objects.filter(free, state__in=GOING).order_by(admissions_first, "served_at", "pk")


def claim_trial(worker: str) -> Trial | None:
    """Claim a trial for `worker`, or return None."""
    with transaction.atomic():
        found: Trial | None = due_trials().select_for_update(skip_locked=True).first()
        if found is None:
            return None
        Trial.objects.filter(pk=found.pk).update(
            attempt=F("attempt") + 1,
            leased_by=worker,
            leased_until=Now() + leases.lease(),
            served_at=clock.now(),
            state=Trial.State.RUNNING,
        )
    return Trial.objects.select_related("version__bot", "against__bot").get(pk=found.pk)


def release_trial(trial: Trial, *, went_on: bool) -> None:
    """Release the trial. One without anything to do rests for a moment."""
    until = None if went_on else Now() + IDLE_REST
    changes: dict[str, Any] = {"failures": 0} if went_on else {}
    Trial.objects.filter(pk=trial.pk, attempt=trial.attempt).update(leased_by="", leased_until=until, **changes)


def record_failure(trial: Trial, error: Exception) -> None:
    """Record an error of the platform. The trial is tried again after growing pauses, and given up in the end."""
    logger.exception("Trial %s cannot continue.", trial.pk)
    if isinstance(error, TrialStuck) or trial.failures + 1 >= MAX_ERRORS_IN_A_ROW:
        give_up_trial(trial, error)
        return
    rest = min(4 ** (trial.failures + 1), MAX_REST_SECONDS)
    claimed = Trial.objects.filter(pk=trial.pk, attempt=trial.attempt)
    if claimed.update(failures=F("failures") + 1, leased_by="", leased_until=Now() + timedelta(seconds=rest)):
        record_incident(trial_interrupted(title_of(trial), rest), error)


def give_up_trial(trial: Trial, error: Exception) -> None:
    """Give up a trial at which the platform fails repeatedly, until somebody restarts it."""
    with transaction.atomic():
        steps = [{**step, "state": "skipped"} if step["state"] in OPEN_STEP_STATES else step for step in trial.steps]
        released = {"leased_by": "", "leased_until": None, "finished_at": clock.now()}
        claimed = Trial.objects.filter(pk=trial.pk, attempt=trial.attempt, state__in=GOING)
        if not claimed.update(failures=F("failures") + 1, state=Trial.State.GIVEN_UP, steps=steps, **released):
            return
        end_games(trial)
        game = error.sentence if isinstance(error, TrialStuck) else None
        record_incident(trial_given_up(title_of(trial), game), error)
        author_notifications.notify_given_up(trial)


def title_of(trial: Trial) -> Sentence:
    """Return "admission of Gannet v1" or "comparison of Gannet v2 with v1"."""
    version = str(trial.version)
    return comparison_of(version, trial.against.number) if trial.against else admission_of(version)


def record_incident(sentence: Sentence, error: Exception) -> None:
    """Record for admins what happened."""
    cause = Incident.Cause.INFRASTRUCTURE
    Incident.objects.create(at=clock.now(), cause=cause, sentences=plain([sentence]), detail=repr(error))


def not_given_up_error() -> DomainError:
    """Return the error for restarting a trial that is running or finished."""
    return DomainError(409, "not_given_up", _("This run was not given up, so it cannot be started again."))


def restart_trial(trial: Trial) -> None:
    """Restart a trial that was given up. An admission begins anew. A comparison goes on after the last batch of deals
    that was counted: else an unlucky beginning could be played again.

    Raises `DomainError` not_given_up (409), and for an admission too_many_in_admission (409).
    """
    bot = trial.version.bot
    with transaction.atomic():
        if bot.owner_id is not None:
            User.objects.select_for_update(no_key=True).get(pk=bot.owner_id)
        locked = Trial.objects.select_for_update().get(pk=trial.pk)
        if locked.state != Trial.State.GIVEN_UP:
            raise not_given_up_error()
        if locked.what == Trial.What.ADMISSION and trial.version.state == BotVersion.State.ADMISSION:
            uploads.check_admission_quota(bot)
        games = Game.objects.filter(trial=locked)
        if locked.what == Trial.What.COMPARISON:
            games = games.filter(part__gte=f"{locked.result.get('opened', 0):04}")
        games.update(part="")
        first = next(step for step in locked.steps if step["name"] in FIRST_STEPS)
        locked.steps = [{**first, "state": FIRST_STEPS[first["name"]]}]
        locked.state, locked.failures, locked.finished_at = Trial.State.WAITING, 0, None
        locked.leased_until, locked.served_at = None, clock.now()
        locked.attempt += 1
        locked.save()
        wake_sandboxes()


def own_faults(trial: Trial) -> list[Fault]:
    """Return the version's own faults in the trial's games, the first one first."""
    faults_of_version = Fault.objects.filter(game__in=games_that_count(trial), bot_version=trial.version)
    return list(faults_of_version.exclude(kind=Fault.Kind.INFRASTRUCTURE).select_related("game").order_by("pk"))


def refusal_of(trial: Trial) -> Fault | None:
    """Return the fault for which the trial's version was refused, or None."""
    numbers = [step["fault"] for step in trial.steps if "fault" in step]
    found = faults.tellable(Fault.objects.filter(pk__in=numbers, cost=Fault.Cost.REFUSED))
    return found.select_related("game__deal", "bot_version").first()
