"""The pages by which people come to a game: /play/, and each table's own. Whatever they do, the API does too."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from games.accounts import people
from games.common import clock
from games.common.errors import DomainError
from games.common.policy import policy
from games.kinds import KINDS
from games.lobby import rows as lobby_rows
from games.lobby import services as lobby
from games.lobby.forms import DEFAULT_BOT, PlayForm
from games.lobby.models import OpenTable
from games.lobby.wishes import BOT_DESCRIPTIONS, CLOCK_CHOICES, FALLBACK_CLOCK, FIRST_GAMES, TableRequest
from games.models import Game, Player
from games.play import offers
from games.play import services as play_services
from games.play.turn import own_or_former_seat

FRAGMENT_TEMPLATES = {
    "tables": "lobby/parts/tables.html",
    "game": "lobby/parts/form_game.html",
    "people": "lobby/parts/form_people.html",
}
MAX_LISTED = 30
STATUS_UNCHANGED = 204  # htmx leaves the page as it is


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@policy(visible_in_impersonation=True)
def play_page(request: HttpRequest) -> HttpResponse:
    """Play at once, sit down somewhere, answer a challenge, or set up a table."""
    me = people.player_of_user(request.user)
    if request.GET.get("part") == "tables":
        return tables_fragment(request, me)
    form = PlayForm(me, request.POST if request.method == "POST" else None)
    tried = request.POST.get("do") == "open"
    if tried and form.is_valid():
        try:
            made = lobby.create_table(host=people.player_or_new_guest(request), wish=form.wish())
        except DomainError as error:
            form.refuse(error)
        else:
            return redirect(table_or_game_url(made))
    context = {
        **table_lists(me),
        "nav": "play",
        "form": form,
        "tried": tried,
        "found": form.found() if form.is_bound else [],
        "first_games": [(rules.spec, FIRST_GAMES.get(kind)) for kind, rules in KINDS.items()],
        "bots": [(name, name.capitalize(), words) for name, words in BOT_DESCRIPTIONS.items()],
        "usual_bot": DEFAULT_BOT,
    }
    template = FRAGMENT_TEMPLATES.get(request.GET.get("part", ""), "lobby/play.html")
    return render(request, template, context, status=422 if tried and form.errors else 200)


def table_lists(me: Player | None) -> dict[str, Any]:
    """The tables that are listed, and those at which the viewer sits or is asked to."""
    at = clock.now()
    listed = [lobby_rows.table_row(each, me, at) for each in lobby.listed_tables()[:MAX_LISTED]]
    own = [lobby_rows.table_row(each, me, at) for each in lobby.tables_of_player(me)] if me else []
    shown = [line for line in listed if line.own is None]
    return {
        "listed": shown,
        "own": own,
        "stamp": " ".join(line.stamp for line in [*own, *shown]) or "none",
    }


def tables_fragment(request: HttpRequest, me: Player | None) -> HttpResponse:
    """The lists alone; nothing where nothing has changed."""
    context = table_lists(me)
    if request.GET.get("known") == context["stamp"]:
        return HttpResponse(status=STATUS_UNCHANGED)
    return render(request, FRAGMENT_TEMPLATES["tables"], context)


@require_POST
def play_now(request: HttpRequest) -> HttpResponse:
    """A game for two against a built-in bot, at once, with the options of a first game."""
    terms = CLOCK_CHOICES[FALLBACK_CLOCK][1]
    kind = request.POST.get("kind", "")
    first = FIRST_GAMES.get(kind)
    wish = TableRequest(
        kind=kind,
        seats=2,
        options=first.options if first else {},
        terms=terms,
        access=OpenTable.Access.INVITED,
        bots=[request.POST.get("bot", DEFAULT_BOT)],
    )
    try:
        made = lobby.create_table(host=people.player_or_new_guest(request), wish=wish)
    except DomainError as error:
        messages.error(request, error.sentence)
        return redirect("play")
    return redirect(table_or_game_url(made))


@never_cache
@require_http_methods(["GET", "HEAD"])
@policy(secret_parameters=("token",), visible_in_impersonation=True)
def table_page(request: HttpRequest, token: str) -> HttpResponse:
    """A table that waits: who sits there, what is played, what the viewer may do."""
    me = people.player_of_user(request.user)
    shown = visible_row_or_404(token, me)
    if shown.own and shown.table.game and request.GET.get("part") != "table":
        return redirect(game_url(shown.table.game))
    context = {"nav": "play", "line": shown, "link": request.build_absolute_uri(request.path), "bots": BOT_DESCRIPTIONS}
    if request.GET.get("part") != "table":
        return render(request, "lobby/table.html", context)
    if shown.own and shown.table.game:
        return HttpResponse(headers={"HX-Redirect": game_url(shown.table.game)})
    if request.GET.get("known") == shown.stamp:
        return HttpResponse(status=STATUS_UNCHANGED)
    return render(request, "lobby/parts/table.html", context)


def visible_row_or_404(token: str, me: Player | None) -> lobby_rows.TableRow:
    """The table as that player sees it; 404 where they may not."""
    query = OpenTable.objects.select_related("host__bot_version", "game")
    found = query.prefetch_related("chairs__player__bot_version").filter(token=token).first()
    if found is None or not lobby.may_see_table(found, me):
        raise Http404("There is no such table.")
    return lobby_rows.table_row(found, me, clock.now())


@require_POST
@policy(secret_parameters=("token",))
def table_action(request: HttpRequest, token: str, what: str) -> HttpResponse:
    """Sit down, stand up, decline, close, fill with bots, say “I am here”; then back to the table, or to the game."""
    try:
        found = lobby.find_table(token)
        me = people.player_of_user(request.user)
        if not lobby.may_see_table(found, me):
            raise Http404("There is no such table.")
        if what == "sit" and me is None:
            lobby.check_chair_free(found)
            me = people.player_or_new_guest(request)
        found = do_table_action(request, found, me, what)
    except DomainError as error:
        if error.status == 404:
            raise Http404(error.sentence) from error
        messages.error(request, error.sentence)
        return redirect("open-table", token)
    if what in ("leave", "decline", "close"):
        messages.success(request, done_message(found, what))
        return redirect("play")
    return redirect(table_or_game_url(found))


def do_table_action(request: HttpRequest, found: OpenTable, me: Player | None, what: str) -> OpenTable:
    """The table after `what` was done there by `me`."""
    if me is None:
        raise DomainError(403, "not_at_table", _("You have no seat at this table."))
    if what == "fill":
        return lobby.fill(table=found, player=me, bot=request.POST.get("bot", ""))
    if what == "sit":
        chair = request.POST.get("chair", "")
        return lobby.sit(table=found, player=me, chair=int(chair) if chair.isdecimal() and len(chair) < 4 else None)
    acts = {
        "leave": lobby.leave_table,
        "decline": lobby.decline_invitation,
        "close": lobby.close,
        "ready": lobby.mark_ready,
    }
    return acts[what](table=found, player=me)


def done_message(found: OpenTable, what: str) -> str:
    """What has been done, in a sentence."""
    sentences = {
        "leave": _("You have left the table of {host}."),
        "decline": _("You have declined. {host} has been notified."),
        "close": _("The table is closed."),
    }
    return sentences[what].format(host=found.host.name)


@require_POST
def play_again(request: HttpRequest, public_id: str) -> HttpResponse:
    """Wish for a game like one that is over; then to the next one if it is open, or back with a word."""
    try:
        game = play_services.find_game(public_id, request.user)
        following = offers.offer_rematch(game=game, seat=own_or_former_seat(game, request.user))
    except DomainError as error:
        if error.status == 404:
            raise Http404(error.sentence) from error
        messages.error(request, error.sentence)
        return redirect("replay", public_id)
    if following:
        return redirect(game_url(following))
    messages.success(
        request, _("The other players have been notified. The rematch begins when all of them accept within 24 hours.")
    )
    return redirect("replay", public_id)


def table_or_game_url(found: OpenTable) -> str:
    """The game's page once it is open, before that the table's."""
    return game_url(found.game) if found.game else reverse("open-table", args=[found.token])


def game_url(game: Game) -> str:
    """Where it is played."""
    return reverse("replay", args=[game.public_id])
