"""The types of the tables in `rove.settings.serving`.

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypedDict

from rove.settings.place import Address
from rove.settings.tables.openid_tables import OpenIdTable


class SpaceTable(TypedDict, total=False):
    """The settings of `SpaceSettings`, as a table."""

    path: str | Path | Address
    """Its folder or TOML file, as seen from the folder of the file that names it; or its address in a database."""
    also: Sequence[str | Path | Address]
    """Further bases that are read with it, seen likewise, by everybody who may open this space."""


class KeyTable(TypedDict, total=False):
    """The settings of `KeySettings`, as a table."""

    hash: str
    """The key's hash; the key itself is not kept."""
    spaces: Sequence[str]
    """The spaces that it opens; "*": all."""
    rights: Sequence[Literal["read", "add", "delete", "admin"]]
    """Some of "read", "add", "delete", "admin"."""
    labels: Sequence[str] | None
    """It opens only documents that have one of these access labels, and cannot be an administrator's."""


class ServeTable(TypedDict, total=False):
    """The settings of `ServeSettings`, as a table."""

    host: str
    """The address to listen at. Default: "127.0.0.1"."""
    port: int
    """The port to listen at; 0: any that is free. Default: 8017."""
    hosts: Sequence[str]
    """Names that the server may be called by, beside localhost."""
    public_url: str
    """Where its page is reached, e.g. "https://kb.example.org": links to sources begin so. "": as it was called."""
    source_links: bool
    """Whether the numbers in answers over the OpenAI-shaped API are links, for front-ends that show no annotations.
    Default: False."""
    origins: Sequence[str]
    """Origins of web pages of other hosts that may call it."""
    spaces: Mapping[str, SpaceTable]
    """The bases that are served, by name; none: this one, as "default"."""
    spaces_folder: str
    """A folder in which administrators make further spaces while it is served, as seen from the folder of this file."""
    keys: Mapping[str, KeyTable]
    """The keys, by name; without any, and without people: only this machine is let in."""
    people_space: str
    """The space whose base keeps the people that may sign in, and their sessions; "": the first of the spaces."""
    session_idle_h: float
    """Who has signed in is signed out after so many hours without a request. Default: 72.0."""
    session_max_h: float
    """Who has signed in is signed out so many hours later, however much is asked meanwhile. Default: 720.0."""
    oidc: Mapping[str, OpenIdTable]
    """OpenID providers that people may sign in with, by name."""
    access_field: str
    """The metadata field with a document's access labels. Default: "access"."""
    flows: str
    """A folder with the files of flows that whoever may read may run; those that change something are left out."""
    max_upload_mb: int
    """An upload may have so many megabytes. Default: 256."""
    max_files: int
    """An upload may have so many files. Default: 100."""
    max_body_kb: int
    """Any other request's body may have so many kilobytes. Default: 1024."""
    max_question_chars: int
    """A question may have so many characters. Default: 4000."""
    max_queued: int
    """Jobs of a space that are not done, at most. Default: 1000."""
    max_eval_questions: int
    """Questions of one evaluation, at most. Default: 1000."""
    requests_per_minute: int
    """Requests a minute. Default: 6000."""
    concurrent: int
    """Requests that are worked at at once, counted from when their bodies are there. Default: 256."""
    keep_originals: bool
    """Whether a base keeps what is uploaded of files whose pages or pictures are shown: PDF, Office, EPUB, images.
    Default: True."""
    max_originals_mb: int
    """How many megabytes of these a base keeps in all. Default: 10000."""
    streams: int
    """Event streams that are open at once; they count among the concurrent requests. Default: 128."""
    exports: int
    """Exports of whole bases at once; they count among the concurrent requests. Default: 4."""
    uploads: int
    """Uploads and imports at once; they count apart from the concurrent requests. Default: 64."""
    tries_per_minute: int
    """Requests a minute without a valid key, and tries at signing in, for each address. Default: 60."""
    proxies: Sequence[str]
    """Addresses or networks of proxies whose X-Forwarded-For is believed."""
    stall_s: float
    """A connection is closed that reads less than `least_kb_s` over so many seconds of a reply that waits. Default:
    60.0."""
    body_s: float
    """A connection is closed that sends less than `least_kb_s` of a request's body over so many seconds. Default:
    30.0."""
    least_kb_s: float
    """The least pace of a connection, in kilobytes a second. Default: 1.0."""
    drain_s: float
    """On SIGTERM, what runs is given so many seconds to finish. Default: 20.0."""
    settings: Literal["none", "safe", "models"]
    """What administrators of every space may change in the page: nothing; thresholds, retrieval, answers and the like;
    or with "models" also which models are asked, and where: they can then have the keys of models and the texts of
    documents sent to an address of theirs. Default: "safe"."""
    mcp_add: bool
    """Whether models may add documents over MCP. Default: False."""
