"""Zip files that documents come in: opened only where they are safe to unpack."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO

from rove.errors import InputError
from rove.load.limits import check_inflated
from rove.load.text import OLE_MAGIC
from rove.records import Source

ENCRYPTED_MARK = "EncryptedPackage".encode("utf-16-le")
ENCRYPTED_FLAG = 1
MAX_PART_BYTES = 100 << 20
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
CURE = "Open it in its own program and save it again."


def open_container(source: Source) -> zipfile.ZipFile:
    """Open a document that is a zip file inside (docx, xlsx, odt, epub, …), once it is seen to be safe to unpack.

    A part never inflates past the size that the zip's directory declares (Python's zipfile stops there), so the sum
    of the declared sizes bounds the memory.

    Raises:
        InputError: "encrypted", "unsupported" (an old binary format), "damaged" or "too-large".
    """
    if source.data.startswith(OLE_MAGIC):
        if ENCRYPTED_MARK in source.data:
            message = f"{source.name!r} is protected by a password."
            raise InputError(message, cure="Save a copy without a password and add that.", outcome="encrypted")
        message = f"{source.name!r} is in an old binary format of Office."
        raise InputError(message, cure=f"Open it and save it as .{source.kind}.", outcome="unsupported")
    try:
        archive = zipfile.ZipFile(BytesIO(source.data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        message = f"{source.name!r} is not a complete {source.kind} file: {error}."
        raise InputError(message, cure=CURE) from error
    parts = archive.infolist()
    check_inflated(source.name, len(source.data), sum(part.file_size for part in parts), len(parts))
    if any(part.flag_bits & ENCRYPTED_FLAG for part in parts):
        message = f"{source.name!r} is protected by a password."
        raise InputError(message, cure="Save a copy without a password and add that.", outcome="encrypted")
    return archive


def read_part(archive: zipfile.ZipFile, part: zipfile.ZipInfo, name: str) -> bytes:
    """Return the bytes of a container's part, which errors call `name`.

    Raises:
        InputError: "damaged" or "too-large".
    """
    if part.file_size > MAX_PART_BYTES:
        message = f"{name!r} unpacks to {part.file_size} bytes; the limit is {MAX_PART_BYTES}."
        raise InputError(message, cure="Split the document.", outcome="too-large")
    try:
        return archive.read(part)
    except UNREADABLE as error:
        message = f"{name!r} cannot be unpacked: {error}."
        raise InputError(message, cure=CURE, outcome="damaged") from error
