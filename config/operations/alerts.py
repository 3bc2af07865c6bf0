"""What is wrong now, the worst first, each with what an admin can do about it beside the cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.broker.pgmq_schema import QUEUES
from config.operations import outbox_alerts
from config.operations.alert_types import Alert, AlertAction
from games.operations.status import REQUIRED_TIER, FailingTrial, StuckGame
from tournaments.maintenance.status import LeagueStatus

TICK_LATE_AFTER: Final = timedelta(seconds=30)
QUEUE_LATE_SECONDS: Final = 120  # seconds; beat's messages expire long before
MAX_GAMES_NAMED: Final = 5  # games, in one sentence
FAULTS_PER_HOUR_LIMIT: Final = 3  # of a version within an hour, from which on it is shown
DISK_FULL_SHARE: Final = 0.9
SANDBOX_QUEUES: Final = (
    "cage",
    "trials",
)  # beat's words pile up there where nobody plays uploaded bots; see `_sandbox_alerts`
JOB_SILENT_AFTER: Final = timedelta(minutes=2)
REPORT_LATE_AFTER: Final = timedelta(days=1)


def all_alerts(now: LeagueStatus) -> list[Alert]:
    """All of it: what stands still, who is gone, what fails, what is late."""
    return [
        *_platform_alerts(now),
        *_worker_alerts(now),
        *_game_alerts(now),
        *_bot_alerts(now),
        *_trial_alerts(now.trials),
        *outbox_alerts.all_outbox_alerts(now),
        *_report_alerts(now),
        *_job_alerts(now),
    ]


def workers_by_queue(now: LeagueStatus) -> dict[str, int]:
    """How many living processes take work from each queue; empty where some have not said from which they do."""
    alive = [worker["queues"] for worker in now.workers if worker["alive"]]
    if not all(alive):
        return {}
    return {queue: sum(queue in queues for queues in alive) for queue in QUEUES}


def _unserved_queue_alerts(now: LeagueStatus) -> dict[str, str]:
    """What does not happen, by the queue from which nobody takes work, while other workers are alive."""
    if not now.workers_alive:
        return {}
    follows = {
        "play": _("Games of house bots are not played."),
        "short": _("No round opens, no result is counted, no clock is looked at, no e-mail goes out."),
    }
    if now.hooks.on:
        follows["hooks"] = _("Nothing is told to webhooks.")
    return {queue: follows[queue] for queue, count in workers_by_queue(now).items() if not count and queue in follows}


def _platform_alerts(now: LeagueStatus) -> Iterator[Alert]:
    """What concerns everybody."""
    unserved = _unserved_queue_alerts(now)
    if now.ticked_at and now.at - now.ticked_at > TICK_LATE_AFTER and "short" not in unserved:
        yield _tick_alert(now, now.ticked_at)
    wants_worker = [each for each in now.queues if each.name == "play" and each.place == "due" and each.waiting]
    if wants_worker and not now.workers_alive:
        sentence = _("Games wait, and no worker is running. Start one.")
        since = now.at - timedelta(seconds=wants_worker[0].oldest or 0)
        yield Alert("workers", _("No worker is running"), since, "stuck", _("Away"), sentence)
    lost = {queue for worker in now.workers if not worker["alive"] for queue in worker["queues"]}
    for name, follows in unserved.items():
        if name not in lost:  # else it is told with the worker
            title = _("Nobody serves the queue {name}").format(name=name)
            sentence = _("{follows} Start a worker for it.").format(follows=follows)
            yield Alert("unserved", title, _oldest_message_at(now, name), "stuck", _("Away"), sentence)
    yield from _sandbox_alerts(now)
    for queue in now.queues:
        if (
            queue.place == "messages"
            and queue.name not in (*SANDBOX_QUEUES, *unserved)
            and (queue.oldest or 0) > QUEUE_LATE_SECONDS
        ):
            since = now.at - timedelta(seconds=queue.oldest or 0)
            sentence = _("{n} messages wait in the queue {name}; no worker takes them, or those that do are too few.")
            sentence = sentence.format(n=queue.waiting, name=queue.name)
            yield Alert("queue", _("Queue {name} is late").format(name=queue.name), since, "warn", _("Late"), sentence)
    if now.disk_full_at:
        sentence = _(
            "It refuses to write: moves, uploads and results are answered with “not now”. Nothing is lost, and what "
            "was played goes on by itself. Make room where the database has its files."
        )
        yield Alert("full", _("The disk of the database is full"), now.disk_full_at, "stuck", _("Full"), sentence)
    if now.disk_used >= DISK_FULL_SHARE:
        sentence = _("{percent} % of the disk are full. Make room before nothing more can be written.")
        sentence = sentence.format(percent=round(100 * now.disk_used))
        yield Alert("disk", _("The disk is nearly full"), now.at, "warn", _("Full"), sentence)


def _tick_alert(now: LeagueStatus, since: datetime) -> Alert:
    """Nobody looks at clocks: because beat does not ask for it, or because no worker comes to it."""
    sent = now.tick_sent_at
    if sent and now.at - sent <= TICK_LATE_AFTER and now.workers_alive:
        sentence = _(
            "Beat asks for clocks to be looked at, last at {time} UTC, and no worker has come to it: the queue short "
            "is late. Start more workers for it, or give the machine less to do."
        )
        return Alert("tick", _("Ticks are late"), since, "stuck", _("Late"), sentence.format(time=f"{sent:%H:%M:%S}"))
    sentence = _("Nobody looks at clocks: beat, or the workers for the queue short, do not run. Start them.")
    if workers_by_queue(now).get("short"):
        sentence = _("Beat does not run: nobody asks for clocks to be looked at, nor for rounds to open. Start it.")
    return Alert("beat", _("No tick"), since, "stuck", _("Away"), sentence)


def _oldest_message_at(now: LeagueStatus, name: str) -> datetime:
    """Since when something waits in a queue; this moment where nothing does."""
    ages = [queue.oldest or 0 for queue in now.queues if queue.place == "messages" and queue.name == name]
    return now.at - timedelta(seconds=max(ages, default=0))


def _sandbox_alerts(now: LeagueStatus) -> Iterator[Alert]:
    wanted = [each for each in now.queues if each.place == "due" and each.name in SANDBOX_QUEUES and each.waiting]
    if not wanted or any(worker["alive"] and worker["tier"] == REQUIRED_TIER for worker in now.workers):
        return
    below = [worker for worker in now.workers if worker["alive"] and worker["tier"]]
    since = now.at - timedelta(seconds=max(each.oldest or 0 for each in wanted))
    sentence = below[0]["tier_reason"] if below else _("No worker with a sandbox (queue cage) is running.")
    yield Alert("cages", _("Uploaded bots do not play"), since, "warn", _("Waiting"), sentence)


def _game_alerts(now: LeagueStatus) -> Iterator[Alert]:
    """Each game that failed; those that only stand still for the same reason as one thing. What a lost worker holds is
    told with it."""
    lost = {worker["name"] for worker in now.workers if not worker["alive"]}
    still: dict[str, list[StuckGame]] = {}
    for game in now.stuck_games:
        if not game.failures and game.worker not in lost:
            still.setdefault(game.reason, []).append(game)
    yield from _game_alert(game for game in now.stuck_games if game.failures)
    for reason, games in still.items():
        if len(games) == 1:
            yield from _game_alert(games)
            continue
        listed = ", ".join(game.game for game in games[:MAX_GAMES_NAMED])
        more = now.stuck > len(now.stuck_games)  # of which only the oldest are looked at
        title = (_("{n} games and more do not go on") if more else _("{n} games do not go on")).format(n=len(games))
        sentence = _("{reason} Among them: {games}.").format(reason=reason, games=listed)
        page = reverse("admin:games_game_changelist") + "?status__exact=playing"
        yield Alert("games", title, games[0].since, "stuck", _("Stuck"), sentence, page)


def _game_alert(stuck: Iterable[StuckGame]) -> Iterator[Alert]:
    for game in stuck:
        failed = _("Failed {n} times at {game}.").format(n=game.failures, game=game.game)
        deeds = [
            AlertAction("quarantine", version, _("Quarantine {version}").format(version=version), failed)
            for version in game.suspects
        ]
        if game.failures:
            deeds.append(AlertAction("retry", game.game, _("Try once more")))
        if game.worker:
            deeds.append(AlertAction("release_lease", game.game, _("Release the lease")))
        deeds.append(AlertAction("abort_game", game.game, _("Abort the game")))
        tried = ngettext("Claimed once.", "Claimed {n} times.", game.attempt).format(n=game.attempt)
        said = [f"{game.place}." if game.place else "", game.reason, tried if game.attempt else ""]
        yield Alert(
            f"game-{game.game}",
            _("Game {game} does not go on").format(game=game.game),
            game.since,
            "stuck",
            _("Stuck"),
            " ".join(filter(None, said)),
            reverse("replay", args=[game.game]),
            deeds,
        )


def _worker_alerts(now: LeagueStatus) -> Iterator[Alert]:
    """Each that holds games; those of the same queues that hold none as one thing."""
    unserved, idle = _unserved_queue_alerts(now), dict[tuple[str, ...], list[dict[str, Any]]]()
    for worker in now.workers:
        if worker["alive"] or (worker["stopped_at"] and not worker["holds"] and not unserved.keys() & worker["queues"]):
            continue
        if worker["holds"]:
            yield _lost_worker_alert([worker], unserved)
        else:
            idle.setdefault(tuple(worker["queues"]), []).append(worker)
    for workers in idle.values():
        yield _lost_worker_alert(workers, unserved)


def _lost_worker_alert(workers: list[dict[str, Any]], unserved: dict[str, str]) -> Alert:
    """One that holds games, or some that hold none."""
    first, names = workers[0], ", ".join(worker["name"] for worker in workers)
    held, queues = first["holds"], ", ".join(first["queues"])
    words = ngettext("It holds one game,", "It holds {n} games,", held).format(n=held)
    said = [
        _("For the queue {queues}.").format(queues=queues) if queues else "",
        f"{words} {_('which others play on when its lease has run out; nothing is lost.')}" if held else "",
        "" if held else _("It holds no game; nothing is lost.") if len(workers) == 1 else _("They hold no game."),
        *(
            _("Nobody else serves it: {follows}").format(follows=unserved[each])
            for each in first["queues"]
            if each in unserved
        ),
        _("What supervises workers starts another one in its place."),
    ]
    title = ngettext("Worker {names} is silent", "Workers {names} are silent", len(workers)).format(names=names)
    deeds = (
        [AlertAction("release_leases", first["name"], _("Release its leases"), _("The worker is gone."))]
        if held
        else []
    )
    since = min(worker["heartbeat_at"] for worker in workers)
    sentence = " ".join(part for part in said if part)
    return Alert("worker", title, since, "stuck", _("Lost"), sentence, deeds=deeds)


def _bot_alerts(now: LeagueStatus) -> Iterator[Alert]:
    """Versions that fail time and again, and still play."""
    versions: dict[str, list[Any]] = {}
    for each in now.faults:
        if each.plays and each.last_hour:
            versions.setdefault(each.version, []).append(each)
    for version, kinds in versions.items():
        times = sum(each.last_hour for each in kinds)
        if times < FAULTS_PER_HOUR_LIMIT:
            continue
        told = ", ".join(f"{each.label} ({each.last_hour})" for each in kinds)
        sentence = _("{n} faults within the hour: {told}. It still plays.").format(n=times, told=told)
        since = min(each.first for each in kinds if each.first)
        deed = AlertAction("quarantine", version, _("Quarantine {version}").format(version=version), f"{told}.")
        title = _("Bot {version} fails again and again").format(version=version)
        page = reverse("bot", args=[kinds[0].bot])
        yield Alert("bot", title, since, "fault", _("Failing"), sentence, page, [deed])


def _trial_alerts(trials: Iterable[FailingTrial]) -> Iterator[Alert]:
    for trial in trials:
        deeds = [AlertAction("run_again", str(trial.trial), _("Run it again"))] if trial.given_up else []
        word = _("Given up") if trial.given_up else _("Waiting")
        title = _("The platform failed at the {what}").format(what=trial.title)
        page = reverse("bot", args=[trial.bot])
        yield Alert(f"trial-{trial.trial}", title, trial.since, "warn", word, trial.reason, page, deeds)


def _report_alerts(now: LeagueStatus) -> Iterator[Alert]:
    """Reports that nobody has answered for a day."""
    since = now.undecided.reports_since
    if since and now.at - since > REPORT_LATE_AFTER:
        n = now.undecided.reports
        title = ngettext("A report waits for an admin", "{n} reports wait for an admin", n).format(n=n)
        sentence = _("The oldest for more than a day. Whoever reported is told what comes of it.")
        yield Alert("reports", title, since, "warn", _("Waiting"), sentence, reverse("admin:games_report_changelist"))


def _job_alerts(now: LeagueStatus) -> Iterator[Alert]:
    """A rebuild that found something, or that nobody does."""
    for job in now.jobs[:1]:
        going = job["state"] in ("waiting", "running")
        silent = going and (job["heard_at"] or job["asked_at"]) < now.at - JOB_SILENT_AFTER
        found = job["state"] == "failed" or (job["state"] == "done" and job["result"] != _("no differences"))
        if not (silent or found):
            continue
        sentence = _("No worker does it; is one running for the queue short?") if silent else job["result"]
        page = reverse("admin:games_job_change", args=[job["job"]])
        deeds = [AlertAction("rebuild", "", _("Rebuild again"))] if found else []
        word = _("Waiting") if silent else _("Differs")
        yield Alert(f"job-{job['job']}", _("The rebuild"), job["asked_at"], "warn", word, sentence, page, deeds)
