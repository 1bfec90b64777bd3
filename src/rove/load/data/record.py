"""Records of named values (JSON, parquet): each that holds text is a document, and bad ones lose only themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rove.errors import InputError
from rove.load.markdown import markdown_sections
from rove.load.text import clean, stem
from rove.records import Document, Source, content_hash
from rove.records.metadata import stored_fields
from rove.records.source import MetaValue

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

IDS = ("id", "_id", "record_id", "doc_id")
TITLES = ("title", "query", "question")
TEXTS = ("document", "text", "contents", "content", "answer")
MAX_NAMED = 10  # bad records that the error names; it counts them all
CURE = "Give each record an id of its own and a 'document' or 'text' that is text."


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """One place in the file where a record should be; `problem` where there is none."""

    place: str
    value: Json = None
    key: str = ""
    problem: str = ""


@dataclass(slots=True)
class Records:
    """Makes documents of the records of one source; after the last one it raises what there is to say of the bad."""

    source: Source
    seen: set[str] = field(default_factory=set[str])
    bad: list[str] = field(default_factory=list[str])
    bad_count: int = 0
    good_count: int = 0

    def documents(self, entries: Iterable[RecordPlace]) -> Iterator[Document]:
        """Yield a document for each good record.

        Raises:
            InputError: after the last: "partial" where some were bad, "damaged" where all were, "empty" for none.
        """
        for entry in entries:
            record = entry.value if isinstance(entry.value, dict) else {}
            text = _record_text_or_title(record)
            record_id = entry.key or _record_id(record, text)
            problem = entry.problem or self._problem(entry.value, record_id, text)
            if problem:
                self.bad_count += 1
                if len(self.bad) < MAX_NAMED:
                    self.bad.append(f"{entry.place}: {problem}")
                continue
            self.good_count += 1
            yield self._document(record, record_id, text)
        self._finish()

    def _problem(self, value: Json, record_id: str, text: str) -> str:
        """Say what is wrong with a record; "" for a good one, whose id is then taken."""
        if not isinstance(value, dict):
            return f"a {type(value).__name__} where a record was expected"
        if not text.strip():
            return f"no text under any of {', '.join(TEXTS)}"
        if record_id in self.seen:
            return f"the id {record_id!r} occurs before"
        self.seen.add(record_id)
        return ""

    def _document(self, record: dict[str, Json], record_id: str, text: str) -> Document:
        uri = f"{self.source.uri}#{record_id}"
        name = self.source.document_id
        fields = dict(_extra_fields(record))
        if isinstance(more := record.get("metadata"), dict):
            fields |= stored_fields(more)
        return Document(
            document_id=f"{name}#{record_id}" if name else content_hash(uri),
            source=uri,
            kind=self.source.kind,
            text=text,
            title=" ".join(_first_string_field(record, TITLES).split()) or stem(self.source),
            metadata=fields | {"record_id": record_id},
            sections=markdown_sections(text, setext=False),
        )

    def _finish(self) -> None:
        """Raise what there is to say of the bad records."""
        if not self.bad_count and self.good_count:
            return
        if not self.bad_count:
            message = f"{self.source.name!r} holds no record."
            raise InputError(message, cure=CURE, outcome="empty")
        more = f" and {self.bad_count - len(self.bad)} more" if self.bad_count > len(self.bad) else ""
        total = self.bad_count + self.good_count
        message = f"{self.bad_count} of {total} records in {self.source.name!r} are bad: {'; '.join(self.bad)}{more}."
        raise InputError(message, cure=CURE, outcome="partial" if self.good_count else "damaged")


def is_record(value: Json) -> bool:
    """Say whether a value has a text under one of the names that records give it."""
    return isinstance(value, dict) and any(isinstance(value.get(name), str) for name in TEXTS)


def _record_text_or_title(record: Mapping[str, Json]) -> str:
    """The record's text; its title where the text is there and blank, so that the record can still be found."""
    text = _first_string_field(record, TEXTS)
    return text if text.strip() or not any(name in record for name in TEXTS) else _first_string_field(record, TITLES)


def _first_string_field(record: Mapping[str, Json], names: tuple[str, ...]) -> str:
    found = (value for name in names if isinstance(value := record.get(name), str) and value.strip())
    return clean(next(found, ""))


def _record_id(record: Mapping[str, Json], text: str) -> str:
    """The record's own id, else one that is made from what it says."""
    for name in IDS:
        value = record.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return clean(str(value))
    return content_hash(_first_string_field(record, TITLES), text)


def _extra_fields(record: Mapping[str, Json]) -> Iterator[tuple[str, MetaValue]]:
    """Yield the fields beside those that the document is made of, nested ones left out."""
    used = {next((n for n in names if isinstance(record.get(n), str) and record[n]), "") for names in (TITLES, TEXTS)}
    for name, value in record.items():
        nested = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, dict | list) for v in value))
        if name not in used and name not in IDS and not nested:
            yield from stored_fields({name: value}).items()
