"""Makes a review, step by step.

1. *Curve*: lines from each position of the curve, a few from each in turn.
2. *Screen*: at each decision, all moves are tried in the same worlds with the same luck, and the worse half is dropped
   again and again (sequential halving, as the strong bot does). This finds the best move, and no more. It is the usual
   move, that of the roll-outs, if no other one is clearly better.
3. *Measure*: where another move looked better, both are played in fresh worlds. Only these tell what a move cost: the
   best of many noisy numbers is too good to be true. Most lines go to what is not certain yet.
4. *Swings*: more lines from both sides of the greatest changes of the curve.
5. *Explain*: for the costliest mistakes, the strong bot is asked, and both moves are played on in one world. What the
   strong bot would have played too is no mistake.

All random numbers come from a hash of what the seat was shown, with the name and number of the line. The budget is a
number of positions. So the same game gets the same review, whenever it was interrupted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from scorebook_games.bots.builtin import MoveRequest
from scorebook_games.contract import Event
from scorebook_games.program_hash import program_hash
from scorebook_games.registry import KINDS
from scorebook_games.review.examples import FRESH, example_in
from scorebook_games.review.lines import MAKING, Lines, Setting
from scorebook_games.review.report import (
    BEST,
    FINE,
    MISTAKE,
    SKIPPED,
    UNMEASURED,
    Decision,
    Estimate,
    Mistake,
    Point,
    Review,
    Swing,
    chance,
    estimate,
    false_alarm,
)
from scorebook_games.review.sight import DECISION, TURN, Position, sight_of
from scorebook_games.review.summary import summary_of
from scorebook_games.search.ismcts import clearly_better

METHOD: Final = 1
CURVE, SCREEN, MEASURE, SWINGS = 0.4, 0.65, 0.9, 1.0  # the part of the budget that is used when the phase ends
STEP: Final = 20_000  # positions between two chances to stop
MOST_POINTS: Final = 100  # of the curve
LEAST_POINT: Final = 500  # positions for a point
BATCH: Final = 8  # lines from a point
PAIRS: Final = 10
LEAST_WORLDS: Final = 3  # in each round of a screen
LEAST_SCREEN: Final = 1200  # positions for the screen of a decision
LEAST_COST: Final = 0.01  # of a mistake; what costs less does not matter
CERTAIN: Final = 4.0  # standard errors, from which on a cost is not measured any longer
MARKED: Final = 2.0  # standard errors that a mistake costs at least
FALSE: Final = 0.05  # the part of the mistakes that may be none (Benjamini and Hochberg)
EXPLAINED: Final = 5  # mistakes
ASKED: Final = 8  # decisions for which the strong bot is asked
STRONG: Final = 10_000  # positions that an answer of the strong bot counts
TRIED: Final = 60  # worlds in which an example is looked for
SHOWN_SWINGS: Final = 5
LEAST_SWING: Final = 0.05
SURE_SWING: Final = 3.0  # standard errors
AROUND: Final = ("fields.py", "narration.py", "presentation.py", "value.py")  # files of a kind without a part in it
Sums = list[float]


class Progress(NamedTuple):
    """How much is done, in positions."""

    done: int
    whole: int


@cache
def method_of(kind: str) -> str:
    """Return the version of the method and a hash of the program that makes reviews of a kind."""
    here = Path(__file__).parent
    files = [*here.glob("*.py"), *(here.parent / "search").glob("*.py")]
    files += [file for file in KINDS[kind].folder.glob("*.py") if file.name not in AROUND]
    return f"{METHOD}-{program_hash(files)}"


def review_of(events: Iterable[Event], seat: int, *, budget: int | None = None) -> Review:
    """Return the review of a game for one seat, from all events of its log, the opening first. Raises `NoReview`."""
    reviewer = Reviewer(events, seat, budget=budget)
    for _ in reviewer.steps():
        pass
    return reviewer.review()


class Reviewer:
    """The review of a game for one seat, as far as it is made. A `state` of the same review is continued."""

    def __init__(
        self, events: Iterable[Event], seat: int, *, budget: int | None = None, state: dict[str, Any] | None = None
    ) -> None:
        self.sight = sight_of(events, seat)
        self.setting = Setting(self.sight)
        self.seen = self.sight.hash()
        self.budget = budget or self.setting.budget
        positions = self.sight.positions
        making = 0 if self.setting.guide else MAKING
        most = min(MOST_POINTS, 1 + int(self.budget * CURVE / (LEAST_POINT + making)))
        self.points = spread([at for at in positions if at.listed], most)
        self.decisions = [at for at in positions if at.what == DECISION]
        most = 1 + int(self.budget * (SCREEN - CURVE) / (LEAST_SCREEN + making))
        self.looked = spread(list(range(len(self.decisions))), most)
        self.lines: dict[str, Lines] = {}
        key = [method_of(self.sight.kind), self.seen, self.budget]
        if state is None or state["key"] != key:
            state = {
                "key": key,
                "phase": 0,
                "next": 0,
                "spent": 0,
                "curve": [[0, 0.0, 0.0] for _ in self.points],
                "better": {},
                "fresh": {},
                "unmeasured": [],
                "explained": {},
            }
        self.work = state

    # -- the work

    def steps(self) -> Iterator[Progress]:
        """Do the rest of the work, and yield after each step. A caller may stop there, keep `state`, and go on later
        with another reviewer."""
        phases: tuple[Callable[[], bool], ...] = (
            self._curve,
            self._screen,
            self._measure,
            self._swings,
            self._explain,
        )
        work = self.work
        stop = work["spent"] + STEP
        while work["phase"] < len(phases):
            if not phases[work["phase"]]():
                work["phase"] += 1
                work["next"] = 0
            if work["spent"] >= stop:
                yield Progress(min(work["spent"], self.budget), self.budget)
                stop = work["spent"] + STEP
        yield Progress(self.budget, self.budget)

    def state(self) -> dict[str, Any]:
        """Return what is done so far, as JSON data, for another reviewer of the same game and seat."""
        return self.work

    def _lines(self, at: Position, part: str) -> Lines:
        """Return the lines from a position. Those of another part are in other worlds."""
        name = f"{self.seen} {part} {at.version} {at.event}"
        if name not in self.lines:
            self.lines[name] = Lines(self.setting, at, name)
        return self.lines[name]

    def _spend(self, lines: Lines, *, first: bool) -> None:
        """Count what lines took. The making of worlds counts with the `first` ones, though another reviewer may have to
        make them again."""
        self.work["spent"] += lines.used + lines.making * first
        lines.used = 0

    def _left(self, part: float) -> bool:
        return bool(self.work["spent"] < part * self.budget)

    def _curve(self) -> bool:
        """Play a few lines from the next point of the curve. A point for which no world was found is tried once."""
        number = self.work["next"]
        places = list(range(len(self.points)))
        if number >= len(places):
            places = [place for place in places if self.work["curve"][place][0]]
            if not places or not self._left(CURVE):
                return False
        self._play_from(places[number % len(places)])
        self.work["next"] += 1
        return True

    def _play_from(self, point: int) -> None:
        sums, lines = self.work["curve"][point], self._lines(self.points[point], "curve")
        first = not sums[0]
        play_from(lines, sums, BATCH)
        self._spend(lines, first=first)

    def _screen(self) -> bool:
        """Find the best move of the next decision."""
        number = self.work["next"]
        if number >= len(self.looked):
            return False
        index = self.looked[number]
        share = min(STEP, self.budget * (SCREEN - CURVE) / len(self.looked))
        lines = self._lines(self.decisions[index], "screen")
        found = best_of(lines, share)
        self._spend(lines, first=True)
        if found is None:
            self.work["unmeasured"].append(index)
        elif found:
            self.work["better"][str(index)] = found
            self.work["fresh"][str(index)] = [0, 0.0, 0.0]
        self.work["next"] += 1
        return True

    def _measure(self) -> bool:
        """Compare the move that was made with the best one in some more fresh worlds: once at each decision, and then
        where most may have been lost."""
        if not self._left(MEASURE):
            return False
        open_ones: list[tuple[float, int, str]] = []
        for index, sums in self.work["fresh"].items():
            found = estimate(sums)
            if not found.lines:
                open_ones.append((1.0, -int(index), index))
            elif found.mean + MARKED * found.error > LEAST_COST and found.certainty < CERTAIN:
                open_ones.append((found.mean + found.error, -int(index), index))
        if not open_ones:
            return False
        index = max(open_ones)[2]
        sums, lines = self.work["fresh"][index], self._lines(self.decisions[int(index)], FRESH)
        first = not sums[0]
        for number in range(sums[0], sums[0] + PAIRS):
            pair = self._pair(lines, self.work["better"][index], number)
            if pair is None:
                del self.work["fresh"][index], self.work["better"][index]
                self.work["unmeasured"].append(int(index))
                break
            add(sums, pair[0] - pair[1])
        self._spend(lines, first=first)
        return True

    def _pair(self, lines: Lines, better: str, number: int) -> tuple[float, float] | None:
        """Return the share of the result after the better move and after that which was made, in one fresh world."""
        name = f"{lines.name} {number}"
        world = lines.world(random.Random(name))
        if world is None:
            return None
        one, other = (lines.rules.parse_move(world, text) for text in (better, lines.position.move))
        return lines.after(world, f"{name} luck", one), lines.after(world, f"{name} luck", other)

    def _swings(self) -> bool:
        """Play more lines from both sides of the greatest changes of the curve, where they are least certain."""
        if not self._left(SWINGS):
            return False
        found = self._chances()
        changes = [
            (abs(after.mean - before.mean) - (before.error + after.error) / 2, -place)
            for place, (before, after) in enumerate(pairwise(found))
            if before.lines and after.lines
        ]
        places = [-place for _, place in sorted(changes, reverse=True)[: 2 * SHOWN_SWINGS]]
        sides = {side for place in places for side in (place, place + 1)}
        if not sides:
            return False
        self._play_from(max(sides, key=lambda side: (found[side].error, -side)))
        return True

    def _explain(self) -> bool:
        """Ask the strong bot at the next of the costliest mistakes, and play both moves on."""
        costly, number, explained = self._costly(), self.work["next"], self.work["explained"]
        if number >= min(len(costly), ASKED) or number - len(self._disputed()) >= EXPLAINED:
            return False
        index = costly[number]
        strong = self._strong(self.decisions[index])
        example = None if strong == self.decisions[index].move else self._example(index)
        explained[str(index)] = [strong, example]
        self.work["next"] += 1
        return True

    def _disputed(self) -> set[int]:
        """Return the decisions in which the strong bot would have played the same."""
        explained = self.work["explained"].items()
        return {int(index) for index, (strong, _) in explained if strong == self.decisions[int(index)].move}

    def _strong(self, at: Position) -> str | None:
        """Return what a search of the strong bot finds; None if it finds no world, and under former rules, which it
        does not know."""
        if self.setting.strong is None:
            return None
        self.work["spent"] += STRONG
        record = self.sight.record(at)
        request = MoveRequest(self.sight.kind, at.seen, at.shown, record)
        rng = random.Random(f"{self.seen} strong {at.version} {at.event}")
        return self.setting.strong.searched(request, list(at.legal), rng)

    def _example(self, index: int) -> dict[str, Any] | None:
        """Return both moves played on in the first fresh world in which the better one ended better."""
        at = self.decisions[index]
        lines, better = self._lines(at, FRESH), self.work["better"][str(index)]
        chosen = None
        for number in range(TRIED):
            pair = self._pair(lines, better, number)
            if pair and pair[0] > pair[1]:
                chosen = number
                break
        example = None if chosen is None else example_in(lines, chosen, better)
        self._spend(lines, first=False)
        return example

    # -- the result

    def _costly(self) -> list[int]:
        """Return the decisions that certainly cost something, the costliest first.

        Each costs more than two standard errors. Of all together, only a twentieth may cost nothing (Benjamini and
        Hochberg, "Controlling the False Discovery Rate", 1995).
        """
        found = {int(index): estimate(sums) for index, sums in self.work["fresh"].items()}
        order = sorted((index for index in found if found[index].lines), key=lambda index: -found[index].certainty)
        last = 0
        for rank, index in enumerate(order, 1):
            if false_alarm(found[index].certainty) <= FALSE * rank / len(order):
                last = rank
        marked = [
            index for index in order[:last] if found[index].certainty > MARKED and found[index].mean >= LEAST_COST
        ]
        return sorted(marked, key=lambda index: (-found[index].mean, index))

    def review(self) -> Review:
        """Return the review. Call it after the last step."""
        sight = self.sight
        curve = self._points()
        mistakes = set(self._costly()) - self._disputed()
        decisions = [self._decision(index, index in mistakes) for index in range(len(self.decisions))]
        skipped = {
            "moments": sum(at.listed for at in sight.positions) - len(self.points),
            "decisions": sum(decision.mark == SKIPPED for decision in decisions),
        }
        faults = [self._mistake(index, decisions[index]) for index in sorted(mistakes)]
        swings = self._found_swings(curve, decisions)
        unmeasured = {
            "moments": sum(point.chance is None for point in curve),
            "decisions": sum(decision.mark == UNMEASURED for decision in decisions),
        }
        return Review(
            method=self.work["key"][0],
            kind=sight.kind,
            rules_version=sight.rules.spec.rules_version,
            seats=sight.seats,
            seat=sight.seat,
            seen=self.seen,
            budget=self.budget,
            spent=self.work["spent"],
            finished=sight.result is not None,
            result=sight.result,
            policy=self.setting.policy,
            curve=curve,
            decisions=decisions,
            mistakes=faults,
            swings=swings,
            skipped=skipped,
            unmeasured=unmeasured,
            summary=summary_of(curve, decisions, faults, swings),
        )

    def _chances(self) -> list[Estimate]:
        """Return the chance at each point of the curve."""
        return [
            chance(sums, hope_at(self.setting, at)) for at, sums in zip(self.points, self.work["curve"], strict=True)
        ]

    def _points(self) -> list[Point]:
        curve = []
        for at, found in zip(self.points, self._chances(), strict=True):
            seat = self.sight.seat if at.what == DECISION else at.mover
            mean, error = (found.mean, found.error) if found.lines else (None, None)
            curve.append(Point(at.version, at.what, seat, mean, error))
        if self.sight.result is not None:
            curve.append(Point(self.sight.versions, "end", None, self.sight.result, 0.0))
        return curve

    def _decision(self, index: int, mistake: bool) -> Decision:
        at, key = self.decisions[index], str(index)
        better, found = at.move, estimate(self.work["fresh"].get(key, (0, 0.0, 0.0)))
        cost: tuple[float, float] | tuple[None, None] = found.mean, found.error
        if found.lines:
            better, mark = self.work["better"][key], MISTAKE if mistake else FINE
        elif index in self.work["unmeasured"]:
            mark, cost = UNMEASURED, (None, None)
        elif index in self.looked and key not in self.work["better"]:
            mark = BEST
        else:
            mark, cost = SKIPPED, (None, None)
        return Decision(at.version, at.event, at.move, better, len(at.legal), cost[0], cost[1], found.lines, mark)

    def _mistake(self, index: int, made: Decision) -> Mistake:
        strong, line = self.work["explained"].get(str(index), (None, None))
        found = estimate(self.work["fresh"][str(index)])
        return Mistake(made.version, made.event, made.move, made.best, found.mean, found.error, strong, line)

    def _found_swings(self, curve: list[Point], decisions: list[Decision]) -> list[Swing]:
        movers = {at.version: at.mover for at in self.points}
        movers[self.sight.versions] = self.sight.mover
        found = []
        for before, after in pairwise(curve):
            if before.chance is None or before.error is None or after.chance is None or after.error is None:
                continue
            change, error = after.chance - before.chance, (before.error**2 + after.error**2) ** 0.5
            if abs(change) < LEAST_SWING or abs(change) <= SURE_SWING * error:
                continue
            at = [
                decision.version
                for decision in decisions
                if decision.mark == MISTAKE and before.version <= decision.version < after.version and change < 0
            ]
            found.append(
                Swing(
                    before.version,
                    after.version,
                    before.version + 1,
                    movers.get(after.version),
                    before.chance,
                    after.chance,
                    change,
                    error,
                    at[0] if at else None,
                )
            )
        found.sort(key=lambda swing: (-abs(swing.change), swing.version))
        return found[:SHOWN_SWINGS]


def add(sums: Sums, value: float) -> None:
    """Count one more value in a number, sum and sum of squares."""
    sums[0] += 1
    sums[1] += value
    sums[2] += value * value


def play_from(lines: Lines, sums: Sums, count: int) -> None:
    """Play some more lines and count their results; none if there are no worlds."""
    for number in range(int(sums[0]), int(sums[0]) + count):
        name = f"{lines.name} {number}"
        world = lines.world(random.Random(name))
        if world is None:
            break
        add(sums, lines.share(lines.begun(world, f"{name} luck")))


def chance_at(setting: Setting, at: Position, name: str, positions: int) -> Estimate:
    """Return the seat's chance at one position, from about so many positions."""
    lines, sums = Lines(setting, at, name), [0, 0.0, 0.0]
    while lines.used < positions:
        play_from(lines, sums, BATCH)
    return chance(sums, hope_at(setting, at))


