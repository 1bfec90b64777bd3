"""Embeds texts with the converted graph, one window of 512 tokens at a time on each thread.

A text's vector does not depend on what else is embedded with it, and nothing is padded: at 128 tokens and more, windows
one by one are as quick as batches of them. Each runs on one thread, so that none waits for, or spins beside, another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from rove.cached import cached_model, drop_cached
from rove.errors import ConfigError
from rove.models import Vectors
from rove.models.e5 import UnsuitableError, packaged
from rove.models.e5.encoder_graph import CONVERTER, PEAKS, converted
from rove.models.e5.tokens import Tokenizer
from rove.models.e5.weights import HIDDEN, POSITIONS, Weights

Result = TypeVar("Result")
CPU, CUDA = ("CPUExecutionProvider",), "CUDAExecutionProvider"
WINDOW_TOKENS = POSITIONS - 2
LEAST_COSINE = 0.98
CHECKED = (
    "Where does the cat sleep?",
    "Die Katze schläft auf dem Sofa, 12 Stunden am Tag.",
    "猫がソファーで寝ている。",
)
REFERENCE = Path(__file__).with_name("reference.npy")
"""The package's own vectors of `CHECKED`, as passages: (3, 384) float16."""


class E5Runtime:
    """The model, ready. Threads may share one."""

    def __init__(self, threads: int, weights: Path | None = None, device: str = "cpu") -> None:
        """Load, converting first where no conversion is cached, and check against the package's own vectors.

        Args:
            threads: how many texts are embedded at once.
            weights: the package's file, if not the installed one.
            device: "cpu", or "cuda", where the graph is of float32: no GPU has kernels for the products of the other.

        Raises:
            ConfigError: the installed onnxruntime knows no such device.
            UnsuitableError: the weights are unknown, or the graph cannot be run here or gives other vectors.
        """
        self._providers, self._whole = providers(device), device != "cpu"
        self._weights = packaged.weights() if weights is None else Weights(weights)
        vocabulary = packaged.vocabulary() if weights is None else self._weights.vocabulary()
        self.tokenizer = packaged.tokenizer() if weights is None else Tokenizer(vocabulary)
        self._ends = (vocabulary.begin, vocabulary.end)
        self._pool = ThreadPoolExecutor(threads, "e5") if threads > 1 else None
        self._start()

    def _start(self) -> None:
        name = self._cache_name()
        for is_last in (False, True):
            try:
                self._session = session(self._graph(name), self._providers, as_it_is=not self._whole)
                closest = float((self.embed(CHECKED, is_query=False) * np.load(REFERENCE)).sum(axis=1).min())
            except Exception as error:  # noqa: BLE001 - onnxruntime's errors share no other class
                trouble = f"ONNX Runtime {onnxruntime.__version__} does not run the converted weights: {error}"
            else:
                if closest >= LEAST_COSINE:
                    return
                trouble = f"the converted weights give other vectors here (cosine {closest:.3f})"
            drop_cached(name)
            if is_last:
                raise UnsuitableError(f"{trouble}.", cure="Install the onnxruntime that requirements/run.txt names.")

    def _graph(self, name: str) -> Path | bytes:
        peaks = None if self._whole else np.load(PEAKS).astype(np.float32)
        return cached_model(name, lambda: converted(self._weights, peaks))

    def _cache_name(self) -> str:
        made_of = f"{self._weights.checksum} {CONVERTER}{' float32' * self._whole}"
        return f"e5-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.onnx"

    def embed(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        """Return (n, 384) float32, unit length.

        A text of more than 510 tokens is cut into windows of 510. Its vector is the mean of theirs, weighted by their
        tokens.
        """
        rows = self._each(lambda text: _mean_window_vector(self._states(text, is_query)), texts)
        return np.stack(rows) if rows else np.zeros((0, HIDDEN), np.float32)

    def embed_with_tokens(self, texts: Sequence[str], *, is_query: bool) -> tuple[Vectors, list[Vectors]]:
        """Return what `embed` returns, and for each text (tokens, 384) float32, unit length, at no further pass.

        The tokens are the text's own: neither prefix nor window ends.
        """
        prefix = self.tokenizer.prefix_tokens[is_query]

        def both(text: str) -> tuple[Vectors, Vectors]:
            states = self._states(text, is_query)
            return _mean_window_vector(states), _window_token_vectors(states)[prefix:]

        rows = self._each(both, texts)
        vectors = np.stack([vector for vector, _ in rows]) if rows else np.zeros((0, HIDDEN), np.float32)
        return vectors, [tokens for _, tokens in rows]

    def _each(self, function: Callable[[str], Result], texts: Sequence[str]) -> list[Result]:
        if self._pool is None or len(texts) < 2:
            return [function(text) for text in texts]
        return list(self._pool.map(function, texts))

    def _states(self, text: str, is_query: bool) -> list[Vectors]:
        """Return the last layer's states of each window."""
        ids = self.tokenizer.ids(text, is_query=is_query)
        return [self.hidden(ids[begin : begin + WINDOW_TOKENS]) for begin in range(0, len(ids), WINDOW_TOKENS)]

    def hidden(self, window: Sequence[int]) -> Vectors:
        """Return the last layer's state at every token of a window, its first and last included."""
        ids = np.array([self._ends[0], *window, self._ends[1]], np.int64)
        states = self._session.run(None, {"embedded": self._weights.embedded(ids)[None]})
        return cast("NDArray[np.float32]", states[0])[0]


def _mean_window_vector(states: Sequence[Vectors]) -> Vectors:
    """Average windows' averages, weighted by their tokens, at unit length."""
    total = np.zeros(HIDDEN, np.float32)
    for window in states:
        total += window.mean(axis=0) * np.float32(len(window) - 2)
    total /= np.linalg.norm(total)
    return total


def _window_token_vectors(states: Sequence[Vectors]) -> Vectors:
    own: Vectors = np.concatenate([window[1:-1] for window in states])
    return own / np.linalg.norm(own, axis=1, keepdims=True)


def providers(device: str) -> tuple[str, ...]:
    """Name what runs a graph on this device, the best first.

    Raises:
        ConfigError: the installed onnxruntime does not have it.
    """
    if device == "cpu":
        return CPU
    if CUDA not in cast("Any", onnxruntime).get_available_providers():
        message = (
            f"embedder.device is {device!r}, and the installed onnxruntime {onnxruntime.__version__} has no {CUDA}."
        )
        raise ConfigError(message, cure="Run: pip uninstall onnxruntime; pip install onnxruntime-gpu")
    return CUDA, *CPU


def session(model: Path | bytes, on: Sequence[str] = CPU, *, as_it_is: bool = False) -> Any:  # noqa: ANN401 - not typed
    """Make a graph ready to run on the caller's thread alone.

    `as_it_is`: it is as quick as it can be; the library looks for nothing to improve, which takes a fifth of the time.
    """
    library = cast("Any", onnxruntime)
    options = library.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Higher levels would fuse what is quicker apart: see `graph`.
    levels = library.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_DISABLE_ALL if as_it_is else levels.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    return library.InferenceSession(model, options, providers=list(on))
