"""The notification subjects of rulings, and their sentences. `season` is its name."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts.subjects import NoticeSubject
from scorebook_games.presentation.coded_text import sentence

CORRECTED: Final = "corrected"

SUBJECTS: Final = {
    CORRECTED: NoticeSubject(gettext_lazy("One of your results was corrected, or a dispute was answered"), "{text}")
}


@sentence
def result_adjudicated(game: int | None, round: int, season: str) -> str:
    """`game`: its number in the match; None: the whole match."""
    return _about_game(_("The result of {game} was adjudicated."), game, round, season)


@sentence
def result_annulled(game: int | None, round: int, season: str) -> str:
    """`game`: its number in the match; None: the whole match."""
    return _about_game(_("{game} was annulled and does not count."), game, round, season)


@sentence
def replay_ordered(game: int | None, round: int, season: str) -> str:
    """`game`: its number in the match; None: the whole match."""
    return _about_game(_("{game} will be replayed."), game, round, season)


@sentence
def dispute_declined(round: int, season: str) -> str:
    words = _("The dispute about your match in round {round} of {season} was declined. The result stands.")
    return words.format(round=round, season=season)


@sentence
def round_undone(number: int, season: str) -> str:
    return _("Round {number} of {season} was undone. Its results do not count.").format(number=number, season=season)


@sentence
def ruling_reason(note: str) -> str:
    """`note`: as the organiser wrote it."""
    return _("Reason: {note}").format(note=note)


def _about_game(words: str, game: int | None, round: int, season: str) -> str:
    number = _("game {number}").format(number=game) if game else _("your match")
    where = _("{number} of round {round} in {season}").format(number=number, round=round, season=season)
    text = words.format(game=where)
    return text[0].upper() + text[1:]
