"""Random seasons with corrections: all projected rows are deleted and made again from the log, as they were before.

Some seasons are played by bots. Others are played by people, who also check in, ask to join, leave, answer challenges
and agree on times. A change that a season refuses is left out; the last test checks that each change happened in some
season.
"""

from __future__ import annotations

import random
from collections import Counter
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
from tests.chaos import story
from tests.chaos.story import DAY, HOUR, NOW, one_of, other_of, season_of, somebody, user_of
from tests.tournaments.club import BEGIN, Start, play_all
from tests.tournaments.rulings.test_rulings import WHY
from tests.tournaments.rulings.test_rulings import niamh as niamh
from tournaments.calendar import scheduling
from tournaments.calendar.models import Proposal
from tournaments.director import director
from tournaments.entries import availability, challenges
from tournaments.entries import services as entries
from tournaments.importexport import entrants as importexport
from tournaments.importexport import export
from tournaments.lifecycle import running as lifecycle
from tournaments.lifecycle import services as seasons
from tournaments.lifecycle.setup import SeasonPlan
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
from tournaments.seasons.stream import fold_season, timed_season_log
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


def beyond_the_log(model: type[models.Model]) -> frozenset[str]:
    """Return the columns that no event has if a season was imported, else none."""
    source = tables_page.sources()[model._meta.db_table]
    imported = Season.objects.filter(imported_at__isnull=False).exists()
    return frozenset(source.imported if imported and isinstance(source, Projection) else ())


def rows_of(model: type[models.Model], primary: frozenset[str] = frozenset()) -> list[Any]:
    """Return all rows, sorted by their values, without the ids that a rebuild may change."""
    columns, primary = [], primary | beyond_the_log(model)
    for field in model._meta.concrete_fields:
        if field.name in primary or (field.name == "id" and model is not Match):
            continue
        of = field.related_model if isinstance(field, models.ForeignKey) else None
        if of in NAMES:
            columns += [f"{field.name}__{name}" for name in NAMES[of] if name not in beyond_the_log(of)]
        else:
            columns.append(field.name)
    return sorted(map(repr, model._base_manager.values_list(*columns)))


def all_rows() -> dict[str, list[Any]]:
    director_columns = frozenset({"wakes_at", "waited_at"})
    tables: list[type[models.Model]] = [Season, Division, *MADE_AGAIN]
    return {model.__name__: rows_of(model, director_columns) for model in tables}


def drop_and_rebuild() -> list[str]:
    with transaction.atomic(), connection.cursor() as cursor:
        Proposal.objects.all().delete()  # primary data, which point to entrants
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


def release(season: Season, by: User, chance: Chance) -> None:
    rulings.pair_again(division=season.divisions.get(number=1), by=by, note=WHY)


def withdraw(season: Season, by: User, chance: Chance) -> None:
    entries.withdraw_entrant(entrant=chance.choice(list(season.entries.all())), why="organiser", by=by, note=WHY)


def enter(season: Season, by: User, chance: Chance) -> None:
    entries.enter_season(season=season, player=chance.choice(list(Player.objects.filter(entries=None))))


def stay_away(season: Season, by: User, chance: Chance) -> None:
    entrant = chance.choice(list(season.entries.select_related("division")))
    availability.set_away_rounds(entrant=entrant, rounds=[*entrant.away, entrant.division.rounds_opened + 2])


def pause(season: Season, by: User, chance: Chance) -> None:
    lifecycle.pause_season(season=season, by=by)


def resume(season: Season, by: User, chance: Chance) -> None:
    lifecycle.resume_season(season=season, by=by)


def challenge(season: Season, by: User, chance: Chance) -> None:
    one, other = chance.sample(list(season.entries.order_by("number")), 2)
    challenges.create_challenge(entrant=one, other=other)


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


# Changes that people make


def check_in(season: Season, by: User, chance: Chance) -> None:
    entries.check_in_entrant(entrant=chance.choice(list(season.entries.order_by("number"))))


