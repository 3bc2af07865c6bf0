"""Reads what ledgers and reviews measured of the decisions of games."""

from __future__ import annotations

from collections.abc import Collection

from replays.claims import ClaimedRow
from replays.dataset.decisions import Measured
from replays.review.models import MILLIONTHS, GameReview, LuckLedger
from scorebook_games.luck.ledger import DECISION
from scorebook_games.registry import KINDS
from scorebook_games.review.reviewer import method_of

DONE = ClaimedRow.State.DONE


def measured_decisions(games: Collection[int]) -> dict[int, Measured]:
    """Return game id → what was measured by the present value function and the present method of reviews. Three
    queries."""
    found = {game: Measured("", {}, {}) for game in games}
    ledgers = LuckLedger.objects.filter(game__in=found, state=DONE).exclude(policy="")
    for game, kind, value_hash, entries in ledgers.values_list("game", "kind", "value_hash", "entries"):
        if kind in KINDS and (value := KINDS[kind].usable_value) and value.hash == value_hash:
            gains = {
                (seat, version): by_seat[seat] / MILLIONTHS
                for version, sort, seat, by_seat in entries
                if sort == DECISION
            }
            found[game] = found[game]._replace(value_hash=value_hash, gains=gains)
    reviews = GameReview.objects.filter(game__in=found, state=DONE)
    methods = {
        kind: method_of(kind) for kind in reviews.values_list("game__kind", flat=True).distinct() if kind in KINDS
    }
    rows = reviews.values_list("game", "game__kind", "seat", "method", "review__decisions")
    for game, kind, seat, method, decisions in rows:
        if method == methods.get(kind):
            for decision in decisions:
                if decision["cost"] is not None:
                    found[game].costs[seat, decision["event"]] = decision["cost"], decision["error"]
    return found
