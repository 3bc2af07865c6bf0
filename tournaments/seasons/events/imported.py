"""Events of a season that was played elsewhere and imported from a file. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.event import Details, event
from tournaments.seasons.events.base import Line, References, SeasonEvent, Words, game_place, paired, ranking

if TYPE_CHECKING:
    from tournaments.seasons.fold import SeasonFold


@event
class SeasonImported(SeasonEvent):
    """The following rounds, until the last of them is closed, were played elsewhere and imported from a file with the
    SHA-256 `file`. The entrants are in the order of the lots drawn there."""

    type: ClassVar = "season_imported"
    action: ClassVar = gettext_noop("imported a season")
    lots: Annotated[list[Any], "`[division, entrants]` of each"]
    details: Annotated[Details, "{by, note, file, rounds, games}"]

    @classmethod
    def of(cls, lots: Mapping[int, Iterable[int]], details: Details) -> SeasonImported:
        return cls([[division, list(entrants)] for division, entrants in lots.items()], dict(details))

    def apply(self, season: SeasonFold) -> None:
        season.imported_at = season.at
        for number, drawn in self.lots:
            season.division(number).lots = tuple(drawn)

    def describe(self, words: Words) -> Line:
        details = self.details
        rounds, games = words.count(details["rounds"], "round"), words.count(details["games"], "game")
        sentence = _("An organiser imported the season from a file: {rounds}, {games}. Imported games are not rated.")
        file = _("The file has the SHA-256 {hash}.").format(hash=details["file"])
        return Line(_("Imported."), [f"{sentence.format(rounds=rounds, games=games)} {file}"])


@event
class ResultImported(SeasonEvent):
    """The result of a game there. `ruling` is `played` or `adjudicated`, or one of `annulled`, `replaced` and
    `aborted`, which do not count; `deal` is negative, and equal in games with the same cards; `played` is the game's
    own result before a ruling; `finished` is in seconds since 1970."""

    type: ClassVar = "result_imported"
    match: int
    number: int
    ruling_there: Annotated[str, "ruling"]
    result: Annotated[
        Details,
        "{replay, termination, seats, scores, placings, left, absent, adjudicated, unrated, deal, played, finished}",
    ]

    def apply(self, season: SeasonFold) -> None:
        match, result = season.changed_match(self.match), dict(self.result)
        match.imported.append((self.number, self.ruling_there, result))
        if self.ruling_there == "annulled":
            match.annulled.add(self.number)
        elif self.ruling_there in ("played", "adjudicated"):
            match.records[self.number] = result

    def describe(self, words: Words) -> Line | None:
        """Return the result: “Game 1 at table 2 of round 3: A 5 – B 3”."""
        if not self.result["seats"]:
            return None
        result = self.result
        where = game_place(self.match, self.number, words)
        seated = [(entrant, seat) for seat, entrant in enumerate(result["seats"]) if entrant]
        players = [words.player(entrant) for entrant, _seat in seated]
        if self.ruling_there == "adjudicated":
            text = [f"{where}: ", *ranking(result, words), ". ", _("The result was adjudicated.")]
        elif self.ruling_there == "played":
            scores = [f" {words.points(result['scores'][seat])}" for _entrant, seat in seated]
            text = [f"{where}: ", *paired(players, scores), "."]
        else:
            text = [f"{where}: ", *paired(players), ". ", _("The game does not count.")]
        return Line(_("Imported."), text)

    def refers(self) -> References:
        return References(entrants=tuple(entrant for entrant in self.result["seats"] if entrant), matches=(self.match,))
