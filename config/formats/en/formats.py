"""English dates and times, for the admin: day before month, 24 hours. The names are Django's."""

from typing import Final

DATE_FORMAT: Final = "j M Y"
TIME_FORMAT: Final = "H:i"
DATETIME_FORMAT: Final = "j M Y, H:i"
MONTH_DAY_FORMAT: Final = "j F"
SHORT_DATE_FORMAT: Final = "j M Y"
SHORT_DATETIME_FORMAT: Final = "j M Y, H:i"
FIRST_DAY_OF_WEEK: Final = 1
