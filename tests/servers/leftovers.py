"""What a web process leaves behind in the database of the tests when it is killed."""

from __future__ import annotations

import psycopg
from django.db import connection

from tests.servers.database_url import database_url


def delete_what_a_killed_server_left() -> None:
    """Delete the signs of life of processes that are no more: for other tests their silence would be an outage."""
    with psycopg.connect(database_url(connection.settings_dict), autocommit=True) as own:
        own.execute("DELETE FROM clocks_heartbeat")
