"""Results, ratings, play and badge of a bot: what its pages and the API say of games that others play with it.

The games are played without a sandbox, because only their rows matter here.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.bots import uploads
from games.bots.models import BotSource
from games.common import clock
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.models import Bot, BotVersion, Deal, Game, Player, Trial
from games.play import services as play
from games.play.models import Fault
from games.workers.models import BotResponseTimes
from replays.review import ledgers
from tests.assertions.page import Page
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.factories.games import play_game
from tests.factories.people import browser_of, joined
from tests.fixtures.saved_rows import world
from tests.tournaments.club import new_club
from tournaments.bot_pages import results
from tournaments.ratings.models import Rating, RatingChange, RatingPool

pytestmark = pytest.mark.django_db

RESULTS, ANALYSIS, API = "/bots/Gannet/results/", "/bots/Gannet/analysis/", "/api/v1/bots/Gannet/"


@world
def admitted() -> list[Player]:
    """Return Dotty and both admitted versions of her bot Gannet, of which the second plays."""
    dotty = joined("Dotty")
    assert dotty.user is not None
    bot = uploads.new_bot(owner=dotty.user, name="Gannet")
    return [dotty, *(version_of(bot, number) for number in (1, 2))]


def version_of(bot: Bot, number: int) -> Player:
    version = BotVersion.objects.create(
        bot=bot, number=number, transport="upload", program="upload", state="passed", kinds=["chinese_ten"], size=9
    )
    BotSource.objects.create(version=version, text=f"# v{number}\n")
    Bot.objects.filter(pk=bot.pk).update(plays=version)
    return Player.objects.create(name=bot.name, bot_version=version)


@pytest.fixture
def dotty(db: None) -> Player:
    return admitted()[0]


@pytest.fixture
def gannet(dotty: Player) -> Player:
    """Return the second version, which plays."""
    return Player.objects.get(bot_version__number=2, bot_version__bot__name="Gannet")


@pytest.fixture
def sensible(db: None) -> Player:
    return ensure_builtin_bots()["sensible"]


def played(players: list[Player], kind: str = "chinese_ten", **fields: object) -> Game:
    game = play_game(play.open_game(kind=kind, players=players))
    if fields:
        Game.objects.filter(pk=game.pk).update(**fields)
    return game


def counted(player: Player, viewer: User | AnonymousUser | None = None) -> list[tuple[str, int, int]]:
    rows = results.opponent_counts(player.pk, viewer or AnonymousUser())
    return [(row.kind, row.seats, row.results.games) for row in rows]


# who has won


def test_results_are_counted_by_opponent_game_and_seat(gannet: Player, sensible: Player, client: Client) -> None:
    random = ensure_builtin_bots()["random"]
    games = [played([gannet, sensible]), played([sensible, gannet]), played([gannet, random])]
    placings = [game.outcome["placings"] for game in games if game.outcome]
    won = [placings[0][0] == 1, placings[1][1] == 1]
    found = client.get(f"{API}results/").json()["results"]
    assert [(row["opponent"]["name"], row["results"]["games"]) for row in found] == [("Sensible", 2), ("Random", 1)]
    assert [each["results"]["won"] + each["results"]["drawn"] for each in found[0]["by_seat"]] == [won[0], won[1]]
    assert found[1]["by_seat"][1] == {"seat": 1, "results": None}
    page = Page.of(client.get(RESULTS))
    assert page.faults() == []
    assert "3 games" in page.text
    assert "Seat 2" in page.text


def test_at_a_large_table_whoever_finishes_ahead_of_an_opponent_has_won(gannet: Player, sensible: Player) -> None:
    random = ensure_builtin_bots()["random"]
    game = played([sensible, gannet, random], "palace")
    assert game.outcome
    own, *others = (game.outcome["placings"][seat] for seat in (1, 0, 2))
    total = results.ResultCounts.total(row.results for row in results.opponent_counts(gannet.pk, AnonymousUser()))
    assert total == results.ResultCounts(
        2, sum(own < each for each in others), others.count(own), sum(own > each for each in others)
    )
    assert counted(gannet) == [("palace", 3, 1), ("palace", 3, 1)]


def test_games_of_a_private_club_count_for_its_members_and_players_only(gannet: Player, dotty: Player) -> None:
    laura, otto = joined("Laura"), joined("Otto")
    club = new_club(name="Lantern Street", slug="lantern", owner=otto.user, visibility="private")
    played([gannet, laura], audience_club_id=club.pk)
    assert [counted(gannet, who.user) for who in (dotty, laura, otto)] == [
        [],
        [("chinese_ten", 2, 1)],
        [("chinese_ten", 2, 1)],
    ]
    for address in (RESULTS, "/bots/Gannet/", f"{API}results/"):
        assert b"Laura" not in browser_of(dotty).get(address).content
    assert "+0 =0 −0" in browser_of(laura).get("/bots/Gannet/badge.svg").content.decode(), "the same for everybody"


def test_a_result_that_the_public_does_not_know_yet_is_not_counted(gannet: Player, sensible: Player) -> None:
    game = played([gannet, sensible])
    terms = dict(game.terms)
    assert len(counted(gannet)) == 1
    Game.objects.update(terms={**terms, "watch_delay": 3600})
    assert counted(gannet) == []
    Game.objects.update(terms={**terms, "sealed": True})
    Deal.objects.update(revealed_at=None)
    assert counted(gannet) == []


def test_trials_and_games_on_are_not_counted(gannet: Player, sensible: Player) -> None:
    play.open_game(kind="chinese_ten", players=[gannet, sensible])
    assert counted(gannet) == []


def test_one_game_is_chosen_and_another_version_too(gannet: Player, sensible: Player, client: Client) -> None:
    first = Player.objects.get(bot_version__number=1, bot_version__bot__name="Gannet")
    played([gannet, sensible])
    played([first, sensible], "plates")
    asked = [client.get(f"{API}results/{query}").json() for query in ("", "?kind=plates", "?version=1&kind=plates")]
    assert [len(each["results"]) for each in asked] == [1, 0, 1]
    played([gannet, sensible], "plates")
    assert "1 game" in Page.of(client.get(f"{RESULTS}?kind=plates")).text, "of that kind alone"
    wrong = client.get(f"{API}results/?kind=bridge")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "bad_parameter")
    assert client.get(f"{API}results/?version=7").status_code == client.get(f"{RESULTS}?version=7").status_code == 404
    assert client.get(f"{RESULTS}?page=9").status_code == 404


def test_the_pages_ask_no_more_queries_the_more_was_played(gannet: Player, sensible: Player, client: Client) -> None:
    def queries() -> list[int]:
        numbers = []
        for address in ("/bots/Gannet/", RESULTS, ANALYSIS):
            with CaptureQueriesContext(connection) as asked:
                client.get(address)
            numbers.append(len(asked))
        return numbers

    played([gannet, sensible])
    before = queries()
    for name in ("random", "strong", "sensible"):
        played([gannet, ensure_builtin_bots()[name]], "plates")
    assert queries() == before


# ratings


def test_the_rating_is_drawn_as_a_line_for_each_version(gannet: Player, sensible: Player, client: Client) -> None:
    stream = eventlog.create(subject=Stream.Subject.RATING_POOL, at=clock.now())
    pool = RatingPool.objects.create(kind="chinese_ten", pool="mixed", stream=stream)
    game = played([gannet, sensible])
    for number, (before, after) in ((1, (1500, 1490)), (2, (1500, 1530))):
        player = Player.objects.get(bot_version__number=number, bot_version__bot__name="Gannet")
        Rating.objects.create(pool=pool, player=player, rating=after, games=1)
        RatingChange.objects.create(
            pool=pool, player=player, game=game, position=number, before=before, after=after, games=0, counted=1
        )
    page = client.get("/bots/Gannet/").content.decode()
    assert "Rating of each version of Gannet over 2 games." in page
    assert page.count('<path class="line disc"') == page.count('<path class="line square"') == 2, "wide and narrow"
    found = client.get(f"{API}ratings/").json()
    assert [(row["version"], row["pool"], row["rating"], row["steps"]) for row in found] == [
        (2, "mixed", 1530.0, [1530.0]),
        (1, "mixed", 1490.0, [1490.0]),
    ]
    assert "Chinese Ten 1530 · +" in client.get("/bots/Gannet/badge.svg").content.decode()


# the badge


def test_the_badge_is_an_svg_that_caches_may_keep(gannet: Player, sensible: Player, client: Client) -> None:
    uploads.change_bot(gannet.bot_version.bot, description="<script>")  # type: ignore[union-attr]
    Bot.objects.filter(name="Gannet").update(name='G<a"&')
    answer = client.get("/bots/Gannet/badge.svg")
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("image/svg+xml", "public, max-age=3600")
    assert answer["Vary"] == "Accept-Language"
    drawn = ET.fromstring(answer.content)  # well-formed, whatever the bot is called
    assert drawn.find("{http://www.w3.org/2000/svg}title").text == 'G<a"& v2: 0 won, 0 drawn, 0 lost'  # type: ignore[union-attr]
    assert client.get("/bots/Gannet/badge.svg", headers={"If-None-Match": answer["ETag"]}).status_code == 304


def test_a_private_bot_has_no_badge_and_its_page_offers_none(gannet: Player, dotty: Player) -> None:
    line = "&lt;a href=&quot;http://testserver/bots/Gannet/&quot;&gt;&lt;img src=&quot;"
    assert line in browser_of(dotty).get("/bots/Gannet/").content.decode()
    uploads.change_bot(gannet.bot_version.bot, visibility="private")  # type: ignore[union-attr]
    assert browser_of(dotty).get("/bots/Gannet/badge.svg").status_code == 404
    assert "badge.svg" not in browser_of(dotty).get("/bots/Gannet/").content.decode()


# the source


def test_a_source_is_read_by_others_only_once_its_author_publishes_it(dotty: Player, gannet: Player) -> None:
    anybody, author = Client(), browser_of(dotty)
    assert anybody.get("/bots/Gannet/v2/source/").status_code == 404
    refused = anybody.get(f"{API}versions/2/source/")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "source_not_published")
    assert anybody.get(f"{API}versions/2/").json()["source_address"] == ""
    author.post("/bots/Gannet/change/", {"visibility": "public", "source_published": "on"})
    assert anybody.get("/bots/Gannet/v2/source/").content == b"# v2\n"
    assert anybody.get(anybody.get(f"{API}versions/2/").json()["source_address"]).content == b"# v2\n"
    assert "/bots/Gannet/v2/source/" in anybody.get("/bots/Gannet/").content.decode()
    BotVersion.objects.filter(number=2).update(state="quarantined")
    assert anybody.get("/bots/Gannet/v2/source/").status_code == 404, "it may not play"
    author.post("/bots/Gannet/change/", {"visibility": "public"})
    assert anybody.get("/bots/Gannet/v1/source/").status_code == 404
    assert author.get("/bots/Gannet/v1/source/").status_code == 200


def test_a_published_source_is_in_the_export_and_ends_with_the_account(dotty: Player, gannet: Player) -> None:
    assert dotty.user is not None
    bot = gannet.bot_version.bot  # type: ignore[union-attr]
    uploads.change_bot(bot, source_published=True)
    assert browser_of(dotty).get("/me/export/").json()["bots"][0]["source_published"] is True
    uploads.retire(dotty.user)
    bot.refresh_from_db()
    assert (bot.source_published, BotSource.objects.exists()) == (False, False)


# versions compared


def test_any_two_versions_are_compared_by_one_button(dotty: Player, gannet: Player) -> None:
    author = browser_of(dotty)
    page = author.get("/bots/Gannet/").content.decode()
    assert re.findall(r'name="pair"\s+value="([^"]+)"', page) == ["2-1"]
    author.post("/bots/Gannet/compare/", {"pair": "2-1", "kind": "chinese_ten", "preset": "gain"})
    made = Trial.objects.get(what="comparison")
    assert (made.version.number, made.against and made.against.number) == (2, 1)


# how it plays


def test_the_analysis_says_what_luck_and_play_were_worth_and_where(
    gannet: Player, sensible: Player, client: Client
) -> None:
    games = [played([gannet, sensible]) for _ in range(6)]
    assert "None of its games has a luck ledger yet." in Page.of(client.get(ANALYSIS)).text
    ledgers.find_games()
    ledgers.compute_due()
    found = client.get(f"{API}analysis/").json()
    [form] = found["form"]
    assert (found["games"], form["games"], form["kind"]) == (6, 6, "chinese_ten")
    assert form["adjusted"] == pytest.approx(form["result"] - form["luck"])
    assert [step["games"] for step in form["steps"]] == [3, 6]
    assert found["costs"], "who always plays the first legal move plays badly"
    worst = found["costs"][0]
    assert worst["cost"] == max(each["cost"] for each in found["costs"])
    page = Page.of(client.get(ANALYSIS))
    assert page.faults() == []
    moment = worst["moments"][0]
    assert moment["game"] in {game.public_id for game in games}
    link = f"/games/{moment['game']}/?viewpoint={moment['seat']}#{moment['version']}"
    assert link in [attrs.get("href") for tag, attrs in page.tags if tag == "a"]


def test_a_slow_answer_links_to_its_moment_unless_the_game_is_not_open_to_the_reader(
    gannet: Player, sensible: Player, client: Client
) -> None:
    game = played([gannet, sensible])
    version = BotVersion.objects.get(player=gannet)
    BotResponseTimes.objects.create(
        bot_version=version, game=game, seat=0, at=clock.now(), times=[3.0, 812.6, 4.0], slowest_at=17
    )
    [slow] = client.get(f"{API}analysis/").json()["slowest"]
    assert (slow["ms"], slow["game"], slow["version"]) == (812.6, game.public_id, 17)
    page = client.get(ANALYSIS).content.decode()
    assert f"/games/{game.public_id}/?viewpoint=0#17" in page
    assert ("813 ms" in page, "812" in page) == (True, False), "one figure for one answer"
    club = new_club(name="Lantern", slug="lantern", owner=joined("Otto").user, visibility="private")
    Game.objects.filter(pk=game.pk).update(audience_club_id=club.pk)
    assert client.get(f"{API}analysis/").json()["slowest"] == []


def test_faults_are_counted_by_version_and_week(gannet: Player, sensible: Player, client: Client) -> None:
    game = played([gannet, sensible])
    before = timezone.localdate().weekday() + 7 * 7  # days until the first Monday that is shown
    for days, number, kind in (
        (0, 2, "crashed"),
        (0, 2, "timeout"),
        (8, 1, "crashed"),
        (before + 1, 1, "crashed"),
        (0, 2, "infrastructure"),
    ):
        Fault.objects.create(
            bot_version=BotVersion.objects.get(bot__name="Gannet", number=number),
            at=clock.now() - timedelta(days=days),
            game=game,
            kind=kind,
            cost="random_move",
        )
    table = client.get(f"{API}analysis/").json()["faults"]
    assert [(row["version"], row["total"], row["weeks"][-1]) for row in table["versions"]] == [(2, 2, 2), (1, 1, 0)]
    assert len(table["weeks"]) == len(table["versions"][0]["weeks"]) == 8
