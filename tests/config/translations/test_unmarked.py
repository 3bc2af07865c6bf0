"""The check finds an error whose sentence no translator sees."""

from __future__ import annotations

from config.translations import unmarked

SOURCE = """
LATE = "It is too late."

def check(size, bots):
    sentence = "A table has %s seats." if size else _("Take a seat.")
    if size < 2:
        raise DomainError(400, "too_small", f"A table of {size} is too small.")
    if bots:
        raise errors.OptionError("bots", sentence.format(size=size))
    form.add_error("size", _("Choose a size."))
    raise Http404(LATE, "one-word") from ValueError("for programs only")
"""


def test_a_sentence_is_found_in_the_call_of_an_error_and_in_a_name_that_it_is_given() -> None:
    found = [words for _line, words in unmarked.unmarked_sentences(SOURCE)]
    assert found == ["It is too late.", "A table has %s seats.", "A table of {} is too small."]
