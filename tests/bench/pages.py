"""Measures how long pages and lists of the API take in a club of a million games with a season of ten thousand
entrants.

    python -m tests.bench.pages [--requests 200] [--only WORD] [--explain]

It requests pages from the database of DATABASE_URL, which `python -m tests.bench.generate` has filled, as browsers and
programs do, in one process without the network. It requests each address so many times, its forms (first page, deep
page) in turn, after some that are not counted. A form that does not exist (the hundredth page of a short list) is left
out. A row has the number of queries of each form (in brackets those of a season of 64, where it has such a page), the
median and the 99th percentile of the CPU ms, here and in the database, which is the time on an idle machine: first
*cold*, with no rendered page stored (`games.common.page_cache`), then *warm*, as the same page is answered again, with
its number of queries. `missed` marks what is above `AIM` or `AIM_WARM`. `--explain` prints the slowest statements of
each.

Garbage is collected between requests, as the web does (`config.http.garbage_collection`). At the end it prints how
often and how long that was, and how often Python nevertheless collected everything within a request.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import os
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_RATE_LIMIT_FACTOR", "0")

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.cache import caches  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import Count  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from config.http.garbage_collection import IdleCollector  # noqa: E402
from games.common import page_cache, sealed_text  # noqa: E402
from games.models import Game, Player  # noqa: E402
from games.operations import daily_counts  # noqa: E402
from tests.bench.generate import SLUG  # noqa: E402
from tests.bench.where import where  # noqa: E402
from tournaments.clubs.models import Club, Membership  # noqa: E402
from tournaments.ratings.models import Rating, RatingPool  # noqa: E402
from tournaments.seasons.models import Match, Season  # noqa: E402

AIM: Final = 50  # ms of the 99th percentile, cold
AIM_WARM: Final = 5  # the same, warm
WARM: Final = 3  # requests of each form that are not counted


@dataclass(frozen=True)
class Asked:
    """An address in several forms, with the user who requests it. `small` is the same page of a small season."""

    name: str
    client: Client
    forms: list[str]
    small: str = ""


def cursor(position: object, listed: str = "games/") -> str:
    """Return the API's cursor for the page after a row with this value."""
    return sealed_text.seal(json.dumps([0, False, str(position)]), f"/api/v1/{listed}")


def addresses() -> Iterator[Asked]:
    """Yield all addresses to request."""
    club = Club.objects.get(slug=SLUG)
    large = Season.objects.annotate(n=Count("entries")).order_by("-n").select_related("league__club")[0]
    small = Season.objects.filter(status="finished", league__club=club).select_related("league__club").first() or large
    regular = Player.objects.filter(user__username="person1").get()
    regular = Player.objects.get(pk=busiest(bots=False)) or regular
    bot = Player.objects.get(pk=busiest(bots=True))
    staff, _ = User.objects.get_or_create(username="ada", defaults={"is_staff": True, "is_superuser": True})
    nobody, person, owner, admin = (logged_in(user) for user in (None, regular.user, club.owner, staff))
    yield from pages_of_all(nobody, person, club)
    yield from pages_of_season(nobody, person, owner, large, small)
    yield from pages_of_players(nobody, person, regular, bot)
    yield from pages_of_organisers(owner, admin, club)
    yield from lists_of_api(nobody, person, owner, admin, large, small, regular, bot)


def busiest(*, bots: bool) -> int:
    """Return the player with the most games in one rating pool."""
    row = (
        Rating.objects.filter(player__bot_version__isnull=not bots).order_by("-games").values_list("player", flat=True)
    )
    return row[0]


