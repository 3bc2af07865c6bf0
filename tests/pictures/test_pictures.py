"""The pictures in the rules: the engine reaches each position, and the site serves each picture."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from scorebook_games.registry import KINDS
from tests.assertions.page import Page
from tests.pictures.find import WANTED
from tests.pictures.positions import Position, frames_of, recorded

IMAGE = re.compile(r"!\[([^\]]*)\]\(pictures/([\w-]+)-light\.webp\)")
POSITIONS = recorded()
LARGEST = 50_000


def named(kind: str) -> dict[str, str]:
    """Return file → alternative text of the pictures in a kind's rules page."""
    text = KINDS[kind].rules_page.read_text(encoding="utf-8")
    return {name: alt for alt, name in IMAGE.findall(text)}


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.name)
def test_a_pictured_position_is_reached_by_its_moves_from_its_seed(position: Position) -> None:
    frame = frames_of(position)[-1]
    assert frame.version == position.version
    assert frame.observation == position.observation


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.name)
def test_a_picture_is_small_and_there_by_day_and_by_lamp(position: Position) -> None:
    sizes = set()
    for shade in ("light", "dark"):
        data = (KINDS[position.kind].pictures / f"{position.name}-{shade}.webp").read_bytes()
        assert (data[:4], data[8:16]) == (b"RIFF", b"WEBPVP8X")
        assert len(data) < LARGEST
        sizes.add(data[24:30])  # width and height
    assert len(sizes) == 1


def test_what_was_looked_for_is_what_was_found() -> None:
    assert [(each.name, each.kind, each.seats) for each in WANTED] == [
        (each.name, each.kind, each.seats) for each in POSITIONS
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_game_has_two_to_four_pictures_that_say_in_words_what_they_show(kind: str) -> None:
    pictures = named(kind)
    assert 2 <= len(pictures) <= 4
    assert list(pictures) == [position.name for position in POSITIONS if position.kind == kind]
    assert all(len(alt.split()) >= 15 for alt in pictures.values())


def test_no_picture_lies_about_unnamed() -> None:
    for kind in KINDS:
        files = {f"{name}-{shade}.webp" for name in named(kind) for shade in ("light", "dark")}
        assert {path.name for path in KINDS[kind].pictures.iterdir()} == files


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_the_sites_page_shows_them_in_the_shade_of_the_screen(client: Client, kind: str) -> None:
    page = Page.of(client.get(f"/rules/{kind}/"))
    shown = [attrs for tag, attrs in page.tags if tag == "img"]
    by_lamp = [attrs for tag, attrs in page.tags if tag == "source"]
    assert [attrs["alt"] for attrs in shown] == list(named(kind).values())
    assert {attrs["media"] for attrs in by_lamp} == {"(prefers-color-scheme: dark)"}
    addresses = [attrs["src"] for attrs in shown] + [attrs["srcset"] for attrs in by_lamp]
    assert len(set(addresses)) == 2 * len(named(kind))
    for address in addresses:
        answer = client.get(address)
        assert (answer.status_code, answer["Content-Type"]) == (200, "image/webp")
