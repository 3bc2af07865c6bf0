"""What pages and the API show of teams, and who may see what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import F, Q

from games.models import Player
from tournaments.clubs.members import club_players
from tournaments.entries.eligibility import guests
from tournaments.entries.permissions import own_entrants
from tournaments.seasons.fold import EntrantState, SeasonFold
from tournaments.seasons.models import Entrant, Match, SealedLineup, Season, TeamMember

MAX_PLAYERS_OFFERED: Final = 400

Viewer = User | AnonymousUser


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A player of a team: place in its order (None for one who has left), board games that count, and their points."""

    player: Player
    order: int | None
    is_captain: bool
    played: int
    points: Fraction


def member_rows(folded: SeasonFold, team: Entrant) -> list[MemberRow]:
    """Return the players of a team with their results, those who have left it last. One query."""
    points, played = folded.points(), dict[int, list[Fraction]]()
    for match in folded.matches.values():
        if team.number not in match.entrants:
            continue
        side = match.entrants.index(team.number)
        counted = match.result()
        for number, result in zip(sorted(match.records), counted.games, strict=True):
            player = match.team_games[number].players[side] if number in match.team_games else None
            if player is not None:
                worth = points.of_game(result)[result.seats.index(team.number)]
                played.setdefault(player, []).append(worth)
    rows = team.members.select_related("player__bot_version").order_by("order", "pk")
    listed = sorted(rows, key=lambda row: (row.order is None, row.order or 0))
    return [
        MemberRow(
            row.player,
            row.order,
            row.is_captain,
            len(played.get(row.player_id, [])),
            sum(played.get(row.player_id, []), Fraction(0)),
        )
        for row in listed
        if row.order is not None or row.player_id in played
    ]


def addable_players(season: Season, user: Viewer) -> list[Player]:
    """Return the players whom `user` may add to a team of the season, people before bots, at most
    `MAX_PLAYERS_OFFERED`. Those of other teams are left out."""
    mine = user.pk or 0
    known = club_players(season.league.club) | Q(user=mine) | Q(bot_version__bot__owner=mine)
    taken = TeamMember.objects.filter(entrant__season=season, order__isnull=False)
    taken = taken.exclude(entrant__status=Entrant.Status.OUT)
    players = Player.objects.filter(known, is_team=False, from_file=False).exclude(pk__in=taken.values("player"))
    allowed = season.settings["entry"]["players"]
    if allowed == "people":
        players = players.filter(bot_version=None)
    elif allowed == "bots":
        players = players.exclude(bot_version=None)
    if season.terms["rated"]:
        players = players.exclude(pk__in=guests().values("pk"))
    listed = players.filter(Q(user__is_active=True) | Q(bot_version__isnull=False)).distinct()
    by_name = listed.select_related("bot_version").order_by(F("bot_version").asc(nulls_first=True), "name", "pk")
    return sorted(by_name[:MAX_PLAYERS_OFFERED], key=lambda player: (player.is_bot, player.name.lower()))


def own_team(season: Season, user: Viewer) -> Entrant | None:
    """Return the team of the season that the user leads; None if there is none."""
    return next((each for each in own_entrants(season, user) if each.player.is_team), None)


def led_team(match: Match, user: Viewer) -> Entrant | None:
    """Return the team of a match that the user leads; None if there is none."""
    playing = set(match.entrants.values_list("entrant", flat=True))
    teams = own_entrants(match.round.division.season, user)
    return next((team for team in teams if team.pk in playing and team.player.is_team), None)


def visible_lineup(match: Match, team: Entrant, user: Viewer) -> list[int | None] | None:
    """Return the line-up that a team has handed in, for those who may see it while it is hidden: its captain and its
    other players. None for everybody else, organisers too, and if there is none."""
    member = TeamMember.objects.filter(entrant=team, order__isnull=False, player__user=user.pk or 0)
    if not member.exists() and led_team(match, user) != team:
        return None
    sealed = SealedLineup.objects.filter(match=match, entrant=team).first()
    return None if sealed is None else list(sealed.players)


def handed_in(match: Match) -> set[int]:
    """Return the ids of the teams that have handed in their line-ups; what these are is not said."""
    return set(SealedLineup.objects.filter(match=match).values_list("entrant", flat=True))


def standing_lineup(team: EntrantState, boards: int) -> Sequence[int | None]:
    """Return the line-up of a team that plays in its order."""
    return [*team.members[:boards], *[None] * (boards - len(team.members[:boards]))]
