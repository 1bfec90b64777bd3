"""A command put to the server that has the base open: what it prints is printed here, as it comes.

Where there is none, or it does not answer at once, the command is run here as ever, and nobody is told.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO, cast

from rove.registry import load
from rove.serve.local_calls.invitation import (
    CLIENT,
    CODE,
    HOST,
    MAX_LINE,
    SERVER,
    Invitation,
    environment_of,
    invitation_in,
    is_proof,
)

CONNECT_S, SILENT_S = 3.0, 15.0
"""How long a server may take to take a call, and how long it may say nothing while it answers one: it sends a beat."""
OTHERWISE = ("walk", "tools", "explain")
"""What of `rove ask` is run here: a walk can be interrupted, and a tool can act."""
DRAWN_BY = ("TERM", "COLORTERM", "NO_COLOR", "COLUMNS", "LINES")
FORCED = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
CUT_OFF = "The server ended before it had said all; ask again, or with --local."


def ask_server(
    name: str, kb: tuple[str, ...], setting: tuple[str, ...], values: Mapping[str, Any], *, as_json: bool
) -> int | None:
    """Have a server run a command, and print what it prints; returns its exit status.

    None where there is no such server, or it would not answer as this process does.
    """
    if len(kb) != 1 or any(values.get(one) for one in OTHERWISE) or any(one in os.environ for one in FORCED):
        return None
    try:
        folder = _folder_of_base(kb[0])
        invitation = invitation_in(folder) if folder else None
        if invitation is None or invitation.code != CODE:
            return None
        environment = environment_of(dict(os.environ))
        if invitation.environment != environment:
            return None
        request = {
            "command": name,
            "kb": kb[0],
            "setting": setting,
            "values": values,
            "as_json": as_json,
            "folder": os.getcwd(),  # noqa: PTH109 - a text
            "environment": environment,
            "terminal": _terminal(),
        }
        with socket.create_connection((HOST, invitation.port), timeout=CONNECT_S) as connection:
            return _print(_server_messages(connection, invitation, request))
    except (OSError, ValueError, RecursionError):  # the command itself says what is wrong
        return None


def _folder_of_base(location: str) -> Path | None:
    """The folder of a base; None of one in a database."""
    if "://" in location:
        return None
    if location.endswith(".toml"):
        file = Path(location)
        return file.parent / str(load("tomllib:loads")(file.read_text("utf-8")).get("path", "kb"))
    return Path(location)


def _server_messages(
    connection: socket.socket, invitation: Invitation, request: Mapping[str, object]
) -> Iterator[Mapping[str, Any]]:
    """Prove that the key is known, once the server has; then yield what it sends.

    Raises:
        OSError: it is silent, or has gone.
        ValueError: it is another.
    """
    lines = connection.makefile("rwb")
    word = secrets.token_urlsafe(16)
    lines.write(json.dumps({"space": invitation.space, "word": word}).encode() + b"\n")
    lines.flush()
    told: object = json.loads(lines.readline(MAX_LINE))
    hello = cast("dict[str, object]", told if isinstance(told, dict) else {})
    if not is_proof(hello.get("proof"), invitation.proof(SERVER, word)):
        message = "another has its port"
        raise ValueError(message)
    proof = invitation.proof(CLIENT, str(hello.get("word")))
    lines.write(json.dumps({**request, "proof": proof}).encode() + b"\n")
    lines.flush()
    connection.settimeout(SILENT_S)
    while line := lines.readline():
        yield json.loads(line)


def _print(pieces: Iterator[Mapping[str, Any]]) -> int | None:
    printed = False
    streams: dict[str, TextIO] = {"out": sys.stdout, "err": sys.stderr}
    try:
        for piece in pieces:
            if "status" in piece:
                return int(piece["status"])
            if "declined" in piece:
                return None
            for name, text in piece.items():
                if not _write_and_flush(streams[name], text):
                    return 0
                printed = True
    except (OSError, ValueError):
        if not printed:
            return None
    if not printed:
        return None
    sys.stderr.write(f"{CUT_OFF}\n")
    return 1


def _write_and_flush(stream: TextIO, text: str) -> bool:
    """Print at once; False where nobody reads it any more."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        return False
    return True


def _terminal() -> dict[str, object]:
    """What decides how rich would draw here."""
    environ = {name: os.environ[name] for name in DRAWN_BY if name in os.environ}
    width, height = 0, 0
    for stream in range(3):
        try:
            width, height = os.get_terminal_size(stream)
        except OSError:
            continue
        break
    width, height = (int(environ.get(name) or value) for name, value in (("COLUMNS", width), ("LINES", height)))
    if os.environ.get("TERM", "").lower() in {"dumb", "unknown"}:
        width, height = 80, 25
    return {
        "out": sys.stdout.isatty(),
        "err": sys.stderr.isatty(),
        "width": width or 80,
        "height": height or 25,
        "encoding": sys.stdout.encoding,
        "environ": environ,
    }
