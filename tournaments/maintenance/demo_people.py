"""The demo's seasons of people: a Swiss league with the problems of a real club, an unfinished cup, a ladder, and a
league of teams that names its line-ups.

They are played on a clock that runs through the last three weeks, with the services that people, organisers and the
director use. Only the organiser can log in; the demo's program decides for everybody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from games.accounts import people
from games.common import clock
from games.models import Game, Player, Seat
from games.play import services as play
from games.play import unit_of_work
from scorebook_games.bots import requests
from scorebook_games.chance import SeedDealer
from tournaments.calendar import scheduling
from tournaments.clubs.models import Club, Membership
from tournaments.director import close_rounds, open_rounds, record_results
from tournaments.entries import availability, challenges
from tournaments.entries import permissions as entry_permissions
from tournaments.entries import services as entries
from tournaments.entries.ladder_selectors import ladder_rows
from tournaments.lifecycle import services as seasons
from tournaments.rulings import disputes
from tournaments.rulings import services as rulings
from tournaments.rulings.substitutions import substitute
from tournaments.seasons.models import Division, Entrant, League, Match, Season, TeamMember
from tournaments.seasons.schedule import DAYS
from tournaments.seasons.schedule import SECONDS_PER_WEEK as WEEK_SECONDS
from tournaments.seasons.stream import fold_season
from tournaments.teams import lineups
from tournaments.teams.services import register_team

TEAM_NAMES: Final = ("Wicks", "Lamplighters", "Moths", "Night Owls")
PEOPLE_NAMES: Final = ("Marigold", "Pilar", "Quillfeather", "Oona", "Bram", "Saltmarsh", "Tobias", "Hexley", "Ambrose")
WEEK: Final = timedelta(days=7)
DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
UNAGREED: Final = 2 * HOUR  # how long before the end of its round a match without an agreed time begins
MOVE_DURATION: Final = timedelta(seconds=6)  # how long the demo's people take for a move
LIVE_TERMS: Final = {"move_seconds": 30, "bank_seconds": 120}
CORRESPONDENCE_TERMS: Final = {"move_days": 30}
SEED: Final = "1e" * 32  # of the pairings, which are therefore the same in every demo
BOT_PROGRAMS: Final = ("sensible", "random")  # the built-in bots that choose people's moves, by the player's number


def build_people_seasons(club: Club, organiser: User, bots: Sequence[Player]) -> Iterator[str]:
    """Create the missing ones of these seasons for `club`, with two `bots`; yield a sentence about each."""
    everybody = [Player.objects.get(user=organiser), *map(_demo_player, PEOPLE_NAMES)]
    for player in everybody:
        Membership.objects.get_or_create(club=club, user=player.user, defaults={"role": Membership.Role.MEMBER})
    for slug, name, make in SEASONS:
        league, _ = League.objects.get_or_create(club=club, slug=slug, defaults={"name": name})
        if league.seasons.exists():
            yield f"{name} already exists."
            continue
        season = make(league, organiser, everybody, bots)
        yield (
            f"{name}: {season.name}, with {season.entries.count()} entrants and examples of all problems that "
            "organisers meet."
        )


def _demo_player(name: str) -> Player:
    """Return the player called `name`, created if there is none. The user has no password, so nobody can log in."""
    username = f"lantern-{name.lower()}"
    found = Player.objects.filter(user__username=username).first()
    if found is not None:
        return found
    user = get_user_model().objects.create_user(username)
    for called in (name, f"{name} of Lantern Street"):
        try:
            with transaction.atomic():
                return people.create_profile_and_player(user, called)
        except people.AccountError:
            continue
    return people.create_profile_and_player(user, username)


# a season as it is played


class SeasonBuilder:
    """Plays a season step by step, each step at its own time."""

    def __init__(
        self,
        league: League,
        starts_at: datetime,
        players: Sequence[Player],
        teams: Mapping[str, Sequence[Player]] | None = None,
        **settings: Any,
    ) -> None:
        with clock.frozen_at(starts_at - WEEK):
            self.season = seasons.create_season(
                league=league, name=seasons.current_name(league), starts_at=starts_at, **settings
            )
            entries.enter_players(season=self.season, players=players)
            for name, members in (teams or {}).items():
                register_team(season=self.season, name=name, members=members, captain=members[0])
        with clock.frozen_at(starts_at - DAY):
            self.season = seasons.start_season(season=self.season, seed=SEED)
        self.division = Division.objects.get(season=self.season)

    def pair(self, at: datetime) -> list[Match]:
        """Open the next round at that time; return its matches."""
        with clock.frozen_at(at):
            open_rounds.open_round(division=self.division)
        return list(self.matches().filter(round=self.division.rounds.order_by("-number")[0]))

    def matches(self) -> QuerySet[Match]:
        """Return all matches of the season with what the services need."""
        rows = Match.objects.filter(round__division=self.division).order_by("round__number", "table")
        return rows.select_related("round__division__season__league__club")

    def entrant(self, player: Player) -> Entrant:
        return self.season.entries.get(player=player)

    def agree(self, match: Match, asked_at: datetime, time: datetime) -> None:
        """Agree on a time: the first player proposes it, and the others accept an hour later. Bots need no
        agreement."""
        first, *others = people_in(match)
        with clock.frozen_at(asked_at):
            offer = scheduling.propose(match=match, user=first, times=[time, time + 2 * HOUR])
        with clock.frozen_at(asked_at + HOUR):
            for other in others:
                scheduling.accept_proposal(proposal=offer, user=other, times=[time])

    def play(self, match: Match, at: datetime, absent: Sequence[User] = ()) -> None:
        """Play a match from that time on, one game after the other. `absent` players never check in."""
        with clock.frozen_at(at - HOUR / 2):
            open_rounds.open_matches(matches=[match])
        while on := Game.objects.filter(match_game__match=match, status=Game.Status.PLAYING).order_by("pk").first():
            at = check_in_and_play(on, max(at, on.begins_at or at), absent)
            with clock.frozen_at(at):
                record_results.record_results(season=self.season)

    def close(self, at: datetime) -> None:
        with clock.frozen_at(at):
            close_rounds.close_round(round=self.division.rounds.order_by("-number")[0])


def people_in(match: Match) -> list[User]:
    """Return the users who play in a match, in the order of its entrants."""
    sides = match.entrants.select_related("entrant__player__user").order_by("order")
    return [side.entrant.player.user for side in sides if side.entrant.player.user is not None]


def check_in_and_play(game: Game, at: datetime, absent: Sequence[User]) -> datetime:
    """Check in for a game that begins at that time and play it to its end; return when it ended."""
    seats = Seat.objects.filter(game=game, player__user__isnull=False).select_related("player")
    game.refresh_from_db()
    if game.begins_at is not None:
        for seat in seats.exclude(player__user__in=absent):
            with clock.frozen_at(at - timedelta(minutes=5)):
                play.mark_ready(game=game, seat=seat.seat)
        while game.deadline is not None and not play.load_game(game).go and game.status == Game.Status.PLAYING:
            at = max(at, game.deadline)
            with clock.frozen_at(at):
                play.expire_clocks(game=game)
    return at if game.status != Game.Status.PLAYING else _play_out(game, at)


def _play_out(game: Game, at: datetime) -> datetime:
    """Play a game to its end, a move every few seconds, in one append; return when it ended."""
    players = dict(Seat.objects.filter(game=game).values_list("seat", "player"))
    with clock.frozen_at(at):
        unit = play.begin_unit(game)
    fold, seed = unit.fold, bytes(unit.game.deal.seed)
    dealer = SeedDealer(seed)
    while fold.outcome() is None:
        at += MOVE_DURATION
        seat = fold.to_act()[0]
        action = requests.action(fold, seat, BOT_PROGRAMS[players[seat] % len(BOT_PROGRAMS)], seed)
        unit.take(fold.rules.decide(fold.state, seat, action, dealer), at)
    with clock.frozen_at(at):
        unit_of_work.commit([unit], at)
    return at


# the seasons


def _swiss_season(league: League, organiser: User, everybody: Sequence[Player], bots: Sequence[Player]) -> Season:
    """Create a Swiss season: two rounds are played, and the third ends tomorrow night. One player was away, one was
    absent and one has withdrawn; one game was adjudicated and one annulled; one result is disputed, and two players
    have not found a time."""
    ends = _tomorrow_night(league.club.zone)
    builder = SeasonBuilder(
        league,
        ends - 3 * WEEK,
        [*everybody, *bots],
        kind="chinese_ten",
        format="swiss",
        format_options={"rounds": 7},
        terms=LIVE_TERMS,
        calendar={"seconds": WEEK_SECONDS, "match_time": "agreed", "fallback_time": f"{DAYS[ends.weekday()]} 20:00"},
        max_no_shows=3,
    )
    niamh, _marigold, _pilar, _quill, oona, bram, salt, tobias, *_others = everybody
    for match in builder.pair(ends - 3 * WEEK):
        builder.play(match, ends - 2 * WEEK - UNAGREED)
    builder.close(ends - 2 * WEEK - HOUR / 2)
    with clock.frozen_at(ends - 2 * WEEK - HOUR / 2):
        availability.set_away_rounds(entrant=builder.entrant(oona), rounds=[2])
    second = builder.pair(ends - 2 * WEEK)
    playing = {user for match in second for user in people_in(match)}
    absent = bram if bram.user in playing else salt  # one player rests in this round, and it may be Bram
    for match in second:
        builder.play(match, ends - WEEK - UNAGREED, [user for user in playing if user == absent.user])
    _make_rulings(second, organiser, [absent, niamh], ends - WEEK - HOUR / 4)
    builder.close(ends - WEEK - HOUR / 4)
    with clock.frozen_at(ends - WEEK - HOUR / 4):
        number = builder.entrant(tobias).number
        entry_permissions.withdraw_as_organiser(
            builder.season, organiser, number, "Tobias has moved to Galway, and says good luck to all."
        )
    _third_round(builder, builder.pair(ends - WEEK), organiser, ends)
    return builder.season


def _make_rulings(matches: Sequence[Match], organiser: User, without: Sequence[Player], at: datetime) -> None:
    """Adjudicate a game of one match and annul one of another; the players in `without` are in neither."""
    spared = {player.user_id for player in without}
    decided, struck = [match for match in matches if not spared & {user.pk for user in people_in(match)}][:2]
    words = "The card on the table was misread on both screens; the witnesses at the bar agree that it was a tie."
    with clock.frozen_at(at):
        rulings.adjudicate(match=decided, game=2, places=[1, 1], by=organiser, note=words)
        rulings.annul_game(match=struck, game=1, by=organiser, note="The lamps went out in the second deal.")


def _third_round(builder: SeasonBuilder, matches: Sequence[Match], organiser: User, ends: datetime) -> None:
    """Play the open round: one match is played and disputed, two have no time yet, the others have one."""
    pairs = [match for match in matches if len(people_in(match)) == 2 and organiser not in people_in(match)]
    played, silent = pairs[0], pairs[1]
    builder.agree(played, ends - WEEK + 2 * HOUR, ends - 4 * DAY)
    builder.play(played, ends - 4 * DAY)
    with clock.frozen_at(ends - 4 * DAY + 3 * HOUR):
        words = "My clock ran for two minutes while the page would not load. Please look at game 2."
        disputes.open_dispute(match=played, by=people_in(played)[1], note=words)
    for days in (5, 3):
        with clock.frozen_at(ends - days * DAY):
            scheduling.propose(match=silent, user=people_in(silent)[0], times=[ends - days * HOUR / 2])
    for match in matches:
        if people_in(match) and match not in (played, silent, matches[-1]):
            builder.agree(match, ends - 3 * DAY, ends - 3 * HOUR)


def _cup_season(league: League, _organiser: User, everybody: Sequence[Player], bots: Sequence[Player]) -> Season:
    """Create a knockout of eleven: five rest in the first round, and two quarter-finals are unfinished."""
    begun = clock.now() - 2 * WEEK
    builder = SeasonBuilder(
        league,
        begun,
        [*everybody[1:], *bots],
        kind="platinum_fish",
        format="knockout",
        format_options={"third_place": True},
        terms=CORRESPONDENCE_TERMS,
        games_a_match=1,
        calendar={"seconds": WEEK_SECONDS},
    )
    for match in builder.pair(begun):
        builder.play(match, begun + 2 * DAY)
    builder.close(begun + 5 * DAY)
    quarters = builder.pair(begun + WEEK)
    among_people = [match for match in quarters if len(people_in(match)) == 2]
    for match in quarters:
        if match not in among_people[:2]:
            builder.play(match, begun + WEEK + 3 * DAY)
    return builder.season


def _ladder_season(league: League, _organiser: User, everybody: Sequence[Player], _bots: Sequence[Player]) -> Season:
    """Create a ladder: three challenges are played, one was declined, one is being played, and one waits until its
    players are free."""
    begun = clock.now() - 2 * WEEK
    builder = SeasonBuilder(
        league, begun, everybody[:8], kind="chinese_ten", format="ladder", terms=CORRESPONDENCE_TERMS, games_a_match=1
    )
    for day, (low, high) in enumerate([(4, 2), (8, 6), (3, 1)], start=2):
        match = _play_challenge(builder, low, high, begun + day * DAY)
        builder.play(match, begun + day * DAY + HOUR)
        builder.close(begun + day * DAY + 12 * HOUR)
    _decline_challenge(builder, 7, 5, begun + 6 * DAY, "I am at sea until the end of the month.")
    _play_challenge(builder, 5, 4, clock.now() - DAY)
    _play_challenge(builder, 6, 5, clock.now() - 2 * HOUR)
    return builder.season


def _team_season(league: League, organiser: User, everybody: Sequence[Player], bots: Sequence[Player]) -> Season:
    """Create a season of four teams of three at two boards. One round is played, with a substitute; in the second one
    team has handed in its line-up, and the organiser, who is a captain, has not."""
    begun = clock.now() - WEEK
    builder = SeasonBuilder(
        league,
        begun,
        [],
        teams=dict(zip(TEAM_NAMES, zip(*[iter([*everybody, *bots])] * 3, strict=True), strict=True)),
        kind="chinese_ten",
        format="team_round_robin",
        format_options={"boards": 2, "lineup_hours": 48},
        terms=CORRESPONDENCE_TERMS,
        calendar={"seconds": WEEK_SECONDS - 3600},
    )
    first = builder.pair(begun)
    _hand_in(first[0], begun + HOUR)
    for match in first:
        with clock.frozen_at(begun + 2 * DAY):
            open_rounds.open_matches(matches=[match])
    team = builder.season.entries.get(number=2)
    played = next(match for match in first if match.entrants.filter(entrant=team).exists())
    third = TeamMember.objects.get(entrant=team, order=3).player
    words = "Board two has a cold. Get well soon!"
    with clock.frozen_at(begun + 2 * DAY + HOUR):
        substitute(match=played, team=team, board=2, player=third, by=organiser, note=words)
    for match in first:
        builder.play(match, begun + 3 * DAY)
    builder.close(begun + 4 * DAY)
    second = builder.pair(clock.now() - HOUR / 2)
    own = builder.season.entries.get(members__player__user=organiser, members__order__isnull=False)
    mine = next(match for match in second if match.entrants.filter(entrant=own).exists())
    _hand_in(mine, clock.now() - HOUR / 4, without=own)
    return builder.season


def _hand_in(match: Match, at: datetime, without: Entrant | None = None) -> None:
    """Let the captains of a match name their first and third player, except that of the team `without`."""
    for side in match.entrants.select_related("entrant__player").order_by("order"):
        if side.entrant != without:
            members = list(TeamMember.objects.filter(entrant=side.entrant, order__isnull=False).order_by("order"))
            named = [members[0].player_id, members[2].player_id]
            with clock.frozen_at(at):
                lineups.hand_in(match=match, entrant=side.entrant, players=named, by=members[0].player.user)


def _play_challenge(builder: SeasonBuilder, low: int, high: int, at: datetime) -> Match:
    """Let the entrant at place `low` challenge the one at the higher place `high`; return the match."""
    one, other = _entrants_by_place(builder, low, high)
    with clock.frozen_at(at):
        challenges.create_challenge(entrant=one, other=other)
        challenges.accept_challenge(entrant=other, challenger=one)
    return builder.pair(at)[-1]


def _decline_challenge(builder: SeasonBuilder, low: int, high: int, at: datetime, note: str) -> None:
    """Let the entrant at the higher place refuse a challenge three hours later; the first refusal costs nothing."""
    one, other = _entrants_by_place(builder, low, high)
    with clock.frozen_at(at):
        challenges.create_challenge(entrant=one, other=other)
    with clock.frozen_at(at + 3 * HOUR):
        challenges.decline_challenge(entrant=other, challenger=one, by=other.player.user, note=note)


def _entrants_by_place(builder: SeasonBuilder, *places: int) -> list[Entrant]:
    """Return the entrants at these places of the ladder."""
    rungs = ladder_rows(fold_season(builder.season), builder.division)
    return [builder.entrant(rungs[place - 1].player) for place in places]


def _tomorrow_night(zone: str) -> datetime:
    """Return 22:00 of tomorrow in that time zone, which is always less than two days away."""
    there = clock.now().astimezone(ZoneInfo(zone))
    return datetime.combine(there.date() + DAY, time(22), ZoneInfo(zone))


Make = Callable[[League, User, Sequence[Player], Sequence[Player]], Season]
SEASONS: Final[tuple[tuple[str, str, Make], ...]] = (
    ("ladder", "The Ladder", _ladder_season),
    ("cup", "Lantern Cup", _cup_season),
    ("teams", "Lantern Teams", _team_season),
    ("thursday", "Thursday League", _swiss_season),
)
