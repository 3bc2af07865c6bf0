"""A bot's fault, for its author: the question, the answer, the cost, and how to reproduce it at home."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from games.bots.debugging import lab_address
from games.eventlog import store as eventlog
from games.play.faults import DEFAULT_MAX_FAULTS, tellable
from games.play.models import Fault
from games.visibility import observe
from scorebook_games.frames.replay import frames
from scorebook_games.registry import KINDS


@dataclass(frozen=True, slots=True)
class Scene:
    """The position of the game in words. `why` says why it is not shown yet."""

    facts: list[Any]
    why: str = ""


@never_cache
@login_required
def fault(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one fault; 404 for everybody but the bot's author."""
    rows = tellable(Fault.objects.select_related("bot_version__bot", "game__deal", "game__trial"))
    found = rows.filter(pk=pk).first()
    if found is None or found.bot_version.bot.owner_id != request.user.pk:
        raise Http404(_("None of your bots has such a fault."))
    shown = scene(found)
    hidden = bool(shown and shown.why)  # The position stays secret until later, because the author may play there too.
    evidence = {} if hidden else dict(found.evidence)
    context = {
        "nav": "bots",
        "fault": found,
        "bot": found.bot_version.bot,
        "scene": shown,
        "hidden": hidden,
        "evidence": evidence,
        "title": KINDS[found.game.kind].spec.title if found.game else "",
        "legal": evidence.get("legal", []),
        "clause": evidence.get("clause", ""),
        "times": time_used_text(evidence),
        "cost": cost_text(found),
        "command": command(found, request),
        "debug": debug_address(found, hidden=hidden),
    }
    return render(request, "replays/fault.html", context)


def scene(found: Fault) -> Scene | None:
    """Return the position as the bot's seat knew it; None for a fault outside a game."""
    game = found.game
    if game is None or found.position is None or found.seat is None:
        return None
    if not observe.is_fully_open(game):
        return Scene([], _("The position is shown when this game and all other games of its deal are over."))
    entries = [entry for entry in eventlog.read_events(game.stream_id) if entry.version <= found.position]
    names = [seat.player.name for seat in game.seats.select_related("player").order_by("seat")]
    seen = frames(entries, found.seat)
    presentation = KINDS[game.kind].presentation
    return Scene(presentation.position(presentation.slim(seen[-1].observation), names) if seen else [])


def time_used_text(evidence: dict[str, Any]) -> str:
    """Return how long the answer took, and how long it could take, in words."""
    if "wall_ms" not in evidence:
        return ""
    sentence = _("{wall} ms, of which {cpu} ms of processor time. The limit was {limit} ms.")
    return sentence.format(wall=evidence["wall_ms"], cpu=evidence.get("cpu_ms", "?"), limit=evidence.get("limit", "?"))


def cost_text(found: Fault) -> str:
    """Return the cost of the fault in words, with the rule."""
    most = found.game.terms.get("bot_faults", DEFAULT_MAX_FAULTS) if found.game else DEFAULT_MAX_FAULTS
    sentences = {
        Fault.Cost.NONE: _("Nothing."),
        Fault.Cost.RANDOM_MOVE: _("A random legal move was played instead. Fault number {most} forfeits a game."),
        Fault.Cost.FORFEIT: _("The game: fault number {most} forfeits it."),
        Fault.Cost.REFUSED: _("The version was refused: a single fault in admission is enough."),
    }
    if found.kind == Fault.Kind.INFRASTRUCTURE:
        return _("Nothing: it was not the bot’s fault. The game continued from this point.")
    return sentences[Fault.Cost(found.cost)].format(most=most)


def debug_address(found: Fault, *, hidden: bool) -> str:
    """Return the address of the lab with this version at this decision; "" for a fault outside of a decision, or while
    the game is not open to everybody."""
    if found.game is None or found.seat is None or found.position is None or hidden:
        return ""
    return lab_address(found.bot_version, found.game, found.seat, at=found.position)


def command(found: Fault, request: HttpRequest) -> str:
    """Return the command that reproduces the fault on the author's machine, with the address of this request."""
    if found.game is None or found.seat is None:
        return "bin/scorebook-bot check mybot.py"
    page = request.build_absolute_uri(reverse("replay", args=[found.game.public_id]))
    moment = "" if found.position is None else f" --to {found.position}"
    return f"bin/scorebook-bot replay {page} --seat {found.seat}{moment} --bot mybot.py"
