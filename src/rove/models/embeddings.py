"""The reply of an OpenAI-shaped embeddings endpoint, checked before a number of it is used."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rove.errors import ConfigError, ServiceError
from rove.foreign import read_json
from rove.models import Vectors

CURE = "Is this an OpenAI-shaped embeddings endpoint, with an embedding model?"


def read_embeddings(reply: bytes, count: int, dimension: int, origin: str) -> Vectors:
    """Return (count, dimension) float32, unit length, in the order of `index`; floats or base64 alike.

    >>> read_embeddings(b'{"data": [{"index": 0, "embedding": [3, 4]}]}', 1, 2, "test").round(1).tolist()
    [[0.6000000238418579, 0.800000011920929]]

    Raises:
        ServiceError: not JSON (retryable), or JSON of another shape, count or with numbers that are not finite.
        ConfigError: the vectors have another dimension than the settings say.
    """
    vectors = np.zeros((count, dimension))
    filled: set[int] = set()
    for place, item in enumerate(_parse_embedding_items(reply, origin)):
        index = item.get("index", place)
        vector = _decode_embedding_value(item.get("embedding"), origin)
        if not isinstance(index, int) or not 0 <= index < count or index in filled:
            raise _embedding_reply_error(origin, f"its indices do not match {count} texts")
        if len(vector) != dimension:
            message = f"{origin} gave vectors of length {len(vector)}; the settings say {dimension}."
            raise ConfigError(message, cure=f"Set embedder.dimension to {len(vector)}.")
        filled.add(index)
        vectors[index] = vector
    if len(filled) != count:
        raise _embedding_reply_error(origin, f"it holds {len(filled)} vectors for {count} texts")
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all() or not largest.all():
        raise _embedding_reply_error(origin, "a vector is zero or holds a number that is not finite")
    vectors /= largest  # so that no square overflows
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _parse_embedding_items(reply: bytes, origin: str) -> list[Mapping[str, object]]:
    try:
        tree = read_json(reply, nan=True)
    except ValueError:
        message = f"{origin} answered with something that is not JSON."
        raise ServiceError(message, cure=CURE, retryable=True) from None
    data = cast("Mapping[str, object]", tree).get("data") if isinstance(tree, dict) else None
    items = cast("list[object]", data) if isinstance(data, list) else []
    if not items or not all(isinstance(item, dict) for item in items):
        raise _embedding_reply_error(origin, 'it has no list "data" of objects')
    return cast("list[Mapping[str, object]]", items)


def _decode_embedding_value(value: object, origin: str) -> NDArray[np.float64]:
    try:
        if isinstance(value, str):
            return np.frombuffer(base64.b64decode(value, validate=True), "<f4").astype(np.float64)
        if isinstance(value, list):
            return np.array(cast("list[float]", value), np.float64).reshape(-1)
    except (binascii.Error, OverflowError, ValueError, TypeError):
        pass
    raise _embedding_reply_error(origin, "an embedding is neither a list of numbers nor base64")


def _embedding_reply_error(origin: str, why: str) -> ServiceError:
    return ServiceError(f"The reply of {origin} cannot be used: {why}.", cure=CURE, retryable=False)
