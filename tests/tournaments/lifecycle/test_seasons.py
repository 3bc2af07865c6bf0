"""Opening, joining and starting a season: what is refused and with which words, and what the log holds."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.accounts import people
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Player
from tests.tournaments.club import BEGIN, NAMES, SEED, Start, builtin_bot, play_season
from tournaments.director import director
from tournaments.entries import eligibility
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import Entrant, League, Season

pytestmark = pytest.mark.django_db


def events(season: Season) -> list[Any]:
    return [entry.event for entry in eventlog.read_events(season.stream_id)]


def test_season_starts_with_everything_that_pairing_and_counting_need(league: League) -> None:
    season = seasons.create_season(league=league, name="Autumn 2026", kind="chinese_ten", terms={"watch_delay": 60})
    [[kind, settings]] = events(season)
    assert kind == "season_created"
    assert settings["options"] == season.options == {"packs": 2, "turn_limit": 400}
    assert settings["terms"]["watch_delay"] == 60
    assert settings["points"] == {"system": "match_points", "scale": [1], "bye": 0, "away": 0}
    assert (settings["format"], settings["table_size"], settings["games_a_match"]) == ("double_round_robin", 2, 2)


@pytest.mark.parametrize(
    ("settings", "code", "sentence"),
    [
        ({"kind": "bridge"}, "unknown_kind", "There is no kind of game 'bridge'"),
        ({"options": {"jokers": 2}}, "bad_option", "has no option 'jokers'"),
        ({"options": {"packs": 9}}, "bad_option", "packs"),
        ({"terms": {"rated": "yes"}}, "bad_option", "rated must be true or false"),
        ({"format": "bridge"}, "bad_format", "The format must be one of round_robin"),
        ({"table_size": 1}, "bad_option", "2 to 6 players"),
        ({"kind": "plates", "table_size": 9}, "bad_option", "2 to 8 players"),
        ({"games_a_match": 0}, "bad_format", "A match must have 1 to 64 games"),
        ({"points": {"system": "sums"}}, "bad_points", "The points system must be one of"),
        ({"points": {"system": "score", "scale": [-1]}}, "bad_points", "highest score is the best"),
        ({"tie_breaks": ["beauty"]}, "bad_tie_break", "A tie-break must be one of"),
        ({"tie_breaks": ["wins", "wins"]}, "bad_tie_break", "may be listed only once"),
        ({"calendar": {"seconds": 0}}, "bad_schedule", "A round must last"),
        ({"name": "…"}, "bad_name", "1 to 60 characters"),
    ],
)
def test_bad_season_is_refused_and_nothing_is_written(
    league: League, settings: dict[str, Any], code: str, sentence: str
) -> None:
    with pytest.raises(DomainError, match=sentence) as refused:
        seasons.create_season(league=league, **({"name": "Autumn 2026", "kind": "chinese_ten"} | settings))
    assert (refused.value.code, refused.value.status) == (code, 400)
    assert not Season.objects.exists()


def test_name_is_taken_once_a_league(league: League) -> None:
    seasons.create_season(league=league, name="Autumn 2026", kind="chinese_ten")
    with pytest.raises(DomainError, match="Choose another name") as refused:
        seasons.create_season(league=league, name="Autumn 2026", kind="plates")
    assert (refused.value.code, refused.value.status) == ("name_taken", 409)


def test_entrants_are_numbered_in_the_order_of_joining(league: League, bots: list[Player]) -> None:
    season = seasons.create_season(league=league, name="Autumn 2026", kind="chinese_ten")
    entries.enter_players(season=season, players=bots[:3])
    assert events(season)[1:] == [["entrant_joined", 1, n, player.pk] for n, player in enumerate(bots[:3], start=1)]
    assert list(Entrant.objects.values_list("number", flat=True)) == [1, 2, 3]


def test_bots_stay_out_of_live_seasons_that_are_rated(league: League, bots: list[Player]) -> None:
    """PS-17: a player who is always the fastest wins more than their share."""
    live = {"pace": "live"}
    season = seasons.create_season(league=league, name="Live", kind="chinese_ten", terms=live)
    with pytest.raises(DomainError, match="Bots cannot play rated live games"):
        entries.enter_season(season=season, player=bots[0])
    unrated = seasons.create_season(league=league, name="Fun", kind="chinese_ten", terms={**live, "rated": False})
    entries.enter_season(season=unrated, player=bots[0])


def test_nobody_joins_twice_or_after_the_start(league: League, bots: list[Player], running: Start) -> None:
    season = seasons.create_season(league=league, name="Winter", kind="chinese_ten")
    entries.enter_season(season=season, player=bots[0])
    with pytest.raises(DomainError, match="is already in Chinese Ten League, Winter") as refused:
        entries.enter_season(season=season, player=bots[0])
    assert refused.value.code == "already_joined"
    with pytest.raises(DomainError, match="entries are closed") as refused:
        entries.enter_season(season=running(), player=bots[8])
    assert refused.value.code == "season_started"


def test_groups_that_cannot_be_made_are_refused_in_the_words_of_the_format(league: League, bots: list[Player]) -> None:
    season = seasons.create_season(league=league, name="Cup", kind="chinese_ten", format="groups")
    entries.enter_players(season=season, players=bots[:5])
    with pytest.raises(DomainError, match=r"Cup cannot start yet\. Two groups need 8 entrants and there are 5"):
        seasons.start_season(season=season)


def test_season_needs_a_tableful_and_starts_once(league: League, bots: list[Player]) -> None:
    season = seasons.create_season(league=league, name="Plates", kind="plates", table_size=3)
    entries.enter_players(season=season, players=bots[:2])
    with pytest.raises(DomainError, match="The season needs at least 3 entrants and has 2") as refused:
        seasons.start_season(season=season)
    assert refused.value.code == "too_few_entrants"
    entries.enter_season(season=season, player=bots[2])
    seasons.start_season(season=season, seed=SEED)
    with pytest.raises(DomainError, match="has already started"):
        seasons.start_season(season=season)
    assert events(season)[-1] == ["season_started", {"seed": SEED, "pool": "bots"}]


def test_pool_is_what_the_entrants_are(league: League, bots: list[Player], django_user_model: type[User]) -> None:
    assert eligibility.rating_pool_name(bots) == "bots"
    person = builtin_bot("Niamh herself")
    person.bot_version, person.user = None, django_user_model.objects.create(username="oona")
    assert eligibility.rating_pool_name([person]) == "people"
    assert eligibility.rating_pool_name([person, bots[0]]) == "mixed"


def test_events_hold_no_names(running: Start) -> None:
    """docs/explanation/event-log.md: events hold ids only."""
    season = play_season(running(3))
    written = events(season)
    usual = {
        "season_created",
        "entrant_joined",
        "season_started",
        "round_paired",
        "game_recorded",
        "round_closed",
        "season_finished",
    }
    assert {event[0] for event in written} == usual
    assert not any(name in json.dumps(written) for name in (*NAMES, "Lantern", "Autumn"))


def test_finished_season_that_repeats_is_followed_by_the_next(running: Start, league: League) -> None:
    season = play_season(running(3, repeats=True))
    with clock.frozen_at(datetime(2026, 9, 8, 12, 0, tzinfo=UTC)):
        director.advance()
        season.refresh_from_db()
        assert seasons.open_successor(season=season) is None  # it has its successor
    successor = season.successor
    assert successor is not None
    assert successor.name == "Autumn 2026, no. 2"
    assert successor.status == Season.Status.RUNNING
    assert successor.repeats
    logged, settings = events(successor)[0], events(season)[0]
    assert logged == settings
    assert [event[3] for event in events(successor) if event[0] == "entrant_joined"] == [
        entrant.player_id for entrant in Entrant.objects.filter(division__season=season)
    ]
    assert league.seasons.count() == 2


@pytest.mark.parametrize(
    ("moment", "name"),
    [
        (BEGIN, "Autumn 2026"),
        (datetime(2026, 12, 1, tzinfo=UTC), "Winter 2027"),
        (datetime(2027, 1, 1, tzinfo=UTC), "Winter 2027"),
        (datetime(2027, 5, 31, 22, 59, tzinfo=UTC), "Spring 2027"),
        (datetime(2027, 5, 31, 23, 0, tzinfo=UTC), "Summer 2027"),  # midnight in Dublin
    ],
)
def test_seasons_are_named_by_the_part_of_the_year_where_the_club_is(
    league: League, moment: datetime, name: str
) -> None:
    with clock.frozen_at(moment):
        assert seasons.current_name(league) == name


def test_a_guest_enters_unrated_seasons_only_for_a_rated_round_could_not_be_opened(league: League) -> None:
    guest = people.create_profile_and_player(User.objects.create_user("guest-1"), "Guest 4821", guest=True)
    settings: dict[str, Any] = {"name": "Autumn", "kind": "chinese_ten", "terms": {"move_days": 1}}
    season = seasons.create_season(league=league, **settings)
    with pytest.raises(DomainError, match="Sign up") as refused:
        entries.enter_season(season=season, player=guest)
    assert (refused.value.code, refused.value.status) == ("guest_in_rated_season", 409)

    casual = settings | {"name": "Winter", "terms": {"rated": False, "move_days": 1}}
    season = seasons.create_season(league=league, **casual)
    entries.enter_season(season=season, player=guest)
    entries.enter_season(season=season, player=builtin_bot("Gannet"))
    setting = {name: getattr(season, name) for name in ("format", "table_size", "games_a_match", "options")}
    counting = {"points": None, "tie_breaks": season.tie_breaks, "calendar": {"seconds": 60}, "starts_at": None}
    with pytest.raises(DomainError, match="Sign up"):
        seasons.change_season(season=season, repeats=False, **{**settings, **setting, **counting})
    seasons.start_season(season=season)
    assert director.advance()
