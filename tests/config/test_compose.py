"""compose.yaml and Containerfile name only commands, variables, queues and addresses that the product has."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from celery.bin.celery import celery
from django.conf import settings
from django.core.management import get_commands
from django.urls import resolve

from config.broker.pgmq_schema import QUEUES
from config.env import variables
from config.monitoring import healthcheck
from devkit.up import Address, parts_of
from games.sandbox import supervisor
from scorebook_games import build
from tests.assertions.environment_variables import read_in

ROOT = Path(settings.BASE_DIR)
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: one for name, one in SERVICES.items() if str(one["image"]).startswith("scorebook:")}
WORKERS = {name: one for name, one in OURS.items() if " worker " in str(one.get("command"))}
SERVED = [  # files that run on a server: not `bin/dev`, and not the programs for authors of bots
    path
    for app in ("config", "games", "replays", "tournaments")
    for path in (ROOT / app).rglob("*.py")
    if not path.is_relative_to(ROOT / build.LIBRARY / "scorebook_games" / "cli")
    and not path.is_relative_to(ROOT / build.LIBRARY / "scorebook_games" / "bots" / "sdk")
    and not path.is_relative_to(ROOT / build.LIBRARY / "scorebook_games" / "agents")
]
READ = {name for path in SERVED for name in read_in(path)}
NOT_IN_CONTAINERS = {
    "DJANGO_SETTINGS_MODULE": "stands in the image",
    "SCOREBOOK_STATIC_ROOT": "the image holds its static files",
    "SCOREBOOK_DATASET_FOLDER": "a volume lies in the usual place",
    "SCOREBOOK_DEBUG": "for developers, never for others to reach",
    "SCOREBOOK_VITE_PORT": "for developers, with SCOREBOOK_DEBUG",
    "SCOREBOOK_ENGINE_BUILD": "stands in the image, which holds the compiled engines",
    "SCOREBOOK_BOTS_SHARE_UID": "the worker with the sandbox is root, and all others run no bots",
}


def command(name: str) -> list[str]:
    return shlex.split(SERVICES[name]["command"])


def after(words: list[str], option: str) -> str:
    return words[words.index(option) + 1]


def test_web_workers_and_beat_are_there_and_every_queue_is_served() -> None:
    assert set(OURS) == {"migrate", "web", "beat", *QUEUES}
    served = [queue for name in WORKERS for queue in after(command(name), "-Q").split(",")]
    assert sorted(served) == sorted(QUEUES)


def test_workers_are_started_as_the_developers_are() -> None:
    """Each worker has the same queue, name and prefetch, and the same features switched off."""
    place: Any = type("Place", (), {"app_environment": dict})()
    parts = {part.name: list(part.command) for part in parts_of(place, Address("127.0.0.1", 8000))}
    assert parts.keys() >= WORKERS.keys()
    for name in WORKERS:
        here, there = parts[name], command(name)
        for option in ("-Q", "-n", "--prefetch-multiplier"):
            assert after(here, option) == after(there, option), name
        assert {each for each in here if each.startswith("--without")} <= set(there), name


def test_every_option_of_celery_is_one_that_it_has() -> None:
    for name in [*WORKERS, "beat"]:
        words = command(name)
        assert words[:3] == ["celery", "-A", "config"]
        known = {option for each in celery.commands[words[3]].params for option in each.opts}
        assert {word.partition("=")[0] for word in words[4:] if re.match(r"--?[a-zA-Z]", word)} <= known, name


def test_every_command_of_manage_is_one_that_there_is() -> None:
    script = OURS["migrate"]["command"][-1]
    named = re.findall(r"manage\.py (\w+)", script)
    assert named == ["migrate", "createcachetable", "install_queue", "grant_app_role"]
    assert set(named) <= get_commands().keys()


def test_the_web_is_started_by_what_is_installed_and_asked_where_it_answers() -> None:
    web = command("web")
    assert web[:2] == ["uvicorn", "config.asgi:application"]
    assert importlib.util.find_spec("config.asgi")
    assert after(web, "--port") == "8000"
    assert resolve("/health/ready/").url_name == "health-ready"
    assert SERVICES["web"]["ports"] == ["127.0.0.1:8000-8015:8000"]  # as many web processes as an operator may start


def test_every_part_is_asked_for_its_health_and_can_end_in_good_order() -> None:
    for name, one in OURS.items():
        if name == "migrate":
            continue
        kind, *where = one["healthcheck"]["test"][4:]
        assert one["healthcheck"]["test"][1:4] == ["python", "-m", "config.monitoring.healthcheck"]
        assert kind in healthcheck.CHECKS
        if name == "beat":
            assert where == [after(command("beat"), "-s")]
        assert one["restart"] == "unless-stopped"
        assert one["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    graceful = float(after(command("web"), "--timeout-graceful-shutdown"))
    drained = float(re.sub(r"\D", "", SERVICES["web"]["environment"]["SCOREBOOK_DRAIN_SECONDS"]))
    assert graceful + drained < float(SERVICES["web"]["stop_grace_period"].removesuffix("s"))


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_read_by_the_settings(name: str) -> None:
    for variable in OURS[name]["environment"]:
        secret = variable.removesuffix("_FILE")
        if secret != variable:
            assert secret in variables.SECRET_NAMES
            assert OURS[name]["environment"][variable].removeprefix("/run/secrets/") in OURS[name]["secrets"]
        else:
            assert variable in READ, variable


def test_every_variable_that_a_server_reads_can_be_given_to_it() -> None:
    """A variable is in `.env`, or in a file if it is secret. Variables of the whole platform are given to all parts."""
    owner = {"DATABASE_URL"}  # given only to the job that migrates
    given_to = {name: {each.removesuffix("_FILE") for each in one["environment"]} for name, one in OURS.items()}
    assert sorted(READ - set.union(*given_to.values()) - NOT_IN_CONTAINERS.keys()) == []
    settings_read = read_in(ROOT / "config" / "settings.py") - NOT_IN_CONTAINERS.keys() - owner
    assert {"SCOREBOOK_MAX_STREAMS_PER_IP", "SECRET_KEY", "EMAIL_FROM"} <= settings_read
    for name, passed in given_to.items():
        missing = settings_read - passed - {"SCOREBOOK_METRICS_TOKEN", "SCOREBOOK_AS_OWNER"}
        assert sorted(missing) == [], name


def filled(text: str, sentence: dict[str, str]) -> str:
    """Return a value of compose.yaml as Compose expands `${NAME:-default}` (the Compose specification,
    interpolation)."""
    return re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: sentence.get(found[1]) or found[2], text)


def test_what_env_says_is_what_a_part_is_given() -> None:
    """A part's variable has the same name as in `.env` and no default."""
    for name, one in OURS.items():
        for variable, value in one["environment"].items():
            fixed = variable.endswith("_FILE") or variable == "SCOREBOOK_AS_OWNER"
            assert fixed or filled(value, {variable: "said"}) == "said", (name, variable)
            assert "$" not in filled(value, {}), (name, variable)


