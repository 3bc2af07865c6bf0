"""The order in which moves are taken if several seats may act at once (PS-17). Pure; needs only the standard library.

- turns: A move is taken when it arrives. The runner asks built-in bots seat by seat.
- beats: Every seat gives a bundle for the next beat. When all have, the dealer draws the order of the seats, and the
  whole beat is taken in this order. Who was first to give does not matter.
- live: A move is taken when it arrives, but only after GO and not before the kind's limit allows (`Paced.pace_limit`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeGuard

from scorebook_games.contract import Dealer, Event, MalformedMove, Paced, Rules, RulesError
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import PACES
from scorebook_games.text import gettext_noop as _

COUNTDOWN_SECONDS: Final = 3
# After this time, the countdown begins without the players who have not said that they are ready.
READY_TIMEOUT_SECONDS: Final = 60
MAX_BUNDLE_MOVES: Final = 100


class FaultyBundle(Exception):
    """The rules refuse the move at `index` of a bundle, tried after the moves before it; `error` says why."""

    def __init__(self, index: int, error: RulesError) -> None:
        super().__init__(error.sentence)
        self.index = index
        self.error = error


class BlankDealer:
    """A dealer that always draws the least. It serves to ask whether a move is legal, which no draw decides."""

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:  # noqa: ARG002
        """Return zeros."""
        return [0] * len(bounds)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:  # noqa: ARG002
        """Return the items in the order given."""
        return list(items)

    def dice(self, label: str, count: int) -> list[int]:  # noqa: ARG002
        """Return ones."""
        return [1] * count


@lru_cache(maxsize=64)
def _has_paces(rules: Any) -> bool:
    """Return whether the rules are `Paced`. Cached, because this is asked for each move of a bundle."""
    return isinstance(rules, Paced)


def _is_paced(rules: Any) -> TypeGuard[Paced[Any]]:
    return _has_paces(rules)


def paces_of(rules: Rules[Any]) -> tuple[str, ...]:
    """Return the paces in which a kind can be played, the default first."""
    return rules.paces if _is_paced(rules) else PACES


def ends_bundle(rules: Rules[Any], state: Any, action: int) -> bool:
    """Return whether `action` ends a bundle. Every action does unless the kind says otherwise."""
    return rules.ends_bundle(state, action) if _is_paced(rules) else True


def check_bundle(rules: Rules[Any], state: Any, seat: int, texts: Sequence[str]) -> list[int]:
    """Return the actions of a bundle that `seat` may give now. Does not change `state`. Raises `FaultyBundle`.

    A move is tried after the moves before it, but without their consequences. For example, a turn limit that one of
    them reaches counts only when the bundle is taken.
    """
    if not 0 < len(texts) <= MAX_BUNDLE_MOVES:
        raise FaultyBundle(0, MalformedMove(_("A bundle must be a list of 1 to {most} moves."), most=MAX_BUNDLE_MOVES))
    trial = state.copy()
    actions: list[int] = []
    last = len(texts) - 1
    for index, text in enumerate(texts):
        try:
            action = rules.parse_move(trial, text)
            made = rules.decide(trial, seat, action, BlankDealer())
            if ends_bundle(rules, trial, action) != (index == last):
                raise _wrong_end(index, index == last)
        except RulesError as error:
            raise FaultyBundle(index, error) from error
        actions.append(action)
        if index < last:
            rules.apply(trial, made[0])
    return actions


def _wrong_end(index: int, last: bool) -> MalformedMove:
    if last:
        return MalformedMove(_("The bundle is incomplete. It must end with a move that ends it."))
    return MalformedMove(_("Move {number} ends the bundle, so nothing may follow it."), number=index + 1)


def first_events(fold: Fold, people: bool, dealer: Dealer) -> list[Event]:
    """Return what follows the opening at once: the deal, or on the pace "live" the countdown.

    The list is empty on that pace if `people` sit at the table, because they must say first that they are ready.
    """
    if fold.go:
        return fold.rules.start(fold.state, dealer)
    return [] if people else [[ev.COUNTDOWN, COUNTDOWN_SECONDS]]


def towards_go(fold: Fold, dealer: Dealer) -> list[Event]:
    """Return the countdown, or after it GO and the first events of the rules."""
    if not fold.countdown:
        return [[ev.COUNTDOWN, COUNTDOWN_SECONDS]]
    return [[ev.GO], *fold.rules.start(fold.state, dealer)]


def order_of(fold: Fold, beat: int, dealer: Dealer) -> list[int]:
    """Return the order in which the seats' bundles of a beat are taken.

    It has all seats, with or without a bundle, because that a seat may act can be its own secret.
    """
    return dealer.shuffle(f"beat/{beat}", range(fold.seats))


def beat_events(fold: Fold, bundles: Mapping[int, Sequence[str]], dealer: Dealer) -> list[Event]:
    """Return the events of the next beat, given each seat's bundle. Does not change `fold`.

    A move that is no longer legal is not taken, and neither are the moves after it in its bundle; those before it
    stand. The log records this only for a seat that everybody waited for. That any other seat wanted to move is its
    secret.
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
