"""Serves the documents under docs/ and the rules of each kind as pages, at /help/, /rules/ and /fairness/.

The texts are Markdown. Raw HTML in them is shown as text. A link to another document, to a folder of documents or to a
file beside them leads to its address on the site.
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
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt

from games.common.for_everybody import for_everybody
from games.common.policy import policy
from games.models import Game
from scorebook_games.kind import RULES_PAGE
from scorebook_games.registry import KINDS, UnknownKind, missing

DOCS: Path = settings.BASE_DIR / "docs"
INDEX: Path = DOCS / "README.md"
FOLDER_OF_KINDS: Path = settings.BASE_DIR / "games" / "library" / "scorebook_games" / "kinds"  # documents link there
FAIRNESS: Path = DOCS / "explanation" / "fairness.md"
ROOT_PAGES = [settings.BASE_DIR / "CHANGELOG.md", settings.BASE_DIR / "CONTRIBUTING.md"]  # also served
CLAUSE = re.compile(r"<(li|p)>\s*((?:<p>)?)(?:<strong>)?([A-Z]{1,3}-\d+[a-z]?)\b(?:</strong>)?")

# A picture of a position beside the document, one for the light and one for the dark theme.
PICTURE = re.compile(r'<img src="pictures/([\w-]+)-light\.webp" alt="([^"]*)" />')


HEADING = re.compile(r"<h([2-6])>(.*?)</h\1>")
LINK_ATTRIBUTE = re.compile(r'\b(href|src)="([^":/#][^":#]*)(#[^"]*)?"')
SERVED_FILES = {  # the content type by the file name's extension
    ".py": "text/plain; charset=utf-8",
    ".yml": "text/plain; charset=utf-8",
    ".conf": "text/plain; charset=utf-8",
    "Caddyfile": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


@policy(visible_in_impersonation=True)
def fairness(request: HttpRequest) -> HttpResponse:
    """Show how a deal is committed to, drawn and revealed, byte by byte."""
    return render_document(request, FAIRNESS, current="learn")


@policy(visible_in_impersonation=True)
def rules_page(request: HttpRequest, kind: str) -> HttpResponse:
    """Show the rules of one kind, with an anchor at each numbered clause. Raises `UnknownKind` for a removed kind that
    has games."""
    if kind not in KINDS:
        if Game.objects.filter(kind=kind).exists():
            raise UnknownKind(missing(kind))
        raise Http404(_("There is no kind of game {kind!r}.").format(kind=kind))
    introduction = reverse("introduction", args=[kind]) if KINDS[kind].presentation.introduction else ""
    return render_document(request, KINDS[kind].rules_page, current="learn", kind=kind, introduction=introduction)


@policy(visible_in_impersonation=True)
def learn(request: HttpRequest) -> HttpResponse:
    """Show the games with their rules, and the index of the documents by reader."""
    path = translated(INDEX)
    _title, index = render_markdown(path, path.stat().st_mtime_ns)
    specs = [kind.spec for kind in KINDS.values()]
    data = {"specs": specs, "index": index, "text_language": language_of(path), "nav": "learn"}
    return render(request, "games/learn.html", data)


@policy(visible_in_impersonation=True)
def help_document(request: HttpRequest, name: str) -> HttpResponse:
    """Show a document by its path under docs/ without `.md`. A folder shows its README."""
    file = f"{name}.md"
    for path in ((DOCS / file).resolve(), (DOCS / name / "README.md").resolve(), settings.BASE_DIR / file):
        if (path.is_relative_to(DOCS) or path in ROOT_PAGES) and is_file(path):
            return render_document(request, path, current="learn")
    raise Http404(_("There is no such document."))


@for_everybody
def help_file(_request: HttpRequest, name: str) -> HttpResponse:
    """Serve a file beside the documents: the Python client, the alerts, a drawing."""
    path = (DOCS / name).resolve()
    if not path.is_relative_to(DOCS) or not is_file(path) or content_type_of(path) is None:
        raise Http404(_("There is no such file."))
    return HttpResponse(path.read_bytes(), content_type=content_type_of(path))


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name may be longer than the system's names."""
    try:
        return path.is_file()
    except OSError:
        return False


def document_url(path: Path) -> str | None:
    """Return the address of a document, of a kind's rules, or of the folder of kinds; None if it is not served."""
    if path == FOLDER_OF_KINDS:
        return f"{reverse('learn')}#games"
    if path.parent.parent == FOLDER_OF_KINDS and path.name == RULES_PAGE:
        return reverse("rules", args=[path.parent.name])
    if path in ROOT_PAGES:
        return reverse("help-document", args=[path.stem])
    if not path.is_relative_to(DOCS) or not path.is_file():
        return None
    if path.suffix != ".md":
        return reverse("help-file", args=[path.relative_to(DOCS).as_posix()]) if content_type_of(path) else None
    page = english(path)
    if page == FAIRNESS:
        return reverse("fairness")
    if page == INDEX:
        return reverse("learn")
    name = page.relative_to(DOCS).as_posix()
    return reverse("help-document", args=[name.removesuffix(".md").removesuffix("/README")])


