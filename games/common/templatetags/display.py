"""What every page writes in the same way: states, times, results, addresses, links between pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape, format_html, format_html_join
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from games.common import labels, words
from games.common.link_picture import HEIGHT, WIDTH
from games.common.page_pagination import Page
from scorebook_games.presentation.base import Card, Thumbnail
from scorebook_games.registry import KINDS

register = template.Library()

ENTRANCE = "/accounts/"  # the pages for login and sign-up
SHARED_TEXT_MAX_LENGTH = 200  # of what other programs show of a page

RESULT_CLASSES: Final = {"W": "won", "D": "drawn", "L": "lost"}
register.simple_tag(words.words_url)
register.filter("signed", labels.format_change)
register.filter("ordinal", labels.ordinal)
register.filter("lateness", labels.lateness_text)


@register.simple_tag
def status(mark: str, word: str) -> SafeString:
    """Return a state as a word with a `mark`, which has a shape and a colour: live, wait, next, done, warn, stuck,
    fault, pause or seal."""
    return format_html('<span class="status-word {}">{}</span>', mark, word)


@register.simple_tag
def picture(board: Thumbnail | None, seat: int | None = None) -> SafeString | str:
    """Return what lies in the middle of a small table, or before a seat. It is hidden from screen readers, because the
    words of the board say it. Written as text: a page has hundreds of these things."""
    rows = [row for row in board.rows if row.seat == seat] if board else []
    drawn = "".join(
        f'<span class="heap of-{row.sort}">{"".join(map(_thing, row.things))}'
        f"{'' if row.total is None else f'<b>{row.total}</b>'}</span>"
        for row in rows
        if row.things
    )
    return mark_safe(f'<span class="heaps" aria-hidden="true">{drawn}</span>') if drawn else ""  # noqa: S308


@lru_cache(maxsize=500)
def _thing(thing: Card) -> str:
    """Return a card, die or piece of a small table."""
    if thing.back:
        return '<i class="back"></i>'
    look = f"tone-{thing.tone}" if thing.tone else "red" if thing.red else "" if thing.rank else "none"
    return f'<i class="{escape(look)}">{escape(thing.rank)}{escape(thing.suit)}</i>'


@register.filter
def when(moment: datetime) -> SafeString:
    """Return a time in the viewer's zone, as short as is clear, with the whole time for programs."""
    return _time_element(moment, _("Today, {time}"))


@register.filter
def when_inside(moment: datetime) -> SafeString:
    """Return the same for the inside of a sentence: “finished today, 16:31”."""
    return _time_element(moment, _("today, {time}"))


def _time_element(moment: datetime, today: str) -> SafeString:
    """Return a time with the whole time for programs. `today` is its form on this day, with {time}."""
    text = short(timezone.localtime(moment), today)
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), text)


@register.filter
def clock(moment: datetime) -> SafeString:
    """Return only the time of day, for a place below its day."""
    local = timezone.localtime(moment)
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), f"{local:%H:%M}")


@register.filter
def clock_seconds(moment: datetime) -> SafeString:
    """Return the time of day to the second, for a page that refreshes itself."""
    local = timezone.localtime(moment)
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), f"{local:%H:%M:%S}")


@register.filter
def day(moment: datetime) -> str:
    """Return the day of a heading, such as "Today" or "Mon 16 Nov"."""
    local = timezone.localtime(moment)
    if local.date() == timezone.localdate():
        return _("Today")
    return date_format(local, "WEEKDAY_DAY_FORMAT" if local.year == timezone.localdate().year else "DATE_FORMAT")


def short(local: datetime, today: str) -> str:
    """Return `today` with the time of day, "Thu, 19:06" within the week, "16 Nov, 09:00" or "16 Nov 2025"."""
    this_day, date = timezone.localdate(), local.date()
    if date == this_day:
        return today.format(time=f"{local:%H:%M}")
    if abs(this_day - date) < timedelta(days=6):
        return date_format(local, "WEEKDAY_TIME_FORMAT")
    return date_format(local, "DAY_TIME_FORMAT" if date.year == this_day.year else "DATE_FORMAT")


@register.simple_tag
def form(results: Sequence[str]) -> SafeString:
    """Return results as letters in squares, and in words for screen readers."""
    return _squares(tuple(results), get_language(), _("None yet"))


@lru_cache(maxsize=4096)  # a table has few different rows of results, and each needs twenty translations
def _squares(results: tuple[str, ...], _language: str | None, without: str) -> SafeString:
    text = labels.form_label(results) or without
    squares = format_html_join("", '<b class="{}">{}</b>', map(square, results))
    return format_html('<span class="form" role="img" aria-label="{}">{}</span>', text, squares)


