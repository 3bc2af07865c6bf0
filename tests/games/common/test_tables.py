"""A table that a phone shows stacked remains a table for screen readers."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.template import Context, Template

from tests.assertions.page import Page

STACKED = Template("""{% load tables %}{% stacked %}<table class="ledger stack"><caption>Rows</caption>
<thead><tr><th scope="col">Who</th><th class="num"
 scope="col">Points</th></tr></thead>
<tbody><tr class="mine"><th scope="row">{{ who }}</th><td>2</td></tr></tbody></table>{% endstacked %}""")


def test_each_element_of_a_stacked_table_has_its_role() -> None:
    html = STACKED.render(Context({"who": "<td>"}))
    page = Page(html)
    roles = [(tag, attrs["role"]) for tag, attrs in page.tags if "role" in attrs]
    assert roles == [
        ("table", "table"),
        ("thead", "rowgroup"),
        ("tr", "row"),
        *[("th", "columnheader")] * 2,
        ("tbody", "rowgroup"),
        ("tr", "row"),
        ("th", "rowheader"),
        ("td", "cell"),
    ]
    assert "Points 2" not in page.text
    assert "&lt;td&gt;" in html, "what stands in a cell stays text"


def test_no_template_writes_these_roles_by_hand_or_stacks_a_table_without_them() -> None:
    apps = ("config", "games", "replays", "tournaments")
    texts = {path: path.read_text() for app in apps for path in Path(settings.BASE_DIR, app).rglob("*.html")}
    assert [path for path, text in texts.items() if 'role="row' in text or 'role="cell"' in text] == []
    stacked = {path: text for path, text in texts.items() if 'class="ledger stack' in text}
    assert len(stacked) > 20
    assert [path for path, text in stacked.items() if text.count("ledger stack") != text.count("{% stacked %}")] == []
