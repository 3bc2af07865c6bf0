"""The page of a match, and the forms by which its players agree on a time."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from games.accounts.templatetags.players import full_name
from games.common import labels
from games.common.page_cache import cached_page
from games.common.policy import policy
from games.common.prepared import first_row, prepared
from games.common.refusals import as_message
from games.models import Player
from games.visibility import observe
from games.workers import waiting_reasons
from scorebook_games.placings import winners
from scorebook_games.registry import KINDS
from tournaments.calendar import scheduling
from tournaments.calendar import upcoming as dates
from tournaments.calendar.forms import TimesForm
from tournaments.calendar.models import Proposal
from tournaments.clubs.permissions import may_organise
from tournaments.core.results import seating_of_game
from tournaments.matches import duplicate
from tournaments.matches.boards import team_boards
from tournaments.matches.rows import (
    GameRow,
    MatchRow,
    game_row,
    game_status_mark,
    live_game_rows,
    match_row,
    matches_with_games,
)
from tournaments.ratings.models import RatingChange
from tournaments.ratings.page_versions import pool_key
from tournaments.rulings import disputes
from tournaments.seasons import labels as league_labels
from tournaments.seasons.models import (
    ImportedGame,
    Match,
    MatchEntrant,
    MatchGame,
    Round,
    Season,
)
from tournaments.seasons.page_versions import season_with
from tournaments.standings import what_if_views
from tournaments.teams import selectors

BITS_OF_AN_ID: Final = 64  # of a number that PostgreSQL has as an id, with its sign


@dataclass(frozen=True, slots=True)
class MatchSide:
    """An entrant of a match: the score so far, and how the match changed the rating."""

    entrant: MatchEntrant
    score: Any
    rating: float | None
    change: float


@dataclass(frozen=True, slots=True)
class MatchGameRow:
    """A game of a match with its seats in the order of the match's entrants; `first` moved first."""

    number: int
    line: GameRow
    first: Player
    seats: list[Any]
    ruling: str = ""
    places: list[tuple[int, Player, int | None]] = field(default_factory=list)
    latest: bool = True

    @property
    def score(self) -> str:
        return "–".join(league_labels.format_points(seat.score) for seat in self.seats)


def match_version(request: HttpRequest, match_id: int, times_form: TimesForm | None = None) -> Hashable:
    """Return the version of the page of a finished match; None for any other. Three queries."""
    season = first_row(_season_of_finished(match=match_id)) if match_id.bit_length() < BITS_OF_AN_ID else None
    if season is None or times_form is not None:
        return None
    found = season_with(season, "calendar_proposal", "calendar_proposalanswer")
    return found and (found.key, pool_key(found.kind, found.pool))


@prepared
def _season_of_finished(*, match: int) -> QuerySet[Match, int]:
    finished = Match.objects.filter(pk=match).exclude(finished_at=None)
    return finished.values_list("round__division__season", flat=True)[:1]


@policy(visible_in_impersonation=True)
@cached_page(match_version)
def match_page(request: HttpRequest, match_id: int, times_form: TimesForm | None = None) -> HttpResponse:
    """Show a match: its entrants, its games with seats and scores, its rulings and times."""
    match = get_object_or_404(matches_with_games(), pk=match_id)
    line = match_row(match)
    season = match.round.division.season
    context = {
        "nav": "clubs",
        "line": line,
        "names": " – ".join(full_name(player) for player in line.players),
        "match": match,
        "season": season,
        "spec": KINDS[season.kind].spec,
        "sides": match_sides(line, season),
        "games": [match_game_row(line, game) for game in line.games],
        "live": live_game(line),
        **boards_context(request, line),
        "imported": [imported_game_row(line, each) for each in line.imported],
        "same_cards": duplicate.duplicate_deals(line),
        "waits": next((waiting_reasons.why_waits(game.game) for game in line.games if game.game.sandboxed), ""),
        "terms": league_labels.game_term_rows(season.terms, season.table_size),
        "options": labels.option_rows(season.kind, season.options),
        **ruling_context(request, match),
    }
    if request.GET.get("part") == "match":
        return render(request, "match_pages/parts/match.html", context)
    context |= dates.match_times_context(match, request.user, times_form)
    context["outlook"] = what_if_views.match_outlook(match, line.entrants)
    return render(request, "match_pages/match.html", context, status=400 if times_form else 200)


def live_game(line: MatchRow) -> GameRow | None:
    """Return the first game of a match that everybody may watch now, with its board; None if there is none."""
    playing = [
        game.game
        for game in line.games
        if game_status_mark(game.game).mark == "live" and not observe.is_sealed(game.game)
    ]
    return live_game_rows(playing[:1])[0] if playing else None


def boards_context(request: HttpRequest, line: MatchRow) -> dict[str, Any]:
    """Return the boards of a match of teams, which teams have handed in their line-ups, and whether the viewer names
    one; {} in other seasons."""
    match = line.match
    season = match.round.division.season
    if not season.competition.by_teams:
        return {}
    sheet = team_boards(season, [match.pk]).get(match.pk)
    return {
        "by_teams": True,
        "boards": sheet,
        "lineups_in": selectors.handed_in(match),
        "names_lineup": match.lineups_due is not None and selectors.led_team(match, request.user) is not None,
    }


