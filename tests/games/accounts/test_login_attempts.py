"""Wrong passwords lock out only the address that sends them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import mail
from django.test import Client

from games.accounts import devices, login_attempts
from games.common import clock
from games.models import Player
from tests.assertions.page import Page
from tests.games.accounts.conftest import PASSWORD, user_of

pytestmark = pytest.mark.django_db
NEW = "another lamp 8"
HERE, THERE = "192.0.2.7", "198.51.100.1"


def log_in(client: Client, password: str = PASSWORD, *, address: str = HERE, name: str = "Laura") -> Any:
    return client.post("/accounts/login/", {"login": name, "password": password}, REMOTE_ADDR=address)


def guess(times: int, *, address: str = "") -> list[int]:
    """Send wrong passwords as strangers, from `address` or each from another one. Return the status of each answer."""
    addresses = [address or f"203.0.113.{number}" for number in range(times)]
    return [log_in(Client(), "wrong", address=each).status_code for each in addresses]


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_strangers_lock_nobody_out(laura: Player) -> None:
    guess(6, address=THERE)
    guess(12)
    owner = Client()
    assert log_in(owner).status_code == 302
    assert is_in(owner)


def test_who_tries_too_often_is_refused_there_and_not_elsewhere(laura: Player) -> None:
    assert guess(6, address=THERE) == [200] * 5 + [429]
    client = Client()
    assert log_in(client, address=THERE).status_code == 429
    assert log_in(client, address=HERE).status_code == 302


def test_one_address_tries_ten_passwords_a_minute_for_all_accounts_together(laura: Player) -> None:
    answers = [log_in(Client(), "wrong", address=THERE, name=f"Nobody {n}").status_code for n in range(11)]
    assert answers == [200] * 10 + [429]


def test_the_more_strangers_guess_the_longer_each_of_them_waits_and_is_told(laura: Player) -> None:
    guess(6)
    now, client, waits = clock.now(), Client(), []
    for _ in range(3):
        with clock.frozen_at(now):
            assert log_in(client, "wrong", address=THERE).status_code == 200
            refused = log_in(client, "wrong", address=THERE)
        assert refused.status_code == 429
        waits.append(int(refused.headers["Retry-After"]))
        assert f"Wait {waits[-1]} seconds" in Page.of(refused).text
        now += timedelta(seconds=waits[-1])
    assert waits == [4, 8, 16]
    assert login_attempts.delay_after(1000) == login_attempts.MAX_DELAY_SECONDS
    with clock.frozen_at(now):
        assert log_in(client, address=THERE).status_code == 302


def test_a_browser_that_was_used_before_is_locked_by_its_own_tries_alone(laura: Player) -> None:
    browser = Client()
    log_in(browser)
    cookie = browser.cookies[devices.DEVICE_COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/accounts/")
    browser.post("/accounts/logout/")
    guess(11, address=HERE)  # from the same address
    assert log_in(Client()).status_code == 429
    assert log_in(browser).status_code == 302

    browser.post("/accounts/logout/")
    assert [log_in(browser, "wrong").status_code for _ in range(6)] == [200] * 5 + [429]


@pytest.mark.slow
def test_a_new_password_makes_other_browsers_strangers_again(laura: Player) -> None:
    here, lost = Client(), Client()
    for each in (here, lost):
        log_in(each)
    here.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW})
    here.post("/accounts/logout/")
    guess(11, address=HERE)
    assert [log_in(each, NEW).status_code for each in (lost, here)] == [429, 302]


def test_new_passwords_that_strangers_ask_for_reach_the_owner_and_the_sixth_is_told_when_to_come_again(
    laura: Player,
) -> None:
    def ask(number: int) -> Any:
        sent = {"email": "laura@example.org"}
        return Client().post("/accounts/password/reset/", sent, REMOTE_ADDR=f"203.0.113.{number}")

    assert [ask(number).status_code for number in range(5)] == [302] * 5
    assert {each.to[0] for each in mail.outbox} == {"laura@example.org"}
    refused = ask(5)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    assert "its link works" in Page.of(refused).text


@pytest.mark.some(1)
@pytest.mark.parametrize("made", ["forged", "", "W10:1x:y"])
def test_a_cookie_that_is_not_ours_makes_nobody_known(laura: Player, made: str) -> None:
    client = Client()
    client.cookies[devices.DEVICE_COOKIE] = made
    guess(6, address=HERE)
    assert log_in(client).status_code == 429


def test_wrong_codes_of_a_thief_who_has_the_password_do_not_lock_the_owners_browser(laura: Player) -> None:
    owner, thief = Client(), Client()
    log_in(owner)
    owner.post("/accounts/logout/")
    TOTP.activate(user_of(laura), generate_totp_secret())
    codes = Authenticator.objects.create(
        user=user_of(laura), type="recovery_codes", data={"migrated_codes": ["12345678"]}
    )
    assert codes.wrap().get_unused_codes() == ["12345678"]

    def code(client: Client, sent: str) -> int:
        status: int = client.post("/accounts/2fa/authenticate/", {"code": sent}).status_code
        return status

    log_in(thief, address=THERE)
    assert [code(thief, "000000") for _ in range(6)] == [200] * 5 + [429]
    log_in(owner)
    assert code(owner, "000000") == 200
    assert code(owner, "12345678") == 302
    assert is_in(owner)
