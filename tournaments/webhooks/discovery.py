"""What there is to tell: found by queries, written down once for each webhook, whoever looks and however often.

A webhook remembers until when it has been looked for; what is committed late, its moment being earlier, is found as
long as it is not later than `LATE`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from celery import current_app
from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse

from games.common import clock
from games.common.after_commit import after_commit
from games.models import Seat
from tournaments.models import Delivery, MatchGame, Round, Season, Webhook

GAME_OVER: Final = "game.over"
ROUND_OPENED: Final = "round.opened"
SEASON_CLOSED: Final = "season.closed"
PING: Final = "ping"
OF_CLUB: Final = (GAME_OVER, ROUND_OPENED, SEASON_CLOSED)
OF_PERSON: Final = (GAME_OVER,)

QUEUE: Final = "hooks"
EXPIRES: Final = 5  # seconds after which the message is worth nothing: beat says the same every five

LATE: Final = timedelta(minutes=10)
AT_ONCE: Final = 2000
SEASON: Final = "match__round__division__season"


def find() -> int:
    """Write down what has happened and is to be told; how many messages are new."""
    now = clock.now()
    on = Webhook.objects.filter(off="")
    first = on.order_by("looked_at").values_list("looked_at", flat=True).first()
    if first is None:
        return 0
    found = list(_all_since(first - LATE))
    made = Delivery.objects.bulk_create(found, ignore_conflicts=True)
    if len(found) < AT_ONCE:  # else there is more, to be looked for again
        on.filter(looked_at__lt=now).update(looked_at=now)
    return len(made)


def _all_since(since: datetime) -> Iterator[Delivery]:
    yield from _games_of_clubs(since)
    yield from _rounds(since)
    yield from _seasons(since)
    yield from _games_of_people(since)


def _untold(
    rows: QuerySet[Any], event: str, at: str, hook: str, about: str, season: str | None = None
) -> QuerySet[Any]:
    """Those of `rows` that a webhook, to which the path `hook` leads, is to be told of and was not: of what happened,
    by the field `at`, since it was looked for. All conditions on it stand in one `filter`, so that they are of one."""
    told = Delivery.objects.filter(webhook=OuterRef(hook), type=event, about=OuterRef(about))
    wanted = Q(**{f"{hook}__off": "", f"{hook}__events__contains": [event]})
    fresh = Q(**{f"{at}__gt": F(f"{hook}__looked_at") - LATE}, **{f"{at}__gte": F(f"{hook}__told_from")})
    of_season = Q(**{f"{hook}__season": None})
    if season is not None:
        of_season |= Q(**{f"{hook}__season": F(season)})
    return rows.filter(wanted & fresh & of_season, ~Exists(told)).order_by(at)


def _games_of_clubs(since: datetime) -> Iterator[Delivery]:
    """Games of seasons whose result everybody may know by now: it is in the season's stream."""
    hook = f"{SEASON}__league__club__webhooks"
    rows = _untold(MatchGame.objects.filter(recorded_at__gt=since), GAME_OVER, "recorded_at", hook, "game", SEASON)
    names = (hook, "game", "game__public_id", "match", "match__round", SEASON, f"{SEASON}__league__club__slug")
    for pk, game, public_id, match, round, season, club, at in rows.values_list(*names, "recorded_at")[:AT_ONCE]:
        data = {"game": public_id, "match": match, "round": round, "season": season, "club": club}
        yield _message(pk, GAME_OVER, game, at, {**data, **_of_game(public_id)})


def _rounds(since: datetime) -> Iterator[Delivery]:
    hook = "division__season__league__club__webhooks"
    fresh = Round.objects.filter(opened_at__gt=since)
    fresh = fresh.exclude(division__season__imported_at__gte=F("opened_at"))  # opened elsewhere, and over
    rows = _untold(fresh, ROUND_OPENED, "opened_at", hook, "pk", "division__season")
    names = ("division__season", "division__season__league__club__slug", "division__season__league__slug")
    for pk, round, number, division, season, club, league, slug, at in rows.values_list(
        hook, "pk", "number", "division__number", *names, "division__season__slug", "opened_at"
    )[:AT_ONCE]:
        data = {"round": round, "number": number, "division": division, "season": season, "club": club}
        yield _message(pk, ROUND_OPENED, round, at, {**data, **_of_season(club, league, slug, season)})


def _seasons(since: datetime) -> Iterator[Delivery]:
    hook = "league__club__webhooks"
    rows = _untold(Season.objects.filter(finished_at__gt=since), SEASON_CLOSED, "finished_at", hook, "pk", "pk")
    for pk, season, status, club, league, slug, at in rows.values_list(
        hook, "pk", "status", "league__club__slug", "league__slug", "slug", "finished_at"
    )[:AT_ONCE]:
        data = {"season": season, "status": status, "club": club}
        yield _message(pk, SEASON_CLOSED, season, at, {**data, **_of_season(club, league, slug, season)})


def _games_of_people(since: datetime) -> Iterator[Delivery]:
    """Games in which the person sat to the end: who plays knows that it is over."""
    hook = "player__user__webhooks"
    rows = Seat.objects.filter(left="", game__finished_at__gt=since)
    rows = _untold(rows, GAME_OVER, "game__finished_at", hook, "game")
    for pk, game, public_id, at in rows.values_list(hook, "game", "game__public_id", "game__finished_at")[:AT_ONCE]:
        yield _message(pk, GAME_OVER, game, at, {"game": public_id, **_of_game(public_id)})


def _of_game(public_id: str) -> dict[str, str]:
    return {"link": _link("replay", public_id), "api": _address(f"/api/v1/games/{public_id}/")}


def _of_season(club: str, league: str, slug: str, season: int) -> dict[str, str]:
    return {"link": _link("season", club, league, slug), "api": _address(f"/api/v1/seasons/{season}/")}


def _link(name: str, *parts: str) -> str:
    return _address(reverse(name, args=parts))


def _address(path: str) -> str:
    return f"{settings.SCOREBOOK_ADDRESS}{path}"


def _message(hook: int, event: str, about: int | None, at: datetime, data: dict[str, Any]) -> Delivery:
    now = clock.now()
    told = {"type": event, "timestamp": at.astimezone(UTC).isoformat().replace("+00:00", "Z"), "data": data}
    body = json.dumps(told, separators=(",", ":"))
    return Delivery(webhook_id=hook, type=event, about=about, body=body, created=now, due_at=now)


def ping(hook: Webhook) -> Delivery:
    """A message to try it with."""
    made = _message(hook.pk, PING, None, clock.now(), {"webhook": hook.pk})
    made.save()
    hurry()
    return made


def hurry() -> None:
    """After the commit a word to the workers that there is something to send. Beat says it too."""
    after_commit(_call)


def _call() -> None:
    current_app.send_task("tournaments.tell_webhooks", queue=QUEUE, expires=EXPIRES, retry=False)


def events_for(club: object | None) -> Iterable[str]:
    """Which events there are to be told of."""
    return OF_CLUB if club else OF_PERSON
