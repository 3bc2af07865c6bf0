"""Remote bots: their owners create them, they play like people, are rated like bots, and have limits."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.accounts import tokens
from games.accounts.models import Notice
from games.accounts.templatetags.players import badge
from games.accounts.tokens import newest_player
from games.bots import challenges, uploads
from games.bots.admission.trials import MAX_SLICE_SECONDS
from games.bots.remote import services as remote_bots
from games.bots.remote.services import ChallengeRequest
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Bot, BotVersion, Game, PendingBundle, Player, Trial
from games.play import services as play
from games.play.players import player_data
from games.play.roster import ensure_builtin_bot
from games.play.turn import turn_of
from games.workers import runner
from scorebook_games.bots.protocol import START_TIMEOUT_MS
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.terms import TERMS_SCHEMA
from tests.games.bots.remote.conftest import Token, api, error
from tests.tournaments.club import new_club
from tournaments.bot_pages.lab import own_names
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League, Season

pytestmark = pytest.mark.django_db
A_MINUTE = timedelta(minutes=1)


def against(bot: Bot, *players: Player, built_in: tuple[str, ...] = (), **terms: Any) -> Game:
    wish = ChallengeRequest("chinese_ten", built_in=built_in, players=players, terms={"move_seconds": 60, **terms})
    return remote_bots.open_challenge(bot=bot, wish=wish)


def refusal(bot: Bot, *players: Player, **wish: Any) -> tuple[int, str]:
    with pytest.raises(DomainError) as refused:
        remote_bots.open_challenge(bot=bot, wish=ChallengeRequest("chinese_ten", players=players, **wish))
    return refused.value.status, refused.value.code


def use(bot: Bot, owner: User) -> str:
    """Send a request as `bot`'s program, so that it counts as used, and return the token's secret."""
    secret = tokens.create_token(user=owner, name="desk", wanted=["read", "play"], bot=bot)[1]
    api(secret).get("me/")
    return secret


# -- at the table


def test_a_game_with_a_remote_bot_waits_for_it_as_for_a_person(puffin: Bot) -> None:
    game = against(puffin, built_in=("random",))
    assert (game.played_by_workers, game.awaits_worker, game.to_act) == (False, False, [0])
    assert game.deadline == game.opened_at + A_MINUTE

    runner.play_due_games("worker", budget_seconds=5)
    game.refresh_from_db()
    assert game.to_act == [0]


def test_it_plays_by_its_token_and_the_built_in_bot_answers(puffin: Bot, puffins: str) -> None:
    game = against(puffin, built_in=("random",), bot_pace_ms=0)
    move = visibility.legal_moves(play.load_game(game), 0)[0]

    body = {"move": move, "expected_version": game.version}
    played = api(puffins).post(f"games/{game.public_id}/moves/", body)
    assert played.status_code == 201
    game.refresh_from_db()
    while game.to_act != [0]:
        runner.play_due_games("worker", budget_seconds=5)
        game.refresh_from_db()

    assert game.version > played.json()["version"]
    assert turn_of(play.load_unit(game), 0)["may_act"]


def test_its_owner_does_not_see_its_cards(puffin: Bot, puffins: str, token: Token) -> None:
    game = against(puffin, built_in=("random",))
    assert api(puffins).get(f"games/{game.public_id}/events/").json()["viewpoint"] == "0"
    assert api(token("read")).get(f"games/{game.public_id}/events/").json()["viewpoint"] == "public"


def test_a_move_in_somebody_elses_game_is_refused(puffin: Bot, emil: User, puffins: str) -> None:
    game = against(remote_bots.create_bot(owner=emil, name="Gannet"), built_in=("random",))
    refused = api(puffins).post(f"games/{game.public_id}/moves/", {"move": "x", "expected_version": 1})
    assert error(refused) == (403, "not_your_seat")


def test_a_move_before_it_is_asked_is_refused(puffin: Bot, puffins: str) -> None:
    game = against(puffin, built_in=("random",))
    moves, version = f"games/{game.public_id}/moves/", game.version
    while game.to_act == [0]:  # in some deals the same seat moves again
        body = {"move": visibility.legal_moves(play.load_game(game), 0)[0], "expected_version": version}
        version = api(puffins).post(moves, body).json()["version"]
        game.refresh_from_db()

    early = api(puffins).post(moves, {**body, "expected_version": version})

    game.refresh_from_db()
    assert game.to_act == [1]
    assert error(early)[0] == 409
    assert game.version == version


def test_a_bot_that_never_answers_loses_by_its_clock_as_people_do(puffin: Bot, puffins: str) -> None:
    game = against(puffin, built_in=("random",))
    late = {"move": visibility.legal_moves(play.load_game(game), 0)[0], "expected_version": game.version}

    with clock.frozen_at(game.opened_at + 2 * A_MINUTE):
        assert play.expire_due_games() == 1
        refused = api(puffins).post(f"games/{game.public_id}/moves/", late)

    game.refresh_from_db()
    assert ["@expired", 0] in [entry.event for entry in eventlog.read_events(game.stream_id)]
    assert game.status == Game.Status.FINISHED
    assert game.seats.get(seat=0).left == "forfeited"
    assert error(refused) in [(409, "game_over"), (403, "not_your_seat")]


def test_it_says_so_in_the_same_words_when_a_move_is_illegal(puffin: Bot, puffins: str) -> None:
    game = against(puffin, built_in=("random",))
    moves = f"games/{game.public_id}/moves/"
    assert error(api(puffins).post(moves, {"move": "fly", "expected_version": game.version})) == (400, "malformed_move")


def test_nobody_is_told_by_mail_that_a_bot_is_to_move(puffin: Bot, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        against(puffin, built_in=("random",))
    assert not Notice.objects.exists()


def test_a_bot_without_a_clock_is_not_waited_for_for_ever(puffin: Bot, martha: Player) -> None:
    with pytest.raises(DomainError) as refused:
        play.open_game(kind="chinese_ten", players=[martha, newest_player(puffin)])
    assert (refused.value.code, refused.value.extra) == ("bad_option", {"option": "move_seconds"})


def test_two_versions_of_a_bot_do_not_meet(puffin: Bot) -> None:
    old = newest_player(puffin)
    new = remote_bots.new_version(puffin)
    with pytest.raises(DomainError, match="only one seat in a game"):
        play.open_game(kind="chinese_ten", players=[old, new], terms={"move_seconds": 60})


def test_a_new_version_goes_on_with_the_games_of_the_old_one(puffin: Bot, puffins: str) -> None:
    game = against(puffin, built_in=("random",))
    new = remote_bots.new_version(puffin)

    assert api(puffins).get(f"games/{game.public_id}/events/").json()["viewpoint"] == "0"
    assert api(puffins).get("me/").json()["id"] == new.pk
    assert against(puffin, built_in=("random",)).seats.get(seat=0).player == new


# -- challenges


def test_a_challenge_is_opened_at_once_unrated_and_with_a_clock(puffin: Bot, puffins: str) -> None:
    body = {"kind": "palace", "built_in": ["sensible", "sensible"], "options": {"joker": "reverse"}}
    made = api(puffins).post(f"remote-bots/{puffin.pk}/games/", {**body, "idempotency_key": "a"}).json()
    again = api(puffins).post(f"remote-bots/{puffin.pk}/games/", {**body, "idempotency_key": "a"}).json()

    assert [seat["player"]["name"] for seat in made["seats"]] == ["Puffin", "Sensible", "Sensible 2"]
    assert (made["terms"]["rated"], made["terms"]["move_days"]) == (False, 7)
    assert again["id"] == made["id"]


def test_bots_of_others_are_challenged_while_they_are_here(puffin: Bot, emil: User) -> None:
    gannet = remote_bots.create_bot(owner=emil, name="Gannet")
    assert refusal(puffin, newest_player(gannet)) == (409, "not_here")

    use(gannet, emil)
    assert remote_bots.opponents(puffin) == [newest_player(gannet)]
    game = against(puffin, newest_player(gannet))
    assert [seat.player.name for seat in game.seats.all()] == ["Puffin", "Gannet"]

    with clock.frozen_at(clock.now() + 2 * remote_bots.CONNECTION_TIMEOUT):
        assert remote_bots.opponents(puffin) == []
        assert refusal(puffin, newest_player(gannet)) == (409, "not_here")


def test_nobody_but_other_bots_is_challenged(puffin: Bot, emil: User, martha: Player) -> None:
    hidden = remote_bots.create_bot(owner=emil, name="Gannet")
    Bot.objects.filter(pk=hidden.pk).update(visibility=Bot.Visibility.PRIVATE)
    old = newest_player(remote_bots.create_bot(owner=emil, name="Auk"))
    remote_bots.new_version(Bot.objects.get(name="Auk"))

    assert newest_player(hidden) not in remote_bots.opponents(puffin)
    for nobody in (
        martha,
        ensure_builtin_bot("random"),
        newest_player(puffin),
        newest_player(hidden),
        old,
    ):
        assert refusal(puffin, nobody) == (400, "bad_opponent")


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"built_in": ["nobody"]}, "bad_option"),
        ({}, "bad_option"),
        ({"built_in": ["random"], "terms": {"rated": True}}, "not_rated"),
        ({"built_in": ["random"], "options": {"wings": 2}}, "bad_option"),
    ],
)
def test_a_challenge_that_cannot_be_is_refused(puffin: Bot, wish: dict[str, Any], code: str) -> None:
    assert refusal(puffin, **wish) == (400, code)
    assert not Game.objects.exists()


def test_a_bot_has_so_many_challenges_on_and_no_more(puffin: Bot) -> None:
    games = [against(puffin, built_in=("random",)) for _each in range(remote_bots.MAX_RUNNING_GAMES)]
    assert refusal(puffin, built_in=["random"]) == (409, "too_many_games")
    version, now = puffin.versions.get(), clock.now()
    trial = Trial.objects.create(what=Trial.What.COMPARISON, version=version, created=now, served_at=now)
    Game.objects.filter(pk=games[0].pk).update(trial=trial)  # what a bot is tried in keeps nobody else waiting
    games[0] = against(puffin, built_in=("random",))
    play.leave_game(game=games[0], seat=0, how="resigned")
    assert against(puffin, built_in=("random",))


def test_a_bot_that_plays_over_the_api_takes_no_file(puffin: Bot) -> None:
    with pytest.raises(DomainError) as refused:
        uploads.upload_version(bot=puffin, data=b"class Bot: ...\n")
    assert (refused.value.status, refused.value.code) == (409, "remote_bot")
    assert own_names(puffin.owner) == []


# -- making them


def test_a_bot_is_made_by_page_or_api_and_goes_by_a_name_of_its_own(dora: User, token: Token) -> None:
    program = api(token("bots", "read", "account"))
    made = program.post("remote-bots/", {"name": "Gannet"})
    bot = made.json()

    assert (made.status_code, bot["name"], bot["player"]["bot_version"], bot["here"]) == (201, "Gannet", 1, False)
    assert error(program.post("remote-bots/", {"name": "gannet "})) == (409, "name_taken")
    assert error(program.post("remote-bots/", {"name": "Dora"})) == (409, "name_taken")
    assert [each["name"] for each in program.get("remote-bots/").json()] == ["Gannet"]
    assert program.post(f"remote-bots/{bot['id']}/versions/").json()["bot_version"] == 2


def test_a_bot_of_others_is_not_there(puffin: Bot, emil: User, token: Token) -> None:
    program = api(token("bots", "play", "read", user=emil))
    for answer in (
        program.get(f"remote-bots/{puffin.pk}/"),
        program.post(f"remote-bots/{puffin.pk}/versions/"),
        program.post(f"remote-bots/{puffin.pk}/games/", {"kind": "palace", "built_in": ["random"]}),
    ):
        assert error(answer) == (404, "bot_not_found")


# -- seasons


@pytest.fixture
def season(dora: User) -> Season:
    club = new_club(name="Lantern Street", slug="lantern-street", owner=dora)
    league = League.objects.create(club=club, name="Palace League", slug="palace-league")
    terms = {"move_seconds": 60}
    return seasons.create_season(
        league=league, name="Spring", kind="chinese_ten", format="round_robin", terms=terms, calendar={"seconds": 60}
    )


def test_it_enters_a_season_by_its_token_and_is_rated_among_bots(season: Season, puffin: Bot, puffins: str) -> None:
    assert api(puffins).post(f"seasons/{season.pk}/join/").status_code == 200
    entries.enter_season(season=season, player=ensure_builtin_bot("random"))

    assert seasons.start_season(season=season).pool == "bots"


def test_it_enters_no_season_without_a_clock(season: Season, puffin: Bot) -> None:
    season.terms |= {"move_seconds": None}
    season.save()
    with pytest.raises(DomainError) as refused:
        entries.enter_season(season=season, player=newest_player(puffin))
    assert refused.value.code == "bot_needs_a_clock"


def test_no_challenge_lets_an_uploaded_bot_hold_a_worker_for_minutes(puffin: Bot) -> None:
    """An answer with its whole bank and a start of the process must end long before the time limit of a worker's
    task."""
    for name, ms in (("bot_move_ms", 60_000), ("bot_bank_ms", 600_000)):
        assert refusal(puffin, built_in=["random"], terms={name: ms}) == (400, "bad_option")
    most = sum(option.maximum for option in TERMS_SCHEMA if option.name in ("bot_move_ms", "bot_bank_ms"))
    assert 6 * (most + START_TIMEOUT_MS) <= 1000 * MAX_SLICE_SECONDS


def test_who_challenges_an_uploaded_bot_and_never_moves_takes_no_game_from_its_author(puffin: Bot, emil: User) -> None:
    version = uploads.upload_version(bot=uploads.new_bot(owner=emil, name="Razorbill"), data=b"class Bot: pass")
    BotVersion.objects.update(state="passed", kinds=["chinese_ten"])
    for _ in range(challenges.MAX_OPEN_CHALLENGES):
        against(puffin, Player.objects.select_related("bot_version__bot").get(bot_version=version))
    version.refresh_from_db()
    assert challenges.open_challenge(version=version, kind="chinese_ten", bots=["random"]).sandboxed


def test_two_bots_of_one_owner_may_use_the_same_key(dora: User, token: Token) -> None:
    pair = [remote_bots.create_bot(owner=dora, name=name) for name in ("Puffin", "Gannet")]
    terms = {"rated": False, "pace": "beats", "move_seconds": 600}
    game = play.open_game(kind="plate_spinner", players=[newest_player(bot) for bot in pair], terms=terms)
    sent: dict[str, Any] = {"beat": 1, "moves": [], "idempotency_key": "1"}
    for seat, bot in enumerate(pair):  # the second bundle completes the beat
        program = api(token("read", "play", bot=bot))
        asked = program.get(f"games/{game.public_id}/asks/").json()["ask"]
        sent["moves"] = [f"roll {asked['legal']['dice']}"]
        answer = program.post(f"games/{game.public_id}/bundles/", sent)
        assert answer.status_code == 202, answer.content
        given = list(PendingBundle.objects.filter(game=game).values_list("seat", flat=True))
        assert seat in given or play.load_game(game).beat == 1


def test_an_agent_is_marked_wherever_it_is_named_and_stays_one_with_its_next_version(dora: User) -> None:
    owl = remote_bots.create_bot(owner=dora, name="Owl", agent=True)
    again = remote_bots.new_version(owl)
    assert again.bot_version is not None
    assert again.bot_version.number == 2
    assert "AGENT" in badge(again)
    assert player_data(again) == {"id": again.pk, "name": "Owl", "bot": True, "bot_version": 2, "agent": True}
    client = Client()
    client.force_login(dora)
    assert "AGENT" in client.get("/me/remote-bots/").content.decode()
    assert "scorebook-mcp" in client.get(f"/me/remote-bots/{owl.pk}/").content.decode()


def test_a_person_creates_an_agent_on_the_page_and_by_the_api(dora: User, token: Token) -> None:
    client = Client()
    client.force_login(dora)
    client.post("/me/remote-bots/", {"name": "Owl", "agent": "on"})
    made = api(token("read", "bots")).post("remote-bots/", {"name": "Wren", "agent": True})
    assert made.json()["player"]["agent"] is True
    assert [version.is_agent for version in BotVersion.objects.order_by("bot__name")] == [True, True]
