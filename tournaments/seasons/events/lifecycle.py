"""Events of a whole season: created, started, paused, finished, abandoned; and its divisions. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.event import Audit, Details, event
from tournaments.seasons.events.base import (
    Audience,
    Line,
    References,
    SeasonEvent,
    Text,
    Words,
    joined,
    listed,
    quoted_note,
)

if TYPE_CHECKING:
    from tournaments.seasons.fold import SeasonFold

ABANDON_LABELS = {"stands": gettext_noop("the standings stand"), "void": gettext_noop("the standings are void")}


def _settings_text(settings: Details, words: Words) -> Text:
    text = _("{format}, {games} per match, {seats} per table.").format(
        format=words.format_name(settings["format"]),
        games=words.count(settings["games_a_match"], "game"),
        seats=words.count(settings["table_size"], "entrant"),
    )
    return [text]


@event
class SeasonCreated(SeasonEvent):
    """The season was created with these settings, complete, without names of divisions. Always the first."""

    type: ClassVar = "season_created"
    settings: Mapping[str, Any]

    def apply(self, season: SeasonFold) -> None:
        season.change_settings(self.settings)

    def describe(self, words: Words) -> Line:
        return Line(_("Opened."), _settings_text(self.settings, words))


@event
class SeasonChanged(SeasonEvent):
    """The season has these new settings, complete. Only before the start."""

    type: ClassVar = "season_changed"
    settings: Mapping[str, Any]

    def apply(self, season: SeasonFold) -> None:
        season.change_settings(self.settings)

    def describe(self, words: Words) -> Line:
        return Line(_("Changed."), _settings_text(self.settings, words))


@event
class EntrantsPlaced(SeasonEvent):
    """Who plays in which division, the strongest first, and so the seeds. Before the start."""

    type: ClassVar = "entrants_placed"
    placed: Annotated[list[Any], "`[division, entrants]` of each"]

    @classmethod
    def of(cls, divisions: Mapping[int, Iterable[int]]) -> EntrantsPlaced:
        return cls([[division, list(entrants)] for division, entrants in divisions.items()])

    def apply(self, season: SeasonFold) -> None:
        players = {number: entrant.player for number, entrant in season.entrants.items()}
        for number, entrants in self.placed:
            for entrant in entrants:
                season.changed_entrant(entrant).division = number
            season.division(number).seeds = tuple(entrants)
            season.division(number).entrants = {entrant: players[entrant] for entrant in sorted(entrants)}

    def describe(self, words: Words) -> Line | None:
        if len(self.placed) < 2:
            return None
        text = _("{n} divisions, by rating or by the last season.").format(n=len(self.placed))
        return Line(_("Placed."), [text])


@event
class PointsCarried(SeasonEvent):
    """The points that entrants carry over from the season before."""

    type: ClassVar = "points_carried"
    points: Annotated[list[Any], "`[entrant, points]` of each"]

    @classmethod
    def of(cls, points: Mapping[int, float]) -> PointsCarried:
        return cls([[entrant, worth] for entrant, worth in points.items()])

    def apply(self, season: SeasonFold) -> None:
        for entrant, worth in self.points:
            season.entrants[entrant].carried = worth

    def describe(self, words: Words) -> Line:
        brought: list[Text] = [[words.player(entrant), f" {words.points(worth)}"] for entrant, worth in self.points]
        return Line(_("Carried over."), [_("From the last season: "), *joined(brought), "."])

    def refers(self) -> References:
        return References(entrants=tuple(entrant for entrant, _ in self.points))


@event
class SeasonStarted(SeasonEvent):
    """Entries are closed. The seed, 64 hex digits, determines lots and pairings; pool is people, bots or mixed."""

    type: ClassVar = "season_started"
    details: Annotated[Details, "{seed, pool}"]

    @classmethod
    def of(cls, seed: str, pool: str) -> SeasonStarted:
        return cls({"seed": seed, "pool": pool})

    def apply(self, season: SeasonFold) -> None:
        season.seed, season.pool = self.details["seed"], self.details["pool"]

    def describe(self, words: Words) -> Line:
        return Line(_("Started."), [_("The lots are drawn and entries are closed.")])


@event
class SeasonPaused(SeasonEvent):
    """No round opens until the season is resumed."""

    type: ClassVar = "season_paused"
    action: ClassVar = gettext_noop("paused a season")
    audience: ClassVar = (Audience.ENTRANTS,)
    details: Audit

    def apply(self, season: SeasonFold) -> None:
        season.paused, season.paused_at = True, season.at

    def describe(self, words: Words) -> Line:
        text = _("No round begins until the season is resumed.")
        return Line(_("Paused."), [text, *quoted_note(self.details, words)])


@event
class SeasonResumed(SeasonEvent):
    """Future rounds, and the ends of open ones, are later by `delay` seconds."""

    type: ClassVar = "season_resumed"
    action: ClassVar = gettext_noop("resumed a season")
    audience: ClassVar = (Audience.ENTRANTS,)
    details: Annotated[Details, "{by, note, delay}"]

    @classmethod
    def of(cls, delay: int, audit: Audit) -> SeasonResumed:
        return cls({**audit, "delay": delay})

    def apply(self, season: SeasonFold) -> None:
        seconds, season.paused, season.paused_at = self.details["delay"], False, None
        season.delay += seconds
        for division in season.divisions.values():
            division.until.update((pair, end + seconds) for pair, end in division.until.items() if end is not None)
            for past in division.rounds:
                if past.closes is not None and not past.closed:
                    season.changed_round(division.number, past.number).closes = past.closes + seconds

    def describe(self, words: Words) -> Line:
        text = _("The remaining rounds are {delay} later.").format(delay=words.duration(self.details["delay"]))
        return Line(_("Resumed."), [text, *quoted_note(self.details, words)])


@event
class SeasonFinished(SeasonEvent):
    """A division is finished, with these final places."""

    type: ClassVar = "season_finished"
    division: int
    places: Annotated[list[Any], "`[entrant, place]` of each"]

    @classmethod
    def of(cls, division: int, places: Mapping[int, int]) -> SeasonFinished:
        return cls(division, [[entrant, place] for entrant, place in places.items()])

    def apply(self, season: SeasonFold) -> None:
        division = season.changed_division(self.division)
        division.places, division.finished_at = dict(self.places), season.at
        season.changed_order(self.division)

    def describe(self, words: Words) -> Line:
        first = [words.player(one) for one in self._first()]
        came = _("came first.") if len(first) == 1 else _("share the first place.")
        return Line(_("Finished."), [*listed(first), " ", came])

    def refers(self) -> References:
        return References(self.division, entrants=tuple(self._first()))

    def _first(self) -> list[int]:
        return [entrant for entrant, place in self.places if place == 1]


@event
class PlayoffOpened(SeasonEvent):
    """A separate division for places between two divisions; the first entrant of each pair holds the place."""

    type: ClassVar = "playoff_opened"
    number: Annotated[int, "division"]
    pairs: list[list[int]]
    above: Annotated[int, "the division above"]

    @classmethod
    def of(cls, division: int, pairs: Iterable[tuple[int, int]], above: int) -> PlayoffOpened:
        return cls(division, [list(pair) for pair in pairs], above)

    def apply(self, season: SeasonFold) -> None:
        division = season.changed_division(self.number)
        division.above, division.pairs = self.above, tuple(tuple(pair) for pair in self.pairs)
        division.entrants = {entrant: season.entrants[entrant].player for pair in self.pairs for entrant in pair}

    def describe(self, words: Words) -> Line:
        met: list[Text] = [[words.player(one), " – ", words.player(other)] for one, other in self.pairs]
        return Line(_("Play-off."), [*joined(met), "."])

    def refers(self) -> References:
        return References(entrants=tuple(entrant for pair in self.pairs for entrant in pair))


@event
class EntrantsMoved(SeasonEvent):
    """The next division of promoted and relegated entrants."""

    type: ClassVar = "entrants_moved"
    places: Annotated[list[Any], "`[entrant, division]` of each"]

    @classmethod
    def of(cls, places: Mapping[int, int]) -> EntrantsMoved:
        return cls([[entrant, division] for entrant, division in places.items()])

    def apply(self, season: SeasonFold) -> None:
        season.moved = dict(self.places)

    def describe(self, words: Words) -> Line:
        went: list[Text] = [[words.player(entrant), self._suffix(number, words)] for entrant, number in self.places]
        return Line(_("Next season."), [*joined(went), "."])

    def refers(self) -> References:
        return References(entrants=tuple(entrant for entrant, _ in self.places))

    @staticmethod
    def _suffix(number: int, words: Words) -> str:
        name = words.division(number)
        return _(" to {division}").format(division=name) if name else _(" to division {n}").format(n=number)


@event
class SeasonAbandoned(SeasonEvent):
    """The season ended early. How: `stands` (what was played counts, and the standings are final) or `void`."""

    type: ClassVar = "season_abandoned"
    action: ClassVar = gettext_noop("abandoned a season")
    audience: ClassVar = (Audience.ENTRANTS,)
    details: Annotated[Details, "{how, by, note}"]

    @classmethod
    def of(cls, how: str, audit: Audit) -> SeasonAbandoned:
        return cls({"how": how, **audit})

    def apply(self, season: SeasonFold) -> None:
        season.abandoned = self.details["how"]
        for number in season.divisions:
            season.changed_order(number)

    def describe(self, words: Words) -> Line:
        how = _(ABANDON_LABELS[self.details["how"]])
        text = _("No more games are played; {how}.").format(how=how)
        return Line(_("Abandoned."), [text, *quoted_note(self.details, words)])


@event
class SeasonRemoved(SeasonEvent):
    """The season was removed before anything was paired. Always the last."""

    type: ClassVar = "season_removed"
    audience: ClassVar = (Audience.ENTRANTS,)
