"""Pairs rounds and opens their games; later also the games of matches that have a time of their own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.common import clock
from games.models import Player
from tournaments.calendar import scheduling
from tournaments.calendar.timetable import (
    MatchTime,
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
    open_team_games,
)
from tournaments.entries.alternates import call_alternates
from tournaments.entries.ladder import lapse_challenges, notify_challengers
from tournaments.formats.base import Finished, Pairing, Pairings, Wait
from tournaments.formats.reasons import absence_without_points, asked_for_absence
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.games import MatchAppointed
from tournaments.seasons.events.rounds import RoundPaired
from tournaments.seasons.fold import DivisionState
from tournaments.seasons.models import Bye, Division, Entrant, Match, Round, Season, TeamMember
from tournaments.seasons.pairing import next_round
from tournaments.seasons.projection import opens_at
from tournaments.seasons.row_writer import new_match_ids
from tournaments.seasons.stream import continuous_formats, is_past_end, lock_running_season
from tournaments.teams import lineups

Rest = tuple[int, Sequence[Any], str, int | None]  # entrant, reason, kind, missing opponent


def divisions_due() -> list[Division]:
    """Return the divisions of running seasons whose next round is due."""
    at_rest = divisions_at_rest().select_related("season__league__club", "season__stream")
    return [division for division in at_rest if _is_due(division)]


def divisions_at_rest() -> QuerySet[Division]:
    """Return the divisions of running seasons that a new round could be opened in: between rounds, or at any time in
    continuous formats."""
    playing = Round.objects.filter(division=OuterRef("pk"), status=Round.Status.OPEN)
    between_rounds = Division.objects.filter(on_hold=False).filter(
        ~Exists(playing) | Q(season__format__in=continuous_formats()), season__status=Season.Status.RUNNING
    )
    return between_rounds.filter(finished_at=None)


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
        between = not division.rounds.filter(status=Round.Status.OPEN).exists()
        if division.finished_at or division.on_hold or not _is_due(division):
            return False
        if not (between or season.format in continuous_formats()):
            return False
        changed = SeasonAggregate(season)
        folded_division = changed.state.division(division.number)
        ended = lapse_challenges(changed, folded_division)
        over, now = is_past_end(season), int(clock.now().timestamp())
        answer = next_round(changed.state, folded_division, over=over, now=now)
        if isinstance(answer, Pairings) and call_alternates(changed, folded_division):
            answer = next_round(changed.state, folded_division, over=over, now=now)
        if isinstance(answer, Finished):
            finish_division(changed, division, answer)
        elif isinstance(answer, Pairings):
            _record_rounds(changed, division, _rounds_of(season, answer))
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


def open_matches(*, matches: Sequence[Match]) -> int:
    """Open the games of matches of one season whose time has come; return how many this call opened. Withdrawn players
    forfeit.

    It is one transaction: the season's log is read once, however many matches begin.
    """
    now = clock.now()
    with transaction.atomic():
        season = lock_running_season(matches[0].round.division.season_id, Season.Status.RUNNING)
        if season is None:
            return 0
        due = Match.objects.filter(pk__in=[match.pk for match in matches], opens_at__lte=now)
        by_time: dict[datetime | None, list[Match]] = {}
        for match in due.order_by("opens_at", "pk"):
            by_time.setdefault(match.begins_at, []).append(match)
        opened = list(chain.from_iterable(by_time.values()))
        if not opened:
            return 0
        if season.competition.by_teams:
            return _open_team_matches(season, opened, now)
        scheduling.lapse_proposals(Match.objects.filter(pk__in=[match.pk for match in opened]), notify=False)
        changed = SeasonAggregate(season)
        for begins_at, together in by_time.items():
            open_match_games(changed, together, games_begin_at(season, begins_at or now))
        changed.commit()
    return len(opened)


def _open_team_matches(season: Season, matches: Sequence[Match], now: datetime) -> int:
    """Reveal the line-ups that are due, and open the games of those matches whose time has come."""
    changed = SeasonAggregate(season)
    for match in matches:
        state = changed.state.matches[match.pk]
        if state.awaits_lineups:
            lineups.reveal(changed, state)
    changed.write_rows()
    for match in matches:
        opens = opens_at(changed.state, changed.state.matches[match.pk])
        if opens is not None and opens <= now:
            scheduling.lapse_proposals(Match.objects.filter(pk=match.pk), notify=False)
            open_team_games(changed, match.pk, games_begin_at(season, match.begins_at or now))
    changed.commit()
    return len(matches)


def _rounds_of(season: Season, pairings: Pairings) -> list[Pairings]:
    """Return the rounds that are paired. Where free entrants are paired during rounds, each table is a round of its
    own, so that its result counts as soon as it is over."""
    if season.format not in continuous_formats():
        return [pairings]
    alone = [Pairings((table,)) for table in pairings.tables]
    return [replace(alone[0], byes=pairings.byes), *alone[1:]] if alone else [pairings]


def _record_rounds(changed: SeasonAggregate, division: Division, paired: Sequence[Pairings]) -> None:
    """Record the division's next rounds, and open their games except those of later matches. An arena may begin with
    hundreds of rounds, so their games are opened together."""
    season, division_state = changed.row, changed.state.division(division.number)
    first = len(division_state.rounds) + 1
    rows = Entrant.objects.filter(season=season).select_related("player__bot_version")
    entrants = {entrant.number: entrant for entrant in rows}
    rounds = [_next_round(changed, division, number) for number in range(first, first + len(paired))]
    ids = iter(new_match_ids(sum(len(each.tables) for each in paired)))
    matches = [[(next(ids), table) for table in each.tables] for each in paired]
    players = _players_of_entrants(season, entrants)
    times = {
        pk: _match_time(season, round, [each for seat in table.seats for each in players[seat]])
        for round, together in zip(rounds, matches, strict=True)
        for pk, table in together
    }
    begins = games_begin_at(season, planned_at(season, first))
    opened: Mapping[int, list[int]] = defaultdict(list)
    if not season.competition.by_teams:
        opened = _open_first_games(season, list(chain.from_iterable(matches)), times, entrants, begins)
    for round, pairings, together in zip(rounds, paired, matches, strict=True):
        tables = [(pk, table.seats, table.reason, opened[pk], table.slot) for pk, table in together]
        absent = changed.state.away(division_state, round.number)
        not_called = [one for one in absent if changed.state.entrants[one].called]  # they miss no round of theirs
        away = {one: why for one, why in absent.items() if one not in not_called}
        byes = [bye for bye in _byes(pairings, away, entrants) if bye[0] not in not_called]
        byes = _unpaid_beyond(season.settings.get("paid_absences"), division_state, byes)
        until = int(round.closes_at.timestamp()) if round.closes_at else None
        changed.record(RoundPaired.of(division.number, round.number, tables, byes, until))
        appointed = [(pk, times[pk]) for pk, _table in together]
        changed.record(*[MatchAppointed.of(pk, at.begins_at, at.how) for pk, at in appointed if at.begins_at])
        if season.competition.by_teams:
            lineups.ask_for_lineups(changed, [(pk, table.seats) for pk, table in together])


def _players_of_entrants(season: Season, entrants: Mapping[int, Entrant]) -> dict[int, list[Player]]:
    """Return entrant → the players who play for it: itself, or the players of the team."""
    if not season.competition.by_teams:
        return {number: [entrant.player] for number, entrant in entrants.items()}
    found: dict[int, list[Player]] = {number: [] for number in entrants}
    rows = TeamMember.objects.filter(entrant__season=season, order__isnull=False)
    for row in rows.select_related("entrant", "player__bot_version"):
        found[row.entrant.number].append(row.player)
    return found


def _next_round(changed: SeasonAggregate, division: Division, number: int) -> Round:
    """Return a round that opens now; it is not stored, because the log does that."""
    closes = closes_at(changed.row, number)
    return Round(
        division=division,
        number=number,
        opened_at=changed.at,
        closes_at=closes and closes.replace(microsecond=0),
    )


def _open_first_games(
    season: Season,
    matches: Sequence[tuple[int, Pairing]],
    times: Mapping[int, MatchTime],
    entrants: Mapping[int, Entrant],
    begins: datetime | None,
) -> dict[int, list[int]]:
    """Open the games that begin with their round, at `begins`, and return match → its games. They are opened together
    because they may share deals."""
    seated = [(pk, fill_with_bots(season, [entrants[e].player for e in table.seats])) for pk, table in matches]
    begin = [
        (pk, number, setup.turned(number))
        for pk, setup in seated
        if opens_match_at(season, times[pk]) is None
        for number in first_game_numbers(season, setup.players)
    ]
    setups = assign_deals(season, [(number, setup) for _pk, number, setup in begin])
    games = open_games(season, setups, begins)
    of_match: dict[int, list[int]] = {pk: [] for pk, _table in matches}
    for (pk, _number, _setup), game in zip(begin, games, strict=True):
        of_match[pk].append(game.pk)
    return of_match


def _match_time(season: Season, round: Round, players: Sequence[Player]) -> MatchTime:
    """Return when a match of the round begins, in whole seconds, as the log has it."""
    timing = timing_of(season, round, players)
    return timing if timing.begins_at is None else replace(timing, begins_at=timing.begins_at.replace(microsecond=0))


def _unpaid_beyond(paid: int | None, division: DivisionState, byes: Iterable[Rest]) -> list[Rest]:
    """Return the byes: absences are worth no points for entrants who have had as many as the season pays for."""
    if paid is None:
        return list(byes)
    had = Counter(entrant for past in division.rounds for entrant in past.away)
    return [
        (entrant, [*why, absence_without_points(paid)], Bye.Kind.UNPAID.value, missing)
        if kind == Bye.Kind.AWAY and had[entrant] >= paid
        else (entrant, why, kind, missing)
        for entrant, why, kind, missing in byes
    ]


def _byes(pairings: Pairings, away: Mapping[int, str], entrants: Mapping[int, Entrant]) -> list[Rest]:
    """Return the byes of a round: those that the format gives, and those of entrants who asked not to be paired."""
    byes: list[Rest] = []
    for rest in pairings.byes:
        kind = (
            Bye.Kind.AWAY if rest.entrant in away else Bye.Kind.WALKOVER if rest.missing is not None else Bye.Kind.BYE
        )
        if entrants[rest.entrant].status == Entrant.Status.IN:
            byes.append((rest.entrant, rest.reason, kind.value, rest.missing))
    named = {entrant for entrant, *_why in byes} | {entrant for table in pairings.tables for entrant in table.seats}
    for one in sorted(away):
        if one not in named and entrants[one].status == Entrant.Status.IN:
            byes.append((one, [asked_for_absence()], Bye.Kind.AWAY.value, None))
    return byes
