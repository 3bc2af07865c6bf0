"""Creating, changing, archiving and restoring clubs.

Archiving sends no signal, because it changes nothing in other packages: finished seasons stay, and every service that
starts or changes something checks `archived_at` (`locking.lock_club` refuses).
"""

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

from games.common import clock
from games.common.errors import DomainError
from games.common.zones import current_name, known_zones
from games.talk.switch import TalkSwitch
from games.visibility import audience
from tournaments.clubs.invitations import revoke_all_invitations
from tournaments.clubs.locking import check_account, check_may_write, check_owner, clean_reason, lock_club, record_event
from tournaments.clubs.members import set_owner_role
from tournaments.clubs.models import Club
from tournaments.seasons.models import Season

NAME_MIN_LENGTH, NAME_MAX_LENGTH = 3, 60
ABOUT_MAX_LENGTH: Final = 2000
RULES_MAX_LENGTH: Final = 8000
MAX_OWNED_CLUBS: Final = 10
NAME_PUNCTUATION: Final = frozenset(" -_.'’·&,()!+")
CLUB_FIELDS: Final = ("name", "about", "rules", "zone", "visibility", "joining", "talk")
UNFINISHED_STATUSES: Final = (Season.Status.OPEN, Season.Status.RUNNING, Season.Status.PAUSED)


def found_club(*, user: User | AnonymousUser, **asked: str) -> Club:
    """Create a club owned by `user`. `asked` holds some of `CLUB_FIELDS`; the name is required.

    Raises `DomainError`, with the field: not_signed_in, guest (403), bad_name, bad_zone, bad_text, bad_choice (400),
    name_taken, too_many_clubs (409).
    """
    founder = check_account(user)
    check_may_write(founder)
    wanted = {"zone": "UTC", **clean_fields(asked)}
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=founder.pk)
        check_may_own_more(founder)
        club = _save(Club(owner=founder, slug=free_slug(wanted["name"]), **wanted))
        set_owner_role(club)
        record_event(club, "founded", founder)
        return club


def check_may_own_more(user: User) -> None:
    """Raise `DomainError` too_many_clubs (409) if `user` owns as many clubs as one may; archived ones do not count."""
    if Club.objects.filter(owner=user, archived_at=None).count() >= MAX_OWNED_CLUBS:
        sentence = _("You own {most} clubs, the maximum. Transfer or archive one first.").format(most=MAX_OWNED_CLUBS)
        raise DomainError(409, "too_many_clubs", sentence)


def change_club(*, club: Club, user: User | AnonymousUser, **asked: str) -> Club:
    """Change the given fields of `CLUB_FIELDS`. The address does not change.

    Raises `DomainError`: not_owner (403), club_archived (409), and the errors of `found_club` about names and values.
    """
    by = check_owner(user, club)
    wanted = clean_fields(asked)
    with transaction.atomic():
        locked = lock_club(club)
        changed = {name: value for name, value in wanted.items() if getattr(locked, name) != value}
        if "name" in changed:
            check_name_free(changed["name"], locked)
        for name, value in changed.items():
            setattr(locked, name, value)
        if changed.keys() & {"name", "about", "rules"}:
            check_may_write(by)
        if changed:
            _save(locked)
            record_event(locked, "changed", by, fields=sorted(changed))
            audience.audience_changed(locked.pk)
        return locked


def archive_club(*, club: Club, user: User | AnonymousUser, reason: str) -> Club:
    """Archive the club: it leaves the lists, stays readable, and cannot change until `unarchive_club`. Its invitations
    are revoked permanently.

    Raises `DomainError`: bad_reason (400), not_owner (403), club_archived, seasons_running (409).
    """
    by = check_owner(user, club)
    reason = clean_reason(reason)
    with transaction.atomic():
        locked = lock_club(club)
        if Season.objects.filter(league__club=locked, status__in=UNFINISHED_STATUSES).exists():
            sentence = _("A season of the club is open or being played. Finish or cancel it first.")
            raise DomainError(409, "seasons_running", sentence)
        locked.archived_at = clock.now()
        locked.save(update_fields=["archived_at"])
        revoke_all_invitations(locked)
        record_event(locked, "archived", by, reason=reason)
        return locked


