"""`python -m config.translations` compiles the catalogues that have changed. Unlike Django's `compilemessages` it does
not need GNU gettext."""

from __future__ import annotations

from config.translations import catalogues

for path in catalogues.compile_stale():
    print(path.relative_to(catalogues.ROOT))
