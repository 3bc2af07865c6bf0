"""Checks a platform after its processes were killed many times. Each fault is a sentence."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from django.db import connection

from games.common.models import Incident
from games.common.outbox import SendState
from games.eventlog import store as eventlog
from games.models import Game, Trial
from games.play.models import Fault
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event, RulesError
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold, fold_game
from tests.chaos.season_checks import harm
from tests.chaos.visitors import Ledger, Played, Receiver, Watched
from tournaments.seasons.models import MatchGame, Round, Season
from tournaments.webhooks.models import Delivery, Webhook

# Entries in a game's log about a player who was late, or a bot that failed.
LOST_ON_TIME: Final = (ev.EXPIRED, ev.LEFT, ev.TAKEN_OVER, ev.FAULT)
OURS: Final = (Incident.Cause.WORKER_LOST, Incident.Cause.INFRASTRUCTURE)  # incidents that kills cause


def faults(ledger: Ledger, receiver: Receiver, hook: Webhook) -> Iterator[str]:
    """Yield everything that is wrong."""
    seasons = list(Season.objects.all())
    yield from ended(seasons, ledger)
    yield from harm(*seasons)
    yield from (f"No visitor should get this answer: {each}" for each in ledger.broken)
    yield from moves(ledger)
    yield from nobodys_fault()
    yield from delivery_faults(receiver, hook)
    for watched in ledger.watched:
        yield from resumed(watched)


def ended(seasons: Iterable[Season], ledger: Ledger) -> Iterator[str]:
    """Yield what has not ended, or exists more or less often than it was requested."""
    for season in seasons:
        if season.status != Season.Status.FINISHED:
            yield f"{season} is {season.status}."
    if sorted(season.pk for season in seasons) != sorted(ledger.seasons):
        yield f"The organiser created the seasons {ledger.seasons}; {[season.pk for season in seasons]} exist."
    for game in Game.objects.exclude(status=Game.Status.FINISHED):
        yield f"Game {game.public_id} is {game.status}, at event {game.version}, {game.failures} failures."
    for trial in Trial.objects.exclude(state=Trial.State.DONE):
        yield f"{trial} is {trial.state}."
    for trial in Trial.objects.exclude(version__state="passed"):
        yield f"{trial}: {trial.version.reason or trial.version.state}"
    numbers = sorted(Trial.objects.filter(what=Trial.What.ADMISSION).values_list("version__number", flat=True))
    if numbers != sorted(ledger.versions):
        yield f"The author uploaded the versions {ledger.versions}; {numbers} exist."


def nobodys_fault() -> Iterator[str]:
    """Yield what was blamed on a player, although the kills caused it."""
    for game in Game.objects.select_related("stream"):
        for entry in eventlog.read_events(game.stream_id):
            if entry.event[0] in LOST_ON_TIME:
                yield f"Game {game.public_id}: {entry.event} at version {entry.version}."
    for one in MatchGame.objects.exclude(ruling=MatchGame.Ruling.NONE):
        yield f"Game {one.game_id} was ruled: {one.ruling}."
    for fault in Fault.objects.all():
        yield f"Fault of {fault.bot_version}: {fault.kind}, it cost {fault.cost}."
    for incident in Incident.objects.exclude(cause__in=OURS):
        yield f"Incident ({incident.cause}): {incident.sentence} {incident.detail[-2000:]}"


# moves


def moves(ledger: Ledger) -> Iterator[str]:
    """Yield moves that were answered with 2xx and are missing, different or stored twice."""
    played: defaultdict[str, list[Played]] = defaultdict(list)
    for one in ledger.played:
        played[one.game].append(one)
    for game in Game.objects.filter(seats__player__user__isnull=False).distinct().select_related("deal"):
        yield from (f"Game {game.public_id}: {fault}" for fault in moves_of(game, played[game.public_id], ledger))


def moves_of(game: Game, played: Iterable[Played], ledger: Ledger) -> Iterator[str]:
    """Go through a game's log move by move, and yield what is wrong. Each move of a person must be one that they sent
    and that was answered with the version after it. Where several may act, another move may have come first: a move is
    right if its seat could act all the time since the version at which the person chose it."""
    seats = dict(game.seats.filter(player__user__isnull=False).values_list("player", "seat"))
    found = list(played)
    unsure = [(move, version) for public_id, move, version in ledger.unsure if public_id == game.public_id]
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    fold = fold_game(events[:1])
    since: dict[int, int] = {}
    while (at := fold.version) < len(events):
        found = [one for one in found if one.version != at or not passes(game, fold, seats[one.player], one.move)]
        seat, count = mover(game, fold, events[at])
        own = events[at : at + count]
        if seat in seats.values():
            mine = [one for one in found if (seats[one.player], one.version) == (seat, at + count)]
            sent = [one for one in mine if since[seat] <= one.expected <= at and leads(game, fold, seat, one.move, own)]
            maybe = [one for one in unsure if since[seat] <= one[1] <= at and leads(game, fold, seat, one[0], own)]
            if sent:
                found.remove(sent[0])
            elif maybe:
                unsure.remove(maybe[0])
            else:
                yield f"version {at + 1} has {own[0]}; the player sent {[one.move for one in mine] or 'nothing'}."
        for event in own:
            fold.apply(event)
            since = {each: since.get(each, fold.version) for each in fold.to_act()}
    for one in found:
        yield f"{one} was answered with 2xx and is not there."


def mover(game: Game, fold: Fold, event: Event) -> tuple[int, int]:
    """Return the seat whose move begins with `event` (-1 for none), and the number of events of the move."""
    if ev.is_table_event(event):
        return -1, 1
    dealer = SeedDealer(bytes(game.deal.seed))
    if not fold.started:
        return -1, len(fold.rules.start(fold.state, dealer))
    seat, action = fold.rules.action_of(fold.state, event)
    return seat, len(fold.rules.decide(fold.state, seat, action, dealer))


def leads(game: Game, fold: Fold, seat: int, text: str, events: list[Event]) -> bool:
    """Return whether the move leads to these events."""
    try:
        action = fold.rules.parse_move(fold.state, text)
        decided = fold.rules.decide(fold.state, seat, action, SeedDealer(bytes(game.deal.seed)))
    except RulesError:
        return False
    return bool(json.loads(json.dumps(decided)) == events)


def passes(game: Game, fold: Fold, seat: int, text: str) -> bool:
    """Return whether the move is a pass that leaves no trace."""
    return seat in fold.to_act() and leads(game, fold, seat, text, [])


# what was sent


def delivery_faults(receiver: Receiver, hook: Webhook) -> Iterator[str]:
    """Yield messages that did not arrive, arrived with other contents, or are missing or duplicated for an event."""
    yield from (f"A message could not be verified: {forged}" for forged in receiver.forged)
    kept = {each.message_id: each for each in Delivery.objects.filter(webhook=hook)}
    for message in kept.values():
        if message.send_state != SendState.SENT:
            yield f"{message} is {message.send_state}."
        if {body.decode() for body in receiver.came.get(message.message_id, ())} != {message.body}:
            yield f"{message} came {len(receiver.came.get(message.message_id, ()))} times, not with the stored body."
    yield from (f"{stranger} arrived, but is not stored." for stranger in receiver.came.keys() - kept.keys())
    covered = {
        "game.over": MatchGame.objects.values_list("game", flat=True),
        "round.opened": Round.objects.values_list("pk", flat=True),
        "season.closed": Season.objects.values_list("pk", flat=True),
    }
    about = Counter((each.type, each.about) for each in kept.values())
    for event, things in covered.items():
        for thing in things:
            if about[event, thing] != 1:
                yield f"{event} of {thing} has {about[event, thing]} messages."


def resumed(watched: Watched) -> Iterator[str]:
    """Yield what a watcher missed or received twice."""
    version = Game.objects.get(public_id=watched.game).version
    if not watched.ended:
        yield f"The watcher of {watched.game} is still waiting."
    if watched.versions != list(range(1, version + 1)):
        yield f"The watcher of {watched.game} received {watched.versions} of {version} events."


# messages of the queue


def hasten(broker: str, redis_port: int = 0) -> None:
    """Shift stored times, so that the work of a dead worker is due again at once: messages of the queue, usually after
    five minutes, and messages of webhooks, after two."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE webhooks_delivery SET send_at = send_at - interval '1 hour' WHERE send_state = 'sending'"
        )
        if broker != "redis":
            for queue in queues():
                cursor.execute(f"UPDATE {queue} SET vt = now() WHERE vt > now()")
    if broker == "redis":
        from redis import Redis

        with Redis(port=redis_port) as redis:
            for member, _score in redis.zscan_iter("unacked_index"):
                redis.zadd("unacked_index", {member: 0})


def queues() -> list[str]:
    """Return the tables of the queue in PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident('q_' || queue_name) FROM pgmq.meta ORDER BY 1")
        return [f"pgmq.{name}" for (name,) in cursor.fetchall()]


def waiting(broker: str, redis_port: int = 0) -> dict[str, int]:
    """Return queue → its number of messages at the broker, including those that a worker has taken."""
    if broker == "redis":
        from redis import Redis

        with Redis(port=redis_port) as redis:
            counts = {name: int(redis.llen(name)) for name in ("play", "sandbox", "short", "hooks", "review")}
            return counts | {"unacked": int(redis.hlen("unacked"))}
    found = {}
    with connection.cursor() as cursor:
        for queue in queues():
            cursor.execute(f"SELECT count(*) FROM {queue}")
            found[queue] = int(cursor.fetchone()[0])
    return found
