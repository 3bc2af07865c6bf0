"""Parses the season of a file: its entrants, rounds, matches and games, checked one by one and against each other.
Makes no queries.

Only closed rounds are kept. They are renumbered 1, 2 … where a format pairs new rounds while others are played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils.translation import gettext as _

from games.common.sentences import stored_sentences
from scorebook_games.contract import ABORTED, LEFT, RULES, TURN_LIMIT
from scorebook_games.gamelog import events as gev
from scorebook_games.placings import without_gaps
from scorebook_games.presentation.coded_text import Sentence, is_sentence, written
from tournaments.core.results import FILLER_BOT
from tournaments.formats.reasons import CODES, WRITTEN, Reasons, imported
from tournaments.formats.round_robin import MAX_TABLE_SIZE
from tournaments.importexport.values import FileObject
from tournaments.seasons.models import Bye, ImportedGame, Match
from tournaments.seasons.settings import MAX_DIVISIONS, MAX_ENTRANTS, MAX_GAMES_PER_MATCH

MAX_ROUNDS: Final = 2000  # in a ladder or an arena, every match is a round
MAX_TABLES: Final = MAX_ENTRANTS
MAX_REPLAYS: Final = 50
MAX_SCORE: Final = 1_000_000
REASON_MAX_LENGTH: Final = 1000
MAX_REASONS: Final = 10
NAME_SHOWN_LENGTH: Final = 60
PLAYED, ADJUDICATED, ANNULLED = "played", "adjudicated", "annulled"
COUNTED_RULINGS: Final = (PLAYED, ADJUDICATED)
TERMINATIONS: Final = (
    "",
    RULES,
    TURN_LIMIT,
    *gev.LEAVING_TERMINATIONS,
    LEFT,
    ABORTED,
    ADJUDICATED,
)  # how a game ended; "" if the file does not say
WITHDRAWAL_CAUSES: Final = ("asked", "organiser", "no_shows", "account", "admin")
SEASON_STATES: Final = ("running", "paused", "finished", "abandoned")
IN, WITHDRAWN = "in", "withdrawn"


@dataclass(frozen=True, slots=True)
class PastEntrant:
    """An entrant of the season. `carried`: points from the season before; `gone`: why they withdrew and after how many
    games of how many, or None."""

    number: int
    division: int
    since: int
    away: tuple[int, ...]
    carried: float
    gone: Mapping[str, Any] | None
    joined_at: datetime | None
    name: str = ""


@dataclass(frozen=True, slots=True)
class PastGame:
    """A game of a match. `payload` is the payload of its event in the season's stream."""

    number: int
    ruling: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PastMatch:
    table: int
    entrants: tuple[int, ...]
    slot: str
    reason: Reasons
    timing: str
    begins_at: datetime | None
    finished_at: datetime | None
    games: tuple[PastGame, ...]


@dataclass(frozen=True, slots=True)
class PastBye:
    entrant: int
    kind: str
    reason: Reasons
    missing: int | None


@dataclass(frozen=True, slots=True)
class PastRound:
    division: int
    number: int
    opened_at: datetime | None
    closes_at: datetime | None
    closed_at: datetime | None
    byes: tuple[PastBye, ...]
    matches: tuple[PastMatch, ...]


@dataclass(frozen=True, slots=True)
class PastDivision:
    """A division. A play-off has `above`, the number of the higher division, and `pairs`, each (who holds the place,
    who challenges for it). `over`: whether it was played to its end. `refusals`: a ladder's refused challenges, each
    (number of rounds before it, challenger, challenged, the event's payload)."""

    number: int
    name: str
    seeds: tuple[int, ...]
    lots: tuple[int, ...]
    above: int | None
    pairs: tuple[tuple[int, int], ...]
    over: bool
    refusals: tuple[tuple[int, int, int, Mapping[str, Any]], ...] = ()


@dataclass(frozen=True, slots=True)
class PastSeason:
    """A season as it stood on another platform. `stood_at`: when it stopped, in the calendar of its settings;
    `left_out`: the number of rounds that were not closed; `places`: entrant → place in the file's standings."""

    status: str
    abandoned: str
    starts_at: datetime | None
    finished_at: datetime | None
    stood_at: datetime | None
    divisions: tuple[PastDivision, ...]
    entrants: tuple[PastEntrant, ...]
    rounds: tuple[PastRound, ...]
    places: Mapping[int, int] = field(default_factory=dict)
    left_out: int = 0

    @property
    def games(self) -> int:
        """The number of games in all rounds."""
        return sum(len(match.games) for past in self.rounds for match in past.matches)


