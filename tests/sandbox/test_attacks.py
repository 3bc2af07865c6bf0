"""All attacks, with the privileges that the tests have and with none. `python -m tests.sandbox` prints the table."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from games.sandbox import self_check
from games.sandbox.supervisor import Zygote
from tests.sandbox.attacks import ATTACKS, Attack, outcome


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.title)
def test_an_attack_comes_to_what_it_should(zygote: Zygote, attack: Attack) -> None:
    assert outcome(zygote, attack) == attack.ends


def test_no_two_attacks_have_the_same_name() -> None:
    assert len({attack.title for attack in ATTACKS}) == len(ATTACKS)


# Where the kernel asks who somebody is, not only what they call.
BY_WHO_IT_IS = (
    "files: read the host's packages beside the library",
    "files: make a file",
    "files: make a file without a name",
    "files: change the library",
    "files: make folders, links and devices",
    "processes: signal all, the zygote, itself",
    "processes: see others",
    "processes: become somebody",
    "processes: be somebody",
    "processes: lift its own limits",
    "network: rename the host",
    "kernel memory: free the addresses that are taken",
    "limits: memory, bit by bit",
    "speaking: answer and compute on",
)


def without_privileges(*names: str) -> list[list[str]]:
    """The attacks of a worker without privileges: group, name, expected and actual outcome of each."""
    run = [sys.executable, "-m", "tests.sandbox.unprivileged", sys.executable, "-m", "tests.sandbox", "--json", *names]
    table = subprocess.run(run, capture_output=True, timeout=300)
    assert b"bots' uid: shared" in table.stderr
    rows: list[list[str]] = json.loads(table.stdout)
    return rows


@pytest.mark.slow
def test_attacks_come_to_the_same_where_the_worker_has_no_privileges_at_all(sandbox: self_check.Tier) -> None:
    rows = without_privileges(*BY_WHO_IT_IS)
    assert [(name, came) for _, name, expected, came in rows if came != expected] == []
    assert sorted(f"{group}: {name}" for group, name, _, _ in rows) == sorted(BY_WHO_IT_IS)


@pytest.mark.slow
def test_all_attacks_come_to_the_same_where_the_worker_has_no_privileges_at_all(sandbox: self_check.Tier) -> None:
    rows = without_privileges()
    assert [(name, came) for _, name, expected, came in rows if came != expected] == []
    assert len(rows) == len(ATTACKS)
