"""The notification subject of teams, and its sentences. `season` is its name, `team` that of a team."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.accounts.subjects import NoticeSubject
from scorebook_games.presentation.coded_text import sentence

TEAM: Final = "team"
LINEUP: Final = "lineup"

SUBJECTS: Final = {
    TEAM: NoticeSubject(gettext_lazy("News of a team that you are in"), "{text}"),
    LINEUP: NoticeSubject(gettext_lazy("Your team needs a line-up"), "{text}"),
}


@sentence
def added_to_team(team: str, season: str) -> str:
    return _("You are in the team {team} in {season}. You can leave it on its page.").format(team=team, season=season)


@sentence
def removed_from_team(team: str, season: str) -> str:
    return _("You are no longer in the team {team} in {season}.").format(team=team, season=season)


@sentence
def now_captain(team: str, season: str) -> str:
    return _("You are now the captain of {team} in {season}.").format(team=team, season=season)


@sentence
def lineup_asked(team: str, round: int, season: str) -> str:
    return _("Name the line-up of {team} for round {round} of {season}.").format(team=team, round=round, season=season)


@sentence
def too_few_players(team: str, players: int, boards: int, season: str) -> str:
    words = ngettext(
        "{team} has {players} player for {boards} boards in {season}. Boards without a player are lost.",
        "{team} has {players} players for {boards} boards in {season}. Boards without a player are lost.",
        players,
    )
    return words.format(team=team, players=players, boards=boards, season=season)


@sentence
def lineups_known(round: int, season: str) -> str:
    return _("The line-ups of your match in round {round} of {season} are known.").format(round=round, season=season)


@sentence
def substituted(team: str, round: int, season: str) -> str:
    return _("{team} has a substitute in round {round} of {season}.").format(team=team, round=round, season=season)
