"""Tells the workers that there is something to play. This only hurries them; they find their work by a query."""

from __future__ import annotations

from celery import current_app
from django.db import connection, transaction

from games.common.after_commit import after_commit

MESSAGE_EXPIRES_SECONDS = (
    60  # after this many seconds the message is worthless, because beat sends the same every few seconds
)


def wake_players() -> None:
    """Send `games.play` after this transaction's commit, once however many games it opened.

    If the broker is down, players wait a few seconds, but the transaction succeeds.
    """
    if not any(entry[1] is send_play for entry in connection.run_on_commit):
        transaction.on_commit(send_play, robust=True)


def wake_sandboxes() -> None:
    """Send the task for games with uploaded bots and for their trials, after the commit in the same way."""
    if not any(entry[1] is send_play_sandboxed for entry in connection.run_on_commit):
        transaction.on_commit(send_play_sandboxed, robust=True)


def send_play_sandboxed() -> None:
    """Send the task `games.play_sandboxed`."""
    current_app.send_task("games.play_sandboxed", queue="sandbox", expires=MESSAGE_EXPIRES_SECONDS, retry=False)


def send_play() -> None:
    """Send the task `games.play`."""
    current_app.send_task("games.play", queue="play", expires=MESSAGE_EXPIRES_SECONDS, retry=False)


def sweep_in(seconds: float) -> None:
    """Let due clocks be checked this long after the commit. Beat would do it some seconds later."""
    after_commit(_sweep, seconds)


def _sweep(seconds: float) -> None:
    current_app.send_task("games.sweep", queue="short", countdown=seconds, retry=False)
