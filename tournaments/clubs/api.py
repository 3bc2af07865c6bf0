"""The API of clubs. It calls the same services as the pages."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.cursor_pagination import NamePagination, NewestFirstPagination
from games.common.filters import flag
from games.common.outbox import SendState
from games.common.page_cache import cached_answer
from games.common.policy import policy
from games.common.service_views import ServiceViewSet, error_responses
from games.common.signed_in import signed_in_user
from games.play.api import PlayerSerializer
from games.talk.switch import TalkSwitch
from tournaments.clubs import activity as club_activity
from tournaments.clubs import invitations, members, ownership, posts
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.locking import check_organiser, check_owner
from tournaments.clubs.models import Club, ClubEvent, ClubPost, Invitation, JoinRequest, Membership
from tournaments.clubs.page_versions import club_key
from tournaments.clubs.permissions import listed_for, role_of, roles_of, visible_to

ERROR_RESPONSES = error_responses(400, 403, 404, 409, 429)


class JoiningOrderPagination(NewestFirstPagination):
    """Pages in the order of joining."""

    ordering = ("created", "id")


@extend_schema_field(PlayerSerializer(allow_null=True))
class PersonField(serializers.RelatedField[User, User, Any]):
    """The player of a user; null for deleted accounts and users without a player."""

    @cached_property
    def named(self) -> PlayerSerializer:
        """Return one serializer for all rows of a list, because making one takes longer than using it."""
        return PlayerSerializer()

    def to_representation(self, value: Any) -> Any:
        player = getattr(value, "player", None)
        return self.named.to_representation(player) if player else None


class ClubSerializer(serializers.ModelSerializer[Club]):
    """A club. `your_role` is owner, organiser, member or "". Rounds open by the clock of its `zone`."""

    owner = PersonField(read_only=True)
    your_role = serializers.SerializerMethodField()

    class Meta:
        model = Club
        fields = [
            "id",
            "name",
            "slug",
            "about",
            "rules",
            "zone",
            "visibility",
            "joining",
            "talk",
            "owner",
            "created",
            "archived_at",
            "your_role",
        ]

    def get_your_role(self, club: Club) -> str:
        known: dict[int, str] | None = self.context.get("roles")  # loaded once for a whole list
        return role_of(self.context["request"].user, club) if known is None else known.get(club.pk, "")


class NewClubSerializer(serializers.Serializer[Any]):
    """A club to create. All fields except `name` have defaults."""

    name = serializers.CharField(max_length=200, trim_whitespace=False)
    about = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    rules = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    zone = serializers.CharField(required=False, help_text="Such as Europe/Dublin.")
    visibility = serializers.ChoiceField(choices=Club.Visibility.choices, required=False)
    joining = serializers.ChoiceField(choices=Club.Joining.choices, required=False)
    talk = serializers.ChoiceField(
        choices=TalkSwitch.choices,
        required=False,
        help_text="What may be written in games and seasons of the club.",
    )


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """A member of a club. `id` is the id of the membership."""

    player = PersonField(source="user", read_only=True)
    since = serializers.DateTimeField(source="created", read_only=True)

    class Meta:
        model = Membership
        fields = ["id", "player", "role", "since"]


class RoleSerializer(serializers.Serializer[Any]):
    """The new role of a member."""

    role = serializers.ChoiceField(choices=[members.ORGANISER.value, members.MEMBER.value])


class RemovalSerializer(serializers.Serializer[Any]):
    """The reason of a removal. The person sees it, and it is kept in the club's log."""

    reason = serializers.CharField(max_length=1000)


class ArchiveSerializer(serializers.Serializer[Any]):
    """The reason for archiving, kept in the club's log."""

    reason = serializers.CharField(max_length=1000)


class JoinMessageSerializer(serializers.Serializer[Any]):
    """A message to the organisers."""

    words = serializers.CharField(required=False, allow_blank=True, max_length=1000)


