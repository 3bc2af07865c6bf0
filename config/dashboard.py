"""The admin's dashboard, as a page inside the admin and as one call of the API."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.staff import IsAdmin
from games import condition


def page(request: HttpRequest) -> HttpResponse:
    """What runs, what waits, what is stuck and why; refreshed by itself every few seconds."""
    template = "config/dashboard_part.html" if request.headers.get("HX-Request") else "config/dashboard.html"
    return render(request, template, {**admin.site.each_context(request), "condition": condition.take()})


class StatusView(APIView):
    """How the house is doing; for admins."""

    permission_classes = [IsAdmin]

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Games playing, waiting and stuck, with the reasons; workers; the last errors."""
        facts: dict[str, Any] = condition.take().plain()
        return Response(facts)
