"""Plays Chinese Ten by search: deals the hidden cards at random many times, tries every move in each deal, and plays on
greedily.

A world is a dict: `hands` and `deck` hold ranks, `spots` holds lists of ranks, `gain` holds points by seat. Suits never
matter.
"""

from collections import Counter

TAKER = dict(zip("A23456789TJQK", "98765432ATJQK", strict=True))
POINTS = {rank: 20 if rank == "A" else 10 if rank in "TJQK" else 5 for rank in TAKER}
WORLDS = 80
TURNS = 4  # how many turns to look ahead


class Bot:
    kinds = ("chinese_ten",)
    want = ("observation",)

    def move(self, view, legal):
        totals = dict.fromkeys(legal, 0.0)
        for _ in range(WORLDS):
            world = deal(view)
            for move in legal:
                totals[move] += outlook(copy(world), view, move)
        return max(legal, key=totals.get)


def deal(view):
    """Return a world that agrees with what is known.

    Unseen cards are dealt at random to the other hands and the deck.
    """
    unseen = Counter(dict.fromkeys(TAKER, 4 * view["packs"]))
    flipped = [view["flipped"]] if view["flipped"] else []
    for cards in (view["hand"], flipped, *view["spots"], *view["piles"]):
        unseen.subtract(card[0] for card in cards)
    rest = list(unseen.elements())
    view.random.shuffle(rest)
    hands = []
    for seat, count in enumerate(view["hand_counts"]):
        hands.append([card[0] for card in view["hand"]] if seat == view.seat else rest[:count])
        rest = rest if seat == view.seat else rest[count:]
    deck = rest + [card[0] for card in flipped]  # the next card is the last one of the list
    spots = [[card[0] for card in spot] for spot in view["spots"]]
    return {"hands": hands, "deck": deck, "spots": spots, "gain": [0] * view.seats}


def copy(world):
    return {
        "hands": [hand[:] for hand in world["hands"]],
        "deck": world["deck"][:],
        "spots": [spot[:] for spot in world["spots"]],
        "gain": world["gain"][:],
    }


def outlook(world, view, move):
    """Return how many points more than the best opponent the seat gains in the few turns after `move`."""
    verb, *words = move.split(" ")
    spot = int(words[-1]) - 1 if words[-1].isdigit() and (verb in ("flip", "cover") or len(words) == 2) else None
    if verb in ("capture", "lay"):
        world["hands"][view.seat].remove(words[0])
        put(world, view.seat, words[0], spot)
    else:  # the turned-up card is placed
        put(world, view.seat, world["deck"].pop(), spot)
    if verb != "cover":
        flip(world, view.seat)
    for turn in range(1, TURNS):
        take_turn(world, (view.seat + turn) % view.seats)
    others = [gain for seat, gain in enumerate(world["gain"]) if seat != view.seat]
    return world["gain"][view.seat] - max(others)


def put(world, seat, card, spot=None):
    """Put a card on `spot`, where it captures or lies down, and return whether it captured.

    If `spot` is None, prefer a capture, then an empty spot, then the spot with the cheapest top card.
    """
    spots = world["spots"]
    if spot is None:
        takes = [place for place, cards in enumerate(spots) if cards and cards[-1] == TAKER[card]]
        empty = [place for place, cards in enumerate(spots) if not cards]
        spot = (takes or empty or [min(range(len(spots)), key=lambda place: POINTS[spots[place][-1]])])[0]
    if spots[spot] and spots[spot][-1] == TAKER[card]:
        world["gain"][seat] += POINTS[card] + POINTS[spots[spot].pop()]
        return True
    spots[spot].append(card)
    return False


def flip(world, seat):
    """Turn up cards until one does not capture."""
    while world["deck"] and put(world, seat, world["deck"].pop()):
        pass


def take_turn(world, seat):
    """Play a greedy turn: the most valuable capture, or else the cheapest card; then flip."""
    hand = world["hands"][seat]
    if not hand:
        return
    tops = [cards[-1] for cards in world["spots"] if cards]
    takes = [card for card in hand if TAKER[card] in tops]
    card = max(takes, key=lambda rank: POINTS[rank] + POINTS[TAKER[rank]]) if takes else min(hand, key=POINTS.get)
    hand.remove(card)
    put(world, seat, card)
    flip(world, seat)
