"""Finds positions for pictures: `python -m tests.pictures find` plays seeded games until each position has occurred.

Sensible built-in bots play. A picture has a condition on one frame, as the viewer in seat 0 sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest
from scorebook_games.chance import SeedDealer, bot_random
from scorebook_games.contract import listed_actions
from scorebook_games.frames.replay import Frame
from tests.pictures.positions import Position, cut, frames_of, opened, recorded, take, write

SEEDS = 200
MOST_MOVES = 400
VIEWER = 0
Seen = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A picture: its name, the game to play for it, and a condition on a frame and the one before it. `before` shows
    the frame before the one that fits."""

    name: str
    kind: str
    seats: int
    fits: Callable[[Frame, Frame], bool]
    options: dict[str, Any] = field(default_factory=dict)
    before: bool = False


def by(frame: Frame, *types: str) -> bool:
    """Return whether the event of this frame is of one of these types and by the viewer."""
    return frame.event["type"] in types and frame.event.get("seat") == VIEWER


def own(frame: Frame) -> Seen:
    """Return the viewer's seat, in kinds that list seats one by one."""
    seat: Seen = frame.observation["seats"][VIEWER]
    return seat


def ace_is_taken(_before: Frame, after: Frame) -> bool:
    return by(after, "captured") and after.event["taken"][0] == "A" and after.observation["turns"] == 0


def must_cover(_before: Frame, after: Frame) -> bool:
    return by(after, "flipped") and len(after.offers) == 4


def ace_threatens(_before: Frame, after: Frame) -> bool:
    seen = after.observation
    threat = after.event["type"] == "played" and seen["current"] == "A" and seen["to_act"] == [VIEWER]
    return threat and 3 <= len(seen["pile"]) <= 7 and not any(card[0] == "A" for card in own(after)["hand"])


def last_row_is_left(before: Frame, after: Frame) -> bool:
    down = own(before)["under"].count("??")
    return by(after, "turned") and down == 3 and not own(before)["hand"] and bool(before.observation["pile"])


def places_from_both_hands(before: Frame, after: Frame) -> bool:
    both = by(after, "placed") and bool(after.event["primary"]) and bool(after.event["revealed"])
    return both and 4 <= len(before.observation["plate"]) <= 7 and not after.event["clears"]


def turned_card_stands(_before: Frame, after: Frame) -> bool:
    return by(after, "turned") and after.observation["phase"] == "add" and len(after.observation["plate"]) >= 3


def discard_makes_a_match(before: Frame, after: Frame) -> bool:
    return by(after, "took") and len(before.observation["hand"]) >= 3 and len(before.observation["discard"]) >= 3


def rolls_three_ranks(_before: Frame, after: Frame) -> bool:
    ranks = after.observation["ranks"]
    return by(after, "rolled") and len(set(ranks)) == 3 and 1 <= len(after.event["fish"]) <= 2


def ask_is_answered(_before: Frame, after: Frame) -> bool:
    return by(after, "asked") and bool(after.event["mate"])


def spinner(frame: Frame) -> Seen:
    """Return the viewer's place in Plate Spinner."""
    place: Seen = frame.observation["players"][VIEWER]
    return place


def fourth_round_begins(_before: Frame, after: Frame) -> bool:
    return after.event["type"] == "go" and after.event["round"] == 4 and len(spinner(after)["plates"]) >= 4


def plate_is_filled(_before: Frame, after: Frame) -> bool:
    full = [plate for plate in spinner(after)["plates"] if not plate["free"]]
    return by(after, "assigned") and len(full) >= 3 and len(full) < len(spinner(after)["plates"])


def drafts_a_plate(before: Frame, after: Frame) -> bool:
    return by(after, "drafted") and len(before.observation["market"]) >= 3


WANTED = (
    Wanted("chinese_ten-deal", "chinese_ten", 2, ace_is_taken, before=True),
    Wanted("chinese_ten-capture", "chinese_ten", 2, ace_is_taken),
    Wanted("chinese_ten-cover", "chinese_ten", 2, must_cover),
    Wanted("palace-deal", "palace", 2, lambda before, after: by(after, "chose"), before=True),
    Wanted("palace-threat", "palace", 2, ace_threatens),
    Wanted("palace-throw", "palace", 2, lambda before, after: by(after, "threw"), before=True),
    Wanted("palace-under", "palace", 2, last_row_is_left, before=True),
    Wanted("plates-deal", "plates", 3, lambda before, after: by(after, "placed"), before=True),
    Wanted("plates-before", "plates", 3, places_from_both_hands, before=True),
    Wanted("plates-after", "plates", 3, places_from_both_hands),
    Wanted("plates-blind", "plates", 3, turned_card_stands),
    Wanted("platinum_fish-discard", "platinum_fish", 2, discard_makes_a_match, before=True),
    Wanted("platinum_fish-roll", "platinum_fish", 2, rolls_three_ranks),
    Wanted("platinum_fish-ask", "platinum_fish", 2, ask_is_answered),
    Wanted("plate_spinner-go", "plate_spinner", 2, fourth_round_begins),
    Wanted("plate_spinner-assign", "plate_spinner", 2, plate_is_filled),
    Wanted("plate_spinner-draft", "plate_spinner", 2, drafts_a_plate, before=True),
)


def play(wanted: Wanted, seed: str) -> Position:
    """Play a game of sensible bots from `seed` and record its moves."""
    fold, dealer = opened(wanted.kind, wanted.seats, wanted.options, seed), SeedDealer(bytes.fromhex(seed))
    take(fold, fold.rules.start(fold.state, dealer))
    moves: list[tuple[int, str]] = []
    for _turn in range(MOST_MOVES):
        seats = fold.to_act()
        if not seats:
            break
        for seat in seats:
            text = choice(fold, seat, seed)
            made = fold.rules.decide(fold.state, seat, fold.rules.parse_move(fold.state, text), dealer)
            if made:
                moves.append((seat, text))
                take(fold, made)
                break
    return Position(wanted.name, wanted.kind, wanted.seats, wanted.options, seed, moves, VIEWER, fold.version, {})


def choice(fold: Any, seat: int, seed: str) -> str:
    """Return the move of the sensible bot in `seat`."""
    rules, state = fold.rules, fold.state
    legal = [rules.move_text(state, action) for action in listed_actions(rules, state, seat)]
    view = MoveRequest(fold.opened["kind"], rules.observation(state, seat), fold.version)
    return BUILTIN_BOTS["sensible"].move(view, legal, bot_random(bytes.fromhex(seed), seat, fold.version))


def find(wanted: Wanted) -> Position:
    """Return the first position that fits. Raises LookupError after `SEEDS` games."""
    for number in range(SEEDS):
        played = play(wanted, number.to_bytes(32, "big").hex())
        for position in fitting(wanted, played):
            return position
    raise LookupError(f"No game has a position for {wanted.name}.")


def fitting(wanted: Wanted, played: Position) -> Iterator[Position]:
    """Yield the positions of a game that fit, in their order."""
    frames = frames_of(played)
    for before, after in pairwise(frames):
        if wanted.fits(before, after):
            shown = before if wanted.before else after
            yield cut(replace(played, version=shown.version, observation=dict(shown.observation)))


def main(names: list[str]) -> None:
    """Find all pictures, or those with these names, and store their positions."""
    kept = {each.name: each for each in recorded()} if names else {}
    for wanted in WANTED:
        if not names or wanted.name in names:
            kept[wanted.name] = found = find(wanted)
            print(f"{wanted.name}: seed {int(found.seed, 16)}, {len(found.moves)} moves, event {found.version}")
    write([kept[wanted.name] for wanted in WANTED])
