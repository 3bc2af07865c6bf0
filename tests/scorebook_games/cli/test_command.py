"""The command `scorebook-bot` as an author runs it, without settings or a database, with real processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from scorebook_games.cli.command import main
from scorebook_games.cli.process import SDK
from scorebook_games.registry import KINDS
from tests.replays.local_games import export
from tests.scorebook_games.cli.conftest import BotFile

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = SDK.parent / "examples"
LEGAL = "return view.random.choice(legal)"
SHORT = ["--option", "turn_limit=20"]
QUICK = ["--move-ms", "200", "--bank-ms", "0"]  # for bots that hang; a busy machine may delay others as long


def scorebook_bot(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as `bin/scorebook-bot` does, in a separate process in `folder`, with an empty environment."""
    return subprocess.run(
        [sys.executable, "-m", "replays.export.bot_command", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def printed(capsys: pytest.CaptureFixture[str], arguments: Sequence[str], code: int = 0) -> str:
    """Run the command in this process and return what it prints."""
    assert main(arguments) == code
    return capsys.readouterr().out


def test_playing_prints_a_table_and_writes_games_that_open_anywhere(bot_file: BotFile, tmp_path: Path) -> None:
    bot_file(move=LEGAL)
    done = scorebook_bot("play", "mybot.py", "palace", "--against", "sensible", "--games", "6", *SHORT, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("mybot.py against sensible: palace, 6 games (3 deals, each from 2 seats)\n")
    assert (
        "answer          Not decided yet: better by 0 or by +20 Elo. Play more deals, or leave out --games."
        in done.stdout
    )
    grounds = r"evidence for accepted \d\.\d, for rejected \d\.\d \(20 decides\) after 3 deals"
    assert re.search(f"^test            {grounds}$", done.stdout, re.MULTILINE)
    assert re.search(r"^points +\d+\.\d % \(\d+\.\d–\d+\.\d\)   even: 50.0 %$", done.stdout, re.MULTILINE)
    assert re.search(r"^with luck +\d+\.\d % \(\d+\.\d–\d+\.\d\)$", done.stdout, re.MULTILINE)
    assert re.search(r"^\d+ asks +median +90 % +99 % +most$", done.stdout, re.MULTILINE)
    assert "faults          none" in done.stdout
    games = sorted((tmp_path / "bot-games").iterdir())
    assert [path.name for path in games[:2]] == ["palace-0.html", "palace-0.json"]
    assert len(games) == 12
    page = (tmp_path / "bot-games" / "palace-0.html").read_text()
    assert "<h1>Palace</h1>" in page
    assert "mybot.py" in page
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)


@pytest.mark.slow
def test_the_tutorial_shows_what_the_first_series_prints(tmp_path: Path) -> None:
    tutorial = (ROOT / "docs" / "tutorials" / "first-bot.md").read_text()
    (tmp_path / "mybot.py").write_text(re.findall(r"```python\n(.*?)```", tutorial, re.DOTALL)[0])
    shown = [line[4:] for line in tutorial.splitlines() if line.startswith("    ")]
    first = next(number for number, line in enumerate(shown) if line.startswith("mybot.py against random"))
    done = scorebook_bot(*shown[first - 1].split()[1:], folder=tmp_path)
    assert list(filter(None, done.stdout.splitlines()))[:5] == shown[first : first + 5]


def test_a_recorded_game_is_verified_and_looked_at_again_by_the_command_that_was_printed(
    bot_file: BotFile, tmp_path: Path
) -> None:
    bot_file(move="if len(view['pile']) > 3:\n    print('a long pile')\n    while True: pass\n" + LEGAL)
    done = scorebook_bot("play", "mybot.py", "palace", "--games", "2", *QUICK, folder=tmp_path)
    assert done.returncode == 1
    assert re.search(r"^faults +\d+: \d+ timeout; 2 games forfeited by them$", done.stdout, re.MULTILINE)
    assert "stderr    a long pile" in done.stdout
    (command, *_) = re.findall(r"^  again     bin/scorebook-bot (.*)$", done.stdout, re.MULTILINE)
    again = scorebook_bot(*command.split(), *QUICK, folder=tmp_path)
    assert again.returncode == 1
    assert "mybot.py  timeout: The bot did not answer within 200 ms." in again.stdout
    assert "a long pile" in again.stdout
    legal = next(line for line in done.stdout.splitlines() if "instead" in line).split("instead")[1].strip()
    assert legal in again.stdout
    verified = subprocess.run(
        [sys.executable, "-m", "replays.verify", str(tmp_path / "bot-games" / "palace-0.json")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.stdout.endswith("no faults.\n")


@pytest.mark.slow
def test_a_bot_that_crashes_at_once_was_asked_nevertheless(
    bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    bot_file(move="raise ValueError")
    out = printed(capsys, ["play", "mybot.py", "chinese_ten", "--games", "2"], code=1)
    assert re.search(r"^6 asks +median", out, re.MULTILINE)
    assert "unanswered      6 of the asks" in out


def test_a_series_counts_where_a_page_cannot_be_made(bot_file: BotFile, capsys: pytest.CaptureFixture[str]) -> None:
    def no_page(export: dict[str, Any], note: str) -> str:
        raise KeyError("hearts")

    bot_file(move=LEGAL)
    assert main(["play", "mybot.py", "chinese_ten", "--games", "2"], no_page) == 0
    output = capsys.readouterr()
    assert "faults          none" in output.out
    assert "has no page: KeyError('hearts')" in output.err


@pytest.mark.slow
def test_a_bot_that_always_hangs_does_not_hold_up_the_series(
    bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    bot_file(move="while True: pass")
    out = printed(capsys, ["play", "mybot.py", "chinese_ten", "--games", "200", *QUICK], code=1)
    assert "stopped         after 3 of 200 games" in out
    assert "9: 9 timeout; 3 games forfeited by them" in out


@pytest.mark.parametrize(
    "kind", ["palace", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("plate_spinner", "platinum_fish"))]
)
def test_the_same_version_decides_as_it_did_in_the_game(
    bot_file: BotFile, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    bot_file(move=LEGAL)
    printed(capsys, ["play", "mybot.py", kind, "--games", "1", "--seats", "3", "--option", "turn_limit=40"])
    out = printed(capsys, ["replay", f"bot-games/{kind}-1.json", "--seat", "1", "--bot", "mybot.py"])
    found = re.search("^(\\d+) decisions: (\\d+) as played, 0 different$", out, re.MULTILINE)
    assert found
    assert found[1] == found[2] != "0"


@pytest.mark.slow
def test_another_version_is_shown_beside_what_was_played(bot_file: BotFile, capsys: pytest.CaptureFixture[str]) -> None:
    bot_file(move="return legal[0]")
    bot_file(move="print('the other way')\nreturn legal[-1]", name="v7.py")
    printed(capsys, ["play", "mybot.py", "chinese_ten", "--games", "1"])
    whole = printed(capsys, ["replay", "bot-games/chinese_ten-0.json", "--seat", "0", "--bot", "v7.py"])
    version = re.findall(r"^after event (\d+), seat 0$", whole, re.MULTILINE)[1]
    one = ["replay", "bot-games/chinese_ten-0.json", "--seat", "0", "--bot", "v7.py", "--to", version]
    out = printed(capsys, [*one, "--observation"])
    legal = re.search(r"legal     (.*)", out)
    assert legal
    moves = legal[1].split(" · ")
    assert f"  played    {moves[0]}\n" in out
    assert re.search(rf"^  v7.py +{re.escape(moves[-1])}$", out, re.MULTILINE)
    assert "stderr    the other way" in out
    seen = json.loads(out.partition("  sees      ")[2].splitlines()[0])
    assert (seen["seat"], seen["version"]) == (0, int(version))


@pytest.mark.slow
def test_two_versions_are_compared_over_recorded_decisions(
    bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    bot_file(move="return legal[0]", name="v6.py")
    bot_file(move="return legal[-1] if view['points'][view.seat] > 60 else legal[0]", name="v7.py")
    printed(capsys, ["play", "v6.py", "chinese_ten", "--games", "2"])
    games = ["bot-games/chinese_ten-0.json", "bot-games/chinese_ten-1.json"]
    out = printed(capsys, ["diff", "v6.py", "v7.py", *games])
    count = re.search(r"^(\d+) decisions: (\d+) alike, (\d+) differ$", out, re.MULTILINE)
    assert count
    assert int(count[1]) == int(count[2]) + int(count[3])
    assert out.count("\nlocal-") == int(count[3]) > 0
    own = printed(capsys, ["diff", "v6.py", "v6.py", games[0], "--seat", "0"])
    assert " 0 differ\n" in own
    agreed = re.search(r"v6.py agrees with what was played in (\d+) of (\d+)", own)
    assert agreed
    assert agreed[1] == agreed[2]


@pytest.mark.slow
def test_a_good_bot_passes_the_check_of_every_kind_it_says_it_plays(
    bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    bot_file(
        "class Bot:\n    kinds = ('chinese_ten', 'platinum_fish')\n    def move(self, view, legal): return legal[0]\n"
    )
    out = printed(capsys, ["check", "mybot.py"])
    assert [line.split("  ")[2] for line in out.splitlines()[:-1]] == [
        "file",
        "protocol",
        "chinese_ten, 2 seats",
        "chinese_ten, 6 seats",
        "platinum_fish, 2 seats",
        "platinum_fish, 6 seats",
    ]
    assert out.endswith("The bot is ready to upload.\n")


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("source", "failed", "sentence"),
    [
        ("", "file", "The file is empty."),
        ("import socket, numpy\n", "protocol", "No module named 'numpy'"),
        ("class Bot:\n    kinds = ('chess',)\n    def move(self, v, l): pass\n", "protocol", "it plays chess"),
        ("class Bot:\n    want = ('all',)\n    def move(self, v, l): pass\n", "protocol", 'not "all"'),
        ("class Bot:\n    def move(self, view, legal): return 'play Z'\n", "chinese_ten, 2 seats", "clause"),
        (
            "import os, scorebook_bot\nout = os.dup(1)\nclass Bot:\n    def move(self, v, legal): return legal[0]\n",
            "",
            "ready to upload",
        ),
    ],
)
def test_a_bot_that_would_not_pass_hears_why(
    bot_file: BotFile, capsys: pytest.CaptureFixture[str], source: str, failed: str, sentence: str
) -> None:
    bot_file(source)
    kinds = [] if failed in ("file", "protocol") else ["chinese_ten"]
    out = printed(capsys, ["check", "mybot.py", *kinds], code=1 if failed else 0)
    assert [line[6:].split("  ")[0] for line in out.splitlines() if line.startswith("FAIL")][:1] == [failed][
        : bool(failed)
    ]
    assert sentence in out or (sentence == "clause" and "A move is written" in out)


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [["chinese_ten"], pytest.param(["palace", "plates"], marks=pytest.mark.slow)])
def test_the_same_traceback_is_printed_once(
    kinds: list[str], bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    bot_file("class Bot:\n    def move(self, view, legal): raise ValueError('no')\n")
    out = printed(capsys, ["check", "mybot.py", *kinds], code=1)
    assert out.count("FAIL") > 1
    assert out.count("ValueError: no") == 1
    assert "the same as above" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["play", "mybot.py", "chess"], "There is no kind of game 'chess'. The kinds are chinese_ten"),
        (["play", "nobot.py", "palace"], "There is no file nobot.py"),
        (["play", "mybot.py", "palace", "--against", "stockfish"], "'stockfish' is neither a file nor a built-in bot"),
        (["play", "mybot.py", "palace", "--seats", "9"], "2 to 6 players"),
        (["play", "mybot.py", "palace", "--seats", "4", "--against", "random,sensible"], "4 seats take 3 names"),
        (["play", "mybot.py", "palace", "--games", "0"], "At least one game"),
        (["play", "mybot.py", "palace", "--option", "packs=9"], "Option packs"),
        (
            ["play", "mybot.py"],
            "The bots play chinese_ten, palace, plate_spinner, plates, platinum_fish. Name the kind",
        ),
        (["tournament", "mybot.py", "random", "random"], "Name each bot once."),
        (["tournament", "mybot.py", "--kind", "palace"], "needs at least 2 bots"),
        (["tournament", "mybot.py", "random", "--kind", "palace", "--seats", "3"], "needs at least 3 bots"),
        (["tournament", "mybot.py", "random", "--kind", "palace", "--deals", "0"], "At least one deal"),
        (["fields", "chess"], "There is no kind of game 'chess'"),
        (["check", "mybot.py", "chess"], "There is no kind of game 'chess'"),
        (["replay", "no.json", "--seat", "0", "--bot", "mybot.py"], "no.json can't be read"),
        (["upload", "mybot.py", "--name", "x", "--server", "https://localhost"], "A token of your account is needed"),
        (["upload", "nobot.py", "--name", "x", "--server", "https://localhost"], "nobot.py can't be read"),
    ],
)
def test_what_can_not_be_done_is_refused_in_a_sentence(
    bot_file: BotFile,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.delenv("SCOREBOOK_TOKEN", raising=False)
    bot_file(move=LEGAL)
    assert main(arguments) == 2
    assert sentence in capsys.readouterr().err


def test_a_link_is_not_followed_to_a_file_that_was_not_meant(
    bot_file: BotFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "passwords.txt"
    secret.write_text("root:x:0:0\n")
    link = tmp_path / "link.py"
    link.symlink_to(secret)
    bot_file(move=LEGAL)
    arguments = ["upload", str(link), "--name", "x", "--server", "http://127.0.0.1:9", "--token", "t"]
    assert main(arguments) == 2
    assert f"is a link to {secret.resolve()}" in capsys.readouterr().err


@pytest.mark.slow
def test_a_moment_that_is_none_of_the_seats_is_refused_with_the_nearest_ones(
    bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    bot_file(move="return legal[0]")
    printed(capsys, ["play", "mybot.py", "chinese_ten", "--games", "1"])
    replay = ["replay", "bot-games/chinese_ten-0.json", "--bot", "mybot.py"]
    for asked, sentence in (
        (["--seat", "7"], "The game has seats 0 to 1, not 7."),
        (["--seat", "0", "--to", "0"], "not 0"),
        (["--seat", "0", "--to", "9999"], "not 9999"),
        (["--seat", "1", "--to", "3"], "Seat 1 is not to act after event 3. It was after "),
    ):
        assert main([*replay, *asked]) == 2
        assert sentence in capsys.readouterr().err
    printed(capsys, [*replay, "--seat", "0", "--to", "2"])


@pytest.mark.slow
def test_the_wrapper_runs_in_the_folder_in_which_it_is_called(bot_file: BotFile, tmp_path: Path) -> None:
    bot_file(move=LEGAL)
    command = [str(ROOT / "bin" / "scorebook-bot"), "play", "mybot.py", "chinese_ten", "--games", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "bot-games" / "chinese_ten-0.json").exists()


# -- several bots

TEN = "class Bot:\n    kinds = ('chinese_ten',)\n    def move(self, view, legal): return legal[{}]\n"


@pytest.mark.slow
def test_two_own_bots_play_the_kind_that_both_play_and_each_fault_says_whose_it_is(
    bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    bot_file(TEN.format(0), name="v2.py")
    bot_file(TEN.format("0] if len(view['hand']) > 15 else legal[99"), name="v1.py")
    out = printed(capsys, ["play", "v2.py", "--against", "v1.py", "--games", "2"], code=1)
    assert out.startswith("v2.py against v1.py: chinese_ten, 2 games (1 deal, each from 2 seats)\n")
    assert "faults          6: 6 crashed; 2 games forfeited by them\n" in out
    assert re.search(r"^game 0, seat 1 \(v1\.py\), event \d+: crashed", out, re.MULTILINE)
    again = re.search(r"^  again     scorebook-bot (replay .*--bot v1.py --seat 1 --to \d+)$", out, re.MULTILINE)
    assert again
    assert "IndexError" in printed(capsys, again[1].split(), code=1)


@pytest.mark.slow
def test_bots_of_the_same_name_are_called_by_their_paths(
    bot_file: BotFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old").mkdir()
    bot_file(TEN.format(0))
    bot_file(TEN.format(-1), name="old/mybot.py")
    quick = ["--games", "2", "--option", "turn_limit=4"]
    out = printed(capsys, ["play", "mybot.py", "chinese_ten", "--against", "old/mybot.py", *quick])
    assert out.startswith("mybot.py against old/mybot.py: chinese_ten, 2 games")


@pytest.mark.slow
def test_a_tournament_ends_with_places_strengths_and_points_of_each_against_each(
    bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    bot_file(TEN.format(0), name="a.py")
    bot_file(TEN.format(-1), name="b.py")
    bots = ["a.py", "b.py", "random"]
    out = printed(capsys, ["tournament", *bots, "--deals", "3", "--option", "turn_limit=6", "--replays", "0"])
    assert out.startswith("chinese_ten: 3 bots, 3 deals, 18 games\nEvery 2 of them play each deal from each seat.\n")
    rows = re.findall(r"^\d(?:–\d)? +(\S+) +(\d+\.\d) % \(\S+\) +(\d+) ± \d+ +12$", out, re.MULTILINE)
    assert sorted(name for name, _points, _strength in rows) == bots
    strengths = [int(strength) for _name, _points, strength in rows]
    assert strengths == sorted(strengths, reverse=True)
    assert sum(float(points) for _name, points, _strength in rows) == pytest.approx(150, abs=0.2)
    grid = dict(re.findall(r"^(\S+) +([\d.]+|–)  +(?:[\d.]+|–)  +(?:[\d.]+|–)$", out, re.MULTILINE))
    assert list(grid) == [name for name, _points, _strength in rows]
    assert out.endswith("faults          none\n")


@pytest.mark.slow
def test_a_bot_that_keeps_failing_is_taken_out_of_a_tournament(
    bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    bot_file(TEN.format(99), name="broken.py")
    quick = ["--deals", "4", "--option", "turn_limit=30", "--replays", "0"]
    out = printed(capsys, ["tournament", "broken.py", "random", "sensible", *quick], code=1)
    assert "broken.py was taken out after 4 games forfeited by faults.\n" in out
    assert "chinese_ten: 3 bots, 4 deals, 12 games\n" in out
    assert "Luck is taken out of the points. Strength and places are computed with luck." in out


# -- what a bot sees


def test_the_fields_of_a_kind_are_listed_with_examples_and_in_help(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, ["fields", "palace"])
    assert re.search(r"^  seats\[\]\.hand +list of cards, or null$", out, re.MULTILINE)
    assert re.search(r"^      Example: \[\"\w\w\"", out, re.MULTILINE)
    assert "Chinese Ten" not in out
    with pytest.raises(SystemExit):
        main(["fields", "--help"])
    output = capsys.readouterr().out
    assert all(f"\n{kind.spec.title}\n" in output for kind in KINDS.values())
    assert re.search(r"^  seats\[\]\.hand +list of cards, or null$", output, re.MULTILINE)


def test_help_explains_every_argument(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["play", "--help"])
    output = " ".join(capsys.readouterr().out.split())
    assert "--move-ms MS time for each answer, in milliseconds; default: 1000, as on a server" in output
    assert "--bank-ms MS extra time" in output
    assert "--cpu-ms MS processor time" in output


# -- the examples

LONGER = [("palace", 6), ("plate_spinner", 5)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name == "random_bot.py" else pytest.mark.slow)
        for name in sorted(path.name for path in EXAMPLES.glob("*.py"))
    ],
)
def test_every_example_passes_the_check(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = ["chinese_ten"] if name == "random_bot.py" else []
    assert "ready to upload" in printed(capsys, ["check", str(EXAMPLES / name), *kinds])


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seats"), [("chinese_ten", 6), *LONGER])
def test_the_example_in_javascript_plays_any_kind_with_the_same_lines(
    kind: str, seats: int, capsys: pytest.CaptureFixture[str]
) -> None:
    out = printed(capsys, ["check", "--command", f"node {EXAMPLES / 'random_bot.mjs'}", kind])
    assert f"ok    {kind}, {seats} seats" in out
    assert "ready to upload" in out


def test_the_example_in_javascript_gives_bundles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = ["--command", f"node {EXAMPLES / 'random_bot.mjs'}", "plate_spinner", "--option", "turn_limit=4"]
    assert "faults          none" in printed(capsys, ["play", *bot, "--games", "2", "--replays", "0"])


@pytest.mark.slow
def test_the_sensible_example_beats_lots(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["play", str(EXAMPLES / "sensible_palace.py"), "palace", "--against", "random", "--games", "20"]
    found = re.search(r"^wins +(\d+)", printed(capsys, arguments), re.MULTILINE)
    assert found
    assert int(found[1]) > 80


def test_a_recorded_game_is_reviewed_for_a_seat(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text(json.dumps(export("chinese_ten")))
    asked = ["review", "game.json", "--seat", "1", "--positions", "5000"]
    out = printed(capsys, asked)
    assert re.search(r"^Chinese Ten .*, seat 1 \(Laura\)$", out, re.MULTILINE)
    assert "Your chance was" in out
    assert re.search(r"^  chance, % +\d+ ", out, re.MULTILINE)
    assert "Chances are meant for players who all play on as the bot Sensible does." in out
    found = json.loads(printed(capsys, [*asked, "--json"]))
    assert (found["schema"], found["kind"], found["seat"], found["budget"]) == (2, "chinese_ten", 1, 5000)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (["--seat", "2"], "The game has seats 0 to 1, not 2."),
        (["--seat", "0", "--positions", "0"], "At least one position must be looked at"),
    ],
)
def test_a_review_that_cannot_be_made_says_why(
    asked: list[str], sentence: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "game.json").write_text(json.dumps(export("chinese_ten")))
    assert main(["review", "game.json", *asked]) == 2
    assert sentence in capsys.readouterr().err
