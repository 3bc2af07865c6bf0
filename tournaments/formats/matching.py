"""The best way to make pairs, exactly: maximum weight matching in a general graph.

Edmonds' blossom algorithm, compiled, as py4swiss brings it along for its own pairings.
"""

from __future__ import annotations

from collections.abc import Iterable

MAX_WEIGHT = (1 << 60) - 1


def matching(count: int, edges: Iterable[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Pairs (a < b) of 0 … count − 1 whose weights add up to the most; who is in none is alone.

    `edges` are (a, b, weight 1 … MOST_WEIGHT). 256 take half a second, 1,000 take twenty.
    """
    # Imported when it is needed: a web process that only shows rounds does without.
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
