"""The command `scorebook-bot` (docs/reference/bot-protocol.md)."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, Final

from scorebook_games import __version__
from scorebook_games.analysis.comparison import DEFAULT_BOUNDS, MAX_DEALS, MAX_ELO, MIN_GAP, Bounds
from scorebook_games.bots.builtin import BUILTIN_BOTS
from scorebook_games.bots.process import Fault
from scorebook_games.bots.protocol import DEFAULT_CLOCK
from scorebook_games.bots.sdk import remote
from scorebook_games.bots.source import BadSource, check_source
from scorebook_games.cli import fields, words
from scorebook_games.cli.check import check, check_hello
from scorebook_games.cli.fields import Row
from scorebook_games.cli.look import Look, looks
from scorebook_games.cli.players import BotPlayer
from scorebook_games.cli.process import LocalProcess
from scorebook_games.cli.record import NoRecord, Recorded, exported, read
from scorebook_games.cli.series import Opponent, Plan, Result, play
from scorebook_games.cli.table import Played
from scorebook_games.cli.tournament import DEFAULT_DEALS, MAX_FORFEITS, Tournament, TournamentPlan
from scorebook_games.cli.upload import Unanswered, UploadRefused, make, progress, upload
from scorebook_games.contract import OptionError, Spec
from scorebook_games.registry import KINDS
from scorebook_games.review import NoReview, Reviewer

# The exit codes. `--help` shows them too.
SUCCESS, FAULTY, MISUSED, FAILED, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 4, 130
EXIT_CODES: Final = (
    "exit codes: 0 success (upload: the bot was admitted); 1 the bot has a fault (upload: admission refused it); "
    "2 the arguments are wrong; 3 the upload failed: the server did not take the file, or gave up the admission; "
    "4 the server does not answer, so the result is not known: look at the bot's page; 130 interrupted"
)
CLOCK_HELP: Final = {
    "move_ms": "time for each answer, in milliseconds",
    "bank_ms": "extra time for the whole game: pays for what goes beyond --move-ms",
    "cpu_ms": "processor time for the whole game",
}
COMMAND: Final = "scorebook-bot"
WRAPPER: Final = "bin/scorebook-bot"  # how the command is started in a checkout of Scorebook, which can make pages too
# Makes the page of an exported game with a sentence at its top. None: no pages can be made.
PageMaker = Callable[[dict[str, Any], str], str]


class Unusable(Exception):
    """A request that cannot be carried out. The text says what to do."""


def main(arguments: Sequence[str], page: PageMaker | None = None) -> int:
    """Run the command and return one of `EXIT_CODES`."""
    if list(arguments[:1]) == ["remote"]:  # `remote` is a program of its own, which authors also copy
        return remote.main(arguments[1:])
    given = parser().parse_args(arguments)
    try:
        code: int = given.run(given, page)
    except (Unusable, NoRecord, OptionError) as error:
        complain(str(error))
        return MISUSED
    except (Fault, BadSource) as error:
        complain(str(error) if isinstance(error, BadSource) or not error.bot else f"{error.bot}: {error}")
        if isinstance(error, Fault):
            show(words.evidence(error), sys.stderr)
        return FAULTY
    except UploadRefused as error:
        complain(str(error))
        return FAILED
    except Unanswered as error:
        complain(f"{error} The server continues what was begun: see the bot's page.")
        return UNKNOWN
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return SUCCESS
    return code


def complain(sentence: str) -> None:
    """Print what went wrong."""
    print(f"scorebook-bot: {sentence}", file=sys.stderr)


def show(lines: Iterable[str], file: Any = None) -> None:
    """Print each line when it comes."""
    for line in lines:
        print(line, file=file, flush=True)


# -- the commands


def run_play(given: argparse.Namespace, page: PageMaker | None) -> int:
    """Play games against other bots, and print a table of results and what to look at."""
    if given.command and given.kind is None:  # the only positional argument is the kind then
        given.bot, given.kind = None, given.bot
    clock = clock_of(given)
    with ExitStack() as stack:
        bot = stack.enter_context(closing(player_of(given.bot, given.command, clock)))
        against = [opponent(name, clock, stack) for name in given.against.split(",")]
        plan = plan_of(given, bot, against, clock, stack)
        bots = named_bots([bot, *against])
        results: list[Result] = []
        with suppress(KeyboardInterrupt):
            for result in play(plan, bot, given.games):
                results.append(result)
                report(words.progress(results, plan, given.games))
                if given.games and sum(bool(result.played.fold.left) for result in results) >= MAX_FORFEITS:
                    break
        report("")
        whole = results[: len(results) // plan.seats * plan.seats]
        if whole:
            show(words.table(bot.name, plan, whole, bot.times, clock))
        else:
            print("No deal was played from all seats, so there is no table.")
        if len(results) < (given.games or 0) or len(whole) < len(results):
            games = f" of {given.games}" if given.games else ""
            print(f"stopped         after {len(results)}{games} games")
    return look_back([result.played for result in results], given, page, bots)


def run_tournament(given: argparse.Namespace, page: PageMaker | None) -> int:
    """Let every bot play every other one, and print a table."""
    clock = clock_of(given)
    if len(set(given.bots)) < len(given.bots):
        raise Unusable("Name each bot once.")
    if given.deals < 1:
        raise Unusable("At least one deal must be played: --deals 1.")
    with ExitStack() as stack:
        entrants = [opponent(name, clock, stack) for name in given.bots]
        kind = given.kind or common_kind(entrants, clock)
        spec = spec_of(kind)
        seats = given.seats or spec.seats_min
        if len(entrants) < max(2, seats):
            raise Unusable(f"A tournament at tables of {seats} needs at least {max(2, seats)} bots.")
        options = dict(map(option, given.option))
        KINDS[kind].resolve(seats, options)
        plan = TournamentPlan(kind, tuple(entrants), seats, given.deals, options, given.first)
        tournament, played, bots = Tournament(plan), list[Played](), named_bots(entrants)
        with suppress(KeyboardInterrupt):
            for game in tournament.play():
                played.append(game)
                report(f"game {len(played)} of {plan.games}")
        report("")
        show(words.crosstable(tournament))
    return look_back(played, given, page, bots)


def report(line: str) -> None:
    """Show progress to a person who watches; "" takes it away."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line[: get_terminal_size().columns - 1]}", end="", file=sys.stderr, flush=True)


