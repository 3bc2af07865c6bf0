"""The organiser's inbox: what comes into it, what can be done there, and who did what.

Martha, Laura, Otto and Jonas play by correspondence in Niamh's club, a round a week; the clock stands at `LATE`, half a
day before round 1 is to be over, unless a test says otherwise.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.accounts import people
from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from games.models import Bot, BotVersion, Game, Player
from games.play import services as play
from games.play.departures import FORFEITED
from tests.assertions.confirmation import confirm
from tests.assertions.page import Page
from tests.fixtures.append_only import triggers_disabled
from tests.fixtures.saved_rows import restored
from tests.tournaments.club import BEGIN, new_club
from tests.tournaments.director.test_director import at_once
from tests.tournaments.entries.test_entries import entrant, events_of_type, faults, happenings, refused, season_of
from tournaments.activity import audit_log
from tournaments.calendar import entries as calendar_entries
from tournaments.calendar import reminders, scheduling
from tournaments.calendar.club_calendar import month_of
from tournaments.calendar.models import CalendarEntry
from tournaments.clubs import members
from tournaments.clubs.models import Club, JoinRequest, Membership
from tournaments.director import director
from tournaments.entries import availability, challenges
from tournaments.entries import services as entries
from tournaments.entries.ladder_selectors import ladder_rows
from tournaments.lifecycle import running
from tournaments.organiser import counts, inbox, nudges, season_progress, upcoming
from tournaments.organiser import views as organiser_views
from tournaments.organiser.inbox_item import InboxItem
from tournaments.rulings import disputes
from tournaments.rulings import services as rulings
from tournaments.rulings.models import Dispute
from tournaments.seasons.models import Entrant, League, Match, OrganiserAction, Round, Season
from tournaments.seasons.stream import fold_season

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)
A_DAY = timedelta(days=1)
LATE = BEGIN + timedelta(days=6, hours=12)


@pytest.fixture
def club(league: League) -> Club:
    return league.club


@pytest.fixture
def niamh(client: Client, club: Club) -> Client:
    client.force_login(club.owner)
    return client


def on(club: Club, what: str = "") -> list[InboxItem]:
    return [item for item in inbox.inbox_items([club]) if not what or item.what == what]


def send(browser: Client, do: str, **data: Any) -> Any:
    """Press a button of the club's inbox, and return the page that follows."""
    return browser.post("/clubs/lantern/inbox/", {"do": do, **data}, follow=True)


# what comes into the inbox


def test_a_match_comes_into_the_inbox_two_days_before_its_round_ends(played: Season, club: Club) -> None:
    with clock.frozen_at(BEGIN + 4 * A_DAY):
        assert on(club) == []
    with clock.frozen_at(BEGIN + 5 * A_DAY):
        first, second = on(club)
    assert (first.what, first.due) == ("deadline", BEGIN + 7 * A_DAY)
    assert {player.name for item in (first, second) for player in item.players} == {"Martha", "Laura", "Otto", "Jonas"}
    assert first.why.startswith("No game has finished. Waiting for ")


def test_it_names_those_for_whom_the_match_waits_and_goes_when_it_is_played(played: Season, club: Club) -> None:
    match = Match.objects.earliest("pk")
    game = match.games.get().game
    waits_for = game.seats.get(seat=game.to_act[0]).player
    with clock.frozen_at(LATE):
        item = next(item for item in on(club) if item.match == match)
        assert [player.name for player in item.awaited] == [waits_for.name]
        play.leave_game(game=game, seat=game.to_act[0], how=FORFEITED)
        director.advance()
        assert match.pk not in {item.match.pk for item in on(club) if item.match}


def test_a_round_that_waits_for_its_games_is_late_when_the_next_one_should_have_begun(
    league: League, club_people: list[Player], club: Club
) -> None:
    season_of(league, club_people[:2], on_round_deadline="wait")
    with clock.frozen_at(BEGIN):
        director.advance()
    with clock.frozen_at(BEGIN + 6 * A_DAY):
        assert [item.what for item in on(club)] == ["deadline"], "A day is left."
    with clock.frozen_at(BEGIN + 8 * A_DAY):
        item = on(club)[0]
    assert (item.what, item.due, item.is_soon, item.may_extend) == ("late", BEGIN + 7 * A_DAY, True, False)


def test_bots_alone_are_nobodys_concern_until_the_platform_fails_at_their_game(running: Any, club: Club) -> None:
    running(4, on_round_deadline="adjudicate")
    with clock.frozen_at(BEGIN):
        director.advance()
        assert on(club) == []
        Game.objects.filter(pk=Game.objects.earliest("pk").pk).update(failures=2)
        item = on(club)[0]
    assert item.what == "stuck"
    assert item.why.startswith("The game failed 2 times at event")


def test_who_asks_to_be_let_in_and_who_waits_for_a_place(league: League, club_people: list[Player], club: Club) -> None:
    closed = season_of(league, [], start=False, starts_at=BEGIN + A_DAY, entry={"invited_only": True})
    full = season_of(
        league, club_people[:2], start=False, name="Full", starts_at=BEGIN + A_DAY, entry={"max_entrants": 2}
    )
    with clock.frozen_at(BEGIN):
        entries.enter_season(season=closed, player=club_people[0], by_organiser=False)
        entries.enter_players(season=full, players=club_people[2:4])
        [asks], [waiting] = on(club, "asks"), on(club, "waiting")
    assert (asks.players, asks.due) == ([club_people[0]], closed.starts_at)
    assert waiting.players == club_people[2:4]
    assert waiting.why.startswith("2 players wait for a place")


