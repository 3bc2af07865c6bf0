"""Exports all that the platform stores about a person."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User

from games.accounts import dataset_consent, mygames, notices, people, quiet_hours, reminders, shortcuts, tokens
from games.accounts.models import ReservedName, Session
from games.models import Bot, Player
from games.play.models import Fault
from games.play.signals import exporting

VERSION_FIELDS = ("number", "created", "transport", "state", "reason", "kinds", "sha256", "source")
TOKEN_FIELDS = ("name", "prefix", "scopes", "bot__name", "created", "expires_at", "used_at", "revoked_at")


def account_data(user: User) -> dict[str, Any]:
    """Return the data of `user` as JSON data. Their moves are in their games' logs, whose addresses it lists."""
    player = people.player_of_user(user)
    profile = people.profile_of(user)
    return {
        "account": {
            "username": user.get_username(),
            "joined": user.date_joined,
            "last_login": user.last_login,
            "emails": list(EmailAddress.objects.filter(user=user).values("email", "verified", "primary")),
            "logged_in_until": list(Session.objects.filter(user_id=user.pk).values_list("expire_date", flat=True)),
        },
        "access_tokens": list(tokens.tokens_of(user).values(*TOKEN_FIELDS)),
        "profile": {
            "zone": profile.zone,
            "language": profile.language,
            "guest": profile.guest,
            "mails": notices.mail_settings(profile),
            "pushes": notices.push_settings(profile),
            "quiet_hours": quiet_hours.hours_data(profile),
            "reminders": reminders.offsets_of(profile),
            "shortcuts": shortcuts.choice_of(user).plain(),
        },
        "devices": list(user.push_devices.values("endpoint", "name", "created", "failing_since")),
        "dataset_consents": dataset_consent.changes_of(user),
        "second_factor": list(Authenticator.objects.filter(user=user).values("type", "created_at", "last_used_at")),
        "vacations": list(user.vacations.values("start", "end", "zone", "announced_at")),
        "bots": [_bot(bot) for bot in Bot.objects.filter(owner=user).order_by("name")],
        "names_taken_away": list(ReservedName.objects.filter(user=user).values("key", "since")),
        "notices": [notice_data(notice) for notice in notices.notices_of(user)],
        "player": {"id": player.pk, "name": player.name, "since": player.created} if player else None,
        "games": player_games_data(player) if player else [],
        **data_of_other_apps(user, player),
    }


def player_games_data(player: Player) -> list[dict[str, Any]]:
    """Return every game in which `player` sat."""
    games = [mygames.my_game_data(seat) for seat in mygames.my_seats(player)]
    return [{**game, "log": f"/api/v1/games/{game['id']}/export/?as=json"} for game in games]


def _bot(bot: Bot) -> dict[str, Any]:
    """Return a bot with all its versions: sources, results of admission and comparisons, and faults."""
    versions = bot.versions.select_related("stored_source").order_by("number")
    return {
        "name": bot.name,
        "description": bot.description,
        "visibility": bot.visibility,
        "source_published": bot.source_published,
        "created": bot.created,
        "stopped": bot.stopped,
        "stop_reason": bot.stop_reason,
        "versions": [
            {
                **{name: getattr(version, name) for name in VERSION_FIELDS},
                "trials": list(version.trials.order_by("pk").values("what", "kind", "state", "created", "result")),
                "faults": [fault_data(fault) for fault in version.faults.select_related("game").order_by("pk")],
            }
            for version in versions
        ],
    }


def fault_data(fault: Fault) -> dict[str, Any]:
    """Return a fault as JSON data, as it reads today."""
    shown = {name: getattr(fault, name) for name in ("at", "kind", "cost", "sentence")}
    return {**shown, "game__public_id": fault.game.public_id if fault.game else None}


def data_of_other_apps(user: User, player: Player | None) -> dict[str, Any]:
    """Return what other packages and apps store about a person."""
    data: dict[str, Any] = {}
    answers: list[Any] = [answer for _receiver, answer in exporting.send(sender=User, user=user, player=player)]
    for answer in answers:
        data |= answer
    return data


def notice_data(notice: Any) -> dict[str, Any]:
    """Return a notice as JSON data, as it reads today."""
    line = notices.notice_row(notice)
    return {
        "id": notice.pk,
        "subject": notice.subject,
        "words": line.words,
        "sentences": notices.notice_sentences(notice),
        "url": line.address,
        "game": notice.game.public_id if notice.game else None,
        "created": notice.created,
        "seen": notice.seen_at is not None,
        "mail": notice.send_state,
    }
