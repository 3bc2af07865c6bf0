"""The pages of those who run a club: settings, invitations, transfer, archive; and the page of an invitation."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from games.accounts import people
from games.pager import Page
from tournaments.clubs import founding, invitations, members, transfer
from tournaments.clubs.forms import ClubForm, LinkForm, MailForm
from tournaments.clubs.pages import (
    BOTH,
    MEMBERS_A_PAGE,
    around,
    back,
    check,
    done,
    number,
    refuse,
    shown_form,
    the_club,
)
from tournaments.errors import LeagueError
from tournaments.models import Club, Invitation, Membership
from tournaments.roles import may_organise, may_own, role_of


@login_required
@BOTH
def settings_page(request: HttpRequest, club: str) -> HttpResponse:
    """What the club is; the owner changes it."""
    found = the_club(club)
    check(may_own(request.user, found))
    now = {name: getattr(found, name) for name in founding.FIELDS}
    form = ClubForm(request.POST if request.method == "POST" else None, now)
    if form.is_bound and form.is_valid():
        try:
            changed = founding.change(club=found, user=request.user, **form.cleaned_data)
        except LeagueError as error:
            refuse(error, form)
        else:
            return back(request, "club", changed, _("The club is as you said."))
    return shown_form(request, "clubs/settings.html", around(request, found, "settings"), form)


@login_required
@never_cache
@BOTH
def invitations_page(request: HttpRequest, club: str) -> HttpResponse:
    """The invitations that are good; a new link, whose address is shown once, or one by e-mail."""
    found = the_club(club)
    check(may_organise(request.user, found))
    sent = request.POST.get("do") if request.method == "POST" else None
    link = LinkForm(request.POST if sent == "link" else None)
    mail = MailForm(request.POST if sent == "mail" else None)
    address = ""
    if sent == "link" and link.is_valid():
        try:
            made = invitations.by_link(club=found, user=request.user, **link.cleaned_data)
            address = settings.SCOREBOOK_ADDRESS + reverse("invitation", args=[made[1]])
            link = LinkForm()
        except LeagueError as error:
            refuse(error, link)
    elif sent == "mail" and mail.is_valid():
        try:
            invitations.by_mail(club=found, user=request.user, email=mail.cleaned_data["email"])
            return back(request, "club-invitations", found, _("The invitation is on its way."))
        except LeagueError as error:
            refuse(error, mail)
    elif sent in ("resend", "revoke"):
        one = get_object_or_404(Invitation, club=found, pk=number(request.POST.get("id", "")))
        acts = {"resend": invitations.resend, "revoke": invitations.revoke}
        told = _("It goes out once more, with a new link.") if sent == "resend" else _("It is good for nobody now.")
        done(request, lambda: acts[sent](invitation=one, user=request.user), told)
        return redirect("club-invitations", found.slug)
    context = {
        **around(request, found, "invitations"),
        "page": Page.of(invitations.of(found), request.GET.get("page", ""), MEMBERS_A_PAGE),
        "link_form": link,
        "mail_form": mail,
        "address": address,
    }
    return render(request, "clubs/invitations.html", context, status=422 if link.errors or mail.errors else 200)


@login_required
@never_cache
@BOTH
def transfer_page(request: HttpRequest, club: str) -> HttpResponse:
    """Offer the club to a member, take it back; accept it, or decline."""
    found = the_club(club)
    check(may_own(request.user, found) or found.offered_to_id == request.user.pk)
    if request.method == "POST":
        return hand_over(request, found)
    context = {
        **around(request, found, "settings"),
        "heir": found.offered_to,
        "page": Page.of(
            members.members_of(found).exclude(user=found.owner_id), request.GET.get("page", ""), MEMBERS_A_PAGE
        ),
    }
    return render(request, "clubs/transfer.html", context)


def hand_over(request: HttpRequest, club: Club) -> HttpResponse:
    """A step of the transfer."""
    wanted = request.POST.get("do", "")
    if wanted == "accept":
        taken = done(request, lambda: transfer.accept(club=club, user=request.user), _("The club is yours now."))
        return redirect("club", club.slug) if taken else redirect("club-list")
    if wanted == "end":
        done(request, lambda: transfer.end_offer(club=club, user=request.user), _("The offer is over."))
        return redirect("club", club.slug)
    one = get_object_or_404(Membership, club=club, pk=number(request.POST.get("member", "")))
    told = _("They are told, and the club is theirs when they accept.")
    done(request, lambda: transfer.offer(club=club, user=request.user, membership=one), told)
    return redirect("club-transfer", club.slug)


@login_required
@BOTH
def archive(request: HttpRequest, club: str) -> HttpResponse:
    """Put the club away, or take it out again: asks first."""
    found = the_club(club)
    check(may_own(request.user, found))
    if request.method != "POST":
        return render(request, "clubs/archive.html", around(request, found, "settings"))
    act = founding.unarchive if found.archived_at else founding.archive
    told = _("The club is out of the archive.") if found.archived_at else _("The club is archived. Nothing is lost.")
    done(request, lambda: act(club=found, user=request.user), told)
    return redirect("club", found.slug)


@never_cache
@BOTH
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What an invitation leads to; join, or decline. Whoever has no account is asked to sign up first."""
    try:
        found = invitations.find(token)
    except LeagueError as error:
        raise Http404(error.sentence) from error
    wanted = request.POST.get("do") if request.method == "POST" else ""
    if wanted == "accept" and done(
        request, lambda: invitations.accept(token=token, user=request.user), _("You are a member now.")
    ):
        return redirect("club", found.club.slug)
    if wanted == "decline" and done(
        request, lambda: invitations.decline(token=token), _("You have declined; the club does not write again.")
    ):
        return redirect("home")
    return render(request, "clubs/invited.html", invited(request, found))


def invited(request: HttpRequest, found: Invitation) -> dict[str, Any]:
    """What the page of an invitation says."""
    user = request.user
    return {
        "nav": "clubs",
        "invitation": found,
        "club": found.club,
        "state": invitations.state_of(found),
        "members": found.club.memberships.count(),
        "role": role_of(user, found.club),
        "guest": user.pk is not None and people.profile_of(user).guest,
    }


@login_required
@require_POST
def own_invitation(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept or decline an invitation sent to one's own address."""
    found = get_object_or_404(invitations.waiting_for(request.user), pk=pk)
    if request.POST.get("do") == "accept":
        told = _("You are a member now.")
        if done(request, lambda: invitations.accept_own(invitation=found, user=request.user), told):
            return redirect("club", found.club.slug)
    else:
        told = _("You have declined; the club does not write again.")
        done(request, lambda: invitations.decline_own(invitation=found, user=request.user), told)
    return redirect("club-list")
