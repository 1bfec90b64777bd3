"""Archives (zip, tar, gzip, bzip2, xz): each member is read by its own loader, as a document of its own."""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from io import BufferedIOBase, BytesIO
from pathlib import PurePosixPath, PureWindowsPath
from typing import IO, cast

from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.container import ENCRYPTED_FLAG
from rove.load.discover import DEFAULT_MAX_BYTES
from rove.load.limits import MAX_PARTS, check_inflated
from rove.load.members import Member, Members
from rove.load.system_files import lies_in_system
from rove.load.text import decode
from rove.records import Document, Source

DEFAULT = LoadOptions()
UTF8_NAME_FLAG = 0x800
STEP_BYTES = 1 << 20
CURE = "Get it again, or unpack it and add the files."
BAD_STREAM = (EOFError, OSError, zlib.error, lzma.LZMAError)
TAR_MAGIC = b"ustar"
TAR_SUFFIXES = {".tgz": ".tar", ".tbz2": ".tar", ".txz": ".tar"}


class ZipLoader:
    """See `Loader`. What a walk through a folder leaves out is left out here too."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.options = options

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        try:
            archive = zipfile.ZipFile(BytesIO(source.data))
            parts = archive.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            message = f"{source.name!r} is not a complete zip file: {error}."
            raise InputError(message, cure=CURE) from error
        check_inflated(source.name, len(source.data), sum(part.file_size for part in parts), len(parts))
        with archive:
            yield from Members(source, self.options).documents(_zip_members(archive))


class TarLoader:
    """See `Loader`. The archive is read once, from front to back, one member at a time."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.options = options

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        members = _tar_members(cast("IO[bytes]", BytesIO(source.data)), source)
        yield from Members(source, self.options).documents(members)


class GzipLoader:
    """See `Loader`. One file compressed by gzip, bzip2 or xz; where that is a tar, its members."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.options = options

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        try:
            is_tar = _inflate(source).read(512)[257:262] == TAR_MAGIC
        except BAD_STREAM as error:
            message = f"{source.name!r} is not a complete compressed file: {error}."
            raise InputError(message, cure=CURE) from error
        stream = cast("IO[bytes]", _BoundedStream(_inflate(source), source))
        members = _tar_members(stream, source) if is_tar else _only_member(stream, source)
        yield from Members(source, self.options).documents(members)


class _BoundedStream:
    """A stream that ends in an error where it unpacks to too much."""

    def __init__(self, stream: BufferedIOBase, source: Source) -> None:
        self.stream = stream
        self.source = source
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read1(STEP_BYTES if size < 0 else min(size, STEP_BYTES))
        self.count += len(data)
        check_inflated(self.source.name, len(self.source.data), self.count, 1)
        return data


def _inflate(source: Source) -> BufferedIOBase:
    data = BytesIO(source.data)
    if source.data.startswith(b"BZh"):
        return bz2.BZ2File(data)
    if source.data.startswith(b"\xfd7zXZ"):
        return lzma.LZMAFile(data)
    return gzip.GzipFile(fileobj=data)


def _zip_members(archive: zipfile.ZipFile) -> Iterator[Member]:
    parts = archive.infolist()
    for part, name in zip(parts, _zip_names(parts), strict=True):
        mode = part.external_attr >> 16
        if problem := _name_problem(name):
            yield Member(name, problem=problem)
        elif name.endswith("/") or lies_in_system(name):
            continue
        elif mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            yield Member(name, problem="it is a link or a device, which is not followed")
        elif part.flag_bits & ENCRYPTED_FLAG:
            yield Member(name, problem="it is protected by a password", outcome="encrypted")
        elif part.file_size > DEFAULT_MAX_BYTES:
            yield _too_large_member(name, part.file_size)
        else:
            yield _zip_member(archive, part, name)


def _zip_member(archive: zipfile.ZipFile, part: zipfile.ZipInfo, name: str) -> Member:
    try:
        return Member(name, archive.read(part))
    except NotImplementedError:
        return Member(name, problem=f"it is compressed by a method ({part.compress_type}) that is not known here")
    except (zipfile.BadZipFile, RuntimeError, ValueError, *BAD_STREAM) as error:
        return Member(name, problem=f"it is damaged ({error})", outcome="damaged")


def _zip_names(parts: list[zipfile.ZipInfo]) -> list[str]:
    """Return the members' names; those that are not marked as UTF-8 are in the code page that they look like."""
    old = [part.filename for part in parts if not part.flag_bits & UTF8_NAME_FLAG and not part.filename.isascii()]
    try:
        found = decode("\n".join(old).encode("cp437")).split("\n") if old else []
    except (InputError, UnicodeEncodeError):
        found = old
    mended = dict(zip(old, found, strict=False)) if len(found) == len(old) else {}
    marked = [bool(part.flag_bits & UTF8_NAME_FLAG) for part in parts]
    names = [p.filename if utf8 else mended.get(p.filename, p.filename) for p, utf8 in zip(parts, marked, strict=True)]
    return [name.replace("\\", "/") for name in names]  # as old programs of Windows write it


def _tar_members(stream: IO[bytes], source: Source) -> Iterator[Member]:
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for number, part in enumerate(archive):
                if number >= MAX_PARTS:
                    check_inflated(source.name, len(source.data), 0, number + 1)
                if not part.isdir() and not (lies_in_system(part.name) and not _name_problem(part.name)):
                    yield _tar_member(archive, part)
    except (tarfile.TarError, *BAD_STREAM) as error:
        message = f"{source.name!r} is not a complete archive: {error}."
        raise InputError(message, cure=CURE) from error


def _tar_member(archive: tarfile.TarFile, part: tarfile.TarInfo) -> Member:
    name = part.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if problem := _name_problem(name):
        return Member(name, problem=problem)
    if not part.isreg() or part.issparse():
        return Member(name, problem="it is a link, a device or a sparse file, which is not read")
    if part.size > DEFAULT_MAX_BYTES:
        return _too_large_member(name, part.size)
    stream = archive.extractfile(part)
    return Member(name, stream.read() if stream else b"")


def _only_member(stream: IO[bytes], source: Source) -> Iterator[Member]:
    path = PurePosixPath(source.name)
    name = path.stem + TAR_SUFFIXES.get(path.suffix.lower(), "")
    out = bytearray()
    try:
        while data := stream.read():
            out += data
            if len(out) > DEFAULT_MAX_BYTES:
                yield _too_large_member(name, len(out))
                return
    except BAD_STREAM as error:
        yield Member(name, bytes(out))
        message = f"{source.name!r} ends before its end: {error}."
        raise InputError(message, cure=CURE) from error
    yield Member(name, bytes(out))


def _name_problem(name: str) -> str:
    """Say what is wrong with a member's name; "" for one that stays within its archive."""
    windows, posix = PureWindowsPath(name), PurePosixPath(name)
    if ".." in windows.parts or posix.is_absolute() or windows.drive or windows.root:
        return "its name leads out of the archive"
    return ""


def _too_large_member(name: str, size: int) -> Member:
    message = f"it has {size} bytes; the limit is {DEFAULT_MAX_BYTES}"
    return Member(name, problem=message, outcome="too-large")
