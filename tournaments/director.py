"""What runs a league: opens rounds, records results, closes rounds, finishes seasons and opens their successors.

Work is found by asking the database, never remembered. Every step is one transaction under its season's lock, claimed
by a compare-and-set of its own, so that any number of processes may call anything here at any time: a step happens
once, whole or not at all. A season that another process holds is left to it.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from games import clock, logged, observe, outages, table
from games.engines.base import Event
from games.leaving import FORFEITED
from games.models import Game, Incident, Player, Seat
from games.moderation import measures
from games.table import Opening
from tournaments import absences, dealing, divisions, entries, ladder, news, official, pools, seasons
from tournaments import events as ev
from tournaments.dates import agreement
from tournaments.dates.timetable import begins, check_in_time, closes_at, leads, planned_at, timing_of, waits_until
from tournaments.errors import LeagueError
from tournaments.fold import FoldedDivision, SeasonFold
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, Pairings
from tournaments.models import (
    Bye,
    Division,
    Entrant,
    Match,
    MatchEntrant,
    MatchGame,
    Round,
    Season,
    Standing,
)
from tournaments.rated import called_for, rated_games
from tournaments.results import GameResult, MatchResult, result_of, seats_in
from tournaments.settings import FORFEIT
from tournaments.standings import number, points_of, score_match
from tournaments.stream import events_of
from tournaments.stream import folded_season as folded_season
from tournaments.tables import rows_of
from tournaments.tables import write_standings as write_standings

RESULTS_AT_ONCE = 500
GOING_ON = (Season.Status.RUNNING, Season.Status.PAUSED)  # what was begun is played and counted while it is paused
AS_ASKED = "Asked to be left out of this round."
QUIET = timedelta(minutes=10)  # a step that goes on failing is told once in so long

logger = logging.getLogger(__name__)


def advance() -> int:
    """Do whatever is due in all seasons, and return how many steps that were. A season that fails holds up no other."""
    steps = 0
    for season in seasons_to_start():
        steps += _safely(start_by_itself, season=season)
    for entrant in gone_entrants():
        steps += _safely(entries.leave, entrant=entrant, why="account")
    for entrant in shut_out_entrants():
        steps += _safely(entries.leave, entrant=entrant, why="house")
    for round in overdue_rounds():
        steps += _safely(end_time, round=round)
    for season in Season.objects.filter(pk__in=due_results().values("match__round__division__season")):
        steps += _safely(record_results, season=season)
    for round in played_rounds():
        steps += _safely(close_round, round=round)
    for season in Season.objects.filter(
        status=Season.Status.FINISHED, repeats=True, successor=None, league__club__archived_at=None
    ):
        steps += _safely(seasons.repeat, season=season)
    for division in resting_divisions():
        steps += _safely(open_round, division=division)
    for match in due_matches():
        steps += _safely(open_match, match=match)
    return steps


def seasons_to_start() -> QuerySet[Season]:
    """Open seasons for which people check in, whose time has come."""
    return starting_by_themselves().filter(starts_at__lte=clock.now())


def starting_by_themselves() -> QuerySet[Season]:
    """Open seasons for which people check in."""
    return Season.objects.filter(status=Season.Status.OPEN, settings__entry__check_in_hours__gt=0)


def start_by_itself(*, season: Season) -> bool:
    """Start a season whose check-in is over; if too few have come, tell its organisers instead, once."""
    try:
        seasons.start(season=season)
    except LeagueError as error:
        if error.code != "season_started":
            news.call(season, "cannot_start", error.sentence)
        return False
    return True


def gone_entrants() -> QuerySet[Entrant]:
    """Those in seasons that are open or being played who have deleted their account."""
    return _in_seasons().filter(player__user=None, player__bot_version=None)


def shut_out_entrants() -> QuerySet[Entrant]:
    """Those whom admins have banned, and bots that admins have stopped."""
    return _in_seasons().filter(player__in=Player.objects.filter(measures.banned() | measures.stopped_bots()))


def _in_seasons() -> QuerySet[Entrant]:
    going_on = Entrant.objects.filter(season__status__in=(Season.Status.OPEN, *GOING_ON))
    return going_on.exclude(status__in=(Entrant.Status.OUT, Entrant.Status.WITHDRAWN)).select_related("season")


def overdue_rounds() -> QuerySet[Round]:
    """Open rounds of running seasons whose time is up and was not told, or whose games are to be ended now."""
    late = Round.objects.filter(
        status=Round.Status.OPEN, closes_at__lte=clock.now(), division__season__status=Season.Status.RUNNING
    )
    to_end = games_to_end().filter(match__round=OuterRef("pk"))
    untold = Q(overdue_at=None) | Q(Exists(to_end), division__season__settings__unplayed=FORFEIT)
    return late.filter(untold).select_related("division__season")


def games_to_end() -> QuerySet[MatchGame]:
    """Games that are on and end with the time of their round: all but those of a match whose own time comes later than
    that, or that was opened later; these have the time of their clocks."""
    later = Q(match__begins_at__gt=F("match__round__closes_at"))
    later |= Q(game__opened_at__gte=F("match__round__closes_at"), number=1, replay=0)
    return MatchGame.objects.filter(recorded_at=None, game__status=Game.Status.PLAYING).exclude(later)


def due_results() -> QuerySet[MatchGame]:
    """Games that are over and not recorded. One that shares its deal with a game still on waits, as its head must; one
    that the public watches with a delay waits for that too, since standings and ratings are for all eyes."""
    delayed = Game.objects.filter(~observe.told(), terms__watch_delay__gt=0, pk=OuterRef("game"))
    open_now = Q(game__status=Game.Status.FINISHED, game__deal__revealed_at__isnull=False)
    over = open_now | Q(game__status=Game.Status.ABORTED)
    going_on = Q(match__round__division__season__status__in=GOING_ON)
    return MatchGame.objects.filter(over, going_on, ~Exists(delayed), recorded_at=None)


def played_rounds() -> QuerySet[Round]:
    """Open rounds with nothing left to record."""
    unrecorded = MatchGame.objects.filter(match__round=OuterRef("pk"), recorded_at=None)
    waiting = Match.objects.filter(round=OuterRef("pk"), opens_at__isnull=False)
    going_on = Round.objects.filter(division__season__status__in=GOING_ON, status=Round.Status.OPEN)
    return going_on.filter(~Exists(unrecorded), ~Exists(waiting)).select_related("division")


def resting_divisions() -> list[Division]:
    """Divisions of running seasons whose next round is due: between two rounds, or whatever is still played where the
    format pairs again meanwhile."""
    playing = Round.objects.filter(division=OuterRef("pk"), status=Round.Status.OPEN)
    resting = Division.objects.filter(on_hold=False).filter(
        ~Exists(playing) | Q(season__format__in=_continuous()), season__status=Season.Status.RUNNING
    )
    unfinished = resting.filter(finished_at=None).select_related("season__league__club", "season__stream")
    return [division for division in unfinished if _is_due(division)]


def open_round(*, division: Division) -> bool:
    """Ask the format for the next round, if it is due: pair it and open its games, or finish the division.

    Whether anything was paired or finished.
    """
    now = clock.now()
    with transaction.atomic():
        season = _claim(division.season_id, Season.Status.RUNNING)
        if season is None:
            return False
        division.refresh_from_db(fields=["rounds_opened", "finished_at", "on_hold"])
        opened = division.rounds_opened
        between = not division.rounds.filter(status=Round.Status.OPEN).exists()
        if division.finished_at or division.on_hold or not _is_due(division):
            return False
        if not (between or season.format in _continuous()):
            return False
        folded = folded_season(season)
        own = folded.division(division.number)
        ladder.lapse(season, folded, own)
        answer = folded.next(own, over=is_over(season))
        if isinstance(answer, Finished):
            _finish(season, folded, division, answer)
            return True
        if not isinstance(answer, Pairings):
            season.stream.refresh_from_db(fields=["version"])
            wakes = ladder.next_lapse(own)
            Division.objects.filter(pk=division.pk).update(waited_at=season.stream.version, wakes_at=wakes)
            return False
        if not Division.objects.filter(pk=division.pk, rounds_opened=opened).update(rounds_opened=opened + 1):
            return False
        round = Round.objects.create(
            division=division, number=opened + 1, opened_at=now, closes_at=closes_at(season, opened + 1)
        )
        seasons.write(season.stream, _paired(season, round, answer, folded.away(own, opened + 1)), now)
    return True


def due_matches() -> QuerySet[Match]:
    """Matches whose games are to be opened by now: at a time of their own, not with their round."""
    due = Match.objects.filter(opens_at__lte=clock.now(), round__division__season__status=Season.Status.RUNNING)
    return due.select_related("round__division").order_by("opens_at", "pk")


def open_match(*, match: Match) -> bool:
    """Open the games of a match whose time has come; whether this call did. Who has withdrawn meanwhile forfeits."""
    now = clock.now()
    with transaction.atomic():
        season = _claim(match.round.division.season_id, Season.Status.RUNNING)
        if season is None:
            return False
        if not Match.objects.filter(pk=match.pk, opens_at__lte=now).update(opens_at=None):
            return False
        held = Match.objects.get(pk=match.pk)
        agreement.lapse(Match.objects.filter(pk=match.pk), tell=False)
        seasons.write(season.stream, open_games_of(season, held, begins(season, held.begins_at or now)), now)
        for row in held.entrants.select_related("entrant__player"):
            if row.entrant.status == Entrant.Status.WITHDRAWN:
                entries.forfeit_games(row.entrant)
    return True


def open_games_of(season: Season, match: Match, begins: datetime | None) -> list[Event]:
    """Open the first games of a match that has none yet; the events that say so."""
    rows = MatchEntrant.objects.filter(match=match).select_related("entrant__player__bot_version").order_by("order")
    seated = dealing.filled(season, [row.entrant.player for row in rows])
    numbers = _numbers(season, seated.players)
    games = open_games(season, [seated.turned(number) for number in numbers], begins)
    MatchGame.objects.bulk_create(
        MatchGame(match=match, number=number, game=game) for number, game in zip(numbers, games, strict=True)
    )
    return [ev.opened(match.pk, number, game.pk) for number, game in zip(numbers, games, strict=True)]


def end_time(*, round: Round) -> bool:
    """The time of a round is up: write which games are not over and do with them what the season says. Whether this
    call told it, or ended any."""
    now = clock.now()
    with transaction.atomic():
        season = _claim(round.division.season_id, Season.Status.RUNNING)
        late = Round.objects.filter(pk=round.pk, status=Round.Status.OPEN, closes_at__lte=now)
        if season is None or not late.exists() or outages.put_off(late.get().closes_at or now) > now:
            return False
        on = games_to_end().filter(match__round=round)
        games = list(on.select_related("game").order_by("match__table", "number"))
        told = bool(late.filter(overdue_at=None).update(overdue_at=now))
        if told:
            listed = [one.game_id for one in games]
            seasons.write(season.stream, [ev.overdue(round.division.number, round.number, listed)], now)
        if season.settings["unplayed"] == FORFEIT:
            return sum(absences.give_up(one.game) for one in games) > 0 or told
        if told and games:
            sentence = _(
                "Round {number} of {season} is over, and {games} of its games are not. Decide what they count."
            )
            words = sentence.format(number=round.number, season=season, games=len(games))
            news.call(season, f"overdue:{round.pk}:{int(now.timestamp())}", words)
    return told


def record_results(*, season: Season) -> int:
    """Write the results that are due into the season's stream, each once; how many were written.

    A game that was aborted is played again: a new game of the same match, with the same seats.
    """
    written = 0
    while (batch := _record_some(season.pk)) is not None:
        written += batch
        if batch < RESULTS_AT_ONCE:
            break
    return written


def close_round(*, round: Round) -> bool:
    """Close a round that is played: rate its games, write the standings, and finish the season if it was the last.

    Whether this call did.
    """
    now = clock.now()
    with transaction.atomic():
        season = _claim(round.division.season_id)
        if season is None or MatchGame.objects.filter(match__round=round, recorded_at=None).exists():
            return False
        if Match.objects.filter(round=round, opens_at__isnull=False).exists():
            return False
        if not Round.objects.filter(pk=round.pk, status=Round.Status.OPEN).update(
            status=Round.Status.CLOSED, closed_at=now
        ):
            return False
        division = round.division
        seasons.write(season.stream, [ev.closed(division.number, round.number)], now)
        folded = folded_season(season)
        own = folded.division(division.number)
        if season.terms["rated"]:
            pools.rate(pools.locked_pool(season.kind, season.pool), rated_games(own, own.rounds[round.number - 1]))
        if _withdraw_absent(season, folded, own):
            folded = folded_season(season)
            own = folded.division(division.number)
        write_standings(division, rows_of(folded, own))
        if not own.above:
            official.write(division, folded)
        answer = folded.next(own, over=is_over(season))
        if isinstance(answer, Finished):
            _finish(season, folded, division, answer)
    return True


def _withdraw_absent(season: Season, folded: SeasonFold, division: FoldedDivision) -> int:
    """Withdraw who did not come to as many rounds as the season bears; once, since who is withdrawn is in no more. How
    many they were."""
    most = season.settings["no_shows"]
    if not most or division.above is not None:
        return 0
    missed = sorted(entrant for entrant, count in division.missed().items() if count >= most)
    gone = [entrant for entrant in missed if folded.entrants[entrant].gone is None]
    for entrant in gone:
        entries.withdraw(entrant=season.entries.get(number=entrant), why="no_shows")
    return len(gone)


def _safely(step: Callable[..., Any], **what: Any) -> int:
    """Do `step`, whose first argument is a row of a season; a failure is told and leaves the others alone. How many
    steps were done."""
    with ExitStack() as about:
        try:
            about.enter_context(logged.about(season=season_path(next(iter(what.values())))))
            return int(bool(step(**what)))
        except Exception:
            # Ids only: in words some of these are people's names.
            logger.exception(
                "%s failed for %s.", step.__name__, {name: getattr(each, "pk", each) for name, each in what.items()}
            )
    _tell(f"The league's step {step.__name__} failed for {', '.join(map(repr, what.values()))}.")
    return 0


def season_path(part: Season | Entrant | Division | Round | Match) -> str:
    """The season that this is or belongs to, as club/league/season."""
    found: Any = part
    for name in ("round", "division", "season"):
        found = getattr(found, name, found)
    path: str = found.path
    return path


def _tell(sentence: str) -> None:
    now = clock.now()
    if not Incident.objects.filter(sentence=sentence, at__gt=now - QUIET).exists():
        Incident.objects.create(at=now, cause=Incident.Cause.INFRASTRUCTURE, sentence=sentence)


def _claim(season_id: int, *status: str) -> Season | None:
    """The season, locked until this transaction ends; None if it is neither running nor paused, or not of that
    `status`, or if another process has it."""
    held = Season.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
    return held.select_related("stream", "league__club").filter(pk=season_id, status__in=status or GOING_ON).first()


def _continuous() -> list[str]:
    """The formats that pair while rounds are being played."""
    return [name for name, format in FORMATS.items() if format.continuous]


def _is_due(division: Division) -> bool:
    """Whether the format may be asked for the next round; not if it had none and nothing has happened since."""
    season = division.season
    asleep = division.wakes_at is None or clock.now() < division.wakes_at
    if division.waited_at == season.stream.version and asleep and not is_over(season):
        return False
    return clock.now() >= due_at(division)


def due_at(division: Division) -> datetime:
    """From when on the format is asked for the division's next round."""
    season = division.season
    if season.format in _continuous():
        return season.starts_at
    return planned_at(season, division.rounds_opened + 1) - leads(season)


