"""What becomes of a game when a bot fails: what it costs by the terms, and what is written down of it.

The log is told seat and kind (`@fault`); a row beside it holds the evidence for the bot's author.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from games.common import clock
from games.engines.base import Event, OptionError
from games.engines.chance import SeedDealer
from games.gamelog import events as ev
from games.gamelog.fold import Fold
from games.gamelog.terms import BEATS, LIVE
from games.models import BotVersion, Game, Player
from games.play import departures
from games.play.models import Fault
from games.programs import requests

RANDOM_BOT: Final = "random"  # the built-in bot that draws a move by lot
DEFAULT_MAX_FAULTS: Final = 3
DEFAULT_MAX_VIOLATIONS: Final = 3


def check_players(players: Sequence[Player], pace: str, *, on_trial: bool) -> None:
    """Raise `OptionError` where an uploaded bot among `players` may not sit down to a game of that pace, or a bot of
    somebody's that does not play."""
    versions = [player.bot_version for player in players if player.bot_version and not player.bot_version.is_built_in]
    if pace == LIVE and any(version.is_upload for version in versions):
        raise OptionError("pace", _("Uploaded bots cannot play live races. Choose beats or turns."))
    for version in versions:
        if not (on_trial or version.may_play):
            sentence = _("{version} cannot play: it is {state}. Choose another version.")
            raise OptionError("players", sentence.format(version=version, state=version.standing))


def fault_cost(fold: Fold, seat: int, kind: str) -> str:
    """What a fault of that kind costs `seat` by the terms (`Fault.Cost`).

    Where only the seat itself knows that it may act, nothing: what it cost would tell the others.
    """
    if kind == Fault.Kind.INFRASTRUCTURE or seat not in fold.awaited():
        return Fault.Cost.NONE
    forfeits = fold.faults.get(seat, 0) + 1 >= max_faults(fold)
    return Fault.Cost.FORFEIT if forfeits else Fault.Cost.RANDOM_MOVE


def max_faults(fold: Fold) -> int:
    """With which fault of a bot its seat is forfeited by the terms."""
    most: int = fold.opened["terms"].get("bot_faults", DEFAULT_MAX_FAULTS)
    return most


def fault_events(fold: Fold, seat: int, kind: str, programs: Mapping[int, str], dealer: SeedDealer) -> list[Event]:
    """The events of a fault in turns: itself, and what it costs. None where it costs nothing: that counts as a pass."""
    cost = fault_cost(fold, seat, kind)
    if cost == Fault.Cost.NONE:
        return []
    if cost == Fault.Cost.FORFEIT:
        return [[ev.FAULT, seat, kind], *departures.leave_events(fold, seat, departures.FORFEITED, programs)]
    action = requests.action(fold, seat, RANDOM_BOT, dealer.seed)
    return [[ev.FAULT, seat, kind], *fold.rules.decide(fold.state, seat, action, dealer)]


def bundle_of(fold: Fold, seat: int, cost: str, dealer: SeedDealer) -> list[str]:
    """The bundle that is given in beats in the place of the one that failed: none for a seat that need not act."""
    assert fold.pace == BEATS
    return [] if cost == Fault.Cost.NONE else requests.bundle(fold, seat, RANDOM_BOT, dealer.seed)


def store_faults(faults: Sequence[Fault]) -> None:
    """Write faults down, in the transaction of their events; a version with too many violations plays no more."""
    if not faults:
        return
    Fault.objects.bulk_create(faults)
    for fault in faults:
        if fault.kind == Fault.Kind.VIOLATION and fault.game:
            quarantine_if_violating(fault.bot_version_id, fault.game)


def quarantine_if_violating(version_id: int, game: Game) -> None:
    """Put a version into quarantine that has violated the sandbox once more, in `game`, and once too often.

    A rated game's terms say how often that is, counted over rated games. Those of other games are up to whoever asks
    for them, a stranger perhaps, who is not to harm the bot: there it is as often as is usual.
    """
    rated = counts_for_something(game)
    most = game.terms.get("bot_violations", DEFAULT_MAX_VIOLATIONS) if rated else DEFAULT_MAX_VIOLATIONS
    all_of_it = Fault.objects.filter(bot_version=version_id, kind=Fault.Kind.VIOLATION, game__isnull=False)
    alike = Q(game__terms__rated=True, game__trial=None)
    count = all_of_it.filter(alike if rated else ~alike).count()
    if count >= most:
        sentence = _("The bot violated the sandbox {count} times. Its list of faults names the games.")
        quarantine_version(version_id, sentence.format(count=count))


def counts_for_something(game: Game) -> bool:
    """Whether a game is played for more than to see how it goes."""
    return bool(game.terms.get("rated", True)) and game.trial_id is None


def quarantine_version(version_id: int, reason: str) -> bool:
    """Let a version play no more, which had passed; whether this call did. Its author is told
    (`games.bots.admission.notifications`)."""
    passed = BotVersion.objects.filter(pk=version_id, state=BotVersion.State.PASSED)
    changes: dict[str, Any] = {"quarantines": F("quarantines") + 1, "reason": reason}
    return passed.update(state=BotVersion.State.QUARANTINED, **changes) > 0


def row(
    version: BotVersion, kind: str, sentence: str, evidence: Mapping[str, Any], stderr: bytes, **place: Any
) -> Fault:
    """A fault, not saved yet. `place`: game, seat, position and cost."""
    return Fault(
        at=clock.now(),
        bot_version=version,
        kind=kind,
        sentence=storable_text(sentence),
        evidence=evidence,
        stderr=storable_text(stderr.decode("utf-8", "replace")),
        **place,
    )


def tellable(faults: QuerySet[Fault]) -> QuerySet[Fault]:
    """Those that may be told of by now. One that cost nothing is in no log: that there was one says that the seat could
    have acted in secret, so it waits until its game, and every other one with its deal, is over. So does every fault of
    a sealed game: a bot could put its hand into a move that is not legal, for its author to read at another table."""
    closed = Q(game__isnull=False, game__deal__revealed_at=None)
    return faults.exclude(closed & (Q(cost=Fault.Cost.NONE) | Q(game__terms__sealed=True)))


def storable_text(text: str) -> str:
    """`text` as a column can hold it, whatever a bot wrote."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
