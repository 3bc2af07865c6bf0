"""The API of a person's own account: profile, notices and games."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers
from rest_framework.pagination import PageNumberPagination
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.accounts import dataset_consent, languages, mygames, notices, people, quiet_hours, reminders, shortcuts
from games.accounts.export import account_data, notice_data
from games.accounts.models import Notice
from games.accounts.subjects import SUBJECTS
from games.common.cursor_pagination import NewestFirstPagination, check_page_size
from games.common.outbox import SendState
from games.common.policy import policy
from games.common.sentences import SentenceSerializer
from games.common.service_views import ErrorSerializer, validated_data
from games.common.shortcuts import BadShortcuts, Choice, checked
from games.common.signed_in import signed_in_user
from games.common.zones import known_zones
from games.models import Seat
from games.visibility import acting


class ShortcutsSerializer(serializers.Serializer[Any]):
    """Single-character keyboard shortcuts. A change resets every shortcut that `keys` does not name to its default."""

    on = serializers.BooleanField(help_text="Whether single characters are shortcuts.")
    keys = serializers.DictField(child=serializers.CharField(max_length=1), help_text="The key of each shortcut.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        try:
            checked(attrs["on"], attrs["keys"])
        except BadShortcuts as error:
            raise serializers.ValidationError({"keys": f"{error.name}: {error.sentence}"}) from error
        return attrs


class QuietHoursSerializer(serializers.Serializer[Any]):
    """Times of the day in your zone, such as 22:00, between which nothing comes by email or to your devices."""

    begin = serializers.TimeField(format="%H:%M")
    end = serializers.TimeField(format="%H:%M")


class MeSerializer(serializers.Serializer[Any]):
    """Your account.

    `mails` and `pushes` say for each subject of notices whether it comes by email and to your devices; `reminders` says
    how long before an event you are reminded; `unseen` is the number of unseen notices.
    """

    id = serializers.IntegerField(help_text="The player's id.", allow_null=True)
    name = serializers.CharField()
    zone = serializers.CharField(help_text='Such as Europe/Dublin; "" uses the browser\'s time zone.')
    language = serializers.CharField(
        help_text="Such as de; \"\" uses the browser's language, for emails the platform's."
    )
    guest = serializers.BooleanField()
    mails = serializers.DictField(child=serializers.BooleanField())
    pushes = serializers.DictField(child=serializers.BooleanField())
    quiet_hours = QuietHoursSerializer(allow_null=True)
    reminders = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="Reminders by subject, each in minutes before the event.",
    )
    shortcuts = ShortcutsSerializer()
    dataset_consent = serializers.BooleanField(help_text="Whether my decisions may be in the dataset.")
    unseen = serializers.IntegerField()


class MeChangeSerializer(serializers.Serializer[Any]):
    """Changes to your account. Fields that are left out do not change."""

    name = serializers.CharField(max_length=200, required=False, trim_whitespace=False)
    zone = serializers.CharField(required=False, allow_blank=True)
    language = serializers.CharField(required=False, allow_blank=True)
    mails = serializers.DictField(child=serializers.BooleanField(), required=False)
    pushes = serializers.DictField(child=serializers.BooleanField(), required=False)
    quiet_hours = QuietHoursSerializer(required=False, allow_null=True)
    reminders = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField(), max_length=reminders.MAX_OFFSETS), required=False
    )
    shortcuts = ShortcutsSerializer(required=False)
    dataset_consent = serializers.BooleanField(required=False)

    def validate_zone(self, zone: str) -> str:
        if zone and zone not in known_zones():
            raise serializers.ValidationError(_('Unknown time zone. Send a name such as Europe/Dublin, or "".'))
        return zone

    def validate_language(self, language: str) -> str:
        if language and not languages.offered(language):
            known = ", ".join(languages.offered_languages())
            raise serializers.ValidationError(_('Unknown language. Choose from {known}, or "".').format(known=known))
        return language

    def validate_mails(self, mails: dict[str, bool]) -> dict[str, bool]:
        if unknown := sorted(set(mails) - set(SUBJECTS)):
            raise serializers.ValidationError(
                _("There is no notice {name}. Choose from {known}.").format(name=unknown[0], known=", ".join(SUBJECTS))
            )
        return mails

    def validate_pushes(self, pushes: dict[str, bool]) -> dict[str, bool]:
        return self.validate_mails(pushes)

    def validate_reminders(self, wanted: dict[str, list[int]]) -> dict[str, list[int]]:
        if unknown := sorted(set(wanted) - set(reminders.default_offsets())):
            known = ", ".join(reminders.default_offsets())
            raise serializers.ValidationError(
                _("There are no reminders of {name}. Choose from {known}.").format(name=unknown[0], known=known)
            )
        try:
            return {subject: reminders.checked_offsets(minutes) for subject, minutes in wanted.items()}
        except reminders.BadOffsets as error:
            raise serializers.ValidationError(str(error)) from error


class AccountDeletionSerializer(serializers.Serializer[Any]):
    """My own name, as a confirmation of the deletion."""

    name = serializers.CharField(max_length=200)


class PersonSerializer(serializers.Serializer[Any]):
    """A player of a game."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    bot = serializers.BooleanField()
    bot_version = serializers.IntegerField(allow_null=True)


