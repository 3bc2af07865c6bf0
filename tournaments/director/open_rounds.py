"""Pairs rounds and opens their games; later also the games of matches that have a time of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.common import clock
from games.models import Player
from tournaments.calendar import scheduling
from tournaments.calendar.timetable import (
    closes_at,
    games_begin_at,
    opens_match_at,
    pairing_lead_time,
    planned_at,
    timing_of,
)
from tournaments.director.finish_divisions import finish_division
from tournaments.director.open_games import (
    assign_deals,
    fill_with_bots,
    first_game_numbers,
    open_games,
    open_match_games,
)
from tournaments.entries import services as entries
from tournaments.entries.ladder import lapse_challenges, notify_challengers
from tournaments.formats.base import Finished, Pairings, Wait
from tournaments.formats.reasons import asked_for_absence
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.games import MatchAppointed
from tournaments.seasons.events.rounds import RoundPaired
from tournaments.seasons.models import Bye, Division, Entrant, Match, MatchEntrant, MatchGame, Round, Season
from tournaments.seasons.pairing import next_round
from tournaments.seasons.stream import append_events, continuous_formats, is_past_end, lock_running_season


def divisions_due() -> list[Division]:
    """Return the divisions of running seasons whose next round is due: between rounds, or at any time in continuous
    formats."""
    playing = Round.objects.filter(division=OuterRef("pk"), status=Round.Status.OPEN)
    resting = Division.objects.filter(on_hold=False).filter(
        ~Exists(playing) | Q(season__format__in=continuous_formats()), season__status=Season.Status.RUNNING
    )
    unfinished = resting.filter(finished_at=None).select_related("season__league__club", "season__stream")
    return [division for division in unfinished if _is_due(division)]


def due_at(division: Division) -> datetime:
    """Return the time from which the format is asked for the division's next round."""
    season = division.season
    if season.format in continuous_formats():
        return season.starts_at
    return planned_at(season, division.rounds_opened + 1) - pairing_lead_time(season)


def _is_due(division: Division) -> bool:
    """Return whether to ask the format for the next round. If it had none, something must have happened since."""
    season = division.season
    asleep = division.wakes_at is None or clock.now() < division.wakes_at
    if division.waited_at == season.stream.version and asleep and not is_past_end(season):
        return False
    return clock.now() >= due_at(division)


def open_round(*, division: Division) -> bool:
    """Ask the format for the next round if it is due; pair it and open its games, or finish the division.

    Returns whether anything was paired or finished.
    """
    with transaction.atomic():
        season = lock_running_season(division.season_id, Season.Status.RUNNING)
        if season is None:
            return False
        division.refresh_from_db(fields=["rounds_opened", "finished_at", "on_hold"])
        opened = division.rounds_opened
        between = not division.rounds.filter(status=Round.Status.OPEN).exists()
        if division.finished_at or division.on_hold or not _is_due(division):
            return False
        if not (between or season.format in continuous_formats()):
            return False
        changed = SeasonAggregate(season)
        folded_division = changed.state.division(division.number)
        ended = lapse_challenges(changed, folded_division)
        answer = next_round(changed.state, folded_division, over=is_past_end(season))
        if isinstance(answer, Finished):
            finish_division(changed, division, answer)
        elif isinstance(answer, Pairings):
            if not Division.objects.filter(pk=division.pk, rounds_opened=opened).update(rounds_opened=opened + 1):
                return False
            closes = closes_at(season, opened + 1)
            round = Round.objects.create(
                division=division,
                number=opened + 1,
                opened_at=changed.at,
                closes_at=closes and closes.replace(microsecond=0),
            )
            changed.record(*_write_pairings(season, round, answer, changed.state.away(folded_division, opened + 1)))
        version = changed.commit()
        notify_challengers(season, ended, changed.version + len(ended))
        if isinstance(answer, Wait):
            _wait(division, answer, version)
    return not isinstance(answer, Wait)


def _wait(division: Division, answer: Wait, version: int) -> None:
    """Remember to ask the format again after the season's next event, or at the time that it named. `version` is that
    of the stream."""
    wakes = datetime.fromtimestamp(answer.until, UTC) if answer.until is not None else None
    Division.objects.filter(pk=division.pk).update(waited_at=version, wakes_at=wakes)


def due_matches() -> QuerySet[Match]:
    """Return the matches with a time of their own whose games must be opened now."""
    due = Match.objects.filter(opens_at__lte=clock.now(), round__division__season__status=Season.Status.RUNNING)
    return due.select_related("round__division").order_by("opens_at", "pk")


def open_match(*, match: Match) -> bool:
    """Open the games of a match whose time has come; return whether this call did. Withdrawn players forfeit."""
    now = clock.now()
    with transaction.atomic():
        season = lock_running_season(match.round.division.season_id, Season.Status.RUNNING)
        if season is None:
            return False
        if not Match.objects.filter(pk=match.pk, opens_at__lte=now).update(opens_at=None):
            return False
        current = Match.objects.get(pk=match.pk)
        scheduling.lapse_proposals(Match.objects.filter(pk=match.pk), tell=False)
        append_events(
            season.stream, open_match_games(season, current, games_begin_at(season, current.begins_at or now)), now
        )
        for row in current.entrants.select_related("entrant__player"):
            if row.entrant.status == Entrant.Status.WITHDRAWN:
                entries.forfeit_games(row.entrant)
    return True


