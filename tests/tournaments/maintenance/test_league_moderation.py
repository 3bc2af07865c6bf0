"""Moderation in clubs and seasons: banned players are withdrawn, texts are reported, and their authors are muted."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from games.accounts import people
from games.accounts.models import Sanction
from games.bots.remote import services as remote
from games.common import clock
from games.common.errors import DomainError
from games.models import Game, Player
from games.moderation import reports, sanctions, takedown
from games.moderation.models import Report
from games.play import services as play
from tests.assertions.page import Page
from tests.fixtures.saved_rows import world
from tests.tournaments.club import BEGIN
from tests.tournaments.clubs.conftest import browser, call, code
from tests.tournaments.entries.test_entries import entrant, events_of_type, faults, season_of
from tournaments.clubs import invitations, members, posts
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.models import ClubPost
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.rulings import disputes
from tournaments.seasons import notes
from tournaments.seasons.models import League, Match, Note

pytestmark = pytest.mark.django_db


@pytest.fixture
@world
def club_people(db: None) -> list[Player]:
    return [
        people.create_profile_and_player(User.objects.create_user(name.lower()), name)
        for name in ("Martha", "Laura", "Otto", "Ewa")
    ]


@pytest.fixture
@world
def ada(db: None) -> User:
    """Return the admin."""
    return User.objects.create_superuser("ada")


def user(player: Player) -> User:
    assert player.user
    return player.user


def refused(code: str) -> Any:
    return pytest.raises(DomainError, check=lambda error: error.code == code)


# seasons


def test_who_is_banned_is_withdrawn_by_the_seasons_policy_and_nobody_reads_why(
    league: League, club_people: list[Player], ada: User
) -> None:
    running = season_of(league, club_people)
    opened = season_of(league, club_people, start=False, name="Winter")
    martha = club_people[0]
    with clock.frozen_at(BEGIN):
        director.advance()
        sanctions.ban(user=user(martha), by=ada, reason="Sold her wins.")
        director.advance()
        director.advance()
    assert [entrant(each, martha).status for each in (running, opened)] == ["withdrawn", "out"]
    assert [event[2]["why"] for event in events_of_type(running, "entrant_withdrawn")] == ["admin"]
    assert not Game.objects.filter(seats__player=martha, seats__left="", status="playing").exists()
    page = Page.of(browser(user(club_people[1])).get("/clubs/lantern/chinese-ten/autumn/activity/?part=timeline")).text
    assert "Sold her wins" not in page
    assert faults() == []


def test_a_ban_that_is_over_leaves_who_was_withdrawn_outside(
    league: League, club_people: list[Player], ada: User
) -> None:
    running = season_of(league, club_people)
    with clock.frozen_at(BEGIN):
        sanctions.ban(user=user(club_people[0]), by=ada, reason="…")
        director.advance()
        sanctions.unban(user=user(club_people[0]), by=ada)
        director.advance()
        with refused("was_withdrawn"):
            entries.enter_season(season=running, player=club_people[0])


def test_a_bot_that_is_taken_down_is_withdrawn_and_enters_no_other_season(
    league: League, club_people: list[Player], ada: User
) -> None:
    bot = remote.create_bot(owner=user(club_people[3]), name="Heron")
    heron = Player.objects.get(bot_version__bot=bot)
    season = season_of(league, [*club_people[:3], heron])
    with clock.frozen_at(BEGIN):
        director.advance()
        takedown.take_down(bot, "It attacks the platform.")
        director.advance()
    assert entrant(season, heron).status == "withdrawn"
    later = season_of(league, club_people[:2], start=False, name="Winter")
    with clock.frozen_at(BEGIN), refused("bot_not_passed"):
        entries.enter_season(season=later, player=Player.objects.get(pk=heron.pk))
    assert faults() == []


# words


def test_an_organiser_who_is_muted_writes_no_news_invitations_names_or_reasons(
    league: League, club_people: list[Player], ada: User
) -> None:
    martha = user(club_people[0])
    club = club_lifecycle.found_club(user=martha, name="Kettle and Crown")
    written = posts.create_post(club=club, user=martha, title="Welcome", text="Hello.")
    season = season_of(league, club_people, start=False)
    sanctions.mute(user=martha, by=ada, reason="Insults.")
    for act in (
        lambda: posts.create_post(club=club, user=martha, title="More", text="…"),
        lambda: posts.edit_post(post=written, user=martha, title="More", text="…"),
        lambda: invitations.invite_by_link(club=club, user=martha),
        lambda: invitations.invite_by_mail(club=club, user=martha, email="x@example.org"),
        lambda: club_lifecycle.change_club(club=club, user=martha, about="An insult."),
        lambda: club_lifecycle.found_club(user=martha, name="An insult"),
        lambda: members.join_club(club=league.club, user=martha, words="An insult."),
        lambda: notes.audit_payload(season, martha, "An insult."),
    ):
        with refused("muted"):
            act()
    assert club_lifecycle.change_club(club=club, user=martha, visibility="private").is_private, (
        "what is no words goes on"
    )
    members.join_club(club=league.club, user=martha)
    assert entries.leave_season(entrant=entrant(season, club_people[0]), by=martha).status == "out"


def test_what_is_refused_to_the_muted_is_said_on_the_page_and_in_the_api(club_people: list[Player], ada: User) -> None:
    martha = user(club_people[0])
    club = club_lifecycle.found_club(user=martha, name="Kettle and Crown")
    sanctions.mute(user=martha, by=ada, reason="Insults.")
    sent = {"title": "More", "text": "…"}
    answer = call(martha, "post", f"clubs/{club.slug}/news/", sent)
    assert code(answer) == (403, "muted")
    page = browser(martha).post(f"/clubs/{club.slug}/news/", sent, follow=True)
    assert "An admin has muted you" in Page.of(page).text
    assert not ClubPost.objects.exists()


def test_news_and_clubs_are_reported_by_who_may_see_them(club_people: list[Player]) -> None:
    martha, laura = user(club_people[0]), user(club_people[1])
    club = club_lifecycle.found_club(user=martha, name="Kettle and Crown")
    post = posts.create_post(club=club, user=martha, title="Insult", text="…")
    page = browser(laura).get(f"/clubs/{club.slug}/news/").content.decode()
    assert f"/report/club_news/{post.pk}/" in page
    assert f"/report/club/{club.pk}/" in browser(laura).get(f"/clubs/{club.slug}/").content.decode()
    for target, pk in (("club", club.pk), ("club_news", post.pk)):
        sent = {"target": target, "target_id": pk, "cause": "words"}
        assert call(laura, "post", "reports/", sent).status_code == 201
    assert {each.about for each in Report.objects.all()} == {martha}
    assert "Kettle and Crown" in Page.of(browser(laura).get("/me/conduct/")).text
    club_lifecycle.change_club(club=club, user=martha, visibility="private")
    assert "Kettle and Crown" not in Page.of(browser(laura).get("/me/conduct/")).text
    other = {"target": "club", "target_id": club.pk, "cause": "words"}
    assert code(call(user(club_people[2]), "post", "reports/", other)) == (404, "target_not_found")


def test_the_words_of_a_dispute_are_there_for_its_organisers_alone(league: League, club_people: list[Player]) -> None:
    season = season_of(league, club_people)
    with clock.frozen_at(BEGIN):
        director.advance()
        match = Match.objects.filter(entrants__entrant__player=club_people[0]).earliest("pk")
        play.leave_game(game=match.games.earliest("pk").game, seat=0, how="resigned")
        disputes.open_dispute(match=match, by=user(club_people[0]), note="He looked at my cards.")
    note = Note.objects.get()
    assert reports.find_target("note", note.pk, league.club.owner) == note
    with refused("target_not_found"):
        reports.find_target("note", note.pk, user(club_people[1]))
    shown = Note.objects.create(season=season, author=user(club_people[0]), text="Because.", created=BEGIN)
    assert reports.find_target("note", shown.pk, user(club_people[1])) == shown


def test_an_organiser_has_no_part_in_moderation(club_people: list[Player], ada: User) -> None:
    """An organiser sees no reports and gives no sanctions. Only admins of the platform do."""
    martha, laura = user(club_people[0]), user(club_people[1])
    club = club_lifecycle.found_club(user=martha, name="Kettle and Crown")
    club.memberships.create(user=laura)
    reports.file_report(by=laura, target="club", pk=club.pk, cause="words")
    client = browser(martha)
    for name in ("moderation/report", "accounts/sanction", "moderation/impersonationsession", "accounts/reservedname"):
        assert client.get(f"/admin/{name}/").status_code == 302
    assert client.get("/api/v1/reports/").json()["results"] == []
    with refused("not_an_admin"):
        sanctions.warn(user=laura, by=martha, reason="…")
    assert not Sanction.objects.exists()
