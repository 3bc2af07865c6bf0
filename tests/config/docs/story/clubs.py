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
    tell = teller.ask
    tell("martha", "POST clubs/", {"name": "Lantern Street", "visibility": "public", "zone": "Europe/Dublin"})
    tell("", "GET clubs/")
    tell("martha", f"GET {CLUB}", slug=SLUG)
    tell("martha", f"PATCH {CLUB}", {"about": "Cards on Thursdays.", "joining": "ask"}, slug=SLUG)

    tell("laura", f"POST {CLUB}join/", {"words": "I know the hall."}, slug=SLUG)
    tell("otto", f"POST {CLUB}join/", {"words": "Martha knows me."}, slug=SLUG)
    tell("otto", f"DELETE {CLUB}join/", slug=SLUG)
    asked = tell("martha", f"GET {CLUB}requests/", slug=SLUG)["results"]
    tell("martha", f"POST {CLUB}requests/{{asked}}/{{answer}}/", {}, slug=SLUG, asked=asked[0]["id"], answer="accept")

    link = tell("martha", f"POST {CLUB}invitations/", {"max_uses": 10, "days": 14}, slug=SLUG)
    tell("otto", "POST club-invitations/use/", {"token": link["token"]})
    for name in ("niamh", "jasper"):
        address = EmailAddress.objects.get(user__username=name).email
        tell("martha", f"POST {CLUB}invitations/", {"email": address, "days": 14}, slug=SLUG)
    tell("martha", f"GET {CLUB}invitations/", slug=SLUG)
    invited = tell("niamh", "GET club-invitations/")["results"][0]["id"]
    tell("niamh", "POST club-invitations/{id}/accept/", {}, id=invited)


def later(teller: Teller) -> None:
    """Invite Jasper again, who has not answered; others change and leave."""
    tell = teller.ask
    invited = tell("jasper", "GET club-invitations/")["results"][0]["id"]
    with clock.frozen_at(teller.now):
        INVITATION_MAILS.send_due()
    teller.later(hours=2)
    tell("martha", f"POST {CLUB}invitations/{{invitation}}/resend/", {}, slug=SLUG, invitation=invited)
    tell("jasper", "POST club-invitations/{id}/decline/", {}, id=invited)
    link = tell("martha", f"POST {CLUB}invitations/", {"max_uses": 10, "days": 14}, slug=SLUG)["id"]
    tell("martha", f"DELETE {CLUB}invitations/{{invitation}}/", slug=SLUG, invitation=link)
    tell("martha", f"GET {CLUB}members/", slug=SLUG)
    row = Membership.objects.get(user__username="otto").pk
    tell("martha", f"PATCH {CLUB}members/{{member}}/", {"role": "organiser"}, slug=SLUG, member=row)
    tell("niamh", f"POST {CLUB}leave/", {}, slug=SLUG)
    row = Membership.objects.get(user__username="laura").pk
    tell("otto", f"DELETE {CLUB}members/{{member}}/", {"reason": "She has moved away."}, slug=SLUG, member=row)


def news(teller: Teller) -> None:
    """Let organisers write news, and read the club's log."""
    tell = teller.ask
    said = {"title": "The hall is shut", "text": "On Thursday."}
    post = tell("martha", f"POST {CLUB}news/", said, slug=SLUG)["id"]
    said = {"title": "The hall is shut", "text": "On Thursday, and on Friday too."}
    tell("martha", f"PUT {CLUB}news/{{post}}/", said, slug=SLUG, post=post)
    tell("", f"GET {CLUB}news/", slug=SLUG)
    tell("martha", f"DELETE {CLUB}news/{{post}}/", slug=SLUG, post=post)
    tell("martha", f"GET {CLUB}events/", slug=SLUG)


def hands(teller: Teller) -> None:
    """Offer a club to another owner, archive it and restore it."""
    tell, tea = teller.ask, "kettle-and-crown"
    tell("laura", "POST clubs/", {"name": "Kettle and Crown", "visibility": "private"})
    link = tell("laura", f"POST {CLUB}invitations/", {"max_uses": 1, "days": 1}, slug=tea)
    tell("niamh", "POST club-invitations/use/", {"token": link["token"]})
    row = Membership.objects.get(user__username="niamh", club__slug=tea).pk
    tell("laura", f"POST {CLUB}transfer/", {"member": row}, slug=tea)
    tell("laura", f"GET {CLUB}transfer/", slug=tea)
    tell("niamh", f"DELETE {CLUB}transfer/", slug=tea)
    tell("laura", f"POST {CLUB}transfer/", {"member": row}, slug=tea)
    tell("niamh", f"POST {CLUB}transfer/accept/", {}, slug=tea)
    tell("niamh", f"POST {CLUB}archive/", {"reason": "The tea room is shut."}, slug=tea)
    tell("niamh", f"POST {CLUB}unarchive/", {}, slug=tea)


def webhooks(teller: Teller) -> None:
    """Create webhooks of the club and of Laura, and use all operations on them."""
    wanted = {"url": "https://example.org/scorebook", "events": ["round.opened", "season.closed"]}
    _webhooks(teller, "martha", HOOKS, wanted, {"club": SLUG})
    _webhooks(teller, "laura", "me/webhooks/", {**wanted, "events": ["game.over"]}, {})


def _webhooks(teller: Teller, who: str, below: str, wanted: dict[str, Any], names: dict[str, str]) -> None:
    tell = teller.ask
    hook = tell(who, f"POST {below}", wanted, **names)["id"]
    one = {**names, "id": hook}
    tell(who, f"POST {below}{{id}}/ping/", **one)
    Webhook.objects.get(pk=hook).deliveries.update(send_state="failed", tries=10)  # nobody accepts it
    message = tell(who, f"GET {below}{{id}}/deliveries/", **one)["results"][0]["message_id"]
    tell(who, f"POST {below}{{id}}/deliveries/{{message}}/resend/", **one, message=message)
    tell(who, f"POST {below}{{id}}/rotate/", **one)
    tell(who, f"GET {below}", **names)
    tell(who, f"GET {below}{{id}}/", **one)
    tell(who, f"PATCH {below}{{id}}/", {"on": False}, **one)
    tell(who, f"DELETE {below}{{id}}/", **one)