def content_type_of(path: Path) -> str | None:
    """Return the content type of a served file by its extension; None for a file that is not served."""
    return SERVED_FILES.get(path.suffix or path.name)


def render_document(request: HttpRequest, path: Path, *, current: str, **rules: str) -> HttpResponse:
    """Render one Markdown file as a page, in the reader's language if it is translated; 404 if it does not exist.

    Of `rules`, `kind` is the kind, and `introduction` the address of its introduction, or ""."""
    path = translated(path)
    if not path.is_file():
        raise Http404(_("This document is not written yet."))
    title, html = render_markdown(path, path.stat().st_mtime_ns)
    data = {"title": title, "text": html, "text_language": language_of(path), "nav": current}
    return render(request, "common/document.html", data | rules)


def translated(path: Path) -> Path:
    """Return the path of a document in the reader's language, such as `fairness.de.md`; the English one if it is
    missing."""
    page = path.with_suffix(f".{get_language()}.md")
    return page if page.is_file() else path


def english(path: Path) -> Path:
    """Return the path of the English document that `path` translates, or `path` itself."""
    return path.with_name(f"{path.stem.partition('.')[0]}.md")


def language_of(path: Path) -> str:
    """Return the language of a document: that of `rules.de.md` is "de", that of others "en"."""
    return path.stem.partition(".")[2] or "en"


@cache
def render_markdown(path: Path, changed: int) -> tuple[str, SafeString]:  # noqa: ARG001  `changed` is part of the cache's key
    """Return (title, HTML) of a Markdown file. The title is its first heading, which the page prints itself."""
    title, html = parse_markdown(path)
    original = parse_markdown(english(path))[1] if language_of(path) != "en" else html
    html = CLAUSE.sub(clause_with_anchor, html)
    html = PICTURE.sub(picture_html, html)
    anchors = iter([*anchors_of(original), *anchors_of(html)])  # a link to a heading leads to it in every language
    html = HEADING.sub(lambda heading: heading_with_anchor(heading, next(anchors)), html)
    html = LINK_ATTRIBUTE.sub(lambda link: resolve_link(link, path), html)
    html = html.replace("<pre>", '<pre tabindex="0">')  # so that the arrow keys scroll it without a mouse
    html = html.replace("<th>", '<th scope="col">')
    html = html.replace("<table>", '<div class="scroll"><table class="ledger">').replace("</table>", "</table></div>")
    return title, mark_safe(html)  # noqa: S308  our own documents, raw HTML switched off


def parse_markdown(path: Path) -> tuple[str, str]:
    """Return the title of a Markdown file and the HTML of the rest."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("\n")
    title = re.sub(r"\s*\(`\w+`\)", "", head.lstrip("# ")).strip() if head.startswith("# ") else path.stem
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(rest if head.startswith("# ") else text)
    return title, html


def picture_html(match: re.Match[str]) -> str:
    """Return a picture as the site serves it, for the theme of the reader."""
    name, alt = match.groups()
    day, lamp = (static(f"rules/{name}-{shade}.webp") for shade in ("light", "dark"))
    source = f'<source srcset="{lamp}" media="(prefers-color-scheme: dark)">'
    return f'<picture>{source}<img src="{day}" alt="{alt}" loading="lazy"></picture>'


def anchors_of(html: str) -> list[str]:
    """Return the anchors of all headings: their words in GitHub's form."""
    plain = [unescape(re.sub(r"<[^>]+>", "", words)).lower() for _level, words in HEADING.findall(html)]
    return [re.sub(r"[^\w -]", "", words).replace(" ", "-") for words in plain]


def heading_with_anchor(match: re.Match[str], anchor: str) -> str:
    """Return a heading with its anchor."""
    level, words = match.groups()
    return f'<h{level} id="{anchor}">{words}</h{level}>'


def resolve_link(match: re.Match[str], path: Path) -> str:
    """Return a relative link of the document at `path`, with the address at which its target is served."""
    attribute, target, heading = match.groups()
    address = document_url((path.parent / target).resolve())
    return f'{attribute}="{address}{heading or ""}"' if address else match[0]


def clause_with_anchor(match: re.Match[str]) -> str:
    """Return the beginning of a paragraph or list item with a clause's number, and the number as its anchor."""
    tag, paragraph, clause = match.groups()
    return f'<{tag} id="{clause.lower()}">{paragraph}<span class="clause">{clause}</span>'
