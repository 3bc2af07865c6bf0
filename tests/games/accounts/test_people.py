"""People are renamed, play as guests, sign up, export their data, and delete their account. Their games remain."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection
from django.test import Client, RequestFactory
from django.utils import timezone

from config.celery import app
from games import tasks
from games.accounts import names, notices, people
from games.accounts.models import Notice, Profile, Session
from games.admin_actions.registry import perform
from games.bots import uploads
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.eventlog.models import Batch
from games.lobby import services as lobby
from games.lobby.models import OpenTable
from games.lobby.table_request import TableRequest
from games.models import Game, Player
from games.play import offers
from games.play import services as play
from scorebook_games.gamelog.events import encode_batch
from scorebook_games.presentation.coded_text import written
from tests.assertions.confirmation import confirm
from tests.assertions.page import Page
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.games.accounts.conftest import NOON, PASSWORD, Opened, Played, play_out, signed_in, user_of
from tests.tournaments.club import new_club
from tournaments.clubs.members import set_owner_role

pytestmark = pytest.mark.django_db


# names


def test_a_new_name_stands_in_old_games_too_for_logs_hold_numbers(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    game = play_out(opened(martha, laura), play)
    response = signed_in(laura).post("/me/", {"form": "name", "name": "Lauretta"}, follow=True)
    assert "Your name is Lauretta now, in old games too." in Page.of(response).text
    page = Page.of(Client().get(f"/games/{game.public_id}/")).text
    assert "Lauretta" in page
    assert "Laura" not in page


def test_one_logs_in_by_the_new_name_and_the_old_one_is_free(laura: Player, join: Callable[..., Player]) -> None:
    people.rename(user_of(laura), "Ines")
    client = Client()
    client.post("/accounts/login/", {"login": "Laura", "password": PASSWORD})
    assert "_auth_user_id" not in client.session
    client.post("/accounts/login/", {"login": "Ines", "password": PASSWORD})
    assert "_auth_user_id" in client.session
    assert people.check_name("Laura") == "Laura"


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("martha", 409, "name_taken"),
        ("Rand om", 409, "name_taken"),
        ("x", 400, "bad_name"),
        ("a\u202eb", 400, "bad_name"),
    ],
)
def test_a_name_that_cannot_be_had_leaves_the_old_one(
    laura: Player, martha: Player, name: str, status: int, code: str
) -> None:
    ensure_builtin_bots()
    with pytest.raises(people.AccountError) as refused:
        people.rename(user_of(laura), name)
    assert (refused.value.status, refused.value.code) == (status, code)
    page = signed_in(laura).post("/me/", {"form": "name", "name": name})
    assert page.status_code == 400
    assert refused.value.sentence in Page.of(page).text
    assert Player.objects.get(pk=laura.pk).name == "Laura"


def test_one_may_write_ones_own_name_differently(laura: Player) -> None:
    assert people.rename(user_of(laura), "L\u00e1ura").name == "L\u00e1ura"


def test_a_zone_that_was_chosen_wins_over_the_browsers(martha: Player, otto: Player) -> None:
    client = signed_in(martha)
    client.cookies["zone"] = "Asia%2FTokyo"
    assert "Times are in Europe/Dublin" in Page.of(client.get("/clubs/")).text
    client.post("/me/", {"form": "zone", "zone": "America/Lima"})
    assert "Times are in America/Lima" in Page.of(client.get("/clubs/")).text
    client.post("/zone/", {"zone": "Europe/Oslo", "next": "/"})
    assert Profile.objects.get(user=martha.user).zone == "Europe/Oslo", "both forms write the same thing"
    client.post("/me/", {"form": "zone", "zone": ""})
    assert "Times are in Europe/Oslo" in Page.of(client.get("/clubs/")).text, "what the browser says, which /zone/ set"


def test_a_first_log_in_remembers_the_browsers_zone(otto: Player) -> None:
    client = Client()
    client.cookies["zone"] = "Asia%2FTokyo"
    client.post("/accounts/login/", {"login": "Otto", "password": PASSWORD})
    assert Profile.objects.get(user=otto.user).zone == "Asia/Tokyo"


# guests


def come_as_guest() -> tuple[Client, Player]:
    """Return a browser of a new guest, and the guest's player."""
    client = Client()
    request = RequestFactory().post("/")
    request.session, request.user = client.session, User()
    player = people.player_or_new_guest(request)
    request.session.save()
    client.cookies["sessionid"] = str(request.session.session_key)
    return client, player


