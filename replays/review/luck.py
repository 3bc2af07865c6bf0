"""What a viewer gets of a game's luck: the ledger as numbers for the API, and in points of 100 for pages.

A ledger says how the cards lay, so it is shown only of a game that is fully open (`games.visibility.observe`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from django.db.models import Case, QuerySet, When
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.common.prepared import first_row, prepared
from games.eventlog import store as eventlog
from games.models import Game
from games.visibility import observe
from replays.review.ledgers import reason_without
from replays.review.models import MILLIONTHS, LuckLedger
from replays.review.moments import Moment, StoredEntry, moments_of
from scorebook_games.gamelog.events import BEAT
from scorebook_games.luck.ledger import CHANCE, DECISION, TABLE, UNEXPLAINED
from scorebook_games.registry import KINDS

MUCH_UNEXPLAINED: Final = 10  # points
NEXT_TO_NOTHING: Final = 0.1  # points of an error that is not told
UNEXPLAINED_AT: Final = 4  # its place among the parts of an account
MIN_SCALE: Final = 25  # points that a bar shows at least, so that little luck looks little

State = LuckLedger.State
Reason = LuckLedger.Reason


# -- numbers


def luck_data(game: Game, value_hash: str | None = None) -> dict[str, Any]:
    """Return the game's ledger as JSON data: the newest, or that by the value function with this hash.

    Raises `DomainError` not_open_yet (409), no_such_ledger (404).
    """
    if not observe.is_fully_open(game):
        sentence = _("The luck of a game is shown when it and all other games of its deal are over.")
        raise DomainError(409, "not_open_yet", sentence)
    rows = list(LuckLedger.objects.filter(game=game).order_by("-value_version", "-pk"))
    made = [row for row in rows if row.state == State.DONE]
    if value_hash is not None:
        chosen = next((row for row in made if row.value_hash == value_hash), None)
        if chosen is None:
            raise DomainError(404, "no_such_ledger", _("The game has no ledger by a value function with this hash."))
    else:
        chosen = made[0] if made else rows[0] if rows else None
    versions = [{"version": row.value_version, "hash": row.value_hash} for row in made]
    return {"game": game.public_id, "kind": game.kind, "value_functions": versions, **_row_data(game, chosen)}


def _row_data(game: Game, row: LuckLedger | None) -> dict[str, Any]:
    if row is None or row.state != State.DONE:
        state, reason = _state_without(game, row)
        without: dict[str, Any] = {"value_version": None, "value_hash": None, "policy": "", "seats": [], "entries": []}
        return {"state": state, "reason": reason, **without}
    return {
        "state": State.DONE.value,
        "reason": "",
        "value_version": row.value_version,
        "value_hash": row.value_hash,
        "policy": row.policy,
        "seats": [_seat_data(row, seat) for seat in range(len(row.result))],
        "entries": [
            {
                "version": entry.version,
                "sort": entry.sort,
                "seat": entry.seat,
                "gains": entry.gains,
                "usual": entry.usual,
            }
            for entry in stored_entries(row)
        ],
    }


def stored_entries(row: LuckLedger) -> Iterator[StoredEntry]:
    """Yield the entries of a ledger. Rows that were made without usual moves have none."""
    usual: Iterator[list[str]] = iter(row.usual)
    for version, sort, seat, gains in row.entries:
        moves = next(usual, []) if sort == DECISION else []
        yield StoredEntry(version, sort, seat, [gain / MILLIONTHS for gain in gains], moves)


def _seat_data(row: LuckLedger, seat: int) -> dict[str, Any]:
    compared = bool(row.policy)
    return {
        "seat": seat,
        "result": row.result[seat],
        "start": row.start[seat],
        "luck": row.luck[seat],
        "own": row.own[seat] if compared else None,
        "others": row.others[seat] if compared else None,
        "unexplained": row.unexplained[seat],
        "departures": row.departures[seat],
        "start_error": row.start_error[seat],
        "luck_error": row.luck_error[seat],
        "own_error": row.own_error[seat] if compared else None,
        "others_error": row.others_error[seat] if compared else None,
        "unexplained_error": row.unexplained_error[seat],
        "adjusted": row.result[seat] - row.luck[seat],
    }


def _state_without(game: Game, row: LuckLedger | None) -> tuple[str, str]:
    """Return state and reason of a game without a ledger. A worker need not have looked at it yet."""
    if row is not None and row.state in (State.NONE, State.FAILED):
        return row.state, row.reason
    reason = reason_without(game)
    return (State.NONE.value, str(reason)) if reason else (State.WAITING.value, "")


def luck_of_games(games: Collection[int], value_hash: str, **_signal: Any) -> dict[int, list[float]]:
    """Return game → luck of each seat, for those of `games` that are fully open and have a ledger by this value
    function. A receiver of `games.play.signals.asking_luck`."""
    open_now = Game.objects.filter(observe.result_is_public(), pk__in=games, deal__revealed_at__isnull=False)
    rows = LuckLedger.objects.filter(game__in=open_now, state=State.DONE, value_hash=value_hash)
    return dict(rows.values_list("game", "luck"))


# -- pages


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart that is 2000 wide, with 0 in its middle."""

    x: int
    width: int