def parse_season(data: Mapping[str, Any], *, table_size: int, games_a_match: int, continuous: bool) -> PastSeason:
    """Parse a season from the file's `data`. `continuous`: whether the format pairs new rounds while others are played.
    Raises `DomainError` bad_file (400)."""
    file = FileObject(data, _("The file"))
    divisions = tuple(
        _parse_division(each, n) for n, each in enumerate(file.list("divisions", 2 * MAX_DIVISIONS), start=1)
    )
    entrants = tuple(
        _parse_entrant(FileObject(each, _name_of(each) or _("Entrant {n}").format(n=n)))
        for n, each in enumerate(file.list("entrants", MAX_ENTRANTS), start=1)
        if not isinstance(each, Mapping) or each.get("status", IN) in (IN, WITHDRAWN)
    )
    names = {entrant.number: entrant.name or str(entrant.number) for entrant in entrants}
    _check_entrants(file, entrants, divisions)
    sizes = (table_size, games_a_match)
    rounds = [
        _parse_round(FileObject(each, _("Round {n} of the file").format(n=n)), names, *sizes)
        for n, each in enumerate(file.list("rounds", MAX_ROUNDS), start=1)
        if not isinstance(each, Mapping) or each.get("status", "closed") == "closed"
    ]
    stood_at = file.moment("paused_at") or file.moment("written_at")
    every = len(file.list("rounds", MAX_ROUNDS))
    kept, numbers = _rounds_by_division(file, rounds, continuous=continuous)
    entrants = tuple(
        replace(entrant, since=1 + _rounds_before(numbers, entrant.division, entrant.since)) for entrant in entrants
    )
    divisions = tuple(_renumber_refusals(division, numbers) for division in divisions)
    _check_rounds(kept, entrants, divisions)
    return PastSeason(
        status=file.choice("status", SEASON_STATES, "running"),
        abandoned=file.choice("abandoned", ("", "stands", "void")),
        starts_at=file.moment("starts_at"),
        finished_at=file.moment("finished_at"),
        stood_at=stood_at and stood_at - timedelta(seconds=file.whole("delay_seconds", usual=0)),
        divisions=divisions,
        entrants=entrants,
        rounds=kept,
        places=_parse_places(file),
        left_out=every - len(kept),
    )


def _parse_division(each: Any, place: int) -> PastDivision:
    part = FileObject(each, _("Division {n} of the file").format(n=place))
    above = part.data.get("above")
    return PastDivision(
        number=part.whole("number", 1, 2 * MAX_ENTRANTS),
        name=part.text("name", 60),
        seeds=part.wholes("seeds", 1, longest=MAX_ENTRANTS),
        lots=part.wholes("lots", 1, longest=MAX_ENTRANTS),
        above=None if above is None else part.whole("above", 1, MAX_DIVISIONS),
        pairs=part.pairs("pairs", MAX_ENTRANTS),
        over=part.data.get("places") is not None,
        refusals=tuple(_parse_refusal(FileObject(each, part.where)) for each in part.list("refusals", MAX_ROUNDS)),
    )


def _parse_refusal(part: FileObject) -> tuple[int, int, int, dict[str, Any]]:
    costs = part.data.get("to") is not None
    cost = {
        "how": part.choice("how", ("declined", "unanswered"), "declined"),
        "at": part.whole("at"),
        "count": part.whole("count", 1, MAX_ROUNDS),
        "place": part.whole("place", 1, MAX_ENTRANTS) if costs else None,
        "to": part.whole("to", 1) if costs else None,
        "note": None,
    }
    return part.whole("rounds", 0, MAX_ROUNDS), part.whole("challenger", 1), part.whole("challenged", 1), cost


