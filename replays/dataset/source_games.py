"""The games that the dataset is made from."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from games.models import Game
from games.visibility import audience, observe


def dataset_games(now: datetime) -> QuerySet[Game]:
    """Return the games that were finished and open to everybody at that moment."""
    return (
        Game.objects.filter(audience.visible_to(AnonymousUser()), observe.result_is_public())
        .filter(status=Game.Status.FINISHED, finished_at__lte=now, deal__revealed_at__lte=now)
        .filter(trial=None, continued_from=None)
    )
