"""A person's coming matches, and what they can do about the times."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Prefetch, Q, QuerySet, prefetch_related_objects
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts import mygames
from games.common import clock
from games.common.prepared import prepared
from games.models import Player
from games.play.players import player_data
from scorebook_games.registry import KINDS
from tournaments.calendar.forms import TimesForm
from tournaments.calendar.models import Proposal, ProposalAnswer
from tournaments.calendar.scheduling import can_agree, entrant_played_by, history, proposal_state
from tournaments.clubs.permissions import may_organise
from tournaments.seasons.models import GOING_ON, Entrant, Match, MatchEntrant, TeamMember

TIMING_LABELS: dict[str, str | Promise] = {
    Match.Timing.OPEN: gettext_lazy("at any time the players choose"),
    Match.Timing.FIXED: gettext_lazy("set by the season’s calendar"),
    Match.Timing.FALLBACK: gettext_lazy("unless the players agree on another time"),
    Match.Timing.AGREED: gettext_lazy("agreed by the players"),
    Match.Timing.WALKOVER: gettext_lazy("at once, because a player has withdrawn"),
    Match.Timing.NIGHT: gettext_lazy("at night, because only bots play"),
}
PROPOSAL_LABELS: dict[str, str | Promise] = {
    "open": gettext_lazy("waiting for an answer"),
    "agreed": gettext_lazy("agreed"),
    "declined": gettext_lazy("declined"),
    "countered": gettext_lazy("replaced by another proposal"),
    "withdrawn": gettext_lazy("withdrawn"),
    "lapsed": gettext_lazy("expired"),
}


@dataclass(frozen=True, slots=True)
class UpcomingMatch:
    """A match of mine that is not open yet. `offered` is an open proposal; `mine`: it needs my answer."""

    match: Match
    title: str
    others: list[Player]
    offered: Proposal | None
    mine: bool

    @property
    def league(self) -> str:
        return str(self.match.round.division.season)


def upcoming_matches(player: Player | None) -> list[UpcomingMatch]:
    """Return the matches of `player` that are not open yet, the next first. Four queries."""
    found = list(_matches_ahead(player=player.pk if player else 0))
    if found:
        entrants = MatchEntrant.objects.select_related("entrant__player__bot_version")
        prefetch_related_objects(found, Prefetch("entrants", entrants), _waiting_proposals())
    return [_upcoming_match(match, player) for match in found]


@prepared
def _matches_ahead(*, player: int) -> QuerySet[Match]:
    in_team = TeamMember.objects.filter(player=player, order__isnull=False).values("entrant")
    mine = Entrant.objects.filter(Q(player=player) | Q(pk__in=in_team), status=Entrant.Status.IN)
    own_matches = Match.objects.filter(entrants__entrant__in=mine, opens_at__isnull=False)
    own_matches = own_matches.filter(round__division__season__status__in=GOING_ON)
    own_matches = own_matches.exclude(timing=Match.Timing.WALKOVER)
    return own_matches.select_related("round__division__season__league__club").order_by("begins_at", "pk")


def _waiting_proposals() -> Prefetch[str, QuerySet[Proposal], str]:
    """Prefetch open proposals as `waiting`."""
    open_now = Proposal.objects.filter(status=Proposal.Status.OPEN, answer_by__gt=clock.now()).select_related(
        "by__player"
    )
    return Prefetch("proposals", open_now.prefetch_related("answers"), to_attr="waiting")


def _upcoming_match(match: Match, player: Player | None) -> UpcomingMatch:
    sides = [side.entrant for side in match.entrants.all()]
    own_side = next((side for side in sides if player and side.player_id == player.pk), None)
    if own_side is None:
        own_side = next(side for side in sides if player and side.members.filter(player=player).exists())
    waiting: list[Proposal] = match.waiting  # type: ignore[attr-defined]  # of _waiting
    offered = waiting[0] if waiting else None
    answered = {answer.entrant_id for answer in offered.answers.all()} if offered else set()
    mine = offered is not None and offered.by_id != own_side.pk and own_side.pk not in answered
    if own_side.player.is_team:  # its captain answers
        mine = mine and own_side.members.filter(player=player, is_captain=True).exists()
    title = KINDS[match.round.division.season.kind].spec.title
    return UpcomingMatch(match, title, [side.player for side in sides if side is not own_side], offered, mine)


def list_upcoming_matches(sender: type[Player], player: Player, **_signal: Any) -> list[mygames.UpcomingGame]:  # noqa: ARG001
    """Receive `games.play.signals.looking_ahead`: list the coming matches of `player` with their games."""
    return [my_games_row(line) for line in upcoming_matches(player)]


def my_games_row(line: UpcomingMatch) -> mygames.UpcomingGame:
    """Return a match as a row of a person's games."""
    about = _("{league}, round {round}").format(league=line.league, round=line.match.round.number)
    act = _("Answer") if line.mine else _("View proposal") if line.offered else _("View time")
    return mygames.UpcomingGame(
        title=line.title,
        others=line.others,
        about=about,
        begins_at=line.match.begins_at,
        unless=_("unless you agree") if line.match.timing == Match.Timing.FALLBACK else "",
        url=reverse("match", args=[line.match.pk]) + "#times",
        act=act,
        wanted=line.mine,
    )


