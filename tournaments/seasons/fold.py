"""A season folded from its stream: the basis of pairing, standings and `rebuild`. Pure; it does not know formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.registry import rules_for
from tournaments.core.results import GameResult, MatchResult, RoundResult, among_entrants
from tournaments.scoring import standings
from tournaments.scoring.points import PointsSystem, exact, parse_points_system
from tournaments.seasons import events as ev


@dataclass(slots=True)
class EntrantState:
    """An entrant. `status`: a value of `models.Entrant.Status`; `since`: the first round in which they can be paired;
    `away`: the rounds they miss; `gone`: the data of their withdrawal; `carried`: the points they began with."""

    number: int
    player: int
    status: str
    division: int = 1
    since: int = 1
    checked_in: bool = False
    away: tuple[int, ...] = ()
    gone: dict[str, Any] | None = None
    carried: float = 0


@dataclass(slots=True)
class MatchState:
    """A match. `games`: number → the game that counts (the last one opened); `records`: number → its result.

    `size`: the number of games when all are opened; `begins`: when the first one begins, in seconds since 1970;
    `annulled`: the numbers of games that count for nobody; `logged`: all results ever recorded; `version`: how many
    events have changed the match; `disputes`: the entrants with an open dispute; `imported`: (number, ruling, result)
    of games that were played elsewhere.
    """

    id: int
    entrants: tuple[int, ...]
    games: dict[int, int]
    slot: str
    size: int
    records: dict[int, dict[str, Any]] = field(default_factory=dict)
    begins: int | None = None
    annulled: set[int] = field(default_factory=set)
    division: int = 1
    round: int = 1
    logged: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    version: int = 1
    disputes: set[int] = field(default_factory=set)
    imported: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether all games have a result or are annulled. The match then has points if any game counts."""
        return len(self.records) + len(self.annulled) >= self.size

    def result(self, struck: Collection[int] = (), *, closed: bool = False) -> MatchResult:
        """Return the match for standings; it does not count for entrants in `struck`. A match counts for nobody if no
        game of it counts, or if a game is played again after its round was `closed`."""
        if (self.over and not self.records) or (closed and not self.over):
            struck = self.entrants
        return MatchResult(
            self.entrants,
            tuple(game_result(self.records[number]) for number in sorted(self.records)),
            slot=self.slot,
            over=self.over,
            struck=tuple(entrant for entrant in self.entrants if entrant in struck),
        )


@dataclass(slots=True)
class RoundState:
    """A round with its matches in the order of their tables.

    `late`: entrants who joined after it was paired; `walkovers`: entrant → missing opponent; `closes`: its end, in
    seconds since 1970; `overdue`: the games that were not over then; `answered`: the challenges that it paired.
    """

    number: int
    matches: list[MatchState]
    byes: list[int]
    away: list[int] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    walkovers: dict[int, int] = field(default_factory=dict)
    closes: int | None = None
    overdue: list[int] | None = None
    closed: bool = False
    answered: list[tuple[int, int]] = field(default_factory=list)

    def result(self, struck: Collection[int] = ()) -> RoundResult:
        """Return the round for formats and standings."""
        return RoundResult(
            self.number,
            tuple(match.result(struck, closed=self.closed) for match in self.matches),
            tuple(self.byes),
            self.closed,
            (*self.away, *self.late),
            tuple(entrant for entrant, missing in self.walkovers.items() if missing not in struck),
            tuple(self.walkovers.items()),
            tuple(self.late),
        )


@dataclass(slots=True)
class Refusal:
    """A refused challenge, `at` in seconds since 1970, after `rounds` rounds were paired. It is the entrant's
    `count`-th refusal that counts. It cost the `place` that went `to` an entrant; both are None if it was free. `how`:
    as in the event."""

    challenger: int
    challenged: int
    how: str
    at: int
    rounds: int
    count: int
    place: int | None
    to: int | None


