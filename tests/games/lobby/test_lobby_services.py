"""People find games by challenges, open tables, links and built-in bots. Seats are given out, and absent people lose
them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from games.accounts import people
from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from games.lobby import services as lobby
from games.lobby.models import Chair, OpenTable
from games.lobby.table_request import TableRequest
from games.models import Game, Player
from games.play import offers
from games.play import services as play
from games.tasks import sweep
from scorebook_games.chance import SeedDealer
from tests.games.lobby.conftest import NOON, joined

pytestmark = pytest.mark.django_db

BY_POST = {"move_days": 3}
LIVE = {"move_seconds": 30, "bank_seconds": 300}
TWO = TableRequest(kind="chinese_ten", seats=2, terms=BY_POST)


def seated(game: Game | None) -> list[str]:
    assert game
    return [seat.player.name for seat in game.seats.select_related("player").order_by("seat")]


def notice_subjects(player: Player) -> list[str]:
    return list(Notice.objects.filter(user=player.user).order_by("pk").values_list("subject", flat=True))


def refused(act: Callable[[], Any]) -> DomainError:
    with pytest.raises(DomainError) as caught:
        act()
    return caught.value


def test_against_a_built_in_bot_the_game_begins_at_once(martha: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="palace", bots=["sensible"], access="invited"))
    assert made.status == OpenTable.Status.OPENED
    assert made.game
    assert sorted(seated(made.game)) == ["Martha", "Sensible"]
    assert made.game.terms["rated"] is False
    assert made.game.kind == "palace"


def test_a_guest_plays_a_built_in_bot_and_once_more(guest: Player) -> None:
    made = lobby.create_table(host=guest, wish=TableRequest(kind="chinese_ten", bots=["random"], access="invited"))
    assert made.game
    game = made.game
    seat = game.seats.get(player=guest).seat
    play.leave_game(game=game, seat=seat, how="resigned")
    again = offers.offer_rematch(game=game, seat=seat)
    assert again
    assert again.status == Game.Status.PLAYING
    assert again.terms["rated"] is False
    assert again.seats.get(player=guest).seat == 1 - seat  # each player moves to the next seat


def test_several_bots_of_a_sort_go_by_their_own_names(martha: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", bots=["random", "random", "sensible"]))
    assert sorted(seated(made.game)) == ["Martha", "Random", "Random 2", "Sensible"]


def test_every_game_has_a_clock(martha: Player) -> None:
    """No game waits for ever, and a guest who leaves is removed after some time."""
    made = lobby.create_table(host=martha, wish=TableRequest(kind="palace", bots=["random"]))
    assert made.terms["move_days"] == 7
    live = lobby.create_table(
        host=martha, wish=TableRequest(kind="plate_spinner", bots=["random"], terms={"pace": "live"})
    )
    assert live.terms["move_seconds"] == 30


def test_who_opens_a_table_waits_until_somebody_sits_down(martha: Player, laura: Player) -> None:
    made = lobby.create_table(host=martha, wish=TWO)
    assert made.status == OpenTable.Status.WAITING
    assert [found.pk for found in lobby.listed_tables()] == [made.pk]
    assert Game.objects.count() == 0
    after = lobby.sit(table=made, player=laura)
    assert after.status == OpenTable.Status.OPENED
    assert sorted(seated(after.game)) == ["Laura", "Martha"]
    assert not lobby.listed_tables().exists()
    assert notice_subjects(martha) == ["table_filled"]  # Laura has just joined and needs no notice
    assert notice_subjects(laura) == []


def test_the_lot_is_drawn_from_the_deals_own_seed(martha: Player, laura: Player, otto: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    for player in (laura, otto):
        made = lobby.sit(table=made, player=player)
    assert made.game
    chairs = [chair.player.name for chair in made.chairs.select_related("player").order_by("number")]
    assert chairs == ["Martha", "Laura", "Otto"]
    order = SeedDealer(bytes(made.game.deal.seed)).shuffle("seats", [0, 1, 2])
    assert seated(made.game) == [chairs[number] for number in order]


def test_the_host_may_have_chairs_be_seats(martha: Player, laura: Player) -> None:
    wish = TableRequest(kind="chinese_ten", seats=2, terms=BY_POST, order="chairs", chair=1)
    made = lobby.sit(table=lobby.create_table(host=martha, wish=wish), player=laura)
    assert seated(made.game) == ["Laura", "Martha"]


def test_a_chair_can_be_chosen_unless_it_is_taken(martha: Player, laura: Player, otto: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=BY_POST, order="chairs"))
    lobby.sit(table=made, player=laura, chair=2)
    error = refused(lambda: lobby.sit(table=made, player=otto, chair=2))
    assert (error.status, error.code, error.extra) == (409, "chair_taken", {"free": [1]})
    made = lobby.sit(table=made, player=otto, chair=1)
    assert seated(made.game) == ["Martha", "Otto", "Laura"]


# challenges


def challenge(host: Player, *others: Player, **wish: Any) -> OpenTable:
    asked = TableRequest(kind="chinese_ten", terms=BY_POST, access="invited", invited=others, **wish)
    return lobby.create_table(host=host, wish=asked)


def test_a_challenge_is_accepted(martha: Player, laura: Player) -> None:
    made = challenge(martha, laura)
    assert notice_subjects(laura) == ["challenge"]
    assert [found.pk for found in lobby.tables_of_player(laura)] == [made.pk]
    assert not lobby.listed_tables().exists()
    after = lobby.sit(table=made, player=laura)
    assert sorted(seated(after.game)) == ["Laura", "Martha"]


def test_a_challenge_is_declined(martha: Player, laura: Player) -> None:
    made = lobby.decline_invitation(table=challenge(martha, laura), player=laura)
    assert made.status == OpenTable.Status.CLOSED
    assert notice_subjects(martha) == ["declined"]
    asked = Notice.objects.get(user=laura.user, subject="challenge")
    assert (asked.seen_at is not None, asked.send_state) == (True, "none"), "it is answered, and counts for the limit"
    assert refused(lambda: lobby.sit(table=made, player=laura)).code == "table_over"


def test_a_challenge_is_withdrawn(martha: Player, laura: Player) -> None:
    made = challenge(martha, laura)
    assert lobby.close(table=made, player=martha).status == OpenTable.Status.CLOSED
    assert lobby.close(table=made, player=martha).status == OpenTable.Status.CLOSED  # a second time changes nothing
    assert notice_subjects(laura) == ["challenge", "table_closed"]
    assert refused(lambda: lobby.sit(table=made, player=laura)).code == "table_over"


def test_nobody_else_may_sit_down_at_a_challenge_or_see_it(martha: Player, laura: Player, otto: Player) -> None:
    made = challenge(martha, laura)
    error = refused(lambda: lobby.sit(table=made, player=otto))
    assert (error.status, error.code) == (403, "not_invited")
    assert not lobby.may_see_table(made, otto)
    assert not lobby.may_see_table(made, None)
    assert lobby.may_see_table(made, laura)


def test_when_one_of_two_declines_the_host_may_fill_the_chair(martha: Player, laura: Player, otto: Player) -> None:
    made = challenge(martha, laura, otto)
    assert notice_subjects(laura) == ["invitation"]
    made = lobby.decline_invitation(table=made, player=otto)
    assert made.status == OpenTable.Status.WAITING
    lobby.sit(table=made, player=laura)
    made = lobby.fill(table=made, player=martha, bot="sensible")
    assert sorted(seated(made.game)) == ["Laura", "Martha", "Sensible"]


def test_chairs_are_filled_but_the_one_that_is_kept_waits(martha: Player, laura: Player) -> None:
    made = challenge(martha, laura, seats=3, bots=["random"])
    assert made.status == OpenTable.Status.WAITING
    assert sorted(seated(lobby.sit(table=made, player=laura).game)) == ["Laura", "Martha", "Random"]


def test_the_host_may_invite_later(martha: Player, laura: Player, otto: Player) -> None:
    made = lobby.create_table(host=martha, wish=TWO)
    lobby.invite(table=made, player=martha, guests=[laura])
    lobby.invite(table=made, player=martha, guests=[laura])  # she is invited already
    assert notice_subjects(laura) == ["challenge"]
    error = refused(lambda: lobby.sit(table=made, player=otto))
    assert error.code == "table_full"  # the seat is reserved
    assert refused(lambda: lobby.invite(table=made, player=martha, guests=[otto])).code == "table_full"
    assert lobby.sit(table=made, player=laura).game


def test_people_with_an_account_challenge_one_another(martha: Player, laura: Player, guest: Player) -> None:
    bot = (
        lobby.create_table(host=martha, wish=TableRequest(kind="palace", bots=["random"]))
        .chairs.get(player__user=None)
        .player
    )
    for host, invited in [(guest, laura), (martha, guest), (martha, martha), (martha, bot)]:
        error = refused(partial(challenge, host, invited))
        assert (error.status, error.code) == (403, "bad_guest")
    assert refused(lambda: challenge(martha, laura, laura)).code == "bad_option"


# leaving, and tables that expire


def test_who_stands_up_leaves_the_chair_to_others(martha: Player, laura: Player, otto: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    lobby.sit(table=made, player=laura)
    lobby.leave_table(table=made, player=laura)
    assert list(made.chairs.values_list("player__name", flat=True)) == ["Martha"]
    assert refused(lambda: lobby.leave_table(table=made, player=otto)).code == "not_at_table"


def test_where_the_host_goes_the_table_is_closed(martha: Player, laura: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    lobby.sit(table=made, player=laura)
    assert lobby.leave_table(table=made, player=martha).status == OpenTable.Status.CLOSED
    assert notice_subjects(laura) == ["table_closed"]


def test_a_table_expires(martha: Player, laura: Player) -> None:
    with clock.frozen_at(NOON):
        made = lobby.create_table(host=martha, wish=TWO)
        by_hours = lobby.create_table(host=martha, wish=TableRequest(kind="palace", seats=2, terms=LIVE, hours=5))
        usual = lobby.create_table(host=martha, wish=TableRequest(kind="palace", seats=2, terms=LIVE))
    assert [made.expires, by_hours.expires, usual.expires] == [NOON + timedelta(hours=h) for h in (72, 5, 2)]
    with clock.frozen_at(NOON + timedelta(hours=5)):
        assert [found.pk for found in lobby.listed_tables()] == [made.pk]
        assert (
            refused(lambda: lobby.sit(table=by_hours, player=laura)).code == "table_over"
        )  # also before the sweep closes it
        sweep()
        assert set(OpenTable.objects.filter(status="expired")) == {by_hours, usual}
        assert lobby.expire_due_tables() == 0
    assert notice_subjects(martha) == []  # she closed her own table, so she needs no notice


def test_who_was_asked_is_told_that_a_table_expired(martha: Player, laura: Player) -> None:
    with clock.frozen_at(NOON):
        challenge(martha, laura)
    with clock.frozen_at(NOON + timedelta(hours=72)):
        lobby.expire_due_tables()
    assert notice_subjects(laura) == ["challenge", "table_closed"]


def test_tables_where_nothing_came_about_are_forgotten(martha: Player) -> None:
    with clock.frozen_at(NOON):
        lobby.create_table(host=martha, wish=TWO)
        played = lobby.create_table(host=martha, wish=TableRequest(kind="palace", bots=["random"]))
    with clock.frozen_at(NOON + timedelta(days=40)):
        lobby.expire_due_tables()
        lobby.expire_due_tables()
    assert list(OpenTable.objects.all()) == [played]


def test_a_deleted_account_waits_nowhere(martha: Player, laura: Player, otto: Player) -> None:
    hers = lobby.create_table(host=martha, wish=TWO)
    lauras = lobby.create_table(host=laura, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    lobby.sit(table=lauras, player=martha)
    assert martha.user
    people.delete_account(martha.user)
    lobby.expire_due_tables()
    hers.refresh_from_db()
    assert hers.status == OpenTable.Status.CLOSED
    assert lobby.sit(table=lauras, player=otto).status == OpenTable.Status.WAITING
    assert list(lauras.chairs.values_list("player__name", flat=True)) == ["Laura", "Otto"]


# whether all players are present


def waited(host: Player, other: Player, minutes: float = 2, **wish: Any) -> OpenTable:
    """Return a live table whose host has waited so many minutes when `other` joins at noon."""
    with clock.frozen_at(NOON - timedelta(minutes=minutes)):
        made = lobby.create_table(host=host, wish=TableRequest(kind="chinese_ten", seats=2, terms=LIVE, **wish))
    return lobby.sit(table=made, player=other)


def test_who_has_waited_long_for_a_live_game_is_asked_first(martha: Player, laura: Player) -> None:
    with clock.frozen_at(NOON):
        made = waited(martha, laura)
        assert made.status == OpenTable.Status.CHECKING
        assert made.check_until == NOON + timedelta(seconds=30)
        assert Game.objects.count() == 0
        assert notice_subjects(martha) == ["check_in"]
        assert notice_subjects(laura) == []
        made = lobby.mark_ready(table=made, player=martha)
        assert sorted(seated(made.game)) == ["Laura", "Martha"]
        assert lobby.mark_ready(table=made, player=martha).status == OpenTable.Status.OPENED  # a repeated request


def test_who_sat_down_a_moment_ago_is_not_asked(martha: Player, laura: Player) -> None:
    with clock.frozen_at(NOON):
        assert waited(martha, laura, minutes=1).status == OpenTable.Status.OPENED


def test_by_correspondence_nobody_is_asked(martha: Player, laura: Player) -> None:
    with clock.frozen_at(NOON - timedelta(hours=20)):
        made = lobby.create_table(host=martha, wish=TWO)
    with clock.frozen_at(NOON):
        assert lobby.sit(table=made, player=laura).status == OpenTable.Status.OPENED


def test_an_absent_host_closes_the_table(martha: Player, laura: Player) -> None:
    with clock.frozen_at(NOON):
        made = waited(martha, laura)
    with clock.frozen_at(NOON + timedelta(seconds=29)):
        assert lobby.expire_due_tables() == 0
    with clock.frozen_at(NOON + timedelta(seconds=30)):
        lobby.expire_due_tables()
    made.refresh_from_db()
    assert made.status == OpenTable.Status.CLOSED
    assert notice_subjects(laura) == ["table_closed"]


def test_who_does_not_answer_loses_the_chair(martha: Player, laura: Player, otto: Player) -> None:
    with clock.frozen_at(NOON - timedelta(minutes=5)):
        made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=LIVE))
        lobby.sit(table=made, player=laura)
    with clock.frozen_at(NOON):
        made = lobby.sit(table=made, player=otto)
        assert refused(lambda: lobby.sit(table=made, player=joined("Ines"))).code == "table_full"
        lobby.mark_ready(table=made, player=martha)
    with clock.frozen_at(NOON + timedelta(seconds=31)):
        lobby.expire_due_tables()
        made.refresh_from_db()
        assert made.status == OpenTable.Status.WAITING
        assert list(made.chairs.values_list("player__name", flat=True)) == ["Martha", "Otto"]
        assert refused(lambda: lobby.mark_ready(table=made, player=otto)).code == "not_called"
        made = lobby.sit(table=made, player=laura)  # she returns; the others were seen half a minute ago
        assert sorted(seated(made.game)) == ["Laura", "Martha", "Otto"]


def test_whoever_stands_up_while_others_are_asked_frees_the_chair(martha: Player, laura: Player) -> None:
    with clock.frozen_at(NOON):
        made = lobby.leave_table(table=waited(martha, laura), player=laura)
        assert made.status == OpenTable.Status.WAITING
        assert made.check_until is None
    with clock.frozen_at(NOON + timedelta(minutes=10)):
        made = lobby.sit(table=made, player=laura)
        assert made.status == OpenTable.Status.CHECKING  # Martha is asked again
        assert notice_subjects(martha) == ["check_in"], "the earlier question is over"
        made = lobby.close(table=made, player=martha)
        assert notice_subjects(martha) == []


def test_who_says_that_they_are_here_is_no_longer_asked(martha: Player, laura: Player, otto: Player) -> None:
    with clock.frozen_at(NOON - timedelta(minutes=5)):
        made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=LIVE))
        lobby.sit(table=made, player=laura)
    with clock.frozen_at(NOON):
        lobby.sit(table=made, player=otto)
        lobby.mark_ready(table=made, player=martha)
        assert (notice_subjects(martha), notice_subjects(laura)) == ([], ["check_in"])
    with clock.frozen_at(NOON + timedelta(seconds=31)):
        lobby.expire_due_tables()
        assert notice_subjects(laura) == [], "her seat is free again"


def test_bots_are_always_there(martha: Player) -> None:
    with clock.frozen_at(NOON - timedelta(hours=1)):
        made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=LIVE))
    with clock.frozen_at(NOON):
        assert lobby.fill(table=made, player=martha, bot="random").status == OpenTable.Status.OPENED


# limits


def test_nobody_waits_at_more_than_three_tables(martha: Player, laura: Player) -> None:
    hers = [lobby.create_table(host=martha, wish=TWO) for _ in range(3)]
    error = refused(lambda: lobby.create_table(host=martha, wish=TWO))
    assert (error.status, error.code) == (409, "too_many_tables")
    lauras = lobby.create_table(host=laura, wish=TWO)
    assert refused(lambda: lobby.sit(table=lauras, player=martha)).code == "too_many_tables"
    lobby.close(table=hers[0], player=martha)
    assert lobby.sit(table=lauras, player=martha).game
    assert OpenTable.objects.count() == 4


def test_being_asked_is_not_waiting(martha: Player, laura: Player, otto: Player) -> None:
    for host in (martha, otto):
        challenge(host, laura)
        challenge(host, laura)
    lobby.create_table(host=laura, wish=TWO)
    assert lobby.tables_of_player(laura).count() == 5


def test_a_guest_has_few_games_running(guest: Player, martha: Player) -> None:
    at_once = TableRequest(kind="chinese_ten", bots=["random"])
    for _ in range(4):
        lobby.create_table(host=guest, wish=at_once)
        lobby.create_table(host=martha, wish=at_once)
    error = refused(lambda: lobby.create_table(host=guest, wish=at_once))
    assert (error.status, error.code) == (409, "too_many_games")
    assert lobby.create_table(host=martha, wish=at_once).game
    game = Game.objects.filter(seats__player=guest).first()
    assert game
    play.leave_game(game=game, seat=game.seats.get(player=guest).seat, how="resigned")
    assert lobby.create_table(host=guest, wish=at_once).game


@pytest.mark.parametrize(
    ("wish", "option"),
    [
        (TableRequest(kind="bridge"), "kind"),
        (TableRequest(kind="chinese_ten", seats=9), "seats"),
        (TableRequest(kind="chinese_ten", seats=2, bots=["random", "random"]), "seats"),
        (TableRequest(kind="chinese_ten", bots=["gannet"]), "bots"),
        (TableRequest(kind="chinese_ten", seats=2, options={"packs": 99}), "packs"),
        (TableRequest(kind="chinese_ten", seats=2, terms={"move_days": 3, "move_seconds": 3}), "move_days"),
        (TableRequest(kind="chinese_ten", seats=2, terms={"rated": True}), "rated"),
        (TableRequest(kind="chinese_ten", seats=2, access="secret"), "access"),
        (TableRequest(kind="chinese_ten", seats=2, order="age"), "order"),
        (TableRequest(kind="chinese_ten", seats=2, chair=2), "chair"),
        (TableRequest(kind="chinese_ten", seats=2, hours=169), "hours"),
        (TableRequest(kind="chinese_ten", seats=2, hours=0), "hours"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_what_is_wrong(martha: Player, wish: TableRequest, option: str) -> None:
    error = refused(lambda: lobby.create_table(host=martha, wish=wish))
    assert (error.status, error.extra["option"]) == (400, option)
    assert error.sentence.endswith(".")
    assert not OpenTable.objects.exists()


@pytest.mark.parametrize("what", ["close", "fill", "invite"])
def test_only_the_host_rules_the_table(martha: Player, laura: Player, what: str) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    lobby.sit(table=made, player=laura)
    acts: dict[str, Callable[[], OpenTable]] = {
        "close": lambda: lobby.close(table=made, player=laura),
        "fill": lambda: lobby.fill(table=made, player=laura, bot="random"),
        "invite": lambda: lobby.invite(table=made, player=laura, guests=[martha]),
    }
    error = refused(acts[what])
    assert (error.status, error.code) == (403, "not_host")


def test_nothing_changes_at_a_table_whose_game_is_on(martha: Player, laura: Player, otto: Player) -> None:
    made = lobby.sit(table=lobby.create_table(host=martha, wish=TWO), player=laura)
    assert lobby.sit(table=made, player=laura).game_id == made.game_id  # she has a seat already
    late = {
        "sit": lambda: lobby.sit(table=made, player=otto),
        "leave": lambda: lobby.leave_table(table=made, player=laura),
        "decline": lambda: lobby.decline_invitation(table=made, player=laura),
        "close": lambda: lobby.close(table=made, player=martha),
        "fill": lambda: lobby.fill(table=made, player=martha, bot="random"),
    }
    assert {what: refused(act).code for what, act in late.items()} == dict.fromkeys(late, "table_full")
    assert Game.objects.count() == 1
    assert Chair.objects.filter(table=made).count() == 2


def test_nobody_is_asked_again_and_again_by_the_same_person(martha: Player, laura: Player, otto: Player) -> None:
    """Each challenge sends an email."""
    asking = TableRequest(kind="chinese_ten", terms=BY_POST, access=OpenTable.Access.INVITED, invited=[laura])
    with clock.frozen_at(NOON):
        for _ in range(lobby.MAX_INVITATIONS_TO_ONE):
            lobby.close(table=lobby.create_table(host=martha, wish=asking), player=martha)
        assert refused(lambda: lobby.create_table(host=martha, wish=asking)).code == "too_many_challenges"
        assert lobby.create_table(host=otto, wish=asking)
        open_to_all = lobby.create_table(host=martha, wish=TWO)
        error = refused(lambda: lobby.invite(table=open_to_all, player=martha, guests=[laura]))
        assert (error.status, error.code) == (429, "too_many_challenges")
    with clock.frozen_at(NOON + timedelta(hours=1, minutes=1)):
        assert lobby.create_table(host=martha, wish=asking)
