"""Disputes are in the inbox of an organiser, who decides them there."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from games.accounts.models import Notice
from games.common import clock
from games.models import Player
from games.play import services as play
from games.play.departures import FORFEITED
from tests.assertions.page import Page
from tests.fixtures.saved_rows import restored
from tests.tournaments.club import BEGIN
from tests.tournaments.entries.test_entries import events_of_type, refused
from tests.tournaments.organiser.conftest import A_DAY, LATE, on, send
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.rulings import disputes
from tournaments.rulings import services as rulings
from tournaments.rulings.models import Dispute
from tournaments.seasons.models import Match, Season

pytestmark = pytest.mark.django_db


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
