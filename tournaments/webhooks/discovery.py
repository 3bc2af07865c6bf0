"""Finds events for webhooks by queries, and creates each message once, however often it looks.

A webhook stores until when events were looked for. Each search goes back by `DISCOVERY_OVERLAP`, so that it finds
events with an earlier time whose transaction was committed late.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from celery import current_app
from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse

from games.common import clock
from games.common.after_commit import after_commit
from games.common.outbox import SendState
from games.models import Seat
from tournaments.seasons.models import MatchGame, Round, Season
from tournaments.webhooks.messages import GAME_OVER, PING, ROUND_OPENED, SEASON_CLOSED, write_bodies
from tournaments.webhooks.models import Delivery, Webhook

CLUB_EVENTS: Final = (GAME_OVER, ROUND_OPENED, SEASON_CLOSED)
PERSON_EVENTS: Final = (GAME_OVER,)

QUEUE: Final = "hooks"
MESSAGE_EXPIRES_SECONDS: Final = 5  # later the message is useless: beat sends the same one every five seconds

DISCOVERY_OVERLAP: Final = timedelta(minutes=10)
BATCH_SIZE: Final = 2000
SEASON_LOOKUP: Final = "match__round__division__season"

NewMessage = tuple[Delivery, dict[str, Any]]  # without its body, and the data of which that is made


def create_messages() -> int:
    """Create messages for new events; return how many were found."""
    now = clock.now()
    on = Webhook.objects.filter(off="")
    first = on.order_by("discovered_until").values_list("discovered_until", flat=True).first()
    if first is None:
        return 0
    found = list(_messages_since(first - DISCOVERY_OVERLAP))
    write_bodies(found)
    made = Delivery.objects.bulk_create([message for message, _payload in found], ignore_conflicts=True)
    if len(found) < BATCH_SIZE:  # otherwise there are more, which the next search finds
        on.filter(discovered_until__lt=now).update(discovered_until=now)
    return len(made)


def _messages_since(since: datetime) -> Iterator[NewMessage]:
    yield from _club_games(since)
    yield from _opened_rounds(since)
    yield from _closed_seasons(since)
    yield from _person_games(since)


def _without_message(
    rows: QuerySet[Any], event: str, at: str, hook: str, about: str, season: str | None = None
) -> QuerySet[Any]:
    """Return those of `rows` for which the webhook at the path `hook` needs a message and has none: events whose time
    `at` is after its last search. All conditions are in one `filter`, so that they apply to the same webhook."""
    sent = Delivery.objects.filter(webhook=OuterRef(hook), type=event, about=OuterRef(about))
    wanted = Q(**{f"{hook}__off": "", f"{hook}__events__contains": [event]})
    fresh = Q(
        **{f"{at}__gt": F(f"{hook}__discovered_until") - DISCOVERY_OVERLAP},
        **{f"{at}__gte": F(f"{hook}__events_since")},
    )
    of_season = Q(**{f"{hook}__season": None})
    if season is not None:
        of_season |= Q(**{f"{hook}__season": F(season)})
    return rows.filter(wanted & fresh & of_season, ~Exists(sent)).order_by(at)


def _club_games(since: datetime) -> Iterator[NewMessage]:
    """Yield messages about games of seasons whose result is public, because it is in the season's stream."""
    hook = f"{SEASON_LOOKUP}__league__club__webhooks"
    rows = _without_message(
        MatchGame.objects.filter(recorded_at__gt=since), GAME_OVER, "recorded_at", hook, "game", SEASON_LOOKUP
    )
    names = (
        hook,
        "game",
        "game__public_id",
        "match",
        "match__round",
        SEASON_LOOKUP,
        f"{SEASON_LOOKUP}__league__club__slug",
    )
    for pk, game, public_id, match, round, season, club, at in rows.values_list(*names, "recorded_at")[:BATCH_SIZE]:
        data = {"game": public_id, "match": match, "round": round, "season": season, "club": club}
        yield _message(pk, GAME_OVER, game, at, {**data, **_game_data(public_id)})


