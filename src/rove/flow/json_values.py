"""What steps give, as JSON and back to the last digit: it is kept, so that a run can be resumed."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
from msgspec import inspect
from numpy.typing import NDArray

from rove.errors import InputError
from rove.flow.value_types import Type
from rove.records.answer import with_new_verdicts


def value_json(value: object) -> bytes:
    """Write a value. Arrays of numbers keep their bytes.

    Raises:
        TypeError: it holds what cannot be written.
    """
    return msgspec.json.encode(value, enc_hook=_encode_custom_value)


def from_json(text: bytes | msgspec.Raw, kind: Type) -> Any:  # noqa: ANN401 - a value of that type
    """Read back what `value_json` wrote.

    Raises:
        InputError: it is no value of that type.
    """
    try:
        return msgspec.json.decode(with_new_verdicts(bytes(text).decode()), type=kind, dec_hook=_decode_custom_value)
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        message = f"What a step gave cannot be read: {error}."
        raise InputError(message, cure="Run the flow anew: the operator gives something else now.") from error


@cache
def can_be_kept(kind: Type) -> bool:
    """Say whether values of a type can be read back.

    >>> can_be_kept(tuple[int, ...]), can_be_kept(type[int])
    (True, False)
    """
    try:
        info = inspect.type_info(kind)
    except (TypeError, NameError):
        return False
    return all(
        one.cls is object or issubclass(_class(one.cls), np.ndarray | Path) for one in _custom_types_within(info, set())
    )


def _custom_types_within(info: inspect.Type, seen: set[int]) -> Iterator[inspect.CustomType]:
    """Return the types within a type that msgspec knows nothing of."""
    if id(info) in seen:
        return
    seen.add(id(info))
    within: Iterable[inspect.Type] = ()
    match info:
        case inspect.CustomType():
            yield info
        case inspect.DataclassType() | inspect.StructType() | inspect.NamedTupleType() | inspect.TypedDictType():
            within = [field.type for field in info.fields]
        case inspect.UnionType():
            within = info.types
        case inspect.TupleType():
            within = info.item_types
        case inspect.DictType():
            within = (info.key_type, info.value_type)
        case inspect.CollectionType():
            within = (info.item_type,)
        case _:
            return
    for one in within:
        yield from _custom_types_within(one, seen)


def _class(kind: Any) -> type:  # noqa: ANN401 - a class, or one with arguments
    return getattr(kind, "__origin__", kind)


def _encode_custom_value(value: object) -> object:
    match value:
        case np.ndarray():
            array = cast("NDArray[Any]", value)
            return [array.dtype.str, list(array.shape), base64.b64encode(array.tobytes()).decode()]
        case np.generic():
            return cast("object", value.item())
        case Mapping():
            return dict(cast("Mapping[object, object]", value))
        case Path():
            return str(value)
        case _:
            message = f"{type(value).__name__} cannot be kept"
            raise TypeError(message)


def _decode_custom_value(kind: type, value: Any) -> object:  # noqa: ANN401 - whatever stands there
    if issubclass(_class(kind), np.ndarray):
        dtype, shape, held = value
        return np.frombuffer(base64.b64decode(held), np.dtype(dtype)).reshape(shape)
    if kind is object:
        return value
    if issubclass(kind, Path):
        return Path(value)
    message = f"{kind.__name__} cannot be read"
    raise TypeError(message)
