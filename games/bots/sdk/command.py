"""The command `scorebook-bot`: play, check, replay, diff, upload (docs/reference/bot-protocol.md)."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from games import __version__
from games.bots.sdk import remote, words
from games.bots.sdk.check import check
from games.bots.sdk.look import Look, looks
from games.bots.sdk.players import BotPlayer
from games.bots.sdk.process import Fault, LocalProcess
from games.bots.sdk.record import NoRecord, Recorded, exported, read
from games.bots.sdk.series import Plan, Result, play
from games.bots.sdk.upload import Unanswered, UploadRefused, make, progress, upload
from games.bots.source import BadSource, check_source
from games.engines.base import OptionError
from games.kinds import KINDS
from games.programs.builtin import BUILTIN_BOTS
from games.programs.protocol import DEFAULT_CLOCK

# Exit codes, which `--help` tells too.
WELL, FAULTY, MISUSED, REFUSED, UNKNOWN = 0, 1, 2, 3, 4
EXIT_CODES: Final = (
    "exit codes: 0 success (upload: the bot was admitted); 1 the bot has a fault, or was not admitted; "
    "2 the arguments are wrong; 3 the server refused it; "
    "4 the server did not answer, so the end is not known: look at the bot's page"
)
WRAPPER: Final = "bin/scorebook-bot"  # how the command is run in a copy of Scorebook
FORFEITS: Final = 3  # after so many games lost by faults there is nothing more to be learnt from a series
# Makes the page of an exported game, with a sentence at its top; None where there is nothing to make one with.
PageMaker = Callable[[dict[str, Any], str], str]


class Unusable(Exception):
    """Something that was asked for can't be; the text says what to do."""


def main(arguments: Sequence[str], page: PageMaker | None = None) -> int:
    """Run the command; the exit code is one of those of `EXIT_CODES`."""
    if list(arguments[:1]) == ["remote"]:  # a program of its own, which authors also copy out of here
        return remote.main(arguments[1:])
    given = parser().parse_args(arguments)
    try:
        code: int = given.run(given, page)
    except (Unusable, NoRecord, OptionError) as error:
        print(f"scorebook-bot: {error}", file=sys.stderr)
        return MISUSED
    except (Fault, BadSource) as error:
        print(f"scorebook-bot: {error}", file=sys.stderr)
        if isinstance(error, Fault):
            show(words.evidence(error), sys.stderr)
        return FAULTY
    except UploadRefused as error:
        print(f"scorebook-bot: {error}", file=sys.stderr)
        return REFUSED
    except Unanswered as error:
        print(f"scorebook-bot: {error} The server continues what was begun: see the bot's page.", file=sys.stderr)
        return UNKNOWN
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    return code


def show(lines: Iterable[str], file: Any = None) -> None:
    """Print, line by line as they come."""
    for line in lines:
        print(line, file=file, flush=True)


# -- the commands


