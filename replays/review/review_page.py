"""A review in words, for its page, the viewer and the API; and the curve as a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, pairwise
from typing import Any, Final

from django.utils.translation import gettext as _

from games.eventlog import store as eventlog
from games.models import Game
from replays.frames.steps import Steps, steps_of
from replays.review.models import GameReview
from scorebook_games.presentation.base import MoverView
from scorebook_games.registry import KINDS
from scorebook_games.review import LineMove, example_moves, summary_text
from scorebook_games.review.reviewer import method_of
from scorebook_games.review.sight import DECISION, Sight, sight_of
from scorebook_games.review.summary import points
from scorebook_games.search.worth import Observation

WIDTH: Final = 2000  # whole numbers, because templates write others as the reader does
HEIGHT: Final = 480
BAND: Final = 2  # standard errors on each side of the curve
MARK_WIDTH: Final = 24


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of the curve in the drawing: the step that it links to; chance and two standard errors in percent, both
    None if they were not measured."""

    step: int
    x: int
    percent: int | None
    error: int
    left: int
    width: int

    @property
    def label(self) -> str:
        """What the point says."""
        if self.percent is None:
            return _("After step {n}: not measured").format(n=self.step)
        words = _("After step {n}: {percent} % ± {error}")
        return words.format(n=self.step, percent=self.percent, error=self.error)


@dataclass(frozen=True, slots=True)
class CurveMark:
    """A mistake in the drawing of the curve: where it stands, and the step that it links to."""

    step: int
    x: int
    left: int

    @property
    def label(self) -> str:
        """What the mark says."""
        return _("After step {n}: a mistake").format(n=self.step)


@dataclass(frozen=True, slots=True)
class Curve:
    """The curve of the win chance, `WIDTH` × `HEIGHT`; `lines` and `bands` are points of SVG polylines and polygons,
    one for each part that was measured without a gap. `marks` are the mistakes: all of them, though the curve of a long
    game has no point for each decision."""

    lines: list[str]
    bands: list[str]
    points: list[CurvePoint]
    marks: list[CurveMark]


@dataclass(frozen=True, slots=True)
class Example:
    """How a game may go on after a move: each move that follows in words, and the seat's share at the end in
    percent."""

    moves: list[str]
    share: int


@dataclass(frozen=True, slots=True)
class MistakeRow:
    """A mistake: where, what was played and what would have been better, in words, the cost and its standard error.

    `step` is the last step of the replay before the decision, and `event` the step of the move. In a beat, others lie
    between them.
    `strong` is what the strong bot plays there, "" if it was not asked. `better` and `made` are examples of how the
    game may go on after both moves, None if there are none.
    """

    version: int
    step: int
    event: int
    move: str
    best: str
    cost: float
    error: float
    strong: str
    better: Example | None
    made: Example | None

    @property
    def in_beat(self) -> bool:
        """Whether the decision was made before a beat."""
        return self.event > self.version + 1

    @property
    def points(self) -> str:
        """The cost in words."""
        return points(round(100 * self.cost))

    @property
    def points_error(self) -> int:
        """The standard error in percentage points, from 1."""
        return max(1, round(100 * self.error))

    @property
    def agrees(self) -> bool:
        """Whether the strong bot plays the better move."""
        return self.strong == self.best


@dataclass(frozen=True, slots=True)
class ReviewPanel:
    """What a page shows of a finished review."""

    summary: list[str]
    curve: Curve
    mistakes: list[MistakeRow]
    seats: int
    decisions: int
    measured: int
    """How many of the decisions."""
    policy: str
    """How all seats play on from each moment: "sensible" or "random"."""

    @property
    def gaps(self) -> bool:
        """Whether the curve has moments that were not measured."""
        return any(point.percent is None for point in self.curve.points)


def review_panel(game: Game, review: Mapping[str, Any], names: Sequence[str], *, own: bool) -> ReviewPanel:
    """Return what the page of a review shows, to the seat's player (`own`) or others."""
    steps = steps_of(game.kind, eventlog.read_events(game.stream_id))
    mistakes = mistake_rows(game, review, names, steps)
    summary = summary_of(review, names, steps, own=own)
    decisions = review["decisions"]
    measured = sum(decision["cost"] is not None for decision in decisions)
    curve = curve_of(review["curve"], review["mistakes"], steps)
    return ReviewPanel(summary, curve, mistakes, review["seats"], len(decisions), measured, review["policy"])


def review_data(
    game: Game, seat: int, row: GameReview | None, names: Sequence[str], *, own: bool = False
) -> dict[str, Any]:
    """Return a review for the API. Without a row its state is "not_asked"."""
    made = row.review if row else None
    steps = steps_of(game.kind, eventlog.read_events(game.stream_id)) if made else Steps([])
    return {
        "game": game.public_id,
        "seat": seat,
        "state": row.state if row else "not_asked",
        "progress": row.progress if row else 0,
        "method": made["method"] if made else row.method if row else "",
        "summary": summary_of(made, names, steps, own=own) if made else [],
        "mistakes": [asdict(row) for row in mistake_rows(game, made, names, steps)] if made else [],
        "review": made,
    }


