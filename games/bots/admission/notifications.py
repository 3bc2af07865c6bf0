"""Notices to the author of a bot: results of admission and comparisons, and faults in games that count.

What happens in our own transactions is notified in them. Games know nothing of notices, so what happens there is found
by a query (`notify_failed_games`). The key of a notice makes it unique.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from games.accounts import notices
from games.accounts.models import Notice
from games.bots import subjects, uploads
from games.bots.subjects import BOT_ADMISSION, BOT_COMPARED, BOT_FAULT, BOT_PLAYS, BOT_QUARANTINE
from games.common import clock
from games.models import Bot, BotVersion, Game, Player, Seat, Trial
from games.play.departures import FORFEITED
from games.play.models import Fault
from games.visibility import observe
from scorebook_games.analysis.comparison import ACCEPTED, REJECTED
from scorebook_games.presentation.coded_text import Sentence, plain

REPEATED_FAULTS: Final = 2  # after this many faults in a game, its author is notified even if the bot did not forfeit
# of a sealed or delayed game, its author is notified when everybody may know it
FAULT_LOOKBACK: Final = timedelta(days=14)


def notify_author(version: BotVersion, subject: str, *, key: str, sentence: Sentence) -> int:
    """Notify the author of `version`, unless the account is deleted; return how many were notified."""
    player = Player.objects.filter(bot_version=version).first()
    owner = Bot.objects.get(pk=version.bot_id).owner_id
    if owner is None:
        return 0
    return notices.notify_users([owner], subject, key=key, by=player, sentences=[sentence])


def notify_admission(version: BotVersion, *, passed: bool) -> None:
    """Notify the author that the version was admitted or refused. The reason is in its row."""
    sentence = subjects.bot_admitted() if passed else subjects.bot_refused()
    notify_author(version, BOT_ADMISSION, key=f"admission:{version.pk}", sentence=sentence)


def notify_given_up(trial: Trial) -> None:
    """Notify the author that the platform could not play a trial to its end."""
    against, key = trial.against, f"given_up:{trial.pk}:{trial.attempt}"
    if against is None:
        notify_author(trial.version, BOT_ADMISSION, key=key, sentence=subjects.admission_given_up())
    else:
        notify_author(trial.version, BOT_COMPARED, key=key, sentence=subjects.comparison_given_up(against.number))


def notify_compared(trial: Trial) -> None:
    """Notify the author that a comparison is decided, or stopped at its limit."""
    assert trial.against is not None, "A comparison is one with another version."
    notices_by_verdict = {ACCEPTED: subjects.bot_accepted, REJECTED: subjects.bot_rejected}
    bounds = {"elo0": trial.elo0, "elo1": trial.elo1}
    sentence = notices_by_verdict.get(trial.result["verdict"], subjects.bot_undecided)(
        trial.against.number, trial.kind, **bounds
    )
    notify_author(trial.version, BOT_COMPARED, key=f"compared:{trial.pk}:{trial.attempt}", sentence=sentence)


def choose_version_and_notify(version: BotVersion) -> None:
    """Choose the version that plays for its bot, and notify its author. Raises `DomainError` not_passed (409)."""
    with transaction.atomic():
        before = Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id).plays_id
        uploads.choose_version(version)
        if before != version.pk:
            key = f"plays:{version.pk}:{clock.now().isoformat()}"
            notify_author(version, BOT_PLAYS, key=key, sentence=subjects.bot_plays())


def end_quarantine(version: BotVersion) -> bool:
    """End a quarantine and notify the author; return whether there was one."""
    notify_quarantines()
    with transaction.atomic():
        quarantined = BotVersion.objects.filter(pk=version.pk, state=BotVersion.State.QUARANTINED)
        if not quarantined.update(state=BotVersion.State.PASSED, reasons=[]):
            return False
        version.refresh_from_db()
        key = f"released:{version.pk}:{version.quarantines}"
        notify_author(version, BOT_QUARANTINE, key=key, sentence=subjects.quarantine_ended())
    return True


def notify_quarantines() -> int:
    """Notify the authors of versions that violated the sandbox too often; return how many were notified."""
    begun = plain([subjects.bot_quarantined()])
    notified = Notice.objects.filter(subject=BOT_QUARANTINE, by__bot_version=OuterRef("pk"), sentences=begun)
    counted = notified.order_by().values("by").annotate(n=Count("pk")).values("n")
    new = BotVersion.objects.filter(state=BotVersion.State.QUARANTINED, bot__owner__isnull=False)
    new = new.annotate(told=Subquery(counted)).filter(Q(told=None) | Q(told__lt=F("quarantines")))
    keys = [(version, f"quarantined:{version.pk}:{version.quarantines}") for version in new]
    sentence = subjects.bot_quarantined()
    return sum(notify_author(version, BOT_QUARANTINE, key=key, sentence=sentence) for version, key in keys)


def notify_failed_games() -> int:
    """Notify authors of rated games that their bot forfeited or failed repeatedly; return how many were notified.

    Each game gets one notice, as soon as everybody may know its state.
    """
    count = 0
    for seat in failed_seats():
        if observe.is_progress_public(seat.game):
            assert seat.player.bot_version is not None, "The query asks for bots."
            owner = seat.player.bot_version.bot.owner_id
            assert owner is not None, "And for those with an author."
            failed = subjects.bot_forfeited if seat.left == FORFEITED else subjects.bot_failed
            sentence, key = [failed(_worst(seat))], f"failed:{seat.game_id}:{seat.seat}"
            count += notices.notify_users(
                [owner], BOT_FAULT, key=key, game=seat.game, by=seat.player, sentences=sentence
            )
    return count


def failed_seats() -> QuerySet[Seat]:
    """Return the seats of bots whose authors must still be notified."""
    faults_of_versions = Fault.objects.filter(
        game=OuterRef("game"), seat=OuterRef("seat"), bot_version=OuterRef("player__bot_version")
    )
    counted = _costly(faults_of_versions).order_by().values("game").annotate(n=Count("pk")).values("n")
    notified = Notice.objects.filter(subject=BOT_FAULT, game=OuterRef("game"), by=OuterRef("player"))
    over = Q(game__finished_at__gt=clock.now() - FAULT_LOOKBACK)
    seats = Seat.objects.filter(
        over | Q(game__status=Game.Status.PLAYING),
        player__bot_version__bot__owner__isnull=False,
        game__trial=None,
        game__terms__rated=True,
    )
    worth = Q(left=FORFEITED) | (over & Q(failures__gte=REPEATED_FAULTS))
    seats = seats.annotate(failures=Subquery(counted)).filter(worth).exclude(Exists(notified))
    return seats.select_related("game__deal", "player__bot_version__bot")


def _costly(found: QuerySet[Fault]) -> QuerySet[Fault]:
    return found.exclude(cost=Fault.Cost.NONE)


def _worst(seat: Seat) -> int | None:
    """Return the id of the fault that the notice links: the last that cost most; None outside the sandbox."""
    faults_of_seat = Fault.objects.filter(game=seat.game, seat=seat.seat, bot_version=seat.player.bot_version)
    last = _costly(faults_of_seat).order_by("-pk").first()
    return last.pk if last else None


def notify_due() -> int:
    """Send authors all notices that are due; return how many were sent."""
    return notify_quarantines() + notify_failed_games()
