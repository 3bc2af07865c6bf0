"""Duplicate deals: the games of a round share their cards, nobody gets them twice, and nothing is shown too early."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import get_resolver
from django.urls.resolvers import URLPattern, URLResolver

from games.accounts import people
from games.bots import time_slices, uploads
from games.common import clock
from games.common.errors import DomainError
from games.models import Bot, BotVersion, Deal, Game, Player
from games.play import services as play_services
from games.play.models import Fault
from games.visibility import observe
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.pacing import COUNTDOWN_SECONDS
from tests.fixtures.saved_rows import world
from tests.games.bots.conftest import FIRST
from tests.games.bots.test_faults import seated
from tests.tournaments.club import BEGIN, Start, builtin_bot, play, play_season
from tournaments.director import director, open_games
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.maintenance import rebuild
from tournaments.seasons.models import League, Match, MatchEntrant, MatchGame, Season

pytestmark = pytest.mark.django_db

DUPLICATE = {"deals": "duplicate"}
MINUTE = timedelta(minutes=1)


def person(name: str) -> Player:
    return people.create_profile_and_player(User.objects.create_user(name.lower()), name)


def remote_bot(name: str, owner: User) -> Player:
    bot = Bot.objects.create(name=name, owner=owner)
    version = BotVersion.objects.create(bot=bot, number=1, transport=BotVersion.Transport.REMOTE)
    return Player.objects.create(bot_version=version, name=name)


def begun(league: League, players: list[Player], **settings: Any) -> Season:
    """Return a season of these players with duplicate deals and its first round paired."""
    usual = {"kind": "chinese_ten", "options": {"packs": 1}, "format": "round_robin", "terms": {"move_days": 2}}
    with clock.frozen_at(BEGIN):
        season = seasons.create_season(
            league=league,
            name="Autumn",
            starts_at=BEGIN,
            calendar={"seconds": 60},
            **{**usual, **DUPLICATE, **settings},
        )
        entries.enter_players(season=season, players=players)
        seasons.start_season(season=season, seed="5a" * 32)
        director.advance()
    return season


def by_number(season: Season) -> dict[int, list[MatchGame]]:
    """Return the games of the season by their number in the match."""
    found: dict[int, list[MatchGame]] = defaultdict(list)
    games = MatchGame.objects.filter(match__round__division__season=season).select_related("game__deal")
    for one in games.order_by("match", "replay"):
        found[one.number].append(one)
    return found


def finish(game: Game, seed: int = 0) -> Game:
    play(game, random.Random(seed))
    game.refresh_from_db()
    return game


def test_games_of_people_with_the_same_number_share_a_deal_and_nobody_sits_at_one_twice(league: League) -> None:
    season = begun(league, [person(name) for name in ("Martha", "Laura", "Otto", "Ines")], games_a_match=3)
    deals = {number: {one.game.deal_id for one in games} for number, games in by_number(season).items()}
    assert [len(deal) for deal in deals.values()] == [1, 1, 1]
    assert len(set.union(*deals.values())) == 3
    sat = Game.objects.values_list("deal", "seats__player")
    assert all(often == 1 for often in Counter(sat).values())


def test_different_people_hold_the_same_cards_in_the_same_seat(league: League) -> None:
    season = begun(league, [person(name) for name in ("Martha", "Laura", "Otto", "Ines")], games_a_match=1)
    one, other = (each.game for each in by_number(season)[1])
    seen = [[visibility.observation(play_services.load_game(game), seat) for seat in (0, 1)] for game in (one, other)]
    assert seen[0] == seen[1]
    assert seen[0][0] != seen[0][1]
    assert (
        play_services.load_game(one).opened["commitment"] != play_services.load_game(other).opened["commitment"]
    )  # a viewer cannot tell


def test_a_person_and_their_remote_bot_are_one_who_remembers(league: League) -> None:
    """Martha's bot could tell her the cards that it has seen, so its table has a deal of its own."""
    martha = person("Martha")
    assert isinstance(martha.user, User)
    season = begun(league, [martha, builtin_bot("Gannet")])
    others = [person(name) for name in ("Puffin", "Laura", "Otto", "Ines")]
    tables = [(martha, others[0]), (remote_bot("Her hand", martha.user), others[1]), (others[2], others[3])]
    first, own, last = open_games.assign_deals(season, [(1, open_games.GameSetup(players)) for players in tables])
    assert first.deal is not None
    assert (first.deal, own.deal) == (last.deal, None)


