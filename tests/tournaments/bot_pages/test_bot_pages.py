"""The pages of bots, as a new author uses them: upload, admission, season, rating, faults."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import sys
import tomllib
import zipfile
from importlib.metadata import Distribution, EntryPoint
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from devkit.wheel import first_game
from games.bots import kit, time_slices, uploads
from games.common.errors import DomainError
from games.models import Bot, BotVersion, Game, Player, Trial
from games.play.models import Fault
from games.workers import runner
from scorebook_games.analysis.comparison import Bounds, compare
from scorebook_games.bots import sdk
from scorebook_games.registry import GROUP
from tests.fixtures.saved_rows import restored, world
from tests.games.bots.conftest import FIRST, through
from tests.games.bots.conftest import small_panel as small_panel  # the fixture
from tests.tournaments.club import new_club
from tournaments.bot_pages.templatetags import bots
from tournaments.director import director
from tournaments.lifecycle import services as seasons
from tournaments.lifecycle import setup
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.ratings.models import Rating
from tournaments.seasons.models import Entrant, Season

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_panel")]


@pytest.fixture
def dotty(db: None) -> User:
    return make_dotty()


@world
def make_dotty() -> User:
    user = User.objects.create_user("dotty", password="gannets dive")
    Player.objects.create(name="Dotty", user=user)
    return user


@pytest.fixture
def gannet(dotty: User) -> Bot:
    """Return Dotty's bot, whose first version has passed admission. Name this fixture before `me`."""

    def make() -> Bot:
        bot = uploads.new_bot(owner=dotty, name="Gannet")
        through(uploads.upload_version(bot=bot, data=FIRST.encode()))
        return bot

    return restored("gannet", make)


@pytest.fixture
def me(client: Client, dotty: User) -> Client:
    client.force_login(dotty)
    return client


@pytest.fixture
@world
def season(db: None) -> Season:
    owner = User.objects.create_user("niamh")
    club = new_club(name="Lantern Street", slug="lantern", owner=owner)
    plan = SeasonPlan(new_league="Bots", name="Now", kind="chinese_ten", bots={"random": 1}, calendar={"seconds": 1})
    return setup.set_up(club=club, user=owner, plan=plan)


def file(source: str | bytes = FIRST) -> SimpleUploadedFile:
    return SimpleUploadedFile("bot.py", source if isinstance(source, bytes) else source.encode())


def bring(me: Client, source: str | bytes = FIRST, **more: str) -> str:
    """Fill in the form of a new bot, and return the resulting page."""
    form = {"name": "Gannet", "visibility": "public", "end": "1", "file": file(source), **more}
    return me.post("/bots/new/", form, follow=True).content.decode()


@pytest.mark.slow
def test_a_new_author_comes_from_a_file_to_a_rated_game(me: Client, dotty: User, season: Season) -> None:
    page = bring(me)
    assert "v1 is in admission" in page
    assert "One text file with 6 lines" in page
    time_slices.play_time_slices("sandbox 1")
    assert "v1 was admitted" in me.get("/bots/Gannet/").content.decode()

    version = BotVersion.objects.get(bot__name="Gannet")
    address = f"/clubs/lantern/{season.league.slug}/{season.slug}/"
    assert "Enter your bot" in me.get(address).content.decode()
    assert (
        "Gannet v1 has entered the season."
        in me.post(f"{address}join/", {"player": version.player.pk}, follow=True).content.decode()
    )
    seasons.start_season(season=season)
    for _ in range(4):
        director.advance()
        time_slices.play_time_slices("sandbox 1")
        runner.play_due_games("play 1")
    director.advance()
    assert Rating.objects.get(player=version.player).games > 0
    page = me.get("/bots/Gannet/").content.decode()
    assert f"Chinese Ten, {season.name}" in page
    assert "Most frequent opponents" in page
    assert "Time per move" in page


