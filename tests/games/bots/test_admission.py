"""New versions go through admission, in the real sandbox."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.bots import first_rating, time_slices, uploads
from games.bots.admission import checks as admission_checks
from games.bots.admission import trials
from games.common import clock
from games.common.errors import DomainError
from games.common.models import Incident
from games.models import Bot, BotVersion, Game, Player, Trial
from games.play import services as play
from games.play.models import Fault
from games.workers import leases, runner
from scorebook_games.bots import requests
from tests.games.bots.conftest import FIRST, Upload, through
from tests.games.conftest import BuiltInBot

pytestmark = pytest.mark.django_db


def states(version: BotVersion) -> list[tuple[str, str]]:
    return [(step["name"], step["state"]) for step in version.trials.get(what="admission").steps]


@pytest.fixture(scope="module")
def petrel(kept: None) -> BotVersion:
    """Return a version that has passed the whole admission. Tests share it and do not change it."""
    user = User.objects.create_user("dora")
    Player.objects.create(name="Dora", user=user)
    return through(uploads.upload_version(bot=uploads.new_bot(owner=user, name="Petrel"), data=FIRST.encode()))


def test_a_bot_passes_step_by_step_and_gets_a_first_rating(petrel: BotVersion) -> None:
    version = petrel
    trial = version.trials.get()
    assert states(version) == [
        ("read", "done"),
        ("start", "done"),
        ("game", "done"),
        ("game", "done"),
        ("game", "done"),
        ("time", "done"),
        ("rating", "done"),
    ]
    assert (version.state, version.kinds, trial.state) == ("passed", ["chinese_ten"], "done")
    assert [step["bot"] for step in trial.steps if step["name"] == "game"] == ["random", "sensible", "strong"]
    assert trial.result["time"]["asks"] > 20
    rating = trial.result["ratings"]["chinese_ten"]
    assert rating["games"] == 30
    assert 900 < rating["rating"] - rating["half"] < rating["rating"] + rating["half"] < 2100
    assert Bot.objects.get(pk=version.bot_id).plays == version


def test_the_games_of_an_admission_are_real_games_that_count_for_nothing_else(petrel: BotVersion) -> None:
    games = list(Game.objects.filter(trial__version=petrel))
    assert len(games) == 33
    assert {game.status for game in games} == {"finished"}
    assert not any(game.terms["rated"] for game in games)
    panel_deals = [game.deal_id for game in games if game.part.startswith(admission_checks.PANEL_PART)]
    assert all(panel_deals.count(deal) == 2 for deal in panel_deals)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("source", "kind", "sentence"),
    [
        ("class Bot\n    pass\n", "start_crashed", "SyntaxError"),
        ("import socket\nsocket.socket()\n", "start_crashed", "PermissionError"),
        ("x = 1\n", "start_crashed", "no class Bot"),
        ("import tensorflow\n", "start_crashed", "No module named"),
        ("class Bot:\n    want = 7\n    def move(self, view, legal): pass\n", "start_crashed", "TypeError"),
    ],
)
def test_a_file_that_does_not_start_is_refused_with_what_it_printed(
    source: str, kind: str, sentence: str, upload: Upload
) -> None:
    version = through(upload(source))
    fault = Fault.objects.get(bot_version=version)
    assert (version.state, fault.kind, fault.cost) == ("refused", kind, "refused")
    assert sentence in fault.stderr
    assert sentence in version.reason
    assert states(version) == [("read", "done"), ("start", "fault")]


def test_a_bot_that_says_it_plays_what_nobody_knows_is_refused(upload: Upload) -> None:
    version = through(upload(FIRST.replace("chinese_ten", "poker")))
    assert version.state == "refused"
    assert version.reason.startswith("The bot says that it plays poker, which does not exist. The kinds are")


def test_a_bot_of_one_kind_is_asked_for_its_kinds_with_hellos_that_it_may_not_understand(upload: Upload) -> None:
    source = FIRST.replace("chinese_ten", "palace")
    fussy = f"{source}\n    def start(self, view):\n        view.options['quick_throw']\n"
    version = upload(fussy if "quick_throw" in admission_checks.undealt_game("palace").opened["options"] else source)
    assert admission_checks.kinds_of(version) == ["palace"]


def test_one_fault_in_a_game_refuses_the_version_and_tells_where(upload: Upload) -> None:
    version = through(upload(FIRST.replace("return legal[0]", "return 'lay K 9'")))
    fault = Fault.objects.filter(bot_version=version).earliest("pk")
    assert (version.state, fault.kind, fault.cost) == ("refused", "illegal_move", "refused")
    assert fault.game is not None
    assert f"event {fault.position}: The bot answered lay K 9" in version.reason
    games = [step for step in version.trials.get().shown_steps if step["name"] == "game"]
    assert games[0]["state"] == "fault"
    assert {step["state"] for step in games} <= {"fault", "skipped"}, "A game that was forfeited is no success."
    assert all("answered lay K 9" in step["sentence"] for step in games if step["state"] == "fault")
    assert not Game.objects.filter(trial__version=version, status="playing").exists()


def test_that_games_of_a_trial_are_given_up_is_no_incident(upload: Upload) -> None:
    trial = upload().trials.get()
    play.open_many([admission_checks.trial_opening(trial, "chinese_ten", "random", "built_in")])
    trials.end_games(trial)
    assert Game.objects.get(trial=trial).status == "aborted"
    assert not Incident.objects.exists()


def test_the_step_of_a_game_that_was_forfeited_tells_so_and_no_score() -> None:
    forfeited = {"scores": [9, 9], "placings": [2, 1], "termination": "forfeited"}
    ended = [str(admission_checks.result_sentence(forfeited, seat)) for seat in (0, 1)]
    assert ended == ["Lost by forfeit.", "Won by forfeit."]
    played = {"scores": [9, 9], "placings": [1, 1], "termination": "played"}
    assert str(admission_checks.result_sentence(played, 0)) == "Drawn 9 to 9."


@pytest.mark.parametrize(
    ("program", "on_trial", "seconds", "played"),
    [
        ("strong", True, 9, "strong"),
        ("strong", True, 11, "sensible"),
        ("strong", False, 3600, "strong"),
        ("random", True, 3600, "random"),
    ],
)
def test_strong_searches_in_the_first_seconds_of_a_trials_game_only(
    program: str, on_trial: bool, seconds: float, played: str
) -> None:
    game = Game(kind="plates", trial_id=1 if on_trial else None, opened_at=clock.now() - timedelta(seconds=seconds))
    unit: Any = SimpleNamespace(programs={1: program})
    hand: Any = SimpleNamespace(game=game, unit=unit)
    assert runner.builtin_program(hand, 1) == played


def test_an_admission_ends_when_strong_searches_no_more(upload: Upload, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "TRIAL_SEARCH_SECONDS", -1)
    asked: list[str] = []
    action = requests.action

    def spy(fold: Any, seat: int, program: str, seed: bytes) -> int:
        asked.append(program)
        return action(fold, seat, program, seed)

    monkeypatch.setattr(requests, "action", spy)
    version = through(upload())
    assert version.state == "passed"
    assert set(asked) == {"random", "sensible"}
    assert Game.objects.filter(trial__version=version, part="built_in/chinese_ten/strong", status="finished").exists()


def test_a_version_that_has_not_passed_sits_nowhere(upload: Upload, built_in: BuiltInBot) -> None:
    version = upload()
    with pytest.raises(DomainError, match=r"Gannet v1 cannot play: it is in admission"):
        play.open_game(kind="chinese_ten", players=[version.player, built_in("random")])


def test_an_admission_goes_on_with_another_worker_from_where_the_first_was_lost(upload: Upload) -> None:
    version = upload()
    for worker in ("sandbox 1", "sandbox 2", "sandbox 3"):
        trial = trials.claim_trial(worker)
        assert trial is not None
        admission_checks.continue_admission(
            trials.ClaimedTrial(trial, worker, 0.0, runner.never)
        )  # each worker may do only one step
        Trial.objects.update(leased_until="2020-01-01T00:00Z")
        Game.objects.filter(leased_until__isnull=False).update(leased_until="2020-01-01T00:00Z")
    version = through(version)
    assert version.state == "passed"
    assert version.trials.get().attempt > 3
    assert Game.objects.filter(trial__version=version).count() == 7


def test_a_worker_that_wakes_after_its_lease_changes_nothing(upload: Upload) -> None:
    version = upload()
    late = trials.claim_trial("sandbox 1")
    assert late is not None
    Trial.objects.update(leased_until="2020-01-01T00:00Z")
    now = trials.claim_trial("sandbox 2")
    assert now is not None
    with pytest.raises(trials.TrialLost):
        admission_checks.continue_admission(trials.ClaimedTrial(late, "sandbox 1", 0.0, runner.never))
    assert not Game.objects.filter(trial__version=version).exists()
    assert trials.claim_trial("sandbox 3") is None


@pytest.mark.slow
def test_a_trial_and_its_games_stay_a_workers_however_long_their_bots_take(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot may start for 5 s and answer after 11 s, which is longer than a lease."""
    version = upload()
    go_on, play = admission_checks.continue_admission, runner.play_claims
    seen: list[tuple[int, int]] = []

    def late() -> None:
        """Let more time than a lease pass, while the worker gives signs of life."""
        Trial.objects.update(leased_until="2020-01-01T00:00Z")
        Game.objects.filter(leased_until__isnull=False).update(leased_until="2020-01-01T00:00Z")
        with leases.heartbeat_of("sandbox 1") as pulse:
            pulse._say()
        seen.append((trials.due_trials().count(), leases.due_anywhere().exclude(leased_by="").count()))

    def slow_start(held: trials.ClaimedTrial) -> bool:
        late()
        return go_on(held)

    def slow_games(*given: Any) -> int:
        late()
        return play(*given)

    monkeypatch.setitem(time_slices.CONTINUE_BY_TRIAL, Trial.What.ADMISSION, slow_start)
    monkeypatch.setattr(runner, "play_claims", slow_games)
    assert through(version).state == "passed"
    assert len(seen) > 2
    assert set(seen) == {(0, 0)}
    assert not Incident.objects.exists()


