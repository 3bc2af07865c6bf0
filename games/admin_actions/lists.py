"""Keeps the admin's lists fast with a million games.

It counts only as far as anybody pages, searches by indexes, and has filters that do not query for their choices.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ClassVar, Final

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from games.accounts.subjects import SUBJECTS
from games.models import BotVersion, Game, Player, Seat
from scorebook_games.registry import KINDS

MAX_COUNTED: Final = 10_000  # rows; for those after them, people search
MAX_FOUND: Final = 200  # of what is searched by

Find = Callable[[str], Collection[int]]


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts up to `MAX_COUNTED` rows. If there are more, it shows one more than that, and no page for the rest."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[: MAX_COUNTED + 1].count())


class KindFilter(admin.SimpleListFilter):
    """Filters by kind of game. Django's own filter would read all games to find the kinds."""

    title = gettext_lazy("game")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ARG002
        return [(name, kind.spec.title) for name, kind in KINDS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002
        return queryset.filter(kind=self.value()) if self.value() else queryset


class SubjectFilter(admin.SimpleListFilter):
    """Filters by the subject of a notice."""

    title = gettext_lazy("subject")
    parameter_name = "subject"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ARG002
        return [(name, subject.title) for name, subject in SUBJECTS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002
        return queryset.filter(subject=self.value()) if self.value() else queryset


def found_games(words: str) -> Collection[int]:
    """Return the game with this public id."""
    return list(Game.objects.filter(public_id=words.upper()).values_list("pk", flat=True))


def found_players(words: str) -> Collection[int]:
    """Return the players whose names have these words."""
    return list(Player.objects.filter(name__icontains=words).values_list("pk", flat=True)[:MAX_FOUND])


def found_games_of(words: str) -> Collection[int]:
    """Return the game with this public id, and the latest ones of players whose names have these words."""
    seats_of_found = (
        Seat.objects.filter(player__in=found_players(words)).order_by("-game").values_list("game", flat=True)
    )
    return [*found_games(words), *seats_of_found[:MAX_FOUND]]


def found_versions(words: str) -> Collection[int]:
    """Return the versions of bots whose names have these words."""
    return list(BotVersion.objects.filter(bot__name__icontains=words).values_list("pk", flat=True)[:MAX_FOUND])


def found_users(words: str) -> Collection[int]:
    """Return the users whose names have these words."""
    named = Player.objects.filter(Q(name__icontains=words) | Q(user__username__icontains=words), user__isnull=False)
    return [pk for pk in named.values_list("user", flat=True)[:MAX_FOUND] if pk is not None]


def found_people(words: str) -> Collection[int]:
    """Return the users with these words in their name or in an email address."""
    users = User.objects.filter(Q(username__icontains=words) | Q(email__icontains=words)).values_list("pk", flat=True)
    mailed = EmailAddress.objects.filter(email__icontains=words).values_list("user", flat=True)
    return {*found_users(words), *users[:MAX_FOUND], *mailed[:MAX_FOUND]}


class SearchedModelAdmin(ModelAdmin):  # type: ignore[misc]  # unfold is untyped
    """A list that searches for values first.

    `found_by` has for each field, or "pk", the function that finds its values.
    """

    found_by: ClassVar[dict[str, Find]] = {}

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        words = search_term.replace("\0", "").strip()
        if not words or not self.found_by:
            found: tuple[QuerySet[Any], bool] = super().get_search_results(request, queryset, search_term)
            return found
        wanted = Q()
        for name, find in self.found_by.items():
            wanted |= Q(**{f"{name}__in": find(words)})
        return queryset.filter(wanted), False


class LargeListAdmin(SearchedModelAdmin):
    """A list that may have a million rows, always newest first."""

    ordering: ClassVar[tuple[str, ...]] = ("-pk",)
    sortable_by: ClassVar[tuple[str, ...]] = ()
