"""Laura signs up, confirms her address, logs in and resets her password."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import global_settings
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from games.accounts import people
from games.accounts.models import Profile
from games.models import Player
from tests.assertions.page import Page
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.games.accounts.conftest import PASSWORD, signed_in, user_of

pytestmark = pytest.mark.django_db


def sign_up(client: Client, name: str, email: str = "", password: str = PASSWORD) -> Any:
    sent = {"username": name, "email": email, "password1": password, "password2": password}
    return client.post("/accounts/signup/", sent)


def link_in(body: str) -> str:
    """Return the path of the only link in an email."""
    found = re.search(r"http://testserver(/\S+)", body)
    assert found
    return found[1]


def log_in(name: str, password: str = PASSWORD) -> bool:
    client = Client()
    client.post("/accounts/login/", {"login": name, "password": password})
    return "_auth_user_id" in client.session


def test_who_signs_up_is_signed_in_and_has_a_name_and_a_profile() -> None:
    client = Client()
    client.cookies["zone"] = "Europe%2FDublin"
    assert sign_up(client, "Laura").status_code == 302
    player = Player.objects.get(name="Laura")
    assert user_of(player).profile == Profile.objects.get(zone="Europe/Dublin", guest=False)
    assert '<span class="name">Laura</span>' in client.get("/").content.decode()
    assert mail.outbox == []


def test_an_address_is_confirmed_by_the_link_that_was_sent_to_it() -> None:
    client = Client()
    sign_up(client, "Laura", "laura@example.org")
    assert mail.outbox[0].to == ["laura@example.org"]
    assert "Laura entered this email address" in mail.outbox[0].body
    address = EmailAddress.objects.get()
    assert not address.verified

    link = link_in(str(mail.outbox[0].body))
    page = Page.of(client.get(link))
    assert "laura@example.org" in page.text
    assert not EmailAddress.objects.get().verified, "a mail scanner that follows links confirms nothing"
    client.post(link)
    assert EmailAddress.objects.get().verified


def test_one_logs_in_by_name_however_it_is_written_and_by_address(laura: Player) -> None:
    assert all(log_in(name) for name in ("Laura", "LAURA", "l\u00e1ura", "laura@example.org"))
    assert not log_in("Laura", "wrong")
    assert not log_in("Lara")


@pytest.mark.slow
def test_a_password_is_kept_as_a_hash_that_takes_its_time(settings: Any) -> None:
    """OWASP Password Storage requires PBKDF2 with SHA-256 in at least 600,000 rounds. (Other tests use one round.)"""
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    sign_up(Client(), "Laura")
    algorithm, rounds, _salt, _hash = user_of(Player.objects.get(name="Laura")).password.split("$")
    assert algorithm == "pbkdf2_sha256"
    assert int(rounds) >= 600_000
    assert log_in("Laura")
    assert not log_in("Laura", "wrong")


def test_an_admin_made_on_the_command_line_logs_in_by_username() -> None:
    User.objects.create_superuser("root", password=PASSWORD)
    assert log_in("root")


def test_a_wrong_name_and_a_wrong_password_are_answered_alike(client: Client, laura: Player) -> None:
    answers = [
        Page.of(client.post("/accounts/login/", {"login": name, "password": "wrong"})).text.replace(name, "")
        for name in ("Laura", "Nobody")
    ]
    assert answers[0] == answers[1]
    assert "The name or the password is wrong." in answers[0]


def test_passwords_cannot_be_guessed_for_long_by_any_way_to_write_the_name(client: Client, laura: Player) -> None:
    ways = ["Laura", "LAURA", "laura ", "L\u00e1ura", "laura@example.org", "laura"]
    answers = [client.post("/accounts/login/", {"login": name, "password": "wrong"}) for name in ways]
    assert [each.status_code for each in answers] == [200] * 5 + [429]
    assert answers[-1].headers["Retry-After"] == "300"
    assert "Wait 300 seconds" in Page.of(answers[-1]).text
    client.post("/accounts/login/", {"login": "Laura", "password": PASSWORD})
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("LAURA", "This name, or one that looks like it, is taken"),
        ("1aura", "This name, or one that looks like it, is taken"),
        ("sensible", "This name, or one that looks like it, is taken"),
        ("Guest 12", "This name is reserved"),
        ("L", "A name must have 2 to 40 characters."),
        ("Lau\u202era", "letters, digits"),
    ],
)
def test_a_name_that_cannot_be_had_is_refused_at_its_field_and_what_was_typed_stays(
    client: Client, laura: Player, name: str, sentence: str
) -> None:
    ensure_builtin_bots()
    users = User.objects.count()
    page = Page.of(sign_up(client, name, "new@example.org"))
    assert sentence in page.text
    assert "new@example.org" in [attrs.get("value") for tag, attrs in page.tags if tag == "input"]
    assert User.objects.count() == users


def test_a_name_that_was_taken_a_moment_ago_makes_no_half_account(
    client: Client, join: Callable[..., Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two people send the form at the same time: both pass the check, and one gets the name."""
    join("Laura")
    User.objects.update(username="another")
    monkeypatch.setattr(people, "_is_taken", lambda name, user: False)
    response = sign_up(client, "Laura")
    assert response.status_code == 302
    assert User.objects.count() == 1
    assert "This name, or one that looks like it, is taken" in Page.of(client.get("/accounts/signup/")).text


