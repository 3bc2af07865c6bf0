"""An organiser uses the pages of the demo's seasons of people: with a keyboard, on a phone, without scripts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page, expect

from games.accounts import people
from games.models import Player
from tests.browser.conftest import Live
from tests.browser.season_form import unfold
from tests.browser.test_axe import DESKTOP, PHONE, WAYS, Way, look
from tests.fixtures.saved_rows import restored
from tests.tournaments.club import new_club
from tournaments.clubs.models import Club
from tournaments.maintenance import demo
from tournaments.rulings.models import Dispute
from tournaments.seasons.models import Entrant, League, Match, OrganiserAction, Season
from tournaments.seasons.stream import fold_season

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
CLUB = "/clubs/lantern-street/"
ENTRIES = ["Play", "Watch", "Clubs", "Ratings", "Bots", "Learn"]


@pytest.fixture
def niamh(transactional_db: None) -> Player:
    """Return the demo's organiser, who also plays."""
    restored("demo of people", lambda: [*demo.build_demo(watchable=False, with_people=True)])
    return Player.objects.get(user=Club.objects.get().owner)


@pytest.fixture
def owner(transactional_db: None) -> Player:
    """Return the owner of a club with a league and nothing else."""
    player = people.create_profile_and_player(User.objects.create_user("niamh"), "Niamh")
    assert player.user
    club = new_club(name="Lantern Street Card Club", slug="lantern-street", zone="Europe/Dublin", owner=player.user)
    League.objects.create(club=club, slug="thursday", name="Thursday League")
    return player


def address(league: str) -> str:
    return f"{CLUB}{league}/{Season.objects.get(league__slug=league).slug}/"


def unscripted(browser: Browser, size: Any = DESKTOP) -> BrowserContext:
    return browser.new_context(java_script_enabled=False, viewport=size)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_all_of_it_is_accessible_with_everything_unfolded(live: Live, page: Page, niamh: Player, way: Way) -> None:
    live.sign_in(page, niamh)
    decided = OrganiserAction.objects.filter(what="game_adjudicated").earliest("pk").match
    assert decided
    row = decided.entrants.earliest("order").entrant.number
    wrong: dict[str, list[str]] = {}
    paired = Match.objects.filter(round__division__season__league__slug="thursday").latest("pk")
    pages = [f"{address('thursday')}{page}" for page in (f"?why={paired.pk}", f"standings/?row={row}", "settings/")]
    for path in ["/inbox/", *pages, address("ladder"), address("cup"), f"{CLUB}new-season/"]:
        page.set_viewport_size(way.size)
        page.goto(live.address + path)
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        if found := look(page, way):
            wrong[path] = found
    assert wrong == {}