class MyGameSerializer(serializers.Serializer[Any]):
    """One of your games.

    `state`: mine (your turn), waiting (others are to move), over (finished for you). `left`: you have left it.
    `result`: W, D, L or a place; "" while it is not public. `termination`: how the game ended; null until then.
    """

    id = serializers.CharField()
    kind = serializers.CharField()
    title = serializers.CharField()
    seat = serializers.IntegerField()
    state = serializers.ChoiceField(choices=mygames.MY_GAME_STATES)
    others = PersonSerializer(many=True)
    waits_for = PersonSerializer(many=True)
    begins_at = serializers.DateTimeField(allow_null=True, help_text="When the game begins; null once it has begun.")
    deadline = serializers.DateTimeField(allow_null=True)
    seconds_left = serializers.IntegerField(allow_null=True)
    left = serializers.BooleanField()
    result = serializers.CharField()
    score = serializers.CharField()
    termination = serializers.CharField(allow_null=True)
    opened_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        data: dict[str, Any] = super().to_representation(mygames.my_game_data(instance))
        return data


class NoticeSerializer(serializers.Serializer[Any]):
    """A notice to you in its present wording. `mail` is the state of its email."""

    id = serializers.IntegerField()
    subject = serializers.ChoiceField(choices=list(SUBJECTS))
    words = serializers.CharField()
    sentences = SentenceSerializer(many=True, help_text="The part of `words` that its subject does not say.")
    url = serializers.CharField()
    game = serializers.CharField(allow_null=True)
    created = serializers.DateTimeField()
    seen = serializers.BooleanField()
    mail = serializers.ChoiceField(choices=SendState.choices)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        data: dict[str, Any] = super().to_representation(notice_data(instance))
        return data


class SeenSerializer(serializers.Serializer[Any]):
    """The notice that you have seen; all notices if `id` is left out. The answer counts the new ones."""

    id = serializers.IntegerField(required=False)
    seen = serializers.IntegerField(read_only=True)


class KeyOrderedPaginator(Paginator):  # type: ignore[type-arg]  # no class to subscript as the program runs
    """Orders rows by their keys alone and then fetches the rows of the page, for orders that no index has."""

    def _get_page(self, rows: Any, number: int, paginator: Any) -> Any:
        every: Any = self.object_list
        return super()._get_page(every.filter(pk__in=rows.values("pk")), number, paginator)  # type: ignore[misc]  # untyped


class ListPagination(PageNumberPagination):
    """A list in its own order, page by page; `page_size` is at most 200."""

    django_paginator_class = KeyOrderedPaginator
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

    def get_page_size(self, request: Request) -> int | None:
        check_page_size(request, "page_size", self.max_page_size)
        return super().get_page_size(request)

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"next": self.get_next_link(), "previous": self.get_previous_link(), "results": data})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        shape: dict[str, Any] = super().get_paginated_response_schema(schema)
        shape["properties"].pop("count")
        shape.pop("required", None)
        return shape


