"""The API of games and players: lists, one game, its events, and moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any

import django_filters
from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from games import kinds
from games.clocks import vacations
from games.clocks.models import Vacation
from games.common.cursor_pagination import NamePagination, NewestFirstPagination
from games.common.errors import DomainError
from games.common.filters import MomentFilter, StrictChoiceFilter, of_kind
from games.common.policy import policy
from games.gamelog import visibility
from games.gamelog.events import RecordedEvent
from games.gamelog.pacing import MAX_BUNDLE_MOVES, paces_of
from games.gamelog.terms import schema_for
from games.models import Game, Player, Seat
from games.play import beats, offers, seating
from games.play import services as play
from games.play.idempotency_field import KeySerializer, run_once
from games.play.players import player_data
from games.play.roster import builtin_bots_for
from games.play.service_views import ErrorSerializer, validated_data
from games.play.signals import asking_why_bots_wait
from games.play.turn import own_or_former_seat, turn_of, why_not
from games.play.turn_serializers import NamedValuesField, OutcomeField, TurnSerializer
from games.visibility import audience, observe

MAX_EVENTS = 1000


class PlayerSerializer(serializers.ModelSerializer[Player]):
    """A person, or one version of a bot."""

    bot = serializers.BooleanField(source="is_bot", read_only=True)
    bot_version = serializers.SerializerMethodField()

    class Meta:
        model = Player
        fields = ["id", "name", "bot", "bot_version"]

    def get_bot_version(self, player: Player) -> int | None:
        return player.bot_version.number if player.bot_version else None

    def to_representation(self, player: Player) -> dict[str, Any]:
        """What `fields` say; a list has hundreds of players, and asking each field takes longer than all the rest."""
        return player_data(player)


def columns_of(player: str) -> list[str]:
    """What `PlayerSerializer` reads of the player at that path: the rest of their row, and of their bot's, is long."""
    return [f"{player}__{name}" for name in ("name", "bot_version__number")]


class SeatSerializer(serializers.ModelSerializer[Seat]):
    """A seat with its player and result; `left` says how the player left, if they did."""

    player = PlayerSerializer(read_only=True)

    class Meta:
        model = Seat
        fields = ["seat", "player", "score", "placing", "left"]

    def to_representation(self, seat: Seat) -> dict[str, Any]:
        """What `fields` say, as for players."""
        shown = {"score": seat.score, "placing": seat.placing, "left": seat.left}
        return {"seat": seat.seat, "player": player_data(seat.player), **shown}


class GameSerializer(serializers.ModelSerializer[Game]):
    """One game."""

    id = serializers.CharField(source="public_id", read_only=True)
    title = serializers.SerializerMethodField()
    options = NamedValuesField(read_only=True, help_text="By name, as GET kinds/ has them.")
    terms = NamedValuesField(read_only=True, help_text="By name, as GET kinds/ has them.")
    outcome = OutcomeField(read_only=True, allow_null=True)
    version = serializers.IntegerField(read_only=True, allow_null=True, help_text="Null where it is not public.")
    seats = SeatSerializer(many=True, read_only=True)
    waits = serializers.SerializerMethodField(help_text="Why the game's uploaded bots cannot play now; usually empty.")
    own_bots = serializers.SerializerMethodField(
        help_text="Names bots that play here together with their owner; usually empty."
    )
    rematch = serializers.CharField(source="rematch.public_id", default=None, read_only=True, allow_null=True)
    rematch_of = serializers.CharField(source="rematch_of.public_id", default=None, read_only=True, allow_null=True)

    class Meta:
        model = Game
        fields = [
            "id",
            "kind",
            "title",
            "rules_version",
            "options",
            "terms",
            "status",
            "version",
            "outcome",
            "opened_at",
            "begins_at",
            "finished_at",
            "seats",
            "waits",
            "own_bots",
            "rematch",
            "rematch_of",
        ]

    def get_waits(self, game: Game) -> str:
        known = self.context.get("sandboxes", "")  # looked up once for a whole list
        return str(known) if game.sandboxed and game.status == Game.Status.PLAYING else ""

    def get_own_bots(self, game: Game) -> str:
        return seating.own_bot_text([seat.player for seat in game.seats.all()]) if not game.terms["rated"] else ""

    def get_title(self, game: Game) -> str:
        return kinds.rules_for(game.kind).spec.title

    def to_representation(self, game: Game) -> dict[str, Any]:
        """The game; as long as its result is not for everybody to know, it is one that is being played."""
        shown: dict[str, Any] = super().to_representation(game)
        if not observe.is_result_public(game):
            shown |= {"status": Game.Status.PLAYING.value, "outcome": None, "finished_at": None, "rematch": None}
            shown["seats"] = [{**seat, "score": None, "placing": None} for seat in shown["seats"]]
        if game.rematch_of and not observe.is_result_public(game.rematch_of):
            shown["rematch_of"] = None
        if not observe.is_progress_public(game):
            shown |= {"begins_at": None, "version": None, "seats": [{**seat, "left": ""} for seat in shown["seats"]]}
        return shown


