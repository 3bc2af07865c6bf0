"""Hearts: a trick-taking game in which points are bad (rules.md, clauses HE-1 … HE-12).

Events
------
``["dealt", hands, leader]``   a round begins: a list of cards for each seat, and who has the two of clubs (HE-3)
``["played", seat, card]``     a card goes from the hand to the trick (HE-4)
``["taken", seat]``            the trick is over, and this seat has it (HE-8)
``["scored", points]``         the round is over: the points of each seat (HE-9, HE-10)
``["ended", termination]``     the game is over (HE-11, HE-12)

An action is a card.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scorebook_games.cards import ACE, card_of, card_text, packs, rank_of
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

HEARTS = 1  # as `suit_of` counts
FIRST_CARD = card_of("2C")
QUEEN = card_of("QS")
LEFT_OUT = {3: ("2D",), 4: (), 5: ("2D", "2S")}  # so that everybody is dealt the same number of cards
ALL_POINTS = 26


def suit_of(card: int) -> int:
    """Return the suit of a card, in the order S H D C."""
    return card & 3


def strength(card: int) -> int:
    """Return how high a card is within its suit: the ace is highest."""
    return 13 if rank_of(card) == ACE else rank_of(card)


def points_of(card: int) -> int:
    """Return the points of a card (HE-9)."""
    return 13 if card == QUEEN else int(suit_of(card) == HEARTS)


class State:
    """The state of a game. `trick` has the cards that were played to it, from seat `leader` on."""

    def __init__(self, seats: int, options: Options) -> None:
        self.seats = seats
        self.rounds: int = options["rounds"]
        self.turn_limit: int = options["turn_limit"]
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.taken: list[list[int]] = [[] for _ in range(seats)]  # the cards that each seat has taken in this round
        self.trick: list[int] = []
        self.last_trick: list[list[int]] = []  # each with its seat and card
        self.leader = 0
        self.broken = False
        self.scores = [0] * seats  # of the rounds that are over
        self.round = 0
        self.turns = 0
        self.termination = ""

    def copy(self) -> State:
        """Return an independent state."""
        twin = object.__new__(State)
        vars(twin).update({name: copied(value) for name, value in vars(self).items()})
        return twin

    def plain(self) -> dict[str, Any]:
        """Return every fact of the state as plain data."""
        return dict(vars(self.copy()))

    @property
    def on(self) -> bool:
        """Return whether a move is awaited."""
        return any(self.hands) and not self.termination

    @property
    def turn(self) -> int:
        """Return whose turn it is, while the trick is not complete."""
        return (self.leader + len(self.trick)) % self.seats

    def points(self) -> list[int]:
        """Return the points that each seat has taken in this round."""
        return [sum(map(points_of, cards)) for cards in self.taken]


class Hearts:
    """The rules of Hearts."""

    spec = Spec(
        kind="hearts",
        title="Hearts",
        rules_version=1,
        seats_min=3,
        seats_max=5,
        options=(
            Option("rounds", "int", 4, "The game is over after so many rounds.", minimum=1, maximum=10),
            Option("turn_limit", "int", 600, "The game ends after this number of turns.", minimum=1, maximum=1000),
        ),
        notation="A move is written play 7H: rank A 2 3 4 5 6 7 8 9 T J Q K, suit S H D C.",
        best="lowest",
    )

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Return every option with its value. Raises `OptionError`."""
        return self.spec.resolve(seats, options)

    def initial(self, seats: int, options: Options) -> State:
        """Return the state before the deal."""
        return State(seats, options)

    def start(self, state: State, dealer: Dealer) -> list[Event]:
        """Return the first deal."""
        return [self.deal(state.seats, 1, dealer)]

    def deal(self, seats: int, number: int, dealer: Dealer) -> Event:
        """Return the deal of a round (HE-1, HE-3)."""
        left_out = [card_of(text) for text in LEFT_OUT[seats]]
        order = dealer.shuffle(f"deal/round{number}", [card for card in packs(1) if card not in left_out])
        size = len(order) // seats
        hands = [sorted(order[seat * size : (seat + 1) * size], key=in_hand) for seat in range(seats)]
        leader = next(seat for seat, hand in enumerate(hands) if FIRST_CARD in hand)
        return ["dealt", hands, leader]

    def to_act(self, state: State) -> list[int]:
        """Return whose turn it is (HE-4)."""
        return [state.turn] if state.on else []

    def to_act_seen(self, state: State, viewer: int | None) -> list[int]:
        """Return whose turn it is, which everybody knows."""
        return self.to_act(state)

    def awaited(self, state: State) -> list[int]:
        """Return whose turn it is."""
        return self.to_act(state)

    def legal_actions(self, state: State, seat: int) -> list[int]:
        """Return the cards that may be played."""
        if seat not in self.to_act(state):
            return []
        return [card for card in state.hands[seat] if not forbidden_by(state, card)]

    def decide(self, state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
        """Return the play of a card, and what it ends: the trick, the round, the game."""
        if seat not in self.to_act(state):
            raise IllegalMove("not_your_turn", "HE-4", "It is not your turn.")
        if action not in state.hands[seat]:
            raise IllegalMove("not_in_hand", "HE-4", "You do not have this card in hand.")
        if clause := forbidden_by(state, action):
            raise IllegalMove("not_allowed", clause, SENTENCES[clause])
        after = state.copy()
        events: list[Event] = []

        def add(event: Event) -> None:
            events.append(event)
            self.apply(after, event)

        add(["played", seat, action])
        if len(after.trick) == state.seats:
            add(["taken", winner_of(after.trick, after.leader)])
            if not any(after.hands):
                add(["scored", round_points(after.points())])
        if after.round == after.rounds and not any(after.hands):
            add(["ended", RULES])
        elif after.turns >= after.turn_limit:
            add(["ended", TURN_LIMIT])
        elif not any(after.hands):
            add(self.deal(state.seats, after.round + 1, dealer))
        return events

    def apply(self, state: State, event: Event) -> None:
        """Change `state` by one event."""
        match event:
            case ["dealt", hands, leader]:
                state.hands = [hand[:] for hand in hands]
                state.taken = [[] for _ in hands]
                state.last_trick = []
                state.leader, state.broken = leader, False
                state.round += 1
            case ["played", seat, card]:
                state.hands[seat].remove(card)
                state.trick.append(card)
                state.broken = state.broken or suit_of(card) == HEARTS
                state.turns += 1
            case ["taken", seat]:
                state.last_trick = by_seat(state)
                state.taken[seat] += state.trick
                state.trick, state.leader = [], seat
            case ["scored", points]:
                state.scores = [score + more for score, more in zip(state.scores, points, strict=True)]
                state.taken = [[] for _ in points]
            case ["ended", termination]:
                state.termination = termination

    def action_of(self, state: State, event: Event) -> tuple[int, int]:
        """Return (seat, action) of the decision whose first event is `event`."""
        return event[1], event[2]

    def observation(self, state: State, seat: int | None) -> dict[str, Any]:
        """Return what `seat` may know: everything but the other hands (HE-2)."""
        return {
            "seat": seat,
            "hand": [] if seat is None else texts(state.hands[seat]),
            "hand_counts": [len(hand) for hand in state.hands],
            "leader": state.leader,
            "trick": [{"seat": player, "card": card_text(card)} for player, card in by_seat(state)],
            "last_trick": [{"seat": player, "card": card_text(card)} for player, card in state.last_trick],
            "taken": [texts(cards) for cards in state.taken],
            "points": state.points(),
            "hearts_broken": state.broken,
            "scores": list(self.standing(state)[0]),
            "round": state.round,
            "rounds": state.rounds,
            "turns": state.turns,
        }

    def redact(self, event: Event, seat: int | None) -> Event:
        """Return what `seat` sees: of a deal its own hand, and all other events. Unknown events are hidden."""
        if event[0] == "dealt":
            return ["dealt", [hand if owner == seat else None for owner, hand in enumerate(event[1])], event[2]]
        return event if event[0] in ("played", "taken", "scored", "ended") else REDACTED

    def readable(self, event: Event) -> dict[str, Any]:
        """Return `event` with names."""
        match event:
            case ["dealt", hands, leader]:
                return {"type": "dealt", "hands": [hand and texts(hand) for hand in hands], "leader": leader}
            case ["played", seat, card]:
                return {"type": "played", "seat": seat, "card": card_text(card)}
            case ["taken", seat]:
                return {"type": "taken", "seat": seat}
            case ["scored", points]:
                return {"type": "scored", "points": points}
            case ["ended", termination]:
                return {"type": "ended", "termination": termination}
        return {"type": event[0]}

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended, or None while it is on."""
        return Outcome(state.termination, *self.standing(state)) if state.termination else None

    def standing(self, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the points of all rounds with those of this round, and places by them (HE-11)."""
        scores = [score + more for score, more in zip(state.scores, state.points(), strict=True)]
        return tuple(scores), placings(scores, best=self.spec.best)

    def move_text(self, state: State, action: int) -> str:
        """Return a move as text, such as `play 7H`."""
        return f"play {card_text(action)}"

    def parse_move(self, state: State, text: str) -> int:
        """Return the card that `text` names. Raises `MalformedMove`."""
        for card in packs(1):
            if text == f"play {card_text(card)}":
                return card
        raise MalformedMove(self.spec.notation)


SENTENCES = {
    "HE-4": "The two of clubs is played first.",
    "HE-5": "You must follow suit.",
    "HE-6": "No heart and not the queen of spades may be played to the first trick.",
    "HE-7": "No heart may be led before hearts are broken.",
}


def forbidden_by(state: State, card: int) -> str:
    """Return the clause that forbids the player whose turn it is to play `card` of their hand, or ""."""
    hand = state.hands[state.turn]
    if FIRST_CARD in hand and card != FIRST_CARD and not state.trick:
        return "HE-4"
    if state.trick:
        led = suit_of(state.trick[0])
        if suit_of(card) != led and any(suit_of(other) == led for other in hand):
            return "HE-5"
        if state.trick[0] == FIRST_CARD and points_of(card) and not all(map(points_of, hand)):
            return "HE-6"
    elif suit_of(card) == HEARTS and not state.broken and any(suit_of(other) != HEARTS for other in hand):
        return "HE-7"
    return ""


def winner_of(trick: list[int], leader: int) -> int:
    """Return the seat that takes a complete trick: the highest card of the suit that was led (HE-8)."""
    led = suit_of(trick[0])
    best = max(range(len(trick)), key=lambda place: strength(trick[place]) if suit_of(trick[place]) == led else -1)
    return (leader + best) % len(trick)


def round_points(points: list[int]) -> list[int]:
    """Return what a round counts for each seat: if one took all points, they count for all others (HE-10)."""
    if ALL_POINTS not in points:
        return points
    return [ALL_POINTS - each for each in points]


def copied(value: Any) -> Any:
    """Return a value of a state with its own lists."""
    return [copied(each) for each in value] if isinstance(value, list) else value


def by_seat(state: State) -> list[list[int]]:
    """Return the cards of the trick with the seats that played them."""
    return [[(state.leader + place) % state.seats, card] for place, card in enumerate(state.trick)]


def in_hand(card: int) -> tuple[int, int]:
    """Return the place of a card in a sorted hand: clubs, diamonds, spades, hearts, each from low to high."""
    return "CDSH".index(card_text(card)[1]), strength(card)


def texts(cards: list[int]) -> list[str]:
    """Return cards as text."""
    return [card_text(card) for card in cards]
