"""The admin's pages of rows, all of them: to whoever is no admin there is a log-in, and nothing is done. What admins
may do there stands in tests/config/test_admin.py."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.urls import get_resolver

from tests.permissions.asking import Asker
from tests.permissions.test_matrix import patterns
from tests.permissions.world import person

pytestmark = pytest.mark.django_db


def test_no_page_of_rows_lets_anybody_in_but_admins() -> None:
    models = [model._meta.label_lower.replace(".", "/") for model in admin.site._registry]
    pages = {
        path.replace("<path:object_id>", "1").replace("<id>", "1")
        for path, _pattern in patterns(get_resolver())
        if path.startswith("admin/") and "/".join(path.split("/")[1:3]) in models
    }
    assert len(pages) > 5 * len(models)
    niamh = Asker.signed_in(person("Niamh"))
    for path in sorted(pages):
        for who, method in ((Asker(), "GET"), (niamh, "GET"), (niamh, "POST")):
            answer = who.ask(method, f"/{path}", {"post": "yes", "_save": "1"} if method == "POST" else None)
            assert (answer.told, answer.changed) == ("login", []), (method, path)
