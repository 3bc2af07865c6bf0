"""A player is notified once of each turn and of other events, and never of another player's secrets."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from config.celery import app
from games import tasks
from games.accounts import context, notices
from games.accounts.models import Notice
from games.accounts.subjects import GAME_OVER, SUBJECTS, YOUR_TURN
from games.common import clock
from games.models import Deal, Game, Player
from games.play import beats
from games.play import services as play
from games.visibility import presence
from scorebook_games.gamelog import pacing, visibility
from scorebook_games.presentation.coded_text import written
from tests.assertions.page import Page
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.games.accounts.conftest import NOON, Opened, Played, play_out, signed_in, until_turn_of, user_of
from tournaments.clubs.subjects import no_longer_member

pytestmark = pytest.mark.django_db


def notice_texts(player: Player, subject: str = YOUR_TURN, *, new: bool = True) -> list[str]:
    """Return the texts of the player's notices with this subject, the newest first."""
    found = notices.notices_of(user_of(player)).filter(subject=subject)
    return [notices.notice_row(each).words for each in (found.filter(seen_at=None) if new else found)]


def test_whoever_is_to_move_is_told_and_the_word_goes_when_they_have_moved(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    game = opened(martha, laura)
    assert notice_texts(martha) == ["It is your turn: Chinese Ten with Laura."]
    assert notice_texts(laura) == []
    until_turn_of(1, game, play)
    assert (notice_texts(martha), notice_texts(laura)) == ([], ["It is your turn: Chinese Ten with Martha."])


def test_of_each_turn_one_is_told_once_however_often_it_is_looked_for(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    game = opened(martha, laura)
    until_turn_of(1, game, play)
    until_turn_of(0, game, play)
    assert notices.notify_turns() == 0
    assert notices.notify_turns([game.pk]) == 0
    assert len(notice_texts(martha, new=False)) == 1, "what was told of earlier turns is not kept"


def test_a_word_that_was_lost_is_found_by_the_sweep(martha: Player, laura: Player, opened: Opened) -> None:
    """A web process died between the commit and the notice that follows it."""
    opened(martha, laura)
    Notice.objects.all().delete()
    tasks.notify_people()
    assert notice_texts(martha) == ["It is your turn: Chinese Ten with Laura."]


def test_a_turn_lost_while_an_older_word_was_unseen_is_told_too(
    martha: Player, laura: Player, opened: Opened, django_capture_on_commit_callbacks: Any
) -> None:
    game = opened(martha, laura)
    first = Notice.objects.get(user=martha.user)
    with clock.frozen_at(NOON), django_capture_on_commit_callbacks(execute=False):
        for _ in range(40):
            fold = play.load_game(game)
            seat = fold.to_act()[0]
            if seat == 0 and fold.version > 20:
                break
            text = fold.rules.move_text(fold.state, fold.rules.legal_actions(fold.state, seat)[0])
            play.play_move(game=game, seat=seat, text=text, expected_version=fold.version)
    notices.notify_turns()
    second = Notice.objects.get(user=martha.user)
    assert second.key != first.key
    assert second.seen_at is None


def test_live_games_and_quick_ones_call_nobody(martha: Player, laura: Player, opened: Opened) -> None:
    live = opened(martha, laura, kind="plate_spinner", pace="live", move_seconds=None)
    quick = opened(martha, laura, move_seconds=30)
    untimed = opened(martha, laura, move_seconds=None)
    assert [notices.is_unhurried(game) for game in (live, quick, untimed)] == [False, False, True]
    assert set(Notice.objects.values_list("game", flat=True)) == {untimed.pk}


def test_whoever_looks_at_the_game_is_told_when_they_have_gone(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    game, process = opened(martha, laura), uuid4()
    with clock.frozen_at(NOON):
        presence.record_arrival(game.pk, 1, process)
        until_turn_of(1, game, play)
        assert notice_texts(laura) == []
        presence.record_departure(game.pk, 1, process)
        tasks.notify_people()
    assert notice_texts(laura) == ["It is your turn: Chinese Ten with Martha."]


def test_a_move_at_which_all_look_costs_two_questions_and_in_a_live_game_one(
    martha: Player, laura: Player, opened: Opened
) -> None:
    """Also with a notice of the game that a move does not withdraw."""
    slow, live = opened(martha, laura), opened(martha, laura, kind="plate_spinner", pace="live", move_seconds=None)
    Notice.objects.all().delete()
    for game in (slow, live):
        notices.notify_users([martha.user_id or 0], GAME_OVER, key=f"over {game.pk}", game=game)
        for seat in (0, 1):
            presence.record_arrival(game.pk, seat, uuid4())
    costs = []
    for game in (slow, live):
        with CaptureQueriesContext(connection) as asked:
            notices.on_moved(Game, [game.pk])
        costs.append(len(asked))
    assert costs == [2, 1]


def test_in_beats_each_beat_is_a_turn_and_a_bundle_given_ends_it(
    martha: Player, laura: Player, opened: Opened, django_capture_on_commit_callbacks: Any
) -> None:
    game = opened(martha, laura, pace="beats")
    assert (notice_texts(martha), notice_texts(laura)) == (["It is your turn: Chinese Ten with Laura."], [])
    fold = play.load_game(game)
    text = fold.rules.move_text(fold.state, fold.rules.legal_actions(fold.state, 0)[0])
    before = Notice.objects.get(user=martha.user)
    with clock.frozen_at(NOON), django_capture_on_commit_callbacks(execute=True):
        beats.give_bundle(game=game, seat=0, beat=1, moves=[text])
    game.refresh_from_db()
    assert game.version > fold.version
    assert not Notice.objects.filter(pk=before.pk, seen_at=None).exists()
    assert notice_texts([martha, laura][game.to_act[0]])


def test_who_has_given_a_bundle_is_not_waited_for(martha: Player, laura: Player, opened: Opened) -> None:
    game = opened(martha, laura, kind="plate_spinner", pace="beats", rated=False)
    assert notice_texts(martha)
    assert notice_texts(laura)
    fold = play.load_game(game)
    text = next(
        move
        for move in beats_moves(fold, 0)
        if pacing.ends_bundle(fold.rules, fold.state, fold.rules.parse_move(fold.state, move))
    )
    with clock.frozen_at(NOON):
        beats.give_bundle(game=game, seat=0, beat=1, moves=[text])
    notices.withdraw_turn_notices()
    assert (notice_texts(martha), len(notice_texts(laura))) == ([], 1)
    Notice.objects.all().delete()
    notices.notify_turns()
    assert (notice_texts(martha), len(notice_texts(laura))) == ([], 1)


def beats_moves(fold: Any, seat: int) -> list[str]:
    """Return the moves open to `seat`."""
    return visibility.legal_moves(fold, seat)


def test_a_secret_chance_to_act_calls_nobody(martha: Player, laura: Player, opened: Opened, wink: Any) -> None:
    """PA, quick throw: a possible throw is its owner's secret, and a notice would reveal it by its time."""
    wink.owner = 1
    game = opened(martha, laura, kind="wink")
    assert sorted(play.load_game(game).to_act()) == [0, 1]
    assert game.to_act == [0]
    assert (len(notice_texts(martha)), notice_texts(laura)) == (1, [])


def test_a_leaver_and_a_bot_are_told_nothing(martha: Player, laura: Player, otto: Player, opened: Opened) -> None:
    bot = ensure_builtin_bots()["sensible"]
    game = opened(otto, martha, laura)
    play.leave_game(game=game, seat=0, how="resigned")
    notices.notify_turns()
    assert notice_texts(otto) == []
    opened(bot, martha)
    assert not Notice.objects.filter(user=None).exists()


def test_those_who_stayed_are_told_that_a_game_is_over_and_how_once_everybody_may_know(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    play_out(opened(martha, laura), play)
    assert notice_texts(martha, GAME_OVER) == ["Your game ended: Chinese Ten with Laura. Laura wins."]
    assert notice_texts(laura, GAME_OVER) == ["Your game ended: Chinese Ten with Martha. Laura wins."]
    Game.objects.update(terms=Game.objects.get().terms | {"watch_delay": 60}, finished_at=clock.now())
    assert notice_texts(martha, GAME_OVER) == ["Your game ended: Chinese Ten with Laura."]
    assert notice_texts(martha) == []


def test_a_lost_word_that_a_game_is_over_is_found_by_the_sweep(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    play_out(opened(martha, laura), play)
    Notice.objects.all().delete()
    with clock.frozen_at(NOON + timedelta(hours=1)):
        tasks.notify_people()
        tasks.notify_people()
    assert len(notice_texts(martha, GAME_OVER)) == len(notice_texts(laura, GAME_OVER)) == 1
    Notice.objects.all().delete()
    with clock.frozen_at(NOON + timedelta(days=3)):
        tasks.notify_people()
    assert notice_texts(martha, GAME_OVER) == [], "old news is no news"


def test_telling_twice_with_one_key_tells_once(martha: Player, laura: Player) -> None:
    people = [martha.user_id or 0, laura.user_id or 0]
    assert (
        notices.notify_users(people, "challenge", key="challenge:7", by=laura, sentences=[written("Two days a move.")])
        == 2
    )
    assert notices.notify_users(people, "challenge", key="challenge:7", by=laura) == 0
    assert notice_texts(martha, "challenge") == ["Laura challenges you. Two days a move."]


def test_every_subject_has_words(martha: Player, laura: Player, opened: Opened) -> None:
    game = opened(laura, martha)
    words = {}
    for subject in SUBJECTS:
        sentence = notices.moments([NOON.isoformat()]) if SUBJECTS[subject].moments else written("Round 3 is paired.")
        notices.notify_users([martha.user_id or 0], subject, key=subject, game=game, by=laura, sentences=[sentence])
        words[subject] = notice_texts(martha, subject)[0]
    assert {
        subject: sentence for subject, sentence in words.items() if "{" in sentence or not sentence.endswith(".")
    } == {}


def test_a_notice_is_in_its_readers_language_and_has_codes_for_programs(martha: Player) -> None:
    removed = no_longer_member("Lantern Street", "He shouts.")
    notices.notify_users([martha.user_id or 0], "club_role", key="r", sentences=[removed])
    code = {"code": "no_longer_member", "params": {"club": "Lantern Street", "reason": "He shouts."}}
    for language, text in (
        ("en", "You are no longer a member of Lantern Street: He shouts."),
        ("de", "Du bist nicht mehr Mitglied von Lantern Street: He shouts."),
    ):
        with translation.override("en"):  # without this, the language of the response stays active
            answer = signed_in(martha).get("/api/v1/me/notices/", headers={"Accept-Language": language}).json()
        (row,) = answer["results"]
        assert (row["words"], row["sentences"]) == (text, [code | {"text": text}])


def test_notices_from_before_sentences_say_the_same() -> None:
    """The migration of old rows runs in a table that hides the real one."""
    old = {
        ("registration", "Autumn is paused."): [["written", {"text": "Autumn is paused."}]],
        ("your_turn", ""): [],
        ("time_agreed", "2026-09-07T20:00+0000"): [["moments", {"times": ["2026-09-07T20:00+0000"]}]],
        ("bot_fault", "forfeit 7"): [["bot_forfeited", {"fault": 7}]],
        ("bot_fault", "faults "): [["bot_failed", {"fault": None}]],
        ("bot_compared", "better 3 palace"): [["bot_better", {"other": 3, "kind": "palace"}]],
        ("bot_compared", "given_up 3"): [["comparison_given_up", {"other": 3}]],
        ("bot_taken_down", "bot_restored"): [["bot_restored", {"whole": True}]],
        ("bot_taken_down", "taken_down"): [["bot_taken_down", {"whole": False}]],
        ("bot_admission", "given_up"): [["admission_given_up", {}]],
        ("bot_quarantine", "begun"): [["bot_quarantined", {}]],
        ("bot_plays", ""): [["bot_plays", {}]],
    }
    migration = import_module("games.accounts.migrations.0002_notice_sentences")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE accounts_notice (subject text, note text, sentences jsonb DEFAULT '[]')")
        cursor.executemany("INSERT INTO accounts_notice (subject, note) VALUES (%s, %s)", list(old))
        cursor.execute(migration.FORWARDS)
        cursor.execute("SELECT subject, note, sentences FROM accounts_notice")
        new = {(subject, note): json.loads(sentences) for subject, note, sentences in cursor.fetchall()}
        cursor.execute("DROP TABLE pg_temp.accounts_notice")
    assert new == old


def test_settings_name_the_subjects_of_each_package_in_one_order() -> None:
    """Notices of leagues come before those of admins and faults."""
    assert " ".join(SUBJECTS) == (
        "your_turn appointed clash clock_low match_soon round_closes time_proposed time_agreed time_declined"
        " time_lapsed round_ahead game_over challenge invitation declined table_closed check_in table_filled"
        " rematch_offered abort_offered bot_admission bot_fault bot_quarantine bot_compared bot_plays bot_taken_down"
        " club_request club_invitation club_role club_transfer club_news team lineup registration"
        " season_invitation nudge season_needs_you"
        " report_answered warned muted unmuted renamed banned unbanned objection_answered account"
        " webhook_off corrected"
    )


def test_the_bell_counts_what_is_new_and_seeing_it_empties_it(martha: Player, laura: Player, opened: Opened) -> None:
    opened(martha, laura)
    sentence = [written("Round 3 is paired.")]
    notices.notify_users([martha.user_id or 0], "registration", key="r", sentences=sentence, url="/clubs/")
    client = signed_in(martha)
    assert "2 new notices" in Page.of(client.get("/clubs/")).text
    page = Page.of(client.get("/me/notices/"))
    assert (1, "2 new notices") in page.headings
    assert page.faults() == []
    latest = Notice.objects.get(key="r")
    assert client.post(f"/me/notices/{latest.pk}/").headers["Location"] == "/clubs/"
    assert "1 new notice" in Page.of(client.get("/clubs/")).text
    client.post("/me/notices/seen/")
    page = Page.of(client.get("/me/notices/"))
    assert (1, "No new notices") in page.headings
    assert "Round 3 is paired." in page.text


def test_a_look_at_the_game_counts_as_having_seen_it(martha: Player, laura: Player, opened: Opened) -> None:
    game = opened(martha, laura)
    signed_in(laura).get(f"/games/{game.public_id}/")
    assert notices.unseen_count(user_of(martha)) == 1
    signed_in(martha).get(f"/games/{game.public_id}/")
    assert notices.unseen_count(user_of(martha)) == 0
    Client().get(f"/games/{game.public_id}/")


def test_notices_come_in_pages_at_the_same_cost(martha: Player, laura: Player, opened: Opened) -> None:
    client = signed_in(martha)

    def cost() -> int:
        client.get("/me/notices/")
        with CaptureQueriesContext(
            connection,
        ) as asked:
            client.get("/me/notices/")
        return len(asked)

    game = opened(laura, martha)
    notices.notify_users([martha.user_id or 0], "clock_low", key="0", game=game)
    few = cost()
    for number in range(1, 40):
        notices.notify_users([martha.user_id or 0], "clock_low", key=str(number), game=game)
    assert cost() == few
    page = Page.of(client.get("/me/notices/"))
    assert page.text.count("Your clock is running out") == 30
    assert "/me/notices/?page=2" in page.links()
    assert Page.of(client.get("/me/notices/?page=2")).text.count("Your clock is running out") == 10


def test_beat_looks_for_lost_words() -> None:
    tasks_of_beat = {entry["task"]: entry["schedule"] for entry in app.conf.beat_schedule.values()}
    assert tasks_of_beat["games.notify_people"] == 30.0
    assert {"games.notify_people", "games.send_mails", "games.delete_guests"} <= set(app.tasks)


def test_bots_games_ask_nobody_and_cost_nothing(opened: Opened, join: Callable[..., Player]) -> None:
    bots = ensure_builtin_bots()
    join("Otto")
    game = play.open_game(kind="chinese_ten", players=[bots["random"], bots["sensible"]], deal=Deal.objects.create())
    assert Game.objects.get(pk=game.pk).played_by_workers
    assert notices.turns_to_notify() == []


def test_a_page_that_prints_nothing_of_who_looks_at_it_asks_nothing(martha: Player) -> None:
    """A list of the admin has dozens of parts, and each gets everything that a page's header may need."""
    request = RequestFactory().get("/")
    request.user = user_of(martha)
    with CaptureQueriesContext(connection) as asked:
        sentence = context.account_context(request)
        assert len(asked) == 0
        shown = (sentence["person"]().pk, sentence["is_guest"](), sentence["is_warned"](), sentence["unseen"]())
        assert shown == (martha.pk, False, False, 0)
        assert len(asked) == 1
        assert (sentence["person"]().name, sentence["unseen"]()) == (martha.name, 0)
        assert len(asked) == 1


def test_notices_are_read_by_their_time_and_not_by_when_their_rows_were_written(martha: Player) -> None:
    for key, at in (("late", NOON), ("early", NOON - timedelta(days=1))):
        with clock.frozen_at(at):
            notices.notify_users([martha.user_id or 0], YOUR_TURN, key=key, url="/")
    assert [notice.key for notice in notices.notices_of(user_of(martha))] == ["late", "early"]
