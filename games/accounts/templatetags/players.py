"""Players and people by name, with the badge of bots."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from django import template
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.accounts.people import player_or_name
from games.common.bidi import isolated
from games.models import BotVersion, Player

register = template.Library()
register.filter(isolated)


@register.simple_tag
def player(who: Player, css: str = "who") -> SafeString:
    """Return `who` as a link to their page, with a bot's version and badge. Needs `bot_version` selected."""
    return _link(who.pk, full_name(who), badge(who), css)


@lru_cache(maxsize=4096)  # a page names the same players many times
def _link(player: int, name: str, badge: SafeString, css: str) -> SafeString:
    return format_html('<a class="{}" href="{}">{}</a>{}', css, reverse("player", args=[player]), name, badge)


@register.simple_tag
def named(who: Player) -> SafeString:
    """Return `who` without a link."""
    return format_html("<b>{}</b>{}", full_name(who), badge(who))


@register.simple_tag
def person(user: User | None) -> SafeString | str:
    """Return a user as a link to their player. Needs `player__bot_version` selected."""
    who = player_or_name(user)
    return player(who) if isinstance(who, Player) else who


@register.filter
def user_name(user: User | None) -> str:
    """Return a user's name."""
    who = player_or_name(user)
    return who.name if isinstance(who, Player) else who


@register.filter
def full_name(who: Player) -> str:
    """Return the name, for a bot with the version that plays."""
    name = isolated(who.name)
    if who.bot_version is None or who.name.endswith(f" v{who.bot_version.number}"):
        return name
    return f"{name} v{who.bot_version.number}"


@register.filter
def badge(who: Player) -> SafeString:
    """Return the badge that follows the name of a bot, or a name imported from a file. A bot whose moves a language
    model chooses is an agent.

    It never stands alone on a line.
    """
    if not (who.from_file or who.is_bot):
        return SafeString("")
    if who.from_file:
        return _badge("quiet", _("(from a file)"))
    return version_badge(who.bot_version)


@register.filter
def version_badge(version: BotVersion | None) -> SafeString:
    """Return the badge that follows the name of a bot with this version; None if none of its versions plays."""
    return bot_badge(agent=version is not None and version.is_agent)


@register.simple_tag
def bot_badge(*, agent: bool) -> SafeString:
    """Return the badge of a bot, or of an agent."""
    return _badge("bot", _("AGENT") if agent else _("BOT"))


@lru_cache
def _badge(css: str, word: str) -> SafeString:
    return format_html('\u00a0<span class="{}">{}</span>', css, word)


@register.simple_tag
def players(everybody: Iterable[Player]) -> SafeString:
    """Return several players as links with a dash between them, as for a match."""
    return format_html_join(SafeString(" – "), "{}", ((player(who),) for who in everybody))


@register.simple_tag
def names(everybody: Iterable[Player]) -> str:
    """Return several players without links, for texts that are only heard."""
    return ", ".join(map(full_name, everybody))


@register.simple_tag
def sentence(parts: Iterable[str | Player]) -> SafeString:
    """Return a sentence in which players are links."""
    return format_html_join("", "{}", ((player(part) if isinstance(part, Player) else part,) for part in parts))
