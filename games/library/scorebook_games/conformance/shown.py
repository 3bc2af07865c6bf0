"""Promises of what a kind offers beside its rules: words for people, and the built-in bots."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, Final

from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest
from scorebook_games.conformance.game import OPEN, Game, need, sample
from scorebook_games.contract import Event, listed_actions
from scorebook_games.gamelog.visibility import outcome_data
from scorebook_games.presentation.base import ZONE_SORTS, Marker, MoverView
from scorebook_games.presentation.sentences import EventContext, Segments, plain_text
from scorebook_games.registry import KINDS
from scorebook_games.search.record import record_for

NAMES: Final = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jo", "Kim", "Lea", "Max", "Nia", "Oz")
EVERY: Final = 10  # moves between those at which the bot `sensible` is asked
STRONG: Final = 1  # moves of a game by the bot `strong`


class Narrator:
    """A game as one viewer reads it."""

    def __init__(self, game: Game, viewer: int | None) -> None:
        self.game, self.viewer = game, viewer
        self.names = NAMES[: game.table.seats]
        self.presentation = KINDS[game.table.kind].presentation
        self.marker: Marker = self.presentation.marker()
        self.before: dict[str, Any] = {}
        self.version = 1
        self.printed: dict[str, Any] = {}

    def narrate(self, state: Any, events: list[Event]) -> None:
        """Take the events of a move or of the start. `state` is the state before them, and is changed."""
        rules = self.game.rules
        for event in events:
            rules.apply(state, event)
            self.version += 1
            after = self.observation(state)
            readable = rules.readable(rules.redact(event, self.viewer))
            self.sentence(self.presentation.narrate(EventContext(readable, self.before, after)))
            for mark in self.marker.marks(readable, after):
                self.sentence(mark.parts)
            offers = self.presentation.offers(readable, after)
            need(all(type(place) is int for place in offers), "A place that is offered is no whole number", offers)
            self.before = after
        self.position(self.before or self.observation(state))

    def observation(self, state: Any) -> dict[str, Any]:
        """Return what the platform gives to a presentation."""
        rules, outcome = self.game.rules, self.game.rules.outcome(state)
        return {
            **rules.observation(state, self.viewer),
            "version": self.version,
            "to_act": rules.to_act_seen(state, self.viewer),
            "left": [],
            "taken_over": {},
            "outcome": outcome_data(outcome) if outcome else None,
        }

    def sentence(self, parts: Segments) -> None:
        """Test one sentence."""
        text = plain_text(parts, self.names)
        need(not parts or text.strip(), "A sentence is empty", parts)

    def position(self, seen: dict[str, Any]) -> None:
        """Test a position in words and pictures."""
        presentation, seats = self.presentation, self.game.table.seats
        slim = presentation.slim(seen)
        for fact in presentation.position(slim, self.names):
            need(isinstance(fact.label, str) and isinstance(fact.text, str), "A fact is no text", fact)
        for zone in presentation.zones(slim) or ():
            need(zone.sort in ZONE_SORTS, "The sort of a zone is unknown", zone)
            need(zone.seat is None or 0 <= zone.seat < seats, "A zone belongs to a seat that is not there", zone)
            need(all(item is None or isinstance(item, str) for item in zone.items), "An item is no text", zone)
        scores = presentation.scores(seen)
        need(len(scores) in (0, seats), "There is not one score a seat", scores)
        if not self.printed:  # like the platform, which asks once a game
            self.printed = presentation.items(seen)
            json.dumps(self.printed, allow_nan=False)
        json.dumps(slim, allow_nan=False)
        thumbnail = presentation.thumbnail(seen)
        need(thumbnail is None or thumbnail.words, "A thumbnail has no words")


def words_are_made_for_whatever_happens(game: Game) -> Iterator[None]:
    """The presentation has words for every event, position and move, as a player and the public see them. No two moves
    of one list have the same words."""
    narrators = [Narrator(game, viewer) for viewer in (*game.viewers[:1], None)]
    for narrator in narrators:
        state = game.rules.initial(game.table.seats, game.table.options)
        before_start = Narrator(game, narrator.viewer)  # people look at a table before they are all there
        before_start.position(before_start.observation(state))
        narrator.narrate(state, game.log[: game.started])
    while game.on:
        labelled(game)
        for narrator in narrators:
            narrator.narrate(game.state.copy(), game.node.events)
        yield
    if not narrators[-1].presentation.hides:
        return
    seats = [game.rules.observation(game.state, seat) for seat in range(game.table.seats)]
    json.dumps(narrators[-1].presentation.merge_viewpoints(game.rules.observation(game.state, None), seats))


def labelled(game: Game) -> None:
    """Test the words of the moves of the seat that moves."""
    seat = game.node.seat
    narrator = Narrator(game, seat)
    view = MoverView(narrator.observation(game.state), seat, narrator.names)
    texts = [game.rules.move_text(game.state, action) for action in listed_actions(game.rules, game.state, seat)[:100]]
    labels: dict[str, str] = {}
    for text in texts:
        words = narrator.presentation.move_label(text, view).words
        need(words.strip(), f"The move {text!r} has no words")
        need(words not in labels, f"The moves {text!r} and {labels.get(words)!r} have the same words", words)
        labels[words] = text


def the_kinds_bots_play_legal_moves(game: Game) -> Iterator[None]:
    """Each built-in bot that plays the kind finds a legal move in its view. A world that the guide makes shows its seat
    the same view."""
    rules, kind = game.rules, game.table.kind
    bots = [bot for bot in BUILTIN_BOTS.values() if kind in bot.kinds]
    guide = KINDS[kind].bots.guide
    thought = 0
    while game.on:
        if game.moves % EVERY == 0:
            seat = game.node.seat
            seen = rules.observation(game.state, seat)
            legal = [rules.move_text(game.state, action) for action in listed_actions(rules, game.state, seat)]
            for bot in bots:
                slow = bot.name == "strong"
                if slow and (thought >= STRONG or len(legal) < 2 or not game.closely):
                    continue
                thought += slow
                record = (
                    record_for(rules, game.table.seats, game.table.options, seat, game.log)
                    if bot.recalls(kind)
                    else None
                )
                view = MoveRequest(kind, seen, len(game.log), record)
                move = bot.move(view, list(legal), random.Random(game.rng.random()))
                need(move in legal, f"The bot {bot.name} plays what is not legal", move, sample(game.rng, legal, OPEN))
            if guide is not None:
                world = guide.worlds(seen).sample(game.rng)
                need(rules.observation(world, seat) == seen, f"A world of the guide shows seat {seat} something else")
        yield
