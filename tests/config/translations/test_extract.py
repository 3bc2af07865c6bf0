"""The extraction finds the texts in sources, and the check finds faults in a catalogue."""

from __future__ import annotations

import pytest
from babel.messages.catalog import Message

from config.translations import catalogues
from config.translations.extract import Text, front_end_texts, python_texts, template_texts

PYTHON = """
from django.utils.translation import gettext as _, ngettext_lazy as many, pgettext
from scorebook_games.presentation.text import gettext_noop as later
import django.utils.translation as translation

A = _("It is " "your turn."), later("Draw"), many("{n} day", "{n} days", "n"), pgettext("month", "May")
B = translation.gettext("here"), _(A), _(f"{B}"), other("not ours")
"""
TEMPLATE = """{% load i18n %}{# _("no") #}
{% translate "Don't" %} {{ at|date:_("j M") }}
{% blocktranslate trimmed count n=cards %}
  One {{ what }}
{% plural %}
  {{ n }} of 100 %
{% endblocktranslate %}{% translate "May" context "month" %}
"""
SVELTE = """<script lang="ts">
  const words = _("Don’t say \\"no\\"", { names });
</script>
<p class="it's">{here ? _("here") : plain}</p> /* an odd ' and /re"gex/ */
{ngettext(
  "{count} card",
  "{count} cards",
  count,
)} {call("not ours")}
"""


def test_the_help_of_an_option_is_a_text() -> None:
    source = 'Option("packs", "int", 2, "Number of packs.", 1, 6), Option(name="zone", help="Zone.")'
    assert list(python_texts(source)) == [Text("Number of packs."), Text("Zone.")]


def test_texts_of_python_are_found_under_whatever_name_a_function_is_imported() -> None:
    days = Text("{n} day", "{n} days")
    single = [Text("It is your turn."), Text("Draw"), Text("here")]
    assert sorted(python_texts(PYTHON)) == sorted([*single, days, Text("May", context="month")])


def test_texts_of_templates_are_found_in_tags_and_in_arguments_of_filters() -> None:
    many = Text("One %(what)s", "%(n)s of 100 %%")
    assert set(template_texts(TEMPLATE)) == {Text("Don't"), Text("j M"), many, Text("May", context="month")}


def test_texts_of_the_front_end_are_found_in_calls_of_gettext() -> None:
    single = [Text("Don’t say “no”".replace("“", '"').replace("”", '"')), Text("here")]
    assert list(front_end_texts(SVELTE)) == [*single, Text("{count} card", "{count} cards")]


@pytest.mark.parametrize(
    ("text", "string", "fault"),
    [
        (Text("Draw"), "Ziehen", ""),
        (Text("Draw"), "", "is not translated"),
        (Text("{a!r} or {b}"), "{b} oder {a!r}", ""),
        (Text("{a!r} or {b}"), "{a} oder {b}", "needs the fields {a!r}, {b} in its translation"),
        (Text(" or "), "oder", "begins or ends with other spaces than its translation"),
        (Text("One", "{n} and {m}"), ("Ein {m}", "{n} und {m}"), ""),
        (Text("One", "{n}"), ("Ein", ""), "is not translated"),
        (Text("One", "{n}"), ("{n}", "Viele"), "needs the fields {n} in its translation"),
    ],
)
def test_a_translation_with_a_fault_is_named(text: Text, string: str | tuple[str, str], fault: str) -> None:
    identity = (text.one, text.many) if text.many else text.one
    assert catalogues.message_fault(text, Message(identity, string)) == fault
    if fault == "":
        assert "fuzzy" in catalogues.message_fault(text, Message(identity, string, flags=["fuzzy"]))
