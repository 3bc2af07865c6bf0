"""Chinese Ten: capture what makes ten, then flip (rules.md, clauses CT-1 … CT-13).

Events
------
``["dealt", hands, spots, deck]``             cards in dealing order: one list a seat, the four spots, the rest
``["captured", seat, card, spot, taken]``     a hand card captures the top card of a spot (CT-5)
``["laid", seat, card, spot]``                a hand card lies down in an empty spot or on top of one (CT-7)
``["took", seat, card, spot, taken]``         the flipped card captures the top card of a spot (CT-8)
``["placed", seat, card, spot]``              the flipped card captures nothing and lies down (CT-9)
``["flipped", seat, card]``                   the flipped card waits for its player's choice (CT-8, CT-9)
``["ended", termination]``                    the game has ended by its own rules (CT-11) or its turn limit

Spots are 0 … 3 here and 1 … 4 in everything that a person reads. A card of the deck that needs no choice has no event
of its own: `took` and `placed` turn it up and say where it goes.

Actions
-------
An action is an index into `TEXTS`, which lists every move text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scorebook_games.cards import ACE, RANKS, TEN, card_text, packs
from scorebook_games.cards import TEXTS as CARD_TEXTS
from scorebook_games.contract import (
    REDACTED,
    RULES,
    TURN_LIMIT,
    Dealer,
    Event,
    IllegalMove,
    MalformedMove,
    Option,
    Options,
    Outcome,
    Spec,
    placings,
)
from scorebook_games.text import gettext_noop as _

SPOTS: Final = 4
# The number of hand cards for each player, by packs and seats (CT-2).
HAND_SIZES: Final[dict[int, dict[int, int]]] = {
    2: {2: 20, 3: 15, 4: 12, 5: 10, 6: 8},
    1: {2: 13, 3: 9, 4: 7, 5: 6, 6: 5},
}
# A rank that no card has. It stands for an empty spot in `State.wanted`.
NOTHING: Final = 13
ALL_EMPTY: Final = [NOTHING] * SPOTS
# The rank that captures each card: both make ten, and from 10 up it is the card's own rank (CT-5).
TAKER: Final[list[int]] = [8 - (card >> 2) if card >> 2 < TEN else card >> 2 for card in range(52)]
# The points of each card in a scoring pile (CT-1).
POINTS: Final[list[int]] = [20 if card >> 2 == ACE else 10 if card >> 2 >= TEN else 5 for card in range(52)]

# The phases of a turn. A seat may act only in the phases HAND to COVER.
NOBODY: Final = 0  # before the deal, between a move and its flip, and after the last hand card
HAND: Final = 1  # capture with or lay a hand card
CAPTURE: Final = 2  # the flipped card can capture on several spots: choose one
COVER: Final = 3  # the flipped card captures nothing and no spot is empty: choose one to cover
OVER: Final = 4

LAY: Final = 52  # + rank: lay in the empty spot with the lowest number; smaller actions are captures: 4 * rank + spot
LAY_ON: Final = 65  # + 4 * rank + spot: lay on top of a spot
FLIP: Final = 117  # + spot: the flipped card captures
PUT: Final = 121  # + spot: the flipped card covers
TEXTS: Final[list[str]] = [
    *[f"capture {rank} {spot}" for rank in RANKS[:NOTHING] for spot in range(1, 1 + SPOTS)],
    *[f"lay {rank}" for rank in RANKS[:NOTHING]],
    *[f"lay {rank} {spot}" for rank in RANKS[:NOTHING] for spot in range(1, 1 + SPOTS)],
    *[f"flip {spot}" for spot in range(1, 1 + SPOTS)],
    *[f"cover {spot}" for spot in range(1, 1 + SPOTS)],
]
ACTIONS: Final[dict[str, int]] = {text: action for action, text in enumerate(TEXTS)}


class State:
    """The state of a game.

    `hands[seat][rank]` holds the seat's cards of this rank in the order of the deal. The list after the kings is always
    empty. `wanted[spot]` is the rank that captures the spot's top card, NOTHING for an empty spot. `deck[at:]` is still
    face down. `flipped` is the card that waits for a choice, −1 for none. Bit `rank` of `lacks[seat]` is set once
    everybody knows that the seat holds no card of this rank, because it laid a card instead of capturing (CT-7).
    """

    __slots__ = (
        "at",
        "deck",
        "flipped",
        "hands",
        "in_hands",
        "lacks",
        "packs",
        "phase",
        "piles",
        "points",
        "seats",
        "spots",
        "termination",
        "turn",
        "turn_limit",
        "turns",
        "wanted",
    )

    def __init__(self, seats: int, packs: int, turn_limit: int) -> None:
        self.seats: int = seats
        self.packs: int = packs
        self.turn_limit: int = turn_limit
        self.hands: list[list[list[int]]] = [[[] for _ in range(NOTHING + 1)] for _ in range(seats)]
        self.in_hands: int = 0
        self.lacks: list[int] = [0] * seats
        self.deck: list[int] = []
        self.at: int = 0
        self.spots: list[list[int]] = [[] for _ in range(SPOTS)]
        self.wanted: list[int] = [NOTHING] * SPOTS
        self.piles: list[list[int]] = [[] for _ in range(seats)]
        self.points: list[int] = [0] * seats
        self.turn: int = 0
        self.turns: int = 0
        self.flipped: int = -1
        self.phase: int = NOBODY
        self.termination: str = ""

    def copy(self) -> State:
        """Return an independent copy. The deck is shared, because nothing changes it after the deal."""
        twin = State(self.seats, self.packs, self.turn_limit)
        twin.hands = [[cards[:] for cards in hand] for hand in self.hands]
        twin.in_hands = self.in_hands
        twin.lacks = self.lacks[:]
        twin.deck, twin.at = self.deck, self.at
        twin.spots = [spot[:] for spot in self.spots]
        twin.wanted = self.wanted[:]
        twin.piles = [pile[:] for pile in self.piles]
        twin.points = self.points[:]
        twin.turn, twin.turns = self.turn, self.turns
        twin.flipped, twin.phase, twin.termination = self.flipped, self.phase, self.termination
        return twin

    def plain(self) -> dict[str, Any]:
        """Return all facts of the state as plain data."""
        return {
            "seats": self.seats,
            "packs": self.packs,
            "turn_limit": self.turn_limit,
            "hands": [[card for cards in hand for card in cards] for hand in self.hands],
            "in_hands": self.in_hands,
            "lacks": self.lacks[:],
            "deck": self.deck[self.at :],
            "spots": [spot[:] for spot in self.spots],
            "wanted": self.wanted[:],
            "piles": [pile[:] for pile in self.piles],
            "points": self.points[:],
            "turn": self.turn,
            "turns": self.turns,
            "flipped": self.flipped,
            "phase": self.phase,
            "termination": self.termination,
        }


class ChineseTen:
    """The rules of Chinese Ten."""

    spec: Spec = Spec(
        kind="chinese_ten",
        title="Chinese Ten",
        rules_version=1,
        seats_min=2,
        seats_max=6,
        options=(
            Option(
                "packs",
                "int",
                2,
                "Number of packs of 52 cards. One pack makes smaller hands.",
                minimum=1,
                maximum=2,
            ),
            Option(
                "turn_limit",
                "int",
                400,
                "The game ends with the present scores after this number of completed turns of all "
                "seats. A full game has at most 50.",
                minimum=1,
                maximum=10**9,
            ),
        ),
        notation=_(
            "A move is written capture 6 1 (hand card, spot), lay K, lay K 2 (where no spot is empty), "
            "flip 1 or cover 3 (for the flipped card). Ranks are A 2 3 4 5 6 7 8 9 T J Q K, spots 1 to 4."
        ),
    )

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Return every option with its value. Raises `OptionError`."""
        return self.spec.resolve(seats, options)

    def initial(self, seats: int, options: Options) -> State:
        """Return the state before the deal."""
        return State(seats, options["packs"], options["turn_limit"])

    def start(self, state: State, dealer: Dealer) -> list[Event]:
        """Return the deal (CT-2, CT-3), from the shuffle with the label `deal`."""
        order = dealer.shuffle("deal", packs(state.packs))
        size = HAND_SIZES[state.packs][state.seats]
        table = size * state.seats
        hands = [order[seat * size : (seat + 1) * size] for seat in range(state.seats)]
        return [["dealt", hands, order[table : table + SPOTS], order[table + SPOTS :]]]

    def to_act(self, state: State) -> list[int]:
        """Return the seat whose turn it is (CT-4)."""
        return [state.turn] if HAND <= state.phase <= COVER else []

    def to_act_seen(self, state: State, viewer: int | None) -> list[int]:
        """Return the seat whose turn it is, which everybody knows."""
        return self.to_act(state)

    def awaited(self, state: State) -> list[int]:
        """Return the seat whose turn it is."""
        return self.to_act(state)

    def legal_actions(self, state: State, seat: int) -> list[int]:
        """Return captures if there are any, else lay-downs (CT-7), or the choices for the flipped card (CT-8, CT-9)."""
        if seat != state.turn:
            return []
        wanted = state.wanted
        if state.phase == HAND:
            hand = state.hands[seat]
            actions = [4 * wanted[spot] + spot for spot in range(SPOTS) if hand[wanted[spot]]]
            if actions:
                return actions
            if NOTHING in wanted:
                return [LAY + rank for rank in range(NOTHING) if hand[rank]]
            return [LAY_ON + 4 * rank + spot for rank in range(NOTHING) if hand[rank] for spot in range(SPOTS)]
        if state.phase == CAPTURE:
            rank = state.flipped >> 2
            return [FLIP + spot for spot in range(SPOTS) if wanted[spot] == rank]
        if state.phase == COVER:
            return [PUT, PUT + 1, PUT + 2, PUT + 3]
        return []

    def decide(self, state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
        """Return the move's own event, the flips that follow, and the end if the game ends.

        Draws nothing. Raises `IllegalMove`.
        """
        if seat != state.turn or not HAND <= state.phase <= COVER:
            raise refuse_seat(state)
        event = play_card(state, seat, action) if state.phase == HAND else choose(state, seat, action)
        return follow(state, seat, event)

    def apply(self, state: State, event: Event) -> None:
        """Change `state` by one event."""
        kind: str = event[0]
        if kind == "captured" or kind == "took":
            seat: int = event[1]
            card: int = event[2]
            spot: int = event[3]
            taken: int = event[4]
            if kind == "captured":
                state.hands[seat][card >> 2].remove(card)
                state.in_hands -= 1
            elif state.flipped >= 0:
                state.flipped = -1
            else:
                state.at += 1
            stack = state.spots[spot]
            stack.pop()
            state.wanted[spot] = TAKER[stack[-1]] if stack else NOTHING
            pile = state.piles[seat]
            pile.append(card)
            pile.append(taken)
            state.points[seat] += POINTS[card] + POINTS[taken]
            if state.at < len(state.deck):
                state.phase = NOBODY
            else:
                end_turn(state)
        elif kind == "placed":
            card = event[2]
            spot = event[3]
            state.spots[spot].append(card)
            state.wanted[spot] = TAKER[card]
            if state.flipped >= 0:
                state.flipped = -1
            else:
                state.at += 1
            end_turn(state)
        elif kind == "laid":
            seat = event[1]
            card = event[2]
            spot = event[3]
            lacks = state.lacks[seat]
            for rank in state.wanted:
                lacks |= 1 << rank
            state.lacks[seat] = lacks
            state.hands[seat][card >> 2].remove(card)
            state.in_hands -= 1
            state.spots[spot].append(card)
            state.wanted[spot] = TAKER[card]
            if state.at < len(state.deck):
                state.phase = NOBODY
            else:
                end_turn(state)
        elif kind == "flipped":
            card = event[2]
            state.flipped = card
            state.at += 1
            state.phase = CAPTURE if card >> 2 in state.wanted else COVER
        elif kind == "dealt":
            deal(state, event)
        elif kind == "ended":
            state.phase = OVER
            state.termination = event[1]

    def action_of(self, state: State, event: Event) -> tuple[int, int]:
        """Return (seat, action) of the decision that `event` begins.

        Raises ValueError if no decision begins with it.
        """
        kind: str = event[0]
        if kind == "captured":
            return event[1], 4 * (event[2] >> 2) + event[3]
        if kind == "laid":
            rank = event[2] >> 2
            return event[1], LAY + rank if NOTHING in state.wanted else LAY_ON + 4 * rank + event[3]
        if kind == "took":
            return event[1], FLIP + event[3]
        if kind == "placed":
            return event[1], PUT + event[3]
        raise ValueError(f"No move begins with {kind!r}.")

    def observation(self, state: State, seat: int | None) -> dict[str, Any]:
        """Return what `seat` may know: everything except the other hands and the deck's order (CT-12).

        `lacks` names for each seat the ranks that it cannot hold, because it laid a card when they would have captured.
        """
        own = None if seat is None else [CARD_TEXTS[card] for cards in state.hands[seat] for card in sorted(cards)]
        return {
            "seat": seat,
            "seats": state.seats,
            "packs": state.packs,
            "turn_limit": state.turn_limit,
            "turns": state.turns,
            "turn": state.turn if state.phase != OVER else None,
            "to_act": self.to_act(state),
            "hand": own,
            "hand_counts": [sum([len(cards) for cards in hand]) for hand in state.hands],
            "lacks": ["".join([RANKS[rank] for rank in range(NOTHING) if lacks >> rank & 1]) for lacks in state.lacks],
            "spots": [[CARD_TEXTS[card] for card in spot] for spot in state.spots],
            "flipped": None if state.flipped < 0 else CARD_TEXTS[state.flipped],
            "deck": len(state.deck) - state.at,
            "piles": [[CARD_TEXTS[card] for card in pile] for pile in state.piles],
            "points": state.points[:],
        }

    def redact(self, event: Event, seat: int | None) -> Event:
        """Return the deal without other hands and the deck, and other events whole, because all else is open
        (CT-12)."""
        kind: str = event[0]
        if kind in ("captured", "laid", "took", "placed", "flipped", "ended"):
            return event
        if kind == "dealt":
            hands = [hand if owner == seat else [None] * len(hand) for owner, hand in enumerate(event[1])]
            return ["dealt", hands, event[2], [None] * len(event[3])]
        return REDACTED

    def readable(self, event: Event) -> dict[str, Any]:
        """Return `event` with named fields: spots 1 … 4, cards as text, None for what is hidden."""
        kind: str = event[0]
        if kind == "dealt":
            return {
                "type": kind,
                "hands": [texts(hand) for hand in event[1]],
                "spots": texts(event[2]),
                "deck": texts(event[3]),
            }
        if kind == "captured" or kind == "took":
            card, spot, taken = card_text(event[2]), event[3] + 1, card_text(event[4])
            return {"type": kind, "seat": event[1], "card": card, "spot": spot, "taken": taken}
        if kind == "laid" or kind == "placed":
            return {"type": kind, "seat": event[1], "card": card_text(event[2]), "spot": event[3] + 1}
        if kind == "flipped":
            return {"type": kind, "seat": event[1], "card": card_text(event[2])}
        if kind == "ended":
            return {"type": kind, "termination": event[1]}
        return {"type": kind}

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome: most points win (CT-13). None while the game is on."""
        if state.phase != OVER:
            return None
        scores, places = self.standing(state)
        return Outcome(state.termination, scores, places)

    def standing(self, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return (points, placings) of the piles as they are now (CT-12, CT-13)."""
        return tuple(state.points), placings(state.points, best=self.spec.best)

    def move_text(self, state: State, action: int) -> str:
        """Return the move as text, such as `capture 6 1`, `lay K`, `lay K 2`, `flip 1` or `cover 3`."""
        return TEXTS[action]

    def parse_move(self, state: State, text: str) -> int:
        """Return the action that `text` names. Raises `MalformedMove`."""
        action = ACTIONS.get(text)
        if action is None:
            raise MalformedMove(self.spec.notation)
        return action


def texts(cards: list[int | None]) -> list[str | None]:
    """Return cards as text, None for a hidden one."""
    return [None if card is None else card_text(card) for card in cards]


def deal(state: State, event: Event) -> None:
    """Set hands, spots and deck from the deal (CT-2, CT-3). Seat 0 begins (CT-4)."""
    for seat, cards in enumerate(event[1]):
        for card in cards:
            state.hands[seat][card >> 2].append(card)
        state.in_hands += len(cards)
    state.spots = [[card] for card in event[2]]
    state.wanted = [TAKER[card] for card in event[2]]
    state.deck = event[3]
    state.phase = HAND


def end_turn(state: State) -> None:
    """End the turn. The next seat clockwise plays while there are hand cards (CT-4)."""
    state.turns += 1
    state.turn = (state.turn + 1) % state.seats
    state.phase = HAND if state.in_hands else NOBODY


def follow(state: State, seat: int, event: Event) -> list[Event]:
    """Return `event`, which plays or places a card, then the flips (CT-8 to CT-10) and the end of the game (CT-11)."""
    events = [event]
    wanted = state.wanted[:]
    deck = state.deck
    at = state.at
    spot: int = event[3]
    card: int = event[2]
    taken = len(event) == 5  # only a capture has a fifth entry, the captured card
    gone = [0, 0, 0, 0]  # how many cards have left each spot; -1 if `laid` lies on top of the others
    laid = card
    if taken:
        stack = state.spots[spot]
        gone[spot] = 1
        wanted[spot] = TAKER[stack[-2]] if len(stack) > 1 else NOTHING
    else:
        gone[spot] = -1
        wanted[spot] = TAKER[laid]
    in_hands = state.in_hands
    flips = taken
    if state.phase == HAND:
        in_hands -= 1
        flips = True
    while flips and at < len(deck):
        card = deck[at]
        at += 1
        rank = card >> 2
        matches = wanted.count(rank)
        if matches == 1:
            spot = wanted.index(rank)
            stack = state.spots[spot]
            under = len(stack) - gone[spot] - 1  # cards below the captured one
            events.append(["took", seat, card, spot, stack[under] if under < len(stack) else laid])
            gone[spot] += 1
            wanted[spot] = TAKER[stack[under - 1]] if under else NOTHING
        elif matches == 0 and NOTHING in wanted:
            spot = wanted.index(NOTHING)
            events.append(["placed", seat, card, spot])
            wanted[spot] = TAKER[card]
            flips = False
        else:
            events.append(["flipped", seat, card])
            return events
    if in_hands == 0 or (at == len(deck) and wanted == ALL_EMPTY):
        events.append(["ended", RULES])
    elif state.turns + 1 >= state.turn_limit:
        events.append(["ended", TURN_LIMIT])
    return events


def play_card(state: State, seat: int, action: int) -> Event:
    """Return the event of playing a hand card (CT-5 to CT-7). Raises `IllegalMove`."""
    if action < LAY:
        return capture(state, seat, action >> 2, action & 3)
    if action < LAY_ON:
        return lay(state, seat, action - LAY, -1)
    if action < FLIP:
        return lay(state, seat, (action - LAY_ON) >> 2, (action - LAY_ON) & 3)
    raise IllegalMove("no_flipped_card", "CT-8", _("There is no flipped card to place. Play a card from your hand."))


def capture(state: State, seat: int, rank: int, spot: int) -> Event:
    """Return the event of capturing the top card of `spot` with a hand card of `rank` (CT-5). Raises `IllegalMove`."""
    held = state.hands[seat][rank]
    stack = state.spots[spot]
    if state.wanted[spot] == rank and held:
        return ["captured", seat, held[0], spot, stack[-1]]
    if not held:
        raise IllegalMove("card_not_held", "CT-5", _("You have no {rank} in hand."), rank=RANKS[rank])
    if not stack:
        raise IllegalMove("empty_spot", "CT-6", _("Spot {spot} is empty."), spot=spot + 1)
    raise IllegalMove(
        "no_capture",
        "CT-5",
        _("A {rank} does not capture the {taken} on spot {spot}."),
        rank=RANKS[rank],
        taken=RANKS[stack[-1] >> 2],
        spot=spot + 1,
    )


def lay(state: State, seat: int, rank: int, spot: int) -> Event:
    """Return the event of laying a hand card of `rank` on `spot`, −1 if none was named (CT-7). Raises `IllegalMove`."""
    hand = state.hands[seat]
    wanted = state.wanted
    name = RANKS[rank]
    if not hand[rank]:
        raise IllegalMove("card_not_held", "CT-7", _("You have no {rank} in hand."), rank=name)
    for place in range(SPOTS):
        if hand[wanted[place]]:
            sentence = _("You can capture a card, so you cannot lay one: your {rank} takes the card on spot {spot}.")
            held = RANKS[wanted[place]].replace("T", "10")
            raise IllegalMove("must_capture", "CT-7", sentence, rank=held, spot=place + 1)
    if NOTHING in wanted:
        place = wanted.index(NOTHING)
        if spot >= 0:
            raise IllegalMove(
                "spot_is_empty",
                "CT-7",
                _("Spot {spot} is empty, so the card goes there."),
                spot=place + 1,
            )
        return ["laid", seat, hand[rank][0], place]
    if spot < 0:
        raise IllegalMove("spot_not_named", "CT-7", _("No spot is empty. Choose the spot to cover."))
    return ["laid", seat, hand[rank][0], spot]


def choose(state: State, seat: int, action: int) -> Event:
    """Return the event of choosing where the flipped card goes (CT-8, CT-9). Raises `IllegalMove`."""
    card = state.flipped
    name = RANKS[card >> 2]
    if state.phase == CAPTURE:
        if not FLIP <= action < PUT:
            raise IllegalMove(
                "flip_waits",
                "CT-8",
                _("Your flipped {rank} captures a card. Choose the spot."),
                rank=name,
            )
        spot = action - FLIP
        if state.wanted[spot] != card >> 2:
            raise IllegalMove(
                "no_capture",
                "CT-5",
                _("Your flipped {rank} captures nothing on spot {spot}."),
                rank=name,
                spot=spot + 1,
            )
        return ["took", seat, card, spot, state.spots[spot][-1]]
    if action < PUT:
        sentence = _("Your flipped {rank} captures nothing and must cover a spot. Choose one.")
        raise IllegalMove("cover_waits", "CT-9", sentence, rank=name)
    return ["placed", seat, card, action - PUT]


def refuse_seat(state: State) -> IllegalMove:
    """Return the error for a seat that may not act."""
    if state.phase == OVER:
        return IllegalMove("game_over", "CT-11", _("The game is over."))
    if state.phase == NOBODY:
        return IllegalMove("nobody_to_act", "CT-4", _("Nobody can move now."))
    return IllegalMove("not_your_turn", "CT-4", _("It is another player's turn."))
