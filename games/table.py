"""The one door of play: games are opened, moved on, left and ended here, by whoever does it.

A change is decided on a fold of the log and then appended at the version that it was decided on; with the events go,
in one transaction, the rows that lists and queries need (`Game`, `Seat`, `Deal`). Whoever comes second changes nothing
and decides anew. What follows (notes to watchers, a word to the workers) is told after the commit.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from games import (
    acting,
    check_in,
    circles,
    clock,
    clocks,
    faults,
    leaving,
    live,
    log,
    logged,
    observe,
    outages,
    seating,
)
from games import events as ev
from games.bulk import copy_new
from games.commit import after_commit
from games.engines.base import ABORTED, Event, IllegalMove, MalformedMove, OptionError, Rules
from games.engines.chance import SeedDealer, commitment
from games.errors import TableError
from games.fold import Fold, fold_game
from games.kinds import UnknownKind, rules_for
from games.leaving import FORFEITED, RESIGNED
from games.models import (
    REMOTE,
    Deal,
    Fault,
    Game,
    Incident,
    PendingBundle,
    Player,
    Profile,
    Seat,
    SentMove,
    Stream,
    Trial,
)
from games.paces import COUNTDOWN_SECONDS, READY_SECONDS, beat_events, first_events, paces_of, towards_go
from games.signals import game_over, moved_on
from games.terms import BEATS, LIVE, Terms, terms_of
from games.wake import sweep_in, wake_cages, wake_players

__all__ = ["Moved", "Opening", "Step", "TableError"]

logger = logging.getLogger(__name__)

CAGED: Final = "upload"  # in the place of a house bot's name, for a bot that is held in a sandbox
MILLISECOND: Final = timedelta(milliseconds=1)
TRIES: Final = 20  # that many writers may come first before a move is given up


class Moved(NamedTuple):
    """What a move came to: the game's version after it, and its events as the mover may see them."""

    version: int
    events: list[log.Entry]


class Source(NamedTuple):
    """The moment of another game that a new one goes on from, and its `events` up to there (`games.continuing`)."""

    game: Game
    version: int
    events: Sequence[Event]


class Opening(NamedTuple):
    """A game to be opened; the fields are the arguments of `open`. Games that share a deal are given the same row.

    A game of a `trial` belongs to one `part` of it: it counts for nothing else, and only the trial has it played.
    Where `games.circles` closes its `circle`, only the people of it see the game. `rules_version` is that of a season
    that began under earlier rules; a game that goes on from another's moment has that one's.
    """

    kind: str
    players: Sequence[Player]
    options: Mapping[str, Any] | None = None
    terms: Mapping[str, Any] | None = None
    deal: Deal | None = None
    source: Source | None = None
    begins: datetime | None = None
    trial: Trial | None = None
    part: str = ""
    circle: int | None = None
    rules_version: int | None = None

    def rules(self) -> Rules[Any]:
        """The rules it is played by. Raises `UnknownKind`."""
        return rules_for(self.kind, self.source.game.rules_version if self.source else self.rules_version)


