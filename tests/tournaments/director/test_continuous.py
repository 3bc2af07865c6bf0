"""Formats that pair during rounds, through the director: an arena with a time limit, a ladder."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.accounts.models import Notice
from games.common import clock
from games.models import Game, Player
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN, Start, play, play_all
from tests.tournaments.entries.test_entries import (
    club_people,
    entrant,
    events_of_type,
    faults,
    happenings,
    refused,
    season_of,
)
from tournaments.director import director, open_rounds
from tournaments.entries import challenges
from tournaments.entries import services as entries
from tournaments.seasons import stream
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import Division, League, Match, Round, Season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db
__all__ = ["club_people"]


def test_an_arena_pairs_who_is_free_and_ends_with_its_time(running: Start) -> None:
    season = running(5, format="arena", games_a_match=1, duration_seconds=120)
    with clock.frozen_at(BEGIN):
        director.advance()
        first = Game.objects.filter(status="playing").earliest("pk")
        play(first, random.Random(1))
        director.advance()
        director.advance()
    assert Round.objects.count() > 1
    assert Round.objects.filter(status="open").exists()
    for minute in range(1, 4):
        with clock.frozen_at(BEGIN + timedelta(minutes=minute)):
            play_all(minute)
            for _again in range(3):
                director.advance()
    season.refresh_from_db()
    assert season.status == "finished"
    assert len(events_of_type(season, "season_finished")) == 1
    assert not Round.objects.filter(status="open").exists()
    assert faults() == []


def test_a_result_in_an_arena_counts_at_once_and_two_who_are_free_meet_again_after_a_minute(running: Start) -> None:
    """The other game takes as long as it likes."""
    running(4, format="arena", games_a_match=1, duration_seconds=3600)
    with clock.frozen_at(BEGIN):
        director.advance()
        assert [match.table for match in Match.objects.all()] == [1, 1], "Each match is a round of its own."
        first = Game.objects.filter(status="playing").earliest("pk")
        play(first, random.Random(1))
        director.advance()
        director.advance()
    free = set(first.seats.values_list("player", flat=True))
    assert {row.entrant.player_id for row in Standing.objects.all() if row.row["played"]} == free
    for seconds, matches in ((59, 2), (61, 3)):
        with clock.frozen_at(BEGIN + timedelta(seconds=seconds)):
            director.advance()
            assert Match.objects.count() == matches
    again = Match.objects.latest("pk")
    assert set(again.entrants.values_list("entrant__player", flat=True)) == free
    assert faults() == []


def test_an_arena_begins_with_as_many_queries_however_many_tables_are_paired(running: Start) -> None:
    """Each table is a round of its own, and all are opened together."""
    counts = []
    for entrants in (4, 8):
        running(entrants, name=f"Arena of {entrants}", format="arena", games_a_match=1, duration_seconds=3600)
        division = Division.objects.latest("pk")
        with clock.frozen_at(BEGIN), CaptureQueriesContext(connection) as asked:
            assert open_rounds.open_round(division=division)
        counts.append(len(asked))
    assert Round.objects.count() == 2 + 4
    assert counts[1] == counts[0]
    assert faults() == []


def test_a_format_that_waits_is_not_asked_again_until_something_happens(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:4], format="ladder", duration_seconds=7 * 86400)
    with clock.frozen_at(BEGIN):
        assert director.advance() == 0
        season.stream.refresh_from_db()
        assert Division.objects.get().waited_at == season.stream.version
        assert open_rounds.divisions_due() == []
    assert faults() == []


def test_a_challenge_becomes_a_match_and_who_asks_somebody_else_takes_back_what_was_asked_before(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:4], format="ladder")
    with clock.frozen_at(BEGIN):
        director.advance()
        division = Division.objects.get()
        folded = stream.fold_season(season)
        ladder = folded.lots(folded.division(1))
        order = sorted(ladder, key=lambda number: ladder[number])
        low, high = order[-1], order[-2]
        own = season.entries.get(number=low)
        with refused("not_in"):
            challenges.create_challenge(entrant=own, other=own)
        challenges.create_challenge(entrant=own, other=season.entries.get(number=order[0]))
        for _click in range(2):
            challenges.create_challenge(entrant=own, other=season.entries.get(number=high))
        assert director.advance() == 0, "Nobody has accepted it yet."
        challenges.accept_challenge(entrant=season.entries.get(number=high), challenger=own)
        assert director.advance()
    assert division.rounds.count() == 1
    match = Match.objects.get()
    assert match.slot == f"{low}>{high}"
    assert {each.entrant.number for each in match.entrants.all()} == {low, high}
    assert stream.fold_season(season).division(1).challenges == []
    assert len(events_of_type(season, "entrant_challenged")) == 2
    assert happenings(season).count(" – ") >= 3
    assert entrant(season, club_people[0]).plays
    assert faults() == []


def ladder_of(season: Season) -> list[int]:
    """Return the entrants' numbers from the top of a ladder without games."""
    folded = stream.fold_season(season)
    lots = folded.lots(folded.division(1))
    return sorted(lots, key=lambda number: lots[number])


