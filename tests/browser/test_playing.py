"""Martha and Laura play one game, each in her own browser: by touch, by keyboard, and while requests fail.

In the default run frontend/tests/browser/table.test.ts checks what the table's component does with touches.
"""

from __future__ import annotations

import random
import re
from datetime import timedelta
from typing import Final

import pytest
from playwright.sync_api import Page, Route, expect

from games.common import clock
from games.common.models import SentRequest
from games.models import Player
from games.play import beats
from games.play import services as play
from scorebook_games.bots import requests
from scorebook_games.gamelog import visibility
from tests.browser.conftest import Live, Sit, serving
from tests.browser.playing_by_touch import (
    at,
    both_at,
    offered,
    open_game,
    play_by_touch,
    play_one,
    put_down,
    until,
    version,
)
from tests.servers.web import free_port

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.slow
def test_a_palace_on_a_phone_is_played_within_its_width(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], "palace")
    pages = [sit(live, martha, game, width=360, height=740), sit(live, laura, game)]
    assert play_by_touch(pages, game, 10) == 10
    assert pages[0].evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = pages[0].locator(".tray").bounding_box()
    assert box
    assert box["y"] + box["height"] <= 741  # the thumb can reach it


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plates", "platinum_fish"])
def test_the_first_moves_are_made_by_touch(live: Live, sit: Sit, martha: Player, laura: Player, kind: str) -> None:
    """Touches become moves that the rules accept. Longer tests check the other kinds."""
    game = open_game([martha, laura], kind)
    pages = [sit(live, player, game) for player in (martha, laura)]
    assert play_by_touch(pages, game, 3) == 3


@pytest.mark.slow
def test_three_cards_are_chosen_for_the_upper_palace_one_by_one(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], "palace")
    page = sit(live, martha, game)
    expect(page.locator(".tray h2")).to_have_text("Your turn")
    for card in range(3):
        assert page.locator(".hand-card[aria-pressed=true]").count() == card
        offered(page).last.click()
        if page.locator(".moves [data-move]").count() == 1:
            break
    expect(page.locator(".tray h2")).to_have_text("Waiting for Laura")
    assert play.load_game(game).awaited() == [1]


@pytest.mark.slow
def test_a_card_that_may_not_be_played_is_answered_with_the_clause(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], "chinese_ten")
    assert visibility.legal_moves(play.load_game(game), 0)[0].startswith("capture")
    page = sit(live, martha, game)
    tray = page.locator(".tray")
    high = tray.evaluate("(tray) => tray.offsetHeight")
    page.locator(".hand-card.off").first.click()
    answer = page.locator(".answer")
    expect(answer).to_contain_text("You can capture a card, so you cannot lay one")
    expect(answer.get_by_role("link", name="Rule CT-7")).to_have_attribute("href", "/rules/chinese_ten/#ct-7")
    assert tray.evaluate("(tray) => tray.offsetHeight") == high  # a message does not shrink the board
    assert version(game) == 2  # no move was made


def test_a_dropped_connection_heals_without_losing_or_doubling_a_move(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], "chinese_ten")
    pages = [sit(live, player, game) for player in (martha, laura)]
    play_by_touch(pages, game, 3)
    away = play.load_game(game).awaited()[0]
    page, other = pages[away], pages[1 - away]
    page.context.set_offline(True)
    expect(page.locator(".tray .link")).to_contain_text("The connection is lost")
    before = version(game)
    page.get_by_text("All moves in words").click()
    with page.expect_event("requestfailed"), page.expect_event("requestfailed"):  # it is repeated and fails again
        page.locator(".allmoves [data-move]").first.click()
    assert version(game) == before
    page.context.set_offline(False)
    expect(page.locator(".tabletop")).to_have_attribute("data-link", "open")
    expect(other.locator(".tabletop")).not_to_have_attribute("data-version", str(before))
    both_at(pages, game)
    assert SentRequest.objects.count() == 4
    play_by_touch(pages, game, 3)
    assert SentRequest.objects.count() == 7


def test_a_move_whose_answer_is_lost_is_played_once(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], "chinese_ten")
    page = sit(live, martha, game)
    answers: list[int] = []

    def lose(route: Route) -> None:
        answers.append(route.fetch().status)
        route.abort()

    page.route("**/moves/", lose, times=1)
    with page.expect_response("**/moves/") as again:
        play_one(page, random.Random(1))
    assert [*answers, again.value.status] == [201, 201]
    expect(page.locator(".tray .link")).to_be_empty()
    expect(page.locator(".tray h2")).not_to_have_text("")
    at(page, version(game))
    page.wait_for_function("document.querySelector('.tabletop').dataset.link === 'open'")
    assert SentRequest.objects.count() == 1


@pytest.mark.slow
def test_two_tabs_of_one_seat_follow_each_other(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], "chinese_ten")
    tabs = [sit(live, martha, game), sit(live, martha, game)]
    expect(tabs[0].locator(".sheet tr.own .caption")).to_have_text("here")
    play_one(tabs[0], random.Random(1))
    for tab in tabs:
        at(tab, version(game))


