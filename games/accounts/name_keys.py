"""Computes the stored keys of names again, after a change of `names.name_key` or of Unicode's data that it reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.apps import apps as installed_apps
from django.db import transaction

from games.accounts.names import name_key

UNIQUE_MARK: Final = "~"  # is in no key, so nobody can take a key with it


def renew_keys(apps: Any = installed_apps) -> list[str]:
    """Store the present key of each name. Return the names that look like an older name of the same table.

    The older name keeps the key that both would have. The other one gets a key of its own and stays as it is: its owner
    still logs in by it, and an admin may give it another name.
    """
    with transaction.atomic():
        players = _renew(apps.get_model("games", "Player"), "name")
        _renew_logins(apps.get_model("auth", "User"), players)
        _renew(apps.get_model("games", "Bot"), "name")
        _renew(apps.get_model("accounts", "ReservedName"), "key")  # has nothing but its key
    look_alikes: list[str] = []
    for label in ("Player", "Bot"):
        found = apps.get_model("games", label).objects.filter(key__contains=UNIQUE_MARK)
        look_alikes += found.values_list("name", flat=True)
    return sorted(look_alikes)


def _renew(model: Any, column: str) -> list[tuple[int, str, str]]:
    """Renew the keys of a table, computed from `column`. Return (id, former key, key) of the rows that changed."""
    taken: set[str] = set()
    changed: list[tuple[int, str, str]] = []
    for pk, name, key in model.objects.exclude(key=None).order_by("pk").values_list("pk", column, "key"):
        new = name_key(name)
        if new in taken:
            new = f"{new}{UNIQUE_MARK}{pk}"
        taken.add(new)
        if new != key:
            changed.append((pk, key, new))
    for pk, _former, _new in changed:  # first a key that no row has, because a new key may be the former of another row
        model.objects.filter(pk=pk).update(key=f"{UNIQUE_MARK}{pk}")
    for pk, _former, new in changed:
        model.objects.filter(pk=pk).update(key=new)
    return changed


def _renew_logins(users: Any, players: Iterable[tuple[int, str, str]]) -> None:
    """Renew the usernames that were the keys of `players`, each (id, former key, key)."""
    changed: dict[int, str] = {}
    for player, former, new in players:
        changed |= dict.fromkeys(users.objects.filter(player=player, username=former).values_list("pk", flat=True), new)
    for pk in changed:
        users.objects.filter(pk=pk).update(username=f"{UNIQUE_MARK}{pk}")
    for pk, new in changed.items():
        taken = users.objects.filter(username=new).exists()
        users.objects.filter(pk=pk).update(username=f"{new}{UNIQUE_MARK}{pk}" if taken else new)