def logged_in(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def pages_of_all(nobody: Client, person: Client, club: Club) -> Iterator[Asked]:
    yield Asked("home", nobody, ["/"])
    yield Asked("home, a person", person, ["/"])
    yield Asked("watch", nobody, ["/watch/"])
    yield Asked("clubs", nobody, ["/clubs/"])
    at = f"/clubs/{club.slug}/"
    yield Asked("club", nobody, [at, f"{at}?page=2", f"{at}?state=running"])
    yield Asked("club, a member", person, [at])
    yield Asked("club's members", person, [f"{at}members/", f"{at}members/?page=150"])
    yield Asked("club's calendar", nobody, [f"{at}calendar/"])
    yield Asked("club's news", person, [f"{at}news/"])


def pages_of_season(nobody: Client, person: Client, owner: Client, large: Season, small: Season) -> Iterator[Asked]:
    at, less = (f"/clubs/{each.path}/" for each in (large, small))
    yield Asked("season", nobody, [at], less)
    yield Asked("season, an entrant", person, [at], less)
    yield Asked("season, the owner", owner, [at], less)
    for page in ("standings", "rounds", "activity", "settings"):
        yield Asked(f"season's {page}", nobody, [f"{at}{page}/"], f"{less}{page}/")
    deep = [f"{at}standings/?page=100", f"{at}standings/?page=200", f"{at}rounds/?round=3&matches=100"]
    yield Asked("season, deep pages", nobody, deep)
    number = large.entries.order_by("-number")[0].number // 2
    alone = "standings/?part=standings"
    yield Asked("standings alone", nobody, [f"{at}{alone}", f"{at}{alone}&page=100&row={number}"], f"{less}{alone}")
    yield Asked("pairings alone", nobody, [f"{at}?part=round", f"{at}?part=round&matches=100"], f"{less}?part=round")
    alone = "standings/?part=ratings"
    yield Asked("ratings of a season", nobody, [f"{at}{alone}"], f"{less}{alone}")
    alone = "activity/?part=timeline"
    yield Asked("activity alone", nobody, [f"{at}{alone}", f"{at}{alone}&before=5000"])
    alone = "standings/?part=what-if"
    yield Asked("what if", person, [f"{at}{alone}"], f"{less}{alone}")
    yield Asked("season's decisions", owner, [f"{at}decisions/"], f"{less}decisions/")
    match = Match.objects.filter(round__division__season=large).order_by("pk")[1234]
    of_small = Match.objects.filter(round__division__season=small).order_by("pk")[0]
    yield Asked("match", nobody, [f"/matches/{match.pk}/"], f"/matches/{of_small.pk}/")
    yield Asked("match, the owner", owner, [f"/matches/{match.pk}/"])


def pages_of_players(nobody: Client, person: Client, regular: Player, bot: Player) -> Iterator[Asked]:
    for name, who in (("person", regular), ("bot", bot)):
        at = f"/players/{who.pk}/"
        own = RatingPool.objects.filter(ratings__player=who)
        yield Asked(f"player, a {name}", nobody, [at, *[f"{at}?pool={pool.pk}" for pool in own[:2]]])
        yield Asked(f"player, a {name}, deep", nobody, [f"{at}?page=40", f"{at}?page=80"])
    pools = list(RatingPool.objects.all())
    boards = [f"/ratings/?pool={pool.slug}" for pool in pools]
    yield Asked("leaderboards", nobody, ["/ratings/", *boards, f"{boards[0]}&page=100"])
    yield Asked("leaderboards, searched", nobody, [f"{boards[0]}&q=Person77", f"{boards[0]}&q=nobody"])
    yield Asked("leaderboards, a person", person, ["/ratings/"])
    yield Asked("my games", person, ["/me/games/"])
    yield Asked("my games, deep", person, ["/me/games/?page=40", "/me/games/?page=80"])
    yield Asked("my notices", person, ["/me/notices/"])
    games = Game.objects.filter(match_game__isnull=False, kind="chinese_ten").order_by("-pk")
    yield Asked("replay", nobody, [f"/games/{game.public_id}/" for game in games[:50:10]])
    longer = Game.objects.filter(match_game__isnull=False, kind="plates").order_by("-pk")
    long = [game.public_id for game in longer[:50:10]]
    yield Asked("replay of a long game", nobody, [f"/games/{game}/" for game in long])
    pieces = ((0, 200), (200, 400), (400, 600))
    of = [f"/api/v1/games/{game}/replay/?since={since}&until={until}" for game in long for since, until in pieces]
    yield Asked("replay, the next piece", nobody, of)
    yield Asked("bots", nobody, ["/bots/"])
    at = f"/bots/{bot.name}/"
    yield Asked("a bot", nobody, [at])
    yield Asked("a bot's results", nobody, [f"{at}results/", f"{at}results/?kind=plates", f"{at}results/?page=3"])
    yield Asked("a bot's analysis", nobody, [f"{at}analysis/"])
    yield Asked("a bot's badge", nobody, [f"{at}badge.svg"])
    yield Asked("a bot's picture", nobody, [f"{at}picture.png"])
    yield Asked("a player's picture", nobody, [f"/players/{regular.pk}/picture.png"])
    pictures = [f"/games/{game}/picture.png{moment}" for game in long for moment in ("", "?at=50")]
    yield Asked("a game's picture", nobody, pictures)
    yield Asked("API bot", nobody, [f"/api/v1{at}{what}/" for what in ("results", "ratings", "analysis")])


def pages_of_organisers(owner: Client, admin: Client, club: Club) -> Iterator[Asked]:
    yield Asked("club's log", owner, [f"/clubs/{club.slug}/log/"])
    yield Asked("inbox", owner, [f"/clubs/{club.slug}/inbox/", f"/clubs/{club.slug}/audit-log/"])
    yield Asked("inbox, all my clubs", owner, ["/inbox/"])
    yield Asked("dashboard", admin, ["/admin/dashboard/"])
    yield Asked("status", admin, ["/api/v1/status/"])


def lists_of_api(
    nobody: Client,
    person: Client,
    owner: Client,
    admin: Client,
    large: Season,
    small: Season,
    regular: Player,
    bot: Player,
) -> Iterator[Asked]:
    game = Game.objects.order_by("-pk")[0].pk
    half, early = cursor(game // 2), cursor(1000)
    at = "/api/v1/"
    yield Asked("API games", nobody, [f"{at}games/", f"{at}games/?cursor={half}", f"{at}games/?cursor={early}"])
    kinds = [f"{at}games/?kind=plates", f"{at}games/?kind=palace&cursor={half}", f"{at}games/?status=aborted"]
    yield Asked("API games, filtered", nobody, kinds)
    of = [f"{at}games/?player={who.pk}{more}" for who in (regular, bot) for more in ("", f"&cursor={half}")]
    yield Asked("API games of a player", nobody, of)
    none = f"{at}games/?player={regular.pk}&kind=plates&status=aborted"
    yield Asked("API games, none found", nobody, [none])
    of_seasons = [f"{at}games/?season={each.pk}" for each in (large, small)]
    yield Asked("API games of a season", nobody, [*of_seasons, f"{of_seasons[1]}&finished_after=2030-01-01"])
    days = ["opened_after=2026-01-01&opened_before=2026-01-02"]
    days += ["finished_before=2001-01-01", "finished_after=2100-01-01"]
    yield Asked("API games of a time", nobody, [f"{at}games/?{day}" for day in days])
    yield Asked("API games, a person", person, [f"{at}games/", f"{at}games/?cursor={half}"])
    yield Asked("API games, 200 a page", nobody, [f"{at}games/?page_size=200&cursor={half}"])
    yield Asked("API players", nobody, [f"{at}players/", f"{at}players/{regular.pk}/", f"{at}players/?name=son77"])
    yield Asked("API seasons", nobody, [f"{at}seasons/", f"{at}seasons/?status=finished", f"{at}seasons/{large.pk}/"])
    for name in ("standings", "entrants", "rounds"):
        pages = [f"{at}seasons/{large.pk}/{name}/"]
        found = nobody.get(pages[0]).json().get("next")
        pages += [found[found.index(at) :]] if found else []
        yield Asked(f"API {name}", nobody, pages, f"{at}seasons/{small.pk}/{name}/")
    match = Match.objects.order_by("-pk")[0]
    matches = [f"{at}matches/", f"{at}matches/?round={match.round_id}", f"{at}matches/{match.pk}/"]
    of_seasons = [f"{at}matches/?season={each.pk}" for each in (large, small)]
    yield Asked("API matches of a season", nobody, [*of_seasons, f"{at}matches/?finished_before=2001-01-01"])
    yield Asked("API matches", nobody, [*matches, f"{at}matches/?cursor={cursor(match.pk // 2, 'matches/')}"])
    pool = Rating.objects.order_by("-games")[0].pool
    ratings = f"{at}ratings/?kind={pool.kind}&pool={pool.pool}"
    yield Asked("API ratings", nobody, [f"{at}ratings/", ratings, f"{ratings}&cursor={cursor(1500.5, 'ratings/')}"])
    yield Asked("API ratings, searched", nobody, [f"{ratings}&name=son77"])
    yield Asked("API club", nobody, [f"{at}clubs/", f"{at}clubs/{SLUG}/"])
    member = Membership.objects.order_by("pk")[5000] if Membership.objects.count() > 5000 else None
    members = [f"{at}clubs/{SLUG}/members/"] + ([f"{at}clubs/{SLUG}/members/?page_size=200"] if member else [])
    yield Asked("API members", person, members)
    yield Asked("API my games", person, [f"{at}me/games/", f"{at}me/games/?page=80"])
    yield Asked("API my seasons, matches", person, [f"{at}me/seasons/", f"{at}me/matches/", f"{at}me/notices/"])
    yield Asked("API inbox", owner, [f"{at}inbox/", f"{at}clubs/{SLUG}/inbox/", f"{at}clubs/{SLUG}/audit-log/"])
    one = Game.objects.get(pk=game).public_id
    yield Asked(
        "API replay, events", nobody, [f"{at}games/{one}/replay/", f"{at}games/{one}/", f"{at}games/{one}/events/"]
    )


@dataclass
class Looks:
    """Counts the full garbage collections of Python: the ms of each, between and within requests."""

    between: list[float]
    within: list[float]
    began: float = 0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        if info["generation"] == 2 and phase == "start":
            self.began = time.perf_counter()
        elif info["generation"] == 2:
            where = self.within if garbage.under_way else self.between
            where.append(1000 * (time.perf_counter() - self.began))

    def __str__(self) -> str:
        longest = sorted(self.between)[-max(1, len(self.between) // 100) :]
        each = f"median {statistics.median(self.between):.1f} ms, p99 {longest[0]:.1f} ms" if self.between else ""
        return f"garbage collections between requests: {len(self.between)}, {each}; within requests: {len(self.within)}"


garbage = IdleCollector()


def worked(backend: int) -> float:
    """Return the CPU ms so far of this process and of its database process."""
    with open(f"/proc/{backend}/schedstat") as file:
        return time.process_time() * 1000 + int(file.read().split()[0]) / 1e6


def ask(client: Client, address: str) -> None:
    """Request an address. Exit if its status is not 200."""
    with garbage.request():
        answer = client.get(address)
        list(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
    if answer.status_code != 200:
        sys.exit(f"{address} answers {answer.status_code}: {answer.content[:300]!r}")


def forget_pages() -> None:
    """Forget all rendered pages, so that the next request is cold."""
    caches[page_cache.CACHE].clear()


def queries_of(client: Client, address: str) -> list[dict[str, Any]]:
    with CaptureQueriesContext(connection) as asked:
        ask(client, address)
    return list(asked.captured_queries)


def measure(asked: Asked, requests: int, explain: bool) -> tuple[bool, bool]:
    """Request all forms of an address and print its row. Return whether it meets the aims, cold and warm."""
    asked = replace(asked, forms=[form for form in asked.forms if asked.client.get(form).status_code != 404])
    if not asked.forms:
        print(f"{asked.name:26} does not exist")
        return True, True
    for form in asked.forms * WARM:
        ask(asked.client, form)
    forget_pages()
    known = [queries_of(asked.client, form) for form in asked.forms]
    counts = "/".join(str(len(queries)) for queries in known)
    warm_queries = max(len(queries_of(asked.client, form)) for form in asked.forms)
    if asked.small:
        ask(asked.client, asked.small)
        forget_pages()
        counts += f" ({len(queries_of(asked.client, asked.small))})"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = int(cursor.fetchone()[0])
    work: list[float] = []
    again: list[float] = []
    for turn in range(max(requests, len(asked.forms))):
        forget_pages()
        for spent in (work, again):
            with garbage.request():  # keeps the collection until the CPU time was read
                before = worked(backend)
                ask(asked.client, asked.forms[turn % len(asked.forms)])
                spent.append(worked(backend) - before)
    most, most_again = (statistics.quantiles(some, n=100)[98] for some in (work, again))
    worst = max(range(len(asked.forms)), key=lambda form: statistics.median(work[form :: len(asked.forms)]))
    missed = "" if most <= AIM else f"  missed cold; slowest {asked.forms[worst]}"
    missed += "" if most_again <= AIM_WARM else "  missed warm"
    cold = f"{counts:>14} {statistics.median(work):8.1f} {most:8.1f}"
    warm = f"{warm_queries:8} {statistics.median(again):8.1f} {most_again:8.1f}"
    print(f"{asked.name:26} {cold} {warm}{missed}", flush=True)
    if explain:
        for query in sorted(known[worst], key=lambda query: -float(query["time"]))[:3]:
            print(f"    {float(query['time']) * 1000:.0f} ms: {query['sql'][:1500]}")
    return most <= AIM, most_again <= AIM_WARM


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--only", default="", help="only addresses with this word in their name")
    parser.add_argument("--explain", action="store_true")
    wish = parser.parse_args()
    settings.DEBUG = False  # Django keeps no list of all queries
    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
    settings.SECURE_SSL_REDIRECT = False
    logging.disable(logging.WARNING)
    daily_counts.count_finished_days()
    print(where())
    print(f"{Game.objects.count():,} games, {wish.requests} requests of each")
    print(f"{'':26} {'cold: queries':>14} {'median':>8} {'p99':>8}    warm: {'median':>8} {'p99':>8}")
    chosen = [each for each in addresses() if wish.only in each.name]
    for each in chosen:
        for form in each.forms:
            each.client.get(form)
    looks = Looks([], [])
    gc.callbacks.append(looks)
    garbage.begin()
    held = [measure(each, wish.requests, wish.explain) for each in chosen]
    print(looks)
    cold, warm = (sum(each) for each in zip(*held, strict=True))
    print(f"of {len(chosen)} {cold} within {AIM} ms cold, {warm} within {AIM_WARM} ms warm; {where()}")


if __name__ == "__main__":
    main()
