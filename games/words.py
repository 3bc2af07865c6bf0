"""Lengths of time, options and clocks as people write them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

LENGTH = re.compile(r"(\d{1,9})\s*(weeks?|w|days?|d|hours?|h|minutes?|min|m|seconds?|sec|s)\b")
SECONDS = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}  # by a unit's first letter
UNITS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
# What a page says of a clock that ran out.
EXPIRIES = {
    "forfeit": "who runs out of time forfeits",
    "random": "who runs out of time has a move drawn by lot",
    "house_bot": "the house bot moves for who runs out of time",
}


def counted(number: int, one: str, many: str | None = None) -> str:
    """1 match, 3 matches."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def span(value: timedelta) -> str:
    """A length of time in its two greatest units: 1 day 4 hours, 40 seconds."""
    left = max(0, round(value.total_seconds()))
    parts = []
    for name, size in UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(counted(count, name))
    return " ".join(parts[:2]) or "no time"


def seconds_of(text: str) -> int:
    """A length of time as people write it, in seconds: "1 week", "20 min", "1 day 12 hours". Raises ValueError."""
    said = text.strip().lower().replace(",", " ").replace(" and ", " ")
    if not said or LENGTH.sub("", said).strip():
        raise ValueError(text)
    return sum(int(number) * SECONDS[unit[0]] for number, unit in LENGTH.findall(said))


def options_words(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(name, value) of a game's options as a page lists them."""
    return [(name.replace("_", " ").capitalize(), option_word(value)) for name, value in options.items()]


def option_word(value: Any) -> str:
    """yes, no, 2, highest score."""
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ")


def clock_words(terms: Mapping[str, Any]) -> str:
    """How long people may think: "30 s a move and a bank of 2 min; who runs out of time forfeits"."""
    given = [(terms.get("move_days"), 86400), (terms.get("move_seconds"), 1)]
    parts = [f"{span(timedelta(seconds=count * unit))} a move" for count, unit in given if count]
    if bank := terms.get("bank_seconds", 0):
        parts.append(f"a bank of {span(timedelta(seconds=bank))}")
    if not parts:
        return "none"
    start, end = terms.get("playing_from", 0), terms.get("playing_to", 24)
    hours = [f"from {start} to {end} o’clock"] if (end - start) % 24 else []
    hours += ["not on weekends"] if terms.get("weekend_pause") else []
    when = f", {' and '.join(hours)} ({terms['zone']})" if hours else ""
    if days := terms.get("vacation_days", 0):
        when += f", but for {days} days of vacation a year"
    return f"{' and '.join(parts)}{when}; {EXPIRIES[terms.get('expiry', 'forfeit')]}"
