"""How players find a time for their match: one proposes, the others accept, decline or propose others.

Proposals and answers are never deleted or overwritten; they are the history of the match. The time itself, agreed or
not, is an event of the season (`MatchAppointed`), and the director looks only at that. Every step holds the
season's lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Prefetch, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts import notices
from games.common import clock
from games.common.errors import DomainError
from games.play.appointments import CLASH_WINDOW
from games.visibility import acting
from tournaments.calendar import reminders
from tournaments.calendar.models import Proposal, ProposalAnswer
from tournaments.calendar.subjects import TIME_AGREED, TIME_DECLINED, TIME_LAPSED, TIME_PROPOSED
from tournaments.calendar.timetable import is_by_agreement
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.games import MatchAppointed
from tournaments.seasons.models import WITH_CAPTAIN, Entrant, Match, Round, Season
from tournaments.seasons.selectors import captains

MAX_TIMES: Final = 5
MAX_PROPOSALS: Final = 50  # per match; after that its time is final
ANSWER_TIME: Final = timedelta(days=3)


def propose(*, match: Match, user: User | AnonymousUser, times: Sequence[datetime]) -> Proposal:
    """Propose `times` to the others of `match`. This answers their open proposal. Proposing the same times again
    changes nothing.

    Raises `DomainError`: bad_times (400), not_in_match (403), not_by_agreement, too_late, too_many_proposals (409).
    """
    now = clock.now()
    with transaction.atomic():
        locked, own_entrant = _lock_match(match, user)
        wanted = _checked_times(locked, times, now)
        if same := locked.proposals.filter(
            by=own_entrant, times=wanted, status=Proposal.Status.OPEN, answer_by__gt=now
        ).first():
            return same
        if locked.proposals.count() >= MAX_PROPOSALS:
            sentence = _("Too many times were proposed for this match. Its present time stays.")
            raise DomainError(409, "too_many_proposals", sentence)
        countered = locked.proposals.filter(status=Proposal.Status.OPEN).exclude(by=own_entrant)
        _close_proposals(countered, Proposal.Status.COUNTERED, now)
        _close_proposals(locked.proposals.filter(status=Proposal.Status.OPEN), Proposal.Status.WITHDRAWN, now)
        deadline = min(max(wanted), now + ANSWER_TIME)
        made = Proposal.objects.create(match=locked, by=own_entrant, times=wanted, made_at=now, answer_by=deadline)
        if not _other_people(locked, own_entrant):  # only bots, which play at any time
            _agree_on_time(locked, made, wanted[0], now)
        else:
            _notify_others(locked, TIME_PROPOSED, own_entrant, made)
    return made


def accept_proposal(*, proposal: Proposal, user: User | AnonymousUser, times: Sequence[datetime] = ()) -> Proposal:
    """Accept some of the proposed times, or all if `times` is empty. The earliest time that suits everybody is agreed
    on.

    Raises `DomainError`: bad_times (400), not_in_match, own_proposal (403), not_by_agreement, too_late, proposal_closed
    (409).
    """
    now = clock.now()
    with transaction.atomic():
        current, own_entrant, match = _check_answerable(proposal, user, now)
        suit = [time for time in current.times if (not times or time in times) and time > now]
        if not suit or not set(times) <= set(current.times):
            raise DomainError(400, "bad_times", _("Choose one of the proposed times."), "times")
        ProposalAnswer.objects.update_or_create(
            proposal=current, entrant=own_entrant, defaults={"times": suit, "at": now}
        )
        notices.withdraw_notices([user.pk or 0], f"{TIME_PROPOSED}:{current.pk}")
        accepted = {answer.entrant_id: set(answer.times) for answer in current.answers.all()}
        everybody = [other.pk for other in _other_people(match, current.by)]
        if all(pk in accepted for pk in everybody):
            common = sorted(set(current.times).intersection(*accepted.values()))
            if common:
                _agree_on_time(match, current, common[0], now)
            else:
                _close_proposals(Proposal.objects.filter(pk=current.pk), Proposal.Status.DECLINED, now)
                _notify_others(match, TIME_DECLINED, own_entrant, current)
        current.refresh_from_db()
    return current


def decline_proposal(*, proposal: Proposal, user: User | AnonymousUser) -> Proposal:
    """Decline all proposed times. Raises `DomainError` as `accept_proposal` does."""
    now = clock.now()
    with transaction.atomic():
        current, own_entrant, match = _check_answerable(proposal, user, now)
        ProposalAnswer.objects.update_or_create(
            proposal=current, entrant=own_entrant, defaults={"times": [], "at": now}
        )
        _close_proposals(Proposal.objects.filter(pk=current.pk), Proposal.Status.DECLINED, now)
        _notify_others(match, TIME_DECLINED, own_entrant, current)
        current.refresh_from_db()
    return current


def withdraw_proposal(*, proposal: Proposal, user: User | AnonymousUser) -> Proposal:
    """Withdraw one's own proposal.

    Raises `DomainError`: not_in_match, not_your_proposal (403), proposal_closed (409).
    """
    now = clock.now()
    with transaction.atomic():
        match, own_entrant = _lock_match(proposal.match, user)
        current = Proposal.objects.get(pk=proposal.pk, match=match)
        if current.by_id != own_entrant.pk:
            raise DomainError(
                403,
                "not_your_proposal",
                _("Only the player who made this proposal can withdraw it. You can decline it."),
            )
        if not _close_proposals(Proposal.objects.filter(pk=current.pk), Proposal.Status.WITHDRAWN, now):
            raise _proposal_over_error()
        current.refresh_from_db()
    return current


def lapse_proposals(matches: QuerySet[Match], *, notify: bool = True) -> int:
    """Close the open proposals for these matches, which have begun or are not played as paired; return how many.

    The caller has locked the season. With `notify`, the players are notified.
    """
    now = clock.now()
    open_proposals = list(
        Proposal.objects.filter(match__in=matches, status=Proposal.Status.OPEN).select_related("match", "by")
    )
    _close_proposals(
        Proposal.objects.filter(pk__in=[proposal.pk for proposal in open_proposals]), Proposal.Status.LAPSED, now
    )
    for each in open_proposals if notify else ():
        _notify_others(each.match, TIME_LAPSED, None, each)
    return len(open_proposals)


def unfinished_matches(entrant: Entrant) -> QuerySet[Match]:
    """Return the paired matches of an entrant that are not decided."""
    return Match.objects.filter(entrants__entrant=entrant, round__status=Round.Status.OPEN, finished_at=None)


def call_off_matches(changed: SeasonAggregate, leaver: Entrant) -> None:
    """Let the matches that wait for their time begin now if fewer than two of their entrants are left without `leaver`,
    who has withdrawn. Each is a walkover as soon as its games are opened."""
    for match in unfinished_matches(leaver).filter(opens_at__isnull=False).order_by("pk"):
        there = match.entrants.filter(entrant__status=Entrant.Status.IN).exclude(entrant=leaver)
        if there.count() < 2:
            schedule_match(changed, match, changed.at, Match.Timing.WALKOVER.value)


def clash_warning(match: Match, user: User | AnonymousUser) -> str:
    """Return a warning, as a sentence, if another match of `user` begins at nearly the same time; otherwise ""."""
    entrant = entrant_played_by(match, user)
    if entrant is None or match.begins_at is None:
        return ""
    near = Match.objects.filter(entrants__entrant__player=entrant.player_id, opens_at__isnull=False).exclude(
        pk=match.pk
    )
    begins = {"begins_at__gt": match.begins_at - CLASH_WINDOW, "begins_at__lt": match.begins_at + CLASH_WINDOW}
    if (other := near.filter(**begins).order_by("begins_at").first()) is None:
        return ""
    assert other.begins_at
    sentence = _("Another match of yours begins at nearly the same time, at {when}.")
    return sentence.format(when=notices.moment_text(other.begins_at))


def history(match: Match) -> list[Proposal]:
    """Return the match's proposals with their answers, oldest first. Three queries."""
    answers = ProposalAnswer.objects.select_related("entrant__player__bot_version")
    made = match.proposals.select_related("by__player__bot_version")
    return list(made.prefetch_related(Prefetch("answers", answers)))


