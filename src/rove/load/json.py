"""JSON: records {id: {query, document, metadata}} and shapes like it; any other JSON is one document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from math import isfinite
from typing import cast

from rove.errors import InputError
from rove.load.markdown import markdown_sections
from rove.load.text import BOMS, clean, decode, require_text, stem
from rove.records import Document, Source, content_hash
from rove.records.source import MetaValue

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

IDS = ("id", "_id", "record_id", "doc_id")
TITLES = ("title", "query", "question")
TEXTS = ("document", "text", "contents", "content", "answer")
LINE_SUFFIXES = (".jsonl", ".ndjson")
MAX_NAMED = 10  # bad records that the error names; it counts them all
INT_RANGE = 1 << 63
CURE = "Give each record an id of its own and a 'document' or 'text' that is text."


class JsonLoader:
    """See `Loader`. A bad record loses only itself: the good ones are yielded, then a "partial" error names it."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`.

        Raises:
            InputError: also "partial", after the last good record: how many and which records were bad, and why.
        """
        if source.name.lower().endswith(LINE_SUFFIXES):
            yield from _Records(source).documents(_lines(source.data))
            return
        text = require_text(decode(source.data), source)
        try:
            tree = cast("Json", json.loads(text))
        except (ValueError, RecursionError) as error:
            if not _is_lines(text):
                message = f"{source.name!r} is no whole JSON: {error}."
                raise InputError(message, cure="Mend it at that place, or get the file again.") from error
            yield from _Records(source).documents(_lines(source.data))
            return
        records = _records_of(tree)
        if records is not None:
            yield from _Records(source).documents(records)
        else:
            yield _whole(source, tree)


@dataclass(frozen=True, slots=True)
class Entry:
    """One place in the file where a record should be; `problem` where there is none."""

    place: str
    value: Json = None
    key: str = ""
    problem: str = ""


@dataclass(slots=True)
class _Records:
    source: Source
    seen: set[str] = field(default_factory=set[str])
    bad: list[str] = field(default_factory=list[str])
    bad_count: int = 0
    good_count: int = 0

    def documents(self, entries: Iterable[Entry]) -> Iterator[Document]:
        for entry in entries:
            record = entry.value if isinstance(entry.value, dict) else {}
            text = _text(record)
            record_id = entry.key or _id(record, text)
            problem = entry.problem or self.problem(entry.value, record_id, text)
            if problem:
                self.bad_count += 1
                if len(self.bad) < MAX_NAMED:
                    self.bad.append(f"{entry.place}: {problem}")
                continue
            self.good_count += 1
            yield self.document(record, record_id, text)
        self.finish()

    def problem(self, value: Json, record_id: str, text: str) -> str:
        """Say what is wrong with a record; "" for a good one, whose id is then taken."""
        if not isinstance(value, dict):
            return f"a {type(value).__name__} where a record was expected"
        if not text.strip():
            return f"no text under any of {', '.join(TEXTS)}"
        if record_id in self.seen:
            return f"the id {record_id!r} occurs before"
        self.seen.add(record_id)
        return ""

    def document(self, record: dict[str, Json], record_id: str, text: str) -> Document:
        uri = f"{self.source.uri}#{record_id}"
        name = self.source.document_id
        fields = dict(_extra_fields(record))
        fields |= flatten(record.get("metadata"))
        return Document(
            document_id=f"{name}#{record_id}" if name else content_hash(uri),
            source=uri,
            kind="json",
            text=text,
            title=" ".join(_first(record, TITLES).split()),
            metadata=fields | {"record_id": record_id},
            sections=markdown_sections(text, setext=False),
        )

    def finish(self) -> None:
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


def flatten(value: Json, prefix: str = "") -> dict[str, MetaValue]:
    """Return nested metadata as one flat mapping: dots join names, lists become tuples of text, null is dropped.

    >>> flatten({"a": {"b": 1, "c": None}, "tags": ["x", 2]})
    {'a.b': 1, 'tags': ('x', '2')}
    """
    if isinstance(value, dict):
        flat: dict[str, MetaValue] = {}
        for name, inner in value.items():
            flat |= flatten(inner, f"{prefix}.{clean(name)}" if prefix else clean(name))
        return flat
    if not prefix or value is None:
        return {}
    if isinstance(value, list):
        return {prefix: tuple(_as_text(item) for item in value if item is not None)}
    if isinstance(value, float) and not isfinite(value):
        return {}
    if isinstance(value, int) and not -INT_RANGE <= value < INT_RANGE:
        return {prefix: str(value)}
    return {prefix: clean(value) if isinstance(value, str) else value}


def _lines(data: bytes) -> Iterator[Entry]:
    """Yield the records of JSON Lines, one line at a time."""
    stream = data if not any(data.startswith(mark) for mark, _ in BOMS) else decode(data).encode()
    for number, line in enumerate(BytesIO(stream), 1):
        if line.isspace():
            continue
        try:
            yield Entry(f"line {number}", cast("Json", json.loads(line)))
        except UnicodeDecodeError:
            yield _legacy_line(number, line)
        except (ValueError, RecursionError) as error:
            yield Entry(f"line {number}", problem=f"no whole JSON ({error})")


def _legacy_line(number: int, line: bytes) -> Entry:
    try:
        return Entry(f"line {number}", cast("Json", json.loads(decode(line))))
    except (InputError, ValueError, RecursionError) as error:
        return Entry(f"line {number}", problem=f"no whole JSON ({error})")


def _is_lines(text: str) -> bool:
    """Say whether the first line that is not blank is a JSON object by itself, and is not all there is."""
    first, _, rest = text.lstrip().partition("\n")
    try:
        return first.startswith("{") and bool(rest.strip()) and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _records_of(tree: Json) -> Iterable[Entry] | None:
    """Return the records where most of the values look like one, else None."""
    if isinstance(tree, dict):
        if _is_record(tree) and any(name in tree for name in (*IDS, *TITLES, "metadata")):
            return [Entry("the record", tree)]
        if _mostly_records(tree.values()):
            return [Entry(f"record {key!r}", value, key=clean(key)) for key, value in tree.items()]
    elif isinstance(tree, list) and _mostly_records(tree):
        return [Entry(f"record {number}", value) for number, value in enumerate(tree, 1)]
    return None


def _mostly_records(values: Iterable[Json]) -> bool:
    looks = [_is_record(value) for value in values]
    return sum(looks) * 2 >= len(looks) > 0


def _is_record(value: Json) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(name), str) for name in TEXTS)


def _text(record: Mapping[str, Json]) -> str:
    """The record's text; its title where the text is there and blank, so that the record can still be found."""
    text = _first(record, TEXTS)
    return text if text.strip() or not any(name in record for name in TEXTS) else _first(record, TITLES)


