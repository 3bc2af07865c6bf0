"""Sets up a season as an organiser asks for it, completely or not at all, and previews it.

The form, the API and imports describe a season as a `SeasonPlan` and call `set_up` or `update_season`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime, timedelta
from math import ceil
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.accounts import notices
from games.common import clock
from games.common.errors import DomainError
from games.models import Bot, BotVersion, Player
from games.play.roster import builtin_bots_for, ensure_builtin_bot
from games.visibility import acting
from tournaments.activity.subjects import REGISTRATION, season_cancelled
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import may_organise
from tournaments.entries import invitations
from tournaments.entries import services as entries
from tournaments.formats import DEFAULT_FORMAT, FORMATS
from tournaments.formats.base import filled_tables, sum_by_round
from tournaments.lifecycle import services as seasons
from tournaments.lifecycle.divisions import distribute
from tournaments.seasons import notes
from tournaments.seasons.models import Entrant, League, Season
from tournaments.seasons.schedule import BOTS_AT_ONCE, CalendarError, CalendarRule, SeasonCalendar, parse_calendar
from tournaments.seasons.settings import (
    BOTS_ONLY,
    MAX_ENTRANTS,
    SHORT_TABLE_ALLOWED,
    SHORT_TABLE_BOT,
    DivisionSettings,
    SeasonPolicies,
    default_points_of,
    parse_settings,
    resolve_options,
)

PLAN_ONLY_FIELDS = ("name", "starts_at", "repeats")  # fields of a plan that are not settings of the season
MAX_ENTRIES_PER_BOT = 8  # how often one built-in bot can enter a season
MAX_VERSIONS_OFFERED = 30  # how many versions of an author's bots a season offers to enter
MAX_TIME_AHEAD = timedelta(days=5 * 366)
START_TIME_GRACE = timedelta(minutes=10)  # a form may be open this long after the planned start


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonPlan(SeasonPolicies):
    """A season that somebody asks for; missing values have their defaults.

    `league` is the slug of one of the club's leagues; without it, `new_league` is the name of a league to create.
    `bots` is built-in bot → how often it enters; `players` are ids.
    """

    league: str = ""
    new_league: str = ""
    name: str
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    terms: Mapping[str, Any] = field(default_factory=dict)
    format: str = DEFAULT_FORMAT
    table_size: int = 2
    games_a_match: int | None = None
    points: Mapping[str, Any] | None = None
    tie_breaks: Sequence[str] | None = None
    starts_at: datetime | None = None
    calendar: Mapping[str, Any] = field(default_factory=dict)
    duration_seconds: int = 0
    format_options: Mapping[str, Any] = field(default_factory=dict)
    entry: Mapping[str, Any] = field(default_factory=dict)
    divisions: Sequence[Mapping[str, Any]] = ()
    repeats: bool = False
    bots: Mapping[str, int] = field(default_factory=dict)
    players: Sequence[int] = ()

    def settings(self) -> dict[str, Any]:
        """Return the arguments of `lifecycle.services.create_season` and `change_season`, except the league."""
        who = {"league", "new_league", "bots", "players"}
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in who}

    def format_options_settled(self) -> dict[str, Any]:
        """Return the format's options with their defaults. Raises `DomainError` bad_option (400)."""
        return resolve_options(FORMATS[self.format].options, self.format_options, "format_options")

    @property
    def entrants(self) -> int:
        """The number of players and bots in the plan."""
        return len(set(self.players)) + sum(self.bots.values())


def set_up(*, club: Club, user: User | AnonymousUser, plan: SeasonPlan, start: bool = False) -> Season:
    """Create the season of `plan` with its entrants, and start it if `start`.

    Raises `DomainError`, with the field: not_organiser (403), league_not_found (404), bad_name, bad_entrants and what
    `create_season`, `enter_or_invite` and `start_season` raise. Then nothing is written.
    """
    check_may_organise(user, club)
    check_time(plan.starts_at)
    with transaction.atomic():
        season = seasons.create_season(league=league_of(club, plan), **plan.settings())
        _enter_planned(season, plan, user)
        return seasons.start_season(season=season) if start else season


def update_season(*, season: Season, user: User | AnonymousUser, plan: SeasonPlan) -> Season:
    """Change a season that has not started to the settings of `plan`, and enter the plan's players who are not in it.

    Points and tie-breaks stay if the plan has none. Raises `DomainError` as `set_up` does, and season_started (409).
    """
    check_may_organise(user, season.league.club)
    if plan.starts_at != season.starts_at:
        check_time(plan.starts_at)
    counting = {"points": _planned_points(season, plan), "tie_breaks": plan.tie_breaks or season.tie_breaks}
    with transaction.atomic():
        changed = seasons.change_season(season=season, **{**plan.settings(), **counting})
        _enter_planned(changed, plan, user)
    return changed


