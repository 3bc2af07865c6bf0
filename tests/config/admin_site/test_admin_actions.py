"""Admin actions: a page, an operation of the API and a command call the same function. Each needs a reason and runs
once."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import translation

from games.accounts import people
from games.admin_actions import registry as admin_actions
from games.admin_actions.models import AdminAction
from games.common import clock
from games.common.errors import DomainError
from games.common.models import Incident
from games.models import Game, Player
from games.play import services as play
from games.play import unit_of_work
from games.workers import leases
from scorebook_games.chance import SeedDealer
from tests.factories.builtin_bots import ensure_builtin_bots

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
WHY = "It stands still since noon."


@pytest.fixture
def bot_game(db: None) -> Game:
    bots = ensure_builtin_bots()
    return play.open_game(kind="chinese_ten", players=[bots["random"], bots["sensible"]])


def page_of(code: str, game: Game) -> str:
    return reverse("admin-do", args=[code, game.public_id])


def refusal(code: str, target: Any = "", **asked: Any) -> tuple[int, str]:
    with pytest.raises(DomainError) as refused:
        admin_actions.perform(code, target, **asked)
    return refused.value.status, refused.value.code


# -- doing it


def test_an_action_is_done_and_written_down_with_who_what_and_why(ada: User, game: Game) -> None:
    with clock.frozen_at(NOON):
        done = admin_actions.perform("abort_game", game, reason=f"  {WHY} ", by=ada)

    game.refresh_from_db()
    assert game.status == Game.Status.ABORTED
    assert (done.at, done.by, done.action, done.reason) == (NOON, ada, "abort_game", WHY)
    assert (done.target_type, done.target_id) == ("game", game.public_id)
    assert done.sentences == [["abort_game_done", {"game": game.public_id}]]
    assert done.outcome == f"Game {game.public_id} was aborted."
    with translation.override("de"):
        assert done.outcome == f"Spiel {game.public_id} wurde abgebrochen."
    assert AdminAction(action="abort_game", old_outcome="As it was then.").outcome == "As it was then."
    assert Incident.objects.get().sentence.endswith(WHY)


def test_a_game_that_failed_too_often_is_tried_again(ada: User, bot_game: Game) -> None:
    Game.objects.filter(pk=bot_game.pk).update(failures=leases.MAX_FAILED_CLAIMS, retry_at=clock.now())
    assert not leases.due_games().exists()

    admin_actions.perform("retry", bot_game, reason=WHY, by=ada)

    assert leases.due_games().get() == bot_game
    assert refusal("retry", bot_game, reason=WHY, by=ada) == (409, "not_failed")


def test_a_worker_whose_lease_is_released_stores_nothing_more(ada: User, bot_game: Game) -> None:
    """The worker may still be alive. The number of the attempt is the fence (ADR 3)."""
    held = leases.claim_games("hall-2", 1)[0].game
    attempt = held.attempt

    done = admin_actions.perform("release_lease", bot_game, reason=WHY, by=ada)

    assert done.outcome == f"Worker hall-2 no longer has game {bot_game.public_id}."
    unit = play.begin_unit(held)
    unit.attempt = attempt
    seat = unit.fold.to_act()[0]
    action = unit.fold.rules.legal_actions(unit.fold.state, seat)[0]
    unit.take(unit.fold.rules.decide(unit.fold.state, seat, action, SeedDealer(bytes(held.deal.seed))), clock.now())
    with pytest.raises(unit_of_work.ConcurrentAppend):
        unit_of_work.commit([unit], clock.now())
    again = leases.claim_games("hall-1", 1)[0]
    assert (again.game.pk, again.lost, again.game.attempt) == (bot_game.pk, "", 3)
    assert refusal("release_lease", "NOSUCH00", reason=WHY, by=ada) == (404, "no_target")


def test_what_nobody_holds_cannot_be_released(ada: User, bot_game: Game) -> None:
    assert refusal("release_lease", bot_game, reason=WHY, by=ada) == (409, "no_lease")
    assert not AdminAction.objects.exists()


def test_nothing_is_done_without_a_reason(ada: User, game: Game) -> None:
    for reason in ("", "  ", "x" * 2001, "\0"):
        assert refusal("abort_game", game, reason=reason, by=ada) == (400, "no_reason")
    game.refresh_from_db()
    assert game.status == Game.Status.PLAYING


def test_what_fails_is_not_written_down(ada: User, game: Game) -> None:
    play.abort_game(game=game, reason="before")

    assert refusal("abort_game", game, reason=WHY, by=ada) == (409, "game_over")
    assert not AdminAction.objects.exists()
    assert refusal("abort_gam", game, reason=WHY, by=ada) == (404, "unknown_action")
    assert refusal("abort_game", game, reason=WHY, by=ada, until="noon") == (400, "bad_fields")


def test_only_an_admin_to_whom_it_is_given_does_it(game: Game, otto: Player) -> None:
    staff = User.objects.create_user("bea", is_staff=True)
    assert refusal("abort_game", game, reason=WHY, by=otto.user) == (403, "not_admin")
    assert refusal("abort_game", game, reason=WHY, by=staff) == (403, "not_admin")

    staff.user_permissions.add(Permission.objects.get(codename="change_game"))
    staff = User.objects.get(pk=staff.pk)
    assert admin_actions.perform("abort_game", game, reason=WHY, by=staff).by == staff
    User.objects.filter(pk=staff.pk).update(is_active=False)
    assert refusal("abort_game", game, reason=WHY, by=User.objects.get(pk=staff.pk)) == (403, "not_admin")


# -- once


def test_the_same_key_does_it_once_and_tells_again_what_came_of_it(ada: User, game: Game) -> None:
    first = admin_actions.perform("abort_game", game, reason=WHY, by=ada, key="k1")
    again = admin_actions.perform("abort_game", game.public_id.lower(), reason=WHY, by=ada, key="k1")

    assert again == first
    assert AdminAction.objects.count() == 1
    assert refusal("retry", game, reason=WHY, by=ada, key="k1") == (409, "key_reused")
    assert refusal("retry", game, reason=WHY, by=ada, key="k" * 65) == (400, "bad_key")


def test_the_same_key_is_not_for_other_words(ada: User, martha: Player) -> None:
    """Otherwise a form that was sent, changed and sent again would get the answer to the first request."""
    admin_actions.perform("mute", "martha", reason=WHY, by=ada, key="k1", days="7")
    assert refusal("mute", "martha", reason=WHY, by=ada, key="k1", days="30") == (409, "key_reused")


def test_the_key_of_one_admin_is_not_that_of_another(ada: User, game: Game) -> None:
    admin_actions.perform("abort_game", game, reason=WHY, by=ada, key="k1")
    bea = User.objects.create_superuser("bea")
    assert refusal("abort_game", game, reason=WHY, by=bea, key="k1") == (409, "game_over")


def test_what_an_action_leads_to_is_a_link_in_what_is_said_of_it(browser: Client) -> None:
    people.create_profile_and_player(User.objects.create_user("bo"), "Bo")
    text = browser.post("/admin/do/export_person/bo/", {"reason": WHY, "key": "k"}, follow=True).content.decode()
    path = AdminAction.objects.get().outcome.rpartition(" ")[2]
    assert f'The file can be downloaded for one hour: <a href="{path}">{path}</a>' in text
    assert browser.get(path).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_an_admin_who_clicks_twice_does_it_once(game: Game) -> None:
    """One form is sent on two connections at once. One request does the action; the other waits and gets the same
    answer."""
    ada = User.objects.create_superuser("ada")
    start, outcomes = threading.Barrier(2), []

    def click() -> None:
        start.wait()
        try:
            done = admin_actions.perform("abort_game", game.public_id, reason=WHY, by=ada, key="form-1")
            outcomes.append(done.pk)
        finally:
            connection.close()

    clicks = [threading.Thread(target=click) for _each in range(2)]
    for each in clicks:
        each.start()
    for each in clicks:
        each.join()

    assert outcomes == [AdminAction.objects.get().pk] * 2
    assert Incident.objects.count() == 1


# -- the page


def test_the_page_says_what_follows_and_does_it_for_a_reason(browser: Client, game: Game) -> None:
    shown = browser.get(page_of("abort_game", game), {"next": "/watch/"}).content.decode()
    assert "without a result" in shown
    key = shown.split('name="key" value="')[1].split('"')[0]

    refused = browser.post(page_of("abort_game", game), {"key": key, "reason": " "})
    assert refused.status_code == 400
    assert "Give a reason" in refused.content.decode()
    for _click in range(2):
        led = browser.post(page_of("abort_game", game), {"key": key, "reason": WHY, "next": "/watch/"}, follow=True)
        assert led.redirect_chain == [("/watch/", 302)]
        assert f"Game {game.public_id} was aborted." in led.content.decode()
    assert AdminAction.objects.count() == 1


def test_the_page_leads_to_no_other_site(browser: Client, game: Game) -> None:
    led = browser.post(page_of("abort_game", game), {"key": "k", "reason": WHY, "next": "https://example.org/"})
    assert led.headers["Location"] == reverse("dashboard")


def test_what_cannot_be_done_any_more_is_said_and_keeps_what_was_written(browser: Client, game: Game) -> None:
    play.abort_game(game=game, reason="before")
    assert "not possible any more" in browser.get(page_of("abort_game", game)).content.decode()
    answer = browser.post(page_of("abort_game", game), {"key": "k", "reason": WHY})
    assert answer.status_code == 409
    assert WHY in answer.content.decode()


def test_the_page_is_for_admins_and_for_what_there_is(browser: Client, game: Game, sign_in: Any, otto: Player) -> None:
    assert browser.get(reverse("admin-do", args=["abort_game", "NOSUCH00"])).status_code == 404
    assert browser.get(reverse("admin-do", args=["abort_game", "\0"])).status_code == 404
    assert browser.get(reverse("admin-do", args=["no_such_action", game.public_id])).status_code == 404
    assert sign_in(otto).get(page_of("abort_game", game)).status_code == 302
    bea = User.objects.create_user("bea", is_staff=True)
    browser.force_login(bea)
    assert browser.get(page_of("abort_game", game)).status_code == 403


def test_a_row_in_the_admin_leads_to_what_can_be_done_with_it(browser: Client, bot_game: Game) -> None:
    row = reverse("admin:games_game_change", args=[bot_game.pk])
    assert page_of("abort_game", bot_game) in browser.get(row).content.decode()
    assert page_of("retry", bot_game) not in browser.get(row).content.decode()
    assert page_of("abort_game", bot_game) in browser.get(reverse("admin:games_game_changelist")).content.decode()
    play.abort_game(game=bot_game, reason="before")
    assert page_of("abort_game", bot_game) not in browser.get(row).content.decode()


# -- the API


def test_the_api_does_it_and_lists_what_was_done(browser: Client, game: Game) -> None:
    wish = {"action": "abort_game", "target": game.public_id, "reason": WHY, "key": "k1"}
    first = browser.post("/api/v1/admin/actions/", wish, content_type="application/json")
    again = browser.post("/api/v1/admin/actions/", wish, content_type="application/json")

    assert first.status_code == 201
    assert again.json() == first.json()
    listed = browser.get("/api/v1/admin/actions/").json()["results"]
    assert [(each["by"], each["action"], each["target_id"], each["reason"]) for each in listed] == [
        ("ada", "abort_game", game.public_id, WHY)
    ]
    assert browser.get("/api/v1/admin/actions/", {"q": "noon ada"}).json()["results"] == listed
    assert browser.get("/api/v1/admin/actions/", {"q": "midnight"}).json()["results"] == []
    assert browser.get("/api/v1/admin/actions/", {"by": "bea"}).json()["results"] == []
    assert browser.get("/api/v1/admin/actions/", {"action": "abort_game"}).json()["results"] == listed


def test_the_api_tells_what_admins_can_do(browser: Client) -> None:
    kinds = {each["code"]: each for each in browser.get("/api/v1/admin/action-kinds/").json()}
    assert kinds["abort_game"]["target_type"] == "game"
    assert set(kinds) == {each.code for each in admin_actions.every_action()}


def test_the_api_refuses_with_code_and_sentence(browser: Client, game: Game, sign_in: Any, otto: Player) -> None:
    def code(**wish: Any) -> str:
        answer = browser.post("/api/v1/admin/actions/", wish, content_type="application/json").json()
        return str(answer["error"]["code"])

    assert code(action="abort_game", target="NOSUCH00", reason=WHY) == "no_target"
    assert code(action="no_such", target="x", reason=WHY) == "unknown_action"
    assert code(action="abort_game", target=game.public_id, reason="") == "invalid"
    for name in ("x", "reason", "by", "key", "code", "target"):
        wish = {"action": "abort_game", "target": game.public_id, "reason": WHY, "fields_sent": {name: 1}}
        assert code(**wish) == "bad_fields", name
    stranger = sign_in(otto).post("/api/v1/admin/actions/", {}, content_type="application/json")
    assert stranger.json()["error"]["code"] == "permission_denied"


# -- the command


def test_the_command_does_it_in_the_name_of_an_admin(ada: User, game: Game) -> None:
    output = StringIO()
    wish = ["admin_action", "abort_game", game.public_id, "--reason", WHY, "--by", "ada", "--key", "k"]
    call_command(*wish, stdout=output)
    call_command(*wish, stdout=output)

    assert output.getvalue() == f"Game {game.public_id} was aborted.\n" * 2
    assert AdminAction.objects.get().by == ada


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        (["abort_game", "NOSUCH00", "--by", "ada"], "There is no game"),
        (["abort_game", "NOSUCH00", "--by", "nobody"], "There is no user nobody."),
        (["abort", "NOSUCH00", "--by", "ada"], "There is no action abort. The actions are abort_game."),
        (["abort_game", "NOSUCH00", "--by", "otto"], "You do not have the right"),
    ],
)
def test_the_command_says_what_is_wrong(ada: User, otto: Player, wish: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("admin_action", *wish, "--reason", WHY)


def test_a_lease_that_was_released_is_not_renewed(ada: User, bot_game: Game) -> None:
    held = leases.claim_games("hall-2", 1)[0].game
    admin_actions.perform("release_lease", bot_game, reason=WHY, by=ada)

    leases.renew({held.pk: held.attempt})

    bot_game.refresh_from_db()
    assert (bot_game.leased_by, bot_game.leased_until) == ("", None)
    assert clock.now() - bot_game.moved_at < timedelta(minutes=5)