def summary_of(review: Mapping[str, Any], names: Sequence[str], steps: Steps, *, own: bool) -> list[str]:
    """Return the summary. The costliest mistake stands among the others, in words."""
    shown = [
        [code, {**values, "event": steps.since(values["event"])} if "event" in values else values]
        for code, values in review["summary"]
        if code != "review_worst"
    ]
    return summary_text({"summary": shown}, "" if own else names[review["seat"]])


def mistake_rows(game: Game, review: Mapping[str, Any], names: Sequence[str], steps: Steps) -> list[MistakeRow]:
    """Return the mistakes of a review in words."""
    if not review["mistakes"]:
        return []
    words = MoveWords(game, review, names, steps)
    return [words.row(each) for each in review["mistakes"]]


class MoveWords:
    """The words of moves in a review, as the buttons of the table name them; the notation, where there are none."""

    def __init__(self, game: Game, review: Mapping[str, Any], names: Sequence[str], steps: Steps) -> None:
        self.names, self.seat, self.steps = names, review["seat"], steps
        kind = KINDS.get(game.kind)
        self.presentation = kind.presentation if kind else None
        self.present = kind is not None and method_of(game.kind) == review["method"]
        self.sight: Sight | None = None
        self.seen: dict[int, Observation] = {}
        if kind:
            self.sight = sight_of((entry.event for entry in eventlog.read_events(game.stream_id)), self.seat)
            self.seen = {at.event: at.seen for at in self.sight.positions if at.what == DECISION}

    def row(self, found: Mapping[str, Any]) -> MistakeRow:
        """Return a mistake in words."""
        seen = self.seen.get(found["event"])
        examples = self._examples(found) if found["line"] else {}
        return MistakeRow(
            version=found["version"],
            step=self.steps.at(found["version"]),
            event=found["event"],
            move=self._words(found["move"], self.seat, seen),
            best=self._words(found["best"], self.seat, seen),
            cost=found["cost"],
            error=found["error"],
            strong=self._words(found["strong"], self.seat, seen) if found["strong"] else "",
            better=examples.get("best"),
            made=examples.get("made"),
        )

    def _words(self, move: str, seat: int, seen: Observation | None) -> str:
        if self.presentation is None or seen is None:
            return move
        return self.presentation.move_label(move, MoverView(seen, seat, self.names)).words

    def _examples(self, found: Mapping[str, Any]) -> dict[str, Example]:
        """Return both examples. What the movers saw is found again only by the method that made the review."""
        line = found["line"]
        if self.present and self.sight:
            moves = example_moves(self.sight, found)
        else:
            sides = ("best", "made")
            moves = {side: [LineMove(seat, move, {}) for seat, move in line[side]["moves"]] for side in sides}
        return {
            side: Example(
                [f"{self.names[each.seat]}: {self._words(each.move, each.seat, each.seen or None)}" for each in made],
                round(100 * line[side]["share"]),
            )
            for side, made in moves.items()
        }


def curve_of(points: Sequence[Mapping[str, Any]], mistakes: Sequence[Mapping[str, Any]], steps: Steps) -> Curve:
    """Return the drawing of a curve. Points and mistakes stand where their events do in the game."""
    versions = [point["version"] for point in points]
    first, last = (versions[0], versions[-1]) if versions else (0, 0)

    def place(version: int) -> int:
        return round(WIDTH * min(1.0, max(0.0, (version - first) / max(1, last - first))))

    places = [place(version) for version in versions]
    edges = [0, *((one + other) // 2 for one, other in pairwise(places)), WIDTH]
    drawn = [
        CurvePoint(
            step=steps.at(point["version"]),
            x=places[number],
            percent=None if point["chance"] is None else round(100 * point["chance"]),
            error=round(100 * BAND * (point["error"] or 0)),
            left=edges[number],
            width=edges[number + 1] - edges[number],
        )
        for number, point in enumerate(points)
    ]
    parts = groupby(zip(drawn, points, strict=True), key=lambda pair: pair[1]["chance"] is not None)
    measured = [[(at.x, each["chance"], BAND * each["error"]) for at, each in part] for found, part in parts if found]
    lines = [_path((x, _height(chance)) for x, chance, _error in part) for part in measured]
    bands = []
    for part in measured:
        upper = [(x, _height(chance + error)) for x, chance, error in part]
        lower = [(x, _height(chance - error)) for x, chance, error in part]
        bands.append(_path([*upper, *reversed(lower)]))
    # In a beat several decisions are made at one moment; the event of each move tells them apart.
    marked = [(steps.at(mistake["version"]), place(mistake["event"] - 1)) for mistake in mistakes]
    return Curve(lines, bands, drawn, [CurveMark(step, x, max(0, x - MARK_WIDTH // 2)) for step, x in marked])


def _height(chance: float) -> int:
    return round(HEIGHT * (1 - min(1.0, max(0.0, chance))))


def _path(points: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)
