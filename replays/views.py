"""The page of a replay: the viewer with JavaScript, and the same game in words for everybody."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, ClassVar

from django.contrib.auth.models import AnonymousUser
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join, json_script
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views import View
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.gzip import gzip_page

from games.accounts import mygames, notices, shortcuts
from games.accounts.people import player_of_user
from games.bots import kit
from games.bots.debugging import debug_links
from games.clocks import services as clocks
from games.common.errors import DomainError
from games.common.labels import lateness_text, time_control_text
from games.common.page_cache import cached_page
from games.common.shortcuts import Choice
from games.models import Game, Seat
from games.play import appointments, continuation, endings, offers, seating
from games.play import services as play
from games.play.turn import own_or_former_seat_or_none
from games.talk.rooms import SPECTATORS, TABLE
from games.visibility import observe
from games.visibility.seats import seats_of
from games.workers import waiting_reasons
from replays.export.link_pictures import linked_picture
from replays.export.verification import check_game
from replays.frames.frame_cache import EVENTS_PER_PIECE, LONG_GAME_EVENTS
from replays.frames.payload import commentary_data, game_data, last_position_data, replay_data
from replays.frontend_build import build_id
from replays.page_versions import replay_version
from replays.result import result_of
from replays.review.luck import luck_panel
from scorebook_games.gamelog.terms import EXPIRY_FORFEIT
from scorebook_games.registry import KINDS


class ReplayPage(View):
    """`/games/<public_id>/?viewpoint=…#<version>`: the table or the replay.

    It is the table for players of a running game, and for players who are asked for a rematch; otherwise, or with
    `look=1`, the replay. A long finished game is sent with its beginning only: the viewer asks for the rest, and the
    words come in pieces, each after the event named by `steps`.
    """

    visible_in_impersonation = True

    @method_decorator([gzip_page, cached_page(replay_version)])
    def get(self, request: HttpRequest, public_id: str) -> HttpResponse:
        """Show the page; 404 for an unknown game, 403 with the reason for a viewpoint that this user may not have."""
        try:
            game = play.find_game(public_id)
            viewpoint = request.GET.get("viewpoint") or default_viewpoint(game, request.user)
            until = first_piece_until(game)
            replay = replay_data(game, request.user, viewpoint, until=until)
        except DomainError as error:
            if error.status == 404:
                raise
            return closed_page(request, game, error)
        notices.mark_seen(request.user, game=game)
        if request.GET.get("part") == "result":
            return result_part(request, game, replay)
        waiting = check_in_data(game, request.user)
        if request.GET.get("part") == "check-in":
            head = {
                "facts": replay["game"],
                "places": placing_rows(replay["game"]),
                "check_in": waiting,
                **head_facts(game, request.user, replay),
            }
            return render(request, "replays/check_in_part.html", head)
        if request.GET.get("look") or is_settled(replay["turn"]):
            replay["turn"] = None
        elif until and replay["turn"]:  # players who are asked for a rematch see the end of the game
            until, replay = None, replay_data(game, request.user, viewpoint)
        again = play_again_data(game, request.user)
        seat = own_or_former_seat_or_none(game, request.user)
        about = mygames.game_contexts([game.pk]).get(game.pk)
        get_token(request)  # sets the cookie for the table's POST requests
        page = {
            **page_data(game, until),
            "go_on": continuation_data(game, request),
            "review": f"{reverse('replay', args=[game.public_id])}review/" if observe.is_fully_open(game) else "",
            "python": kit.browser_parts() if observe.is_fully_open(game) else None,
            "again": again["address"] if again else "",
            "seat": seat,
            "after": after_data(game, seat, request.user, about),
            "shortcuts": shortcuts.chosen(request).plain(),
        }
        steps = steps_data(game, replay, request) if until else whole_steps(replay)
        names = [seat["name"] for seat in replay["game"]["seats"]]
        luck = luck_panel(game, names)
        result = result_of(game, seat, luck)
        page["result"] = result is not None
        context = {**context_of(game, replay, page), "again": again, "check_in": waiting, "steps": steps, "luck": luck}
        asked = request.GET.get("at", "")
        context |= head_facts(game, request.user, replay) | {"debug": debug_links(game, request.user)}
        context |= {"names": names, "about": about, "result": result, "shown_at": linked_picture(game, asked)}
        return render(request, "replays/replay.html", context)


def head_facts(game: Game, user: observe.User, replay: dict[str, Any]) -> dict[str, str]:
    """Return what the head of a game's page has besides the game: its `status` for this reader, because who plays knows
    at once that it is over; how `late` a spectator sees it, its room of `talk`, and for a player whose first game of
    the kind is on the `introduction`; "" for each that there is not."""
    learns = replay["turn"] and game.status == Game.Status.PLAYING
    seat = own_or_former_seat_or_none(game, user)
    return {
        "status": replay["game"]["status"] if seat is None else game.status,
        "late": "" if replay["viewpoint"].isdecimal() else lateness(game),
        "talk": talk_place(replay["game"], seat),
        "introduction": introduction_url(game, user) if learns else "",
    }


def lateness(game: Game) -> str:
    """Return how late spectators see the game; "" if they see it at once, or know how it ended."""
    return "" if observe.is_result_public(game) else lateness_text(game.terms)


def talk_place(facts: dict[str, Any], seat: int | None) -> str:
    """Return the room that belongs to a reader's page of a game; "" for a player who has only bots to talk to."""
    if seat is None:
        return SPECTATORS
    return TABLE if sum(not each["bot"] for each in facts["seats"]) > 1 else ""


