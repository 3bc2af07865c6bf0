"""The work for one author that runs at once is limited, also for simultaneous requests."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from games.bots import challenges, comparison
from games.common.errors import DomainError
from games.models import BotVersion, Game, Trial
from tests.games.bots.conftest import FIRST, Upload
from tests.games.bots.test_faults import seated
from tests.games.conftest import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def versions(upload: Upload, count: int) -> list[BotVersion]:
    """Return several versions of one bot, which may play."""
    return [_of(upload(FIRST + "#" * n)) for n in range(count)]


def _of(version: BotVersion) -> BotVersion:
    seated(version)
    return BotVersion.objects.select_related("bot__owner", "player").get(pk=version.pk)


def codes(answers: list[object]) -> list[str]:
    return sorted(answer.code if isinstance(answer, DomainError) else "done" for answer in answers)


def test_of_comparisons_that_are_asked_for_at_once_no_more_begin_than_may(upload: Upload, dotty: User) -> None:
    first, *others = versions(upload, 7)
    calls = [
        lambda one=one: comparison.request_comparison(version=one, against=first, kind="chinese_ten") for one in others
    ]
    assert codes(at_once(*calls)) == ["done"] * comparison.MAX_OPEN_COMPARISONS + ["too_many_comparisons"] * 3
    assert Trial.objects.filter(what="comparison", version__bot__owner=dotty).count() == comparison.MAX_OPEN_COMPARISONS


def test_a_comparison_that_is_asked_for_twice_at_once_is_one(upload: Upload) -> None:
    first, second = versions(upload, 2)
    calls = [lambda: comparison.request_comparison(version=second, against=first, kind="chinese_ten")] * 4
    assert codes(at_once(*calls)) == ["done"] * 4
    assert Trial.objects.filter(what="comparison").count() == 1


def test_of_challenges_of_several_versions_at_once_no_more_begin_than_a_bot_may_have(upload: Upload) -> None:
    many = versions(upload, challenges.MAX_OPEN_CHALLENGES + 3)
    calls = [
        lambda one=one: challenges.open_challenge(version=one, kind="chinese_ten", bots=["random"]) for one in many
    ]
    assert codes(at_once(*calls)) == ["done"] * challenges.MAX_OPEN_CHALLENGES + ["too_many_challenges"] * 3
    assert Game.objects.count() == challenges.MAX_OPEN_CHALLENGES
