"""Access to the pages below a club: for viewers who may not see the club, they do not exist (404)."""

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
    """Decorate `view` so that it answers 404 unless the viewer may see the club named by the address, by `club` (a
    slug) or `match_id`."""

    @wraps(view)
    def gated(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if is_closed(request, kwargs):
            raise Http404(_("There is nothing at this address."))
        return view(request, *args, **kwargs)

    return gated


def is_closed(request: HttpRequest, named: dict[str, Any]) -> bool:
    """Return whether the address names something of a club that the viewer may not see."""
    closed = closed_to(request.user)
    if "club" in named:
        private = Club.objects.filter(slug=named["club"], visibility=Club.Visibility.PRIVATE)
        return private.exists() and private.filter(pk__in=closed).exists()
    if "match_id" in named:
        return Match.objects.filter(pk=named["match_id"], round__division__season__league__club__in=closed).exists()
    return False
