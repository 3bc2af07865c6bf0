"""The rules of Platinum Fish, as the engine contract (`scorebook_games.contract`) has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scorebook_games.cards import packs
from scorebook_games.contract import RULES, Dealer, Event, MalformedMove, Option, Options, Outcome, Spec, placings
from scorebook_games.kinds.platinum_fish import observations as platinum_fish_observations
from scorebook_games.kinds.platinum_fish.apply import (
    change_hands,
    end_search,
    end_turn,
    give_hand,
    lack,
    lay,
    put_down,
    take_out,
)
from scorebook_games.kinds.platinum_fish.decide import (
    answer_shuffle,
    ask,
    deal_hand,
    draw,
    fish,
    new_hand,
    refuse_seat,
    salvage,
)
from scorebook_games.kinds.platinum_fish.moves import (
    ACTIONS,
    ASK_FOR,
    ASKS,
    DEMAND,
    DRAW_DECK,
    DRAW_DISCARD,
    FISH_FOR,
    PASS,
    PLAIN_MOVES,
    SALVAGE_FOR,
    STOP,
    TEXTS,
)
from scorebook_games.kinds.platinum_fish.state import (
    ASK,
    DRAW,
    FISH,
    KINDS_OF_CARD,
    MOST_SEATS,
    OVER,
    POSSIBLE,
    SALVAGE,
    SHUFFLE,
    WAITING,
    State,
)
from scorebook_games.text import gettext_noop as _


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
                "The game ends with the present scores after this number of completed turns of all "
                "seats. A full game has fewer than 104.",
                minimum=1,
                maximum=10**9,
            ),
        ),
        notation=_(
            "A move is written draw deck, draw discard, fish 7, ask 2 7 (seat, rank), decline, salvage 7, stop, "
            "shuffle or pass. Ranks are A 2 3 4 5 6 7 8 9 T J Q K, seats 0 to 5."
        ),
    )

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Return every option with its value. Raises `OptionError`."""
        return self.spec.resolve(seats, options)

    def initial(self, seats: int, options: Options) -> State:
        """Return the state before the deal."""
        return State(seats, options["searcher"] == "player", options["turn_limit"])

    def start(self, state: State, dealer: Dealer) -> list[Event]:
        """Return the deal, seat by seat (PF-1, PF-2), new hands for empty ones (PF-4), and the first discard (PF-3)."""
        deck = dealer.shuffle("deal", packs(2))
        events: list[Event] = [["stacked", deck[:]]]
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
        events.append(["turned", deck.pop(0)])
        return events if deck else [*events, ["ended", RULES]]

    def to_act(self, state: State) -> list[int]:
        """Return the seat that may act: the one on turn, one that is asked (PF-12), or one with a new hand (PF-15)."""
        return [state.actor] if DRAW <= state.phase <= SALVAGE else []

    def to_act_seen(self, state: State, viewer: int | None) -> list[int]:
        """Return the seat that may act, which everybody knows."""
        return self.to_act(state)

    def awaited(self, state: State) -> list[int]:
        """Return the seat that may act."""
        return self.to_act(state)

    def legal_actions(self, state: State, seat: int) -> list[int]:
        """Return draws, fish, questions, answers or salvages, depending on the phase."""
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
        """Return the move's own event, then the roll, the new hands and the end that follow from it.

        Raises `IllegalMove`.
        """
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

    def apply(self, state: State, event: Event) -> None:  # noqa: C901  one event type a branch
        """Change `state` by one event."""
        kind: str = event[0]
        if kind == "drew":
            seat: int = event[1]
            mate: int = event[3]
            card = state.deck.pop(0)
            state.in_deck[card >> 2] -= 1
            if mate >= 0:
                lay(state, seat, card, mate)
                state.phase = DRAW if state.held[seat] and state.deck else WAITING
            else:
                put_down(state, card)
                lack(state, seat, card >> 2)
                state.phase = WAITING
        elif kind == "rolled" or kind == "searched":
            a: int = event[2]
            b: int = event[3]
            found: list[int] = event[4]
            state.dice = [a, b]
            state.fish = found
            state.phase = FISH if found else ASK
            if not state.player_searches or not found:
                possible = POSSIBLE[7 * a + b]
                if len(found) < len(possible):
                    for rank in possible:
                        if rank not in found:
                            state.deck_lacks |= 1 << rank
        elif kind == "fished":
            take_out(state, event)
        elif kind == "asked":
            change_hands(state, event)
        elif kind == "declined":
            end_turn(state)
        elif kind == "dealt":
            give_hand(state, event)
        elif kind == "stopped":
            if state.held[state.turn]:
                end_turn(state)
            else:  # the asked card emptied both hands; the asker's new hand comes next (PF-16)
                state.phase = WAITING
        elif kind == "salvaged":
            seat = event[1]
            card = event[2]
            state.discard.reverse()
            state.discard.remove(card)  # the one of equal cards nearest to the top
            state.discard.reverse()
            state.in_discard[card >> 2] -= 1
            lay(state, seat, card, event[3])
            state.phase = SALVAGE if state.held[seat] else WAITING
        elif kind == "took":
            seat = event[1]
            card = state.discard.pop()
            state.in_discard[card >> 2] -= 1
            lay(state, seat, card, event[3])
            state.phase = DRAW if state.held[seat] else WAITING
        elif kind == "passed":
            state.actor = (state.actor + 1) % state.seats
            if state.actor == state.turn:
                end_search(state)
        elif kind == "shuffled":
            state.deck = event[2][:]
            end_search(state)
        elif kind == "ended":
            state.phase = OVER
            state.termination = event[1]
        elif kind == "turned":
            card = state.deck.pop(0)
            state.in_deck[card >> 2] -= 1
            put_down(state, card)
            state.phase = DRAW if state.deck else WAITING
        elif kind == "stacked":
            state.deck = event[1][:]
            for card in state.deck:
                state.in_deck[card >> 2] += 1

    def action_of(self, state: State, event: Event) -> tuple[int, int]:
        """Return (seat, action) of the decision that `event` begins.

        Raises ValueError if no decision begins with it.
        """
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
        """Return all that `seat` may know: its own hand, and what everybody has seen (PF-13)."""
        return platinum_fish_observations.observation(state, seat, self.to_act(state))

    def looks(self, state: State, seat: int) -> bool:
        """Whether `seat` searches the deck itself now (PF-12)."""
        return state.player_searches and state.phase == FISH and seat == state.turn

    def redact(self, event: Event, seat: int | None) -> Event:
        """Return `event` as `seat` may see it: without the deck's order, other hands, or another roller's search
        (PF-13)."""
        return platinum_fish_observations.redact(event, seat)

    def readable(self, event: Event) -> dict[str, Any]:
        """Return `event` with named fields: cards and ranks as text, None for what is hidden or not there."""
        return platinum_fish_observations.readable(event)

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome: most matches win (PF-17). None while the game is on."""
        if state.phase != OVER:
            return None
        scores, places = self.standing(state)
        return Outcome(state.termination, scores, places)

    def standing(self, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return (matches, placings) as they lie on the table now (PF-17)."""
        scores = [len(cards) // 2 for cards in state.laid]
        return tuple(scores), placings(scores, best=self.spec.best)

    def move_text(self, state: State, action: int) -> str:
        """Return the move as text, such as `draw deck`, `fish 7`, `ask 2 7`, `salvage 7` or `stop`."""
        return TEXTS[action]

    def parse_move(self, state: State, text: str) -> int:
        """Return the action that `text` names. Raises `MalformedMove`."""
        action = ACTIONS.get(text)
        if action is None:
            raise MalformedMove(self.spec.notation)
        return action
