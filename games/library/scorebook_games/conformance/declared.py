"""Promises of a kind before any game is played: its spec, options and pages. Also promises that need whole games."""

from __future__ import annotations

import hashlib
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from typing import Any, Final
from xml.etree import ElementTree

from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.game import Game, Story, need
from scorebook_games.conformance.hidden import compare, recorded, some_change, whose
from scorebook_games.conformance.page import clauses_of
from scorebook_games.conformance.play import LIMIT, Table
from scorebook_games.contract import Option, OptionError
from scorebook_games.gamelog.events import encode_batch
from scorebook_games.introduction import Lesson
from scorebook_games.luck.games import RANDOM, play
from scorebook_games.luck.ledger import ledger_of
from scorebook_games.registry import KINDS

FINGERPRINT_GAMES: Final = 3
FINGERPRINT_MOVES: Final = 150
SECRET_GAMES: Final = 12
SECRET_MOVES: Final = 60
SECRET_TWINS: Final = 40  # of a game
EXACT: Final = 1e-9
MAX_SEATS: Final = 15  # the search has room for this many seats

NAMED_CLAUSE: Final = re.compile(r"\b[A-Z]{2,3}-\d+[a-z]?\b")

KindPromise = Callable[[str], None]


def the_spec_is_complete(kind: str) -> None:
    """Title, notation, seats, version and options are valid. One of the options is `turn_limit`."""
    spec = KINDS[kind].spec
    need(spec.title.strip(), "Spec.title is empty")
    need(spec.notation.endswith("."), "Spec.notation is no sentence", spec.notation)
    need(spec.best in ("highest", "lowest"), 'Spec.best is neither "highest" nor "lowest"', spec.best)
    need(isinstance(spec.rules_version, int) and spec.rules_version > 0, "Spec.rules_version is no number from 1")
    need(1 <= spec.seats_min <= spec.seats_max <= MAX_SEATS, "Seats", spec.seats_min, spec.seats_max)
    names = [option.name for option in spec.options]
    need(LIMIT in names, f"There is no option {LIMIT}, without which a game may last for ever", names)
    need(len(set(names)) == len(names), "Two options have one name", names)
    for option in spec.options:
        need(option.name.isidentifier(), "An option's name is none", option.name)
        need(option.help.strip().endswith("."), f"Option {option.name} has no sentence of help", option.help)
        need(option.type in ("int", "bool", "choice"), f"Option {option.name} has an unknown type", option.type)
        need(option.type != "choice" or option.choices, f"Option {option.name} has nothing to choose from")
        if option.default is not None:
            option.check(option.default)


def the_rules_page_is_there(kind: str) -> None:
    """`rules.md` has a title, and clauses that begin with their numbers, such as `- HE-1 …`. The emblem is SVG."""
    page = KINDS[kind].rules_page
    text = page.read_text(encoding="utf-8")
    need(text.startswith("# "), f"{page.name} does not begin with a title")
    clauses = clauses_of(page)
    need(clauses, f"{page.name} has no clause: a heading or list item that begins with its number, as HE-1")
    need(len(set(clauses)) == len(clauses), f"{page.name} has a clause twice", sorted(clauses))
    ElementTree.fromstring(KINDS[kind].emblem)  # noqa: S314  code of the kind's package is trusted anyway


def every_value_of_an_option_opens_a_game(kind: str) -> None:
    """A game opens with the defaults at every number of seats, and with each value that an option declares."""
    rules = KINDS[kind].rules
    spec = rules.spec
    seats = range(spec.seats_min, spec.seats_max + 1)
    for count in seats:
        resolved = rules.resolve(count, {})
        need(list(resolved) == [option.name for option in spec.options], "resolve leaves options out", resolved)
        need(None not in resolved.values(), "resolve leaves a value open", resolved)
        need(rules.resolve(count, resolved) == resolved, "Options that were resolved resolve to others", resolved)
        need(opens(kind, count, {}), f"No game opens with {count} seats")
    for option in spec.options:
        for value in values_of(option):
            opened = [opens(kind, count, {option.name: value}) for count in (spec.seats_min, spec.seats_max)]
            need(any(opened), f"No game opens with the option {option.name}", value)


