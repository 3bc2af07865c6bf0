"""Shared by formats with a drawn bracket: who plays which slot next, the byes with their reasons, and final places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scorebook_games.contract import Dealer
from scorebook_games.presentation.coded_text import Sentence
from tournaments.core.results import RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import Finished, FormatOptions, Pairing, PairingBye, Pairings, Place, Wait, finished
from tournaments.formats.reasons import Reasons
from tournaments.formats.seeding import SeatCounts, active_entrants, assign_seats, count_seats, present_entrants, seeded
from tournaments.formats.slots import BracketProgress, BracketRules, Slot, SlotSource


def bracket_field(
    entrants: Iterable[int], history: Sequence[RoundResult], options: FormatOptions, *, waits: bool = True
) -> list[int]:
    """Return the bracket's field, strongest first: those present in its first round; before that, all who have not
    withdrawn.

    `waits`: includes entrants who are away in the first round.
    """
    if history:
        there = present_entrants(history[0]) if waits else active_entrants(history[0])
    else:
        there = set(entrants) - options.withdrawn - (set() if waits else set(options.away))
    return seeded([entrant for entrant in entrants if entrant in there], options)


def bracket_progress(
    slots: Sequence[Slot],
    field: Sequence[int],
    history: Iterable[RoundResult],
    options: FormatOptions,
    settings: Mapping[str, Any],
) -> BracketProgress:
    """Return how far a bracket has come after these rounds, which must all be its own."""
    replays = settings["replays"] if settings["drawn"] == "replay" else 0
    going = BracketProgress(slots, field, BracketRules(options.points, replays, settings["postpone"]))
    for number, past in enumerate(history, start=1):
        going.take(past, number)
    return going


def next_bracket_round(
    going: BracketProgress,
    entrants: Iterable[int],
    history: Sequence[RoundResult],
    options: FormatOptions,
    chance: Dealer,
) -> Pairings | Wait | Finished:
    """Return what comes after these rounds of a bracket."""
    if history and not history[-1].closed:
        return Wait(f"Round {history[-1].number} is still being played.")
    number = len(history) + 1
    begin_round(going, number, options)
    if not going.alive():
        return finished(going.places(entrants))
    playing: set[int] = set()
    sat, tables = count_seats(history), []
    for slot in going.ready(number):
        both = going.both(slot)
        if not any(one in options.away for one in both):
            tables.append(_pairing(going, slot, both, sat, chance))
            playing.update(both)
    return Pairings(tuple(tables), _byes(going, number, playing, options))


def bracket_places(
    going: BracketProgress, entrants: Iterable[int], history: Sequence[RoundResult], options: FormatOptions
) -> dict[int, Place]:
    """Return where everybody stands after these rounds of a bracket."""
    begin_round(going, len(history) + 1, options)
    return going.places(entrants)


def begin_round(going: BracketProgress, number: int, options: FormatOptions) -> None:
    """Apply what is known before round `number`: withdrawals and absences."""
    going.begin(number, options.withdrawn, options.away.keys() - options.withdrawn)


def _pairing(going: BracketProgress, slot: Slot, both: Sequence[int], sat: SeatCounts, chance: Dealer) -> Pairing:
    before = going.played.get(slot.name, [])
    seated = before[-1].entrants[::-1] if before else assign_seats(both, sat, chance, f"seats/{slot.name}")
    one, two = (_source_text(going, source) for source in slot.sources)
    again = slot.sources[0].kind == "again"
    reason: Reasons = (reasons.slot_match_again(slot.title) if again else reasons.slot_match(slot.title, one, two),)
    if before:
        reason += (reasons.drawn_and_replayed(),)
    if going.waited[slot.name]:
        reason += (reasons.was_postponed(),)
    return Pairing(seated, reason, slot.name)


def _source_text(going: BracketProgress, source: SlotSource) -> Sentence:
    entrant = going.who(source)
    if source.kind == "seed" or not entrant:
        return source.label()
    return reasons.seeded_source(source.label(), going.seed[entrant])


def _byes(going: BracketProgress, number: int, playing: set[int], options: FormatOptions) -> tuple[PairingBye, ...]:
    """Return byes with reasons for everybody who is still in and does not play; best seeds first."""
    ready = {slot.name for slot in going.ready(number)}
    alive = sorted(going.alive().items(), key=lambda item: going.seed[item[0]])
    return tuple(
        PairingBye(
            one,
            (_bye_reason(going, one, slot, slot.name in ready, options),),
            _missing_opponent(going, one, slot.name in ready),
        )
        for one, slot in alive
        if one not in playing
    )


def _missing_opponent(going: BracketProgress, entrant: int, ready: bool) -> int | None:
    """Return the absent opponent of an entrant who went on without a match and does not play now."""
    return None if ready else going.missing.get(entrant)


def _bye_reason(going: BracketProgress, entrant: int, slot: Slot, ready: bool, options: FormatOptions) -> Sentence:
    if ready:
        return (reasons.postponed_as_away if entrant in options.away else reasons.postponed_for_opponent)(slot.title)
    if entrant in going.passed:
        return going.passed[entrant]
    waiting = [source.label() for source in slot.sources if going.who(source) is None]
    if waiting:
        return reasons.waits_for(slot.title, waiting[0])
    return reasons.plays_later(slot.title)
