"""The lab: a page in which a bot is written and played in the reader's own browser (docs/how-to/use-the-lab.md).

The page loads the library and Python for the browser, and gives both to a framed page of an opaque origin, whose worker
has no network. The server plays nothing and believes nothing that the lab says; an upload takes the usual way.
"""

from __future__ import annotations

import secrets
import sys
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin

from games.accounts import shortcuts
from games.bots import kit, uploads
from games.common.content_policy import set_content_policy
from games.common.for_everybody import for_everybody
from games.common.policy import policy
from games.models import Bot, BotVersion, Game
from games.play.roster import builtin_bots_for
from games.visibility import observe
from scorebook_games.lab import starters
from scorebook_games.registry import KINDS, first_kind
from tournaments.bot_pages.versions import chosen_version, find_version, version_not_found

STARTER_TITLES = {
    starters.SMALL: gettext_lazy("Small starter"),
    starters.MEDIUM: gettext_lazy("Medium starter"),
    starters.LARGE: gettext_lazy("Large starter"),
}
PAST_GAMES: Final = 100  # the latest of a version, in which its changed text is asked again


@never_cache
@policy(visible_in_impersonation=True)
def lab(request: HttpRequest) -> HttpResponse:
    """Show the lab: with a starter of `kind` and `size`, or with the `version` of a `bot`; against the version that
    plays for a bot (`against`); and maybe at a decision of a finished game (`game`, `seat`, `at`)."""
    edited = version_text(request) or starter_text(request)
    me = request.user if isinstance(request.user, User) else None
    moment = moment_data(request)
    page = {
        **edited,
        "kind": moment["kind"] if moment else edited["kind"],
        "kinds": [kind_data(kind) for kind in KINDS],
        **kit.browser_parts(),
        "python_minor": sys.version_info.minor,
        "language": get_language(),
        "shortcuts": shortcuts.chosen(request).plain(),
        "keys": reverse("shortcuts"),
        "moment": moment,
        "other": other_data(request),
        "bots": {"api": reverse("api-bot-list"), "own": own_names(me)} if me else None,
        "login": f"{reverse('account_login')}?{urlencode({'next': request.get_full_path()})}",
    }
    return render(request, "bot_pages/lab.html", {"nav": "bots", "page": page})


@never_cache
@xframe_options_sameorigin
@policy(visible_in_impersonation=True)
def frame(request: HttpRequest) -> HttpResponse:
    """The framed page in which bots run. It alone may compile WebAssembly. Its sandbox gives it an opaque origin, also
    if somebody opens its address; it may load nothing but its own script."""
    nonce = secrets.token_urlsafe(16)
    response = render(request, "bot_pages/lab_frame.html", {"nonce": nonce})
    set_content_policy(
        response,
        {
            "sandbox": "allow-scripts",
            "default-src": "'none'",
            "script-src": f"'nonce-{nonce}' blob: 'wasm-unsafe-eval'",
            "worker-src": "blob:",
            "connect-src": "'none'",
            "base-uri": "'none'",
            "form-action": "'none'",
            "frame-ancestors": "'self'",
        },
    )
    return response


@for_everybody
@policy(visible_in_impersonation=True)
def starter_file(request: HttpRequest, kind: str, size: str) -> HttpResponse:  # noqa: ARG001
    """Return a bot to begin with."""
    if kind not in KINDS or size not in starters.SIZES:
        raise Http404(_("There is no such starter. The sizes are {sizes}.").format(sizes=", ".join(starters.SIZES)))
    return HttpResponse(starters.starter(kind, size).encode(), content_type="text/x-python; charset=utf-8")


