"""What may be written where a club decides: nothing, quick phrases, or any text."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy


class TalkSwitch(models.TextChoices):
    """A club's choice for the talk of its games and seasons."""

    OFF = "off", gettext_lazy("off: nobody writes or reads messages")
    PHRASES = "phrases", gettext_lazy("quick phrases only")
    ON = "on", gettext_lazy("on: quick phrases and free text")
