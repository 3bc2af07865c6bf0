"""What every page writes the same way: players with their badge, states, times, figures, results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django import template
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.common import labels
from games.common.page_pagination import Page
from games.kinds import KINDS
from games.models import Player
from tournaments.clubs import activity as club_words
from tournaments.match_pages.views import MatchSide
from tournaments.matches.rows import GameRow, MatchRow, SeatRow
from tournaments.scoring.standings import NEIGHBOUR
from tournaments.season_pages import views as season_views
from tournaments.seasons import labels as league_labels
from tournaments.seasons.models import Round, Season
from tournaments.standings.models import Standing

register = template.Library()

ENTRANCE = "/accounts/"  # the pages of logging in and signing up
LONGEST_SHARED = 200  # characters of what is told of a page elsewhere

LETTERS = {"W": "w", "D": "d", "L": "l"}
register.filter("figure", league_labels.format_points)
register.filter("signed", league_labels.format_change)
register.filter("ordinal", league_labels.ordinal)
register.filter("pool_title", league_labels.pool_label)


@register.simple_tag
def player(who: Player, css: str = "who") -> SafeString:
    """`who` as a link to their page, with the version and the badge of a bot. Needs `bot_version` selected."""
    address = reverse("player", args=[who.pk])
    return format_html('<a class="{}" href="{}">{}</a>{}', css, address, full_name(who), badge(who))


@register.simple_tag
def named(who: Player) -> SafeString:
    """`who` without a link."""
    return format_html("<b>{}</b>{}", full_name(who), badge(who))


@register.simple_tag
def person(user: User | None) -> SafeString | str:
    """A user as a link to the player that they are. Needs `player__bot_version` selected."""
    who = club_words.player_or_name(user)
    return player(who) if isinstance(who, Player) else who


@register.filter
def user_name(user: User | None) -> str:
    """What a user is called."""
    who = club_words.player_or_name(user)
    return who.name if isinstance(who, Player) else who


@register.filter
def full_name(who: Player) -> str:
    """The name, for a bot with the version that plays."""
    if who.bot_version is None or who.name.endswith(f" v{who.bot_version.number}"):
        return who.name
    return f"{who.name} v{who.bot_version.number}"


@register.filter
def badge(who: Player) -> SafeString:
    """BOT stands after every bot's name, always, and never alone on a line; what a name is that came in a file, too."""
    if who.from_file:
        return format_html('\u00a0<span class="quiet">{}</span>', _("(from a file)"))
    return format_html('\u00a0<span class="bot">{}</span>', _("BOT")) if who.is_bot else SafeString("")


@register.simple_tag
def status(kind: str, word: str) -> SafeString:
    """A state as a shape, a colour and a word: live, wait, next, done, warn, stuck, fault, pause or seal."""
    return format_html('<span class="st {}">{}</span>', kind, word)


@register.filter
def when(moment: datetime) -> SafeString:
    """A time in the viewer's zone, as short as it stays clear; the whole of it for machines."""
    local = timezone.localtime(moment)
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), short(local))


@register.filter
def clock(moment: datetime) -> SafeString:
    """The time of day only, where the day stands above it."""
    local = timezone.localtime(moment)
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), f"{local:%H:%M}")


@register.filter
def clock_seconds(moment: datetime) -> SafeString:
    """The time of day to the second, where a page refreshes itself."""
    local = timezone.localtime(moment)
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(timespec="seconds"), f"{local:%H:%M:%S}")


@register.filter
def day(moment: datetime) -> str:
    """The day of a heading: Today, Mon 16 Nov."""
    local = timezone.localtime(moment)
    if local.date() == timezone.localdate():
        return _("Today")
    return date_format(local, "D j M" if local.year == timezone.localdate().year else "j M Y")


