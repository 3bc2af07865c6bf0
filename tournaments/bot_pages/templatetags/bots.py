"""Template tags of the pages of bots: states of versions, steps of admission, rating intervals."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.common import clock
from games.common.templatetags.display import status
from games.models import BotVersion, Trial
from games.workers import waiting_reasons
from scorebook_games.registry import KINDS
from tournaments.bot_pages import detail as bot_detail
from tournaments.bot_pages.detail import RatingInterval

register = template.Library()

MARKS = {
    "admission": "live",
    "passed": "done",
    "refused": "fault",
    "quarantined": "stuck",
    "retired": "pause",
    "taken_down": "stuck",
}
STEP_MARKS = {"wait": "wait", "live": "live", "done": "done", "fault": "fault", "skipped": "pause"}


@register.simple_tag
def version_state(version: BotVersion) -> SafeString:
    """Render “v8 in admission” with a shape and a colour."""
    word = str(version.get_state_display())
    return status(MARKS[version.state], f"v{version.number} {word}")


@register.simple_tag
def admission_heading(admission: Trial) -> str:
    """Return the heading that says how far the admission is."""
    number = admission.version.number
    if admission.version.state == BotVersion.State.REFUSED:
        return _("v{n} was not admitted").format(n=number)
    if admission.state == Trial.State.GIVEN_UP:
        return _("The admission of v{n} was given up").format(n=number)
    if admission.state == Trial.State.DONE:
        return _("v{n} was admitted").format(n=number)
    if admission.version.state == BotVersion.State.PASSED:
        return _("v{n} was admitted and is getting its first rating").format(n=number)
    return _("v{n} is in admission").format(n=number)


@register.simple_tag
def trial_trouble(trial: Trial) -> str:
    """Return why an admission or a comparison has stopped; "" unless the platform failed to play it."""
    return "" if trial.is_over else waiting_reasons.why_trial_waits(trial, clock.now())


@register.simple_tag
def step_name(step: dict[str, Any]) -> SafeString:
    """Return the name of a step of admission with its state, and its opponent if the step is a game."""
    names = {"read": _("Read"), "start": _("Start"), "time": _("Time"), "rating": _("First rating")}
    word = names.get(step["name"], str(step.get("bot", step["name"])).capitalize())
    shown = status(STEP_MARKS[step["state"]], word)
    if kind := step.get("kind"):
        return format_html('<span>{} <span class="quiet small">{}</span></span>', shown, KINDS[kind].spec.title)
    return shown


@register.simple_tag
def comparison_answer(trial: Trial) -> str:
    """Return the answer of a comparison, as “Yes, 57 %”."""
    if not trial.result["deals"]:
        return bot_detail.comparison_result(trial)
    return f"{bot_detail.comparison_result(trial)}, {round(100 * trial.result['share'])} %"


@register.simple_tag
def strip(figure: RatingInterval) -> SafeString:
    """Render a rating and its interval on a strip from 1000 to 2000. The page prints the figures beside it."""
    return whisk(figure.low, figure.high, figure.place)


@register.simple_tag
def whisker(share: float, low: float, high: float) -> SafeString:
    """Render a share of points and its interval on a strip from 0 to 1. The page prints the figures beside it."""
    return whisk(100 * low, 100 * high, 100 * share, mid=True)


def whisk(low: float, high: float, at: float, *, mid: bool = False) -> SafeString:
    """Render the interval from `low` to `high` with a mark at `at`; all are per cent of the strip."""
    middle = SafeString('<line class="middle" x1="50" x2="50" y1="0" y2="16"/>') if mid else ""
    return format_html(
        '<svg class="whisk" viewBox="0 0 100 16" preserveAspectRatio="none" aria-hidden="true">'
        '<line class="axis" x1="0" x2="100" y1="8" y2="8"/>{}<line class="interval" x1="{}" x2="{}" y1="8" y2="8"/>'
        '<rect class="value" x="{}" y="2" width="1.4" height="12"/></svg>',
        middle,
        f"{low:.1f}",
        f"{high:.1f}",
        f"{at:.1f}",
    )


@register.simple_tag
def bar(x: float, height: float) -> SafeString:
    """Render a bar of the chart of response times."""
    return format_html('<rect class="bar" x="{}" y="{}" width="16.8" height="{}"/>', x, f"{70 - height:.1f}", height)
