"""In which of the coming rounds people can play: on the season's page, in the organisers' grid, by a link, in the API.

Martha, Laura, Otto and Jonas play in Niamh's club, a round a week.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.test import Client

from games.accounts import notices
from games.accounts.mail import build_email
from games.accounts.models import Notice
from games.common import clock
from games.models import Bot, Player
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN, builtin_bot, play_all
from tests.tournaments.entries.test_entries import (
    club_people as club_people,
)
from tests.tournaments.entries.test_entries import (
    entrant,
    events_of_type,
    faults,
    happenings,
    refused,
    season_of,
    status,
)
from tournaments.activity import audit_log
from tournaments.calendar import feeds
from tournaments.director import director
from tournaments.entries import availability, availability_links, availability_reminders
from tournaments.entries import availability_selectors as selectors
from tournaments.entries import services as entries
from tournaments.entries.availability import answer_round
from tournaments.entries.availability_selectors import answers_of, coming_rounds
from tournaments.formats import FORMATS
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import Bye, Entrant, League, MatchEntrant, Season
from tournaments.seasons.settings import parse_settings
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db


def user_of(player: Player) -> User:
    assert player.user
    return player.user


@pytest.fixture
def swiss(league: League, club_people: list[Player]) -> Season:
    return season_of(league, club_people[:4], format="swiss", format_options={"rounds": 3})


def answers(season: Season, player: Player) -> dict[int, str]:
    found = entrant(season, player)
    found.division.season = found.season
    return {each.round.number: each.answer for each in answers_of(found, coming_rounds(found.division))}


def test_a_click_a_round_is_one_event_and_the_same_click_none(swiss: Season, club_people: list[Player]) -> None:
    martha = entrant(swiss, club_people[0])
    assert answers(swiss, club_people[0]) == {1: "", 2: "", 3: ""}
    for plays, answer in ((False, "no"), (False, "no"), (True, "yes"), (True, "yes"), (None, ""), (None, "")):
        answer_round(entrant=martha, round=2, plays=plays)
        assert answers(swiss, club_people[0]) == {1: "", 2: answer, 3: ""}
    assert events_of_type(swiss, "entrant_away") == [["entrant_away", 1, [2]], ["entrant_away", 1, []]]
    assert [event[2] for event in events_of_type(swiss, "entrant_available")] == [[2], []]
    answer_round(entrant=martha, round=3, plays=True)
    availability.set_away_rounds(entrant=martha, rounds=[3])  # the promise is broken by the same event
    assert entrant(swiss, club_people[0]).promised == []
    assert faults() == []


def test_the_timeline_says_who_is_absent_and_the_audit_log_which_organiser_said_it(
    swiss: Season, club_people: list[Player], league: League
) -> None:
    martha, niamh = entrant(swiss, club_people[0]), league.club.owner
    answer_round(entrant=martha, round=2, plays=False, by=niamh, note="She has called me.")
    answer_round(entrant=martha, round=3, plays=True, by=user_of(club_people[0]))
    assert "Martha will be absent in round 2. “She has called me.”" in happenings(swiss)
    assert "Martha can play in round 3." in happenings(swiss)
    [line] = audit_log.audit_lines(list(audit_log.season_actions(swiss)))
    assert (line.act.by, line.act.what, line.reason) == (niamh, "entrant_away", "She has called me.")
    assert "An organiser has set in which rounds" in Notice.objects.get(user=martha.player.user).text
    assert faults() == []


def test_when_a_round_is_paired_an_absence_is_a_bye_without_anybodys_hand(
    swiss: Season, club_people: list[Player]
) -> None:
    with clock.frozen_at(BEGIN):
        for player in club_people[:2]:
            answer_round(entrant=entrant(swiss, player), round=1, plays=False)
        director.advance()
        assert list(Bye.objects.order_by("entrant__number").values_list("entrant__number", "kind")) == [
            (1, "away"),
            (2, "away"),
        ]
        for plays in (True, False, None):
            with refused("round_paired"):
                answer_round(entrant=entrant(swiss, club_people[0]), round=1, plays=plays)
    assert answers(swiss, club_people[0]) == {2: "", 3: ""}


@pytest.mark.slow
def test_absences_beyond_those_that_the_season_pays_for_are_worth_nothing(
    league: League, club_people: list[Player]
) -> None:
    points = {"system": "match_points", "scale": [1], "away": 0.5}
    season = season_of(
        league, club_people[:4], format="swiss", format_options={"rounds": 3}, points=points, paid_absences=1
    )
    martha = entrant(season, club_people[0])
    for number in (1, 2):
        answer_round(entrant=martha, round=number, plays=False)
    for week in range(3):
        with clock.frozen_at(BEGIN + week * timedelta(days=7)):
            director.advance()
            play_all(week)
            director.advance()
            season.refresh_from_db()
    byes = Bye.objects.filter(entrant=martha).order_by("round__number")
    assert [bye.kind for bye in byes] == ["away", "unpaid"]
    assert "1 absence is worth points in this season" in byes[1].reason_text
    won = sum(side.points or 0 for side in MatchEntrant.objects.filter(entrant=martha))
    assert Standing.objects.get(entrant=martha).points == 0.5 + won
    assert "Martha is absent." in happenings(season)
    assert faults() == []


def test_who_has_left_or_names_no_round_gets_a_clear_answer(swiss: Season, club_people: list[Player]) -> None:
    martha, laura = entrant(swiss, club_people[0]), entrant(swiss, club_people[1])
    for number in (0, 1001):
        with refused("bad_rounds"):
            answer_round(entrant=laura, round=number, plays=False)
    entries.withdraw_entrant(entrant=martha, why="asked")
    with refused("not_in"):
        answer_round(entrant=martha, round=2, plays=False)
    assert answers(swiss, club_people[0]) == {}
    Season.objects.filter(pk=swiss.pk).update(status="finished")
    laura.refresh_from_db()
    with refused("season_over"):
        answer_round(entrant=laura, round=2, plays=False)


@pytest.mark.parametrize(("format", "has_rounds"), [("arena", False), ("ladder", False), ("knockout", True)])
def test_what_an_absence_means_is_answered_by_the_class_of_the_format(
    league: League, club_people: list[Player], format: str, has_rounds: bool
) -> None:
    season = season_of(league, club_people[:4], format=format)
    first = entrant(season, club_people[0])
    assert bool(season.competition.absence(2)) is has_rounds
    assert bool(answers(season, club_people[0])) is has_rounds
    if not has_rounds:
        with refused("no_rounds"):
            answer_round(entrant=first, round=1, plays=False)
        return
    with clock.frozen_at(BEGIN):
        answer_round(entrant=first, round=1, plays=False)
        director.advance()
    [mine] = Bye.objects.filter(entrant=first)
    assert "postponed to the next round" in mine.reason_text


def test_every_format_says_what_an_absence_means_or_that_it_has_no_rounds() -> None:
    for each in FORMATS.values():
        assert all(bool(each.absence(size)) is not each.continuous for size in (2, 4)), each.key


# the pages


def browser_of(client: Client, person: User) -> Client:
    client.force_login(person)
    return client


def test_a_member_answers_on_the_season_page_by_one_button_a_round(
    swiss: Season, club_people: list[Player], client: Client
) -> None:
    browser, there = browser_of(client, user_of(club_people[0])), season_url(swiss)
    with clock.frozen_at(BEGIN - timedelta(days=1)):
        page = Page.of(browser.get(there))
        assert page.faults() == []
        assert "You have no match in a round that you miss." in page.text
        step = f"{there}step/"
        sent = {"do": "answer-round", "player": club_people[0].pk, "answer": "no 2"}
        answer = browser.post(step, sent, follow=True)
        assert "Martha is absent in round 2." in Page.of(answer).text
        part = browser.post(step, {**sent, "answer": "yes 3"}, headers={"HX-Request": "true"})
        assert (part.status_code, part.templates[0].name) == (200, "season_pages/parts/availability.html")
        assert "Martha plays in round 3." in part.content.decode()
        for bad in ("", "no", "no x", "perhaps 2", "no 99999"):
            assert "There is no such step." in Page.of(browser.post(step, {**sent, "answer": bad}, follow=True)).text
    assert answers(swiss, club_people[0]) == {1: "", 2: "no", 3: "yes"}
    assert 'aria-pressed="true"' in browser.get(there).content.decode()


def test_organisers_see_one_grid_and_mark_who_has_called_them(
    swiss: Season, club_people: list[Player], league: League, client: Client
) -> None:
    answer_round(entrant=entrant(swiss, club_people[0]), round=2, plays=False)
    answer_round(entrant=entrant(swiss, club_people[1]), round=2, plays=True)
    there = season_url(swiss, "availability")
    assert browser_of(client, user_of(club_people[0])).get(there).status_code == 403
    niamh = browser_of(client, league.club.owner)
    page = Page.of(niamh.get(there))
    assert page.faults() == []
    text = " ".join(page.text.split())
    assert "Martha is absent in round 2" in text
    assert "Laura plays in round 2" in text
    assert "Otto has not said whether to play in round 2." in text
    assert "Can play 0 1 0 Absent 0 1 0 No answer 4 2 4" in text
    laura = entrant(swiss, club_people[1])
    answer = niamh.post(there, {"entrant": laura.number, "answer": "no 2"}, follow=True)
    assert "Laura is absent in round 2." in Page.of(answer).text
    assert answers(swiss, club_people[1])[2] == "no"
    assert niamh.post(there, {"entrant": "99", "answer": "no 2"}).status_code == 404
    assert browser_of(client, user_of(club_people[1])).post(there, {"entrant": 1, "answer": "no 1"}).status_code == 403


def test_a_bot_is_always_available_and_nobody_is_asked_about_it(
    league: League, club_people: list[Player], client: Client
) -> None:
    owner, owned = league.club.owner, builtin_bot("Abacus")
    Bot.objects.filter(name="Abacus").update(owner=owner)
    season = season_of(league, [*club_people[:3], owned], format="swiss", format_options={"rounds": 3})
    niamh, there = browser_of(client, owner), season_url(season)
    assert "When you can play" not in Page.of(niamh.get(there)).text
    grid = " ".join(Page.of(niamh.get(f"{there}availability/")).text.split())
    assert "Otto has not said" in grid
    assert "Abacus has not said" not in grid
    assert "No answer 3 3 3" in grid
    api = f"/api/v1/seasons/{season.pk}"
    [division] = niamh.get(f"{api}/availability/").json()
    assert [each["silent"] for each in division["rounds"]] == [3, 3, 3]
    for name, body in (
        ("answer-round", {"round": 2, "plays": False, "entrant": 4}),
        ("answer-round", {"round": 2, "plays": False, "player": owned.pk}),
        ("away", {"rounds": [2], "player": owned.pk}),
    ):
        answer = niamh.post(f"{api}/{name}/", body, content_type="application/json")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "bot_always_plays"), body


def test_the_grid_has_pages_of_rounds_and_of_entrants(swiss: Season, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "ENTRANTS_PER_PAGE", 3)
    monkeypatch.setattr(selectors, "ROUNDS_SHOWN", 1)
    division = swiss.divisions.get()
    division.season = swiss
    grid = selectors.availability_grid(division, "2", "2")
    assert [column.round.number for column in grid.columns] == [2]
    assert (grid.earlier, grid.first, grid.later) == (1, 2, 3)
    assert [row.entrant.number for row in grid.page.items] == [4]
    assert grid.columns[0].silent == 4  # of all pages


# the link of an email


def link(of: Entrant) -> str:
    return availability_links.link_address(of).partition("testserver")[2] or (
        "/" + availability_links.link_address(of).split("/", 3)[3]
    )


def test_a_link_opens_a_page_without_login_and_only_its_button_changes_something(
    swiss: Season, club_people: list[Player]
) -> None:
    martha, somebody = entrant(swiss, club_people[0]), Client()
    there = link(martha)
    page = Page.of(somebody.get(there))
    assert page.faults() == []
    assert "Martha" in page.text
    assert events_of_type(swiss, "entrant_away") == []
    for _time in range(2):
        answer = somebody.post(there, {"answer": "no 2"})
        assert answer.status_code == 200
        assert "Martha is absent in round 2." in Page.of(answer).text
    assert events_of_type(swiss, "entrant_away") == [["entrant_away", 1, [2]]]
    with clock.frozen_at(BEGIN):
        director.advance()
        late = somebody.post(there, {"answer": "no 1"})
    assert late.status_code == 409
    assert "Round 1 is already paired." in Page.of(late).text


def test_a_link_that_is_forged_old_or_of_who_has_left_changes_nothing(
    swiss: Season, club_people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    martha, laura = (entrant(swiss, player) for player in club_people[:2])
    mine, others, somebody = link(martha), link(laura), Client()
    forged = "/availability/" + mine.split("/")[2].split(":")[0] + ":" + others.split("/")[2].split(":", 1)[1] + "/"
    assert somebody.post(forged, {"answer": "no 2"}).status_code == 404
    monkeypatch.setattr(availability_links, "LINK_MAX_AGE", timedelta(seconds=-1))
    old = somebody.post(mine, {"answer": "no 2"})
    assert (old.status_code, "This link is too old." in Page.of(old).text) == (410, True)
    monkeypatch.undo()
    entries.withdraw_entrant(entrant=martha, why="asked")
    gone = somebody.post(mine, {"answer": "no 2"})
    assert (gone.status_code, "you are not in it any more" in Page.of(gone).text) == (410, True)
    User.objects.filter(pk=user_of(club_people[1]).pk).update(is_active=False)
    assert somebody.get(others).status_code == 404
    assert events_of_type(swiss, "entrant_away") == []


def test_who_has_not_answered_is_asked_before_the_pairing_and_the_email_has_a_link(
    swiss: Season, club_people: list[Player]
) -> None:
    for player in club_people[:4]:
        user = user_of(player)
        EmailAddress.objects.create(user=user, email=f"{user.username}@example.org", primary=True, verified=True)
    Entrant.objects.filter(season=swiss).update(joined_at=BEGIN - timedelta(days=9))
    for number, plays in ((0, True), (1, False), (2, None)):
        answer_round(entrant=entrant(swiss, club_people[number]), round=1, plays=plays)
    for hours, asked in ((80, 0), (70, 2), (69, 0), (-1, 0)):
        with clock.frozen_at(BEGIN - timedelta(hours=hours)):
            assert availability_reminders.notify_due() == asked
    notice = Notice.objects.get(subject="round_ahead", user=user_of(club_people[2]))
    with clock.frozen_at(BEGIN - timedelta(hours=60)):
        body = build_email(notice, "otto@example.org").body
    [there] = [word for word in body.split() if "/availability/" in word]
    page = Client().get("/" + there.split("/", 3)[3])
    assert "Otto" in Page.of(page).text
    assert notices.notice_row(notice).address.endswith("#availability")


def test_no_reminder_asks_about_a_round_that_follows_at_once_or_that_there_is_not(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:4], format="swiss", format_options={"rounds": 1})
    Entrant.objects.filter(season=season).update(joined_at=BEGIN - timedelta(days=9))
    with clock.frozen_at(BEGIN):
        director.advance()
    with clock.frozen_at(BEGIN + timedelta(days=5)):
        assert availability_reminders.notify_due() == 0


def test_ones_own_calendar_shows_the_rounds_that_one_misses_and_no_other_does(
    swiss: Season, club_people: list[Player], client: Client
) -> None:
    martha = entrant(swiss, club_people[0])
    answer_round(entrant=martha, round=2, plays=False)
    secret = feeds.new_address(user_of(club_people[0]))

    def calendar(address: str) -> str:
        return client.get(address).content.decode().replace("\r\n ", "")

    with clock.frozen_at(BEGIN - timedelta(days=1)):
        mine = calendar(f"/calendar/{secret}/me.ics")
        assert "you are absent in round 2" in mine
        assert f"{season_url(swiss)}#availability" in mine
        for others in (season_url(swiss) + "calendar.ics", f"/players/{club_people[0].pk}/calendar.ics"):
            assert "absent" not in calendar(others)
        assert [each.round for each in feeds.missed_rounds(club_people[0])] == [2]
        client.force_login(user_of(club_people[0]))
        assert "Rounds without you" in client.get("/me/calendar/").content.decode()
        answer_round(entrant=martha, round=2, plays=True)
        assert feeds.missed_rounds(club_people[0]) == []
        assert "STATUS:CANCELLED" in calendar(f"/calendar/{secret}/me.ics")


# the API


def test_the_api_answers_for_oneself_for_ones_bot_and_for_organisers(
    swiss: Season, club_people: list[Player], league: League, client: Client
) -> None:
    def ask(person: User, **body: Any) -> tuple[int, Any]:
        answer = browser_of(client, person).post(
            f"/api/v1/seasons/{swiss.pk}/answer-round/", body, content_type="application/json"
        )
        return answer.status_code, answer.json()

    martha = user_of(club_people[0])
    assert ask(martha, round=2, plays=False)[1]["away"] == [2]
    status, entry = ask(martha, round=3, plays=True)
    assert (status, entry["away"], entry["promised"]) == (200, [2], [3])
    assert ask(league.club.owner, round=2, plays=True, entrant=1)[1]["promised"] == [2, 3]
    assert ask(martha, round=2, plays=False, entrant=2)[0] == 403
    assert ask(league.club.owner, round=2, plays=True)[1]["error"]["code"] == "not_in"
    [division] = client.get(f"/api/v1/seasons/{swiss.pk}/availability/").json()
    assert [(each["round"], each["yes"], each["no"], each["silent"]) for each in division["rounds"]] == [
        (1, 0, 0, 4),
        (2, 1, 0, 3),
        (3, 1, 0, 3),
    ]


# alternates who stand in


def season_with_alternates(league: League, club_people: list[Player], **settings: Any) -> Season:
    """Return a Swiss of Martha, Laura, Otto and a bot that has started, with two bots as alternates."""
    entry = {"max_entrants": 4, "alternates": True, "stand_ins": True}
    made = {"format": "swiss", "format_options": {"rounds": 3}, "entry": entry} | settings
    season = season_of(league, [*club_people[:3], builtin_bot("Abacus")], **made)
    entries.enter_players(season=season, players=[builtin_bot("Gannet"), builtin_bot("Wren")])
    return season


def week(season: Season, number: int) -> None:
    """Play a week of the season."""
    with clock.frozen_at(BEGIN + number * timedelta(days=7)):
        director.advance()
        play_all(number)
        director.advance()
    season.refresh_from_db()


def players_of_round(season: Season, number: int) -> set[int]:
    sides = MatchEntrant.objects.filter(match__round__division__season=season, match__round__number=number)
    return set(sides.values_list("entrant__number", flat=True))


def test_an_alternate_plays_the_round_that_an_entrant_misses_and_no_other(
    league: League, club_people: list[Player]
) -> None:
    season = season_with_alternates(league, club_people)
    martha = entrant(season, club_people[0])
    answer_round(entrant=season.entries.get(number=6), round=1, plays=True)  # Wren comes before Gannet, who is silent
    answer_round(entrant=martha, round=1, plays=False)
    for number in range(3):
        week(season, number)
    assert events_of_type(season, "alternate_called") == [["alternate_called", 1, 1, 6, 1]]
    assert [players_of_round(season, number) for number in (1, 2, 3)] == [{2, 3, 4, 6}, {1, 2, 3, 4}, {1, 2, 3, 4}]
    assert [bye.entrant.number for bye in Bye.objects.filter(round__division__season=season)] == [1]
    assert "Wren plays round 1 in the place of Martha." in happenings(season)
    assert (season.status, status(season)["Gannet"]) == ("finished", "alternate")
    assert set(Standing.objects.filter(division__season=season).values_list("entrant__number", flat=True)) == {
        *(1, 2, 3, 4, 6)
    }
    assert faults() == []


@pytest.mark.slow
def test_who_stands_in_is_not_counted_and_gets_the_place_of_one_who_withdraws(
    league: League, club_people: list[Player]
) -> None:
    season = season_with_alternates(league, club_people)
    answer_round(entrant=entrant(season, club_people[0]), round=1, plays=False)
    week(season, 0)
    assert entrant(season, club_people[0]).status == "in"
    entries.withdraw_entrant(entrant=entrant(season, club_people[1]), why="asked")
    joined = [event for event in events_of_type(season, "entrant_joined") if event[2] > 4]
    assert [event[2] for event in joined] == [5]
    assert season.entries.get(number=5).called == []
    week(season, 1)
    assert players_of_round(season, 2) == {1, 3, 4, 5}
    entries.withdraw_entrant(entrant=season.entries.get(number=5), why="asked")
    week(season, 2)
    assert 6 in players_of_round(season, 3)
    assert faults() == []


def test_an_alternate_who_is_absent_or_has_left_is_not_called(league: League, club_people: list[Player]) -> None:
    season = season_with_alternates(league, club_people)
    for number in (1, 2):
        answer_round(entrant=season.entries.get(number=number), round=1, plays=False)
    answer_round(entrant=season.entries.get(number=5), round=1, plays=False)
    entries.leave_season(entrant=season.entries.get(number=6))
    with clock.frozen_at(BEGIN):
        director.advance()
    assert events_of_type(season, "alternate_called") == []
    assert players_of_round(season, 1) == {3, 4}
    assert faults() == []


@pytest.mark.parametrize("settings", [{"format": "round_robin"}, {"entry": {"stand_ins": True}}])
def test_alternates_stand_in_only_where_the_class_of_the_format_allows_it(settings: dict[str, Any]) -> None:
    asked = {"kind": "chinese_ten", "format": "swiss", "entry": {"alternates": True, "stand_ins": True}, **settings}
    with refused("bad_setting"):
        parse_settings(asked)
