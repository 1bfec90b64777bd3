"""The types of the tables in `rove.settings.tools`.

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from pydantic import SecretStr


class SqlToolTable(TypedDict, total=False):
    """The settings of `SqlToolSettings`, as a table."""

    sql: str
    """The statement; ":name" stands for a parameter's value, which is bound and never pasted in."""
    description: str
    """What it is for."""
    parameters: Mapping[str, Mapping[str, object]]
    """Its parameters: name → JSON Schema."""


class ToolTable(TypedDict, total=False):
    """The settings of `ToolSettings`, as a table."""

    kind: str
    """\"python", "openapi", "mcp", "sql", or a plug-in's name."""
    functions: Sequence[str]
    """Of "python": functions as "package.module:name"."""
    document: str
    """Of "openapi": the file with the document, JSON or YAML."""
    base_url: str
    """Of "openapi": the address of the service, "" for the document's first server."""
    command: Sequence[str]
    """Of "mcp": the program that is the server, with its arguments, instead of an address."""
    database: str | SecretStr
    """Of "sql": the database's address, "sqlite:///file.db", "postgresql://user@host/name" or
    "mysql://user@host/name"."""
    templates: Mapping[str, SqlToolTable]
    """Of "sql": the tools, by name."""
    api_key: str | SecretStr
    """A key for the service."""
    api_key_header: str
    """The header that carries the key; in "Authorization" it stands behind "Bearer ". Default: "Authorization"."""
    allow_private: bool
    """Whether the service may be in a private network, or on this machine. Default: False."""
    only: Sequence[str]
    """Names of the tools that are taken from this source; empty: all."""
    reads: Sequence[str]
    """Tools of which you know that they change nothing, whatever their source says."""
    writes: Sequence[str]
    """Tools of which you know that they change something: they run only when that is confirmed."""
    platform: str
    """The platform whose names the tools know things by, see `entities`; "": the source's own name."""
    timeout_s: float
    """How long one call may take. Default: 30.0."""
    retries: int
    """How often a call is tried again that failed and may work later; one that writes is never repeated. Default: 2."""
    per_minute: int
    """How often one tool may be called in a minute. Default: 60."""
    max_result_kb: int
    """A larger reply of a service is an error. Default: 256."""
    max_tools: int
    """More tools in one source are an error. Default: 2000."""


class EntityTable(TypedDict, total=False):
    """The settings of `EntitySettings`, as a table."""

    names: Sequence[str]
    """Other names that people use for it."""
    platforms: Mapping[str, str]
    """Its name on a platform: platform → name."""
