"""The rules of Palace, as the engine contract (`scorebook_games.contract`) has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scorebook_games.cards import packs
from scorebook_games.contract import (
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
from scorebook_games.kinds.palace import observations as palace_observations
from scorebook_games.kinds.palace.apply import (
    add_card,
    apply_chose,
    apply_dealt,
    apply_drew,
    apply_failed,
    apply_looked,
    apply_played,
    apply_risked,
    apply_threw,
    apply_turned,
    close_window,
    pass_turn,
    take_pile,
)
from scorebook_games.kinds.palace.decide import (
    answer_chance,
    call_out,
    chance,
    choose,
    look,
    play,
    take,
    throw,
    turn_up,
)
from scorebook_games.kinds.palace.legal import acting, choices, may_play, throw_actions, turn_actions
from scorebook_games.kinds.palace.moves import (
    ACTIONS,
    CALL,
    CHANCE,
    CHOICE,
    KEEP,
    LAST,
    MOVES,
    PASS,
    PLAY_DRAWN,
    TAKE,
    THROW,
    TURN,
    choice_of,
)
from scorebook_games.kinds.palace.observations import cards_of
from scorebook_games.kinds.palace.state import (
    BEFORE,
    CHOOSE,
    DRAWN,
    GONE,
    HAND,
    JOKERS,
    LOOK,
    NO_CARD,
    NOBODY,
    OVER,
    PALACE,
    PLAY,
    WILDS,
    PalaceState,
)
from scorebook_games.text import gettext_noop as _

SPEC: Final = Spec(
    kind="palace",
    title="Palace",
    rules_version=1,
    seats_min=2,
    seats_max=6,
    options=(
        Option("packs", "int", None, "Number of packs. Default: one for every two players.", 1, 6),
        Option("jokers", "bool", True, "Whether each pack has its two jokers."),
        Option(
            "start",
            "choice",
            "worst",
            "Who starts: the player with the worst upper palace, or the player on the dealer's left.",
            choices=("worst", "left"),
        ),
        Option(
            "ace",
            "choice",
            "threat",
            "An Ace threatens the next player with the pile, or resets the pile as a 2 does.",
            choices=("threat", "reset"),
        ),
        Option(
            "joker",
            "choice",
            "clear",
            "A joker clears the pile, or reverses the direction of play.",
            choices=("clear", "reverse"),
        ),
        Option(
            "placings",
            "choice",
            "winner",
            "After the first player has won, all others share second place, or they play on for their places.",
            choices=("winner", "play_on"),
        ),
        Option("last_card_call", "bool", False, "Players with one card left must say so, or they may be called out."),
        Option(
            "turn_limit", "int", 2000, "The game ends with the present positions after this number of turns.", 1, 10**6
        ),
    ),
    notation=_(
        "A move is written palace 9QK (three cards in rank order), play 88, chance, play drawn, keep, take, turn 0, "
        "throw 8, pass or call 2; play, throw and turn may end in `last`. Ranks are A 2 3 4 5 6 7 8 9 T J Q K *."
    ),
    best="lowest",
)


class Palace:
    """The rules of Palace."""

    def __init__(self) -> None:
        self.spec: Spec = SPEC

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Return every option with its value (PA-1). Raises `OptionError`, also if the packs have too few cards."""
        resolved = self.spec.resolve(seats, options)
        if "packs" not in options:
            resolved["packs"] = -(-seats // 2)
        size = len(pack_of(resolved))
        least = (2 * PALACE + PALACE) * seats + 1
        if size < least:
            sentence = _("Option packs gives {cards} cards, but {seats} players need {least}. Use more packs.")
            raise OptionError("packs", sentence, cards=size, seats=seats, least=least)
        return resolved

    def initial(self, seats: int, options: Options) -> PalaceState:
        """Return the state before the deal."""
        return PalaceState(seats, options)

    def start(self, state: PalaceState, dealer: Dealer) -> list[Event]:
        """Return the deal (PA-2, PA-3), from the shuffle `deal`, then `deal/again1` … while a wild card goes back."""
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
        """Return the seat that may throw, the seat on turn, then the seats that can only call out (PA-16, PA-24)."""
        if state.phase == PLAY:
            if state.fresh:
                return acting(state, state.thrower)
            return acting(state, NOBODY) if state.uncalled else [state.turn]
        if state.phase == CHOOSE:
            return self.awaited(state)
        return acting(state, NOBODY) if state.phase == DRAWN or state.phase == LOOK else []

    def to_act_seen(self, state: PalaceState, viewer: int | None) -> list[int]:
        """Return `to_act` as `viewer` may know it: others see that a seat might throw after drawing (PA-16)."""
        if state.phase != PLAY or viewer == state.thrower:
            return self.to_act(state)
        return acting(state, state.thrower if state.drawn else NOBODY)

    def awaited(self, state: PalaceState) -> list[int]:
        """Return the seats that the game waits for. Nobody waits for a throw or a call."""
        if state.phase == CHOOSE:
            return [seat for seat in range(state.seats) if not state.upper[seat]]
        return [state.turn] if PLAY <= state.phase <= LOOK else []

    def legal_actions(self, state: PalaceState, seat: int) -> list[int]:
        """Return every action open to `seat` now."""
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
        """Return what `action` leads to; an empty list for a pass. Draws nothing. Raises `IllegalMove`."""
        if action not in MOVES:
            raise IllegalMove("no_such_move", "PA-6", _("Palace has no move with the number {number}."), number=action)
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
            raise IllegalMove("nobody_to_act", "PA-22", _("Nobody can move: no game is in progress."))
        if phase == CHOOSE or action >= CHOICE:
            return choose(state, seat, action)
        if CALL <= action < TAKE:
            return call_out(state, seat, action - CALL)
        if action == PASS or THROW <= action < TURN:
            return throw(state, seat, action)
        if seat != state.turn:
            raise IllegalMove("not_your_turn", "PA-6", _("It is another player's turn."))
        if phase == DRAWN:
            return answer_chance(state, seat, action)
        if phase == LOOK:
            return look(state, seat, action)
        raise IllegalMove("nothing_drawn", "PA-9", _("You have not chanced a card."))

    def apply(self, state: PalaceState, event: Event) -> None:  # noqa: C901  one event type a branch
        """Change `state` by one event."""
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
        """Return (seat, action) of the decision that `event` begins.

        Raises ValueError if no decision begins with it.
        """
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
        """Return all that `seat` may know (`observations.observation`)."""
        return palace_observations.observation(state, seat, self.to_act_seen(state, seat))

    def redact(self, event: Event, seat: int | None) -> Event:
        """Return `event` as `seat` may see it: only the owner sees hands, choices, and cards drawn or looked at."""
        return palace_observations.redact(event, seat)

    def readable(self, event: Event) -> dict[str, Any]:
        """Return `event` with named fields: cards as text, null where they are hidden."""
        return palace_observations.readable(event)

    def outcome(self, state: PalaceState) -> Outcome | None:
        """Return the outcome (PA-22, PA-23); None while the game is on."""
        if state.phase != OVER:
            return None
        scores, places = self.standing(state)
        return Outcome(state.termination, scores, places)

    def standing(self, state: PalaceState) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return (cards left, placings) as they stand: seats that are out in order, then by fewest cards; ties share a
        place.

        If the winner ended the game by the rules, all others share second place (PA-23).
        """
        scores = tuple([cards_of(state, seat) for seat in range(state.seats)])
        if state.out and not state.play_on:
            return scores, tuple([1 if seat == state.out[0] else 2 for seat in range(state.seats)])
        ranked = list(scores)
        for place, seat in enumerate(state.out):
            ranked[seat] = place - state.seats
        return scores, tuple([1 + sum([other < own for other in ranked]) for own in ranked])

    def move_text(self, state: PalaceState, action: int) -> str:
        """Return the move as a player writes it, such as `play 88 last`."""
        return MOVES[action]

    def parse_move(self, state: PalaceState, text: str) -> int:
        """Return the action that `text` names. Raises `MalformedMove`."""
        action = ACTIONS.get(text)
        if action is None:
            raise MalformedMove(SPEC.notation)
        return action


def pack_of(options: Options) -> list[int]:
    """Return all cards of a game, sorted within each pack (PA-1)."""
    return packs(options["packs"], JOKERS if options["jokers"] else 0)
