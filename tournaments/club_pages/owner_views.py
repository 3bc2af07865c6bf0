"""The pages for running a club: settings, invitations, transfer, archive; and the page of an invitation."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from games.accounts import people
from games.common.confirmation import Question, ask_unless_confirmed
from games.common.page_pagination import Page
from games.common.policy import policy
from tournaments.club_pages.forms import ClubForm, InvitationLinkForm, InvitationMailForm
from tournaments.club_pages.views import (
    MEMBERS_PER_PAGE,
    check_permission,
    find_club,
    get_or_post,
    page_context,
    parse_id,
    redirect_with_message,
    refusals_in,
    render_form,
    run_service,
)
from tournaments.clubs import invitations, members, ownership
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.locking import REASON_MAX_LENGTH
from tournaments.clubs.models import Club, Invitation, Membership
from tournaments.clubs.permissions import may_organise, may_own, role_of


@login_required
@get_or_post
def settings_page(request: HttpRequest, club: str) -> HttpResponse:
    """Show the club's settings; the owner can change them."""
    found_club = find_club(club)
    check_permission(may_own(request.user, found_club))
    now = {name: getattr(found_club, name) for name in club_lifecycle.CLUB_FIELDS}
    form = ClubForm(request.POST if request.method == "POST" else None, now, likely_zone=found_club.zone)
    if form.is_bound and form.is_valid():
        with refusals_in(form):
            changed = club_lifecycle.change_club(club=found_club, user=request.user, **form.cleaned_data)
            return redirect_with_message(request, "club", changed, _("The club’s settings are saved."))
    return render_form(request, "club_pages/settings.html", page_context(request, found_club, "settings"), form)


@login_required
@never_cache
@get_or_post
def invitations_page(request: HttpRequest, club: str) -> HttpResponse:
    """Show the valid invitations; create a link, whose address is shown once, or an invitation by email."""
    found_club = find_club(club)
    check_permission(may_organise(request.user, found_club))
    sent = request.POST.get("do") if request.method == "POST" else None
    posted = {sent: request.POST}
    link, mail = InvitationLinkForm(posted.get("link")), InvitationMailForm(posted.get("mail"))
    address = ""
    if link.is_valid():
        with refusals_in(link):
            made = invitations.invite_by_link(club=found_club, user=request.user, **link.cleaned_data)
            address = settings.SCOREBOOK_BASE_URL + reverse("invitation", args=[made[1]])
            link = InvitationLinkForm()
    elif mail.is_valid():
        with refusals_in(mail):
            invitations.invite_by_mail(club=found_club, user=request.user, email=mail.cleaned_data["email"])
            return redirect_with_message(request, "club-invitations", found_club, _("The invitation is being sent."))
    elif sent in ("resend", "revoke"):
        invitation = get_object_or_404(Invitation, club=found_club, pk=parse_id(request.POST.get("id", "")))
        if (
            sent == "revoke"
            and (page := ask_unless_confirmed(request, _revoke_question(found_club, invitation))) is not None
        ):
            return page
        acts = {"resend": invitations.resend_invitation, "revoke": invitations.revoke_invitation}
        text = (
            _("The invitation is being sent again, with a new link.")
            if sent == "resend"
            else _("The invitation is revoked.")
        )
        run_service(request, lambda: acts[sent](invitation=invitation, user=request.user), text)
        return redirect("club-invitations", found_club.slug)
    context = {
        **page_context(request, found_club, "invitations"),
        "page": Page.of(invitations.valid_invitations(found_club), request.GET.get("page", ""), MEMBERS_PER_PAGE),
        "link_form": link,
        "mail_form": mail,
        "address": address,
    }
    return render(request, "club_pages/invitations.html", context, status=422 if link.errors or mail.errors else 200)


def _revoke_question(club: Club, one: Invitation) -> Question:
    return Question(
        "revoke_invitation",
        title=_("Revoke invitation {n}?").format(n=one.pk),
        follows=_("Nobody can join with this invitation any more. People who have it need a new one."),
        button=_("Revoke invitation"),
        back=reverse("club-invitations", args=[club.slug]),
    )


@login_required
@never_cache
@get_or_post
def transfer_page(request: HttpRequest, club: str) -> HttpResponse:
    """Offer the club to a member or withdraw the offer; accept or decline it."""
    found_club = find_club(club)
    check_permission(may_own(request.user, found_club) or found_club.offered_to_id == request.user.pk)
    if request.method == "POST":
        return transfer_step(request, found_club)
    context = {
        **page_context(request, found_club, "settings"),
        "heir": found_club.offered_to,
        "page": Page.of(
            members.members_of(found_club).exclude(user=found_club.owner_id),
            request.GET.get("page", ""),
            MEMBERS_PER_PAGE,
        ),
    }
    return render(request, "club_pages/transfer.html", context)


