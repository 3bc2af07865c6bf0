"""Information-set Monte Carlo tree search with a single observer.

Source: Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions on Computational
Intelligence and AI in Games 4 (2), 2012. One tree serves all worlds. Each iteration walks down the tree in a random
world. An action's exploration term counts how often it was available, because worlds differ in what is legal. Only
moves lead to nodes; chance on the way (a flip, a roll) is averaged over.

The budget is a number of iterations and all chance comes from `rng`, so the same question gets the same answer.
"""

from __future__ import annotations

import math
import random
from typing import Any, Final

from scorebook_games.contract import Paced, Rules
from scorebook_games.search.chance import DrawDealer
from scorebook_games.search.guide import Guide
from scorebook_games.search.worth import Observation

EXPLORATION: Final = 0.5  # rewards lie between 0 and 1
DOUBT: Final = 1.0
MANY_SEATS: Final = 16  # more than any kind has


class Edge:
    """A move in the tree: its mover's total reward, how often it was available and visited, and the moves after it."""

    __slots__ = ("available", "edges", "total", "visits")

    def __init__(self) -> None:
        self.available = 0
        self.visits = 0
        self.total = 0.0
        self.edges: dict[int, Edge] = {}


class Move:
    """A move that may be made now, and the reward in each world in which it was tried."""

    __slots__ = ("action", "brought", "edge", "text")

    def __init__(self, text: str, action: int) -> None:
        self.text = text
        self.action = action
        self.edge = Edge()
        self.brought: list[float] = []


class Rollout:
    """A game that is played on in one world. It knows who moves next and draws the chance events.

    If several seats may act, seats that may pass are asked in order. If moves go in bundles (PS-17), a seat plays on
    until its bundle ends, and then the next seat is drawn.
    """

    __slots__ = ("beat", "dealer", "draw", "paced", "passed", "rules", "seat", "state", "turns")

    def __init__(self, rules: Rules[Any], paced: Paced[Any] | None, state: Any, seat: int, rng: random.Random) -> None:
        self.rules = rules
        self.paced = paced
        self.state = state
        self.draw = rng.random
        self.dealer = DrawDealer(rng.random)
        self.passed: set[int] = set()
        self.beat: list[int] = []
        self.turns = 0
        self.seat = seat
        """The seat that moves next; −1 if none does."""

    def play(self, action: int) -> None:
        """Make a move of the current seat and set the next one."""
        rules, state, seat = self.rules, self.state, self.seat
        bundled = self.paced is not None and not self.paced.ends_bundle(state, action)
        events = rules.decide(state, seat, action, self.dealer)
        for event in events:
            rules.apply(state, event)
        if events:
            self.passed.clear()
        else:
            self.passed.add(seat)
        self._follow(seat, bundled)
        self.turns += self.seat != seat

    def _follow(self, seat: int, bundled: bool) -> None:
        """Set who moves after `seat`. It goes on itself if its move was `bundled` with the next one."""
        acting = self.rules.to_act(self.state)
        if len(acting) == 1 and not self.passed:
            self.seat = acting[0]
        elif not bundled or seat not in acting:
            self.seat = self._next(acting)

    def _next(self, acting: list[int]) -> int:
        if self.passed:
            acting = [seat for seat in acting if seat not in self.passed]
        if not acting:
            return -1
        if self.paced is None:
            return acting[0]
        self.beat = [seat for seat in self.beat if seat in acting] or acting[:]
        return self.beat.pop(int(self.draw() * len(self.beat)))


