"""Rendered pages are stored under all that they depend on, and a cache that fails costs time only."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import RequestFactory, override_settings
from django.utils import timezone, translation

from games.common import page_cache
from games.common.page_cache import StoredPage, cached_page

SECRET = "a" * 32
Ask = Callable[..., HttpResponse]


class Rendered:
    """A page, with a form or without, its version, and how often it was rendered."""

    def __init__(self) -> None:
        self.times, self.version, self.status, self.has_form = 0, 1, 200, True
        self.head = ""
        self.meanwhile: Callable[[], None] = lambda: None
        self.view = cached_page(lambda _request: self.version)(self.render)

    def render(self, request: HttpRequest) -> HttpResponse:
        self.times += 1
        self.meanwhile()
        form = f'<input type="hidden" name="csrfmiddlewaretoken" value="{get_token(request)}">'
        return HttpResponse(f"{self.head}<p>page {self.times}</p>{form if self.has_form else ''}", status=self.status)


@pytest.fixture
def page() -> Rendered:
    return Rendered()


@pytest.fixture
def ask(page: Rendered, rf: RequestFactory) -> Ask:
    def asked(
        at: str = "/p/", user: Any = None, secret: str = SECRET, sent: str = "GET", **headers: str
    ) -> HttpResponse:
        request = rf.generic(sent, at, headers=headers)
        request.user = user or AnonymousUser()
        request._messages = CookieStorage(request)  # type: ignore[attr-defined]
        if secret:
            request.META["CSRF_COOKIE"] = secret
        return page.view(request)

    return asked


@pytest.fixture(autouse=True)
def nobody_is_looked_up() -> Iterator[None]:
    """Leave out the facts of signed-in readers, which are rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_cache, "_reader_facts", [])
        yield


class Person:
    def __init__(self, pk: int) -> None:
        self.pk = pk


def text(response: HttpResponse) -> str:
    return re.sub(r'value="\w{64}"', "", response.content.decode())


def test_a_page_is_rendered_again_only_when_its_version_is_another(ask: Ask, page: Rendered) -> None:
    assert text(ask()) == text(ask())
    page.version = 2
    assert text(ask()) != text(ask(sent="HEAD", at="/other/"))
    assert page.times == 3


def test_whoever_asks_otherwise_gets_a_page_of_their_own(ask: Ask, page: Rendered) -> None:
    ask()
    others: list[dict[str, Any]] = [{"at": "/p/?page=2"}, {"at": "/q/"}, {"user": Person(1)}, {"user": Person(2)}]
    for number, other in enumerate([*others, {"Host": "localhost"}], start=2):
        ask(**other)
        assert page.times == number
    with translation.override("de"):
        ask()
    with timezone.override("Asia/Tokyo"):
        ask()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: datetime(2031, 1, 1, tzinfo=UTC))
        ask()
    assert page.times == 9


def test_a_form_has_a_token_of_its_own_reader_and_none_is_stored(ask: Ask) -> None:
    pages = [ask().content.decode(), ask().content.decode(), ask(secret="b" * 32).content.decode()]
    assert len({re.findall(r'value="(\w{64})"', each)[0] for each in pages}) == 3
    stored = [each for each in stored_values() if isinstance(each, StoredPage)]
    assert [each.has_forms for each in stored] == [True]
    assert re.search(r"\w{64}", gzip.decompress(stored[0].body).decode()) is None


def test_a_page_without_forms_is_sent_as_it_is_stored_to_a_browser_that_takes_it(ask: Ask, page: Rendered) -> None:
    page.has_form = False
    new = ask()
    packed, plain = ask(**{"Accept-Encoding": "br, gzip"}), ask(**{"Accept-Encoding": "identity"})
    assert (packed["Content-Encoding"], gzip.decompress(packed.content)) == ("gzip", new.content)
    assert ("Content-Encoding" in plain.headers, plain.content) == (False, new.content)
    assert "Accept-Encoding" in packed["Vary"]
    assert page.times == 1


def test_a_page_with_a_form_is_not_compressed_here(ask: Ask) -> None:
    """Whoever can add text to a compressed page learns its token from the page's length (BREACH)."""
    ask()
    assert "Content-Encoding" not in ask(**{"Accept-Encoding": "gzip"}).headers


def test_a_part_is_stored_and_a_whole_page_that_is_sent_for_want_of_the_part_is_not(ask: Ask, page: Rendered) -> None:
    """The key of a part does not have what the head of a page shows of its reader."""
    ask("/p/?part=rows", user=Person(1))
    assert "ETag" in ask("/p/?part=rows", user=Person(1)).headers
    page.head = "\n<!DOCTYPE html>"
    for at in ("/p/?part=", "/p/?part=none"):
        answers = [ask(at, user=Person(1)) for _ in range(2)]
        assert len(set(map(text, answers))) == 2
        assert all("ETag" not in answer.headers for answer in answers)
    assert text(ask(user=Person(1))) == text(ask(user=Person(1)))


