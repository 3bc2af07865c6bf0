"""A commentator's frames show what the seats see together, and nothing that no seat has seen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from scorebook_games.frames.replay import frames
from scorebook_games.gamelog.visibility import ALL, COMMENTATOR, PUBLIC, Viewpoint
from scorebook_games.registry import KINDS
from tests.replays.random_games import random_game


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield what stands in plain data that is not null, each with its path."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    elif value is not None:
        yield path, value


def events_seen(kind: str, viewer: Viewpoint) -> dict[int, Any]:
    return {frame.version: frame.event for frame in frames(random_game(kind, 2), viewer)}


@pytest.mark.some(2)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_commentator_sees_of_each_event_what_some_seat_sees(kind: str) -> None:
    seen = [events_seen(kind, viewer) for viewer in (PUBLIC, 0, 1)]
    for version, event in events_seen(kind, COMMENTATOR).items():
        known = {leaf for views in seen if version in views for leaf in leaves(views[version])}
        assert set(leaves(event)) == known


@pytest.mark.parametrize("kind", ["chinese_ten", "palace", "plates", "platinum_fish"])
def test_a_commentator_sees_all_hands_but_not_the_order_of_the_deck(kind: str) -> None:
    game = random_game(kind, 2)
    for_commentator, for_all = frames(game, COMMENTATOR), frames(game, ALL)
    assert [frame.observation for frame in for_commentator] == [frame.observation for frame in for_all]
    hidden = json.dumps([frame.event for frame in for_all]) != json.dumps([frame.event for frame in for_commentator])
    assert hidden, "The deal of a finished game shows what nobody held."
