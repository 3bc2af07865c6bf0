"""Challenges of a ladder in the house: what may be asked, and what becomes of challenges that cannot be played."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _

from games import clock
from tournaments import events as ev
from tournaments import news
from tournaments.fold import FoldedDivision, SeasonFold
from tournaments.formats.ladder import Ladder, Rungs
from tournaments.formats.seeding import complete
from tournaments.models import Entrant, Season
from tournaments.stream import write

FORMAT: Final = "ladder"


def refusal(folded: SeasonFold, division: int, challenger: int, challenged: int) -> str | None:
    """Why the one may not challenge the other as the ladder stands, as a sentence; None if they may."""
    return _rungs(folded, folded.division(division)).refuses(challenger, challenged)


def until(folded: SeasonFold) -> int | None:
    """When a challenge that is made now runs out, in seconds since 1970."""
    days = complete(Ladder.options, folded.settings["format_options"])["runs_out"]
    return int((clock.now() + timedelta(days=days)).timestamp()) if days else None


def lapse(season: Season, folded: SeasonFold, own: FoldedDivision) -> int:
    """Take challenges off the list that have run out, or that cannot be played as the ladder stands; the season is
    held, `folded` goes on with it, and both sides are told. How many these were."""
    if season.format != FORMAT or not own.challenges:
        return 0
    now, rungs = clock.now(), _rungs(folded, own)
    gone = [pair for pair in own.challenges if _is_out(own, pair, now) or rungs.hopeless(*pair)]
    events = [ev.lapsed(own.number, *pair) for pair in gone]
    if events:
        version = write(season.stream, events, now)
        for event in events:
            folded.apply(event)
        sentence = _("A challenge of yours, or to you, in {season} has run out, or cannot be played any more.")
        sides = Entrant.objects.filter(season=season, number__in={number for pair in gone for number in pair})
        news.tell(list(sides.select_related("player")), f"lapsed:{version}", sentence.format(season=season))
    return len(gone)


def next_lapse(own: FoldedDivision) -> datetime | None:
    """When the first of the challenges that wait runs out."""
    ends = [end for pair in own.challenges if (end := own.until.get(pair)) is not None]
    return datetime.fromtimestamp(min(ends), UTC) if ends else None


def _is_out(own: FoldedDivision, pair: tuple[int, int], now: datetime) -> bool:
    end = own.until.get(pair)
    return end is not None and now.timestamp() >= end


def _rungs(folded: SeasonFold, own: FoldedDivision) -> Rungs:
    return Ladder().rungs(sorted(own.entrants), own.results(), folded.format_options(own))
