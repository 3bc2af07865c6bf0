"""The project's rules and documents as pages, with an anchor at each clause of the rules."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.test import Client

from config.docs.documents import DOCS, FAIRNESS, document_url, render_markdown
from scorebook_games.registry import KINDS
from tests.assertions.page import Page


def test_a_clause_has_its_number_as_its_anchor(tmp_path: Path) -> None:
    text = tmp_path / "game.md"
    text.write_text("# A game (`a_game`)\n\n- CT-7 who can capture must.\n- Not a clause.\n\n**PL-2a** A paragraph.\n")
    title, html = render_markdown(text, 1)
    assert title == "A game"
    assert '<li id="ct-7"><span class="clause">CT-7</span> who can' in html
    assert "<li>Not a clause.</li>" in html
    assert '<p id="pl-2a"><span class="clause">PL-2a</span> A paragraph.</p>' in html


def test_raw_html_in_a_document_is_shown_and_not_run(tmp_path: Path) -> None:
    text = tmp_path / "game.md"
    text.write_text("# Title\n\n<script>alert(1)</script>\n")
    assert "<script>" not in render_markdown(text, 1)[1]


def test_a_table_may_be_wider_than_its_page(tmp_path: Path) -> None:
    text = tmp_path / "game.md"
    text.write_text("# Title\n\n| move | written |\n|---|---|\n| capture | `capture 6 1` |\n")
    html = render_markdown(text, 1)[1]
    assert '<div class="scroll"><table class="ledger">' in html
    assert '<th scope="col">move</th>' in html


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_has_its_rules_with_clauses(client: Client, kind: str) -> None:
    response = client.get(f"/rules/{kind}/")
    assert response.status_code == 200
    page = Page.of(response)
    clauses = [attrs["id"] for tag, attrs in page.tags if tag in ("li", "p") and "id" in attrs]
    assert len(clauses) >= 10
    assert page.headings[0] == (1, KINDS[kind].spec.title)


def test_fairness_is_the_document_of_that_name(client: Client) -> None:
    page = Page.of(client.get("/fairness/"))
    first = FAIRNESS.read_text(encoding="utf-8").splitlines()[0]
    assert page.headings[0] == (1, first.lstrip("# "))


@pytest.mark.parametrize("name", ["no-such", "../README", "no-such.py", 300 * "a", f"{300 * 'a'}.py"])
def test_a_document_that_is_not_there_is_not_found(client: Client, name: str) -> None:
    assert client.get(f"/help/{name}").status_code == 404
    assert client.get(f"/help/{name}/").status_code == 404


@pytest.mark.long  # reads every document
def test_every_link_of_every_document_leads_somewhere(db: None, client: Client) -> None:
    """Links to documents and to their headings are checked, from the index on."""
    found: dict[str, Page] = {}
    links, wrong = [("somebody", "/learn/"), ("somebody", "/api/")], []
    for said_by, link in links:
        address, _mark, heading = link.partition("#")
        if address not in found:
            answer = client.get(address, follow=True)
            if answer.status_code != 200:
                wrong.append(f"{said_by} links {link}: {answer.status_code}")
                continue
            is_page = answer.headers["Content-Type"].startswith("text/html")
            found[address] = page = Page.of(answer) if is_page else Page("")
            for tag, attrs in page.tags if address.startswith(("/learn/", "/help/", "/rules/", "/fairness/")) else ():
                to = urljoin(address, attrs.get({"a": "href", "img": "src"}.get(tag, ""), ""))
                if to.startswith("/") and not to.startswith(("/static/", "/accounts/")):
                    links.append((address, to))
        if heading and heading not in {attrs.get("id") for _tag, attrs in found[address].tags}:
            wrong.append(f"{said_by} links {link}: no such heading")
    assert wrong == []
    documents = {str(document_url(path)) for path in DOCS.rglob("*.md")}
    assert sorted(documents - set(found)) == [], "link it from docs/README.md"


@pytest.mark.django_db
def test_rules_of_no_kind_are_404(client: Client) -> None:
    assert client.get("/rules/whist/").status_code == 404
    assert client.get("/rules/README/").status_code == 404
