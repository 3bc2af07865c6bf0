"""The models of all packages, for Django to find. Nothing else imports it: import a model from where it stands."""

from tournaments.calendar import models as calendar
from tournaments.clubs import models as clubs
from tournaments.ratings import models as ratings
from tournaments.rulings import models as rulings
from tournaments.seasons import models as seasons
from tournaments.seasons.models import new_salt
from tournaments.standings import models as standings
from tournaments.webhooks import models as webhooks

__all__ = [
    "calendar",
    "clubs",
    "new_salt",  # named by the first migration
    "ratings",
    "rulings",
    "seasons",
    "standings",
    "webhooks",
]