def ruling_context(request: HttpRequest, match: Match) -> dict[str, Any]:
    """Return what the viewer may do about a match's result, and the open disputes that the viewer may see."""
    organises = may_organise(request.user, match.round.division.season.league.club)
    mine = disputes.playing_entrant(match, request.user)
    waiting = match.disputes.filter(status="open").select_related("entrant__player__bot_version", "note")
    seen = [each for each in waiting if organises or each.entrant == mine] if organises or mine else []
    return {
        "undone": match.round.status == Round.Status.UNDONE,
        "organises": organises,
        "may_dispute": mine is not None
        and disputes.has_result(match)
        and not any(each.entrant == mine for each in seen),
        "disputed": seen,
    }


def match_sides(line: MatchRow, season: Season) -> list[MatchSide]:
    """Return the entrants of a match with the changes of their ratings. One query."""
    changes = RatingChange.objects.filter(
        pool__kind=season.kind, pool__pool=season.pool, game__in=[game.game_id for game in line.games]
    ).order_by("position")
    moved: dict[int, list[RatingChange]] = {}
    for change in changes:
        moved.setdefault(change.player_id, []).append(change)
    return [
        MatchSide(
            entrant=entrant,
            score=score,
            rating=own[-1].after if (own := moved.get(entrant.entrant.player_id, [])) else None,
            change=sum(change.after - change.before for change in own),
        )
        for entrant, score in zip(line.entrants, line.scores, strict=True)
    ]


def match_game_row(line: MatchRow, played: MatchGame) -> MatchGameRow:
    """Return the row of a game in its match's table."""
    row = game_row(played.game)
    order = seating_of_game(range(len(row.seats)), played.number)  # seat → place in the match
    seats = [row.seats[order.index(place)] for place in range(len(line.entrants))]
    latest = not any(other.number == played.number and other.replay > played.replay for other in line.games)
    placings = (played.result or {}).get("placings", [])
    scores = (played.result or {}).get("scores", [])
    shown = scores if any(scores) else [None] * len(scores)
    placed = zip(placings, (seat.player for seat in row.seats), shown, strict=False)
    there = [seat.player for seat in seats]
    places = sorted((each for each in placed if each[1] in there), key=lambda each: each[0])
    return MatchGameRow(played.number, row, row.seats[0].player, seats, played.ruling, places, latest)


@dataclass(frozen=True, slots=True)
class ImportedGameRow:
    """A game that was imported: the scores in the order of the match's entrants, who moved first, and the ruling."""

    number: int
    ruling: str
    scores: list[int | None]
    winners: list[Player]
    first: Player | None
    finished_at: datetime | None

    @property
    def score(self) -> str:
        return "–".join(league_labels.format_points(score) for score in self.scores if score is not None)


def imported_game_row(line: MatchRow, played: ImportedGame) -> ImportedGameRow:
    """Return the row of an imported game."""
    players = {entrant.entrant.number: entrant.entrant.player for entrant in line.entrants}
    result, counts = played.result, played.counts or {}
    scores = dict(zip(result["seats"], counts.get("scores", []), strict=False))
    first = [result["seats"][seat] for seat in winners(counts.get("placings") or [])]
    moment = result["finished"]
    return ImportedGameRow(
        number=played.number,
        ruling=played.ruling,
        scores=[scores.get(number) for number in players],
        winners=[players[number] for number in first if number in players],
        first=players.get(result["seats"][0]),
        finished_at=datetime.fromtimestamp(moment, UTC) if moment is not None else None,
    )


@login_required
@require_POST
def match_times_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """Propose, accept, decline or withdraw a time, then show the match and a message."""
    match = get_object_or_404(Match, pk=match_id)
    form = TimesForm(request.POST)
    action = request.POST.get("do", "")
    if action == "propose" and not form.is_valid():
        return match_page(request, match.pk, form)
    with as_message(request, passing=["not_in_match"]):
        done = answer_times(request, match, action, form)
        match.refresh_from_db()
        messages.success(request, " ".join(filter(None, [done, scheduling.clash_warning(match, request.user)])))
    return redirect(f"{reverse('match', args=[match.pk])}#times")


def answer_times(request: HttpRequest, match: Match, what: str, form: TimesForm) -> str:
    """Carry out the action `what`; return a sentence about it. Raises `DomainError` and Http404."""
    if what == "propose":
        made = scheduling.propose(match=match, user=request.user, times=form.times())
        return _("The time is fixed.") if made.chosen else _("Your proposal was sent to the others.")
    number = request.POST.get("proposal", "")
    if not (number.isdecimal() and len(number) < 19):
        raise Http404(_("There is no such proposal."))
    proposal = get_object_or_404(Proposal, pk=int(number), match=match)
    if what == "accept":
        done = scheduling.accept_proposal(proposal=proposal, user=request.user, times=chosen_times(request))
        return (
            _("The time is fixed.")
            if done.chosen
            else _("Your answer is saved. The time is fixed when all have accepted.")
        )
    if what == "decline":
        scheduling.decline_proposal(proposal=proposal, user=request.user)
        return _("You have declined. Propose another time, or the present one remains.")
    if what == "withdraw":
        scheduling.withdraw_proposal(proposal=proposal, user=request.user)
        return _("Your proposal is withdrawn.")
    raise Http404(_("There is no such action."))


def chosen_times(request: HttpRequest) -> list[datetime]:
    """Return the proposed times that were ticked. Raises Http404."""
    try:
        return [datetime.fromisoformat(text) for text in request.POST.getlist("times")]
    except ValueError as error:
        raise Http404(_("This is not a valid time.")) from error
