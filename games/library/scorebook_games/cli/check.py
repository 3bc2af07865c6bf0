"""Checks whether a bot would pass a server's admission: its file, its protocol, and games of every kind it plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scorebook_games.bots.conversation import hello_to_seat
from scorebook_games.bots.process import BotProcess, Fault
from scorebook_games.bots.protocol import START_TIMEOUT_MS, BadReply, Ready, encode_line, parse_ready, shortened
from scorebook_games.bots.source import BadSource, check_source
from scorebook_games.cli.players import BotPlayer
from scorebook_games.cli.series import Plan, percentile, play
from scorebook_games.cli.table import opening
from scorebook_games.gamelog.fold import Fold
from scorebook_games.registry import KINDS

Start = Callable[[int], BotProcess]
SALT: Final = bytes(16)


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One step of a check. `fault` says why it failed, or is None."""

    name: str
    ok: bool
    sentence: str
    fault: Fault | None = None


def check(file: Path | None, start: Start, kinds: Sequence[str], clock: dict[str, int]) -> Iterator[CheckStep]:
    """Yield the steps of a check until one fails.

    `file` is None for a bot that is only a command. `kinds` are the kinds to check; () means those that the bot says it
    plays.
    """
    if file is not None:
        step = check_file(file)
        yield step
        if not step.ok:
            return
    step, ready = check_hello(start, clock, kinds)
    yield step
    if ready is None:
        return
    for kind in kinds or ready.kinds or sorted(KINDS):
        for seats in seats_of(kind):
            step = check_games(start, clock, kind, seats)
            yield step


def check_file(file: Path) -> CheckStep:
    """Check the file as an upload does."""
    try:
        source = file.read_bytes()
        check_source(source)
    except BadSource as bad:
        return CheckStep("file", False, bad.sentence)
    except OSError as error:
        return CheckStep("file", False, f"{file} can't be read: {error.strerror}.")
    return CheckStep("file", True, f"{len(source)} bytes of UTF-8")


def check_hello(start: Start, clock: dict[str, int], kinds: Sequence[str]) -> tuple[CheckStep, Ready | None]:
    """Check that the bot starts and answers hello, and which kinds it says it plays."""
    kind = kinds[0] if kinds else sorted(KINDS)[0]
    fold = Fold(opening(kind, KINDS[kind].spec.seats_min, {}, SALT, SALT))
    try:
        with closing(start(1)) as process:
            answer = process.ask(
                encode_line(hello_to_seat(fold, 0, 1, clock)), wall_ms=START_TIMEOUT_MS, cpu_ms=START_TIMEOUT_MS
            )
            ready = parse_ready(answer.line)
    except Fault as fault:
        return CheckStep("protocol", False, str(fault), fault), None
    except BadReply as bad:
        return CheckStep("protocol", False, bad.reason), None
    unknown = sorted(set(ready.kinds) - KINDS.keys())
    if unknown:
        named = shortened(", ".join(unknown))
        return CheckStep("protocol", False, f"The bot says that it plays {named}, which does not exist."), None
    plays = ", ".join(ready.kinds) or "every kind"
    return CheckStep("protocol", True, f"ready in {answer.wall_ms:.0f} ms, plays {plays}"), ready


def seats_of(kind: str) -> list[int]:
    """Return the smallest and the largest number of seats of a kind."""
    spec = KINDS[kind].spec
    return sorted({spec.seats_min, spec.seats_max})


def check_games(start: Start, clock: dict[str, int], kind: str, seats: int) -> CheckStep:
    """Check one game from every seat against the built-in bot "random": no fault may occur."""
    bot = BotPlayer("bot", start, clock)
    name = f"{kind}, {seats} seats"
    try:
        for result in play(Plan(kind, ("random",) * (seats - 1), {}), bot, seats):
            for failure in result.played.failures:
                return CheckStep(name, False, f"event {failure.version}: {failure.fault}", failure.fault)
        if stray := bot.unasked():
            return CheckStep(name, False, f"The bot wrote a line without a request: {stray[:80]!r}")
    except Fault as fault:
        return CheckStep(name, False, str(fault), fault)
    finally:
        bot.close()
    wall = bot.times.wall
    times = f"median {percentile(wall, 50):.2f} ms, maximum {percentile(wall, 100):.1f} ms"
    return CheckStep(name, True, f"{seats} games, {len(wall)} requests, {times}")
