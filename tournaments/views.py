"""The pages of clubs, seasons, matches and players. They show; nothing here changes anything.

Each page asks a fixed number of queries. A part of a page that refreshes is asked for with `?part=` and is the same
template that the whole page includes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db.models import (
    Count,
    DateTimeField,
    ExpressionWrapper,
    F,
    Func,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from games.common import clock
from games.common.page_pagination import Page
from games.kinds import KINDS
from games.models import Game, Player, Seat
from games.operations import status as system_status
from games.visibility import audience, observe
from games.visibility.audience import User
from tournaments.activity import audit_log
from tournaments.calendar import upcoming as dates
from tournaments.calendar.forms import TimesForm
from tournaments.clubs.permissions import closed_to, listed_for, may_organise
from tournaments.core import labels as league_labels
from tournaments.formats import CUPS
from tournaments.matches import duplicate
from tournaments.matches.rows import (
    GameRow,
    MatchRow,
    build_match_rows,
    game_row,
    game_status_mark,
    games_for_rows,
    live_game_rows,
    match_row,
    matches_with_games,
)
from tournaments.models import (
    PLAYING,
    Division,
    Entrant,
    ImportedGame,
    Match,
    MatchEntrant,
    MatchGame,
    RatingChange,
    Round,
    Season,
    Standing,
)
from tournaments.ratings import selectors as rating_selectors
from tournaments.rulings import disputes
from tournaments.season_pages import format_panels
from tournaments.season_pages import overview as sheet
from tournaments.season_pages.step_views import available_actions
from tournaments.standings import what_if_views

SEASONS_PER_PAGE = 30
GAMES_PER_PAGE = 24
LIVE_GAMES_PER_PAGE = 12
RESULTS_SHOWN = 8
LIVE_GAMES_SHOWN = 6
LEADERS_SHOWN = 5
MAX_ROUNDS_SCANNED = 6  # where a club's latest results are looked for

SEASON_PARTS = {
    "round": "tournaments/parts/round.html",
    "now": "tournaments/parts/now.html",
    "bracket": "tournaments/parts/bracket.html",
    "ladder": "tournaments/parts/ladder.html",
    "standings": "tournaments/parts/standings.html",
    "what-if": "tournaments/parts/what_if.html",
    "ratings": "tournaments/parts/ratings.html",
    "happened": "tournaments/parts/happened.html",
}


def home(request: HttpRequest) -> HttpResponse:
    """What Scorebook is, what is being played now, the latest results, the leagues under way."""
    if request.GET.get("part") == "tables":
        return render(request, "tournaments/parts/tables.html", {"tables": live_games_shown(request.user)})
    shown = seasons_for_lists().filter(league__club__in=listed_for(request.user))
    running = list(shown.filter(status=Season.Status.RUNNING)[:RESULTS_SHOWN])
    featured = max(running, key=lambda season: (season.format not in CUPS, season.round or 0), default=None)
    context = {
        "nav": "home",
        "tables": live_games_shown(request.user),
        "results": latest_finished_games(request.user),
        "seasons": running,
        "featured": featured,
        "leaders": division_leaders(featured) if featured and featured.format not in CUPS else [],
        "cup": featured is not None and featured.format in CUPS,
        "specs": [rules.spec for rules in KINDS.values()],
    }
    return render(request, "tournaments/home.html", context)


@dataclass(frozen=True, slots=True)
class LiveGames:
    """Some games that are being played, and how many there are in all."""

    lines: list[GameRow]
    count: int


def live_games_shown(viewer: User) -> LiveGames:
    """The games opened last of those that are on. Four queries."""
    on = live_games(viewer)
    return LiveGames(live_game_rows(list(on[:LIVE_GAMES_SHOWN])), on.count())


def live_games(viewer: User) -> QuerySet[Game]:
    """Games being played that are for `viewer` to know of, those opened last first; also those that have ended, but not
    yet for who watches with a delay: that one is gone from the list would tell."""
    delay = Func(F("terms__watch_delay"), template="make_interval(secs => (%(expressions)s)::float)")
    told_at = ExpressionWrapper(F("finished_at") + delay, DateTimeField())
    late = Q(terms__watch_delay__gt=0, finished_at__isnull=False, told_at__gt=clock.now())
    shown = (
        games_for_rows()
        .select_related("match_game__match__round__division__season__league")
        .filter(audience.visible_to(viewer), trial=None)
        .alias(told_at=told_at)
        .filter(Q(status=Game.Status.PLAYING) | late)
    )
    return shown.order_by("-opened_at", "-pk")


def latest_finished_games(viewer: User) -> list[GameRow]:
    """The games that ended last, as far as everybody may know, or all that may see them."""
    ended = (
        games_for_rows()
        .filter(observe.result_is_public(), audience.visible_to(viewer), trial=None)
        .order_by("-finished_at")
    )
    return [game_row(game) for game in ended[:RESULTS_SHOWN]]


def seasons_for_lists() -> QuerySet[Any]:
    """Seasons as lists show them: with the number of entrants and of bots among them, and the latest round."""
    entrants = Entrant.objects.filter(season=OuterRef("pk"), status__in=PLAYING).order_by().values("season")
    bots = entrants.filter(player__bot_version__isnull=False)
    rounds = Round.objects.filter(division__season=OuterRef("pk")).order_by().values("division__season")
    return (
        Season.objects.select_related("league__club")
        .annotate(
            entrants=Subquery(entrants.annotate(n=Count("pk")).values("n")),
            bots=Coalesce(Subquery(bots.annotate(n=Count("pk")).values("n")), 0),
            round=Subquery(rounds.annotate(n=Max("number")).values("n")),
        )
        .order_by("-starts_at", "-pk")
    )


def division_leaders(season: Season) -> list[Standing]:
    """The first of a season's first division."""
    first = Division.objects.filter(season=season, number=1).values("pk")[:1]
    rows = Standing.objects.filter(division=first, position__lte=LEADERS_SHOWN)
    return list(rows.select_related("entrant__player__bot_version"))


