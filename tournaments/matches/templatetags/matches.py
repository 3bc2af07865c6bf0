"""Template tags for scores and players of matches and games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from games.accounts.templatetags.players import player
from games.models import Player
from tournaments.matches.boards import BoardLine, TeamBoards
from tournaments.matches.rows import GameRow, MatchRow, SeatRow
from tournaments.seasons.labels import format_points

register = template.Library()


@register.filter
def has_player(line: MatchRow, player_id: int | None) -> bool:
    """Return whether a match has the player with this id."""
    return any(who.pk == player_id for who in line.players)


@register.filter
def boards_of(boards: Mapping[int, TeamBoards], line: MatchRow) -> list[BoardLine]:
    """Return the boards of a match of teams; [] in other matches, and until line-ups are known."""
    found = boards.get(line.match.pk)
    return found.lines if found else []


@register.simple_tag
def score_of(line: MatchRow) -> str:
    """Return the score of a match, as 2–1; a dash while nothing may be shown."""
    if line.state.mark == "seal":
        return "–"
    return "–".join(format_points(score) for score in line.scores)


@register.simple_tag
def score_for(line: GameRow, who: Player) -> str:
    """Return the score of a game with `who` first, then the others by seat."""
    seats = sorted(line.seats, key=lambda seat: (seat.player.pk != who.pk, seat.seat))
    return "–".join(format_points(seat.score) for seat in seats)


@register.simple_tag
def seated(seats: Sequence[SeatRow]) -> SafeString:
    """Return the players of a game by seat, the winner in bold."""
    return format_html_join(
        SafeString(" – "), "{}", ((player(seat.player, "who" if seat.won else "who lost"),) for seat in seats)
    )
