"""Writes an ONNX model as bytes: the few messages of onnx.proto3 that the graph needs, so that `onnx` is not needed.

Protocol buffers: a field is its number and wire type in one varint, then the value. See onnx.proto, release 1.16.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Attribute = int | float
Shape = Sequence[int | str]
KINDS = {"float32": 1, "int8": 3}
FLOAT = 1
CONTRIB = "com.microsoft"


def varint(value: int) -> bytes:
    r"""Encode a number of 0 or more, seven bits a byte, the lowest first.

    >>> varint(300)
    b'\xac\x02'
    """
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def field(number: int, value: float | str | bytes) -> bytes:
    """Encode one field: a varint, a float of 32 bits, or bytes with their length."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


class ModelWriter:
    """Collects nodes and constants in order; `bytes` closes the model."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, value: NDArray[np.float32] | NDArray[np.int8]) -> str:
        """Add an initialiser and return its name."""
        name = f"constant_{len(self._constants)}"
        shape = b"".join(field(1, size) for size in value.shape)
        data = np.ascontiguousarray(value).tobytes()
        self._constants.append(shape + field(2, KINDS[value.dtype.name]) + field(8, name) + field(9, data))
        return name

    def node(self, kind: str, inputs: Sequence[str], outputs: int = 1, **attributes: Attribute) -> list[str]:
        """Add a node and return the names of its outputs. `kind` is "Op", or "domain/Op"."""
        domain, _, operator = kind.rpartition("/")
        names = [f"{operator}_{len(self._nodes)}_{number}" for number in range(outputs)]
        message = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in names)
        message += field(4, operator) + b"".join(field(5, _encode_onnx_attribute(*item)) for item in attributes.items())
        self._nodes.append(message + field(7, domain))
        return names

    def bytes(self, sources: Mapping[str, Shape], results: Mapping[str, Shape], versions: Mapping[str, int]) -> bytes:
        """Return the model: `sources` go in, `results` come out, float32 of these shapes."""
        graph = b"".join(field(1, node) for node in self._nodes) + field(2, "graph")
        graph += b"".join(field(5, constant) for constant in self._constants)
        graph += b"".join(field(11, _encode_onnx_value_info(*source)) for source in sources.items())
        graph += b"".join(field(12, _encode_onnx_value_info(*result)) for result in results.items())
        opsets = (field(8, field(1, domain) + field(2, version)) for domain, version in versions.items())
        return field(1, 8) + field(2, "rove") + field(7, graph) + b"".join(opsets)


def _encode_onnx_attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    # A varint holds a negative number as its complement in 64 bits.
    return field(1, name) + field(3, value & (1 << 64) - 1) + field(20, 2)


def _encode_onnx_value_info(name: str, shape: Shape) -> bytes:
    sizes = b"".join(field(1, field(1, size) if isinstance(size, int) else field(2, size)) for size in shape)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, sizes)))