class JoinRequestSerializer(serializers.ModelSerializer[JoinRequest]):
    """A request to become a member."""

    player = PersonField(source="user", read_only=True)

    class Meta:
        model = JoinRequest
        fields = ["id", "player", "words", "state", "created", "answered_at"]


class JoinedSerializer(serializers.Serializer[Any]):
    """The result: joined, or asked with the id of the `request`."""

    state = serializers.ChoiceField(choices=["joined", "asked"])
    request = serializers.IntegerField(allow_null=True)


class InvitationSerializer(serializers.ModelSerializer[Invitation]):
    """An invitation as organisers see it. `mail` is the state of its email; null for a link."""

    by = PersonField(read_only=True)
    state = serializers.SerializerMethodField(help_text="open, declined, revoked, expired or used")
    mail = serializers.ChoiceField(choices=SendState.choices, source="send_state", read_only=True)
    mail_at = serializers.DateTimeField(source="send_at", read_only=True, allow_null=True)

    class Meta:
        model = Invitation
        fields = [
            "id",
            "prefix",
            "email",
            "by",
            "max_uses",
            "used",
            "created",
            "expires_at",
            "state",
            "mail",
            "mail_at",
        ]

    def get_state(self, invitation: Invitation) -> str:
        return invitations.invitation_state(invitation)


class NewInvitationSerializer(serializers.Serializer[Any]):
    """A link for `max_uses` people (null: unlimited), or an email invitation, for the owner of `email` alone."""

    max_uses = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=invitations.MAX_USES)
    days = serializers.IntegerField(
        required=False, default=invitations.DEFAULT_VALID_DAYS, min_value=1, max_value=invitations.MAX_VALID_DAYS
    )
    email = serializers.CharField(required=False, max_length=254)


class MadeInvitationSerializer(InvitationSerializer):
    """An invitation; a link has its `token` and `url`, shown only once."""

    token = serializers.CharField(required=False)
    url = serializers.CharField(required=False)

    class Meta(InvitationSerializer.Meta):
        fields = [*InvitationSerializer.Meta.fields, "token", "url"]


class InvitationTokenSerializer(serializers.Serializer[Any]):
    """The secret at the end of an invitation link."""

    token = serializers.CharField(max_length=100)


class OwnInvitationSerializer(serializers.ModelSerializer[Invitation]):
    """An invitation to one of your email addresses."""

    club = serializers.CharField(source="club.name", read_only=True)
    by = PersonField(read_only=True)

    class Meta:
        model = Invitation
        fields = ["id", "club", "by", "created", "expires_at"]


class PostSerializer(serializers.ModelSerializer[ClubPost]):
    """A news post, in plain text."""

    by = PersonField(read_only=True)

    class Meta:
        model = ClubPost
        fields = ["id", "title", "text", "by", "created", "edited_at"]
        read_only_fields = ["created", "edited_at"]


class NewPostSerializer(serializers.Serializer[Any]):
    """A news post to publish."""

    title = serializers.CharField(max_length=1000)
    text = serializers.CharField(trim_whitespace=False)


class NewOwnerSerializer(serializers.Serializer[Any]):
    """The `id` of the membership of the next owner."""

    member = serializers.IntegerField(min_value=1, max_value=2**31)


class OfferSerializer(serializers.Serializer[Any]):
    """The member to whom the club is offered; null for none."""

    offered_to = PersonField(read_only=True)


class ClubEventSerializer(serializers.ModelSerializer[ClubEvent]):
    """A change and who made it, also in `words`."""

    by = PersonField(read_only=True)
    about = PersonField(read_only=True)
    words = serializers.SerializerMethodField()

    class Meta:
        model = ClubEvent
        fields = ["id", "type", "by", "about", "data", "reason", "at", "words"]

    def get_words(self, event: ClubEvent) -> str:
        return club_activity.event_text(event)


