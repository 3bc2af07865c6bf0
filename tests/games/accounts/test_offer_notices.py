"""A player to whom an abort or a rematch is offered is notified on the site and, by their settings, by email."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail

from games.accounts import mail as letters
from games.accounts import notices, people
from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from games.models import Game, Player
from games.play import offers
from games.play import services as play
from games.play.services import leave_game
from games.visibility.models import Presence
from tests.games.accounts.conftest import NOON, Opened, Played, user_of
from tests.tournaments.club import builtin_bot

pytestmark = pytest.mark.django_db

LATER = NOON + timedelta(minutes=1)


def send() -> list[str]:
    """Send emails and return their recipients and subjects."""
    with clock.frozen_at(LATER):
        letters.NOTICE_MAILS.send_due()
    return [f"{each.to[0]}: {each.subject}" for each in mail.outbox]


def notice_texts(player: Player, subject: str) -> list[str]:
    return [notices.notice_row(notice).words for notice in notices.notices_of(user_of(player)).filter(subject=subject)]


def offer(game: Game, seat: int) -> None:
    with clock.frozen_at(LATER):
        offers.offer_abort(game=game, seat=seat)


@pytest.fixture
def game(martha: Player, laura: Player, opened: Opened) -> Game:
    """Return a game of Martha and Laura with a day for each move."""
    return opened(martha, laura)


def test_an_offer_to_abort_is_told_once_on_the_site_and_by_mail(game: Game, martha: Player, laura: Player) -> None:
    offer(game, 0)
    offer(game, 0)
    words = "Martha proposes to abort a game, without a result: Chinese Ten with Martha."
    assert notice_texts(laura, "abort_offered") == [words]
    assert notice_texts(martha, "abort_offered") == []
    assert send() == [f"laura@example.org: {words.rstrip('.')}"]


def test_who_wants_no_mail_about_it_is_told_on_the_site_alone(game: Game, laura: Player) -> None:
    profile = people.profile_of(user_of(laura))
    notices.set_mails(profile, {"abort_offered": False, "rematch_offered": False})
    offer(game, 0)
    play.leave_game(game=game, seat=0, how="resigned")
    offers.offer_rematch(game=game, seat=0)
    assert len(notice_texts(laura, "abort_offered") + notice_texts(laura, "rematch_offered")) == 2
    assert send() == []


def test_an_offer_that_is_made_anew_is_told_anew(game: Game, laura: Player, play: Played) -> None:
    offer(game, 0)
    offers.decline_abort(game=game, seat=1)
    play(game)
    offer(game, 0)
    assert len(notice_texts(laura, "abort_offered")) == 1, "the first one was answered"


def test_who_has_agreed_to_abort_is_no_longer_asked_though_a_bot_plays_too(
    martha: Player, laura: Player, otto: Player, opened: Opened, django_capture_on_commit_callbacks: Any
) -> None:
    game = opened(martha, laura, otto, builtin_bot("Gannet"), kind="plates")
    for seat in (0, 1):
        with django_capture_on_commit_callbacks(execute=True):
            offer(game, seat)
    assert [len(notice_texts(player, "abort_offered")) for player in (laura, otto)] == [0, 1]


def test_an_offer_to_abort_that_is_over_is_not_mailed_though_its_signal_was_lost(game: Game) -> None:
    offer(game, 0)
    offers.decline_abort(game=game, seat=1)  # what follows the commit does not run
    assert send() == []


def test_the_sweep_withdraws_an_offer_to_abort_whose_signal_was_lost(game: Game, laura: Player) -> None:
    offer(game, 0)
    notices.withdraw_abort_notices()
    assert len(notice_texts(laura, "abort_offered")) == 1
    offers.decline_abort(game=game, seat=1)
    notices.withdraw_abort_notices()
    assert notice_texts(laura, "abort_offered") == []


def test_an_offer_asks_nobody_any_more_after_a_move_or_the_end(
    game: Game, laura: Player, play: Played, django_capture_on_commit_callbacks: Any
) -> None:
    offer(game, 0)
    play(game)
    assert notice_texts(laura, "abort_offered") == []
    offer(game, 0)
    with django_capture_on_commit_callbacks(execute=True):
        leave_game(game=game, seat=0, how="resigned")
    assert notice_texts(laura, "abort_offered") == []


def test_an_answer_is_no_offer(game: Game, martha: Player, laura: Player) -> None:
    offer(game, 0)
    offers.accept_abort(game=game, seat=1)
    assert notice_texts(martha, "abort_offered") == []
    game.refresh_from_db()
    assert game.status == Game.Status.ABORTED


def test_who_sits_at_the_table_sees_it_there(game: Game, laura: Player, martha: Player, opened: Opened) -> None:
    Presence.objects.create(game=game, seat=1, process="00000000-0000-0000-0000-000000000001", seen_at=LATER)
    offer(game, 0)
    offer(opened(martha, laura, move_seconds=30), 0)
    assert notice_texts(laura, "abort_offered") == []


def test_an_offer_that_is_refused_tells_nobody(martha: Player, laura: Player, opened: Opened) -> None:
    game = opened(martha, laura, may_abort="no")
    with pytest.raises(DomainError):
        offer(game, 0)
    assert not Notice.objects.filter(subject="abort_offered").exists()


def test_a_wish_for_a_rematch_is_told_by_mail_too(game: Game, laura: Player) -> None:
    play.leave_game(game=game, seat=0, how="resigned")
    with clock.frozen_at(LATER):
        offers.offer_rematch(game=game, seat=0)
    words = "Martha offers you a rematch: Chinese Ten with Martha."
    assert notice_texts(laura, "rematch_offered") == [words]
    assert f"laura@example.org: {words.rstrip('.')}" in send()
