"""Opening: a round is paired and its games are opened, those of a match that begins later, the next game of a match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.common import clock
from games.engines.base import Event
from games.models import Game, Player
from games.play import services as play
from games.play.departures import FORFEITED
from games.play.openings import Opening
from tournaments.calendar import scheduling
from tournaments.calendar.timetable import (
    check_in_time,
    closes_at,
    games_begin_at,
    opens_match_at,
    pairing_lead_time,
    planned_at,
    timing_of,
)
from tournaments.director import deals
from tournaments.director.close_rounds import finish_division
from tournaments.entries import ladder
from tournaments.entries import services as entries
from tournaments.formats.base import Finished, Pairings
from tournaments.seasons import events as ev
from tournaments.seasons.locking import continuous_formats, is_past_end, lock_running_season
from tournaments.seasons.models import Bye, Division, Entrant, Match, MatchEntrant, MatchGame, Round, Season
from tournaments.seasons.stream import append_events, fold_season, season_log

ABSENCE_REASON = "Asked to be left out of this round."


def divisions_due() -> list[Division]:
    """Divisions of running seasons whose next round is due: between two rounds, or whatever is still played where the
    format pairs again meanwhile."""
    playing = Round.objects.filter(division=OuterRef("pk"), status=Round.Status.OPEN)
    resting = Division.objects.filter(on_hold=False).filter(
        ~Exists(playing) | Q(season__format__in=continuous_formats()), season__status=Season.Status.RUNNING
    )
    unfinished = resting.filter(finished_at=None).select_related("season__league__club", "season__stream")
    return [division for division in unfinished if _is_due(division)]


def due_at(division: Division) -> datetime:
    """From when on the format is asked for the division's next round."""
    season = division.season
    if season.format in continuous_formats():
        return season.starts_at
    return planned_at(season, division.rounds_opened + 1) - pairing_lead_time(season)


def _is_due(division: Division) -> bool:
    """Whether the format may be asked for the next round; not if it had none and nothing has happened since."""
    season = division.season
    asleep = division.wakes_at is None or clock.now() < division.wakes_at
    if division.waited_at == season.stream.version and asleep and not is_past_end(season):
        return False
    return clock.now() >= due_at(division)


def open_round(*, division: Division) -> bool:
    """Ask the format for the next round, if it is due: pair it and open its games, or finish the division.

    Whether anything was paired or finished.
    """
    now = clock.now()
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
        folded = fold_season(season)
        own = folded.division(division.number)
        ladder.lapse_challenges(season, folded, own)
        answer = folded.next(own, over=is_past_end(season))
        if isinstance(answer, Finished):
            finish_division(season, folded, division, answer)
            return True
        if not isinstance(answer, Pairings):
            season.stream.refresh_from_db(fields=["version"])
            wakes = ladder.next_expiry(own)
            Division.objects.filter(pk=division.pk).update(waited_at=season.stream.version, wakes_at=wakes)
            return False
        if not Division.objects.filter(pk=division.pk, rounds_opened=opened).update(rounds_opened=opened + 1):
            return False
        round = Round.objects.create(
            division=division, number=opened + 1, opened_at=now, closes_at=closes_at(season, opened + 1)
        )
        append_events(season.stream, _write_pairings(season, round, answer, folded.away(own, opened + 1)), now)
    return True


def due_matches() -> QuerySet[Match]:
    """Matches whose games are to be opened by now: at a time of their own, not with their round."""
    due = Match.objects.filter(opens_at__lte=clock.now(), round__division__season__status=Season.Status.RUNNING)
    return due.select_related("round__division").order_by("opens_at", "pk")


def open_match(*, match: Match) -> bool:
    """Open the games of a match whose time has come; whether this call did. Who has withdrawn meanwhile forfeits."""
    now = clock.now()
    with transaction.atomic():
        season = lock_running_season(match.round.division.season_id, Season.Status.RUNNING)
        if season is None:
            return False
        if not Match.objects.filter(pk=match.pk, opens_at__lte=now).update(opens_at=None):
            return False
        held = Match.objects.get(pk=match.pk)
        scheduling.lapse_proposals(Match.objects.filter(pk=match.pk), tell=False)
        append_events(season.stream, open_games_of(season, held, games_begin_at(season, held.begins_at or now)), now)
        for row in held.entrants.select_related("entrant__player"):
            if row.entrant.status == Entrant.Status.WITHDRAWN:
                entries.forfeit_games(row.entrant)
    return True