@dataclass(slots=True)
class DivisionState:
    """A division. `entrants`: number → player of all who are or were in it; `places`: entrant → final place once it is
    finished.

    `seeds`: its entrants at the start, the strongest first, if their strength was known. `challenges`: those without a
    match so far, at most one of each challenger; `until`: when each expires, in seconds since 1970; `taken_up`: the
    accepted ones; `refusals`: all refused ones. `above`: of a play-off, the number of the higher division; `pairs`: who
    meets whom in it. `struck`: entrants whose results are removed. `undone`: rounds that do not count any more;
    `on_hold`: nothing is paired until an organiser allows it. `lots`: entrants in the order of lots drawn on another
    platform.
    """

    number: int
    entrants: dict[int, int] = field(default_factory=dict)
    rounds: list[RoundState] = field(default_factory=list)
    places: dict[int, int] | None = None
    seeds: tuple[int, ...] = ()
    challenges: list[tuple[int, int]] = field(default_factory=list)
    until: dict[tuple[int, int], int | None] = field(default_factory=dict)
    taken_up: set[tuple[int, int]] = field(default_factory=set)
    refusals: list[Refusal] = field(default_factory=list)
    struck: set[int] = field(default_factory=set)
    above: int | None = None
    pairs: tuple[tuple[int, ...], ...] = ()
    undone: list[RoundState] = field(default_factory=list)
    on_hold: bool = False
    lots: tuple[int, ...] = ()

    def results(self) -> list[RoundResult]:
        """Return every round so far, in order."""
        return [past.result(self.struck) for past in self.rounds]

    def missed(self) -> Counter[int]:
        """Return entrant → the number of closed rounds in which they were absent from a game."""
        return Counter(
            entrant
            for past in self.rounds
            if past.closed
            for entrant in {
                record["seats"][seat]
                for match in past.matches
                for record in match.records.values()
                for seat in record["absent"]
            }
        )


