"""Each address of the API exists once, because a token's permissions are looked up by address."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["me/tokens.json", "me/webhooks.json", "clubs.json", "games/7F3KQ0AB/turn.json"])
def test_no_address_has_a_second_name_of_another_scope(client: Client, address: str) -> None:
    assert client.get(f"/api/v1/{address}").status_code == 404
