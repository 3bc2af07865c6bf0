"""The API of talk. It calls the same services as the pages."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.common.cursor_pagination import NewestFirstPagination
from games.common.policy import policy
from games.common.service_views import error_responses, validated_data
from games.common.signed_in import signed_in_user
from games.models import Player
from games.play.api import PlayerSerializer
from games.talk import selectors, services
from games.talk.models import NOTE_MAX_LENGTH, TEXT_MAX_LENGTH, Message, PersonalMute, PrivateNote
from games.talk.phrases import PHRASES
from games.talk.rooms import Room, find_room


class PhraseSerializer(serializers.Serializer[Any]):
    """A quick phrase: its code, and its words in your language."""

    code = serializers.CharField()
    words = serializers.CharField()


class MessageSerializer(serializers.Serializer[Any]):
    """A message. `phrase` is the code of a quick phrase, or empty; `words` is what you read, empty once it is
    removed."""

    id = serializers.IntegerField()
    player = PlayerSerializer(allow_null=True)
    phrase = serializers.CharField()
    words = serializers.CharField()
    removed = serializers.BooleanField()
    created = serializers.DateTimeField()


class NewMessageSerializer(serializers.Serializer[Any]):
    """A quick phrase by its code, or a text of one line."""

    phrase = serializers.CharField(max_length=20, required=False, allow_blank=True, default="")
    text = serializers.CharField(
        required=False, allow_blank=True, default="", help_text=f"At most {TEXT_MAX_LENGTH} characters."
    )


class PrivateNoteSerializer(serializers.Serializer[Any]):
    """Your note about a `game`, by its id, or a person (`player`). Nobody else can read it."""

    about = serializers.ChoiceField(choices=["game", "person"])
    game = serializers.CharField(allow_null=True)
    player = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()
    changed = serializers.DateTimeField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        data: dict[str, Any] = super().to_representation(selectors.note_data(instance))
        return data


class NewPrivateNoteSerializer(serializers.Serializer[Any]):
    """The text of a note; an empty one deletes it."""

    text = serializers.CharField(
        allow_blank=True, trim_whitespace=False, help_text=f"At most {NOTE_MAX_LENGTH} characters."
    )


class PersonalMuteSerializer(serializers.ModelSerializer[PersonalMute]):
    """A person whose messages you do not read."""

    player = PlayerSerializer(read_only=True)

    class Meta:
        model = PersonalMute
        fields = ["player", "created"]


def message_answer(message: Message, room: Room, request: Request) -> dict[str, Any]:
    """Return a message as JSON data."""
    row = selectors.message_row(message, room, signed_in_user(request))
    shown: dict[str, Any] = {"id": row.pk, "player": row.player, "phrase": row.phrase, "words": row.words}
    shown |= {"removed": row.is_removed, "created": row.created}
    return dict(MessageSerializer(shown).data)


class PhrasesView(APIView):
    """The quick phrases."""

    remote_bots = "nothing"
    visible_in_impersonation = True
    permission_classes = [AllowAny]

    @extend_schema(responses=PhraseSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The quick phrases, in the language of the request."""
        return Response([{"code": code, "words": str(words)} for code, words in PHRASES.items()])


class MessagesView(generics.GenericAPIView[Message]):
    """The messages of a room."""

    read_scope = "play"
    write_scope = "play"
    remote_bots = "nothing"
    visible_in_impersonation = False

    serializer_class = MessageSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = NewestFirstPagination
    filter_backends = ()
    queryset = Message.objects.none()

    @extend_schema(responses={200: MessageSerializer(many=True), **error_responses(403, 404)})
    def get(self, request: Request, place: str, of: str) -> Response:
        """The messages of a room, newest first, without those of people whom you have muted. `place` is table (the
        players of the game `of`), spectators (of that game), or season (`of` is its id). Errors: 403 not_at_table,
        not_in_season, talk_later, talk_off; 404 room_not_found."""
        user = signed_in_user(request)
        room = find_room(place, of, user)
        services.check_may_talk(room, user)
        page = self.paginate_queryset(selectors.messages_in(room, user))
        assert page is not None
        return self.get_paginated_response([message_answer(message, room, request) for message in page])

    @extend_schema(
        request=NewMessageSerializer, responses={201: MessageSerializer, **error_responses(400, 403, 404, 429)}
    )
    def post(self, request: Request, place: str, of: str) -> Response:
        """Write a quick phrase or a text in a room. Errors: 400 bad_phrase, bad_message; 403 not_at_table,
        not_in_season, talk_later, talk_off, free_text_off, muted, warning_unread; 404 room_not_found; 429
        too_many_messages."""
        user = signed_in_user(request)
        sent = validated_data(NewMessageSerializer(data=request.data))
        room = find_room(place, of, user)
        made = services.write_message(room=room, user=user, **sent)
        return Response(message_answer(made, room, request), status=201)


