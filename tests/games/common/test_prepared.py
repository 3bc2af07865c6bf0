"""Queries that are composed once find what Django's own find, for each value and form."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Count, Q, QuerySet, Value
from django.test.utils import CaptureQueriesContext

from games.common import clock
from games.common.models import Incident, TableChange
from games.common.prepared import MAX_FORMS, attach, first_row, prepared
from games.models import Bot, BotVersion

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def authors() -> list[User]:
    """Three people; the second has a bot with two versions, the third one with one."""
    found = [User.objects.create(username=name) for name in ("anna", "berta", "carl")]
    for owner, versions in zip(found, (0, 2, 1), strict=True):
        if versions:
            bot = Bot.objects.create(owner=owner, name=f"of {owner.username}")
            for number in range(1, versions + 1):
                BotVersion.objects.create(bot=bot, number=number, sha256=str(number))
    return found


@prepared
def versions_of(latest: bool, *, owners: list[int], least: int) -> QuerySet[BotVersion]:
    found = BotVersion.objects.filter(bot__owner__in=owners, number__gte=least).select_related("bot__owner")
    return found.order_by("-number" if latest else "number", "bot")


def test_rows_have_what_the_query_selects_for_any_values_and_form(authors: list[User]) -> None:
    _anna, berta, carl = (author.pk for author in authors)
    for latest in (False, True):
        for owners in ([berta], [berta, carl], [carl, 0]):
            for least in (1, 2):
                expected: list[Any] = versions_of.__wrapped__(latest, owners=owners, least=least)  # type: ignore[attr-defined]
                with CaptureQueriesContext(connection) as asked:
                    found: list[Any] = list(versions_of(latest, owners=owners, least=least))
                    names = [row.bot.owner.username for row in found]
                assert len(asked) == 1
                assert found == list(expected)
                assert names == [row.bot.owner.username for row in expected]


def test_a_query_with_an_empty_list_asks_nothing(authors: list[User]) -> None:
    with CaptureQueriesContext(connection) as asked:
        found = versions_of(True, owners=[], least=1)
        assert (list(found), found.count(), found.exists()) == ([], 0, False)
    assert not asked.captured_queries


def test_it_is_composed_once_for_a_form() -> None:
    composed = []

    @prepared
    def named(prefix: str, *, name: str) -> QuerySet[User]:
        composed.append(prefix)
        return User.objects.filter(username=name, first_name=prefix)

    for name in ("anna", "berta"):
        for prefix in ("", "x"):
            list(named(prefix, name=name))
    assert composed == ["", "x"]


def test_counts_values_and_single_rows(authors: list[User]) -> None:
    @prepared
    def owned(*, owner: int) -> QuerySet[Any, Any]:
        return BotVersion.objects.filter(bot__owner=owner).order_by().values_list("bot__name").annotate(n=Count("pk"))

    berta = authors[1].pk
    assert list(owned(owner=berta)) == [("of berta", 2)]
    assert (owned(owner=berta).count(), owned(owner=0).count()) == (1, 0)
    assert (owned(owner=berta).exists(), owned(owner=0).exists()) == (True, False)
    assert (first_row(owned(owner=berta)), first_row(owned(owner=0))) == (("of berta", 2), None)


def test_the_time_is_that_of_reading_and_may_be_moved() -> None:
    for ago in (0, 1, 2):
        Incident.objects.create(at=NOON - ago * HOUR, cause="crashed")

    @prepared
    def lately(*, until: datetime) -> QuerySet[Incident]:
        return Incident.objects.filter(Q(at__gt=clock.now() - HOUR) & Q(at__lte=until))

    for hours, expected in ((-2.0, 1), (0.0, 1), (0.5, 1), (1.0, 0)):
        with clock.frozen_at(NOON + hours * HOUR):
            assert lately(until=clock.now()).count() == expected
    with clock.frozen_at(NOON - HOUR):
        assert lately(until=NOON).count() == 2


def test_it_cannot_be_changed_afterwards() -> None:
    found = versions_of(True, owners=[1], least=1)
    for change in (lambda: found.filter(number=1), lambda: found[:1], lambda: found.order_by("pk"), found.first):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()


REFUSED: dict[str, Callable[..., QuerySet[Any]]] = {
    "a part of a text": lambda *, value: User.objects.filter(username__startswith=value),
    "in a limit": lambda *, value: User.objects.all()[: len(value)],
    "in upper case": lambda *, value: User.objects.filter(username=value.upper() + "!"),
    "a part of a text beside a whole one": lambda *, value: User.objects.filter(
        Q(username=value) | Q(first_name__startswith=value)
    ),
    "in a list beside a whole one": lambda *, value: User.objects.filter(
        Q(username=value) | Q(first_name__in=[value, "carl"]) | Q(last_name=Value([value]))
    ),
    "of a row": lambda *, value: Bot(pk=1).versions.filter(sha256=value),
}


@pytest.mark.parametrize("build", REFUSED.values(), ids=REFUSED)
def test_a_value_that_is_no_parameter_as_it_is_is_refused(build: Callable[..., QuerySet[Any]]) -> None:
    with pytest.raises(ValueError, match=r"prepared query|no parameter"):
        prepared(build)(value="anna")


def test_a_reader_who_decides_nothing_is_refused_unless_the_form_says_so() -> None:
    def names(*form: Any, user: int) -> QuerySet[User]:  # as an admin sees it
        return User.objects.order_by("pk")

    asked = prepared(names, {"admin": ["user"]})
    for form in ((), (10,), ("person", 10)):
        with pytest.raises(ValueError, match="The value user is no parameter"):
            asked(*form, user=1)
    assert list(asked("admin", 10, user=1)) == list(User.objects.order_by("pk"))


def test_what_is_kept_is_of_no_thread(authors: list[User]) -> None:
    list(versions_of(True, owners=[authors[1].pk], least=1))
    assert {kept.compiler.connection for kept in versions_of.forms.values() if kept.sql} == {None}  # type: ignore[attr-defined]


def test_rows_get_the_rows_that_belong_to_them(authors: list[User]) -> None:
    bots = list(Bot.objects.order_by("pk"))
    attach(bots, "versions", BotVersion.objects.filter(bot__in=bots).order_by("number"), "bot")
    with CaptureQueriesContext(connection) as asked:
        assert [[version.number for version in bot.versions.all()] for bot in bots] == [[1, 2], [1]]
        assert all(version.bot is bot for bot in bots for version in bot.versions.all())
        for found in (bots[0].versions, bots[1].versions):
            with pytest.raises(TypeError, match="cannot be changed"):
                found.filter(number=1)
    assert not asked.captured_queries


def test_forms_are_bounded() -> None:
    @prepared
    def first(count: int) -> QuerySet[TableChange]:
        return TableChange.objects.order_by("pk")[:count]

    for count in range(200):
        list(first(count + 1))
    assert len(first.forms) <= MAX_FORMS  # type: ignore[attr-defined]
