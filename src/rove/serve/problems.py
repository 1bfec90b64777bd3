"""Errors over HTTP: problem+json (RFC 9457), whose status the error's class decides and whose cure says what to do."""

from __future__ import annotations

import errno
import json
import logging
import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from rove.errors import CatalogReplacedError, ConfigError, EmbedderMovedError, InputError, RoveError, ServiceError
from rove.serve.redaction import Cure, Said

MEDIA_TYPE = "application/problem+json"
MAX_REASONS = 20
log = logging.getLogger("rove.serve")


class UnknownCallerError(RoveError):
    """The request has no key, or one that nobody has."""


class WrongPasswordError(RoveError):
    """Nobody of this name has this password. Which of the two is wrong is not said."""


class WrongOldPasswordError(RoveError):
    """Who is signed in has given another password than the one that is to be changed."""


class DeniedError(RoveError):
    """The key is known, and does not give this right in a space that it opens."""


class AbsentError(InputError):
    """There is no such thing, or it is none of the caller's business: the two are not told apart."""


class ChangedError(InputError):
    """Somebody else has changed meanwhile what the caller wants to change."""


class TooLargeError(InputError):
    """The request is larger than the settings allow."""


class LongHeadError(TooLargeError):
    """The address and the headers are larger than any that are meant for this server."""


class ThrottledError(RoveError):
    """The key has asked too much at once. `retry_after_s` says when to come again."""

    def __init__(self, message: str, *, cure: str, retry_after_s: float) -> None:
        super().__init__(message, cure=cure)
        self.retry_after_s = retry_after_s


class UnopenedError(ConfigError):
    """Other machines reach the server, and nobody has a key to it: it must not serve them yet."""


class Problem(BaseModel):
    """An error, as RFC 9457 has it: `detail` is the reason, `cure` what to do about it.

    `type`: `TYPE` and a word of `TITLES`; "about:blank" where the status says it all. It does not change; words may.
    """

    type: str = "about:blank"
    title: str
    status: int
    detail: Said
    cure: Cure = ""
    reasons: list[Said] = []


TYPE = "urn:rove:problem:"
TITLES: Mapping[str, str] = MappingProxyType(
    {
        "unknown-key": "No valid key",
        "wrong-password": "Wrong name or password",
        "denied": "Not allowed",
        "not-found": "Not found",
        "changed": "Changed meanwhile",
        "head-too-large": "Headers too large",
        "too-large": "Too large",
        "too-many": "Too many requests",
        "too-slow": "Too slow",
        "unworkable": "This cannot be worked with",
        "disk-full": "The server's disk is full",
        "misconfigured": "The server is not set up for this",
        "busy": "A service failed for now",
        "moved": "The base has another embedder by now",
        "replaced": "The base's catalog was replaced",
        "awaiting-key": "The server waits for its first administrator",
        "service-failed": "A service failed",
        "invalid": "Invalid request",
        "unexpected": "Error",
    }
)
"""What each type of problem is called. The web page says the same in its reader's language (`web/lang`)."""
KINDS: tuple[tuple[type[RoveError], int, str], ...] = (
    (UnknownCallerError, 401, "unknown-key"),
    (WrongPasswordError, 401, "wrong-password"),
    (WrongOldPasswordError, 403, "wrong-password"),
    (DeniedError, 403, "denied"),
    (AbsentError, 404, "not-found"),
    (ChangedError, 409, "changed"),
    (LongHeadError, 431, "head-too-large"),
    (TooLargeError, 413, "too-large"),
    (ThrottledError, 429, "too-many"),
    (InputError, 400, "unworkable"),
    (EmbedderMovedError, 503, "moved"),
    (CatalogReplacedError, 503, "replaced"),
    (UnopenedError, 503, "awaiting-key"),
    (ConfigError, 500, "misconfigured"),
    (RoveError, 500, "unexpected"),
)
OPENAI = ("/v1/chat/", "/v1/models", "/v1/embeddings", "/v1/responses")
"""Where what is called speaks as OpenAI does: problems have a member `error` there, of which those clients tell."""
BY_STATUS = MappingProxyType({status: kind for _, status, kind in KINDS if status < 500 and kind != "wrong-password"})
RETRY_AFTER_S = 5
FULL = (errno.ENOSPC, errno.EDQUOT)
OUT_OF_FILES = (errno.EMFILE, errno.ENFILE)


NO_FILES = "The server has as many files open as the system lets it."
NO_FILES_CURE = "Wait a little. Whoever runs the server can raise its limit of open files."


def problem_of(error: RoveError) -> Problem:
    """Say an error in the words of RFC 9457.

    >>> problem = problem_of(InputError("The question is blank.", cure="Ask something."))
    >>> problem.status, problem.type
    (400, 'urn:rove:problem:unworkable')
    """
    if isinstance(error, ServiceError) and not isinstance(error, CatalogReplacedError):
        status, kind = (503, "busy") if error.retryable else (502, "service-failed")
    else:
        status, kind = next((number, word) for family, number, word in KINDS if isinstance(error, family))
    return _problem_of_kind(kind, status, error.reason, error.cure)


