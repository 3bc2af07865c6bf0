"""The file of a season, declared once: a dataclass for each part of it.

From here come the schema in the OpenAPI document (`serializer_of`), what an export writes (`file_data`), what an import
accepts (`read`) and the table in docs/reference/season-file.md. A field says its type, its description, and by `reads`
how an import reads it; an import does not look at fields that have none. `UNSENT` fields are not in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, is_dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from django.utils.translation import gettext as _

from games.common.dataclass_serializer import UNSENT, sent_fields
from games.common.sentences import sentence_data, stored_sentences
from scorebook_games.contract import ABORTED, LEFT, RULES, TURN_LIMIT
from scorebook_games.gamelog import events as gev
from scorebook_games.presentation.coded_text import Sentence, is_sentence, written
from tournaments.formats.reasons import CODES, WRITTEN, Reasons, imported
from tournaments.formats.round_robin import MAX_TABLE_SIZE
from tournaments.importexport.values import MAX_INTEGER, FileObject, optional, read, reads
from tournaments.seasons.models import BoardPlayer, Bye, ImportedGame, Match
from tournaments.seasons.settings import MAX_DIVISIONS, MAX_ENTRANTS, MAX_GAMES_PER_MATCH

FILE_FORMAT: Final = "scorebook-season"
FILE_VERSION: Final = 2  # version 1 had settings under their old names
MAX_ROUNDS: Final = 2000  # in a ladder or an arena, every match is a round
MAX_REPLAYS: Final = 50
MAX_SCORE: Final = 1_000_000
MAX_NUMBER: Final = 32_767
MAX_BOARDS: Final = 8
REASON_MAX_LENGTH: Final = 1000
MAX_REASONS: Final = 10
NAME_SHOWN_LENGTH: Final = 60
PLAYED, ADJUDICATED, ANNULLED = "played", "adjudicated", "annulled"
RULINGS: Final = ("", *(value for value in ImportedGame.Ruling.values if value != PLAYED))
RESULT_FIELDS: Final = ("scores", "placings", "termination", "left", "absent")
TERMINATIONS: Final = ("", RULES, TURN_LIMIT, *gev.LEAVING_TERMINATIONS, LEFT, ABORTED, ADJUDICATED)  # "": not stated
SEASON_STATES: Final = ("running", "paused", "finished", "abandoned")
IN, WITHDRAWN = "in", "withdrawn"
whole, wholes, choice = FileObject.whole, FileObject.wholes, FileObject.choice


def part(file: FileObject, name: str, shape: Any) -> Any:
    """Return a part of another part; None if it is missing."""
    data = file.data.get(name)
    return None if data is None else read(shape, FileObject(data, file.where))


def parts(file: FileObject, name: str, shape: Any, most: int) -> list[Any]:
    """Return a list of parts, without those that an import leaves out. An error in the n-th one names its place."""
    place, leaves_out = PLACES.get(name), LEFT_OUT.get(name)
    return [
        read(shape, FileObject(data, place(file, data, n) if place else file.where))
        for n, data in enumerate(file.items(name, most), start=1)
        if not (leaves_out and isinstance(data, Mapping) and leaves_out(data))
    ]


def how_ended(file: FileObject, name: str) -> str | None:
    """Return how a game ended; None if the file does not say."""
    return file.choice(name, TERMINATIONS) or None if isinstance(file.data.get(name), str) else None


def cost(file: FileObject, name: str, *limits: int) -> int | None:
    """Return a part of what a refusal cost; None if it was free."""
    return file.whole(name, *limits) if file.data.get("to") is not None else None


def parse_reason(file: FileObject, _name: str = "") -> Reasons:
    """Return why a match or bye came about: by the codes of the file, else in its own words. A code is one of
    `formats.reasons`: no other text of the platform is a reason. Raises `DomainError` bad_file (400)."""
    words = file.text("reason", REASON_MAX_LENGTH)
    listed = file.items("reasons", MAX_REASONS)
    found = stored_sentences(each if isinstance(each, Mapping) else {} for each in listed)
    if all(code == WRITTEN for code, _params in found):
        return (written(words),) if words else (imported(),)
    for code, params in found:
        if not is_sentence((code, params), CODES):
            sentence = _(
                "“reasons” may have only codes of this version of Scorebook with their parameters, not {code}. Leave "
                "out “reasons”; then the text of “reason” is shown."
            )
            raise file.error(sentence.format(code=f"{code!r:.60}"))
    return tuple(Sentence(*each) for each in found)


def name_of(entrant: Any) -> str:
    """Return the name of an entrant of the file, for sentences about errors; "" if it has none."""
    name = entrant.get("name") if isinstance(entrant, Mapping) else None
    return name.strip()[:NAME_SHOWN_LENGTH] if isinstance(name, str) else ""


def round_place(division: int, number: int) -> str:
    """Return the place of a round for sentences about errors in it."""
    if division > 1:
        return _("Division {division}, round {n}").format(division=division, n=number)
    return _("Round {n}").format(n=number)


def place_of_round(file: FileObject) -> str:
    """Return the place of a round that is being read."""
    return round_place(file.whole("division", 1, 2 * MAX_ENTRANTS, 1), file.whole("number", 1, MAX_ROUNDS))


def place_of_match(file: FileObject, data: Any, n: int) -> str:
    """Return the place of the n-th match of a round: of a table, its first line and number."""
    where, line = place_of_round(file), data.get("line") if isinstance(data, Mapping) else None
    if isinstance(line, int):
        return _("Line {line}, {where}, table {n}").format(line=line, where=where, n=data.get("table"))
    return _("{where}, match {n}").format(where=where, n=n)


PLACES: Final[dict[str, Callable[[FileObject, Any, int], str]]] = {
    "divisions": lambda _file, _data, n: _("Division {n} of the file").format(n=n),
    "entrants": lambda _file, data, n: name_of(data) or _("Entrant {n}").format(n=n),
    "members": lambda team, data, n: f"{name_of(team.data)}, {name_of(data) or n}",
    "rounds": lambda _file, _data, n: _("Round {n} of the file").format(n=n),
    "byes": lambda above, _data, n: _("{where}, bye {n}").format(where=place_of_round(above), n=n),
    "matches": place_of_match,
    "games": lambda match, _data, n: _("{where}, game {n} in the list").format(where=match.where, n=n),
    "standings": lambda _file, _data, _n: _("The standings"),
}
LEFT_OUT: Final[dict[str, Callable[[Mapping[str, Any]], bool]]] = {
    "entrants": lambda data: data.get("status", IN) not in (IN, WITHDRAWN),
    "rounds": lambda data: data.get("status", "closed") != "closed",
    "games": lambda data: data.get("status") == "playing" and not data.get("ruling"),
}
when: Final = reads(FileObject.moment)
positive: Final = reads(whole, 1)
positive_or_none: Final = reads(optional, whole, 1)
division_number: Final = reads(whole, 1, 2 * MAX_ENTRANTS, 1)
entrants_once: Final = reads(wholes, 1, MAX_INTEGER, MAX_ENTRANTS)
checked_later: Final = reads(FileObject.anything)
shown_name: Final = reads(lambda file, _name: name_of(file.data))
all_rounds: Final = reads(lambda file, _name: len(file.items("rounds", MAX_ROUNDS)))
named_place: Final = reads(lambda file, _name: file.where)  # for errors found later; no part of what the file says


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRefusal:
    """A refused challenge of a ladder. It cost the challenged entrant the `place` that went `to` another one; both are
    null if the refusal was free."""

    challenger: Annotated[int, positive]
    challenged: Annotated[int, positive]
    how: Annotated[str, reads(choice, ("declined", "unanswered"), "declined")]
    at: Annotated[int, "Seconds since 1970.", reads(whole)]
    rounds: Annotated[int, "The number of rounds before it.", reads(whole, 0, MAX_ROUNDS)]
    count: Annotated[int, "The entrant's number of refusals that count, with this one.", reads(whole, 1, MAX_ROUNDS)]
    place: Annotated[int | None, reads(cost, 1, MAX_ENTRANTS)]
    to: Annotated[int | None, reads(cost, 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDivision:
    """A division, or a play-off. Entrants are given by their numbers."""

    number: Annotated[int, reads(whole, 1, 2 * MAX_ENTRANTS)]
    name: Annotated[str, reads(FileObject.text, 60)]
    seeds: Annotated[list[int], "The strongest first; empty if their strength was not known.", entrants_once]
    lots: Annotated[list[int], "In the order in which the lots were drawn.", entrants_once]
    above: Annotated[
        int | None, "Of a play-off: the number of the higher division.", reads(optional, whole, 1, MAX_DIVISIONS)
    ]
    pairs: Annotated[list[list[int]], "Of a play-off: which entrants meet.", reads(FileObject.pairs, MAX_ENTRANTS)]
    refusals: Annotated[list[FileRefusal], reads(parts, FileRefusal, MAX_ROUNDS)]
    places: Annotated[
        list[list[int]] | None, "Entrant and final place; null until the division is finished.", checked_later
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMember:
    """A player of a team. `order` is the place in the team, null for one who has left it."""

    player: Annotated[int, "The id of the player, by which line-ups name them.", reads(whole, 1, MAX_INTEGER)]
    name: Annotated[str, shown_name]
    bot: Annotated[bool, reads(lambda file, name: file.data.get(name) is True)]
    bot_version: Annotated[int | None, reads(optional, whole, 1, MAX_NUMBER)]
    order: Annotated[int | None, reads(optional, whole, 1, MAX_NUMBER)]
    captain: Annotated[bool, reads(lambda file, name: file.data.get(name) is True)]
    where: Annotated[str, UNSENT, named_place] = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLineup:
    """Who played for a team in a match, by board: ids of `members`, 0 where nobody sat."""

    entrant: Annotated[int, positive]
    players: Annotated[list[int], reads(wholes, 0, MAX_INTEGER, MAX_BOARDS)]
    how: Annotated[str, "submitted or standing.", reads(choice, BoardPlayer.How.values, "standing")]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWithdrawal:
    """A withdrawal, after `played` of the `of` matches that the entrant had."""

    why: Annotated[str, reads(choice, ("asked", "organiser", "no_shows", "account", "admin"))]
    played: Annotated[int, reads(whole)]
    of: Annotated[int, reads(whole)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntrant:
    """An entrant. `number` stands for them everywhere else in the file."""

    number: Annotated[int, reads(whole, 1, MAX_NUMBER)]
    division: Annotated[int, division_number]
    player: Annotated[int, "The id of the player."]
    name: Annotated[str, shown_name]
    bot: bool
    bot_version: int | None
    status: Annotated[str, "asked, waiting, in, alternate, withdrawn or out.", reads(choice, (IN, WITHDRAWN), IN)]
    joined_at: Annotated[datetime, when]
    since: Annotated[int, "The first round of the entrant.", reads(whole, 1, MAX_ROUNDS + 1, 1)]
    away: Annotated[list[int], "The rounds that the entrant misses.", reads(wholes, 1, MAX_ROUNDS, MAX_ROUNDS)]
    promised: Annotated[list[int], "Rounds that they said to play.", reads(wholes, 1, MAX_ROUNDS, MAX_ROUNDS)]
    carried: Annotated[float, "Points from the season before.", reads(FileObject.number)]
    withdrawn: Annotated[FileWithdrawal | None, reads(part, FileWithdrawal)]
    members: Annotated[list[FileMember], "Of a team: its players.", reads(parts, FileMember, MAX_NUMBER)]
    where: Annotated[str, UNSENT, named_place] = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBye:
    """An entrant without a match in a round. `missing`: the opponent who did not come, for a walkover."""

    entrant: Annotated[int, positive]
    reason: str
    reasons: Annotated[list[Sentence], "The same as codes."]
    kind: Annotated[str, "bye, away, unpaid or walkover.", reads(choice, Bye.Kind.values, Bye.Kind.BYE.value)]
    missing: Annotated[int | None, positive_or_none]
    why: Annotated[Reasons, UNSENT, reads(parse_reason)] = ()
    where: Annotated[str, UNSENT, named_place] = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """A game's result by seat. Seats in `left` left the game."""

    scores: Annotated[list[int] | None, checked_later]
    placings: Annotated[list[int] | None, checked_later]
    termination: Annotated[str | None, reads(how_ended)]
    left: Annotated[list[int] | None, checked_later]
    absent: Annotated[list[int] | None, UNSENT, checked_later] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileGame:
    """A game as it counts. `played` is its own result if an organiser decided otherwise. All of it is null while the
    result is sealed.

    `counted_as` is the ruling under which an import counts it.
    """

    number: Annotated[int, reads(whole, 1, MAX_GAMES_PER_MATCH)]
    replay: Annotated[int, "0, or which repetition of the game this is.", reads(whole, 0, MAX_REPLAYS, 0)]
    id: Annotated[str | None, "Null for a game that was imported."]
    status: Annotated[
        str, "playing, finished or aborted.", reads(choice, ("finished", "aborted", "playing"), "finished")
    ]
    seats: Annotated[list[int], "The entrant in each seat.", reads(wholes, 0, MAX_INTEGER, MAX_TABLE_SIZE)]
    ruling: Annotated[str | None, reads(choice, RULINGS)]
    scores: Annotated[list[int] | None, checked_later]
    placings: Annotated[list[int] | None, checked_later]
    termination: Annotated[str | None, reads(how_ended)]
    left: Annotated[list[int] | None, checked_later]
    absent: Annotated[list[int] | None, "Seats whose player did not check in.", checked_later]
    deal: Annotated[int | None, "Games with the same number have the same cards.", positive_or_none]
    played: Annotated[FileResult | None, reads(part, FileResult)]
    finished_at: Annotated[datetime | None, when]
    log: Annotated[str | None, "The address of the game's own export."]
    counted_as: Annotated[str, UNSENT] = ""
    where: Annotated[str, UNSENT, named_place] = field(default="", repr=False)

    @property
    def decided(self) -> str:
        """The ruling of the file, else `played` or `aborted`."""
        return self.ruling or (PLAYED if self.status == "finished" else str(ImportedGame.Ruling.ABORTED))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMatch:
    """A match. `points` has one number per entrant; null while the result is sealed."""

    id: int
    table: Annotated[int, reads(whole, 1, MAX_NUMBER)]
    slot: Annotated[str, "The place in the bracket; empty without one.", reads(FileObject.text, 20)]
    reason: str
    reasons: Annotated[list[Sentence], "The same as codes."]
    begins_at: Annotated[datetime | None, when]
    timing: Annotated[str, "open, fixed, fallback, agreed or night.", reads(choice, Match.Timing.values, "open")]
    finished_at: Annotated[datetime | None, when]
    entrants: Annotated[list[int], reads(wholes, 1, MAX_INTEGER, MAX_TABLE_SIZE)]
    points: list[float | None] | None
    lineups: Annotated[list[FileLineup], "Of teams, once they are known.", reads(parts, FileLineup, 2)]
    games: Annotated[list[FileGame], reads(parts, FileGame, MAX_GAMES_PER_MATCH * MAX_REPLAYS)]
    why: Annotated[Reasons, UNSENT, reads(parse_reason)] = ()
    where: Annotated[str, UNSENT, named_place] = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRound:
    """A round of a division."""

    division: Annotated[int, division_number]
    number: Annotated[int, reads(whole, 1, MAX_ROUNDS)]
    status: Annotated[str, "open, closed or undone."]
    opened_at: Annotated[datetime, when]
    closes_at: Annotated[datetime | None, when]
    closed_at: Annotated[datetime | None, when]
    byes: Annotated[list[FileBye], reads(parts, FileBye, MAX_ENTRANTS)]
    matches: Annotated[list[FileMatch], reads(parts, FileMatch, MAX_ENTRANTS)]
    where: Annotated[str, UNSENT, named_place] = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStanding:
    """A row of the standings."""

    division: int
    place: Annotated[int, positive]
    entrant: Annotated[int, positive]
    points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonFile:
    """A whole season. `POST seasons/import/` reads it back."""

    format: Annotated[str, "scorebook-season"]
    version: Annotated[int, "The version of this form."]
    club: str
    zone: str
    league: str
    season: str
    status: Annotated[str, "open, running, paused, finished or abandoned.", reads(choice, SEASON_STATES, "running")]
    starts_at: Annotated[datetime | None, when]
    finished_at: Annotated[datetime | None, when]
    imported_at: datetime | None
    written_at: Annotated[datetime, when]
    paused_at: Annotated[datetime | None, when]
    delay_seconds: Annotated[int, "By how much pauses have moved the calendar.", reads(whole, 0, MAX_INTEGER, 0)]
    abandoned: Annotated[
        str | None, "stands or void, if the season was abandoned.", reads(choice, ("", "stands", "void"))
    ]
    settings: Annotated[dict[str, Any], "As `GET seasons/<id>/` has them."]
    divisions: Annotated[list[FileDivision], reads(parts, FileDivision, 2 * MAX_DIVISIONS)]
    moved: Annotated[list[list[int]], "Entrant and next division."]
    entrants: Annotated[list[FileEntrant], reads(parts, FileEntrant, MAX_ENTRANTS)]
    rounds: Annotated[list[FileRound], reads(parts, FileRound, MAX_ROUNDS)]
    standings: Annotated[list[FileStanding], reads(parts, FileStanding, MAX_ENTRANTS)]
    left_out: Annotated[int, UNSENT, all_rounds] = 0

    @property
    def stood_at(self) -> datetime | None:
        """When the season stopped, in the calendar of its settings."""
        stopped = self.paused_at or self.written_at
        return stopped and stopped - timedelta(seconds=self.delay_seconds)

    @property
    def games(self) -> int:
        """The number of games in all rounds."""
        return sum(len(match.games) for round in self.rounds for match in round.matches)


def file_data(value: Any) -> Any:
    """Return a part, or a list of parts, as the file has it."""
    if isinstance(value, list):
        return [file_data(each) for each in value]
    if isinstance(value, Sentence):
        return sentence_data(value)
    if not is_dataclass(value):
        return value
    shape: Any = type(value)
    return {name: file_data(getattr(value, name)) for name in sent_fields(shape)}
