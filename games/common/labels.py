"""Durations, options, clocks, results and rating changes as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from scorebook_games.registry import KINDS

UNIT_SECONDS: Final = {"week": 604800, "day": 86400, "hour": 3600, "minute": 60, "second": 1}
SHORT_UNITS: Final = {
    "w": "week",
    "d": "day",
    "h": "hour",
    "m": "minute",
    "min": "minute",
    "s": "second",
    "sec": "second",
}
COUNT_LABELS: Final[dict[str, Callable[[int], str]]] = {
    "week": lambda count: ngettext("{count} week", "{count} weeks", count),
    "day": lambda count: ngettext("{count} day", "{count} days", count),
    "hour": lambda count: ngettext("{count} hour", "{count} hours", count),
    "minute": lambda count: ngettext("{count} minute", "{count} minutes", count),
    "second": lambda count: ngettext("{count} second", "{count} seconds", count),
    "bot": lambda count: ngettext("{count} bot", "{count} bots", count),
    "entrant": lambda count: ngettext("{count} entrant", "{count} entrants", count),
    "game": lambda count: ngettext("{count} game", "{count} games", count),
    "line": lambda count: ngettext("{count} line", "{count} lines", count),
    "match": lambda count: ngettext("{count} match", "{count} matches", count),
    "person": lambda count: ngettext("{count} person", "{count} people", count),
    "round": lambda count: ngettext("{count} round", "{count} rounds", count),
    "team": lambda count: ngettext("{count} team", "{count} teams", count),
}
# The text for a clock that ran out.
EXPIRY_LABELS: Final = {
    "forfeit": gettext_lazy("a player whose time runs out forfeits"),
    "random": gettext_lazy("if a player’s time runs out, a random move is played"),
    "built_in_bot": gettext_lazy("if a player’s time runs out, a built-in bot moves"),
}
ORDINALS: Final = {1: gettext_lazy("{n}st"), 2: gettext_lazy("{n}nd"), 3: gettext_lazy("{n}rd")}
RESULT_LABELS: Final = {
    "W": gettext_lazy("won"),
    "D": gettext_lazy("drew"),
    "L": gettext_lazy("lost"),
    "–": gettext_lazy("had a bye"),
    "+": gettext_lazy("won by walkover"),
    "0": gettext_lazy("absent"),
    "F": gettext_lazy("no-show"),
}
RESULT_LETTERS: Final = {
    "W": pgettext_lazy("a result in one letter", "W"),
    "D": pgettext_lazy("a result in one letter", "D"),
    "L": pgettext_lazy("a result in one letter", "L"),
    "F": pgettext_lazy("a result in one letter", "F"),
}


def number_label(number: int, noun: str) -> str:
    """Return a number with a noun of `COUNT_LABELS` in the reader's language: "1 match", "3 matches"."""
    return COUNT_LABELS[noun](number).format(count=number)


def duration_units(value: timedelta) -> list[tuple[int, str]]:
    """Return a duration in its two greatest units, such as (1, "day"), (4, "hour"); [] for none."""
    left = max(0, round(value.total_seconds()))
    parts = []
    for name, size in UNIT_SECONDS.items():
        count, left = divmod(left, size) if name != "week" else (0, left)
        if count:
            parts.append((count, name))
    return parts[:2]


def duration_label(value: timedelta) -> str:
    """Return a duration in the reader's language, such as "1 day 4 hours" or "40 seconds"."""
    return " ".join(number_label(count, name) for count, name in duration_units(value)) or _("no time")


def parse_duration(text: str) -> int:
    """Return the seconds of a duration such as "1 week", "20 min" or "1 day 12 hours", in English or in the reader's
    language. Raises ValueError."""
    words = text.strip().lower().replace(",", " ").replace(" and ", " ").replace(_(" and "), " ")
    units = _unit_words()
    names = "|".join(map(re.escape, sorted(units, key=len, reverse=True)))
    pattern = re.compile(rf"(\d{{1,9}})\s*({names})\b")
    if not words or pattern.sub("", words).strip():
        raise ValueError(text)
    return sum(int(number) * UNIT_SECONDS[units[unit]] for number, unit in pattern.findall(words))


