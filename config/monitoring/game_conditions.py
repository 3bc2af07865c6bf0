"""Alert conditions about games, bots, trials, reports and the rebuild."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.monitoring.alert_types import AlertAction, AlertCase
from games.operations import failures
from games.operations.status import StuckGame
from tournaments.maintenance.rebuild_job import no_differences
from tournaments.maintenance.status import LeagueStatus

MAX_GAMES_NAMED: Final = 5  # games named in a sentence
JOB_SILENT_AFTER: Final = timedelta(minutes=2)
REPORT_LATE_AFTER: Final = timedelta(days=1)


def games_are_stuck(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield each game that failed, and one case for all games that have stopped for the same reason. Games of a lost
    worker are part of that worker's alert."""
    lost = {worker.name for worker in status.workers if not worker.alive}
    by_reason: dict[str, list[StuckGame]] = {}
    for game in status.stuck_games:
        if not game.failures and game.worker not in lost:
            by_reason.setdefault(game.reason, []).append(game)
    yield from _one_by_one(game for game in status.stuck_games if game.failures)
    for reason, games in by_reason.items():
        if len(games) == 1:
            yield from _one_by_one(games)
            continue
        listed = ", ".join(game.game for game in games[:MAX_GAMES_NAMED])
        more = status.stuck > len(status.stuck_games)  # only the oldest are in the list
        page = reverse("admin:games_game_changelist") + "?status__exact=playing"
        title = _("{n} or more games have stopped").format(n=len(games)) if more else None
        yield AlertCase(games[0].since, {"n": len(games), "reason": reason, "games": listed}, title, page=page)


def _one_by_one(stuck: Iterable[StuckGame]) -> Iterator[AlertCase]:
    for game in stuck:
        tried = ngettext("A worker took it once.", "Workers took it {n} times.", game.attempt).format(n=game.attempt)
        parts = [f"{game.place}." if game.place else "", game.reason, tried if game.attempt else ""]
        yield AlertCase(
            game.since,
            code=f"game-{game.game}",
            title=_("Game {game} has stopped").format(game=game.game),
            sentence=" ".join(filter(None, parts)),
            page=reverse("replay", args=[game.game]),
            actions=_game_actions(game),
        )


def _game_actions(game: StuckGame) -> list[AlertAction]:
    failed = _("Failed {n} times at {game}.").format(n=game.failures, game=game.game)
    actions = [
        AlertAction("quarantine", version, _("Quarantine {version}").format(version=version), failed)
        for version in game.suspects
    ]
    if game.failures:
        actions.append(AlertAction("retry", game.game, _("Try again")))
    if game.worker:
        actions.append(AlertAction("release_lease", game.game, _("Release lease")))
    return [*actions, AlertAction("abort_game", game.game, _("Abort game"))]


def kinds_are_broken(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield each kind that is broken, missing or doubled in this web process."""
    for kind, sentence in status.broken_kinds.items():
        yield AlertCase(status.at, {"kind": kind}, sentence=sentence, code=f"kind-{kind}")


def packages_are_broken(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield each format, tie-break and setting that is broken in this web process, or missing in a season."""
    for name, sentence in status.broken_packages.items():
        yield AlertCase(status.at, {"name": name}, sentence=sentence, code=f"package-{name}")


def bots_fail(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield each bot version that fails repeatedly and still plays."""
    for version, kinds in failures.failing(status.faults).items():
        times = sum(kind.last_hour for kind in kinds)
        listed = ", ".join(f"{kind.label} ({kind.last_hour})" for kind in kinds)
        since = min(kind.first for kind in kinds if kind.first)
        action = AlertAction("quarantine", version, _("Quarantine {version}").format(version=version), f"{listed}.")
        page = reverse("bot", args=[kinds[0].bot])
        yield AlertCase(since, {"version": version, "n": times, "told": listed}, page=page, actions=[action])


def trials_fail(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield each admission or comparison that the platform fails to run or has given up."""
    for trial in status.trials:
        yield AlertCase(
            trial.since,
            {"what": trial.title, "reason": trial.reason},
            word=_("Given up") if trial.given_up else None,
            code=f"trial-{trial.trial}",
            page=reverse("bot", args=[trial.bot]),
            actions=[AlertAction("run_again", str(trial.trial), _("Run again"))] if trial.given_up else [],
        )


def reports_wait(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield the reports if one has waited for more than a day."""
    since = status.undecided.reports_since
    if since and status.at - since > REPORT_LATE_AFTER:
        yield AlertCase(since, {"n": status.undecided.reports}, page=reverse("admin:moderation_report_changelist"))


def rebuild_needs_somebody(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield the last rebuild if it failed, found differences, or is not being done."""
    for job in [job for job in status.jobs if job.what == "rebuild"][:1]:
        page = reverse("admin:operations_adminjob_change", args=[job.job])
        code = f"job-{job.job}"
        going = job.state in ("waiting", "running")
        if going and (job.heard_at or job.asked_at) < status.at - JOB_SILENT_AFTER:
            yield AlertCase(job.asked_at, code=code, page=page)
        if job.state == "failed" or (job.state == "done" and job.code != no_differences().code):
            again = [AlertAction("rebuild", "", _("Rebuild again"))]
            yield AlertCase(job.asked_at, sentence=job.result, word=_("Differs"), code=code, page=page, actions=again)
