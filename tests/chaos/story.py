"""The steps and services of the leagues, each with a prepared season, for `tests.chaos.steps`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from games.accounts import people
from games.common import clock
from games.models import Game, Player
from games.play import services as play_services
from games.play.departures import RESIGNED
from tests.chaos.repeated_steps import Step
from tests.fixtures.saved_rows import restored
from tests.tournaments.club import new_club
from tournaments import tasks as league_tasks
from tournaments.calendar import entries as calendar_entries
from tournaments.calendar import scheduling
from tournaments.clubs.models import Club, Membership
from tournaments.director import close_rounds, director, open_rounds, overdue_games, record_results
from tournaments.entries import availability, challenges
from tournaments.entries import permissions as entry_permissions
from tournaments.entries import services as entries
from tournaments.importexport import entrants as importexport
from tournaments.importexport import export
from tournaments.lifecycle import running, setup
from tournaments.lifecycle import services as seasons
from tournaments.maintenance import rebuild
from tournaments.organiser import nudges
from tournaments.rulings import disputes, substitutions
from tournaments.rulings import services as rulings
from tournaments.seasons import stream
from tournaments.seasons.models import Entrant, Match, Round, SealedLineup, Season, TeamMember
from tournaments.standings.models import Standing
from tournaments.teams import lineups
from tournaments.teams import services as teams

NOW = datetime(2026, 9, 7, 8, 0, tzinfo=UTC)  # a Monday
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
WHY = "The clock was wrong."
AGREED: dict[str, Any] = {"calendar": {"seconds": 7 * 86400, "match_time": "agreed"}, "terms": {"move_seconds": 60}}
LEAVES: dict[str, Any] = {"calendar": {"seconds": 7 * 86400}, "terms": {"move_days": 3}}
numbers = count(1)


def somebody() -> Player:
    number = next(numbers)
    return people.create_profile_and_player(User.objects.create_user(f"person{number}"), f"Person {number}")


def niamh() -> User:
    return User.objects.get_or_create(username="niamh")[0]


def club() -> Club:
    found = Club.objects.filter(slug="lantern").first()
    return found or new_club(name="Lantern", slug="lantern", zone="Europe/Dublin", owner=niamh())


def saved(name: Hashable, make: Callable[[], Season]) -> Season:
    """Return the season that `make` makes. In a test's transaction its rows are saved for other scenes."""
    return restored(name, make) if connection.in_atomic_block else make()


def season_of(players: int = 4, *, start: bool = True, pair: bool = True, **settings: Any) -> Season:
    """Create a season of this many people in a new league. By default round 1 is paired."""
    name = ("scene", players, start, pair, repr(sorted(settings.items())))
    return saved(name, lambda: _season_of(players, start=start, pair=pair, **settings))


def _season_of(players: int, *, start: bool, pair: bool, **settings: Any) -> Season:
    calendar = settings.get("calendar", {})
    if calendar.get("match_time") == "agreed":
        settings["calendar"] = {**calendar, "fallback_time": "Sunday 18:00"}
    wanted = {"kind": "chinese_ten", "options": {"packs": 1}, "format": "round_robin", "games_a_match": 1}
    name = f"League {next(numbers)}"
    plan = setup.SeasonPlan(new_league=name, name="Autumn", starts_at=NOW, **{**wanted, **LEAVES, **settings})
    season = setup.set_up(club=club(), user=niamh(), plan=plan)
    entries.enter_players(season=season, players=[somebody() for _ in range(players)])
    if start:
        season = seasons.start_season(season=season, seed=f"{next(numbers):064x}")
        for division in season.divisions.all() if pair else ():
            open_rounds.open_round(division=division)
    return season


def play(season: Season) -> None:
    """End all running games. The player in the second seat resigns."""
    own = Game.objects.filter(match_game__match__round__division__season=season, status=Game.Status.PLAYING)
    for game in own.order_by("pk"):
        play_services.leave_game(game=game, seat=1, how=RESIGNED)


