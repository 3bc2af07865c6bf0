"""The part of the story with Jasper's bots: an uploaded bot, and a remote bot that plays from his machine."""

from __future__ import annotations

from games.models import BotVersion, Trial
from games.play.fault_sentences import answer_illegal
from games.play.models import Fault
from scorebook_games.presentation.coded_text import plain
from tests.config.docs.story.teller import Teller

BOT, REMOTE = "bots/{name}/", "remote-bots/{id}/"
SOURCE = 'class Bot:\n    kinds = ("chinese_ten",)\n\n    def move(self, view, legal):\n        return legal[{}]\n'


def uploaded(teller: Teller) -> None:
    """Upload two versions of the bot Gannet, and use all operations on them."""
    ask, who, name = teller.ask, "jasper", {"name": "Gannet"}
    ask(who, "POST bots/", {"name": "Gannet", "description": "Dives."})
    ask(who, f"PATCH {BOT}", {"description": "Dives, and waits."}, **name)
    first = {**name, "number": 1}
    ask(who, f"POST {BOT}versions/", SOURCE.format(0).encode(), **name)
    ask(who, f"GET {BOT}versions/{{number}}/admission/", **first)
    Trial.objects.filter(version__number=1).update(state=Trial.State.GIVEN_UP)  # the platform failed several times
    ask(who, f"POST {BOT}versions/{{number}}/admission/", **first)
    ask(who, f"POST {BOT}versions/", SOURCE.format(-1).encode(), **name)
    BotVersion.objects.filter(bot__name="Gannet").update(state="passed", kinds=["chinese_ten"])  # by a worker's sandbox
    ask(who, "GET bots/")
    ask(who, f"GET {BOT}", **name)
    ask(who, f"GET {BOT}versions/", **name)
    ask(who, f"GET {BOT}versions/{{number}}/", **first)
    ask(who, f"GET {BOT}versions/{{number}}/source/", **first)
    ask(who, f"POST {BOT}versions/{{number}}/play/", **first)
    ask(who, f"POST {BOT}challenges/", {"kind": "chinese_ten", "bots": ["random"], "seat": 0}, **name)
    ask(who, f"POST {BOT}comparisons/", {"version": 2, "against": 1, "kind": "chinese_ten"}, **name)
    ask(who, f"GET {BOT}comparisons/", **name)
    failed(teller)
    ask(who, f"GET {BOT}faults/", **name)
    ask(who, f"GET {BOT}ratings/", **name)
    ask(who, f"GET {BOT}results/", **name)
    ask(who, f"GET {BOT}analysis/", **name)


def failed(teller: Teller) -> None:
    """Record an illegal answer of Gannet's first version."""
    Fault.objects.create(
        bot_version=BotVersion.objects.get(bot__name="Gannet", number=1),
        at=teller.now,
        kind="illegal_move",
        cost="random_move",
        sentences=plain([answer_illegal("lay K", "Only a capture is allowed.")]),
        seat=0,
        position=7,
        evidence={"ask": {"move": 7}, "reply": "lay K"},
        stderr="",
    )


def remote(teller: Teller) -> None:
    """Create the remote bot Puffin, and use all operations on it."""
    ask, who = teller.ask, "jasper"
    one = {"id": ask(who, "POST remote-bots/", {"name": "Puffin", "description": "Plays from home."})["id"]}
    ask(who, "GET remote-bots/")
    ask(who, f"GET {REMOTE}", **one)
    ask(who, f"POST {REMOTE}games/", {"kind": "chinese_ten", "built_in": ["random"]}, **one)
    ask(who, f"POST {REMOTE}versions/", {}, **one)