def _opened_rounds(since: datetime) -> Iterator[NewMessage]:
    hook = "division__season__league__club__webhooks"
    fresh = Round.objects.filter(opened_at__gt=since)
    fresh = fresh.exclude(division__season__imported_at__gte=F("opened_at"))  # imported rounds, which are over
    rows = _without_message(fresh, ROUND_OPENED, "opened_at", hook, "pk", "division__season")
    names = ("division__season", "division__season__league__club__slug", "division__season__league__slug")
    for pk, round, number, division, season, club, league, slug, at in rows.values_list(
        hook, "pk", "number", "division__number", *names, "division__season__slug", "opened_at"
    )[:BATCH_SIZE]:
        data = {"round": round, "number": number, "division": division, "season": season, "club": club}
        yield _message(pk, ROUND_OPENED, round, at, {**data, **_season_data(club, league, slug, season)})


def _closed_seasons(since: datetime) -> Iterator[NewMessage]:
    hook = "league__club__webhooks"
    rows = _without_message(
        Season.objects.filter(finished_at__gt=since), SEASON_CLOSED, "finished_at", hook, "pk", "pk"
    )
    for pk, season, status, club, league, slug, at in rows.values_list(
        hook, "pk", "status", "league__club__slug", "league__slug", "slug", "finished_at"
    )[:BATCH_SIZE]:
        data = {"season": season, "status": status, "club": club}
        yield _message(pk, SEASON_CLOSED, season, at, {**data, **_season_data(club, league, slug, season)})


def _person_games(since: datetime) -> Iterator[NewMessage]:
    """Yield messages about games in which the person played to the end and therefore knows that it is over."""
    hook = "player__user__webhooks"
    rows = Seat.objects.filter(left="", game__finished_at__gt=since)
    rows = _without_message(rows, GAME_OVER, "game__finished_at", hook, "game")
    for pk, game, public_id, at in rows.values_list(hook, "game", "game__public_id", "game__finished_at")[:BATCH_SIZE]:
        yield _message(pk, GAME_OVER, game, at, {"game": public_id, **_game_data(public_id)})


def _game_data(public_id: str) -> dict[str, str]:
    return {"link": _link("replay", public_id), "api": _absolute_url(f"/api/v1/games/{public_id}/")}


def _season_data(club: str, league: str, slug: str, season: int) -> dict[str, str]:
    return {"link": _link("season", club, league, slug), "api": _absolute_url(f"/api/v1/seasons/{season}/")}


def _link(name: str, *parts: str) -> str:
    return _absolute_url(reverse(name, args=parts))


def _absolute_url(path: str) -> str:
    return f"{settings.SCOREBOOK_BASE_URL}{path}"


def _message(hook: int, event: str, about: int | None, at: datetime, data: dict[str, Any]) -> NewMessage:
    now = clock.now()
    payload = {"type": event, "timestamp": at.astimezone(UTC).isoformat().replace("+00:00", "Z"), "data": data}
    sent = {"webhook_id": hook, "type": event, "about": about, "created": now}
    return Delivery(send_state=SendState.DUE, send_at=now, **sent), payload


def create_ping(hook: Webhook) -> Delivery:
    """Create a test message."""
    made, payload = _message(hook.pk, PING, None, clock.now(), {"webhook": hook.pk})
    write_bodies([(made, payload)])
    made.save()
    wake_workers()
    return made


def wake_workers() -> None:
    """Tell the workers, after the commit, that there are messages. Beat tells them too, later."""
    after_commit(send_wake)


def send_wake() -> None:
    """Tell the workers at once that there are messages."""
    current_app.send_task("tournaments.call_webhooks", queue=QUEUE, expires=MESSAGE_EXPIRES_SECONDS, retry=False)


def event_choices(club: object | None) -> Iterable[str]:
    """Return the events that a webhook of a club, or of a person, can receive."""
    return CLUB_EVENTS if club else PERSON_EVENTS
