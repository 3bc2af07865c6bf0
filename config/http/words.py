"""`/words/…`: the front end's words in one language, as Django's JavaScript catalogue.

The address has the language and a hash of its catalogues, so a browser may keep the answer for ever.
"""

from __future__ import annotations

from typing import Final

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.i18n import JavaScriptCatalog

from games.accounts.languages import offered
from games.common.for_everybody import for_everybody
from games.common.policy import policy
from games.common.words import words_version

LIFETIME_S: Final = 365 * 24 * 3600
catalogue = JavaScriptCatalog.as_view()
cached_catalogue = cache_control(max_age=LIFETIME_S, immutable=True)(catalogue)
uncached_catalogue = cache_control(no_cache=True)(catalogue)


@for_everybody
@policy(visible_in_impersonation=True)
def words(request: HttpRequest, language: str, version: str) -> HttpResponseBase:
    """Serve the catalogue of a language. A former version's address gets the present one, which is not to be cached."""
    if not offered(language):
        raise Http404(_("There is no such language."))
    with translation.override(language):
        return (cached_catalogue if version == words_version(language) else uncached_catalogue)(request)
