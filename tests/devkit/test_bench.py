"""`bin/dev bench` compares what was measured with the committed figures."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

from devkit import bench, compiled, compiler, database
from devkit.console import Trouble
from devkit.database import Database

FIGURES = {"a move, units": 10.0, "a move, queries": 8.0}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, float]]:
    """Replace the measurements by these, one after the other; the figures are `FIGURES`."""
    measured: list[dict[str, float]] = []
    figures = tmp_path / "ratchet.json"
    figures.write_text(json.dumps(FIGURES))

    def run(group: bench.Group) -> dict[str, float]:
        group.names = list(FIGURES)
        return measured.pop(0)

    place = Database("postgresql:///a", "postgresql:///b", "ours", is_ours=True)
    monkeypatch.setattr(bench, "FIGURES", figures)
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench.Group, "__call__", run)
    monkeypatch.setattr(bench, "measured_groups", lambda _environment: [bench.Group("product", {})])
    monkeypatch.setattr(database, "brought", lambda: contextlib.nullcontext(place))
    return measured


def test_a_tenth_more_of_a_count_and_twice_a_time_are_allowed(
    runs: list[dict[str, float]], capsys: pytest.CaptureFixture[str]
) -> None:
    runs.append({"a move, units": 19.0, "a move, queries": 8.7})
    assert bench.bench([]) == 0
    assert "LOST" not in capsys.readouterr().out


def test_more_than_a_tenth_of_a_count_that_stays_fails_and_is_named(
    runs: list[dict[str, float]], capsys: pytest.CaptureFixture[str]
) -> None:
    runs += [{"a move, units": 5.0, "a move, queries": 9.0}] * 3
    assert bench.bench([]) == 1
    assert "a move, queries  +12%: LOST" in capsys.readouterr().out
    assert runs == []


def test_what_other_work_disturbed_is_measured_again_and_the_least_counts(runs: list[dict[str, float]]) -> None:
    runs += [{"a move, units": 22.0, "a move, queries": 8.0}, {"a move, units": 9.0, "a move, queries": 8.0}]
    assert bench.bench([]) == 0
    assert runs == []


def test_a_row_without_a_figure_fails_until_it_is_written(runs: list[dict[str, float]]) -> None:
    new = {**FIGURES, "a page, queries": 5.0}
    runs += [new, new, new]
    assert bench.bench([]) == 1
    assert bench.bench(["--write"]) == 0
    assert bench.bench([]) == 0


def test_a_figure_of_what_is_no_longer_measured_fails_until_it_is_written(
    runs: list[dict[str, float]], capsys: pytest.CaptureFixture[str]
) -> None:
    fewer = {"a move, units": 10.0}
    runs += [fewer, fewer, fewer]
    assert bench.bench([]) == 1
    assert "a move, queries: NOT MEASURED" in capsys.readouterr().out
    assert bench.bench(["--write"]) == 0
    assert bench.bench([]) == 0


def test_figures_of_the_compiled_build_are_kept_where_it_is_not_measured(runs: list[dict[str, float]]) -> None:
    natively = {"plates, compiled: a ledger, units": 5.0}
    bench.FIGURES.write_text(json.dumps({**FIGURES, **natively}))
    runs += [FIGURES, FIGURES]
    assert bench.bench([]) == 0
    assert bench.bench(["--write"]) == 0
    assert json.loads(bench.FIGURES.read_text()) == {**FIGURES, **natively}


def test_without_a_compiler_the_compiled_engines_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "find", lambda: None)
    assert [group.environment[compiled.ENGINES] for group in bench.measured_groups({})] == ["plain", "plain"]


def test_bench_takes_no_other_argument() -> None:
    with pytest.raises(Trouble, match="no argument but --write"):
        bench.bench(["fast"])
