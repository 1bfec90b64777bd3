"""What comes in with an export beside its documents: their vectors, and the files that they were read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rove.errors import InputError
from rove.ingest.batch import Batch
from rove.store import Vector
from rove.store.files import digest_of
from rove.store.originals import Offered
from rove.store.store import Store


class ImportedIds:
    """The ids of an export's documents, each with the number of its line.

    `made_from`: the names that ids were made from, by source, of files that had moved before.
    """

    def __init__(self) -> None:
        self.made_from: dict[str, str] = {}
        self._lines: dict[str, int] = {}

    def add(self, document_id: str, line: int) -> None:
        """Take note of the document of a line.

        Raises:
            InputError: an earlier line has a document of this id.
        """
        before = self._lines.setdefault(document_id, line)
        if before != line:
            message = f"{document_id!r} is the id of the document of line {before}."
            raise InputError(message, cure="Give the two documents ids of their own, and import it again.")


class ImportedOriginals:
    """Originals on their way in: what documents say that they were read from, and the files, put together in a folder.

    `add` and `claim` take what stands in an export; what it says of itself is believed only where the bytes agree.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._claims: dict[str, str] = {}
        self._files: dict[str, Path] = {}

    def claim(self, document_id: str, digest: str) -> None:
        """Note which file a document was read from, by its SHA-256 in hex."""
        self._claims[document_id] = digest

    def add(self, digest: str, data: bytes) -> None:
        """Add the next bytes of a file."""
        file = self._files.setdefault(digest, self._folder / str(len(self._files)))
        with file.open("ab") as target:
            target.write(data)

    def offered(self) -> list[Offered]:
        """The files, for each document that was read from one that is here and whole."""
        whole = {digest: file for digest, file in self._files.items() if _has_digest(file, digest)}
        return [Offered(name, digest, whole[digest]) for name, digest in self._claims.items() if digest in whole]

    def damaged(self, offered: Iterable[Offered]) -> list[str]:
        """The documents whose files are not among these: they are not here, or not whole."""
        return sorted(self._claims.keys() - {one.document_id for one in offered})


class ImportedVectors:
    """Vectors on their way in: those of the documents of a batch are kept at once, before the batch is embedded."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._vectors: dict[str, Vector] = {}
        self._tokens: dict[str, bytes] = {}

    def add(self, vectors: Mapping[str, Vector], tokens: Mapping[str, bytes]) -> None:
        """Add those of a document, by the keys of its chunks; what is known by a key already stays."""
        self._vectors.update({key: vector for key, vector in vectors.items() if key not in self._vectors})
        self._tokens.update({key: blob for key, blob in tokens.items() if key not in self._tokens})

    def kept(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield batches, each once what was added for it is kept. Blocks."""
        for batch in batches:
            self._store.vectors.put(self._vectors, self._tokens)
            self._vectors, self._tokens = {}, {}
            yield batch


def _has_digest(file: Path, digest: str) -> bool:
    with file.open("rb") as held:
        return digest_of(held) == digest
