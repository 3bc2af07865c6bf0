"""A worker plays games of uploaded bots in turn. Below tier A they wait, with a reason."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.test import Client

from games import sandbox
from games.bots import time_slices
from games.common import clock
from games.common.errors import DomainError
from games.models import BotVersion, Game, Player
from games.play import services as play
from games.workers import leases, runner, waiting_reasons
from games.workers.models import Worker
from tests.games.bots.conftest import FIRST, Upload
from tests.games.bots.test_faults import QUICK, seated
from tests.games.conftest import BuiltInBot, Person

pytestmark = pytest.mark.django_db


def games_of(player: Player, other: Player, count: int) -> list[Game]:
    return play.open_many([play.Opening("chinese_ten", [player, other], None, QUICK) for _ in range(count)])


def bots_in(claims: list[leases.Claim]) -> list[str]:
    uploaded = [claim.game.seats.exclude(player__bot_version__bot__key=None) for claim in claims]
    return [seat.player.name for seats in uploaded for seat in seats]


def test_no_bot_has_more_than_its_share_of_games_in_flight_and_others_come_in_turn(
    upload: Upload, built_in: BuiltInBot
) -> None:
    gannet, puffin = seated(upload()), seated(upload(name="Puffin"))
    games_of(gannet, built_in("random"), 9)
    games_of(puffin, built_in("random"), 2)
    first = leases.claim_sandboxed_games("sandbox 1", 4)
    assert sorted(bots_in(first)) == ["Gannet", "Gannet", "Puffin", "Puffin"]
    second = leases.claim_sandboxed_games("sandbox 2", 8)
    assert bots_in(second) == ["Gannet"] * (leases.MAX_GAMES_PER_BOT - 2)
    assert leases.claim_sandboxed_games("sandbox 3", 8) == []
    leases.release_leases({game.pk: game.attempt for game, _ in first})
    assert len(leases.claim_sandboxed_games("sandbox 3", 8)) == 4


def test_a_game_of_two_uploaded_bots_counts_for_both(upload: Upload) -> None:
    gannet, puffin = seated(upload()), seated(upload(name="Puffin"))
    games_of(gannet, puffin, 6)
    assert len(leases.claim_sandboxed_games("sandbox 1", 8)) == leases.MAX_GAMES_PER_BOT
    assert leases.claim_sandboxed_games("sandbox 2", 8) == []


def test_workers_without_a_sandbox_leave_these_games_alone_and_the_others_their_own(
    upload: Upload, built_in: BuiltInBot
) -> None:
    (sandboxed,) = games_of(seated(upload()), built_in("random"), 1)
    plain = play.open_game(kind="chinese_ten", players=[built_in("random"), built_in("random")])
    runner.play_due_games("play 1")
    assert {game.pk: game.status for game in Game.objects.all()} == {sandboxed.pk: "playing", plain.pk: "finished"}
    time_slices.play_time_slices("sandbox 1")
    assert Game.objects.get(pk=sandboxed.pk).status == "finished"


def test_a_slow_bot_keeps_no_other_waiting(
    upload: Upload, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_slices, "SLICE_SECONDS", 0.8)
    slow = seated(upload(FIRST.replace("return", "import time; time.sleep(0.3); return")))
    quick = seated(upload(name="Puffin"))
    waits = games_of(slow, built_in("random"), 4)
    over = games_of(quick, built_in("random"), 2)

    def some_are_playing(games: list[Game]) -> bool:
        return Game.objects.filter(pk__in=[game.pk for game in games], status="playing").exists()

    ends = time.monotonic() + 240
    while some_are_playing(over):
        assert time.monotonic() < ends, "The games of the quick bot do not come to their end."
        time_slices.TimeSlicer("sandbox 1", leases.WorkerHeartbeat("sandbox 1"), runner.never).of_games()
        assert some_are_playing(waits)


def test_below_tier_a_nothing_runs_and_everything_says_that_it_waits_and_for_what(
    upload: Upload, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch, client: Client, admin_client: Client
) -> None:
    version = upload()
    player = seated(upload(name="Puffin"))
    (game,) = games_of(player, built_in("random"), 1)
    none = sandbox.Tier("none", "This kernel has no user namespaces.", "")
    monkeypatch.setattr(sandbox, "tier", lambda: none)
    with leases.heartbeat_of("sandbox 1"):
        assert time_slices.play_time_slices("sandbox 1") == 0
        game.refresh_from_db()
        version.refresh_from_db()
        assert (game.status, game.attempt, version.state) == ("playing", 0, "admission")
        assert Worker.objects.get(name="sandbox 1").tier == "none"
        reason = "The sandbox for bots does not work on this server. The dashboard tells admins why."
        assert waiting_reasons.why_not_played(game, clock.now()) == f"It is an uploaded bot’s turn. {reason}"
        assert "This kernel has no user namespaces." in admin_client.get("/admin/dashboard/").content.decode()
        for address in ("/bots/Puffin/", f"/games/{game.public_id}/"):
            shown = client.get(address).content.decode()
            assert reason in shown, address
            assert "user namespaces" not in shown, address
        data = client.get(f"/api/v1/games/{game.public_id}/").json()
        assert data["waits"] == f"Uploaded bots cannot play now: {reason}"


def test_without_any_worker_that_has_a_sandbox_games_say_so_too(upload: Upload, built_in: BuiltInBot) -> None:
    (game,) = games_of(seated(upload()), built_in("random"), 1)
    Worker.objects.create(name="play 1", started_at=clock.now(), heartbeat_at=clock.now())
    assert waiting_reasons.why_sandboxes_wait().startswith("The sandbox for bots is not running on this server.")
    old = clock.now() - timedelta(hours=1)
    Worker.objects.create(name="sandbox 1", started_at=old, heartbeat_at=old, tier="A")
    assert waiting_reasons.why_sandboxes_wait()
    Worker.objects.filter(name="sandbox 1").update(heartbeat_at=clock.now())
    assert waiting_reasons.why_sandboxes_wait() == ""
    assert "0 games are before it" in waiting_reasons.why_not_played(game, clock.now())


def test_a_queue_says_how_long_it_is_and_about_how_long_it_takes(
    upload: Upload, built_in: BuiltInBot, client: Client
) -> None:
    games = games_of(seated(upload()), built_in("random"), 7)
    Worker.objects.create(name="sandbox 1", started_at=clock.now(), heartbeat_at=clock.now(), tier="A")
    assert waiting_reasons.sandbox_wait_text() == "7 games of uploaded bots are waiting for their turn."
    Game.objects.filter(pk__in=[game.pk for game in games[:3]]).update(status="finished", finished_at=clock.now())
    assert waiting_reasons.sandbox_wait_text() == "4 games (about 400 s) of uploaded bots are waiting for their turn."
    results = client.get("/api/v1/games/?status=playing").json()["results"]
    assert {each["waits"] for each in results} == {waiting_reasons.sandbox_wait_text()}
    assert waiting_reasons.why_waits(games[0]) == waiting_reasons.sandbox_wait_text()
    assert "4 games (about 400 s)" in client.get(f"/games/{games[5].public_id}/").content.decode()
    last = waiting_reasons.why_not_played(Game.objects.get(pk=games[-1].pk), clock.now())
    assert last.startswith("It is an uploaded bot’s turn. ")


def test_uploaded_bots_do_not_race(upload: Upload, built_in: BuiltInBot) -> None:
    with pytest.raises(DomainError, match="cannot play live races"):
        play.open_game(
            kind="plate_spinner",
            players=[seated(upload(), "plate_spinner"), built_in("random")],
            terms={"pace": "live", "rated": False},
        )


def test_a_person_plays_with_an_uploaded_bot_and_each_of_its_moves_is_stored_at_once(
    upload: Upload, person: Person
) -> None:
    game = play.open_game(kind="chinese_ten", players=[seated(upload()), person("Martha")], terms=QUICK)
    assert BotVersion.objects.exists()
    time_slices.play_time_slices("sandbox 1")
    game.refresh_from_db()
    assert (game.to_act, game.awaits_worker, game.leased_by) == ([1], False, "")
    legal = play.load_game(game)
    text = legal.rules.move_text(legal.state, legal.rules.legal_actions(legal.state, 1)[0])
    play.play_move(game=game, seat=1, text=text, expected_version=game.version)
    game.refresh_from_db()
    time_slices.play_time_slices("sandbox 1")
    assert Game.objects.get(pk=game.pk).version > game.version or game.to_act == [1]