def kind_data(kind: str) -> dict[str, Any]:
    """Return what the lab knows of a kind without its library."""
    spec = KINDS[kind].spec
    return {
        "kind": kind,
        "title": spec.title,
        "seats_min": spec.seats_min,
        "seats_max": spec.seats_max,
        "bots": builtin_bots_for(kind),
        "rules": reverse("rules", args=[kind]),
        "explanations": reverse("api-explanations", args=[kind]),
        "board": static(f"kinds/{kind}/board.js") if KINDS[kind].has_board else "",
        "starters": [
            {"size": size, "title": str(title), "address": reverse("lab-starter", args=[kind, size])}
            for size, title in STARTER_TITLES.items()
        ],
    }


def starter_text(request: HttpRequest) -> dict[str, Any]:
    """Return the text to begin with: the wanted starter, or the smallest one. Its changes are kept for each starter."""
    kind, size = request.GET.get("kind", ""), request.GET.get("size", starters.SMALL)
    kind = kind if kind in KINDS else first_kind()
    size = size if size in starters.SIZES else starters.SMALL
    source = starters.starter(kind, size)
    title = KINDS[kind].spec.title
    return {"kind": kind, "document": f"{kind}/{size}", "title": title, "source": source, "past": None}


def version_text(request: HttpRequest) -> dict[str, Any] | None:
    """Return the text of the version of a bot that is to be changed; None if no bot is named.

    Raises `DomainError` bot_not_found, version_not_found (404), source_not_published (403).
    """
    name = request.GET.get("bot", "")
    if not name:
        return None
    version = find_version(uploads.find_visible_bot(name, request.user), request.GET.get("version", ""))
    uploads.check_may_read_source(version, request.user)
    kinds = [kind for kind in version.kinds if kind in KINDS]
    return {
        "kind": kinds[0] if kinds else first_kind(),
        "document": f"bot/{version.bot}/{version.number}",
        "title": str(version),
        "source": version.source,
        "past": past_data(version),
    }


def past_data(version: BotVersion) -> dict[str, Any]:
    """Return where the lab finds the last games of a version, and its own address for a decision in one of them."""
    player = version.player.pk
    asked = {"player": player, "status": Game.Status.FINISHED, "page_size": PAST_GAMES}
    assert version.bot
    itself = {"bot": version.bot.name, "version": version.number}
    return {
        "player": player,
        "games": f"{reverse('api-game-list')}?{urlencode(asked)}",
        "lab": f"{reverse('lab')}?{urlencode(itself)}",
    }


def other_data(request: HttpRequest) -> dict[str, str] | None:
    """Return the file of the version that plays for a bot, as an opponent; None if no bot is named. Raises the same
    errors."""
    name = request.GET.get("against", "")
    if not name:
        return None
    bot = uploads.find_visible_bot(name, request.user)
    version = chosen_version(bot, "")
    if version is None:
        raise version_not_found(bot)
    uploads.check_may_read_source(version, request.user)
    return {"name": str(version), "source": version.source}


def moment_data(request: HttpRequest) -> dict[str, Any] | None:
    """Return the decision of a finished game that is to be understood, or without `at` all decisions of a seat; None if
    no seat is named, or if the game is not open to everybody yet."""
    seat, version = request.GET.get("seat", ""), request.GET.get("at", "")
    game = Game.objects.filter(public_id=request.GET.get("game", "")).select_related("deal").first()
    named = seat.isdecimal() and (not version or version.isdecimal())
    if game is None or not named or not observe.is_fully_open(game) or game.kind not in KINDS:
        return None
    return {
        "kind": game.kind,
        "export": reverse("api-export", args=[game.public_id]),
        "game": reverse("replay", args=[game.public_id]),
        "seat": int(seat),
        "version": int(version) if version else None,
    }


def own_names(owner: User | None) -> list[str]:
    """Return the names of somebody's bots that take files."""
    if owner is None:
        return []
    remote = BotVersion.objects.filter(bot=OuterRef("pk"), transport=BotVersion.Transport.REMOTE)
    uploaded = Bot.objects.filter(~Exists(remote), owner=owner)
    return list(uploaded.order_by("name").values_list("name", flat=True))
