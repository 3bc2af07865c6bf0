"""The API for exporting and importing seasons."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.common.dataclass_serializer import serializer_of
from games.common.service_views import error_responses, validated_data
from games.play.api import PlayerSerializer
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import visible_to
from tournaments.importexport import entrants
from tournaments.importexport import export as importexport_export
from tournaments.importexport.season_file import SeasonFile
from tournaments.importexport.views import season_file
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.seasons.models import Season

FORMS = [importexport_export.ZIP_FORMAT, importexport_export.JSON_FORMAT, *importexport_export.CSV_TABLES]
COLUMNS = "; ".join(f"`{name}`: {', '.join(columns)}" for name, (columns, _) in importexport_export.CSV_TABLES.items())


class ImportSerializer(serializers.Serializer[Any]):
    """A list of entrants, CSV or JSON, as `text`, and the season to create from it. Settings come from `like`, the id
    of a season of the club; otherwise from the file; otherwise the defaults of `kind`. With `results` the whole
    season is imported, from its data or its results table."""

    club = serializers.SlugField()
    text = serializers.CharField(max_length=entrants.MAX_FILE_BYTES, trim_whitespace=False)
    league = serializers.SlugField(required=False, allow_blank=True)
    new_league = serializers.CharField(required=False, allow_blank=True, max_length=60)
    name = serializers.CharField(max_length=60)
    kind = serializers.CharField(required=False, max_length=20, allow_blank=True)
    like = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=2**31)
    results = serializers.BooleanField(
        required=False, default=False, help_text="True: the whole season with its results. False: its entrants only."
    )
    dry_run = serializers.BooleanField(
        required=False, default=True, help_text="True (the default): only check the file."
    )


class ImportLineSerializer(serializers.Serializer[Any]):
    """A line of the file: its player or its error. `made`: the name of a player without an account, in an import with
    results."""

    line = serializers.IntegerField(source="row.line")
    name = serializers.CharField(source="row.name")
    player = PlayerSerializer(allow_null=True)
    problem = serializers.CharField()
    made = serializers.CharField()


class ImportProblemSerializer(serializers.Serializer[Any]):
    """An error in a cell of a results table; `column` is empty if it concerns the whole row."""

    line = serializers.IntegerField()
    column = serializers.CharField()
    sentence = serializers.CharField()


class ImportStandingSerializer(serializers.Serializer[Any]):
    """A row of the resulting standings."""

    division = serializers.IntegerField()
    place = serializers.IntegerField()
    name = serializers.CharField()
    points = serializers.FloatField()


class ImportReportSerializer(serializers.Serializer[Any]):
    """The result of an import. `season` is the id of the new season. With results: the numbers of `rounds` and `games`,
    the resulting `standings`, and `notes` about everything else."""

    fine = serializers.BooleanField()
    problem = serializers.CharField()
    season = serializers.IntegerField(source="season.pk", allow_null=True)
    lines = ImportLineSerializer(many=True)
    problems = ImportProblemSerializer(many=True)
    notes = serializers.ListField(child=serializers.CharField())
    rounds = serializers.IntegerField()
    games = serializers.IntegerField()
    standings = ImportStandingSerializer(many=True)


class SeasonExportView(APIView):
    """The export of a season."""

    remote_bots = "read"

    rate_limit = "export"
    visible_in_impersonation = False

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "as",
                str,
                enum=FORMS,
                description=f"zip of all tables (the default), json, or the name of a CSV table. Columns of {COLUMNS}.",
            )
        ],
        responses={
            (200, "application/zip"): OpenApiTypes.BINARY,
            (200, "application/json"): serializer_of(SeasonFile),
            (200, "text/csv"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, season_id: int) -> HttpResponse:
        """The whole season: entrants, rounds with pairings, results, standings."""
        seasons = Season.objects.select_related("league__club").filter(league__club__in=visible_to(request.user))
        season = get_object_or_404(seasons, pk=season_id)
        return season_file(season, request.query_params.get("as", importexport_export.ZIP_FORMAT))


class ImportView(APIView):
    """The import of a list of entrants or of a whole season."""

    write_scope = "organise"
    remote_bots = "nothing"

    rate_limit = "upload"

    permission_classes = [IsAuthenticated]

    @extend_schema(
        request=ImportSerializer,
        responses={200: ImportReportSerializer, 201: ImportReportSerializer, **error_responses(400, 403, 404)},
    )
    def post(self, request: Request) -> Response:
        """Check a list of entrants; with `dry_run` false, create a season from it, completely or not at all. With
        `results` the whole season is imported as it was played. Errors: 400 bad_file, 403 not_organiser."""
        asked = validated_data(ImportSerializer(data=request.data))
        club = get_object_or_404(visible_to(request.user), slug=asked["club"])
        named = {name: asked[name] for name in ("league", "new_league", "name", "kind") if name in asked}
        plan = SeasonPlan(**{"kind": "", **named})  # settings from `like` or from the file have the kind
        report = entrants.import_season(
            club=club,
            user=request.user,
            plan=plan,
            text=asked["text"],
            like=_template_season(club, asked.get("like")),
            dry_run=asked["dry_run"],
            results=asked["results"],
        )
        return Response(ImportReportSerializer(report).data, status=201 if report.season else 200)


def _template_season(club: Club, pk: int | None) -> Season | None:
    if pk is None:
        return None
    found = Season.objects.filter(pk=pk, league__club=club).first()
    if found is None:
        raise Http404(_("The club has no such season."))
    return found
