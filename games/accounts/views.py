"""A person's own pages: profile, notices, games. The API uses the same functions."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from allauth.account.forms import AddEmailForm
from allauth.account.models import EmailAddress
from allauth.account.views import signup as allauth_signup
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe
from rest_framework.utils.encoders import JSONEncoder

from games.accounts import (
    dataset_consent,
    languages,
    mail,
    mygames,
    notices,
    people,
    quiet_hours,
    reminders,
    shortcuts,
    signup_switch,
)
from games.accounts.context import reader_facts
from games.accounts.export import account_data
from games.accounts.forms import (
    DatasetForm,
    DeleteForm,
    GuestSignupForm,
    LanguageForm,
    NameForm,
    NoticeForm,
    QuietHoursForm,
    ReminderForm,
    TimeZoneForm,
)
from games.accounts.push import keys as push_keys
from games.accounts.push import services as push
from games.accounts.subjects import CLOCK_LOW, SUBJECTS
from games.clocks import vacations
from games.clocks.models import Vacation
from games.common import clock, confirmation
from games.common.confirmation import Question
from games.common.labels import duration_label
from games.common.page_pagination import Page
from games.common.policy import policy
from games.common.refusals import Refusals
from games.common.signed_in import signed_in_user
from games.visibility import acting

NOTICES_A_PAGE = 30
RUNNING_SHOWN = 100
GAMES_A_PAGE = 20

ViewFunction = Callable[..., HttpResponse]


def private_page(view: ViewFunction) -> ViewFunction:
    """Make a page for signed-in users only, which no cache keeps."""
    checked: ViewFunction = login_required(never_cache(view))
    return checked


@private_page
@policy(visible_in_impersonation=True)
def profile_page(request: HttpRequest) -> HttpResponse:
    """Show the profile. Each form stands by itself; its button's `form` tells them apart."""
    user = signed_in_user(request)
    profile = people.profile_of(user)
    sent = request.POST.get("form") if request.method == "POST" else None
    posted = {sent: request.POST}
    name = NameForm(user, posted.get("name"))
    zone = TimeZoneForm(profile.zone, posted.get("zone"), people.browser_zone(request))
    language = LanguageForm(profile.language, posted.get("language"))
    mails = NoticeForm(notices.mail_settings(profile), notices.push_settings(profile), posted.get("mails"))
    quiet = QuietHoursForm(profile.quiet_from, profile.quiet_until, posted.get("quiet"))
    early = ReminderForm(reminders.offsets_of(profile), posted.get("reminders"))
    data = DatasetForm(dataset_consent.has_consented(user), posted.get("dataset"))
    if name.is_valid():
        player = people.rename(user, name.cleaned_data["name"])
        return redirect_with_message(request, _("Your name is {name} now, in old games too.").format(name=player.name))
    if zone.is_valid():
        people.set_zone(user, zone.cleaned_data["zone"])
        if quiet_hours.are_set(profile):
            people.store_browser_zone(user, request)
        return redirect_with_message(request, _("Your time zone is saved."))
    if language.is_valid():
        languages.set_language(user, language.cleaned_data["language"])
        with translation.override(language.cleaned_data["language"] or None):
            return redirect_with_message(request, _("Your language is saved."))
    if mails.is_valid():
        notices.set_mails(profile, mails.cleaned_data)
        notices.set_pushes(profile, mails.pushes())
        return redirect_with_message(request, _("Your choice of notices is saved."))
    if quiet.is_valid():
        with Refusals(lambda error: quiet.add_error(None, error.sentence)):
            quiet_hours.set_quiet_hours(profile, quiet.cleaned_data["begin"], quiet.cleaned_data["end"])
            people.store_browser_zone(user, request)
            return redirect_with_message(request, _("Your quiet hours are saved."))
    if sent == "device":
        number = request.POST.get("device", "")
        device = user.push_devices.filter(pk=int(number)).first() if number.isdecimal() and len(number) < 19 else None
        if device is not None:
            push.remove_device(device)
            return redirect_with_message(request, _("Nothing is sent to that device any more."))
    if early.is_valid():
        reminders.set_offsets(profile, early.cleaned_data)
        return redirect_with_message(request, _("Your reminders are saved."))
    if data.is_valid():
        dataset_consent.set_consent(user=user, given=data.cleaned_data["consent"])
        return redirect_with_message(request, _("Your choice about the dataset is saved."))
    addresses = EmailAddress.objects.filter(user=user)
    devices = [] if acting.is_impersonated(user) else list(user.push_devices.all())
    here = request.session.get(push.SESSION_KEY)
    context = {
        "nav": "me",
        "name_form": name,
        "zone_form": zone,
        "language_form": language,
        "notice_form": mails,
        "quiet_form": quiet,
        "devices": devices,
        "this_device": here if here in [device.pk for device in devices] else None,
        "push_key": push_keys.public_key(),
        "reminder_form": early,
        "dataset_form": data,
        "profile": profile,
        "shortcuts_on": shortcuts.choice_of(user).on,
        "emails": [] if acting.is_impersonated(user) else list(addresses.order_by("-primary", "pk")),
    }
    return render(request, "accounts/me.html", context, status=400 if sent else 200)