def user_of(entrant: Entrant) -> User:
    assert entrant.player.user is not None
    return entrant.player.user


def first(season: Season) -> Entrant:
    return season.entries.select_related("player__user", "division").order_by("number")[0]


def match_of(season: Season) -> Match:
    matches = Match.objects.filter(round__division__season=season).order_by("round__number", "table")
    return matches.select_related("round__division__season__league__club")[0]


def one_of(match: Match) -> User:
    rows = Entrant.objects.filter(matches__match=match).select_related("player__user")
    return user_of(rows.order_by("matches__order")[0])


def other_of(match: Match) -> User:
    rows = Entrant.objects.filter(matches__match=match).select_related("player__user")
    return user_of(rows.order_by("matches__order")[1])


def recorded() -> Season:
    """Return a season whose round 1 is played, recorded and closed and whose round 2 runs."""
    return saved("scene, round 2", _recorded)


def _recorded() -> Season:
    season = season_of()
    play(season)
    record_results.record_results(season=season)
    close_rounds.close_round(round=season.divisions.get().rounds.get())
    with clock.frozen_at(NOW + 7 * DAY):
        open_rounds.open_round(division=season.divisions.get())
    return season


def at(step: Callable[..., Any], note: str = "") -> str:
    """Return the name of a step's scene: its module and function, and a note on what is special."""
    name = f"{step.__module__.removeprefix('tournaments.')}.{step.__name__}"
    return f"{name}, {note}" if note else name


@dataclass(frozen=True)
class Scene:
    """A season that `prepare` sets up. `prepare` returns the call of the step, which is made `later` than now."""

    name: str
    prepare: Callable[[], Callable[[], Any]]
    later: timedelta = timedelta(minutes=5)
    parts: bool = False
    unnamed: tuple[str, ...] = ()

    def step(self) -> Step:
        with clock.frozen_at(NOW):
            call = self.prepare()
        return Step(self.name, NOW + self.later, call, self.parts, self.unnamed)


def scenes() -> Iterator[Scene]:
    yield from entering()
    yield from directing()
    yield from agreeing()
    yield from deciding()
    yield from organising()
    yield from playing_in_teams()
    yield from messages()


