"""Worlds of any kind, made through the engine contract alone.

A seat knows the events that it was shown, and no state can be made from them. So a world is a whole game that is played
again from its start. Its draws are invented: a *plan* holds an answer for each label of the dealer. The moves are those
that the seat saw. As soon as the game shows the seat something else than it saw, the plan is repaired: the two things
that differ are exchanged in the shuffle that has them both, as the conformance suite makes its twins
(`conformance.hidden`). What a repair has put right stays where it is. Everything else is shuffled again for the next
world.

In a game of several rounds it is played again from the last round that began afresh (`search.beginnings`), because
what was hidden before has no part in it.

All work is counted in positions: one for each decision that is made again. If the positions are used up, there are
fewer worlds, or none.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from scorebook_games.contract import Event, RulesError, listed_actions
from scorebook_games.search.chance import DrawDealer, shuffled
from scorebook_games.search.record import Record
from scorebook_games.search.worth import Observation

CONCERNED: Final = 0.7  # how often what is changed at random has to do with the event that differs
ONWARD: Final = 0.4  # how often what an exchange for a forbidden move has put out of its place goes on to another one
EXCHANGE: Final = 0.7  # how often a repair puts right what differs, and does not try something at random
AGAIN: Final = 0.1  # how often a place whose thing the seat may have seen is mixed in all the same
REPLAYS: Final = 4  # positions for each event that a world may take, except the first one
LEAST_SHARE: Final = 0.05  # of the places that are mixed for the next world
WORSE: Final = 0.01  # how often a repair is kept although the game stops earlier, because others lead nowhere
TRIED: Final = 24  # moves that are tried in place of a move that the seat did not see
UNLIKE: Final = 1000  # numbers that are wrong in an event of another type
Pair = tuple[int, int]  # what a world shows, and what the seat saw instead


class UsedUp(Exception):
    """All positions are used, or all that one world may take."""


class Drawn(NamedTuple):
    """The answer to one label of the dealer."""

    method: str
    of: Any
    answer: list[int]


class Plan:
    """An invented game: its draws by label, the hidden moves by the number of their first event, and the states just
    before each of both, with the number of the next event. The events in `taken` are those that the seat saw, because
    no draw could be found that leads to them."""

    __slots__ = ("answers", "choices", "saved", "taken")

    def __init__(self) -> None:
        self.answers: dict[str, Drawn] = {}
        self.choices: dict[int, tuple[int, int]] = {}
        self.saved: dict[str | int, tuple[int, Any]] = {}
        self.taken: set[int] = set()

    def copy(self) -> Plan:
        """Return a plan that can be changed by itself."""
        twin = Plan()
        twin.answers, twin.choices, twin.saved = dict(self.answers), dict(self.choices), dict(self.saved)
        twin.taken = set(self.taken)
        return twin


class PlannedDealer:
    """A dealer that answers as planned. It draws what is not planned, and adds it to the plan."""

    def __init__(self, plan: Plan, lots: DrawDealer) -> None:
        self.answers = plan.answers
        self.lots = lots
        self.asked: list[str] = []

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """Return the planned numbers."""
        return self._answer("integers", label, list(bounds))

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """Return the items in the planned order."""
        return self._answer("shuffle", label, list(items))

    def dice(self, label: str, count: int) -> list[int]:
        """Return the planned dice."""
        return self._answer("dice", label, count)

    def _answer(self, method: str, label: str, of: Any) -> list[int]:
        drawn = self.answers.get(label)
        if drawn is None or drawn.method != method or drawn.of != of:
            drawn = self.answers[label] = Drawn(method, of, getattr(self.lots, method)(label, of))
        self.asked.append(label)
        return drawn.answer[:]


Likeness = tuple[int, int]  # how many events are right, and how few numbers of the next one are wrong, as −n


class Beginning(NamedTuple):
    """Where a game is played again from: the number of the next event, and the state before it. `state` is None at the
    very start. `failed` counts the rounds since then that could not be taken for a beginning."""

    number: int = 0
    state: Any = None
    failed: int = 0


class Stop(NamedTuple):
    """Where a game stopped to look as it was seen: the number of the next event, the state before it, what was shown
    instead (nothing for a move that is not legal), the labels that were drawn, and how far the game is right."""

    number: int
    state: Any
    shown: list[Event]
    labels: list[str]
    likeness: Likeness
    right: bool = False
    """Whether the whole game looks as it was seen."""


class GeneralWorlds:
    """The worlds of one seat at one moment."""

    def __init__(
        self,
        record: Record,
        observation: Observation,
        legal: list[str],
        positions: int,
        rng: random.Random,
        begin: Beginning = Beginning(),  # noqa: B008  it never changes
    ) -> None:
        self.record, self.observation, self.legal = record, observation, legal
        self.rules, self.events, self.begin = record.rules, record.events, begin
        self.rng = rng
        self.lots = DrawDealer(rng.random)
        self.left = positions
        self.least = 0
        """How many positions must be left for other worlds."""
        self.seen = set(numbers(list(record.events[begin.number :])))
        self.pinned: dict[str, set[int]] = {}
        """By label, the places of what the seat has seen, as far as repairs have found them."""

    def some(self, most: int) -> list[Any]:
        """Return states in which the seat would have been shown the same, at most this many."""
        found: list[Any] = []
        base: Plan | None = None
        plan, key = Plan(), None
        share = 1.0
        while len(found) < most and self.left:
            length = len(self.events) - self.begin.number
            self.least = max(0, self.left - REPLAYS * length) if base else 0
            try:
                base, state = self.world(plan, key)
            except UsedUp:
                if base is None:
                    break
                share = max(LEAST_SHARE, share / 2)
            else:
                found.append(state)
                share = min(1.0, share * 2)
            plan = base.copy()
            key = self.mix(plan, share)
            if key is None:  # nothing is hidden
                break
        return found

    def world(self, plan: Plan, key: str | int | None) -> tuple[Plan, Any]:
        """Return a plan whose game looks as it was seen, and its last state. Raises `UsedUp`."""
        stop = self.played(plan, key)
        while not stop.right:
            other = plan.copy()
            changed = self.repair(other, stop)
            there = self.played(other, self.first(other, changed))
            if there.likeness >= stop.likeness or self.rng.random() < WORSE:
                if there.likeness > stop.likeness or there.right:
                    for label, places in changed.items():
                        if isinstance(label, str):
                            self.pinned.setdefault(label, set()).update(places)
                plan, stop = other, there
        return plan, stop.state

    def first(self, plan: Plan, changed: dict[str | int, list[int]]) -> str | int | None:
        """Return the first of the labels and moves that were changed; None to begin at the start."""
        known = [key for key in changed if key in plan.saved]
        return min(known, key=lambda key: plan.saved[key][0]) if known else None

    # -- playing a plan

    def played(self, plan: Plan, key: str | int | None) -> Stop:
        """Play the plan's game from just before `key` was drawn or chosen, as far as it looks as it was seen."""
        if key is None:
            index, state = self.begin.number, self.begin.state
            state = state.copy() if index else self.rules.initial(self.record.seats, self.record.options)
            plan.saved.clear()
        else:
            index, state = plan.saved[key]
            state = state.copy()
            plan.saved = {each: saved for each, saved in plan.saved.items() if saved[0] <= index}
        started = index > 0
        while index < len(self.events) or not started:
            dealer = PlannedDealer(plan, self.lots)
            made = self.decided(plan, index, state, dealer) if started else self.rules.start(state, dealer)
            if not started:
                self.count()
            started = True
            if dealer.asked:
                saved = state.copy()
                plan.saved |= dict.fromkeys(dealer.asked, (index, saved))
            for place in range(len(made)):
                if index + place in plan.taken and self.events[index + place][0] == made[place][0]:
                    made[place] = self.events[index + place]
            shown = self.shown(made)
            if not made or not self.is_like(shown, self.events[index : index + len(made)]):
                return Stop(index, state, shown, dealer.asked, self.likeness(index, shown))
            for event in made:
                self.rules.apply(state, event)
            index += len(made)
        right = self.is_right(state)
        return Stop(index, state, [], [], (index + right, 0), right)

    def is_like(self, shown: list[Event], seen: Sequence[Event]) -> bool:
        """Return whether a move was shown as it was seen."""
        return shown == seen

    def is_right(self, state: Any) -> bool:
        """Return whether the last state shows the seat what it sees."""
        return self.rules.observation(state, self.record.seat) == self.observation and self.legal == [
            self.rules.move_text(state, action) for action in listed_actions(self.rules, state, self.record.seat)
        ]

    def decided(self, plan: Plan, index: int, state: Any, dealer: PlannedDealer | DrawDealer) -> list[Event]:
        """Return the events of the move that begins with event `index`; none if it is not legal."""
        event = self.events[index]
        if not has_hidden(event):
            return next((made for move in self.read(state, event) if (made := self.tried(state, *move, dealer))), [])
        plan.saved[index] = (index, state.copy())
        best: list[Event] = []
        most = (index, 0)
        chosen = [plan.choices[index]] if index in plan.choices else []
        for move in [*chosen, *self.possible(state)]:
            made = self.tried(state, *move, dealer)
            shown = self.shown(made)
            likeness = self.likeness(index, shown)
            if shown[:1] == [event] and likeness > most:
                best, most = made, likeness
                plan.choices[index] = move
                if most[0] == index + len(made):
                    break
        return best

    def shown(self, events: list[Event]) -> list[Event]:
        """Return events as the seat is shown them."""
        return [self.rules.redact(event, self.record.seat) for event in events]

    def likeness(self, index: int, shown: list[Event]) -> Likeness:
        """Return how much these events, from event `index` on, are like those that were seen."""
        for one, other in zip(shown, self.events[index:], strict=False):
            if one != other:
                return index, -len(list(paired(one, other))) if one[0] == other[0] else -UNLIKE
            index += 1
        return index, 0 if shown else -UNLIKE

    def read(self, state: Any, event: Event) -> list[tuple[int, int]]:
        """Return the seat and action that an event tells, if it does."""
        try:
            return [self.rules.action_of(state, event)]
        except Exception:  # an event with nulls may say too little
            return []

    def possible(self, state: Any) -> list[tuple[int, int]]:
        """Return some moves that may be made now, in random order."""
        moves = [
            (seat, action) for seat in self.rules.to_act(state) for action in self.rules.legal_actions(state, seat)
        ]
        return shuffled(moves, self.rng.random)[:TRIED]

    def tried(self, state: Any, seat: int, action: int, dealer: PlannedDealer | DrawDealer) -> list[Event]:
        """Return the events of a move; none if it is not legal."""
        self.count()
        try:
            return self.rules.decide(state, seat, action, dealer)
        except RulesError:
            return []

    def count(self) -> None:
        """Count one position. Raises `UsedUp`."""
        if self.left <= self.least:
            raise UsedUp
        self.left -= 1

    # -- repairing a plan

    def repair(self, plan: Plan, stop: Stop) -> dict[str | int, list[int]]:
        """Change the plan where it stopped. Return the labels and hidden moves that were changed, with the places of
        what was put right."""
        pairs, about = self.differences(stop)
        changed: dict[str | int, list[int]] = {}
        if pairs and self.rng.random() < EXCHANGE:
            for one, other in pairs:
                for label, place in self.exchange(plan, stop, one, other, changed):
                    changed.setdefault(label, []).append(place)
            drawn = [label for label in stop.labels if plan.answers[label].method != "shuffle"]
            index = stop.likeness[0]
            if not changed and drawn and not has_hidden(self.events[index]):
                plan.taken.add(index)
                changed[drawn[0]] = []
        if not changed:
            key = self.change_something(plan, stop, about)
            if key is not None:
                changed[key] = []
        return changed

    def differences(self, stop: Stop) -> tuple[list[Pair], list[int]]:
        """Return what differs in the first event that was seen otherwise, in pairs, and all numbers of this event."""
        if stop.number >= len(self.events):
            return [], []
        shown = stop.shown or self.another(stop)
        for one, other in zip(shown, self.events[stop.number :], strict=False):
            if one != other:
                pairs = list(paired(one, other)) if one[0] == other[0] else []
                return pairs, [*numbers(one), *numbers(other)]
        return [], list(numbers(self.events[stop.number]))

    def another(self, stop: Stop) -> list[Event]:
        """Return what the seat is shown of a legal move, in place of one that is not legal in this world.

        The best one is a move of the same sort with something that the seat never sees in this game, because other
        things have their place. The next best is one that is never made.
        """
        moves = self.possible(stop.state)
        event = self.events[stop.number]
        seats = {seat for seat, _ in self.read(stop.state, event)}
        found: list[Event] = []
        for seat, action in [move for move in moves if move[0] in seats] or moves:
            made = self.tried(stop.state, seat, action, self.lots)
            shown = self.shown(made)
            if shown and shown[0][0] != event[0]:
                found = found or shown
            elif shown:
                if not found or found[0][0] != event[0] or shown[0] not in self.events:
                    found = shown
                if not self.seen.issuperset(numbers(shown[0])):
                    break
        return found

    def exchange(
        self, plan: Plan, stop: Stop, one: int, other: int, done: dict[str | int, list[int]]
    ) -> Iterator[tuple[str, int]]:
        """Put `other` where `one` is, in the latest draw that allows it, but not where this repair is `done`. Yield its
        label and the place."""
        for label in sorted(labels_of(plan), key=lambda label: -plan.saved[label][0]):
            drawn = plan.answers[label]
            answer = drawn.answer[:]
            here, there = (self.places(label, answer, item, done.get(label, ())) for item in (one, other))
            if not here:
                continue
            place = here[int(self.rng.random() * len(here))]
            if drawn.method == "shuffle":
                if not there:
                    continue
                second = there[int(self.rng.random() * len(there))]
                answer[place], answer[second] = other, one
                if not stop.shown and self.rng.random() < ONWARD:
                    third = self.chosen(label, [number for number in range(len(answer)) if number != place])
                    answer[second], answer[third] = answer[third], one
            elif label in stop.labels and can_be_drawn(drawn, place, other):
                answer[place] = other
            else:
                continue
            plan.answers[label] = drawn._replace(answer=answer)
            yield label, place
            return

    def places(self, label: str, answer: list[int], item: int, done: Sequence[int]) -> list[int]:
        """Return where `item` is in an answer and nothing is done yet, without pinned places if there are others."""
        found = [place for place, each in enumerate(answer) if each == item and place not in done]
        pinned = self.pinned.get(label, ())
        return [place for place in found if place not in pinned] or found

    def change_something(self, plan: Plan, stop: Stop, about: list[int]) -> str | int | None:
        """Change one thing at random, mostly one that has to do with where the plan stopped. Return what it was."""
        draw = self.rng.random
        if plan.choices and draw() < 0.3:
            index = list(plan.choices)[int(draw() * len(plan.choices))]
            plan.choices = {each: move for each, move in plan.choices.items() if each < index}
            return index
        if stop.labels and draw() < 0.3:
            label = stop.labels[int(draw() * len(stop.labels))]
            del plan.answers[label]
            return label
        labels = [label for label in labels_of(plan) if plan.answers[label].method == "shuffle"]
        near = [label for label in labels if not set(about).isdisjoint(plan.answers[label].answer)]
        labels = near or labels
        if not labels:
            return stop.labels[0] if stop.labels else None
        label = labels[int(draw() * len(labels))]
        answer = plan.answers[label].answer[:]
        anything = list(range(len(answer)))
        concerned = [place for place, item in enumerate(answer) if item in about] if draw() < CONCERNED else []
        one, other = (self.chosen(label, places) for places in (concerned or anything, anything))
        answer[one], answer[other] = answer[other], answer[one]
        plan.answers[label] = plan.answers[label]._replace(answer=answer)
        return label

    def chosen(self, label: str, places: list[int]) -> int:
        """Return one of these places at random, mostly one that is not pinned."""
        pinned = self.pinned.get(label, ())
        free = [place for place in places if place not in pinned]
        some = free if free and self.rng.random() < 0.9 else places
        return some[int(self.rng.random() * len(some))]

    # -- the next world

    def mix(self, plan: Plan, share: float) -> str | int | None:
        """Draw a share of what no repair has pinned again. Return the first thing that may differ now; None if none
        may."""
        changed: dict[str | int, list[int]] = {index: [] for index in plan.choices}
        plan.choices = {}
        for label in labels_of(plan):
            drawn, pinned = plan.answers[label], self.pinned.get(label, ())
            free = [
                place
                for place, item in enumerate(drawn.answer)
                if place not in pinned and (not self.is_seen(drawn, item) or self.rng.random() < AGAIN)
            ]
            least = 1 + (drawn.method == "shuffle")
            if len(free) < least:
                continue
            free = shuffled(free, self.rng.random)[: max(least, int(share * len(free)))]
            again = getattr(self.lots, drawn.method)(label, drawn.of)
            items = (
                shuffled([drawn.answer[place] for place in free], self.rng.random)
                if drawn.method == "shuffle"
                else [again[place] for place in free]
            )
            answer = drawn.answer[:]
            for place, item in zip(free, items, strict=True):
                answer[place] = item
            plan.answers[label] = drawn._replace(answer=answer)
            changed[label] = []
        return self.first(plan, changed)

    def is_seen(self, drawn: Drawn, item: int) -> bool:
        """Return whether the seat has probably seen an item of a shuffle, of which there is only one.

        A number in an event may mean something else, such as a seat.
        """
        return drawn.method == "shuffle" and item in self.seen and drawn.answer.count(item) == 1


