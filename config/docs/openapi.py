"""The OpenAPI document's descriptions of groups of operations, and of the ids in their addresses."""

from __future__ import annotations

import re
from typing import Any, Final

# A group's name by the first part of its addresses; a part that is not listed is its own group.
GROUPS: Final = {
    "club-invitations": "clubs",
    "inbox": "organisers",
    "upcoming": "organisers",
    "rating-pools": "ratings",
    "reports": "moderation",
    "status": "admin",
}
DESCRIPTIONS: Final = {
    "games": "Games: lists, events, live streams, moves, replays and files.",
    "tables": "Open tables, challenges and games against built-in bots.",
    "dataset": "The decisions of finished games as one file.",
    "kinds": "The games that can be played, with their options and terms.",
    "players": "People and versions of bots.",
    "me": "Your own account: profile, games, mistakes, notices, tokens, webhooks, vacations and conduct.",
    "clubs": "Clubs with their members, invitations, news, calendar and webhooks.",
    "seasons": "Seasons: settings, entries, rounds, standings and what organisers do.",
    "commentary": "Games in progress for commentators, by a secret address.",
    "matches": "Matches: results, agreed times, disputes and rulings.",
    "ratings": "Elo ratings and their pools.",
    "bots": "Uploaded bots with their versions, comparisons and faults.",
    "remote-bots": "Bots that run on their authors' machines.",
    "seek": "A game now against a person who waits, too.",
    "talk": "Messages of tables, spectators and seasons.",
    "puzzles": "A puzzle a day for each kind, from real games.",
    "organisers": "Items that need an organiser, and what will happen automatically.",
    "moderation": "Reports about people, bots, clubs and texts.",
    "admin": "For admins: actions with their audit log, and the status of the platform.",
}
# Descriptions of ids by the part of the address before them.
IDS: Final = {
    "bots": "The name of the bot.",
    "clubs": "The slug of the club.",
    "club-invitations": "The id of the invitation.",
    "commentary": "The secret of the address that an organiser gave away.",
    "comparisons": "The id of the comparison.",
    "conduct": "The id of the sanction.",
    "deliveries": "The id of the message.",
    "divisions": "The number of the division.",
    "entrants": "The number of the entrant.",
    "faults": "The id of the fault.",
    "games": "The id of the game: eight letters and digits.",
    "invitations": "The id of the invitation.",
    "kinds": "The name of the kind.",
    "matches": "The id of the match.",
    "messages": "The id of the message.",
    "members": "The id of the member's account.",
    "mutes": "The id of the player.",
    "news": "The id of the post.",
    "players": "The id of the player.",
    "rating-pools": "The id of the pool.",
    "push-devices": "The id of the device.",
    "ratings": "The id of the rating.",
    "remote-bots": "The id of the remote bot.",
    "requests": "The id of the request to join.",
    "rounds": "The id of the round.",
    "seasons": "The id of the season.",
    "tables": "The code in the table's address.",
    "times": "The id of the proposal.",
    "tokens": "The id of the token; the token itself is shown once.",
    "vacations": "The id of the vacation.",
    "versions": "The number of the version.",
    "webhooks": "The id of the webhook.",
    "notes": "What the note is about: game or person.",
    "talk": "The room: table, spectators or season.",
    "{about}": "The id of the game, or of the player.",
    "{asked}": "What you decide.",
    "{place}": "The id of the game, or of the season.",
}
KEY_PARAMETER: Final = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "minLength": 1, "maxLength": 64},
    "description": "A request with a key is done once, however often it is sent. The key may also be a field "
    "`idempotency_key` of the body.",
}
PREFIX: Final = "/api/v1/"
METHODS: Final = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE):\s")
ERRORS: Final = re.compile(r"\s*\bErrors?: ")


def describe(result: dict[str, Any], **_generator: Any) -> dict[str, Any]:
    """Add a described group to each operation, and descriptions of ids, as a hook of drf-spectacular."""
    used = set()
    for path, operations in result["paths"].items():
        parts = path.removeprefix(PREFIX).split("/")
        group = GROUPS.get(parts[0], parts[0])
        used.add(group)
        for method, operation in operations.items():
            operation["tags"] = [group]
            operation["description"] = text_for_method(operation.get("description", ""), method)
            if method == "post":
                operation.setdefault("parameters", []).append(KEY_PARAMETER)
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path":
                    before = parts[parts.index(f"{{{parameter['name']}}}") - 1]
                    parameter.setdefault("description", IDS.get(before, ""))
                else:
                    label = parameter.get("description", "")
                    parameter["description"] = re.sub(r"\n+\* `[^\n]*", "", label)  # the values, which `enum` repeats
    result["tags"] = [{"name": name, "description": DESCRIPTIONS[name]} for name in DESCRIPTIONS if name in used]
    return result


def text_for_method(text: str, method: str) -> str:
    """Return the part of a docstring such as “GET: the news. POST: publish news. Errors: …” that is about `method`,
    with the errors; the whole text if it does not name methods."""
    words, *errors = ERRORS.split(text, maxsplit=1)
    parts = METHODS.split(words)[1:]
    part = dict(zip(parts[::2], parts[1::2], strict=True)).get(method.upper(), "").strip()
    return "\n".join([part[:1].upper() + part[1:], *(f"Errors: {error}" for error in errors)]) if part else text