def test_a_guest_has_a_number_for_a_name_and_is_told_how_to_stay() -> None:
    client, player = come_as_guest()
    assert player.name.startswith("Guest ")
    page = Page.of(client.get("/clubs/"))
    assert f"You are playing as guest {player.name}, unrated." in page.text
    assert page.links("/me/keep/")
    assert not user_of(player).has_usable_password()


def test_who_is_signed_in_does_not_become_a_guest(laura: Player) -> None:
    request = RequestFactory().get("/")
    request.user = user_of(laura)
    assert people.player_or_new_guest(request) == laura


def test_guests_are_limited_by_where_they_come_from() -> None:
    for _ in range(20):
        come_as_guest()
    with pytest.raises(people.AccountError) as refused:
        come_as_guest()
    assert (refused.value.status, refused.value.code) == (429, "too_many_guests")


def test_a_guest_plays_unrated_only(laura: Player, opened: Opened) -> None:
    _client, guest = come_as_guest()
    with pytest.raises(DomainError) as refused:
        opened(guest, laura)
    assert refused.value.sentence == "A game with a guest cannot be rated. Set rated to false, or sign up first."
    assert not Game.objects.exists()
    assert opened(guest, laura, rated=False).terms["rated"] is False


def test_a_guest_who_signs_up_keeps_the_player_and_the_games(laura: Player, opened: Opened, play: Played) -> None:
    client, guest = come_as_guest()
    game = opened(guest, laura, rated=False)
    assert client.get("/accounts/signup/").headers["Location"] == "/me/keep/"
    sent = {"username": "Ines", "email": "ines@example.org", "password1": PASSWORD}
    response = client.post("/me/keep/", sent, follow=True)
    assert "Welcome, Ines. Your games as a guest are kept." in Page.of(response).text
    kept = Player.objects.get(pk=guest.pk)
    assert kept.name == "Ines"
    assert game.seats.get(seat=0).player == kept
    assert mail.outbox[0].to == ["ines@example.org"]
    again = Client()
    again.post("/accounts/login/", {"login": "Ines", "password": PASSWORD})
    assert "Chinese Ten" in Page.of(again.get("/me/games/")).text
    assert opened(kept, laura).terms["rated"] is True
    assert client.get("/me/keep/").headers["Location"] == "/me/"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"username": "Laura"}, "This name, or one that looks like it, is taken"), ({"password1": "12345"}, "too short")],
)
def test_a_guest_whose_form_is_refused_stays_a_guest(laura: Player, change: dict[str, str], sentence: str) -> None:
    client, guest = come_as_guest()
    response = client.post("/me/keep/", {"username": "Ines", "password1": PASSWORD, **change})
    assert response.status_code == 400
    assert sentence in Page.of(response).text
    assert Profile.objects.get(user=guest.user).guest


def test_an_address_of_somebody_else_is_not_told_to_a_guest(laura: Player) -> None:
    client, _guest = come_as_guest()
    sent = {"username": "Ines", "email": "laura@example.org", "password1": PASSWORD}
    assert client.post("/me/keep/", sent).status_code == 302
    assert not EmailAddress.objects.filter(email="laura@example.org", verified=True).exclude(user=laura.user).exists()


def test_guests_who_do_not_stay_are_forgotten_after_thirty_days(laura: Player, opened: Opened, play: Played) -> None:
    _client, idle = come_as_guest()
    _client, playing = come_as_guest()
    _client, fresh = come_as_guest()
    over = play_out(opened(idle, laura, rated=False), play)
    opened(playing, laura, rated=False)
    long_ago = timezone.now() - timedelta(days=31)
    User.objects.filter(pk__in=[idle.user_id, playing.user_id, laura.user_id]).update(date_joined=long_ago)
    assert tasks.delete_guests() == 1
    assert set(Player.objects.filter(user__isnull=False)) == {playing, fresh, laura}
    assert over.seats.get(seat=0).player.name == f"Former player {idle.pk}"
    assert eventlog.read_events(over.stream_id)


def test_beat_forgets_guests_once_a_day() -> None:
    entry = next(each for each in app.conf.beat_schedule.values() if each["task"] == "games.delete_guests")
    assert entry["schedule"] == 24 * 60 * 60


# deleting an account


def everything_written() -> str:
    """Return every row of every table as text, and every log's events in readable form."""
    written = []
    for model in apps.get_models(include_auto_created=True):
        table_name = model._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT row_to_json(each_row)::text FROM "{table_name}" AS each_row')
            written += [row[0] for row in cursor.fetchall()]
    with connection.cursor() as cursor:
        cursor.execute("SELECT session_data FROM accounts_session")
        written += [json.dumps(Session(session_data=row[0]).get_decoded(), default=str) for row in cursor.fetchall()]
    for stream in Batch.objects.values_list("stream", flat=True).distinct():
        written += [encode_batch([entry.event]).decode("latin-1") for entry in eventlog.read_events(stream)]
    return "\n".join(written).lower()


