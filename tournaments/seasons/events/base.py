"""What every event of a season's stream says of itself. Pure.

To add an event, write its class in the module of its family, and record it in a service. The fold, the timeline, the
audit log and docs/reference/events.md find it by its type.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from scorebook_games.contract import Event
from scorebook_games.presentation.text import gettext as _
from tournaments.core.event import Details, StreamEvent, UnknownEventType

if TYPE_CHECKING:
    from tournaments.seasons.fold import SeasonFold

Text = list[Any]  # the parts of a sentence: strings, and players as rows, so that a page can link them


class Audience(StrEnum):
    """Who is notified of an event."""

    ENTRANT = "the entrant"
    OPPONENTS = "the opponents of the entrant in unfinished matches"
    CHALLENGER = "the challenger"
    CHALLENGED = "the challenged entrant"
    MATCH = "the players of the match"
    AWAITED = "the players for whom the match waits"
    ROUND = "the players of the round"
    ENTRANTS = "all entrants"
    ORGANISERS = "the organisers"


@dataclass(frozen=True, slots=True)
class References:
    """The rows that an event names: the number of its `division`, numbers of entrants, ids of matches and games.
    `sides` are matches whose players it names, `players` the ids of players of teams."""

    division: int | None = None
    entrants: tuple[int, ...] = ()
    matches: tuple[int, ...] = ()
    games: tuple[int, ...] = ()
    sides: tuple[int, ...] = ()
    players: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """An event in words: a short title, and the sentence. `game` is the id of a game to watch, `head` the head of its
    log, `round` the round's number."""

    title: str
    text: Text
    game: int | None = None
    head: str = ""
    round: int | None = None


class Words(Protocol):
    """What events need to describe themselves: the reader's language, and the rows behind their numbers."""

    def player(self, entrant: int, /) -> Any: ...

    def member(self, player: int, /) -> Any:
        """Return a player of a team, by id."""

    def sides(self, match: int, /) -> Sequence[Any]:
        """Return the players of a match."""

    def note(self, details: Details, /) -> str:
        """Return the reason that somebody wrote; "" if there is none, or if its text was removed."""

    def division(self, number: int, /) -> str:
        """Return the name of a division; "" if the season has only one."""

    def place_of_match(self, match: int, /) -> tuple[int, int]:
        """Return the table and the round of a match."""

    def place_of_game(self, game: int, /) -> tuple[int, int]:
        """Return the table and the round of a game."""

    def is_public(self, game: int, /) -> bool:
        """Return whether everybody may know the result of a game."""

    def is_imported(self, division: int, round: int, /) -> bool: ...

    def count(self, number: int, noun: str, /) -> str:
        """Return a number with its noun (`COUNT_LABELS`), such as "3 rounds"."""

    def points(self, points: float, /) -> str: ...

    def format_name(self, name: str, /) -> str: ...

    def duration(self, seconds: int, /) -> str: ...

    def moment(self, seconds: int, /) -> str: ...

    def date(self, seconds: int, /) -> str: ...


@dataclass(frozen=True, slots=True)
class SeasonEvent(StreamEvent):
    """An event of a season.

    `action` is what an organiser did who caused it, as the audit log says it; "" for events that are in no audit log.
    `audience` is who may be notified: what the event says and who caused it may leave out some. `public_note`:
    everybody may read its note. `ruling`: it decides about a result.
    """

    types: ClassVar[dict[str, Any]] = {}
    action: ClassVar[str] = ""
    audience: ClassVar[tuple[Audience, ...]] = ()
    public_note: ClassVar[bool] = True
    ruling: ClassVar[bool] = False

    def apply(self, season: SeasonFold) -> None:
        """Change the season's state. Strict checks were made before the event was recorded."""

    def describe(self, words: Words) -> Line | None:
        """Return the event in words; None if it has no line in the timeline."""

    def refers(self) -> References:
        """Return the rows that the timeline needs for this event."""
        return References()

    def changed_results(self, season: SeasonFold) -> Collection[int]:
        """Return the matches of which a result in a closed round may be another one after this event, which is about to
        be applied. Those of open rounds may be among them."""
        return ()

    def by_organiser(self) -> bool:
        """Return whether it belongs in the audit log: an organiser did it, not the platform or an entrant."""
        return bool(self.action) and self.details_of().get("by") is not None

    def details_of(self) -> Details:
        """Return the details; {} if the event has none."""
        details: Details = getattr(self, "details", {})
        return details

    def note_id(self) -> int | None:
        """Return the id of its note's row."""
        note = self.details_of().get("note")
        return note[0] if note else None


@dataclass(frozen=True, slots=True)
class UnknownSeasonEvent(SeasonEvent):
    """An event of a type that this version does not know. The timeline shows the type; a fold stops."""

    type: ClassVar[str] = "unknown"
    name: str
    fields: list[Any]

    def stored(self) -> Event:
        return [self.name, *self.fields]

    def apply(self, season: SeasonFold) -> None:
        raise UnknownEventType(self.name)

    def describe(self, words: Words) -> Line | None:
        text = _("This version of Scorebook does not know the event {type}.").format(type=self.name)
        return Line(_("Unknown."), [text])


# The parts of sentences


def listed(players: Sequence[Any]) -> Text:
    """Return players in words: A, B and C."""
    parts: Text = []
    for index, player in enumerate(players):
        if index:
            parts.append(_(" and ") if index == len(players) - 1 else ", ")
        parts.append(player)
    return parts


def paired(players: Sequence[Any], scores: Sequence[str] = ()) -> Text:
    """Return players in words: A – B, each with a score if there are `scores`."""
    parts: Text = []
    for index, player in enumerate(players):
        parts += [" – ", player] if index else [player]
        parts += scores[index : index + 1]
    return parts


def joined(parts: Sequence[Text]) -> Text:
    """Return texts, separated by commas."""
    return [each for index, part in enumerate(parts) for each in ([", ", *part] if index else part)]


def quoted_note(details: Details, words: Words) -> Text:
    """Return the reason in quotation marks; [] if there is none, or if its text was removed."""
    text = words.note(details)
    return [f" “{text}”"] if text else []


def reason(details: Details, words: Words) -> Text:
    """Return the reason of a decision, or say that its text was removed."""
    text = words.note(details)
    return [_("Reason: {words}").format(words=text)] if text else [_("The text of the reason was removed.")]


def game_place(match: int, number: int | None, words: Words) -> str:
    """Return a match or game in words: “Game 2 at table 1 of round 3”."""
    (table, round) = words.place_of_match(match)
    place = _("table {table} of round {round}").format(table=table, round=round)
    return place if number is None else _("Game {number} at {table}").format(number=number, table=place)


def ranking(result: Details, words: Words) -> Text:
    """Return a ranking in words: “1. A, 2. B”."""
    parts: Text = []
    placed = zip(result["placings"], result["seats"], strict=True)
    for place, entrant in sorted((place, entrant) for place, entrant in placed if entrant):
        parts += [f"{', ' if parts else ''}{place}. ", words.player(entrant)]
    return parts
