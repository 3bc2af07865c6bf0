"""What a page asks of the interpreter in its worker: JSON in, JSON out (frontend/src/lab).

A request to play has `kind`, `source`, `against` (a list of built-in bots' names or of objects with a `name` and a
`source`), `seat`, `deal`, `options` and `clock`; `python_minor` is the server's Python, in whose sandbox the file will
play. Built-in bots draw their randomness from the deal, so an equal request gives an equal game, also under CPython.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from gettext import GNUTranslations, NullTranslations
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

import scorebook_games
from scorebook_games import text
from scorebook_games.analysis.comparison import EVEN, Bounds, SequentialTest, rounded, share_of_bets
from scorebook_games.bots.process import Fault
from scorebook_games.bots.protocol import DEFAULT_CLOCK
from scorebook_games.bots.source import BadSource, check_source
from scorebook_games.cli import series
from scorebook_games.cli.look import looks
from scorebook_games.cli.record import NoRecord, exported, recorded
from scorebook_games.cli.replay_data import facts_of, replay_of, viewpoint_text, viewpoints_of
from scorebook_games.cli.table import Failure, Played
from scorebook_games.contract import OptionError
from scorebook_games.gamelog.events import BEAT, RecordedEvent
from scorebook_games.lab.hashes import complete_hashlib
from scorebook_games.lab.older import newer_than
from scorebook_games.lab.table import FilePlayer, Note, ResumedTable, WatchedBuiltIn
from scorebook_games.lab.words import words_of
from scorebook_games.luck.ledger import NoLedger, ledger_of
from scorebook_games.moment import Analysis
from scorebook_games.presentation.base import MoverView
from scorebook_games.registry import KINDS
from scorebook_games.review import NoReview

complete_hashlib()

Request = Mapping[str, Any]
Send = Callable[[str], None]
MAX_FAULTS_SHOWN: Final = 5
MINE: Final = "bot.py"  # the name of the edited file in results
LUCK_PLACES: Final = 6  # digits of a gain, as the server stores them


def use_language(language: str) -> None:
    """Have all words of this interpreter in a language, as far as there are catalogues of it; else in English."""
    found: NullTranslations | None = None
    for path in sorted(Path(scorebook_games.__file__).parent.rglob(f"locale/{language}/LC_MESSAGES/django.mo")):
        with path.open("rb") as file:
            catalogue = GNUTranslations(file)
        if found:
            catalogue.add_fallback(found)
        found = catalogue
    if found:
        text.use_translations(text.Translations(found.gettext, found.ngettext))


class Posts:
    """Sends the page what goes on (`Watcher`): `["asking", seat, version, limit_ms, events, faults]`, `["answered",
    note]` and `["heard", text]`. Events, faults and what is printed are sent once, and only for a single game, which is
    the `table`: with them it can be resumed."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.table: ResumedTable | None = None
        self.events = self.faults = 0  # how many have been sent

    def watch(self, table: ResumedTable) -> None:
        """Send what happens from now on at a table."""
        self.table = table
        self.events, self.faults = len(table.entries), len(table.failures)

    def asking(self, seat: int, version: int, limit_ms: int, entries: Sequence[RecordedEvent]) -> None:
        events = [[entry.ms, entry.event] for entry in entries[self.events :]] if self.table else []
        faults = [fault_data(failure) for failure in self.table.failures[self.faults :]] if self.table else []
        self.events += len(events)
        self.faults += len(faults)
        self.send(json.dumps(["asking", seat, version, limit_ms, events, faults]))

    def answered(self, note: Note | None) -> None:
        self.send(json.dumps(["answered", note_data(note) if note and self.table else None]))

    def heard(self, text: str) -> None:
        if self.table:
            self.send(json.dumps(["heard", text]))


def words(asked: Request, _send: Send) -> list[dict[str, str]]:
    """Return the words of the SDK and of a kind's observations, for completion."""
    return words_of(asked["kind"])


