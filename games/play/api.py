"""The API of games and players: lists, one game, its events, and moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any

import django_filters
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

from games.clocks import vacations
from games.clocks.models import Vacation
from games.common.cursor_pagination import NamePagination, NewestFirstPagination
from games.common.errors import DomainError
from games.common.filters import MomentFilter, StrictChoiceFilter, of_kind
from games.common.policy import policy
from games.common.service_views import ErrorSerializer, validated_data
from games.common.signed_in import signed_in_user
from games.models import Game, Player, Seat
from games.play import beats, offers, seating
from games.play import services as play
from games.play.players import player_data
from games.play.roster import builtin_bots_for
from games.play.signals import asking_frames, asking_why_bots_wait
from games.play.turn import own_or_former_seat, turn_of, why_not
from games.play.turn_serializers import NamedValuesField, OutcomeField, TurnSerializer
from games.visibility import audience, observe
from scorebook_games import registry
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.pacing import MAX_BUNDLE_MOVES, paces_of
from scorebook_games.gamelog.terms import schema_for

MAX_EVENTS = 1000


class PlayerSerializer(serializers.ModelSerializer[Player]):
    """A person, or one version of a bot. `agent`: a bot whose moves a language model chooses."""

    bot = serializers.BooleanField(source="is_bot", read_only=True)
    bot_version = serializers.SerializerMethodField()
    agent = serializers.SerializerMethodField()

    class Meta:
        model = Player
        fields = ["id", "name", "bot", "bot_version", "agent"]

    def get_bot_version(self, player: Player) -> int | None:
        return player.bot_version.number if player.bot_version else None

    def get_agent(self, player: Player) -> bool:
        return player.bot_version is not None and player.bot_version.is_agent

    def to_representation(self, player: Player) -> dict[str, Any]:
        """Return the data of `fields`, written by hand, because a list has hundreds of players and generic fields are
        slow."""
        return player_data(player)


def columns_of(player: str) -> list[str]:
    """Return the columns that `PlayerSerializer` reads of the player at that path.

    Rows of players and bots have long other columns.
    """
    return [f"{player}__{name}" for name in ("name", "bot_version__number", "bot_version__program")]


class SeatSerializer(serializers.ModelSerializer[Seat]):
    """A seat with its player and result; `left` says how the player left, if they did."""

    player = PlayerSerializer(read_only=True)

    class Meta:
        model = Seat
        fields = ["seat", "player", "score", "placing", "left"]

    def to_representation(self, seat: Seat) -> dict[str, Any]:
        """Return the data of `fields`, written by hand as for players."""
        shown = {"score": seat.score, "placing": seat.placing, "left": seat.left}
        return {"seat": seat.seat, "player": player_data(seat.player), **shown}


class GameSerializer(serializers.ModelSerializer[Game]):
    """One game."""

    id = serializers.CharField(source="public_id", read_only=True)
    title = serializers.SerializerMethodField()
    options = NamedValuesField(read_only=True, help_text="By name, as in `kinds/`.")
    terms = NamedValuesField(read_only=True, help_text="By name, as in `kinds/`.")
    outcome = OutcomeField(read_only=True, allow_null=True)
    version = serializers.IntegerField(read_only=True, allow_null=True, help_text="Null if it is not public.")
    seats = SeatSerializer(many=True, read_only=True)
    waits = serializers.SerializerMethodField(help_text="Why the game's uploaded bots cannot play now; usually empty.")
    own_bots = serializers.SerializerMethodField(
        help_text="The bots that play in this game together with their owner; usually empty."
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
        return registry.KINDS[game.kind].spec.title

    def to_representation(self, game: Game) -> dict[str, Any]:
        """Return the game. While its result is not public, it is shown as being played."""
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
    """Return why games of uploaded bots wait at the moment, for their players; "" if none waits."""
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
    viewpoint = serializers.CharField()
    eyes = serializers.CharField(help_text="Former name of `viewpoint`, until the next release.")
    events = EventSerializer(many=True)
    next_since = serializers.IntegerField(allow_null=True)


class MoveSerializer(serializers.Serializer[Any]):
    """A move in the notation of its kind, and the version of the game that it refers to."""

    move = serializers.CharField(max_length=200)
    expected_version = serializers.IntegerField(min_value=1)
    frames = serializers.BooleanField(default=False, help_text="Whether the answer has frames, as `replay/` does.")


class MovedSerializer(serializers.Serializer[Any]):
    """The game's version after the move, and the events that followed, as the mover may see them."""

    version = serializers.IntegerField()
    events = EventSerializer(many=True)
    turn = TurnSerializer(help_text="The player's next turn, as `turn/` returns it.")
    since = serializers.IntegerField(required=False, help_text="With `frames`: the version after which they begin.")
    frames = serializers.ListField(child=serializers.DictField(), required=False, help_text="As in `replay/`.")
    scores = serializers.ListField(child=serializers.ListField(), required=False, help_text="As in `replay/`.")
    items = serializers.DictField(required=False, help_text="As in `replay/`.")


