"""Opening a season, joining it, starting it. What it is goes into its stream; the rows are for lists and pages."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import QuerySet
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import clock, log, seating
from games.engines.base import Event, OptionError
from games.kinds import UnknownKind, rules_for
from games.models import Bot, Player, Stream
from games.paces import paces_of
from games.terms import LEAGUE_TERMS, LIVE, Terms, terms_of
from tournaments import events as ev
from tournaments.errors import LeagueError
from tournaments.formats import FORMATS
from tournaments.formats.round_robin import LARGEST_TABLE
from tournaments.models import Division, Entrant, League, Round, Season
from tournaments.standings import DEFAULT_TIE_BREAKS, TIE_BREAKS, default_points, points_of

LONGEST_ROUND = 366 * 24 * 60 * 60
MOST_GAMES = 60
CHECK_IN_MINUTES = 30  # before a live game, where the season says nothing else
BOTS_ARE_OUT = gettext_lazy("Bots are not rated live: they enter seasons in beats, or unrated.")
GUESTS_ARE_OUT = gettext_lazy("Guests are not rated: sign up to enter this season. What was played so far is kept.")
PARTS_OF_THE_YEAR = ("Winter", "Spring", "Summer", "Autumn")  # December, March, June and September begin them


def create_season(
    *,
    league: League,
    name: str,
    kind: str,
    format: str = "double_round_robin",
    table_size: int = 2,
    games_a_match: int | None = None,
    options: Mapping[str, Any] | None = None,
    terms: Mapping[str, Any] | None = None,
    points: Mapping[str, Any] | None = None,
    tie_breaks: Sequence[str] = DEFAULT_TIE_BREAKS,
    starts_at: datetime | None = None,
    round_seconds: int = 86400,
    repeats: bool = False,
) -> Season:
    """A season that entrants may join. What is not given has its default: a game for each seat in every match, say.

    Raises `LeagueError`: unknown_kind, bad_option, bad_format, bad_points, bad_tie_break, bad_schedule (400) or
    name_taken (409).
    """
    settings = checked_settings(
        kind=kind,
        format=format,
        table_size=table_size,
        games_a_match=games_a_match,
        options=options,
        terms=terms,
        points=points,
        tie_breaks=tie_breaks,
        round_seconds=round_seconds,
    )
    now = clock.now()
    with transaction.atomic():
        slug = _free_slug(league, name)
        season = Season.objects.create(
            league=league,
            name=name,
            slug=slug,
            stream=log.create(subject=Stream.Subject.SEASON, at=now),
            starts_at=starts_at or now,
            repeats=repeats,
            **_kept(settings),
        )
        Division.objects.create(season=season, name=name)
        write(season.stream, [ev.created(settings)], now)
    return season


def change_season(*, season: Season, name: str, starts_at: datetime | None, repeats: bool, **settings: Any) -> Season:
    """Another name, calendar and settings (those of `create_season`, complete) for a season that has not started.

    Raises `LeagueError` as `create_season` does, and season_started, bot_in_live_season,
    guest_in_rated_season (409).
    """
    checked = checked_settings(**settings)
    now = clock.now()
    with transaction.atomic():
        held = Season.objects.select_for_update(no_key=True).select_related("league").get(pk=season.pk)
        if held.status != Season.Status.OPEN:
            raise LeagueError(
                409, "season_started", _("{held} has started; what it is stays as it is.").format(held=held)
            )
        bots = Player.objects.filter(entries__division__season=held, bot_version__isnull=False)
        if _bots_are_out(checked["terms"]) and bots.exists():
            raise LeagueError(409, "bot_in_live_season", str(BOTS_ARE_OUT), "terms.pace")
        if any(seating.stays_away(bot, checked["terms"]) for bot in bots.select_related("bot_version")):
            raise LeagueError(409, "bot_needs_a_clock", str(seating.NEEDS_A_CLOCK), "terms.move_seconds")
        if checked["terms"]["rated"] and guests().filter(entries__division__season=held).exists():
            raise LeagueError(409, "guest_in_rated_season", str(GUESTS_ARE_OUT), "terms.rated")
        changes = _kept(checked) | {"name": name, "slug": _free_slug(held.league, name, held), "repeats": repeats}
        for field, value in changes.items():
            setattr(held, field, value)
        held.starts_at = starts_at or held.starts_at
        held.save()
        held.divisions.update(name=name)
        write(held.stream, [ev.changed(checked)], now)
    return held


def remove_season(*, season: Season) -> None:
    """Give up a season of which nothing was paired. Its stream stays, and ends by saying so.

    Raises `LeagueError` season_played (409).
    """
    with transaction.atomic():
        held = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
        if Round.objects.filter(division__season=held).exists():
            raise LeagueError(
                409, "season_played", _("{held} is being played, and what was played is kept.").format(held=held)
            )
        write(held.stream, [ev.removed()], clock.now())
        held.delete()


def join(*, season: Season, player: Player) -> Entrant:
    """Enter `player`. Raises `LeagueError` 409: season_started, already_joined, bot_in_live_season,
    bot_needs_a_clock, guest_in_rated_season.
    """
    now = clock.now()
    with transaction.atomic():
        held = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
        if held.status != Season.Status.OPEN:
            raise LeagueError(409, "season_started", _("{held} has started; entries are closed.").format(held=held))
        division = held.divisions.get(number=1)
        if division.entrants.filter(player=player).exists():
            raise LeagueError(
                409, "already_joined", _("{player} is in {held} already.").format(player=player, held=held), "entrants"
            )
        if player.is_bot and _bots_are_out(held.terms):
            raise LeagueError(409, "bot_in_live_season", str(BOTS_ARE_OUT), "entrants")
        if seating.stays_away(player, held.terms):
            raise LeagueError(409, "bot_needs_a_clock", str(seating.NEEDS_A_CLOCK), "entrants")
        _check_upload(held, player)
        if held.terms["rated"] and guests().filter(pk=player.pk).exists():
            raise LeagueError(409, "guest_in_rated_season", str(GUESTS_ARE_OUT), "entrants")
        number = division.entrants.count() + 1
        entrant = Entrant.objects.create(division=division, player=player, number=number, joined_at=now)
        write(held.stream, [ev.joined(division.number, number, player.pk)], now)
    return entrant


def _check_upload(season: Season, player: Player) -> None:
    """Raise `LeagueError` where `player` is an uploaded bot that cannot play the games of the season: bot_not_passed,
    bot_wrong_kind, bot_cannot_race, bot_private (409)."""
    version = player.bot_version
    if version is None or not version.is_upload:
        return
    if not version.may_play:
        sentence = _("{version} does not play: it is {state}.")
        told = sentence.format(version=version, state=version.get_state_display())
        raise LeagueError(409, "bot_not_passed", told, "entrants")
    if season.kind not in version.kinds:
        raise LeagueError(
            409, "bot_wrong_kind", _("{version} does not play this kind of game.").format(version=version), "entrants"
        )
    if season.terms.get("pace") == LIVE:
        raise LeagueError(409, "bot_cannot_race", _("An uploaded bot does not race: choose beats."), "terms.pace")
    if version.bot.visibility == Bot.Visibility.PRIVATE:
        sentence = _("{bot} is private. Let everybody see its page before it enters a season.")
        raise LeagueError(409, "bot_private", sentence.format(bot=version.bot), "entrants")


def guests() -> QuerySet[Player]:
    """Those who play without an account."""
    return Player.objects.filter(user__profile__guest=True)


def start(*, season: Season, seed: str | None = None) -> Season:
    """Close the entries and draw the season's chance, unless the `seed` (64 hex digits) is given.

    From now on the director opens rounds. Raises `LeagueError`: season_started, too_few_entrants (409).
    """
    with transaction.atomic():
        held = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
        if held.status != Season.Status.OPEN:
            raise LeagueError(409, "season_started", _("{held} has started already.").format(held=held))
        players = list(Player.objects.filter(entries__division__season=held))
        if len(players) < held.table_size:
            raise LeagueError(
                409,
                "too_few_entrants",
                _("{held} needs {table_size} entrants at least and has {value}.").format(
                    held=held, table_size=held.table_size, value=len(players)
                ),
                "entrants",
            )
        held.pool = pool_of(players)
        held.status = Season.Status.RUNNING
        held.save(update_fields=["pool", "status"])
        write(held.stream, [ev.started(seed or secrets.token_hex(32), held.pool)], clock.now())
    return held


def repeat(*, season: Season) -> Season | None:
    """Open and start the next season after a finished one that `repeats`; None if that is not so or done already."""
    with transaction.atomic():
        held = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
        if held.status != Season.Status.FINISHED or not held.repeats or held.successor_id:
            return None
        successor = create_season(
            league=held.league,
            name=current_name(held.league),
            kind=held.kind,
            format=held.format,
            table_size=held.table_size,
            games_a_match=held.games_a_match,
            options=held.options,
            terms=held.terms,
            points=held.points,
            tie_breaks=held.tie_breaks,
            round_seconds=held.round_seconds,
            repeats=True,
        )
        held.successor = successor
        held.save(update_fields=["successor"])
        for entrant in Entrant.objects.filter(division__season=held).select_related("player").order_by("number"):
            join(season=successor, player=entrant.player)
        return start(season=successor)


def current_name(league: League) -> str:
    """The part of the year in the club's zone, as "Autumn 2026"; counted on if the league has had one of that name."""
    name = part_of_the_year(league.club.zone)
    taken = set(league.seasons.filter(name__startswith=name).values_list("name", flat=True))
    return name if name not in taken else f"{name}, no. {_first_free(name, taken)}"


