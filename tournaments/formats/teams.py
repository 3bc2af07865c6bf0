"""Competitions of teams: the entrants are teams, and a game of their match is a board at which two of their players
meet.

Who meets whom and who stands where is decided as in the same format for players. What differs is said here: the options
of teams, how many games a match has, and who of each team plays which of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, ClassVar, Final

from scorebook_games.contract import Option
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from tournaments.formats.format import Format
from tournaments.formats.preset import WEEK, Preset
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.swiss import Swiss
from tournaments.formats.team_boards import BoardGame, board_games, board_games_of_all_pairs

BOARDS: Final = "boards"
LINEUP_HOURS: Final = "lineup_hours"
LINEUP_ORDER: Final = "lineup_order"
IN_ORDER, FREE_ORDER = "in_order", "free"
EMPTY_BOARDS: Final = "empty_boards"
LOSE_BOARD, LOSE_MATCH = "board", "match"

TEAM_OPTIONS: Final = (
    Option(BOARDS, "int", 4, "Number of boards: how many players of a team play in a match.", minimum=2, maximum=8),
    Option(
        LINEUP_HOURS,
        "int",
        24,
        "How many hours captains have for their line-ups after a round is paired. 0: every team plays in its order.",
        minimum=0,
        maximum=14 * 24,
    ),
    Option(
        LINEUP_ORDER,
        "choice",
        IN_ORDER,
        "Whether the players of a line-up sit in the order of their team.",
        choices=(IN_ORDER, FREE_ORDER),
    ),
    Option(
        EMPTY_BOARDS,
        "choice",
        LOSE_BOARD,
        "What a team loses that has too few players.",
        choices=(LOSE_BOARD, LOSE_MATCH),
    ),
)
TEAM_LABELS: Final = {
    BOARDS: gettext_noop("Boards"),
    LINEUP_HOURS: gettext_noop("Hours for line-ups"),
    LINEUP_ORDER: gettext_noop("Order of line-ups"),
    IN_ORDER: gettext_noop("as in the team"),
    FREE_ORDER: gettext_noop("any"),
    EMPTY_BOARDS: gettext_noop("A team with too few players"),
    LOSE_BOARD: gettext_noop("loses the last boards"),
    LOSE_MATCH: gettext_noop("loses all boards"),
}
TEAM_TIE_BREAKS: Final = ("board_points", "head_to_head", "team_sonneborn_berger", "top_boards", "lots")
MATCH_POINTS: Final = {"system": "match_points", "scale": [2]}


class TeamFormat(Format):
    """What all formats of teams have in common."""

    by_teams = True
    stand_ins = False
    usual_tie_breaks = TEAM_TIE_BREAKS

    def usual_games(self, table_size: int, settings: Mapping[str, Any]) -> int:  # noqa: ARG002
        """One game at each board."""
        return int(settings[BOARDS])

    def why_no_match(self, games: int, table_size: int, settings: Mapping[str, Any]) -> str | None:
        """Two teams meet, with equally many games at each board."""
        if table_size != 2:
            return _("A match of teams is for two teams. Set two entrants a table.")
        least = self.usual_games(table_size, settings)
        if games % least:
            return _("Each board plays equally many games, so a match must have {games} games or a multiple.").format(
                games=least
            )
        return None

    def preparation(self, settings: Mapping[str, Any]) -> timedelta:
        """The time for line-ups."""
        return timedelta(hours=settings.get(LINEUP_HOURS) or 0)

    def board_games(self, games: int, settings: Mapping[str, Any]) -> Sequence[BoardGame]:
        """One board after the other; the first moves alternate from board to board."""
        return board_games(int(settings[BOARDS]), games)


class TeamRoundRobin(TeamFormat, RoundRobin):
    """The format `team_round_robin`."""

    key = "team_round_robin"
    label = gettext_noop("Team round robin")
    options = TEAM_OPTIONS
    option_labels: ClassVar = TEAM_LABELS
    presets = (
        Preset(
            "teams",
            gettext_noop("Team league"),
            gettext_noop(
                "Teams of four meet once, a match a week. Captains name their line-ups, hidden until both are in."
            ),
            {
                "points": MATCH_POINTS,
                "calendar": {"seconds": WEEK},
                "terms": {"move_days": 1, "weekend_pause": True},
            },
        ),
    )

    def __init__(self) -> None:
        super().__init__(1)


class TeamSwiss(TeamFormat, Swiss):
    """The format `team_swiss`: py4swiss pairs teams as it pairs players, by their match points."""

    key = "team_swiss"
    label = gettext_noop("Team Swiss")
    options = (*Swiss.options, *TEAM_OPTIONS)
    option_labels: ClassVar = {**Swiss.option_labels, **TEAM_LABELS}
    presets = ()


class Scheveningen(TeamFormat, RoundRobin):
    """The format `scheveningen`: in a match, everybody of one team plays everybody of the other."""

    key = "scheveningen"
    label = gettext_noop("Scheveningen")
    options = TEAM_OPTIONS
    option_labels: ClassVar = TEAM_LABELS
    presets = ()

    def __init__(self) -> None:
        super().__init__(1)

    def usual_games(self, table_size: int, settings: Mapping[str, Any]) -> int:  # noqa: ARG002
        """A game for each two players of different teams."""
        return int(settings[BOARDS]) ** 2

    def board_games(self, games: int, settings: Mapping[str, Any]) -> Sequence[BoardGame]:
        """All pairs of boards, in rounds in which everybody plays once."""
        return board_games_of_all_pairs(int(settings[BOARDS]), games)
