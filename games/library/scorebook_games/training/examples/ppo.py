"""Trains a bot for one kind by proximal policy optimisation (PPO; Schulman et al., 2017), and writes it as one file.

    pip install jax optax numpy
    python -m scorebook_games.training.examples.ppo palace --minutes 6 --out trained.py

The policy plays all seats. It scores each offered move by the features of the position and of the move, so moves that
are not offered get no probability. What a decision earns is how the seat's margin changes afterwards, near changes
counting more than far ones, and at last the result. So one long game teaches more than its winner.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import optax

from scorebook_games.training.examples.bot_file import bot_source
from scorebook_games.training.vector import MOVE_SIZE, OBSERVATION_SIZE, Batch

HIDDEN: Final = 64
ROWS: Final = 40  # moves beyond these are not offered in training
GAMES: Final = 64  # at a time
DECISIONS: Final = 8192  # for one update
MINIBATCH: Final = 1024
EPOCHS: Final = 3
CLIP: Final = 0.2
ENTROPY: Final = 0.01
RATE: Final = 1e-3
DISCOUNT: Final = 0.97  # for each later decision of the seat
RESULT: Final = 10.0  # what the result counts, in points of margin

Weights = dict[str, Any]


def new_weights(seed: int) -> Weights:
    """Return small random weights."""
    shapes = {"position": (OBSERVATION_SIZE, HIDDEN), "inner": (HIDDEN, HIDDEN), "move": (MOVE_SIZE, HIDDEN)}
    keys = jax.random.split(jax.random.key(seed), len(shapes))
    weights = {
        name: jax.random.normal(key, shape) / np.sqrt(shape[0])
        for key, (name, shape) in zip(keys, shapes.items(), strict=True)
    }
    return weights | {"alone": jnp.zeros(MOVE_SIZE), "value": jnp.zeros(HIDDEN)}


def evaluate(weights: Weights, known: Any, moves: Any, masks: Any) -> tuple[Any, Any]:
    """Return the log-probability of each move (n, rows) and the expected return (n,)."""
    inner = jnp.tanh(jnp.tanh(known @ weights["position"]) @ weights["inner"])
    scores = jnp.einsum("nh,nrh->nr", inner, jnp.tanh(moves @ weights["move"])) + moves @ weights["alone"]
    return jax.nn.log_softmax(jnp.where(masks > 0, scores, -1e9)), inner @ weights["value"]


@jax.jit  # type: ignore[untyped-decorator]
def choose(weights: Weights, key: Any, known: Any, moves: Any, masks: Any) -> tuple[Any, Any, Any]:
    """Return a move for each game, its log-probability, and the expected return."""
    chances, value = evaluate(weights, known, moves, masks)
    chosen = jax.random.categorical(key, chances)
    return chosen, jnp.take_along_axis(chances, chosen[:, None], 1)[:, 0], value


def loss(weights: Weights, data: dict[str, Any]) -> Any:
    """Return PPO's loss: the clipped gain, the error of the expected return, and a reward for variety."""
    chances, value = evaluate(weights, data["known"], data["moves"], data["masks"])
    ratio = jnp.exp(jnp.take_along_axis(chances, data["chosen"][:, None], 1)[:, 0] - data["chance"])
    gain = data["returned"] - data["value"]
    gain = (gain - gain.mean()) / (gain.std() + 1e-6)
    clipped = jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * gain).mean()
    variety = -(jnp.exp(chances) * chances * data["masks"]).sum(1).mean()
    return -clipped + 0.5 * jnp.square(value - data["returned"]).mean() - ENTROPY * variety


@partial(jax.jit, static_argnums=0)
def update(optimiser: Any, weights: Weights, state: Any, data: dict[str, Any]) -> tuple[Weights, Any]:
    """Return better weights and the optimiser's new state."""
    change, state = optimiser.update(jax.grad(loss)(weights, data), state)
    return optax.apply_updates(weights, change), state


