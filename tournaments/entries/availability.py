"""The services of availability: in which of the coming rounds an entrant can play.

An absence is kept until its round is paired. The format then says what follows from it (`Format.absence`): mostly a bye
of the kind `away`, whose points the season's settings say. A promise to play only informs the organisers: an entrant
who has said nothing is paired, too. Bots are always available, and are not asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from tournaments.activity import notifications as season_notifications
from tournaments.activity import subjects
from tournaments.entries.services import (
    ALTERNATE,
    ASKED,
    IN,
    WAITING,
    Actor,
    current_entrant,
    person_behind,
)
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.entries import EntrantAvailable, EntrantAway
from tournaments.seasons.models import GOING_ON, Entrant, Season
from tournaments.seasons.notes import audit_payload
from tournaments.seasons.settings import MAX_ROUNDS
from tournaments.seasons.stream import lock_season

MAY_ANSWER: Final = (IN, ASKED, WAITING, ALTERNATE)


def answer_round(*, entrant: Entrant, round: int, plays: bool | None, by: Actor = None, note: str = "") -> Entrant:
    """Say that an entrant can play in a round, cannot, or (None) has not said. Repeating this changes nothing.

    `by`: the organiser who says it for somebody else, with a reason if there is one; the person gets a notice. Raises
    `DomainError`: bad_rounds, bad_note (400), not_in, season_over, no_rounds, round_paired (409).
    """
    with transaction.atomic():
        locked, answering = _lock(entrant)
        if locked.competition.continuous:
            sentence = _("{season} has no rounds to miss: it pairs whoever is free.")
            raise DomainError(409, "no_rounds", sentence.format(season=locked))
        if not 1 <= round <= MAX_ROUNDS:
            sentence = _("There is no round {number}. Choose one of the coming rounds.")
            raise DomainError(400, "bad_rounds", sentence.format(number=round), "round")
        if round <= answering.division.rounds_opened:
            sentence = _("Round {number} is already paired. Ask your opponent for another time, or an organiser.")
            raise DomainError(409, "round_paired", sentence.format(number=round), "round")
        away, promised = set(answering.away) - {round}, set(answering.promised) - {round}
        if plays is not None:
            (promised if plays else away).add(round)
        return _record(locked, answering, away, promised, by, note)


def set_away_rounds(*, entrant: Entrant, rounds: Iterable[int]) -> Entrant:
    """Set all rounds that an entrant will miss. Rounds that are already paired do not change.

    In formats without rounds for all, each match is a round. Raises `DomainError`: bad_rounds (400), not_in,
    season_over (409).
    """
    wanted = set(rounds)
    with transaction.atomic():
        locked, absent = _lock(entrant)
        opened = absent.division.rounds_opened
        past = {number for number in absent.away if number <= opened}
        if any(number < 1 or number > MAX_ROUNDS for number in wanted) or {n for n in wanted if n <= opened} - past:
            sentence = _("Round {opened} is already paired. Choose later rounds, up to round {most}.")
            raise DomainError(400, "bad_rounds", sentence.format(opened=opened, most=MAX_ROUNDS), "rounds")
        return _record(locked, absent, past | wanted, set(absent.promised) - wanted)


def check_is_asked(entrant: Entrant) -> None:
    """Raise `DomainError` bot_always_plays (409) for a bot."""
    if entrant.player.is_bot:
        sentence = _("{name} is a bot, and always available. Withdraw it if it cannot play any more.")
        raise DomainError(409, "bot_always_plays", sentence.format(name=entrant))


def check_may_answer(entrant: Entrant) -> None:
    """Raise `DomainError` not_in, season_over (409) if the entrant will be in no further round."""
    season = entrant.season
    if season.status not in (Season.Status.OPEN, *GOING_ON) or entrant.division.finished_at is not None:
        raise DomainError(409, "season_over", _("{season} is over.").format(season=season))
    if entrant.status not in MAY_ANSWER:
        raise DomainError(409, "not_in", _("{name} is not in {season}.").format(name=entrant, season=season))


def _lock(entrant: Entrant) -> tuple[Season, Entrant]:
    locked = lock_season(entrant.season)
    answering = current_entrant(locked, entrant)
    check_may_answer(answering)
    return locked, answering


def _record(
    season: Season, entrant: Entrant, away: set[int], promised: set[int], by: Actor = None, note: str = ""
) -> Entrant:
    """Record what has changed, and return the entrant's row."""
    absent, plays = away != set(entrant.away), promised != set(entrant.promised) - away
    if not (absent or plays):
        return entrant
    changed = SeasonAggregate(season)
    organiser = by is not None and by.pk != person_behind(entrant.player)
    audit = audit_payload(season, by, note) if organiser else None
    if absent:
        changed.record(EntrantAway.of(entrant.number, away, audit))
    if plays:
        changed.record(EntrantAvailable.of(entrant.number, promised, audit))
    changed.commit()
    if organiser:
        key = f"availability:{changed.version}"
        season_notifications.notify_entrants([entrant], key, subjects.availability_set(str(season)))
    return current_entrant(season, entrant)
