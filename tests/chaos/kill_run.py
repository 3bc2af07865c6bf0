"""The run of `tests.chaos.kills`: who uses the platform, what is killed, and how long it takes to work again."""

from __future__ import annotations

import os
import random
import signal
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from docs.scorebook_client import Scorebook
from games.accounts import people, tokens
from games.bots import uploads
from games.models import BotVersion, Game, Player, Trial
from tests.chaos import platform_checks
from tests.chaos.balancer import balancing
from tests.chaos.killer import VICTIMS, Killed, Killer, answers, asked, takes_part
from tests.chaos.platform import Part, Platform, until
from tests.chaos.visitors import Author, Browser, Ledger, Organiser, Person, Receiver, Watcher, at_home
from tests.tournaments.club import new_club
from tournaments.seasons.models import League, Season
from tournaments.webhooks import services as webhooks
from tournaments.webhooks.models import Webhook

SECONDS_TO_COME_UP: Final = 120.0
GIVE_UP_SECONDS: Final = 90.0  # limit for one part to work again
SECONDS_TO_END: Final = 600.0  # limit for all running games and seasons to end
WEBHOOK_SECONDS: Final = 120.0  # limit for all messages of webhooks to arrive
SECONDS_TO_GO: Final = 10.0  # limit for the processes to end that a killed process had started
MAX_OPEN_KILLS: Final = 2  # parts that were killed and do not work again yet
GAP: Final = (0.1, 1.6)  # limits of the seconds between two kills
PEOPLE, SANDBOXED, WATCHERS = 6, 4, 3
BUILTIN_BOT_COUNTS: Final = {"random": 2, "sensible": 2}
TERMS: Final = {
    "move_seconds": 120,
    "bank_seconds": 60,
    "check_in_minutes": 0,
    "bot_pace_ms": 150,
    "bot_move_ms": 10_000,
    "bot_cpu_ms": 10_000,
}
KINDS: Final = ("chinese_ten", "palace")
SOURCE: Final = (
    "class Bot:\n    kinds = ('chinese_ten', 'palace')\n\n    def move(self, view, legal):\n        return legal[{}]\n"
)


def somebody(name: str) -> Player:
    user = User.objects.create_user(name.lower().replace(" ", "-"))
    return people.create_profile_and_player(user, name)


def secret_of(player: Player) -> str:
    assert player.user
    return tokens.create_token(user=player.user, name="kills", wanted=["read", "play", "bots", "organise"])[1]


def session_of(player: Player) -> str:
    assert player.user
    browser = Client()
    browser.force_login(player.user)
    return str(browser.cookies["sessionid"].value)


def sandboxed_bots() -> list[Player]:
    """Create uploaded bots that may play, without an admission. `Author` uploads a bot that goes through admission."""
    made = []
    for number in range(SANDBOXED):
        author = somebody(f"Author {number}")
        assert author.user
        bot = uploads.new_bot(owner=author.user, name=f"Sandboxed {number}")
        with transaction.atomic():
            version = uploads.upload_version(bot=bot, data=SOURCE.format(-number % 2 - 1).encode())
            version.trials.all().delete()
            BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.PASSED, kinds=list(KINDS))
        made.append(Player.objects.get(bot_version=version))
    return made


def plan_of(players: list[int]) -> Callable[[int], dict[str, Any]]:
    """Return a function that returns the organiser's plan of season `number`."""

    def plan(number: int) -> dict[str, Any]:
        kind = KINDS[number % len(KINDS)]
        options = {"packs": 1, "turn_limit": 8} if kind == "chinese_ten" else {"turn_limit": 16}
        return {
            "club": "lantern",
            "league": f"league-{number % 2}",
            "name": f"Season {number}",
            "kind": kind,
            "options": options,
            "terms": TERMS,
            "format": "swiss",
            "format_options": {"rounds": 2},
            "games_a_match": 1,
            "calendar": {"seconds": 1},
            "players": players,
            "bots": BUILTIN_BOT_COUNTS,
            "start": True,
        }

    return plan