class Collector:
    """Plays games with the newest weights and keeps the decisions of those that have ended."""

    def __init__(self, kind: str, options: dict[str, Any], seed: int) -> None:
        self.batch = Batch(kind, GAMES, options=options, first=seed * 1_000_000, rows=ROWS)
        self.key = jax.random.key(seed)
        self.running: list[list[tuple[Any, ...]]] = [[] for _ in range(GAMES)]
        self.games = 0
        self.spread = 1.0  # of the returns

    def collect(self, weights: Weights) -> dict[str, Any]:
        """Return the decisions of finished games, at least `DECISIONS` of them, as arrays by name."""
        done: list[tuple[Any, ...]] = []
        while len(done) < DECISIONS:
            known, moves, masks = self.batch.observe()
            self.key, key = jax.random.split(self.key)
            chosen, chance, value = (np.asarray(part) for part in choose(weights, key, known, moves, masks))
            seats, margins = self.batch.seats, self.batch.margins()
            results, ended = self.batch.step(chosen)
            for row in range(GAMES):
                if masks[row].sum() > 1:  # a forced move teaches nothing, and a bot is not asked for it
                    seat = int(seats[row])
                    decision = (known[row], moves[row], masks[row], chosen[row], chance[row], value[row])
                    self.running[row].append((*decision, seat, margins[row][seat]))
                if ended[row]:
                    done += with_returns(self.running[row], results[row])
                    self.running[row] = []
                    self.games += 1
        names = ("known", "moves", "masks", "chosen", "chance", "value", "returned")
        data = {name: np.array(column) for name, column in zip(names, zip(*done, strict=True), strict=False)}
        self.spread += 0.2 * (float(data["returned"].std()) - self.spread)
        data["returned"] /= self.spread
        return data


def with_returns(decisions: list[tuple[Any, ...]], results: Any) -> list[tuple[Any, ...]]:
    """Return the decisions of a finished game, each with its return in place of seat and margin."""
    later = {seat: (RESULT * float(result), 0.0) for seat, result in enumerate(results)}
    last = dict.fromkeys(later, True)
    returned: list[tuple[Any, ...]] = []
    for *decision, seat, margin in reversed(decisions):
        sum_, margin_after = later[seat]
        gained = 0.0 if last[seat] else margin_after - margin
        sum_, last[seat] = gained + DISCOUNT * sum_, False
        later[seat] = (sum_, margin)
        returned.append((*decision, np.float32(sum_)))
    return returned


def train(kind: str, options: dict[str, Any], minutes: float, seed: int) -> Weights:
    """Return weights after `minutes` of training, or when Ctrl-C is pressed. Prints two lines a minute."""
    weights, optimiser = new_weights(seed), optax.chain(optax.clip_by_global_norm(0.5), optax.adam(RATE))
    state, collector, chance = optimiser.init(weights), Collector(kind, options, seed), np.random.default_rng(seed)
    began = printed_at = time.monotonic()
    decisions = 0
    try:
        while time.monotonic() - began < 60 * minutes:
            data = collector.collect(weights)
            decisions += len(data["chosen"])
            for _ in range(EPOCHS):
                order = chance.permutation(len(data["chosen"]))
                for start in range(0, len(order) - MINIBATCH + 1, MINIBATCH):
                    part = {name: column[order[start : start + MINIBATCH]] for name, column in data.items()}
                    weights, state = update(optimiser, weights, state, part)
            if time.monotonic() - printed_at > 30:
                printed_at = time.monotonic()
                foreseen = 100 * (1 - np.var(data["returned"] - data["value"]) / np.var(data["returned"]))
                length = decisions / collector.games
                print(
                    f"{(printed_at - began) / 60:4.1f} min  {collector.games} games of {length:.0f} decisions, "
                    f"{foreseen:.0f} % of the returns foreseen",
                    flush=True,
                )
    except KeyboardInterrupt:
        print(f"Stopped after {(time.monotonic() - began) / 60:.1f} min.")
    return weights


def main() -> None:
    """Train and write the bot's file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind")
    parser.add_argument("--minutes", type=float, default=6, help="how long to train; Ctrl-C ends it earlier (6)")
    parser.add_argument("--seed", type=int, default=1, help="of weights and games (1)")
    parser.add_argument("--out", type=Path, default=Path("trained.py"), help="the bot's file (trained.py)")
    asked = parser.parse_args()
    weights = train(asked.kind, {}, asked.minutes, asked.seed)
    asked.out.write_text(bot_source(asked.kind, weights), encoding="utf-8")
    print(f"{asked.out} is written: {asked.out.stat().st_size} bytes.")


if __name__ == "__main__":
    main()
