"""The secret address of a season's commentators: created, replaced and withdrawn by its organisers."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.models import Game
from tournaments.clubs.locking import check_organiser
from tournaments.commentary.models import CommentaryAddress
from tournaments.seasons.models import MatchGame, Season

SECRET_BYTES: Final = 24


def create_address(*, season: Season, user: User | AnonymousUser) -> str:
    """Create the secret of the season's commentators, which replaces an older one. The secret is returned only here.

    Raises `DomainError` not_organiser (403), no_watch_delay (409).
    """
    by = check_organiser(user, season.league.club)
    if not may_have_commentators(season):
        sentence = _("Commentators see all hands. That needs a spectator delay, and games that are not sealed.")
        raise DomainError(409, "no_watch_delay", sentence)
    made = secrets.token_urlsafe(SECRET_BYTES)
    with transaction.atomic():
        CommentaryAddress.objects.update_or_create(
            season=season, defaults={"digest": digest(made), "created": clock.now(), "by": by}
        )
    return made


def withdraw_address(*, season: Season, user: User | AnonymousUser) -> bool:
    """Withdraw the address; return whether there was one. Raises `DomainError` not_organiser (403)."""
    check_organiser(user, season.league.club)
    return bool(CommentaryAddress.objects.filter(season=season).delete()[0])


def find_address(season: Season) -> CommentaryAddress | None:
    """Return the row of the season's address, or None."""
    return CommentaryAddress.objects.select_related("by").filter(season=season).first()


def may_have_commentators(season: Season) -> bool:
    """Return whether games of the season can have commentators while they are played."""
    return bool(season.terms.get("watch_delay")) and not season.terms.get("sealed")


def season_of(secret: str) -> Season:
    """Return the season of a secret. Raises `DomainError` no_commentary (404)."""
    found = CommentaryAddress.objects.select_related("season__league__club").filter(digest=digest(secret)).first()
    if found is None:
        raise DomainError(
            404, "no_commentary", _("This address is not valid any more. Ask the organisers for another.")
        )
    return found.season


def running_games(season: Season) -> QuerySet[Game]:
    """Return the games of the season that are not recorded yet, in the order of their matches."""
    wanted = MatchGame.objects.filter(match__round__division__season=season, recorded_at=None)
    rows = Game.objects.filter(pk__in=wanted.values("game")).select_related("match_game__match__round")
    return rows.prefetch_related("seats__player__bot_version").order_by("match_game__match", "pk")


def opens(game: Game, secret: str) -> bool:
    """Return whether this secret opens the game to commentators (`games.visibility.commentary`)."""
    games = MatchGame.objects.filter(
        game=game.pk, match__round__division__season__commentary_address__digest=digest(secret)
    )
    return games.exists()


def digest(secret: str) -> bytes:
    """Return what is stored of a secret."""
    return hashlib.sha256(secret.encode(errors="replace")).digest()