def sandbox_wait_text() -> str:
    """Why games of uploaded bots wait at the moment, as their players are told; "" if none waits."""
    answers = asking_why_bots_wait.send(sender=Game)
    return next((str(answer) for _receiver, answer in answers if answer), "")


class EventSerializer(serializers.Serializer[Any]):
    """One event as the viewer may see it; `ms` counts from the opening of the game."""

    version = serializers.IntegerField()
    ms = serializers.IntegerField()
    event = serializers.DictField()


class EventsSerializer(serializers.Serializer[Any]):
    """A part of a game's events. `next_since` is null when there are no more yet."""

    version = serializers.IntegerField(help_text="The number of events that this viewer may see now.")
    eyes = serializers.CharField()
    events = EventSerializer(many=True)
    next_since = serializers.IntegerField(allow_null=True)


class MoveSerializer(serializers.Serializer[Any]):
    """A move in the notation of its kind, and the version of the game to which it answers."""

    move = serializers.CharField(max_length=200)
    expected_version = serializers.IntegerField(min_value=1)
    idempotency_key = serializers.CharField(max_length=64, required=False)


class MovedSerializer(serializers.Serializer[Any]):
    """The game's version after the move, and what the move led to, as the mover may see it."""

    version = serializers.IntegerField()
    events = EventSerializer(many=True)
    turn = TurnSerializer(help_text="The player's next turn, as `turn/` returns it.")


class BundleSerializer(KeySerializer):
    """The moves for the next beat, the last of which ends the bundle. `beat` is the number in the observation."""

    beat = serializers.IntegerField(min_value=1)
    moves = serializers.ListField(child=serializers.CharField(max_length=200), max_length=MAX_BUNDLE_MOVES)


class GivenSerializer(serializers.Serializer[Any]):
    """The beat of the submitted bundle, and the seats whose bundles are still missing. Bots submit last."""

    beat = serializers.IntegerField()
    waiting_for = serializers.ListField(child=serializers.IntegerField())
    turn = TurnSerializer()


class IllegalMoveReasonSerializer(serializers.Serializer[Any]):
    """Why a move is illegal: `legal`, or an error code with the clause and sentence of the rules."""

    legal = serializers.BooleanField()
    code = serializers.CharField(required=False)
    clause = serializers.CharField(required=False)
    sentence = serializers.CharField(required=False)


class NextGameSerializer(serializers.Serializer[Any]):
    """The seats that want a rematch, and the id of the new game once all have accepted."""

    wanted_by = serializers.ListField(child=serializers.IntegerField())
    rematch = serializers.CharField(allow_null=True)
    turn = TurnSerializer()


class VacationSerializer(serializers.ModelSerializer[Vacation]):
    """A vacation: whole days, first and last included, in the time zone `zone`."""

    zone = serializers.CharField(required=False, help_text="IANA name; default: your time zone.")

    class Meta:
        model = Vacation
        fields = ["id", "start", "end", "zone", "announced_at"]
        read_only_fields = ["announced_at"]


class NewVacationSerializer(KeySerializer, VacationSerializer):
    """A vacation to add, with an optional idempotency key."""

    class Meta(VacationSerializer.Meta):
        fields = [*VacationSerializer.Meta.fields, "idempotency_key"]


class FinishedFilter(MomentFilter):
    """By the end of a game, as far as everybody may know that it is over."""

    def filter(self, games: QuerySet[Game], moment: datetime | None) -> QuerySet[Game]:
        found: QuerySet[Game] = super().filter(games.filter(observe.result_is_public()) if moment else games, moment)
        return found


