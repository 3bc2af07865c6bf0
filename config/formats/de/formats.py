"""German dates and times, under the names of `config/formats/en/formats.py`."""

from typing import Final

DATE_FORMAT: Final = "j. N Y"
TIME_FORMAT: Final = "H:i"
DATETIME_FORMAT: Final = "j. N Y, H:i"
YEAR_MONTH_FORMAT: Final = "F Y"
MONTH_DAY_FORMAT: Final = "j. F"
SHORT_DATE_FORMAT: Final = "j. N Y"
SHORT_DATETIME_FORMAT: Final = "j. N Y, H:i"
FIRST_DAY_OF_WEEK: Final = 1

LONG_DATE_FORMAT: Final = "j. F Y"
DAY_FORMAT: Final = "j. N"
DAY_TIME_FORMAT: Final = "j. N, H:i"
LONG_DAY_TIME_FORMAT: Final = "j. F, H:i"
WEEKDAY_NUMBER_FORMAT: Final = "D, j."
WEEKDAY_TIME_FORMAT: Final = "D, H:i"
WEEKDAY_DAY_FORMAT: Final = "D, j. N"
WEEKDAY_DATE_FORMAT: Final = "D, j. N Y"
WEEKDAY_DAY_TIME_FORMAT: Final = "D, j. N, H:i"
LONG_WEEKDAY_DAY_TIME_FORMAT: Final = "l, j. F, H:i"
TIME_WEEKDAY_DAY_FORMAT: Final = "D, j. N, H:i"

# Words in times of the week, beside the names of days, with the English word that they stand for.
TIME_WORDS: Final = {
    "sonnabend": "sat",
    "sonnabends": "sat",
    "und": "and",
    "bis": "to",
    "uhr": "o'clock",
    "um": "at",
    "ab": "at",
    "jeden": "every",
    "jeweils": "every",
    "am": "on",
}
