"""Template tags for standings: a row's last results, and why the first entrant is ahead of the second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString

from games.accounts.templatetags.players import full_name
from games.common.templatetags.display import form
from tournaments.scoring.explanations import NEIGHBOUR
from tournaments.standings.models import Standing

register = template.Library()


@register.simple_tag
def form_of(row: dict[str, Any], length: int) -> SafeString:
    """Return the last results of a row."""
    return form([line["result"] for line in row["lines"]][-length:])


@register.simple_tag
def why_of(leaders: Sequence[Standing]) -> str:
    """Return why the first entrant is ahead of the second, as a sentence."""
    first = leaders[0]
    named = {leader.entrant.number: full_name(leader.entrant.player) for leader in leaders}
    neighbour = named.get(first.row["neighbour"])
    if neighbour is None:
        return ""
    return f"{full_name(first.entrant.player)}: {first.why.replace(NEIGHBOUR, neighbour)}"
