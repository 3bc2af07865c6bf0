"""Challenges of a ladder that are accepted, declined, left unanswered or taken back, and what that costs.

Four stand on the ladder, by lot: `top`, `second`, `third` and `last`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from games.accounts.models import Notice
from games.common import clock
from games.models import Player
from games.play import services as play
from games.play.departures import FORFEITED
from tests.assertions.confirmation import confirm
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN, builtin_bot, play_all
from tests.tournaments.director.test_deals import remote_bot
from tests.tournaments.entries.test_entries import club_people, events_of_type, faults, happenings, refused, season_of
from tests.tournaments.season_pages.test_pages import get
from tournaments.director import director, open_rounds
from tournaments.entries import availability, challenges
from tournaments.entries import services as entries
from tournaments.entries.ladder_selectors import Rung, ladder_rows, received_challenges
from tournaments.formats import FORMATS
from tournaments.formats.base import Wait
from tournaments.lifecycle import running
from tournaments.lifecycle import services as seasons
from tournaments.rulings import services as rulings
from tournaments.seasons.addresses import season_url
from tournaments.seasons.events.lifecycle import SeasonChanged
from tournaments.seasons.models import Entrant, League, Match, Note, Season
from tournaments.seasons.pairing import next_round
from tournaments.seasons.stream import append_events, fold_season, lock_season

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)
__all__ = ["club_people"]

DAY = timedelta(days=1)
Ladder = Callable[..., list[Entrant]]


@pytest.fixture
def ladder(league: League, club_people: list[Player]) -> Ladder:
    """Return a function that starts a ladder of four with these settings and returns its entrants from the top."""

    def start(**options: Any) -> list[Entrant]:
        season = season_of(league, club_people[:4], format="ladder", format_options=options, terms={"move_days": 60})
        return [season.entries.get(number=rung.entrant) for rung in ladder_page_rows(season)]

    return start


def ladder_page_rows(season: Season, viewer: User | None = None) -> list[Rung]:
    season.refresh_from_db()
    return ladder_rows(fold_season(season), season.divisions.get(), viewer)


def order(season: Season) -> list[int]:
    return [rung.entrant for rung in ladder_page_rows(season)]


def user_of(entrant: Entrant) -> User:
    assert entrant.player.user
    return entrant.player.user


def ask(challenger: Entrant, challenged: Entrant, *, day: float = 0) -> None:
    with clock.frozen_at(BEGIN + day * DAY):
        challenges.create_challenge(entrant=challenger, other=challenged)


def decline(challenged: Entrant, challenger: Entrant, *, day: float = 0, note: str = "") -> None:
    with clock.frozen_at(BEGIN + day * DAY):
        challenges.decline_challenge(entrant=challenged, challenger=challenger, by=user_of(challenged), note=note)


def notes_to(entrant: Entrant) -> list[str]:
    return [notice.text for notice in Notice.objects.filter(user=user_of(entrant)).order_by("pk")]


def test_the_first_refusal_is_free_and_the_second_costs_the_place(ladder: Ladder) -> None:
    top, second, third, last = ladder()
    season = top.season
    ask(third, second)
    decline(second, third, note="I am at sea until Friday.")
    assert order(season) == [each.number for each in (top, second, third, last)]
    ask(last, second, day=1)
    decline(second, last, day=2)
    assert order(season) == [each.number for each in (top, third, second, last)]
    free, costly = [event[4] for event in events_of_type(season, "challenge_refused")]
    assert (free["how"], free["count"], free["place"], free["to"]) == ("declined", 1, None, None)
    assert (costly["count"], costly["place"], costly["to"], costly["note"]) == (2, 2, third.number, None)
    assert free["note"][0] == Note.objects.get().pk
    text = happenings(season)
    assert "“I am at sea until Friday.”" in text
    assert f"{second.player.name} declined the challenge (decline number 2), losing place 2 to" in text
    assert any("Your challenge" in note and "was declined" in note for note in notes_to(last))
    assert any("It costs you place 2 of the ladder." in note for note in notes_to(second))
    lost = next(rung.lost for rung in ladder_page_rows(season) if rung.entrant == second.number)
    assert "".join(map(str, lost)) == f"Lost place 2 to {third.player.name} by a second decline."
    assert faults() == []


def test_the_standings_say_what_was_lost_where_a_row_is_opened(ladder: Ladder, client: Client) -> None:
    top, second, third, last = ladder(free_refusals=0)
    with clock.frozen_at(BEGIN):
        challenges.create_challenge(entrant=second, other=top)
        challenges.accept_challenge(entrant=top, challenger=second)
        director.advance()
        match = Match.objects.get()
    ask(last, third)
    decline(third, last)
    with clock.frozen_at(BEGIN + DAY):
        for one in match.games.all():
            play.leave_game(game=one.game, seat=0, how=FORFEITED)
        director.advance()
    page = get(client, season_url(top.season, "standings"), part="standings", row=third.number)
    assert f"Lost place 3 to {last.player.name} by a first decline." in page.text
    other = get(client, season_url(top.season, "standings"), part="standings", row=last.number)
    assert "Lost place" not in other.text


def test_the_place_goes_to_the_challenger_where_the_season_says_so(ladder: Ladder) -> None:
    top, second, third, last = ladder(refusal="challenger", free_refusals=0)
    ask(last, top)
    decline(top, last)
    assert order(top.season) == [each.number for each in (last, top, second, third)]
    assert any("You have place 1 of the ladder." in note for note in notes_to(last))


def test_refusing_costs_nothing_where_the_season_says_so(ladder: Ladder) -> None:
    top, second, third, last = ladder(refusal="free", free_refusals=0, ask_again=0)
    for _time in range(3):
        ask(last, top)
        decline(top, last)
    assert order(top.season) == [each.number for each in (top, second, third, last)]
    assert [event[4]["count"] for event in events_of_type(top.season, "challenge_refused")] == [1, 2, 3]


def test_refusals_are_forgotten_after_the_days_that_count(ladder: Ladder) -> None:
    top, second, third, _last = ladder(refusal_days=30)
    ask(second, top)
    decline(top, second)
    ask(third, top, day=31)
    decline(top, third, day=31)
    assert [event[4]["count"] for event in events_of_type(top.season, "challenge_refused")] == [1, 1]


def test_no_answer_counts_as_a_refusal_once_it_has_run_out(ladder: Ladder) -> None:
    top, second, third, last = ladder(free_refusals=0, runs_out=14)
    season = top.season
    ask(last, second)
    for day, count in ((13, 0), (14, 1), (15, 1)):
        with clock.frozen_at(BEGIN + day * DAY):
            director.advance()
        assert len(events_of_type(season, "challenge_refused")) == count
    assert events_of_type(season, "challenge_refused")[0][4]["how"] == "unanswered"
    assert order(season) == [each.number for each in (top, third, second, last)]
    assert "did not answer in time" in happenings(season)
    assert any("expired, and counts as declined" in note for note in notes_to(second))
    assert any("was not answered, so it counts as declined" in note for note in notes_to(last))
    assert faults() == []


def test_a_ladder_that_waits_for_a_replay_is_asked_again_when_a_challenge_runs_out(ladder: Ladder) -> None:
    top, second, third, last = ladder(runs_out=14)
    season = top.season
    ask(second, top)
    with clock.frozen_at(BEGIN):
        challenges.accept_challenge(entrant=top, challenger=second)
        director.advance()
        play_all()
        director.advance()
        owner = season.league.club.owner
        rulings.order_replay(match=Match.objects.get(), game=1, by=owner, note="The cards fell on the floor.")
    ask(last, third, day=1)
    folded = fold_season(season)
    answer = next_round(folded, folded.division(1), over=True)
    assert answer == Wait(
        "A game of a round that is closed is being played again.", int((BEGIN + 15 * DAY).timestamp())
    )


def test_two_that_run_out_together_cost_one_after_the_other(ladder: Ladder) -> None:
    top, second, third, last = ladder(free_refusals=1, runs_out=14)
    ask(third, top)
    ask(last, top)
    with clock.frozen_at(BEGIN + 14 * DAY):
        director.advance()
    assert [event[4]["count"] for event in events_of_type(top.season, "challenge_refused")] == [1, 2]
    assert order(top.season) == [each.number for each in (second, top, third, last)]


def test_who_is_away_or_has_accepted_refuses_nothing_when_the_time_is_over(ladder: Ladder) -> None:
    top, second, third, last = ladder(free_refusals=0, runs_out=14)
    ask(second, top)
    ask(last, third)
    with clock.frozen_at(BEGIN):
        challenges.accept_challenge(entrant=third, challenger=last)
        availability.set_away_rounds(entrant=top, rounds=[1, 2])
        availability.set_away_rounds(entrant=last, rounds=[1, 2])
    with clock.frozen_at(BEGIN + 14 * DAY):
        director.advance()
    assert events_of_type(top.season, "challenge_refused") == []
    assert len(events_of_type(top.season, "challenge_lapsed")) == 2


def test_while_a_season_is_paused_no_time_to_answer_runs(ladder: Ladder) -> None:
    top, second, *_others = ladder(free_refusals=0, runs_out=14)
    ask(second, top)
    with clock.frozen_at(BEGIN + 13 * DAY):
        running.pause_season(season=top.season, by=user_of(top))
    with clock.frozen_at(BEGIN + 20 * DAY):
        running.resume_season(season=top.season, by=user_of(top))
        director.advance()
        assert events_of_type(top.season, "challenge_refused") == []
    with clock.frozen_at(BEGIN + 21 * DAY):
        director.advance()
    assert len(events_of_type(top.season, "challenge_refused")) == 1


def test_what_is_taken_back_is_nobodys_refusal(ladder: Ladder) -> None:
    top, second, third, _last = ladder(free_refusals=0)
    ask(third, top)
    with clock.frozen_at(BEGIN):
        for _click in range(2):
            challenges.withdraw_challenge(entrant=third)
        with refused("no_challenge"):
            challenges.decline_challenge(entrant=top, challenger=third)
    assert events_of_type(top.season, "challenge_withdrawn") == [["challenge_withdrawn", 1, third.number, top.number]]
    assert events_of_type(top.season, "challenge_refused") == []
    assert any("was withdrawn" in note for note in notes_to(top))
    assert received_challenges(top.player) == []
    ask(second, top)
    assert [each.challenger for each in received_challenges(top.player)] == [second.number]


def test_who_was_refused_does_not_ask_again_for_a_week(ladder: Ladder) -> None:
    top, second, *_others = ladder(ask_again=7)
    ask(second, top)
    decline(top, second, day=1)
    with refused("cannot_challenge"):
        ask(second, top, day=7)
    ask(second, top, day=8)
    assert len(events_of_type(top.season, "entrant_challenged")) == 2


def test_the_page_offers_the_challenge_again_at_the_moment_when_it_is_allowed(ladder: Ladder, client: Client) -> None:
    top, second, *_others = ladder(ask_again=7)
    ask(second, top)
    decline(top, second, day=1)
    client.force_login(user_of(second))
    offered = []
    for minutes in (-2, 2):
        with clock.frozen_at(BEGIN + 8 * DAY + minutes * DAY / 24 / 60):
            offered.append(get(client, season_url(top.season), part="ladder").text)
    assert offered[0] != offered[1]


def test_a_challenge_asks_for_an_answer_only_until_it_has_one(ladder: Ladder) -> None:
    top, second, third, last = ladder()

    def asked(entrant: Entrant) -> int:
        return sum("Accept or decline" in note for note in notes_to(entrant))

    ask(second, top)
    ask(last, third)
    assert (asked(top), asked(third)) == (1, 1)
    ask(last, second)  # instead of the third
    assert (asked(third), asked(second)) == (0, 1)
    with clock.frozen_at(BEGIN):
        challenges.accept_challenge(entrant=top, challenger=second)
        challenges.withdraw_challenge(entrant=last)
    assert (asked(top), asked(second)) == (0, 0)
    ask(last, third)
    decline(third, last)
    assert asked(third) == 0


def test_what_is_accepted_is_played_and_not_declined_any_more(ladder: Ladder) -> None:
    top, second, third, _last = ladder()
    ask(second, top)
    ask(third, top)
    with clock.frozen_at(BEGIN):
        for _click in range(2):
            challenges.accept_challenge(entrant=top, challenger=second)
            challenges.accept_challenge(entrant=top, challenger=third)
        director.advance()
        assert Match.objects.get().slot == f"{second.number}>{top.number}"
        challenges.accept_challenge(entrant=top, challenger=second)  # a click that came late
        with refused("challenge_accepted"):
            challenges.decline_challenge(entrant=top, challenger=third)
    assert len(events_of_type(top.season, "challenge_accepted")) == 2
    assert any("was accepted" in note for note in notes_to(second))
    rung = next(each for each in ladder_page_rows(top.season) if each.entrant == third.number)
    assert rung.accepted
    assert faults() == []


def test_the_owner_of_a_bot_hears_of_each_challenge(league: League) -> None:
    owners = [User.objects.create_user(name) for name in ("anne", "bert")]
    bots = [remote_bot(f"Heron of {owner.username}", owner) for owner in owners]
    season = season_of(league, bots, format="ladder", terms={"move_days": 60})
    first, second = (season.entries.get(number=number) for number in order(season))
    heard = Notice.objects.filter(key__startswith="challenged:")
    known = []
    with clock.frozen_at(BEGIN):
        for _time in range(2):
            challenges.create_challenge(entrant=second, other=first)
            known.append(heard.get().pk)
            challenges.withdraw_challenge(entrant=second)
    assert known[0] < known[1]


def test_a_bot_accepts_at_once_and_its_author_cannot_decline_for_it(league: League, club_people: list[Player]) -> None:
    bot = builtin_bot("Gannet")
    season = season_of(league, [club_people[0], bot], format="ladder", terms={"move_days": 60})
    first, second = (season.entries.get(number=number) for number in order(season))
    with clock.frozen_at(BEGIN):
        challenges.create_challenge(entrant=second, other=first)
        if first.player == bot:
            assert len(events_of_type(season, "challenge_accepted")) == 1
        with refused("bots_refuse_nothing" if first.player == bot else "no_challenge"):
            challenges.decline_challenge(
                entrant=first if first.player == bot else second, challenger=second if first.player == bot else first
            )


def test_a_challenge_that_can_not_be_played_any_more_is_declined_for_nothing(ladder: Ladder) -> None:
    top, second, third, _last = ladder(free_refusals=0)
    ask(third, second)
    with clock.frozen_at(BEGIN):
        entries.withdraw_entrant(entrant=third, why="asked")
    decline(second, third)
    assert events_of_type(top.season, "challenge_refused") == []
    assert len(events_of_type(top.season, "challenge_lapsed")) == 1


def test_seasons_from_before_there_was_refusing_go_on_without_it(ladder: Ladder) -> None:
    """Old settings do not mention refusals: challenges are paired without an answer, and a lapse costs nothing."""
    top, second, third, last = ladder()
    season = top.season
    old = {"reach": 3, "rule": "insert", "cooldown": 1, "runs_out": 14}
    with clock.frozen_at(BEGIN):
        held = lock_season(season)
        held.settings = {**held.settings, "format_options": old}
        held.save()
        append_events(held.stream, [SeasonChanged(held.rules().logged())], BEGIN)
        challenges.create_challenge(entrant=second, other=top)
        director.advance()
        assert Match.objects.count() == 1
        challenges.create_challenge(entrant=third, other=second)
        with refused("no_refusals"):
            challenges.decline_challenge(entrant=second, challenger=third)
    with clock.frozen_at(BEGIN + 14 * DAY):
        director.advance()
    assert events_of_type(season, "challenge_refused") == []
    assert len(events_of_type(season, "challenge_lapsed")) == 1
    assert order(season) == [each.number for each in (top, second, third, last)]
    assert {**FORMATS["ladder"].earlier_options, **old}["refusal"] == "no"
    # their successors have no refusals either
    Season.objects.filter(pk=season.pk).update(status="finished", repeats=True)
    with clock.frozen_at(BEGIN + 15 * DAY):
        successor = seasons.open_successor(season=season)
    assert successor
    assert successor.settings["format_options"]["refusal"] == "no"


def test_declining_again_changes_nothing(ladder: Ladder) -> None:
    top, second, *_others = ladder(free_refusals=0)
    ask(second, top)
    for _click in range(3):
        decline(top, second)
    assert len(events_of_type(top.season, "challenge_refused")) == 1


@committed
def test_many_answers_at_the_same_moment_are_one(ladder: Ladder) -> None:
    """Four threads decline the challenge, and two open a round, at the moment at which the challenge lapses."""
    top, second, *_others = ladder(free_refusals=0, runs_out=14)
    ask(second, top)
    start = threading.Barrier(6)

    def act(number: int) -> None:
        start.wait()
        try:
            with clock.frozen_at(BEGIN + 14 * DAY):
                if number < 4:
                    challenges.decline_challenge(entrant=top, challenger=second)
                else:
                    open_rounds.open_round(division=top.division)
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(events_of_type(top.season, "challenge_refused")) == 1
    assert order(top.season)[:2] == [second.number, top.number]


# pages and API


def test_who_is_challenged_answers_on_the_ladder_or_on_their_own_page(ladder: Ladder) -> None:
    top, second, third, _last = ladder()
    season, browser = top.season, Client()
    browser.force_login(user_of(top))
    ask(second, top)
    with clock.frozen_at(BEGIN):
        text = get(browser, season_url(season), part="ladder").text
        assert f"Decline… {second.player.name}" in text
        assert "One decline within 30 days is free" in text
        mine = Page.of(browser.get("/me/seasons/"))
        assert "Your answer is needed" in mine.text
        assert "place 2 challenges your place 1" in mine.text
        assert "Declining costs nothing now." in mine.text
        assert "1 answer needed" in Page.of(browser.get("/me/games/")).text
        step = f"{season_url(season)}step/"
        sent = {"do": "decline-challenge", "entrant": second.number, "note": "Too soon."}
        assert "have declined" in Page.of(confirm(browser, step, sent, follow=True)).text
        ask(third, top)
        assert "Declining costs you place 1." in Page.of(browser.get("/me/seasons/")).text
        sent = {"do": "accept-challenge", "entrant": third.number}
        assert "You will play" in Page.of(browser.post(step, sent, follow=True)).text
        assert "Your answer is needed" not in Page.of(browser.get("/me/seasons/")).text
        browser.force_login(user_of(third))
        assert "Withdraw" in get(browser, season_url(season), part="ladder").text
        assert "has been withdrawn" in Page.of(browser.post(step, {"do": "withdraw-challenge"}, follow=True)).text
    assert "Too soon." in happenings(season)


def test_the_api_does_the_same(ladder: Ladder) -> None:
    top, second, third, _last = ladder()
    base, browser = f"/api/v1/seasons/{top.season.pk}/", Client()
    browser.force_login(user_of(top))
    ask(second, top)
    ask(third, top)
    with clock.frozen_at(BEGIN):
        [asked] = browser.get(f"{base}ladder/").json()
        assert [rung["waits_for_you"] for rung in asked["rungs"]] == [False, True, True, False]
        assert browser.get("/api/v1/me/seasons/").json()["challenges"][0]["entrant"] == second.number
        declined = browser.post(f"{base}decline-challenge/", {"entrant": second.number, "note": "No."})
        assert declined.status_code == 200
        assert browser.post(f"{base}accept-challenge/", {"entrant": third.number}).status_code == 200
        again = browser.post(f"{base}decline-challenge/", {"entrant": third.number})
        assert again.json()["error"]["code"] == "challenge_accepted"
        browser.force_login(user_of(third))
        assert browser.post(f"{base}withdraw-challenge/").status_code == 200
        assert browser.get(f"{base}ladder/").json()[0]["rungs"][2]["challenged"] is None
