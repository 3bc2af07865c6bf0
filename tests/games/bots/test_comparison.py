"""The platform plays comparisons of bots and uses their results. `tests.scorebook_games.analysis` tests the
interval."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from importlib import import_module

import pytest
from django.db import connection

from games.accounts.models import Notice
from games.bots import comparison, subjects, uploads
from games.bots.admission import trials
from games.bots.admission.trials import ClaimedTrial
from games.bots.comparison import bounds_of, deal_values, result_of
from games.bots.sentences import luck_taken_out
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import GOING, Bot, BotVersion, Deal, Game, Trial
from games.play import services as play
from games.workers import runner
from scorebook_games.analysis.comparison import Bounds, ComparisonResult, compare
from scorebook_games.luck.ledger import ledger_of
from scorebook_games.presentation.coded_text import plain
from scorebook_games.registry import KINDS
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.games.bots.conftest import FIRST, Upload
from tests.games.bots.test_faults import seated

pytestmark = pytest.mark.django_db


def values_of(*games: Game) -> list[float]:
    """Return the raw results of deals of a kind without a value function."""
    return [raw for raw, _ in deal_values(Trial(kind="none"), games).values()]


def test_the_second_game_of_a_deal_is_looked_at_from_the_other_seat() -> None:
    def game(part: str, *placings: int) -> Game:
        return Game(kind="none", part=part, status="finished", outcome={"placings": list(placings)})

    assert values_of(game("0000", 1, 2), game("0000", 2, 1)) == [1.0]
    assert values_of(game("0000", 1, 2), game("0000", 1, 2)) == [0.5]
    assert values_of(game("0000", 1, 1), game("0000", 1, 2), game("0001", 1, 2)) == [0.25]


def test_a_deal_counts_without_the_luck_of_its_two_games_which_is_computed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bots = [ensure_builtin_bots()[name] for name in ("sensible", "random")]
    deal = Deal.objects.create(seed=bytes(32))
    for players in (bots, bots[::-1]):
        play.open_game(kind="chinese_ten", players=players, deal=deal)
    runner.play_due_games("test")
    games = list(Game.objects.order_by("pk"))
    trial = Trial(kind="chinese_ten")
    for game in games:
        game.part = "0000"
    values = deal_values(trial, games)

    luck = []
    for seat, game in enumerate(games):
        events = [entry.event for entry in eventlog.read_events(game.stream_id)]
        luck.append(ledger_of(events, KINDS["chinese_ten"].value).bounded_luck[seat])
    raw, adjusted = values["0000"]
    assert raw - adjusted == pytest.approx(sum(luck) / 2)
    assert result_of(trial, values).points.share == adjusted

    trial.result = {"values": values, "value_hash": comparison.value_hash("chinese_ten")}
    monkeypatch.setattr(comparison, "ledger_of", None)
    assert deal_values(trial, games) == values
    trial.result["value_hash"] = "another"
    with pytest.raises(TypeError):
        deal_values(trial, games)


def test_the_share_with_luck_is_of_the_deals_that_the_verdict_counts() -> None:
    """The last batch has deals after the one that decided. Neither share counts them."""
    values = {f"{number:04}": [1.0, 1.0] if number < 100 else [0.0, 0.0] for number in range(200)}
    found = compare(values.values(), Bounds(0, 50))
    assert found.points.deals < 100
    [sentence] = comparison.luck_summary("chinese_ten", values, found)
    assert sentence == luck_taken_out(100)


def test_a_kind_whose_weights_are_missing_is_compared_by_results_as_played(monkeypatch: pytest.MonkeyPatch) -> None:
    value = KINDS["chinese_ten"].value
    assert value
    assert comparison.value_hash("chinese_ten")
    without = type(value)(value.rules, value.file.with_name("missing.json"))
    monkeypatch.setitem(KINDS, "chinese_ten", replace(KINDS["chinese_ten"], value=without))
    assert comparison.value_hash("chinese_ten") == ""
    assert comparison.share_of(Game(kind="chinese_ten", outcome={"placings": [1, 2]}), 0) == (1.0, 1.0)


def test_a_comparison_by_the_former_rule_keeps_its_verdict_and_loses_its_path(trial: Trial) -> None:
    share = {"share": 0.6, "low": 0.55, "high": 0.65, "deals": 48, "elo0": 0, "elo1": 20, "opened": 48}
    former = {"llr": 3.1, "llr_limit": 2.94, "path": [0.1, 3.1], "values": {"0000": [1.0, 1.9]}, "value_hash": "1"}
    Trial.objects.filter(pk=trial.pk).update(result={**share, **former, "verdict": "accepted"}, state="done")
    with connection.cursor() as cursor:
        cursor.execute(import_module("games.migrations.0004_evidence").FORWARDS)
    trial.refresh_from_db()
    assert trial.result == {**compare([], Bounds(0, 20)).plain(), **share, "verdict": "accepted"}


# -- promotion


@pytest.fixture
def trial(upload: Upload) -> Trial:
    """Return a comparison of v2 with v1 of a bot, which plays with v1. The games of the first batch of deals are
    open."""
    first, second = (seated(upload(FIRST + "#" * n)).bot_version for n in (1, 2))
    assert first is not None
    assert second is not None
    uploads.choose_version(first)
    made = comparison.request_comparison(version=second, against=first, kind="chinese_ten", promote=True)
    play.open_many(comparison.next_deals(made, 0))
    return made


def test_an_admission_is_not_behind_a_comparison_that_goes_on_for_long(trial: Trial, upload: Upload) -> None:
    assert trial.state in GOING
    waiting = upload(FIRST + "# the third\n")
    claimed = trials.claim_trial("sandbox 1")
    assert claimed is not None
    assert (claimed.what, claimed.version) == (Trial.What.ADMISSION, waiting)


def finish(trial: Trial, monkeypatch: pytest.MonkeyPatch, verdict: str = "accepted") -> str:
    """Finish the games of the comparison, and let a worker end it with this verdict. Return the promotion's result."""

    def compared(*_: object) -> ComparisonResult:
        found = compare([(0.5, 0.5)], bounds_of(trial))
        found.test.verdict = verdict
        return found

    monkeypatch.setattr(comparison, "compare", compared)
    Game.objects.filter(trial=trial).update(status="finished", outcome={"placings": [1, 2]})
    Trial.objects.exclude(pk=trial.pk).update(leased_until="2100-01-01T00:00Z")  # admissions, by other workers
    claimed = trials.claim_trial("sandbox 1")
    assert claimed is not None
    comparison.continue_comparison(ClaimedTrial(claimed, "sandbox 1", time.monotonic(), lambda: True))
    trial.refresh_from_db()
    return str(trial.result["promotion"])


