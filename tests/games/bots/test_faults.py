"""If an uploaded bot fails, its game gets the events that the terms say, and its author gets evidence."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.conf import settings

from games import sandbox
from games.bots import time_slices
from games.bots.remote import services as remote
from games.bots.remote.services import ChallengeRequest
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import BotVersion, Deal, Game, Player
from games.play import faults
from games.play import services as play_services
from games.play.models import Fault
from games.workers import leases, runner, sandboxed_bot, uploaded_bots
from games.workers.models import BotResponseTimes
from scorebook_games.bots.conversation import seed_for
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from tests.games.bots.conftest import FIRST, Author, Upload
from tests.games.conftest import BuiltInBot

pytestmark = pytest.mark.django_db

SEED = bytes(range(32))
HEAD = "import ctypes, os, time\nclass Bot:\n    def __init__(self):\n        self.n = 0\n"
MOVE = "    def move(self, view, legal):\n        self.n += 1\n        "
BAD = {
    "crashed": "if self.n == 2: print('I saw', legal[0]); raise ValueError('no')\n        return legal[0]\n",
    "timeout": "while self.n == 2: time.sleep(1)\n        return legal[0]\n",
    "cpu_limit": "while self.n == 2: pass\n        return legal[0]\n",
    "violation": "if self.n == 2: ctypes.CDLL(None).syscall(101, 0, 0, 0, 0)\n        return legal[0]\n",
    "illegal_move": "return 'lay K 9' if self.n == 2 else legal[0]\n",
    "bad_reply": "return 'x' * 300 if self.n == 2 else legal[0]\n",
}
BUSY = """
from time import thread_time
class Bot:
    def move(self, view, legal):
        until = thread_time() + 0.15
        while thread_time() < until:
            pass
        return legal[0]
"""
QUICK = {"rated": False, "bot_move_ms": 500, "bot_bank_ms": 0}


def bad(kind: str) -> str:
    """Return the source of a bot that fails when it is asked for the second time."""
    return HEAD + MOVE + BAD[kind]


def seated(version: BotVersion, kind: str = "chinese_ten") -> Player:
    """Let a version pass without admission, and return its player."""
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.PASSED, kinds=[kind])
    version.trials.all().delete()
    return Player.objects.select_related("bot_version__bot").get(bot_version=version)


def table_events(game: Game) -> list[Event]:
    """Return the events of the table in a game's log, without those that every game has."""
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    return [event for event in events if ev.is_table_event(event) and event[0] not in (ev.OPENED, ev.SANDBOXED)]


def play(players: list[Player], kind: str = "chinese_ten", **terms: object) -> Game:
    """Let a worker with a sandbox play a game of these players to its end."""
    deal = Deal.objects.create(seed=SEED)
    game = play_services.open_game(kind=kind, players=players, terms={**QUICK, **terms}, deal=deal)
    time_slices.play_time_slices("sandbox 1")
    game.refresh_from_db()
    return game


@pytest.mark.some(3)
@pytest.mark.parametrize("kind", BAD)
def test_each_sort_of_fault_costs_a_move_drawn_by_lot_and_is_told_with_its_evidence(
    kind: str, upload: Upload, built_in: BuiltInBot
) -> None:
    terms: dict[str, Any] = {"bot_move_ms": 5000, "bot_cpu_ms": 300} if kind == "cpu_limit" else {}
    terms |= {"rated": True, "bot_violations": 100}
    game = play([seated(upload(bad(kind))), built_in("random")], bot_faults=1000, **terms)
    first = Fault.objects.filter(game=game).order_by("pk")[0]

    assert game.status == Game.Status.FINISHED
    assert table_events(game)[0] == [ev.FAULT, 0, kind]
    assert [event for event in table_events(game) if event[0] != ev.FAULT] == []
    assert (first.kind, first.cost, first.seat) == (kind, "random_move", 0)
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    assert first.position is not None
    assert events[first.position] == [ev.FAULT, 0, kind]
    assert first.evidence["legal"]
    assert len(table_events(game)) == Fault.objects.filter(game=game).count()