def redirect_with_message(request: HttpRequest, sentence: str) -> HttpResponse:
    """Go back to the profile with a message."""
    messages.success(request, sentence)
    return redirect("me")


@login_required
@require_safe
@policy(visible_in_impersonation=True)
def my_turn(request: HttpRequest) -> HttpResponse:
    """Say whether it is my turn in a game, for a tab in the background. One query, and 304 while nothing changes."""
    reader, _name = reader_facts(request)
    mine = reader is not None and reader.pk is not None and mygames.is_my_turn(reader.pk)
    answer = JsonResponse({"my_turn": mine})
    answer["ETag"] = etag = f'"{int(mine)}"'
    return get_conditional_response(request, etag=etag, response=answer) or answer


@private_page
def export_page(request: HttpRequest) -> HttpResponse:
    """Return all that the platform stores about the reader, as a file."""
    text = json.dumps(account_data(signed_in_user(request)), cls=JSONEncoder, ensure_ascii=False, indent=2)
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="scorebook.json"'
    return response


@private_page
def delete_account_page(request: HttpRequest) -> HttpResponse:
    """Delete my account after its name was typed."""
    user = signed_in_user(request)
    form = DeleteForm(people.display(user), request.POST if request.method == "POST" else None)
    reasons = people.deletion_blockers(user)
    confirmed = confirmation.is_confirmed(request, "delete_account")
    if confirmed and not reasons and form.is_valid():
        people.delete_account(user, request=request)
        messages.success(request, _("Your account is deleted. Your games remain without your name."))
        return redirect("home")
    if reasons:
        context = {"nav": "me", "reasons": reasons}
        return render(request, "accounts/delete.html", context, status=400 if request.method == "POST" else 200)
    question = Question(
        "delete_account",
        title=_("Delete my account"),
        follows=_(
            "Your games remain, because they are other players’ games too; they show “Former player” and "
            "a number instead of your name. You resign the games that you are playing, your tables and "
            "challenges are withdrawn, and you forfeit your games in running seasons. Your email "
            "address, notices, settings and sessions are deleted immediately. This cannot be undone. To "
            "confirm, type your name: {name}"
        ).format(name=form.expected),
        button=_("Delete my account"),
        back=reverse("me"),
        stay=_("Keep my account"),
    )
    code = "" if request.method != "POST" else confirmation.BAD_FORM if confirmed else confirmation.NOT_CONFIRMED
    return confirmation.confirmation_page(request, question, form=form, code=code)


def signup(request: HttpRequest) -> HttpResponse:
    """Sign up as allauth does. A guest keeps the games played so far."""
    user = request.user
    if isinstance(user, User) and people.profile_of(user).guest:
        return redirect("guest-signup")
    response: HttpResponse = allauth_signup(request)
    return response


