"""The checks at the end of `tests.chaos.kills` find what is missing, duplicated or different."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User

from config.broker.pgmq_schema import install_queue
from devkit import identity
from devkit.cluster import Place
from devkit.processes import end_groups
from games.common import clock
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play_services
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.fold import fold_game
from tests.chaos import platform_checks
from tests.chaos.platform import BOT_UID, Part, Platform, Server, adopt_orphans, free_port, until
from tests.chaos.visitors import Ledger, Played, Receiver, Watched
from tests.tournaments.club import BEGIN, builtin_bot, new_club, play_season
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League
from tournaments.webhooks import delivery as webhooks_delivery
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks import services as webhooks

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def ledger() -> Ledger:
    """A ledger of Martha and Laura, who have made six moves of Chinese Ten and received an answer to each."""
    players = [
        Player.objects.create(name=name, user=User.objects.create_user(name.lower())) for name in ("Martha", "Laura")
    ]
    game = play_services.open_game(kind="chinese_ten", players=players, deal=Deal.objects.create(seed=bytes(range(32))))
    ledger = Ledger()
    for _ in range(6):
        fold = play_services.load_game(game)
        [seat] = fold.to_act()
        text = visibility.legal_moves(fold, seat)[0]
        moved = play_services.play_move(game=game, seat=seat, text=text, expected_version=fold.version)
        ledger.played.append(Played(game.public_id, players[seat].pk, text, fold.version, moved.version))
    return ledger


def test_moves_that_are_there_once_are_no_fault(ledger: Ledger) -> None:
    assert list(platform_checks.moves(ledger)) == []


def test_a_move_that_was_answered_and_is_not_there_is_found(ledger: Ledger) -> None:
    last = ledger.played[-1]
    ledger.played.append(last._replace(expected=last.version, version=last.version + 2))
    [fault] = platform_checks.moves(ledger)
    assert "answered with 2xx and is not there" in fault


def test_a_move_that_nobody_sent_is_found(ledger: Ledger) -> None:
    gone = ledger.played.pop(2)
    assert any(
        f"version {gone.expected + 1} has" in fault and "nothing" in fault for fault in platform_checks.moves(ledger)
    )


def test_another_move_than_was_sent_is_found(ledger: Ledger) -> None:
    sent = ledger.played[0]
    game = Game.objects.get(public_id=sent.game)
    fold = fold_game(entry.event for entry in eventlog.read_events(game.stream_id)[: sent.expected])
    other = visibility.legal_moves(fold, fold.to_act()[0])[-1]
    ledger.played[0] = sent._replace(move=other)
    assert any("the player sent" in fault for fault in platform_checks.moves(ledger))


def test_a_move_of_which_nobody_was_told_may_be_there(ledger: Ledger) -> None:
    gone = ledger.played.pop()
    ledger.unsure.add((gone.game, gone.move, gone.expected))
    assert list(platform_checks.moves(ledger)) == []


def test_a_move_of_which_nobody_was_told_explains_one_move_only(ledger: Ledger) -> None:
    gone, also = ledger.played.pop(1), ledger.played.pop(2)
    ledger.unsure |= {(gone.game, gone.move, gone.expected), (also.game, gone.move, also.expected)}
    [fault] = platform_checks.moves(ledger)
    assert f"version {also.expected + 1} has" in fault


def test_a_move_that_was_answered_twice_is_found(ledger: Ledger) -> None:
    ledger.played.append(ledger.played[2])
    [fault] = platform_checks.moves(ledger)
    assert "answered with 2xx and is not there" in fault


@pytest.fixture
def palace() -> Ledger:
    """A ledger of Martha, who played Palace with a bot to the end. The bot chose its cards first, and she did not know
    that when she chose (PA-2)."""
    martha = Player.objects.create(name="Martha", user=User.objects.create_user("martha"))
    deal = Deal.objects.create(seed=bytes(range(32)))
    game = play_services.open_game(
        kind="palace", players=[martha, builtin_bot("Wren")], options={"turn_limit": 16}, deal=deal
    )
    ledger, knew = Ledger(), game.version

    def play(seat: int, expected: int) -> None:
        text = visibility.legal_moves(play_services.load_game(game), seat)[0]
        moved = play_services.play_move(game=game, seat=seat, text=text, expected_version=expected)
        if seat == 0:
            ledger.played.append(Played(game.public_id, martha.pk, text, expected, moved.version))

    play(1, knew)
    play(0, knew)
    while (fold := play_services.load_game(game)).outcome() is None:
        play(fold.to_act()[-1], fold.version)
    return ledger


def test_who_chose_at_the_same_version_and_a_bots_moves_of_several_events_are_no_fault(palace: Ledger) -> None:
    kinds = [
        entry.event[0] for entry in eventlog.read_events(Game.objects.get(public_id=palace.played[0].game).stream_id)
    ]
    assert {"drew", "ended"} <= set(kinds)
    assert palace.played[0].version > palace.played[0].expected + 1
    assert list(platform_checks.moves(palace)) == []


def test_a_choice_that_was_answered_and_is_not_there_is_found(palace: Ledger) -> None:
    palace.played.append(palace.played[0]._replace(version=palace.played[0].expected + 1))
    [fault] = platform_checks.moves(palace)
    assert "answered with 2xx and is not there" in fault


@pytest.mark.parametrize(("versions", "faults"), [([], 1), ([1, 2, 2], 1), ([1, 3], 1), (None, 0)])
def test_a_watcher_who_missed_something_or_heard_it_twice_is_found(
    ledger: Ledger, versions: list[int] | None, faults: int
) -> None:
    name = ledger.played[0].game
    whole = list(range(1, Game.objects.get(public_id=name).version + 1))
    watched = Watched(name, whole if versions is None else versions, ended=True)
    assert len(list(platform_checks.resumed(watched))) == faults


def test_a_league_that_nothing_happened_to_has_no_faults(transactional_db: None, settings: Any) -> None:
    """The season, the webhook and the queue pass all checks of the end."""
    settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS = True
    install_queue()
    owner = User.objects.create_user("niamh")
    club = new_club(name="Lantern Street", slug="lantern", owner=owner)
    receiver = Receiver()
    with clock.frozen_at(BEGIN):
        hook, receiver.secret = webhooks.create_webhook(
            user=owner, club=club, url=receiver.url, events=webhooks_discovery.CLUB_EVENTS
        )
        league = League.objects.create(club=club, slug="monday", name="Monday")
        usual: dict[str, Any] = {"options": {"packs": 1}, "calendar": {"seconds": 60}}
        season = seasons.create_season(league=league, name="One", kind="chinese_ten", **usual)
        for number in range(2):
            entries.enter_season(season=season, player=builtin_bot(f"Bot {number}"))
        seasons.start_season(season=season)
    ledger = Ledger(seasons=[season.pk])
    assert any("is running" in fault for fault in platform_checks.faults(ledger, receiver, hook))
    play_season(season)
    assert any("has 0 messages" in fault for fault in platform_checks.faults(ledger, receiver, hook))
    with clock.frozen_at(BEGIN + timedelta(hours=1)):
        webhooks_discovery.create_messages()
        webhooks_delivery.MESSAGES.send_due()
    platform_checks.hasten("database")
    assert set(platform_checks.waiting("database")) >= {"pgmq.q_play", "pgmq.q_short"}
    assert [
        fault for fault in platform_checks.faults(ledger, receiver, hook) if "not of these five minutes" not in fault
    ] == []
    assert receiver.came


def test_what_is_killed_is_told_from_what_lives(tmp_path: Path) -> None:
    """A part's children are in its process group, even after the part itself died. Each start has a new group."""
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    part = Part("one", [sys.executable, "-c", script], os.environ, tmp_path / "log", free_port())
    part.start()
    try:
        assert until(lambda: len(part.children()) == 1, 20, lambda: None)
        assert part.process
        part.process.kill()
        part.process.wait()
        assert not part.runs()
        assert len(part.pids()) == 1
    finally:
        subprocess.run(["kill", "-9", *map(str, part.pids())], check=True)


BOT: Final = f"import os, time; os.geteuid() or os.setuid({BOT_UID}); print(os.getpid(), flush=True); time.sleep(60)"
BEARS: Final = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BOT!r}], start_new_session=True)"


def test_a_bot_is_its_parts_until_that_is_killed_and_a_stray_from_then_on(tmp_path: Path) -> None:
    part = Part("sandbox", [sys.executable, "-c", BEARS], os.environ, tmp_path / "log")
    server = Server(tmp_path, Place(tmp_path, tmp_path, identity.named("self")))
    platform = Platform(tmp_path, server, {part.name: part}, {}, "database")
    adopt_orphans()
    part.start()
    try:
        assert until(lambda: bool(part.log.read_text()), 20, lambda: None)
        bot = int(part.log.read_text())
        assert bot not in part.pids()
        assert not any(each.startswith(f"{bot}:") for each in platform.strays())
        assert part.process
        part.process.kill()
        part.process.wait()
        assert any(each.startswith(f"{bot}:") for each in platform.strays())
    finally:
        adopt_orphans(wanted=False)
        end_groups([int(word) for word in part.log.read_text().split()] + part.groups, seconds=0)