def _parse_entrant(part: FileObject) -> PastEntrant:
    gone = part.data.get("withdrawn")
    left = FileObject(gone, part.where) if gone is not None else None
    status = part.choice("status", (IN, WITHDRAWN), IN)
    if (status == WITHDRAWN) != (left is not None):
        raise part.wrong(_("“withdrawn” must have why, played and of."))
    return PastEntrant(
        number=part.whole("number", 1, 32_767),
        division=part.whole("division", 1, 2 * MAX_ENTRANTS, 1),
        since=part.whole("since", 1, MAX_ROUNDS + 1, 1),
        away=tuple(sorted(set(part.wholes("away", 1, MAX_ROUNDS, MAX_ROUNDS)))),
        carried=part.number("carried"),
        gone=_parse_withdrawal(left) if left is not None else None,
        joined_at=part.moment("joined_at"),
        name=_name_of(part.data),
    )


def _name_of(entrant: Any) -> str:
    """Return the name of an entrant of the file, for sentences about errors; "" if it has none."""
    name = entrant.get("name") if isinstance(entrant, Mapping) else None
    return name.strip()[:NAME_SHOWN_LENGTH] if isinstance(name, str) else ""


def _parse_withdrawal(part: FileObject) -> dict[str, Any]:
    return {"why": part.choice("why", WITHDRAWAL_CAUSES), "played": part.whole("played"), "of": part.whole("of")}


def _check_entrants(file: FileObject, entrants: Sequence[PastEntrant], divisions: Sequence[PastDivision]) -> None:
    if twice := _first_duplicate(entrant.number for entrant in entrants):
        raise file.wrong(_("Two entrants have the number {n}.").format(n=twice))
    if twice := _first_duplicate(division.number for division in divisions):
        raise file.wrong(_("Two divisions have the number {n}.").format(n=twice))
    main = {division.number for division in divisions if division.above is None}
    if main != set(range(1, len(main) + 1)) or not main:
        raise file.wrong(_("The divisions must have the numbers 1, 2 …"))
    for entrant in entrants:
        if entrant.division not in main:
            sentence = _("{name} is in division {division}, which does not exist.")
            raise file.wrong(sentence.format(name=entrant.name or entrant.number, division=entrant.division))
    known = {entrant.number for entrant in entrants}
    for division in divisions:
        _check_division(file, division, known, main)


def _check_division(file: FileObject, division: PastDivision, known: set[int], main: set[int]) -> None:
    """Check that a division names only entrants of the season, each once. Raises `DomainError` bad_file (400)."""
    paired = [one for pair in division.pairs for one in pair]
    is_playoff_of_none = division.above is not None and (division.above + 1 not in main or not paired)
    if not known.issuperset(paired) or is_playoff_of_none:
        raise file.wrong(_("The pairs of division {n} are not entrants.").format(n=division.number))
    refusing = {one for _rounds, *pair, cost in division.refusals for one in (*pair, cost["to"] or pair[0])}
    if not refusing <= known:
        raise file.wrong(
            _("The declined challenges of division {n} name a player who is not an entrant.").format(n=division.number)
        )
    if any(_first_duplicate(listed) for listed in (division.seeds, division.lots, paired)):
        raise file.wrong(_("Division {n} names an entrant twice.").format(n=division.number))


def _parse_round(part: FileObject, names: Mapping[int, str], table_size: int, games_a_match: int) -> PastRound:
    division, number = part.whole("division", 1, 2 * MAX_ENTRANTS, 1), part.whole("number", 1, MAX_ROUNDS)
    where = _("Round {n}").format(n=number)
    if division > 1:
        where = _("Division {division}, round {n}").format(division=division, n=number)
    matches = tuple(
        _parse_match(FileObject(each, _place_of_match(each, where, n)), names, table_size, games_a_match)
        for n, each in enumerate(part.list("matches", MAX_TABLES), start=1)
    )
    byes = tuple(
        _parse_bye(FileObject(each, _("{where}, bye {n}").format(where=where, n=n)), names)
        for n, each in enumerate(part.list("byes", MAX_ENTRANTS), start=1)
    )
    there = [entrant for match in matches for entrant in match.entrants] + [bye.entrant for bye in byes]
    if twice := _first_duplicate(there):
        raise FileObject({}, where).wrong(_("{name} occurs twice.").format(name=names[twice]))
    if twice := _first_duplicate(match.table for match in matches):
        raise part.wrong(_("Table {n} occurs twice.").format(n=twice))
    return PastRound(
        division=division,
        number=number,
        opened_at=part.moment("opened_at"),
        closes_at=part.moment("closes_at"),
        closed_at=part.moment("closed_at"),
        byes=byes,
        matches=tuple(sorted(matches, key=lambda match: match.table)),
    )


