"""The dataset of a platform: its games and people, its bytes, and how it is made, downloaded and withdrawn."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from games.accounts import dataset_consent, people
from games.accounts.export import account_data
from games.admin_actions import registry
from games.common import clock
from games.eventlog import store as eventlog
from games.models import BotVersion, Deal, Game, Player
from games.operations.models import AdminJob
from games.play import services as play_services
from games.workers import runner
from replays.dataset import check, export, job
from replays.dataset.table import SCHEMA
from replays.review import ledgers
from replays.review.models import GameReview, LuckLedger
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.gamelog.visibility import observation
from scorebook_games.registry import KINDS
from scorebook_games.review.reviewer import method_of
from tests.parameters import mostly_slow
from tests.tournaments.club import builtin_bot, play
from tournaments.clubs.models import Club

pytestmark = pytest.mark.django_db

SHORT = {"turn_limit": 12}
Rows = list[dict[str, Any]]


def person(name: str) -> Player:
    return people.create_profile_and_player(User.objects.create_user(name.lower()), name)


def user_of(player: Player) -> User:
    assert player.user
    return player.user


def finished(*players: Player, seed: int = 1, **opening: Any) -> Game:
    """Return a short finished game."""
    deal = Deal.objects.create(seed=bytes([seed]) * 32)
    opening = {"kind": "chinese_ten", "options": SHORT, **opening}
    game = play_services.open_game(players=list(players), deal=deal, **opening)
    play(game, random.Random(seed))
    game.refresh_from_db()
    return game


def written(tmp_path: Path, **how: Any) -> Rows:
    path = tmp_path / "dataset.parquet"
    export.write_dataset(path, **how)
    rows: Rows = pq.read_table(path).to_pylist()
    return rows


@pytest.fixture
def martha() -> Player:
    return person("Martha")


@pytest.fixture
def laura() -> Player:
    return person("Laura")


# -- people and games of the dataset


def test_a_persons_rows_are_in_it_only_while_they_consent_and_nobody_elses_are_shown(
    martha: Player, laura: Player, tmp_path: Path
) -> None:
    game = finished(martha, laura, options={"packs": 1, **SHORT})
    assert written(tmp_path) == []

    dataset_consent.set_consent(user=user_of(martha), given=True)
    rows = written(tmp_path)
    assert {(row["game"], row["seat"], row["played_by"]) for row in rows} == {(game.public_id, 0, "person")}
    dealt = play_services.load_game(game).opened
    assert "Martha" not in json.dumps(rows)
    assert dealt["players"] == [martha.pk, laura.pk]
    seen = [json.loads(row["observation"]) for row in rows]
    assert all("hands" not in each and "by_seat" not in each for each in seen)
    assert all(len(each["hand"]) == each["hand_counts"][0] for each in seen)

    dataset_consent.set_consent(user=user_of(martha), given=False)
    assert written(tmp_path) == []


def test_a_bots_rows_are_in_it_and_show_nothing_of_the_hand_of_a_person_without_consent(
    martha: Player, tmp_path: Path
) -> None:
    game = finished(martha, builtin_bot("Gannet"), options={"packs": 1, **SHORT})
    rows = written(tmp_path)
    assert {(row["seat"], row["played_by"]) for row in rows} == {(1, "random")}
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    held = 0
    for row in rows:
        fold = fold_game(events[: row["version"]])
        hand = observation(fold, 0)["hand"]
        assert [card for card in hand if f'"{card}"' in row["observation"]] == []
        held += len(hand)
    assert held > 20


def test_only_finished_games_that_are_open_to_everybody_are_in_it(tmp_path: Path) -> None:
    bots = [builtin_bot("Gannet"), builtin_bot("Wren")]
    club = Club.objects.create(
        name="Back room", slug="back", owner=User.objects.create_user("otto"), visibility="private"
    )
    open_to_all = finished(*bots)
    finished(*bots, audience_club_id=club.pk)
    delayed = finished(*bots, terms={"watch_delay": 3600})
    play_services.open_game(kind="chinese_ten", players=bots, options=SHORT)
    Game.objects.filter(pk=finished(*bots).pk).update(continued_from=open_to_all)
    Game.objects.filter(pk=finished(*bots).pk).update(status=Game.Status.ABORTED)
    unrevealed = finished(*bots)
    Deal.objects.filter(pk=unrevealed.deal_id).update(revealed_at=None)
    assert {row["game"] for row in written(tmp_path)} == {open_to_all.public_id}
    assert delayed.status == Game.Status.FINISHED


@pytest.mark.slow
@pytest.mark.parametrize("kind", mostly_slow([kind for kind, each in KINDS.items() if each.value], ["palace"]))
def test_a_row_has_what_the_ledger_and_the_review_measured_of_its_choice(kind: str, tmp_path: Path) -> None:
    game = finished(builtin_bot("Gannet"), builtin_bot("Wren"), kind=kind)
    before = written(tmp_path)
    assert {(row["gain"], row["value_function"], row["cost"]) for row in before} == {(None, None, None)}
    ledgers.find_games(every=True)
    ledgers.compute_due()
    event = next(row["version"] + 1 for row in before if row["seat"] == 0 and row["taken"])
    decisions = [
        {"event": event, "mark": "mistake", "cost": 0.25, "error": 0.01},
        {"event": event + 1, "mark": "skipped", "cost": 0.0, "error": 0.0},
    ]
    review = {"game": game, "state": GameReview.State.DONE, "due_at": clock.now(), "review": {"decisions": decisions}}
    GameReview.objects.create(seat=0, method=method_of(kind), **review)
    GameReview.objects.create(seat=1, method="of another version", **review)
    rows = written(tmp_path)
    ledger = LuckLedger.objects.get(game=game)
    for seat in (0, 1):
        gains = [row["gain"] for row in rows if row["seat"] == seat and row["taken"]]
        assert sum(gains) == pytest.approx(ledger.own[seat], abs=1e-6 * len(gains))
    assert {row["value_function"] for row in rows} == {ledger.value_hash}
    measured = [(row["version"] + 1, row["seat"], row["cost"], row["cost_error"]) for row in rows if row["cost"]]
    assert measured == [(event, 0, 0.25, 0.01)]
    assert check.rows_that_differ(tmp_path / "dataset.parquet", count=50, chance=random.Random(1))[1] == []


def test_the_same_logs_make_the_same_bytes_however_they_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [builtin_bot("Gannet"), builtin_bot("Wren")]
    for seed in range(5):
        finished(*bots, seed=seed)
    first, second = tmp_path / "first.parquet", tmp_path / "second.parquet"
    sentence: list[str] = []
    summary = export.write_dataset(first, progress=sentence.append)
    monkeypatch.setattr(export, "READ_GAMES", 2)
    monkeypatch.setattr(export, "BATCH_GAMES", 1)
    export.write_dataset(second)
    assert first.read_bytes() == second.read_bytes()
    assert pq.read_schema(first).equals(SCHEMA, check_metadata=True)
    assert pq.read_schema(first).metadata[b"scorebook.dataset"] == b"3"
    assert sentence[-1].startswith(f"5 of 5 games, {summary.rows} decisions, ")


@pytest.mark.slow
@pytest.mark.long  # it starts two processes
@pytest.mark.django_db(transaction=True)
def test_several_processes_make_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = [builtin_bot("Gannet"), builtin_bot("Wren")]
    for seed in range(5):
        finished(*bots, seed=seed)
    monkeypatch.setattr(export, "BATCH_GAMES", 1)
    one, two = tmp_path / "one.parquet", tmp_path / "two.parquet"
    export.write_dataset(one)
    export.write_dataset(two, processes=2)
    assert one.read_bytes() == two.read_bytes()


def test_a_consent_that_is_withdrawn_meanwhile_leaves_no_file(
    martha: Player, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished(martha, builtin_bot("Gannet"))
    dataset_consent.set_consent(user=user_of(martha), given=True)

    def withdraw(_words: str) -> None:
        dataset_consent.set_consent(user=user_of(martha), given=False)

    with pytest.raises(export.ConsentWithdrawn):
        export.write_dataset(tmp_path / "dataset.parquet", progress=withdraw)
    assert list(tmp_path.iterdir()) == []


def test_a_club_that_becomes_private_meanwhile_leaves_no_file(tmp_path: Path) -> None:
    club = Club.objects.create(name="Lantern Street", slug="lantern", owner=User.objects.create_user("niamh"))
    finished(builtin_bot("Gannet"), builtin_bot("Wren"), audience_club_id=club.pk)

    def hide(_words: str) -> None:
        Club.objects.update(visibility="private")

    with pytest.raises(export.ClubHidden):
        export.write_dataset(tmp_path / "dataset.parquet", progress=hide)
    assert list(tmp_path.iterdir()) == []


# -- the command


def test_rows_that_are_derived_again_from_their_logs_are_equal_and_a_changed_one_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bots = [builtin_bot("Gannet"), builtin_bot("Wren")]
    finished(*bots, kind="palace", options={})
    finished(*bots, kind="plates", options={"rounds": 1, "turn_limit": 40})
    game = finished(*bots)
    path = tmp_path / "dataset.parquet"
    call_command("export_dataset", path, processes=1)
    assert f"decisions of 3 games to {path}" in capsys.readouterr().out
    call_command("export_dataset", path, check=60)
    assert "60 random rows were derived again from their logs; all are equal." in capsys.readouterr().out

    table = pq.read_table(path)
    rows = [row if row["game"] != game.public_id else {**row, "score": -1} for row in table.to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), path)
    drawn, differ = check.rows_that_differ(path, count=10_000, chance=random.Random(1))
    assert drawn == table.num_rows
    assert {row["game"] for row in differ} == {game.public_id}
    with pytest.raises(CommandError, match="rows differ"):
        call_command("export_dataset", path, check=10_000)


@pytest.mark.slow
def test_a_thousand_random_rows_of_every_kind_are_equal(tmp_path: Path) -> None:
    bots = [builtin_bot(name) for name in ("Gannet", "Wren", "Dipper", "Abacus")]
    for seed in range(6):
        for kind in ("chinese_ten", "palace", "plates", "platinum_fish"):
            finished(*bots[: 2 + 2 * (seed % 2)], kind=kind, options={}, seed=seed)
    for seats in (2, 3):
        play_services.open_game(kind="plate_spinner", players=bots[:seats])
    while runner.play_due_games("test"):
        pass
    path = tmp_path / "dataset.parquet"
    export.write_dataset(path)
    assert set(pq.read_table(path, columns=["kind"])["kind"].to_pylist()) == set(KINDS)
    assert check.rows_that_differ(path, count=1000, chance=random.Random()) == (1000, [])


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    finished(builtin_bot("Gannet"), builtin_bot("Wren"))
    with pytest.raises(CommandError, match="was not written"):
        call_command("export_dataset", tmp_path / "nowhere" / "dataset.parquet", processes=1)
    with pytest.raises(CommandError, match="Use one process or more"):
        call_command("export_dataset", tmp_path / "dataset.parquet", processes=0)
    (tmp_path / "words.parquet").write_text("words")
    with pytest.raises(CommandError, match="can't be read"):
        call_command("export_dataset", tmp_path / "words.parquet", check=5)


# -- the job, and the file that is offered


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.SCOREBOOK_DATASET_FOLDER = str(tmp_path / "dataset")
    return tmp_path / "dataset"


def fetched(user: User) -> bytes:
    """Return the file as a server sends it to this user: in pieces that a thread can take."""
    client = Client()
    client.force_login(user)
    answer: Any = client.get("/api/v1/dataset/file/")
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


@pytest.mark.django_db(transaction=True)
def test_an_admin_has_it_made_everybody_fetches_it_and_whoever_withdraws_is_gone_at_once(folder: Path) -> None:
    ada = User.objects.create_user("ada", is_staff=True, is_superuser=True)
    martha = person("Martha")
    finished(martha, builtin_bot("Gannet"))
    dataset_consent.set_consent(user=user_of(martha), given=True)
    client = Client()
    assert client.get("/api/v1/dataset/").status_code == 403
    client.force_login(user_of(martha))
    assert client.get("/api/v1/dataset/").json() == {"file": None, "job": None}
    assert client.get("/api/v1/dataset/file/").json()["error"]["code"] == "no_dataset"

    registry.perform("export_dataset", "", reason="For the bot authors.", by=ada)
    assert client.get("/api/v1/dataset/").json()["job"]["state"] == "waiting"
    done = job.DATASET.run()
    assert done
    assert (done.state, done.by) == ("done", ada)

    data = client.get("/api/v1/dataset/").json()
    assert (data["job"]["state"], data["file"]["games"], data["file"]["schema_version"]) == ("done", 1, 3)
    content = fetched(user_of(martha))
    assert data["file"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert data["file"]["bytes"] == len(content)

    dataset_consent.set_consent(user=user_of(martha), given=False)
    assert client.get("/api/v1/dataset/").json()["file"] is None
    assert client.get("/api/v1/dataset/file/").status_code == 404
    job.replace_outdated()
    assert list(folder.iterdir()) == []
    again = job.DATASET.run()
    assert again
    assert (again.state, again.by, again.fields["people"]) == ("done", None, [])
    assert [path.name for path in folder.iterdir()] == [f"dataset-{again.pk}.parquet"]
    job.replace_outdated()
    assert AdminJob.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_club_that_becomes_private_takes_its_games_out_of_the_dataset_at_once(folder: Path) -> None:
    club = Club.objects.create(name="Lantern Street", slug="lantern", owner=User.objects.create_user("niamh"))
    bots = [builtin_bot("Gannet"), builtin_bot("Wren")]
    games = [finished(*bots), finished(*bots, seed=2, audience_club_id=club.pk)]
    job.DATASET.request(by=None)
    done = job.DATASET.run()
    assert done
    assert (done.fields["games"], done.fields["clubs"]) == (2, [club.pk])
    assert job.current_file()

    Club.objects.update(visibility="private")
    assert job.current_file() is None
    job.replace_outdated()
    again = job.DATASET.run()
    assert again
    assert (again.fields["games"], again.fields["clubs"]) == (1, [])
    assert games[1].public_id.encode() not in next(folder.iterdir()).read_bytes()
    assert job.current_file()


@pytest.mark.django_db(transaction=True)
def test_a_job_that_cannot_write_says_why(folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    job.DATASET.request(by=None)
    failed = job.DATASET.run()
    assert failed
    assert failed.state == "failed"
    assert "See SCOREBOOK_DATASET_FOLDER." in failed.summary


# -- consent


def test_consent_is_off_until_it_is_given_on_the_page_or_by_the_api_and_each_change_is_written_down(
    martha: Player, client: Client
) -> None:
    user = user_of(martha)
    client.force_login(user)
    assert client.get("/api/v1/me/").json()["dataset_consent"] is False
    with clock.frozen_at(clock.now().replace(microsecond=0)):
        answer = client.post("/me/", {"form": "dataset", "consent": "on"}, follow=True)
        assert "Your choice about the dataset is saved." in answer.content.decode()
        assert client.get("/api/v1/me/").json()["dataset_consent"] is True
        assert "checked" in client.get("/me/").content.decode().split('name="consent"')[1].split(">")[0]
        client.post("/me/", {"form": "dataset", "consent": "on"})
        changed = client.patch("/api/v1/me/", {"dataset_consent": False}, "application/json")
        assert changed.json()["dataset_consent"] is False
        now = clock.now()
    assert account_data(user)["dataset_consents"] == [{"given": False, "at": now}, {"given": True, "at": now}]
    assert dataset_consent.consenting_users() == set()


def test_an_account_that_is_deleted_is_in_it_no_more(martha: Player, tmp_path: Path) -> None:
    finished(martha, builtin_bot("Gannet"))
    dataset_consent.set_consent(user=user_of(martha), given=True)
    assert {row["seat"] for row in written(tmp_path)} == {0, 1}
    people.delete_account(user_of(martha))
    assert {row["seat"] for row in written(tmp_path)} == {1}
    assert BotVersion.objects.count() == 1
