"""Rows that COPY stores are the same as those that Django stores."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError
from django.forms.models import model_to_dict

from games.common.bulk_insert import copy_new
from games.eventlog.models import Stream
from games.models import Deal, Game, Player, Seat

AT = datetime(2026, 3, 14, 18, 30, tzinfo=UTC)


def game(**others: Any) -> Game:
    """Return an unsaved game with a value of every sort: text that needs quoting, JSON, lists, bytes, nulls."""
    values: dict[str, Any] = {
        "kind": "chinese_ten",
        "rules_version": 1,
        "options": {"packs": 1, "note": 'tab\t, line\n, back\\slash, "quote", é'},
        "stream": Stream.objects.create(subject=Stream.Subject.GAME, created=AT),
        "deal": Deal.objects.create(),
        "to_act": [0, 1],
        "leased_by": "\\N",
        "opened_at": AT,
        "moved_at": AT,
    }
    return Game(**{**values, **others})


def fields(row: Game) -> dict[str, Any]:
    data = model_to_dict(row) | {"salt": bytes(row.salt), "public_id": row.public_id}
    return {name: value for name, value in data.items() if name != "id"}


@pytest.mark.django_db
def test_a_copied_row_is_read_as_one_that_was_saved() -> None:
    copied, saved = game(outcome={"scores": [1, 2]}, deadline=AT), game(finished_at=AT, played_by_workers=True)
    copy_new([copied])
    saved.save()
    for row in (copied, saved):
        assert fields(Game.objects.get(pk=row.pk)) == fields(row)


@pytest.mark.django_db
def test_rows_get_ids_in_their_order_and_can_be_saved_again() -> None:
    first, second, third = games = [game() for _ in range(3)]
    copy_new(games)
    assert first.pk < second.pk < third.pk
    second.version = 7
    second.save()
    assert list(Game.objects.order_by("pk").values_list("version", flat=True)) == [0, 7, 0]
    fourth = game()
    fourth.save()
    assert fourth.pk > third.pk, "the sequence went on"


@pytest.mark.django_db
def test_a_field_that_the_model_fills_in_is_filled_in() -> None:
    player = Player(name="Ida")
    copy_new([player])
    assert Player.objects.get().created == player.created


@pytest.mark.django_db
def test_no_rows_are_no_statement(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        copy_new([])


@pytest.mark.django_db(transaction=True)
def test_of_rows_of_which_one_is_refused_none_is_stored() -> None:
    opened = game()
    copy_new([opened])
    player = Player.objects.create(name="Ida")
    with pytest.raises(IntegrityError):
        copy_new([Seat(game=opened, seat=seat, player=player) for seat in (0, 1, 0)])
    assert not Seat.objects.exists()
