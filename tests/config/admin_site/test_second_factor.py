"""A platform asks its admins for a second factor. Ambrose is one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings as platform
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games.accounts import tokens
from games.accounts.staff import is_admin
from tests.servers.web import WAIT_TIMEOUT, forked
from tests.tournaments.club import new_club
from tournaments.clubs import permissions as club_permissions

PASSWORD = "lamp and lantern 7"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def asked_for(settings: Settings) -> Iterator[None]:
    settings.SCOREBOOK_ADMIN_MFA_REQUIRED = True
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def ambrose() -> User:
    return User.objects.create_superuser("ambrose", password=PASSWORD)


def log_in(client: Client, name: str = "ambrose") -> None:
    client.post(reverse("account_login"), {"login": name, "password": PASSWORD})


@pytest.fixture
def set_up(code_now: Callable[[str], str]) -> Callable[[Client], str]:
    """Return a function that sets up a second factor on the page, which asks for the password again. It returns the
    app's secret."""

    def by_page(client: Client) -> str:
        client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        page = client.get(reverse("mfa_activate_totp"))
        secret: str = page.context["form"].secret
        done = client.post(reverse("mfa_activate_totp"), {"code": code_now(secret)})
        assert done.status_code == 302
        return secret

    return by_page


def test_the_admin_has_no_log_in_of_its_own(client: Client) -> None:
    answer = client.get(reverse("admin:index"), follow=True)
    assert answer.redirect_chain[-1][0].startswith(reverse("account_login"))
    assert answer.context["form"].fields.keys() >= {"login", "password"}


def test_an_admin_without_a_second_factor_is_led_to_setting_one_up_and_then_let_in(
    client: Client, ambrose: User, set_up: Callable[[Client], str]
) -> None:
    log_in(client)
    led = client.get(reverse("dashboard"), follow=True)
    assert reverse("mfa_activate_totp") in [address for address, _status in led.redirect_chain]
    assert b"requires two-factor authentication" in led.content
    set_up(client)
    assert is_mfa_enabled(ambrose)
    assert client.get(reverse("dashboard")).status_code == 200
    recovery = Authenticator.objects.get(user=ambrose, type="recovery_codes")
    assert len(recovery.wrap().get_unused_codes()) == 10


def test_afterwards_the_password_alone_lets_nobody_in(
    client: Client, ambrose: User, set_up: Callable[[Client], str], code_now: Callable[[str], str]
) -> None:
    log_in(client)
    secret = set_up(client)
    thief = Client()
    log_in(thief)
    assert thief.get(reverse("me")).status_code == 302
    assert thief.get(reverse("api-status")).status_code in (401, 403)
    assert thief.post(reverse("mfa_authenticate"), {"code": "000000"}).status_code == 200
    assert thief.get(reverse("dashboard")).status_code == 302
    cache.clear()  # so that the same code can be used again
    owner = Client()
    log_in(owner)
    owner.post(reverse("mfa_authenticate"), {"code": code_now(secret)})
    assert owner.get(reverse("dashboard")).status_code == 200


def test_log_ins_that_were_begun_by_the_password_alone_are_over_once_there_is_a_second_factor(
    client: Client, ambrose: User, django_capture_on_commit_callbacks: Any, set_up: Callable[[Client], str]
) -> None:
    """Otherwise a thief who logged in before would stay logged in after the owner sets up a second factor."""
    thief = Client()
    for each in (thief, client):
        log_in(each)
    with django_capture_on_commit_callbacks(execute=True):
        set_up(client)
    assert client.get(reverse("dashboard")).status_code == 200
    assert thief.get(reverse("me")).status_code == 302
    assert thief.get(reverse("dashboard")).status_code == 302


def test_without_it_the_api_and_the_rights_of_admins_are_closed_too(
    client: Client, ambrose: User, set_up: Callable[[Client], str]
) -> None:
    niamh = User.objects.create_user("niamh")
    club = new_club(name="Lantern Street", slug="lantern", owner=niamh, visibility="private")
    log_in(client)
    refused = client.get(reverse("api-status"))
    assert refused.status_code == 403
    assert "two-factor authentication" in refused.json()["error"]["sentence"]
    assert not club_permissions.may_organise(ambrose, club)
    _token, secret = tokens.create_token(user=ambrose, name="mine", wanted=["admin"])
    with_token = Client(headers={"authorization": f"Bearer {secret}"})
    assert with_token.get("/api/v1/admin/actions/").status_code == 403
    set_up(client)
    assert client.get(reverse("api-status")).status_code == 200
    assert club_permissions.may_organise(User.objects.get(pk=ambrose.pk), club)
    assert with_token.get("/api/v1/admin/actions/").status_code == 200


def test_people_who_are_no_admins_are_asked_for_nothing(client: Client) -> None:
    User.objects.create_user("niamh", password=PASSWORD)
    log_in(client, "niamh")
    assert client.get(reverse("me")).status_code == 200
    assert client.get(reverse("admin:index"), follow=True).status_code == 403
    assert client.get(reverse("api-status")).status_code == 403


def test_a_platform_that_is_tried_out_lets_its_admins_in_by_password(
    client: Client, ambrose: User, settings: Settings
) -> None:
    settings.SCOREBOOK_ADMIN_MFA_REQUIRED = False
    log_in(client)
    assert is_admin(ambrose)
    assert client.get(reverse("dashboard")).status_code == 200


def test_an_admin_who_has_gone_inactive_is_none(ambrose: User, settings: Settings) -> None:
    settings.SCOREBOOK_ADMIN_MFA_REQUIRED = False
    ambrose.is_active = False
    assert not is_admin(ambrose)


def guess() -> None:
    """Try a dozen passwords. It runs in a separate process."""
    platform.PASSWORD_HASHERS = ["tests.fixtures.password_hasher.Quick"]
    platform.ALLOWED_HOSTS = ["testserver"]
    for n in range(12):
        Client().post(reverse("account_login"), {"login": "ambrose", "password": f"guess {n}"})


@pytest.mark.django_db(transaction=True)
def test_tries_are_counted_for_all_web_processes_together(
    client: Client, ambrose: User, set_up: Callable[[Client], str]
) -> None:
    process = forked(guess)
    process.join(WAIT_TIMEOUT)
    assert process.exitcode == 0
    refused = client.post(reverse("account_login"), {"login": "ambrose", "password": PASSWORD})
    assert refused.status_code == 429
    assert client.get(reverse("me")).status_code == 302, "the right password does not help now"
    cache.clear()  # as five minutes later
    log_in(client)
    assert set_up(client)