def test_who_goes_leaves_games_and_no_name_anywhere(
    martha: Player, join: Callable[..., Player], opened: Opened, play: Played, django_capture_on_commit_callbacks: Any
) -> None:
    zerlinda = join("Zerlinda", "zerlinda@example.org")
    old = play_out(opened(martha, zerlinda), play)
    running = opened(zerlinda, martha)
    browser = Client()
    browser.post("/accounts/login/", {"login": "Zerlinda", "password": PASSWORD})
    notices.notify_users([martha.user_id or 0], "challenge", key="c1", by=zerlinda)
    assert "zerlinda" in everything_written()
    wrong = confirm(browser, "/me/delete/", {"name": "Zerlina"})
    assert wrong.status_code == 422
    assert "That is not your name, so nothing was deleted." in Page.of(wrong).text

    with django_capture_on_commit_callbacks(execute=True):
        response = confirm(browser, "/me/delete/", {"name": "Zerlinda"}, follow=True)
    assert "Your account is deleted." in Page.of(response).text
    assert "_auth_user_id" not in browser.session
    assert "zerlinda" not in everything_written()
    running.refresh_from_db()
    assert (running.status, running.seats.get(seat=0).left) == ("finished", "resigned")
    assert f"Former player {zerlinda.pk}" in Page.of(Client().get(f"/games/{old.public_id}/")).text
    assert Client().get(f"/players/{zerlinda.pk}/").status_code == 200
    words = [notices.notice_row(notice).words for notice in notices.notices_of(user_of(martha))]
    assert f"Former player {zerlinda.pk} challenges you." in words
    assert people.check_name("Zerlinda") == "Zerlinda"


def test_all_log_ins_of_who_goes_end_at_once(laura: Player) -> None:
    here, there = signed_in(laura), signed_in(laura)
    confirm(here, "/me/delete/", {"name": "Laura"})
    assert there.get("/me/").status_code == 302
    assert not Session.objects.filter(user_id=laura.user_id).exists()


def test_a_club_is_handed_over_before_its_owner_goes(laura: Player, martha: Player) -> None:
    club = new_club(name="Lantern Street", slug="lantern", owner=user_of(laura))
    client = signed_in(laura)
    page = Page.of(client.get("/me/delete/"))
    assert "You own a club. Transfer it to a member first" in page.text
    assert "/clubs/lantern/transfer/" in page.text
    assert client.post("/me/delete/", {"name": "Laura"}).status_code == 400
    with pytest.raises(people.AccountError) as refused:
        people.delete_account(user_of(laura))
    assert (refused.value.status, refused.value.code) == (409, "account_needed")
    assert Player.objects.get(pk=laura.pk).name == "Laura"

    club.owner = user_of(martha)
    club.save()
    set_owner_role(club)
    confirm(client, "/me/delete/", {"name": "Laura"})
    assert not User.objects.filter(pk=laura.user_id or 0).exists()


def test_with_an_author_go_the_sources_and_names_of_the_bots_and_the_rows_of_their_games_stay(laura: Player) -> None:
    bot = uploads.new_bot(owner=user_of(laura), name="Gannet", description="Dives.")
    version = uploads.upload_version(bot=bot, data=b"class Bot:\n    pass\n")
    people.delete_account(user_of(laura))
    bot.refresh_from_db()
    version.refresh_from_db()
    assert (bot.owner, bot.key, bot.description, bot.name) == (None, None, "", f"Former bot {bot.pk}")
    assert (version.source, version.state) == ("", "retired")
    assert Player.objects.get(bot_version=version).name == bot.name


def test_a_seat_at_a_larger_table_is_resigned_and_the_others_play_on(
    martha: Player, laura: Player, otto: Player, opened: Opened
) -> None:
    game = opened(martha, laura, otto)
    people.delete_account(user_of(laura))
    game.refresh_from_db()
    assert game.status == "playing"
    assert game.seats.get(seat=1).left == "resigned"
    assert play.load_game(game).taken_over == {1: "sensible"}


