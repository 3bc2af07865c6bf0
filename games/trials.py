"""What uploaded versions are put to outside leagues: claimed and played bit by bit, like games.

A trial is a row with steps. A worker claims it, goes on with it for some seconds from where the database says that it
stands, and gives it back; whoever comes next goes on. What a step has played are games of the trial's own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from games import clock, leases, runner, table
from games.models import Fault, Game, Incident, Trial

logger = logging.getLogger(__name__)

LONGEST_REST: Final = 300  # seconds, after errors of ours in a row
REST: Final = timedelta(seconds=1)
LONGEST_SLICE: Final = 300  # seconds in which six bots have taken all the time that terms can give them for a beat
Step = dict[str, Any]


class Lost(Exception):
    """Another worker has the trial by now."""


@dataclass(slots=True)
class Held:
    """A trial that this worker has, until `until` (monotonic seconds)."""

    trial: Trial
    worker: str
    until: float
    stop: Callable[[], bool]

    @property
    def steps(self) -> list[Step]:
        return list(self.trial.steps)

    def games(self, part: str = "") -> list[Game]:
        """The trial's games whose part begins so, oldest first."""
        return list(Game.objects.filter(trial=self.trial, part__startswith=part).order_by("pk"))

    def open(self, openings: Sequence[table.Opening], steps: Sequence[Step]) -> None:
        """Open games and write down the steps that they belong to, both or none."""
        with transaction.atomic():
            self.save(steps=list(steps))
            table.open_many(openings)

    def play(self) -> bool:
        """Play some of the trial's games for as long as there is time; whether there were any to play."""
        claims = leases.claim_of_trial(self.trial, self.worker)
        with leases.pulse_of(self.worker) as pulse:
            pulse.hold({game.pk: game.attempt for game, _ in claims}, LONGEST_SLICE, self.trial)
            try:
                runner.play(claims, self.until, self.stop)
            finally:
                pulse.hold({}, LONGEST_SLICE, self.trial)
        return bool(claims)

    def is_played(self) -> bool:
        """Whether all its games are over."""
        return not Game.objects.filter(trial=self.trial, status=Game.Status.PLAYING).exists()

    def give_up_games(self) -> None:
        """End the games that are still on: their results are not wanted any more."""
        for game in Game.objects.filter(trial=self.trial, status=Game.Status.PLAYING):
            table.abort(game=game, reason="the trial that it belonged to is over")

    def save(self, **values: Any) -> None:
        """Write `values` into the row. Raises `Lost`."""
        mine = Trial.objects.filter(pk=self.trial.pk, attempt=self.trial.attempt)
        if not mine.update(leased_until=Now() + leases.lease(), **values):
            raise Lost(f"Trial {self.trial.pk} is not this worker's any more.")
        for name, value in values.items():
            setattr(self.trial, name, value)

    def finish(self, steps: Sequence[Step], **result: Any) -> None:
        """The trial is over."""
        done = {"state": Trial.State.DONE, "finished_at": clock.now()}
        self.save(steps=list(steps), result={**self.trial.result, **result}, **done)


def waiting() -> Any:
    """The trials that somebody should go on with, the gates first, then who was not served for longest."""
    free = Q(leased_until=None) | Q(leased_until__lte=Now())
    return Trial.objects.filter(free).exclude(state=Trial.State.DONE).order_by("-what", "served_at", "pk")


def claim(worker: str) -> Trial | None:
    """A trial that `worker` goes on with."""
    with transaction.atomic():
        found: Trial | None = waiting().select_for_update(skip_locked=True).first()
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


def release(trial: Trial, *, went_on: bool) -> None:
    """Give the trial back; one with which there was nothing to do rests for a moment."""
    until = None if went_on else Now() + REST
    changes: dict[str, Any] = {"failures": 0} if went_on else {}
    Trial.objects.filter(pk=trial.pk, attempt=trial.attempt).update(leased_by="", leased_until=until, **changes)


def failed(trial: Trial, error: Exception) -> None:
    """An error of ours: it is told, and the trial tried again after a rest that grows."""
    logger.exception("Trial %s cannot go on.", trial.pk)
    rest = min(2 ** (trial.failures + 1), LONGEST_REST)
    Trial.objects.filter(pk=trial.pk, attempt=trial.attempt).update(
        failures=F("failures") + 1, leased_by="", leased_until=Now() + timedelta(seconds=rest)
    )
    sentence = f"The {trial.what} of {trial.version} cannot go on. It is tried again in {rest} s."
    Incident.objects.create(at=clock.now(), cause=Incident.Cause.INFRASTRUCTURE, sentence=sentence, detail=repr(error))


def fault_of(trial: Trial) -> Fault | None:
    """The first fault of the trial's version in one of its games that was its own."""
    own = Fault.objects.filter(game__trial=trial, bot_version=trial.version)
    return own.exclude(kind=Fault.Kind.INFRASTRUCTURE).order_by("pk").first()
