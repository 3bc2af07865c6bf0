"""A kind of game: its rules, and what people and programs need besides them. Each kind is one folder and one `Kind`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from scorebook_games.build import rules_hash
from scorebook_games.contract import Options, Rules, Spec
from scorebook_games.presentation.base import Presentation
from scorebook_games.search.guide import Guide
from scorebook_games.search.worth import MoveScore, Observation
from scorebook_games.value import ValueFunction

CONTRACT: Final = 1  # raised by one when kinds written for earlier versions can no longer be used
RULES_PAGE: Final = "rules.md"
EMBLEM: Final = "emblem.svg"
PICTURES: Final = "pictures"
UI: Final = "ui"
LOCALE: Final = "locale"
LIBRARY_LOCALE: Final = Path(__file__).parent / LOCALE  # the library's own words in other languages
BOARD: Final = "board.js"
PLAIN_EMBLEM: Final = (
    '<svg class="emblem" viewBox="0 0 48 48" aria-hidden="true">'
    '<path class="shade" d="m14 9 18-3 4 31-18 3z" /></svg>\n'
)


class BrokenKind(Exception):
    """A kind that cannot be used. The text is a sentence for the administrator of the platform."""


@dataclass(frozen=True, kw_only=True)
class KindBots:
    """What the built-in bots know of a kind.

    The bots `random` and `strong` play any kind; `sensible` needs a plan. A plan and a guide make `strong` stronger.
    """

    plan: Callable[[Observation], MoveScore] | None = None
    guide: Guide | None = None
    ratings: Mapping[str, float] = field(default_factory=dict)
    """The fixed rating of each built-in bot, by its name; 1500 for a bot that is left out."""
    review_positions: int = 300_000
    """How many positions the review of a game may take for one seat (`scorebook_games.review`): about ten seconds."""
    review_hope: float = 0.0
    """By how many logits the roll-outs of a review are too hopeful for the seat through whose eyes they look, because
    they do not ask what the others' moves say of their hands (`python -m tests.bench.review hope`)."""
    forecast: Callable[[Any], list[float] | None] | None = None
    """Returns the expected share of the result of each seat where a roll-out may stop, and None where it must go on.
    Without it, roll-outs are played to the end."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of game. Its package offers it by an entry point of the group `scorebook.kinds`.

    `folder` holds `rules.md` and may hold `emblem.svg` and `pictures/`. `contract` is the version of this contract that
    the kind was written for. `earlier` holds the rules of former versions, by version. Games that began under a former
    version are finished under it, and their logs are always folded with it. `observation` is a `TypedDict` that
    describes what the rules show to a seat (`scorebook_games.fields`). `value` is the value function; without one,
    games of the kind have no luck ledger (`scorebook_games.luck`).
    """

    contract: int
    folder: Path
    rules: Rules[Any]
    earlier: Mapping[int, Rules[Any]] = field(default_factory=dict)
    presentation: Presentation = field(default_factory=Presentation)
    bots: KindBots = field(default_factory=KindBots)
    observation: Any = None
    value: ValueFunction | None = None

    @property
    def spec(self) -> Spec:
        """What is known of the kind before a game of it is played."""
        return self.rules.spec

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        """Return every option of a game with this many seats, with its value. Raises `OptionError`."""
        return self.rules.resolve(seats, options)

    @property
    def usable_value(self) -> ValueFunction | None:
        """The value function, if it has one whose weights can be used. Without it, there are no ledgers."""
        return self.value if self.value and not self.value.fault else None

    @property
    def rules_page(self) -> Path:
        """The path of the rules for players, in Markdown."""
        return self.folder / RULES_PAGE

    @property
    def pictures(self) -> Path:
        """The folder of pictures for the rules page. It need not exist."""
        return self.folder / PICTURES

    @property
    def ui(self) -> Path:
        """The folder of what the kind's own board loads in a browser. It need not exist."""
        return self.folder / UI

    @property
    def locale(self) -> Path:
        """The folder of the kind's words in other languages, as gettext's catalogues. It need not exist."""
        return self.folder / LOCALE

    @property
    def has_board(self) -> bool:
        """Whether the folder brings a board, the module `ui/board.js`."""
        return (self.ui / BOARD).is_file()

    @cached_property
    def rules_hash(self) -> str:
        """Sixteen hex digits that identify the sources of the rules; the first event of a game records them."""
        return rules_hash(self.folder)

    @cached_property
    def emblem(self) -> str:
        """The kind's emblem as SVG; a plain one if its folder has none."""
        file = self.folder / EMBLEM
        return file.read_text(encoding="utf-8") if file.is_file() else PLAIN_EMBLEM


def check_kind(name: str, kind: object) -> Kind:
    """Return `kind` if it can be used under `name`. Raises `BrokenKind`."""
    if not isinstance(kind, Kind):
        raise BrokenKind(f"The kind {name!r} is broken: its entry point names a {type(kind).__name__}, not a Kind.")
    if kind.contract != CONTRACT:
        raise BrokenKind(
            f"The kind {name!r} was written for version {kind.contract} of the contract, and this is version "
            f"{CONTRACT}."
        )
    if not isinstance(getattr(kind.rules, "spec", None), Spec):
        raise BrokenKind(f"The kind {name!r} is broken: its rules have no Spec.")
    if kind.spec.kind != name:
        raise BrokenKind(f"The kind {name!r} is broken: its rules call it {kind.spec.kind!r}.")
    if not kind.rules_page.is_file():
        raise BrokenKind(f"The kind {name!r} is broken: it has no rules page, {kind.rules_page}.")
    for version, rules in kind.earlier.items():
        if rules.spec.rules_version != version or not 0 < version < kind.spec.rules_version:
            raise BrokenKind(
                f"The kind {name!r} is broken: its earlier rules {version} say that they are version "
                f"{rules.spec.rules_version}, and the newest is {kind.spec.rules_version}."
            )
    return kind
