"""The URL table against axe: every page there is has a row here, and none has a serious or critical fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.models import User
from django.core.cache import cache
from django.urls import get_resolver, reverse
from playwright.sync_api import Page, Response

from games import clock, runner, table, vacations
from games.accounts import mail, notices, people
from games.bots import uploads
from games.bots.roster import ensure_house_bots
from games.lobby import door
from games.lobby.wishes import Wish
from games.models import Deal, Game, Player
from games.remote import door as remote_door
from tests.browser.conftest import Live
from tests.browser.test_axe import DESKTOP, PHONE, faults
from tests.permissions import reading as permissions
from tournaments import director, disputes, seasons
from tournaments.clubs import founding, invitations, members, news, transfer
from tournaments.models import Club, Dispute, League, Match, Season, Webhook
from tournaments.webhooks import door as webhooks
from tournaments.webhooks import finding
from tournaments.webhooks.links import page_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSWORD: Final = "lamp and lantern 7"


@dataclass(frozen=True)
class World:
    """A club of Niamh's with a season open for entries and one that is played; Martha plays, waits and is told."""

    niamh: Player
    martha: Player
    club: Club
    entries: Season
    running: Season
    game: Game  # played to its end

    remote: int  # a bot of Martha's that plays from elsewhere
    waits: str  # a table where Martha waits
    link: str  # the secret of an invitation

    def of(self, season: Season) -> list[str]:
        return [self.club.slug, season.league.slug, season.slug]


@pytest.fixture(autouse=True)
def nobody_has_tried_before() -> Iterator[None]:
    """Limits on tries are counted in the cache."""
    cache.clear()
    yield
    cache.clear()


def person(name: str) -> Player:
    return people.welcome(User.objects.create_user(name.lower(), password=PASSWORD), name)


@pytest.fixture
def world(transactional_db: None) -> World:
    niamh, martha, laura = map(person, ("Niamh", "Martha", "Laura"))
    assert niamh.user
    assert martha.user
    EmailAddress.objects.create(user=martha.user, email="martha@example.org", primary=True, verified=True)
    club = Club.objects.create(name="Lantern Street", slug="lantern", zone="Europe/Dublin", owner=niamh.user)
    league = League.objects.create(club=club, name="Chinese Ten League", slug="chinese-ten")
    entries = seasons.create_season(league=league, name="Winter", kind="chinese_ten")
    running = seasons.create_season(league=league, name="Autumn", kind="chinese_ten", terms={"move_seconds": 60})
    for player in (martha, laura):
        seasons.join(season=running, player=player)
    seasons.start(season=running)
    director.advance()  # a game that waits for both to check in
    deal = Deal.objects.create(seed=b"7" * 32)
    game = table.open(kind="plates", players=[ensure_house_bots()["sensible"]] * 2, deal=deal)
    runner.play_due("axe")
    game.refresh_from_db()
    waits = door.set_up(host=martha, wish=Wish(kind="plates", seats=3)).token
    door.set_up(host=laura, wish=Wish(kind="palace", seats=2, access="invited", invited=[martha]))
    year = clock.now().year + 1
    vacations.take(user=martha.user, start=date(year, 7, 1), end=date(year, 7, 9), zone="Europe/Dublin")
    notices.tell_appointed()
    uploads.upload(
        bot=uploads.new_bot(owner=martha.user, name="Gannet", description="Dives."), data=b"class Bot: ...\n"
    )
    remote = remote_door.make(owner=martha.user, name="Heron").pk
    link = in_the_club(club, niamh.user, martha.user, laura)
    appointed = Match.objects.earliest("pk")
    table.leave(game=appointed.games.earliest("pk").game, seat=0, how="resigned")
    disputes.dispute(match=appointed, by=martha.user, note="My clock ran while I was away.")
    return World(niamh, martha, club, entries, running, game, remote, waits, link)


def in_the_club(club: Club, owner: User, member: User, asks: Player) -> str:
    """A member to whom the club is offered, a request, news, two invitations; the secret of a link."""
    assert asks.user
    offered = club.memberships.create(user=member)
    transfer.offer(club=club, user=owner, membership=offered)
    members.join(club=club, user=asks.user, words="I play with Martha.")
    news.post(club=club, user=owner, title="The hall is shut", text="On Thursday.\n\nSee http://example.org/")
    EmailAddress.objects.create(user=owner, email="niamh@example.org", primary=True, verified=True)
    invitations.by_mail(club=club, user=owner, email="bram@example.org")
    for of, user in ((club, owner), (None, member)):
        finding.ping(webhooks.make(user=user, club=of, url="https://example.org/hook", events=["game.over"])[0])
    other = founding.found(user=owner, name="Kettle and Crown", visibility="private")
    invitations.by_mail(club=other, user=owner, email="martha@example.org")
    return invitations.by_link(club=club, user=owner)[1]


Path = Callable[[World], str]


def plain(name: str) -> Path:
    return lambda _world: reverse(name)


def of_club(name: str, query: Callable[[World], str] = lambda _world: "") -> Path:
    return lambda world: reverse(name, args=[world.club.slug]) + query(world)


