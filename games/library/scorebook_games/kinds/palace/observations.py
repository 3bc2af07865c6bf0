"""What players see of a game of Palace: observations, built up from nothing, and events with named fields."""

from __future__ import annotations

from typing import Any, Final

from scorebook_games.cards import RANKS, TEXTS
from scorebook_games.contract import REDACTED, Event
from scorebook_games.kinds.palace.state import CHOOSE, EMPTY, FACE_DOWN, GONE, LOOK, NO_CARD, PHASES, PLAY, PalaceState

# Events that everybody sees whole.
OPEN: Final = frozenset(
    {"laid", "played", "raised", "threw", "risked", "kept", "took", "turned", "failed", "called", "ended"}
)
# The names of the fields after an event's type.
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "dealt": ("under", "hands", "turned", "card", "stack"),
    "chose": ("seat", "cards"),
    "laid": ("upper", "leader"),
    "played": ("seat", "cards", "clears", "last"),
    "drew": ("seat", "cards"),
    "raised": ("seat", "cards"),
    "threw": ("seat", "cards", "clears", "last"),
    "chanced": ("seat", "card"),
    "risked": ("seat", "card", "clears"),
    "kept": ("seat", "count"),
    "took": ("seat", "count"),
    "turned": ("seat", "position", "card", "clears", "last"),
    "failed": ("seat", "position", "card", "count", "last"),
    "looked": ("seat", "position", "card"),
    "called": ("seat", "owner", "count"),
    "ended": ("termination",),
}


def observation(state: PalaceState, seat: int | None, to_act: list[int]) -> dict[str, Any]:
    """Return all that `seat` may know (PA-2, PA-9, PA-15, PA-16, PA-20, PA-21); `to_act` must be as the seat may know
    it.

    `seats` has for each seat:

    - `hand`: null if it is hidden; `hand_count`: the number of hand cards
    - `upper`: the upper palace, "??" for a choice that is not shown yet
    - `under`: three positions, "??" face down, null if the card has left, a card if everybody has seen it
    - `drawn`: the card drawn by a chance; `cards`: all cards left; `place`: null while the seat is in the game

    `pile` reads from the bottom up. `current` is the rank to be met, null for none. `run` counts the equal cards on
    top. `demanded` is true while a 2 must be followed by a play. `thrown` names the seat that drew after the last play
    and might throw that rank. `uncalled` seats can be called out. `direction` is 1 or −1.
    """
    options = state.options
    shown = state.phase != CHOOSE
    window = state.phase == PLAY and state.drawn > 0
    return {
        "seat": seat,
        "options": dict(options),
        "phase": PHASES[state.phase],
        "turn": state.turn if PLAY <= state.phase <= LOOK else None,
        "direction": state.direction,
        "turns": state.turns,
        "to_act": to_act,
        "stack": len(state.stack) - state.at,
        "turned": [TEXTS[card] for card in state.turned],
        "pile": [TEXTS[card] for card in state.pile],
        "current": None if state.current == EMPTY else RANKS[state.current],
        "run": state.run,
        "demanded": state.must == 1,
        "cleared": [TEXTS[card] for card in state.cleared],
        "thrown": {"seat": state.thrower, "rank": RANKS[state.thrown]} if window else None,
        "uncalled": [owner for owner in range(state.seats) if state.uncalled >> owner & 1],
        "out": state.out[:],
        "seats": [seat_view(state, other, other == seat, shown) for other in range(state.seats)],
    }


def redact(event: Event, seat: int | None) -> Event:
    """Return `event` as `seat` may see it: only the owner sees hands, choices, and cards drawn or looked at."""
    kind: str = event[0]
    if kind in OPEN:
        return event
    if kind == "dealt":
        under = [[None] * len(cards) for cards in event[1]]
        hands = [hand if owner == seat else [None] * len(hand) for owner, hand in enumerate(event[2])]
        return ["dealt", under, hands, event[3], event[4], [None] * len(event[5])]
    if kind not in ("chose", "drew", "chanced", "looked"):
        return REDACTED
    if event[1] == seat:
        return event
    hidden = None if isinstance(event[-1], int) else [None] * len(event[-1])
    return [*event[:-1], hidden]


def readable(event: Event) -> dict[str, Any]:
    """Return `event` with named fields: cards as text, null where they are hidden."""
    kind: str = event[0]
    if kind not in FIELDS:
        return {"type": kind}
    return {"type": kind, **{name: shown(name, value) for name, value in zip(FIELDS[kind], event[1:], strict=True)}}


def shown(name: str, value: Any) -> Any:
    """Return a field's value in readable form: cards as text, null for a hidden one."""
    if name in ("card", "cards", "turned", "stack", "under", "upper", "hands"):
        return card_texts(value)
    return bool(value) if name in ("clears", "last") else value


def card_texts(value: Any) -> Any:
    """Return a card, or a list of any depth, as text."""
    if isinstance(value, list):
        return [card_texts(each) for each in value]
    return None if value is None else TEXTS[value]


def cards_of(state: PalaceState, seat: int) -> int:
    """Return how many cards `seat` has left in all."""
    chanced = 1 if state.chanced != NO_CARD and state.turn == seat else 0
    return state.held[seat] + len(state.upper[seat]) + state.unders[seat] + chanced


def seat_view(state: PalaceState, seat: int, own: bool, shown: bool) -> dict[str, Any]:
    """Return what is seen of `seat`; `own` means by itself, `shown` means that the upper palaces are shown."""
    hand = sorted([card for cards in state.hands[seat] for card in cards])
    chanced = state.chanced != NO_CARD and state.turn == seat
    return {
        "hand": [TEXTS[card] for card in hand] if own else None,
        "hand_count": state.held[seat],
        "upper": [TEXTS[card] if own or shown else FACE_DOWN for card in state.upper[seat]],
        "under": [under_text(state, seat, card) for card in state.under[seat]],
        "drawn": None if not chanced else TEXTS[state.chanced] if own else FACE_DOWN,
        "cards": cards_of(state, seat),
        "place": state.out.index(seat) + 1 if seat in state.out else None,
    }


def under_text(state: PalaceState, seat: int, card: int) -> str | None:
    """Return a place of the under palace as text: the card if all have seen it, "??", or None for an empty place."""
    if card == GONE:
        return None
    return TEXTS[card] if state.known[seat] else FACE_DOWN
