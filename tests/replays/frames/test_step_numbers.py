"""The steps of a replay are its events that have words, by their types alone."""

from __future__ import annotations

import pytest

from replays.frames.steps import Steps, steps_of
from scorebook_games.frames.replay import frames
from scorebook_games.gamelog.visibility import ALL
from scorebook_games.luck.games import play
from scorebook_games.registry import KINDS
from tests.replays.random_games import entries


@pytest.mark.parametrize("kind", KINDS)
def test_the_steps_are_those_of_the_viewer(kind: str) -> None:
    """Also of a game in beats, whose lots have no words."""
    events = play(kind, [0.1, 0.1], bytes(32))
    events[0][1]["terms"] = {"sealed": False, **events[0][1]["terms"]}
    log = entries(*events)
    for viewer in (0, ALL):
        assert steps_of(kind, log).versions == [frame.version for frame in frames(log, viewer)]


def test_an_event_without_words_is_shown_by_the_step_before_it_or_followed_by_the_step_after_it() -> None:
    steps = Steps([2, 5, 6])
    assert [steps.at(version) for version in (1, 2, 4, 9)] == [1, 2, 2, 6]
    assert [steps.since(version) for version in (1, 3, 6, 7)] == [2, 5, 6, 7]
