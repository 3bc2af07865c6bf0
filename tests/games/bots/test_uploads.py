"""Uploads are accepted, or refused with a reason. Nothing is unpacked, compiled or imported."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from games.accounts import people
from games.accounts.models import Profile
from games.bots import uploads
from games.common.errors import DomainError
from games.models import Bot, BotVersion, Player, Trial
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.games.bots.conftest import FIRST, Author, Upload
from tests.games.conftest import at_once

pytestmark = pytest.mark.django_db


def zip_bomb() -> bytes:
    """Return an archive of forty kilobytes with forty megabytes of zeros."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.py", bytes(40 * 1024 * 1024))
    return held.getvalue()


def symlink(folder: Path) -> bytes:
    """Return an archive whose bot.py is a link to a file of the host."""
    os.symlink("/etc/passwd", folder / "bot.py")
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        archive.add(folder / "bot.py", "bot.py")
    return held.getvalue()


class Hostile:
    """An object that runs a command in the process that unpickles it."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, ("touch was-unpickled",)


@pytest.mark.parametrize(
    ("make", "status", "code", "word"),
    [
        (lambda _: b"", 400, "upload_empty", "empty"),
        (lambda _: b" \n\t\n", 400, "upload_empty", "empty"),
        (lambda _: b"#" * 10_000_000, 413, "upload_too_large", "256 KiB"),
        (lambda _: FIRST.encode("utf-16"), 415, "upload_not_utf8", "UTF-16"),
        (lambda _: FIRST.encode("utf-16-be"), 400, "upload_null_byte", "Line 1"),
        (lambda _: b"class Bot:\n    x = '\x00'\n", 400, "upload_null_byte", "Line 2"),
        (lambda _: "# caf\xe9\n".encode("latin-1") + FIRST.encode(), 415, "upload_not_utf8", "Line 1"),
        (lambda _: zip_bomb(), 415, "upload_not_text", "zip archive"),
        (lambda _: gzip.compress(FIRST.encode()), 415, "upload_not_text", "gzip"),
        (symlink, 415, "upload_not_text", "tar archive"),
        (lambda _: pickle.dumps(Hostile()), 415, "upload_not_text", "pickle"),
        (lambda _: b"\x7fELF\x02\x01\x01", 415, "upload_not_text", "compiled"),
    ],
    ids=[
        "empty",
        "blank",
        "10 MB",
        "UTF-16",
        "UTF-16BE",
        "null",
        "Latin-1",
        "bomb",
        "gzip",
        "link",
        "pickle",
        "ELF",
    ],
)
def test_what_is_no_text_is_refused_with_its_reason(
    make: Callable[[Path], bytes], status: int, code: str, word: str, tmp_path: Path, dotty: User
) -> None:
    bot = uploads.new_bot(owner=dotty, name="Gannet")
    with pytest.raises(uploads.UploadError) as refused:
        uploads.upload_version(bot=bot, data=make(tmp_path))
    assert (refused.value.status, refused.value.code) == (status, code)
    assert word in refused.value.sentence
    assert not BotVersion.objects.filter(bot=bot).exists()


def test_an_upload_is_read_no_further_than_it_may_be_long_and_must_be_as_long_as_it_said() -> None:
    chunks = iter([b"x" * 100_000] * 1000)
    with pytest.raises(uploads.UploadError, match="256 KiB"):
        uploads.read_upload(chunks)
    assert sum(1 for _ in chunks) >= 996
    with pytest.raises(uploads.UploadError, match="256 KiB"):
        uploads.read_upload(iter(()), 10_000_000)
    with pytest.raises(uploads.UploadError, match="Only 3 of 7 bytes") as cut:
        uploads.read_upload([b"abc"], 7)
    assert cut.value.code == "upload_cut_off"
    assert uploads.read_upload([b"abc", b"def"], 6) == b"abcdef"


def test_a_syntax_error_is_no_business_of_the_door(upload: Upload) -> None:
    """The host compiles nothing. Admission finds the error in the sandbox."""
    assert upload("class Bot\n").state == BotVersion.State.ADMISSION


def test_each_upload_is_the_next_version_kept_to_the_letter_with_a_player_and_an_admission(upload: Upload) -> None:
    source = "# ünï\r\nclass Bot:\n\tpass"
    first, second = upload(source), upload()
    assert (first.number, second.number) == (1, 2)
    first.refresh_from_db()
    assert first.source == source
    assert first.size == len(source.encode())
    assert Player.objects.get(bot_version=first).name == "Gannet"
    assert Trial.objects.get(version=first).shown_steps[0]["sentence"] == "One text file with 3 lines, 25 bytes."


def test_the_same_bytes_are_no_new_version(upload: Upload) -> None:
    upload()
    with pytest.raises(uploads.UploadError, match="identical to v1") as refused:
        upload()
    assert (refused.value.status, refused.value.code, refused.value.extra) == (409, "same_bytes", {"version": 1})
    assert upload(name="Puffin").number == 1


def test_an_author_at_a_quota_is_told_which(upload: Upload, dotty: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(uploads.MAX_VERSIONS_IN_ADMISSION):
        upload(f"{FIRST}# {n}")
    with pytest.raises(uploads.UploadError) as admission:
        upload()
    assert (admission.value.status, admission.value.code) == (409, "too_many_in_admission")

    BotVersion.objects.update(state=BotVersion.State.PASSED)
    monkeypatch.setattr(uploads, "MAX_VERSIONS_PER_DAY", uploads.MAX_VERSIONS_IN_ADMISSION)
    with pytest.raises(uploads.UploadError) as today:
        upload()
    assert (today.value.status, today.value.code) == (429, "too_many_today")

    for n in range(uploads.MAX_BOTS_PER_AUTHOR - 1):
        uploads.new_bot(owner=dotty, name=f"Puffin {n}")
    with pytest.raises(uploads.UploadError) as bots:
        uploads.new_bot(owner=dotty, name="Razorbill")
    assert (bots.value.status, bots.value.code) == (409, "too_many_bots")


@pytest.mark.django_db(transaction=True)
def test_two_uploads_at_the_same_moment_are_two_versions_or_one_and_a_reason(dotty: User) -> None:
    bot = uploads.new_bot(owner=dotty, name="Gannet")
    both = at_once(
        lambda: uploads.upload_version(bot=bot, data=FIRST.encode()),
        lambda: uploads.upload_version(bot=bot, data=b"# another\n"),
    )
    assert sorted(each.number for each in both if isinstance(each, BotVersion)) == [1, 2]
    same = at_once(*[lambda: uploads.upload_version(bot=bot, data=b"# third\n")] * 2)
    assert sorted(type(each).__name__ for each in same) == ["BotVersion", "UploadError"]


def test_a_bots_name_is_nobody_elses(dotty: User, author: Author) -> None:
    ensure_builtin_bots()
    people.create_profile_and_player(User.objects.create_user("laura"), "Laura")
    uploads.new_bot(owner=dotty, name="Gannet")
    for taken in ("Gannet", "GANNET", "Gаnnet".replace("а", "a"), "Random", "sensib1e", "Laura"):
        with pytest.raises(uploads.UploadError) as refused:
            uploads.new_bot(owner=author("Otto") if not User.objects.filter(username="otto") else dotty, name=taken)
        assert refused.value.code == "name_taken", taken
    for bad in ("", "x", "Built-in bot", "G\u0430nnet", "<b>", "x" * 41, "Bot", "new", "lab"):
        with pytest.raises(uploads.UploadError) as refused:
            uploads.new_bot(owner=dotty, name=bad)
        assert refused.value.code == "bad_name", bad
    with pytest.raises(people.AccountError):
        people.check_name("gannet")


def test_a_guest_brings_no_bots(dotty: User) -> None:
    Profile.objects.update_or_create(user=dotty, defaults={"guest": True})
    with pytest.raises(uploads.UploadError) as refused:
        uploads.new_bot(owner=User.objects.get(pk=dotty.pk), name="Gannet")
    assert (refused.value.status, refused.value.code) == (403, "no_guests")


def test_a_private_bot_is_not_there_for_others(upload: Upload, dotty: User, author: Author) -> None:
    upload()
    uploads.change_bot(uploads.find_bot("gannet"), visibility=Bot.Visibility.PRIVATE)
    otto = author("Otto")
    assert uploads.find_visible_bot("Gannet", dotty).owner == dotty
    for reach in (uploads.find_visible_bot, uploads.find_own_bot):
        with pytest.raises(DomainError) as hidden:
            reach("Gannet", otto)
        assert hidden.value.code == "bot_not_found"
    uploads.change_bot(uploads.find_bot("gannet"), visibility=Bot.Visibility.PUBLIC)
    with pytest.raises(DomainError) as others:
        uploads.find_own_bot("Gannet", otto)
    assert (others.value.status, others.value.code) == (403, "not_your_bot")
