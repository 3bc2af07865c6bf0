"""Admins help people to log in again: Martha has forgotten her password, and Zoe has lost her phone. Each action needs
a reason and is recorded; no form changes these rows directly."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse

from games.accounts import people, tokens
from games.accounts.models import Notice, Session
from games.admin_actions.models import AdminAction
from games.admin_actions.registry import perform
from games.common import clock
from games.common.errors import DomainError
from tests.assertions.page import Page
from tests.games.moderation.conftest import PASSWORD, Join, browser, call

pytestmark = pytest.mark.django_db
ANOTHER = "stove and kettle 9"


def refused(code: str, target: str, by: User, **fields: Any) -> str:
    with pytest.raises(DomainError) as error:
        perform(code, target, reason="…", by=by, **fields)
    return error.value.code


def notices_page_text(user: User) -> str:
    return Page.of(browser(user).get(reverse("notices"))).text


# passwords


def test_an_admin_hands_over_a_link_by_which_a_password_is_chosen_and_never_learns_it(
    martha: User, ada: User, zoe: User
) -> None:
    elsewhere = browser(martha)
    done = perform("new_password", "martha", reason="She forgot hers, and has no mail.", by=ada)
    assert Session.objects.filter(user_id=martha.pk).count() == 0
    assert elsewhere.get(reverse("me")).status_code == 302
    assert not Client().login(username="martha", password=PASSWORD)

    address = reverse("support-password", args=[martha.pk])
    assert done.outcome.endswith(address)
    assert "/password/reset/" not in done.outcome, "the audit holds no way in"
    assert [browser(each).get(address).status_code for each in (zoe, martha)] == [404, 404]
    page = browser(ada).get(address)
    link = str(page.context["link"])
    assert "no-store" in page.headers["Cache-Control"]

    hers = Client()
    form = hers.get("/" + link.split("/", 3)[3], follow=True)
    sent = {"password1": ANOTHER, "password2": ANOTHER}
    assert hers.post(form.redirect_chain[-1][0], sent).status_code == 302
    assert Client().login(username="martha", password=ANOTHER)
    assert browser(ada).get(address).status_code == 404, "there is no second link for who looks again"
    assert "An admin has ended your password" in notices_page_text(User.objects.get(pk=martha.pk))


def test_the_link_is_there_for_an_hour(martha: User, ada: User) -> None:
    perform("new_password", "martha", reason="…", by=ada)
    with clock.frozen_at(clock.now() + timedelta(hours=2)):
        assert browser(ada).get(reverse("support-password", args=[martha.pk])).status_code == 404


def test_a_guest_has_no_password_to_change(ada: User) -> None:
    guest = User.objects.create_user("guest-1000")
    people.create_profile_and_player(guest, "Guest 1000", guest=True)
    assert refused("new_password", "guest-1000", ada) == "guest"


def test_admins_change_their_own_password_as_everybody_does(ada: User) -> None:
    """The admin's own page would leave streams open and notify nobody."""
    assert browser(ada).get(reverse("admin:password_change")).headers["Location"] == reverse("account_change_password")


# a second factor


def app_of(user: User) -> None:
    Authenticator.objects.create(user=user, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"})


def test_who_has_lost_app_and_codes_gets_a_new_start_from_another_admin(zoe: User, ada: User, root: User) -> None:
    app_of(zoe)
    browser(zoe)
    assert refused("remove_second_factor", "zoe", ada) == "is_admin"
    assert refused("remove_second_factor", "zoe", zoe) == "not_yourself"
    perform("remove_second_factor", "zoe", reason="Her telephone is in the canal.", by=root)
    assert not Authenticator.objects.exists()
    assert not Session.objects.filter(user_id=zoe.pk).exists()
    assert refused("remove_second_factor", "zoe", root) == "no_second_factor"
    assert "removed your two-factor authentication" in notices_page_text(zoe)


def test_what_a_second_factor_is_made_of_is_shown_to_no_admin(zoe: User, root: User) -> None:
    app_of(zoe)
    client = browser(root)
    listed = client.get(reverse("admin:mfa_authenticator_changelist"), {"q": "zoe"}).content.decode()
    row = client.get(reverse("admin:mfa_authenticator_change", args=[Authenticator.objects.get().pk]))
    assert "totp" in listed.lower()
    assert row.status_code == 200
    assert "JBSWY3DPEHPK3PXP" not in listed + row.content.decode()


# tokens


def test_an_admin_who_is_sent_a_token_finds_whose_it_is_and_revokes_it_at_once(martha: User, ada: User) -> None:
    token, secret = tokens.create_token(user=martha, name="laptop", wanted=["read"])
    page = browser(ada)
    ada.user_permissions.add(Permission.objects.get(codename="view_accesstoken"))
    listed = page.get(reverse("admin:accounts_accesstoken_changelist"), {"q": f"Authorization: Bearer {secret}"})
    assert f"/admin/do/revoke_token/{token.prefix}/" in listed.content.decode()

    sent = {"action": "revoke_token", "target": secret, "reason": "It stood in a public repository.", "key": "k"}
    for _click in range(2):
        assert call(ada, "post", "admin/actions/", sent).status_code == 201
    answer = Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {secret}"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token_revoked")
    done = AdminAction.objects.get()
    assert done.target_id == token.prefix
    assert secret not in str(vars(done)), "the audit holds no secret"
    assert "revoked your access token “laptop”" in notices_page_text(martha)
    assert refused("revoke_token", token.prefix, ada) == "token_revoked"
    assert refused("revoke_token", "sb_AAAAAAAA", ada) == "no_target"


