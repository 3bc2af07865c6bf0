"""What a token may do: a closed list of scopes, and which of them a request needs.

Every address of the API falls under one of `RULES`, the first that fits; one that falls under none takes no tokens.
"""

from __future__ import annotations

import re
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.common.policy import API_ROOT, SAFE

READ: Final = "read"
PLAY: Final = "play"
BOTS: Final = "bots"
ORGANISE: Final = "organise"
ACCOUNT: Final = "account"
ADMIN: Final = "admin"

SCOPES: Final[dict[str, str | Promise]] = {
    READ: _("see what you see: games, your own cards, your lists, the desks of clubs that you organise"),
    PLAY: _("play in your seats, sit down at tables, enter seasons, join clubs, have your bots play"),
    BOTS: _("make and change your bots"),
    ORGANISE: _("found clubs, run them, set up and run their seasons"),
    ACCOUNT: _("change your account, export your data, make and revoke tokens"),
    ADMIN: _("do what admins do, read what they did and how the house is doing; of use to admins alone"),
}
OF_A_BOT: Final = (READ, PLAY)  # what a token may have with which a remote bot plays

ANY: Final = r"(?s:.*)"  # names of bots have spaces
# (methods, address below /api/v1/, scope)
RULES: Final = tuple(
    (methods, re.compile(address), scope)
    for methods, address, scope in (
        (None, r"admin/" + ANY, ADMIN),
        (SAFE, r"status/", ADMIN),
        (None, r"(me/(conduct|export|tokens|webhooks)|reports)/" + ANY, ACCOUNT),
        (None, r"clubs/[-\w]+/webhooks/" + ANY, ORGANISE),
        (SAFE, ANY, READ),
        (None, r"games/" + ANY, PLAY),
        (None, r"tables/" + ANY, PLAY),
        (None, r"seasons/\w+/(join|leave|check-in|away|((accept|decline|withdraw)-)?challenge)/", PLAY),
        (None, r"clubs/[-\w]+/(join|leave)/|club-invitations/" + ANY, PLAY),
        (None, r"clubs/" + ANY, ORGANISE),
        (None, r"matches/\w+/times/" + ANY, PLAY),
        (None, r"me/vacations/" + ANY, PLAY),
        (None, r"remote-bots/\w+/games/", PLAY),
        (None, r"seasons/" + ANY, ORGANISE),
        (None, r"matches/\w+/dispute/", PLAY),
        (None, r"matches/" + ANY, ORGANISE),
        (None, r"(remote-bots|bots|bot-versions|comparisons)/" + ANY, BOTS),
        (None, r"me/" + ANY, ACCOUNT),
    )
)
# What a remote bot does by itself, besides reading.
BOT_DOES: Final = re.compile(
    r"games/\w+/(moves|bundles|ready|resign)/|seasons/\w+/(join|leave|check-in|away|((accept|decline|withdraw)-)?challenge)/|"
    r"remote-bots/\w+/games/",
    re.ASCII,
)
# What it reads: everything that is public, and what is its own. All else is its owner's.
BOT_READS: Final = re.compile(
    r"|schema/|kinds/(\w+/)?|players/(\w+/)?|ratings/(\w+/)?|rating-pools/(\w+/)?|matches/(\w+/(times/)?)?|"
    r"me/|me/games/(events/)?|remote-bots/(\w+/)?|bots/([^/]+/(versions/(\w+/)?)?)?|"
    r"games/(\w+/((events|turn|turn/why|asks|replay|export|verify)/)?)?|"
    r"clubs/([-\w]+/((calendar|members|news)/)?)?|"
    r"seasons/(\w+/((ladder|entrants|export|happened|rounds|standings|strengths|what-if)/)?)?",
    re.ASCII,
)
# Where people look for people: a remote bot has games by challenges and seasons instead.
OF_PEOPLE: Final = re.compile(r"tables/(?s:.*)|games/\w+/(decline-)?rematch/", re.ASCII)


def needed(method: str, path: str) -> str | None:
    """The scope that a request needs; None where no token is taken."""
    address = path.removeprefix(API_ROOT)
    for methods, pattern, scope in RULES:
        if (methods is None or method in methods) and pattern.fullmatch(address):
            return scope
    return None


def is_of_people(path: str) -> bool:
    """Whether that is a seat which no remote bot takes."""
    return OF_PEOPLE.fullmatch(path.removeprefix(API_ROOT)) is not None


def bot_may(method: str, path: str) -> bool:
    """Whether a remote bot reads or does such things at all."""
    address = path.removeprefix(API_ROOT)
    if method in SAFE:
        return BOT_READS.fullmatch(address) is not None
    return BOT_DOES.fullmatch(address) is not None
