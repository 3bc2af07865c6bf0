"""The platform tests which sandbox it can build. Below tier A it runs no bots of others and reports the reason."""

from __future__ import annotations

import grp
import os
import platform
import pwd
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import run_checks

from games.sandbox import Fault, SandboxedProcess, Tier, policy, root, self_check, selftest, supervisor, tier
from games.sandbox.selftest import Attack

ASK = "from games.sandbox import tier; print(*tier()[:2])"


@pytest.fixture
def afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has not tested the sandbox yet."""
    monkeypatch.setattr(self_check, "_known", self_check._Known())


def test_tier_a_stands_on_six_attacks_that_were_held(sandbox: Tier) -> None:
    assert sandbox.name == "A"
    assert [came for _, came in sandbox.attacks] == ["held"] * 6
    assert len(sandbox.policy_hash) == 64


def test_the_modules_that_the_zygote_takes_along_are_there() -> None:
    """This needs only files, so it also runs on a machine without a sandbox."""
    folder = Path(root.__file__).parent
    assert [name for name in root.ZYGOTE if not (folder / f"{name}.py").is_file()] == []
    assert folder.as_posix().endswith(root.PACKAGE)


def test_a_process_finds_out_once() -> None:
    assert tier() is tier()


def test_whoever_is_forked_from_it_finds_out_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    before = self_check._knowledge()
    monkeypatch.setattr(os, "getpid", lambda: 1)
    assert self_check._knowledge() is not before


@pytest.mark.slow
@pytest.mark.usefixtures("afresh", "sandbox")
def test_one_attack_that_gets_through_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    let_through = Attack("read what all may read", b"report(refused(open, os.__file__))")
    monkeypatch.setattr(selftest, "ATTACKS", (*selftest.ATTACKS, let_through))
    found = tier()
    assert (found.name, found.policy_hash) == ("none", "")
    assert found.reason == (
        "The sandbox did not hold in the self test: read what all may read (start_crashed, broken)."
    )


@pytest.mark.usefixtures("afresh", "sandbox")
def test_below_tier_a_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "ATTACKS", (Attack("nothing", b"report(False)"),))
    with pytest.raises(Fault) as caught:
        SandboxedProcess.start(b"", hash_seed=0, wall_ms=1000, cpu_ms=1000)
    assert caught.value.kind == "infrastructure"
    assert caught.value.evidence["reason"] == tier().reason


@pytest.mark.slow
@pytest.mark.usefixtures("afresh")
def test_an_attack_that_could_not_be_made_counts_as_not_held(monkeypatch: pytest.MonkeyPatch, sandbox: Tier) -> None:
    monkeypatch.setattr(selftest, "ATTACKS", (Attack("a typing error", b"reprot(True)"),))
    assert "NameError" in tier().reason


def test_another_machine_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert self_check.probe() == Tier("none", "The sandbox needs Linux on x86-64, and this is Linux on aarch64.", "")


def test_a_host_without_user_namespaces_has_none_and_says_why(sandbox: Tier) -> None:
    run = [sys.executable, "-m", "tests.sandbox.unprivileged", "--no-namespaces", sys.executable, "-c", ASK]
    asked = subprocess.run(run, capture_output=True, text=True, timeout=240)
    assert asked.stdout == (
        "none The sandbox can't be set up: OSError: [Errno 28] unshare: No space left on device. "
        "On this host sysctl user.max_user_namespaces is 0.\n"
    )


def test_a_bot_that_can_not_be_locked_up_does_not_run(sandbox: Tier) -> None:
    """The limits of this worker are below those of a bot, so the last steps fail. No line of the bot may run."""
    lower = "import resource; resource.setrlimit(resource.RLIMIT_STACK, (4 << 20, 4 << 20)); "
    asked = subprocess.run([sys.executable, "-c", lower + ASK], capture_output=True, text=True, timeout=240)
    assert asked.stdout.startswith("none The sandbox did not hold in the self test: files:")
    assert asked.stdout.count("(infrastructure, ValueError: not allowed to raise maximum limit)") == 6


@pytest.mark.parametrize("uid", ["-1", "0", "root", "65123x", "", "4294967295", "4294967296"])
def test_what_is_no_uid_for_bots_is_refused_before_anything_starts(monkeypatch: pytest.MonkeyPatch, uid: str) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SCOREBOOK_BOT_UID", uid)
    found = self_check.probe()
    assert (found.name, found.policy_hash) == ("none", "")
    assert (
        f"SCOREBOOK_BOT_UID is {uid!r}. It must be unset or a number from 1 to 4294967294 that belongs to no account"
        in found.reason
    )
    assert [error.msg for error in run_checks() if error.id == "games.E002"] == [
        found.reason.partition(": ")[2].strip()
    ]


def test_a_gid_that_is_a_groups_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot gets the gid with the same number as its uid."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    taken = next(
        each for each in grp.getgrall() if each.gr_gid and not any(p.pw_uid == each.gr_gid for p in pwd.getpwall())
    )
    monkeypatch.setenv("SCOREBOOK_BOT_UID", str(taken.gr_gid))
    with pytest.raises(supervisor.CannotStart, match=f"which belongs to the group {taken.gr_name}"):
        supervisor.whose_uid()


def test_a_uid_that_is_an_accounts_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SCOREBOOK_BOT_UID", "65534")
    found = self_check.probe()
    assert found.name == "none"
    assert "Bots would run as uid 65534, which belongs to nobody. Set SCOREBOOK_BOT_UID" in found.reason


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_a_worker_that_is_not_root_shares_its_uid_only_if_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "whose_uid", lambda: ("shared", None))
    monkeypatch.delenv(self_check.SHARED_ALLOWED)
    assert self_check.probe() == Tier("none", self_check.SHARED_REASON, "")
    monkeypatch.setenv(self_check.SHARED_ALLOWED, "1")
    assert self_check.probe().name == "A"


@pytest.mark.slow
def test_a_zygote_that_does_not_come_up_says_what_happened(tmp_path: Path) -> None:
    with pytest.raises(supervisor.CannotStart, match="FileNotFoundError"):
        supervisor.Zygote(sdk=tmp_path / "none.py")
    (tmp_path / "broken.py").write_text("import os; os._exit(1)")
    with pytest.raises(supervisor.CannotStart, match="did not start: It has ended"):
        supervisor.Zygote(sdk=tmp_path / "broken.py")


def test_the_policy_hash_is_of_everything_that_holds() -> None:
    here = policy.facts(uid="own", landlock=7)
    assert policy.policy_hash(here) == policy.policy_hash(policy.facts(uid="own", landlock=7))
    for name in here:
        assert policy.policy_hash(here | {name: "other"}) != policy.policy_hash(here)
    assert policy.policy_hash(policy.facts(uid="shared", landlock=7)) != policy.policy_hash(here)
