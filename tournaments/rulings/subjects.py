"""The notification subjects of rulings."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from games.accounts.subjects import NoticeSubject

CORRECTED: Final = "corrected"

SUBJECTS: Final = {
    CORRECTED: NoticeSubject(_("One of your results was corrected, or a dispute was answered"), _("{note}"))
}
