"""Access to streams, checked once before a stream begins, from the browser's session or a token."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings
from django.http import HttpRequest, parse_cookie
from django.utils.translation import gettext as _

from games.accounts import access, bearer, tokens
from games.accounts.languages import chosen_language, language_of_scope
from games.accounts.sessions import user_of
from games.common import rate_limits
from games.common.errors import DomainError, missing_kind_error
from games.common.policy import view_at
from games.models import Game
from games.play import services as play
from games.play.turn import own_or_former_seat, own_or_former_seat_or_none
from games.visibility import observe
from games.visibility.audience import User
from replays.stream import player_feed
from replays.stream.connections import Credentials
from replays.stream.game_tail import NDJSON, SSE, Ticket
from scorebook_games.bots.protocol import WANTS
from scorebook_games.registry import UnknownKind, rules_for

Scope = dict[str, Any]

EVENTS_PATH = re.compile(r"^/api/v1/games/([0-9A-Za-z]{1,20})/events/$")
ASKS_PATH = re.compile(r"^/api/v1/games/([0-9A-Za-z]{1,20})/asks/$")
MY_GAMES_PATH = re.compile(r"^/api/v1/me/games/events/$")


def content_type_of(scope: Scope) -> str | None:
    """Return which of the two stream formats a request asks for; None if this application does not serve the
    request."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    if not any(address.match(scope["path"]) for address in (EVENTS_PATH, ASKS_PATH, MY_GAMES_PATH)):
        return None
    accept = header_of(scope, b"accept")
    return next((form for form in (SSE, NDJSON) if form in accept), None)


def header_of(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def admit_watcher(scope: Scope, form: str) -> Ticket:
    """Return who asks, for what, and with which rights. Raises `DomainError`."""
    game = game_at(EVENTS_PATH, scope)
    query = query_of(scope)
    user, by = user_of_scope(scope)
    viewer = observe.requested_viewpoint(game, user, query.get("viewpoint", query.get("eyes")))  # as in 0.1.0
    since = header_of(scope, b"last-event-id") or query.get("since", "0")
    if not since.isdecimal() or len(since) > 9:
        raise DomainError(400, "bad_version", _("Give the version as a whole number: ?since=0."))
    plays = isinstance(viewer, int) and own_or_former_seat_or_none(game, user) == viewer
    stays = plays and query.get("stay") == "1"
    check_rules(game)
    facts = observe.game_facts(game, viewer)
    frames = query.get("frames") == "1"
    language = language_of(scope, user) if frames else ""
    return Ticket(game, viewer, int(since), form, facts, plays, stays, by, user=user, frames=frames, language=language)


def language_of(scope: Scope, user: Any) -> str:
    """Return the language of a stream: what the person has chosen, else that of the browser. A token's request names
    its own."""
    by_token = tokens.secret_in(header_of(scope, b"authorization")) is not None
    return (not by_token and chosen_language(user)) or language_of_scope(scope)


def admit_bot(scope: Scope, form: str) -> Ticket:
    """Return the seat that a bot may answer for. Raises `DomainError` as `admit_watcher` does, and not_your_seat
    (403)."""
    user, by = user_of_scope(scope)
    game = game_at(ASKS_PATH, scope, user)
    seat = own_or_former_seat(game, user)
    want = wanted_parts(query_of(scope).get("want", ""))
    check_rules(game)
    return Ticket(game, seat, 0, form, {}, plays=True, by=by, want=want, user=user)


def check_rules(game: Game) -> None:
    """Raise `DomainError` kind_missing (503) unless the rules of the game are installed."""
    try:
        rules_for(game.kind, game.rules_version)
    except UnknownKind as error:
        raise missing_kind_error(str(error)) from error


def wanted_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a question that the bot wants; both by default. Raises `DomainError` bad_parameter (400)."""
    parts = tuple(part for part in text.split(",") if part) or WANTS
    if set(parts) - set(WANTS):
        raise DomainError(
            400, "bad_parameter", _("`want` must name parts of a request: {known}.").format(known=", ".join(WANTS))
        )
    return parts


def admit_to_my_games(scope: Scope, form: str) -> player_feed.Watcher:
    """Return the player who watches their own games. Raises `DomainError`."""
    user, by = user_of_scope(scope)
    since = header_of(scope, b"last-event-id") or query_of(scope).get("since", "")
    return player_feed.admit_player(user, form, since, by)


def game_at(address: re.Pattern[str], scope: Scope, user: User | None = None) -> Game:
    """Return the game of that address, if `user` may see it (None: checked later). Raises `DomainError` game_not_found
    (404)."""
    found = address.match(scope["path"])
    assert found  # such a request does not reach this function
    return play.find_game(found[1], user)


def query_of(scope: Scope) -> dict[str, str]:
    """Return the parameters of the query string; of several with one name, the last."""
    sent = parse_qs(scope["query_string"].decode("latin-1"))
    return {name: values[-1] for name, values in sent.items()}


def user_of_scope(scope: Scope) -> tuple[Any, Credentials]:
    """Return the user of the token or of the browser's session (anonymous without either), and their credentials.

    Raises `DomainError`.
    """
    secret = tokens.secret_in(header_of(scope, b"authorization"))
    host, *_port = scope.get("client") or ("",)
    if secret is not None:
        user, token = bearer.user_of_token(secret, view_at(scope["path"]), scope["method"], host)
        return user, Credentials(quota_key(user), (access.key_of_user(user.pk), access.key_of_token(token.pk)))
    user, session = session_user(scope)
    if user.pk is None:
        return user, Credentials(rate_limits.network_of(host))
    return user, Credentials(quota_key(user), (access.key_of_user(user.pk), access.key_of_session(session)))


def quota_key(user: Any) -> str:
    """Return the key under which a user's streams are counted, those of tokens and browsers together."""
    return f"person {user.pk}"


def session_user(scope: Scope) -> tuple[Any, str]:
    """Return the user of the browser's session, and its key; "" without one."""
    cookies = parse_cookie(header_of(scope, b"cookie"))
    key = cookies.get(settings.SESSION_COOKIE_NAME, "")
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(key or None)
    return user_of(request), key