def entering() -> Iterator[Scene]:
    def set_up() -> Callable[[], Any]:
        plan = setup.SeasonPlan(new_league="Mondays", name="Autumn", kind="chinese_ten", bots={"random": 3})
        owned, owner = club(), niamh()
        return lambda: setup.set_up(club=owned, user=owner, plan=plan)

    def enter() -> Callable[[], Any]:
        season, player = season_of(3, start=False), somebody()
        return lambda: entries.enter_season(season=season, player=player)

    def enter_several() -> Callable[[], Any]:
        season, players = season_of(3, start=False), [somebody() for _ in range(3)]
        return lambda: entries.enter_players(season=season, players=players)

    def admit() -> Callable[[], Any]:
        season = season_of(0, start=False, entry={"invited_only": True})
        entries.enter_season(season=season, player=somebody(), by_organiser=False)
        return lambda: entry_permissions.admit_as_organiser(season, niamh(), 1)

    def check_in() -> Callable[[], Any]:
        entrant = first(season_of(2, start=False, entry={"check_in_hours": 24}))
        return lambda: entries.check_in_entrant(entrant=entrant)

    def away() -> Callable[[], Any]:
        entrant = first(season_of())
        return lambda: availability.set_away_rounds(entrant=entrant, rounds=[2, 3])

    def leave() -> Callable[[], Any]:
        entrant = first(season_of(4, start=False, entry={"max_entrants": 3}))
        return lambda: entries.leave_season(entrant=entrant, by=user_of(entrant))

    def withdraw() -> Callable[[], Any]:
        season = season_of()
        return lambda: entry_permissions.withdraw_as_organiser(season, niamh(), 1, note=WHY)

    def challenge() -> Callable[[], Any]:
        season = season_of(3, format="ladder", pair=False)
        folded = stream.fold_season(season)
        lots = folded.lots(folded.division(1))
        other, own = (season.entries.get(number=number) for number in sorted(lots, key=lots.__getitem__)[-2:])
        return lambda: challenges.create_challenge(entrant=own, other=other)

    def asked() -> tuple[Entrant, Entrant]:
        """Return a challenged entrant who has used up the free decline, and the challenger."""
        season = season_of(4, format="ladder", pair=False)
        folded = stream.fold_season(season)
        lots = folded.lots(folded.division(1))
        own, *others = (season.entries.get(number=number) for number in sorted(lots, key=lots.__getitem__)[1:])
        challenges.create_challenge(entrant=others[0], other=own)
        challenges.decline_challenge(entrant=own, challenger=others[0])
        challenges.create_challenge(entrant=others[1], other=own)
        return own, others[1]

    def accept_challenge() -> Callable[[], Any]:
        own, challenger = asked()
        return lambda: challenges.accept_challenge(entrant=own, challenger=challenger)

    def decline_challenge() -> Callable[[], Any]:
        own, challenger = asked()
        return lambda: challenges.decline_challenge(entrant=own, challenger=challenger, by=user_of(own), note=WHY)

    def take_back() -> Callable[[], Any]:
        _own, challenger = asked()
        return lambda: challenges.withdraw_challenge(entrant=challenger)

    def unanswered() -> Callable[[], Any]:
        division = asked()[0].division
        return lambda: open_rounds.open_round(division=division)

    yield Scene(at(setup.set_up), set_up)
    yield Scene(at(entries.enter_season), enter)
    yield Scene(at(entries.enter_players), enter_several)
    yield Scene(at(entries.admit_entrant), admit)
    yield Scene(at(entries.check_in_entrant), check_in, -HOUR)
    yield Scene(at(availability.set_away_rounds), away)
    yield Scene(at(entries.leave_season, "somebody waits"), leave)
    yield Scene(at(entries.withdraw_entrant, "games are running"), withdraw)
    yield Scene(at(challenges.create_challenge), challenge)
    yield Scene(at(challenges.accept_challenge), accept_challenge)
    yield Scene(at(challenges.decline_challenge, "it costs a place"), decline_challenge)
    yield Scene(at(challenges.withdraw_challenge), take_back)
    yield Scene(at(open_rounds.open_round, "a challenge was not answered"), unanswered, 15 * DAY)


