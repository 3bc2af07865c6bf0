"""Organisers let another player of a team sit at a board, after the line-ups of a match are known."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.models import Player
from tournaments.calendar.timetable import games_begin_at
from tournaments.core.no_shows import seats_with_moves
from tournaments.core.results import seating_of_game
from tournaments.director.open_games import GameSetup, open_games
from tournaments.rulings.disputes import notify_match_players
from tournaments.rulings.services import Actor, end_game, lock_and_find_repeat
from tournaments.seasons import notes
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.teams import BoardSubstituted
from tournaments.seasons.fold import MatchState
from tournaments.seasons.models import Entrant, Match, MatchGame, OrganiserAction
from tournaments.teams.subjects import substituted


def substitute(
    *, match: Match, team: Entrant, board: int, player: Player, by: Actor, note: str, key: str = ""
) -> OrganiserAction:
    """Let `player` of a team sit at a board instead of whoever does. Open games in which nobody has moved are replaced
    by new ones; recorded games stand.

    Raises `DomainError` 400: note_needed, bad_note, bad_board; 403 not_organiser; 409: season_over, round_undone,
    lineups_hidden, not_in_team, plays_already, game_begun, nothing_to_play.
    """
    with transaction.atomic():
        locked, done = lock_and_find_repeat(match.round.division.season, by, note, key)
        if done is not None:
            return done
        changed = SeasonAggregate(locked)
        state = changed.state.match(match.pk)
        if state is None:
            raise DomainError(409, "round_undone", _("The round of this match was undone, so it does not count."))
        gone = _check_board(state, team, board)
        _check_substitute(changed.state.entrants[team.number].members, state, team, player)
        side = state.entrants.index(team.number)
        waiting = [
            number
            for number, game in state.team_games.items()
            if game.players[side] == gone and number not in state.records and number not in state.annulled
        ]
        if not waiting:
            raise DomainError(409, "nothing_to_play", _("All games at this board are over."))
        replaced = _replace_games(changed, state, waiting, gone, player)
        payload = notes.audit_payload(locked, by, note)
        changed.record(BoardSubstituted(match.pk, team.number, board, gone, player.pk, replaced, payload))
        made = changed.commit_action(key)
        notify_match_players(match, made, substituted(str(team), match.round.number, str(locked)), note)
    return made


def _check_board(state: MatchState, team: Entrant, board: int) -> int:
    """Return who sits at the board. Raises `DomainError` bad_board (400), lineups_hidden (409)."""
    lineup = state.lineups.get(team.number)
    if lineup is None:
        sentence = _("The line-ups of this match are not known yet. The captain can still change them.")
        raise DomainError(409, "lineups_hidden", sentence)
    if not 1 <= board <= len(lineup.players) or (gone := lineup.players[board - 1]) is None:
        raise DomainError(400, "bad_board", _("Nobody of the team sits at this board."), "board")
    return gone


def _check_substitute(members: tuple[int, ...], state: MatchState, team: Entrant, player: Player) -> None:
    """Raise `DomainError` (409) not_in_team, plays_already."""
    if player.pk not in members:
        raise DomainError(409, "not_in_team", _("{name} is not in {team}.").format(name=player, team=team), "player")
    side = state.entrants.index(team.number)
    if player.pk in state.lineups[team.number].players or any(
        game.players[side] == player.pk for game in state.team_games.values()
    ):
        sentence = _("{name} already plays in this match.").format(name=player)
        raise DomainError(409, "plays_already", sentence, "player")


def _replace_games(
    changed: SeasonAggregate, state: MatchState, numbers: list[int], gone: int, player: Player
) -> list[list[int]]:
    """Open a new game for each open one of `numbers`, with `player` instead of `gone`; return (number, old game, new
    game). Raises `DomainError` game_begun (409)."""
    current = [state.games[number] for number in numbers if number in state.games]
    rows = list(MatchGame.objects.filter(game__in=current).select_related("game").order_by("number"))
    for one in rows:
        if seats_with_moves(one.game):
            sentence = _("Game {number} has begun. Let it be played, or adjudicate it.").format(number=one.number)
            raise DomainError(409, "game_begun", sentence)
    setups = []
    for one in rows:
        end_game(one)
        seats = changed.state.players_of(state, one.number, seating_of_game(state.entrants, one.number))
        ids = [player.pk if each == gone else each for each in seats]
        found = Player.objects.select_related("bot_version__bot").in_bulk([each for each in ids if each])
        setups.append(GameSetup(tuple(found[each] for each in ids if each)))
    games = open_games(changed.row, setups, games_begin_at(changed.row, clock.now()))
    return [[one.number, one.game_id, game.pk] for one, game in zip(rows, games, strict=True)]
