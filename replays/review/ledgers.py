"""Computes the luck ledgers of finished games.

Work is found by queries: finished games without a row, and rows that wait. Workers claim them (`claims`). If a worker
is killed, another one computes the same ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from games.common import clock, log_context
from games.eventlog import store as eventlog
from games.models import Game
from games.operations import queues
from games.operations.queues import Queue
from replays import claims
from replays.review import decision_costs
from replays.review.models import MILLIONTHS, DecisionCost, LuckLedger
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.luck.ledger import DECISION, Ledger, ledger_of
from scorebook_games.registry import KINDS
from scorebook_games.step_limit import step_limit

CLAIM_BATCH_SIZE: Final = 10
LEASE: Final = timedelta(minutes=3)  # longer than a batch may take
LEDGER_SECONDS: Final = 10.0  # of the processor; usual are 0.05
SEARCH_BATCH_SIZE: Final = 1000
SEARCH_OVERLAP: Final = timedelta(minutes=1)  # how far a search goes back, for games that were stored late

# What a new or repeated row begins with.
FRESH: Final[dict[str, Any]] = {"state": LuckLedger.State.WAITING, "reason": "", "attempts": 0}


# -- finding work


def find_games(*, every: bool = False) -> int:
    """Add a waiting row for finished games that have none; return how many were added, at most one batch.

    Only games that ended since the last search are looked at, unless `every` is given.
    """
    over = Game.objects.exclude(status=Game.Status.PLAYING).filter(~Exists(_rows_of(OuterRef("pk"))))
    last = LuckLedger.objects.aggregate(last=Max("finished_at"))["last"]
    if last and not every:
        over = over.filter(finished_at__gt=last - SEARCH_OVERLAP)
    return _add(over.order_by("finished_at", "pk"))


def find_explained_again() -> int:
    """Let workers try again those games that have no ledger for a reason that no longer holds, or because another value
    function than the present one failed; return how many."""
    valued, mended = Q(pk__in=[]), Q(pk__in=[])
    for kind, each in KINDS.items():
        if value := each.usable_value:
            valued |= Q(kind=kind, game__rules_version=value.rules.spec.rules_version)
            mended |= Q(kind=kind) & ~Q(value_hash__in=["", value.hash])
    final = Q(reason__in=[LuckLedger.Reason.NOT_DEALT, LuckLedger.Reason.CONTINUED])
    none = Q(valued, ~final, state=LuckLedger.State.NONE)
    stale = LuckLedger.objects.filter(none | Q(mended, state=LuckLedger.State.FAILED))
    return LuckLedger.objects.filter(pk__in=stale.values("pk")).update(due_at=Now(), value_hash="", **FRESH)


def renew() -> int:
    """Add a waiting row beside each ledger that another value function made; return how many, at most one batch."""
    old: Q = Q(pk__in=[])
    for kind, each in KINDS.items():
        if value := each.usable_value:
            made = Exists(_rows_of(OuterRef("pk")).filter(value_hash__in=["", value.hash]))
            old |= Q(~made, kind=kind, rules_version=value.rules.spec.rules_version)
    return _add(Game.objects.exclude(status=Game.Status.PLAYING).filter(old).order_by("pk"))


def _rows_of(game: OuterRef) -> QuerySet[LuckLedger]:
    return LuckLedger.objects.filter(game=game)


def _add(games: QuerySet[Game]) -> int:
    """Add waiting rows for up to one batch of `games`. A row that somebody else adds meanwhile stays the only one."""
    found = games.values_list("pk", "kind", "finished_at", "played_by_workers")[:SEARCH_BATCH_SIZE]
    now = clock.now()
    rows = [
        LuckLedger(game_id=pk, kind=kind, finished_at=at or now, people=not by_workers, due_at=Now())
        for pk, kind, at, by_workers in found
    ]
    LuckLedger.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def due_queue(now: datetime) -> Queue:
    """Return the ledgers that wait for a worker, since the end of the oldest of their games."""
    found = claims.due(LuckLedger).aggregate(n=Count("pk"), oldest=Min("finished_at"))
    return queues.due_queue("luck", _("Luck ledgers"), found["n"], found["oldest"], now)


# -- computing


def compute_due(limit: int = CLAIM_BATCH_SIZE) -> int:
    """Claim up to `limit` due rows and compute them; return how many were claimed."""
    rows = claim(limit)
    for row in rows:
        with log_context.bound_log_context(game=row.game.public_id):
            compute(row)
    return len(rows)


def claim(limit: int) -> list[LuckLedger]:
    """Claim due rows, those of games with people first."""
    return claims.claim(claims.due(LuckLedger).order_by("-people", "id"), limit, LEASE)


def compute(row: LuckLedger) -> None:
    """Compute a claimed ledger and store it with what decisions of bots cost, or why there is none. An error is stored
    for another attempt, with the value function that failed."""
    kind = KINDS.get(row.kind)
    value = kind.usable_value if kind else None
    with claims.attempt(row, value_hash=value.hash if value else ""):
        with step_limit(LEDGER_SECONDS):
            found, costs = account_of(row.game)
        store(row, found, costs)


def account_of(game: Game) -> tuple[dict[str, Any], list[DecisionCost]]:
    """Return the columns of the game's ledger by the present value function, or the reason why there is none; and the
    rows of what decisions of bots cost."""
    if reason := reason_without(game):
        return {"state": LuckLedger.State.NONE, "reason": reason}, []
    events = [entry.event for entry in _events(game)]
    made = ledger_of(events, KINDS[game.kind].usable_value)
    if not made.entries:
        return {"state": LuckLedger.State.NONE, "reason": LuckLedger.Reason.NOT_DEALT}, []
    columns = {"state": LuckLedger.State.DONE, "reason": "", **_figures(made)}
    return columns, decision_costs.costs_of(game, made, events)


def reason_without(game: Game) -> str:
    """Return the code of the reason why the game can have no ledger now, or ""."""
    if game.continued_from_id is not None:
        return LuckLedger.Reason.CONTINUED
    kind = KINDS.get(game.kind)
    if kind is None:
        return LuckLedger.Reason.NO_KIND
    value = kind.usable_value
    if value is None:
        return LuckLedger.Reason.NO_VALUE_FUNCTION
    if value.rules.spec.rules_version != game.rules_version:
        return LuckLedger.Reason.OTHER_RULES
    return ""


def _events(game: Game) -> list[RecordedEvent]:
    return eventlog.read_events(game.stream_id)


def _figures(made: Ledger) -> dict[str, Any]:
    return {
        "value_version": made.value_version,
        "value_hash": made.value_hash,
        "policy": made.policy,
        "result": list(made.result),
        "start": list(made.start),
        "luck": made.luck,
        "own": made.own,
        "others": made.others,
        "unexplained": made.unexplained,
        "departures": made.table,
        "start_error": list(made.start_error),
        "luck_error": made.luck_error,
        "own_error": made.own_error,
        "others_error": made.others_error,
        "unexplained_error": made.unexplained_error,
        "entries": [
            [entry.version, entry.sort, entry.seat, [round(gain * MILLIONTHS) for gain in entry.gains]]
            for entry in made.entries
        ],
        "usual": [list(entry.usual) for entry in made.entries if entry.sort == DECISION],
    }


def store(row: LuckLedger, found: dict[str, Any], costs: Sequence[DecisionCost] = ()) -> bool:
    """Store the result of a claimed row, with what decisions cost; return whether the claim still held.

    If the game already has a ledger by this value function, the row is one too many, and is deleted.
    """
    try:
        with transaction.atomic():
            stored = bool(claims.held(row).update(**found))
            if stored and found["state"] == LuckLedger.State.DONE:
                decision_costs.store_costs(row.game, costs)
            return stored
    except IntegrityError:
        return bool(claims.held(row).delete()[0])


def retry_failed() -> int:
    """Let workers try the failed ledgers again; return how many."""
    return LuckLedger.objects.filter(state=LuckLedger.State.FAILED).update(due_at=Now(), **FRESH)


# -- checking


def differences(*, write: bool = False) -> Iterator[str]:
    """Yield a sentence for each ledger that differs from what its game's log gives now; with `write`, repair it.

    Ledgers by other value functions than the present ones are left alone: their figures stay.
    """
    for row in LuckLedger.objects.filter(state=LuckLedger.State.DONE).select_related("game").iterator(200):
        kind = KINDS.get(row.kind)
        value = kind.usable_value if kind else None
        if value is None or value.hash != row.value_hash:
            continue
        found, costs = account_of(row.game)
        different = sorted(name for name, value in found.items() if getattr(row, name) != value)
        if not decision_costs.are_stored(row.game, costs):
            different.append("costs of decisions")
        if different:
            yield f"The luck ledger of game {row.game.public_id} has another {', '.join(different)} than its log gives."
            if write:
                LuckLedger.objects.filter(pk=row.pk).update(**found)
                decision_costs.store_costs(row.game, costs)