@pytest.mark.slow
def test_presence_is_told_to_the_other_player(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], "chinese_ten")
    page = sit(live, martha, game)
    others = page.locator(".sheet tr:not(.own) td.caption")
    expect(others).to_have_text("away")
    guest = sit(live, laura, game)
    expect(others).to_have_text("here")
    guest.close()
    expect(others).to_have_text("away")


# The page gets the first piece of its stream, and the rest of it once `held` is false.
HELD: Final = """
window.held = true;
const real = window.fetch;
window.fetch = async (address, options) => {
  const answer = await real(address, options);
  if (!String(address).includes("/events/?")) return answer;
  let pieces = 0;
  const gate = new TransformStream({
    async transform(piece, out) {
      while (pieces && window.held) await new Promise((done) => setTimeout(done, 20));
      pieces += 1;
      out.enqueue(piece);
      window.begun = true;
    },
  });
  return new Response(answer.body.pipeThrough(gate), { status: answer.status, headers: answer.headers });
};
"""


def hear_nothing(page: Page) -> None:
    """Let the tab hear nothing of its stream after the beginning, until `hear` is called."""
    page.add_init_script(HELD)
    page.reload()
    expect(page.locator(".tabletop")).to_have_attribute("data-link", "open")
    page.wait_for_function("() => window.begun")  # else the beginning could tell what happens next


def hear(page: Page) -> None:
    page.evaluate("() => { window.held = false; }")


def test_a_move_at_a_stale_version_says_so_and_shows_the_game_as_it_is(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], "chinese_ten")
    page = sit(live, martha, game)
    hear_nothing(page)
    move = visibility.legal_moves(play.load_game(game), 0)[0]
    play.play_move(game=game, seat=0, text=move, expected_version=2)
    page.get_by_text("All moves in words").click()
    page.locator(".allmoves [data-move]").first.click()
    expect(page.locator(".answer").first).to_contain_text("The game changed before your move arrived")
    hear(page)
    at(page, version(game))


@pytest.mark.slow
def test_the_server_is_restarted_in_mid_game(sit: Sit, martha: Player, laura: Player, live: Live) -> None:
    game = open_game([martha, laura], "chinese_ten")
    port = free_port()
    with serving(port) as address:
        pages = [sit(Live(address), player, game) for player in (martha, laura)]
        play_by_touch(pages, game, 2)
    for page in pages:
        expect(page.locator(".tray .link")).to_contain_text("The connection is lost")
    with serving(port):
        for page in pages:
            expect(page.locator(".tabletop")).to_have_attribute("data-link", "open")
        play_by_touch(pages, game, 2)


@pytest.mark.slow
def test_resigning_is_asked_twice_and_ends_the_game(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], "chinese_ten")
    pages = [sit(live, player, game) for player in (martha, laura)]
    pages[1].set_viewport_size({"width": 360, "height": 740})
    pages[1].get_by_role("button", name="Resign…").click()
    pages[1].get_by_role("button", name="Resign the game").click()
    for page in pages:
        expect(page.locator(".narration")).to_contain_text("Laura resigned.")
        expect(page.locator(".gamehead .state")).to_contain_text("Finished Rated Laura resigned. Martha wins.")
        expect(page.get_by_role("heading", name="The final position")).to_be_attached()
    expect(pages[0].locator(".tray h2")).to_have_text("The game is over")
    expect(pages[1].locator("#result-h")).to_be_focused()
    expect(pages[1].locator("#result-h")).to_be_in_viewport(ratio=1)
    pages[1].keyboard.press("Escape")
    expect(pages[1].locator(".outcome")).to_have_count(0)
    expect(pages[1].get_by_role("link", name="Replay", exact=True)).to_be_in_viewport(ratio=1)


def test_bundles_are_given_replaced_and_taken_as_a_beat(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], "plate_spinner", pace="beats", rated=False)
    pages = [sit(live, player, game) for player in (martha, laura)]
    pages[0].get_by_role("button", name="Roll all 3").click()
    expect(pages[0].locator(".tray h2")).to_have_text("Moves submitted")
    expect(pages[0].locator(".tray .need")).to_contain_text("waiting for Laura")
    pages[0].get_by_role("button", name="Change moves").click()
    pages[0].locator(".hand-card").first.click()
    pages[0].get_by_role("button", name="Roll the other 2").click()
    expect(pages[0].locator(".tray .need")).to_contain_text("Roll 2 dice · waiting for Laura")
    assert play.load_game(game).beat == 0
    pages[1].reload()
    pages[1].get_by_role("button", name="Roll all 3").click()
    expect(pages[1].locator(".narration li").first).to_contain_text("rolled")
    both_at(pages, game)
    assert play.load_game(game).beat == 1
    for _ in range(4):
        before = str(version(game))
        for page in pages:
            put_down(page)
            page.locator(".btn.roll").last.click()
        for page in pages:
            expect(page.locator(".tabletop")).not_to_have_attribute("data-version", before)
        both_at(pages, game)
    assert play.load_game(game).beat == 5


