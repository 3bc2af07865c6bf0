"""Line-ups: hidden until both are in or their time is over; and what is wrong with one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Game, Player
from tests.tournaments.club import BEGIN
from tests.tournaments.teams.conftest import Paired, new_season, register
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.maintenance.rebuild import find_differences
from tournaments.rulings import services as rulings
from tournaments.rulings.substitutions import substitute
from tournaments.seasons.models import BoardPlayer, Entrant, League, Match, SealedLineup, Season
from tournaments.standings.models import Standing
from tournaments.teams import lineups, selectors
from tournaments.teams import services as teams

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def team(name: str) -> Entrant:
    return Entrant.objects.select_related("season", "player").get(player__name=name)


def hand_in(match: Match, name: str, *players: Player | None) -> SealedLineup:
    ids = [player.pk if player else None for player in players]
    with clock.frozen_at(BEGIN + HOUR):
        return lineups.hand_in(match=match, entrant=team(name), players=ids, by=None)


def seated(match: Match, name: str) -> list[str]:
    rows = BoardPlayer.objects.filter(match=match, entrant=team(name)).order_by("board")
    return [row.player.name if row.player else "" for row in rows]


def advance(after: timedelta) -> None:
    with clock.frozen_at(BEGIN + after):
        director.advance()


def test_a_line_up_is_hidden_until_the_other_is_in(paired: Paired, people: list[Player]) -> None:
    match = paired()
    hand_in(match, "Foxes", people[0], people[2])
    assert not BoardPlayer.objects.exists()
    log = [entry.event for entry in eventlog.read_events(team("Foxes").season.stream_id)]
    [handed_in] = [event for event in log if event[0] == "lineup_handed_in"]
    assert people[2].pk not in handed_in[1:4]
    sealed = SealedLineup.objects.get()
    assert handed_in[3] == sealed.digest
    hand_in(match, "Herons", people[4], people[5])
    assert (seated(match, "Foxes"), seated(match, "Herons")) == (["Martha", "Otto"], ["Ewa", "Tove"])
    advance(HOUR)  # the games begin at once
    assert [sorted(seat.player.name for seat in game.seats.all()) for game in Game.objects.order_by("pk")] == [
        ["Ewa", "Martha"],
        ["Otto", "Tove"],
    ]
    assert list(find_differences(write=True)) == []


def test_only_the_team_sees_what_it_has_handed_in(paired: Paired, people: list[Player]) -> None:
    match = paired()
    hand_in(match, "Foxes", people[0], people[1])
    foxes, organiser = team("Foxes"), match.round.division.season.league.club.owner
    own, other = people[2].user, people[3].user
    assert own
    assert other
    shown = [selectors.visible_lineup(match, foxes, user) for user in (own, other, organiser)]
    assert shown == [[people[0].pk, people[1].pk], None, None]


def test_at_the_deadline_a_team_without_a_line_up_plays_in_its_order(paired: Paired, people: list[Player]) -> None:
    match = paired()
    hand_in(match, "Foxes", people[0], people[2])
    advance(23 * HOUR)
    assert not BoardPlayer.objects.exists()
    advance(24 * HOUR)
    assert seated(match, "Foxes") == ["Martha", "Otto"]
    assert seated(match, "Herons") == ["Jonas", "Ewa"]
    assert set(BoardPlayer.objects.values_list("how", flat=True)) == {"submitted", "standing"}


def test_captains_are_told_when_a_line_up_is_asked_for_and_organisers_of_too_few_players(
    paired: Paired, people: list[Player]
) -> None:
    match = paired((3, 1))
    asked = Notice.objects.filter(subject="lineup", key__startswith="lineup:").values_list("user", flat=True)
    assert set(asked) == {people[0].user_id, people[3].user_id}
    few = Notice.objects.filter(key__contains="few:")
    owner = match.round.division.season.league.club.owner_id
    assert set(few.values_list("user", flat=True)) == {people[3].user_id, owner}


@pytest.mark.some(1)
@pytest.mark.parametrize("empty", ["board", "match"])
def test_boards_without_a_player_are_lost_from_the_last_one_on(paired: Paired, empty: str) -> None:
    match = paired((3, 1), empty_boards=empty)
    advance(24 * HOUR)
    assert seated(match, "Herons") == (["Jonas", ""] if empty == "board" else ["", ""])
    assert Game.objects.count() == (1 if empty == "board" else 0)
    if empty == "board":
        owner = match.round.division.season.league.club.owner
        rulings.adjudicate(match=match, game=1, places=[1, 1], by=owner, note="Agreed.")
    advance(25 * HOUR)
    advance(25 * HOUR)
    by_name = {row.entrant.player.name: row.row["games"] for row in Standing.objects.all()}
    expected = {"Foxes": 1.5, "Herons": 0.5} if empty == "board" else {"Foxes": 2, "Herons": 0}
    assert by_name == expected
    assert list(find_differences(write=True)) == []


@pytest.mark.some(3)
@pytest.mark.parametrize(
    "named",
    [(0,), (0, 0), (0, 3), (None, 0), (1, 0), (0, None)],
    ids=["too few", "twice", "of the other team", "a gap", "out of order", "an empty board"],
)
def test_a_wrong_line_up_is_refused(paired: Paired, people: list[Player], named: tuple[int | None, ...]) -> None:
    match = paired()
    with pytest.raises(DomainError) as refused:
        hand_in(match, "Foxes", *(None if place is None else people[place] for place in named))
    assert refused.value.code == "bad_lineup"
    assert refused.value.field == "players"


def test_the_order_is_free_if_the_season_says_so(paired: Paired, people: list[Player]) -> None:
    hand_in(paired(lineup_order="free"), "Foxes", people[2], people[0])
    assert SealedLineup.objects.get().players == [people[2].pk, people[0].pk]


def test_once_they_are_known_line_ups_cannot_be_changed(paired: Paired, people: list[Player]) -> None:
    match = paired()
    advance(24 * HOUR)
    with pytest.raises(DomainError, match="cannot be changed"):
        hand_in(match, "Foxes", people[1], people[2])


def test_an_organiser_lets_a_substitute_play(paired: Paired, people: list[Player]) -> None:
    match = paired()
    advance(24 * HOUR)
    old = Game.objects.get(seats__player=people[0])
    owner, foxes = match.round.division.season.league.club.owner, team("Foxes")
    with clock.frozen_at(BEGIN + 25 * HOUR):
        with pytest.raises(DomainError, match="already plays") as refused:
            substitute(match=match, team=foxes, board=1, player=people[1], by=owner, note="Ill.")
        substitute(match=match, team=foxes, board=1, player=people[2], by=owner, note="Ill.")
    assert refused.value.code == "plays_already"
    assert seated(match, "Foxes") == ["Otto", "Laura"]
    old.refresh_from_db()
    assert old.status == "aborted"
    new = Game.objects.get(seats__player=people[2])
    assert [seat.player for seat in new.seats.order_by("seat")] == [people[2], people[3]]
    assert list(find_differences(write=True)) == []


def test_the_next_in_order_is_captain_when_the_captain_leaves(paired: Paired, people: list[Player]) -> None:
    paired()
    teams.leave_team(entrant=team("Foxes"), player=people[0], by=people[0].user)
    assert [row.player for row in team("Foxes").members.filter(is_captain=True)] == [people[1]]
    assert Notice.objects.filter(user=people[1].user_id, subject="team", key__startswith="team:captain").exists()


def test_a_deleted_account_leaves_its_team_and_its_game(paired: Paired, people: list[Player]) -> None:
    match = paired()
    advance(24 * HOUR)
    Player.objects.filter(pk=people[1].pk).update(user=None)
    advance(25 * HOUR)
    foxes = team("Foxes")
    assert list(foxes.members.filter(order__isnull=False).values_list("player", flat=True)) == [
        people[0].pk,
        people[2].pk,
    ]
    assert Game.objects.get(match_game__match=match, match_game__number=2).status == "finished"


def test_a_team_that_withdraws_loses_its_boards(paired: Paired, people: list[Player]) -> None:
    match = paired()
    with clock.frozen_at(BEGIN + HOUR):
        entries.leave_season(entrant=team("Herons"), by=people[3].user, why="left")
    advance(2 * HOUR)
    assert seated(match, "Herons") == ["", ""]
    advance(2 * HOUR)
    match.refresh_from_db()
    assert match.finished_at is not None


def test_a_player_is_in_one_team_of_a_season_only(league: League, people: list[Player]) -> None:
    season = new_season(league)
    register(season, "Foxes", people[:2])
    with pytest.raises(DomainError) as refused:
        register(season, "Herons", people[1:3])
    assert refused.value.code == "in_other_team"
    with pytest.raises(DomainError) as taken:
        register(season, "FOXES", people[2:4])
    assert taken.value.code == "name_taken"
    with pytest.raises(DomainError) as alone:
        entries.enter_season(season=season, player=people[4])
    assert alone.value.code == "teams_only"
    assert Season.objects.get().entries.count() == 1


def test_in_a_running_season_only_an_organiser_changes_the_order(paired: Paired, people: list[Player]) -> None:
    paired()
    turned = [people[1], people[0], people[2]]
    with pytest.raises(DomainError) as refused:
        teams.change_team(entrant=team("Foxes"), members=turned, captain=people[0], by=people[0].user)
    assert refused.value.code == "order_fixed"
    owner = team("Foxes").season.league.club.owner
    teams.change_team(entrant=team("Foxes"), members=turned, captain=people[0], by=owner, by_organiser=True)
    rows = team("Foxes").members.filter(order__isnull=False).order_by("order")
    assert [row.player.name for row in rows] == ["Laura", "Martha", "Otto"]