def is_over(season: Season) -> bool:
    """Whether the time of a format without a last round is up."""
    ends = over_at(season)
    return ends is not None and clock.now() >= ends


def over_at(season: Season) -> datetime | None:
    """When the time of a format without a last round is up; None where the season goes on until it is ended by hand."""
    lasts = season.settings["lasts_seconds"]
    return season.starts_at + timedelta(seconds=lasts + season.delay_seconds) if lasts else None


def _paired(season: Season, round: Round, pairings: Pairings, away: Mapping[int, str]) -> list[Event]:
    """Write the round's rows, open its games but those of matches that begin later, and return the events that tell of
    it."""
    entrants = {entrant.number: entrant for entrant in _entrants(season.pk)}
    matches = Match.objects.bulk_create(
        _timed(season, Match(round=round, table=place, reason=pairing.reason, slot=pairing.slot), round, who)
        for place, pairing in enumerate(pairings.tables, start=1)
        for who in [[entrants[entrant].player for entrant in pairing.seats]]
    )
    MatchEntrant.objects.bulk_create(
        MatchEntrant(match=match, entrant=entrants[entrant], order=order)
        for match, pairing in zip(matches, pairings.tables, strict=True)
        for order, entrant in enumerate(pairing.seats)
    )
    byes = _byes(round, pairings, away, entrants)
    Bye.objects.bulk_create(byes)
    seated = [dealing.filled(season, [entrants[e].player for e in pairing.seats]) for pairing in pairings.tables]
    wanted = [
        (match, one, n)
        for match, one in zip(matches, seated, strict=True)
        if match.opens_at is None
        for n in _numbers(season, one.players)
    ]
    tables = dealing.dealt(season, [(n, one.turned(n)) for _, one, n in wanted])
    games = open_games(season, tables, begins(season, planned_at(season, round.number)))
    MatchGame.objects.bulk_create(
        MatchGame(match=match, number=n, game=game) for (match, _, n), game in zip(wanted, games, strict=True)
    )
    of_match: dict[int, list[int]] = defaultdict(list)
    for (match, _seats, _n), game in zip(wanted, games, strict=True):
        of_match[match.pk].append(game.pk)
    paired = ev.paired(
        round.division.number,
        round.number,
        [
            (match.pk, pairing.seats, pairing.reason, of_match[match.pk], pairing.slot)
            for match, pairing in zip(matches, pairings.tables, strict=True)
        ],
        [(bye.entrant.number, bye.reason, str(bye.kind), bye.missing.number if bye.missing else None) for bye in byes],
        int(round.closes_at.timestamp()) if round.closes_at else None,
    )
    return [paired, *[ev.appointed(match.pk, match.begins_at, match.timing) for match in matches if match.begins_at]]


