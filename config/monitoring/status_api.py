"""The serializer of `status/`: the collected status of the platform, and its problems."""

from __future__ import annotations

from config.monitoring.alert_types import Alert
from games.common.dataclass_serializer import field_of, serializer_of
from tournaments.maintenance.status import LeagueStatus


class StatusSerializer(serializer_of(LeagueStatus)):  # type: ignore[misc]  # made from the dataclass
    """The status of the platform at `at`. Lists have the oldest twenty items; counts include all."""

    alerts = field_of(list[Alert])
