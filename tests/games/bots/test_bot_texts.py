"""Texts about faults, admissions and waiting games can be translated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.db import connection
from django.utils import translation
from django.utils.translation import trans_real

from games.bots import uploads
from games.common import clock
from games.common.errors import DomainError
from games.common.models import Incident
from games.models import BotVersion, Game, Trial
from games.play import services as play
from games.play.models import Fault
from games.workers import sandboxed_bot, waiting_reasons
from games.workers.models import Worker
from tests.games.bots.conftest import Upload, through
from tests.games.bots.test_faults import QUICK, seated
from tests.games.conftest import BuiltInBot

pytestmark = pytest.mark.django_db


class Marked(trans_real.DjangoTranslation):
    """A language that puts each English text in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


@pytest.fixture(autouse=True)
def brackets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use the language with brackets for everybody."""
    language = Marked("en")
    monkeypatch.setattr(trans_real, "translation", lambda _language: language)
    translation.activate("en")
    yield
    translation.deactivate()


def test_every_fault_has_a_sentence_a_name_and_a_cost_that_are_translated() -> None:
    assert set(sandboxed_bot.SENTENCES) == set(Fault.Kind.values)
    for kind in Fault.Kind:
        assert str(sandboxed_bot.Failure(kind, {}, b""))[0] == "⟦"
    words = [
        *Fault.Kind.labels,
        *Fault.Cost.labels,
        *BotVersion.State.labels,
        *Trial.State.labels,
        *Incident.Cause.labels,
    ]
    assert {str(word)[0] for word in words} == {"⟦"}


def test_the_admissions_steps_and_its_reason_are_translated(upload: Upload) -> None:
    version = through(upload("class Bot\n"))
    sentences = [step["sentence"] for step in version.trials.get().shown_steps]
    assert [sentence[0] for sentence in sentences] == ["⟦", "⟦"]
    assert version.reason.startswith("⟦The bot ended before it was ready.⟧")


def test_whatever_keeps_a_game_waiting_is_told_in_translated_words(upload: Upload, built_in: BuiltInBot) -> None:
    game = play.open_game(kind="chinese_ten", players=[seated(upload()), built_in("random")], terms=QUICK)
    now = clock.now()
    whys: list[dict[str, Any]] = [
        {},
        {"failures": 1, "retry_at": now + timedelta(minutes=1)},
        {"failures": 3, "retry_at": None},
        {"failures": 8},
        {"leased_by": "hall", "leased_until": now - timedelta(minutes=1), "failures": 0},
        {"deadline": now, "leased_until": None},
        {"awaits_worker": False, "deadline": None},
        {"awaits_worker": True, "sandboxed": False},
    ]
    found = set()
    for change in whys:
        Game.objects.filter(pk=game.pk).update(**change)
        game.refresh_from_db()
        found.add(waiting_reasons.why_not_played(game, now))
    assert len(found) == len(whys)
    assert {sentence[0] for sentence in found} == {"⟦"}
    Worker.objects.create(name="hall", started_at=now, heartbeat_at=now, tier="none", tier_reason="No.")
    assert (
        waiting_reasons.why_sandboxes_wait()
        == "⟦The sandbox for bots does not work on this server. The dashboard tells admins why.⟧"
    )
    assert waiting_reasons.queue_text(2) == "⟦2 games⟧"


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"\x80\x04", b"MZ", b"", b"\x00", b"\xff\xfea", b"x" * 300_000])
def test_whatever_is_wrong_with_a_file_is_told_in_translated_words(data: bytes) -> None:
    with pytest.raises(DomainError) as refused:
        uploads.source_text(data)
    assert refused.value.sentence.startswith("⟦")
    if refused.value.code == "upload_not_text":
        assert refused.value.sentence.count("⟦") == 2


def test_texts_from_before_sentences_say_the_same() -> None:
    """The migrations of old rows run in tables that hide the real ones."""
    steps = [{"name": "read", "state": "done", "sentence": "One text file.", "ms": None}, {"name": "start"}]
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE games_botversion (reason text, reasons jsonb DEFAULT '[]')")
        cursor.execute("CREATE TEMP TABLE games_trial (steps jsonb)")
        cursor.execute("INSERT INTO games_botversion (reason) VALUES ('It was too slow.')")
        cursor.execute("INSERT INTO games_trial VALUES (%s), ('[]')", [json.dumps(steps)])
        cursor.execute(import_module("games.migrations.0002_sentences").FORWARDS)
        cursor.execute("SELECT reasons FROM games_botversion UNION ALL SELECT steps FROM games_trial")
        reasons, first, second = (json.loads(row[0]) for row in cursor.fetchall())
        cursor.execute("DROP TABLE pg_temp.games_botversion, pg_temp.games_trial")
    assert reasons == [["written", {"text": "It was too slow."}]]
    read = {"name": "read", "state": "done", "sentences": [["written", {"text": "One text file."}]], "ms": None}
    assert first == [read, {"name": "start", "sentences": [["written", {"text": ""}]]}]
    assert second == []