def live_games_page(request: HttpRequest) -> HttpResponse:
    """Every game that is being played now."""
    page = Page.of(live_games(request.user), request.GET.get("page", ""), LIVE_GAMES_PER_PAGE)
    context = {"nav": "watch", "page": Page(live_game_rows(page.items), page.number, page.more)}
    template = "tournaments/parts/watch.html" if request.GET.get("part") == "watch" else "tournaments/watch.html"
    return render(request, template, context)


def latest_matches(listed: Sequence[Season]) -> list[MatchRow]:
    """The matches that ended last in the latest rounds of these seasons."""
    latest = Round.objects.filter(division__season__in=listed).order_by("-pk")[:MAX_ROUNDS_SCANNED]
    ended = Match.objects.filter(round__in=list(latest.values_list("pk", flat=True)), finished_at__isnull=False)
    found = list(ended.select_related("round__division").order_by("-finished_at", "-pk")[:RESULTS_SHOWN])
    by_id = {season.pk: season for season in listed}
    for match in found:
        match.round.division.season = by_id[match.round.division.season_id]
    return build_match_rows(found)


def season_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """A season: its head, a round, the standings with their arithmetic, ratings, what happened, the terms."""
    asked = request.GET
    found = sheet.find_season(club, league, season)
    division, divisions = sheet.find_division(found, asked.get("division", ""))
    latest = sheet.find_round(division, "")
    part = asked.get("part", "")
    context: dict[str, Any] = {"nav": "clubs", "season": found, "division": division, "latest": latest}
    context["me"] = viewer_player_id(request)
    if part in ("", "round"):
        shown = sheet.find_round(division, asked["round"]) if asked.get("round") else latest
        context["shown"] = shown and sheet.round_page(shown, asked.get("matches", ""), asked.get("why", ""))
    context |= format_panels.format_context(found, division, part, request.user)
    if part in ("", "standings"):
        context["standings"] = sheet.standings_page(found, division, asked.get("page", ""), asked.get("row", ""))
        context["decided"] = audit_log.entrant_rulings(division, asked.get("row", ""))
        context["lost_places"] = format_panels.lost_place_texts(found, division, asked.get("row", ""))
    if part in ("", "what-if"):
        context["what_if"] = what_if_views.what_if_part(found, division, asked, context["me"])
    if part in ("", "ratings"):
        context["ratings"] = rating_selectors.ratings_part(found, division)
        context["official"] = rating_selectors.official_table_page(division, asked.get("official", ""))
    if part in ("", "happened"):
        context["happened"] = sheet.timeline_page(found, asked.get("before", ""))
    if part:
        return season_part(request, part, context, latest)
    context |= {
        "divisions": divisions,
        "organises": found.status != Season.Status.OPEN and may_organise(request.user, found.league.club),
        "registration": sheet.registration(found, division, request.user, asked.get("entrants", "")),
        "steps": available_actions(found, request.user),
        "head": sheet.season_head(found, division, latest),
        "rounds": sheet.rounds_page(division, asked.get("rounds", "")),
        "spec": KINDS[found.kind].spec,
        "lists": format_panels.entrant_lists(found),
        "format": league_labels.FORMAT_LABELS[found.format],
        "format_options": league_labels.format_option_rows(found.settings["format_options"]),
        "policies": league_labels.policy_rows(found.settings, found.table_size),
        "options": league_labels.option_rows(found.options),
        "terms": league_labels.game_term_rows(found.terms, found.table_size),
        "points": league_labels.points_system_text(found.points),
        "tie_breaks": league_labels.tie_breaks_text(found.tie_breaks),
    }
    return render(request, "tournaments/season.html", context)