def test_bots_play_both_legs_of_a_deal_and_all_tables_of_the_round_the_same(running: Start) -> None:
    season = running(4, games_a_match=4, format="round_robin", **DUPLICATE)
    with clock.frozen_at(BEGIN):
        director.advance()
    games = by_number(season)
    deals = {number: {one.game.deal_id for one in of_number} for number, of_number in games.items()}
    assert deals[1] == deals[2] != deals[3] == deals[4]
    assert all(len(deal) == 1 for deal in deals.values())
    for first, second in zip(games[1], games[2], strict=True):
        seats = [list(one.game.seats.values_list("player", flat=True)) for one in (first, second)]
        assert seats[0] == seats[1][::-1]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_nothing_of_a_round_is_recorded_before_its_last_game_and_rebuild_then_finds_no_difference(
    running: Start,
) -> None:
    season = running(4, format="round_robin", **DUPLICATE)
    with clock.frozen_at(BEGIN):
        director.advance()
        games = [one.game for of_number in by_number(season).values() for one in of_number]
        for game in games[:-1]:
            finish(game)
        director.advance()
        assert not MatchGame.objects.exclude(recorded_at=None).exists()
        assert not MatchEntrant.objects.exclude(points=None).exists()
        assert {observe.is_sealed(game) for game in games[:-1]} == {True}
        finish(games[-1])
        director.advance()
    assert not MatchGame.objects.filter(recorded_at=None).exists()
    play_season(season)
    assert list(rebuild.find_differences()) == []


def test_a_game_that_was_aborted_is_played_again_with_a_deal_of_its_own(league: League) -> None:
    """Its players have seen cards of the old deal and would get them a second time."""
    season = begun(league, [person(name) for name in ("Martha", "Laura", "Otto", "Ines")], games_a_match=1)
    one, other = (each.game for each in by_number(season)[1])
    with clock.frozen_at(BEGIN + MINUTE):
        play_services.abort_game(game=one, reason="The lights went out.")
        director.advance()
        again = MatchGame.objects.get(replay=1).game
        assert again.deal_id not in (one.deal_id, other.deal_id)
        assert again.terms["sealed"]
        other.refresh_from_db()
        assert Game.objects.get(pk=one.pk).deal.revealed_at is None  # its cards are in play at the other table
        finish(other)
        finish(again)
        director.advance()
    assert not MatchGame.objects.filter(match__round__number=1, recorded_at=None).exists()


def test_where_one_game_follows_the_other_all_tables_begin_a_deal_together(league: League) -> None:
    """This includes bots: if their second game ended first, its deal would be published before people had begun it."""
    season = begun(
        league,
        [person("Martha"), person("Laura"), builtin_bot("Gannet"), builtin_bot("Wren")],
        games_a_match=2,
        terms={"move_seconds": 30, "bank_seconds": 60, "check_in_minutes": 30},
    )
    assert set(by_number(season)) == {1}
    first, last = (one.game for one in by_number(season)[1])
    with clock.frozen_at(BEGIN + 30 * MINUTE):
        for game in (first, last):
            check_in(game)
        finish(first)
        director.advance()
        assert set(by_number(season)) == {1}
        finish(last)
        director.advance()
    following = by_number(season)[2]
    assert len({one.game.deal_id for one in following}) == 1
    assert following[0].match_id != following[1].match_id
    assert not any(one.match.finished_at for one in following)


def check_in(game: Game) -> None:
    """Let each person check in, and give GO."""
    now = clock.now()
    for seat in game.seats.filter(player__bot_version=None):
        play_services.mark_ready(game=game, seat=seat.seat)
    for moment in (now, now + timedelta(seconds=COUNTDOWN_SECONDS)):
        game.refresh_from_db()
        with clock.frozen_at(moment):
            play_services.expire_clocks(game=game)
    game.refresh_from_db()


def test_a_format_that_pairs_all_the_time_has_no_tables_to_share_a_deal(league: League) -> None:
    with pytest.raises(DomainError) as refused:
        seasons.create_season(league=league, name="Autumn", kind="chinese_ten", format="arena", deals="duplicate")
    assert (refused.value.code, refused.value.field) == ("bad_setting", "deals")


