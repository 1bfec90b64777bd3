"""What every loader promises: documents with text and exact structure, or an error that says what is wrong."""

from __future__ import annotations

import random
from collections.abc import Iterable
from inspect import signature
from itertools import pairwise
from typing import ClassVar

import pytest

from rove.errors import InputError
from rove.load import LOADERS, Loader, LoadOptions
from rove.load.discover import read_by
from rove.records import Document, Source, content_hash
from rove.testing.contract import Contract

OUTCOMES = {"empty", "unreadable", "encrypted", "damaged", "too-large", "unsupported", "partial"}


class LoaderContract(Contract):
    """Inherit it, and give `name`, the kind of document that the loader reads, and `sample`, a file of it.

    `members`: the file holds files of other kinds, as an archive does. `closed`: half of a file cannot be read.
    """

    registry = LOADERS
    sample: ClassVar[bytes] = b""
    members: ClassVar[bool] = False
    closed: ClassVar[bool] = False

    def make(self) -> Loader:
        """Return the loader."""
        made = self.registered()
        return made(LoadOptions()) if signature(made).parameters else made()

    def read(self, data: bytes) -> list[Document]:
        """Read bytes as the engine does: an error of a parser's own counts as damage."""
        return list(read_by(self.make(), Source(f"/data/sample.{self.name}", f"sample.{self.name}", data, self.name)))

    def test_documents_hold_text_and_exact_structure(self) -> None:
        """Documents are named after their source; sections and pages lie within the text, in order; it can be kept."""
        documents = self.read(self.sample)
        assert documents
        assert len({document.document_id for document in documents}) == len(documents)
        for document in documents:
            self._check_names(document, f"/data/sample.{self.name}")
            self._check_text(document)
            self._check_structure(document)

    def _check_names(self, document: Document, uri: str) -> None:
        """The engine refuses a document that is not named after the place where it lies in its source."""
        assert document.source == uri or document.source.startswith(f"{uri}#"), document.source
        assert document.document_id in (content_hash(document.source), document.source), document.document_id

    def _check_text(self, document: Document) -> None:
        assert document.text.strip()
        assert document.kind == self.name or (self.members and document.kind in LOADERS.names())
        assert document.title
        assert "\r" not in document.text
        assert document.text.encode("utf-8")
        for value in document.metadata.values():
            assert isinstance(value, str | int | float | bool | tuple)

    def _check_structure(self, document: Document) -> None:
        text = document.text
        for section in document.sections:
            assert 0 <= section.span[0] < section.span[1] <= len(text)
            assert 1 <= section.level <= 6
            assert section.title in text[section.span[0] :].split("\n", 1)[0]
        assert [s.span[0] for s in document.sections] == sorted(s.span[0] for s in document.sections)
        for before, after in pairwise(document.pages):
            assert before.span[0] <= before.span[1] <= after.span[0] <= after.span[1] <= len(text)
            assert after.number == before.number + 1

    def test_the_same_bytes_give_the_same_documents(self) -> None:
        """Nothing but the bytes decides: no clock, no chance, no file beside them."""
        assert self.read(self.sample) == self.read(self.sample)

    @pytest.mark.parametrize("data", [b"", b" \n\t \r\n", b"\xef\xbb\xbf"], ids=["none", "blank", "mark"])
    def test_nothing_to_read_is_said(self, data: bytes) -> None:
        """A file without text is an error with a cure, never a blank document."""
        with pytest.raises(InputError) as caught:
            self.read(data)
        assert caught.value.outcome in {"empty", "damaged"}
        assert caught.value.cure

    @pytest.mark.parametrize("size", [2, 100, 65_000])
    def test_random_bytes_are_refused(self, size: int) -> None:
        """What is no file of this kind is said to be none."""
        with pytest.raises(InputError) as caught:
            self.read(bytes([0]) + random.Random(size).randbytes(size))
        assert caught.value.outcome in OUTCOMES
        assert caught.value.cure

    def test_truncated_and_bitten_input_ends_in_text_or_a_typed_error(self) -> None:
        """A file that was cut off, or of which bytes were changed, gives text or an `InputError`."""
        for data in (*self._cut(), *self._bitten()):
            try:
                documents = self.read(data)
            except InputError as error:
                assert error.outcome in OUTCOMES
                assert error.cure
            else:
                assert all(document.text.strip() for document in documents)

    def _cut(self) -> Iterable[bytes]:
        return (self.sample[: len(self.sample) * n // 12] for n in range(1, 12))

    def _bitten(self) -> Iterable[bytes]:
        chance = random.Random(7)
        for _ in range(40):
            bitten = bytearray(self.sample)
            for _ in range(8):
                bitten[chance.randrange(len(bitten))] = chance.randrange(256)
            yield bytes(bitten)

    def test_half_a_file_of_a_closed_format_is_damaged(self) -> None:
        """A format whose end tells where everything lies cannot be read without it, and that is said."""
        if self.closed:
            with pytest.raises(InputError) as caught:
                self.read(self.sample[: len(self.sample) // 2])
            assert caught.value.outcome == "damaged"
