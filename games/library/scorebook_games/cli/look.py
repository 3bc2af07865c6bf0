"""Asks bots again at the moments of a recorded game: what would this version do where another one decided?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorebook_games.bots import requests
from scorebook_games.bots.conversation import seed_for
from scorebook_games.bots.process import Fault
from scorebook_games.cli.players import BotPlayer
from scorebook_games.cli.record import NoRecord, Recorded, decisions
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold, fold_game
from scorebook_games.gamelog.visibility import legal_moves, observation
from scorebook_games.text import gettext as _


@dataclass(frozen=True, slots=True)
class Look:
    """A moment at which `seat` decided.

    `legal` are its moves, `played` is what was played (None: nothing), and `says` is the answer or fault of each bot
    asked now.
    """

    version: int
    seat: int
    legal: list[str]
    observed: dict[str, object]
    played: list[str] | None
    says: list[list[str] | Fault]


def looks(game: Recorded, seat: int, bots: Sequence[BotPlayer], to: int | None = None) -> Iterator[Look]:
    """Yield every decision of `seat` that was a choice, up to the version `to`, with the answer of each bot.

    The bots are asked at each decision as in the game, so they remember what they remembered then. What was played
    stands, whatever they answer. At `to` they are asked even if nothing was played then. Raises `NoRecord` if the seat
    or version does not exist, or the seat may not act then.
    """
    check(game, seat, to)
    opening = Fold(game.entries[0].event)
    broken = [_begun(bot, opening, seat, seed_for(game.seed, game.salt, seat)) for bot in bots]
    for decision in decisions(game):
        if decision.seat != seat or (to is not None and decision.version > to):
            continue
        if requests.forced(decision.fold, seat) is None:
            yield _look(decision.fold, decision.entries, seat, decision.moves, bots, broken)
        if decision.version == to:
            return
    if to is not None:
        entries = game.entries[:to]
        yield _look(fold_game(entry.event for entry in entries), entries, seat, None, bots, broken)


def check(game: Recorded, seat: int, to: int | None) -> None:
    """Raise `NoRecord`, which names the alternatives, unless `seat` has something to decide at `to`."""
    count = len(game.players)
    if not 0 <= seat < count:
        raise NoRecord(_("The game has seats 0 to {last}, not {seat}.").format(last=count - 1, seat=seat))
    if to is None:
        return
    if not 0 < to <= len(game.entries):
        raise NoRecord(_("The game has events 1 to {last}, not {version}.").format(last=len(game.entries), version=to))
    if seat not in fold_game(entry.event for entry in game.entries[:to]).to_act():
        known = [decision.version for decision in decisions(game) if decision.seat == seat]
        near = sorted(sorted(known, key=lambda version: abs(version - to))[:5])
        sentence = _("Seat {seat} is not to act after event {version}. It was after {versions}.")
        raise NoRecord(sentence.format(seat=seat, version=to, versions=", ".join(map(str, near))))


def _begun(bot: BotPlayer, opening: Fold, seat: int, seed: int) -> Fault | None:
    try:
        bot.begin(opening, seat, seed)
    except Fault as fault:
        return fault
    return None


def _look(
    fold: Fold,
    entries: Sequence[RecordedEvent],
    seat: int,
    played: list[str] | None,
    bots: Sequence[BotPlayer],
    broken: Sequence[Fault | None],
) -> Look:
    says = [fault or _answer(bot, fold, entries) for bot, fault in zip(bots, broken, strict=True)]
    return Look(fold.version, seat, legal_moves(fold, seat), observation(fold, seat), played, says)


def _answer(bot: BotPlayer, fold: Fold, entries: Sequence[RecordedEvent]) -> list[str] | Fault:
    try:
        return bot.choose(fold, entries)
    except Fault as fault:
        return fault
