"""The encoder as an ONNX graph with int8 matrix products, or float32 ones: it computes what the package's engine does.

Weights: int8 by output channel, within ±64, so that the sum of two products with 8-bit activations fits in 16 bits:
x86 processors without VNNI add in 16 bits and would cut off more. Activations: 8 bits, one scale for each tensor and
text.

One hidden unit of each early layer is an outlier: at the first and last token it reaches 60, where others reach 6. It
would coarsen the scale of all others, and cause most of the error of 8 bits. It is computed apart, in float32.

The largest values of a layer's other inputs differ too, up to thirtyfold. Each input is divided by a factor and its
weights multiplied by it, so that both lose alike (SmoothQuant with exponent 1/2, Xiao et al., ICML 2023).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from rove.models import Vectors
from rove.models.e5.onnx_file import CONTRIB, ModelWriter
from rove.models.e5.weights import HEADS, HIDDEN, INNER, LAYERS

CONVERTER = 2
"""Raised whenever the graph changes, so that no older conversion is taken from the cache."""

EPSILON = 1e-12
LARGEST_WEIGHT = 64
LOUD_UNITS = (318, 1462, 354, 408, 778, 658, 1152, 413)
"""The outlier of each of layers 0–7, measured on 40 passages in many languages."""

PEAKS = Path(__file__).with_name("peaks.npy")
"""Largest absolute value of each input on the same texts: (layer, attention | inner product, 384) float16."""


class EncoderWeights(Protocol):
    """The layers of an encoder of E5's architecture, by the names of the package's file: "l0.q.w", "emb.ln.b"."""

    def vector(self, name: str) -> Vectors:
        """Return a tensor of one dimension, float32."""
        ...

    def matrix(self, name: str, inputs: int) -> Vectors:
        """Return a matrix, (outputs, inputs) float32."""
        ...


def converted(weights: EncoderWeights, peaks: Vectors | None = None) -> bytes:
    """Return the model: "embedded" (1, tokens, 384) float32 in; its one output has the same shape.

    Args:
        weights: the layers'.
        peaks: the largest absolute value of each input, see `PEAKS`; without them its products are of float32.
    """
    graph = _Encoder(weights, peaks)
    state = graph.normalised("embedded", "emb.ln")
    for layer in range(LAYERS):
        state = graph.layer(state, layer)
    shape = (1, "tokens", HIDDEN)
    return graph.model.bytes({"embedded": shape}, {state: shape}, {"": 17, CONTRIB: 1})


class _Encoder:
    """Builds the graph layer by layer; a method's strings are names of tensors in it."""

    def __init__(self, weights: EncoderWeights, peaks: Vectors | None) -> None:
        self.weights = weights
        self.model = ModelWriter()
        self.peaks = peaks

    def layer(self, state: str, layer: int) -> str:
        name = f"l{layer}."
        heads = self._evened(state, [f"{name}{part}" for part in "qkv"], layer, 0)
        (mixed,) = self.model.node(f"{CONTRIB}/MultiHeadAttention", heads, num_heads=HEADS)
        (attended,) = self._products(self._quantised(mixed), [f"{name}ao"])
        state = self.normalised(self._sum(state, attended), f"{name}aln")
        loud = LOUD_UNITS[layer : layer + 1] if self.peaks is not None else ()
        (inner,) = self._evened(state, [f"{name}fi"], layer, 1, silent=loud)
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
        if self.peaks is None:
            return [state, "", ""]
        return self.model.node("DynamicQuantizeLinear", [state], 3)

    def _evened(
        self, state: str, names: Sequence[str], layer: int, place: int, *, silent: Sequence[int] = ()
    ) -> list[str]:
        """Multiply as `_products` does, with the inputs' ranges evened out between values and weights.

        `place`: 0 for the attention's inputs, 1 for the inner product's.
        """
        if self.peaks is None:
            return self._products([state, "", ""], names)
        heaviest = np.max([np.abs(self.weights.matrix(f"{name}.w", HIDDEN)).max(axis=0) for name in names], axis=0)
        factors = np.sqrt(self.peaks[layer, place] / np.maximum(heaviest, 1e-6)).astype(np.float32)
        (even,) = self.model.node("Mul", [state, self.model.constant(1 / factors)])
        return self._products(self._quantised(even), names, silent=silent, factors=factors)

    def _products(
        self,
        quantised: Sequence[str],
        names: Sequence[str],
        *,
        inputs: int = HIDDEN,
        silent: Sequence[int] = (),
        factors: Vectors | float = 1.0,
    ) -> list[str]:
        """Multiply by each of the matrices, times its inputs' factors, and add its bias; `silent` units give 0."""
        values, scale, zero = quantised
        results: list[str] = []
        for name in names:
            matrix, bias = self.weights.matrix(f"{name}.w", inputs) * factors, self.weights.vector(f"{name}.b").copy()
            matrix[list(silent)], bias[list(silent)] = 0, 0
            if self.peaks is None:
                (product,) = self.model.node("MatMul", [values, self.model.constant(matrix.T)])
                results.append(self._sum(product, self.model.constant(bias)))
                continue
            steps = (np.maximum(np.abs(matrix).max(axis=1), 1e-6) / LARGEST_WEIGHT).astype(np.float32)
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
