"""The player rows of the built-in bots."""

from __future__ import annotations

from games.models import Bot, BotVersion, Player
from scorebook_games.bots.builtin import BUILTIN_BOTS


def ensure_builtin_bot(program: str, number: int = 1) -> Player:
    """Return the player of the built-in bot `program`, named after it: `random` is "Random".

    A table may need several of a sort: `number` 2 is "Random 2".
    """
    name = program.capitalize() if number == 1 else f"{program.capitalize()} {number}"
    bot, _ = Bot.objects.get_or_create(name=name, owner=None)
    version, _ = BotVersion.objects.get_or_create(
        bot=bot, number=1, defaults={"transport": BotVersion.Transport.BUILT_IN, "program": program}
    )
    player, _ = Player.objects.get_or_create(bot_version=version, defaults={"name": bot.name})
    return player


def builtin_bots_for(kind: str) -> list[str]:
    """Return the names of the built-in bots that play this kind."""
    return [name for name, bot in BUILTIN_BOTS.items() if kind in bot.kinds]
