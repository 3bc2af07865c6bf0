"""Events in words: those of each kind (its `presentation`), those around the rules, and the result.

All input has been redacted for the viewer before: readable events and observations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.play import endings
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


def result_sentence(outcome: Mapping[str, Any], presentation: Presentation) -> Segments:
    """Return who won, as a sentence. A kind may say in its own words that one player has won."""
    first = winners(outcome["placings"])
    if not first:
        return [_("The game was aborted; nobody is placed.")]
    score = outcome["scores"][first[0]]
    if outcome["termination"] in endings.ENDING_SENTENCES:  # players left, and no score decided who won
        who = list_segments([[seat_segment(seat)] for seat in first])
        return sentence(_("{who} wins.") if len(first) == 1 else _("{who} share the first place."), who=who)
    if len(first) == 1:
        return presentation.win_sentence(first[0], score)
    return sentence(
        _("{who} share the first place with {score}."),
        who=list_segments([[seat_segment(s)] for s in first]),
        score=score,
    )


def table_left(step: EventContext) -> Segments:
    template = _("{who} resigned.") if step.event["how"] == "resigned" else _("{who} forfeited the game.")
    return sentence(template, who=seat_segment(step.event["seat"]))


def table_continued(step: EventContext) -> Segments:
    template = _("This game continues from step {version} of game {game}.")
    return sentence(template, version=step.event["version"], game=step.event["game"])


def table_taken_over(step: EventContext) -> Segments:
    return sentence(
        _("The built-in bot “{bot}” plays on for {who}."), bot=step.event["bot"], who=seat_segment(step.event["seat"])
    )


def table_expired(step: EventContext) -> Segments:
    return sentence(_("The clock of {who} ran out."), who=seat_segment(step.event["seat"]))


def table_charged(step: EventContext) -> Segments:
    seconds = f"{step.event['ms'] / 1000:.1f}"
    return sentence(_("{who} used {seconds} s of the bank."), who=seat_segment(step.event["seat"]), seconds=seconds)


def table_abort_offered(step: EventContext) -> Segments:
    return sentence(_("{who} proposes to abort the game."), who=seat_segment(step.event["seat"]))


def table_abort_accepted(step: EventContext) -> Segments:
    return sentence(_("{who} agrees to abort the game."), who=seat_segment(step.event["seat"]))


def table_abort_declined(step: EventContext) -> Segments:
    return sentence(_("{who} plays on, which ends the proposal to abort."), who=seat_segment(step.event["seat"]))


def table_attempt(step: EventContext) -> Segments:
    return sentence(_("Another worker continues the game (attempt {attempt})."), attempt=step.event["attempt"])


def table_ready(step: EventContext) -> Segments:
    return sentence(_("{who} is ready."), who=seat_segment(step.event["seat"]))


def table_appointed(_step: EventContext) -> Segments:
    return [_("The game waits until all players have checked in.")]


def table_countdown(step: EventContext) -> Segments:
    return sentence(_("Get ready: GO in {seconds} seconds."), seconds=step.event["seconds"])


def table_go(_step: EventContext) -> Segments:
    return [_("GO!")]


def table_not_taken(step: EventContext) -> Segments:
    move = step.event["move"]
    if move is None:
        return sentence(_("A move by {who} came too late."), who=seat_segment(step.event["seat"]))
    return sentence(_("“{move}” by {who} came too late."), move=move, who=seat_segment(step.event["seat"]))


# What a bot did wrong, as the end of “{who} …”.
FAULT_SENTENCES: Final = {
    "start_timeout": gettext_lazy("{who} started too slowly."),
    "start_crashed": gettext_lazy("{who} did not start."),
    "crashed": gettext_lazy("{who} crashed."),
    "timeout": gettext_lazy("{who} took too long."),
    "cpu_limit": gettext_lazy("{who} used up its processor time."),
    "violation": gettext_lazy("{who} tried something that the sandbox forbids."),
    "bad_reply": gettext_lazy("{who} gave an answer that could not be read."),
    "restart_limit": gettext_lazy("The process of {who} ended too often and is not started again."),
    "illegal_move": gettext_lazy("{who} answered with an illegal move."),
}


def table_fault(step: EventContext) -> Segments:
    template = FAULT_SENTENCES.get(step.event["fault"], gettext_lazy("{who} failed."))
    return sentence(str(template), who=seat_segment(step.event["seat"]))


def table_ended(step: EventContext) -> Segments:
    return [str(endings.ENDING_SENTENCES.get(step.event["termination"], _("The game was ended by the platform.")))]


TABLE_NARRATORS: Final[dict[str, Narrator]] = {
    ev.CONTINUED: table_continued,
    ev.LEFT: table_left,
    ev.TAKEN_OVER: table_taken_over,
    ev.EXPIRED: table_expired,
    ev.CHARGED: table_charged,
    ev.FAULT: table_fault,
    ev.ABORT_OFFERED: table_abort_offered,
    ev.ABORT_ACCEPTED: table_abort_accepted,
    ev.ABORT_DECLINED: table_abort_declined,
    ev.ATTEMPT: table_attempt,
    ev.APPOINTED: table_appointed,
    ev.READY: table_ready,
    ev.COUNTDOWN: table_countdown,
    ev.GO: table_go,
    ev.NOT_TAKEN: table_not_taken,
    ev.ENDED: table_ended,
}
