"""Makes reviews of finished games, for each seat that somebody asks for, and for people's rated games by themselves.

A worker claims one row at a time (`claims`), when no luck ledger is due. It works in steps of less than a second and
stores what is done every few seconds. If it is killed, another worker goes on from there; the review is the same to the
byte. Cancelling deletes the row.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Now
from django.db.models.lookups import IsNull
from django.utils.translation import gettext as _

from games.common import clock, log_context
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Game, Player, Seat
from games.visibility import observe
from replays import claims
from replays.review.models import GameReview
from replays.review.signals import review_made
from scorebook_games.registry import KINDS, rules_for
from scorebook_games.review import NoReview, Reviewer
from scorebook_games.review.reviewer import method_of
from scorebook_games.step_limit import step_limit

State = GameReview.State
MAX_PENDING_REVIEWS: Final = 6  # of a person
LEASE: Final = timedelta(seconds=60)
SAVE_SECONDS: Final = 3.0
STEP_SECONDS: Final = 30.0  # of the processor; usual are 0.3
SEARCH_BATCH_SIZE: Final = 200


# -- asking


def find_review(game: Game, seat: int) -> GameReview | None:
    """Return the review of a seat by the present method, else the latest by another one; None if nobody has asked.

    Raises `DomainError`: not_open_yet (409), bad_seat (400).
    """
    _check(game, seat)
    rows = list(GameReview.objects.filter(game=game, seat=seat).order_by("-pk"))
    present = _method(game)
    return next((row for row in rows if row.method == present), rows[0] if rows else None)


def request_review(*, game: Game, seat: int, player: Player) -> GameReview:
    """Ask for the review of a seat and return its row. A repeated request returns the same one; one that failed is
    tried again.

    Raises `DomainError`: bad_seat (400), and 409: not_open_yet, too_many_reviews; `UnknownKind` if the rules are not
    installed.
    """
    _check(game, seat)
    rules_for(game.kind, game.rules_version)
    method = _method(game)
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=player.pk)  # locked, so that the count is right
        found = GameReview.objects.filter(game=game, seat=seat, method=method).first()
        if found and found.state != State.FAILED:
            return found
        pending = GameReview.objects.filter(asked_by=player, state__in=claims.PENDING)
        if pending.count() >= MAX_PENDING_REVIEWS:
            text = _("You have already asked for {most} reviews. Wait until one of them is finished.")
            raise DomainError(409, "too_many_reviews", text.format(most=MAX_PENDING_REVIEWS))
        begun = {"state": State.WAITING, "due_at": Now(), "attempts": 0, "asked_by": player}
        row, _new = GameReview.objects.update_or_create(game=game, seat=seat, method=method, defaults=begun)
    row.refresh_from_db()
    return row


def cancel_review(*, game: Game, seat: int, player: Player) -> None:
    """Cancel a review that is not finished. Raises `DomainError` nothing_to_cancel (409)."""
    asked = GameReview.objects.filter(game=game, seat=seat, asked_by=player, state__in=claims.PENDING)
    if not asked.delete()[0]:
        raise DomainError(409, "nothing_to_cancel", _("You have no unfinished review of this seat."))


def _check(game: Game, seat: int) -> None:
    if not observe.is_fully_open(game):
        raise DomainError(409, "not_open_yet", _("A game can be reviewed when all of it may be seen."))
    if not Seat.objects.filter(game=game, seat=seat).exists():
        raise DomainError(400, "bad_seat", _("This game has no such seat."))


def _method(game: Game) -> str:
    return method_of(game.kind) if game.kind in KINDS else ""


def find_rated_games() -> int:
    """Ask for the reviews of people's seats in rated games, as those of leagues are, that ended within a day; return
    how many."""
    since = clock.now() - timedelta(days=1)
    asked = GameReview.objects.filter(game=OuterRef("game"), seat=OuterRef("seat"))
    over = Seat.objects.filter(
        ~Exists(asked),
        game__status=Game.Status.FINISHED,
        game__finished_at__gt=since,
        game__deal__revealed_at__isnull=False,
        game__terms__rated=True,
        game__kind__in=KINDS,
        player__user__isnull=False,
    ).select_related("game__deal")
    seats = [seat for seat in over.order_by("pk")[:SEARCH_BATCH_SIZE] if observe.is_fully_open(seat.game)]
    rows = [GameReview(game=seat.game, seat=seat.seat, method=_method(seat.game), due_at=Now()) for seat in seats]
    GameReview.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


# -- making


def make_due(until: float) -> bool:
    """Work on one review that is due, as long as the monotonic clock is before `until`; return whether there was one.

    What is not finished by then waits for the next call.
    """
    row = claim()
    if row is None:
        return False
    with log_context.bound_log_context(game=row.game.public_id), claims.attempt(row):
        try:
            _make(row, until)
        except NoReview:
            claims.held(row).update(state=State.NONE, work=None)
    return True


def claim() -> GameReview | None:
    """Claim the review that has waited longest; what people asked for comes first."""
    due = claims.due(GameReview).order_by(IsNull(F("asked_by"), True), "pk")
    return next(iter(claims.claim(due, 1, LEASE)), None)


def _make(row: GameReview, until: float) -> None:
    events = [entry.event for entry in eventlog.read_events(row.game.stream_id)]
    reviewer = Reviewer(events, row.seat, state=row.work)
    saved = time.monotonic()
    steps = reviewer.steps()
    while True:
        with step_limit(STEP_SECONDS):
            progress = next(steps, None)
        if progress is None:
            break
        now = time.monotonic()
        late = now >= until and progress.done < progress.whole  # what is nearly done is finished
        if late or now - saved >= SAVE_SECONDS:
            kept = {"work": reviewer.state(), "progress": round(100 * progress.done / progress.whole)}
            if late:  # another call goes on; this was no failure
                claims.held(row).update(state=State.WAITING, attempts=0, due_at=Now(), **kept)
                return
            if not claims.held(row).update(due_at=Now() + LEASE, **kept):  # cancelled, or another worker has it
                return
            saved = now
    made = reviewer.review().plain()
    with transaction.atomic():
        if claims.held(row).update(state=State.DONE, progress=100, work=None, review=made):
            row.review = made
            review_made.send(sender=GameReview, review=row)