@pytest.mark.slow
def test_a_bundle_begun_while_the_game_moved_on_is_put_back_with_the_present_turn(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], "plate_spinner", pace="beats", rated=False)
    page = sit(live, martha, game)
    hear_nothing(page)  # until the tab sends a request
    before = str(version(game))

    def listen_again(route: Route) -> None:
        hear(page)
        until(page, "version", before, wanted=False)
        route.continue_()

    page.route("**/turn/?after=*", listen_again)
    fold = play.load_game(game)
    for seat in (0, 1):
        beats.give_bundle(game=game, seat=seat, beat=1, moves=requests.bundle(fold, seat, "random", bytes(32)))
    page.locator(".hand-card").first.click()
    page.locator(".plate .thing.offer").first.click()
    expect(page.locator(".tray")).to_contain_text("The game has changed, so your unfinished moves were undone.")
    at(page, version(game))
    put_down(page)


@pytest.mark.slow
def test_live_play_begins_with_go_and_rolls_no_faster_than_it_may(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], "plate_spinner", {"roll_ms": 2000}, pace="live", rated=False)
    pages = [sit(live, player, game) for player in (martha, laura)]
    for page in pages:
        page.get_by_role("button", name="I am ready").click()
    for page in pages:
        expect(page.locator(".tray h2")).to_have_text("Get ready")
    game.refresh_from_db()
    with clock.frozen_at(clock.now() + timedelta(seconds=4)):
        play.expire_clocks(game=game)
    # GO was announced four seconds before its time, and the roll on GO counts as a roll.
    roll = pages[0].get_by_role("button", name="Roll all 3")
    expect(roll).to_have_attribute("aria-disabled", "true")
    before = version(game)
    roll.click(force=True)
    assert version(game) == before
    expect(roll).to_have_attribute("aria-disabled", "false")
    roll.click()
    expect(pages[1].locator(".narration li").first).to_contain_text("Martha rolled 3 dice")


@pytest.mark.slow
def test_an_offer_to_abort_is_declined_and_then_taken(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], "chinese_ten")
    pages = [sit(live, player, game) for player in (martha, laura)]
    pages[1].get_by_role("button", name="Propose to abort").click()
    expect(pages[1].locator(".proposal")).to_contain_text("You propose to abort the game")
    expect(pages[0].locator(".proposal")).to_contain_text("Laura proposes to abort the game")
    pages[0].locator(".proposal").get_by_role("button", name="Play on").click()
    expect(pages[1].locator(".proposal")).to_have_count(0)
    expect(pages[1].get_by_role("button", name="Propose to abort")).to_have_count(0)  # until a move is made
    play_by_touch(pages, game, 1)
    pages[1].get_by_role("button", name="Propose to abort").click()
    pages[0].locator(".proposal").get_by_role("button", name="Abort the game").click()
    for page in pages:
        expect(page.locator(".tray .need")).to_have_text("The game was aborted. It has no result.")


@pytest.mark.slow
def test_a_rematch_is_offered_declined_and_then_leads_both_to_the_next_game(
    live: Live, sit: Sit, martha: Player, laura: Player
) -> None:
    game = open_game([martha, laura], "chinese_ten")
    pages = [sit(live, player, game) for player in (martha, laura)]
    play.leave_game(game=game, seat=1, how="resigned")
    pages[0].get_by_role("button", name="Rematch").click()
    expect(pages[0].locator(".ended")).to_contain_text("Waiting for Laura")
    expect(pages[1].locator(".ended")).to_contain_text("Martha offers a rematch")
    pages[1].get_by_role("button", name="No, thanks").click()
    expect(pages[0].locator(".ended")).to_contain_text("Laura declined a rematch")
    expect(pages[1].get_by_role("button", name="No, thanks")).to_have_count(0)  # the answer is also shown there
    pages[1].get_by_role("button", name="Rematch").click()
    following = re.compile(r"/games/(?!" + game.public_id + r")\w+/$")
    for page in pages:
        expect(page).to_have_url(following)
        expect(page.locator(".tray h2")).to_have_text(re.compile("Your turn|Waiting for Laura|Waiting for Martha"))


@pytest.mark.slow
def test_each_seats_clock_stands_beside_its_name(live: Live, sit: Sit, martha: Player, laura: Player) -> None:
    game = open_game([martha, laura], "chinese_ten", move_seconds=60, bank_seconds=300)
    page = sit(live, martha, game)
    expect(page.locator(".tray .clock")).to_contain_text("and 5:00 in the bank")
    expect(page.locator(".tray .clock b")).to_have_text(re.compile(r"^0:[0-5]\d$"))
    expect(page.locator('[data-seat="1"] .clock')).to_have_text("5:00in the bank")
    expect(page.locator(".settings")).to_contain_text("a player whose time runs out forfeits")