def test_the_evidence_of_an_illegal_move_is_the_answer_and_the_rules_clause(
    upload: Upload, built_in: BuiltInBot
) -> None:
    play([seated(upload(bad("illegal_move"))), built_in("random")])
    fault = Fault.objects.get()
    assert (fault.evidence["move"], fault.evidence["clause"]) in {("lay K 9", ""), ("lay K 9", "CT-7")}
    assert "lay K 9" in fault.sentence


def test_what_a_crashing_bot_printed_is_kept_and_nothing_of_the_host_with_it(
    upload: Upload, built_in: BuiltInBot
) -> None:
    play([seated(upload(bad("crashed"))), built_in("random")])
    fault = Fault.objects.order_by("pk")[0]
    assert "I saw " in fault.stderr
    assert "ValueError: no" in fault.stderr
    assert str(settings.BASE_DIR) not in fault.stderr
    assert fault.evidence["exit_code"] == 1


def test_the_third_fault_forfeits_and_for_two_that_is_the_game(upload: Upload, built_in: BuiltInBot) -> None:
    game = play([built_in("random"), seated(upload(bad("crashed")))])
    assert [event[0] for event in table_events(game)] == [ev.FAULT, ev.FAULT, ev.FAULT, ev.LEFT, ev.ENDED]
    assert game.outcome is not None
    assert (game.outcome["termination"], game.outcome["placings"]) == ("forfeited", [1, 2])
    assert list(Fault.objects.order_by("pk").values_list("cost", flat=True)) == ["random_move"] * 2 + ["forfeit"]
    assert game.seats.get(seat=1).left == "forfeited"


def test_at_a_larger_table_the_platform_plays_on_for_a_bot_that_forfeited(upload: Upload, built_in: BuiltInBot) -> None:
    game = play([seated(upload(bad("crashed"))), built_in("random"), built_in("random")], bot_faults=1)
    assert table_events(game) == [[ev.FAULT, 0, "crashed"], [ev.LEFT, 0, "forfeited"], [ev.TAKEN_OVER, 0, "sensible"]]
    assert game.seats.get(seat=0).placing == 3


@pytest.mark.parametrize("kind", ["palace", "plate_spinner"])
def test_in_beats_a_fault_is_told_before_the_beat_and_a_bundle_drawn_by_lot_is_given(
    kind: str, upload: Upload, built_in: BuiltInBot
) -> None:
    game = play([seated(upload(bad("crashed")), kind), built_in("random")], kind, pace="beats")
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    assert game.status == Game.Status.FINISHED
    first, second, last = [place for place, event in enumerate(events) if event[0] == ev.FAULT]
    assert all(ev.BEAT in (event[0] for event in events[place : place + 4]) for place in (first, second))
    assert [event[0] for event in events[last:]] == [ev.FAULT, ev.LEFT, ev.ENDED]


def test_in_beats_the_last_fault_forfeits_and_the_game_goes_on_at_a_larger_table(
    upload: Upload, built_in: BuiltInBot
) -> None:
    players = [seated(upload(bad("crashed")), "plate_spinner"), built_in("random"), built_in("random")]
    game = play(players, "plate_spinner", pace="beats", bot_faults=1)
    assert [event[0] for event in table_events(game) if event[0] not in (ev.BEAT, ev.NOT_TAKEN)] == [
        ev.FAULT,
        ev.LEFT,
        ev.TAKEN_OVER,
    ]
    assert game.status == Game.Status.FINISHED


def test_after_so_many_violations_as_a_rated_games_terms_say_a_version_plays_no_more(
    upload: Upload, built_in: BuiltInBot
) -> None:
    version = upload(bad("violation"))
    player = seated(version)
    later = play_services.open_game(kind="chinese_ten", players=[player, built_in("random")], terms=QUICK)
    Game.objects.filter(pk=later.pk).update(retry_at="2999-01-01T00:00Z")
    play([player, built_in("random")], rated=True, bot_faults=1000, bot_violations=2)
    version.refresh_from_db()
    assert version.state == BotVersion.State.QUARANTINED
    assert version.reason.startswith("The bot violated the sandbox ")

    Game.objects.filter(pk=later.pk).update(retry_at=None)
    time_slices.play_time_slices("sandbox 1")
    later.refresh_from_db()
    assert later.status == Game.Status.FINISHED
    assert [event[0] for event in table_events(later)] == [ev.LEFT, ev.ENDED]