def _timed(season: Season, match: Match, round: Round, players: Sequence[Player]) -> Match:
    """The match with the time at which it begins."""
    timing = timing_of(season, round, players)
    match.begins_at, match.timing = timing.begins_at, timing.how
    match.opens_at, match.timed_at = waits_until(season, timing), round.opened_at
    return match


def _byes(round: Round, pairings: Pairings, away: Mapping[int, str], entrants: Mapping[int, Entrant]) -> list[Bye]:
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
            byes.append(Bye(round=round, entrant=entrants[one], reason=AS_ASKED, kind=Bye.Kind.AWAY))
    return byes


def _numbers(season: Season, players: Sequence[Player]) -> range:
    """Which games of a match are opened with its round: all; where people check in the first, and the others follow
    one after the other. With shared deals bots wait for people too: no deal may be known before all have begun it."""
    people = dealing.is_shared(season) or not all(player.is_bot for player in players)
    one_by_one = check_in_time(season) is not None and people
    return range(1, 2 if one_by_one else season.games_a_match + 1)


def _entrants(season_id: int) -> QuerySet[Entrant]:
    return Entrant.objects.filter(season=season_id).select_related("player__bot_version")


def open_games(season: Season, tables: Sequence[dealing.Table], begins: datetime | None = None) -> list[Game]:
    """A game of the season at each table; people among its players check in for a game that `begins` at a time."""
    games = table.open_many(
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
        _forfeit_gone(game, each.players, withdrawn)
    return games


def _forfeit_gone(game: Game, players: Sequence[Player], withdrawn: Collection[int]) -> None:
    """Who has withdrawn in the middle of a match, or has just deleted the account, forfeits at once what was still to
    be opened, for nobody to wait."""
    for seat, player in enumerate(players):
        gone = player.pk in withdrawn or (player.user_id is None and not player.is_bot)
        if gone and game.status == Game.Status.PLAYING:
            table.leave(game=game, seat=seat, how=FORFEITED)


def _record_some(season_id: int) -> int | None:
    """Record up to `RESULTS_AT_ONCE` results in one transaction; None if another process has the season."""
    now = clock.now()
    with transaction.atomic():
        season = _claim(season_id)
        if season is None:
            return None
        due = list(
            due_results()
            .filter(match__round__division__season=season_id)
            .select_related("game__stream", "match__round__division")
            .order_by("match__round__number", "match__table", "number")[:RESULTS_AT_ONCE]
        )
        if not due:
            return 0
        claimed = MatchGame.objects.filter(pk__in=[one.pk for one in due], recorded_at=None).update(recorded_at=now)
        assert claimed == len(due), "Nobody records a result of this season without holding its lock."
        seated = _seated({one.match_id for one in due})
        aborted = [one for one in due if one.game.status == Game.Status.ABORTED]
        finished = [one for one in due if one.game.status == Game.Status.FINISHED]
        left = _left(finished)
        shared = dealing.is_shared(season)
        events = [_recorded(one, seated[one.match_id], left[one.game_id], shared=shared) for one in finished]
        events += _replay(season, aborted) + open_following(season, finished)
        late = {one.match.round.division.number for one in finished if one.match.round.status == Round.Status.CLOSED}
        called = len(called_for(events_of(season))) if late else 0
        seasons.write(season.stream, events, now)
        _finish_matches(season, {one.match_id for one in due}, seated)
        if late:
            stand_anew(season, late, called)
    return len(due)


def stand_anew(season: Season, numbers: Iterable[int], called: int) -> None:
    """Bring ratings, standings and places up to date, after results of closed rounds of the divisions of these
    `numbers` have changed; the season is held. `called` is how many rating events it had called for before."""
    events = events_of(season)
    folded = SeasonFold(events)
    if season.terms["rated"]:
        pools.rate(pools.locked_pool(season.kind, season.pool), called_for(events)[called:])
    for division in season.divisions.filter(number__in=numbers):
        own = folded.division(division.number)
        if own.above is None:
            official.write(division, folded)
            if not (rows := rows_of(folded, own)):
                Standing.objects.filter(entrant__division=division).delete()
            write_standings(division, rows)
        if own.places is None and not own.on_hold and own.rounds and all(past.closed for past in own.rounds):
            answer = folded.next(own, over=is_over(season))
            if isinstance(answer, Finished):
                _finish(season, folded, division, answer)


def _seated(matches: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Match → its entrants' numbers in the order of the first game's seats."""
    seated: dict[int, tuple[int, ...]] = {}
    rows = MatchEntrant.objects.filter(match__in=matches).order_by("match", "order")
    for match, entrant in rows.values_list("match", "entrant__number"):
        seated[match] = (*seated.get(match, ()), entrant)
    return seated


def _left(recorded: Iterable[MatchGame]) -> defaultdict[int, list[int]]:
    """Game → the seats that left it."""
    left: defaultdict[int, list[int]] = defaultdict(list)
    seats = Seat.objects.filter(game__in=[one.game_id for one in recorded]).exclude(left="").order_by("seat")
    for game, seat in seats.values_list("game", "seat"):
        left[game].append(seat)
    return left


def _recorded(one: MatchGame, entrants: Sequence[int], left: list[int], *, shared: bool) -> Event:
    outcome = one.game.outcome
    assert outcome is not None, "A finished game has an outcome."
    result = {
        "game": one.game_id,
        "head": bytes(one.game.stream.head).hex(),
        "termination": outcome["termination"],
        "seats": list(seats_in(entrants, one.number, len(outcome["placings"]))),
        "scores": outcome["scores"],
        "placings": outcome["placings"],
        "left": left,
        "absent": absences.absent_from(one.game) if left else [],
        **({"deal": one.game.deal_id} if shared else {}),
    }
    return ev.recorded(one.match_id, one.number, result)


def _replay(season: Season, aborted: Sequence[MatchGame]) -> list[Event]:
    """Open a new game for each aborted one, and return the events that say so. It has a deal of its own, since its
    players know some cards of the old one."""
    if not aborted:
        return []
    tables = [dealing.table_of(one.game) for one in aborted]
    games = open_games(season, tables, begins(season, clock.now()))
    MatchGame.objects.bulk_create(
        MatchGame(match=one.match, number=one.number, replay=one.replay + 1, game=game)
        for one, game in zip(aborted, games, strict=True)
    )
    return [
        ev.replayed(one.match_id, one.number, one.game_id, game.pk) for one, game in zip(aborted, games, strict=True)
    ]


def open_following(season: Season, finished: Sequence[MatchGame], events: Iterable[Event] = ()) -> list[Event]:
    """Open the next games of matches whose games are played one after the other, for which people check in at once;
    return the events that say so. `events` are those that will be written before them."""
    last = [one for one in finished if one.number < season.games_a_match]
    if check_in_time(season) is None or not last:
        return []
    if dealing.is_shared(season):
        last = _whole_rounds(last)
    there = set(MatchGame.objects.filter(match__in=[one.match_id for one in last]).values_list("match", "number"))
    there |= _not_played([*events_of(season), *events])
    due = [one for one in last if (one.match_id, one.number + 1) not in there]
    tables = dealing.dealt(season, [(one.number + 1, dealing.table_of(one.game).turned(2)) for one in due])
    games = open_games(season, tables, clock.now())
    MatchGame.objects.bulk_create(
        MatchGame(match=one.match, number=one.number + 1, game=game) for one, game in zip(due, games, strict=True)
    )
    return [ev.opened(one.match_id, one.number + 1, game.pk) for one, game in zip(due, games, strict=True)]


def _not_played(events: Iterable[Event]) -> set[tuple[int, int]]:
    """(match, number) of the games that were annulled, some before they were opened."""
    return {(event[1], event[2]) for event in events if event[0] == ev.ANNULLED}


def _whole_rounds(played: Sequence[MatchGame]) -> list[MatchGame]:
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


def _waiting(season: Season, matches: Collection[int]) -> set[int]:
    """Those of `matches` whose next game is opened when all tables of the round have ended the one before."""
    if not dealing.is_shared(season) or check_in_time(season) is None:
        return set()
    folded = folded_season(season)
    return {pk for pk in matches if (own := folded.match(pk)) is not None and not own.over}


def _finish_matches(season: Season, matches: Collection[int], seated: dict[int, tuple[int, ...]]) -> None:
    """Add up those of `matches` whose games are all recorded."""
    unrecorded = MatchGame.objects.filter(match=OuterRef("pk"), recorded_at=None)
    over = set(matches) - _waiting(season, matches)
    done = list(Match.objects.filter(~Exists(unrecorded), pk__in=over, finished_at=None))
    if not done:
        return
    results: dict[int, list[GameResult]] = defaultdict(list)
    games = list(MatchGame.objects.filter(match__in=done).select_related("game"))
    left = _left(games)
    for one in games:
        if counts := one.counts:
            absent = absences.absent_from(one.game) if left[one.game_id] and not one.ruling else []
            results[one.match_id].append(result_of(counts, seated[one.match_id], one.number, absent))
    points = points_of(season.points)
    scores = {match.pk: score_match(points, MatchResult(seated[match.pk], tuple(results[match.pk]))) for match in done}
    Match.objects.filter(pk__in=scores).update(finished_at=clock.now())
    rows = list(MatchEntrant.objects.filter(match__in=done).select_related("entrant"))
    for row in rows:
        row.points = number(scores[row.match_id].points[row.entrant.number])
    MatchEntrant.objects.bulk_update(rows, ["points"])


def _finish(season: Season, folded: SeasonFold, division: Division, answer: Finished) -> None:
    """Finish a division, and the season if all others were finished before."""
    now = clock.now()
    event = ev.finished(division.number, answer.places)
    folded.apply(event)
    seasons.write(season.stream, [event], now)
    Division.objects.filter(pk=division.pk).update(finished_at=now)
    if folded.status() != Season.Status.FINISHED:
        return
    events = divisions.open_playoffs(season, folded) or _moved(folded)
    for event in events:
        folded.apply(event)
    if events:
        seasons.write(season.stream, events, now)
    if folded.status() == Season.Status.FINISHED:
        Season.objects.filter(pk=season.pk, status__in=GOING_ON).update(status=Season.Status.FINISHED, finished_at=now)


def _moved(folded: SeasonFold) -> list[Event]:
    """The event that says who goes up and down, where anybody does."""
    to = divisions.moved(folded)
    return [ev.moved(to)] if to else []
