"""A sample of the sweep over all formats and 2 to 200 entrants, with all the troubles of a club
(docs/how-to/run-a-league.md).

`python -m tests.bench.formats --sweep` runs all of it.
"""

from __future__ import annotations

import pytest

from tests.bench.formats import SIZES, USUAL_SIZES, Job, jobs, report, sweep_one
from tests.parameters import mostly_slow
from tests.tournaments.simulated_competition import MUCH, compete
from tournaments.formats import FORMATS

# Teams are paired as players are, by the same code.
NAMES = [name for name, format in FORMATS.items() if not format.by_teams]
SAMPLE = [
    Job(name, size, entrants, seed)
    for name in NAMES
    for size in SIZES.get(name, USUAL_SIZES)
    for seed, entrants in enumerate((2 * size + 4, 3 * size + 7)[: 1 if size > 4 else 2])
]


@pytest.mark.some(1)
@pytest.mark.parametrize("name", mostly_slow(NAMES, ["swiss", "knockout", "ladder"]))
def test_no_trouble_makes_a_dead_end_or_a_needless_rematch_or_an_unfair_rest(name: str) -> None:
    swept = [sweep_one(job) for job in SAMPLE if job.format == name]
    assert not [one.fault for one in swept if one.fault]
    assert sum(one.rounds for one in swept) > len(swept)
    assert sum(one.late for one in swept), "lest it looks at nothing"
    assert sum(one.gone for one in swept)


def test_a_sweep_tells_of_a_fault_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(map(sweep_one, [Job("swiss", 0, 9, 0), Job("swiss", 2, 9, 0)])) == 1
    output = capsys.readouterr().out
    assert "FAULT Job(format='swiss', size=0, entrants=9, seed=0) {" in output
    assert "Error" in output
    rows = [line.split() for line in output.splitlines() if line.startswith("swiss")]
    assert [row[:4] for row in rows] == [["swiss", "0", "9–9", "1"], ["swiss", "2", "9–9", "1"]]
    assert [row[4] == "0" for row in rows] == [True, False], "The second competition has rounds."


def test_a_sweep_has_every_number_at_two_and_by_turns_at_the_other_sizes() -> None:
    every = list(jobs(["swiss", "groups"], range(2, 201), 1, in_turn=True))
    assert [job.entrants for job in every if job.format == "swiss" and job.size == 2] == list(range(200, 1, -1))
    assert sorted(job.entrants for job in every if job.format == "swiss" and job.size > 2) == list(range(3, 201))
    groups = [job for job in every if job.format == "groups" and job.size > 2]
    assert sorted(job.entrants for job in groups if job.entrants >= 64) == list(range(64, 201))
    assert {job.size for job in groups} == set(range(3, 9))


def test_late_entrants_come_one_by_one_or_all_at_once() -> None:
    late = [compete("knockout", 48, seed=seed, trouble=MUCH).history for seed in range(8)]
    assert any(len(history[0].late) > 2 and not history[1].late for history in late)
    assert any(history[1].late for history in late)
