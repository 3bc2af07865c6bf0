"""The message queue: Celery with the configured broker, and the table of beat's schedule."""

from __future__ import annotations

import os
from typing import Any, Final

from celery import Celery
from celery.signals import import_modules
from kombu.transport import TRANSPORT_ALIASES

from config.broker.worker_watchdog import StalledWorkerStep

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

TRANSPORT_ALIASES["pgmq"] = "config.broker.pgmq_transport:PgmqTransport"

app = Celery("scorebook")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["games", "replays", "replays.practice", "replays.review", "tournaments"])
app.steps["worker"].add(StalledWorkerStep)

# What tasks were called in 0.1.0, whose messages may still wait in a queue. To be removed after the next release.
FORMER_TASK_NAMES: Final = {
    "games.forget_guests": "games.delete_guests",
    "games.forget_tokens": "games.delete_tokens",
    "games.tell_people": "games.notify_people",
    "tournaments.tell_clubs": "tournaments.notify_clubs",
    "tournaments.tell_webhooks": "tournaments.call_webhooks",
}


def accept_former_names(**_signal: Any) -> None:
    """Let messages with a former name of a task reach the task."""
    for former, name in FORMER_TASK_NAMES.items():
        app.tasks[former] = app.tasks[name]


import_modules.connect(accept_former_names, sender=app)

# Due work is in the database; these messages only ask for it. Two beats at once do no harm.
app.conf.task_routes = {
    "games.play": {"queue": "play"},
    "games.play_sandboxed": {"queue": "sandbox"},
    "games.send_pushes": {"queue": "hooks"},
    "replays.compute_ledgers": {"queue": "review"},  # in a queue of their own, because games come first
    "replays.find_ledgers": {"queue": "review"},
    "replays.practice": {"queue": "review"},
    "tournaments.call_webhooks": {"queue": "hooks"},  # in a queue of their own, because the receiver may hang
}
app.conf.beat_scheduler = "config.broker.beat_scheduler:Scheduler"
app.conf.beat_schedule = {
    "play games of built-in bots": {"task": "games.play", "schedule": 5.0, "options": {"expires": 5}},
    "play games of uploaded bots": {"task": "games.play_sandboxed", "schedule": 5.0, "options": {"expires": 5}},
    "check clocks": {"task": "games.tick", "schedule": 1.0, "options": {"expires": 1}},
    "find games of lost workers": {"task": "games.sweep", "schedule": 5.0, "options": {"expires": 5}},
    "send notices of turns": {"task": "games.notify_people", "schedule": 30.0, "options": {"expires": 30}},
    "send notices to devices": {"task": "games.send_pushes", "schedule": 10.0, "options": {"expires": 10}},
    "count daily figures": {"task": "games.count_days", "schedule": 10 * 60.0, "options": {"expires": 5 * 60}},
    "delete expired tokens": {
        "task": "games.delete_tokens",
        "schedule": 24 * 60 * 60.0,
        "options": {"expires": 60 * 60},
    },
    "delete expired guests": {
        "task": "games.delete_guests",
        "schedule": 24 * 60 * 60.0,
        "options": {"expires": 60 * 60},
    },
    "compute luck ledgers": {"task": "replays.compute_ledgers", "schedule": 5.0, "options": {"expires": 5}},
    "find missing luck ledgers": {
        "task": "replays.find_ledgers",
        "schedule": 24 * 60 * 60.0,
        "options": {"expires": 60 * 60},
    },
    "measure exercises and choose puzzles": {"task": "replays.practice", "schedule": 10.0, "options": {"expires": 10}},
    "check the dataset": {"task": "replays.check_dataset", "schedule": 60.0, "options": {"expires": 60}},
    "send invitations and news": {"task": "tournaments.notify_clubs", "schedule": 30.0, "options": {"expires": 30}},
    "send match reminders": {"task": "tournaments.remind", "schedule": 30.0, "options": {"expires": 30}},
    "send webhook messages": {"task": "tournaments.call_webhooks", "schedule": 5.0, "options": {"expires": 5}},
    "advance seasons": {"task": "tournaments.advance", "schedule": 2.0, "options": {"expires": 5}},
}