def directing() -> Iterator[Scene]:
    def start() -> Callable[[], Any]:
        season = season_of(4, start=False, divisions=[{"max_entrants": 2}, {}])
        return lambda: seasons.start_season(season=season)

    def start_by_itself() -> Callable[[], Any]:
        season = season_of(5, start=False, entry={"max_entrants": 4, "check_in_hours": 24, "alternates": True})
        for entrant in season.entries.order_by("number")[1:]:
            entries.check_in_entrant(entrant=entrant)
        return lambda: director.start_automatically(season=season)

    def open_round() -> Callable[[], Any]:
        division = season_of(5, pair=False).divisions.get()
        return lambda: open_rounds.open_round(division=division)

    def open_matches() -> Callable[[], Any]:
        matches = list(Match.objects.filter(round__division__season=season_of(4, **AGREED)))
        return lambda: open_rounds.open_matches(matches=matches)

    def record() -> Callable[[], Any]:
        season = season_of(5)
        play(season)
        return lambda: record_results.record_results(season=season)

    def close() -> Callable[[], Any]:
        season = season_of(5)
        play(season)
        record_results.record_results(season=season)
        round = season.divisions.get().rounds.get()
        return lambda: close_rounds.close_round(round=round)

    def finish() -> Callable[[], Any]:
        season = season_of(4, divisions=[{"max_entrants": 2}, {}], playoff=1)
        play(season)
        record_results.record_results(season=season)
        rounds = list(Round.objects.filter(division__season=season))
        close_rounds.close_round(round=rounds[0])
        return lambda: close_rounds.close_round(round=rounds[1])

    def sanction() -> Callable[[], Any]:
        season = season_of(4, max_no_shows=1, on_round_deadline="forfeit")
        with clock.frozen_at(NOW + 7 * DAY):
            close_rounds.expire_round(round=season.divisions.get().rounds.get())
        record_results.record_results(season=season)
        round = season.divisions.get().rounds.get()
        return lambda: close_rounds.close_round(round=round)

    def end_time() -> Callable[[], Any]:
        round = season_of(4, on_round_deadline="forfeit").divisions.get().rounds.get()
        return lambda: close_rounds.expire_round(round=round)

    def give_up() -> Callable[[], Any]:
        game = Game.objects.filter(match_game__match=match_of(season_of(2))).get()
        return lambda: overdue_games.forfeit_waiting_seats(game)

    def repeat() -> Callable[[], Any]:
        season = season_of(2, repeats=True)
        play(season)
        record_results.record_results(season=season)
        close_rounds.close_round(round=season.divisions.get().rounds.get())
        return lambda: seasons.open_successor(season=season)

    yield Scene(at(seasons.start_season, "two divisions"), start)
    yield Scene(at(director.start_automatically, "one has not checked in"), start_by_itself)
    yield Scene(at(open_rounds.open_round), open_round)
    yield Scene(at(open_rounds.open_matches), open_matches, 6 * DAY + 10 * HOUR)
    yield Scene(at(record_results.record_results), record)
    yield Scene(at(close_rounds.close_round), close)
    yield Scene(at(close_rounds.close_round, "a no-show is withdrawn"), sanction, 7 * DAY)
    yield Scene(at(close_rounds.close_round, "a play-off begins"), finish)
    yield Scene(at(close_rounds.expire_round), end_time, 8 * DAY)
    yield Scene(at(overdue_games.forfeit_waiting_seats), give_up)
    yield Scene(at(seasons.open_successor), repeat)


def agreeing() -> Iterator[Scene]:
    thursday = NOW + 3 * DAY + 10 * HOUR

    def propose() -> Callable[[], Any]:
        match = match_of(season_of(2, **AGREED))
        return lambda: scheduling.propose(match=match, user=one_of(match), times=[thursday])

    def answered(answer: Callable[..., Any], *, own: bool = False) -> Callable[[], Callable[[], Any]]:
        def prepare() -> Callable[[], Any]:
            match = match_of(season_of(2, **AGREED))
            made = scheduling.propose(match=match, user=one_of(match), times=[thursday, thursday + DAY])
            return lambda: answer(proposal=made, user=one_of(match) if own else other_of(match))

        return prepare

    yield Scene(at(scheduling.propose), propose)
    yield Scene(at(scheduling.accept_proposal), answered(scheduling.accept_proposal))
    yield Scene(at(scheduling.decline_proposal), answered(scheduling.decline_proposal))
    yield Scene(at(scheduling.withdraw_proposal), answered(scheduling.withdraw_proposal, own=True))