def hope_at(setting: Setting, at: Position) -> float:
    """Return by how many logits lines from a position are too hopeful; 0 while nobody has moved."""
    return 0.0 if at.mover is None and at.what != TURN else setting.hope


def spread(items: list[Any], most: int) -> list[Any]:
    """Return the items, or `most` of them at equal distances if there are more."""
    if len(items) <= most:
        return items
    return [items[place * len(items) // most] for place in range(most)]


def best_of(lines: Lines, positions: float) -> str | None:
    """Return the best move in place of the one that was made; "" if that is the best one found, and None if there are
    no worlds to try it in.

    All moves are tried in the same worlds with the same luck. After each round the worse half of them is dropped, but
    neither the move that was made nor the usual one, which is the best if no other is clearly better.
    """
    moves = lines.candidates(random.Random(f"{lines.name} moves"))
    if len(moves) < 2:
        return "" if moves else None
    texts = {action: text for text, action in moves}
    made, usual = moves[0][1], lines.usual(random.Random(f"{lines.name} usual"), moves)
    kept = list(dict.fromkeys((made, usual)))
    left = [action for action in texts if action not in kept]
    brought: dict[int, list[float]] = {action: [] for action in texts}
    rounds, number = max(1, len(left).bit_length()), 0
    for done in range(1, rounds + 1):
        least = number + LEAST_WORLDS
        while lines.used < positions * done / rounds or number < least:
            name = f"{lines.name} {number}"
            world = lines.world(random.Random(name))
            for action in (*left, *kept):
                brought[action].append(lines.after(world, f"{name} luck", action))
            number += 1
        left.sort(key=lambda action: -sum(brought[action]))
        del left[(len(left) + 1) // 2 :]
    best = usual
    for action in (*left, made):
        if action != usual and clearly_better(brought[action], brought[usual]):
            best = action
            break
    return texts[best] if best != made else ""
