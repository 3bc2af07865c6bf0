"""Reading a database's address."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env.database_url import PLANS, parse_database_url, pooled, redacted_url
from tests.servers.database_url import database_url


def test_an_address_on_the_network_is_read() -> None:
    entry = parse_database_url("postgresql://niamh:p%40ss@db.example:6543/scores?sslmode=require")
    assert [entry[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == [
        "niamh", "p@ss", "db.example", "6543", "scores",
    ]  # fmt: skip
    assert entry["OPTIONS"] == {"sslmode": "require", "options": PLANS}


def test_connections_that_are_lent_are_few_and_looked_at_before() -> None:
    entry = pooled(parse_database_url("postgresql://niamh@db.example/scores?sslmode=require"), 7)
    assert (entry["CONN_MAX_AGE"], entry["CONN_HEALTH_CHECKS"], entry["NAME"]) == (0, True, "scores")
    assert entry["OPTIONS"]["sslmode"] == "require"
    assert entry["OPTIONS"]["pool"]["max_size"] == 7


def test_a_sockets_folder_stands_in_for_host_and_port() -> None:
    entry = parse_database_url("postgresql://scorebook:x@/scorebook?host=/home/a%20b/.local/postgres&port=5432")
    assert (entry["HOST"], entry["PORT"], entry["OPTIONS"]) == ("/home/a b/.local/postgres", "5432", {"options": PLANS})


@pytest.mark.parametrize(
    "url",
    [
        "",
        "scores",
        "mysql://a:secret@b/c",
        "postgresql://a:secret@b",
        "postgresql://a:secret@b:port/c",
        "postgresql://[a/b",
    ],
)
def test_any_other_address_is_refused_with_the_form_it_must_have_and_without_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="postgresql://user:password@host:port/name") as refused:
        parse_database_url(url)
    assert "secret" not in str(refused.value)


def test_people_are_shown_a_database_without_its_password() -> None:
    assert redacted_url("postgresql://a:secret@db.example:6543/scores") == "scores at db.example:6543"
    assert redacted_url("postgresql:///scores") == "scores at localhost"


@pytest.mark.parametrize("place", ["db.example:6543", "?host=/home/a%20b/.local/postgres&port=5432"])
def test_an_address_made_of_an_entry_is_read_as_that_entry(place: str) -> None:
    url = (
        "postgresql://niamh:p%40s%2Fs@/scores" + place
        if "?" in place
        else f"postgresql://niamh:p%40s%2Fs@{place}/scores"
    )
    entry = parse_database_url(url)
    assert parse_database_url(database_url(entry)) == entry
