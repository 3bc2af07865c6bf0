"""Times of the week in the reader's language, which `schedule.parse_weekly` reads in English."""

from __future__ import annotations

import re

from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import get_format

from tournaments.seasons.schedule import DAYS


def in_english(text: str) -> str:
    """Return times of the week with English words; words of no known meaning stay as they are.

    Which words the reader's language has beside the names of days is in `TIME_WORDS` of its formats.
    """
    days = {code: (str(WEEKDAYS[at]).lower(), str(WEEKDAYS_ABBR[at]).lower()) for at, code in enumerate(DAYS)}
    others: dict[str, str] = get_format("TIME_WORDS")

    def english(word: re.Match[str]) -> str:
        typed = word[0].lower()
        if typed in others:
            return others[typed]
        return next((code for code, (name, short) in days.items() if typed.startswith(name) or typed == short), word[0])

    return re.sub(r"[^\W\d_]+", english, text)