def part_of_the_year(zone: str) -> str:
    """The part of the year that it is there now, as "Autumn 2026"."""
    local = clock.now().astimezone(ZoneInfo(zone))
    year = local.year + (local.month == 12)  # December begins the winter that most of next year's months belong to
    return f"{PARTS_OF_THE_YEAR[local.month % 12 // 3]} {year}"


def _first_free(name: str, taken: set[str]) -> int:
    return next(number for number in count(len(taken) + 1) if f"{name}, no. {number}" not in taken)


def pool_of(players: Sequence[Player]) -> str:
    """Which rating pool a season of these players counts in."""
    bots = sum(player.is_bot for player in players)
    return "bots" if bots == len(players) else "mixed" if bots else "people"


def write(stream: Stream, events: Sequence[Event], at: datetime) -> int:
    """Append `events`, which happened at `at`, behind whatever the stream holds; returns the version after them."""
    ms = max(0, int((at - stream.created).total_seconds() * 1000))
    version = log.append(stream.pk, events, expected=None, times=[ms] * len(events), at=at)
    assert version is not None, "An append behind whatever is there is never stale."
    return version


def checked_settings(
    *,
    kind: str,
    format: str,
    table_size: int,
    games_a_match: int | None,
    options: Mapping[str, Any] | None,
    terms: Mapping[str, Any] | None,
    points: Mapping[str, Any] | None,
    tie_breaks: Sequence[str],
    round_seconds: int,
) -> dict[str, Any]:
    """All that pairing and counting depend on, complete, as a season's stream holds it. Raises `LeagueError`."""
    games = table_size if games_a_match is None else games_a_match
    if not 1 <= round_seconds <= LONGEST_ROUND:
        sentence = _("A round lasts 1 to {longest_round} seconds, not {round_seconds}.").format(
            longest_round=LONGEST_ROUND, round_seconds=round_seconds
        )
        raise LeagueError(400, "bad_schedule", sentence, "round_seconds")
    return {
        "kind": kind,
        **_checked_play(kind, table_size, options or {}, terms or {}),
        **_checked_format(format, table_size, games),
        **_checked_counting(points, tie_breaks, table_size, games),
        "round_seconds": round_seconds,
    }


