"""The audit log of admins' actions, to read and search."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.db.models import BigIntegerField, Case, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Cast, Coalesce

from games.admin_actions.models import AdminAction


def with_targets(rows: QuerySet[AdminAction]) -> QuerySet[AdminAction]:
    """Return these rows with who did it and with `target`, the present name of what it was done to.

    The audit log has ids of people, and shows the id of a deleted one.
    """
    person = get_user_model().objects.filter(pk=Cast(OuterRef("target_id"), BigIntegerField()))
    name = Coalesce(Subquery(person.values("username")[:1]), F("target_id"))
    return rows.select_related("by").annotate(target=Case(When(target_type="person", then=name), default="target_id"))


def searched(words: str) -> Q:
    """Return a filter for the rows of `with_targets` that have each of these words in action, target, reason, outcome
    or the name of the admin."""
    found = Q()
    for word in words.split():
        within = Q(action__icontains=word) | Q(target__icontains=word) | Q(reason__icontains=word)
        found &= (
            within | Q(sentences__icontains=word) | Q(old_outcome__icontains=word) | Q(by__username__icontains=word)
        )
    return found
