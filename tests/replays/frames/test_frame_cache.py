"""The pieces of a long game together equal the whole game, in whatever order they are requested."""

from __future__ import annotations

from itertools import pairwise

import pytest
from django.test import Client

from games.models import Game, Player
from replays import views as replays_views
from replays.frames import frame_cache
from scorebook_games.frames import replay
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.visibility import ALL, Viewpoint
from scorebook_games.registry import KINDS
from tests.replays.conftest import open_game, play_on
from tests.replays.random_games import random_game
from tests.replays.test_replay_page import embedded, refused, signed_in
from tests.replays.test_replay_page import replay as asked

PIECE = 40


@pytest.fixture
def martha(cast: dict[str, int]) -> Player:
    return Player.objects.select_related("user").get(pk=cast["Martha"])


@pytest.fixture
def laura(cast: dict[str, int]) -> Player:
    return Player.objects.select_related("user").get(pk=cast["Laura"])


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch, cast: dict[str, int]) -> Game:
    """Return a game of Chinese Ten that counts as long, because a piece has only forty events."""
    monkeypatch.setattr(replays_views, "EVENTS_PER_PIECE", PIECE)
    monkeypatch.setattr(replays_views, "LONG_GAME_EVENTS", 2 * PIECE)
    game = Game.objects.get(pk=cast["finished"])
    assert 2 * PIECE < game.version <= 3 * PIECE
    return game


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("kind", "viewer"),
    [
        pytest.param(kind, viewer, marks=() if viewer == ALL or kind == "palace" else pytest.mark.slow)
        for kind in sorted(KINDS)
        for viewer in (ALL, 0, None)
    ],
)
def test_pieces_are_together_what_the_game_is_as_a_whole(kind: str, viewer: Viewpoint) -> None:
    entries = random_game(kind, 2)[:300]
    whole = replay.frames(entries, viewer)
    bounds = [*range(0, len(entries), PIECE), len(entries)]
    pairs = list(pairwise(bounds))
    in_order = [frame for pair in pairs for frame in frame_cache.frames_between(1, entries, viewer, *pair)]
    assert in_order == whole
    twice = [frame for pair in pairs for frame in frame_cache.frames_between(1, entries, viewer, *pair)]
    assert twice == whole
    backwards = [frame_cache.frames_between(2, entries, viewer, *pair) for pair in reversed(pairs)]
    assert [frame for piece in reversed(backwards) for frame in piece] == whole


def test_a_piece_goes_on_where_another_has_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = random_game("plates", 2)
    frame_cache.frames_between(1, entries, ALL, 0, PIECE)
    steps: list[int] = []
    add_event = replay.FrameBuilder.add_event

    def noted(builder: replay.FrameBuilder, entry: RecordedEvent) -> None:
        steps.append(entry.version)
        add_event(builder, entry)

    monkeypatch.setattr(replay.FrameBuilder, "add_event", noted)
    frame_cache.frames_between(1, entries, ALL, PIECE, 2 * PIECE)
    assert steps == list(range(PIECE + 1, 2 * PIECE + 1))


def test_few_places_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_cache, "MAX_CACHED_CHECKPOINTS", 3)
    entries = random_game("chinese_ten", 2)
    for until in range(10, 60, 10):
        frame_cache.frames_between(1, entries, ALL, 0, until)
    assert [version for *_place, version in frame_cache._checkpoints] == [30, 40, 50]
    assert not any(builder.frames for builder in frame_cache._checkpoints.values())


@pytest.mark.parametrize(("since", "until"), [(5, 5), (9, 3), (10_000, 10_001)])
def test_there_may_be_nothing_between(since: int, until: int) -> None:
    assert frame_cache.frames_between(1, random_game("chinese_ten", 2), ALL, since, until) == []


def test_a_page_has_the_beginning_of_a_long_game_and_its_end_in_words(client: Client, long: Game) -> None:
    page = client.get(f"/games/{long.public_id}/").content.decode()
    data, facts = embedded(page, "replay-data"), embedded(page, "replay-page")
    whole = asked(client, long)
    assert facts["told"] == PIECE
    assert data["version"] == long.version
    assert data["frames"] == whole["frames"][: len(data["frames"])]
    assert data["frames"][-1]["version"] == PIECE
    assert f"{long.version} events" in page
    assert "in hand: 0 cards" in page  # the text of the final position, whose frame is in another piece
    rest = [asked(client, long, f"?since={since}&until={since + PIECE}") for since in (PIECE, 2 * PIECE)]
    for name in ("frames", "scores"):
        assert [*data[name], *rest[0][name], *rest[1][name]] == whole[name]


def test_without_javascript_a_long_game_is_read_by_links(client: Client, long: Game) -> None:
    """Each page has a piece, and a link to the next one."""
    address, versions = f"/games/{long.public_id}/", []
    query = ""
    while True:
        page = client.get(address + query).content.decode()
        versions += [int(part.partition('"')[0]) for part in page.split('<li value="')[1:]]
        if 'id="steps-behind"' not in page:
            break
        query = page.split('id="steps-behind"')[1].split('href="')[1].partition("#")[0].replace("&amp;", "&")
    assert versions == list(range(2, long.version + 1))
    assert 'id="steps-before"' in page
    assert '<details id="steps" open>' in page
    assert client.get(f"{address}?steps=999999").status_code == 200
    assert client.get(f"{address}?steps=-1").status_code == 200


def test_the_small_page_for_other_sites_begins_likewise(client: Client, long: Game) -> None:
    page = client.get(f"/games/{long.public_id}/embed/").content.decode()
    assert embedded(page, "replay-page")["told"] == PIECE
    assert embedded(page, "replay-data")["frames"][-1]["version"] == PIECE


def test_who_is_asked_for_a_rematch_has_the_end_of_a_long_game(long: Game, martha: Player, laura: Player) -> None:
    signed_in(martha).post(f"/api/v1/games/{long.public_id}/rematch/", {}, content_type="application/json")
    page = signed_in(laura).get(f"/games/{long.public_id}/").content.decode()
    assert embedded(page, "replay-data")["turn"] is not None
    assert embedded(page, "replay-page")["told"] is None
    assert embedded(page, "replay-data")["frames"][-1]["version"] == long.version


def test_a_game_that_is_on_is_told_as_far_as_it_is(
    client: Client, monkeypatch: pytest.MonkeyPatch, martha: Player, laura: Player
) -> None:
    monkeypatch.setattr(replays_views, "LONG_GAME_EVENTS", 5)
    game = play_on(open_game([martha, laura]), 10)
    page = client.get(f"/games/{game.public_id}/").content.decode()
    assert embedded(page, "replay-page")["told"] is None
    assert embedded(page, "replay-data")["frames"][-1]["version"] == game.version


@pytest.mark.parametrize("until", ["-1", "soon", "", "9999999999"])
def test_a_piece_ends_at_a_number(client: Client, long: Game, until: str) -> None:
    assert refused(client, f"/api/v1/games/{long.public_id}/replay/?until={until}") == (400, "bad_version")
