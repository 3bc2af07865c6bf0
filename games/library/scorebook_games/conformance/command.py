"""The command `scorebook-kind`: check a kind of game, or start a new one."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from scorebook_games import __version__
from scorebook_games.conformance.process import Broken, Checked, check
from scorebook_games.conformance.skeleton import BadName, create
from scorebook_games.kind import BrokenKind

COMMAND: Final = "scorebook-kind"
SECONDS_A_GAME: Final = 2.0  # if more games are asked for
MAX_PRINTED: Final = 60  # moves of a game that are printed one by one; the command that plays it again has all
SECONDS: Final = 40.0  # of processor time, after which no further game is begun
WELL, BROKEN, MISUSED = 0, 1, 2


def main(arguments: Sequence[str]) -> int:
    """Run the command. Returns 0 if all promises are kept, 1 if one is broken, 2 for wrong arguments."""
    given = parser().parse_args(arguments)
    code: int = given.run(given)
    return code


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    whole = argparse.ArgumentParser(prog=COMMAND, description="Tools for authors of a kind of game.")
    whole.add_argument("--version", action="version", version=f"{COMMAND} {__version__}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    checking = commands.add_parser("check", help="ask a kind for everything that a kind promises")
    checking.add_argument("kinds", nargs="+", metavar="NAME", help="an installed kind, by the name of its entry point")
    checking.add_argument("--promise", default="", metavar="PROMISE", help="ask for this one only")
    checking.add_argument("--game", default="", metavar="JSON", help="play this game, which a failure has printed")
    checking.add_argument(
        "--seconds",
        type=float,
        help=f"of the processor; no game begins later (default: {SECONDS:.0f} or more)",
    )
    checking.add_argument("--games", type=int, metavar="N", help="play N games: some, or more than usual")
    checking.add_argument("--seed", type=int, default=0, metavar="N", help="play other games (default: %(default)s)")
    checking.add_argument("--json", action="store_true", help="print what came of it as JSON")
    checking.set_defaults(run=run_check)
    new = commands.add_parser("new", help="write the package of a new kind, which can be played at once")
    new.add_argument("kind", metavar="NAME", help="its name, as hearts or go_fish")
    new.add_argument("--folder", type=Path, default=Path(), help="where (default: here)")
    new.set_defaults(run=run_new)
    fitting = commands.add_parser("fit", help="fit the value function of a kind, for its luck ledgers (needs numpy)")
    fitting.add_argument("kind", metavar="NAME", help="a loaded kind, by the name of its entry point")
    fitting.add_argument("--games", type=int, default=4000, help="games of the regressions (default: %(default)s)")
    fitting.add_argument(
        "--luck-games", type=int, default=800, help="games that refine the weights (default: %(default)s)"
    )
    fitting.add_argument("--only-spread", action="store_true", help="fit the spread again, and keep the other weights")
    fitting.add_argument("--version", type=int, default=1, help="of the file value-VERSION.json (default: %(default)s)")
    fitting.set_defaults(run=run_fit)
    return whole


def run_check(given: argparse.Namespace) -> int:
    """Check each kind in its own process, so that a broken kind does not stop the check of the others."""
    if given.game and not given.promise:
        print(f"{COMMAND}: --game needs --promise.", file=sys.stderr)
        return MISUSED
    found = []
    for kind in given.kinds:
        seconds = given.seconds or max(SECONDS, (given.games or 0) * SECONDS_A_GAME)
        checked = check(kind, seconds, games=given.games, promise=given.promise, game=given.game, seed=given.seed)
        found.append(checked)
        if not given.json:
            print("\n".join(report_lines(checked, given.promise)), flush=True)
    if given.json:
        print(json.dumps([asdict(checked) for checked in found], indent=1))
    return BROKEN if any(checked.broken for checked in found) else WELL


def run_fit(given: argparse.Namespace) -> int:
    """Fit a value function and write its file."""
    try:
        from scorebook_games.luck.fit import (  # noqa: PLC0415  loads all kinds
            NoValueFunction,
            diagnosis,
            write_fitted,
            write_spread,
        )

    except (ImportError, BrokenKind) as error:
        print(f"{COMMAND}: {error}", file=sys.stderr)
        return MISUSED
    try:
        if given.only_spread:
            value = write_spread(given.kind, given.games, given.version)
        else:
            value = write_fitted(given.kind, given.games, given.luck_games, given.version)
    except (NoValueFunction, ImportError) as error:
        print(f"{COMMAND}: {error}", file=sys.stderr)
        return MISUSED
    print(f"{value.file} {value.hash}")
    for line in diagnosis(value, given.games):
        print(line, file=sys.stderr if line.startswith("Warning") else sys.stdout)
    return WELL


def report_lines(checked: Checked, only: str = "") -> Iterator[str]:
    """Yield a table of the promises, then each broken one."""
    broken = {each.promise: each for each in checked.broken}
    yield f"{checked.kind}: {checked.games} games, {checked.moves} moves, {checked.wall:.1f} s"
    yield f"{'':10} CPU s  promise"
    for name in checked.promises:
        if only and name != only and name not in broken:
            continue
        spent = checked.seconds.get(name)
        state = "BROKEN" if name in broken else "not asked" if spent is None else "kept"
        yield f"{state:>10} {'' if spent is None else format(spent, '.2f'):>5}  {name}"
    for each in checked.broken:
        yield ""
        yield from explained(checked, each)
    yield ""
    if checked.cut:
        yield "Time was up before all games were played. Use --seconds to give it more."
    if checked.shown:
        yield "Other players are shown events like this. Only you know whether it is right:"
        yield from (f"  {line}" for line in checked.shown)
    count = len(checked.broken)
    yield f"{checked.kind}: {'every promise is kept' if not count else f'{count} broken'}."


def explained(checked: Checked, broken: Broken) -> Iterator[str]:
    """Yield a broken promise: what it promises, what happened instead, and the game that shows it."""
    yield f"{broken.promise}"
    yield f"  promised  {checked.promises[broken.promise]}"
    yield f"  found     {broken.sentence}"
    if not broken.game:
        return
    game = json.loads(broken.game)
    options = "".join(f", {name}={value}" for name, value in game.get("options", {}).items())
    moves = game.get("moves")
    count = "moves by lot" if moves is None else "1 move" if len(moves) == 1 else f"{len(moves)} moves"
    yield f"  game      {game['seats']} seats{options}, seed {game['seed']}, {count}"
    for number, (seat, text) in enumerate((moves or ())[:MAX_PRINTED], 1):
        yield f"            {number:3}. seat {seat}: {text}"
    if len(moves or ()) > MAX_PRINTED:
        yield f"            … and {len(moves) - MAX_PRINTED} more"
    command = [COMMAND, "check", checked.kind, "--promise", broken.promise, "--game", broken.game]
    yield f"  again     {shlex.join(command)}"


def run_new(given: argparse.Namespace) -> int:
    """Write the files of a new kind."""
    try:
        files = create(given.kind, given.folder)
    except BadName as error:
        print(f"{COMMAND}: {error}", file=sys.stderr)
        return MISUSED
    for file in files:
        print(file)
    folder = given.folder / files[0].parts[len(given.folder.parts)]
    print(f"\nInstall it and check it:\n  pip install -e {folder}\n  {COMMAND} check {given.kind}")
    return WELL
