"""Errors over HTTP: problem+json (RFC 9457), whose status the error's class decides and whose cure says what to do."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from rove.errors import ConfigError, InputError, RoveError, ServiceError

MEDIA_TYPE = "application/problem+json"
MAX_REASONS = 20
log = logging.getLogger("rove.serve")


class UnknownCallerError(RoveError):
    """The request has no key, or one that nobody has."""


class DeniedError(RoveError):
    """The key is known, and does not give this right in a space that it opens."""


class AbsentError(InputError):
    """There is no such thing, or it is none of the caller's business: the two are not told apart."""


class TooLargeError(InputError):
    """The request is larger than the settings allow."""


class LongHeadError(TooLargeError):
    """The address and the headers are larger than any that are meant for this server."""


class ThrottledError(RoveError):
    """The key has asked too much at once. `retry_after_s` says when to come again."""

    def __init__(self, message: str, *, cure: str, retry_after_s: float) -> None:
        super().__init__(message, cure=cure)
        self.retry_after_s = retry_after_s


class Problem(BaseModel):
    """An error, as RFC 9457 has it: `detail` is the reason, `cure` what to do about it."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    cure: str = ""
    reasons: list[str] = []


STATUSES: tuple[tuple[type[RoveError], int, str], ...] = (
    (UnknownCallerError, 401, "No valid key"),
    (DeniedError, 403, "Not allowed"),
    (AbsentError, 404, "Not found"),
    (LongHeadError, 431, "Headers too large"),
    (TooLargeError, 413, "Too large"),
    (ThrottledError, 429, "Too many requests"),
    (InputError, 400, "This cannot be worked with"),
    (ConfigError, 500, "The server is not set up for this"),
)
RETRY_AFTER_S = 5


def problem_of(error: RoveError) -> Problem:
    """Say an error in the words of RFC 9457.

    >>> problem_of(InputError("The question is blank.", cure="Ask something.")).status
    400
    """
    if isinstance(error, ServiceError):
        status, title = (503, "A service failed for now") if error.retryable else (502, "A service failed")
    else:
        found = ((number, words) for kind, number, words in STATUSES if isinstance(error, kind))
        status, title = next(found, (500, "Error"))
    return Problem(title=title, status=status, detail=error.reason, cure=error.cure)


def response_of(error: RoveError) -> Response:
    """Make the reply that says an error."""
    headers: dict[str, str] = {}
    if isinstance(error, ThrottledError):
        headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    elif isinstance(error, ServiceError) and error.retryable:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    elif isinstance(error, UnknownCallerError):
        headers["WWW-Authenticate"] = "Bearer"
    return _reply(problem_of(error), headers)


def handle_problems(app: FastAPI) -> None:
    """Make every error of an app a problem+json."""
    app.add_exception_handler(RoveError, _rove_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _unexpected)


def _rove_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, RoveError):
        raise error
    if isinstance(error, ConfigError):
        log.error("configuration", extra={"reason": error.reason})
    return response_of(error)


def _http_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    title = str(error.detail)
    return _reply(Problem(title=title, status=error.status_code, detail=title), error.headers or {})


def _invalid(_: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    reasons = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:MAX_REASONS]]
    detail = "The request does not have the shape that it should have."
    return _reply(
        Problem(
            title="Invalid request", status=422, detail=detail, cure="See /openapi.json for the shape.", reasons=reasons
        )
    )


def _unexpected(request: Request, error: Exception) -> Response:
    number = request.scope.get("rove.request", "")
    log.error("unexpected error", exc_info=error, extra={"request": number})
    detail = "Something went wrong that should not have."
    problem = Problem(title="Error", status=500, detail=detail, cure="See the server's log.")
    return _reply(problem, {"X-Request-Id": number})  # made outside of the gate, which numbers all other replies


def _reply(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    text = json.dumps(problem.model_dump(exclude_defaults=True) | {"type": problem.type}, ensure_ascii=False)
    return Response(text.encode("utf-8", "replace"), problem.status, headers={**(headers or {})}, media_type=MEDIA_TYPE)
