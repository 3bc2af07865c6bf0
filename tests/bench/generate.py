"""Generates a club with a million games and a season of ten thousand entrants, to test whatever must work at that size.

    python -m tests.bench.generate [--games 1000000] [--entrants 10000] [--seed 1] [--yes]

It fills the database of DATABASE_URL (`--yes` is needed unless that is a developer's own database). It may be stopped
at any time and started again: each season is one transaction, and seasons that exist are not changed. The seed decides
what it makes.

The logs are made as follows. Built-in bots play `DEALT` games of each kind for two through the usual services, except
that their logs name neither the players nor the game, like logs of earlier versions. So a copy of their batches under
another stream, with the same seed, salt and head, is a whole log that verifies. The database makes the million games as
such copies, with other players and times. Everything else is made for each game: pairings (round robins by the Berger
tables, the large Swiss by the format itself), results, points, standings, ratings by the folds of the league, streams
of seasons and pools, and dates within a year. Then `manage.py rebuild` finds no difference.

Foreign keys are not checked meanwhile if the database's role may switch the checks off, because the rows that the
copies refer to exist.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final
from unittest.mock import patch

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_AS_OWNER", "1")

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from config.celery import app  # noqa: E402
from games.accounts import names  # noqa: E402
from games.accounts.models import Profile  # noqa: E402
from games.common import clock  # noqa: E402
from games.common.bulk_insert import copy_new  # noqa: E402
from games.eventlog import store as eventlog  # noqa: E402
from games.eventlog.store import begin_many  # noqa: E402
from games.models import Bot, Game, Player  # noqa: E402
from games.play import services as play  # noqa: E402
from games.workers import runner  # noqa: E402
from scorebook_games.contract import Event  # noqa: E402
from tests.bench.copies import copy, copy_games, ids, name_of, unchecked  # noqa: E402
from tests.bench.where import where  # noqa: E402
from tournaments.clubs.members import set_owner_role  # noqa: E402
from tournaments.clubs.models import Club, Membership  # noqa: E402
from tournaments.core.results import seats_of_game  # noqa: E402
from tournaments.formats.base import Pairing, Pairings  # noqa: E402
from tournaments.formats.reasons import everyone_meets  # noqa: E402
from tournaments.formats.round_robin import berger  # noqa: E402
from tournaments.lifecycle import services as seasons  # noqa: E402
from tournaments.maintenance.demo import built_in_bot_player  # noqa: E402
from tournaments.ratings import pools  # noqa: E402
from tournaments.ratings.elo import Rated  # noqa: E402
from tournaments.ratings.rated_events import rated_games  # noqa: E402
from tournaments.scoring.points import json_number, score_match  # noqa: E402
from tournaments.seasons import row_writer  # noqa: E402
from tournaments.seasons.events.entries import EntrantJoined  # noqa: E402
from tournaments.seasons.events.games import GameRecorded  # noqa: E402
from tournaments.seasons.events.lifecycle import SeasonFinished  # noqa: E402
from tournaments.seasons.events.rounds import RoundClosed, RoundPaired  # noqa: E402
from tournaments.seasons.fold import DivisionState, SeasonFold, Touched  # noqa: E402
from tournaments.seasons.models import Division, Entrant, League, Match, MatchEntrant, MatchGame, Round, Season  # noqa: E402
from tournaments.seasons.pairing import division_standings, next_round  # noqa: E402
from tournaments.seasons.settings import parse_settings  # noqa: E402
from tournaments.seasons.stream import append_events, fold_season  # noqa: E402

SLUG: Final = "million"
DEALT: Final = 300  # games of a kind that are played
CROWD: Final = 20_000  # games made in one step
REGULARS: Final = 100  # members who play more often than others
KINDS_OF_CROWDS: Final = ("chinese_ten", "platinum_fish", "plate_spinner", "palace", "chinese_ten", "plates")
EVENTS: Final = 500  # events of a season that are written in one step
FIELD: Final = 64  # entrants of a round robin
GAMES_A_MATCH: Final = 8  # games of a match in a round robin
SWISS_ROUNDS: Final = 10
YEAR: Final = timedelta(days=360)
LEAGUES: Final = (  # (kind, whether bots play); seasons are made for each in turn, at least one for the first
    ("chinese_ten", True),
    ("platinum_fish", False),
    ("chinese_ten", False),
    ("palace", False),
    ("plate_spinner", False),
    ("platinum_fish", True),
    ("plates", False),
)


@dataclass(frozen=True)
class Model:
    """A game that was played and whose log is copied."""

    game: int
    head: str
    outcome: dict[str, Any]
    lasted: timedelta


@dataclass(frozen=True)
class Crowd:
    """Games that members play outside of leagues: their kind, number and period."""

    number: int
    kind: str
    games: int
    at: datetime
    lasts: timedelta


@dataclass(frozen=True)
class Wish:
    """A season to make: `entrants` in `rounds` rounds, one in each interval `every`. `closed` means that it is over."""

    league: int
    number: int
    kind: str
    bots: bool
    format: str
    entrants: int
    rounds: int
    games_a_match: int
    starts_at: datetime
    every: timedelta
    closed: bool = True

    @property
    def games(self) -> int:
        return self.rounds * (self.entrants // 2) * self.games_a_match

    @property
    def name(self) -> str:
        return f"Season {self.number}" if self.closed else "The large season"


def crowds(games: int, now: datetime) -> Iterator[Crowd]:
    """Yield the games outside of leagues in groups, spread over the year."""
    count = -(-games // CROWD)
    for place in range(count):
        kind = KINDS_OF_CROWDS[place % len(KINDS_OF_CROWDS)]
        size = min(CROWD, games - place * CROWD)
        yield Crowd(place, kind, size, now - YEAR + place * YEAR / count, YEAR / count)


def wishes(games: int, entrants: int, now: datetime) -> Iterator[Wish]:
    """Yield the seasons that have this many games together, the large one first, then one of bots at any size."""
    start = now - timedelta(days=SWISS_ROUNDS, hours=1)
    kind = LEAGUES[0][0]
    yield Wish(len(LEAGUES), 1, kind, False, "swiss", entrants, SWISS_ROUNDS, 2, start, timedelta(days=1), closed=False)
    large = SWISS_ROUNDS * (entrants // 2) * 2
    rounds = FIELD - 1
    each = rounds * FIELD // 2 * GAMES_A_MATCH
    count = max(-(-(games - large) // each), 1)
    of_league = -(-count // len(LEAGUES)) or 1
    length = YEAR / of_league
    for place in range(count):
        turn, league = divmod(place, len(LEAGUES))
        kind, bots = LEAGUES[league]
        start = now - YEAR + turn * length
        yield Wish(
            league, turn + 1, kind, bots, "round_robin", FIELD, rounds, GAMES_A_MATCH, start, length / (rounds + 1)
        )


class Generator:
    """Makes the seasons and the games outside of leagues."""

    def __init__(self, seed: int, entrants: int) -> None:
        self.seed, self.entrants = seed, entrants
        self.club = club()
        self.people = people(self.club, entrants)
        self.bots = [with_page(built_in_bot_player(f"Mill {place}", "random")) for place in range(1, FIELD + 1)]
        self.models: dict[str, list[Model]] = {}

    def make(self, wish: Wish) -> bool:
        """Make a season if it does not exist. Return whether it was made."""
        league = self.league(wish)
        if league.seasons.filter(name=wish.name).exists():
            return False
        played = self.models_of(wish.kind)
        with transaction.atomic():
            unchecked()
            _Making(self, wish, league, played).all()
        return True

    def crowd(self, crowd: Crowd) -> None:
        """Make a group of games that members play outside of leagues."""
        chance = random.Random(f"{self.seed}/{crowd.number}")
        played, people = self.models_of(crowd.kind), [player.pk for player in self.people]
        with transaction.atomic():
            unchecked()
            new = zip(
                ids("games_game", crowd.games), ids("stream", crowd.games), ids("games_deal", crowd.games), strict=True
            )
            copy_games(
                [
                    (
                        game,
                        name_of(game),
                        stream,
                        deal,
                        chance.choice(played).game,
                        crowd.at + crowd.lasts * place / crowd.games,
                        self.club.pk,
                        *often(chance, people),
                    )
                    for place, (game, stream, deal) in enumerate(new)
                ],
                by_workers=False,
            )

    def crowds_made(self) -> int:
        """Return how many games outside of leagues exist."""
        return Game.objects.filter(audience_club_id=self.club.pk, match_game=None).count()

    def league(self, wish: Wish) -> League:
        name = f"{wish.kind.replace('_', ' ').title()} {'of bots' if wish.bots else 'of people'}"
        name = name if wish.closed else "The large league"
        slug = name.lower().replace(" ", "-")
        return League.objects.get_or_create(club=self.club, slug=slug, defaults={"name": name})[0]

    def models_of(self, kind: str) -> list[Model]:
        """Return the games of this kind to copy. Play some if there are too few."""
        if kind not in self.models:
            played = Game.objects.filter(kind=kind, audience_club_id=None, status=Game.Status.FINISHED, match_game=None)
            terms = parse_settings({"kind": kind, "format": "swiss"}).terms
            while (missing := DEALT - played.count()) > 0:
                two = self.bots[:2]
                with patch.object(eventlog, "begin_many", nameless):
                    play.open_many([play.Opening(kind, two, terms=terms)] * min(missing, 50))
                runner.play_due_games("generate", budget_seconds=600)
            rows = played.select_related("stream").order_by("pk")[:DEALT]
            self.models[kind] = [
                Model(row.pk, bytes(row.stream.head).hex(), row.outcome or {}, row.finished_at - row.opened_at)
                for row in rows
                if row.finished_at
            ]
        return self.models[kind]


def with_page(player: Player) -> Player:
    """Give a built-in bot a page, as a bot of an author has one, and return it."""
    version = player.bot_version
    assert version is not None
    Bot.objects.filter(pk=version.bot_id).update(key=names.name_key(version.bot.name), plays=version)
    return player


def nameless(firsts: Sequence[tuple[Sequence[Event], Sequence[int]]], **where: Any) -> list[int]:
    """Store openings without the names of players and game, as `begin_many` does."""
    for events, _ in firsts:
        del events[0][1]["game"], events[0][1]["players"]
    return begin_many(firsts, **where)


def club() -> Club:
    owner, _ = User.objects.get_or_create(username="million")
    made, _ = Club.objects.get_or_create(slug=SLUG, defaults={"name": "A Million Games", "owner": owner})
    set_owner_role(made)
    return made


def people(club: Club, count: int) -> list[Player]:
    """Return people who have signed up in the course of the year and belong to the club. Make them if there are
    none."""
    found = Player.objects.filter(user__username__regex=r"^person[0-9]+$").order_by("pk")
    if not found.exists():
        since, step = club.created - YEAR - timedelta(days=3), timedelta(days=2) / count
        users = [
            User(username=f"person{place}", password="!", date_joined=since + place * step)
            for place in range(1, count + 1)
        ]
        with transaction.atomic():
            copy_new(users)
            copy_new([Profile(user=user) for user in users])
            copy_new([Player(user=user, name=user.username.capitalize(), key=user.username) for user in users])
            copy_new([Membership(club=club, user=user) for user in users])
    return list(found)


def often(chance: random.Random, people: Sequence[int]) -> list[int]:
    """Return two different people; in one case of four, the first is one of the first hundred."""
    few = people[:REGULARS] if chance.random() < 0.25 else people
    first = chance.choice(few)
    second = chance.choice(people)
    return [first, second if second != first else people[people.index(first) - 1]]


class _Making:
    """Makes one season within a transaction."""

    def __init__(self, of: Generator, wish: Wish, league: League, played: Sequence[Model]) -> None:
        self.wish, self.league, self.played, self.club = wish, league, played, of.club
        self.random = random.Random(f"{of.seed}/{league.slug}/{wish.number}")
        self.pool = of.bots if wish.bots else of.people
        self.plan: list[tuple[Any, ...]] = []
        self.rounds: list[tuple[Round, list[tuple[int, Pairing]]]] = []

    def all(self) -> None:
        season = self.begin()
        self.season, self.division = season, season.divisions.get()
        self.players = {entrant.number: entrant for entrant in season.entries.select_related("player")}
        folded = fold_season(season)
        own, self.points = folded.division(1), folded.points()
        for played in range(1, self.wish.rounds + 1):
            self.round(folded, own, played)
        copy_games(self.plan, by_workers=self.wish.bots)
        pool = pools.lock_pool(season.kind, season.pool)
        rated = [
            Rated.of(game, places)
            for past in own.rounds
            for match in past.matches
            for game, places in rated_games(own, match).items()
        ]
        with clock.frozen_at(self.wish.starts_at + self.wish.every * self.wish.rounds):
            pools.append_rating_events(pool, rated)
            rows = division_standings(folded, own)
            row_writer.write_part(season, folded, Touched(results={1}), {})
        if self.wish.closed:
            self.finish(folded, {row.entrant: row.place for row in rows})

    def begin(self) -> Season:
        """Start the season."""
        wish = self.wish
        with clock.frozen_at(wish.starts_at - timedelta(days=1)):
            season = seasons.create_season(
                league=self.league,
                name=wish.name,
                kind=wish.kind,
                format=wish.format,
                format_options={"rounds": SWISS_ROUNDS + 4} if wish.format == "swiss" else {},
                games_a_match=wish.games_a_match,
                starts_at=wish.starts_at,
                calendar={"seconds": max(int(wish.every.total_seconds()), 1)},
            )
            chosen = self.chosen()
            division = season.divisions.get()
            entered = {"season": season, "division": division, "status": Entrant.Status.IN, "joined_at": clock.now()}
            entrants = [Entrant(player=player, number=place, **entered) for place, player in enumerate(chosen, start=1)]
            copy_new(entrants)
            append_events(season.stream, [EntrantJoined(1, one.number, one.player_id) for one in entrants], clock.now())
        with clock.frozen_at(wish.starts_at):
            return seasons.start_season(season=season, seed=self.random.randbytes(32).hex())

    def chosen(self) -> list[Player]:
        """Return the players. The first hundred play more often than others."""
        if self.wish.entrants >= len(self.pool):
            return list(self.pool)
        first = self.random.sample(self.pool[:REGULARS], min(self.wish.entrants // 2, REGULARS))
        others = self.pool[REGULARS:] if len(self.pool) > REGULARS + self.wish.entrants else self.pool
        rest = [player for player in self.random.sample(others, self.wish.entrants) if player not in first]
        return first + rest[: self.wish.entrants - len(first)]

    def pairings(self, folded: SeasonFold, own: DivisionState, played: int) -> Pairings:
        if self.wish.format == "round_robin":
            drawn = list(own.entrants)
            reason = (everyone_meets(played, self.wish.rounds, 1),)
            pairs = berger(len(drawn), played)
            return Pairings(tuple(Pairing((drawn[a - 1], drawn[b - 1]), reason) for a, b in pairs))
        answer = next_round(folded, own)
        assert isinstance(answer, Pairings)
        return answer

    def round(self, folded: SeasonFold, own: DivisionState, played: int) -> None:
        """Pair a round, plan its games, record their results and close the round."""
        wish = self.wish
        pairings = self.pairings(folded, own, played)
        at = wish.starts_at + wish.every * (played - 1)
        over = at + wish.every * 0.9
        status = {"status": Round.Status.CLOSED, "closed_at": over}
        row = Round.objects.create(division=self.division, number=played, opened_at=at, **status)
        tables = list(zip(ids("seasons_match", len(pairings.tables)), pairings.tables, strict=True))
        games = self.games(tables, at)
        found = [(match, one.seats, one.reason, [g for g, _, _ in games[match]], one.slot) for match, one in tables]
        byes = [(rest.entrant, rest.reason, "bye", None) for rest in pairings.byes]
        self.write(folded, [RoundPaired.of(1, played, found, byes)], at)
        self.write(folded, [event for match, one in tables for event in self.recorded(match, one, games[match])], over)
        self.write(folded, [RoundClosed(1, played)], over)
        self.rows(row, tables, games, own)

    def write(self, folded: SeasonFold, events: Sequence[Any], at: datetime) -> None:
        each = iter(events)
        while some := list(islice(each, EVENTS)):
            append_events(self.season.stream, some, at)
        for event in events:
            folded.apply(event)

    def games(
        self, tables: Sequence[tuple[int, Pairing]], at: datetime
    ) -> dict[int, list[tuple[int, datetime, Model]]]:
        """Plan the games of matches. Return match → (game, its end, its model)."""
        count = len(tables) * self.wish.games_a_match
        new = iter(zip(ids("games_game", count), ids("stream", count), ids("games_deal", count), strict=True))
        made: dict[int, list[tuple[int, datetime, Model]]] = {}
        step = self.wish.every * 0.8 / count
        for match, pairing in tables:
            for place in range(1, self.wish.games_a_match + 1):
                game, stream, deal = next(new)
                model = self.random.choice(self.played)
                players = [self.players[one].player_id for one in seats_of_game(pairing.seats, place, 2)]
                at += step
                self.plan.append((game, name_of(game), stream, deal, model.game, at, self.club.pk, *players))
                made.setdefault(match, []).append((game, at + model.lasted, model))
        return made

    def recorded(self, match: int, pairing: Pairing, games: Sequence[tuple[int, datetime, Model]]) -> list[Any]:
        return [
            GameRecorded(
                match,
                place,
                {
                    "game": game,
                    "head": model.head,
                    "termination": model.outcome["termination"],
                    "seats": list(seats_of_game(pairing.seats, place, 2)),
                    "scores": model.outcome["scores"],
                    "placings": model.outcome["placings"],
                    "left": [],
                    "absent": [],
                },
            )
            for place, (game, _, model) in enumerate(games, start=1)
        ]

    def rows(
        self,
        row: Round,
        tables: Sequence[tuple[int, Pairing]],
        games: dict[int, list[tuple[int, datetime, Model]]],
        own: DivisionState,
    ) -> None:
        """Store the rows of a round's matches."""
        recorded = (row.opened_at, row.closed_at)  # as in the log: the round's results are recorded together
        copy(
            Match,
            ("id", "round_id", "table", "reason", "slot", "timing", "timed_at", "finished_at"),
            [
                (match, row.pk, place, json.dumps(pairing.reason), pairing.slot, Match.Timing.OPEN, *recorded)
                for place, (match, pairing) in enumerate(tables, start=1)
            ],
        )
        worth = {each.id: score_match(self.points, each.result()).points for each in own.rounds[-1].matches}
        copy(
            MatchEntrant,
            ("match_id", "entrant_id", "order", "points"),
            [
                (match, self.players[one].pk, order, json_number(worth[match][one]))
                for match, pairing in tables
                for order, one in enumerate(pairing.seats)
            ],
        )
        copy(
            MatchGame,
            ("match_id", "number", "replay", "game_id", "recorded_at", "ruling"),
            [
                (match, place, 0, game, row.closed_at, "")
                for match, of in games.items()
                for place, (game, _, _) in enumerate(of, start=1)
            ],
        )
        Division.objects.filter(pk=self.division.pk).update(rounds_opened=row.number)

    def finish(self, folded: SeasonFold, places: dict[int, int]) -> None:
        at = self.wish.starts_at + self.wish.every * self.wish.rounds
        self.write(folded, [SeasonFinished.of(1, places)], at)
        Division.objects.filter(pk=self.division.pk).update(finished_at=at)
        Season.objects.filter(pk=self.season.pk).update(status=Season.Status.FINISHED, finished_at=at)


