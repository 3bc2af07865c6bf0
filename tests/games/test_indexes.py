"""Each index costs every game that is played a row in it, so those of the largest tables must be needed."""

from __future__ import annotations

import pytest
from django.db import connection, models

from games.eventlog.models import Batch
from games.models import Game, Seat
from tournaments.seasons.models import MatchEntrant, MatchGame

pytestmark = pytest.mark.django_db

# An index is not needed if another one of the table begins with the same columns. `indkey` lists their numbers.
REPEATED = """
    SELECT short.indexrelid::regclass::text, longer.indexrelid::regclass::text
    FROM pg_index short JOIN pg_index longer USING (indrelid)
    WHERE indrelid = %s::regclass AND short.indexrelid <> longer.indexrelid AND NOT short.indisunique
        AND short.indpred IS NULL AND longer.indpred IS NULL
        AND (longer.indkey::text || ' ') LIKE (short.indkey::text || ' %%')
"""


@pytest.mark.parametrize("model", [Batch, Game, Seat, MatchGame, MatchEntrant])
def test_no_index_of_a_large_table_repeats_the_beginning_of_another(model: type[models.Model]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(REPEATED, [model._meta.db_table])
        assert cursor.fetchall() == []
