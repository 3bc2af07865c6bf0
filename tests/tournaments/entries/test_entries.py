"""Entering and leaving a season: bounds, waiting lists, checking in, being away, late entry, withdrawal, no-shows.

Martha, Laura, Otto and Jonas play in Niamh's club.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from games.accounts import people
from games.accounts.models import Notice
from games.accounts.tokens import newest_player
from games.bots.remote import services as remote_bots
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.models import Game, Player
from tests.factories import worlds
from tests.fixtures.saved_rows import restored
from tests.tournaments.club import BEGIN, SEED, builtin_bot, play_all
from tests.tournaments.director.test_director import assert_whole_or_not_at_all, at_once
from tests.tournaments.read_counts import counted
from tournaments.activity import lookups
from tournaments.director import director
from tournaments.entries import availability, eligibility
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.maintenance.rebuild import find_differences
from tournaments.ratings.models import Rating, RatingPool
from tournaments.season_pages.overview import timeline_page
from tournaments.seasons.models import Bye, Entrant, League, Match, Season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)
A_DAY = timedelta(days=1)


@pytest.fixture
def club_people(db: None) -> list[Player]:
    return worlds.members()


def season_of(league: League, players: list[Player], *, start: bool = True, **settings: Any) -> Season:
    """Return a season by correspondence of these players. Round 1 can be opened at `BEGIN`."""
    usual: dict[str, Any] = {"name": "Autumn", "kind": "chinese_ten", "options": {"packs": 1}, "starts_at": BEGIN}
    usual |= {
        "terms": {"move_days": 1},
        "format": "round_robin",
        "games_a_match": 1,
        "calendar": {"seconds": 7 * 86400},
    }

    def make() -> Season:
        with clock.frozen_at(BEGIN):
            season = seasons.create_season(league=league, **(usual | settings))
            entries.enter_players(season=season, players=players)
            return seasons.start_season(season=season, seed=SEED) if start else season

    sentence = (*(player.pk for player in players), start, repr(sorted(settings.items())))
    return restored(("season_of", *sentence), make, seldom=bool(settings))


def test_players_who_enter_together_are_entered_with_one_read_of_the_log(
    league: League, club_people: list[Player]
) -> None:
    statements = []
    for number in (3, 5):
        season = season_of(league, [], start=False, name=f"Of {number}", entry={"max_entrants": 2})
        with counted(season) as counts, CaptureQueriesContext(connection) as sent:
            entered = entries.enter_players(season=season, players=club_people[:number])
        assert (counts["reads"], counts["folds"]) == (1, 1)
        assert [(each.number, each.player) for each in entered] == list(enumerate(club_people[:number], start=1))
        assert [each.status for each in entered] == ["in", "in", *["waiting"] * (number - 2)]
        with refused("already_joined"):
            entries.enter_players(season=season, players=club_people[::-1])
        assert season.entries.count() == number
        statements.append(len(sent))
    assert statements[0] == statements[1]
    assert list(find_differences(write=True)) == []


def entrant(season: Season, player: Player) -> Entrant:
    return season.entries.get(player=player)


def events_of_type(season: Season, kind: str) -> list[Any]:
    return [entry.event for entry in eventlog.read_events(season.stream_id) if entry.event[0] == kind]


def status(season: Season) -> dict[str, str]:
    return {each.player.name: each.status for each in season.entries.select_related("player")}


def refused(code: str) -> Any:
    return pytest.raises(DomainError, check=lambda error: error.code == code)


def faults() -> list[str]:
    """Return the differences that `rebuild` finds."""
    return list(find_differences(write=True))


def happenings(season: Season) -> str:
    """Return the text of the season's timeline, for which the page looks up every event."""
    season.refresh_from_db()
    sheet = timeline_page(season, "")
    return " ".join("".join(str(part) for part in line.text) for _day, lines in sheet.days for line in lines)


def rate(season: Season, player: Player, rating: float) -> None:
    stream = eventlog.create(subject=Stream.Subject.RATING_POOL, at=BEGIN)
    named = {"kind": season.kind, "pool": eligibility.rating_pool_name([player])}
    pool = RatingPool.objects.filter(**named).first() or RatingPool.objects.create(**named, stream=stream)
    Rating.objects.create(pool=pool, player=player, rating=rating, games=10)


# who may enter


