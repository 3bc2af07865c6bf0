"""Reports to the admins about a person, a bot or a text, and their outcome.

`TARGETS` lists what can be reported; other apps add theirs there (`add_target`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, NamedTuple

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts import notices, speech
from games.accounts.models import Profile
from games.bots import uploads
from games.common import clock
from games.common.errors import DomainError
from games.models import Bot, Player
from games.moderation.models import Report
from games.moderation.subjects import REPORT_ANSWERED
from games.visibility import acting

RequestUser = AbstractBaseUser | AnonymousUser

WORDS_MAX_LENGTH: Final = 1000
MAX_REPORTS_PER_DAY: Final = 10
ONE_DAY: Final = timedelta(days=1)
NEEDS_WORDS: Final = (Report.Cause.OTHER, Report.Cause.CHEATING, Report.Cause.HARASSMENT)


class ReportTarget(NamedTuple):
    """A sort of thing that can be reported.

    - `find_target`: returns the thing with an id if the viewer may see it (None means an admin, who sees all), else
      None.
    - `name`: returns its present name; `address`: its page.
    - `answers`: returns the user who is responsible for it, if there is one.
    """

    title: str | Promise
    find: Callable[[int, RequestUser | None], Any]
    name: Callable[[Any], str]
    address: Callable[[Any], str]
    answers: Callable[[Any], int | None]


def _person(pk: int, viewer: RequestUser | None) -> Player | None:  # noqa: ARG001  people are for everybody to see
    return Player.objects.filter(pk=pk, user__isnull=False).first()


def _bot(pk: int, viewer: RequestUser | None) -> Bot | None:
    found = Bot.objects.filter(pk=pk, owner__isnull=False).first()
    if found is None or viewer is None or found.visibility == Bot.Visibility.PUBLIC:
        return found
    return found if uploads.is_owner(found, viewer) else None


def _bot_page(bot: Bot) -> str:
    """Return the page of an uploaded bot, else that of its newest version as a player."""
    if bot.key:
        return reverse("bot", args=[bot.name])
    last = Player.objects.filter(bot_version__bot=bot).order_by("-pk").values_list("pk", flat=True).first()
    return reverse("player", args=[last or 0])


TARGETS: Final[dict[str, ReportTarget]] = {
    "person": ReportTarget(
        gettext_lazy("person"),
        _person,
        lambda player: player.name,
        lambda player: reverse("player", args=[player.pk]),
        lambda player: player.user_id,
    ),
    "bot": ReportTarget(gettext_lazy("bot"), _bot, lambda bot: bot.name, _bot_page, lambda bot: bot.owner_id),
}


def add_target(code: str, target: ReportTarget) -> None:
    """Let things of other apps be reported."""
    TARGETS[code] = target


def find_target(target: str, pk: int, viewer: RequestUser) -> Any:
    """Return the thing to report. Raises `DomainError` target_not_found (404)."""
    found = TARGETS[target].find(pk, viewer) if target in TARGETS and 0 < pk < 2**63 else None
    if found is None:
        raise DomainError(404, "target_not_found", _("What you want to report does not exist, or it has been deleted."))
    return found


def reports_of(user: RequestUser) -> QuerySet[Report]:
    """Return the reports of `user`, the newest first."""
    return Report.objects.filter(by=user.pk) if user.pk is not None else Report.objects.none()


def file_report(*, by: RequestUser, target: str, pk: int, cause: str, words: str = "") -> Report:
    """Report a thing. A second report by the same person adds its words to the open one.

    Raises `DomainError`: not_signed_in, guest, muted, warning_unread, own_report (403), target_not_found (404),
    bad_cause, bad_words (400), too_many_reports (429).
    """
    reporter = _reporter(by)
    found = find_target(target, pk, by)
    about = TARGETS[target].answers(found)
    words = _checked(cause, words)
    if about == reporter.pk:
        raise DomainError(403, "own_report", _("You cannot report yourself or your own things."))
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=reporter.pk)  # locked, so that the count is right
        _check_rate(reporter)
        if again := Report.objects.filter(by=reporter, target=target, target_id=pk, state=Report.State.OPEN).first():
            again.words = "\n\n".join(part for part in (again.words, words) if part)[: 2 * WORDS_MAX_LENGTH]
            again.save(update_fields=["words"])
            return again
        return Report.objects.create(
            by=reporter,
            target=target,
            target_id=pk,
            about_id=about,
            cause=cause,
            words=words,
            created=clock.now(),
        )


def _reporter(user: RequestUser) -> User:
    if not isinstance(user, User) or user.pk is None:
        raise DomainError(403, "not_signed_in", _("Log in first, so that we can tell you the outcome of your report."))
    if acting.bot_of(user) is not None or Profile.objects.filter(user=user, guest=True).exists():
        raise DomainError(403, "guest", _("Guests cannot report. Sign up first; you keep your games."))
    speech.check_may_write(user)
    return user


def _checked(cause: str, words: str) -> str:
    if cause not in Report.Cause.values:
        known = ", ".join(Report.Cause.values)
        raise DomainError(400, "bad_cause", _("Choose a reason: {known}.").format(known=known), causes=known)
    words = words.replace("\r\n", "\n").strip()
    if len(words) > WORDS_MAX_LENGTH or "\x00" in words:
        raise DomainError(400, "bad_words", _("Use at most {most} characters.").format(most=WORDS_MAX_LENGTH))
    if not words and cause in NEEDS_WORDS:
        raise DomainError(400, "bad_words", _("Say what happened and where: in which game or on which page."))
    return words


def _check_rate(user: User) -> None:
    if Report.objects.filter(by=user, created__gt=clock.now() - ONE_DAY).count() >= MAX_REPORTS_PER_DAY:
        sentence = _("You have sent {most} reports within a day. An admin will read them. You can send more tomorrow.")
        raise DomainError(429, "too_many_reports", sentence.format(most=MAX_REPORTS_PER_DAY))


def answer_report(report: Report, *, state: str, by: User, words: str = "") -> Report:
    """Close a report and notify the reporter.

    `state` is upheld or dismissed, and `words` is what they are told in addition. Raises `DomainError` answered_already
    (409).
    """
    with transaction.atomic():
        locked = Report.objects.select_for_update(of=("self",)).get(pk=report.pk)
        if locked.state != Report.State.OPEN:
            raise DomainError(409, "answered_already", _("This report has already been answered."))
        locked.state, locked.answer, locked.answered_at, locked.answered_by = state, words.strip(), clock.now(), by
        locked.save(update_fields=["state", "answer", "answered_at", "answered_by"])
        if locked.by_id is not None:
            url = f"{reverse('me-conduct')}#reports"
            notices.notify_users([locked.by_id], REPORT_ANSWERED, key=f"report:{locked.pk}", url=url)
        return locked


def name_and_url(report: Report, viewer: RequestUser) -> tuple[str, str]:
    """Return the present name and page of the reported thing; "" and "" if it is gone or hidden from `viewer`."""
    target = TARGETS.get(report.target)
    found = target.find(report.target_id, viewer) if target else None
    return (target.name(found), target.address(found)) if target and found is not None else ("", "")


def report_data(report: Report) -> dict[str, Any]:
    """Return a report as its reporter sees it, as JSON data."""
    return {
        "id": report.pk,
        "target": report.target,
        "target_id": report.target_id,
        "cause": report.cause,
        "words": report.words,
        "created": report.created,
        "state": report.state,
        "answer": report.answer,
        "answered_at": report.answered_at,
    }
