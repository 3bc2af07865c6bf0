"""`bin/dev compile` compiles the engines to machine code, outside the source tree
(docs/adr/0007-compiled-engines.md)."""

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
ASK = "from scorebook_games import build; print(build.current_build())"


def compile_engines(arguments: Sequence[str]) -> int:
    """Compile the engines, unless the present sources are compiled already."""
    if arguments:
        raise Trouble("bin/dev compile takes no arguments.")
    cc = compiler_brought()
    if cc is None:
        raise Trouble(
            "Compiling the engines needs a C compiler and Python's headers. Install them (Debian: "
            f"{compiler.INSTALL}), or name a compiler: CC=/path/to/gcc bin/dev compile"
        )
    with step("engines") as done:
        done(build(cc))
    print(f"To use it, set {ENGINES}=compiled for a process.")
    return 0


def compiler_brought() -> str | None:
    with step("compiler") as done:
        cc = compiler.bring()
        done(cc or "none")
    return cc


def build(cc: str) -> str:
    """Make sure that there is a build of the present sources that can be loaded; return what was done, in words. Raises
    `Trouble`."""
    with (LOCAL / "compile.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two commands at once, the second one finds it done
        if ask("compiled").returncode == 0:
            return "compiled already"
        ran = run("-m", "devkit.mypyc", environment={**without_choice(), "CC": cc})
        if ran.returncode:
            raise Trouble(f"{ran.stdout.strip()}\nThe engines could not be compiled.")
        loaded = ask("compiled")
    if loaded.returncode:
        raise Trouble(f"{loaded.stdout.strip()}\nThe engines were compiled but cannot be loaded.")
    return ran.stdout.strip().splitlines()[-1]


def ask(wanted: str) -> subprocess.CompletedProcess[str]:
    """Run a process with the build `wanted` (SCOREBOOK_ENGINE_BUILD). It prints the build, or fails with the reason."""
    return run("-c", ASK, environment={**os.environ, ENGINES: wanted})


def without_choice() -> dict[str, str]:
    """Return the environment for a process that uses the engines' sources."""
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