def test_a_table_that_will_be_short_says_what_the_season_does_about_it(
    league: League, club_people: list[Player], club: Club
) -> None:
    season = season_of(
        league,
        club_people[:5],
        start=False,
        kind="palace",
        options={},
        format="swiss",
        table_size=4,
        short_tables="short",
    )
    with clock.frozen_at(BEGIN - A_DAY):
        [item] = on(club, "short")
        assert "Round 1 has 5 players at tables of 4. 3 more would fill the last table." in item.why
        assert "the table is played with fewer" in item.why
        availability.set_away_rounds(entrant=entrant(season, club_people[0]), rounds=[1])
        assert on(club, "short") == []


def test_seasons_that_wait_say_why(league: League, club_people: list[Player], club: Club, played: Season) -> None:
    season_of(league, club_people[:1], start=False, name="Winter", starts_at=BEGIN)
    with clock.frozen_at(BEGIN + A_DAY):
        running.pause_season(season=played, by=club.owner)
        [unstarted], [paused] = on(club, "unstarted"), on(club, "paused")
    assert unstarted.why == "The start time has passed, but only 1 of 2 needed players has entered."
    assert not unstarted.startable
    assert paused.since == BEGIN + A_DAY


def test_a_bot_in_quarantine_is_told_of_where_it_plays(league: League, club_people: list[Player], club: Club) -> None:
    version = BotVersion.objects.create(
        bot=Bot.objects.create(name="Heron", owner=club_people[5].user),
        number=1,
        transport="upload",
        kinds=["chinese_ten"],
    )
    heron = Player.objects.create(bot_version=version, name="Heron")
    season_of(league, [club_people[0], heron], terms={"move_seconds": 60, "rated": False})
    BotVersion.objects.filter(pk=version.pk).update(state="quarantined")
    with clock.frozen_at(BEGIN):
        [item] = on(club, "quarantine")
    assert item.players == [heron]
    assert item.may_withdraw


def test_the_most_pressing_comes_first(played: Season, league: League, club_people: list[Player], club: Club) -> None:
    asks = season_of(league, [], start=False, name="Winter", starts_at=BEGIN + 30 * A_DAY, entry={"invited_only": True})
    with clock.frozen_at(LATE):
        entries.enter_season(season=asks, player=club_people[0], by_organiser=False)
        assert [item.what for item in on(club)] == ["deadline", "deadline", "asks"]


@pytest.mark.slow
def test_who_asks_to_join_the_club_is_answered_from_the_inbox(
    niamh: Client, club_people: list[Player], club: Club
) -> None:
    for player, words in ((club_people[0], "Tamsin brought me."), (club_people[1], "")):
        assert player.user
        members.join_club(club=club, user=player.user, words=words)
    page = Page.of(niamh.get("/clubs/lantern/inbox/"))
    assert "Asks to join: Martha" in page.text
    assert "Message: “Tamsin brought me.”" in page.text
    first, second = on(club, "joins")
    assert first.request
    assert second.request
    assert (
        "The person is now a member and has been notified."
        in Page.of(send(niamh, "accept", request=first.request.pk)).text
    )
    assert "The person has been notified." in Page.of(send(niamh, "refuse", request=second.request.pk)).text
    assert [club.memberships.filter(user=player.user).exists() for player in club_people[:2]] == [True, False]
    assert on(club) == []


# disputes, and matches without a time


@pytest.fixture
def disputed(played: Season, club_people: list[Player]) -> Dispute:
    """Return an open dispute: the loser of the first match says that the page would not load."""

    def make() -> Dispute:
        match = Match.objects.select_related("round__division__season__league__club").earliest("pk")
        with clock.frozen_at(BEGIN + A_DAY):
            play.leave_game(game=match.games.get().game, seat=0, how=FORFEITED)
            director.advance()
            loser = match.games.get().game.seats.get(seat=0).player
            assert loser.user
            return disputes.open_dispute(match=match, by=loser.user, note="The page would not load.")

    return restored("disputed", make)


def test_a_dispute_is_in_the_inbox_at_once_with_what_was_written(disputed: Dispute, club: Club) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        [item] = on(club)
    assert (item.what, item.due) == ("dispute", BEGIN + 3 * A_DAY)
    assert item.why == f"{disputed.entrant.player.name} wrote: “The page would not load.”"
    assert not item.may_withdraw


def test_a_dispute_that_waits_for_long_is_the_most_pressing(disputed: Dispute, club: Club) -> None:
    with clock.frozen_at(LATE):
        late, *others = on(club)
    assert (late.what, late.is_late) == ("dispute", True)
    assert [item.what for item in others] == ["deadline"]


