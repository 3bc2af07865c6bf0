"""`makemessages`, which reads the island too: `-d djangojs` collects the words of `frontend/src`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from django.core.management.commands import makemessages

from replays.island import calls_alone

NOT_OURS: Final = ["node_modules", "dist", "tests"]


class SourceFile(makemessages.BuildFile):
    """A file to be read; of TypeScript and Svelte, which xgettext does not know, only the calls of gettext."""

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
