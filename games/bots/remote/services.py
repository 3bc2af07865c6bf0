"""The services of remote bots: create them, give them versions, find them games. Pages and the API call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from games.accounts.models import AccessToken
from games.accounts.tokens import newest_player
from games.bots import uploads
from games.common import clock
from games.common.errors import DomainError
from games.lobby.table_request import TableRequest, complete_request
from games.models import Bot, BotVersion, Game, Player, Seat
from games.play import services as play
from games.play.roster import ensure_builtin_bot

MAX_RUNNING_GAMES: Final = 8  # challenges that a bot may play at a time, its own and others'
MAX_VERSIONS_PER_DAY: Final = 20  # new versions of an owner's bots
CONNECTION_TIMEOUT: Final = timedelta(minutes=3)  # a bot whose token was not used for longer is away


@dataclass(frozen=True, slots=True)
class ChallengeRequest:
    """A game that a bot wants to play, in the first seat.

    `built_in` are names of built-in bots, `players` are other bots.
    """

    kind: str
    built_in: Sequence[str] = ()
    players: Sequence[Player] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    terms: Mapping[str, Any] = field(default_factory=dict)


def create_bot(*, owner: User, name: str, description: str = "", agent: bool = False) -> Bot:
    """Create a remote bot with its first version. `agent`: a language model chooses its moves.

    Raises `DomainError` as `games.bots.uploads.new_bot` does.
    """
    with transaction.atomic():
        bot = uploads.new_bot(owner=owner, name=name, description=description)
        _add_version(bot, BotVersion.AGENT if agent else BotVersion.Transport.REMOTE)
    return bot


def remote_bots_of(owner: Any) -> QuerySet[Bot]:
    """Return the remote bots of `owner`, by name."""
    versions = BotVersion.objects.filter(bot=OuterRef("pk"), transport=BotVersion.Transport.REMOTE)
    return Bot.objects.filter(Exists(versions), owner=owner.pk).order_by("name")


def find_own_bot(*, owner: Any, pk: int) -> Bot:
    """Return the owner's remote bot with this id. Raises `DomainError` bot_not_found (404), also for bots of others."""
    found = remote_bots_of(owner).filter(pk=pk).first()
    if found is None:
        raise DomainError(404, "bot_not_found", _("You have no such remote bot."))
    return found


def new_version(bot: Bot) -> Player:
    """Create the next version of `bot`. It gets a new rating and plays the games that begin from now on.

    Raises `DomainError` taken_down (409), too_many_today (429).
    """
    uploads.check_not_taken_down(bot)
    with transaction.atomic():
        assert bot.owner is not None, "It is its owner who asks."
        User.objects.select_for_update(no_key=True).get(pk=bot.owner.pk)  # locked, as when a version is uploaded
        made = BotVersion.objects.filter(bot__owner=bot.owner, created__gt=clock.now() - timedelta(days=1))
        if made.count() >= MAX_VERSIONS_PER_DAY:
            sentence = _("You have made {n} versions today. You can make more tomorrow.").format(n=MAX_VERSIONS_PER_DAY)
            raise DomainError(429, "too_many_today", sentence)
        return _add_version(bot, bot.versions.latest("number").program)


def _add_version(bot: Bot, program: str) -> Player:
    last = bot.versions.order_by("-number").first()
    version = BotVersion.objects.create(
        bot=bot, number=last.number + 1 if last else 1, transport=BotVersion.Transport.REMOTE, program=program
    )
    bot.plays = version
    bot.save(update_fields=["plays"])
    return Player.objects.create(bot_version=version, name=bot.name)


def is_connected(bot: Bot) -> bool:
    """Return whether a program has used a token of `bot` within the last minutes."""
    since = clock.now() - CONNECTION_TIMEOUT
    return AccessToken.objects.filter(bot=bot, used_at__gte=since, revoked_at=None).exists()


