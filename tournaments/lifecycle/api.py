"""The API for setting up and running seasons. It calls the same services as the pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from games.common.numbered_pagination import NumberedPagination
from games.common.policy import policy
from games.common.service_views import error_responses
from games.common.signed_in import signed_in_user
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import visible_to
from tournaments.entries import permissions as entry_permissions
from tournaments.formats.preset import Preset
from tournaments.lifecycle import open_seasons, running, setup
from tournaments.lifecycle.drafts import draft_like, draft_of_preset, season_presets
from tournaments.lifecycle.setup import MAX_ENTRIES_PER_BOT, SeasonPlan
from tournaments.seasons.api import SeasonActions, SeasonSerializer
from tournaments.seasons.models import Round, Season
from tournaments.seasons.setting import Choice, Setting, Share, Whole, YesNo, declared
from tournaments.seasons.settings import MAX_ENTRANTS, SeasonPolicies
from tournaments.seasons.week_words import in_english

ERROR_RESPONSES = error_responses(400, 403, 409)


class OpenSeasonSerializer(serializers.Serializer[Any]):
    """A season that takes entries, or that you are in. `entry`: the status of your entry, "" if there is none. `todo`:
    what you can do now: `enter` (POST …/join/), `check_in` (POST …/check-in/), or "". `words`: what to do next, or why
    there is nothing to do."""

    season = serializers.IntegerField(source="season.pk")
    name = serializers.CharField(source="season.name")
    league = serializers.CharField(source="season.league.name")
    club = serializers.CharField(source="season.league.club.name")
    kind = serializers.CharField(source="season.kind")
    rated = serializers.BooleanField(source="season.terms.rated")
    status = serializers.CharField(source="season.status")
    starts_at = serializers.DateTimeField(source="season.starts_at")
    entry = serializers.CharField()
    todo = serializers.ChoiceField(choices=["enter", "check_in", ""])
    words = serializers.CharField()


class CancelSerializer(serializers.Serializer[Any]):
    """The reason for cancelling; all entrants are notified."""

    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class PlanSerializer(serializers.Serializer[Any]):
    """The settings of a new season. Settings that are left out have their defaults; /api/v1/kinds/ lists them."""

    league = serializers.SlugField(required=False, allow_blank=True, help_text="The slug of a league of the club.")
    new_league = serializers.CharField(
        required=False, allow_blank=True, max_length=60, help_text="Or: the name of a new league."
    )
    name = serializers.CharField(max_length=60)
    kind = serializers.CharField(max_length=20)
    options = serializers.DictField(required=False, help_text="Options of the game, by name.")
    terms = serializers.DictField(required=False, help_text="Terms of the games, by name.")
    format = serializers.CharField(required=False, max_length=30)
    table_size = serializers.IntegerField(required=False, min_value=2)
    games_a_match = serializers.IntegerField(required=False, min_value=1, allow_null=True)
    points = serializers.DictField(
        required=False, allow_null=True, help_text="See /help/reference/points-and-tie-breaks/."
    )
    tie_breaks = serializers.ListField(child=serializers.CharField(max_length=30), required=False, max_length=20)
    starts_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="When round 1 opens. Default: now."
    )
    calendar = serializers.DictField(
        required=False,
        help_text="When rounds open and matches begin: rule, seconds, times, dates, off, window, match_time, "
        "fallback_time, bots, night, see /help/reference/season-settings/. Default: one round a week.",
    )
    duration_seconds = serializers.IntegerField(
        required=False,
        min_value=0,
        help_text="How long a format without a last round lasts. 0: until an organiser ends it.",
    )
    format_options = serializers.DictField(required=False, help_text="Settings of the format, by name.")
    entry = serializers.DictField(
        required=False,
        help_text="Who may enter: players (people, bots, mixed), rating_min, rating_max, invited_only, max_entrants, "
        "late_rounds, check_in_hours, alternates.",
    )
    divisions = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        max_length=20,
        help_text="[{name, max_entrants}], highest division first.",
    )
    repeats = serializers.BooleanField(required=False)
    players = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**31),
        required=False,
        max_length=MAX_ENTRANTS,
        help_text="Members of the club and their bots enter and are notified; others are invited, and enter by "
        "accepting.",
    )
    bots = serializers.DictField(
        child=serializers.IntegerField(min_value=0, max_value=MAX_ENTRIES_PER_BOT),
        required=False,
        help_text="Built-in bots by name, with the number of entries of each.",
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields above, and one for each rule of a season that is declared."""
        return {
            **super().get_fields(),
            **{name: _policy_field(value) for name, value in declared(SeasonPolicies).items()},
        }

    def validate_calendar(self, calendar: dict[str, Any]) -> dict[str, Any]:
        """Return the calendar with times of the week in English; they may be in the reader's language, too."""
        times = calendar.get("times")
        if isinstance(times, list):
            calendar |= {"times": [in_english(text) if isinstance(text, str) else text for text in times]}
        if isinstance(calendar.get("fallback_time"), str):
            calendar |= {"fallback_time": in_english(calendar["fallback_time"])}
        return calendar


