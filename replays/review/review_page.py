"""A review as its page shows it: the curve as a drawing, and each mistake in words with a link to its moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from games.eventlog import store as eventlog
from games.models import Game
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.fold import Fold
from scorebook_games.presentation.base import MoverView
from scorebook_games.registry import KINDS
from scorebook_games.review import summary_text

WIDTH: Final = 2000  # whole numbers, because templates write others as the reader does
HEIGHT: Final = 480
BAND: Final = 2  # standard errors on each side of the curve
DEALT: Final = {"deal", "decision"}


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of the curve in the drawing: the moment that it links to; chance and two standard errors in percent."""

    version: int
    x: int
    y: int
    percent: int
    error: int
    mistake: bool
    left: int
    width: int

    @property
    def label(self) -> str:
        """What the point says."""
        return _("Event {n}: {percent} % ± {error}").format(n=self.version, percent=self.percent, error=self.error)


@dataclass(frozen=True, slots=True)
class Curve:
    """The curve of the win chance, `WIDTH` × `HEIGHT`; `line` and `band` are points of an SVG polyline and polygon."""

    line: str
    band: str
    points: list[CurvePoint]


@dataclass(frozen=True, slots=True)
class MistakeRow:
    """A mistake: where, what was played and what would have been better, in words, and the cost in percent.

    `strong` is what the strong bot plays there, "" if it was not asked. `better` and `made` are the lines that follow.
    """

    version: int
    move: str
    best: str
    cost: int
    error: int
    strong: str
    agrees: bool
    better: str
    made: str


@dataclass(frozen=True, slots=True)
class ReviewPanel:
    """What a page shows of a finished review. The costliest mistake stands among the others, in words."""

    summary: list[str]
    curve: Curve
    mistakes: list[MistakeRow]
    decisions: int


def review_panel(game: Game, review: Mapping[str, Any], names: Sequence[str]) -> ReviewPanel:
    """Return what the page of a review shows."""
    mistakes = review["mistakes"]
    words = MoveWords(game, review["seat"], names, {each["version"] for each in mistakes})
    return ReviewPanel(
        summary=summary_text({"summary": [each for each in review["summary"] if each[0] != "review_worst"]}),
        curve=curve_of(review["curve"], {each["version"] for each in mistakes}),
        mistakes=[_mistake(each, words) for each in mistakes],
        decisions=len(review["decisions"]),
    )


def curve_of(points: Sequence[Mapping[str, Any]], mistakes: Iterable[int]) -> Curve:
    """Return the drawing of a curve. Points stand at equal distances, as moments do in the game."""
    marked = set(mistakes)
    step = WIDTH / max(1, len(points) - 1)
    drawn = [
        CurvePoint(
            version=each["version"],
            x=round(number * step),
            y=_height(each["chance"]),
            percent=round(100 * each["chance"]),
            error=round(100 * BAND * each["error"]),
            mistake=each["version"] in marked and each["what"] in DEALT,
            left=round(max(0.0, (number - 0.5) * step)),
            width=round(step),
        )
        for number, each in enumerate(points)
    ]
    upper = [(at.x, _height(each["chance"] + BAND * each["error"])) for at, each in zip(drawn, points, strict=True)]
    lower = [(at.x, _height(each["chance"] - BAND * each["error"])) for at, each in zip(drawn, points, strict=True)]
    return Curve(_path((at.x, at.y) for at in drawn), _path([*upper, *reversed(lower)]), drawn)


def _height(chance: float) -> int:
    return round(HEIGHT * (1 - min(1.0, max(0.0, chance))))


def _path(points: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


class MoveWords:
    """The words of moves at some moments of a game, as the buttons of its table name them."""

    def __init__(self, game: Game, seat: int, names: Sequence[str], versions: set[int]) -> None:
        self.presentation = KINDS[game.kind].presentation if game.kind in KINDS else None
        self.views: dict[int, MoverView] = {}
        if self.presentation is None or not versions:
            return
        entries = eventlog.read_events(game.stream_id, until=max(versions))
        fold = Fold(entries[0].event)
        for entry in entries[1:]:
            fold.apply(entry.event)
            if entry.version in versions:
                self.views[entry.version] = MoverView(visibility.observation(fold, seat), seat, names)

    def of(self, version: int, move: str) -> str:
        """Return a move of the seat at a moment in words, or its notation."""
        view = self.views.get(version)
        if self.presentation is None or view is None:
            return move
        return self.presentation.move_label(move, view).words


def _mistake(found: Mapping[str, Any], words: MoveWords) -> MistakeRow:
    version, strong, line = found["version"], found["strong"], found["line"]
    return MistakeRow(
        version=version,
        move=words.of(version, found["move"]),
        best=words.of(version, found["best"]),
        cost=round(100 * found["cost"]),
        error=max(1, round(100 * found["error"])),
        strong=words.of(version, strong) if strong else "",
        agrees=strong == found["best"],
        better=_line_text(line["best"]) if line else "",
        made=_line_text(line["made"]) if line else "",
    )


def _line_text(line: Mapping[str, Any]) -> str:
    """Return the moves of a line in notation, each with its seat from 1: "1: lay K · 2: capture 6 1"."""
    return " · ".join(f"{seat + 1}: {move}" for seat, move in line["moves"])
