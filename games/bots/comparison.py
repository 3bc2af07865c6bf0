"""Does this version beat that one? Shared deals, each played from both seats in fresh processes, until it is sure.

What is looked at is a deal: the mean of its two games for the version, 0 to 1. The interval of the mean is one that
holds at every look (an asymptotic confidence sequence: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, with
parameter chosen for `OPTIMAL_DEALS` deals), so that one may stop as soon as it leaves one half out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from games.bots.admission import notifications as author_notifications
from games.bots.admission.checks import STEP_DONE, STEP_LIVE, TRIAL_TERMS, step_of
from games.bots.admission.trials import ClaimedTrial, restart_trial
from games.common import clock
from games.common.errors import DomainError
from games.models import GOING, BotVersion, Deal, Game, Player, Trial
from games.play.openings import Opening
from games.play.wake_up import wake_sandboxes

GIVEN_UP: Final = Trial.State.GIVEN_UP
DEALS_PER_BATCH: Final = 8  # deals that are opened at a time
MIN_DEALS: Final = 16  # deals, before anything is said
MAX_DEALS: Final = 160
MAX_OPEN_COMPARISONS: Final = 3  # comparisons of an author at a time
ALPHA: Final = 0.05
OPTIMAL_DEALS: Final = 60
MIN_SPREAD: Final = 0.05  # of the deals' means: a few equal results are no certainty


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """What share of the points the version made, and between which values it lies in 95 of 100 cases."""

    share: float
    low: float
    high: float
    deals: int

    @property
    def sure(self) -> bool:
        """Whether one of the two is better."""
        return self.deals >= MIN_DEALS and not self.low <= 0.5 <= self.high

    def plain(self) -> dict[str, Any]:
        """As JSON data; share, low and high are null while no deal is over from both seats."""
        known = asdict(self) if self.deals else dict.fromkeys(("share", "low", "high"), None)
        return {**known, "deals": self.deals, "sure": self.sure}


def result_so_far(means: Sequence[float]) -> ComparisonResult:
    """What the deals' means say by now."""
    n = len(means)
    if not n:
        return ComparisonResult(0.5, 0.0, 1.0, 0)
    share = sum(means) / n
    spread = max(MIN_SPREAD**2, sum((each - share) ** 2 for each in means) / n)
    rho = (-2 * math.log(ALPHA) + math.log(-2 * math.log(ALPHA)) + 1) / (OPTIMAL_DEALS * spread)  # the square of rho
    inside = n * spread * rho + 1
    half = math.sqrt(2 * inside / (n * n * rho) * math.log(math.sqrt(inside) / ALPHA))
    return ComparisonResult(share, max(0.0, share - half), min(1.0, share + half), n)


def request_comparison(*, version: BotVersion, against: BotVersion, kind: str) -> Trial:
    """Have two versions of one author compared; who asks again gets the same, run anew if it was given up.

    Raises `DomainError`: not_passed, wrong_kind, too_many_comparisons, same_version (409)."""
    if version.pk == against.pk:
        raise DomainError(409, "same_version", _("Choose two different versions to compare."))
    for each in (version, against):
        if not each.may_play:
            raise DomainError(409, "not_passed", _("Only admitted versions can be compared."))
        if kind not in each.kinds:
            raise DomainError(409, "wrong_kind", _("{version} does not play this game.").format(version=each))
    with transaction.atomic():
        assert version.bot.owner is not None, "Only the author asks."
        User.objects.select_for_update(no_key=True).get(pk=version.bot.owner.pk)  # so that the count holds
        mine = Trial.objects.filter(what=Trial.What.COMPARISON)
        if (found := mine.filter(version=version, against=against, kind=kind).first()) and found.state != GIVEN_UP:
            return found
        going = mine.filter(version__bot__owner=version.bot.owner, state__in=GOING)
        if going.count() >= MAX_OPEN_COMPARISONS:
            sentence = _("You already have {most} comparisons running. Wait until one of them has finished.")
            raise DomainError(409, "too_many_comparisons", sentence.format(most=MAX_OPEN_COMPARISONS))
        if found:
            restart_trial(found)
            found.refresh_from_db()
            return found
        now = clock.now()
        first = step_of("deals", STEP_LIVE, result_summary(result_so_far([])))
        values = {"steps": [first], "created": now, "served_at": now, "result": result_so_far([]).plain()}
        trial, _new = Trial.objects.get_or_create(
            what=Trial.What.COMPARISON, version=version, against=against, kind=kind, defaults=values
        )
        wake_sandboxes()
    return trial


