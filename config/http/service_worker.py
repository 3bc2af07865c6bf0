"""`/service-worker.js`: the script that shows notices while no tab is open (frontend/static/js/service-worker.js).

It has an address without a hash, at the root, because a worker serves the folder that it lies in. It is not to be
cached, so a browser has a new one within a day.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from games.common.policy import policy


@policy(visible_in_impersonation=True)
@require_safe
@cache_control(no_cache=True)
def service_worker(_request: HttpRequest) -> HttpResponse:
    """Return the script, with the page that it shows without a connection, in the reader's language."""
    named = {"OFFLINE": render_to_string("offline.html"), "ICON": static("img/icon-192.png")}
    lines = [f"const {name} = {json.dumps(value)};" for name, value in named.items()]
    return HttpResponse("\n".join([*lines, source()]), content_type="text/javascript; charset=utf-8")


@cache
def source() -> str:
    """Return the script's own lines."""
    found = finders.find("js/service-worker.js")
    assert isinstance(found, str)
    return Path(found).read_text()
