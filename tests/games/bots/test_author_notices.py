"""Authors are notified once of what happens to their bots, on the site and by email."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from games import tasks
from games.accounts import mail as letters
from games.accounts import notices, people
from games.accounts.export import notice_data
from games.accounts.models import Notice
from games.accounts.tokens import newest_player
from games.admin import NoticeAdmin
from games.bots import comparison, uploads
from games.bots.admission import notifications as author_notifications
from games.bots.admission.trials import ClaimedTrial
from games.bots.remote import services as remote_bots
from games.models import BotVersion, Deal, Game
from games.play import faults
from games.play import services as play_services
from games.play.models import Fault
from scorebook_games.analysis.comparison import MAX_DEALS, Bounds, compare
from scorebook_games.presentation.coded_text import written
from tests.games.bots.conftest import FIRST, Author, Upload, through
from tests.games.bots.test_faults import bad, play, seated
from tests.games.conftest import BuiltInBot

pytestmark = pytest.mark.django_db


def notice_links(user: User) -> list[tuple[str, str]]:
    """Return the notices of `user` with their links, the newest first."""
    lines = [notices.notice_row(notice) for notice in notices.notices_of(user)]
    return [(line.words, line.address) for line in lines]


@pytest.fixture
def reached(dotty: User) -> User:
    """Return Dotty with a confirmed email address."""
    people.profile_of(dotty)
    EmailAddress.objects.create(user=dotty, email="dotty@example.org", primary=True, verified=True)
    return dotty


@pytest.mark.slow
def test_an_author_hears_once_that_a_version_passed_with_a_mail_that_leads_to_admission(
    reached: User, upload: Upload
) -> None:
    through(upload())
    tasks.notify_people()
    letters.NOTICE_MAILS.send_due()
    assert notice_links(reached) == [
        ("Gannet v1 has been admitted and may play.", "/bots/Gannet/?admission=1#admission")
    ]
    assert [letter.subject for letter in mail.outbox] == ["Gannet v1 has been admitted and may play"]
    assert "/bots/Gannet/?admission=1#admission" in mail.outbox[0].body


def test_an_author_hears_why_a_version_was_refused(reached: User, upload: Upload) -> None:
    through(upload("class Bot\n"))
    ((words, address),) = notice_links(reached)
    assert words.startswith("Gannet v1 was not admitted. The bot ended before it was ready. ")
    assert "SyntaxError" in words
    assert address == "/bots/Gannet/?admission=1#admission"


def test_who_wants_no_mail_of_a_sort_gets_none_and_reads_it_on_the_site(reached: User, upload: Upload) -> None:
    notices.set_mails(people.profile_of(reached), {"bot_admission": False})
    through(upload("class Bot\n"))
    letters.NOTICE_MAILS.send_due()
    assert len(notice_links(reached)) == 1
    assert mail.outbox == []


def test_a_forfeit_in_a_rated_game_is_told_once_and_leads_to_the_fault(
    dotty: User, upload: Upload, built_in: BuiltInBot
) -> None:
    player = seated(upload(bad("crashed")))
    game = play([built_in("random"), player], rated=True)
    for _ in range(3):
        tasks.notify_people()
    ((words, address),) = notice_links(dotty)
    assert words == "Gannet v1 has forfeited a rated game: Chinese Ten with random 1."
    [notice] = notices.notices_of(dotty)
    [sentence] = notice_data(notice)["sentences"]
    assert (sentence["code"], sentence["text"]) == ("bot_forfeited", words), (
        "programs and the account's data say it whole too"
    )
    assert NoticeAdmin(Notice, admin.site).words(notice) == words
    assert address == f"/faults/{Fault.objects.filter(game=game, cost='forfeit').get().pk}/"
    assert Client().get(address).status_code in (302, 403, 404)


def test_faults_that_cost_no_game_are_told_when_they_come_again(
    dotty: User, upload: Upload, built_in: BuiltInBot
) -> None:
    play([seated(upload(bad("illegal_move"))), built_in("random")], rated=True)
    assert author_notifications.notify_due() == 0, "one fault is no news"
    again = FIRST.replace("return legal[0]", "return 'lay K 9'")
    play([seated(upload(again)), built_in("random")], rated=True, bot_faults=1000)
    assert author_notifications.notify_due() == 1
    assert notice_links(dotty)[0][0] == "Gannet v2 failed in a rated game more than once: Chinese Ten with random 2."


def test_of_unrated_games_nothing_is_told(dotty: User, upload: Upload, built_in: BuiltInBot) -> None:
    play([seated(upload(bad("crashed"))), built_in("random")], rated=False)
    assert (author_notifications.notify_due(), notice_links(dotty)) == (0, [])


def test_a_forfeit_in_a_sealed_game_is_told_when_the_last_game_of_its_deal_is_over(
    dotty: User, upload: Upload, built_in: BuiltInBot
) -> None:
    player, deal = seated(upload(bad("crashed"))), Deal.objects.create(seed=bytes(range(32)))
    terms = {"sealed": True, "bot_move_ms": 500, "bot_bank_ms": 0}
    game = play_services.open_game(kind="chinese_ten", players=[player, built_in("random")], terms=terms, deal=deal)
    other = play_services.open_game(
        kind="chinese_ten", players=[built_in("random"), built_in("random")], terms=terms, deal=deal
    )
    play([built_in("random"), built_in("random")])  # lets a worker run
    game.refresh_from_db()
    assert game.status == Game.Status.FINISHED
    assert author_notifications.notify_due() == 0
    play_services.abort_game(game=other, reason="the storm")
    assert author_notifications.notify_due() == 1


def test_a_remote_bot_that_lost_a_rated_game_by_its_clock_is_told_of_to_its_owner(
    dotty: User, built_in: BuiltInBot
) -> None:
    puffin = remote_bots.create_bot(owner=dotty, name="Puffin")
    players = [newest_player(puffin), built_in("random")]
    game = play_services.open_game(kind="chinese_ten", players=players, terms={"move_seconds": 60})
    play_services.leave_game(game=game, seat=0, how="forfeited")
    assert author_notifications.notify_due() == 1
    assert notice_links(dotty) == [
        ("Puffin v1 has forfeited a rated game: Chinese Ten with random 1.", f"/games/{game.public_id}/")
    ]


def test_quarantine_and_its_end_are_told_and_so_is_the_next_one(dotty: User, upload: Upload) -> None:
    version = seated(upload()).bot_version
    assert version is not None
    assert faults.quarantine_version(version.pk, written("It violated the sandbox 3 times."))
    assert not faults.quarantine_version(version.pk, written("It violated the sandbox 4 times."))
    assert (author_notifications.notify_due(), author_notifications.notify_due()) == (1, 0)
    assert author_notifications.end_quarantine(version)
    assert not author_notifications.end_quarantine(version)
    assert (version.state, version.reason, author_notifications.notify_due()) == ("passed", "", 0)
    faults.quarantine_version(version.pk, written("It violated the sandbox 5 times."))
    assert (author_notifications.notify_due(), author_notifications.notify_due()) == (1, 0)
    words = [line for line, _ in reversed(notice_links(dotty))]
    begun = "Gannet v1 is in quarantine and cannot play. It violated the sandbox 5 times."
    assert words == [begun, "Gannet v1 has left quarantine and may play again.", begun]


def test_a_quarantine_that_an_admin_ends_at_once_is_told_all_the_same(dotty: User, upload: Upload) -> None:
    version = seated(upload()).bot_version
    assert version is not None
    faults.quarantine_version(version.pk, written("It violated the sandbox 3 times."))
    author_notifications.end_quarantine(version)
    codes = [notice.sentences[0][0] for notice in Notice.objects.order_by("pk")]
    assert codes == ["bot_quarantined", "quarantine_ended"]


@pytest.mark.parametrize(
    ("means", "words"),
    [
        ([1.0], "Accepted: Gannet v2 is better than v1 at Chinese Ten by more than 0 Elo."),
        ([0.0], "Rejected: Gannet v2 is better than v1 at Chinese Ten by less than +20 Elo."),
        ([0.0, 1.0], "Not decided: Gannet v2 may be better than v1 at Chinese Ten by 0 or by +20 Elo."),
    ],
)
def test_an_author_hears_what_a_comparison_came_to(means: list[float], words: str, dotty: User, upload: Upload) -> None:
    first, second = (seated(upload(FIRST + "#" * n)).bot_version for n in (1, 2))
    assert first is not None
    assert second is not None
    trial = comparison.request_comparison(version=second, against=first, kind="chinese_ten")
    trial.result = compare([(mean, mean) for mean in means * MAX_DEALS], Bounds()).plain()
    author_notifications.notify_compared(trial)
    author_notifications.notify_compared(trial)
    assert notice_links(dotty) == [(words, "/bots/Gannet/")]


def test_a_comparison_says_how_many_games_are_over_and_makes_no_share_up(dotty: User, upload: Upload) -> None:
    first, second = (seated(upload(FIRST + "#" * n)).bot_version for n in (1, 2))
    assert first is not None
    assert second is not None
    trial = comparison.request_comparison(version=second, against=first, kind="chinese_ten")
    assert [trial.result[name] for name in ("share", "low", "high", "deals")] == [None, None, None, 0]
    play_services.open_many(comparison.next_deals(trial, 0))
    over = Game.objects.filter(pk__in=Game.objects.filter(trial=trial).order_by("pk").values("pk")[:7])
    over.update(status="finished", outcome={"placings": [1, 2]})

    comparison.save_progress(ClaimedTrial(trial, "sandbox 1", 0.0, lambda: False))

    trial.refresh_from_db()
    assert trial.shown_steps[0]["sentence"] == "7 of 16 games of the current deals have finished."


def test_that_another_version_plays_is_told_of_each_change(dotty: User, upload: Upload) -> None:
    for n in (1, 2):
        seated(upload(FIRST + "#" * n))
    first, second = BotVersion.objects.select_related("bot").order_by("number")
    for version in (first, first, second, first):
        author_notifications.choose_version_and_notify(version)
    assert [words.split(".")[0] for words, _ in reversed(notice_links(dotty))] == [
        "Gannet v1 plays from now on",
        "Gannet v2 plays from now on",
        "Gannet v1 plays from now on",
    ]


def test_a_bot_whose_author_has_gone_is_told_of_to_nobody(dotty: User, upload: Upload, built_in: BuiltInBot) -> None:
    player = seated(upload(bad("crashed")))
    game = play_services.open_game(kind="chinese_ten", players=[player, built_in("random")])
    play_services.leave_game(game=game, seat=0, how="forfeited")
    uploads.retire(dotty)
    assert player.bot_version
    author_notifications.notify_admission(player.bot_version, passed=True)
    assert (author_notifications.notify_due(), Notice.objects.count()) == (0, 0)


def test_an_authors_list_costs_as_many_queries_for_many_notices_as_for_one(
    dotty: User, upload: Upload, django_assert_num_queries: Any
) -> None:
    version = seated(upload()).bot_version
    assert version is not None
    author_notifications.notify_admission(version, passed=True)
    faults.quarantine_version(version.pk, written("It violated the sandbox 3 times."))
    author_notifications.notify_due()
    with django_assert_num_queries(1):
        assert len(notice_links(dotty)) == 2


def test_a_bots_name_never_stands_in_what_is_kept(dotty: User, upload: Upload) -> None:
    version = seated(upload(name="A bot with a very long name 'ja'")).bot_version
    assert version is not None
    author_notifications.notify_admission(version, passed=True)
    note = Notice.objects.get()
    assert "bot with" not in f"{note.sentences}{note.key}{note.url}"
    assert notice_links(dotty)[0][1].startswith("/bots/A%20bot%20with")


def test_nobody_but_the_author_is_told(dotty: User, author: Author, upload: Upload) -> None:
    emil = author("Emil")
    through(upload("class Bot\n"))
    assert notice_links(emil) == []
    assert len(notice_links(dotty)) == 1
