"""Keys of names are computed again after a change of Unicode's data: everybody keeps their name and their login."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from games.accounts import people
from games.accounts.models import ReservedName
from games.accounts.name_keys import renew_keys
from games.common import clock
from games.models import Bot, Player
from tests.games.accounts.conftest import user_of

pytestmark = pytest.mark.django_db


def keyed_as_before(player: Player, key: str) -> None:
    """Give a player the key that an earlier version computed."""
    Player.objects.filter(pk=player.pk).update(key=key)
    User.objects.filter(pk=user_of(player).pk).update(username=key)


def test_a_key_computed_by_earlier_data_is_renewed_and_the_login_with_it(laura: Player) -> None:
    keyed_as_before(laura, "laura")
    assert renew_keys() == []
    laura.refresh_from_db()
    assert (laura.name, laura.key, user_of(laura).username) == ("Laura", "iaura", "iaura")
    assert people.login_name("LAURA") == "iaura"


def test_of_two_names_that_now_look_alike_the_older_one_has_the_key_and_both_log_in(
    laura: Player, join: Callable[..., Player], capsys: pytest.CaptureFixture[str]
) -> None:
    fake = join("Otto")
    Player.objects.filter(pk=fake.pk).update(name="L\u0251ura")
    keyed_as_before(fake, "l\u0251ura")
    call_command("name_keys")
    assert "L\u0251ura looks like an older name." in capsys.readouterr().out
    fake.refresh_from_db()
    assert fake.key == f"iaura~{fake.pk}"
    assert people.login_name("Laura") == user_of(laura).username
    assert people.login_name("L\u0251ura") == user_of(fake).username != user_of(laura).username
    with pytest.raises(people.AccountError, match="taken"):
        people.check_name("LAURA", user_of(fake))


def test_when_the_older_name_is_given_up_the_other_gets_its_plain_key(
    laura: Player, join: Callable[..., Player]
) -> None:
    fake = join("Otto")
    Player.objects.filter(pk=fake.pk).update(name="L\u0251ura")
    renew_keys()
    people.rename(user_of(laura), "Martha")
    assert renew_keys() == []
    fake.refresh_from_db()
    assert fake.key == "iaura"


def test_a_new_key_may_be_the_former_key_of_somebody_else(laura: Player, martha: Player) -> None:
    keyed_as_before(martha, "former")
    keyed_as_before(laura, "martha")
    keyed_as_before(martha, "iaura")
    renew_keys()
    assert [user_of(Player.objects.get(pk=each.pk)).username for each in (laura, martha)] == ["iaura", "martha"]


def test_the_migration_renews_the_keys_of_a_running_installation(laura: Player) -> None:
    keyed_as_before(laura, "laura")
    state = MigrationLoader(connection).project_state(("accounts", "0004_name_keys"))
    import_module("games.accounts.migrations.0004_name_keys").renew(state.apps, None)
    laura.refresh_from_db()
    assert (laura.key, user_of(laura).username) == ("iaura", "iaura")


def test_keys_of_bots_and_of_names_that_were_taken_away_are_renewed(laura: Player) -> None:
    Bot.objects.create(name="Gull", key="gull", owner=user_of(laura))
    ReservedName.objects.create(key="ann\u0251", since=clock.now())
    renew_keys()
    assert Bot.objects.get(name="Gull").key == "guii"
    assert ReservedName.objects.get().key == "anna"