def violated(version: BotVersion, *games: Game) -> str:
    """Store a violation of the sandbox by this version in each of these games, and return the version's state."""
    for game in games:
        place = {"game": game, "seat": 0, "position": 2, "cost": Fault.Cost.RANDOM_MOVE}
        faults.store_faults([faults.row(version, Fault.Kind.VIOLATION, [], {}, b"", **place)])
    version.refresh_from_db()
    return str(version.state)


def game_with(version: BotVersion, other: Player, **terms: Any) -> Game:
    """Return a game with that version in seat 0."""
    return play_services.open_game(kind="chinese_ten", players=[version.player, other], terms={**QUICK, **terms})


def test_a_stranger_who_asks_for_a_game_with_strict_terms_harms_no_bot(
    upload: Upload, built_in: BuiltInBot, author: Author
) -> None:
    """Somebody else's challenge has the terms `bot_violations: 1` and `bot_faults: 1`."""
    gannet = seated(upload(bad("violation")))
    assert gannet.bot_version
    puffin = remote.create_bot(owner=author("Emil"), name="Puffin")
    wish = ChallengeRequest(
        "chinese_ten", players=[gannet], terms={"bot_violations": 1, "bot_faults": 1, "move_seconds": 60}
    )
    game = remote.open_challenge(bot=puffin, wish=wish)
    play_services.play_move(
        game=game,
        seat=0,
        text=visibility.legal_moves(play_services.load_game(game), 0)[0],
        expected_version=game.version,
    )
    assert violated(gannet.bot_version, game) == "passed"
    assert violated(gannet.bot_version, game) == "passed"
    assert violated(gannet.bot_version, game) == "quarantined", "the third, as is usual"


def test_a_seasons_terms_count_its_rated_games_alone(upload: Upload, built_in: BuiltInBot) -> None:
    version = seated(upload()).bot_version
    assert version
    casual = game_with(version, built_in("random"))
    strict = game_with(version, built_in("random"), rated=True, bot_violations=2)
    assert violated(version, casual, casual, strict) == "passed"
    assert violated(version, strict) == "quarantined"
    assert version.quarantines == 1
    assert version.reason.startswith("The bot violated the sandbox 2 times. ")


def test_a_lenient_seasons_terms_hold_in_its_games(upload: Upload, built_in: BuiltInBot) -> None:
    version = seated(upload()).bot_version
    assert version
    lenient = game_with(version, built_in("random"), rated=True, bot_violations=5)
    assert violated(version, *[lenient] * 4) == "passed"
    assert violated(version, lenient) == "quarantined"


class Broken:
    """A process in the sandbox whose questions fail with `kind`."""

    kind = "infrastructure"

    def __init__(self, process: sandbox.SandboxedProcess) -> None:
        self.process = process
        self.loading = process.loading

    def ask(self, line: bytes, *, wall_ms: int, cpu_ms: int) -> sandbox.Answer:
        if b'"type":"hello"' in line:
            return self.process.ask(line, wall_ms=wall_ms, cpu_ms=cpu_ms)
        raise sandbox.Fault(self.kind, {"reason": "the zygote has gone"})  # type: ignore[arg-type]

    def stderr(self) -> bytes:
        return b""

    def close(self) -> None:
        self.process.close()


class Breaking:
    """Starts processes whose questions fail with `kind`."""

    kind = "infrastructure"

    @classmethod
    def start(cls, source: bytes, **given: int) -> Broken:
        broken = Broken(sandbox.SandboxedProcess.start(source, **given))
        broken.kind = cls.kind
        return broken


