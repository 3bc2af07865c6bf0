"""Measures whether the catalogue of Plate Spinner makes a good game.

    python -m tests.bench.plate_spinner_tuning --games 200

Games are played in beats (PS-17): every seat that spins gives a bundle, and the bundles are taken in a random order. It
prints, with 95 % intervals: each seat's share of the wins among equal bots; how often bots with other tempers win
against sensible ones; how often one sensible bot wins against random ones; and how often sets of a colour, bombs,
breakages and turn limits happen.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scorebook_games.chance import SeedDealer
from scorebook_games.contract import TURN_LIMIT, Event, Outcome
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import BlankDealer, beat_events
from scorebook_games.gamelog.terms import BEATS
from scorebook_games.kinds.plate_spinner import PlateSpinner, State
from scorebook_games.kinds.plate_spinner.plan import Temper, plate_spinner
from scorebook_games.kinds.plate_spinner.state import SPIN, tally
from tests.bench.builtin_bots import share
from tests.bench.where import where

RULES = PlateSpinner()
Chooser = Callable[[State, int, random.Random], int]  # an action of a seat that is to act

TEMPERS = {
    "sensible": Temper(),
    "rushing": Temper(care=0.35),
    "stubborn": Temper(care=3.0),
}


def at_random(state: State, seat: int, rng: random.Random) -> int:
    """Return a random legal action."""
    return RULES.sample_action(state, seat, rng.random)


def with_temper(temper: Temper) -> Chooser:
    """Return a chooser with the plan of the built-in sensible bot and another temper."""

    def choose(state: State, seat: int, rng: random.Random) -> int:
        actions = RULES.listed_actions(state, seat)
        if len(actions) == 1:
            return actions[0]
        worth = plate_spinner(RULES.observation(state, seat), temper)
        worths = [worth(RULES.move_text(state, action)) for action in actions]
        best = max(worths)
        return rng.choice([action for action, each in zip(actions, worths, strict=True) if each == best])

    return choose


@dataclass
class Played:
    """A game: its outcome and counts of what happened, some of them by seat."""

    outcome: Outcome
    largest: list[int]  # for each seat, its number of plates of its most frequent colour: red, blue or green
    yellow: list[int]
    broken: int = 0
    bombs: int = 0
    refused: int = 0
    rounds: int = 0
    beats: int = 0
    moves: int = 0
    first_unfilled: int = 0  # rounds in which meeple 1 was grabbed and something broke
    held: list[int] = field(default_factory=list)

    def wins(self, seat: int) -> float:
        """Return a seat's share of the win."""
        places = self.outcome.placings
        return 1 / places.count(1) if places[seat] == 1 else 0.0


def opened(seats: int) -> Event:
    """Return the first event of a game in beats."""
    data = {"kind": RULES.spec.kind, "rules_version": RULES.spec.rules_version, "seats": seats}
    return [ev.OPENED, {**data, "options": RULES.resolve(seats, {}), "terms": {"pace": BEATS}}]


def bundle(state: State, seat: int, choose: Chooser, rng: random.Random) -> list[str]:
    """Return the moves of a bundle: assignments up to a roll, grab or finish, or the move of a draft."""
    after = state.copy()
    texts: list[str] = []
    while True:
        action = choose(after, seat, rng)
        texts.append(RULES.move_text(after, action))
        if RULES.ends_bundle(after, action):
            return texts
        for event in RULES.decide(after, seat, action, BlankDealer()):
            RULES.apply(after, event)


