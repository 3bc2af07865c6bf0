"""What other programs show of a link to a game: a picture of the table as everybody may see it, and oEmbed.

`/games/<id>/picture.png?at=<version>` is the table at a moment through public eyes, whoever asks. A finished game never
changes, so its pictures are kept.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import Resolver404, resolve, reverse
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.common import page_cache
from games.common.for_everybody import for_everybody
from games.common.link_picture import HEIGHT, WIDTH, LinkPicture, SeatLine, picture_response
from games.common.policy import policy
from games.eventlog import store as eventlog
from games.models import Game
from games.play import endings
from games.play import services as play
from games.visibility import audience, observe
from scorebook_games.gamelog.visibility import PUBLIC
from scorebook_games.registry import KINDS

VERSION: Final = re.compile(r"\d{1,9}")
EMBED_WIDTH: Final = 640
EMBED_HEIGHT: Final = 720
MIN_EMBED_WIDTH: Final = 280
FINISHED_LIFETIME_S: Final = 24 * 60 * 60
RUNNING_LIFETIME_S: Final = 60


@require_safe
@for_everybody
@policy(visible_in_impersonation=True)
def game_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return the picture of a game. 404 for a game that not everybody may see."""
    game = public_game(public_id)
    asked = request.GET.get("at", "")
    at = int(asked) if VERSION.fullmatch(asked) else None
    if not observe.is_fully_open(game):
        return picture_response(picture_of(game, at), RUNNING_LIFETIME_S)
    at = None if at is None else min(at, game.version)
    key = page_cache.digest("picture of a game", game.pk, at, get_language())
    known = page_cache.load(key)
    if known is None:
        known = picture_of(game, at)
        page_cache.store(key, known, 0)
    return picture_response(known, FINISHED_LIFETIME_S)


def public_game(public_id: str) -> Game:
    """Return a game that everybody may see. Raises `DomainError` game_not_found (404)."""
    game = play.find_game(public_id)
    if not audience.is_visible(game, AnonymousUser()):
        raise observe.game_not_found()
    return game


def picture_of(game: Game, at: int | None) -> LinkPicture:
    """Return what the public may see of a game by now, up to the event `at`. An event that the public does not know
    yet is not counted either."""
    until = observe.visible_until_ms(game, PUBLIC)
    entries = [entry for entry in eventlog.read_events(game.stream_id, until=at) if until is None or entry.ms <= until]
    board = observe.visible_thumbnail(game, entries, PUBLIC)
    step = None if at is None else min(at, len(entries))
    seats = list(game.seats.select_related("player").order_by("seat"))
    figures = board.figures if board else []
    rows = board.rows if board else ()
    if step in (None, game.version) and game.outcome and game.outcome["placings"] and observe.is_result_public(game):
        figures = [_("Score: {n}").format(n=score) for score in game.outcome["scores"]]
    lines = [
        SeatLine(
            seat.player.name,
            str(figures[seat.seat]) if seat.seat < len(figures) else "",
            [row for row in rows if row.seat == seat.seat],
        )
        for seat in seats
    ]
    title = KINDS[game.kind].spec.title if game.kind in KINDS else game.kind
    middle = [row for row in rows if row.seat is None]
    return LinkPicture(title, state_text(game, step), lines, middle, board.note if board else "")


def state_text(game: Game, at: int | None) -> str:
    """Return in a few words how far the game is in the picture, as far as everybody may know."""
    if observe.is_sealed(game):
        return _("Sealed until all games with the same deal are over")
    if at is not None and (at < game.version or not observe.is_result_public(game)):
        return _("Step {number}").format(number=at)
    if observe.is_result_public(game):
        return endings.outcome_sentence_of(game)
    return _("In progress")


@require_safe
@for_everybody
@policy(visible_in_impersonation=True)
def oembed(request: HttpRequest) -> HttpResponse:
    """Return what another site shows for the link `url` (oembed.com): a frame with the game at the linked moment.

    404 for other links, and for games that not everybody may see; 501 for a format other than JSON.
    """
    if request.GET.get("format", "json") != "json":
        return HttpResponse(status=501)
    public_id, version, viewpoint = linked_game(request, request.GET.get("url", ""))
    game = public_game(public_id)
    viewpoint = viewpoint if observe.is_fully_open(game) else "public"
    width, height = (
        max(MIN_EMBED_WIDTH, min(int(asked), usual)) if VERSION.fullmatch(asked) else usual
        for asked, usual in (
            (request.GET.get("maxwidth", ""), EMBED_WIDTH),
            (request.GET.get("maxheight", ""), EMBED_HEIGHT),
        )
    )
    picture = picture_of(game, version)
    lifetime_s = FINISHED_LIFETIME_S if observe.is_fully_open(game) else RUNNING_LIFETIME_S
    title = f"{picture.heading}: {', '.join(seat.name for seat in picture.seats)}"
    moment = f"#{version}" if version is not None else ""
    frame = f"{settings.SCOREBOOK_BASE_URL}{reverse('embed', args=[public_id])}?viewpoint={viewpoint}{moment}"
    shown = picture_address(public_id, version)
    return JsonResponse(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": "Scorebook",
            "provider_url": settings.SCOREBOOK_BASE_URL,
            "title": title,
            "width": width,
            "height": height,
            "html": f'<iframe src="{escape(frame)}" title="{escape(title)}" width="{width}" height="{height}"'
            ' loading="lazy"></iframe>',
            "thumbnail_url": f"{settings.SCOREBOOK_BASE_URL}{shown}",
            "thumbnail_width": WIDTH,
            "thumbnail_height": HEIGHT,
            "cache_age": lifetime_s,
        },
        headers={"Cache-Control": f"public, max-age={lifetime_s}"},
    )


def linked_game(request: HttpRequest, url: str) -> tuple[str, int | None, str]:
    """Return the game, the moment and the viewpoint of a link to a replay on this site. Raises Http404 for others."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    ours = {request.get_host(), urlsplit(settings.SCOREBOOK_BASE_URL).netloc}
    try:
        found = resolve(parts.path) if parts.netloc in ours else None
    except Resolver404:
        found = None
    if found is None or found.url_name not in ("replay", "embed"):
        raise Http404(_("There is nothing to embed at this address. Give the address of a game."))
    query = parse_qs(parts.query)
    asked = parts.fragment or query.get("at", [""])[0]
    seat = query.get("viewpoint", ["public"])[0]
    viewpoint = seat if re.fullmatch(r"\d{1,2}|all", seat) else "public"
    return found.kwargs["public_id"], int(asked) if VERSION.fullmatch(asked) else None, viewpoint


def linked_picture(game: Game, asked: str) -> str:
    """Return the address of the picture for a page that was asked for with `at`; "" if not everybody may see it."""
    if not audience.is_visible(game, AnonymousUser()):
        return ""
    return picture_address(game.public_id, int(asked) if VERSION.fullmatch(asked) else None)


def picture_address(public_id: str, at: int | None) -> str:
    """Return the address of the picture of a game at a moment."""
    return reverse("game-picture", args=[public_id]) + (f"?at={at}" if at is not None else "")
