"""A season folded from its stream: the basis of pairing, standings and `rebuild`. Pure; it does not know formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Any, Protocol

from scorebook_games.chance import SeedDealer
from scorebook_games.gamelog.terms import with_current_values
from scorebook_games.registry import rules_for
from tournaments.core.results import GameResult, MatchResult, RoundResult, among_entrants
from tournaments.scoring.points import PointsSystem, exact, parse_points_system

RoundKey = tuple[int, int, int]  # division, number, and how many rounds with this number were undone before


class Change(Protocol):
    """An event of the season (`tournaments.seasons.events`)."""

    def apply(self, season: SeasonFold, /) -> None: ...

    def changed_results(self, season: SeasonFold, /) -> Collection[int]: ...


@dataclass(slots=True)
class EntrantState:
    """An entrant. `status`: a value of `models.Entrant.Status`; `since`: the first round in which they can be paired;
    `away`: the rounds they miss; `promised`: those in which they have said to play; `called`: of an alternate who
    stands in for others, the rounds that they were called for; `gone`: the data of their withdrawal; `carried`: the
    points they began with; `checked_in_at`: set with `checked_in`.

    Of a team, `player` is the team itself; `members` are its players in their order, `captain` is one of them, and
    `former` were in it before."""

    number: int
    player: int
    status: str
    division: int = 1
    since: int = 1
    checked_in: bool = False
    away: tuple[int, ...] = ()
    promised: tuple[int, ...] = ()
    called: tuple[int, ...] = ()
    gone: dict[str, Any] | None = None
    carried: float = 0
    joined_at: datetime | None = None
    checked_in_at: datetime | None = None
    members: tuple[int, ...] = ()
    captain: int | None = None
    former: tuple[int, ...] = ()


@dataclass(slots=True)
class TeamGame:
    """A game of a match of teams: of each team, in the order of the match, the board and the player, None if nobody
    sits there. `wave`: games of one wave are played at the same time where games follow one another."""

    boards: tuple[int, ...]
    players: tuple[int | None, ...]
    wave: int

    @property
    def playable(self) -> bool:
        return None not in self.players


@dataclass(slots=True)
class Lineup:
    """Who plays for a team in a match, by board. `how`: `submitted` or `standing`, the order of the team."""

    players: tuple[int | None, ...]
    how: str


@dataclass(slots=True)
class GameState:
    """A game that was opened for a match: its `number`, and its attempt (`replay`, 0 for the first one). `ruling` is a
    value of `models.MatchGame.Ruling`, `result` what an organiser decided."""

    number: int
    replay: int
    game: int
    recorded_at: datetime | None = None
    ruling: str = ""
    result: dict[str, Any] | None = None

    def decide(self, at: datetime | None, ruling: str = "", result: dict[str, Any] | None = None) -> None:
        """Apply a ruling; the game is recorded with it if it was not before."""
        self.ruling, self.result, self.recorded_at = ruling, result, self.recorded_at or at


@dataclass(slots=True)
class DisputeState:
    """A dispute. `status` is a value of `models.Dispute.Status`; `note` and `answer` are ids of notes."""

    match: int
    entrant: int
    note: int | None
    raised_at: datetime | None
    status: str = "open"
    answer: int | None = None
    settled_at: datetime | None = None


@dataclass(slots=True)
class MatchState:
    """A match. `games`: number → the game that counts (the last one opened); `records`: number → its result.

    `size`: the number of games when all are opened; `begins`: when the first one begins, in seconds since 1970;
    `annulled`: the numbers of games that count for nobody; `logged`: all results ever recorded; `version`: how many
    events have changed the match; `disputes`: the entrants with an open dispute; `imported`: (number, ruling, result)
    of games that were played elsewhere; `opened`: all games that were ever opened; `reason`: why its entrants meet;
    `timing`: how its time was found, at `timed_at`.

    Of teams: `lineups_due`: until when captains name their line-ups, in seconds since 1970; `handed_in`: the teams that
    have; `lineups`: team → line-up and `team_games`: number → game, once both line-ups are known, since `known_at`;
    `empty`: number → result of a game that is not played because a team has nobody for it.
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
    opened: list[GameState] = field(default_factory=list)
    reason: Sequence[Any] = ()
    timing: str = "open"
    timed_at: datetime | None = None
    finished_at: datetime | None = None
    lineups_due: int | None = None
    handed_in: set[int] = field(default_factory=set)
    known_at: datetime | None = None
    lineups: dict[int, Lineup] = field(default_factory=dict)
    team_games: dict[int, TeamGame] = field(default_factory=dict)
    empty: dict[int, dict[str, Any]] = field(default_factory=dict)

    @property
    def awaits_lineups(self) -> bool:
        return self.lineups_due is not None and not self.lineups

    def open_game(self, number: int, game: int) -> None:
        """Add a game: the first with its number, or the next attempt."""
        self.games[number] = game
        self.opened.append(GameState(number, sum(one.number == number for one in self.opened), game))

    def current_game(self, number: int) -> GameState | None:
        """Return the last game opened with this number; None if it was never opened."""
        return next((one for one in reversed(self.opened) if one.number == number), None)

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
            tuple(self._game_result(number) for number in sorted(self.records)),
            slot=self.slot,
            over=self.over,
            struck=tuple(entrant for entrant in self.entrants if entrant in struck),
        )

    def _game_result(self, number: int) -> GameResult:
        result, game = game_result(self.records[number]), self.team_games.get(number)
        if game is None:
            return result
        of_team = dict(zip(self.entrants, game.boards, strict=True))
        return replace(result, boards=tuple(of_team[entrant] for entrant in result.seats))

    def player_of(self, number: int, entrant: int, players: Mapping[int, int]) -> int | None:
        """Return who sits for an entrant in game `number`: its player of `players` or, of a team, whoever has the
        board; None if nobody does."""
        game = self.team_games.get(number)
        return players[entrant] if game is None else game.players[self.entrants.index(entrant)]

    def absent(self) -> set[int]:
        """Return the entrants who were absent from a game; teams only if they were absent from all games."""
        gone = [{record["seats"][seat] for seat in record["absent"]} for record in self.records.values()]
        if not gone:
            return set()
        return set.intersection(*gone) if self.team_games else set.union(*gone)