def play(choosers: Sequence[Chooser], number: int) -> Played:
    """Play game `number` between `choosers`, by seat."""
    seats = len(choosers)
    rng = random.Random(number)
    dealer = SeedDealer(number.to_bytes(32, "big"))
    fold = Fold(opened(seats))
    state: State = fold.state
    log = RULES.start(state, dealer)
    for event in log:
        fold.apply(event)
    beats = 0
    while acting := fold.to_act():
        beats += state.phase == SPIN
        events = beat_events(fold, {seat: bundle(state, seat, choosers[seat], rng) for seat in acting}, dealer)
        for event in events:
            fold.apply(event)
        log += events
    outcome = RULES.outcome(state)
    assert outcome is not None
    counts = [tally(state, seat)[1] for seat in range(seats)]
    grabs = [index for index, event in enumerate(log) if event[0] == "grabbed" and event[2] == 1]
    return Played(
        outcome,
        largest=[max(colours[:3]) for colours in counts],
        yellow=[colours[3] for colours in counts],
        broken=sum(len(event[2]) for event in log if event[0] == "broke"),
        bombs=sum(bool(event[4]) for event in log if event[0] == "broke"),
        refused=sum(event[0] == ev.NOT_TAKEN for event in log),
        rounds=state.round,
        beats=beats,
        moves=state.moves,
        first_unfilled=sum(log[index + 1][0] == "broke" for index in grabs),
        held=[len(held) - 2 for held in state.held],
    )


def one_among(one: Chooser, rest: Chooser, seats: int, games: int) -> list[float]:
    """Return the win shares of one player against equal others. Its seat rotates over each deal."""
    shares = []
    for number in range(games):
        seat = number % seats
        choosers = [rest] * seats
        choosers[seat] = one
        shares.append(play(choosers, number // seats).wins(seat))
    return shares


def describe(played: Sequence[Played]) -> str:
    """Describe an average game."""
    seats = len(played[0].largest)
    players = [(game, seat) for game in played for seat in range(seats)]

    def rate(values: Sequence[bool]) -> str:
        return f"{100 * statistics.fmean(values):.0f} %"

    sets = " ".join(f"{size}+: {rate([game.largest[seat] >= size for game, seat in players])}" for size in (2, 3, 4, 5))
    rounds = sum(game.rounds for game in played)
    winners = [max(game.outcome.scores) for game in played]
    return (
        f"rounds {rounds / len(played):.1f}, beats a round {sum(game.beats for game in played) / rounds:.1f}, moves a "
        f"game {statistics.fmean(game.moves for game in played):.0f}, refused in a beat "
        f"{statistics.fmean(game.refused for game in played):.2f} a game\n"
        f"    scores {statistics.fmean(score for game in played for score in game.outcome.scores):.1f}, of the winner "
        f"{statistics.fmean(winners):.1f} ({min(winners)}–{max(winners)}); plates at the end "
        f"{statistics.fmean(game.held[seat] for game, seat in players):.1f}; most of a colour, a player: {sets}\n"
        f"    plates broken a player {sum(game.broken for game in played) / len(players):.1f}; bombs that went off "
        f"a game {statistics.fmean(game.bombs for game in played):.2f}; first meeple taken with something breaking in "
        f"{100 * sum(game.first_unfilled for game in played) / rounds:.0f} % of rounds; turn limit "
        f"{rate([game.outcome.termination == TURN_LIMIT for game in played])}"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Whether the catalogue of Plate Spinner makes a good game.")
    parser.add_argument("--games", type=int, default=200, help="games a row (default: 200)")
    parser.add_argument("--seats", type=int, choices=(2, 3, 4, 5), help="only this number of seats")
    arguments = parser.parse_args()
    print(where())
    games: int = arguments.games
    sensible = with_temper(TEMPERS["sensible"])
    for seats in [arguments.seats] if arguments.seats else (2, 3, 4, 5):
        equals = [play([sensible] * seats, number) for number in range(games)]
        print(f"{seats} players, {games} games a row; an even share is {100 / seats:.1f} %")
        print(f"  only sensible bots: {describe(equals)}")
        for seat in range(seats):
            print(f"    seat {seat} wins {share(game.wins(seat) for game in equals)}")
        for name in ("rushing", "stubborn"):
            other = one_among(with_temper(TEMPERS[name]), sensible, seats, games)
            print(f"  one {name} bot among sensible ones wins {share(other)}")
        print(
            f"  one sensible bot among random ones wins {share(one_among(sensible, at_random, seats, games))}",
            flush=True,
        )


if __name__ == "__main__":
    main()
