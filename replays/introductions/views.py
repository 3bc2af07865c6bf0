"""The page of an introduction: the table of the kind, and beside it what a teacher would say."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import json_script
from django.views.decorators.http import require_safe

from games.accounts import shortcuts
from games.common.policy import policy
from games.models import Game
from replays.introductions.lessons import find_lesson, page_of, replay_of
from replays.views import Escaped
from scorebook_games.introduction import minutes_of
from scorebook_games.presentation.text import gettext
from scorebook_games.registry import KINDS, UnknownKind, missing


@policy(visible_in_impersonation=True)
@require_safe
def introduction_page(request: HttpRequest, kind: str) -> HttpResponse:
    """`/rules/<kind>/introduction/`: play a first game that teaches the kind. It needs no account.

    Raises `UnknownKind` for a removed kind that has games.
    """
    if kind not in KINDS and Game.objects.filter(kind=kind).exists():
        raise UnknownKind(missing(kind))
    lesson = find_lesson(kind, 0)
    embedded = {"replay-data": replay_of(lesson), "replay-page": page_of(lesson, shortcuts.chosen(request))}
    context = {
        "spec": lesson.fold.rules.spec,
        "minutes": max(1, round(minutes_of(lesson.script))),
        "steps": [gettext(step.text) for step in lesson.script.steps],
        "embedded": [json_script(data, name, Escaped) for name, data in embedded.items()],
        "nav": "learn",
    }
    return render(request, "replays/introduction.html", context)