def unarchive_club(*, club: Club, user: User | AnonymousUser) -> Club:
    """Restore an archived club. Raises `DomainError`: not_owner (403), not_archived, too_many_clubs (409)."""
    by = check_owner(user, club)
    with transaction.atomic():
        locked = lock_club(club, archived=True)
        if locked.archived_at is None:
            raise DomainError(409, "not_archived", _("{club} is not archived.").format(club=locked))
        check_may_own_more(User.objects.select_for_update(no_key=True).get(pk=locked.owner_id))
        locked.archived_at = None
        locked.save(update_fields=["archived_at"])
        record_event(locked, "unarchived", by)
        return locked


def clean_fields(asked: Mapping[str, str]) -> dict[str, Any]:
    """Return the requested fields with their texts cleaned. Raises `DomainError`."""
    wanted: dict[str, Any] = {name: asked[name] for name in CLUB_FIELDS if name in asked}
    if "name" in wanted:
        wanted["name"] = clean_name(wanted["name"])
    for name, most in (("about", ABOUT_MAX_LENGTH), ("rules", RULES_MAX_LENGTH)):
        if name in wanted:
            wanted[name] = clean_text(wanted[name], most, name)
    if "zone" in wanted:
        if wanted["zone"] not in known_zones():
            raise DomainError(400, "bad_zone", _("Unknown time zone. Use a name such as Europe/Dublin."), "zone")
        wanted["zone"] = current_name(wanted["zone"])
    choices_by_field = {
        "visibility": Club.Visibility.values,
        "joining": Club.Joining.values,
        "talk": TalkSwitch.values,
    }
    for name, choices in choices_by_field.items():
        if name in wanted and wanted[name] not in choices:
            sentence = _("Choose one of {choices}.").format(choices=", ".join(choices))
            raise DomainError(400, "bad_choice", sentence, name)
    return wanted


def clean_text(text: str, most: int, field: str, least: int = 0) -> str:
    """Return a text of several lines, cleaned; it must have `least` to `most` characters. Raises `DomainError` bad_text
    (400)."""
    kept = "\n".join(line.rstrip() for line in text.splitlines()).strip()
    if len(kept) < least or len(kept) > most or any(unicodedata.category(c) in ("Cc", "Cs") for c in kept if c != "\n"):
        sentence = _("Use at most {most} characters of plain text.").format(most=most)
        if least:
            sentence = _("Use {least} to {most} characters of plain text.").format(least=least, most=most)
        raise DomainError(400, "bad_text", sentence, field)
    return kept


def clean_name(text: str) -> str:
    """Return the name of a club, cleaned. It cannot look like an address, because it stands in emails to strangers.

    Raises `DomainError` bad_name (400).
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    fits = NAME_MIN_LENGTH <= len(name) <= NAME_MAX_LENGTH and any(c.isalnum() for c in name)
    if not fits or any(c not in NAME_PUNCTUATION and unicodedata.category(c)[0] not in "LMN" for c in name):
        sentence = _("A club’s name must have {least} to {most} letters, digits, spaces and simple punctuation.")
        raise DomainError(400, "bad_name", sentence.format(least=NAME_MIN_LENGTH, most=NAME_MAX_LENGTH), "name")
    if re.search(r"\w\.\w|www", name, re.I):
        raise DomainError(400, "bad_name", _("A club’s name must not be a web address."), "name")
    return name


def check_name_free(name: str, but: Club | None = None) -> None:
    """Raise `DomainError` name_taken (409) if a club other than `but` has this name or nearly this name."""
    alike = Q(name__iexact=name)
    if slug := slugify(name):
        alike |= Q(slug=slug)
    if Club.objects.filter(alike).exclude(pk=but.pk if but else 0).exists():
        raise _name_taken_error()


def free_slug(name: str) -> str:
    """Return a free slug for a club of that name. Raises `DomainError` name_taken (409)."""
    check_name_free(name)
    return slugify(name)[:NAME_MAX_LENGTH] or f"club-{get_random_string(8, 'abcdefghjkmnpqrstuvwxyz23456789')}"


def _name_taken_error() -> DomainError:
    return DomainError(
        409, "name_taken", _("A club with this name, or a very similar one, exists. Choose another."), "name"
    )


def _save(club: Club) -> Club:
    try:
        with transaction.atomic():
            club.save()
    except IntegrityError as error:  # another club took the name after the check
        raise _name_taken_error() from error
    return club