def play(asked: Request, send: Send) -> dict[str, Any]:
    """Play one game; return it with its replay from the bot's seat, what was printed, the faults, and what the server's
    Python will refuse.

    With `resume` the game goes on after its `events` and `faults`; the last one is that of the bot that hung.
    """
    posts = Posts(send)
    kind, seat = asked["kind"], asked["seat"]
    seed = series.deal_seed(kind, asked["deal"])
    mine = file_player(MINE, asked["source"], asked, posts)
    players: list[Any] = [
        WatchedBuiltIn(each, seed, posts) if isinstance(each, str) else other_player(each, asked, posts)
        for each in asked["against"]
    ]
    players.insert(seat, mine)
    number = asked["deal"] * len(players) + seat  # as in a series from the first deal on
    table = ResumedTable(kind, players, asked["options"], seed, number)
    if given := asked.get("resume"):
        table.resume(given["events"], [failure_of(each) for each in given["faults"]])
    posts.watch(table)
    began = datetime.now(UTC)
    played = table.play()
    export = exported(played, began)
    entries = recorded(export).entries
    notes = [note for player in players if isinstance(player, FilePlayer) for note in player.notes]
    return {
        "export": export,
        "replay": replay_of(facts_of(export, entries), entries, seat),
        "notes": [note_data(note) for note in sorted(notes, key=lambda note: note.version)],
        "faults": [fault_data(failure) for failure in played.failures],
        "newer": newer_words(asked),
        "times": {"asks": mine.times.asks, "most_ms": round(max(mine.times.wall, default=0.0), 1)},
    }


def newer_words(asked: Request) -> dict[str, Any] | None:
    """Return which line of the edited file the server's Python will refuse, and why."""
    found = newer_than(asked["source"].encode(), asked["python_minor"]) if "python_minor" in asked else None
    return found._asdict() if found else None


def view(asked: Request, _send: Send) -> dict[str, Any]:
    """Return the replay of an exported game from a viewpoint."""
    game = recorded(asked["export"])
    viewer = next(each for each in viewpoints_of(len(game.players)) if viewpoint_text(each) == asked["viewpoint"])
    return replay_of(facts_of(asked["export"], game.entries), game.entries, viewer)


def decide(asked: Request, send: Send) -> dict[str, Any]:
    """Ask the bot at every decision of a seat in an exported game, up to the version `to`. Return how often it was
    `asked`, where it would play something else, and what it says and prints at `to`. What was played at a decision are
    the events after its `version`, up to `until`."""
    player = file_player(MINE, asked["source"], asked, Posts(send))
    game = recorded(asked["export"])
    beats = [entry.version for entry in game.entries if entry.event[0] == BEAT]
    differing, last, count = [], None, 0
    for count, look in enumerate(looks(game, asked["seat"], [player], asked["to"]), 1):  # noqa: B007
        (says,) = look.says
        ends = [version - 1 for version in beats if version > look.version + 1] or [len(game.entries)]
        last = {
            "version": look.version,
            "until": ends[0] if beats else look.version + 1,
            "played": look.played,
            "legal": look.legal,
            "says": None if isinstance(says, Fault) else says,
            "fault": fault_words(says) if isinstance(says, Fault) else None,
        }
        if says != look.played:
            differing.append(last)
    return {"asked": count, "last": last, "differing": differing, "notes": [note_data(note) for note in player.notes]}


def luck(asked: Request, _send: Send) -> dict[str, Any]:
    """Return the entries of an exported game's luck ledger, as the API writes them."""
    game = recorded(asked["export"])
    made = ledger_of((entry.event for entry in game.entries), KINDS[game.opened["kind"]].usable_value)
    return {
        "entries": [
            {
                "version": entry.version,
                "sort": entry.sort,
                "seat": entry.seat,
                "gains": [round(gain, LUCK_PLACES) + 0.0 for gain in entry.gains],  # no −0.0
                "usual": list(entry.usual),
            }
            for entry in made.entries
        ]
    }


class Series:
    """A series of games, played deal by deal until the sequential test has decided."""

    def __init__(self, asked: Request, send: Send) -> None:
        posts = Posts(send)
        against = tuple(
            each if isinstance(each, str) else other_player(each, asked, posts) for each in asked["against"]
        )
        bounds = Bounds(*asked["bounds"]) if "bounds" in asked else Bounds()
        ledgers = asked.get("luck_ledgers", False)
        self.plan = series.Plan(asked["kind"], against, asked["options"], asked["deal"], bounds, ledgers)
        self.test = SequentialTest(bounds)
        mine = file_player(MINE, asked["source"], asked, posts)
        self.results: Iterator[series.Result] = series.play(self.plan, mine, asked["games"])
        self.games = self.forfeits = 0
        self.wins = 0.0
        self.faults: list[dict[str, Any]] = []

    def step(self) -> str:
        """Play one deal from every seat; return how the series stands, or why it cannot go on. It is `over` after the
        last deal."""
        return answered(self._step)

    def _step(self) -> dict[str, Any]:
        deal = list(islice(self.results, self.plan.seats))
        if len(deal) == self.plan.seats:
            self.games += len(deal)
            for result in deal:
                self._count(result)
            self.test.add(series.deal_results(deal, self.plan.seats)[0])
        share = share_of_bets(self.test.bets)
        known = bool(share.deals)
        return {
            "games": self.games,
            "deals": share.deals,
            "share": share.share if known else EVEN,
            "low": share.low if known else 0.0,
            "high": share.high if known else 1.0,
            "wins": self.wins,
            "evidence": rounded(self.test.evidence),
            "verdict": self.test.verdict,
            "faults": self.faults,
            "forfeits": self.forfeits,
            "over": len(deal) < self.plan.seats or self.test.verdict is not None,
        }

    def _count(self, result: series.Result) -> None:
        played: Played = result.played
        self.wins += result.win_share
        mine = [failure for failure in played.failures if failure.seat == result.seat]
        self.forfeits += result.seat in played.fold.left
        if mine and len(self.faults) < MAX_FAULTS_SHOWN:
            deal = self.plan.first + played.number // self.plan.seats
            self.faults.append({"deal": deal, **fault_data(mine[0])})


