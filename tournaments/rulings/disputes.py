"""Disputes: an entrant of a match asks the organisers to check a result. They correct the result or decline the
dispute."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts import notices
from games.common.errors import DomainError
from games.visibility import acting
from scorebook_games.presentation.coded_text import Sentence
from tournaments.activity import notifications as season_notifications
from tournaments.activity.subjects import result_disputed
from tournaments.clubs.permissions import may_organise
from tournaments.rulings.models import Dispute
from tournaments.rulings.subjects import CORRECTED, dispute_declined, ruling_reason
from tournaments.seasons import notes
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.rulings import DisputeSettled, MatchDisputed
from tournaments.seasons.models import Entrant, Match, OrganiserAction, Round, Season
from tournaments.seasons.selectors import captains
from tournaments.seasons.stream import lock_season

MAX_DISPUTES = 3  # disputes of one entrant about one match
OPEN, UPHELD, DECLINED = Dispute.Status.OPEN, Dispute.Status.UPHELD, Dispute.Status.DECLINED
DISPUTABLE_STATUSES = (Season.Status.RUNNING, Season.Status.PAUSED, Season.Status.FINISHED)


def playing_entrant(match: Match, user: User | AnonymousUser) -> Entrant | None:
    """Return the entrant for whom a user plays a match: themselves or one of their bots. None if there is none."""
    if not user.is_authenticated:
        return None
    my_rows = acting.rows_of_user(user)
    if acting.bot_of(user) is None:
        my_rows |= Q(player__bot_version__bot__owner=user) | Q(members__is_captain=True, members__player__user=user)
    return Entrant.objects.filter(my_rows, matches__match=match).order_by("number").first()


def open_dispute(*, match: Match, by: User | AnonymousUser, note: str) -> Dispute:
    """Ask the organisers to check a match that `by` plays. Raises `DomainError` 400: note_needed, bad_note; 403
    not_your_match; 409: round_undone, imported_result, no_result, season_over, disputed_already, too_many_disputes."""
    with transaction.atomic():
        locked = lock_season(match.round.division.season)
        entrant = playing_entrant(match, by)
        if entrant is None:
            raise DomainError(403, "not_your_match", _("Only players of a match can dispute it."))
        _check_may_dispute(locked, match, entrant, note)
        changed = SeasonAggregate(locked)
        changed.record(MatchDisputed(match.pk, entrant.number, notes.audit_payload(locked, by, note)))
        changed.commit()
        made = Dispute.objects.get(match=match, entrant=entrant, status=OPEN)
        season_notifications.notify_organisers(locked, _dispute_key(made), result_disputed(str(locked)))
    return made


def has_result(match: Match) -> bool:
    """Return whether the match or one of its games has a result to dispute."""
    return match.finished_at is not None or any(game.counts is not None for game in match.games.select_related("game"))


def _check_may_dispute(season: Season, match: Match, entrant: Entrant, note: str) -> None:
    if not note.strip():
        raise DomainError(400, "note_needed", _("Describe what is wrong, so that the organisers can check it."), "note")
    if Round.with_undone.get(pk=match.round_id).status == Round.Status.UNDONE:
        raise DomainError(409, "round_undone", _("The round of this match was undone, so it does not count."))
    if match.imported.exists():
        sentence = _("This result was imported from a file and cannot be disputed. Contact the club’s organisers.")
        raise DomainError(409, "imported_result", sentence)
    if not has_result(match):
        sentence = _("No game of this match has finished, so there is no result to dispute. Contact the organisers.")
        raise DomainError(409, "no_result", sentence)
    if season.status not in DISPUTABLE_STATUSES:
        raise DomainError(409, "season_over", _("{season} is not being played.").format(season=season))
    past = Dispute.objects.filter(match=match, entrant=entrant)
    if past.filter(status=OPEN).exists():
        raise DomainError(409, "disputed_already", _("You already have an open dispute about this match."))
    if past.count() >= MAX_DISPUTES:
        sentence = _("You have already disputed this match {most} times and had an answer each time.")
        raise DomainError(409, "too_many_disputes", sentence.format(most=MAX_DISPUTES))


def decline_dispute(*, dispute: Dispute, by: User | AnonymousUser, note: str) -> Dispute:
    """Decline a dispute: the result stands. Raises `DomainError` 400: note_needed, bad_note; 403 not_organiser; 409
    settled_already."""
    with transaction.atomic():
        locked = lock_season(dispute.match.round.division.season)
        if not may_organise(by, locked.league.club):
            sentence = _("Only the organisers of {club} can answer disputes.").format(club=locked.league.club)
            raise DomainError(403, "not_organiser", sentence)
        if not note.strip():
            raise DomainError(400, "note_needed", _("Give a reason. The people concerned can read it."), "note")
        asked = Dispute.objects.select_related("match__round", "entrant").get(pk=dispute.pk)
        if asked.status != OPEN:
            raise DomainError(409, "settled_already", _("This dispute has already been answered."))
        changed = SeasonAggregate(locked)
        payload = notes.audit_payload(locked, by, note)
        changed.record(DisputeSettled(asked.match_id, asked.entrant.number, DECLINED, payload))
        made = changed.commit_action()
        season_notifications.withdraw_from_organisers(locked, _dispute_key(asked))
        asked.refresh_from_db()
        notify_match_players(asked.match, made, dispute_declined(asked.match.round.number, str(locked)), note)
    return asked


def uphold_disputes(season: SeasonAggregate, match: Match, payload: dict[str, Any]) -> None:
    """Settle all open disputes about a match whose result was corrected; `payload` is the payload of the correction."""
    for asked in Dispute.objects.filter(match=match, status=OPEN).select_related("entrant"):
        season.record(DisputeSettled(match.pk, asked.entrant.number, UPHELD, payload))
        season_notifications.withdraw_from_organisers(season.row, _dispute_key(asked))


def _dispute_key(dispute: Dispute) -> str:
    """Return the key of the notice to organisers that a result is disputed."""
    return f"dispute:{dispute.pk}"


def notify_match_players(match: Match, made: OrganiserAction, sentence: Sentence, note: str) -> None:
    """Notify everybody who plays a match or owns a bot in it, once each, of a decision and its reason."""
    entrants = Entrant.objects.filter(matches__match=match).select_related("player__bot_version__bot")
    players = [entrant.player for entrant in entrants]
    if match.round.division.season.competition.by_teams:
        players += [row.player for row in match.boards.select_related("player__bot_version__bot") if row.player]
    users = set(captains(entrant.pk for entrant in entrants).values())
    for player in players:
        user = player.bot_version.bot.owner_id if player.bot_version else player.user_id
        if user is not None:
            users.add(user)
    notices.notify_users(
        users,
        CORRECTED,
        key=f"corrected:{made.pk}:{match.pk}",
        sentences=[sentence, ruling_reason(note.strip())],
        url=reverse("match", args=[match.pk]),
    )
