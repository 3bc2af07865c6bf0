"""The content of a bot's page: versions with ratings, games, faults, response times and opponents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import Final

from django.db.models import BooleanField, Count, ExpressionWrapper, Q, QuerySet
from django.utils.translation import gettext as _

from games.bots import comparison, first_rating, uploads
from games.bots.admission.checks import percentile
from games.bots.sentences import milliseconds_text
from games.common import clock
from games.models import Bot, BotVersion, Player, Seat, Trial
from games.play import faults
from games.play.models import Fault
from games.visibility import observe
from games.visibility.audience import User
from games.workers import waiting_reasons
from games.workers.models import BotResponseTimes
from scorebook_games.bots.protocol import DEFAULT_CLOCK
from scorebook_games.presentation.coded_text import plain, written
from scorebook_games.registry import KINDS
from tournaments.bot_pages import results
from tournaments.bot_pages.rating_curve import RatingCurve, rating_curve
from tournaments.bot_pages.versions import VERSIONS_SHOWN
from tournaments.ratings.models import Rating, RatingChange, Strength
from tournaments.seasons.labels import pool_label

FAULT_WINDOW: Final = timedelta(days=30)
FAULTS_SHOWN: Final = 8
MAX_FAULTS_SCANNED: Final = 100
OPPONENTS_SHOWN: Final = 6
MAX_TIMED_GAMES: Final = 100  # games whose times are drawn
BARS: Final = 16
STRIP_LOW, STRIP_HIGH = 1000.0, 2000.0  # the range of the rating strip; figures outside it stand at its edge


@dataclass(frozen=True, slots=True)
class RatingInterval:
    """A rating with half the width of its 95 % interval.

    It is the official strength in the season `where`, or else the Elo in that pool. A season of a private club is not
    named. `first`: it is the first estimate, from the games of admission.
    """

    title: str
    where: str
    rating: float
    half: float
    games: int
    first: bool

    @property
    def place(self) -> float:
        """Return the position on the strip, in per cent from 0 to 100."""
        return max(0.0, min(98.0, 100 * (self.rating - STRIP_LOW) / (STRIP_HIGH - STRIP_LOW)))

    @property
    def low(self) -> float:
        return max(0.0, min(100.0, 100 * (self.rating - self.half - STRIP_LOW) / (STRIP_HIGH - STRIP_LOW)))

    @property
    def high(self) -> float:
        return max(0.0, min(100.0, 100 * (self.rating + self.half - STRIP_LOW) / (STRIP_HIGH - STRIP_LOW)))


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version's row in the list of versions. `readable`: the viewer may read its source."""

    version: BotVersion
    figures: list[RatingInterval]
    games: int
    faults: int
    plays: bool
    readable: bool

    @property
    def figure(self) -> RatingInterval | None:
        return self.figures[0] if self.figures else None


@dataclass(frozen=True, slots=True)
class OpponentRow:
    """An opponent, and how games against it ended."""

    player: Player
    record: results.ResultCounts


@dataclass(frozen=True, slots=True)
class FaultGroup:
    """Faults of one kind in the last thirty days: how many each version had, and the most expensive one."""

    title: str
    counts: list[tuple[int, int]]
    worst: Fault


@dataclass(frozen=True, slots=True)
class ResponseTimes:
    """The distribution of response times: bar heights for equal steps from 0 to `most` ms, and the figures in words."""

    bars: list[tuple[float, float]]
    most: str
    words: str


@dataclass(frozen=True, slots=True)
class BotPage:
    """The content of a bot's page. `admission_trial` is the trial that is shown in full; `is_author`: the viewer is the
    author."""

    bot: Bot
    is_author: bool
    admission: Trial | None
    versions: list[VersionRow]
    record: results.ResultCounts | None
    curve: RatingCurve | None
    met: list[OpponentRow]
    faults: list[FaultGroup]
    latest: list[Fault]
    times: ResponseTimes | None
    comparisons: list[Trial]
    waiting: str

    @property
    def plays(self) -> VersionRow | None:
        return next((line for line in self.versions if line.plays), None)

    @property
    def passed(self) -> list[VersionRow]:
        return [line for line in self.versions if line.version.may_play]


def bot_page(bot: Bot, viewer: User, is_author: bool, admission_of: str = "", pool: str = "") -> BotPage:
    """Return the page of `bot` as `viewer` may see it, in a fixed number of queries.

    `admission_of` is the number of the version whose admission the viewer wants to see, `pool` the slug of the rating
    pool whose curve is drawn.
    """
    versions = list(bot.versions.select_related("player").order_by("-number")[:VERSIONS_SHOWN])
    for version in versions:
        version.bot = bot
    lines = version_rows(bot, versions, viewer)
    plays = next((line.version for line in lines if line.plays), None)
    met = results.opponent_counts(plays.player.pk, viewer) if plays else []
    return BotPage(
        bot=bot,
        is_author=is_author,
        admission=admission_trial(bot, admission_of) if is_author else None,
        versions=lines,
        record=results.ResultCounts.total(row.results for row in met) if plays else None,
        curve=rating_curve(bot.name, versions, pool),
        met=frequent_opponents(met),
        faults=fault_groups(bot),
        latest=latest_faults(bot) if is_author else [],
        times=response_times(plays) if plays else None,
        comparisons=comparisons(bot) if is_author else [],
        waiting=waiting_reasons.why_sandboxes_wait(),
    )


