"""A model in a folder, as hubs export them: `model.onnx`, its `tokenizer.json`, and what its classes are called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, cast

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from rove.errors import ConfigError
from rove.models import Vectors, free_cores

MOST_TOKENS = 512
BATCH = 8
FILES = ("model.onnx", "tokenizer.json")


class OnnxFolder:
    """Runs a model over texts or pairs of texts; it is loaded when it is first used.

    Inputs are given by name: `input_ids`, `attention_mask`, `token_type_ids`, where the graph has them.

    Raises:
        ConfigError: the folder does not hold the two files.
    """

    def __init__(self, folder: str, *, what: str, setting: str, threads: int) -> None:
        """`what` and `setting` are for messages: 'The reranker "onnx"', "reranker.model"."""
        self.folder = Path(folder).expanduser()
        self._what, self._setting = what, setting
        if not folder or not all((self.folder / name).is_file() for name in FILES):
            message = f"{what} needs a folder with model.onnx and tokenizer.json, not {folder!r}."
            raise ConfigError(message, cure=f"Set {setting} to the folder of an exported model.")
        self._threads = threads or free_cores()
        self._loading = Lock()
        self._loaded: tuple[Any, Any] | None = None

    def logits(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> Vectors:
        """Run the model: (n, classes) float32, the first output. Blocks.

        Raises:
            ConfigError: the files cannot be read.
        """
        tokenizer, session = self._load()
        # Neighbours in length are run together, so that little is padded.
        order = sorted(range(len(texts)), key=lambda n: sum(map(len, texts[n])))
        rows: dict[int, Vectors] = {}
        names = [given.name for given in session.get_inputs()]
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            encoded = tokenizer.encode_batch([texts[n] for n in batch])
            fields = {
                "input_ids": [one.ids for one in encoded],
                "attention_mask": [one.attention_mask for one in encoded],
                "token_type_ids": [one.type_ids for one in encoded],
            }
            found = session.run(None, {name: np.array(fields[name], np.int64) for name in names})[0]
            rows.update(zip(batch, np.asarray(found, np.float32).reshape(len(batch), -1), strict=True))
        return np.stack([rows[n] for n in range(len(texts))]) if rows else np.zeros((0, 1), np.float32)

    def classes(self) -> list[str]:
        """What the classes are called by `config.json`, in their order; empty where it does not say."""
        try:
            config: dict[str, Any] = json.loads((self.folder / "config.json").read_text("utf-8"))
            names = {int(number): str(name) for number, name in config.get("id2label", {}).items()}
        except (OSError, ValueError, AttributeError):
            return []
        return [names[number] for number in sorted(names)]

    def _load(self) -> tuple[Any, Any]:
        with self._loading:
            if self._loaded is None:
                library = cast("Any", onnxruntime)
                options = library.SessionOptions()
                options.intra_op_num_threads = self._threads
                options.add_session_config_entry("session.intra_op.allow_spinning", "0")
                try:
                    tokenizer = cast("Any", Tokenizer).from_file(str(self.folder / "tokenizer.json"))
                    session = library.InferenceSession(
                        str(self.folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
                    )
                except Exception as error:  # noqa: BLE001 - both libraries raise bare exceptions
                    message = f"{self._what}: what is in {self.folder} cannot be loaded: {error}."
                    raise ConfigError(message, cure="Export it again, as ONNX with its tokenizer.json.") from error
                tokenizer.enable_truncation(MOST_TOKENS)  # of a pair the longer text gives way
                tokenizer.enable_padding()
                self._loaded = (tokenizer, session)
            return self._loaded
