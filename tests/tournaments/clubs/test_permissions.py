"""Who may: every page and every operation of a club for each kind of person, public and private.

Each row tells what the six get: anonymous, stranger, member, organiser, owner, admin.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import get_resolver

from tests.tournaments.clubs.conftest import ROLES, People, browser, call, code, member
from tournaments.clubs import invitations, members, news, transfer
from tournaments.models import Club, League
from tournaments.seasons import create_season
from tournaments.webhooks import door as webhooks
from tournaments.webhooks import finding

pytestmark = pytest.mark.django_db
OUT: Final = 302  # to the log-in

# Page → what a GET answers. The address goes on after the club's.
PAGES: Final[dict[str, list[int]]] = {
    "": [200, 200, 200, 200, 200, 200],
    "news/": [200, 200, 200, 200, 200, 200],
    "calendar/": [200, 200, 200, 200, 200, 200],
    "calendar.ics": [200, 200, 200, 200, 200, 200],
    "members/": [200, 200, 200, 200, 200, 200],
    "join/": [OUT, 200, 200, 200, 200, 200],
    "leave/": [OUT, 200, 200, 200, 200, 200],
    "desk/": [OUT, 403, 403, 200, 200, 200],
    "desk-log/": [OUT, 403, 403, 200, 200, 200],
    "log/": [OUT, 403, 403, 200, 200, 200],
    "webhooks/": [OUT, 403, 403, 200, 200, 200],
    "webhooks/{hook}/": [OUT, 403, 403, 200, 200, 200],
    "invitations/": [OUT, 403, 403, 200, 200, 200],
    "change-news/?post={post}": [OUT, 403, 403, 200, 200, 200],
    "remove-member/?member={martha}": [OUT, 403, 403, 200, 200, 200],
    "new-season/": [OUT, 403, 403, 200, 200, 200],
    "import-season/": [OUT, 403, 403, 200, 200, 200],
    "settings/": [OUT, 403, 403, 403, 200, 200],
    "transfer/": [OUT, 403, 403, 403, 200, 200],
    "archive/": [OUT, 403, 403, 403, 200, 200],
    "palace/winter/": [200, 200, 200, 200, 200, 200],
}
# Operation → what it answers; where it does something, it is taken back after each.
API: Final[dict[str, list[int]]] = {
    "get clubs/{slug}/": [200, 200, 200, 200, 200, 200],
    "get clubs/{slug}/members/": [200, 200, 200, 200, 200, 200],
    "get clubs/{slug}/news/": [200, 200, 200, 200, 200, 200],
    "get clubs/{slug}/calendar/": [200, 200, 200, 200, 200, 200],
    "get clubs/{slug}/requests/": [403, 403, 403, 200, 200, 200],
    "get clubs/{slug}/invitations/": [403, 403, 403, 200, 200, 200],
    "get clubs/{slug}/transfer/": [403, 403, 200, 200, 200, 200],  # it is offered to Martha
    "get clubs/{slug}/events/": [403, 403, 403, 200, 200, 200],
    "get clubs/{slug}/webhooks/": [403, 403, 403, 200, 200, 200],
    "post clubs/{slug}/webhooks/": [403, 403, 403, 201, 201, 201],
    "get clubs/{slug}/webhooks/{hook}/": [403, 403, 403, 200, 200, 200],
    "patch clubs/{slug}/webhooks/{hook}/": [403, 403, 403, 200, 200, 200],
    "delete clubs/{slug}/webhooks/{hook}/": [403, 403, 403, 204, 204, 204],
    "post clubs/{slug}/webhooks/{hook}/rotate/": [403, 403, 403, 200, 200, 200],
    "post clubs/{slug}/webhooks/{hook}/ping/": [403, 403, 403, 409, 409, 409],  # one is on its way
    "get clubs/{slug}/webhooks/{hook}/deliveries/": [403, 403, 403, 200, 200, 200],
    "post clubs/{slug}/webhooks/{hook}/deliveries/{message}/resend/": [403, 403, 403, 409, 409, 409],
    "post clubs/{slug}/join/": [403, 200, 409, 409, 409, 200],
    "delete clubs/{slug}/join/": [403, 409, 409, 409, 409, 409],
    "post clubs/{slug}/leave/": [403, 409, 204, 204, 409, 409],
    "post clubs/{slug}/news/": [403, 403, 403, 201, 201, 201],
    "put clubs/{slug}/news/{post}/": [403, 403, 403, 200, 200, 200],
    "delete clubs/{slug}/news/{post}/": [403, 403, 403, 204, 204, 204],
    "post clubs/{slug}/invitations/": [403, 403, 403, 201, 201, 201],
    "delete clubs/{slug}/invitations/{link}/": [403, 403, 403, 204, 204, 204],
    "post clubs/{slug}/invitations/{link}/resend/": [403, 403, 403, 409, 409, 409],
    "post clubs/{slug}/requests/{asked}/accept/": [403, 403, 403, 200, 200, 200],
    "post clubs/{slug}/requests/{asked}/decline/": [403, 403, 403, 200, 200, 200],
    "delete clubs/{slug}/members/{martha}/": [403, 403, 403, 204, 204, 204],
    "delete clubs/{slug}/members/{otto}/": [403, 403, 403, 409, 204, 204],
    "delete clubs/{slug}/members/{niamh}/": [403, 403, 403, 409, 409, 409],
    "patch clubs/{slug}/members/{martha}/": [403, 403, 403, 403, 200, 200],
    "patch clubs/{slug}/": [403, 403, 403, 403, 200, 200],
    "post clubs/{slug}/transfer/": [403, 403, 403, 403, 200, 200],
    "delete clubs/{slug}/transfer/": [403, 409, 204, 409, 204, 204],
    "post clubs/{slug}/transfer/accept/": [403, 409, 200, 409, 409, 409],
    "post clubs/{slug}/archive/": [403, 403, 403, 403, 409, 409],
    "post clubs/{slug}/unarchive/": [403, 403, 403, 403, 409, 409],
}
SENT: Final[dict[str, Any]] = {
    "news": {"title": "Hall shut", "text": "Thursday only."},
    "members": {"role": "organiser", "reason": "Has moved away."},
    "webhooks": {"url": "https://example.org/hook", "events": ["round.opened"]},
    "club": {"about": "Cards and dice."},
}


@pytest.fixture
def world(club: Club, cast: People) -> dict[str, Any]:
    """What the addresses name: a post, a link, a request of somebody's, a season; the club is offered to Martha."""
    season = create_season(
        league=League.objects.create(club=club, name="Palace League", slug="palace"), name="Winter", kind="palace"
    )
    asked = User.objects.create_user("bram")
    request = members.join(club=club, user=asked)
    assert request
    transfer.offer(club=club, user=club.owner, membership=member(club, cast["Martha"]))
    hook = webhooks.make(user=club.owner, club=club, url="https://example.org/", events=["game.over"])[0]
    return {
        "hook": hook.pk,
        "message": finding.ping(hook).message_id,
        "slug": club.slug,
        "season": season.pk,
        "post": news.post(club=club, user=club.owner, title="Welcome", text="Hello.").pk,
        "link": invitations.by_link(club=club, user=club.owner)[0].pk,
        "asked": request.pk,
        **{name.lower(): member(club, cast[name]).pk for name in ("Niamh", "Otto", "Martha")},
    }


