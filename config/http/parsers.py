"""The parsers of the API: JSON of limited size with storable text, and forms with parts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any, Final

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import DataAndFiles, JSONParser, MultiPartParser
from rest_framework.utils.json import strict_constant

MAX_JSON_BYTES: Final = 1_000_000  # many times the longest real request

NOT_STORABLE: Final = gettext_lazy("The JSON is nested too deeply or contains a lone surrogate.")
PARSED_BODY: Final = "_parsed_json"  # an attribute of a request: its body as data, read once

MAX_BOUNDARY_BYTES: Final = 2 + 70 + 2 + 2  # bytes of a form without parts: its closing boundary (RFC 2046, 5.1.1)


class JsonBodyTooLarge(APIException):
    """The JSON body is larger than any real request."""

    status_code = 413
    default_code = "too_large"
    default_detail = f"A request may have at most {MAX_JSON_BYTES} bytes. Send less at a time."


class StrictMultiPartParser(MultiPartParser):
    """DRF's parser, which would read a malformed form as an empty one."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> DataAndFiles[Any, Any]:
        parsed = super().parse(stream, media_type, parser_context)
        request = (parser_context or {}).get("request")
        length = int(request.META.get("CONTENT_LENGTH") or 0) if request else 0
        if not parsed.data and not parsed.files and length > MAX_BOUNDARY_BYTES:
            raise ParseError(_("No part of the form could be read."))
        return parsed


class StrictJSONParser(JSONParser):
    """DRF's parser, which would read without limit and let lone surrogates through to where they cause errors."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        asked = getattr((parser_context or {}).get("request"), "_request", None)
        known = getattr(asked, PARSED_BODY, None)
        if known is not None:  # a middleware has read the same bytes
            return known
        body = stream.read(MAX_JSON_BYTES + 1)
        if len(body) > MAX_JSON_BYTES:
            raise JsonBodyTooLarge
        try:
            sent = super().parse(BytesIO(body), media_type, parser_context)
        except RecursionError as error:
            raise ParseError(NOT_STORABLE) from error
        check_storable(sent)
        return sent


def json_of(request: HttpRequest) -> Any:
    """Return the body of a request as `StrictJSONParser` reads it; it is parsed once, and nobody may change it.

    Raises ValueError or RecursionError for a body that the parser refuses too, with its own error.
    """
    known = getattr(request, PARSED_BODY, None)
    if known is None and request.body:
        known = json.loads(
            request.body.decode(request.encoding or settings.DEFAULT_CHARSET), parse_constant=strict_constant
        )
        try:
            check_storable(known)
        except ParseError as error:
            raise ValueError(str(error)) from error
        setattr(request, PARSED_BODY, known)
    return known


def check_storable(sent: Any) -> None:
    """Raise `ParseError` for text that no database stores."""
    try:
        json.dumps(sent, ensure_ascii=False).encode()
    except (RecursionError, UnicodeEncodeError) as error:
        raise ParseError(NOT_STORABLE) from error