def _planned_points(season: Season, plan: SeasonPlan) -> Mapping[str, Any] | None:
    """Return the plan's points, or those that somebody chose for the season; None for the default ones."""
    if plan.points is not None or plan.table_size != season.table_size:
        return plan.points
    usual = default_points_of(season.format, season.table_size, season.games_a_match).plain()
    return None if season.points == usual else season.points


def start_as_organiser(*, season: Season, user: User | AnonymousUser) -> Season:
    """Close the entries and start the season. Raises `DomainError`: not_organiser (403) and what `start_season`
    raises."""
    check_may_organise(user, season.league.club)
    return seasons.start_season(season=season)


def other_users_in(season: Season, user: User | AnonymousUser) -> set[int]:
    """Return the users other than `user` who have entered or whose bots have."""
    rows = season.entries.exclude(status=Entrant.Status.OUT)
    whose = rows.annotate(whose=Coalesce("player__user", "player__bot_version__bot__owner"))
    return set(whose.values_list("whose", flat=True)) - {None, user.pk}


def cancel_season(*, season: Season, user: User | AnonymousUser, note: str = "") -> None:
    """Cancel a season in which nothing was played. Other entrants are notified with the reason `note`. Raises
    `DomainError`: note_needed, bad_note (400), not_organiser (403), season_gone (404), season_played (409)."""
    check_may_organise(user, season.league.club)
    with transaction.atomic():
        seasons.check_unplayed(season)
        if others := other_users_in(season, user):
            notes.check_note(note)
            notes.audit_payload(season, user, note)
            sentence, key = season_cancelled(str(season), " ".join(note.split())), f"cancelled:{season.pk}"
            club = reverse("club", args=[season.league.club.slug])
            notices.notify_users(sorted(others), REGISTRATION, key=key, sentences=[sentence], url=club)
        seasons.remove_season(season=season)


def player_of_user(user: User | AnonymousUser) -> Player:
    """Return the player of a user. Raises `DomainError` no_player (409)."""
    player: Player | None = acting.bot_of(user) or getattr(user, "player", None)
    if player is None:
        raise DomainError(409, "no_player", _("Your account has no player. Ask an admin to add one."))
    return player


def enter_as_user(*, season: Season, user: User | AnonymousUser, player: int | None = None) -> Entrant:
    """Enter the user or, with the id of its `player`, a version of one of the user's bots. Return the entry, which may
    be on the waiting list. Raises `DomainError`: no_player (409), not_your_bot (403) and what `enter_season` raises."""
    if player is None:
        entered = player_of_user(user)
    else:
        bot = acting.bot_of(user)
        my_bots = Q(bot_version__bot__owner=user.pk) if bot is None else Q(pk=bot.pk)
        found = Player.objects.filter(my_bots, pk=player).select_related("bot_version__bot")
        first = found.first() if user.pk else None
        if first is None:
            raise DomainError(403, "not_your_bot", _("Only the author of a bot can enter it."), "player")
        entered = first
    if (invitation := invitations.open_invitation(season, entered)) is not None:
        return invitations.accept_invitation(entrant=invitation)
    by_organiser = may_organise(user, season.league.club)
    return entries.enter_season(season=season, player=entered, by_organiser=by_organiser)


def enterable_versions(season: Season, user: User | AnonymousUser) -> list[Player]:
    """Return the versions of a user's bots that could enter, those that play for their bots first."""
    if not user.pk:
        return []
    my_players = Player.objects.filter(
        bot_version__bot__owner=user.pk,
        bot_version__state=BotVersion.State.PASSED,
        bot_version__kinds__contains=[season.kind],
        bot_version__bot__visibility=Bot.Visibility.PUBLIC,
        bot_version__bot__stopped="",
    ).exclude(entries__season=season)
    chosen = my_players.select_related("bot_version__bot").annotate(chosen=Q(bot_version=F("bot_version__bot__plays")))
    return list(chosen.order_by("-chosen", "name", "-bot_version__number")[:MAX_VERSIONS_OFFERED])


def check_may_organise(user: User | AnonymousUser, club: Club) -> None:
    """Raise `DomainError` not_organiser (403) unless the user organises the club, and club_archived (409) if it is
    archived."""
    if not may_organise(user, club):
        sentence = _("Only the organisers of {club} can set up and start its seasons. Ask one of them.").format(
            club=club
        )
        raise DomainError(403, "not_organiser", sentence)
    if club.archived_at:
        raise DomainError(409, "club_archived", _("{club} is archived, so it cannot be changed.").format(club=club))