def _write_pairings(season: Season, round: Round, pairings: Pairings, away: Mapping[int, str]) -> list[SeasonEvent]:
    """Write the rows of a round, open its games except those of later matches, and return the events."""
    rows = Entrant.objects.filter(season=season).select_related("player__bot_version")
    entrants = {entrant.number: entrant for entrant in rows}
    matches = _write_matches(season, round, pairings, entrants)
    byes = Bye.objects.bulk_create(_byes(round, pairings, away, entrants))
    opened = _open_first_games(season, round, matches, pairings, entrants)
    tables = [
        (match.pk, pairing.seats, pairing.reason, opened[match.pk], pairing.slot)
        for match, pairing in zip(matches, pairings.tables, strict=True)
    ]
    rests = [
        (bye.entrant.number, bye.reason, str(bye.kind), bye.missing.number if bye.missing else None) for bye in byes
    ]
    closes = int(round.closes_at.timestamp()) if round.closes_at else None
    paired = RoundPaired.of(round.division.number, round.number, tables, rests, closes)
    return [paired, *[MatchAppointed.of(each.pk, each.begins_at, each.timing) for each in matches if each.begins_at]]


def _write_matches(season: Season, round: Round, pairings: Pairings, entrants: Mapping[int, Entrant]) -> list[Match]:
    """Write the round's matches with their entrants, in table order."""
    matches = Match.objects.bulk_create(
        _schedule_match(
            season,
            Match(round=round, table=place, reason=pairing.reason, slot=pairing.slot),
            round,
            [entrants[entrant].player for entrant in pairing.seats],
        )
        for place, pairing in enumerate(pairings.tables, start=1)
    )
    MatchEntrant.objects.bulk_create(
        MatchEntrant(match=match, entrant=entrants[entrant], order=order)
        for match, pairing in zip(matches, pairings.tables, strict=True)
        for order, entrant in enumerate(pairing.seats)
    )
    return matches


def _open_first_games(
    season: Season, round: Round, matches: Sequence[Match], pairings: Pairings, entrants: Mapping[int, Entrant]
) -> dict[int, list[int]]:
    """Open the games that begin with the round, and return match → its games. They are opened together because they may
    share deals."""
    seated = [fill_with_bots(season, [entrants[e].player for e in pairing.seats]) for pairing in pairings.tables]
    begin = [
        (match, setup, number)
        for match, setup in zip(matches, seated, strict=True)
        if match.opens_at is None
        for number in first_game_numbers(season, setup.players)
    ]
    setups = assign_deals(season, [(number, setup.turned(number)) for _match, setup, number in begin])
    games = open_games(season, setups, games_begin_at(season, planned_at(season, round.number)))
    MatchGame.objects.bulk_create(
        MatchGame(match=match, number=number, game=game)
        for (match, _setup, number), game in zip(begin, games, strict=True)
    )
    of_match: dict[int, list[int]] = {match.pk: [] for match in matches}
    for (match, _setup, _number), game in zip(begin, games, strict=True):
        of_match[match.pk].append(game.pk)
    return of_match


def _schedule_match(season: Season, match: Match, round: Round, players: Sequence[Player]) -> Match:
    """Set the time at which the match begins, and return the match."""
    timing = timing_of(season, round, players)
    if timing.begins_at is not None:
        timing = replace(timing, begins_at=timing.begins_at.replace(microsecond=0))
    match.begins_at, match.timing = timing.begins_at, timing.how
    match.opens_at, match.timed_at = opens_match_at(season, timing), round.opened_at
    return match


def _byes(round: Round, pairings: Pairings, away: Mapping[int, str], entrants: Mapping[int, Entrant]) -> list[Bye]:
    """Return the byes of a round: those that the format gives, and those of entrants who asked not to be paired."""
    byes = []
    for rest in pairings.byes:
        entrant = entrants[rest.entrant]
        missing = entrants[rest.missing] if rest.missing is not None else None
        kind = Bye.Kind.AWAY if rest.entrant in away else Bye.Kind.WALKOVER if missing else Bye.Kind.BYE
        if entrant.status == Entrant.Status.IN:
            byes.append(Bye(round=round, entrant=entrant, reason=rest.reason, kind=kind, missing=missing))
    named = {bye.entrant.number for bye in byes} | {entrant for table in pairings.tables for entrant in table.seats}
    for one in sorted(away):
        if one not in named and entrants[one].status == Entrant.Status.IN:
            byes.append(Bye(round=round, entrant=entrants[one], reason=[asked_for_absence()], kind=Bye.Kind.AWAY))
    return byes
