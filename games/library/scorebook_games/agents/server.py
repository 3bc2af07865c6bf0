"""`scorebook-mcp`: the tools of an agent, for a host of language models, by the Model Context Protocol.

    {"mcpServers": {"scorebook": {"command": "scorebook-mcp", "args": ["--server", "https://…"],
                                  "env": {"SCOREBOOK_TOKEN": "sb_…"}}}}

It needs the extra `mcp` of the kit (docs/how-to/let-a-language-model-play.md). The host starts it and talks to it over
its standard input and output.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from scorebook_games.agents.tools import TIMEOUT_SECONDS, Agent
from scorebook_games.bots.sdk.remote import Server, ServerRefusal

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

NAME: Final = "scorebook"
INSTRUCTIONS: Final = (
    "You play card and dice games against people and bots. Begin with find_game. Read the rules of the kind once, look "
    "with observe, and play one of your legal moves before your clock runs out. Refusals say what to do."
)
TOOLS: Final = ("find_game", "observe", "legal_moves", "play", "rules", "say_why")


def server_for(agent: Agent) -> MCPServer[Any]:
    """Return a server that offers the tools of `agent`. What the platform refuses is an error of the tool, with the
    sentence that says what to do. Raises ImportError without the extra `mcp`."""
    from mcp.server.mcpserver import MCPServer  # noqa: PLC0415  an extra, which `--help` does not need

    made: MCPServer[Any] = MCPServer(NAME, instructions=INSTRUCTIONS)
    for name in TOOLS:
        made.tool(structured_output=False)(answering(getattr(agent, name)))
    return made


def answering(tool: Callable[..., str]) -> Callable[..., str]:
    """Return the tool with refusals of the server, also of one that is away, as the protocol's errors."""
    from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415

    @functools.wraps(tool)
    def answer(*arguments: Any, **named: Any) -> str:
        try:
            return tool(*arguments, **named)
        except ServerRefusal as refused:
            raise ToolError(str(refused)) from refused

    return answer


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="scorebook-mcp", description="Let a language model play, by MCP.")
    made.add_argument("--server", required=True, help="address of the server, https://…")
    made.add_argument("--token", default="", help="default: SCOREBOOK_TOKEN in the environment")
    return made


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command until the host closes its input; return 1 if it cannot begin."""
    given = parser().parse_args(arguments)
    token = given.token or os.environ.get("SCOREBOOK_TOKEN", "")
    if not token:
        sys.stderr.write("Give the token of your remote bot: SCOREBOOK_TOKEN=sb_… scorebook-mcp --server …\n")
        return 1
    try:
        made = server_for(Agent(Server(given.server, token, TIMEOUT_SECONDS)))
    except ImportError:
        sys.stderr.write('The extra `mcp` is missing: pip install "scorebook-games[mcp]"\n')
        return 1
    made.run()
    return 0


if __name__ == "__main__":
    sys.exit(run())