@dataclass(slots=True, eq=False)
class Step:
    """Something to store: `events` took `game` from version `expected` to where `fold` stands now.

    `programs` says which house bot plays which seat before these events. `attempt` is a runner's fence: the step is
    stored only while the game's attempt is still that one. `bundles` are the rows that a beat among the events was made
    of: it is stored only while they are still what they were, and they are deleted with it. `stand_ins` are stored with
    it, for seats whose clock has run out. `users` sit in the seats of a game that is not stored yet. `faults` of bots
    are stored with the events.
    """

    game: Game
    fold: Fold
    programs: dict[int, str]
    expected: int
    events: list[Event] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    attempt: int | None = None
    bundles: list[PendingBundle] = field(default_factory=list)
    stand_ins: list[PendingBundle] = field(default_factory=list)
    users: Mapping[int, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def following(self) -> Step:
        """An empty step that goes on from where this one was stored."""
        return Step(self.game, self.fold, self.programs, self.fold.version, attempt=self.attempt)

    def take(self, events: Sequence[Event], at: datetime) -> None:
        """Move the fold on by `events`, which happened at `at`, and keep them for the store.

        Time never runs back within a log, even where a machine's clock does.
        """
        since = max(self._since(at), self.times[-1] if self.times else self._since(self.game.moved_at))
        for event in events:
            self.fold.apply(event)
        self.events += events
        self.times += [since] * len(events)

    def people_awaited(self) -> list[int]:
        """The people whom the game waits for; in beats, those without a bundle for the next."""
        programs = self.programs.keys() | self.fold.taken_over.keys()
        people = [seat for seat in self.fold.awaited() if seat not in programs]
        if people and self.fold.pace == BEATS and self.game.pk:
            given = PendingBundle.objects.filter(game=self.game, beat=self.fold.beat + 1, seat__in=people)
            gave = set(given.values_list("seat", flat=True))
            people = [seat for seat in people if seat not in gave]
        return people

    def _since(self, at: datetime) -> int:
        return (at - self.game.opened_at) // MILLISECOND

    def moved_at(self) -> datetime:
        """When the last event so far happened."""
        if not self.times:
            return self.game.moved_at
        return self.game.opened_at + timedelta(milliseconds=self.times[-1])


class Conflict(Exception):
    """Somebody else came first at the games of `steps`; nothing at all was stored."""

    def __init__(self, steps: list[Step]) -> None:
        super().__init__(f"{len(steps)} steps were overtaken.")
        self.steps = steps


def find(public_id: str, user: observe.User | None = None) -> Game:
    """The game with that name, with its deal, if it is for `user` to know of (None: whoever asks checks it later, by
    `observe.viewer_of`). Raises `TableError` game_not_found."""
    game = Game.objects.select_related("deal").filter(public_id=public_id.upper()).first()
    if game is None or (user is not None and not circles.is_shown(game, user)):
        raise observe.game_not_found()
    return game


def seat_of(game: Game, user: observe.User) -> int:
    """The seat that `user` plays. Raises `TableError` not_your_seat."""
    seat = observe.viewer_for(game, user)
    if not isinstance(seat, int):
        raise TableError(403, "not_your_seat", _("You do not play in this game; you can watch it."))
    return seat


def own_seat(game: Game, user: observe.User) -> int:
    """The seat that `user` played, to the end or not. Raises `TableError` not_your_seat."""
    seat = Seat.objects.filter(acting.own(user), game=game).values_list("seat", flat=True).first()
    if user.pk is None or seat is None or acting.is_looked_on(user):
        raise TableError(403, "not_your_seat", _("You did not play in this game."))
    return seat


def load(game: Game) -> Fold:
    """The game as its log has it now."""
    return fold_game(entry.event for entry in log.read(game.stream_id))


def open(
    *,
    kind: str,
    players: Sequence[Player],
    options: Mapping[str, Any] | None = None,
    terms: Mapping[str, Any] | None = None,
    deal: Deal | None = None,
    source: Source | None = None,
    begins: datetime | None = None,
    trial: Trial | None = None,
    part: str = "",
    circle: int | None = None,
    rules_version: int | None = None,
) -> Game:
    """A new game of `kind`, dealt; the players sit in seats 0, 1, ….

    `options` are the kind's, `terms` those of `games.terms`; what is not given has its default. `deal` shares the
    secret of another game that is still on; with a `source` the game begins where that one stood. A game with people
    that `begins` at a time waits for them to check in (`games.check_in`); `Opening` says what `trial`, `part`, `circle`
    and `rules_version` are. Raises `TableError` bad_option, with nothing written.
    """
    return open_many(
        [Opening(kind, players, options, terms, deal, source, begins, trial, part, circle, rules_version)]
    )[0]


def open_many(openings: Sequence[Opening]) -> list[Game]:
    """Open several games in one transaction: all of them or, if one cannot be opened, none."""
    at = clock.now()
    checked = [_checked(opening) for opening in openings]
    with transaction.atomic():
        _hold_deals([opening.deal for opening in openings if opening.deal])
        deals = [opening.deal or Deal() for opening in openings]
        copy_new([deal for deal in deals if deal.pk is None])
        steps = [
            _opened(opening, options, terms, deal, at)
            for opening, (options, terms), deal in zip(openings, checked, deals, strict=True)
        ]
        games = [step.game for step in steps]
        streams = log.begin_many([(step.events, step.times) for step in steps], subject=Stream.Subject.GAME, at=at)
        for game, stream in zip(games, streams, strict=True):
            game.stream_id = stream
        copy_new(games)
        copy_new(
            [
                Seat(game=game, seat=seat, player=player)
                for game, opening in zip(games, openings, strict=True)
                for seat, player in enumerate(opening.players)
            ]
        )
        log.announce_many({game.pk: game.version for game in games})
        _tell_people(steps)
        _wake([game for game in games if game.trial_id is None])
    return games


def _wake(games: Collection[Game]) -> None:
    """Call the workers for those of the games in which a program is to move."""
    if any(game.awaits_program and not game.caged for game in games):
        wake_players()
    if any(game.awaits_program and game.caged for game in games):
        wake_cages()


def _checked(opening: Opening) -> tuple[dict[str, Any], Terms]:
    """The opening's options and terms, complete. Raises `TableError` bad_option, own_bot."""
    people = [player.user_id for player in opening.players if player.user_id]
    try:
        if len(set(people)) < len(people):
            raise OptionError("players", "A person can sit in one seat of a game only.")
        rules = opening.rules()
        options = rules.resolve(len(opening.players), opening.options or {})
        terms = terms_of(opening.terms or {}, paces_of(rules))
        if terms.pace == LIVE and terms.rated and any(player.is_bot for player in opening.players):
            raise OptionError("rated", "A live game with a bot is not rated: play it in beats, or set rated to false.")
        faults.check_players(opening.players, terms.pace, on_trial=opening.trial is not None)
        seating.check(opening.players, terms.plain())
        if terms.rated:
            seating.check_owners(opening.players)
        if terms.rated and people and Profile.objects.filter(user__in=people, guest=True).exists():
            raise OptionError("rated", "A game with a guest is not rated: set rated to false, or sign up first.")
        return options, terms
    except OptionError as error:
        raise TableError(400, error.code, error.sentence, option=error.option) from error
    except UnknownKind as error:
        raise TableError(400, "bad_option", str(error), option="kind") from error


def _hold_deals(deals: Sequence[Deal]) -> None:
    """Keep given deals from being revealed while games are opened with them."""
    wanted = sorted({deal.pk for deal in deals if deal.pk})
    held = Deal.objects.select_for_update().filter(pk__in=wanted).order_by("pk") if wanted else ()
    if any(deal.revealed_at for deal in held):
        raise TableError(400, "bad_option", _("The deal is known by now; open the game with a new one."), option="deal")


def _opened(opening: Opening, options: dict[str, Any], terms: Terms, deal: Deal, at: datetime) -> Step:
    """The game's row, not saved yet, with its first events: how it is played, and the deal."""
    rules = opening.rules()
    game = Game(
        kind=opening.kind,
        rules_version=rules.spec.rules_version,
        options=options,
        terms=terms.plain(),
        deal=deal,
        opened_at=at,
        moved_at=at,
        continued_from=opening.source.game if opening.source else None,
        continued_at=opening.source.version if opening.source else None,
        caged=any(player.bot_version.is_upload for player in opening.players if player.bot_version),
        trial=opening.trial,
        part=opening.part,
        circle=opening.circle,
    )
    opened: Event = [
        ev.OPENED,
        {
            "kind": game.kind,
            "rules_version": game.rules_version,
            "seats": len(opening.players),
            "options": options,
            "terms": game.terms,
            "commitment": commitment(bytes(game.salt), bytes(deal.seed)),
        },
    ]
    step = Step(game, Fold(opened), _programs_of(opening.players), 0, [opened], [0])
    step.users = {seat: player.user_id for seat, player in enumerate(opening.players) if player.user_id}
    people = len(step.programs) < len(opening.players)
    step.take(_first_events(opening, step.fold, people, deal, at), at)
    for name, value in _row(step, at).items():
        setattr(game, name, value)
    return step


def _first_events(opening: Opening, fold: Fold, people: bool, deal: Deal, at: datetime) -> Sequence[Event]:
    """What follows the opening at once."""
    if opening.source:
        return opening.source.events
    if opening.begins and people:
        return [check_in.appointed(at, opening.begins)]
    return first_events(fold, people, SeedDealer(bytes(deal.seed)))


def _programs_of(players: Sequence[Player]) -> dict[int, str]:
    versions = {seat: player.bot_version for seat, player in enumerate(players) if player.bot_version}
    return {seat: version.program for seat, version in versions.items() if not version.is_remote}


def programs_of(game: Game, fold: Fold) -> dict[int, str]:
    """Which seats a program plays, and which: a house bot's name in `games.bots.house.BOTS`, or `CAGED` for any that
    is held in a sandbox."""
    seats = Seat.objects.filter(game=game, player__bot_version__isnull=False).exclude(REMOTE)
    return dict(seats.values_list("seat", "player__bot_version__program")) | fold.taken_over


def move(*, game: Game, seat: int, text: str, expected_version: int, key: str | None = None) -> Moved:
    """Play `text` in `seat`, as whoever sits there decided at `expected_version`.

    With a `key` of the sender's own a repeated request gets the answer of the first. `game` is brought up to date.
    Raises `TableError`: bad_key and malformed_move (400), not_your_seat (403), too_soon (429, with `wait_ms`), and 409:
    game_over, not_started, wrong_pace, key_reused, clock_expired, stale_version (with `version`), illegal_move (with
    `clause` and `legal_moves`).
    """
    if key is not None:
        check_key(key)
    with logged.about(game=game.public_id):
        return _move(game, seat, text, expected_version, key)


def _move(game: Game, seat: int, text: str, expected_version: int, key: str | None) -> Moved:
    for _attempt in range(TRIES):
        if sent := _sent(game, seat, key):
            return _answer_again(game, sent, text)
        try:
            step = begin_in_time(game, seat, expected_version)
            events = decide(step.game, step.fold, seat, text, expected_version)
        except TableError as error:
            if sent := _sent(game, seat, key):  # the same request has been answered since we looked
                return _answer_again(game, sent, text)
            raise _expired_since(game, seat, expected_version) or error from error
        if not events:  # a pass leaves no trace: a version of its own would tell the others of it
            return Moved(step.fold.version, [])
        if step.fold.abort_wanted:
            events = [[ev.ABORT_DECLINED, seat], *events]
        step.take(events, clock.now())
        if _store_move(step, seat, text, key):
            entries = [log.Entry(*entry) for entry in zip(_versions(step), step.times, events, strict=True)]
            return Moved(step.fold.version, observe.events_for(game, entries, seat, over=observe.is_open(game)))
    raise _stale(game.version)


def check_key(key: str) -> None:
    """Raise `TableError` bad_key where that cannot be an idempotency key."""
    if not (0 < len(key) <= 64 and key.isascii() and key.isprintable()):
        raise TableError(400, "bad_key", _("An idempotency key has 1 to 64 printable ASCII characters."))


def _versions(step: Step) -> range:
    return range(step.expected + 1, step.expected + 1 + len(step.events))


def _store_move(step: Step, seat: int, text: str, key: str | None) -> bool:
    """Whether a move could be stored; if somebody else came first, nothing is."""
    at = clock.now()
    try:
        with transaction.atomic():
            store([step], at)
            if key is not None:
                version = step.fold.version
                SentMove.objects.create(game=step.game, seat=seat, key=key, move=text, version=version, created=at)
    except Conflict:
        return False
    return True


def _sent(game: Game, seat: int, key: str | None) -> SentMove | None:
    return SentMove.objects.filter(game=game, seat=seat, key=key).first() if key is not None else None


def _answer_again(game: Game, sent: SentMove, text: str) -> Moved:
    """The answer that a move got when it was sent for the first time."""
    if sent.move != text:
        raise TableError(
            409,
            "key_reused",
            _("This idempotency key belongs to the move {move!r}; take a new one.").format(move=sent.move),
        )
    game.refresh_from_db(from_queryset=Game.objects.select_related("deal"))
    first = next(batch.seq for batch in log.batches(game.stream_id) if batch.seq + batch.count == sent.version)
    entries = [entry for entry in log.read(game.stream_id, after=first) if entry.version <= sent.version]
    return Moved(sent.version, observe.events_for(game, entries, sent.seat, over=observe.is_open(game)))


def begin(game: Game) -> Step:
    """An empty step from where the game stands now. `game` is brought up to date. Raises `TableError` game_over."""
    game.refresh_from_db(from_queryset=Game.objects.select_related("deal"))
    if game.status != Game.Status.PLAYING:
        raise TableError(409, "game_over", _("The game is over. No more moves are taken."), version=game.version)
    fold = load(game)
    return Step(game, fold, programs_of(game, fold), fold.version)


def begin_in_time(game: Game, seat: int, known: int) -> Step:
    """`begin`, once the clocks that have run out by now have been dealt with. Raises `TableError` clock_expired too,
    where that of `seat` was among them, or has been since version `known`."""
    step = begin(game)
    if not step.fold.go or not expire(game=game):
        return step
    if late := _expired_since(game, seat, known):
        raise late
    return begin(game)


def _expired_since(game: Game, seat: int, known: int) -> TableError | None:
    """What to answer to `seat` if its clock has run out after version `known`."""
    if [ev.EXPIRED, seat] not in [entry.event for entry in log.read(game.stream_id, after=known)]:
        return None
    sentence = _(
        "Your clock ran out before the move came; the terms of the game say what that costs. Look at it again."
    )
    return TableError(409, "clock_expired", sentence, version=game.version)


def decide(game: Game, fold: Fold, seat: int, text: str, expected_version: int) -> list[Event]:
    """What the move `text` of `seat` leads to from where `fold` stands, which it leaves alone.

    Where one seat acts the mover must have known the game's latest version. Where several might, for all that everybody
    knows, and on the pace "live", what another seat did meanwhile makes a move stale only if it is no longer legal.
    Raises `TableError`.
    """
    check_seat(fold, seat)
    if fold.pace == BEATS:
        raise TableError(409, "wrong_pace", _("This game is played in beats: send a bundle of moves for the next one."))
    try:
        action = fold.rules.parse_move(fold.state, text)
        if expected_version != fold.version and not _raced(game, fold, seat, expected_version):
            raise _stale(fold.version)
        events = fold.rules.decide(fold.state, seat, action, _dealer(game))
        live.check_wait(game, fold, seat, action, clock.now())
        return events
    except MalformedMove as error:
        raise TableError(400, error.code, error.sentence) from error
    except IllegalMove as error:
        if expected_version != fold.version:
            raise _stale(fold.version) from error
        legal = observe.legal_moves(fold, seat)
        raise TableError(
            409, "illegal_move", error.sentence, reason=error.code, clause=error.clause, legal_moves=legal
        ) from error


def _raced(game: Game, fold: Fold, seat: int, known: int) -> bool:
    """Whether a move decided at version `known` counts now: on the pace "live"; else where several seats might act
    then, and it has been open to `seat` to act ever since."""
    if not 1 < known < fold.version:
        return False
    if fold.pace == LIVE:
        return True
    events = [entry.event for entry in log.read(game.stream_id)[: fold.version]]
    past = fold_game(events[:known])
    if len(past.to_act_seen(observe.PUBLIC)) < 2:
        return False
    for event in events[known:]:
        if seat not in past.to_act():
            return False
        past.apply(event)
    return True


def check_seat(fold: Fold, seat: int) -> None:
    """Raise `TableError` unless the player of `seat` may do something at all: not_your_seat, game_over, not_started."""
    if seat not in range(fold.seats) or seat in fold.left:
        raise TableError(403, "not_your_seat", _("Seat {seat} is not played by you in this game.").format(seat=seat))
    if fold.outcome():
        raise TableError(409, "game_over", _("The game is over. No more moves are taken."), version=fold.version)
    if not fold.go:
        raise TableError(409, "not_started", _("GO has not been given yet. Say that you are ready, and wait for it."))


def _dealer(game: Game) -> SeedDealer:
    return SeedDealer(bytes(game.deal.seed))


def _stale(version: int) -> TableError:
    sentence = _("The game has moved on. Look at it again: it is at version {version}.").format(version=version)
    return TableError(409, "stale_version", sentence, version=version)


def leave(*, game: Game, seat: int, how: str) -> None:
    """Let the player of `seat` go, who "resigned" or "forfeited" (rules README, Leaving). `game` is brought up to date.

    Two seats: the game ends, the other is first. More: what the term `leaver` says. Raises `TableError` game_over,
    not_your_seat.
    """
    if how not in (RESIGNED, FORFEITED):
        raise ValueError(f"A player is {RESIGNED} or {FORFEITED}, not {how!r}.")

    def gone(step: Step) -> list[Event]:
        if seat not in range(step.fold.seats) or seat in step.fold.left:
            raise TableError(403, "not_your_seat", _("Nobody who could leave sits in seat {seat}.").format(seat=seat))
        return leaving.leave(step.fold, seat, how, step.programs)

    change(game, gone)


def ready(*, game: Game, seat: int) -> None:
    """The person in `seat` is ready for GO, or checks in; when all are, and it is time, the countdown begins. Nothing
    changes if they were already.

    Raises `TableError` game_over, not_your_seat, and 409 started after GO.
    """

    def said(step: Step) -> list[Event]:
        fold = step.fold
        if seat not in range(fold.seats) or seat in step.programs:
            raise TableError(
                403, "not_your_seat", _("Seat {seat} is not played by you in this game.").format(seat=seat)
            )
        if fold.go:
            raise TableError(409, "started", _("The game has started; there is nothing to be ready for."))
        if seat in fold.ready:
            return []
        if seat in fold.left:
            raise TableError(
                403, "not_your_seat", _("Your seat in this game is lost: you left it, or did not come in time.")
            )
        others = set(check_in.missing(fold, step.programs)) - {seat}
        begins = check_in.begins_at(fold, step.game.opened_at)
        early = begins is not None and clock.now() < begins
        countdown = [] if others or early or fold.countdown else towards_go(fold, _dealer(step.game))
        return [[ev.READY, seat], *countdown]

    change(game, said)


def abort(*, game: Game, reason: str) -> None:
    """End the game without a result; `reason` is kept for admins. Raises `TableError` game_over."""
    with transaction.atomic():
        change(game, lambda _step: [leaving.aborted()])
        Incident.objects.create(
            at=clock.now(),
            cause=Incident.Cause.INFRASTRUCTURE,
            game=game,
            sentence=f"Game {game.public_id} was aborted: {reason}",
        )


def expire(*, game: Game) -> bool:
    """Do what the clock asks for, and say whether it was anything: before GO the countdown or GO itself, later what the
    terms say it costs the seats whose time has run out. `game` is brought up to date if it was."""
    if game.deadline is None or game.deadline > clock.now():
        return False

    def late(step: Step) -> list[Event]:
        due = step.game.deadline
        if due is None or due > clock.now() or step.game.version != step.expected:
            return []
        return _expiry(step) if step.fold.go else _before_go(step)

    try:
        if change(game, late):
            return True
    except TableError as error:
        if error.code != "game_over":
            raise
        return False
    clocks.renew_deadline(game)  # something that is not in the log may have put it off
    return False


def _before_go(step: Step) -> list[Event]:
    """What follows when the time to be ready, to check in or of the countdown is over."""
    fold, dealer = step.fold, _dealer(step.game)
    absent = check_in.missing(fold, step.programs)
    if fold.appointed is not None and not fold.countdown and absent:
        due = step.game.deadline
        assert due, "It is due."
        if outages.going_on(clock.now()) or outages.put_off(due) > clock.now():
            return []  # nobody could come
        return check_in.without(fold, absent, step.programs, dealer)
    return towards_go(fold, dealer)


def _expiry(step: Step) -> list[Event]:
    """What follows from the clocks that have run out by now."""
    at, dealer = clock.now(), _dealer(step.game)
    seats = clocks.expired(step.game, at)
    if not seats or not leaving.costs_a_bundle(step.fold):
        return leaving.expire(load(step.game), seats, step.programs, dealer)
    stand_ins = {seat: leaving.stand_in(step.fold, seat, dealer) for seat in seats}
    events: list[Event] = [[ev.EXPIRED, seat] for seat in seats]
    beat = step.fold.beat + 1
    if set(step.people_awaited()) - set(seats) or CAGED in step.programs.values():
        step.stand_ins = [
            PendingBundle(game=step.game, beat=beat, seat=seat, moves=moves, at=at) for seat, moves in stand_ins.items()
        ]
        return events
    step.bundles = list(PendingBundle.objects.filter(game=step.game, beat=beat))
    given = {bundle.seat: bundle.moves for bundle in step.bundles}
    return [*events, *charges(step, at), *leaving.beat(step.fold, {**stand_ins, **given}, step.programs, dealer)]


def charges(step: Step, at: datetime) -> list[Event]:
    """The events that tell what a beat, taken now, costs the banks of people."""
    if step.game.local or not step.game.terms.get("bank_seconds"):
        return []
    return clocks.charges(step.game, at)


def expire_due(limit: int = 100) -> int:
    """Expire every clock that has run out, the oldest first, and return in how many games."""
    due = Game.objects.filter(status=Game.Status.PLAYING, deadline__lte=clock.now()).order_by("deadline")
    return sum(_expire_one(game) for game in due[:limit])


def _expire_one(game: Game) -> bool:
    """`expire`; a game at which it fails holds up no other."""
    with logged.about(game=game.public_id):
        try:
            return expire(game=game)
        except Exception:
            logger.exception("The clocks of game %s cannot be looked at.", game.public_id)
            return False


def resume(*, game: Game) -> None:
    """Let workers try a game again at once that has failed, or at which they have given up.

    Raises `TableError` game_over, not_failed (409).
    """
    failed = Game.objects.filter(Q(failures__gt=0) | Q(retry_at__isnull=False), pk=game.pk, status=Game.Status.PLAYING)
    if not failed.update(failures=0, retry_at=None):
        check_on(game)
        raise TableError(
            409, "not_failed", _("Game {game} has not failed; it goes on by itself.").format(game=game.public_id)
        )
    _wake([game])


def check_on(game: Game) -> None:
    """Raise `TableError` game_over (409) unless the game is on, as its row says now."""
    if not Game.objects.filter(pk=game.pk, status=Game.Status.PLAYING).exists():
        raise TableError(409, "game_over", _("Game {game} is over.").format(game=game.public_id))


def change(game: Game, events_from: Callable[[Step], list[Event]]) -> bool:
    """Store what `events_from` makes of the game as it stands, again and again until nobody else comes first."""
    with logged.about(game=game.public_id):
        return _change(game, events_from)


def _change(game: Game, events_from: Callable[[Step], list[Event]]) -> bool:
    for _attempt in range(TRIES):
        step = begin(game)
        events = events_from(step)
        if not events:
            return False
        at = clock.now()
        step.take(events, at)
        try:
            store([step], at)
        except Conflict:
            continue
        _look_for_bundles(step)
        return True
    raise _stale(game.version)


def _look_for_bundles(step: Step) -> None:
    """Take a beat that waited for nobody but who has just left, or been given a bundle: nobody else would."""
    fold = step.fold
    on = fold.pace == BEATS and fold.go and fold.outcome() is None
    if on and not step.people_awaited() and not programs_due(step):
        take_beat(step.following())


def take_beat(step: Step) -> bool:
    """Take the next beat, of people alone, with the bundles that have been given; False if somebody else came first."""
    step.bundles = list(PendingBundle.objects.filter(game=step.game, beat=step.fold.beat + 1))
    bundles = {bundle.seat: bundle.moves for bundle in step.bundles}
    at = clock.now()
    taken = beat_events(step.fold, bundles, _dealer(step.game))
    step.take([*charges(step, at), *taken], at)
    try:
        store([step], at)
    except Conflict:
        return False
    return True


def programs_due(step: Step) -> bool:
    """Whether house bots, or those who play on for leavers, have something to do where the step ends."""
    programs = step.programs.keys() | step.fold.taken_over.keys()
    return any(seat in programs for seat in step.fold.to_act())


def store(steps: Sequence[Step], at: datetime) -> None:
    """Append the steps' events and bring rows up to date, in one transaction; then tell.

    Raises `Conflict` with the steps whose game is no longer at their version, is over, or has another attempt than
    theirs; then nothing is stored of any of them.
    """
    with transaction.atomic():
        versions = _append(steps, at)
        if late := [step for step, version in zip(steps, versions, strict=True) if version is None]:
            raise Conflict(late)
        _store_stand_ins(steps)
        rows = [_row(step, at) for step in steps]
        kept = _update_games(steps, rows)
        if late := [step for step in steps if step.game.pk not in kept]:
            raise Conflict(late)
        _use_up_bundles(steps)
        _mark_leavers(steps)
        faults.store([fault for step in steps for fault in step.faults])
        over = [step for step in steps if step.game.pk in kept and step.fold.outcome()]
        if over:
            _finish(over, at)
        for step, row in zip(steps, rows, strict=True):
            for name, value in row.items():
                setattr(step.game, name, value)
        log.announce_many({step.game.pk: step.fold.version for step in steps})
        _tell_people(steps)
        _wake([step.game for step in steps if step.attempt is None])


def _append(steps: Sequence[Step], at: datetime) -> Sequence[int | None]:
    if len(steps) == 1:
        step = steps[0]
        return [log.append(step.game.stream_id, step.events, expected=step.expected, times=step.times, at=at)]
    return log.append_many(
        [log.Append(step.game.stream_id, step.events, step.expected, step.times, at) for step in steps]
    )


def _row(step: Step, at: datetime) -> dict[str, Any]:
    """What the game's row says after the step."""
    fold = step.fold
    outcome = fold.outcome()
    programs = step.programs | fold.taken_over
    people = [] if outcome else step.people_awaited()
    to_act = [] if outcome else fold.to_act()
    status = Game.Status.PLAYING
    if outcome:
        status = Game.Status.ABORTED if outcome.termination == ABORTED else Game.Status.FINISHED
    return {
        "version": fold.version,
        "to_act": [] if outcome else fold.awaited(),
        "awaited_since": [] if outcome else _awaited_since(step),
        "awaits_program": any(seat in programs for seat in to_act) and not (people and fold.pace == BEATS),
        "local": all(seat in programs for seat in range(fold.seats)),
        "deadline": None if outcome else _deadline(step, people, at),
        "status": status.value,
        "outcome": observe.outcome_data(outcome) if outcome else None,
        "moved_at": max(at, step.moved_at()),
        "begins_at": check_in.begins_at(fold, step.game.opened_at),
        "finished_at": at if outcome else None,
    }


def _awaited_since(step: Step) -> list[int]:
    """For each seat that the game waits for, the version at which it began to: each beat begins anew."""
    beat = any(event[0] == ev.BEAT for event in step.events)
    since = {} if beat else dict(zip(step.game.to_act, step.game.awaited_since, strict=False))
    return [since.get(seat, step.fold.version) for seat in step.fold.awaited()]


def _deadline(step: Step, people: Sequence[int], at: datetime) -> datetime | None:
    """When the first clock of those whom the game waits for will have run out, or GO is due."""
    if not step.fold.go:
        return _go_due(step, at)
    if not people:
        return None
    if step.game.pk:
        running = clocks.clocks_of(step.game)
    else:
        first = list(zip(step.events, step.times, strict=True))
        running = clocks.clocks_at_opening(step.game, step.programs, step.users, first)
    return running.deadline() if running else None


def _go_due(step: Step, at: datetime) -> datetime:
    """When the waiting time or the countdown is over; with the countdown goes word to the workers."""
    if any(event[0] == ev.COUNTDOWN for event in step.events):
        sweep_in(COUNTDOWN_SECONDS)
        return at + timedelta(seconds=COUNTDOWN_SECONDS)
    if not step.fold.countdown and (due := check_in.due(step.fold, step.game.opened_at, step.programs)):
        return due
    return step.game.deadline or at + timedelta(seconds=READY_SECONDS)


# A runner's append renews its lease; the end of a game, whoever brings it, gives it back. Rule events alone count as
# success, since a game that kills its workers gets an @attempt from each of them.
_UPDATE_GAMES: Final = """
    UPDATE games_game AS game SET
        version = new.version, to_act = new.to_act, awaited_since = new.awaited_since,
        awaits_program = new.awaits_program, local = new.local, deadline = new.deadline, status = new.status,
        outcome = new.outcome, moved_at = new.moved_at, begins_at = new.begins_at, finished_at = new.finished_at,
        leased_by = CASE WHEN new.status = 'playing' THEN game.leased_by ELSE '' END,
        leased_until = CASE
            WHEN new.status <> 'playing' THEN NULL
            WHEN new.attempt IS NULL THEN game.leased_until
            ELSE clock_timestamp() + make_interval(secs => %s) END,
        failures = CASE WHEN new.progress THEN 0 ELSE game.failures END
    FROM jsonb_to_recordset(%s) AS new (
        id bigint, attempt integer, expected integer, progress boolean, version integer, to_act smallint[],
        awaited_since integer[],
        awaits_program boolean, local boolean, deadline timestamptz, status text, outcome jsonb, moved_at timestamptz,
        begins_at timestamptz, finished_at timestamptz)
    WHERE game.id = new.id AND game.version = new.expected AND game.status = 'playing'
        AND (new.attempt IS NULL OR game.attempt = new.attempt)
    RETURNING game.id
"""
_UPDATE_SEATS: Final = """
    UPDATE games_seat AS seat SET score = new.score, "placing" = new."placing"
    FROM jsonb_to_recordset(%s) AS new (game bigint, seat smallint, score integer, "placing" smallint)
    WHERE seat.game_id = new.game AND seat.seat = new.seat
"""


def _update_games(steps: Sequence[Step], rows: Sequence[dict[str, Any]]) -> set[int]:
    """Write the games' rows, and return the ids of those that were still where their step began."""
    data = [
        {
            **row,
            "id": step.game.pk,
            "attempt": step.attempt,
            "expected": step.expected,
            "progress": any(not ev.is_table_event(event) for event in step.events),
        }
        for step, row in zip(steps, rows, strict=True)
    ]
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE_GAMES, [settings.SCOREBOOK_LEASE_SECONDS, json.dumps(data, default=datetime.isoformat)])
        return {row[0] for row in cursor.fetchall()}


