"""The sentences of trials: their steps, why versions were refused, and incidents in them."""

from __future__ import annotations

from django.utils.translation import gettext as _

from scorebook_games.presentation.coded_text import Sentence, sentence

# Trials, as a part of other sentences; a version is named as “Gannet v1”


@sentence
def admission_of(version: str) -> str:
    return _("admission of {version}").format(version=version)


@sentence
def comparison_of(version: str, number: int) -> str:
    """`number`: of the version that it is compared with."""
    return _("comparison of {version} with v{number}").format(version=version, number=number)


# Incidents


@sentence
def trial_interrupted(what: Sentence, rest: int) -> str:
    """`rest`: until the next attempt, in seconds."""
    return _("The {what} cannot continue. The next attempt is in {rest} s.").format(what=what, rest=rest)


@sentence
def trial_given_up(what: Sentence, game: Sentence | None) -> str:
    """`game`: the game that failed, if it was one."""
    words = _("The {what} was given up because the platform failed repeatedly. {why} The author can start it again.")
    return " ".join(words.format(what=what, why=game or "").split())


@sentence
def game_failed(game: str, failures: int, event: int) -> str:
    words = _("Game {game} failed {failures} times at event {event}.")
    return words.format(game=game, failures=failures, event=event)
