"""A decision of a finished game as its seat saw it then: for the board, in words, and with its moves as choices.

Nothing here knows an event after the decision. `Sight` and frames know nothing that was hidden from the seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.templatetags.static import static
from django.urls import reverse

from games.common.shortcuts import Choice
from games.eventlog import store as eventlog
from games.models import Game
from games.visibility import observe
from replays.frames.payload import game_data
from replays.frontend_build import build_id
from scorebook_games.frames import replay
from scorebook_games.frames.serialize import frames_data
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.practice import decision_at
from scorebook_games.presentation.base import Fact, MoverView
from scorebook_games.presentation.sentences import Observation
from scorebook_games.registry import KINDS
from scorebook_games.review.sight import Position, sight_of

SHOWN_FRAMES: Final = 60  # steps that can be looked at before the decision
LATER_FACTS: Final = ("outcome", "termination", "finished_at", "rematch", "rematch_of")  # not known at the decision
PUZZLE_FACTS: Final = ("kind", "title", "options", "status")  # of a game, while nobody may know which one it is


@dataclass(frozen=True, slots=True)
class Moment:
    """A decision of a seat. `entries` are the events before it."""

    game: Game
    seat: int
    at: Position
    entries: list[RecordedEvent]
    names: list[str]
    is_named: bool = True  # names are those of the players, and the game may be known

    @property
    def name(self) -> str:
        """The name of the player."""
        return self.names[self.seat]

    def words(self, move: str) -> str:
        """Return a move as a button of the table names it."""
        view = MoverView(self.at.seen, self.seat, self.names)
        return KINDS[self.game.kind].presentation.move_label(move, view).words

    def choices(self, moves: Sequence[str]) -> list[dict[str, str]]:
        """Return moves with their words, those first that the rules list first."""
        places = {text: place for place, text in enumerate(self.at.legal)}
        order = sorted(moves, key=lambda text: (places.get(text, len(places)), text))
        return [{"move": text, "words": self.words(text)} for text in order]

    def data(self, moves: Sequence[str]) -> dict[str, Any]:
        """Return the decision for the API."""
        return {
            "game": self.game.public_id,
            "kind": self.game.kind,
            "seat": self.seat,
            "version": self.at.version,
            "observation": self.observation(),
            "moves": self.choices(moves),
        }

    def facts(self) -> list[Fact]:
        """Return the position in words."""
        return KINDS[self.game.kind].presentation.position(self.observation(), self.names)

    def observation(self) -> Observation:
        """Return what the seat knows at the decision, in beats with its own moves of the beat."""
        return {**replay.last_position(self.entries, self.seat), **self.at.seen, "to_act": [self.seat]}

    def frames(self) -> list[replay.Frame]:
        """Return the last steps before the decision. The last one shows what the seat knows then."""
        found = replay.frames(self.entries, self.seat)[-SHOWN_FRAMES:]
        return [*found[:-1], replace(found[-1], observation=self.observation())]

    def replay(self) -> dict[str, Any]:
        """Return the replay up to the decision, as `replays.frames.payload.replay_data` does."""
        public = game_data(self.game)
        seats = [{**each, "left": "", "name": self.names[each["seat"]]} for each in public["seats"]]
        frames = frames_data(self.game.kind, self.frames(), self.names)
        if self.is_named:
            facts = {**public, **dict.fromkeys(LATER_FACTS), "seats": seats}
        else:  # by what else is public of it, such as any time, the game could be found
            facts = {**dict.fromkeys(public), **{name: public[name] for name in PUZZLE_FACTS}, "id": ""}
            facts["seats"] = [{**seat, "player": 0, "player_url": None, "version": None} for seat in seats]
            frames["frames"] = [{**frame, "ms": 0} for frame in frames["frames"]]
        return {
            "game": facts,
            **observe.viewpoint_data(self.seat, [self.seat]),
            "version": self.at.version + 1,  # the game goes on
            **frames,
            "turn": None,
        }

    def page(self, shortcuts: Choice) -> dict[str, Any]:
        """Return what the viewer needs besides the replay. It leads nowhere."""
        nowhere = ("replay", "events", "text", "json", "verify", "embed", "home", "game", "mine", "clock", "login")
        return {
            **dict.fromkeys((*nowhere, "again", "keys"), ""),
            "seal": None,
            "go_on": None,
            "shortcuts": shortcuts.plain(),
            "rules": reverse("rules", args=[self.game.kind]),
            "build": build_id(),
            "board": static(f"kinds/{self.game.kind}/board.js") if KINDS[self.game.kind].has_board else "",
            "told": None,
            "moment": self.at.version,
        }


def moment_of(game: Game, seat: int, event: int, names: list[str] | None = None) -> Moment:
    """Return the decision that was made by the event of this version. Raises `UnknownKind`."""
    entries = eventlog.read_events(game.stream_id, until=event)
    at = decision_at(sight_of((entry.event for entry in entries), seat), event)
    named = names or list(game.seats.order_by("seat").values_list("player__name", flat=True))
    return Moment(game, seat, at, entries[: at.version], named, names is None)
