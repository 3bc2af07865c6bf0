"""What happened in a season, told in words from its stream.

Events hold ids and numbers; whoever calls looks the names up (`wanted` says which) and hands them in. Players stand
in a sentence as rows, so that a page can link them and mark bots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts.notices import moment_words
from games.engines.base import Event
from games.models import Player
from tournaments import events as ev
from tournaments.lines import is_told
from tournaments.models import Match, MatchGame
from tournaments.results import NOBODY
from tournaments.words import FORMATS, counted, figure, span

Said = list["str | Player"]
AGREED = Match.Timing.AGREED.value
DECIDED = (ev.ADJUDICATED, ev.ANNULLED, ev.ORDERED, ev.UNDONE, ev.RELEASED, ev.SETTLED)
OF_MATCHES = (ev.ADJUDICATED, ev.ANNULLED, ev.ORDERED, ev.DISPUTED, ev.SETTLED)


@dataclass(frozen=True, slots=True)
class Names:
    """Rows to the numbers in events: entrant → player, game id → its place in a match, match id → match, note → what
    was written, match id → its `sides`."""

    players: Mapping[int, Player]
    games: Mapping[int, MatchGame]
    matches: Mapping[int, Match] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    sides: Mapping[int, Sequence[Player]] = field(default_factory=dict)


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
    named = {event[1] for event in events if event[0] in OF_MATCHES}
    return named | {event[1] for event in events if event[0] == ev.APPOINTED and event[3] == AGREED}


def entrants_in(events: Iterable[Event]) -> set[int]:
    """The numbers of the entrants that `tell` will want to name."""
    return {entrant for event in events for entrant in _entrants(event)}


def notes_in(events: Iterable[Event]) -> set[int]:
    """The ids of the notes in `events`, but of what players write in disputes, which is for the organisers."""
    said = [event[-1] for event in events if isinstance(event[-1], dict) and event[0] != ev.DISPUTED]
    return {data["note"][0] for data in said if data.get("note")}


def nudged_in(events: Iterable[Event]) -> set[int]:
    """The ids of the matches whose players `tell` will want to name."""
    return {event[1] for event in events if event[0] == ev.NUDGED}


def _entrants(event: Event) -> list[int]:
    match event:
        case [ev.JOINED, _, int(entrant), _]:
            return [entrant]
        case [ev.LISTED | ev.ADMITTED | ev.CHECKED_IN | ev.LEFT | ev.AWAY | ev.WITHDRAWN, int(entrant), *_]:
            return [entrant]
        case [ev.CHALLENGED | ev.LAPSED, _, int(challenger), int(other), *_until]:
            return [challenger, other]
        case [ev.PLAYOFF, _, list(pairs), _]:
            return [entrant for pair in pairs for entrant in pair]
        case [ev.MOVED | ev.CARRIED, list(listed)]:
            return [entrant for entrant, _ in listed]
        case [ev.PAIRED, _division, _number, _tables, list(byes), _closes]:
            return [entrant for entrant, *_why in byes]
        case [ev.RECORDED | ev.ADJUDICATED, _match, _number, dict(record)]:
            return [entrant for entrant in record["seats"] if entrant != NOBODY]
        case [ev.DISPUTED | ev.SETTLED, _match, int(entrant), *_rest]:
            return [entrant]
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
        case [ev.LISTED | ev.ADMITTED | ev.CHECKED_IN | ev.LEFT | ev.AWAY | ev.WITHDRAWN, int(entrant), *_rest]:
            yield Told(at, _("Entries."), [names.players[entrant], " ", *said_of_entry(event), *reason(event, names)])
        case [ev.CHALLENGED, _division, int(challenger), int(other), *_until]:
            yield Told(at, _("Challenge."), [names.players[challenger], " – ", names.players[other], "."])
        case [ev.LAPSED, _division, int(challenger), int(other)]:
            yield Told(at, _("Challenge lapsed."), [names.players[challenger], " – ", names.players[other], "."])
        case [ev.PLACED, list(placed)] if len(placed) > 1:
            yield Told(at, _("Placed."), [_("{n} divisions, by rating or the season before.").format(n=len(placed))])
        case [ev.CARRIED, list(points)]:
            brought: list[Said] = [[names.players[entrant], f" {figure(worth)}"] for entrant, worth in points]
            yield Told(at, _("Carried over."), [_("From the season before: "), *_joined_by_commas(brought), "."])
        case [ev.PAUSED, dict()] | [ev.RESUMED, dict()] | [ev.ABANDONED, dict()]:
            yield Told(at, str(STEPS[event[0]][0]), [_step_words(event), *reason(event, names)])
        case [ev.EXTENDED, _division, int(number), int(closes), dict()]:
            until = date_format(localtime(datetime.fromtimestamp(closes, UTC)), "j F, H:i")
            sentence = _("Round {number} has until {until}.").format(number=number, until=until)
            yield Told(at, _("Extended."), [sentence, *reason(event, names)], round=number)
        case [ev.OVERDUE, _division, int(number), list(late)]:
            sentence = _("The time of round {number} is up; {games} not over.")
            told = sentence.format(number=number, games=counted(len(late), "game"))
            yield Told(at, _("Time."), [told], round=number)
        case [ev.NUDGED, int(match), dict()]:
            asked = [*_between(names.sides.get(match, [])), ": ", _("an organiser asks them to play.")]
            yield Told(at, _("Nudged."), [*asked, *reason(event, names)])
        case [ev.PLAYOFF, _division, list(pairs), _above]:
            met: list[Said] = [[names.players[one], " – ", names.players[other]] for one, other in pairs]
            yield Told(at, _("Play-off."), [*_joined_by_commas(met), "."])
        case [ev.MOVED, list(to)]:
            went: list[Said] = [[names.players[entrant], _(" to division {n}").format(n=n)] for entrant, n in to]
            yield Told(at, _("Next season."), [*_joined_by_commas(went), "."])
        case [ev.CLOSED, _division, int(number)]:
            sentence = _("Round {number}. Its games are rated in the order of the schedule.").format(number=number)
            yield Told(at, _("Closed."), [sentence], round=number)
        case [ev.FINISHED, int(), list(places)]:
            first = [names.players[entrant] for entrant, place in places if place == 1]
            yield Told(at, _("Finished."), [*_listed(first), " ", _("came first.")])
        case _:
            yield from _decided(at, event, names)


def _decided(at: datetime, event: Event, names: Names) -> Iterator[Told]:
    """What players and organisers have said about results, with the reason of whoever decided."""
    match event:
        case [ev.ADJUDICATED, int(match), int(number), dict(ruling)]:
            said: Said = [_where(names, match, number), ": ", *_in_order(ruling, names), ". "]
            yield Told(at, _("Decided."), [*said, *_reason(ruling, names)])
        case [ev.ANNULLED, int(match), int(number), dict(why)]:
            sentence = _("{game} counts for nobody.").format(game=_where(names, match, number))
            yield Told(at, _("Annulled."), [sentence, " ", *_reason(why, names)])
        case [ev.ORDERED, int(match), int(number), _old, _new, dict(why)]:
            sentence = _("{game} is played again; what it came to counts no more.")
            told = sentence.format(game=_where(names, match, number))
            yield Told(at, _("To be replayed."), [told, " ", *_reason(why, names)])
        case [ev.UNDONE, int(), int(number), dict(why)]:
            sentence = _("Round {number}: its pairings and results count no more.").format(number=number)
            yield Told(at, _("Undone."), [sentence, " ", *_reason(why, names)], round=number)
        case [ev.RELEASED, int(), dict(why)]:
            sentence = _("The round that was undone is paired anew.")
            yield Told(at, _("Goes on."), [sentence, " ", *_reason(why, names)])
        case [ev.DISPUTED, int(match), int(entrant), dict()]:
            yield Told(at, _("Disputed."), [names.players[entrant], " ", _("disputes"), f" {_where(names, match)}."])
        case [ev.SETTLED, int(match), int(entrant), "declined", dict(why)]:
            sentence = _("The result of {match} stands, which was disputed by").format(match=_where(names, match))
            yield Told(at, _("Declined."), [f"{sentence} ", names.players[entrant], ". ", *_reason(why, names)])


def _in_order(ruling: Mapping[str, Any], names: Names) -> Said:
    """1. A, 2. B."""
    said: Said = []
    placed = zip(ruling["placings"], ruling["seats"], strict=True)
    for place, entrant in sorted((place, entrant) for place, entrant in placed if entrant != NOBODY):
        said += [f"{', ' if said else ''}{place}. ", names.players[entrant]]
    return said


def _where(names: Names, match: int, number: int | None = None) -> str:
    """Game 2 at table 1 of round 3."""
    found = names.matches[match]
    table = _("table {table} of round {round}").format(table=found.table, round=found.round.number)
    return table if number is None else _("Game {number} at {table}").format(number=number, table=table)


def _reason(said: Mapping[str, Any], names: Names) -> Said:
    """Why, in the words of whoever decided; they may have been taken back."""
    words = names.notes.get(said["note"][0], "") if said["note"] else ""
    return [_("The reason: {words}").format(words=words)] if words else [_("The words of the reason were taken back.")]


STEPS = {
    ev.PAUSED: (gettext_lazy("Paused."), gettext_lazy("No round begins until it goes on.")),
    ev.RESUMED: (gettext_lazy("Resumed."), gettext_lazy("The rounds to come are later by {delay}.")),
    ev.ABANDONED: (gettext_lazy("Abandoned."), gettext_lazy("No more is played; {how}.")),
}
HOW = {"stands": gettext_lazy("the standings stand"), "void": gettext_lazy("there are no standings")}
LEAVING = {
    "left": gettext_lazy("does not enter after all."),
    "declined": gettext_lazy("was not let in."),
    "not_checked_in": gettext_lazy("had not checked in, and is left out."),
    "no_place": gettext_lazy("found no place."),
    "account": gettext_lazy("has deleted the account."),
    "house": gettext_lazy("is withdrawn by the admins of the house"),
    "asked": gettext_lazy("withdraws"),
    "organiser": gettext_lazy("is withdrawn by an organiser"),
    "no_shows": gettext_lazy("is withdrawn, having not come to games"),
}
LISTS = {
    "asked": gettext_lazy("asks to be let in."),
    "waiting": gettext_lazy("is on the waiting list."),
    "alternate": gettext_lazy("waits for a place as an alternate."),
}


def said_of_entry(event: Event) -> Said:
    """What an event says of one entrant, after the name."""
    match event:
        case [ev.LISTED, _entrant, _player, str(state)]:
            return [str(LISTS[state])]
        case [ev.ADMITTED, _entrant, dict()]:
            return [_("is let in by an organiser.")]
        case [ev.CHECKED_IN, _entrant]:
            return [_("is there for the start.")]
        case [ev.AWAY, _entrant, list(rounds)]:
            listed = ", ".join(map(str, rounds))
            return [_("is away in round {rounds}.").format(rounds=listed) if rounds else _("is away in no round.")]
        case [ev.WITHDRAWN, _entrant, dict(gone)]:
            why = str(LEAVING[gone["why"]]).rstrip(".")
            if not gone["of"]:
                return [_("{why}; the results stand.").format(why=why)]
            return [_("{why}, having played {played} of {of} games.").format(why=why, **_figures(gone))]
    return [str(LEAVING[event[2]["why"]])]


def _figures(gone: Mapping[str, Any]) -> dict[str, int]:
    return {"played": gone["played"], "of": gone["of"]}


def reason(event: Event, names: Names) -> Said:
    """What somebody wrote as the reason of `event`, as far as it has not been taken back."""
    said = event[-1]
    note = said.get("note") if isinstance(said, dict) else None
    text = names.notes.get(note[0], "") if note else ""
    return [f" “{text}”"] if text else []


def _step_words(event: Event) -> str:
    said = event[1]
    delay = span(timedelta(seconds=said["delay"])) if "delay" in said else ""
    return str(STEPS[event[0]][1]).format(delay=delay, how=HOW.get(said.get("how", ""), ""))


def _joined_by_commas(parts: Sequence[Said]) -> Said:
    return [each for index, part in enumerate(parts) for each in ([", ", *part] if index else part)]


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
    if number == 1:
        sentence = _("The match at table {table} of round {round}: its players may come.")
        return [sentence.format(table=game.match.table, round=game.match.round.number)]
    sentence = _("Game {number} at table {table} of round {round} follows the one before.")
    return [sentence.format(number=number, table=game.match.table, round=game.match.round.number)]


def _appointed(match: Match, begins: datetime) -> str:
    sentence = _("Table {table} of round {round} begins at {when}.")
    return sentence.format(table=match.table, round=match.round.number, when=moment_words(begins))


def _recorded(at: datetime, number: int, record: Mapping[str, Any], game: MatchGame, names: Names) -> Told:
    seated = [
        (entrant, score) for entrant, score in zip(record["seats"], record["scores"], strict=True) if entrant != NOBODY
    ]
    players = [names.players[entrant] for entrant, _ in seated]
    where = _("round {round}, game {number}").format(round=game.match.round.number, number=number)
    if not is_told(game.game):
        return Told(at, _("Recorded."), [*_between(players), f", {where}. ", _("Result and log are sealed.")], game)
    scores = [f" {figure(score)}" for _, score in seated]
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