FIELD = re.compile(r"[a-z_]+(?:\.(?:\d+|role|content|type|field|op|value))*")
"""A field of a request, without the kind of value that it was taken for."""
OPENAI_TYPES = MappingProxyType({401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"})


def openai_error(problem: Problem) -> dict[str, str | None]:
    """Say a problem as OpenAI does: its clients show the `message`. `param`: the first field that is wrong.

    >>> told = openai_error(problem_of(InputError("The question is blank.", cure="Ask something.")))
    >>> told["message"], told["type"], told["param"], told["code"]
    ('The question is blank. Ask something.', 'invalid_request_error', None, 'unworkable')
    """
    usual = "invalid_request_error" if problem.status < 500 else "server_error"
    field = FIELD.match(problem.reasons[0].removeprefix("body.")) if problem.reasons else None
    return {
        "message": sentences_of(problem),
        "type": OPENAI_TYPES.get(problem.status, usual),
        "param": field[0] if field else None,
        "code": problem.type.removeprefix(TYPE),
    }


def sentences_of(problem: Problem) -> str:
    """Say a problem to who reads nothing but a text: what it is, and what to do about it."""
    return " ".join(filter(None, (problem.detail, *problem.reasons, problem.cure)))


def response_of(error: RoveError, path: str) -> Response:
    """Make the reply that says an error to a request of this path."""
    headers: dict[str, str] = {}
    if isinstance(error, ThrottledError):
        headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    elif isinstance(error, ServiceError) and error.retryable:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    elif isinstance(error, UnknownCallerError | WrongPasswordError):
        headers["WWW-Authenticate"] = "Bearer"
    return _reply(problem_of(error), path, headers)


def too_slow() -> bytes:
    """Say to whom there is no request to reply to yet that it came too slowly."""
    detail, cure = "The request came too slowly.", "Send it again, over a quicker connection."
    return _problem_of_kind("too-slow", 408, detail, cure).model_dump_json().encode()


def handle_problems(app: FastAPI) -> None:
    """Make every error of an app a problem+json."""
    app.add_exception_handler(RoveError, _rove_error)
    app.add_exception_handler(OSError, _os_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ClientDisconnect, _client_closed_response)


def response_of_fault(error: Exception, request_id: str, path: str) -> Response:
    """Answer what nobody expected: without what it says, which stands in the log under the request's number."""
    log.error("unexpected error", exc_info=error, extra={"request": request_id})
    problem = _problem_of_kind("unexpected", 500, "The server made a mistake.", "See the server's log.")
    return _reply(problem, path)


def _rove_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, RoveError):
        raise error
    if isinstance(error, ConfigError):
        log.error("configuration", extra={"reason": error.reason})
    return response_of(error, request.url.path)


def _client_closed_response(request: Request, error: Exception) -> Response:
    """Nobody is there to read a reply: 499 is what the log calls it, as servers have since nginx."""
    del request, error
    return Response(status_code=499)


def _os_error(request: Request, error: Exception) -> Response:
    """A full disk, or no file more to open, is nobody's mistake in the request; nothing else is expected."""
    if isinstance(error, OSError) and error.errno in OUT_OF_FILES:
        log.error("out of files", extra={"reason": str(error)})
        return response_of(ServiceError(NO_FILES, cure=NO_FILES_CURE), request.url.path)
    if not isinstance(error, OSError) or error.errno not in FULL:
        raise error
    log.error("disk full", extra={"reason": str(error)})
    detail, cure = "There is no room on the server's disk.", "Whoever runs the server has to make room; then try again."
    return _reply(_problem_of_kind("disk-full", 507, detail, cure), request.url.path)


def _http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    detail = str(error.detail)
    if kind := BY_STATUS.get(error.status_code):
        return _reply(_problem_of_kind(kind, error.status_code, detail), request.url.path, error.headers or {})
    problem = Problem(title=detail, status=error.status_code, detail=detail)
    return _reply(problem, request.url.path, error.headers or {})


def _invalid(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    reasons = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:MAX_REASONS]]
    detail = "The request has the wrong shape."
    return _reply(
        _problem_of_kind("invalid", 422, detail, "See /openapi.json for the shape.", reasons), request.url.path
    )


def _problem_of_kind(kind: str, status: int, detail: str, cure: str = "", reasons: Sequence[str] = ()) -> Problem:
    return Problem(type=TYPE + kind, title=TITLES[kind], status=status, detail=detail, cure=cure, reasons=list(reasons))


def _reply(problem: Problem, path: str, headers: Mapping[str, str] | None = None) -> Response:
    told = problem.model_dump(exclude_defaults=True) | {"type": problem.type}
    if path.startswith(OPENAI):
        told["error"] = openai_error(problem)
    text = json.dumps(told, ensure_ascii=False)
    return Response(text.encode("utf-8", "replace"), problem.status, headers={**(headers or {})}, media_type=MEDIA_TYPE)