def test_a_dispute_stays_in_the_inbox_when_the_season_is_over(disputed: Dispute, club: Club) -> None:
    Season.objects.update(status=Season.Status.FINISHED)
    assert [item.what for item in on(club)] == ["dispute"]


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("how", "sentence", "status", "event"),
    [
        ("stands", "The result stands", "declined", "dispute_settled"),
        ("again", "Game 1 will be replayed", "upheld", "game_ordered"),
        ("annul", "Game 1 does not count", "upheld", "game_annulled"),
    ],
)
def test_a_dispute_is_decided_from_the_inbox(
    niamh: Client, played: Season, disputed: Dispute, club: Club, how: str, sentence: str, status: str, event: str
) -> None:
    with clock.frozen_at(LATE):
        page = Page.of(send(niamh, "decide", dispute=disputed.pk, how=how, game=1, note="The log says so."))
    assert f"{sentence}, and the players are notified of your reason." in page.text
    disputed.refresh_from_db()
    assert disputed.status == status
    assert len(events_of_type(played, event)) == 1
    assert on(club, "dispute") == []
    assert "The log says so." in Notice.objects.filter(subject="corrected").latest("pk").text


def test_of_two_who_decide_a_dispute_the_second_is_told(niamh: Client, disputed: Dispute, played: Season) -> None:
    with clock.frozen_at(LATE):
        send(niamh, "decide", dispute=disputed.pk, how="stands", game=1, note="It was fair.")
        page = Page.of(send(niamh, "decide", dispute=disputed.pk, how="annul", game=1, note="It was not."))
    assert "This dispute has already been answered." in page.text
    assert events_of_type(played, "game_annulled") == []


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"how": "stands", "note": " "}, "Give a reason. The people concerned can read it."),
        ({"how": "", "note": "So be it."}, "Choose what happens to the result."),
        ({"how": "annul", "note": "So be it.", "game": ""}, "Choose the game to replay or annul."),
    ],
)
def test_a_dispute_is_not_decided_without_a_choice_and_a_reason(
    niamh: Client, disputed: Dispute, sent: dict[str, str], sentence: str
) -> None:
    assert sentence in Page.of(send(niamh, "decide", **{"dispute": disputed.pk, "game": 1, **sent})).text
    disputed.refresh_from_db()
    assert disputed.status == "open"


def test_a_refused_decision_keeps_the_choice_and_the_reason(niamh: Client, disputed: Dispute) -> None:
    sent = {"do": "decide", "dispute": disputed.pk, "how": "annul", "game": "", "note": "The clock ran."}
    answer = niamh.post("/inbox/", sent)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert re.search(r'value="annul"\s+required\s+checked', page)
    assert "The clock ran.</textarea>" in page


def test_what_was_decided_is_told_beside_the_inbox(niamh: Client, disputed: Dispute) -> None:
    match = disputed.match
    rulings.adjudicate(match=match, places=[1, 1], by=match.round.division.season.league.club.owner, note="A tie.")
    page = Page.of(niamh.get("/clubs/lantern/inbox/"))
    assert "Adjudicated. Game 1 at table 1 of round 1" in page.text
    assert "Reason: A tie." in page.text


def live_season(league: League, club_people: list[Player], count: int = 2) -> Match:
    """Start a live season whose players agree on times, and return the first match of its first round."""
    calendar = {"seconds": 7 * 86400, "match_time": "agreed", "fallback_time": "sun 18:00"}
    season = season_of(league, club_people[:count], terms={"move_seconds": 30, "bank_seconds": 60}, calendar=calendar)
    with clock.frozen_at(BEGIN):
        director.advance()
    return Match.objects.filter(round__division__season=season).earliest("pk")


def test_a_match_for_which_nobody_proposed_a_time_says_when_it_begins_otherwise(
    league: League, club_people: list[Player], club: Club
) -> None:
    live_season(league, club_people)
    with clock.frozen_at(BEGIN + 3 * A_DAY):
        assert on(club) == []
    with clock.frozen_at(BEGIN + 5 * A_DAY):
        [item] = on(club)
    assert (item.what, item.may_extend) == ("untimed", True)
    assert item.why == "No time has been proposed. If they do not agree, the match begins Sun 13 Sep, 17:00."
    assert item.awaited == list(item.players)


def test_a_proposal_without_an_answer_is_told_with_its_day(
    league: League, club_people: list[Player], club: Club
) -> None:
    match = live_season(league, club_people)
    first, second = (side.entrant.player for side in match.entrants.order_by("order"))
    assert first.user
    for day in (1, 3):
        with clock.frozen_at(BEGIN + day * A_DAY):
            scheduling.propose(match=match, user=first.user, times=[BEGIN + 5 * A_DAY + timedelta(hours=day)])
    with clock.frozen_at(BEGIN + 5 * A_DAY + timedelta(hours=1)):
        [item] = on(club)
    sentence = f"{first.name} proposed times, most recently on Thu 10 Sep. {second.name} has not accepted any."
    assert item.why.startswith(sentence)


def test_a_match_whose_people_have_agreed_needs_nobody(league: League, club_people: list[Player], club: Club) -> None:
    match = live_season(league, club_people)
    first, second = (side.entrant.player.user for side in match.entrants.order_by("order"))
    assert first
    assert second
    with clock.frozen_at(BEGIN + A_DAY):
        offer = scheduling.propose(match=match, user=first, times=[BEGIN + 6 * A_DAY])
        scheduling.accept_proposal(proposal=offer, user=second)
    with clock.frozen_at(BEGIN + 5 * A_DAY):
        assert on(club) == []


# nudging


def nudge(match: Match, user: User, note: str = "") -> list[Player]:
    return nudges.nudge_match(match=match, user=user, note=note)