def test_tables_and_challenges_are_withdrawn_by_who_goes(martha: Player, laura: Player, otto: Player) -> None:
    own = lobby.create_table(host=laura, wish=TableRequest(kind="plates", seats=3))
    lobby.sit(table=own, player=otto)
    asked = lobby.create_table(
        host=martha, wish=TableRequest(kind="plates", seats=2, access="invited", invited=[laura])
    )
    waits = lobby.sit(table=lobby.create_table(host=otto, wish=TableRequest(kind="plates", seats=3)), player=laura)
    people.delete_account(user_of(laura))
    assert {lobby.find_table(each.token).status for each in (own, asked)} == {OpenTable.Status.CLOSED}
    assert lobby.find_table(waits.token).status == OpenTable.Status.WAITING
    assert [chair.player for chair in lobby.find_table(waits.token).chairs.all()] == [otto]
    assert Notice.objects.filter(user=otto.user, subject="table_closed").count() == 1
    assert Notice.objects.filter(user=martha.user, subject="declined").count() == 1


def test_nobody_plays_once_more_with_who_has_gone(martha: Player, laura: Player, opened: Opened) -> None:
    game = opened(martha, laura)
    play.leave_game(game=game, seat=0, how="resigned")
    offers.offer_rematch(game=game, seat=1)
    people.delete_account(user_of(laura))
    assert offers.rematch_wishes(game) == []
    assert not offers.allowed_actions(game, play.load_game(game), 0)["rematch"]
    with pytest.raises(DomainError) as refused:
        offers.offer_rematch(game=game, seat=0)
    assert (refused.value.code, Game.objects.count()) == ("no_rematch", 1)


def test_when_an_admin_deletes_the_user_the_name_goes_too_and_nobody_waits(
    laura: Player, martha: Player, opened: Opened
) -> None:
    game = opened(martha, laura)
    gone = user_of(laura).pk
    perform("delete_person", "Laura", reason="She has asked for it.", by=User.objects.create_superuser("ada"))
    assert not User.objects.filter(pk=gone).exists()
    laura.refresh_from_db()
    assert (laura.name, laura.key) == (f"Former player {laura.pk}", None)
    game.refresh_from_db()
    assert game.outcome
    assert game.outcome["placings"] == [1, 2]


# data


def test_an_export_holds_what_the_platform_knows_and_nothing_of_others(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    game = play_out(opened(martha, laura), play)
    with clock.frozen_at(NOON):
        receivers, sentence = [martha.user_id or 0, laura.user_id or 0], [written("Round 3 is paired.")]
        notices.notify_users(receivers, "registration", key="r", sentences=sentence)
    response = signed_in(laura).get("/me/export/")
    assert response.headers["Content-Disposition"] == 'attachment; filename="scorebook.json"'
    data = json.loads(response.content)
    assert data["account"]["emails"] == [{"email": "laura@example.org", "verified": True, "primary": True}]
    assert data["player"]["name"] == "Laura"
    assert data["profile"]["zone"] == "America/New_York"
    assert [(each["id"], each["seat"]) for each in data["games"]] == [(game.public_id, 1)]
    assert data["notices"][0]["words"] == "Round 3 is paired."
    assert (data["seasons"], data["ratings"]) == ([], [])
    assert "martha@example.org" not in response.content.decode()
    assert len(data["notices"]) == Notice.objects.filter(user=laura.user).count()


def test_a_guest_who_may_not_go_holds_up_no_other(laura: Player) -> None:
    _client, owner = come_as_guest()
    _client, idle = come_as_guest()
    new_club(name="Lantern Street", slug="lantern", owner=user_of(owner))
    long_ago = timezone.now() - timedelta(days=31)
    User.objects.filter(pk__in=[owner.user_id, idle.user_id]).update(date_joined=long_ago)
    assert tasks.delete_guests() == 1
    assert set(Player.objects.filter(user__isnull=False)) == {owner, laura}


def test_who_takes_a_name_between_the_check_and_the_change_has_it(
    laura: Player, martha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "_is_taken", lambda _name, _user: False)  # as if the name were free for both
    with pytest.raises(people.AccountError, match="Choose another") as refused:
        people.rename(user_of(martha), "Laura")
    assert refused.value.code == "name_taken"
    assert (user_of(martha).username, people.display(user_of(martha))) == ("martha", "Martha")
    _client, guest = come_as_guest()
    with pytest.raises(people.AccountError, match="Choose another"):
        people.convert_guest(user_of(guest), name="Laura", password=PASSWORD)
    assert Profile.objects.get(user=guest.user).guest
    form = {"username": "Laura", "password1": PASSWORD, "password2": PASSWORD}
    assert Client().post("/accounts/signup/", form).headers["Location"] == "/accounts/signup/"
    assert User.objects.filter(username=names.name_key("Laura")).count() == 1
