"""Points without luck, for seasons whose settings show them. They decide nothing.

From an entrant's official points the luck of the games is taken: what the draws were worth to the entrant's seats,
times the worth of a game. The mean of luck is 0 whatever it is multiplied by, so the figure has the same mean as the
official points. Games without a ledger by the season's value function count as they were played.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format

from games.models import Game, Seat
from games.play.signals import asking_luck
from tournaments.scoring.points import parse_points_system
from tournaments.seasons.models import MatchGame, Round, Season
from tournaments.seasons.settings import LUCK_SHOWN
from tournaments.standings.intervals import interval_of_sum
from tournaments.standings.models import Standing


@dataclass(frozen=True, slots=True)
class PointsWithoutLuck:
    """An entrant's points without luck, with half of a 95 % interval.

    `half` is None where there is no honest one: for few rounds or equal ones, or if games are missing. `games`: whose
    luck was taken out; `missing`: games that count and have no ledger.
    """

    points: float
    half: float | None
    games: int
    missing: int

    def plain(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"points": self.points, "half": self.half, "games": self.games, "missing": self.missing}


def shows_luck(season: Season) -> bool:
    """Return whether the season's settings show points without luck."""
    return bool(season.settings.get("luck") == LUCK_SHOWN)


def worth_of_game(settings: Mapping[str, Any]) -> float:
    """Return the points between the first and the last place at a full table, for one game."""
    points, seats = parse_points_system(settings["points"]), settings["table_size"]
    last = points.scale[seats - 1] if len(points.scale) >= seats else 0
    span = float(points.scale[0] - last)
    return span / settings["games_a_match"] if points.system == "match_points" else span


def points_without_luck(season: Season, standings: Sequence[Standing]) -> dict[int, PointsWithoutLuck]:
    """Return entrant's number → points without luck, for these rows. Three queries."""
    played = _games_by_entrant(standings)
    games = {game for by_round in played.values() for seats in by_round.values() for game, _seat in seats}
    answers: list[Any] = asking_luck.send(Season, games=games, value_hash=season.settings["value_hash"])
    known: dict[int, list[float]] = {game: luck for _receiver, found in answers for game, luck in found.items()}
    worth = worth_of_game(season.settings)
    return {
        standing.entrant.number: _without_luck(standing, played[standing.entrant_id], known, worth)
        for standing in standings
    }


def _games_by_entrant(standings: Sequence[Standing]) -> dict[int, dict[int, list[tuple[int, int]]]]:
    """Return entrant → round → (game, seat) of those that count as they were played."""
    entrants = {standing.entrant.player_id: standing.entrant_id for standing in standings}
    rows = MatchGame.objects.filter(
        match__round__division__in={standing.division_id for standing in standings},
        match__round__status=Round.Status.CLOSED,
        match__entrants__entrant__in=entrants.values(),
        ruling=MatchGame.Ruling.NONE,
        game__status=Game.Status.FINISHED,
    )
    rounds = dict(rows.values_list("game", "match__round__number"))
    played: dict[int, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    seats = Seat.objects.filter(game__in=rounds, player__in=entrants)
    for game, player, seat in seats.values_list("game", "player", "seat"):
        played[entrants[player]][rounds[game]].append((game, seat))
    return played


def _without_luck(
    standing: Standing,
    played: Mapping[int, Iterable[tuple[int, int]]],
    known: Mapping[int, Sequence[float]],
    worth: float,
) -> PointsWithoutLuck:
    """Return a row's points without luck.

    Rounds are the sample of its interval, because games of a round belong together. A round that was decided without a
    game, as by an organiser, is certain and none of the sample.
    """
    rounds: list[float] = []
    games = missing = 0
    total = standing.points
    for line in standing.row["lines"]:
        if not line["opponents"]:
            continue
        seats = list(played.get(line["round"], ()))
        luck = [known[game][seat] for game, seat in seats if game in known]
        games, missing = games + len(luck), missing + len(seats) - len(luck)
        total -= worth * sum(luck)
        if seats:
            rounds.append(line["points"] - worth * sum(luck))
    return PointsWithoutLuck(total, None if missing else interval_of_sum(rounds), games, missing)


def figure_text(found: PointsWithoutLuck) -> str:
    """Return the figure for people: 7.3 ± 1.9."""
    points = number_format(round(found.points, 1), decimal_pos=1).replace("-", "−")
    return points if found.half is None else f"{points} ± {number_format(round(found.half, 1), decimal_pos=1)}"
