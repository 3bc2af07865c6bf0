"""A season's events as sentences for its timeline.

Events hold ids and numbers. The caller looks up their rows (`lookups` says which) and passes them as `EventLookups`. A
sentence holds players as rows, so that a page can link them and mark bots.
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

from games.accounts.notices import moment_text
from games.common.labels import duration_label, number_label
from games.models import Player
from games.visibility.observe import is_result_public
from scorebook_games.contract import Event
from tournaments.activity.lookups import AGREED_TIMING, MATCH_EVENTS, EventLookups
from tournaments.core.results import FILLER_BOT
from tournaments.seasons import events as ev
from tournaments.seasons.labels import FORMAT_LABELS, format_points
from tournaments.seasons.models import Match, MatchGame

RichText = list["str | Player"]
DIVISION_EVENTS = (
    ev.ENTRANT_JOINED,
    ev.ROUND_PAIRED,
    ev.ROUND_CLOSED,
    ev.ROUND_EXTENDED,
    ev.ROUND_OVERDUE,
    ev.ROUND_UNDONE,
    ev.PAIRING_RELEASED,
    ev.SEASON_FINISHED,
    ev.ENTRANT_CHALLENGED,
    ev.CHALLENGE_LAPSED,
    ev.CHALLENGE_ACCEPTED,
    ev.CHALLENGE_REFUSED,
    ev.CHALLENGE_WITHDRAWN,
)  # the event types whose second part is the division's number


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """An entry of the timeline: the time, a short title (`what`), and the sentence. `game` is set where there is a
    replay to watch; `type` is the event's type."""

    at: datetime
    what: str
    text: RichText
    game: MatchGame | None = None
    head: str = ""
    round: int | None = None
    type: str = ""


def describe_events(entries: Sequence[tuple[datetime, Event]], names: EventLookups) -> list[TimelineEntry]:
    """Return the lines for `entries`, in their order. Entrants who joined one after the other share a line. In a season
    with several divisions, a line begins with the name of its division."""
    described: list[TimelineEntry] = []
    for (joined, _division), group in groupby(entries, key=lambda entry: _shared_line_key(entry[1], names)):
        if joined:
            lines = list(group)
            described.append(_with_division(_describe_joined(lines, names), lines[0][1], names))
        else:
            described += [
                _with_division(line, event, names) for at, event in group for line in _describe(at, event, names)
            ]
    return described


def _shared_line_key(event: Event, names: EventLookups) -> tuple[bool, int | None]:
    """Return a key that is equal for events that share a line: neighbouring entries into the same list or division."""
    joined = event[0] == ev.ENTRANT_JOINED
    return joined, _division_of(event, names) if joined else None


def _with_division(line: TimelineEntry, event: Event, names: EventLookups) -> TimelineEntry:
    """Return the line with the event's type, and with the name of its division in front."""
    name = names.divisions.get(_division_of(event, names) or 0)
    return replace(line, type=event[0], text=[f"{name} · ", *line.text] if name else line.text)


def _division_of(event: Event, names: EventLookups) -> int | None:
    """Return the number of the division that an event is about, or None."""
    if not names.divisions or (event[0] == ev.ENTRANT_JOINED and event[2] not in names.late):
        return None
    if event[0] in DIVISION_EVENTS:
        return int(event[1])
    if event[0] == ev.GAME_RECORDED:
        return names.games[event[3]["game"]].match.round.division.number
    if event[0] in (ev.GAME_REPLAYED, ev.GAME_OPENED):
        return names.games[event[-1]].match.round.division.number
    match = names.matches.get(event[1]) if event[0] in (*MATCH_EVENTS, ev.MATCH_NUDGED, ev.MATCH_APPOINTED) else None
    return match.round.division.number if match else None


def _describe_joined(entries: Sequence[tuple[datetime, Event]], names: EventLookups) -> TimelineEntry:
    players = sorted((names.players[event[2]] for _at, event in entries), key=lambda player: player.name)
    return TimelineEntry(entries[-1][0], _("Joined."), [*_player_list(players), "."])


