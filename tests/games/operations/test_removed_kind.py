"""The package of a kind is removed while games of it are running. Only these games stop."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.test import Client

from devkit.prepare import check_kinds
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.models import Deal, Game, Player
from games.operations.checks import rules_are_known
from games.play import services as play
from games.workers import leases
from replays.export.verification import check_game
from replays.stream.game_tail import SSE
from replays.stream.stream_access import admit_watcher
from replays.verify import chain_faults
from scorebook_games.gamelog import visibility
from scorebook_games.registry import KINDS, UnknownKind, installed_kinds, load_kinds
from tests.fixtures.removed_kinds import removed_kinds

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
pytestmark = pytest.mark.django_db
CLOCK = {"move_seconds": 60}


@pytest.fixture
def pair(db: None) -> list[Player]:
    users = [(name, User.objects.create_user(name.lower())) for name in ("Martha", "Laura")]
    return [Player.objects.create(name=name, user=user) for name, user in users]


@pytest.fixture
def games(pair: list[Player]) -> Iterator[tuple[Game, Game]]:
    """Yield a game of Plates, whose package is removed, and a game of Palace."""
    with clock.frozen_at(NOON):
        opened = [
            play.open_game(kind=kind, players=pair, deal=Deal.objects.create(seed=bytes(32)), terms=CLOCK)
            for kind in ("plates", "palace")
        ]
    with removed_kinds("plates"):
        yield opened[0], opened[1]


def test_its_games_stand_still_and_those_of_other_kinds_go_on(games: tuple[Game, Game]) -> None:
    with clock.frozen_at(NOON + timedelta(hours=1)):
        assert play.expire_due_games() == 1
    assert Game.objects.get(status=Game.Status.PLAYING) == games[0]


def test_workers_are_not_given_its_games(games: tuple[Game, Game]) -> None:
    Game.objects.update(awaits_worker=True)
    assert [game.kind for game in leases.due_games()] == ["palace"]


def test_its_pages_say_what_is_missing_and_lists_go_on(games: tuple[Game, Game], client: Client) -> None:
    client.raise_request_exception = False
    gone, there = (client.get(f"/games/{game.public_id}/") for game in games)
    assert (gone.status_code, there.status_code) == (503, 200)
    assert "the rules of its kind of game are not installed here" in gone.content.decode()
    rules = client.get("/rules/plates/")
    assert (rules.status_code, "are not installed here" in rules.content.decode()) == (503, True)
    assert client.get("/rules/bridge/").status_code == 404
    home = client.get("/")
    assert home.status_code == 200
    assert "Plates (not available)" in home.content.decode()
    found = client.get(f"/api/v1/games/{games[0].public_id}/replay/")
    assert (found.status_code, found.json()["error"]["code"]) == (503, "kind_missing")
    assert "install its package again and name it in SCOREBOOK_KINDS" in found.json()["error"]["why"]
    with pytest.raises(DomainError, match="the rules of its kind of game are not installed here") as refused:
        admit_watcher({"path": f"/api/v1/games/{games[0].public_id}/events/", "query_string": b"", "headers": []}, SSE)
    assert (refused.value.status, refused.value.code) == (503, "kind_missing")
    assert client.get("/api/v1/games/").status_code == 200
    client.force_login(User.objects.get(player__name="Martha"))
    mine = client.get("/me/games/")
    assert (mine.status_code, "Plates (not available)" in mine.content.decode()) == (200, True)


def test_the_start_warns_of_its_games_and_is_not_stopped(games: tuple[Game, Game]) -> None:
    [warning] = rules_are_known(databases=["default"])
    assert "1 running games are of the kind plates" in warning.msg
    call_command("migrate", verbosity=0, skip_checks=False)


def test_a_kind_that_is_named_and_missing_is_a_warning_and_only_a_check_before_a_deployment_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SCOREBOOK_KINDS", "palace, hearts")
    for kind in ("hearts", "whist"):
        monkeypatch.setitem(KINDS.broken, kind, f"The kind {kind!r} is broken.")
    output = io.StringIO()
    call_command("check", stderr=output)
    assert output.getvalue().count("games.W002") == 2
    with pytest.raises(SystemCheckError, match=r"\(games\.E003\) The kind 'hearts' is broken"):
        call_command("check", deploy=True)
    with pytest.raises(CommandError, match=r"^The kind 'hearts' is broken\.$"):
        check_kinds()


def test_they_go_on_when_the_package_is_back(games: tuple[Game, Game]) -> None:
    missing = games[0]
    with pytest.raises(UnknownKind):
        play.load_game(missing)
    KINDS["plates"] = load_kinds(["plates"], installed_kinds())["plates"]
    with clock.frozen_at(NOON):
        fold = play.load_game(missing)
        seat = fold.to_act()[0]
        move = visibility.legal_moves(fold, seat)[0]
        play.play_move(game=missing, seat=seat, text=move, expected_version=fold.version)
    assert play.load_game(missing).version > fold.version


@pytest.mark.django_db(transaction=True)
def test_its_healthy_logs_do_not_look_damaged(
    games: tuple[Game, Game], client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    play.leave_game(game=games[1], seat=0, how="resigned")
    call_command("verify", "--all")
    output = capsys.readouterr().out
    assert "Only the chain was verified of 1 game, which can't be read without the package of its kind." in output
    assert output.endswith("No faults.\n")
    call_command("rebuild", "--check")
    output = capsys.readouterr().out
    assert output.startswith("Left as it is: 1 game, which can't be read without the package of its kind.")
    assert output.endswith("\nno differences\n")


def test_a_broken_chain_of_one_of_its_logs_is_still_found(
    games: tuple[Game, Game], capsys: pytest.CaptureFixture[str]
) -> None:
    Stream.objects.filter(pk=games[0].stream_id).update(version=99, head=bytes(32))
    with pytest.raises(CommandError, match="faults found"):
        call_command("verify", games[0].public_id)
    assert "some byte was changed" in capsys.readouterr().out


def test_a_row_that_differs_from_the_opening_is_found_without_its_rules(games: tuple[Game, Game]) -> None:
    Game.objects.filter(pk=games[0].pk).update(terms={**games[0].terms, "leaver": "?"})
    assert "The game was opened with terms" in check_game(games[0].pk)[0]


def test_its_verification_says_that_its_rules_are_missing(pair: list[Player], client: Client) -> None:
    game = play.open_game(kind="plates", players=pair)
    play.leave_game(game=game, seat=0, how="resigned")
    with removed_kinds("plates"):
        answer = client.get(f"/api/v1/games/{game.public_id}/verify/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "kind_missing")


def test_its_games_are_listed_by_their_kind(games: tuple[Game, Game], client: Client) -> None:
    listed = client.get("/api/v1/games/?kind=plates")
    assert (listed.status_code, [each["id"] for each in listed.json()["results"]]) == (200, [games[0].public_id])
    for unknown in ("bridge", "no kind"):
        assert client.get(f"/api/v1/games/?kind={unknown}").status_code == 400


def test_the_chain_of_its_log_still_verifies(games: tuple[Game, Game]) -> None:
    stream = Stream.objects.get(pk=games[0].stream_id)
    batches = eventlog.stored_batches(stream.pk)
    assert batches
    assert list(chain_faults(batches, stream.version, bytes(stream.head))) == []
