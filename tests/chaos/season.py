"""Plays a season with all the troubles of a club, from registration to the next season, on a simulated clock.

    python -m tests.chaos.season [--seed 1] [--people 64] [--bots 20] [--format swiss]

People and built-in bots in two divisions play each other live, at times that people agree on or miss. More register
than there are places; some do not check in, enter late, are away, withdraw, never come, or delete their account. The
season is paused, one round is extended and another undone, and results are disputed, decided, annulled and replayed. At
the end the best and the worst change their division, others play off for it, and the next season begins. Then only bots
play a short season of duplicate deals, at tables of three that the platform fills. In a round robin (`--format
round_robin`) the games of an entrant who withdraws before half of them are void; in a Swiss season they count.

It prints what happened by the seasons' streams, and figures. It works in a separate database, like `tests.bench.play`.
It exits with 1 if a game is not recorded exactly once, a log does not verify, `rebuild` finds a difference, or anything
stands still.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.bench.play import own_database  # sets Django up

from django.contrib.auth import get_user_model  # isort: skip
from django.db.models import Min  # isort: skip
from games.common import clock
from games.workers import leases

from games.play import services as play  # isort: skip
from games.models import Game, Player  # isort: skip
from tests.chaos.crowd import WORKER, Crowd, sign_up, user_of  # isort: skip
from tests.chaos.season_checks import faults, placed, table_of, timeline, trouble_counts  # isort: skip
from tests.chaos.organiser import Organiser  # isort: skip
from tests.tournaments.club import new_club
from tournaments.director import director
from tournaments.entries import services as entries

from tournaments.lifecycle import setup  # isort: skip
from tournaments.calendar.timetable import pairing_lead_time, planned_at  # isort: skip
from tournaments.formats import FORMATS  # isort: skip
from tournaments.clubs.models import Club  # isort: skip
from tournaments.seasons.models import Match, Round, Season  # isort: skip

OPENING = datetime(2026, 9, 1, 10, 0, tzinfo=UTC)  # registration begins on a Tuesday
START = datetime(2026, 9, 7, 7, 0, tzinfo=UTC)  # Monday, 8:00 in Dublin
DAY = timedelta(days=1)
MOST_STEPS = 20_000
GHOSTS, LATE = 1, 1  # people who never come, and people who enter after the start
NOT_THERE = 2  # people who do not check in
SWISS_ROUNDS = 9
OVERBOOKED = 5  # entrants above the limit: two replace people who did not check in, three stay on the waiting list


@dataclass
class Trial:
    """A club, its season, and the present time. `troubles` are pending, each with its first round; `errands` have the
    time at which they are done."""

    crowd: Crowd
    user: Any
    season: Season
    late: list[Player]
    now: datetime = OPENING
    troubles: list[tuple[int, Callable[[], bool]]] = field(default_factory=list)
    errands: list[tuple[datetime, Callable[[], bool]]] = field(default_factory=list)
    steps: int = 0

    def later(self, after: timedelta, what: Callable[[], bool]) -> None:
        self.errands.append((self.now + after, what))

    def play(self, until: Callable[[Season], bool]) -> None:
        """Move the time from one due moment to the next, until `until` returns true for the season."""
        while not until(self.fresh()):
            self.steps += 1
            assert self.steps < MOST_STEPS, "The season does not end."
            with clock.frozen_at(self.now):
                self.now = self.next_moment()
            with clock.frozen_at(self.now):
                self.step()

    def fresh(self) -> Season:
        self.season = Season.objects.select_related("stream", "league__club__owner").get(pk=self.season.pk)
        return self.season

    def step(self) -> None:
        """Do everything that is due now, until nothing is left."""
        self.run_errands()
        for _turn in range(50):
            play.expire_due_games()
            steps = director.advance()
            self.make_trouble()
            if not self.crowd.act(self.season) and not steps:
                return
        raise AssertionError(f"{self.now}: there is always more to do.")

    def run_errands(self) -> None:
        due = [errand for errand in self.errands if errand[0] <= self.now]
        self.errands = [errand for errand in self.errands if errand[0] > self.now]
        for _at, what in due:
            self.fresh()
            assert what()

    def make_trouble(self) -> None:
        """Make one trouble in each step, so that they do not all happen on one evening."""
        opened = self.season.divisions.get(number=1).rounds_opened
        for trouble in [each for each in self.troubles if each[0] <= opened]:
            if self.fresh().status == Season.Status.RUNNING and trouble[1]():
                self.troubles.remove(trouble)
                return

    def next_moment(self) -> datetime:
        """Return the next moment at which something is due."""
        moments = [moment for moment in self.moments() if moment is not None and moment > self.now]
        assert moments, f"{self.now}: nothing is due, but the season is not over. {self.standing_still()}"
        return min(moments)

    def moments(self) -> Iterator[datetime | None]:
        yield from (at for at, _what in self.errands)
        on = Game.objects.filter(status=Game.Status.PLAYING)
        yield on.aggregate(at=Min("deadline"))["at"]
        season = self.season
        if season.status == Season.Status.OPEN:
            yield season.starts_at
        if season.status != Season.Status.RUNNING:
            return
        rounds = Round.objects.filter(division__season=season, status=Round.Status.OPEN)
        yield Match.objects.filter(round__in=rounds).aggregate(at=Min("opens_at"))["at"]
        yield rounds.filter(overdue_at=None).aggregate(at=Min("closes_at"))["at"]
        yield self.crowd.next_word(season)
        for division in season.divisions.filter(finished_at=None, on_hold=False).exclude(rounds__in=rounds):
            yield planned_at(season, division.rounds_opened + 1) - pairing_lead_time(season)

    def standing_still(self) -> str:
        """Describe what is not over, so that the cause can be found."""
        games = Game.objects.filter(status=Game.Status.PLAYING).values_list("pk", "to_act", "deadline", "begins_at")
        return f"{self.season.status}; games {list(games)[:5]}; troubles {self.troubles}"


# the season


def built_in(bots: int) -> dict[str, int]:
    """Return built-in bot → its number of entries, for `bots` entries together."""
    half = min(-(-bots // 2), setup.MAX_ENTRIES_PER_BOT)
    counts = {"random": half, "sensible": min(bots - half, half), "strong": max(bots - 2 * half, 0)}
    return {name: count for name, count in counts.items() if count}


def plan(people: int, bots: int, format: str) -> setup.SeasonPlan:
    """Return the season's settings. `people` and `bots` will enter, which is more than it has places."""
    most = people + bots - LATE - OVERBOOKED
    return setup.SeasonPlan(
        new_league="Monday League",
        name="Autumn 2026",
        kind="chinese_ten",
        options={"packs": 1, "turn_limit": 6},
        terms={"move_seconds": 60, "bank_seconds": 120},
        format=format,
        format_options={"rounds": SWISS_ROUNDS} if format == "swiss" else {},
        games_a_match=1,
        starts_at=START,
        calendar={"seconds": 7 * 86400, "match_time": "agreed", "fallback_time": "Sunday 18:00", "bots": "at_night"},
        entry={"max_entrants": most, "check_in_hours": 48, "alternates": True, "late_rounds": 3},
        max_no_shows=3,
        on_round_deadline="forfeit",
        divisions=[{"name": "First", "max_entrants": most // 2}, {"name": "Second"}],
        promoted=1,
        relegated=1,
        playoff=1,
        points_carryover=0.25,
        repeats=True,
        bots=built_in(bots),
    )


def found_club() -> Club:
    niamh = get_user_model().objects.create_user("niamh")
    return new_club(name="Lantern Street Card Club", slug="lantern", zone="Europe/Dublin", owner=niamh)


def open_season(seed: int, people: int, bots: int, format: str) -> Trial:
    """Create a club with its season. Everybody has entered except the late entrants."""
    chance = random.Random(seed)
    club = found_club()
    *players, late = sign_up(people)
    season = setup.set_up(club=club, user=club.owner, plan=plan(people, bots, format))
    chance.shuffle(players)
    for player in players:
        setup.enter_as_user(season=season, user=user_of(player))
    trial = Trial(Crowd(chance), club.owner, season, [late])
    trial.errands.append((START - DAY, lambda: check_in(trial, absent=NOT_THERE)))
    return trial


def check_in(trial: Trial, absent: int = 0) -> bool:
    """Check in all people except the first `absent`."""
    there = trial.season.entries.filter(player__user__isnull=False, status__in=(entries.IN, entries.WAITING))
    for entrant in there.select_related("player__user").order_by("number")[absent:]:
        entries.check_in_entrant(entrant=entrant)
    return True


def appoint_ghosts(trial: Trial) -> None:
    """Choose people who have checked in and will never come to a game."""
    people = trial.season.entries.filter(player__user__isnull=False, status=entries.IN).order_by("-number")
    trial.crowd.ghosts = set(people.values_list("player", flat=True)[:GHOSTS])


def simulate(seed: int, people: int, bots: int, format: str) -> Trial:
    """Play the whole season with its troubles."""
    with clock.frozen_at(OPENING):
        trial = open_season(seed, people, bots, format)
    organiser = Organiser(trial, trial.user)
    trial.play(lambda season: season.status == Season.Status.RUNNING)
    appoint_ghosts(trial)
    first = trial.season.entries.filter(division__number=1, status=entries.IN).count()
    rounds = FORMATS[format].rounds(first, 2, trial.season.settings["format_options"])
    trial.troubles = organiser.agenda(rounds or 0)
    trial.play(lambda season: season.status == Season.Status.FINISHED)
    assert not trial.troubles, f"These troubles never came: {[what.__name__ for _round, what in trial.troubles]}."
    return trial


def go_on(trial: Trial) -> Season:
    """Begin the next season: people check in, it starts by itself, and round 1 is played."""
    successor = trial.season.successor
    assert successor is not None, "The season repeats, but it has no successor."
    trial.season = successor
    trial.later(timedelta(hours=3), lambda: check_in(trial))
    trial.play(lambda season: season.divisions.filter(rounds__status=Round.Status.CLOSED).count() == 2)
    return successor


def share_deals(club: Club, bots: int, begins: datetime = START) -> Season:
    """Play a short season of bots at tables of three, with shared deals. The platform fills the last table; a game is
    replayed, a bot withdrawn, and a round undone."""
    with clock.frozen_at(begins):
        season = setup.set_up(
            club=club,
            user=club.owner,
            plan=setup.SeasonPlan(
                new_league="Same Cards",
                name="Winter 2026",
                kind="chinese_ten",
                options={"packs": 1, "turn_limit": 12},
                format="swiss",
                format_options={"rounds": 4},
                table_size=3,
                games_a_match=1,
                calendar={"seconds": 86400},
                short_tables="built_in_bot",
                deals="duplicate",
                tie_breaks=["datum", "wins"],
                bots=built_in(bots),
            ),
            start=True,
        )
    trial = Trial(Crowd(random.Random(0)), club.owner, season, [], now=begins - timedelta(hours=1))
    trial.troubles = Organiser(trial, trial.user, of_bots=True).agenda_of_bots()
    trial.play(lambda season: season.status == Season.Status.FINISHED)
    assert not trial.troubles, f"These troubles never came: {[what.__name__ for _round, what in trial.troubles]}."
    return trial.season


def figures(trial: Trial, season: Season) -> str:
    games = Game.objects.filter(match_game__match__round__division__season=season).count()
    return f"{season}: {games} games, {season.stream.version} events in its stream."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--people", type=int, default=64)
    parser.add_argument("--bots", type=int, default=20)
    parser.add_argument("--format", choices=("swiss", "round_robin"), default="swiss")
    asked = parser.parse_args()
    begun, busy = time.monotonic(), time.process_time()
    with own_database(), leases.heartbeat_of(WORKER):
        trial = simulate(asked.seed, asked.people, asked.bots, asked.format)
        season = trial.season
        print_report(season)
        successor = go_on(trial)
        print(f"\nThe next season: {successor}, {', '.join(placed(successor))}; round 1 is played.\n", flush=True)
        short = share_deals(season.league.club, asked.bots, trial.now + DAY)
        print_report(short)
        print("\n" + "\n".join(figures(trial, each) for each in (season, successor, short)))
        print(
            f"{trial.crowd.moves} moves of people at {trial.steps} moments in {(trial.now - OPENING).days} days; "
            f"{time.monotonic() - begun:.0f} s, CPU time {time.process_time() - busy:.0f} s"
        )
        found = list(faults(season, short))
        print("\n".join(found) or "No faults: every game recorded once, every log verified, rebuild: no differences.")
    return bool(found)


def print_report(season: Season) -> None:
    """Print what happened in a season, its standings, and how often each trouble was."""
    print("\n".join(timeline(season)))
    print("\n" + "\n".join(table_of(season)))
    print("\n" + "\n".join(f"{times:5} × {name}" for name, times in trouble_counts(season).items()), flush=True)


if __name__ == "__main__":
    sys.exit(main())