def _describe(at: datetime, event: Event, names: EventLookups) -> Iterator[TimelineEntry]:
    """Return the line for an event, or None if it has none. Each group of events has a function of its own."""
    for describe in (_describe_season, _describe_entries, _describe_divisions, _describe_rounds, _describe_games):
        yield from describe(at, event, names)
    yield from _describe_ruling(at, event, names)


def _describe_season(at: datetime, event: Event, names: EventLookups) -> Iterator[TimelineEntry]:
    """Describe changes of the whole season: opened, started, paused, finished …"""
    match event:
        case [ev.SEASON_CREATED, dict(settings)]:
            yield TimelineEntry(at, _("Opened."), [_season_created_text(settings)])
        case [ev.SEASON_CHANGED, dict(settings)]:
            yield TimelineEntry(at, _("Changed."), [_season_created_text(settings)])
        case [ev.SEASON_STARTED, *_rest]:
            yield TimelineEntry(at, _("Started."), [_("The lots are drawn and entries are closed.")])
        case [ev.SEASON_PAUSED | ev.SEASON_RESUMED | ev.SEASON_ABANDONED, dict()]:
            yield TimelineEntry(
                at, str(LIFECYCLE_LABELS[event[0]][0]), [_lifecycle_text(event), *reason_text(event, names)]
            )
        case [ev.SEASON_IMPORTED, list(), dict(said)]:
            yield TimelineEntry(at, _("Imported."), [_season_imported_text(said)])
        case [ev.SEASON_FINISHED, int(), list(places)]:
            first = [names.players[entrant] for entrant, place in places if place == 1]
            yield TimelineEntry(at, _("Finished."), [*_player_list(first), " ", _("came first.")])


def _describe_entries(at: datetime, event: Event, names: EventLookups) -> Iterator[TimelineEntry]:
    """Describe entries: joining, absences, withdrawals and challenges."""
    match event:
        case [
            ev.ENTRANT_LISTED
            | ev.ENTRANT_ADMITTED
            | ev.ENTRANT_CHECKED_IN
            | ev.ENTRANT_LEFT
            | ev.ENTRANT_AWAY
            | ev.ENTRANT_WITHDRAWN,
            int(entrant),
            *_rest,
        ]:
            yield TimelineEntry(
                at, _("Entry."), [names.players[entrant], " ", *entrant_event_text(event), *reason_text(event, names)]
            )
        case [
            ev.ENTRANT_CHALLENGED | ev.CHALLENGE_LAPSED | ev.CHALLENGE_ACCEPTED | ev.CHALLENGE_WITHDRAWN as what,
            _division,
            int(challenger),
            int(other),
            *_until,
        ]:
            between: RichText = [names.players[challenger], " – ", names.players[other], "."]
            yield TimelineEntry(at, str(CHALLENGE_LABELS[what]), between)
        case [ev.CHALLENGE_REFUSED, _division, int(challenger), int(other), dict(cost)]:
            yield TimelineEntry(
                at,
                _("Challenge refused."),
                [*_refusal_text(challenger, other, cost, names), *reason_text(event, names)],
            )


def _describe_divisions(at: datetime, event: Event, names: EventLookups) -> Iterator[TimelineEntry]:
    """Describe divisions: placing, points carried over, promotion and relegation."""
    match event:
        case [ev.ENTRANTS_PLACED, list(placed)] if len(placed) > 1:
            yield TimelineEntry(
                at, _("Placed."), [_("{n} divisions, by rating or by the last season.").format(n=len(placed))]
            )
        case [ev.POINTS_CARRIED, list(points)]:
            brought: list[RichText] = [
                [names.players[entrant], f" {format_points(worth)}"] for entrant, worth in points
            ]
            yield TimelineEntry(at, _("Carried over."), [_("From the last season: "), *_joined_by_commas(brought), "."])
        case [ev.PLAYOFF_OPENED, _division, list(pairs), _above]:
            met: list[RichText] = [[names.players[one], " – ", names.players[other]] for one, other in pairs]
            yield TimelineEntry(at, _("Play-off."), [*_joined_by_commas(met), "."])
        case [ev.ENTRANTS_MOVED, list(to)]:
            went: list[RichText] = [[names.players[entrant], _division_suffix(n, names)] for entrant, n in to]
            yield TimelineEntry(at, _("Next season."), [*_joined_by_commas(went), "."])


