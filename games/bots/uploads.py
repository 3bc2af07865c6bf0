"""Uploads of bots: the pages, the API and the kit all call `upload_version`.

An upload is bytes that somebody else chose. They are counted, checked and kept as text. Nothing here unpacks, compiles,
imports or runs them, and no file is written. Only the sandbox finds out whether they are a bot.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts import names, speech
from games.accounts.models import ReservedName
from games.bots.models import BotSource
from games.bots.sentences import account_deleted, file_read
from games.common import clock
from games.common.errors import DomainError
from games.models import Bot, BotVersion, Player, Trial
from games.play.wake_up import wake_sandboxes
from games.visibility import acting
from scorebook_games.presentation.coded_text import plain

MAX_UPLOAD_BYTES: Final = 256 * 1024
MAX_BOTS_PER_AUTHOR: Final = 10  # of an author
MAX_VERSIONS_PER_DAY: Final = 50  # versions of an author in a day
MAX_VERSIONS_IN_ADMISSION: Final = 3  # versions of an author at a time
DESCRIPTION_MAX_LENGTH: Final = 2000
ADDRESSES_BESIDE_BOTS: Final = frozenset({"new", "lab"})  # pages below `bots/`, which would hide a bot's page
ONE_DAY: Final = timedelta(days=1)

# The first bytes of files that are not text, and what such files are.
MAGIC: Final[tuple[tuple[bytes, str | Promise], ...]] = (
    (b"PK\x03\x04", gettext_lazy("a zip archive")),
    (b"PK\x05\x06", gettext_lazy("a zip archive")),
    (b"\x1f\x8b", gettext_lazy("a gzip archive")),
    (b"BZh", gettext_lazy("a bzip2 archive")),
    (b"\xfd7zXZ\x00", gettext_lazy("an xz archive")),
    (b"(\xb5/\xfd", gettext_lazy("a zstandard archive")),
    (b"7z\xbc\xaf'\x1c", gettext_lazy("a 7z archive")),
    (b"Rar!", gettext_lazy("a rar archive")),
    (b"\x7fELF", gettext_lazy("a compiled program")),
    (b"MZ", gettext_lazy("a compiled program")),
    (b"\x80\x02", gettext_lazy("a pickle")),
    (b"\x80\x03", gettext_lazy("a pickle")),
    (b"\x80\x04", gettext_lazy("a pickle")),
    (b"\x80\x05", gettext_lazy("a pickle")),
)
TAR_AT: Final = 257
UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


class UploadError(DomainError):
    """An upload was refused, with status, code and a sentence that says what to do."""


def read_upload(chunks: Iterable[bytes], expected: int | None = None) -> bytes:
    """Return the bytes of an upload, of which at most `MAX_UPLOAD_BYTES` are read. `expected` is the announced length.

    Raises `UploadError`: upload_too_large (413), upload_cut_off (400).
    """
    return read_chunks(chunks, expected, MAX_UPLOAD_BYTES)


def read_chunks(chunks: Iterable[bytes], expected: int | None, most: int) -> bytes:
    """Do `read_upload` with a limit of `most` bytes, for an upload with something around the file."""
    if expected is not None and expected > most:
        raise _too_large()
    so_far = bytearray()
    for chunk in chunks:
        so_far += chunk
        if len(so_far) > most:
            raise _too_large()
    if expected is not None and len(so_far) != expected:
        raise cut_off(len(so_far), expected)
    return bytes(so_far)


def cut_off(got: int, expected: int) -> UploadError:
    """Return the error for an upload that broke off."""
    sentence = _("Only {got} of {all} bytes arrived. Nothing was saved. Send the file again.")
    return UploadError(400, "upload_cut_off", sentence.format(got=got, all=expected))


def source_text(data: bytes) -> str:
    """Return the source in these bytes.

    Raises `UploadError`: upload_empty, upload_null_byte (400), upload_too_large (413), upload_not_text, upload_not_utf8
    (415).
    """
    if not data.strip():
        raise UploadError(400, "upload_empty", _("The file is empty. Send the Python file that holds your class Bot."))
    if len(data) > MAX_UPLOAD_BYTES:
        raise _too_large()
    if what := _what_else(data):
        sentence = _("This file is {what}. Send one Python file as text; archives are not unpacked.")
        raise UploadError(415, "upload_not_text", sentence.format(what=what))
    if data.startswith(UTF16_MARKS):
        raise UploadError(415, "upload_not_utf8", _("The file is in UTF-16. Save it as UTF-8 and send it again."))
    if b"\x00" in data:
        line = data.count(b"\n", 0, data.index(b"\x00")) + 1
        sentence = _("Line {line} contains a null byte, which a Python file cannot have. Is this the right file?")
        raise UploadError(400, "upload_null_byte", sentence.format(line=line))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        sentence = _("Line {line} is not UTF-8. Save the file as UTF-8 and send it again.")
        raise UploadError(415, "upload_not_utf8", sentence.format(line=line)) from error


def _what_else(data: bytes) -> str:
    for magic, what in MAGIC:
        if data.startswith(magic):
            return str(what)
    if data[TAR_AT : TAR_AT + 5] == b"ustar":
        return _("a tar archive")
    return ""


def _too_large() -> UploadError:
    sentence = _("The file is larger than {most} KiB. A bot is one Python file: leave out data that it can compute.")
    return UploadError(413, "upload_too_large", sentence.format(most=MAX_UPLOAD_BYTES // 1024))


def find_bot(name: str) -> Bot:
    """Return the uploaded bot of this name. Raises `DomainError` bot_not_found (404)."""
    found = (
        Bot.objects.select_related("owner", "plays").filter(key=names.name_key(name[:200])).first() if name else None
    )
    if found is None:
        raise bot_not_found()
    return found


def bot_not_found() -> DomainError:
    """Return the error for a bot that does not exist, or not for this user."""
    return DomainError(
        404, "bot_not_found", _("There is no bot with this name. Check the spelling, or create the bot first.")
    )


def find_visible_bot(name: str, user: object) -> Bot:
    """Return the uploaded bot of this name if `user` may see it.

    Raises `DomainError` bot_not_found, also for a private one.
    """
    bot = find_bot(name)
    if bot.visibility == Bot.Visibility.PRIVATE and not Bot.objects.filter(bots_of_user(user), pk=bot.pk).exists():
        raise bot_not_found()
    return bot


def bots_of_user(user: object) -> Q:
    """Return a filter for the bots of `user`: those of the author or, with a remote bot's token, only that bot."""
    if not isinstance(user, User):
        return Q(pk=None)
    playing = acting.bot_of(user)
    return Q(owner=user.pk) if playing is None else Q(versions=playing.bot_version_id)


