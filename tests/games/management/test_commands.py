"""Management commands for games and their tables."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from games.common.models import Incident
from games.models import Game, Player
from scorebook_games.registry import missing
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.games.conftest import Person

pytestmark = pytest.mark.django_db


def say(*words: str) -> str:
    """Run a command and return what it prints."""
    output = StringIO()
    call_command(*words, stdout=output)
    return output.getvalue()


def test_a_game_is_opened_by_the_names_of_its_players(person: Person) -> None:
    ensure_builtin_bots()
    person("Martha")
    sentence = say("open_game", "chinese_ten", "Martha", "Sensible", "--option", "packs=1", "--term", "leaver=end")

    game = Game.objects.get()
    assert sentence == f"{game.public_id} is open: /games/{game.public_id}/\n"
    assert [seat.player.name for seat in game.seats.all()] == ["Martha", "Sensible"]
    assert (game.options["packs"], game.terms["leaver"]) == (1, "end")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["chinese_ten", "Martha", "Nobody"], "No player is called 'Nobody'."),
        (["chinese_ten", "Martha", "Laura"], "Several players are called 'Laura'."),
        (["canasta", "Martha"], missing("canasta")),
        (["plates", "Martha"], "Plates is for 2 to 8 players, not 1."),
        (
            ["chinese_ten", "Martha", "Otto", "--option", "packs=x"],
            "Option packs must be a whole number from 1 to 2, not 'x'.",
        ),
    ],
)
def test_what_cannot_be_opened_is_told_and_nothing_is_written(person: Person, words: list[str], sentence: str) -> None:
    for name in ("Martha", "Laura", "Otto"):
        person(name)
    Player.objects.create(name="Laura")
    with pytest.raises(CommandError) as caught:
        say("open_game", *words)

    assert str(caught.value) == sentence
    assert not Game.objects.exists()


def test_a_game_is_aborted_with_a_reason() -> None:
    ensure_builtin_bots()
    say("open_game", "plates", "Random", "Sensible")
    game = Game.objects.get()
    User.objects.create_superuser("ada")
    sentence = say(
        "admin_action", "abort_game", game.public_id.lower(), "--reason", "The hall is closed.", "--by", "ada"
    )
    assert sentence == f"Game {game.public_id} was aborted.\n"

    game.refresh_from_db()
    assert game.status == Game.Status.ABORTED
    assert Incident.objects.get().sentence.endswith("The hall is closed.")
    with pytest.raises(CommandError, match="The game is over"):
        say("admin_action", "abort_game", game.public_id, "--reason", "again", "--by", "ada")