@contextmanager
def inhabited(platform: Platform, chance: random.Random) -> Iterator[tuple[Ledger, Receiver, Webhook, Organiser]]:
    """Run all visitors of the platform within the block. Yield their ledger, the receiver, its webhook and the
    organiser."""
    owner = somebody("Niamh")
    assert owner.user
    club = new_club(name="Lantern Street", slug="lantern", owner=owner.user)
    for number in range(2):
        League.objects.create(club=club, slug=f"league-{number}", name=f"League {number}")
    ledger, receiver = Ledger(), Receiver()
    events = ["game.over", "round.opened", "season.closed"]
    hook, receiver.secret = webhooks.create_webhook(user=owner.user, club=club, url=receiver.url, events=events)
    players, sandboxed = [somebody(f"Person {number}") for number in range(PEOPLE)], sandboxed_bots()
    authors = [bot.bot_version.bot.owner for bot in sandboxed if bot.bot_version]
    for user in (*(each.user for each in players), *authors):
        assert user
        club.memberships.create(user=user)
    dora = somebody("Dora")
    assert dora.user
    uploads.new_bot(owner=dora.user, name="Gannet")

    def dice() -> random.Random:
        return random.Random(chance.random())

    with balancing([part.port for part in platform.webs]) as address:
        organiser = Organiser(
            Scorebook(address, secret_of(owner)), ledger, plan_of([each.pk for each in players + sandboxed])
        )
        playing = [
            Person(
                Browser(address, session_of(each)) if number % 2 else Scorebook(address, secret_of(each)),
                each.pk,
                ledger,
                dice(),
            )
            for number, each in enumerate(players)
        ]
        watching = [Watcher(Scorebook(address), ledger, dice(), organiser.enough) for _ in range(WATCHERS)]
        author = Author(Scorebook(address, secret_of(dora)), ledger, "Gannet", SOURCE.format(-1), organiser.enough)
        with at_home(organiser, author, *playing, *watching):
            yield ledger, receiver, hook, organiser


# the run


@dataclass
class Run:
    """The kills so far, and the faults found. `times` are the seconds until it worked again, by what was killed."""

    platform: Platform
    killer: Killer
    chance: random.Random
    kills: int
    open: list[Killed] = field(default_factory=list)
    times: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    found: list[str] = field(default_factory=list)
    made: int = 0
    next_at: float = 0.0

    def step(self) -> None:
        """Restart what died, check what works again, and make the next kill if it is due."""
        self.platform.watch()
        now = time.monotonic()
        for each in list(self.open):
            if each.wake and now >= each.wake_at:
                for pid in each.wake:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGCONT)
                each.wake = []
            if each.works() and not each.wake:
                self.times[each.what].append(time.monotonic() - each.begun)
                self.open.remove(each)
            elif now - each.begun > GIVE_UP_SECONDS:
                self.found.append(f"Kill {self.made}: {each.what} did not work again within {GIVE_UP_SECONDS:.0f} s.")
                self.open.remove(each)
        if self.made < self.kills and len(self.open) < MAX_OPEN_KILLS and now >= self.next_at:
            self.next_at = now + self.chance.uniform(*GAP)
            if killed := self.killer.kill():
                self.made += 1
                self.open.append(killed)
                if self.made % 10 == 0:
                    print(f"  {self.made} kills", flush=True)

    def goes_on(self) -> bool:
        return self.made < self.kills or bool(self.open)


