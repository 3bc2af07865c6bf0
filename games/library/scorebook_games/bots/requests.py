"""What a bot is asked, and what a built-in bot answers. Pure.

A bot with one legal move is not asked (`forced`). `ask_for_seat` makes what every other bot is asked, whichever way the
lines travel. A built-in bot is told nothing that a worker's death could change: its version counts rule events, and it
sees the engine's observation without what the table adds. So whoever asks it gets the same answer.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from games.engines.base import has_large_sets, listed_actions
from games.engines.chance import bot_random
from games.gamelog.events import RecordedEvent
from games.gamelog.fold import Fold
from games.gamelog.pacing import MAX_BUNDLE_MOVES, BlankDealer, ends_bundle
from games.gamelog.terms import BEATS
from games.gamelog.visibility import event_as_seen, legal_moves, observation, readable_event
from games.programs import protocol
from games.programs.builtin import BUILTIN_BOTS, MoveRequest

ROLL_PREFIX: Final = "roll "  # the listed one stands for every choice among its dice


class NoLegalMove(Exception):
    """A built-in bot wants a move that is not legal."""


def action(fold: Fold, seat: int, program: str, seed: bytes) -> int:
    """The action that the built-in bot `program` chooses for `seat`. Raises `NoLegalMove`, and whatever the bot
    does."""
    actions = listed_actions(fold.rules, fold.state, seat)
    if len(actions) == 1:
        return actions[0]
    return ask_builtin(fold, fold.state, seat, program, actions, bot_random(seed, seat, fold.rule_events))


def bundle(fold: Fold, seat: int, program: str, seed: bytes) -> list[str]:
    """What it would play, move after move, until one ends the bundle. Raises likewise."""
    rules, state = fold.rules, fold.state.copy()
    chance = bot_random(seed, seat, fold.rule_events)
    texts: list[str] = []
    while len(texts) < MAX_BUNDLE_MOVES:
        chosen = _choice(fold, state, seat, program, chance)
        texts.append(rules.move_text(state, chosen))
        if ends_bundle(rules, state, chosen):
            return texts
        rules.apply(state, rules.decide(state, seat, chosen, BlankDealer())[0])
    raise NoLegalMove(f"None of {MAX_BUNDLE_MOVES} moves ended its bundle.")


def _choice(fold: Fold, state: Any, seat: int, program: str, chance: random.Random) -> int:
    actions = listed_actions(fold.rules, state, seat)
    return actions[0] if len(actions) == 1 else ask_builtin(fold, state, seat, program, actions, chance)


def ask_builtin(fold: Fold, state: Any, seat: int, program: str, actions: Sequence[int], chance: random.Random) -> int:
    """What the bot says where there is a choice."""
    rules, bot = fold.rules, BUILTIN_BOTS[program]
    if not bot.looks and has_large_sets(rules):
        return rules.sample_action(state, seat, chance.random)
    legal = [rules.move_text(state, each) for each in actions]
    view = MoveRequest(fold.opened["kind"], rules.observation(state, seat) if bot.looks else {}, fold.rule_events)
    text = bot.move(view, legal, chance)
    if text not in legal:
        raise NoLegalMove(f"{text!r} is none of {', '.join(legal)}.")
    return actions[legal.index(text)]


# -- what a bot that is no built-in bot is asked


def ask_for_seat(
    fold: Fold,
    seat: int,
    news: Iterable[RecordedEvent],
    clock_ms: int,
    want: Collection[str] = protocol.WANTS,
    after: Sequence[str] = (),
) -> protocol.ProtocolLine:
    """The ask for `seat` where the game stands at `fold`; it has `clock_ms` for its answer.

    `news` are the events since it was asked last; it gets them as it may see them. What it does not `want` is left out.
    In beats `after` are the moves of its bundle so far, which it has given in parts (`PartialBundle`).
    """
    events = events_for_seat(fold, seat, news) if "events" in want else []
    trial = after_moves(fold, seat, after) if after else fold
    seen = observation(trial, seat) if "observation" in want else None
    if fold.pace == BEATS:
        return protocol.ask_bundle_line(fold.beat + 1, events, seen, description(trial, seat), clock_ms, after)
    return protocol.ask_line(fold.version, events, seen, legal_moves(fold, seat), clock_ms)


def events_for_seat(fold: Fold, seat: int, news: Iterable[RecordedEvent]) -> list[dict[str, Any]]:
    """Events as `seat` may see them, readable, each with its version."""
    return [
        {"version": each.version, **readable_event(fold.rules, event_as_seen(fold, each.event, seat))} for each in news
    ]


def description(fold: Fold, seat: int) -> dict[str, Any]:
    """The moves with which `seat` may begin its bundle, or go on with it.

    `assign`: those after which it goes on. All others end it: `moves`; `roll`, "any subset" of the `dice` or none;
    `grab` and `finish`.
    """
    legal = legal_moves(fold, seat)
    goes_on = [text for text in legal if not ends_bundle(fold.rules, fold.state, _parsed(fold, text))]
    ends = [text for text in legal if text not in goes_on]
    roll = next((text for text in ends if text.startswith(ROLL_PREFIX)), "")
    return {
        "dice": roll.removeprefix(ROLL_PREFIX),
        "assign": goes_on,
        "roll": "any subset" if roll else None,
        "grab": "grab" in ends,
        "finish": "finish" in ends,
        "moves": [text for text in ends if text not in (roll, "grab", "finish")],
    }


def after_moves(fold: Fold, seat: int, texts: Sequence[str]) -> Fold:
    """`fold` after the first moves of a bundle of `seat`, which draw nothing. Raises `RulesError`."""
    trial = fold.copy()
    for text in texts:
        made = fold.rules.decide(trial.state, seat, _parsed(trial, text), BlankDealer())
        fold.rules.apply(trial.state, made[0])
    return trial


def forced(fold: Fold, seat: int) -> str | None:
    """The one move that `seat` may make now; None where it has a choice, or is not to act."""
    legal = legal_moves(fold, seat)
    if len(legal) != 1 or (legal[0].startswith(ROLL_PREFIX) and len(legal[0]) > len(ROLL_PREFIX) + 1):
        return None
    return legal[0]


def _parsed(fold: Fold, text: str) -> int:
    return fold.rules.parse_move(fold.state, text)
