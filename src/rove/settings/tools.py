"""What settings say of tools: where they come from, what they may do, and names of things on several platforms."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field, SecretStr

from rove.settings.section import SettingsSection


class SqlToolSettings(SettingsSection):
    """A tool that is one SQL statement with named parameters."""

    sql: str
    """The statement; ":name" stands for a parameter's value, which is bound and never pasted in."""
    description: str = ""
    """What it is for."""
    parameters: Mapping[str, Mapping[str, object]] = Field(default_factory=dict)
    """Its parameters: name → JSON Schema. One that the statement names and this does not is a text."""


class ToolSettings(SettingsSection):
    """A source of tools. Only what the settings name, or the program adds, can ever be run."""

    kind: str
    """"python", "openapi", "mcp", "sql", or a plug-in's name."""
    functions: tuple[str, ...] = ()
    """Of "python": functions as "package.module:name". They run in this process: your own code only."""
    document: str = ""
    """Of "openapi": the file with the document, JSON or YAML."""
    base_url: str = ""
    """Of "openapi": the address of the service, "" for the document's first server. Of "mcp": the server's address."""
    command: tuple[str, ...] = ()
    """Of "mcp": the program that is the server, with its arguments, instead of an address."""
    database: SecretStr = SecretStr("")
    """Of "sql": the database's address, "sqlite:///file.db", "postgresql://user@host/name" or "mysql://user@host/name"."""
    templates: Mapping[str, SqlToolSettings] = Field(default_factory=dict)
    """Of "sql": the tools, by name."""
    api_key: SecretStr = SecretStr("")
    """A key for the service. It is never printed; give it in the environment."""
    api_key_header: str = "Authorization"
    """The header that carries the key; in "Authorization" it stands behind "Bearer "."""
    allow_private: bool = False
    """Whether the service may be in a private network, or on this machine."""
    only: tuple[str, ...] = ()
    """Names of the tools that are taken from this source; empty: all."""
    reads: tuple[str, ...] = ()
    """Tools of which you know that they change nothing, whatever their source says."""
    writes: tuple[str, ...] = ()
    """Tools of which you know that they change something: they run only when that is confirmed."""
    platform: str = ""
    """The platform whose names the tools know things by, see `entities`; "": the source's own name."""
    timeout_s: float = Field(default=30.0, gt=0)
    """How long one call may take."""
    retries: int = Field(default=2, ge=0)
    """How often a call is tried again that failed and may work later; one that writes is never repeated."""
    per_minute: int = Field(default=60, ge=1)
    """How often one tool may be called in a minute."""
    max_result_kb: int = Field(default=256, ge=1)
    """A larger reply of a service is an error."""
    max_tools: int = Field(default=2_000, ge=1)
    """More tools in one source are an error."""


class EntitySettings(SettingsSection):
    """A thing that has several names."""

    names: tuple[str, ...] = ()
    """Other names that people use for it."""
    platforms: Mapping[str, str] = Field(default_factory=dict)
    """Its name on a platform: platform → name. Elsewhere it has the name of its table."""
