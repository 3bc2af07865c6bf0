"""Tables that phones show as stacked rows."""

from __future__ import annotations

import re
from typing import Final

from django import template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

ROLES: Final = {
    "table": "table",
    "thead": "rowgroup",
    "tbody": "rowgroup",
    "tfoot": "rowgroup",
    "tr": "row",
    "td": "cell",
}
TABLE_TAG: Final = re.compile(r"<(table|thead|tbody|tfoot|tr|th|td)\b([^>]*)")


class StackedTable(template.Node):
    """The HTML of a table, with an ARIA role on each of its elements."""

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.Context) -> SafeString:
        return mark_safe(TABLE_TAG.sub(_with_role, self.nodelist.render(context)))  # noqa: S308  rendered by a template


@register.tag
def stacked(parser: template.base.Parser, _token: template.base.Token) -> StackedTable:
    """Render `{% stacked %}<table class="ledger stack"> … </table>{% endstacked %}` with ARIA roles.

    On a phone, its style takes the table apart, and some browsers then forget that it is a table. The roles keep it one
    for screen readers.
    """
    nodelist = parser.parse(("endstacked",))
    parser.delete_first_token()
    return StackedTable(nodelist)


def _with_role(tag: re.Match[str]) -> str:
    name, attributes = tag.groups()
    role = ROLES.get(name) or ("rowheader" if 'scope="row"' in attributes else "columnheader")
    return f'<{name} role="{role}"{attributes}'
