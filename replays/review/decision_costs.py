"""What sorts of decisions cost bots, as rows that are made with luck ledgers, and read by a bot's page.

The sort of a decision is the first word of its move's notation. It is found here by folding the game once more, because
the ledger's entries hold no moves.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import sqrt
from typing import Any, Final, NamedTuple

from django.db import connection, transaction
from django.utils.translation import gettext as _

from games.models import BotVersion, Game, Seat
from games.play.play_account import CostlyMoment, DecisionSort, Form, FormStep, PlayAccount
from replays.review.models import MILLIONTHS, DecisionCost
from scorebook_games.analysis.student import widened
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import is_table_event
from scorebook_games.gamelog.fold import Fold
from scorebook_games.luck.ledger import DECISION, Ledger
from scorebook_games.registry import KINDS

MAX_SORTS_SHOWN: Final = 8
MOMENTS_SHOWN: Final = 3
STEPS_SHOWN: Final = 12
MIN_GAMES_A_STEP: Final = 3
COMPARED: Final = ("seat", "player_id", "kind", "sort", "decisions", "gain", "worst_gain", "worst_version")


# -- rows


def costs_of(game: Game, made: Ledger, events: Sequence[Event]) -> list[DecisionCost]:
    """Return the rows of a game, in order; none if no uploaded or remote bot has a seat."""
    seats = Seat.objects.filter(game=game, player__bot_version__isnull=False)
    others = seats.exclude(player__bot_version__transport=BotVersion.Transport.BUILT_IN)
    bots = dict(others.values_list("seat", "player"))
    decided = [entry for entry in made.entries if entry.sort == DECISION and entry.seat in bots]
    if not decided:
        return []
    sorts = decision_sorts(events, {entry.version for entry in decided})
    rows: dict[tuple[int, str], DecisionCost] = {}
    for entry in decided:
        assert entry.seat is not None
        seat, gain = entry.seat, round(entry.gains[entry.seat] * MILLIONTHS)
        mover, word = sorts.get(entry.version, (None, ""))
        sort = word[:20] if mover == seat else ""
        row = rows.get((seat, sort))
        if row is None:
            row = rows[seat, sort] = DecisionCost(
                game=game,
                seat=seat,
                player_id=bots[seat],
                kind=game.kind,
                sort=sort,
                decisions=0,
                gain=0,
                worst_gain=gain,
                worst_version=entry.version,
            )
        row.decisions += 1
        row.gain += gain
        if gain < row.worst_gain:
            row.worst_gain, row.worst_version = gain, entry.version
    return [rows[key] for key in sorted(rows)]


def decision_sorts(events: Sequence[Event], versions: Collection[int]) -> dict[int, tuple[int, str]]:
    """Return version → who moved and the first word of the move, for those of `versions` at which a decision begins."""
    fold, found = Fold(events[0]), {}
    value = KINDS[fold.opened["kind"]].value
    for version, event in enumerate(events[1:], 2):
        if version in versions and value and not is_table_event(event):
            seat = value.decider(fold.state, event)
            if seat is not None:
                _seat, action = fold.rules.action_of(fold.state, event)
                found[version] = seat, fold.rules.move_text(fold.state, action).partition(" ")[0]
        fold.apply(event)
    return found


def store_costs(game: Game, rows: Sequence[DecisionCost]) -> None:
    """Store the rows of a game in place of those that it has."""
    with transaction.atomic():
        DecisionCost.objects.filter(game=game).delete()
        DecisionCost.objects.bulk_create(rows)


def are_stored(game: Game, rows: Sequence[DecisionCost]) -> bool:
    """Return whether these are the rows of the game."""
    stored = DecisionCost.objects.filter(game=game).order_by("seat", "sort").values_list(*COMPARED)
    return list(stored) == [tuple(getattr(row, name) for name in COMPARED) for row in rows]


# -- reading


class GameLuck(NamedTuple):
    """The luck of one game of a player, in shares of 1."""

    kind: str
    result: float
    luck: float


def account_of(player: int, games: Sequence[int], **_signal: Any) -> PlayAccount:
    """Return the account of `player` in these games. Two queries. A receiver of `games.play.signals.asking_play`."""
    by_kind: dict[str, list[GameLuck]] = {}
    for row in lucks_of(player, games):
        by_kind.setdefault(row.kind, []).append(row)
    form = sorted((form_of(rows) for rows in by_kind.values()), key=lambda each: -each.games)
    return PlayAccount(form, costs_by_sort(player, games, {each.kind: each.games for each in form}))


_LUCKS: Final = """
    SELECT DISTINCT ON (ledger.game_id, seat.seat)
           ledger.kind, ledger.result[seat.seat + 1], ledger.luck[seat.seat + 1]
    FROM review_luckledger ledger JOIN games_seat seat ON seat.game_id = ledger.game_id AND seat.player_id = %s
    WHERE ledger.game_id = ANY(%s) AND ledger.state = 'done'
    ORDER BY ledger.game_id, seat.seat, ledger.value_version DESC, ledger.id DESC
