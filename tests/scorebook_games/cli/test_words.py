"""What the command `scorebook-bot` says of a series that has not decided."""

from __future__ import annotations

from scorebook_games.analysis.comparison import Bounds, compare
from scorebook_games.cli import words


def test_who_has_no_verdict_hears_how_to_get_one_and_what_evidence_there_is() -> None:
    found = compare([(0.0, 0.0), (1.0, 1.0)] * 20, Bounds(0, 20))
    sentence = words.answer("mine.py", "sensible", found)
    assert sentence == "Not decided yet: better by 0 or by +20 Elo. Play more deals, or leave out --games."
    assert words.grounds(found) == "evidence for accepted 1.0, for rejected 0.9 (20 decides)"