def test_tables_that_begin_apart_share_no_deal(league: League) -> None:
    with pytest.raises(DomainError) as refused:
        seasons.create_season(
            league=league, name="Autumn", kind="chinese_ten", calendar={"bots": "at_night"}, deals="duplicate"
        )
    assert (refused.value.code, refused.value.field) == ("bad_setting", "deals")


# These tests read all outputs. The game that ended first has a result that no other text contains.
SCORES = (7654321, 6543217)
SCORE_TEXTS = ("7654321", "7,654,321", "6543217", "6,543,217")


@pytest.fixture
def sealed(league: League) -> Iterator[tuple[Season, Game, Game]]:
    """Return a deal that Martha and Laura have finished, while Otto and Ines still play it."""
    with clock.frozen_at(BEGIN + MINUTE):
        yield half_played(league)


@world
def half_played(league: League) -> tuple[Season, Game, Game]:
    season = begun(league, [person(name) for name in ("Martha", "Laura", "Otto", "Ines")], games_a_match=1)
    one, other = (each.game for each in by_number(season)[1])
    with clock.frozen_at(BEGIN + MINUTE):
        finish(one)
        mark(one)
        director.advance()
    return season, one, other


def mark(game: Game) -> None:
    """Write the marked scores into the rows that lists and pages read."""
    assert game.outcome
    game.outcome = {**game.outcome, "scores": list(SCORES)}
    game.save(update_fields=["outcome"])
    for seat in game.seats.all():
        seat.score = SCORES[seat.seat]
        seat.save(update_fields=["score"])


def addresses(values: dict[str, list[str]], shown: dict[type[Model], object], *, naming: bool = False) -> list[str]:
    """Return every address of the site that can be read, with its parts that are keys of `values` replaced by each of
    their values; with `naming`, only those that have such a part. The admin's pages of rows get the row that is to be
    `shown`, and the first row of other models."""
    found = []

    def walk(patterns: Any, before: str) -> None:
        for each in patterns:
            if isinstance(each, URLResolver):
                walk(each.url_patterns, before + route(each))
            elif isinstance(each, URLPattern) and is_read(each):
                fill(f"/{before}{route(each)}")

    def fill(address: str) -> None:
        known = values | ({"<object_id>": rows(address)} if "<object_id>" in address else {})
        parts = [part for part in known if part in address]
        for chosen in itertools.product(*(known[part] for part in parts)):
            filled = address
            for part, value in zip(parts, chosen, strict=True):
                filled = filled.replace(part, value)
            filled = filled.replace("<pk>", "1")
            if "<" not in filled and (parts or not naming):
                found.append(filled)

    def rows(address: str) -> list[str]:
        _, _admin, app, name, *_rest = address.split("/")
        model = apps.all_models[app].get(name)
        if model is None:
            return []
        found = [shown[model]] if model in shown else model._default_manager.values_list("pk", flat=True)[:2]
        return [str(pk) for pk in found]

    walk(get_resolver().url_patterns, "")
    return sorted(set(found))


def is_read(each: URLPattern) -> bool:
    """Return whether the test may send a GET there, as far as its pattern tells."""
    actions = getattr(each.callback, "actions", None) or ("get",)  # of the API's sets of views
    return "get" in actions and not str(each.pattern).endswith("logout/")


def route(each: URLPattern | URLResolver) -> str:
    """Return the address's part as `a/<name>/`, from any sort of pattern."""
    written = str(each.pattern).lstrip("^").replace("\\Z", "").replace("$", "").replace("\\.", ".")
    written = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", r"<\1>", written)
    return re.sub(r"<\w+:", "<", written).rstrip("?")


