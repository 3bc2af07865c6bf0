"""What a worker with a sandbox does: trials and games with uploaded bots, a few seconds of each in turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from django.db.models import F

from games import comparison, gate, leases, runner, trials
from games.bots import sandbox
from games.models import Trial, Worker

SLICE_SECONDS: Final = 2.0  # then somebody else's turn comes
GAMES_AT_ONCE: Final = 8
TIER: Final = "A"

GO_ON: Final = {Trial.What.GATE: gate.go_on, Trial.What.COMPARISON: comparison.go_on}


def note_tier(worker: str) -> sandbox.Tier:
    """Find out what sandbox this process has, and write it down for the dashboard."""
    tier = sandbox.tier()
    Worker.objects.filter(name=worker).update(tier=tier.name, tier_reason=tier.reason, policy_hash=tier.policy_hash)
    return tier


def play_due(worker: str, budget_seconds: float = 60, stop: Callable[[], bool] = runner.never) -> int:
    """Go on with trials and games of uploaded bots until nothing is due or the time is spent; how many slices.

    Below tier A nothing is touched: it waits, and says so (`games.condition`).
    """
    until = time.monotonic() + budget_seconds
    slices = 0
    with leases.pulse_of(worker) as pulse:
        if note_tier(worker).name != TIER:
            return 0
        while not stop() and time.monotonic() < until:
            went_on = trial_slice(worker, pulse, stop)
            played = game_slice(worker, pulse, stop)
            if not (went_on or played):
                break
            slices += went_on + played
    return slices


def trial_slice(worker: str, pulse: leases.Pulse, stop: Callable[[], bool]) -> bool:
    """Go on with the trial that is next; whether there was one with something to do."""
    trial = trials.claim(worker)
    if trial is None:
        return False
    went_on = False
    pulse.hold({}, trials.LONGEST_SLICE, trial)
    try:
        held = trials.Held(trial, worker, time.monotonic() + SLICE_SECONDS, stop)
        went_on = GO_ON[Trial.What(trial.what)](held)
    except trials.Lost:
        return True
    except Exception as error:  # one trial that cannot go on keeps no other from it
        trials.failed(trial, error)
        return False
    finally:
        pulse.hold({}, 0)
    trials.release(trial, went_on=went_on)
    return went_on


def game_slice(worker: str, pulse: leases.Pulse, stop: Callable[[], bool]) -> bool:
    """Play some games for a while, those of each bot in turn; whether there were any."""
    claims = leases.claim_caged(worker, GAMES_AT_ONCE)
    if not claims:
        return False
    pulse.hold({game.pk: game.attempt for game, _ in claims}, trials.LONGEST_SLICE)
    try:
        ended = runner.play(claims, time.monotonic() + SLICE_SECONDS, stop)
    finally:
        pulse.hold({}, 0)
    if ended:
        Worker.objects.filter(name=worker).update(games_played=F("games_played") + ended)
    return True
