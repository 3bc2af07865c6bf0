"""Introductions are scripts that the rules can play, and no reader's move is judged by anything else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scorebook_games.conformance.declared import the_introduction_can_be_played
from scorebook_games.contract import IllegalMove
from scorebook_games.introduction import Lesson, NotInScript, lesson_at, minutes_of
from scorebook_games.presentation.introduction import Introduction
from scorebook_games.registry import KINDS

OURS = sorted(KINDS)


def script_of(kind: str) -> Introduction:
    script = KINDS[kind].presentation.introduction
    assert script is not None
    return script


@pytest.mark.parametrize("kind", OURS)
def test_each_kind_of_ours_has_an_introduction_that_is_played_by_its_rules(kind: str) -> None:
    the_introduction_can_be_played(kind)
    assert 1.5 < minutes_of(script_of(kind)) < 3.5


def broken(monkeypatch: pytest.MonkeyPatch, number: int, **change: Any) -> None:
    script = script_of("chinese_ten")
    steps = list(script.steps)
    steps[number] = replace(steps[number], **change)
    presentation = KINDS["chinese_ten"].presentation
    monkeypatch.setattr(type(presentation), "introduction", replace(script, steps=tuple(steps)))


@pytest.mark.parametrize(
    ("number", "change", "sentence"),
    [
        (1, {"moves": ("capture 8 1",)}, "The rules refuse"),
        (0, {"text": "As CT-99 says."}, "no clause CT-99"),
        (0, {"text": " "}, "says nothing"),
        (1, {"mistake": ""}, "but not both"),
    ],
)
def test_a_script_that_the_rules_refuse_or_that_says_nothing_is_found(
    monkeypatch: pytest.MonkeyPatch, number: int, change: dict[str, Any], sentence: str
) -> None:
    broken(monkeypatch, number, **change)
    with pytest.raises(Exception, match=sentence):
        the_introduction_can_be_played("chinese_ten")


def test_an_illegal_move_is_refused_by_the_rules_with_their_clause() -> None:
    verdict = lesson_at("plate_spinner", 2).judge("grab")
    assert isinstance(verdict.error, IllegalMove)
    assert (verdict.wanted, verdict.error.clause) == (False, "PS-11")


def test_a_legal_move_that_the_step_is_not_about_is_no_error_of_the_rules() -> None:
    lesson = lesson_at("chinese_ten", 1)
    verdict = lesson.judge("capture Q 2")
    assert (verdict.wanted, verdict.error) == (False, None)
    with pytest.raises(NotInScript):
        lesson.play("capture Q 2")


def test_the_position_of_a_step_does_not_depend_on_how_it_was_reached() -> None:
    script = script_of("plate_spinner")
    lesson = Lesson("plate_spinner", script)
    while not lesson.is_last:
        assert lesson.fold.state.plain() == lesson_at("plate_spinner", lesson.number).fold.state.plain()
        for move in lesson.step.moves:
            lesson.play(move)
        if not lesson.made and not lesson.todo:
            lesson.advance()


@pytest.mark.parametrize(("step", "made"), [(99, []), (-1, []), (2, ["roll 44"]), (2, ["assign 3 A2 0.0"])])
def test_a_step_that_is_not_there_and_moves_of_another_step_are_refused(step: int, made: list[str]) -> None:
    with pytest.raises(NotInScript):
        lesson_at("plate_spinner", step, made)
