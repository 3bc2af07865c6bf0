"""The API of uploaded bots. It calls the same services as the pages and the kit."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from games.bots import challenges, comparison, uploads
from games.bots.admission import notifications as author_notifications
from games.bots.admission import trials
from games.common.cursor_pagination import NewestFirstPagination
from games.common.errors import DomainError
from games.common.filters import flag
from games.common.policy import policy
from games.common.sentences import SentenceSerializer, sentences_data
from games.common.service_views import ErrorSerializer, ServiceViewSet, validated_data
from games.common.signed_in import signed_in_user
from games.models import Bot, BotVersion, Trial
from games.play import faults
from games.play.models import Fault
from games.visibility import observe
from scorebook_games.analysis.comparison import DEFAULT_BOUNDS, Bounds
from scorebook_games.presentation.coded_text import text

BOT_NAME_PATTERN = "[^/]{1,80}"


class StepSerializer(serializers.Serializer[Any]):
    """A step of an admission or a comparison: read, start, game, time, rating or deals.

    `state`: wait, live, done, fault or skipped.
    """

    name = serializers.CharField(help_text="Name of the step; of a game `game/`, its kind, `/` and the opponent.")
    state = serializers.CharField()
    sentence = serializers.CharField()
    sentences = SentenceSerializer(many=True)
    kind = serializers.CharField(required=False)
    bot = serializers.CharField(required=False)
    game = serializers.CharField(required=False)
    fault = serializers.IntegerField(required=False)

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        place = [instance["name"], instance.get("kind"), instance.get("bot")]
        sentences = instance.get("sentences", [])
        named = {**instance, "name": "/".join(part for part in place if part)}
        return {**named, "sentence": text(sentences), "sentences": sentences_data(sentences)}


class TrialSerializer(serializers.ModelSerializer[Trial]):
    """The progress of an admission or a comparison.

    `result` of a comparison has `verdict` (accepted, rejected, undecided, or null so far), `evidence` (for `better` and
    for `worse`: that the version is better by more than `elo0`, or by less than `elo1`; each begins at 1),
    `evidence_limit` (which decides), `path` (the evidence after each deal), the share of the points, and `promotion`.
    """

    against = serializers.IntegerField(source="against.number", default=None, allow_null=True)
    version = serializers.IntegerField(source="version.number")
    steps = StepSerializer(many=True)

    class Meta:
        model = Trial
        fields = [
            "what",
            "version",
            "against",
            "kind",
            "elo0",
            "elo1",
            "promote",
            "state",
            "steps",
            "result",
            "created",
            "finished_at",
        ]


class VersionSerializer(serializers.ModelSerializer[BotVersion]):
    """One immutable version. `state`: admission, passed, refused (with the `reason`), quarantined or retired."""

    player = serializers.IntegerField(
        source="player.pk", help_text="The id of the bot as a player of games and entrant of seasons."
    )
    admission = serializers.SerializerMethodField(help_text="Address of the version's admission.")
    page = serializers.SerializerMethodField(help_text="Address of the bot's page, with this version's admission.")
    source_address = serializers.SerializerMethodField(help_text="Address of the source; empty if you may not read it.")
    reason = serializers.SerializerMethodField(
        help_text="Why the version cannot play. Only the author sees why it was refused."
    )
    reasons = serializers.SerializerMethodField(help_text="The sentences of `reason`.")

    class Meta:
        model = BotVersion
        fields = [
            "number",
            "state",
            "reason",
            "reasons",
            "kinds",
            "size",
            "sha256",
            "created",
            "player",
            "admission",
            "page",
            "source_address",
        ]

    def get_source_address(self, version: BotVersion) -> str:
        if not uploads.may_read_source(version, self.context["user"]):
            return ""
        return reverse("api-bot-source", args=[version.bot.name, version.number])

    def get_admission(self, version: BotVersion) -> str:
        return reverse("api-bot-admission", args=[version.bot.name, version.number])

    def get_page(self, version: BotVersion) -> str:
        return f"{reverse('bot', args=[version.bot.name])}?admission={version.number}"

    def get_reason(self, version: BotVersion) -> str:
        """Return the reason of a refusal, with what the bot printed and how it answered."""
        return version.reason if self._sees_reason(version) else ""

    @extend_schema_field(SentenceSerializer(many=True))
    def get_reasons(self, version: BotVersion) -> list[dict[str, Any]]:
        return sentences_data(version.reasons) if self._sees_reason(version) else []

    def _sees_reason(self, version: BotVersion) -> bool:
        return version.state != BotVersion.State.REFUSED or uploads.is_owner(version.bot, self.context["user"])


class FaultSerializer(serializers.ModelSerializer[Fault]):
    """Why a version failed: the request, its answer, and the cost. Only the author can see it."""

    game = serializers.CharField(source="game.public_id", default=None, allow_null=True)
    version = serializers.IntegerField(source="bot_version.number")
    sentence = serializers.CharField(read_only=True)
    sentences = SentenceSerializer(many=True, read_only=True)
    page = serializers.SerializerMethodField(help_text="Address of the fault's page: the position, and what was asked.")

    class Meta:
        model = Fault
        fields = [
            "id",
            "at",
            "version",
            "kind",
            "cost",
            "sentence",
            "sentences",
            "game",
            "seat",
            "position",
            "evidence",
            "stderr",
            "page",
        ]

    def get_page(self, fault: Fault) -> str:
        return reverse("fault", args=[fault.pk])

    def to_representation(self, fault: Fault) -> dict[str, Any]:
        """Return the fault.

        What its seat knew is shown once the game is open to all, because the author may play there too.
        """
        data: dict[str, Any] = super().to_representation(fault)
        if fault.game and not observe.is_fully_open(fault.game):
            data |= {"evidence": {}, "stderr": "", "sentence": str(fault.get_kind_display()), "sentences": []}
        return data


class AdmissionSerializer(serializers.Serializer[Any]):
    """The admission of a version.

    `state`: waiting, running, passed, refused, or given_up if the platform failed repeatedly. A version that has passed
    may still be getting its first rating. `faults` explain a refusal, and `fault` has what the bot wrote. `result` has
    response times and ratings.
    """

    state = serializers.CharField()
    steps = StepSerializer(many=True)
    faults = serializers.ListField(child=serializers.CharField())
    fault = FaultSerializer(allow_null=True)
    result = serializers.DictField()


class BotSerializer(serializers.ModelSerializer[Bot]):
    """An uploaded bot. `plays` is the number of the version that plays for it. With `source_published`, everybody may
    read the sources of its admitted versions."""

    owner = serializers.CharField(source="owner.player.name", default=None, allow_null=True)
    plays = serializers.IntegerField(source="plays.number", default=None, allow_null=True)

    class Meta:
        model = Bot
        fields = ["name", "owner", "description", "visibility", "source_published", "plays", "created"]


class NewBotSerializer(serializers.Serializer[Any]):
    """A bot to create. Its file comes with the first version."""

    name = serializers.CharField(max_length=200)
    description = serializers.CharField(required=False, allow_blank=True, max_length=uploads.DESCRIPTION_MAX_LENGTH)
    visibility = serializers.ChoiceField(choices=Bot.Visibility.choices, required=False)


class BotChangeSerializer(serializers.Serializer[Any]):
    """Changes to a bot. Fields that are left out do not change."""

    description = serializers.CharField(required=False, allow_blank=True, max_length=uploads.DESCRIPTION_MAX_LENGTH)
    visibility = serializers.ChoiceField(choices=Bot.Visibility.choices, required=False)
    source_published = serializers.BooleanField(
        required=False, help_text="Whether everybody who sees the bot may read the sources of its admitted versions."
    )


class ComparisonSerializer(serializers.Serializer[Any]):
    """A comparison: is `version` better than `against` by more than `elo0` Elo points, or by less than `elo1`?"""

    version = serializers.IntegerField(min_value=1)
    against = serializers.IntegerField(min_value=1)
    kind = serializers.CharField()
    elo0 = serializers.IntegerField(default=DEFAULT_BOUNDS.elo0)
    elo1 = serializers.IntegerField(default=DEFAULT_BOUNDS.elo1)
    promote = serializers.BooleanField(default=False, help_text="Let the version play for its bot if it is accepted.")


class ChallengeSerializer(serializers.Serializer[Any]):
    """A game against built-in bots that begins immediately. `version`: default is the version that plays."""

    kind = serializers.CharField()
    bots = serializers.ListField(child=serializers.CharField(), min_length=1, max_length=challenges.MAX_OPPONENTS)
    seat = serializers.IntegerField(required=False, min_value=0)
    version = serializers.IntegerField(required=False, min_value=1)


class OpenedSerializer(serializers.Serializer[Any]):
    """The id of the new game."""

    game = serializers.CharField()


class RawBodyParser(BaseParser):
    """A parser for a body that is the file itself, of any content type."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        """Return nothing: the view reads the bytes itself."""
        return {}


ERROR_RESPONSES: dict[int, Any] = {403: ErrorSerializer, 404: ErrorSerializer, 409: OpenApiResponse(ErrorSerializer)}
MINE_PARAMETER = OpenApiParameter("mine", bool, description="Only your own bots.")


class BotViewSet(ServiceViewSet):
    """Uploaded bots: create one, upload versions, follow their admission, and see their faults."""

    write_scope = "bots"
    remote_bots = "read"
    visible_in_impersonation = True

    queryset = Bot.objects.none()
    serializer_class = BotSerializer
    pagination_class = NewestFirstPagination
    filterset_class = None
    lookup_field = "name"
    lookup_value_regex = BOT_NAME_PATTERN

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Keep the body of an upload unparsed, because only the bytes show whether it is complete."""
        if self.is_upload(request) and announced(request) <= MAX_BODY_BYTES:
            with suppress(RequestDataTooBig, UnreadablePostError):
                request.body  # noqa: B018  Django keeps it
        return super().initialize_request(request, *args, **kwargs)

    @extend_schema(parameters=[MINE_PARAMETER])
    def list(self, request: Request) -> Response:
        """The public bots and your own private ones, newest first."""
        own = uploads.bots_of_user(request.user)
        found = Bot.objects.filter(~Q(key=None)).select_related("owner__player", "plays")
        mine = flag(request, "mine")
        bots = found.filter(own) if mine else found.filter(own | Q(visibility=Bot.Visibility.PUBLIC))
        return self.paged(bots, BotSerializer)

    @extend_schema(responses={200: BotSerializer, 404: ErrorSerializer})
    def retrieve(self, request: Request, name: str) -> Response:
        """One bot. Error: 404 bot_not_found, also for a private bot of others."""
        return self.show(uploads.find_visible_bot(name, request.user), BotSerializer)

    @extend_schema(request=NewBotSerializer, responses={201: BotSerializer, 400: ErrorSerializer, **ERROR_RESPONSES})
    def create(self, request: Request) -> Response:
        """Create a bot. Errors: 400 bad_name; 403 no_guests, muted, warning_unread; 409 name_taken, too_many_bots."""
        me = signed_in_user(request)
        return self.answered(BotSerializer, uploads.new_bot, NewBotSerializer, 201, owner=me)

    @extend_schema(request=BotChangeSerializer, responses={200: BotSerializer, 400: ErrorSerializer, **ERROR_RESPONSES})
    def partial_update(self, request: Request, name: str) -> Response:
        """Change the description, the visibility, or whether the source is published. Errors: 403 not_your_bot, muted,
        warning_unread."""
        data = self.sent(BotChangeSerializer)
        bot = uploads.find_own_bot(name, request.user)
        return self.show(uploads.change_bot(bot, **data), BotSerializer)

    @extend_schema(methods=["GET"], responses=VersionSerializer(many=True))
    @extend_schema(
        methods=["POST"],
        request={
            "text/x-python": OpenApiTypes.BINARY,
            "multipart/form-data": {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}},
        },
        responses={
            201: VersionSerializer,
            400: ErrorSerializer,
            413: ErrorSerializer,
            415: ErrorSerializer,
            429: ErrorSerializer,
            **ERROR_RESPONSES,
        },
    )
    @action(detail=True, methods=["get", "post"], parser_classes=[MultiPartParser, RawBodyParser])
    @policy(rate_limit="upload", visible_in_impersonation=True)
    def versions(self, request: Request, name: str) -> Response:
        """GET: the versions, newest first. POST: upload a file, as the body itself or as the part `file` of a form. It
        becomes the next version and goes to admission. Errors: 400 upload_empty, upload_cut_off, upload_null_byte,
        upload_missing; 403 not_your_bot; 409 same_bytes (with `version`), taken_down, too_many_in_admission; 413
        upload_too_large; 415 upload_not_text, upload_not_utf8; 429 too_many_today."""
        if request.method == "GET":
            bot = uploads.find_visible_bot(name, request.user)
            return self.paged(bot.versions.select_related("player", "bot"), VersionSerializer)
        bot = uploads.find_own_bot(name, request.user)
        version = uploads.upload_version(bot=bot, data=received(request))
        return self.show(version, VersionSerializer, 201)

    @extend_schema(responses={200: VersionSerializer, 404: ErrorSerializer})
    @action(detail=True, methods=["get"], url_path=r"versions/(?P<number>[0-9]{1,9})")
    @policy(visible_in_impersonation=True)
    def version(self, request: Request, name: str, number: str) -> Response:
        """One version. Error: 404 version_not_found."""
        found = version_numbered(uploads.find_visible_bot(name, request.user), int(number))
        return self.show(found, VersionSerializer)

    @extend_schema(methods=["GET"], responses={200: AdmissionSerializer, 403: ErrorSerializer, 404: ErrorSerializer})
    @extend_schema(methods=["POST"], request=None, responses={202: AdmissionSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["get", "post"], url_path=r"versions/(?P<number>[0-9]{1,9})/admission")
    @policy(remote_bots="nothing", visible_in_impersonation=False)
    def admission(self, request: Request, name: str, number: str) -> Response:
        """GET: all steps of the admission so far, for the author. Ask again while the state is waiting or running.
        POST: start an admission again that the platform has given up. Errors: 403 not_your_bot; 404 version_not_found;
        409 not_given_up, too_many_in_admission."""
        version = version_numbered(uploads.find_own_bot(name, request.user), int(number))
        if request.method == "POST":
            restart_admission(version)
            return Response(admission_data(version), status=202)
        return Response(admission_data(version))

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR, 403: ErrorSerializer, 404: ErrorSerializer})
    @action(detail=True, methods=["get"], url_path=r"versions/(?P<number>[0-9]{1,9})/source")
    @policy(remote_bots="nothing", visible_in_impersonation=False)
    def source(self, request: Request, name: str, number: str) -> HttpResponse:
        """The exact source that was uploaded, for the author and, of an admitted version, for everybody if the author
        has published it. Error: 403 source_not_published."""
        version = version_numbered(uploads.find_visible_bot(name, request.user), int(number))
        uploads.check_may_read_source(version, request.user)
        return HttpResponse(version.source.encode(), content_type="text/plain; charset=utf-8")

    @extend_schema(request=None, responses={200: BotSerializer, **ERROR_RESPONSES})
    @action(
        detail=True,
        methods=["post"],
        url_path=r"versions/(?P<number>[0-9]{1,9})/play",
        permission_classes=[IsAuthenticated],
    )
    def play(self, request: Request, name: str, number: str) -> Response:
        """Let this version play for the bot from now on. Errors: 403 not_your_bot, 409 not_passed."""
        author_notifications.choose_version_and_notify(
            version_numbered(uploads.find_own_bot(name, request.user), int(number))
        )
        return self.show(uploads.find_bot(name), BotSerializer)

    @extend_schema(responses=FaultSerializer(many=True))
    @action(detail=True, methods=["get"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="nothing", visible_in_impersonation=False)
    def faults(self, request: Request, name: str) -> Response:
        """Faults of your bot, latest first. Only the author can see them. Error: 403 not_your_bot."""
        bot = uploads.find_own_bot(name, request.user)
        found = faults.tellable(Fault.objects.filter(bot_version__bot=bot)).select_related("game__deal", "bot_version")
        return self.paged(found, FaultSerializer)

    @extend_schema(methods=["GET"], responses=TrialSerializer(many=True))
    @extend_schema(
        methods=["POST"],
        request=ComparisonSerializer,
        responses={202: TrialSerializer, 400: ErrorSerializer, **ERROR_RESPONSES},
    )
    @action(detail=True, methods=["get", "post"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="nothing", rate_limit="upload", visible_in_impersonation=False)
    def comparisons(self, request: Request, name: str) -> Response:
        """GET: comparisons of your versions, with their progress. POST: start a comparison, which plays the same deals
        from both seats until a sequential test has decided. Errors: 400 bad_bounds; 403 not_your_bot; 404
        version_not_found; 409 not_passed, wrong_kind, same_version, too_many_comparisons.

        A repeated POST returns the same comparison. If it is going on, `promote` holds for it too; if it is over, the
        answer says `promote` as it was.
        """
        bot = uploads.find_own_bot(name, request.user)
        if request.method == "GET":
            found = Trial.objects.filter(version__bot=bot, what=Trial.What.COMPARISON)
            return self.paged(found.select_related("version", "against"), TrialSerializer)
        data = validated_data(ComparisonSerializer(data=request.data))
        version, against = version_numbered(bot, data["version"]), version_numbered(bot, data["against"])
        bounds = Bounds(data["elo0"], data["elo1"])
        trial = comparison.request_comparison(
            version=version, against=against, kind=data["kind"], bounds=bounds, promote=data["promote"]
        )
        return self.show(trial, TrialSerializer, 202)

    @extend_schema(
        request=ChallengeSerializer, responses={201: OpenedSerializer, 400: ErrorSerializer, **ERROR_RESPONSES}
    )
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated])
    def challenges(self, request: Request, name: str) -> Response:
        """Start an unrated game of your bot against built-in bots.

        Errors: 400 bad_option; 403 not_your_bot; 409 not_passed, wrong_kind, too_many_challenges.
        """
        bot = uploads.find_own_bot(name, request.user)
        data = validated_data(ChallengeSerializer(data=request.data))
        version = version_numbered(bot, data["version"]) if data.get("version") else playing_version(bot)
        seat = data.get("seat", 0)
        game = challenges.open_challenge(version=version, kind=data["kind"], bots=data["bots"], seat=seat)
        return Response({"game": game.public_id}, status=201)

    def get_permissions(self) -> Any:
        """Changes need a signed-in user."""
        if self.request.method not in ("GET", "HEAD", "OPTIONS"):
            return [IsAuthenticated()]
        return super().get_permissions()

    def get_parsers(self) -> Any:
        """Return the parsers: a bot and its changes are sent as JSON, a version as a file."""
        if self.request and self.is_upload(self.request):
            return super().get_parsers()
        parsers: Any = api_settings.DEFAULT_PARSER_CLASSES
        return [parsers[0]()]

    def is_upload(self, request: Any) -> bool:
        """Whether the request uploads a version. Called before DRF knows the action."""
        method = str(request.method).lower()
        return method == "post" and (self.action_map or {}).get(method) == "versions"

    def get_serializer_context(self) -> dict[str, Any]:
        """Add the `user` of the request."""
        return {**super().get_serializer_context(), "user": self.request.user}