# addresses


def test_an_address_that_no_mail_reaches_is_confirmed_by_an_admin_who_knows_it(join: Join, ada: User) -> None:
    otto = join("Otto")
    EmailAddress.objects.create(user=otto, email="otto@elsewhere.example")
    assert refused("confirm_address", "otto", ada, address="somebody@elsewhere.example") == "no_address"
    assert refused("confirm_address", "otto", ada, address="no address") == "bad_fields"
    perform("confirm_address", "otto", reason="I know him.", by=ada, address="Otto@elsewhere.example")
    assert EmailAddress.objects.get(email="otto@elsewhere.example").verified
    assert "confirmed your email address" in notices_page_text(otto)


def test_two_people_do_not_have_one_confirmed_address(join: Join, martha: User, ada: User) -> None:
    otto = join("Otto")
    EmailAddress.objects.create(user=otto, email="martha@example.org")
    assert refused("confirm_address", "otto", ada, address="martha@example.org") == "address_taken"


# who is an admin


def test_a_superuser_makes_admins_with_the_rights_of_groups_and_ends_it(martha: User, root: User) -> None:
    group = Group.objects.create(name="Stewards")
    group.permissions.set(Permission.objects.filter(codename="change_game"))
    perform("make_admin", "Martha", reason="She keeps the hall.", by=root, group="Stewards")
    held = User.objects.get(pk=martha.pk)
    assert (held.is_staff, held.is_superuser) == (True, False)
    assert held.has_perm("games.change_game")
    assert refused("make_admin", "martha", root, group="Nobody's") == "bad_fields"

    perform("end_admin", "martha", reason="She has moved away.", by=root)
    held = User.objects.get(pk=martha.pk)
    assert (held.is_staff, held.groups.count()) == (False, 0)
    assert not held.has_perm("games.change_game")
    assert refused("end_admin", "martha", root) == "no_admin"
    assert refused("end_admin", "root", root) == "not_yourself", "one superuser stays"


def test_without_a_group_an_admin_may_do_all(martha: User, root: User) -> None:
    sent = {"action": "make_admin", "target": "Martha", "reason": "My deputy."}
    assert call(root, "post", "admin/actions/", sent).json()["outcome"] == "The person is now a superuser."
    assert User.objects.get(pk=martha.pk).is_superuser
    assert Notice.objects.get(user=martha).subject == "account"


def test_what_a_group_may_is_changed_with_a_reason_that_is_kept(root: User) -> None:
    client, add = browser(root), reverse("admin:auth_group_add")
    right = Permission.objects.get(codename="change_game")
    refused = client.post(add, {"name": "Stewards", "permissions": [right.pk], "why": " "})
    assert refused.status_code == 200
    assert not Group.objects.exists()

    client.post(add, {"name": "Stewards", "permissions": [right.pk], "why": "For the tournament."})
    group = Group.objects.get()
    done = AdminAction.objects.get()
    assert (done.by, done.action, done.target_id) == (root, "change_group", "Stewards")
    assert done.reason == "For the tournament."
    assert done.outcome == "Rights: games.change_game."

    assert client.post(reverse("admin:auth_group_delete", args=[group.pk]), {"post": "yes"}).status_code == 403
    perform("delete_group", "Stewards", reason="It is over.", by=root)
    assert not Group.objects.exists()


def test_no_other_row_of_the_admin_is_changed_in_a_form(root: User) -> None:
    """A change in a form would have no reason."""
    request: Any = browser(root).get(reverse("admin:index")).wsgi_request
    ways = ("add", "change", "delete")
    changed = [
        f"{way} {model.__name__}"
        for model, each in admin.site._registry.items()
        for way in ways
        if getattr(each, f"has_{way}_permission")(request)
    ]
    assert changed == ["add Group", "change Group"]


# names of the actions


def test_a_person_is_named_as_people_name_them(martha: User, ada: User) -> None:
    assert perform("warn", "Martha", reason="…", by=ada, key="k").target_id == str(martha.pk)
    assert perform("warn", "MARTHA", reason="…", by=ada, key="k").target_id == str(martha.pk)
    assert AdminAction.objects.count() == 1
    perform("rename", "martha", reason="…", by=ada, to="Heron", key="r")
    again = perform("rename", "Martha", reason="…", by=ada, to="Heron", key="r")
    assert (again.target_id, AdminAction.objects.count()) == (str(martha.pk), 2)
    assert refused("warn", "Nobody", ada) == "no_target"
