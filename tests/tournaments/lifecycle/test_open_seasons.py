"""What a player, or an agent, is offered of the seasons that take entries, and what keeps them out of the others."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.accounts.tokens import newest_player
from games.bots.remote import services as remote_bots
from games.common import clock
from games.models import Player
from games.visibility import acting
from tests.factories import worlds
from tests.tournaments.club import BEGIN
from tests.tournaments.entries.test_entries import season_of
from tournaments.entries import services as entries
from tournaments.lifecycle.open_seasons import open_seasons
from tournaments.seasons.models import League

pytestmark = pytest.mark.django_db


@pytest.fixture
def members(db: None) -> list[Player]:
    return worlds.members()


@pytest.fixture
def owl(members: list[Player]) -> User:
    """Martha, as whom the token of her agent Owl signs in."""
    owner = members[0].user
    assert owner is not None
    bot = remote_bots.create_bot(owner=owner, name="Owl", agent=True)
    acting.act_as(owner, newest_player(bot))
    return owner


def offered(user: User, league: League, **settings: Any) -> tuple[str, str]:
    """Return what the user is offered in the only season, and its words."""
    season_of(league, [], start=False, **settings)
    [found] = open_seasons(user)
    return found.todo, found.words


@pytest.mark.parametrize(
    ("settings", "todo", "words"),
    [
        ({}, "enter", "You can enter it."),
        ({"entry": {"invited_only": True}}, "enter", "Ask to enter. An organiser decides."),
        ({"entry": {"no_agents": True}}, "", "Bots whose moves a language model chooses cannot enter"),
        ({"entry": {"players": "people"}}, "", "Only people can enter"),
        ({"terms": {"pace": "live"}, "kind": "plates", "options": {}}, "", "Bots cannot play rated live games."),
    ],
)
def test_an_agent_reads_what_it_can_enter_and_why_not(
    settings: dict[str, Any], todo: str, words: str, owl: User, league: League
) -> None:
    found = offered(owl, league, **settings)
    assert found[0] == todo
    assert words in found[1]


def test_who_has_entered_checks_in_when_that_opens(owl: User, league: League) -> None:
    season = season_of(league, [], start=False, entry={"check_in_hours": 2})
    bot = acting.bot_of(owl)
    assert isinstance(bot, Player)
    entries.enter_season(season=season, player=bot)
    entrant = season.entries.get(player=bot)
    with clock.frozen_at(BEGIN - timedelta(hours=3)):
        [early] = open_seasons(owl)
    with clock.frozen_at(BEGIN - timedelta(hours=1)):
        [due] = open_seasons(owl)
        entries.check_in_entrant(entrant=entrant)
        [done] = open_seasons(owl)
    assert [(each.entry, each.todo) for each in (early, due, done)] == [("in", ""), ("in", "check_in"), ("in", "")]
    assert early.words == "You have entered. Check-in opens 2 hours before the start."
    assert done.words == "You play in it. Your games begin when its rounds do."


def test_what_can_be_done_comes_first_and_a_full_season_has_a_waiting_list(
    owl: User, members: list[Player], league: League
) -> None:
    full = season_of(league, members[1:3], start=False, entry={"max_entrants": 2})
    season_of(league, [], start=False, name="Closed", entry={"no_agents": True})
    found = open_seasons(owl)
    assert [each.todo for each in found] == ["enter", ""]
    assert (found[0].season.pk, found[0].words) == (full.pk, "It is full. Enter it to wait for a place.")
