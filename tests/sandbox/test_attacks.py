"""The whole table, with the privileges that the tests have, and with none. `python -m tests.sandbox` prints it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from games.bots.sandbox import probe
from games.bots.sandbox.keeper import Zygote
from tests.sandbox.attacks import ATTACKS, Attack, outcome


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.group}: {attack.name}")
def test_an_attack_comes_to_what_it_should(zygote: Zygote, attack: Attack) -> None:
    assert outcome(zygote, attack) == attack.ends


def test_no_two_attacks_have_the_same_name() -> None:
    assert len({(attack.group, attack.name) for attack in ATTACKS}) == len(ATTACKS)


def test_all_attacks_come_to_the_same_where_the_worker_has_no_privileges_at_all(sandbox: probe.Tier) -> None:
    table = subprocess.run(
        [sys.executable, "-m", "tests.sandbox.unprivileged", sys.executable, "-m", "tests.sandbox", "--json"],
        capture_output=True,
        timeout=300,
    )
    rows = json.loads(table.stdout)
    assert [(name, came) for _, name, expected, came in rows if came != expected] == []
    assert len(rows) == len(ATTACKS)
    assert b"bots' uid: shared" in table.stderr