def test_what_may_not_be_asked_is_refused_at_once_with_the_reason(league: League, club_people: list[Player]) -> None:
    season = season_of(league, club_people[:4], format="ladder", format_options={"reach": 1})
    top, *_, bottom = [season.entries.get(number=number) for number in ladder_of(season)]
    with clock.frozen_at(BEGIN), refused("cannot_challenge"):
        challenges.create_challenge(entrant=bottom, other=top)
    with clock.frozen_at(BEGIN), refused("cannot_challenge"):
        challenges.create_challenge(entrant=top, other=bottom)
    assert events_of_type(season, "entrant_challenged") == []
    assert faults() == []


def test_a_challenge_runs_out_though_nothing_else_happens_and_both_are_told(
    league: League, club_people: list[Player]
) -> None:
    """The challenged entrant plays somebody else for three weeks."""
    season = season_of(
        league, club_people[:4], format="ladder", format_options={"runs_out": 14}, terms={"move_days": 60}
    )
    first, second, third, _ = [season.entries.get(number=number) for number in ladder_of(season)]
    with clock.frozen_at(BEGIN):
        challenges.create_challenge(entrant=second, other=first)
        challenges.accept_challenge(entrant=first, challenger=second)
        director.advance()
        challenges.create_challenge(entrant=third, other=second)
        challenges.accept_challenge(entrant=second, challenger=third)
        director.advance()
    assert stream.fold_season(season).division(1).challenges == [(third.number, second.number)]
    for days, lapsed in ((13, 0), (14, 1), (15, 1)):
        with clock.frozen_at(BEGIN + timedelta(days=days)):
            director.advance()
        assert len(events_of_type(season, "challenge_lapsed")) == lapsed
    assert stream.fold_season(season).division(1).challenges == []
    assert "Challenge lapsed." in Page.of(Client().get(season_url(season, "activity"))).text
    names = Notice.objects.filter(sentences__0__0="challenge_lapsed").values_list("user__username", flat=True)
    assert sorted(names) == sorted(each.player.name.lower() for each in (second, third))
    assert faults() == []


def test_a_challenge_to_who_has_withdrawn_lapses(league: League, club_people: list[Player]) -> None:
    season = season_of(league, club_people[:4], format="ladder", terms={"move_days": 60})
    first, second, third, _ = [season.entries.get(number=number) for number in ladder_of(season)]
    with clock.frozen_at(BEGIN):
        challenges.create_challenge(entrant=second, other=first)
        challenges.accept_challenge(entrant=first, challenger=second)
        director.advance()
        challenges.create_challenge(entrant=third, other=second)
        challenges.accept_challenge(entrant=second, challenger=third)
        entries.withdraw_entrant(entrant=second, why="asked")
        for _ in range(3):
            director.advance()
    assert events_of_type(season, "challenge_lapsed") == [["challenge_lapsed", 1, third.number, second.number]]
    assert faults() == []
