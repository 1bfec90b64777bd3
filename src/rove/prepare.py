"""Stages 1 and 2 and what of 3 needs no model: a source is read, cut, and its words analysed. Pure: nothing is kept.

It runs in the process that asked for sources that our own code reads, and in `rove.sandbox` for all others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from rove.chunk.cut import cut
from rove.enrich.terms import chunk_terms
from rove.errors import InputError
from rove.load.discover import Location, load_documents, read
from rove.load.limits import OutOfTime
from rove.records import Document, Prepared, Source, SourceEnd, content_hash, vector_key


@dataclass(frozen=True, slots=True)
class Recipe:
    """How sources are read and cut: what of the settings a reading process needs to know, and no secret.

    `model` is the embedder's fingerprint; `pipeline` hashes all that decides what comes out of the same bytes.
    """

    model: str
    pipeline: str
    max_file_bytes: int = 256_000_000
    max_text_chars: int = 256_000_000
    strategy: Mapping[str, str] = field(default_factory=dict[str, str])
    size_chars: int = 512
    overlap_chars: int = 50
    separator: str = "\n"
    merge: bool = False


class Preparer:
    """Reads sources by one recipe."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    def read(
        self, location: Location, known: str = "", *, kinds: Collection[str] | None = None
    ) -> Iterator[Prepared | SourceEnd]:
        """Read one source: its documents as they come, and how it ended last. Nothing that a file holds raises.

        `known` is the fingerprint of what is live of it; where the source still has it, nothing is read. A source that
        turns out to be of another kind than `kinds` yields nothing.
        """
        kind = fingerprint = outcome = reason = cure = ""
        documents = chars = 0
        try:
            source = read(location, max_bytes=self.recipe.max_file_bytes)
            if kinds is not None and source.kind not in kinds:
                return
            kind, fingerprint = source.kind, self.fingerprint(source)
            if fingerprint == known:
                yield SourceEnd(location.uri, kind, fingerprint, unchanged=True)
                return
            for document in load_documents(source):
                documents += 1
                chars += len(document.text)
                self._check_length(location, chars)
                yield self.prepare(document, location.uri)
            if not documents:
                outcome, reason, cure = (
                    "empty",
                    f"{location.uri} holds no text.",
                    "Check that it is the file you meant.",
                )
        except InputError as error:
            outcome, reason, cure = error.outcome, error.reason, error.cure
        except OutOfTime:
            outcome, reason = "too-slow", f"{location.uri} took more time to read than one source may."
            cure = "Split it, or raise load.max_cpu_s in the settings."
        except MemoryError:
            outcome, reason = "too-large", f"{location.uri} needs more memory to read than one source may."
            cure = "Split it, or raise load.max_memory_mb in the settings."
        yield SourceEnd(location.uri, kind, fingerprint, outcome, reason, cure)

    def fingerprint(self, source: Source) -> str:
        """Hash all that decides what comes out of a source."""
        described = repr((source.kind, source.title, source.document_id, sorted(source.metadata.items())))
        return content_hash(self.recipe.pipeline, source.data, described)

    def prepare(self, document: Document, ledger_source: str) -> Prepared:
        """Cut a document into chunks and give them their terms and the names of their vectors."""
        recipe = self.recipe
        chunks = cut(
            document,
            strategy=recipe.strategy.get(document.kind, ""),
            size_chars=recipe.size_chars,
            overlap_chars=recipe.overlap_chars,
            separator=recipe.separator,
            merge=recipe.merge,
        )
        return Prepared(
            ledger_source=ledger_source,
            fingerprint=content_hash(recipe.pipeline, document.version),
            document=document,
            chunks=chunks,
            terms=[chunk_terms(chunk) for chunk in chunks],
            vector_keys=[vector_key(recipe.model, chunk.indexed_text) for chunk in chunks],
        )

    def _check_length(self, location: Location, chars: int) -> None:
        if chars > self.recipe.max_text_chars:
            message = f"{location.uri} holds more than {self.recipe.max_text_chars} characters of text."
            raise InputError(message, cure="Split it.", outcome="too-large")
