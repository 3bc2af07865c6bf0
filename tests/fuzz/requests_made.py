"""Requests to the API that schemathesis makes from the OpenAPI document, and checks of the answers."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import requests
import schemathesis
from django.test import Client
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config import api_router
from tests.fuzz.traces import traceback_of
from tests.permissions.requests import Asker, quietly
from tests.permissions.world import permissions_world

AS: Final = {"anonymous": None, "member": "Martha", "organiser": "Otto", "admin": "Ada"}
HERE: Final = "http://testserver"
METHODS: Final = ("get", "post", "put", "patch", "delete")
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
# Start of a path → name of a parameter → name in the world of a value that exists.
REAL: Final[dict[str, dict[str, str]]] = {
    "kinds/": {"kind": "kind"},
    "tables/": {"token": "table"},
    "bots/": {"name": "bot"},
    "games/": {"public_id": "game"},
    "players/": {"id": "martha_player"},
    "me/vacations/": {"id": "vacation"},
    "me/tokens/": {"id": "token"},
    "me/webhooks/": {"id": "my_hook", "message": "my_message"},
    "me/conduct/": {"id": "warning"},
    "clubs/{club}/webhooks/": {"club": "club", "id": "hook", "message": "hook_message"},
    "clubs/": {
        "slug": "club",
        "club": "club",
        "member": "martha_member",
        "post": "post",
        "asked": "asked",
        "invitation": "invitation",
    },
    "club-invitations/": {"id": "own_invitation"},
    "remote-bots/": {"id": "remote"},
    "seasons/": {"id": "entries_id", "season_id": "running_id"},
    "matches/": {"id": "match", "match_id": "agreed", "proposal_id": "proposal"},
    "rating-pools/": {"id": "pool"},
    "ratings/": {"id": "rating"},
}


AnyCase = Case[Any]


@dataclass(frozen=True)
class Found:
    """A request whose answer does not pass a check."""

    label: str
    who: str
    sent: str
    status: int
    why: str

    def report(self) -> str:
        return f"{self.label} as {self.who}: {self.status}\n  {self.sent}\n  {self.why}"


class Fuzzer:
    """Sends requests to a `World`, within a transaction that is rolled back."""

    def __init__(self) -> None:
        self.world = permissions_world()
        self.askers = {who: Asker.signed_in(self.world.people.get(name or "")) for who, name in AS.items()}
        document = api_router.schema_document()
        self.document: dict[str, Any] = json.loads(json.dumps(document, default=str))
        schema = schemathesis.openapi.from_dict(self.document)
        made: list[Any] = list(schema.get_all_operations())
        self.operations = {each.ok().label: each.ok() for each in made}
        self.counts: Counter[str] = Counter()
        self.met: set[str] = set()
        self.broke = ""  # the end of the traceback of the latest answer
        self.reported: set[tuple[str, str]] = set()

    def labels(self) -> list[str]:
        """Return `METHOD /path` of every operation."""
        return sorted(self.operations)

    # requests of schemathesis

    def made_requests(self, label: str, who: str, examples: int, number: int) -> Iterator[Found]:
        """Send allowed and forbidden requests, about existing and other things, and yield the faults."""
        operation = self.operations[label]
        real = self.real(operation.path)
        self.met.add(label)
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            for named in [real, None] if real else [None]:
                try:
                    strategy = operation.as_strategy(mode, path_parameters=named)
                    yield from self.each(label, who, strategy, max(1, examples // (4 if real else 2)), number)
                except Unsatisfiable:  # an operation without input cannot get forbidden input
                    continue

    def each(self, label: str, who: str, strategy: Any, examples: int, number: int) -> Iterator[Found]:
        """Send all requests, and yield the first fault of each sort for this operation."""
        found: list[Found] = []

        @seed(number)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy)
        def ask(case: AnyCase) -> None:
            response = self.call(case, who)
            for why in [self.broke] if self.broke else faults(case, response):
                if (label, why[:40]) not in self.reported:
                    self.reported.add((label, why[:40]))
                    found.append(Found(label, who, request_text(response.request), response.status_code, why))

        ask()
        yield from found

    def real(self, path: str) -> dict[str, str]:
        """Return parameters of `path` that exist in the world."""
        below = path.removeprefix("/api/v1/")
        named = next((names for start, names in REAL.items() if below.startswith(start)), {})
        wanted = re.findall(r"{(\w+)}", path)
        return {name: str(self.world.at[named[name]]) for name in wanted if name in named}

    def call(self, case: AnyCase, who: str) -> Response:
        """Send a request that schemathesis made."""
        asked = case.as_transport_kwargs(base_url=HERE)
        made = requests.Request(**{key: asked[key] for key in asked if key in REQUEST}).prepare()
        return self.send(made, who)

    def send(self, made: requests.PreparedRequest, who: str) -> Response:
        """Send a request as this user, and roll back what it did."""
        body = made.body.encode() if isinstance(made.body, str) else made.body or b""
        headers = {str(name): plain(value) for name, value in made.headers.items()}
        kind = headers.pop("Content-Type", "") or ("application/json" if body else "")
        began = time.monotonic()
        browser: Client = self.askers[who].browser()
        with quietly():
            answer = browser.generic(
                made.method or "GET", made.path_url, body, content_type=kind, headers=cleaned(headers)
            )
        self.counts[str(answer.status_code)] += 1
        self.broke = traceback_of(answer)
        found = {name: [value] for name, value in answer.items()}
        content = b"" if answer.streaming else answer.content
        if found.pop("Content-Encoding", None) == ["gzip"]:  # every client unpacks it too
            content = gzip.decompress(content)
        return Response(answer.status_code, found, content, made, time.monotonic() - began, verify=False)

    # requests that schemathesis does not make

    def odd_requests(self, label: str) -> Iterator[Found]:
        """Send bodies that cannot be read, types that are not accepted and methods that do not exist, and yield the
        faults."""
        method, path = label.split(" ", 1)
        address = HERE + re.sub(r"{(\w+)}", lambda name: self.real(path).get(name[1], "1"), path)
        for body, kind, expected in ODD if method in ("POST", "PUT", "PATCH") else ():
            made = requests.Request(method, address, data=body, headers={"Content-Type": kind}).prepare()
            yield from self.expect(label, made, expected)
        missing = [each for each in METHODS if each not in self.document["paths"][path]]
        for each in missing:
            made = requests.Request(each.upper(), address).prepare()
            yield from self.expect(label, made, (404, 405))

    def expect(self, label: str, made: requests.PreparedRequest, expected: tuple[int, ...]) -> Iterator[Found]:
        response = self.send(made, "admin")
        if response.status_code not in expected:
            why = self.broke or f"expected one of {expected}: {response.content[:300]!r}"
            yield Found(label, "admin", request_text(made), response.status_code, why)


REQUEST: Final = {"method", "url", "headers", "files", "data", "params", "json", "cookies"}
OF_TYPE: Final = re.compile(r"body\W{1,3}violates `type`")
REFUSED: Final = (400, 403, 404, 409, 413, 415)
# (body, its type, possible statuses). An operation without a body may ignore it.
ODD: Final[tuple[tuple[bytes, str, tuple[int, ...]], ...]] = (
    (b'{"a": ', "application/json", (200, 201, 202, 204, *REFUSED)),
    (b"\xff\xfe\x00", "application/json", (200, 201, 202, 204, *REFUSED)),
    (b'{"a": "\\ud800"}', "application/json", (200, 201, 202, 204, *REFUSED)),
    (b"[" * 20_000, "application/json", (200, 201, 202, 204, *REFUSED)),
    (b'{"a": 1e999, "b": NaN}', "application/json", (200, 201, 202, 204, *REFUSED)),
    (b"<a/>", "application/xml", (200, 201, 202, 204, *REFUSED)),
    (b"a=%00&a=%ff", "application/x-www-form-urlencoded", (200, 201, 202, 204, *REFUSED)),
    (b"nothing", "multipart/form-data; boundary=", (200, 201, 202, 204, *REFUSED)),
    (b"x" * 1_100_000, "application/json", (200, 201, 202, 204, *REFUSED)),
)


def plain(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def cleaned(headers: dict[str, str]) -> dict[str, str]:
    """Return the headers without those that a client sets itself and those that would log another user in."""
    own = {"content-length", "cookie", "authorization", "x-schemathesis-testcaseid", "user-agent"}
    return {name: value for name, value in headers.items() if name.lower() not in own}


def request_text(made: requests.PreparedRequest) -> str:
    body: Any = made.body or b""
    text = body if isinstance(body, str) else body.decode("utf-8", "backslashreplace")
    kind = plain(made.headers.get("Content-Type", ""))
    return f"{made.method} {made.path_url} {kind} {text[:600]}"


def faults(case: AnyCase, response: Response) -> list[str]:
    """Return what is wrong with the answer."""
    checks: list[Callable[..., Any]] = list(CHECKS)
    if response.status_code < 300:
        checks.append(negative_data_rejection)
    try:
        case.validate_response(response, checks=checks)
    except FailureGroup as group:
        found = [f"{type(each).__name__}: {each}" for each in group.exceptions]
    except Failure as failure:
        found = [f"{type(failure).__name__}: {failure}"]
    else:
        found = []
    return [each for each in found if not (of_form(response.request) and OF_TYPE.search(each))]


def of_form(made: requests.PreparedRequest) -> bool:
    """Return whether the body is a form. All values of a form are text, so only its structure can be wrong."""
    return "form" in plain(made.headers.get("Content-Type", ""))
