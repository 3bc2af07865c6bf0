"""A question before everything that cannot be undone: a page that says what will happen.

It asks for the reason if others are affected. `IRREVERSIBLE` lists all such actions. A view asks first, and goes on if
the answer is None::

    question = Question("revoke_token", title=…, follows=…, button=…, back=…)
    if (page := ask_unless_confirmed(request, question)) is not None:
        return page

The page needs no script. A POST without its confirmation gets 422 and the page, whose form has the code
`not_confirmed`; without a required reason the code is `reason_needed`. Neither changes anything. A program that calls
the API has stated its intention; it is asked only for the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _

CONFIRMED_FIELD: Final = "confirmed"  # the field whose value is the question's code
NOT_CONFIRMED, REASON_NEEDED, BAD_FORM = "not_confirmed", "reason_needed", "bad_form"
NO_REASON, OPTIONAL_REASON, REQUIRED_REASON = "no", "optional", "required"
REASON_MAX_LENGTH: Final = 2000

LazyText = str | Promise

# What cannot be undone, and whether it asks for a reason, as it does if others are affected.
IRREVERSIBLE: Final[Mapping[str, str]] = {
    # a season and its matches
    "start_season": NO_REASON,
    "abandon_season": REQUIRED_REASON,
    "remove_season": OPTIONAL_REASON,  # needed once others have entered
    "withdraw_entrant": REQUIRED_REASON,
    "leave_season": OPTIONAL_REASON,
    "leave_team": NO_REASON,
    "decline_challenge": OPTIONAL_REASON,
    "undo_round": REQUIRED_REASON,
    "decide_match": REQUIRED_REASON,
    "annul_game": REQUIRED_REASON,
    "replay_game": REQUIRED_REASON,
    "new_commentary_address": NO_REASON,
    "withdraw_commentary": NO_REASON,
    "decline_dispute": REQUIRED_REASON,
    # a club
    "archive_club": REQUIRED_REASON,
    "take_over_club": NO_REASON,
    "leave_club": NO_REASON,
    "remove_member": REQUIRED_REASON,
    "revoke_invitation": NO_REASON,
    "decline_invitation": NO_REASON,
    "delete_post": NO_REASON,
    # an account and its programs
    "delete_account": NO_REASON,
    "revoke_token": NO_REASON,
    "remove_webhook": NO_REASON,
    "new_webhook_secret": NO_REASON,
    "new_calendar_address": NO_REASON,
    "remove_calendar_address": NO_REASON,
    "new_bot_version": NO_REASON,
}


@dataclass(frozen=True, slots=True)
class Question:
    """What a page asks before something that cannot be undone.

    It has a title, what `follows`, the words on its two buttons, and where `back` leads. `name` is the field of the
    reason, `hint` says who will read it, and `needed` says that it is required here, though not everywhere. `edit`: the
    value of `do` with which the form that led here is shown again, as it was filled in.
    """

    code: str
    title: LazyText
    follows: LazyText
    button: LazyText
    back: str
    stay: LazyText = ""
    name: str = "note"
    hint: LazyText = ""
    longest: int = REASON_MAX_LENGTH
    needed: bool = False
    edit: str = ""

    @property
    def reason(self) -> str:
        """Whether it asks for the reason: no, optional, required."""
        return REQUIRED_REASON if self.needed else IRREVERSIBLE.get(self.code, NO_REASON)

    @property
    def grave(self) -> bool:
        """Whether the action cannot be undone."""
        return self.code in IRREVERSIBLE


def ask_unless_confirmed(request: HttpRequest, question: Question) -> HttpResponse | None:
    """Return the page that asks; None if `request` confirms it, with a reason if one is required.

    An action that can be undone is confirmed by its POST.
    """
    if request.method != "POST":
        return confirmation_page(request, question)
    if not question.grave:
        return None
    if request.POST.get(CONFIRMED_FIELD) != question.code:
        return confirmation_page(request, question, code=NOT_CONFIRMED)
    answer = request.POST.get(question.name, "").strip()
    if question.reason == REQUIRED_REASON and not answer:
        return confirmation_page(
            request, question, code=REASON_NEEDED, refused=_("Give a reason. The people concerned can read it.")
        )
    if question.reason != NO_REASON and len(answer) > question.longest:
        refused = _("A reason may have at most {most} characters.").format(most=question.longest)
        return confirmation_page(request, question, code=BAD_FORM, refused=refused)
    return None


def is_confirmed(request: HttpRequest, code: str) -> bool:
    """Return whether `request` is a POST of the page that asks about `code`."""
    return request.method == "POST" and request.POST.get(CONFIRMED_FIELD) == code


def confirmation_page(
    request: HttpRequest,
    question: Question,
    *,
    form: forms.Form | None = None,
    code: str = "",
    refused: str = "",
) -> HttpResponse:
    """Return the page that asks: 200, or 422 with the `code` of the refusal.

    A `form` asks for the reason itself, and for more. Without a form, the page sends the same data again.
    """
    kept: dict[str, list[Any]] = {}
    if form is None:
        kept = {name: values for name, values in request.POST.lists() if name not in _own_fields(question)}
    context = {
        "nav": "",
        "question": question,
        "form": form,
        "code": code,
        "refused": refused,
        "reason": request.POST.get(question.name, ""),
        "kept": [(name, value) for name, values in kept.items() for value in values],
    }
    return render(request, "common/confirm.html", context, status=422 if code else 200)


def _own_fields(question: Question) -> set[str]:
    """Return the fields that belong to the page itself."""
    return {"csrfmiddlewaretoken", CONFIRMED_FIELD} | (set() if question.reason == NO_REASON else {question.name})