class BundleSerializer(serializers.Serializer[Any]):
    """The moves for the next beat; the last move ends the bundle. `beat` is the number in the observation."""

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


class FinishedFilter(MomentFilter):
    """Filters by the end of a game. A game whose end is not public yet does not count as finished."""

    def filter(self, games: QuerySet[Game], moment: datetime | None) -> QuerySet[Game]:
        found: QuerySet[Game] = super().filter(games.filter(observe.result_is_public()) if moment else games, moment)
        return found


class GameFilter(django_filters.FilterSet):  # type: ignore[misc]  # untyped
    player = django_filters.NumberFilter(field_name="seats__player", label="The id of a player in the game.")
    status = StrictChoiceFilter(Game.Status.values, method="having_status", label="The state of the game.")
    kind = of_kind()
    opened_after = MomentFilter("opened_at", "gte", "Opened at this time or later.")
    opened_before = MomentFilter("opened_at", "lt", "Opened before this time.")
    finished_after = FinishedFilter("finished_at", "gte", "Finished at this time or later.")
    finished_before = FinishedFilter("finished_at", "lt", "Finished before this time.")

    class Meta:
        model = Game
        fields = ["kind", "status", "player"]

    def having_status(self, games: QuerySet[Game], _name: str, status: str) -> QuerySet[Game]:
        """Return the games that are shown with this status. A game is shown as being played until its end is public."""
        over = observe.result_is_public() & ~Q(status=Game.Status.PLAYING)
        return games.exclude(over) if status == Game.Status.PLAYING else games.filter(over, status=status)