@private_page
def guest_signup(request: HttpRequest) -> HttpResponse:
    """Turn a guest into a permanent account with the same player and games."""
    user = signed_in_user(request)
    if not people.profile_of(user).guest:
        return redirect("me")
    if signup_switch.site_closed_to_signup() is not None:
        return render(request, "account/signup_closed.html", status=403)
    form = GuestSignupForm(user, request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/keep_guest.html", {"form": form}, status=400 if form.is_bound else 200)
    wanted = form.cleaned_data
    try:
        player = people.convert_guest(user, name=wanted["username"], password=wanted["password1"])
    except people.AccountError as refused:
        form.add_error("username", refused.sentence)
        return render(request, "accounts/keep_guest.html", {"form": form}, status=refused.status)
    update_session_auth_hash(request, user)
    add_address(request, user, wanted["email"])
    messages.success(request, _("Welcome, {name}. Your games as a guest are kept.").format(name=player.name))
    return redirect(next_url(request) or "my-games")


def next_url(request: HttpRequest) -> str:
    """Return the address of this platform in `next`, or ""."""
    wanted = request.GET.get("next", "")
    return wanted if url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure()) else ""


def add_address(request: HttpRequest, user: User, address: str) -> None:
    """Send the email that confirms `address`. Only its owner learns from allauth whether somebody has it already."""
    form = AddEmailForm(user, {"email": address})
    if address and form.is_valid():
        form.save(request)


@private_page
@policy(visible_in_impersonation=True)
def notice_list(request: HttpRequest) -> HttpResponse:
    """Show my notices, newest first."""
    page = Page.of(notices.notices_of(signed_in_user(request)), request.GET.get("page", ""), NOTICES_A_PAGE)
    return render(request, "accounts/notices.html", {"nav": "notices", "page": page.map(notices.notice_row)})


@private_page
@require_POST
def notices_seen(request: HttpRequest) -> HttpResponse:
    """Mark all my notices as seen."""
    notices.mark_seen(signed_in_user(request))
    return redirect("notices")


@private_page
@require_POST
def notice_open(request: HttpRequest, pk: int) -> HttpResponse:
    """Go where a notice leads, and mark it as seen."""
    user = signed_in_user(request)
    found = notices.notices_of(user).filter(pk=pk).first()
    if found is None:
        raise Http404(_("There is no such notice."))
    notices.mark_seen(user, pk=pk)
    return redirect(notices.notice_row(found).address)


@csrf_exempt  # a mail program posts here with one click and no session; the token identifies user and subject
@never_cache
@policy(secret_parameters=("token",))
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Unsubscribe from one subject: a GET asks, because mail scanners follow links, and a POST does it.

    Needs no login.
    """
    read = mail.read_unsubscribe_token(token)
    if read is None:
        raise Http404(_("This link is not valid, or the account has been deleted."))
    user_id, subject = read
    if request.method == "POST":
        notices.set_mails(people.profile_of(User(pk=user_id)), {subject: False})
    context = {"title": SUBJECTS[subject].title, "done": request.method == "POST"}
    return render(request, "accounts/unsubscribe.html", context)


def _time_facts(user: User) -> dict[str, Any]:
    """Return the days of vacation left this year, and how long before a clock runs out the user is reminded."""
    year = timezone.localdate(clock.now()).year
    taken = Vacation.objects.filter(user=user)
    minutes = reminders.offsets_of(people.profile_of(user))[CLOCK_LOW]
    reminded = [duration_label(timedelta(minutes=minute)) for minute in minutes]
    return {"vacation_left": vacations.days_left(taken, year), "reminded": reminded}


@private_page
@policy(visible_in_impersonation=True)
def my_games(request: HttpRequest) -> HttpResponse:
    """Show the games that wait for me, those that wait for others, and those that are over."""
    player = people.player_of_user(request.user)
    key = player.pk if player else 0
    running = mygames.my_game_rows(list(mygames.first_running(RUNNING_SHOWN + 1, player=key)), request.user)
    ahead = mygames.upcoming_games(player)
    over = Page.of_slice(partial(mygames.finished_part, player=key), request.GET.get("page", ""), GAMES_A_PAGE)
    context = {
        "nav": "my-games",
        "mine": [line for line in running if line.state == mygames.MY_MOVE][:RUNNING_SHOWN],
        "waiting": [line for line in running if line.state == mygames.OTHERS_MOVE][:RUNNING_SHOWN],
        "more": len(running) > RUNNING_SHOWN,
        "page": Page(mygames.my_game_rows(over.items, request.user), over.number, over.more),
        "ahead": ahead,
        "answers": sum(line.wanted for line in ahead),
        **_time_facts(signed_in_user(request)),
    }
    return render(request, "accounts/my_games.html", context)