def look_back(
    played: Sequence[Played], given: argparse.Namespace, page: PageMaker | None, bots: Mapping[str, str]
) -> int:
    """Write games, print the faults, and return the exit code. `bots` names each bot for a command."""
    again = write_games(played, given, page)
    show(words.faults(played, again, bots))
    return FAULTY if any(game.failures for game in played) else SUCCESS


def write_games(played: Sequence[Played], given: argparse.Namespace, page: PageMaker | None) -> dict[int, str]:
    """Write games as JSON and as pages, those with faults first.

    Return by number the command that shows a game again.
    """
    chosen = [game for game in played if game.failures] + [game for game in played if not game.failures]
    folder = Path(given.out)
    again: dict[int, str] = {}
    for game in sorted(chosen[: given.replays], key=lambda game: game.number):
        folder.mkdir(parents=True, exist_ok=True)
        export = exported(game, datetime.now(UTC))
        kind = export["game"]["kind"]
        file = folder / f"{kind}-{game.number}.json"
        file.write_text(json.dumps(export, indent=1))
        again[game.number] = f"{WRAPPER if page else COMMAND} replay {shlex.quote(str(file))}"
        if page:
            note = "; ".join(
                f"event {failure.version}: {failure.fault}, instead {failure.cost}" for failure in game.failures
            )
            try:
                file.with_suffix(".html").write_text(page(export, note))
            except Exception as error:
                complain(f"{file} has no page: {error!r}.")
    if again:
        files = f"{kind}-….json and .html" if page else f"{kind}-….json"
        print(f"replays         {len(again)} games in {folder}/ ({files})")
    return again


def run_check(given: argparse.Namespace, page: PageMaker | None) -> int:  # noqa: ARG001
    """Check whether a server would accept the bot."""
    kinds = [given.bot, *given.kinds] if given.command and given.bot else given.kinds
    for kind in kinds:
        check_kind(kind)
    start = starter(given.bot, given.command)
    passed, shown = True, set[str]()
    for step in check(None if given.command else Path(given.bot), start, kinds, clock_of(given)):
        show(words.step(step, shown))
        passed = passed and step.ok
    print("The bot is ready to upload." if passed else "The bot would not be admitted.")
    return SUCCESS if passed else FAULTY


