"""What the events of seasons and of rating pools have in common: a class for each type, and its stored form. Pure.

An event is stored as a list: its type, then the fields of its class in their order. Fields hold ids, numbers and codes
only, never a name or a text by people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, TypeVar, dataclass_transform

from scorebook_games.contract import Event

# What an event says beyond its ids. The annotation names the fields in docs/reference/events.md.
Details = Mapping[str, Any]
# Who did it and why: `by` is the id of the user, or null for the platform; `note` is [id, hash] of a Note, or null.
Audit = Annotated[Details, "{by, note}"]


class UnknownEventType(LookupError):
    """A log has an event that this version of Scorebook does not know."""

    def __init__(self, type: str) -> None:
        self.event_type = type
        super().__init__(f"The log has an event of the type {type!r}, which this version of Scorebook does not know.")


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An event of a stream. `type` is its name in the log, and is for ever; `types` has all classes of such streams."""

    type: ClassVar[str]
    types: ClassVar[dict[str, Any]]

    @classmethod
    def upcast(cls, fields: list[Any]) -> list[Any]:
        """Return stored fields as the class has them today. A class whose fields have changed overrides this, because
        old events stay in the log as they are."""
        return fields

    @classmethod
    def read(cls, fields: list[Any]) -> Self:
        """Return the event with these stored fields. Raises ValueError if they are not those of its type."""
        make: Any = cls
        try:
            event: Self = make(*cls.upcast(fields))
        except TypeError as error:
            raise ValueError(f"An event {cls.type} cannot have the fields {fields}.") from error
        return event

    def stored(self) -> Event:
        """Return the event as the log has it."""
        return [self.type, *(getattr(self, name) for name in self.field_names())]

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """Return the names of the fields, in the order in which they are stored."""
        return cls.__match_args__


EventClass = TypeVar("EventClass", bound=type[StreamEvent])


@dataclass_transform(frozen_default=True)
def event(cls: EventClass) -> EventClass:
    """Make a class one of the event types of its streams."""
    made: Any = dataclass(frozen=True, slots=True)(cls)
    made.types[made.type] = made
    return made  # type: ignore[no-any-return]
