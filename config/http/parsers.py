"""What the API reads: JSON of a bounded size, of text that can be written down again, and forms that have parts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any, Final

from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import DataAndFiles, JSONParser, MultiPartParser

MAX_JSON_BYTES: Final = 1_000_000  # many times what the longest request has

MAX_BOUNDARY_BYTES: Final = 2 + 70 + 2 + 2  # bytes of a form without parts: the line that ends it (RFC 2046, 5.1.1)


class JsonBodyTooLarge(APIException):
    """A body that nobody needs."""

    status_code = 413
    default_code = "too_large"
    default_detail = f"A request may have at most {MAX_JSON_BYTES} bytes. Send less at a time."


class StrictMultiPartParser(MultiPartParser):
    """DRF's, which would read a form that it can make nothing of as an empty one."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> DataAndFiles[Any, Any]:
        found = super().parse(stream, media_type, parser_context)
        request = (parser_context or {}).get("request")
        length = int(request.META.get("CONTENT_LENGTH") or 0) if request else 0
        if not found.data and not found.files and length > MAX_BOUNDARY_BYTES:
            raise ParseError("No part of the form could be read.")
        return found


class StrictJSONParser(JSONParser):
    """DRF's, which would read on without end and pass half a character on to where it cannot be answered."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        body = stream.read(MAX_JSON_BYTES + 1)
        if len(body) > MAX_JSON_BYTES:
            raise JsonBodyTooLarge
        try:
            sent = super().parse(BytesIO(body), media_type, parser_context)
            json.dumps(sent, ensure_ascii=False).encode()
        except (RecursionError, UnicodeEncodeError) as error:
            raise ParseError("The JSON is nested too deeply or contains a lone surrogate.") from error
        return sent
