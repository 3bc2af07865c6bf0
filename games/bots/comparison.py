"""Comparisons: does one version beat another? Both play the same deals from both seats until a test has decided.

The author picks the bounds of the test, and may have the version promoted if it is accepted (docs/adr).
`scorebook_games.analysis.comparison` computes what the deals say and when they are enough. If the kind has a value
function, each result counts also without its luck (docs/explanation/luck.md): it has the same mean, and where
it varies less, fewer deals are enough. What a deal came to is stored with the hash of the value function, and is
computed once.

The risk of a wrong verdict is kept because deals are independent and none is chosen by its result. Each has a seed of
its own, and no game continues another one. A batch is counted when all its games are over, in the deals' order. A
comparison that was given up and restarted keeps all batches that had been counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import fmean
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from games.bots.admission import notifications as author_notifications
from games.bots.admission.checks import STEP_DONE, STEP_LIVE, step_of
from games.bots.admission.trials import ClaimedTrial, games_that_count, restart_trial
from games.bots.sentences import deals_going_on, luck_taken_out, no_game_finished, share_of_points
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import GOING, Bot, BotVersion, Deal, Game, Player, Trial
from games.play.openings import Opening
from games.play.wake_up import wake_sandboxes
from scorebook_games.analysis.comparison import (
    ACCEPTED,
    DEALS_PER_BATCH,
    DEFAULT_BOUNDS,
    LUCK_REACH,
    MAX_DEALS,
    MAX_ELO,
    MIN_GAP,
    REJECTED,
    UNDECIDED,
    Bounds,
    ComparisonResult,
    ShareInterval,
    compare,
)
from scorebook_games.luck.ledger import NoLedger, ledger_of
from scorebook_games.placings import points_share
from scorebook_games.presentation.coded_text import Sentence
from scorebook_games.registry import KINDS

GIVEN_UP: Final = Trial.State.GIVEN_UP
COMPARISON_TERMS: Final[dict[str, Any]] = {"rated": False, "rematch": False}  # faults cost what they cost in a game
MAX_OPEN_COMPARISONS: Final = 3  # of an author at a time
# bounds that the form offers, by their code
PRESETS: Final = {"gain": Bounds(0, 20), "large_gain": Bounds(0, 50), "no_loss": Bounds(-20, 0)}
# what became of a promotion
PROMOTED, NOT_ACCEPTED, MAY_NOT_PLAY = "promoted", "not_accepted", "may_not_play"
NEWER_VERSION, OTHER_CHOICE = "newer_version", "other_choice"


def request_comparison(
    *, version: BotVersion, against: BotVersion, kind: str, bounds: Bounds = DEFAULT_BOUNDS, promote: bool = False
) -> Trial:
    """Request a comparison of two versions of one author, and return its trial.

    `promote`: the version plays for its bot if the test accepts it. A repeated request returns the same trial,
    restarted if it was given up. If that one is still going on, `promote` holds for it too, and no later request takes
    it back. If it is over, nothing is promoted.

    Raises `DomainError`: bad_bounds (400), not_passed, wrong_kind, too_many_comparisons, same_version (409).
    """
    check_request(version, against, kind, bounds)
    with transaction.atomic():
        assert version.bot.owner is not None, "Only the author asks."
        User.objects.select_for_update(no_key=True).get(pk=version.bot.owner.pk)  # locked, so that the count is right
        mine = Trial.objects.filter(what=Trial.What.COMPARISON)
        key = {"version": version, "against": against, "kind": kind, "elo0": bounds.elo0, "elo1": bounds.elo1}
        plays = Bot.objects.get(pk=version.bot_id).plays_id
        found = mine.filter(**key).select_for_update(no_key=True).first()
        if found and found.state != GIVEN_UP:
            if promote and not found.promote and not found.is_over:
                found.promote, found.plays_before = True, plays
                found.save(update_fields=["promote", "plays_before"])
            return found
        going = mine.filter(version__bot__owner=version.bot.owner, state__in=GOING)
        if going.count() >= MAX_OPEN_COMPARISONS:
            sentence = _("You already have {most} comparisons running. Wait until one of them has finished.")
            raise DomainError(409, "too_many_comparisons", sentence.format(most=MAX_OPEN_COMPARISONS))
        if found:
            restart_trial(found)
            Trial.objects.filter(pk=found.pk).update(promote=promote, plays_before=plays)
            found.refresh_from_db()
            return found
        now = clock.now()
        nothing = compare([], bounds)
        first = step_of("deals", STEP_LIVE, result_summary(nothing.points))
        trial = Trial.objects.create(
            what=Trial.What.COMPARISON,
            **key,
            promote=promote,
            plays_before=plays,
            steps=[first],
            created=now,
            served_at=now,
            result=nothing.plain(),
        )
        wake_sandboxes()
    return trial


def check_request(version: BotVersion, against: BotVersion, kind: str, bounds: Bounds) -> None:
    """Raise `DomainError` if these two cannot be compared so."""
    if not bounds.valid:
        words = _(
            "The upper bound must exceed the lower one by {gap} Elo or more. Both lie between −{most} and {most}."
        )
        raise DomainError(400, "bad_bounds", words.format(gap=MIN_GAP, most=MAX_ELO))
    if version.pk == against.pk:
        raise DomainError(409, "same_version", _("Choose two different versions to compare."))
    for each in (version, against):
        if not each.may_play:
            raise DomainError(409, "not_passed", _("Only admitted versions can be compared."))
        if kind not in each.kinds:
            raise DomainError(409, "wrong_kind", _("{version} does not play this game.").format(version=each))


def bounds_of(trial: Trial) -> Bounds:
    """Return the bounds that the author picked."""
    return Bounds(trial.elo0, trial.elo1)


def continue_comparison(held: ClaimedTrial) -> bool:
    """Play the open deals, and open more while the test has not decided."""
    played = held.play()
    if not held.is_played():
        save_progress(held)
        return played
    trial = held.trial
    games = held.games()
    values = deal_values(trial, games)
    found = result_of(trial, values)
    step = step_of("deals", STEP_LIVE, [*result_summary(found.points), *luck_summary(trial.kind, values, found)])
    opened = 1 + max((int(game.part) for game in games), default=-1)
    result: dict[str, Any] = {**found.plain(), "values": values, "value_hash": value_hash(trial.kind), "opened": opened}
    if found.test.verdict is None and opened >= MAX_DEALS:  # some deals were aborted, so fewer than the most count
        result["verdict"] = UNDECIDED
    if result["verdict"]:
        with transaction.atomic():
            # the author may have asked for the promotion since this worker claimed the trial, or be about to
            fresh = Trial.objects.select_for_update(no_key=True)
            trial.refresh_from_db(fields=["promote", "plays_before"], from_queryset=fresh)
            if trial.promote:
                result["promotion"] = promote_if_accepted(trial, result["verdict"])
            held.finish([{**step, "state": STEP_DONE}], **result)  # raises `TrialLost` if another worker goes on
            author_notifications.notify_compared(trial)
        return True
    with transaction.atomic():
        held.save(result=result)
        held.open(next_deals(trial, opened), [step])
    return True


def promote_if_accepted(trial: Trial, verdict: str) -> str:
    """Let the version play for its bot if the test accepted it. Return the code of what was done, or why not.

    Called in the transaction that finishes the trial, which only one worker can commit. The author's own later choice
    comes first: a newer version, or another one that plays.
    """
    if verdict != ACCEPTED:
        return NOT_ACCEPTED
    bot = Bot.objects.select_for_update(no_key=True).get(pk=trial.version.bot_id)
    version = BotVersion.objects.select_related("bot").get(pk=trial.version_id)
    if not version.may_play:
        return MAY_NOT_PLAY
    if bot.versions.filter(number__gt=version.number, created__gt=trial.created).exists():
        return NEWER_VERSION
    if bot.plays_id not in (trial.plays_before, version.pk):
        return OTHER_CHOICE
    author_notifications.choose_version_and_notify(version)
    return PROMOTED


def promotion_sentence(trial: Trial) -> str:
    """Return whether the version was promoted, or why not; before the verdict, that it will be; "" if nobody asked."""
    if not trial.promote:
        return ""
    sentences = {
        PROMOTED: _("v{n} was promoted: it plays for the bot."),
        NOT_ACCEPTED: _("v{n} was not promoted."),
        MAY_NOT_PLAY: _("v{n} was not promoted, because it may not play."),
        NEWER_VERSION: _("v{n} was not promoted, because you uploaded a newer version."),
        OTHER_CHOICE: _("v{n} was not promoted, because you chose another version."),
    }
    words = sentences.get(trial.result.get("promotion", ""), _("v{n} will be promoted if it is accepted."))
    return words.format(n=trial.version.number) if trial.state != GIVEN_UP else ""


def save_progress(held: ClaimedTrial) -> None:
    """Store how many games of the current deals are over.

    Their points are not counted before the last of them is over, because short games end first and would weigh too
    much.
    """
    opened = held.trial.result.get("opened", held.trial.result["deals"])
    values = held.trial.result.get("values", {})
    now = [game.status for game in games_that_count(held.trial).filter(part__gte=f"{opened:04}")]
    over = sum(status != Game.Status.PLAYING for status in now)
    found = result_of(held.trial, values)
    summary = [*result_summary(found.points, over, len(now)), *luck_summary(held.trial.kind, values, found)]
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
    """Return a seat's share of the points of a finished game, and the same without luck, where there is a ledger.

    Luck counts within limits, as the test needs it.
    """
    share = points_share((game.outcome or {})["placings"], seat)
    if not value_hash(game.kind):
        return share, share
    try:
        events = (entry.event for entry in eventlog.read_events(game.stream_id))
        return share, share - ledger_of(events, KINDS[game.kind].usable_value, decisions=False).bounded_luck[seat]
    except NoLedger:
        return share, share


def value_hash(kind: str) -> str:
    """Return the hash of the kind's value function with the limit of luck; "" if it has none that can be used."""
    value = KINDS[kind].usable_value if kind in KINDS else None
    return f"{value.hash} {LUCK_REACH}" if value else ""


