"""Admins warn, mute, rename and ban. Each sanction has a reason and an end, and can be appealed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail as sent_mail
from django.test import Client

from games import tasks
from games.accounts import mail, notices, people, tokens
from games.accounts.models import AccessToken, Notice, ReservedName, Sanction, Session
from games.bots import uploads
from games.bots.remote import services as remote
from games.common import clock
from games.common.errors import DomainError
from games.lobby import services as lobby
from games.lobby.models import OpenTable
from games.lobby.table_request import TableRequest
from games.models import Bot, Game, Player
from games.moderation import sanctions
from games.play import services as play
from games.play.departures import FORFEITED
from tests.assertions.page import Page
from tests.games.moderation.conftest import PASSWORD, Join, browser, call, code

pytestmark = pytest.mark.django_db


def player(user: User) -> Player:
    return Player.objects.get(user=user)


def challenge(by: User, whom: User) -> OpenTable:
    return lobby.create_table(
        host=player(by), wish=TableRequest(kind="plates", seats=2, access="invited", invited=[player(whom)])
    )


def refusal(call: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(DomainError) as refused:
        call(**arguments)
    return refused.value.status, refused.value.code


# who may use sanctions


def test_only_admins_do_such_things_and_only_a_superuser_to_an_admin(
    martha: User, laura: User, ada: User, zoe: User, root: User
) -> None:
    for act in (sanctions.warn, sanctions.mute, sanctions.ban):
        assert refusal(act, user=martha, by=laura, reason="…") == (403, "not_an_admin")
        assert refusal(act, user=zoe, by=ada, reason="…") == (403, "is_admin")
        assert refusal(act, user=ada, by=ada, reason="…") == (403, "not_yourself")
        assert refusal(act, user=root, by=ada, reason="…") == (403, "is_admin")
    assert refusal(sanctions.rename, user=zoe, by=ada) == (403, "is_admin")
    assert sanctions.ban(user=zoe, by=root, reason="Bans for sport.").pk


# warnings


def test_a_warning_stands_on_every_page_until_it_is_read(martha: User, laura: User, ada: User) -> None:
    made = sanctions.warn(user=martha, by=ada, reason="Be kind to who loses.")
    client = browser(martha)
    assert "You have a warning." in Page.of(client.get("/clubs/")).text
    assert "You have a warning." not in Page.of(browser(laura).get("/clubs/")).text
    page = Page.of(client.get("/me/conduct/")).text
    assert "Be kind to who loses." in page
    assert "Ada" not in page
    client.post("/me/conduct/", {"act": "read", "measure": made.pk})
    assert "You have a warning." not in Page.of(client.get("/clubs/")).text
    made.refresh_from_db()
    assert made.seen_at


def test_before_it_is_read_nothing_is_written_to_others_and_play_goes_on(martha: User, laura: User, ada: User) -> None:
    game = play.open_game(kind="plates", players=[player(martha), player(laura)], terms={"rated": False})
    made = sanctions.warn(user=martha, by=ada, reason="Be kind.")
    assert refusal(challenge, by=martha, whom=laura) == (403, "warning_unread")
    assert call(martha, "post", f"games/{game.public_id}/resign/").status_code in (200, 201)
    assert call(martha, "post", f"me/conduct/{made.pk}/read/").json()["seen_at"]
    assert challenge(martha, laura).pk


def test_nobody_reads_the_warning_of_another(martha: User, laura: User, ada: User) -> None:
    made = sanctions.warn(user=martha, by=ada, reason="Be kind.")
    assert code(call(laura, "post", f"me/conduct/{made.pk}/read/")) == (404, "measure_not_found")
    made.refresh_from_db()
    assert made.seen_at is None


# mutes


def test_who_is_muted_writes_nothing_to_others_until_then(martha: User, laura: User, ada: User) -> None:
    now = clock.now()
    with clock.frozen_at(now):
        sanctions.mute(user=martha, by=ada, reason="Insults.", until=now + timedelta(days=3))
        assert refusal(challenge, by=martha, whom=laura) == (403, "muted")
        assert refusal(uploads.new_bot, owner=martha, name="Gannet", description="Words.") == (403, "muted")
        assert "Muted until" in Page.of(browser(martha).get("/me/conduct/")).text
    with clock.frozen_at(now + timedelta(days=3, seconds=1)):
        assert challenge(martha, laura).pk, "the end counts before anybody has taken note of it"
        assert sanctions.end_expired() == 1
        assert Sanction.objects.get().ended_at


def test_a_mute_is_ended_before_its_time_and_the_person_is_told(martha: User, laura: User, ada: User) -> None:
    sanctions.mute(user=martha, by=ada, reason="Insults.")
    assert refusal(sanctions.mute, user=martha, by=ada, reason="More.") == (409, "lasts_already")
    sanctions.unmute(user=martha, by=ada)
    assert challenge(martha, laura).pk
    assert refusal(sanctions.unmute, user=martha, by=ada) == (409, "not_muted")
    subjects = Notice.objects.filter(user=martha).order_by("pk").values_list("subject", flat=True)
    assert list(subjects) == ["muted", "unmuted"]
    assert sanctions.mute(user=martha, by=ada, reason="Again.").pk


def test_the_end_of_a_ban_lets_nobody_in_who_was_banned_again_meanwhile(martha: User, ada: User) -> None:
    """The task has found that the first ban is over. Before it acts, an admin bans the person again, permanently."""
    now = clock.now()
    first = sanctions.ban(user=martha, by=ada, reason="Insults.", until=now + timedelta(days=1))
    with clock.frozen_at(now + timedelta(days=2)):
        second = sanctions.ban(user=martha, by=ada, reason="Again.")
        assert not sanctions.end_if_expired(first)
        assert sanctions.ban_of(martha) == second
        assert sanctions.end_expired() == 0
    martha.refresh_from_db()
    assert not martha.is_active


def test_a_mute_that_would_be_over_is_refused(martha: User, ada: User) -> None:
    past = clock.now() - timedelta(hours=1)
    assert refusal(sanctions.mute, user=martha, by=ada, reason="…", until=past) == (400, "bad_until")


# names


def test_an_offensive_name_is_gone_everywhere_at_once_and_nobody_gets_it(
    martha: User, laura: User, ada: User, join: Join
) -> None:
    rude = join("Rudeword")
    game = play.open_game(kind="plates", players=[player(rude), player(laura)], terms={"rated": False})
    notices.notify_users([laura.pk], "challenge", key="x", by=player(rude), game=game)
    named = sanctions.rename(user=rude, by=ada)
    assert named.name.startswith("Player ")
    for address in (f"/games/{game.public_id}/", f"/players/{named.pk}/", "/me/notices/", "/api/v1/players/"):
        text = browser(laura).get(address).content.decode()
        assert "Rudeword" not in text, address
        assert named.name in text, address
    for name in ("Rudeword", "RUDEWORD", "Rud\u00e9word"):
        assert refusal(people.check_name, text=name) == (409, "name_taken")
        assert refusal(people.rename, user=rude, text=name) == (409, "name_taken")
        assert refusal(uploads.new_bot, owner=martha, name=name) == (409, "name_taken")


def test_who_lost_a_name_still_logs_in_by_it_and_chooses_another(ada: User, join: Join) -> None:
    rude = join("Rudeword")
    sanctions.rename(user=rude, by=ada, to="Quiet Person")
    client = Client()
    client.post("/accounts/login/", {"login": "Rudeword", "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(rude.pk)
    assert people.rename(User.objects.get(pk=rude.pk), "Ines").name == "Ines"


def test_a_name_that_cannot_be_had_changes_nothing(martha: User, laura: User, ada: User) -> None:
    assert refusal(sanctions.rename, user=martha, by=ada, to="Laura") == (409, "name_taken")
    assert player(martha).name == "Martha"
    assert not ReservedName.objects.exists()


def test_a_bot_loses_its_name_with_all_its_versions(martha: User, ada: User) -> None:
    bot = remote.create_bot(owner=martha, name="Rudebot")
    named = sanctions.rename_bot(bot=bot, by=ada, to="Heron")
    assert (named.name, named.key) == ("Heron", "heron")
    assert Player.objects.get(bot_version__bot=bot).name == "Heron"
    assert refusal(uploads.new_bot, owner=martha, name="Rudebot") == (409, "name_taken")


# bans


def login(name: str) -> tuple[Client, Any]:
    client = Client()
    return client, client.post("/accounts/login/", {"login": name, "password": PASSWORD})


def test_a_ban_ends_log_ins_and_tokens_at_once(martha: User, ada: User) -> None:
    client, _answer = login("Martha")
    assert client.get("/me/").status_code == 200
    _token, secret = tokens.create_token(user=martha, name="laptop", wanted=["read"])
    headers = {"Authorization": f"Bearer {secret}"}
    assert Client(headers=headers).get("/api/v1/me/").status_code == 200
    sanctions.ban(user=martha, by=ada, reason="Sold her wins.")
    assert client.get("/me/").status_code == 302
    assert not Session.objects.filter(user_id=martha.pk).exists()
    assert code(Client(headers=headers).get("/api/v1/me/")) == (403, "banned")
    assert AccessToken.objects.get().revoked_at


def test_log_in_says_why_until_when_and_how_to_object(martha: User, ada: User) -> None:
    until = clock.now() + timedelta(days=30)
    sanctions.ban(user=martha, by=ada, reason="Sold her wins.", until=until)
    client, answer = login("Martha")
    page = Page.of(answer)
    assert answer.status_code == 403
    assert "Sold her wins." in page.text
    assert f"{until:%Y}" in page.text
    assert "Ada" not in page.text
    assert "_auth_user_id" not in client.session
    action = answer.context["token"]
    objected = client.post(f"/banned/{action}/", {"words": "It was my brother."})
    assert "It was my brother." in Page.of(objected).text
    ban = Sanction.objects.get()
    assert ban.objection == "It was my brother."
    sanctions.answer_objection(measure=ban, by=ada, words="Then he may not use your account either.")
    _client, again = login("Martha")
    assert "he may not use your account" in Page.of(again).text


def test_who_has_not_the_password_learns_nothing_of_a_ban(martha: User, ada: User) -> None:
    sanctions.ban(user=martha, by=ada, reason="Sold her wins.")
    answer = Client().post("/accounts/login/", {"login": "Martha", "password": "guessed"})
    assert "banned" not in Page.of(answer).text
    assert Client().post("/banned/made-up/", {"words": "x"}).status_code == 404


def test_the_form_of_an_objection_is_good_for_an_hour_and_takes_one(martha: User, ada: User) -> None:
    sanctions.ban(user=martha, by=ada, reason="Sold her wins.")
    client, answer = login("Martha")
    address = f"/banned/{answer.context['token']}/"
    assert client.post(address, {"words": " "}).status_code == 400
    client.post(address, {"words": "One."})
    client.post(address, {"words": "Two."})
    assert Sanction.objects.get().objection == "One."


def test_games_are_left_as_the_terms_say_and_tables_and_challenges_withdrawn(
    martha: User, laura: User, otto: User, ada: User
) -> None:
    two = play.open_game(kind="plates", players=[player(martha), player(laura)], terms={"rated": False})
    three = play.open_game(
        kind="palace",
        players=[player(martha), player(laura), player(otto)],
        terms={"rated": False, "leaver": "built_in_bot"},
    )
    waits = lobby.create_table(host=player(martha), wish=TableRequest(kind="plates", seats=2))
    asked = challenge(laura, martha)
    sanctions.ban(user=martha, by=ada, reason="…")
    assert sanctions.remove_from_games() == 2
    assert sanctions.remove_from_games() == 0, "what is done is done once"
    two.refresh_from_db()
    assert (two.status, two.seats.get(player__user=martha).left) == (Game.Status.FINISHED, FORFEITED)
    three.refresh_from_db()
    assert (three.status, three.seats.get(player__user=martha).left) == (Game.Status.PLAYING, FORFEITED)
    for each in (waits, asked):
        each.refresh_from_db()
        assert each.status == OpenTable.Status.CLOSED
    with pytest.raises(DomainError):
        challenge(laura, martha)


def test_bots_of_somebody_banned_are_seated_no_more_and_again_after_it(martha: User, laura: User, ada: User) -> None:
    bot = remote.create_bot(owner=martha, name="Heron")
    seat = Player.objects.get(bot_version__bot=bot)
    game = play.open_game(kind="plates", players=[seat, player(laura)], terms={"rated": False, "move_seconds": 60})
    sanctions.ban(user=martha, by=ada, reason="…")
    sanctions.remove_from_games()
    game.refresh_from_db()
    assert game.seats.get(player=seat).left == FORFEITED
    fresh = Player.objects.get(pk=seat.pk)
    with pytest.raises(DomainError):
        play.open_game(kind="plates", players=[fresh, player(laura)], terms={"rated": False, "move_seconds": 60})
    sanctions.unban(user=martha, by=ada)
    fresh = Player.objects.get(pk=seat.pk)
    assert play.open_game(kind="plates", players=[fresh, player(laura)], terms={"rated": False, "move_seconds": 60})


def test_an_unbanned_person_logs_in_again_and_needs_new_tokens(martha: User, ada: User) -> None:
    _token, secret = tokens.create_token(user=martha, name="laptop", wanted=["read"])
    sanctions.ban(user=martha, by=ada, reason="…")
    assert refusal(sanctions.ban, user=martha, by=ada, reason="…") == (409, "lasts_already")
    sanctions.unban(user=martha, by=ada)
    client, _answer = login("Martha")
    assert client.get("/me/").status_code == 200
    headers = {"Authorization": f"Bearer {secret}"}
    assert code(Client(headers=headers).get("/api/v1/me/")) == (401, "token_revoked")
    assert refusal(sanctions.unban, user=martha, by=ada) == (409, "not_banned")


def test_a_ban_ends_by_itself_when_its_time_is_over(martha: User, ada: User) -> None:
    now = clock.now()
    with clock.frozen_at(now):
        sanctions.ban(user=martha, by=ada, reason="…", until=now + timedelta(days=2))
        tasks.notify_people()
        assert not User.objects.filter(pk=martha.pk, is_active=True).exists()
    with clock.frozen_at(now + timedelta(days=2, seconds=1)):
        tasks.notify_people()
        assert login("Martha")[0].get("/me/").status_code == 200


def test_what_somebody_who_was_banned_is_told_comes_by_e_mail_too(martha: User, ada: User) -> None:
    sanctions.ban(user=martha, by=ada, reason="Sold her wins.")
    mail.NOTICE_MAILS.send_due()
    (letter,) = sent_mail.outbox
    assert letter.to == ["martha@example.org"]
    assert "Log in to read why" in str(letter.body)
    assert "Sold her wins." not in str(letter.body), "the reason is for who has the password"


def test_an_admin_who_closed_an_account_by_hand_is_not_overruled(martha: User, ada: User) -> None:
    """Django's own field `is_active` remains: it shows a page without a reason, and nothing reopens the account."""
    User.objects.filter(pk=martha.pk).update(is_active=False)
    _client, answer = login("Martha")
    assert answer.status_code == 302
    assert answer["Location"] == "/accounts/inactive/"
    assert sanctions.end_expired() == 0
    assert refusal(sanctions.unban, user=martha, by=ada) == (409, "not_banned")


