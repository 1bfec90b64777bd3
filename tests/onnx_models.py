"""Real, tiny ONNX models in the layout of hubs: a cross-encoder and a classifier whose numbers are known by heart."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from rove.models.e5.onnx_file import ModelWriter, field


def cross_encoder(folder: Path) -> Path:
    """The logit is the mean over a pair's tokens of a number that each word has. Needs tokenizers."""
    _tokenizer(folder, {"[PAD]": 0, "[UNK]": 1, "harbour": 2, "night": 3, "apples": 4})
    model = ModelWriter()
    worth = model.constant(np.array([[0, 0, 1, 2, -3]], np.float32))
    (per_token,) = model.node("Gather", [worth, "input_ids"], axis=1)
    (mean,) = model.node("GlobalAveragePool", [per_token])
    (folder / "model.onnx").write_bytes(_written(model, mean, ("pairs", "mean")))
    return folder


def classifier(folder: Path) -> Path:
    """Three logits, the means over a text's tokens of three numbers that each word has. Needs tokenizers."""
    _tokenizer(folder, {"[PAD]": 0, "[UNK]": 1, "great": 2, "schlecht": 3, "很好": 4})
    model = ModelWriter()
    classes: list[str] = []
    for worth in ([0, 0, 0, 9, 0], [0, 1, 0, 0, 0], [0, 0, 9, 0, 9]):
        (per_token,) = model.node("Gather", [model.constant(np.array([worth], np.float32)), "input_ids"], axis=1)
        classes += model.node("GlobalAveragePool", [per_token])
    (logits,) = model.node("Concat", classes, axis=2)
    (folder / "model.onnx").write_bytes(_written(model, logits, ("texts", "classes")))
    (folder / "config.json").write_text(json.dumps({"id2label": {"0": "Negative", "1": "Neutral", "2": "Positive"}}))
    return folder


def _tokenizer(folder: Path, words: Mapping[str, int]) -> None:
    import tokenizers  # noqa: PLC0415 - not installed everywhere: who asks for a model skips without it

    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(dict(words), unk_token="[UNK]"))  # noqa: S106
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    folder.mkdir(exist_ok=True)
    made.save(str(folder / "tokenizer.json"))


def _written(model: ModelWriter, result: str, sizes: Sequence[str]) -> bytes:
    """As `ModelWriter.bytes`, with whole numbers (7) of two dimensions going in, and three coming out (1: float32)."""

    def value(name: str, kind: int, *sizes: str) -> bytes:
        shape = b"".join(field(1, field(2, size)) for size in sizes)
        return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))

    graph = b"".join(field(1, node) for node in model._nodes) + field(2, "graph")
    graph += b"".join(field(5, constant) for constant in model._constants)
    graph += field(11, value("input_ids", 7, sizes[0], "tokens")) + field(12, value(result, 1, "one", *sizes))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17))