def _describe_rounds(at: datetime, event: Event, names: EventLookups) -> Iterator[TimelineEntry]:
    """Describe a round: paired, extended, out of time, closed."""
    match event:
        case [ev.ROUND_PAIRED, int(), int(number), list(tables), list(byes), _closes]:
            rests = [names.players[entrant] for entrant, *_why in byes]
            yield TimelineEntry(at, _("Paired."), _round_paired_text(number, len(tables), rests), round=number)
        case [ev.ROUND_EXTENDED, _division, int(number), int(closes), dict()]:
            until = date_format(localtime(datetime.fromtimestamp(closes, UTC)), "j F, H:i")
            sentence = _("Round {number} ends at {until}.").format(number=number, until=until)
            yield TimelineEntry(at, _("Extended."), [sentence, *reason_text(event, names)], round=number)
        case [ev.ROUND_OVERDUE, _division, int(number), list(late)]:
            sentence = _("The deadline of round {number} has passed; not finished: {games}.")
            text = sentence.format(number=number, games=number_label(len(late), "game"))
            yield TimelineEntry(at, _("Deadline passed."), [text], round=number)
        case [ev.ROUND_CLOSED, int(division), int(number)] if (division, number) in names.imported:
            yield TimelineEntry(at, _("Closed."), [_("Round {number}.").format(number=number)], round=number)
        case [ev.ROUND_CLOSED, _division, int(number)]:
            sentence = _("Round {number}. Its games are rated in the order of the schedule.").format(number=number)
            yield TimelineEntry(at, _("Closed."), [sentence], round=number)


def _describe_games(at: datetime, event: Event, names: EventLookups) -> Iterator[TimelineEntry]:
    """Describe the openings of matches and games, and their results."""
    match event:
        case [ev.GAME_REPLAYED, _match, int(number), _aborted, int(game)]:
            yield TimelineEntry(
                at, _("Game replaced."), _game_replayed_text(number, names.games[game]), names.games[game]
            )
        case [ev.GAME_OPENED, _match, int(number), int(game)]:
            yield TimelineEntry(at, _("Opened."), _game_opened_text(number, names.games[game]), names.games[game])
        case [ev.MATCH_APPOINTED, int(match), int(seconds), str(how)] if how == AGREED_TIMING:
            yield TimelineEntry(
                at, _("Agreed."), [_match_scheduled_text(names.matches[match], datetime.fromtimestamp(seconds, UTC))]
            )
        case [ev.MATCH_NUDGED, int(match), dict()]:
            asked = [*_pairing_text(names.sides.get(match, [])), ": ", _("an organiser reminds them to play.")]
            yield TimelineEntry(at, _("Reminder."), [*asked, *reason_text(event, names)])
        case [ev.GAME_RECORDED, _match, int(number), dict(record)]:
            yield _describe_result(at, number, record, names.games[record["game"]], names)
        case [ev.RESULT_IMPORTED, int(match), int(number), str(ruling), dict(result)] if result["seats"]:
            where = _game_place_text(names, match, number)
            yield TimelineEntry(at, _("Imported."), _result_text(where, ruling, result, names))


