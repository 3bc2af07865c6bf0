"""The pages of talk: a room, whole or as a part of another page; one's own notes and mutes."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.accounts.staff import is_admin
from games.accounts.views import private_page
from games.common.errors import DomainError
from games.common.page_pagination import Page
from games.common.refusals import Refusals, as_message
from games.common.signed_in import signed_in_user
from games.models import Game, Player
from games.talk import services
from games.talk.models import NOTE_MAX_LENGTH, TEXT_MAX_LENGTH
from games.talk.phrases import PHRASES
from games.talk.rooms import OF_GAMES, SPECTATORS, TABLE, Room, find_room
from games.talk.selectors import find_noted, find_player, mutes_of, notes_of, rows_after

ROWS_A_PAGE: Final = 50


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def room_page(request: HttpRequest, place: str, of: str) -> HttpResponse:
    """Show a room; with `part=room` only its section, and with `part=news` the messages after the one named by `after`.
    POST writes a message."""
    user = signed_in_user(request)
    room = find_room(place, of, user)
    part = request.GET.get("part", "")
    refused = Refusals()
    if request.method == "POST":
        with refused:
            sent = request.POST
            services.write_message(room=room, user=user, phrase=sent.get("phrase", ""), text=sent.get("text", ""))
            if part != "news":
                return redirect(request.path)
    if part == "news":
        return news_part(request, room, user, refused)
    context = {
        "nav": "",
        "room": room,
        "refused": refused.error,
        "sent": request.POST.get("text", ""),
        **room_context(room, user),
    }
    status = refused.status if refused.error else 200
    if part == "room":
        if room.refusal is not None and room.refusal.code != "talk_later":
            return HttpResponse()  # another page has nothing to show of it
        return render(request, "talk/parts/room.html", context)
    if room.refusal is not None:
        status = room.refusal.status
    return render(request, "talk/room.html", context, status=status)


def room_context(room: Room, user: User) -> dict[str, Any]:
    """Return what the section of a room shows."""
    if room.refusal is not None:
        return {}
    rows = rows_after(room, user, 0)
    return {
        "rows": rows,
        "last": rows[-1].pk if rows else 0,
        "phrases": PHRASES,
        "text_max_length": TEXT_MAX_LENGTH,
        "other": {TABLE: SPECTATORS, SPECTATORS: ""}.get(room.place, ""),
        "note": services.note_of(user, Game.objects.get(pk=room.pk)) if room.place in OF_GAMES else None,
        "note_max_length": NOTE_MAX_LENGTH,
    }


def news_part(request: HttpRequest, room: Room, user: User, refused: Refusals) -> HttpResponse:
    """Return what htmx adds to a room: the messages that its reader does not have, and why one was refused."""
    services.check_may_talk(room, user)
    asked = request.POST.get("after") or request.GET.get("after", "")
    after = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 18 else 0
    rows = rows_after(room, user, after)
    context = {
        "room": room,
        "rows": rows,
        "last": rows[-1].pk if rows else after,
        "refused": refused.error,
        "sent": request.POST.get("text", "") if refused.error else "",
        "wrote_text": "text" in request.POST,
        "text_max_length": TEXT_MAX_LENGTH,
    }
    return render(request, "talk/parts/news.html", context)


@private_page
@require_safe
def message_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Go to a message in its room; an admin who does not talk there goes to it in the admin."""
    try:
        _message, room = services.find_message(pk, request.user)
    except DomainError:
        if is_admin(request.user):
            return redirect("admin:talk_message_change", pk)
        raise
    return redirect(f"{reverse('talk', args=[room.place, room.key])}#message-{pk}")


@private_page
@require_POST
def remove_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove a message as an organiser."""
    user = signed_in_user(request)
    message, room = services.find_message(pk, user)
    with as_message(request):
        services.remove_message(message=message, room=room, user=user)
        messages.success(request, _("The message has been removed."))
    return redirect("talk", room.place, room.key)


# for oneself


@private_page
@require_safe
def own_page(request: HttpRequest) -> HttpResponse:
    """Show the reader's notes, and whom they have muted."""
    user = signed_in_user(request)
    context = {
        "nav": "me",
        "page": Page.of(notes_of(user), request.GET.get("page", ""), ROWS_A_PAGE),
        "mutes": mutes_of(user),
    }
    return render(request, "talk/own.html", context)


@private_page
@require_POST
def mute_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Mute a person for oneself, or with `do=unmute` no longer."""
    user, player = signed_in_user(request), find_player(str(pk))
    with as_message(request):
        if request.POST.get("do") == "unmute":
            services.unmute(user=user, player=player)
            messages.success(request, _("You read the messages of {name} again.").format(name=player.name))
        else:
            services.mute(user=user, player=player)
            messages.success(request, _("You no longer read the messages of {name}.").format(name=player.name))
    return redirect("me-talk")


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def note_page(request: HttpRequest, about: str, of: str) -> HttpResponse:
    """Show and change the reader's private note about a game or a person."""
    user = signed_in_user(request)
    found = find_noted(about, of, user)
    refused, text = Refusals(), None
    if request.method == "POST":
        text = request.POST.get("text", "")
        with refused:
            services.write_note(user=user, about=found, text=text)
            if not getattr(request, "htmx", False):
                messages.success(request, _("Your note is saved."))
                return redirect(request.path)
    note = services.note_of(user, found)
    context = {
        "nav": "me",
        "about": about,
        "key": of,
        "thing": found,
        "address": address_of(found),
        "note": note,
        "text": text if text is not None else note.text if note else "",
        "refused": refused.error,
        "saved": request.method == "POST" and refused.error is None,
        "note_max_length": NOTE_MAX_LENGTH,
        "muted": isinstance(found, Player) and mutes_of(user).filter(player=found).exists(),
        "may_mute": isinstance(found, Player) and found.user_id not in (None, user.pk),
    }
    if getattr(request, "htmx", False):
        return render(request, "talk/parts/note.html", context)
    return render(request, "talk/note.html", context, status=refused.status if refused.error else 200)


def address_of(thing: Game | Player) -> str:
    """Return the page of a game or a person."""
    return reverse("replay", args=[thing.public_id]) if isinstance(thing, Game) else reverse("player", args=[thing.pk])