"""


def lucks_of(player: int, games: Sequence[int]) -> list[GameLuck]:
    """Return the luck of those games that have a ledger, by the newest one, in the order of the games."""
    with connection.cursor() as cursor:
        cursor.execute(_LUCKS, [player, list(games)])
        return [GameLuck(*row) for row in cursor.fetchall()]


def form_of(rows: Sequence[GameLuck]) -> Form:
    """Return the form in games of one kind."""
    results, lucks = [row.result for row in rows], [row.luck for row in rows]
    adjusted = [row.result - row.luck for row in rows]
    size = max(MIN_GAMES_A_STEP, -(-len(rows) // STEPS_SHOWN))
    ends = range(size, len(rows) + 1, size)
    steps = [FormStep(end, mean(results[end - size : end]), mean(adjusted[end - size : end])) for end in ends]
    return Form(
        kind=rows[0].kind,
        games=len(rows),
        result=mean(results),
        luck=mean(lucks),
        adjusted=mean(adjusted),
        error=error_of_mean(len(rows), sum(adjusted), sum(each * each for each in adjusted)),
        result_error=error_of_mean(len(rows), sum(results), sum(each * each for each in results)),
        steps=steps if len(steps) > 1 else [],
    )


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def error_of_mean(count: int, total: float, squares: float) -> float:
    """Return the standard error of the mean of `count` values, from their sum and the sum of their squares; widened for
    few values, so that two of them make a 95 % interval. A single value says nothing of it: 1."""
    if count < 2:
        return 1.0
    spread = max(0.0, squares - total * total / count) / (count - 1)
    return sqrt(spread / count) * widened(count)


_COSTS: Final = """
    SELECT rated.kind, rated.sort, rated.decisions, rated.gain, rated.squares, game.public_id, rated.seat,
           rated.worst_version, rated.worst_gain
    FROM (
        SELECT kind, sort, game_id, seat, worst_version, worst_gain,
               sum(decisions) OVER sorts AS decisions, sum(gain) OVER sorts AS gain,
               sum(gain::float8 * gain) OVER sorts AS squares,
               row_number() OVER (PARTITION BY kind, sort ORDER BY worst_gain, game_id) AS place
        FROM review_decisioncost WHERE player_id = %s AND game_id = ANY(%s)
        WINDOW sorts AS (PARTITION BY kind, sort)
    ) rated JOIN games_game game ON game.id = rated.game_id
    WHERE rated.place <= %s ORDER BY rated.kind, rated.sort, rated.place
"""


def costs_by_sort(player: int, games: Sequence[int], counted: dict[str, int]) -> list[DecisionSort]:
    """Return the sorts of decisions that cost the player something, the costliest first. `counted` is the number of
    games with a ledger by kind. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_COSTS, [player, list(games), MOMENTS_SHOWN])
        rows = cursor.fetchall()
    found: dict[tuple[str, str], DecisionSort] = {}
    for kind, sort, decisions, gain, squares, game, seat, version, worst in rows:
        if kind not in counted or kind not in KINDS:
            continue
        if (kind, sort) not in found:
            count, total = counted[kind], float(gain) / MILLIONTHS
            error = error_of_mean(count, total, squares / MILLIONTHS**2)
            found[kind, sort] = DecisionSort(
                kind, sort, sort_label(kind, sort), int(decisions), -total / count, error, []
            )
        if worst < 0:
            moment = CostlyMoment(game, seat, version - 1, -worst / MILLIONTHS)
            found[kind, sort].moments.append(moment)
    costly = [each for each in found.values() if each.cost > 0]
    return sorted(costly, key=lambda each: -each.cost)[:MAX_SORTS_SHOWN]


def sort_label(kind: str, sort: str) -> str:
    """Return the label of a sort of decisions in the reader's language."""
    return KINDS[kind].presentation.move_sort(sort) if sort else _("No move")
