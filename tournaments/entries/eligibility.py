"""Who may enter a season, by its games, terms and rating bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.errors import DomainError
from games.models import Bot, Player
from games.play import seating
from scorebook_games.gamelog.terms import LIVE
from tournaments.ratings.elo import START_RATING
from tournaments.ratings.models import Rating
from tournaments.seasons.models import GOING_ON, Entrant, Season, TeamMember
from tournaments.seasons.settings import BOTS_ONLY, PEOPLE_ONLY, RATING_BOUNDS

BOTS_ARE_OUT = gettext_lazy(
    "Bots cannot play rated live games. They can enter seasons with secret moves (beats), or unrated ones."
)
GUESTS_ARE_OUT = gettext_lazy("Guests cannot enter rated seasons. Sign up first; you keep your games.")


def guests() -> QuerySet[Player]:
    """Return the players without an account."""
    return Player.objects.filter(user__profile__guest=True)


def check_players(season: Season, players: Sequence[Player]) -> None:
    """Raise `DomainError` (409) unless the season's games could be opened for all `players`.

    The codes are bot_in_live_season, bot_needs_a_clock, own_bot_in_rated_season, guest_in_rated_season, bot_not_passed,
    bot_wrong_kind, bot_cannot_race and bot_private.
    """
    for player in players:
        if player.is_bot and _excludes_bots(season.terms):
            raise DomainError(409, "bot_in_live_season", str(BOTS_ARE_OUT), "entrants")
        if seating.needs_clock_for(player, season.terms):
            raise DomainError(409, "bot_needs_a_clock", str(seating.NEEDS_A_CLOCK), "entrants")
        _check_upload(season, player)
    _check_own_bots(season.terms, [*_entered_players(season).select_related("bot_version"), *players], "entrants")
    if season.terms["rated"] and guests().filter(pk__in=[player.pk for player in players]).exists():
        raise DomainError(409, "guest_in_rated_season", str(GUESTS_ARE_OUT), "entrants")


def rating_pool_name(players: Sequence[Player]) -> str:
    """Return the name of the rating pool in which a season of these players counts."""
    bots = sum(player.is_bot for player in players)
    return "bots" if bots == len(players) else "mixed" if bots else "people"


def ratings_of(season: Season, players: Sequence[Player]) -> dict[int, float]:
    """Return player → Elo in the season's kind: from the pool of people or bots, else from the mixed pool, else
    `START_RATING`."""
    rows = Rating.objects.filter(player__in=players, pool__kind=season.kind).select_related("pool")
    found = {(row.player_id, row.pool.pool): row.rating for row in rows}
    return {
        player.pk: found.get((player.pk, rating_pool_name([player])), found.get((player.pk, "mixed"), START_RATING))
        for player in players
    }


def check_bounds(season: Season, player: Player, *, by_organiser: bool) -> None:
    """Raise `DomainError` (409) if the season is not for `player`: people_only, bots_only, no_agents, rating_too_low,
    rating_too_high.

    The bounds of ratings do not apply to players whom an organiser enters (`by_organiser`).
    """
    entry = season.rules().entry
    if entry.players == PEOPLE_ONLY and player.is_bot:
        raise DomainError(409, "people_only", _("Only people can enter {season}.").format(season=season), "entrants")
    if entry.players == BOTS_ONLY and not player.is_bot:
        raise DomainError(409, "bots_only", _("Only bots can enter {season}.").format(season=season), "entrants")
    if entry.no_agents and player.bot_version is not None and player.bot_version.is_agent:
        sentence = _("Bots whose moves a language model chooses cannot enter {season}.")
        raise DomainError(409, "no_agents", sentence.format(season=season), "entrants")
    if by_organiser or (entry.rating_min is None and entry.rating_max is None):
        return
    rating = round(ratings_of(season, [player])[player.pk])
    sentence = _("{season} is for ratings from {low} to {high}, and yours is {rating}. Ask an organiser to enter you.")
    low, high = entry.rating_min or 0, entry.rating_max if entry.rating_max is not None else RATING_BOUNDS[1]
    text = sentence.format(season=season, low=low, high=high, rating=rating)
    if rating < low:
        raise DomainError(409, "rating_too_low", text, "entrants")
    if rating > high:
        raise DomainError(409, "rating_too_high", text, "entrants")


def check_terms_for_entered(season: Season, terms: Mapping[str, Any]) -> None:
    """Raise `DomainError` (409) unless all present entrants could stay under other `terms`.

    The codes are bot_in_live_season, bot_needs_a_clock, own_bot_in_rated_season and guest_in_rated_season.
    """
    entered = _entered_players(season)
    bots = entered.filter(bot_version__isnull=False)
    if _excludes_bots(terms) and bots.exists():
        raise DomainError(409, "bot_in_live_season", str(BOTS_ARE_OUT), "terms.pace")
    if any(seating.needs_clock_for(bot, terms) for bot in bots.select_related("bot_version")):
        raise DomainError(409, "bot_needs_a_clock", str(seating.NEEDS_A_CLOCK), "terms.move_seconds")
    _check_own_bots(terms, list(entered.select_related("bot_version")), "terms.rated")
    if terms["rated"] and guests().filter(pk__in=entered).exists():
        raise DomainError(409, "guest_in_rated_season", str(GUESTS_ARE_OUT), "terms.rated")


def _entered_players(season: Season) -> QuerySet[Player]:
    """Return the players who have entered and not left, and those of teams."""
    entered = season.entries.exclude(status=Entrant.Status.OUT)
    players = Q(pk__in=entered.values("player"))
    if season.competition.by_teams:
        there = TeamMember.objects.filter(entrant__in=entered, order__isnull=False)
        players = Q(pk__in=there.values("player"))
    return Player.objects.filter(players)


def _check_own_bots(terms: Mapping[str, Any], players: Sequence[Player], field: str) -> None:
    """Raise `DomainError` own_bot_in_rated_season (409) if a bot would meet its owner in rated games."""
    if terms["rated"] and (pairs := seating.with_own_bots(players)):
        owner, bot = pairs[0]
        sentence = _("{bot} is a bot of {owner}. Only one of them can enter a rated season.")
        raise DomainError(409, "own_bot_in_rated_season", sentence.format(bot=bot.name, owner=owner.name), field)


def _excludes_bots(terms: Mapping[str, Any]) -> bool:
    return terms.get("pace") == LIVE and bool(terms["rated"])


def _check_upload(season: Season, player: Player) -> None:
    """Raise `DomainError` (409) if `player` is an uploaded or remote bot that cannot play the season's games:
    bot_not_passed, bot_wrong_kind, bot_cannot_race, bot_private."""
    version = player.bot_version
    if version is None or version.is_built_in or (version.is_remote and version.may_play):
        return
    if not version.may_play:
        sentence = _("{version} cannot play: it is {state}.")
        text = sentence.format(version=version, state=version.standing)
        raise DomainError(409, "bot_not_passed", text, "entrants")
    if season.kind not in version.kinds:
        raise DomainError(
            409, "bot_wrong_kind", _("{version} does not play this game.").format(version=version), "entrants"
        )
    if season.terms.get("pace") == LIVE:
        raise DomainError(
            409,
            "bot_cannot_race",
            _("Uploaded bots cannot play live races. Choose secret moves (beats)."),
            "terms.pace",
        )
    if version.bot.visibility == Bot.Visibility.PRIVATE:
        sentence = _("{bot} is private. Make it public before it enters a season.")
        raise DomainError(409, "bot_private", sentence.format(bot=version.bot), "entrants")


def other_live_season(entrant: Entrant) -> Season | None:
    """Return another season with live games in which the person of this entrant plays, if this season has some too:
    two of their games may begin at the same time."""
    if entrant.player.is_bot or not entrant.season.terms.get("check_in_minutes"):
        return None
    going = Season.objects.filter(status__in=(Season.Status.OPEN, *GOING_ON), settings__terms__check_in_minutes__gt=0)
    players_seasons = going.filter(entries__player=entrant.player_id, entries__status=Entrant.Status.IN)
    return players_seasons.exclude(pk=entrant.season_id).select_related("league").order_by("pk").first()
