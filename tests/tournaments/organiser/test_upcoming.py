"""What happens next by itself, beside the inbox and by the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.common import clock
from games.models import Player
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN
from tests.tournaments.entries.test_entries import entrant, season_of
from tests.tournaments.organiser.conftest import A_DAY
from tournaments.calendar import reminders
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.entries import challenges
from tournaments.entries import services as entries
from tournaments.entries.ladder_selectors import ladder_rows
from tournaments.lifecycle import running
from tournaments.organiser import upcoming
from tournaments.seasons.models import League, Season
from tournaments.seasons.stream import fold_season

pytestmark = pytest.mark.django_db


def next_of(club: Club) -> list[tuple[str, Any]]:
    return [(line.text, line.at) for line in upcoming.upcoming_events([club])]


def test_the_inbox_says_when_rounds_end_are_paired_and_people_are_reminded(played: Season, club: Club) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        found = next_of(club)
    paired = "round 2 is paired, if round 1 has finished"
    assert ("round 1 ends; unplayed games come to your inbox", BEGIN + 7 * A_DAY) in found
    assert (paired, BEGIN + 7 * A_DAY) in found
    reminded = [at for sentence, at in found if "reminded" in sentence]
    assert reminded == [BEGIN + 4 * A_DAY], "Three days before its time is up."
    assert [at for _sentence, at in found] == sorted(at for _sentence, at in found)
    # the announced steps then happen at these times
    with clock.frozen_at(BEGIN + 4 * A_DAY):
        assert reminders.notify_due() > 0
    with clock.frozen_at(BEGIN + 8 * A_DAY):
        assert ("round 2 is paired, as soon as round 1 has finished", None) in next_of(club)


def test_it_says_when_check_in_opens_and_the_season_starts(
    league: League, club_people: list[Player], club: Club
) -> None:
    season = season_of(league, club_people[:2], start=False, entry={"check_in_hours": 24})
    with clock.frozen_at(BEGIN - 2 * A_DAY):
        assert next_of(club) == [
            ("check-in opens", BEGIN - A_DAY),
            ("check-in closes, and the season starts if there are enough players", BEGIN),
        ]
    with clock.frozen_at(BEGIN - A_DAY / 2):
        assert [at for _sentence, at in next_of(club)] == [BEGIN]
        for each in club_people[:2]:
            entries.check_in_entrant(entrant=entrant(season, each))
    with clock.frozen_at(BEGIN):
        director.advance()
    season.refresh_from_db()
    assert season.status == "running"


def test_nothing_comes_by_itself_while_a_season_is_paused_or_after_its_last_round(
    league: League, club_people: list[Player], club: Club
) -> None:
    season = season_of(league, club_people[:2], on_round_deadline="adjudicate")
    with clock.frozen_at(BEGIN):
        director.advance()
        assert not any("is paired" in sentence for sentence, _at in next_of(club)), "Two meet once."
        running.pause_season(season=season, by=club.owner)
        assert next_of(club) == []


def test_on_a_ladder_challenges_run_out_and_the_season_ends(
    league: League, club_people: list[Player], club: Club
) -> None:
    season = season_of(league, club_people[:2], format="ladder", duration_seconds=30 * 86400)
    high, low = (
        season.entries.get(number=rung.entrant) for rung in ladder_rows(fold_season(season), season.divisions.get())
    )
    with clock.frozen_at(BEGIN):
        challenges.create_challenge(entrant=low, other=high)
        director.advance()
        assert next_of(club) == [
            ("a challenge expires", BEGIN + 14 * A_DAY),
            ("the season’s time ends; running matches are finished", BEGIN + 30 * A_DAY),
        ]


def test_the_page_and_the_api_say_the_same(niamh: Client, played: Season, club: Club) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        page = Page.of(niamh.get("/clubs/lantern/inbox/"))
        results = niamh.get("/api/v1/clubs/lantern/upcoming/").json()["results"]
        everywhere = niamh.get("/api/v1/upcoming/").json()["results"]
    assert results == everywhere
    assert [line["what"] for line in results].count("reminder") == 1
    assert "Coming up automatically" in page.text
    assert all(line["text"][1:] in page.text for line in results)


def test_what_comes_next_costs_as_many_queries_for_two_seasons_as_for_one(
    league: League, club_people: list[Player], club: Club, played: Season
) -> None:
    def queries() -> int:
        with clock.frozen_at(BEGIN + A_DAY), CaptureQueriesContext(connection) as asked:
            upcoming.upcoming_events([club])
        return len(asked)

    one = queries()
    season_of(league, club_people[:4], on_round_deadline="adjudicate", name="Winter")
    with clock.frozen_at(BEGIN):
        director.advance()
    assert queries() == one