def values_of(option: Option) -> list[Any]:
    """Return the values that an option declares; of a long range of whole numbers, some."""
    if option.type == "bool":
        return [True, False]
    if option.type == "choice":
        return list(option.choices)
    least, most = option.minimum, option.maximum
    return sorted({least, min(least + 1, most), (least + most) // 2, most})


def opens(kind: str, seats: int, given: dict[str, Any]) -> bool:
    """Return whether a game opens; False if the options do not allow this number of seats."""
    rules = KINDS[kind].rules
    try:
        options = rules.resolve(seats, given)
    except OptionError:
        return False
    state = rules.initial(seats, options)
    for event in rules.start(state, SeedDealer(bytes(32))):
        rules.apply(state, event)
    need(rules.to_act(state), f"Nobody is to act in a game of {seats} that began", given)
    return True


def wrong_options_are_refused(kind: str) -> None:
    """An unknown option, a value out of range and a wrong number of seats are refused by name."""
    rules = KINDS[kind].rules
    spec = rules.spec
    refuses(kind, spec.seats_min, {"no_such_option": 1}, "no_such_option")
    for seats in (0, spec.seats_min - 1, spec.seats_max + 1):
        refuses(kind, seats, {}, "seats")
    for option in spec.options:
        for value in [*wrong_values(option), None, "no such value", [], 0.5]:
            refuses(kind, spec.seats_min, {option.name: value}, option.name)


def refuses(kind: str, seats: int, given: dict[str, Any], name: str) -> None:
    """Raise `BrokenPromise` unless this is refused with an error that names the option."""
    try:
        KINDS[kind].rules.resolve(seats, given)
    except OptionError as error:
        need(error.option == name, f"What is wrong with {name} is said of another option", error.option)
        need(name in error.sentence or name == "seats", f"The refusal of {name} does not name it", error.sentence)
    else:
        need(False, f"{seats} seats with these options are not refused", given)


def wrong_values(option: Option) -> list[Any]:
    """Return values that are almost valid."""
    if option.type == "bool":
        return [0, 1, "true"]
    if option.type == "choice":
        return ["", 0, True]
    return [option.minimum - 1, option.maximum + 1, True, str(option.minimum)]


def a_new_process_plays_the_same_games(kind: str) -> None:
    """A new process, in which sets have another order, plays the same games to the byte. So the rules keep nothing from
    game to game."""
    mine = fingerprints(kind)
    mine = fingerprints(kind)  # again, after the others
    command = [sys.executable, "-m", "scorebook_games.conformance.declared", kind]
    ran = subprocess.run(  # noqa: S603  itself
        command,
        env={**os.environ, "PYTHONHASHSEED": "1", "SCOREBOOK_KINDS": kind},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    need(ran.returncode == 0, "The other process failed", ran.stderr.strip()[-300:])
    for number, (one, other) in enumerate(zip(mine, ran.stdout.split(), strict=True)):
        need(one == other, f"Game {number} with the same seed is another one in a new process")


def fingerprints(kind: str) -> list[str]:
    """Return the SHA-256 of the logs of some games."""
    spec = KINDS[kind].spec
    found = []
    for number in range(FINGERPRINT_GAMES):
        game = Game(Story(Table(kind, (spec.seats_min, spec.seats_max)[number % 2]), number))
        for _ in islice(game.played(), FINGERPRINT_MOVES):
            pass
        found.append(hashlib.sha256(encode_batch(game.log)).hexdigest())
    return found


def the_introduction_can_be_played(kind: str) -> None:
    """An introduction, if there is one, is played by the rules to its last step, the moves of a step in any order. Each
    text is there, and names only clauses of the rules page."""
    script = KINDS[kind].presentation.introduction
    if script is None:
        return
    clauses = clauses_of(KINDS[kind].rules_page)
    for step in script.steps:
        need(step.text.strip(), "A step says nothing", step)
        need(bool(step.moves) == bool(step.mistake), "A step has moves or a sentence for a mistake, but not both", step)
        for clause in NAMED_CLAUSE.findall(f"{step.text} {step.mistake}"):
            need(clause in clauses, f"The rules page has no clause {clause}", step)
    need(not script.steps[-1].moves, "The last step asks for a move", script.steps[-1])
    for order in (1, -1):
        lesson = Lesson(kind, script)
        for number, step in enumerate(script.steps[:-1]):
            need(lesson.number == number, f"Step {number} is not reached", step)
            for move in step.moves[::order]:
                verdict = lesson.judge(move)
                need(verdict.error is None, f"The rules refuse {move!r} in step {number}", verdict.error)
                lesson.play(move)
            if not step.moves:
                lesson.advance()


def the_explanations_cite_the_rules(kind: str) -> None:
    """Each explanation of a thing on the table says something, and names a clause of the rules page."""
    clauses = clauses_of(KINDS[kind].rules_page)
    for key, explanation in KINDS[kind].presentation.explanations().items():
        need(bool(explanation.lines), "An explanation says nothing", key)
        for line in explanation.lines:
            need(line.words.strip(), "An explanation says nothing", key)
            need(line.clause in clauses, f"The rules page has no clause {line.clause}", key)


def the_value_function_makes_ledgers_that_add_up(kind: str) -> None:
    """If the kind has a value function, its weights are there and fit. In the luck ledger of a game, the parts of each
    seat add up to its result."""
    value, spec = KINDS[kind].value, KINDS[kind].spec
    if value is None:
        return
    need(not value.fault, value.fault.rstrip("."))
    log = play(kind, [RANDOM] * max(2, spec.seats_min), bytes(32))
    made = ledger_of(log, value)
    for seat, result in enumerate(made.result):
        parts = [each[seat] for each in (made.start, made.luck, made.own, made.others, made.unexplained, made.table)]
        need(abs(sum(parts) - result) < EXACT, f"The ledger of seat {seat} does not add up", parts, result)


def players_who_know_more_have_secrets(kind: str) -> None:
    """If the presentation `hides`, each player with a private view has at some time a secret from every other viewer.
    Otherwise, nobody sees more than the public."""
    table = Table(kind, KINDS[kind].spec.seats_min)
    hides = KINDS[kind].presentation.hides
    found: set[tuple[int | None, int]] = set()
    private: set[int] = set()
    missing: list[tuple[int | None, int]] = []
    for seed in range(SECRET_GAMES):
        game = Game(Story(table, seed))
        lines = recorded(game)
        for _ in islice(game.played(), SECRET_MOVES):
            line = next(lines)
            private |= with_private_view(game)
        rng = random.Random(seed)
        changes = [some_change(line, rng) for _ in range(SECRET_TWINS if hides else 0)]
        for change in filter(None, changes):
            found |= compare(line, change, ())
        viewers: list[int | None] = [*range(table.seats), None]
        missing = [(viewer, seat) for seat in sorted(private) for viewer in viewers if viewer != seat]
        missing = [pair for pair in missing if pair not in found]
        if private and not missing:
            break
    if not hides:
        need(not private, "The presentation says that nothing is hidden, and a seat sees more than the public", private)
        return
    need(private, "The presentation says that something is hidden, and no seat sees more than the public")
    for viewer, seat in missing:
        need(False, f"Whatever seat {seat} knows, {whose(viewer)} is told too, but the presentation says that it hides")


def with_private_view(game: Game) -> set[int]:
    """Return the seats that now see what the public does not."""
    public = without_seat(game.rules.observation(game.state, None))
    seats = range(game.table.seats)
    return {seat for seat in seats if without_seat(game.rules.observation(game.state, seat)) != public}


def without_seat(seen: dict[str, Any]) -> dict[str, Any]:
    """Return an observation without the name of its seat."""
    return {name: value for name, value in seen.items() if name != "seat"}


# Without these promises no game can be opened.
OPENING: Final[list[KindPromise]] = [the_spec_is_complete, every_value_of_an_option_opens_a_game]
DECLARED: Final[list[KindPromise]] = [
    the_rules_page_is_there,
    wrong_options_are_refused,
    the_introduction_can_be_played,
    the_explanations_cite_the_rules,
]
OF_WHOLE_GAMES: Final[list[KindPromise]] = [
    a_new_process_plays_the_same_games,
    the_value_function_makes_ledgers_that_add_up,
    players_who_know_more_have_secrets,
]
KIND_PROMISES: Final = [*OPENING, *DECLARED, *OF_WHOLE_GAMES]

if __name__ == "__main__":
    print(*fingerprints(sys.argv[1]))