def test_admission_refreshes_by_itself_as_long_as_it_goes_on(me: Client) -> None:
    bring(me)
    part = me.get("/bots/Gannet/?part=admission").content.decode()
    assert 'hx-trigger="every 1s"' in part
    known = part.split("known=")[1].split('"')[0]
    assert me.get(f"/bots/Gannet/?part=admission&known={known}").status_code == 204
    for _ in range(100):  # slices too short for the whole admission, until one makes progress
        time_slices.play_time_slices("sandbox 1", 0.2)
        if me.get(f"/bots/Gannet/?part=admission&known={known}").status_code == 200:
            break
    else:
        pytest.fail("Nothing has happened in admission.")
    time_slices.play_time_slices("sandbox 1")
    assert me.get("/bots/Gannet/?part=admission")["HX-Refresh"] == "true"


def test_what_an_upload_starts_and_when_the_answer_comes_is_said_before_and_after_it(me: Client) -> None:
    form = " ".join(me.get("/bots/new/").content.decode().split())
    assert "plays a whole game against each built-in bot. This usually takes less than a minute" in form
    assert "A notice tells you how it ended. An admitted first version plays from then on." in form
    bring(me)
    page = " ".join(me.get("/bots/Gannet/").content.decode().split())
    assert "This page follows the admission. A notice tells you how it ended." in page


def test_a_bot_that_plays_goes_on_with_its_version_after_an_upload(gannet: Bot, me: Client) -> None:
    page = " ".join(me.get("/bots/Gannet/").content.decode().split())
    assert "A notice tells you how it ended. v1 plays on until you choose the new version." in page


def test_pages_of_bots_speak_no_language_of_operators(gannet: Bot, me: Client) -> None:
    """No worker runs here, so the pages also say what their games wait for."""
    second = uploads.upload_version(bot=gannet, data=(FIRST + "# 2").encode())
    pages = [me.get(address).content.decode() for address in ("/bots/", "/bots/new/", "/bots/Gannet/")]
    assert "Their games wait. The sandbox for bots is not running on this server." in pages[-1]
    assert f"v{second.number}" in pages[-1]
    words = [re.sub(r"<script.*?</script>|<[^>]*>", " ", page, flags=re.DOTALL) for page in pages]
    assert [word for text in words for word in re.findall(r"\b(?:workers?|queues?|tier|trials?)\b", text)] == []


@pytest.mark.parametrize(
    ("source", "more", "sentence"),
    [
        (b"", {}, "empty"),
        (b"PK\x03\x04", {}, "This file is a zip archive"),
        (FIRST, {"name": "x"}, "A name must have 2 to 40 characters"),
        (FIRST, {"name": "Dotty"}, "This name, or one that looks like it, is taken"),
        (FIRST, {"end": ""}, "The upload was interrupted"),
        (FIRST, {"visibility": "nobody"}, "nobody"),
        (b"#" * 300_000, {}, "larger than 256 KiB"),
    ],
)
def test_what_is_wrong_is_said_on_the_form_and_nothing_is_made(
    source: str | bytes, more: dict[str, str], sentence: str, me: Client, dotty: User
) -> None:
    Player.objects.filter(user=dotty).update(key="dotty")
    assert sentence in bring(me, source, **more)
    assert not BotVersion.objects.filter(transport="upload").exists()
    assert not Bot.objects.filter(owner=dotty).exists()


def test_at_the_authors_quota_no_bot_without_a_version_stays_behind(me: Client, dotty: User) -> None:
    for number in range(uploads.MAX_VERSIONS_IN_ADMISSION):
        bot = uploads.new_bot(owner=dotty, name=f"Tern{number}")
        uploads.upload_version(bot=bot, data=FIRST.encode())
    assert "of your versions are in admission" in bring(me)
    assert not Bot.objects.filter(name="Gannet").exists()
    BotVersion.objects.filter(bot__name="Tern0").update(state=BotVersion.State.PASSED)
    assert "v1 is in admission" in bring(me)


def test_the_page_without_a_file_says_so(me: Client) -> None:
    answer = me.post("/bots/new/", {"name": "Gannet", "visibility": "public", "end": "1"})
    assert answer.status_code == 422
    assert "Choose the file" in answer.content.decode()