def _unit_words() -> dict[str, str]:
    """Return the unit of each word for one: in English, and in the reader's language."""
    words = dict(SHORT_UNITS)
    for unit in UNIT_SECONDS:
        words |= {unit: unit, f"{unit}s": unit}
        words |= {COUNT_LABELS[unit](count).format(count="").strip().lower(): unit for count in (1, 2)}
    return words


def option_rows(kind: str, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (name, value) of the options of a game of `kind` as a page lists them."""
    named = labels_of_kind(kind)
    return [
        (named.get(name) or option_label(name), option_value_label(value, named)) for name, value in options.items()
    ]


def labels_of_kind(kind: str) -> dict[str, str]:
    """Return the labels of a kind's options and of their values, by name."""
    presentation = KINDS[kind].presentation
    return {name: _(text) for name, text in {**presentation.option_labels, **presentation.choice_labels}.items()}


def option_label(name: str) -> str:
    """Return the label of an option, such as "Turn limit"."""
    return name.replace("_", " ").capitalize()


def option_value_label(value: Any, named: Mapping[str, str] | None = None) -> str:
    """Return the label of an option's value, such as "yes", "2" or "highest score"."""
    if value is None or isinstance(value, bool):
        return _("yes") if value else _("no")
    return (named or {}).get(value) or str(value).replace("_", " ")


def time_control_text(terms: Mapping[str, Any]) -> str:
    """Return the time control, such as "30 s a move and a bank of 2 min; who runs out of time forfeits"."""
    limits = [(terms.get("move_days"), 86400), (terms.get("move_seconds"), 1)]
    parts = [
        _("{time} per move").format(time=duration_label(timedelta(seconds=count * unit)))
        for count, unit in limits
        if count
    ]
    if bank := terms.get("bank_seconds", 0):
        parts.append(_("a bank of {time}").format(time=duration_label(timedelta(seconds=bank))))
    if not parts:
        return _("none")
    time = _(" and ").join(parts) + playing_hours_text(terms)
    if days := terms.get("vacation_days", 0):
        template = ngettext(", plus {days} day of vacation a year", ", plus {days} days of vacation a year", days)
        time += template.format(days=days)
    return f"{time}; {EXPIRY_LABELS[terms.get('expiry', 'forfeit')]}"


def lateness_text(terms: Mapping[str, Any]) -> str:
    """Return how late spectators see a running game, such as "Shown 1 minute late"; "" for at once."""
    delay = terms.get("watch_delay", 0)
    return _("Shown {span} late").format(span=duration_label(timedelta(seconds=delay))) if delay else ""


def playing_hours_text(terms: Mapping[str, Any]) -> str:
    """Return when clocks run, such as ", from 8 to 22 o’clock (UTC)"; "" for always."""
    start, end = terms.get("playing_from", 0), terms.get("playing_to", 24)
    hours = [_("from {start} to {end} o’clock").format(start=start, end=end)] if (end - start) % 24 else []
    hours += [_("not on weekends")] if terms.get("weekend_pause") else []
    return f", {_(' and ').join(hours)} ({terms['zone']})" if hours else ""


def format_change(value: float) -> str:
    """Return a change as a whole number: "+18", "−4", "0"."""
    rounded = round(value)
    return "0" if rounded == 0 else f"{'+' if rounded > 0 else '−'}{abs(rounded)}"


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th … 11th."""
    form = None if number % 100 in (11, 12, 13) else ORDINALS.get(number % 10)
    return str(form or _("{n}th")).format(n=number)


def form_label(results: Iterable[str]) -> str:
    """Return the results W, D, L, – of a row in words for screen readers, such as "Won, drew, had a bye, lost"."""
    text = ", ".join(map(result_label, results))
    return text[:1].upper() + text[1:]


def result_label(result: str) -> str:
    """Return a result as won, drew, lost, rested, came 2nd, was away, or did not come."""
    if result in RESULT_LABELS:
        return str(RESULT_LABELS[result])
    return _("came {place}").format(place=ordinal(int(result.rstrip("="))))
