"""The encoder as an ONNX graph with int8 products: what the package's engine computes, in other units.

Weights: int8 by output channel, within ±64, so that the sum of two products with 8-bit activations fits in 16 bits:
x86 processors without VNNI add in 16 bits and would cut off more. Activations: 8 bits by tensor and text.

One hidden unit of each early layer answers to the first and last token with up to 60 where others reach 6. It would
coarsen the scale of all others, and costs most of what 8 bits cost. It is computed apart, in float32.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rove.models.e5.onnx_file import CONTRIB, ModelWriter
from rove.models.e5.weights import HEADS, HIDDEN, INNER, LAYERS, Weights

CONVERTER = 1
"""Raised whenever the graph changes, so that no older conversion is taken from the cache."""

EPSILON = 1e-12
LARGEST_WEIGHT = 64
LOUD_UNITS = (318, 1462, 354, 408, 778, 658, 1152, 413)
"""Of layers 0–7: measured on 40 texts of 13 sets and languages; the check on start would notice if they were others."""


def converted(weights: Weights) -> bytes:
    """Return the model: "embedded" (1, tokens, 384) float32 in; its one output has the same shape."""
    graph = _Encoder(weights)
    state = graph.normalised("embedded", "emb.ln")
    for layer in range(LAYERS):
        state = graph.layer(state, layer)
    return graph.model.bytes("embedded", state, (1, "tokens", HIDDEN), {"": 17, CONTRIB: 1})


class _Encoder:
    """Builds the graph layer by layer; a method's strings are names of tensors in it."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.model = ModelWriter()

    def layer(self, state: str, layer: int) -> str:
        name = f"l{layer}."
        heads = self._products(self._quantised(state), [f"{name}{part}" for part in "qkv"])
        (mixed,) = self.model.node(f"{CONTRIB}/MultiHeadAttention", heads, num_heads=HEADS)
        (attended,) = self._products(self._quantised(mixed), [f"{name}ao"])
        state = self.normalised(self._sum(state, attended), f"{name}aln")
        loud = LOUD_UNITS[layer : layer + 1]
        (inner,) = self._products(self._quantised(state), [f"{name}fi"], silent=loud)
        (active,) = self.model.node(f"{CONTRIB}/Gelu", [inner])
        (outer,) = self._products(self._quantised(active), [f"{name}fo"], inputs=INNER)
        if loud:
            outer = self._sum(outer, self._apart(state, name, loud))
        return self.normalised(self._sum(state, outer), f"{name}oln")

    def normalised(self, state: str, name: str) -> str:
        scale, shift = (self.model.constant(self.weights.vector(f"{name}.{part}")) for part in "wb")
        # The fused SkipLayerNormalization takes six times as long as this and an addition.
        return self.model.node("LayerNormalization", [state, scale, shift], axis=-1, epsilon=EPSILON)[0]

    def _sum(self, left: str, right: str) -> str:
        return self.model.node("Add", [left, right])[0]

    def _quantised(self, state: str) -> list[str]:
        return self.model.node("DynamicQuantizeLinear", [state], 3)

    def _products(
        self, quantised: Sequence[str], names: Sequence[str], *, inputs: int = HIDDEN, silent: Sequence[int] = ()
    ) -> list[str]:
        """Multiply by each of the matrices and add its bias; `silent` units give 0."""
        values, scale, zero = quantised
        results: list[str] = []
        for name in names:
            matrix, bias = self.weights.matrix(f"{name}.w", inputs), self.weights.vector(f"{name}.b").copy()
            matrix[list(silent)], bias[list(silent)] = 0, 0
            steps = np.maximum(np.abs(matrix).max(axis=1), 1e-6) / np.float32(LARGEST_WEIGHT)
            whole = np.rint(matrix / steps[:, None]).astype(np.int8)
            arrays = (whole.T, steps, np.zeros((), np.int8), bias)
            right, right_scale, right_zero, shift = (self.model.constant(array) for array in arrays)
            terms = [values, right, scale, right_scale, zero, right_zero, shift]
            results += self.model.node(f"{CONTRIB}/MatMulIntegerToFloat", terms)
        return results

    def _apart(self, state: str, name: str, units: Sequence[int]) -> str:
        """What these hidden units add to the layer's result, in float32."""
        chosen = list(units)
        into = self.weights.matrix(f"{name}fi.w", HIDDEN)[chosen].T
        out = self.weights.matrix(f"{name}fo.w", INNER)[:, chosen].T
        (inner,) = self.model.node("MatMul", [state, self.model.constant(into)])
        shifted = self._sum(inner, self.model.constant(self.weights.vector(f"{name}fi.b")[chosen]))
        (active,) = self.model.node(f"{CONTRIB}/Gelu", [shifted])
        return self.model.node("MatMul", [active, self.model.constant(out)])[0]