class SeasonFold:
    """The state of a season after the events applied so far.

    `settings`: the data of the first event, or of the last change; `divisions`: number → division; `entrants`: number →
    everybody who asked to enter; `seed` and `pool`: set by the start; `closings`: (division, round) in the order in
    which rounds were closed; `moved`: entrant → next division; `delay`: by how many seconds pauses have moved the
    calendar; `abandoned`: how, or None.
    """

    __slots__ = (
        "_matches",
        "abandoned",
        "closings",
        "delay",
        "divisions",
        "entrants",
        "moved",
        "paused",
        "pool",
        "seed",
        "settings",
    )

    def __init__(self, events: Iterable[Event]) -> None:
        self.settings: dict[str, Any] = {}
        self.divisions: dict[int, DivisionState] = {}
        self.entrants: dict[int, EntrantState] = {}
        self.closings: list[tuple[int, int]] = []
        self.moved: dict[int, int] = {}
        self.seed: str | None = None
        self.pool: str | None = None
        self.delay = 0
        self.paused = False
        self.abandoned: str | None = None
        self._matches: dict[int, MatchState] = {}
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> None:
        """Apply one event. A type that is unknown here changes nothing."""
        match event:
            case [ev.SEASON_CREATED | ev.SEASON_CHANGED, dict(settings)]:
                self.settings = settings
            case [ev.SEASON_STARTED, dict(start)]:
                self.seed, self.pool = start["seed"], start["pool"]
            case [ev.SEASON_PAUSED, *_]:
                self.paused = True
            case [ev.SEASON_RESUMED, dict(said)]:
                self.paused = False
                self._delay(said["delay"])
            case [ev.SEASON_FINISHED, int(division), list(places)]:
                self.division(division).places = dict(places)
            case [ev.ENTRANTS_MOVED, list(places)]:
                self.moved = dict(places)
            case [ev.SEASON_ABANDONED, dict(said)]:
                self.abandoned = said["how"]
            case [ev.SEASON_IMPORTED, list(lots), dict()]:
                for number, drawn in lots:
                    self.division(number).lots = tuple(drawn)
            case [ev.PLAYOFF_OPENED, int(division), list(pairs), int(above)]:
                self._play_off(division, pairs, above)
            case _:
                self._apply_entry(event)
                self._apply_round(event)
                self._apply_correction(event)

    def _apply_entry(self, event: Event) -> None:
        """Apply an event about an entrant."""
        match event:
            case [ev.ENTRANT_LISTED, int(entrant), int(player), str(status)]:
                known = self.entrants.setdefault(entrant, EntrantState(entrant, player, status))
                known.status = status
            case [ev.ENTRANT_JOINED, int(division), int(entrant), int(player)]:
                self._join(division, entrant, player)
            case [ev.ENTRANT_CHECKED_IN, int(entrant)]:
                self.entrants[entrant].checked_in = True
            case [ev.ENTRANT_LEFT, int(entrant), dict()]:
                self.entrants[entrant].status = "out"
                self.division(self.entrants[entrant].division).entrants.pop(entrant, None)
            case [ev.ENTRANT_AWAY, int(entrant), list(rounds)]:
                self.entrants[entrant].away = tuple(rounds)
            case [ev.ENTRANT_WITHDRAWN, int(entrant), dict(gone)]:
                self._withdraw(self.entrants[entrant], gone)
            case [ev.ENTRANTS_PLACED, list(placed)]:
                self._place(placed)
            case [ev.POINTS_CARRIED, list(points)]:
                for entrant, worth in points:
                    self.entrants[entrant].carried = worth
            case _:
                self._apply_challenge(event)

    def _apply_challenge(self, event: Event) -> None:
        """Apply an event about a ladder's challenge."""
        match event:
            case [ev.ENTRANT_CHALLENGED, int(division), int(challenger), int(other), *until]:
                own = self.division(division)
                own.challenges = [pair for pair in own.challenges if pair[0] != challenger] + [(challenger, other)]
                own.until[challenger, other] = until[0] if until else None
                own.taken_up.discard((challenger, other))
            case [ev.CHALLENGE_ACCEPTED, int(division), int(challenger), int(other)]:
                self.division(division).taken_up.add((challenger, other))
            case [
                ev.CHALLENGE_LAPSED | ev.CHALLENGE_WITHDRAWN | ev.CHALLENGE_REFUSED,
                int(division),
                int(challenger),
                int(other),
                *said,
            ]:
                own = self.division(division)
                own.challenges = [pair for pair in own.challenges if pair != (challenger, other)]
                for cost in said:
                    refusal = {name: cost[name] for name in ("how", "at", "count", "place", "to")}
                    own.refusals.append(Refusal(challenger, other, rounds=len(own.rounds), **refusal))

    def _apply_round(self, event: Event) -> None:
        """Apply an event about pairings or results."""
        match event:
            case [ev.ROUND_PAIRED, int(division), int(number), list(tables), list(byes), closes]:
                self._pair(self.division(division), number, tables, byes, closes)
            case [ev.GAME_REPLAYED, int(match_id), int(number), _, int(game)]:
                self._moved_on(match_id).games[number] = game
            case [ev.GAME_OPENED, int(match_id), int(number), int(game)]:
                self._moved_on(match_id).games[number] = game
            case [ev.MATCH_APPOINTED, int(match_id), int(seconds), str(_how)]:
                self._moved_on(match_id).begins = seconds
            case [ev.GAME_RECORDED, int(match_id), int(number), dict(record)]:
                match = self._moved_on(match_id)
                match.records[number] = record
                match.logged.append((number, record))
            case [ev.RESULT_IMPORTED, int(match_id), int(number), str(ruling), dict(result)]:
                self._take(self._moved_on(match_id), number, ruling, result)
            case [ev.ROUND_EXTENDED, int(division), int(number), int(closes), dict()]:
                extended = self.division(division).rounds[number - 1]
                extended.closes, extended.overdue = closes, None
            case [ev.ROUND_OVERDUE, int(division), int(number), list(games)]:
                self.division(division).rounds[number - 1].overdue = games
            case [ev.ROUND_CLOSED, int(division), int(number)]:
                self.division(division).rounds[number - 1].closed = True
                self.closings.append((division, number))

    def _apply_correction(self, event: Event) -> None:
        """Apply an event about a ruling or dispute."""
        match event:
            case [ev.GAME_ADJUDICATED, int(match_id), int(number), dict(ruling)]:
                match = self._reopened(match_id)
                match.records[number] = ruling
                match.annulled.discard(number)
            case [ev.GAME_ANNULLED, int(match_id), int(number), dict()]:
                match = self._reopened(match_id)
                match.records.pop(number, None)
                match.annulled.add(number)
            case [ev.GAME_ORDERED, int(match_id), int(number), _, int(game), dict()]:
                match = self._reopened(match_id)
                match.records.pop(number, None)
                match.annulled.discard(number)
                match.games[number] = game
            case [ev.ROUND_UNDONE, int(division), int(number), dict()]:
                self._undo(self.division(division), number)
            case [ev.PAIRING_RELEASED, int(division), dict()]:
                self.division(division).on_hold = False
            case [ev.MATCH_DISPUTED, int(match_id), int(entrant), dict()]:
                self._moved_on(match_id).disputes.add(entrant)
            case [ev.DISPUTE_SETTLED, int(match_id), int(entrant), _, dict()]:
                self._moved_on(match_id).disputes.discard(entrant)

    def match(self, match_id: int) -> MatchState | None:
        """Return the match with this id; None if there is none, or if its round was undone."""
        return self._matches.get(match_id)

    def late(self, match_id: int) -> bool:
        """Return whether the match's round is closed."""
        match = self._matches[match_id]
        return self.division(match.division).rounds[match.round - 1].closed

    def division(self, number: int) -> DivisionState:
        """Return the division with this number; it is empty before anybody joined."""
        return self.divisions.setdefault(number, DivisionState(number))

    def status(self) -> str:
        """Return the season's status, a value of `models.Season.Status`."""
        if self.abandoned:
            return "abandoned"
        if self.seed is None:
            return "open"
        if all(division.places is not None for division in self.divisions.values()):
            return "finished"
        return "paused" if self.paused else "running"

    def _moved_on(self, match_id: int) -> MatchState:
        match = self._matches[match_id]
        match.version += 1
        return match

    @staticmethod
    def _take(match: MatchState, number: int, ruling: str, result: dict[str, Any]) -> None:
        match.imported.append((number, ruling, result))
        if ruling == "annulled":
            match.annulled.add(number)
        elif ruling in ("played", "adjudicated"):
            match.records[number] = result

    def _reopened(self, match_id: int) -> MatchState:
        """Return the match; its division is not finished until a later event says so again."""
        match = self._moved_on(match_id)
        self.division(match.division).places, self.moved = None, {}
        return match

    def _undo(self, division: DivisionState, number: int) -> None:
        past = division.rounds.pop()
        division.undone.append(past)
        division.challenges = past.answered + division.challenges
        for refusal in division.refusals:
            refusal.rounds = min(refusal.rounds, number - 1)
        division.places, division.on_hold, self.moved = None, True, {}
        self.closings = [closing for closing in self.closings if closing != (division.number, number)]
        for match in past.matches:
            del self._matches[match.id]

    def _join(self, division: int, entrant: int, player: int) -> None:
        own = self.division(division)
        joined = self.entrants.setdefault(entrant, EntrantState(entrant, player, "in"))
        joined.status, joined.division, joined.since = "in", division, len(own.rounds) + 1
        own.entrants[entrant] = player
        for past in own.rounds:
            past.late.append(entrant)

    def _withdraw(self, entrant: EntrantState, gone: dict[str, Any]) -> None:
        entrant.status, entrant.gone = "withdrawn", gone
        if self.settings["withdrawals"] == "void_below_half" and 2 * gone["played"] < gone["of"]:
            self.division(entrant.division).struck.add(entrant.number)

    def _place(self, placed: list[Any]) -> None:
        players = {number: entrant.player for number, entrant in self.entrants.items()}
        for number, entrants in placed:
            for entrant in entrants:
                self.entrants[entrant].division = number
            self.division(number).seeds = tuple(entrants)
            self.division(number).entrants = {entrant: players[entrant] for entrant in sorted(entrants)}

    def _play_off(self, number: int, pairs: list[list[int]], above: int) -> None:
        division = self.division(number)
        division.above, division.pairs = above, tuple(tuple(pair) for pair in pairs)
        division.entrants = {entrant: self.entrants[entrant].player for pair in pairs for entrant in pair}

    def _delay(self, seconds: int) -> None:
        self.delay += seconds
        for division in self.divisions.values():
            division.until.update((pair, end + seconds) for pair, end in division.until.items() if end is not None)
            for past in division.rounds:
                if past.closes is not None and not past.closed:
                    past.closes += seconds

    def _pair(
        self, division: DivisionState, number: int, tables: list[Any], byes: list[Any], closes: int | None
    ) -> None:
        size = self.settings["games_a_match"]
        matches = [
            MatchState(
                match_id,
                tuple(entrants),
                dict(enumerate(games, start=1)),
                slot,
                size,
                division=division.number,
                round=number,
            )
            for match_id, entrants, _, games, slot in tables
        ]
        self._matches.update((match.id, match) for match in matches)
        paired = RoundState(number, matches, [entrant for entrant, _, kind, _ in byes if kind == "bye"])
        paired.away = [entrant for entrant, _, kind, _ in byes if kind == "away"]
        paired.walkovers = {entrant: missing for entrant, _, kind, missing in byes if kind == "walkover"}
        paired.closes = closes
        division.rounds.append(paired)
        met = [set(match.entrants) for match in matches]
        paired.answered = [pair for pair in division.challenges if any(set(pair) <= table for table in met)]
        division.challenges = [pair for pair in division.challenges if pair not in paired.answered]

    def points(self) -> PointsSystem:
        """Return the season's points system."""
        return parse_points_system(self.settings["points"])

    def dealer(self) -> SeedDealer:
        """Return the source of the season's random decisions. Raises ValueError before the start."""
        if self.seed is None:
            raise ValueError("The season has not started: its lots are not drawn yet.")
        return SeedDealer(bytes.fromhex(self.seed))

    def lots(self, division: DivisionState) -> dict[int, int]:
        """Return entrant → lot 1 …, drawn at the season's start, with late entrants last. Before the start, it is the
        order of joining."""
        entrants = sorted(division.entrants)
        if self.seed is None:
            return {entrant: entrant for entrant in entrants}
        first = [entrant for entrant in entrants if self.entrants[entrant].since == 1]
        drawn = list(division.lots) or self.dealer().shuffle(f"lots/division{division.number}", first)
        known = set(drawn)
        drawn += [entrant for entrant in entrants if entrant not in known]
        return {entrant: lot for lot, entrant in enumerate(drawn, start=1)}

    def standings(
        self, division: DivisionState, results: Sequence[RoundResult] | None = None
    ) -> list[standings.EntrantStanding]:
        """Return the standings after the last closed round, first place first; of other `results` if they are given."""
        return standings.compute_standings(
            sorted(division.entrants),
            division.results() if results is None else results,
            self.points(),
            self.settings["tie_breaks"],
            lowest_best=self.lowest_best(),
            lots=self.lots(division),
            carried=self.carried(division),
        )

    def carried(self, division: DivisionState) -> dict[int, Fraction]:
        """Return entrant → the points they began with."""
        return {entrant: exact(self.entrants[entrant].carried) for entrant in division.entrants}

    def away(self, division: DivisionState, number: int) -> dict[int, str]:
        """Return entrant → why they are not paired in round `number`, as the end of a sentence."""
        reasons = {}
        for entrant in map(self.entrants.__getitem__, division.entrants):
            if entrant.gone:
                reasons[entrant.number] = "has withdrawn"
            elif number in entrant.away:
                reasons[entrant.number] = "is away in this round"
        return reasons

    def lowest_best(self) -> bool:
        """Return whether the lowest score is the best."""
        return rules_for(self.settings["kind"], self.settings["rules_version"]).spec.best == "lowest"


def game_result(record: dict[str, Any]) -> GameResult:
    """Return the data of a `game_recorded` event for standings."""
    absent = tuple(record.get("absent", ()))
    return among_entrants(
        GameResult(
            tuple(record["seats"]),
            tuple(record["scores"]),
            tuple(record["placings"]),
            tuple(record["left"]),
            bool(record.get("adjudicated")),
            None if absent else record.get("deal"),
            absent,
        )
    )
