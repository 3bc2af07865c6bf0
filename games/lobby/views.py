"""The pages of the lobby: /play/, and each table's own page. The API offers the same."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from games.accounts import people
from games.common import clock
from games.common.errors import DomainError
from games.common.labels import time_control_text
from games.common.option_fields import known_or_default
from games.common.policy import policy
from games.common.refusals import Refusals, as_message
from games.lobby import rows as lobby_rows
from games.lobby import seekers
from games.lobby import services as lobby
from games.lobby.forms import DEFAULT_BOT, PlayForm
from games.lobby.models import OpenTable, Seeker
from games.lobby.table_request import BOT_DESCRIPTIONS, CLOCK_CHOICES, FALLBACK_CLOCK, TableRequest
from games.models import Game, Player
from games.play import offers
from games.play import services as play_services
from games.play.roster import builtin_bots_for
from games.play.turn import own_or_former_seat
from scorebook_games.contract import Spec
from scorebook_games.kind import Kind
from scorebook_games.presentation.base import FirstGame
from scorebook_games.registry import KINDS, first_kind

FRAGMENT_TEMPLATES = {
    "tables": "lobby/parts/tables.html",
    "game": "lobby/parts/form_game.html",
    "people": "lobby/parts/form_people.html",
}
MAX_LISTED = 30
# By pace: its button, and what it asks of the players.
SEEK_LABELS = {
    "live": (gettext_lazy("Live"), gettext_lazy("You play the game through now.")),
    "slow": (gettext_lazy("Slow"), gettext_lazy("You play it through now, with time to think.")),
    "day": (gettext_lazy("1 day"), gettext_lazy("You need not stay here.")),
}
STATUS_UNCHANGED = 204  # htmx leaves the page as it is


class FirstGameRow(NamedTuple):
    """A kind as /play/ offers it for a game at once, and the built-in bot if only one plays the kind."""

    spec: Spec
    first: FirstGame | None
    players: int
    only_bot: str
    has_introduction: bool

    @classmethod
    def of(cls, kind: Kind) -> FirstGameRow:
        """Return the row of a kind: for two players, or as few as it allows."""
        bots = builtin_bots_for(kind.spec.kind)
        only = bots[0] if len(bots) == 1 else ""
        presentation = kind.presentation
        has_introduction = presentation.introduction is not None
        return cls(kind.spec, presentation.first_game, max(2, kind.spec.seats_min), only, has_introduction)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@policy(visible_in_impersonation=True)
def play_page(request: HttpRequest) -> HttpResponse:
    """Show the page to play at once, sit down somewhere, answer a challenge, or set up a table; with `kind` in the
    address for that game first."""
    me = people.player_of_user(request.user)
    if request.GET.get("part") == "tables":
        return tables_fragment(request, me)
    wanted = known_or_default(request.GET.get("kind"), KINDS, first_kind())
    kinds = sorted(KINDS.values(), key=lambda kind: kind.spec.kind != wanted)
    form = PlayForm(me, request.POST if request.method == "POST" else None, wanted)
    tried = request.POST.get("do") == "open"
    if tried and form.is_valid():
        with Refusals(form.refuse):
            made = lobby.create_table(host=people.player_or_new_guest(request), wish=form.wish())
            return redirect(table_or_game_url(made))
    context = {
        **table_lists(me),
        "nav": "play",
        "form": form,
        "tried": tried,
        "found": form.found() if form.is_bound else [],
        "first_games": [FirstGameRow.of(kind) for kind in kinds],
        "bots": [(name, name.capitalize(), words) for name, words in BOT_DESCRIPTIONS.items()],
        "usual_bot": DEFAULT_BOT,
        "seek_kinds": [kind.spec for kind in kinds if kind.spec.seats_min <= 2 <= kind.spec.seats_max],
        "seek_paces": [(pace, *SEEK_LABELS[pace], time_control_text(CLOCK_CHOICES[pace][1])) for pace in seekers.PACES],
        "seeks": seekers.seeker_of(me) is not None,
        "may_be_rated": me is not None and not lobby.is_guest(me),
    }
    template = FRAGMENT_TEMPLATES.get(request.GET.get("part", ""), "lobby/play.html")
    return render(request, template, context, status=422 if tried and form.errors else 200)


def table_lists(me: Player | None) -> dict[str, Any]:
    """Return the listed tables, and those at which the viewer sits or is invited."""
    at = clock.now()
    listed = [lobby_rows.table_row(table, me, at) for table in lobby.listed_tables()[:MAX_LISTED]]
    my_tables = [lobby_rows.table_row(each, me, at) for each in lobby.tables_of_player(me)] if me else []
    open_tables = [line for line in listed if line.own_chair is None]
    return {
        "listed": open_tables,
        "own": my_tables,
        "stamp": " ".join(line.stamp for line in [*my_tables, *open_tables]) or "none",
    }


def tables_fragment(request: HttpRequest, me: Player | None) -> HttpResponse:
    """Return only the lists; nothing if nothing has changed."""
    context = table_lists(me)
    if request.GET.get("known") == context["stamp"]:
        return HttpResponse(status=STATUS_UNCHANGED)
    return render(request, FRAGMENT_TEMPLATES["tables"], context)


@require_POST
def play_now(request: HttpRequest) -> HttpResponse:
    """Start a game against built-in bots, for as few players as the kind allows, with the options of a first game."""
    terms = CLOCK_CHOICES[FALLBACK_CLOCK][1]
    row = FirstGameRow.of(KINDS[request.POST.get("kind", "")])
    wish = TableRequest(
        kind=row.spec.kind,
        seats=row.players,
        options=row.first.options if row.first else {},
        terms=terms,
        access=OpenTable.Access.INVITED,
        bots=[row.only_bot or request.POST.get("bot", DEFAULT_BOT)] * (row.players - 1),
    )
    with as_message(request):
        return redirect(table_or_game_url(lobby.create_table(host=people.player_or_new_guest(request), wish=wish)))
    return redirect("play")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def seek_page(request: HttpRequest) -> HttpResponse:
    """Wait for somebody to play with now. POST begins, or shows that the page still waits; `do` is cancel or bot."""
    if request.method != "POST":
        waiting = seekers.seeker_of(people.player_of_user(request.user))
        return render(request, "lobby/seek.html", seek_context(waiting)) if waiting else redirect("play")
    refused = as_message(request)
    with refused:
        me, sent = people.player_or_new_guest(request), request.POST
        if sent.get("do") == "cancel":
            seekers.cancel(player=me)
            return redirect("play")
        if sent.get("do") == "bot":
            return redirect(game_url(seekers.play_bot(player=me)))
        kind, pace, rated = sent.get("kind", ""), sent.get("pace", ""), bool(sent.get("rated"))
        found = seekers.seek(player=me, kind=kind, pace=pace, rated=rated)
        if not getattr(request, "htmx", False):
            return redirect(game_url(found) if found else "seek")
        if found:
            return HttpResponse(headers={"HX-Redirect": game_url(found)})
        context = seek_context(seekers.seeker_of(me))
        if sent.get("known") == context["bot"]:
            return HttpResponse(status=STATUS_UNCHANGED)  # else a screen reader would say it again
        return render(request, "lobby/parts/seek.html", context)
    return redirect("play")


def seek_context(waiting: Seeker | None) -> dict[str, Any]:
    """Return what a waiting page shows."""
    assert waiting
    seconds = int((clock.now() - waiting.created).total_seconds())
    return {
        "nav": "play",
        "waiting": waiting,
        "spec": KINDS[waiting.kind].spec,
        "clock": CLOCK_CHOICES[waiting.pace][0],
        "bot": (seekers.offered_bot(waiting) or "").capitalize(),
        "later_bot": seekers.bot_for(waiting).capitalize(),
        "seconds": seconds,
        "waited": f"{seconds // 60}:{seconds % 60:02}",
        "first_width": round(seekers.FIRST_WIDTH),
        "wider": round(seekers.WIDER_PER_SECOND),
    }


@never_cache
@require_http_methods(["GET", "HEAD"])
@policy(secret_parameters=("token",), visible_in_impersonation=True)
def table_page(request: HttpRequest, token: str) -> HttpResponse:
    """Show a waiting table: who sits there, what is played, and what the viewer may do."""
    me = people.player_of_user(request.user)
    row = visible_row_or_404(token, me)
    if row.own_chair and row.table.game and request.GET.get("part") != "table":
        return redirect(game_url(row.table.game))
    bots = {name: BOT_DESCRIPTIONS[name] for name in builtin_bots_for(row.table.kind)}
    context = {"nav": "play", "line": row, "link": request.build_absolute_uri(request.path), "bots": bots}
    if request.GET.get("part") != "table":
        return render(request, "lobby/table.html", context)
    if row.own_chair and row.table.game:
        return HttpResponse(headers={"HX-Redirect": game_url(row.table.game)})
    if request.GET.get("known") == row.stamp:
        return HttpResponse(status=STATUS_UNCHANGED)
    return render(request, "lobby/parts/table.html", context)


def visible_row_or_404(token: str, me: Player | None) -> lobby_rows.TableRow:
    """Return the table as this player sees it. Raises Http404 if they may not."""
    query = OpenTable.objects.select_related("host__bot_version", "game")
    found = query.prefetch_related("chairs__player__bot_version").filter(token=token).first()
    if found is None or not lobby.may_see_table(found, me):
        raise Http404(_("There is no such table."))
    return lobby_rows.table_row(found, me, clock.now())


@require_POST
@policy(secret_parameters=("token",))
def table_action(request: HttpRequest, token: str, what: str) -> HttpResponse:
    """Sit down, leave, decline, close, fill with bots or say “I am here”; then go to the table or the game."""
    with as_message(request, passing=[404]):
        found = lobby.find_table(token)
        me = people.player_of_user(request.user)
        if not lobby.may_see_table(found, me):
            raise Http404(_("There is no such table."))
        if what == "sit" and me is None:
            lobby.check_chair_free(found)
            me = people.player_or_new_guest(request)
        found = do_table_action(request, found, me, what)
        if what in ("leave", "decline", "close"):
            messages.success(request, done_message(found, what))
            return redirect("play")
        return redirect(table_or_game_url(found))
    return redirect("open-table", token)


def do_table_action(request: HttpRequest, found: OpenTable, me: Player | None, what: str) -> OpenTable:
    """Return the table after `me` has done `what` there."""
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
    """Return in a sentence what was done."""
    sentences = {
        "leave": _("You have left the table of {host}."),
        "decline": _("You have declined. {host} has been notified."),
        "close": _("The table is closed."),
    }
    return sentences[what].format(host=found.host.name)


@require_POST
def play_again(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask for another game like a finished one. Go to the next game if it is open, or back with a message."""
    with as_message(request, passing=[404]):
        game = play_services.find_game(public_id, request.user)
        if following := offers.offer_rematch(game=game, seat=own_or_former_seat(game, request.user)):
            return redirect(game_url(following))
        text = _("The other players have been notified. The rematch begins when all of them accept within 24 hours.")
        messages.success(request, text)
    return redirect("replay", public_id)


def table_or_game_url(found: OpenTable) -> str:
    """Return the address of the game's page once it is open, before that of the table's."""
    return game_url(found.game) if found.game else reverse("open-table", args=[found.token])


def game_url(game: Game) -> str:
    """Return the address where the game is played."""
    return reverse("replay", args=[game.public_id])