def test_a_weak_password_is_refused_with_the_reason(client: Client) -> None:
    assert "too common" in Page.of(sign_up(client, "Laura", password="password1")).text
    assert "too similar" in Page.of(sign_up(client, "Laurabella", password="laurabella")).text


def test_with_mandatory_addresses_nobody_is_let_in_before_theirs_is_confirmed(client: Client, settings: Any) -> None:
    settings.SCOREBOOK_EMAIL_REQUIRED, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
    assert "This field is required." in Page.of(sign_up(client, "Laura")).text
    response = sign_up(client, "Laura", "laura@example.org")
    assert response.url == "/accounts/confirm-email/"
    assert "_auth_user_id" not in client.session
    assert not log_in("Laura")
    client.post(link_in(str(mail.outbox[0].body)))
    assert log_in("Laura")


def test_with_mandatory_addresses_a_known_one_is_not_told_from_a_new_one(
    client: Client, laura: Player, settings: Any
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
    response = sign_up(client, "Ines", "laura@example.org")
    assert response.url == "/accounts/confirm-email/"
    assert not Player.objects.filter(name="Ines").exists()
    assert mail.outbox[0].to == ["laura@example.org"]
    assert "already" in str(mail.outbox[0].body)


def test_a_forgotten_password_is_replaced_by_way_of_the_mail(client: Client, laura: Player) -> None:
    response = client.post("/accounts/password/reset/", {"email": "laura@example.org"}, follow=True)
    assert "If an account has this address" in Page.of(response).text
    body = str(mail.outbox[0].body)
    assert "the account of Laura" in body
    form = client.get(link_in(body), follow=True)
    new = "another lamp 8"
    done = client.post(form.redirect_chain[-1][0], {"password1": new, "password2": new}, follow=True)
    assert "Your password has been changed" in Page.of(done).text
    assert (log_in("Laura", new), log_in("Laura")) == (True, False)
    assert "This link is not valid" in Page.of(Client().get(link_in(body), follow=True)).text


def test_whether_an_address_has_an_account_is_not_told(client: Client, laura: Player) -> None:
    known = client.post("/accounts/password/reset/", {"email": "laura@example.org"}, follow=True)
    unknown = client.post("/accounts/password/reset/", {"email": "nobody@example.org"}, follow=True)
    assert Page.of(known).text == Page.of(unknown).text
    assert len(mail.outbox) == 1


def test_where_mail_is_only_logged_the_page_says_where(client: Client, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert "written to its log" in Page.of(client.get("/accounts/password/reset/done/")).text
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert "written to its log" not in Page.of(client.get("/accounts/password/reset/done/")).text


def test_a_changed_address_counts_once_it_is_confirmed(laura: Player) -> None:
    client = signed_in(laura)
    client.post("/accounts/email/", {"email": "new@example.org", "action_add": ""})
    page = Page.of(client.get("/accounts/email/"))
    assert "Your email address is laura@example.org. It is confirmed." in page.text
    assert "new@example.org is not confirmed yet" in page.text
    body = next(str(letter.body) for letter in mail.outbox if letter.to == ["new@example.org"])
    client.post(link_in(body))
    assert [(each.email, each.verified) for each in EmailAddress.objects.all()] == [("new@example.org", True)]


def test_a_changed_password_ends_the_other_log_ins(laura: Player) -> None:
    here, there = signed_in(laura), signed_in(laura)
    new = "another lamp 8"
    here.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    assert here.get("/me/").status_code == 200
    assert there.get("/me/").status_code == 302
    assert log_in("Laura", new)


ENTRANCES = ["login", "signup", "password/reset", "password/reset/done", "password/reset/key/done", "confirm-email",
             "inactive", "password/reset/key/1-bad", "confirm-email/bad"]  # fmt: skip
INSIDE = ["logout", "email", "password/change", "2fa", "reauthenticate"]


@pytest.mark.parametrize("path", ENTRANCES)
def test_every_page_before_the_log_in_is_in_the_platforms_look_and_without_fault(client: Client, path: str) -> None:
    look_at(client, path)


@pytest.mark.parametrize("path", INSIDE)
def test_every_page_behind_the_log_in_is_in_the_platforms_look_and_without_fault(laura: Player, path: str) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": "Laura", "password": PASSWORD})
    look_at(client, path)


def look_at(client: Client, path: str) -> None:
    response = client.get(f"/accounts/{path}/", follow=True)
    assert response.status_code == 200
    page = Page.of(response)
    assert page.faults() == []
    assert ("header", {"class": "masthead"}) in page.tags
    assert "entrance" in [attrs.get("class") for tag, attrs in page.tags if tag == "div"]


def test_a_second_factor_is_set_up_and_then_asked_for(laura: Player, code_now: Callable[[str], str]) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": "Laura", "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = Page.of(client.get("/accounts/2fa/totp/activate/"))
    assert page.faults() == []
    secret = next(attrs["value"] for tag, attrs in page.tags if attrs.get("id") == "authenticator_secret")
    assert client.post("/accounts/2fa/totp/activate/", {"code": code_now(secret)}).status_code == 302
    assert Authenticator.objects.filter(user=user_of(laura), type="totp").exists()
    for path in ("2fa", "2fa/recovery-codes", "2fa/totp/deactivate"):
        assert client.get(f"/accounts/{path}/").status_code == 200
    again = Client()
    response = again.post("/accounts/login/", {"login": "Laura", "password": PASSWORD})
    assert response.headers["Location"] == "/accounts/2fa/authenticate/"
    assert Page.of(again.get(response.headers["Location"])).faults() == []
    assert "_auth_user_id" not in again.session


def entrances(page: Page) -> set[str]:
    """Return the addresses of the header's links for login and sign-up."""
    return {link for link in page.links("/accounts/") if "login" in link or "signup" in link}


def test_the_header_leads_back_to_where_one_was(client: Client) -> None:
    here = "/ratings/?pool=3"
    wanted = "next=%2Fratings%2F%3Fpool%3D3"
    links = entrances(Page.of(client.get(here)))
    assert links == {f"/accounts/login/?{wanted}", f"/accounts/signup/?{wanted}"}
    on_log_in = Page.of(client.get(f"/accounts/login/?{wanted}"))
    assert all(wanted.replace("%2F", "/") in link.replace("%2F", "/") for link in entrances(on_log_in))
    for asked in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        page = client.get("/accounts/login/", {"next": asked}).content.decode()
        header = page[page.index("<header") : page.index("</header>")]
        assert "evil" not in header
        assert "javascript" not in header
    assert entrances(Page.of(client.get("/"))) == {"/accounts/login/", "/accounts/signup/"}


def test_who_confirms_an_address_comes_back_to_where_they_were(client: Client, settings: Any) -> None:
    settings.SCOREBOOK_EMAIL_REQUIRED, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"
    sent = {"username": "Laura", "email": "laura@example.org", "password1": PASSWORD, "password2": PASSWORD}
    client.post("/accounts/signup/", {**sent, "next": "/clubs/"})
    link = link_in(str(mail.outbox[0].body))
    held = {
        attrs["name"]: attrs["value"] for tag, attrs in Page.of(client.get(link)).tags if attrs.get("name") == "next"
    }
    confirmed = client.post(link.partition("?")[0], held)
    assert confirmed["Location"] == "/accounts/login/?next=%2Fclubs%2F"
    found = client.get(confirmed["Location"]).content.decode()
    assert '<input type="hidden" name="next" value="/clubs/"' in found


def test_who_has_a_second_factor_comes_back_to_where_they_were(
    client: Client, laura: Player, code_now: Callable[[str], str]
) -> None:
    secret = "JBSWY3DPEHPK3PXP"
    Authenticator.objects.create(user=user_of(laura), type=Authenticator.Type.TOTP, data={"secret": secret})
    asked = client.post("/accounts/login/", {"login": "Laura", "password": PASSWORD, "next": "/clubs/"})
    assert asked["Location"].startswith("/accounts/2fa/authenticate/")
    answer = client.post(asked["Location"], {"code": code_now(secret)})
    assert answer["Location"] == "/clubs/"
