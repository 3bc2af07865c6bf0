"""Line-ups: captains hand them in, hidden, and they are revealed when both are in or their time is over.

A line-up has a player for each board, and null at the last boards if there are too few. The stream has its hash when it
is handed in, and the line-up itself when both are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts import notices
from games.common import clock
from games.common.errors import DomainError
from games.models import Player
from scorebook_games.gamelog import events as gev
from tournaments.activity import notifications
from tournaments.core.results import seating_of_game
from tournaments.formats.teams import EMPTY_BOARDS, IN_ORDER, LINEUP_ORDER, LOSE_MATCH
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.teams import BoardsLost, LineupHandedIn, LineupsAsked, LineupsRevealed
from tournaments.seasons.fold import EntrantState, Lineup, MatchState, SeasonFold, TeamGame
from tournaments.seasons.models import BoardPlayer, Entrant, Match, SealedLineup, Season
from tournaments.seasons.selectors import captains
from tournaments.seasons.stream import lock_season
from tournaments.teams.services import board_count
from tournaments.teams.subjects import LINEUP, TEAM, lineup_asked, lineups_known, too_few_players

SUBMITTED, STANDING = BoardPlayer.How.SUBMITTED.value, BoardPlayer.How.STANDING.value
NOBODY_CAME: Final = (1, 2)  # the places of a side that is there and of one that has nobody

Actor = User | AnonymousUser | None
Players = tuple[int | None, ...]


def ask_for_lineups(changed: SeasonAggregate, matches: Sequence[tuple[int, Sequence[int]]]) -> None:
    """Record until when the captains of these matches (id, teams) name their line-ups: until now if no person is the
    captain of either team, or if every team plays in its order. Tell captains, and organisers of teams with too few
    players."""
    season, boards, options = changed.row, board_count(changed.row), changed.row.settings["format_options"]
    teams = [team for _match, both in matches for team in both]
    rows = {row.number: row for row in season.entries.filter(number__in=teams).select_related("player")}
    asked = captains(row.pk for row in rows.values())
    now, due = int(changed.at.timestamp()), int((changed.at + season.competition.preparation(options)).timestamp())
    until = {pk: due if any(rows[team].pk in asked for team in both) else now for pk, both in matches}
    changed.record(LineupsAsked.of(until))
    for match, both in matches:
        for number in both:
            row, players = rows[number], len(changed.state.entrants[number].members)
            row.season = season
            captain = asked.get(row.pk)
            place = changed.state.matches[match].round
            if captain is not None and until[match] > now:
                sentence = lineup_asked(str(row), place, str(season))
                _notify([captain], LINEUP, f"lineup:{match}:{number}", sentence, match, lineup=True)
            if players < boards:
                key, few = f"few:{match}:{number}", too_few_players(str(row), players, boards, str(season))
                _notify([captain] if captain is not None else [], LINEUP, key, few, match)
                notifications.notify_organisers(season, key, few)


def hand_in(*, match: Match, entrant: Entrant, players: Sequence[int | None], by: Actor) -> SealedLineup:
    """Hand in the line-up of a team, or another one while nobody has seen it. If the other team's is in, both are
    revealed.

    Raises `DomainError`: bad_lineup (400); no_lineup, lineups_known, team_gone (409).
    """
    with transaction.atomic():
        season = lock_season(match.round.division.season)
        changed = SeasonAggregate(season)
        state = changed.state.match(match.pk)
        if state is None or state.lineups_due is None or entrant.number not in state.entrants:
            raise DomainError(409, "no_lineup", _("No line-up of this team is asked for in this match."))
        if not state.awaits_lineups:
            raise DomainError(409, "lineups_known", _("The line-ups of this match are known and cannot be changed."))
        team = changed.state.entrants[entrant.number]
        if team.gone:
            raise DomainError(409, "team_gone", _("{team} has withdrawn.").format(team=entrant))
        named = check_lineup(team, players, board_count(season), season.settings["format_options"])
        sealed, _made = SealedLineup.objects.get_or_create(
            match=match, entrant=entrant, defaults={"players": [], "at": clock.now()}
        )
        if sealed.players != list(named):
            sealed.players, sealed.by_id, sealed.at = list(named), by.pk if by else None, clock.now()
            sealed.save()
            changed.record(LineupHandedIn(match.pk, entrant.number, sealed.digest, {"by": sealed.by_id}))
        notices.withdraw_notices(captains([entrant.pk]).values(), f"lineup:{match.pk}:{entrant.number}")
        if all(number in state.handed_in or not _has_captain(season, number) for number in state.entrants):
            reveal(changed, state)
        changed.commit()
    return sealed


def check_lineup(team: EntrantState, players: Sequence[int | None], boards: int, options: Mapping[str, Any]) -> Players:
    """Return a line-up. Raises `DomainError` bad_lineup (400) unless its players are of the team, each at one board and
    in the order of the team if the season asks for it, and only the last boards are empty."""
    named = [player for player in players if player is not None]
    if len(players) != boards:
        sentence = _("A line-up names a player for each of the {boards} boards.").format(boards=boards)
        raise DomainError(400, "bad_lineup", sentence, "players")
    if any(player not in team.members for player in named):
        raise DomainError(400, "bad_lineup", _("Only players of the team can be in its line-up."), "players")
    if len(set(named)) < len(named):
        raise DomainError(400, "bad_lineup", _("A player can play at one board only."), "players")
    if not named or None in players[: len(named)]:
        sentence = _("Only the last boards can be empty. Move your players up.")
        raise DomainError(400, "bad_lineup", sentence, "players")
    if len(named) < min(boards, len(team.members)):
        raise DomainError(400, "bad_lineup", _("The team has a player for each board. Name them all."), "players")
    places = [team.members.index(player) for player in named]
    if options.get(LINEUP_ORDER) == IN_ORDER and places != sorted(places):
        sentence = _("The players must sit in the order of the team, the first of them at board 1.")
        raise DomainError(400, "bad_lineup", sentence, "players")
    return tuple(players)


def reveal(changed: SeasonAggregate, match: MatchState) -> None:
    """Record the line-ups of a match, and the games that are not played because a team has nobody for them. A team that
    has named none, or is named by nobody, plays in its order."""
    season = changed.row
    boards, options = board_count(season), season.settings["format_options"]
    sealed = {
        row.entrant.number: row.players for row in SealedLineup.objects.filter(match=match.id).select_related("entrant")
    }
    lineups = {
        number: lineup_of(changed.state.entrants[number], sealed.get(number), boards, options)
        for number in match.entrants
    }
    first, other = (lineups[number].players for number in match.entrants)
    games = {
        game.number: TeamGame((game.first, game.other), (first[game.first - 1], other[game.other - 1]), game.wave)
        for game in season.competition.board_games(season.games_a_match, options)
    }
    changed.record(LineupsRevealed.of(match.id, lineups, games))
    lost = {n: empty_board(match.entrants, n, game) for n, game in games.items() if game.players.count(None) == 1}
    void = [n for n, game in games.items() if game.players.count(None) == 2]
    if lost or void:
        changed.record(BoardsLost.of(match.id, lost, void))
    _notify_lineups(changed, match)


def lineup_of(
    team: EntrantState, sealed: Sequence[int | None] | None, boards: int, options: Mapping[str, Any]
) -> Lineup:
    """Return the line-up with which a team plays: what was handed in, without players who have left it since, or its
    order. Whoever is missing is replaced by the next in order."""
    if team.gone:
        return Lineup((None,) * boards, STANDING)
    named = [player for player in sealed or () if player in team.members]
    rest = [member for member in team.members if member not in named]
    chosen = [*named, *rest][:boards]
    if options.get(LINEUP_ORDER) == IN_ORDER:
        chosen.sort(key=team.members.index)
    if len(chosen) < boards and options.get(EMPTY_BOARDS) == LOSE_MATCH:
        chosen = []
    players = (*chosen, *[None] * (boards - len(chosen)))
    return Lineup(players, SUBMITTED if sealed else STANDING)


def empty_board(teams: Sequence[int], number: int, game: TeamGame) -> dict[str, Any]:
    """Return the result of a game for which a team has nobody, as it would be recorded."""
    seats = seating_of_game(teams, number)
    absent = seats.index(teams[game.players.index(None)])
    there, gone = NOBODY_CAME
    return {
        "game": None,
        "termination": gev.NO_SHOW,
        "seats": list(seats),
        "scores": [0, 0],
        "placings": [gone if seat == absent else there for seat in (0, 1)],
        "left": [absent],
        "absent": [absent],
        "adjudicated": True,
        "unrated": True,
    }


def players_of_games(state: SeasonFold, match: MatchState, numbers: Iterable[int]) -> dict[int, tuple[Player, ...]]:
    """Return number → the players of a game by seat, without the games that are not played."""
    seats = {
        number: state.players_of(match, number, seating_of_game(match.entrants, number))
        for number in numbers
        if match.team_games[number].playable and number not in match.empty
    }
    ids = {player for each in seats.values() for player in each}
    found = Player.objects.select_related("bot_version__bot").in_bulk(ids)
    return {number: tuple(found[player] for player in each if player is not None) for number, each in seats.items()}


def _has_captain(season: Season, number: int) -> bool:
    """Return whether somebody can hand in a line-up for a team that has not withdrawn."""
    team = season.entries.get(number=number)
    return team.status == Entrant.Status.IN and team.pk in captains([team.pk])


def _notify_lineups(changed: SeasonAggregate, match: MatchState) -> None:
    teams = Entrant.objects.filter(season=changed.row, number__in=match.entrants)
    leading = set(captains(teams.values_list("pk", flat=True)).values())
    players = {player for lineup in match.lineups.values() for player in lineup.players if player is not None}
    people = set(Player.objects.filter(pk__in=players, user__isnull=False).values_list("user", flat=True))
    sentence = lineups_known(match.round, str(changed.row))
    _notify(leading | people, TEAM, f"lineups:{match.id}", sentence, match.id)


def _notify(users: Iterable[int], subject: str, key: str, sentence: Any, match: int, *, lineup: bool = False) -> None:
    url = reverse("match-lineup" if lineup else "match", args=[match])
    notices.notify_users(users, subject, key=key, sentences=[sentence], url=url)