@dataclass(slots=True)
class RoundState:
    """A round with its matches in the order of their tables.

    `late`: entrants who joined after it was paired; `walkovers`: entrant → missing opponent; `closes`: its end, in
    seconds since 1970; `overdue`: the games that were not over then; `answered`: the challenges that it paired;
    `resting`: all who have no match, each `(entrant, reason, kind, missing)`; `attempt`: how many rounds with this
    number were undone before it.
    """

    number: int
    matches: list[MatchState]
    byes: list[int]
    division: int = 1
    attempt: int = 0
    undone: bool = False
    away: list[int] = field(default_factory=list)
    unpaid: list[int] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    walkovers: dict[int, int] = field(default_factory=dict)
    closes: int | None = None
    overdue: list[int] | None = None
    closed: bool = False
    answered: list[tuple[int, int]] = field(default_factory=list)
    resting: list[tuple[int, Sequence[Any], str, int | None]] = field(default_factory=list)
    opened_at: datetime | None = None
    overdue_at: datetime | None = None
    closed_at: datetime | None = None

    @property
    def key(self) -> RoundKey:
        """What names the round within the season."""
        return self.division, self.number, self.attempt

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
            tuple(self.unpaid),
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
    finished_at: datetime | None = None

    def results(self) -> list[RoundResult]:
        """Return every round so far, in order."""
        return [past.result(self.struck) for past in self.rounds]

    def missed(self) -> Counter[int]:
        """Return entrant → the number of closed rounds in which they were absent from a game."""
        return Counter(
            entrant
            for past in self.rounds
            if past.closed
            for entrant in set[int]().union(*(match.absent() for match in past.matches))
        )


