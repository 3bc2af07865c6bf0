"""How a bracket is put together for a page (tournaments.matches.bracket)."""

from __future__ import annotations

from scorebook_games.chance import SeedDealer
from tests.tournaments.simulated_competition import SEED, competition
from tournaments.formats import FORMATS
from tournaments.matches.bracket import group_sections


def test_the_match_for_third_place_stands_apart_and_the_final_has_its_name() -> None:
    going = competition("knockout", 4, third_place=True)
    columns = FORMATS[going.format].columns(going.entrants, going.history, going.options, SeedDealer(SEED))
    upper, third = group_sections(columns, {}, {})
    assert [[box.label for box in column.boxes] for column in upper.columns] == [["W1.1", "W1.2"], ["Final"]]
    assert (third.name, [box.label for column in third.columns for box in column.boxes]) == ("third", [third.title])