def upcoming_match_data(line: UpcomingMatch) -> dict[str, Any]:
    """`UpcomingMatch` as JSON data."""
    season = line.match.round.division.season
    return {
        "id": line.match.pk,
        "season": season.pk,
        "league": line.league,
        "kind": season.kind,
        "round": line.match.round.number,
        "others": [player_data(other) for other in line.others],
        "begins_at": line.match.begins_at,
        "how": line.match.timing,
        "closes_at": line.match.round.closes_at,
        "answer_wanted": line.mine,
    }


@dataclass(frozen=True, slots=True)
class ProposalLine:
    """A step in the search for a time, as a line."""

    at: datetime
    who: Player
    times: list[datetime]
    answer: bool
    state: str


@dataclass(frozen=True, slots=True)
class MatchTimes:
    """When a match is played, as `viewer` may know it. `own_entrant` is theirs. Proposals are shown to its players and
    organisers only."""

    match: Match
    own_entrant: Entrant | None
    open: bool
    may_read: bool
    offered: Proposal | None
    mine: bool
    proposals: list[ProposalLine]

    @property
    def how(self) -> str:
        return str(TIMING_LABELS[self.match.timing])

    @property
    def begins_at(self) -> datetime | None:
        """Return the match's time; None once it has passed, because then each game shows its own."""
        at = self.match.begins_at
        return at if at and (self.match.opens_at or at > clock.now()) else None

    @property
    def shown(self) -> bool:
        """Return whether there is anything to show."""
        return self.begins_at is not None or bool(self.proposals)


def match_times(match: Match, viewer: User | AnonymousUser) -> MatchTimes:
    """Return the time of `match`, its proposals, and what `viewer` can do."""
    own_entrant = entrant_played_by(match, viewer)
    may_read = own_entrant is not None or may_organise(viewer, match.round.division.season.league.club)
    past = history(match) if may_read else []
    offered = next((each for each in past if proposal_state(each) == Proposal.Status.OPEN), None)
    answered = {answer.entrant_id for answer in offered.answers.all()} if offered else set()
    return MatchTimes(
        match=match,
        own_entrant=own_entrant,
        open=own_entrant is not None and can_agree(match),
        may_read=may_read,
        offered=offered,
        mine=bool(offered and own_entrant and offered.by_id != own_entrant.pk and own_entrant.pk not in answered),
        proposals=[line for each in past for line in _proposal_lines(each)],
    )


def _proposal_lines(proposal: Proposal) -> list[ProposalLine]:
    state = str(PROPOSAL_LABELS[proposal_state(proposal)])
    first = ProposalLine(proposal.made_at, proposal.by.player, proposal.times, False, state)
    return [first, *[_answer_text(answer) for answer in proposal.answers.all()]]


def _answer_text(answer: ProposalAnswer) -> ProposalLine:
    return ProposalLine(answer.at, answer.entrant.player, answer.times, True, "")


def match_times_data(match: Match, viewer: User | AnonymousUser) -> dict[str, Any]:
    """`MatchTimes` as JSON data."""
    times = match_times(match, viewer)
    past = history(match) if times.may_read else []
    return {
        "begins_at": match.begins_at,
        "how": match.timing,
        "opens_at": match.round.opened_at,
        "closes_at": match.round.closes_at,
        "open": times.open,
        "proposals": [
            {
                "id": each.pk,
                "by": player_data(each.by.player),
                "times": each.times,
                "made_at": each.made_at,
                "answer_by": each.answer_by,
                "status": proposal_state(each),
                "chosen": each.chosen,
                "answers": [
                    {"by": player_data(answer.entrant.player), "times": answer.times, "at": answer.at}
                    for answer in each.answers.all()
                ],
            }
            for each in past
        ],
    }


def match_times_context(match: Match, viewer: User | AnonymousUser, form: TimesForm | None = None) -> dict[str, Any]:
    """Return the template context of the part of a match's page about its time. `form` is a rejected form."""
    return {"times": match_times(match, viewer), "times_form": form or TimesForm(), "times_tried": form is not None}
