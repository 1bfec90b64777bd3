"""Files within a file (an archive's members, a mail's attachments): each is read by its own loader, in its turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.discover import Location, kind_of, load_documents, suffix_kind
from rove.load.limits import MAX_DEPTH, Inflated, OutOfTime
from rove.load.text import clean
from rove.load.transcripts import Transcripts
from rove.records import Document, Source
from rove.records.source import Metadata, MetaValue

MAX_NAMED, HALF_CHARS = 10, 70
CURE = "Unpack it, mend or leave out what is named, and add the rest."


@dataclass(frozen=True, slots=True)
class Member:
    """A file within a file; `problem` says why it is not to be read, "" for one with `data`."""

    name: str
    data: bytes = b""
    problem: str = ""
    outcome: str = "unsupported"


@dataclass(slots=True)
class Members:
    """Reads the members of one source, and keeps account of those that could not be read.

    `found` is the number of documents that the source gave of its own, beside its members.
    """

    source: Source
    options: LoadOptions
    found: int = 0
    total: int = 0
    failed: list[str] = field(default_factory=list[str])
    outcomes: Counter[str] = field(default_factory=Counter[str])
    names: Counter[str] = field(default_factory=Counter[str])

    def documents(self, members: Iterator[Member], metadata: Metadata | None = None) -> Iterator[Document]:
        """Yield the documents of all members; `metadata` is put on them where they do not say otherwise themselves.

        Raises:
            InputError: after the last document, "partial" where not all could be read; else what was wrong with them,
                "empty" where there was none.
        """
        inflated = self.options.inflated or Inflated()
        transcripts = self.options.transcripts or Transcripts()
        inner = replace(self.options, depth=self.options.depth + 1, inflated=inflated, transcripts=transcripts)
        fields: dict[str, MetaValue] = {"parent": self.source.uri, **(metadata or {})}
        try:
            for member in members:
                self.total += 1
                try:
                    inflated.add(self.source.name, len(member.data))
                    for document in self._read(member, inner):
                        self.found += 1
                        yield replace(document, metadata={**fields, **document.metadata})
                except InputError as error:
                    self._note(member.name, error)
                    if inflated.is_full:
                        break
        except InputError as error:  # the source itself goes no further
            self._note("what follows", error)
        except OutOfTime:
            if self.options.depth or not self.found:
                raise
            message = "the time for one file was used up"
            self._note("what follows", InputError(message, outcome="too-large"))
        self._finish()

    def _read(self, member: Member, options: LoadOptions) -> Iterator[Document]:
        if member.problem:
            raise InputError(member.problem, outcome=member.outcome)
        if options.depth > MAX_DEPTH:
            message = f"it lies {options.depth} files deep; {MAX_DEPTH} are read"
            raise InputError(message, outcome="too-large")
        if not member.data:
            message = "it is empty (0 bytes)"
            raise InputError(message, outcome="empty")
        name = self._unique(clean(member.name).strip() or "unnamed")
        uri = f"{self.source.uri}#{name}"
        file_name = PurePosixPath(name).name or name
        kind = kind_of(member.data, Location(uri, file_name, suffix_kind(file_name)))
        document_id = f"{self.source.document_id}#{name}" if self.source.document_id else ""
        yield from load_documents(Source(uri, file_name, member.data, kind, document_id=document_id), options)

    def _unique(self, name: str) -> str:
        """Return `name`, under a number where an earlier member has the same."""
        self.names[name] += 1
        number = self.names[name]
        return name if number == 1 else f"{number}/{name}"

    def _note(self, name: str, error: InputError) -> None:
        self.outcomes[error.outcome] += 1
        if len(self.failed) < MAX_NAMED:
            self.failed.append(f"{_elide_member_text(clean(name))}: {_elide_member_text(error.reason.rstrip('.'))}")

    def _finish(self) -> None:
        """Raise what there is to say of members that could not be read."""
        count = self.outcomes.total()
        if not count and self.found:
            return
        if not count:
            message = f"{self.source.name!r} holds no file."
            raise InputError(message, cure="Give one with files in it, or leave it out.", outcome="empty")
        more = f"; and {count - len(self.failed)} more" if count > len(self.failed) else ""
        total = max(self.total, count)
        named = "; ".join(self.failed)
        message = f"{count} of {total} files in {self.source.name!r} could not be read whole: {named}{more}."
        outcome = "partial" if self.found else self.outcomes.most_common(1)[0][0]
        raise InputError(message, cure=CURE, outcome=outcome if self.found or outcome != "partial" else "damaged")


def _elide_member_text(text: str) -> str:
    """Return a text on one line, and without its middle where it is long: files in files name each other."""
    text = " ".join(text.split())
    return text if len(text) <= 2 * HALF_CHARS else f"{text[:HALF_CHARS]} … {text[-HALF_CHARS:]}"
