"""Looks ahead in a Swiss with many rounds, so that its last rounds can be paired without second meetings and byes.

Entrants are the vertices of a graph, and those who have not met are joined. With an odd number, the bye is one more
vertex, joined to everybody who has had none. Each round that remains needs a perfect matching of this graph, and no two
rounds share a pair. A search finds out whether so many exist. It gives up after `STEPS` steps, always the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tournaments.formats.field import Candidate

STEPS = 5_000

Edges = tuple[int, ...]  # for each vertex the set of its neighbours, a bit each
Pairs = list[tuple[int, int]]


class LookAhead:
    """The rounds that remain.

    `playing` are the entrants of this round, `staying` those of the rounds after it, of which there are `rounds`. Both
    are sorted by rank.
    """

    def __init__(self, playing: Sequence[Candidate], staying: Sequence[Candidate], rounds: int) -> None:
        self.rounds = rounds
        self.entrants = [one.entrant for one in staying]
        self.vertex = {entrant: place for place, entrant in enumerate(self.entrants, start=1)}  # 0 is the bye
        everybody = sum(1 << vertex for vertex in self.vertex.values())
        edges = [sum(1 << self.vertex[one.entrant] for one in staying if not one.byes)]
        for one in staying:
            met = sum(1 << self.vertex[other] for other in one.met if other in self.vertex)
            edges.append(everybody & ~met & ~(1 << self.vertex[one.entrant]) | (not one.byes))
        self.edges = tuple(edges)
        self.now = _even({self.vertex[one.entrant] for one in playing})
        self.later = _even(set(self.vertex.values()))

    def allows(self, pairs: Sequence[tuple[int, int]], resting: int | None) -> bool:
        """Return whether the rounds after this one can be paired if these entrants meet now, and `resting` has the bye.
        True if this is not found out."""
        made = [(self.vertex[a], self.vertex[b]) for a, b in pairs]
        made += [] if resting is None else [(0, self.vertex[resting])]
        try:
            return _Search().rounds_exist(_without(self.edges, made), self.later, self.rounds)
        except _TooManySteps:
            return True

    def find(self, cost: Mapping[tuple[int, int], int]) -> tuple[list[tuple[int, int]], int | None] | None:
        """Return the pairs of this round and who has the bye, such that the rounds after it can be paired; None if
        there are none or they are not found.

        The bye goes to the lowest possible entrant. Then the highest meets the one with the lowest `cost`, and so on.
        """
        order: list[list[int]] = [sorted(self.vertex.values(), reverse=True)]
        for one, entrant in enumerate(self.entrants, start=1):
            others = [other for other in self.vertex.values() if other != one]
            order.append(sorted(others, key=lambda other: cost.get((entrant, self.entrants[other - 1]), 0)))
        search = _Search()
        try:
            if not search.rounds_exist(self.edges, self.later, self.rounds):
                return None
            for pairs in search.matchings(self.edges, self.now, order):
                if search.rounds_exist(_without(self.edges, pairs), self.later, self.rounds):
                    return self._entrants(pairs)
        except _TooManySteps:
            pass
        return None

    def _entrants(self, pairs: Pairs) -> tuple[list[tuple[int, int]], int | None]:
        resting = next((self.entrants[other - 1] for one, other in pairs if not one), None)
        return [(self.entrants[a - 1], self.entrants[b - 1]) for a, b in pairs if a], resting


class _TooManySteps(Exception):
    pass


class _Search:
    def __init__(self) -> None:
        self.left = STEPS
        self.known: dict[tuple[Edges, int], bool] = {}

    def rounds_exist(self, edges: Edges, here: int, rounds: int) -> bool:
        """Return whether so many rounds of all who are `here` exist, no two with the same pair."""
        if rounds <= 0 or not here:
            return True
        edges = tuple([near & here if here >> one & 1 else 0 for one, near in enumerate(edges)])
        least = min(edges[member].bit_count() for member in _members(here))
        if 2 * (least - rounds + 1) >= here.bit_count():  # Dirac: such a graph has a perfect matching in each round
            return True
        if least < rounds or _has_odd_part(edges, here):
            return False
        if (edges, rounds) not in self.known:
            self.known[edges, rounds] = any(
                self.rounds_exist(_without(edges, pairs), here, rounds - 1) for pairs in self.matchings(edges, here)
            )
        return self.known[edges, rounds]

    def matchings(self, edges: Edges, here: int, order: Sequence[Sequence[int]] | None = None) -> Iterator[Pairs]:
        """Yield the ways to pair all who are `here`: from the vertex with the fewest neighbours on; with an `order` of
        neighbours in that order, from vertex 0 on."""
        if not here:
            yield []
            return
        self.left -= 1
        if self.left < 0:
            raise _TooManySteps
        one = min(_members(here), key=lambda vertex: (edges[vertex] & here).bit_count())
        if order and edges[one] & here:
            one = next(_members(here))
        near = edges[one] & here
        for other in _members(near) if order is None else order[one]:
            if near >> other & 1:
                for pairs in self.matchings(edges, here & ~(1 << one | 1 << other), order):
                    yield [(one, other), *pairs]


def _even(vertices: set[int]) -> int:
    """Return the set as bits, with the bye if their number is odd."""
    return sum(1 << vertex for vertex in vertices) | len(vertices) % 2


def _members(vertices: int) -> Iterator[int]:
    while vertices:
        lowest = vertices & -vertices
        yield lowest.bit_length() - 1
        vertices ^= lowest


def _without(edges: Edges, pairs: Sequence[tuple[int, int]]) -> Edges:
    left = list(edges)
    for one, other in pairs:
        left[one] &= ~(1 << other)
        left[other] &= ~(1 << one)
    return tuple(left)


def _has_odd_part(edges: Edges, here: int) -> bool:
    """Return whether a connected part of the graph has an odd number of vertices."""
    while here:
        part, fresh = 0, here & -here
        while fresh:
            part |= fresh
            near = 0
            for member in _members(fresh):
                near |= edges[member]
            fresh = near & here & ~part
        if part.bit_count() % 2:
            return True
        here &= ~part
    return False
