"""The admin's lists stay fast: none counts a million rows, makes a query for each row, or has all rows in a menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.admin.filters import AllValuesFieldListFilter
from django.contrib.admin.templatetags import admin_list
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.contrib.sessions.backends.cache import SessionStore
from django.core.paginator import EmptyPage
from django.db import connection
from django.db.models import ForeignKey
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.admin_site import sidebar
from games.accounts import people
from games.accounts.models import Notice
from games.admin_actions import lists as admin_lists
from games.admin_actions.lists import BoundedPaginator, LargeListAdmin
from games.admin_actions.model_admin import ActionModelAdmin, ReadOnlyModelAdmin
from games.common import clock
from games.common.models import Incident
from games.models import Bot, BotVersion, Game, Player
from games.play import services as play
from games.play.models import Fault
from tests.tournaments.club import new_club
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League

pytestmark = pytest.mark.django_db
OURS = [(model, each) for model, each in admin.site._registry.items() if isinstance(each, ActionModelAdmin)]
LARGE = [(model, each) for model, each in OURS if isinstance(each, LargeListAdmin)]


@pytest.fixture
def ada(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


def people_called(*names: str) -> list[Player]:
    return [people.create_profile_and_player(User.objects.create_user(name.lower()), name) for name in names]


def a_bit_of_everything(number: int) -> None:
    """Create a game of two people with its notices, a played season, and a bot that fails."""
    martha, laura = people_called(f"Martha {number}", f"Laura {number}")
    game = play.open_game(kind="plates", players=[martha, laura], terms={"rated": False})
    assert martha.user
    now = clock.now()
    Notice.objects.create(user=martha.user, subject="challenge", key="x", game=game, created=now)
    Incident.objects.create(
        at=now, cause="crashed", game=game, player=laura, sentences=[["written", {"text": "It broke."}]]
    )
    bot = Bot.objects.create(name=f"Gannet {number}", owner=laura.user)
    version = BotVersion.objects.create(bot=bot, number=1, transport="upload", program="upload")
    Fault.objects.create(at=now, bot_version=version, kind="crashed", cost="refused")
    club = new_club(name=f"Club {number}", slug=f"club-{number}", owner=martha.user)
    league = League.objects.create(club=club, name="Chinese Ten", slug="ten")
    season = seasons.create_season(league=league, name="Winter", kind="chinese_ten")
    for player in (martha, laura):
        entries.enter_season(season=season, player=player)
    seasons.start_season(season=season)


def list_of(each: Any) -> ChangeList:
    """Return the list of a model's admin, without making its page."""
    request = RequestFactory().get("/")
    request.user, request.session = User.objects.get(username="ada"), SessionStore()
    shown: Any = each.get_changelist_instance(request)
    shown.formset = None
    return shown  # type: ignore[no-any-return]


def rows_shown(ada: Client, each: Any) -> Callable[[], object]:
    """Return a function that shows the rows of the list."""
    shown = list_of(each)
    return lambda: list(admin_list.results(shown))


def page_shown(ada: Client, each: Any) -> Callable[[], object]:
    """Return a function that shows the whole page, with its filters and actions."""
    address = reverse(f"admin:{each.opts.app_label}_{each.opts.model_name}_changelist")
    return lambda: ada.get(address).content


@pytest.mark.slow
@pytest.mark.parametrize("shown", [rows_shown, pytest.param(page_shown, marks=pytest.mark.slow)])
def test_no_list_asks_once_a_row(ada: Client, shown: Callable[[Client, Any], Callable[[], object]]) -> None:
    a_bit_of_everything(1)
    director.advance()

    def queries() -> dict[str, int]:
        asked = {}
        for model, each in OURS:
            show = shown(ada, each)
            with CaptureQueriesContext(connection) as captured:
                show()
            asked[model.__name__] = len(captured)
        return asked

    queries()  # some values are read only once in a process
    before = queries()
    for number in (2, 3, 4):
        a_bit_of_everything(number)
    director.advance()

    after = queries()
    assert {name: (before[name], now) for name, now in after.items() if now > before[name] + 1} == {}


def test_every_list_is_searched_counts_no_further_than_it_pages_and_has_no_menu_of_all_rows() -> None:
    faults = []
    for model, each in OURS:
        menus = {field.name for field in model._meta.get_fields() if isinstance(field, ForeignKey)}
        ok = {
            "search": bool(each.search_fields),
            "pages": each.paginator is BoundedPaginator,
            "counts": not each.show_full_result_count,
            "menus": isinstance(each, ReadOnlyModelAdmin) or menus <= {*each.raw_id_fields, *each.autocomplete_fields},
        }
        faults += [(model.__name__, name) for name, is_right in ok.items() if not is_right]
    assert faults == []


