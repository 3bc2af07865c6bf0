"""Links to clubs, seasons and bots have pictures, which a private club keeps to itself."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from django.test import Client

from games.bots import uploads
from games.common import clock
from games.common.link_picture import picture_response
from games.models import Bot, Player
from tests.replays.test_link_pictures import size
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.director import director
from tournaments.seasons.models import Match

pytestmark = pytest.mark.django_db


def test_a_season_and_its_players_have_pictures_and_a_private_club_shows_none(client: Client, running: Any) -> None:
    season = running(2)
    assert 'content="http://testserver/clubs/lantern/picture.png"' in client.get("/clubs/lantern/").text
    assert size(client.get("/clubs/lantern/picture.png").content) == (1200, 630)
    address = f"/clubs/lantern/chinese-ten/{season.slug}/"
    assert f'content="http://testserver{address}picture.png"' in client.get(address).text
    assert size(client.get(f"{address}picture.png").content) == (1200, 630)
    player = Player.objects.filter(entries__division__season=season).first()
    assert player is not None
    assert size(client.get(f"/players/{player.pk}/picture.png").content) == (1200, 630)
    with clock.frozen_at(season.starts_at):
        director.advance()
    match = f"/matches/{Match.objects.earliest('pk').pk}/"
    assert f'content="http://testserver{match}picture.png"' in client.get(match).text
    assert size(client.get(f"{match}picture.png").content) == (1200, 630)
    club = season.league.club
    club_lifecycle.change_club(club=club, user=club.owner, visibility="private")
    assert client.get(f"{address}picture.png").status_code == 404
    assert client.get("/clubs/lantern/picture.png").status_code == 404
    assert client.get(f"{match}picture.png").status_code == 404
    client.force_login(club.owner)
    assert client.get(f"{match}picture.png")["Cache-Control"] == "max-age=3600, private", "no proxy gives it to others"


def test_a_bot_that_is_not_public_has_no_picture_for_others(client: Client, running: Any) -> None:
    owner = running(2).league.club.owner
    bot = uploads.new_bot(owner=owner, name="Cormorant", description="Dives.", visibility="private")
    client.force_login(owner)
    assert client.get(f"/bots/{bot.name}/picture.png").status_code == 404
    Bot.objects.update(visibility="public")
    with mock.patch("tournaments.link_pictures.picture_response", wraps=picture_response) as drawn:
        assert size(client.get(f"/bots/{bot.name}/picture.png").content) == (1200, 630)
    [shown] = drawn.call_args.args
    assert (shown.heading, shown.line, shown.note) == ("Cormorant", "Dives.", "A bot that has not played yet")