def test_a_nudge_tells_those_for_whom_the_match_waits_and_stays_on_record(played: Season, club: Club) -> None:
    match = Match.objects.earliest("pk")
    with clock.frozen_at(LATE):
        [asked] = nudge(match, club.owner, "The round ends tonight.")
        [item] = [item for item in on(club) if item.match == match]
    notice = Notice.objects.get(subject="nudge")
    assert notice.user_id == asked.user_id
    assert notice.url == f"/matches/{match.pk}/"
    assert item.nudged
    assert events_of_type(played, "match_nudged")[0][1] == match.pk
    assert "an organiser reminds them to play. “The round ends tonight.”" in happenings(played)
    assert faults() == []


def test_a_match_is_nudged_once_a_day_at_most(played: Season, club: Club) -> None:
    first, second = Match.objects.order_by("pk")
    with clock.frozen_at(LATE):
        nudge(first, club.owner)
        with refused("nudged_lately"):
            nudge(first, club.owner)
        nudge(second, club.owner)
    with clock.frozen_at(LATE + A_DAY):
        nudge(first, club.owner)
    assert Notice.objects.filter(subject="nudge").count() == len(events_of_type(played, "match_nudged")) == 3


@committed
def test_however_many_press_the_button_at_once_people_are_asked_once(played: Season, club: Club) -> None:
    match = Match.objects.earliest("pk")

    def press() -> str:
        try:
            nudge(match, club.owner)
        except DomainError as error:
            return error.code
        return ""

    assert sorted(at_once(press)) == ["", *["nudged_lately"] * 5]
    assert Notice.objects.filter(subject="nudge").count() == 1


def test_nobody_is_asked_to_play_what_is_over_or_what_waits_for_bots(
    played: Season, club: Club, league: League, club_people: list[Player], bots: list[Player]
) -> None:
    match = Match.objects.earliest("pk")
    mixed = season_of(league, [club_people[0], bots[0]], name="Mixed", terms={"move_days": 1, "rated": False})
    with clock.frozen_at(BEGIN):
        director.advance()
    with_bot = Match.objects.get(round__division__season=mixed)
    seat = with_bot.games.get().game.seats.get(player=bots[0]).seat
    Game.objects.filter(match_game__match=with_bot).update(to_act=[seat])
    with clock.frozen_at(LATE):
        with refused("nobody_to_nudge"):
            nudge(with_bot, club.owner)
        play.leave_game(game=match.games.get().game, seat=0, how=FORFEITED)
        director.advance()
        with refused("match_over"):
            nudge(match, club.owner)


# permissions


def test_each_step_in_the_inbox_is_for_those_who_organise_its_club(played: Season, club: Club) -> None:
    """The page `/inbox/` is for organisers of any club, so each step itself checks the permission in its club."""
    carol, bram, ivo, ruth = (User.objects.create_user(name) for name in ("carol", "bram", "ivo", "ruth"))
    for user in (carol, bram, ivo, ruth):
        people.create_profile_and_player(user, user.username)
    for user, within in ((ivo, Membership.Role.MEMBER), (ruth, Membership.Role.ORGANISER)):
        Membership.objects.create(club=club, user=user, role=within)
    asked, other = (JoinRequest.objects.create(club=club, user=user, created=BEGIN) for user in (carol, bram))
    match = Match.objects.earliest("pk")
    with clock.frozen_at(LATE):
        player = match.entrants.earliest("order").entrant.player
        assert player.user
        play.leave_game(game=match.games.earliest("pk").game, seat=0, how=FORFEITED)
        raised = disputes.open_dispute(match=match, by=player.user, note="It went wrong.")
    sent: dict[str, dict[str, Any]] = {
        "decide": {"dispute": raised.pk, "how": "stands", "game": 1, "note": "It did not."},
        "adjudicate": {"match": Match.objects.latest("pk").pk, "outcome": "draw", "note": "Both were ill."},
        "nudge": {"match": match.pk},
        "extend": {"round": Round.objects.get().pk, "days": 3},
        "accept": {"request": asked.pk},
        "refuse": {"request": other.pk},
        **{name: {"season": played.pk, "entrant": 1} for name in ("admit", "decline", "withdraw")},
        **{name: {"season": played.pk} for name in ("resume", "start")},
    }
    assert set(sent) == set(organiser_views.ACTIONS)
    answered = {}
    for user, role in ((carol, "stranger"), (ivo, "member"), (ruth, "organiser")):
        browser = Client()
        browser.force_login(user)
        played.stream.refresh_from_db()
        before = played.stream.version
        with clock.frozen_at(LATE):
            statuses = {do: browser.post("/inbox/", {"do": do, **form}).status_code for do, form in sent.items()}
        played.stream.refresh_from_db()
        answered[role] = (statuses, played.stream.version == before)
    assert answered["stranger"] == answered["member"] == (dict.fromkeys(sent, 403), True)
    # The first two ask before they act; a running season refuses the others.
    asked_or_refused = dict.fromkeys(("decline", "withdraw", "admit", "resume", "start"), 422)
    assert answered["organiser"] == ({**dict.fromkeys(sent, 302), **asked_or_refused}, False)


# the page


