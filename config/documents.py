"""Pages that are documents of the project: the rules of each kind and how the shuffle is proved fair.

The texts are Markdown under docs/ and are rendered as they are; raw HTML in them is not let through.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from games.kinds import KINDS

DOCS: Path = settings.BASE_DIR / "docs"
CLAUSE = re.compile(r"<(li|p)>\s*((?:<p>)?)(?:<strong>)?([A-Z]{1,3}-\d+[a-z]?)\b(?:</strong>)?")

# A picture of a position, beside the document; there is one by day and one by lamp.
PICTURE = re.compile(r'<img src="pictures/([\w-]+)-light\.webp" alt="([^"]*)" />')


def fairness(request: HttpRequest) -> HttpResponse:
    """How a deal is committed to, drawn and opened, to the byte."""
    return render_document(request, DOCS / "fairness.md", current="rules")


def rules(request: HttpRequest, kind: str) -> HttpResponse:
    """The rules of one kind, with an anchor at each numbered clause."""
    if kind not in KINDS:
        raise Http404(f"There is no kind of game {kind!r}.")
    return render_document(request, DOCS / "rules" / f"{kind}.md", current="rules")


def bots(request: HttpRequest) -> HttpResponse:
    """From a file to a rated game: the guide for authors of bots."""
    return render_document(request, DOCS / "bots.md", current="bots")


def bot_protocol(request: HttpRequest) -> HttpResponse:
    """The lines between a table and a bot, with a transcript for each kind."""
    return render_document(request, DOCS / "bot-protocol.md", current="bots")


def rules_list(request: HttpRequest) -> HttpResponse:
    """Which kinds of game there are."""
    return render(request, "rules.html", {"specs": [rules.spec for rules in KINDS.values()], "nav": "rules"})


def render_document(request: HttpRequest, path: Path, *, current: str) -> HttpResponse:
    """The page of one Markdown file. 404 where it isn't there."""
    if not path.is_file():
        raise Http404("This document is not written yet.")
    title, html = html_of(path, path.stat().st_mtime_ns)
    return render(request, "document.html", {"title": title, "text": html, "nav": current})


@cache
def html_of(path: Path, changed: int) -> tuple[str, SafeString]:  # noqa: ARG001  `changed` is part of the cache's key
    """(title, the rest as HTML) of a Markdown file; the title is its first heading, which the page sets itself."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("\n")
    title = re.sub(r"\s*\(`\w+`\)", "", head.lstrip("# ")).strip() if head.startswith("# ") else path.stem
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(rest if head.startswith("# ") else text)
    html = CLAUSE.sub(anchored, html)
    html = PICTURE.sub(pictured, html)
    html = html.replace("<pre>", '<pre tabindex="0">')  # by arrow keys one scrolls it without a mouse
    html = html.replace("<th>", '<th scope="col">')
    html = html.replace("<table>", '<div class="scroll"><table class="ledger">').replace("</table>", "</table></div>")
    return title, mark_safe(html)  # noqa: S308  our own documents, raw HTML switched off


def pictured(match: re.Match[str]) -> str:
    """A picture as the site serves it, in the shade that the reader's screen has."""
    name, alt = match.groups()
    day, lamp = (static(f"rules/{name}-{shade}.webp") for shade in ("light", "dark"))
    source = f'<source srcset="{lamp}" media="(prefers-color-scheme: dark)">'
    return f'<picture>{source}<img src="{day}" alt="{alt}" loading="lazy"></picture>'


def anchored(match: re.Match[str]) -> str:
    """The opening of a paragraph or list item that begins with a clause's number, with the number as its anchor."""
    tag, paragraph, clause = match.groups()
    return f'<{tag} id="{clause.lower()}">{paragraph}<span class="clause">{clause}</span>'