def _describe_ruling(at: datetime, event: Event, names: EventLookups) -> Iterator[TimelineEntry]:
    """Describe disputes of players and rulings of organisers, with the reason that was given."""
    match event:
        case [ev.GAME_ADJUDICATED, int(match), int(number), dict(ruling)]:
            ranking: RichText = [_game_place_text(names, match, number), ": ", *_ranking_text(ruling, names), ". "]
            yield TimelineEntry(at, _("Adjudicated."), [*ranking, *_note_text(ruling, names)])
        case [ev.GAME_ANNULLED, int(match), int(number), dict(why)]:
            sentence = _("{game} does not count.").format(game=_game_place_text(names, match, number))
            yield TimelineEntry(at, _("Annulled."), [sentence, " ", *_note_text(why, names)])
        case [ev.GAME_ORDERED, int(match), int(number), _old, _new, dict(why)]:
            sentence = _("{game} will be replayed; its first result does not count.")
            text = sentence.format(game=_game_place_text(names, match, number))
            yield TimelineEntry(at, _("Replay ordered."), [text, " ", *_note_text(why, names)])
        case [ev.ROUND_UNDONE, int(), int(number), dict(why)]:
            sentence = _("The pairings and results of round {number} do not count any more.").format(number=number)
            yield TimelineEntry(at, _("Round undone."), [sentence, " ", *_note_text(why, names)], round=number)
        case [ev.PAIRING_RELEASED, int(), dict(why)]:
            sentence = _("The round that was undone is paired again.")
            yield TimelineEntry(at, _("Pairing continues."), [sentence, " ", *_note_text(why, names)])
        case [ev.MATCH_DISPUTED, int(match), int(entrant), dict()]:
            yield TimelineEntry(
                at, _("Disputed."), [names.players[entrant], " ", _("disputes"), f" {_game_place_text(names, match)}."]
            )
        case [ev.DISPUTE_SETTLED, int(match), int(entrant), "declined", dict(why)]:
            sentence = _("The result of {match} stands. It was disputed by").format(
                match=_game_place_text(names, match)
            )
            yield TimelineEntry(
                at, _("Declined."), [f"{sentence} ", names.players[entrant], ". ", *_note_text(why, names)]
            )


def _ranking_text(ruling: Mapping[str, Any], names: EventLookups) -> RichText:
    """Return a ranking in words: “1. A, 2. B”."""
    parts: RichText = []
    placed = zip(ruling["placings"], ruling["seats"], strict=True)
    for place, entrant in sorted((place, entrant) for place, entrant in placed if entrant != FILLER_BOT):
        parts += [f"{', ' if parts else ''}{place}. ", names.players[entrant]]
    return parts


def _game_place_text(names: EventLookups, match: int, number: int | None = None) -> str:
    """Return the place of a match or game in words: “Game 2 at table 1 of round 3”."""
    found = names.matches[match]
    table = _("table {table} of round {round}").format(table=found.table, round=found.round.number)
    return table if number is None else _("Game {number} at {table}").format(number=number, table=table)


def _note_text(said: Mapping[str, Any], names: EventLookups) -> RichText:
    """Return the reason in the words of the person who decided, or say that the text was removed."""
    words = names.notes.get(said["note"][0], "") if said["note"] else ""
    return [_("Reason: {words}").format(words=words)] if words else [_("The text of the reason was removed.")]


LIFECYCLE_LABELS = {
    ev.SEASON_PAUSED: (gettext_lazy("Paused."), gettext_lazy("No round begins until the season is resumed.")),
    ev.SEASON_RESUMED: (gettext_lazy("Resumed."), gettext_lazy("The remaining rounds are {delay} later.")),
    ev.SEASON_ABANDONED: (gettext_lazy("Abandoned."), gettext_lazy("No more games are played; {how}.")),
}
ABANDON_LABELS = {"stands": gettext_lazy("the standings stand"), "void": gettext_lazy("the standings are void")}
CHALLENGE_LABELS = {
    ev.ENTRANT_CHALLENGED: gettext_lazy("Challenge."),
    ev.CHALLENGE_ACCEPTED: gettext_lazy("Challenge accepted."),
    ev.CHALLENGE_LAPSED: gettext_lazy("Challenge lapsed."),
    ev.CHALLENGE_WITHDRAWN: gettext_lazy("Challenge withdrawn."),
}
LEAVE_LABELS = {
    "left": gettext_lazy("cancelled the entry."),
    "declined": gettext_lazy("was not admitted."),
    "not_checked_in": gettext_lazy("did not check in and was left out."),
    "no_place": gettext_lazy("did not get a place."),
    "account": gettext_lazy("deleted the account."),
    "admin": gettext_lazy("was withdrawn by site admins"),
    "asked": gettext_lazy("withdrew"),
    "organiser": gettext_lazy("was withdrawn by an organiser"),
    "no_shows": gettext_lazy("was withdrawn after not showing up"),
}
LIST_LABELS = {
    "asked": gettext_lazy("asked to enter."),
    "waiting": gettext_lazy("is on the waiting list."),
    "alternate": gettext_lazy("is an alternate, waiting for a place."),
}


