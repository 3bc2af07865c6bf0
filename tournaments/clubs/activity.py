"""A club's log of changes, in sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from games.accounts.people import player_or_name
from games.models import Player
from tournaments.clubs.models import ClubEvent

EVENT_SENTENCES: Final[Mapping[str, str | Promise]] = {
    "founded": gettext_lazy("{by} founded the club."),
    "changed": gettext_lazy("{by} changed the club’s {fields}."),
    "joined": gettext_lazy("{about} joined."),
    "joined request": gettext_lazy("{by} admitted {about}."),
    "joined invitation": gettext_lazy("{about} joined by an invitation."),
    "left": gettext_lazy("{about} left."),
    "removed": gettext_lazy("{by} removed {about}."),
    "role_given": gettext_lazy("{by} made {about} {role}."),
    "asked": gettext_lazy("{about} asked to join."),
    "declined": gettext_lazy("{by} declined the request of {about}."),
    "invited": gettext_lazy("{by} created invitation {invitation}."),
    "resent": gettext_lazy("{by} sent invitation {invitation} again."),
    "revoked": gettext_lazy("{by} revoked invitation {invitation}."),
    "posted": gettext_lazy("{by} published news."),
    "edited": gettext_lazy("{by} edited news."),
    "deleted": gettext_lazy("{by} deleted news."),
    "offered": gettext_lazy("{by} offered the club to {about}."),
    "offer_ended": gettext_lazy("{by} withdrew the offer to {about}."),
    "transferred": gettext_lazy("{about} became the owner."),
    "transferred admin": gettext_lazy("{by}, an admin, transferred the club to {about}."),
    "deleted admin": gettext_lazy("{by}, an admin, removed news by {about}."),
    "archived": gettext_lazy("{by} archived the club."),
    "unarchived": gettext_lazy("{by} restored the club."),
}
FIELD_LABELS: Final[Mapping[str, str | Promise]] = {
    "name": gettext_lazy("name"),
    "about": gettext_lazy("description"),
    "rules": gettext_lazy("rules"),
    "zone": gettext_lazy("time zone"),
    "visibility": gettext_lazy("visibility"),
    "joining": gettext_lazy("joining"),
    "talk": gettext_lazy("messages"),
}
ROLE_LABELS: Final[Mapping[str, str | Promise]] = {
    "owner": gettext_lazy("owner"),
    "organiser": gettext_lazy("organiser"),
    "member": gettext_lazy("member"),
}


def event_segments(event: ClubEvent) -> list[str | Player]:
    """Return the sentence with its people as players, so that a page can link them."""
    how = event.data.get("how", "")
    sentence = EVENT_SENTENCES.get(f"{event.type} {how}") or EVENT_SENTENCES[event.type]
    people = {"{by}": event.by, "{about}": event.about}
    segments: list[str | Player] = []
    for part in re.split(r"(\{\w+\})", str(sentence)):
        segments.append(player_or_name(people[part]) if part in people else part.format(**_sentence_values(event)))
    return segments


def event_text(event: ClubEvent) -> str:
    """Return the sentence as plain text."""
    return "".join(part.name if isinstance(part, Player) else part for part in event_segments(event))


def _sentence_values(event: ClubEvent) -> dict[str, str]:
    changed = [str(FIELD_LABELS.get(name, name)) for name in event.data.get("fields", [])]
    return {
        "fields": ", ".join(changed),
        "role": str(ROLE_LABELS.get(event.data.get("role", ""), "")),
        "invitation": str(event.data.get("invitation", "")),
    }
