"""Cuts short lists of the API into numbered pages."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request

from games.common.cursor_pagination import check_page_size


class NumberedPagination(PageNumberPagination):
    """Page `page` (1 …), of up to 100."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 100

    def get_page_size(self, request: Request) -> int | None:
        check_page_size(request, "page_size", self.max_page_size)
        return super().get_page_size(request)


PAGE_PARAMETERS = [
    OpenApiParameter("page", int, description="1 …"),
    OpenApiParameter("page_size", int, description="Default 50, at most 100."),
]