def deciding() -> Iterator[Scene]:
    def adjudicate() -> Callable[[], Any]:
        match = match_of(recorded())
        disputes.open_dispute(match=match, by=one_of(match), note=WHY)
        return lambda: rulings.adjudicate(match=match, places=(2, 1), by=niamh(), note=WHY, key="a")

    def annul() -> Callable[[], Any]:
        match = match_of(recorded())
        return lambda: rulings.annul_game(match=match, game=1, by=niamh(), note=WHY, key="b")

    def replay() -> Callable[[], Any]:
        match = match_of(recorded())
        return lambda: rulings.order_replay(match=match, game=1, by=niamh(), note=WHY, key="c")

    def undo() -> Callable[[], Any]:
        division = recorded().divisions.get()
        return lambda: rulings.undo_round(division=division, number=2, by=niamh(), note=WHY, key="d")

    def pair() -> Callable[[], Any]:
        division = recorded().divisions.get()
        rulings.undo_round(division=division, number=2, by=niamh(), note=WHY)
        return lambda: rulings.pair_again(division=division, by=niamh(), note=WHY, key="e")

    def dispute() -> Callable[[], Any]:
        match = match_of(recorded())
        return lambda: disputes.open_dispute(match=match, by=one_of(match), note=WHY)

    def decline() -> Callable[[], Any]:
        match = match_of(recorded())
        made = disputes.open_dispute(match=match, by=one_of(match), note=WHY)
        return lambda: disputes.decline_dispute(dispute=made, by=niamh(), note=WHY)

    yield Scene(at(rulings.adjudicate, "disputed"), adjudicate)
    yield Scene(at(rulings.annul_game), annul)
    yield Scene(at(rulings.order_replay), replay)
    yield Scene(at(rulings.undo_round), undo)
    yield Scene(at(rulings.pair_again), pair)
    yield Scene(at(disputes.open_dispute), dispute)
    yield Scene(at(disputes.decline_dispute), decline)


def organising() -> Iterator[Scene]:
    def create() -> Callable[[], Any]:
        league = season_of(0, start=False).league
        return lambda: seasons.create_season(league=league, name="Winter", kind="chinese_ten", format="round_robin")

    def change() -> Callable[[], Any]:
        season = season_of(2, start=False)
        plan = setup.SeasonPlan(league=season.league.slug, name="Late", kind="chinese_ten", games_a_match=2)
        asked = {**plan.settings(), "name": "Late autumn", "starts_at": NOW, "repeats": True}
        return lambda: seasons.change_season(season=season, **asked)

    def unlisted() -> Callable[[], Any]:
        season = season_of(0, start=False)
        return lambda: seasons.remove_season(season=season)

    def file() -> Callable[[], Any]:
        season, owned, owner = recorded(), club(), niamh()
        text = export.as_json(season).decode()
        plan = setup.SeasonPlan(new_league="Taken over", name="Autumn", kind="chinese_ten")
        asked: dict[str, Any] = {"plan": plan, "text": text, "results": True, "dry_run": False}
        return lambda: importexport.import_season(club=owned, user=owner, **asked)

    def spoiled() -> Callable[[], Any]:
        """Prepare two seasons with rows that are missing or differ from the logs."""
        recorded(), recorded()
        Standing.objects.filter(place=1).delete()
        Match.objects.filter(finished_at__isnull=False).update(finished_at=None)
        Game.objects.filter(status=Game.Status.FINISHED).update(version=1)
        return lambda: list(rebuild.find_differences(write=True))

    def pause() -> Callable[[], Any]:
        season = season_of()
        return lambda: running.pause_season(season=season, by=niamh(), note=WHY)

    def resume() -> Callable[[], Any]:
        season = season_of(4, **AGREED)
        running.pause_season(season=season, by=niamh())
        return lambda: running.resume_season(season=season, by=niamh(), note=WHY)

    def extend() -> Callable[[], Any]:
        round = Round.objects.get(division__season=season_of(2, on_round_deadline="forfeit"))
        return lambda: running.extend_round(round=round, until=NOW + 9 * DAY, by=niamh(), note=WHY)

    def abandon() -> Callable[[], Any]:
        season = recorded()
        return lambda: running.abandon_season(season=season, how="void", by=niamh(), note=WHY)

    def nudge() -> Callable[[], Any]:
        match = match_of(season_of(2))
        return lambda: nudges.nudge_match(match=match, user=niamh(), note=WHY)

    def remove() -> Callable[[], Any]:
        season = season_of(2, start=False)
        return lambda: setup.cancel_season(season=season, user=niamh(), note=WHY)

    yield Scene(at(seasons.create_season), create)
    yield Scene(at(seasons.change_season), change)
    yield Scene(at(seasons.remove_season), unlisted)
    yield Scene(at(importexport.import_season, "with its results"), file)
    yield Scene(at(rebuild.find_differences, "rows are wrong"), spoiled, unnamed=("standings_standing",))
    yield Scene(at(running.pause_season), pause)
    yield Scene(at(running.resume_season, "matches were missed"), resume, 8 * DAY)
    yield Scene(at(running.extend_round), extend)
    yield Scene(at(running.abandon_season, "games are running"), abandon)
    yield Scene(at(nudges.nudge_match), nudge)
    yield Scene(at(setup.cancel_season), remove)