@pytest.mark.slow
def test_the_inbox_reads_well_and_its_buttons_do_what_they_say(niamh: Client, played: Season) -> None:
    match = Match.objects.earliest("pk")
    with clock.frozen_at(LATE):
        page = Page.of(niamh.get("/clubs/lantern/inbox/"))
        assert page.faults() == []
        assert "Needs your attention" in page.text
        assert "2 items, most urgent first." in page.text
        assert "Today and tomorrow" in page.text
        page = Page.of(send(niamh, "nudge", match=match.pk))
        assert "were reminded to play." in page.text
        assert "Reminded today" in page.text
        assert "Niamh" in page.text or "niamh" in page.text
        page = Page.of(send(niamh, "nudge", match=match.pk))
        assert "You can remind them again tomorrow." in page.text
        page = Page.of(send(niamh, "extend", round=match.round_id, days=3))
    assert "Round 1 was extended by 3 days." in page.text
    assert Round.objects.get().closes_at == BEGIN + 10 * A_DAY
    assert "Nothing needs your attention" in page.text
    assert page.faults() == []


def test_a_match_that_was_not_played_is_adjudicated_in_its_row(niamh: Client, played: Season) -> None:
    match = Match.objects.earliest("pk")
    first, second = match.entrants.order_by("order")
    with clock.frozen_at(LATE):
        page = Page.of(niamh.get("/clubs/lantern/inbox/"))
        assert f"{second.entrant.player.name} won" in page.text
        page = Page.of(send(niamh, "adjudicate", match=match.pk, outcome="second", note=" "))
        assert "Give a reason." in page.text
        page = Page.of(send(niamh, "adjudicate", match=match.pk, note="A no-show."))
        assert "Choose the result of at least one match." in page.text
        assert page.faults() == []
        page = Page.of(send(niamh, "adjudicate", match=match.pk, outcome="second", note="A no-show."))
        assert "The result has been adjudicated." in page.text
        points = dict(match.entrants.values_list("pk", "points"))
        assert (points[first.pk], points[second.pk]) == (0, 1)
        page = Page.of(send(niamh, "adjudicate", match=match.pk, outcome="first", note="No, the other."))
        assert "has a result by now" in page.text


def test_an_empty_inbox_says_what_happens_next(niamh: Client, played: Season) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        page = Page.of(niamh.get("/clubs/lantern/inbox/"))
        [first, *_others] = upcoming.upcoming_events([played.league.club])
        assert "All done" in page.text
    assert f"{first.text} ({played})." in page.text


def test_the_row_says_which_alternate_takes_the_place_of_whoever_is_withdrawn(
    niamh: Client, played: Season, league: League
) -> None:
    user = User.objects.create_user("carol")
    carol = people.create_profile_and_player(user, "Carol")
    Entrant.objects.create(
        season=played,
        number=9,
        player=carol,
        status=Entrant.Status.ALTERNATE,
        division=played.divisions.get(),
        joined_at=BEGIN,
    )
    with clock.frozen_at(LATE):
        page = Page.of(niamh.get("/clubs/lantern/inbox/"))
    assert page.text.count("Carol, the first alternate, takes the place.") == 2
    assert page.text.count("Replace a player…") == 2


@pytest.mark.slow
def test_an_entry_is_accepted_or_declined_from_the_inbox(
    niamh: Client, league: League, club_people: list[Player], club: Club
) -> None:
    season = season_of(league, [], start=False, starts_at=BEGIN + A_DAY, entry={"invited_only": True})
    with clock.frozen_at(BEGIN):
        for player in club_people[:2]:
            entries.enter_season(season=season, player=player, by_organiser=False)
        page = Page.of(send(niamh, "admit", season=season.pk, entrant=1))
        assert "Martha has been entered." in page.text
        page = Page.of(send(niamh, "decline", season=season.pk, entrant=2))
        assert "Laura was declined." in page.text
        assert "Nothing needs your attention" in page.text
        page = Page.of(niamh.get("/clubs/lantern/audit-log/"))
    assert "was admitted by an organiser." in page.text
    assert "was not admitted." in page.text
    assert page.faults() == []
    assert [entrant(season, player).status for player in club_people[:2]] == ["in", "out"]


@pytest.mark.slow
def test_who_does_not_come_is_withdrawn_with_a_reason(niamh: Client, played: Season, club_people: list[Player]) -> None:
    with clock.frozen_at(LATE):
        sent = {"do": "withdraw", "season": played.pk, "entrant": 1, "note": "Has moved to Leith."}
        page = Page.of(confirm(niamh, "/clubs/lantern/inbox/", sent, follow=True))
        assert "Martha has been withdrawn." in page.text
        log = Page.of(niamh.get("/clubs/lantern/audit-log/"))
    assert "“Has moved to Leith.”" in log.text
    assert faults() == []


def test_what_people_do_for_themselves_is_no_act_of_an_organiser(played: Season, club_people: list[Player]) -> None:
    with clock.frozen_at(LATE):
        entries.leave_season(entrant=entrant(played, club_people[0]), by=club_people[0].user)
    assert not OrganiserAction.objects.exists()