def is_owner(bot: Bot, user: object) -> bool:
    """Return whether `user` is the author. A remote bot is not, even if its owner is."""
    return isinstance(user, User) and bot.owner_id == user.pk and acting.bot_of(user) is None


def find_own_bot(name: str, user: object) -> Bot:
    """Return the bot of this name for its author. Raises `DomainError` bot_not_found (404), not_your_bot (403)."""
    bot = find_visible_bot(name, user)
    if not is_owner(bot, user):
        raise DomainError(403, "not_your_bot", _("Only the author of the bot can do that."))
    return bot


def may_read_source(version: BotVersion, user: object) -> bool:
    """Return whether `user` may read the source of a version: the author, or everybody once it is published. A version
    that may not play is never shown to others, and nothing of a private bot is. Remote bots have no source here."""
    bot = version.bot
    shown = bot.visibility == Bot.Visibility.PUBLIC and bot.source_published and version.may_play
    return version.is_upload and (is_owner(bot, user) or shown)


def check_may_read_source(version: BotVersion, user: object) -> None:
    """Raise `DomainError` source_not_published (403) unless `user` may read the source of the version."""
    if not may_read_source(version, user):
        sentence = _("The author has not published the source of {version}.")
        raise DomainError(403, "source_not_published", sentence.format(version=version))