def proposal_state(proposal: Proposal) -> str:
    """Return the proposal's status, or `lapsed` if it is open and its time to answer is over."""
    lapsed = proposal.status == Proposal.Status.OPEN and proposal.answer_by <= clock.now()
    return "lapsed" if lapsed else str(proposal.status)


def entrant_played_by(match: Match, user: User | AnonymousUser) -> Entrant | None:
    """Return the entrant of `match` that the user is, or whose captain; None if there is none."""
    if user.pk is None:
        return None
    own = acting.rows_of_user(user)
    if acting.bot_of(user) is None:
        own |= Q(members__is_captain=True, members__player__user=user)
    return Entrant.objects.filter(own, matches__match=match).select_related("player").first()


def can_agree(match: Match) -> bool:
    """Return whether the players may agree on a time: the season allows it, and no game is open yet."""
    return match.opens_at is not None and is_by_agreement(match.round.division.season)


def _lock_match(match: Match, user: User | AnonymousUser) -> tuple[Match, Entrant]:
    """Lock the match's season until the transaction ends; return the match, and the entrant that `user` is in it.

    Raises `DomainError`: not_in_match (403), not_by_agreement, too_late (409).
    """
    season = Season.objects.filter(divisions__rounds__matches=match).values_list("pk", flat=True).get()
    Season.objects.select_for_update(no_key=True).get(pk=season)
    current = Match.objects.select_related("round__division__season__league__club").get(pk=match.pk)
    own_entrant = entrant_played_by(current, user)
    if own_entrant is None:
        raise DomainError(403, "not_in_match", _("Only the players of a match can agree on its time."))
    if not is_by_agreement(current.round.division.season):
        sentence = _("The calendar of this season sets all match times. Ask an organiser if a time does not suit you.")
        raise DomainError(409, "not_by_agreement", sentence)
    if current.opens_at is None:
        raise DomainError(409, "too_late", _("The match has already begun or ended, so its time cannot be changed."))
    return current, own_entrant