@register.simple_tag
def result(letter: str) -> SafeString:
    """Return one result in its square."""
    return form([letter])


def square(result: str) -> tuple[str, str]:
    """Return the class of a result's square, and its letter in the reader's language."""
    return RESULT_CLASSES.get(result, "drawn"), str(labels.RESULT_LETTERS.get(result, result))


@register.filter
def at(figures: Sequence[str], seat: int) -> str:
    """Return the figure of a seat."""
    return figures[seat]


@register.filter
def emblem(kind: str) -> SafeString:
    """Return the drawing of a kind of game."""
    return mark_safe(KINDS[kind].emblem)  # noqa: S308  of the kind's package, which is code of ours or trusted like it


@register.filter
def pitch(kind: str) -> str:
    """Return a sentence for people who choose a kind of game."""
    return translated(KINDS[kind].presentation.pitch)


@register.filter
def translated(text: str) -> str:
    """Return a text of a kind in the reader's language."""
    return _(text) if text else ""


@register.filter
def kind_title(kind: str) -> str:
    """Return the name of a kind of game."""
    return KINDS[kind].spec.title


@register.filter
def brief(digest: str) -> str:
    """Return a long hex number by its ends: "9f4c…e21b"."""
    return f"{digest[:4]}…{digest[-4:]}"


@register.simple_tag(takes_context=True)
def address(context: template.Context, **changes: Any) -> str:
    """Return this page's address with a changed query; None removes a name."""
    request = context["request"]
    query = {**dict(request.GET.lists()), **changes}
    encoded = urlencode([(name, value) for name, value in query.items() if value is not None], doseq=True)
    return f"{request.path}?{encoded}" if encoded else str(request.path)


@register.simple_tag(takes_context=True)
def next_here(context: template.Context) -> str:
    """Return the end of links to log in, sign up or keep a guest's games, which leads back here afterwards.

    On the login pages themselves it is their own target; "" if that is not a page of ours.
    """
    request = context.get("request")
    if request is None:
        return ""
    if request.path.startswith(ENTRANCE):
        wanted = request.POST.get("next") or request.GET.get("next", "")
    else:
        wanted = request.get_full_path() if request.method in ("GET", "HEAD") else ""
    ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure())
    return f"?{urlencode({'next': wanted})}" if ours and wanted != "/" else ""


@register.simple_tag(takes_context=True)
def shared(context: template.Context, title: str, description: str, picture: str = "") -> SafeString:
    """Return what programs show of a link to this page (Open Graph, Twitter cards), with the picture at an address.

    `title`, `description` and `picture` must reveal nothing that the page itself does not show to its reader.
    """
    request = context["request"]
    address = request.build_absolute_uri(request.path)
    tags = {"og:site_name": "Scorebook", "og:type": "website", "og:url": address}
    tags |= {"og:title": title, "og:description": " ".join(description.split())[:SHARED_TEXT_MAX_LENGTH]}
    if picture:
        tags |= {"og:image": request.build_absolute_uri(picture), "og:image:alt": title}
        tags |= {"og:image:width": str(WIDTH), "og:image:height": str(HEIGHT)}
    lines = [('<meta property="{}" content="{}">', name, value) for name, value in tags.items()]
    card = SafeString(f'<meta name="twitter:card" content="{"summary_large_image" if picture else "summary"}">')
    return SafeString("\n".join([*(format_html(*line) for line in lines), card]))


@register.simple_tag(takes_context=True)
def folds(context: template.Context, part: str, name: str, value: int | str, opened: int | str) -> SafeString:
    """Return the attributes of a link that opens something in a part of this page, or closes it if it is `opened`.

    The query has it under `name`; the anchor joins both, as row-7.
    """
    changes = {name: None if value == opened else value, "known": None}
    there = f"{address(context, **changes, part=None)}#{name}-{value}"
    return format_html(
        'href="{0}" aria-expanded="{1}" hx-get="{2}" hx-push-url="{0}"',
        there,
        "true" if value == opened else "false",
        address(context, **changes, part=part),
    )


@register.inclusion_tag("common/pager.html", takes_context=True)
def pager(context: template.Context, page: Page[Any], name: str, label: str, anchor: str = "") -> dict[str, Any]:
    """Return links to the pages before and after this one. `name` is the query's, `anchor` the list's place."""
    previous = None if page.number == 2 else page.number - 1
    return {
        "page": page,
        "label": label,
        "previous": address(context, **{name: previous, "part": None, "known": None}) + anchor,
        "next": address(context, **{name: page.number + 1, "part": None, "known": None}) + anchor,
    }