def result_part(request: HttpRequest, game: Game, replay: dict[str, Any]) -> HttpResponse:
    """Show the result card alone: the page fetches it again while luck or ratings are still to come."""
    seat = own_or_former_seat_or_none(game, request.user)
    names = [each["name"] for each in replay["game"]["seats"]]
    about = mygames.game_contexts([game.pk]).get(game.pk)
    context = {
        "facts": replay["game"],
        "replay": replay,
        "about": about,
        "result": result_of(game, seat, luck_panel(game, names)),
        "debug": debug_links(game, request.user),
        "again": play_again_data(game, request.user),
        "after": after_data(game, seat, request.user, about),
    }
    return render(request, "replays/result.html", context)


class BareGamePage(View):
    """A page with the board of a game alone, as the public sees it, whoever looks."""

    more: ClassVar[Mapping[str, bool]] = {"embedded": True}
    """What the page is, for the front end."""
    body: ClassVar[str] = "embed"
    """The CSS classes of the page."""

    def shown(self, request: HttpRequest, public_id: str) -> HttpResponse:
        """Return the page; 404 for an unknown game, 403 with the reason for a viewpoint that is not public."""
        game = play.find_game(public_id)
        until, viewpoint = first_piece_until(game), request.GET.get("viewpoint")
        return self.page(request, game, until, lambda: replay_data(game, AnonymousUser(), viewpoint, until=until))

    def page(
        self,
        request: HttpRequest,
        game: Game,
        until: int | None,
        replay_of: Callable[[], dict[str, Any]],
        address: str = "",
    ) -> HttpResponse:
        """Return the page of the game, with the replay up to event `until`, or with the reason why it is refused. More
        of it is at this `address`; "": where everybody finds it."""
        try:
            replay = replay_of()
        except DomainError as error:
            if error.status == 404:
                raise
            context = {"facts": game_data(game), "sentence": error.sentence, "body": self.body}
            return render(request, "replays/embed.html", context, status=error.status)
        page = {**page_data(game, until, sealed=False), **self.more}
        page["replay"] = address or page["replay"]
        return render(request, "replays/embed.html", {**context_of(game, replay, page), "body": self.body})


class EmbedPage(BareGamePage):
    """`/games/<public_id>/embed/?viewpoint=…#<version>`: the board and its controls alone, for a frame on another site.

    It shows only what the public may see, so that a frame cannot leak what a user's session opens.
    """

    @method_decorator([gzip_page, xframe_options_exempt, cached_page(replay_version)])
    def get(self, request: HttpRequest, public_id: str) -> HttpResponse:
        """Show the page."""
        return self.shown(request, public_id)


