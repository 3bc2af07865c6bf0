"""The notice that a round is to come: it asks the person whether they can play."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts.models import Notice
from games.accounts.subjects import NoticeSubject
from scorebook_games.presentation.coded_text import sentence
from tournaments.entries import availability_links
from tournaments.seasons.models import Entrant

ROUND_AHEAD: Final = "round_ahead"


@sentence
def round_ahead(season: str, number: int, entrant: int) -> str:  # noqa: ARG001
    """`entrant`: the id of the entry that the links of the email are about."""
    return _("{season}, round {number}").format(season=season, number=number)


def answer_links(notice: Notice) -> list[tuple[str, str]]:
    """Return the links of the email: yes, no."""
    found = []
    for code, params in notice.sentences:
        entrant = Entrant.objects.select_related("player__bot_version__bot").filter(pk=params.get("entrant")).first()
        if code == round_ahead.__name__ and entrant is not None:
            address, number = availability_links.link_address(entrant), params["number"]
            found.append((_("I can play, or I cannot"), f"{address}?round={number}"))
    return found


SUBJECTS: Final = {
    ROUND_AHEAD: NoticeSubject(
        gettext_lazy("A round is to be paired: can you play?"),
        gettext_lazy("Can you play? This round is paired at {when}: {text}."),
        reminders=(3 * 24 * 60,),
        reminder_label=gettext_lazy("Before a round is paired, if I have not answered"),
        links=answer_links,
    ),
}
