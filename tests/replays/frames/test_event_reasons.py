"""Why events followed from the rules: each reason cites a clause of its kind's own rules."""

from __future__ import annotations

import pytest

from scorebook_games.conformance.page import clauses_of
from scorebook_games.frames.replay import frames
from scorebook_games.gamelog.visibility import ALL, PUBLIC
from scorebook_games.registry import KINDS
from tests.replays.random_games import random_game


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_reason_cites_a_clause_and_the_public_reads_no_other(kind: str) -> None:
    game = random_game(kind, 2)
    reasons = {frame.version: frame.why for frame in frames(game, ALL) if frame.why}
    assert len({game[version - 1].event[0] for version in reasons}) > 2
    assert {why.clause for why in reasons.values()} <= set(clauses_of(KINDS[kind].rules_page))
    assert all(frame.why in (None, reasons.get(frame.version)) for frame in frames(game, PUBLIC))
