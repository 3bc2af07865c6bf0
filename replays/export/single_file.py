"""A finished game as one HTML file that needs no server: the viewer, if it is built, and the game in words.

    python -m replays.export.single_file FILE.json PAGE.html

makes one from an export. It needs no database and no settings.
"""

from __future__ import annotations

import base64
import gzip
import json
import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

from django.conf import settings
from django.utils.translation import gettext as _

from games.common.shortcuts import Choice
from scorebook_games.cli.record import recorded
from scorebook_games.cli.replay_data import facts_of, replay_of, viewpoint_text, viewpoints_of
from scorebook_games.frames.serialize import explanations_of
from scorebook_games.gamelog.visibility import ALL
from scorebook_games.registry import KINDS

FRONTEND: Final = Path(__file__).resolve().parents[2] / "frontend"
PACKAGED: Final = Path(__file__).with_name("viewer")  # a wheel without the front end (`bin/dev release`)
SCRIPT: Final = (PACKAGED if PACKAGED.exists() else FRONTEND / "dist" / "onepage") / "viewer.js"
STYLE_SHEETS: Final = PACKAGED if PACKAGED.exists() else FRONTEND / "static" / "css"
STYLES: Final = ("tokens", "site", "cards", "tables", "replay")
TEMPLATE: Final = Path(__file__).with_name("single_file.html")
UNBUILT: Final = "This page has no board, because the viewer had not been built (bin/dev up builds it)."
# Facts that a page on the server shows and this one does not.
EMPTY_PAGE_DATA: Final = {
    **dict.fromkeys(
        ("replay", "events", "text", "json", "verify", "embed", "broadcast_page", "home", "game", "rules"), ""
    ),
    **dict.fromkeys(("mine", "clock", "login", "build", "board", "again", "keys"), ""),
    **dict.fromkeys(("seal", "go_on", "told")),
    "shortcuts": Choice().plain(),
}


def is_built() -> bool:
    """Return whether the viewer is built. Without it, a page has only words."""
    return SCRIPT.exists()


def single_file_page(export: dict[str, Any], note: str = "") -> str:
    """Return the page of an exported game, with `note` as a sentence at its top.

    Raises KeyError or a similar error for data that is no export.
    """
    entries = recorded(export).entries
    facts = facts_of(export, entries)
    names = [seat["name"] for seat in facts["seats"]]
    replays = {viewpoint_text(viewer): replay_of(facts, entries, viewer) for viewer in viewpoints_of(len(names))}
    page = {**EMPTY_PAGE_DATA, "explanations": explanations_of(facts["kind"])}
    packed = {"first": ALL, "replays": replays, "page": page}
    frames = replays[ALL]["frames"]
    return Template(TEMPLATE.read_text()).substitute(
        title=escape(f"{facts['title']}: {', '.join(names)}"),
        heading=escape(facts["title"]),
        result=escape(result_line(facts)),
        note="".join(f'<p class="note">{escape(each)}</p>' for each in (note, "" if is_built() else UNBUILT) if each),
        styles="\n".join((STYLE_SHEETS / f"{name}.css").read_text() for name in STYLES),
        script=SCRIPT.read_text().replace("</script", "<\\/script") if is_built() else "",
        packed=base64.b64encode(gzip.compress(json.dumps(packed).encode(), mtime=0)).decode("ascii"),
        words=_("The game in words"),
        final=_("The final position"),
        position=facts_html(KINDS[facts["kind"]].presentation.position(frames[-1]["observation"], names)),
        steps=steps_html(frames),
    )


def result_line(facts: Mapping[str, Any]) -> str:
    """Return the result as `Ada 0 · Bob 12`, the winner first."""
    names, outcome = [seat["name"] for seat in facts["seats"]], facts["outcome"]
    if not outcome or not outcome["placings"]:
        return " · ".join(names)
    rows = sorted(zip(outcome["placings"], names, outcome["scores"], strict=True), key=lambda row: row[0])
    return " · ".join(f"{place}. {name} {score}" for place, name, score in rows)


def facts_html(facts: Sequence[tuple[str, str]]) -> str:
    """Return a position as an HTML list of terms."""
    rows = [f"<div><dt>{escape(label)}</dt><dd>{escape(text)}</dd></div>" for label, text in facts]
    return f'<dl class="position">{"".join(rows)}</dl>'


def steps_html(frames: Sequence[Mapping[str, Any]]) -> str:
    """Return every step in words, as HTML."""
    steps = [(frame["version"], escape(frame["words"])) for frame in frames]
    rows = [f'<li value="{version}"><span>{version}</span> {words}</li>' for version, words in steps]
    return f'<ol class="steps">{"".join(rows)}</ol>'


def main(arguments: Sequence[str]) -> int:
    """Write the page of an export; return the exit code."""
    if len(arguments) != 2:
        print("Name both files: python -m replays.export.single_file FILE.json PAGE.html", file=sys.stderr)
        return 2
    try:
        page = single_file_page(json.loads(Path(arguments[0]).read_bytes()))
        Path(arguments[1]).write_text(page)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        print(f"{arguments[0]} can't be made a page of: {error!r}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    settings.configure(USE_I18N=False)
    sys.exit(main(sys.argv[1:]))