def test_a_season_for_people_takes_no_bots_and_one_for_bots_no_people(
    league: League, club_people: list[Player]
) -> None:
    gannet = builtin_bot("Gannet")
    of_people = season_of(league, [], start=False, entry={"players": "people"})
    of_bots = season_of(league, [], start=False, entry={"players": "bots"}, name="Bots")
    with refused("people_only"):
        entries.enter_season(season=of_people, player=gannet)
    with refused("bots_only"):
        entries.enter_season(season=of_bots, player=club_people[0])
    assert entries.enter_season(season=of_bots, player=gannet).status == "in"


def test_a_season_without_language_models_takes_other_bots(league: League, club_people: list[Player]) -> None:
    owner = club_people[0].user
    assert owner is not None
    agent, program = [
        newest_player(remote_bots.create_bot(owner=owner, name=name, agent=name == "Owl")) for name in ("Owl", "Puffin")
    ]
    season = season_of(league, [], start=False, entry={"no_agents": True})
    with refused("no_agents"):
        entries.enter_season(season=season, player=agent, by_organiser=True)
    assert entries.enter_season(season=season, player=program).status == "in"


def test_rating_bounds_hold_for_who_enters_alone_and_an_organiser_may_enter_anybody(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, [], start=False, entry={"rating_min": 1400, "rating_max": 1600})
    martha, laura, otto = club_people[:3]
    rate(season, martha, 1650)
    rate(season, laura, 1390.4)
    with refused("rating_too_high"):
        entries.enter_season(season=season, player=martha, by_organiser=False)
    with refused("rating_too_low"):
        entries.enter_season(season=season, player=laura, by_organiser=False)
    assert entries.enter_season(season=season, player=otto, by_organiser=False).status == "in"  # unrated: 1500
    assert entries.enter_season(season=season, player=martha, by_organiser=True).status == "in"


def test_who_is_not_invited_asks_and_an_organiser_lets_in_or_declines(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, [], start=False, entry={"invited_only": True})
    martha, laura = club_people[:2]
    asking = entries.enter_season(season=season, player=martha, by_organiser=False)
    entries.enter_season(season=season, player=laura, by_organiser=False)
    assert status(season) == {"Martha": "asked", "Laura": "asked"}
    assert Notice.objects.filter(user=league.club.owner, subject="season_needs_you").count() == 2
    entries.admit_entrant(entrant=asking)
    with refused("not_asking"):
        entries.admit_entrant(entrant=asking)
    entries.leave_season(entrant=entrant(season, laura), by=league.club.owner, why="declined", note="Next time.")
    assert status(season) == {"Martha": "in", "Laura": "out"}
    assert "Laura was not admitted. “Next time.”" in happenings(season)
    assert faults() == []


# places


def test_a_free_place_goes_to_who_has_waited_longest(league: League, club_people: list[Player]) -> None:
    season = season_of(league, club_people[:5], start=False, entry={"max_entrants": 3})
    martha, laura, otto, jonas, ewa = club_people[:5]
    assert list(status(season).values()) == ["in", "in", "in", "waiting", "waiting"]
    entries.leave_season(entrant=entrant(season, jonas))  # who waits may stop waiting
    entries.enter_season(season=season, player=jonas)  # and comes back behind the others
    entries.leave_season(entrant=entrant(season, laura))
    assert entrant(season, ewa).status == "in"
    assert season.entries.exclude(status="out").get(player=jonas).status == "waiting"
    assert Notice.objects.get(user=ewa.user).text == "You now have a place in Chinese Ten League, Autumn."
    entries.leave_season(entrant=entrant(season, martha))
    assert season.entries.exclude(status="out").get(player=jonas).status == "in"
    assert events_of_type(season, "entrant_joined")[-1] == ["entrant_joined", 1, 6, jonas.pk]
    assert otto.pk
    assert faults() == []


@committed
def test_the_last_place_is_given_once_however_many_ask(league: League, club_people: list[Player]) -> None:
    season = season_of(league, [], start=False, entry={"max_entrants": 2})
    waiting = iter(club_people)
    at_once(lambda: entries.enter_season(season=season, player=next(waiting)))
    assert sorted(status(season).values()) == ["in", "in", "waiting", "waiting", "waiting", "waiting"]
    assert faults() == []


def test_who_waits_at_the_start_is_an_alternate_and_takes_the_place_of_who_withdraws(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:5], entry={"max_entrants": 4, "alternates": True})
    martha, ewa = club_people[0], club_people[4]
    assert entrant(season, ewa).status == "alternate"
    with clock.frozen_at(BEGIN):
        director.advance()
        entries.withdraw_entrant(entrant=entrant(season, martha), why="asked", by=martha.user)
    came = entrant(season, ewa)
    assert (came.status, came.since) == ("in", 2)
    assert "Ewa takes the place of Martha." in happenings(season)
    assert faults() == []


