"""Pausing, resuming, extending and abandoning a season, and rounds whose time is up."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.accounts.models import Notice
from games.clocks import outages
from games.common import clock
from games.common.errors import DomainError
from games.common.models import Incident
from games.models import Game, Player
from games.play import services as play
from tests.tournaments.club import BEGIN, Start, play_all, play_season
from tests.tournaments.director.test_director import at_once
from tests.tournaments.entries.test_entries import (
    A_DAY,
    club_people,
    events_of_type,
    faults,
    happenings,
    refused,
    season_of,
)
from tournaments.calendar.timetable import planned_at
from tournaments.director import close_rounds, director
from tournaments.lifecycle import running as steps
from tournaments.lifecycle import services as seasons
from tournaments.maintenance.rebuild import find_differences
from tournaments.matches.rows import build_match_rows
from tournaments.ratings.models import RatingChange
from tournaments.seasons import notes
from tournaments.seasons.models import League, Match, Note, OrganiserAction, Round, Season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)
__all__ = ["club_people"]


def fresh(season: Season) -> Season:
    season.refresh_from_db()
    return season


# pausing


def test_a_paused_season_counts_what_was_begun_and_begins_nothing(running: Start, league: League) -> None:
    season = running(4)
    with clock.frozen_at(BEGIN):
        director.advance()
        pause(season, league, note="The hall is flooded.")
        play_all()
        director.advance()
    assert Round.objects.get().status == "closed"
    with clock.frozen_at(BEGIN + A_DAY):
        assert director.advance() == 0
        with refused("not_running"):
            pause(season, league)
    assert "Paused" in fresh(season).get_status_display().title()
    assert "“The hall is flooded.”" in happenings(season)
    assert faults() == []


def pause(season: Season, league: League, note: str = "") -> None:
    steps.pause_season(season=season, by=league.club.owner, note=note)


def test_the_calendar_moves_on_by_the_pause_and_keeps_its_hour(league: League, club_people: list[Player]) -> None:
    season = season_of(league, club_people[:4], on_round_deadline="adjudicate")
    with clock.frozen_at(BEGIN):
        director.advance()
    planned, ends = planned_at(season, 2), Round.objects.get().closes_at
    assert ends == planned == BEGIN + 7 * A_DAY
    with clock.frozen_at(BEGIN + A_DAY):
        pause(season, league)
    with clock.frozen_at(BEGIN + A_DAY + timedelta(days=2, hours=3)):
        steps.resume_season(season=season, by=league.club.owner)
        with refused("not_paused"):
            steps.resume_season(season=season, by=league.club.owner)
    season = Season.objects.select_related("league__club").get(pk=season.pk)
    assert planned_at(season, 2) == planned + 3 * A_DAY
    assert Round.objects.get().closes_at == ends + 3 * A_DAY
    assert events_of_type(season, "season_resumed")[0][1]["delay"] == 3 * 86400
    assert faults() == []


@committed
def test_a_season_is_paused_once_however_many_ask(running: Start, league: League) -> None:
    season = running(2)

    def one() -> bool:
        try:
            pause(season, league)
        except DomainError as error:
            return error.code != "not_running"
        return True

    assert sum(at_once(one)) == 1
    assert len(events_of_type(season, "season_paused")) == 1


# the end of a round


def test_a_round_without_an_end_waits_for_its_games(league: League, club_people: list[Player]) -> None:
    season = season_of(league, club_people[:2], terms={"move_days": 60})
    with clock.frozen_at(BEGIN):
        director.advance()
        with refused("no_end"):
            steps.extend_round(round=Round.objects.get(), until=BEGIN + A_DAY, by=league.club.owner)
    with clock.frozen_at(BEGIN + 30 * A_DAY):
        assert director.advance() == 0
    assert events_of_type(season, "round_overdue") == []


def test_games_that_nobody_began_are_lost_by_both_when_the_round_is_over(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:2], on_round_deadline="forfeit", terms={"move_days": 60})
    with clock.frozen_at(BEGIN):
        director.advance()
    with clock.frozen_at(BEGIN + 7 * A_DAY):
        director.advance()
        director.advance()
    [game] = Game.objects.all()
    assert [seat.left for seat in game.seats.all()] == ["forfeited", "forfeited"]
    assert [seat.placing for seat in game.seats.all()] == [1, 1]
    [[_, division, number, games]] = events_of_type(season, "round_overdue")
    assert (division, number, games) == (1, 1, [game.pk])
    assert events_of_type(season, "game_recorded")[0][3]["absent"] == [0, 1]
    assert faults() == []


def test_who_is_waited_for_when_the_round_is_over_loses_the_game(league: League, club_people: list[Player]) -> None:
    season_of(league, club_people[:2], on_round_deadline="forfeit", terms={"move_days": 60})
    with clock.frozen_at(BEGIN):
        director.advance()
        game = Game.objects.get()
        first = play.load_game(game).to_act()[0]
        legal = play.load_game(game)
        move = legal.rules.move_text(legal.state, legal.rules.legal_actions(legal.state, first)[0])
        play.play_move(game=game, seat=first, text=move, expected_version=game.version)
    with clock.frozen_at(BEGIN + 7 * A_DAY):
        director.advance()
    game.refresh_from_db()
    waited = play.load_game(game)
    assert waited.left
    assert game.outcome is not None
    assert game.outcome["placings"][waited.left[0]] == 2
    assert len(waited.left) == 1


def test_where_an_organiser_decides_the_games_go_on_and_the_organiser_is_told_once(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:4], on_round_deadline="adjudicate", terms={"move_days": 60})
    with clock.frozen_at(BEGIN):
        director.advance()
    with clock.frozen_at(BEGIN + 7 * A_DAY):
        assert director.advance() == 1
        assert director.advance() == 0
    assert Game.objects.filter(status="playing").count() == 2
    assert Notice.objects.filter(user=league.club.owner, subject="season_needs_you").count() == 1
    with clock.frozen_at(BEGIN + 8 * A_DAY):
        late = Round.objects.get()
        with refused("bad_time"):
            steps.extend_round(round=late, until=BEGIN, by=league.club.owner)
        for _click in range(2):
            steps.extend_round(round=late, until=BEGIN + 9 * A_DAY, by=league.club.owner, note="Flu.")
        assert len(events_of_type(season, "round_extended")) == 1
        assert director.advance() == 0
    with clock.frozen_at(BEGIN + 9 * A_DAY):
        assert director.advance() == 1
    assert len(events_of_type(season, "round_overdue")) == 2
    assert "The deadline of round 1 has passed" in happenings(season)
    assert faults() == []


def test_a_round_whose_time_is_up_in_an_outage_or_by_a_clock_put_forward_has_it_afterwards(
    league: League, club_people: list[Player]
) -> None:
    """The platform is down from six hours before the end of the round to an hour after it."""
    season_of(league, club_people[:2], on_round_deadline="forfeit", terms={"move_days": 60})
    with clock.frozen_at(BEGIN):
        director.advance()
    end = BEGIN + 7 * A_DAY
    six, one = timedelta(hours=6), timedelta(hours=1)
    outages.record_heartbeat(outages.WEB_PART, end - six)
    outages.record_heartbeat(outages.WEB_PART, end + one)
    for at in (end + one, end + one + six):
        with clock.frozen_at(at):
            assert director.advance() == 0
    assert Game.objects.filter(status="playing").exists()
    with clock.frozen_at(end + one + six + outages.RETURN_GRACE):
        assert director.advance() > 0
    assert not Game.objects.filter(status="playing").exists()


@committed
def test_the_end_of_a_round_is_told_once_however_many_ask(league: League, club_people: list[Player]) -> None:
    season = season_of(
        league, club_people[:4], on_round_deadline="forfeit", terms={"move_days": 60}, starts_at=BEGIN - 8 * A_DAY
    )
    with clock.frozen_at(BEGIN - 8 * A_DAY):
        director.advance()
    round = Round.objects.select_related("division__season").get()
    at_once(lambda: close_rounds.expire_round(round=round))
    assert len(events_of_type(season, "round_overdue")) == 1
    assert not Game.objects.filter(status="playing").exists()
    with clock.frozen_at(BEGIN):
        director.advance()
    assert faults() == []


# abandoning


@pytest.mark.some(1)
@pytest.mark.parametrize(("how", "rows"), [("stands", 4), ("void", 0)])
def test_an_abandoned_season_ends_with_its_standings_or_without(
    running: Start, league: League, how: str, rows: int
) -> None:
    season = running(4)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    with clock.frozen_at(BEGIN + timedelta(minutes=1)):
        director.advance()
        step_abandon(season, league, how, "Too few of us are left.")
        with refused("not_running"):
            step_abandon(season, league, how, "Again.")
        assert director.advance() == 0
    assert fresh(season).status == "abandoned"
    assert not Game.objects.filter(status="playing").exists()
    assert Standing.objects.count() == rows
    assert "Too few of us are left." in happenings(season)
    assert not Incident.objects.exists(), "An organiser's decision is no fault of the infrastructure."
    assert faults() == []


@pytest.mark.some(1)
@pytest.mark.parametrize("recorded", [False, True], ids=["over just now", "recorded"])
def test_what_is_over_when_a_season_is_abandoned_counts(running: Start, league: League, recorded: bool) -> None:
    season = running(4, games_a_match=2)
    with clock.frozen_at(BEGIN):
        director.advance()
        one, other = Match.objects.order_by("table")
        play_all(match_game__match=one)
        if recorded:
            director.advance()
        step_abandon(season, league, "stands", "No room.")
        assert director.advance() == 0
    played = set(one.entrants.values_list("entrant", flat=True))
    assert {row.entrant_id for row in Standing.objects.all() if row.row["played"]} == played
    assert Standing.objects.count() == 4
    counted = Game.objects.filter(match_game__match=one, status="finished")
    assert set(RatingChange.objects.values_list("game", flat=True)) == set(counted.values_list("pk", flat=True))
    assert counted.exists()
    assert states() == {one.pk: "Finished", other.pk: "Annulled"}
    assert not OrganiserAction.objects.filter(what="game_annulled").exists(), "Nobody ruled on it."
    assert not Incident.objects.exists(), "An organiser ended the games; no part of the platform failed."
    assert faults() == []


def test_a_void_season_says_that_its_open_matches_do_not_count(running: Start, league: League) -> None:
    season = running(4)
    with clock.frozen_at(BEGIN):
        director.advance()
        one, other = Match.objects.order_by("table")
        play_all(match_game__match=one)
        step_abandon(season, league, "void", "No room.")
        assert director.advance() == 0
    assert states() == {one.pk: "Does not count", other.pk: "Does not count"}
    assert not RatingChange.objects.exists()
    assert faults() == []


def test_nobody_advances_from_a_match_that_an_abandoned_cup_left_unplayed(running: Start, league: League) -> None:
    season = running(4, format="knockout", games_a_match=1)
    with clock.frozen_at(BEGIN):
        director.advance()
        one = Match.objects.order_by("table")[0]
        play_all(match_game__match=one)
        step_abandon(season, league, "stands", "No room.")
    [winner, _loser] = Standing.objects.filter(entrant__matches__match=one).order_by("place")
    assert winner.row["still_in"]
    assert [row.place for row in Standing.objects.order_by("place")] == [1, 1, 1, 4]
    assert faults() == []


def states() -> dict[int, str]:
    matches = Match.objects.select_related("round__division__season")
    return {row.match.pk: str(row.state.word) for row in build_match_rows(list(matches))}


def step_abandon(season: Season, league: League, how: str, note: str) -> None:
    steps.abandon_season(season=season, how=how, by=league.club.owner, note=note)


@committed  # a comparison reads one snapshot
def test_a_reason_can_be_taken_back_and_not_changed(running: Start, league: League) -> None:
    """docs/explanation/event-log.md: what people write is a row; the log holds its id and salted hash."""
    season = play_season(running(2))
    other: dict[str, Any] = {"season": season, "by": league.club.owner}
    sentence = notes.audit_payload(**other, text="He shouted.")
    note = Note.objects.get()
    assert sentence == {"by": league.club.owner.pk, "note": [note.pk, note.digest]}
    assert notes.audit_payload(**other, text=" ") == {"by": league.club.owner.pk, "note": None}
    with refused("bad_note"):
        notes.audit_payload(**other, text="x" * 2001)
    Season.objects.filter(pk=season.pk).update(status="running", finished_at=None)
    second = running(2, name="Second")
    pause(second, league, note="Rain.")
    rain = Note.objects.get(text="Rain.")
    Note.objects.filter(pk=rain.pk).update(text="Sun.")
    assert f"the words of note {rain.pk} are not those that the log vouches for." in " ".join(find_differences())
    notes.blank_note(rain)
    assert "note" not in " ".join(find_differences())


def test_an_admin_blanks_what_somebody_wrote(running: Start, league: League, admin_client: Client) -> None:
    season = running(2)
    pause(season, league, note="He shouted at Otto.")
    note = Note.objects.get()
    assert admin_client.post(reverse("admin-do", args=["blank_note", note.pk]), {"reason": "Rude."}).status_code == 302
    note.refresh_from_db()
    assert note.text == ""
    assert "shouted" not in happenings(season)
    assert "No round begins until the season is resumed." in happenings(season)


def test_a_season_that_somebody_has_removed_meanwhile_is_gone_and_says_so(league: League) -> None:
    with clock.frozen_at(BEGIN):
        season = seasons.create_season(league=league, name="Winter", kind="chinese_ten")
        seen = Season.objects.get(pk=season.pk)
        seasons.remove_season(season=season)
        with pytest.raises(DomainError) as refused:
            seasons.remove_season(season=seen)
    assert (refused.value.status, refused.value.code) == (404, "season_gone")