MAX_BODY_BYTES = uploads.MAX_UPLOAD_BYTES + 16 * 1024  # includes what a form puts around the file


def announced(request: HttpRequest) -> int:
    """The length that the request declares for its body; 0 if it declares none."""
    length = request.META.get("CONTENT_LENGTH") or ""
    return int(length) if length.isdecimal() and len(length) < 16 else 0


def received(request: Request) -> bytes:
    """Return the file of the request. Raises `UploadError`."""
    raw = request._request
    expected = announced(raw)
    if expected > MAX_BODY_BYTES:
        uploads.read_upload([], expected)
    body = uploads.read_chunks([raw.body], expected or None, MAX_BODY_BYTES)
    if raw.content_type != "multipart/form-data":
        return uploads.read_upload([body])
    boundary = raw.content_params.get("boundary", "").encode("ascii", "replace") if raw.content_params else b""
    if b"--" + boundary + b"--" not in body[-len(boundary) - 8 :]:
        if len(body) < expected:
            raise uploads.cut_off(len(body), expected)
        sentence = _(
            "The upload is incomplete: the form’s last boundary is missing. Nothing was saved. Send the file again."
        )
        raise uploads.UploadError(400, "upload_cut_off", sentence)
    sent = request.FILES.get("file")
    if sent is None:
        raise uploads.UploadError(400, "upload_missing", _("Send the file as the part `file` of the form."))
    return uploads.read_upload(sent.chunks())


