"""The part of the story with clubs: Martha founds Lantern Street; people join, leave and take over; webhooks are
made."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress

from games.common import clock
from tests.config.docs.story.teller import Teller
from tournaments.clubs.invitation_mail import INVITATION_MAILS
from tournaments.clubs.models import Membership
from tournaments.webhooks.models import Webhook

SLUG = "lantern-street"
CLUB, HOOKS = "clubs/{slug}/", "clubs/{club}/webhooks/"


def members(teller: Teller) -> None:
    """Let people join a club, and organisers act on them."""
    ask = teller.ask
    ask("martha", "POST clubs/", {"name": "Lantern Street", "visibility": "public", "zone": "Europe/Dublin"})
    ask("", "GET clubs/")
    ask("martha", f"GET {CLUB}", slug=SLUG)
    ask("martha", f"PATCH {CLUB}", {"about": "Cards on Thursdays.", "joining": "ask"}, slug=SLUG)

    ask("laura", f"POST {CLUB}join/", {"words": "I know the hall."}, slug=SLUG)
    ask("otto", f"POST {CLUB}join/", {"words": "Martha knows me."}, slug=SLUG)
    ask("otto", f"DELETE {CLUB}join/", slug=SLUG)
    asked = ask("martha", f"GET {CLUB}requests/", slug=SLUG)["results"]
    ask("martha", f"POST {CLUB}requests/{{asked}}/{{answer}}/", {}, slug=SLUG, asked=asked[0]["id"], answer="accept")

    link = ask("martha", f"POST {CLUB}invitations/", {"max_uses": 10, "days": 14}, slug=SLUG)
    ask("otto", "POST club-invitations/use/", {"token": link["token"]})
    for name in ("niamh", "jasper"):
        address = EmailAddress.objects.get(user__username=name).email
        ask("martha", f"POST {CLUB}invitations/", {"email": address, "days": 14}, slug=SLUG)
    ask("martha", f"GET {CLUB}invitations/", slug=SLUG)
    invited = ask("niamh", "GET club-invitations/")["results"][0]["id"]
    ask("niamh", "POST club-invitations/{id}/accept/", {}, id=invited)


def later(teller: Teller) -> None:
    """Invite Jasper again, who has not answered; others change and leave."""
    ask = teller.ask
    invited = ask("jasper", "GET club-invitations/")["results"][0]["id"]
    with clock.frozen_at(teller.now):
        INVITATION_MAILS.send_due()
    teller.later(hours=2)
    ask("martha", f"POST {CLUB}invitations/{{invitation}}/resend/", {}, slug=SLUG, invitation=invited)
    ask("jasper", "POST club-invitations/{id}/decline/", {}, id=invited)
    link = ask("martha", f"POST {CLUB}invitations/", {"max_uses": 10, "days": 14}, slug=SLUG)["id"]
    ask("martha", f"DELETE {CLUB}invitations/{{invitation}}/", slug=SLUG, invitation=link)
    ask("martha", f"GET {CLUB}members/", slug=SLUG)
    row = Membership.objects.get(user__username="otto").pk
    ask("martha", f"PATCH {CLUB}members/{{member}}/", {"role": "organiser"}, slug=SLUG, member=row)
    ask("niamh", f"POST {CLUB}leave/", {}, slug=SLUG)
    row = Membership.objects.get(user__username="laura").pk
    ask("otto", f"DELETE {CLUB}members/{{member}}/", {"reason": "She has moved away."}, slug=SLUG, member=row)


def news(teller: Teller) -> None:
    """Let organisers write news, and read the club's log."""
    ask = teller.ask
    sentence = {"title": "The hall is shut", "text": "On Thursday."}
    post = ask("martha", f"POST {CLUB}news/", sentence, slug=SLUG)["id"]
    sentence = {"title": "The hall is shut", "text": "On Thursday, and on Friday too."}
    ask("martha", f"PUT {CLUB}news/{{post}}/", sentence, slug=SLUG, post=post)
    ask("", f"GET {CLUB}news/", slug=SLUG)
    ask("martha", f"DELETE {CLUB}news/{{post}}/", slug=SLUG, post=post)
    ask("martha", f"GET {CLUB}events/", slug=SLUG)


def hands(teller: Teller) -> None:
    """Offer a club to another owner, archive it and restore it."""
    ask, tea = teller.ask, "kettle-and-crown"
    ask("laura", "POST clubs/", {"name": "Kettle and Crown", "visibility": "private"})
    link = ask("laura", f"POST {CLUB}invitations/", {"max_uses": 1, "days": 1}, slug=tea)
    ask("niamh", "POST club-invitations/use/", {"token": link["token"]})
    row = Membership.objects.get(user__username="niamh", club__slug=tea).pk
    ask("laura", f"POST {CLUB}transfer/", {"member": row}, slug=tea)
    ask("laura", f"GET {CLUB}transfer/", slug=tea)
    ask("niamh", f"DELETE {CLUB}transfer/", slug=tea)
    ask("laura", f"POST {CLUB}transfer/", {"member": row}, slug=tea)
    ask("niamh", f"POST {CLUB}transfer/accept/", {}, slug=tea)
    ask("niamh", f"POST {CLUB}archive/", {"reason": "The tea room is shut."}, slug=tea)
    ask("niamh", f"POST {CLUB}unarchive/", {}, slug=tea)


def webhooks(teller: Teller) -> None:
    """Create webhooks of the club and of Laura, and use all operations on them."""
    wanted = {"url": "https://example.org/scorebook", "events": ["round.opened", "season.closed"]}
    _webhooks(teller, "martha", HOOKS, wanted, {"club": SLUG})
    room = {"url": "https://discord.com/api/webhooks/1204/Kx9_a-Example", "events": ["round.opened"]}
    made = teller.ask("martha", f"POST {HOOKS}", room, club=SLUG)["id"]
    teller.ask("martha", f"DELETE {HOOKS}{{id}}/", club=SLUG, id=made)
    _webhooks(teller, "laura", "me/webhooks/", {**wanted, "events": ["game.over"]}, {})


def _webhooks(teller: Teller, who: str, below: str, wanted: dict[str, Any], names: dict[str, str]) -> None:
    ask = teller.ask
    hook = ask(who, f"POST {below}", wanted, **names)["id"]
    one = {**names, "id": hook}
    ask(who, f"POST {below}{{id}}/ping/", **one)
    Webhook.objects.get(pk=hook).deliveries.update(send_state="failed", tries=10)  # nobody accepts it
    message = ask(who, f"GET {below}{{id}}/deliveries/", **one)["results"][0]["message_id"]
    ask(who, f"POST {below}{{id}}/deliveries/{{message}}/resend/", **one, message=message)
    ask(who, f"POST {below}{{id}}/rotate/", **one)
    ask(who, f"GET {below}", **names)
    ask(who, f"GET {below}{{id}}/", **one)
    ask(who, f"PATCH {below}{{id}}/", {"on": False}, **one)
    ask(who, f"DELETE {below}{{id}}/", **one)
