"""What is true of every scene. An event of a season notifies the users whom its class names: nobody else is notified,
and each audience is in some scene. A service reads a season's log and folds it once at the most.

These tests are in one file, because it is long to play the scenes: each is played once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.chaos.story import DAY, WHY, Scene, at, first, match_of, niamh, recorded, season_of, somebody
from tests.parameters import mostly_slow
from tests.tournaments.scene_records import SCENES, Acted, acted
from tournaments.director import close_rounds, open_rounds
from tournaments.entries import availability, challenges
from tournaments.entries import services as entries
from tournaments.lifecycle import running
from tournaments.lifecycle import services as seasons
from tournaments.rulings import services as rulings
from tournaments.seasons import stream
from tournaments.seasons.events.base import Audience, SeasonEvent
from tournaments.seasons.events.registry import SEASON_EVENTS
from tournaments.seasons.models import Round

pytestmark = pytest.mark.django_db
Call = Callable[[], Any]


def ask() -> Call:
    season, player = season_of(2, start=False, entry={"invited_only": True}), somebody()
    return lambda: entries.enter_season(season=season, player=player, by_organiser=False)


def start_when_full() -> Call:
    season = season_of(5, start=False, entry={"max_entrants": 4, "alternates": True})
    return lambda: seasons.start_season(season=season)


def expire() -> Call:
    round = Round.objects.get(division__season=season_of(2, on_round_deadline="adjudicate"))
    return lambda: close_rounds.expire_round(round=round)


def lapse() -> Call:
    """Prepare a challenge that lapses, because the challenged entrant has withdrawn."""
    season = season_of(4, format="ladder", pair=False)
    lots = stream.fold_season(season).lots(stream.fold_season(season).division(1))
    other, own = (season.entries.get(number=number) for number in sorted(lots, key=lots.__getitem__)[-2:])
    challenges.create_challenge(entrant=own, other=other)
    entries.withdraw_entrant(entrant=other, why="asked")
    return lambda: open_rounds.open_round(division=season.divisions.get())


def resume() -> Call:
    season = season_of(2)
    running.pause_season(season=season, by=niamh())
    return lambda: running.resume_season(season=season, by=niamh())


def set_absence() -> Call:
    entrant = first(season_of())
    return lambda: availability.answer_round(entrant=entrant, round=2, plays=False, by=niamh(), note=WHY)


def call_alternate() -> Call:
    """Prepare a round that one of four entrants misses, with a fifth as alternate."""
    entry = {"max_entrants": 4, "alternates": True, "stand_ins": True}
    season = season_of(5, format="swiss", format_options={"rounds": 3}, entry=entry, pair=False)
    availability.answer_round(entrant=first(season), round=1, plays=False)
    return lambda: open_rounds.open_round(division=season.divisions.get())


def adjudicate() -> Call:
    match = match_of(recorded())
    return lambda: rulings.adjudicate(match=match, places=(2, 1), by=niamh(), note=WHY)


MORE = (
    Scene("somebody asks to enter", ask),
    Scene("a season starts that has more entrants than places", start_when_full),
    Scene("the time of a round is up", expire, 8 * DAY),
    Scene("a challenge lapses", lapse),
    Scene("a season is resumed", resume),
    Scene("a result is adjudicated", adjudicate),
    Scene("an organiser sets an absence", set_absence),
    Scene("an alternate plays a round for somebody who is away", call_alternate),
)
SOME = [*SCENES.values()][::3]  # by default
COMPOSED = {at(seasons.open_successor): 2}  # it enters those who stay, and starts the season: two services
OF_TEAMS = "tournaments.seasons.events.teams"  # no scene has teams: tests/tournaments/teams looks at their notices
EVENTS = [event for event in SEASON_EVENTS.values() if event.__module__ != OF_TEAMS]
PAIRS = [(event, audience) for event in EVENTS for audience in event.audience]


def named(done: Acted, without: tuple[type[SeasonEvent], Audience] | None = None) -> frozenset[str]:
    """Return the users whom the audiences of the new events name. `without` leaves out one audience of one class."""
    users = [
        users for new in done.recorded for audience, users in new.audiences.items() if (new.event, audience) != without
    ]
    return frozenset().union(*users)


@pytest.mark.some(7)
@pytest.mark.parametrize("scene", mostly_slow([*SCENES.values(), *MORE], SOME), ids=lambda scene: scene.name)
def test_nobody_is_notified_whom_no_event_names(scene: Scene) -> None:
    done = acted(scene)
    assert done.notified <= named(done)


@pytest.mark.parametrize("scene", mostly_slow(SCENES.values(), SOME), ids=lambda scene: scene.name)
def test_in_no_scene_is_a_log_read_or_folded_twice(scene: Scene) -> None:
    """`tests/chaos/test_steps.py` checks that each service has a scene."""
    done, services = acted(scene), COMPOSED.get(scene.name, 1)
    assert max(done.reads, default=0) <= services
    assert done.folds <= sum(done.reads) + done.created


@pytest.mark.slow
def test_each_audience_is_notified_in_a_scene_in_which_nothing_else_names_it() -> None:
    played = [acted(scene) for scene in (*SCENES.values(), *MORE)]
    idle = [
        (event.type, str(audience))
        for event, audience in PAIRS
        if not any(done.notified - named(done, (event, audience)) for done in played)
    ]
    assert idle == []
