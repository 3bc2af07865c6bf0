"""Plates: two to eight players get rid of two hands of cards on one plate (rules.md, PL-1 … PL-23).

Representation. A card is an int (`scorebook_games.cards`). Its rank is 0 for the Ace, 1 for the Two … 12 for the King.
An Ace may be placed on anything (PL-9) and never stays on top of a plate (PL-12). So one comparison says whether a card
may be placed: ``rank <= top``, where an empty plate has the top `EMPTY`, above every rank.

What players know of their own cards is stored twice: card by card, and for each rank as one number,
``5 * (cards in the primary hand) + (revealed cards)``, which is an index of `PLACES`. Of cards of a rank, the lowest
are used first.

Events
------
dealt    [round, dealer, leader, primary, revealed, unseen, aside]: three lists of cards a seat, and the set-aside cards
placed   [seat, primary cards, revealed cards, clears]
turned   [seat, position, card]: a blind card is turned up; `took` follows if it may not stand
added    [seat, primary cards, clears]
took     [seat, number of cards]: the whole plate goes to the primary hand
cleared  [seat, number of cards]: the plate's cards leave the round
scored   [cut, points, hands]: points by seat; for each seat the primary, revealed and unseen cards left
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, Final

from scorebook_games.cards import RANKS, card_text, packs
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

PRIMARY: Final = 10
REVEALED: Final = 4
UNSEEN: Final = 4
DEALT: Final = PRIMARY + REVEALED + UNSEEN

ACE: Final = 0
EMPTY: Final = 13  # the top of an empty plate
GONE: Final = -1  # an unseen card that was turned up
NOBODY: Final = -1
SET: Final = 4  # this many equal cards clear the plate (PL-12, PL-13)

# The phases: BEFORE the first deal, ADD after a blind card that stands, SCORED between two rounds.
BEFORE: Final = 0
PLAY: Final = 1
ADD: Final = 2
SCORED: Final = 3
OVER: Final = 4
PHASES: Final = ("before", "play", "add", "scored", "over")

# An action is kind << 13 | clear << 12 | revealed cards << 8 | primary cards << 4 | rank. For a blind card, its
# position replaces the rank.
TAKE_KIND: Final = 0
PLACE_KIND: Final = 1
ADD_KIND: Final = 2
BLIND_KIND: Final = 3
CLEAR: Final = 1 << 12
TAKE_ACTION: Final = TAKE_KIND << 13
PLACE_ACTION: Final = PLACE_KIND << 13
ADD_ACTION: Final = ADD_KIND << 13
BLIND_ACTION: Final = BLIND_KIND << 13

CARDS: Final = 52  # in one pack
MOST_PRIMARY: Final = 12  # three packs have twelve cards of a rank
KNOWN: Final = REVEALED + 1  # see `known` above: each primary card counts five

VALUES: Final = [50, *range(2, 14)]  # The value of each rank, A 2 … K (PL-5).
TEXTS: Final = [card_text(card) for card in range(52)]
FACE_DOWN: Final = "??"


def place_actions(rank: int, known: int) -> list[int]:
    """Return every way to place some of a player's cards of `rank`, without clearing by choice (PL-7, PL-10)."""
    primary, revealed = divmod(known, KNOWN)
    return [PLACE_ACTION | r << 8 | p << 4 | rank for p in range(primary + 1) for r in range(revealed + 1) if p + r]


# `place_actions` by rank and by the number in `PlatesState.known`.
PLACES: Final = [[place_actions(rank, known) for known in range(KNOWN * (MOST_PRIMARY + 1))] for rank in range(13)]


def all_moves() -> dict[str, int]:
    """Return every text that is a move of Plates, with its action."""
    moves = {"take": TAKE_ACTION, "add": ADD_ACTION, "add !": ADD_ACTION | CLEAR}
    for position in range(UNSEEN):
        moves[f"blind {position}"] = BLIND_ACTION | position
    for rank in range(13):
        name = RANKS[rank]
        for action in PLACES[rank][-1]:
            primary, revealed = action >> 4 & 15, action >> 8 & 15
            text = f"place {name * primary}" + (f"/{name * revealed}" if revealed else "")
            moves[text] = action
            moves[text + "!"] = action | CLEAR
        for count in range(1, MOST_PRIMARY + 1):
            action = ADD_ACTION | count << 4 | rank
            moves[f"add {name * count}"] = action
            moves[f"add {name * count}!"] = action | CLEAR
    return moves