def test_the_list_is_looked_through_by_season_person_match_and_sort(
    niamh: Client, played: Season, club: Club, league: League, club_people: list[Player]
) -> None:
    """The page and the API filter alike. The log is of two seasons and two organisers."""
    ruth = User.objects.create_user("ruth")
    Membership.objects.create(club=club, user=ruth, role=Membership.Role.ORGANISER)
    first, *_ = Match.objects.order_by("pk")
    other = season_of(league, club_people[:2], name="Winter")
    with clock.frozen_at(LATE):
        nudge(first, ruth)
        rulings.adjudicate(match=first, places=(1, 2), by=club.owner, note="Both agreed.")
        running.pause_season(season=other, by=ruth, note="Holidays.")
    expected = {
        "": ["season_paused", "game_adjudicated", "match_nudged"],
        f"season={other.pk}": ["season_paused"],
        "by=ruth": ["season_paused", "match_nudged"],
        f"match={first.pk}": ["game_adjudicated", "match_nudged"],
        "what=game_adjudicated": ["game_adjudicated"],
        f"by=ruth&season={played.pk}": ["match_nudged"],
        "by=-": [],
    }
    for query, whats in expected.items():
        got = niamh.get(f"/api/v1/clubs/lantern/audit-log/?{query}").json()["results"]
        assert [line["what"] for line in got] == whats, query
        page = Page.of(niamh.get(f"/clubs/lantern/audit-log/?{query}"))
        assert page.faults() == []
        assert [word in page.text for word in ("Holidays.", "Both agreed.")] == [
            name in whats for name in ("season_paused", "game_adjudicated")
        ]
    assert got == []
    line = niamh.get("/api/v1/clubs/lantern/audit-log/?what=season_paused").json()["results"][0]
    assert (line["by"], line["reason"], line["match"], line["season"]) == ("ruth", "Holidays.", None, other.pk)


def test_what_cannot_be_looked_for_is_said(niamh: Client, club: Club) -> None:
    for wanted in ({"season": "x"}, {"match": "1.5"}, {"what": "dancing"}, {"season": "9" * 30}):
        with refused("bad_filter"):
            audit_log.club_actions([club], audit_log.AuditFilter(**wanted))
    answer = niamh.get("/api/v1/clubs/lantern/audit-log/?season=x")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_filter")
    assert niamh.get("/clubs/lantern/audit-log/?season=x").status_code == 404


def test_a_decision_about_a_match_of_two_games_is_one_act(
    niamh: Client, league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:2], games_a_match=2, name="Pairs")
    with clock.frozen_at(LATE):
        director.advance()
        match = Match.objects.get(round__division__season=season)
        made = rulings.adjudicate(match=match, places=(2, 1), by=league.club.owner, note="Seen.", key="k")
        assert rulings.adjudicate(match=match, places=(2, 1), by=league.club.owner, note="Seen.", key="k") == made
    assert [event[2] for event in made.events] == [1, 2]
    [line] = audit_log.audit_lines(list(audit_log.season_actions(season)))
    assert line.reason == "Seen."
    assert faults() == []
    with triggers_disabled("seasons_organiseraction"):
        OrganiserAction.objects.filter(pk=made.pk).delete()
    assert len(faults()) == 1
    assert [event[2] for event in audit_log.season_actions(season).get().events] == [1, 2]


def test_acts_are_told_after_the_account_is_gone(niamh: Client, played: Season, club: Club) -> None:
    ruth = User.objects.create_user("ruth")
    Membership.objects.create(club=club, user=ruth, role=Membership.Role.ORGANISER)
    with clock.frozen_at(LATE):
        nudge(Match.objects.earliest("pk"), ruth)
    ruth.delete()
    [line] = audit_log.audit_lines(list(audit_log.club_actions([club])))
    assert (line.who, line.what) == (None, "Reminder.")
    assert "A deleted account" in Page.of(niamh.get("/clubs/lantern/audit-log/")).text


@pytest.mark.slow
def test_decisions_stand_among_the_acts_with_their_match_and_reason(niamh: Client, played: Season, club: Club) -> None:
    first, second = Match.objects.order_by("pk")
    why: dict[str, Any] = {"by": club.owner, "note": "The clock was wrong."}
    with clock.frozen_at(LATE):
        rulings.adjudicate(match=first, places=(1, 2), **why)
        rulings.order_replay(match=first, game=1, **why)
        rulings.annul_game(match=second, game=1, **why)
        rulings.undo_round(division=first.round.division, number=1, **why)
    page = Page.of(niamh.get("/inbox/")).text
    for word in (
        "Adjudicated.",
        "Replay ordered.",
        "Annulled.",
        "Round undone.",
        "table 2 of round 1",
        "The clock was wrong.",
    ):
        assert word in page


def test_rebuild_knows_the_acts_and_puts_their_rows_right(played: Season, club: Club) -> None:
    with clock.frozen_at(LATE):
        nudge(Match.objects.earliest("pk"), club.owner)
    before = OrganiserAction.objects.values("version", "what", "events", "match", "by", "at").get()
    assert faults() == []
    with triggers_disabled("seasons_organiseraction"):
        OrganiserAction.objects.all().delete()
    [sentence] = faults()
    assert "is missing in the log or in the rows" in sentence
    assert OrganiserAction.objects.values("version", "what", "events", "match", "by", "at").get() == before
    assert faults() == []


def test_the_head_of_every_page_counts_what_waits(
    niamh: Client, client: Client, played: Season, club_people: Any
) -> None:
    with clock.frozen_at(LATE):
        assert "Inbox 2 items need you" in Page.of(niamh.get("/clubs/")).text
        client.force_login(club_people[0].user)
        assert "Inbox" not in Page.of(client.get("/clubs/")).text


