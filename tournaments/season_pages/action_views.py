"""The actions of the buttons on a season's pages, for players and for organisers. Each calls one service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from games.accounts import notices
from games.common import clock
from games.common.confirmation import Question, ask_unless_confirmed
from games.common.errors import DomainError
from games.common.prepared import prepared
from games.common.refusals import as_message
from tournaments.entries import challenges, invitations, ladder_selectors
from tournaments.entries import permissions as entry_permissions
from tournaments.entries import services as entries
from tournaments.lifecycle import running
from tournaments.season_pages import availability_views, overview
from tournaments.seasons import labels as league_labels
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import Entrant, Round, Season

MAX_ENTRANT_CHOICES = 200  # entrants in a list of choices
REASON_IS_PUBLIC = gettext_lazy("Everybody can read it on the season’s page.")


@dataclass(frozen=True, slots=True)
class OwnSeasonActions:
    """What a viewer may do in a season now, with their own entries and as an organiser. If there are `many` entrants,
    `playing` is empty, and entrants are chosen by number."""

    own_entrants: list[Entrant]
    may_run: bool
    checks_in: bool
    may_enter: bool
    entered_by_organiser: bool = False
    asking: list[Entrant] = field(default_factory=list)
    playing: list[Entrant] = field(default_factory=list)
    many: bool = False
    waiting: list[Entrant] = field(default_factory=list)
    invited: list[Entrant] = field(default_factory=list)
    ending: list[Round] = field(default_factory=list)


def available_actions(
    season: Season, viewer: User | AnonymousUser, own: Sequence[Entrant] | None = None
) -> OwnSeasonActions | None:
    """Return the viewer's actions in a season that is open or being played; None if there are none. At most nine
    queries, two fewer if the viewer's `own` entrants are known."""
    going_on = (Season.Status.OPEN, Season.Status.RUNNING, Season.Status.PAUSED)
    if season.status not in going_on or not viewer.pk:
        return None
    own_entrants = entry_permissions.own_entrants(season, viewer) if own is None else own
    may_run = entry_permissions.may_run(season, viewer)
    may_enter = not own_entrants and season.status != Season.Status.OPEN and entries.accepts_late_entries(season)
    if not (own_entrants or may_run or may_enter):
        return None
    actions = OwnSeasonActions(
        own_entrants=[entrant for entrant in own_entrants if entrant.status != Entrant.Status.WITHDRAWN],
        may_run=may_run,
        may_enter=may_enter,
        entered_by_organiser=bool(own_entrants) and invitations.was_entered(season, viewer),
        checks_in=season.status == Season.Status.OPEN and season.settings["entry"]["check_in_hours"] > 0,
    )
    return _with_organiser_choices(actions, season) if may_run else actions


def _with_organiser_choices(actions: OwnSeasonActions, season: Season) -> OwnSeasonActions:
    """Add the entrants and rounds that an organiser may choose from."""
    everybody = list(_entrants("listed", 0, season=season.pk))
    many = _entrants("playing", MAX_ENTRANT_CHOICES, season=season.pk).exists()
    return replace(
        actions,
        asking=[entrant for entrant in everybody if entrant.status == entries.ASKED],
        playing=[] if many else list(_entrants("playing", 0, season=season.pk)),
        many=many,
        invited=[entrant for entrant in everybody if entrant.status == entries.INVITED],
        waiting=[entrant for entrant in everybody if entrant.status in (entries.WAITING, entries.ALTERNATE)],
        ending=list(_ending_rounds(season=season.pk)),
    )


@prepared
def _entrants(which: str, skipped: int, *, season: int) -> QuerySet[Entrant]:
    entrants = Entrant.objects.filter(season=season).select_related("player__bot_version")
    if which == "listed":
        return entrants.filter(status__in=entries.LIST_STATUSES)
    return entrants.filter(status=entries.IN)[skipped:]


