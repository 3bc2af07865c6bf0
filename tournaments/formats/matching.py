"""Exact maximum weight matching in a general graph, which finds the best way to make pairs.

It is Edmonds' blossom algorithm in compiled form, from py4swiss.
"""

from __future__ import annotations

from collections.abc import Iterable

MAX_WEIGHT = (1 << 60) - 1


def matching(count: int, edges: Iterable[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Return pairs (a < b) of 0 … count − 1 with the highest sum of weights. A number in no pair stays alone.

    `edges` are (a, b, weight from 1 to the maximum). 256 entrants take half a second, 1,000 take twenty.
    """
    # Imported when needed: a web process that only shows rounds does without.
    from py4swiss.dynamicuint import DynamicUint
    from py4swiss.matching_computer import ComputerDutchOptimality

    most = DynamicUint(MAX_WEIGHT)  # all weights must be as wide as the widest
    computer = ComputerDutchOptimality(count, most)
    for _ in range(count):
        computer.add_vertex()
    for a, b, weight in edges:
        wide = DynamicUint(most)
        wide &= 0
        wide |= weight
        computer.set_edge_weight(a, b, wide)
    computer.compute_matching()
    return [(a, b) for a, b in enumerate(computer.get_matching()) if a < b]
