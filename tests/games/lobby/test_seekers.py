"""A game now: people who wait at the same time are paired, by rating and time; nobody twice, nobody who has gone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from games.common import clock
from games.common.errors import DomainError
from games.lobby import seekers
from games.lobby.models import Seeker
from games.models import Game, Player
from games.play.roster import ensure_builtin_bot
from games.talk import services as talk
from tests.assertions.page import Page
from tests.games.lobby.conftest import NOON, browser_of

pytestmark = pytest.mark.django_db


def seek(
    player: Player, after: float = 0, kind: str = "chinese_ten", pace: str = "live", rated: bool = False
) -> Game | None:
    with clock.frozen_at(NOON + timedelta(seconds=after)):
        return seekers.seek(player=player, kind=kind, pace=pace, rated=rated)


def players_of(game: Game | None) -> set[str]:
    assert game
    return set(game.seats.values_list("player__name", flat=True))


@pytest.fixture
def ratings(monkeypatch: pytest.MonkeyPatch) -> dict[int, float]:
    """Return the ratings of these tests, by player."""
    known: dict[int, float] = {}
    chosen = [lambda _kind, players: {pk: known[pk] for pk in players if pk in known}]
    monkeypatch.setattr(seekers, "_strengths", chosen)
    return known


def test_two_who_want_the_same_are_paired_and_whoever_waited_finds_the_game_by_asking_again(
    martha: Player, laura: Player
) -> None:
    assert seek(martha) is None
    game = seek(laura, 5)
    assert players_of(game) == {"Martha", "Laura"}
    assert seek(martha, 6) == seek(laura, 6) == game


def test_another_kind_or_pace_does_not_fit_and_takes_the_place_of_the_first_wish(martha: Player, laura: Player) -> None:
    assert seek(martha) is None
    assert seek(laura, 1, pace="slow") is None
    assert seek(martha, 2, kind="plates") is None
    assert Seeker.objects.filter(player=martha).values_list("kind", flat=True).get() == "plates"
    assert seek(laura, 3) is None


def test_nobody_is_paired_with_a_page_that_was_closed(martha: Player, laura: Player) -> None:
    assert seek(martha) is None
    assert seek(laura, 21) is None
    with clock.frozen_at(NOON + timedelta(seconds=42)):
        assert seekers.delete_gone() == 2


def test_a_search_reaches_further_with_time_and_the_nearest_rating_first(
    martha: Player, laura: Player, otto: Player, ratings: dict[int, float]
) -> None:
    ratings.update({martha.pk: 1500, laura.pk: 1700, otto.pk: 1610})
    assert seek(martha) is None
    assert seek(laura, 1) is None  # both reach some 100 points
    assert players_of(seek(otto, 2)) == {"Otto", "Laura"}


def test_two_whose_ratings_are_far_apart_are_paired_when_both_have_waited(
    martha: Player, laura: Player, ratings: dict[int, float]
) -> None:
    ratings.update({martha.pk: 1400, laura.pk: 1600})
    assert seek(martha) is None
    assert seek(laura, 0) is None
    assert seek(martha, 9) is None
    assert players_of(seek(laura, 10)) == {"Martha", "Laura"}


def test_after_a_minute_a_bot_of_about_ones_strength_is_offered(martha: Player, ratings: dict[int, float]) -> None:
    bots = {name: ensure_builtin_bot(name) for name in ("random", "sensible", "strong")}
    ratings.update({bots["random"].pk: 1200, bots["sensible"].pk: 1500, bots["strong"].pk: 1800, martha.pk: 1750})
    for second in range(0, 60, 15):
        assert seek(martha, second) is None
    with clock.frozen_at(NOON + timedelta(seconds=59)), pytest.raises(DomainError, match="after a minute") as early:
        seekers.play_bot(player=martha)
    assert early.value.code == "too_early"
    with clock.frozen_at(NOON + timedelta(seconds=60)):
        assert players_of(seekers.play_bot(player=martha)) == {"Martha", "Strong"}
    with clock.frozen_at(NOON + timedelta(seconds=90)), pytest.raises(DomainError) as gone:
        seekers.play_bot(player=martha)
    assert gone.value.code == "not_seeking"


def test_who_cancels_or_logs_out_is_not_paired(martha: Player, laura: Player, otto: Player) -> None:
    assert seek(martha) is None
    seekers.cancel(player=martha)
    browser = browser_of(laura)
    assert browser.post("/play/seek/", {"kind": "chinese_ten", "pace": "live"}).headers["Location"] == "/play/seek/"
    assert Seeker.objects.get().player == laura
    browser.post("/accounts/logout/")
    assert not Seeker.objects.filter(player=laura).exists()
    assert seek(otto, 1) is None


def test_a_page_waits_asks_again_and_goes_to_the_game(martha: Player, laura: Player) -> None:
    sent, client = {"kind": "chinese_ten", "pace": "live"}, browser_of(martha)
    client.post("/play/seek/", sent)
    assert "Looking for somebody of about your rating." in Page.of(client.get("/play/seek/")).text
    again = client.post("/play/seek/", {**sent, "known": ""}, headers={"HX-Request": "true"})
    assert again.status_code == 204
    there = browser_of(laura).post("/play/seek/", sent).headers["Location"]
    answer = client.post("/play/seek/", sent, headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == there == f"/games/{Game.objects.get().public_id}/"


def test_a_page_that_waits_says_how_long_and_what_happens_next(martha: Player, ratings: dict[int, float]) -> None:
    bots = {name: ensure_builtin_bot(name) for name in ("random", "sensible", "strong")}
    ratings.update({bots["random"].pk: 1200, bots["sensible"].pk: 1500, bots["strong"].pk: 1800, martha.pk: 1750})
    client = browser_of(martha)
    told = {}
    for second in range(0, 75, 15):
        with clock.frozen_at(NOON + timedelta(seconds=second)):
            seekers.seek(player=martha, kind="chinese_ten", pace="live")
            told[second] = Page.of(client.get("/play/seek/")).text
    assert "0:15" in told[15]
    assert "1:00" in told[60]
    assert "within 100 rating points of yours. It reaches 10 points further each second." in told[15]
    assert "After a minute you can play the bot Strong instead." in told[15]
    assert "You can play the bot Strong now, or go on waiting for a person." in told[60]


def test_the_play_page_says_what_each_pace_asks_and_offers_a_person_before_the_bots(martha: Player) -> None:
    page = Page.of(browser_of(martha).get("/play/")).text
    assert page.index("Play a person now") < page.index("Play a built-in bot now")
    for words in ("30 seconds per move", "3 minutes per move", "1 day per move", "A bank is spare time"):
        assert page.index("Play a person now") < page.index(words) < page.index("Play a built-in bot now")


def test_a_program_waits_by_the_api(martha: Player, laura: Player) -> None:
    def ask(who: Player, method: str, **sent: str) -> Any:
        return getattr(browser_of(who), method)("/api/v1/seek/", sent or None, content_type="application/json")

    wish = {"kind": "chinese_ten", "pace": "day"}
    assert ask(martha, "post", **wish).json()["game"] is None
    assert (ask(martha, "get").json()["kind"], ask(martha, "get").json()["rated"]) == ("chinese_ten", False)
    game = ask(laura, "post", **wish).json()["game"]
    assert game == ask(martha, "get").json()["game"] == ask(martha, "post", **wish).json()["game"]
    assert ask(martha, "delete").status_code == 204
    assert ask(martha, "post", kind="chess", pace="day").json()["error"]["code"] == "bad_option"
    assert ask(martha, "post", kind="plates", pace="blitz").status_code == 400


@pytest.mark.parametrize("both", [True, False])
def test_a_game_is_rated_if_both_ask_for_it(martha: Player, laura: Player, both: bool) -> None:
    assert seek(martha, rated=True) is None
    game = seek(laura, 1, rated=both)
    assert game
    assert game.terms["rated"] is both
    assert game.terms["may_abort"] == ("agreed" if both else "early")  # nobody leaves a bad hand for nothing


def test_whoever_waits_may_change_their_mind_about_a_rated_game(martha: Player, laura: Player) -> None:
    assert seek(martha) is None
    assert seek(martha, 3, rated=True) is None
    game = seek(laura, 4, rated=True)
    assert game
    assert game.terms["rated"]


def test_a_guest_cannot_ask_for_a_rated_game(guest: Player) -> None:
    with pytest.raises(DomainError, match="Sign up to play rated ones") as refused:
        seek(guest, rated=True)
    assert refused.value.code == "guest_not_rated"
    assert 'name="rated"' not in browser_of(guest).get("/play/").content.decode()


def test_a_game_with_a_bot_is_not_rated(martha: Player) -> None:
    for second in range(0, 61, 15):
        assert seek(martha, second, rated=True) is None
    with clock.frozen_at(NOON + timedelta(seconds=60)):
        page = Page.of(browser_of(martha).get("/play/seek/"))
        assert "rated if the other player wants it too" in page.text
        assert "A game against a bot is not rated." in page.text
        assert seekers.play_bot(player=martha).terms["rated"] is False


@pytest.mark.parametrize("who_asks", ["the muted", "who muted"])
def test_two_of_whom_one_has_muted_the_other_are_not_paired(martha: Player, laura: Player, who_asks: str) -> None:
    assert laura.user
    talk.mute(user=laura.user, player=martha)
    first, second = (laura, martha) if who_asks == "the muted" else (martha, laura)
    assert seek(first) is None
    assert seek(second, 1) is None
    talk.unmute(user=laura.user, player=martha)
    assert players_of(seek(first, 2)) == {"Martha", "Laura"}