def reset(world: World) -> str:
    user = world.martha.user
    assert user
    key = default_token_generator.make_token(user)
    return reverse("account_reset_password_from_key", args=[user_pk_to_url_str(user), key])


def confirm(world: World) -> str:
    address = EmailAddress.objects.get(user=world.martha.user)
    return reverse("account_confirm_email", args=[EmailConfirmationHMAC(address).key])


def stop(world: World) -> str:
    return reverse("notices-stop", args=[mail.stop_token(world.martha.user_id or 0, "your_turn")])


def waiting_game(world: World) -> str:
    game = Game.objects.get(match_game__match__round__division__season=world.running)
    return reverse("replay", args=[game.public_id])


# A page's name in the URL table → where to look at it. A row that is a list has several addresses.
ANYBODY: Final[dict[str, Path]] = {
    **{
        name: plain(name)
        for name in [
            "home",
            "watch",
            "club-list",
            "ratings",
            "play",
            "rules-list",
            "fairness",
            "bots",
            "help",
            "bots-guide",
            "bot-protocol",
            "zone",
            "account_login",
            "account_signup",
            "account_reset_password",
            "account_inactive",
            "account_reset_password_done",
            "account_reset_password_from_key_done",
            "account_email_verification_sent",
        ]
    },
    "club": lambda world: reverse("club", args=[world.club.slug]),
    "club-news": of_club("club-news"),
    "club-calendar": of_club("club-calendar"),
    "club-members": of_club("club-members"),
    "invitation": lambda world: reverse("invitation", args=[world.link]),
    "season": lambda world: reverse("season", args=world.of(world.running)),
    "match": lambda _world: reverse("match", args=[Match.objects.earliest("pk").pk]),
    "player": lambda world: reverse("player", args=[world.martha.pk]),
    "rules": lambda _world: reverse("rules", args=["plates"]),
    "help-document": lambda _world: reverse("help-document", args=["remote-bots"]),
    "replay": lambda world: reverse("replay", args=[world.game.public_id]),
    "embed": lambda world: reverse("embed", args=[world.game.public_id]),
    "open-table": lambda world: reverse("open-table", args=[world.waits]),
    "account_reset_password_from_key": reset,
    "account_confirm_email": confirm,
    "notices-stop": stop,
}
MARTHA: Final[dict[str, Path]] = {
    **{
        name: plain(name)
        for name in [
            "me",
            "me-delete",
            "me-conduct",
            "my-games",
            "me-calendar",
            "my-seasons",
            "desk",
            "notices",
            "club-list",
            "club-new",
            "vacation",
            "bots",
            "bot-new",
            "remote-bots",
            "me-tokens",
            "my-webhooks",
            "play",
            "home",
            "account_email",
            "account_change_password",
            "account_logout",
            "account_reauthenticate",
            "mfa_index",
            "mfa_activate_totp",
        ]
    },
    "open-table": lambda world: reverse("open-table", args=[world.waits]),
    "match-dispute": lambda _world: reverse("match-dispute", args=[Match.objects.earliest("pk").pk]),
    "season": lambda world: reverse("season", args=world.of(world.entries)),
    "replay": waiting_game,
    "club": of_club("club"),
    "club-join": of_club("club-join"),
    "club-leave": of_club("club-leave"),
    "club-transfer": of_club("club-transfer"),
    "bot": lambda _world: reverse("bot", args=["Gannet"]),
    "report": lambda world: reverse("report", args=["club", world.club.pk]),
    "my-webhook": lambda world: page_of(Webhook.objects.get(user=world.martha.user)),
    "remote-bot": lambda world: reverse("remote-bot", args=[world.remote]),
}
NIAMH: Final[dict[str, Path]] = {
    "desk": plain("desk"),
    "club-desk": lambda world: reverse("club-desk", args=[world.club.slug]),
    "club-desk-log": lambda world: reverse("club-desk-log", args=[world.club.slug]),
    "club": lambda world: reverse("club", args=[world.club.slug]),
    "club-news": of_club("club-news"),
    "club-change-news": of_club("club-change-news", lambda world: f"?post={world.club.posts.get().pk}"),
    "club-members": of_club("club-members"),
    "club-remove-member": of_club(
        "club-remove-member", lambda world: f"?member={world.club.memberships.get(user=world.martha.user).pk}"
    ),
    "club-log": of_club("club-log"),
    "club-settings": of_club("club-settings"),
    "club-invitations": of_club("club-invitations"),
    "club-webhooks": of_club("club-webhooks"),
    "club-webhook": lambda world: page_of(Webhook.objects.get(club=world.club)),
    "club-transfer": of_club("club-transfer"),
    "club-archive": of_club("club-archive"),
    "season": lambda world: reverse("season", args=world.of(world.entries)),
    "season-new": lambda world: reverse("season-new", args=[world.club.slug]),
    "season-change": lambda world: reverse("season-change", args=world.of(world.entries)),
    "season-remove": lambda world: reverse("season-remove", args=world.of(world.entries)),
    "season-import": lambda world: reverse("season-import", args=[world.club.slug]),
    "match": lambda _world: reverse("match", args=[Match.objects.earliest("pk").pk]),
    "match-decide": lambda _world: reverse("match-decide", args=[Match.objects.earliest("pk").pk]),
    "match-annul": lambda _world: reverse("match-annul", args=[Match.objects.earliest("pk").pk, 1]),
    "match-replay": lambda _world: reverse("match-replay", args=[Match.objects.earliest("pk").pk, 1]),
    "dispute-decline": lambda _world: reverse("dispute-decline", args=Dispute.objects.values_list("match", "pk").get()),
    "season-decisions": lambda world: reverse("season-decisions", args=world.of(world.running)),
    "season-undo-round": lambda world: reverse("season-undo-round", args=world.of(world.running)),
    "season-pair-anew": lambda world: reverse("season-pair-anew", args=world.of(world.running)),
}
GUEST: Final[dict[str, Path]] = {
    "keep": plain("keep"),
    "play": plain("play"),
    "invitation": lambda world: reverse("invitation", args=[world.link]),
}
# What answers with no page of its own, and why.
NO_PAGE: Final[dict[str, str]] = {
    **dict.fromkeys(["health-live", "health-ready"], "JSON for machines"),
    "metrics": "figures for Prometheus",
    **dict.fromkeys(["me-export", "mfa_download_recovery_codes", "bot-source", "season-export", "help-file"], "a file"),
    **dict.fromkeys(
        ["club-calendar-feed", "season-calendar-feed", "player-calendar-feed", "calendar-secret"],
        "a calendar for calendar programs",
    ),
    "fault": "test_axe.py looks at one, after a real forfeit",
    **dict.fromkeys(["support-look", "support-export", "support-password"], "for admins"),
    "account_set_password": "leads to account_change_password who has one, and everybody has",
    "account_confirm_login_code": "log-in by code is off",
    **dict.fromkeys(["mfa_authenticate", "mfa_reauthenticate"], "need a second factor; same parts as the log-in"),
    **dict.fromkeys(
        ["mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes"],
        "need a second factor; same parts as mfa_activate_totp",
    ),
}
# What takes a POST alone, as the table of permissions says, and leads to another page.
ASKED: Final = {row.name for row in permissions.rows() if row.method == "GET"}
POSTED: Final = {row.name for row in permissions.rows() if not row.api} - ASKED


