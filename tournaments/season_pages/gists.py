"""What each part of the form of a season says, in one line: a folded part shows it."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.common import labels
from scorebook_games.registry import KINDS
from tournaments.formats import FORMATS
from tournaments.scoring.tie_breaks import tie_break_name
from tournaments.seasons import labels as league_labels
from tournaments.seasons.schedule import (
    BOTS_AT_ONCE,
    MEET_AGREED,
    RULE_DATES,
    RULE_WEEKDAYS,
    SECONDS_PER_DAY,
    SECONDS_PER_WEEK,
    CalendarRule,
    parse_calendar,
)
from tournaments.seasons.setting import declared
from tournaments.seasons.settings import BOTS_ONLY, MAX_ROUNDS, EntryPolicy, SeasonPolicies, SeasonSettings
from tournaments.seasons.week_words import in_own_words, interval_text


def gists_of(agreed: SeasonSettings, entered: int, *, repeats: bool) -> dict[str, str]:
    """Return part of the form → its gist in the reader's language. `entered` is the number of chosen entrants;
    `repeats`: another season follows."""
    calendar = [calendar_gist(parse_calendar(agreed.calendar), only_bots=agreed.entry.players == BOTS_ONLY)]
    calendar += [league_labels.repeat_text(agreed.entry.players, agreed.calendar)] if repeats else []
    return {
        "options": options_gist(agreed),
        "entrants": entrants_gist(agreed, entered),
        "format": format_gist(agreed),
        "calendar": ", ".join(calendar),
        "fair": policies_gist(agreed),
        "terms": labels.time_control_text(agreed.terms),
    }


def options_gist(agreed: SeasonSettings) -> str:
    """Return the options of the game that are not the usual ones."""
    usual = KINDS[agreed.kind].rules.resolve(agreed.table_size, {})
    changed = {name: value for name, value in agreed.options.items() if usual.get(name) != value}
    rows = labels.option_rows(agreed.kind, changed)
    return ", ".join(f"{name}: {value}" for name, value in rows) or _("the usual rules")


def entrants_gist(agreed: SeasonSettings, entered: int) -> str:
    """Return who may enter, how many, and how many have been chosen."""
    entry, usual = agreed.entry, EntryPolicy()
    changed = [
        f"{setting.label}: {setting.text(getattr(entry, name))}"
        for name, setting in declared(EntryPolicy).items()
        if name not in ("players", "max_entrants", "late_rounds") and getattr(entry, name) != getattr(usual, name)
    ]
    places = ngettext("{n} place", "{n} places", entry.max_entrants or 0).format(n=entry.max_entrants)
    chosen = ngettext("{n} chosen so far", "{n} chosen so far", entered).format(n=entered)
    parts = [declared(EntryPolicy)["players"].text(entry.players), *([places] if entry.max_entrants else []), *changed]
    parts += [late_entry_text(entry.late_rounds)] if entry.late_rounds else []
    return ", ".join([*parts, *([chosen] if entered else [])])


def late_entry_text(rounds: int) -> str:
    """Return until when players may enter a running season."""
    return _("entry at any time") if rounds == MAX_ROUNDS else _("late entry until round {n}").format(n=rounds)


def format_gist(agreed: SeasonSettings) -> str:
    """Return the format, its number of rounds, the games of a match, and the number of divisions."""
    rounds, games, tiers = agreed.format_options.get("rounds"), agreed.games_a_match, len(agreed.divisions)
    parts = [league_labels.format_label(agreed.format)]
    parts += [ngettext("{n} round", "{n} rounds", rounds).format(n=rounds)] if rounds else []
    parts += [ngettext("{n} game per match", "{n} games per match", games).format(n=games)]
    parts += [ngettext("{n} division", "{n} divisions", tiers).format(n=tiers)] if tiers > 1 else []
    return ", ".join(parts)


def calendar_gist(calendar: CalendarRule, *, only_bots: bool) -> str:
    """Return when rounds open, and when matches begin if that is another time."""
    if only_bots and calendar.bots == BOTS_AT_ONCE:
        return _("then each round follows the one before at once")
    if calendar.rule == RULE_WEEKDAYS:
        opens = _("rounds on {times}").format(times=", ".join(in_own_words(str(time)) for time in calendar.times))
    elif calendar.rule == RULE_DATES:
        count = len(calendar.dates)
        opens = ngettext("a round on {n} listed date", "rounds on {n} listed dates", count).format(n=count)
    else:
        once = {SECONDS_PER_DAY: _("a round every day"), SECONDS_PER_WEEK: _("a round every week")}
        every = _("a round every {interval}").format(interval=interval_text(calendar.seconds))
        opens = once.get(calendar.seconds, every)
    agreed = [_("matches when the players agree")] if calendar.match_time == MEET_AGREED else []
    at_once = [_("bots play as fast as possible")] if calendar.bots == BOTS_AT_ONCE else []
    return ", ".join([opens, *agreed, *at_once])


def policies_gist(agreed: SeasonSettings) -> str:
    """Return the rules about problems, and the tie-breaks, that are not the usual ones."""
    usual = SeasonPolicies()
    changed = [
        f"{setting.label}: {setting.text(getattr(agreed, name))}"
        for name, setting in declared(SeasonPolicies).items()
        if getattr(agreed, name) != getattr(usual, name) and setting.group == "policies"
    ]
    if tuple(agreed.tie_breaks) != FORMATS[agreed.format].usual_tie_breaks:
        changed.append("{}: {}".format(_("Tie-breaks"), ", ".join(map(tie_break_name, agreed.tie_breaks))))
    return ", ".join(changed) or _("the usual rules")
