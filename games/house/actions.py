"""What admins do about games: short doors to play's own functions, see `games.admin_actions`."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import leases, table
from games.admin_actions import admin_action, admin_target
from games.models import Bot, BotVersion, Game


def _version(named: str) -> BotVersion:
    """Gannet v2. A bot's name may have spaces."""
    bot, _space, number = named.rpartition(" v")
    return BotVersion.objects.select_related("bot").get(bot__name=bot, number=int(number))


admin_target(
    "game", Game, find=lambda named: Game.objects.get(public_id=named.upper()), name=lambda game: game.public_id
)
admin_target("bot", Bot, find=lambda named: Bot.objects.get(name=named), name=lambda bot: bot.name)
admin_target("bot-version", BotVersion, find=_version, name=str)
admin_target("person", User, find=lambda named: User.objects.get(username=named), name=lambda user: user.username)


def _is_on(game: Game) -> bool:
    return game.status == Game.Status.PLAYING


@admin_action(
    "retry",
    title=gettext_lazy("Try once more"),
    target=Game,
    help=gettext_lazy("Workers try the game again at once, as often as they would a new one."),
    fits=lambda game: _is_on(game) and (game.failures > 0 or game.retry_at is not None),
)
def retry(game: Game, *, reason: str, by: User) -> str:  # noqa: ARG001  the audit keeps both
    """Raises `TableError` game_over, not_failed (409)."""
    table.resume(game=game)
    return _("Game {game} is tried again.").format(game=game.public_id)


@admin_action(
    "release_lease",
    title=gettext_lazy("Release the lease"),
    target=Game,
    help=gettext_lazy(
        "Whoever holds the game stores nothing more in it; another worker goes on from its log. Nothing is lost."
    ),
    fits=lambda game: _is_on(game) and bool(game.leased_by),
)
def release_lease(game: Game, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Raises `TableError` no_lease (409)."""
    worker = leases.take_back(game)
    return _("Worker {worker} no longer holds game {game}.").format(worker=worker, game=game.public_id)


@admin_action(
    "abort_game",
    title=gettext_lazy("Abort the game"),
    target=Game,
    help=gettext_lazy("It ends at once, without a result, and is not rated. Its players are told that it is over."),
    fits=_is_on,
    stop=True,
)
def abort_game(game: Game, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Raises `TableError` game_over (409)."""
    table.abort(game=game, reason=reason)
    return _("Game {game} was aborted.").format(game=game.public_id)
