"""Redaction: clients are told names of files, never their folders, and only cures that they can follow.

All callers are told the same, a server without keys included: it cannot know who stands behind a proxy. Whoever runs
it has the log and the command line, which say it all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator

from rove.records.ledger import UPLOADED
from rove.settings import Settings

UPLOAD = re.compile(rf"\A{UPLOADED}[^/]*/", re.S)
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)
FOLDERS = re.compile(
    r"""(?<![\w.:/\\~*#<\]-])(?:file://)?(?:[A-Za-z]:\\|\\\\|~[/\\]|/(?!v1/))(?:[^\s/\\'"`:;,<>|][^/\\\n'"`:;,<>|]*[/\\])+"""
)
"""The folders before a file's name, from the root on. A call of this server's, "/v1/…", is none."""
SERVER = re.compile(r'server (?:at|on socket) "[^"]*"(?: \([^)]*\))?(?:, port \d+)?')
"""How Postgres' client names the server that it asks."""
SERVICE = re.compile(r"\bhttps?://[^\s/'\"]+")
"""Where a service of a tool listens, which callers are not told."""
BASE = "the base"
CALLS = MappingProxyType(
    {
        "rove doctor": "POST /v1/spaces/SPACE/doctor",
        "rove export FILE": "GET /v1/spaces/SPACE/export",
        "rove inspect": "GET /v1/spaces/SPACE/documents",
        "rove tools list": "GET /v1/spaces/SPACE/tools",
        "rove walks replay ID": "GET /v1/spaces/SPACE/walks/ID",
        "rove walks show ID": "GET /v1/spaces/SPACE/walks/ID",
        "rove walks": "GET /v1/spaces/SPACE/walks",
    }
)
"""What does over HTTP what a command does. A command comes after those that begin with it."""
COMMAND = re.compile(r"`?\brove [a-z]|\bpip install\b|(?<!\S)--[a-z]")
ELSEWHERE = "On the server: "
_bases: dict[str, None] = {}


def hide(bases: Iterable[Settings]) -> None:
    """Name the bases that this process serves: the names of their folders and databases are not told either."""
    for base in bases:
        _bases.update(dict.fromkeys((str(base.path), str(base.folder.absolute()), str(base.folder.resolve()))))


def public_source(source: str) -> str:
    """Say where a document comes from, without the folders that it lies in on the server.

    >>> public_source("/srv/hr/handbook.pdf"), public_source("https://a.org/b"), public_source("upload:hr/notes.md")
    ('handbook.pdf', 'https://a.org/b', 'notes.md')
    """
    named = UPLOAD.sub("", source, count=1) if source.startswith(UPLOADED) else source
    if ADDRESS.match(named) and not re.match(r"[A-Za-z]:\\", named):
        return named
    file, mark, member = named.partition("#")
    return re.split(r"[/\\]", file)[-1] + mark + member


def public_text(text: str) -> str:
    """Say what the engine says, without folders of the server.

    >>> public_text("/srv/hr files/kb/catalog.sqlite cannot be read; see https://a.org/b or GET /v1/spaces/hr/ledger.")
    'catalog.sqlite cannot be read; see https://a.org/b or GET /v1/spaces/hr/ledger.'
    """
    for base in sorted(_bases, key=len, reverse=True):
        if base in text:
            inside = rf"(?:file://)?{re.escape(base + os.sep)}"
            text = re.sub(rf"{re.escape(base)}(?![\w-])", BASE, re.sub(inside, "", text))
    return FOLDERS.sub("", SERVER.sub("the database's server", text))


def public_cure(cure: str) -> str:
    """Say what to do about it: by a call where there is one, else where a command has to be given.

    >>> public_cure("Run: rove doctor"), public_cure("Run: pip install 'rove[pdf]'")
    ('Run: POST /v1/spaces/SPACE/doctor', "On the server: Run: pip install 'rove[pdf]'")
    """
    for command, call in CALLS.items():
        cure = re.sub(rf"`?\b{command}\b`?", call, cure)
    here = cure.startswith(ELSEWHERE) or not COMMAND.search(cure)
    return public_text(cure if here else ELSEWHERE + cure)


def without_places(note: str) -> str:
    """Say why a tool failed without where its service listens, and without folders of the server.

    >>> without_places("http://10.0.0.7:8080/load answered 500. Run: rove tools list")
    'the service/load answered 500. Run: GET /v1/spaces/SPACE/tools'
    """
    return public_cure(SERVICE.sub("the service", note)) if note else ""


Said = Annotated[str, AfterValidator(public_text)]
"""A sentence of the engine's in a reply: why something failed, or how it was made."""
Cure = Annotated[str, AfterValidator(public_cure)]
"""What to do about it."""
