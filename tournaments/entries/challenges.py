"""The services of ladder challenges: create, accept, decline, withdraw.

Each is one transaction under the season's lock and writes the event. `tournaments.entries.ladder` has the cost of a
refusal and the fate of a challenge without an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from scorebook_games.presentation.coded_text import Sentence
from tournaments.activity import notifications as season_notifications
from tournaments.activity import subjects
from tournaments.entries import ladder
from tournaments.entries.services import IN, Actor, current_entrant
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.challenges import (
    ChallengeAccepted,
    ChallengeLapsed,
    ChallengeWithdrawn,
    EntrantChallenged,
)
from tournaments.seasons.fold import DivisionState, SeasonFold
from tournaments.seasons.models import GOING_ON, Entrant, Season
from tournaments.seasons.notes import audit_payload
from tournaments.seasons.pairing import unanswered_challenges
from tournaments.seasons.stream import lock_season


def create_challenge(*, entrant: Entrant, other: Entrant) -> None:
    """Challenge `other` to a match, in formats with challenges.

    The match is paired as soon as the challenge is accepted (if the season asks for that) and both are free. Bots
    accept at once. A new challenge replaces an earlier one to somebody else; repeating a challenge changes nothing.

    Raises `DomainError`: no_challenges, not_in, cannot_challenge (409).
    """
    with _lock_season(entrant.season) as changed:
        locked, folded = changed.row, changed.state
        asking, asked = current_entrant(locked, entrant), current_entrant(locked, other)
        if not locked.competition.by_challenge or locked.status != Season.Status.RUNNING:
            raise DomainError(409, "no_challenges", _("{season} does not take challenges now.").format(season=locked))
        if {asking.status, asked.status} != {IN} or asking.division_id != asked.division_id or asking == asked:
            sentence = _("Both players must be in the same division of {season}. Choose another opponent.")
            raise DomainError(409, "not_in", sentence.format(season=locked), "entrant")
        division, pair = asking.division.number, (asking.number, asked.number)
        if pair in folded.division(division).challenges:
            return
        if why := ladder.challenge_obstacle(folded, division, *pair):
            raise DomainError(409, "cannot_challenge", why, "entrant")
        replaced = [number for challenger, number in folded.division(division).challenges if challenger == pair[0]]
        changed.record(EntrantChallenged(division, *pair, ladder.challenge_expires_at(folded)))
        if answers := ladder.needs_acceptance(folded) and asked.player.is_bot:
            changed.record(ChallengeAccepted(division, *pair))
        changed.commit()
        for earlier in locked.entries.filter(number__in=replaced).select_related("player__bot_version__bot"):
            ladder.withdraw_notice(asking.number, earlier)
        sentences = _challenge_sentences(locked, folded, folded.division(division), pair, answers=not answers)
        ladder.withdraw_notice(asking.number, asked)
        season_notifications.notify_entrants([asked], ladder.challenge_key(asking.number), *sentences)


def _challenge_sentences(
    season: Season, folded: SeasonFold, division_state: DivisionState, pair: tuple[int, int], *, answers: bool
) -> tuple[Sentence, ...]:
    challenged = subjects.challenge_received(str(season))
    if not (answers and ladder.needs_acceptance(folded)):
        return (challenged,)
    end = division_state.until.get(pair)
    return challenged, subjects.answer_challenge() if end is None else subjects.answer_challenge_by(end)


@dataclass(frozen=True, slots=True)
class _OpenChallenge:
    """A challenge in a locked season, and whether it is still `open`."""

    season: SeasonAggregate
    division: DivisionState
    pair: tuple[int, int]
    open: bool


def accept_challenge(*, entrant: Entrant, challenger: Entrant) -> None:
    """Accept a challenge. Repeating this changes nothing, even after the match is paired.

    Raises `DomainError` no_challenge, not_going_on (409).
    """
    with _challenge_between(challenger, entrant) as asked:
        if not asked.open and asked.pair not in asked.division.taken_up:
            raise _challenge_over_error()
        if asked.open and asked.pair in unanswered_challenges(asked.season.state, asked.division):
            asked.season.record(ChallengeAccepted(asked.division.number, *asked.pair))
            version, sentence = asked.season.commit(), subjects.challenge_accepted(str(asked.season.row))
            ladder.withdraw_notice(challenger.number, entrant)
            season_notifications.notify_entrants([challenger], f"taken_up:{version}", sentence)


def decline_challenge(*, entrant: Entrant, challenger: Entrant, by: Actor = None, note: str = "") -> None:
    """Decline a challenge, at the cost that the season has set.

    A challenge that can no longer be played lapses instead, at no cost. Repeating this changes nothing.

    Raises `DomainError`: bad_note (400), no_challenge, not_going_on, no_refusals, challenge_accepted,
    bots_refuse_nothing (409).
    """
    with _challenge_between(challenger, entrant) as asked:
        if not asked.open:
            if any((refusal.challenger, refusal.challenged) == asked.pair for refusal in asked.division.refusals[-1:]):
                return
            raise _challenge_over_error()
        _check_may_refuse(asked, entrant)
        changed = asked.season
        if ladder.current_rungs(changed.state, asked.division).hopeless(*asked.pair):
            event: ladder.EndedChallenge = ChallengeLapsed(asked.division.number, *asked.pair)
        else:
            words = audit_payload(changed.row, by, note)["note"]
            event = ladder.refusal_event(changed.state, asked.division, asked.pair, ladder.DECLINED, words)
        changed.record(event)
        ladder.notify_challengers(changed.row, [event], changed.commit())


def _check_may_refuse(asked: _OpenChallenge, entrant: Entrant) -> None:
    if entrant.player.is_bot:
        raise DomainError(409, "bots_refuse_nothing", _("Bots accept every challenge."))
    if not ladder.needs_acceptance(asked.season.state):
        sentence = _("Challenges cannot be declined in {season}.")
        raise DomainError(409, "no_refusals", sentence.format(season=asked.season.row))
    if asked.pair in asked.division.taken_up:
        sentence = _("The challenge is already accepted. Ask the challenger or an organiser to withdraw it.")
        raise DomainError(409, "challenge_accepted", sentence)


def withdraw_challenge(*, entrant: Entrant) -> None:
    """Withdraw one's own challenge before it is paired. This counts as nobody's refusal. Repeating it changes nothing.

    Raises `DomainError` not_going_on (409).
    """
    with _lock_season(entrant.season) as changed:
        locked = changed.row
        _check_going_on(locked)
        division_state = changed.state.division(current_entrant(locked, entrant).division.number)
        pairs = [pair for pair in division_state.challenges if pair[0] == entrant.number]
        changed.record(*(ChallengeWithdrawn(division_state.number, *pair) for pair in pairs))
        version = changed.commit()
        for pair in pairs:
            asked = locked.entries.select_related("player__bot_version__bot").get(number=pair[1])
            ladder.withdraw_notice(entrant.number, asked)
            sentence = subjects.challenge_withdrawn(str(locked))
            season_notifications.notify_entrants([asked], f"taken_back:{version}", sentence)


@contextmanager
def _lock_season(season: Season) -> Iterator[SeasonAggregate]:
    """Lock the season until the transaction ends."""
    with transaction.atomic():
        yield SeasonAggregate(lock_season(season))


def _check_going_on(season: Season) -> None:
    if season.status not in GOING_ON:
        raise DomainError(409, "not_going_on", _("{season} is not being played.").format(season=season))


@contextmanager
def _challenge_between(challenger: Entrant, challenged: Entrant) -> Iterator[_OpenChallenge]:
    """Return the challenge of the one to the other, or None. Raises `DomainError` not_going_on (409)."""
    with _lock_season(challenged.season) as changed:
        _check_going_on(changed.row)
        division_state = changed.state.division(current_entrant(changed.row, challenged).division.number)
        pair = (challenger.number, challenged.number)
        yield _OpenChallenge(changed, division_state, pair, pair in division_state.challenges)


def _challenge_over_error() -> DomainError:
    return DomainError(409, "no_challenge", _("This challenge is not open, or it does not exist."))
