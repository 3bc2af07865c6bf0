"""The project's rules and documents as pages, with an anchor at each clause of the rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final
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


BEGIN: Final = ("/learn/", "/api/")
READ: Final = ("/learn/", "/help/", "/rules/", "/fairness/")


def broken_links(client: Client, is_read: Callable[[str], bool]) -> tuple[list[str], set[str]]:
    """Follow the links of documents and to their headings, from the index on. Return those that lead nowhere, and all
    addresses that were found. `is_read` says whether a document is opened to follow its links and to find its headings;
    the others need only be there."""
    documents = {str(document_url(path)) for path in DOCS.rglob("*.md")}
    found: dict[str, Page | None] = {}
    links, wrong = [("somebody", address) for address in BEGIN], []
    for linked_from, link in links:
        address, _mark, heading = link.partition("#")
        if address not in found:
            if address in documents and not is_read(address):
                found[address] = None
                continue
            answer = client.get(address, follow=True)
            if answer.status_code != 200:
                wrong.append(f"{linked_from} links {link}: {answer.status_code}")
                continue
            is_page = answer.headers["Content-Type"].startswith("text/html")
            found[address] = page = Page.of(answer) if is_page else Page("")
            for tag, attrs in page.tags if address.startswith(READ) else ():
                to = urljoin(address, attrs.get({"a": "href", "img": "src"}.get(tag, ""), ""))
                # The form for the zone, which leads back to each page, is linked by every page.
                if to.startswith("/") and not to.startswith(("/static/", "/accounts/", "/zone/")):
                    links.append((address, to))
        there = found[address]
        if heading and there is not None and heading not in {attrs.get("id") for _tag, attrs in there.tags}:
            wrong.append(f"{linked_from} links {link}: no such heading")
    return wrong, set(found)


def test_every_link_of_a_document_of_each_folder_leads_somewhere(db: None, client: Client) -> None:
    """`tests/test_docs.py` checks the links of all documents, as files."""
    paths = sorted(DOCS.rglob("*.md"), key=lambda path: (path.name == "README.md", path), reverse=True)
    first = {path.parent: str(document_url(path)) for path in sorted(paths, key=lambda path: path.name == "README.md")}
    wrong, found = broken_links(client, set(first.values()).__contains__)
    assert wrong == []
    assert set(first.values()) <= found


@pytest.mark.slow
def test_every_link_of_every_document_leads_somewhere(db: None, client: Client) -> None:
    wrong, found = broken_links(client, lambda _address: True)
    assert wrong == []
    assert sorted({str(document_url(path)) for path in DOCS.rglob("*.md")} - found) == [], "link it from docs/README.md"


@pytest.mark.django_db
def test_rules_of_no_kind_are_404(client: Client) -> None:
    assert client.get("/rules/whist/").status_code == 404
    assert client.get("/rules/README/").status_code == 404