def everything(season: Season, game: Game, client: Client, *, naming: bool = False) -> dict[str, str]:
    """Return address → response for everything that a reader can request; with `naming`, for what is named after the
    game: itself, its match, its season and its players."""
    league, match = season.league, game.match_game.match
    values = {
        "<public_id>": [game.public_id],
        "<club>": [league.club.slug],
        "<league>": [league.slug],
        "<season>": [season.slug],
        "<match_id>": [str(match.pk)],
        "<player_id>": [str(seat.player_id) for seat in game.seats.all()],
        "<kind>": [game.kind],
        "/seasons/<pk>/": [f"/seasons/{season.pk}/"],
        "/matches/<pk>/": [f"/matches/{match.pk}/"],
        "/games/<pk>/": [f"/games/{game.public_id}/"],
        "/players/<pk>/": [f"/players/{seat.player_id}/" for seat in game.seats.all()],
    }
    answers = {}
    is_staff = client.get("/admin/").status_code == 200
    for address in addresses(values, {Season: season.pk, Match: match.pk, Game: game.pk}, naming=naming):
        if address.startswith("/admin/") and not is_staff:
            continue  # tests/permissions checks whom the admin lets in
        if address.startswith("/api/v1/schema/"):
            continue  # it reads no rows, and takes long to make
        answers[address] = answered(client, address)
    assert f"/api/v1/matches/{match.pk}/" in answers
    return answers


def answered(client: Client, address: str) -> str:
    answer = client.get(address, follow=False)
    assert not answer.streaming, address
    return f"{answer.status_code} {answer.content.decode(errors='replace')} {dict(answer.headers)}"


def of(name: str) -> Client:
    client = Client(raise_request_exception=False)
    if name:
        client.force_login(User.objects.get(username=name))
    return client


@pytest.mark.slow
@pytest.mark.long  # requests every address
@pytest.mark.parametrize(
    "reader", ["otto", *(pytest.param(name, marks=pytest.mark.slow) for name in ("", "martha", "ada"))]
)
def test_no_page_tells_the_result_or_the_secrets_of_a_sealed_game_to_anybody(
    reader: str, sealed: tuple[Season, Game, Game]
) -> None:
    """The test asks as the public, as Otto at the other table, as Martha who played the game, and as an admin."""
    season, one, _other = sealed
    User.objects.create_superuser("ada")
    stream = one.stream
    secrets = [bytes(each).hex() for each in (one.deal.seed, one.salt, stream.head)]
    answers = everything(season, one, of(reader))
    assert len(answers) > 60
    for address, answer in answers.items():
        assert not [word for word in (*SCORE_TEXTS, *secrets) if word in answer], address
        assert not answer.startswith("500"), address


@pytest.mark.some(1)
@pytest.mark.parametrize("reader", ["", "otto", "niamh", "ada"])
def test_nobody_else_reads_a_card_of_a_sealed_game(reader: str, sealed: tuple[Season, Game, Game]) -> None:
    """Log, replay, stream and export are closed, above all to players of the same deal."""
    _season, one, _other = sealed
    User.objects.create_superuser("ada")
    client = of(reader)
    for part in ("", "events/", "replay/", "replay/?viewpoint=0", "stream/", "turn/", "export/", "verify/"):
        answer = client.get(f"/api/v1/games/{one.public_id}/{part}")
        if part:
            assert answer.status_code in (401, 403, 404, 409), part
    assert client.get(f"/games/{one.public_id}/").status_code in (200, 403)
    assert observe.allowed_viewpoints(one, User.objects.get(username=reader or "otto")) == []


def test_when_the_last_game_is_over_everybody_knows_all_of_it(sealed: tuple[Season, Game, Game]) -> None:
    """It proves that the search of the tests above finds a result and a seed when they are public."""
    _season, one, other = sealed
    finish(other)
    director.advance()
    one.refresh_from_db()
    match, export = (
        answered(of("otto"), address)
        for address in (f"/matches/{one.match_game.match_id}/", f"/api/v1/games/{one.public_id}/export/")
    )
    assert any(word in match for word in SCORE_TEXTS)
    assert any(word in export for word in SCORE_TEXTS)
    assert bytes(one.deal.seed).hex() in export


REMEMBERS = """
import builtins, os, sys

PLACES = ["/tmp/hands", "/dev/shm/hands", "/var/tmp/hands", "hands"]

def recall():
    if getattr(builtins, "hands", None) or os.environ.get("HANDS") or "hands" in sys.modules:
        return True
    for place in PLACES:
        try:
            with open(place) as file:
                return bool(file.read())
        except OSError:
            pass
    return False

def store(text):
    builtins.hands = text
    os.environ["HANDS"] = text
    sys.modules["hands"] = sys
    for place in PLACES:
        try:
            with open(place, "w") as file:
                file.write(text)
        except OSError:
            pass

class Bot:
    kinds = ("chinese_ten",)

    def __init__(self):
        self.knows = recall()

    def move(self, view, legal):
        store(repr(view.observation))
        return legal[-1] if self.knows else legal[0]

    def over(self, outcome):
        store(repr(outcome))
"""


