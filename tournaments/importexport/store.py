"""Stores an imported season with its rows and its stream, completely or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.common import clock
from games.models import Player
from tournaments.clubs.models import Club
from tournaments.importexport.entrant_rows import MatchedEntrant
from tournaments.importexport.parse import PastMatch, PastRound, PastSeason
from tournaments.importexport.replay import SeasonReplay
from tournaments.importexport.values import bad_file_error
from tournaments.lifecycle import services as seasons
from tournaments.lifecycle import setup
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.scoring.standings import EntrantStanding
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import Bye, Division, Entrant, ImportedGame, Match, MatchEntrant, Round, Season
from tournaments.seasons.projection import match_points
from tournaments.standings.store import division_standings, write_match_points, write_standings

TablePosition = tuple[int, int, int]  # (division, round, table)


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
    past: PastSeason,
    lines: Sequence[MatchedEntrant],
    digest: str,
) -> ImportedSeason:
    """Create the season in the caller's transaction. `lines` are those of the file's entrants, in their order; `digest`
    is that of the file. Raises `DomainError`: bad_file and what is wrong with the plan (400), league_not_found (404),
    name_taken (409)."""
    asked = {**plan.settings(), "starts_at": past.starts_at or clock.now(), "repeats": False}
    season = seasons.create_season(league=setup.league_of(club, plan), **asked)
    divisions = _create_divisions(season, past)
    players = _create_players(past, lines)
    entrants = _create_entrants(season, past, divisions, players)
    matches = _create_rounds(past, divisions, entrants, season.starts_at)
    payload = {"by": user.pk, "note": None, "file": digest, "rounds": len(past.rounds), "games": past.games}
    replayed = SeasonReplay(season, past, players, {at: match.pk for at, match in matches.items()}, payload)
    replayed.all()
    replayed.changed.commit()
    _update_status(replayed, divisions)
    points = replayed.folded.points()
    write_match_points({each.pk: match_points(points, replayed.folded.match(each.pk)) for each in matches.values()})
    shown = _write_standings(replayed.folded, divisions)
    return ImportedSeason(season, shown, _import_notes(past, lines, replayed.notes), players)


def _create_divisions(season: Season, past: PastSeason) -> dict[int, Division]:
    """Return the divisions by number. The season's settings have created the main ones; this adds the play-offs."""
    rows = {each.number: each for each in season.divisions.all()}
    main = {each.number for each in past.divisions if each.above is None}
    if main != set(rows):
        sentence = _("The file has {n} divisions and the settings have {other}. Use the settings of the file.")
        raise bad_file_error(sentence.format(n=len(main), other=len(rows)))
    for each in past.divisions:
        if each.above is not None:
            name = each.name or _("Play-off")
            rows[each.number] = Division.objects.create(season=season, number=each.number, name=name, is_playoff=True)
    return rows


def _create_players(past: PastSeason, lines: Sequence[MatchedEntrant]) -> dict[int, Player]:
    """Return entrant → player, and create the players without accounts."""
    new = {line.row.line: Player(name=line.made, from_file=True) for line in lines if line.made}
    Player.objects.bulk_create(new.values())
    return {each.number: line.player or new[line.row.line] for each, line in zip(past.entrants, lines, strict=True)}


def _create_entrants(
    season: Season, past: PastSeason, divisions: Mapping[int, Division], players: Mapping[int, Player]
) -> dict[int, Entrant]:
    rows = {
        each.number: Entrant(
            season=season,
            division=divisions[each.division],
            player=players[each.number],
            number=each.number,
            status=Entrant.Status.WITHDRAWN if each.gone else Entrant.Status.IN,
            joined_at=each.joined_at or season.starts_at,
            away=list(each.away),
            since=each.since,
        )
        for each in past.entrants
    }
    Entrant.objects.bulk_create(rows.values())
    return rows


def _create_rounds(
    past: PastSeason, divisions: Mapping[int, Division], entrants: Mapping[int, Entrant], usual: datetime
) -> dict[TablePosition, Match]:
    rows = {
        (each.division, each.number): Round(
            division=divisions[each.division],
            number=each.number,
            status=Round.Status.CLOSED,
            opened_at=each.opened_at or usual,
            closes_at=each.closes_at and each.closes_at.replace(microsecond=0),
            closed_at=each.closed_at or each.opened_at or usual,
        )
        for each in past.rounds
    }
    Round.objects.bulk_create(rows.values())
    matches: dict[TablePosition, Match] = {}
    for each in past.rounds:
        for match in each.matches:
            matches[each.division, each.number, match.table] = _build_match(match, rows[each.division, each.number])
    Match.objects.bulk_create(matches.values())
    Bye.objects.bulk_create(_build_byes(past.rounds, rows, entrants))
    played = [
        (matches[each.division, each.number, match.table], match) for each in past.rounds for match in each.matches
    ]
    MatchEntrant.objects.bulk_create(
        MatchEntrant(match=row, entrant=entrants[one], order=order)
        for row, match in played
        for order, one in enumerate(match.entrants)
    )
    ImportedGame.objects.bulk_create(
        ImportedGame(match=row, number=game.number, replay=game.told["replay"], ruling=game.ruling, result=game.told)
        for row, match in played
        for game in match.games
    )
    return matches


def _build_match(match: PastMatch, round: Round) -> Match:
    return Match(
        round=round,
        table=match.table,
        reason=match.reason,
        slot=match.slot,
        begins_at=match.begins_at and match.begins_at.replace(microsecond=0),
        timing=match.timing,
        finished_at=match.finished_at or round.closed_at,
    )


def _build_byes(
    rounds: Sequence[PastRound], rows: Mapping[tuple[int, int], Round], entrants: Mapping[int, Entrant]
) -> list[Bye]:
    return [
        Bye(
            round=rows[each.division, each.number],
            entrant=entrants[bye.entrant],
            reason=bye.reason,
            kind=bye.kind,
            missing=entrants[bye.missing] if bye.missing is not None else None,
        )
        for each in rounds
        for bye in each.byes
    ]


def _update_status(replayed: SeasonReplay, divisions: Mapping[int, Division]) -> None:
    """Set the status of season and divisions to that of the stream."""
    season, past, folded, now = replayed.season, replayed.past, replayed.folded, replayed.changed.at
    season.status, season.pool, season.imported_at = folded.status(), folded.pool or "", now
    if season.status == Season.Status.PAUSED:
        season.paused_at = min(past.stood_at or now, now)
    else:
        season.finished_at = past.finished_at or past.stood_at or now
    season.save(update_fields=["status", "pool", "imported_at", "paused_at", "finished_at"])
    for n, row in divisions.items():
        folded_division = folded.division(n)
        row.rounds_opened = len(folded_division.rounds)
        row.finished_at = season.finished_at or now if folded_division.places is not None else None
    Division.objects.bulk_update(divisions.values(), ["rounds_opened", "finished_at"])


def _write_standings(folded: SeasonFold, divisions: Mapping[int, Division]) -> dict[int, list[EntrantStanding]]:
    shown = {n: division_standings(folded, folded.division(n)) for n in divisions}
    for n, rows in shown.items():
        write_standings(divisions[n], rows)
    return {n: rows for n, rows in shown.items() if rows}


def _import_notes(past: PastSeason, lines: Sequence[MatchedEntrant], told: Sequence[str]) -> list[str]:
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
    return [*notes, *told]