def season_part(request: HttpRequest, part: str, context: dict[str, Any], latest: Round | None) -> HttpResponse:
    """One part of the season's page. With the round comes a word to the other parts when a round has ended or begun."""
    if part not in SEASON_PARTS:
        raise Http404("The page has no such part.")
    response = render(request, SEASON_PARTS[part], context)
    if part == "round" and request.GET.get("known", "") != known_round(latest):
        response["HX-Trigger"] = "round-changed"
    return response


def known_round(latest: Round | None) -> str:
    """What a page that shows a season's latest round knows of it: `3-open`."""
    return f"{latest.number}-{latest.status}" if latest else ""


def viewer_player_id(request: HttpRequest) -> int | None:
    """The id of the player that the viewer is, if they are one."""
    if not request.user.is_authenticated:
        return None
    return Player.objects.filter(user=request.user).values_list("pk", flat=True).first()


@dataclass(frozen=True, slots=True)
class MatchSide:
    """An entrant in a match: points of the games so far, and what the match did to the rating."""

    entrant: MatchEntrant
    score: Any
    rating: float | None
    change: float


@dataclass(frozen=True, slots=True)
class MatchGameRow:
    """A game of a match, its seats in the order of the match's entrants; `first` moved first."""

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


def match_page(request: HttpRequest, match_id: int, times_form: TimesForm | None = None) -> HttpResponse:
    """A match: who meets, why, the games with their seats and scores, and what it was worth."""
    found = get_object_or_404(matches_with_games(), pk=match_id)
    line = match_row(found)
    season = found.round.division.season
    context = {
        "nav": "clubs",
        "line": line,
        "match": found,
        "season": season,
        "spec": KINDS[season.kind].spec,
        "sides": match_sides(line, season),
        "games": [match_game_row(line, each) for each in line.games],
        "live": live_game(line),
        "imported": [imported_game_row(line, each) for each in line.imported],
        "same_cards": duplicate.duplicate_deals(line),
        "waits": next((system_status.why_waits(each.game) for each in line.games if each.game.caged), ""),
        "terms": league_labels.game_term_rows(season.terms, season.table_size),
        "options": league_labels.option_rows(season.options),
        **ruling_context(request, found),
    }
    if request.GET.get("part") == "match":
        return render(request, "tournaments/parts/match.html", context)
    context |= dates.match_times_context(found, request.user, times_form)
    context["outlook"] = what_if_views.match_outlook(found, line.entrants)
    return render(request, "tournaments/match.html", context, status=400 if times_form else 200)


def live_game(line: MatchRow) -> GameRow | None:
    """The first of a match's games that everybody may watch now, with its board."""
    playing = [
        each.game
        for each in line.games
        if game_status_mark(each.game).mark == "live" and not observe.is_sealed(each.game)
    ]
    return live_game_rows(playing[:1])[0] if playing else None


def ruling_context(request: HttpRequest, match: Match) -> dict[str, Any]:
    """What the viewer may do about a match's result, and the disputes that they may see and that wait for an answer."""
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
    """The entrants of a match with what it did to their ratings. One query."""
    changes = RatingChange.objects.filter(
        pool__kind=season.kind, pool__pool=season.pool, game__in=[each.game_id for each in line.games]
    ).order_by("position")
    moved: dict[int, list[RatingChange]] = {}
    for change in changes:
        moved.setdefault(change.player_id, []).append(change)
    return [
        MatchSide(
            entrant=each,
            score=score,
            rating=own[-1].after if (own := moved.get(each.entrant.player_id, [])) else None,
            change=sum(change.after - change.before for change in own),
        )
        for each, score in zip(line.entrants, line.scores, strict=True)
    ]