def short(local: datetime) -> str:
    """Today, 16:31 · Thu, 19:06 within the week · 16 Nov, 09:00 · 16 Nov 2025."""
    today, date = timezone.localdate(), local.date()
    if date == today:
        return _("Today, {time}").format(time=f"{local:%H:%M}")
    if abs(today - date) < timedelta(days=6):
        return date_format(local, "D, H:i")
    return date_format(local, "j M, H:i" if date.year == today.year else "j M Y")


@register.simple_tag
def form(results: Sequence[str]) -> SafeString:
    """Results as letters in squares, and in words for who cannot see them."""
    said = league_labels.form_label(results) or _("None yet")
    squares = SafeString("".join(map(square, results)))  # of safe ones
    return format_html('<span class="form" role="img" aria-label="{}">{}</span>', said, squares)


@lru_cache(maxsize=256)
def square(result: str) -> SafeString:
    """A result's letter in its square."""
    return format_html('<b class="{}">{}</b>', LETTERS.get(result, "d"), result)


@register.simple_tag
def players(everybody: Iterable[Player]) -> SafeString:
    """Several players as links with a dash between, as a match is written."""
    return format_html_join(SafeString(" – "), "{}", ((player(who),) for who in everybody))


@register.simple_tag
def names(everybody: Iterable[Player]) -> str:
    """Several players without links, as what is only heard names them."""
    return ", ".join(map(full_name, everybody))


@register.filter
def under(rows: Mapping[int, Any], key: int) -> Any:
    """What stands under a key; None if nothing does."""
    return rows.get(key)


@register.filter
def at(figures: Sequence[str], seat: int) -> str:
    """What belongs to a seat."""
    return figures[seat]


@register.filter
def kind_title(kind: str) -> str:
    """The name of a kind of game."""
    return KINDS[kind].spec.title


@register.filter
def brief(digest: str) -> str:
    """A long hex number by its ends: 9f4c…e21b."""
    return f"{digest[:4]}…{digest[-4:]}"


@register.filter
def known(latest: Round | None) -> str:
    """What the page knows of the season's latest round, for the part that refreshes."""
    return season_views.known_round(latest)


@register.filter
def has_player(line: MatchRow, player_id: int | None) -> bool:
    """Whether the player of that id is in the match."""
    return any(who.pk == player_id for who in line.players)


@register.simple_tag
def season_state(season: Season) -> SafeString:
    """The state of a season in a list."""
    states = {
        "open": ("next", _("Open for entries")),
        "running": ("live", _("Under way")),
        "paused": ("pause", _("Paused")),
        "finished": ("done", _("Finished")),
        "abandoned": ("fault", _("Abandoned")),
    }
    return status(*states[season.status])


@register.simple_tag
def who_plays(entrants: int | None, bots: int | None) -> str:
    """7 people, 4 bots."""
    people = (entrants or 0) - (bots or 0)
    parts = [labels.number_label(people, _("person"), _("people"))] if people else []
    parts += [labels.number_label(bots or 0, _("bot"), _("bots"))] if bots else []
    return ", ".join(parts) or _("nobody yet")


@register.simple_tag
def score_of(line: MatchRow) -> str:
    """2–1; a dash while there is nothing to tell."""
    if line.state.mark == "seal":
        return "–"
    return "–".join(league_labels.format_points(score) for score in line.scores)


@register.simple_tag
def score_for(line: GameRow, who: Player) -> str:
    """The score with `who` first, then the others by seat."""
    seats = sorted(line.seats, key=lambda seat: (seat.player.pk != who.pk, seat.seat))
    return "–".join(league_labels.format_points(seat.score) for seat in seats)


@register.simple_tag
def seated(seats: Sequence[SeatRow]) -> SafeString:
    """The players of a game by seat, the winner in bold print as all names are, the others quiet."""
    return format_html_join(
        SafeString(" – "), "{}", ((player(seat.player, "who" if seat.won else "who lost"),) for seat in seats)
    )


@register.simple_tag
def side_words(side: MatchSide) -> SafeString:
    """What a match did to a rating: rated 1512, +12."""
    if side.rating is None:
        return SafeString("")
    css = "up" if side.change > 0 else "down" if side.change < 0 else ""
    return format_html(
        '{} {} <span class="{}">{}</span>',
        _("rated"),
        f"{side.rating:.0f}",
        css,
        league_labels.format_change(side.change),
    )