def _first(record: Mapping[str, Json], names: tuple[str, ...]) -> str:
    found = (value for name in names if isinstance(value := record.get(name), str) and value.strip())
    return clean(next(found, ""))


def _id(record: Mapping[str, Json], text: str) -> str:
    """The record's own id, else one that is made from what it says."""
    for name in IDS:
        value = record.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return clean(str(value))
    return content_hash(_first(record, TITLES), text)


def _extra_fields(record: Mapping[str, Json]) -> Iterator[tuple[str, MetaValue]]:
    """Yield the fields beside those that the document is made of, nested ones left out."""
    used = {next((n for n in names if isinstance(record.get(n), str) and record[n]), "") for names in (TITLES, TEXTS)}
    for name, value in record.items():
        nested = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, dict | list) for v in value))
        if name not in used and name not in IDS and not nested:
            yield from flatten(value, clean(name)).items()


def _as_text(item: Json) -> str:
    return clean(item if isinstance(item, str) else json.dumps(item, ensure_ascii=False))


def _whole(source: Source, tree: Json) -> Document:
    if tree in ({}, [], "", None):
        message = f"{source.name!r} holds an empty JSON value."
        raise InputError(message, cure="Give a file with text in it, or leave it out.", outcome="empty")
    return Document(
        document_id=source.document_id or content_hash(source.uri),
        source=source.uri,
        kind="json",
        text=clean(json.dumps(tree, ensure_ascii=False, indent=2)),
        title=stem(source),
    )
