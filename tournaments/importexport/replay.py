"""Makes the events of an imported season, and folds each one as it is made.

They are new events of this platform: somebody imported a file in which these results stand. Standings, brackets and
timelines come from the same folds as in a season that was played here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.models import Player
from tournaments.entries.eligibility import check_players, rating_pool_name
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished
from tournaments.formats.reasons import WRITTEN, Reasons, imported
from tournaments.importexport.season_file import (
    ADJUDICATED,
    RESULT_FIELDS,
    FileDivision,
    FileEntrant,
    FileGame,
    FileMatch,
    FileRefusal,
    FileRound,
    SeasonFile,
)
from tournaments.importexport.values import bad_file_error
from tournaments.lifecycle import divisions
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.challenges import ChallengeRefused
from tournaments.seasons.events.entries import EntrantAvailable, EntrantAway, EntrantJoined, EntrantWithdrawn
from tournaments.seasons.events.games import MatchAppointed
from tournaments.seasons.events.imported import ResultImported, SeasonImported
from tournaments.seasons.events.lifecycle import (
    EntrantsMoved,
    EntrantsPlaced,
    PlayoffOpened,
    PointsCarried,
    SeasonAbandoned,
    SeasonFinished,
    SeasonPaused,
    SeasonStarted,
)
from tournaments.seasons.events.rounds import RoundClosed, RoundPaired
from tournaments.seasons.events.teams import LineupsRevealed, TeamSet
from tournaments.seasons.fold import Lineup, TeamGame
from tournaments.seasons.models import Season
from tournaments.seasons.pairing import bracket_of, division_standings, format_of, next_round

SEED_SALT: Final = "tournaments.importexport.lots"
NO_ACTOR: Final = {"by": None, "note": None}
# What formats and scoring raise for results that no season of their kind can have.
REPLAY_ERRORS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


class SeasonReplay:
    """The season that an import changes, and its state `folded` so far; `notes` are sentences for the organiser.

    `players` is entrant → player, `members` id in the file → player of a team, `matches` is (division, round, table) →
    id of the match, and `payload` is that of the first event.
    """

    def __init__(
        self,
        season: Season,
        past: SeasonFile,
        players: Mapping[int, Player],
        matches: Mapping[tuple[int, int, int], int],
        payload: Mapping[str, Any],
        members: Mapping[int, Player],
    ) -> None:
        self.season, self.past, self.players, self.matches, self.payload = season, past, players, matches, payload
        self.members = members
        self.notes: list[str] = []
        self.changed = SeasonAggregate(season)
        self.folded = self.changed.state

    def record(self, *events: SeasonEvent) -> None:
        """Add the next events."""
        self.changed.record(*events)

    def all(self) -> None:
        """Make all events. Raises `DomainError` bad_file (400) for results that the season's format cannot have."""
        try:
            self._begin()
            for division in self._main():
                self._division(division)
            self._leave()
            self._finish()
            self._look()
        except REPLAY_ERRORS as error:
            sentence = _("A season of this format cannot have these results. Is the file complete?")
            raise bad_file_error(sentence) from error

    def _main(self) -> list[FileDivision]:
        return [division for division in self.past.divisions if division.above is None]

    def _begin(self) -> None:
        past = self.past
        first = [entrant for entrant in past.entrants if entrant.since == 1]
        lots = {each.number: [one for one in each.lots if one in self.players] for each in self._main() if each.lots}
        self.record(SeasonImported.of(lots, self.payload))
        self._join(first)
        self._place(first)
        if carried := {
            entrant.number: entrant.carried for entrant in past.entrants if entrant.carried and entrant.since == 1
        }:
            self.record(PointsCarried.of(carried))
        everybody = list(self.members.values()) or list(self.players.values())
        self.record(SeasonStarted.of(self._seed(), rating_pool_name(everybody)))

    def _join(self, joining: Sequence[FileEntrant]) -> None:
        """Let entrants join, teams with their players: first all who ever played for them, then those at the end."""
        self.record(*(EntrantJoined(each.division, each.number, self.players[each.number].pk) for each in joining))
        for team in joining:
            if not team.members:
                continue
            stayed = sorted((each for each in team.members if each.order), key=lambda each: each.order or 0)
            ids = [self.members[each.player].pk for each in stayed]
            gone = [self.members[each.player].pk for each in team.members if not each.order]
            leads = next((self.members[each.player].pk for each in stayed if each.captain), (ids or gone)[0])
            self.record(TeamSet.of(team.number, ids + gone, leads, "entered", (), NO_ACTOR))
            if gone and ids:
                self.record(TeamSet.of(team.number, ids, leads, "left", gone, NO_ACTOR))

    def _seed(self) -> str:
        """Return the seed of lots that the file does not have. The same results in the same club draw the same lots, in
        a dry run and in every import, and nobody outside can compute them before."""
        file = f"{self.season.league.club_id}:{self.past!r}"
        return salted_hmac(SEED_SALT, file, algorithm="sha256").hexdigest()

    def _place(self, first: Sequence[FileEntrant]) -> None:
        """Place the entrants in divisions by their seeds, if there are seeds or several divisions."""
        seeds = {each.number: [seed for seed in each.seeds if seed in self.players] for each in self._main()}
        if len(seeds) > 1 or any(seeds.values()):
            for each in first:
                if each.number not in seeds[each.division]:
                    seeds[each.division].append(each.number)
            self.record(EntrantsPlaced.of(seeds))

    def _division(self, division: FileDivision) -> None:
        """Add the rounds of a division, each after the entrants who joined before it."""
        rounds = [round for round in self.past.rounds if round.division == division.number]
        joining = [
            entrant for entrant in self.past.entrants if entrant.division == division.number and division.above is None
        ]
        for number in range(1, len(rounds) + 2):
            late = [each for each in joining if each.since == number > 1]
            self._join(late)
            refused = [refusal for refusal in division.refusals if refusal.rounds == number - 1]
            self.record(
                *(ChallengeRefused(division.number, each.challenger, each.challenged, _cost(each)) for each in refused)
            )
            if number <= len(rounds):
                self._round(rounds[number - 1])

    def _round(self, past: FileRound) -> None:
        at = (past.division, past.number)
        ids = {match.table: self.matches[(*at, match.table)] for match in past.matches}
        tables: list[tuple[int, tuple[int, ...], Reasons, list[int], str]] = [
            (ids[match.table], tuple(match.entrants), _logged(match.why), [], match.slot) for match in past.matches
        ]
        byes = [(bye.entrant, _logged(bye.why), bye.kind, bye.missing) for bye in past.byes]
        closes = int(past.closes_at.timestamp()) if past.closes_at else None
        self.record(RoundPaired.of(*at, tables, byes, closes))
        for match in past.matches:
            if match.begins_at:
                self.record(MatchAppointed.of(ids[match.table], match.begins_at, match.timing))
            if match.lineups:
                self._reveal(ids[match.table], match)
            self.record(
                *(
                    ResultImported(ids[match.table], game.number, game.counted_as, _payload(game))
                    for game in match.games
                )
            )
        self.record(RoundClosed(*at))

    def _reveal(self, match_id: int, match: FileMatch) -> None:
        """Add the line-ups of a match of teams."""
        named = {each.entrant: each for each in match.lineups}
        lineups = {
            team: Lineup(tuple(self.members[pk].pk if pk else None for pk in named[team].players), named[team].how)
            for team in match.entrants
        }
        first, other = (lineups[team].players for team in match.entrants)
        settings = self.folded.settings
        games = format_of(self.folded).board_games(settings["games_a_match"], settings["format_options"])
        self.record(
            LineupsRevealed.of(
                match_id,
                lineups,
                {
                    game.number: TeamGame(
                        (game.first, game.other), (first[game.first - 1], other[game.other - 1]), game.wave
                    )
                    for game in games
                },
            )
        )

    def _leave(self) -> None:
        """Add the rounds that entrants missed, and the withdrawals."""
        for entrant in self.past.entrants:
            if entrant.away:
                self.record(EntrantAway.of(entrant.number, tuple(sorted(set(entrant.away)))))
            if promised := set(entrant.promised) - set(entrant.away):
                self.record(EntrantAvailable.of(entrant.number, promised))
            if gone := entrant.withdrawn:
                of = gone.of if FORMATS[self.folded.settings["format"]].everybody_meets else 0  # else results stand
                self.record(EntrantWithdrawn.of(entrant.number, gone.why, gone.played, of, NO_ACTOR))

    def _finish(self) -> None:
        """Add the final places, the play-offs and the season's last state."""
        for division in self._main():
            self._end(division)
        if all(self.folded.division(each.number).places is not None for each in self._main()):
            for division in self.past.divisions:
                if division.above is not None:
                    pairs = [(one, other) for one, other in division.pairs]
                    self.record(PlayoffOpened.of(division.number, pairs, division.above))
            for division in self.past.divisions:
                if division.above is not None:
                    self._division(division)
                    self._end(division)
        if self.folded.status() == "finished":
            if moved := divisions.next_divisions(self.folded):
                self.record(EntrantsMoved.of(moved))
        elif self.past.status == "abandoned":
            self.record(SeasonAbandoned.of(self.past.abandoned or "stands", self.reason_fields()))
        else:
            self._stop()

    def _end(self, division: FileDivision) -> None:
        folded_division = self.folded.division(division.number)
        if division.places is None:  # it was not played to its end
            return
        answer = next_round(self.folded, folded_division, over=True)
        if isinstance(answer, Finished):
            self.record(SeasonFinished.of(division.number, answer.places))

    def _stop(self) -> None:
        """Pause an unfinished season, so that an organiser can resume it; abandon it with its present standings if it
        cannot go on here."""
        why = self._why_not()
        if why:
            self.record(SeasonAbandoned.of("stands", self.reason_fields()))
            self.notes.append(
                _("The season was not finished. It ends here with its present standings: {why}").format(why=why)
            )
            return
        for division in self._main():
            next_round(self.folded, self.folded.division(division.number))
        self.record(SeasonPaused(self.reason_fields()))
        sentence = _("The season was not finished. It is paused here; resume it to continue with the next round.")
        self.notes.append(sentence)

    def _why_not(self) -> str:
        """Return why the season cannot go on here, as a sentence; "" if it can."""
        players = [self.players[entrant.number] for entrant in self.past.entrants if not entrant.withdrawn]
        if self.members:
            there = [each for team in self.past.entrants if not team.withdrawn for each in team.members if each.order]
            players = [self.members[each.player] for each in there]
        for player in players:
            if player.from_file:
                return _("{name} has no account in this club.").format(name=player)
        try:
            check_players(self.season, players)
        except DomainError as error:
            return error.sentence
        return ""

    def reason_fields(self) -> dict[str, Any]:
        """Return the payload fields for the organiser who imports, without a reason."""
        return {"by": self.payload["by"], "note": None}

    def _look(self) -> None:
        """Compute what pages will show, so that impossible results fail now, and compare the standings with the
        file's."""
        for division in self._main():
            bracket_of(self.folded, self.folded.division(division.number))
        divisions = [self.folded.division(each.number) for each in self._main()]
        rows = [row for division in divisions for row in division_standings(self.folded, division)]
        places = {standing.entrant: standing.place for standing in self.past.standings}
        other = sum(places.get(row.entrant, row.place) != row.place for row in rows)
        if other:
            sentence = _("{n} places computed from the results differ from those in the file.")
            self.notes.append(sentence.format(n=other))


def _logged(reason: Reasons) -> Reasons:
    """Return a reason as the log may keep it: one in the file's own words is kept only in a row."""
    return (imported(),) if any(each.code == WRITTEN for each in reason) else reason


def _cost(refusal: FileRefusal) -> dict[str, Any]:
    """Return the payload of a refused challenge's event."""
    return {name: getattr(refusal, name) for name in ("how", "at", "count", "place", "to")} | {"note": None}


def _payload(game: FileGame) -> dict[str, Any]:
    """Return the payload of the event of an imported game."""
    played = game.played and {name: getattr(game.played, name) for name in RESULT_FIELDS if name != "absent"}
    return {
        "replay": game.replay,
        "seats": game.seats,
        **{name: getattr(game, name) for name in RESULT_FIELDS},
        "adjudicated": game.ruling == ADJUDICATED,
        "unrated": True,
        "deal": None if game.deal is None else -game.deal,
        "played": played,
        "finished": int(game.finished_at.timestamp()) if game.finished_at else None,
    }
