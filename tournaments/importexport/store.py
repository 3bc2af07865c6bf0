"""Stores an imported season with its rows and its stream, completely or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.common import clock
from games.models import Player
from tournaments.clubs.models import Club
from tournaments.entries import invitations
from tournaments.importexport.entrant_rows import FileEntrant as FileRow
from tournaments.importexport.entrant_rows import MatchedEntrant
from tournaments.importexport.players import attribute_rows
from tournaments.importexport.replay import SeasonReplay
from tournaments.importexport.season_file import FileRound, SeasonFile
from tournaments.importexport.values import bad_file_error, error_at
from tournaments.lifecycle import services as seasons
from tournaments.lifecycle import setup
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.scoring.standings import EntrantStanding
from tournaments.seasons.models import Bye, Division, Entrant, Match, Round, Season
from tournaments.seasons.pairing import division_standings
from tournaments.seasons.row_writer import new_match_ids


@dataclass(frozen=True, slots=True)
class ImportedSeason:
    """The new season, its standings by division, notes for the organiser, and entrant → player."""

    season: Season
    standings: Mapping[int, Sequence[EntrantStanding]]
    notes: Sequence[str]
    names: Mapping[int, Player]


def store_season(
    club: Club,
    user: User | AnonymousUser,
    plan: SeasonPlan,
    past: SeasonFile,
    lines: Sequence[MatchedEntrant],
    digest: str,
) -> ImportedSeason:
    """Create the season in the caller's transaction. `lines` are those of the file's entrants, in their order; `digest`
    is that of the file. Raises `DomainError`: bad_file and what is wrong with the plan (400), league_not_found (404),
    name_taken (409)."""
    asked = {**plan.settings(), "starts_at": past.starts_at or clock.now(), "repeats": False}
    season = seasons.create_season(league=setup.league_of(club, plan), **asked)
    _check_divisions(season, past)
    players = _create_players(past, lines)
    members = create_members(past, club)
    played = [(round.division, round.number, match.table) for round in past.rounds for match in round.matches]
    matches = dict(zip(played, new_match_ids(len(played)), strict=True))
    payload = {"by": user.pk, "note": None, "file": digest, "rounds": len(past.rounds), "games": past.games}
    replayed = SeasonReplay(season, past, players, matches, payload, members)
    replayed.all()
    _describe_rows(replayed)
    replayed.changed.commit()
    shown = {
        number: rows
        for number, own in replayed.folded.divisions.items()
        if (rows := division_standings(replayed.folded, own))
    }
    if replayed.folded.status() == Season.Status.PAUSED:  # it goes on here
        in_it = season.entries.filter(status=Entrant.Status.IN).select_related("player__bot_version__bot")
        invitations.notify_entered(season, list(in_it), user)
    return ImportedSeason(season, shown, _import_notes(past, lines, replayed.notes), players)


def _check_divisions(season: Season, past: SeasonFile) -> None:
    """Raise `DomainError` bad_file (400) unless the settings have the divisions of the file."""
    main, settings = (
        {division.number for division in past.divisions if division.above is None},
        len(season.rules().divisions),
    )
    if main != set(range(1, settings + 1)):
        sentence = _("The file has {n} divisions and the settings have {other}. Use the settings of the file.")
        raise bad_file_error(sentence.format(n=len(main), other=settings))


def _create_players(past: SeasonFile, lines: Sequence[MatchedEntrant]) -> dict[int, Player]:
    """Return entrant → player, and create the players without accounts."""
    teams = {entrant.number for entrant in past.entrants if entrant.members}
    new = {
        line.row.line: Player(name=line.made, from_file=entrant.number not in teams, is_team=entrant.number in teams)
        for entrant, line in zip(past.entrants, lines, strict=True)
        if line.made
    }
    Player.objects.bulk_create(new.values())
    return {
        entrant.number: line.player or new[line.row.line] for entrant, line in zip(past.entrants, lines, strict=True)
    }


def create_members(past: SeasonFile, club: Club) -> dict[int, Player]:
    """Return id in the file → player of a team, found in the club as entrants are, and create those without accounts.
    Raises `DomainError` bad_file (400)."""
    listed = {member.player: member for entrant in past.entrants for member in entrant.members}
    rows = [
        FileRow(line, member.name, member.bot_version or 0, member.player, bot=member.bot)
        for line, member in enumerate(listed.values(), start=1)
    ]
    found: dict[int, Player] = {}
    for member, line in zip(listed.values(), attribute_rows(rows, club), strict=True):
        if line.problem:
            raise error_at(member.where, line.problem)
        found[member.player] = line.player or Player.objects.create(name=line.made, from_file=True)
    if len({player.pk for player in found.values()}) < len(found):
        raise bad_file_error(_("Two players of teams in the file are the same player here."))
    return found


def _describe_rows(replayed: SeasonReplay) -> None:
    """Give the rows what the log does not say: names, the file's own reasons, and when something happened there."""
    season, past, now, describe = replayed.season, replayed.past, replayed.changed.at, replayed.changed.describe_row
    ended = past.finished_at or past.stood_at or now
    paused = replayed.folded.status() == Season.Status.PAUSED
    describe(Season, season.pk, **({"paused_at": min(past.stood_at or now, now)} if paused else {"finished_at": ended}))
    for division in past.divisions:
        if replayed.folded.division(division.number).places is not None:
            describe(Division, division.number, finished_at=now if paused else ended)
        if division.above is not None:
            describe(Division, division.number, name=division.name or _("Play-off"))
    for entrant in past.entrants:
        describe(Entrant, entrant.number, joined_at=entrant.joined_at or season.starts_at)
    for round in past.rounds:
        _describe_round(replayed, round)


def _describe_round(replayed: SeasonReplay, past: FileRound) -> None:
    describe, key = replayed.changed.describe_row, (past.division, past.number, 0)
    opened = past.opened_at or replayed.season.starts_at
    closed = past.closed_at or opened
    describe(Round, key, opened_at=opened, closed_at=closed)
    for match in past.matches:
        columns = {"reason": match.why, "timing": match.timing, "timed_at": None}
        match_state = replayed.matches[past.division, past.number, match.table]
        describe(Match, match_state, **columns, finished_at=match.finished_at or closed)
    for bye in past.byes:
        describe(Bye, (key, bye.entrant), reason=bye.why)


def _import_notes(past: SeasonFile, lines: Sequence[MatchedEntrant], sentences: Sequence[str]) -> list[str]:
    made = sum(bool(line.made) for line in lines)
    notes = [_("Imported results are not rated, and the games have no replays.")]
    if made:
        one = "{n} entrant has no account in this club and is listed by name only."
        more = "{n} entrants have no account in this club and are listed by name only."
        notes.append(ngettext(one, more, made).format(n=made))
    if past.left_out:
        one = "{n} round was not closed when the file was written and was left out."
        more = "{n} rounds were not closed when the file was written and were left out."
        notes.append(ngettext(one, more, past.left_out).format(n=past.left_out))
    return [*notes, *sentences]
