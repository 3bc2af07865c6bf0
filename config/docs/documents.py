"""The documents of the project as pages: everything under docs/, at /help/, /rules/ and /fairness/.

The texts are Markdown and are rendered as they are; raw HTML in them is not let through. Links between them, and to
files beside them, lead to where they are served.
"""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from games.common.policy import policy
from games.kinds import KINDS

DOCS: Path = settings.BASE_DIR / "docs"
CLAUSE = re.compile(r"<(li|p)>\s*((?:<p>)?)(?:<strong>)?([A-Z]{1,3}-\d+[a-z]?)\b(?:</strong>)?")

# A picture of a position, beside the document; there is one by day and one by lamp.
PICTURE = re.compile(r'<img src="pictures/([\w-]+)-light\.webp" alt="([^"]*)" />')


HEADING = re.compile(r"<h([2-6])>(.*?)</h\1>")
LINK_ATTRIBUTE = re.compile(r'\b(href|src)="([^":/#][^":#]*|\.\./[^":#]+)(#[^"]*)?"')
SERVED_FILES = {
    ".py": "text/plain; charset=utf-8",
    ".yml": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
}  # by how their names end, as what they are served


@policy(visible_in_impersonation=True)
def fairness(request: HttpRequest) -> HttpResponse:
    """How a deal is committed to, drawn and opened, to the byte."""
    return render_document(request, DOCS / "fairness.md", current="rules")


@policy(visible_in_impersonation=True)
def rules_page(request: HttpRequest, kind: str) -> HttpResponse:
    """The rules of one kind, with an anchor at each numbered clause."""
    if kind not in KINDS:
        raise Http404(f"There is no kind of game {kind!r}.")
    return render_document(request, DOCS / "rules" / f"{kind}.md", current="rules")


@policy(visible_in_impersonation=True)
def help_index(request: HttpRequest) -> HttpResponse:
    """Which documents there are."""
    paths = sorted(DOCS.rglob("*.md"), key=lambda path: (len(path.parts), path))  # the guides, then decisions and rules
    found = [(render_markdown(path, path.stat().st_mtime_ns)[0], document_url(path)) for path in paths]
    return render(request, "help.html", {"documents": found, "nav": "help"})


@policy(visible_in_impersonation=True)
def help_document(request: HttpRequest, name: str) -> HttpResponse:
    """One document, by its path under docs/ without `.md`."""
    path = (DOCS / f"{name}.md").resolve()
    if not path.is_relative_to(DOCS) or not path.is_file():
        raise Http404("There is no such document.")
    return render_document(request, path, current="help")


def help_file(_request: HttpRequest, name: str) -> HttpResponse:
    """A file that stands beside the documents: the Python client, the alarms, a drawing."""
    path, content_type = DOCS / name, SERVED_FILES.get(Path(name).suffix)
    if path.parent != DOCS or content_type is None or not path.is_file():
        raise Http404("There is no such file.")
    return HttpResponse(path.read_bytes(), content_type=content_type)


def document_url(path: Path) -> str | None:
    """Where a file under docs/ is served; None where it is not."""
    if not path.is_relative_to(DOCS) or not path.is_file():
        return None
    if path.suffix != ".md":
        return reverse("help-file", args=[path.name]) if path.parent == DOCS and path.suffix in SERVED_FILES else None
    name = path.relative_to(DOCS).with_suffix("").as_posix()
    if name == "fairness":
        return reverse("fairness")
    if name.startswith("rules/"):
        return reverse("rules", args=[path.stem])
    return reverse("help-document", args=[name])


@policy(visible_in_impersonation=True)
def bot_guide(request: HttpRequest) -> HttpResponse:
    """From a file to a rated game: the guide for authors of bots."""
    return render_document(request, DOCS / "bots.md", current="bots")


@policy(visible_in_impersonation=True)
def bot_protocol(request: HttpRequest) -> HttpResponse:
    """The lines between a table and a bot, with a transcript for each kind."""
    return render_document(request, DOCS / "bot-protocol.md", current="bots")


@policy(visible_in_impersonation=True)
def rules_list(request: HttpRequest) -> HttpResponse:
    """Which kinds of game there are."""
    return render(request, "rules.html", {"specs": [rules.spec for rules in KINDS.values()], "nav": "rules"})


def render_document(request: HttpRequest, path: Path, *, current: str) -> HttpResponse:
    """The page of one Markdown file. 404 where it isn't there."""
    if not path.is_file():
        raise Http404("This document is not written yet.")
    title, html = render_markdown(path, path.stat().st_mtime_ns)
    return render(request, "document.html", {"title": title, "text": html, "nav": current})


@cache
def render_markdown(path: Path, changed: int) -> tuple[str, SafeString]:  # noqa: ARG001  `changed` is part of the cache's key
    """(title, the rest as HTML) of a Markdown file; the title is its first heading, which the page sets itself."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("\n")
    title = re.sub(r"\s*\(`\w+`\)", "", head.lstrip("# ")).strip() if head.startswith("# ") else path.stem
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(rest if head.startswith("# ") else text)
    html = CLAUSE.sub(clause_with_anchor, html)
    html = PICTURE.sub(picture_html, html)
    html = HEADING.sub(heading_with_anchor, html)
    html = LINK_ATTRIBUTE.sub(lambda link: resolve_link(link, path), html)
    html = html.replace("<pre>", '<pre tabindex="0">')  # by arrow keys one scrolls it without a mouse
    html = html.replace("<th>", '<th scope="col">')
    html = html.replace("<table>", '<div class="scroll"><table class="ledger">').replace("</table>", "</table></div>")
    return title, mark_safe(html)  # noqa: S308  our own documents, raw HTML switched off


def picture_html(match: re.Match[str]) -> str:
    """A picture as the site serves it, in the shade that the reader's screen has."""
    name, alt = match.groups()
    day, lamp = (static(f"rules/{name}-{shade}.webp") for shade in ("light", "dark"))
    source = f'<source srcset="{lamp}" media="(prefers-color-scheme: dark)">'
    return f'<picture>{source}<img src="{day}" alt="{alt}" loading="lazy"></picture>'


def heading_with_anchor(match: re.Match[str]) -> str:
    """A heading with its words as its anchor, as GitHub makes it."""
    level, words = match.groups()
    plain = unescape(re.sub(r"<[^>]+>", "", words)).lower()
    anchor = re.sub(r"[^\w -]", "", plain).replace(" ", "-")
    return f'<h{level} id="{anchor}">{words}</h{level}>'


def resolve_link(match: re.Match[str], path: Path) -> str:
    """A relative link of the document at `path`, to where its target is served."""
    attribute, target, heading = match.groups()
    address = document_url((path.parent / target).resolve())
    return f'{attribute}="{address}{heading or ""}"' if address else match[0]


def clause_with_anchor(match: re.Match[str]) -> str:
    """The opening of a paragraph or list item that begins with a clause's number, with the number as its anchor."""
    tag, paragraph, clause = match.groups()
    return f'<{tag} id="{clause.lower()}">{paragraph}<span class="clause">{clause}</span>'
