"""What a worker with a sandbox does: it plays trials and games with uploaded bots in turn, for a few seconds each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from django.db.models import F

from games import sandbox
from games.bots import comparison
from games.bots.admission import checks as admission_checks
from games.bots.admission import trials
from games.models import Trial
from games.workers import kept_processes, leases, runner
from games.workers.models import Worker
from games.workers.session import GameSession
from games.workers.waiting_reasons import REQUIRED_TIER

SLICE_SECONDS: Final = 2.0  # then the next one has its turn
MAX_GAMES: Final = 8

CONTINUE_BY_TRIAL: Final = {
    Trial.What.ADMISSION: admission_checks.continue_admission,
    Trial.What.COMPARISON: comparison.continue_comparison,
}


def record_tier(pulse: leases.WorkerHeartbeat) -> sandbox.Tier:
    """Find out this process's sandbox tier, and store it for the dashboard."""
    tier = sandbox.tier()
    held = sum(found == "held" for _attack, found in tier.attacks)
    facts = {"tier_reason": tier.reason, "policy_hash": tier.policy_hash, "attacks": len(tier.attacks)}
    pulse.describe(tier=tier.name, attacks_held=held, **facts)
    return tier


def play_time_slices(worker: str, budget_seconds: float = 60, stop: Callable[[], bool] = runner.never) -> int:
    """Play trials and games of uploaded bots until nothing is due or the time is used; return how many slices.

    Below tier A nothing is played. The games wait, and the reason is shown (`games.workers.waiting_reasons`).
    """
    until = time.monotonic() + budget_seconds
    slices = 0
    with leases.heartbeat_of(worker) as pulse:
        if record_tier(pulse).name != REQUIRED_TIER:
            return 0
        kept_processes.tidy()
        slicer = TimeSlicer(worker, pulse, stop)
        try:
            while not stop() and time.monotonic() < until:
                went_on = slicer.play_trial()
                played = slicer.of_games()
                if not (went_on or played):
                    break
                slices += went_on + played
            while slicer.begun and not stop():
                slicer.of_games(most=0)
        finally:
            runner.release_sessions(slicer.begun)
    return slices


class TimeSlicer:
    """Plays trials and games in turn for a worker.

    `begun` are games that it keeps between slices, because it is asking for a beat, which may take longer than a slice.
    """

    def __init__(self, worker: str, pulse: leases.WorkerHeartbeat, stop: Callable[[], bool]) -> None:
        self.worker, self.pulse, self.stop = worker, pulse, stop
        self.begun: list[GameSession] = []

    def hold(self, claims: Sequence[leases.Claim] = (), trial: Trial | None = None) -> None:
        """Renew the leases of these claims and of `begun`."""
        attempts = {session.game.pk: session.attempt for session in self.begun} | {
            game.pk: game.attempt for game, _ in claims
        }
        self.pulse.hold(attempts, trials.MAX_SLICE_SECONDS, trial)

    def play_trial(self) -> bool:
        """Play the next trial; return whether there was one with something to do."""
        trial = trials.claim_trial(self.worker)
        if trial is None:
            return False
        went_on = False
        self.hold(trial=trial)
        try:
            claimed = trials.ClaimedTrial(trial, self.worker, time.monotonic() + SLICE_SECONDS, self.stop)
            went_on = CONTINUE_BY_TRIAL[Trial.What(trial.what)](claimed)
        except trials.TrialLost:
            return True
        except Exception as error:  # including `TrialStuck`: a trial that fails must not stop the others
            trials.record_failure(trial, error)
            return False
        finally:
            self.hold()
        trials.release_trial(trial, went_on=went_on)
        return went_on

    def of_games(self, most: int = MAX_GAMES) -> bool:
        """Play some games for a while, those of each bot in turn; return whether there were any."""
        claims = leases.claim_sandboxed_games(self.worker, most - len(self.begun)) if most > len(self.begun) else []
        if not claims and not self.begun:
            return False
        self.hold(claims)
        try:
            sessions, self.begun = [*self.begun, *runner.load_claimed(claims)], []
            ended, self.begun = runner.play_sessions(sessions, time.monotonic() + SLICE_SECONDS, self.stop)
        finally:
            self.hold()
        if ended:
            Worker.objects.filter(name=self.worker).update(games_played=F("games_played") + ended)
        return True