def test_a_refused_version_says_why_and_the_one_that_plays_goes_on(gannet: Bot, me: Client) -> None:
    me.post("/bots/Gannet/upload/", {"file": file("class Bot\n"), "end": "1"})
    time_slices.play_time_slices("sandbox 1")
    page = me.get("/bots/Gannet/").content.decode()
    assert "v2 was not admitted" in page
    assert "SyntaxError" in page
    assert "plays now" in page
    fault = Fault.objects.get()
    assert "SyntaxError" in me.get(f"/faults/{fault.pk}/").content.decode()
    assert uploads.find_bot("Gannet").plays == BotVersion.objects.get(number=1, bot__name="Gannet")


def test_the_author_chooses_which_version_plays(gannet: Bot, me: Client) -> None:
    me.post("/bots/Gannet/upload/", {"file": file(f"{FIRST}# 2\n"), "end": "1"})
    assert "Only an admitted version" in me.post("/bots/Gannet/v2/play/", follow=True).content.decode()
    time_slices.play_time_slices("sandbox 1")
    assert uploads.find_bot("Gannet").plays == BotVersion.objects.get(number=1, bot__name="Gannet")
    assert "v2 plays from now on" in me.post("/bots/Gannet/v2/play/", follow=True).content.decode()
    assert uploads.find_bot("Gannet").plays == BotVersion.objects.get(number=2, bot__name="Gannet")


def test_a_bot_is_had_to_play_against_the_platform(gannet: Bot, me: Client) -> None:
    answer = me.post("/bots/Gannet/challenge/", {"version": "1", "kind": "chinese_ten", "bots": "random"})
    game = Game.objects.get(trial=None)
    assert answer["Location"] == f"/games/{game.public_id}/"
    assert (game.sandboxed, game.terms["rated"]) == (True, False)
    time_slices.play_time_slices("sandbox 1")
    assert Game.objects.get(pk=game.pk).status == "finished"
    for wrong in ({"kind": "palace"}, {"bots": "stockfish"}, {"version": "7"}):
        sent = {"version": "1", "kind": "chinese_ten", "bots": "random", **wrong}
        assert "note error" in me.post("/bots/Gannet/challenge/", sent, follow=True).content.decode()


def test_others_see_a_public_bot_without_what_is_its_authors(me: Client, client: Client) -> None:
    bring(me, FIRST.replace("return", "print('secret'); return"), description="Takes what it can.")
    time_slices.play_time_slices("sandbox 1")
    anybody = Client()
    page = anybody.get("/bots/Gannet/").content.decode()
    assert "Takes what it can." in page
    for own in ("Upload a version", "Start a game", "secret", "/source/", "is in admission"):
        assert own not in page
    assert anybody.get("/bots/Gannet/v1/source/").status_code == 404
    assert "Gannet v1" in anybody.get("/bots/").content.decode()
    assert me.get("/bots/Gannet/v1/source/").content.decode().count("secret") == 1

    me.post("/bots/Gannet/change/", {"description": "", "visibility": "private"})
    assert anybody.get("/bots/Gannet/").status_code == 404
    assert "Gannet" not in anybody.get("/bots/").content.decode()


def test_nobody_does_to_a_bot_what_only_its_author_may(me: Client) -> None:
    bring(me)
    otto = Client()
    user = User.objects.create_user("otto")
    Player.objects.create(name="Otto", user=user)
    for what in ("upload", "change", "challenge", "compare", "v1/play"):
        assert otto.post(f"/bots/Gannet/{what}/").status_code == 302  # a redirect to the login page
    otto.force_login(user)
    for what in ("upload", "change", "challenge", "compare", "v1/play"):
        assert otto.post(f"/bots/Gannet/{what}/").status_code == 404
        assert otto.get(f"/bots/Gannet/{what}/").status_code == 405
    assert "is in admission" not in otto.get("/bots/Gannet/?part=admission").content.decode()


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("state", "kinds", "visibility", "code"),
    [
        ("admission", ["chinese_ten"], "public", "bot_not_passed"),
        ("quarantined", ["chinese_ten"], "public", "bot_not_passed"),
        ("passed", ["palace"], "public", "bot_wrong_kind"),
        ("passed", ["chinese_ten"], "private", "bot_private"),
    ],
)
def test_a_version_that_cannot_play_a_season_does_not_enter_it(
    state: str, kinds: list[str], visibility: str, code: str, me: Client, dotty: User, season: Season
) -> None:
    bring(me)
    BotVersion.objects.filter(bot__name="Gannet").update(state=state, kinds=kinds)
    Bot.objects.filter(name="Gannet").update(visibility=visibility)
    version = BotVersion.objects.get(bot__name="Gannet")
    with pytest.raises(DomainError) as refused:
        setup.enter_as_user(season=season, user=dotty, player=version.player.pk)
    assert refused.value.code == code
    assert "Enter your bot" not in me.get(f"/clubs/lantern/{season.league.slug}/{season.slug}/").content.decode()