SHOW = """
import json, re
from config import settings
shown = {name: repr(value) for name, value in vars(settings).items() if name.isupper()}
print(re.sub(" at 0x[0-9a-f]+", "", json.dumps(shown)))
"""


def settings_with(environment: dict[str, str]) -> dict[str, str]:
    """Return the settings of a process that has only these variables and two secrets."""
    secrets = {"SECRET_KEY": "only-for-this-test", "DATABASE_URL": "postgresql:///nowhere", "PYTHONHASHSEED": "0"}
    command, environment = [sys.executable, "-c", SHOW], {**secrets, **environment}
    shown = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    return cast(dict[str, str], json.loads(shown.stdout))


@pytest.mark.some(1)
@pytest.mark.parametrize("sentence", [{}, {"SCOREBOOK_BASE_URL": "https://club.example"}])
def test_what_env_does_not_say_is_as_if_it_were_unset(sentence: dict[str, str]) -> None:
    """This matters most for the second factor of a platform on https. The format of logs is set, because its default
    differs."""
    environment = {
        name: filled(value, sentence)
        for name, value in OURS["sandbox"]["environment"].items()
        if not name.endswith("_FILE")
    }
    here, there = settings_with({**sentence, "SCOREBOOK_LOG_FORMAT": "json"}), settings_with(environment)
    assert here["SCOREBOOK_ADMIN_MFA_REQUIRED"] == str(bool(sentence))
    assert {name: (here[name], there[name]) for name in here if here[name] != there[name]} == {}


