"""Pictures of links: the table at the linked moment as everybody may see it, whoever asks; and oEmbed."""

from __future__ import annotations

import re
import struct
from datetime import timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from games.common import clock
from games.common.link_picture import LinkPicture, SeatLine, svg_of
from games.eventlog import store as eventlog
from games.models import Game, Player
from games.visibility import observe
from replays.export.link_pictures import picture_of
from scorebook_games.gamelog.visibility import PUBLIC
from scorebook_games.presentation.base import BACK, Card, PreviewRow
from tests.replays.conftest import open_game, play_on
from tests.replays.test_replay_page import finished, laura, live, martha, signed_in
from tournaments.clubs import lifecycle as club_lifecycle

__all__ = ["finished", "laura", "live", "martha"]
pytestmark = pytest.mark.django_db


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def faces(picture: LinkPicture) -> list[str]:
    """Return the cards that lie open in a picture."""
    rows = [*picture.middle, *(row for seat in picture.seats for row in seat.rows)]
    return [f"{card.rank}{card.suit}" for row in rows for card in row.things if not card.back and card.rank]


def test_a_name_is_text_and_nothing_leaves_the_picture_however_long_it_is() -> None:
    row = PreviewRow("hand", [BACK] * 13, 0, 13)
    seats = [SeatLine("<b>&" + "x" * 99, "1", [row])] * 9
    svg = svg_of(LinkPicture("y" * 99, "z" * 999, seats, [PreviewRow("cards", [Card("10", "♥", red=True)] * 20)]))
    assert "<b>" not in svg
    assert "&lt;b&gt;&amp;" in svg
    assert all(len(text) < 80 for text in re.findall(r">([^<>]*)</text>", svg))
    scales = [float(found) for found in re.findall(r"scale\(([\d.]+)\)", svg)]
    assert min(scales) < 0.4


def test_all_that_lies_in_the_middle_and_all_eight_players_are_drawn() -> None:
    """Chinese Ten has four spots and a deck (CT-3), Plates up to eight players."""
    middle = [PreviewRow("cards", [Card(each)]) for each in ("m1", "m2", "m3", "m4", "m5")]
    svg = svg_of(LinkPicture("", "", [SeatLine(f"s{seat}", f"f{seat}") for seat in range(8)], middle))
    drawn = re.findall(r">([msf]\d)</text>", svg)
    assert drawn == [*(f"{line}{seat}" for seat in range(8) for line in "sf"), "m1", "m2", "m3", "m4", "m5"]
    lines = [(float(y), float(size)) for y, size in re.findall(r'y="([\d.]+)" font-size="(\d+)"[^>]*>[sf]\d', svg)]
    assert all(below - y >= size * 0.8 for (y, _size), (below, size) in pairwise(lines)), "no line lies over another"
    assert all(int(y) <= 540 for y in re.findall(r"translate\(830 (\d+)", svg))


def test_the_picture_of_a_running_game_shows_a_player_no_more_than_everybody(live: Game, martha: Player) -> None:
    address = f"/games/{live.public_id}/picture.png"
    seen_by_her, seen_by_all = signed_in(martha).get(address), Client().get(address)
    assert size(seen_by_her.content) == (1200, 630)
    assert seen_by_her.content == seen_by_all.content
    shown = picture_of(live, None)
    before = [card for seat in shown.seats for row in seat.rows for card in row.things]
    assert before
    assert all(card.back for card in before), "hands lie face down"
    public = observe.visible_thumbnail(live, eventlog.read_events(live.stream_id), PUBLIC)
    assert public is not None
    assert [row for row in public.rows if row.seat is None] == list(shown.middle)


def test_a_sealed_game_shows_who_plays_and_nothing_of_the_table(martha: Player, laura: Player) -> None:
    game = play_on(open_game([martha, laura], sealed=True), 4)
    shown = picture_of(game, 3)
    assert [seat.name for seat in shown.seats] == ["Martha", "Laura"]
    assert (faces(shown), [seat.figure for seat in shown.seats], shown.note) == ([], ["", ""], "")
    assert shown.line.startswith("Sealed")
    over = play_on(game)
    over.deal.revealed_at = None  # another game of the deal goes on
    assert picture_of(over, None).line.startswith("Sealed")
    assert faces(picture_of(over, None)) == []


def test_a_link_to_a_sealed_game_names_its_picture(client: Client, martha: Player, laura: Player) -> None:
    game = play_on(open_game([martha, laura], sealed=True), 4)
    page = client.get(f"/games/{game.public_id}/")
    assert page.status_code == 403
    assert f'content="http://testserver/games/{game.public_id}/picture.png"' in page.text