def transfer_step(request: HttpRequest, club: Club) -> HttpResponse:
    """Do one step of a transfer."""
    wanted = request.POST.get("do", "")
    if wanted == "accept":
        question = Question(
            "take_over_club",
            title=_("Take over {club}?").format(club=club),
            follows=_(
                "You become the owner, and the present owner becomes an organiser. Later you can transfer "
                "the club to another member."
            ),
            button=_("Take over club"),
            back=reverse("club-transfer", args=[club.slug]),
        )
        if (page := ask_unless_confirmed(request, question)) is not None:
            return page
        taken = run_service(
            request,
            lambda: ownership.accept_club(club=club, user=request.user),
            _("You are now the owner of the club."),
        )
        return redirect("club", club.slug) if taken else redirect("club-list")
    if wanted == "end":
        run_service(
            request, lambda: ownership.end_offer(club=club, user=request.user), _("The offer has been withdrawn.")
        )
        return redirect("club", club.slug)
    membership = get_object_or_404(Membership, club=club, pk=parse_id(request.POST.get("member", "")))
    text = _("The member has been notified and becomes the owner by accepting.")
    run_service(request, lambda: ownership.offer_club(club=club, user=request.user, membership=membership), text)
    return redirect("club-transfer", club.slug)


@login_required
@get_or_post
def archive_page(request: HttpRequest, club: str) -> HttpResponse:
    """Archive the club or restore it, after a confirmation."""
    found_club = find_club(club)
    check_permission(may_own(request.user, found_club))
    if (page := ask_unless_confirmed(request, _archive_question(found_club))) is not None:
        return page
    if found_club.archived_at:
        text = _("The club has been restored.")
        run_service(request, lambda: club_lifecycle.unarchive_club(club=found_club, user=request.user), text)
    else:
        reason, text = request.POST["reason"], _("The club is archived. Nothing was deleted.")
        run_service(
            request, lambda: club_lifecycle.archive_club(club=found_club, user=request.user, reason=reason), text
        )
    return redirect("club", found_club.slug)


def _archive_question(club: Club) -> Question:
    back = reverse("club-settings", args=[club.slug])
    if club.archived_at:
        follows = _("The club is listed again and you can set up seasons. Old invitations stay revoked.")
        title = _("Restore {club} from the archive?").format(club=club)
        return Question("unarchive_club", title=title, follows=follows, button=_("Restore club"), back=back)
    return Question(
        "archive_club",
        title=_("Archive {club}?").format(club=club),
        follows=_(
            "The club disappears from all lists. People who could see it can still read it at its "
            "address. Nobody can join or set up seasons, and all invitations are revoked permanently. You "
            "can restore the club at any time."
        ),
        button=_("Archive club"),
        back=back,
        stay=_("Do not archive"),
        name="reason",
        hint=_("Organisers can read it in the club’s log."),
        longest=REASON_MAX_LENGTH,
    )


@never_cache
@get_or_post
@policy(secret_parameters=("token",))
def invitation_page(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation, and accept or decline it. Visitors without an account are asked to sign up first."""
    invitation = invitations.find_by_token(token)
    wanted = request.POST.get("do") if request.method == "POST" else ""
    if wanted == "accept" and run_service(
        request, lambda: invitations.accept_by_token(token=token, user=request.user), _("You are now a member.")
    ):
        return redirect("club", invitation.club.slug)
    if (
        wanted == "decline"
        and (page := ask_unless_confirmed(request, _decline_question(invitation, request.path))) is not None
    ):
        return page
    if wanted == "decline" and run_service(
        request,
        lambda: invitations.decline_by_token(token=token),
        _("You have declined. The club cannot invite this address again."),
    ):
        return redirect("home")
    return render(request, "club_pages/invited.html", invitation_context(request, invitation))


def _decline_question(found: Invitation, back: str) -> Question:
    return Question(
        "decline_invitation",
        title=_("Decline the invitation of {club}?").format(club=found.club),
        follows=_("The invitation ends, and the club cannot invite this address again."),
        button=_("Decline"),
        back=back,
    )


def invitation_context(request: HttpRequest, found: Invitation) -> dict[str, Any]:
    """Return the template context of an invitation's page."""
    user = request.user
    return {
        "nav": "clubs",
        "invitation": found,
        "club": found.club,
        "state": invitations.invitation_state(found),
        "members": found.club.memberships.count(),
        "role": role_of(user, found.club),
        "guest": user.pk is not None and people.profile_of(user).guest,
    }


@login_required
@require_POST
def own_invitation(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept or decline an invitation that was sent to one's own address."""
    invitation = get_object_or_404(invitations.invitations_for(request.user), pk=pk)
    if request.POST.get("do") == "accept":
        text = _("You are now a member.")
        if run_service(request, lambda: invitations.accept_own(invitation=invitation, user=request.user), text):
            return redirect("club", invitation.club.slug)
    else:
        if (page := ask_unless_confirmed(request, _decline_question(invitation, reverse("club-list")))) is not None:
            return page
        text = _("You have declined. The club cannot invite this address again.")
        run_service(request, lambda: invitations.decline_own(invitation=invitation, user=request.user), text)
    return redirect("club-list")