@register.simple_tag
def provisional() -> SafeString:
    """The mark of a rating that says little yet."""
    return format_html('<span title="{0}" aria-hidden="true">?</span><span class="vh"> {0}</span>', _("provisional"))


@register.simple_tag
def form_of(row: dict[str, Any], length: int) -> SafeString:
    """The last results of a row of the standings."""
    return form([line["result"] for line in row["lines"]][-length:])


@register.simple_tag
def why_of(leaders: Sequence[Standing]) -> str:
    """Why the first stands before the second, in a sentence."""
    first = leaders[0]
    named = {each.entrant.number: full_name(each.entrant.player) for each in leaders}
    neighbour = named.get(first.row["neighbour"])
    if neighbour is None:
        return ""
    sentence = str(first.row["why"].replace(NEIGHBOUR, neighbour))
    return f"{full_name(first.entrant.player)}: {sentence[0].lower()}{sentence[1:]}"


@register.simple_tag
def result(letter: str) -> SafeString:
    """One result in its square."""
    return form([letter])


@register.simple_tag
def said(parts: Iterable[str | Player]) -> SafeString:
    """A sentence in which players are links."""
    return format_html_join("", "{}", ((player(part) if isinstance(part, Player) else part,) for part in parts))


@register.simple_tag(takes_context=True)
def address(context: template.Context, **changes: Any) -> str:
    """This page's address with its query changed; None takes a name out."""
    request = context["request"]
    query = {**dict(request.GET.lists()), **changes}
    encoded = urlencode([(name, value) for name, value in query.items() if value is not None], doseq=True)
    return f"{request.path}?{encoded}" if encoded else str(request.path)


@register.simple_tag(takes_context=True)
def next_here(context: template.Context) -> str:
    """The end of links to log in, sign up or keep a guest's games: afterwards one is here again. On the pages of
    logging in itself it is whatever they were to lead to; "" where that would be no page of this house."""
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
def shared(context: template.Context, title: str, description: str) -> SafeString:
    """What programs show of a link to this page (Open Graph, Twitter cards). `title` and `description` say nothing that
    the page itself does not say to who asks for it."""
    address = context["request"].build_absolute_uri(context["request"].path)
    told = {"og:site_name": "Scorebook", "og:type": "website", "og:url": address}
    told |= {"og:title": title, "og:description": " ".join(description.split())[:LONGEST_SHARED]}
    lines = [('<meta property="{}" content="{}">', name, value) for name, value in told.items()]
    card = SafeString('<meta name="twitter:card" content="summary">')
    return SafeString("\n".join([*(format_html(*line) for line in lines), card]))


@register.simple_tag(takes_context=True)
def folds(context: template.Context, part: str, name: str, value: int, opened: int) -> SafeString:
    """The attributes of a link that unfolds something in a part of this page, or folds it up where it is what is
    `opened`: the query says which by `name`, and the anchor is both, as row-7."""
    changes = {name: None if value == opened else value, "known": None}
    there = f"{address(context, **changes, part=None)}#{name}-{value}"
    return format_html(
        'href="{0}" aria-expanded="{1}" hx-get="{2}" hx-push-url="{0}"',
        there,
        "true" if value == opened else "false",
        address(context, **changes, part=part),
    )


@register.inclusion_tag("parts/pager.html", takes_context=True)
def pager(context: template.Context, page: Page[Any], name: str, label: str, anchor: str = "") -> dict[str, Any]:
    """Links to the pages before and after this one; `name` is the query's, `anchor` where the list stands."""
    previous = None if page.number == 2 else page.number - 1
    return {
        "page": page,
        "label": label,
        "previous": address(context, **{name: previous, "part": None, "known": None}) + anchor,
        "next": address(context, **{name: page.number + 1, "part": None, "known": None}) + anchor,
    }
