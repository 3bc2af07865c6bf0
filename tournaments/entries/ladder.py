"""The rules of ladder challenges: who may challenge whom, the cost of refusals, and challenges that cannot be
played."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from games.common import clock
from scorebook_games.presentation.coded_text import Sentence
from tournaments.activity import notifications as season_notifications
from tournaments.activity import subjects
from tournaments.formats.ladder import (
    REFUSAL_FREE,
    REFUSAL_NOT_ALLOWED,
    REFUSAL_TO_CHALLENGER,
    Ladder,
    Rungs,
    ladder_settings,
)
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.challenges import ChallengeLapsed, ChallengeRefused
from tournaments.seasons.fold import DivisionState, SeasonFold
from tournaments.seasons.models import Entrant, Season
from tournaments.seasons.pairing import format_options, unanswered_challenges

EndedChallenge = ChallengeLapsed | ChallengeRefused
DECLINED, UNANSWERED = "declined", "unanswered"


def season_ladder_settings(folded: SeasonFold) -> dict[str, Any]:
    """Return the ladder's settings with all defaults."""
    return ladder_settings(folded.settings["format_options"])


def needs_acceptance(folded: SeasonFold) -> bool:
    """Return whether a challenge must be accepted before it is paired."""
    return bool(season_ladder_settings(folded)["refusal"] != REFUSAL_NOT_ALLOWED)


def challenge_obstacle(
    folded: SeasonFold, division: int, challenger: int, challenged: int, rungs: Rungs | None = None
) -> str | None:
    """Return why `challenger` may not challenge `challenged` at present, as a sentence; None if they may.

    `rungs` saves computing the division's ladder again.
    """
    division_state = folded.division(division)
    if why := (rungs or current_rungs(folded, division_state)).refuses(challenger, challenged):
        return why
    days = season_ladder_settings(folded)["ask_again"]
    since = (clock.now() - timedelta(days=days)).timestamp()
    refused = [
        refusal.at
        for refusal in division_state.refusals
        if (refusal.challenger, refusal.challenged) == (challenger, challenged)
    ]
    if refused and max(refused) > since:
        return _("This player declined your challenge less than {days} days ago. Choose another opponent.").format(
            days=days
        )
    return None


def challenge_expires_at(folded: SeasonFold) -> int | None:
    """Return when a challenge made now expires, in seconds since 1970."""
    days = season_ladder_settings(folded)["runs_out"]
    return int((clock.now() + timedelta(days=days)).timestamp()) if days else None


def refusal_count(folded: SeasonFold, division_state: DivisionState, entrant: int) -> int:
    """Return how many refusals of an entrant count at present."""
    since = (clock.now() - timedelta(days=season_ladder_settings(folded)["refusal_days"])).timestamp()
    return sum(refusal.challenged == entrant and refusal.at > since for refusal in division_state.refusals)


def refusal_event(
    folded: SeasonFold, division_state: DivisionState, pair: tuple[int, int], how: str, note: list[Any] | None = None
) -> ChallengeRefused:
    """Return the event of a challenge that is refused now, with its cost."""
    settings, rungs, (challenger, challenged) = (
        season_ladder_settings(folded),
        current_rungs(folded, division_state),
        pair,
    )
    number, place, to = refusal_count(folded, division_state, challenged) + 1, None, None
    if settings["refusal"] != REFUSAL_FREE and number > settings["free_refusals"]:
        place = rungs.order.index(challenged) + 1
        to = challenger if settings["refusal"] == REFUSAL_TO_CHALLENGER else rungs.next_below(challenged)
    cost = {"how": how, "at": int(clock.now().timestamp()), "count": number, "place": place, "to": to, "note": note}
    return ChallengeRefused(division_state.number, challenger, challenged, cost)


def lapse_challenges(season: SeasonAggregate, division_state: DivisionState) -> list[EndedChallenge]:
    """Remove challenges that have expired or can no longer be played; return the events. The caller notifies both
    sides."""
    now = clock.now()
    events: list[EndedChallenge] = []
    for pair in list(division_state.challenges):
        if (event := _ending_event(season.state, division_state, pair, now)) is not None:
            season.record(event)
            events.append(event)
    return events


def _ending_event(
    folded: SeasonFold, division_state: DivisionState, pair: tuple[int, int], now: datetime
) -> EndedChallenge | None:
    """Return the event that ends a challenge now, or None. A challenge that could have been played and got no answer is
    refused."""
    rungs = current_rungs(folded, division_state)
    if rungs.hopeless(*pair):
        return ChallengeLapsed(division_state.number, *pair)
    if not _has_expired(division_state, pair, now):
        return None
    unanswered = pair in unanswered_challenges(folded, division_state) and rungs.refuses(*pair) is None
    return (
        refusal_event(folded, division_state, pair, UNANSWERED)
        if unanswered
        else ChallengeLapsed(division_state.number, *pair)
    )


def notify_challengers(season: Season, events: Collection[EndedChallenge], version: int) -> None:
    """Notify both sides of challenges that ended without a match. `version` is that of the stream after `events`."""
    numbers = {number for event in events for number in (event.challenger, event.challenged)}
    found = Entrant.objects.filter(season=season, number__in=numbers).select_related("player__bot_version__bot")
    entrants = {entrant.number: entrant for entrant in found}
    for place, event in enumerate(events):
        notified = zip((event.challenger, event.challenged), _sentences(str(season), event), strict=True)
        withdraw_notice(event.challenger, entrants[event.challenged])
        for number, sentences in notified:
            season_notifications.notify_entrants([entrants[number]], f"{event.type}:{version}:{place}", *sentences)


def challenge_key(challenger: int) -> str:
    """Return the key of the notice to a player whom the entrant with this number challenges."""
    return f"challenged:{challenger}"


def withdraw_notice(challenger: int, challenged: Entrant) -> None:
    """Withdraw the notice of a challenge that is answered or over."""
    season_notifications.withdraw_from_entrant(challenged, challenge_key(challenger))


def _sentences(season: str, event: EndedChallenge) -> tuple[list[Sentence], list[Sentence]]:
    """Return what the challenger reads, and who was challenged."""
    if isinstance(event, ChallengeLapsed):
        return [subjects.challenge_lapsed(season)], [subjects.challenge_lapsed(season)]
    cost = event.details
    if cost["how"] == DECLINED:
        first = [subjects.challenge_declined(season)]
        second = [subjects.refused_challenge(season, cost["count"])]
    else:
        first = [subjects.challenge_unanswered(season)]
        second = [subjects.left_challenge_unanswered(season, cost["count"])]
    if cost["to"] is None:
        return first, [*second, subjects.refusal_is_free()]
    if cost["to"] == event.challenger:
        first.append(subjects.refusal_won_place(cost["place"]))
    return first, [*second, subjects.refusal_cost_place(cost["place"])]


def _has_expired(division_state: DivisionState, pair: tuple[int, int], now: datetime) -> bool:
    end = division_state.until.get(pair)
    return end is not None and now.timestamp() >= end


def current_rungs(folded: SeasonFold, division_state: DivisionState) -> Rungs:
    """Return the division's ladder as it stands."""
    return Ladder().rungs(
        sorted(division_state.entrants), division_state.results(), format_options(folded, division_state)
    )
