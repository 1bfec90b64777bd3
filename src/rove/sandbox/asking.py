"""What a reading process asks of the one that started it: a file converted, which it has no right to do itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO

import msgspec

from rove.errors import InputError, ServiceError
from rove.load.sniff import sniff
from rove.records import Source
from rove.sandbox import Limits
from rove.sandbox.messages import ASKS, encoder, read_frame, write_frame
from rove.sandbox.office import convert

MOST = 100
"""Files that are converted for one source: an archive may hold many, and each takes a second or two."""


class Wish(msgspec.Struct, array_like=True):
    """A file to be converted."""

    name: str
    data: bytes


class ConversionReply(msgspec.Struct, array_like=True):
    """The file converted, or why it is not."""

    data: bytes = b""
    reason: str = ""
    cure: str = ""
    outcome: str = ""


_wish = msgspec.msgpack.Decoder(Wish)
_reply = msgspec.msgpack.Decoder(ConversionReply)


def ask(source: Source, tasks: BinaryIO, out: BinaryIO) -> Source:
    """Have a file converted, and wait for it.

    Raises:
        InputError: it could not be converted.
    """
    write_frame(out, encoder.encode(Wish(source.name, source.data)), ended=ASKS)
    frame = read_frame(tasks)
    if frame is None:
        raise SystemExit  # nobody is there any more
    reply = _reply.decode(frame.message)
    if reply.reason:
        raise InputError(reply.reason, cure=reply.cure, outcome=reply.outcome)
    return replace(source, data=reply.data, kind=sniff(reply.data, ""))


def convert_asked(message: bytes, asked: int, limits: Limits, stopped: Callable[[], bool]) -> bytes:
    """Convert what a reading process asks for; `asked` counts the files of its source, this one included.

    Raises:
        ServiceError: this is no question of a reading process.
    """
    try:
        wish = _wish.decode(message)
    except msgspec.MsgspecError as error:
        problem = f"A reading process asked for what is no file: {error}."
        raise ServiceError(problem, cure="Run the same again; if it stays so, report it.") from error
    if asked > MOST:
        reason = f"{wish.name!r} would be the {asked}th file of one source to be converted; {MOST} are."
        return encoder.encode(ConversionReply(b"", reason, "Unpack it, and add the files by themselves.", "too-large"))
    try:
        reply = ConversionReply(convert(wish.name, wish.data, limits, stopped))
    except InputError as error:
        reply = ConversionReply(b"", error.reason, error.cure, error.outcome)
    except OSError as error:
        reply = ConversionReply(
            b"", f"{wish.name!r} could not be converted: {error}.", "Make room on the disk.", "unreadable"
        )
    return encoder.encode(reply)