def check_time(starts_at: datetime | None) -> None:
    """Raise `DomainError` bad_schedule (400) if the first round may not open then; None is now."""
    if starts_at is None:
        return
    if starts_at < clock.now() - START_TIME_GRACE:
        local = clock.now().astimezone(starts_at.tzinfo)
        sentence = _("The first round would open in the past: it is {now} now ({zone}). Choose a later time.").format(
            now=date_format(local, "DATETIME_FORMAT"), zone=local.tzinfo
        )
        raise DomainError(400, "bad_schedule", sentence, "starts_at")
    if starts_at > clock.now() + MAX_TIME_AHEAD:
        sentence = _("The first round would open more than five years from now. Choose an earlier time.")
        raise DomainError(400, "bad_schedule", sentence, "starts_at")


def league_of(club: Club, plan: SeasonPlan) -> League:
    """Return the league that a plan names, created if it is new. Raises `DomainError`: league_not_found (404), bad_name
    (400), name_taken (409)."""
    if plan.league:
        found = League.objects.filter(club=club, slug=plan.league).first()
        if found is None:
            raise DomainError(
                404,
                "league_not_found",
                _("{club} has no league {league!r}.").format(club=club, league=plan.league),
                "league",
            )
        return found
    name = plan.new_league.strip()
    slug = slugify(name)
    if not slug or len(name) > 60:
        sentence = _("A league's name must have 1 to 60 characters and contain a letter or digit.")
        raise DomainError(400, "bad_name", sentence, "new_league")
    Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    if League.objects.filter(club=club, slug=slug).exists():
        sentence = _("{club} already has a league {name}. Choose it, or use another name.").format(club=club, name=name)
        raise DomainError(409, "name_taken", sentence, "new_league")
    return League.objects.create(club=club, name=name, slug=slug)


def _enter_planned(season: Season, plan: SeasonPlan, user: User | AnonymousUser) -> None:
    entered = set(Player.objects.filter(entries__season=season).values_list("pk", flat=True))
    entering = [player for player in planned_players(plan) if player.pk not in entered]
    invitations.enter_or_invite(season=season, players=entering, by=user)


def invitation_notes(season: Season) -> list[str]:
    """Return how many players have not accepted yet, as a sentence in a list; [] if there are none."""
    if not (count := season.entries.filter(status=Entrant.Status.INVITED).count()):
        return []
    words = ngettext(
        "{n} player is not a member of the club. They are invited, and enter when they accept.",
        "{n} players are not members of the club. They are invited, and enter when they accept.",
        count,
    )
    return [words.format(n=count)]


def planned_players(plan: SeasonPlan) -> list[Player]:
    """Return the players who enter with `plan`: the named ones, then the built-in bots. Raises `DomainError`
    bad_entrants (400)."""
    wanted = list(dict.fromkeys(plan.players))
    if plan.entrants > MAX_ENTRANTS:
        raise DomainError(
            400,
            "bad_entrants",
            _("A season can have at most {most_entrants} entrants.").format(most_entrants=MAX_ENTRANTS),
            "players",
        )
    found = Player.objects.filter(from_file=False, is_team=False).select_related("bot_version__bot").in_bulk(wanted)
    for pk in wanted:
        if pk not in found:
            raise DomainError(400, "bad_entrants", _("There is no player with the id {pk}.").format(pk=pk), "players")
    return [found[pk] for pk in wanted] + _built_in_bot_players(plan.bots, plan.kind)


def _built_in_bot_players(counts: Mapping[str, int], kind: str) -> list[Player]:
    for name, count in counts.items():
        if name not in builtin_bots_for(kind):
            sentence = _("The built-in bots for this game are {choices}, not {name!r}.").format(
                choices=", ".join(builtin_bots_for(kind)), name=name
            )
            raise DomainError(400, "bad_entrants", sentence, "bots")
        if not 0 <= count <= MAX_ENTRIES_PER_BOT:
            sentence = _("A built-in bot can enter up to {most_of_a_bot} times, not {count}.").format(
                most_of_a_bot=MAX_ENTRIES_PER_BOT, count=count
            )
            raise DomainError(400, "bad_entrants", sentence, f"bots.{name}")
    return [ensure_builtin_bot(name, number) for name, count in counts.items() for number in range(1, count + 1)]


