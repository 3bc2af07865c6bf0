"""The page and the API of introductions: without an account, judged by the rules, and only for kinds that have one."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common.shortcuts import Choice
from games.models import Player
from games.play import services as play
from replays.introductions.lessons import find_lesson, page_of
from scorebook_games.registry import KINDS

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/kinds/plate_spinner/introduction/"
PAGE = "/rules/plate_spinner/introduction/"


PUT, DRAFT, FILL = 2, 7, 10  # steps: put a first die, take from the market, fill three places
FIRST = "assign 3 A2 0.0"


def asked(address: str = ADDRESS, status: int = 200, **parameters: Any) -> dict[str, Any]:
    answer = Client().get(address, parameters)
    assert answer.status_code == status, answer.content
    data: dict[str, Any] = answer.json()
    return data


def test_a_step_to_read_lists_no_moves_and_the_next_one_those_of_the_rules() -> None:
    first, second = asked(), asked(step=PUT)
    assert (first["turn"]["may_act"], first["turn"]["legal"], first["todo"]) == (False, [], [])
    assert second["turn"]["may_act"]
    assert len(second["turn"]["legal"]) > 1  # more than what the step asks for
    assert second["todo"] == ["Put the 3 on " + second["todo"][0].removeprefix("Put the 3 on ")]


def test_a_move_against_the_rules_is_refused_with_its_clause_and_leads_nowhere() -> None:
    answer = asked(step=PUT, move="grab", since=asked(step=PUT)["version"])
    assert (answer["tried"]["legal"], answer["tried"]["clause"], answer["step"]) == (False, "PS-11", PUT)
    assert answer["tried"]["sentence"]
    assert answer["frames"] == []


@pytest.mark.parametrize(
    ("step", "move", "words"),
    [
        (PUT, "assign 4 A2 0", "Saucer A2 has no place for a 4."),
        (PUT, "assign 4 P22 0", "Fern is not yours."),
        (PUT, "draft P22", "The plates are spinning: roll dice, put them on your plates, or grab a meeple."),
        (DRAFT, "assign 5 A2 0", "Take something from the market."),
    ],
)
def test_what_is_touched_in_vain_is_refused_in_words_and_not_in_notation(step: int, move: str, words: str) -> None:
    """These are the moves that the board asks about when a thing is touched that cannot be used."""
    assert asked(step=step, move=move)["tried"]["sentence"] == words


def test_a_legal_move_of_another_plan_is_not_played_either() -> None:
    answer = asked(step=FILL, move="assign 5 A2 0.0")
    assert (answer["tried"]["legal"], answer["tried"]["wanted"], answer["step"]) == (True, False, FILL)
    assert "both 5s" in answer["mistake"]


def test_the_last_move_of_a_step_brings_the_frames_up_to_the_next_one() -> None:
    before = asked(step=PUT)
    answer = asked(step=PUT, move=FIRST, since=before["version"])
    assert (answer["tried"]["wanted"], answer["step"], answer["made"]) == (True, PUT + 1, [])
    assert [frame["version"] for frame in answer["frames"]] == [before["version"] + 1]


def test_the_moves_of_a_step_are_played_in_any_order() -> None:
    answer = asked(step=FILL, made=["assign 5 P22 1.0"], move=FIRST)
    assert (answer["tried"]["wanted"], answer["step"]) == (True, FILL)
    assert answer["made"] == ["assign 5 P22 1.0", FIRST]


def test_a_step_that_is_not_there_is_refused() -> None:
    assert asked(step=99, status=400)["error"]["code"] == "bad_step"
    assert asked(step=PUT, made=["grab"], status=400)["error"]["code"] == "bad_step"


def test_the_page_is_reached_from_the_rules_and_from_play_without_an_account() -> None:
    assert "Learn Plate Spinner" in Client().get(PAGE).content.decode()
    assert PAGE in Client().get("/rules/plate_spinner/").content.decode()
    assert PAGE in Client().get("/play/").content.decode()


def test_it_leads_to_a_game_of_its_kind() -> None:
    page = Client().get(page_of(find_lesson("plate_spinner", 0), Choice())["lesson"]["play"])
    firsts = [page.context["first_games"][0].spec.kind, page.context["seek_kinds"][0].kind]
    assert [*firsts, page.context["form"].chosen_kind] == ["plate_spinner"] * 3
    assert Client().get("/play/?kind=chess").context["form"].chosen_kind == "chinese_ten"


def test_the_offer_in_a_first_game_stands_in_the_head_which_loses_it_when_the_game_is_over() -> None:
    """The page's program replaces the head then (`data-fresh`), and nothing else above the table."""
    people = [Player.objects.create(name=each, user=User.objects.create_user(each)) for each in ("martha", "laura")]
    game = play.open_game(kind="plates", players=people)
    client = Client()
    client.force_login(people[0].user)  # type: ignore[arg-type]

    def head() -> str:
        page = client.get(f"/games/{game.public_id}/").content.decode()
        return page.split('data-fresh="head"')[1].split("</header>")[0]

    assert "Is this your first game of Plates?" in head()
    assert '<a class="to-talk" href="#talk">Messages</a>' in head()
    play.leave_game(game=game, seat=1, how="resigned")
    assert "Is this your first game of Plates?" not in head()


def test_a_kind_without_an_introduction_shows_nothing_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(KINDS["plate_spinner"].presentation), "introduction", None)
    assert asked(status=404)["error"]["code"] == "no_introduction"
    assert Client().get(PAGE).status_code == 404
    assert PAGE not in Client().get("/rules/plate_spinner/").content.decode()
    assert PAGE not in Client().get("/play/").content.decode()