class RemoveView(APIView):
    """The removal of a message."""

    write_scope = "organise"
    remote_bots = "nothing"
    permission_classes = [IsAuthenticated]

    @extend_schema(request=None, responses={200: MessageSerializer, **error_responses(403, 404)})
    def post(self, request: Request, pk: int) -> Response:
        """Remove a message (organisers). Everybody sees that it was removed. Errors: 403 not_organiser; 404
        message_not_found."""
        user = signed_in_user(request)
        message, room = services.find_message(pk, user)
        removed = services.remove_message(message=message, room=room, user=user)
        return Response(message_answer(removed, room, request))


class NotesView(generics.ListAPIView[PrivateNote]):
    """My notes."""

    read_scope = "account"
    remote_bots = "nothing"
    visible_in_impersonation = False

    serializer_class = PrivateNoteSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = NewestFirstPagination
    filter_backends = ()

    def get_queryset(self) -> QuerySet[PrivateNote]:
        return selectors.notes_of(signed_in_user(self.request))

    @extend_schema(description="Your private notes about games and people, newest first.")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class NoteView(APIView):
    """My note about a game or a person."""

    write_scope = "account"
    remote_bots = "nothing"
    permission_classes = [IsAuthenticated]

    @extend_schema(
        request=NewPrivateNoteSerializer,
        responses={200: PrivateNoteSerializer, 204: None, **error_responses(400, 404, 409)},
    )
    def put(self, request: Request, about: str, of: str) -> Response:
        """Write your note about a game (`about` is game, `of` its id) or a person (person, the player's id). An empty
        text deletes it. Errors: 400 bad_note; 404 game_not_found, player_not_found; 409 too_many_notes."""
        user = signed_in_user(request)
        sent = validated_data(NewPrivateNoteSerializer(data=request.data))
        made = services.write_note(user=user, about=selectors.find_noted(about, of, user), text=sent["text"])
        return Response(status=204) if made is None else Response(PrivateNoteSerializer(made).data)


class MutesView(generics.ListAPIView[PersonalMute]):
    """People whose messages I do not read."""

    read_scope = "account"
    remote_bots = "nothing"
    visible_in_impersonation = False

    serializer_class = PersonalMuteSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = NewestFirstPagination
    filter_backends = ()

    def get_queryset(self) -> QuerySet[PersonalMute]:
        return selectors.mutes_of(signed_in_user(self.request))

    @extend_schema(description="The people whose messages you do not read, newest first.")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class MuteView(APIView):
    """One person whose messages I do not read."""

    write_scope = "account"
    remote_bots = "nothing"
    permission_classes = [IsAuthenticated]

    @extend_schema(request=None, responses={200: PersonalMuteSerializer, **error_responses(400, 404, 409)})
    def put(self, request: Request, pk: int) -> Response:
        """Do not show you the messages of a person. They do not learn about it. Errors: 400 bad_person; 404
        player_not_found; 409 too_many_mutes."""
        made = services.mute(user=signed_in_user(request), player=self.player(pk))
        return Response(PersonalMuteSerializer(made).data)

    @extend_schema(request=None, responses={204: OpenApiResponse(), **error_responses(404)})
    @policy(remote_bots="nothing")
    def delete(self, request: Request, pk: int) -> Response:
        """Show you the messages of a person again. Errors: 404 player_not_found."""
        services.unmute(user=signed_in_user(request), player=self.player(pk))
        return Response(status=204)

    @staticmethod
    def player(pk: int) -> Player:
        return selectors.find_player(str(pk))
