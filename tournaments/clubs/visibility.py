"""The door before every page below a club: to whom the club is closed, there is nothing at that address."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from tournaments.clubs.models import Club
from tournaments.clubs.permissions import closed_to
from tournaments.seasons.models import Match

View = Callable[..., HttpResponse]


def members_only(view: View) -> View:
    """`view`, for whoever may see the club that its address names: by `club`, a slug, or by `match_id`."""

    @wraps(view)
    def gated(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if is_closed(request, kwargs):
            raise Http404(_("There is nothing at this address."))
        return view(request, *args, **kwargs)

    return gated


def is_closed(request: HttpRequest, named: dict[str, Any]) -> bool:
    """Whether the address names something of a club that is closed to the viewer."""
    closed = closed_to(request.user)
    if "club" in named:
        return Club.objects.filter(slug=named["club"], pk__in=closed).exists()
    if "match_id" in named:
        return Match.objects.filter(pk=named["match_id"], round__division__season__league__club__in=closed).exists()
    return False
