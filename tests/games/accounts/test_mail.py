"""The real task sends emails about notices. The tests check recipients and contents, and that no email is sent
twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from smtplib import SMTPServerDisconnected
from threading import Barrier
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from django.test import Client

from games import tasks
from games.accounts import mail as letters
from games.accounts import mail_outbox, notices, people
from games.accounts.models import Notice
from games.accounts.subjects import SUBJECTS
from games.common import clock
from games.models import Player
from scorebook_games.presentation.coded_text import written
from tests.assertions.page import Page
from tests.games.accounts.conftest import NOON, Opened, Played, signed_in, until_turn_of, user_of

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(minutes=11)
CARD = re.compile(r"[♠♥♦♣]|\b(?:10|[2-9TJQKA])[SHDC]\b")


def challenge(player: Player, by: Player | None = None) -> Notice:
    """Create a notice that is mailed immediately."""
    with clock.frozen_at(NOON):
        notices.notify_users(
            [player.user_id or 0], "challenge", key="c", by=by, sentences=[written("Two days a move.")]
        )
    return Notice.objects.get(user=player.user, key="c")


def send(at: Any = LATER) -> int:
    """Run the worker's task, and return how many emails it sent."""
    with clock.frozen_at(at):
        sent: int = tasks.send_mails()
    return sent


def state(notice: Notice) -> str:
    notice.refresh_from_db()
    return notice.send_state


def test_a_turn_is_mailed_in_the_persons_own_time_with_a_link(
    martha: Player, laura: Player, opened: Opened, play: Played, settings: Any
) -> None:
    settings.SCOREBOOK_BASE_URL = "https://club.example"
    game = opened(martha, laura)
    until_turn_of(1, game, play)
    assert send() == 1
    letter = mail.outbox[0]
    assert (letter.to, letter.subject) == (["laura@example.org"], "It is your turn: Chinese Ten with Martha")
    assert f"https://club.example/games/{game.public_id}/\n" in letter.body
    assert "Your time runs out on Saturday 21 November, 07:00 (America/New_York)." in letter.body
    assert letter.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert letter.extra_headers["List-Unsubscribe"].startswith("<https://club.example/me/notices/stop/")
    assert not getattr(letter, "alternatives", [])


