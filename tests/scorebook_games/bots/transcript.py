"""The transcripts in docs/reference/bot-transcripts.md: what really passes between a table and a bot in a game of each
kind.

`python -m tests.scorebook_games.bots.transcript` writes them anew; look at the diff before committing it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from scorebook_games.bots.conversation import Conversation, begin_conversation, choose_moves
from scorebook_games.bots.protocol import DEFAULT_CLOCK
from scorebook_games.bots.sdk.scorebook_bot import Bot, Session
from scorebook_games.cli.players import BuiltInPlayer
from scorebook_games.cli.table import Table
from scorebook_games.contract import Outcome
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.visibility import outcome_data

DOCUMENT: Final = Path(__file__).resolve().parents[3] / "docs" / "reference" / "bot-transcripts.md"
SEED: Final = bytes(range(32))
# The second ask shows events; of Plate Spinner the bundle that is asked for in parts.
ASKS: Final = {"chinese_ten": 2, "palace": 2, "plate_spinner": 3, "plates": 2, "platinum_fish": 2}


class Lot(Bot):
    """A bot that plays random moves, and assigns dice whenever it can."""

    def move(self, view: Any, legal: list[str]) -> str:
        assigns = [move for move in legal if move.startswith("assign")]
        return str(view.random.choice(assigns or legal))


class Heard:
    """A player that records every line."""

    name = "lot"

    def __init__(self) -> None:
        self.session = Session(Lot)
        self.lines: list[tuple[str, dict[str, Any]]] = []
        self.talk = Conversation(0)

    def begin(self, fold: Fold, seat: int, seed: int) -> None:
        self.talk, _ = begin_conversation(fold, seat, seed, DEFAULT_CLOCK, self.exchange)

    def choose(self, fold: Fold, entries: list[RecordedEvent]) -> list[str]:
        return choose_moves(
            self.talk, fold, entries, lambda: DEFAULT_CLOCK["move_ms"] + DEFAULT_CLOCK["bank_ms"], self.exchange
        )

    def end(self, outcome: Outcome) -> None:
        self.lines.append(("→", {"type": "over", "outcome": outcome_data(outcome)}))

    def exchange(self, line: bytes) -> bytes:
        data = json.loads(line)
        reply = self.session.answer(data)
        assert reply
        self.lines += [("→", data), ("←", reply)]
        return json.dumps(reply).encode()


def transcript(kind: str) -> str:
    """Return the first lines and the last lines of a game of two."""
    heard = Heard()
    Table(kind, [heard, BuiltInPlayer("random", SEED)], {}, SEED, 0).play()  # type: ignore[list-item]
    first = heard.lines[: 2 + 2 * ASKS[kind]]
    return "\n".join([*shown(first), "  …", *shown(heard.lines[-1:])])


def shown(lines: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """Yield lines as in the document, with long ones wrapped."""
    for arrow, line in lines:
        text = json.dumps(line, separators=(", ", ": "))
        yield "\n".join(wrap(text, 118, initial_indent=f"{arrow} ", subsequent_indent="    ", break_on_hyphens=False))


def written(document: str) -> str:
    """Return the document with new transcripts."""

    def made(match: re.Match[str]) -> str:
        return f"<!-- transcript {match[1]} -->\n```\n{transcript(match[1])}\n```\n<!-- end -->"

    return re.sub(r"<!-- transcript (\w+) -->\n.*?<!-- end -->", made, document, flags=re.DOTALL)


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text()))
