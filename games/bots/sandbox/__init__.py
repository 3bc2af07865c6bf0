"""The cage for bots of others: what they may do, and that they can do nothing else (docs/sandbox.md)."""

from games.bots.sandbox.cage import Cage
from games.bots.sandbox.faults import Fault
from games.bots.sandbox.process import Answer
from games.bots.sandbox.self_check import Tier, tier

__all__ = ["Answer", "Cage", "Fault", "Tier", "tier"]