def test_the_uid_of_bots_is_the_same_as_without_compose() -> None:
    assert filled(OURS["sandbox"]["environment"]["SCOREBOOK_BOT_UID"], {}) == str(supervisor.BOT_UID)


def test_whatever_compose_asks_of_env_is_documented() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (ROOT / "compose.yaml").read_text()))
    text = (ROOT / "docs" / "reference" / "settings.md").read_text()
    assert sorted(name for name in asked if not re.search(rf"`{name}`|^    {name}=", text, re.MULTILINE)) == []


def test_each_part_is_given_the_secrets_that_it_needs_and_no_others() -> None:
    """Only the job that migrates gets the owner's address."""
    for name, one in OURS.items():
        assert ("database_url" in one["secrets"]) == (name == "migrate"), name
        assert ("metrics_token" in one["secrets"]) == (name == "web"), name
        assert "postgres_password" not in one["secrets"], name
    assert set(COMPOSE["secrets"]) == {each for one in SERVICES.values() for each in one.get("secrets", ())}


def test_bin_secrets_makes_each_of_them_once_and_they_fit_together(tmp_path: Path) -> None:
    script = tmp_path / "bin" / "secrets"
    script.parent.mkdir()
    script.write_text((ROOT / "bin" / "secrets").read_text())
    subprocess.run(["sh", script], check=True, capture_output=True)
    folder = tmp_path / "secrets"
    made = {path.name: path.read_text() for path in folder.iterdir()}
    assert {Path(one["file"]).name for one in COMPOSE["secrets"].values()} <= made.keys()
    assert made["postgres_password"] in made["database_url"]
    assert made["app_password"] in made["database_app_url"]
    assert len(made["secret_key"]) >= 50
    assert len(set(made.values())) == len(made)
    assert folder.stat().st_mode & 0o77 == 0
    subprocess.run(["sh", script], check=True, capture_output=True)
    assert {path.name: path.read_text() for path in folder.iterdir()} == made


def test_nobody_is_root_or_may_do_more_than_others_but_the_worker_with_the_sandbox() -> None:
    for name, one in OURS.items():
        assert one["cap_drop"] == ["ALL"], name
        assert one["read_only"], name
        assert "no-new-privileges:true" in one["security_opt"], name
        if name != "sandbox":
            assert "user" not in one, name
            assert "cap_add" not in one, name
            assert one["security_opt"] == ["no-new-privileges:true"], name
    sandbox = OURS["sandbox"]
    assert sandbox["cap_add"] == ["SYS_ADMIN", "SETUID", "SETGID", "SETPCAP", "KILL"]
    text = (ROOT / "docs" / "how-to" / "set-up-the-sandbox.md").read_text()
    for capability in sandbox["cap_add"]:
        assert f"`{capability}`" in text


IMAGE = (ROOT / "Containerfile").read_text()


def test_the_image_holds_what_runs_and_runs_as_nobody() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", IMAGE, re.MULTILINE)
    for path in " ".join(copied).split():
        assert (ROOT / path).exists(), path
    assert {"games", "replays", "tournaments", "config"} <= set(" ".join(copied).split())
    users = re.findall(r"^USER (.+)$", IMAGE, re.MULTILINE)
    assert users == ["10001:10001"]
    assert "--require-hashes" in IMAGE
    ignored = (ROOT / ".dockerignore").read_text().split("\n")
    assert "*" in ignored  # only named files are copied, so no secret and no .git
    for path in " ".join(copied).split():
        assert f"!{path.split('/')[0]}" in ignored or f"!{path}" in ignored, path


def test_the_image_runs_the_engines_that_its_build_compiled_and_compared_with_the_sources() -> None:
    compiling, running = re.split(r"^FROM .*\n", IMAGE, flags=re.MULTILINE)[2:]
    assert "python -m devkit.mypyc" in compiling
    assert "COPY --from=engines /scorebook/.local/compiled .local/compiled" in running
    assert "SCOREBOOK_ENGINE_BUILD=compiled" in running
    for stage in (compiling, running):  # the checkout's folders, and the pins, name the build
        assert "--editable ./games/library" in stage
        assert "COPY requirements/dev.txt requirements/dev.txt" in stage