class MeView(APIView):
    write_scope = "account"
    remote_bots = "read"
    visible_in_impersonation = True
    permission_classes = [IsAuthenticated]

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """Your account: name, time zone, language, email choices, and the number of unseen notices."""
        return Response(me_data(signed_in_user(request)))

    @extend_schema(
        request=MeChangeSerializer,
        responses={200: MeSerializer, 400: OpenApiResponse(ErrorSerializer), 409: OpenApiResponse(ErrorSerializer)},
    )
    def patch(self, request: Request) -> Response:
        """Change your name, time zone, language, what is sent to you and when, keyboard shortcuts, or dataset consent.

        Errors: 400 bad_name, bad_quiet_hours, 409 name_taken.
        """
        user = signed_in_user(request)
        wanted = validated_data(MeChangeSerializer(data=request.data))
        if "name" in wanted:
            people.rename(user, wanted["name"])
        if "zone" in wanted:
            people.set_zone(user, wanted["zone"])
        if "language" in wanted:
            languages.set_language(user, wanted["language"])
        if "mails" in wanted:
            notices.set_mails(people.profile_of(user), wanted["mails"])
        if "pushes" in wanted:
            notices.set_pushes(people.profile_of(user), wanted["pushes"])
        if "quiet_hours" in wanted:
            hours = wanted["quiet_hours"] or {"begin": None, "end": None}
            quiet_hours.set_quiet_hours(people.profile_of(user), hours["begin"], hours["end"])
        if "reminders" in wanted:
            reminders.set_offsets(people.profile_of(user), wanted["reminders"])
        if "shortcuts" in wanted:
            shortcuts.save(user, checked(wanted["shortcuts"]["on"], wanted["shortcuts"]["keys"]))
        if "dataset_consent" in wanted:
            dataset_consent.set_consent(user=user, given=wanted["dataset_consent"])
        return Response(me_data(user))

    @extend_schema(
        request=AccountDeletionSerializer,
        responses={204: None, 400: OpenApiResponse(ErrorSerializer), 409: OpenApiResponse(ErrorSerializer)},
    )
    @policy(rate_limit="guess")
    def delete(self, request: Request) -> Response:
        """Delete your account; the body confirms this with your name.

        Your games stay, without the name; you resign running games. Errors: 400 wrong_name, 409 account_needed (with
        `reasons`).
        """
        user = signed_in_user(request)
        sent = validated_data(AccountDeletionSerializer(data=request.data))
        if sent["name"] != people.display(user):
            raise people.AccountError(400, "wrong_name", _("That is not your name, so nothing was deleted."))
        people.delete_account(user, request=request._request)
        return Response(status=204)


def me_data(user: User) -> dict[str, Any]:
    """Return the data that `MeSerializer` describes.

    A remote bot has a name; zone, language, notices and reminders are its owner's.
    """
    if bot := acting.bot_of(user):
        nothing: dict[str, Any] = {"guest": False, "mails": {}, "pushes": {}, "quiet_hours": None}
        bot_data: dict[str, Any] = {"id": bot.pk, "name": bot.name, "zone": "", "language": ""}
        counted = {"reminders": {}, "unseen": 0}
        return {**bot_data, "shortcuts": Choice().plain(), "dataset_consent": False, **nothing, **counted}
    player, profile = people.player_of_user(user), people.profile_of(user)
    return {
        "id": player.pk if player else None,
        "name": people.display(user),
        "zone": profile.zone,
        "language": profile.language,
        "guest": profile.guest,
        "mails": notices.mail_settings(profile),
        "pushes": notices.push_settings(profile),
        "quiet_hours": quiet_hours.hours_data(profile),
        "reminders": reminders.offsets_of(profile),
        "shortcuts": shortcuts.choice_of(user).plain(),
        "dataset_consent": dataset_consent.has_consented(user),
        "unseen": notices.unseen_count(user),
    }


class AccountExportView(APIView):
    read_scope = "account"
    remote_bots = "nothing"
    rate_limit = "export"
    visible_in_impersonation = False
    permission_classes = [IsAuthenticated]

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        """All data that the platform has about you."""
        return Response(account_data(signed_in_user(request)))


class MyGamesView(generics.ListAPIView[Seat]):
    """My games."""

    remote_bots = "read"
    visible_in_impersonation = True

    serializer_class = MyGameSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = ListPagination
    filter_backends = ()

    def get_queryset(self) -> QuerySet[Seat]:
        return mygames.my_seats(people.player_of_user(self.request.user))

    @extend_schema(
        description="Your games: first those in which it is your turn, shortest clock first; then those in which "
        "others move; then finished games."
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class NoticesView(generics.ListAPIView[Notice]):
    """My notices."""

    remote_bots = "nothing"
    visible_in_impersonation = True

    serializer_class = NoticeSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = NewestFirstPagination
    filter_backends = ()

    def get_queryset(self) -> QuerySet[Notice]:
        return notices.notices_of(self.request.user)

    @extend_schema(description="Your notices, newest first.")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class SeenView(APIView):
    write_scope = "account"
    remote_bots = "nothing"
    permission_classes = [IsAuthenticated]

    @extend_schema(request=SeenSerializer, responses=SeenSerializer)
    def post(self, request: Request) -> Response:
        """Mark a notice as seen, or all of them."""
        sent = validated_data(SeenSerializer(data=request.data))
        return Response({"seen": notices.mark_seen(signed_in_user(request), pk=sent.get("id"))})
