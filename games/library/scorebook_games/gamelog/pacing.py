"""In which order moves are taken where several seats may act at once (PS-17). Pure, standard library only.

turns   A move is taken as it arrives; the runner asks built-in bots seat by seat.
beats   Every seat gives a bundle for the next beat. When all have, the dealer draws the order of the seats, and the
        whole beat is taken in it: nothing depends on who was first to give.
live    A move is taken as it arrives, after GO, and no sooner than the kind's limit allows (`Paced.pace_limit`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from games.engines.base import Dealer, Event, MalformedMove, Paced, Rules, RulesError
from games.gamelog import events as ev
from games.gamelog.fold import Fold
from games.gamelog.terms import PACES

COUNTDOWN_SECONDS: Final = 3
READY_TIMEOUT_SECONDS: Final = 60  # then the countdown begins without those who have not said that they are ready
MAX_BUNDLE_MOVES: Final = 100  # in a bundle


class FaultyBundle(Exception):
    """What the rules say (`error`) to the move with that `index` of a bundle, after those before it."""

    def __init__(self, index: int, error: RulesError) -> None:
        super().__init__(error.sentence)
        self.index = index
        self.error = error


class BlankDealer:
    """Draws the least of everything: to ask whether a move is legal, which no draw has a say in."""

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:  # noqa: ARG002
        """Zeros."""
        return [0] * len(bounds)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:  # noqa: ARG002
        """The items as they are."""
        return list(items)

    def dice(self, label: str, count: int) -> list[int]:  # noqa: ARG002
        """Ones."""
        return [1] * count


def paces_of(rules: Rules[Any]) -> tuple[str, ...]:
    """The paces in which a kind is played, the usual one first."""
    return rules.paces if isinstance(rules, Paced) else PACES


def ends_bundle(rules: Rules[Any], state: Any, action: int) -> bool:
    """Whether a bundle ends with `action`: any does, where the kind says nothing else."""
    return rules.ends_bundle(state, action) if isinstance(rules, Paced) else True


def check_bundle(rules: Rules[Any], state: Any, seat: int, texts: Sequence[str]) -> list[int]:
    """The actions of a bundle that `seat` may give now; `state` is left as it was. Raises `FaultyBundle`.

    A move is tried after the moves before it, but not after what followed from them: a turn limit that one of them
    meets counts when the bundle's turn comes.
    """
    if not 0 < len(texts) <= MAX_BUNDLE_MOVES:
        raise FaultyBundle(0, MalformedMove(f"A bundle must be a list of 1 to {MAX_BUNDLE_MOVES} moves."))
    trial = state.copy()
    actions: list[int] = []
    last = len(texts) - 1
    for index, text in enumerate(texts):
        try:
            action = rules.parse_move(trial, text)
            made = rules.decide(trial, seat, action, BlankDealer())
            if ends_bundle(rules, trial, action) != (index == last):
                raise MalformedMove(_no_end(index, index == last))
        except RulesError as error:
            raise FaultyBundle(index, error) from error
        actions.append(action)
        if index < last:
            rules.apply(trial, made[0])
    return actions


def _no_end(index: int, last: bool) -> str:
    if last:
        return "The bundle is incomplete. It must end with a move that ends it."
    return f"Move {index + 1} ends the bundle, so nothing may follow it."


def first_events(fold: Fold, people: bool, dealer: Dealer) -> list[Event]:
    """What follows the opening at once: the deal; on the pace "live" the countdown, if there are no `people` who must
    say that they are ready."""
    if fold.go:
        return fold.rules.start(fold.state, dealer)
    return [] if people else [[ev.COUNTDOWN, COUNTDOWN_SECONDS]]


def towards_go(fold: Fold, dealer: Dealer) -> list[Event]:
    """The countdown, or after it GO, and what the rules begin with."""
    if not fold.countdown:
        return [[ev.COUNTDOWN, COUNTDOWN_SECONDS]]
    return [[ev.GO], *fold.rules.start(fold.state, dealer)]


def order_of(fold: Fold, beat: int, dealer: Dealer) -> list[int]:
    """The order in which the seats' bundles of a beat are taken. All seats are in it, whoever gives a bundle: that a
    seat may act can be its own secret."""
    return dealer.shuffle(f"beat/{beat}", range(fold.seats))


def beat_events(fold: Fold, bundles: Mapping[int, Sequence[str]], dealer: Dealer) -> list[Event]:
    """The events of the next beat, given each seat's bundle; `fold` is left as it was.

    A move that is not legal any more is not taken, nor is what follows it in its bundle; what came before it stands.
    The log says so of a seat that everybody waited for; of another, nobody may know that it wanted something.
    """
    rules, state = fold.rules, fold.state.copy()
    order = order_of(fold, fold.beat + 1, dealer)
    waited = rules.awaited(state)
    events: list[Event] = [[ev.BEAT, fold.beat + 1, order]]
    for seat in order:
        for text in bundles.get(seat, ()):
            if rules.outcome(state):
                return events
            try:
                made = rules.decide(state, seat, rules.parse_move(state, text), dealer)
            except RulesError:
                if seat in waited:
                    events.append([ev.NOT_TAKEN, seat, text])
                break
            for event in made:
                rules.apply(state, event)
            events += made
    return events