def new_bot(*, owner: User, name: str, description: str = "", visibility: str = Bot.Visibility.PUBLIC) -> Bot:
    """Create a bot without a version.

    Raises `UploadError`: bad_name, bad_description, bad_visibility (400), name_taken, too_many_bots (409), no_guests
    (403), and `DomainError` muted, warning_unread (403).
    """
    called = _checked_name(name)
    _check_texts(description, visibility)
    speech.check_may_write(owner)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=owner.pk)
        if owner.bots.count() >= MAX_BOTS_PER_AUTHOR:
            sentence = _(
                "You have {most} bots, the maximum for one author. Upload a new version of one of them instead."
            )
            raise UploadError(409, "too_many_bots", sentence.format(most=MAX_BOTS_PER_AUTHOR))
        if _profile_is_guest(owner):
            raise UploadError(403, "no_guests", _("Sign up first: guest accounts, and their bots, would be deleted."))
        if _is_taken(called):
            raise name_taken_error()
        return save_bot(
            Bot(
                owner=owner,
                name=called,
                key=names.name_key(called),
                description=description.strip(),
                visibility=visibility,
            )
        )


def name_taken_error() -> UploadError:
    """Return the error for a bot's name that another player has."""
    return UploadError(409, "name_taken", _("This name, or one that looks like it, is taken. Choose another."))


def save_bot(bot: Bot) -> Bot:
    """Store `bot` under its name. Raises `UploadError` name_taken (409) if somebody was faster."""
    try:
        with transaction.atomic():
            bot.save()
    except IntegrityError as error:
        raise name_taken_error() from error
    return bot


def change_bot(
    bot: Bot, *, description: str | None = None, visibility: str | None = None, source_published: bool | None = None
) -> Bot:
    """Change description, visibility, or whether others may read its source.

    Raises `UploadError` bad_description, bad_visibility (400), and `DomainError` muted, warning_unread (403) if there
    is a description.
    """
    _check_texts(description or "", visibility or bot.visibility)
    if description:
        speech.check_may_write(bot.owner_id)
    bot.description = bot.description if description is None else description.strip()
    bot.visibility = visibility or bot.visibility
    bot.source_published = bot.source_published if source_published is None else source_published
    bot.save(update_fields=["description", "visibility", "source_published"])
    return bot


def _checked_name(name: str) -> str:
    try:
        called = names.clean_name(name)
    except names.BadName as error:
        raise UploadError(400, "bad_name", str(error)) from error
    if called in ADDRESSES_BESIDE_BOTS:
        raise UploadError(400, "bad_name", _("This name is reserved. Choose another."))
    return called


def _check_texts(description: str, visibility: str) -> None:
    if len(description) > DESCRIPTION_MAX_LENGTH or "\x00" in description:
        sentence = _("A description may have at most {most} characters.").format(most=DESCRIPTION_MAX_LENGTH)
        raise UploadError(400, "bad_description", sentence)
    if visibility not in Bot.Visibility.values:
        raise UploadError(400, "bad_visibility", _("`visibility` must be public or private."))


def _is_taken(name: str) -> bool:
    """Return whether a person or bot, built-in ones included, has a name that looks the same as `name`."""
    key = names.name_key(name)
    if any(model.objects.filter(key=key).exists() for model in (Bot, Player, ReservedName)):
        return True
    built_in = Bot.objects.filter(key=None).values_list("name", flat=True)
    return any(names.name_key(each) == key for each in built_in)


def _profile_is_guest(owner: User) -> bool:
    return bool(getattr(getattr(owner, "profile", None), "guest", False))


def upload_version(*, bot: Bot, data: bytes) -> BotVersion:
    """Store `data` as the next version of `bot`, which goes to admission.

    Raises `UploadError` as `source_text` does, and same_bytes, too_many_in_admission (409), too_many_today (429), and
    `DomainError` taken_down, remote_bot (409).
    """
    source = source_text(data)
    digest = hashlib.sha256(data).hexdigest()
    now = clock.now()
    with transaction.atomic():
        assert bot.owner_id is not None, "A bot that takes uploads has an author."
        User.objects.select_for_update(no_key=True).get(pk=bot.owner_id)
        check_not_taken_down(bot)
        _check_not_remote(bot)
        _check_quota(bot, digest)
        last = bot.versions.aggregate(last=Max("number"))["last"] or 0
        version = BotVersion.objects.create(
            bot=bot,
            number=last + 1,
            transport=BotVersion.Transport.UPLOAD,
            program=BotVersion.Transport.UPLOAD,
            sha256=digest,
            size=len(data),
            state=BotVersion.State.ADMISSION,
        )
        BotSource.objects.create(version=version, text=source)
        Player.objects.create(bot_version=version, name=bot.name)
        read_step = {"name": "read", "state": "done", "sentences": _described(source, len(data)), "ms": None}
        Trial.objects.create(what=Trial.What.ADMISSION, version=version, steps=[read_step], created=now, served_at=now)
        wake_sandboxes()
    return version


