"""How the processes of a test run share the tests out among themselves (pytest-xdist asks; tests/conftest.py)."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

BROWSER = "tests/browser/"
# What takes longest begins first, so that no process is left with it in the end when the others have nothing to do.
LONG = [f"{BROWSER}test_{name}.py" for name in ("whole_games", "axe_urls", "axe", "viewer", "playing", "demo_pages")]
# Each of their tests can go to another process: none is made cheaper by the one before it.
SINGLY = {f"{BROWSER}test_{name}.py" for name in ("whole_games", "axe_urls", "playing")}


class Shares(LoadScopeScheduling):  # type: ignore[misc]
    """A file goes to one process, which makes what its tests have in common once.

    Tests of browsers leave an event loop running, so no process goes back from them to others. They wait for two
    programs more than they work, so the first process begins with them, while the others keep the machine busy.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return nodeid if file in SINGLY else file

    def _assign_work_unit(self, node: WorkerController) -> None:
        self.workqueue.move_to_end(self._fit_for(node)[0], last=False)
        super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if self.workqueue and not self._fit_for(node):
            if not node.shutting_down:
                node.shutdown()
            return
        super()._reschedule(node)

    def _fit_for(self, node: WorkerController) -> list[str]:
        """What waits and may go to that process, what should go first in front."""
        browser = sorted(filter(in_browser, self.workqueue), key=turn)
        others = [scope for scope in self.workqueue if not in_browser(scope)]
        if any(map(in_browser, self.assigned_work[node])):
            return browser
        begins = node is self.nodes[0] and len(self.nodes) > 1
        return [*browser, *others] if begins else [*others, *browser]


def in_browser(scope: str) -> bool:
    return scope.startswith(BROWSER)


def turn(scope: str) -> int:
    """Which turn that scope has among those of browsers."""
    file = scope.partition("::")[0]
    return LONG.index(file) if file in LONG else len(LONG)
