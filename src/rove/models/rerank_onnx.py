"""Reranking by any cross-encoder in ONNX: a folder with `model.onnx` and `tokenizer.json`, as hubs export them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, cast

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from rove.errors import ConfigError
from rove.models import Embedder, KeptOfChunks, Vectors, free_cores
from rove.records import Hit
from rove.settings import RerankerSettings

MOST_TOKENS = 512
BATCH = 8


class OnnxReranker:
    """Reads question and passage together, and scores the pair. See `Reranker`.

    Inputs are given by name (`input_ids`, `attention_mask`, `token_type_ids`, where the graph has them); the score is
    the last column of the first output, which is the logit of "relevant" in models of one class and of two.

    Raises:
        ConfigError: no folder is set, or it does not hold the two files, or they cannot be read.
    """

    weight = 0.6

    def __init__(self, embedder: Embedder, kept: KeptOfChunks, settings: RerankerSettings) -> None:
        del embedder, kept
        folder = Path(settings.model).expanduser()
        self._files = {name: folder / name for name in ("model.onnx", "tokenizer.json")}
        missing = [str(file) for file in self._files.values() if not file.is_file()]
        if not settings.model or missing:
            message = f'The reranker "onnx" needs a folder with model.onnx and tokenizer.json, not {settings.model!r}.'
            raise ConfigError(message, cure="Set reranker.model to the folder of an exported cross-encoder.")
        self._threads = settings.threads or free_cores()
        self._loading = Lock()
        self._loaded: tuple[Any, Any] | None = None

    async def scores(self, question: str, hits: Sequence[Hit]) -> Vectors:
        """See `Reranker.scores`: logits."""
        texts = [hit.chunk.indexed_text for hit in hits]
        return await asyncio.to_thread(self._scores, question, texts) if texts else np.zeros(0, np.float32)

    def _scores(self, question: str, texts: Sequence[str]) -> Vectors:
        tokenizer, session = self._load()
        # Neighbours in length are run together, so that little is padded.
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        scores = np.zeros(len(texts), np.float32)
        names = [given.name for given in session.get_inputs()]
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            pairs = tokenizer.encode_batch([(question, texts[n]) for n in batch])
            fields = {
                "input_ids": [pair.ids for pair in pairs],
                "attention_mask": [pair.attention_mask for pair in pairs],
                "token_type_ids": [pair.type_ids for pair in pairs],
            }
            found = session.run(None, {name: np.array(fields[name], np.int64) for name in names})[0]
            scores[batch] = np.asarray(found, np.float32).reshape(len(batch), -1)[:, -1]
        return scores

    def _load(self) -> tuple[Any, Any]:
        with self._loading:
            if self._loaded is None:
                library = cast("Any", onnxruntime)
                options = library.SessionOptions()
                options.intra_op_num_threads = self._threads
                options.add_session_config_entry("session.intra_op.allow_spinning", "0")
                try:
                    tokenizer = cast("Any", Tokenizer).from_file(str(self._files["tokenizer.json"]))
                    session = library.InferenceSession(
                        str(self._files["model.onnx"]), options, providers=["CPUExecutionProvider"]
                    )
                except Exception as error:  # noqa: BLE001 - both libraries raise bare exceptions
                    message = f"The cross-encoder in {self._files['model.onnx'].parent} cannot be loaded: {error}."
                    raise ConfigError(message, cure="Export it again, as ONNX with its tokenizer.json.") from error
                tokenizer.enable_truncation(MOST_TOKENS, strategy="only_second")
                tokenizer.enable_padding()
                self._loaded = (tokenizer, session)
            return self._loaded