def test_a_large_list_looks_through_no_table_for_its_filters_order_or_days(ada: Client) -> None:
    faults = []
    for model, each in LARGE:
        specs = list_of(each).filter_specs
        ok = {
            "search": bool(each.found_by),
            "order": not each.sortable_by,
            "days": not each.date_hierarchy,
            "filters": not any(isinstance(spec, AllValuesFieldListFilter) for spec in specs),
        }
        faults += [(model.__name__, name) for name, is_right in ok.items() if not is_right]
    assert faults == []


def test_a_large_list_begins_with_what_is_newest(ada: Client) -> None:
    """Any other order would read all rows."""
    for number in (1, 2):
        a_bit_of_everything(number)
        director.advance()
    keys = {model.__name__: [row.pk for row in list_of(each).result_list] for model, each in LARGE}
    assert sum(len(each) > 1 for each in keys.values()) >= 6
    assert {name: each for name, each in keys.items() if each != sorted(each, reverse=True)} == {}


def test_a_list_counts_to_ten_thousand_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_lists, "MAX_COUNTED", 3)
    people_called(*[f"Nobody {each}" for each in range(5)])
    pages = BoundedPaginator(Player.objects.order_by("pk"), 2)

    with CaptureQueriesContext(connection) as asked:
        assert pages.count == 4
    assert "LIMIT 4" in asked[0]["sql"]
    assert len(pages.page(2)) == 2
    with pytest.raises(EmptyPage):
        pages.page(3)


def test_games_are_found_by_id_and_by_who_plays(ada: Client) -> None:
    a_bit_of_everything(1)
    game = Game.objects.filter(kind="plates").get()
    address = reverse("admin:games_game_changelist")

    def found(words: str) -> bool:
        return reverse("admin:games_game_change", args=[game.pk]) in ada.get(address, {"q": words}).content.decode()

    assert found(game.public_id)
    assert found(game.public_id.lower())
    assert found("martha 1")
    assert not found("Nobody")
    assert not found(game.public_id[:4])
    assert found(" "), "nothing is asked for"


def test_a_kind_is_chosen_without_looking_which_there_are(ada: Client) -> None:
    a_bit_of_everything(1)
    page = ada.get(reverse("admin:games_game_changelist"), {"kind": "palace"}).content.decode()
    assert Game.objects.filter(kind="plates").get().public_id not in page
    assert "?kind=chinese_ten" in page


def test_every_list_stands_in_one_group_of_the_sidebar(ada: Client) -> None:
    request = RequestFactory().get("/admin/")
    request.user = User.objects.get(username="ada")
    groups = {group["title"]: group["items"] for group in sidebar.navigation(request)}
    links = [item["link"] for items in groups.values() for item in items]
    assert len(links) == len(set(links))
    expected = {
        reverse(f"admin:{each.opts.app_label}_{each.opts.model_name}_changelist")
        for each in admin.site._registry.values()
    }
    assert set(links) == {*expected, reverse("dashboard")}
    page = ada.get("/admin/").content.decode()
    assert all(link in page for link in links)


def test_an_admin_sees_in_the_sidebar_what_they_may(ada: Client) -> None:
    request = RequestFactory().get("/admin/")
    request.user = User.objects.create_user("bea", is_staff=True)
    assert [item["title"] for group in sidebar.navigation(request) for item in group["items"]] == ["Dashboard"]


def test_people_are_called_by_their_names_and_not_by_the_keys_of_these(ada: Client) -> None:
    user = User.objects.create_user("waikerdov")
    people.create_profile_and_player(user, "walker-dov")
    club = new_club(name="Lantern", slug="lantern", owner=user)
    for address in ("tournaments_club", "auth_user"):
        label = {"tournaments_club": club._meta.label_lower.replace(".", "_")}.get(address, address)
        assert "walker-dov" in ada.get(reverse(f"admin:{label}_changelist")).content.decode()


def test_people_are_found_by_their_names_and_addresses_and_each_once(ada: Client) -> None:
    martha, laura = people_called("Martha", "Laura Old Pier")
    assert martha.user
    assert laura.user
    for email in ("martha@lantern.example", "m@lantern.example"):
        EmailAddress.objects.create(user=martha.user, email=email)
    User.objects.filter(pk=laura.user.pk).update(email="pier@harbour.example")
    address = reverse("admin:auth_user_changelist")

    def found(words: str) -> set[str]:
        rows = ada.get(address, {"q": words}).context["cl"].queryset
        names = [user.username for user in rows]
        assert len(names) == len(set(names))
        return set(names)

    assert found("marth") == found("lantern.example") == {"martha"}
    assert found("old pier") == found("harbour") == {"laura old pier"}
    assert found("nobody") == set()
    assert found("ada") == {"ada"}  # a user who does not play
