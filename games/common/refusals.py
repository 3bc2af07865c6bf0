"""What a page does when a service refuses (`DomainError`): it shows why, and goes on below the block.

    with as_message(request):
        services.do_it(…)
        return redirect(…)
    return the page again

A refusal that a view lets pass becomes an answer of its own in `config.http.errors.RefusedPageMiddleware`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import TracebackType

from django.contrib import messages
from django.http import HttpRequest

from games.common.errors import DomainError


class Refusals:
    """Context that shows a refusal and ends its block. `error` is the refusal; None if there was none yet.

    A refusal whose status or code is in `passing` goes on to the middleware.
    """

    error: DomainError | None = None

    def __init__(
        self, show: Callable[[DomainError], object] = lambda _error: None, passing: Collection[int | str] = ()
    ) -> None:
        self.show = show
        self.passing = passing

    def __enter__(self) -> Refusals:
        return self

    def __exit__(self, _type: object, error: BaseException | None, _traceback: TracebackType | None) -> bool:
        if not isinstance(error, DomainError) or error.status in self.passing or error.code in self.passing:
            return False
        self.error = error
        self.show(error)
        return True

    @property
    def status(self) -> int:
        """Return the status of the page that shows the refusal: that of the refusal, or 200."""
        return self.error.status if self.error else 200


def as_message(request: HttpRequest, passing: Collection[int | str] = ()) -> Refusals:
    """Return a context that shows a refusal as a message on the next page."""
    return Refusals(lambda error: messages.error(request, error.sentence), passing)