def run_fields(given: argparse.Namespace, page: PageMaker | None) -> int:  # noqa: ARG001
    """Print the fields of a bot's view, with examples."""
    kinds = given.kinds or sorted(KINDS)
    for kind in kinds:
        check_kind(kind)
    for kind in kinds:
        seen = fields.observations(kind)
        show(words.fields(spec_of(kind).title, fields.with_examples(fields.kind_fields(kind), seen)))
    show(words.fields("Every kind", fields.with_examples(fields.common_fields(), seen)))
    return SUCCESS


def run_replay(given: argparse.Namespace, page: PageMaker | None) -> int:  # noqa: ARG001
    """Show what this version of a bot would do in a recorded game."""
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
    """Show where two versions of a bot decide differently in recorded games."""
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


def run_review(given: argparse.Namespace, page: PageMaker | None) -> int:  # noqa: ARG001
    """Review a recorded game for one seat: its chances, and which of its decisions were mistakes."""
    game = read(given.game, given.token)
    if given.positions is not None and given.positions < 1:
        raise Unusable("At least one position must be looked at: --positions 1.")
    try:
        reviewer = Reviewer((entry.event for entry in game.entries), given.seat, budget=given.positions)
    except NoReview as error:
        raise Unusable(str(error)) from error
    for step in reviewer.steps():
        report(f"{100 * step.done // step.whole} %")
    report("")
    found = reviewer.review().plain()
    if given.json:
        print(json.dumps(found, indent=1))
    else:
        print(f"{title(game)}, seat {given.seat} ({game.players[given.seat]})")
        show(words.review(found))
    return SUCCESS


def run_upload(given: argparse.Namespace, page: PageMaker | None) -> int:  # noqa: ARG001
    """Upload a new version to a server and show its admission."""
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
        make(given.server, given.name, token, again=say_again)
    made = upload(given.server, given.name, token, source, again=say_again, reached=given.new)
    print(f"{given.name} version {made['number']} is in admission.\n{made['page']}", flush=True)
    state: dict[str, Any] = {}
    printed: set[str] = set()
    try:
        for state in progress(made["admission"], token, again=say_again):
            for line in words.new_steps(state, printed):
                report("")
                print(line, flush=True)
            report(words.open_step(state))
    except KeyboardInterrupt:
        print(f"\nThe admission continues without you: {made['page']}")
        return INTERRUPTED
    report("")
    show(words.admission(state, made["page"]))
    return {"passed": SUCCESS, "given_up": FAILED}.get(state.get("state", ""), FAULTY)


def say_again(error: Unanswered, seconds: float) -> None:
    """Say why a request is repeated."""
    report("")
    complain(f"{error} Next try in {seconds:.0f} s.")


# -- reading the arguments


def plan_of(
    given: argparse.Namespace, bot: BotPlayer, against: list[Opponent], clock: dict[str, int], stack: ExitStack
) -> Plan:
    """Return the plan of the requested series. Raises `Unusable`, `OptionError` and `Fault`."""
    kind = given.kind or common_kind([bot, *against], clock)
    seats = given.seats or max(spec_of(kind).seats_min, len(against) + 1)
    if len(against) == 1:
        against += [opponent(given.against, clock, stack) for _ in range(seats - 2)]
    if len(against) != seats - 1:
        names = f"{seats - 1} names, or one for all of them"
        raise Unusable(f"{seats} seats take {names}; --against has {len(against)}.")
    if given.games is not None and given.games < 1:
        raise Unusable("At least one game must be played: --games 1.")
    for name in against:
        if isinstance(name, str) and kind not in BUILTIN_BOTS[name].kinds:
            raise Unusable(f"The built-in bot {name!r} does not play {kind}. Try --against random.")
    options = dict(map(option, given.option))
    KINDS[kind].resolve(seats, options)
    low, high = given.bounds
    bounds = Bounds(low, high)
    if not bounds.valid:
        raise Unusable(
            f"The upper bound must exceed the lower one by {MIN_GAP} Elo or more, and both lie within ±{MAX_ELO}."
        )
    return Plan(kind, tuple(against), options, given.first, bounds)


def opponent(name: str, clock: dict[str, int], stack: ExitStack) -> Opponent:
    """Return a built-in bot's name, or the bot in a file, which is closed with the stack. Raises `Unusable`."""
    if name in BUILTIN_BOTS:
        return name
    if not Path(name).is_file():
        raise Unusable(
            f"{name!r} is neither a file nor a built-in bot. The built-in bots are {', '.join(BUILTIN_BOTS)}."
        )
    return stack.enter_context(closing(player_of(name, None, clock)))


