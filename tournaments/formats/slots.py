"""Brackets as slots: each takes two entrants, and its winner and loser go on to other slots or out.

A bracket is drawn once, from the size of its field, and filled from the history alone. In each round everybody who is
still in plays, has a bye or is away; anybody else has withdrawn. A slot is postponed if its time has come, both its
entrants are in, and it had no match. This is allowed for a limited number of rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scorebook_games.contract import Option
from scorebook_games.presentation.coded_text import Sentence
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.results import MatchResult, RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import Place, places_by_level
from tournaments.formats.reasons import AWAY, WITHDRAWN
from tournaments.formats.seeding import present_entrants
from tournaments.scoring.points import PointsSystem, score_match

NO_ENTRANT = 0

DRAWN_OPTION = (
    Option(
        "drawn",
        "choice",
        "replay",
        "What happens after a drawn match: it is replayed, or the better seed advances immediately.",
        choices=("replay", "seed"),
    ),
    Option("replays", "int", 1, "How often a drawn match is replayed before the better seed advances.", 1, 9),
)
POSTPONE_OPTION = Option(
    "postpone",
    "int",
    1,
    "How many rounds a match is postponed for an absent entrant before the opponent advances without playing.",
    1,
    9,
)
BRACKET_LABELS = {
    "drawn": gettext_noop("A drawn match"),
    "replay": gettext_noop("is replayed"),
    "seed": gettext_noop("is won by the better seed"),
    "replays": gettext_noop("Replays of a drawn match"),
    "postpone": gettext_noop("Rounds a match can be postponed"),
}
PLACED_BY_STAGE = gettext_noop("Places depend on the stage reached, not on points.")


def absence_from_bracket(table_size: int) -> str:
    """Return what follows if an entrant misses a round of a knockout."""
    if table_size > 2:
        return _("If you miss a round of the knockout, you are out.")
    return _("A match that you miss is postponed to a later round. If you miss that too often, your opponent advances.")


@dataclass(frozen=True, slots=True)
class SlotSource:
    """Where a slot's entrant comes from: "seed" with its number, "winner" or "loser" of another slot, or "again": the
    entrant at `side` of that slot, if its second side won."""

    kind: str
    slot: str = ""
    seed: int = 0
    side: int = 0

    @property
    def goes_on(self) -> bool:
        """Return whether the winner of the other slot comes here."""
        return self.kind in ("winner", "again")

    def label(self) -> Sentence:
        """Return the source in words."""
        if self.kind == "again":
            return reasons.same_again()
        if self.kind == "seed":
            return reasons.seed(self.seed)
        return reasons.winner_of(self.slot) if self.kind == "winner" else reasons.loser_of(self.slot)

    def short_label(self) -> Sentence:
        """Return the source as a box of a bracket has it, without an article."""
        if self.kind in ("again", "seed"):
            return self.label()
        return reasons.winner(self.slot) if self.kind == "winner" else reasons.loser(self.slot)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one match.

    `earliest`: the first round (from 1) in which it may be played. An entrant who goes out here is ranked by `level`,
    higher is better; `wins` is the level of the winner if the slot leads nowhere. `section` is "upper", "lower" or
    "final".
    """

    name: str
    title: Sentence
    sources: tuple[SlotSource, SlotSource]
    earliest: int
    level: int
    wins: int | None = None
    section: str = "upper"


@dataclass(frozen=True, slots=True)
class BracketRules:
    """How a bracket is counted: the season's points, how often a draw is replayed, and for how many rounds a match may
    wait."""

    points: PointsSystem
    replays: int
    postpone: int