def _check_answerable(proposal: Proposal, user: User | AnonymousUser, now: datetime) -> tuple[Proposal, Entrant, Match]:
    match, own_entrant = _lock_match(proposal.match, user)
    current = Proposal.objects.select_related("by").get(pk=proposal.pk, match=match)
    if current.by_id == own_entrant.pk:
        raise DomainError(403, "own_proposal", _("You made this proposal, so the others must answer it."))
    if current.status != Proposal.Status.OPEN or current.answer_by <= now:
        raise _proposal_over_error()
    return current, own_entrant, match


def _proposal_over_error() -> DomainError:
    return DomainError(409, "proposal_closed", _("This proposal was answered or has expired. Make a new one."))


def _checked_times(match: Match, times: Sequence[datetime], now: datetime) -> list[datetime]:
    wanted = sorted({time.replace(second=0, microsecond=0) for time in times})
    if not 1 <= len(wanted) <= MAX_TIMES:
        raise DomainError(400, "bad_times", _("Propose between 1 and {most} times.").format(most=MAX_TIMES), "times")
    if wanted[0] <= now:
        raise DomainError(400, "bad_times", _("Propose times in the future."), "times")
    if match.round.closes_at is not None and wanted[-1] >= match.round.closes_at:
        sentence = _("The round ends at {until}. Propose earlier times.")
        until = notices.moment_text(match.round.closes_at)
        raise DomainError(400, "bad_times", sentence.format(until=until), "times")
    return wanted


def _other_people(match: Match, except_of: Entrant) -> list[Entrant]:
    """Return the people of `match` other than `except_of`, without deleted accounts."""
    return list(_people(match.pk).exclude(pk=except_of.pk).select_related("player"))


def _people(match: int) -> QuerySet[Entrant]:
    """Return the entrants of a match who are people, or teams whose captain is one."""
    return Entrant.objects.filter(Q(player__user__isnull=False) | WITH_CAPTAIN, matches__match=match).distinct()


def _users(entrants: QuerySet[Entrant]) -> dict[int, int]:
    """Return entrant → its user: the person, or the captain of the team."""
    users = dict(entrants.values_list("pk", "player__user"))
    return {pk: user for pk, user in (users | captains(users)).items() if user is not None}


def _close_proposals(proposals: QuerySet[Proposal], status: Proposal.Status, now: datetime) -> int:
    closed = list(proposals.filter(status=Proposal.Status.OPEN))
    for each in closed:
        notices.withdraw_notices(_users(_people(each.match_id)).values(), f"{TIME_PROPOSED}:{each.pk}")
    return Proposal.objects.filter(pk__in=[each.pk for each in closed]).update(status=status, closed_at=now)


def _agree_on_time(match: Match, proposal: Proposal, time: datetime, now: datetime) -> None:
    _close_proposals(Proposal.objects.filter(pk=proposal.pk), Proposal.Status.AGREED, now)
    Proposal.objects.filter(pk=proposal.pk).update(chosen=time)
    proposal.refresh_from_db()
    changed = SeasonAggregate(match.round.division.season)
    schedule_match(changed, match, time, Match.Timing.AGREED.value)
    changed.commit()
    _notify_others(match, TIME_AGREED, None, proposal)


def schedule_match(changed: SeasonAggregate, match: Match, begins_at: datetime, how: str) -> None:
    """Set the time of a match of a season."""
    reminders.withdraw_reminders(match)
    changed.record(MatchAppointed.of(match.pk, begins_at, how))


def _notify_others(match: Match, subject: str, by: Entrant | None, proposal: Proposal) -> None:
    """Notify the players of `match` other than `by`; all of them if `by` is None."""
    users = [user for pk, user in _users(_people(match.pk)).items() if by is None or pk != by.pk]
    times = [proposal.chosen] if proposal.chosen else proposal.times
    notices.notify_users(
        users,
        subject,
        key=f"{subject}:{proposal.pk}" + (f":{by.pk}" if subject == TIME_DECLINED and by else ""),
        by=by.player if by else None,
        sentences=[notices.moments(_times_data(times))],
        url=reverse("match", args=[match.pk]),
    )


def _times_data(times: Iterable[datetime]) -> list[str]:
    return [f"{time:%Y-%m-%dT%H:%M%z}" for time in times]
