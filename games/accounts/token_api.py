"""The API of access tokens: list, create, revoke."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from games.accounts import tokens
from games.accounts.models import AccessToken
from games.accounts.scopes import SCOPES
from games.common.errors import DomainError
from games.common.policy import policy
from games.common.service_views import ErrorSerializer, validated_data
from games.common.signed_in import signed_in_user
from games.models import Bot


class TokenSerializer(serializers.ModelSerializer[AccessToken]):
    """A token without its secret. `bot` is the id of the remote bot that plays with it, or null."""

    bot = serializers.CharField(source="bot.name", default=None, read_only=True, allow_null=True)

    class Meta:
        model = AccessToken
        fields = ["id", "name", "prefix", "scopes", "bot", "created", "expires_at", "used_at", "revoked_at"]


class NewTokenSerializer(serializers.Serializer[Any]):
    """A token to create. With `bot`, the id of one of your remote bots, the token plays as that bot."""

    name = serializers.CharField(max_length=60)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=list(SCOPES)), min_length=1)
    bot = serializers.IntegerField(required=False, min_value=1, max_value=2**62)
    expires_at = serializers.DateTimeField(required=False, allow_null=True)


class MadeTokenSerializer(TokenSerializer):
    """A token with its secret, which is shown only once."""

    secret = serializers.CharField()

    class Meta(TokenSerializer.Meta):
        fields = [*TokenSerializer.Meta.fields, "secret"]


class TokenViewSet(viewsets.GenericViewSet[AccessToken]):
    """Your access tokens."""

    read_scope = "account"
    write_scope = "account"
    remote_bots = "nothing"
    visible_in_impersonation = False

    queryset = AccessToken.objects.none()
    serializer_class = TokenSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = None
    lookup_value_regex = "[0-9]{1,18}"

    def get_queryset(self) -> QuerySet[AccessToken]:
        return tokens.tokens_of(self.request.user)

    @extend_schema(responses=TokenSerializer(many=True))
    def list(self, request: Request) -> Response:
        """Your tokens, newest first. Expired tokens are listed for a month."""
        return Response(TokenSerializer(self.get_queryset(), many=True).data)

    @extend_schema(
        request=NewTokenSerializer,
        responses={201: MadeTokenSerializer, 400: ErrorSerializer, 409: OpenApiResponse(ErrorSerializer)},
    )
    @policy(rate_limit="guess", secret_answer=True)
    def create(self, request: Request) -> Response:
        """Create a token.

        Its `secret` is shown only in this answer. A token cannot create one with more scopes or a later expiry; without
        `expires_at` the new token expires with the old one. Errors: 400 bad_token_name, bad_scopes, bad_expiry; 403
        guest, not_your_bot, bad_scope, outlives_its_maker; 409 too_many_tokens.
        """
        wanted = validated_data(NewTokenSerializer(data=request.data))
        check_scopes_covered(request.auth, wanted["scopes"])
        end = request.auth.expires_at if isinstance(request.auth, AccessToken) else None
        until = wanted.get("expires_at", end)
        check_expiry_covered(end, until)
        token, secret = tokens.create_token(
            user=signed_in_user(request),
            name=wanted["name"],
            wanted=wanted["scopes"],
            bot=find_own_bot(wanted.get("bot")),
            expires_at=until,
        )
        return Response({**TokenSerializer(token).data, "secret": secret}, status=201)

    @extend_schema(responses={204: None, 404: ErrorSerializer})
    def destroy(self, request: Request, pk: str) -> Response:
        """Revoke a token. It stops working immediately, and its open streams end within seconds."""
        token = self.get_queryset().filter(pk=int(pk)).first()
        if token is None:
            raise DomainError(404, "token_not_found", _("You have no such token."))
        tokens.revoke(token)
        return Response(status=204)


def check_scopes_covered(by: Any, scopes: list[str]) -> None:
    """Raise `DomainError` bad_scope if a token creates one with scopes that it does not have."""
    more = sorted(set(scopes) - set(by.scopes)) if isinstance(by, AccessToken) else []
    if more:
        raise DomainError(
            403,
            "bad_scope",
            _('Your token does not have the scope "{scope}", so it cannot give it to another token.').format(
                scope=more[0]
            ),
            scope=more[0],
        )


def check_expiry_covered(end: datetime | None, until: datetime | None) -> None:
    """Raise `DomainError` outlives_its_maker if a token that expires at `end` creates one that lasts longer."""
    if end is not None and (until is None or until > end):
        sentence = _("Your token expires at {end} and cannot create one that lasts longer. Choose an earlier time.")
        moment = date_format(end.astimezone(UTC), "DATETIME_FORMAT")
        raise DomainError(403, "outlives_its_maker", sentence.format(end=f"{moment} UTC"))


def find_own_bot(pk: int | None) -> Bot | None:
    """Return the user's bot with this id; None for no id. Raises `DomainError` not_your_bot."""
    if pk is None:
        return None
    bot = Bot.objects.filter(pk=pk).first()
    if bot is None:
        raise DomainError(403, "not_your_bot", _("A token can play only as one of your own remote bots."))
    return bot
