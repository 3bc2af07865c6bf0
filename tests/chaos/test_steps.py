"""Some steps of the leagues, disturbed by real processes. `python -m tests.chaos.steps` disturbs all of them.

Other tests show that faulty steps are found: one of two halves, one that writes again each time, and one that two
processes can do at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import Parameter, getmembers, isfunction, signature
from types import ModuleType
from typing import Any

import pytest
from django.db import connection, transaction

from games.common import clock
from tests.chaos.repeated_steps import Found, Stage, Step
from tests.chaos.story import NOW, at, club, scenes, season_of
from tournaments.calendar import scheduling
from tournaments.clubs.models import Club
from tournaments.director import close_rounds, director, open_rounds, record_results
from tournaments.entries import challenges
from tournaments.entries import services as entries
from tournaments.importexport import entrants as importexport
from tournaments.lifecycle import running
from tournaments.lifecycle import services as seasons
from tournaments.maintenance import rebuild
from tournaments.organiser import nudges
from tournaments.rulings import disputes, substitutions
from tournaments.rulings import services as rulings
from tournaments.seasons.events.rounds import PairingReleased
from tournaments.seasons.stream import append_events, lock_season
from tournaments.teams import lineups
from tournaments.teams import services as teams

pytestmark = pytest.mark.django_db(transaction=True)

SAMPLE = (
    at(open_rounds.open_round),
    pytest.param(at(close_rounds.close_round, "a play-off begins"), marks=pytest.mark.slow),
    at(lineups.hand_in, "the last of two"),
    pytest.param(at(rulings.order_replay), marks=pytest.mark.slow),
    pytest.param(at(substitutions.substitute), marks=pytest.mark.slow),
    pytest.param(at(rebuild.find_differences, "rows are wrong"), marks=pytest.mark.slow),
    pytest.param(at(importexport.import_season, "with its results"), marks=pytest.mark.slow),
    pytest.param("message tournaments.advance", marks=pytest.mark.slow),
)
ALL = {scene.name: scene for scene in scenes()}


@pytest.fixture(autouse=True)
def nothing_is_kept() -> Iterator[None]:
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA IF EXISTS kept CASCADE")


def a_few(statements: int) -> list[int]:
    """Return three statements before which to kill: the first, one in the middle and the last, which is a commit."""
    return sorted({0, statements // 2, statements - 1})


@pytest.mark.some(1)
@pytest.mark.parametrize("name", SAMPLE)
def test_a_step_that_is_killed_or_taken_by_several_leaves_what_it_would_have_left(name: str) -> None:
    found = Stage().disturb(ALL[name].step(), a_few)
    assert found.differences == []
    assert found.kills == len(a_few(found.statements))
    assert found.nothing > 0


def disturbed(call: Callable[[], Any]) -> Found:
    return Stage().disturb(Step("a bad step", NOW, call), range)


@pytest.mark.slow
def test_a_step_whose_second_half_nobody_takes_up_is_found() -> None:
    club()

    def rename() -> None:
        if Club.objects.filter(name="Lantern").update(name="Beacon"):
            Club.objects.update(slug="beacon")

    assert any("killed before statement" in difference for difference in disturbed(rename).differences)


@pytest.mark.slow
def test_a_step_that_writes_each_time_is_found() -> None:
    with clock.frozen_at(NOW):
        season = season_of(2)

    def release() -> None:
        with transaction.atomic():
            append_events(lock_season(season).stream, [PairingReleased(1, {"by": None, "note": None})], NOW)

    found = disturbed(release)
    assert {difference.partition(":")[0] for difference in found.differences} >= {"3 at once", "once more"}


@pytest.mark.slow
def test_a_step_that_two_may_take_at_once_is_found() -> None:
    """The step first reads and then writes, without a lock on what it read."""
    owned = club()

    def found_league() -> None:
        if not owned.leagues.exists():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.2)")
            owned.leagues.create(name="Mondays", slug=f"mondays-{connection.connection.info.backend_pid}")

    assert any(difference.startswith("3 at once") for difference in disturbed(found_league).differences)


@pytest.mark.parametrize(
    "module",
    [
        director,
        open_rounds,
        record_results,
        close_rounds,
        entries,
        challenges,
        seasons,
        running,
        nudges,
        importexport,
        rebuild,
        rulings,
        disputes,
        scheduling,
        substitutions,
        teams,
        lineups,
    ],
)
def test_every_step_of_the_director_and_every_service_has_its_scene(module: ModuleType) -> None:
    """Services are the functions whose arguments are all keyword-only."""
    own = [each for _name, each in getmembers(module, isfunction) if each.__module__ == module.__name__]
    services = [
        at(each)
        for each in own
        if each.__name__[0] != "_" and {p.kind for p in signature(each).parameters.values()} == {Parameter.KEYWORD_ONLY}
    ]
    begun = {name.partition(",")[0] for name in ALL}
    assert [service for service in services if service not in begun] == []
