"""All that the house holds about a person, handed to them."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

from games.accounts import mygames, notices, people, reminders, tokens
from games.accounts.models import Session
from games.models import Player
from games.signals import exporting

TOKEN_FIELDS = ("name", "prefix", "scopes", "bot__name", "created", "expires_at", "used_at", "revoked_at")


def data_of(user: User) -> dict[str, Any]:
    """The data of `user` as JSON data. Their moves are in their games' logs; each game names the address."""
    player = people.player_of(user)
    profile = people.profile_of(user)
    return {
        "account": {
            "username": user.get_username(),
            "joined": user.date_joined,
            "last_login": user.last_login,
            "emails": list(EmailAddress.objects.filter(user=user).values("email", "verified", "primary")),
            "logged_in_until": list(Session.objects.filter(user_id=user.pk).values_list("expire_date", flat=True)),
        },
        "access_tokens": list(tokens.of(user).values(*TOKEN_FIELDS)),
        "profile": {
            "zone": profile.zone,
            "guest": profile.guest,
            "mails": notices.mail_settings(profile),
            "reminders": reminders.offsets_of(profile),
        },
        "notices": [notice_data(notice) for notice in notices.of(user)],
        "player": {"id": player.pk, "name": player.name, "since": player.created} if player else None,
        "games": games_of(player) if player else [],
        **others_hold(player),
    }


def games_of(player: Player) -> list[dict[str, Any]]:
    """Every game that `player` sat in."""
    games = [mygames.data(seat) for seat in mygames.seats_of(player)]
    return [{**game, "log": f"/api/v1/games/{game['id']}/export/?as=json"} for game in games]


def others_hold(player: Player | None) -> dict[str, Any]:
    """What other apps hold."""
    if player is None:
        return {}
    answers: list[Any] = [answer for _receiver, answer in exporting.send(sender=Player, player=player) if answer]
    held: dict[str, Any] = {}
    for answer in answers:
        held |= answer
    return held


def notice_data(notice: Any) -> dict[str, Any]:
    """A notice as JSON data, as it reads today."""
    line = notices.line(notice)
    return {
        "id": notice.pk,
        "subject": notice.subject,
        "words": line.words,
        "url": line.address,
        "game": notice.game.public_id if notice.game else None,
        "created": notice.created,
        "seen": notice.seen_at is not None,
        "mail": notice.mail,
    }
