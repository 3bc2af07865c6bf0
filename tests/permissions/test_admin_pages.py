"""On all pages of rows in the admin, a user who is not an admin gets the login, and nothing is changed.

tests/config/admin_site/test_admin.py checks what admins may do there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import pytest
from django.contrib import admin
from django.urls import get_resolver

from tests.permissions.requests import Asker
from tests.permissions.test_rules import patterns
from tests.permissions.world import person

pytestmark = pytest.mark.django_db

POSTED: Final = {"post": "yes", "_save": "1"}


def pages() -> dict[str, Any]:
    """Return address → view of each page."""
    models = [model._meta.label_lower.replace(".", "/") for model in admin.site._registry]
    found = {
        path.replace("<path:object_id>", "1").replace("<id>", "1"): pattern.callback
        for path, pattern in patterns(get_resolver())
        if path.startswith("admin/") and "/".join(path.split("/")[1:3]) in models
    }
    assert len(found) > 5 * len(models)
    return dict(sorted(found.items()))


def code_of(view: Any) -> object:
    """Return the function behind a page, which is the same for most models."""
    within = getattr(view, "__wrapped__", view)
    return getattr(within, "__func__", within)


def check(paths: Iterable[str], who: Mapping[str, Asker], *methods: str) -> None:
    wrong = []
    for path in paths:
        for name, asker in who.items():
            for method in methods:
                answer = asker.ask(method, f"/{path}", POSTED if method == "POST" else None)
                if (answer.outcome, answer.changed) != ("login", []):
                    wrong.append(f"{method} /{path}, {name}: {answer.outcome}, changed {answer.changed}")
    assert not wrong, "\n".join(wrong)


def test_no_page_of_rows_lets_anybody_in_but_admins() -> None:
    every = pages()
    check(every, {"nobody": Asker()}, "GET")
    one_of_each = {code_of(view): path for path, view in every.items()}.values()
    check(one_of_each, {"Niamh": Asker.signed_in(person("Niamh"))}, "GET", "POST")


@pytest.mark.slow
def test_nothing_is_done_on_any_page_of_rows_but_by_admins() -> None:
    check(pages(), {"nobody": Asker(), "Niamh": Asker.signed_in(person("Niamh"))}, "GET", "POST")