def result_of(trial: Trial, values: Mapping[str, Sequence[float]]) -> ComparisonResult:
    """Return what the deals say."""
    return compare(values.values(), bounds_of(trial))


def luck_summary(kind: str, values: Mapping[str, Sequence[float]], found: ComparisonResult) -> list[Sentence]:
    """Return what the share is with luck, in the deals that are counted, if luck was taken out."""
    counted = [raw for raw, _ in islice(values.values(), found.points.deals)]
    return [luck_taken_out(round(100 * fmean(counted)))] if counted and value_hash(kind) else []


def result_summary(found: ShareInterval, over: int = 0, games: int = 0) -> list[Sentence]:
    """Return what is known so far, in a sentence or two; `over` of the next `games` are finished."""
    going = [deals_going_on(over, games)] if games else []
    if not found.deals:
        return going or [no_game_finished()]
    share, low, high = (round(100 * part) for part in (found.share, found.low, found.high))
    return [share_of_points(share, low, high, found.deals), *going]


def result_heading(trial: Trial) -> str:
    """Return in a word or two, for a heading, what the test says."""
    if trial.state == GIVEN_UP:
        return _("Given up")
    headings = {ACCEPTED: _("Accepted"), REJECTED: _("Rejected"), UNDECIDED: _("Not decided")}
    return headings.get(trial.result.get("verdict") or "", _("Undecided so far"))
