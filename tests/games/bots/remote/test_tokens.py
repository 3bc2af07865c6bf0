"""Access tokens are shown once, stored as a hash, limited to their scopes, and useless as soon as they are revoked."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import resolve

from games.accounts import people, scopes, tokens
from games.accounts.models import AccessToken, Profile
from games.bots import uploads
from games.bots.remote import services as remote_bots
from games.common import clock, rate_limits
from games.common.errors import DomainError
from games.common.policy import handler_of
from games.models import Bot, Player
from games.play import services as play
from tests.games.bots.remote.conftest import Api, Token, api, error, row_of
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League

pytestmark = pytest.mark.django_db
A_MINUTE = timedelta(minutes=1)


def test_the_secret_is_told_once_and_kept_as_a_hash(dora: User) -> None:
    browser = Client()
    browser.force_login(dora)
    made = browser.post("/api/v1/me/tokens/", {"name": "laptop", "scopes": ["read"]}, content_type="application/json")

    secret = made.json()["secret"]
    row = AccessToken.objects.get(pk=made.json()["id"])
    assert made.status_code == 201
    assert bytes(row.digest) == hashlib.sha256(secret.encode()).digest()
    assert secret[12:] not in str(AccessToken.objects.values_list())
    assert secret[12:] not in browser.get("/api/v1/me/tokens/").content.decode()
    assert api(secret).get("me/").json()["name"] == "Dora"


def test_a_token_needs_no_csrf_and_a_session_does(dora: User, martha: Player, token: Token) -> None:
    player = people.player_of_user(dora)
    assert player
    game = play.open_game(kind="chinese_ten", players=[player, martha])
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(dora)

    assert browser.post(f"/api/v1/games/{game.public_id}/resign/").status_code == 403
    assert api(token("play")).post(f"games/{game.public_id}/resign/").status_code == 200


@pytest.mark.parametrize(
    "secret",
    ["", "sb_", "hello", "sb_" + "a" * 48, "sb_" + "a" * 47, "sb_" + "é" * 48, "sb_" + "a" * 48 + "\x00", "a" * 9000],
)
def test_what_is_no_token_is_refused_even_where_anybody_may_read(db: None, secret: str) -> None:
    refused = Client().get("/api/v1/kinds/", HTTP_AUTHORIZATION=f"Bearer {secret}")

    assert error(refused) == (401, "bad_token")
    assert refused.headers["WWW-Authenticate"].startswith("Bearer ")


def test_the_right_prefix_opens_nothing_and_tells_nothing(token: Token) -> None:
    secret = token("read")
    tokens.revoke(row_of(secret))

    assert error(api(secret[:11] + "x" * 40).get("me/")) == (401, "bad_token")
    assert error(api(secret).get("me/")) == (401, "token_revoked")


def test_other_ways_to_sign_in_are_left_alone(dora: User) -> None:
    browser = Client()
    browser.force_login(dora)
    assert browser.get("/api/v1/me/", HTTP_AUTHORIZATION="Basic ZG9yYTpw").status_code == 200


def test_a_token_opens_no_page(token: Token) -> None:
    response = Client().get("/me/", HTTP_AUTHORIZATION=f"Bearer {token('account')}")
    assert response.status_code == 302


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "me/", "read"),
        ("POST", "tables/", "play"),
        ("POST", "bots/Kit%20Bird/versions/", "bots"),
    ],
)
def test_a_request_outside_of_a_tokens_scopes_is_refused_with_the_scope_that_it_needs(
    token: Token, method: str, path: str, scope: str
) -> None:
    others = [each for each in scopes.SCOPES if each != scope]

    refused = api(token(*others)).call(method, path, None if method == "GET" else {})

    assert error(refused) == (403, "bad_scope")
    assert refused.json()["error"]["scope"] == scope
    assert f'scope="{scope}"' in refused.headers["WWW-Authenticate"]
    assert api(token(scope)).call(method, path, None if method == "GET" else {}).status_code != 403


def test_a_request_that_no_scope_is_for_takes_no_token(token: Token) -> None:
    assert error(api(token(*scopes.SCOPES)).post("kinds/")) == (403, "not_for_tokens")


def test_a_token_ends_at_its_time(dora: User) -> None:
    at = clock.now() + timedelta(hours=1)
    _row, secret = tokens.create_token(user=dora, name="an hour", wanted=["read"], expires_at=at)

    assert api(secret).get("me/").status_code == 200
    with clock.frozen_at(at + A_MINUTE):
        assert error(api(secret).get("me/")) == (401, "token_expired")


def test_the_last_use_is_written_at_most_once_a_minute(token: Token, django_assert_num_queries: Any) -> None:
    secret = token("read")
    program = api(secret)
    noon = clock.now()
    with clock.frozen_at(noon):
        program.get("kinds/")
    assert row_of(secret).used_at == noon

    rate_limits.forget_advances()
    with clock.frozen_at(noon + A_MINUTE / 2), django_assert_num_queries(2):  # the token, and the count of requests
        program.get("kinds/")
    assert row_of(secret).used_at == noon
    with clock.frozen_at(noon + A_MINUTE):
        program.get("kinds/")
    assert row_of(secret).used_at == noon + A_MINUTE


def test_a_revoked_token_opens_nothing_from_then_on(dora: User, token: Token) -> None:
    lost, kept = token("read"), token("account")

    assert api(kept).call("DELETE", f"me/tokens/{row_of(lost).pk}/").status_code == 204

    assert error(api(lost).get("me/")) == (401, "token_revoked")
    assert api(kept).get("me/tokens/").status_code == 200


def test_nobody_lists_or_revokes_the_tokens_of_others(emil: User, token: Token) -> None:
    doras, emils = token("account"), token("account", user=emil)

    assert [each["prefix"] for each in api(emils).get("me/tokens/").json()] == [emils[3:11]]
    assert error(api(emils).call("DELETE", f"me/tokens/{row_of(doras).pk}/")) == (404, "token_not_found")
    assert api(doras).get("me/tokens/").status_code == 200


def test_a_token_makes_none_that_may_more_than_itself(token: Token) -> None:
    program = api(token("account", "read"))

    assert error(program.post("me/tokens/", {"name": "x", "scopes": ["read", "play"]})) == (403, "bad_scope")
    assert program.post("me/tokens/", {"name": "x", "scopes": ["read"]}).status_code == 201


def test_a_token_that_ends_makes_none_that_is_good_for_longer(dora: User) -> None:
    end = clock.now() + 60 * A_MINUTE
    _row, secret = tokens.create_token(user=dora, name="an hour", wanted=["read", "account"], expires_at=end)
    program, asked = api(secret), {"name": "x", "scopes": ["account"]}
    for later in (None, (end + A_MINUTE).isoformat()):
        assert error(program.post("me/tokens/", {**asked, "expires_at": later})) == (403, "outlives_its_maker")
    assert error(program.post("me/tokens/", {**asked, "scopes": ["bots"]})) == (403, "bad_scope")
    same = program.post("me/tokens/", asked).json()
    sooner = program.post("me/tokens/", {**asked, "expires_at": (end - A_MINUTE).isoformat()}).json()
    assert row_of(same["secret"]).expires_at == end
    assert row_of(sooner["secret"]).expires_at == end - A_MINUTE
    child = api(same["secret"]).post("me/tokens/", {**asked, "expires_at": None})
    assert error(child) == (403, "outlives_its_maker")


def test_a_token_without_an_end_makes_tokens_with_one_and_without(token: Token) -> None:
    program = api(token("account"))
    for until in (None, (clock.now() + A_MINUTE).isoformat()):
        made = program.post("me/tokens/", {"name": "x", "scopes": ["account"], "expires_at": until})
        assert made.status_code == 201
    assert program.post("me/tokens/", {"name": "x", "scopes": ["account"]}).json()["expires_at"] is None


def test_with_an_account_go_its_tokens(dora: User, token: Token) -> None:
    secret = token("read")
    dora.is_active = False
    dora.save()
    assert error(api(secret).get("me/")) == (401, "bad_token")

    people.delete_account(dora)
    assert not AccessToken.objects.exists()


def test_a_guest_has_no_tokens(dora: User) -> None:
    Profile.objects.filter(user=dora).update(guest=True)
    assert refusal(dora) == (403, "guest")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"name": " \n "}, "bad_token_name"),
        ({"name": "x" * 61}, "bad_token_name"),
        ({"name": "a\x00b"}, "bad_token_name"),
        ({"wanted": []}, "bad_scopes"),
        ({"wanted": ["read", "everything"]}, "bad_scopes"),
        ({"expires_at": clock.now() - A_MINUTE}, "bad_expiry"),
    ],
)
def test_a_token_that_cannot_be_is_refused_with_a_reason(dora: User, asked: dict[str, Any], code: str) -> None:
    assert refusal(dora, **asked) == (400, code)


def refusal(user: User, **asked: Any) -> tuple[int, str]:
    with pytest.raises(DomainError) as refused:
        tokens.create_token(user=user, **{"name": "x", "wanted": ["read"], **asked})
    return refused.value.status, refused.value.code


def test_somebody_has_thirty_tokens_and_no_more(dora: User, token: Token) -> None:
    secrets = [token("read") for _each in range(tokens.MAX_VALID_TOKENS)]
    assert refusal(dora) == (409, "too_many_tokens")
    tokens.revoke(row_of(secrets[0]))
    assert token("read")


def test_of_the_tokens_that_hold_streams_those_that_are_over_are_found(dora: User, puffins: str, token: Token) -> None:
    """This ends streams whose message of revocation was lost, or whose token has expired."""
    noon = clock.now()
    revoked, good = row_of(token("read")), row_of(puffins)
    brief, _secret = tokens.create_token(user=dora, name="x", wanted=["read"], expires_at=noon + A_MINUTE)
    tokens.revoke(revoked)

    with clock.frozen_at(noon):
        assert tokens.still_valid([revoked.pk, good.pk, brief.pk]) == {good.pk, brief.pk}
    with clock.frozen_at(noon + A_MINUTE):
        assert tokens.still_valid([revoked.pk, good.pk, brief.pk]) == {good.pk}
    good.refresh_from_db()
    assert good.used_at == noon + A_MINUTE


def test_tokens_that_are_over_are_forgotten_after_a_month(token: Token) -> None:
    old, kept = token("read"), token("read")
    tokens.revoke(row_of(old))
    with clock.frozen_at(clock.now() + timedelta(days=31)):
        assert tokens.delete_old_tokens() == 1
    assert list(AccessToken.objects.all()) == [row_of(kept)]


# -- a bot's token


def test_a_bots_token_is_the_bot_and_not_its_owner(puffins: str, token: Token) -> None:
    assert api(puffins).get("me/").json()["name"] == "Puffin"
    assert api(token("read")).get("me/").json()["name"] == "Dora"


@pytest.mark.parametrize(
    "path",
    [
        "me/notices/",
        "me/vacations/",
        *(
            f"bots/{name}/{rest}"
            for name in ("Razorbill", "Kit%20Bird")
            for rest in ("faults/", "comparisons/", "versions/1/admission/", "versions/1/source/")
        ),
    ],
)
def test_who_finds_a_bots_token_reads_nothing_of_its_owners(puffins: str, token: Token, dora: User, path: str) -> None:
    for name in ("Razorbill", "Kit Bird"):
        uploads.upload_version(bot=uploads.new_bot(owner=dora, name=name), data=b"class Bot: secret = 1")
    assert error(api(puffins).get(path)) == (403, "not_for_bots")
    assert api(token("read")).get(path).status_code == 200


def test_a_bot_knows_no_private_bot_of_its_owners_and_none_of_their_settings(
    puffins: str, token: Token, dora: User
) -> None:
    uploads.new_bot(owner=dora, name="Petrel", visibility="private")
    owner, bot = api(token("read")), api(puffins)

    names = [[each["name"] for each in asker.get("bots/").json()["results"]] for asker in (owner, bot)]
    assert names == [["Petrel", "Puffin"], ["Puffin"]]
    assert [asker.get("bots/Petrel/").status_code for asker in (owner, bot)] == [200, 404]
    assert [each["name"] for each in bot.get("bots/?mine=true").json()["results"]] == ["Puffin"]
    assert [len(asker.get("me/").json()["mails"]) > 0 for asker in (owner, bot)] == [True, False]


def test_a_bot_is_a_member_where_its_owner_organises(puffins: str, token: Token, dora: User) -> None:
    club = club_lifecycle.found_club(user=dora, name="Lantern Street", visibility="private")
    owner, bot = api(token("read")), api(puffins)

    listed = [asker.get("clubs/").json()["results"][0] for asker in (owner, bot)]
    alone = [asker.get(f"clubs/{club.slug}/").json() for asker in (owner, bot)]
    assert [each["your_role"] for each in (*listed, *alone)] == ["owner", "member"] * 2
    assert error(bot.get(f"clubs/{club.slug}/inbox/")) == (403, "not_for_bots")


def test_a_bot_enters_no_other_bot_of_its_owners(puffins: str, dora: User) -> None:
    club = club_lifecycle.found_club(user=dora, name="Lantern Street")
    season = seasons.create_season(
        league=League.objects.create(club=club, name="Ten", slug="ten"), name="Winter", kind="chinese_ten"
    )
    other = remote_bots.create_bot(owner=dora, name="Razorbill").versions.get().player

    refused = api(puffins).post(f"seasons/{season.pk}/join/", {"player": other.pk})
    assert error(refused) == (403, "not_your_bot")


def test_each_address_that_the_documents_put_under_account_needs_that_scope() -> None:
    text = (settings.BASE_DIR / "docs" / "reference" / "api.md").read_text()
    row = next(line for line in text.splitlines() if line.startswith("| `account` |"))
    addresses = re.findall(r"`(\S+/)`", row)
    assert "me/tokens/" in addresses
    for address in addresses:
        view = resolve(f"/api/v1/{address}").func
        for method in ("GET", "POST"):
            if handler_of(view, method):
                assert scopes.required_scope(view, method) == "account", (method, address)


@pytest.mark.parametrize(
    ("method", "path"),
    [("PATCH", "me/"), ("GET", "me/export/"), ("POST", "me/tokens/"), ("POST", "tables/"), ("POST", "remote-bots/")],
)
def test_a_bot_changes_nothing_of_its_owners(puffins: str, method: str, path: str) -> None:
    status, code = error(api(puffins).call(method, path, {}))
    assert (status, code) in [(403, "not_for_bots"), (403, "bad_scope")]


@pytest.mark.parametrize(
    "path",
    ["tables/", "tables/abc/sit/", "tables/abc/ready/", "games/7F3KQ0AB/rematch/", "games/7F3KQ0AB/decline-rematch/"],
)
def test_a_bot_takes_no_seat_where_people_look_for_people_and_hears_where_it_may(puffins: str, path: str) -> None:
    refused = api(puffins).post(path)
    assert error(refused) == (403, "not_for_bots")
    assert "POST remote-bots/<id>/games/" in refused.json()["error"]["sentence"]


def test_a_bots_token_has_no_other_scopes_than_read_and_play(dora: User, puffin: Bot) -> None:
    assert refusal(dora, bot=puffin, wanted=["read", "account"]) == (400, "bad_scopes")


def test_nobody_plays_as_the_bot_of_another(emil: User, puffin: Bot) -> None:
    assert refusal(emil, bot=puffin) == (403, "not_your_bot")


def test_a_bot_that_is_handed_on_takes_a_token_of_its_new_owner(emil: User, puffin: Bot, puffins: str) -> None:
    puffin.owner = emil
    puffin.save()
    assert error(api(puffins).get("me/")) == (401, "token_revoked")


def test_a_program_without_a_token_is_nobody(db: None) -> None:
    program: Api = api()
    assert error(program.get("me/tokens/")) == (403, "not_signed_in")
    assert error(program.get("remote-bots/")) == (403, "not_signed_in")
