"""What admins did, to be read and searched."""

from __future__ import annotations

from django.db.models import Q


def searched(words: str) -> Q:
    """Which rows of `AdminAction` have all these words in what was done, to what, by whom or why."""
    found = Q()
    for word in words.split():
        within = Q(action__icontains=word) | Q(target_id__icontains=word) | Q(reason__icontains=word)
        found &= within | Q(outcome__icontains=word) | Q(by__username__icontains=word)
    return found
