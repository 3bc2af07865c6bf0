"""Who may talk where: players at their table, spectators apart from them, nobody who could tell hidden cards."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User

from games.common import clock
from games.models import Game, Player
from games.play import services as play
from games.talk.rooms import find_room
from games.talk.switch import TalkSwitch
from tests.factories.people import joined
from tests.games.talk.conftest import ended, opened

pytestmark = pytest.mark.django_db


def refused(place: str, game: Game, who: Player | None) -> str:
    """Return the code of why somebody may not talk there; "" if they may."""
    user = User.objects.get(player=who) if who else AnonymousUser()
    found = find_room(place, game.public_id, user).refusal
    return found.code if found else ""


def test_the_players_of_a_game_talk_at_their_table_and_nobody_else_does(
    game: Game, martha: Player, laura: Player, otto: Player
) -> None:
    assert [refused("table", game, who) for who in (martha, laura)] == ["", ""]
    assert [refused("table", game, who) for who in (otto, None)] == ["not_at_table", "not_signed_in"]
    assert refused("table", ended(game), otto) == "not_at_table"


def test_players_come_to_the_spectators_when_the_game_is_over(game: Game, martha: Player, otto: Player) -> None:
    assert (refused("spectators", game, martha), refused("spectators", game, otto)) == ("talk_later", "")
    over = ended(game)
    assert (refused("spectators", over, martha), refused("spectators", over, otto)) == ("", "")


def test_who_has_resigned_from_a_game_that_goes_on_stays_apart_from_its_spectators(
    martha: Player, laura: Player, otto: Player
) -> None:
    game = play.open_game(kind="plates", players=[martha, laura, otto], terms={"rated": False})
    play.leave_game(game=game, seat=0, how="resigned")
    assert refused("spectators", play.find_game(game.public_id), martha) == "talk_later"


def test_spectators_of_a_rated_game_talk_when_it_is_over(martha: Player, laura: Player, otto: Player) -> None:
    game = opened(martha, laura, rated=True)
    assert refused("spectators", game, otto) == "talk_later"
    assert refused("spectators", ended(game), otto) == ""


def test_spectators_of_a_deal_that_others_still_play_do_not_talk(martha: Player, laura: Player, otto: Player) -> None:
    """Otto plays the same cards at another table, and knows hands of this one."""
    game = opened(martha, laura)
    ines, nora = joined("Ines"), joined("Nora")
    other = play.open_game(kind="chinese_ten", players=[otto, nora], deal=game.deal, terms={"rated": False})
    assert refused("spectators", game, ines) == "talk_later"
    assert refused("spectators", ended(game), ines) == "talk_later"
    assert refused("spectators", ended(other), ines) == ""


@pytest.mark.parametrize("who", ["martha", "otto"])
def test_a_game_that_spectators_see_late_has_no_talk_until_they_have_seen_its_end(
    who: str, martha: Player, laura: Player, otto: Player
) -> None:
    """Else a player could tell how it ended."""
    person = {"martha": martha, "otto": otto}[who]
    game = ended(opened(martha, laura, rated=True, watch_delay=600))
    assert refused("spectators", game, person) == "talk_later"
    with clock.frozen_at(clock.now() + timedelta(seconds=601)):
        assert refused("spectators", game, person) == ""


def test_guests_use_quick_phrases_only(game: Game) -> None:
    guest = joined("Guest 4821", guest=True)
    room = find_room("spectators", game.public_id, User.objects.get(player=guest))
    assert (room.refusal, room.switch) == (None, TalkSwitch.PHRASES)
