"""The services of teams: registering one, changing its players, their order and the captain, and leaving it.

A team is the entrant; a row of players of its own names it. Each function is one transaction under the season's lock,
which records the event; its rows follow from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from statistics import fmean
from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from games.accounts import names, notices
from games.common.errors import DomainError
from games.models import Game, Player
from scorebook_games.presentation.coded_text import Sentence
from tournaments.clubs.members import club_players
from tournaments.entries import services as entries
from tournaments.entries.eligibility import check_bounds, check_players, ratings_of
from tournaments.ratings.elo import START_RATING
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.teams import BY_ORGANISER, TeamSet
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import GOING_ON, Entrant, MatchGame, Season, TeamMember
from tournaments.seasons.notes import audit_payload
from tournaments.seasons.stream import lock_season
from tournaments.teams.addresses import team_url
from tournaments.teams.subjects import TEAM, added_to_team, now_captain, removed_from_team

MAX_MEMBERS: Final = 20
ENTERED, BY_CAPTAIN, LEFT = "entered", "captain", "left"
FORCED: Final = (LEFT, "account", "admin")  # causes by which a player leaves at any time

Actor = User | AnonymousUser | None


def register_team(
    *,
    season: Season,
    name: str,
    members: Sequence[Player],
    captain: Player,
    by: Actor = None,
    by_organiser: bool = True,
) -> Entrant:
    """Enter a team with these `members` in their order, or put it on a list as a player who enters would be. The
    members are notified.

    Raises `DomainError`: bad_name, bad_team (400); name_taken, not_by_teams, in_other_team, not_member (409), and the
    errors of `entries.enter_players` and `eligibility.check_players`.
    """
    with transaction.atomic():
        locked = lock_season(season)
        changed = SeasonAggregate(locked)
        wanted = _check_name(locked, name)
        _check_members(changed, None, members, captain, members, by, by_organiser=by_organiser)
        team = Player.objects.create(name=wanted, is_team=True)
        [number] = entries.enter_into(changed, [team], by_organiser=by_organiser)
        ids, why = [member.pk for member in members], BY_ORGANISER if _organised(by, captain, members) else ENTERED
        changed.record(TeamSet.of(number, ids, captain.pk, why, (), audit_payload(locked, by)))
        changed.commit()
        entrant = locked.entries.select_related("division", "player").get(number=number)
        entrant.season = locked
        _notify(entrant, members, by, added_to_team(wanted, str(locked)), "added")
    return entrant


def _organised(by: Actor, captain: Player, members: Iterable[Player]) -> bool:
    """Return whether somebody registers a team in which they have no part."""
    mine = {user for member in members if (user := entries.person_behind(member)) is not None}
    return by is not None and by.pk is not None and by.pk not in mine | {entries.person_behind(captain)}


def change_team(
    *,
    entrant: Entrant,
    members: Sequence[Player],
    captain: Player,
    name: str = "",
    by: Actor = None,
    by_organiser: bool = False,
    note: str = "",
) -> Entrant:
    """Set the players of a team, their order, its captain, and its name if one is given. In a running season only an
    organiser changes the order; new players come last.

    Raises `DomainError` as `register_team` does, and 409: not_in, season_over, order_fixed, plays_now.
    """
    with transaction.atomic():
        locked = lock_season(entrant.season)
        changed, team = _open_team(locked, entrant)
        state = changed.state.entrants[team.number]
        ids, was = [member.pk for member in members], state.captain
        new = [member for member in members if member.pk not in state.members]
        _check_members(changed, team.number, members, captain, new, by, by_organiser=by_organiser)
        gone = [member for member in state.members if member not in ids]
        _check_free(changed.state, team, gone)
        kept, added = [pk for pk in ids if pk in state.members], [member.pk for member in new]
        in_order = [member for member in state.members if member in ids]
        if locked.status != Season.Status.OPEN and not by_organiser and ids != [*in_order, *added]:
            sentence = _(
                "The season is running, so only an organiser changes the order of {team}. New players come last."
            )
            raise DomainError(409, "order_fixed", sentence.format(team=team), "members")
        if name and name != team.player.name:
            Player.objects.filter(pk=team.player_id).update(name=_check_name(locked, name, team))
        if (kept, added, gone, captain.pk) != (list(state.members), [], [], state.captain):
            why = BY_ORGANISER if by_organiser else BY_CAPTAIN
            changed.record(TeamSet.of(team.number, ids, captain.pk, why, gone, audit_payload(locked, by, note)))
            changed.commit()
            _notify(team, new, by, added_to_team(str(team), str(locked)), "added")
            _notify(team, _players(gone), by, removed_from_team(str(team), str(locked)), "removed")
            if captain.pk != was:
                _notify(team, [captain], by, now_captain(str(team), str(locked)), f"captain:{changed.version}")
        return entries.current_entrant(locked, team)


def leave_team(*, entrant: Entrant, player: Player, why: str = LEFT, by: Actor = None) -> Entrant:
    """Take a player out of a team. Their unfinished games there are forfeited, and the next in order is captain if they
    were. A team without players leaves the season.

    `why`: left, account (it was deleted) or admin (a sanction). Raises `DomainError` 409: not_in, season_over.
    """
    with transaction.atomic():
        locked = lock_season(entrant.season)
        changed, team = _open_team(locked, entrant)
        state = changed.state.entrants[team.number]
        if player.pk not in state.members:
            raise DomainError(409, "not_in", _("{name} is not in {team}.").format(name=player, team=team))
        rest = [member for member in state.members if member != player.pk]
        if not rest:
            return entries.leave_season(entrant=team, by=by, why="left" if why == LEFT else why)
        captain = state.captain if state.captain != player.pk else next_captain(rest)
        assert captain is not None, "A team has a captain."
        was = state.captain
        changed.record(TeamSet.of(team.number, rest, captain, why, [player.pk], audit_payload(locked, by)))
        changed.commit()
        forfeit_member(team, player)
        if captain != was:
            _notify(team, _players([captain]), None, now_captain(str(team), str(locked)), f"captain:{changed.version}")
        return entries.current_entrant(locked, team)


def next_captain(members: Sequence[int]) -> int:
    """Return the first of `members` behind whom there is a person; the first one if they are all built-in bots."""
    players = _players(members)
    return next((player.pk for player in players if entries.person_behind(player) is not None), members[0])


def forfeit_member(team: Entrant, player: Player) -> None:
    """Forfeit the unfinished games of a player for a team. A bot finishes the games that it has begun."""
    if player.is_bot:
        return
    sits = MatchGame.objects.filter(
        match__entrants__entrant=team, game__status=Game.Status.PLAYING, game__seats__player=player
    )
    for one in sits.select_related("game"):
        entries.forfeit_seat(one.game, one.game.seats.get(player=player).seat)


def enter_teams_again(*, before: Season, season: Season) -> list[Entrant]:
    """Enter the teams that played to the end of the season `before` into another one, with those of their players who
    are still of the club; all are notified."""
    known, squads = club_players(season.league.club), dict[int, list[Player]]()
    with transaction.atomic():
        changed = SeasonAggregate(lock_season(season))
        stayed = before.entries.filter(status=Entrant.Status.IN).select_related("player").order_by("number")
        for team in stayed:
            of_club = Player.objects.filter(known, teams__in=team.members.filter(order__isnull=False)).distinct()
            rows = team.members.filter(player__in=of_club).select_related("player__bot_version__bot").order_by("order")
            there = [row.player for row in rows]
            if not there:
                continue
            ids, led_by = [player.pk for player in there], [row.player_id for row in rows if row.is_captain]
            [number] = entries.enter_into(changed, [team.player], by_organiser=True)
            captain = next(iter(led_by), None) or next_captain(ids)
            changed.record(TeamSet.of(number, ids, captain, ENTERED, (), audit_payload(changed.row)))
            squads[number] = there
        changed.commit()
        entered = list(season.entries.filter(number__in=squads).select_related("player"))
        for team in entered:
            team.season = season
            _notify(team, squads[team.number], None, added_to_team(str(team), str(season)), "added")
    return entered


def players_of(entrants: Sequence[Entrant]) -> list[Player]:
    """Return the players who play for entrants: themselves, or the players of teams."""
    teams = [entrant.pk for entrant in entrants if entrant.player.is_team]
    rows = TeamMember.objects.filter(entrant__in=teams, order__isnull=False).select_related("player__bot_version__bot")
    return [entrant.player for entrant in entrants if not entrant.player.is_team] + [row.player for row in rows]


def strengths(season: Season, entrants: Sequence[Entrant]) -> dict[int, float]:
    """Return entrant → Elo in the season's kind; of a team, the mean of the players who sit at its boards if it plays
    in its order."""
    if not season.competition.by_teams:
        elo = ratings_of(season, [entrant.player for entrant in entrants])
        return {entrant.number: elo[entrant.player_id] for entrant in entrants}
    rows = TeamMember.objects.filter(entrant__in=entrants, order__lte=board_count(season)).select_related("player")
    of_team: dict[int, list[Player]] = {}
    for row in rows.select_related("player__bot_version"):
        of_team.setdefault(row.entrant_id, []).append(row.player)
    elo = ratings_of(season, [player for players in of_team.values() for player in players])
    means = {team: fmean(elo[player.pk] for player in players) for team, players in of_team.items()}
    return {entrant.number: means.get(entrant.pk, START_RATING) for entrant in entrants}


def board_count(season: Season) -> int:
    """Return the number of boards of a match."""
    games = season.competition.board_games(season.games_a_match, season.settings["format_options"])
    return max((game.first for game in games), default=0)


def active_members() -> QuerySet[TeamMember]:
    """Return the players of teams in open and running seasons."""
    there = TeamMember.objects.filter(
        order__isnull=False,
        entrant__status__in=(Entrant.Status.IN, *entries.LIST_STATUSES),
        entrant__season__status__in=(Season.Status.OPEN, *GOING_ON),
    )
    return there.select_related("entrant__season", "player__bot_version__bot")


def drop_member(*, member: TeamMember, why: str) -> Entrant:
    """Take a player out of their team for a reason of `leave_team`."""
    return leave_team(entrant=member.entrant, player=member.player, why=why)


def _open_team(season: Season, entrant: Entrant) -> tuple[SeasonAggregate, Entrant]:
    """Return the season's aggregate and the team's present row. Raises `DomainError` not_in, season_over (409)."""
    team = entries.current_entrant(season, entrant)
    if season.status not in (Season.Status.OPEN, *GOING_ON):
        raise DomainError(409, "season_over", _("{season} is over.").format(season=season))
    if not team.player.is_team or team.status in (entries.OUT, entries.WITHDRAWN):
        raise DomainError(409, "not_in", _("{name} is not in {season}.").format(name=team, season=season))
    return SeasonAggregate(season), team


def _check_name(season: Season, text: str, own: Entrant | None = None) -> str:
    """Return the name of a team. Raises `DomainError` bad_name (400), name_taken (409)."""
    try:
        name = names.clean_name(text)
    except names.BadName as error:
        raise DomainError(400, "bad_name", str(error), "name") from error
    others = season.entries.exclude(status=Entrant.Status.OUT).exclude(pk=own.pk if own else 0)
    taken = {names.name_key(each) for each in others.values_list("player__name", flat=True)}
    if names.name_key(name) in taken:
        sentence = _("Another team in {season} has this name, or one that looks like it. Choose another.")
        raise DomainError(409, "name_taken", sentence.format(season=season), "name")
    return name


def _check_members(
    changed: SeasonAggregate,
    number: int | None,
    members: Sequence[Player],
    captain: Player,
    new: Sequence[Player],
    by: Actor,
    *,
    by_organiser: bool,
) -> None:
    """Raise `DomainError` unless a team may have these `members`, of whom some are `new` in it."""
    season = changed.row
    season.competition.check_installed()
    if not season.competition.by_teams:
        raise DomainError(409, "not_by_teams", _("Players enter {season} for themselves.").format(season=season))
    ids = [member.pk for member in members]
    if not 1 <= len(ids) <= MAX_MEMBERS or len(set(ids)) < len(ids):
        sentence = _("A team must have 1 to {most} players, each of them once.").format(most=MAX_MEMBERS)
        raise DomainError(400, "bad_team", sentence, "members")
    if captain.pk not in ids:
        raise DomainError(400, "bad_team", _("The captain must be a player of the team."), "captain")
    if any(member.is_team or member.from_file for member in new):
        raise DomainError(400, "bad_team", _("A team consists of people and bots."), "members")
    _check_in_no_other(changed.state, number, new)
    known = set(
        Player.objects.filter(_may_be_added(season, by), pk__in=[m.pk for m in new]).values_list("pk", flat=True)
    )
    if stranger := next((member for member in new if member.pk not in known), None):
        sentence = _("{name} is not a member of {club}. Ask them to join the club first.")
        raise DomainError(409, "not_member", sentence.format(name=stranger, club=season.league.club), "members")
    check_players(season, new)
    for member in new:
        check_bounds(season, member, by_organiser=by_organiser)
        if season.status in GOING_ON:
            entries.check_pool(season, member)


def _may_be_added(season: Season, by: Actor) -> Q:
    """Return the filter of the players whom `by` may add to a team: those of the club, and themselves."""
    mine = by.pk if by is not None and by.pk is not None else 0
    return club_players(season.league.club) | Q(user=mine) | Q(bot_version__bot__owner=mine)


def _check_in_no_other(state: SeasonFold, number: int | None, new: Sequence[Player]) -> None:
    """Raise `DomainError` in_other_team (409) if a player is in another team of the season, or has played for one."""
    others = [team for team in state.entrants.values() if team.number != number and team.status != entries.OUT]
    taken = {member: team.number for team in others for member in team.members}
    for match in state.matches.values():
        for team, lineup in match.lineups.items():
            taken |= {player: team for player in lineup.players if player is not None and team != number}
    for member in new:
        if member.pk in taken:
            sentence = _("{name} plays for another team in this season.").format(name=member)
            raise DomainError(409, "in_other_team", sentence, "members")


def _check_free(state: SeasonFold, team: Entrant, gone: Collection[int]) -> None:
    """Raise `DomainError` plays_now (409) if somebody who is to leave sits in an unfinished match."""
    seated = {
        player
        for match in state.matches.values()
        if not match.over and team.number in match.lineups
        for player in match.lineups[team.number].players
    }
    if playing := next((player for player in gone if player in seated), None):
        sentence = _("{name} plays in a match that is not over. Ask an organiser for a substitute first.")
        raise DomainError(409, "plays_now", sentence.format(name=Player.objects.get(pk=playing)), "members")


def _players(ids: Sequence[int]) -> list[Player]:
    """Return players with the owners of bots, in the order of their ids here."""
    found = Player.objects.select_related("bot_version__bot").in_bulk(ids)
    return [found[pk] for pk in ids]


def _notify(team: Entrant, players: Iterable[Player], by: Actor, sentence: Sentence, what: str) -> None:
    """Notify the people behind these players, but not `by`."""
    users = {user for player in players if (user := entries.person_behind(player)) is not None}
    users -= {by.pk if by is not None else None}
    key = f"team:{what}:{team.pk}"
    notices.withdraw_notices(users, key)
    notices.notify_users(users, TEAM, key=key, sentences=[sentence], url=team_url(team))
