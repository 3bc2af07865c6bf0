"""The one way in: a bot of somebody else's, in a cage of tier A or not at all."""

from __future__ import annotations

from types import TracebackType

from games.bots.sandbox.probe import zygote
from games.bots.sandbox.process import BotProcess


class Cage(BotProcess):
    """A bot whose file has run and which has not been told anything yet.

    with Cage.start(source, hash_seed=0, wall_ms=5000, cpu_ms=2000) as cage:
        answer = cage.ask(b'{"type": "hello", …}\\n', wall_ms=1000, cpu_ms=1000)
    """

    @classmethod
    def start(cls, source: bytes, *, hash_seed: int, wall_ms: int, cpu_ms: int, seed: int = 0) -> Cage:
        """Raises `Fault`: the bot's, or `infrastructure` with the reason where this host has no tier A.

        `hash_seed` orders its sets, and there is a zygote for each: use few. `seed` is what its `random` starts from.
        """
        return cls(zygote(hash_seed), source, wall_ms=wall_ms, cpu_ms=cpu_ms, seed=seed)

    def __enter__(self) -> Cage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
