"""English dates and times: day before month, 24 hours. The first names are Django's; the others are those of pages.
`config/formats/<language>/formats.py` has each name (`tests/config/translations/test_formats.py`)."""

from typing import Final

DATE_FORMAT: Final = "j M Y"
TIME_FORMAT: Final = "H:i"
DATETIME_FORMAT: Final = "j M Y, H:i"
YEAR_MONTH_FORMAT: Final = "F Y"
MONTH_DAY_FORMAT: Final = "j F"
SHORT_DATE_FORMAT: Final = "j M Y"
SHORT_DATETIME_FORMAT: Final = "j M Y, H:i"
FIRST_DAY_OF_WEEK: Final = 1

LONG_DATE_FORMAT: Final = "j F Y"
DAY_FORMAT: Final = "j M"
DAY_TIME_FORMAT: Final = "j M, H:i"
LONG_DAY_TIME_FORMAT: Final = "j F, H:i"
WEEKDAY_NUMBER_FORMAT: Final = "D j"
WEEKDAY_TIME_FORMAT: Final = "D, H:i"
WEEKDAY_DAY_FORMAT: Final = "D j M"
WEEKDAY_DATE_FORMAT: Final = "D j M Y"
WEEKDAY_DAY_TIME_FORMAT: Final = "D j M, H:i"
LONG_WEEKDAY_DAY_TIME_FORMAT: Final = "l j F, H:i"
TIME_WEEKDAY_DAY_FORMAT: Final = "H:i, D j M"

TIME_WORDS: Final[dict[str, str]] = {}  # words in times of the week that `parse_weekly` does not know by itself
