"""Other worlds of Plate Spinner that a viewer cannot tell from the one they are in (see
`tests.scorebook_games.kinds.permute`).

Hidden is the order of the two packs below what has been turned up, from everybody alike (PS-18). The star plate stays
within the places where it may have been put (PS-7), and below what has been turned up.
"""

from __future__ import annotations

import random

from scorebook_games.contract import Event, Options

STAR = 40
MAX_WORLD_TRIES = 100  # until there surely is no other world
ABOVE_STAR = {2: (18, 22), 3: (28, 32), 4: (35, 39), 5: (35, 39)}


def permuted(
    seats: int,
    options: Options,
    events: list[Event],
    seat: int | None,
    rng: random.Random,
) -> list[Event] | None:
    """Return `events` with the rest of both packs shuffled."""
    name, version, digest, plates, rims = events[0]
    plates_up = sum(len(event[1]) for event in events if event[0] == "turned")
    rims_up = sum(len(event[2]) for event in events if event[0] == "turned")
    for _ in range(MAX_WORLD_TRIES):
        new_rims = rims[:rims_up] + rng.sample(rims[rims_up:], len(rims) - rims_up)
        below = [plate for plate in plates[plates_up:] if plate != STAR]
        new_plates = plates[:plates_up] + rng.sample(below, len(below))
        if STAR not in new_plates:
            least, most = ABOVE_STAR[seats]
            new_plates.insert(rng.randint(max(least, plates_up), most), STAR)
        if (new_plates, new_rims) != (plates, rims):
            return [[name, version, digest, new_plates, new_rims], *events[1:]]
    return None