ACTIONS: Final = all_moves()
MOVES: Final = {action: text for text, action in ACTIONS.items()}

SPEC: Final = Spec(
    kind="plates",
    title="Plates",
    rules_version=1,
    seats_min=2,
    seats_max=8,
    options=(
        Option("rounds", "int", 3, "Number of rounds. The lowest total of all rounds wins (PL-22).", 1, 20),
        Option("turn_limit", "int", 300, "A round ends and is scored after this number of turns (PL-23).", 1, 100000),
    ),
    notation=_(
        "A move is written `place 99/9` (primary cards, after / revealed ones, all of one rank), `blind 2`, `add 33`, "
        "`add` or `take`; a `!` at the end of place or add clears the plate."
    ),
    best="lowest",
)


class PlatesState:
    """The state of a game.

    Lists are by seat. `in_primary[seat]` counts for each card how many the seat's primary hand has, and `revealed` is
    sorted. `unseen` has four places, `GONE` where a card was turned up. `held` counts all cards of a seat.
    `run` is the number of equal cards on top of the plate. `cleared` cards have left the round. `out` is the seat that
    went out, and `last` is how many last turns still follow (PL-20). `scores` has one list for each scored round, and
    `cut` says whether any round was cut short (PL-23).

    `shown[seat]` counts for each card how many of the seat's primary cards everybody has seen, because they were on a
    plate that the seat took. The seat's other primary cards rank higher than `above[seat]`, which is −1 or the highest
    rank that the seat could not place (PL-11). If it is not −1, none of them is an Ace.
    """

    __slots__ = (
        "above",
        "aside",
        "cleared",
        "current",
        "cut",
        "dealer",
        "held",
        "in_primary",
        "known",
        "last",
        "out",
        "phase",
        "plate",
        "revealed",
        "round",
        "rounds",
        "run",
        "scores",
        "seats",
        "shown",
        "top",
        "turn_limit",
        "turns",
        "unseen",
    )

    def __init__(self, seats: int, rounds: int, turn_limit: int) -> None:
        self.seats: int = seats
        self.rounds: int = rounds
        self.turn_limit: int = turn_limit
        self.round: int = 0
        self.dealer: int = seats - 1
        self.phase: int = BEFORE
        self.current: int = NOBODY
        self.in_primary: list[list[int]] = [[0] * CARDS for _ in range(seats)]
        self.revealed: list[list[int]] = [[] for _ in range(seats)]
        self.unseen: list[list[int]] = [[] for _ in range(seats)]
        self.known: list[list[int]] = [[0] * 13 for _ in range(seats)]
        self.held: list[int] = [0] * seats
        self.shown: list[list[int]] = [[0] * CARDS for _ in range(seats)]
        self.above: list[int] = [-1] * seats
        self.aside: list[int] = []
        self.plate: list[int] = []
        self.cleared: list[int] = []
        self.top: int = EMPTY
        self.run: int = 0
        self.turns: int = 0
        self.out: int = NOBODY
        self.last: int = 0
        self.scores: list[list[int]] = []
        self.cut: bool = False

    @property
    def primary(self) -> list[list[int]]:
        """The primary hands as sorted lists of cards, which are made for each call."""
        return [counted(counts) for counts in self.in_primary]

    def copy(self) -> PlatesState:
        """Return an independent copy."""
        other = PlatesState(self.seats, self.rounds, self.turn_limit)
        other.round = self.round
        other.dealer = self.dealer
        other.phase = self.phase
        other.current = self.current
        other.in_primary = [counts[:] for counts in self.in_primary]
        other.revealed = [cards[:] for cards in self.revealed]
        other.unseen = [cards[:] for cards in self.unseen]
        other.known = [counts[:] for counts in self.known]
        other.held = self.held[:]
        other.shown = [counts[:] for counts in self.shown]
        other.above = self.above[:]
        other.aside = self.aside[:]
        other.plate = self.plate[:]
        other.cleared = self.cleared[:]
        other.top = self.top
        other.run = self.run
        other.turns = self.turns
        other.out = self.out
        other.last = self.last
        other.scores = [points[:] for points in self.scores]
        other.cut = self.cut
        return other

    def plain(self) -> dict[str, Any]:
        """Return all facts of the state as plain data."""
        return {
            "seats": self.seats,
            "rounds": self.rounds,
            "turn_limit": self.turn_limit,
            "round": self.round,
            "dealer": self.dealer,
            "phase": PHASES[self.phase],
            "current": self.current,
            "primary": self.primary,
            "revealed": [cards[:] for cards in self.revealed],
            "unseen": [cards[:] for cards in self.unseen],
            "known": [counts[:] for counts in self.known],
            "held": self.held[:],
            "shown": [counted(counts) for counts in self.shown],
            "above": self.above[:],
            "aside": self.aside[:],
            "plate": self.plate[:],
            "cleared": self.cleared[:],
            "top": self.top,
            "run": self.run,
            "turns": self.turns,
            "out": self.out,
            "last": self.last,
            "scores": [points[:] for points in self.scores],
            "cut": self.cut,
        }