def team_season(*, start: bool = True) -> Season:
    """Create a season of two teams of three people at two boards. By default a match is paired, and asks for its
    line-ups."""
    return saved(("team scene", start), lambda: _team_season(start=start))


def _team_season(*, start: bool) -> Season:
    season = season_of(0, start=False, format="team_round_robin", format_options={"boards": 2}, games_a_match=2)
    for name in ("Foxes", "Herons"):
        members = [club_member() for _ in range(3)]
        teams.register_team(season=season, name=name, members=members, captain=members[0])
    if start:
        season = seasons.start_season(season=season, seed=f"{next(numbers):064x}")
        open_rounds.open_round(division=season.divisions.get())
    return season


def club_member() -> Player:
    player = somebody()
    Membership.objects.create(club=club(), user_id=player.user_id or 0)
    return player


def team_of(season: Season, number: int) -> Entrant:
    return season.entries.select_related("player", "season__league__club").get(number=number)


def members_of(team: Entrant) -> list[Player]:
    rows = TeamMember.objects.filter(entrant=team, order__isnull=False).select_related("player__user")
    return [row.player for row in rows.order_by("order")]


def hand_in_lineup(season: Season, number: int) -> SealedLineup:
    """Hand in the line-up of a team without its second player."""
    team = team_of(season, number)
    first, _second, third = members_of(team)
    return lineups.hand_in(match=match_of(season), entrant=team, players=[first.pk, third.pk], by=first.user)


