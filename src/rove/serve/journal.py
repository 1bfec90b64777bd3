"""What happened: one line of JSON a request, and numbers for Prometheus. No question, no text, no key is in either."""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter as Tally
from dataclasses import dataclass
from datetime import UTC, datetime
from traceback import format_exception, format_tb
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import Scope

from rove.models.usage import Usage
from rove.tracing import shows_content

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
FAILED = 400
"""The least status of a request that has failed."""
STAGE_SECONDS = (0.0001, 0.0005, 0.001, *SECONDS)
STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
log = logging.getLogger("rove.serve.requests")


class JsonLines(logging.Formatter):
    """A record as one line of JSON: time, level, logger, message, and what was given as `extra`.

    Of an error its class and where it came from: its message can hold what was asked, and stands there only where
    `shows_content`.
    """

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "at": at,
            "level": record.levelname.lower(),
            "log": record.name,
            "event": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in STANDARD}
        if record.exc_info:
            line["trace"] = _trace(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False, default=str)


def log_json(level: int = logging.INFO) -> None:
    """Write the logs of this process as lines of JSON to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in ("httpx", "mcp", "uvicorn.access"):
        logging.getLogger(name).setLevel(logging.WARNING)


@dataclass(slots=True)
class Failure:
    """Requests of one route that ended with one status: how many, and the last of them by its time and number."""

    count: int = 0
    at: datetime | None = None
    request: str = ""


class Journal:
    """Notes requests; `text` gives the numbers in Prometheus' text format.

    For the status: `replies` by the first digit of theirs, `failures` by status and route, `usage` of chat models.
    """

    def __init__(self) -> None:
        self.started = datetime.now(UTC)
        self.replies: Tally[int] = Tally()
        self.failures: dict[tuple[int, str], Failure] = {}
        self.usage = Usage()
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "rove_requests", "Requests answered.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "rove_request_seconds",
            "Time until the whole reply was sent.",
            ("method", "route"),
            registry=self._registry,
            buckets=SECONDS,
        )
        self._stages = Histogram(
            "rove_stage_seconds",
            "Time of each operation of the engine, and of its stages; see rove.tracing.",
            ("stage",),
            registry=self._registry,
            buckets=STAGE_SECONDS,
        )
        self._timed: dict[str, Histogram] = {}  # finding one by its label costs more than all else
        self.streams = Gauge("rove_streams", "Event streams that are open.", registry=self._registry)
        self._shallow = Gauge(
            "rove_shallow_chunks",
            "Passages that can be found and that the embedder has yet to reach.",
            ("space",),
            registry=self._registry,
        )
        self._tokens = Counter(
            "rove_chat_tokens", "Tokens that chat models read and wrote.", ("direction",), registry=self._registry
        )

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """Note a request that is done; `status` 0: its client left before there was a reply."""
        route = getattr(scope.get("route"), "path", "") or ("/mcp" if scope["path"].startswith("/mcp") else "unknown")
        method = (
            scope["method"]
            if scope["method"] in {"GET", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS"}
            else "other"
        )
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)
        self.replies[status // 100] += 1
        if status >= FAILED:
            failure = self.failures.setdefault((status, route), Failure())
            failure.count, failure.at = failure.count + 1, datetime.now(UTC)
            failure.request = scope.get("rove.request", "")
        caller = scope.get("rove.caller")
        log.info(
            "request",
            extra={
                "request": scope.get("rove.request", ""),
                "method": method,
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 1),
                "key": caller.name if caller else "",
            },
        )

    def note_stage(self, name: str, seconds: float) -> None:
        """Note an operation or stage that is done. See `rove.tracing.watched`."""
        if name not in self._timed:
            self._timed[name] = self._stages.labels(name)
        self._timed[name].observe(seconds)

    def note_usage(self, usage: Usage) -> None:
        """Note what chat models have read and written."""
        self.usage += usage
        self._tokens.labels("read").inc(usage.input_tokens)
        self._tokens.labels("written").inc(usage.output_tokens)

    def note_shallow(self, space: str, chunks: int) -> None:
        """Note how many passages of a space the embedder has yet to reach."""
        self._shallow.labels(space).set(chunks)

    def text(self) -> bytes:
        """The numbers, in Prometheus' text format."""
        return generate_latest(self._registry)


def _trace(error: BaseException | None) -> str:
    """Write down an error and those that it came of, without their messages unless content may be shown."""
    if error is None:
        return ""
    if shows_content():
        return "".join(format_exception(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    stack = "".join(format_tb(error.__traceback__))
    return f"{_trace(before)}{stack}{type(error).__module__}.{type(error).__qualname__}\n"
