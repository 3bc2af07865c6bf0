"""What the head of every page needs to know about its reader."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.http import HttpRequest
from django.utils.translation import get_language

from games.accounts.languages import offered_languages
from games.accounts.staff import is_admin


def other_languages() -> dict[str, str]:
    """Return the languages in which the page could be read too, each named in itself."""
    return {code: name for code, name in offered_languages().items() if code != get_language()}


@dataclass(frozen=True, slots=True)
class Reader:
    """What a page's head shows of its signed-in reader: their player, how many notices are `unseen`, and what other
    packages have registered."""

    pk: int | None
    name: str
    guest: bool
    warned: bool
    unseen: int
    registered: tuple[Any, ...] = ()

    def fact(self, name: str) -> Any:
        """Return what a package has registered under this name."""
        return self.registered[list(_registered).index(name)]


# Asked by each page of a signed-in reader, so it is SQL: Django would take longer to write it.
_OF_ACCOUNT: Final = """
    player.id, coalesce(player.name, ''), coalesce(profile.guest, false),
    EXISTS (
        SELECT FROM accounts_sanction
        WHERE user_id = account.id AND kind = 'warning' AND seen_at IS NULL
    ),
    (SELECT count(*) FROM accounts_notice WHERE user_id = account.id AND seen_at IS NULL)
"""
OF_ACCOUNT_FROM: Final = """
    LEFT JOIN games_player player ON player.user_id = account.id
    LEFT JOIN accounts_profile profile ON profile.user_id = account.id
"""
_registered: dict[str, str] = {}


def register_reader_column(name: str, expression: str) -> None:
    """Let the head of a page know of its reader what this SQL gives for the row `account` of their user."""
    _registered[name] = expression


def of_account() -> str:
    """Return the columns of a `Reader`, for a statement in which `account` is the row of a user."""
    return ", ".join([_OF_ACCOUNT, *_registered.values()])


def reader_from(row: Sequence[Any]) -> Reader:
    """Return the reader with these columns."""
    pk, name, guest, warned, unseen, *registered = row
    return Reader(pk, name, guest, warned, unseen, tuple(registered))


def reader_of(request: HttpRequest) -> Reader | None:
    """Return the signed-in reader of this request; None if nobody is. One query, at the first call."""
    user = getattr(request, "user", None)
    if user is None or user.pk is None:
        return None
    known: tuple[int, Reader] | None = getattr(request, "_reader", None)
    if known is None or known[0] != user.pk:
        known = (user.pk, read_reader(user.pk))
        request._reader = known  # type: ignore[attr-defined]
    return known[1]


def read_reader(user: int) -> Reader:
    """Return what is known of this user now. One query."""
    with connection.cursor() as cursor:
        statement = f"SELECT {of_account()} FROM (SELECT %(user)s::bigint AS id) account {OF_ACCOUNT_FROM}"  # noqa: S608
        cursor.execute(statement, {"user": user})
        return reader_from(cursor.fetchone())


def reader_facts(request: HttpRequest) -> tuple[Reader | None, str]:
    """Return what a page shows of its reader, for the key of a stored page."""
    user = request.user
    known = getattr(getattr(request, "session", None), "signed_in", None)
    if known is not None and known.user.pk == user.pk and not hasattr(request, "_reader"):
        request._reader = (user.pk, known.reader)  # type: ignore[attr-defined]  # read with the session
    return reader_of(request), user.get_username()


def rights_of(request: HttpRequest) -> Hashable:
    """Return what decides what the reader may do and no noted table does: whether they may act as an admin, which a
    second factor changes."""
    user = request.user
    return getattr(user, "is_staff", False), is_admin(user)


def account_context(request: HttpRequest) -> dict[str, Any]:
    """Return what a page's head shows of the signed-in user, with one query.

    These are `person` (the player), `is_guest`, `unseen` notices, where mail goes, `is_warned` for a warning to read,
    and `support`, through which an admin looks on. It is looked up when a template prints it, because the admin's lists
    render dozens of templates that do not.
    """
    context: dict[str, Any] = {
        "mail_is_logged": "console" in settings.EMAIL_BACKEND,
        "other_languages": other_languages,
    }
    user = getattr(request, "user", None)
    if user is None or user.pk is None:
        return context

    def me() -> Reader:
        reader = reader_of(request)
        assert reader is not None
        return reader

    return {
        **context,
        "person": lambda: me() if me().pk is not None else None,
        "is_guest": lambda: me().guest,
        "unseen": lambda: me().unseen,
        "is_warned": lambda: me().pk is not None and me().warned,
        "support": getattr(request, "impersonation", None),
    }
