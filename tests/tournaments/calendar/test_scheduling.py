"""People agree on a time for their match: proposals, answers, the time that is valid meanwhile, and the director."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection
from django.test import Client

from games.accounts import mail as letters
from games.accounts import notices
from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import Game, Player
from games.play import services as play
from tests.assertions.page import Page
from tests.tournaments.calendar.conftest import DAY, HOUR, MONDAY, SUNDAY, Begin, Join, match_of, signed_in, user_of
from tests.tournaments.club import builtin_bot
from tests.tournaments.read_counts import counted
from tournaments.calendar import scheduling
from tournaments.calendar.models import Proposal
from tournaments.calendar.scheduling import proposal_state
from tournaments.calendar.upcoming import my_games_row, upcoming_matches
from tournaments.clubs.models import Club, Membership
from tournaments.director import director, open_games, open_rounds
from tournaments.entries import challenges
from tournaments.entries import services as entries
from tournaments.lifecycle import running
from tournaments.lifecycle import services as seasons
from tournaments.maintenance import rebuild
from tournaments.organiser import my_seasons
from tournaments.ratings.models import RatingChange
from tournaments.rulings import services as rulings
from tournaments.seasons.models import Entrant, League, Match, MatchGame, Season
from tournaments.seasons.stream import match_version

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)

THURSDAY = datetime.fromisoformat("2026-10-22T18:00+00:00")  # 19:00 in Dublin
FRIDAY = THURSDAY + DAY


def propose(player: Player, *times: datetime, at: datetime = MONDAY + HOUR) -> Proposal:
    with clock.frozen_at(at):
        return scheduling.propose(match=match_of(player), user=user_of(player), times=times)


def accept(player: Player, proposal: Proposal, *times: datetime, at: datetime = MONDAY + 2 * HOUR) -> Proposal:
    with clock.frozen_at(at):
        return scheduling.accept_proposal(proposal=proposal, user=user_of(player), times=times)


def wrong() -> list[str]:
    return list(rebuild.find_differences(write=True))


def refused(call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(DomainError) as error:
        call(*args, **kwargs)
    return error.value.code


def appointed(season: Season) -> list[tuple[int, str]]:
    events = [entry.event for entry in eventlog.read_events(season.stream_id) if entry.event[0] == "match_appointed"]
    return [(event[2], event[3]) for event in events]


def test_a_round_is_paired_as_its_window_opens_and_the_season_says_when_those_play_who_do_not_agree(
    begin: Begin, martha: Player, laura: Player
) -> None:
    season = begin(martha, laura)
    match = match_of(martha, laura)
    assert (match.begins_at, match.timing) == (SUNDAY, "fallback")
    assert match.opens_at == SUNDAY - timedelta(minutes=30)
    assert match.round.closes_at == MONDAY + 7 * DAY + HOUR  # 9:00 in Dublin in summer is 8:00 UTC, in winter 9:00
    assert Game.objects.count() == 0
    assert appointed(season) == [(int(SUNDAY.timestamp()), "fallback")]
    assert wrong() == []


def test_who_never_says_a_word_plays_at_the_time_of_the_season(begin: Begin, martha: Player, laura: Player) -> None:
    season = begin(martha, laura)
    for before, games in ((31, 0), (30, 1), (29, 1)):
        with clock.frozen_at(SUNDAY - timedelta(minutes=before)):
            director.advance()
            assert Game.objects.count() == games
    assert Game.objects.get().begins_at == SUNDAY
    assert match_of(martha).opens_at is None
    assert [entry.event[0] for entry in eventlog.read_events(season.stream_id)][-1] == "game_opened"
    assert wrong() == []


def test_the_time_that_both_agree_on_is_when_the_game_begins_and_one_checks_in_for_it(
    begin: Begin, martha: Player, laura: Player
) -> None:
    season = begin(martha, laura)
    made = propose(martha, THURSDAY, FRIDAY)
    assert match_of(martha).begins_at == SUNDAY, "nothing moves before the other has said so"
    assert accept(laura, made, FRIDAY).chosen == FRIDAY
    match = match_of(martha)
    assert (match.begins_at, match.timing) == (FRIDAY, "agreed")
    assert appointed(season)[-1] == (int(FRIDAY.timestamp()), "agreed")
    with clock.frozen_at(FRIDAY - timedelta(minutes=30)):
        director.advance()
    game = Game.objects.get()
    assert game.begins_at == FRIDAY
    with clock.frozen_at(FRIDAY - timedelta(minutes=5)):
        for seat in (0, 1):
            play.mark_ready(game=game, seat=seat)
    assert wrong() == []


def test_the_same_times_offered_twice_are_one_offer(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    made = [propose(martha, THURSDAY, FRIDAY) for _click in range(2)]
    assert made[0].pk == made[1].pk
    assert Notice.objects.filter(subject="time_proposed").count() == 1
    assert propose(martha, FRIDAY).pk != made[0].pk, "other times are another offer"


def test_of_several_times_the_earliest_that_suits_all_is_taken(
    begin: Begin, join: Join, martha: Player, laura: Player, otto: Player
) -> None:
    begin(martha, laura, otto, kind="plates", table_size=3)
    saturday = FRIDAY + DAY
    made = propose(martha, saturday, THURSDAY, FRIDAY)
    assert accept(laura, made, THURSDAY, FRIDAY, saturday).chosen is None
    assert match_of(martha).timing == "fallback"
    assert accept(otto, made, saturday, FRIDAY).chosen == FRIDAY


def test_where_no_time_suits_all_it_is_as_if_somebody_had_declined(
    begin: Begin, martha: Player, laura: Player, otto: Player
) -> None:
    begin(martha, laura, otto, kind="plates", table_size=3)
    made = propose(martha, THURSDAY, FRIDAY)
    accept(laura, made, THURSDAY)
    assert accept(otto, made, FRIDAY).status == "declined"
    assert match_of(martha).begins_at == SUNDAY


def test_a_counter_proposal_answers_the_one_before_and_both_stay_in_the_history(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    first = propose(martha, THURSDAY)
    second = propose(laura, FRIDAY, at=MONDAY + 2 * HOUR)
    first.refresh_from_db()
    assert (first.status, first.closed_at) == ("countered", MONDAY + 2 * HOUR)
    assert accept(martha, second, at=MONDAY + 3 * HOUR).chosen == FRIDAY
    found = [(each.by.player.name, proposal_state(each)) for each in scheduling.history(match_of(martha))]
    assert found == [("Martha", "countered"), ("Laura", "agreed")]


def test_an_agreed_time_stands_until_another_one_is_agreed_on(begin: Begin, martha: Player, laura: Player) -> None:
    season = begin(martha, laura)
    accept(laura, propose(martha, THURSDAY))
    change = propose(laura, FRIDAY, at=MONDAY + DAY)
    assert match_of(martha).begins_at == THURSDAY
    accept(martha, change, at=MONDAY + DAY + HOUR)
    assert match_of(martha).begins_at == FRIDAY
    assert [how for _at, how in appointed(season)] == ["fallback", "agreed", "agreed"]
    assert wrong() == []


def test_declined_and_taken_back_leave_the_time_as_it_was(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    made = propose(martha, THURSDAY)
    with clock.frozen_at(MONDAY + 2 * HOUR):
        assert scheduling.decline_proposal(proposal=made, user=user_of(laura)).status == "declined"
    again = propose(martha, FRIDAY, at=MONDAY + 3 * HOUR)
    with clock.frozen_at(MONDAY + 4 * HOUR):
        assert refused(scheduling.withdraw_proposal, proposal=again, user=user_of(laura)) == "not_your_proposal"
        assert scheduling.withdraw_proposal(proposal=again, user=user_of(martha)).status == "withdrawn"
        assert refused(scheduling.withdraw_proposal, proposal=again, user=user_of(martha)) == "proposal_closed"
    assert refused(accept, laura, again, at=MONDAY + 5 * HOUR) == "proposal_closed"
    assert match_of(martha).begins_at == SUNDAY


def test_a_proposal_lapses_after_three_days_or_with_its_last_time(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    long, short = MONDAY + 5 * DAY, MONDAY + DAY
    made = propose(martha, long)
    assert made.answer_by == MONDAY + HOUR + 3 * DAY
    with clock.frozen_at(made.answer_by):
        assert proposal_state(made) == "lapsed"
    assert refused(accept, laura, made, at=made.answer_by) == "proposal_closed"
    hurried = propose(laura, short)
    assert hurried.answer_by == short


def test_a_time_that_has_passed_is_not_accepted_even_if_others_are_open(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    made = propose(martha, MONDAY + 4 * HOUR, THURSDAY)
    assert refused(accept, laura, made, MONDAY + 4 * HOUR, at=MONDAY + 5 * HOUR) == "bad_times"
    assert accept(laura, made, at=MONDAY + 5 * HOUR).chosen == THURSDAY


@pytest.mark.parametrize(
    "times",
    [
        [],
        [MONDAY],
        [THURSDAY, MONDAY],
        [MONDAY + 7 * DAY + HOUR],
        [THURSDAY + n * HOUR for n in range(6)],
    ],
)
def test_times_lie_within_the_window_and_are_five_at_most(
    begin: Begin, martha: Player, laura: Player, times: list[datetime]
) -> None:
    begin(martha, laura)
    assert refused(propose, martha, *times) == "bad_times"
    assert Proposal.objects.count() == 0


def test_only_who_plays_the_match_has_a_say_in_it(begin: Begin, martha: Player, laura: Player, otto: Player) -> None:
    begin(martha, laura)
    match = match_of(martha)
    with clock.frozen_at(MONDAY + HOUR):
        assert refused(scheduling.propose, match=match, user=user_of(otto), times=[THURSDAY]) == "not_in_match"
        owner = Club.objects.get().owner
        assert refused(scheduling.propose, match=match, user=owner, times=[THURSDAY]) == "not_in_match"
    made = propose(martha, THURSDAY)
    assert refused(accept, otto, made) == "not_in_match"
    assert refused(accept, martha, made) == "own_proposal"
    assert refused(accept, laura, made, FRIDAY) == "bad_times"


def test_once_the_game_is_opened_its_time_stands(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    made = propose(martha, SUNDAY + HOUR, at=SUNDAY - HOUR)
    with clock.frozen_at(SUNDAY - timedelta(minutes=30)):
        director.advance()
    assert refused(accept, laura, made, at=SUNDAY - timedelta(minutes=20)) == "too_late"
    assert refused(propose, laura, SUNDAY + HOUR, at=SUNDAY - timedelta(minutes=20)) == "too_late"


@pytest.mark.parametrize(
    ("calendar", "terms"),
    [({"seconds": 7 * 86400}, {}), ({}, {"move_seconds": None, "bank_seconds": 0, "move_days": 2})],
)
def test_nobody_agrees_on_times_at_fixed_ones_or_by_correspondence(
    begin: Begin, martha: Player, laura: Player, calendar: dict[str, Any], terms: dict[str, Any]
) -> None:
    begin(martha, laura, calendar=calendar or None, terms={"move_seconds": 30, "bank_seconds": 60, **terms})
    assert refused(propose, martha, THURSDAY) == "not_by_agreement"


def test_by_correspondence_the_games_are_open_for_the_whole_window(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura, terms={"move_days": 2})
    match = match_of(martha)
    assert (match.begins_at, match.timing, match.opens_at) == (None, "open", None)
    assert Game.objects.count() == 2
    assert match.round.closes_at == MONDAY + 7 * DAY + HOUR


def test_a_live_season_by_agreement_needs_a_time_for_those_who_do_not_agree(league: League) -> None:
    with pytest.raises(DomainError) as error:
        seasons.create_season(
            league=league,
            name="Autumn",
            kind="chinese_ten",
            terms={"move_seconds": 30, "bank_seconds": 60},
            calendar={"match_time": "agreed"},
        )
    assert (error.value.code, error.value.field) == ("bad_schedule", "calendar.fallback_time")


def test_who_plays_a_bot_says_when_and_it_is_agreed(begin: Begin, martha: Player) -> None:
    begin(martha, builtin_bot("Gannet"))
    made = propose(martha, THURSDAY)
    assert (made.status, made.chosen) == ("agreed", THURSDAY)
    assert match_of(martha).begins_at == THURSDAY


def test_bots_among_themselves_play_in_the_night_and_people_are_not_kept_waiting(
    begin: Begin, martha: Player, laura: Player
) -> None:
    calendar = {"seconds": 7 * 86400, "bots": "at_night", "night": [1, 5]}
    terms = {"move_days": 2}
    begin(martha, builtin_bot("Gannet"), laura, builtin_bot("Wren"), calendar=calendar, terms=terms)
    night = datetime.fromisoformat("2026-10-20T00:00+00:00")  # 1:00 in Dublin
    (waits,) = Match.objects.filter(opens_at__isnull=False)
    assert (waits.begins_at, waits.opens_at, waits.timing) == (night, night, "night")
    assert Game.objects.count() == 2, "those of Martha and Laura"
    for minutes, games in ((-1, 2), (0, 4), (1, 4)):
        with clock.frozen_at(night + timedelta(minutes=minutes)):
            director.advance()
        assert Game.objects.count() == games
    assert wrong() == []


def test_the_others_are_told_in_their_own_time_and_nobody_hears_of_what_they_did_themselves(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    made = propose(martha, THURSDAY, FRIDAY)
    (found,) = Notice.objects.all()
    assert (found.user, found.subject, found.by) == (laura.user, "time_proposed", martha)
    assert found.url == f"/matches/{match_of(martha).pk}/"
    with clock.frozen_at(MONDAY + HOUR):
        letters.NOTICE_MAILS.send_due()
    accept(laura, made, FRIDAY)
    assert not Notice.objects.filter(subject="time_proposed").exists(), "what was asked is answered"
    with clock.frozen_at(MONDAY + 3 * HOUR):
        letters.NOTICE_MAILS.send_due()
    subjects = [letter.subject for letter in mail.outbox if letter.to == ["laura@example.org"]]
    assert subjects[0].startswith("Martha proposes a time for your match: 14:00 on 22 October or 14:00 on 23 October.")
    assert [letter.subject for letter in mail.outbox if letter.to == ["martha@example.org"]] == [
        "Your match will be played at 19:00 on 23 October"
    ]
    assert all("Martha" not in str(notice.sentences) for notice in Notice.objects.all())


def test_my_seasons_and_my_games_name_the_same_time_for_an_agreed_match(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    accept(laura, propose(martha, FRIDAY))
    with clock.frozen_at(MONDAY + 3 * HOUR):
        [line] = my_seasons.my_matches(my_seasons.current_entries(user_of(martha)))
        [row] = upcoming_matches(martha)
        assert line.due == my_games_row(row).begins_at == FRIDAY
        assert line.todo == "The game begins at its time. Check in before."


def test_a_proposal_asks_only_while_it_is_open(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)

    def asked() -> list[User | None]:
        return [notice.user for notice in Notice.objects.filter(subject="time_proposed")]

    propose(martha, THURSDAY)
    countered = propose(laura, FRIDAY)
    assert asked() == [martha.user]
    with clock.frozen_at(MONDAY + HOUR):
        scheduling.withdraw_proposal(proposal=countered, user=user_of(laura))
    assert asked() == []


@pytest.mark.slow
def test_a_match_that_is_opened_after_the_end_of_its_round_is_played_all_the_same(
    begin: Begin, martha: Player, laura: Player
) -> None:
    """The match was not opened in time, because the league stood still. A player who comes afterwards is not late."""
    season = begin(martha, laura, on_round_deadline="forfeit", games_a_match=1)
    ends = match_of(martha, laura).round.closes_at
    assert ends is not None
    for minutes in (60, 61, 70):
        with clock.frozen_at(ends + timedelta(minutes=minutes)):
            director.advance()
        [game] = Game.objects.all()
        assert (game.status, game.opened_at) == ("playing", ends + HOUR)
    assert [
        entry.event[3] for entry in eventlog.read_events(season.stream_id) if entry.event[0] == "round_overdue"
    ] == [[]]
    with clock.frozen_at(ends + 3 * HOUR):
        play.leave_game(game=game, seat=0, how="resigned")
        director.advance()
    assert match_of(martha, laura).finished_at is not None
    assert wrong() == []


@pytest.mark.slow
def test_a_match_whose_own_time_comes_after_the_end_is_left_to_its_clocks(
    begin: Begin, martha: Player, laura: Player
) -> None:
    """The round was shortened after the two had agreed on a time."""
    begin(martha, laura, on_round_deadline="forfeit", games_a_match=1)
    accept(laura, propose(martha, FRIDAY))
    round = match_of(martha, laura).round
    round.closes_at = FRIDAY - timedelta(minutes=10)
    round.save()
    for minutes in (-30, -5, 0, 5):
        with clock.frozen_at(FRIDAY + timedelta(minutes=minutes)):
            director.advance()
        assert [game.status for game in Game.objects.all()] == ["playing"]


def test_a_match_that_waits_for_its_time_is_decided_without_a_game(begin: Begin, martha: Player, laura: Player) -> None:
    season = begin(martha, laura, games_a_match=2)
    proposal = propose(martha, THURSDAY)
    match = match_of(martha, laura)
    before = list(Notice.objects.values_list("pk", flat=True))
    with clock.frozen_at(MONDAY + 2 * HOUR):
        made = rulings.adjudicate(match=match, places=(2, 1), by=season.league.club.owner, note="Laura is ill.")
        assert match_version(match) > 1
        director.advance()
    assert made.what == "game_adjudicated"
    match = match_of(martha, laura)
    assert (match.opens_at, match.finished_at) == (None, MONDAY + 2 * HOUR)
    assert list(match.entrants.values_list("points", flat=True)) == [0, 1]
    assert {game.status for game in Game.objects.all()} == {"aborted"}, "nobody waits for anybody"
    assert not RatingChange.objects.exists()
    assert match.round.status == "closed"
    proposal.refresh_from_db()
    assert proposal.status == "lapsed"
    subjects = set(Notice.objects.exclude(pk__in=before).values_list("subject", flat=True))
    assert "corrected" in subjects
    assert "appointed" not in subjects
    with clock.frozen_at(SUNDAY):
        director.advance()
    assert Game.objects.filter(status="playing").count() == 0
    assert wrong() == []


def undone(season: Season, owner: Any) -> None:
    division = season.divisions.select_related("season").get()
    rulings.undo_round(division=division, number=1, by=owner, note="Paired by mistake.")


def abandoned(season: Season, owner: Any) -> None:
    running.abandon_season(season=season, how="stands", by=owner, note="Too few.")


def one_withdraws(season: Season, owner: Any) -> None:
    entries.withdraw_entrant(entrant=season.entries.get(player__name="Laura"), why="asked")


@pytest.mark.some(1)
@pytest.mark.parametrize("happens", [undone, abandoned, one_withdraws])
def test_what_is_proposed_lapses_with_the_match_and_its_people_are_told(
    begin: Begin, martha: Player, laura: Player, happens: Any
) -> None:
    season = begin(martha, laura)
    proposal = propose(martha, THURSDAY)
    with clock.frozen_at(MONDAY + 2 * HOUR):
        happens(season, season.league.club.owner)
    proposal.refresh_from_db()
    assert (proposal.status, proposal.closed_at) == ("lapsed", MONDAY + 2 * HOUR)
    assert proposal_state(proposal) == "lapsed"
    subjects = Notice.objects.filter(subject="time_lapsed").values_list("user__username", flat=True)
    assert sorted(subjects) == ["laura", "martha"]
    assert refused(accept, laura, proposal) in ("proposal_closed", "too_late")
    assert wrong() == []


def test_a_proposal_that_nobody_answered_lapses_as_the_match_begins_and_nobody_is_told(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    with clock.frozen_at(SUNDAY - HOUR):
        proposal = scheduling.propose(
            match=match_of(martha, laura), user=user_of(martha), times=[SUNDAY + timedelta(minutes=90)]
        )
    with clock.frozen_at(SUNDAY - timedelta(minutes=30)):
        director.advance()
    proposal.refresh_from_db()
    assert proposal.status == "lapsed"
    assert not Notice.objects.filter(subject="time_lapsed").exists()


def test_who_withdraws_before_the_match_begins_forfeits_it_at_once_and_the_other_hears_of_it(
    begin: Begin, martha: Player, laura: Player, otto: Player, join: Join
) -> None:
    begin(martha, laura, otto, join("Pilar"))
    match = match_of(martha)
    with clock.frozen_at(MONDAY + HOUR):
        entries.withdraw_entrant(entrant=match.entrants.get(entrant__player=martha).entrant, why="asked")
        other = match.entrants.exclude(entrant__player=martha).get().entrant.player
        (notice,) = Notice.objects.filter(user=other.user_id, url=f"/matches/{match.pk}/")
        assert notice.text.endswith("round 1: a player of your match has withdrawn. Its page says how it counts.")
        assert upcoming_matches(martha) == upcoming_matches(other) == []
        director.advance()
    (played,) = match.games.all()
    assert played.game.status == Game.Status.FINISHED
    assert played.game.seats.get(placing=1).player != martha
    assert wrong() == []


def test_whoever_challenges_on_a_ladder_agrees_on_a_time_within_its_window(
    begin: Begin, martha: Player, laura: Player
) -> None:
    calendar = {"match_time": "agreed", "fallback_time": "sun 18:00", "window": 7 * 24}
    begin(martha, laura, format="ladder", calendar=calendar)
    challenger, other = Entrant.objects.order_by("number")
    with clock.frozen_at(MONDAY + HOUR):
        challenges.create_challenge(entrant=challenger, other=other)
        challenges.accept_challenge(entrant=other, challenger=challenger)
        director.advance()
    match = match_of(martha)
    an_hour_back = HOUR  # the clocks are put back in the night to this Sunday, and the window ends by the local clock
    assert (match.begins_at, match.round.closes_at) == (SUNDAY, MONDAY + HOUR + 7 * DAY + an_hour_back)
    assert propose(martha, THURSDAY, at=MONDAY + 2 * HOUR).status == "open"


@committed
def test_two_who_answer_at_the_same_moment_agree_once(
    begin: Begin, martha: Player, laura: Player, otto: Player
) -> None:
    season = begin(martha, laura, otto, kind="plates", table_size=3)
    made = propose(martha, THURSDAY)
    start = threading.Barrier(6)
    answers: list[str] = []

    def answer(player: Player) -> None:
        start.wait()
        try:
            answers.append(accept(player, made).status)
        except DomainError as error:
            answers.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=answer, args=[player]) for player in (laura, otto) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 6
    assert [how for _at, how in appointed(season)] == ["fallback", "agreed"]
    assert Notice.objects.filter(subject="time_agreed").count() == 3


@committed
def test_a_match_is_opened_once_however_many_look(begin: Begin, martha: Player, laura: Player) -> None:
    from tests.tournaments.director.test_director import assert_whole_or_not_at_all

    begin(martha, laura)
    match = match_of(martha)
    with clock.frozen_at(SUNDAY):
        assert_whole_or_not_at_all(lambda: open_rounds.open_matches(matches=[match]))
        assert not open_rounds.open_matches(matches=[match])
    assert Game.objects.count() == 1
    assert wrong() == []


def test_matches_that_begin_together_are_opened_with_one_read_of_the_log(
    begin: Begin, martha: Player, laura: Player, otto: Player, join: Join
) -> None:
    season = begin(martha, laura, otto, join("Jonas"))
    with clock.frozen_at(SUNDAY), counted(season) as counts:
        director.advance()
    assert Game.objects.count() == 2
    assert (counts["reads"], counts["folds"]) == (1, 1)
    assert wrong() == []


def test_a_match_that_cannot_be_opened_holds_up_no_other(
    begin: Begin, martha: Player, laura: Player, otto: Player, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(martha, laura, otto, join("Jonas"))
    faulty = match_of(martha)

    def fail_on_one(changed: Any, matches: Any, begins: Any) -> None:
        open_games.open_match_games(changed, matches, begins)
        assert faulty not in matches

    monkeypatch.setattr("tournaments.director.open_rounds.open_match_games", fail_on_one)
    with clock.frozen_at(SUNDAY):
        director.advance()
    assert MatchGame.objects.exclude(match=faulty).count() == Game.objects.count() == 1
    assert Incident.objects.get().sentence == f"The league’s step open_matches failed for Match {faulty.pk}."
    assert wrong() == []


# the page and the API


def test_the_page_of_the_match_shows_the_time_to_all_and_the_talk_to_its_players_and_organisers(
    begin: Begin, martha: Player, laura: Player, otto: Player
) -> None:
    begin(martha, laura)
    propose(martha, THURSDAY)
    address = f"/matches/{match_of(martha).pk}/"
    owner = Client()
    owner.force_login(Club.objects.get().owner)
    with clock.frozen_at(MONDAY + 2 * HOUR):
        pages = [Page.of(client.get(address)) for client in (Client(), signed_in(otto), owner, signed_in(laura))]
    for page in pages:
        assert "unless the players agree on another time" in page.text
        assert page.faults() == []
    assert ["proposed" in page.text for page in pages] == [False, False, True, True]
    assert ["Accept these times" in page.text for page in pages] == [False, False, False, True]


def test_one_proposes_and_answers_on_the_page_by_ones_own_clock(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    match = match_of(martha)
    address = f"/matches/{match.pk}/times/"
    with clock.frozen_at(MONDAY + HOUR):
        bad = signed_in(martha).post(address, {"do": "propose", "time1": "soon"})
        assert bad.status_code == 400
        assert "Write the date and time" in Page.of(bad).text
        sent: dict[str, Any] = {"do": "propose", "time1": "2026-10-22T14:00", "time2": "2026-10-23T14:00"}
        done = signed_in(laura).post(address, sent, follow=True)
        assert "Your proposal was sent to the others." in Page.of(done).text
        made = Proposal.objects.get()
        assert made.times == [THURSDAY, FRIDAY]  # 14:00 in New York
        sent = {"do": "accept", "proposal": made.pk, "times": [FRIDAY.isoformat()]}
        done = signed_in(martha).post(address, sent, follow=True)
        assert "The time is fixed." in Page.of(done).text
        assert "agreed by the players" in Page.of(done).text
        late = signed_in(martha).post(address, {"do": "decline", "proposal": made.pk}, follow=True)
        assert "This proposal was answered or has expired" in Page.of(late).text


@pytest.mark.parametrize(
    "sent",
    [
        {"do": "accept"},
        {"do": "accept", "proposal": "x"},
        {"do": "accept", "proposal": "999"},
        {"do": "dance", "proposal": "999"},
        {"do": ""},
    ],
)
def test_nonsense_is_nothing_to_do(begin: Begin, martha: Player, laura: Player, sent: dict[str, str]) -> None:
    begin(martha, laura)
    assert signed_in(martha).post(f"/matches/{match_of(martha).pk}/times/", sent).status_code == 404
    assert Client().post(f"/matches/{match_of(martha).pk}/times/", sent).status_code == 302


def test_who_agrees_on_a_time_near_that_of_another_match_is_warned(
    begin: Begin, martha: Player, laura: Player, otto: Player
) -> None:
    first, second = (begin(martha, other, name=name) for other, name in ((laura, "Autumn"), (otto, "Winter")))
    matches = [season.divisions.get().rounds.get().matches.get() for season in (first, second)]
    with clock.frozen_at(MONDAY + HOUR):
        assert scheduling.clash_warning(matches[0], user_of(laura)) == ""
        assert "begins at nearly the same time, at" in scheduling.clash_warning(matches[0], user_of(martha))


def test_a_stranger_is_turned_away(begin: Begin, martha: Player, laura: Player, otto: Player) -> None:
    begin(martha, laura)
    sent = {"do": "propose", "time1": "2026-10-22T14:00"}
    with clock.frozen_at(MONDAY + HOUR):
        assert signed_in(otto).post(f"/matches/{match_of(martha).pk}/times/", sent).status_code == 403


def test_programs_do_the_same(begin: Begin, martha: Player, laura: Player, otto: Player) -> None:
    begin(martha, laura)
    address = f"/api/v1/matches/{match_of(martha).pk}/times/"
    mine, theirs = signed_in(martha), signed_in(laura)
    with clock.frozen_at(MONDAY + HOUR):
        made = mine.post(address, {"times": [THURSDAY.isoformat()]}, content_type="application/json")
        assert made.status_code == 201, made.content
        number = made.json()["proposals"][0]["id"]
        assert Client().get(address).json()["proposals"] == []
        assert signed_in(otto).get(address).json()["open"] is False
        assert theirs.get("/api/v1/me/matches/").json()[0]["answer_wanted"] is True
        declined = theirs.post(f"{address}{number}/decline/")
        assert declined.json()["proposals"][0]["status"] == "declined"
        again = mine.post(address, {"times": [FRIDAY.isoformat()]}, content_type="application/json").json()
        taken = mine.delete(f"{address}{again['proposals'][1]['id']}/")
        assert taken.json()["proposals"][1]["status"] == "withdrawn"
        third = mine.post(address, {"times": [FRIDAY.isoformat()]}, content_type="application/json").json()
        done = theirs.post(f"{address}{third['proposals'][2]['id']}/accept/", {}, content_type="application/json")
        assert done.status_code == 200, done.content
        assert (done.json()["how"], done.json()["proposals"][2]["status"]) == ("agreed", "agreed")
        none = mine.post(address, {"times": []}, content_type="application/json")
        assert (none.status_code, none.json()["error"]["code"]) == (400, "bad_times")
    assert match_of(martha).begins_at == FRIDAY


def test_my_calendar_lists_what_is_to_come_and_where_an_answer_is_wanted(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    propose(martha, THURSDAY)
    with clock.frozen_at(MONDAY + 2 * HOUR):
        mine, theirs = (Page.of(signed_in(player).get("/me/calendar/")) for player in (martha, laura))
    assert "unless you agree" in mine.text
    assert "Answer" in theirs.text
    assert "Answer" not in mine.text
    assert mine.faults() == theirs.faults() == []
    assert Client().get("/me/calendar/").status_code == 302


def test_who_is_told_by_a_role_in_the_club_reads_no_more_than_organisers_may(
    begin: Begin, martha: Player, laura: Player, otto: Player
) -> None:
    begin(martha, laura)
    propose(martha, THURSDAY)
    Membership.objects.create(club=Club.objects.get(), user=user_of(otto), role="member")
    address = f"/api/v1/matches/{match_of(martha).pk}/times/"
    assert signed_in(otto).get(address).json()["proposals"] == []
    Membership.objects.update(role="organiser")
    assert len(signed_in(otto).get(address).json()["proposals"]) == 1
    assert notices.notices_of(user_of(otto)).count() == 0


def test_the_seasons_timeline_tells_what_was_agreed_and_not_what_was_said(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    accept(laura, propose(martha, THURSDAY, FRIDAY), FRIDAY)
    page = Page.of(Client().get("/clubs/lantern/chinese-ten/autumn/activity/"))
    assert "Table 1 of round 1 begins at 18:00 on 23 October." in page.text
    assert "22 October" not in page.text


def test_a_match_that_is_played_again_tells_when_that_begins_and_no_time_that_has_passed(
    begin: Begin, martha: Player, laura: Player
) -> None:
    season = begin(martha, laura)
    match, owner = match_of(martha, laura), season.league.club.owner
    with clock.frozen_at(SUNDAY):
        director.advance()
    with clock.frozen_at(SUNDAY + DAY):
        rulings.order_replay(match=match, game=1, by=owner, note="The cards were marked.")
        browser = Client()
        browser.force_login(owner)
        shown = Page.of(browser.get(f"/matches/{match.pk}/"))
    assert "Begins at " in shown.text
    assert "since" not in shown.text
    assert "unless the players agree on another time" not in shown.text
    assert not [link for link in shown.links() if link.endswith(("/annul/", "/replay/"))]
    assert f"/matches/{match.pk}/decide/?game=1" in shown.links()
