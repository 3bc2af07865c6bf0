"""The ladder as pages and the API show it: places, open challenges, and places lost by refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.accounts import mygames
from games.accounts.notices import moment_text
from games.common.labels import ordinal
from games.common.prepared import prepared
from games.models import Player
from games.play.players import player_data
from scorebook_games.registry import KINDS
from tournaments.entries import ladder
from tournaments.formats.ladder import (
    REFUSAL_FREE,
    REFUSAL_NOT_ALLOWED,
    REFUSAL_TO_CHALLENGER,
    Ladder,
    entrants_in_play,
)
from tournaments.seasons.fold import DivisionState, Refusal, SeasonFold
from tournaments.seasons.models import GOING_ON, Division, Entrant, Season
from tournaments.seasons.pairing import format_of, unanswered_challenges
from tournaments.seasons.stream import challenge_formats, fold_season

ORDINAL_WORDS = {
    1: gettext_lazy("first"),
    2: gettext_lazy("second"),
    3: gettext_lazy("third"),
    4: gettext_lazy("fourth"),
    5: gettext_lazy("fifth"),
}
RichText = list["str | Player"]


@dataclass(frozen=True, slots=True)
class Rung:
    """A place of a ladder, as the viewer sees it.

    It says who stands there, whether they are in a match, and whom they have challenged. `answer_by` is the deadline of
    that answer; `accepted`: no answer is needed any more. For the viewer: whether they may challenge this entrant, must
    answer them, or have challenged them. `lost` is the last place that the entrant lost by refusing, in words.
    """

    place: int
    entrant: int
    player: Player
    playing: bool
    challenged: Player | None
    accepted: bool
    answer_by: datetime | None
    open_to_me: bool
    asks_me: bool
    asked_by_me: bool
    lost: RichText


def ladder_rows(folded: SeasonFold, division: Division, viewer: User | AnonymousUser | None = None) -> list[Rung]:
    """Return a division's ladder from the top, as `viewer` sees it; [] before the start and for other formats. One
    query."""
    if not isinstance(format_of(folded), Ladder) or folded.seed is None:
        return []
    division_state, players = folded.division(division.number), players_by_entrant(division)
    status = division.season.status
    mine = (_own_entrant(players, viewer) if status in GOING_ON else None) or 0
    rungs, playing = ladder.current_rungs(folded, division_state), entrants_in_play(division_state.results())
    may_ask = status == Season.Status.RUNNING and mine in rungs.order
    waiting, unanswered = dict(division_state.challenges), unanswered_challenges(folded, division_state)
    last = {refusal.challenged: refusal for refusal in division_state.refusals if refusal.to is not None}

    def rung(place: int, entrant: int) -> Rung:
        pair = (entrant, waiting.get(entrant, 0))
        waits, asked_by_me = pair in unanswered, waiting.get(mine) == entrant
        obstacle = ladder.challenge_obstacle(folded, division_state.number, mine, entrant, rungs) if may_ask else ""
        return Rung(
            place=place,
            entrant=entrant,
            player=players[entrant],
            playing=entrant in playing,
            challenged=players.get(pair[1]),
            accepted=not waits,
            answer_by=_expiry_time(division_state, pair) if waits else None,
            open_to_me=obstacle is None and not asked_by_me,
            asks_me=waits and pair[1] == mine,
            asked_by_me=asked_by_me,
            lost=lost_place_text(last[entrant], players) if entrant in last else [],
        )

    return [rung(place, entrant) for place, entrant in enumerate(rungs.order, start=1)]


def _expiry_time(division_state: DivisionState, pair: tuple[int, int]) -> datetime | None:
    end = division_state.until.get(pair)
    return None if end is None else datetime.fromtimestamp(end, UTC)


def _own_entrant(players: Mapping[int, Player], viewer: User | AnonymousUser | None) -> int | None:
    """Return which of these entrants the viewer is, or None."""
    own = getattr(viewer, "player", None)
    return next((entrant for entrant, player in players.items() if player == own), None)


def players_by_entrant(division: Division) -> Mapping[int, Player]:
    """Return entrant → player of a division. One query."""
    entrants = Entrant.objects.filter(division=division).select_related("player__bot_version")
    return {entrant.number: entrant.player for entrant in entrants}


# the cost of refusals, in words


def lost_place_text(refusal: Refusal, players: Mapping[int, Player]) -> RichText:
    """Describe a place lost by a refusal: “Lost place 4 to Otto by a second decline”."""
    assert refusal.to is not None, "It cost one place."
    before, _name, after = _("Lost place {place} to {name} by a {count} decline.").partition("{name}")
    figures = {"place": refusal.place, "count": ordinal_word(refusal.count)}
    return [before.format(**figures), players[refusal.to], after.format(**figures)]


def ordinal_word(number: int) -> str:
    """Return a number as a word: first, second …, 6th."""
    return str(ORDINAL_WORDS.get(number, ordinal(number)))


def lost_places(folded: SeasonFold, division: Division, entrant: int) -> list[RichText]:
    """Return the places that an entrant lost by refusing, latest last. One query, or none if there are none."""
    division_state = folded.division(division.number)
    lost = [refusal for refusal in division_state.refusals if refusal.challenged == entrant and refusal.to is not None]
    players = players_by_entrant(division) if lost else {}
    return [lost_place_text(each, players) for each in lost]


def refusal_rule_text(folded: SeasonFold) -> str:
    """Describe the season's rule about refusals in a sentence or two."""
    rules = ladder.season_ladder_settings(folded)
    if rules["refusal"] == REFUSAL_NOT_ALLOWED:
        return _("Challenges cannot be declined. Each is played as soon as both players are free.")
    first = _("The challenged player accepts or declines. A player who does not answer in time has declined.")
    if rules["refusal"] == REFUSAL_FREE:
        return first + " " + _("Declining costs nothing.")
    free = ngettext(
        "One decline within {days} days is free", "{n} declines within {days} days are free", rules["free_refusals"]
    )
    to = _("the challenger") if rules["refusal"] == REFUSAL_TO_CHALLENGER else _("the next player below")
    rest = _("each further decline costs the place, which goes to {to}.").format(to=to)
    if not rules["free_refusals"]:
        return first + " " + _("Each decline costs the place, which goes to {to}.").format(to=to)
    return f"{first} {free.format(days=rules['refusal_days'], n=rules['free_refusals'])}; {rest}"