def _described(source: str, size: int) -> list[Any]:
    return plain([file_read(source.count("\n") + (not source.endswith("\n")), size)])


def _check_not_remote(bot: Bot) -> None:
    if bot.versions.filter(transport=BotVersion.Transport.REMOTE).exists():
        sentence = _("{bot} plays over the API, so it takes no file. Upload the file as a bot with another name.")
        raise DomainError(409, "remote_bot", sentence.format(bot=bot.name))


def _check_quota(bot: Bot, digest: str) -> None:
    if same := bot.versions.filter(sha256=digest).first():
        sentence = _("This file is identical to v{number}. A new version must differ from all earlier ones.")
        raise UploadError(409, "same_bytes", sentence.format(number=same.number), version=same.number)
    versions = BotVersion.objects.filter(bot__owner=bot.owner)
    check_admission_quota(bot)
    if versions.filter(created__gt=clock.now() - ONE_DAY).count() >= MAX_VERSIONS_PER_DAY:
        sentence = _(
            "You have uploaded {most} versions within a day. Test on your own machine, and upload again tomorrow."
        )
        raise UploadError(429, "too_many_today", sentence.format(most=MAX_VERSIONS_PER_DAY))


def check_admission_quota(bot: Bot) -> None:
    """Raise `UploadError` too_many_in_admission (409) if the author has too many versions in admission.

    The caller has locked the author's row.
    """
    given_up = Trial.objects.filter(version=OuterRef("pk"), what=Trial.What.ADMISSION, state=Trial.State.GIVEN_UP)
    there = BotVersion.objects.filter(bot__owner=bot.owner, state=BotVersion.State.ADMISSION).exclude(Exists(given_up))
    if there.count() >= MAX_VERSIONS_IN_ADMISSION:
        sentence = _("{most} of your versions are in admission. Wait until one of them has finished.")
        raise UploadError(409, "too_many_in_admission", sentence.format(most=MAX_VERSIONS_IN_ADMISSION))


def check_not_taken_down(bot: Bot) -> None:
    """Raise `DomainError` taken_down (409) if an admin has taken the bot down."""
    if Bot.objects.filter(pk=bot.pk, stopped=Bot.Stopped.TAKEN_DOWN).exists():
        sentence = _("An admin has taken {bot} down, so none of its versions can play. Its page says why.")
        raise DomainError(409, "taken_down", sentence.format(bot=bot.name))


def choose_version(version: BotVersion) -> None:
    """Choose the version that plays for its bot. Raises `DomainError` not_passed (409)."""
    if not version.may_play:
        raise DomainError(409, "not_passed", _("Only an admitted version can play."))
    Bot.objects.filter(pk=version.bot_id).update(plays=version)


def on_user_deleted(sender: type[User], instance: User, **_signal: Any) -> None:  # noqa: ARG001
    """Retire a user's bots before the row of the user is deleted, in the same transaction."""
    retire(instance)


def on_banned(sender: type[User], user: User, **_signal: Any) -> None:  # noqa: ARG001
    """Stop the bots of a banned user."""
    Bot.objects.filter(owner=user, stopped="").update(stopped=Bot.Stopped.BAN)


def on_unbanned(sender: type[User], user: User, **_signal: Any) -> None:  # noqa: ARG001
    """Let the bots that a ban stopped play again."""
    Bot.objects.filter(owner=user, stopped=Bot.Stopped.BAN).update(stopped="")


def retire(owner: User) -> None:
    """Stop the bots of an author who leaves. Sources and names are deleted, and games stay."""
    for bot in Bot.objects.filter(owner=owner):
        BotSource.objects.filter(version__bot=bot).delete()
        bot.versions.update(sha256="", state=BotVersion.State.RETIRED, reasons=plain([account_deleted()]))
        name = f"Former bot {bot.pk}"
        Player.objects.filter(bot_version__bot=bot).update(name=name)
        bot.name, bot.key, bot.description, bot.owner, bot.plays = name, None, "", None, None
        bot.source_published = False
        bot.save()