def ask(season: Season, by: User, chance: Chance) -> None:
    entries.enter_season(season=season, player=somebody(), by_organiser=False)


def admit(season: Season, by: User, chance: Chance) -> None:
    asking = season.entries.filter(status=Entrant.Status.ASKED).order_by("number")
    entries.admit_entrant(entrant=chance.choice(list(asking)), by=by)


def leave(season: Season, by: User, chance: Chance) -> None:
    entrant = chance.choice(list(season.entries.select_related("player__user").order_by("number")))
    entries.leave_season(entrant=entrant, by=user_of(entrant))


def extend(season: Season, by: User, chance: Chance) -> None:
    round = chance.choice(list(Round.objects.filter(division__season=season, status="open").order_by("pk")))
    until = clock.now() + timedelta(days=chance.randint(8, 20))
    lifecycle.extend_round(round=round, until=until, by=by, note=WHY)


def open_challenge(season: Season, chance: Chance) -> tuple[Entrant, Entrant]:
    """Return the two entrants of a challenge that is open: the challenger first."""
    one, other = chance.choice(fold_season(season).division(1).challenges)
    return season.entries.get(number=one), season.entries.get(number=other)


def accept(season: Season, by: User, chance: Chance) -> None:
    challenger, challenged = open_challenge(season, chance)
    challenges.accept_challenge(entrant=challenged, challenger=challenger)


def decline_challenge(season: Season, by: User, chance: Chance) -> None:
    challenger, challenged = open_challenge(season, chance)
    challenges.decline_challenge(entrant=challenged, challenger=challenger, by=user_of(challenged), note=WHY)


def take_back(season: Season, by: User, chance: Chance) -> None:
    challenge(season, by, chance)
    challenges.withdraw_challenge(entrant=open_challenge(season, chance)[0])


def agree(season: Season, by: User, chance: Chance) -> None:
    match = some_match(chance)
    time = clock.now().replace(minute=0, second=0, microsecond=0) + timedelta(hours=chance.randint(24, 90))
    proposal = scheduling.propose(match=match, user=one_of(match), times=[time])
    scheduling.accept_proposal(proposal=proposal, user=other_of(match))


Change = Callable[[Season, User, Chance], None]
ANYWHERE: tuple[Change, ...] = (rule, rule, undo, release, release, withdraw, pause, resume, resume, abandon)
CHANGES = (*ANYWHERE, rule, enter, stay_away, dispute, dispute, challenge, challenge, challenge, decline)
BEFORE: tuple[Change, ...] = (check_in, check_in, check_in, ask, admit, leave, stay_away)
LATE: dict[str, Any] = {"late_rounds": 3, "alternates": True}
# The settings of a season, and the changes that its people make.
SEASONS_OF_PEOPLE: tuple[tuple[dict[str, Any], tuple[Change, ...]], ...] = (
    (
        {"format": "round_robin", "on_round_deadline": "adjudicate", "entry": {**LATE, "check_in_hours": 24}},
        (extend, leave, stay_away),
    ),
    (
        {"format": "ladder", "entry": {**LATE, "invited_only": True}},
        (challenge, challenge, challenge, accept, accept, decline_challenge, decline_challenge, take_back, ask, admit),
    ),
    ({"format": "swiss", **story.AGREED}, (agree, agree, leave)),
    (
        {"format": "round_robin", "divisions": [{"max_entrants": 3}, {}], "promoted": 1, "relegated": 1, "playoff": 1},
        (stay_away,),
    ),
)
IMPORT = "import_season"  # this makes a season, and changes none


def do(change: Change, season: Season, by: User, chance: Chance, done: Counter[str]) -> None:
    """Make a change if the season allows it now, and count it if it is in the log."""
    version = Season.objects.get(pk=season.pk).stream.version
    with suppress(DomainError, IndexError):  # it is refused, or there is nothing to choose from
        change(season, by, chance)
    done[change.__name__] += Season.objects.get(pk=season.pk).stream.version > version


