"""Organisers enter results of matches of two as *A won*, *draw* or *B won* (docs/how-to/run-a-league.md)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common.errors import DomainError
from tests.assertions.page import Page
from tests.tournaments.club import Start, let_play
from tournaments.rulings import result_entry
from tournaments.seasons.models import League, Match, OrganiserAction, Season

pytestmark = pytest.mark.django_db
WHY = "Played at the club's boards."


@pytest.fixture
def owner(league: League) -> User:
    found: User = league.club.owner
    return found


@pytest.fixture
def page_of(client: Client, owner: User) -> Callable[..., Page]:
    client.force_login(owner)
    address = "/clubs/lantern/chinese-ten/autumn-2026/results/"

    def ask(**sent: str) -> Page:
        return Page.of(client.post(address, sent, follow=True) if sent else client.get(address))

    return ask


@pytest.fixture
def season(running: Start) -> Season:
    season = running(4, format="round_robin")
    let_play(0, open_next=True)
    return season


def points(match: Match) -> list[float | None]:
    return list(match.entrants.order_by("order").values_list("points", flat=True))


def test_the_results_of_a_round_are_entered_on_one_form_of_plain_fields(
    season: Season, page_of: Callable[..., Page]
) -> None:
    first, second = Match.objects.order_by("table")
    page = page_of()
    assert page.faults() == []
    names = [attrs["name"] for tag, attrs in page.tags if tag == "input" and attrs.get("type") == "radio"]
    assert names == [f"match-{first.pk}"] * 4 + [f"match-{second.pk}"] * 4
    page = page_of(note=WHY, key="k", **{f"match-{first.pk}": "second", f"match-{second.pk}": "draw"})
    assert "2 results have been entered." in page.text
    (lost, won), (one, other) = points(first), points(second)
    assert (lost, one) == (0, other)
    assert won
    assert one
    assert OrganiserAction.objects.filter(what="game_adjudicated").count() == 2
    assert "Every match of the open rounds has a result." in page_of().text


def test_a_match_without_a_choice_keeps_waiting_and_a_refusal_keeps_what_was_chosen(
    season: Season, page_of: Callable[..., Page]
) -> None:
    first, second = Match.objects.order_by("table")
    page = page_of(note=" ", **{f"match-{first.pk}": "first", f"match-{second.pk}": ""})
    assert "Give a reason." in page.text
    checked = [attrs["value"] for tag, attrs in page.tags if tag == "input" and "checked" in attrs]
    assert checked == ["first", ""]
    assert "Choose the result of at least one match." in page_of(note=WHY, **{f"match-{first.pk}": ""}).text
    assert "The result has been entered." in page_of(note=WHY, **{f"match-{first.pk}": "first"}).text
    second.refresh_from_db()
    assert second.finished_at is None


def test_all_results_are_entered_or_none(season: Season, owner: User) -> None:
    first, second = Match.objects.order_by("table")

    def enter(**outcomes: str) -> None:
        matches = {"first": first.pk, "second": second.pk}
        chosen = {matches[name]: outcome for name, outcome in outcomes.items()}
        result_entry.enter_results(season=season, outcomes=chosen, by=owner, note=WHY, key="once")

    enter(second="draw")
    enter(second="draw")  # sent twice
    assert OrganiserAction.objects.count() == 1
    with pytest.raises(DomainError, match="has a result by now"):
        result_entry.enter_results(
            season=season, outcomes={first.pk: "first", second.pk: "first"}, by=owner, note=WHY, key="other"
        )
    with pytest.raises(DomainError, match="does not have one of these matches"):
        result_entry.enter_results(
            season=season, outcomes={first.pk: "first", second.pk + 1: "first"}, by=owner, note=WHY
        )
    first.refresh_from_db()
    assert first.finished_at is None


def test_where_scores_count_the_whole_form_is_needed(running: Start, page_of: Callable[..., Page]) -> None:
    running(4, format="round_robin", points={"system": "score", "scale": [1]})
    let_play(0, open_next=True)
    page = page_of()
    assert [attrs for tag, attrs in page.tags if tag == "input" and attrs.get("type") == "radio"] == []
    assert len([link for link in page.links("/matches/") if "decide" in str(link)]) == 2
