"""A club is founded, changed, put away into the archive and taken out again."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.crypto import get_random_string
from django.utils.text import slugify
from django.utils.translation import gettext as _

from games.accounts.zones import known_zones
from games.common import clock
from games.visibility import audience
from tournaments.clubs.locking import hold, may_write, owner, person, reason_of, record
from tournaments.core.errors import LeagueError
from tournaments.models import Club, Season

SHORTEST, LONGEST = 3, 60
LONGEST_ABOUT: Final = 2000
LONGEST_RULES: Final = 8000
MOST_OWNED: Final = 10
ALSO: Final = frozenset(" -_.'’·&,()!+")
FIELDS: Final = ("name", "about", "rules", "zone", "visibility", "joining")
UNSETTLED: Final = (Season.Status.OPEN, Season.Status.RUNNING, Season.Status.PAUSED)


def found(*, user: User | AnonymousUser, **asked: str) -> Club:
    """A new club of `user`'s; `asked` are some of `FIELDS`, the name among them.

    Raises `LeagueError`, with the field: not_signed_in, guest (403), bad_name, bad_zone, bad_text, bad_choice (400),
    name_taken, too_many_clubs (409).
    """
    founder = person(user)
    may_write(founder)
    wanted = {"zone": "UTC", **checked(asked)}
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=founder.pk)
        if Club.objects.filter(owner=founder).count() >= MOST_OWNED:
            sentence = _("You own {most} clubs, as many as one may. Hand one over first.").format(most=MOST_OWNED)
            raise LeagueError(409, "too_many_clubs", sentence)
        club = _saved(Club(owner=founder, slug=free_slug(wanted["name"]), **wanted))
        record(club, "founded", founder)
        return club


def change(*, club: Club, user: User | AnonymousUser, **asked: str) -> Club:
    """Change those of `FIELDS` that are given; the address stays.

    Raises `LeagueError`: not_owner (403), club_archived, and what `found` raises of names and values.
    """
    by = owner(user, club)
    wanted = checked(asked)
    with transaction.atomic():
        held = hold(club)
        changed = {name: value for name, value in wanted.items() if getattr(held, name) != value}
        if "name" in changed:
            check_free(changed["name"], held)
        for name, value in changed.items():
            setattr(held, name, value)
        if changed.keys() & {"name", "about", "rules"}:
            may_write(by)
        if changed:
            _saved(held)
            record(held, "changed", by, fields=sorted(changed))
            audience.changed(held.pk)
        return held


def archive(*, club: Club, user: User | AnonymousUser, reason: str) -> Club:
    """Put the club away: it leaves the lists, can be read as before, and nothing in it changes until `unarchive`. Its
    invitations are over for good.

    Raises `LeagueError`: bad_reason (400), not_owner (403), club_archived, seasons_running (409).
    """
    by = owner(user, club)
    reason = reason_of(reason)
    with transaction.atomic():
        held = hold(club)
        if Season.objects.filter(league__club=held, status__in=UNSETTLED).exists():
            sentence = _("A season of the club is open or under way. Let it end, or give it up, first.")
            raise LeagueError(409, "seasons_running", sentence)
        held.archived_at = clock.now()
        held.save(update_fields=["archived_at"])
        held.invitations.filter(revoked_at=None).update(revoked_at=clock.now(), email="")
        record(held, "archived", by, reason=reason)
        return held


def unarchive(*, club: Club, user: User | AnonymousUser) -> Club:
    """Take the club out of the archive. Raises `LeagueError`: not_owner (403), not_archived (409)."""
    by = owner(user, club)
    with transaction.atomic():
        held = hold(club, archived=True)
        if held.archived_at is None:
            raise LeagueError(409, "not_archived", _("{club} is not archived.").format(club=held))
        held.archived_at = None
        held.save(update_fields=["archived_at"])
        record(held, "unarchived", by)
        return held


def checked(asked: Mapping[str, str]) -> dict[str, Any]:
    """What is asked of a club, as it is kept. Raises `LeagueError`."""
    wanted: dict[str, Any] = {name: asked[name] for name in FIELDS if name in asked}
    if "name" in wanted:
        wanted["name"] = checked_name(wanted["name"])
    for name, most in (("about", LONGEST_ABOUT), ("rules", LONGEST_RULES)):
        if name in wanted:
            wanted[name] = checked_text(wanted[name], most, name)
    if "zone" in wanted and wanted["zone"] not in known_zones():
        raise LeagueError(400, "bad_zone", _("There is no such time zone. Name one as Europe/Dublin."), "zone")
    for name, choices in (("visibility", Club.Visibility.values), ("joining", Club.Joining.values)):
        if name in wanted and wanted[name] not in choices:
            sentence = _("It is one of {choices}.").format(choices=", ".join(choices))
            raise LeagueError(400, "bad_choice", sentence, name)
    return wanted


def checked_text(text: str, most: int, field: str, least: int = 0) -> str:
    """Text of several lines as it is kept. Raises `LeagueError` bad_text (400)."""
    kept = "\n".join(line.rstrip() for line in text.splitlines()).strip()
    if len(kept) < least or len(kept) > most or any(unicodedata.category(c) in ("Cc", "Cs") for c in kept if c != "\n"):
        sentence = _("Up to {most} characters of plain text.").format(most=most)
        if least:
            sentence = _("Between {least} and {most} characters of plain text.").format(least=least, most=most)
        raise LeagueError(400, "bad_text", sentence, field)
    return kept


def checked_name(text: str) -> str:
    """The name of a club as it is kept; nothing in it looks like an address, for it stands in e-mails to strangers.

    Raises `LeagueError` bad_name (400)."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    fits = SHORTEST <= len(name) <= LONGEST and any(c.isalnum() for c in name)
    if not fits or any(c not in ALSO and unicodedata.category(c)[0] not in "LMN" for c in name):
        sentence = _("A club’s name has {least} to {most} letters, digits, spaces and simple marks.")
        raise LeagueError(400, "bad_name", sentence.format(least=SHORTEST, most=LONGEST), "name")
    if re.search(r"\w\.\w|www", name, re.I):
        raise LeagueError(400, "bad_name", _("A club’s name is no address."), "name")
    return name


def check_free(name: str, but: Club | None = None) -> None:
    """Raise `LeagueError` name_taken (409) if another club is called so, or nearly so."""
    alike = Q(name__iexact=name)
    if slug := slugify(name):
        alike |= Q(slug=slug)
    if Club.objects.filter(alike).exclude(pk=but.pk if but else 0).exists():
        raise _name_taken()


def free_slug(name: str) -> str:
    """The last part of the address of a club of that name. Raises `LeagueError` name_taken (409)."""
    check_free(name)
    return slugify(name)[:LONGEST] or f"club-{get_random_string(8, 'abcdefghjkmnpqrstuvwxyz23456789')}"


def _name_taken() -> LeagueError:
    return LeagueError(409, "name_taken", _("A club has this name, or one very like it. Choose another."), "name")


def _saved(club: Club) -> Club:
    try:
        with transaction.atomic():
            club.save()
    except IntegrityError as error:  # somebody took the name since it was checked
        raise _name_taken() from error
    return club
