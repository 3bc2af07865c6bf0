"""A small picture of a bot for other sites: its rating and its record, as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _

from games.models import Bot
from tournaments.bot_pages import results
from tournaments.bot_pages.detail import ratings_by_version

HEIGHT: Final = 20
NARROW, WIDE = frozenset(" !',.:;|Ifijlrt·"), frozenset("MWmw%")  # letters at 11 px; browsers fit texts to their width
NARROW_PX, USUAL_PX, WIDE_PX = 4.1, 6.9, 10.0
PADDING: Final = 7
MAX_CHARACTERS: Final = 40


@dataclass(frozen=True, slots=True)
class Badge:
    """What a badge says: a name, figures, and both in words."""

    name: str
    figures: str
    words: str


def badge_of(bot: Bot) -> Badge:
    """Return what everybody may know of the version that plays for a bot: the first rating that its page shows, and
    how it finished against its opponents. Six queries at most."""
    version = bot.plays
    if version is None:
        return Badge(bot.name, _("not admitted yet"), _("{name}: not admitted yet").format(name=bot.name))
    rating = next(iter(ratings_by_version([version])[version.pk]), None)
    record = results.ResultCounts.total(
        row.results for row in results.opponent_counts(version.player.pk, AnonymousUser())
    )
    figures = f"+{record.won} ={record.drawn} −{record.lost}"
    words = _("{won} won, {drawn} drawn, {lost} lost")
    told = words.format(won=record.won, drawn=record.drawn, lost=record.lost)
    if rating is not None:
        figures = f"{rating.title} {rating.rating:.0f} · {figures}"
        told = _("{kind} {rating}; {record}").format(kind=rating.title, rating=f"{rating.rating:.0f}", record=told)
    name = f"{bot.name} v{version.number}"
    return Badge(name, figures, f"{name}: {told}")


def badge_svg(badge: Badge) -> str:
    """Return a badge as SVG."""
    name, figures = short(badge.name), short(badge.figures)
    left, right = width_of(name), width_of(figures)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img"'
        f' aria-label="{escape(badge.words)}"><title>{escape(badge.words)}</title>'
        f'<rect width="{left + right}" height="{HEIGHT}" rx="3" fill="#1f5d43"/>'
        f'<path d="M3 0H{left}V{HEIGHT}H3A3 3 0 0 1 0 {HEIGHT - 3}V3A3 3 0 0 1 3 0z" fill="#2b303a"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{text_at(name, 0, left)}{text_at(figures, left, right)}</g></svg>"
    )


def short(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS - 1]}…"


def width_of(text: str) -> int:
    letters = (NARROW_PX if each in NARROW else WIDE_PX if each in WIDE else USUAL_PX for each in text)
    return round(sum(letters)) + 2 * PADDING


def text_at(text: str, x: int, width: int) -> str:
    return f'<text x="{x + PADDING}" y="14" textLength="{width - 2 * PADDING}">{escape(text)}</text>'
