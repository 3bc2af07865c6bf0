"""The summary of a review: a few sentences, as codes and parameters, which are read in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scorebook_games.presentation.coded_text import Sentence, plain, sentence, text
from scorebook_games.review.report import Decision, Mistake, Point, Swing
from scorebook_games.text import gettext as _
from scorebook_games.text import ngettext

PERCENT = 100


def summary_of(
    curve: Sequence[Point], decisions: Sequence[Decision], mistakes: Sequence[Mistake], swings: Sequence[Swing]
) -> list[Any]:
    """Return the summary as JSON data: a list of sentences, each a code and its parameters."""
    said: list[Sentence] = []
    chances = [percent(point.chance) for point in curve if point.what != "end"]
    if chances:
        said.append(review_course(chances[0], max(chances), min(chances)))
    if mistakes:
        cost = sum(each.cost for each in mistakes) / len(mistakes)
        said.append(review_mistakes(len(mistakes), len(decisions), percent(cost)))
        worst = max(mistakes, key=lambda each: (each.cost, -each.version))
        said.append(review_worst(worst.event, worst.move, worst.best, percent(worst.cost)))
    elif decisions:
        said.append(review_no_mistakes(len(decisions)))
    else:
        said.append(review_no_choice())
    if swings:
        said.append(review_swing(swings[0].event, percent(swings[0].before), percent(swings[0].after)))
    return plain(said)


def summary_text(review: Mapping[str, Any]) -> list[str]:
    """Return the sentences of a review's JSON data in the reader's language."""
    return [text([said]) for said in review["summary"]]


def percent(share: float) -> int:
    """Return a share as a whole number of percent."""
    return round(PERCENT * share)


@sentence
def review_course(first: int, most: int, least: int) -> str:
    """All in percent."""
    return _("Your chance was {first} % at the start, {most} % at best and {least} % at worst.").format(
        first=first, most=most, least=least
    )


@sentence
def review_mistakes(count: int, decisions: int, cost: int) -> str:
    """`cost`: their mean, in percent of a result."""
    return ngettext(
        "{count} of your {decisions} decisions was a mistake; it lowered your chances by {cost} %.",
        "{count} of your {decisions} decisions were mistakes; each lowered your chances by {cost} % on average.",
        count,
    ).format(count=count, decisions=decisions, cost=cost)


@sentence
def review_worst(event: int, move: str, best: str, cost: int) -> str:
    """`event`: the number of the move's event. `cost`: in percent of a result."""
    return _("The costliest was {move} at event {event}: {best} would have brought {cost} % more.").format(
        event=event, move=move, best=best, cost=cost
    )


@sentence
def review_no_mistakes(decisions: int) -> str:
    return ngettext(
        "Your only decision was no mistake.", "None of your {decisions} decisions was certainly a mistake.", decisions
    ).format(decisions=decisions)


@sentence
def review_no_choice() -> str:
    return _("You never had a choice.")


@sentence
def review_swing(event: int, before: int, after: int) -> str:
    """`event`: the first event of the swing. Both chances in percent."""
    return _("The greatest swing began at event {event}: from {before} % to {after} %.").format(
        event=event, before=before, after=after
    )
