"""What was made of a club's games while everybody could see them is hidden with them once the club is private."""

from __future__ import annotations

from typing import Final

import pytest

from games.models import Game
from tests.permissions.platform import Platform
from tests.permissions.platform import platform as platform  # the fixture
from tests.permissions.table_rows import rows
from tests.permissions.test_matrix import nobody_has_asked_before as nobody_has_asked_before  # the fixture
from tournaments.clubs import lifecycle as club_lifecycle

# The schema has examples from a club of the same name. An invitation shows who invites.
NAMES_A_CLUB: Final = ("/api/v1/schema/", "/invitations/<invitation_secret>/")
PUZZLE: Final = "puzzles/<puzzle_kind>/<puzzle_date>/"


@pytest.mark.long  # it asks for every page and every address of the API
def test_no_address_gives_a_game_of_a_private_club_away(platform: Platform) -> None:
    """An exercise, a puzzle, faults, ratings and lists are made of such games. Martha, whose exercise it is, played."""
    world = platform.world
    Game.objects.filter(public_id=world.at["over"]).update(audience_club_id=world.club.pk)
    club_lifecycle.change_club(club=world.club, user=world.club.owner, visibility="private")
    secrets = [world.club.name, world.club.slug]
    secrets += Game.objects.filter(audience_club_id=world.club.pk).values_list("public_id", flat=True)
    found = []
    for row in rows():
        if row.method != "GET" or row.address in NAMES_A_CLUB:
            continue
        for role in ("anonymous", "stranger"):
            answer = platform.ask(platform.askers[role], row)
            if PUZZLE in row.address:
                assert answer.told == "404", row.address
            body: bytes = getattr(answer.response, "content", b"") if answer.told == "200" else b""
            found += [f"{role}, {row.address}: {each}" for each in secrets if each in body.decode("utf-8", "replace")]
    assert found == []
