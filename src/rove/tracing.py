"""Tracing: OpenTelemetry spans for operations and stages, and their durations for listeners.

Spans are recorded where the process has an SDK, e.g. by `opentelemetry-instrument rove serve`; nothing is imported for
it here, and without an SDK a stage costs less than a microsecond. A span holds names, numbers and the kind of an error.
Questions stand in it only where OpenTelemetry's own variable says so: see `shows_content`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

Attribute = str | int | float | bool
Watcher = Callable[[str, float], None]
"""Is told the name of each operation or stage that is done, and its seconds."""
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
SHOWN = frozenset({"true", "span_only", "span_and_event"})


class Stage(Protocol):
    """What is under way."""

    def tell(self, **attributes: Attribute) -> None:
        """Add attributes, each as `rove.<name>`."""
        ...

    def show(self, **attributes: str) -> None:
        """Add what users or documents say, if content may be shown."""
        ...


class _Unrecorded(AbstractContextManager["_Unrecorded"]):
    def __exit__(self, *exc: object) -> None:
        return None

    def tell(self, **attributes: Attribute) -> None:
        """See `Stage.tell`."""

    def show(self, **attributes: str) -> None:
        """See `Stage.show`."""


class _Recorded:
    def __init__(self, span: Span) -> None:
        self._span = span

    def tell(self, **attributes: Attribute) -> None:
        """See `Stage.tell`."""
        self._span.set_attributes(_rove_span_attributes(attributes))

    def show(self, **attributes: str) -> None:
        """See `Stage.show`."""
        if shows_content():
            self.tell(**attributes)


_UNRECORDED = _Unrecorded()
_watchers: list[Watcher] = []
_tracer: Tracer | None = None


def operation(name: str, **attributes: Attribute) -> AbstractContextManager[Stage]:
    """Open the span `rove.<name>` around something that the engine is asked for; an SDK that has come is noticed."""
    if _tracer is None:
        _look_for_sdk()
    return stage(name, **attributes)


def stage(name: str, **attributes: Attribute) -> AbstractContextManager[Stage]:
    """Open the span `rove.<name>`, with attributes `rove.<attribute>`, around a part of an operation.

    >>> with stage("fuse", lists=2) as fusing:
    ...     fusing.tell(hits=10)
    """
    if _tracer is None:
        return _time_stage(name) if _watchers else _UNRECORDED
    return _record_span(name, f"rove.{name}", _rove_span_attributes(attributes), "INTERNAL")


def embeddings(model: str, dimension: int, texts: int) -> AbstractContextManager[Stage]:
    """Open a span around a call to an embedder, by OpenTelemetry's conventions for generative AI; the stage "embed".

    Args:
        model: as a fingerprint names it: "provider:name"; without a provider the model runs in this process.
        dimension: of its vectors.
        texts: how many are embedded.
    """
    if _tracer is None:
        return _time_stage("embed") if _watchers else _UNRECORDED
    provider, _, name = model.rpartition(":")
    attributes: dict[str, Attribute] = {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": provider or "rove",
        "gen_ai.request.model": name,
        "gen_ai.embeddings.dimension.count": dimension,
        "rove.texts": texts,
    }
    return _record_span("embed", f"embeddings {name}", attributes, "CLIENT" if provider else "INTERNAL")


def recording() -> bool:
    """Say whether an SDK records spans."""
    return _tracer is not None


def shows_content() -> bool:
    """Say whether spans may hold what users ask and models write: `CONTENT` is "true" or names spans."""
    return os.environ.get(CONTENT, "").lower() in SHOWN


@contextmanager
def watched(watcher: Watcher) -> Generator[None]:
    """Tell a watcher of all that this process does, from any thread, until the block ends.

    >>> seen = []
    >>> with watched(lambda name, seconds: seen.append(name)), stage("fuse"):
    ...     pass
    >>> seen
    ['fuse']
    """
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def _look_for_sdk() -> None:
    """Take the tracer of the SDK that this process was given, if it was: it is given one at most."""
    global _tracer  # so that a stage costs no more than a look
    trace = sys.modules.get("opentelemetry.trace")
    if trace is not None and not isinstance(provider := trace.get_tracer_provider(), trace.ProxyTracerProvider):
        _tracer = provider.get_tracer("rove")


@contextmanager
def _time_stage(name: str) -> Generator[Stage]:
    began = perf_counter()
    try:
        yield _UNRECORDED
    finally:
        seconds = perf_counter() - began
        for watcher in _watchers:
            watcher(name, seconds)


@contextmanager
def _record_span(name: str, title: str, attributes: dict[str, Attribute], kind: str) -> Generator[Stage]:
    """Record a span. Of an error only its class is kept: its message can hold what was asked."""
    trace = sys.modules["opentelemetry.trace"]
    tracer = cast("Tracer", _tracer)
    with (
        _time_stage(name),
        tracer.start_as_current_span(
            title,
            kind=trace.SpanKind[kind],
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span,
    ):
        try:
            yield _Recorded(span)
        except Exception as error:
            span.set_attribute("error.type", type(error).__qualname__)
            span.set_status(trace.StatusCode.ERROR)
            raise
        except BaseException:
            span.set_attribute("rove.cancelled", value=True)
            raise


def _rove_span_attributes(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {f"rove.{name}": value for name, value in attributes.items()}