def _place_of_match(match: Any, where: str, number: int) -> str:
    """Return the place of a match for sentences about errors: in a table, also its first line."""
    line = match.get("line") if isinstance(match, Mapping) else None
    if isinstance(line, int):
        return _("Line {line}, {where}, table {n}").format(line=line, where=where, n=match.get("table"))
    return _("{where}, match {n}").format(where=where, n=number)


def _parse_bye(part: FileObject, known: Mapping[int, str]) -> PastBye:
    bye = PastBye(
        entrant=part.whole("entrant", 1),
        kind=part.choice("kind", Bye.Kind.values, Bye.Kind.BYE.value),
        reason=parse_reason(part),
        missing=None if part.data.get("missing") is None else part.whole("missing", 1),
    )
    if bye.entrant not in known or (bye.missing is not None and bye.missing not in known):
        raise part.wrong(_("there is no such entrant."))
    if (bye.missing is None) == (bye.kind == Bye.Kind.WALKOVER):
        raise part.wrong(
            _("a walkover must have “missing”, the entrant who did not come. Other byes must not have it.")
        )
    return bye


def _parse_match(part: FileObject, names: Mapping[int, str], table_size: int, games_a_match: int) -> PastMatch:
    entrants = part.wholes("entrants", 1, longest=MAX_TABLE_SIZE)
    if not set(entrants) <= set(names):
        raise part.wrong(_("there is no such entrant."))
    if twice := _first_duplicate(entrants):
        raise part.wrong(_("{name} occurs twice.").format(name=names[twice]))
    if not 2 <= len(entrants) <= table_size:
        sentence = _(
            "{players} players sit here ({names}), but by the settings a table has {most}. Take the settings of a "
            "season with such tables."
        )
        seated = ", ".join(names[entrant] for entrant in entrants)
        raise part.wrong(sentence.format(players=len(entrants), names=seated, most=table_size))
    listed = [each for each in part.list("games", games_a_match * MAX_REPLAYS) if not _is_unfinished(each)]
    games = [
        _parse_game(
            FileObject(each, _("{where}, game {n} in the list").format(where=part.where, n=n)), entrants, games_a_match
        )
        for n, each in enumerate(listed, start=1)
    ]
    if _first_duplicate((game.number, game.payload["replay"]) for game in games):
        raise part.wrong(_("a game occurs twice."))
    return PastMatch(
        table=part.whole("table", 1, 32_767),
        entrants=entrants,
        slot=part.text("slot", 20),
        reason=parse_reason(part),
        timing=part.choice("timing", Match.Timing.values, Match.Timing.OPEN.value),
        begins_at=part.moment("begins_at"),
        finished_at=part.moment("finished_at"),
        games=_complete_games(games, games_a_match),
    )


def parse_reason(part: FileObject) -> Reasons:
    """Return why a match or bye came about: by the codes of the file, else in its own words. A code is one of
    `formats.reasons`: no other text of the platform is a reason. Raises `DomainError` bad_file (400)."""
    words = part.text("reason", REASON_MAX_LENGTH)
    listed = part.list("reasons", MAX_REASONS)
    found = stored_sentences(each if isinstance(each, Mapping) else {} for each in listed)
    if all(code == WRITTEN for code, _params in found):
        return (written(words),) if words else (imported(),)
    for code, params in found:
        if not is_sentence((code, params), CODES):
            sentence = _(
                "“reasons” may have only codes of this version of Scorebook with their parameters, not {code}. Leave "
                "out “reasons”; then the text of “reason” is shown."
            )
            raise part.wrong(sentence.format(code=f"{code!r:.60}"))
    return tuple(Sentence(*each) for each in found)


