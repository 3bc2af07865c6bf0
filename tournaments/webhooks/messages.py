"""What a message says to people, for channels in which people read. Only what everybody in the club may know: a result
is in it if it is public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.utils import translation
from django.utils.translation import gettext as _

from games.accounts.languages import mail_language
from games.models import Game
from games.play import endings
from games.visibility.observe import is_result_public
from scorebook_games.presentation.text import join_with_and
from scorebook_games.registry import KINDS
from tournaments.seasons.models import Round, Season
from tournaments.webhooks.channels import CHANNELS, body_text
from tournaments.webhooks.models import Delivery, Webhook

GAME_OVER: Final = "game.over"
ROUND_OPENED: Final = "round.opened"
SEASON_CLOSED: Final = "season.closed"
PING: Final = "ping"


def write_bodies(made: Sequence[tuple[Delivery, dict[str, Any]]]) -> None:
    """Write the body of each new message, whose data are beside it, as its channel wants it."""
    hooks = Webhook.objects.select_related("made_by").in_bulk({message.webhook_id for message, _payload in made})
    for message, payload in made:
        message.body = body_text(body_for(hooks[message.webhook_id], message, payload))


def body_for(hook: Webhook, message: Delivery, payload: dict[str, Any]) -> dict[str, Any]:
    """Return one message as its channel wants it, in the language of whoever made the webhook."""
    channel = CHANNELS[hook.channel]
    if channel.signed:
        return payload
    with translation.override(mail_language(hook.made_by) if hook.made_by else None):
        return channel.body(payload, text_of(message), str(payload["data"].get("link", "")))


def text_of(message: Delivery) -> str:
    """Return the sentence of a message."""
    if message.about is None:
        return _("This is a test message from Scorebook.")
    if message.type == GAME_OVER:
        return _game_text(Game.objects.get(pk=message.about))
    if message.type == ROUND_OPENED:
        round = Round.objects.select_related("division__season__league").get(pk=message.about)
        return _("{season}: round {n} is paired.").format(season=round.division.season, n=round.number)
    season = Season.objects.select_related("league").get(pk=message.about)
    finished = season.status == Season.Status.FINISHED
    words = _("{season} is finished.") if finished else _("{season} was abandoned.")
    return words.format(season=season)


def _game_text(game: Game) -> str:
    names = [seat.player.name for seat in game.seats.select_related("player").order_by("seat")]
    title = KINDS[game.kind].spec.title if game.kind in KINDS else game.kind
    words = _("A game is over: {title} with {players}.").format(title=title, players=join_with_and(names))
    return f"{words} {endings.outcome_sentence_of(game)}".strip() if is_result_public(game) else words