class ClubActions(ServiceViewSet):
    """Clubs, with their members, news, invitations and settings."""

    write_scope = "organise"
    remote_bots = "read"
    visible_in_impersonation = True

    queryset = Club.objects.none()
    serializer_class = ClubSerializer
    pagination_class = NamePagination
    permission_classes = [IsAuthenticatedOrReadOnly]
    lookup_field = "slug"
    lookup_value_regex = "[-a-zA-Z0-9_]+"
    filterset_class = None

    def get_queryset(self) -> QuerySet[Club]:
        shown = listed_for if self.action == "list" else visible_to
        return shown(self.request.user).select_related("owner__player__bot_version")

    @extend_schema(
        parameters=[OpenApiParameter("mine", bool, description="True: your clubs, including archived ones.")]
    )
    def list(self, request: Request) -> Response:
        """The clubs that you may see, by name. Archived clubs are found only by their address or among yours."""
        roles = roles_of(request.user)
        clubs = self.get_queryset()
        if flag(request, "mine"):
            clubs = Club.objects.filter(pk__in=roles).select_related("owner__player__bot_version")
        page = self.paginate_queryset(clubs)
        context = {**self.get_serializer_context(), "roles": roles}
        return self.get_paginated_response(ClubSerializer(page, many=True, context=context).data)

    def retrieve(self, request: Request, slug: str) -> Response:
        """One club. 404 also for a private club of others."""
        return self.show(self.get_object(), ClubSerializer)

    @extend_schema(request=NewClubSerializer, responses={201: ClubSerializer, **ERROR_RESPONSES})
    def create(self, request: Request) -> Response:
        """Create a club. Errors name the `field`: 400 bad_name, bad_zone, bad_text, bad_choice; 403 guest; 409
        name_taken, too_many_clubs."""
        return self.answered(
            ClubSerializer, club_lifecycle.found_club, NewClubSerializer, 201, user=signed_in_user(request)
        )

    @extend_schema(request=NewClubSerializer(partial=True), responses={200: ClubSerializer, **ERROR_RESPONSES})
    def partial_update(self, request: Request, slug: str) -> Response:
        """Change the club's settings (owner). Fields that are left out do not change; the address never does. Errors:
        403 not_owner, 409 club_archived, and those of creating a club."""
        asked = self.sent(NewClubSerializer, partial=True)
        return self.show(
            club_lifecycle.change_club(club=self.get_object(), user=signed_in_user(request), **asked), ClubSerializer
        )

    # members

    @extend_schema(responses=MemberSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=JoiningOrderPagination)
    @policy(visible_in_impersonation=True)
    @cached_answer(lambda _viewset, _request, slug: club_key(slug))
    def members(self, request: Request, slug: str) -> Response:
        """The members of the club, in the order of joining."""
        return self.paged(members.members_of(self.get_object()), MemberSerializer)

    @extend_schema(request=RoleSerializer, responses={200: MemberSerializer, **ERROR_RESPONSES}, methods=["PATCH"])
    @extend_schema(request=RemovalSerializer, responses={204: None, **ERROR_RESPONSES}, methods=["DELETE"])
    @action(detail=True, methods=["patch", "delete"], url_path=r"members/(?P<member>\d{1,15})")
    def member(self, request: Request, slug: str, member: str) -> Response:
        """PATCH: change the role of a member (owner). DELETE: remove a member, with a `reason` (organisers). Errors:
        403 not_owner, not_organiser; 400 bad_choice, bad_reason; 409 owner_stays, yourself, not_member,
        club_archived."""
        membership = get_object_or_404(self.get_object().memberships.select_related("club"), pk=int(member))
        if request.method == "PATCH":
            user = signed_in_user(request)
            return self.answered(MemberSerializer, members.set_role, RoleSerializer, membership=membership, user=user)
        return self.answered(
            None, members.remove_member, RemovalSerializer, membership=membership, user=signed_in_user(request)
        )

    @extend_schema(
        request=JoinMessageSerializer, responses={200: JoinedSerializer, **ERROR_RESPONSES}, methods=["POST"]
    )
    @extend_schema(request=None, responses={204: None, **ERROR_RESPONSES}, methods=["DELETE"])
    @action(detail=True, methods=["post", "delete"])
    @policy(write_scope="play")
    def join(self, request: Request, slug: str) -> Response:
        """POST: become a member, or ask if the club decides about requests. DELETE: withdraw your request. Errors: 403
        guest, by_invitation; 400 bad_words; 409 already_member, already_asked, asked_lately, no_request,
        club_archived; 429 too_many_requests."""
        club = self.get_object()
        if request.method == "DELETE":
            return self.answered(None, members.withdraw_request, club=club, user=signed_in_user(request))
        asked = members.join_club(club=club, user=signed_in_user(request), **self.sent(JoinMessageSerializer))
        return Response({"state": "asked" if asked else "joined", "request": asked.pk if asked else None})

    @extend_schema(request=None, responses={204: None, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play")
    def leave(self, request: Request, slug: str) -> Response:
        """Leave the club. Errors: 403 guest; 409 not_member, owner_stays."""
        return self.answered(None, members.leave_club, club=self.get_object(), user=signed_in_user(request))

    @extend_schema(responses=JoinRequestSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=JoiningOrderPagination, permission_classes=[IsAuthenticated])
    @policy(remote_bots="nothing", visible_in_impersonation=False)
    def requests(self, request: Request, slug: str) -> Response:
        """Open requests to join, oldest first (organisers). Error: 403 not_organiser."""
        club = self.get_object()
        check_organiser(signed_in_user(request), club)
        return self.paged(members.open_requests(club), JoinRequestSerializer)

    @extend_schema(request=None, responses={200: JoinRequestSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path=r"requests/(?P<asked>\d{1,15})/(?P<answer>accept|decline)")
    def answer(self, request: Request, slug: str, asked: str, answer: str) -> Response:
        """Accept or decline a request to join (organisers). The person is notified. Errors: 403 not_organiser; 409
        answered, club_archived."""
        join_request = get_object_or_404(self.get_object().requests.select_related("club"), pk=int(asked))
        fixed = {"request": join_request, "user": signed_in_user(request), "accept": answer == "accept"}
        return self.answered(JoinRequestSerializer, members.answer_request, **fixed)

    # invitations

    @extend_schema(responses=InvitationSerializer(many=True), methods=["GET"], filters=False)
    @extend_schema(
        request=NewInvitationSerializer, responses={201: MadeInvitationSerializer, **ERROR_RESPONSES}, methods=["POST"]
    )
    @action(
        detail=True,
        methods=["get", "post"],
        pagination_class=NewestFirstPagination,
        permission_classes=[IsAuthenticated],
    )
    @policy(remote_bots="nothing", secret_answer=True, visible_in_impersonation=False)
    def invitations(self, request: Request, slug: str) -> Response:
        """GET: the open invitations (organisers). POST: create a link, whose `token` and `url` are only in this answer;
        or, with an `email`, an invitation that is sent to it (organisers). Errors: 403 not_organiser, confirm_address;
        400 bad_email, bad_invitation; 409 declined_before, too_many_invitations, club_archived; 429 too_many_mails."""
        club, user = self.get_object(), signed_in_user(request)
        check_organiser(user, club)
        if request.method == "GET":
            return self.paged(invitations.valid_invitations(club), InvitationSerializer)
        return self._invite(club, user, self.sent(NewInvitationSerializer))

    def _invite(self, club: Club, user: User, asked: dict[str, Any]) -> Response:
        if email := asked.pop("email", ""):
            asked.pop("max_uses", None)
            return self.show(
                invitations.invite_by_mail(club=club, user=user, email=email, **asked), InvitationSerializer, 201
            )
        made, token = invitations.invite_by_link(club=club, user=user, **asked)
        shown = InvitationSerializer(made, context=self.get_serializer_context()).data
        url = self.request.build_absolute_uri(reverse("invitation", args=[token]))
        return Response({**shown, "token": token, "url": url}, status=201)

    @extend_schema(request=None, responses={204: None, **ERROR_RESPONSES})
    @action(detail=True, methods=["delete"], url_path=r"invitations/(?P<invitation>\d{1,15})")
    def invitation(self, request: Request, slug: str, invitation: str) -> Response:
        """Revoke an invitation (organisers). Errors: 403 not_organiser; 409 invitation_over."""
        found = self._invitation(invitation)
        return self.answered(None, invitations.revoke_invitation, invitation=found, user=signed_in_user(request))

    @extend_schema(request=None, responses={200: InvitationSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path=r"invitations/(?P<invitation>\d{1,15})/resend")
    def resend(self, request: Request, slug: str, invitation: str) -> Response:
        """Send an email invitation again, with a new link (organisers). Errors: 403 not_organiser, confirm_address;
        409 invitation_over, not_by_mail, sent_lately, club_archived; 429 too_many_mails."""
        found, user = self._invitation(invitation), signed_in_user(request)
        return self.answered(InvitationSerializer, invitations.resend_invitation, invitation=found, user=user)

    def _invitation(self, pk: str) -> Invitation:
        club = self.get_object()
        check_organiser(signed_in_user(self.request), club)
        found: Invitation = get_object_or_404(club.invitations.select_related("club"), pk=int(pk))
        return found

    # news

    @extend_schema(responses=PostSerializer(many=True), methods=["GET"], filters=False)
    @extend_schema(request=NewPostSerializer, responses={201: PostSerializer, **ERROR_RESPONSES}, methods=["POST"])
    @action(detail=True, methods=["get", "post"], pagination_class=NewestFirstPagination)
    @policy(visible_in_impersonation=True)
    def news(self, request: Request, slug: str) -> Response:
        """GET: the news, newest first. POST: publish news (organisers). Errors: 403 not_organiser; 400 bad_title,
        bad_text; 409 club_archived."""
        club = self.get_object()
        if request.method == "GET":
            return self.paged(posts.club_posts(club), PostSerializer)
        return self.answered(
            PostSerializer, posts.create_post, NewPostSerializer, 201, club=club, user=signed_in_user(request)
        )

    @extend_schema(request=NewPostSerializer, responses={200: PostSerializer, **ERROR_RESPONSES}, methods=["PUT"])
    @extend_schema(request=None, responses={204: None, **ERROR_RESPONSES}, methods=["DELETE"])
    @action(detail=True, methods=["put", "delete"], url_path=r"news/(?P<post>\d{1,15})", url_name="post")
    def news_item(self, request: Request, slug: str, post: str) -> Response:
        """PUT: edit a post (organisers). DELETE: delete a post (organisers). Errors: 403 not_organiser; 400 bad_title,
        bad_text; 409 post_gone, club_archived."""
        current = get_object_or_404(self.get_object().posts.select_related("club"), pk=int(post))
        user = signed_in_user(request)
        if request.method == "PUT":
            return self.answered(PostSerializer, posts.edit_post, NewPostSerializer, post=current, user=user)
        return self.answered(None, posts.delete_post, post=current, user=user)

    # whose it is

    @extend_schema(responses=OfferSerializer, methods=["GET"])
    @extend_schema(request=NewOwnerSerializer, responses={200: OfferSerializer, **ERROR_RESPONSES}, methods=["POST"])
    @extend_schema(request=None, responses={204: None, **ERROR_RESPONSES}, methods=["DELETE"])
    @action(detail=True, methods=["get", "post", "delete"], permission_classes=[IsAuthenticated])
    @policy(remote_bots="nothing", visible_in_impersonation=False)
    def transfer(self, request: Request, slug: str) -> Response:
        """GET: the member to whom the club is offered (organisers). POST: offer the club to a `member` (owner). DELETE:
        withdraw or decline the offer. Errors: 403 not_owner, not_organiser; 409 not_member, owner_already,
        not_offered."""
        club, user = self.get_object(), signed_in_user(request)
        if request.method == "GET":
            if club.offered_to_id != user.pk:
                check_organiser(user, club)
            return self.show(club, OfferSerializer)
        if request.method == "DELETE":
            return self.answered(None, ownership.end_offer, club=club, user=user)
        membership = Membership(pk=self.sent(NewOwnerSerializer)["member"])
        return self.show(ownership.offer_club(club=club, user=user, membership=membership), OfferSerializer)

    @extend_schema(request=None, responses={200: ClubSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"], url_path="transfer/accept")
    def accept_transfer(self, request: Request, slug: str) -> Response:
        """Become the owner of a club that is offered to you. Errors: 403 guest; 409 not_offered, too_many_clubs."""
        return self.answered(
            ClubSerializer, ownership.accept_club, club=self.get_object(), user=signed_in_user(request)
        )

    @extend_schema(request=ArchiveSerializer, responses={200: ClubSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def archive(self, request: Request, slug: str) -> Response:
        """Archive the club with a `reason` (owner). It disappears from lists, stays readable, and its invitations are
        revoked permanently. Errors: 400 bad_reason; 403 not_owner; 409 seasons_running."""
        club, user = self.get_object(), signed_in_user(request)
        check_owner(user, club)
        return self.answered(ClubSerializer, club_lifecycle.archive_club, ArchiveSerializer, club=club, user=user)

    @extend_schema(request=None, responses={200: ClubSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def unarchive(self, request: Request, slug: str) -> Response:
        """Restore an archived club (owner). Errors: 403 not_owner; 409 not_archived."""
        return self.answered(
            ClubSerializer, club_lifecycle.unarchive_club, club=self.get_object(), user=signed_in_user(request)
        )

    @extend_schema(responses=ClubEventSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=NewestFirstPagination, permission_classes=[IsAuthenticated])
    @policy(remote_bots="nothing", visible_in_impersonation=True)
    def events(self, request: Request, slug: str) -> Response:
        """The club's log of changes, newest first (organisers). Error: 403 not_organiser."""
        club = self.get_object()
        check_organiser(signed_in_user(request), club)
        rows = club.events.select_related("by__player__bot_version", "about__player__bot_version")
        return self.paged(rows, ClubEventSerializer)


class ClubInvitationViewSet(ServiceViewSet):
    """Invitations to clubs, for the invited person."""

    write_scope = "play"
    remote_bots = "nothing"
    visible_in_impersonation = False

    queryset = Invitation.objects.none()
    serializer_class = OwnInvitationSerializer
    pagination_class = NewestFirstPagination
    permission_classes = [IsAuthenticated]
    lookup_value_regex = r"\d{1,15}"
    filterset_class = None

    def list(self, request: Request) -> Response:
        """Open invitations to your confirmed email addresses."""
        return self.paged(invitations.invitations_for(signed_in_user(request)), OwnInvitationSerializer)

    @extend_schema(request=InvitationTokenSerializer, responses={200: ClubSerializer, **ERROR_RESPONSES})
    @action(detail=False, methods=["post"], url_path="use")
    @policy(rate_limit="guess")
    def use(self, request: Request) -> Response:
        """Become a member with the `token` of a link. Errors: 403 guest, removed; 404 invitation_not_found; 409
        invitation_over, club_archived."""
        return self.answered(
            ClubSerializer, invitations.accept_by_token, InvitationTokenSerializer, user=signed_in_user(request)
        )

    @extend_schema(request=None, responses={200: ClubSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Become a member by an invitation to your address. Errors as those of `use`."""
        found = Invitation(pk=int(pk))
        return self.answered(ClubSerializer, invitations.accept_own, invitation=found, user=signed_in_user(request))

    @extend_schema(request=None, responses={204: None, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def decline(self, request: Request, pk: str) -> Response:
        """Decline an invitation. The club cannot invite that address again. Error: 404 invitation_not_found."""
        found = Invitation(pk=int(pk))
        return self.answered(None, invitations.decline_own, invitation=found, user=signed_in_user(request))