def admission_trial(bot: Bot, number: str = "") -> Trial | None:
    """Return the admission of version `number`; without a number, the latest one if it is unfinished or was refused."""
    trials = Trial.objects.filter(version__bot=bot, what=Trial.What.ADMISSION).select_related("version")
    if number.isdecimal() and len(number) < 9:
        return trials.filter(version__number=int(number)).first()
    latest = trials.order_by("-version__number").first()
    shown = latest and (latest.state != Trial.State.DONE or latest.version.state != BotVersion.State.PASSED)
    fresh = latest and latest.finished_at and latest.finished_at > clock.now() - timedelta(minutes=10)
    return latest if shown or fresh else None


def version_rows(bot: Bot, versions: Sequence[BotVersion], viewer: User) -> list[VersionRow]:
    """Return the rows of these versions with their figures. Five queries."""
    players = [version.player.pk for version in versions]
    figures = ratings_by_version(versions)
    counted = Seat.objects.filter(player__in=players, game__trial=None).values("player").annotate(n=Count("pk"))
    games = {row["player"]: row["n"] for row in counted}
    failed = Fault.objects.filter(bot_version__in=versions, game__trial=None, game__isnull=False)
    failed = faults.tellable(failed.exclude(kind=Fault.Kind.INFRASTRUCTURE))
    faulty = {row["bot_version"]: row["n"] for row in failed.values("bot_version").annotate(n=Count("pk")).order_by()}
    return [
        VersionRow(
            version,
            figures.get(version.pk, []),
            games.get(version.player.pk, 0),
            faulty.get(version.pk, 0),
            version.pk == bot.plays_id,
            uploads.may_read_source(version, viewer),
        )
        for version in versions
    ]


def ratings_by_version(versions: Iterable[BotVersion]) -> dict[int, list[RatingInterval]]:
    """Return version → its rating in each kind: the official strength in its latest season of bots, else its Elo, else
    the first estimate from admission."""
    by_player = {version.player.pk: version for version in versions}
    found: dict[int, dict[str, RatingInterval]] = {version.pk: {} for version in by_player.values()}
    for row in official_ratings(by_player):
        season = row.entrant.division.season
        title, where = KINDS[season.kind].spec.title, "" if season.league.club.is_private else season.name
        figure = RatingInterval(title, where, row.rating, row.half, row.games, first=False)
        found[by_player[row.entrant.player_id].pk][season.kind] = figure
    ratings = Rating.objects.filter(player__in=by_player).exclude(pool__pool="bots").select_related("pool")
    lacking = [r for r in ratings.order_by("-games") if r.pool.kind not in found[by_player[r.player_id].pk]]
    halves = intervals(lacking)
    for rating in lacking:
        title, half = KINDS[rating.pool.kind].spec.title, halves[rating.pk]
        figure = RatingInterval(title, pool_label(rating.pool.pool), rating.rating, half, rating.games, first=False)
        found[by_player[rating.player_id].pk].setdefault(rating.pool.kind, figure)
    for trial in Trial.objects.filter(version__in=by_player.values(), what=Trial.What.ADMISSION):
        for kind, value in trial.result.get("ratings", {}).items():
            figure = RatingInterval(
                KINDS[kind].spec.title, "", value["rating"], value["half"], value["games"], first=True
            )
            found[trial.version_id].setdefault(kind, figure)
    return {version: sorted(own.values(), key=lambda each: (each.first, -each.games)) for version, own in found.items()}


def official_ratings(players: Iterable[int]) -> QuerySet[Strength]:
    """Return each player's official strength in each kind, from the latest season."""
    season = "entrant__division__season"
    rows = Strength.objects.filter(entrant__player__in=list(players)).select_related(f"{season}__league__club")
    return rows.order_by("entrant__player_id", f"{season}__kind", f"-{season}__starts_at", "-pk").distinct(
        "entrant__player_id", f"{season}__kind"
    )


def intervals(ratings: Sequence[Rating]) -> dict[int, float]:
    """Return rating → half the width of its 95 % interval, from the opponents that it was made against. One query."""
    if not ratings:
        return {}
    own = {(rating.pool_id, rating.player_id): rating for rating in ratings}
    games = RatingChange.objects.filter(
        pool__in={r.pool_id for r in ratings}, player__in={r.player_id for r in ratings}
    )
    same = RatingChange.objects.filter(game__in=games.values("game")).values_list("pool", "game", "player", "before")
    tables: dict[tuple[int, int], dict[int, float]] = {}
    for pool, game, player, before in same:
        tables.setdefault((pool, game), {})[player] = before
    others: dict[int, list[float]] = {rating.pk: [] for rating in ratings}
    for (pool, _game), seats in tables.items():
        for player in seats:
            if rating := own.get((pool, player)):
                others[rating.pk] += [figure for other, figure in seats.items() if other != player][:1]
    return {rating.pk: first_rating.interval_half_width(rating.rating, others[rating.pk]) for rating in ratings}


