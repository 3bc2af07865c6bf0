"""Asks a season's format about a division: the next pairings, the bracket, the order. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tournaments.core.results import RoundResult
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, FormatOptions, Pairing, Pairings, Wait
from tournaments.formats.bracket import Column
from tournaments.formats.format import Format
from tournaments.formats.ladder import REFUSAL_NOT_ALLOWED, ladder_settings
from tournaments.formats.order import order_as_recorded, standings_in_order
from tournaments.formats.reasons import playoff_for_place
from tournaments.scoring.points import score_match
from tournaments.scoring.standings import EntrantStanding
from tournaments.seasons.fold import DivisionState, SeasonFold


def format_of(folded: SeasonFold) -> Format:
    """Return the season's format."""
    return FORMATS[folded.settings["format"]]


def next_round(
    folded: SeasonFold, division: DivisionState, *, over: bool = False, now: int = 0
) -> Pairings | Wait | Finished:
    """Return what comes next in a division; `over`: whether the season's time has ended; `now`: seconds since 1970, for
    formats that pair by the time. Raises ValueError before the start."""
    if division.above is not None:
        answer = _next_of_playoff(folded, division)
    else:
        options = replace(
            format_options(folded, division, over=over), free_since=_free_since(folded, division), now=now
        )
        answer = format_of(folded).next(sorted(division.entrants), division.results(), options, folded.dealer())
    late = any(not match.over for past in division.rounds if past.closed for match in past.matches)
    if late and (isinstance(answer, Finished) or format_of(folded).eliminates):
        return Wait("A game of a round that is closed is being played again.", min(_expiries(division), default=None))
    return answer


def _free_since(folded: SeasonFold, division: DivisionState) -> dict[int, int]:
    """Return entrant → when their last match was over, in seconds since 1970, in formats that pair during rounds."""
    since: dict[int, int] = {}
    for match in [match for past in division.rounds if format_of(folded).continuous for match in past.matches]:
        if match.finished_at is not None:
            at = int(match.finished_at.timestamp())
            since |= {entrant: max(since.get(entrant, 0), at) for entrant in match.entrants}
    return since


def _expiries(division: DivisionState) -> tuple[int, ...]:
    """Return when the waiting challenges expire, in seconds since 1970."""
    return tuple(end for pair in division.challenges if (end := division.until.get(pair)) is not None)


def _next_of_playoff(folded: SeasonFold, division: DivisionState) -> Pairings | Wait | Finished:
    """Return what comes next in a play-off: one match for each place. In a draw the holder keeps it. Place 1 is the
    higher division."""
    if not division.rounds:
        return Pairings(tuple(Pairing(pair, (playoff_for_place(),)) for pair in division.pairs))
    [played] = division.results()
    if not played.closed:
        return Wait("The play-off is being played.")
    scores = [score_match(folded.points(), match) for match in played.matches]
    first = [_winner(score.places, pair) for score, pair in zip(scores, division.pairs, strict=True)]
    return Finished({entrant: 1 if entrant in first else 2 for pair in division.pairs for entrant in pair})


def _winner(places: Mapping[int, int], pair: Sequence[int]) -> int:
    """Return the one of a pair who is placed first; the first of the pair in a draw."""
    return min(pair, key=lambda entrant: (places[entrant], pair.index(entrant)))


def format_options(folded: SeasonFold, division: DivisionState, *, over: bool = False) -> FormatOptions:
    """Return what the season's format must know; `over`: whether the season's time has ended."""
    settings, unanswered = folded.settings, unanswered_challenges(folded, division)
    seeds = (*division.seeds, *(entrant for entrant in division.entrants if entrant not in division.seeds))
    return FormatOptions(
        table_size=settings["table_size"],
        points=folded.points(),
        tie_breaks=tuple(settings["tie_breaks"]),
        lowest_best=folded.lowest_best(),
        lots=folded.lots(division),
        settings=settings["format_options"],
        seeds={entrant: seed for seed, entrant in enumerate(seeds, start=1)} if division.seeds else None,
        away=folded.away(division, len(division.rounds) + 1),
        withdrawn=frozenset(number for number in division.entrants if folded.entrants[number].gone),
        short=settings["short_tables"] != "bye" and settings["table_size"] > 2,
        challenges=tuple(pair for pair in division.challenges if pair not in unanswered),
        expiries=_expiries(division),
        lost=tuple(
            (refusal.rounds, refusal.to, refusal.challenged) for refusal in division.refusals if refusal.to is not None
        ),
        over=over,
        carried=folded.carried(division),
        dummies=format_of(folded).counts_dummies(settings["table_size"]),
        rules=settings,
    )


def unanswered_challenges(folded: SeasonFold, division: DivisionState) -> list[tuple[int, int]]:
    """Return the challenges without an answer; [] if challenges need no answer."""
    if ladder_settings(folded.settings["format_options"])["refusal"] == REFUSAL_NOT_ALLOWED:
        return []
    return [pair for pair in division.challenges if pair not in division.taken_up]


def bracket_of(folded: SeasonFold, division: DivisionState) -> tuple[Column, ...]:
    """Return the division's present bracket; () before the start, for a play-off, and if the format has none."""
    if folded.seed is None or division.above is not None:
        return ()
    options = format_options(folded, division)
    return format_of(folded).columns(sorted(division.entrants), division.results(), options, folded.dealer())


def division_standings(
    folded: SeasonFold, division: DivisionState, results: Sequence[RoundResult] | None = None
) -> list[EntrantStanding]:
    """Return who stands where in a division after its closed rounds, first place first; with other `results` if they
    are given. Nobody before the first round is closed, in a play-off, or if nothing counts.

    Everything that shows an order asks this function. The places of a finished division are those in the log.
    """
    history = division.results() if results is None else results
    if division.above is not None or folded.abandoned == "void" or not any(past.closed for past in history):
        return []
    ended, options = division.places if results is None else None, format_options(folded, division)
    if ended is None:
        options = replace(options, away={})  # who is away next time changes no place
    rows = standings_in_order(folded.settings["format"], sorted(division.entrants), history, options, folded.dealer())
    return rows if ended is None else order_as_recorded(rows, ended)