def admission_data(version: BotVersion) -> dict[str, Any]:
    """Return the data that `AdmissionSerializer` describes."""
    trial = admission_of(version)
    over = {BotVersion.State.PASSED: "passed", BotVersion.State.REFUSED: "refused"}
    going = trial.state if trial and trial.state != Trial.State.DONE else "running"
    fault = trials.refusal_of(trial) if trial else None
    return {
        "state": over.get(BotVersion.State(version.state), going if version.state == "admission" else version.state),
        "steps": StepSerializer(trial.steps if trial else [], many=True).data,
        "faults": [version.reason] if version.reason else [],
        "fault": FaultSerializer(fault).data if fault else None,
        "result": trial.result if trial else {},
    }


def admission_of(version: BotVersion) -> Trial | None:
    """Return the version's admission; None for one that was admitted without."""
    return version.trials.filter(what=Trial.What.ADMISSION).first()


def restart_admission(version: BotVersion) -> None:
    """Restart an admission. Raises `DomainError` not_given_up, too_many_in_admission (409)."""
    trial = admission_of(version)
    if trial is None:
        raise trials.not_given_up_error()
    trial.version = version
    trials.restart_trial(trial)


def version_numbered(bot: Bot, number: int) -> BotVersion:
    """Return the version of the bot with this number. Raises `DomainError` version_not_found."""
    found = (
        bot.versions.select_related("bot__owner", "player").filter(number=number).first() if number < 2**31 else None
    )
    if found is None:
        raise DomainError(404, "version_not_found", _("{bot} has no version {number}.").format(bot=bot, number=number))
    return found


def playing_version(bot: Bot) -> BotVersion:
    """Return the version that plays for the bot. Raises `DomainError` not_passed."""
    if bot.plays is None:
        raise DomainError(409, "not_passed", _("None of its versions has been admitted yet."))
    return version_numbered(bot, bot.plays.number)
