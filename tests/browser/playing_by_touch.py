"""Plays by touch in the browser, in any kind of game."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from playwright.sync_api import Locator, Page, expect

from games.models import Deal, Game, Player
from games.play import services as play
from games.play import unit_of_work
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog import visibility
from tests.servers.web import WAIT_TIMEOUT


def open_game(players: list[Player], kind: str, options: dict[str, object] | None = None, **terms: object) -> Game:
    deal = Deal.objects.create(seed=bytes(range(7, 39)))
    return play.open_game(kind=kind, players=players, options=options, terms=terms, deal=deal)


def bring_to(game: Game, wanted: Callable[[str], bool], pick: Callable[[list[str]], str]) -> int:
    """Play moves chosen by `pick` until a seat has a `wanted` move, and return the seat."""
    seats: list[int] = []

    def played(unit: unit_of_work.GameUnit) -> list[Event]:
        fold, events = unit.fold.copy(), list[Event]()
        dealer = SeedDealer(bytes(game.deal.seed))
        while not fold.outcome():
            seats[:] = [seat for seat in fold.to_act() if any(map(wanted, visibility.legal_moves(fold, seat)))]
            if seats:
                return events
            seat = fold.to_act()[0]
            action = fold.rules.parse_move(fold.state, pick(visibility.legal_moves(fold, seat)))
            for event in fold.rules.decide(fold.state, seat, action, dealer):
                fold.apply(event)
                events.append(event)
        raise AssertionError("It never came to that.")

    play.change_game(game, played)
    return seats[0]


def version(game: Game) -> int:
    game.refresh_from_db()
    return game.version


# This reacts to every change. `expect` would ask again only after 0.1, 0.35, 0.85 s, and so on.
UNTIL: Final = """([name, value, wanted, patience]) => new Promise((done, fail) => {
  const here = () => document.querySelector(".tabletop")?.getAttribute(name);
  const is = () => (here() === value) === wanted;
  if (is()) return done();
  const observer = new MutationObserver(() => { if (is()) { observer.disconnect(); done(); } });
  observer.observe(document, { subtree: true, childList: true, attributes: true });
  setTimeout(() => fail(new Error(`${name} is ${here()}; ${wanted ? "wanted" : "not wanted"}: ${value}`)), patience);
})"""


def until(page: Page, name: str, value: str, *, wanted: bool = True) -> None:
    """Wait until the table's attribute `data-<name>` has the value or, with `wanted=False`, no longer has it."""
    page.evaluate(UNTIL, [f"data-{name}", value, wanted, 1000 * WAIT_TIMEOUT])


def at(page: Page, wanted: int) -> None:
    """Wait until the page shows this version."""
    until(page, "version", str(wanted))


def both_at(pages: list[Page], game: Game) -> None:
    for page in pages:
        at(page, version(game))


def offered(page: Page) -> Locator:
    """Return what can be touched now, in the tray and on the board."""
    return page.locator(".hand-card.on, .thing.offer")


def play_one(page: Page, chance: random.Random) -> None:
    """Touch offered things or buttons until the seat has made a move."""
    here = page.locator(".tabletop")
    until(page, "busy", "no")
    before = here.get_attribute("data-version") or ""
    for _ in range(6):
        buttons = page.locator(".moves [data-move]")
        things = offered(page)
        chosen = page.locator("[aria-pressed=true]").count()
        if buttons.count() and (not things.count() or (chosen and chance.random() < 0.7)):
            buttons.first.click()
        else:
            things.nth(chance.randrange(things.count())).click()
        if here.get_attribute("data-busy") != "no" or here.get_attribute("data-version") != before:
            until(page, "version", before, wanted=False)
            return
    raise AssertionError(f"No move was made: {page.locator('.tray').inner_text()}")


def play_by_touch(pages: list[Page], game: Game, moves: int) -> int:
    """Play so many moves by touch, or to the end of the game, and return the number of moves."""
    chance = random.Random(5)
    for made in range(moves):
        fold = play.load_game(game)
        if fold.outcome():
            return made
        acting = fold.awaited()[0]
        expect(pages[acting].locator(".tray.acting")).to_be_visible()
        play_one(pages[acting], chance)
        both_at(pages, game)
    return moves


def put_down(page: Page) -> None:
    """Put a die on a plate, if one fits: touch the die, then the plate."""
    expect(page.locator(".tray h2")).to_have_text("Your moves, all at the same time")
    for place in range(page.locator(".hand-card").count()):
        page.locator(".hand-card").nth(place).click()
        plates = page.locator(".plate .thing.offer")
        if plates.count():
            free = page.locator(".hand-card").count()
            plates.first.click()
            expect(page.locator(".hand-card")).to_have_count(free - 1)
            expect(page.locator(".tray h2")).to_have_text("Your bundle")
            return
        page.locator(".hand-card").nth(place).click()


def bundle(page: Page) -> None:
    """Give a bundle for this beat: by a button or the board before rolling, otherwise a die on a plate and a roll."""
    here = page.locator(".tabletop")
    before = here.get_attribute("data-version")
    fresh = True
    for _ in range(8):
        until(page, "busy", "no")
        if here.get_attribute("data-version") != before or not page.locator(".tray.acting").count():
            return
        buttons, felt = page.locator(".moves [data-move]"), page.locator(".felt .thing.offer")
        sure = page.get_by_role("group", name="Confirm your move").get_by_role("button")
        if sure.count():
            sure.first.click()
        elif buttons.count():
            buttons.first.click()
        elif not page.locator(".btn.roll").count():
            felt.first.click()
        elif fresh:
            put_down(page)
            fresh = False
        else:
            page.locator(".btn.roll").last.click()
    raise AssertionError(f"No bundle was given: {page.locator('.tray').inner_text()}")
