"""Why a format pairs as it does: the sentences of pairings and byes, and the names of stages. Pure.

A log keeps the names of these functions and their arguments. So a sentence may be worded better at any time, but a name
or an argument is never changed; a new sentence is a new function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scorebook_games.presentation.coded_text import Sentence, codes_of, sentence
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import join_with_and, ngettext
from tournaments.scoring.explanations import points_text
from tournaments.scoring.points import number_text

Reasons = tuple[Sentence, ...]  # sentences one after the other

WRITTEN, IMPORTED = "written", "imported"  # codes of texts that another platform gave, and of their lack
WITHDRAWN, AWAY = "withdrawn", "away"  # why an entrant is absent from a round


@sentence
def imported() -> str:
    return _("As in the imported file.")


@sentence
def absence_without_points(paid: int) -> str:
    words = ngettext(
        "{n} absence is worth points in this season, so this one is not.",
        "{n} absences are worth points in this season, so this one is not.",
        paid,
    )
    return words.format(n=paid)


@sentence
def asked_for_absence() -> str:
    return _("Asked to be left out of this round.")


@sentence
def playoff_for_place() -> str:
    return _("Play-off: the winner plays in the higher division. In a draw, the player who has the place keeps it.")


# Swiss


@sentence
def halves_meet(higher: int, lower: int) -> str:
    words = _("Round 1: the upper half of the list meets the lower half, here number {higher} and number {lower}.")
    return words.format(higher=higher, lower=lower)


@sentence
def same_points(points: float) -> str:
    return _("Both have {points}, and they have not met.").format(points=points_text(points))


@sentence
def paired_down_without_opponent(points: float, lower: float) -> str:
    words = _(
        "{points} against {lower}, and they have not met. Not all players with {points} can meet a new opponent, so "
        "one is paired down."
    )
    return words.format(points=points_text(points), lower=number_text(lower))


@sentence
def paired_down_from_odd(points: float, lower: float) -> str:
    words = _(
        "{points} against {lower}, and they have not met. An odd number of players have {points}, so one is paired "
        "down."
    )
    return words.format(points=points_text(points), lower=number_text(lower))


@sentence
def paired_down_from_rest(points: float, lower: float) -> str:
    words = _(
        "{points} against {lower}, and they have not met. An odd number of players with {points} are left, so one is "
        "paired down."
    )
    return words.format(points=points_text(points), lower=number_text(lower))


@sentence
def looked_ahead(points: float, lower: float) -> str:
    words = _(
        "{points} against {lower}, and they have not met. They meet now so that a later round can be paired without "
        "second meetings."
    )
    return words.format(points=points_text(points), lower=number_text(lower))


@sentence
def meet_again(points: float, lower: float) -> str:
    words = _("{points} against {lower}. They meet again, because not everybody can meet a new opponent in this round.")
    return words.format(points=points_text(points), lower=number_text(lower))


@sentence
def alone_in_round() -> str:
    return _("Nobody else plays in this round.")


@sentence
def met_all_in_round() -> str:
    """In logs of before players met again rather than have such a bye, as `too_few_new_pairs`."""
    return _("This player has already met everybody who plays in this round.")


@sentence
def too_few_new_pairs() -> str:
    return _("There are not enough pairs of players who have not met. Players who had a bye before are paired first.")


@sentence
def bye_again(entrants: int) -> str:
    words = _("{entrants} entrants are an odd number. The others can be paired only if this player has a bye again.")
    return words.format(entrants=entrants)


@sentence
def bye_for_lowest(entrants: int) -> str:
    words = _(
        "{entrants} entrants are an odd number. The bye goes to the lowest player who had none and whose bye lets all "
        "others meet a new opponent."
    )
    return words.format(entrants=entrants)


# Who moves first


@sentence
def first_by_lot() -> str:
    return _("Neither has played yet, so the lot of the first round decides who moves first.")


@sentence
def first_of_newcomer() -> str:
    return _("Only one of them has played before. That player’s turn to move first or second decides.")


@sentence
def first_less_often(first: int, matches: int, other_first: int, other_matches: int) -> str:
    """The one who moves first did so in `first` of `matches` before."""
    words = _("The player who moves first has moved first in {share} so far, the other in {other_share}.")
    return words.format(share=_share(first, matches), other_share=_share(other_first, other_matches))


@sentence
def first_after_two_seconds() -> str:
    return _("The player who moves first has moved second twice in a row, and must not do so a third time.")


@sentence
def second_after_two_firsts() -> str:
    return _("The player who moves second has moved first twice in a row, and must not do so a third time.")


@sentence
def first_by_last_difference() -> str:
    return _("Both have moved first equally often. The player who moves first moved second when they last differed.")


@sentence
def first_by_place() -> str:
    return _(
        "Both have moved first equally often, in the same rounds, so it is the turn of the player with the higher "
        "place."
    )


@sentence
def rarer_first_mover() -> str:
    return _("The player who has moved first less often moves first.")


@sentence
def meet_again_reversed() -> str:
    return _("They meet again, and the other player moves first.")


# Tables of three and more


@sentence
def tables_from_list(round: int, total: int) -> str:
    words = _(
        "Round {round} of {total}: each table gets one player from the top of the list, one from the next part, and so "
        "on."
    )
    return words.format(round=round, total=total)


@sentence
def tables_by_points(round: int, total: int, low: float, high: float) -> str:
    span = (
        number_text(low) if low == high else _("{low} to {high}").format(low=number_text(low), high=number_text(high))
    )
    words = _(
        "Round {round} of {total}: players with equal points sit together (here {points}), with small changes so that "
        "few meet again."
    )
    return words.format(round=round, total=total, points=span)


@sentence
def tables_mixed(round: int, total: int) -> str:
    words = _(
        "Round {round} of {total}: tables are mixed so that all players meet each other equally often, as far as "
        "possible."
    )
    return words.format(round=round, total=total)


@sentence
def pairs_met(pairs: Sequence[Sequence[int]]) -> str:
    """`pairs`: (how often they have met, how many pairs) of a table."""
    return _("Of the pairs at this table {list}.").format(list=", ".join(_met(times, count) for times, count in pairs))


@sentence
def short_table(seated: int, size: int) -> str:
    words = _("The number of entrants does not fill tables of {size}; here are {seated}.")
    return words.format(size=size, seated=seated)


@sentence
def no_full_table(present: int, size: int) -> str:
    words = _("With {present} present in this round, no table of {size} can be filled.")
    return words.format(present=present, size=size)


@sentence
def left_over_lowest(entrants: int, size: int) -> str:
    words = _(
        "{entrants} entrants do not fill tables of {size}. The bye goes to the lowest players among those with the "
        "fewest byes."
    )
    return words.format(entrants=entrants, size=size)


@sentence
def left_over_by_lot(entrants: int, size: int) -> str:
    words = _(
        "{entrants} entrants do not fill tables of {size}. The bye was drawn by lot among the players with the fewest "
        "byes."
    )
    return words.format(entrants=entrants, size=size)


# Round robins


@sentence
def everyone_meets(round: int, total: int, times: int) -> str:
    """`times`: 1 or 2."""
    once = _("Round {round} of {total}: everyone meets everyone once.")
    twice = _("Round {round} of {total}: everyone meets everyone twice.")
    return (once if times == 1 else twice).format(round=round, total=total)


@sentence
def resting_in_turn(entrants: int, times: int) -> str:
    """`times`: 1 or 2."""
    once = _("{entrants} is an odd number of entrants: each has one bye.")
    twice = _("{entrants} is an odd number of entrants: each has two byes.")
    return (once if times == 1 else twice).format(entrants=entrants)


@sentence
def opponent_absent(why: str) -> str:
    """`why`: WITHDRAWN or AWAY."""
    if why == AWAY:
        return _("The opponent is away in this round.")
    return _("The opponent has withdrawn.")


@sentence
def unplayed_match(round: int) -> str:
    words = _(
        "Round {round}: these two have not yet played their match. Players with the most unplayed matches are paired "
        "first."
    )
    return words.format(round=round)


@sentence
def owed_by_withdrawn() -> str:
    return _("The opponent of an unplayed match has withdrawn.")


@sentence
def played_all_present() -> str:
    return _("This player has played everybody who is present.")


@sentence
def others_are_paired() -> str:
    return _("All opponents that this player has not met yet play others in this round.")


# Groups


@sentence
def group(letter: str) -> str:
    return _("Group {letter}").format(letter=letter)


@sentence
def in_group(letter: str) -> str:
    return _("Group {letter}.").format(letter=letter)


@sentence
def group_finished(letter: str) -> str:
    return _("Group {letter} has played all its matches, and waits for the others.").format(letter=letter)


@sentence
def opponent_missing() -> str:
    return _("The opponent is missing, so this table does not play.")


# Knockout: the stages


@sentence
def final() -> str:
    return _("Final")


@sentence
def semi_final() -> str:
    return _("Semi-final")


@sentence
def quarter_final() -> str:
    return _("Quarter-final")


@sentence
def round_of(entrants: int) -> str:
    return _("Round of {entrants}").format(entrants=entrants)


@sentence
def third_place_match() -> str:
    return _("Match for the third place")


@sentence
def upper_round(number: int) -> str:
    return _("Upper bracket, round {number}").format(number=number)


@sentence
def upper_final() -> str:
    return _("Upper final")


@sentence
def lower_round(number: int) -> str:
    return _("Lower bracket, round {number}").format(number=number)


@sentence
def lower_final() -> str:
    return _("Lower final")


@sentence
def grand_final() -> str:
    return _("Grand final")


@sentence
def second_grand_final() -> str:
    return _("Second grand final")


@sentence
def group_stage() -> str:
    return _("Groups")


@sentence
def round_number(number: int) -> str:
    return _("Round {number}").format(number=number)


@sentence
def table_number(number: int) -> str:
    return _("Table {number}").format(number=number)


@sentence
def byes() -> str:
    return _("Byes")


# Knockout: where an entrant of a match comes from


@sentence
def seed(number: int) -> str:
    return _("seed {number}").format(number=number)


@sentence
def winner_of(slot: str) -> str:
    return _("the winner of {slot}").format(slot=slot)


@sentence
def loser_of(slot: str) -> str:
    return _("the loser of {slot}").format(slot=slot)


@sentence
def same_again() -> str:
    return _("same again")


@sentence
def seeded_source(source: Sentence, seed: int) -> str:
    return _("{source} (seed {seed})").format(source=source, seed=seed)


@sentence
def winner(slot: str) -> str:
    return _("winner of {slot}").format(slot=slot)


@sentence
def loser(slot: str) -> str:
    return _("loser of {slot}").format(slot=slot)


@sentence
def open_place() -> str:
    return _("open")


# Knockout: notes in a bracket


@sentence
def bye() -> str:
    return _("bye")


@sentence
def walkover() -> str:
    return _("walkover")


@sentence
def not_needed() -> str:
    return _("not needed")


@sentence
def postponed() -> str:
    return _("postponed")


@sentence
def drawn(times: int) -> str:
    return ngettext("drawn once", "drawn {times} times", times).format(times=times)


@sentence
def nobody_came() -> str:
    return _("nobody came")


@sentence
def drawn_for_better_seed() -> str:
    return _("drawn: the better seed advances")


# Knockout: matches and byes


@sentence
def slot_match(stage: Sentence, one: Sentence, two: Sentence) -> str:
    return _("{stage}: {one} against {two}.").format(stage=stage, one=one, two=two)


@sentence
def slot_match_again(stage: Sentence) -> str:
    return _("{stage}: both have now lost once, so they meet again.").format(stage=stage)


@sentence
def drawn_and_replayed() -> str:
    return _("It was drawn. It is played again, and the other player moves first.")


@sentence
def was_postponed() -> str:
    return _("It was postponed.")


@sentence
def postponed_as_away(stage: Sentence) -> str:
    words = _("{stage}: this entrant is away in this round, so the match is postponed to the next round.")
    return words.format(stage=stage)


@sentence
def postponed_for_opponent(stage: Sentence) -> str:
    words = _("{stage}: the opponent is away in this round, so the match is postponed to the next round.")
    return words.format(stage=stage)


@sentence
def through_as_opponent_withdrew(stage: Sentence) -> str:
    return _("{stage}: the opponent has withdrawn, so this player advances without playing.").format(stage=stage)


@sentence
def through_as_opponent_away(stage: Sentence) -> str:
    return _("{stage}: the opponent is away again, so this player advances without playing.").format(stage=stage)


@sentence
def through_as_best_seed(stage: Sentence, entrants: int) -> str:
    words = _("{stage}: {entrants} entrants do not fill the bracket, so the best seeds advance without playing.")
    return words.format(stage=stage, entrants=entrants)


@sentence
def through_as_nobody_came(stage: Sentence, slots: Sequence[str]) -> str:
    words = _("{stage}: no player reached this match from {slots}, so it is not played.")
    return words.format(stage=stage, slots=join_with_and(slots))


@sentence
def waits_for(stage: Sentence, source: Sentence) -> str:
    return _("{stage}: the player is through and waits for {source}.").format(stage=stage, source=source)


@sentence
def plays_later(stage: Sentence) -> str:
    return _("{stage}: the player is through and plays later.").format(stage=stage)


# Knockout at larger tables


@sentence
def final_table(left: int, seeds: Sequence[int]) -> str:
    return _("Final of the last {left}: seeds {seeds}.").format(left=left, seeds=_numbers(seeds))


@sentence
def table_by_seed(left: int, seeds: Sequence[int]) -> str:
    words = _("{left} are left. They are placed by seed so that the best sit at different tables; here seeds {seeds}.")
    return words.format(left=left, seeds=_numbers(seeds))


@sentence
def better_half_through(more: int) -> str:
    """`more`: how many of the others advance too."""
    if not more:
        return _("The better half of each table advances.")
    words = ngettext(
        "The better half of each table advances, and so does the best of the others.",
        "The better half of each table advances, and so do the best {more} of the others.",
        more,
    )
    return words.format(more=more)


@sentence
def first_of_table_through(each: int, more: int) -> str:
    """`each`: how many of a table advance; `more`: how many of the others advance too."""
    words = _first_through(each) if not more else _first_through_and_more(each, more)
    return words.format(each=each, more=more)


def _first_through(each: int) -> str:
    return ngettext("The winner of each table advances.", "The best {each} of each table advance.", each)


def _first_through_and_more(each: int, more: int) -> str:
    if more == 1:
        return ngettext(
            "The winner of each table advances, and so does the best of the others.",
            "The best {each} of each table advance, and so does the best of the others.",
            each,
        )
    return ngettext(
        "The winner of each table advances, and so do the best {more} of the others.",
        "The best {each} of each table advance, and so do the best {more} of the others.",
        each,
    )


@sentence
def best_seed_waits(left: int, size: int, seed: int) -> str:
    words = _(
        "{left} entrants do not make full tables of {size} down to the final, so the best seeds advance without "
        "playing. This is seed {seed}."
    )
    return words.format(left=left, size=size, seed=seed)


# Arena and ladder


@sentence
def free_players(matches: Sequence[int]) -> str:
    """`matches`: how many each of them has played."""
    played = join_with_and([str(match) for match in matches])
    return _("All players at this table are free and have played {matches} matches.").format(matches=played)


@sentence
def matches_first(matches: int) -> str:
    words = ngettext("Everyone plays {matches} match first.", "Everyone plays {matches} matches first.", matches)
    return words.format(matches=matches)


@sentence
def closest_in_strength() -> str:
    return _("Judging by the results, they are the closest in strength of all free players.")


@sentence
def chances(percent: int) -> str:
    words = _("By the results so far, their chances are {percent} to {other} percent.")
    return words.format(percent=percent, other=100 - percent)


@sentence
def challenge_for_place(challenger: int, challenged: int) -> str:
    words = _("Place {challenger} has challenged place {challenged}. A win takes that place.")
    return words.format(challenger=challenger, challenged=challenged)


@sentence
def challenge_for_exchange(challenger: int, challenged: int) -> str:
    words = _("Place {challenger} has challenged place {challenged}. A win exchanges the two places.")
    return words.format(challenger=challenger, challenged=challenged)


LAST_STAGES: Final = {1: final, 2: semi_final, 3: quarter_final}  # rounds to the end → the stage
CODES: Final = codes_of(__name__)  # of all sentences here


# Parts of sentences


def _share(first: int, matches: int) -> str:
    words = ngettext("{first} of 1 match", "{first} of {matches} matches", matches)
    return words.format(first=first, matches=matches)


def _met(times: int, pairs: int) -> str:
    if times == 0:
        words = ngettext("{pairs} has not met yet", "{pairs} have not met yet", pairs)
    elif times == 1:
        words = ngettext("{pairs} has met once", "{pairs} have met once", pairs)
    elif times == 2:
        words = ngettext("{pairs} has met twice", "{pairs} have met twice", pairs)
    else:
        words = ngettext("{pairs} has met {times} times", "{pairs} have met {times} times", pairs)
    return words.format(pairs=pairs, times=times)


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
