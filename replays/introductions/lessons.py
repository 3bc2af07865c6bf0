"""A step of an introduction as JSON data, for its page and the API. Nothing of it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _

from games.clocks import services as clocks
from games.common import clock
from games.common.errors import DomainError
from games.common.shortcuts import Choice
from games.models import Game
from games.play.turn import moves_of
from games.visibility import observe
from replays.frames.feed import news_data
from replays.frontend_build import build_id
from scorebook_games.contract import open_action
from scorebook_games.frames import replay
from scorebook_games.frames.serialize import frames_data
from scorebook_games.gamelog.terms import TURNS
from scorebook_games.introduction import Lesson, NotInScript, Verdict, lesson_at
from scorebook_games.presentation.introduction import NAMES, READER
from scorebook_games.presentation.text import gettext
from scorebook_games.registry import KINDS, missing

NO_ADDRESSES: Final = (
    "replay", "events", "text", "json", "verify", "embed", "home", "game", "mine", "clock", "login", "again", "review",
)  # fmt: skip


def has_introduction(kind: str) -> bool:
    """Return whether the kind is loaded and brings an introduction."""
    return kind in KINDS and KINDS[kind].presentation.introduction is not None


def find_lesson(kind: str, step: int, made: Sequence[str] = ()) -> Lesson:
    """Return an introduction at a step. Raises `DomainError` unknown_kind, bad_step (400), no_introduction (404)."""
    if kind not in KINDS:
        raise DomainError(400, "unknown_kind", missing(kind))
    if not has_introduction(kind):
        raise DomainError(404, "no_introduction", _("There is no introduction to this kind of game."))
    try:
        return lesson_at(kind, step, made)
    except NotInScript as error:
        sentence = _("The introduction has no such step, or the moves do not belong to it.")
        raise DomainError(400, "bad_step", sentence) from error


def try_move(lesson: Lesson, move: str) -> dict[str, Any]:
    """Return what the rules say about a move, and whether the step asks for it. If it does, the move is played."""
    verdict: Verdict = lesson.judge(move)
    error = verdict.error
    if verdict.wanted:
        lesson.play(move)
    return {
        "move": move,
        "legal": error is None,
        "wanted": verdict.wanted,
        "clause": getattr(error, "clause", ""),
        "sentence": error.sentence if error else "",
    }


def lesson_data(lesson: Lesson, since: int = 0) -> dict[str, Any]:
    """Return the step with what its reader sees: the frames after version `since`, and the turn."""
    names, fold = _names(lesson), lesson.fold
    words = {each["move"]: each["words"] for each in moves_of(names, fold, READER)} if lesson.todo else {}
    frames = [frame for frame in replay.frames(lesson.entries, READER) if frame.version > since]
    return {
        "step": lesson.number,
        "steps": len(lesson.script.steps),
        "made": lesson.made,
        "text": gettext(lesson.step.text),
        "mistake": gettext(lesson.step.mistake),
        "todo": [words.get(move, move) for move in lesson.todo],
        **news_data(lesson.kind, names, frames, since, fold.version),
        "turn": turn_data(lesson),
    }


def turn_data(lesson: Lesson) -> dict[str, Any]:
    """Return the reader's turn as `games.play.turn.turn_of` does. Only a step with moves lets them act."""
    fold, acts = lesson.fold, bool(lesson.todo)
    action = open_action(fold.rules, fold.state, READER) if acts else None
    return {
        "seat": READER,
        "version": fold.version,
        "may_act": acts,
        "legal": moves_of(_names(lesson), fold, READER) if acts else [],
        "any_of": None if action is None else {"move": fold.rules.move_text(fold.state, action), "wait_ms": 0},
        "pace": TURNS,  # a move is played when it is chosen
        "beat": None,
        "given": None,
        "waiting_for": [READER] if acts else [],
        "clock": clocks.no_clock_data(clock.now()),
        "present": [],
        "offers": [],
        "may": dict.fromkeys(("resign", "offer_abort", "abort_ends_game", "rematch"), False),
        "over": None,
    }


def replay_of(lesson: Lesson) -> dict[str, Any]:
    """Return the game so far, as `replays.frames.payload.replay_data` does for a game that is stored."""
    names = _names(lesson)
    seats = [
        {
            "seat": seat,
            "player": 0,
            "name": name,
            "bot": False,
            "agent": False,
            "version": None,
            "left": "",
            "player_url": None,
        }
        for seat, name in enumerate(names)
    ]
    facts = dict.fromkeys(("outcome", "termination", "continued", "opened_at", "finished_at", "rematch", "rematch_of"))
    return {
        "game": {
            **facts,
            "id": "",
            "kind": lesson.kind,
            "title": lesson.fold.rules.spec.title,
            "options": lesson.fold.opened["options"],
            "terms": lesson.fold.opened["terms"],
            "seats": seats,
            "status": Game.Status.PLAYING.value,
            "clock": clocks.no_clock_data(clock.now()),
        },
        **observe.viewpoint_data(READER, [READER]),
        "version": lesson.fold.version,
        **frames_data(lesson.kind, replay.frames(lesson.entries, READER), names),
        "turn": turn_data(lesson),
    }


def page_of(lesson: Lesson, shortcuts: Choice) -> dict[str, Any]:
    """Return what the table needs besides the game. It leads to the rules and to a game of one's own."""
    kind = lesson.kind
    return {
        **dict.fromkeys(NO_ADDRESSES, ""),
        "seal": None,
        "go_on": None,
        "told": None,
        "seat": READER,
        "shortcuts": shortcuts.plain(),
        "keys": reverse("shortcuts"),
        "rules": reverse("rules", args=[kind]),
        "explanations": reverse("api-explanations", args=[kind]),
        "build": build_id(),
        "board": static(f"kinds/{kind}/board.js") if KINDS[kind].has_board else "",
        "lesson": {
            **lesson_data(lesson, since=lesson.fold.version),
            "address": reverse("api-introduction", args=[kind]),
            "play": f"{reverse('play')}?kind={kind}#now",
        },
    }


def _names(lesson: Lesson) -> list[str]:
    return list(NAMES[: lesson.fold.seats])
