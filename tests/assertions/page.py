"""Reads a page as a user does: its text, headings, links and fields, and its faults."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
UNSEEN = {"head", "script", "style"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
FIELDS = {"input", "select", "textarea"}
# Inline elements inside text: no space is read at their edges.
INLINE = {"a", "b", "i", "q", "span", "time", "code", "small", "strong"}


class Page(HTMLParser):
    """A parsed HTML page. `text` is its visible text in order; `tags` are all start tags with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.headings: list[tuple[int, str]] = []
        self.unclosed: list[str] = []
        self._open: list[str] = []
        self._said: list[str] = []
        self._heading: list[str] | None = None
        self.feed(html)
        self.close()
        self.text = " ".join("".join(self._said).split())
        self.unclosed += self._open

    @classmethod
    def of(cls, response: Any) -> Page:
        """Return the page of a test client's response."""
        return cls(response.content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in INLINE:
            self._said.append(" ")
        if tag in HEADINGS:
            self._heading = []
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag in HEADINGS and self._heading is not None:
            self.headings.append((int(tag[1]), " ".join("".join(self._heading).split())))
            self._heading = None
        if tag not in INLINE:
            self._said.append(" ")
        if not self._open or self._open.pop() != tag:
            self.unclosed.append(tag)

    def handle_data(self, data: str) -> None:
        if not UNSEEN.intersection(self._open):
            self._said.append(data)
            if self._heading is not None:
                self._heading.append(data)

    def links(self, start: str = "") -> list[str]:
        """Return the addresses of links that begin with `start`."""
        return [attrs["href"] for tag, attrs in self.tags if tag == "a" and attrs.get("href", "").startswith(start)]

    def marks(self) -> list[str]:
        """Return the kinds of the status marks, in order."""
        return [
            attrs["class"].split()[1] for _, attrs in self.tags if attrs.get("class", "").startswith("status-word ")
        ]

    def faults(self) -> list[str]:
        """Return what is wrong with the page for a screen reader, or for a browser that runs no inline scripts."""
        return [*self._structure(), *self._names(), *self._inline()]

    def _structure(self) -> list[str]:
        levels = [level for level, _ in self.headings]
        found = [f"{tag} is not closed in its place" for tag in self.unclosed]
        if levels.count(1) != 1:
            found.append(f"{levels.count(1)} h1")
        found += [f"h{b} follows h{a}" for a, b in pairwise(levels) if b > a + 1]
        ids = Counter(attrs["id"] for _, attrs in self.tags if "id" in attrs)
        found += [f"the id {name} stands {times} times" for name, times in ids.items() if times > 1]
        labelled = {name for _, attrs in self.tags for name in attrs.get("aria-labelledby", "").split()}
        found += [f"nothing has the id {name}" for name in labelled - set(ids)]
        return found

    def _names(self) -> list[str]:
        labels = {attrs.get("for") for tag, attrs in self.tags if tag == "label"}
        found = []
        for tag, attrs in self.tags:
            named = attrs.get("aria-label") or attrs.get("aria-labelledby")
            if tag in FIELDS and attrs.get("type") not in ("hidden", "submit") and attrs.get("id") not in labels:
                found.append(f"the field {attrs.get('name')} has no label")
            if (tag == "nav" or attrs.get("role") in ("img", "region")) and not named:
                found.append(f"a {tag} has no name")
            if tag == "th" and attrs.get("scope") not in ("col", "row"):
                found.append("a heading of a table does not say what it heads")
            if tag == "html" and not attrs.get("lang"):
                found.append("the page does not say its language")
        return found

    def _inline(self) -> list[str]:
        found = [f"{tag} has a style of its own" for tag, attrs in self.tags if "style" in attrs or tag == "style"]
        found += ["a script stands in the page" for tag, attrs in self.tags if tag == "script" and "src" not in attrs]
        found += [f"{tag} has {name}" for tag, attrs in self.tags for name in attrs if name.startswith("on")]
        return found