def test_a_turn_that_was_taken_within_ten_minutes_is_not_mailed(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    game = opened(martha, laura)
    assert send(NOON + timedelta(minutes=9)) == 0
    until_turn_of(1, game, play)
    assert send() == 1
    assert [letter.to for letter in mail.outbox] == [["laura@example.org"]]


def test_what_was_seen_on_the_site_is_not_mailed(martha: Player, laura: Player, opened: Opened) -> None:
    opened(martha, laura)
    notices.mark_seen(user_of(martha))
    assert send() == 0
    assert Notice.objects.get().send_state == "none"
    assert mail.outbox == []


def test_no_mail_goes_to_an_address_that_is_not_confirmed(martha: Player) -> None:
    EmailAddress.objects.update(verified=False)
    assert challenge(martha).send_state == "none"
    assert send() == 0


def test_no_mail_goes_to_who_wants_none_of_its_kind(martha: Player, laura: Player) -> None:
    notices.set_mails(people.profile_of(user_of(martha)), {"challenge": False})
    assert challenge(martha, by=laura).send_state == "none"
    notices.set_mails(people.profile_of(user_of(martha)), {"challenge": True})
    with clock.frozen_at(NOON):
        notices.notify_users([martha.user_id or 0], "challenge", key="another", by=laura)
    assert send() == 1
    assert mail.outbox[0].subject == "Laura challenges you"


def test_the_platform_tells_by_mail_only_what_is_worth_one_unless_it_is_asked(martha: Player) -> None:
    usual = notices.mail_settings(people.profile_of(user_of(martha)))
    assert (usual["your_turn"], usual["game_over"]) == (True, False)
    signed_in(martha).post("/me/", {"form": "mails", "game_over": "on"})
    chosen = notices.mail_settings(people.profile_of(user_of(martha)))
    assert [name for name, on in chosen.items() if on] == ["game_over"]


def test_the_page_of_the_account_has_each_subject_once_in_a_folded_part(martha: Player) -> None:
    html = signed_in(martha).get("/me/").content.decode()
    parts = re.findall(r"<details class=\"more\">.*?</details>", html, re.DOTALL)
    names = [re.findall(r'type="checkbox" name="(\w+)"', part) for part in parts]
    assert sorted(name for part in names for name in part) == sorted(SUBJECTS)
    of_part = [{str(SUBJECTS[name].group) for name in part} for part in names]
    assert [len(titles) for titles in of_part] == [1] * 5, "a part has the subjects of one group"
    on = notices.mail_settings(people.profile_of(user_of(martha)))
    for part, inside in zip(parts, names, strict=True):
        assert " ".join(f"{sum(on[name] for name in inside)} of {len(inside)}".split()) in " ".join(part.split())


def test_a_task_that_is_delivered_twice_sends_once(martha: Player) -> None:
    notice = challenge(martha)
    assert (send(), send()) == (1, 0)
    assert len(mail.outbox) == 1
    assert state(notice) == "sent"


@pytest.mark.django_db(transaction=True)
def test_workers_at_the_same_moment_send_once(martha: Player) -> None:
    notice = challenge(martha)
    together = Barrier(4)

    def work(_number: int) -> bool:
        try:
            with clock.frozen_at(LATER):
                together.wait(timeout=60)
                return letters.NOTICE_MAILS.send(notice.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        sent = list(threads.map(work, range(4)))
    assert sum(sent) == 1
    assert len(mail.outbox) == 1


def test_a_worker_that_dies_between_the_claim_and_the_sending_leaves_unsure(
    martha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    notice = challenge(martha)

    class Killed(BaseException):
        """Raised in place of a signal that kills the worker."""

    def die(self: EmailBackend, messages: Any) -> int:
        raise Killed

    monkeypatch.setattr(EmailBackend, "send_messages", die)
    with pytest.raises(Killed):
        send()
    monkeypatch.undo()
    assert state(notice) == "sending"
    assert send() == 0, "somebody may still be at it"
    assert send(LATER + timedelta(minutes=11)) == 0
    assert state(notice) == "unsure"
    assert mail.outbox == []
    assert "The email about this may not have been sent." in Page.of(signed_in(martha).get("/me/notices/")).text


def test_a_mail_server_that_cannot_be_reached_is_tried_again_later(
    martha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(self: EmailBackend) -> None:
        raise ConnectionRefusedError

    notice = challenge(martha)
    monkeypatch.setattr(EmailBackend, "open", unreachable)
    assert send() == 0
    assert state(notice) == "due"
    assert send(LATER + timedelta(minutes=3)) == 0
    assert notice.tries == 1, "not before its time"
    monkeypatch.undo()
    assert send(LATER + timedelta(minutes=5)) == 1
    assert state(notice) == "sent"


def test_a_mail_server_that_stays_away_is_given_up(martha: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(self: EmailBackend) -> None:
        raise ConnectionRefusedError

    notice = challenge(martha)
    monkeypatch.setattr(EmailBackend, "open", unreachable)
    for hour in range(1, 10):
        send(NOON + timedelta(hours=2 * hour))
    assert state(notice) == "failed"
    assert notice.tries == mail_outbox.MAX_SEND_TRIES


def test_a_line_that_breaks_while_sending_is_not_tried_again(martha: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: EmailBackend, messages: Any) -> int:
        raise SMTPServerDisconnected("the line broke")

    notice = challenge(martha)
    monkeypatch.setattr(EmailBackend, "send_messages", broken)
    assert send() == 0
    monkeypatch.undo()
    assert send(LATER + timedelta(days=1)) == 0
    assert state(notice) == "unsure"


def stop_link(letter: Any) -> str:
    found = re.search(r"<http://localhost:8000(/me/notices/stop/[^>]+)>", letter.extra_headers["List-Unsubscribe"])
    assert found
    return found[1]


def test_the_link_in_a_mail_stops_its_kind_without_a_log_in(martha: Player) -> None:
    challenge(martha)
    send()
    link = stop_link(mail.outbox[0])
    stranger = Client(enforce_csrf_checks=True)
    page = Page.of(stranger.get(link))
    assert "You will not get emails about “A player challenges you” any more." in page.text
    assert page.faults() == []
    profile = people.profile_of(user_of(martha))
    assert notices.mail_settings(profile)["challenge"], "a mail scanner that follows links stops nothing"

    one_click = stranger.post(link, {"List-Unsubscribe": "One-Click"})
    assert one_click.status_code == 200
    assert "Unsubscribe" in Page.of(one_click).text
    settings = notices.mail_settings(people.profile_of(user_of(martha)))
    assert (settings["challenge"], settings["your_turn"]) == (False, True)


def test_a_link_that_was_changed_or_whose_owner_has_gone_stops_nothing(martha: Player, laura: Player) -> None:
    token = letters.unsubscribe_token(martha.user_id or 0, "challenge")
    assert Client().post(f"/me/notices/stop/{token}x/").status_code == 404
    assert Client().post("/me/notices/stop/nonsense/").status_code == 404
    people.delete_account(user_of(martha))
    assert Client().post(f"/me/notices/stop/{token}/").status_code == 404


def test_a_mail_that_names_a_time_names_its_zone(martha: Player) -> None:
    with clock.frozen_at(NOON):
        notices.notify_users(
            [martha.user_id or 0], "time_agreed", key="t", sentences=[notices.moments([LATER.isoformat()])]
        )
    assert send() == 1
    assert "Times are in the zone Europe/Dublin." in mail.outbox[0].body


def test_no_mail_says_what_only_a_player_may_know(
    join: Callable[..., Player], laura: Player, opened: Opened, play: Played
) -> None:
    """An email has the game, its players and the time, and nothing about the cards."""
    game = opened(laura, join("Ines", "ines@example.org"))
    send()
    letter = mail.outbox[0]
    sentence = f"{letter.subject}\n{letter.body}"
    # A game's name and a signature are random and may look like a card, so they are removed.
    for drawn in (game.public_id, stop_link(letter)):
        assert drawn in sentence
        sentence = sentence.replace(drawn, "…")
    assert not CARD.search(sentence)
    assert CARD.search(f"{sentence}You hold KD.")


def test_a_name_of_two_lines_cannot_add_a_line_to_the_head_of_a_mail(martha: Player) -> None:
    with clock.frozen_at(NOON):
        sentence = [written("Autumn\nBcc: eve@example.org")]
        notices.notify_users([martha.user_id or 0], "registration", key="r", sentences=sentence)
    assert send() == 1
    assert mail.outbox[0].subject == "Autumn Bcc: eve@example.org"
    assert mail.outbox[0].recipients() == ["martha@example.org"]


def test_a_long_reason_is_cut_in_the_head_of_a_mail_only(martha: Player) -> None:
    with clock.frozen_at(NOON):
        sentence = [written("The log is clear. " * 100)]
        notices.notify_users([martha.user_id or 0], "corrected", key="r", sentences=sentence)
    assert send() == 1
    assert len(mail.outbox[0].subject) == 200
    assert mail.outbox[0].body.count("The log is clear.") == 100