@dataclass(slots=True)
class Touched:
    """The parts of a season that events have changed, so that only their rows are written
    (`tournaments.seasons.projection`).

    `settings`: whether they changed; numbers of `divisions` and `entrants`; `rounds` by their keys; `matches`: id → the
    match's round; `new_entrants` and `new_rounds`: those of them that had no rows before; `disputed`: the matches whose
    disputes changed. `results`: divisions in which results of closed rounds changed; `orders`: divisions in whose
    standings something else changed.
    """

    settings: bool = False
    divisions: set[int] = field(default_factory=set)
    entrants: set[int] = field(default_factory=set)
    rounds: dict[RoundKey, RoundState] = field(default_factory=dict)
    matches: dict[int, RoundState] = field(default_factory=dict)
    new_entrants: set[int] = field(default_factory=set)
    new_rounds: set[RoundKey] = field(default_factory=set)
    disputed: set[int] = field(default_factory=set)
    results: set[int] = field(default_factory=set)
    orders: set[int] = field(default_factory=set)

    def matches_with_rows(self) -> set[int]:
        """Return the matches that may have had rows before."""
        return {match for match, past in self.matches.items() if past.key not in self.new_rounds}

    def take_standings(self) -> Touched:
        """Take out what concerns standings, and return it."""
        taken = Touched(results=self.results, orders=self.orders)
        self.results, self.orders = set(), set()
        return taken