def best_move(guide: Guide, observation: Observation, legal: list[str], usual: str, rng: random.Random) -> str:
    """Return the best of the legal moves if it is clearly better than the `usual` one, else `usual`.

    At the root, all moves are tried in the same worlds and with the same luck, so that only the moves differ. Again and
    again, the worse half is dropped (sequential halving: Karnin, Koren and Somekh, "Almost Optimal Exploration in
    Multi-Armed Bandits", ICML 2013).
    """
    worlds = guide.worlds(observation)
    seat: int = observation["seat"]
    first = worlds.sample(rng)
    candidates = guide.candidates(first, seat)
    moves = [Move(text, guide.rules.parse_move(first, text)) for text in legal]
    default = moves[legal.index(usual)]
    left = [move for move in moves if move.action in candidates and move is not default]
    rounds = len(left).bit_length()
    for _ in range(rounds):
        for _ in range(max(1, guide.iterations // (rounds * (1 + len(left))))):
            world, luck = worlds.sample(rng), rng.getrandbits(64)
            for move in [*left, default]:
                line = Rollout(guide.rules, guide.paced, world.copy(), seat, random.Random(luck))
                move.brought.append(iterate(guide, line, move.edge, move.action))
        left.sort(key=lambda tried: -tried.edge.total)
        del left[(len(left) + 1) // 2 :]
    return left[0].text if left and clearly_better(left[0].brought, default.brought) else usual


def clearly_better(one: list[float], other: list[float]) -> bool:
    """Return whether the mean of `one` lies `DOUBT` standard errors above that of `other`, compared world by world."""
    leads = [mine - others for mine, others in zip(one, other, strict=True)]
    mean = sum(leads) / len(leads)
    variance = sum([(lead - mean) ** 2 for lead in leads]) / len(leads)
    return mean > DOUBT * math.sqrt(variance / len(leads))


def iterate(guide: Guide, line: Rollout, root: Edge, action: int) -> float:
    """Play `action`, go down the tree and out of it, and add the values to every move on the way.

    Return the mover's value.
    """
    seat = line.seat
    path = [(seat, root)]
    line.play(action)
    if guide.widening and root.visits and line.seat >= 0 and not guide.settled(line.state):
        path += descend(guide, line, root, guide.candidates(line.state, line.seat))
    play_out(guide, line)
    values = guide.value(line.state)
    for mover, edge in path:
        edge.visits += 1
        edge.total += values[mover]
    return values[seat]


def descend(guide: Guide, line: Rollout, root: Edge, actions: list[int]) -> list[tuple[int, Edge]]:
    """Go down the tree to a move that was never made before, and make it. Return the moves made, each with its seat."""
    path: list[tuple[int, Edge]] = []
    node = root
    while True:
        seat = line.seat
        if len(actions) > 1:
            edge, action = choose(guide, line, node, actions)
            path.append((seat, edge))
            line.play(action)
            if not edge.visits:
                return path
            node = edge
        else:
            line.play(actions[0])
        if line.seat < 0 or guide.settled(line.state):
            return path
        actions = guide.candidates(line.state, line.seat)


def choose(guide: Guide, line: Rollout, node: Edge, actions: list[int]) -> tuple[Edge, int]:
    """Return the move with the highest upper bound, or a new one while few are tried; the first new one is the habitual
    one.

    The number of moves tried grows with the visits (progressive widening: Couetoux and others, "Continuous Upper
    Confidence Trees", LION 2011). So a node with many moves is not valued by its bad ones.
    """
    seat, edges = line.seat, node.edges
    best, chosen, move, tried = -1.0, None, -1, 0
    for action in actions:
        edge = edges.get(action * MANY_SEATS + seat)
        if edge is None:
            continue
        tried += 1
        edge.available += 1
        bound = edge.total / edge.visits + EXPLORATION * math.sqrt(math.log(edge.available) / edge.visits)
        if bound > best:
            best, chosen, move = bound, edge, action
    if chosen is None:
        move = guide.habit(line.state, seat, line.draw)
    elif tried < len(actions) and tried * tried * guide.widening <= node.visits:
        new = [action for action in actions if action * MANY_SEATS + seat not in edges]
        move = new[int(line.draw() * len(new))]
    else:
        return chosen, move
    chosen = edges.setdefault(move * MANY_SEATS + seat, Edge())
    chosen.available += 1
    return chosen, move


def play_out(guide: Guide, line: Rollout) -> None:
    """Play on by habit until the game is settled or the horizon is reached."""
    while line.seat >= 0 and line.turns < guide.horizon and not guide.settled(line.state):
        line.play(guide.habit(line.state, line.seat, line.draw))
