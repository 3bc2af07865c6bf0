"""Who used the time: the bot, or a host that kept the bot waiting."""

from __future__ import annotations

import os

import pytest

from games.sandbox.faults import kind_of_death, kind_of_delay
from games.sandbox.monitor import LOOK_MS, LOOKS, QUICK_MS, OutOfTime, Watch


class Clock:
    """A clock that only moves when a test moves it; no test sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def pass_ms(self, ms: float) -> None:
        self.seconds += ms / 1000


@pytest.fixture
def clock() -> Clock:
    return Clock()


def watch(clock: Clock, *, wall_ms: float = 100, cpu_ms: float = 1000, used: float = 0, state: str = "S") -> Watch:
    made = Watch(os.getpid(), wall_ms, cpu_ms, lambda: used, now=clock)
    made._delay = lambda: 0.0  # type: ignore[method-assign]
    made._state = lambda: state  # type: ignore[method-assign]
    return made


def over(of: Watch) -> str:
    with pytest.raises(OutOfTime) as caught:
        of.left()
    return caught.value.over


def test_the_first_look_is_soon(clock: Clock) -> None:
    assert watch(clock).left() == QUICK_MS
    assert watch(clock, wall_ms=3).left() == 3


def test_what_is_left_is_the_lesser_of_wall_and_cpu_time(clock: Clock) -> None:
    by_wall, by_cpu = watch(clock), watch(clock, wall_ms=500, cpu_ms=40, used=15)
    clock.pass_ms(30)
    assert by_wall.left() == pytest.approx(70)
    assert by_cpu.left() == pytest.approx(25)


def test_a_bot_that_sleeps_too_long_is_late(clock: Clock) -> None:
    late = watch(clock)
    clock.pass_ms(101)
    assert over(late) == "wall"


def test_a_bot_that_computes_too_long_has_used_its_cpu_time_up(clock: Clock) -> None:
    busy = watch(clock, used=1000)
    clock.pass_ms(101)
    assert over(busy) == "cpu"


def test_time_in_which_the_worker_overslept_is_not_the_bots(clock: Clock) -> None:
    stalled = watch(clock)
    clock.pass_ms(360)
    stalled.slept(60, 360)
    assert stalled.left() == pytest.approx(40)
    assert stalled.charged() == pytest.approx(60)


def test_time_in_which_the_kernel_let_others_run_is_not_the_bots(clock: Clock) -> None:
    starved = watch(clock)
    clock.pass_ms(20)
    starved.left()
    starved._delay = lambda: 150.0  # type: ignore[method-assign]
    clock.pass_ms(180)
    assert starved.left() == pytest.approx(50)
    assert starved.charged() == pytest.approx(50)


def test_a_host_that_lets_a_bot_wait_for_ever_has_failed_it(clock: Clock) -> None:
    starved = watch(clock)
    clock.pass_ms(20)
    starved.left()
    starved._delay = lambda: 5000.0  # type: ignore[method-assign]
    clock.pass_ms(1500)
    assert over(starved) == "host"


def test_a_bot_that_waits_for_a_processor_right_now_gets_a_moment_more_and_no_more_than_that(clock: Clock) -> None:
    waiting = watch(clock, state="R")
    clock.pass_ms(101)
    assert [waiting.left() for _ in range(LOOKS)] == [LOOK_MS] * LOOKS
    assert over(waiting) == "wall"


def test_an_answer_that_comes_in_such_a_moment_is_late_unless_the_host_kept_the_bot_waiting(clock: Clock) -> None:
    waiting = watch(clock, state="R")
    clock.pass_ms(110)
    waiting.left()
    clock.pass_ms(10)
    assert waiting.is_late()
    waiting._delay = lambda: 30.0  # type: ignore[method-assign]
    assert not waiting.is_late()


def test_a_host_has_not_failed_a_bot_that_computed_for_most_of_its_time(clock: Clock) -> None:
    """The bot computed for 876 of 1161 ms. The host waits as long once more; then the answer is late."""
    busy = watch(clock, wall_ms=1161, cpu_ms=60_000, used=876)
    clock.pass_ms(20)
    busy.left()
    busy._delay = lambda: 1000 * clock.seconds - 880  # type: ignore[method-assign]
    clock.pass_ms(6000)
    assert busy.left() == pytest.approx(281)
    clock.pass_ms(6000)
    assert over(busy) == "wall"


def test_the_host_tells_how_long_a_process_waited_and_whether_it_runs() -> None:
    of_this_process = Watch(os.getpid(), 100, 100, lambda: 0)
    assert of_this_process._delay() >= 0
    assert of_this_process._state() == "R"
    of_nobody = Watch(1 << 30, 100, 100, lambda: 0)
    assert (of_nobody._delay(), of_nobody._state()) == (0.0, "")


@pytest.mark.parametrize(
    ("time", "stage", "kind"),
    [
        ("wall", "start", "start_timeout"),
        ("wall", "ask", "timeout"),
        ("cpu", "start", "cpu_limit"),
        ("cpu", "ask", "cpu_limit"),
        ("host", "ask", "infrastructure"),
        ("wall", "lock", "infrastructure"),
        ("cpu", "lock", "infrastructure"),
    ],
)
def test_a_delay_has_a_name(time: str, stage: str, kind: str) -> None:
    assert kind_of_delay(time, stage) == kind  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "cpu_ms", "stage", "kind"),
    [
        (31, 0, "ask", "violation"),
        (9, 60_010, "ask", "cpu_limit"),
        (24, 60_010, "start", "cpu_limit"),
        (9, 100, "ask", "infrastructure"),
        (11, 100, "start", "start_crashed"),
        (11, 100, "ask", "crashed"),
        (3 << 8, 100, "ask", "crashed"),
        (137 << 8, 100, "ask", "crashed"),
        (1 << 8, 100, "lock", "infrastructure"),
    ],
)
def test_a_death_has_a_name(status: int, cpu_ms: int, stage: str, kind: str) -> None:
    assert kind_of_death(status, cpu_ms, stage) == kind  # type: ignore[arg-type]
