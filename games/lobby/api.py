"""The API of open tables in the lobby. It calls the same services as the pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from games.accounts import people
from games.common import clock
from games.common.cursor_pagination import SealedCursorPagination
from games.common.errors import DomainError
from games.common.filters import flag
from games.common.service_views import ErrorSerializer, ServiceViewSet
from games.lobby import rows as lobby_rows
from games.lobby import services as lobby
from games.lobby.models import OpenTable
from games.lobby.table_request import TableRequest
from games.models import Player
from games.play.api import PlayerSerializer

MAX_INVITED = 10


class ChairSerializer(serializers.Serializer[Any]):
    """A seat at a table: free, reserved for an invited player, or taken."""

    chair = serializers.IntegerField()
    state = serializers.ChoiceField(choices=[lobby_rows.CHAIR_FREE, lobby_rows.CHAIR_RESERVED, lobby_rows.CHAIR_TAKEN])
    player = PlayerSerializer(allow_null=True)
    ready = serializers.BooleanField(help_text="Confirmed “I am here” after all seats were taken.")


class TableSerializer(serializers.Serializer[Any]):
    """An open table as the viewer may see it. `game` is the id of its game once it has begun."""

    id = serializers.CharField(help_text="A secret id. Anyone who has it can see the table and join.")
    kind = serializers.CharField()
    title = serializers.CharField()
    options = serializers.DictField()
    terms = serializers.DictField()
    access = serializers.ChoiceField(choices=OpenTable.Access.values)
    order = serializers.ChoiceField(choices=OpenTable.Order.values)
    status = serializers.ChoiceField(choices=OpenTable.Status.values)
    host = PlayerSerializer()
    chairs = ChairSerializer(many=True)
    yours = serializers.IntegerField(allow_null=True, help_text="Your seat, or the one that is reserved for you.")
    may = serializers.DictField(
        child=serializers.BooleanField(), help_text="What you may do: sit, decline, leave, ready, close, …"
    )
    created = serializers.DateTimeField()
    expires = serializers.DateTimeField()
    check_until = serializers.DateTimeField(allow_null=True)
    game = serializers.CharField(allow_null=True)


class NewTableSerializer(serializers.Serializer[Any]):
    """A table to open. If bots take all other seats, the game begins immediately."""

    kind = serializers.CharField()
    seats = serializers.IntegerField(required=False, help_text="Default: you, `bots` and `invite` together.")
    options = serializers.DictField(required=False)
    terms = serializers.DictField(required=False, help_text="Default: 7 days per move.")
    access = serializers.ChoiceField(choices=OpenTable.Access.values, required=False)
    order = serializers.ChoiceField(choices=OpenTable.Order.values, required=False)
    chair = serializers.IntegerField(required=False, min_value=0, help_text="Your own seat.")
    bots = serializers.ListField(
        child=serializers.CharField(), required=False, max_length=MAX_INVITED, help_text="Names of built-in bots."
    )
    invite = serializers.ListField(
        child=serializers.IntegerField(),
        required=False,
        max_length=MAX_INVITED,
        help_text="Ids of the players to invite.",
    )
    hours = serializers.IntegerField(required=False, min_value=1, help_text="How many hours the table stays open.")


class SitSerializer(serializers.Serializer[Any]):
    """The seat to take; default: the reserved or first free one."""

    chair = serializers.IntegerField(required=False, min_value=0)


class FillSerializer(serializers.Serializer[Any]):
    """The built-in bot that takes the free seats."""

    bot = serializers.CharField()


class InviteSerializer(serializers.Serializer[Any]):
    """Ids of the players to invite to free seats."""

    players = serializers.ListField(child=serializers.IntegerField(), max_length=MAX_INVITED)


class NewestTables(SealedCursorPagination):
    """Newest first."""

    page_size = 50
    ordering = ("-created", "-id")


TABLE_RESPONSES: dict[int, Any] = {200: TableSerializer, 403: ErrorSerializer, 409: OpenApiResponse(ErrorSerializer)}
TABLE_ACTION_SCHEMA = extend_schema(request=None, responses=TABLE_RESPONSES)
MINE_PARAMETER = OpenApiParameter("mine", bool, description="True: only tables where you have a seat or an invitation.")


class TableViewSet(ServiceViewSet):
    """Open tables: list, open or join one.

    Without an account you play as a guest, in the session that the answer sets.
    """

    write_scope = "play"
    remote_bots = "people only"
    secret_parameters = ("token",)
    visible_in_impersonation = True

    queryset = OpenTable.objects.none()
    serializer_class = TableSerializer
    pagination_class = NewestTables
    filterset_class = None
    lookup_field = "token"
    lookup_value_regex = "[0-9A-Za-z_-]{1,24}"

    @extend_schema(parameters=[MINE_PARAMETER])
    def list(self, request: Request) -> Response:
        """Tables that anyone can join; with `mine=true` those where you have a seat or an invitation."""
        me = people.player_of_user(request.user)
        mine = flag(request, "mine")
        found: QuerySet[OpenTable] = (
            (lobby.tables_of_player(me) if me else OpenTable.objects.none()) if mine else lobby.listed_tables()
        )
        page = self.paginate_queryset(found.select_related("game"))
        assert page is not None
        return self.get_paginated_response([table_data_for(table, me) for table in page])

    @extend_schema(responses={200: TableSerializer, 404: ErrorSerializer})
    def retrieve(self, request: Request, token: str) -> Response:
        """One table. Error: 404 table_not_found, also for the tables of others."""
        me = people.player_of_user(request.user)
        return Response(table_data_for(find_visible_table(token, me), me))

    @extend_schema(
        request=NewTableSerializer,
        responses={201: TableSerializer, 400: ErrorSerializer, 403: ErrorSerializer, 409: ErrorSerializer},
    )
    def create(self, request: Request) -> Response:
        """Open a table and take a seat.

        If no seat stays free, the answer already has the `game`. Errors: 400 bad_option (with `option`), 400 not_rated,
        403 bad_guest, 409 too_many_tables, 409 too_many_games, 429 too_many_guests.
        """
        data = self.sent(NewTableSerializer)
        invited = players_by_ids(data.pop("invite", []))
        me = player_or_new_guest(request)
        wish = TableRequest(**data, invited=invited)
        return Response(table_data_for(lobby.create_table(host=me, wish=wish), me), status=201)

    @extend_schema(request=SitSerializer, responses=TABLE_RESPONSES)
    @action(detail=True, methods=["post"])
    def sit(self, request: Request, token: str) -> Response:
        """Join the table: in the seat reserved for you, in `chair`, or in the first free seat.

        When the last seat is taken, the game begins or all players must confirm that they are here. Errors: 403
        not_invited; 409 table_full, chair_taken (with those that are `free`), table_over, too_many_tables,
        too_many_games; 429 too_many_guests.
        """
        chair = self.sent(SitSerializer).get("chair")
        me = people.player_of_user(request.user)
        table = find_visible_table(token, me)
        if me is None:
            lobby.check_chair_free(table)
            me = player_or_new_guest(request)
        return Response(table_data_for(lobby.sit(table=table, player=me, chair=chair), me))

    @TABLE_ACTION_SCHEMA
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    def leave(self, request: Request, token: str) -> Response:
        """Leave your seat. If the host leaves, the table is closed. Errors: 403 not_at_table, 409 table_over."""
        return self._act(request, token, lobby.leave_table)

    @TABLE_ACTION_SCHEMA
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    def decline(self, request: Request, token: str) -> Response:
        """Decline an invitation to the table. Errors: 403 not_at_table; 409 sits_already, table_over."""
        return self._act(request, token, lobby.decline_invitation)

    @TABLE_ACTION_SCHEMA
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    def close(self, request: Request, token: str) -> Response:
        """Close your table, or withdraw a challenge. Errors: 403 not_host, 409 table_over."""
        return self._act(request, token, lobby.close)

    @TABLE_ACTION_SCHEMA
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    def ready(self, request: Request, token: str) -> Response:
        """Confirm “I am here” when all seats are taken. Errors: 403 not_at_table; 409 not_called, table_over."""
        return self._act(request, token, lobby.mark_ready)

    @extend_schema(request=FillSerializer, responses=TABLE_RESPONSES)
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    def fill(self, request: Request, token: str) -> Response:
        """Let a built-in bot take every free seat of your table. Errors: 400 bad_option; 403 not_host; table_over."""
        bot = self.sent(FillSerializer)["bot"]
        return self._act(request, token, lambda table, player: lobby.fill(table=table, player=player, bot=bot))

    @extend_schema(request=InviteSerializer, responses=TABLE_RESPONSES)
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    def invite(self, request: Request, token: str) -> Response:
        """Invite players to the free seats of your table.

        Errors: 403 not_host, bad_guest; 409 table_full, table_over.
        """
        guests = players_by_ids(self.sent(InviteSerializer)["players"])
        return self._act(request, token, lambda table, player: lobby.invite(table=table, player=player, guests=guests))

    def _act(self, request: Request, token: str, act: Callable[..., OpenTable]) -> Response:
        me = player_or_new_guest(request)
        table = find_visible_table(token, me)
        return Response(table_data_for(act(table=table, player=me), me))


def player_or_new_guest(request: Request) -> Player:
    """Return the player of the request. Without an account this is a new guest with a new session."""
    if not request.user.is_authenticated:
        SessionAuthentication().enforce_csrf(request)
        guest = people.player_or_new_guest(request._request)
        request.user = request._request.user
        return guest
    return people.player_or_new_guest(request._request)


def find_visible_table(token: str, me: Player | None) -> OpenTable:
    """Return the table with this token. Raises `DomainError` table_not_found."""
    table = lobby.find_table(token)
    if not lobby.may_see_table(table, me):
        raise DomainError(404, "table_not_found", _("There is no such table. Ask for the link again."))
    return table


def players_by_ids(ids: list[int]) -> list[Player]:
    """Return the players with these ids. Raises `DomainError` 400 bad_option."""
    found = Player.objects.in_bulk(ids)
    if missing := [pk for pk in ids if pk not in found]:
        raise DomainError(
            400, "bad_option", _("There is no player with the id {value}.").format(value=missing[0]), option="invite"
        )
    return [found[pk] for pk in ids]


def table_data_for(table: OpenTable, me: Player | None) -> dict[str, Any]:
    """Return the table as JSON data."""
    return lobby_rows.table_data(lobby_rows.table_row(table, me, clock.now()))
