"""A word to the workers that there is something to play. It only hurries them: they find their work by a query."""

from __future__ import annotations

from celery import current_app
from django.db import connection, transaction

from games.common.after_commit import after_commit

MESSAGE_EXPIRES_SECONDS = (
    60  # seconds after which the word is worth nothing, since beat says the same every few seconds
)


def wake_players() -> None:
    """Send `games.play` after this transaction's commit, once however many games it opened.

    A broker that is down costs the players a few seconds, never the transaction.
    """
    if not any(entry[1] is send_play for entry in connection.run_on_commit):
        transaction.on_commit(send_play, robust=True)


def wake_sandboxes() -> None:
    """Send `games.play_sandboxed` likewise, for games with uploaded bots and for their trials."""
    if not any(entry[1] is send_play_sandboxed for entry in connection.run_on_commit):
        transaction.on_commit(send_play_sandboxed, robust=True)


def send_play_sandboxed() -> None:
    """The message itself."""
    current_app.send_task("games.play_sandboxed", queue="sandbox", expires=MESSAGE_EXPIRES_SECONDS, retry=False)


def send_play() -> None:
    """The message itself."""
    current_app.send_task("games.play", queue="play", expires=MESSAGE_EXPIRES_SECONDS, retry=False)


def sweep_in(seconds: float) -> None:
    """Have due clocks looked at so long after this transaction's commit, which beat would do some seconds later."""
    after_commit(_sweep, seconds)


def _sweep(seconds: float) -> None:
    current_app.send_task("games.sweep", queue="short", countdown=seconds, retry=False)