def run_play(given: argparse.Namespace, page: PageMaker | None) -> int:
    """Games against built-in bots, a table, and what to look at."""
    plan = plan_of(given)
    clock = clock_of(given)
    results: list[Result] = []
    with closing(player_of(given.bot, given.command, clock)) as bot, suppress(KeyboardInterrupt):
        for result in play(plan, bot, given.games):
            results.append(result)
            report(results, given.games)
            if sum(each.forfeited for each in results) >= FORFEITS:
                break
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    whole = results[: len(results) // plan.seats * plan.seats]
    if not whole:
        whole = results
        print("No deal was played from all seats, so there is no table.")
    else:
        show(words.table(bot.name, plan, whole, bot.times, clock))
    if len(results) < given.games:
        print(f"stopped         after {len(results)} of {given.games} games")
    again = write_games(results, given, page)
    show(words.faults(results, again))
    return 1 if any(each.played.failures for each in results) else 0


def report(results: Sequence[Result], games: int) -> None:
    """How far it has come, for a person who watches."""
    if sys.stderr.isatty():
        print(f"\rgame {len(results)} of {games}", end="", file=sys.stderr, flush=True)


def write_games(results: Sequence[Result], given: argparse.Namespace, page: PageMaker | None) -> dict[int, str]:
    """Write games as JSON, and as pages: those with faults, then the first; by a game's number how to look again."""
    chosen = [each for each in results if each.played.failures]
    chosen += [each for each in results if not each.played.failures]
    folder = Path(given.out)
    again: dict[int, str] = {}
    for each in sorted(chosen[: given.replays], key=lambda result: result.played.number):
        folder.mkdir(parents=True, exist_ok=True)
        export = exported(each.played, datetime.now(UTC))
        file = folder / f"{given.kind}-{each.played.number}.json"
        file.write_text(json.dumps(export, indent=1))
        again[each.played.number] = f"{WRAPPER} replay {shlex.quote(str(file))} {bot_words(given)}"
        if page:
            note = "; ".join(
                f"event {failure.version}: {failure.fault}, instead {failure.cost}" for failure in each.played.failures
            )
            try:
                file.with_suffix(".html").write_text(page(export, note))
            except Exception as error:
                print(f"scorebook-bot: {file} has no page: {error!r}.", file=sys.stderr)
    if again:
        kinds = ".json and .html" if page else ".json"
        print(f"replays         {len(again)} games in {folder}/ ({given.kind}-….{kinds.removeprefix('.')})")
    return again


def run_check(given: argparse.Namespace, page: PageMaker | None) -> int:  # noqa: ARG001
    """Whether a server would take the bot."""
    kinds = [given.bot, *given.kinds] if given.command and given.bot else given.kinds
    for kind in kinds:
        check_kind(kind)
    start = starter(given.bot, given.command)
    passed = True
    for step in check(None if given.command else Path(given.bot), start, kinds, clock_of(given)):
        show(words.step(step))
        passed = passed and step.ok
    print("The bot is ready to upload." if passed else "The bot would not be admitted.")
    return 0 if passed else 1


def run_replay(given: argparse.Namespace, page: PageMaker | None) -> int:  # noqa: ARG001
    """What this version would do in a recorded game."""
    game = read(given.game, given.token)
    with closing(player_of(given.bot, given.command, clock_of(given))) as bot:
        found = list(looks(game, given.seat, [bot], given.to))
        written = bot.stderr().decode("utf-8", "replace").rstrip()
    print(f"{title(game)}, seat {given.seat} ({game.players[given.seat]})")
    shown = found[-1:] if given.to else [each for each in found if each.played != each.says[0]]
    for each in shown:
        show(words.moment(each, bot.name))
        if given.observation:
            print(f"  sees      {json.dumps(each.observed)}")
    if given.to is None:
        print(f"{len(found)} decisions: {len(found) - len(shown)} as played, {len(shown)} different")
    show(f"  stderr    {line}" for line in written.splitlines()[-12:])
    return 1 if any(isinstance(each.says[0], Fault) for each in shown) else 0


def run_diff(given: argparse.Namespace, page: PageMaker | None) -> int:  # noqa: ARG001
    """Where two versions decide otherwise in recorded games."""
    found: list[tuple[str, Look]] = []
    for source in given.games:
        game = read(source, given.token)
        seats = range(len(game.players)) if given.seat is None else [given.seat]
        for seat in seats:
            bots = [player_of(file, None, clock_of(given)) for file in (given.one, given.other)]
            try:
                found += [(game.id, each) for each in looks(game, seat, bots)]
            finally:
                for bot in bots:
                    bot.close()
    show(words.differences(found, [Path(given.one).name, Path(given.other).name]))
    return 0


def run_upload(given: argparse.Namespace, page: PageMaker | None) -> int:  # noqa: ARG001
    """A new version on a server, and how it fares in admission."""
    file = Path(given.bot)
    if file.is_symlink():
        raise Unusable(
            f"{file} is a link to {file.resolve()}. Name the file itself, so that you do not send another one."
        )
    try:
        source = file.read_bytes()
    except OSError as error:
        raise Unusable(f"{file} can't be read: {error.strerror}.") from error
    check_source(source)
    token = given.token or os.environ.get("SCOREBOOK_TOKEN", "")
    if not token:
        raise Unusable("A token of your account is needed: --token …, or SCOREBOOK_TOKEN in the environment.")
    if given.new:
        make(given.server, given.name, token)
    made = upload(given.server, given.name, token, source)
    print(f"{given.name} version {made['number']} is in admission: {made['admission']}")
    told: dict[str, str] = {}
    said: dict[str, Any] = {}
    for said in progress(made["admission"], token):
        for step in said.get("steps", []):
            line = "  ".join(str(value) for value in step.values() if value not in (None, "", [], {}))
            if told.get(str(step.get("name"))) != line:
                told[str(step.get("name"))] = line
                print(f"  {line}", flush=True)
    for fault in said.get("faults", []):
        print(f"  fault: {json.dumps(fault) if isinstance(fault, dict) else fault}")
    print(f"Admission says: {said.get('state')}.")
    return 0 if said.get("state") == "passed" else 1


# -- what was asked for


def plan_of(given: argparse.Namespace) -> Plan:
    """The series that is asked for. Raises `Unusable` and `OptionError`."""
    check_kind(given.kind)
    spec = KINDS[given.kind].spec
    against = given.against.split(",")
    for program in against:
        if program not in BUILTIN_BOTS:
            raise Unusable(f"There is no built-in bot {program!r}. The built-in bots are {', '.join(BUILTIN_BOTS)}.")
    seats = given.seats or max(spec.seats_min, len(against) + 1)
    if len(against) == 1:
        against *= seats - 1
    if len(against) != seats - 1:
        names = f"{seats - 1} names, or one for all of them"
        raise Unusable(f"{seats} seats take {names}; --against has {len(against)}.")
    if given.games < 1:
        raise Unusable("At least one game must be played: --games 1.")
    options = dict(map(option, given.option))
    KINDS[given.kind].resolve(seats, options)
    return Plan(given.kind, tuple(against), options, given.first)


def check_kind(kind: str) -> None:
    """Raise `Unusable` unless there is such a kind of game."""
    if kind not in KINDS:
        raise Unusable(f"There is no kind of game {kind!r}. The kinds are {', '.join(sorted(KINDS))}.")


def option(text: str) -> tuple[str, Any]:
    """`packs=2` as a name and a value."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def clock_of(given: argparse.Namespace) -> dict[str, int]:
    """The clock of each game."""
    return {name: getattr(given, name) for name in DEFAULT_CLOCK}


def starter(bot: str | None, command: str | None) -> Callable[[int], LocalProcess]:
    """What starts the bot. Raises `Unusable`."""
    if command:
        return lambda _seed: LocalProcess(shlex.split(command), limited=False)
    if not bot or not Path(bot).is_file():
        raise Unusable(f"There is no file {bot}." if bot else "Name the file of the bot, or use --command.")
    return lambda seed: LocalProcess.start(Path(bot), seed)


def player_of(bot: str | None, command: str | None, clock: dict[str, int]) -> BotPlayer:
    """The bot in a seat."""
    name = Path(bot).name if bot and not command else Path(shlex.split(command or "bot")[-1]).name
    return BotPlayer(name, starter(bot, command), clock)


def bot_words(given: argparse.Namespace) -> str:
    """How the same bot is named in another command."""
    return f"--command {shlex.quote(given.command)}" if given.command else f"--bot {shlex.quote(given.bot)}"


def title(game: Recorded) -> str:
    """`Palace local-3`."""
    return f"{KINDS[game.opened['kind']].spec.title} {game.id}"


def parser() -> argparse.ArgumentParser:
    """What may be asked for."""
    made = argparse.ArgumentParser(
        prog="scorebook-bot", description="Test a bot on your own machine, and upload it.", epilog=EXIT_CODES
    )
    made.add_argument("--version", action="version", version=f"scorebook-bot {__version__}")
    verbs = made.add_subparsers(required=True, metavar="play | check | replay | diff | upload | remote")

    verb = verbs.add_parser("play", help="play games against built-in bots")
    positional_bot(verb)
    verb.add_argument("kind", help=f"one of {', '.join(sorted(KINDS))}")
    verb.add_argument("--against", default="sensible", help=f"{', '.join(BUILTIN_BOTS)}; several separated by commas")
    verb.add_argument("--games", type=int, default=100, help="rounded up to whole deals, each played from every seat")
    verb.add_argument("--seats", type=int, default=0, help="number of players; default: the minimum")
    verb.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the kind")
    verb.add_argument("--first", type=int, default=0, help="number of the first deal")
    verb.add_argument("--replays", type=int, default=10, help="number of games to save, those with faults first")
    verb.add_argument("--out", default="bot-games", help="folder for the saved games")
    finish(verb, run_play)

    verb = verbs.add_parser("check", help="check whether a server would admit the bot")
    positional_bot(verb)
    verb.add_argument("kinds", nargs="*", help="kinds of games; default: those that the bot plays")
    finish(verb, run_check)

    verb = verbs.add_parser("replay", help="ask the bot again for its moves in a recorded game")
    verb.add_argument("game", help="a downloaded JSON export, or a game's whole address, https://…")
    verb.add_argument("--seat", type=int, required=True)
    verb.add_argument("--to", type=int, help="event number; default: all decisions")
    verb.add_argument("--bot", help="the bot's file")
    verb.add_argument("--command", help="or the command that runs it")
    verb.add_argument("--token", default="", help="a token with the right to read the game, if it is not public")
    verb.add_argument("--observation", action="store_true", help="print what the seat sees, too")
    finish(verb, run_replay)

    verb = verbs.add_parser("diff", help="show where two versions decide differently in recorded games")
    verb.add_argument("one")
    verb.add_argument("other")
    verb.add_argument("games", nargs="+", help="JSON exports, or games' addresses")
    verb.add_argument("--token", default="", help="a token with the right to read the games, if they are not public")
    verb.add_argument("--seat", type=int)
    finish(verb, run_diff)

    verb = verbs.add_parser("upload", help="upload it as a new version, and watch admission", epilog=EXIT_CODES)
    verb.add_argument("bot")
    verb.add_argument("--name", required=True, help="name of the bot on the server")
    verb.add_argument("--server", required=True, help="address of the server, https://…")
    verb.add_argument("--token", default="", help="default: SCOREBOOK_TOKEN in the environment")
    verb.add_argument("--new", action="store_true", help="create the bot first; otherwise it must exist")
    verb.set_defaults(run=run_upload)

    verbs.add_parser("remote", help="play over HTTP with a bot on this machine; see remote --help", add_help=False)
    return made


def positional_bot(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("bot", nargs="?", help="the bot's file")
    verb.add_argument("--command", help="command that runs a bot in another language: --command 'node bot.js'")


def finish(verb: argparse.ArgumentParser, run: Callable[[argparse.Namespace, PageMaker | None], int]) -> None:
    for name, value in DEFAULT_CLOCK.items():
        verb.add_argument(f"--{name.replace('_', '-')}", type=int, default=value, metavar="MS")
    verb.set_defaults(run=run)