def _use_up_bundles(steps: Sequence[Step]) -> None:
    """Delete the bundles that the steps took. Raises `Conflict` where one was replaced meanwhile, or is gone."""
    for step in steps:
        if step.bundles:
            same = reduce(or_, [Q(pk=bundle.pk, moves=bundle.moves) for bundle in step.bundles])
            if PendingBundle.objects.filter(same).delete()[0] < len(step.bundles):
                raise Conflict([step])


def _store_stand_ins(steps: Sequence[Step]) -> None:
    """Give the bundles of those whose clock has run out; one that came at the last moment stands."""
    if stand_ins := [bundle for step in steps for bundle in step.stand_ins]:
        PendingBundle.objects.bulk_create(stand_ins, ignore_conflicts=True)


def _mark_leavers(steps: Sequence[Step]) -> None:
    """Write down in the seats' rows who has left."""
    for step in steps:
        for event in step.events:
            if event[0] == ev.LEFT:
                Seat.objects.filter(game=step.game, seat=event[1]).update(left=event[2])


def _finish(steps: Sequence[Step], at: datetime) -> None:
    """What the end of games brings: the seats' results, and the deal's secret when no game of it is left."""
    results = [
        {"game": step.game.pk, "seat": seat, "score": score, "placing": placing}
        for step in steps
        if (outcome := step.fold.outcome())
        for seat, (score, placing) in enumerate(zip(outcome.scores, outcome.placings, strict=True))
    ]
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE_SEATS, [json.dumps(results)])
    PendingBundle.objects.filter(game__in=[step.game for step in steps]).delete()
    revealed = _reveal({step.game.deal_id for step in steps}, at)
    for step in steps:
        if step.game.deal_id in revealed:
            step.game.deal.revealed_at = at
    after_commit(_tell_over, [step.game.pk for step in steps])


def _reveal(deals: Collection[int], at: datetime) -> list[int]:
    """Reveal those deals of which no game is on, and return them.

    The lock lets one of two games that end at once see that the other is over.
    """
    held: QuerySet[Deal] = Deal.objects.select_for_update().filter(pk__in=deals).order_by("pk")
    ids = [deal.pk for deal in held]
    going = Game.objects.filter(deal=OuterRef("pk"), status=Game.Status.PLAYING)
    known = list(Deal.objects.filter(~Exists(going), pk__in=ids).values_list("pk", flat=True))
    Deal.objects.filter(pk__in=known).update(revealed_at=at)
    return known


def _tell_people(steps: Sequence[Step]) -> None:
    """Tell, after the commit, that games in which people play have moved on."""
    if moved := [step.game.pk for step in steps if not step.game.local]:
        after_commit(_tell_moved, moved)


def _tell_moved(game_ids: Sequence[int]) -> None:
    moved_on.send_robust(sender=Game, game_ids=game_ids)


def _tell_over(game_ids: Sequence[int]) -> None:
    game_over.send_robust(sender=Game, game_ids=game_ids)