def playing_in_teams() -> Iterator[Scene]:
    def register() -> Callable[[], Any]:
        season, members = team_season(start=False), [club_member() for _ in range(3)]
        return lambda: teams.register_team(season=season, name="Otters", members=members, captain=members[0])

    def change() -> Callable[[], Any]:
        team = team_of(team_season(), 1)
        members = [*members_of(team), club_member()]
        return lambda: teams.change_team(entrant=team, members=members, captain=members[1], name="Vixens")

    def leave() -> Callable[[], Any]:
        team = team_of(team_season(), 1)
        captain = members_of(team)[0]
        return lambda: teams.leave_team(entrant=team, player=captain)

    def drop() -> Callable[[], Any]:
        team = team_of(team_season(), 1)
        member = team.members.filter(order__isnull=False).select_related("entrant__season", "player").order_by("pk")[0]
        return lambda: teams.drop_member(member=member, why="admin")

    def enter_again() -> Callable[[], Any]:
        before = team_season()
        plan = setup.SeasonPlan(league=before.league.slug, name="Winter", kind="chinese_ten", format=before.format)
        season = setup.set_up(club=club(), user=niamh(), plan=plan)
        return lambda: teams.enter_teams_again(before=before, season=season)

    def hand_in_first() -> Callable[[], Any]:
        season = team_season()
        return lambda: hand_in_lineup(season, 1)

    def hand_in_last() -> Callable[[], Any]:
        season = team_season()
        hand_in_lineup(season, 1)
        return lambda: hand_in_lineup(season, 2)

    def reveal() -> Callable[[], Any]:
        season = team_season()
        hand_in_lineup(season, 1)
        matches = [match_of(season)]
        return lambda: open_rounds.open_matches(matches=matches)

    def opened() -> Season:
        season = team_season()
        with clock.frozen_at(NOW + 2 * DAY):
            open_rounds.open_matches(matches=[match_of(season)])
        return season

    def replace() -> Callable[[], Any]:
        season = opened()
        team = team_of(season, 1)
        third = members_of(team)[2]
        asked: dict[str, Any] = {"by": niamh(), "note": WHY, "key": "f"}
        return lambda: substitutions.substitute(match=match_of(season), team=team, board=2, player=third, **asked)

    def record() -> Callable[[], Any]:
        season = opened()
        play(season)
        return lambda: record_results.record_results(season=season)

    def at_deadline() -> Callable[[], Any]:
        season = team_season()
        hand_in_lineup(season, 1)
        return lambda: director.advance()

    def withdraw() -> Callable[[], Any]:
        team = team_of(opened(), 2)
        return lambda: entries.withdraw_entrant(entrant=team, why="organiser", by=niamh(), note=WHY)

    def give_up() -> Callable[[], Any]:
        game = Game.objects.filter(match_game__match=match_of(opened())).order_by("pk")[0]
        return lambda: overdue_games.forfeit_waiting_seats(game)

    def correct() -> Callable[[], Any]:
        season = opened()
        play(season)
        record_results.record_results(season=season)
        match = match_of(season)
        return lambda: rulings.adjudicate(match=match, game=1, places=(1, 2), by=niamh(), note=WHY, key="g")

    def close() -> Callable[[], Any]:
        season = opened()
        play(season)
        record_results.record_results(season=season)
        return lambda: close_rounds.close_round(round=season.divisions.get().rounds.get())

    yield Scene(at(teams.register_team), register)
    yield Scene(at(teams.change_team), change)
    yield Scene(at(teams.leave_team, "the captain"), leave)
    yield Scene(at(teams.drop_member), drop)
    yield Scene(at(teams.enter_teams_again), enter_again)
    yield Scene(at(lineups.hand_in, "the first of two"), hand_in_first)
    yield Scene(at(lineups.hand_in, "the last of two"), hand_in_last)
    yield Scene(at(open_rounds.open_matches, "a line-up is missing at its deadline"), reveal, 2 * DAY)
    yield Scene(at(substitutions.substitute), replace, 2 * DAY + HOUR)
    yield Scene(at(record_results.record_results, "at boards"), record, 2 * DAY + HOUR)
    yield Scene(at(director.advance, "the line-ups are due"), at_deadline, 2 * DAY, parts=True)
    yield Scene(at(entries.withdraw_entrant, "a team in a match"), withdraw, 2 * DAY + HOUR)
    yield Scene(at(overdue_games.forfeit_waiting_seats, "at a board"), give_up, 2 * DAY + HOUR)
    yield Scene(at(rulings.adjudicate, "a board is corrected"), correct, 2 * DAY + HOUR)
    yield Scene(at(close_rounds.close_round, "of teams"), close, 2 * DAY + HOUR)


def messages() -> Iterator[Scene]:
    def advance() -> Callable[[], Any]:
        """Prepare three seasons: one has results to record and a round to close, one can be opened, one repeats."""
        played = season_of()
        play(played)
        season_of(4, pair=False)
        over = season_of(2, repeats=True)
        play(over)
        return lambda: league_tasks.advance()

    def remind() -> Callable[[], Any]:
        calendar_entries.update_entries(calendar_entries.outdated_seasons())  # a call of the step takes up only so many
        season_of(4, **AGREED)
        return lambda: league_tasks.remind()

    def notify() -> Callable[[], Any]:
        return lambda: league_tasks.notify_clubs()

    def delete() -> Callable[[], Any]:
        entrant = first(season_of())
        user = user_of(entrant).pk

        def gone() -> None:
            for found in User.objects.filter(pk=user):
                people.delete_account(found)
            director.advance()

        return gone

    yield Scene("message tournaments.advance", advance, parts=True)
    yield Scene("message tournaments.remind", remind, 6 * DAY + 9 * HOUR, parts=True)
    yield Scene("message tournaments.notify_clubs", notify, parts=True)
    yield Scene("an account is deleted, the league continues", delete, parts=True)