def plays(trial: Trial) -> int | None:
    """Return the number of the version that plays for the bot, or None."""
    bot = Bot.objects.select_related("plays").get(pk=trial.version.bot_id)
    return bot.plays.number if bot.plays else None


def test_an_accepted_version_is_promoted_and_its_author_notified(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    assert finish(trial, monkeypatch) == "promoted"
    assert (trial.state, plays(trial)) == ("done", 2)
    assert Notice.objects.filter(sentences=plain([subjects.bot_plays()])).count() == 1
    assert Notice.objects.filter(subject="bot_compared").count() == 1


@pytest.mark.parametrize("verdict", ["rejected", "undecided"])
def test_a_version_is_not_promoted_by_another_verdict(
    trial: Trial, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert finish(trial, monkeypatch, verdict) == "not_accepted"
    assert plays(trial) == 1


def test_what_the_author_does_meanwhile_comes_before_a_promotion(
    trial: Trial, upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(FIRST + "# newer")
    assert finish(trial, monkeypatch) == "newer_version"
    assert plays(trial) == 1


def test_a_version_that_was_taken_down_or_whose_author_chose_another_is_not_promoted(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    BotVersion.objects.filter(pk=trial.version_id).update(state="taken_down")
    assert comparison.promote_if_accepted(trial, "accepted") == "may_not_play"
    BotVersion.objects.filter(pk=trial.version_id).update(state="passed")
    Bot.objects.filter(pk=trial.version.bot_id).update(plays=None)
    assert finish(trial, monkeypatch) == "other_choice"
    assert plays(trial) is None


def test_a_worker_that_lost_the_trial_promotes_nothing(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    real = ClaimedTrial.finish

    def late(self: ClaimedTrial, *steps: object, **result: object) -> None:
        Trial.objects.filter(pk=self.trial.pk).update(attempt=99)
        real(self, *steps, **result)  # type: ignore[arg-type]

    monkeypatch.setattr(ClaimedTrial, "finish", late)
    with pytest.raises(trials.TrialLost):
        finish(trial, monkeypatch)
    assert plays(trial) == 1
    assert not Notice.objects.filter(sentences=plain([subjects.bot_plays()])).exists()


def test_other_bounds_make_another_comparison_and_bad_ones_none(trial: Trial) -> None:
    assert trial.against is not None
    ask = partial(comparison.request_comparison, version=trial.version, against=trial.against, kind="chinese_ten")
    assert ask().pk == trial.pk
    assert ask(bounds=Bounds(-20, 0)).pk != trial.pk
    with pytest.raises(DomainError) as refused:
        ask(bounds=Bounds(20, 0))
    assert (refused.value.status, refused.value.code) == (400, "bad_bounds")


def test_who_asks_again_with_promote_gets_it_also_from_a_worker_that_had_claimed_the_trial_before(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    Trial.objects.filter(pk=trial.pk).update(promote=False, plays_before=None)
    assert trial.against is not None
    ask = partial(comparison.request_comparison, version=trial.version, against=trial.against, kind="chinese_ten")
    assert not ask().promote
    claimed = trials.claim_trial

    def claim_then_ask(worker: str) -> Trial | None:
        found = claimed(worker)
        again = ask(promote=True)
        assert (again.pk, again.promote, ask().promote) == (trial.pk, True, True)
        return found

    monkeypatch.setattr(trials, "claim_trial", claim_then_ask)
    assert finish(trial, monkeypatch) == "promoted"
    assert plays(trial) == 2


def test_a_comparison_that_is_over_promotes_nothing_any_more(trial: Trial) -> None:
    assert trial.against is not None
    Trial.objects.filter(pk=trial.pk).update(promote=False, state="done")
    ask = partial(comparison.request_comparison, version=trial.version, against=trial.against, kind="chinese_ten")
    assert not ask(promote=True).promote
    assert plays(trial) == 1


def test_the_next_deals_have_new_numbers_although_one_was_aborted(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = Game.objects.filter(trial=trial)
    games.update(status="finished", outcome={"placings": [1, 2]})
    games.filter(part="0003").update(status="aborted")
    claimed = trials.claim_trial("sandbox 1")
    assert claimed is not None
    comparison.continue_comparison(ClaimedTrial(claimed, "sandbox 1", time.monotonic(), lambda: True))
    assert sorted(set(games.values_list("part", flat=True))) == [f"{number:04}" for number in range(16)]
    trial.refresh_from_db()
    assert trial.result["deals"] == 7