def test_an_organiser_of_two_clubs_has_both_in_one_inbox(niamh: Client, played: Season, club: Club) -> None:
    other = new_club(name="Harbour Dice", slug="harbour", owner=club.owner)
    with clock.frozen_at(LATE):
        page = Page.of(niamh.get("/inbox/"))
    assert "/clubs/harbour/inbox/" in page.links("/clubs/")
    assert "2 items" in page.text
    assert counts.organised_clubs(club.owner).count() == 2
    assert page.faults() == []
    assert Page.of(niamh.get(f"/clubs/{other.slug}/inbox/")).text.count("All done") == 1


def test_a_full_inbox_is_cut_into_pages(niamh: Client, league: League, club_people: list[Player]) -> None:
    for number in range(25):
        season_of(league, [], start=False, name=f"Season {number}")
    with clock.frozen_at(BEGIN + A_DAY):
        first = Page.of(niamh.get("/clubs/lantern/inbox/"))
        second = Page.of(niamh.get("/clubs/lantern/inbox/?page=2"))
        assert niamh.get("/clubs/lantern/inbox/?page=3").status_code == 404
    assert first.text.count("The start time has passed") == 20
    assert second.text.count("The start time has passed") == 5


def test_the_inbox_asks_as_many_queries_for_ten_matters_as_for_two(
    niamh: Client, played: Season, league: League, club_people: list[Player]
) -> None:
    def queries() -> int:
        with (
            clock.frozen_at(LATE),
            CaptureQueriesContext(
                connection,
            ) as asked,
        ):
            assert niamh.get("/clubs/lantern/inbox/").status_code == 200
        return len(asked)

    with clock.frozen_at(LATE):
        nudge(Match.objects.earliest("pk"), league.club.owner)
    queries()
    few = queries()
    for number in range(4):
        season_of(league, club_people, name=f"Season {number}", on_round_deadline="adjudicate")
    with clock.frozen_at(BEGIN):
        director.advance()
    with clock.frozen_at(LATE):
        for match in Match.objects.order_by("pk")[1:5]:
            nudge(match, league.club.owner)
    assert queries() == few
    assert len(on(league.club)) == 14


def test_nothing_else_can_be_pressed(niamh: Client, played: Season) -> None:
    for data in (
        {"do": "explode"},
        {"do": "nudge"},
        {"do": "nudge", "match": "9" * 30},
        {"do": "start", "season": "0"},
    ):
        assert niamh.post("/clubs/lantern/inbox/", data).status_code == 404
    assert (
        niamh.post("/clubs/lantern/inbox/", {"do": "extend", "round": Round.objects.get().pk, "days": 400}).status_code
        == 404
    )
    assert Entrant.objects.filter(status="in").count() == 4


# what comes next by itself


def next_of(club: Club) -> list[tuple[str, Any]]:
    return [(line.text, line.at) for line in upcoming.upcoming_events([club])]


def test_the_inbox_says_when_rounds_end_are_paired_and_people_are_reminded(played: Season, club: Club) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        found = next_of(club)
    paired = "round 2 is paired, if round 1 has finished"
    assert ("round 1 ends; unplayed games come to your inbox", BEGIN + 7 * A_DAY) in found
    assert (paired, BEGIN + 7 * A_DAY) in found
    reminded = [at for sentence, at in found if "reminded" in sentence]
    assert reminded == [BEGIN + 4 * A_DAY], "Three days before its time is up."
    assert [at for _sentence, at in found] == sorted(at for _sentence, at in found)
    # the announced steps then happen at these times
    with clock.frozen_at(BEGIN + 4 * A_DAY):
        assert reminders.notify_due() > 0
    with clock.frozen_at(BEGIN + 8 * A_DAY):
        assert ("round 2 is paired, as soon as round 1 has finished", None) in next_of(club)


def test_it_says_when_check_in_opens_and_the_season_starts(
    league: League, club_people: list[Player], club: Club
) -> None:
    season = season_of(league, club_people[:2], start=False, entry={"check_in_hours": 24})
    with clock.frozen_at(BEGIN - 2 * A_DAY):
        assert next_of(club) == [
            ("check-in opens", BEGIN - A_DAY),
            ("check-in closes, and the season starts if there are enough players", BEGIN),
        ]
    with clock.frozen_at(BEGIN - A_DAY / 2):
        assert [at for _sentence, at in next_of(club)] == [BEGIN]
        for each in club_people[:2]:
            entries.check_in_entrant(entrant=entrant(season, each))
    with clock.frozen_at(BEGIN):
        director.advance()
    season.refresh_from_db()
    assert season.status == "running"


def test_nothing_comes_by_itself_while_a_season_is_paused_or_after_its_last_round(
    league: League, club_people: list[Player], club: Club
) -> None:
    season = season_of(league, club_people[:2], on_round_deadline="adjudicate")
    with clock.frozen_at(BEGIN):
        director.advance()
        assert not any("is paired" in sentence for sentence, _at in next_of(club)), "Two meet once."
        running.pause_season(season=season, by=club.owner)
        assert next_of(club) == []


