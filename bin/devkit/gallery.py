"""`bin/dev gallery` shows every board in every position of the golden games, to developers."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from devkit import frontend
from devkit.console import Trouble

PORT = "4173"


def gallery(arguments: Sequence[str]) -> int:
    """Build the gallery and serve it at localhost until Ctrl-C. The one argument is another port."""
    if len(arguments) > 1 or not all(argument.isdecimal() for argument in arguments):
        raise Trouble("bin/dev gallery takes at most a port.")
    node = frontend.find()
    frontend.install(node)
    frontend.write_golden_games()
    frontend.run(node, "run", "gallery:build")
    port = arguments[0] if arguments else PORT
    print(f"The gallery of boards is at http://localhost:{port}/. Ctrl-C stops it.", flush=True)
    command = [*node.npm, "run", "--silent", "gallery", "--", "--port", port, "--logLevel", "warn"]
    return subprocess.run(command, cwd=frontend.FOLDER, env=node.environment, check=False).returncode
