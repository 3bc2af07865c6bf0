"""The sentences of bots' faults, for their authors, and why a version was put into quarantine. Pure.

Reasons are texts of the rules or of the sandbox, as they were given, or sentences.
"""

from __future__ import annotations

from django.utils.translation import gettext as _

from scorebook_games.presentation.coded_text import Sentence, sentence


@sentence
def not_ready_in_time(limit: int | str) -> str:
    """`limit` in ms."""
    return _("The bot was not ready within {limit} ms.").format(limit=limit)


@sentence
def ended_before_ready() -> str:
    return _("The bot ended before it was ready.")


@sentence
def ended_when_asked() -> str:
    return _("The bot's process ended while it was asked.")


@sentence
def no_answer_in_time(limit: int | str) -> str:
    """`limit` in ms."""
    return _("No answer came within {limit} ms.").format(limit=limit)


@sentence
def processor_time_used_up() -> str:
    return _("The bot used up its processor time.")


@sentence
def sandbox_violated() -> str:
    return _("The bot tried something that the sandbox forbids, and was stopped.")


@sentence
def answer_unreadable(reason: str) -> str:
    return _("The answer could not be read: {reason}").format(reason=reason)


@sentence
def ended_too_often(ends: int | str) -> str:
    words = _("The bot’s process ended {ends} times in this game by the bot’s own fault. It is not started again.")
    return words.format(ends=ends)


@sentence
def answer_illegal(move: str, reason: str) -> str:
    return _("The bot answered {move}, which is not legal: {reason}").format(move=move, reason=reason)


@sentence
def printed_too_much() -> str:
    return _("It printed more than 1 MiB; a bot that prints more waits for ever.")


@sentence
def violated_often(count: int) -> str:
    words = _("The bot violated the sandbox {count} times. Its list of faults names the games.")
    return words.format(count=count)


# The platform's own


@sentence
def platform_failed(reason: str) -> str:
    return _("The platform failed, not the bot: {reason}").format(reason=reason)


@sentence
def platform_failed_in_game(reason: str | Sentence) -> str:
    return _("The platform failed, not the bot: {reason} The game continues from this point.").format(reason=reason)


@sentence
def sandbox_not_ready(seat: int) -> str:
    return _("the sandbox of the bot in seat {seat} was not ready in time.").format(seat=seat + 1)


@sentence
def machine_kept_waiting(seat: int, waited: int, cpu: int, limit: int) -> str:
    """The times in ms."""
    words = _(
        "the machine kept the bot in seat {seat} waiting for {waited} ms, in which the bot computed for {cpu} "
        "ms of its {limit} ms."
    )
    return words.format(seat=seat + 1, waited=waited, cpu=cpu, limit=limit)


@sentence
def all_bots_too_slow(bots: int, cpu: int) -> str:
    """`cpu`: how long the one computed that computed most, in ms."""
    words = _("all {n} uploaded bots of the game took too long at the same time; none computed for more than {ms} ms.")
    return words.format(n=bots, ms=cpu)
