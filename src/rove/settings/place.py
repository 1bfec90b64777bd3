"""Where a base lives: in a folder of this machine, or in a database that several machines share."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from pydantic import BeforeValidator, PlainSerializer

SCHEMES = {"postgresql": "postgresql", "postgres": "postgresql"}
"""What an address of a database begins with, and the kind of database that it means."""
SCHEMA = "rove"
SCHEME = re.compile(r"[a-z][a-z0-9+.-]+://", re.I)


@dataclass(frozen=True)
class Address:
    """The address of a base in a database: "postgresql://user@host:5432/database?schema=hr".

    `str` of it leaves out the password, which only `whole` has.

    Raises:
        ValueError: it is no such address.
    """

    whole: str = field(repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.whole)
        if parts.scheme not in SCHEMES:
            known = " or ".join(f"{scheme}://" for scheme in SCHEMES)
            message = f"a base in a database begins with {known}, not {parts.scheme}://"
            raise ValueError(message)
        _ = parts.port  # a ValueError of its own
        if not parts.path.strip("/"):
            message = f"{self} names no database: write it like postgresql://user@host:5432/database"
            raise ValueError(message)

    def __str__(self) -> str:
        parts = urlsplit(self.whole)
        user = f"{parts.username}@" if parts.username else ""
        at = parts.netloc.rpartition("@")[2]
        query = {name: value for name, value in self._query.items() if name != "password"}
        return urlunsplit((self.kind, f"{user}{at}", parts.path, urlencode(query, safe="/"), ""))

    @property
    def kind(self) -> str:
        """The kind of database: "postgresql"."""
        return SCHEMES.get(urlsplit(self.whole).scheme, urlsplit(self.whole).scheme)

    @property
    def url(self) -> str:
        """The database, with the password and without what is Rove's own."""
        parts = urlsplit(self.whole)
        query = {name: value for name, value in self._query.items() if name != "schema"}
        return urlunsplit((self.kind, parts.netloc, parts.path, urlencode(query, safe="/"), ""))

    @property
    def schema(self) -> str:
        """The schema that has the base's tables: a database can hold many bases."""
        return self._query.get("schema") or SCHEMA

    @cached_property
    def base(self) -> tuple[str, str, int | None, str, str]:
        """What tells this base from others, whoever asks for it: kind, host, port, database, schema."""
        parts = urlsplit(self.whole)
        host = parts.hostname or self._query.get("host", "")
        return self.kind, host, parts.port, parts.path.strip("/"), self.schema

    @property
    def folder(self) -> Path:
        """This machine's folder for the base: what a search starts from, and uploads that wait."""
        name = re.sub(r"[^\w.-]+", "-", f"{Path(self.base[1]).name or 'local'}-{self.base[3]}-{self.schema}")
        return data_folder() / f"{name}-{sha256(repr(self.base).encode()).hexdigest()[:12]}"

    @property
    def _query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.whole).query))


def data_folder() -> Path:
    """`$ROVE_DATA`, else the platform's folder for what programs keep."""
    if named := os.environ.get("ROVE_DATA"):
        return Path(named).absolute()
    if sys.platform == "darwin":
        return Path("~/Library/Application Support/rove").expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")).expanduser() / "rove" / "data"
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "rove"


def place_of(given: str | Path | Address, beside: Path | None = None) -> Path | Address:
    """Return what is meant: an address where it begins as one, else a folder, seen from `beside`.

    Raises:
        ValueError: it begins as an address, and is none.

    >>> place_of("kb", Path("/srv")), str(place_of("postgres://ann:secret@db/team"))
    (PosixPath('/srv/kb'), 'postgresql://ann@db/team')
    """
    if isinstance(given, Address):
        return given
    if isinstance(given, str) and SCHEME.match(given):
        return Address(given)
    return beside / given if beside else Path(given)


def _place_from_text(given: object) -> object:
    return place_of(given) if isinstance(given, str) else given


Place = Annotated[Path | Address, BeforeValidator(_place_from_text), PlainSerializer(str)]
"""Where a base lives, as settings name it."""