@pytest.mark.slow
def test_a_bot_that_remembers_gains_nothing(league: League) -> None:
    """The bot plays other moves as soon as it finds a trace of an earlier game. In the sandbox it finds none, and plays
    every leg like its twin, which does not search."""
    dotty = person("Dotty").user
    assert isinstance(dotty, User)
    bots = {}
    for name, source in (("Elephant", REMEMBERS), ("Goldfish", FIRST)):
        bot = uploads.new_bot(owner=dotty, name=name)
        bots[name] = seated(uploads.upload_version(bot=bot, data=source.encode()))
    terms = {"bot_move_ms": 5000, "rated": False}
    season = begun(league, [bots["Elephant"], builtin_bot("Gannet")], games_a_match=4, terms=terms)
    time_slices.play_time_slices("sandbox 1")
    games = [one.game for of_number in by_number(season).values() for one in of_number]
    assert len({game.deal_id for game in games}) == 2  # two deals, both legs of each
    assert not Fault.objects.filter(bot_version=bots["Elephant"].bot_version).exists()
    for game in games:
        twin = play_services.open_game(
            kind=game.kind,
            players=[bots["Goldfish"] if seat.player == bots["Elephant"] else seat.player for seat in game.seats.all()],
            options=game.options,
            terms=game.terms,
            deal=Deal.objects.create(seed=bytes(game.deal.seed)),
        )
        time_slices.play_time_slices("sandbox 1")
        assert played(game) == played(twin)


def played(game: Game) -> list[Any]:
    """Return the rules' events of a finished game."""
    events = observe.known_events(game, visibility.ALL)
    game.refresh_from_db()
    assert game.status == Game.Status.FINISHED
    return [entry.event for entry in events if not entry.event[0].startswith("@")]


def test_outside_the_sandbox_the_same_bot_does_remember(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It proves that the test above can fail: with a writable folder, the second leg is played differently."""
    monkeypatch.setenv("HANDS", "")
    source = REMEMBERS.replace("builtins.hands = text", "").replace('sys.modules["hands"] = sys', "")
    source = source.replace("PLACES = [", f"PLACES = [{str(tmp_path / 'hands')!r}] or [")

    class View:
        observation = "a hand"

    moves = []
    for _leg in range(2):
        scope: dict[str, Any] = {}
        exec(source, scope)
        moves.append(scope["Bot"]().move(View(), ["first", "last"]))
    assert moves == ["first", "last"]


def test_a_fault_of_a_sealed_game_is_told_to_the_author_when_the_deal_is_over(league: League) -> None:
    """A bot could reveal its hand in an illegal move."""
    dotty = person("Dotty").user
    assert isinstance(dotty, User)
    talks = FIRST.replace("return legal[0]", "return 'lay ' + str(view.observation['hands'])[:40]")
    bot = uploads.new_bot(owner=dotty, name="Parrot")
    parrot = seated(uploads.upload_version(bot=bot, data=talks.encode()))
    season = begun(
        league, [parrot, builtin_bot("Gannet"), builtin_bot("Dipper"), builtin_bot("Wren")], games_a_match=1,
        terms={"move_days": 2, "bot_move_ms": 5000, "rated": False},
    )  # fmt: skip
    time_slices.play_time_slices("sandbox 1")
    fault = Fault.objects.filter(game__isnull=False).first()
    assert fault
    assert fault.game
    assert fault.game.deal.revealed_at is None
    client = of("dotty")
    assert client.get(f"/faults/{fault.pk}/").status_code == 404
    assert client.get("/api/v1/bots/Parrot/faults/").json()["results"] == []
    for one in by_number(season)[1]:
        one.game.refresh_from_db()
        if one.game.status == Game.Status.PLAYING:
            finish(one.game)
    assert client.get(f"/faults/{fault.pk}/").status_code == 200
