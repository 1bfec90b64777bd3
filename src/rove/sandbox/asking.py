"""What a reading process asks of the one that started it, and has no right to do: convert a file, send a recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO

import msgspec

from rove.errors import ConfigError, InputError, ServiceError
from rove.load.sniff import sniff
from rove.records import Source
from rove.records.moment import Speech
from rove.sandbox import Limits
from rove.sandbox.messages import ASKS, MAX_FRAME_BYTES, encoder, read_frame, write_frame
from rove.sandbox.office import convert

SPARE_BYTES = 10_000
MOST = 100
"""Files that are converted for one source: an archive may hold many, and each takes a second or two."""


class Wish(msgspec.Struct, array_like=True):
    """A file to be converted, or a recording to be `transcribed`."""

    name: str
    data: bytes
    transcribed: bool = False


class ConversionReply(msgspec.Struct, array_like=True):
    """The file converted, or what is said in it, or why it is not."""

    data: bytes = b""
    reason: str = ""
    cure: str = ""
    outcome: str = ""


_wish = msgspec.msgpack.Decoder(Wish)
_reply = msgspec.msgpack.Decoder(ConversionReply)


Transcribe = Callable[[str, bytes, Callable[[], bool]], Speech]
"""Sends a recording to an endpoint: its name, its bytes, and what says that nobody waits any more."""
_speech = msgspec.json.Decoder(Speech)


def ask(source: Source, tasks: BinaryIO, out: BinaryIO) -> Source:
    """Have a file converted, and wait for it.

    Raises:
        InputError: it could not be converted.
    """
    data = _reply_of(Wish(source.name, source.data), tasks, out)
    return replace(source, data=data, kind=sniff(data, ""))


def ask_speech(source: Source, tasks: BinaryIO, out: BinaryIO) -> Speech:
    """Have a recording transcribed by the endpoint, and wait for it.

    Raises:
        InputError: it could not be transcribed.
    """
    return _speech.decode(_reply_of(Wish(source.name, source.data, transcribed=True), tasks, out))


def _reply_of(wish: Wish, tasks: BinaryIO, out: BinaryIO) -> bytes:
    if len(wish.data) + SPARE_BYTES > MAX_FRAME_BYTES:
        reason = f"{wish.name!r} has {len(wish.data)} bytes: too many to be converted or sent."
        raise InputError(reason, cure="Make it smaller, or cut it up.", outcome="too-large")
    write_frame(out, encoder.encode(wish), ended=ASKS)
    frame = read_frame(tasks)
    if frame is None:
        raise SystemExit  # nobody is there any more
    reply = _reply.decode(frame.message)
    if reply.reason:
        raise InputError(reply.reason, cure=reply.cure, outcome=reply.outcome)
    return reply.data


def answer_wish(
    message: bytes, asked: int, limits: Limits, stopped: Callable[[], bool], transcribe: Transcribe | None = None
) -> bytes:
    """Do what a reading process asks for; `asked` counts the files of its source, this one included.

    Raises:
        ServiceError: this is no question of a reading process.
    """
    try:
        wish = _wish.decode(message)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        problem = f"A reading process asked for what is no file: {error}."
        raise ServiceError(problem, cure="Run the same again; if it stays so, report it.") from error
    if asked > MOST:
        reason = f"{wish.name!r} would be the {asked}th file of one source to be converted; {MOST} are."
        return encoder.encode(ConversionReply(b"", reason, "Unpack it, and add the files by themselves.", "too-large"))
    make = _transcribe_wish if wish.transcribed else _convert_wish
    return encoder.encode(make(wish, limits, stopped, transcribe))


def _convert_wish(
    wish: Wish, limits: Limits, stopped: Callable[[], bool], transcribe: Transcribe | None
) -> ConversionReply:
    del transcribe
    try:
        return ConversionReply(convert(wish.name, wish.data, limits, stopped))
    except InputError as error:
        return ConversionReply(b"", error.reason, error.cure, error.outcome)
    except OSError as error:
        reason = f"{wish.name!r} could not be converted: {error}."
        return ConversionReply(b"", reason, "Make room on the disk.", "unreadable")


def _transcribe_wish(
    wish: Wish, limits: Limits, stopped: Callable[[], bool], transcribe: Transcribe | None
) -> ConversionReply:
    del limits
    if transcribe is None:
        reason = f"{wish.name!r} is a recording, and workers reach no endpoint."
        cure = "Add it without load.workers, or install rove[audio] and set transcriber.name to whisper."
        return ConversionReply(b"", reason, cure, "unsupported")
    try:
        return ConversionReply(msgspec.json.encode(transcribe(wish.name, wish.data, stopped)))
    except InputError as error:
        return ConversionReply(b"", error.reason, error.cure, error.outcome)
    except (ConfigError, ServiceError) as error:
        return ConversionReply(b"", error.reason, error.cure, "service")