def run(platform: Platform, kills: int, chance: random.Random) -> list[str]:
    """Run everything and return the faults."""
    if not until(lambda: all(ready(part) for part in platform.parts.values()), SECONDS_TO_COME_UP, platform.watch):
        return [f"The platform does not come up; the logs are in {platform.folder}."]
    with inhabited(platform, chance) as (ledger, receiver, hook, organiser):
        begun = time.monotonic()
        state = Run(platform, Killer(platform, chance), chance, kills)
        until(lambda: Game.objects.filter(status="finished").exists(), 120, platform.watch)
        while state.goes_on():
            state.step()
            time.sleep(0.05)
        print(
            f"{state.made} kills in {time.monotonic() - begun:.0f} s; now everything has to end by itself", flush=True
        )
        organiser.enough.set()
        ended = time.monotonic()
        until(lambda: organiser.done.is_set() and asked(lambda: is_over(ledger)), SECONDS_TO_END, platform.watch)
        print(f"ended after {time.monotonic() - ended:.0f} s", flush=True)
        state.found += drained(platform, receiver, hook)
    print("\n".join(table(state.times)))
    print("\n".join(figures(ledger, receiver)), flush=True)
    return [*state.found, *platform_checks.faults(ledger, receiver, hook)]


def ready(part: Part) -> bool:
    if part.name.startswith("web"):
        return answers(part.port)
    return takes_part(part, set()) if "-c" in part.command else part.runs()


def is_over(ledger: Ledger) -> bool:
    """Return whether no game, season or trial is running and all watchers have received the end."""
    on = Game.objects.filter(status="playing").exists() or Season.objects.exclude(status="finished").exists()
    tried = Trial.objects.exclude(state__in=("done", "given_up")).exists()
    return not (on or tried or any(not each.ended for each in ledger.watched))


def drained(platform: Platform, receiver: Receiver, hook: Webhook) -> Iterator[str]:
    """Wait until webhooks have arrived, stop beat, and yield the messages that stay with the broker and the processes
    that belong to no part. `unharmed` finds webhooks that have not arrived."""
    redis = platform.parts["redis"].port if "redis" in platform.parts else 0
    platform_checks.hasten(platform.broker, redis)
    until(
        lambda: asked(lambda: not any(platform_checks.delivery_faults(receiver, hook))), WEBHOOK_SECONDS, platform.watch
    )
    beat = platform.parts.pop("beat")
    if beat.process:
        beat.process.terminate()
        beat.process.wait()

    def empty() -> bool:
        platform_checks.hasten(platform.broker, redis)
        return not any(platform_checks.waiting(platform.broker, redis).values())

    if not until(lambda: asked(empty), 60, platform.watch):
        yield f"Messages are stuck: {platform_checks.waiting(platform.broker, redis)}."
    until(lambda: not platform.strays(), SECONDS_TO_GO, platform.watch)
    for stray in platform.strays():
        yield f"Process of no part: {stray}"


def table(times: dict[str, list[float]]) -> Iterator[str]:
    yield f"{'killed':24} times  seconds until it works again: median  worst"
    for what in VICTIMS:
        if own := times.get(what):
            yield f"{what:24}{len(own):6}{statistics.median(own):39.1f}{max(own):7.1f}"
    everything = [each for own in times.values() for each in own]
    if everything:
        yield f"{'all':24}{len(everything):6}{statistics.median(everything):39.1f}{max(everything):7.1f}"


def figures(ledger: Ledger, receiver: Receiver) -> Iterator[str]:
    """Yield what happened during the run, in numbers."""
    resumed = Game.objects.filter(attempt__gt=1).count()
    again = sum(len(bodies) > 1 for bodies in receiver.came.values())
    connections = sum(each.connections for each in ledger.watched)
    yield f"{Season.objects.count()} seasons, {Game.objects.count()} games, {resumed} claimed more than once"
    moves = f"{len(ledger.played)} moves of people, and {len(ledger.unsure)} without an answer"
    yield f"{moves}; {ledger.lost} requests given up"
    yield f"refused: {dict(ledger.refused) or 'none'}"
    watched = f"{len(ledger.watched)} games watched, {connections} connections"
    yield f"{len(ledger.versions)} versions in admission; {watched}"
    yield f"{len(receiver.came)} messages of webhooks, {again} of them more than once"
