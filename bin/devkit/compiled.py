"""`bin/dev compile` compiles the engines to machine code, outside the source tree
(docs/adr/0007-compiled-engines.md). `bin/dev up` does it too, beside the running parts."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from devkit import compiler
from devkit.console import Trouble, step
from devkit.paths import LOCAL, LOGS, ROOT
from devkit.processes import dying_with_parent, end_groups, give_way

ENGINES = "SCOREBOOK_ENGINE_BUILD"
WHOLE, RULES = "compiled", "rules"  # builds
AUTO = "auto"  # compiled engines where they are built, else plain ones
ASK = "from scorebook_games import build; print(build.current_build())"
LOG = LOGS / "compile.log"
POLITE = 5  # how far the compiler gives way to running parts; much further, and it would never end beside a busy league
SECONDS_TO_END = 1.0


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


def build(cc: str, made: str = WHOLE) -> str:
    """Make sure that there is a build of the present sources that can be loaded; return what was done, in words. Raises
    `Trouble`."""
    with (LOCAL / "compile.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two commands at once, the second one finds it done
        if ask(made).returncode == 0:
            return "compiled already"
        ran = run("-m", "devkit.mypyc", made, environment={**without_choice(), "CC": cc})
        if ran.returncode:
            raise Trouble(f"{ran.stdout.strip()}\nThe engines could not be compiled.")
        loaded = ask(made)
    if loaded.returncode:
        raise Trouble(f"{loaded.stdout.strip()}\nThe engines were compiled but cannot be loaded.")
    return ran.stdout.strip().splitlines()[-1]


class Compiling:
    """The engines as they are compiled beside the parts that run: a process that gives way to all others."""

    def __init__(self, cc: str) -> None:
        self.began = time.monotonic()
        leave = dying_with_parent(signal.SIGTERM)
        with LOG.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "devkit.compiled", cc],
                cwd=ROOT,
                env=without_choice(),
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=leave,
            )
        self.reported = False

    def news(self) -> str:
        """Return, once, how it ended; "" before and after that."""
        if self.reported or self.process.poll() is None:
            return ""
        self.reported = True
        if self.process.returncode:
            return f"  The engines could not be compiled and stay plain. The log is {LOG.relative_to(ROOT)}."
        seconds = time.monotonic() - self.began
        return (
            f"  Engines compiled in {seconds:.0f} s. The workers take them up now, the web process when it starts next."
        )

    @property
    def succeeded(self) -> bool:
        return self.process.poll() == 0


@contextmanager
def beside(environment: Mapping[str, str]) -> Iterator[Compiling | None]:
    """Compile the engines during the block, if there is a compiler and nobody chose a build; say what runs."""
    if environment.get(ENGINES):
        yield None
        return
    with step("engines") as done:
        cc = None if (built := ask(AUTO).stdout.strip() == "compiled") else compiler.find()
        if built:
            done("compiled")
        elif cc:
            done("plain, being compiled meanwhile")
        else:
            done(f"plain: no C compiler (Debian: {compiler.INSTALL})")
    if not cc:
        yield None
        return
    compiling = Compiling(cc)
    try:
        yield compiling
    finally:
        end_groups([compiling.process.pid], seconds=SECONDS_TO_END)
        compiling.process.wait()


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


if __name__ == "__main__":
    give_way(POLITE)
    try:
        print(build(sys.argv[1]))
    except Trouble as trouble:
        raise SystemExit(str(trouble)) from None