def guard(yes: bool) -> None:
    """Exit if this database is in use and `--yes` was not given."""
    strangers = Club.objects.exclude(slug=SLUG).exists()
    if not yes and (not settings.DEBUG or strangers):
        name = connection.settings_dict["NAME"]
        sys.exit(f"The database {name} is in use. Use --yes to fill it with generated people and games nevertheless.")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--games", type=int, default=1_000_000)
    asked.add_argument("--entrants", type=int, default=10_000, help="entrants of the large season")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--in-seasons", type=float, default=0.25, help="the part of the games that are in seasons")
    asked.add_argument(
        "--seconds", type=float, default=float("inf"), help="stop when a season is complete after so many seconds"
    )
    asked.add_argument("--yes", action="store_true", help="fill a database that is in use")
    wish = asked.parse_args()
    guard(wish.yes)
    app.conf.broker_url = "memory://localhost"
    app.conf.broker_transport_options = {}
    print(where(), flush=True)
    whole = generate(wish)
    if whole:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    sys.exit(0 if whole else 2)


def generate(wish: argparse.Namespace) -> bool:
    """Make what is missing, and print the progress. Return whether everything exists."""
    began = time.monotonic()
    making = Generator(wish.seed, wish.entrants)
    seasons = list(wishes(int(wish.games * wish.in_seasons), wish.entrants, making.club.created))
    besides = max(wish.games - sum(each.games for each in seasons), 0)
    total, there, made = sum(each.games for each in seasons) + besides, 0, 0
    crowded = making.crowds_made()
    every: list[Wish | Crowd] = [*seasons[:1], *crowds(besides, making.club.created), *seasons[1:]]
    for each in every:
        if isinstance(each, Wish):
            new = making.make(each)
        elif new := crowded <= each.number * CROWD:
            making.crowd(each)
        there, made = there + each.games, made + new * each.games
        took = time.monotonic() - began
        if new:
            rate = f"{made / took:,.0f} games/s, {(total - there) * took / made:,.0f} s left"
            print(f"{there:,} of {total:,} games, {took:,.0f} s, {rate}; CPU {time.process_time():,.0f} s", flush=True)
        if new and there < total and took > wish.seconds:
            return False
    print(f"{total:,} games exist after {time.monotonic() - began:,.0f} s; {where()}")
    return True


if __name__ == "__main__":
    main()
