"""What players see of a game, and its events with named fields (rules.md, PS-18)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from scorebook_games.contract import REDACTED, Event
from scorebook_games.kinds.plate_spinner import state as st
from scorebook_games.kinds.plate_spinner.catalogue import COLOURS, FIRST_RIM, ITEM_IDS, STAR, Item
from scorebook_games.kinds.plate_spinner.state import NO_RIM, PHASES, SPIN, State


def observation(state: State, seat: int | None, to_act: list[int]) -> dict[str, Any]:
    """Return all that `seat` (None: the public) may know: everything except the order of the two packs."""
    catalogue = state.catalogue
    drafting = bool(state.order) and st.DRAFT <= state.phase <= st.COLOUR
    items = state.items
    tallies = [st.tally(state, each) for each in range(state.seats)] if catalogue else []
    return {
        "seat": seat,
        "seats": state.seats,
        "options": {"roll_limit": state.roll_limit, "roll_ms": state.roll_ms, "turn_limit": state.turn_limit},
        "catalogue": {"version": catalogue.version, "hash": catalogue.hash} if catalogue else None,
        "phase": PHASES[state.phase],
        "round": state.round,
        "last_round": state.last_round,
        "moves": state.moves,
        "to_act": to_act,
        "turn": state.order[state.turn] if drafting else None,
        "meeples": list(range(state.meeple, state.seats)) if state.phase == SPIN else [],
        "market": [facts(items[item], item) for item in state.market],
        "order": state.order[state.turn :] if drafting else [],
        "picks": state.picks if drafting else 0,
        "loose": [facts(items[rim], rim) for rim in state.loose],
        "plates_left": len(state.plates) - state.plates_at,
        "rims_left": len(state.rims_pack) - state.rims_at,
        "neutral_left": st.NEUTRAL_DICE - sum(state.neutral),
        "discard": [items[item].id for item in state.discard],
        "players": [
            player(state, each, *tally, score)
            for each, (tally, (score, _)) in enumerate(zip(tallies, st.scores_of(tallies), strict=True))
        ],
    }


def player(state: State, seat: int, printed: int, counts: list[int], score: int) -> dict[str, Any]:
    """Return what lies in front of a seat, its tally (`state.tally`) and its score so far."""
    return {
        "dice": st.pool_text(state.pools[seat]),
        "player_dice": state.player[seat],
        "neutral_dice": state.neutral[seat],
        "rolls": state.rolls[seat],
        "spinning": seat in state.racing,
        "meeple": state.meeples[seat] or None,
        "plates": [plate(state, seat, place) for place in range(len(state.held[seat]))],
        "printed": printed,
        "colours": dict(zip(COLOURS, counts, strict=True)),
        "score": score,
    }


@lru_cache(maxsize=1000)
def facts(item: Item, number: int) -> dict[str, Any]:
    """Return what is printed on an item.

    It is the same object each time, because a replay shows it thousands of times: copy it before you change it.
    """
    sort = "rim" if number >= FIRST_RIM else "star" if number == STAR else "plate" if number < STAR else "starting"
    return {
        "id": item.id,
        "sort": sort,
        "colour": item.colour or None,
        "points": item.points,
        "dice": int(item.neutral) if sort == "rim" else item.dice,
        "bomb": item.bomb,
        "needs": [group.plain() for group in item.groups],
    }


def plate(state: State, seat: int, place: int) -> dict[str, Any]:
    """Return a plate in front of a seat: what is printed on it, its rim, and the dice in each group, the rim's groups
    last.

    In a `slots` group the dice stand by slot, with None for a free one; in others in ascending order. A star plate has
    the colour that was chosen for it.
    """
    number, rim = state.held[seat][place], state.rims[seat][place]
    fillings = state.fillings[seat][place]
    shown = dict(facts(state.items[number], number))
    if number == STAR and state.star_colour >= 0:
        shown["colour"] = COLOURS[state.star_colour]
    shown["rim"] = None if rim == NO_RIM else facts(state.items[rim], rim)
    shown["filled"] = [[value or None for value in filling.dice] for filling in fillings]
    shown["free"] = sum([filling.free for filling in fillings])
    return shown


def redact(event: Event) -> Event:
    """Return `event` as everybody may see it while the game is on."""
    kind: str = event[0]
    if kind in OPEN_EVENTS:
        return event
    if kind == "set":
        return ["set", event[1], event[2], [None] * len(event[3]), [None] * len(event[4])]
    return REDACTED


OPEN_EVENTS = frozenset(
    {
        "turned",
        "go",
        "rolled",
        "assigned",
        "grabbed",
        "finished",
        "broke",
        "drafted",
        "attached",
        "discarded",
        "coloured",
        "ended",
    }
)


def ids(items: list[int | None]) -> list[str | None]:
    """Return the ids of items, None for what is hidden."""
    return [None if item is None else ITEM_IDS[item] for item in items]


def readable(event: Event) -> dict[str, Any]:
    """Return `event` with named fields: dice as `1335`, items by id, slots from 0, None for what is hidden."""
    match event:
        case ["set", version, digest, plates, rims]:
            return {"type": "set", "catalogue": version, "hash": digest, "plates": ids(plates), "rims": ids(rims)}
        case ["turned", plates, rims]:
            return {"type": "turned", "plates": ids(plates), "rims": ids(rims)}
        case ["go", number, pools]:
            return {"type": "go", "round": number, "dice": [st.pool_text(pool) for pool in pools]}
        case ["rolled", seat, dice, shown]:
            return {"type": "rolled", "seat": seat, "dice": st.pool_text(dice), "shown": st.pool_text(shown)}
        case ["assigned", seat, value, number, group, place]:
            slot = place - 1 if place else None
            return {
                "type": "assigned",
                "seat": seat,
                "die": value,
                "plate": ids([number])[0],
                "group": group,
                "slot": slot,
            }
        case ["grabbed", seat, meeple]:
            return {"type": "grabbed", "seat": seat, "meeple": meeple}
        case ["broke", seat, plates, rims, bombs]:
            return {"type": "broke", "seat": seat, "plates": ids(plates), "rims": ids(rims), "bombs": ids(bombs)}
        case ["drafted", seat, item, dice]:
            return {"type": "drafted", "seat": seat, "item": ids([item])[0], "dice": dice}
        case ["attached", seat, rim, number]:
            return {"type": "attached", "seat": seat, "rim": ids([rim])[0], "plate": ids([number])[0]}
        case ["discarded", seat, rims]:
            return {"type": "discarded", "seat": seat, "rims": ids(rims)}
        case ["coloured", seat, colour]:
            return {"type": "coloured", "seat": seat, "colour": COLOURS[colour]}
        case ["finished", seat]:
            return {"type": "finished", "seat": seat}
        case ["ended", termination]:
            return {"type": "ended", "termination": termination}
    return {"type": event[0]}