def stored_values() -> list[Any]:
    cache: Any = caches[page_cache.CACHE]
    return [cache.get(key.split(":", 2)[2]) for key in list(cache._cache)]


def test_a_browser_that_has_the_page_is_told_so_until_it_changes(ask: Ask, page: Rendered) -> None:
    tag = ask()["ETag"]
    assert ask()["ETag"] == tag
    again = ask(**{"If-None-Match": f'W/"other", {tag}'})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
    assert again["Cache-Control"] == "private, no-cache"
    assert "Cookie" in again["Vary"]
    assert ask(user=Person(1), **{"If-None-Match": tag}).status_code == 200
    assert ask(secret="b" * 32, **{"If-None-Match": tag}).status_code == 200
    page.version = 2
    assert ask(**{"If-None-Match": tag}).status_code == 200


def test_a_browser_that_has_lost_its_cookie_gets_a_form_that_it_can_send(ask: Ask) -> None:
    tag = ask(secret="")["ETag"]
    assert ask(secret="", **{"If-None-Match": tag}).status_code == 200


def test_what_changes_while_it_is_rendered_is_not_stored(ask: Ask, page: Rendered) -> None:
    def change() -> None:
        page.version += 1

    page.meanwhile = change
    assert "ETag" not in ask().headers
    page.meanwhile, page.version = (lambda: None), 1
    assert "page 2" in text(ask())


@pytest.mark.parametrize("status", [404, 500, 302])
def test_no_failure_is_stored(ask: Ask, page: Rendered, status: int) -> None:
    page.status = status
    ask()
    page.status = 200
    assert "page 2" in text(ask())


def test_a_render_that_fails_leaves_nothing(ask: Ask, page: Rendered) -> None:
    def fail() -> None:
        raise RuntimeError("no")

    page.meanwhile = fail
    with pytest.raises(RuntimeError):
        ask()
    page.meanwhile = lambda: None
    assert "page 2" in text(ask())


def test_a_page_without_a_version_is_not_stored(ask: Ask, page: Rendered) -> None:
    page.version = None  # type: ignore[assignment]
    ask()
    assert "page 2" in text(ask())
    assert stored_values() == []


def test_forms_tokens_messages_and_impersonation_pass_by(rf: RequestFactory, page: Rendered) -> None:
    def passes(sent: HttpRequest) -> bool:
        sent.user = AnonymousUser()
        sent._messages = getattr(sent, "_messages", CookieStorage(sent))  # type: ignore[attr-defined]
        return not page_cache.is_cacheable(sent)

    assert not passes(rf.get("/p/"))
    assert passes(rf.post("/p/"))
    assert passes(rf.get("/p/", headers={"Authorization": "Bearer x"}))
    looked_on, with_message = rf.get("/p/"), rf.get("/p/")
    looked_on.impersonation = object()  # type: ignore[attr-defined]
    assert passes(looked_on)
    with_message._messages = CookieStorage(with_message)  # type: ignore[attr-defined]
    messages.success(with_message, "Saved.")
    assert passes(with_message)
    with override_settings(DEBUG=True):
        assert passes(rf.get("/p/"))


def test_a_cache_that_fails_or_holds_something_else_costs_time_only(
    ask: Ask, page: Rendered, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_cache, "digest", lambda *_values: "the-key")
    ask()
    for poison in (b"", "text", {"pieces": ["x"]}, 7):
        caches[page_cache.CACHE].set("the-key", poison)
        assert "page" in text(ask())
    with override_settings(CACHES={"pages": {"BACKEND": "no.such.Cache"}}):
        assert "page 6" in text(ask())


def test_a_large_page_is_not_stored(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "MAX_STORED_BYTES", 10)
    ask()
    assert "page 2" in text(ask())


def test_a_full_cache_forgets_the_oldest_pages(ask: Ask, page: Rendered) -> None:
    cache: Any = caches[page_cache.CACHE]
    for number in range(cache._max_entries + 5):
        ask(at=f"/p/?page={number}")
    assert len(cache._cache) <= cache._max_entries


def test_another_front_end_and_another_setting_are_another_program(tmp_path: Path, settings: Any) -> None:
    """A browser may have a page that names files which are no longer served."""
    version = page_cache.program_version.__wrapped__
    settings.STATIC_ROOT = tmp_path
    settings.DJANGO_VITE = {"default": {"manifest_path": tmp_path / "manifest.json"}}
    found = [version(), version()]
    for change in ("manifest.json", page_cache.STATIC_MANIFEST):
        (tmp_path / change).write_text("{}")
        found.append(version())
    settings.SCOREBOOK_BASE_URL = "https://another.example"
    found.append(version())
    assert found[0] == found[1]
    assert len(set(found)) == 4
