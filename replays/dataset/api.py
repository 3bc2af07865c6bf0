"""The API of the dataset: its facts, the progress of the next one, and the file."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.common.disk_file import DiskFileResponse
from games.common.service_views import ErrorSerializer
from games.operations.models import AdminJob
from replays.dataset import job
from replays.dataset.decisions import SCHEMA_VERSION

PARQUET: Final = "application/vnd.apache.parquet"


class DatasetFileSerializer(serializers.Serializer[Any]):
    """The file: a Parquet table with a row for each decision."""

    url = serializers.CharField()
    schema_version = serializers.IntegerField()
    games = serializers.IntegerField()
    decisions = serializers.IntegerField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    made_at = serializers.DateTimeField()


class DatasetJobSerializer(serializers.Serializer[Any]):
    """The export that an admin asked for last. `result` is a summary once it is over."""

    state = serializers.ChoiceField(choices=AdminJob.State.values)
    progress = serializers.CharField()
    asked_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    result = serializers.CharField()


class DatasetSerializer(serializers.Serializer[Any]):
    """The dataset. `file` is null while there is none; `job` is null if none was ever asked for."""

    file = DatasetFileSerializer(allow_null=True)
    job = DatasetJobSerializer(allow_null=True)


class DatasetView(APIView):
    """The dataset of finished games."""

    remote_bots = "read"
    visible_in_impersonation = True
    permission_classes = [IsAuthenticated]

    @extend_schema(responses=DatasetSerializer)
    def get(self, request: Request) -> Response:
        """The dataset's facts and the state of its export. An admin starts one with the action `export_dataset`."""
        found, last = job.current_file(), job.latest_job()
        return Response({"file": found and _file_data(found), "job": last and _job_data(last)})


class DatasetDownloadView(APIView):
    """The dataset's file."""

    remote_bots = "read"
    rate_limit = "export"
    visible_in_impersonation = True
    permission_classes = [IsAuthenticated]

    @extend_schema(responses={(200, PARQUET): OpenApiTypes.BINARY, 404: ErrorSerializer})
    def get(self, request: Request) -> HttpResponseBase:
        """The dataset as one Parquet file. Errors: 404 no_dataset."""
        found = job.find_file()
        return DiskFileResponse(found.path, content_type=PARQUET, name="dataset.parquet")


def _file_data(found: job.DatasetFile) -> dict[str, Any]:
    return {
        "url": reverse("api-dataset-file"),
        "schema_version": SCHEMA_VERSION,
        "games": found.facts["games"],
        "decisions": found.facts["rows"],
        "bytes": found.facts["bytes"],
        "sha256": found.facts["sha256"],
        "made_at": found.job.finished_at,
    }


def _job_data(last: AdminJob) -> dict[str, Any]:
    return {
        "state": last.state,
        "progress": last.progress,
        "asked_at": last.asked_at,
        "finished_at": last.finished_at,
        "result": last.summary,
    }
