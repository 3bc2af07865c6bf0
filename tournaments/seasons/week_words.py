"""Times of the week and intervals in the reader's language; `schedule.parse_weekly` reads the former in English."""

from __future__ import annotations

import re

from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import get_format

from games.common import labels
from tournaments.seasons.schedule import DAYS, SECONDS_PER_DAY, SECONDS_PER_WEEK


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


def in_own_words(weekly: str) -> str:
    """Return a time of the week, such as "tue 19:00", with the day's name in the reader's language: "Di 19:00"."""
    day, _space, time = weekly.partition(" ")
    return f"{WEEKDAYS_ABBR[DAYS.index(day)]} {time}" if time else weekly


def interval_text(seconds: int) -> str:
    """Return an interval between rounds as text that the form can read: 1 week, 3 days, 1 hour 30 minutes."""
    weeks, rest = divmod(seconds, SECONDS_PER_WEEK)
    if not rest:
        return labels.number_label(weeks, "week")
    days, rest = divmod(seconds, SECONDS_PER_DAY)
    parts = [labels.number_label(days, "day")] if days else []
    for size, unit in ((3600, "hour"), (60, "minute"), (1, "second")):
        count, rest = divmod(rest, size)
        parts += [labels.number_label(count, unit)] if count else []
    return " ".join(parts)