GAME_ACTION_SCHEMA = extend_schema(request=None, responses={200: GameSerializer, 409: OpenApiResponse(ErrorSerializer)})
SINCE = OpenApiParameter("since", int, description="Only events after this version.")
FRAMES = OpenApiParameter("frames", bool, description="Of a stream: 1 for lines with frames instead of events.")
STAY = OpenApiParameter("stay", bool, description="Of a player's stream: 1 to go on after the end, for a rematch.")
VIEWPOINT_PARAMETER = OpenApiParameter(
    "viewpoint", str, description='"public", a seat\'s number, or "all". Default: what you may see.'
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
        """Add the reason why games of uploaded bots wait, looked up if there is one."""
        return {**super().get_serializer_context(), "sandboxes": SimpleLazyObject(sandbox_wait_text)}

    def get_queryset(self) -> QuerySet[Game]:
        seats = Seat.objects.select_related("player__bot_version")
        seats = seats.only("game", "seat", "score", "placing", "left", *columns_of("player"))
        games = Game.objects.filter(audience.visible_to(self.request.user))
        games = games.filter(trial=None)  # only people with the address of a trial see its games
        games = games.select_related("deal", "rematch", "rematch_of__deal").only(*GAME_LIST_FIELDS)
        return games.prefetch_related(Prefetch("seats", seats))

    def get_object(self) -> Game:
        game = play.find_game(self.kwargs["public_id"], self.request.user)
        self.check_object_permissions(self.request, game)
        return game

    @extend_schema(
        parameters=[SINCE, VIEWPOINT_PARAMETER, FRAMES, STAY],
        responses={
            (200, "application/json"): EventsSerializer,
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            (200, "text/event-stream"): OpenApiTypes.STR,
        },
    )
    @action(detail=True)
    @policy(rate_limit="play", visible_in_impersonation=True)
    def events(self, request: Request, public_id: str) -> Response:
        """The game's events so far.

        With `Accept: text/event-stream` or `application/x-ndjson`: the same, followed by every new event as it happens.
        SSE resumes from `Last-Event-ID`.
        """
        game = self.get_object()
        viewer = observe.requested_viewpoint(game, request.user, request.query_params.get("viewpoint"))
        since = whole_number(request.query_params.get("since", "0"), "since")
        known = observe.known_events(game, viewer, after=since)
        page = known[:MAX_EVENTS]
        version = since + len(known)
        return Response(
            {
                "version": version,
                **dict.fromkeys(("viewpoint", "eyes"), observe.viewpoint_text(viewer)),
                "events": readable_events(game, page),
                "next_since": page[-1].version if len(known) > len(page) else None,
            }
        )

    @extend_schema(request=MoveSerializer, responses={201: MovedSerializer, 400: ErrorSerializer, 409: ErrorSerializer})
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="everything", rate_limit="play")
    def moves(self, request: Request, public_id: str) -> Response:
        """Play a move in your seat.

        Repeat a lost request with the same idempotency key; the move is played once. Errors: 400 malformed_move, 403
        not_your_seat, 409 illegal_move (with clause and legal moves), 409 stale_version (with the version), 409
        clock_expired, 409 game_over.
        """
        game = self.get_object()
        seat = play.seat_of(game, request.user)
        sent = validated_data(MoveSerializer(data=request.data))
        moved = play.play_move(
            game=game, seat=seat, text=sent["move"], expected_version=sent["expected_version"], is_fresh=True
        )
        made: dict[str, Any] = {"version": moved.version, "events": readable_events(game, moved.events)}
        if sent["frames"]:
            asked = {"unit": moved.unit, "seat": seat, "since": sent["expected_version"]}
            for _receiver, news in asking_frames.send_robust(sender=Game, **asked):  # a move counts without them
                made |= news if isinstance(news, dict) else {}
        return Response({**made, "turn": turn_of(moved.unit, seat)}, status=201)

    @extend_schema(
        parameters=[OpenApiParameter("after", str, many=True, description="In beats: the moves of the bundle so far.")],
        responses={200: TurnSerializer, 403: ErrorSerializer, 409: ErrorSerializer},
    )
    @action(detail=True, permission_classes=[IsAuthenticated])
    @policy(rate_limit="play", visible_in_impersonation=False)
    def turn(self, request: Request, public_id: str) -> Response:
        """Everything your seat needs to act: your legal moves in words, the seats that are to move, and the clock.

        Errors: 403 not_your_seat; with `after` those of a bundle.
        """
        game = self.get_object()
        seat = own_or_former_seat(game, request.user)
        after = request.query_params.getlist("after")[:MAX_BUNDLE_MOVES]
        return Response(turn_of(play.load_unit(game), seat, after))

    @extend_schema(
        parameters=[
            OpenApiParameter("move", str, required=True, description="The move, as its kind writes it."),
            OpenApiParameter("after", str, many=True, description="In beats: the moves of the bundle so far."),
        ],
        responses={200: IllegalMoveReasonSerializer, 403: ErrorSerializer, 409: ErrorSerializer},
    )
    @action(detail=True, permission_classes=[IsAuthenticated], url_path="turn/why")
    @policy(rate_limit="play", visible_in_impersonation=False)
    def why(self, request: Request, public_id: str) -> Response:
        """Why you cannot play a move now: the clause and the sentence of the rule. Nothing is played.

        Errors: 403 not_your_seat; with `after` those of a bundle.
        """
        game = self.get_object()
        seat = play.seat_of(game, request.user)
        after = request.query_params.getlist("after")[:MAX_BUNDLE_MOVES]
        reason = why_not(play.load_game(game), seat, request.query_params.get("move", "")[:200], after)
        return Response({"legal": reason is None, **(reason or {})})

    @extend_schema(
        request=BundleSerializer, responses={202: GivenSerializer, 400: ErrorSerializer, 409: ErrorSerializer}
    )
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="everything", rate_limit="play")
    def bundles(self, request: Request, public_id: str) -> Response:
        """Submit your moves for the next beat of a game in beats.

        They stay secret, and you can replace them until the beat is played. Errors: 400 malformed_move, 409
        illegal_move (both with the `index` of the move), 409 stale_beat (with the next beat), 409 wrong_pace, 409
        clock_expired.
        """
        game = self.get_object()
        sent = validated_data(BundleSerializer(data=request.data))
        seat = play.seat_of(game, request.user)
        answer = beats.give_bundle(game=game, seat=seat, beat=sent["beat"], moves=sent["moves"])
        return Response({**answer._asdict(), "turn": turn_now(game, seat)}, status=202)

    @GAME_ACTION_SCHEMA
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="everything", rate_limit="play")
    def ready(self, request: Request, public_id: str) -> Response:
        """Confirm that you are ready for GO in a live game.

        The countdown begins when all players are ready, or after a minute. In a game with a start time (`begins_at`)
        this is the check-in: a player who has not checked in when `grace_minutes` have passed loses the seat.
        """
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
        """Propose to abort the game without a result, or agree to a proposal.

        Your next move withdraws your proposal. Errors: 409 may_not_abort, 409 declined (until the game has moved on).
        """
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
        """Run `act` in the user's seat. The response is the game with the seat's `turn`."""
        game = self.get_object()
        seat = play.seat_of(game, request.user)
        act(game=game, seat=seat)
        data = self.get_serializer(play.find_game(game.public_id)).data
        return Response({**data, "turn": turn_now(game, seat)})

    @extend_schema(request=None, responses={200: NextGameSerializer, 409: ErrorSerializer})
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="people only")
    def rematch(self, request: Request, public_id: str) -> Response:
        """Ask for a rematch of this finished game, with rotated seats.

        It begins when all people have asked within 24 hours; then `rematch` is its id. Errors: 409 still_on, 409
        no_rematch.
        """
        game = self.get_object()
        seat = own_or_former_seat(game, request.user)
        following = offers.offer_rematch(game=game, seat=seat)
        opened = following.public_id if following else None
        return Response({"wanted_by": offers.rematch_wishes(game), "rematch": opened, "turn": turn_now(game, seat)})

    @extend_schema(request=None, responses={200: NextGameSerializer, 409: ErrorSerializer})
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated], url_path="decline-rematch")
    @policy(remote_bots="people only")
    def decline_rematch(self, request: Request, public_id: str) -> Response:
        """Decline a rematch, or withdraw your wish for one. Errors: 409 still_on, 409 no_rematch, 409 opened."""
        game = self.get_object()
        seat = own_or_former_seat(game, request.user)
        offers.decline_rematch(game=game, seat=seat)
        return Response({"wanted_by": offers.rematch_wishes(game), "rematch": None, "turn": turn_now(game, seat)})


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

    @extend_schema(responses={201: VacationSerializer, 409: ErrorSerializer})
    def create(self, request: Request) -> Response:
        """Add a vacation.

        It can begin tomorrow at the earliest. Errors: 400 bad_days, 400 bad_zone, 409 too_late, 409 overlapping, 409
        no_days_left.
        """
        days = validated_data(VacationSerializer(data=request.data))
        zone = days.get("zone") or timezone.get_current_timezone_name()
        vacation = vacations.announce_vacation(
            user=signed_in_user(request), start=days["start"], end=days["end"], zone=zone
        )
        return Response(VacationSerializer(vacation).data, status=201)

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
        """Return all players. A list has no names that were imported from files and belong to no account."""
        players = super().get_queryset()
        return players.filter(from_file=False, is_team=False) if self.action == "list" else players


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
        return Response([KindSerializer(kind_data(kind)).data for kind in registry.KINDS])

    @extend_schema(
        parameters=[OpenApiParameter("kind", str, OpenApiParameter.PATH)],
        responses={200: KindSerializer, 400: ErrorSerializer},
    )
    def retrieve(self, request: Request, kind: str) -> Response:
        """One kind of game. Errors: 400 unknown_kind."""
        if kind not in registry.KINDS:
            raise DomainError(400, "unknown_kind", registry.missing(kind))
        return Response(KindSerializer(kind_data(kind)).data)