def test_what_watchers_learn_later_the_picture_shows_later(martha: Player, laura: Player) -> None:
    game = play_on(open_game([martha, laura], watch_delay=600))
    assert game.finished_at
    with clock.frozen_at(game.finished_at + timedelta(seconds=1)):
        assert "wins" not in picture_of(game, None).line
        assert picture_of(game, None).line == "In progress"
        assert picture_of(game, 9999).line == "Step 0", "nor is it told how many steps there are"
    with clock.frozen_at(game.finished_at + timedelta(seconds=601)):
        assert "first place" in picture_of(game, None).line or "wins" in picture_of(game, None).line


def test_a_moment_is_drawn_as_it_was_and_without_the_result(finished: Game) -> None:
    moment = picture_of(finished, 4)
    assert moment.line == "Step 4"
    known = eventlog.read_events(finished.stream_id, until=4)
    assert len(known) == 4
    assert faces(moment) != faces(picture_of(finished, finished.version - 5))
    end = picture_of(finished, None)
    assert end.line not in ("", "In progress")
    assert finished.outcome
    assert [seat.figure for seat in end.seats] == [f"Score: {score}" for score in finished.outcome["scores"]]


def test_a_finished_games_picture_is_kept_and_may_be_kept(client: Client, finished: Game, settings: Any) -> None:
    settings.DEBUG = False
    first = client.get(f"/games/{finished.public_id}/picture.png?at=4")
    assert first["Cache-Control"] == "public, max-age=86400"
    assert client.get(f"/games/{finished.public_id}/picture.png?at=4").content == first.content
    assert client.get(f"/games/{finished.public_id}/picture.png?at=x").status_code == 200


def test_there_is_no_picture_of_a_game_that_does_not_exist_or_is_private(
    client: Client, finished: Game, martha: Player
) -> None:
    assert client.get("/games/7F3K0000/picture.png").status_code == 404
    assert martha.user
    club = club_lifecycle.found_club(user=martha.user, name="Lantern Street")
    club_lifecycle.change_club(club=club, user=martha.user, visibility="private")
    Game.objects.filter(pk=finished.pk).update(audience_club_id=club.pk)
    assert client.get(f"/games/{finished.public_id}/picture.png").status_code == 404
    link = quote(f"http://testserver/games/{finished.public_id}/")
    assert client.get(f"/oembed/?url={link}").status_code == 404


def test_the_page_names_the_picture_of_the_linked_moment(client: Client, finished: Game) -> None:
    page = client.get(f"/games/{finished.public_id}/?viewpoint=public&at=4").text
    address = f"http://testserver/games/{finished.public_id}/picture.png?at=4"
    assert f'<meta property="og:image" content="{address}">' in page
    assert '<meta name="twitter:card" content="summary_large_image">' in page
    found = re.search(r'type="application/json\+oembed"\s+href="([^"]+)"', page)
    assert found
    assert client.get(found[1].replace("&amp;", "&")).json()["type"] == "rich"


def test_oembed_gives_one_line_of_html_that_shows_the_moment_in_a_frame(client: Client, finished: Game) -> None:
    """oembed.com, 2.2 and 2.3: maxwidth and maxheight are kept, a format that is not offered is 501."""
    link = quote(f"http://testserver/games/{finished.public_id}/?viewpoint=1&at=4#4")
    data = client.get(f"/oembed/?url={link}&maxwidth=400&format=json").json()
    assert (data["type"], data["version"], data["width"], data["height"]) == ("rich", "1.0", 400, 720)
    [address] = re.findall(r'<iframe src="([^"]+)"', data["html"])
    assert "\n" not in data["html"]
    path = address.replace("&amp;", "&").partition("localhost:8000")[2]
    assert path == f"/games/{finished.public_id}/embed/?viewpoint=1#4"
    framed = client.get(path.partition("#")[0])
    assert "frame-ancestors *" in framed["Content-Security-Policy"]
    assert data["thumbnail_url"].endswith("picture.png?at=4")
    assert client.get(f"/oembed/?url={link}&format=xml").status_code == 501
    for other in ("https://elsewhere.example/games/X/", "http://testserver/clubs/", "nonsense", "http://[", ""):
        assert client.get(f"/oembed/?url={quote(other)}").status_code == 404, other


def test_players_have_pictures_too(client: Client, martha: Player) -> None:
    answer = client.get(f"/players/{martha.pk}/picture.png")
    assert size(answer.content) == (1200, 630)
    assert "picture.png" in client.get(f"/players/{martha.pk}/").text