def common_kind(players: Sequence[Opponent], clock: dict[str, int]) -> str:
    """Return the only kind that all these bots play. Raises `Unusable` if there are more, or none, and `Fault`."""
    common = set(KINDS)
    for bot in [player for player in players if not isinstance(player, str)]:
        step, ready = check_hello(bot.start, clock, ())
        if ready is None:
            raise step.fault or Unusable(f"{bot.name}: {step.sentence}")
        common &= set(ready.kinds) or set(KINDS)
    if len(common) == 1:
        return common.pop()
    plays = f"The bots play {', '.join(sorted(common))}" if common else "There is no kind of game that all bots play"
    raise Unusable(f"{plays}. Name the kind of game.")


def spec_of(kind: str) -> Spec:
    """Return what is known of the kind. Raises `Unusable` if there is no such kind."""
    check_kind(kind)
    return KINDS[kind].spec


def check_kind(kind: str) -> None:
    """Raise `Unusable` unless there is such a kind of game."""
    if kind not in KINDS:
        there_are = f"There is no kind of game {kind!r}. The kinds are {', '.join(sorted(KINDS))}."
        raise Unusable(KINDS.broken.get(kind, there_are))


def option(text: str) -> tuple[str, Any]:
    """Split `packs=2` into a name and a value."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def clock_of(given: argparse.Namespace) -> dict[str, int]:
    """Return the clock of each game."""
    return {name: getattr(given, name) for name in DEFAULT_CLOCK}


def starter(bot: str | None, command: str | None) -> Callable[[int], LocalProcess]:
    """Return a function that starts the bot. Raises `Unusable`."""
    if command:
        return lambda _seed: LocalProcess(shlex.split(command), limited=False)
    if not bot or not Path(bot).is_file():
        raise Unusable(f"There is no file {bot}." if bot else "Name the file of the bot, or use --command.")
    return lambda seed: LocalProcess.start(Path(bot), seed)


def player_of(bot: str | None, command: str | None, clock: dict[str, int]) -> BotPlayer:
    """Return the player for the bot's seat."""
    name = Path(bot).name if bot and not command else Path(shlex.split(command or "bot")[-1]).name
    words = f"--command {shlex.quote(command)}" if command else f"--bot {shlex.quote(bot or '')}"
    return BotPlayer(name, starter(bot, command), clock, words)


def named_bots(players: Iterable[Opponent]) -> dict[str, str]:
    """Return by name the arguments that name the same bot in another command.

    Different files of the same name are called by their paths from now on.
    """
    bots = [player for player in players if not isinstance(player, str)]
    alike = [bot for bot in bots if any(other.name == bot.name and other.words != bot.words for other in bots)]
    for bot in alike:
        bot.name = bot.words.partition(" ")[2]
    return {bot.name: bot.words for bot in bots}