def test_an_error_of_ours_is_told_and_tried_again_after_a_rest_that_grows(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = upload()

    def breaks(held: trials.ClaimedTrial) -> bool:
        raise OSError("no more pipes")

    with monkeypatch.context() as broken:
        broken.setitem(time_slices.CONTINUE_BY_TRIAL, Trial.What.ADMISSION, breaks)
        for _ in range(3):
            time_slices.TimeSlicer("sandbox 1", leases.WorkerHeartbeat("sandbox 1"), runner.never).play_trial()
            assert not time_slices.TimeSlicer(
                "sandbox 1", leases.WorkerHeartbeat("sandbox 1"), runner.never
            ).play_trial()  # the trial waits for its next attempt
            Trial.objects.update(leased_until=None)
    incidents = [incident.sentence for incident in Incident.objects.order_by("pk")]
    assert [
        sentence.removeprefix("The admission of Gannet v1 cannot continue. The next attempt is in ")
        for sentence in incidents
    ] == [
        "4 s.",
        "16 s.",
        "64 s.",
    ]
    assert through(version).state == "passed"
    assert version.trials.get().failures == 0


def test_in_its_whole_games_a_bot_sits_in_either_seat_and_is_told_its_own_score(petrel: BotVersion) -> None:
    version = petrel
    steps = [step for step in version.trials.get().shown_steps if step["name"] == "game"]
    assert [step["seat"] for step in steps] == [0, 1, 0]
    for step in steps:
        game = Game.objects.get(public_id=step["game"])
        own = game.seats.get(player=version.player)
        other = game.seats.exclude(pk=own.pk).get()
        assert own.seat == step["seat"]
        assert f" {own.score} to {other.score}." in step["sentence"]
        assert own.placing is not None
        assert other.placing is not None
        won = {True: "Won", False: "Lost"}.get(own.placing < other.placing)
        assert step["sentence"].startswith("Drawn" if own.placing == other.placing else str(won))


def test_a_fault_that_comes_in_the_second_seat_alone_refuses_the_version(upload: Upload) -> None:
    second = "legal[0] if view.seat == 0 else 'lay K 9'"
    version = through(upload(FIRST.replace("legal[0]", second)))
    fault = Fault.objects.filter(bot_version=version).earliest("pk")
    assert (version.state, fault.seat) == ("refused", 1)


def test_the_panels_figure_is_that_of_whoever_would_get_such_results() -> None:
    level = first_rating.estimate("palace", [("sensible", 0.5)] * 20)
    assert round(level.rating) == 1500
    better = first_rating.estimate("chinese_ten", [("random", 1.0)] * 10 + [("sensible", 0.75)] * 20)
    assert 1600 < better.rating < 1750
    worse = first_rating.estimate("chinese_ten", [("random", 0.0)] * 10 + [("sensible", 0.0)] * 20)
    assert 800 < worse.rating < 1250
    more = first_rating.estimate("palace", [("sensible", 0.5)] * 200)
    assert more.half < level.half / 2.5