class BracketProgress:
    """How far a bracket has come.

    `winner` and `loser`: slot → entrant, or NO_ENTRANT. `seed`: entrant → its number. `played`: slot → its matches.
    `waited`: slot → rounds for which it was postponed. `passed`: entrant → why it went on without a match since the
    last round. `missing`: entrant → the absent opponent. `notes`: slot → a note about its result.
    """

    def __init__(self, slots: Sequence[Slot], field: Sequence[int], rules: BracketRules) -> None:
        self.slots, self.field, self.rules = slots, field, rules
        self.seed = {entrant: number for number, entrant in enumerate(field, start=1)}
        self.winner: dict[str, int] = {}
        self.loser: dict[str, int] = {}
        self.played: dict[str, list[MatchResult]] = {}
        self.drawn: Counter[str] = Counter()
        self.waited: Counter[str] = Counter()
        self.passed: dict[int, Sentence] = {}
        self.missing: dict[int, int] = {}
        self.notes: dict[str, Sentence] = {}
        self._by_name = {slot.name: slot for slot in slots}
        self._level: dict[int, int] = {}
        self._gone: dict[int, str] = {}
        self._open = list(slots)  # undecided slots, each after those it comes from
        self._settle()

    def who(self, source: SlotSource) -> int | None:
        """Return the entrant who comes from there, NO_ENTRANT, or None if this is not known yet."""
        if source.kind == "seed":
            return self.field[source.seed - 1] if source.seed <= len(self.field) else NO_ENTRANT
        if source.slot not in self.winner:
            return None
        if source.kind != "again":
            return (self.winner if source.kind == "winner" else self.loser)[source.slot]
        both = self.entrants(self._by_name[source.slot])
        winner = self.winner[source.slot]
        if winner == both[1] and both[0] and both[0] not in self._gone:
            return both[source.side]
        return NO_ENTRANT if source.side else winner

    def entrants(self, slot: Slot) -> tuple[int | None, ...]:
        """Return the entrants of the slot's two sources."""
        return tuple([self.who(source) for source in slot.sources])

    def alive(self) -> dict[int, Slot]:
        """Return entrant → next slot, for everybody who is still in."""
        return {
            entrant: slot
            for slot in self._open
            for entrant in self.entrants(slot)
            if entrant and entrant not in self._gone
        }

    def ready(self, number: int) -> list[Slot]:
        """Return the slots to play in round `number`: those with known entrants whose time has come, or earlier if
        nothing else could be played."""
        known = [slot for slot in self._open if None not in self.entrants(slot)]
        latest = max([number, min([slot.earliest for slot in known], default=0)])
        return [slot for slot in known if slot.earliest <= latest]

    def leave(self, entrants: Mapping[int, str]) -> None:
        """Remove these entrants, who are WITHDRAWN or AWAY; their opponents go on."""
        self._gone.update(entrants)
        self._settle()

    def begin(self, number: int, withdrawn: Collection[int], away: Collection[int]) -> None:
        """Apply what is known before round `number`: who has withdrawn and who is away.

        An entrant who was waited for long enough is removed; of two in one match, the worse seed.
        """
        alive = self.alive()
        self.leave({entrant: WITHDRAWN for entrant in withdrawn if entrant in alive})
        while overdue := self._overdue(number, away):
            self.leave(overdue)

    def take(self, past: RoundResult, number: int) -> None:
        """Add a round of the history, round `number` of this bracket."""
        there = present_entrants(past)
        self.begin(number, [entrant for entrant in self.alive() if entrant not in there], past.away)
        self.passed.clear()
        self.missing.clear()
        due = self.ready(number)
        matches = {match.slot: match for match in past.matches}
        for slot in due:
            if slot.name not in matches:
                self.waited[slot.name] += 1
            elif matches[slot.name].over or past.closed:
                self._count(slot, matches[slot.name])
            else:
                self.played.setdefault(slot.name, []).append(matches[slot.name])
        self._settle()

    def both(self, slot: Slot) -> tuple[int, ...]:
        """Return the known entrants of the slot."""
        return tuple([entrant for entrant in self.entrants(slot) if entrant])

    def _overdue(self, number: int, away: Collection[int]) -> dict[int, str]:
        leaving = {}
        for slot in self.ready(number):
            missing = [entrant for entrant in self.both(slot) if entrant in away]
            if missing and self.waited[slot.name] >= self.rules.postpone:
                one = max(missing, key=lambda entrant: self.seed[entrant])
                leaving[one] = AWAY
        return leaving

    def better_seed(self, entrants: Iterable[int]) -> int:
        """Return the one with the lowest seed number."""
        return min(entrants, key=lambda entrant: self.seed[entrant])

    def places(self, entrants: Iterable[int]) -> dict[int, Place]:
        """Return where everybody stands. Entrants who went out at the same stage share a place; those who were never in
        are last."""
        alive = self.alive()
        levels = {entrant: self._level.get(entrant, -1) for entrant in entrants}
        return places_by_level(levels | {entrant: self._best_level(slot) for entrant, slot in alive.items()}, alive)

    def _best_level(self, slot: Slot) -> int:
        """Return the level that an entrant gets who wins this slot and all that follow."""
        if slot.wins is not None:
            return slot.wins
        later = (one for one in self.slots if slot.name in [source.slot for source in one.sources if source.goes_on])
        return self._best_level(next(later))

    def _count(self, slot: Slot, match: MatchResult) -> None:
        self.played.setdefault(slot.name, []).append(match)
        if match.unattended:
            self.notes[slot.name] = reasons.nobody_came()
            self._gone.update(dict.fromkeys(match.entrants, AWAY))
            self._decide(slot, NO_ENTRANT)
            return
        if not match.games:  # annulled: the season ended before it was played
            return
        places = score_match(self.rules.points, match).places
        first = [entrant for entrant in match.entrants if places[entrant] == 1]
        if len(first) > 1:
            self.drawn[slot.name] += 1
            if self.drawn[slot.name] <= self.rules.replays:
                return
            self.notes[slot.name] = reasons.drawn_for_better_seed()
        self._decide(slot, self.better_seed(first))

    def _decide(self, slot: Slot, winner: int) -> None:
        others = [entrant for entrant in self.entrants(slot) if entrant and entrant != winner]
        for entrant in others:
            self._level[entrant] = slot.level
        if winner and slot.wins is not None:
            self._level[winner] = slot.wins
        dropping = [entrant for entrant in others if entrant not in self._gone]
        self.winner[slot.name], self.loser[slot.name] = winner, dropping[0] if dropping else NO_ENTRANT

    def _settle(self) -> None:
        """Decide every slot in which no two entrants can meet any more."""
        for slot in self._open:
            there = self.entrants(slot)
            if slot.name in self.winner or None in there:
                continue
            staying = [entrant for entrant in there if entrant and entrant not in self._gone]
            if len(staying) == 2:
                continue
            if staying:
                self._pass(slot, staying[0], next((entrant for entrant in there if entrant in self._gone), None))
            self._decide(slot, staying[0] if staying else NO_ENTRANT)
        self._open = [slot for slot in self._open if slot.name not in self.winner]

    def _pass(self, slot: Slot, entrant: int, missing: int | None) -> None:
        if missing is not None:
            self.notes[slot.name] = reasons.walkover()
            self.missing[entrant] = missing
            withdrew = self._gone[missing] == WITHDRAWN
            through = reasons.through_as_opponent_withdrew if withdrew else reasons.through_as_opponent_away
            self.passed[entrant] = through(slot.title)
        elif slot.sources[0].kind == "again":
            self.notes[slot.name] = reasons.not_needed()
        else:
            self.notes[slot.name] = reasons.bye()
            self.passed[entrant] = (
                reasons.through_as_best_seed(slot.title, len(self.field))
                if slot.sources[0].kind == "seed"
                else reasons.through_as_nobody_came(slot.title, self._empty(slot))
            )

    def _empty(self, slot: Slot) -> list[str]:
        return [source.slot for source in slot.sources if self.who(source) == NO_ENTRANT]


def bracket_order(size: int) -> list[int]:
    """Return the seeds 1 … size (a power of two) from top to bottom, so that the two best can meet only in the final,
    the four best not before the semi-finals, and so on."""
    order = [1]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    return order


def bracket_depth(entrants: int) -> int:
    """Return how many rounds of halving reduce so many entrants to one; at least 1."""
    return max(1, (entrants - 1).bit_length())


def upper_slots(rounds: int, titles: Sequence[Sentence], levels: Sequence[int]) -> list[Slot]:
    """Return the slots W1.1 … of that many rounds of a bracket, each round with half as many as the one before."""
    order = bracket_order(2**rounds)
    slots = []
    for number in range(1, rounds + 1):
        for place in range(1, 2 ** (rounds - number) + 1):
            if number == 1:
                sources = (SlotSource("seed", seed=order[2 * place - 2]), SlotSource("seed", seed=order[2 * place - 1]))
            else:
                one, two = f"W{number - 1}.{2 * place - 1}", f"W{number - 1}.{2 * place}"
                sources = (SlotSource("winner", one), SlotSource("winner", two))
            slots.append(Slot(f"W{number}.{place}", titles[number - 1], sources, number, levels[number - 1]))
    return slots