def test_what_the_platform_failed_costs_nobody_anything_and_the_game_goes_on(
    upload: Upload, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = seated(upload())
    with monkeypatch.context() as broken:
        broken.setattr(sandboxed_bot, "SandboxedProcess", Breaking)
        game = play([player, built_in("random")])
    assert (game.status, game.failures, table_events(game)) == ("playing", 1, [])
    fault = Fault.objects.get()
    assert (fault.kind, fault.cost, fault.stderr) == ("infrastructure", "none", "")
    assert "the zygote has gone" in Incident.objects.get().sentence

    Game.objects.filter(pk=game.pk).update(retry_at=None)
    time_slices.play_time_slices("sandbox 1")
    game.refresh_from_db()
    assert (game.status, table_events(game)) == ("finished", [])


def test_a_game_has_one_incident_and_its_author_one_fault_however_often_the_platform_fails(
    upload: Upload, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = seated(upload())
    monkeypatch.setattr(sandboxed_bot, "SandboxedProcess", Breaking)
    game = play([player, built_in("random")])
    for _ in range(2):
        Game.objects.filter(pk=game.pk).update(retry_at=None)
        time_slices.play_time_slices("sandbox 1")
    incident = Incident.objects.get()
    assert (incident.times, "The next attempt is in 8 s." in incident.sentence) == (3, True)
    assert Fault.objects.filter(kind="infrastructure").count() == 1


@pytest.mark.parametrize("pace", ["turns", "beats"])
def test_bots_that_compute_for_all_of_their_time_are_too_slow_themselves_though_all_of_them_are(
    pace: str, upload: Upload, built_in: BuiltInBot
) -> None:
    busy = "class Bot:\n    def move(self, view, legal):\n        while True: pass\n"
    both = [seated(upload(busy), "palace"), seated(upload(busy + "#", "Puffin"), "palace")]
    game = play([*both, built_in("random")], "palace", pace=pace, bot_move_ms=100, bot_faults=1)
    assert not Incident.objects.exists()
    assert sorted(event[1:] for event in table_events(game) if event[0] == ev.FAULT) == [[0, "timeout"], [1, "timeout"]]


def test_what_is_said_of_the_platform_was_measured() -> None:
    """The bot used the CPU for 210 of its 1161 ms. The text names only this bot."""
    measured = {"at": "ask", "waited_ms": 4764.2, "wall_ms": 880.0, "cpu_ms": 210.1, "wall_limit_ms": 1161}
    assert str(uploaded_bots.why(1, measured)) == (
        "the machine kept the bot in seat 2 waiting for 4764 ms, in which the bot computed for 210 ms of its 1161 ms."
    )
    assert uploaded_bots.why(1, {**measured, "reason": "The zygote has gone."}) == "The zygote has gone."
    late = [sandboxed_bot.Failure("timeout", {"cpu_ms": cpu_ms, "limit": 1000}, b"") for cpu_ms in (40.4, 7.0)]
    assert all(uploaded_bots.was_kept_waiting(each) for each in late)
    printing = sandboxed_bot.Failure("timeout", {"cpu_ms": 1.0, "limit": 1000, "stderr_bytes": 1 << 20}, b"")
    assert "It printed more than 1 MiB" in str(printing)
    assert not uploaded_bots.was_kept_waiting(printing), "the bot itself made it wait"
    assert str(uploaded_bots.why_all(late)) == (
        "all 2 uploaded bots of the game took too long at the same time; none computed for more than 40 ms."
    )


@pytest.mark.parametrize("pace", ["turns", "beats"])
def test_where_all_uploaded_bots_of_a_game_are_too_slow_at_once_it_is_the_platform(
    pace: str, upload: Upload, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_kind = FIRST.replace('kinds = ("chinese_ten",)', "")
    both = [seated(upload(any_kind), "palace"), seated(upload(any_kind, "Puffin"), "palace")]
    with monkeypatch.context() as broken:
        broken.setattr(sandboxed_bot, "SandboxedProcess", Breaking)
        broken.setattr(Breaking, "kind", "timeout")
        game = play([*both, built_in("random")], "palace", pace=pace)
    assert game.status == Game.Status.PLAYING
    assert Fault.objects.filter(kind="infrastructure").count() == 1
    assert len(table_events(game)) == (1 if pace == "turns" else 0)  # in beats it is not known which bot was slow first


@pytest.mark.slow
def test_bots_that_never_answer_keep_no_game_waiting_for_ever_though_all_of_them_are_slow(
    upload: Upload, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_kind = FIRST.replace('kinds = ("chinese_ten",)', "")
    both = [seated(upload(any_kind), "palace"), seated(upload(any_kind, "Puffin"), "palace")]
    monkeypatch.setattr(sandboxed_bot, "SandboxedProcess", Breaking)
    monkeypatch.setattr(Breaking, "kind", "timeout")
    game = play([*both, built_in("random")], "palace", pace="beats")
    for _ in range(leases.MAX_FAILED_CLAIMS):
        Game.objects.filter(pk=game.pk).update(retry_at=None)
        time_slices.play_time_slices("sandbox 1")
    game.refresh_from_db()
    assert (game.status, leases.given_up_games().count()) == ("finished", 0)
    assert {(event[1], event[2]) for event in table_events(game) if event[0] == ev.FAULT} == {
        (0, "timeout"),
        (1, "timeout"),
    }


def test_a_bot_uses_its_bank_for_what_goes_beyond_the_time_of_an_answer(upload: Upload, built_in: BuiltInBot) -> None:
    slow = FIRST.replace("return", "import time; time.sleep(0.06); return")
    game = play([seated(upload(slow)), built_in("random")], bot_move_ms=20, bot_bank_ms=500, bot_faults=1)
    charged = [event[2] for event in table_events(game) if event[0] == ev.CHARGED]
    assert all(ms >= 20 for ms in charged[:3])
    assert sum(charged) <= 500
    assert [event[0] for event in table_events(game)][-3:] == [ev.FAULT, ev.LEFT, ev.ENDED]


def test_the_log_names_the_tier_and_the_policy_by_which_bots_were_held(upload: Upload, built_in: BuiltInBot) -> None:
    game = play([seated(upload()), built_in("random")])
    tier = sandbox.tier()
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    assert [event for event in events if event[0] == ev.SANDBOXED] == [[ev.SANDBOXED, "A", tier.policy_hash]]
    assert play_services.load_game(game).sandboxed == ["A", tier.policy_hash]


def test_how_long_the_answers_took_is_kept_for_each_game(upload: Upload, built_in: BuiltInBot) -> None:
    play([seated(upload()), built_in("random")])
    row = BotResponseTimes.objects.get()
    assert row.seat == 0
    assert len(row.times) > 5
    assert all(0 <= ms < 60_000 for ms in row.times)
    assert 0 < row.cpu_ms <= sum(row.times) + 1


def test_the_processor_time_of_a_game_is_counted_on_when_the_bots_process_is_a_new_one(
    upload: Upload, built_in: BuiltInBot
) -> None:
    """The bot has 600 ms for the game. The first worker uses most of them and releases the game; the second has the
    rest."""
    player, terms = seated(upload(BUSY)), {"rated": False, "bot_move_ms": 5000, "bot_cpu_ms": 600}
    game = play_services.open_game(kind="chinese_ten", players=[player, built_in("random")], terms=terms)
    (hand,) = runner.load_sessions(leases.claim_sandboxed_games("sandbox 1", 1))
    while len(hand.sandboxed_bots[0].times) < 3:
        seat = hand.seat
        assert seat is not None
        runner.play_turn(hand, seat, 0)
    runner.release_sessions(runner.store_sessions([hand]))
    (again,) = runner.load_sessions(leases.claim_sandboxed_games("sandbox 2", 1))
    assert again.sandboxed_bots[0].cpu_ms == BotResponseTimes.objects.get(game=game).cpu_ms >= 450
    runner.release_sessions([again])
    time_slices.play_time_slices("sandbox 3")
    fault = Fault.objects.filter(game=game).order_by("pk")[0]
    assert fault.kind == "cpu_limit"
    assert fault.evidence["cpu_limit_ms"] <= 150


def test_a_beat_of_slow_bots_leaves_the_worker_time_for_its_other_games_and_nobody_is_asked_twice(
    upload: Upload, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploaded_bots, "MAX_SECONDS_PER_BEAT", 0.0)
    any_kind = FIRST.replace('kinds = ("chinese_ten",)', "")
    seats = [seated(upload(any_kind, name), "plate_spinner") for name in ("Gannet", "Puffin", "Skua")]
    play_services.open_game(kind="plate_spinner", players=seats, terms={**QUICK, "pace": "beats"})
    (hand,) = runner.store_sessions(runner.load_sessions(leases.claim_sandboxed_games("sandbox 1", 1)))
    asked = []
    while hand.unit.fold.beat == 0:
        runner.play_on(hand, runner.Chunk(0))
        asked.append(sorted(hand.answers))
    assert asked == [[0], [0, 1], []]  # seat by seat; the last bundle completes the beat
    runner.release_sessions(runner.store_sessions([hand]))


def test_a_beat_that_lasts_longer_than_a_slice_is_kept_in_hand_until_all_have_been_asked(
    upload: Upload, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploaded_bots, "MAX_SECONDS_PER_BEAT", 0.0)
    monkeypatch.setattr(time_slices, "SLICE_SECONDS", 0.0)
    any_kind = FIRST.replace('kinds = ("chinese_ten",)', "")
    seats = [seated(upload(any_kind, name), "plate_spinner") for name in ("Gannet", "Puffin")]
    game = play_services.open_game(kind="plate_spinner", players=seats, terms={**QUICK, "pace": "beats"})
    claims = leases.claim_sandboxed_games("sandbox 1", 1)
    begun = runner.load_sessions(claims)
    runner.play_on(begun[0], runner.Chunk(0))
    _, begun = runner.play_sessions(begun, time.monotonic(), runner.never)
    assert [sorted(hand.answers) for hand in begun] == [[0]]
    game.refresh_from_db()
    assert game.leased_by == "sandbox 1"
    _, begun = runner.play_sessions(begun, time.monotonic(), lambda: True)  # the worker has to stop
    game.refresh_from_db()
    assert (begun, game.leased_by) == ([], "")


def test_where_a_beat_is_not_kept_in_hand_it_is_brought_to_its_end(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploaded_bots, "MAX_SECONDS_PER_BEAT", 0.0)
    any_kind = FIRST.replace('kinds = ("chinese_ten",)', "")
    seats = [seated(upload(any_kind, name), "plate_spinner") for name in ("Gannet", "Puffin")]
    game = play_services.open_game(kind="plate_spinner", players=seats, terms={**QUICK, "pace": "beats"})
    (hand,) = runner.store_sessions(runner.load_sessions(leases.claim_sandboxed_games("sandbox 1", 1)))
    runner.play_on(hand, runner.Chunk(0))
    assert (sorted(hand.answers), hand.unit.fold.beat) == ([0], 0)
    runner.release_sessions(runner.finish_beats([hand], runner.never))
    assert play_services.load_game(game).beat == 1


def test_a_lost_workers_game_goes_on_with_the_same_moves_from_the_last_stored_event(
    upload: Upload, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot counts its questions, so it would play other moves if it got too few."""
    counting = (
        "class Bot:\n    def move(self, view, legal):\n"
        "        told = [event for event in view.history if event['type'][0] != '@']\n"
        "        return legal[(len(told) + view.seed) % len(legal)]\n"
    )
    monkeypatch.setattr(uploaded_bots, "seed_for", lambda deal, _salt, seat: seed_for(deal, bytes(16), seat))
    player, others = seated(upload(counting)), [built_in("random"), built_in("sensible")]
    whole = play([player, *others])
    deal = Deal.objects.create(seed=SEED)
    game = play_services.open_game(kind="chinese_ten", players=[player, *others], terms=QUICK, deal=deal)
    for worker in ("sandbox 1", "sandbox 2"):
        (hand,) = runner.store_sessions(runner.load_sessions(leases.claim_sandboxed_games(worker, 1)))
        for _ in range(7):
            seat = hand.seat
            assert seat is not None
            runner.play_turn(hand, seat, 0)
        runner.store_sessions([hand])
        seat = hand.seat
        assert seat is not None
        runner.play_turn(hand, seat, 0)  # this move is lost with the worker
        hand.close()
        Game.objects.filter(pk=game.pk).update(leased_until="2020-01-01T00:00Z")
    time_slices.play_time_slices("sandbox 3")

    def moves(of: Game) -> list[Event]:
        return [entry.event for entry in eventlog.read_events(of.stream_id) if not ev.is_table_event(entry.event)]

    assert moves(game) == moves(whole)
    assert [event[1] for event in table_events(game) if event[0] == ev.ATTEMPT] == [2, 3]
