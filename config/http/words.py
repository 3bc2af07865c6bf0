"""`/words.js`: the front end's words in the reader's language, as Django's JavaScript catalogue."""

from __future__ import annotations

from typing import Final

from django.views.decorators.cache import cache_control
from django.views.i18n import JavaScriptCatalog

from games.common.policy import policy

LIFETIME_S: Final = 3600

words = policy(visible_in_impersonation=True)(cache_control(max_age=LIFETIME_S)(JavaScriptCatalog.as_view()))
