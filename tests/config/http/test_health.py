"""Health pages and static files, which supervisors, load balancers and every page depend on."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client

from scorebook_games import __version__, build


@pytest.mark.django_db
def test_a_process_with_its_database_is_live_and_ready(client: Client) -> None:
    for path in ("/health/live/", "/health/ready/"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "no-cache" in answer["Cache-Control"]


@pytest.mark.django_db
def test_a_process_that_is_ready_says_which_build_of_the_engines_it_runs(client: Client) -> None:
    assert client.get("/health/ready/").json() == {
        "status": "ready",
        "version": __version__,
        "engines": build.current_build(),
    }


@pytest.mark.django_db
def test_a_process_whose_tables_are_behind_its_code_is_not_ready(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE id = (SELECT max(id) FROM django_migrations WHERE app = 'games')"
        )
    answer = client.get("/health/ready/")
    error = answer.json()["error"]
    assert (answer.status_code, error["status"], error["code"]) == (503, 503, "migrations_waiting")
    assert "manage migrate" in error["sentence"]


@pytest.mark.django_db(transaction=True)
def test_a_process_without_its_database_is_live_and_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
        patch.setitem(connection.settings_dict, "PORT", "1")
        live, ready = client.get("/health/live/"), client.get("/health/ready/")
    assert live.status_code == 200
    assert (ready.status_code, ready.json()["error"]["code"]) == (503, "database_unreachable")


@pytest.mark.django_db  # at the end of a request Django looks after its connection
def test_a_static_file_is_sent_whole_with_its_length_and_validators(client: Client) -> None:
    answer = client.get("/static/css/tokens.css")
    assert answer.status_code == 200
    assert not answer.streaming
    assert int(answer["Content-Length"]) == len(answer.content) > 0
    assert answer["Content-Type"].startswith("text/css")
    again = client.get("/static/css/tokens.css", headers={"If-Modified-Since": answer["Last-Modified"]})
    assert (again.status_code, again.content) == (304, b"")
