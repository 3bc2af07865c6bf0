"""Bots that an admin takes down: one version, or a bot with all its versions.

No new game takes them. Running games end for them as for a bot in quarantine, and their seasons withdraw them
(`tournaments.director.director`). Their authors are told why.
"""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from games.accounts import notices
from games.bots.subjects import BOT_TAKEN_DOWN, bot_restored, bot_taken_down
from games.common import clock
from games.common.after_commit import after_commit
from games.common.errors import DomainError
from games.models import Bot, BotVersion, Player
from games.moderation.sanctions import remove_from_games
from games.play.wake_up import wake_sandboxes
from scorebook_games.presentation.coded_text import Sentence, plain, written

VersionState = BotVersion.State


def take_down_version(version: BotVersion, reason: str) -> None:
    """Take one version down. Raises `DomainError` built_in_bot, not_passed (409)."""
    _check_owned(version.bot)
    with transaction.atomic():
        stoppable = BotVersion.objects.filter(pk=version.pk, state__in=(VersionState.PASSED, VersionState.QUARANTINED))
        if not stoppable.update(state=VersionState.TAKEN_DOWN, reasons=plain([written(reason)])):
            sentence = _("Only an admitted version can be taken down. To stop the others, take down the bot.")
            raise DomainError(409, "not_passed", sentence)
        _notify_owner(version.bot, bot_taken_down(whole=False), Player.objects.filter(bot_version=version).first())
        after_commit(_remove_from_games_soon)


def restore_version(version: BotVersion) -> None:
    """Let a version play again. Raises `DomainError` not_taken_down (409)."""
    with transaction.atomic():
        stopped = BotVersion.objects.filter(pk=version.pk, state=VersionState.TAKEN_DOWN)
        if not stopped.update(state=VersionState.PASSED, reasons=[]):
            raise DomainError(409, "not_taken_down", _("This version has not been taken down."))
        _notify_owner(version.bot, bot_restored(whole=False), Player.objects.filter(bot_version=version).first())


def take_down(bot: Bot, reason: str) -> None:
    """Take all versions of a bot down, including future ones. Raises `DomainError` built_in_bot, taken_down (409)."""
    _check_owned(bot)
    with transaction.atomic():
        playing = Bot.objects.filter(pk=bot.pk).exclude(stopped=Bot.Stopped.TAKEN_DOWN)
        if not playing.update(stopped=Bot.Stopped.TAKEN_DOWN, stop_reason=reason):
            raise DomainError(409, "taken_down", _("This bot has already been taken down."))
        _notify_owner(bot, bot_taken_down(whole=True), _newest(bot))
        after_commit(_remove_from_games_soon)


def restore(bot: Bot) -> None:
    """Let a bot's versions play again, unless its author is banned. Raises `DomainError` not_taken_down (409)."""
    with transaction.atomic():
        away = bot.owner is not None and not bot.owner.is_active
        stopped = Bot.objects.filter(pk=bot.pk, stopped=Bot.Stopped.TAKEN_DOWN)
        if not stopped.update(stopped=Bot.Stopped.BAN if away else "", stop_reason=""):
            raise DomainError(409, "not_taken_down", _("This bot has not been taken down."))
        _notify_owner(bot, bot_restored(whole=True), _newest(bot))


def _check_owned(bot: Bot) -> None:
    if bot.owner_id is None:
        raise DomainError(409, "built_in_bot", _("This is a built-in bot, which cannot be taken down."))


def _newest(bot: Bot) -> Player | None:
    return Player.objects.filter(bot_version__bot=bot).order_by("-bot_version__number").first()


def _notify_owner(bot: Bot, sentence: Sentence, player: Player | None) -> None:
    if bot.owner_id is not None:
        key = f"{sentence.code}:{bot.pk}:{clock.now().isoformat()}"
        notices.notify_users([bot.owner_id], BOT_TAKEN_DOWN, key=key, by=player, sentences=[sentence])


def _remove_from_games_soon() -> None:
    """Remove remote bots from their games after the commit. Uploaded bots are removed by the workers that play them."""
    remove_from_games()
    wake_sandboxes()