def test_without_alternates_who_waits_at_the_start_is_out_and_told_so(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:4], entry={"max_entrants": 3})
    assert entrant(season, club_people[3]).status == "out"
    assert "all places were taken" in Notice.objects.get(user=club_people[3].user).text
    assert [event[2]["why"] for event in events_of_type(season, "entrant_left")] == ["no_place"]


# checking in


def test_who_does_not_check_in_is_left_out_and_the_season_starts_by_itself(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(
        league, club_people[:4], start=False, entry={"check_in_hours": 2, "max_entrants": 3}, starts_at=BEGIN + A_DAY
    )
    martha, laura, otto, jonas = club_people[:4]
    with clock.frozen_at(BEGIN):
        with refused("too_early"):
            entries.check_in_entrant(entrant=entrant(season, martha))
        with refused("check_in_on"):
            seasons.start_season(season=season)
    with clock.frozen_at(BEGIN + A_DAY - timedelta(hours=1)):
        for player in (martha, laura, jonas):
            entries.check_in_entrant(entrant=entrant(season, player))
        entries.check_in_entrant(entrant=entrant(season, martha))  # a second time changes nothing
        assert director.advance() == 0
    with clock.frozen_at(BEGIN + A_DAY):
        assert director.advance()
    assert len(events_of_type(season, "entrant_checked_in")) == 3
    assert status(season) == {"Martha": "in", "Laura": "in", "Otto": "out", "Jonas": "in"}
    assert "without you" in Notice.objects.get(user=otto.user).text
    season.refresh_from_db()
    assert season.status == "running"
    assert "Otto did not check in and was left out." in happenings(season)
    assert faults() == []


def test_where_too_few_check_in_nothing_is_changed_and_the_organiser_is_told_once(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:3], start=False, entry={"check_in_hours": 2})
    with clock.frozen_at(BEGIN + A_DAY):
        director.advance()
        director.advance()
    assert set(status(season).values()) == {"in"}
    [notice] = Notice.objects.filter(user=league.club.owner)
    assert notice.sentences == [["cannot_start", {"season": str(season), "why": "too_few_entrants"}]]
    with translation.override("de"):
        assert "nach dem Einchecken nicht begonnen, weil zu wenige" in notice.text
    assert season.entries.filter(status="in").count() == 3


# being away, and coming late


def test_a_round_goes_on_without_who_is_away_at_their_wish(league: League, club_people: list[Player]) -> None:
    season = season_of(league, club_people[:4], points={"system": "match_points", "scale": [1], "away": 0.5})
    martha = entrant(season, club_people[0])
    with clock.frozen_at(BEGIN):
        availability.set_away_rounds(entrant=martha, rounds=[1])
        director.advance()
        with refused("bad_rounds"):
            availability.set_away_rounds(entrant=martha, rounds=[1, 0])
    if not Match.objects.filter(entrants__entrant=martha).exists():
        bye = Bye.objects.get(entrant=martha)
        assert (bye.kind, bye.round.number) == ("away", 1)
    assert events_of_type(season, "entrant_away") == [["entrant_away", 1, [1]]]
    assert faults() == []


def test_who_enters_a_second_live_season_is_warned_of_two_games_at_once(
    league: League, club_people: list[Player], client: Client
) -> None:
    for name in ("First", "Second", "Third"):
        clock_of = {"move_days": 1} if name == "Second" else {"move_seconds": 60}
        season = season_of(league, [], start=False, name=name, terms=clock_of)
        assert club_people[0].user
        client.force_login(club_people[0].user)
        page = client.post(f"/clubs/{league.club.slug}/{league.slug}/{season.slug}/join/", follow=True)
        assert (b"two of them may begin at the same time" in page.content) == (name == "Third")


def test_a_latecomer_enters_until_the_round_that_the_season_says(league: League, club_people: list[Player]) -> None:
    season = season_of(
        league, club_people[:3], entry={"late_rounds": 2}, points={"system": "match_points", "scale": [1], "away": 0.5}
    )
    with clock.frozen_at(BEGIN):
        director.advance()
        assert entries.enter_season(season=season, player=club_people[3]).since == 2
        with refused("other_pool"):
            entries.enter_season(season=season, player=builtin_bot("Gannet"))
        for game in Game.objects.filter(status="playing"):
            entries.forfeit_seat(game, 0)
        director.advance()
    row = Standing.objects.get(entrant=entrant(season, club_people[3])).row
    assert (row["points"], [line["points"] for line in row["lines"]]) == (0.5, [0.5])
    season.divisions.update(rounds_opened=2)
    with refused("season_started"):
        entries.enter_season(season=season, player=club_people[4])


