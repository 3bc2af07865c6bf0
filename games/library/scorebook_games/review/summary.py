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
    sentences: list[Sentence] = []
    chances = [percent(point.chance) for point in curve if point.what != "end" and point.chance is not None]
    if chances and curve[0].chance is not None:
        sentences.append(review_course(chances[0], max(chances), min(chances)))
    measured = sum(decision.measured for decision in decisions)
    if mistakes:
        cost = sum(mistake.cost for mistake in mistakes) / len(mistakes)
        sentences.append(review_mistakes(len(mistakes), measured, percent(cost)))
        worst = max(mistakes, key=lambda mistake: (mistake.cost, -mistake.version))
        sentences.append(review_worst(worst.event, worst.move, worst.best, percent(worst.cost)))
    elif measured:
        sentences.append(review_no_mistakes(measured))
    elif not decisions:
        sentences.append(review_no_choice())
    if unknown := len(decisions) - measured:
        sentences.append(review_unmeasured(unknown) if measured else review_nothing_measured(unknown))
    if swings:
        sentences.append(review_swing(swings[0].event, percent(swings[0].before), percent(swings[0].after)))
    return plain(sentences)


def summary_text(review: Mapping[str, Any], name: str = "") -> list[str]:
    """Return the sentences of a review's JSON data in the reader's language: to the seat's player, or about the player
    with this `name`."""
    about = {"name": name} if name else {}
    return [text([[code, {**params, **about}]]) for code, params in review["summary"]]


def percent(share: float) -> int:
    """Return a share as a whole number of percent."""
    return round(PERCENT * share)


def points(percent: int) -> str:
    """Return a difference of chances in words."""
    return ngettext("{n} percentage point", "{n} percentage points", percent).format(n=percent)


@sentence
def review_course(first: int, most: int, least: int, name: str = "") -> str:
    """All in percent."""
    words = _("Your chance was {first} % at the start, {most} % at best and {least} % at worst.")
    if name:
        words = _("The chance of {name} was {first} % at the start, {most} % at best and {least} % at worst.")
    return words.format(name=name, first=first, most=most, least=least)


@sentence
def review_mistakes(count: int, decisions: int, cost: int, name: str = "") -> str:
    """`cost`: their mean, in percent of a result."""
    words = ngettext(
        "{count} of your {decisions} decisions was a mistake; it lowered your chance by {cost}.",
        "{count} of your {decisions} decisions were mistakes; each lowered your chance by {cost} on average.",
        count,
    )
    if name:
        words = ngettext(
            "{count} of {decisions} decisions of {name} was a mistake; it lowered the chance by {cost}.",
            "{count} of {decisions} decisions of {name} were mistakes; each lowered the chance by {cost} on average.",
            count,
        )
    return words.format(name=name, count=count, decisions=decisions, cost=points(cost))


@sentence
def review_worst(event: int, move: str, best: str, cost: int, name: str = "") -> str:  # noqa: ARG001
    """`event`: the number of the move's event. `cost`: in percent of a result."""
    words = _("The costliest was {move} at step {event}: {best} would have brought {cost} more.")
    return words.format(event=event, move=move, best=best, cost=points(cost))


@sentence
def review_no_mistakes(decisions: int, name: str = "") -> str:
    words = ngettext(
        "Your only decision was no mistake.", "None of your {decisions} decisions was certainly a mistake.", decisions
    )
    if name:
        words = ngettext(
            "The only decision of {name} was no mistake.",
            "None of the {decisions} decisions of {name} was certainly a mistake.",
            decisions,
        )
    return words.format(name=name, decisions=decisions)


@sentence
def review_unmeasured(decisions: int, name: str = "") -> str:  # noqa: ARG001
    """Beside some that were measured."""
    return ngettext(
        "{n} further decision was not measured, so nothing is said of it.",
        "{n} further decisions were not measured, so nothing is said of them.",
        decisions,
    ).format(n=decisions)


@sentence
def review_nothing_measured(decisions: int, name: str = "") -> str:  # noqa: ARG001
    return ngettext(
        "The only decision was not measured, so nothing is said of it.",
        "None of the {n} decisions was measured, so nothing is said of them.",
        decisions,
    ).format(n=decisions)


@sentence
def review_no_choice(name: str = "") -> str:
    return _("{name} never had a choice.").format(name=name) if name else _("You never had a choice.")


@sentence
def review_swing(event: int, before: int, after: int, name: str = "") -> str:  # noqa: ARG001
    """`event`: the first event of the swing. Both chances in percent."""
    return _("The greatest swing began at step {event}: from {before} % to {after} %.").format(
        event=event, before=before, after=after
    )
