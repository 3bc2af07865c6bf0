"""Finds out by trying whether other people's bots may run on this host, once in each process of a worker.

There is tier A, in which all restrictions hold, and `none`, in which nothing runs. There is nothing in between that a
host could fall back to unnoticed.
"""

from __future__ import annotations

import os
import platform
import threading
from pathlib import Path
from typing import NamedTuple

from games.sandbox import policy, selftest
from games.sandbox.faults import Fault
from games.sandbox.process import BotProcess
from games.sandbox.supervisor import CannotStart, Zygote

WALL_MS, CPU_MS = 10_000, 3_000  # for one of the six attacks
SHARED_ALLOWED = "SCOREBOOK_BOTS_SHARE_UID"


class Tier(NamedTuple):
    """The result: `name` is "A" or "none", and `reason` is a sentence for the operator and for people who wait for a
    match.

    `policy_hash` is that of the policy in the probe, or "" if there was none. `attacks` has the outcome of each attack.
    """

    name: str
    reason: str
    policy_hash: str
    attacks: tuple[tuple[str, str], ...] = ()


class _Known:
    """What this process has found out, and its zygotes. A forked process finds out again."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.lock = threading.RLock()
        self.tier: Tier | None = None
        self.zygotes: dict[tuple[int, int], Zygote] = {}  # by hash seed and seat


_known = _Known()


def _knowledge() -> _Known:
    global _known
    if _known.pid != os.getpid():
        _known = _Known()
    return _known


def tier() -> Tier:
    """Return the sandbox's tier on this host. The first call in a process finds it out by real attempts."""
    known = _knowledge()
    with known.lock:
        if known.tier is None:
            known.tier = probe()
        return known.tier


def zygote(hash_seed: int, seat: int) -> Zygote:
    """Return a living zygote for bots with this hash seed in this seat.

    Raises `Fault` (infrastructure) below tier A, or if no zygote starts.
    """
    known = _knowledge()
    with known.lock:
        found = tier()
        if found.name != "A":
            raise Fault("infrastructure", {"at": "start", "reason": found.reason})
        running = known.zygotes.get((hash_seed, seat))
        if running is None or not running.alive():
            known.zygotes[hash_seed, seat] = running = _started(hash_seed)
        return running


def _started(hash_seed: int) -> Zygote:
    try:
        return Zygote(hash_seed)
    except CannotStart as refused:
        raise Fault("infrastructure", {"at": "start", "reason": str(refused)}) from refused


def probe() -> Tier:
    """Start a zygote and make the six attacks."""
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        return Tier(
            "none", f"The sandbox needs Linux on x86-64, and this is {platform.system()} on {platform.machine()}.", ""
        )
    try:
        tried = Zygote()
    except CannotStart as refused:
        return Tier("none", f"The sandbox can't be set up: {refused}. {_advice()}".strip(), "")
    try:
        if tried.uid == "shared" and os.environ.get(SHARED_ALLOWED) != "1":
            return Tier("none", SHARED_REASON, "")
        return _judged(tried)
    finally:
        tried.close()


SHARED_REASON = (
    "Bots would run with this worker's uid. Run the worker as root, so that bots get their own uid. If this "
    "uid can read no secrets, you can set SCOREBOOK_BOTS_SHARE_UID=1 instead."
)


def _judged(tried: Zygote) -> Tier:
    attacks = tuple((attack.name, outcome(tried, attack)) for attack in selftest.ATTACKS)
    broken = [f"{name} ({found})" for name, found in attacks if found != "held"]
    if broken:
        return Tier("none", f"The sandbox did not hold in the self test: {'; '.join(broken)}.", "", attacks)
    facts = policy.facts(uid=tried.uid, landlock=tried.landlock)
    return Tier("A", "The sandbox works: it stopped all six test attacks.", policy.policy_hash(facts), attacks)


def outcome(tried: Zygote, attack: selftest.Attack) -> str:
    """Return "held", or what happened instead."""
    try:
        process = BotProcess(tried, selftest.PRELUDE + attack.source, wall_ms=WALL_MS, cpu_ms=CPU_MS)
    except Fault as fault:
        passed = fault.kind == attack.ends if attack.ends else fault.stderr == selftest.HELD
        return "held" if passed else f"{fault.kind}, {_last_line(fault.stderr) or fault.evidence}"
    process.close()
    return "it ran on"


def _last_line(stderr: bytes) -> str:
    return stderr.decode(errors="replace").strip().rpartition("\n")[2]


def _advice() -> str:
    """Return what forbids user namespaces on this host, as far as the kernel tells."""
    switches = {
        "user/max_user_namespaces": ("0", "sysctl user.max_user_namespaces is 0"),
        "kernel/unprivileged_userns_clone": ("0", "sysctl kernel.unprivileged_userns_clone is 0"),
        "kernel/apparmor_restrict_unprivileged_userns": (
            "1",
            "AppArmor restricts user namespaces",
        ),
    }
    advice = []
    for name, (value, sentence) in switches.items():
        file = Path("/proc/sys", name)
        if file.exists() and file.read_text().strip() == value:
            advice.append(sentence)
    return f"On this host {' and '.join(advice)}." if advice else ""
