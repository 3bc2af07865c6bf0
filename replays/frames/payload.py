"""A replay as JSON data, for the API and embedded in pages (docs/reference/api-games.md). Names are added here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse

from games.eventlog import store as eventlog
from games.models import Game
from games.play.turn import names_in, turn_for
from games.play.unit_of_work import GameUnit
from games.visibility import commentary, observe
from games.visibility.observe import User
from replays.frames.feed import news_data
from replays.frames.frame_cache import frames_between, frames_of_move, frames_since
from scorebook_games.frames import replay
from scorebook_games.frames.serialize import frames_data
from scorebook_games.gamelog.events import Log, RecordedEvent, events_of
from scorebook_games.gamelog.visibility import Viewpoint
from scorebook_games.registry import KINDS


def replay_data(
    game: Game, user: User, viewpoint: str | None = None, *, since: int = 0, until: int | None = None
) -> dict[str, Any]:
    """Return the replay of `game` for `user` and the viewpoint ("" or None: the best that they have).

    It has the frames after `since`, up to `until` if that is given. Raises `DomainError`: bad_viewpoint (400), sealed,
    not_your_viewpoint (403).
    """
    viewer = observe.requested_viewpoint(game, user, viewpoint)
    allowed = observe.allowed_viewpoints(game, user)
    log = eventlog.read_log(game.stream_id)
    return {**data_of(game, viewer, allowed, log, since, until), "turn": turn_for(game, viewer, user, log)}


def commentary_data(game: Game, user: User, secret: str, *, since: int = 0, until: int | None = None) -> dict[str, Any]:
    """Return the replay of `game` for whoever has the secret address of its commentators.

    Raises `DomainError` as `games.visibility.commentary.requested_viewpoint` does.
    """
    viewer = commentary.requested_viewpoint(game, user, secret)
    return {**data_of(game, viewer, [viewer], eventlog.read_log(game.stream_id), since, until), "turn": None}


def data_of(
    game: Game, viewer: Viewpoint, allowed: Sequence[Viewpoint], log: Log, since: int, until: int | None
) -> dict[str, Any]:
    """Return the game and its frames for `viewer`, whose reader may choose among the `allowed` viewpoints."""
    facts = game_data(game, log)
    names = [seat["name"] for seat in facts["seats"]]
    entries = visible_events(game, log, viewer)
    if until is not None:
        frames = frames_between(game.stream_id, entries, viewer, since, until)
    else:
        frames = frames_since(game.stream_id, entries, viewer, since) if since else replay.frames(entries, viewer)
    return {
        "game": facts,
        **observe.viewpoint_data(viewer, allowed),
        "version": len(entries),
        **frames_data(game.kind, frames, names),
    }


def frames_after_move(sender: Any, unit: GameUnit, seat: int, since: int, **_signal: Any) -> dict[str, Any]:  # noqa: ARG001
    """Return `news_data` for the player of `seat`, who knew version `since` and has moved. Nothing of it is read
    again."""
    entries = events_of(unit.log)
    frames = frames_of_move(unit.game.stream_id, entries, seat, since)
    return news_data(unit.game.kind, names_in(unit), frames, since, len(entries))


def last_position_data(game: Game, viewpoint: str) -> dict[str, Any] | None:
    """Return the game's position as in the last frame of that replay; None before the game has begun."""
    viewer = observe.parse_viewpoint(viewpoint, game.seats.count())
    entries = visible_events(game, eventlog.read_log(game.stream_id), viewer)
    if not entries:
        return None
    return KINDS[game.kind].presentation.slim(replay.last_position(entries, viewer))


def visible_events(game: Game, log: Log, viewer: Viewpoint) -> list[RecordedEvent]:
    """Return the events that `viewer` may have by now, unredacted: `replay.frames` redacts them."""
    entries = events_of(log)
    until = None if observe.is_fully_open(game) else observe.visible_until_ms(game, viewer)
    return entries if until is None else [entry for entry in entries if entry.ms <= until]


def game_data(game: Game, log: Log | None = None) -> dict[str, Any]:
    """Return the public facts of a game, with an address for each player."""
    facts = observe.game_facts(game, log=log)
    seats = [{**seat, "player_url": reverse("player", args=[seat["player"]])} for seat in facts["seats"]]
    return {**facts, "seats": seats}
