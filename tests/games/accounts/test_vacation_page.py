"""The page /me/vacation/, which works without JavaScript, and vacations in clocks and in moves."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from config import asgi
from games.clocks import outages
from games.clocks.models import Heartbeat, Vacation
from games.common import clock
from tests.assertions.page import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def martha() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("martha"))
    client.cookies["zone"] = "Europe/Berlin"
    return client


def test_a_vacation_is_announced_seen_and_ended_on_one_page(martha: Client) -> None:
    start = (clock.now() + timedelta(days=5)).date()
    end = start + timedelta(days=1)
    assert "Vacation" in Page.of(martha.get("/me/vacation/")).headings[0][1]
    assert martha.post("/me/vacation/", {"start": start, "end": end}).status_code == 302

    taken = Vacation.objects.get()
    assert (taken.start, taken.end, taken.zone) == (start, end, "Europe/Berlin")
    shown = martha.get("/me/vacation/").content.decode()
    assert "Europe/Berlin" in shown
    assert f"/me/vacation/{taken.pk}/end/" in shown
    assert martha.post(f"/me/vacation/{taken.pk}/end/").status_code == 302
    assert not Vacation.objects.exists()


def test_what_cannot_be_taken_is_answered_on_the_page_with_the_sentence(martha: Client) -> None:
    today = clock.now().date().isoformat()
    response = martha.post("/me/vacation/", {"start": today, "end": today})
    assert response.status_code == 400
    assert "in advance" in response.content.decode()
    assert martha.post("/me/vacation/", {"start": "soon", "end": ""}).status_code == 400
    assert martha.post("/me/vacation/999/end/").status_code == 404
    assert martha.get("/me/vacation/999/end/").status_code == 405


def test_who_is_not_signed_in_is_asked_to() -> None:
    assert "/accounts/login/" in Client().get("/me/vacation/").headers["Location"]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_web_gives_signs_of_life_from_its_start_to_its_end() -> None:
    sent: list[str] = []

    async def serve() -> None:
        stopping = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if not sent:
                return {"type": "lifespan.startup"}
            await stopping.wait()
            return {"type": "lifespan.shutdown"}

        async def send(message: Any) -> None:
            sent.append(message["type"])

        serving = asyncio.create_task(asgi.application({"type": "lifespan"}, receive, send))
        while not await asyncio.to_thread(signed):
            await asyncio.sleep(0.01)
        stopping.set()
        await serving

    asyncio.run(asyncio.wait_for(serve(), 120))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert Heartbeat.objects.get().part == outages.WEB_PART


def signed() -> bool:
    try:
        return Heartbeat.objects.exists()
    finally:
        connection.close()