@prepared
def _ending_rounds(*, season: int) -> QuerySet[Round]:
    ending = Round.objects.filter(division__season=season, status=Round.Status.OPEN, closes_at__isnull=False)
    return ending.select_related("division")


@login_required
@require_POST
def perform_action(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Carry out the action of a button, then show its page with a message. Ask first if the action cannot be undone."""
    found_season = overview.find_season(club, league, season)
    asked = request.POST.get("do", "")
    wanted = ACTIONS.get(asked)
    with as_message(request, passing=[403]):
        if wanted is None:
            raise DomainError(400, "bad_choice", _("There is no such step. Choose one of the page’s buttons."))
        question = QUESTIONS[asked](request, found_season) if asked in QUESTIONS else None
        if question is not None and (page := ask_unless_confirmed(request, question)) is not None:
            return page
        messages.success(request, wanted(request, found_season))
    if asked == "answer-round" and getattr(request, "htmx", False):
        return availability_views.own_part(request, found_season)
    return redirect(season_url(found_season, "settings" if asked in ON_SETTINGS else ""))


def _posted_number(request: HttpRequest, name: str) -> int:
    sent = request.POST.get(name, "")
    return int(sent) if sent.isdecimal() and len(sent) < 10 else 0


def _posted_own_entrant(request: HttpRequest, season: Season) -> Entrant:
    return entry_permissions.own_entrant(season, request.user, _posted_number(request, "player") or None)


def _leave(request: HttpRequest, season: Season) -> str:
    entrant = _posted_own_entrant(request, season)
    was_invited = entrant.status == entries.INVITED
    left = entries.leave_season(entrant=entrant, by=request.user, note=request.POST.get("note", ""))
    if was_invited:
        return _("You have declined the invitation.")
    return _("{name} has been withdrawn from this season.").format(name=left)


def _accept_invitation(request: HttpRequest, season: Season) -> str:
    entrant = invitations.accept_invitation(entrant=_posted_own_entrant(request, season))
    return _("{name}: {state}.").format(name=entrant, state=entrant.get_status_display())


def _check_in(request: HttpRequest, season: Season) -> str:
    return _("{name} has checked in.").format(
        name=entries.check_in_entrant(entrant=_posted_own_entrant(request, season))
    )


def _answer_round(request: HttpRequest, season: Season) -> str:
    player = _posted_number(request, "player") or None
    return availability_views.answer_posted(request, season, player=player, number=_posted_number(request, "entrant"))


def _challenge(request: HttpRequest, season: Season) -> str:
    opponent = entry_permissions.find_entrant(season, _posted_number(request, "entrant"))
    challenges.create_challenge(entrant=_posted_own_entrant(request, season), other=opponent)
    return _(
        "You have challenged {name}. The match begins as soon as the challenge is accepted and both of you are free."
    ).format(name=opponent)


def _accept_challenge(request: HttpRequest, season: Season) -> str:
    challenger = entry_permissions.find_entrant(season, _posted_number(request, "entrant"))
    challenges.accept_challenge(entrant=_posted_own_entrant(request, season), challenger=challenger)
    return _("You will play {name}. The match begins as soon as both of you are free.").format(name=challenger)


def _decline_challenge(request: HttpRequest, season: Season) -> str:
    challenger = entry_permissions.find_entrant(season, _posted_number(request, "entrant"))
    note = request.POST.get("note", "")
    challenges.decline_challenge(
        entrant=_posted_own_entrant(request, season), challenger=challenger, by=request.user, note=note
    )
    return _("You have declined the challenge of {name}. The ladder shows the consequences.").format(name=challenger)


def _withdraw_challenge(request: HttpRequest, season: Season) -> str:
    challenges.withdraw_challenge(entrant=_posted_own_entrant(request, season))
    return _("Your challenge has been withdrawn.")


def _admit(request: HttpRequest, season: Season) -> str:
    entrant = entry_permissions.admit_as_organiser(season, request.user, _posted_number(request, "entrant"))
    return _("{name}: {state}.").format(name=entrant, state=entrant.get_status_display())


def _withdraw(request: HttpRequest, season: Season) -> str:
    number, note = _posted_number(request, "entrant"), request.POST.get("note", "")
    was_invited = season.entries.filter(number=number, status=entries.INVITED).exists()
    name = entry_permissions.withdraw_as_organiser(season, request.user, number, note=note)
    if was_invited:
        return _("The invitation of {name} has been withdrawn.").format(name=name)
    return _("{name} has been withdrawn from this season.").format(name=name)


def _pause(request: HttpRequest, season: Season) -> str:
    entry_permissions.check_may_run(season, request.user)
    running.pause_season(season=season, by=request.user, note=request.POST.get("note", ""))
    return _("The season is paused.")


def _resume(request: HttpRequest, season: Season) -> str:
    entry_permissions.check_may_run(season, request.user)
    running.resume_season(season=season, by=request.user, note=request.POST.get("note", ""))
    return _("The season has been resumed.")


def _abandon(request: HttpRequest, season: Season) -> str:
    entry_permissions.check_may_run(season, request.user)
    how, note = request.POST.get("how", ""), request.POST.get("note", "")
    running.abandon_season(season=season, how=how, by=request.user, note=note)
    return _("The season has been abandoned.")


def _extend(request: HttpRequest, season: Season) -> str:
    entry_permissions.check_may_run(season, request.user)
    chosen = Round.objects.filter(pk=_posted_number(request, "round"), division__season=season)
    round = chosen.select_related("division__season").first()
    try:
        until = parse_datetime(request.POST.get("until", "")[:40])
    except ValueError:
        until = None
    if round is None or until is None:
        raise DomainError(400, "bad_time", _("Choose a round and its new end."), "until")
    zone = ZoneInfo(season.league.club.zone)
    until = until if until.tzinfo else until.replace(tzinfo=zone)
    running.extend_round(round=round, until=until, by=request.user, note=request.POST.get("note", ""))
    return _("Round {number} has been extended.").format(number=round.number)


# Asked before actions that cannot be undone.


def start_question(season: Season, back: str) -> Question:
    """Return the question before an organiser starts a season."""
    counts = Counter(season.entries.values_list("status", flat=True))
    entry, left_out = season.rules().entry, counts[entries.ASKED]
    if not (entry.late_rounds or entry.alternates):
        left_out += counts[entries.INVITED]
    if not entry.alternates:
        left_out += counts[entries.WAITING]
    return new_start_question(str(season), counts[entries.IN], season.starts_at, back, left_out)


def new_start_question(name: str, count: int, starts_at: datetime | None, back: str, left_out: int = 0) -> Question:
    """Return the question before a season with `count` entrants starts; `left_out` are asked, invited or waiting."""
    follows = [
        ngettext(
            "Entries close with {n} entrant, and lots are drawn.",
            "Entries close with {n} entrants, and lots are drawn.",
            count,
        ).format(n=count)
    ]
    if left_out:
        words = ngettext(
            "{n} player who asks, waits or has not accepted an invitation is left out.",
            "{n} players who ask, wait or have not accepted an invitation are left out.",
            left_out,
        )
        follows.append(words.format(n=left_out))
    follows.append(_("After that the settings cannot be changed, and who withdraws cannot come back."))
    if starts_at and starts_at > clock.now():
        follows.append(_("Round 1 begins at {when}.").format(when=notices.moment_text(starts_at)))
    else:
        follows.append(_("Round 1 begins at once, and clocks run."))
    title, button = _("Start {season}?").format(season=name), _("Start season")
    return Question("start_season", title=title, follows=" ".join(follows), button=button, back=back)


def withdraw_question(season: Season, user: User | AnonymousUser, number: int, back: str) -> Question | None:
    """Return the question before an organiser withdraws an entrant; None for an entrant who is not in yet. Raises
    `DomainError` not_organiser (403)."""
    entry_permissions.check_may_run(season, user)
    entrant = entry_permissions.find_entrant(season, number)
    if entrant.status != entries.IN:
        return None
    return withdrawal_question("withdraw_entrant", entrant, _("Withdraw"), back)


def withdrawal_question(code: str, entrant: Entrant, button: str, back: str) -> Question:
    """Return the question before an entrant is withdrawn or withdraws; `code` is one of `IRREVERSIBLE`."""
    season = entrant.season
    return Question(
        code,
        title=_("Withdraw {name} from {season}?").format(name=entrant, season=season),
        follows=_("{name} stops playing in this season and cannot enter it again.").format(name=entrant)
        + " "
        + withdrawal_consequence(season),
        button=button,
        back=back,
        hint=REASON_IS_PUBLIC,
    )


def withdrawal_consequence(season: Season) -> str:
    """Return what happens to the games of an entrant who is withdrawn."""
    if season.status == Season.Status.OPEN:
        return _("No game has been played yet, so another player can take the place.")
    if league_labels.removes_results(season.settings):
        return _(
            "Running games are forfeited. If less than half of the games are played, all results of this entrant "
            "are removed."
        )
    return _("Running games are forfeited. Results stand, and the remaining games count as lost.")


def _withdraw_question(request: HttpRequest, season: Season) -> Question | None:
    return withdraw_question(season, request.user, _posted_number(request, "entrant"), season_url(season, "settings"))


def _leave_question(request: HttpRequest, season: Season) -> Question | None:
    entrant = _posted_own_entrant(request, season)
    if entrant.status != entries.IN or season.status == Season.Status.OPEN:
        return None  # an entrant who leaves before the start may enter again
    return withdrawal_question("leave_season", entrant, _("Withdraw"), season_url(season))


def _decline_challenge_question(request: HttpRequest, season: Season) -> Question:
    entrant, challenger = (
        _posted_own_entrant(request, season),
        entry_permissions.find_entrant(season, _posted_number(request, "entrant")),
    )
    return Question(
        "decline_challenge",
        title=_("Decline the challenge of {name}?").format(name=challenger),
        follows=ladder_selectors.refusal_cost_for(season, entrant),
        button=_("Decline"),
        back=season_url(season),
        hint=REASON_IS_PUBLIC,
    )


def _abandon_question(request: HttpRequest, season: Season) -> Question:
    entry_permissions.check_may_run(season, request.user)
    void = request.POST.get("how") == running.STANDINGS_VOID
    rest = (
        _("The standings become void.")
        if void
        else _("Finished games count, also those of an open round. The standings are then final.")
    )
    return Question(
        "abandon_season",
        title=_("Abandon {season}?").format(season=season),
        follows=_("The season ends now for everyone. Running games are aborted, and no more rounds begin.")
        + " "
        + rest,
        button=_("Abandon season"),
        back=season_url(season, "settings"),
        hint=REASON_IS_PUBLIC,
    )


# Buttons on the settings page; the others are on the overview.
ON_SETTINGS = ("withdraw", "extend", "pause", "resume", "abandon")
QUESTIONS: dict[str, Callable[[HttpRequest, Season], Question | None]] = {
    "abandon": _abandon_question,
    "decline-challenge": _decline_challenge_question,
    "leave": _leave_question,
    "withdraw": _withdraw_question,
}
ACTIONS: dict[str, Callable[[HttpRequest, Season], str]] = {
    "leave": _leave,
    "accept-invitation": _accept_invitation,
    "check-in": _check_in,
    "answer-round": _answer_round,
    "challenge": _challenge,
    "accept-challenge": _accept_challenge,
    "decline-challenge": _decline_challenge,
    "withdraw-challenge": _withdraw_challenge,
    "admit": _admit,
    "withdraw": _withdraw,
    "extend": _extend,
    "pause": _pause,
    "resume": _resume,
    "abandon": _abandon,
}
