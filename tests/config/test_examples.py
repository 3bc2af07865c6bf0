"""The examples of the OpenAPI document: each is sent, and what is answered has the form that the document shows.

`SCOREBOOK_WRITE_EXAMPLES=1 pytest tests/config/test_examples.py` writes them anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from config.examples import EXAMPLES, add, examples, summary_of
from games import clock, table
from games.accounts import people
from games.bots import uploads
from games.bots.roster import ensure_house_bots
from games.models import Deal, Game
from tournaments import director, seasons
from tournaments.clubs import founding
from tournaments.models import Club, League, Match, Season

pytestmark = pytest.mark.django_db
WRITE: Final = "SCOREBOOK_WRITE_EXAMPLES" in os.environ
NOON: Final = datetime(2027, 1, 14, 12, tzinfo=UTC)
SECRETS: Final = ("secret", "token")
# Operation → the body that is sent, in the order in which they are. {…} in paths are those of the world.
SENT: Final[dict[str, Any]] = {
    "GET kinds/": None,
    "GET kinds/{kind}/": None,
    "GET me/": None,
    "PATCH me/": {"zone": "Europe/Dublin"},
    "GET me/games/": None,
    "GET me/notices/": None,
    "POST me/notices/seen/": {},
    "GET me/tokens/": None,
    "POST me/tokens/": {"name": "laptop", "scopes": ["read", "play"]},
    "POST me/vacations/": {"start": "2027-07-01", "end": "2027-07-09", "zone": "Europe/Dublin"},
    "GET me/vacations/": None,
    "POST me/webhooks/": {"url": "https://example.org/scorebook", "events": ["game.over"]},
    "GET me/webhooks/": None,
    "GET clubs/": None,
    "POST clubs/": {"name": "Kettle and Crown", "visibility": "private", "zone": "Europe/Dublin"},
    "GET clubs/{slug}/": None,
    "PATCH clubs/{slug}/": {"about": "Cards on Thursdays."},
    "GET clubs/{slug}/members/": None,
    "GET clubs/{slug}/events/": None,
    "POST clubs/{slug}/news/": {"title": "The hall is shut", "text": "On Thursday."},
    "GET clubs/{slug}/news/": None,
    "POST clubs/{slug}/invitations/": {"most": 10, "days": 14},
    "POST clubs/{club}/webhooks/": {
        "url": "https://example.org/scorebook",
        "events": ["round.opened", "season.closed"],
    },
    "GET desk/": None,
    "GET seasons/": None,
    "POST seasons/": {
        "club": "lantern-street",
        "new_league": "Palace League",
        "name": "Spring 2027",
        "kind": "palace",
        "table_size": 4,
        "starts_at": "2027-02-01T19:00:00Z",
        "calendar": {"rule": "weekdays", "times": ["thu 19:00"]},
    },
    "GET seasons/{id}/": None,
    "GET seasons/{id}/entrants/": None,
    "GET seasons/{id}/rounds/": None,
    "GET seasons/{id}/standings/": None,
    "GET matches/": None,
    "GET games/": None,
    "GET games/{public_id}/": None,
    "GET games/{public_id}/turn/": None,
    "POST games/{public_id}/moves/": {"move": "capture 6 1", "expected_version": 4},
    "GET games/{public_id}/events/": None,
    "POST games/{public_id}/offer-abort/": {},
    "POST games/{public_id}/resign/": {},
    "POST tables/": {"kind": "palace", "seats": 3, "access": "listed"},
    "GET tables/": None,
    "POST bots/": {"name": "Heron", "description": "Waits."},
    "GET bots/": None,
    "GET bots/{name}/": None,
    "GET bots/{name}/versions/": None,
    "GET players/": None,
    "GET rating-pools/": None,
    "GET ratings/": None,
    "POST remote-bots/": {"name": "Puffin", "description": "Plays from home."},
    "GET remote-bots/": None,
}


@pytest.fixture
def world(db: None) -> Iterator[dict[str, str]]:
    """Martha owns Lantern Street, has a bot, plays Laura, and house bots play a season."""
    with clock.at(NOON):
        martha, laura = (people.welcome(User.objects.create_user(name.lower()), name) for name in ("Martha", "Laura"))
        assert martha.user
        club = founding.found(user=martha.user, name="Lantern Street")
        league = League.objects.create(club=club, name="Chinese Ten League", slug="chinese-ten")
        season = seasons.create_season(league=league, name="Winter", kind="chinese_ten")
        for player in (martha, laura, *ensure_house_bots().values()):
            if player.bot_version is None or player.name == "Random":
                seasons.join(season=season, player=player)
        seasons.start(season=season)
        director.advance()
        deal = Deal.objects.create(seed=bytes(range(32)))
        game = table.open(kind="chinese_ten", players=[martha, laura], deal=deal, terms={})
        bot = uploads.new_bot(owner=martha.user, name="Gannet", description="Dives.")
        uploads.upload(bot=bot, data=b"class Bot: ...\n")
    with clock.at(NOON + timedelta(minutes=1)):
        yield _names(club, season, game)


def _names(club: Club, season: Season, game: Game) -> dict[str, str]:
    assert Match.objects.exists()
    return {
        "slug": club.slug,
        "club": club.slug,
        "id": str(season.pk),
        "public_id": game.public_id,
        "kind": "palace",
        "name": "Gannet",
    }


def ask(client: Client, operation: str, body: Any, world: Mapping[str, str]) -> Any:
    method, path = operation.split()
    sent = "" if body is None else json.dumps(body)
    return client.generic(method, f"/api/v1/{path.format(**world)}", sent, content_type="application/json")


def shortened(answer: Any) -> Any:
    """An example of it: one of each list, and long texts cut."""
    if isinstance(answer, dict):
        most = 3 if "your_turn" in answer else 40  # of the subjects of notices three are enough
        return {name: "…" if name in SECRETS else shortened(value) for name, value in list(answer.items())[:most]}
    if isinstance(answer, list):
        return [shortened(value) for value in answer[:1]]
    return f"{answer[:199]}…" if isinstance(answer, str) and len(answer) > 200 else answer


def alike(one: Any, other: Any) -> bool:
    """Whether two answers have the same form: names and sorts; what is null in one of them may be of any sort."""
    if one is None or other is None:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return not one or not other or alike(one[0], other[0])
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return numbers or type(one) is type(other)


def test_what_the_examples_send_is_answered_as_they_say(world: dict[str, str]) -> None:
    client = Client()
    client.force_login(User.objects.get(username="martha"))
    found: dict[str, Any] = {}
    for operation, body in SENT.items():
        sent = move(client, world) if operation.endswith("moves/") else body
        answer = ask(client, operation, sent, world)
        assert answer.status_code < 300, (operation, answer.content)
        request = {} if body is None else {"request": sent}
        found[operation] = {**request, "status": answer.status_code, "answer": shortened(answer.json())}
    if WRITE:
        EXAMPLES.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        return
    shown = examples()
    assert sorted(shown) == sorted(found)
    for operation, example in found.items():
        assert shown[operation]["status"] == example["status"], operation
        assert alike(shown[operation]["answer"], example["answer"]), operation
        assert alike(shown[operation].get("request"), example.get("request")), operation


def move(client: Client, world: Mapping[str, str]) -> dict[str, Any]:
    """The first legal move."""
    turn = ask(client, "GET games/{public_id}/turn/", None, world).json()
    version = ask(client, "GET games/{public_id}/", None, world).json()["version"]
    return {"move": turn["legal"][0]["move"], "expected_version": version}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return made


def operations(schema: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path.removeprefix('/api/v1/')}", operation


def test_the_document_shows_each_example_at_its_operation(schema: dict[str, Any]) -> None:
    there = dict(operations(schema))
    assert sorted(set(examples()) - set(there)) == []
    for operation, example in examples().items():
        content = there[operation]["responses"][str(example["status"])]["content"]["application/json"]
        assert content["example"] == example["answer"], operation
        if "request" in example:
            assert there[operation]["requestBody"]["content"]["application/json"]["example"] == example["request"]


def test_every_operation_has_a_summary_and_says_what_it_may_be_refused_with(schema: dict[str, Any]) -> None:
    for operation, described in operations(schema):
        assert 3 <= len(described["summary"]) <= 200, (operation, described["summary"])
        assert {"401", "429"} <= set(described["responses"]), operation
        assert "404" in described["responses"] or "{" not in operation, operation


def test_a_summary_is_the_first_sentence() -> None:
    assert summary_of("Leave the club. Errors: 403 guest.") == "Leave the club"
    assert summary_of("For organisers.\nGET: the") == "For organisers"
    assert add({"paths": {}}) == {"paths": {}}
