"""A small transformer over a question and a passage's kept tokens: is it relevant, does it answer, and where?

After PreTTR (MacAvaney et al., SIGIR 2020) and SDR (Cohen et al., ACL 2022): a passage's token vectors are made and
made small at ingest, so that only a few thin layers are left to run when a question comes. One pass over

    start, the question's tokens, the passage's tokens

gives four numbers at each of them. At the start: relevance, answer, and the scores of no span; at the passage's tokens:
the scores of an answer that begins or ends there. How it is trained, and what it is worth: train/README.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rove.errors import ConfigError
from rove.models import Vectors
from rove.models.e5.interaction import BACK, POWER, Interaction, Packed, products
from rove.models.e5.onnx_file import CONTRIB, ModelWriter
from rove.models.e5.runtime import session
from rove.models.passage_reading import PassageReading, TokenSpan

MODEL = Path(__file__).with_name("reader.npz")
QUESTION_TOKENS = 64
PASSAGE_TOKENS = 512
"""Most that are read of a question and of a passage."""

START, QUESTION, PASSAGE = range(3)
RELEVANCE, ANSWER, BEGIN, END = range(4)
EPSILON = 1e-5
Weights = Mapping[str, Vectors]


@cache
def packaged() -> CrossReader:
    """Return the reader that is shipped; one serves all threads."""
    return CrossReader(MODEL, Interaction())


def first_token(spans: NDArray[np.int32], prefix_chars: int) -> int:
    """Return the first token behind a prefix of so many characters; `spans` are of `Tokenizer.spans`.

    >>> first_token(np.array([[0, 5], [6, 9], [9, 10]], np.int32), 6)
    1
    """
    return int(np.searchsorted(spans[:, 0], prefix_chars))


def characters(spans: NDArray[np.int32], found: TokenSpan) -> tuple[int, int]:
    """Return where a span of tokens stands in the text that `spans` (of `Tokenizer.spans`) are of.

    >>> characters(np.array([[0, 5], [6, 9], [9, 10]], np.int32), TokenSpan(1, 3, 0.0))
    (6, 10)
    """
    return int(spans[found.start, 0]), int(spans[found.end - 1, 1])


class CrossReader:
    """The model, ready. Threads may share one.

    Passages are read one by one: nothing is padded, and what is read in one does not depend on the others.
    """

    def __init__(self, path: Path, interaction: Interaction) -> None:
        """Load weights, float16, named as `train.reader_model` names them.

        Args:
            path: the .npz file.
            interaction: what packed the passages.

        Raises:
            ConfigError: the reader was trained on tokens of another projection.
        """
        with np.load(path) as file:
            self._weights = {name: np.asarray(file[name], np.float32) for name in file.files if name != "mark"}
            mark = file["mark"].tobytes()
        if mark != interaction.mark:
            message = f"The reader {path.name} was trained on tokens of another projection."
            raise ConfigError(message, cure="Train it anew: see train/README.md.")
        self._interaction = interaction
        self._near = _relative_position_bias(self._weights["distance"], PASSAGE_TOKENS)
        self._session = session(_Graph(self._weights).model())

    def read(self, question: Vectors, passages: Sequence[Packed]) -> list[PassageReading]:
        """Read each passage.

        Args:
            question: its tokens as `Interaction.project_query` returned them, (q, D) float32.
            passages: of each what `Interaction.project` returned.
        """
        asked = question[:QUESTION_TOKENS]
        return [self._read(asked, self._interaction.unpack(passage[:PASSAGE_TOKENS])) for passage in passages]

    def _read(self, question: Vectors, passage: Vectors) -> PassageReading:
        asked, given = len(question), len(passage)
        tokens: Vectors = np.zeros((1 + asked + given, passage.shape[1] + 4), np.float32)
        tokens[1 : 1 + asked, :-4] = question
        tokens[1 + asked :, :-4] = passage
        forth: Vectors = np.zeros(asked, np.float32)
        late = 0.0
        if asked and given:
            cosines = np.maximum(products(passage, question), 0)
            forth, back = cosines.max(axis=0), cosines.max(axis=1)
            late = float((forth**POWER).mean() + BACK * (back**POWER).mean())
            tokens[0, -4] = late
            tokens[1 : 1 + asked, -4] = forth
            tokens[1 + asked :, -4] = back
        kinds = np.repeat([START, QUESTION, PASSAGE], [1, asked, given])
        tokens[np.arange(len(tokens)), kinds - 3] = 1
        near: Vectors = np.zeros((1, len(self._near), len(tokens), len(tokens)), np.float32)
        near[0, :, 1 : 1 + asked, 1 : 1 + asked] = self._near[:, :asked, :asked]
        near[0, :, 1 + asked :, 1 + asked :] = self._near[:, :given, :given]
        found = self._session.run(None, {"tokens": tokens[None], "near": near})
        read = cast("list[NDArray[np.float32]]", found)[0][0]
        start, own = read[0], read[1 + asked :]
        no_span = float(start[BEGIN] + start[END])
        relevance, answer = float(start[RELEVANCE]), float(start[ANSWER])
        return PassageReading(relevance, answer, own[:, BEGIN], own[:, END], no_span, late, forth)


def _relative_position_bias(distance: Vectors, most: int) -> Vectors:
    """Return what attention adds for tokens of one side by their distance, (heads, most, most).

    `distance`, (heads, 2 reach + 1), has a value for each distance from -reach to reach; beyond, the outermost holds.
    """
    reach = distance.shape[1] // 2
    places = np.arange(most)
    return distance[:, np.clip(places[None] - places[:, None], -reach, reach) + reach]


class _Graph:
    """Builds the ONNX graph; a method's strings are names of tensors in it."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._model = ModelWriter()

    def model(self) -> bytes:
        heads, layers = len(self._weights["distance"]), sum(name.endswith("mix.weight") for name in self._weights)
        (state,) = self._products("tokens", "enter")
        for layer in range(layers):
            name = f"layers.{layer}"
            even = self._normalised(state, f"{name}.attention_norm")
            sides = self._products(even, *(f"{name}.{side}" for side in ("query", "key", "value")))
            (mixed,) = self._model.node(f"{CONTRIB}/MultiHeadAttention", [*sides, "", "", "near"], num_heads=heads)
            state = self._sum(state, *self._products(mixed, f"{name}.mix"))
            (inner,) = self._products(self._normalised(state, f"{name}.inner_norm"), f"{name}.inner")
            (active,) = self._model.node("Relu", [inner])
            state = self._sum(state, *self._products(active, f"{name}.outer"))
        (result,) = self._products(self._normalised(state, "last_norm"), "heads")
        entered = self._weights["enter.weight"].shape[1]
        inputs = {"tokens": (1, "tokens", entered), "near": (1, heads, "tokens", "tokens")}
        return self._model.bytes(inputs, {result: (1, "tokens", 4)}, {"": 17, CONTRIB: 1})

    def _sum(self, left: str, right: str) -> str:
        return self._model.node("Add", [left, right])[0]

    def _normalised(self, state: str, name: str) -> str:
        scale, shift = (self._model.constant(self._weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self._model.node("LayerNormalization", [state, scale, shift], axis=-1, epsilon=EPSILON)[0]

    def _products(self, state: str, *names: str) -> list[str]:
        found: list[str] = []
        for name in names:
            (product,) = self._model.node("MatMul", [state, self._model.constant(self._weights[f"{name}.weight"].T)])
            found.append(self._sum(product, self._model.constant(self._weights[f"{name}.bias"])))
        return found