class MomentAnalysis:
    """The analysis of a moment of an exported game, step by step (`scorebook_games.moment`)."""

    def __init__(self, asked: Request, _send: Send) -> None:
        game = recorded(asked["export"])
        self.names = game.players
        self.made = Analysis((entry.event for entry in game.entries), asked["seat"], asked["version"])

    def step(self) -> str:
        """Work on; return the analysis with its moves in words, or why it cannot go on. It is `over` after the last
        step."""
        return answered(self._step)

    def _step(self) -> dict[str, Any]:
        self.made.step()
        found = self.made.plain()
        label = KINDS[found["kind"]].presentation.move_label
        view = MoverView(self.made.at.seen, found["seat"], self.names)
        return {**found, "words": {each["move"]: label(each["move"], view).words for each in found["moves"]}}


def file_player(name: str, source: str, asked: Request, posts: Posts) -> FilePlayer:
    """Return the player of a file, with the clock of the request. Raises `BadSource`."""
    data = source.encode("utf-8", "surrogatepass")
    check_source(data)
    return FilePlayer(name, data, {**DEFAULT_CLOCK, **asked.get("clock", {})}, posts)


def other_player(given: Request, asked: Request, posts: Posts) -> FilePlayer:
    """Return the player of an opponent's file, whose name is not that of the edited file. Raises `BadSource`."""
    name = given["name"]
    return file_player(f"{MINE} (2)" if name == MINE else name, given["source"], asked, posts)


def note_data(note: Note) -> dict[str, Any]:
    """Return what a bot printed as JSON data."""
    return {"seat": note.seat, "version": note.version, "text": note.text}


def fault_words(fault: Fault) -> dict[str, Any]:
    """Return a fault as JSON data."""
    output = fault.stderr.decode("utf-8", "replace")
    return {
        "kind": fault.kind,
        "reason": fault.evidence.get("reason", ""),
        "evidence": fault.evidence,
        "output": output,
    }


def fault_data(failure: Failure) -> dict[str, Any]:
    """Return a fault in a game as JSON data, with what was played instead."""
    return {"seat": failure.seat, "version": failure.version, "cost": failure.cost, **fault_words(failure.fault)}


def failure_of(data: Request) -> Failure:
    """Return the fault that `fault_data` wrote."""
    fault = Fault(data["kind"], dict(data["evidence"]), data["output"].encode())
    return Failure(data["seat"], data["version"], fault, data["cost"])


ACTS: Final[dict[str, Callable[[Request, Send], Any]]] = {
    "words": words,
    "play": play,
    "view": view,
    "decide": decide,
    "luck": luck,
}


class LongWork(Protocol):
    """Work that is done step by step, so that it can be stopped."""

    def step(self) -> str:
        """Work on; return how it stands as JSON: an object with `over`, or `refused`."""


LONG_ACTS: Final[dict[str, Callable[[Request, Send], LongWork]]] = {"series": Series, "analyse": MomentAnalysis}


def ask(act: str, request: str, send: Send) -> str:
    """Carry out one of `ACTS`. Return its answer, or `{"refused": {…}}` with the reason why it cannot be done."""
    return answered(lambda: ACTS[act](json.loads(request), send))


def begin(act: str, request: str, send: Send) -> LongWork | str:
    """Return one of `LONG_ACTS` that has not begun, or why it cannot."""
    made: list[LongWork] = []
    refused = answered(lambda: made.append(LONG_ACTS[act](json.loads(request), send)))
    return made[0] if made else refused


def answered(act: Callable[[], Any]) -> str:
    """Return what `act` returns as JSON, or the reason why it cannot be done."""
    try:
        return json.dumps(act())
    except Fault as fault:
        return json.dumps({"refused": {"bot": fault.bot, **fault_words(fault)}})
    except (BadSource, OptionError, NoRecord, NoReview, NoLedger) as error:
        return json.dumps({"refused": {"kind": "request", "reason": str(error), "output": ""}})
