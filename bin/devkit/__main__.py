"""Runs the commands of `bin/dev`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence

from config.translations import catalogues
from devkit import database
from devkit.bench import bench
from devkit.checks import check
from devkit.compiled import compile_engines
from devkit.console import Trouble
from devkit.dump import dump, load
from devkit.formatting import fmt
from devkit.gallery import gallery
from devkit.lock import pin
from devkit.messages import messages
from devkit.paths import LOCAL, ROOT, private_folder, secret
from devkit.pictures import pictures
from devkit.release import release
from devkit.supervise import interrupt_on_signals
from devkit.tests import test
from devkit.up import down, up
from devkit.wheel import wheel
from devkit.worker import worker

USAGE = ROOT / "bin" / "devkit" / "usage.txt"  # the shell script `bin/dev` prints it as help


def manage(arguments: Sequence[str]) -> int:
    with database.brought() as place:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments], env=place.owner_environment(), check=False
        ).returncode


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "up": up,
    "down": down,
    "worker": worker,
    "test": test,
    "check": check,
    "fmt": fmt,
    "messages": messages,
    "compile": compile_engines,
    "bench": bench,
    "wheel": wheel,
    "manage": manage,
    "dump": dump,
    "load": load,
    "gallery": gallery,
    "pictures": pictures,
    "pin": pin,
    "release": release,
}


def keep_bytecode() -> None:
    """Keep bytecode in `.local` if it is not allowed beside the sources. Images for continuous integration often set
    PYTHONDONTWRITEBYTECODE, and then each of many processes would compile some 1,500 modules again."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(LOCAL / "bytecode"))


def main(arguments: Sequence[str]) -> int:
    """Run a command. The exit code is the command's own, 1 for trouble, 2 for an unknown command, 130 after Ctrl-C."""
    if not arguments or arguments[0] not in COMMANDS:
        print(USAGE.read_text(), end="", file=sys.stderr)
        return 2
    os.chdir(ROOT)
    interrupt_on_signals()
    try:
        private_folder(LOCAL)
        keep_bytecode()
        os.environ.setdefault("SECRET_KEY", secret("secret_key"))
        catalogues.compile_stale()
        return COMMANDS[arguments[0]](arguments[1:])
    except Trouble as trouble:
        print(f"\n{trouble}", file=sys.stderr)
        return 1
    except PermissionError as error:
        print(
            f"\n{error.filename} belongs to another user, perhaps from an earlier run as root. Run as that user.",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