class GameFilter(django_filters.FilterSet):  # type: ignore[misc]  # untyped
    player = django_filters.NumberFilter(field_name="seats__player", label="The id of a player who sits in it.")
    status = StrictChoiceFilter(Game.Status.values, method="having_status", label="How far it is.")
    kind = of_kind()
    opened_after = MomentFilter("opened_at", "gte", "Opened at this moment or later.")
    opened_before = MomentFilter("opened_at", "lt", "Opened before this moment.")
    finished_after = FinishedFilter("finished_at", "gte", "Over since this moment or later.")
    finished_before = FinishedFilter("finished_at", "lt", "Over before this moment.")

    class Meta:
        model = Game
        fields = ["kind", "status", "player"]

    def having_status(self, games: QuerySet[Game], _name: str, status: str) -> QuerySet[Game]:
        """The games that are shown with that status: one is played for as long as nobody may know that it is over."""
        over = observe.result_is_public() & ~Q(status=Game.Status.PLAYING)
        return games.exclude(over) if status == Game.Status.PLAYING else games.filter(over, status=status)


GAME_ACTION_SCHEMA = extend_schema(
    request=KeySerializer, responses={200: GameSerializer, 409: OpenApiResponse(ErrorSerializer)}
)
SINCE = OpenApiParameter("since", int, description="Only events after this version.")
VIEWPOINT_PARAMETER = OpenApiParameter(
    "eyes", str, description='"public", a seat\'s number, or "all". Default: what you may see.'
)


# The columns that `GameSerializer` reads.
RESULT_VISIBILITY_FIELDS = ("public_id", "status", "terms", "finished_at", "deal__revealed_at")
GAME_LIST_FIELDS = (
    *("kind", "rules_version", "options", "version", "outcome", "opened_at", "begins_at", "sandboxed"),
    *(f"{game}{name}" for game in ("", "rematch_of__") for name in RESULT_VISIBILITY_FIELDS),
    "rematch__public_id",
)


class GameViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Game]):
    """Games in progress and finished games. `waits` says why uploaded bots cannot play a game at the moment."""

    write_scope = "play"
    remote_bots = "read"
    visible_in_impersonation = True

    serializer_class = GameSerializer
    pagination_class = NewestFirstPagination
    filterset_class = GameFilter
    lookup_field = "public_id"
    lookup_value_regex = "[0-9A-Za-z]{1,20}"

    def get_serializer_context(self) -> dict[str, Any]:
        """With what all games of uploaded bots wait for, found out if there is one."""
        return {**super().get_serializer_context(), "sandboxes": SimpleLazyObject(sandbox_wait_text)}

    def get_queryset(self) -> QuerySet[Game]:
        seats = Seat.objects.select_related("player__bot_version")
        seats = seats.only("game", "seat", "score", "placing", "left", *columns_of("player"))
        games = Game.objects.filter(audience.visible_to(self.request.user))
        games = games.filter(trial=None)  # those of trials are for who has their address
        games = games.select_related("deal", "rematch", "rematch_of__deal").only(*GAME_LIST_FIELDS)
        return games.prefetch_related(Prefetch("seats", seats))

    def get_object(self) -> Game:
        game = play.find_game(self.kwargs["public_id"], self.request.user)
        self.check_object_permissions(self.request, game)
        return game

    @extend_schema(
        parameters=[SINCE, VIEWPOINT_PARAMETER],
        responses={
            (200, "application/json"): EventsSerializer,
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            (200, "text/event-stream"): OpenApiTypes.STR,
        },
    )
    @action(detail=True)
    @policy(rate_limit="play", visible_in_impersonation=True)
    def events(self, request: Request, public_id: str) -> Response:
        """The game's events so far. With `Accept: text/event-stream` or `application/x-ndjson`: the same, followed by
        every new event as it happens. SSE resumes from `Last-Event-ID`."""
        game = self.get_object()
        viewer = observe.requested_viewpoint(game, request.user, request.query_params.get("eyes"))
        since = whole_number(request.query_params.get("since", "0"), "since")
        known = observe.known_events(game, viewer, after=since)
        page = known[:MAX_EVENTS]
        version = since + len(known)
        return Response(
            {
                "version": version,
                "eyes": observe.viewpoint_text(viewer),
                "events": readable_events(game, page),
                "next_since": page[-1].version if len(known) > len(page) else None,
            }
        )

    @extend_schema(request=MoveSerializer, responses={201: MovedSerializer, 400: ErrorSerializer, 409: ErrorSerializer})
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="everything", rate_limit="play")
    def moves(self, request: Request, public_id: str) -> Response:
        """Play a move in your seat. Repeat a lost request with the same `idempotency_key`; the move is played once.
        Errors: 400 malformed_move, 403 not_your_seat, 409 illegal_move (with clause and legal moves), 409
        stale_version (with the version), 409 clock_expired, 409 game_over."""
        game = self.get_object()
        seat = play.seat_of(game, request.user)
        sent = validated_data(MoveSerializer(data=request.data))
        moved = play.play_move(
            game=game,
            seat=seat,
            text=sent["move"],
            expected_version=sent["expected_version"],
            key=sent.get("idempotency_key"),
        )
        events = readable_events(game, moved.events)
        return Response({"version": moved.version, "events": events, "turn": turn_of(moved.unit, seat)}, status=201)

    @extend_schema(
        parameters=[OpenApiParameter("after", str, many=True, description="In beats: the moves of the bundle so far.")],
        responses={200: TurnSerializer, 403: ErrorSerializer, 409: ErrorSerializer},
    )
    @action(detail=True, permission_classes=[IsAuthenticated])
    @policy(rate_limit="play", visible_in_impersonation=False)
    def turn(self, request: Request, public_id: str) -> Response:
        """Everything your seat needs to act: your legal moves in words, the seats that are to move, and the clock.
        Errors: 403 not_your_seat; with `after` those of a bundle."""
        game = self.get_object()
        seat = own_or_former_seat(game, request.user)
        after = request.query_params.getlist("after")[:MAX_BUNDLE_MOVES]
        return Response(turn_of(play.load_unit(game), seat, after))

    @extend_schema(
        parameters=[OpenApiParameter("move", str, required=True, description="The move, as its kind writes it.")],
        responses={200: IllegalMoveReasonSerializer, 403: ErrorSerializer, 409: ErrorSerializer},
    )
    @action(detail=True, permission_classes=[IsAuthenticated], url_path="turn/why")
    @policy(rate_limit="play", visible_in_impersonation=False)
    def why(self, request: Request, public_id: str) -> Response:
        """Why you cannot play a move now: the clause and the sentence of the rule. Nothing is played."""
        game = self.get_object()
        seat = play.seat_of(game, request.user)
        reason = why_not(play.load_game(game), seat, request.query_params.get("move", "")[:200])
        return Response({"legal": reason is None, **(reason or {})})

    @extend_schema(
        request=BundleSerializer, responses={202: GivenSerializer, 400: ErrorSerializer, 409: ErrorSerializer}
    )
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="everything", rate_limit="play")
    def bundles(self, request: Request, public_id: str) -> Response:
        """Submit your moves for the next beat of a game in beats. They stay secret, and you can replace them until the
        beat is played. Errors: 400 malformed_move, 409 illegal_move (both with the `index` of the move), 409
        stale_beat (with the next beat), 409 wrong_pace, 409 clock_expired."""
        game = self.get_object()
        sent = validated_data(BundleSerializer(data=request.data))

        def given() -> Response:
            seat = play.seat_of(game, request.user)
            beat, moves = sent["beat"], sent["moves"]
            answer = beats.give_bundle(game=game, seat=seat, beat=beat, moves=moves)
            return Response({**answer._asdict(), "turn": turn_now(game, seat)}, status=202)

        return run_once(request, given)

    @GAME_ACTION_SCHEMA
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="everything", rate_limit="play")
    def ready(self, request: Request, public_id: str) -> Response:
        """Confirm that you are ready for GO in a live game. The countdown begins when all players are ready, or after a
        minute. In a game with a start time (`begins_at`) this is the check-in: a player who has not checked in when
        `grace_minutes` have passed loses the seat."""
        return self._act(request, play.mark_ready)

    @GAME_ACTION_SCHEMA
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="everything")
    def resign(self, request: Request, public_id: str) -> Response:
        """Leave the game. You are placed below all players who stay (rules, Leaving)."""
        return self._act(request, partial(play.leave_game, how="resigned"))

    @GAME_ACTION_SCHEMA
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated], url_path="offer-abort")
    def offer_abort(self, request: Request, public_id: str) -> Response:
        """Propose to abort the game without a result, or agree to a proposal. Your next move withdraws your proposal.
        Errors: 409 may_not_abort, 409 declined (until the game has moved on)."""
        return self._act(request, offers.offer_abort)

    @GAME_ACTION_SCHEMA
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated], url_path="accept-abort")
    def accept_abort(self, request: Request, public_id: str) -> Response:
        """Agree to the proposal to abort. When all people have agreed, the game is aborted. Error: 409 no_offer."""
        return self._act(request, offers.accept_abort)

    @GAME_ACTION_SCHEMA
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated], url_path="decline-abort")
    def decline_abort(self, request: Request, public_id: str) -> Response:
        """Play on. This ends the proposal to abort, also your own. Error: 409 no_offer."""
        return self._act(request, offers.decline_abort)

    def _act(self, request: Request, act: Callable[..., object]) -> Response:
        """Let `act` be done in the user's seat, once for each key; the answer is the game, and the seat's `turn`."""
        game = self.get_object()

        def done() -> Response:
            seat = play.seat_of(game, request.user)
            act(game=game, seat=seat)
            shown = self.get_serializer(play.find_game(game.public_id)).data
            return Response({**shown, "turn": turn_now(game, seat)})

        return run_once(request, done)

    @extend_schema(request=KeySerializer, responses={200: NextGameSerializer, 409: ErrorSerializer})
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="people only")
    def rematch(self, request: Request, public_id: str) -> Response:
        """Ask for a rematch of this finished game, with rotated seats. It begins when all people have asked within 24
        hours; then `rematch` is its id. Errors: 409 still_on, 409 no_rematch."""
        game = self.get_object()
        seat = own_or_former_seat(game, request.user)

        def wished() -> Response:
            following = offers.offer_rematch(game=game, seat=seat)
            opened = following.public_id if following else None
            return Response({"wanted_by": offers.rematch_wishes(game), "rematch": opened, "turn": turn_now(game, seat)})

        return run_once(request, wished)

    @extend_schema(request=KeySerializer, responses={200: NextGameSerializer, 409: ErrorSerializer})
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated], url_path="decline-rematch")
    @policy(remote_bots="people only")
    def decline_rematch(self, request: Request, public_id: str) -> Response:
        """Decline a rematch, or withdraw your wish for one. Errors: 409 still_on, 409 no_rematch, 409 opened."""
        game = self.get_object()
        seat = own_or_former_seat(game, request.user)

        def wished() -> Response:
            offers.decline_rematch(game=game, seat=seat)
            return Response({"wanted_by": offers.rematch_wishes(game), "rematch": None, "turn": turn_now(game, seat)})

        return run_once(request, wished)


