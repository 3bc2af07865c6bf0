"""Write a bot for Scorebook: copy this one file beside yours. It needs Python 3.11 or newer and nothing else.

    import scorebook_bot

    class Bot(scorebook_bot.Bot):
        kinds = ("palace",)

        def move(self, view, legal):
            return legal[0]

    if __name__ == "__main__":
        scorebook_bot.run(Bot)

Only a class `Bot` with a method `move` is needed. You need not derive it from `scorebook_bot.Bot`, nor write the last
two lines. The output of `print` goes to the standard error, which you can read on your bot's page; the standard output
is for the protocol (docs/reference/bot-protocol.md).
"""

from __future__ import annotations

import json
import os
import random
import runpy
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

PROTOCOL = 1


class View:
    """What your seat knows when it is asked for a move.

    - kind, seat, seats, options, rules_version, clock, seed: as in the game's hello
    - version, beat: what is asked for, a move at this version or the bundle of this beat; the other one is None
    - after: the moves of this beat's bundle that you have already given
    - observation: the position as you may know it; ``view["hand"]`` is ``view.observation["hand"]``
    - events: what happened since your last request, without what you may not see
    - history: all events of the game so far
    - clock_ms: how many ms your answer may take
    - random: a random source of your own; the same request gets the same draws, so a game can be repeated
    """

    def __init__(self, hello: Mapping[str, Any]) -> None:
        self.kind: str = hello["kind"]
        self.seat: int = hello["seat"]
        self.seats: int = hello["seats"]
        self.options: dict[str, Any] = hello["options"]
        self.rules_version: int = hello["rules_version"]
        self.clock: dict[str, int] = hello["clock"]
        self.seed: int = hello["seed"]
        self.version: int | None = None
        self.beat: int | None = None
        self.after: list[str] = []
        self.observation: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []
        self.history: list[dict[str, Any]] = []
        self.clock_ms = 0
        self.random = random.Random(self.seed)

    def update(self, asked: Mapping[str, Any]) -> None:
        """Take over the contents of a request."""
        self.version = asked.get("version")
        self.beat = asked.get("beat")
        self.after = asked.get("after", [])
        self.observation = asked.get("observation") or {}
        self.events = asked["events"]
        self.history += self.events
        self.clock_ms = asked["clock_ms"]
        self.random = random.Random(f"{self.seed}/{self.version}/{self.beat}/{len(self.after)}")

    def __getitem__(self, name: str) -> Any:
        return self.observation[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return a part of the observation, or `default`."""
        return self.observation.get(name, default)


class Bot:
    """Plays one game. A new instance is made for each game."""

    kinds: Sequence[str] = ()  # the kinds of game that it plays; () means all
    want: Sequence[str] = ("observation", "events")  # leave out what you don't use: requests get faster

    def start(self, view: View) -> None:
        """Called when a game begins; `view` has no position yet."""

    def move(self, view: View, legal: list[str]) -> str:
        """Return one of `legal`. If the last one is a roll of all your dice, you may also roll some of them."""
        raise NotImplementedError("Write the method move(self, view, legal), which returns one of legal.")

    def bundle(self, view: View, legal: dict[str, Any]) -> list[str] | Part:
        """Return the moves for one beat; the last one ends the bundle.

        By default it calls `move` for one move after the other.

        A list is the whole bundle. A `Part` is its beginning, and you are asked again for the next moves.
        """
        return bundle_by_move(self, view, legal)

    def over(self, outcome: dict[str, Any]) -> None:
        """Called when the game has ended.

        `outcome` has `termination`, and `scores` and `placings` with one entry a seat.
        """


class Part(list[str]):
    """The first moves of a bundle. The table plays them only for you and asks for the next ones."""


def moves_in(legal: Mapping[str, Any]) -> list[str]:
    """Return the moves that a bundle may begin with, from their description. A roll of all your dice comes last."""
    moves = [*legal["assign"], *legal["moves"]]
    moves += [word for word in ("grab", "finish") if legal[word]]
    return [*moves, f"roll {legal['dice']}"] if legal["roll"] else moves


def bundle_by_move(bot: Any, view: View, legal: Mapping[str, Any]) -> list[str] | Part:
    """Return the move that `bot.move` chooses: as a `Part` if the bundle goes on after it, else as the whole bundle."""
    chosen = bot.move(view, moves_in(legal))
    return Part([chosen]) if chosen in legal["assign"] else [chosen]


# -- the loop


class Session:
    """Answers the lines of one game after another, each game with a new bot."""

    def __init__(self, bot_class: type) -> None:
        self.bot_class = bot_class
        self.bot: Any = None
        self.view: View | None = None

    def answer(self, line: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a line; None if it needs no answer or its type is unknown."""
        if line["type"] == "hello":
            return self.hello(line)
        if self.view is None:
            return None
        if line["type"] == "move":
            return self.move(self.view, line)
        if line["type"] == "bundle":
            return self.bundle(self.view, line)
        if line["type"] == "over" and hasattr(self.bot, "over"):
            self.bot.over(line["outcome"])
        return None

    def hello(self, line: Mapping[str, Any]) -> dict[str, Any]:
        if line["protocol"] != PROTOCOL:
            raise RuntimeError(
                f"This scorebook_bot.py speaks protocol {PROTOCOL}, but the server speaks protocol {line['protocol']}."
            )
        kinds = list(getattr(self.bot_class, "kinds", ()))
        if not kinds or line["kind"] in kinds:
            self.view = View(line)
            self.bot = self.bot_class()
            if hasattr(self.bot, "start"):
                self.bot.start(self.view)
        want = list(getattr(self.bot_class, "want", Bot.want))
        return {"type": "ready", "protocol": PROTOCOL, "want": want, "kinds": kinds}

    def move(self, view: View, line: Mapping[str, Any]) -> dict[str, Any]:
        view.update(line)
        return {"move": _text(self.bot.move(view, line["legal"]), "move"), "version": line["version"]}

    def bundle(self, view: View, line: Mapping[str, Any]) -> dict[str, Any]:
        view.update(line)
        bundle_method = getattr(self.bot, "bundle", None)
        moves = bundle_method(view, line["legal"]) if bundle_method else bundle_by_move(self.bot, view, line["legal"])
        if not isinstance(moves, list):
            raise TypeError(f"bundle() returned {moves!r}, which is not a list of moves.")
        reply = {"moves": [_text(move, "bundle") for move in moves], "beat": line["beat"]}
        return {**reply, "more": True} if isinstance(moves, Part) else reply


def _text(move: Any, method: str) -> str:
    if not isinstance(move, str):
        raise TypeError(f"{method}() returned {move!r}, which is not a move. A move is a text, one of those in legal.")
    return move


def find_bot(names: Mapping[str, Any]) -> type:
    """Return the class `Bot` among the names of a bot's file.

    Raises LookupError if there is none with a method `move`.
    """
    found = names.get("Bot")
    if not isinstance(found, type):
        raise LookupError("The file has no class Bot.")
    if found is Bot or not callable(getattr(found, "move", None)):
        raise LookupError("The class Bot has no method move(self, view, legal).")
    return found


def serve(bot_class: type, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Answer each line until there are no more."""
    session = Session(bot_class)
    for line in incoming:
        reply = session.answer(json.loads(line))
        if reply is not None:
            outgoing.write(json.dumps(reply, separators=(",", ":")).encode("ascii") + b"\n")
            outgoing.flush()


def own_output() -> BinaryIO:
    """Return the standard output for use by the protocol only.

    Everything else printed then goes to the standard error.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(kept, "wb")


def run(bot_class: type, prepare: Callable[[], BinaryIO] = own_output) -> None:
    """Play. This is the last line of a bot's file."""
    serve(bot_class, sys.stdin.buffer, prepare())


def main(arguments: Sequence[str] | None = None) -> None:
    """``python scorebook_bot.py mybot.py [SEED]``: play with the class `Bot` of a file that does not end with `run`.

    `random` is seeded with SEED before the file runs, as on the server.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) not in (1, 2) or not all(each.isdecimal() for each in given[1:]):
        raise SystemExit("Name the file of the bot: python scorebook_bot.py mybot.py")
    if len(given) == 2:
        random.seed(int(given[1]))
    sys.modules.setdefault("scorebook_bot", sys.modules[__name__])
    outgoing = own_output()
    serve(find_bot(runpy.run_path(given[0], run_name="bot")), sys.stdin.buffer, outgoing)


if __name__ == "__main__":
    main()
