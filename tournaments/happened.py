"""What happened in a season, told in words from its stream.

Events hold ids and numbers; whoever calls looks the names up (`wanted` says which) and hands them in. Players stand
in a sentence as rows, so that a page can link them and mark bots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _

from games.accounts.notices import moment_words
from games.engines.base import Event
from games.models import Player
from tournaments import events as ev
from tournaments.lines import is_told
from tournaments.models import Match, MatchGame
from tournaments.words import FORMATS, counted, figure

Said = list["str | Player"]
AGREED = Match.Timing.AGREED.value


@dataclass(frozen=True, slots=True)
class Names:
    """Rows to the numbers in events: entrant → player, game id → its place in a match, match id → match."""

    players: Mapping[int, Player]
    games: Mapping[int, MatchGame]
    matches: Mapping[int, Match] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """One line of what happened: when, in a word what, and the sentence. `game` where there is a replay to look at."""

    at: datetime
    what: str
    said: Said
    game: MatchGame | None = None
    head: str = ""
    round: int | None = None


def games_in(events: Iterable[Event]) -> set[int]:
    """The ids of the games that `tell` will want to name."""
    return {event[3]["game"] for event in events if event[0] == ev.RECORDED} | {
        event[-1] for event in events if event[0] in (ev.REPLAYED, ev.OPENED)
    }


def matches_in(events: Iterable[Event]) -> set[int]:
    """The ids of the matches that `tell` will want to name."""
    return {event[1] for event in events if event[0] == ev.APPOINTED and event[3] == AGREED}


def entrants_in(events: Iterable[Event]) -> set[int]:
    """The numbers of the entrants that `tell` will want to name."""
    return {entrant for event in events for entrant in _entrants(event)}


def _entrants(event: Event) -> list[int]:
    match event:
        case [ev.JOINED, _division, int(entrant), _player]:
            return [entrant]
        case [ev.PAIRED, _division, _number, _tables, list(byes), _closes]:
            return [entrant for entrant, *_why in byes]
        case [ev.RECORDED, _match, _number, dict(record)]:
            return list(record["seats"])
        case [ev.FINISHED, _division, list(places)]:
            return [entrant for entrant, place in places if place == 1]
    return []


def tell(entries: Sequence[tuple[datetime, Event]], names: Names) -> list[Told]:
    """The lines for `entries`, in their order; entrants that joined one after the other share a line."""
    told: list[Told] = []
    for joined, group in groupby(entries, key=lambda entry: entry[1][0] == ev.JOINED):
        if joined:
            told.append(_joined(list(group), names))
        else:
            told += [line for at, event in group for line in _tell(at, event, names)]
    return told


def _joined(entries: Sequence[tuple[datetime, Event]], names: Names) -> Told:
    players = sorted((names.players[event[2]] for _at, event in entries), key=lambda player: player.name)
    return Told(entries[-1][0], _("Joined."), [*_listed(players), "."])


def _tell(at: datetime, event: Event, names: Names) -> Iterator[Told]:
    match event:
        case [ev.CREATED, dict(settings)]:
            yield Told(at, _("Opened."), [_created(settings)])
        case [ev.CHANGED, dict(settings)]:
            yield Told(at, _("Changed."), [_created(settings)])
        case [ev.STARTED, *_rest]:
            yield Told(at, _("Started."), [_("The lots are drawn; entries are closed.")])
        case [ev.PAIRED, int(), int(number), list(tables), list(byes), _closes]:
            rests = [names.players[entrant] for entrant, *_why in byes]
            yield Told(at, _("Paired."), _paired(number, len(tables), rests), round=number)
        case [ev.REPLAYED, _match, int(number), _aborted, int(game)]:
            yield Told(at, _("Dealt anew."), _replayed(number, names.games[game]), names.games[game])
        case [ev.OPENED, _match, int(number), int(game)]:
            yield Told(at, _("Opened."), _opened(number, names.games[game]), names.games[game])
        case [ev.APPOINTED, int(match), int(seconds), str(how)] if how == AGREED:
            yield Told(at, _("Agreed."), [_appointed(names.matches[match], datetime.fromtimestamp(seconds, UTC))])
        case [ev.RECORDED, _match, int(number), dict(record)]:
            yield _recorded(at, number, record, names.games[record["game"]], names)
        case [ev.CLOSED, _division, int(number)]:
            sentence = _("Round {number}. Its games are rated in the order of the schedule.").format(number=number)
            yield Told(at, _("Closed."), [sentence], round=number)
        case [ev.FINISHED, int(), list(places)]:
            first = [names.players[entrant] for entrant, place in places if place == 1]
            yield Told(at, _("Finished."), [*_listed(first), " ", _("came first.")])


def _created(settings: Mapping[str, Any]) -> str:
    form = FORMATS.get(settings["format"], settings["format"])
    return _("{format}, {games} a match, {seats} at a table.").format(
        format=form, games=counted(settings["games_a_match"], "game"), seats=counted(settings["table_size"], "entrant")
    )


def _paired(number: int, tables: int, rests: Sequence[Player]) -> Said:
    opening = _("Round {number}: {matches}").format(number=number, matches=counted(tables, "match", "matches"))
    if not rests:
        return [f"{opening}."]
    return [f"{opening}; ", *_listed(rests), " ", _("rests.") if len(rests) == 1 else _("rest.")]


def _replayed(number: int, game: MatchGame) -> Said:
    sentence = _("Game {number} at table {table} of round {round} was given up and is played again.")
    return [sentence.format(number=number, table=game.match.table, round=game.match.round.number)]


def _opened(number: int, game: MatchGame) -> Said:
    sentence = _("Game {number} at table {table} of round {round} follows the one before.")
    return [sentence.format(number=number, table=game.match.table, round=game.match.round.number)]


def _appointed(match: Match, begins: datetime) -> str:
    sentence = _("Table {table} of round {round} begins at {when}.")
    return sentence.format(table=match.table, round=match.round.number, when=moment_words(begins))


def _recorded(at: datetime, number: int, record: Mapping[str, Any], game: MatchGame, names: Names) -> Told:
    players = [names.players[entrant] for entrant in record["seats"]]
    where = _("round {round}, game {number}").format(round=game.match.round.number, number=number)
    if not is_told(game.game):
        return Told(at, _("Recorded."), [*_between(players), f", {where}. ", _("Result and log are sealed.")], game)
    scores = [f" {figure(score)}" for score in record["scores"]]
    return Told(at, _("Recorded."), [*_between(players, scores), f", {where}."], game, record["head"])


def _listed(players: Sequence[Player]) -> Said:
    said: Said = []
    for index, player in enumerate(players):
        if index:
            said.append(" and " if index == len(players) - 1 else ", ")
        said.append(player)
    return said


def _between(players: Sequence[Player], scores: Sequence[str] = ()) -> Said:
    said: Said = []
    for index, player in enumerate(players):
        said += [" – ", player] if index else [player]
        said += scores[index : index + 1]
    return said
