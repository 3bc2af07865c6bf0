"""Highest Card: everybody plays a card, the highest takes the trick (rules.md, clauses HC-1 … HC-6).

Events
------
``["dealt", hands]``           one list of cards for each seat (HC-1)
``["played", seat, card]``     a card goes from the hand to the trick (HC-3)
``["taken", seat]``            the trick is over, and this seat has it (HC-5)
``["ended", termination]``     the game is over (HC-6)

An action is a card.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scorebook_games.cards import card_text, packs, rank_of
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


class State:
    """The state of a game. `trick` has the cards played to the trick, beginning with seat `leader`."""

    def __init__(self, seats: int, options: Options) -> None:
        self.seats = seats
        self.hand_size: int = options["hand_size"]
        self.turn_limit: int = options["turn_limit"]
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.trick: list[int] = []
        self.leader = 0
        self.tricks = [0] * seats
        self.turns = 0
        self.on = False
        self.termination = ""

    def copy(self) -> State:
        """Return an independent copy."""
        twin = State(self.seats, {"hand_size": self.hand_size, "turn_limit": self.turn_limit})
        twin.hands = [hand[:] for hand in self.hands]
        twin.trick, twin.leader = self.trick[:], self.leader
        twin.tricks, twin.turns = self.tricks[:], self.turns
        twin.on, twin.termination = self.on, self.termination
        return twin

    def plain(self) -> dict[str, Any]:
        """Return all facts of the state as plain data."""
        twin = self.copy()
        return dict(vars(twin))

    @property
    def turn(self) -> int:
        """Return the seat whose turn it is, while the game is on and the trick is not complete."""
        return (self.leader + len(self.trick)) % self.seats


class HighestCard:
    """The rules of Highest Card."""

    spec = Spec(
        kind="highest_card",
        title="Highest Card",
        rules_version=1,
        seats_min=2,
        seats_max=6,
        options=(
            Option("hand_size", "int", 5, "Cards that each player is dealt.", minimum=1, maximum=8),
            Option("turn_limit", "int", 100, "The game ends after this number of turns.", minimum=1, maximum=1000),
        ),
        notation=_("A move is written play 7H: rank A 2 3 4 5 6 7 8 9 T J Q K, suit S H D C."),
    )

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Return every option with its value. Raises `OptionError`."""
        return self.spec.resolve(seats, options)

    def initial(self, seats: int, options: Options) -> State:
        """Return the state before the deal."""
        return State(seats, options)

    def start(self, state: State, dealer: Dealer) -> list[Event]:
        """Return the deal (HC-1)."""
        order = dealer.shuffle("deal", packs(1))
        size = state.hand_size
        return [["dealt", [sorted(order[seat * size : (seat + 1) * size]) for seat in range(state.seats)]]]

    def to_act(self, state: State) -> list[int]:
        """Return the seat whose turn it is (HC-3)."""
        return [state.turn] if state.on else []

    def to_act_seen(self, state: State, viewer: int | None) -> list[int]:  # noqa: ARG002
        """Return the seat whose turn it is, which everybody knows."""
        return self.to_act(state)

    def awaited(self, state: State) -> list[int]:
        """Return the seat whose turn it is."""
        return self.to_act(state)

    def legal_actions(self, state: State, seat: int) -> list[int]:
        """Return the cards in hand (HC-4)."""
        return state.hands[seat][:] if seat in self.to_act(state) else []

    def decide(self, state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:  # noqa: ARG002
        """Return the event of playing the card, and those that end the trick and the game. Raises `IllegalMove`."""
        if seat not in self.to_act(state):
            raise IllegalMove("not_your_turn", "HC-3", _("It is not your turn."))
        if action not in state.hands[seat]:
            raise IllegalMove("not_in_hand", "HC-4", _("You do not have this card in hand."))
        events: list[Event] = [["played", seat, action]]
        after = state.copy()
        self.apply(after, events[0])
        if len(after.trick) == state.seats:
            ranks = [rank_of(card) for card in after.trick]
            events.append(["taken", (state.leader + ranks.index(max(ranks))) % state.seats])
        if not any(after.hands):
            events.append(["ended", RULES])
        elif after.turns >= state.turn_limit:
            events.append(["ended", TURN_LIMIT])
        return events

    def apply(self, state: State, event: Event) -> None:
        """Change `state` by one event."""
        match event:
            case ["dealt", hands]:
                state.hands = [hand[:] for hand in hands]
                state.on = True
            case ["played", seat, card]:
                state.hands[seat].remove(card)
                state.trick.append(card)
                state.turns += 1
            case ["taken", seat]:
                state.tricks[seat] += 1
                state.trick = []
                state.leader = seat
            case ["ended", termination]:
                state.on = False
                state.termination = termination

    def action_of(self, state: State, event: Event) -> tuple[int, int]:  # noqa: ARG002
        """Return (seat, action) of the decision that `event` begins."""
        return event[1], event[2]

    def observation(self, state: State, seat: int | None) -> dict[str, Any]:
        """Return what `seat` may know: everything except the other hands (HC-2)."""
        return {
            "seat": seat,
            "hand": [] if seat is None else [card_text(card) for card in state.hands[seat]],
            "cards": [len(hand) for hand in state.hands],
            "leader": state.leader,
            "trick": [card_text(card) for card in state.trick],
            "scores": state.tricks[:],
            "turns": state.turns,
        }

    def redact(self, event: Event, seat: int | None) -> Event:
        """Return a deal with only the viewer's own hand.

        All other events are public. An event not named here is redacted.
        """
        if event[0] == "dealt":
            return ["dealt", [hand if owner == seat else None for owner, hand in enumerate(event[1])]]
        return event if event[0] in ("played", "taken", "ended") else REDACTED

    def readable(self, event: Event) -> dict[str, Any]:
        """Return `event` with named fields."""
        match event:
            case ["dealt", hands]:
                return {"type": "dealt", "hands": [hand and [card_text(card) for card in hand] for hand in hands]}
            case ["played", seat, card]:
                return {"type": "played", "seat": seat, "card": card_text(card)}
            case ["taken", seat]:
                return {"type": "taken", "seat": seat}
            case ["ended", termination]:
                return {"type": "ended", "termination": termination}
        return {"type": event[0]}

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended (HC-6), or None while it is on."""
        return Outcome(state.termination, *self.standing(state)) if state.termination else None

    def standing(self, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the tricks of each seat, and their places."""
        return tuple(state.tricks), placings(state.tricks, best=self.spec.best)

    def move_text(self, state: State, action: int) -> str:  # noqa: ARG002
        """Return the move as text, such as `play 7H`."""
        return f"play {card_text(action)}"

    def parse_move(self, state: State, text: str) -> int:  # noqa: ARG002
        """Return the card that `text` names. Raises `MalformedMove`."""
        for card in range(52):
            if text == f"play {card_text(card)}":
                return card
        raise MalformedMove(self.spec.notation)
