"""The terms as options: the range of each, what is usual, and a sentence of help for whoever sets up a season."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from games.engines.base import Option
from games.terms import LEAVER_POLICIES, MINUTE_MS, PACES, SIXTY_DAYS, TURNS

# One for each field of `games.terms.Terms`. A default of None stands for no clock.
TERM_OPTIONS: Final = (
    Option(
        "pace",
        "choice",
        TURNS,
        "Turns: a move counts when it is made. Beats: everybody gives their moves in secret, and a draw decides whose "
        "come first. Live: after a countdown, whoever is faster comes first; bots are not rated then.",
        choices=PACES,
    ),
    Option(
        "move_seconds",
        "int",
        None,
        "How long a person has for a move; a clock that runs out gives the game up. Leave it empty for no clock.",
        1,
        SIXTY_DAYS,
    ),
    Option(
        "leaver",
        "choice",
        "house_bot",
        "Who plays on for somebody who leaves a table of three or more: a house bot, moves by lot, or nobody, so that "
        "the game ends as it stands.",
        choices=LEAVER_POLICIES,
    ),
    Option("rated", "bool", True, "Whether the games change ratings, when their round closes."),
    Option(
        "watch_delay",
        "int",
        0,
        "How far behind the public watches, so that nobody can whisper to a player.",
        0,
        SIXTY_DAYS,
    ),
    Option(
        "sealed",
        "bool",
        False,
        "Whether log and result of a game stay closed until every game that is played with the same deal is over.",
    ),
    Option(
        "bot_pace_ms",
        "int",
        0,
        "How many milliseconds a house bot takes for a move at the least, so that people can watch; 0 is as fast as it "
        "goes.",
        0,
        MINUTE_MS,
    ),
)


def term_options(paces: Sequence[str]) -> tuple[Option, ...]:
    """`TERM_OPTIONS` for a kind that is played in `paces` (`games.paces.paces_of`), its usual one first."""
    return tuple(
        replace(option, default=paces[0], choices=tuple(paces)) if option.name == "pace" else option
        for option in TERM_OPTIONS
    )
