"""Where the sources are: folders are walked, files recognised by their content, and each is read in its turn."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from inspect import signature
from pathlib import Path, PurePath

from rove.argument_checks import check_id, own_fields
from rove.errors import InputError, RoveError
from rove.load import LOADERS, SUFFIXES, Loader, LoadOptions, kind_of_suffix
from rove.load.file_bytes import check_size, read_file
from rove.load.finish import finished_one
from rove.load.folder_files import LeftOut, folder_files
from rove.load.formats import CONVERTED, UNREAD
from rove.load.sniff import sniff
from rove.load.text import clean, is_binary, narrowed
from rove.records import Document, Source, Text, content_hash
from rove.records.metadata import stored_fields
from rove.records.source import Metadata, MetaValue

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
DEFAULT_MAX_BYTES = 256 << 20
PLAIN = LoadOptions()
PAGE, DATABASE, DATABASE_SCHEMA = "url", "database", "database-schema"
MAPPED = {"parquet", "posts"}  # kinds whose loaders need not hold a large file
SHEETS = ("csv", "xlsx", "xls", "ods", "parquet")
"""Kinds of files that hold tables."""
SCHEMA_MARK = "#schema"
AS_BYTES = {"json", "xml", "rtf", "eml", "mbox"}  # kinds whose loaders look at bytes, as of UTF-8
DATABASES = {"sqlite", "postgresql", "postgres", "mysql", "mariadb", "mssql", "oracle", "cockroachdb", "duckdb"}
PASSWORD = re.compile(r"^([^:/]+://[^:/@]*):[^/]*@")
UNSPELLED = re.compile(r"\\u(dc[89a-f][0-9a-f])")
USER = re.compile(r"^([^:/]+://)[^/@]*@")
_OUT_OF_MEMORY = re.compile(r"bad[_ ]alloc|allocate memory|out of memory", re.IGNORECASE)
"""What libraries in C say where they get no more memory: MKL, oneDNN, the C++ library, the system, ONNX Runtime."""


@dataclass(frozen=True, slots=True)
class Location:
    """One place that can be read: a file's path, or a text that the caller brings. Making one reads nothing.

    `uri` names it in the ledger; `kind` is the loader that its suffix names, "" where the content has to tell, `PAGE`
    and `DATABASE` for what has to be fetched from `address`, which may hold a password; `data` is what was fetched.
    `folder` is where a file lies in the folder that was given, "" for one that lies at its top or was given itself.
    """

    uri: str
    name: str
    kind: str = ""
    path: Path | None = None
    text: Text | None = None
    address: str = field(default="", repr=False)
    data: bytes | None = field(default=None, repr=False)
    metadata: Metadata = field(default_factory=dict[str, MetaValue])
    folder: str = ""

    @property
    def is_schema(self) -> bool:
        """Whether of a file with sheets only the description of its tables is wanted."""
        return (
            self.uri.endswith(SCHEMA_MARK)
            and self.path is not None
            and self.uri == f"{spelled(self.path)}{SCHEMA_MARK}"
        )

    @property
    def database(self) -> str:
        """What the tables of a file with sheets belong to: its folder."""
        return spelled(self.path.parent.name) if self.path else ""


def locate(
    inputs: Iterable[str | Path | Text | Location],
    ignore: Sequence[str] = (),
    left_out: LeftOut | None = None,
    *,
    follow_links: bool = True,
) -> list[Location]:
    """Return the places that `inputs` name, each once. A folder gives its files, without what to `ignore`.

    What does not exist is returned too: reading it says what is wrong. No file is opened. `left_out`, `follow_links`:
    see `folder_files`.
    """
    found: dict[str, Location] = {}
    left_out = left_out or LeftOut()
    for item in inputs:
        for location in _item_locations(item, ignore, left_out, follow_links=follow_links):
            found.setdefault(location.uri, location)
    return list(found.values())


def schema_location(address: str) -> Location:
    """Return the place that stands for how the tables of a database are made: `kb.add(schema_location("sqlite:///f"))`.

    Each table becomes a document of kind "schema", without its rows.
    """
    public = PASSWORD.sub(r"\1@", address)
    return Location(f"{public}{SCHEMA_MARK}", public, DATABASE_SCHEMA, address=address)


def schema_locations(address: str, ignore: Sequence[str] = ()) -> list[Location]:
    """Return the places of `schema_location`; of a folder, or a file, those of its sheets: a table of each becomes one.

    Raises:
        InputError: no sheet is there.
    """
    if URL.match(address):
        return [schema_location(address)]
    sheets = [one for one in locate([address], ignore) if one.kind in SHEETS]
    if not sheets:
        message = f"There are no sheets in {address}."
        raise InputError(message, cure=f"Give a folder with one of: {', '.join(SHEETS)}.", outcome="empty")
    return [replace(one, uri=f"{one.uri}{SCHEMA_MARK}") for one in sheets]


def read_place(location: Location, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Source:
    """Read the bytes of one place, and find out what they are. `max_bytes` is looked at before reading.

    Raises:
        InputError: "unreadable", "empty", "too-large" or "unsupported", with what to do about it.
    """
    if location.text is not None:
        return _source_of_text(location, location.text, max_bytes)
    if location.data is not None:
        kind = kind_of(location.data, location)
        return Source(location.uri, location.name, location.data, kind, location.metadata)
    if location.path is None:
        message = f"{location.uri!r} is an address of a kind that is not known."
        raise InputError(
            message, cure="Give http://, https://, or a database as in postgresql://.", outcome="unsupported"
        )
    data, mapped = read_file(location.path, location.uri, max_bytes)
    kind = kind_of(data, location)
    if mapped and kind not in MAPPED:
        data, mapped = mapped[:], None
    return Source(location.uri, location.name, data, kind, location.metadata, mapped=mapped)


def load_documents(source: Source, options: LoadOptions = PLAIN) -> Generator[Document, None, str]:
    """Yield the documents of `source`, by the loader that its kind names, with language and metadata filled in.

    `options` are for the loaders that heed them. Returned is the loader's remark, "" where it has none.

    Raises:
        InputError: see `Loader.load`; a parser's own error becomes "damaged".
        MemoryError: also where a library in C names that in words of its own.
        ConfigError: no loader has that name, or it needs an extra that is not installed.
    """
    if source.kind in CONVERTED:
        if options.convert is None:
            raise _unreadable_kind_error(source.name, source.kind)
        converted = options.convert(source)
        if converted.kind not in LOADERS.table:
            message = f"LibreOffice made of {source.name!r} what no loader reads."
            raise InputError(message, cure=UNREAD[source.kind].cure, outcome="unsupported")
        source = replace(converted, metadata={"converted_from": source.kind, **source.metadata})
    return (yield from read_by(_maker(source.kind)(options), source))


def read_by(loader: Loader, source: Source) -> Generator[Document, None, str]:
    """Yield the documents that a loader makes of `source`. See `load_documents`."""
    documents = loader.load(replace(source, data=narrowed(source.data)) if source.kind in AS_BYTES else source)
    try:
        while True:
            try:
                document = next(documents)
            except StopIteration as done:
                return str(done.value or "")
            yield finished_one(document, source)
    except (RoveError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - parsers fail on bad files in ways that they do not name
        if _OUT_OF_MEMORY.search(str(error)):
            raise MemoryError from error
        message = f"{source.name!r} could not be read as {source.kind}: {type(error).__name__}: {error}."
        raise InputError(message, cure="Open it in its own program and save it again.", outcome="damaged") from error


def spelled(path: str | Path) -> str:
    r"""Name a path by text that can be kept: a byte that is not UTF-8 is written out.

    >>> spelled(os.fsdecode(b"caf\xe9.txt"))
    'caf\\udce9.txt'
    """
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def path_spelled_as(name: str) -> Path:
    """Return the path of that name; where there is none, the one that `spelled` names so."""
    if UNSPELLED.search(name) and not os.path.lexists(name):
        return Path(UNSPELLED.sub(lambda found: chr(int(found[1], 16)), name))
    return Path(name)


def suffix_kind(name: str) -> str:
    """Return the loader that the suffix of a file's name stands for, else ""."""
    return kind_of_suffix(PurePath(name).suffix)


