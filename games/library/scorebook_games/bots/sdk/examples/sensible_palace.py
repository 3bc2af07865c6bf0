"""A plan for Palace: play low cards first and all of a rank at once; play wild cards only if nothing else goes."""

STRENGTH = {rank: strength for strength, rank in enumerate("3456789JQKA2T*")}
WILD = "A2T*"  # these can be played on anything


class Bot:
    kinds = ("palace",)
    want = ("observation",)

    def move(self, view, legal):
        return max(legal, key=lambda move: self.worth(view, move))

    def worth(self, view, move):
        verb, _, cards = move.removesuffix(" last").partition(" ")
        if verb == "palace":  # face-up cards are played last, so the strongest cards go there
            return sum(STRENGTH[rank] for rank in cards)
        if verb in ("throw", "call"):  # a move out of turn gets rid of cards at no cost
            return 1000
        if verb == "play" and cards == "drawn":
            return 1000
        if verb == "play":
            return self.played(view, cards) + move.endswith(" last")
        return {"turn": 3, "chance": 2, "take": 1}.get(verb, 0)

    def played(self, view, cards):
        rank, count = cards[0], len(cards)
        if rank in WILD:
            return 50 - STRENGTH[rank] - 10 * count
        top = view["pile"][-1][0] if view["pile"] else ""
        clears = count + (view["run"] if rank == top else 0) >= 4  # four cards of a rank clear the pile
        return 100 - STRENGTH[rank] + count / 10 + 100 * clears