def _kept(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the settings that are columns of the season's row."""
    return {name: value for name, value in settings.items() if name != "rules_version"}


def _free_slug(league: League, name: str, season: Season | None = None) -> str:
    """The address for a season of that name, which no other of the league has; the league is locked for it."""
    slug = slugify(name)
    if not slug or len(name) > 60:
        sentence = _("A season's name has 1 to 60 characters, a letter or digit among them.")
        raise LeagueError(400, "bad_name", sentence, "name")
    League.objects.select_for_update(no_key=True).get(pk=league.pk)
    others = league.seasons.exclude(pk=season.pk) if season else league.seasons.all()
    if others.filter(slug=slug).exists():
        sentence = _("{name} has a season {name2} already. Choose another name.").format(name=league.name, name2=name)
        raise LeagueError(409, "name_taken", sentence, "name")
    return slug


def _bots_are_out(terms: Mapping[str, Any]) -> bool:
    return terms.get("pace") == LIVE and bool(terms["rated"])


def _checked_play(kind: str, table_size: int, options: Mapping[str, Any], terms: Mapping[str, Any]) -> dict[str, Any]:
    try:
        rules = rules_for(kind)
    except UnknownKind as error:
        raise LeagueError(400, "unknown_kind", str(error), "kind") from error
    try:
        resolved = rules.resolve(table_size, options)
    except OptionError as error:
        field = "table_size" if error.option == "seats" else f"options.{error.option}"
        raise LeagueError(400, error.code, error.sentence, field) from error
    try:
        agreed = _with_check_in(terms_of({**LEAGUE_TERMS, **terms}, paces_of(rules))).plain()
    except OptionError as error:
        raise LeagueError(400, error.code, error.sentence, f"terms.{error.option}") from error
    return {"rules_version": rules.spec.rules_version, "options": resolved, "terms": agreed}


def _with_check_in(terms: Terms) -> Terms:
    """The terms with the usual time to check in, where nothing was said of it and games are live."""
    usual = CHECK_IN_MINUTES if terms.live_clock else None
    return replace(terms, check_in_minutes=usual) if terms.check_in_minutes is None else terms


def _checked_format(format: str, table_size: int, games_a_match: int) -> dict[str, Any]:
    if format not in FORMATS:
        sentence = _("The format is one of {choices}, not {format!r}.").format(
            choices=", ".join(FORMATS), format=format
        )
        raise LeagueError(400, "bad_format", sentence, "format")
    if not 2 <= table_size <= LARGEST_TABLE:
        sentence = _("A table has 2 to {largest_table} entrants, not {table_size}.").format(
            largest_table=LARGEST_TABLE, table_size=table_size
        )
        raise LeagueError(400, "bad_format", sentence, "table_size")
    if not 1 <= games_a_match <= MOST_GAMES:
        sentence = _("A match has 1 to {most_games} games, not {games_a_match}.").format(
            most_games=MOST_GAMES, games_a_match=games_a_match
        )
        raise LeagueError(400, "bad_format", sentence, "games_a_match")
    return {"format": format, "table_size": table_size, "games_a_match": games_a_match}


def _checked_counting(
    points: Mapping[str, Any] | None, tie_breaks: Sequence[str], table_size: int, games_a_match: int
) -> dict[str, Any]:
    for name in tie_breaks:
        if name not in TIE_BREAKS:
            sentence = _("A tie-break is one of {choices}, not {name!r}.").format(
                choices=", ".join(TIE_BREAKS), name=name
            )
            raise LeagueError(400, "bad_tie_break", sentence, "tie_breaks")
    if len(set(tie_breaks)) < len(tie_breaks):
        sentence = _("A tie-break is asked once only; one stands in the list twice.")
        raise LeagueError(400, "bad_tie_break", sentence, "tie_breaks")
    try:
        system = points_of(points) if points is not None else default_points(table_size, games_a_match)
    except ValueError as error:
        raise LeagueError(400, "bad_points", str(error), "points") from error
    return {"points": system.plain(), "tie_breaks": list(tie_breaks)}
