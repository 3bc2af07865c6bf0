"""Actions of admins on people: each has a reason and runs once, as a page, in the API or as a command, and only for
admins."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, Final

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.urls import reverse

from games.accounts import tokens
from games.accounts.models import Notice, ReservedName, Sanction
from games.admin_actions import registry as admin_actions
from games.admin_actions.models import AdminAction
from games.admin_actions.registry import perform
from games.bots import uploads
from games.bots.remote import services as remote
from games.common import clock
from games.common.errors import DomainError
from games.models import Bot, BotVersion, Game, Player
from games.moderation import account_actions, actions, reports, sanctions
from games.moderation.models import Report
from games.play import services as play
from tests.assertions.page import Page
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.games.moderation.conftest import Join, admin, browser, call, code
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs import posts
from tournaments.clubs.models import Club, ClubPost, Membership
from tournaments.lifecycle.services import create_season
from tournaments.maintenance import admin_actions as club_actions
from tournaments.seasons import notes
from tournaments.seasons.models import League, Note

pytestmark = pytest.mark.django_db

TARGETS: Final = {
    *("person", "bot", "bot-version", "report", "measure", "held-name", "club", "club-news", "note", "group", "token"),
}
LENGTHS: Final[dict[str, dict[str, Any]]] = {"ban": {"permanent": True}, "mute": {"days": 3}}
MODULES: Final = [each.__name__ for each in (actions, account_actions, club_actions)]
OURS: Final = [
    each for each in admin_actions.every_action() if each.act.__module__ in MODULES and each.target_type in TARGETS
]


@pytest.fixture
def world(martha: User, laura: User, otto: User, ada: User) -> dict[str, str]:
    """Create people, a club and other things, and return a target for each sort of action."""
    club = club_lifecycle.found_club(user=otto, name="Lantern Street")
    club.memberships.create(user=laura, role=Membership.Role.ORGANISER)
    post = posts.create_post(club=club, user=otto, title="Hall shut", text="On Thursday.")
    remote.create_bot(owner=martha, name="Heron")
    report = reports.file_report(by=laura, target="person", pk=Player.objects.get(user=martha).pk, cause="name")
    made = sanctions.warn(user=laura, by=ada, reason="…")
    sanctions.reserve_name("Rudeword", martha)
    season_note = club_note(club, otto)
    return {
        "person": "martha",
        "bot": "Heron",
        "bot-version": "Heron v1",
        "report": str(report.pk),
        "measure": str(made.pk),
        "held-name": "rudeword",
        "club": club.slug,
        "club-news": str(post.pk),
        "note": season_note,
        "group": Group.objects.create(name="Stewards").name,
        "token": tokens.create_token(user=laura, name="laptop", wanted=["read"])[0].prefix,
    }


def club_note(club: Club, author: User) -> str:
    league = League.objects.create(club=club, name="Palace League", slug="palace")
    season = create_season(league=league, name="Winter", kind="palace")
    notes.audit_payload(season, author, "Because I say so.")
    return str(Note.objects.get().pk)


FIELDS: Final = {
    "transfer_club": {"to": "Laura"},
    "answer_objection": {"words": "No."},
    "confirm_address": {"address": "martha@example.org"},
}


def test_an_admin_needs_a_reason_and_the_page_says_for_what(world: dict[str, str], ada: User) -> None:
    wrong = []
    for action in OURS:
        target = world[action.target_type]
        sent = {"action": action.code, "target": target, "reason": " ", "fields_sent": FIELDS.get(action.code, {})}
        if code(call(ada, "post", "admin/actions/", sent))[0] != 400:
            wrong.append(f"{action.code} is done without a reason")
        page = browser(ada).get(f"/admin/do/{action.code}/{target}/")
        if page.status_code != 200 or str(action.title) not in Page.of(page).text:
            wrong.append(f"{action.code} has no page")
    assert wrong == []
    assert not AdminAction.objects.exists()


def test_no_admin_does_it_to_an_admin_but_a_superuser(ada: User, zoe: User, root: User) -> None:
    wrong = []
    for action in [each for each in OURS if each.target_type == "person"]:
        try:
            perform(
                action.code,
                "zoe",
                reason="…",
                by=ada,
                **{**FIELDS.get(action.code, {}), **LENGTHS.get(action.code, {})},
            )
        except DomainError as refused:
            if (refused.status, refused.code) != (403, "is_admin"):
                wrong.append(f"{action.code}: {refused.code}")
        else:
            wrong.append(f"{action.code} is done")
    assert wrong == []
    for done in ("ban", "mute", "warn"):
        assert perform(done, "zoe", reason="…", by=root, **LENGTHS.get(done, {})).outcome


def test_the_three_doors_do_the_same_once(martha: User, ada: User) -> None:
    sent = {"action": "ban", "target": "martha", "reason": "Sold her wins.", "key": "k1", "fields_sent": {"days": 30}}
    first, second = call(ada, "post", "admin/actions/", sent), call(ada, "post", "admin/actions/", sent)
    assert first.json() == second.json()
    assert Sanction.objects.filter(kind="ban").count() == 1
    page = browser(ada).post("/admin/do/unban/martha/", {"reason": "She did not.", "key": "k2"})
    assert page.status_code == 302
    call_command("admin_action", "warn", "martha", "--reason", "Look out.", "--by", "ada")
    assert list(AdminAction.objects.order_by("pk").values_list("action", "target_id", "reason")) == [
        ("ban", str(martha.pk), "Sold her wins."),
        ("unban", str(martha.pk), "She did not."),
        ("warn", str(martha.pk), "Look out."),
    ]


@pytest.mark.parametrize("sent", [{}, {"days": ""}, {"days": "30", "permanent": "on"}])
@pytest.mark.parametrize("action", ["ban", "mute"])
def test_how_long_is_never_guessed(martha: User, ada: User, action: str, sent: dict[str, str]) -> None:
    with pytest.raises(DomainError) as refused:
        perform(action, "martha", reason="…", by=ada, **sent)
    assert (refused.value.code, list(refused.value.extra["fields"])) == ("bad_fields", ["days"])
    assert not Sanction.objects.exists()


def test_a_ban_for_days_ends_after_them(martha: User, ada: User) -> None:
    perform("ban", "martha", reason="…", by=ada, days=30)
    until = Sanction.objects.get().until
    assert until
    assert 29 < (until - clock.now()).total_seconds() / 86_400 <= 30


def test_who_warns_muted_or_banned_is_not_told_to_the_person(martha: User, join: Join) -> None:
    ada = admin(join("Adalbertina", is_staff=True))  # no token on a page contains such a long name by chance
    for action in ("warn", "mute", "rename", "ban", "unban", "unmute"):
        perform(action, User.objects.get(pk=martha.pk).username, reason="Because.", by=ada, **LENGTHS.get(action, {}))
    page = browser(User.objects.get(pk=martha.pk))
    for address in ("/me/conduct/", "/me/notices/", "/api/v1/me/export/"):
        assert "adalbertina" not in page.get(address).content.decode().lower(), address
    assert "adalbertina" in browser(ada).get("/me/").content.decode().lower()


def test_a_report_is_a_row_of_the_queue_with_what_can_be_done_beside_it(
    world: dict[str, str], martha: User, root: User
) -> None:
    client = browser(root)
    queue = client.get(reverse("admin:moderation_report_changelist")).content.decode()
    assert f"/admin/do/uphold_report/{world['report']}/" in queue
    row = client.get(reverse("admin:moderation_report_change", args=[world["report"]])).content.decode()
    assert reverse("admin:auth_user_change", args=[martha.pk]) in row
    person = client.get(reverse("admin:auth_user_change", args=[martha.pk])).content.decode()
    for action in ("warn", "mute", "rename", "ban", "support_view", "export_person", "delete_person"):
        assert f"/admin/do/{action}/martha/" in person, action
    perform("uphold_report", world["report"], reason="Renamed her.", by=root, words="We took the name away.")
    assert (
        f"/admin/do/uphold_report/{world['report']}/"
        not in client.get(reverse("admin:moderation_report_changelist")).content.decode()
    )
    closed = client.get(reverse("admin:moderation_report_changelist"), {"is": "upheld"}).content.decode()
    assert reverse("admin:moderation_report_change", args=[world["report"]]) in closed
    assert Report.objects.get().answer == "We took the name away."


def test_admins_who_are_no_superusers_cannot_make_admins_or_change_them(ada: User, zoe: User, martha: User) -> None:
    client = browser(ada)
    sent = {"username": "martha", "is_staff": "on", "is_superuser": "on"}
    for person in (zoe, martha):
        assert client.post(reverse("admin:auth_user_change", args=[person.pk]), sent).status_code == 403
    for action in ("make_admin", "end_admin"):
        with pytest.raises(DomainError) as refused:
            perform(action, "martha", reason="…", by=ada)
        assert refused.value.code == "not_superuser"
    martha.refresh_from_db()
    assert not martha.is_staff
    assert not martha.is_superuser


def test_who_clicks_twice_renames_once(martha: User, ada: User) -> None:
    first = perform("rename", "martha", reason="…", by=ada, key="k")
    assert perform("rename", "martha", reason="…", by=ada, key="k").pk == first.pk
    assert ReservedName.objects.count() == 1


# bots


def upload(owner: User, name: str) -> BotVersion:
    """Return an uploaded version of a bot that has passed admission and plays."""
    bot = uploads.new_bot(owner=owner, name=name)
    version = BotVersion.objects.create(
        bot=bot, number=1, transport="upload", program="upload", sha256="0" * 64, kinds=["plates"]
    )
    Bot.objects.filter(pk=bot.pk).update(plays=version)
    Player.objects.create(bot_version=version, name=name)
    return version


def test_a_version_that_is_taken_down_plays_no_new_game_and_its_author_reads_why(martha: User, ada: User) -> None:
    version = upload(martha, "Gannet")
    perform("take_down_version", "Gannet v1", reason="It prints insults.", by=ada)
    version.refresh_from_db()
    assert (version.state, version.may_play) == ("taken_down", False)
    notice = Notice.objects.get(subject="bot_taken_down")
    assert notice.user == martha
    page = Page.of(browser(martha).get("/me/notices/")).text
    assert "An admin has taken Gannet v1 down. It cannot play any more. It prints insults." in page
    with pytest.raises(DomainError) as refused:
        uploads.choose_version(version)
    assert refused.value.code == "not_passed"
    perform("restore_version", "Gannet v1", reason="It does not.", by=ada)
    version.refresh_from_db()
    assert version.may_play


def test_a_bot_that_is_taken_down_takes_no_version_any_more(martha: User, laura: User, ada: User) -> None:
    version = upload(martha, "Gannet")
    perform("take_down_bot", "Gannet", reason="It attacks the platform.", by=ada)
    assert not BotVersion.objects.select_related("bot").get(pk=version.pk).may_play
    with pytest.raises(DomainError) as refused:
        uploads.upload_version(bot=Bot.objects.get(), data=b"class Bot: ...\n")
    assert (refused.value.status, refused.value.code) == (409, "taken_down")
    own = Page.of(browser(martha).get("/bots/Gannet/")).text
    assert "An admin has taken this bot down. None of its versions can play. It attacks the platform." in own
    others = Page.of(browser(laura).get("/bots/Gannet/")).text
    assert "An admin has taken this bot down" in others
    assert "It attacks the platform." not in others
    perform("restore_bot", "Gannet", reason="It was another.", by=ada)
    assert Page.of(browser(martha).get("/me/notices/")).text.count("Gannet may play again.") == 1


def test_running_games_of_a_remote_bot_that_is_taken_down_are_left(
    martha: User, laura: User, ada: User, django_capture_on_commit_callbacks: Any
) -> None:
    bot = remote.create_bot(owner=martha, name="Heron")
    seat = Player.objects.get(bot_version__bot=bot)
    players = [seat, Player.objects.get(user=laura)]
    game = play.open_game(kind="plates", players=players, terms={"rated": False, "move_seconds": 60})
    with django_capture_on_commit_callbacks(execute=True):
        perform("take_down_bot", "Heron", reason="…", by=ada)
    game.refresh_from_db()
    assert (game.status, game.seats.get(player=seat).left) == (Game.Status.FINISHED, "forfeited")
    with pytest.raises(DomainError) as refused:
        remote.new_version(bot)
    assert refused.value.code == "taken_down"


def test_a_bot_that_was_taken_down_stays_so_when_its_authors_ban_is_over(martha: User, ada: User) -> None:
    upload(martha, "Gannet")
    perform("take_down_bot", "Gannet", reason="…", by=ada)
    perform("ban", "martha", reason="…", by=ada, permanent=True)
    perform("unban", "martha", reason="…", by=ada)
    assert Bot.objects.get().stopped == "taken_down"
    perform("ban", "martha", reason="…", by=ada, permanent=True)
    perform("restore_bot", "Gannet", reason="…", by=ada)
    assert Bot.objects.get().stopped == "ban"


def test_a_built_in_bot_has_nobody_to_take_it_from(ada: User) -> None:
    built_in = ensure_builtin_bots()["sensible"]
    assert built_in.bot_version
    with pytest.raises(DomainError) as refused:
        perform("take_down_bot", built_in.bot_version.bot.name, reason="…", by=ada)
    assert refused.value.code == "built_in_bot"


# clubs


def test_a_club_whose_owner_is_gone_is_given_to_a_member(
    world: dict[str, str], ada: User, laura: User, otto: User
) -> None:
    perform("transfer_club", "lantern-street", reason="Otto has died.", by=ada, to="Laura")
    club = Club.objects.get()
    roles = dict(club.memberships.values_list("user", "role"))
    assert (club.owner, roles) == (laura, {laura.pk: "owner", otto.pk: "member"})
    assert "An admin has transferred the club Lantern Street to you" in Page.of(browser(laura).get("/me/notices/")).text
    log = Page.of(browser(laura).get("/clubs/lantern-street/log/")).text
    assert "an admin, transferred the club to Laura" in log
    assert "Otto has died." in log


def test_a_club_is_given_to_nobody_outside_it(world: dict[str, str], ada: User, martha: User) -> None:
    for to in ("Martha", "Nobody"):
        answer = call(
            ada,
            "post",
            "admin/actions/",
            {"action": "transfer_club", "target": "lantern-street", "reason": "…", "fields_sent": {"to": to}},
        )
        assert code(answer) == (409, "not_member")


def test_news_and_reasons_are_taken_away_and_the_clubs_log_says_so(
    world: dict[str, str], ada: User, otto: User
) -> None:
    perform("remove_news", world["club-news"], reason="An insult.", by=ada)
    assert not ClubPost.objects.exists()
    assert "Ada, an admin, removed news by Otto." in Page.of(browser(otto).get("/clubs/lantern-street/log/")).text
    perform("blank_note", world["note"], reason="Another.", by=ada)
    assert Note.objects.get().text == ""


# data


def test_an_admin_exports_a_persons_data_having_said_why(martha: User, laura: User, ada: User, zoe: User) -> None:
    address = reverse("support-export", args=[martha.pk])
    assert browser(ada).get(address).status_code == 404
    done = perform("export_person", "martha", reason="She wrote a letter.", by=ada)
    assert address in done.outcome
    answer = browser(ada).get(address)
    assert answer.json()["account"]["emails"][0]["email"] == "martha@example.org"
    assert browser(zoe).get(address).status_code == 404, "who has not said why"
    assert browser(laura).get(address).status_code == 404
    with clock.frozen_at(clock.now() + timedelta(hours=2)):
        assert browser(ada).get(address).status_code == 404


def test_an_admin_deletes_an_account_once_and_who_owns_a_club_hands_it_over_first(
    martha: User, otto: User, ada: User
) -> None:
    club_lifecycle.found_club(user=otto, name="Lantern Street")
    with pytest.raises(DomainError) as owned:
        perform("delete_person", "otto", reason="Asked to.", by=ada)
    assert owned.value.code == "account_needed"
    first = perform("delete_person", "martha", reason="Asked to.", by=ada, key="k")
    assert perform("delete_person", "martha", reason="Asked to.", by=ada, key="k").pk == first.pk
    assert not User.objects.filter(username="martha").exists()
    assert "martha" not in json.dumps(list(AdminAction.objects.values("target_id", "fields", "sentences"))).lower()


def test_the_audit_keeps_ids_when_people_go_and_never_had_their_names(martha: User, ada: User, root: User) -> None:
    EmailAddress.objects.create(user=martha, email="martha@example.net")
    perform("rename", "martha", reason="…", by=ada, to="Heron")
    perform("confirm_address", "martha", reason="…", by=ada, address="martha@example.net")
    pk, by = martha.pk, ada.pk
    for person in (martha, ada):
        person.delete()
    rows = AdminAction.objects.values_list("target_id", "by_id")
    assert list(rows) == [(str(pk), by)] * 2
    kept = json.dumps(list(AdminAction.objects.values("target_id", "fields", "sentences"))).lower()
    assert not [name for name in ("martha", "heron", "example.net") if name in kept]
    listed = browser(root).get("/api/v1/admin/actions/").json()["results"]
    assert [(each["by"], each["target_id"]) for each in listed] == [(None, str(pk))] * 2
    assert browser(root).get(reverse("admin:admin_actions_adminaction_changelist")).status_code == 200
    one = AdminAction.objects.earliest("pk")
    assert browser(root).get(reverse("admin:admin_actions_adminaction_change", args=[one.pk])).status_code == 200


def test_what_was_done_about_somebody_is_found_by_name(martha: User, laura: User, ada: User, root: User) -> None:
    for name in ("martha", "laura"):
        perform("warn", name, reason="…", by=ada)
    for asked in ("q=Martha", f"target_type=person&target_id={martha.pk}"):
        listed = browser(root).get(f"/api/v1/admin/actions/?{asked}").json()["results"]
        assert [(each["target_id"], each["target"]) for each in listed] == [(str(martha.pk), "martha")], asked