def points_of(state: PlatesState) -> list[int]:
    """Return the value of all cards of each seat, seen or not (PL-21)."""
    return [sum([VALUES[card >> 2] for hand in hands for card in hand]) for hands in hands_of(state)]


def hands_of(state: PlatesState) -> list[list[list[int]]]:
    """Return for each seat the primary, revealed and unseen cards that are left."""
    return [
        [
            counted(state.in_primary[seat]),
            state.revealed[seat][:],
            [card for card in state.unseen[seat] if card != GONE],
        ]
        for seat in range(state.seats)
    ]


def leader_of(revealed: list[list[int]], dealer: int) -> int:
    """Return the seat that leads: the highest revealed total; in a tie, the first from the dealer's left (PL-6)."""
    seats = len(revealed)
    best = -1
    leader = NOBODY
    for step in range(1, seats + 1):
        seat = (dealer + step) % seats
        total = sum([VALUES[card >> 2] for card in revealed[seat]])
        if total > best:
            best = total
            leader = seat
    return leader


def deal(seats: int, number: int, dealer: Dealer) -> Event:
    """Return the deal of round `number`, from 1: from its dealer's left, each seat in one block (PL-1, PL-3, PL-22)."""
    order = dealer.shuffle(f"deal/round{number}", packs(-(-DEALT * seats // 52)))
    by = (seats - 2 + number) % seats
    primary: list[list[int]] = [[] for _ in range(seats)]
    revealed: list[list[int]] = [[] for _ in range(seats)]
    unseen: list[list[int]] = [[] for _ in range(seats)]
    for block in range(seats):
        seat = (by + 1 + block) % seats
        first = DEALT * block
        primary[seat] = sorted(order[first : first + PRIMARY])
        revealed[seat] = sorted(order[first + PRIMARY : first + PRIMARY + REVEALED])
        unseen[seat] = order[first + PRIMARY + REVEALED : first + DEALT]
    return ["dealt", number, by, leader_of(revealed, by), primary, revealed, unseen, order[DEALT * seats :]]


def clears_anyway(rank: int, count: int) -> bool:
    """Return whether a play of `count` cards of `rank` clears the plate without the player's choice (PL-12)."""
    return rank == ACE or count >= SET


def check_clearing(rank: int, count: int, run: int) -> None:
    """Raise `IllegalMove` unless the player may choose to clear with this play, after which the run is `run`
    (PL-13)."""
    if clears_anyway(rank, count):
        raise IllegalMove("clears_anyway", "PL-12", _("This play always clears the plate. Write it without the !."))
    if run < SET:
        raise IllegalMove(
            "run_too_short",
            "PL-13",
            _("You can clear the plate when {least} equal cards are on top. This play makes {run}."),
            least=SET,
            run=run,
        )


def first_of(cards: list[int], rank: int, count: int) -> list[int]:
    """Return the first `count` cards of `rank` among sorted cards that have as many."""
    start = bisect_left(cards, rank << 2)
    return cards[start : start + count]


def lowest_of(counts: list[int], rank: int, count: int) -> list[int]:
    """Return the lowest `count` cards of `rank` in a hand that has as many, from the number of each card in it."""
    card = rank << 2
    cards: list[int] = []
    while count > 0:
        held = counts[card]
        if held:
            cards += [card] * (held if held < count else count)
            count -= held
        card += 1
    return cards


def counted(counts: list[int]) -> list[int]:
    """Return a sorted list of cards from the number of each."""
    return [card for card, count in enumerate(counts) if count for _ in range(count)]


def texts_of(cards: Sequence[int]) -> list[str]:
    """Return the cards as text."""
    return [TEXTS[card] for card in cards]


def shown_of(cards: Sequence[int | None]) -> list[str | None]:
    """Return the cards as text, None for a hidden one."""
    return [None if card is None else TEXTS[card] for card in cards]


class Plates:
    """The rules of Plates."""

    def __init__(self) -> None:
        self.spec: Spec = SPEC

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Return every option with its value. Raises `OptionError`."""
        return self.spec.resolve(seats, options)

    def initial(self, seats: int, options: Options) -> PlatesState:
        """Return the state before the first deal."""
        return PlatesState(seats, options["rounds"], options["turn_limit"])

    def start(self, state: PlatesState, dealer: Dealer) -> list[Event]:
        """Return the first round's deal."""
        return [deal(state.seats, 1, dealer)]

    def to_act(self, state: PlatesState) -> list[int]:
        """Return the one seat whose turn it is."""
        return [state.current] if state.phase == PLAY or state.phase == ADD else []

    def to_act_seen(self, state: PlatesState, viewer: int | None) -> list[int]:
        """Return the one seat whose turn it is, which everybody knows."""
        return self.to_act(state)

    def awaited(self, state: PlatesState) -> list[int]:
        """Return the one seat whose turn it is."""
        return self.to_act(state)

    def legal_actions(self, state: PlatesState, seat: int) -> list[int]:
        """Return every action open to `seat` now."""
        if seat != state.current:
            return []
        if state.phase == PLAY:
            return self._plays(state, seat)
        return self._additions(state, seat) if state.phase == ADD else []

    def _plays(self, state: PlatesState, seat: int) -> list[int]:
        top: int = state.top
        actions: list[int] = []
        for rank, known in enumerate(state.known[seat][: top + 1]):
            if known:
                actions += PLACES[rank][known]
        if top != EMPTY:
            if not actions:
                actions.append(TAKE_ACTION)
            elif state.run + state.known[seat][top] >= SET:
                actions += self._clearing(state, seat)
        if not state.revealed[seat]:
            for position in range(UNSEEN):
                if state.unseen[seat][position] != GONE:
                    actions.append(BLIND_ACTION | position)
        return actions

    def _clearing(self, state: PlatesState, seat: int) -> list[int]:
        """Return the plays that clear the plate by choice (PL-13)."""
        actions: list[int] = []
        for action in PLACES[state.top][state.known[seat][state.top]]:
            count = (action >> 4 & 15) + (action >> 8 & 15)
            if count < SET <= state.run + count:
                actions.append(action | CLEAR)
        return actions

    def _additions(self, state: PlatesState, seat: int) -> list[int]:
        """Return what may be added to a blind card that stands (PL-17)."""
        rank = state.top
        most: int = state.known[seat][rank] // KNOWN
        actions: list[int] = [ADD_ACTION]
        for count in range(1, most + 1):
            actions.append(ADD_ACTION | count << 4 | rank)
        for count in range(most + 1):
            if state.run + count >= SET and not clears_anyway(rank, count + 1):
                actions.append(actions[count] | CLEAR)
        return actions

    def decide(self, state: PlatesState, seat: int, action: int, dealer: Dealer) -> list[Event]:
        """Return what `action` leads to. Raises `IllegalMove`."""
        if seat != state.current or not (state.phase == PLAY or state.phase == ADD):
            raise self._not_to_act(state)
        if action not in MOVES:
            raise IllegalMove("no_such_move", "PL-7", _("Plates has no move with the number {number}."), number=action)
        kind: int = action >> 13
        if (kind == ADD_KIND) != (state.phase == ADD):
            raise self._wrong_phase(state)
        if kind == PLACE_KIND:
            return self._place(state, seat, action, dealer)
        if kind == ADD_KIND:
            return self._add(state, seat, action, dealer)
        if kind == BLIND_KIND:
            return self._blind(state, seat, action & 15)
        return self._take(state, seat)

    def _not_to_act(self, state: PlatesState) -> IllegalMove:
        if state.phase == PLAY or state.phase == ADD:
            return IllegalMove("not_your_turn", "PL-6", _("It is another player's turn."))
        return IllegalMove("no_turn", "PL-22", _("Nobody can move: no round is in progress."))

    def _wrong_phase(self, state: PlatesState) -> IllegalMove:
        if state.phase == ADD:
            return IllegalMove(
                "add_first",
                "PL-17",
                _("You have turned up an unseen card. Say what you add to it, or that you add nothing."),
            )
        return IllegalMove(
            "nothing_turned", "PL-17", _("You can add cards only after you have turned up an unseen card.")
        )

    def _place(self, state: PlatesState, seat: int, action: int, dealer: Dealer) -> list[Event]:
        rank: int = action & 15
        primary: int = action >> 4 & 15
        revealed: int = action >> 8 & 15
        count: int = primary + revealed
        known: int = state.known[seat][rank]
        if count == 0 or primary > known // KNOWN or revealed > known % KNOWN:
            raise IllegalMove(
                "no_such_cards",
                "PL-10",
                _("You do not have these cards. Write primary cards before the / and revealed ones after it."),
            )
        if rank > state.top:
            top = RANKS[state.top]
            raise IllegalMove("too_high", "PL-8", _("The top card is {top}. Place {top} or lower, or an Ace."), top=top)
        if action & CLEAR:
            check_clearing(rank, count, state.run + count if rank == state.top else count)
            clears = 1
        else:
            clears = 1 if clears_anyway(rank, count) else 0
        from_primary = lowest_of(state.in_primary[seat], rank, primary) if primary else []
        from_revealed = first_of(state.revealed[seat], rank, revealed) if revealed else []
        events: list[Event] = [["placed", seat, from_primary, from_revealed, clears]]
        self._complete(state, events, count, clears, dealer)
        return events

    def _add(self, state: PlatesState, seat: int, action: int, dealer: Dealer) -> list[Event]:
        rank: int = state.top
        count: int = action >> 4 & 15
        if count and action & 15 != rank:
            raise IllegalMove(
                "other_rank",
                "PL-17",
                _("You can add only cards of the same rank as the card that you turned up, {rank}."),
                rank=RANKS[rank],
            )
        if count > state.known[seat][rank] // KNOWN:
            raise IllegalMove("no_such_cards", "PL-17", _("You do not have these cards in your primary hand."))
        if action & CLEAR:
            check_clearing(rank, count + 1, state.run + count)
            clears = 1
        else:
            clears = 1 if clears_anyway(rank, count + 1) else 0
        events: list[Event] = [["added", seat, lowest_of(state.in_primary[seat], rank, count), clears]]
        self._complete(state, events, count, clears, dealer)
        return events

    def _blind(self, state: PlatesState, seat: int, position: int) -> list[Event]:
        if state.revealed[seat]:
            raise IllegalMove(
                "revealed_left", "PL-16", _("First play your revealed cards. Then you can turn up an unseen card.")
            )
        card: int = state.unseen[seat][position]
        if card == GONE:
            raise IllegalMove(
                "no_such_card",
                "PL-16",
                _("There is no unseen card left at position {position}."),
                position=position,
            )
        turned: Event = ["turned", seat, position, card]
        if card >> 2 > state.top:  # the card may not stand (PL-18)
            return [turned, ["took", seat, len(state.plate) + 1]]
        return [turned]

    def _take(self, state: PlatesState, seat: int) -> list[Event]:
        if state.top == EMPTY:
            raise IllegalMove("plate_empty", "PL-11", _("The plate is empty. Place a card."))
        if any(state.known[seat][: state.top + 1]):
            raise IllegalMove(
                "can_place", "PL-11", _("You can take the plate only when you cannot place any card that you know.")
            )
        return [["took", seat, len(state.plate)]]

    def _complete(self, state: PlatesState, events: list[Event], count: int, clears: int, dealer: Dealer) -> None:
        """Add to `events` what follows a complete play of `count` cards: clearing, the end of the round, a deal."""
        seat: int = state.current
        if clears:
            events.append(["cleared", seat, len(state.plate) + count])
        again: bool = clears == 1 and state.held[seat] > count
        by_rules: bool = state.last == 1 and not again
        if not by_rules and state.turns + 1 < state.turn_limit:
            return
        after = state.copy()
        for event in events:
            self.apply(after, event)
        events.append(["scored", 0 if by_rules else 1, points_of(after), hands_of(after)])
        if state.round < state.rounds:
            events.append(deal(state.seats, state.round + 1, dealer))

    def apply(self, state: PlatesState, event: Event) -> None:
        """Change `state` by one event."""
        name: str = event[0]
        if name == "placed":
            self._apply_placed(state, event[1], event[2], event[3], event[4])
        elif name == "cleared":
            self._apply_cleared(state, event[1])
        elif name == "took":
            self._apply_took(state, event[1])
        elif name == "turned":
            self._apply_turned(state, event[1], event[2], event[3])
        elif name == "added":
            self._apply_placed(state, event[1], event[2], [], event[3])
        elif name == "dealt":
            self._apply_dealt(state, event)
        elif name == "scored":
            state.scores.append(list(event[2]))
            state.cut = state.cut or event[1] == 1
            state.phase = OVER if state.round == state.rounds else SCORED
            state.current = NOBODY

    def _apply_placed(
        self, state: PlatesState, seat: int, primary: list[int], revealed: list[int], clears: int
    ) -> None:
        if primary:
            hand, shown = state.in_primary[seat], state.shown[seat]
            for card in primary:
                hand[card] -= 1
                if shown[card]:
                    shown[card] -= 1
            self._put(state, seat, primary, KNOWN)
        if revealed:
            laid_out = state.revealed[seat]
            for card in revealed:
                laid_out.remove(card)
            self._put(state, seat, revealed, 1)
        if not clears:
            self._end_turn(state, seat)

    def _put(self, state: PlatesState, seat: int, cards: list[int], known: int) -> None:
        """Put `cards` of one rank on the plate; `known` is what each counts in `state.known`."""
        count: int = len(cards)
        rank: int = cards[0] >> 2
        state.known[seat][rank] -= known * count
        state.held[seat] -= count
        state.plate.extend(cards)
        if rank == state.top:
            state.run += count
        else:
            state.top = rank
            state.run = count

    def _apply_turned(self, state: PlatesState, seat: int, position: int, card: int) -> None:
        state.unseen[seat][position] = GONE
        self._put(state, seat, [card], 0)
        state.phase = ADD

    def _apply_took(self, state: PlatesState, seat: int) -> None:
        known = state.known[seat]
        hand = state.in_primary[seat]
        shown = state.shown[seat]
        for card in state.plate:
            known[card >> 2] += KNOWN
            hand[card] += 1
            shown[card] += 1
        # the seat could place nothing; otherwise a blind card could not stand
        if state.phase == PLAY and state.top > state.above[seat]:
            state.above[seat] = state.top
        state.held[seat] += len(state.plate)
        self._empty_plate(state)
        state.phase = PLAY

    def _apply_cleared(self, state: PlatesState, seat: int) -> None:
        state.cleared += state.plate
        self._empty_plate(state)
        if state.held[seat]:  # another turn (PL-12, PL-15)
            state.turns += 1
            state.phase = PLAY
        else:
            self._end_turn(state, seat)

    def _empty_plate(self, state: PlatesState) -> None:
        state.plate = []
        state.top = EMPTY
        state.run = 0

    def _end_turn(self, state: PlatesState, seat: int) -> None:
        """Pass the turn. A seat without cards goes out and gives everyone else one last turn (PL-20)."""
        state.turns += 1
        state.phase = PLAY
        if state.out != NOBODY:
            state.last -= 1
        elif state.held[seat] == 0:
            state.out = seat
            state.last = state.seats - 1
        state.current = seat + 1 if seat + 1 < state.seats else 0

    def _apply_dealt(self, state: PlatesState, event: Event) -> None:
        state.round = event[1]
        state.dealer = event[2]
        state.current = event[3]
        state.revealed = [list(cards) for cards in event[5]]
        state.unseen = [list(cards) for cards in event[6]]
        state.aside = list(event[7])
        state.in_primary = [[0] * CARDS for _ in range(state.seats)]
        state.known = [[0] * 13 for _ in range(state.seats)]
        for seat in range(state.seats):
            for card in event[4][seat]:
                state.in_primary[seat][card] += 1
                state.known[seat][card >> 2] += KNOWN
            for card in state.revealed[seat]:
                state.known[seat][card >> 2] += 1
        state.held = [DEALT] * state.seats
        state.shown = [[0] * CARDS for _ in range(state.seats)]
        state.above = [-1] * state.seats
        self._empty_plate(state)
        state.cleared = []
        state.turns = 0
        state.out = NOBODY
        state.last = 0
        state.phase = PLAY

    def action_of(self, state: PlatesState, event: Event) -> tuple[int, int]:
        """Return (seat, action) of the decision that `event` begins. Raises ValueError if no decision begins with it.

        A play that clears though it need not was a choice (PL-13).
        """
        name: str = event[0]
        if name not in ("placed", "turned", "added", "took"):
            raise ValueError(f"No move begins with {name!r}.")
        seat: int = event[1]
        if name == "took":
            return seat, TAKE_ACTION
        if name == "turned":
            return seat, BLIND_ACTION | event[2]
        primary: list[int] = event[2]
        if name == "added":
            rank = state.top
            chosen = CLEAR if event[3] and not clears_anyway(rank, len(primary) + 1) else 0
            return seat, ADD_ACTION | chosen | (len(primary) << 4 | rank if primary else 0)
        revealed: list[int] = event[3]
        rank = (primary or revealed)[0] >> 2
        chosen = CLEAR if event[4] and not clears_anyway(rank, len(primary) + len(revealed)) else 0
        return seat, PLACE_ACTION | chosen | len(revealed) << 8 | len(primary) << 4 | rank

    def observation(self, state: PlatesState, seat: int | None) -> dict[str, Any]:
        """Return all that `seat` may know (PL-3, PL-4, PL-21).

        `seats` has for each seat its cards: `primary` (null if hidden), `primary_count`, `revealed`, `unseen` (four
        positions: "??" face down, null if the card was turned up), `points` for each scored round, and `total`. All
        have seen the primary cards `shown`. If `above` is not null, the other primary cards rank higher than it and
        none is an Ace. `plate` reads from the bottom up, and `run` counts the equal cards on top of it. `last_turns` is
        how many turns follow after seat `out` went out. `aside` is null until the game is over. `phase` is one of
        `PHASES`.
        """
        over: bool = state.phase == OVER
        shown: bool = over or state.phase == SCORED
        return {
            "seat": seat,
            "phase": PHASES[state.phase],
            "round": state.round,
            "rounds": state.rounds,
            "dealer": state.dealer,
            "to_act": self.to_act(state),
            "turns": state.turns,
            "turn_limit": state.turn_limit,
            "plate": texts_of(state.plate),
            "run": state.run,
            "cleared": texts_of(state.cleared),
            "out": None if state.out == NOBODY else state.out,
            "last_turns": state.last,
            "seats": [self._seat_view(state, other, shown, shown or other == seat) for other in range(state.seats)],
            "aside_count": len(state.aside),
            "aside": texts_of(state.aside) if over else None,
        }

    def _seat_view(self, state: PlatesState, seat: int, shown: bool, own: bool) -> dict[str, Any]:
        unseen: list[str | None] = []
        for card in state.unseen[seat]:
            unseen.append(None if card == GONE else TEXTS[card] if shown else FACE_DOWN)
        points = [scores[seat] for scores in state.scores]
        return {
            "primary": texts_of(counted(state.in_primary[seat])) if own else None,
            "primary_count": sum(state.in_primary[seat]),
            "shown": texts_of(counted(state.shown[seat])),
            "above": None if state.above[seat] < 0 else RANKS[state.above[seat]],
            "revealed": texts_of(state.revealed[seat]),
            "unseen": unseen,
            "points": points,
            "total": sum(points),
        }

    def redact(self, event: Event, seat: int | None) -> Event:
        """Return `event` as `seat` may see it: of a deal, its own primary hand and all revealed cards (PL-3, PL-4)."""
        name: str = event[0]
        if name in ("placed", "turned", "added", "took", "cleared", "scored"):
            return event
        if name != "dealt":
            return REDACTED
        primary = [hand if owner == seat else [None] * len(hand) for owner, hand in enumerate(event[4])]
        unseen = [[None] * len(cards) for cards in event[6]]
        return ["dealt", event[1], event[2], event[3], primary, event[5], unseen, [None] * len(event[7])]

    def readable(self, event: Event) -> dict[str, Any]:
        """Return `event` with named fields: cards as text, null where they are hidden."""
        match event:
            case ["dealt", number, dealer, leader, primary, revealed, unseen, aside]:
                return {
                    "type": "dealt",
                    "round": number,
                    "dealer": dealer,
                    "leader": leader,
                    "primary": [shown_of(cards) for cards in primary],
                    "revealed": [shown_of(cards) for cards in revealed],
                    "unseen": [shown_of(cards) for cards in unseen],
                    "aside": shown_of(aside),
                }
            case ["placed", seat, primary, revealed, clears]:
                return {
                    "type": "placed",
                    "seat": seat,
                    "primary": texts_of(primary),
                    "revealed": texts_of(revealed),
                    "clears": bool(clears),
                }
            case ["turned", seat, position, card]:
                return {"type": "turned", "seat": seat, "position": position, "card": TEXTS[card]}
            case ["added", seat, primary, clears]:
                return {"type": "added", "seat": seat, "primary": texts_of(primary), "clears": bool(clears)}
            case ["took" | "cleared", seat, count]:
                return {"type": event[0], "seat": seat, "count": count}
            case ["scored", cut, points, hands]:
                return {
                    "type": "scored",
                    "cut": bool(cut),
                    "points": list(points),
                    "hands": [
                        {"primary": texts_of(hand[0]), "revealed": texts_of(hand[1]), "unseen": texts_of(hand[2])}
                        for hand in hands
                    ],
                }
        return {"type": event[0]}

    def outcome(self, state: PlatesState) -> Outcome | None:
        """Return the outcome: the lowest total wins (PL-22).

        The termination is the turn limit if any round was cut short (PL-23).
        """
        if state.phase != OVER:
            return None
        scores, places = self.standing(state)
        return Outcome(TURN_LIMIT if state.cut else RULES, scores, places)

    def standing(self, state: PlatesState) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return (scores, placings) as they stand: rounds scored so far, and the cards held in the present round."""
        totals = [0] * state.seats if state.phase == SCORED or state.phase == OVER else points_of(state)
        for points in state.scores:
            totals = [total + more for total, more in zip(totals, points, strict=True)]
        return tuple(totals), placings(totals, best=SPEC.best)

    def move_text(self, state: PlatesState, action: int) -> str:
        """Return the move as a player writes it, such as `place 99/9!`."""
        return MOVES[action]

    def parse_move(self, state: PlatesState, text: str) -> int:
        """Return the action that `text` names. Raises `MalformedMove`."""
        action = ACTIONS.get(text)
        if action is None:
            raise MalformedMove(SPEC.notation)
        return action