def open_games_of(season: Season, match: Match, begins: datetime | None) -> list[Event]:
    """Open the first games of a match that has none yet; the events that say so."""
    rows = MatchEntrant.objects.filter(match=match).select_related("entrant__player__bot_version").order_by("order")
    seated = deals.fill_with_bots(season, [row.entrant.player for row in rows])
    numbers = _game_numbers(season, seated.players)
    games = open_games(season, [seated.turned(number) for number in numbers], begins)
    MatchGame.objects.bulk_create(
        MatchGame(match=match, number=number, game=game) for number, game in zip(numbers, games, strict=True)
    )
    return [ev.game_opened(match.pk, number, game.pk) for number, game in zip(numbers, games, strict=True)]


def _write_pairings(season: Season, round: Round, pairings: Pairings, away: Mapping[int, str]) -> list[Event]:
    """Write the round's rows, open its games but those of matches that begin later, and return the events that tell of
    it."""
    entrants = {entrant.number: entrant for entrant in _entrants_by_number(season.pk)}
    matches = Match.objects.bulk_create(
        _schedule_match(season, Match(round=round, table=place, reason=pairing.reason, slot=pairing.slot), round, who)
        for place, pairing in enumerate(pairings.tables, start=1)
        for who in [[entrants[entrant].player for entrant in pairing.seats]]
    )
    MatchEntrant.objects.bulk_create(
        MatchEntrant(match=match, entrant=entrants[entrant], order=order)
        for match, pairing in zip(matches, pairings.tables, strict=True)
        for order, entrant in enumerate(pairing.seats)
    )
    byes = _write_byes(round, pairings, away, entrants)
    Bye.objects.bulk_create(byes)
    seated = [deals.fill_with_bots(season, [entrants[e].player for e in pairing.seats]) for pairing in pairings.tables]
    wanted = [
        (match, one, n)
        for match, one in zip(matches, seated, strict=True)
        if match.opens_at is None
        for n in _game_numbers(season, one.players)
    ]
    tables = deals.assign_deals(season, [(n, one.turned(n)) for _, one, n in wanted])
    games = open_games(season, tables, games_begin_at(season, planned_at(season, round.number)))
    MatchGame.objects.bulk_create(
        MatchGame(match=match, number=n, game=game) for (match, _, n), game in zip(wanted, games, strict=True)
    )
    of_match: dict[int, list[int]] = defaultdict(list)
    for (match, _seats, _n), game in zip(wanted, games, strict=True):
        of_match[match.pk].append(game.pk)
    paired = ev.round_paired(
        round.division.number,
        round.number,
        [
            (match.pk, pairing.seats, pairing.reason, of_match[match.pk], pairing.slot)
            for match, pairing in zip(matches, pairings.tables, strict=True)
        ],
        [(bye.entrant.number, bye.reason, str(bye.kind), bye.missing.number if bye.missing else None) for bye in byes],
        int(round.closes_at.timestamp()) if round.closes_at else None,
    )
    return [
        paired,
        *[ev.match_appointed(match.pk, match.begins_at, match.timing) for match in matches if match.begins_at],
    ]


def _schedule_match(season: Season, match: Match, round: Round, players: Sequence[Player]) -> Match:
    """The match with the time at which it begins."""
    timing = timing_of(season, round, players)
    match.begins_at, match.timing = timing.begins_at, timing.how
    match.opens_at, match.timed_at = opens_match_at(season, timing), round.opened_at
    return match


def _write_byes(
    round: Round, pairings: Pairings, away: Mapping[int, str], entrants: Mapping[int, Entrant]
) -> list[Bye]:
    """Who has no match in a round: those whom the format lets rest, and those who asked to be left out."""
    byes = []
    for rest in pairings.byes:
        entrant = entrants[rest.entrant]
        missing = entrants[rest.missing] if rest.missing is not None else None
        kind = Bye.Kind.AWAY if rest.entrant in away else Bye.Kind.WALKOVER if missing else Bye.Kind.BYE
        if entrant.status == Entrant.Status.IN:
            byes.append(Bye(round=round, entrant=entrant, reason=rest.reason, kind=kind, missing=missing))
    told = {bye.entrant.number for bye in byes} | {entrant for table in pairings.tables for entrant in table.seats}
    for one in sorted(away):
        if one not in told and entrants[one].status == Entrant.Status.IN:
            byes.append(Bye(round=round, entrant=entrants[one], reason=ABSENCE_REASON, kind=Bye.Kind.AWAY))
    return byes


