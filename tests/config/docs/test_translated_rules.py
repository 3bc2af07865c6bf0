"""The rules of a kind and the documents in another language have the same clauses, pictures, tables, code, links and
moves as the English ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import pytest
from django.test import Client
from markdown_it import MarkdownIt
from markdown_it.token import Token

from config.docs.documents import DOCS
from scorebook_games.registry import KINDS
from tests.assertions.page import Page

REFERENCE = re.compile(r"\b[A-Z]{2}-\d+\b")
TRANSLATED = sorted(
    [*(page for kind in KINDS.values() for page in kind.folder.glob("rules.*.md")), *DOCS.rglob("*.*.md")]
)


def outline(text: str) -> Iterator[str]:
    """Yield a line for each part of a page, with what is equal in every language. For a block of words these are the
    clauses that it names, its moves and other code, its pictures and links."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "inline":
            yield "words: " + ", ".join(sorted(equal_parts(token)))
        elif token.type in ("code_block", "fence"):
            yield f"code: {token.content}"
        elif token.type.endswith("_open"):
            yield f"{token.tag}"


def equal_parts(block: Token) -> Iterator[str]:
    """Yield the parts of a block of words that are equal in every language."""
    yield from REFERENCE.findall(block.content)
    for token in block.children or ():
        match token.type:
            case "code_inline":
                yield f"`{token.content}`"
            case "image":
                yield str(token.attrs["src"])
            case "link_open":
                yield str(token.attrs["href"])
            case "strong_open" | "em_open":
                yield token.type.removesuffix("_open")


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_translated_pages_have_the_parts_of_the_english_ones_in_their_order(page: Path) -> None:
    english = page.with_name(f"{page.name.partition('.')[0]}.md")
    text, here = (list(outline(each.read_text(encoding="utf-8"))) for each in (english, page))
    differences = list(unified_diff(text, here, english.name, page.name, n=4, lineterm=""))
    assert not differences, "\n".join([f"{page} has other parts than {english.name}:", *differences])


def test_rules_that_miss_a_clause_or_have_another_move_are_found() -> None:
    rules = "# A game\n\n## Rules\n\n- **CT-7** Who can capture must: `capture 6 1`.\n- **CT-8** Then flip (CT-7).\n"
    german = rules.replace("Rules", "Regeln").replace("Then flip", "Dann deck auf")
    assert list(outline(german)) == list(outline(rules))
    for mistake in (german.replace("(CT-7)", "(CT-5)"), german.replace("6 1", "6 2"), german.rpartition("- ")[0]):
        assert list(outline(mistake)) != list(outline(rules))


def test_a_reader_of_german_gets_the_german_rules_at_the_same_anchors(client: Client) -> None:
    english, german = (
        Page.of(client.get("/rules/chinese_ten/", headers={"accept-language": language})) for language in ("en", "de")
    )
    assert (2, "Regeln") in german.headings
    anchors = [
        [attrs["id"] for tag, attrs in page.tags if tag in ("h2", "h3", "li") and "id" in attrs]
        for page in (english, german)
    ]
    assert anchors[0] == anchors[1]
    assert {"rules", "ct-7"} <= set(anchors[0])
    assert [attrs.get("lang") for _tag, attrs in german.tags if attrs.get("class") == "prose"] == ["de"]


@pytest.mark.parametrize(
    ("address", "heading"),
    [("/fairness/", "Mischen"), ("/help/explanation/fairness/", "Mischen"), ("/learn/", "Rundgänge")],
)
def test_a_reader_of_german_gets_documents_that_are_translated(client: Client, address: str, heading: str) -> None:
    page = Page.of(client.get(address, headers={"accept-language": "de"}))
    assert (2, heading) in page.headings
    assert [attrs.get("lang") for _tag, attrs in page.tags if attrs.get("class") == "prose"] == ["de"]
    english = Page.of(client.get(address, headers={"accept-language": "en"}))
    assert [attrs.get("lang") for _tag, attrs in english.tags if attrs.get("class") == "prose"] == ["en"]