class BroadcastPage(BareGamePage):
    """`/games/<public_id>/broadcast/`: the board in large type on a transparent page of 1080p, for a programme that
    mixes pictures.

    It shows what spectators see, no earlier than they do.
    """

    more = {"embedded": True, "broadcast": True}
    body = "embed broadcast"

    @method_decorator([gzip_page, cached_page(replay_version)])
    def get(self, request: HttpRequest, public_id: str) -> HttpResponse:
        """Show the page."""
        return self.shown(request, public_id)


class CommentaryPage(BareGamePage):
    """`/games/<public_id>/commentary/<secret>/`: the game with all hands for its commentators, as late as spectators
    see it. It asks for what is new, so that it ends when the address is withdrawn.
    """

    more = {"embedded": True, "commentary": True}
    body = "embed commentary"
    secret_parameters = ("secret",)

    @method_decorator(gzip_page)
    def get(self, request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
        """Show the page; 404 for an unknown game or address, 403 with the reason for a game without commentators."""
        game = play.find_game(public_id)
        until = first_piece_until(game)
        address = reverse("api-commentary", args=[game.public_id, secret])
        answer = self.page(
            request, game, until, lambda: commentary_data(game, request.user, secret, until=until), address
        )
        patch_cache_control(answer, private=True, no_store=True)
        return answer


def first_piece_until(game: Game) -> int | None:
    """Return the event up to which a page first has the game; None for all of it."""
    return EVENTS_PER_PIECE if game.version > LONG_GAME_EVENTS and observe.is_fully_open(game) else None


def whole_steps(replay: dict[str, Any]) -> dict[str, Any]:
    """Return the game in words: the `lines` of its steps, and the number of the last one."""
    return {"lines": step_lines(replay["frames"], replay["viewpoint"]), "count": replay["version"]}


def steps_data(game: Game, replay: dict[str, Any], request: HttpRequest) -> dict[str, Any]:
    """Return a piece of a long game in words: its `lines` and bounds, and where the pieces before and after it
    begin."""
    frames, viewpoint, every = replay["frames"], replay["viewpoint"], replay["version"]
    asked = request.GET.get("steps", "")
    since = min(int(asked), every - 1) if asked.isascii() and asked.isdecimal() and len(asked) < 7 else 0
    if since:
        frames = replay_data(game, request.user, viewpoint, since=since, until=since + EVENTS_PER_PIECE)["frames"]
    until = min(since + EVENTS_PER_PIECE, every)
    return {
        "lines": step_lines(frames, viewpoint),
        "first": since + 1,
        "last": until,
        "every": every,
        "before": max(since - EVENTS_PER_PIECE, 0) if since else None,
        "behind": until if until < every else None,
        "asked": bool(asked),
    }


def step_lines(frames: list[dict[str, Any]], viewpoint: str) -> SafeString:
    """Return the steps as items of an HTML list. A template takes ten times as long for a few hundred of them."""
    item = (
        '<li value="{version}"><a href="?viewpoint={viewpoint}#{version}"><span>{version}</span></a> '
        "{words}{why}{marks}</li>"
    )
    return format_html_join(
        "\n",
        item,
        (
            {
                "version": frame["version"],
                "viewpoint": viewpoint,
                "words": frame["words"],
                "why": why_text(frame.get("why")),
                "marks": format_html_join("", ' <i class="why">{}</i>', [(mark["words"],) for mark in frame["marks"]]),
            }
            for frame in frames
        ),
    )


def why_text(why: dict[str, str] | None) -> SafeString | str:
    """Return from which rule a step followed, as HTML; "" for a step that somebody chose."""
    return format_html(' <i class="why">{} ({})</i>', why["words"], why["clause"]) if why else ""


def default_viewpoint(game: Game, user: observe.User) -> str | None:
    """Return the user's own viewpoint if their answer to a rematch is awaited, because that is at the table."""
    seat = own_or_former_seat_or_none(game, user)
    return str(seat) if seat is not None and offers.is_asked(game, seat) else None


def is_settled(turn: dict[str, Any] | None) -> bool:
    """Return whether nothing is left to do at the table: the game is over, and nobody offers a rematch."""
    return turn is not None and turn["over"] is not None and bool(turn["over"]["rematch"] or not turn["offers"])


def closed_page(request: HttpRequest, game: Game, error: DomainError) -> HttpResponse:
    """Show the page of a game whose log this user may not see: that it is being played, and why no more is shown."""
    open_viewpoints = [observe.viewpoint_text(viewer) for viewer in observe.allowed_viewpoints(game, request.user)]
    facts = game_data(game)
    context = {
        "facts": facts,
        "about": mygames.game_contexts([game.pk]).get(game.pk),
        "sealed": observe.is_sealed(game),
        "sentence": error.sentence,
        "shown_at": linked_picture(game, ""),
        "open": [{"viewpoint": viewpoint, "words": viewpoint_label(viewpoint, facts)} for viewpoint in open_viewpoints],
    }
    return render(request, "replays/closed.html", context, status=error.status)


def check_in_data(game: Game, user: observe.User) -> dict[str, Any] | None:
    """Return a game's check-in: when it begins, who has checked in, and whether the user can; None once the game has
    begun."""
    if game.begins_at is None:
        return None
    fold = play.load_game(game)
    seats = seats_of(game)
    mine = own_or_former_seat_or_none(game, user)
    return {
        "game": game,
        "until": game.begins_at + timedelta(minutes=game.terms["grace_minutes"]),
        "people": [(seat.player, seat.seat in fold.ready) for seat in seats if not seat.player.is_bot],
        "may": mine is not None and mine not in fold.ready,
        "here": mine is not None and mine in fold.ready,
        "forfeit": game.terms["no_show"] == EXPIRY_FORFEIT,
        "clash": appointments.clashing_seats(game, [user.pk]).first() if mine is not None and user.pk else None,
    }


def play_again_data(game: Game, user: observe.User) -> dict[str, Any] | None:
    """Return how a player of the game gets to a similar one; None for others, or if there is no way."""
    if not game.terms.get("rematch", True) or own_or_former_seat_or_none(game, user) is None:
        return None
    following = observe.rematch_of(game)
    return {
        "address": reverse("play-again", args=[game.public_id]),
        "next": reverse("replay", args=[following]) if following else "",
    }


def after_data(
    game: Game, seat: int | None, user: observe.User, about: mygames.GameContext | None
) -> dict[str, Any] | None:
    """Return where the player of `seat` may go when the game is over: its match, their review, and the game that waits
    for them next. None for others, and before the end."""
    if seat is None or not observe.is_result_public(game):
        return None
    waits = mygames.next_game(player_of_user(user))
    return {
        "next": {"words": mygames.my_game_row(waits).words, "address": reverse("replay", args=[waits.game.public_id])}
        if waits
        else None,
        "review": reverse("review", args=[game.public_id, seat]) if observe.is_fully_open(game) else "",
        "match": {"words": about.words, "address": about.url} if about and about.words else None,
    }


def introduction_url(game: Game, user: observe.User) -> str:
    """Return the address of the introduction to the kind for a player whose first game of the kind this is; else ""."""
    player = player_of_user(user)
    if player is None or KINDS[game.kind].presentation.introduction is None:
        return ""
    played = Seat.objects.filter(player=player, game__kind=game.kind).exclude(game=game)
    return "" if played.exists() else reverse("introduction", args=[game.kind])


def viewpoint_label(viewpoint: str, facts: dict[str, Any]) -> str:
    """Return a viewpoint as a button names it."""
    if viewpoint == "public":
        return _("Public view")
    if viewpoint == "all":
        return _("All cards")
    return _("View of {name}").format(name=facts["seats"][int(viewpoint)]["name"])


def context_of(game: Game, replay: dict[str, Any], page: dict[str, Any]) -> dict[str, Any]:
    """Return the template context; `replay` and `page` are embedded whole for the viewer, as `embedded`."""
    facts, frames = replay["game"], replay["frames"]
    names = [seat["name"] for seat in facts["seats"]]
    now = (
        last_position_data(game, replay["viewpoint"]) if page["told"] else frames[-1]["observation"] if frames else None
    )
    embedded = {"replay-data": replay, "replay-page": page}
    return {
        "facts": facts,
        "heading": f"{facts['title']}: {', '.join(names)}",
        "replay": replay,
        "page": page,
        "embedded": [json_script(data, name, Escaped) for name, data in embedded.items()],
        "places": placing_rows(facts),
        "position": KINDS[game.kind].presentation.position(now, names) if now else [],
        "live": facts["status"] == "playing",
        "ending": ending_sentence(facts),
        "waits": waiting_reasons.why_waits(game),
        "own_bots": seating.own_bot_text([seat.player for seat in seats_of(game)]),
    }


class Escaped(DjangoJSONEncoder):
    """JSON that is already escaped as `json_script` does. Django's own way takes 0.1 s for a long game."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("&", "\\u0026").replace("<", "\\u003C").replace(">", "\\u003E")


def page_data(game: Game, told: int | None, *, sealed: bool = True) -> dict[str, Any]:
    """Return what the page needs besides the replay: addresses, the event up to which the game is shown (`told`, None:
    all) and, if it is `sealed`, the seal of its verification."""
    replay, export = (reverse(name, args=[game.public_id]) for name in ("api-replay", "api-export"))
    is_open = observe.is_fully_open(game)
    return {
        "replay": replay,
        "events": replay.replace("/replay/", "/events/"),
        "text": f"{export}?as=text" if is_open else "",
        "json": f"{export}?as=json" if is_open else "",
        "seal": verification_data(game) if is_open and sealed else None,
        "verify": replay.replace("/replay/", "/verify/") if is_open else "",
        "embed": reverse("embed", args=[game.public_id]),
        "broadcast_page": reverse("broadcast", args=[game.public_id]),
        "home": reverse("replay", args=[game.public_id]),
        "go_on": None,
        "review": "",
        "result": False,
        "shortcuts": Choice().plain(),
        "keys": reverse("shortcuts"),
        "game": replay.removesuffix("replay/"),
        "rules": reverse("rules", args=[game.kind]),
        "explanations": reverse("api-explanations", args=[game.kind]),
        "mine": reverse("my-games"),
        "clock": time_control_text(game.terms) if clocks.has_clocks(game) else "",
        "late": lateness(game),
        "login": f"{reverse('account_login')}?next={reverse('replay', args=[game.public_id])}",
        "build": build_id(),
        "board": static(f"kinds/{game.kind}/board.js") if KINDS[game.kind].has_board else "",
        "told": told,
    }


def continuation_data(game: Game, request: HttpRequest) -> dict[str, Any] | None:
    """Return what is needed to continue from a moment of the game; None while it is not open to all."""
    if not observe.is_fully_open(game):
        return None
    bots = [{"program": program, "name": program.capitalize()} for program in continuation.continuation_bots(game)]
    return {
        "post": reverse("api-continue", args=[game.public_id]),
        "signed_in": request.user.is_authenticated,
        "bots": bots,
    }


def verification_data(game: Game) -> dict[str, Any]:
    """Verify the game now: its chain, seed, every move and card; return the result."""
    faults = check_game(game.pk)
    if faults:
        count = len(faults)
        text = ngettext("{count} fault, the first: {fault}", "{count} faults, the first: {fault}", count)
        sentence = text.format(count=count, fault=faults[0])
    else:
        text = _(
            "{count} events. The hash chain is unbroken, and the shuffle and seed match the commitment made "
            "before the deal."
        )
        sentence = text.format(count=game.version)
    return {"sound": not faults, "sentence": sentence, "how": reverse("fairness")}


def ending_sentence(facts: dict[str, Any]) -> str:
    """Return how the game ended and who won; "" while that is secret."""
    seats = facts["seats"]
    gone = [seat["seat"] for seat in seats if seat["left"]]
    return (
        endings.outcome_sentence(facts["outcome"], [seat["name"] for seat in seats], gone) if facts["outcome"] else ""
    )


def placing_rows(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the seats in the order of the result, with place and score; in seat order while there is none."""
    outcome = facts["outcome"]
    if outcome is None or not outcome["placings"]:  # an aborted game has no result
        return [{"seat": seat} for seat in facts["seats"]]
    results = zip(outcome["placings"], outcome["scores"], facts["seats"], strict=True)
    rows = [{"seat": seat, "score": score, "placing": placing} for placing, score, seat in results]
    return sorted(rows, key=lambda row: (row["placing"], row["seat"]["seat"]))
