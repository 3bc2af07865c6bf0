"""The people of a simulated season. They come or stay away, agree on times or do not answer, and play random legal
moves."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Min, QuerySet

from games.accounts import people
from games.common import clock
from games.common.errors import DomainError
from games.models import Game, Player, Seat
from games.play import services as play
from games.play.departures import RESIGNED
from games.workers import runner
from scorebook_games.gamelog.fold import Fold
from tournaments.calendar import scheduling
from tournaments.calendar.models import Proposal
from tournaments.seasons.models import Entrant, Match, Season

FIRST = ("Martha", "Laura", "Otto", "Jonas", "Ewa", "Tove", "Ines", "Padraig")
LAST = ("Abel", "Brandt", "Costa", "Doyle", "Egan", "Frost", "Grieg", "Hale", "Ibsen", "Joyce")
WORKER = "simulated"
HOUR = timedelta(hours=1)
READ_AFTER = 7 * HOUR
COMES, FORGETS, SLEEPS, RESIGNS = "comes", "forgets", "sleeps", "resigns"


@dataclass(frozen=True, slots=True)
class Temper:
    """The probabilities that a person forgets a game, falls asleep over it, resigns, proposes a time, or accepts
    one."""

    forgets: float = 0.01
    sleeps: float = 0.02
    resigns: float = 0.02
    offers: float = 0.5
    accepts: float = 0.6


USUAL, GHOST = Temper(), Temper(forgets=1, offers=0, accepts=0)


def sign_up(count: int) -> list[Player]:
    """Create people with accounts, and return their players."""
    names = [f"{first} {last}" for last in LAST for first in FIRST][:count]
    users = [User.objects.create_user(name.lower().replace(" ", "-")) for name in names]
    return [
        people.create_profile_and_player(user, name, zone="Europe/Dublin")
        for user, name in zip(users, names, strict=True)
    ]


@dataclass
class Crowd:
    """All people with an account. `ghosts` never come; for all others `chance` decides each question once."""

    chance: random.Random
    ghosts: set[int] = field(default_factory=set)
    minds: dict[tuple[int, int], str] = field(default_factory=dict)  # (game, seat) → what they will do
    thought: set[int] = field(default_factory=set)  # matches for which people decided whether to propose a time
    heard: set[int] = field(default_factory=set)  # proposals that were read
    moves: int = 0

    def temper(self, player: Player) -> Temper:
        return GHOST if player.pk in self.ghosts else USUAL

    def act(self, season: Season) -> bool:
        """Let all people do what is their turn now. Return whether anybody did anything."""
        did = [self._answer(season), self._offer(season), self._check_in(), self.play()]
        return any(did)

    # agreeing on times

    def next_word(self, season: Season) -> datetime | None:
        """Return the time at which the oldest unread proposal is read, or None."""
        oldest = self._unread(season).aggregate(at=Min("made_at"))["at"]
        return oldest + READ_AFTER if oldest else None

    def _unread(self, season: Season) -> QuerySet[Proposal]:
        made = Proposal.objects.filter(match__round__division__season=season, status=Proposal.Status.OPEN)
        return made.filter(answer_by__gt=clock.now(), match__opens_at__gt=clock.now()).exclude(pk__in=self.heard)

    def _answer(self, season: Season) -> bool:
        read = self._unread(season).filter(made_at__lte=clock.now() - READ_AFTER)
        return sum(self._answer_to(one) for one in read.select_related("match__round", "by")) > 0

    def _answer_to(self, made: Proposal) -> bool:
        self.heard.add(made.pk)
        others = Entrant.objects.filter(matches__match=made.match, player__user__isnull=False)
        other = others.exclude(pk=made.by_id).select_related("player__user").first()
        if other is None:
            return False
        drawn, user, temper = self.chance.random(), user_of(other.player), self.temper(other.player)
        if drawn < temper.accepts:
            scheduling.accept_proposal(proposal=made, user=user, times=[self.chance.choice(made.times)])
        elif drawn < temper.accepts + temper.offers / 4:
            scheduling.propose(match=made.match, user=user, times=self._times(made.match))
        elif temper.offers:
            scheduling.decline_proposal(proposal=made, user=user)
        return True

    def _offer(self, season: Season) -> bool:
        waiting = Match.objects.filter(round__division__season=season, opens_at__gt=clock.now() + HOUR)
        fresh = waiting.filter(timing=Match.Timing.FALLBACK).exclude(pk__in=self.thought).select_related("round")
        return sum(self._offer_for(match) for match in fresh.order_by("pk")) > 0

    def _offer_for(self, match: Match) -> bool:
        self.thought.add(match.pk)
        sides = Entrant.objects.filter(matches__match=match, player__user__isnull=False, status=Entrant.Status.IN)
        for side in sides.select_related("player__user").order_by("number"):
            if self.chance.random() < self.temper(side.player).offers:
                scheduling.propose(match=match, user=user_of(side.player), times=self._times(match))
                return True
        return False

    def _times(self, match: Match) -> list[datetime]:
        """Return one or two evenings between tomorrow and the end of the round, or an hour before its end."""
        closes = match.round.closes_at
        assert closes is not None
        first = (clock.now() + READ_AFTER + 24 * HOUR).replace(hour=19, minute=0, second=0, microsecond=0)
        evenings = [first + day * 24 * HOUR for day in range(14) if first + day * 24 * HOUR < closes]
        return self.chance.sample(evenings, min(len(evenings), self.chance.randint(1, 2))) or [closes - HOUR]

    # at the table

    def _check_in(self) -> bool:
        waiting = Seat.objects.filter(
            game__status=Game.Status.PLAYING, game__begins_at__isnull=False, player__user__isnull=False, left=""
        )
        fresh = [row for row in waiting.select_related("game", "player") if (row.game_id, row.seat) not in self.minds]
        return sum(self._come(row) for row in fresh) > 0

    def _come(self, row: Seat) -> bool:
        mind = self.mind(row.game_id, row.seat, row.player)
        if mind == FORGETS:
            return False
        play.mark_ready(game=row.game, seat=row.seat)
        return True

    def mind(self, game: int, seat: int, player: Player) -> str:
        """Return what a person will do about a game. It is decided once."""
        if (game, seat) not in self.minds:
            temper = self.temper(player)
            rest = 1 - temper.forgets - temper.sleeps - temper.resigns
            odds = [max(rest, 0), temper.forgets, temper.sleeps, temper.resigns]
            [self.minds[game, seat]] = self.chance.choices([COMES, FORGETS, SLEEPS, RESIGNS], odds)
        return self.minds[game, seat]

    def play(self) -> bool:
        """Let people and bots play the running games until these end or wait for a sleeping person. Return whether
        anybody moved."""
        did = False
        while any([self._play_people(), runner.play_due_games(WORKER) > 0]):
            did = True
        return did

    def _play_people(self) -> bool:
        on = Game.objects.filter(status=Game.Status.PLAYING, begins_at=None, played_by_workers=False).exclude(to_act=[])
        return sum(self._play(game) for game in on.order_by("pk")) > 0

    def _play(self, game: Game) -> bool:
        """Move for the people whose turn it is. Workers play for bots."""
        rows = {row.seat: row.player for row in game.seats.select_related("player__bot_version")}
        moved = False
        while game.status == Game.Status.PLAYING:
            fold = play.load_game(game)
            seats = [seat for seat in fold.awaited() if not rows[seat].is_bot and seat not in fold.left]
            seat = next((seat for seat in seats if self.mind(game.pk, seat, rows[seat]) != SLEEPS), None)
            if not fold.go or seat is None:
                break
            if self.mind(game.pk, seat, rows[seat]) == RESIGNS and fold.rule_events > 8:
                play.leave_game(game=game, seat=seat, how=RESIGNED)
            else:
                self._move(game, fold, seat)
            moved = True
        return moved

    def _move(self, game: Game, fold: Fold, seat: int) -> None:
        action = self.chance.choice(fold.rules.legal_actions(fold.state, seat))
        text = fold.rules.move_text(fold.state, action)
        try:
            play.play_move(game=game, seat=seat, text=text, expected_version=fold.version)
            self.moves += 1
        except DomainError as error:
            if error.code not in ("clock_expired", "game_over"):
                raise
        game.refresh_from_db()


def user_of(player: Player) -> User:
    assert player.user is not None
    return player.user