def frequent_opponents(rows: Sequence[results.OpponentCounts]) -> list[OpponentRow]:
    """Return the most frequent opponents. One query."""
    by_opponent: dict[int, list[results.ResultCounts]] = {}
    for row in rows:
        by_opponent.setdefault(row.opponent, []).append(row.results)
    shown = dict(list(by_opponent.items())[:OPPONENTS_SHOWN])
    players = Player.objects.select_related("bot_version").in_bulk(shown)
    return [OpponentRow(players[pk], results.ResultCounts.total(parts)) for pk, parts in shown.items()]


def bot_faults(bot: Bot) -> QuerySet[Fault]:
    """Return the faults of all versions of a bot, latest first."""
    return faults.tellable(Fault.objects.filter(bot_version__bot=bot))


def latest_faults(bot: Bot) -> list[Fault]:
    """Return the latest faults of a bot, at most one (the last) from each game."""
    latest: dict[int, Fault] = {}
    for fault in bot_faults(bot).select_related("game__deal", "bot_version")[:MAX_FAULTS_SCANNED]:
        if fault.game and not observe.is_fully_open(fault.game):
            # the full sentence would show a position that is still secret
            fault.sentences = plain([written(str(fault.get_kind_display()))])
        latest.setdefault(fault.game_id or -fault.pk, fault)
    return list(latest.values())[:FAULTS_SHOWN]


def fault_groups(bot: Bot) -> list[FaultGroup]:
    """Group the faults of the last thirty days by kind, leaving out games that do not count."""
    recent = bot_faults(bot).filter(at__gt=clock.now() - FAULT_WINDOW, game__trial=None, game__isnull=False)
    counted = recent.values("kind", "bot_version__number").annotate(n=Count("pk"))
    counted = counted.order_by("kind", "-bot_version__number")
    groups: dict[str, list[tuple[int, int]]] = {}
    for row in counted:
        groups.setdefault(row["kind"], []).append((row["n"], row["bot_version__number"]))
    worst_first = ("kind", ExpressionWrapper(~Q(cost=Fault.Cost.FORFEIT), BooleanField()), "-at", "-pk")
    latest = recent.select_related("game").order_by(*worst_first).distinct("kind") if groups else ()
    worst = {fault.kind: fault for fault in latest}
    return [FaultGroup(str(Fault.Kind(kind).label), counts, worst[kind]) for kind, counts in groups.items()]


def response_times(version: BotVersion) -> ResponseTimes | None:
    """Compute the response times of the version's latest games."""
    rows = BotResponseTimes.objects.filter(bot_version=version).order_by("-at")[:MAX_TIMED_GAMES]
    measured = sorted(ms for row in rows for ms in row.times)
    if not measured:
        return None
    most = max(1.0, percentile(measured, 0.99) * 1.25)
    heights = [0] * BARS
    for ms in measured:
        heights[min(BARS - 1, int(BARS * ms / most))] += 1
    tallest = max(heights)
    bars = [(round(1 + 18.75 * n, 1), round(66 * height / tallest, 1)) for n, height in enumerate(heights)]
    words = _("50 % within {half} ms, 99 % within {most} ms. The limit is {limit} ms; the slowest took {worst} ms.")
    text = words.format(
        half=milliseconds_text(median(measured)),
        most=milliseconds_text(percentile(measured, 0.99)),
        limit=DEFAULT_CLOCK["move_ms"],
        worst=milliseconds_text(measured[-1]),
    )
    return ResponseTimes(bars, milliseconds_text(most), text)


def comparisons(bot: Bot) -> list[Trial]:
    """Return the latest comparisons of a bot's versions."""
    trials = Trial.objects.filter(version__bot=bot, what=Trial.What.COMPARISON).select_related("version", "against")
    return list(trials.order_by("-created")[:3])


def comparison_result(trial: Trial) -> str:
    """Return the result of a comparison in one word."""
    return comparison.result_heading(trial)


def stamp(trial: Trial | None) -> str:
    """Return a value that changes whenever the trial makes progress."""
    return f"{trial.pk}-{trial.attempt}-{trial.state}" if trial else ""


def public_bots() -> QuerySet[Bot]:
    """Return the uploaded bots that everybody may see, newest first."""
    bots = Bot.objects.filter(~Q(key=None), visibility=Bot.Visibility.PUBLIC, plays__isnull=False)
    return bots.select_related("owner__player", "plays__player__bot_version").order_by("-created")