# appeals


def test_one_objects_once_and_reads_the_answer(martha: User, laura: User, ada: User) -> None:
    made = sanctions.mute(user=martha, by=ada, reason="Insults.")
    client = browser(martha)
    client.post("/me/conduct/", {"act": "object", "measure": made.pk, f"{made.pk}-words": "It was a quotation."})
    assert code(call(martha, "post", f"me/conduct/{made.pk}/object/", {"words": "Again."})) == (
        409,
        "objected_already",
    )
    assert code(call(laura, "post", f"me/conduct/{made.pk}/object/", {"words": "x"})) == (404, "measure_not_found")
    assert refusal(sanctions.answer_objection, measure=made, by=laura, words="x") == (403, "not_an_admin")
    sanctions.answer_objection(measure=made, by=ada, words="So it was, and not of Swift.")
    assert "not of Swift" in Page.of(client.get("/me/conduct/")).text
    assert Notice.objects.filter(user=martha, subject="objection_answered").exists()


def test_bots_may_carry_no_words_of_the_muted(martha: User, ada: User) -> None:
    bot = uploads.new_bot(owner=martha, name="Gannet")
    sanctions.mute(user=martha, by=ada, reason="…")
    assert refusal(uploads.change_bot, bot=bot, description="Words.") == (403, "muted")
    assert Bot.objects.get().description == ""
