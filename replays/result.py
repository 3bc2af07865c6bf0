"""The result of a finished game, as the card over its table and the API say it: who won by how much and why, places,
ratings, points of the match, luck, and the moments that mattered most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from games.common.bidi import isolated
from games.common.errors import DomainError
from games.common.labels import format_change
from games.models import Game, Seat
from games.play import endings
from games.play.stakes import MatchPoints, Stakes, stakes_of
from games.visibility import observe
from games.visibility.seats import seats_of
from replays.review.luck import LuckPanel, MomentRow, SeatLuck, luck_panel
from scorebook_games.contract import placings
from scorebook_games.frames.narration import result_sentence
from scorebook_games.presentation.sentences import plain_text
from scorebook_games.presentation.text import join_with_and
from scorebook_games.registry import KINDS

MOMENTS_SHOWN: Final = 2


@dataclass(frozen=True, slots=True)
class RatingStep:
    """A player's rating before and after a game, in whole points."""

    before: int
    after: int

    @property
    def change(self) -> str:
        return format_change(self.after - self.before)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """A seat's result. `place` and `score` are None for a game without a result, the others where there is nothing."""

    seat: int
    player: int
    name: str
    is_bot: bool
    is_agent: bool
    place: int | None
    score: int | None
    left: str
    rating: RatingStep | None
    points: MatchPoints | None
    luck: SeatLuck | None


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game ended. `sentence` says who won and why, `margin` by how much, and `best` that the lowest score wins;
    each is "" where there is nothing.

    `sealed`: the result is closed until all games of the deal are over, and there are no seats. `waits`: luck or
    ratings are still to come; `notes` are sentences about what is missing or uncertain.
    """

    sealed: bool
    sentence: str
    margin: str
    best: str
    seats: Sequence[SeatResult]
    moments: Sequence[MomentRow]
    match: str
    address: str
    notes: Sequence[str]
    waits: bool


def find_result(game: Game, seat: int | None) -> GameResult:
    """Return the result of `game` for a reader in `seat` (None for others). Raises `DomainError` not_over_yet (409)."""
    names = [each.player.name for each in seats_of(game)]
    result = result_of(game, seat, luck_panel(game, names))
    if result is None:
        raise DomainError(409, "not_over_yet", _("The game has no result yet, or none that you may know."))
    return result


def result_of(game: Game, seat: int | None, luck: LuckPanel | None) -> GameResult | None:
    """Return the result of `game`, with its luck; None while its reader may not know that it is over.

    Somebody who plays in `seat` knows it at once, and others `watch_delay` later.
    """
    if game.status == Game.Status.PLAYING or not (seat is not None or observe.is_result_public(game)):
        return None
    if observe.is_sealed(game):
        return _sealed_result()
    outcome = game.outcome or {}
    seats = seats_of(game)
    names = [isolated(each.player.name) for each in seats]
    anybody_left = any(each.left for each in seats)
    public = observe.is_result_public(game)
    stakes = stakes_of(game) if public else Stakes()
    of_luck = (luck.sentence, luck.doubt) if luck and outcome["placings"] else ()
    return GameResult(
        sealed=False,
        sentence=outcome_words(game, seats, names),
        margin=margin_words(outcome, names, anybody_left),
        best="" if anybody_left else best_words(game),
        seats=_seat_results(outcome, seats, stakes, luck),
        moments=_largest(luck.moments) if luck else (),
        match=stakes.match,
        address=stakes.address,
        notes=[note for note in (*of_luck, stakes.waits) if note],
        waits=bool(stakes.waits or (luck and luck.waits)),
    )


def _sealed_result() -> GameResult:
    sentence = _("The result is sealed until all games of this deal are over.")
    return GameResult(
        sealed=True,
        sentence=sentence,
        margin="",
        best="",
        seats=(),
        moments=(),
        match="",
        address="",
        notes=(),
        waits=False,
    )


def outcome_words(game: Game, seats: Sequence[Seat], names: Sequence[str]) -> str:
    """Return who won and why, in the words of the kind if the game was played to its end."""
    outcome = game.outcome or {}
    left = [seat.seat for seat in seats if seat.left]
    if left or not outcome["placings"] or game.kind not in KINDS or endings.termination_label_of(game):
        return endings.outcome_sentence(outcome, [seat.player.name for seat in seats], left)
    return plain_text(result_sentence(outcome, KINDS[game.kind].presentation), names)


def margin_words(outcome: Mapping[str, Any], names: Sequence[str], anybody_left: bool) -> str:
    """Return by how much the winner is ahead; "" if several share the first place, if scores did not decide, or
    if the next ones differ."""
    places, scores = outcome["placings"], outcome["scores"]
    if anybody_left or places.count(1) != 1 or len(places) < 2:
        return ""
    second = min(place for place in places if place > 1)
    next_ones = [seat for seat, place in enumerate(places) if place == second]
    gaps = {abs(scores[places.index(1)] - scores[seat]) for seat in next_ones}
    gap = gaps.pop()
    if gaps or not gap:
        return ""
    return _("{names}: {gap} behind.").format(names=join_with_and([names[seat] for seat in next_ones]), gap=gap)


def best_words(game: Game) -> str:
    """Return that the lowest score wins; "" where the highest does, where places do not follow scores (as in Palace, in
    which all but the winner are second, PA-23), and without a result."""
    outcome = game.outcome or {}
    if not outcome["placings"] or game.kind not in KINDS or KINDS[game.kind].spec.best != "lowest":
        return ""
    if list(placings(outcome["scores"], best="lowest")) != list(outcome["placings"]):
        return ""
    return _("The lowest score wins.")


def _seat_results(
    outcome: Mapping[str, Any], seats: Sequence[Seat], stakes: Stakes, luck: LuckPanel | None
) -> list[SeatResult]:
    places, scores = outcome["placings"], outcome["scores"]
    rows = [
        SeatResult(
            seat=seat.seat,
            player=seat.player_id,
            name=seat.player.name,
            is_bot=seat.player.is_bot,
            is_agent=seat.player.bot_version is not None and seat.player.bot_version.is_agent,
            place=places[seat.seat] if places else None,
            score=scores[seat.seat] if places else None,
            left=seat.left,
            rating=_rating_step(stakes, seat.player_id),
            points=stakes.points.get(seat.player_id),
            luck=luck.seats[seat.seat] if luck and luck.seats else None,
        )
        for seat in seats
    ]
    return sorted(rows, key=lambda row: (row.place or 0, row.seat))


def _rating_step(stakes: Stakes, player: int) -> RatingStep | None:
    change = stakes.ratings.get(player)
    return RatingStep(round(change[0]), round(change[1])) if change else None


def _largest(moments: Sequence[MomentRow]) -> list[MomentRow]:
    """Return the moments that mattered most, in the order of the game."""
    found = sorted(moments, key=lambda moment: -abs(moment.gain))[:MOMENTS_SHOWN]
    return sorted(found, key=lambda moment: moment.version)