def asked_of(operation: str, world: dict[str, Any]) -> Any:
    """What is sent along."""
    if "transfer/" in operation and operation.startswith("post"):
        return {"member": world["otto"]}
    if operation == "patch clubs/{slug}/":
        return SENT["club"]
    return next((data for part, data in SENT.items() if f"/{part}/" in operation), {})


@pytest.mark.parametrize("role", ROLES)
def test_each_page_of_a_public_club(role: str, club: Club, cast: People, world: dict[str, Any]) -> None:
    client = browser(cast.get(ROLES[role] or ""))
    column = list(ROLES).index(role)
    got = {path: client.get(f"/clubs/lantern-street/{path.format(**world)}").status_code for path in PAGES}
    expected = {path: row[column] for path, row in PAGES.items()}
    if role == "member":
        expected["transfer/"] = 200  # the club is offered to her
    assert got == expected


@pytest.mark.parametrize("role", ["anonymous", "stranger"])
def test_no_page_of_a_private_club_is_there_for_others(role: str, cast: People, world: Any, private: Club) -> None:
    client = browser(cast.get(ROLES[role] or ""))
    got = {path: client.get(f"/clubs/lantern-street/{path.format(**world)}").status_code for path in PAGES}
    assert set(got.values()) == {404}
    posts = {path: client.post(f"/clubs/lantern-street/{path.format(**world)}").status_code for path in PAGES}
    assert set(posts.values()) <= {404, 405}
    assert posts["settings/"] == 404


@pytest.mark.parametrize("role", ["member", "organiser", "owner", "admin"])
def test_pages_of_a_private_club_are_as_those_of_a_public_one_for_its_own(
    role: str, cast: People, world: Any, private: Club
) -> None:
    client = browser(cast[ROLES[role] or ""])
    column = list(ROLES).index(role)
    for path, row in PAGES.items():
        offered = role == "member" and path == "transfer/"
        status = client.get(f"/clubs/lantern-street/{path.format(**world)}").status_code
        assert status == (200 if offered else row[column]), path


@pytest.mark.parametrize("role", ROLES)
def test_each_operation_of_the_api(role: str, cast: People, world: dict[str, Any]) -> None:
    user = cast.get(ROLES[role] or "")
    got = {}
    for operation in API:
        method, path = operation.split()
        with transaction.atomic():
            answer = call(user, method, path.format(**world), asked_of(operation, world))
            transaction.set_rollback(True)
        got[operation] = answer.status_code
        assert answer.status_code < 400 or code(answer)[1], operation
    assert got == {operation: row[list(ROLES).index(role)] for operation, row in API.items()}


@pytest.mark.parametrize("role", ["anonymous", "stranger"])
def test_no_operation_knows_a_private_club_of_others(role: str, cast: People, world: Any, private: Club) -> None:
    user = cast.get(ROLES[role] or "")
    for operation in API:
        method, path = operation.split()
        answer = call(user, method, path.format(**world), asked_of(operation, world))
        hidden = 403 if role == "anonymous" and method != "get" else 404
        behind = operation in (
            "get clubs/{slug}/" + each
            for each in (
                "requests/",
                "invitations/",
                "transfer/",
                "events/",
                "webhooks/",
                "webhooks/{hook}/",
                "webhooks/{hook}/deliveries/",
            )
        )
        assert answer.status_code == (403 if role == "anonymous" and behind else hidden), operation


def test_every_address_below_a_club_is_in_the_table_or_is_its_seasons() -> None:
    named = {str(each.pattern) for each in get_resolver("tournaments.urls").url_patterns}
    below = {path.removeprefix("clubs/<slug:club>/") for path in named if path.startswith("clubs/<slug:club>/")}
    told = {path.partition("?")[0].replace("{hook}", "<int:pk>") for path in PAGES}
    assert {path for path in below if "<slug:league>" not in path} == told - {"palace/winter/"}


def test_every_address_that_names_a_club_or_a_match_is_behind_the_gate() -> None:
    for each in get_resolver("tournaments.urls").url_patterns:
        assert hasattr(each.callback, "__wrapped__"), each