def refusal_cost_for(season: Season, entrant: Entrant) -> str:
    """Describe the cost of a refusal now, for an entrant of `season`."""
    folded = fold_season(season)
    return refusal_cost_text(folded, folded.division(entrant.division.number), entrant.number)


def refusal_cost_text(folded: SeasonFold, division_state: DivisionState, entrant: int) -> str:
    """Describe the cost of a refusal now, for an entrant of a folded season."""
    rules = ladder.season_ladder_settings(folded)
    number = ladder.refusal_count(folded, division_state, entrant) + 1
    if rules["refusal"] == REFUSAL_FREE or number <= rules["free_refusals"]:
        return _("Declining costs nothing now.")
    place = ladder.current_rungs(folded, division_state).order.index(entrant) + 1
    return _("Declining costs you place {place}.").format(place=place)


# the challenges that wait for a person's answer


@dataclass(frozen=True, slots=True)
class ReceivedChallenge:
    """A challenge that waits for the answer of `entrant`: challenger, both places, deadline, and the `cost` of refusing
    it in words."""

    season: Season
    entrant: Entrant
    challenger: int
    player: Player
    place: int
    from_place: int
    answer_by: datetime | None
    cost: str

    @property
    def title(self) -> str:
        return str(KINDS[self.season.kind].spec.title)

    @property
    def about(self) -> str:
        """Describe the two places and the division."""
        sentence = _("{season}: place {low} challenges your place {high}.")
        text = sentence.format(season=self.season, low=self.from_place, high=self.place)
        if self.answer_by is None:
            return text
        return text + " " + _("Answer until {until}.").format(until=moment_text(self.answer_by))


def received_challenges(player: Player | None) -> list[ReceivedChallenge]:
    """Return the challenges that wait for `player`'s answer, in order of deadline. One query, and three for each
    ladder."""
    if player is None or player.is_bot:
        return []
    found = [
        challenge
        for entrant in _on_ladders(player=player.pk, formats=challenge_formats())
        for challenge in _entrant_challenges(entrant)
    ]
    never = datetime.max.replace(tzinfo=UTC)
    return sorted(found, key=lambda each: each.answer_by or never)


@prepared
def _on_ladders(*, player: int, formats: list[str]) -> QuerySet[Entrant]:
    on = Entrant.objects.filter(player=player, status=Entrant.Status.IN, season__format__in=formats)
    return on.filter(season__status__in=GOING_ON).select_related("season__league__club", "division")


def _entrant_challenges(entrant: Entrant) -> list[ReceivedChallenge]:
    folded = fold_season(entrant.season)
    division = folded.division(entrant.division.number)
    pairs = [pair for pair in unanswered_challenges(folded, division) if pair[1] == entrant.number]
    if not pairs:
        return []
    players, order = players_by_entrant(entrant.division), ladder.current_rungs(folded, division).order
    cost, place = refusal_cost_text(folded, division, entrant.number), order.index(entrant.number) + 1
    return [
        ReceivedChallenge(
            season=entrant.season,
            entrant=entrant,
            challenger=pair[0],
            player=players[pair[0]],
            place=place,
            from_place=order.index(pair[0]) + 1,
            answer_by=_expiry_time(division, pair),
            cost=cost,
        )
        for pair in pairs
    ]


def list_received_challenges(sender: type[Player], player: Player, **_signal: Any) -> list[mygames.UpcomingGame]:  # noqa: ARG001
    """Receive `games.play.signals.looking_ahead`: list the challenges to `player` with their games."""
    return [
        mygames.UpcomingGame(
            title=challenge.title,
            others=[challenge.player],
            about=challenge.about,
            begins_at=None,
            unless="",
            url=reverse("my-seasons") + "#asked",
            act=_("Answer"),
            wanted=True,
        )
        for challenge in received_challenges(player)
    ]


# as JSON data


def rung_data(rung: Rung) -> dict[str, Any]:
    """`Rung` as JSON data."""
    return {
        "place": rung.place,
        "entrant": rung.entrant,
        "player": player_data(rung.player),
        "playing": rung.playing,
        "challenged": player_data(rung.challenged) if rung.challenged else None,
        "accepted": rung.accepted if rung.challenged else None,
        "answer_by": rung.answer_by,
        "you_may_challenge": rung.open_to_me,
        "waits_for_you": rung.asks_me,
        "lost": "".join(part.name if isinstance(part, Player) else part for part in rung.lost),
    }


def received_challenge_data(asked: ReceivedChallenge) -> dict[str, Any]:
    """`ReceivedChallenge` as JSON data."""
    return {
        "season": asked.season.pk,
        "entrant": asked.challenger,
        "player": player_data(asked.player),
        "place": asked.from_place,
        "your_place": asked.place,
        "answer_by": asked.answer_by,
        "cost": asked.cost,
    }