@dataclass(frozen=True, slots=True)
class SeasonPreview:
    """The size and dates of a season if all entrants stay and every round is played in time.

    `a_round` is the number of tables of each round, in all divisions together; it is empty if nobody can know how much
    will be played. `byes`: how many have a bye in the first round. `opens`: when the rounds open; only the start if
    there is no number of rounds. `division_sizes`: the number of entrants of each division. `why_unplayable`: why so
    few or so many cannot play, as a sentence; "" if they can. `is_off`: whether no round opens on a day. `is_supposed`:
    nobody has entered, and `entrants` is only an example.
    """

    entrants: int
    a_round: tuple[int, ...]
    table_size: int
    byes: int
    games_a_match: int
    opens: tuple[datetime, ...]
    ends: datetime
    division_sizes: tuple[int, ...]
    why_unplayable: str
    is_off: Callable[[date], bool]
    is_supposed: bool = False

    @property
    def rounds(self) -> int:
        return len(self.a_round)

    @property
    def tables(self) -> int:
        """The number of tables in the fullest round."""
        return max(self.a_round, default=0)

    @property
    def even(self) -> bool:
        """Whether every round has the same number of tables."""
        return len(set(self.a_round)) < 2

    @property
    def matches(self) -> int:
        return sum(self.a_round)

    @property
    def games(self) -> int:
        return self.matches * self.games_a_match

    @property
    def games_each(self) -> int:
        """The number of games of an entrant, the highest if not all play equally many."""
        if not self.even:
            return self.rounds * self.games_a_match
        seats = min(self.tables * self.table_size, self.entrants)
        return ceil(self.rounds * self.games_a_match * seats / self.entrants)


def preview(*, club: Club, user: User | AnonymousUser, plan: SeasonPlan) -> SeasonPreview:
    """Preview `plan`; nothing is written. Raises `DomainError`: not_organiser (403), and what is wrong with the
    settings and the time of the first round (400)."""
    check_may_organise(user, club)
    check_time(plan.starts_at)
    parse_settings({name: value for name, value in plan.settings().items() if name not in PLAN_ONLY_FIELDS})
    return compute_preview(plan, plan.entrants, club.zone)


def compute_preview(plan: SeasonPlan, entrants: int, zone: str) -> SeasonPreview:
    """Preview `plan` for that number of entrants (at least a full table) in a club of that time zone. Raises
    `DomainError` bad_format (400) for an unknown format or a table of less than two."""
    if plan.format not in FORMATS or plan.table_size < 2:
        raise DomainError(400, "bad_format", _("First choose a format and the number of seats per table."), "format")
    entrants = max(entrants, plan.table_size)
    options, short = plan.format_options_settled(), plan.short_tables in (SHORT_TABLE_ALLOWED, SHORT_TABLE_BOT)
    sizes = _division_sizes(plan, entrants)
    format = FORMATS[plan.format]
    reasons = [format.why_unplayable(count, plan.table_size, options) for count in sizes]
    counts = [
        [] if reason else format.table_counts(count, plan.table_size, options, short=short)
        for count, reason in zip(sizes, reasons, strict=True)
    ]
    a_round = tuple(sum_by_round(counts))
    starts_at = plan.starts_at or clock.now()
    dates = SeasonCalendar(_planned_calendar(plan), starts_at, zone)
    at_once = plan.entry.get("players") == BOTS_ONLY and dates.calendar.bots == BOTS_AT_ONCE
    opens = (starts_at,) * len(a_round) if at_once else tuple(dates.opens(len(a_round)))
    lasts = timedelta(seconds=plan.duration_seconds)
    return SeasonPreview(
        entrants=entrants,
        a_round=a_round,
        table_size=plan.table_size,
        byes=sum(
            count - min(count, filled_tables(count, plan.table_size, short=short) * plan.table_size) for count in sizes
        ),
        games_a_match=plan.games_a_match or format.usual_games(plan.table_size, options),
        opens=opens or (starts_at,),
        ends=starts_at + lasts if at_once or not a_round else dates.closes_at(len(a_round)),
        division_sizes=sizes,
        why_unplayable=next((sentence for sentence in reasons if sentence), "") or _why_no_challengers(plan),
        is_off=dates.calendar.is_off,
    )


def _why_no_challengers(plan: SeasonPlan) -> str:
    """Return why a ladder of built-in bots alone cannot be played, as a sentence; "" if others enter or may enter."""
    others = plan.players or plan.entry.get("late_rounds") or plan.entry.get("alternates")
    if not FORMATS[plan.format].by_challenge or others or not sum(plan.bots.values()):
        return ""
    return seasons.NOBODY_CHALLENGES.format(season=plan.name or _("the season"))


def _division_sizes(plan: SeasonPlan, entrants: int) -> tuple[int, ...]:
    """Return the number of entrants of each division, if all have the same rating."""
    tiers = [
        DivisionSettings(name=tier.get("name", ""), max_entrants=tier.get("max_entrants"))
        for tier in plan.divisions or [{}]
    ]
    placed = distribute(tiers, dict.fromkeys(range(entrants), 0.0), {})
    return tuple(len(placed[number]) for number in sorted(placed))


def _planned_calendar(plan: SeasonPlan) -> CalendarRule:
    try:
        return parse_calendar(plan.calendar)
    except CalendarError as error:
        raise DomainError(400, "bad_schedule", error.sentence, f"calendar.{error.field}") from error
