"""What people are told of rulings about their matches."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from games.accounts.subjects import Subject

CORRECTED: Final = "corrected"

SUBJECTS: Final = {CORRECTED: Subject(_("A result of yours is corrected, or a dispute answered"), _("{note}"))}