def test_on_a_ladder_challenges_run_out_and_the_season_ends(
    league: League, club_people: list[Player], club: Club
) -> None:
    season = season_of(league, club_people[:2], format="ladder", duration_seconds=30 * 86400)
    high, low = (
        season.entries.get(number=rung.entrant) for rung in ladder_rows(fold_season(season), season.divisions.get())
    )
    with clock.frozen_at(BEGIN):
        challenges.create_challenge(entrant=low, other=high)
        director.advance()
        assert next_of(club) == [
            ("a challenge expires", BEGIN + 14 * A_DAY),
            ("the season’s time ends; running matches are finished", BEGIN + 30 * A_DAY),
        ]


def test_the_page_and_the_api_say_the_same(niamh: Client, played: Season, club: Club) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        page = Page.of(niamh.get("/clubs/lantern/inbox/"))
        results = niamh.get("/api/v1/clubs/lantern/upcoming/").json()["results"]
        everywhere = niamh.get("/api/v1/upcoming/").json()["results"]
    assert results == everywhere
    assert [line["what"] for line in results].count("reminder") == 1
    assert "Coming up automatically" in page.text
    assert all(line["text"][1:] in page.text for line in results)


def test_what_comes_next_costs_as_many_queries_for_two_seasons_as_for_one(
    league: League, club_people: list[Player], club: Club, played: Season
) -> None:
    def queries() -> int:
        with clock.frozen_at(BEGIN + A_DAY), CaptureQueriesContext(connection) as asked:
            upcoming.upcoming_events([club])
        return len(asked)

    one = queries()
    season_of(league, club_people[:4], on_round_deadline="adjudicate", name="Winter")
    with clock.frozen_at(BEGIN):
        director.advance()
    assert queries() == one


@pytest.mark.slow
def test_an_undone_round_is_in_the_inbox_until_it_is_paired_anew(niamh: Client, played: Season, club: Club) -> None:
    pair = "/clubs/lantern/chinese-ten/autumn/pair-again/?division=1"
    with clock.frozen_at(BEGIN + A_DAY):
        first = played.divisions.get()
        rulings.undo_round(division=first, number=1, by=club.owner, note="The wrong list.")
        (item,) = on(club, "undone")
        assert "Round 1" in item.why
        for address in ("/clubs/lantern/inbox/", "/clubs/lantern/chinese-ten/autumn/"):
            page = Page.of(niamh.get(address))
            assert pair in page.links("/clubs/"), address
            assert page.faults() == []
        assert "First round" not in page.text, "Nothing is planned."
        assert not any(line.planned for day in month_of(club, BEGIN.date().replace(day=1)).days for line in day.lines)
        assert "Round 1" not in niamh.get("/clubs/lantern/calendar.ics").content.decode()
        rulings.pair_again(division=first, by=club.owner, note="The right list.")
        assert on(club, "undone") == []


def test_the_matches_of_an_undone_round_are_counted_no_more(played: Season, club: Club) -> None:
    division = played.divisions.get()
    with clock.frozen_at(BEGIN + A_DAY):
        calendar_entries.update_entries([played])
        assert CalendarEntry.objects.filter(cancelled=False, match__isnull=False).count() == 2
        rulings.undo_round(division=division, number=1, by=club.owner, note="The wrong list.")
        calendar_entries.update_entries([played])
        assert not CalendarEntry.objects.filter(cancelled=False, match__isnull=False).exists()
        rulings.pair_again(division=division, by=club.owner, note="The right list.")
        director.advance()
        (line,) = season_progress.season_progress_rows([club])
    assert (line.round, line.played, line.of) == (1, 0, 2)


def test_a_season_whose_first_round_was_undone_says_so(niamh: Client, played: Season, club: Club) -> None:
    address = "/clubs/lantern/chinese-ten/autumn/"
    with clock.frozen_at(BEGIN + A_DAY):
        rulings.undo_round(division=played.divisions.get(), number=1, by=club.owner, note="The wrong list.")
        assert "Now A round was undone an organiser must pair it again" in Page.of(niamh.get(address)).text
        running.abandon_season(season=played, by=club.owner, how="stands", note="Too few came.")
        text = Page.of(niamh.get(address)).text
    assert "The season has ended without a round that counts." in text
    assert "No round yet" not in text


def test_a_game_that_is_played_again_is_not_counted_as_over(played: Season, club: Club) -> None:
    match = Match.objects.earliest("pk")
    with clock.frozen_at(BEGIN + A_DAY):
        play.leave_game(game=match.games.get().game, seat=0, how=FORFEITED)
        director.advance()
        rulings.order_replay(match=match, game=1, by=club.owner, note="The page would not load.")
    with clock.frozen_at(LATE):
        (item,) = [each for each in on(club, "deadline") if each.match == match]
    assert "No game has finished." in item.why


def test_there_is_nothing_to_dispute_before_there_is_a_result(played: Season, client: Client) -> None:
    match = Match.objects.earliest("pk")
    player = match.games.get().game.seats.get(seat=0).player
    assert player.user
    client.force_login(player.user)
    with clock.frozen_at(BEGIN + A_DAY):
        with refused("no_result"):
            disputes.open_dispute(match=match, by=player.user, note="It went wrong.")
        assert "Dispute the result" not in Page.of(client.get(f"/matches/{match.pk}/")).text
        play.leave_game(game=match.games.get().game, seat=0, how=FORFEITED)
        director.advance()
        assert "Dispute the result" in Page.of(client.get(f"/matches/{match.pk}/")).text