def test_only_its_author_enters_a_bot(gannet: Bot, season: Season) -> None:
    version = gannet.versions.get()
    otto = User.objects.create_user("otto")
    with pytest.raises(DomainError) as refused:
        setup.enter_as_user(season=season, user=otto, player=version.player.pk)
    assert (refused.value.status, refused.value.code) == (403, "not_your_bot")
    assert Entrant.objects.filter(player=version.player).count() == 0


def test_a_comparison_says_how_far_it_has_come(gannet: Bot, me: Client) -> None:
    uploads.upload_version(bot=gannet, data=f"{FIRST}# 2\n".encode())
    BotVersion.objects.filter(bot=gannet).update(state=BotVersion.State.PASSED, kinds=["chinese_ten"])
    me.post("/bots/Gannet/compare/", {"pair": "1-2", "kind": "chinese_ten"})
    page = me.get("/bots/Gannet/").content.decode()
    assert "Does v1 beat v2?" in page
    assert "Undecided so far" in page
    assert "Accepted: better by more than 0 Elo. Rejected: better by less than +20." in page
    assert 'hx-trigger="every 2s"' in page
    assert Trial.objects.get(what="comparison").state != "done"


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("form", "bounds", "sentence"),
    [
        ({"preset": "no_loss"}, (-20, 0), "Accepted: better by more than −20 Elo. Rejected: better by less than 0."),
        ({"preset": "own", "elo0": "-10", "elo1": "20", "promote": "on"}, (-10, 20), "v1 will be promoted"),
        ({"preset": "own", "elo0": "20", "elo1": "10"}, None, "The upper bound must exceed the lower one by 5 Elo"),
        ({"preset": "own", "elo0": "", "elo1": "a lot"}, None, "Give both bounds as whole numbers of Elo points."),
    ],
)
def test_an_author_picks_the_bounds_of_a_comparison(
    form: dict[str, str], bounds: tuple[int, int] | None, sentence: str, gannet: Bot, me: Client
) -> None:
    uploads.upload_version(bot=gannet, data=f"{FIRST}# 2\n".encode())
    BotVersion.objects.filter(bot=gannet).update(state=BotVersion.State.PASSED, kinds=["chinese_ten"])
    asked = {"pair": "1-2", "kind": "chinese_ten", **form}
    page = me.post("/bots/Gannet/compare/", asked, follow=True).content.decode()
    assert sentence in page
    made = list(Trial.objects.filter(what="comparison").values_list("elo0", "elo1"))
    assert made == ([bounds] if bounds else [])


def test_who_asks_again_with_promote_reads_whether_the_version_will_be_promoted(gannet: Bot, me: Client) -> None:
    uploads.upload_version(bot=gannet, data=f"{FIRST}# 2\n".encode())
    BotVersion.objects.filter(bot=gannet).update(state=BotVersion.State.PASSED, kinds=["chinese_ten"])
    asked = {"pair": "1-2", "kind": "chinese_ten"}
    assert "will be promoted" not in me.post("/bots/Gannet/compare/", asked, follow=True).content.decode()
    again = {**asked, "promote": "on"}
    assert "v1 will be promoted" in me.post("/bots/Gannet/compare/", again, follow=True).content.decode()
    Trial.objects.filter(what="comparison").update(promote=False, state="done")
    page = me.post("/bots/Gannet/compare/", again, follow=True).content.decode()
    assert "This comparison is over, so it promotes nothing. You can choose v1 in the list of versions." in page


