"""News, calendar and seasons on a club's pages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.http import Http404

from games.accounts import notices
from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from games.models import Player
from scorebook_games.presentation.coded_text import written
from tests.assertions.confirmation import confirm
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN, builtin_bot
from tests.tournaments.clubs.conftest import People, browser, call, code
from tournaments.calendar import club_calendar
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs import posts
from tournaments.clubs.models import Club, ClubPost
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League, Season
from tournaments.tasks import notify_clubs

pytestmark = pytest.mark.django_db
PATH = "/clubs/lantern-street/"


def notice_texts(club_people: People, name: str) -> list[str]:
    return [notices.notice_row(each).words for each in notices.notices_of(club_people[name])]


# news


def test_an_organiser_writes_and_every_member_is_told_once(club_people: People, club: Club) -> None:
    otto = browser(club_people["Otto"])
    assert "There is no news yet." in Page.of(otto.get(f"{PATH}news/")).text
    otto.post(
        f"{PATH}news/", {"title": "The hall is shut", "text": "On Thursday.\n\nSee http://example.org/ for more."}
    )
    for _time in range(2):
        notify_clubs()
    assert (
        notice_texts(club_people, "Martha")
        == notice_texts(club_people, "Niamh")
        == ["Lantern Street has published news."]
    )
    assert notice_texts(club_people, "Otto") == notice_texts(club_people, "Laura") == []
    seen = browser(None).get(PATH)
    assert "The hall is shut" in Page.of(seen).text
    assert 'href="http://example.org/" rel="nofollow"' in seen.content.decode()
    page = Page.of(browser(club_people["Martha"]).get(f"{PATH}news/"))
    assert page.faults() == []
    assert "Edit or delete" not in page.text


def test_what_is_written_is_text_and_never_a_page(club_people: People, club: Club) -> None:
    posts.create_post(
        club=club, user=club_people["Otto"], title="<b>Bold</b>", text="<script>alert(1)</script> javascript:alert(1)"
    )
    club_lifecycle.change_club(club=club, user=club_people["Niamh"], about="<img src=x>", rules="<iframe>")
    for path in (PATH, f"{PATH}news/"):
        html = browser(None).get(path).content.decode()
        assert "<script>alert" not in html
        assert "<b>Bold" not in html
        assert "<img src=x>" not in html
        assert "<iframe>" not in html
        assert 'href="javascript' not in html


def test_news_are_changed_and_deleted_and_that_they_were_is_told(club_people: People, club: Club) -> None:
    post = posts.create_post(club=club, user=club_people["Otto"], title="Hall shut", text="On Thursday.")
    niamh = browser(club_people["Niamh"])
    path = f"{PATH}change-news/?post={post.pk}"
    assert Page.of(niamh.get(path)).faults() == []
    assert niamh.post(path, {"title": "", "text": "On Friday."}).status_code == 422
    niamh.post(path, {"title": "Hall shut", "text": "On Friday."})
    page = Page.of(browser(None).get(f"{PATH}news/"))
    assert "On Friday." in page.text
    assert "edited" in page.text
    confirm(niamh, path, {"do": "delete"})
    assert not ClubPost.objects.exists()
    assert niamh.get(path).status_code == 404
    assert [event.type for event in club.events.all()][:3] == ["deleted", "edited", "posted"]


def test_news_have_a_heading_and_text(club_people: People, club: Club) -> None:
    for title, text, expected in (
        ("x" * 81, "x", "bad_title"),
        ("a\x07b", "x", "bad_title"),
        ("x", "x" * 4001, "bad_text"),
        ("x", "a\x1bb", "bad_text"),
        ("x", " \n ", "bad_text"),
    ):
        with pytest.raises(DomainError) as error:
            posts.create_post(club=club, user=club_people["Otto"], title=title, text=text)
        assert (error.value.status, error.value.code) == (400, expected), (title, text)
    for asked, expected in (({"title": " ", "text": "x"}, "invalid"), ({"title": "x", "text": " \n "}, "bad_text")):
        assert code(call(club_people["Otto"], "post", "clubs/lantern-street/news/", asked)) == (400, expected)
    assert not ClubPost.objects.exists()


def test_news_through_the_api(club_people: People, club: Club) -> None:
    path = "clubs/lantern-street/news/"
    made = call(club_people["Otto"], "post", path, {"title": "Hall shut", "text": "Thursday."}).json()
    assert made["by"]["name"] == "Otto"
    changed = call(club_people["Otto"], "put", f"{path}{made['id']}/", {"title": "Hall open", "text": "Friday."}).json()
    assert changed["edited_at"]
    assert [row["title"] for row in call(None, "get", path).json()["results"]] == ["Hall open"]
    assert call(club_people["Otto"], "delete", f"{path}{made['id']}/").status_code == 204
    assert call(club_people["Otto"], "delete", f"{path}{made['id']}/").status_code == 404


def test_news_are_in_pages(club_people: People, club: Club) -> None:
    for number in range(12):
        posts.create_post(club=club, user=club_people["Otto"], title=f"News {number}", text="Text.")
    first, second = (Page.of(browser(None).get(f"{PATH}news/", {"page": page})) for page in ("1", "2"))
    assert "News 11" in first.text
    assert "News 1 " not in first.text
    assert "News 0" in second.text


def test_many_members_are_told_all_and_nobody_twice_when_a_worker_died_in_between(
    club_people: People, club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posts, "NOTIFY_BATCH_SIZE", 1)
    post = posts.create_post(club=club, user=club_people["Otto"], title="Hall shut", text="Thursday.")
    sentence = [written(club.name)]
    notices.notify_users(
        [club_people["Niamh"].pk], "club_news", key=f"club-news:{post.pk}", sentences=sentence
    )  # and died
    notify_clubs()
    assert Notice.objects.filter(subject="club_news").count() == 2


# seasons


def season(club: Club, name: str, **settings: Any) -> Season:
    league, _made = League.objects.get_or_create(club=club, name="Palace League", slug="palace")
    return seasons.create_season(league=league, name=name, kind="palace", **settings)


def test_the_table_of_seasons_shows_those_under_way_first_and_each_kind_by_itself(club: Club) -> None:
    for name, status in (("Spring", "finished"), ("Summer", "open"), ("Autumn", "running"), ("Winter", "finished")):
        Season.objects.filter(pk=season(club, name).pk).update(status=status)
    text = Page.of(browser(None).get(PATH)).text
    places = [text.index(f"Palace League, {name}") for name in ("Autumn", "Summer", "Winter", "Spring")]
    assert places == sorted(places)
    for state, names in (("running", {"Autumn"}), ("open", {"Summer"}), ("past", {"Spring", "Winter"})):
        text = Page.of(browser(None).get(PATH, {"state": state})).text
        assert {name for name in ("Spring", "Summer", "Autumn", "Winter") if f"League, {name}" in text} == names
    assert browser(None).get(PATH, {"state": "lost"}).status_code == 404


def test_the_table_of_seasons_is_in_pages_and_keeps_what_was_asked(club: Club) -> None:
    for number in range(21):
        season(club, f"Season {number}")
    page = Page.of(browser(None).get(PATH, {"state": "open"}))
    assert f"{PATH}?state=open&page=2#seasons" in page.links(PATH)
    assert "Season 0" in Page.of(browser(None).get(PATH, {"state": "open", "page": "2"})).text


# calendar


@pytest.fixture
def weekly(club: Club) -> Season:
    """Return a season of four bots with three rounds, a week apart from Monday 7 September, 20:00 in Dublin."""
    with clock.frozen_at(BEGIN):
        made = season(club, "Autumn", calendar={"seconds": 7 * 86400}, format="round_robin")
        for name in ("Gannet", "Abacus", "Wren", "Juno"):
            entries.enter_season(season=made, player=builtin_bot(name))
        seasons.start_season(season=made)
        director.advance()
    return made


def test_the_calendar_has_what_opened_and_what_is_planned(club: Club, weekly: Season) -> None:
    with clock.frozen_at(BEGIN + timedelta(days=1)):
        page = Page.of(browser(None).get(f"{PATH}calendar/"))
    assert (2, "September 2026") in page.headings
    assert page.faults() == []
    assert "Mon 7 20:00 Palace League, Autumn: round 1 opened" in page.text
    assert "Mon 14 20:00 Palace League, Autumn: round 2 planned" in page.text
    assert "Mon 21 20:00 Palace League, Autumn: round 3 planned" in page.text
    assert "No round opens this month." in Page.of(browser(None).get(f"{PATH}calendar/?month=2026-10")).text


@pytest.mark.parametrize("month", ["2026-13", "2026-00", "1999-12", "2026-1", "september", "٢٠٢٦-٠٩", "9999-12"])
def test_a_month_that_is_none_is_not_there(month: str) -> None:
    with pytest.raises(Http404):
        club_calendar.parse_month(month, "Europe/Dublin")


def test_a_calendar_of_no_month_is_not_there(club: Club) -> None:
    assert browser(None).get(f"{PATH}calendar/", {"month": "2026-13"}).status_code == 404
    assert code(call(None, "get", "clubs/lantern-street/calendar/?month=2026-13"))[0] == 404


def test_a_day_is_one_of_the_clubs_clock(club: Club) -> None:
    """23:30 on the last of September in Dublin is the first of October in Auckland."""
    league = League.objects.create(club=club, name="Palace League", slug="palace")
    late = datetime(2026, 9, 30, 22, 30, tzinfo=UTC)
    with clock.frozen_at(BEGIN):
        made = seasons.create_season(league=league, name="Late", kind="palace", starts_at=late)
        for name in ("Gannet", "Abacus"):
            entries.enter_season(season=made, player=builtin_bot(name))
    days = {}
    for zone in ("Europe/Dublin", "Pacific/Auckland"):
        club_lifecycle.change_club(club=club, user=club.owner, zone=zone)
        club.refresh_from_db()
        months = [
            club_calendar.month_of(club, club_calendar.parse_month(month, zone)) for month in ("2026-09", "2026-10")
        ]
        days[zone] = next(str(day.date) for month in months for day in month.days)
    assert days == {"Europe/Dublin": "2026-09-30", "Pacific/Auckland": "2026-10-01"}


def test_what_happens_on_a_day_is_in_order_of_time(club: Club) -> None:
    with clock.frozen_at(BEGIN):
        for name, minutes in (("Late", 8), ("Early", 6)):
            league = League.objects.create(club=club, name=name, slug=name.lower())
            at = BEGIN + timedelta(minutes=minutes)
            seasons.create_season(league=league, name="Autumn", kind="palace", starts_at=at)
        month = club_calendar.month_of(club, club_calendar.parse_month("2026-09", club.zone))
    assert [line.league.name for day in month.days for line in day.lines] == ["Early", "Late"]


def test_many_rounds_of_a_day_are_one_line(club: Club) -> None:
    players: list[Player] = [builtin_bot(name) for name in ("Gannet", "Abacus")]
    for name in ("One", "Two"):
        with clock.frozen_at(BEGIN):
            made = season(club, name, calendar={"seconds": 60}, format="double_round_robin")
            entries.enter_players(season=made, players=players)
            seasons.start_season(season=made)
            director.advance()
    (line,) = call(None, "get", "clubs/lantern-street/calendar/?month=2026-09").json()[:1]
    assert (line["day"], line["seasons"], line["rounds"], line["planned"]) == ("2026-09-07", 2, 2, False)


def test_the_months_lead_to_one_another(club: Club) -> None:
    for month, before, after in (("2026-01", "2025-12", "2026-02"), ("2026-12", "2026-11", "2027-01")):
        html = browser(None).get(f"{PATH}calendar/?month={month}").content.decode()
        assert f"?month={before}" in html
        assert f"?month={after}" in html
