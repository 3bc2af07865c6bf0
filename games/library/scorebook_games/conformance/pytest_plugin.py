"""The promises of a kind as tests of pytest: one for each promise of the kinds that `scorebook_kinds` names.

pytest finds this module by itself. Nothing else imports it, and it does nothing unless a project's pytest settings have
``scorebook_kinds = ["hearts"]``, or the command line has ``--scorebook-kind hearts``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from scorebook_games.conformance.command import SECONDS, explained
from scorebook_games.conformance.process import Checked, check


class NotKept(Exception):
    """A promise that is broken. The text says how, and how to see it again."""


@cache
def checked_once(kind: str) -> Checked:
    """Return the result of checking a kind, once for all its tests."""
    return check(kind, SECONDS)


class PromiseTest(pytest.Item):
    """One promise of one kind."""

    def __init__(self, *, kind: str, **given: Any) -> None:
        super().__init__(**given)
        self.kind = kind

    def runtest(self) -> None:
        """Check the kind if no other test has, and fail if this promise is broken."""
        checked = checked_once(self.kind)
        for broken in checked.broken:
            if broken.promise == self.promise:
                raise NotKept("\n".join(explained(checked, broken)))
        if self.promise not in checked.seconds:
            pytest.skip("not asked, because of another promise that is broken")

    @property
    def promise(self) -> str:
        """The name of the promise."""
        return self.name.partition("::")[2]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *given: Any, **more: Any) -> Any:
        """Return the text of a broken promise, without a trace of this module."""
        return (
            str(excinfo.value) if isinstance(excinfo.value, NotKept) else super().repr_failure(excinfo, *given, **more)
        )

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return where the test stands: it has no file."""
        return self.path, None, self.name


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting."""
    words = "kinds of game whose promises are tested"
    parser.addini("scorebook_kinds", words, type="args", default=[])
    parser.addoption("--scorebook-kind", action="append", default=[], metavar="NAME", help=words)


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add a test for each promise."""
    kinds = dict.fromkeys([*config.getini("scorebook_kinds"), *config.getoption("--scorebook-kind")])
    items.extend(tests_of(session, kinds))


def tests_of(session: pytest.Session, kinds: dict[str, None]) -> Iterator[pytest.Item]:
    """Return the tests of these kinds.

    The suite is imported only if there are any, because it loads the library's kinds.
    """
    names = import_module("scorebook_games.conformance.suite").SENTENCES if kinds else ()
    for kind in kinds:
        for name in names:
            yield PromiseTest.from_parent(session, name=f"{kind}::{name}", kind=kind)
