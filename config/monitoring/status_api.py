"""The shape of `status/`: the status of the platform as it is collected, and what is wrong."""

from __future__ import annotations

from config.monitoring.alert_types import Alert
from games.common.dataclass_serializer import field_of, serializer_of
from tournaments.maintenance.status import LeagueStatus


class StatusSerializer(serializer_of(LeagueStatus)):  # type: ignore[misc]  # made from the dataclass
    """How the platform is doing at `at`. Lists hold the oldest twenty; the counts count all."""

    wrong = field_of(list[Alert])
