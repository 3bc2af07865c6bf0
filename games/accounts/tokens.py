"""Access tokens: created and revoked by their owner, and read with every request of a program.

A token is ``sb_`` and 8 + 40 letters and digits. The first 8 are its public prefix, by which it is found and listed.
The rest has 238 random bits, so a fast hash is enough to store it; slow hashes are for passwords.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from games.accounts import access, scopes
from games.accounts.models import AccessToken, Profile, Sanction
from games.common import clock
from games.common.errors import DomainError
from games.common.policy import ViewFunction
from games.models import Bot, BotVersion, Player
from games.visibility import acting

MAX_VALID_TOKENS: Final = 30  # valid tokens of one account
# an expired or revoked token is kept this long, so that its program is told why
TOKEN_RETENTION: Final = timedelta(days=30)
USE_RECORDED_EVERY: Final = timedelta(minutes=1)
TOKEN_ALPHABET: Final = string.ascii_letters + string.digits
TOKEN_PATTERN: Final = re.compile(r"sb_([0-9A-Za-z]{8})[0-9A-Za-z]{40}")


def create_token(
    *, user: User, name: str, wanted: Sequence[str], bot: Bot | None = None, expires_at: datetime | None = None
) -> tuple[AccessToken, str]:
    """Create a token of `user` and return it with its secret, which cannot be read later.

    Raises `DomainError`: bad_token_name, bad_scopes, bad_expiry (400), guest, not_your_bot (403), too_many_tokens
    (409).
    """
    name, at = " ".join(name.split()), clock.now()
    if not name or len(name) > 60 or not name.isprintable():
        raise DomainError(400, "bad_token_name", _("Give the token a name, of 1 to 60 characters."))
    _check_scopes(wanted, bot)
    if expires_at is not None and expires_at <= at:
        raise DomainError(
            400, "bad_expiry", _("The expiry time has already passed. Choose a time in the future, or none.")
        )
    if Profile.objects.filter(user=user, guest=True).exists():
        raise DomainError(403, "guest", _("Guests cannot have tokens. Sign up first; you keep your games."))
    if bot is not None and (bot.owner_id != user.pk or not bot.versions.filter(transport="remote").exists()):
        raise DomainError(403, "not_your_bot", _("A token can play only as one of your own remote bots."))
    secret = f"sb_{_random_text(8)}{_random_text(40)}"
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if valid_tokens(AccessToken.objects.filter(user=user)).count() >= MAX_VALID_TOKENS:
            raise DomainError(
                409, "too_many_tokens", _("You already have {n} tokens. Revoke one first.").format(n=MAX_VALID_TOKENS)
            )
        token = AccessToken.objects.create(
            user=user,
            bot=bot,
            name=name,
            scopes=[scope for scope in scopes.SCOPES if scope in wanted],
            prefix=secret[3:11],
            digest=_digest(secret),
            created=at,
            expires_at=expires_at,
        )
    return token, secret


def _random_text(length: int) -> str:
    return "".join(secrets.choice(TOKEN_ALPHABET) for _each in range(length))


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _check_scopes(wanted: Collection[str], bot: Bot | None) -> None:
    known = list(scopes.SCOPES) if bot is None else list(scopes.REMOTE_BOT_SCOPES)
    unknown = sorted(set(wanted) - set(known))
    if unknown or not wanted:
        sentence = _("Choose at least one scope of {known}.").format(known=", ".join(known))
        raise DomainError(400, "bad_scopes", sentence, scopes=known)


def valid_tokens(tokens: QuerySet[AccessToken]) -> QuerySet[AccessToken]:
    """Return those tokens that are valid now."""
    return tokens.filter(Q(expires_at=None) | Q(expires_at__gt=clock.now()), revoked_at=None)


def tokens_of(user: Any) -> QuerySet[AccessToken]:
    """Return the tokens of `user`, the newest first, with those that ended lately."""
    return AccessToken.objects.filter(user=user.pk).select_related("bot")


def revoke(token: AccessToken) -> bool:
    """Revoke `token` at once; return whether it was valid until now. Its streams end within seconds."""
    done = AccessToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=clock.now())
    if done:
        access.announce_revoked(access.key_of_token(token.pk))
    return done > 0


def on_banned(sender: type[User], user: User, **_signal: Any) -> None:  # noqa: ARG001
    """End every login and token of a banned user."""
    access.end_all(user.pk)
    for token in AccessToken.objects.filter(user=user, revoked_at=None):
        revoke(token)


def delete_old_tokens() -> int:
    """Delete tokens that ended a while ago; return how many."""
    before = clock.now() - TOKEN_RETENTION
    return AccessToken.objects.filter(Q(revoked_at__lt=before) | Q(expires_at__lt=before)).delete()[0]


# -- reading


def find_token(text: str) -> AccessToken:
    """Return the token with this prefix or whole secret, as found in a log. Raises AccessToken.DoesNotExist."""
    form = TOKEN_PATTERN.search(text)
    return AccessToken.objects.select_related("user", "bot").get(prefix=form[1] if form else text.removeprefix("sb_"))


def secret_in(header: str) -> str | None:
    """Return what follows ``Bearer`` in an Authorization header; None for other headers."""
    scheme, _space, secret = header.strip().partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


def user_for(secret: str, view: ViewFunction | None, method: str) -> tuple[User, AccessToken]:
    """Return the user of this token for this view; it plays as the token's bot. Records the use.

    Raises `DomainError`: bad_token, token_expired, token_revoked (401), banned, bad_scope (with the `scope`),
    not_for_bots and not_for_tokens (403).
    """
    token = _found(secret)
    _check_may(token, view, method)
    if token.bot is not None:
        acting.act_as(token.user, newest_player(token.bot))
    _note_use(token)
    return token.user, token


def _found(secret: str) -> AccessToken:
    """Return the token of this secret. Only the whole secret shows that a token has ended."""
    if not secret:
        raise DomainError(
            401, "bad_token", _("The header Authorization has no token after “Bearer”. Send your token there.")
        )
    form = TOKEN_PATTERN.fullmatch(secret)
    query = AccessToken.objects.select_related("user", "bot")
    token = query.filter(prefix=form[1]).first() if form else None
    secret_matches = token is not None and hmac.compare_digest(bytes(token.digest), _digest(secret))
    if token is not None and secret_matches and not token.user.is_active and _is_banned(token.user):
        raise DomainError(403, "banned", _("This account is banned. Log in with a browser to read why."))
    if token is None or not secret_matches or not token.user.is_active:
        raise DomainError(
            401,
            "bad_token",
            _("This token is unknown. Send all of its characters, or create a new one on the page “Access tokens”."),
        )
    if token.revoked_at is not None:
        raise DomainError(401, "token_revoked", _("The token has been revoked. Create a new one."))
    if token.expires_at is not None and token.expires_at <= clock.now():
        raise DomainError(401, "token_expired", _("The token has expired. Create a new one."))
    if token.bot is not None and token.bot.owner_id != token.user_id:
        raise DomainError(401, "token_revoked", _("The bot has a new owner. Use a token of the new owner."))
    return token


def _is_banned(user: User) -> bool:
    return Sanction.objects.filter(user=user, kind=Sanction.Kind.BAN, ended_at=None).exists()


def _check_may(token: AccessToken, view: ViewFunction | None, method: str) -> None:
    scope = scopes.required_scope(view, method)
    if scope is None:
        raise DomainError(403, "not_for_tokens", _("Tokens are not accepted here. Log in with a browser."))
    if token.bot is not None and not scopes.is_allowed_for_bots(view, method):
        if scopes.is_people_only(view, method):
            sentence = _(
                "A remote bot cannot join a table in the lobby or a rematch. Open a game for it by POST "
                "remote-bots/<id>/games/, or let it enter a season."
            )
            raise DomainError(403, "not_for_bots", sentence)
        raise DomainError(403, "not_for_bots", _("A remote bot may not do this. Its owner can, with their own token."))
    if scope not in token.scopes:
        raise DomainError(
            403, "bad_scope", _('This needs a token with the scope "{scope}".').format(scope=scope), scope=scope
        )


def newest_player(bot: Bot) -> Player:
    """Return the newest version of a remote bot, as a player."""
    versions = Player.objects.select_related("bot_version__bot").filter(bot_version__bot=bot)
    versions = versions.filter(bot_version__transport=BotVersion.Transport.REMOTE)
    return versions.order_by("-bot_version__number")[0]


def _note_use(token: AccessToken) -> None:
    now = clock.now()
    if token.used_at is None or token.used_at <= now - USE_RECORDED_EVERY:
        AccessToken.objects.filter(pk=token.pk).update(used_at=now)


def www_authenticate_value(error: Mapping[str, Any]) -> str | None:
    """Return the WWW-Authenticate header for an error about a token, in the API's shape (RFC 6750); None for others."""
    if error["status"] == 401:
        return 'Bearer realm="scorebook", error="invalid_token"'
    if error["code"] == "bad_scope":
        return f'Bearer realm="scorebook", error="insufficient_scope", scope="{error["scope"]}"'
    return None


def still_valid(token_ids: Collection[int]) -> set[int]:
    """Return those of the tokens that are still valid, and record their use."""
    now = clock.now()
    tokens = valid_tokens(AccessToken.objects.filter(pk__in=token_ids, user__is_active=True))
    tokens = tokens.filter(Q(bot=None) | Q(bot__owner=F("user")))
    tokens.filter(Q(used_at=None) | Q(used_at__lte=now - USE_RECORDED_EVERY)).update(used_at=now)
    return set(tokens.values_list("pk", flat=True))