def names(resolver: Any = None, path: str = "") -> Iterator[str]:
    """Every name in the URL table, but those of the API and of the admin."""
    for each in (resolver or get_resolver()).url_patterns:
        here = path + str(each.pattern)
        if here.startswith(("api/", "admin/")):
            continue
        if hasattr(each, "url_patterns"):
            yield from names(each, here)
        else:
            yield each.name or "account_signup"  # ours, before allauth's of the same address


def test_every_address_is_looked_at_or_has_a_reason_why_not() -> None:
    rows = {*ANYBODY, *MARTHA, *NIAMH, *GUEST}
    posted = POSTED & set(names())
    assert set(names()) == rows | NO_PAGE.keys() | posted
    assert not rows & NO_PAGE.keys()
    assert not (rows | NO_PAGE.keys()) & posted


def log_in(live: Live, page: Page, name: str) -> None:
    """By the form, as people do: pages that change an account want to know when that was."""
    page.goto(live.address + reverse("account_login"))
    page.fill("input[name=login]", name)
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(lambda url: "login" not in url)


def say_again(page: Page) -> Response | None:
    """Give the password once more, where a page asks for it first; the page's answer."""
    page.fill("input[name=password]", PASSWORD)
    with page.expect_navigation() as led:
        page.press("input[name=password]", "Enter")
    return led.value


def look(live: Live, page: Page, world: World, rows: dict[str, Path]) -> None:
    """No page of these rows has a fault, in light and dark, on a desk and on a phone; a failure names them all."""
    wrong: dict[str, list[str]] = {}
    for name, path_of in rows.items():
        path = path_of(world)
        page.set_viewport_size(DESKTOP)
        answer = page.goto(live.address + path)
        if "/reauthenticate/" in page.url and name != "account_reauthenticate":
            answer = say_again(page)
        assert answer, name
        assert answer.status == 200, (name, answer.status)
        if name != "account_reset_password_from_key":  # takes the key out of its address
            assert page.url == live.address + path, name
        found = faults(page)
        page.set_viewport_size(PHONE)
        found += faults(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], f"{name} is wider than a phone"
        if found:
            wrong[name] = found
    assert wrong == {}


def test_what_anybody_sees(live: Live, page: Page, world: World) -> None:
    look(live, page, world, ANYBODY)


def test_what_a_person_sees_who_is_signed_in(live: Live, page: Page, world: World) -> None:
    log_in(live, page, "martha")
    look(live, page, world, MARTHA)


def test_what_an_organiser_sees(live: Live, page: Page, world: World) -> None:
    log_in(live, page, "niamh")
    look(live, page, world, NIAMH)


def test_what_a_guest_sees(live: Live, page: Page, world: World) -> None:
    live.sign_in(page, people.welcome(User.objects.create_user("guest-1000"), "Guest 1000", guest=True))
    look(live, page, world, GUEST)