class SeasonFold:
    """The state of a season after the events applied so far.

    `settings`: the data of the first event, or of the last change; `divisions`: number → division; `entrants`: number →
    everybody who asked to enter; `matches`: id → match, without those of undone rounds; `seed` and `pool`: set by the
    start; `closings`: (division, round) in the order in which rounds were closed; `moved`: entrant → next division;
    `delay`: by how many seconds pauses have moved the calendar; `abandoned`: how, or None; `disputes`: all disputes, in
    their order; `at`: when the event that is applied happened; `changed`: the matches that it changed; `touched`: what
    any event has changed since `touched` was replaced. Times are None if the fold was given none.

    An event gets what it changes from `changed_entrant`, `changed_division`, `changed_round` and `changed_match`, which
    keep account of it.
    """

    __slots__ = (
        "abandoned",
        "at",
        "changed",
        "closings",
        "delay",
        "disputes",
        "divisions",
        "entrants",
        "finished_at",
        "imported_at",
        "matches",
        "moved",
        "paused",
        "paused_at",
        "pool",
        "seed",
        "settings",
        "touched",
    )

    def __init__(self, events: Iterable[Change]) -> None:
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
        self.matches: dict[int, MatchState] = {}
        self.disputes: list[DisputeState] = []
        self.at: datetime | None = None
        self.paused_at: datetime | None = None
        self.finished_at: datetime | None = None
        self.imported_at: datetime | None = None
        self.changed: list[MatchState] = []
        self.touched = Touched()
        for event in events:
            self.apply(event)

    def apply(self, event: Change, at: datetime | None = None) -> None:
        """Apply one event, which happened `at`. Raises `UnknownEventType` for one that this version does not know."""
        self.at = at
        changed = [match for match in event.changed_results(self) if self.late(match)]
        self.touched.results.update(self.matches[match].division for match in changed)
        event.apply(self)
        for match in self.changed:
            match.finished_at = (match.finished_at or at) if match.over else None
        self.changed.clear()
        self.finished_at = (self.finished_at or at) if self.status() in ("finished", "abandoned") else None

    def match(self, match_id: int) -> MatchState | None:
        """Return the match with this id; None if there is none, or if its round was undone."""
        return self.matches.get(match_id)

    def late(self, match_id: int) -> bool:
        """Return whether the match's round is closed."""
        match = self.matches[match_id]
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

    def change_settings(self, settings: Mapping[str, Any]) -> None:
        """Replace the settings, and with them the number of divisions."""
        divisions = max(len(each.get("divisions", ())) for each in (self.settings, settings))
        terms = with_current_values(settings.get("terms", {}))
        self.settings = {**with_current_values(settings), "terms": terms}
        self.touched.settings = True
        self.touched.divisions.update(range(1, divisions + 1))

    def changed_division(self, number: int) -> DivisionState:
        """Return the division that an event changes."""
        self.touched.divisions.add(number)
        return self.division(number)

    def changed_order(self, number: int) -> None:
        """Note that the standings of a division may change, though no result does."""
        if any(past.closed for past in self.division(number).rounds):
            self.touched.orders.add(number)

    def changed_entrant(self, number: int) -> EntrantState:
        """Return the entrant whom an event changes."""
        self.touched.entrants.add(number)
        return self.entrants[number]

    def changed_round(self, division: int, number: int) -> RoundState:
        """Return the round that an event changes."""
        past = self.division(division).rounds[number - 1]
        self.touched.rounds[past.key] = past
        return past

    def changed_match(self, match_id: int) -> MatchState:
        """Return the match that an event changes, with its next version."""
        match = self.matches[match_id]
        match.version += 1
        self.changed.append(match)
        self.touched.matches[match_id] = self.division(match.division).rounds[match.round - 1]
        return match

    def add_entrant(self, entrant: EntrantState) -> EntrantState:
        """Add an entrant, unless the number is known already; return the entrant with this number, who changes."""
        if entrant.number not in self.entrants:
            self.entrants[entrant.number] = entrant
            self.touched.new_entrants.add(entrant.number)
        return self.changed_entrant(entrant.number)

    def add_round(self, past: RoundState) -> None:
        """Add a round that was just paired, with its matches."""
        division = self.changed_division(past.division)
        past.attempt = sum(each.number == past.number for each in division.undone)
        division.rounds.append(past)
        self.touched.new_rounds.add(past.key)
        self.touched.rounds[past.key] = past
        for match in past.matches:
            self.matches[match.id] = match
            self.touched.matches[match.id] = past

    def undo_last_round(self, division_number: int) -> RoundState:
        """Take away the last round of a division, and return it."""
        division = self.changed_division(division_number)
        past = division.rounds.pop()
        past.undone = True
        division.undone.append(past)
        self.touched.rounds[past.key] = past
        for match in past.matches:
            del self.matches[match.id]
            self.touched.matches[match.id] = past
        return past

    def reopened_match(self, match_id: int) -> MatchState:
        """Return the match that a ruling changes. Its division is not finished until a later event says so again."""
        match = self.changed_match(match_id)
        self.changed_division(match.division).places, self.moved = None, {}
        return match

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

    def players_of(self, match: MatchState, number: int, seats: Sequence[int]) -> list[int | None]:
        """Return who sits for the entrants in these `seats` in game `number` of a match; None for a built-in bot that
        filled the table, or where a team has nobody."""
        known = {entrant: self.entrants[entrant].player for entrant in seats if entrant}
        return [match.player_of(number, entrant, known) if entrant else None for entrant in seats]

    def carried(self, division: DivisionState) -> dict[int, Fraction]:
        """Return entrant → the points they began with."""
        return {entrant: exact(self.entrants[entrant].carried) for entrant in division.entrants}

    def away(self, division: DivisionState, number: int) -> dict[int, str]:
        """Return entrant → why they are not paired in round `number`: "withdrawn" or "away"."""
        reasons = {}
        for entrant in map(self.entrants.__getitem__, division.entrants):
            if entrant.gone:
                reasons[entrant.number] = "withdrawn"
            elif number in entrant.away or (entrant.called and number not in entrant.called):
                reasons[entrant.number] = "away"
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