class VacationViewSet(mixins.ListModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet[Vacation]):
    """Your vacations, in which your clocks stop in correspondence games that allow it."""

    write_scope = "play"
    remote_bots = "nothing"
    visible_in_impersonation = True

    queryset = Vacation.objects.none()
    serializer_class = VacationSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = None
    lookup_value_regex = "[0-9]{1,18}"

    def get_queryset(self) -> QuerySet[Vacation]:
        return Vacation.objects.filter(user=self.request.user.pk)

    @extend_schema(request=NewVacationSerializer, responses={201: VacationSerializer, 409: ErrorSerializer})
    def create(self, request: Request) -> Response:
        """Add a vacation. It can begin tomorrow at the earliest. Errors: 400 bad_days, 400 bad_zone, 409 too_late, 409
        overlapping, 409 no_days_left."""
        days = validated_data(NewVacationSerializer(data=request.data))
        zone = days.get("zone") or timezone.get_current_timezone_name()

        def taken() -> Response:
            vacation = vacations.announce_vacation(
                user=signed_in_user(request), start=days["start"], end=days["end"], zone=zone
            )
            return Response(VacationSerializer(vacation).data, status=201)

        return run_once(request, taken)

    @extend_schema(responses={200: VacationSerializer, 204: None, 404: ErrorSerializer, 409: ErrorSerializer})
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a vacation that has not begun. One that has begun ends today. Errors: 404 not_found, 409 over."""
        cut = vacations.cut_short(user=signed_in_user(request), vacation_id=int(pk))
        return Response(VacationSerializer(cut).data) if cut else Response(status=204)


class PlayerFilter(django_filters.FilterSet):  # type: ignore[misc]  # untyped
    name = django_filters.CharFilter(lookup_expr="icontains", label="A part of the name.")

    class Meta:
        model = Player
        fields = ["name"]


class PlayerViewSet(viewsets.ReadOnlyModelViewSet[Player]):
    """Players: people and versions of bots."""

    remote_bots = "read"
    visible_in_impersonation = True

    queryset = Player.objects.select_related("bot_version")
    serializer_class = PlayerSerializer
    pagination_class = NamePagination
    filterset_class = PlayerFilter
    lookup_value_regex = "[0-9]{1,18}"

    def get_queryset(self) -> QuerySet[Player]:
        """All; a list is without the names that came in files and are nobody's account."""
        players = super().get_queryset()
        return players.filter(from_file=False) if self.action == "list" else players


