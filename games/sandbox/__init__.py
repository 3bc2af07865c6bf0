"""The sandbox for other people's bots: limits what they can do (docs/explanation/sandbox.md)."""

from games.sandbox.faults import Fault
from games.sandbox.process import Answer
from games.sandbox.sandboxed_process import SandboxedProcess
from games.sandbox.self_check import Tier, tier

__all__ = ["Answer", "Fault", "SandboxedProcess", "Tier", "tier"]
