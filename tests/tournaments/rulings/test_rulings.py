"""Rulings of organisers are new events with author and reason, and never edits (docs/how-to/run-a-league.md).

Niamh owns the club. Four bots play a round robin: two matches of two games a round.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Bot, Game
from tests.fixtures.append_only import triggers_disabled
from tests.tournaments.club import BEGIN, Start, let_play, play_all, play_season
from tests.tournaments.director.test_director import at_once
from tournaments.director import director
from tournaments.lifecycle import services as seasons
from tournaments.maintenance.rebuild import find_differences
from tournaments.ratings.models import Rating, RatingChange
from tournaments.rulings import disputes
from tournaments.rulings import services as rulings
from tournaments.seasons.models import (
    Division,
    Entrant,
    Match,
    MatchEntrant,
    MatchGame,
    Note,
    OrganiserAction,
    Round,
    Season,
)
from tournaments.seasons.stream import match_version
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db(transaction=True)
WHY = "The clock was wrong."


@pytest.fixture
def niamh(league: Any) -> User:
    owner: User = league.club.owner
    return owner


@pytest.fixture
def season(running: Start) -> Season:
    """Return a season whose round 1 is closed and whose round 2 is being played."""
    season = running(4, format="round_robin")
    let_play(1, open_next=True)
    assert Round.objects.count() == 2
    return season


def go(minutes: int) -> None:
    with clock.frozen_at(BEGIN + timedelta(minutes=minutes)):
        director.advance()


def finish_from(season: Season, minutes: int) -> None:
    """Play the season to its end."""
    for turn in range(minutes, minutes + 20):
        with clock.frozen_at(BEGIN + timedelta(minutes=turn)):
            play_all(turn)
            director.advance()
        season.refresh_from_db()
        if season.status == "finished":
            return
    raise AssertionError("The season does not end.")


def match_of(number: int, table: int = 1) -> Match:
    return Match.objects.select_related("round__division__season").get(
        round__number=number, table=table, round__status__in=("open", "closed")
    )


def written(season: Season, *kinds: str) -> list[Any]:
    return [entry.event for entry in eventlog.read_events(season.stream_id) if entry.event[0] in kinds]


def points(match: Match) -> list[float | None]:
    return list(MatchEntrant.objects.filter(match=match).order_by("order").values_list("points", flat=True))


def standing(match: Match) -> dict[int, float]:
    rows = Standing.objects.filter(entrant__matches__match=match)
    return {row.entrant_id: row.points for row in rows}


def assert_true(season: Season) -> None:
    assert list(find_differences()) == []


def refused(code: str, call: Callable[[], Any]) -> DomainError:
    with pytest.raises(DomainError) as raised:
        call()
    assert raised.value.code == code
    return raised.value


def ratings_now() -> dict[int, float]:
    return dict(Rating.objects.values_list("player", "rating"))


@pytest.mark.slow
def test_a_dispute_is_declined_after_its_round_was_undone(season: Season, niamh: User) -> None:
    match = match_of(2)
    bot = match.entrants.earliest("order").entrant.player
    Bot.objects.filter(versions__player=bot).update(owner=niamh)
    rulings.adjudicate(match=match, game=1, places=(1, 2), by=niamh, note=WHY)
    asked = disputes.open_dispute(match=match, by=niamh, note=WHY)
    asking = Notice.objects.filter(user=niamh, subject="season_needs_you")
    assert asking.exists()
    rulings.undo_round(division=season.divisions.get(), number=2, by=niamh, note=WHY)
    disputes.decline_dispute(dispute=asked, by=niamh, note=WHY)
    assert not asking.exists(), "the question is answered"
    assert_true(season)


# adjudicate


def test_a_decided_result_of_a_closed_round_counts_at_once_and_ratings_are_compensated(
    season: Season, niamh: User
) -> None:
    match = match_of(1)
    seen = [ratings_now()]
    for places in ((1, 2), (2, 1)):  # whatever was played, one of the two changes it
        rulings.adjudicate(match=match, places=places, by=niamh, note=WHY)
        assert points(match) == [1, 0] if places == (1, 2) else [0, 1]
        first, second = MatchEntrant.objects.filter(match=match).order_by("order")
        assert standing(match) == {
            first.entrant_id: float(places == (1, 2)),
            second.entrant_id: float(places == (2, 1)),
        }
        seen.append(ratings_now())
    assert len({tuple(sorted(ratings.items())) for ratings in seen}) >= 2
    assert RatingChange.objects.filter(counted=0).exists()
    assert_true(season)


def test_the_fact_names_author_and_reason_and_no_words_stand_in_the_stream(season: Season, niamh: User) -> None:
    made = rulings.adjudicate(match=match_of(1), places=(1, 1), game=1, by=niamh, note=WHY)
    [event] = written(season, "game_adjudicated")
    assert event[3]["by"] == niamh.pk
    assert made.events == [event]
    assert WHY not in str(event)
    assert (made.what, made.by, made.match, made.events[0][2]) == ("game_adjudicated", niamh, match_of(1), 1)
    assert Note.objects.get(pk=event[3]["note"][0]).text == WHY
    assert written(season, "game_recorded")[0][3]["placings"], "What was recorded stands where it stood."


def test_an_open_game_is_ended_first_and_its_decided_result_is_not_rated(season: Season, niamh: User) -> None:
    match = match_of(2)
    rulings.adjudicate(match=match, places=(1, 2), by=niamh, note=WHY)
    games = MatchGame.objects.filter(match=match).select_related("game")
    assert {one.game.status for one in games} == {Game.Status.ABORTED}
    assert points(match) == [1, 0]
    assert Match.objects.get(pk=match.pk).finished_at
    go(1)
    assert MatchGame.objects.filter(match=match).count() == 2, "The director deals no new ones."
    play_all()
    go(1)
    assert Round.objects.get(number=2).status == "closed"
    assert not RatingChange.objects.filter(game__match_game__match=match).exists()
    assert_true(season)


@pytest.mark.slow
def test_one_game_of_a_match_is_decided_while_the_other_is_played_out(season: Season, niamh: User) -> None:
    match = match_of(2)
    rulings.adjudicate(match=match, places=(2, 1), game=1, by=niamh, note=WHY)
    assert points(match) == [None, None]
    play_all()
    go(1)
    assert None not in points(match)
    one = MatchGame.objects.get(match=match, number=2)
    assert one.game.outcome
    won = [0.0, 0.0]
    for game in MatchGame.objects.filter(match=match).select_related("game"):
        counts = game.counts
        assert counts
        order = [0, 1] if game.number == 1 else [1, 0]
        for seat, place in enumerate(counts["placings"]):
            won[order[seat]] += (1 - place / 2) if len(set(counts["placings"])) == 1 else float(place == 1)
    assert points(match) == ([1, 0] if won[0] > won[1] else [0, 1] if won[0] < won[1] else [0.5, 0.5])
    assert_true(season)


def test_places_that_are_level_are_counted_as_games_count_them(season: Season, niamh: User) -> None:
    rulings.adjudicate(match=match_of(1), places=(2, 2), by=niamh, note=WHY)
    assert written(season, "game_adjudicated")[0][3]["placings"] == [1, 1]


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"places": (1,)}, "bad_places"),
        ({"places": (0, 1)}, "bad_places"),
        ({"places": (1, 3)}, "bad_places"),
        ({"places": (1, 2), "scores": (3,)}, "bad_scores"),
        ({"places": (1, 2), "scores": (3, 10**7)}, "bad_scores"),
        ({"places": (1, 2), "note": "  "}, "note_needed"),
        ({"places": (1, 2), "note": "x" * 2001}, "bad_note"),
        ({"places": (1, 2), "game": 3}, "no_such_game"),
        ({"places": (1, 2), "version": 1}, "stale_match"),
    ],
)
def test_what_is_refused_writes_nothing(season: Season, niamh: User, asked: dict[str, Any], code: str) -> None:
    before = eventlog.read_events(season.stream_id)
    refused(code, lambda: rulings.adjudicate(match=match_of(1), by=niamh, **{"note": WHY, **asked}))
    assert len(eventlog.read_events(season.stream_id)) == len(before)
    assert not Note.objects.exists()
    assert not OrganiserAction.objects.exists()


def test_only_organisers_and_admins_decide(season: Season) -> None:
    stranger, admin = User.objects.create_user("laura"), User.objects.create_user("ada", is_staff=True)
    assert refused("not_organiser", lambda: annul_first(stranger)).status == 403
    annul_first(admin)


def annul_first(by: User) -> OrganiserAction:
    return rulings.annul_game(match=match_of(1), game=1, by=by, note=WHY)


# annul


def test_an_annulled_game_counts_for_nobody(season: Season, niamh: User) -> None:
    match = match_of(1)
    game = MatchGame.objects.get(match=match, number=1).game
    annul_first(niamh)
    other = MatchGame.objects.get(match=match, number=2).counts
    assert other
    firsts = other["placings"].count(1)  # a draw is half a point each
    assert points(match) == [(place == 1) / firsts for place in reversed(other["placings"])]
    moved = RatingChange.objects.filter(game=game)
    assert {player: sum(c.after - c.before for c in moved if c.player_id == player) for player in players(match)} == {
        player: pytest.approx(0) for player in players(match)
    }
    assert_true(season)
    refused("annulled_already", lambda: annul_first(niamh))


def players(match: Match) -> list[int]:
    return list(Entrant.objects.filter(matches__match=match).values_list("player", flat=True))


@pytest.mark.slow
def test_a_match_whose_games_are_all_annulled_is_nobodys(season: Season, niamh: User) -> None:
    match = match_of(1)
    for number in (1, 2):
        rulings.annul_game(match=match, game=number, by=niamh, note=WHY)
    assert points(match) == [None, None]
    assert set(standing(match).values()) == {0.0}
    assert all(row.row["played"] == 0 for row in Standing.objects.filter(entrant__matches__match=match))
    assert_true(season)
    finish_from(season, 1)
    assert_true(season)


def test_an_annulled_game_may_be_decided_later(season: Season, niamh: User) -> None:
    annul_first(niamh)
    rulings.adjudicate(match=match_of(1), places=(1, 2), by=niamh, note=WHY)
    assert points(match_of(1)) == [1, 0]
    assert_true(season)


# replay


def test_a_game_is_played_again_in_the_same_seats_and_only_the_new_result_counts(season: Season, niamh: User) -> None:
    match = match_of(1)
    old = MatchGame.objects.get(match=match, number=1)
    rulings.order_replay(match=match, game=1, by=niamh, note=WHY)
    new = MatchGame.objects.get(match=match, number=1, replay=1)
    assert [s.player_id for s in new.game.seats.all()] == [s.player_id for s in old.game.seats.all()]
    assert points(match) == [None, None]
    assert set(standing(match).values()) == {0.0}, "Until it is over the match does not count."
    assert_true(season)
    play_all(7)
    go(1)
    assert None not in points(match)
    assert_true(season)
    assert sum(c.counted for c in RatingChange.objects.filter(game=old.game)) == 0
    assert sum(c.counted for c in RatingChange.objects.filter(game=new.game)) == 2, (
        "A late game is rated when recorded."
    )
    finish_from(season, 2)
    assert_true(season)


def test_a_game_that_is_on_is_ended_and_dealt_anew(season: Season, niamh: User) -> None:
    rulings.order_replay(match=match_of(2), game=2, by=niamh, note=WHY)
    old, new = MatchGame.objects.filter(match=match_of(2), number=2).order_by("replay")
    assert (old.game.status, old.ruling, new.game.status) == ("aborted", "replaced", "playing")
    finish_from(season, 1)
    assert MatchGame.objects.filter(match=match_of(2), number=2).count() == 2
    assert_true(season)


def test_nobody_who_has_withdrawn_plays_again(season: Season, niamh: User) -> None:
    from tournaments.entries.services import withdraw_entrant

    withdraw_entrant(entrant=Entrant.objects.filter(matches__match=match_of(1)).first(), why="organiser", by=niamh)  # type: ignore[arg-type]
    refused("entrant_gone", lambda: rulings.order_replay(match=match_of(1), game=1, by=niamh, note=WHY))


# undo the last round


def undo(season: Season, number: int, by: User, **more: Any) -> OrganiserAction:
    division = Division.objects.select_related("season").get(season=season, number=1)
    return rulings.undo_round(division=division, number=number, by=by, note=WHY, **more)


def test_an_open_round_is_undone_and_paired_anew_under_its_number(season: Season, niamh: User) -> None:
    gone = match_of(2)
    undo(season, 2, niamh)
    assert not Game.objects.filter(status=Game.Status.PLAYING).exists()
    assert Round.with_undone.filter(status="undone", number=2).count() == 1
    go(5)
    assert Round.objects.count() == 1, "Nothing is paired before an organiser says so."
    assert_true(season)
    rulings.pair_again(division=season.divisions.get(), by=niamh, note="All are here.")
    go(5)
    assert sorted(Round.objects.values_list("number", flat=True)) == [1, 2]
    assert match_of(2).pk != gone.pk
    finish_from(season, 6)
    assert Round.objects.count() == 3
    assert_true(season)


def test_a_division_whose_round_is_undone_waits_for_its_organiser_and_no_longer_for_players(
    season: Season, niamh: User
) -> None:
    divisions = Division.objects.filter(season=season)
    divisions.update(waited_at=3)
    undo(season, 2, niamh)
    assert divisions.get().waited_at is None
    divisions.update(waited_at=3)
    rulings.pair_again(division=divisions.get(), by=niamh, note=WHY)
    assert divisions.get().waited_at is None


def test_a_closed_round_is_undone_with_its_standings_and_ratings(season: Season, niamh: User) -> None:
    undo(season, 2, niamh)
    undo(season, 1, niamh)
    assert not Standing.objects.exists()
    assert {round(rating) for rating in Rating.objects.values_list("rating", flat=True)} == {1500}
    assert set(Rating.objects.values_list("games", flat=True)) == {0}
    assert points(Match.objects.filter(round__number=1).earliest("pk")) == [None, None]
    assert_true(season)
    rulings.pair_again(division=season.divisions.get(), by=niamh, note="Go.")
    finish_from(season, 2)
    assert_true(season)


def test_only_the_last_round_is_undone_and_once(season: Season, niamh: User) -> None:
    refused("not_last_round", lambda: undo(season, 1, niamh))
    undo(season, 2, niamh)
    refused("not_last_round", lambda: undo(season, 2, niamh))
    refused("round_undone", lambda: rulings.annul_game(match=undone_match(), game=1, by=niamh, note=WHY))


def undone_match() -> Match:
    return Match.objects.filter(round__status="undone").select_related("round__division__season").earliest("pk")


def test_nothing_waits_to_be_paired_anew_that_was_not_undone(season: Season, niamh: User) -> None:
    refused("not_on_hold", lambda: rulings.pair_again(division=season.divisions.get(), by=niamh, note=WHY))


# seasons that are over


@pytest.mark.slow
def test_a_finished_season_has_other_places_by_a_later_decision(running: Start, niamh: User) -> None:
    season = play_season(running(2, format="round_robin"))
    first = Standing.objects.get(place=1).entrant if Standing.objects.filter(place=1).count() == 1 else None
    match = Match.objects.select_related("round__division__season").get()
    order = list(MatchEntrant.objects.filter(match=match).order_by("order"))
    places = [2 if each.entrant == first else 1 for each in order] if first else [1, 2]
    rulings.adjudicate(match=match, places=places, by=niamh, note=WHY)
    season.refresh_from_db()
    assert season.status == "finished"
    assert len(written(season, "season_finished")) == 2
    assert_true(season)


@pytest.mark.slow
def test_a_finished_season_goes_on_when_its_last_round_is_undone(running: Start, niamh: User) -> None:
    season = play_season(running(4, format="round_robin"))
    undo(season, 3, niamh)
    season.refresh_from_db()
    assert (season.status, season.finished_at) == ("running", None)
    assert_true(season)
    rulings.pair_again(division=season.divisions.get(), by=niamh, note="Go.")
    finish_from(season, 30)
    assert_true(season)


@pytest.mark.slow
def test_a_finished_season_goes_on_until_a_game_is_played_again(running: Start, niamh: User) -> None:
    season = play_season(running(4, format="round_robin"))
    rulings.order_replay(match=match_of(1), game=1, by=niamh, note=WHY)
    season.refresh_from_db()
    assert season.status == "running"
    assert_true(season)
    go(30)
    assert Round.objects.count() == 3, "There is nothing else to be paired."
    finish_from(season, 31)
    assert_true(season)


def test_nothing_is_decided_before_a_season_runs_or_after_it_was_given_up(
    running: Start, league: Any, niamh: User
) -> None:
    season = running(4, format="round_robin")
    division = season.divisions.get()
    Season.objects.filter(pk=season.pk).update(status="abandoned")
    refused("season_over", lambda: rulings.pair_again(division=division, by=niamh, note=WHY))


# brackets


@pytest.mark.slow
def test_a_result_by_which_a_bracket_was_paired_stands_until_its_rounds_are_undone(running: Start, niamh: User) -> None:
    season = running(4, format="knockout", options={"packs": 1})
    go(0)
    for table in (1, 2):
        rulings.adjudicate(match=match_of(1, table), places=(1, 2), by=niamh, note=WHY)
    go(0)
    go(1)
    assert Round.objects.count() == 2
    found = refused("next_round_paired", lambda: annul_first(niamh))
    assert "First undo the later rounds" in found.sentence
    final = {entrant.pk for entrant in Entrant.objects.filter(matches__match__round__number=2)}
    undo(season, 2, niamh)
    refused("no_result_left", lambda: annul_both(niamh))
    rulings.adjudicate(match=match_of(1), places=(2, 1), by=niamh, note=WHY)
    rulings.pair_again(division=season.divisions.get(), by=niamh, note="Go.")
    go(2)
    again = {
        entrant.pk for entrant in Entrant.objects.filter(matches__match__in=Match.objects.filter(round__status="open"))
    }
    assert again != final
    assert_true(season)


def annul_both(by: User) -> None:
    for number in (1, 2):
        rulings.annul_game(match=match_of(1), game=number, by=by, note=WHY)


# repeated and simultaneous rulings


def test_the_same_click_twice_is_one_fact(season: Season, niamh: User) -> None:
    match = match_of(1)
    made = [rulings.adjudicate(match=match, places=(1, 2), by=niamh, note=WHY, key="click") for _click in range(2)]
    assert made[0].pk == made[1].pk
    assert len(written(season, "game_adjudicated")) == 2, "One for each game of the match."
    assert undo(season, 2, niamh, key="undo").pk == undo(season, 2, niamh, key="undo").pk


def test_the_same_click_from_many_processes_is_one_fact(season: Season, niamh: User) -> None:
    match = match_of(1)
    at_once(lambda: rulings.annul_game(match=match, game=1, by=niamh, note=WHY, key="click"))
    assert len(written(season, "game_annulled")) == 1
    assert OrganiserAction.objects.count() == 1
    assert_true(season)


def test_of_those_who_decide_at_once_one_does_and_the_others_are_told(season: Season, niamh: User) -> None:
    match = match_of(1)
    seen = match_version(match)

    def decide() -> str:
        try:
            rulings.adjudicate(match=match, places=(1, 2), game=1, by=niamh, note=WHY, version=seen)
        except DomainError as error:
            return error.code
        return "done"

    answers = at_once(decide)
    assert answers.count("done") == 1
    assert set(answers) == {"done", "stale_match"}
    assert len(written(season, "game_adjudicated")) == 1
    assert_true(season)


def test_the_director_and_an_organiser_at_the_same_moment(season: Season, niamh: User) -> None:
    play_all()
    turns = iter([True, False] * 20)

    def step() -> None:
        if next(turns):
            with clock.frozen_at(BEGIN + timedelta(minutes=1)):
                director.advance()
        else:
            rulings.adjudicate(match=match_of(2), places=(1, 2), by=niamh, note=WHY, key="once")

    at_once(step)
    go(1)
    assert OrganiserAction.objects.count() == 1
    assert points(match_of(2)) == [1, 0]
    assert_true(season)


@pytest.mark.slow
def test_rebuild_finds_and_repairs_what_was_planted_beside_a_decision(season: Season, niamh: User) -> None:
    annul_first(niamh)
    MatchGame.objects.filter(ruling="annulled").update(ruling="")
    Division.objects.update(on_hold=True)
    assert len(list(find_differences(write=True))) == 2
    assert_true(season)
    with triggers_disabled("seasons_organiseraction"):
        OrganiserAction.objects.all().delete()
    [found] = find_differences()
    assert "is missing in the log or in the rows" in found


def test_seasons_of_others_are_left_alone(season: Season, league: Any, niamh: User) -> None:
    other = seasons.create_season(league=league, name="Other", kind="chinese_ten")
    annul_first(niamh)
    assert not OrganiserAction.objects.filter(stream=other.stream).exists()