class OptionSerializer(serializers.Serializer[Any]):
    """An option or a term. `type` is int (`minimum` to `maximum`), bool or choice (one of `choices`)."""

    name = serializers.CharField()
    type = serializers.CharField()
    default = serializers.JSONField(help_text="Null if it depends on the number of seats, or if there is no clock.")
    help = serializers.CharField()
    minimum = serializers.IntegerField()
    maximum = serializers.IntegerField()
    choices = serializers.ListField(child=serializers.CharField())


class KindSerializer(serializers.Serializer[Any]):
    """A kind of game, with everything that can be chosen for a season or a game of it."""

    kind = serializers.CharField()
    title = serializers.CharField()
    rules_version = serializers.IntegerField()
    seats_min = serializers.IntegerField()
    seats_max = serializers.IntegerField()
    best = serializers.CharField(help_text="Which score wins: highest or lowest.")
    notation = serializers.CharField()
    options = OptionSerializer(many=True)
    terms = OptionSerializer(many=True, help_text="Settings around the rules, such as clocks.")
    usual = serializers.DictField(help_text="Default values of all options, by number of seats.")
    built_in_bots = serializers.ListField(child=serializers.CharField())


class KindViewSet(viewsets.ViewSet):
    """The kinds of games with their options and terms, each with a help text."""

    remote_bots = "read"
    visible_in_impersonation = True

    lookup_field = "kind"
    lookup_value_regex = "[0-9a-z_]{1,20}"

    @extend_schema(responses=KindSerializer(many=True))
    def list(self, request: Request) -> Response:
        """All kinds of games: seats, notation, options with ranges, defaults and help, terms, and built-in bots."""
        return Response([KindSerializer(kind_data(kind)).data for kind in kinds.KINDS])

    @extend_schema(
        parameters=[OpenApiParameter("kind", str, OpenApiParameter.PATH)],
        responses={200: KindSerializer, 400: ErrorSerializer},
    )
    def retrieve(self, request: Request, kind: str) -> Response:
        """One kind of game. Errors: 400 unknown_kind."""
        kinds.rules_for(kind)
        return Response(KindSerializer(kind_data(kind)).data)


def kind_data(kind: str) -> dict[str, Any]:
    """What a kind is and can be asked, as plain data."""
    rules = kinds.rules_for(kind)
    spec = rules.spec
    seats = range(spec.seats_min, spec.seats_max + 1)
    return {
        **asdict(spec),
        "terms": [asdict(option) for option in schema_for(paces_of(rules))],
        "usual": {str(count): rules.resolve(count, {}) for count in seats},
        "built_in_bots": builtin_bots_for(kind),
    }


def turn_now(game: Game, seat: int) -> dict[str, Any]:
    """What `seat` needs to act as the game stands now."""
    game.refresh_from_db(from_queryset=Game.objects.select_related("deal"))
    return turn_of(play.load_unit(game), seat)


def readable_events(game: Game, entries: list[RecordedEvent]) -> list[dict[str, Any]]:
    """Events (already redacted) as JSON with names."""
    rules = kinds.rules_for(game.kind, game.rules_version)
    return [{"version": e.version, "ms": e.ms, "event": visibility.readable_event(rules, e.event)} for e in entries]


def signed_in_user(request: Request) -> AbstractBaseUser:
    """The user of a request that only users may make."""
    assert isinstance(request.user, AbstractBaseUser), "IsAuthenticated has checked it."
    return request.user


def whole_number(text: str, name: str) -> int:
    """`text` as a number, or a 400 that names the parameter."""
    if not text.isdecimal() or len(text) > 9:
        raise DomainError(
            400,
            "bad_parameter",
            _("{name} must be a whole number, 0 or more, not {text!r}.").format(name=name, text=text),
        )
    return int(text)