def match_game_row(line: MatchRow, played: MatchGame) -> MatchGameRow:
    """The line of one game in its match's table."""
    told = game_row(played.game)
    by_player = {seat.player.pk: seat for seat in told.seats}
    seats = [by_player[player.pk] for player in line.players]
    latest = not any(other.number == played.number and other.replay > played.replay for other in line.games)
    placings = (played.result or {}).get("placings", [])
    scores = (played.result or {}).get("scores", [])
    shown = scores if any(scores) else [None] * len(scores)
    placed = zip(placings, (seat.player for seat in told.seats), shown, strict=False)
    places = sorted((each for each in placed if each[1] in line.players), key=lambda each: each[0])
    return MatchGameRow(played.number, told, told.seats[0].player, seats, played.ruling, places, latest)


@dataclass(frozen=True, slots=True)
class ImportedGameRow:
    """A game that came in a file: scores in the order of the match's entrants, who was first, how it was decided."""

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
    """The line of a game that came in a file."""
    players = {each.entrant.number: each.entrant.player for each in line.entrants}
    result, counts = played.result, played.counts or {}
    scores = dict(zip(result["seats"], counts.get("scores", []), strict=False))
    placings = zip(result["seats"], counts.get("placings", []), strict=False)
    moment = result["finished"]
    return ImportedGameRow(
        number=played.number,
        ruling=played.ruling,
        scores=[scores.get(number) for number in players],
        winners=[players[number] for number, place in placings if place == 1 and number in players],
        first=players.get(result["seats"][0]),
        finished_at=datetime.fromtimestamp(moment, UTC) if moment is not None else None,
    )


@dataclass(frozen=True, slots=True)
class PlayerGameRow:
    """A game in a player's list: their result, whom they met, and what it did to their rating."""

    line: GameRow
    result: str
    others: list[Player]
    change: float | None


def player_page(request: HttpRequest, player_id: int) -> HttpResponse:
    """A player: ratings by kind and pool, recent games, seasons."""
    found = get_object_or_404(Player.objects.select_related("bot_version__bot__owner"), pk=player_id)
    asked = request.GET
    entries = (
        Entrant.objects.filter(player=found, status__in=PLAYING)
        .exclude(division__season__league__club__in=closed_to(request.user))
        .select_related("division__season__league__club", "standing")
        .order_by("-division__season__starts_at", "-pk")
    )
    context = {
        "nav": "clubs",
        "player": found,
        "ratings": rating_selectors.player_ratings(found, asked.get("pool", "")),
        "page": player_games_page(found, request.user, asked.get("page", "")),
        "entries": Page.of(entries, asked.get("seasons", ""), SEASONS_PER_PAGE),
    }
    return render(request, "tournaments/player.html", context)


def leaderboards(request: HttpRequest) -> HttpResponse:
    """The ratings of a kind of game and pool, the best first; names can be searched."""
    asked = request.GET
    search = " ".join(asked.get("q", "").replace("\0", "").split())[:60]
    board = rating_selectors.leaderboard(asked.get("pool", ""), search, asked.get("page", ""))
    return render(
        request, "tournaments/ratings.html", {"nav": "ratings", "board": board, "me": viewer_player_id(request)}
    )


def player_games_page(player: Player, viewer: User, number: str) -> Page[PlayerGameRow]:
    """Page `number` of the games that `player_page` sat in and `viewer` may know of, the latest first. Four queries."""
    shown = Game.objects.filter(audience.visible_to(viewer))
    seats = Seat.objects.filter(player=player, game__trial=None, game__in=shown).order_by("-game")
    seats = seats.prefetch_related(Prefetch("game", games_for_rows()))
    page = Page.of(seats, number, GAMES_PER_PAGE)
    changes = RatingChange.objects.filter(player=player, game__in=[seat.game_id for seat in page.items])
    moved: dict[int, float] = {}
    for change in changes:
        moved[change.game_id] = moved.get(change.game_id, 0.0) + change.after - change.before
    return page.map(lambda seat: player_game_row(player, seat.game, moved))


def player_game_row(player: Player, game: Game, moved: dict[int, float]) -> PlayerGameRow:
    """A game as `player_page` lists it."""
    line = game_row(game)
    own = next(seat for seat in line.seats if seat.player.pk == player.pk)
    others = [seat.player for seat in line.seats if seat.player.pk != player.pk]
    return PlayerGameRow(line, result_letter(line, own.placing), others, moved.get(game.pk) if line.told else None)


def result_letter(line: GameRow, placing: int | None) -> str:
    """W, D or L for two in a game, the place for more; – where there is no result."""
    if not line.told or placing is None:
        return "–"
    if len(line.seats) > 2:
        return str(placing)
    level = all(seat.placing == placing for seat in line.seats)
    return "D" if level else "WL"[placing - 1]