def kind_of(data: bytes, location: Location) -> str:
    """Return the loader's name for these bytes. Their content counts for more than the suffix.

    Only a loader of another package is chosen by the suffix: Rove does not know its format by its content.

    One of `formats.CONVERTED` is a kind too, though no loader reads it.

    Raises:
        InputError: "unsupported" - no loader reads this; "encrypted" - it needs a password.
    """
    kind = location.kind if location.kind in LOADERS.outside else sniff(data, location.kind)
    if not kind and not is_binary(data):
        return "text"
    if kind in LOADERS.names() or kind in CONVERTED:
        return kind
    if kind in UNREAD:
        raise _unreadable_kind_error(location.name, kind)
    raise _no_loader_error(location, f"a .{kind} file, which no loader reads" if kind else "of no known format")


@cache
def _maker(kind: str) -> Callable[[LoadOptions], Loader]:
    make = LOADERS.get(kind)
    return make if signature(make).parameters else lambda _: make()


def _item_locations(
    item: str | Path | Text | Location, patterns: Sequence[str], left_out: LeftOut, *, follow_links: bool
) -> Iterator[Location]:
    if isinstance(item, Location):
        given = own_fields(stored_fields(item.metadata), f"The metadata of {item.name!r}")
        yield replace(item, metadata=given) if item.metadata else item
    elif isinstance(item, Text):
        item = _storable(item)
        uri = item.id or f"text:{content_hash(item.kind, item.title, item.text)}"
        yield Location(uri, item.title or item.id or "text", item.kind, text=item)
    elif isinstance(item, str) and URL.match(item):
        yield _url_location(item)
    elif not str(item).strip():  # the empty path is the current directory's
        message = f"{item!r} names no file."
        raise InputError(message, cure='Name one; "." is the current folder.', outcome="unsupported")
    else:
        # abspath, not resolve: a link is named by where it stands
        path = path_spelled_as(os.path.abspath(Path(item).expanduser()))  # noqa: PTH100
        sheet = Path(str(path).removesuffix(SCHEMA_MARK))
        if sheet != path and not os.path.lexists(path):  # as the ledger names it
            yield replace(_file_location(sheet), uri=f"{spelled(sheet)}{SCHEMA_MARK}")
        elif _is_folder(path):
            for found in folder_files(path, patterns, left_out, follow_links=follow_links):
                inside = spelled(found.parent)[len(spelled(path)) :].strip(os.sep) if path in found.parents else ""
                yield replace(_file_location(found), folder=inside.replace(os.sep, "/"))
        else:
            yield _file_location(path)


