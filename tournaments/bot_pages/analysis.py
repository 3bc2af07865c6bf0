"""How a version of a bot plays: results without luck, what it loses most on, its slowest answers, and faults by week.

Only games that are open to all count, because the rest says what is in somebody's hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Annotated, Final

from django.db.models import Count
from django.db.models.functions import TruncWeek
from django.utils import timezone
from django.utils.translation import gettext as _

from games.common.labels import number_label
from games.models import Bot, BotVersion, Game
from games.play import faults
from games.play.models import Fault
from games.play.play_account import Form, PlayAccount, play_account
from games.visibility import audience
from games.visibility.audience import User
from games.workers.models import BotResponseTimes
from tournaments.bot_pages import results
from tournaments.ratings import charts

FAULT_WEEKS: Final = 8
MAX_VERSIONS_LISTED: Final = 20
MAX_TIMED_GAMES: Final = 100  # the latest whose answers are looked at
SLOWEST_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class SlowAnswer:
    """The slowest answer of a version in one game, and the moment at which it was asked."""

    ms: Annotated[float, "Wall time."]
    at: datetime
    game: str
    kind: str
    seat: int
    version: Annotated[int | None, "How many events had happened; null for games of before this was stored."]


@dataclass(frozen=True, slots=True)
class FaultCounts:
    """The faults of one version in games, by week. `weeks` has the counts of the weeks of `FaultTable`, in order."""

    version: int
    weeks: list[int]
    total: int


@dataclass(frozen=True, slots=True)
class FaultTable:
    """Faults by version and week, without those of the platform. `weeks` are their Mondays."""

    weeks: list[date]
    versions: list[FaultCounts]


@dataclass(frozen=True, slots=True)
class Analysis:
    """How a version plays, in its latest games that are open to all."""

    version: int
    games: int
    account: PlayAccount
    slowest: list[SlowAnswer]
    faults: FaultTable


def analysis(bot: Bot, version: BotVersion, viewer: User) -> Analysis:
    """Return the analysis of a version as `viewer` may see it. Six queries."""
    games = results.open_games(version.player.pk, viewer)
    account = play_account(version.player.pk, games)
    slowest = slowest_answers(version, games)
    return Analysis(version.number, len(games), account, slowest, fault_table(bot, viewer))


def slowest_answers(version: BotVersion, games: Sequence[int]) -> list[SlowAnswer]:
    """Return the slowest answers of a version in the latest of these games, one a game and worker. One query."""
    rows = BotResponseTimes.objects.filter(bot_version=version, game__in=games).order_by("-at")
    columns = ("times", "at", "game__public_id", "game__kind", "seat", "slowest_at")
    found = [SlowAnswer(max(times), *where) for times, *where in rows.values_list(*columns)[:MAX_TIMED_GAMES] if times]
    return sorted(found, key=lambda each: -each.ms)[:SLOWEST_SHOWN]


def fault_table(bot: Bot, viewer: User) -> FaultTable:
    """Return the faults of a bot's latest versions in the last weeks, in games that `viewer` may see. Two queries."""
    monday = timezone.localdate() - timedelta(days=timezone.localdate().weekday())
    weeks = [monday - timedelta(weeks=back) for back in range(FAULT_WEEKS - 1, -1, -1)]
    since = datetime.combine(weeks[0], time.min, timezone.get_current_timezone())
    seen = Game.objects.filter(audience.visible_to(viewer), trial=None)
    rows = faults.tellable(Fault.objects.filter(bot_version__bot=bot, at__gte=since, game__in=seen))
    rows = rows.exclude(kind=Fault.Kind.INFRASTRUCTURE).order_by()
    counted = rows.annotate(week=TruncWeek("at")).values("bot_version__number", "week").annotate(n=Count("pk"))
    by_version: dict[int, dict[date, int]] = {}
    for row in counted:
        by_version.setdefault(row["bot_version__number"], {})[timezone.localtime(row["week"]).date()] = row["n"]
    versions = [
        FaultCounts(number, [found.get(week, 0) for week in weeks], sum(found.values()))
        for number, found in sorted(by_version.items(), reverse=True)[:MAX_VERSIONS_LISTED]
    ]
    return FaultTable(weeks, versions)


@dataclass(frozen=True, slots=True)
class FormChart:
    """The chart of a form: results and results without luck, in percent."""

    wide: str
    narrow: str


def form_chart(form: Form, title: str) -> FormChart:
    """Return the chart of a form with steps. `title`: of its kind."""
    series = [
        charts.Series(_("without luck"), tuple(100 * step.adjusted for step in form.steps)),
        charts.Series(_("as played"), tuple(100 * step.result for step in form.steps)),
    ]
    labels = [str(step.games) for step in form.steps]
    words = _("{kind}: share of the points in percent over {games}, as played and without luck.")
    text = words.format(kind=title, games=number_label(form.games, "game"))
    return FormChart(
        charts.line_chart(series, labels, charts.WIDE_FRAME, css="only-wide", title=text),
        charts.line_chart(series, labels, charts.NARROW_FRAME, css="only-narrow", title=text),
    )
