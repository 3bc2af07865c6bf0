"""`season_file` exports a season to a file, or creates a season from one."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.common.errors import DomainError
from scorebook_games.registry import first_kind
from tournaments.clubs.models import Club
from tournaments.importexport import entrants
from tournaments.importexport import export as importexport_export
from tournaments.importexport.file_text import decode_file
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.seasons.models import Season

MAX_FILE_BYTES = 20_000_000


class Command(BaseCommand):
    help = (
        "Export a season to a file, or create one from a file, with its entrants only or with everything that was "
        "played."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        write = actions.add_parser("write", help="export the season club/league/season to a file")
        write.add_argument("season", metavar="CLUB/LEAGUE/SEASON")
        write.add_argument("file", type=Path, help="its extension sets the format: .json or .zip")
        read = actions.add_parser("read", help="check a CSV or JSON file; with --write, create the season")
        read.add_argument("club", metavar="CLUB")
        read.add_argument("file", type=Path)
        read.add_argument("--league", default="", help="address of an existing league")
        read.add_argument("--new-league", default="", help="or: name of a new league")
        read.add_argument("--name", required=True, help="name of the season")
        read.add_argument("--kind", default=first_kind(), help="if the file does not name the game")
        read.add_argument("--like", metavar="LEAGUE/SEASON", help="a season of the club from which settings are copied")
        read.add_argument(
            "--results", action="store_true", help="import the whole season, with everything that was played"
        )
        read.add_argument("--write", action="store_true", help="without this option nothing is written")

    def handle(self, **options: Any) -> None:
        """Export or import, and print the result of each line."""
        try:
            self.write(options) if options["action"] == "write" else self.read(options)
        except DomainError as error:
            raise CommandError(error.sentence) from error

    def write(self, options: dict[str, Any]) -> None:
        """Write a season to a file."""
        file: Path = options["file"]
        forms = {".json": importexport_export.as_json, ".zip": importexport_export.as_zip}
        if file.suffix not in forms:
            raise CommandError("Name the file .json or .zip.")
        file.write_bytes(forms[file.suffix](season_at_path(options["season"])))
        self.stdout.write(f"Wrote {file}.")

    def read(self, options: dict[str, Any]) -> None:
        """Create a season from a file; exit with 1 if it cannot be created."""
        club = Club.objects.select_related("owner").filter(slug=options["club"]).first()
        if club is None:
            raise CommandError(f"There is no club {options['club']}. Name it as its address does, after /clubs/.")
        report = entrants.import_season(
            club=club,
            user=club.owner,
            plan=SeasonPlan(**{name: options[name] for name in ("league", "new_league", "name", "kind")}),
            text=read_text(options["file"]),
            like=season_at_path(f"{club.slug}/{options['like']}") if options["like"] else None,
            dry_run=not options["write"],
            results=options["results"],
            most=MAX_FILE_BYTES,
        )
        for line in report.lines:
            who = f"player {line.player.pk}" if line.player else f"{line.made}, without an account here"
            self.stdout.write(f"{line.row.line}: {line.row.name}: {line.problem or who}")
        for problem in report.problems:
            self.stdout.write(f"{problem.line}, {problem.column}: {problem.sentence}")
        for note in report.notes:
            self.stdout.write(note)
        if not report.fine:
            refusal = f"{len(report.unknown) + len(report.problems)} lines have errors; nothing was written."
            self.stdout.write(report.problem or refusal)
            sys.exit(1)
        self.stdout.write(
            f"{report.season} has been set up." if report.season else "The season can be created: add --write."
        )


def season_at_path(path: str) -> Season:
    """Return the season at a path `club/league/season`. Raises CommandError."""
    club, league, season = [*path.split("/"), "", ""][:3]
    seasons = Season.objects.select_related("league__club").filter(league__club__slug=club, league__slug=league)
    named = seasons.filter(slug=season).first()
    if named is None:
        raise CommandError(f"There is no season {path}. Name it as its address does: CLUB/LEAGUE/SEASON.")
    return named


def read_text(file: Path) -> str:
    """Return the text of a file. Raises CommandError."""
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise CommandError(f"A file may have at most {MAX_FILE_BYTES} bytes.")
        return decode_file(file.read_bytes())[0]
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
    except DomainError as error:
        raise CommandError(f"{file}: {error.sentence}") from error
