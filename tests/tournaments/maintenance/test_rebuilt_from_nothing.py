"""Random seasons with corrections: all projected rows are deleted and made again from the log, as they were before."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, models, transaction

from config.docs import tables_page
from games.common import clock
from games.common.errors import DomainError
from games.common.table_source import Projection
from games.models import Bot, Player
from tests.tournaments.club import BEGIN, Start, play_all
from tests.tournaments.rulings.test_rulings import WHY
from tests.tournaments.rulings.test_rulings import niamh as niamh
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.entries.challenges import create_challenge
from tournaments.lifecycle import running as lifecycle
from tournaments.maintenance.rebuild import find_differences, fold_timed
from tournaments.ratings.models import Rating, RatingChange, Strength
from tournaments.rulings import disputes
from tournaments.rulings import services as rulings
from tournaments.rulings.models import Dispute
from tournaments.seasons.models import (
    Bye,
    Division,
    Entrant,
    ImportedGame,
    Match,
    MatchEntrant,
    MatchGame,
    Round,
    Season,
)
from tournaments.seasons.row_writer import SEASON_TABLES
from tournaments.seasons.stream import timed_season_log
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db(transaction=True)
FORMATS = ("round_robin", "swiss", "knockout", "double_elimination", "groups", "arena", "ladder")
# In this order they can be deleted. Rows of seasons, divisions and the audit log have primary data and stay.
MADE_AGAIN: tuple[type[models.Model], ...] = (
    RatingChange,
    Rating,
    Strength,
    Standing,
    Dispute,
    ImportedGame,
    MatchGame,
    MatchEntrant,
    Bye,
    Match,
    Round,
    Entrant,
)
NAMES = {  # columns that identify a row whose id may change
    Division: ("season", "number"),
    Entrant: ("season", "number"),
    Round: ("division__season", "division__number", "number", "opened_at"),
}
Chance = random.Random


def rows_of(model: type[models.Model], primary: frozenset[str] = frozenset()) -> list[Any]:
    """Return all rows, sorted by their values, without the ids that a rebuild may change."""
    columns = []
    for field in model._meta.concrete_fields:
        if field.name in primary or (field.name == "id" and model is not Match):
            continue
        names = NAMES.get(field.related_model) if isinstance(field, models.ForeignKey) else None
        columns += [f"{field.name}__{name}" for name in names] if names else [field.name]
    return sorted(map(repr, model._base_manager.values_list(*columns)))


def all_rows() -> dict[str, list[Any]]:
    director_columns = frozenset({"wakes_at", "waited_at"})
    tables: list[type[models.Model]] = [Season, Division, *MADE_AGAIN]
    return {model.__name__: rows_of(model, director_columns) for model in tables}


def drop_and_rebuild() -> list[str]:
    with transaction.atomic(), connection.cursor() as cursor:
        for model in MADE_AGAIN:
            cursor.execute(f"DELETE FROM {model._meta.db_table}")
        Season.objects.update(status="open", pool="", delay_seconds=7, paused_at=None, finished_at=BEGIN)
        Division.objects.update(rounds_opened=9, finished_at=BEGIN, on_hold=True)
        return list(find_differences(write=True))


def some_match(chance: Chance) -> Match:
    return chance.choice(list(Match.objects.select_related("round__division__season").order_by("pk")))


def rule(season: Season, by: User, chance: Chance) -> None:
    match, number = some_match(chance), chance.choice([1, 2])
    places = chance.choice([(1, 2), (2, 1), (1, 1)])
    what = chance.randrange(3)
    if what == 0:
        rulings.adjudicate(match=match, game=chance.choice([number, None]), places=places, by=by, note=WHY)
    elif what == 1:
        rulings.annul_game(match=match, game=number, by=by, note=WHY)
    else:
        rulings.order_replay(match=match, game=number, by=by, note=WHY)


def undo(season: Season, by: User, chance: Chance) -> None:
    division = season.divisions.get(number=1)
    rulings.undo_round(division=division, number=division.rounds_opened, by=by, note=WHY)
    if chance.random() < 0.7:
        rulings.pair_anew(division=division, by=by, note=WHY)


def release(season: Season, by: User, chance: Chance) -> None:
    rulings.pair_anew(division=season.divisions.get(number=1), by=by, note=WHY)


def withdraw(season: Season, by: User, chance: Chance) -> None:
    entries.withdraw_entrant(entrant=chance.choice(list(season.entries.all())), why="organiser", by=by, note=WHY)


def enter(season: Season, by: User, chance: Chance) -> None:
    entries.enter_season(season=season, player=chance.choice(list(Player.objects.filter(entries=None))))


def stay_away(season: Season, by: User, chance: Chance) -> None:
    entrant = chance.choice(list(season.entries.select_related("division")))
    entries.set_away_rounds(entrant=entrant, rounds=[*entrant.away, entrant.division.rounds_opened + 2])


def pause_and_resume(season: Season, by: User, chance: Chance) -> None:
    lifecycle.pause_season(season=season, by=by)
    if chance.random() < 0.8:
        with clock.frozen_at(clock.now() + timedelta(minutes=3)):
            lifecycle.resume_season(season=season, by=by)


def resume(season: Season, by: User, chance: Chance) -> None:
    lifecycle.resume_season(season=season, by=by)


def challenge(season: Season, by: User, chance: Chance) -> None:
    one, other = chance.sample(list(season.entries.order_by("number")), 2)
    create_challenge(entrant=one, other=other)


def dispute(season: Season, by: User, chance: Chance) -> None:
    match = some_match(chance)
    entrant = match.entrants.select_related("entrant").earliest("order").entrant
    Bot.objects.filter(versions__player=entrant.player).update(owner=by)
    disputes.open_dispute(match=match, by=by, note=WHY)


def decline(season: Season, by: User, chance: Chance) -> None:
    for asked in Dispute.objects.filter(status="open")[:1]:
        disputes.decline_dispute(dispute=asked, by=by, note=WHY)


def abandon(season: Season, by: User, chance: Chance) -> None:
    if chance.random() < 0.1:
        lifecycle.abandon_season(season=season, how=chance.choice(["stands", "void"]), by=by, note=WHY)


Change = Callable[[Season, User, Chance], None]
CHANGES: tuple[Change, ...] = (
    *(rule, rule, rule, undo, release, withdraw, enter, stay_away, pause_and_resume, resume, dispute, dispute),
    *(challenge, challenge, challenge, decline, abandon),
)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 40))])
def test_a_season_whose_projections_were_dropped_has_them_again(running: Start, niamh: User, seed: int) -> None:
    chance = random.Random(seed)
    entry = {"late_rounds": 3, "alternates": True}
    format = FORMATS[seed % len(FORMATS)]
    season = running(8 if format == "groups" else chance.choice([4, 5]), format=format, entry=entry)
    for turn in range(chance.randint(3, 8)):
        with clock.frozen_at(BEGIN + timedelta(minutes=turn, microseconds=turn * 7)):
            director.advance()
            if chance.random() < 0.8:
                play_all(turn)
            if chance.random() < 0.5:
                director.advance()
            for _each in range(chance.randint(0, 2)):
                with suppress(DomainError, IndexError):  # there is nobody or nothing to choose from
                    chance.choice(CHANGES)(season, niamh, chance)
    assert list(find_differences()) == []
    before = all_rows()
    assert before["Entrant"]
    assert drop_and_rebuild()
    assert all_rows() == before
    assert list(find_differences()) == []


def test_every_column_is_projected_or_named_as_primary(running: Start) -> None:
    running(3)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    state = fold_timed(timed_season_log(Season.objects.get()))
    for table in SEASON_TABLES:
        for columns in table.rows(state, None).values():
            fields = {field.attname for field in table.model._meta.concrete_fields} - {"id", "season_id"}
            projected = {table.column(name) for name in columns} - {"id"}
            source = tables_page.sources()[table.model._meta.db_table]
            assert isinstance(source, Projection)
            assert fields - projected == source.primary_columns(), table.model
