"""Calendar subscriptions, parsed as a calendar program parses them: contents, changes, and who may see them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from icalendar import Calendar

from games.common import clock
from games.models import Player
from tests.assertions.page import Page
from tests.tournaments.calendar.conftest import DAY, HOUR, MONDAY, SUNDAY, Begin, Join, match_of, signed_in, user_of
from tests.tournaments.club import Start, builtin_bot
from tests.tournaments.director.test_director import at_once
from tournaments.calendar import entries as calendar_entries
from tournaments.calendar import feeds, scheduling
from tournaments.calendar.club_calendar import month_of
from tournaments.calendar.models import CalendarAddress, CalendarEntry, CalendarState
from tournaments.clubs.models import Club, Membership
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import running
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League, Season

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)

CLUB = "/clubs/lantern/calendar.ics"
SEASON = "/clubs/lantern/chinese-ten/autumn/calendar.ics"
THURSDAY = datetime(2026, 10, 22, 18, 0, tzinfo=UTC)


def fetched(address: str, *, at: datetime = MONDAY + HOUR, client: Client | None = None) -> Any:
    """Return the answer as a calendar program reads it."""
    with clock.frozen_at(at):
        response = (client or Client()).get(address)
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    found = Calendar.from_ical(response.content)
    assert isinstance(found, Calendar)
    return found


def events(address: str, **asked: Any) -> dict[str, Any]:
    """Return the events by their summaries."""
    return {str(event["summary"]): event for event in fetched(address, **asked).events}


def agree(martha: Player, laura: Player, time: datetime, at: datetime = MONDAY + 2 * HOUR) -> None:
    with clock.frozen_at(at):
        made = scheduling.propose(match=match_of(martha, laura), user=user_of(martha), times=[time])
        scheduling.accept_proposal(proposal=made, user=user_of(laura))


def test_a_clubs_calendar_has_the_rounds_of_its_seasons_and_the_matches_that_begin_at_a_time(
    begin: Begin, martha: Player, laura: Player, otto: Player
) -> None:
    begin(martha, laura, otto)
    found = events(CLUB)
    rounds = {name: event.start for name, event in found.items() if "Round" in name}
    assert rounds == {
        "Chinese Ten League, Autumn: Round 1": MONDAY,
        "Chinese Ten League, Autumn: Round 2": MONDAY + 7 * DAY + HOUR,  # winter time by then
        "Chinese Ten League, Autumn: Round 3": MONDAY + 14 * DAY + HOUR,
    }
    (match,) = (event for name, event in found.items() if "–" in name)
    assert (match.start, match.end - match.start) == (SUNDAY, timedelta(minutes=40))
    assert re.search(r"/matches/\d+/$", match["url"])


def test_an_event_that_moves_keeps_its_uid_and_its_sequence_rises(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    (before,) = (event for name, event in events(SEASON).items() if "–" in name)
    agree(martha, laura, THURSDAY)
    (after,) = (event for name, event in events(SEASON, at=MONDAY + 3 * HOUR).items() if "–" in name)
    assert (before.start, after.start) == (SUNDAY, THURSDAY)
    assert after["uid"] == before["uid"]
    assert (before["sequence"], after["sequence"]) == (0, 1)
    assert (before["last-modified"].dt, after["last-modified"].dt) == (MONDAY + HOUR, MONDAY + 3 * HOUR)
    assert after["created"].dt == before["created"].dt
    agree(martha, laura, THURSDAY + DAY, at=MONDAY + 4 * HOUR)
    (last,) = (event for name, event in events(SEASON, at=MONDAY + 5 * HOUR).items() if "–" in name)
    assert (last["uid"], last["sequence"], last.start) == (before["uid"], 2, THURSDAY + DAY)


def test_what_has_not_moved_says_the_same_to_the_byte_and_is_not_sent_again(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    with clock.frozen_at(MONDAY + HOUR):
        first = Client().get(SEASON)
    with clock.frozen_at(MONDAY + 9 * HOUR):
        second = Client().get(SEASON)
        again = Client().get(SEASON, headers={"If-None-Match": first["ETag"]})
    assert second.content == first.content
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    agree(martha, laura, THURSDAY)
    with clock.frozen_at(MONDAY + 9 * HOUR):
        moved = Client().get(SEASON, headers={"If-None-Match": first["ETag"]})
    assert moved.status_code == 200
    assert moved["ETag"] != first["ETag"]


def test_a_season_that_is_changed_before_it_starts_moves_its_first_round(league: League, martha: Player) -> None:
    with clock.frozen_at(MONDAY):
        wanted: dict[str, Any] = {"kind": "chinese_ten", "calendar": {}, "terms": {"move_days": 2}}
        season = seasons.create_season(league=league, name="Autumn", starts_at=MONDAY + DAY, **wanted)
    (before,) = events(SEASON).values()
    with clock.frozen_at(MONDAY + 2 * HOUR):
        seasons.change_season(season=season, name="Autumn", starts_at=MONDAY + 3 * DAY, repeats=False, **wanted)
    (after,) = events(SEASON, at=MONDAY + 3 * HOUR).values()
    assert (before.start, after.start) == (MONDAY + DAY, MONDAY + 3 * DAY)
    assert (after["uid"], after["sequence"]) == (before["uid"], 1)


def test_a_season_that_is_given_up_is_cancelled_in_the_clubs_calendar(league: League, martha: Player) -> None:
    with clock.frozen_at(MONDAY):
        season = seasons.create_season(
            league=league, name="Autumn", kind="chinese_ten", starts_at=MONDAY + DAY, terms={"move_days": 2}
        )
    (before,) = events(CLUB).values()
    assert before["status"] == "CONFIRMED"
    with clock.frozen_at(MONDAY + 2 * HOUR):
        seasons.remove_season(season=season)
    (after,) = events(CLUB, at=MONDAY + 3 * HOUR).values()
    assert (after["status"], after["transp"], after["sequence"]) == ("CANCELLED", "TRANSPARENT", 1)
    assert after["uid"] == before["uid"]
    with clock.frozen_at(MONDAY + 3 * HOUR):
        assert Client().get(SEASON).status_code == 404


@pytest.mark.some(1)
@pytest.mark.parametrize("how", ["one withdraws", "the season is abandoned"])
def test_an_agreed_match_that_nobody_will_play_is_cancelled(
    how: str, begin: Begin, martha: Player, laura: Player, otto: Player, join: Join
) -> None:
    season = begin(martha, laura, otto, join("Pilar"))
    one, other = (each.entrant.player for each in match_of(martha).entrants.all())
    agree(one, other, SUNDAY - DAY)
    (name,) = (name for name in events(SEASON) if "Martha" in name)
    with clock.frozen_at(MONDAY + 3 * HOUR):
        if how == "one withdraws":
            entries.withdraw_entrant(entrant=season.entries.get(player=martha), why="asked")
        else:
            running.abandon_season(season=season, how="stands", by=season.league.club.owner, note="Rain.")
    after = events(SEASON, at=MONDAY + 4 * HOUR)[name]
    assert (after["status"], after["transp"]) == ("CANCELLED", "TRANSPARENT")


def test_a_match_that_is_dropped_is_cancelled_once_and_stays(begin: Begin, martha: Player, laura: Player) -> None:
    season = begin(martha, laura)
    events(SEASON)
    entry = CalendarEntry.objects.get(what="match")
    match_of(martha).delete()
    for _ in range(2):
        CalendarState.objects.update(version=0)  # as if something else had happened in the season
        calendar_entries.update_entries([season])
        entry.refresh_from_db()
        assert (entry.cancelled, entry.sequence) == (True, 1)
    (shown,) = (event for name, event in events(SEASON).items() if "–" in name)
    assert (shown["status"], shown["uid"]) == ("CANCELLED", str(entry.uid))


def test_a_player_has_their_matches_and_by_correspondence_the_day_by_which_they_are_played(
    begin: Begin, martha: Player, laura: Player, otto: Player
) -> None:
    begin(martha, laura, terms={"move_days": 2})
    found = events(f"/players/{martha.pk}/calendar.ics")
    (event,) = found.values()
    assert str(event["summary"]) in (
        "Chinese Ten League, Autumn: Martha – Laura: play by this time",
        "Chinese Ten League, Autumn: Laura – Martha: play by this time",
    )
    assert event.start == MONDAY + 7 * DAY + HOUR
    assert "dtend" not in event
    assert event["transp"] == "TRANSPARENT"
    assert events(f"/players/{otto.pk}/calendar.ics") == {}
    assert all("played by" not in name for name in events(SEASON)), "a deadline is for who plays it"


def test_an_evening_of_fixed_rounds_takes_up_its_time(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura, calendar={"rule": "weekdays", "times": ["fri 19:00"]}, pair=False)
    (event,) = events(SEASON).values()
    assert (event.start, event.end - event.start) == (THURSDAY + DAY, timedelta(minutes=40))


def test_rounds_of_bots_that_play_all_day_are_one_event(running: Start) -> None:
    season = running(4)
    calendar_entries.update_entries([season])
    event = CalendarEntry.objects.get()
    assert (event.round, event.last) == (1, 6)


# RFC 5545


def test_a_calendar_is_written_as_the_rfc_wants_it(begin: Begin, join: Join, martha: Player) -> None:
    long = join("Bartholomew von und zu Oberlindenhofen")
    begin(martha, long, kind="chinese_ten", name="Autumn")
    with clock.frozen_at(MONDAY + HOUR):
        body = Client().get(SEASON).content
    lines = body.split(b"\r\n")
    assert lines[0] == b"BEGIN:VCALENDAR"
    assert lines[-2:] == [b"END:VCALENDAR", b""]
    assert b"\n" not in body.replace(b"\r\n", b"")  # 3.1: lines end with CRLF
    assert max(map(len, lines)) <= 75
    assert b"VERSION:2.0" in lines
    assert len([line for line in lines if line.startswith(b"PRODID:")]) == 1
    found: Any = Calendar.from_ical(body)
    uids = [event["uid"] for event in found.events]
    assert len(set(uids)) == len(uids) >= 2
    for event in found.events:
        for needed in ("uid", "dtstamp", "dtstart", "sequence", "last-modified", "summary"):  # 3.6.1
            assert len([1 for name, _value in event.property_items() if name == needed.upper()]) == 1
        assert event["dtstamp"].dt == event["last-modified"].dt
        assert event.start.utcoffset() == timedelta(0)
        assert re.fullmatch(r"[0-9a-f-]{36}", event["uid"])
    assert not [line for line in lines if b"TZID" in line]


def test_commas_and_signs_in_names_are_kept(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    Player.objects.filter(pk=laura.pk).update(name="O'Hara; L, \\ ñ")
    names = " ".join(events(SEASON))
    assert "O'Hara; L, \\ ñ" in names


def test_who_changes_the_name_is_called_so_and_no_event_moves_by_it(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    before = events(SEASON)
    Player.objects.filter(pk=laura.pk).update(name="Lorelei")
    after = events(SEASON)
    assert {str(each["uid"]): each["sequence"] for each in after.values()} == {
        str(each["uid"]): each["sequence"] for each in before.values()
    }
    assert any("Lorelei" in name for name in after)


# who may see


def test_a_secret_address_shows_what_its_owner_may_see_until_it_is_revoked(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    client = signed_in(martha)
    with clock.frozen_at(MONDAY + HOUR):
        page = client.post("/me/calendar/", {"do": "make"})
    address = re.search(r'value="http://[^/]+(/calendar/[^"]+)"', page.content.decode())
    assert address
    assert len(events(address[1])) == 1
    with clock.frozen_at(MONDAY + HOUR):
        response = Client().get(address[1])
    assert response["Cache-Control"] == "private, no-cache"
    row = CalendarAddress.objects.get()
    assert row.used_at == MONDAY + HOUR
    assert address[1].split("/")[2].encode() not in bytes(row.digest)
    assert "last used" in Page.of(client.get("/me/calendar/")).text
    again = client.post("/api/v1/me/calendar/")
    assert again.status_code == 201
    assert Client().get(address[1]).status_code == 404, "another one was made"
    new = re.sub("http://[^/]+", "", again.json()["address"])
    assert Client().get(new).status_code == 200
    assert client.get("/api/v1/me/calendar/").json().keys() == {"created", "used_at"}
    assert client.delete("/api/v1/me/calendar/").status_code == 204
    assert Client().get(new).status_code == 404


@pytest.mark.parametrize("rest", ["clubs/lantern", "clubs/lantern/chinese-ten/autumn", "players/{player}", "me"])
def test_under_a_secret_address_there_is_every_calendar(begin: Begin, martha: Player, laura: Player, rest: str) -> None:
    begin(martha, laura)
    secret = feeds.new_address(user_of(martha))
    assert events(f"/calendar/{secret}/{rest.format(player=martha.pk)}.ics")


@pytest.mark.parametrize("rest", ["you.ics", "clubs.ics", "clubs/nowhere.ics", "players/x.ics", "players/9999999.ics"])
def test_what_is_not_there_is_not_found(martha: Player, rest: str) -> None:
    secret = feeds.new_address(user_of(martha))
    assert Client().get(f"/calendar/{secret}/{rest}").status_code == 404
    assert Client().get("/calendar/" + "A" * 32 + "/me.ics").status_code == 404


def test_who_may_not_see_a_club_sees_nothing_of_it_in_any_calendar(
    begin: Begin, martha: Player, laura: Player, otto: Player
) -> None:
    begin(martha, laura)
    club = Club.objects.get()
    Club.objects.update(visibility="private")
    for player in (martha, laura):
        Membership.objects.create(club=club, user=user_of(player), role="member")
    for address in (CLUB, SEASON):
        assert Client().get(address).status_code == 404
        assert signed_in(otto).get(address).status_code == 404
        assert len(events(address, client=signed_in(laura))) >= 2
    assert events(f"/players/{martha.pk}/calendar.ics") == {}
    secret = feeds.new_address(user_of(martha))
    assert len(events(f"/calendar/{secret}/me.ics")) == 1
    other = feeds.new_address(user_of(otto))
    assert Client().get(f"/calendar/{other}/clubs/lantern.ics").status_code == 404
    assert events(f"/calendar/{other}/players/{martha.pk}.ics") == {}
    number, season = match_of(martha).pk, Season.objects.get().pk
    for closed in (f"matches/{number}/times/", f"seasons/{season}/export/"):
        assert signed_in(otto).get(f"/api/v1/{closed}").status_code == 404
        assert signed_in(martha).get(f"/api/v1/{closed}").status_code == 200


def test_a_deleted_account_has_no_address(martha: Player) -> None:
    secret = feeds.new_address(user_of(martha))
    User.objects.filter(player=martha).update(is_active=False)
    assert Client().get(f"/calendar/{secret}/me.ics").status_code == 404


# number of queries, and simultaneous requests


def test_a_calendar_costs_as_much_for_many_events_as_for_few(begin: Begin, martha: Player, laura: Player) -> None:
    def cost() -> int:
        Client().get(CLUB)
        with CaptureQueriesContext(connection) as asked:
            Client().get(CLUB)
        return len(asked)

    begin(martha, laura)
    few = cost()
    begin(*[builtin_bot(f"Bird {n}") for n in range(6)], martha, laura, name="Winter", games_a_match=1)
    assert CalendarEntry.objects.count() > 0
    assert cost() == few


@committed
def test_calendars_that_are_asked_for_by_many_at_once_are_brought_up_once(
    begin: Begin, martha: Player, laura: Player
) -> None:
    season = begin(martha, laura)
    changed = at_once(lambda: calendar_entries.update_entries([season]))
    assert sorted(changed) == [0, 0, 0, 0, 0, 2]
    assert sorted(CalendarEntry.objects.values_list("sequence", flat=True)) == [0, 0]


def test_the_beat_brings_up_what_nobody_asked_for(begin: Begin, martha: Player, laura: Player) -> None:
    from tournaments import tasks as league_tasks

    begin(martha, laura)
    with clock.frozen_at(MONDAY + HOUR):
        league_tasks.remind()
    assert CalendarEntry.objects.count() == 2
    assert list(calendar_entries.outdated_seasons()) == []
    with clock.frozen_at(SUNDAY - timedelta(minutes=30)):
        director.advance()
    assert Season.objects.get() in calendar_entries.outdated_seasons()


def test_pages_lead_to_their_calendars(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    club = Club.objects.get()
    assert CLUB in Page.of(Client().get(f"/clubs/{club.slug}/")).links()
    assert SEASON in Page.of(Client().get(SEASON.removesuffix("calendar.ics"))).links()
    assert f"/players/{martha.pk}/calendar.ics" in Page.of(Client().get(f"/players/{martha.pk}/")).links()


@pytest.mark.parametrize("seconds", [60, 7 * 86400])
def test_a_calendar_to_subscribe_to_has_what_the_clubs_calendar_shows(
    league: League, martha: Player, laura: Player, otto: Player, seconds: int
) -> None:
    """Includes rounds a minute apart, which share the event of their day, and a season that has not started."""
    with clock.frozen_at(MONDAY):
        season = seasons.create_season(
            league=league,
            name="Autumn",
            kind="chinese_ten",
            format="round_robin",
            starts_at=MONDAY + DAY,
            calendar={"seconds": seconds},
        )
        entries.enter_players(season=season, players=[martha, laura, otto])
        months = [month_of(league.club, date(2026, number, 1)) for number in (10, 11)]
    shown = [(line.first, line.last) for month in months for day in month.days for line in day.lines]
    words = [f"Round {a}" if a == b else f"Rounds {a}–{b}" for a, b in shown]
    assert words == (["Rounds 1–3"] if seconds == 60 else ["Round 1", "Round 2", "Round 3"])
    for feed in (CLUB, SEASON):
        assert list(events(feed)) == [f"Chinese Ten League, Autumn: {each}" for each in words], feed