def season_of_bots(running: Start, by: User, seed: int) -> Counter[str]:
    """Let bots play for a while with changes, and return how often each change happened."""
    chance, done = random.Random(seed), Counter[str]()
    format = FORMATS[seed % len(FORMATS)]
    season = running(8 if format == "groups" else chance.choice([4, 5]), format=format, entry=LATE)
    for turn in range(chance.randint(3, 8)):
        with clock.frozen_at(BEGIN + timedelta(minutes=turn, microseconds=turn * 7)):
            director.advance()
            if chance.random() < 0.8:
                play_all(turn)
            if chance.random() < 0.5:
                director.advance()
            for _each in range(chance.randint(0, 2)):
                do(chance.choice(CHANGES), season, by, chance, done)
    return done


def end_games(season: Season, seed: int) -> None:
    """End all games. Live games, which wait for their people, are resigned."""
    if season.settings["calendar"].get("match_time") == "agreed":
        story.play(season)
    else:
        play_all(seed)


def season_of_people(seed: int) -> Counter[str]:
    """Let people join a season and play for a while with changes; with odd seeds, export and import it afterwards.

    Return how often each change happened.
    """
    chance, done = random.Random(seed), Counter[str]()
    settings, changes = SEASONS_OF_PEOPLE[seed % len(SEASONS_OF_PEOPLE)]
    by = story.niamh()
    with clock.frozen_at(NOW - 2 * HOUR):
        season = season_of(6, start=False, **settings)
        for _each in range(chance.randint(3, 8)):
            do(chance.choice(BEFORE), season, by, chance, done)
    moment = NOW
    with clock.frozen_at(moment), suppress(DomainError):  # too few have checked in
        seasons.start_season(season=season, seed=f"{seed:064x}")
    for turn in range(chance.randint(4, 9)):
        moment += chance.choice([timedelta(minutes=1, microseconds=turn * 7), DAY, 3 * DAY])
        with clock.frozen_at(moment):
            director.advance()
            for _each in range(chance.randint(0, 4)):
                do(chance.choice(chance.choice([ANYWHERE, changes, changes])), season, by, chance, done)
            if chance.random() < 0.8:
                end_games(season, turn)
            director.advance()
    if seed % 2:
        with clock.frozen_at(moment), suppress(DomainError):  # no round is closed
            text = export.as_json(Season.objects.get(pk=season.pk)).decode()
            plan = SeasonPlan(new_league="Taken over", name="Autumn", kind="chinese_ten", format=settings["format"])
            report = importexport.import_season(
                club=story.club(), user=by, plan=plan, text=text, results=True, like=None, dry_run=False
            )
            done[IMPORT] += report.season is not None
    return done


def check_rebuilt() -> None:
    assert list(find_differences()) == []
    before = all_rows()
    assert before["Entrant"]
    assert drop_and_rebuild()
    assert all_rows() == before
    assert list(find_differences()) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 40))])
def test_a_season_whose_projections_were_dropped_has_them_again(running: Start, niamh: User, seed: int) -> None:
    season_of_bots(running, niamh, seed)
    check_rebuilt()


@pytest.mark.parametrize("seed", [5, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(40) if seed != 5)])
def test_a_season_of_people_whose_projections_were_dropped_has_them_again(seed: int) -> None:
    season_of_people(seed)
    check_rebuilt()


@pytest.mark.slow
def test_each_change_goes_through_in_some_season(running: Start, niamh: User) -> None:
    of_people = [change for _settings, changes in SEASONS_OF_PEOPLE for change in changes]
    wanted, done = {IMPORT, *(change.__name__ for change in (*CHANGES, *BEFORE, *of_people))}, Counter[str]()
    for seed in range(40):
        with transaction.atomic():
            done += season_of_bots(running, niamh, seed)
            transaction.set_rollback(True)
        with transaction.atomic():
            done += season_of_people(seed)
            transaction.set_rollback(True)
        if wanted <= done.keys():
            return
    assert wanted - done.keys() == set()


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