def test_a_latecomer_leaves_the_bracket_as_it_was_drawn(league: League, club_people: list[Player]) -> None:
    """docs/reference/formats.md: who comes after the draw is placed last."""
    season = season_of(league, club_people[:4], format="knockout", entry={"late_rounds": 2})
    for days in (0, 7):
        with clock.frozen_at(BEGIN + timedelta(days=days)):
            director.advance()
            if not days:
                entries.enter_season(season=season, player=club_people[4])
            for game in Game.objects.filter(status="playing"):
                entries.forfeit_seat(game, 0)
            director.advance()
    slots = Match.objects.order_by("round__number", "table").values_list("slot", flat=True)
    assert list(slots) == ["W1.1", "W1.2", "F"]
    [[_, _, places]] = events_of_type(season, "season_finished")
    assert dict(places)[5] == 5
    assert faults() == []


# withdrawing


def play_round(season: Season, number: int) -> None:
    """Open round `number`, and let seat 1 win each of its games."""
    with clock.frozen_at(BEGIN + 7 * A_DAY * (number - 1)):
        director.advance()
        for game in Game.objects.filter(match_game__match__round__division__season=season, status="playing"):
            entries.forfeit_seat(game, 0)
        director.advance()


def test_the_results_of_who_withdraws_before_half_of_the_games_are_struck(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:5])
    play_round(season, 1)
    winner = Standing.objects.filter(points__gt=0).select_related("entrant").earliest("pk").entrant
    with clock.frozen_at(BEGIN + A_DAY):
        entries.withdraw_entrant(entrant=winner, why="asked", by=winner.player.user, note="Moving platform.")
        again = entries.withdraw_entrant(entrant=winner, why="asked")
    assert again.status == "withdrawn"
    [[_, number, gone]] = events_of_type(season, "entrant_withdrawn")
    assert (number, gone["played"], gone["of"]) == (winner.number, 1, 4)
    row = Standing.objects.get(entrant=winner).row
    assert (row["points"], row["lines"]) == (0, [])
    assert f"{winner} withdrew, after 1 of 4 games. “Moving platform.”" in happenings(season)
    assert faults() == []


def test_results_stand_once_half_is_played_and_where_the_season_says_so(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:4], withdrawals="forfeit")
    play_round(season, 1)
    winner = Standing.objects.filter(points__gt=0).select_related("entrant").earliest("pk").entrant
    with clock.frozen_at(BEGIN + A_DAY):
        entries.withdraw_entrant(entrant=winner, why="organiser", by=league.club.owner)
    assert Standing.objects.get(entrant=winner).points == 1
    assert "withdrawn you" in Notice.objects.get(user=winner.player.user, subject="registration").text
    assert faults() == []


def test_nobody_waits_for_who_has_withdrawn(league: League, club_people: list[Player]) -> None:
    season = season_of(league, club_people[:4])
    martha = entrant(season, club_people[0])
    with clock.frozen_at(BEGIN):
        director.advance()
        entries.leave_season(entrant=martha, by=club_people[0].user)
        assert not Game.objects.filter(seats__player=club_people[0], status="playing").exists()
        with refused("was_withdrawn"):
            entries.enter_season(season=season, player=club_people[0])
    with clock.frozen_at(BEGIN + 7 * A_DAY):
        play_round(season, 1)
        director.advance()
    assert not Game.objects.filter(seats__player=club_people[0], status="playing").exists()
    assert faults() == []


@pytest.mark.slow
@committed
def test_a_withdrawal_happens_once_however_many_ask_for_it(league: League, club_people: list[Player]) -> None:
    season = season_of(league, club_people[:4])
    with clock.frozen_at(BEGIN):
        director.advance()
    martha = entrant(season, club_people[0])
    at_once(lambda: entries.withdraw_entrant(entrant=martha, why="asked"))
    assert len(events_of_type(season, "entrant_withdrawn")) == 1
    assert faults() == []