@dataclass(frozen=True, slots=True)
class SeatLuck:
    """A seat's luck and play in a sentence, with their bars; `account` has all figures in points of 100."""

    name: str
    sentence: str
    account: str
    luck: Bar
    play: Bar


@dataclass(frozen=True, slots=True)
class MomentRow:
    """A change that mattered: the step that shows it, what it was worth to whom, and what came or was chosen.

    `seat` decided after `decided` events; both are None for what nobody decided. In beats, a seat decides at the
    beginning of the beat.
    """

    version: int
    worth: str
    words: str
    gain: float
    seat: int | None = None
    decided: int | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A part of an account in points of 100, and two standard errors; 0 if it is exact to a point."""

    points: int
    error: int = 0

    @property
    def is_certain(self) -> bool:
        """Return whether it is certainly not 0."""
        return abs(self.points) > self.error

    def __str__(self) -> str:
        return signed(self.points) + self.interval

    @property
    def size(self) -> str:
        """Return it without a sign."""
        return f"{abs(self.points)}{self.interval}"

    @property
    def interval(self) -> str:
        """Return how exactly it is known, such as “ ± 4”; "" if it is exact."""
        return f" ± {self.error}" if self.error else ""


@dataclass(frozen=True, slots=True)
class LuckPanel:
    """The part of a game's page about its luck: either a `sentence` that says why there is nothing, or the rest.

    `doubt` says why the figures for play are not to be trusted, "" if they are; `waits` whether it will be computed.
    """

    sentence: str
    seats: Sequence[SeatLuck] = ()
    moments: Sequence[MomentRow] = ()
    doubt: str = ""
    waits: bool = False


def luck_panel(game: Game, names: Sequence[str]) -> LuckPanel | None:
    """Return what the game's page shows of its luck; None while the game is not open to all."""
    if not observe.is_fully_open(game):
        return None
    row = first_row(_shown_ledger(game=game.pk))
    if row is None or row.state != State.DONE:
        state, reason = _state_without(game, row)
        return LuckPanel(reason_sentence(game, state, reason), waits=state == State.WAITING)
    return LuckPanel(
        sentence="",
        seats=_seat_rows(row, names, finished=game.status == Game.Status.FINISHED),
        moments=_moment_rows(game, row, names),
        doubt=doubt_sentence(row),
    )


@prepared
def _shown_ledger(*, game: int) -> QuerySet[LuckLedger]:
    made_first = Case(When(state=State.DONE, then=0), default=1)
    return LuckLedger.objects.filter(game=game).order_by(made_first, "-value_version", "-pk")[:1]


def reason_sentence(game: Game, state: str, reason: str) -> str:
    """Return why there is no ledger, in the reader's language."""
    title = KINDS[game.kind].spec.title if game.kind in KINDS else game.kind
    if state == State.WAITING:
        return _("The luck of this game is being computed. It will be known in about a minute.")
    if state == State.FAILED:
        return _("The luck of this game could not be computed. The admins have been told why.")
    sentences = {
        Reason.NO_KIND: _("{kind} is not installed here any more, so the luck of this game cannot be computed."),
        Reason.NO_VALUE_FUNCTION: _("{kind} has no value function yet, so nobody can tell luck from play."),
        Reason.OTHER_RULES: _("This game was played by former rules of {kind}, for which there is no value function."),
        Reason.NOT_DEALT: _("The game ended before anything was dealt, so there was no luck in it."),
        Reason.CONTINUED: _(
            "This game continues another one with the same cards. Its player may know them, so nobody can tell luck "
            "from play."
        ),
    }
    return sentences[Reason(reason)].format(kind=title)


def luck_sentence(luck: Figure, play: Figure | None) -> str:
    """Return a seat's luck and play, such as “38 ± 4 of 100 points of luck, play worth +4 of 100”. Without a comparison
    of its decisions, `play` is None."""
    if luck.points and luck.is_certain:
        words = _("{n} of 100 points of luck") if luck.points > 0 else _("{n} of 100 points of bad luck")
    else:
        words = _("Luck unclear ({n} of 100 points)") if luck.error else _("No luck either way")
    shown = words.format(n=luck.size if luck.is_certain else luck)
    if play is None:
        return shown
    if not play.points and not play.error:
        return _("{luck}, play as good as usual").format(luck=shown)
    return _("{luck}, play worth {play} of 100").format(luck=shown, play=play)


