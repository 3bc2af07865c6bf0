"""Checks of an import of any file: the file is refused with a sentence, or its lines list everything. A preview stores
nothing, and what it accepts is imported as shown."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction

from games.common.errors import DomainError
from games.models import Player
from tests.factories.people import joined
from tests.fuzz.sheets import spoiled
from tests.tournaments.club import new_club
from tournaments.clubs.models import Membership
from tournaments.importexport import export as importexport_export
from tournaments.importexport.entrants import ImportReport, import_season
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.maintenance.demo import built_in_bot_player
from tournaments.maintenance.rebuild import find_differences
from tournaments.seasons.models import Entrant, League, Season

PLAN: Final = SeasonPlan(league="palace", name="From a file", kind="chinese_ten", format="round_robin", games_a_match=1)
ROWS: Final = (Season, Entrant, Player)


class Imports:
    """A club of three people and two built-in bots, whose organiser imports files."""

    def __init__(self) -> None:
        self.owner = self._member("Niamh")
        self.club = new_club(name="Lantern Street", slug="lantern", owner=self.owner)
        League.objects.create(club=self.club, name="Palace League", slug="palace")
        for name in ("Martha", "Laura", "Wilma"):
            Membership.objects.create(club=self.club, user=self._member(name))
        for name in ("Gannet", "Tin Whistle"):
            built_in_bot_player(name, "random")
        self.counts: Counter[str] = Counter()

    @staticmethod
    def _member(name: str) -> User:
        user = joined(name).user
        assert user
        return user

    def ask(self, number: int) -> str:
        """Import the file with this number. If a check fails, return the file with its fault, otherwise ""."""
        chance = random.Random(number)
        text, results = spoiled(chance), chance.random() < 0.7
        try:
            self.counts[self._came(text, results)] += 1
        except Exception as broken:  # any error is a finding
            return f"file {number}, results {results}: {broken!r}\n{text!r}"
        return ""

    def _came(self, text: str, results: bool) -> str:
        """Return what happened to a file, in words. Raises AssertionError, and any error of the import."""
        before = [rows.objects.count() for rows in ROWS]
        tried = self._tried(text, results)
        if tried is None:
            return "refused"
        assert [rows.objects.count() for rows in ROWS] == before, "A try leaves something."
        found = (tried.problem, *(each.sentence for each in tried.problems), *(line.problem for line in tried.unknown))
        if not tried.fine:
            assert any(found), "It is not fine, and nothing says why."
            return "told what is wrong"
        with transaction.atomic():
            self._check_made(tried, self._imported(text, results, dry_run=False))
            transaction.set_rollback(True)
        return "made"

    def _tried(self, text: str, results: bool) -> ImportReport | None:
        """Return the preview of a file, or None if the file is refused."""
        try:
            return self._imported(text, results, dry_run=True)
        except DomainError as refused:
            if (refused.status, refused.code) != (400, "bad_file") or not refused.sentence.strip():
                raise
            return None

    def _imported(self, text: str, results: bool, **how: Any) -> ImportReport:
        with transaction.atomic():
            return import_season(club=self.club, user=self.owner, plan=PLAN, text=text, results=results, **how)

    @staticmethod
    def _check_made(tried: ImportReport, made: ImportReport) -> None:
        """Check that the import is as the preview showed and as its stream says."""
        assert made.season, made
        assert [line.made or line.player for line in made.lines] == [line.made or line.player for line in tried.lines]
        assert made.standings == tried.standings
        assert made.season.entries.count() == len(made.lines)
        assert importexport_export.as_csv(importexport_export.season_data(made.season), "entrants")
        assert list(find_differences(write=True)) == []