def _policy_field(setting: Setting) -> serializers.Field[Any, Any, Any, Any]:
    """Return the field of a plan for a setting, which `parse_settings` checks more closely."""
    match setting:
        case Choice():
            return serializers.CharField(required=False, max_length=20, help_text=setting.api_help or setting.listed)
        case Share():
            return serializers.FloatField(required=False, min_value=0, max_value=1, help_text=setting.api_help)
        case YesNo():
            return serializers.BooleanField(required=False, help_text=setting.api_help)
    null = isinstance(setting, Whole) and setting.optional
    return serializers.IntegerField(required=False, min_value=0, allow_null=null, help_text=setting.api_help)


class NewSeasonSerializer(PlanSerializer):
    """The settings, the club, and whether the season starts immediately."""

    club = serializers.SlugField(help_text="The club's slug.")
    preset = serializers.CharField(
        required=False,
        max_length=30,
        help_text="Key of a preset (`seasons/presets/`): settings that are left out are those of the preset.",
    )
    like = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31,
        help_text="Id of a former season of the club: what is left out is as in it, entrants and moved dates too.",
    )
    start = serializers.BooleanField(required=False, default=False, help_text="Whether entries close immediately.")


class PresetSerializer(serializers.Serializer[Any]):
    """A season that many clubs play."""

    key = serializers.CharField(help_text="For `preset` of a new season.")
    name = serializers.SerializerMethodField()
    about = serializers.SerializerMethodField(help_text="What is played, as a sentence.")
    format = serializers.CharField()
    settings = serializers.DictField(help_text="The settings that are not the usual ones, by name.")
    with_bots = serializers.BooleanField(help_text="Whether each built-in bot of the kind of game enters.")
    repeats = serializers.BooleanField(help_text="Whether another season like it follows each one.")

    def get_name(self, preset: Preset) -> str:
        """Return its name in the reader's language."""
        return _(preset.label)

    def get_about(self, preset: Preset) -> str:
        """Return the sentence in the reader's language."""
        return _(preset.about)


class SeasonPreviewSerializer(serializers.Serializer[Any]):
    """The schedule of a season if all entrants stay and every round is played in time."""

    entrants = serializers.IntegerField(help_text="Entrants of the plan, at least enough for one table.")
    rounds = serializers.IntegerField(help_text="0 if it cannot be known, as in ladders and arenas.")
    a_round = serializers.ListField(child=serializers.IntegerField(), help_text="Matches of each round.")
    matches = serializers.IntegerField()
    games = serializers.IntegerField()
    games_each = serializers.IntegerField(help_text="The most matches that one entrant plays.")
    byes = serializers.IntegerField(help_text="Byes per round, if all rounds have equally many.")
    division_sizes = serializers.ListField(child=serializers.IntegerField(), help_text="Entrants of each division.")
    opens = serializers.ListField(child=serializers.DateTimeField(), help_text="Opening time of each round.")
    ends = serializers.DateTimeField()
    why_unplayable = serializers.CharField(
        allow_blank=True, help_text="Why this number of entrants cannot play it, as a sentence."
    )
    # what these three were called in 0.1.0, until the next release
    rests = serializers.IntegerField(source="byes", help_text="Former name of `byes`.")
    held = serializers.ListField(
        source="division_sizes", child=serializers.IntegerField(), help_text="Former name of `division_sizes`."
    )
    lacks = serializers.CharField(
        source="why_unplayable", allow_blank=True, help_text="Former name of `why_unplayable`."
    )


class NoteSerializer(serializers.Serializer[Any]):
    """A reason, which everyone can read."""

    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class AbandonSerializer(serializers.Serializer[Any]):
    """Whether the standings `stands` or are `void`, and the reason, which everyone can read."""

    note = serializers.CharField(max_length=2000)

    how = serializers.ChoiceField(choices=[running.STANDINGS_STAND, running.STANDINGS_VOID])