def continue_comparison(held: ClaimedTrial) -> bool:
    """Play on with the deals that are open, and open more as long as it is not sure."""
    played = held.play()
    if not held.is_played():
        save_progress(held)
        return played
    found = result_so_far(means(held.games()))
    step = step_of("deals", STEP_LIVE, result_summary(found))
    if found.sure or found.deals >= MAX_DEALS:
        with transaction.atomic():
            held.finish([{**step, "state": STEP_DONE}], **found.plain())
            author_notifications.notify_compared(held.trial)
        return True
    with transaction.atomic():
        held.save(result=found.plain())
        held.open(next_deals(held.trial, found.deals), [step])
    return True


def save_progress(held: ClaimedTrial) -> None:
    """Write down how many games of the deals that are being played are over. Their points wait for the last of them:
    short games end first, and would be counted for more than they are."""
    games = held.games()
    found = result_so_far(means([game for game in games if int(game.part) < held.trial.result["deals"]]))
    now = [game for game in games if int(game.part) >= found.deals]
    over = sum(game.status != Game.Status.PLAYING for game in now)
    step = step_of("deals", STEP_LIVE, result_summary(found, over, len(now)))
    if [step] != held.trial.steps:
        held.save(steps=[step])


def next_deals(trial: Trial, first: int) -> list[Opening]:
    """Games of the next deals, each from both seats."""
    players = {
        player.bot_version_id: player
        for player in Player.objects.select_related("bot_version__bot").filter(
            bot_version__in=[trial.version_id, trial.against_id]
        )
    }
    pair = [players[trial.version_id], players[trial.against_id]]
    openings: list[Opening] = []
    for number in range(first, min(first + DEALS_PER_BATCH, MAX_DEALS)):
        deal = Deal.objects.create()
        for seats in (pair, pair[::-1]):
            openings.append(Opening(trial.kind, seats, terms=TRIAL_TERMS, deal=deal, trial=trial, part=f"{number:04}"))
    return openings


def means(games: Sequence[Game]) -> list[float]:
    """What the version made of each deal that was played from both seats."""
    shares: dict[str, list[float]] = {}
    for game in games:
        if game.status == Game.Status.FINISHED and game.outcome:
            first = points_share(game.outcome["placings"])
            own = shares.setdefault(game.part, [])
            own.append(1 - first if own else first)  # in the second game of a deal it sits in the other seat
    return [sum(own) / 2 for own in shares.values() if len(own) == 2]


def points_share(placings: Sequence[int]) -> float:
    """What seat 0 made of a game for two."""
    return 0.5 + 0.5 * ((placings[0] < placings[1]) - (placings[0] > placings[1]))


def result_summary(found: ComparisonResult, over: int = 0, games: int = 0) -> str:
    """What is known by now, in a sentence or two; of the next `games` so many are `over`."""
    going = (
        _("{over} of {games} games of the current deals have finished.").format(over=over, games=games) if games else ""
    )
    if not found.deals:
        return going or _("No game has finished yet.")
    sentence = _(
        "{share} % of the points (95 % interval {low} to {high}) after {n} deals, each played from both seats."
    ).format(share=round(100 * found.share), low=round(100 * found.low), high=round(100 * found.high), n=found.deals)
    return f"{sentence} {going}".strip()


def result_heading(trial: Trial) -> str:
    """Does it beat the other? In a word, for a heading."""
    result = trial.result
    if result.get("sure"):
        return _("Yes") if result["share"] > 0.5 else _("No, it is weaker")
    if trial.state == Trial.State.DONE:
        return _("No clear difference")
    if trial.state == GIVEN_UP:
        return _("Given up")
    return _("Undecided so far")
