"""Labels for seasons: formats, points, terms, and figures with ½, − and –."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.labels import duration_label, option_label, option_value_label, ordinal, time_control_text
from scorebook_games.presentation.text import join_with_and
from scorebook_games.registry import KINDS
from tournaments.formats import FORMATS
from tournaments.scoring.points import format_number
from tournaments.scoring.tie_breaks import TIE_BREAKS, tie_break_label
from tournaments.seasons.schedule import BOTS_AT_ONCE, RULE_WEEKDAYS, parse_calendar
from tournaments.seasons.setting import declared
from tournaments.seasons.settings import (
    BOTS_ONLY,
    FORFEIT_UNPLAYED,
    LUCK_HIDDEN,
    VOID_BELOW_HALF,
    EntryPolicy,
    SeasonPolicies,
)
from tournaments.seasons.week_words import in_own_words

POINTS_SYSTEM_LABELS = {
    "match_points": gettext_lazy("Points for each match, by the places in it"),
    "game_wins": gettext_lazy("Points for each game won"),
    "placing": gettext_lazy("Points for each game, by the places in it"),
    "score": gettext_lazy("Points for the score of each game"),
}
LEAVER_LABELS = {
    "built_in_bot": gettext_lazy("a built-in bot plays on"),
    "random": gettext_lazy("random legal moves are played"),
    "end": gettext_lazy("the game ends with the present scores"),
}
NO_SHOW_LABELS = {
    "forfeit": gettext_lazy("an absent player forfeits"),
    "built_in_bot": gettext_lazy("a built-in bot plays for an absent player"),
}


@lru_cache(maxsize=4096)  # a page has hundreds of figures, mostly small ones
def format_points(value: float | int | Fraction | None) -> str:
    """Return a figure as 3½, −12 or 0; “–” for None."""
    if value is None:
        return "–"
    return format_number(Fraction(value).limit_denominator(12))


def pool_label(pool: str) -> str:
    """Return who is rated in the pool, or by which games."""
    labels = {
        "people": _("people"),
        "bots": _("bots"),
        "mixed": _("people and bots together"),
        "casual": _("casual games"),
    }
    return labels.get(pool, pool)


def points_system_text(points: Mapping[str, Any]) -> str:
    """Return the points system as a sentence, such as “Points for each match, by the places in it: 1 for the first
    …”."""
    if points["system"] == "score":
        sentence = _("{system}, times {worth}. A bye scores the entrant’s average per match.")
        return sentence.format(system=POINTS_SYSTEM_LABELS["score"], worth=format_points(points["scale"][0]))
    worths = [
        _("{points} for the {place}").format(points=format_points(worth), place=ordinal(place))
        for place, worth in enumerate(points["scale"], 1)
        if worth
    ]
    return _("{system}: {worths}. Tied players split the points. A bye counts {bye} for the whole match.").format(
        system=POINTS_SYSTEM_LABELS[points["system"]],
        worths=join_with_and(worths),
        bye=format_points(points.get("bye", 0)),
    )


def format_label(name: str) -> str:
    """Return a format's name in the reader's language."""
    return _(FORMATS[name].label)


def why_unplayable(settings: Mapping[str, Any]) -> str:
    """Return which packages a season's settings need that are not installed, as a sentence; "" if none is missing."""
    missing = [
        *([] if settings["kind"] in KINDS else [_("the kind of game {name}").format(name=settings["kind"])]),
        *([] if settings["format"] in FORMATS else [_("the format {name}").format(name=settings["format"])]),
        *(_("the tie-break {name}").format(name=name) for name in settings["tie_breaks"] if name not in TIE_BREAKS),
    ]
    sentence = _(
        "The season waits, because {missing} cannot be used here at present. Nothing is lost. It goes on as soon as an "
        "admin has installed the package again."
    )
    return sentence.format(missing=join_with_and(missing)) if missing else ""


def format_option_labels(name: str) -> dict[str, str]:
    """Return the labels of a format's options and of their values, in the reader's language."""
    return {option: _(label) for option, label in FORMATS[name].option_labels.items()}


def places_by(name: str) -> str:
    """Return what decides the places in a format in which points do not; "" where they do."""
    sentence = FORMATS[name].places_by
    return _(sentence) if sentence else ""