def running_seats(bot: Bot) -> QuerySet[Seat]:
    """Return the seats of `bot` in games that are on, the newest first."""
    on = Seat.objects.filter(player__bot_version__bot=bot, left="", game__status=Game.Status.PLAYING)
    return on.select_related("game").order_by("-game__opened_at")


def open_challenge(*, bot: Bot, wish: ChallengeRequest) -> Game:
    """Open an unrated game of `bot` against available bots. Terms without a clock get one.

    Raises `DomainError`: bad_option, not_rated (400), bad_opponent (400, with the `player`), not_here (409, with the
    `player`), too_many_games (409).
    """
    agreed = complete_request(
        TableRequest(wish.kind, options=wish.options, terms=wish.terms, bots=wish.built_in, invited=wish.players)
    )
    with transaction.atomic():
        bots = {player.bot_version.bot_id for player in wish.players if player.bot_version}
        list(Bot.objects.select_for_update(no_key=True).filter(pk__in={bot.pk, *bots}).order_by("pk"))
        check_game_quota(bot)
        for player in wish.players:
            check_opponent(bot, player)
        built_in = [
            ensure_builtin_bot(name, wish.built_in[:at].count(name) + 1) for at, name in enumerate(wish.built_in)
        ]
        return play.open_game(
            kind=wish.kind,
            players=[newest_player(bot), *wish.players, *built_in],
            options=agreed.options,
            terms=agreed.terms.plain(),
        )


def check_game_quota(bot: Bot) -> None:
    """Raise `DomainError` too_many_games if `bot` already plays as many games outside seasons as it may."""
    if running_seats(bot).filter(game__terms__rated=False, game__trial=None).count() >= MAX_RUNNING_GAMES:
        sentence = _("{bot} is already playing {n} games, the maximum for a bot. Wait until one of them is over.")
        raise DomainError(409, "too_many_games", sentence.format(bot=bot, n=MAX_RUNNING_GAMES))


def check_opponent(bot: Bot, player: Player) -> None:
    """Raise `DomainError` unless `bot` may play against `player` now: it must be a chosen version, and available."""
    version = player.bot_version
    if version is None or version.transport == BotVersion.Transport.BUILT_IN or version.bot_id == bot.pk:
        sentence = _("{player} is not another bot. Name built-in bots in `built_in`, and invite people to a table.")
        raise DomainError(400, "bad_opponent", sentence.format(player=player), player=player.pk)
    hidden = version.bot.visibility == Bot.Visibility.PRIVATE and version.bot.owner_id != bot.owner_id
    if hidden or not version.may_play or (version.is_remote and player != newest_player(version.bot)):
        sentence = _("This version of {player} cannot play. Choose another.").format(player=player)
        raise DomainError(400, "bad_opponent", sentence, player=player.pk)
    if version.is_remote and not is_connected(version.bot):
        sentence = _("{player} is not connected. Try again when it is.")
        raise DomainError(409, "not_here", sentence.format(player=player), player=player.pk)
    check_game_quota(version.bot)


def opponents(bot: Bot) -> list[Player]:
    """Return the bots of the same owner and of others that could be challenged now, by name."""
    passed = Player.objects.filter(bot_version__state=BotVersion.State.PASSED, bot_version__bot__stopped="")
    versions = passed.exclude(bot_version__bot=bot)
    seen = Q(bot_version__bot__visibility=Bot.Visibility.PUBLIC) | Q(bot_version__bot__owner=bot.owner)
    versions = versions.filter(seen, bot_version__bot__owner__isnull=False, bot_version=F("bot_version__bot__plays"))
    return [
        version for version in versions.select_related("bot_version__bot").order_by("name") if is_available(version)
    ]


def is_available(player: Player) -> bool:
    """Return whether a bot can be asked to play now: the platform runs it, or it is remote and connected."""
    version = player.bot_version
    return version is not None and (not version.is_remote or is_connected(version.bot))