def title(game: Recorded) -> str:
    """Return a game's title, such as `Palace local-3`."""
    return f"{KINDS[game.opened['kind']].spec.title} {game.id}"


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="scorebook-bot", description="Test a bot on your own machine, and upload it.", epilog=EXIT_CODES
    )
    made.add_argument("--version", action="version", version=f"scorebook-bot {__version__}")
    verbs = made.add_subparsers(
        required=True, metavar="play | tournament | check | fields | replay | diff | review | upload | remote"
    )
    built_in = ", ".join(BUILTIN_BOTS)

    verb = verbs.add_parser(
        "play",
        help="play games against other bots",
        description="Play games against built-in bots or bots of your own, each deal from every seat, until a "
        "sequential test accepts that the bot is better by the upper bound, or rejects it for the lower one, and "
        f"{MAX_DEALS} deals at the most: the rule by which a server compares two versions.",
        epilog="`scorebook-bot fields KIND` lists what a bot sees.",
    )
    positional_bot(verb)
    verb.add_argument(
        "kind", nargs="?", help=f"one of {', '.join(sorted(KINDS))}; default: the only one that they play"
    )
    verb.add_argument(
        "--against", default="sensible", metavar="BOT", help=f"{built_in}, or a bot's file; several separated by commas"
    )
    verb.add_argument(
        "--games", type=int, help="number of games, rounded up to whole deals; default: until the test has decided"
    )
    verb.add_argument(
        "--bounds",
        nargs=2,
        type=int,
        default=(DEFAULT_BOUNDS.elo0, DEFAULT_BOUNDS.elo1),
        metavar=("ELO0", "ELO1"),
        help="accepted is a bot that is better by more than ELO0, rejected one that is better by less than ELO1: "
        "--bounds -20 0 asks whether the bot is not worse; default: "
        f"{DEFAULT_BOUNDS.elo0} {DEFAULT_BOUNDS.elo1}",
    )
    finish_games(verb)
    finish(verb, run_play)

    verb = verbs.add_parser(
        "tournament",
        help="let several bots play each other",
        description="A round robin: every bot meets every other one in the same deals, from every seat.",
    )
    verb.add_argument("bots", nargs="+", metavar="BOT", help=f"a bot's file, or {built_in}")
    verb.add_argument("--kind", help="the kind of game; default: the only one that they all play")
    verb.add_argument("--deals", type=int, default=DEFAULT_DEALS, help=f"deals at each table; default: {DEFAULT_DEALS}")
    finish_games(verb)
    finish(verb, run_tournament)

    verb = verbs.add_parser("check", help="check whether a server would admit the bot")
    positional_bot(verb)
    verb.add_argument("kinds", nargs="*", help="kinds of games; default: those that the bot plays")
    finish(verb, run_check)

    verb = verbs.add_parser(
        "fields",
        help="list what a bot sees",
        description="The fields of `view` in each kind of game. With KIND: each with an example.",
        epilog=fields_help(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("kinds", nargs="*", metavar="KIND", help=f"default: {', '.join(sorted(KINDS))}")
    verb.set_defaults(run=run_fields)

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

    verb = verbs.add_parser(
        "review",
        help="say what a seat's chances were in a recorded game, and which of its decisions were mistakes",
        description="A review from the seat's own eyes: no hidden card has a part in it. It takes about ten seconds.",
    )
    verb.add_argument("game", help="a downloaded JSON export, or a game's whole address, https://…")
    verb.add_argument("--seat", type=int, required=True)
    verb.add_argument("--token", default="", help="a token with the right to read the game, if it is not public")
    verb.add_argument("--positions", type=int, help="how many positions are looked at; default: as many as a server")
    verb.add_argument("--json", action="store_true", help="print the whole review as JSON")
    verb.set_defaults(run=run_review)

    verb = verbs.add_parser("upload", help="upload it as a new version, and watch admission", epilog=EXIT_CODES)
    verb.add_argument("bot")
    verb.add_argument("--name", required=True, help="name of the bot on the server")
    verb.add_argument("--server", required=True, help="address of the server, https://…")
    verb.add_argument("--token", default="", help="default: SCOREBOOK_TOKEN in the environment")
    verb.add_argument("--new", action="store_true", help="create the bot first; otherwise it must exist")
    verb.set_defaults(run=run_upload)

    verbs.add_parser("remote", help="play over HTTP with a bot on this machine; see remote --help", add_help=False)
    return made


def fields_help() -> str:
    """Return the fields of each kind that describes them, without examples, and those of every kind."""
    described = [
        (KINDS[kind].spec.title, fields.kind_fields(kind)) for kind in sorted(KINDS) if KINDS[kind].observation
    ]
    found = [*described, ("Every kind", fields.common_fields())]
    return "\n".join(line for title, each in found for line in words.fields(title, [Row(field) for field in each]))


def positional_bot(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("bot", nargs="?", help="the bot's file")
    verb.add_argument("--command", help="command that runs a bot in another language: --command 'node bot.js'")


def finish_games(verb: argparse.ArgumentParser) -> None:
    """Add the arguments of all commands that play games."""
    verb.add_argument("--seats", type=int, default=0, help="number of players; default: the minimum")
    verb.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the kind")
    verb.add_argument("--first", type=int, default=0, help="number of the first deal; default: 0")
    verb.add_argument("--replays", type=int, default=10, help="number of games to save, those with faults first")
    verb.add_argument("--out", default="bot-games", help="folder for the saved games")


def finish(verb: argparse.ArgumentParser, run: Callable[[argparse.Namespace, PageMaker | None], int]) -> None:
    for name, value in DEFAULT_CLOCK.items():
        meaning = f"{CLOCK_HELP[name]}; default: {value}, as on a server"
        verb.add_argument(f"--{name.replace('_', '-')}", type=int, default=value, metavar="MS", help=meaning)
    verb.set_defaults(run=run)
