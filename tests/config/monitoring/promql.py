"""Evaluates the part of PromQL that docs/alerts.yml uses, on one scrape of the metrics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

Labels = frozenset[tuple[str, str]]
Vector = dict[Labels, float]

TOKEN: Final = re.compile(r"\s*(\w+\{[^}]*\}|[a-zA-Z_]\w*|\d+(?:\.\d+)?|>=|<=|==|>|[()*])")
MATCHER: Final = re.compile(r'(\w+)(=~|!~|=)"([^"]*)"')
COMPARE: Final = {
    ">": lambda value, limit: value > limit,
    ">=": lambda value, limit: value >= limit,
    "<=": lambda value, limit: value <= limit,
    "==": lambda value, limit: value == limit,
}


def ask(expression: str, figures: Mapping[tuple[str, Labels], float]) -> Vector:
    """Return the matches of an expression. A rule fires if there is a match."""
    return _Reader(expression, figures).either()


class _Reader:
    """Parses an expression by recursive descent. `or` binds weaker than `and` and `unless`, these weaker than a
    comparison."""

    def __init__(self, expression: str, figures: Mapping[tuple[str, Labels], float]) -> None:
        self.tokens = TOKEN.findall(expression)
        assert "".join(self.tokens).replace(" ", "") == expression.replace(" ", ""), expression
        self.figures = figures

    def _next(self) -> str:
        return str(self.tokens.pop(0))

    def _take(self, *wanted: str) -> str:
        return self._next() if self.tokens and self.tokens[0] in wanted else ""

    def either(self) -> Vector:
        left = self._both()
        while self._take("or"):
            left = {**self._both(), **left}
        return left

    def _both(self) -> Vector:
        left = self._compared()
        while word := self._take("and", "unless"):
            everywhere = self._take("on") and self._next() + self._next()  # on ()
            right = self._compared()
            met = set(left) if everywhere and right else set(left) & set(right) if not everywhere else set()
            left = {labels: value for labels, value in left.items() if (labels in met) == (word == "and")}
        return left

    def _compared(self) -> Vector:
        found = self._product()
        if how := self._take(*COMPARE):
            limit = float(self._next())
            found = {labels: value for labels, value in found.items() if COMPARE[how](value, limit)}
        return found

    def _product(self) -> Vector:
        if not self.tokens[0][0].isdigit():
            return self._term()
        factor = float(self._next())
        assert self._take("*")
        return {labels: factor * value for labels, value in self._term().items()}

    def _term(self) -> Vector:
        token = self._next()
        if token == "(":
            return self._inside()
        if token != "max":
            return self._selected(token)
        by = [self._next() for _each in range(3)][1] if self._take("by") else None
        assert self._take("(")
        found: Vector = {}
        for labels, value in self._inside().items():
            group = frozenset((name, given) for name, given in labels if name == by)
            found[group] = max(value, found.get(group, value))
        return found

    def _inside(self) -> Vector:
        found = self.either()
        assert self._take(")")
        return found

    def _selected(self, token: str) -> Vector:
        name, _brace, matchers = token.partition("{")
        wanted = MATCHER.findall(matchers)
        return {
            labels: value
            for (each, labels), value in self.figures.items()
            if each == name and all(_meets(dict(labels).get(label, ""), how, given) for label, how, given in wanted)
        }


def _meets(value: str, how: str, wanted: str) -> bool:
    return value == wanted if how == "=" else bool(re.fullmatch(wanted, value)) == (how == "=~")
