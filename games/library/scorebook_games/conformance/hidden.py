"""Tests that nothing hidden can be found in anything that a viewer gets.

No kind declares what is hidden, so two things that viewers get are compared: the events as `redact` shows them, and
everything else (observation, legal moves, who may act, answers to moves). A *twin* of a game has one thing changed: two
items of a shuffle, a drawn number or die, or one player's choice. It is played with the same moves. While a viewer sees
the same events in both games, everything else must be the same too. Also, an event may not show a viewer more of the
state than its observation does. What both show is no leak, because the rules may intend it. But if a presentation says
that it `hides`, each player must at some time know what another viewer does not (`declared`). If events and observation
show the same thing by mistake, only a test that knows the rules' clauses can find it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final

from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.game import BrokenPromise, Change, Game, Story, shorten
from scorebook_games.conformance.play import answer, plain
from scorebook_games.contract import REDACTED, Dealer, Event, Looking, Rules, RulesError, listed_actions
from scorebook_games.search.general_worlds import numbers

TWINS: Final = 2  # of a game, and as many of what came late
TWINS_CLOSELY: Final = 12
SHORT: Final = 12  # moves of a game that is fast
LATE: Final = 4  # draws or moves that count as the last ones
TRIED: Final = 4  # moves, and as many strings, whose answers are compared
Viewer = int | None


def whose(viewer: Viewer) -> str:
    """Return a viewer as `seat 1` or `the public`."""
    return "the public" if viewer is None else f"seat {viewer}"


class AlteredDealer:
    """A dealer that draws as another one does, except for one label."""

    def __init__(self, dealer: Dealer, change: Change) -> None:
        self.dealer = dealer
        self.change = change

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """Return what the other dealer draws, or the changed answer."""
        return list(self.change.answer) if label == self.change.label else self.dealer.integers(label, bounds)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """Return what the other dealer draws, or the changed answer."""
        return list(self.change.answer) if label == self.change.label else self.dealer.shuffle(label, items)

    def dice(self, label: str, count: int) -> list[int]:
        """Return what the other dealer draws, or the changed answer."""
        return list(self.change.answer) if label == self.change.label else self.dealer.dice(label, count)


@dataclass
class Line:
    """A recorded game: the events of the start and of each move, and the moves that others could have made."""

    story: Story
    draws: list[tuple[str, str, Any, list[int]]]
    moves: list[tuple[int, str]] = field(default_factory=list)
    events: list[list[Event]] = field(default_factory=list)
    others: list[list[str]] = field(default_factory=list)
    shown: dict[tuple[int, int, Viewer], dict[str, Any]] = field(default_factory=dict)
    """What a viewer is told after so many events of a step, remembered for all twins."""


def recorded(game: Game) -> Iterator[Line]:
    """Yield the record of a game that is being played; it grows with each step."""
    line = Line(game.story, game.dealer.draws)
    line.events.append(game.log[: game.started])
    while game.on:
        seat, text = game.made[-1]
        line.moves.append((seat, text))
        line.events.append(game.node.events)
        line.others.append([other for other in game.texts[seat][:50] if other != text])
        yield line
    yield line


def nobody_learns_what_is_hidden(game: Game) -> Iterator[None]:
    """A viewer is told the same in two games that differ only in things that no event showed it. An event tells nobody
    more of the state than their observation does."""
    lines = recorded(game)
    line = next(lines)
    while game.on:
        yield
        line = next(lines)
    for change in changes(game, line):
        compare(line, change, game.strings)


def changes(game: Game, line: Line) -> Iterator[Change]:
    """Yield what is changed for the twins of a game: random things, and some that were hidden or chosen late."""
    if game.story.twin:
        yield game.story.twin
        return
    rng = random.Random(f"twins {game.story.seed}")
    count = TWINS_CLOSELY if game.closely or len(line.moves) < SHORT else TWINS
    for number in range(2 * count):
        change = late_change(line, rng) if number % 2 else some_change(line, rng)
        if change is not None:
            yield change


def late_change(line: Line, rng: random.Random) -> Change | None:
    """Return a change of what came last: of the last draws and moves, or of something in the first shuffle that was
    told last. It was hidden for longest, so rare positions near the end of a game have twins too."""
    choices = [step for step, others in enumerate(line.others) if others][-LATE:]
    draws = [drawn for drawn in line.draws if len(drawn[3])]
    sort = rng.randrange(4)
    if choices and (sort == 0 or not draws):
        return other_choice(line, rng.choice(choices), rng)
    if not draws:
        return None
    if sort == 1:
        return other_draw(rng.choice(draws[-LATE:]), rng)
    method, label, _, drawn = draws[0]
    if method != "shuffle":
        return other_draw(draws[0], rng)
    late, moved = set(numbers(line.events[-LATE:])), set(numbers(line.events[1:]))
    places = [place for place, item in enumerate(drawn) if item in late]
    return swapped(label, list(drawn), rng, places, [place for place, item in enumerate(drawn) if item not in moved])


def other_choice(line: Line, step: int, rng: random.Random) -> Change:
    """Return that one player had chosen differently."""
    text = rng.choice(line.others[step])
    seat, made = line.moves[step]
    return Change(f"if move {step + 1} of seat {seat} had been {text!r} and not {made!r}", step=step, text=text)


def some_change(line: Line, rng: random.Random) -> Change | None:
    """Return one random change of the game; None if the chosen thing cannot differ."""
    choices = [step for step, others in enumerate(line.others) if others]
    if choices and (not line.draws or rng.random() < 0.25):
        return other_choice(line, rng.choice(choices), rng)
    if not line.draws:
        return None
    # The first draws are usually the deal. Labels that are drawn for each move would otherwise be chosen almost always.
    return other_draw(line.draws[0] if rng.random() < 0.5 else rng.choice(line.draws), rng)


def other_draw(draw: tuple[str, str, Any, list[int]], rng: random.Random) -> Change | None:
    """Return another answer to a draw; None if it cannot differ."""
    method, label, of, drawn = draw
    answer = list(drawn)
    if method == "shuffle":
        return swapped(label, answer, rng)
    if not answer:
        return None
    place = rng.randrange(len(answer))
    least, most = (1, 6) if method == "dice" else (0, of[place] - 1)
    if least >= most:
        return None
    value = rng.randrange(least, most)
    answer[place] = value + (value >= answer[place])
    return Change(f"if {label!r} had drawn {answer} and not {drawn}", label, tuple(answer))


def swapped(
    label: str, order: list[int], rng: random.Random, places: Sequence[int] = (), others: Sequence[int] = ()
) -> Change | None:
    """Return a shuffle with two different items exchanged, of `places` and `others` if they are given."""
    for _ in range(10):
        if len(order) > 1:
            first = rng.choice(places or range(len(order)))
            second = rng.choice([place for place in others or range(len(order)) if place != first] or [first])
            one, other = sorted((first, second))
            if order[one] != order[other]:
                order[one], order[other] = order[other], order[one]
                words = (
                    f"if items {one} and {other} of the shuffle {label!r} ({order[other]}, {order[one]}) were exchanged"
                )
                return Change(words, label, tuple(order))
    return None


def shown_to_others(game: Game) -> Iterator[str]:
    """Yield for each way in which others are shown an event the types of events, such as `in part: dealt`.

    If events and observation both show by mistake what should be hidden, no test can tell it from a rule. Its author
    can: by these lines.
    """
    ways: dict[str, set[str]] = {"whole": set(), "in part": set(), "not at all": set()}
    for _ in game.played():
        pass
    for event in game.log:
        for viewer in game.viewers:
            shown = game.rules.redact(event, viewer)
            ways["whole" if shown == event else "not at all" if shown == REDACTED else "in part"].add(event[0])
    hidden = ways["in part"] | ways["not at all"]
    ways["whole"] -= hidden
    ways["in part"] -= ways["not at all"]
    for way, types in ways.items():
        if types:
            yield f"{way}: {', '.join(sorted(types))}"


def listed_texts(rules: Rules[Any], state: Any, seat: int) -> list[str]:
    """Return the legal moves that a view lists."""
    return [rules.move_text(state, action) for action in listed_actions(rules, state, seat)]


def information(rules: Rules[Any], state: Any, viewer: Viewer, settled: bool) -> dict[str, Any]:
    """Return all that a viewer gets at a moment except events and answers; moves only if it is `settled`."""
    seen = {
        "observation": rules.observation(state, viewer),
        "list of who may act": rules.to_act_seen(state, viewer),
        "list of who is awaited": rules.awaited(state),
        "outcome": repr(rules.outcome(state)),
    }
    if viewer is not None and settled:
        seen["list of legal moves"] = listed_texts(rules, state, viewer)
    return seen


def compare(line: Line, change: Change, strings: Sequence[str]) -> set[tuple[Viewer, int]]:
    """Play the game and its twin side by side while the same moves are legal. Raises `BrokenPromise` for a leak.

    Returns pairs of a viewer and a seat: at some time the seat could tell the two games apart, and the viewer could
    not.
    """
    twins = Twins(line, change, strings)
    for step, events in enumerate(line.events):
        others = twins.other_events(step)
        if others is None:
            break
        twins.take(step, events, others)
        if not twins.blind:
            break
    return twins.secrets


class Twins:
    """A game and its twin, move by move, and who can tell them apart by now."""

    def __init__(self, line: Line, change: Change, strings: Sequence[str]) -> None:
        table = line.story.table
        self.line, self.change, self.strings, self.rules = line, change, strings, table.rules
        self.here, self.there = (table.rules.initial(table.seats, table.options) for _ in range(2))
        self.dealer = AlteredDealer(SeedDealer(line.story.seed_bytes), change)
        self.blind: list[Viewer] = [*range(table.seats), None]
        """Who was told the same in both games."""
        self.knowing: set[int] = set()
        """The seats that observed a difference."""
        self.apart = False
        """Whether the events differ by now: until then all is the same, and need not be looked at."""
        self.step = 0
        self.secrets: set[tuple[Viewer, int]] = set()

    def other_events(self, step: int) -> list[Event] | None:
        """Return what the move leads to in the twin; None if it is not legal there. Step 0 is the start."""
        if step == 0:
            return self.rules.start(self.there, self.dealer)
        seat, text = self.line.moves[step - 1]
        if step - 1 == self.change.step:
            text = self.change.text
            self.blind.remove(seat)  # the player knows what it chose
        try:
            return self.rules.decide(self.there, seat, self.rules.parse_move(self.there, text), self.dealer)
        except RulesError:
            return None

    def take(self, step: int, events: list[Event], others: list[Event]) -> None:
        """Apply the events to both games."""
        self.step = step
        if not self.apart and events == others:
            for event in events:
                self.rules.apply(self.here, event)
                self.rules.apply(self.there, event)
            return
        self.apart = True
        shown = {viewer: self.shown_apart(events, others, viewer) for viewer in self.blind}
        observed: dict[Viewer, str] = {}
        pairs = list(zip_longest(events, others)) or [(None, None)]
        for index, (one, other) in enumerate(pairs):
            for state, event in ((self.here, one), (self.there, other)):
                if event is not None:
                    self.rules.apply(state, event)
            last = index + 1 == len(pairs)
            if last or len(events) == len(others):
                self.look(step, index, last, observed)
        for viewer in self.blind:
            if not self.looks(viewer):
                self.judge(step, whose(viewer), shown[viewer], observed.get(viewer))
        self.knowing |= {viewer for viewer in observed if viewer is not None}
        self.blind = [viewer for viewer in self.blind if viewer not in observed and not shown[viewer]]
        self.secrets |= {(viewer, seat) for viewer in self.blind for seat in self.knowing}
        seats = [viewer for viewer in self.blind if viewer is not None]
        if seats:
            self.look_at_answers(step, seats[step % len(seats)])

    def shown_apart(self, events: list[Event], others: list[Event], viewer: Viewer) -> tuple[Any, Any] | None:
        """Return the first two events that differ for the viewer. Events that differ in more than order come first."""
        pairs = [[event and self.rules.redact(event, viewer) for event in pair] for pair in zip_longest(events, others)]
        apart = [(one, other) for one, other in pairs if one != other]
        apart.sort(key=lambda pair: sorted_through(pair[0]) == sorted_through(pair[1]))
        return apart[0] if apart else None

    def look(self, step: int, index: int, last: bool, observed: dict[Viewer, str]) -> None:
        """Compare what viewers get in both games at this moment, if they could not tell them apart before."""
        for viewer in self.blind:
            if viewer in observed:
                continue
            key = (step, index, viewer)
            if key not in self.line.shown:
                self.line.shown[key] = information(self.rules, self.here, viewer, last)
            one, other = self.line.shown[key], information(self.rules, self.there, viewer, last)
            for name in one:
                if one[name] != other[name]:
                    observed.setdefault(viewer, f"its {name}: {difference(one[name], other[name])}")

    def looks(self, viewer: Viewer) -> bool:
        """Return whether the viewer's other information may differ now, although no event showed a difference."""
        return viewer is not None and isinstance(self.rules, Looking) and self.rules.looks(self.here, viewer)

    def judge(self, step: int, who: str, shown: tuple[Any, Any] | None, observed: str | None) -> None:
        """Raise `BrokenPromise` if events and observation do not show the same."""
        moment = f"at move {step}" if step else "at the start"
        if observed and not shown:
            raise self.leak(f"{who} is told {moment} by {observed}; no event showed it that")
        if not shown or observed or plain(self.here) == plain(self.there):
            return
        if not self.of_own_things(*shown) and not self.of_a_shuffle_alone(*shown):
            one, other = shorten(shown[0], 120), shorten(shown[1], 120)
            raise self.leak(f"{who} is shown {moment} the event {one} or {other}; its observation does not tell that")

    def of_own_things(self, one: Any, other: Any) -> bool:
        """Return whether two events differ only in the order of shuffled things, such as those of a hand that its
        holder sorts.

        If all shuffled things are there, the order is what was hidden.
        """
        return sorted_through(one) == sorted_through(other) and size(one) < len(self.change.answer)

    def of_a_shuffle_alone(self, one: Any, other: Any) -> bool:
        """Return whether two events tell that somebody shuffled or did not, and the states differ in order only.

        Such an event tells who had seen the order that they know it no more. If it shows the new order, another twin
        finds that, in which the shuffle drew otherwise.
        """
        here, there = (sorted_through(json.loads(plain(state))) for state in (self.here, self.there))
        return bool(one and other and one[0] != other[0] and here == there)

    def look_at_answers(self, step: int, viewer: int) -> None:
        """Check that the answers to some moves are the same in both games."""
        rng = random.Random(f"answers {step}")
        seats = range(self.line.story.table.seats)
        texts = [text for seat in seats for text in listed_texts(self.rules, self.here, seat)]
        tried = [*rng.sample(texts, min(TRIED, len(texts))), *rng.sample(self.strings, min(TRIED, len(self.strings)))]
        for text in tried:
            one, other = (answer(self.rules, state, viewer, text) for state in (self.here, self.there))
            if one != other:
                raise self.leak(
                    f"seat {viewer} is told after move {step} by the answer to {text!r}: {one!r} or {other!r}"
                )

    def leak(self, sentence: str) -> BrokenPromise:
        """Return the error for a leak, which names the change of the twin."""
        words = f"{sentence[0].upper()}{sentence[1:]}, {self.change.words}."
        return BrokenPromise(words, moves=self.step, twin=self.change)


def difference(one: Any, other: Any, path: str = "") -> str:
    """Return the first place at which two JSON values differ, with both values."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        name = next(name for name in one if one[name] != other[name])
        return difference(one[name], other[name], f"{path}.{name}" if path else str(name))
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        place = next(place for place in range(len(one)) if one[place] != other[place])
        return difference(one[place], other[place], f"{path}[{place}]")
    return f"{path} is {shorten(one, 80)} or {shorten(other, 80)}"


def sorted_through(value: Any) -> Any:
    """Return the value with each list in it sorted, to see whether two values differ only in order."""
    if isinstance(value, dict):
        return {name: sorted_through(value) for name, value in value.items()}
    if isinstance(value, list):
        return sorted((sorted_through(each) for each in value), key=json.dumps)
    return value


def size(value: Any) -> int:
    """Return how many things the value has at all depths, without the hidden ones."""
    return sum(map(size, value)) if isinstance(value, list) else int(value is not None)