def _game_numbers(season: Season, players: Sequence[Player]) -> range:
    """Which games of a match are opened with its round: all; where people check in the first, and the others follow
    one after the other. With shared deals bots wait for people too: no deal may be known before all have begun it."""
    people = deals.shares_deals(season) or not all(player.is_bot for player in players)
    one_by_one = check_in_time(season) is not None and people
    return range(1, 2 if one_by_one else season.games_a_match + 1)


def _entrants_by_number(season_id: int) -> QuerySet[Entrant]:
    return Entrant.objects.filter(season=season_id).select_related("player__bot_version")


def open_games(season: Season, tables: Sequence[deals.GameSetup], begins: datetime | None = None) -> list[Game]:
    """A game of the season at each table; people among its players check in for a game that `games_begin_at` at a
    time."""
    games = play.open_many(
        [
            Opening(
                season.kind,
                each.players,
                season.options,
                each.terms(season),
                each.deal,
                begins=begins,
                circle=season.league.club_id,
                rules_version=season.settings["rules_version"],
            )
            for each in tables
        ]
    )
    withdrawn = set(season.entries.filter(status=Entrant.Status.WITHDRAWN).values_list("player", flat=True))
    for game, each in zip(games, tables, strict=True):
        _forfeit_withdrawn(game, each.players, withdrawn)
    return games


def _forfeit_withdrawn(game: Game, players: Sequence[Player], withdrawn: Collection[int]) -> None:
    """Who has withdrawn in the middle of a match, or has just deleted the account, forfeits at once what was still to
    be opened, for nobody to wait."""
    for seat, player in enumerate(players):
        gone = player.pk in withdrawn or (player.user_id is None and not player.is_bot)
        if gone and game.status == Game.Status.PLAYING:
            play.leave_game(game=game, seat=seat, how=FORFEITED)


def open_next_games(season: Season, finished: Sequence[MatchGame], events: Iterable[Event] = ()) -> list[Event]:
    """Open the next games of matches whose games are played one after the other, for which people check in at once;
    return the events that say so. `events` are those that will be written before them."""
    last = [one for one in finished if one.number < season.games_a_match]
    if check_in_time(season) is None or not last:
        return []
    if deals.shares_deals(season):
        last = _completed_game_numbers(last)
    there = set(MatchGame.objects.filter(match__in=[one.match_id for one in last]).values_list("match", "number"))
    there |= _annulled_games([*season_log(season), *events])
    due = [one for one in last if (one.match_id, one.number + 1) not in there]
    tables = deals.assign_deals(season, [(one.number + 1, deals.setup_of_game(one.game).turned(2)) for one in due])
    games = open_games(season, tables, clock.now())
    MatchGame.objects.bulk_create(
        MatchGame(match=one.match, number=one.number + 1, game=game) for one, game in zip(due, games, strict=True)
    )
    return [ev.game_opened(one.match_id, one.number + 1, game.pk) for one, game in zip(due, games, strict=True)]


def _annulled_games(events: Iterable[Event]) -> set[tuple[int, int]]:
    """(match, number) of the games that were annulled, some before they were opened."""
    return {(event[1], event[2]) for event in events if event[0] == ev.GAME_ANNULLED}


def _completed_game_numbers(played: Sequence[MatchGame]) -> list[MatchGame]:
    """The games that count, or have been decided, of the rounds and numbers of `played`, where each of them is over:
    those that follow share a deal, and must be opened together for nobody to know it before another has begun."""
    counts = Q(ruling=MatchGame.Ruling.NONE, game__status=Game.Status.FINISHED)
    decided = Q(ruling__in=(MatchGame.Ruling.ADJUDICATED, MatchGame.Ruling.ANNULLED))
    whole: list[MatchGame] = []
    for round, place in sorted({(one.match.round_id, one.number) for one in played}):
        of_number = MatchGame.objects.filter(match__round=round, number=place)
        if not of_number.filter(recorded_at=None).exists():
            whole += of_number.filter(counts | decided).select_related("game", "match").order_by("match__table")
    return whole