class ExtendSerializer(NoteSerializer):
    """The id of an open round, and its new end."""

    round = serializers.IntegerField(min_value=1, max_value=2**31)
    until = serializers.DateTimeField()


class JoinSerializer(serializers.Serializer[Any]):
    """The entrant: yourself by default, or the `player` of a version of your bot."""

    player = serializers.IntegerField(required=False, min_value=1, max_value=2**31)


class LifecycleActions(SeasonActions):
    """Setting up, starting, running and ending seasons, and entering them."""

    @extend_schema(
        request=NewSeasonSerializer, responses={201: SeasonSerializer, **error_responses(404, 400, 403, 409)}
    )
    def create(self, request: Request) -> Response:
        """Set up a season in a club that you organise. Errors name the `field`: 400 unknown_kind, bad_option,
        bad_format, bad_points, bad_tie_break, bad_schedule, bad_name, bad_entrants; 403 not_organiser; 404
        league_not_found; 409 name_taken, bot_in_live_season, too_few_entrants, not_member."""
        planned = self._planned()
        return self.season_shown(setup.set_up(start=planned.pop("start"), **planned), status=201)

    @extend_schema(
        request=NewSeasonSerializer, responses={200: SeasonPreviewSerializer, **error_responses(400, 403, 404)}
    )
    @action(detail=False, methods=["post"])
    def preview(self, request: Request) -> Response:
        """The preview of a season, as in the form. The body is the same as for setting up a season, and nothing is
        saved. Errors are the same too, except those of leagues, names and entrants."""
        planned = self._planned()
        planned.pop("start")
        return self.answered(SeasonPreviewSerializer, setup.preview, **planned)

    @extend_schema(responses={200: OpenSeasonSerializer(many=True), **error_responses(403, 409)}, filters=False)
    @action(
        detail=False,
        url_path="open-to-me",
        permission_classes=[IsAuthenticated],
        pagination_class=NumberedPagination,
        filter_backends=[],
    )
    @policy(visible_in_impersonation=True)
    def open_to_me(self, request: Request) -> Response:
        """The newest 100 seasons that take entries, and those that you are in, each with what you can do there now; or,
        with its token, your remote bot. Error: 409 no_player."""
        found: Any = self.paginate_queryset(open_seasons.open_seasons(signed_in_user(request)))
        return self.get_paginated_response(OpenSeasonSerializer(found, many=True).data)

    @extend_schema(responses=PresetSerializer(many=True))
    @action(detail=False, methods=["get"], pagination_class=None, filter_backends=[])
    @policy(visible_in_impersonation=True)
    def presets(self, request: Request) -> Response:
        """The presets: seasons that many clubs play, each with its settings under one key."""
        return Response(PresetSerializer(list(season_presets().values()), many=True).data)

    @extend_schema(request=PlanSerializer(partial=True), responses={200: SeasonSerializer, **ERROR_RESPONSES})
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change a season that has not started. Fields that are left out do not change; `players` and `bots` are added
        to the entrants. Errors as for setting up, and 409 season_started."""
        season = self.get_object()
        asked = self.sent(PlanSerializer, partial=True)
        plan = replace(plan_from_season(season, asked), **asked)
        return self.season_shown(setup.update_season(season=season, user=request.user, plan=plan))

    @extend_schema(request=CancelSerializer, responses={204: None, **ERROR_RESPONSES})
    def destroy(self, request: Request, pk: str) -> Response:
        """Cancel a season without played games. A `note` is required if others have entered; they are notified. Errors:
        400 note_needed, bad_note; 403 not_organiser; 409 season_played."""
        note = self.sent(CancelSerializer).get("note", "")
        return self.answered(None, setup.cancel_season, season=self.get_object(), user=request.user, note=note)

    @extend_schema(request=None, responses={200: SeasonSerializer, **error_responses(403, 409)})
    @action(detail=True, methods=["post"])
    def start(self, request: Request, pk: str) -> Response:
        """Close entries and start the season, which then runs automatically (organisers). Errors: 403 not_organiser,
        409 season_started, too_few_entrants."""
        return self.season_shown(setup.start_as_organiser(season=self.get_object(), user=request.user))

    @extend_schema(request=JoinSerializer, responses={200: SeasonSerializer, **error_responses(403, 409)})
    @action(detail=True, methods=["post"])
    @policy(write_scope="play", remote_bots="everything")
    def join(self, request: Request, pk: str) -> Response:
        """Enter a season that is open for entries, or enter a version of your bot by the id of its `player`. Errors:
        403 not_your_bot; 409 no_player, already_joined, season_started, bot_not_passed, bot_wrong_kind, bot_private,
        bot_cannot_race, guest_in_rated_season."""
        season = self.get_object()
        setup.enter_as_user(season=season, user=request.user, player=self.sent(JoinSerializer).get("player"))
        return self.season_shown(season)

    @extend_schema(request=NoteSerializer, responses={200: SeasonSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, pk: str) -> Response:
        """Open no more rounds for now (organisers). Errors: 403 not_organiser; 409 not_running."""
        return self._run(running.pause_season, NoteSerializer)

    @extend_schema(request=NoteSerializer, responses={200: SeasonSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: str) -> Response:
        """Resume the season; remaining rounds are later by the length of the pause (organisers). Errors: 403
        not_organiser; 409 not_paused."""
        return self._run(running.resume_season, NoteSerializer)

    @extend_schema(request=AbandonSerializer, responses={200: SeasonSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def abandon(self, request: Request, pk: str) -> Response:
        """End the season early, with a `note` (organisers). Errors: 403 not_organiser; 409 not_running."""
        return self._run(running.abandon_season, AbandonSerializer)

    @extend_schema(request=ExtendSerializer, responses={200: SeasonSerializer, **ERROR_RESPONSES})
    @action(detail=True, methods=["post"])
    def extend(self, request: Request, pk: str) -> Response:
        """Extend an open round (organisers). Errors: 400 bad_time; 403 not_organiser; 404; 409 round_closed, no_end,
        not_running."""
        asked = self.sent(ExtendSerializer)
        season = self.get_object()
        entry_permissions.check_may_run(season, request.user)
        round = get_object_or_404(
            Round.objects.select_related("division__season"), pk=asked["round"], division__season=season
        )
        running.extend_round(round=round, until=asked["until"], by=request.user, note=asked.get("note", ""))
        return self.season_shown(season)

    def _planned(self) -> dict[str, Any]:
        """The club, who asks, the plan, and whether it starts at once."""
        asked = self.sent(NewSeasonSerializer)
        club = get_object_or_404(visible_to(self.request.user), slug=asked.pop("club"))
        start = asked.pop("start")
        plan = SeasonPlan(**completed_plan(asked, club))
        return {"club": club, "user": self.request.user, "plan": plan, "start": start}

    def _run(self, step: Callable[..., object], sent: type[serializers.Serializer[Any]]) -> Response:
        season = self.get_object()
        entry_permissions.check_may_run(season, self.request.user)
        step(season=season, by=self.request.user, **self.sent(sent))
        return self.season_shown(season)


def completed_plan(asked: dict[str, Any], club: Club) -> dict[str, Any]:
    """Return what was asked for, completed by the preset or by the former season that it names. Of parts with several
    values, such as terms, only those that were left out. Raises `DomainError` unknown_preset (400)."""
    like, preset = asked.pop("like", None), asked.pop("preset", "")
    if like is not None:
        draft = draft_like(get_object_or_404(Season, pk=like, league__club=club))
    elif preset:
        draft = draft_of_preset(preset, asked["kind"], club.zone)
    else:
        return asked
    for name, value in asked.items():
        whole = name not in draft or not isinstance(value, Mapping)
        draft[name] = value if whole else {**draft[name], **value}
    return draft


def plan_from_season(season: Season, asked: Mapping[str, Any]) -> SeasonPlan:
    """A season as a plan, without entrants: what stays where nothing else is `asked`.

    Another game has other options, another number of seats other matches: then these begin from the usual ones.
    """
    known = {"name": season.name, "starts_at": season.starts_at, "repeats": season.repeats, **season.settings}
    kept = ({field.name for field in fields(SeasonPlan)} & set(known)) - {"points", "tie_breaks"}
    if asked.get("kind", season.kind) != season.kind:
        kept -= {"options", "terms"}
    if asked.get("table_size", season.table_size) != season.table_size:
        kept -= {"games_a_match", "options"}
    if asked.get("format", season.format) != season.format:
        kept -= {"format_options"}
    return SeasonPlan(league=season.league.slug, **{name: known[name] for name in kept})