def _storable(text: Text) -> Text:
    """Return a text with a title and metadata that can be kept, and sent to another process.

    Raises:
        InputError: its id cannot be kept as it is, or a field has a name of the system's.
    """
    if text.id:
        check_id(text.id, "The id")
    if text.kind != "text":
        check_id(text.kind, "The kind")
    title = clean(text.title)
    if not text.metadata and title == text.title:
        return text
    known = {"title": title, "type": text.kind} | ({"document_id": text.id, "source": text.id} if text.id else {})
    fields = own_fields(stored_fields(text.metadata), "The metadata of a Text", known)
    return replace(text, title=title, metadata=fields)


def _url_location(url: str) -> Location:
    """Name a page or a database; a password is used, and stands nowhere."""
    public = PASSWORD.sub(r"\1@", url)
    scheme = url.partition(":")[0].lower()
    if scheme in {"http", "https"}:
        return Location(USER.sub(r"\1", public), url.rpartition("/")[2] or url, PAGE, address=url)
    known = scheme.partition("+")[0] in DATABASES
    return Location(public, public, DATABASE if known else "", address=url)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # in a folder that is closed to us, or no path at all: reading it says so
        return False


def _file_location(path: Path) -> Location:
    return Location(spelled(path), spelled(path.name), suffix_kind(path.name), path=path)


def _source_of_text(location: Location, text: Text, max_bytes: int) -> Source:
    data = clean(text.text).encode("utf-8")
    check_size(repr(location.name), len(data), max_bytes)
    if text.kind not in LOADERS.names():
        raise _no_loader_error(location, f"of kind {text.kind!r}, which no loader reads")
    return Source(location.uri, location.name, data, text.kind, text.metadata, text.title, text.id)


def _no_loader_error(location: Location, what: str) -> InputError:
    message = f"{location.name!r} is {what}."
    cure = f"Convert it to one of: {', '.join(sorted(SUFFIXES))}, or to plain text."
    return InputError(message, cure=cure, outcome="unsupported")


def _unreadable_kind_error(name: str, kind: str) -> InputError:
    known = UNREAD[kind]
    message = f"{name!r} is {known.what}{'' if known.outcome == 'encrypted' else ', which is not read'}."
    more = " Or install LibreOffice: where it is, this is converted." if kind in CONVERTED else ""
    return InputError(message, cure=known.cure + more, outcome=known.outcome)
