"""Events in words: those of each kind (its `presentation`), those around the rules, and the result.

All input has been redacted for the viewer before: readable events and observations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scorebook_games.contract import ABORTED, LEFT
from scorebook_games.gamelog import events as ev
from scorebook_games.placings import winners
from scorebook_games.presentation.base import Presentation
from scorebook_games.presentation.sentences import (
    EventContext,
    Narrator,
    Segments,
    list_segments,
    merge_text,
    seat_segment,
    sentence,
)
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop
from scorebook_games.registry import KINDS


def narrate(kind: str, step: EventContext) -> Segments:
    """Return the step's event as a sentence, with the result if the game ends; [] if it has no words."""
    name = step.event["type"]
    presentation = KINDS[kind].presentation
    if teller := TABLE_NARRATORS.get(name):
        parts = teller(step)
    else:
        parts = [] if name.startswith("@") else presentation.narrate(step)
    if parts and step.after.get("outcome") and not step.before.get("outcome"):
        parts = [*parts, " ", *result_sentence(step.after["outcome"], presentation)]
    return merge_text(parts)


def has_words(kind: str, name: str) -> bool:
    """Return whether events of a type have words, and so are steps of a replay."""
    if name.startswith("@"):
        return name in TABLE_NARRATORS
    narrators = KINDS[kind].presentation.narrators
    return not narrators or name in narrators


def narrate_draw(kind: str, step: EventContext) -> Segments:
    """Return what chance brought in the step's event, as a sentence; [] if it has no words."""
    return [] if step.event["type"].startswith("@") else KINDS[kind].presentation.narrate_draw(step)


def result_sentence(outcome: Mapping[str, Any], presentation: Presentation) -> Segments:
    """Return who won, as a sentence. A kind may say in its own words that one player has won."""
    first = winners(outcome["placings"])
    if not first:
        return [_("The game was aborted; nobody is placed.")]
    score = outcome["scores"][first[0]]
    if outcome["termination"] in ENDING_SENTENCES:  # players left, and no score decided who won
        who = list_segments([[seat_segment(seat)] for seat in first])
        return sentence(_("{who} wins.") if len(first) == 1 else _("{who} share the first place."), who=who)
    if len(first) == 1:
        return presentation.win_sentence(first[0], score)
    return sentence(
        _("{who} share the first place with {score}."),
        who=list_segments([[seat_segment(s)] for s in first]),
        score=score,
    )


TABLE_SENTENCES: Final = {
    ev.CONTINUED: gettext_noop("This game continues from step {version} of game {game}."),
    ev.TAKEN_OVER: gettext_noop("The built-in bot “{bot}” plays on for {who}."),
    ev.EXPIRED: gettext_noop("The clock of {who} ran out."),
    ev.ABORT_OFFERED: gettext_noop("{who} proposes to abort the game."),
    ev.ABORT_ACCEPTED: gettext_noop("{who} agrees to abort the game."),
    ev.ABORT_DECLINED: gettext_noop("{who} plays on, which ends the proposal to abort."),
    ev.ATTEMPT: gettext_noop("Another worker continues the game (attempt {attempt})."),
    ev.APPOINTED: gettext_noop("The game waits until all players have checked in."),
    ev.READY: gettext_noop("{who} is ready."),
    ev.COUNTDOWN: gettext_noop("Get ready: GO in {seconds} seconds."),
    ev.GO: gettext_noop("GO!"),
}
# What a bot did wrong, as the end of “{who} …”.
FAULT_SENTENCES: Final = {
    "start_timeout": gettext_noop("{who} started too slowly."),
    "start_crashed": gettext_noop("{who} did not start."),
    "crashed": gettext_noop("{who} crashed."),
    "timeout": gettext_noop("{who} took too long."),
    "cpu_limit": gettext_noop("{who} used up its processor time."),
    "violation": gettext_noop("{who} tried something that the sandbox forbids."),
    "bad_reply": gettext_noop("{who} gave an answer that could not be read."),
    "restart_limit": gettext_noop("The process of {who} ended too often and is not started again."),
    "illegal_move": gettext_noop("{who} answered with an illegal move."),
}


# Why a game ended, in its story, where the step before has named the player who left. By termination.
ENDING_SENTENCES: Final = {
    ev.RESIGNED: gettext_noop("The game ends by resignation."),
    ev.OUT_OF_TIME: gettext_noop("The game ends by time-out."),
    ev.NO_SHOW: gettext_noop("The game ends by no-show."),
    ev.FORFEITED: gettext_noop("The game ends by forfeit."),
    LEFT: gettext_noop("The game ends because a player left."),
    ABORTED: gettext_noop("The game was aborted."),
}


def table_sentence(step: EventContext) -> Segments:
    """Return an event around the rules in words, with its fields and the player of its seat as `who`."""
    return _of_seat(step, _(TABLE_SENTENCES[step.event["type"]]))


def table_left(step: EventContext) -> Segments:
    resigned = step.event["how"] == "resigned"
    return _of_seat(step, _("{who} resigned.") if resigned else _("{who} forfeited the game."))


def table_charged(step: EventContext) -> Segments:
    seconds = f"{step.event['ms'] / 1000:.1f}"
    return _of_seat(step, _("{who} used {seconds} s of the bank."), seconds=seconds)


def table_not_taken(step: EventContext) -> Segments:
    if step.event["move"] is None:
        return _of_seat(step, _("A move by {who} came too late: lots decide who is first in a beat."))
    return _of_seat(step, _("“{move}” by {who} came too late: lots decide who is first in a beat."))


def table_fault(step: EventContext) -> Segments:
    text = FAULT_SENTENCES.get(step.event["fault"])
    return _of_seat(step, _(text) if text else _("{who} failed."))


def table_ended(step: EventContext) -> Segments:
    text = ENDING_SENTENCES.get(step.event["termination"])
    return [_(text) if text else _("The game was ended by the platform.")]


def _of_seat(step: EventContext, template: str, **values: str) -> Segments:
    who = {"who": seat_segment(step.event["seat"])} if "seat" in step.event else {}
    return sentence(template, **step.event, **who, **values)


TABLE_NARRATORS: Final[dict[str, Narrator]] = {
    **dict.fromkeys(TABLE_SENTENCES, table_sentence),
    ev.LEFT: table_left,
    ev.CHARGED: table_charged,
    ev.FAULT: table_fault,
    ev.NOT_TAKEN: table_not_taken,
    ev.ENDED: table_ended,
}