def doubt_sentence(row: LuckLedger) -> str:
    """Return why the figures for play are not to be trusted, or ""."""
    if not row.policy:
        return _("This account was made before decisions were compared with usual ones, so it does not tell play.")
    found = {abs(rounded_account(row, seat)[UNEXPLAINED_AT]) for seat in range(len(row.result))}
    if max(found) < MUCH_UNEXPLAINED:
        return ""
    words = _(
        "{points} points are not explained: the program misjudged somewhere who was ahead. So the figures for play are "
        "uncertain."
    )
    if len(found) > 1:
        words = _(
            "Up to {points} points are not explained: the program misjudged somewhere who was ahead. So the figures "
            "for play are uncertain."
        )
    return words.format(points=max(found))


def signed(points: int) -> str:
    """Return a whole number with its sign: +4, −12, 0."""
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"


def _seat_rows(row: LuckLedger, names: Sequence[str], *, finished: bool) -> list[SeatLuck]:
    scale = max(MIN_SCALE / 100, *map(abs, [*row.luck, *row.own]))
    seats = []
    for seat, name in enumerate(names):
        start, luck, own, others, unexplained, gone = rounded_account(row, seat)
        figures = [_("start {points}").format(points=start), _("luck {points}").format(points=signed(luck))]
        if row.policy:
            figures += [
                _("own play {points}").format(points=signed(own)),
                _("others’ play {points}").format(points=signed(others)),
            ]
        if unexplained:
            words = _("not explained {points}") if row.policy else _("play and all else {points}")
            figures.append(words.format(points=signed(unexplained)))
        if gone:
            figures.append(_("departures {points}").format(points=signed(gone)))
        end = _("result {points}") if finished else _("worth at the end {points}")
        figures.append(end.format(points=round(100 * row.result[seat])))
        play = Figure(own, _two_errors(row.own_error[seat])) if row.policy else None
        sentence = luck_sentence(Figure(luck, _two_errors(row.luck_error[seat])), play)
        bars = _bar(row.luck[seat] / scale), _bar(row.own[seat] / scale)
        seats.append(SeatLuck(name, sentence, " · ".join(figures), *bars))
    return seats


def _two_errors(error: float) -> int:
    """Return two standard errors in points of 100, rounded up; 0 if they are next to nothing."""
    return ceil(200 * error - NEXT_TO_NOTHING)


def rounded_account(row: LuckLedger, seat: int) -> list[int]:
    """Return the parts of a seat's account in points of 100, which add up to its rounded result."""
    parts = (row.start, row.luck, row.own, row.others, row.unexplained, row.departures)
    return rounded_parts([part[seat] for part in parts], row.result[seat])


def rounded_parts(parts: Sequence[float], whole: float) -> list[int]:
    """Return shares in points of 100 whose sum is the rounded `whole`: those nearest to the next number give way."""
    exact = [100 * part for part in parts]
    points = [round(each) for each in exact]
    missing = round(100 * whole) - sum(points)
    step = 1 if missing > 0 else -1
    order = sorted(range(len(parts)), key=lambda place: step * (points[place] - exact[place]))
    for place in order[: abs(missing)]:
        points[place] += step
    return points


def _bar(part: float) -> Bar:
    """Return the bar of a part of the scale, from −1 to 1."""
    width = round(1000 * abs(part))
    return Bar(1000 if part >= 0 else 1000 - width, width)


def _moment_rows(game: Game, row: LuckLedger, names: Sequence[str]) -> list[MomentRow]:
    """Return the largest changes, in the order of the game."""
    events = eventlog.read_events(game.stream_id)
    beats = [entry.version for entry in events if entry.event[0] == BEAT]
    return [
        MomentRow(
            each.version,
            worth_sentence(each, names),
            each.words,
            each.gain,
            seat=each.seat,
            decided=None if each.seat is None else decided_after(each.event, beats),
        )
        for each in moments_of(stored_entries(row), events, names)
    ]


def decided_after(event: int, beats: Sequence[int]) -> int:
    """Return after how many events a seat made the decision of which an event came. `beats` are the versions of the
    events that begin the beats of a game in beats."""
    return max((beat for beat in beats if beat <= event), default=event) - 1


def worth_sentence(moment: Moment, names: Sequence[str]) -> str:
    """Return what a moment was worth: a decision to who made it, all else to the seat that won or lost most by it."""
    words = {
        CHANCE: _("Luck: {points} of 100 for {name}"),
        DECISION: _("Decision: {points} of 100 for {name}"),
        UNEXPLAINED: _("Not explained: {points} of 100 for {name}"),
        TABLE: _("Departure: {points} of 100 for {name}"),
    }
    return words[moment.sort].format(points=signed(round(100 * moment.gain)), name=names[moment.whose])
