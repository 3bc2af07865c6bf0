"""Makes every attack on the sandbox of this host and prints the outcomes.

    python -m tests.sandbox [--json] [WORD …]

With words, only the attacks run that have one of the words in their group or name. Exits with 1 if an outcome is not
the expected one, or if there is no sandbox.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from time import perf_counter

from games.sandbox import self_check
from games.sandbox.supervisor import Zygote
from tests.sandbox.attacks import ATTACKS, Attack, outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print a list of group, name, expected, outcome")
    parser.add_argument("words", nargs="*", metavar="WORD")
    given = parser.parse_args()
    os.environ.setdefault(self_check.SHARED_ALLOWED, "1")
    found = self_check.tier()
    if found.name != "A":
        print(found.reason, file=sys.stderr)
        return 1
    words = given.words or [""]
    chosen = [each for each in ATTACKS if any(word in each.title for word in words)]
    zygote = Zygote()
    try:
        rows = [row(zygote, attack, show=not given.json) for attack in chosen]
    finally:
        zygote.close()
    if given.json:
        print(json.dumps(rows))
    held = sum(expected == came for _, _, expected, came in rows)
    print(f"{held} of {len(rows)} attacks came to what they should, bots' uid: {zygote.uid}", file=sys.stderr)
    return int(held < len(rows))


def row(zygote: Zygote, attack: Attack, *, show: bool) -> tuple[str, str, str, str]:
    began = perf_counter()
    came = outcome(zygote, attack)
    if show:
        mark = " " if came == attack.ends else "!"
        print(
            f"{mark} {attack.group:12} {attack.name:55} {came:14} {1000 * (perf_counter() - began):6.0f} ms", flush=True
        )
    return attack.group, attack.name, attack.ends, came


if __name__ == "__main__":
    sys.exit(main())
