"""Whatever way a game ends in, who writes its log and who verifies it agree (`scorebook_games.gamelog.endings`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from games.common import clock
from games.models import Game
from games.play import services as play
from replays.export.game_json import export_json
from replays.verify import main
from scorebook_games.contract import ABORTED, RULES, TURN_LIMIT
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.endings import ImpossibleEnding, ended_by_leavers
from tests.parameters import mostly_slow
from tests.replays.ended_games import ENDINGS, ended_games
from tests.replays.export.test_game_json import opened


@pytest.fixture(scope="module")
def ended(kept: None) -> dict[str, int]:
    return ended_games()


def ended_game(ended: dict[str, int], name: str) -> Game:
    return Game.objects.select_related("deal", "stream").get(pk=ended[name])


def test_they_end_in_every_termination(ended: dict[str, int]) -> None:
    outcomes = [
        outcome or {} for outcome in Game.objects.filter(pk__in=ended.values()).values_list("outcome", flat=True)
    ]
    assert {each["termination"] for each in outcomes} == {RULES, TURN_LIMIT, ABORTED, *ev.LEAVING_TERMINATIONS}


def test_the_command_finds_no_fault_in_any_of_them(ended: dict[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    call_command("verify", "--all")
    assert capsys.readouterr().out.endswith("No faults.\n")


@pytest.mark.some(20)
@pytest.mark.parametrize("name", ENDINGS)
def test_the_program_finds_no_fault_in_its_file(
    ended: dict[str, int], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(export_json(ended_game(ended, name))))
    assert main([str(path)]) == 0, capsys.readouterr().out


@pytest.mark.some(4)
@pytest.mark.parametrize("name", mostly_slow(ENDINGS, [*ENDINGS][::5]))
def test_the_page_says_that_it_is_sound(ended: dict[str, int], name: str, client: Client) -> None:
    page = client.get(f"/games/{ended_game(ended, name).public_id}/?look=1")
    seal = page.context["page"]["seal"]
    assert seal["sound"], seal["sentence"]


@pytest.mark.django_db
def test_an_end_that_nobody_could_verify_is_not_written() -> None:
    """Seat 1 of three has resigned. By the terms a bot plays on, so that is no reason to end the game."""
    unit = play.begin_unit(opened(3))
    end = ended_by_leavers(unit.fold, [1], ev.RESIGNED)
    with pytest.raises(ImpossibleEnding):
        unit.take([[ev.LEFT, 1, ev.RESIGNED], end], clock.now())
