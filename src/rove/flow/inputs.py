"""The inputs of a run, checked before it begins."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rove.errors import InputError, meant
from rove.flow.definition import TYPES, Flow


def inputs_of(flow: Flow, given: Mapping[str, object]) -> dict[str, object]:
    """Return the inputs of a run, with their defaults; texts are read as numbers where these are wanted.

    Raises:
        InputError: one is missing, unknown, or of another type.

    >>> inputs_of(Flow("one"), {"question": "Who?"})
    {'question': 'Who?'}
    """
    for name in given:
        if name not in flow.input:
            message = f"The flow {flow.name!r} takes no {name!r}."
            raise InputError(message, cure=f"{meant(name, flow.input)}It takes: {', '.join(flow.input)}.")
    found: dict[str, object] = {}
    for name, spec in flow.input.items():
        value = given.get(name, spec.default)
        if value is None:
            message = f"The flow {flow.name!r} needs {name!r} ({spec.type})."
            raise InputError(message, cure=f"Give it: {name}=…")
        try:
            listed = (value,) if spec.type == "strings" and isinstance(value, str) else value
            found[name] = msgspec.convert(listed, TYPES[spec.type], strict=spec.type in ("string", "strings"))
        except msgspec.ValidationError as error:
            message = f"The input {name!r} is {value!r}, and no {spec.type}: {error}."
            raise InputError(message, cure=f"Give it a {spec.type}.") from error
    return found
