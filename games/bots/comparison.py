"""Comparisons: does one version beat another? Both play the same deals from both seats until the answer is certain.

`scorebook_games.analysis.comparison` computes what the deals say and when they are enough. If the kind has a value
function, each result counts without its luck (docs/explanation/luck.md): it has the same mean and varies less, so fewer
deals are enough. What a deal came to is stored with the hash of the value function, and is computed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from games.bots.admission import notifications as author_notifications
from games.bots.admission.checks import STEP_DONE, STEP_LIVE, step_of
from games.bots.admission.trials import ClaimedTrial, restart_trial
from games.bots.sentences import deals_going_on, luck_taken_out, no_game_finished, share_of_points
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import GOING, BotVersion, Deal, Game, Player, Trial
from games.play.openings import Opening
from games.play.wake_up import wake_sandboxes
from scorebook_games.analysis.comparison import (
    DEALS_PER_BATCH,
    MAX_DEALS,
    ComparisonResult,
    points_share,
    result_so_far,
)
from scorebook_games.luck.ledger import NoLedger, ledger_of
from scorebook_games.presentation.coded_text import Sentence
from scorebook_games.registry import KINDS

GIVEN_UP: Final = Trial.State.GIVEN_UP
COMPARISON_TERMS: Final[dict[str, Any]] = {"rated": False, "rematch": False}  # faults cost what they cost in a game
MAX_OPEN_COMPARISONS: Final = 3  # of an author at a time


def request_comparison(*, version: BotVersion, against: BotVersion, kind: str) -> Trial:
    """Request a comparison of two versions of one author, and return its trial.

    A repeated request returns the same trial, restarted if it was given up. Raises `DomainError`: not_passed,
    wrong_kind, too_many_comparisons, same_version (409).
    """
    if version.pk == against.pk:
        raise DomainError(409, "same_version", _("Choose two different versions to compare."))
    for each in (version, against):
        if not each.may_play:
            raise DomainError(409, "not_passed", _("Only admitted versions can be compared."))
        if kind not in each.kinds:
            raise DomainError(409, "wrong_kind", _("{version} does not play this game.").format(version=each))
    with transaction.atomic():
        assert version.bot.owner is not None, "Only the author asks."
        User.objects.select_for_update(no_key=True).get(pk=version.bot.owner.pk)  # locked, so that the count is right
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
    """Play the open deals, and open more while the result is not certain."""
    played = held.play()
    if not held.is_played():
        save_progress(held)
        return played
    values = deal_values(held.trial, held.games())
    found = result_of(values)
    step = step_of("deals", STEP_LIVE, [*result_summary(found), *luck_summary(held.trial.kind, values)])
    result = {**found.plain(), "values": values, "value_hash": value_hash(held.trial.kind)}
    if found.finished:
        with transaction.atomic():
            held.finish([{**step, "state": STEP_DONE}], **result)
            author_notifications.notify_compared(held.trial)
        return True
    with transaction.atomic():
        held.save(result=result)
        held.open(next_deals(held.trial, found.deals), [step])
    return True


def save_progress(held: ClaimedTrial) -> None:
    """Store how many games of the current deals are over.

    Their points are not counted before the last of them is over, because short games end first and would weigh too
    much.
    """
    games = held.games()
    values = held.trial.result.get("values", {})
    found = result_of(values)
    now = [game for game in games if int(game.part) >= held.trial.result["deals"]]
    over = sum(game.status != Game.Status.PLAYING for game in now)
    summary = [*result_summary(found, over, len(now)), *luck_summary(held.trial.kind, values)]
    step = step_of("deals", STEP_LIVE, summary)
    if [step] != held.trial.steps:
        held.save(steps=[step])


def next_deals(trial: Trial, first: int) -> list[Opening]:
    """Return the games of the next deals, each from both seats."""
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
            openings.append(
                Opening(trial.kind, seats, terms=COMPARISON_TERMS, deal=deal, trial=trial, part=f"{number:04}")
            )
    return openings


def deal_values(trial: Trial, games: Sequence[Game]) -> dict[str, list[float]]:
    """Return for each deal that was played from both seats the version's mean result, and the same without luck."""
    stored = trial.result.get("values", {}) if trial.result.get("value_hash") == value_hash(trial.kind) else {}
    pairs: dict[str, list[Game]] = {}
    for game in games:
        if game.status == Game.Status.FINISHED and game.outcome:
            pairs.setdefault(game.part, []).append(game)
    values: dict[str, list[float]] = {}
    for part, pair in pairs.items():
        if len(pair) == 2:
            # in the second game of a deal the version sits in the other seat
            values[part] = stored.get(part) or mean_values(*(share_of(game, seat) for seat, game in enumerate(pair)))
    return values


def mean_values(one: tuple[float, float], other: tuple[float, float]) -> list[float]:
    """Return the mean of two results, and of the same without luck."""
    return [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2]


def share_of(game: Game, seat: int) -> tuple[float, float]:
    """Return a seat's share of the points of a finished game, and the same without luck, where there is a ledger."""
    share = points_share((game.outcome or {})["placings"], seat)
    if not value_hash(game.kind):
        return share, share
    try:
        events = (entry.event for entry in eventlog.read_events(game.stream_id))
        return share, share - ledger_of(events, KINDS[game.kind].value).luck[seat]
    except NoLedger:
        return share, share


def value_hash(kind: str) -> str:
    """Return the hash of the kind's value function; "" if it has none."""
    value = KINDS[kind].value if kind in KINDS else None
    return value.hash if value else ""


def result_of(values: Mapping[str, Sequence[float]]) -> ComparisonResult:
    """Return what the deals say, without their luck."""
    return result_so_far([adjusted for _, adjusted in values.values()])


def luck_summary(kind: str, values: Mapping[str, Sequence[float]]) -> list[Sentence]:
    """Return what the share is with luck, if luck was taken out."""
    if not values or not value_hash(kind):
        return []
    return [luck_taken_out(round(100 * sum(raw for raw, _ in values.values()) / len(values)))]


def result_summary(found: ComparisonResult, over: int = 0, games: int = 0) -> list[Sentence]:
    """Return what is known so far, in a sentence or two; `over` of the next `games` are finished."""
    going = [deals_going_on(over, games)] if games else []
    if not found.deals:
        return going or [no_game_finished()]
    share, low, high = (round(100 * part) for part in (found.share, found.low, found.high))
    return [share_of_points(share, low, high, found.deals), *going]


def result_heading(trial: Trial) -> str:
    """Return in one word, for a heading, whether the version beats the other."""
    result = trial.result
    if result.get("sure"):
        return _("Yes") if result["share"] > 0.5 else _("No, it is weaker")
    if trial.state == Trial.State.DONE:
        return _("No clear difference")
    if trial.state == GIVEN_UP:
        return _("Given up")
    return _("Undecided so far")
