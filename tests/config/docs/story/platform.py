"""The part of the story with people's own accounts and with what Ada does on the platform."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from django.test import override_settings

from games.common import clock
from games.operations.models import AdminJob
from replays.dataset.job import decisions_written
from scorebook_games.presentation.coded_text import plain
from tests.config.docs.story.cast import game_of, player
from tests.config.docs.story.teller import Teller
from tournaments.seasons.models import Season

SUBSCRIPTION = {  # of the example in RFC 8291, 5
    "endpoint": "https://push.example.net/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    "name": "Android",
}


def account(teller: Teller) -> None:
    """Let Laura use all operations of her account."""
    ask, who = teller.ask, "laura"
    ask(who, "GET me/")
    ask(who, "PATCH me/", {"zone": "Europe/Dublin"})
    ask(who, "GET me/notices/")
    device = ask(who, "POST me/push-devices/", SUBSCRIPTION)["id"]
    ask(who, "GET me/push-devices/")
    ask(who, "DELETE me/push-devices/{id}/", id=device)
    ask(who, "POST me/notices/seen/", {})
    token = ask(who, "POST me/tokens/", {"name": "laptop", "scopes": ["read", "play"]})["id"]
    ask(who, "GET me/tokens/")
    ask(who, "DELETE me/tokens/{id}/", id=token)
    away = {"start": "2027-07-01", "end": "2027-07-09", "zone": "Europe/Dublin"}
    vacation = ask(who, "POST me/vacations/", away)["id"]
    ask(who, "GET me/vacations/")
    ask(who, "DELETE me/vacations/{id}/", id=vacation)
    for method in ("POST", "GET", "DELETE"):
        ask(who, f"{method} me/calendar/")
    ask(who, "GET players/")
    ask(who, "GET players/{id}/", id=player("Martha").pk)
    ask(who, "GET me/export/")


def conduct(teller: Teller) -> None:
    """Let Laura report Otto, whom Ada warns and mutes; he appeals."""
    ask = teller.ask
    report = {"target": "person", "target_id": player("Otto").pk, "cause": "harassment", "words": "On every Thursday."}
    ask("laura", "POST reports/", report)
    ask("laura", "GET reports/")
    wish = {"action": "warn", "target": "otto", "reason": "Be kind.", "key": "warn-otto-1"}
    ask("ada", "POST admin/actions/", wish)
    mute = {"action": "mute", "target": "otto", "reason": "Be kind.", "fields_sent": {"days": 7}}
    ask("ada", "POST admin/actions/", mute)
    found = {each["kind"]: each["id"] for each in ask("otto", "GET me/conduct/")["results"]}
    ask("otto", "POST me/conduct/{id}/read/", id=found["warning"])
    ask("otto", "POST me/conduct/{id}/object/", {"words": "It was the dog."}, id=found["mute"])


def talk(teller: Teller) -> None:
    """Let Laura and Otto talk at their table; he mutes her and notes why. Martha removes what she said of a season."""
    ask, laura = teller.ask, player("Laura")
    game = game_of("Laura", "Otto")
    ask("laura", "GET talk/phrases/")
    ask("laura", "POST talk/{place}/{of}/", {"phrase": "good_luck"}, place="table", of=game.public_id)
    ask("otto", "GET talk/{place}/{of}/", place="table", of=game.public_id)
    ask("otto", "PUT me/notes/{about}/{of}/", {"text": "Keeps her fives."}, about="person", of=laura.pk)
    ask("otto", "GET me/notes/")
    ask("otto", "PUT me/mutes/{id}/", id=laura.pk)
    ask("otto", "GET me/mutes/")
    ask("otto", "DELETE me/mutes/{id}/", id=laura.pk)
    of = Season.objects.earliest("pk").pk
    message = ask("martha", "POST talk/{place}/{of}/", {"text": "Who brings the tea?"}, place="season", of=of)["id"]
    ask("martha", "POST talk/messages/{id}/remove/", id=message)


def seek(teller: Teller) -> None:
    """Let Laura wait for a game now, and Otto join her; she plays a bot when nobody comes."""
    ask, wish = teller.ask, {"kind": "chinese_ten", "pace": "day"}
    ask("laura", "POST seek/", wish)
    ask("otto", "POST seek/", wish)
    ask("laura", "GET seek/")
    ask("martha", "POST seek/", wish)
    for _ in range(4):
        teller.now += timedelta(seconds=15)
        ask("martha", "POST seek/", wish)
    ask("martha", "POST seek/bot/")
    ask("martha", "DELETE seek/")


def admin(teller: Teller) -> None:
    """Let Ada read what only admins may read."""
    game_of("Random", "Sensible")
    teller.ask("ada", "GET admin/action-kinds/")
    teller.ask("ada", "GET admin/actions/", action="warn")
    teller.ask("ada", "GET status/")


def dataset(teller: Teller) -> None:
    """Let Ada order the dataset, and Laura download it."""
    wish = {"action": "export_dataset", "reason": "For the authors of bots."}
    teller.ask("ada", "POST admin/actions/", wish)
    with TemporaryDirectory() as folder, override_settings(SCOREBOOK_DATASET_FOLDER=folder):
        (Path(folder) / "dataset-1.parquet").write_bytes(b"PAR1")  # the file of a worker has tests of its own
        facts = {"file": "dataset-1.parquet", "games": 1200, "rows": 64_310, "bytes": 2_894_000, "sha256": "0f" * 32}
        done = {"state": "done", "finished_at": clock.now(), "sentences": plain([decisions_written(64_310, 1200)])}
        AdminJob.objects.filter(what="dataset").update(fields={**facts, "people": [], "clubs": []}, **done)
        teller.ask("laura", "GET dataset/")
        teller.ask("laura", "GET dataset/file/")


def the_end(teller: Teller) -> None:
    """Let Jasper delete his account."""
    teller.ask("jasper", "DELETE me/", {"name": "Jasper"})
