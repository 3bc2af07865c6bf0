"""The platform in a test language that puts every text in ⟦…⟧: `uvicorn tests.browser.bracketed:application`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import trans_real
from django.views.i18n import JavaScriptCatalog

from config.asgi import application
from config.translations import catalogues
from tests.fixtures.bracketed_texts import translation

__all__ = ["application"]


def catalogue(_view: JavaScriptCatalog) -> dict[str, Any]:
    """Return every text of the front end with its translation in brackets, as Django's view returns a catalogue."""
    [front_end] = [part for part in catalogues.parts() if part.domain == catalogues.FRONT_END]
    texts = front_end.texts
    single: dict[str, Any] = {text.one: f"⟦{text.one}⟧" for text in texts if not text.many}
    return single | {text.one: [f"⟦{text.one}⟧", f"⟦{text.many}⟧"] for text in texts if text.many}


trans_real.translation = translation
settings.LANGUAGES = [("eo", "Esperanto")]
JavaScriptCatalog.get_catalog = catalogue  # type: ignore[method-assign, assignment]