def format_option_rows(name: str, settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (name, value) of a format's options for a page, except the number of rounds, which is shown elsewhere."""
    labels = format_option_labels(name)
    return [
        (labels.get(option) or option_label(option), labels.get(str(value)) or option_value_label(value))
        for option, value in settings.items()
        if option != "rounds"
    ]


def removes_results(settings: Mapping[str, Any]) -> bool:
    """Return whether the season removes the results of somebody who withdraws early. In other formats they stand,
    whatever the setting."""
    return settings["withdrawals"] == VOID_BELOW_HALF and FORMATS[settings["format"]].everybody_meets


def policy_rows(settings: Mapping[str, Any], table_size: int) -> list[tuple[str, str]]:
    """Return (name, value) of the rules about entry and problems, for a page; without those that ask for nothing."""
    entry = settings["entry"]
    texts = {
        "rating_min": _rating_limits(entry["rating_min"], entry["rating_max"]),
        "withdrawals": _withdrawal_text(settings),
        "luck": _luck_text(settings),
        "paid_absences": "" if (paid := settings.get("paid_absences")) is None else str(paid),
        **({"short_tables": ""} if table_size == 2 else {}),
    }
    rows = [
        (str(setting.label if setting.title is None else setting.title), texts.get(name, setting.text(given.get(name))))
        for of, given in ((EntryPolicy, entry), (SeasonPolicies, settings))
        for name, setting in declared(of).items()
    ]
    return [(name, value) for name, value in rows if name and value]


def _rating_limits(low: int | None, high: int | None) -> str:
    if low is None and high is None:
        return ""
    return _("{low} to {high}").format(low=low or 0, high="…" if high is None else high)


def _withdrawal_text(settings: Mapping[str, Any]) -> str:
    holds = VOID_BELOW_HALF if removes_results(settings) else FORFEIT_UNPLAYED
    return declared(SeasonPolicies)["withdrawals"].text(holds)


def _luck_text(settings: Mapping[str, Any]) -> str:
    """Return how luck is shown, with the hash of its value function; "" if it is not."""
    shown = settings.get("luck", LUCK_HIDDEN)
    if shown == LUCK_HIDDEN:
        return ""
    text = declared(SeasonPolicies)["luck"].text(shown)
    return _("{shown}; value function {hash}").format(shown=text, hash=settings["value_hash"])


def tie_breaks_text(names: Sequence[str]) -> str:
    """Return the tie-breaks in their order."""
    return ", ".join(map(tie_break_label, names))


def check_in_text(terms: Mapping[str, Any]) -> str:
    """Return the time for checking in, as “from 30 minutes before a game until 10 minutes after its start; …”; ""
    without check-in."""
    if not terms.get("check_in_minutes"):
        return ""
    before, after = (duration_label(timedelta(minutes=terms[name])) for name in ("check_in_minutes", "grace_minutes"))
    return _("from {before} before a game until {after} after its start; {no_show}").format(
        before=before, after=after, no_show=NO_SHOW_LABELS[terms["no_show"]]
    )


# Labels of paces; none for the usual one.
PACE_LABELS = {
    "turns": "",
    "beats": gettext_lazy(
        "all at once (beats): all players choose their moves in secret, then a random order is drawn"
    ),
    "live": gettext_lazy("live: moves count in the order they arrive"),
}


def repeat_text(players: str, calendar: Mapping[str, Any]) -> str:
    """Return when another season follows one that repeats, of which these `players` may be; its `calendar` as in a
    season's settings. Those of bots that are played at once begin at the next of their times of the week."""
    rule = parse_calendar(calendar)
    if players == BOTS_ONLY and rule.bots == BOTS_AT_ONCE and rule.rule == RULE_WEEKDAYS:
        times = ", ".join(in_own_words(str(time)) for time in rule.times)
        return _("another season each {times}, with all who stay").format(times=times)
    return _("another season when this one is over, with all who stay")


def game_term_rows(terms: Mapping[str, Any], seats: int) -> list[tuple[str, str]]:
    """Return (name, value) of the terms of games with so many seats, for a page."""
    delay, pace = terms.get("watch_delay", 0), terms.get("bot_pace_ms", 0)
    order = str(PACE_LABELS[terms.get("pace", "turns")])
    later = _("{span} after the players").format(span=duration_label(timedelta(seconds=delay))) if delay else _("live")
    check_in = check_in_text(terms)
    bots = _("{seconds} s per move, so that people can follow").format(seconds=f"{pace / 1000:g}") if pace else ""
    leaver = terms.get("leaver", "built_in_bot") if seats > 2 else "end"
    listed_terms = [
        (_("Move order"), order),
        (_("Clock"), time_control_text(terms)),
        (_("Check-in"), check_in),
        (_("When a player leaves"), str(LEAVER_LABELS[leaver])),
        (_("Spectators see the game"), later),
        (_("Results"), _("secret until all games of the deal are over") if terms.get("sealed") else ""),
        (_("Ratings"), _("change when the round closes") if terms.get("rated", True) else _("do not change")),
        (_("Pace of built-in bots"), bots),
    ]
    return [(name, value) for name, value in listed_terms if value]