def kind_data(kind: str) -> dict[str, Any]:
    """Return a kind with its options, terms and built-in bots as plain data."""
    rules = registry.rules_for(kind)
    spec = rules.spec
    seats = range(spec.seats_min, spec.seats_max + 1)
    return {
        **asdict(spec),
        "terms": [asdict(option) for option in schema_for(paces_of(rules))],
        "usual": {str(count): rules.resolve(count, {}) for count in seats},
        "built_in_bots": builtin_bots_for(kind),
    }


def turn_now(game: Game, seat: int) -> dict[str, Any]:
    """Return what `seat` needs to act now."""
    game.refresh_from_db(from_queryset=Game.objects.select_related("deal"))
    return turn_of(play.load_unit(game), seat)


def readable_events(game: Game, entries: list[RecordedEvent]) -> list[dict[str, Any]]:
    """Return events, which are already redacted, as JSON with named fields."""
    rules = registry.rules_for(game.kind, game.rules_version)
    return [{"version": e.version, "ms": e.ms, "event": visibility.readable_event(rules, e.event)} for e in entries]


def whole_number(text: str, name: str) -> int:
    """Return `text` as a number. Raises `DomainError` (400), which names the parameter."""
    if not text.isdecimal() or len(text) > 9:
        raise DomainError(
            400,
            "bad_parameter",
            _("{name} must be a whole number, 0 or more, not {text!r}.").format(name=name, text=text),
        )
    return int(text)
