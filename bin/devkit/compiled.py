"""`bin/dev compile`: the engines as machine code, outside the tree (docs/adr/0007-compiled-engines.md)."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Sequence

from devkit import compiler
from devkit.console import Trouble, step
from devkit.paths import LOCAL, ROOT

ENGINES = "SCOREBOOK_ENGINE_BUILD"
ASK = "from games import build; print(build.current_build())"


def compile_engines(arguments: Sequence[str]) -> int:
    """Builds them, unless the build of these very sources is there already."""
    if arguments:
        raise Trouble("bin/dev compile takes no arguments.")
    cc = compiler_brought()
    if cc is None:
        raise Trouble(
            "Compiling the engines needs a C compiler and Python's headers. Install them (Debian: "
            f"{compiler.INSTALL}), or name a compiler: CC=/path/to/gcc bin/dev compile"
        )
    bring(cc)
    print(f"To use it, set {ENGINES}=compiled for a process.")
    return 0


def compiler_brought() -> str | None:
    with step("compiler") as done:
        cc = compiler.bring()
        done(cc or "none")
    return cc


def bring(cc: str) -> None:
    """A build of these sources that loads, made now if need be."""
    with step("engines") as done, (LOCAL / "compile.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two commands at once: the second finds it done
        if ask("compiled").returncode == 0:
            done("compiled already")
            return
        ran = run("-m", "devkit.mypyc", environment={**without_choice(), "CC": cc})
        if ran.returncode:
            raise Trouble(f"{ran.stdout.strip()}\nThe engines could not be compiled.")
        done(ran.stdout.strip().splitlines()[-1])
        loaded = ask("compiled")
    if loaded.returncode:
        raise Trouble(f"{loaded.stdout.strip()}\nThe engines were compiled but cannot be loaded.")


def ask(wanted: str) -> subprocess.CompletedProcess[str]:
    """A process that runs the build that is `wanted`, or ends with the reason why not."""
    return run("-c", ASK, environment={**os.environ, ENGINES: wanted})


def without_choice() -> dict[str, str]:
    """The environment of a process that takes the engines as they lie in the tree."""
    return {name: value for name, value in os.environ.items() if name != ENGINES}


def run(*arguments: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