def test_the_page_draws_the_path_between_the_bounds_and_says_it_in_words(gannet: Bot, me: Client) -> None:
    uploads.upload_version(bot=gannet, data=f"{FIRST}# 2\n".encode())
    BotVersion.objects.filter(bot=gannet).update(state=BotVersion.State.PASSED, kinds=["chinese_ten"])
    me.post("/bots/Gannet/compare/", {"pair": "1-2", "kind": "chinese_ten"})
    found = compare([(0.9, 0.9), (0.7, 0.7)] * 24, Bounds(0, 20))
    Trial.objects.filter(what="comparison").update(result=found.plain(), state="done")
    page = me.get("/bots/Gannet/").content.decode()
    assert found.test.verdict == "accepted"
    assert "Accepted, 80 %" in page
    now, deals = found.plain()["evidence"], found.points.deals
    words = f"The evidence after each of {deals} deals, which begins at 1. For acceptance it is {now['better']:.2f} now"
    assert words in page
    for_acceptance, drawing = page.split('<polyline class="line disc" points="')[1:]
    points = [float(point.split(",")[0]) for point in for_acceptance.split('"')[0].split()]
    assert len(points) == deals + 1
    names = [float(text.split('"')[0]) for text in drawing.split('<text x="')[1:]]
    assert max(points) < min(names), "The path crosses no name of a bound."


def test_only_what_bets_decided_promises_a_risk_of_5_percent() -> None:
    """The upgrade keeps the verdicts of the former rule, without their path."""
    decided = {**compare([(1.0, 1.0)] * 300, Bounds(0, 20)).plain()}
    former = {**decided, "path": []}
    assert decided["verdict"] == "accepted"
    text = [bots.comparison_question(Trial(elo0=0, elo1=20, result=each)) for each in (decided, former)]
    assert [sentence.endswith("Each verdict is wrong with a risk of 5 % at most.") for sentence in text] == [
        True,
        False,
    ]
    assert text[1].startswith("Decided by a former rule, with the bounds 0 and +20 Elo.")


@pytest.mark.slow
def test_a_comparison_goes_on_by_itself_until_it_is_sure(me: Client) -> None:
    bring(me, "class Bot:\n    kinds = ('plates',)\n    def move(self, view, legal): return legal[0]\n")
    time_slices.play_time_slices("sandbox 1")
    better = "class Bot:\n    kinds = ('plates',)\n    def move(self, view, legal): return legal[-1]\n"
    me.post("/bots/Gannet/upload/", {"file": file(better), "end": "1"})
    time_slices.play_time_slices("sandbox 1")
    me.post("/bots/Gannet/compare/", {"version": "2", "against": "1", "kind": "plates"})
    page = me.get("/bots/Gannet/").content.decode()
    assert "Does v2 beat v1?" in page
    assert "Undecided so far" in page
    assert 'hx-trigger="every 2s"' in page
    trial = Trial.objects.get(what="comparison")
    while trial.state != "done":
        time_slices.play_time_slices("sandbox 1")
        trial.refresh_from_db()
    assert trial.result["verdict"] == "accepted"
    games = Game.objects.filter(trial=trial)
    assert 2 * trial.result["deals"] <= games.count() < 320
    assert {
        games.filter(part=part).values("deal").distinct().count() for part in games.values_list("part", flat=True)
    } == {1}
    assert "The evidence after each of" in me.get("/bots/Gannet/").content.decode()


def test_guides_for_authors_are_pages_too(client: Client) -> None:
    assert "From a file to a rated game" in client.get("/help/how-to/bring-a-bot/").content.decode().replace(
        "from a file", "From a file"
    )
    assert client.get("/help/reference/bot-protocol/").status_code == 200


