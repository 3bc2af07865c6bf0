"""What happened in a season, told in words from its stream.

Events hold ids and numbers; whoever calls looks the names up (`named` says which) and hands them in. Players stand
in a sentence as rows, so that a page can link them and mark bots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from games.visibility.observe import is_told
from tournaments.activity.lookups import AGREED, OF_MATCHES, Names
from tournaments.core.labels import FORMATS, counted, figure, span
from tournaments.core.results import NOBODY
from tournaments.models import Match, MatchGame
from tournaments.seasons import events as ev

Said = list["str | Player"]
DECIDED = (ev.ADJUDICATED, ev.ANNULLED, ev.ORDERED, ev.UNDONE, ev.RELEASED, ev.SETTLED)
OF_DIVISIONS = (
    ev.JOINED,
    ev.PAIRED,
    ev.CLOSED,
    ev.EXTENDED,
    ev.OVERDUE,
    ev.UNDONE,
    ev.RELEASED,
    ev.FINISHED,
    ev.CHALLENGED,
    ev.LAPSED,
    ev.TAKEN_UP,
    ev.REFUSED,
    ev.TAKEN_BACK,
)  # of these the event's second part is the division


@dataclass(frozen=True, slots=True)
class Told:
    """One line of what happened: when, in a word what, and the sentence. `game` where there is a replay to look at;
    `type` is that of the event."""

    at: datetime
    what: str
    said: Said
    game: MatchGame | None = None
    head: str = ""
    round: int | None = None
    type: str = ""


def tell(entries: Sequence[tuple[datetime, Event]], names: Names) -> list[Told]:
    """The lines for `entries`, in their order; entrants that joined one after the other share a line. Where a season
    has several divisions a line begins with the one that it is about."""
    told: list[Told] = []
    for (joined, _division), group in groupby(entries, key=lambda entry: _shared(entry[1], names)):
        if joined:
            lines = list(group)
            told.append(_in_division(_joined(lines, names), lines[0][1], names))
        else:
            told += [_in_division(line, event, names) for at, event in group for line in _tell(at, event, names)]
    return told


def _shared(event: Event, names: Names) -> tuple[bool, int | None]:
    """What events have in common that share a line: that somebody joined, and where."""
    joined = event[0] == ev.JOINED
    return joined, _division_of(event, names) if joined else None


def _in_division(line: Told, event: Event, names: Names) -> Told:
    """The line, with the event's type, and the name of the division that it is about before it."""
    name = names.divisions.get(_division_of(event, names) or 0)
    return replace(line, type=event[0], said=[f"{name} · ", *line.said] if name else line.said)


def _division_of(event: Event, names: Names) -> int | None:
    """Which division an event is about, if it is about one."""
    if not names.divisions or (event[0] == ev.JOINED and event[2] not in names.late):
        return None
    if event[0] in OF_DIVISIONS:
        return int(event[1])
    if event[0] == ev.RECORDED:
        return names.games[event[3]["game"]].match.round.division.number
    if event[0] in (ev.REPLAYED, ev.OPENED):
        return names.games[event[-1]].match.round.division.number
    found = names.matches.get(event[1]) if event[0] in (*OF_MATCHES, ev.NUDGED, ev.APPOINTED) else None
    return found.round.division.number if found else None


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
        case [
            ev.CHALLENGED | ev.LAPSED | ev.TAKEN_UP | ev.TAKEN_BACK as what,
            _division,
            int(challenger),
            int(other),
            *_until,
        ]:
            between: Said = [names.players[challenger], " – ", names.players[other], "."]
            yield Told(at, str(CHALLENGES[what]), between)
        case [ev.REFUSED, _division, int(challenger), int(other), dict(cost)]:
            yield Told(at, _("Challenge refused."), [*_refused(challenger, other, cost, names), *reason(event, names)])
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
            went: list[Said] = [[names.players[entrant], _to_division(n, names)] for entrant, n in to]
            yield Told(at, _("Next season."), [*_joined_by_commas(went), "."])
        case [ev.IMPORTED, list(), dict(said)]:
            yield Told(at, _("Imported."), [_imported(said)])
        case [ev.RESULT, int(match), int(number), str(ruling), dict(result)]:
            if result["seats"]:
                where = _where(names, match, number)
                yield Told(at, _("Imported."), _result(where, ruling, result, names))
        case [ev.CLOSED, int(division), int(number)] if (division, number) in names.imported:
            yield Told(at, _("Closed."), [_("Round {number}.").format(number=number)], round=number)
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
CHALLENGES = {
    ev.CHALLENGED: gettext_lazy("Challenge."),
    ev.TAKEN_UP: gettext_lazy("Challenge accepted."),
    ev.LAPSED: gettext_lazy("Challenge lapsed."),
    ev.TAKEN_BACK: gettext_lazy("Challenge taken back."),
}
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


def _to_division(number: int, names: Names) -> str:
    name = names.divisions.get(number)
    return _(" to {division}").format(division=name) if name else _(" to division {n}").format(n=number)


def _refused(challenger: int, other: int, cost: Mapping[str, Any], names: Names) -> Said:
    """Otto – Laura: Laura declines it, her second refusal …, and loses place 4 to Otto."""
    declined = _("declines it") if cost["how"] == "declined" else _("has not answered it in time")
    between: Said = [names.players[challenger], " – ", names.players[other], ": "]
    counts = _("refusal {count} of those that count").format(count=cost["count"])
    told: Said = [*between, names.players[other], " ", declined, f" ({counts})"]
    if cost["to"] is None:
        return [*told, ", ", _("which costs nothing"), "."]
    lost = _("and loses place {place} to").format(place=cost["place"])
    return [*told, f", {lost} ", names.players[cost["to"]], "."]


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


def _imported(said: Mapping[str, Any]) -> str:
    sentence = _("An organiser has imported a season from a file: {rounds}, {games}. What is in it is never rated.")
    file = _("The file has the SHA-256 {hash}.").format(hash=said["file"])
    told = sentence.format(rounds=counted(said["rounds"], "round"), games=counted(said["games"], "game"))
    return f"{told} {file}"


def _result(where: str, ruling: str, result: Mapping[str, Any], names: Names) -> Said:
    """Game 1 at table 2 of round 3: A 5 – B 3, as it was played elsewhere."""
    seated = [(entrant, seat) for seat, entrant in enumerate(result["seats"]) if entrant != NOBODY]
    players = [names.players[entrant] for entrant, _seat in seated]
    if ruling == "adjudicated":
        return [f"{where}: ", *_in_order(result, names), ". ", _("It was decided.")]
    if ruling != "played":
        return [f"{where}: ", *_between(players), ". ", _("It counts for nobody.")]
    return [f"{where}: ", *_between(players, [f" {figure(result['scores'][seat])}" for _entrant, seat in seated]), "."]


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