def entrant_event_text(event: Event) -> RichText:
    """Return what an event says of one entrant, to follow the entrant's name."""
    match event:
        case [ev.ENTRANT_LISTED, _entrant, _player, str(state)]:
            return [str(LIST_LABELS[state])]
        case [ev.ENTRANT_ADMITTED, _entrant, dict()]:
            return [_("was admitted by an organiser.")]
        case [ev.ENTRANT_CHECKED_IN, _entrant]:
            return [_("checked in.")]
        case [ev.ENTRANT_AWAY, _entrant, list(rounds)]:
            listed = ", ".join(map(str, rounds))
            return [
                _("will be absent in round {rounds}.").format(rounds=listed)
                if rounds
                else _("will not be absent in any round.")
            ]
        case [ev.ENTRANT_WITHDRAWN, _entrant, dict(gone)]:
            why = str(LEAVE_LABELS[gone["why"]]).rstrip(".")
            if not gone["of"]:
                return [_("{why}; the results stand.").format(why=why)]
            return [_("{why}, after {played} of {of} games.").format(why=why, **_games_played_text(gone))]
    return [str(LEAVE_LABELS[event[2]["why"]])]


def _games_played_text(gone: Mapping[str, Any]) -> dict[str, int]:
    return {"played": gone["played"], "of": gone["of"]}


def reason_text(event: Event, names: EventLookups) -> RichText:
    """Return the reason that somebody wrote for `event`; "" if there was none or its text was removed."""
    payload = event[-1]
    note = payload.get("note") if isinstance(payload, dict) else None
    text = names.notes.get(note[0], "") if note else ""
    return [f" “{text}”"] if text else []


def _division_suffix(number: int, names: EventLookups) -> str:
    name = names.divisions.get(number)
    return _(" to {division}").format(division=name) if name else _(" to division {n}").format(n=number)


def _refusal_text(challenger: int, other: int, cost: Mapping[str, Any], names: EventLookups) -> RichText:
    """Return the text of a refused challenge: “Otto – Laura: Laura declines it, her second refusal …, and loses place 4
    to Otto”."""
    declined = _("declined") if cost["how"] == "declined" else _("did not answer in time")
    between: RichText = [names.players[challenger], " – ", names.players[other], ": "]
    counts = _("refusal number {count}").format(count=cost["count"])
    parts: RichText = [*between, names.players[other], " ", declined, f" ({counts})"]
    if cost["to"] is None:
        return [*parts, ", ", _("at no cost"), "."]
    lost = _("losing place {place} to").format(place=cost["place"])
    return [*parts, f", {lost} ", names.players[cost["to"]], "."]


def _lifecycle_text(event: Event) -> str:
    payload = event[1]
    delay = duration_label(timedelta(seconds=payload["delay"])) if "delay" in payload else ""
    return str(LIFECYCLE_LABELS[event[0]][1]).format(delay=delay, how=ABANDON_LABELS.get(payload.get("how", ""), ""))


def _joined_by_commas(parts: Sequence[RichText]) -> RichText:
    return [each for index, part in enumerate(parts) for each in ([", ", *part] if index else part)]