def test_the_page_of_a_bot_asks_no_more_queries_the_more_it_has_played(gannet: Bot, me: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            me.get("/bots/Gannet/")
        return len(asked)

    me.post("/bots/Gannet/challenge/", {"version": "1", "kind": "chinese_ten", "bots": "random"})
    time_slices.play_time_slices("sandbox 1")
    before = queries()
    for _ in range(4):
        me.post("/bots/Gannet/challenge/", {"version": "1", "kind": "chinese_ten", "bots": "random"})
    time_slices.play_time_slices("sandbox 1")
    assert queries() <= before


def test_anybody_downloads_the_kit_as_pip_finds_it_on_the_page(client: Client) -> None:
    shown = client.get("/bots/").content.decode()
    [address] = set(re.findall(r'href="(/kit/scorebook_games-[^"]+\.whl)"', shown))
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as wheel:
        assert wheel.testzip() is None
        names = wheel.namelist()
        [record] = [name for name in names if name.endswith(".dist-info/RECORD")]
        rows = {name: (digest, size) for name, digest, size in csv.reader(wheel.read(record).decode().splitlines())}
        assert list(rows) == names
        for name in set(names) - {record}:
            digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).decode().rstrip("=")
            assert rows[name] == (f"sha256={digest}", str(len(wheel.read(name))))
    assert {"scorebook_games/cli/command.py", "scorebook_games/py.typed"} <= set(names)
    project = tomllib.loads((settings.BASE_DIR / "games" / "library" / "pyproject.toml").read_text())
    patterns = {*project["tool"]["setuptools"]["package-data"]["*"], "*.py"}
    assert {f"*{suffix}" for suffix in kit.SUFFIXES} == patterns - {"py.typed"}, "as in a wheel that is built"
    assert len(answer.content) <= 2 * 1024 * 1024


@pytest.mark.slow
def test_the_wheel_that_a_server_offers_is_installed_and_plays_a_game(tmp_path: Path) -> None:
    wheel = tmp_path / kit.wheel_name()
    wheel.write_bytes(kit.build_wheel())
    assert "installed and played in" in first_game(wheel)


@pytest.mark.parametrize("name", ["scorebook_bot.py", "remote.py"])
def test_the_files_of_the_sdk_are_downloaded_as_they_run_here(client: Client, name: str) -> None:
    assert f'href="/kit/{name}"' in client.get("/bots/").content.decode()
    assert client.get(f"/kit/{name}").content == Path(sdk.__file__).with_name(name).read_bytes()


@pytest.mark.parametrize(
    ("file", "offered"),
    [("foreign_kind/__init__.py", True), ("foreign_kind.py", False), ("foreign_kind/rules.py", False)],
)
def test_the_kit_has_the_package_of_a_foreign_kind_and_nothing_beside_it(
    client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, offered: bool
) -> None:
    """Beside a single module, or in a namespace, there may be files of other packages."""
    about = tmp_path / "foreign_kind-1.2.dist-info" / "METADATA"
    for path, text in {
        tmp_path / file: "",
        tmp_path / "other.py": "",
        about: "Name: foreign-kind\nVersion: 1.2\n",
    }.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "foreign_kind", raising=False)
    point = EntryPoint("chinese_ten", "foreign_kind:KIND", GROUP)
    vars(point).update(dist=Distribution.at(about.parent))
    monkeypatch.setattr(kit, "installed_kinds", lambda: [point])
    kit.kit_file.cache_clear()
    name = "foreign_kind-1.2-py3-none-any.whl"
    assert (f'href="/kit/{name}"' in client.get("/bots/").content.decode()) == offered
    answer = client.get(f"/kit/{name}")
    assert answer.status_code == (200 if offered else 404)
    if offered:
        with zipfile.ZipFile(io.BytesIO(answer.content)) as wheel:
            names = wheel.namelist()
        assert names == ["foreign_kind/__init__.py", "foreign_kind-1.2.dist-info/RECORD"]
    sys.modules.pop("foreign_kind", None)
    kit.kit_file.cache_clear()


def test_a_browser_that_has_a_file_of_the_kit_does_not_load_it_again(client: Client) -> None:
    """The lab needs the wheel each time that it is opened."""
    answer = client.get("/kit/remote.py")
    assert answer["Cache-Control"] == "public, no-cache"
    again = client.get("/kit/remote.py", headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_kit_has_no_other_file(client: Client) -> None:
    answer = client.get("/kit/scorebook_games-0.0.0-py3-none-any.whl")
    assert (answer.status_code, client.get("/kit/__init__.py").status_code) == (404, 404)
