"""Platinum Fish: pair up cards, fish with two dice, ask the others (docs/rules/platinum_fish.md, clauses PF-1 … PF-18).

Events
------
``["stacked", deck]``                          the shuffled pack, top card first (nobody sees it)
``["dealt", seat, die, laid, kept]``           a hand of `die` cards, 3 at least: the matches laid down from it, pair by
                                               pair, and the cards that stay, which their owner alone sees (PF-1, PF-14)
``["turned", card]``                           the top card of the deck starts the discard pile (PF-3)
``["drew", seat, card, mate]``                 from the deck; without a mate it goes on the discard pile (PF-6)
``["took", seat, card, mate]``                 the top card of the discard pile (PF-5)
``["rolled", seat, a, b, held]``               two dice, and which of the possible ranks the deck holds (PF-8, PF-9)
``["searched", seat, a, b, held]``             the same where the roller alone sees that, and the whole deck (PF-12)
``["fished", seat, card, mate]``               taken out of the deck; without a mate it stays in the hand (PF-9, PF-11)
``["asked", seat, other, rank, card, mate]``   `card` is the one that changes hands, −1 if there is none (PF-10)
``["declined", seat]``                         asks nobody
``["shuffled", seat, deck]``                   `seat` asked for it: the deck's new order, top card first (PF-12)
``["passed", seat]``                           asks for no shuffle
``["salvaged", seat, card, mate]``             from anywhere in the discard pile, for a new hand (PF-15)
``["stopped", seat]``                          takes no more of it
``["ended", termination]``                     the last card left the deck (PF-17), or the turn limit

`mate` is the hand card that makes a match with the new one, −1 if there is none. Every match is laid down at once, so
a hand never has two cards of one rank: it is one place a rank.

Actions
-------
Each is an index into `TEXTS`, the whole alphabet of the notation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from games.engines.base import (
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
from games.engines.cards import RANKS, card_text, packs

MOST_SEATS: Final = 6
KINDS_OF_CARD: Final = 13
NONE: Final = -1
LEAST: Final = 3  # cards of a new hand (PF-1)

# Where a game stands; from DRAW to SALVAGE somebody is to act.
SETTING_UP: Final = 0
WAITING: Final = 1  # inside a decision: a roll, a new hand or the end comes next
DRAW: Final = 2
FISH: Final = 3
ASK: Final = 4
SHUFFLE: Final = 5  # an opponent says whether the deck must be shuffled
SALVAGE: Final = 6
OVER: Final = 7
PHASES: Final = ("setting_up", "waiting", "draw", "fish", "ask", "shuffle", "salvage", "over")

DRAW_DECK: Final = 0
DRAW_DISCARD: Final = 1
FISH_FOR: Final = 2  # + rank
SALVAGE_FOR: Final = 15  # + rank
STOP: Final = 28
DECLINE: Final = 29
DEMAND: Final = 30
PASS: Final = 31
ASK_FOR: Final = 32  # + 13 * seat + rank
TEXTS: Final[list[str]] = [
    "draw deck",
    "draw discard",
    *[f"fish {rank}" for rank in RANKS[:KINDS_OF_CARD]],
    *[f"salvage {rank}" for rank in RANKS[:KINDS_OF_CARD]],
    "stop",
    "decline",
    "shuffle",
    "pass",
    *[f"ask {seat} {rank}" for seat in range(MOST_SEATS) for rank in RANKS[:KINDS_OF_CARD]],
]
ACTIONS: Final[dict[str, int]] = {text: action for action, text in enumerate(TEXTS)}
# By phase, the clause that says what may be done, and how that is told to whoever tried something else.
DUTIES: Final[dict[int, tuple[str, str]]] = {
    DRAW: ("PF-5", "You are to draw: draw deck, or draw discard where that makes a match."),
    FISH: ("PF-9", "You are to take a card out of the deck"),
    ASK: ("PF-10", "You may ask an opponent for a rank, as in ask 2 7, or decline."),
    SHUFFLE: ("PF-12", "You are to say whether the deck must be shuffled: shuffle or pass."),
    SALVAGE: ("PF-15", "You may take matches from the discard pile, as in salvage 7, or stop."),
}


def ask_actions(seats: int, seat: int) -> list[int]:
    """Every question that `seat` may ask, and none at all (PF-10)."""
    others = [other for other in range(seats) if other != seat]
    return [DECLINE, *[ASK_FOR + KINDS_OF_CARD * other + rank for other in others for rank in range(KINDS_OF_CARD)]]


# By the number of seats and the seat that asks.
ASKS: Final[list[list[list[int]]]] = [
    [ask_actions(seats, seat) for seat in range(seats)] for seats in range(MOST_SEATS + 1)
]


def possible_ranks(a: int, b: int) -> list[int]:
    """The ranks that the dice `a` and `b` allow: 1 is an Ace, 11 a Jack, 12 each face card (PF-8)."""
    faces = [10, 11, 12] if a + b == 12 else [a + b - 1]
    return sorted({a - 1, b - 1, *faces})


# By 7 * a + b.
POSSIBLE: Final[list[list[int]]] = [possible_ranks(a, b) for a in range(7) for b in range(7)]


class State:
    """Where a game stands.

    `deck` and `discard` have their top card last; `in_deck` and `in_discard` count their cards of each rank.
    `hands[seat][rank]` is that seat's card of the rank or NONE, `held` counts its cards, and in `shown` bit `rank` is
    set where everybody has seen the card. `laid` has each seat's matches, card after card. `turn` is the seat whose
    turn it is, `actor` the one that is to act; `dealt` counts the hands that each seat has had. `dice` and `fish`, the
    possible ranks that the deck holds, are those of this turn's roll; no dice, no roll yet.

    What all have seen of what is hidden: bit `rank` is set in `lacks[seat]` where a hand holds no such card, in `asked`
    where its owner asked for one in vain while holding it, in `deck_lacks` where none is left in the deck (PF-9).
    """

    __slots__ = (
        "actor",
        "asked",
        "dealt",
        "deck",
        "deck_lacks",
        "dice",
        "discard",
        "fish",
        "hands",
        "held",
        "in_deck",
        "in_discard",
        "lacks",
        "laid",
        "phase",
        "player_searches",
        "seats",
        "shown",
        "termination",
        "turn",
        "turn_limit",
        "turns",
    )

    def __init__(self, seats: int, player_searches: bool, turn_limit: int) -> None:
        self.seats: int = seats
        self.player_searches: bool = player_searches
        self.turn_limit: int = turn_limit
        self.deck: list[int] = []
        self.in_deck: list[int] = [0] * KINDS_OF_CARD
        self.discard: list[int] = []
        self.in_discard: list[int] = [0] * KINDS_OF_CARD
        self.hands: list[list[int]] = [[NONE] * KINDS_OF_CARD for _ in range(seats)]
        self.held: list[int] = [0] * seats
        self.shown: list[int] = [0] * seats
        self.lacks: list[int] = [0] * seats
        self.asked: list[int] = [0] * seats
        self.deck_lacks: int = 0
        self.laid: list[list[int]] = [[] for _ in range(seats)]
        self.dealt: list[int] = [0] * seats
        self.turn: int = 0
        self.turns: int = 0
        self.actor: int = 0
        self.phase: int = SETTING_UP
        self.dice: list[int] = []
        self.fish: list[int] = []
        self.termination: str = ""

    def copy(self) -> State:
        """An independent state. Dice and fish are shared, for they are replaced and never changed."""
        twin = State(self.seats, self.player_searches, self.turn_limit)
        twin.deck, twin.in_deck = self.deck[:], self.in_deck[:]
        twin.discard, twin.in_discard = self.discard[:], self.in_discard[:]
        twin.hands = [hand[:] for hand in self.hands]
        twin.held, twin.shown = self.held[:], self.shown[:]
        twin.lacks, twin.asked, twin.deck_lacks = self.lacks[:], self.asked[:], self.deck_lacks
        twin.laid = [cards[:] for cards in self.laid]
        twin.dealt = self.dealt[:]
        twin.turn, twin.turns, twin.actor, twin.phase = self.turn, self.turns, self.actor, self.phase
        twin.dice, twin.fish, twin.termination = self.dice, self.fish, self.termination
        return twin

    def plain(self) -> dict[str, Any]:
        """Every fact of the state as plain data."""
        return {
            "seats": self.seats,
            "player_searches": self.player_searches,
            "turn_limit": self.turn_limit,
            "deck": self.deck[:],
            "in_deck": self.in_deck[:],
            "discard": self.discard[:],
            "in_discard": self.in_discard[:],
            "hands": [[card for card in hand if card != NONE] for hand in self.hands],
            "held": self.held[:],
            "shown": self.shown[:],
            "lacks": self.lacks[:],
            "asked": self.asked[:],
            "deck_lacks": self.deck_lacks,
            "laid": [cards[:] for cards in self.laid],
            "dealt": self.dealt[:],
            "turn": self.turn,
            "turns": self.turns,
            "actor": self.actor,
            "phase": PHASES[self.phase],
            "dice": self.dice[:],
            "fish": self.fish[:],
            "termination": self.termination,
        }


class PlatinumFish:
    """The rules of Platinum Fish."""

    spec: Spec = Spec(
        kind="platinum_fish",
        title="Platinum Fish",
        rules_version=1,
        seats_min=2,
        seats_max=MOST_SEATS,
        options=(
            Option(
                "searcher",
                "choice",
                "dealer",
                "Who searches the deck: the dealer, so that nobody learns its order, or the player who rolled, who "
                "sees all of it; the others may then ask for a shuffle.",
                choices=("dealer", "player"),
            ),
            Option(
                "turn_limit",
                "int",
                1000,
                "After this many completed turns of all seats the game ends as it stands. A game has fewer than 104.",
                minimum=1,
                maximum=10**9,
            ),
        ),
        notation=(
            "A move is written draw deck, draw discard, fish 7, ask 2 7 (seat, rank), decline, salvage 7, stop, "
            "shuffle or pass. Ranks are A 2 3 4 5 6 7 8 9 T J Q K, seats 0 to 5."
        ),
    )

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Every option with its value. Raises `OptionError`."""
        return self.spec.resolve(seats, options)

    def initial(self, seats: int, options: Options) -> State:
        """The state before the deal."""
        return State(seats, options["searcher"] == "player", options["turn_limit"])

    def start(self, state: State, dealer: Dealer) -> list[Event]:
        """The deal, seat by seat (PF-1, PF-2), new hands for emptied ones (PF-4), and the first discard (PF-3)."""
        order = dealer.shuffle("deal", packs(2))
        deck = order[::-1]
        events: list[Event] = [["stacked", order]]
        emptied: list[int] = []
        for seat in range(state.seats):
            events += deal_hand(seat, 1, deck, dealer)
            if not deck:
                return [*events, ["ended", RULES]]
            if not events[-1][4]:
                emptied.append(seat)
        for seat in emptied:
            events += new_hand(seat, 1, deck, dealer)
            if not deck:
                return events
        events.append(["turned", deck.pop()])
        return events if deck else [*events, ["ended", RULES]]

    def to_act(self, state: State) -> list[int]:
        """Whose move it is: the seat whose turn it is, or one that is asked (PF-12) or has a new hand (PF-15)."""
        return [state.actor] if DRAW <= state.phase <= SALVAGE else []

    def to_act_seen(self, state: State, viewer: int | None) -> list[int]:
        """Whose move it is: all know it."""
        return self.to_act(state)

    def awaited(self, state: State) -> list[int]:
        """Whose move it is."""
        return self.to_act(state)

    def legal_actions(self, state: State, seat: int) -> list[int]:
        """Draws, fish, questions, answers or salvage, as the phase is."""
        if seat != state.actor:
            return []
        phase = state.phase
        if phase == DRAW:
            discard = state.discard
            if discard and state.hands[seat][discard[-1] >> 2] >= 0:
                return [DRAW_DECK, DRAW_DISCARD]
            return [DRAW_DECK]
        if phase == FISH:
            return [FISH_FOR + rank for rank in state.fish]
        if phase == ASK:
            return ASKS[state.seats][seat][:]
        if phase == SHUFFLE:
            return [DEMAND, PASS]
        if phase == SALVAGE:
            hand, below = state.hands[seat], state.in_discard
            return [*[SALVAGE_FOR + rank for rank in range(KINDS_OF_CARD) if below[rank] and hand[rank] >= 0], STOP]
        return []

    def decide(self, state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
        """The move's own event, then the roll, the new hands and the end that follow from it."""
        phase = state.phase
        if seat != state.actor or not DRAW <= phase <= SALVAGE:
            raise refuse_seat(state)
        if phase == DRAW:
            return draw(state, seat, action, dealer)
        if phase == ASK:
            return ask(state, seat, action, dealer)
        if phase == FISH:
            return fish(state, seat, action, dealer)
        if phase == SALVAGE:
            return salvage(state, seat, action, dealer)
        return answer_shuffle(state, seat, action, dealer)

    def apply(self, state: State, event: Event) -> None:
        """Move `state` on by one event."""
        kind: str = event[0]
        if kind == "drew":
            card = state.deck.pop()
            state.in_deck[card >> 2] -= 1
            if event[3] >= 0:
                lay(state, event[1], card, event[3])
                state.phase = DRAW if state.held[event[1]] and state.deck else WAITING
            else:
                put_down(state, card)
                lack(state, event[1], card >> 2)
                state.phase = WAITING
        elif kind == "rolled" or kind == "searched":
            state.dice = event[2:4]
            found: list[int] = event[4]
            state.fish = found
            state.phase = FISH if found else ASK
            if not state.player_searches or not found:
                possible = POSSIBLE[7 * state.dice[0] + state.dice[1]]
                if len(found) < len(possible):
                    for rank in possible:
                        if rank not in found:
                            state.deck_lacks |= 1 << rank
        elif kind == "asked":
            change_hands(state, event)
        elif kind == "fished":
            take_out(state, event)
        elif kind == "declined":
            end_turn(state)
        elif kind == "dealt":
            give_hand(state, event)
        elif kind == "stopped":
            if state.held[state.turn]:
                end_turn(state)
            else:  # an asked card emptied both hands: the asker's is next (PF-16)
                state.phase = WAITING
        elif kind == "salvaged":
            card = event[2]
            state.discard.pop(nearest_top(state.discard, card >> 2))
            state.in_discard[card >> 2] -= 1
            lay(state, event[1], card, event[3])
            state.phase = SALVAGE if state.held[event[1]] else WAITING
        elif kind == "took":
            card = state.discard.pop()
            state.in_discard[card >> 2] -= 1
            lay(state, event[1], card, event[3])
            state.phase = DRAW if state.held[event[1]] else WAITING
        elif kind == "passed":
            state.actor = (state.actor + 1) % state.seats
            if state.actor == state.turn:
                end_search(state)
        elif kind == "shuffled":
            state.deck = event[2][::-1]
            end_search(state)
        elif kind == "ended":
            state.phase = OVER
            state.termination = event[1]
        elif kind == "turned":
            card = state.deck.pop()
            state.in_deck[card >> 2] -= 1
            put_down(state, card)
            state.phase = DRAW if state.deck else WAITING
        elif kind == "stacked":
            state.deck = event[1][::-1]
            for card in state.deck:
                state.in_deck[card >> 2] += 1

    def action_of(self, state: State, event: Event) -> tuple[int, int]:
        """(seat, action) that a decision's first event came from. ValueError for what begins no decision."""
        kind: str = event[0]
        if kind == "asked":
            return event[1], ASK_FOR + KINDS_OF_CARD * int(event[2]) + int(event[3])
        if kind == "fished":
            return event[1], FISH_FOR + (event[2] >> 2)
        if kind == "salvaged":
            return event[1], SALVAGE_FOR + (event[2] >> 2)
        if kind in PLAIN_MOVES:
            return event[1], PLAIN_MOVES[kind]
        raise ValueError(f"No move begins with {kind!r}.")

    def observation(self, state: State, seat: int | None) -> dict[str, Any]:
        """All that `seat` may know: its own hand, and what has been shown to everybody (PF-13).

        `shown` has the cards of each hand that all have seen; `lacks` the ranks that all know it lacks, `asked`
        those for which its owner asked in vain, `deck_lacks` those of which the deck has none. `discard` reads from the
        bottom up. `ranks` are those that the dice allow, `fish` those of them that the deck holds: null while the
        roller alone knows (PF-12), who then has `deck_order` too, the top card first. `phase` is one of `PHASES`.
        """
        roller: bool = state.player_searches and state.phase == FISH and seat == state.turn
        dice = state.dice
        return {
            "seat": seat,
            "seats": state.seats,
            "searcher": "player" if state.player_searches else "dealer",
            "turn_limit": state.turn_limit,
            "turns": state.turns,
            "turn": state.turn if state.phase != OVER else None,
            "phase": PHASES[state.phase],
            "to_act": self.to_act(state),
            "hand": None if seat is None else [card_text(card) for card in state.hands[seat] if card >= 0],
            "hand_counts": state.held[:],
            "shown": [shown_cards(state, other) for other in range(state.seats)],
            "lacks": [ranks_in(ranks) for ranks in state.lacks],
            "asked": [ranks_in(ranks) for ranks in state.asked],
            "deck_lacks": ranks_in(state.deck_lacks),
            "matches": [pairs_of(cards) for cards in state.laid],
            "scores": [len(cards) // 2 for cards in state.laid],
            "deck": len(state.deck),
            "deck_order": [card_text(card) for card in reversed(state.deck)] if roller else None,
            "discard": [card_text(card) for card in state.discard],
            "dice": dice[:],
            "ranks": rank_texts(POSSIBLE[7 * dice[0] + dice[1]]) if dice else [],
            "fish": None if state.player_searches and state.fish and not roller else rank_texts(state.fish),
        }

    def redact(self, event: Event, seat: int | None) -> Event:
        """`event` as `seat` may see it: without the deck's order, other hands, or what another roller sees (PF-13)."""
        kind: str = event[0]
        if kind in OPEN:
            return event
        if kind == "dealt":
            return event if event[1] == seat else [*event[:4], [None] * len(event[4])]
        if kind == "searched":
            return event if event[1] == seat else [*event[:4], None]
        if kind == "stacked" or kind == "shuffled":
            return [*event[:-1], [None] * len(event[-1])]
        return REDACTED

    def readable(self, event: Event) -> dict[str, Any]:
        """`event` with names; cards and ranks as text, None for what is hidden or is not there."""
        kind: str = event[0]
        match event:
            case ["stacked", deck]:
                return {"type": kind, "deck": texts(deck)}
            case ["turned", card]:
                return {"type": kind, "card": card_text(card)}
            case ["ended", termination]:
                return {"type": kind, "termination": termination}
            case ["dealt", seat, die, laid, kept]:
                return {"type": kind, "seat": seat, "die": die, "matches": pairs_of(laid), "kept": texts(kept)}
            case ["drew" | "took" | "fished" | "salvaged", seat, card, mate]:
                return {"type": kind, "seat": seat, "card": card_text(card), "mate": text_of(mate)}
            case ["rolled" | "searched", seat, a, b, held]:
                fishes = None if held is None else rank_texts(held)
                ranks = rank_texts(POSSIBLE[7 * a + b])
                return {"type": kind, "seat": seat, "dice": [a, b], "ranks": ranks, "fish": fishes}
            case ["asked", seat, other, rank, card, mate]:
                return {
                    "type": kind,
                    "seat": seat,
                    "other": other,
                    "rank": RANKS[rank],
                    "card": text_of(card),
                    "mate": text_of(mate),
                }
            case ["shuffled", seat, deck]:
                return {"type": kind, "seat": seat, "deck": texts(deck)}
            case ["declined" | "passed" | "stopped", seat]:
                return {"type": kind, "seat": seat}
        return {"type": kind}

    def outcome(self, state: State) -> Outcome | None:
        """Matches, the most of which win (PF-17); None while the game is on."""
        if state.phase != OVER:
            return None
        scores, places = self.standing(state)
        return Outcome(state.termination, scores, places)

    def standing(self, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(matches, placings) as they lie on the table now (PF-17)."""
        scores = [len(cards) // 2 for cards in state.laid]
        return tuple(scores), placings(scores, best=self.spec.best)

    def move_text(self, state: State, action: int) -> str:
        """`draw deck`, `fish 7`, `ask 2 7`, `salvage 7`, `stop`."""
        return TEXTS[action]

    def parse_move(self, state: State, text: str) -> int:
        """The action that `text` names. Raises `MalformedMove`."""
        action = ACTIONS.get(text)
        if action is None:
            raise MalformedMove(self.spec.notation)
        return action


# The moves that name no rank, by the event that they begin with.
PLAIN_MOVES: Final[dict[str, int]] = {
    "drew": DRAW_DECK,
    "took": DRAW_DISCARD,
    "declined": DECLINE,
    "shuffled": DEMAND,
    "passed": PASS,
    "stopped": STOP,
}
# Events in which nothing is hidden from anybody.
OPEN: Final = frozenset(
    ("turned", "drew", "took", "rolled", "fished", "asked", "declined", "passed", "salvaged", "stopped", "ended")
)


def text_of(card: int) -> str | None:
    """A card as text, None for NONE."""
    return None if card == NONE else card_text(card)


def texts(cards: Sequence[int | None]) -> list[str | None]:
    """Cards as text, None where one is hidden."""
    return [None if card is None else card_text(card) for card in cards]


def rank_texts(ranks: Sequence[int]) -> list[str]:
    """Ranks as text."""
    return [RANKS[rank] for rank in ranks]


def pairs_of(cards: Sequence[int]) -> list[list[str]]:
    """Laid cards as text, match by match."""
    return [[card_text(cards[place]), card_text(cards[place + 1])] for place in range(0, len(cards), 2)]


def shown_cards(state: State, seat: int) -> list[str]:
    """The cards in the hand of `seat` that everybody has seen, as text."""
    seen = state.shown[seat]
    return [card_text(card) for rank, card in enumerate(state.hands[seat]) if seen >> rank & 1]


def ranks_in(bits: int) -> str:
    """The ranks whose bits are set, as text."""
    return "".join([RANKS[rank] for rank in range(KINDS_OF_CARD) if bits >> rank & 1])


def nearest_top(cards: list[int], rank: int) -> int:
    """Where in `cards`, whose top is the last, the card of `rank` nearest the top lies; there is one."""
    place = len(cards)
    for card in reversed(cards):
        place -= 1
        if card >> 2 == rank:
            break
    return place


# What follows from a move


def draw(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """From the deck or the discard pile; a match starts the turn over, none leads to the roll (PF-5 to PF-8)."""
    if action == DRAW_DISCARD:
        return draw_discard(state, seat, dealer)
    if action != DRAW_DECK:
        raise refuse_action(state)
    deck = state.deck
    card = deck[-1]
    mate = state.hands[seat][card >> 2]
    events: list[Event] = [["drew", seat, card, mate]]
    if len(deck) == 1:
        events.append(["ended", RULES])
    elif mate < 0:
        events.append(roll(state, seat, card >> 2, dealer))
    elif state.held[seat] == 1:
        events += new_hand(seat, state.dealt[seat], deck[:-1], dealer)
    return events


def draw_discard(state: State, seat: int, dealer: Dealer) -> list[Event]:
    """The top card of the discard pile, which must make a match (PF-5). Raises `IllegalMove`."""
    if not state.discard:
        raise IllegalMove("no_discard", "PF-5", "The discard pile is empty: draw deck.")
    card = state.discard[-1]
    mate = state.hands[seat][card >> 2]
    if mate < 0:
        sentence = f"You hold no {RANKS[card >> 2]}, so you may not take the one on the discard pile: draw deck."
        raise IllegalMove("no_match", "PF-5", sentence)
    events: list[Event] = [["took", seat, card, mate]]
    if state.held[seat] == 1:
        events += new_hand(seat, state.dealt[seat], state.deck[:], dealer)
    return events


def roll(state: State, seat: int, drawn: int, dealer: Dealer) -> Event:
    """Two dice, and which ranks `seat` may take from the deck, now that a card of rank `drawn` has left it (PF-8)."""
    a, b = dealer.dice(f"roll/turn{state.turns + 1}", 2)
    left = state.in_deck
    held = [rank for rank in POSSIBLE[7 * a + b] if left[rank] > (rank == drawn)]
    return ["searched" if held and state.player_searches else "rolled", seat, a, b, held]


def fish(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """The copy nearest the top leaves the deck (PF-9); the turn ends, or an opponent may ask for a shuffle (PF-12)."""
    rank = action - FISH_FOR
    if rank not in state.fish:
        raise refuse_action(state)
    place = nearest_top(state.deck, rank)
    mate = state.hands[seat][rank]
    events: list[Event] = [["fished", seat, state.deck[place], mate]]
    if len(state.deck) == 1:
        events.append(["ended", RULES])
    elif state.player_searches:
        return events
    elif mate >= 0 and state.held[seat] == 1:
        events += new_hand(seat, state.dealt[seat], [*state.deck[:place], *state.deck[place + 1 :]], dealer)
    else:
        events += limit(state)
    return events


def answer_shuffle(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """`seat` asks for a shuffle or not; the first who does ends the questions (PF-12)."""
    deck = state.deck
    events: list[Event]
    if action == DEMAND:
        order = dealer.shuffle(f"shuffle/turn{state.turns + 1}", deck[::-1])
        deck = order[::-1]
        events = [["shuffled", seat, order]]
    elif action != PASS:
        raise refuse_action(state)
    else:
        events = [["passed", seat]]
        if (seat + 1) % state.seats != state.turn:
            return events
    if state.held[state.turn]:
        return events + limit(state)
    return events + new_hand(state.turn, state.dealt[state.turn], deck[:], dealer)


def ask(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """One opponent for one rank, or nobody; the turn ends, after new hands for whoever's is empty (PF-10, PF-16)."""
    if action == DECLINE:
        return [["declined", seat], *limit(state)]
    if action < ASK_FOR:
        raise refuse_action(state)
    other, rank = divmod(action - ASK_FOR, KINDS_OF_CARD)
    if other >= state.seats:
        raise IllegalMove("no_such_seat", "PF-10", f"There is no seat {other}: seats are 0 to {state.seats - 1}.")
    if other == seat:
        raise IllegalMove("own_seat", "PF-10", "You ask one of your opponents, not yourself.")
    card = state.hands[other][rank]
    if card < 0:
        return [["asked", seat, other, rank, NONE, NONE], *limit(state)]
    mate = state.hands[seat][rank]
    events: list[Event] = [["asked", seat, other, rank, card, mate]]
    if state.held[other] == 1:
        return events + new_hand(other, state.dealt[other], state.deck[:], dealer)
    if mate >= 0 and state.held[seat] == 1:
        return events + new_hand(seat, state.dealt[seat], state.deck[:], dealer)
    return events + limit(state)


def salvage(state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
    """A match from the discard pile for a new hand, or no more of them (PF-15, PF-16). Raises `IllegalMove`."""
    if action == STOP:
        asker = state.turn
        if state.held[asker]:
            return [["stopped", seat], *limit(state)]
        return [["stopped", seat], *new_hand(asker, state.dealt[asker], state.deck[:], dealer)]
    rank = action - SALVAGE_FOR
    if not 0 <= rank < KINDS_OF_CARD:
        raise refuse_action(state)
    mate = state.hands[seat][rank]
    if mate < 0:
        raise IllegalMove("card_not_held", "PF-15", f"You hold no {RANKS[rank]} to make a match with.")
    if not state.in_discard[rank]:
        raise IllegalMove("not_in_discard", "PF-15", f"There is no {RANKS[rank]} in the discard pile.")
    card = state.discard[nearest_top(state.discard, rank)]
    events: list[Event] = [["salvaged", seat, card, mate]]
    if state.held[seat] == 1:
        events += new_hand(seat, state.dealt[seat], state.deck[:], dealer)
    return events


def limit(state: State) -> list[Event]:
    """The end, if the turn that ends now is the last that the turn limit allows."""
    return [["ended", TURN_LIMIT]] if state.turns + 1 >= state.turn_limit else []


def deal_hand(seat: int, number: int, deck: list[int], dealer: Dealer) -> list[Event]:
    """Hand `number` of `seat`, taken off the top of `deck`: what is laid down and what stays (PF-1, PF-2)."""
    [die] = dealer.dice(f"die/seat{seat}/{number}", 1)
    waiting: dict[int, int] = {}
    laid: list[int] = []
    for _ in range(min(max(die, LEAST), len(deck))):
        card = deck.pop()
        mate = waiting.pop(card >> 2, NONE)
        if mate == NONE:
            waiting[card >> 2] = card
        else:
            laid += [mate, card]
    return [["dealt", seat, die, laid, list(waiting.values())]]


def new_hand(seat: int, dealt: int, deck: list[int], dealer: Dealer) -> list[Event]:
    """Hands for `seat`, which has had `dealt`, until one keeps a card or `deck` is empty (PF-14, PF-17)."""
    events: list[Event] = []
    while True:
        dealt += 1
        events += deal_hand(seat, dealt, deck, dealer)
        if not deck:
            events.append(["ended", RULES])
            return events
        if events[-1][4]:
            return events


# Why a move is refused


def refuse_seat(state: State) -> IllegalMove:
    """Why a seat that is not to act may not move."""
    if state.phase == OVER:
        return IllegalMove("game_over", "PF-17", "The game is over.")
    if state.phase < DRAW:
        return IllegalMove("nobody_to_act", "PF-3", "Nobody is to move now.")
    return IllegalMove("not_your_move", DUTIES[state.phase][0], f"It is for seat {state.actor} to move.")


def refuse_action(state: State) -> IllegalMove:
    """Why a move of another phase may not be made, or another rank be fished for."""
    clause, sentence = DUTIES[state.phase]
    if state.phase == FISH:
        choices = " or ".join([TEXTS[FISH_FOR + rank] for rank in state.fish])
        return IllegalMove("must_fish", clause, f"{sentence}: {choices}.")
    return IllegalMove(f"must_{PHASES[state.phase]}", clause, sentence)


# How an event moves a state on


def lay(state: State, seat: int, card: int, mate: int) -> None:
    """`card` and its `mate`, which leaves the hand, are laid down (PF-2)."""
    rank = mate >> 2
    state.hands[seat][rank] = NONE
    state.held[seat] -= 1
    state.shown[seat] &= ~(1 << rank)
    lack(state, seat, rank)
    state.laid[seat] += (card, mate)


def keep(state: State, seat: int, card: int) -> None:
    """`card`, which everybody sees, stays in the hand (PF-11, PF-13)."""
    rank = card >> 2
    state.hands[seat][rank] = card
    state.held[seat] += 1
    state.shown[seat] |= 1 << rank
    state.lacks[seat] &= ~(1 << rank)
    state.asked[seat] &= ~(1 << rank)


def lack(state: State, seat: int, rank: int) -> None:
    """Everybody sees that the hand has no card of `rank`, whatever was asked for (PF-13)."""
    state.lacks[seat] |= 1 << rank
    state.asked[seat] &= ~(1 << rank)


def put_down(state: State, card: int) -> None:
    """`card` goes on top of the discard pile."""
    state.discard.append(card)
    state.in_discard[card >> 2] += 1


def end_turn(state: State) -> None:
    """The next seat clockwise is to draw."""
    state.turns += 1
    state.turn = (state.turn + 1) % state.seats
    state.actor = state.turn
    state.dice = []
    state.fish = []
    state.phase = DRAW


def take_out(state: State, event: Event) -> None:
    """A card leaves the deck for a hand, or a match (PF-9); with `searcher: player` the questions follow (PF-12)."""
    seat: int = event[1]
    card: int = event[2]
    state.deck.pop(nearest_top(state.deck, card >> 2))
    state.in_deck[card >> 2] -= 1
    if event[3] >= 0:
        lay(state, seat, card, event[3])
    else:
        keep(state, seat, card)
    if not state.deck:
        state.phase = WAITING
    elif state.player_searches:
        state.phase = SHUFFLE
        state.actor = (seat + 1) % state.seats
    else:
        end_search(state)


def end_search(state: State) -> None:
    """The turn is over, unless its player is to have a new hand first (PF-14, PF-16)."""
    if state.held[state.turn]:
        end_turn(state)
    else:
        state.phase = WAITING


def change_hands(state: State, event: Event) -> None:
    """An asked card goes from one hand to another, or a match (PF-10, PF-11)."""
    seat: int = event[1]
    other: int = event[2]
    rank: int = event[3]
    card: int = event[4]
    lack(state, other, rank)
    if card < 0:
        if not (state.shown[seat] | state.lacks[seat]) >> rank & 1:
            state.asked[seat] |= 1 << rank
    else:
        state.hands[other][rank] = NONE
        state.held[other] -= 1
        state.shown[other] &= ~(1 << rank)
        if event[5] >= 0:
            lay(state, seat, card, event[5])
        else:
            keep(state, seat, card)
        if not state.held[other] or not state.held[seat]:
            state.phase = WAITING
            return
    end_turn(state)


def give_hand(state: State, event: Event) -> None:
    """A seat gets a hand from the top of the deck (PF-14), and may salvage, but not while the game is set up (PF-4)."""
    seat: int = event[1]
    laid: list[int] = event[3]
    kept: list[int] = event[4]
    for card in state.deck[len(state.deck) - len(laid) - len(kept) :]:
        state.in_deck[card >> 2] -= 1
    del state.deck[len(state.deck) - len(laid) - len(kept) :]
    for card in kept:
        state.hands[seat][card >> 2] = card
    state.held[seat] = len(kept)
    state.lacks[seat] = state.deck_lacks
    state.asked[seat] = 0
    state.laid[seat] += laid
    state.dealt[seat] += 1
    if state.phase != SETTING_UP:
        state.actor = seat
        state.phase = SALVAGE if kept and state.deck else WAITING