def alike(one: Any, other: Any) -> bool:
    """Return whether two values have lists of the same lengths at the same places."""
    if isinstance(one, list) != isinstance(other, list):
        return False
    return not isinstance(one, list) or (len(one) == len(other) and all(map(alike, one, other)))


def labels_of(plan: Plan) -> list[str]:
    """Return the labels that were drawn in the plan's game so far."""
    return [key for key in plan.saved if isinstance(key, str)]


def has_hidden(value: Any) -> bool:
    """Return whether an event, as it was shown, may hide something: it has a null, or nothing but its type."""
    if isinstance(value, list):
        return value[:1] == ["redacted"] or any(map(has_hidden, value))
    return value is None


def can_be_drawn(drawn: Drawn, place: int, value: int) -> bool:
    """Return whether dice or numbers can have this value at this place."""
    return 1 <= value <= 6 if drawn.method == "dice" else 0 <= value < drawn.of[place]


def numbers(value: Any) -> Iterator[int]:
    """Yield the numbers in an event."""
    if isinstance(value, list):
        for each in value:
            yield from numbers(each)
    elif isinstance(value, int):
        yield value


def paired(one: Any, other: Any) -> Iterator[Pair]:
    """Yield the numbers that differ in two events of one type, each with the one in its place.

    The order of a list within an event may be that of a sorted hand. So what only one of two lists has comes first.
    Events of another shape are compared as a whole.
    """
    if not alike(one, other):
        extra, missing = (
            Counter(numbers(mine)) - Counter(numbers(seen)) for mine, seen in ((one, other), (other, one))
        )
        yield from zip(extra.elements(), missing.elements(), strict=False)
        return
    for mine, seen in zip(one, other, strict=False):
        if isinstance(mine, list) and isinstance(seen, list):
            if all(isinstance(each, int) for each in (*mine, *seen)):
                extra, missing = Counter(mine) - Counter(seen), Counter(seen) - Counter(mine)
                if extra and missing:
                    yield from zip(extra.elements(), missing.elements(), strict=False)
                    continue
            yield from paired(mine, seen)
        elif isinstance(mine, int) and isinstance(seen, int) and mine != seen:
            yield mine, seen
