"""Palace: be the first to get rid of every card (docs/rules/palace.md, clauses PA-1 … PA-25).

Events
------
``["dealt", under, hands, turned, card, stack]``      under and hands by seat; wild cards that were turned up and went
                                                      back (PA-3), the card that starts the pile or null, the stack
``["chose", seat, cards]``                            three cards for the upper palace, hidden until all have chosen
``["laid", upper, leader]``                           the upper palaces are shown (PA-2), and who starts (PA-4)
``["played", seat, cards, clears, last]``             cards of one rank from the hand
``["drew", seat, cards]``                             the hand is refilled (PA-15)
``["raised", seat, cards]``                           the upper palace comes into the hand (PA-18)
``["threw", seat, cards, clears, last]``              a quick throw (PA-16)
``["chanced", seat, card]``                           the top of the stack is drawn and looked at (PA-9)
``["risked", seat, card, clears]``                    the chanced card is played
``["kept", seat, count]``                             the chanced card is kept, and the pile of so many cards taken
``["took", seat, count]``                             the discard pile is taken (PA-8, PA-10)
``["turned", seat, position, card, clears, last]``    a face-down card is played (PA-19)
``["failed", seat, position, card, count, last]``     it may not be played: the pile of so many cards is taken with it
``["looked", seat, position, card]``                  a face-down card comes into the hand (PA-20)
``["called", seat, owner, count]``                    the owner did not say "last card" and takes the pile (PA-24)
``["ended", termination]``                            the game is over by its own rules or its turn limit

`clears` says whether the play clears the pile, `last` whether "last card" was declared with it; both are 0 or 1.

A pass (PA-16) has no event: it changes nothing, and a version of its own would tell the others that its player could
have thrown. The way to say no is to let somebody else move.

Actions
-------
An int, by kind: a play is ``rank << 5 | count - 1``, a throw the same with `THROW`, each with `LAST` where it declares
the last card; see `all_moves` for the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, combinations_with_replacement
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
    OptionError,
    Options,
    Outcome,
    Spec,
)
from games.engines.cards import ACE, JOKER_RANK, RANKS, TEN, TEXTS, packs

HAND: Final = 6
PALACE: Final = 3  # cards of each of its two layers
REFILL: Final = 3  # so many cards a hand has while the stack lasts (PA-15)
SET: Final = 4  # so many of a rank may be played on anything, and clear in a row (PA-7, PA-13)
JOKERS: Final = 2  # of one pack

TWO: Final = 1
JOKER: Final = JOKER_RANK
RANK_COUNT: Final = 14
EMPTY: Final = 14  # the current card where there is none, and the top of an empty pile
WILDS: Final = (ACE, TWO, TEN, JOKER)
GONE: Final = -1  # a face-down card that left its place
NOBODY: Final = -1
NO_CARD: Final = -1
FACE_DOWN: Final = "??"

BEFORE: Final = 0
CHOOSE: Final = 1  # everybody chooses an upper palace
PLAY: Final = 2
DRAWN: Final = 3  # a chanced card waits for its player's choice
LOOK: Final = 4  # a face-down card was played: which of the two others is looked at?
OVER: Final = 5
PHASES: Final = ("before", "choose", "play", "drawn", "look", "over")

MOST: Final = 24  # six packs have so many cards of a rank
LAST: Final = 1 << 9
THROW: Final = 1 << 10
TURN: Final = 1 << 11  # | position
CALL: Final = 1 << 12  # | seat
TAKE: Final = 1 << 13
CHANCE: Final = TAKE + 1
PLAY_DRAWN: Final = TAKE + 2
KEEP: Final = TAKE + 3
PASS: Final = TAKE + 4
CHOICE: Final = 1 << 14  # | index in TRIPLES

TRIPLES: Final = list(combinations_with_replacement(range(RANK_COUNT), PALACE))
TRIPLE_ACTIONS: Final = {triple: CHOICE | index for index, triple in enumerate(TRIPLES)}


def all_moves() -> dict[str, int]:
    """Every text that is a move of Palace at all, with its action."""
    moves = {"take": TAKE, "chance": CHANCE, "play drawn": PLAY_DRAWN, "keep": KEEP, "pass": PASS}
    for rank in range(RANK_COUNT):
        for count in range(1, MOST + 1):
            for verb, kind in (("play", 0), ("throw", THROW)):
                text = f"{verb} {RANKS[rank] * count}"
                moves[text] = kind | rank << 5 | count - 1
                moves[f"{text} last"] = kind | LAST | rank << 5 | count - 1
    for position in range(PALACE):
        moves[f"turn {position}"] = TURN | position
        moves[f"turn {position} last"] = TURN | LAST | position
    for seat in range(6):
        moves[f"call {seat}"] = CALL | seat
    for triple, action in TRIPLE_ACTIONS.items():
        moves["palace " + "".join([RANKS[rank] for rank in triple])] = action
    return moves


ACTIONS: Final = all_moves()
MOVES: Final = {action: text for text, action in ACTIONS.items()}
# By rank and by how many are held, the plays of one card and more; by how many, those of four and more (PA-7).
PLAYS: Final = [[[rank << 5 | k for k in range(n)] for n in range(MOST + 1)] for rank in range(RANK_COUNT)]
SETS: Final = [[[rank << 5 | k for k in range(SET - 1, n)] for n in range(MOST + 1)] for rank in range(RANK_COUNT)]


def fitting(current: int, *, resets: bool, reverses: bool) -> list[int]:
    """The ranks that may be played on `current` (PA-5, PA-6, PA-10, PA-25)."""
    if current in (EMPTY, TWO) or (current == ACE and resets):
        return list(range(RANK_COUNT))
    if current == ACE:
        return [ACE, JOKER] if reverses else [ACE]
    return [rank for rank in range(RANK_COUNT) if rank >= current or rank in WILDS]


def fits_by_current(*, resets: bool, reverses: bool) -> list[list[int]]:
    """`fitting` for each current card; a row that is empty belongs to a rank that never is current."""
    return [fitting(current, resets=resets, reverses=reverses) for current in range(EMPTY + 1)]


FITS: Final = {
    (resets, reverses): fits_by_current(resets=resets, reverses=reverses)
    for resets in (False, True)
    for reverses in (False, True)
}

SPEC: Final = Spec(
    kind="palace",
    title="Palace",
    rules_version=1,
    seats_min=2,
    seats_max=6,
    options=(
        Option("packs", "int", None, "Packs shuffled together; usually one for every two players.", 1, 6),
        Option("jokers", "bool", True, "Whether each pack has its two jokers."),
        Option(
            "start",
            "choice",
            "worst",
            "Who starts: the worst upper palace, or the seat on the dealer's left.",
            choices=("worst", "left"),
        ),
        Option(
            "ace",
            "choice",
            "threat",
            "An Ace makes the next player take the pile, or it resets the pile as a 2 does.",
            choices=("threat", "reset"),
        ),
        Option(
            "joker",
            "choice",
            "clear",
            "A joker clears the pile, or it turns the direction of play round.",
            choices=("clear", "reverse"),
        ),
        Option(
            "placings",
            "choice",
            "winner",
            "The game ends with the winner and all others share second place, or they play on for their places.",
            choices=("winner", "play_on"),
        ),
        Option("last_card_call", "bool", False, "Whether who is left with one card must say so, or may be called out."),
        Option("turn_limit", "int", 2000, "After the turn has passed so often the game ends as it stands.", 1, 10**6),
    ),
    notation=(
        "A move is written palace 9QK (three cards in rank order), play 88, chance, play drawn, keep, take, turn 0, "
        "throw 8, pass or call 2; play, throw and turn may end in `last`. Ranks are A 2 3 4 5 6 7 8 9 T J Q K *."
    ),
    best="lowest",
)


class PalaceState:
    """Where a game stands.

    `hands[seat][rank]` holds the cards of that rank as they came, `held[seat]` is how many there are in all. `under`
    has three places, `GONE` where a card has left; `unders` counts the rest, and `known` is set where the last of them
    was turned up in vain (PA-21). `upper` is empty before the choice and once it was taken up. `stack[at:]` is face
    down. `current` is the rank to be met, `EMPTY` for none; `top` and `run` are the rank on top of the pile and how
    many of it lie in a row. `must` is set while a 2 demands a play, `owed` during a look whose player goes on.

    `thrower` ended the last turn with a play of `thrown`, and has since drawn `drawn` cards that were not thrown, of
    which `fresh` may be (PA-16). `uncalled` has a bit for each seat that can be called out (PA-24). `out` are the
    seats without cards, in order.
    """

    __slots__ = (
        "at",
        "calls",
        "chanced",
        "cleared",
        "current",
        "direction",
        "drawn",
        "fits",
        "fresh",
        "hands",
        "held",
        "known",
        "must",
        "options",
        "out",
        "owed",
        "phase",
        "pile",
        "play_on",
        "resets",
        "reverses",
        "run",
        "seats",
        "stack",
        "termination",
        "thrower",
        "thrown",
        "top",
        "turn",
        "turn_limit",
        "turned",
        "turns",
        "uncalled",
        "under",
        "unders",
        "upper",
    )

    def __init__(self, seats: int, options: Options) -> None:
        self.seats: int = seats
        self.options: Options = options
        self.resets: bool = options["ace"] == "reset"
        self.reverses: bool = options["joker"] == "reverse"
        self.play_on: bool = options["placings"] == "play_on"
        self.calls: bool = options["last_card_call"]
        self.turn_limit: int = options["turn_limit"]
        self.fits: list[list[int]] = FITS[self.resets, self.reverses]
        self.phase: int = BEFORE
        self.turn: int = NOBODY
        self.turns: int = 0
        self.direction: int = 1
        self.hands: list[list[list[int]]] = [[[] for _ in range(RANK_COUNT)] for _ in range(seats)]
        self.held: list[int] = [0] * seats
        self.upper: list[list[int]] = [[] for _ in range(seats)]
        self.under: list[list[int]] = [[] for _ in range(seats)]
        self.unders: list[int] = [0] * seats
        self.known: list[int] = [0] * seats
        self.stack: list[int] = []
        self.at: int = 0
        self.turned: list[int] = []
        self.pile: list[int] = []
        self.cleared: list[int] = []
        self.current: int = EMPTY
        self.top: int = EMPTY
        self.run: int = 0
        self.must: int = 0
        self.owed: int = 0
        self.chanced: int = NO_CARD
        self.thrower: int = NOBODY
        self.thrown: int = EMPTY
        self.drawn: int = 0
        self.fresh: int = 0
        self.uncalled: int = 0
        self.out: list[int] = []
        self.termination: str = ""

    def copy(self) -> PalaceState:
        """An independent state. The stack is shared, for nothing ever changes it after the deal."""
        other = PalaceState(self.seats, self.options)
        other.phase, other.turn, other.turns, other.direction = self.phase, self.turn, self.turns, self.direction
        other.hands = [[cards[:] for cards in hand] for hand in self.hands]
        other.held = self.held[:]
        other.upper = [cards[:] for cards in self.upper]
        other.under = [cards[:] for cards in self.under]
        other.unders = self.unders[:]
        other.known = self.known[:]
        other.stack, other.at, other.turned = self.stack, self.at, self.turned
        other.pile = self.pile[:]
        other.cleared = self.cleared[:]
        other.current, other.top, other.run = self.current, self.top, self.run
        other.must, other.owed, other.chanced = self.must, self.owed, self.chanced
        other.thrower, other.thrown, other.drawn, other.fresh = self.thrower, self.thrown, self.drawn, self.fresh
        other.uncalled = self.uncalled
        other.out = self.out[:]
        other.termination = self.termination
        return other

    def plain(self) -> dict[str, Any]:
        """Every fact of the state as plain data."""
        return {
            "seats": self.seats,
            "options": dict(self.options),
            "phase": PHASES[self.phase],
            "turn": self.turn,
            "turns": self.turns,
            "direction": self.direction,
            "hands": [[card for cards in hand for card in cards] for hand in self.hands],
            "held": self.held[:],
            "upper": [cards[:] for cards in self.upper],
            "under": [cards[:] for cards in self.under],
            "unders": self.unders[:],
            "known": self.known[:],
            "stack": self.stack[self.at :],
            "turned": self.turned[:],
            "pile": self.pile[:],
            "cleared": self.cleared[:],
            "current": self.current,
            "top": self.top,
            "run": self.run,
            "must": self.must,
            "owed": self.owed,
            "chanced": self.chanced,
            "thrower": self.thrower,
            "thrown": self.thrown,
            "drawn": self.drawn,
            "fresh": self.fresh,
            "uncalled": self.uncalled,
            "out": self.out[:],
            "termination": self.termination,
        }


class Palace:
    """The rules of Palace."""

    def __init__(self) -> None:
        self.spec: Spec = SPEC

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Every option with its value (PA-1). Raises `OptionError`, also where the packs are too few."""
        resolved = self.spec.resolve(seats, options)
        if "packs" not in options:
            resolved["packs"] = -(-seats // 2)
        size = len(pack_of(resolved))
        least = (2 * PALACE + PALACE) * seats + 1
        if size < least:
            sentence = f"Option packs gives {size} cards, but {seats} players need {least}; take more packs."
            raise OptionError("packs", sentence)
        return resolved

    def initial(self, seats: int, options: Options) -> PalaceState:
        """The state before the deal."""
        return PalaceState(seats, options)

    def start(self, state: PalaceState, dealer: Dealer) -> list[Event]:
        """The deal (PA-2, PA-3), from the shuffle that is labelled `deal`; `deal/again1` … where a wild goes back."""
        order = dealer.shuffle("deal", pack_of(state.options))
        each = PALACE + HAND
        under = [order[each * seat : each * seat + PALACE] for seat in range(state.seats)]
        hands = [order[each * seat + PALACE : each * (seat + 1)] for seat in range(state.seats)]
        stack = order[each * state.seats :]
        turned: list[int] = []
        while stack[0] >> 2 in WILDS:
            turned.append(stack[0])
            stack = dealer.shuffle(f"deal/again{len(turned)}", stack)
            if all(card >> 2 in WILDS for card in stack):
                return [["dealt", under, hands, turned, None, stack]]
        return [["dealt", under, hands, turned, stack[0], stack[1:]]]

    def to_act(self, state: PalaceState) -> list[int]:
        """Who may throw, then the seat on turn, then who can only call out (PA-16, PA-24)."""
        if state.phase == PLAY:
            if state.fresh:
                return acting(state, state.thrower)
            return acting(state, NOBODY) if state.uncalled else [state.turn]
        if state.phase == CHOOSE:
            return self.awaited(state)
        return acting(state, NOBODY) if state.phase == DRAWN or state.phase == LOOK else []

    def to_act_seen(self, state: PalaceState, viewer: int | None) -> list[int]:
        """`to_act` as `viewer` may know it: for others, who drew after a play might throw at any time (PA-16)."""
        if state.phase != PLAY or viewer == state.thrower:
            return self.to_act(state)
        return acting(state, state.thrower if state.drawn else NOBODY)

    def awaited(self, state: PalaceState) -> list[int]:
        """The seats without which the game does not go on; nobody waits for a throw or a call."""
        if state.phase == CHOOSE:
            return [seat for seat in range(state.seats) if not state.upper[seat]]
        return [state.turn] if PLAY <= state.phase <= LOOK else []

    def legal_actions(self, state: PalaceState, seat: int) -> list[int]:
        """Every action open to `seat` now."""
        phase = state.phase
        if phase == PLAY:
            if seat == state.turn:
                actions = turn_actions(state, seat)
            elif state.fresh and seat == state.thrower:
                actions = throw_actions(state, seat)
            else:
                actions = []
        elif phase == CHOOSE:
            return [] if state.upper[seat] else choices(state, seat)
        elif phase in (BEFORE, OVER):
            return []
        elif seat != state.turn:
            actions = []
        elif phase == DRAWN:
            actions = [PLAY_DRAWN, KEEP] if may_play(state, state.chanced >> 2, 1) else [KEEP]
        else:
            actions = [TURN | position for position in range(PALACE) if state.under[seat][position] != GONE]
        if state.uncalled and seat not in state.out:
            actions += [CALL | owner for owner in range(state.seats) if state.uncalled >> owner & 1 and owner != seat]
        return actions

    def decide(self, state: PalaceState, seat: int, action: int, dealer: Dealer) -> list[Event]:
        """What `action` leads to; [] for a pass. Draws nothing. Raises `IllegalMove`."""
        if action not in MOVES:
            raise IllegalMove("no_such_move", "PA-6", f"There is no move of Palace with the number {action}.")
        phase = state.phase
        if seat == state.turn and phase == PLAY:
            if action < THROW:
                return play(state, seat, action)
            if TURN <= action < CALL:
                return turn_up(state, seat, action)
            if action == TAKE:
                return take(state, seat)
            if action == CHANCE:
                return chance(state, seat)
        if phase in (BEFORE, OVER):
            raise IllegalMove("nobody_to_act", "PA-22", "Nobody is to move: no game is being played.")
        if phase == CHOOSE or action >= CHOICE:
            return choose(state, seat, action)
        if CALL <= action < TAKE:
            return call_out(state, seat, action - CALL)
        if action == PASS or THROW <= action < TURN:
            return throw(state, seat, action)
        if seat != state.turn:
            raise IllegalMove("not_your_turn", "PA-6", f"It is the turn of seat {state.turn}.")
        if phase == DRAWN:
            return answer_chance(state, seat, action)
        if phase == LOOK:
            return look(state, seat, action)
        raise IllegalMove("nothing_drawn", "PA-9", "You have drawn no card; first write chance.")

    def apply(self, state: PalaceState, event: Event) -> None:
        """Move `state` on by one event."""
        kind: str = event[0]
        if kind == "played":
            apply_played(state, event[1], event[2], event[3], event[4])
        elif kind == "drew":
            apply_drew(state, event[1], event[2])
        elif kind == "took":
            take_pile(state, event[1])
            pass_turn(state, event[1])
        elif kind == "chanced":
            state.at += 1
            state.chanced = event[2]
            state.phase = DRAWN
            close_window(state)
        elif kind == "risked":
            apply_risked(state, event[1], event[2], event[3])
        elif kind == "kept":
            add_card(state, event[1], state.chanced)
            state.chanced = NO_CARD
            take_pile(state, event[1])
            pass_turn(state, event[1])
        elif kind == "threw":
            apply_threw(state, event[1], event[2], event[3], event[4])
        elif kind == "turned":
            apply_turned(state, event[1], event[2], event[3], event[4], event[5])
        elif kind == "failed":
            apply_failed(state, event[1], event[2], event[3])
        elif kind == "looked":
            apply_looked(state, event[1], event[2], event[3])
        elif kind == "raised":
            for card in event[2]:
                add_card(state, event[1], card)
            state.upper[event[1]] = []
        elif kind == "called":
            state.uncalled &= ~(1 << event[2])
            take_pile(state, event[2])
        elif kind == "chose":
            apply_chose(state, event[1], event[2])
        elif kind == "laid":
            state.turn = event[2]
            state.phase = PLAY
        elif kind == "dealt":
            apply_dealt(state, event)
        elif kind == "ended":
            state.phase = OVER
            state.termination = event[1]

    def action_of(self, state: PalaceState, event: Event) -> tuple[int, int]:
        """(seat, action) that a decision's first event came from. ValueError for what begins no decision."""
        kind: str = event[0]
        if kind == "played" or kind == "threw":
            cards: list[int] = event[2]
            declared = LAST if event[4] else 0
            return event[1], (THROW if kind == "threw" else 0) | declared | cards[0] >> 2 << 5 | len(cards) - 1
        if kind == "turned" or kind == "failed":
            return event[1], TURN | (LAST if event[5] else 0) | event[2]
        if kind == "looked":
            return event[1], TURN | event[2]
        if kind == "called":
            return event[1], CALL | event[2]
        if kind == "chose":
            return event[1], choice_of(event[2])
        simple = {"took": TAKE, "chanced": CHANCE, "risked": PLAY_DRAWN, "kept": KEEP}
        if kind not in simple:
            raise ValueError(f"No move begins with {kind!r}.")
        return event[1], simple[kind]

    def observation(self, state: PalaceState, seat: int | None) -> dict[str, Any]:
        """All that `seat` may know (PA-2, PA-9, PA-15, PA-16, PA-20, PA-21).

        `seats` has for each seat its `hand` (null where it is hidden) and `hand_count`, the `upper` palace ("??" where
        a choice is not shown yet), the `under` palace (three positions: "??" face down, null where the card has left,
        a card where everybody has seen it), the `drawn` card of a chance, `cards` left in all, and `place`, null while
        it is in the game. `pile` reads from the bottom up; `current` is the rank to be met, null for none; `run` counts
        the equal cards on top. `demanded` is true while a 2 must be followed by a play. `thrown` names the seat that
        drew after the last play and might throw that rank. `uncalled` seats can be called out. `direction` is 1 or −1.
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
            "to_act": self.to_act_seen(state, seat),
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

    def redact(self, event: Event, seat: int | None) -> Event:
        """`event` as `seat` may see it: hands, choices and what is drawn or looked at are their owner's alone."""
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

    def readable(self, event: Event) -> dict[str, Any]:
        """`event` with names; cards as text, null where they are hidden."""
        kind: str = event[0]
        if kind not in FIELDS:
            return {"type": kind}
        return {"type": kind, **{name: shown(name, value) for name, value in zip(FIELDS[kind], event[1:], strict=True)}}

    def outcome(self, state: PalaceState) -> Outcome | None:
        """How the game ended (PA-22, PA-23); None while it is on."""
        if state.phase != OVER:
            return None
        scores, places = self.standing(state)
        return Outcome(state.termination, scores, places)

    def standing(self, state: PalaceState) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(cards left, placings) as it stands: who is out in that order, then fewest cards, ties sharing.

        Where the winner ended the game by the rules, all others share the second place (PA-23).
        """
        scores = tuple([cards_of(state, seat) for seat in range(state.seats)])
        if state.out and not state.play_on:
            return scores, tuple([1 if seat == state.out[0] else 2 for seat in range(state.seats)])
        ranked = list(scores)
        for place, seat in enumerate(state.out):
            ranked[seat] = place - state.seats
        return scores, tuple([1 + sum([other < own for other in ranked]) for own in ranked])

    def move_text(self, state: PalaceState, action: int) -> str:
        """The move as a player writes it: `play 88 last`."""
        return MOVES[action]

    def parse_move(self, state: PalaceState, text: str) -> int:
        """The action that `text` names. Raises `MalformedMove`."""
        action = ACTIONS.get(text)
        if action is None:
            raise MalformedMove(SPEC.notation)
        return action


# Who may do what


def pack_of(options: Options) -> list[int]:
    """All cards of a game, in order (PA-1)."""
    return packs(options["packs"], JOKERS if options["jokers"] else 0)


def choice_of(cards: Sequence[int]) -> int:
    """The action that lays `cards` as an upper palace."""
    first, second, third = sorted([card >> 2 for card in cards])
    return TRIPLE_ACTIONS[first, second, third]


def acting(state: PalaceState, first: int) -> list[int]:
    """`first` unless it is nobody, the seat on turn, then clockwise those who can call somebody else out."""
    seats = [state.turn] if first == NOBODY else [first, state.turn]
    if state.uncalled:
        for step in range(1, state.seats):
            seat = (state.turn + step) % state.seats
            if seat not in state.out and seat not in seats and state.uncalled & ~(1 << seat):
                seats.append(seat)
    return seats


def may_play(state: PalaceState, rank: int, count: int) -> bool:
    """Whether `count` cards of `rank` may be played on the current card (PA-6, PA-7, PA-10)."""
    current = state.current
    if rank in state.fits[current]:
        return True
    return count >= SET and (current != ACE or state.resets)


def leaves_last(state: PalaceState, seat: int, count: int) -> bool:
    """Whether `count` cards from the hand leave their owner one face-down card and nothing else (PA-24)."""
    return state.calls and state.held[seat] == count and state.unders[seat] == 1 and not state.upper[seat]


def turn_actions(state: PalaceState, seat: int) -> list[int]:
    """What the seat on turn may do (PA-6 to PA-10, PA-12, PA-19)."""
    actions: list[int] = []
    held = state.held[seat]
    if held:
        hand = state.hands[seat]
        fits = state.fits[state.current]
        for rank in fits:
            cards = hand[rank]
            if cards:
                actions += PLAYS[rank][len(cards)]
        if held >= SET and len(fits) < RANK_COUNT and state.current != ACE:
            for rank in range(2, state.current):
                if len(hand[rank]) >= SET and rank not in fits:
                    actions += SETS[rank][len(hand[rank])]
        if state.calls and leaves_last(state, seat, held):
            actions += [action | LAST for action in actions if (action & 31) + 1 == held]
    else:
        positions = [TURN | position for position in (0, 1, 2) if state.under[seat][position] != GONE]
        actions += positions
        if state.calls and state.unders[seat] == 2:
            actions += [action | LAST for action in positions]
    if state.at < len(state.stack):
        actions.append(CHANCE)
    if state.pile and not state.must:
        actions.append(TAKE)
    return actions


def throw_actions(state: PalaceState, seat: int) -> list[int]:
    """The quick throws of `seat`, and the pass (PA-16)."""
    actions = [THROW | state.thrown << 5 | count for count in range(state.fresh)]
    if leaves_last(state, seat, state.fresh):
        actions.append(actions[-1] | LAST)
    actions.append(PASS)
    return actions


def choices(state: PalaceState, seat: int) -> list[int]:
    """Every choice of three ranks from the six cards of `seat` (PA-2)."""
    ranks = [rank for rank, cards in enumerate(state.hands[seat]) for _ in cards]
    return [TRIPLE_ACTIONS[triple] for triple in sorted(set(combinations(ranks, PALACE)))]


# Deciding: strict


def play(state: PalaceState, seat: int, action: int) -> list[Event]:
    """Cards of one rank from the hand (PA-6). Raises `IllegalMove`."""
    rank = action >> 5 & 15
    count = (action & 31) + 1
    cards = state.hands[seat][rank]
    if count > len(cards):
        raise IllegalMove("card_not_held", "PA-6", f"You do not hold {RANKS[rank] * count}.")
    if rank not in state.fits[state.current] and not may_play(state, rank, count):
        raise refuse_rank(state, rank)
    last = check_last(state, seat, count, action)
    clears = clears_with(state, rank, count)
    return follow(state, seat, ["played", seat, cards[:count], clears, last], rank, count)


def refuse_rank(state: PalaceState, rank: int) -> IllegalMove:
    """Why `rank` may not be played on the current card."""
    if state.current == ACE:
        answer = "an Ace or a joker" if state.reverses else "an Ace"
        return IllegalMove("threatened", "PA-10", f"An Ace lies on the pile: answer with {answer}, chance, or take.")
    current = RANKS[state.current]
    return IllegalMove("too_low", "PA-6", f"A {RANKS[rank]} is lower than the {current} that is to be met.")


def check_last(state: PalaceState, seat: int, count: int, action: int) -> int:
    """1 if "last card" is declared with `count` cards, else 0. Raises `IllegalMove` where it is not due (PA-24)."""
    if not action & LAST:
        return 0
    if leaves_last(state, seat, count):
        return 1
    raise no_last(state)


def no_last(state: PalaceState) -> IllegalMove:
    """Why "last card" may not be said with a move."""
    if state.calls:
        sentence = "Say last only with a move that leaves you one face-down card and nothing else."
    else:
        sentence = "The last card is not declared in this game; write the move without last."
    return IllegalMove("not_the_last", "PA-24", sentence)


def clears_with(state: PalaceState, rank: int, count: int) -> int:
    """1 if `count` cards of `rank` on top clear the pile (PA-11, PA-13), else 0."""
    if rank == TEN:
        return 1
    if rank == JOKER:
        return 0 if state.reverses else 1
    return 1 if (state.run if rank == state.top else 0) + count >= SET else 0


def goes_on(state: PalaceState, rank: int, clears: int) -> bool:
    """Whether a play from hand or palace grants another (PA-11 to PA-13)."""
    return clears == 1 or rank == TWO or (rank == ACE and state.resets)


def follow(state: PalaceState, seat: int, event: Event, rank: int, count: int) -> list[Event]:
    """`event`, by which `seat` plays `count` hand cards, then what it draws or takes up, and the end, if it is one."""
    events = [event]
    held = state.held[seat] - count
    out = False
    if held < REFILL:
        at = state.at
        if at < len(state.stack):
            events.append(["drew", seat, state.stack[at : at + REFILL - held]])
        elif held == 0:
            if state.upper[seat]:
                events.append(["raised", seat, state.upper[seat][:]])
            else:
                out = state.unders[seat] == 0
    if out:
        return [*events, *after_out(state)]
    if not goes_on(state, rank, event[3]):
        end_at_limit(state, events)
    return events


def after_out(state: PalaceState) -> list[Event]:
    """What follows when one more seat is out: the end, or nothing (PA-22, PA-23)."""
    if not state.play_on or len(state.out) + 2 >= state.seats:
        return [["ended", RULES]]
    events: list[Event] = []
    end_at_limit(state, events)
    return events


def end_at_limit(state: PalaceState, events: list[Event]) -> None:
    """End the game if the turn passes for the last time with these events (Options, `turn_limit`)."""
    if state.turns + 1 >= state.turn_limit:
        events.append(["ended", TURN_LIMIT])


def turn_up(state: PalaceState, seat: int, action: int) -> list[Event]:
    """A face-down card is turned up and played, or fails (PA-19, PA-21). Raises `IllegalMove`."""
    if state.held[seat]:
        raise IllegalMove("hand_first", "PA-17", "Palace cards may not be touched while you have cards in hand.")
    position = action & 3
    card = state.under[seat][position]
    if card == GONE:
        raise IllegalMove("no_such_card", "PA-19", f"No card lies at position {position} any more.")
    last = 0
    if action & LAST:
        if not state.calls or state.unders[seat] != 2:
            raise no_last(state)
        last = 1
    rank = card >> 2
    if not may_play(state, rank, 1):
        events: list[Event] = [["failed", seat, position, card, len(state.pile), last]]
        end_at_limit(state, events)
        return events
    clears = clears_with(state, rank, 1)
    events = [["turned", seat, position, card, clears, last]]
    if state.unders[seat] == 1:
        return [*events, *after_out(state)]
    if state.unders[seat] == 2 and not goes_on(state, rank, clears):  # with three, the look comes first
        end_at_limit(state, events)
    return events


def look(state: PalaceState, seat: int, action: int) -> list[Event]:
    """One of two face-down cards comes into the hand (PA-20). Raises `IllegalMove`."""
    if not TURN <= action < CALL:
        raise IllegalMove("look_first", "PA-20", "First look at one of your two face-down cards, as in turn 0.")
    if action & LAST:
        raise IllegalMove("not_the_last", "PA-24", "A look declares nothing; write it without last.")
    position = action & 3
    card = state.under[seat][position]
    if card == GONE:
        raise IllegalMove("no_such_card", "PA-20", f"No card lies at position {position} any more.")
    events: list[Event] = [["looked", seat, position, card]]
    if not state.owed:
        end_at_limit(state, events)
    return events


def take(state: PalaceState, seat: int) -> list[Event]:
    """The discard pile is taken (PA-8). Raises `IllegalMove`."""
    if state.must:
        raise IllegalMove("must_play", "PA-12", "After your 2 you must go on: play a card, or chance.")
    if not state.pile:
        raise IllegalMove("pile_empty", "PA-8", "The discard pile is empty; lead a card.")
    events: list[Event] = [["took", seat, len(state.pile)]]
    end_at_limit(state, events)
    return events


def chance(state: PalaceState, seat: int) -> list[Event]:
    """The top card of the stack is drawn (PA-9). Raises `IllegalMove`."""
    if state.at == len(state.stack):
        raise IllegalMove("stack_empty", "PA-9", "The pickup stack has no card left to chance.")
    return [["chanced", seat, state.stack[state.at]]]


def answer_chance(state: PalaceState, seat: int, action: int) -> list[Event]:
    """The chanced card is played or kept (PA-9). Raises `IllegalMove`."""
    if action == KEEP:
        events: list[Event] = [["kept", seat, len(state.pile)]]
    elif action != PLAY_DRAWN:
        raise IllegalMove("chance_waits", "PA-9", "You have chanced: write keep, or play drawn if it may be played.")
    elif not may_play(state, state.chanced >> 2, 1):
        raise IllegalMove("drawn_too_low", "PA-9", "The card that you drew may not be played; keep it.")
    else:
        events = [["risked", seat, state.chanced, clears_with(state, state.chanced >> 2, 1)]]
    end_at_limit(state, events)
    return events


def throw(state: PalaceState, seat: int, action: int) -> list[Event]:
    """A quick throw, or the pass instead of one (PA-16). Raises `IllegalMove`."""
    if state.phase != PLAY or not state.fresh or seat != state.thrower:
        raise IllegalMove("nothing_to_throw", "PA-16", "You have drawn nothing that you may throw now.")
    if action == PASS:
        return []
    rank = action >> 5 & 15
    count = (action & 31) + 1
    if rank != state.thrown or count > state.fresh:
        most = RANKS[state.thrown] * state.fresh
        raise IllegalMove("not_drawn", "PA-16", f"You may throw only what you have just drawn: {most} at most.")
    last = check_last(state, seat, count, action)
    cards = state.hands[seat][rank]
    events: list[Event] = [["threw", seat, cards[-count:], clears_with(state, rank, count), last]]
    held = state.held[seat] - count
    if held < REFILL and state.at < len(state.stack):
        events.append(["drew", seat, state.stack[state.at : state.at + REFILL - held]])
    elif held == 0 and state.upper[seat]:
        events.append(["raised", seat, state.upper[seat][:]])
    return events


def call_out(state: PalaceState, seat: int, owner: int) -> list[Event]:
    """`owner` has not declared the last card and takes the pile (PA-24). Raises `IllegalMove`."""
    if owner == seat or seat in state.out or owner >= state.seats or not state.uncalled >> owner & 1:
        raise IllegalMove("nothing_to_call", "PA-24", f"Seat {owner} is not to be called out by you.")
    return [["called", seat, owner, len(state.pile)]]


def choose(state: PalaceState, seat: int, action: int) -> list[Event]:
    """The upper palace of `seat`; all are shown when the last one is chosen (PA-2). Raises `IllegalMove`."""
    if state.phase != CHOOSE:
        raise IllegalMove("chosen_already", "PA-2", "The upper palaces have been chosen.")
    if state.upper[seat]:
        raise IllegalMove("chosen_already", "PA-2", "You have chosen your upper palace; a choice stands.")
    if action < CHOICE:
        raise IllegalMove("choose_first", "PA-2", "First choose three cards for your upper palace, as in palace 9QK.")
    triple = TRIPLES[action - CHOICE]
    hand = state.hands[seat]
    cards: list[int] = []
    for rank in dict.fromkeys(triple):
        count = triple.count(rank)
        if count > len(hand[rank]):
            raise IllegalMove("card_not_held", "PA-2", f"You do not hold {RANKS[rank] * count}.")
        cards += hand[rank][:count]
    events: list[Event] = [["chose", seat, cards]]
    if all(other == seat or state.upper[other] for other in range(state.seats)):
        upper = [cards if other == seat else state.upper[other] for other in range(state.seats)]
        events.append(["laid", [each[:] for each in upper], 0 if state.options["start"] == "left" else worst(upper)])
    return events


def worst(upper: Sequence[Sequence[int]]) -> int:
    """Who starts: fewest wild cards, then the lowest other cards from the highest down, then the first (PA-4)."""
    keys = []
    for seat, cards in enumerate(upper):
        others = sorted([card >> 2 for card in cards if card >> 2 not in WILDS], reverse=True)
        keys.append((len(cards) - len(others), others, seat))
    return min(keys)[2]


# Applying: simple


def close_window(state: PalaceState) -> None:
    """Nobody may throw any more."""
    state.thrower = NOBODY
    state.thrown = EMPTY
    state.drawn = state.fresh = 0


def pass_turn(state: PalaceState, seat: int) -> None:
    """The turn of `seat` is over; the next seat in the game plays, whose last card can't be called any more."""
    close_window(state)
    state.must = state.owed = 0
    state.turns += 1
    state.phase = PLAY
    give_turn(state, seat)


def give_turn(state: PalaceState, seat: int) -> None:
    """It is the turn of the first seat after `seat` that still has cards, in the direction of play."""
    turn = (seat + state.direction) % state.seats
    while turn in state.out:
        turn = (turn + state.direction) % state.seats
    state.turn = turn
    state.uncalled &= ~(1 << turn)


def add_card(state: PalaceState, seat: int, card: int) -> None:
    """`card` comes into the hand of `seat`."""
    state.hands[seat][card >> 2].append(card)
    state.held[seat] += 1


def take_pile(state: PalaceState, seat: int) -> None:
    """The whole discard pile comes into the hand of `seat`."""
    hand = state.hands[seat]
    for card in state.pile:
        hand[card >> 2].append(card)
    state.held[seat] += len(state.pile)
    empty_pile(state)


def empty_pile(state: PalaceState) -> None:
    """Nothing lies on the discard pile."""
    state.pile = []
    state.current = state.top = EMPTY
    state.run = 0


def put(state: PalaceState, cards: list[int], rank: int, clears: int) -> None:
    """`cards` of `rank` go on the pile; then, if it clears, all of it leaves the game (PA-11, PA-13, PA-25)."""
    state.pile += cards
    if rank == JOKER and state.reverses:
        state.direction = -state.direction
        state.top = JOKER
        state.run = 0
    elif clears:
        state.cleared += state.pile
        empty_pile(state)
    elif rank == state.top:
        state.run += len(cards)
    else:
        state.current = state.top = rank
        state.run = len(cards)


def leave_last(state: PalaceState, seat: int, last: int) -> None:
    """Note that `seat` is out, or has one face-down card left and did not say so (PA-22, PA-24)."""
    if state.held[seat] or state.upper[seat]:
        return
    if state.unders[seat] == 0:
        state.out.append(seat)
        state.uncalled &= ~(1 << seat)
    elif state.unders[seat] == 1 and state.calls and not last:
        state.uncalled |= 1 << seat


def apply_played(state: PalaceState, seat: int, cards: list[int], clears: int, last: int) -> None:
    """Hand cards go on the pile; what follows for the turn (PA-6, PA-11 to PA-13)."""
    rank = cards[0] >> 2
    hand = state.hands[seat][rank]
    for card in cards:
        hand.remove(card)
    state.held[seat] -= len(cards)
    put(state, cards, rank, clears)
    if state.held[seat] == 0:
        leave_last(state, seat, last)
    go_on(state, seat, rank, clears)


def go_on(state: PalaceState, seat: int, rank: int, clears: int) -> None:
    """The turn of `seat` goes on after a play of `rank`, or passes and lets them throw what they draw."""
    if (clears or rank == TWO or (rank == ACE and state.resets)) and seat not in state.out:
        close_window(state)
        state.must = 0 if clears else 1
        return
    pass_turn(state, seat)
    if seat not in state.out and not clears:
        state.thrower = seat
        state.thrown = rank


def apply_drew(state: PalaceState, seat: int, cards: list[int]) -> None:
    """The hand is refilled (PA-15); at the end of a turn what is drawn may be thrown (PA-16)."""
    hand = state.hands[seat]
    for card in cards:
        hand[card >> 2].append(card)
    state.held[seat] += len(cards)
    state.at += len(cards)
    if seat == state.thrower:
        state.drawn += len(cards)
        for card in cards:
            if card >> 2 == state.thrown:
                state.fresh += 1


def apply_risked(state: PalaceState, seat: int, card: int, clears: int) -> None:
    """A chanced card goes on the pile and ends the turn, whatever it is (PA-9)."""
    state.chanced = NO_CARD
    put(state, [card], card >> 2, clears)
    pass_turn(state, seat)


def apply_threw(state: PalaceState, seat: int, cards: list[int], clears: int, last: int) -> None:
    """A quick throw; it may bring the turn back, or turn the direction round (PA-16, PA-25)."""
    count = len(cards)
    rank = cards[0] >> 2
    hand = state.hands[seat][rank]
    for card in cards:
        hand.remove(card)
    state.held[seat] -= count
    put(state, cards, rank, clears)
    if clears:
        close_window(state)
        state.turn = seat
    else:
        state.fresh -= count
        state.drawn -= count
        if rank == JOKER:
            give_turn(state, seat)
    if state.held[seat] == 0:
        leave_last(state, seat, last)


def apply_turned(state: PalaceState, seat: int, position: int, card: int, clears: int, last: int) -> None:
    """A face-down card is played; with two left, a look comes before anything else (PA-19, PA-20)."""
    rank = card >> 2
    state.under[seat][position] = GONE
    state.unders[seat] -= 1
    put(state, [card], rank, clears)
    leave_last(state, seat, last)
    if state.unders[seat] < 2:
        go_on(state, seat, rank, clears)
        return
    close_window(state)
    state.thrown = rank
    state.phase = LOOK
    state.owed = 1 if goes_on(state, rank, clears) else 0
    state.must = 1 if state.owed and not clears else 0


def apply_looked(state: PalaceState, seat: int, position: int, card: int) -> None:
    """A face-down card comes into the hand; if it is of the rank just played, it may be thrown (PA-20)."""
    rank = state.thrown
    state.under[seat][position] = GONE
    state.unders[seat] -= 1
    add_card(state, seat, card)
    if state.owed:
        state.owed = 0
        state.phase = PLAY
        close_window(state)
        return
    pass_turn(state, seat)
    state.thrower = seat
    state.thrown = rank
    state.drawn = 1
    state.fresh = 1 if card >> 2 == rank else 0


def apply_failed(state: PalaceState, seat: int, position: int, card: int) -> None:
    """A card that may not be played is kept with the pile; the last one goes back, and all know it (PA-19, PA-21)."""
    if state.unders[seat] == 1:
        state.known[seat] = 1
    else:
        state.under[seat][position] = GONE
        state.unders[seat] -= 1
        add_card(state, seat, card)
    take_pile(state, seat)
    pass_turn(state, seat)


def apply_chose(state: PalaceState, seat: int, cards: list[int]) -> None:
    """Three cards leave the hand for the upper palace (PA-2)."""
    for card in cards:
        state.hands[seat][card >> 2].remove(card)
    state.held[seat] -= len(cards)
    state.upper[seat] = list(cards)


def apply_dealt(state: PalaceState, event: Event) -> None:
    """Give out the cards (PA-2, PA-3)."""
    state.under = [list(cards) for cards in event[1]]
    state.unders = [PALACE] * state.seats
    for seat, cards in enumerate(event[2]):
        for card in cards:
            add_card(state, seat, card)
    state.turned = event[3]
    if event[4] is not None:
        put(state, [event[4]], event[4] >> 2, 0)
    state.stack = event[5]
    state.phase = CHOOSE


# Showing

# Events that everybody sees whole.
OPEN: Final = frozenset(
    {"laid", "played", "raised", "threw", "risked", "kept", "took", "turned", "failed", "called", "ended"}
)
# The names of what stands after an event's type.
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


def shown(name: str, value: Any) -> Any:
    """The value of a field as it reads: cards as text, null where one is hidden."""
    if name in ("card", "cards", "turned", "stack", "under", "upper", "hands"):
        return card_texts(value)
    return bool(value) if name in ("clears", "last") else value


def card_texts(value: Any) -> Any:
    """A card, or a list of whatever depth, as text."""
    if isinstance(value, list):
        return [card_texts(each) for each in value]
    return None if value is None else TEXTS[value]


def cards_of(state: PalaceState, seat: int) -> int:
    """How many cards `seat` has left in all."""
    chanced = 1 if state.chanced != NO_CARD and state.turn == seat else 0
    return state.held[seat] + len(state.upper[seat]) + state.unders[seat] + chanced


def seat_view(state: PalaceState, seat: int, own: bool, shown: bool) -> dict[str, Any]:
    """What is seen of `seat`: by itself if `own`; `shown` once the upper palaces are."""
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
    """A place of the under palace: the card if all have seen it, "??", or None for an empty one."""
    if card == GONE:
        return None
    return TEXTS[card] if state.known[seat] else FACE_DOWN