def test_on_a_phone_the_head_is_one_row_and_its_menu_opens_without_scripts(
    live: Live, browser: Browser, owner: Player
) -> None:
    context = unscripted(browser, PHONE)
    page = context.new_page()
    live.sign_in(page, owner)
    page.goto(live.address + "/inbox/")
    head = page.locator(".masthead").bounding_box()
    assert head
    assert head["height"] < 70
    expect(page.get_by_role("link", name="Ratings")).to_be_hidden()
    page.get_by_role("button", name="Menu").press("Enter")
    expect(page.get_by_role("link", name="Ratings")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Ratings")).to_be_hidden()
    page.get_by_role("button", name="Niamh").press("Enter")
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Ratings").click()
    expect(page).to_have_url(live.address + "/ratings/")
    context.close()


def test_on_a_wide_screen_the_head_needs_no_menu(live: Live, page: Page, owner: Player) -> None:
    page.set_viewport_size(DESKTOP)
    live.sign_in(page, owner)
    page.goto(live.address + "/inbox/")
    expect(page.get_by_role("button", name="Menu")).to_be_hidden()
    expect(page.get_by_role("link", name="Ratings")).to_be_visible()
    assert page.get_by_role("navigation", name="Main").get_by_role("link").all_inner_texts() == ENTRIES
    expect(page.get_by_role("button", name="Log out")).to_be_hidden()
    page.get_by_role("button", name="Niamh").click()
    expect(page.get_by_role("button", name="Log out")).to_be_visible()


def test_a_pairing_and_a_row_unfold_and_stay_unfolded(live: Live, browser: Browser, niamh: Player) -> None:
    context = unscripted(browser)
    page = context.new_page()
    live.sign_in(page, niamh)
    page.goto(live.address + address("thursday"))
    basis = page.locator("#round .basis")
    expect(basis).to_have_count(0)
    page.locator("#round .fold").first.press("Enter")
    expect(basis.locator("tbody tr")).to_have_count(2)
    expect(basis).to_contain_text("They had not met in this season.")
    page.goto(live.address + address("thursday") + "standings/")
    page.locator("#standings .fold").first.press("Enter")
    expect(page.locator("#standings .sum tfoot")).to_contain_text("Total")
    context.close()
    # with scripts, unfolded parts stay open while the page follows the round
    page = browser.new_page()
    live.sign_in(page, niamh)
    page.goto(live.address + address("thursday"))
    page.locator("#round .fold").first.press("Enter")
    expect(page.locator("#round .basis table")).to_have_count(1)
    expect(page.locator("#round .fold").first).to_be_focused()
    page.evaluate("""() => { const round = document.querySelector('#round'); round.dataset.old = 'yes';
        htmx.ajax('GET', round.getAttribute('hx-get'), {target: '#round', swap: 'outerHTML'}) }""")
    expect(page.locator("#round[data-old]")).to_have_count(0)
    expect(page.locator("#round .basis").first.locator("table")).to_be_visible()
    page.context.close()


def test_a_dispute_is_decided_in_the_inbox_and_a_challenge_made_on_the_ladder(
    live: Live, page: Page, browser: Browser, niamh: Player
) -> None:
    live.sign_in(page, niamh)
    page.goto(live.address + "/inbox/")
    item = page.locator("#dispute-" + str(Dispute.objects.get().pk))
    decide = item.locator("details", has_text="Decide here")
    if decide.get_attribute("open") is None:  # another item may be first, which depends on the time of day
        decide.locator("summary").press("Enter")
    item.get_by_label("Replay a game").press("Space")
    item.get_by_label("Game to replay or annul").select_option("2")
    item.get_by_label("Reason").fill("The server was slow for 74 seconds.")
    item.get_by_role("button", name="Save decision").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Game 2 will be replayed")
    expect(item).to_have_count(0)
    assert Dispute.objects.get().status == "upheld"
    # an entrant who can be challenged has a button beside their name
    season = Season.objects.get(league__slug="ladder")
    last = Entrant.objects.filter(season=season).exclude(player=niamh).order_by("-standing__place").first()
    assert last
    context = unscripted(browser, PHONE)
    page = context.new_page()
    live.sign_in(page, last.player)
    page.goto(live.address + address("ladder"))
    buttons = page.locator("#ladder").get_by_role("button", name=re.compile("^Challenge"))
    before = buttons.count()
    assert before > 0
    named = buttons.first.inner_text().removeprefix("Challenge").strip()
    buttons.first.press("Enter")
    expect(page.get_by_role("status")).to_contain_text(f"You have challenged {named}")
    challenges = dict(fold_season(season).division(1).challenges)
    assert season.entries.get(number=challenges[last.number]).player.name == named
    expect(buttons).to_have_count(before - 1)
    context.close()


def test_the_calendar_asks_only_what_its_rule_needs(live: Live, browser: Browser, owner: Player) -> None:
    context = unscripted(browser)
    page = context.new_page()
    live.sign_in(page, owner)
    page.goto(f"{live.address}{CLUB}new-season/")
    unfold(page, "calendar")
    shown = {"every": "#id_apart", "weekdays": "#id_times", "dates": "#id_dates"}
    for rule in shown:
        page.select_option("#id_rule", rule)
        assert [name for name, field in shown.items() if page.locator(field).is_visible()] == [rule]
    expect(page.locator("#id_fallback_time")).to_be_hidden()
    page.select_option("#id_match_time", "agreed")
    expect(page.locator("#id_fallback_time")).to_be_visible()
    expect(page.locator("#id_new_league")).to_be_hidden()
    page.select_option("#id_league", "")
    expect(page.locator("#id_new_league")).to_be_visible()
    expect(page.locator("#id_window")).to_be_hidden()
    page.get_by_text("Round deadline").click()
    expect(page.locator("#id_window")).to_be_visible()
    context.close()


def test_what_is_wrong_in_the_calendar_is_shown_whatever_the_rule_needs(
    live: Live, browser: Browser, owner: Player
) -> None:
    context = unscripted(browser)
    page = context.new_page()
    live.sign_in(page, owner)
    page.goto(f"{live.address}{CLUB}new-season/")
    unfold(page, "calendar")
    page.get_by_text("Round deadline").click()
    page.fill("#id_window", "a while")
    page.get_by_role("button", name="Open for entries").click()
    expect(page.locator("#id_window")).to_be_visible()
    expect(page.locator("#id_window_error")).to_be_visible()
    context.close()


def test_on_a_phone_what_the_form_makes_stays_in_view(live: Live, page: Page, owner: Player) -> None:
    page.set_viewport_size(PHONE)
    live.sign_in(page, owner)
    page.goto(f"{live.address}{CLUB}new-season/")
    expect(page.locator(".gist")).to_be_in_viewport()
    unfold(page, "entrants")
    page.select_option("#id_bot_random", "4")
    expect(page.locator(".gist")).to_contain_text("24 games")
    page.locator("#fair").scroll_into_view_if_needed()
    expect(page.locator(".gist")).to_be_in_viewport()
