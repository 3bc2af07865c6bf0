"""The pages of exercises and puzzles: one position at a time."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import json_script
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games.accounts import shortcuts
from games.accounts.people import player_of_user
from games.common import page_cache
from games.common.for_everybody import for_everybody
from games.common.link_picture import LinkPicture, SeatLine, picture_response
from games.common.page_pagination import Page
from games.common.policy import policy
from games.common.refusals import Refusals
from replays.practice import exercises, puzzles
from replays.practice.models import Puzzle
from replays.practice.positions import Moment, moment_of
from replays.views import Escaped
from scorebook_games.registry import KINDS

PUZZLES_A_PAGE: Final = 30


@login_required
@never_cache
@policy(visible_in_impersonation=True)
@require_safe
def my_mistakes(request: HttpRequest) -> HttpResponse:
    """`/me/mistakes/`: lead to the exercise that is due, or say when one will be."""
    player = player_of_user(request.user)
    row = exercises.next_exercise(player)
    if row:
        return HttpResponseRedirect(reverse("my-mistake", args=[row.pk]))
    return render(request, "practice/no_mistakes.html", {"progress": exercises.progress_of(player)})


@login_required
@never_cache
@policy(visible_in_impersonation=True)
@require_http_methods(["GET", "HEAD", "POST"])
def my_mistake(request: HttpRequest, exercise: int) -> HttpResponse:
    """`/me/mistakes/<exercise>/`: a position with its moves, or what the last answer was worth. A POST answers."""
    player = player_of_user(request.user)
    row = exercises.find_exercise(player, exercise)
    refused = Refusals()
    if request.method == "POST" and player:
        with refused:
            exercises.answer_exercise(player=player, exercise=row.pk, move=request.POST.get("move", ""))
            return HttpResponseRedirect(reverse("my-mistake", args=[row.pk]))
    moment = moment_of(row.game, row.seat, row.event)
    context = {
        "row": row,
        "refused": refused.error,
        "progress": exercises.progress_of(player),
        **position_context(request, moment),
        **_asked(row, moment),
    }
    return render(request, "practice/mistake.html", context, status=refused.status)


@policy(visible_in_impersonation=True)
@require_safe
def puzzle_list(request: HttpRequest) -> HttpResponse:
    """`/puzzles/?page=`: the puzzles of today, and earlier ones."""
    shown, today = puzzles.shown_puzzles(), puzzles.today()
    now = {puzzle.kind: puzzle for puzzle in shown.filter(date=today)}
    earlier = Page.of(shown.filter(date__lt=today), request.GET.get("page", ""), PUZZLES_A_PAGE)
    pending = puzzles.kinds_being_chosen()
    context = {
        "today": today,
        "now": [(kind, now.get(kind), kind in pending) for kind in KINDS],
        "page": earlier,
        "lacking": any(kind not in now and kind not in pending for kind in KINDS),
    }
    return render(request, "practice/puzzles.html", context)


@policy(visible_in_impersonation=True)
@require_http_methods(["GET", "HEAD", "POST"])
def puzzle_page(request: HttpRequest, kind: str, date: str) -> HttpResponse:
    """`/puzzles/<kind>/<date>/`: a puzzle, or its solution for who has answered. A POST answers, also without an
    account."""
    player = player_of_user(request.user)
    puzzle = puzzles.find_puzzle(kind, date)
    refused, move = Refusals(), puzzles.answer_of(puzzle, player)
    if request.method == "POST":
        with refused:
            sent = request.POST.get("move", "")
            puzzles.answer_puzzle(puzzle=puzzle, player=player, move=sent)
            if player:
                return HttpResponseRedirect(reverse("puzzle", args=[kind, date]))
            move = sent
    moment = puzzles.puzzle_moment(puzzle)
    shown = puzzles.puzzle_data(puzzle, moment, move)
    context = {
        "puzzle": puzzle,
        "refused": refused.error,
        "solved": shown["solved"],
        "version": shown["version"],
        **position_context(request, moment),
        **({"answer": in_percent(shown["answer"])} if move else {"choices": shown["moves"]}),
    }
    return render(request, "practice/puzzle.html", context, status=refused.status)


@for_everybody
@policy(visible_in_impersonation=True)
@require_safe
def puzzle_picture(_request: HttpRequest, kind: str, date: str) -> HttpResponse:
    """`/puzzles/<kind>/<date>/picture.png`: the table of the puzzle without names, who is to move, and the moves.
    It is kept, because a puzzle never changes."""
    puzzle = puzzles.find_puzzle(kind, date)
    key = page_cache.digest("picture of a puzzle", puzzle.pk, get_language())
    picture = page_cache.load(key)
    if picture is None:
        picture = picture_of(puzzle)
        page_cache.store(key, picture, 0)
    return picture_response(picture)


def picture_of(puzzle: Puzzle) -> LinkPicture:
    """Return what the picture of a puzzle shows."""
    moment, kind = puzzles.puzzle_moment(puzzle), KINDS[puzzle.kind]
    rows = kind.presentation.preview(moment.observation())
    lines = [
        SeatLine(name, _("to move") if seat == moment.seat else "", [row for row in rows if row.seat == seat])
        for seat, name in enumerate(moment.names)
    ]
    heading = _("Puzzle: {game}").format(game=kind.spec.title)
    day = date_format(puzzle.date, "DATE_FORMAT")
    choices = " · ".join(each["words"] for each in moment.choices([each["move"] for each in puzzle.moves]))
    note = "{} {}".format(_("What would you play?"), choices)  # as far as there is room
    return LinkPicture(heading, day, lines, [row for row in rows if row.seat is None], note)


def _asked(row: Any, moment: Moment) -> dict[str, Any]:
    """Return the choices of an exercise that is due, or what its last answer was worth."""
    values = exercises.values_of(row.moves)
    if exercises.is_due(row) or not row.answer:
        return {"choices": moment.choices([value.move for value in values])}
    answer = exercises.answer_data(values, row.answer, moment, all_moves=row.right > 0)
    return {
        "answer": in_percent(answer),
        "made": moment.words(row.made),
        "was_made": row.answer == row.made,
    }


def in_percent(answer: dict[str, Any]) -> dict[str, Any]:
    """Add whole percents to what an answer was worth. An error is at least 1."""
    for each in [answer, *(answer["solution"] or ())]:
        each["cost_percent"] = max(0, round(100 * each["cost"]))
        each["error_percent"] = max(1, round(100 * each.get("cost_error", each["error"])))
        each["percent"] = round(100 * each.get("chance", 0))
    return answer


def position_context(request: HttpRequest, moment: Moment) -> dict[str, Any]:
    """Return what the page of a position needs: the board's data, and the position in words."""
    embedded = {"replay-data": moment.replay(), "replay-page": moment.page(shortcuts.chosen(request))}
    return {
        "game_id": embedded["replay-data"]["game"]["id"],
        "title": embedded["replay-data"]["game"]["title"],
        "name": moment.name,
        "embedded": [json_script(data, name, Escaped) for name, data in embedded.items()],
        "position": moment.facts(),
    }
