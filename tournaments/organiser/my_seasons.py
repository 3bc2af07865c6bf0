"""A person's own seasons, including those of their bots: entries, next matches and dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import User
from django.contrib.postgres.expressions import ArraySubquery
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from games.accounts.mygames import time_left_label
from games.common import clock
from games.models import Game, Player
from games.play.players import player_data
from scorebook_games.registry import KINDS
from tournaments.calendar.timetable import is_planned, planned_at
from tournaments.entries import availability
from tournaments.formats import FORMATS
from tournaments.organiser import nudges
from tournaments.organiser.unplayed import round_due_at
from tournaments.seasons.models import PLAYING, Entrant, Match, Season, TeamMember

UNFINISHED_STATUSES: Final = (Season.Status.OPEN, Season.Status.RUNNING, Season.Status.PAUSED)
MAX_DATES_LISTED: Final = 10
NOT_ENTERED: Final = (Entrant.Status.OUT, Entrant.Status.INVITED)
ROUNDS_AHEAD: Final = 4  # rounds of a season that are listed
MAX_ENTRIES_SCANNED: Final = 200  # matches and entries that are looked at


@dataclass(frozen=True, slots=True)
class MyEntry:
    """My entry in a season under way. `coming` is the next unpaired round, None if the format has no fixed rounds;
    `opens_at`: when it is planned; `away`: whether I am absent from it."""

    entrant: Entrant
    season: Season
    place: int | None
    points: float | None
    coming: int | None
    opens_at: datetime | None
    away: bool

    @property
    def bots(self) -> list[Player]:
        """The player if it is a bot, as a list."""
        return [self.entrant.player] if self.entrant.player.is_bot else []

    @property
    def may_switch(self) -> bool:
        """Whether there is a round from which I can be absent. A bot is always available."""
        player = self.entrant.player
        leads = self.entrant.leads or not player.is_team  # type: ignore[attr-defined]  # of my_entrants
        return self.coming is not None and self.entrant.status != Entrant.Status.ASKED and leads and not player.is_bot


@dataclass(frozen=True, slots=True)
class MyMatch:
    """My unfinished match: the other players, when its round `ends`, and the `game` to go to. `mine`: whether the match
    waits for me."""

    match: Match
    season: Season
    entrant: Entrant
    others: list[Player]
    ends: datetime | None
    game: Game | None
    mine: bool

    @property
    def begins_at(self) -> datetime | None:
        """The time at which it begins, until it has begun."""
        if self.game is not None:
            return self.game.begins_at
        return self.match.begins_at if self.match.opens_at is not None else None

    @property
    def due(self) -> datetime | None:
        """The time at which it begins or, once it has begun, by which something must be done."""
        if self.begins_at is not None:
            return self.begins_at
        clock_ends = self.game.deadline if self.game is not None and self.mine else None
        return min((each for each in (clock_ends, self.ends) if each is not None), default=None)

    @property
    def title(self) -> str:
        return KINDS[self.season.kind].spec.title

    @property
    def left_words(self) -> str:
        """The time left, as “in 2 days”; "" without a deadline."""
        return time_left_label(self.due - clock.now()) if self.due else ""

    @property
    def is_soon(self) -> bool:
        return self.due is not None and self.due - clock.now() < nudges.NUDGE_INTERVAL

    @property
    def todo(self) -> str:
        """What I can do about it, as a sentence."""
        if self.match.lineups_due is not None:
            return _("Name your line-up.") if self.mine else _("Its captains name the line-ups.")
        if self.begins_at is not None:
            return _("The game begins at its time. Check in before.")
        if self.game is None:
            return _("The next game is being opened.")
        return _("It is your turn.") if self.mine else _("It is another player’s turn.")


@dataclass(frozen=True, slots=True)
class MyDate:
    """A planned date of mine: a round opens or ends. `text` describes it."""

    at: datetime
    season: Season
    text: str


def my_entrants(user: User) -> QuerySet[Entrant]:
    """Return the entries of `user` and their bots, and the teams in which they play, without invitations, the latest
    season first. `fellows` is the number of entrants in the division, `own_players` are theirs in a team, and `leads`
    says whether they are its captain."""
    in_team = TeamMember.objects.filter(
        Q(player__user=user) | Q(player__bot_version__bot__owner=user), order__isnull=False
    )
    mine = Q(player__user=user) | Q(player__bot_version__bot__owner=user) | Q(pk__in=in_team.values("entrant"))
    fellows = Entrant.objects.filter(division=OuterRef("division"), status__in=PLAYING).order_by().values("division")
    count = Coalesce(Subquery(fellows.annotate(n=Count("pk")).values("n")), 0)
    rows = Entrant.objects.filter(mine).exclude(status__in=NOT_ENTERED).annotate(fellows=count)
    rows = rows.annotate(
        own_players=ArraySubquery(in_team.filter(entrant=OuterRef("pk")).values("player")),
        leads=Exists(in_team.filter(entrant=OuterRef("pk"), is_captain=True)),
    )
    wanted = ("season__league__club", "season__stream", "division", "standing", "player__bot_version__bot")
    return rows.select_related(*wanted).order_by("-season__starts_at", "-pk")


def current_entries(user: User) -> list[MyEntry]:
    """Return the entries in seasons that are open or being played. One query."""
    entrants = my_entrants(user).filter(season__status__in=UNFINISHED_STATUSES).exclude(status=Entrant.Status.WITHDRAWN)
    return [_my_entry(entrant) for entrant in entrants[:MAX_ENTRIES_SCANNED]]


def _my_entry(entrant: Entrant) -> MyEntry:
    season, coming = entrant.season, None
    if entrant.division.finished_at is None and not FORMATS[season.format].continuous:
        coming = entrant.division.rounds_opened + 1
    place, points = _standing_of(entrant)
    entrant.division.season = season
    return MyEntry(
        entrant=entrant,
        season=season,
        place=place,
        points=points,
        coming=coming,
        opens_at=planned_at(season, coming) if coming and is_planned(entrant.division) else None,
        away=coming in entrant.away,
    )


def _standing_of(entrant: Entrant) -> tuple[int | None, float | None]:
    try:
        standing = entrant.standing
        return None if standing.still_in else standing.place, standing.points
    except ObjectDoesNotExist:
        return None, None


def past_entries(user: User) -> QuerySet[Entrant]:
    """Return the entries in seasons that are over and those that were withdrawn, the latest first."""
    gone = Q(status=Entrant.Status.WITHDRAWN) | ~Q(season__status__in=UNFINISHED_STATUSES)
    return my_entrants(user).filter(gone, status__in=PLAYING)


def my_matches(entries: Sequence[MyEntry]) -> list[MyMatch]:
    """Return the unfinished matches of these entries: those that wait for me first, then by deadline. Five queries."""
    by_entrant = {entry.entrant.pk: entry for entry in entries}
    rows = Match.objects.filter(entrants__entrant__in=by_entrant, finished_at=None, round__status="open").distinct()
    matches = list(nudges.with_games(rows.select_related("round__division"))[:MAX_ENTRIES_SCANNED])
    lines = [line for match in matches for line in _my_match(match, by_entrant)]
    return sorted(lines, key=lambda line: (not line.mine, line.due is None, line.due or clock.now(), line.match.pk))


def _my_match(match: Match, entries: dict[int, MyEntry]) -> Iterator[MyMatch]:
    sides = [side.entrant for side in match.entrants.all()]
    awaited = {player.pk for player in nudges.awaited_people(match)}
    on = [game.game for game in match.games.all() if game.game.status == Game.Status.PLAYING]
    for side in sides:
        if side.pk not in entries:
            continue
        season = entries[side.pk].season
        match.round.division.season = season
        others = [each.player for each in sides if each.pk != side.pk]
        entrant: Any = entries[side.pk].entrant
        own = {side.player_id, *entrant.own_players}
        mine = (bool(on) or match.lineups_due is not None) and not awaited.isdisjoint(own)
        asked = [
            game
            for game in on
            if any(seat.player_id in own and (seat.seat in game.to_act or game.begins_at) for seat in game.seats.all())
        ]
        yield MyMatch(match, season, side, others, round_due_at(match.round), next(iter([*asked, *on]), None), mine)


def my_dates(entries: Sequence[MyEntry], nexts: Sequence[MyMatch]) -> list[MyDate]:
    """Return the planned dates, the earliest first: rounds that open, and deadlines of my matches."""
    ends = [
        MyDate(line.ends, line.season, _("round {n} ends").format(n=line.match.round.number))
        for line in nexts
        if line.ends
    ]
    return sorted([*ends, *_round_dates(entries)], key=lambda date: date.at)[:MAX_DATES_LISTED]


def _round_dates(entries: Sequence[MyEntry]) -> Iterator[MyDate]:
    for entry in entries:
        if entry.opens_at is None or entry.coming is None or entry.entrant.status != Entrant.Status.IN:
            continue
        last = _last_round(entry)
        for number in range(entry.coming, min(last, entry.coming + ROUNDS_AHEAD) + 1):
            text = _("absent in round {n}") if number in entry.entrant.away else _("round {n} opens")
            yield MyDate(planned_at(entry.season, number), entry.season, text.format(n=number))


def _last_round(entry: MyEntry) -> int:
    """Return the last round that the format expects with the present entrants; else the next one."""
    count: int = entry.entrant.fellows  # type: ignore[attr-defined]  # of entered
    size, options = entry.season.table_size, entry.season.settings["format_options"]
    known = FORMATS[entry.season.format].rounds(count, size, options) if count >= size else None
    return max(entry.coming or 0, known or 0)


def toggle_away(*, entrant: Entrant, away: bool) -> Entrant:
    """Be absent from the next round of a season, or take part again. Raises `DomainError` bot_always_plays (409), and
    as `set_away_rounds` does."""
    availability.check_is_asked(entrant)
    coming = entrant.division.rounds_opened + 1
    rounds = set(entrant.away) - {coming} | ({coming} if away else set())
    return availability.set_away_rounds(entrant=entrant, rounds=[number for number in rounds if number >= coming])


def my_entry_data(entry: MyEntry) -> dict[str, Any]:
    """Return the JSON data of a `MyEntry`."""
    return {
        "season": entry.season.pk,
        "name": str(entry.season),
        "club": entry.season.league.club.slug,
        "status": entry.season.status,
        "entrant": entry.entrant.number,
        "player": player_data(entry.entrant.player),
        "entry": entry.entrant.status,
        "place": entry.place,
        "points": entry.points,
        "coming_round": entry.coming,
        "opens_at": entry.opens_at,
        "away": entry.away,
    }


def my_match_data(line: MyMatch) -> dict[str, Any]:
    """Return the JSON data of a `MyMatch`."""
    return {
        "match": line.match.pk,
        "season": line.season.pk,
        "round": line.match.round.number,
        "others": [player_data(other) for other in line.others],
        "begins_at": line.begins_at,
        "due": line.due,
        "game": line.game.public_id if line.game else None,
        "waits_for_you": line.mine,
    }
