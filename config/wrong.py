"""What is wrong now, the worst first, each with what an admin can do about it beside the cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import admin_actions
from games.condition import TIER, Concern, Condition, TrialConcern

TICK_LATE: Final = timedelta(seconds=30)
QUEUE_LATE: Final = 120  # seconds; beat's messages expire long before
NAMED: Final = 5  # games, in one sentence
FAULTS_LATELY: Final = 3  # of a version within an hour, from which on it is shown
DISK_FULL: Final = 0.9
CAGED: Final = ("cage", "trials")  # beat's words pile up there where nobody plays uploaded bots; see `_cages`
JOB_SILENT: Final = timedelta(minutes=2)


@dataclass(frozen=True)
class Deed:
    """An action to offer, with a reason that the admin may change; `words` are on the button."""

    action: str
    target: str
    words: str
    reason: str = ""

    @property
    def known(self) -> admin_actions.Action:
        return admin_actions.known(self.action)

    @property
    def name(self) -> str:
        """A name for it among those of its item, that stays the same while the page is refreshed."""
        return f"{self.action}-{self.target}".lower().replace(" ", "-")

    @property
    def address(self) -> str:
        """Of its page."""
        return reverse("admin-do", args=[self.action, *([self.target] if self.target else [])])


@dataclass(frozen=True)
class Wrong:
    """One thing: what, since when, and why in a sentence. `state` is a shape of the house (stuck, warn, fault)."""

    what: str
    title: str
    since: datetime
    state: str
    word: str
    sentence: str
    page: str = ""
    deeds: list[Deed] = field(default_factory=list)

    @property
    def name(self) -> str:
        """A name for the item that stays the same while the page is refreshed."""
        return f"{self.what}-{self.deeds[0].target if self.deeds else ''}".lower().replace(" ", "-")


def everything(now: Condition) -> list[Wrong]:
    """All of it: what stands still, who is gone, what fails, what is late."""
    return [
        *_house(now),
        *_workers(now),
        *_games(now),
        *_bots(now),
        *_trials(now.trials),
        *_mail(now),
        *_jobs(now),
    ]


def _house(now: Condition) -> Iterator[Wrong]:
    """What concerns everybody."""
    if now.ticked_at and now.at - now.ticked_at > TICK_LATE:
        sentence = _("Nobody looks at clocks: beat, or the workers for the queue short, do not run. Start them.")
        yield Wrong("beat", _("No tick"), now.ticked_at, "stuck", _("Away"), sentence)
    wants_worker = [each for each in now.queues if each.name == "play" and each.place == "due" and each.waiting]
    if wants_worker and not now.workers_alive:
        sentence = _("Games wait, and no worker is running. Start one.")
        since = now.at - timedelta(seconds=wants_worker[0].oldest or 0)
        yield Wrong("workers", _("No worker is running"), since, "stuck", _("Away"), sentence)
    yield from _cages(now)
    for queue in now.queues:
        if queue.place == "messages" and queue.name not in CAGED and (queue.oldest or 0) > QUEUE_LATE:
            since = now.at - timedelta(seconds=queue.oldest or 0)
            sentence = _("{n} messages wait in the queue {name}; no worker takes them, or those that do are too few.")
            sentence = sentence.format(n=queue.waiting, name=queue.name)
            yield Wrong("queue", _("Queue {name} is late").format(name=queue.name), since, "warn", _("Late"), sentence)
    if now.disk_full_at:
        sentence = _(
            "It refuses to write: moves, uploads and results are answered with “not now”. Nothing is lost, and what "
            "was played goes on by itself. Make room where the database has its files."
        )
        yield Wrong("full", _("The disk of the database is full"), now.disk_full_at, "stuck", _("Full"), sentence)
    if now.disk_used >= DISK_FULL:
        sentence = _("{percent} % of the disk are full. Make room before nothing more can be written.")
        sentence = sentence.format(percent=round(100 * now.disk_used))
        yield Wrong("disk", _("The disk is nearly full"), now.at, "warn", _("Full"), sentence)


def _cages(now: Condition) -> Iterator[Wrong]:
    wanted = [each for each in now.queues if each.place == "due" and each.name in CAGED and each.waiting]
    if not wanted or any(worker["alive"] and worker["tier"] == TIER for worker in now.workers):
        return
    below = [worker for worker in now.workers if worker["alive"] and worker["tier"]]
    since = now.at - timedelta(seconds=max(each.oldest or 0 for each in wanted))
    sentence = below[0]["tier_reason"] if below else _("No worker with a sandbox (queue cage) is running.")
    yield Wrong("cages", _("Uploaded bots do not play"), since, "warn", _("Waiting"), sentence)


def _games(now: Condition) -> Iterator[Wrong]:
    """Each game that failed; those that only stand still for the same reason as one thing. What a lost worker holds is
    told with it."""
    lost = {worker["name"] for worker in now.workers if not worker["alive"]}
    still: dict[str, list[Concern]] = {}
    for game in now.stuck_games:
        if not game.failures and game.worker not in lost:
            still.setdefault(game.reason, []).append(game)
    yield from _each(game for game in now.stuck_games if game.failures)
    for reason, games in still.items():
        if len(games) == 1:
            yield from _each(games)
            continue
        listed = ", ".join(game.game for game in games[:NAMED])
        title = _("{n} games do not go on").format(n=len(games))
        sentence = _("{reason} Among them: {games}.").format(reason=reason, games=listed)
        page = reverse("admin:games_game_changelist") + "?status__exact=playing"
        yield Wrong("games", title, games[0].since, "stuck", _("Stuck"), sentence, page)


def _each(stuck: Iterable[Concern]) -> Iterator[Wrong]:
    for game in stuck:
        failed = _("Failed {n} times at {game}.").format(n=game.failures, game=game.game)
        deeds = [
            Deed("quarantine", version, _("Quarantine {version}").format(version=version), failed)
            for version in game.suspects
        ]
        if game.failures:
            deeds.append(Deed("retry", game.game, _("Try once more")))
        if game.worker:
            deeds.append(Deed("release_lease", game.game, _("Release the lease")))
        deeds.append(Deed("abort_game", game.game, _("Abort the game")))
        tried = ngettext("Claimed once.", "Claimed {n} times.", game.attempt).format(n=game.attempt)
        yield Wrong(
            f"game-{game.game}",
            _("Game {game} does not go on").format(game=game.game),
            game.since,
            "stuck",
            _("Stuck"),
            f"{game.reason} {tried}" if game.attempt else game.reason,
            reverse("replay", args=[game.game]),
            deeds,
        )


def _workers(now: Condition) -> Iterator[Wrong]:
    for worker in now.workers:
        if worker["alive"] or (worker["stopped_at"] and not worker["holds"]):
            continue
        held = worker["holds"]
        words = ngettext("It holds one game,", "It holds {n} games,", held).format(n=held)
        goes_on = _("which others play on when its lease has run out; nothing is lost.")
        sentence = f"{words} {goes_on}" if held else _("It holds no game; nothing is lost.")
        sentence = f"{sentence} {_('What supervises workers starts another one in its place.')}"
        deed = Deed("release_leases", worker["name"], _("Release its leases"), _("The worker is gone."))
        title = _("Worker {name} is silent").format(name=worker["name"])
        since = worker["heartbeat_at"]
        yield Wrong("worker", title, since, "stuck", _("Lost"), sentence, deeds=[deed] if held else [])


def _bots(now: Condition) -> Iterator[Wrong]:
    """Versions that fail time and again, and still play."""
    versions: dict[str, list[Any]] = {}
    for each in now.faults:
        if each.plays and each.last_hour:
            versions.setdefault(each.version, []).append(each)
    for version, kinds in versions.items():
        times = sum(each.last_hour for each in kinds)
        if times < FAULTS_LATELY:
            continue
        told = ", ".join(f"{each.label} ({each.last_hour})" for each in kinds)
        sentence = _("{n} faults within the hour: {told}. It still plays.").format(n=times, told=told)
        since = min(each.first for each in kinds if each.first)
        deed = Deed("quarantine", version, _("Quarantine {version}").format(version=version), f"{told}.")
        title = _("Bot {version} fails again and again").format(version=version)
        page = reverse("bot", args=[kinds[0].bot])
        yield Wrong("bot", title, since, "fault", _("Failing"), sentence, page, [deed])


def _trials(trials: Iterable[TrialConcern]) -> Iterator[Wrong]:
    for trial in trials:
        deeds = [Deed("run_again", str(trial.trial), _("Run it again"))] if trial.given_up else []
        word = _("Given up") if trial.given_up else _("Waiting")
        title = _("The platform failed at the {what}").format(what=trial.title)
        page = reverse("bot", args=[trial.bot])
        yield Wrong(f"trial-{trial.trial}", title, trial.since, "warn", word, trial.reason, page, deeds)


def _mail(now: Condition) -> Iterator[Wrong]:
    mails = now.mails
    if not (mails.waiting or mails.unsure or mails.failed):
        return
    said = []
    if mails.waiting:
        words = ngettext("{n} e-mail waits", "{n} e-mails wait", mails.waiting).format(n=mails.waiting)
        answer = _("the mail server answers “{trouble}”").format(trouble=mails.trouble)
        said.append(f"{words}: {answer}." if mails.trouble else f"{words}.")
    if mails.failed:
        words = ngettext("{n} e-mail was given up.", "{n} e-mails were given up.", mails.failed)
        said.append(words.format(n=mails.failed))
    if mails.unsure:
        words = ngettext(
            "{n} e-mail is unsure: it was being sent when the connection broke.",
            "{n} e-mails are unsure: they were being sent when the connection broke.",
            mails.unsure,
        )
        said.append(words.format(n=mails.unsure))
    deeds = [Deed("try_mails", "", _("Try now"), _("The mail server is back."))] if mails.waiting + mails.failed else []
    deeds += [Deed("resend_mail", str(pk), _("Send unsure e-mail {n} again").format(n=pk)) for pk in mails.unsure_ids]
    title = _("Mail is not going out") if mails.waiting else _("Some e-mail did not go out")
    since = min(each for each in (mails.waiting_since, mails.unsettled_since) if each)
    state, word = ("due", _("Waiting")) if mails.waiting else ("failed", _("Given up"))
    state, word = ("unsure", _("Unsure")) if not (mails.waiting or mails.failed) else (state, word)
    page = f"{reverse('admin:games_notice_changelist')}?mail__exact={state}"
    yield Wrong("mail", title, since, "warn", word, " ".join(said), page, deeds)


def _jobs(now: Condition) -> Iterator[Wrong]:
    """A rebuild that found something, or that nobody does."""
    for job in now.jobs[:1]:
        going = job["state"] in ("waiting", "running")
        silent = going and (job["heard_at"] or job["asked_at"]) < now.at - JOB_SILENT
        found = job["state"] == "failed" or (job["state"] == "done" and job["result"] != _("no differences"))
        if not (silent or found):
            continue
        sentence = _("No worker does it; is one running for the queue short?") if silent else job["result"]
        page = reverse("admin:games_job_change", args=[job["job"]])
        deeds = [Deed("rebuild", "", _("Rebuild again"))] if found else []
        word = _("Waiting") if silent else _("Differs")
        yield Wrong(f"job-{job['job']}", _("The rebuild"), job["asked_at"], "warn", word, sentence, page, deeds)
