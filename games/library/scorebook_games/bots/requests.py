"""What a bot is asked, and what a built-in bot answers. Pure.

A bot with one legal move is not asked (`forced`). `ask_for_seat` makes the request to every bot that is not built in,
over any transport. A built-in bot gets nothing that a worker's failure could change: its version counts rule events,
and it sees what the engine shows, without the additions of the table. So every worker gets the same answer.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from scorebook_games.bots import protocol
from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest
from scorebook_games.chance import bot_random
from scorebook_games.contract import has_large_sets, listed_actions, open_action
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import MAX_BUNDLE_MOVES, BlankDealer, ends_bundle
from scorebook_games.gamelog.terms import BEATS
from scorebook_games.gamelog.visibility import event_as_seen, legal_moves, observation, readable_event
from scorebook_games.search.record import record_for


class NoLegalMove(Exception):
    """A built-in bot chose a move that is not legal."""


def action(fold: Fold, seat: int, program: str, seed: bytes) -> int:
    """Return the action that the built-in bot `program` chooses for `seat`.

    Raises `NoLegalMove`, and whatever the bot raises.
    """
    actions = listed_actions(fold.rules, fold.state, seat)
    if len(actions) == 1:
        return actions[0]
    return ask_builtin(fold, seat, program, actions, bot_random(seed, seat, fold.rule_events))


def bundle(fold: Fold, seat: int, program: str, seed: bytes) -> list[str]:
    """Return the moves of the built-in bot `program` for the next beat, up to one that ends the bundle.

    Raises `NoLegalMove`, and whatever the bot raises.
    """
    rules, trial = fold.rules, fold.copy()
    chance = bot_random(seed, seat, fold.rule_events)
    texts: list[str] = []
    while len(texts) < MAX_BUNDLE_MOVES:
        chosen = _choice(trial, seat, program, chance)
        texts.append(rules.move_text(trial.state, chosen))
        if ends_bundle(rules, trial.state, chosen):
            return texts
        trial.apply(rules.decide(trial.state, seat, chosen, BlankDealer())[0])
    raise NoLegalMove(f"None of {MAX_BUNDLE_MOVES} moves ended its bundle.")


def _choice(fold: Fold, seat: int, program: str, chance: random.Random) -> int:
    actions = listed_actions(fold.rules, fold.state, seat)
    return actions[0] if len(actions) == 1 else ask_builtin(fold, seat, program, actions, chance)


def ask_builtin(fold: Fold, seat: int, program: str, actions: Sequence[int], chance: random.Random) -> int:
    """Return the one of `actions` that the built-in bot `program` chooses."""
    rules, state, bot = fold.rules, fold.state, BUILTIN_BOTS[program]
    if not bot.looks and has_large_sets(rules):
        return rules.sample_action(state, seat, chance.random)
    legal = [rules.move_text(state, action) for action in actions]
    kind, seen = fold.opened["kind"], rules.observation(state, seat) if bot.looks else {}
    record = (
        record_for(rules, fold.seats, fold.opened["options"], seat, fold.story)
        if len(legal) > 1 and bot.recalls(kind)
        else None
    )
    text = bot.move(MoveRequest(kind, seen, fold.rule_events, record), legal, chance)
    if text not in legal:
        raise NoLegalMove(f"{text!r} is none of {', '.join(legal)}.")
    return actions[legal.index(text)]


# -- requests to bots that are not built in


def ask_for_seat(
    fold: Fold,
    seat: int,
    news: Iterable[RecordedEvent],
    clock_ms: int,
    want: Collection[str] = protocol.WANTS,
    after: Sequence[str] = (),
) -> protocol.ProtocolLine:
    """Return the request to `seat` at `fold`, with `clock_ms` for the answer.

    `news` are the events since its last request; the bot gets them as `seat` may see them. Parts that the bot does not
    `want` are left out. In beats, `after` are the moves of its bundle that it has already given (`PartialBundle`).
    """
    events = events_for_seat(fold, seat, news) if "events" in want else []
    trial = after_moves(fold, seat, after) if after else fold
    seen = observation(trial, seat) if "observation" in want else None
    if fold.pace == BEATS:
        return protocol.ask_bundle_line(fold.beat + 1, events, seen, description(trial, seat), clock_ms, after)
    return protocol.ask_line(fold.version, events, seen, legal_moves(fold, seat), clock_ms)


def events_for_seat(fold: Fold, seat: int, news: Iterable[RecordedEvent]) -> list[dict[str, Any]]:
    """Return events as `seat` may see them, with named fields and the version of each."""
    return [
        {"version": news.version, **readable_event(fold.rules, event_as_seen(fold, news.event, seat))} for news in news
    ]


def description(fold: Fold, seat: int) -> dict[str, Any]:
    """Return the moves with which `seat` may begin or continue its bundle, by what they do.

    After `assign` moves the bundle goes on. All others end it: `moves`, `grab`, `finish`, and `roll`, which is "any
    subset" (of the `dice`) or None.
    """
    legal = legal_moves(fold, seat)
    goes_on = [text for text in legal if not ends_bundle(fold.rules, fold.state, _parsed(fold, text))]
    ends = [text for text in legal if text not in goes_on]
    action = open_action(fold.rules, fold.state, seat)
    roll = "" if action is None else fold.rules.move_text(fold.state, action)
    return {
        "dice": roll.partition(" ")[2],
        "assign": goes_on,
        "roll": "any subset" if roll else None,
        "grab": "grab" in ends,
        "finish": "finish" in ends,
        "moves": [text for text in ends if text not in (roll, "grab", "finish")],
    }


def after_moves(fold: Fold, seat: int, texts: Sequence[str]) -> Fold:
    """Return `fold` after the first moves of a bundle of `seat`, which draw nothing. Raises `RulesError`."""
    trial = fold.copy()
    for text in texts:
        made = fold.rules.decide(trial.state, seat, _parsed(trial, text), BlankDealer())
        fold.rules.apply(trial.state, made[0])
    return trial


def forced(fold: Fold, seat: int) -> str | None:
    """Return the only move that `seat` may make now; None if it has a choice or may not act."""
    legal = legal_moves(fold, seat)
    if len(legal) != 1:
        return None
    is_open = open_action(fold.rules, fold.state, seat) is not None
    return None if is_open and len(fold.rules.legal_actions(fold.state, seat)) > 1 else legal[0]


def _parsed(fold: Fold, text: str) -> int:
    return fold.rules.parse_move(fold.state, text)
