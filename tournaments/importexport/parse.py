"""Parses the season of a file: its parts, as `season_file` declares them, are checked against each other. Makes no
queries.

Only closed rounds are kept. They are renumbered 1, 2 … where a format pairs new rounds while others are played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django.utils.translation import gettext as _

from scorebook_games.placings import without_gaps
from tournaments.core.results import FILLER_BOT
from tournaments.importexport.season_file import (
    ADJUDICATED,
    ANNULLED,
    MAX_ROUNDS,
    MAX_SCORE,
    PLAYED,
    WITHDRAWN,
    FileBye,
    FileDivision,
    FileEntrant,
    FileGame,
    FileMatch,
    FileResult,
    FileRound,
    SeasonFile,
    round_place,
)
from tournaments.importexport.values import FileObject, error_at, read
from tournaments.seasons.models import Bye, ImportedGame
from tournaments.seasons.settings import MAX_GAMES_PER_MATCH

COUNTED_RULINGS: Final = (PLAYED, ADJUDICATED)


def parse_season(data: Mapping[str, Any], *, table_size: int, games_a_match: int, continuous: bool) -> SeasonFile:
    """Parse a season from the file's `data`. `continuous`: whether the format pairs new rounds while others are played.
    Raises `DomainError` bad_file (400)."""
    file = FileObject(data, _("The file"))
    found = read(SeasonFile, file)
    _check_entrants(file, found.entrants, found.divisions)
    names = {entrant.number: entrant.name or str(entrant.number) for entrant in found.entrants}
    checked = [_check_round(round, names, table_size, games_a_match) for round in found.rounds]
    kept, numbers = _rounds_by_division(file, checked, continuous=continuous)
    entrants = [
        replace(entrant, since=1 + _rounds_before(numbers, entrant.division, entrant.since))
        for entrant in found.entrants
    ]
    divisions = [_renumber_refusals(division, numbers) for division in found.divisions]
    _check_rounds(kept, entrants, divisions)
    left_out = found.left_out - len(kept)
    return replace(found, divisions=divisions, entrants=entrants, rounds=kept, left_out=left_out)


def _check_entrants(file: FileObject, entrants: Sequence[FileEntrant], divisions: Sequence[FileDivision]) -> None:
    if twice := _first_duplicate(entrant.number for entrant in entrants):
        raise file.error(_("Two entrants have the number {n}.").format(n=twice))
    if twice := _first_duplicate(division.number for division in divisions):
        raise file.error(_("Two divisions have the number {n}.").format(n=twice))
    main = {division.number for division in divisions if division.above is None}
    if main != set(range(1, len(main) + 1)) or not main:
        raise file.error(_("The divisions must have the numbers 1, 2 …"))
    for entrant in entrants:
        if entrant.division not in main:
            sentence = _("{name} is in division {division}, which does not exist.")
            raise file.error(sentence.format(name=entrant.name or entrant.number, division=entrant.division))
        if (entrant.status == WITHDRAWN) != (entrant.withdrawn is not None):
            raise error_at(entrant.where, _("“withdrawn” must have why, played and of."))
    known = {entrant.number for entrant in entrants}
    for division in divisions:
        _check_division(file, division, known, main)


def _check_division(file: FileObject, division: FileDivision, known: set[int], main: set[int]) -> None:
    """Check that a division names only entrants of the season, each once. Raises `DomainError` bad_file (400)."""
    paired = [one for pair in division.pairs for one in pair]
    is_playoff_of_none = division.above is not None and (division.above + 1 not in main or not paired)
    if not known.issuperset(paired) or is_playoff_of_none:
        raise file.error(_("The pairs of division {n} are not entrants.").format(n=division.number))
    refusing = {
        one for refusal in division.refusals for one in (refusal.challenger, refusal.challenged, refusal.to) if one
    }
    if not refusing <= known:
        raise file.error(
            _("The declined challenges of division {n} name a player who is not an entrant.").format(n=division.number)
        )
    if any(_first_duplicate(listed) for listed in (division.seeds, division.lots, paired)):
        raise file.error(_("Division {n} names an entrant twice.").format(n=division.number))


def _check_round(round: FileRound, names: Mapping[int, str], table_size: int, games_a_match: int) -> FileRound:
    """Return the round with its matches in order and checked."""
    matches = [_check_match(match, names, table_size, games_a_match) for match in round.matches]
    for bye in round.byes:
        _check_bye(bye, names)
    there = [entrant for match in matches for entrant in match.entrants] + [bye.entrant for bye in round.byes]
    if twice := _first_duplicate(there):
        raise error_at(round_place(round.division, round.number), _("{name} occurs twice.").format(name=names[twice]))
    if twice := _first_duplicate(match.table for match in matches):
        raise error_at(round.where, _("Table {n} occurs twice.").format(n=twice))
    return replace(round, matches=sorted(matches, key=lambda match: match.table))


def _check_bye(bye: FileBye, known: Mapping[int, str]) -> None:
    if bye.entrant not in known or (bye.missing is not None and bye.missing not in known):
        raise error_at(bye.where, _("there is no such entrant."))
    if (bye.missing is None) == (bye.kind == Bye.Kind.WALKOVER):
        sentence = _("a walkover must have “missing”, the entrant who did not come. Other byes must not have it.")
        raise error_at(bye.where, sentence)


def _check_match(match: FileMatch, names: Mapping[int, str], table_size: int, games_a_match: int) -> FileMatch:
    """Return the match with its games completed and checked."""
    if not set(match.entrants) <= set(names):
        raise error_at(match.where, _("there is no such entrant."))
    if twice := _first_duplicate(match.entrants):
        raise error_at(match.where, _("{name} occurs twice.").format(name=names[twice]))
    if not 2 <= len(match.entrants) <= table_size:
        sentence = _(
            "{players} players sit here ({names}), but by the settings a table has {most}. Take the settings of a "
            "season with such tables."
        )
        seated = ", ".join(names[entrant] for entrant in match.entrants)
        raise error_at(match.where, sentence.format(players=len(match.entrants), names=seated, most=table_size))
    games = [_check_game(game, match.entrants, games_a_match) for game in match.games]
    if _first_duplicate((game.number, game.replay) for game in games):
        raise error_at(match.where, _("a game occurs twice."))
    return replace(match, games=_complete_games(games, games_a_match))


def _check_game(game: FileGame, entrants: Sequence[int], games_a_match: int) -> FileGame:
    """Return the game with its ruling, and with its results checked against its seats."""
    needed, seats = game.decided in COUNTED_RULINGS, game.seats
    if sorted(seat for seat in seats if seat != FILLER_BOT) != sorted(entrants) and (seats or needed):
        raise error_at(game.where, _("its seats must have each entrant of the match once, and 0 for a built-in bot."))
    most = min(games_a_match, MAX_GAMES_PER_MATCH)
    if game.number > most:
        sentence = _(
            "this is game {n}, but by the settings a match has {most}. Take the settings of a season with such matches."
        )
        raise error_at(game.where, sentence.format(n=game.number, most=most))
    checked = replace(game, **_check_result(game, game.where, len(seats), needed=needed), counted_as=game.decided)
    if (played := game.played) is not None:
        result = _check_result(played, game.where, len(seats), needed=True)
        checked = replace(checked, played=replace(played, **result))
    return checked


def _check_result(result: FileGame | FileResult, where: str, count: int, *, needed: bool) -> dict[str, Any]:
    """Return a game's result, by seat. Its values are None if the file has none; if `needed`, scores and placings must
    be there."""
    scores = _given_wholes(result, where, "scores", -MAX_SCORE, MAX_SCORE, count)
    placings = _given_wholes(result, where, "placings", 1, count + 1, count)
    if needed and placings and (problem := impossible_places(placings)):
        raise error_at(where, problem)
    if needed and (placings is None or scores is None):
        raise error_at(where, _("a game that counts must have scores and placings."))
    if any(each is not None and len(each) != count for each in (scores, placings)):
        raise error_at(where, _("it must have a score and a placing for each seat."))
    nobody: list[int] | None = [] if needed else None
    left = _given_wholes(result, where, "left", 0, count - 1, count, nobody)
    absent = _given_wholes(result, where, "absent", 0, count - 1, count, nobody)
    if not set(absent or ()) <= set(left or ()) or _first_duplicate(left or ()):
        raise error_at(where, _("each seat in “absent” must also be in “left”, and no seat may be there twice."))
    return {"scores": scores, "placings": placings, "left": left, "absent": absent}


def impossible_places(placings: Sequence[int]) -> str:
    """Return what is wrong with the places of a game, as a sentence; "" if they can be: 1, 1, 3 but not 1, 1, 2."""
    right = without_gaps(placings)
    if list(placings) == right:
        return ""
    sentence = _("The places {given} are impossible. Whoever shares a place takes up the next ones: write {right}.")
    return sentence.format(given=", ".join(map(str, placings)), right=", ".join(map(str, right)))


def _given_wholes(
    result: FileGame | FileResult,
    where: str,
    name: str,
    least: int,
    most: int,
    longest: int,
    fallback: list[int] | None = None,
) -> list[int] | None:
    """Return the list of whole numbers called `name`, or `fallback` if there is none."""
    values = getattr(result, name)
    return fallback if values is None else FileObject({name: values}, where).wholes(name, least, most, longest)


def _complete_games(games: Sequence[FileGame], games_a_match: int) -> list[FileGame]:
    """Return the games in order. Each number of a match whose last game has no result gets an annulled game: the match
    is over, so a missing game counts for nobody."""
    listed = sorted(games, key=lambda game: (game.number, game.replay))
    last = {game.number: game for game in listed}
    ends = (*COUNTED_RULINGS, ANNULLED)
    # A later replay replaces every earlier game of its number, whatever the file says.
    kept = [
        replace(game, counted_as=str(ImportedGame.Ruling.REPLACED))
        if game.counted_as in ends and last[game.number] is not game
        else game
        for game in listed
    ]
    missing = (n for n in range(1, games_a_match + 1) if n not in last or last[n].counted_as not in ends)
    return [*kept, *(_annulled_game(n, last.get(n)) for n in missing)]


def _annulled_game(number: int, before: FileGame | None) -> FileGame:
    game = read(FileGame, FileObject({"number": number}, ""))
    return replace(game, replay=before.replay + 1 if before else 0, counted_as=ANNULLED)


def _rounds_by_division(
    file: FileObject, rounds: Iterable[FileRound], *, continuous: bool
) -> tuple[list[FileRound], dict[int, list[int]]]:
    """Return the closed rounds of each division, renumbered 1, 2 …, and division → their numbers in the file. Rounds
    after a gap are kept only if `continuous`."""
    of_division: dict[int, list[FileRound]] = {}
    for past in sorted(rounds, key=lambda round: (round.division, round.number)):
        of_division.setdefault(past.division, []).append(past)
    kept: list[FileRound] = []
    numbers: dict[int, list[int]] = {}
    for division, own in of_division.items():
        if _first_duplicate(past.number for past in own):
            raise file.error(_("Two rounds of division {n} have the same number.").format(n=division))
        for number, past in enumerate(own, start=1):
            if past.number != number and not continuous:
                break
            kept.append(replace(past, number=number))
            numbers.setdefault(division, []).append(past.number)
    return kept, numbers


def _rounds_before(numbers: Mapping[int, Sequence[int]], division: int, number: int) -> int:
    """Return how many of the kept rounds of a division came before round `number` of the file."""
    return sum(each < number for each in numbers.get(division, ()))


def _renumber_refusals(division: FileDivision, numbers: Mapping[int, Sequence[int]]) -> FileDivision:
    """Return the division with its refusals counted in kept rounds instead of rounds of the file."""
    before = [_rounds_before(numbers, division.number, refusal.rounds + 1) for refusal in division.refusals]
    refusals = [replace(refusal, rounds=rounds) for refusal, rounds in zip(division.refusals, before, strict=True)]
    return replace(division, refusals=refusals)


def _check_rounds(
    rounds: Iterable[FileRound], entrants: Sequence[FileEntrant], divisions: Sequence[FileDivision]
) -> None:
    """Check that everybody who plays in a round is in its division by then. Raises `DomainError` bad_file (400)."""
    since: dict[int, dict[int, int]] = {division.number: {} for division in divisions}
    for division in divisions:
        if division.above is not None:  # a play-off has only the entrants that it names
            since[division.number] = dict.fromkeys((one for pair in division.pairs for one in pair), 1)
    for entrant in entrants:
        since[entrant.division][entrant.number] = entrant.since
    names = {entrant.number: entrant.name or str(entrant.number) for entrant in entrants}
    for past in rounds:
        where = round_place(1, past.number)
        if past.division not in since:
            raise error_at(where, _("there is no division {n}.").format(n=past.division))
        for one in [
            *(entrant for match in past.matches for entrant in match.entrants),
            *(bye.entrant for bye in past.byes),
        ]:
            if since[past.division].get(one, MAX_ROUNDS + 1) > past.number:
                raise error_at(where, _("{name} is not in it.").format(name=names.get(one, one)))


def _first_duplicate(items: Iterable[Any]) -> Any:
    """Return the first item that occurs twice; None if there is none."""
    return next((item for item, count in Counter(items).items() if count > 1), None)
