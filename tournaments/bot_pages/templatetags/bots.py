"""Template tags of the pages of bots: states of versions, steps of admission, rating intervals."""

from __future__ import annotations

from math import ceil, log
from typing import Any

from django import template
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.bots import comparison
from games.bots.sentences import milliseconds_text
from games.common import clock
from games.common.templatetags.display import status
from games.models import BotVersion, Trial
from games.workers import waiting_reasons
from scorebook_games.analysis.betting import LIMIT
from scorebook_games.registry import KINDS
from tournaments.bot_pages import detail as bot_detail
from tournaments.bot_pages.detail import RatingInterval

register = template.Library()
register.filter(milliseconds_text)

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
    """Return the answer of a comparison, as “Accepted, 57 %”."""
    if not trial.result["deals"]:
        return bot_detail.comparison_result(trial)
    return f"{bot_detail.comparison_result(trial)}, {round(100 * trial.result['share'])} %"


@register.simple_tag
def strip(figure: RatingInterval) -> SafeString:
    """Render a rating and its interval on a strip from 1000 to 2000. The page prints the figures beside it."""
    return whisk(figure.low, figure.high, figure.place)


@register.simple_tag
def comparison_question(trial: Trial) -> str:
    """Return which two claims a comparison tests, and how far its verdict can be trusted."""
    words = _(
        "Accepted: better by more than {elo0} Elo. Rejected: better by less than {elo1}. Each verdict is wrong with a "
        "risk of 5 % at most."
    )
    if trial.result.get("verdict") and not trial.result.get("path"):  # decided before ADR 30
        words = _(
            "Decided by a former rule, with the bounds {elo0} and {elo1} Elo. It could be wrong in more than 5 % of "
            "cases."
        )
    return words.format(elo0=elo_text(trial.elo0), elo1=elo_text(trial.elo1))


@register.simple_tag
def promotion(trial: Trial) -> str:
    """Return what becomes of the version's promotion."""
    return comparison.promotion_sentence(trial)


@register.simple_tag
def points(share: float, with_sign: bool = False) -> str:
    """Return a share as a whole number of points of 100, such as “12”, or with its sign “+12”."""
    whole = round(100 * share)
    return f"{whole:+}".replace("-", "−") if with_sign and whole else str(whole).replace("-", "−")


@register.simple_tag
def points_with_error(share: float, error: float) -> str:
    """Return a share as points of 100 with two standard errors, such as “62 ± 4”."""
    return f"{points(share)} ± {ceil(200 * error)}"


CHART_WIDTH, CHART_HEIGHT, CHART_LIMIT = 300, 120, 40  # the bounds are 40 below and above the middle
PATH_WIDTH = 204  # the names of the bounds stand to the right of it, so that the path never crosses them


@register.simple_tag
def evidence_chart(trial: Trial) -> SafeString:
    """Render how the evidence against both claims of a comparison grew: of the lower claim upwards, of the upper one
    downwards."""
    path = trial.result.get("path") or []
    if not path:
        return SafeString("")
    middle, step = CHART_HEIGHT / 2, PATH_WIDTH / len(path)
    words = _(
        "The evidence after each of {n} deals, which begins at 1. For acceptance it is {better} now, for rejection "
        "{worse}. {limit} decides."
    )
    alternative = words.format(
        n=len(path),
        better=decimal_text(path[-1]["better"]),
        worse=decimal_text(path[-1]["worse"]),
        limit=round(LIMIT),
    )
    lines = []
    for name, direction in (("better", -1), ("worse", 1)):
        heights = [min(1.4, max(0.0, log(each[name]) / log(LIMIT))) for each in path]
        points = [(0.0, middle)]
        points += [(n * step, middle + direction * CHART_LIMIT * height) for n, height in enumerate(heights, 1)]
        lines.append((" ".join(f"{x:.1f},{y:.1f}" for x, y in points),))
    return format_html(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<path class="grid" d="M0 {}H{}"/><path class="lead" d="M0 {}H{}"/><path class="lead" d="M0 {}H{}"/>{}'
        '<text x="{}" y="{}">{}</text><text x="{}" y="{}">{}</text></svg>',
        CHART_WIDTH,
        CHART_HEIGHT,
        alternative,
        middle,
        PATH_WIDTH,
        middle - CHART_LIMIT,
        PATH_WIDTH,
        middle + CHART_LIMIT,
        PATH_WIDTH,
        format_html_join("", '<polyline class="line disc" points="{}"/>', lines),
        PATH_WIDTH + 6,
        middle - CHART_LIMIT + 4,
        _("accepted"),
        PATH_WIDTH + 6,
        middle + CHART_LIMIT + 4,
        _("rejected"),
    )


def elo_text(points: int) -> str:
    """Return Elo points with their sign."""
    return f"{points:+}".replace("-", "−") if points else "0"


def decimal_text(value: float) -> str:
    """Return a figure with two decimals in the reader's language."""
    return number_format(round(value, 2), 2).replace("-", "−")


def whisk(low: float, high: float, at: float) -> SafeString:
    """Render the interval from `low` to `high` with a mark at `at`; all are per cent of the strip."""
    return format_html(
        '<svg class="whisk" viewBox="0 0 100 16" preserveAspectRatio="none" aria-hidden="true">'
        '<line class="axis" x1="0" x2="100" y1="8" y2="8"/><line class="interval" x1="{}" x2="{}" y1="8" y2="8"/>'
        '<rect class="value" x="{}" y="2" width="1.4" height="12"/></svg>',
        f"{low:.1f}",
        f"{high:.1f}",
        f"{at:.1f}",
    )


@register.simple_tag
def bar(x: float, height: float) -> SafeString:
    """Render a bar of the chart of response times."""
    return format_html('<rect class="bar" x="{}" y="{}" width="16.8" height="{}"/>', x, f"{70 - height:.1f}", height)