def _season_created_text(settings: Mapping[str, Any]) -> str:
    form = FORMAT_LABELS.get(settings["format"], settings["format"])
    return _("{format}, {games} per match, {seats} per table.").format(
        format=form,
        games=number_label(settings["games_a_match"], "game"),
        seats=number_label(settings["table_size"], "entrant"),
    )


def _round_paired_text(number: int, tables: int, rests: Sequence[Player]) -> RichText:
    opening = _("Round {number}: {matches}").format(number=number, matches=number_label(tables, "match", "matches"))
    if not rests:
        return [f"{opening}."]
    return [f"{opening}; ", *_player_list(rests), " ", _("has a bye.") if len(rests) == 1 else _("have byes.")]


def _game_replayed_text(number: int, game: MatchGame) -> RichText:
    sentence = _("Game {number} at table {table} of round {round} was aborted and is replayed.")
    return [sentence.format(number=number, table=game.match.table, round=game.match.round.number)]


def _game_opened_text(number: int, game: MatchGame) -> RichText:
    if number == 1:
        sentence = _("The match at table {table} of round {round} is open; its players can check in.")
        return [sentence.format(table=game.match.table, round=game.match.round.number)]
    sentence = _("Game {number} at table {table} of round {round} begins.")
    return [sentence.format(number=number, table=game.match.table, round=game.match.round.number)]


def _season_imported_text(said: Mapping[str, Any]) -> str:
    sentence = _("An organiser imported the season from a file: {rounds}, {games}. Imported games are not rated.")
    file = _("The file has the SHA-256 {hash}.").format(hash=said["file"])
    text = sentence.format(rounds=number_label(said["rounds"], "round"), games=number_label(said["games"], "game"))
    return f"{text} {file}"


def _result_text(where: str, ruling: str, result: Mapping[str, Any], names: EventLookups) -> RichText:
    """Return a result in words: “Game 1 at table 2 of round 3: A 5 – B 3, as it was played elsewhere”."""
    seated = [(entrant, seat) for seat, entrant in enumerate(result["seats"]) if entrant != FILLER_BOT]
    players = [names.players[entrant] for entrant, _seat in seated]
    if ruling == "adjudicated":
        return [f"{where}: ", *_ranking_text(result, names), ". ", _("The result was adjudicated.")]
    if ruling != "played":
        return [f"{where}: ", *_pairing_text(players), ". ", _("The game does not count.")]
    return [
        f"{where}: ",
        *_pairing_text(players, [f" {format_points(result['scores'][seat])}" for _entrant, seat in seated]),
        ".",
    ]


def _match_scheduled_text(match: Match, begins: datetime) -> str:
    sentence = _("Table {table} of round {round} begins at {when}.")
    return sentence.format(table=match.table, round=match.round.number, when=moment_text(begins))


def _describe_result(
    at: datetime, number: int, record: Mapping[str, Any], game: MatchGame, names: EventLookups
) -> TimelineEntry:
    seated = [
        (entrant, score)
        for entrant, score in zip(record["seats"], record["scores"], strict=True)
        if entrant != FILLER_BOT
    ]
    players = [names.players[entrant] for entrant, _ in seated]
    where = _("round {round}, game {number}").format(round=game.match.round.number, number=number)
    if not is_result_public(game.game):
        return TimelineEntry(
            at, _("Recorded."), [*_pairing_text(players), f", {where}. ", _("The result and the log are sealed.")], game
        )
    scores = [f" {format_points(score)}" for _, score in seated]
    return TimelineEntry(at, _("Recorded."), [*_pairing_text(players, scores), f", {where}."], game, record["head"])


def _player_list(players: Sequence[Player]) -> RichText:
    parts: RichText = []
    for index, player in enumerate(players):
        if index:
            parts.append(" and " if index == len(players) - 1 else ", ")
        parts.append(player)
    return parts


def _pairing_text(players: Sequence[Player], scores: Sequence[str] = ()) -> RichText:
    parts: RichText = []
    for index, player in enumerate(players):
        parts += [" – ", player] if index else [player]
        parts += scores[index : index + 1]
    return parts
