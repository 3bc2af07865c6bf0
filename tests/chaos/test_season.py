"""A small season with all its troubles. `python -m tests.chaos.season` plays a large one."""

from __future__ import annotations

import pytest

from tests.chaos import season as chaos
from tests.chaos.season_checks import faults, timeline, trouble_counts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

TROUBLES = {
    "listed: waiting",
    "listed: alternate",
    "left before it played: not_checked_in",
    "entered late, or from the list of alternates",
    "entrant away",
    "round without a match: bye",
    "round without a match: away",
    "round without a match: walkover",
    "withdrawn (asked) before half, void",
    "withdrawn (organiser) after half, the rest forfeited",
    "withdrawn (no_shows) before half, void",
    "withdrawn (account) before half, void",
    "game with a no-show",
    "time of a match: agreed",
    "season paused",
    "season resumed",
    "round extended",
    "match nudged",
    "dispute upheld",
    "dispute declined",
    "game adjudicated",
    "game annulled",
    "game ordered",
    "round undone",
    "pairing released",
    "playoff opened",
    "entrants moved",
}


def test_a_season_with_every_trouble_ends_whole_and_the_next_one_begins() -> None:
    trial = chaos.simulate(seed=1, people=17, bots=3, format="round_robin")
    season = trial.season
    assert set(trouble_counts(season)) >= TROUBLES
    assert any("Round undone." in line for line in timeline(season))
    successor = chaos.go_on(trial)
    assert "points carried" in trouble_counts(successor)
    assert list(faults(season)) == []


def test_a_season_of_shared_deals_with_a_game_played_again_and_a_round_undone_ends_whole() -> None:
    season = chaos.share_deals(chaos.found_club(), bots=5)
    assert set(trouble_counts(season)) >= {"game ordered", "round undone", "game annulled"}
    assert list(faults(season)) == []