def _parse_game(part: FileObject, entrants: Sequence[int], games_a_match: int) -> PastGame:
    seats = part.wholes("seats", longest=MAX_TABLE_SIZE)
    ruling = _parse_ruling(part)
    if sorted(seat for seat in seats if seat != FILLER_BOT) != sorted(entrants) and (
        seats or ruling in COUNTED_RULINGS
    ):
        raise part.wrong(_("its seats must have each entrant of the match once, and 0 for a built-in bot."))
    moment = part.moment("finished_at")
    counts = ruling in COUNTED_RULINGS
    recorded = {
        "replay": part.whole("replay", 0, MAX_REPLAYS, 0),
        "seats": list(seats),
        **_parse_result(part, seats, needed=counts),
        "adjudicated": ruling == ADJUDICATED,
        "unrated": True,
        "deal": -part.whole("deal", 1) if part.data.get("deal") is not None else None,
        "played": _parse_played_result(part, seats),
        "finished": int(moment.timestamp()) if moment else None,
    }
    number, most = part.whole("number", 1, MAX_GAMES_PER_MATCH), min(games_a_match, MAX_GAMES_PER_MATCH)
    if number > most:
        sentence = _(
            "this is game {n}, but by the settings a match has {most}. Take the settings of a season with such matches."
        )
        raise part.wrong(sentence.format(n=number, most=most))
    return PastGame(number, ruling, recorded)


def _is_unfinished(game: Any) -> bool:
    return isinstance(game, Mapping) and game.get("status") == "playing" and not game.get("ruling")


def _parse_ruling(part: FileObject) -> str:
    """Return the game's ruling: as the file says, else `played` or `aborted`."""
    ruling = part.choice("ruling", ("", *(value for value in ImportedGame.Ruling.values if value != PLAYED)))
    status = part.choice("status", ("finished", "aborted", "playing"), "finished")
    if ruling:
        return ruling
    return PLAYED if status == "finished" else str(ImportedGame.Ruling.ABORTED)


def _parse_result(part: FileObject, seats: Sequence[int], *, needed: bool) -> dict[str, Any]:
    """Parse a game's result, by seat. Its values are None if the file has none; if `needed`, scores and placings must
    be there."""
    count = len(seats)
    scores = _given_wholes(part, "scores", -MAX_SCORE, MAX_SCORE, count)
    placings = _given_wholes(part, "placings", 1, count + 1, count)
    if needed and placings and (wrong := impossible_places(placings)):
        raise part.wrong(wrong)
    if needed and (placings is None or scores is None):
        raise part.wrong(_("a game that counts must have scores and placings."))
    if any(each is not None and len(each) != count for each in (scores, placings)):
        raise part.wrong(_("it must have a score and a placing for each seat."))
    nobody: list[int] | None = [] if needed else None
    left = _given_wholes(part, "left", 0, count - 1, count, nobody)
    absent = _given_wholes(part, "absent", 0, count - 1, count, nobody)
    if not set(absent or ()) <= set(left or ()) or _first_duplicate(left or ()):
        raise part.wrong(_("each seat in “absent” must also be in “left”, and no seat may be there twice."))
    termination = part.data.get("termination")
    return {
        "termination": (part.choice("termination", TERMINATIONS) or None) if isinstance(termination, str) else None,
        "scores": scores,
        "placings": placings,
        "left": left,
        "absent": absent,
    }


def impossible_places(placings: Sequence[int]) -> str:
    """Return what is wrong with the places of a game, as a sentence; "" if they can be: 1, 1, 3 but not 1, 1, 2."""
    right = without_gaps(placings)
    if list(placings) == right:
        return ""
    sentence = _("The places {given} are impossible. Whoever shares a place takes up the next ones: write {right}.")
    return sentence.format(given=", ".join(map(str, placings)), right=", ".join(map(str, right)))


def _given_wholes(
    part: FileObject, name: str, least: int, most: int, longest: int, fallback: list[int] | None = None
) -> list[int] | None:
    """Return the list of whole numbers called `name`, or `fallback` if there is none."""
    return list(part.wholes(name, least, most, longest)) if part.data.get(name) is not None else fallback


def _parse_played_result(part: FileObject, seats: Sequence[int]) -> dict[str, Any] | None:
    """Parse the result that the game had before an organiser decided about it; None if there is none."""
    data = part.data.get("played")
    if data is None:
        return None
    result = _parse_result(FileObject(data, part.where), seats, needed=True)
    return {name: result[name] for name in ("scores", "placings", "termination", "left")}


