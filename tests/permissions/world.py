"""The world for the table of permissions: the things that its addresses name in <brackets>, and the people who send
requests.

Lantern Street is a club of Niamh's. Otto organises it, Martha is a member, and it is offered to Martha. Laura only has
an account, Ada is an admin, and Boris, who also organised the club, is banned.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.models import Permission, User
from django.core import signing

from games.accounts import mail, notices, people, tokens
from games.accounts.push import services as push
from games.accounts.scopes import SCOPES
from games.admin_actions.registry import perform
from games.bots import uploads
from games.bots.remote import services as remote
from games.clocks import vacations
from games.common import clock
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.lobby import services as lobby
from games.lobby.table_request import TableRequest
from games.models import BotVersion, Deal, Game, Player, Trial
from games.moderation import sanctions
from games.moderation.models import ImpersonationSession
from games.moderation.views import BAN_TOKEN_SALT
from games.play import services as play
from games.play.models import Fault
from games.talk.rooms import find_room
from games.talk.services import write_message
from games.workers import runner
from replays.practice.models import Exercise, Puzzle
from scorebook_games.gamelog import visibility
from scorebook_games.review import Reviewer
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.fixtures.saved_rows import world
from tournaments.calendar import feeds, scheduling
from tournaments.clubs import invitations, members, ownership, posts
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.models import Club, Membership
from tournaments.commentary.models import CommentaryAddress
from tournaments.commentary.services import digest
from tournaments.director import director
from tournaments.entries.availability_links import link_token
from tournaments.entries.services import enter_season
from tournaments.lifecycle import services as seasons
from tournaments.ratings.models import Rating, RatingPool
from tournaments.rulings import disputes
from tournaments.seasons.models import Entrant, League, Match
from tournaments.teams.services import register_team
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks import services as webhooks

PASSWORD: Final = "lamp and lantern 7"
SECRET: Final = "lamps-at-the-corner-of-the-street"  # of the commentators of a season
CAST: Final = ("Niamh", "Otto", "Martha", "Laura", "Ada", "Boris")
Names = dict[str, Any]


def person(name: str) -> User:
    user = User.objects.create_user(name.lower(), password=PASSWORD, is_staff=name == "Ada")
    people.create_profile_and_player(user, name)
    EmailAddress.objects.create(user=user, email=f"{name.lower()}@example.org", primary=True, verified=True)
    return user


class World:
    """The club, its people and their things. `at` has the values of the table's <names>, `people` the users by name,
    and `secrets` Niamh's tokens by scope."""

    def __init__(self) -> None:
        self.people = {name: person(name) for name in CAST}
        self.players = {name: Player.objects.get(user=user) for name, user in self.people.items()}
        self.people["Ada"].user_permissions.set(Permission.objects.filter(codename__startswith="change_"))
        self.club = self.founded()
        self.at: Names = {"club": self.club.slug, "club_id": self.club.pk, "kind": "plates"}
        self.at |= {f"{name.lower()}_player": player.pk for name, player in self.players.items()}
        self.at |= {f"{name.lower()}_user": user.pk for name, user in self.people.items()}
        self.at |= self.of_club() | self.of_seasons() | self.of_games() | self.of_bots() | self.of_accounts()
        self.at |= self.of_admins()
        self.secrets = self.tokens_of("Niamh") | {f"ada {key}": each for key, each in self.tokens_of("Ada").items()}
        self.secrets["banned"] = tokens.create_token(user=self.people["Boris"], name="laptop", wanted=list(SCOPES))[1]

    def tokens_of(self, name: str) -> dict[str, str]:
        """Return secrets: a token with each scope alone, one with all scopes except that, and a revoked one."""
        wanted = {scope: [scope] for scope in SCOPES}
        wanted |= {f"no {scope}": [each for each in SCOPES if each != scope] for scope in SCOPES}
        wanted["revoked"] = list(SCOPES)
        made = {key: tokens.create_token(user=self.people[name], name=key, wanted=each) for key, each in wanted.items()}
        tokens.revoke(made["revoked"][0])
        return {key: secret for key, (_token, secret) in made.items()}

    def founded(self) -> Club:
        made = club_lifecycle.found_club(
            user=self.people["Niamh"], name="Lantern Street", about="Cards on Thursdays.", zone="Europe/Dublin"
        )
        for name in ("Otto", "Boris"):
            made.memberships.create(user=self.people[name], role=Membership.Role.ORGANISER)
        made.memberships.create(user=self.people["Martha"])
        return made

    def of_club(self) -> Names:
        """Create news, invitations, a request, an offer and webhooks."""
        club, owner = self.club, self.people["Niamh"]
        asked = members.join_club(club=club, user=person("Bram"))
        assert asked
        other = club_lifecycle.found_club(user=owner, name="Kettle and Crown", visibility="private")
        own = invitations.invite_by_mail(club=other, user=owner, email="martha@example.org")
        ownership.offer_club(club=club, user=owner, membership=club.memberships.get(user=self.people["Martha"]))
        hook, mine = (
            webhooks.create_webhook(user=user, club=of, url="https://example.org/hook", events=["game.over"])[0]
            for of, user in ((club, owner), (None, self.people["Martha"]))
        )
        link, secret = invitations.invite_by_link(club=club, user=owner)
        mailed = invitations.invite_by_mail(club=club, user=owner, email="rosa@example.org")
        return {
            "post": posts.create_post(club=club, user=owner, title="Welcome", text="Hello.").pk,
            "asked": asked.pk,
            "invitation": link.pk,
            "mailed": mailed.pk,
            "invitation_secret": secret,
            "own_invitation": own.pk,
            "hook": hook.pk,
            "hook_message": webhooks_discovery.create_ping(hook).message_id,
            "my_hook": mine.pk,
            "my_message": webhooks_discovery.create_ping(mine).message_id,
            **{
                f"{name.lower()}_member": club.memberships.get(user=self.people[name]).pk
                for name in ("Niamh", "Otto", "Martha")
            },
        }

    def of_seasons(self) -> Names:
        """Create a season that takes entries, a running one with a disputed match between Martha and Otto, and one
        whose players agree on their times."""
        league = League.objects.create(club=self.club, name="Chinese Ten League", slug="chinese-ten")
        entries = seasons.create_season(league=league, name="Winter", kind="chinese_ten")
        running = seasons.create_season(league=league, name="Autumn", kind="chinese_ten", terms={"move_seconds": 60})
        agreed = seasons.create_season(
            league=league,
            name="Spring",
            kind="chinese_ten",
            terms={"move_seconds": 60},
            calendar={
                "seconds": 7 * 86400,
                "match_time": "agreed",
                "fallback_time": f"{clock.now() + timedelta(days=4):%a} 18:00".lower(),
            },
        )
        entered = enter_season(season=entries, player=self.players["Martha"])
        for season in (running, agreed):
            for name in ("Martha", "Otto"):
                enter_season(season=season, player=self.players[name])
            seasons.start_season(season=season)
        director.advance()
        message = write_message(
            room=find_room("season", str(running.pk), self.people["Martha"]), user=self.people["Martha"], phrase="hello"
        )
        match, to_agree = (
            Match.objects.filter(round__division__season=each).earliest("pk") for each in (running, agreed)
        )
        play.leave_game(game=match.games.get().game, seat=0, how="resigned")
        director.advance()
        disputed = disputes.open_dispute(match=match, by=self.people["Martha"], note="My clock ran while I was away.")
        CommentaryAddress.objects.create(season=running, digest=digest(SECRET), created=clock.now())
        teams = self.of_teams(league)
        time = clock.now() + timedelta(days=2)
        offer = scheduling.propose(match=to_agree, user=self.people["Otto"], times=[time])
        return {
            "league": league.slug,
            "entries": entries.slug,
            "entries_id": entries.pk,
            "entrant": entered.number,
            "league_id": league.pk,
            "playing": Entrant.objects.get(division__season=running, player=self.players["Otto"]).number,
            "running": running.slug,
            "running_id": running.pk,
            "round_id": match.round_id,
            "match": match.pk,
            "dispute": disputed.pk,
            "agreed": to_agree.pk,
            "proposal": offer.pk,
            "time": time.isoformat(),
            "match_game": Game.objects.get(match_game__match=match, status="playing").public_id,
            "match_over": Game.objects.exclude(status="playing").get(match_game__match=match).public_id,
            "commentary": SECRET,
            "message": message.pk,
            **teams,
        }

    def of_teams(self, league: League) -> Names:
        """Create a season that takes teams, with one of Martha's, and a running one in which hers meets Otto's."""
        bots = ensure_builtin_bots()
        asked: Names = {"kind": "chinese_ten", "format": "team_round_robin", "format_options": {"boards": 2}}
        entering, playing = (
            seasons.create_season(league=league, name=name, **asked) for name in ("Teams", "Teams, autumn")
        )
        squads = {"Martha": bots["random"], "Otto": bots["sensible"]}
        for season, names in ((entering, ("Martha",)), (playing, ("Martha", "Otto"))):
            for name in names:
                members = [self.players[name], squads[name]]
                register_team(season=season, name=f"Team of {name}", members=members, captain=members[0])
        seasons.start_season(season=playing)
        director.advance()
        match = Match.objects.get(round__division__season=playing)
        return {
            "teams": entering.slug,
            "teams_id": entering.pk,
            "team_season": playing.slug,
            "team_season_id": playing.pk,
            "team": 1,
            "team_match": match.pk,
            "random_bot": bots["random"].pk,
            "sensible_bot": bots["sensible"].pk,
        }

    def of_games(self) -> Names:
        """Create a game of Martha and Otto in which Martha is to move, a finished one of bots, and tables."""
        players = [self.players["Martha"], self.players["Otto"]]
        on = play.open_game(kind="chinese_ten", players=players, deal=dealt(b"1"), terms={"rated": False})
        beats = play.open_game(
            kind="plate_spinner", players=players, deal=dealt(b"2"), terms={"rated": False, "pace": "beats"}
        )
        bots = [ensure_builtin_bots()["sensible"]] * 2
        over = play.open_game(kind="plates", players=bots, deal=dealt(b"7"))
        runner.play_due_games("permissions")
        ours = play.open_game(kind="plates", players=players, deal=dealt(b"3"), terms={"rated": False})
        play.leave_game(game=ours, seat=0, how="resigned")
        waits = lobby.create_table(host=players[0], wish=TableRequest(kind="plates", seats=3))
        invited = lobby.create_table(
            host=players[1], wish=TableRequest(kind="palace", seats=2, access="invited", invited=players[:1])
        )
        stream = eventlog.create(subject=Stream.Subject.RATING_POOL, at=clock.now())
        pool = RatingPool.objects.create(kind="plates", pool="people", stream=stream)
        rating = Rating.objects.create(pool=pool, player=players[0], rating=1512, games=3)
        return {
            "game": on.public_id,
            "beats": beats.public_id,
            "over": over.public_id,
            **exercise_of(players[0], over),
            "ours": ours.public_id,
            "table": waits.token,
            "invited": invited.token,
            "pool": pool.pk,
            "rating": rating.pk,
            "move": visibility.legal_moves(play.load_game(on), 0)[0],
            "version": on.version,
            "bundle": [visibility.legal_moves(play.load_game(beats), 0)[-1]],
        }

    def of_bots(self) -> Names:
        """Create Gannet, Martha's public bot, with a fault; Petrel, which only she sees; Tern, whose source she has
        published; and Heron, a remote bot."""
        author = self.people["Martha"]
        gannet = uploads.new_bot(owner=author, name="Gannet", description="Dives.")
        version = uploads.upload_version(bot=gannet, data=b"class Bot: ...\n")
        Trial.objects.filter(version=version).update(state=Trial.State.GIVEN_UP)
        petrel = uploads.new_bot(owner=author, name="Petrel", visibility="private")
        uploads.upload_version(bot=petrel, data=b"class Bot:\n    kinds = ('palace',)\n")
        tern = uploads.new_bot(owner=author, name="Tern")
        uploads.upload_version(bot=tern, data=b"class Bot:\n    kinds = ('plates',)\n")
        BotVersion.objects.filter(bot=tern).update(state=BotVersion.State.PASSED)
        uploads.change_bot(tern, source_published=True)
        fault = Fault.objects.create(
            at=clock.now(),
            bot_version=version,
            kind=Fault.Kind.START_CRASHED,
            cost=Fault.Cost.REFUSED,
        )
        return {
            "bot": gannet.name,
            "bot_id": gannet.pk,
            "private_bot": petrel.name,
            "open_bot": tern.name,
            "trial": Trial.objects.filter(version=version).earliest("pk").pk,
            "fault": fault.pk,
            "remote": remote.create_bot(owner=author, name="Heron").pk,
        }

    def of_accounts(self) -> Names:
        """Create rows that belong to Martha's account."""
        martha = self.people["Martha"]
        year = clock.now().year + 1
        vacation = vacations.announce_vacation(
            user=martha, start=date(year, 7, 1), end=date(year, 7, 9), zone="Europe/Dublin"
        )
        warning = sanctions.warn(user=martha, by=self.people["Ada"], reason="Be kind.")
        sanctions.mark_warning_read(user=martha, pk=warning.pk)  # with an unread warning she could not write to others
        notices.notify_users([martha.pk], "challenge", key="x", by=self.players["Laura"])
        key = default_token_generator.make_token(martha)
        address = EmailAddress.objects.get(user=martha)
        return {
            "vacation": vacation.pk,
            "later": str(date(year, 9, 1)),
            "warning": warning.pk,
            "device": push.add_device(
                user=martha,
                endpoint="https://push.example.net/m",
                p256dh="BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                auth="BTBZMqHH6r4Tts7J_aSIgg",
            ).pk,
            "notice": martha.notices.latest("pk").pk,
            "token": tokens.create_token(user=martha, name="old laptop", wanted=["read"])[0].pk,
            "calendar": feeds.new_address(martha),
            "stop": mail.unsubscribe_token(martha.pk, "your_turn"),
            "answers": link_token(Entrant.objects.get(season__name="Autumn", player__user=martha)),
            "confirm": EmailConfirmationHMAC(address).key,
            "reset": f"{user_pk_to_url_str(martha)}-{key}",
        }

    def of_admins(self) -> Names:
        """Let Ada impersonate Martha, and let her download Martha's data."""
        ada = self.people["Ada"]
        perform("support_view", "martha", reason="She sees no games.", by=ada)
        perform("export_person", "martha", reason="She has asked for it.", by=ada)
        return {"view": ImpersonationSession.objects.get().pk}

    def ban_boris(self) -> None:
        """Ban Boris, who has an open session and a token."""
        ban = sanctions.ban(user=self.people["Boris"], by=self.people["Ada"], reason="Sold results.")
        self.at["ban"] = signing.dumps(ban.pk, salt=BAN_TOKEN_SALT)


@world
def permissions_world() -> World:
    return World()


def exercise_of(player: Player, game: Game) -> Names:
    """Create an exercise of this player from a game, and a puzzle with the same position."""
    at = Reviewer([entry.event for entry in eventlog.read_events(game.stream_id)], 0).decisions[0]
    value = {"move": at.move, "chance": 0.5, "error": 0.01, "cost": 0.0, "cost_error": 0.0, "worlds": 16}
    row = Exercise.objects.create(
        game=game,
        seat=0,
        version=at.version,
        event=at.event,
        player=player,
        made=at.move,
        best=at.move,
        cost=0.1,
        error=0.02,
        moves=[value],
        state=Exercise.State.DONE,
        due_at=clock.now(),
        ask_at=clock.now(),
    )
    puzzle = Puzzle.objects.create(
        kind=game.kind,
        date=clock.now().date(),
        game=game,
        event=at.event,
        moves=[value],
        state=Puzzle.State.DONE,
        due_at=clock.now(),
    )
    return {"exercise": row.pk, "answer": at.move, "puzzle_kind": puzzle.kind, "puzzle_date": str(puzzle.date)}


def dealt(letter: bytes) -> Deal:
    return Deal.objects.create(seed=letter * 32)
