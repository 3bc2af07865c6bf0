"""What needs an organiser now, the most pressing first: one `Item` a matter, in as many queries for a hundred seasons
as for one. Reads only; what can be done about it is done by the doors of `entries`, `running` and `nudging`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Max, OuterRef, Prefetch, QuerySet, Subquery
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games import clock, condition
from games.accounts.mygames import time_words
from games.models import BotVersion, Game, Player, Seat
from tournaments.dates.timetable import planned_at
from tournaments.desk import nudging
from tournaments.formats import FORMATS
from tournaments.models import (
    Act,
    Club,
    Dispute,
    Division,
    Entrant,
    JoinRequest,
    Match,
    MatchEntrant,
    MatchGame,
    Round,
    Season,
)

SOON: Final = timedelta(days=2)  # a round whose time is up within it is on the desk
MOST: Final = 500  # matters of one sort that are looked at
SHOWN: Final = 6  # players named in a matter's heading
SEASONS_SHOWN: Final = 12
GOING_ON: Final = (Season.Status.RUNNING, Season.Status.PAUSED)
LISTED: Final = (Entrant.Status.ASKED, Entrant.Status.WAITING, Entrant.Status.ALTERNATE)

ANSWERED_IN: Final = timedelta(days=2)  # a dispute is to be answered within it

TITLES: Final = {
    "dispute": gettext_lazy("Dispute"),
    "untimed": gettext_lazy("No time agreed"),
    "late": gettext_lazy("Late"),
    "deadline": gettext_lazy("Not played"),
    "joins": gettext_lazy("Asks to join"),
    "asks": gettext_lazy("Asks to enter"),
    "waiting": gettext_lazy("Waiting list"),
    "short": gettext_lazy("Short table"),
    "paused": gettext_lazy("Paused"),
    "unstarted": gettext_lazy("Not started"),
    "idle": gettext_lazy("Idle"),
    "stuck": gettext_lazy("Stuck game"),
    "quarantine": gettext_lazy("In quarantine"),
}


@dataclass(frozen=True, slots=True)
class Item:
    """A matter: `what` sort it is, since or until when, who it is about, and in a sentence `why` it is here.

    `due` is when it will have been too late, None where nothing runs out.
    """

    what: str
    season: Season | None
    club: Club
    why: str
    since: datetime
    due: datetime | None = None
    players: Sequence[Player] = ()
    match: Match | None = None
    entrant: Entrant | None = None
    game: Game | None = None
    request: JoinRequest | None = None
    dispute: Dispute | None = None
    awaited: Sequence[Player] = ()
    nudged: Act | None = None
    startable: bool = False

    @property
    def key(self) -> str:
        """What tells it from all others, as long as it lasts."""
        about = self.dispute or self.match or self.game or self.entrant or self.request or self.season
        return f"{self.what}-{about.pk if about else 0}"

    @property
    def is_late(self) -> bool:
        return self.due is not None and self.due <= clock.now()

    @property
    def is_soon(self) -> bool:
        return self.due is not None and self.due <= clock.now() + SOON

    @property
    def title(self) -> str:
        """What sort of matter it is, in words."""
        return str(TITLES[self.what])

    @property
    def left_words(self) -> str:
        """in 2 days, in 5 hours."""
        return time_words(self.due - clock.now()) if self.due else ""

    @property
    def shown(self) -> list[Player]:
        return list(self.players[:SHOWN])

    @property
    def more(self) -> int:
        """How many players more there are."""
        return max(0, len(self.players) - SHOWN)

    @property
    def names(self) -> str:
        return nudging.names_of(self.players)

    @property
    def awaited_names(self) -> str:
        return nudging.names_of(self.awaited)

    @property
    def entrants(self) -> list[Entrant]:
        """Those who could be withdrawn."""
        if self.match is not None and self.dispute is None:
            return [side.entrant for side in self.match.entrants.all() if side.entrant.status == Entrant.Status.IN]
        return [self.entrant] if self.what == "quarantine" and self.entrant else []

    @property
    def may_withdraw(self) -> bool:
        """Whether somebody of it can be withdrawn here."""
        return self.season is not None and self.season.status in GOING_ON and bool(self.entrants)

    @property
    def consequence(self) -> str:
        """What the season says becomes of who is withdrawn."""
        if self.season is not None and self.season.settings["withdrawals"] == "void_below_half":
            return _("Games that are on are forfeited. Who has played less than half of the games counts for nobody.")
        return _("Games that are on are forfeited; results stand, and those to come count as lost.")

    @property
    def may_extend(self) -> bool:
        """Whether its round has an end that can be put off."""
        return self.match is not None and self.match.round.closes_at is not None


@dataclass(frozen=True, slots=True)
class Scope:
    """The seasons looked at, by id, and their rounds that are open."""

    seasons: Mapping[int, Season]
    rounds: Mapping[int, Round]
    divisions: Sequence[Division]
    now: datetime
    clubs: Sequence[Club]
    places: Mapping[int, Sequence[tuple[int, list[int]]]] = field(default_factory=dict)  # division → (since, away)


def items_of(clubs: Sequence[Club]) -> list[Item]:
    """All that waits for the organisers of `clubs`. A fixed number of queries."""
    scope = _scope(clubs)
    found = [
        *_disputes(scope),
        *_matches(scope),
        *_requests(clubs),
        *_entries(scope),
        *_short_tables(scope),
        *_seasons(scope),
        *_stuck(scope),
        *_bots(scope),
    ]
    return sorted(found, key=lambda item: (item.due is None, item.due or item.since, item.key))


def _scope(clubs: Sequence[Club]) -> Scope:
    going_on = (Season.Status.OPEN, *GOING_ON)
    seasons = Season.objects.filter(league__club__in=clubs, status__in=going_on).select_related("league__club")
    by_id = seasons.in_bulk()
    divisions = list(Division.objects.filter(season__in=by_id))
    rounds = Round.objects.filter(division__season__in=by_id, status=Round.Status.OPEN).in_bulk()
    entered = Entrant.objects.filter(season__in=by_id, status=Entrant.Status.IN)
    places: dict[int, list[tuple[int, list[int]]]] = {}
    for pk, since, away in entered.values_list("division", "since", "away"):
        places.setdefault(pk, []).append((since, away))
    for division in divisions:
        division.season = by_id[division.season_id]
    of_id = {division.pk: division for division in divisions}
    for round in rounds.values():
        round.division = of_id[round.division_id]
    return Scope(by_id, rounds, divisions, clock.now(), clubs, places)


# what is disputed


def _disputes(scope: Scope) -> Iterator[Item]:
    """Results that somebody disputes, in seasons that have ended too. Four queries."""
    of_clubs = Dispute.objects.filter(
        status=Dispute.Status.OPEN, match__round__division__season__league__club__in=scope.clubs
    )
    rows = of_clubs.select_related("match__round__division__season__league__club", "entrant__player", "note")
    sides = MatchEntrant.objects.select_related("entrant__player__bot_version")
    games = MatchGame.objects.select_related("game")
    rows = rows.prefetch_related(Prefetch("match__entrants", sides), Prefetch("match__games", games))
    for raised in rows.order_by("raised_at", "pk")[:MOST]:
        season = raised.match.round.division.season
        words = raised.note.text if raised.note else ""
        who = raised.entrant.player.name
        why = _("{name} writes: “{words}”").format(name=who, words=words) if words else _("The words were taken back.")
        players = [side.entrant.player for side in raised.match.entrants.all()]
        due = raised.raised_at + ANSWERED_IN
        club = season.league.club
        yield Item("dispute", season, club, why, raised.raised_at, due, players, match=raised.match, dispute=raised)


# matches that are not played


def due_of(round: Round) -> datetime | None:
    """When a round that is open is to be over: its end or, where it waits for its games, the planned beginning of the
    next. None where rounds have no end."""
    season = round.division.season
    if round.closes_at is not None:
        return round.closes_at
    return None if FORMATS[season.format].continuous else planned_at(season, round.number + 1)


def _matches(scope: Scope) -> Iterator[Item]:
    """The matches of people in rounds that end soon, or should have ended, but for those that have a time of their own
    to come."""
    ends = {pk: due_of(round) for pk, round in scope.rounds.items()}
    near = [pk for pk, due in ends.items() if due is not None and due <= scope.now + SOON]
    wanted = Match.objects.filter(round__in=near, finished_at=None, entrants__entrant__player__user__isnull=False)
    wanted = wanted.exclude(timing=Match.Timing.AGREED, begins_at__gt=scope.now)
    wanted = nudging.with_games(wanted.distinct().order_by("round", "table"))
    matches = list(wanted.prefetch_related("proposals__by__player")[:MOST])
    streams = {match.pk: scope.rounds[match.round_id].division.season.stream_id for match in matches}
    nudged = nudging.lately(streams, scope.now)
    for match in matches:
        match.round = scope.rounds[match.round_id]
        season = match.round.division.season
        people = nudging.awaited(match)
        late = match.round.closes_at is None or match.round.overdue_at
        untimed = match.timing == Match.Timing.OTHERWISE and match.opens_at is not None
        yield Item(
            "untimed" if untimed else "late" if late else "deadline",
            season,
            season.league.club,
            _why_untimed(match) if untimed else _why_unplayed(match, people),
            match.round.opened_at,
            ends[match.round_id],
            [side.entrant.player for side in match.entrants.all()],
            match=match,
            awaited=people,
            nudged=nudged.get(match.pk),
        )


def _why_untimed(match: Match) -> str:
    """Who has proposed times for it, how often, and who has not answered since when."""
    offers = list(match.proposals.all())
    if not offers:
        said = _("Nobody has proposed a time.")
    else:
        last = offers[-1]
        others = [side.entrant.player for side in match.entrants.all() if side.entrant_id != last.by_id]
        silent = nudging.names_of([player for player in others if player.user_id is not None])
        sentence = ngettext(
            "{name} proposed times on {day}; {others} has not accepted any.",
            "{name} proposed times, the last on {day}; {others} has not accepted any.",
            len(offers),
        )
        day = date_format(timezone.localtime(last.made_at), "D j M")
        said = sentence.format(name=last.by.player.name, day=day, others=silent)
    begins = date_format(timezone.localtime(match.begins_at), "D j M, H:i") if match.begins_at else "–"
    return said + " " + _("Unless they agree it begins {at}.").format(at=begins)


def _why_unplayed(match: Match, people: Sequence[Player]) -> str:
    games = list(match.games.all())
    over = len([one for one in games if one.game.status != Game.Status.PLAYING])
    size = match.round.division.season.games_a_match
    if people:
        waits = _("It waits for {names}.").format(names=nudging.names_of(people))
    else:
        waits = _("It waits for no person.")
    if not over:
        return _("No game has been played to its end.") + " " + waits
    done = ngettext("One game of {size} is over.", "{n} games of {size} are over.", over)
    return done.format(n=over, size=size) + " " + waits


# who would like to enter


def _requests(clubs: Sequence[Club]) -> Iterator[Item]:
    """Those who ask to join a club. One query."""
    of_id = {club.pk: club for club in clubs}
    rows = JoinRequest.objects.filter(club__in=of_id, state=JoinRequest.State.OPEN)
    for asked in rows.select_related("user__player__bot_version").order_by("created", "pk")[:MOST]:
        why = _("They write: “{words}”").format(words=asked.words) if asked.words else _("They ask to join the club.")
        players = [asked.user.player] if hasattr(asked.user, "player") else []
        yield Item("joins", None, of_id[asked.club_id], why, asked.created, players=players, request=asked)


def _entries(scope: Scope) -> Iterator[Item]:
    """Those who ask to be let in, each; and the waiting lists, one for a season."""
    rows = Entrant.objects.filter(season__in=scope.seasons, status__in=LISTED)
    waiting: dict[int, list[Entrant]] = {}
    for entrant in rows.select_related("player__bot_version__bot").order_by("joined_at", "number")[:MOST]:
        season = scope.seasons[entrant.season_id]
        if entrant.status != Entrant.Status.ASKED:
            waiting.setdefault(season.pk, []).append(entrant)
            continue
        due = season.starts_at if season.status == Season.Status.OPEN else None
        why = _("They ask to be let in.") if due else _("They ask to be let in; the season is being played.")
        yield Item("asks", season, season.league.club, why, entrant.joined_at, due, [entrant.player], entrant=entrant)
    for pk, entrants in waiting.items():
        season = scope.seasons[pk]
        why = ngettext(
            "One waits for a place; who is first moves up by itself.",
            "{n} wait for a place; who is first moves up by itself.",
            len(entrants),
        ).format(n=len(entrants))
        players = [entrant.player for entrant in entrants]
        yield Item("waiting", season, season.league.club, why, entrants[0].joined_at, players=players)


# tables that are short, seasons that wait


def _short_tables(scope: Scope) -> Iterator[Item]:
    """Divisions whose next round does not fill its tables of three or more."""
    for division in scope.divisions:
        season, coming = division.season, division.rounds_opened + 1
        if season.table_size < 3 or division.is_playoff or division.finished_at or FORMATS[season.format].continuous:
            continue
        there = len([away for since, away in scope.places.get(division.pk, []) if coming not in away])
        left = there % season.table_size
        if not left or season.status not in (Season.Status.OPEN, Season.Status.RUNNING):
            continue
        sentence = _("{n} play in round {round}, at tables of {size}: {missing} more would fill the last. {rule}")
        why = sentence.format(
            n=there, round=coming, size=season.table_size, missing=season.table_size - left, rule=_rule(season)
        )
        yield Item("short", season, season.league.club, why, season.starts_at, planned_at(season, coming))


def _rule(season: Season) -> str:
    return {
        "bye": _("As the season says, who is left over rests."),
        "house_bot": _("As the season says, house bots fill it."),
        "short": _("As the season says, it is played with fewer."),
    }[season.settings["short_tables"]]


def _seasons(scope: Scope) -> Iterator[Item]:
    """Seasons that somebody has paused, that should have started, and divisions in which nothing can be paired."""
    for season in scope.seasons.values():
        club = season.league.club
        if season.status == Season.Status.PAUSED and season.paused_at:
            yield Item("paused", season, club, _("It is paused: no round begins."), season.paused_at)
        if season.status == Season.Status.OPEN and season.starts_at <= scope.now:
            count = sum(len(scope.places.get(each.pk, [])) for each in scope.divisions if each.season_id == season.pk)
            why, enough = _why_unstarted(season, count), count >= season.table_size
            yield Item("unstarted", season, club, why, season.starts_at, season.starts_at, startable=enough)
    busy = {round.division_id for round in scope.rounds.values()}
    for division in scope.divisions:
        season = division.season
        idle = division.waited_at is not None and not division.finished_at and division.pk not in busy
        if idle and season.status == Season.Status.RUNNING:
            why = _("Nothing can be paired in {division} now: it waits for its people.").format(division=division)
            yield Item("idle", season, season.league.club, why, season.starts_at)


def _why_unstarted(season: Season, count: int) -> str:
    if count < season.table_size:
        sentence = ngettext(
            "It was to start, and one has entered where {size} are needed.",
            "It was to start, and {n} have entered where {size} are needed.",
            count,
        )
        return sentence.format(n=count, size=season.table_size)
    return _("It was to start, and {n} have entered.").format(n=count)


# what is broken


def _stuck(scope: Scope) -> Iterator[Item]:
    """Games at which the platform fails."""
    games = Game.objects.filter(
        match_game__match__round__division__season__in=scope.seasons, status=Game.Status.PLAYING, failures__gt=0
    )
    seats = Seat.objects.select_related("player__bot_version")
    for game in _placed(games).prefetch_related(Prefetch("seats", seats))[:MOST]:
        match = game.match_game.match
        season = scope.seasons[match.round.division.season_id]
        why = condition.why_not_played(game, scope.now)
        players = [seat.player for seat in game.seats.all()]
        yield Item("stuck", season, season.league.club, why, game.moved_at, players=players, game=game)


def _placed(games: QuerySet[Game]) -> QuerySet[Game]:
    return games.select_related("match_game__match__round__division").order_by("moved_at")


def _bots(scope: Scope) -> Iterator[Item]:
    """Bots in quarantine that are in a season: their games are not played."""
    held = Entrant.objects.filter(
        season__in=scope.seasons,
        status=Entrant.Status.IN,
        player__bot_version__state=BotVersion.State.QUARANTINED,
    )
    for entrant in held.select_related("player__bot_version__bot").order_by("joined_at")[:MOST]:
        season = scope.seasons[entrant.season_id]
        why = _("It is in quarantine and plays no games before its author has mended it, or it is withdrawn.")
        yield Item(
            "quarantine", season, season.league.club, why, entrant.joined_at, players=[entrant.player], entrant=entrant
        )


# the seasons at a glance


@dataclass(frozen=True, slots=True)
class Glance:
    """A season beside the desk: the latest round, how many of its matches are played, and of how many."""

    season: Season
    round: int
    played: int
    of: int

    @property
    def percent(self) -> int:
        return 100 * self.played // self.of if self.of else 0

    @property
    def rest(self) -> int:
        return 100 - self.percent


def glance(clubs: Sequence[Club]) -> list[Glance]:
    """The seasons under way of `clubs`, with how far their latest rounds are. One query."""
    latest = Round.objects.filter(division__season=OuterRef("pk")).order_by().values("division__season")
    of_last = Match.objects.filter(round__division__season=OuterRef("pk"), round__number=OuterRef("last"))
    counted = of_last.order_by().values("round__number")
    seasons = (
        Season.objects.filter(league__club__in=clubs, status__in=GOING_ON)
        .select_related("league__club")
        .annotate(last=Subquery(latest.annotate(n=Max("number")).values("n")))
        .annotate(
            of=Subquery(counted.annotate(n=Count("pk")).values("n")),
            played=Subquery(counted.annotate(n=Count("finished_at")).values("n")),
        )
        .order_by("league__name", "pk")
    )
    return [Glance(each, each.last or 0, each.played or 0, each.of or 0) for each in seasons[:SEASONS_SHOWN]]
