"""The only way to run an uploaded bot: in a sandbox of tier A, or not at all."""

from __future__ import annotations

from types import TracebackType

from games.sandbox.process import BotProcess
from games.sandbox.self_check import zygote


class SandboxedProcess(BotProcess):
    """A bot whose file has run and which has not got any line yet.

    with SandboxedProcess.start(source, hash_seed=0, wall_ms=5000, cpu_ms=2000) as sandbox:
        answer = sandbox.ask(b'{"type": "hello", …}\n', wall_ms=1000, cpu_ms=1000)
    """

    @classmethod
    def start(
        cls, source: bytes, *, hash_seed: int, wall_ms: int, cpu_ms: int, seed: int = 0, seat: int = 0
    ) -> SandboxedProcess:
        """Start a bot.

        Raises its `Fault`, or one of the kind `infrastructure` with the reason if this host has no tier A.

        `hash_seed` orders its sets, and `seed` is the seed of its `random`. There is a zygote for each hash seed and
        seat, so use few hash seeds. Bots of one zygote share memory, and can detect in the processor's caches what
        another one has just read. So bots that see different hands of one deal must not share a zygote.
        """
        return cls(zygote(hash_seed, seat), source, wall_ms=wall_ms, cpu_ms=cpu_ms, seed=seed)

    def __enter__(self) -> SandboxedProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
