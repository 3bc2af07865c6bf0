"""What a bot's fault does to a game: what it costs by the terms, and what is stored about it.

The log gets seat and kind (`@fault`). A row beside it holds the evidence for the bot's author.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from games.common import clock
from games.models import BotVersion, Game, Player
from games.play import departures
from games.play.fault_sentences import violated_often
from games.play.models import Fault
from scorebook_games.bots import requests
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event, OptionError
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import BEATS, LIVE
from scorebook_games.presentation.coded_text import Sentence, plain

RANDOM_BOT: Final = "random"  # the built-in bot that plays random moves
DEFAULT_MAX_FAULTS: Final = 3
DEFAULT_MAX_VIOLATIONS: Final = 3


def check_players(players: Sequence[Player], pace: str, *, on_trial: bool) -> None:
    """Raise `OptionError` if a bot among `players` may not play: an uploaded one at that pace, or one that is not
    active."""
    versions = [player.bot_version for player in players if player.bot_version and not player.bot_version.is_built_in]
    if pace == LIVE and any(version.is_upload for version in versions):
        raise OptionError("pace", _("Uploaded bots cannot play live races. Choose the pace “beats” or “turns”."))
    for version in versions:
        if not (on_trial or version.may_play):
            sentence = _("{version} cannot play: it is {state}. Choose another version.")
            raise OptionError("players", sentence.format(version=version, state=version.standing))


def fault_cost(fold: Fold, seat: int, kind: str) -> str:
    """Return what a fault of this kind costs `seat` by the terms (`Fault.Cost`).

    It costs nothing if only the seat itself knows that it may act: a cost would show this to the others.
    """
    if kind == Fault.Kind.INFRASTRUCTURE or seat not in fold.awaited():
        return Fault.Cost.NONE
    forfeits = fold.faults.get(seat, 0) + 1 >= max_faults(fold)
    return Fault.Cost.FORFEIT if forfeits else Fault.Cost.RANDOM_MOVE


def max_faults(fold: Fold) -> int:
    """Return the number of faults at which a bot forfeits its seat by the terms."""
    limit: int = fold.opened["terms"].get("bot_faults", DEFAULT_MAX_FAULTS)
    return limit


def fault_events(fold: Fold, seat: int, kind: str, programs: Mapping[int, str], dealer: SeedDealer) -> list[Event]:
    """Return the events of a fault in turns: the fault and its cost. There are none without a cost: that counts as a
    pass."""
    cost = fault_cost(fold, seat, kind)
    if cost == Fault.Cost.NONE:
        return []
    if cost == Fault.Cost.FORFEIT:
        return [[ev.FAULT, seat, kind], *departures.leave_events(fold, seat, departures.FORFEITED, programs)]
    action = requests.action(fold, seat, RANDOM_BOT, dealer.seed)
    return [[ev.FAULT, seat, kind], *fold.rules.decide(fold.state, seat, action, dealer)]


def bundle_of(fold: Fold, seat: int, cost: str, dealer: SeedDealer) -> list[str]:
    """Return the bundle that replaces a failed one in beats; an empty one for a seat that need not act."""
    assert fold.pace == BEATS
    return [] if cost == Fault.Cost.NONE else requests.bundle(fold, seat, RANDOM_BOT, dealer.seed)


def store_faults(faults: Sequence[Fault]) -> None:
    """Store faults, in the transaction of their events. A version with too many violations may no longer play."""
    if not faults:
        return
    Fault.objects.bulk_create(faults)
    for fault in faults:
        if fault.kind == Fault.Kind.VIOLATION and fault.game:
            quarantine_if_violating(fault.bot_version_id, fault.game)


def quarantine_if_violating(version_id: int, game: Game) -> None:
    """Put a version into quarantine if its new violation of the sandbox, in `game`, is one too many.

    For rated games, their terms set the limit, and only rated games count. The terms of other games are set by anybody,
    who must not be able to harm the bot. There the default limit holds.
    """
    rated = counts_for_something(game)
    limit = game.terms.get("bot_violations", DEFAULT_MAX_VIOLATIONS) if rated else DEFAULT_MAX_VIOLATIONS
    all_of_it = Fault.objects.filter(bot_version=version_id, kind=Fault.Kind.VIOLATION, game__isnull=False)
    alike = Q(game__terms__rated=True, game__trial=None)
    count = all_of_it.filter(alike if rated else ~alike).count()
    if count >= limit:
        quarantine_version(version_id, violated_often(count))


def counts_for_something(game: Game) -> bool:
    """Return whether a game counts: it is rated and not part of a trial."""
    return bool(game.terms.get("rated", True)) and game.trial_id is None


def quarantine_version(version_id: int, reason: Sentence) -> bool:
    """Put a version that has passed admission into quarantine; return whether this call did.

    Its author is notified (`games.bots.admission.notifications`).
    """
    passed = BotVersion.objects.filter(pk=version_id, state=BotVersion.State.PASSED)
    changes: dict[str, Any] = {"quarantines": F("quarantines") + 1, "reasons": plain([reason])}
    return passed.update(state=BotVersion.State.QUARANTINED, **changes) > 0


def row(
    version: BotVersion,
    kind: str,
    sentences: Iterable[Sentence],
    evidence: Mapping[str, Any],
    stderr: bytes,
    **place: Any,
) -> Fault:
    """Return a fault that is not saved yet. `place` holds game, seat, position and cost."""
    return Fault(
        at=clock.now(),
        bot_version=version,
        kind=kind,
        sentences=storable(plain(sentences)),
        evidence=evidence,
        stderr=storable_text(stderr.decode("utf-8", "replace")),
        **place,
    )


def tellable(faults: QuerySet[Fault]) -> QuerySet[Fault]:
    """Return the faults that may be shown by now.

    A fault without a cost is in no log. It would show that the seat could have acted in secret, so it waits until its
    game and every other game with its deal are over. So does every fault of a sealed game: a bot could put its hand
    into an illegal move, for its author to read at another table.
    """
    closed = Q(game__isnull=False, game__deal__revealed_at=None)
    return faults.exclude(closed & (Q(cost=Fault.Cost.NONE) | Q(game__terms__sealed=True)))


def storable(value: Any) -> Any:
    """Return data as JSON has it, with each text as `storable_text` makes it."""
    if isinstance(value, dict):
        return {name: storable(value) for name, value in value.items()}
    if isinstance(value, list):
        return [storable(each) for each in value]
    return storable_text(value) if isinstance(value, str) else value


def storable_text(text: str) -> str:
    """Return `text`, which a bot may have written, in a form that a column can hold."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