def test_who_deletes_the_account_leaves_the_seasons_that_are_open_or_on(
    league: League, club_people: list[Player]
) -> None:
    running = season_of(league, club_people[:4])
    opened = season_of(league, club_people[:4], start=False, name="Winter")
    martha = club_people[0]
    with clock.frozen_at(BEGIN):
        director.advance()
        assert martha.user
        people.delete_account(martha.user)
        director.advance()
        director.advance()
    assert [entrant(each, martha).status for each in (running, opened)] == ["withdrawn", "out"]
    assert [event[2]["why"] for event in events_of_type(running, "entrant_withdrawn")] == ["account"]
    assert len(events_of_type(opened, "entrant_left")) == 1
    assert faults() == []


def test_who_does_not_come_to_as_many_rounds_as_the_season_bears_is_withdrawn_once(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:4], max_no_shows=2, withdrawals="forfeit", format="double_round_robin")
    for number in (1, 2):
        play_round(season, number)
        director.advance()
    absent = [each.number for each in season.entries.filter(status="withdrawn")]
    missed = [
        record[3]["seats"][seat] for record in events_of_type(season, "game_recorded") for seat in record[3]["absent"]
    ]
    assert sorted(absent) == sorted(number for number in set(missed) if missed.count(number) >= 2)
    assert absent
    assert [event[2]["why"] for event in events_of_type(season, "entrant_withdrawn")] == ["no_shows"] * len(absent)
    assert faults() == []


def test_games_of_bots_are_nobodys_no_shows(league: League, bots: list[Player]) -> None:
    season = season_of(league, bots[:2], max_no_shows=1)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    assert events_of_type(season, "entrant_withdrawn") == []
    assert {tuple(record[3]["absent"]) for record in events_of_type(season, "game_recorded")} == {()}
    assert lookups.references([]).notes == set()


# atomic steps, and many callers


@committed
def test_a_withdrawal_is_whole_or_not_at_all(league: League, club_people: list[Player]) -> None:
    season = season_of(league, club_people[:5], entry={"max_entrants": 4, "alternates": True})
    martha = entrant(season, club_people[0])
    with clock.frozen_at(BEGIN):
        director.advance()

        def withdrawn() -> bool:
            if events_of_type(season, "entrant_withdrawn"):
                return entries.withdraw_entrant(entrant=martha, why="asked").status != "withdrawn"
            return entries.withdraw_entrant(entrant=martha, why="asked", by=club_people[0].user).status == "withdrawn"

        assert_whole_or_not_at_all(withdrawn)
    assert len(events_of_type(season, "entrant_withdrawn")) == 1
    assert status(season)["Ewa"] == "in"
    assert faults() == []


@committed
def test_a_season_starts_by_itself_once_however_many_directors_there_are(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:4], start=False, entry={"check_in_hours": 2})
    with clock.frozen_at(BEGIN):
        for each in season.entries.all():
            entries.check_in_entrant(entrant=each)
    at_once(director.advance)
    at_once(director.advance)
    assert [len(events_of_type(season, kind)) for kind in ("season_started", "round_paired")] == [1, 1]
    assert faults() == []


@pytest.mark.slow
@committed
def test_no_shows_withdraw_once_however_many_directors_close_the_round(
    league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:4], max_no_shows=1, withdrawals="forfeit", starts_at=BEGIN - 8 * A_DAY)
    with clock.frozen_at(BEGIN):
        director.advance()
        for game in Game.objects.filter(status="playing"):
            entries.forfeit_seat(game, 0)
    at_once(director.advance)
    at_once(director.advance)
    assert len(events_of_type(season, "round_closed")) == 1
    assert (
        len(events_of_type(season, "entrant_withdrawn"))
        == len(set(map(str, events_of_type(season, "entrant_withdrawn"))))
        == 2
    )
    with clock.frozen_at(BEGIN):
        director.advance()
        director.advance()
    assert len(events_of_type(season, "entrant_withdrawn")) == 2
    assert faults() == []


def test_a_walkover_is_a_win_unless_the_results_of_the_missing_are_struck(
    league: League, club_people: list[Player]
) -> None:
    for policy, worth in (("forfeit", 1), ("void_below_half", 0)):
        season = season_of(league, club_people[:4], withdrawals=policy, name=policy.replace("_", " "))
        martha = entrant(season, club_people[0])
        with clock.frozen_at(BEGIN):
            entries.withdraw_entrant(entrant=martha, why="asked")
        play_round(season, 1)
        bye = Bye.objects.get(round__division__season=season, kind="walkover")
        assert bye.missing == martha
        assert Standing.objects.get(entrant=bye.entrant).points == worth
    assert faults() == []
