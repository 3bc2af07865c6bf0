"""Parts of pages that browsers ask for again every few seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page


@gzip_page
@conditional_page
def live_part(request: HttpRequest, template: str, context: Mapping[str, Any]) -> HttpResponse:
    """Return a part of a page, compressed. A browser that has it as it is gets 304 (RFC 9110, 13.2.2). It must have no
    forms: compression would betray a form's token (BREACH)."""
    response = render(request, template, context)
    patch_cache_control(response, private=True, no_cache=True)
    return response
