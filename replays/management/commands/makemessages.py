"""`makemessages`, which reads the front end too: `-d djangojs` collects the words of `frontend/src`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from django.core.management.commands import makemessages

NOT_OURS: Final = ["node_modules", "dist", "tests"]
TEXT: Final = r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
GETTEXT_CALL: Final = re.compile(rf"\b(?:_\(\s*{TEXT}|ngettext\(\s*{TEXT}\s*,\s*{TEXT})")


def calls_alone(source: str) -> str:
    """`source` with nothing left but its calls of gettext, each in its line."""
    lines, at = [""], 0
    for match in GETTEXT_CALL.finditer(source):
        lines += [""] * source.count("\n", at, match.start())
        lines[-1] += f"{match[0]}, 0); ".replace("\n", " ")
        lines += [""] * match[0].count("\n")
        at = match.end()
    return "\n".join(lines)


class SourceFile(makemessages.BuildFile):
    """A source file for xgettext. It does not know TypeScript and Svelte, so it gets only their calls of gettext."""

    @property
    def is_templatized(self) -> bool:
        return self.domain == "djangojs" or bool(super().is_templatized)

    def preprocess(self) -> None:
        if self.domain == "djangojs":
            Path(self.work_path).write_text(calls_alone(Path(self.path).read_text()))
        else:
            super().preprocess()


class Command(makemessages.Command):
    build_file_class = SourceFile

    def handle(self, *args: Any, **options: Any) -> None:
        options["ignore_patterns"] = [*options["ignore_patterns"], *NOT_OURS]
        if options["domain"] == "djangojs" and not options["extensions"]:
            options["extensions"] = ["ts", "svelte"]
        super().handle(*args, **options)
