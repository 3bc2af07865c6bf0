"""All alerts of the platform. The dashboard, `status/` and docs/alerts.yml are made from these definitions.

A new alert is one entry here; its condition is in a module `*_conditions` of this package. `manage.py write_documents`
writes docs/alerts.yml; `bin/dev check` fails if that file is stale.
"""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from config.monitoring import game_conditions as games
from config.monitoring import outbox_conditions as outbox
from config.monitoring import platform_conditions as platform
from config.monitoring.alert_types import Alert, AlertDefinition, Rule
from tournaments.maintenance.status import LeagueStatus

TICK_LATE_SECONDS: Final = f"{platform.TICK_LATE_AFTER.total_seconds():.0f}"
NOT_TICKING: Final = f'max(scorebook_sign_age_seconds{{part="beat"}}) > {TICK_LATE_SECONDS}'
TICK_SENT: Final = f'max(scorebook_sign_age_seconds{{part="beat_sent"}}) <= {TICK_LATE_SECONDS}'
SOME_WORKER: Final = 'max(scorebook_workers{state="alive"}) > 0'
NO_WORKER: Final = 'max(scorebook_workers{state="alive"}) == 0'
HOW_LONG: Final = "{{ $value | humanizeDuration }}"

# In the order of the dashboard: first what concerns everybody.
DEFINITIONS: Final = (
    AlertDefinition(
        code="beat",
        severity="page",
        title=_("No ticks"),
        sentence=_(
            "Clocks are not checked, because beat or the workers for the queue short are not running. Start them."
        ),
        state="stuck",
        word=_("Down"),
        condition=platform.beat_is_away,
        rule=Rule("ScorebookNoTick", f"{NOT_TICKING} unless ({TICK_SENT} and {SOME_WORKER})", "1m"),
    ),
    AlertDefinition(
        code="tick",
        severity="page",
        title=_("Ticks are late"),
        sentence=_(
            "Beat sends ticks, the last one at {time} UTC, but no worker handles them, because the "
            "queue short is late. Start more workers for it, or reduce the machine’s load."
        ),
        state="stuck",
        word=_("Late"),
        condition=platform.ticks_are_late,
        rule=Rule(
            "ScorebookTicksLate",
            f"{NOT_TICKING} and {TICK_SENT} and {SOME_WORKER}",
            "1m",
            sentence=f"Beat sends ticks, but no worker has handled them for {HOW_LONG}, because the queue short "
            "is late. Start more workers for it, or reduce the machine's load.",
        ),
    ),
    AlertDefinition(
        code="workers",
        severity="page",
        title=_("No worker is running"),
        sentence=_("Games are waiting, but no worker is running. Start a worker."),
        state="stuck",
        word=_("Down"),
        condition=platform.no_worker_runs,
        rule=Rule(
            "ScorebookNoWorker",
            f'max(scorebook_queue_waiting{{queue="play", place="due"}}) > 0 and {NO_WORKER}',
            "1m",
        ),
    ),
    AlertDefinition(
        code="unserved",
        severity="page",
        title=_("No worker serves the queue {name}"),
        sentence=_("{follows} Start a worker for it."),
        state="stuck",
        word=_("Down"),
        condition=platform.queues_are_not_served,
        rule=Rule(
            "ScorebookQueueNotServed",
            '(max by (queue) (scorebook_queue_workers{queue=~"play|short"}) == 0'
            ' or max by (queue) (scorebook_queue_workers{queue="hooks"}) == 0'
            f' and on () max(scorebook_webhooks{{state="on"}}) > 0) and on () {SOME_WORKER}',
            "2m",
            {"name": "{{ $labels.queue }}", "follows": "Its work is not done, although other workers are running."},
        ),
    ),
    AlertDefinition(
        code="sandboxes",
        severity="ticket",
        title=_("Uploaded bots cannot play"),
        sentence=_("No worker with a sandbox (queue sandbox) is running."),
        word=_("Waiting"),
        condition=platform.uploaded_bots_wait,
        rule=Rule(
            "ScorebookUploadedBotsWait",
            'max(scorebook_queue_waiting{place="due", queue=~"sandbox|trials"}) > 0'
            ' and max(scorebook_sandbox_workers{tier="A"}) == 0',
            sentence="No worker with a sandbox of tier A is running. The dashboard says what the host lacks.",
        ),
    ),
    AlertDefinition(
        code="queue",
        severity="ticket",
        title=_("Queue {name} is late"),
        sentence=_("{n} messages are waiting in the queue {name}. Its workers are not running, or too few."),
        word=_("Late"),
        condition=platform.queues_are_late,
        rule=Rule(
            "ScorebookQueueLate",
            'max by (queue) (scorebook_queue_age_seconds{place="messages", queue!~"sandbox|trials"})'
            f" > {platform.QUEUE_LATE_SECONDS}",
            values={"name": "{{ $labels.queue }}"},
            sentence=f"Its oldest message is {HOW_LONG} old. Start more workers for it.",
        ),
    ),
    AlertDefinition(
        code="full",
        severity="page",
        title=_("The database’s disk is full"),
        sentence=_(
            "The database refuses writes, so moves, uploads and results get the answer “try again "
            "later”. Nothing is lost, and games continue automatically. Free space on the database’s "
            "disk."
        ),
        state="stuck",
        word=_("Full"),
        condition=platform.writes_are_refused,
        rule=Rule("ScorebookWritesRefused", "max(scorebook_disk_full) > 0", "0s"),
    ),
    AlertDefinition(
        code="disk",
        severity="page",
        title=_("The disk is nearly full"),
        sentence=_("{percent} % of the disk is used. Free space before writes fail."),
        word=_("Full"),
        condition=platform.disk_is_nearly_full,
        rule=Rule(
            "ScorebookDiskFull",
            f"100 * scorebook_disk_used_ratio >= {platform.DISK_FULL_PERCENT}",
            values={"percent": '{{ $value | printf "%.0f" }}'},
            title="The disk of {{ $labels.instance }} is nearly full",
        ),
    ),
    AlertDefinition(
        code="worker",
        severity="ticket",
        title=_("A worker is silent"),
        state="stuck",
        word=_("Lost"),
        actions=("release_leases",),
        condition=platform.workers_are_silent,
        rule=Rule(
            "ScorebookWorkerSilent",
            'max(scorebook_workers{state="silent"}) > 0',
            "2m",
            sentence="{{ $value }} workers have disappeared without being stopped. Others continue their "
            "games. Find out why they died.",
        ),
    ),
    AlertDefinition(
        code="games",
        severity="page",
        title=_("{n} games have stopped"),
        sentence=_("{reason} Among them: {games}."),
        state="stuck",
        word=_("Stuck"),
        actions=("quarantine", "retry", "release_lease", "abort_game"),
        condition=games.games_are_stuck,
        rule=Rule(
            "ScorebookGamesStuck",
            'max(scorebook_games{state="stuck"}) > 0',
            title="Games have stopped",
            sentence="{{ $value }} games have been stopped for minutes. The dashboard says why and offers actions.",
        ),
    ),
    AlertDefinition(
        code="kinds",
        severity="page",
        title=_("Problem with the kind of game {kind}"),
        state="fault",
        word=_("Broken"),
        condition=games.kinds_are_broken,
        rule=Rule(
            "ScorebookKindsBroken",
            "max(scorebook_broken_kinds) > 0",
            "0s",
            title="Problem with a kind of game",
            sentence="{{ $value }} kinds are broken, missing or doubled. The dashboard says which, and what to do.",
        ),
    ),
    AlertDefinition(
        code="packages",
        severity="ticket",
        title=_("Problem with {name}, which a package adds to seasons"),
        state="fault",
        word=_("Broken"),
        condition=games.packages_are_broken,
        because="No metric says which formats and tie-breaks seasons need.",
    ),
    AlertDefinition(
        code="due",
        severity="page",
        title="Work for {name} is not done",
        rule=Rule(
            "ScorebookDueLate",
            'max by (queue) (scorebook_queue_age_seconds{place="due", queue=~"play|clocks"})'
            f" > {platform.QUEUE_LATE_SECONDS}",
            values={"name": "{{ $labels.queue }}"},
            sentence=f"The oldest item has waited for {HOW_LONG}.",
        ),
        because="The dashboard lists these games individually, as `games`.",
    ),
    AlertDefinition(
        code="bot",
        severity="ticket",
        title=_("Bot {version} fails repeatedly"),
        sentence=_("{n} faults within the last hour: {told}. The bot still plays."),
        state="fault",
        word=_("Failing"),
        actions=("quarantine",),
        condition=games.bots_fail,
        rule=Rule(
            "ScorebookBotFailing",
            "max(scorebook_bots_failing) > 0",
            "0s",
            title="Uploaded bots fail repeatedly",
            sentence="{{ $value }} versions had three or more faults within the last hour and still play. The "
            "dashboard names them.",
        ),
    ),
    AlertDefinition(
        code="trial",
        severity="ticket",
        title=_("The platform failed to run the {what}"),
        sentence=_("{reason}"),
        word=_("Waiting"),
        actions=("run_again",),
        condition=games.trials_fail,
        rule=Rule(
            "ScorebookTrialsFailing",
            "max(scorebook_trials_failing) > 0",
            title="The platform fails to run admissions or comparisons",
            sentence="{{ $value }} of them are waiting for another attempt or were given up. The dashboard says why.",
        ),
    ),
    AlertDefinition(
        code="mail",
        severity="ticket",
        title=_("Email is not being sent"),
        actions=("try_mails", "resend_mail"),
        condition=outbox.mail_does_not_go_out,
        # Emails that were given up stay on the dashboard for a week; the ticket is about waiting ones.
        rule=Rule(
            "ScorebookMailWaits",
            "max(scorebook_mail_age_seconds) > 900",
            sentence=f"The oldest email has waited for {HOW_LONG}. The dashboard shows the server's answer.",
        ),
    ),
    AlertDefinition(
        code="invitations",
        severity="ticket",
        title=_("Invitations are not being sent"),
        actions=("try_invitations", "resend_invitation"),
        condition=outbox.invitations_do_not_go_out,
        rule=Rule(
            "ScorebookInvitationsWait",
            'max(scorebook_invitations{state="waiting"}) > 0',
            "15m",
            sentence="{{ $value }} invitations are waiting for the mail server. The dashboard shows the "
            "server's answer.",
        ),
    ),
    AlertDefinition(
        code="hook",
        severity="ticket",
        title=_("Webhook {number} of {whose} is failing"),
        word=_("Failing"),
        actions=("try_webhook", "stop_webhook", "start_webhook"),
        condition=outbox.webhooks_are_not_taken,
        because="Its owner was notified and can fix it, so no admin is called. `scorebook_webhooks` counts them.",
    ),
    AlertDefinition(
        code="reports",
        severity="ticket",
        title=ngettext_lazy("A report is waiting for an admin", "{n} reports are waiting for an admin", "n"),
        sentence=_("The oldest has waited for more than a day. The reporters are waiting for an answer."),
        word=_("Waiting"),
        condition=games.reports_wait,
        rule=Rule(
            "ScorebookReportsWait",
            f'max(scorebook_undecided_age_seconds{{what="reports"}}) > {games.REPORT_LATE_AFTER.total_seconds():.0f}',
            title="Reports are waiting for an admin",
        ),
    ),
    AlertDefinition(
        code="job",
        severity="ticket",
        title=_("The rebuild"),
        sentence=_("No worker has started it. Is a worker for the queue short running?"),
        word=_("Waiting"),
        actions=("rebuild",),
        condition=games.rebuild_needs_somebody,
        because="An admin started the rebuild and checks its result. It has no metric, because it is a job and "
        "not a state.",
    ),
    AlertDefinition(
        code="requests",
        severity="page",
        title="Requests fail because of server errors",
        rule=Rule(
            "ScorebookFaults",
            'sum(rate(scorebook_http_requests_total{status="5xx"}[5m])) > 0.1',
            sentence="{{ $value }} per second. The logs have each with its request id.",
        ),
        because="Each web process counts its own requests. Only Prometheus adds them up.",
    ),
)


def all_alerts(now: LeagueStatus) -> list[Alert]:
    """Return everything that is wrong now, with the actions for each."""
    return [case for definition in DEFINITIONS for case in definition.found_in(now)]
