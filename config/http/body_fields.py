"""Refuses fields of an API request's body that the operation does not read, instead of ignoring them.

A misspelt field would otherwise create something other than intended. An operation reads what it declares for the
OpenAPI document, including nested fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from io import BytesIO
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import load_handler
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict, UnreadablePostError
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.utils.translation import gettext as _
from drf_spectacular.generators import SchemaGenerator
from rest_framework import serializers

from config.http.errors import error_body
from config.http.parsers import MAX_JSON_BYTES, json_of
from config.http.schema_lock import one_thread_at_a_time
from games.common.policy import API_ROOT

METHODS_WITH_BODY: Final = ("POST", "PUT", "PATCH", "DELETE")
KEY_FIELD: Final = "idempotency_key"  # of the body of any POST (`config.http.idempotency`)
FORM_FIELDS: Final = frozenset({"csrfmiddlewaretoken"})


class UnknownFieldMiddleware:
    """Middleware that answers 400 `unknown_field` to a request whose body has a field that nothing reads."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, *_of_view: Any) -> HttpResponse | None:
        """Return the refusal; None if there is nothing to refuse, or if the view itself reports the error."""
        operation = operation_of(request, view)
        if operation not in declared_bodies():
            return None
        for field, known in unknown_fields(request_data(request), declared_bodies()[operation]):
            sentence = unknown_field_sentence(field, known)
            return JsonResponse(error_body(400, "unknown_field", sentence, field=field, known_fields=known), status=400)
        return None


def operation_of(request: HttpRequest, view: Any) -> tuple[Any, str]:
    """Return the class and method that answer a request."""
    handles, method = getattr(view, "cls", None), request.method or ""
    if handles is None or method not in METHODS_WITH_BODY or not request.path.startswith(API_ROOT):
        return None, ""
    return handles, getattr(view, "actions", {}).get(method.lower(), method) + f" {method}"


@cache
@one_thread_at_a_time()
def declared_bodies() -> dict[tuple[Any, str], Any]:
    """Return the declared body of each operation that changes something: a serializer, names, or None."""
    bodies: dict[tuple[Any, str], Any] = {}
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    for path, path_regex, method, callback in generator.endpoint_inspector_cls().get_api_endpoints():
        if method not in METHODS_WITH_BODY:
            continue
        view = generator.create_view(callback, method)
        schema = view.schema
        schema.path, schema.path_regex, schema.method = path, path_regex, method
        reads = schema.get_request_serializer()
        if isinstance(reads, Mapping):  # by content type, which may be a file
            reads = [name for form in reads.values() if isinstance(form, Mapping) for name in form["properties"]]
        elif isinstance(reads, type) and issubclass(reads, serializers.BaseSerializer):
            reads = reads()
        is_body = isinstance(reads, list | serializers.BaseSerializer)
        is_answer = method == "DELETE" and type(reads) is getattr(view, "serializer_class", None)
        operation = type(view), f"{getattr(view, 'action', None) or method} {method}"
        bodies[operation] = reads if is_body and not is_answer else None
    return bodies


def request_data(request: HttpRequest) -> Any:
    """Return the request's body as data, of a form its names; None without a readable body. Django keeps the bytes, so
    the view can read them again."""
    kind = request.content_type or ""
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_JSON_BYTES:
            return None
        if kind == "application/json":
            return json_of(request)
        if kind == "application/x-www-form-urlencoded":
            return dict.fromkeys(set(QueryDict(request.body)) - FORM_FIELDS)
        if kind == "multipart/form-data":
            handlers = [load_handler(handler, request) for handler in settings.FILE_UPLOAD_HANDLERS]
            data, files = MultiPartParser(request.META, BytesIO(request.body), handlers).parse()
            return dict.fromkeys({*data, *files} - FORM_FIELDS)
    except (ValueError, RecursionError, RequestDataTooBig, UnreadablePostError, MultiPartParserError):
        return None
    return None


def unknown_fields(sent: Any, reads: Any, above: str = "") -> Iterator[tuple[str, list[str]]]:
    """Return the fields of `sent` that `reads` does not have, as `terms.pace`, each with the known names."""
    if isinstance(reads, serializers.ListSerializer | serializers.ListField) and isinstance(sent, list):
        for number, item in enumerate(sent):
            yield from unknown_fields(item, reads.child, f"{above}{number}.")
        return
    if not isinstance(sent, dict) or not (reads is None or isinstance(reads, list | serializers.Serializer)):
        return
    fields = declared_fields(reads)
    for name, value in sent.items():
        if name in fields:
            yield from unknown_fields(value, fields[name], f"{above}{name}.")
        elif above or name != KEY_FIELD:
            yield f"{above}{name}", list(fields)


def declared_fields(reads: Any) -> dict[str, Any]:
    """Return the fields that are read, by name."""
    if isinstance(reads, serializers.Serializer):
        return {name: field for name, field in reads.fields.items() if not field.read_only}
    return dict.fromkeys(reads or ())


def unknown_field_sentence(field: str, known: list[str]) -> str:
    """Return the sentence that names the known fields."""
    if not known:
        return _("Requests to this address have no body, so {name!r} is unknown.").format(name=field[:60])
    near = get_close_matches(field.rpartition(".")[2], known, 1)
    asked = _(" Did you mean {name!r}?").format(name=near[0]) if near else ""
    sentence = _("There is no field {name!r} here. The fields are {known}.")
    return sentence.format(name=field[:60], known=", ".join(known)) + asked
