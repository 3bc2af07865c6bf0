"""What organisers did is listed, can be filtered, and is rebuilt from the log."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.models import Player
from tests.assertions.page import Page
from tests.fixtures.append_only import triggers_disabled
from tests.tournaments.entries.test_entries import entrant, faults, refused, season_of
from tests.tournaments.organiser.conftest import LATE, nudge
from tournaments.activity import audit_log
from tournaments.clubs.models import Club, Membership
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import running
from tournaments.rulings import services as rulings
from tournaments.seasons.models import League, Match, OrganiserAction, Season

pytestmark = pytest.mark.django_db


def test_what_people_do_for_themselves_is_no_act_of_an_organiser(played: Season, club_people: list[Player]) -> None:
    with clock.frozen_at(LATE):
        entries.leave_season(entrant=entrant(played, club_people[0]), by=club_people[0].user)
    assert not OrganiserAction.objects.exists()


def test_the_list_is_looked_through_by_season_person_match_and_sort(
    niamh: Client, played: Season, club: Club, league: League, club_people: list[Player]
) -> None:
    """The page and the API filter alike. The log is of two seasons and two organisers."""
    ruth = User.objects.create_user("ruth")
    Membership.objects.create(club=club, user=ruth, role=Membership.Role.ORGANISER)
    first, *_ = Match.objects.order_by("pk")
    other = season_of(league, club_people[:2], name="Winter")
    with clock.frozen_at(LATE):
        nudge(first, ruth)
        rulings.adjudicate(match=first, places=(1, 2), by=club.owner, note="Both agreed.")
        running.pause_season(season=other, by=ruth, note="Holidays.")
    expected = {
        "": ["season_paused", "game_adjudicated", "match_nudged"],
        f"season={other.pk}": ["season_paused"],
        "by=ruth": ["season_paused", "match_nudged"],
        f"match={first.pk}": ["game_adjudicated", "match_nudged"],
        "what=game_adjudicated": ["game_adjudicated"],
        f"by=ruth&season={played.pk}": ["match_nudged"],
        "by=-": [],
    }
    for query, whats in expected.items():
        got = niamh.get(f"/api/v1/clubs/lantern/audit-log/?{query}").json()["results"]
        assert [line["what"] for line in got] == whats, query
        page = Page.of(niamh.get(f"/clubs/lantern/audit-log/?{query}"))
        assert page.faults() == []
        assert [word in page.text for word in ("Holidays.", "Both agreed.")] == [
            name in whats for name in ("season_paused", "game_adjudicated")
        ]
    assert got == []
    line = niamh.get("/api/v1/clubs/lantern/audit-log/?what=season_paused").json()["results"][0]
    assert (line["by"], line["reason"], line["match"], line["season"]) == ("ruth", "Holidays.", None, other.pk)


def test_what_cannot_be_looked_for_is_said(niamh: Client, club: Club) -> None:
    for wanted in ({"season": "x"}, {"match": "1.5"}, {"what": "dancing"}, {"season": "9" * 30}):
        with refused("bad_filter"):
            audit_log.club_actions([club], audit_log.AuditFilter(**wanted))
    answer = niamh.get("/api/v1/clubs/lantern/audit-log/?season=x")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_filter")
    assert niamh.get("/clubs/lantern/audit-log/?season=x").status_code == 404


def test_a_decision_about_a_match_of_two_games_is_one_act(
    niamh: Client, league: League, club_people: list[Player]
) -> None:
    season = season_of(league, club_people[:2], games_a_match=2, name="Pairs")
    with clock.frozen_at(LATE):
        director.advance()
        match = Match.objects.get(round__division__season=season)
        made = rulings.adjudicate(match=match, places=(2, 1), by=league.club.owner, note="Seen.", key="k")
        assert rulings.adjudicate(match=match, places=(2, 1), by=league.club.owner, note="Seen.", key="k") == made
    assert [event[2] for event in made.events] == [1, 2]
    [line] = audit_log.audit_lines(list(audit_log.season_actions(season)))
    assert line.reason == "Seen."
    assert faults() == []
    with triggers_disabled("seasons_organiseraction"):
        OrganiserAction.objects.filter(pk=made.pk).delete()
    assert len(faults()) == 1
    assert [event[2] for event in audit_log.season_actions(season).get().events] == [1, 2]


def test_acts_are_told_after_the_account_is_gone(niamh: Client, played: Season, club: Club) -> None:
    ruth = User.objects.create_user("ruth")
    Membership.objects.create(club=club, user=ruth, role=Membership.Role.ORGANISER)
    with clock.frozen_at(LATE):
        nudge(Match.objects.earliest("pk"), ruth)
    ruth.delete()
    [line] = audit_log.audit_lines(list(audit_log.club_actions([club])))
    assert (line.who, line.what) == (None, "Reminder.")
    assert "A deleted account" in Page.of(niamh.get("/clubs/lantern/audit-log/")).text


@pytest.mark.slow
def test_decisions_stand_among_the_acts_with_their_match_and_reason(niamh: Client, played: Season, club: Club) -> None:
    first, second = Match.objects.order_by("pk")
    why: dict[str, Any] = {"by": club.owner, "note": "The clock was wrong."}
    with clock.frozen_at(LATE):
        rulings.adjudicate(match=first, places=(1, 2), **why)
        rulings.order_replay(match=first, game=1, **why)
        rulings.annul_game(match=second, game=1, **why)
        rulings.undo_round(division=first.round.division, number=1, **why)
    page = Page.of(niamh.get("/inbox/")).text
    for word in (
        "Adjudicated.",
        "Replay ordered.",
        "Annulled.",
        "Round undone.",
        "table 2 of round 1",
        "The clock was wrong.",
    ):
        assert word in page


def test_rebuild_knows_the_acts_and_puts_their_rows_right(played: Season, club: Club) -> None:
    with clock.frozen_at(LATE):
        nudge(Match.objects.earliest("pk"), club.owner)
    before = OrganiserAction.objects.values("version", "what", "events", "match", "by", "at").get()
    assert faults() == []
    with triggers_disabled("seasons_organiseraction"):
        OrganiserAction.objects.all().delete()
    [sentence] = faults()
    assert "is missing in the log or in the rows" in sentence
    assert OrganiserAction.objects.values("version", "what", "events", "match", "by", "at").get() == before
    assert faults() == []