def _complete_games(games: Sequence[PastGame], games_a_match: int) -> tuple[PastGame, ...]:
    """Return the games in order. Each number of a match whose last game has no result gets an annulled game: the match
    is over, so a missing game counts for nobody."""
    listed = sorted(games, key=lambda game: (game.number, game.payload["replay"]))
    last = {game.number: game for game in listed}
    decided = {number for number, game in last.items() if game.ruling in (*COUNTED_RULINGS, ANNULLED)}
    # A later replay replaces every earlier game of its number, whatever the file says.
    kept = [
        replace(game, ruling=str(ImportedGame.Ruling.REPLACED))
        if game.ruling in (*COUNTED_RULINGS, ANNULLED) and last[game.number] is not game
        else game
        for game in listed
    ]
    return (*kept, *(_annulled_game(n, last.get(n)) for n in range(1, games_a_match + 1) if n not in decided))


def _annulled_game(number: int, before: PastGame | None) -> PastGame:
    recorded = dict.fromkeys(("termination", "scores", "placings", "left", "absent", "deal", "played", "finished"))
    replay = before.payload["replay"] + 1 if before else 0
    return PastGame(
        number, ANNULLED, {"replay": replay, "seats": [], **recorded, "adjudicated": False, "unrated": True}
    )


def _rounds_by_division(
    file: FileObject, rounds: Iterable[PastRound], *, continuous: bool
) -> tuple[tuple[PastRound, ...], dict[int, list[int]]]:
    """Return the closed rounds of each division, renumbered 1, 2 …, and division → their numbers in the file. Rounds
    after a gap are kept only if `continuous`."""
    of_division: dict[int, list[PastRound]] = {}
    for past in sorted(rounds, key=lambda round: (round.division, round.number)):
        of_division.setdefault(past.division, []).append(past)
    kept: list[PastRound] = []
    numbers: dict[int, list[int]] = {}
    for division, own in of_division.items():
        if _first_duplicate(past.number for past in own):
            raise file.wrong(_("Two rounds of division {n} have the same number.").format(n=division))
        for number, past in enumerate(own, start=1):
            if past.number != number and not continuous:
                break
            kept.append(replace(past, number=number))
            numbers.setdefault(division, []).append(past.number)
    return tuple(kept), numbers


def _rounds_before(numbers: Mapping[int, Sequence[int]], division: int, number: int) -> int:
    """Return how many of the kept rounds of a division came before round `number` of the file."""
    return sum(each < number for each in numbers.get(division, ()))


def _renumber_refusals(division: PastDivision, numbers: Mapping[int, Sequence[int]]) -> PastDivision:
    """Return the division with its refusals counted in kept rounds instead of rounds of the file."""
    refusals = (
        (_rounds_before(numbers, division.number, rounds + 1), challenger, challenged, cost)
        for rounds, challenger, challenged, cost in division.refusals
    )
    return replace(division, refusals=tuple(refusals))


def _check_rounds(
    rounds: Iterable[PastRound], entrants: Sequence[PastEntrant], divisions: Sequence[PastDivision]
) -> None:
    """Check that everybody who plays in a round is in its division by then. Raises `DomainError` bad_file (400)."""
    since: dict[int, dict[int, int]] = {division.number: {} for division in divisions}
    for division in divisions:
        if division.above is not None:  # a play-off has only the entrants that it names
            since[division.number] = dict.fromkeys((one for pair in division.pairs for one in pair), 1)
    for entrant in entrants:
        since[entrant.division][entrant.number] = entrant.since
    names = {entrant.number: entrant.name or str(entrant.number) for entrant in entrants}
    for past in rounds:
        where = FileObject({}, _("Round {n}").format(n=past.number))
        if past.division not in since:
            raise where.wrong(_("there is no division {n}.").format(n=past.division))
        for one in [
            *(entrant for match in past.matches for entrant in match.entrants),
            *(bye.entrant for bye in past.byes),
        ]:
            if since[past.division].get(one, MAX_ROUNDS + 1) > past.number:
                raise where.wrong(_("{name} is not in it.").format(name=names.get(one, one)))


def _parse_places(file: FileObject) -> dict[int, int]:
    """Return entrant → place in the file's standings."""
    rows = [FileObject(each, _("The standings")) for each in file.list("standings", MAX_ENTRANTS)]
    return {row.whole("entrant", 1): row.whole("place", 1) for row in rows}


def _first_duplicate(items: Iterable[Any]) -> Any:
    """Return the first item that occurs twice; None if there is none."""
    return next((item for item, count in Counter(items).items() if count > 1), None)
