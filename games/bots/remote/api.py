"""The API of remote bots: create them, start new versions, let them play."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from games.accounts.tokens import newest_player
from games.bots.remote import services as remote_bots
from games.bots.remote.services import ChallengeRequest
from games.common.errors import DomainError
from games.common.policy import policy
from games.common.service_views import ErrorSerializer, ServiceViewSet, error_responses
from games.common.signed_in import signed_in_user
from games.lobby.api import players_by_ids
from games.models import Bot
from games.play.api import GameSerializer, PlayerSerializer
from games.visibility import acting

ERROR_RESPONSES = error_responses(400, 403, 409)


class RemoteBotSerializer(serializers.ModelSerializer[Bot]):
    """A remote bot. `player` is its newest version; `here` says whether its program is connected."""

    player = serializers.SerializerMethodField()
    here = serializers.SerializerMethodField()
    games = serializers.SerializerMethodField()

    class Meta:
        model = Bot
        fields = ["id", "name", "description", "created", "player", "here", "games"]

    @extend_schema_field(PlayerSerializer)
    def get_player(self, bot: Bot) -> Any:
        return PlayerSerializer(newest_player(bot)).data

    def get_here(self, bot: Bot) -> bool:
        return remote_bots.is_connected(bot)

    def get_games(self, bot: Bot) -> list[str]:
        return [seat.game.public_id for seat in remote_bots.running_seats(bot)]


class NewRemoteBotSerializer(serializers.Serializer[Any]):
    """A remote bot to create. `agent`: a language model chooses its moves."""

    name = serializers.CharField(max_length=200, trim_whitespace=False)
    description = serializers.CharField(required=False, allow_blank=True, max_length=2000)
    agent = serializers.BooleanField(required=False)


class RemoteChallengeSerializer(serializers.Serializer[Any]):
    """A game for the bot, which has the first seat, against `built_in` bots by name and other bots by their ids in
    `players`."""

    kind = serializers.CharField(max_length=20)
    built_in = serializers.ListField(child=serializers.CharField(max_length=40), required=False, max_length=10)
    players = serializers.ListField(child=serializers.IntegerField(), required=False, max_length=10)
    options = serializers.DictField(required=False)
    terms = serializers.DictField(required=False)


class RemoteBotViewSet(ServiceViewSet):
    """Your remote bots."""

    write_scope = "bots"
    remote_bots = "read"
    visible_in_impersonation = True

    queryset = Bot.objects.none()
    serializer_class = RemoteBotSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = None
    filter_backends = ()
    lookup_value_regex = "[0-9]{1,18}"

    def get_queryset(self) -> QuerySet[Bot]:
        bots, playing = remote_bots.remote_bots_of(self.request.user), acting.bot_of(self.request.user)
        if playing is None or playing.bot_version is None:
            return bots
        return bots.filter(pk=playing.bot_version.bot_id)

    @extend_schema(responses=RemoteBotSerializer(many=True))
    def list(self, request: Request) -> Response:
        """Your remote bots. With a bot's own token: only that bot."""
        return Response(RemoteBotSerializer(self.get_queryset(), many=True).data)

    @extend_schema(responses={200: RemoteBotSerializer, 404: ErrorSerializer})
    @policy(visible_in_impersonation=False)
    def retrieve(self, request: Request, pk: str) -> Response:
        """One of your remote bots."""
        return Response(RemoteBotSerializer(self._own(pk)).data)

    @extend_schema(request=NewRemoteBotSerializer, responses={201: RemoteBotSerializer, **ERROR_RESPONSES})
    def create(self, request: Request) -> Response:
        """Create a remote bot. Then create a token for it (`me/tokens/` with its `bot` id and the scopes read and
        play). Errors: 400 bad_name; 403 no_guests, muted, warning_unread; 409 name_taken, too_many_bots."""
        me = signed_in_user(request)
        return self.answered(RemoteBotSerializer, remote_bots.create_bot, NewRemoteBotSerializer, 201, owner=me)

    @extend_schema(request=None, responses={201: PlayerSerializer, **error_responses(404, 409, 429)})
    @action(detail=True, methods=["post"])
    @policy(rate_limit="upload")
    def versions(self, request: Request, pk: str) -> Response:
        """Start a new version when your program has changed. It gets a fresh rating and plays all games that begin from
        now on. Errors: 409 taken_down; 429 too_many_today."""
        return self.answered(PlayerSerializer, remote_bots.new_version, None, 201, bot=self._own(pk))

    @extend_schema(request=RemoteChallengeSerializer, responses={201: GameSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play", remote_bots="everything")
    def games(self, request: Request, pk: str) -> Response:
        """Open an unrated game of the bot against built-in bots or other bots. Errors: 400 bad_option (with `option`),
        not_rated, bad_opponent; 409 not_here, too_many_games."""
        bot = self._own(pk)
        data = self.sent(RemoteChallengeSerializer)
        wish = ChallengeRequest(**{**data, "players": players_by_ids(data.get("players", []))})
        return self.answered(GameSerializer, remote_bots.open_challenge, None, 201, bot=bot, wish=wish)

    def _own(self, pk: str) -> Bot:
        bot = self.get_queryset().filter(pk=int(pk)).first()
        if bot is None:
            raise DomainError(404, "bot_not_found", _("You have no such remote bot."))
        return bot
