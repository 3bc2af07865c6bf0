"""Makes the troubles of a simulated season, as its organiser and its people do, one after the other.

Each trouble is tried from its round on, until the season has what it needs (a running game, a finished match). It is
made once, through the services that the pages call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.db.models import QuerySet

from games.accounts import people
from games.common import clock
from games.models import Game
from tournaments.entries import availability
from tournaments.entries import permissions as entry_permissions
from tournaments.entries import services as entries
from tournaments.lifecycle import running, setup
from tournaments.organiser import nudges
from tournaments.rulings import disputes
from tournaments.rulings import services as rulings
from tournaments.rulings.models import Dispute
from tournaments.seasons.models import Division, Entrant, Match, MatchGame, Round, Season
from tournaments.seasons.stream import fold_season, match_version

if TYPE_CHECKING:
    from tests.chaos.season import Trial

IN, ALTERNATE = Entrant.Status.IN, Entrant.Status.ALTERNATE
DAY = timedelta(days=1)


@dataclass
class Organiser:
    """The season's organiser, who makes the troubles."""

    trial: Trial
    user: User
    of_bots: bool = False
    used: set[int] = field(default_factory=set)  # entrants who have had a trouble

    def agenda(self, rounds: int) -> list[tuple[int, Callable[[], bool]]]:
        """Return all troubles, each with the round of the first division from which it is tried."""
        late = max(rounds - 2, 4)
        return [
            (1, self.somebody_withdraws),
            (1, self.somebody_is_sent_away),
            (1, self.the_alternates_are_used_up),
            (1, self.somebody_comes_late),
            (1, self.somebody_is_away),
            (2, self.the_season_is_paused),
            (2, self.a_match_is_nudged),
            (2, self.a_result_is_disputed_and_decided),
            (3, self.an_account_is_deleted),
            (3, self.a_result_is_disputed_and_stands),
            (3, self.a_game_is_annulled),
            (3, self.a_game_is_played_again),
            (4, self.a_round_is_extended),
            (5, self.a_round_is_undone),
            (late, self.somebody_withdraws_late),
            (late, self.somebody_is_sent_away_late),
        ]

    def agenda_of_bots(self) -> list[tuple[int, Callable[[], bool]]]:
        """Return the troubles of a short season of bots, each with its first round."""
        return [
            (1, self.a_game_is_played_again),
            (2, self.a_bot_is_sent_away),
            (3, self.a_round_is_undone),
            (3, self.a_game_is_annulled),
        ]

    @property
    def season(self) -> Season:
        return self.trial.season

    # people without a trouble

    def free(self, **having: object) -> list[Entrant]:
        """Return the people of the season who have had no trouble so far, the lowest division first."""
        rows = self.season.entries.filter(player__user__isnull=False, status=IN, **having)
        free = rows.exclude(pk__in=self.used).exclude(player__in=self.trial.crowd.ghosts)
        return sorted(
            free.select_related("player__user", "division"), key=lambda each: (-each.division.number, each.number)
        )

    def entrant(self, **having: object) -> Entrant | None:
        """Return the first person without trouble, or None. The person counts as troubled from then on."""
        for found in self.free(**having)[:1]:
            self.used.add(found.pk)
            return found
        return None

    def played_by(self, **having: object) -> dict[int, tuple[int, int]]:
        """Return entrant → (games played, games of the season) for people without trouble."""
        folded = fold_season(self.season)
        return {each.pk: entries.games_played(folded, each) for each in self.free(**having)}

    def somebody_withdraws(self, **having: object) -> bool:
        entrant = self.entrant(**having)
        if entrant is None:
            return False
        own = entry_permissions.own_entrant(self.season, people_user(entrant))
        entries.leave_season(entrant=own, by=people_user(entrant), note="I am moving away.")
        return True

    def somebody_is_sent_away(self, **having: object) -> bool:
        entrant = self.entrant(**having)
        if entrant is None:
            return False
        entry_permissions.withdraw_as_organiser(
            self.season, self.user, entrant.number, note="Asked me to, by telephone."
        )
        return True

    def a_bot_is_sent_away(self) -> bool:
        entry_permissions.withdraw_as_organiser(
            self.season, self.user, self.season.entries.get(number=2).number, note="It is worn out."
        )
        return True

    def somebody_withdraws_late(self) -> bool:
        return self.somebody_withdraws(division__number=1)

    def somebody_is_sent_away_late(self) -> bool:
        """Withdraw the player with the most games after half of them. The other games are forfeited."""
        played = self.played_by(division__number=1)
        most = max(played, key=lambda pk: played[pk][0], default=None)
        if most is None or 2 * played[most][0] < played[most][1]:
            return False
        return self.somebody_is_sent_away(pk=most)

    def the_alternates_are_used_up(self) -> bool:
        while self.season.entries.filter(status=ALTERNATE).exists():
            self.somebody_is_sent_away()
        self.somebody_is_sent_away()
        return True

    def somebody_comes_late(self) -> bool:
        for late in self.trial.late:
            setup.enter_as_user(season=self.season, user=late.user or self.user)
        return True

    def somebody_is_away(self) -> bool:
        for entrant in [self.entrant(), self.entrant()]:
            if entrant:
                opened = entrant.division.rounds_opened
                availability.set_away_rounds(entrant=entrant, rounds=[opened + 1, opened + 3])
        return True

    def an_account_is_deleted(self) -> bool:
        """Delete the account of the player with the fewest games who is in a running game. Before half of the games,
        these become void."""
        played = self.played_by(player__seats__game__status=Game.Status.PLAYING)
        least = min(played, key=lambda pk: played[pk][0], default=None)
        if least is None or 2 * played[least][0] >= played[least][1] > 0:
            return False
        entrant = self.entrant(pk=least)
        assert entrant is not None
        people.delete_account(people_user(entrant))
        return True

    # the calendar

    def the_season_is_paused(self) -> bool:
        entry_permissions.check_may_run(self.season, self.user)
        running.pause_season(season=self.season, by=self.user, note="The hall is flooded.")
        self.trial.later(timedelta(days=9, hours=3), self.the_season_goes_on)
        return True

    def the_season_goes_on(self) -> bool:
        running.resume_season(season=self.season, by=self.user, note="The hall is dry.")
        return True

    def a_round_is_extended(self) -> bool:
        waiting = Match.objects.filter(
            round__status=Round.Status.OPEN, opens_at__gt=clock.now(), begins_at__isnull=False
        )
        match = self.of_season(waiting).first()
        if match is None or match.round.closes_at is None:
            return False
        running.extend_round(
            round=match.round, until=match.round.closes_at + 3 * DAY, by=self.user, note="A long weekend."
        )
        return True

    def a_match_is_nudged(self) -> bool:
        waiting = Match.objects.filter(round__status=Round.Status.OPEN, finished_at=None)
        match = next((each for each in self.of_season(waiting) if nudges.awaited_people(with_games(each))), None)
        if match is None:
            return False
        nudges.nudge_match(match=match, user=self.user, note="Please play.")
        return True

    # results

    def of_season(self, matches: QuerySet[Match]) -> QuerySet[Match]:
        own = matches.filter(round__division__season=self.season)
        return own.select_related("round__division__season").order_by("pk")

    def played(self) -> Match | None:
        """Return the last finished match without a ruling, or None. It is one of people, except in a season of bots."""
        over = Match.objects.filter(
            finished_at__isnull=False, organiser_actions=None, games__game__status=Game.Status.FINISHED
        )
        wanted = self.of_season(over)
        if not self.of_bots:
            wanted = wanted.exclude(entrants__entrant__player__user=None)
        fresh = wanted.exclude(entrants__entrant__status=Entrant.Status.WITHDRAWN)
        return fresh.exclude(round__status=Round.Status.UNDONE).last()

    def a_result_is_disputed_and_decided(self) -> bool:
        match = self.played()
        if match is None:
            return False
        self._dispute(match)
        seen = match_version(match)
        rulings.adjudicate(match=match, places=(2, 1), by=self.user, note="Both say so.", key="decide", version=seen)
        return True

    def a_result_is_disputed_and_stands(self) -> bool:
        match = self.played()
        if match is None:
            return False
        disputes.decline_dispute(dispute=self._dispute(match), by=self.user, note="The log shows it.")
        return True

    def _dispute(self, match: Match) -> Dispute:
        entrant = Entrant.objects.filter(matches__match=match).select_related("player__user").order_by("number").first()
        assert entrant is not None
        return disputes.open_dispute(match=match, by=people_user(entrant), note="I had won that.")

    def a_game_is_annulled(self) -> bool:
        match = self.played()
        if match is None:
            return False
        rulings.annul_game(match=match, game=1, by=self.user, note="Somebody looked over a shoulder.", key="annul")
        return True

    def a_game_is_played_again(self) -> bool:
        match = self.played()
        if match is None:
            return False
        rulings.order_replay(match=match, game=1, by=self.user, note="The power failed.", key="again")
        return True

    def a_round_is_undone(self) -> bool:
        division = Division.objects.get(season=self.season, number=1)
        last = Round.objects.filter(division=division).order_by("-number").first()
        over = MatchGame.objects.filter(match__round=last, recorded_at__isnull=False)
        if last is None or not over.exists():
            return False
        rulings.undo_round(division=division, number=last.number, by=self.user, note="Wrong list.", key="undo")
        self.trial.later(timedelta(hours=5), self.the_round_is_paired_again)
        return True

    def the_round_is_paired_again(self) -> bool:
        division = Division.objects.get(season=self.season, number=1)
        rulings.pair_again(division=division, by=self.user, note="The list is right now.", key="pair")
        return True


def with_games(match: Match) -> Match:
    return nudges.with_games(Match.objects.filter(pk=match.pk)).select_related("round").get()


def people_user(entrant: Entrant) -> User:
    assert entrant.player.user is not None
    return entrant.player.user
