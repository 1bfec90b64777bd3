"""What settings say of serving: spaces, keys and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, IPvAnyNetwork, model_validator

from rove.errors import MAX_QUESTION_CHARS
from rove.settings.openid import OpenIdSettings
from rove.settings.place import Place
from rove.settings.section import SettingsSection

Label = Annotated[str, Field(max_length=64, pattern=r"^[\w.-]+$")]  # with {1,64} it takes 35 ms to compile
SpaceName = Annotated[str, Field(max_length=64, pattern=r"^[\w.-]+$")]


class SpaceSettings(SettingsSection):
    """A base that `rove serve` serves."""

    path: Place
    """Its folder or TOML file, as seen from the folder of the file that names it; or its address in a database."""
    also: tuple[Place, ...] = ()
    """Further bases that are read with it, seen likewise, by everybody who may open this space."""


class KeySettings(SettingsSection):
    """What the holder of a key may do. `rove serve key` makes one."""

    hash: str = Field(pattern=r"^sha256:[0-9a-f]{64}$", repr=False)
    """The key's hash; the key itself is not kept."""
    spaces: tuple[str, ...] = ("*",)
    """The spaces that it opens; "*": all."""
    rights: tuple[Literal["read", "add", "delete", "admin"], ...] = ("read",)
    """Some of "read", "add", "delete", "admin"."""
    labels: tuple[Label, ...] | None = None
    """It opens only documents that have one of these access labels, and cannot be an administrator's. None: all
    documents."""

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if self.labels is not None and "admin" in self.rights:
            message = 'a key with labels cannot have the right "admin", which sees every document'
            raise ValueError(message)
        return self


class ServeSettings(SettingsSection):
    """`rove serve`. Limits hold for each key unless they say otherwise."""

    host: str = "127.0.0.1"
    """The address to listen at."""
    port: int = Field(default=8017, ge=0, le=65_535)
    """The port to listen at; 0: any that is free."""
    hosts: tuple[str, ...] = ()
    """Names that the server may be called by, beside localhost."""
    public_url: str = Field(default="", pattern=r"^(https?://[^\s?#]+)?$")
    """Where its page is reached, e.g. "https://kb.example.org": links to sources begin so. "": as it was called."""
    source_links: bool = False
    """Whether the numbers in answers over the OpenAI-shaped API are links, for front-ends that show no annotations."""
    origins: tuple[str, ...] = ()
    """Origins of web pages of other hosts that may call it."""
    spaces: Mapping[SpaceName, SpaceSettings] = Field(default_factory=dict)
    """The bases that are served, by name; none: this one, as "default"."""
    spaces_folder: str = ""
    """A folder in which administrators make further spaces while it is served, as seen from the folder of this file."""
    keys: Mapping[str, KeySettings] = Field(default_factory=dict)
    """The keys, by name; without any, and without people: only this machine is let in."""
    people_space: str = ""
    """The space whose base keeps the people that may sign in, and their sessions; "": the first of the spaces."""
    session_idle_h: float = Field(default=72.0, gt=0, le=8_760)
    """Who has signed in is signed out after so many hours without a request."""
    session_max_h: float = Field(default=720.0, gt=0, le=8_760)
    """Who has signed in is signed out so many hours later, however much is asked meanwhile."""
    oidc: Mapping[SpaceName, OpenIdSettings] = Field(default_factory=dict)
    """OpenID providers that people may sign in with, by name."""
    access_field: str = Field(default="access", min_length=1)
    """The metadata field with a document's access labels."""
    flows: str = ""
    """A folder with the files of flows that whoever may read may run; those that change something are left out."""
    max_upload_mb: int = Field(default=256, ge=1)
    """An upload may have so many megabytes."""
    max_files: int = Field(default=100, ge=1)
    """An upload may have so many files."""
    max_body_kb: int = Field(default=1024, ge=16)
    """Any other request's body may have so many kilobytes."""
    max_question_chars: int = Field(default=4_000, ge=1, le=MAX_QUESTION_CHARS)
    """A question may have so many characters."""
    max_queued: int = Field(default=1_000, ge=1)
    """Jobs of a space that are not done, at most."""
    max_eval_questions: int = Field(default=1_000, ge=1)
    """Questions of one evaluation, at most."""
    requests_per_minute: int = Field(default=6_000, ge=1)
    """Requests a minute."""
    concurrent: int = Field(default=256, ge=1)
    """Requests that are worked at at once, counted from when their bodies are there."""
    keep_originals: bool = True
    """Whether a base keeps what is uploaded of files whose pages or pictures are shown: PDF, Office, EPUB, images."""
    max_originals_mb: int = Field(default=10_000, ge=0)
    """How many megabytes of these a base keeps in all."""
    streams: int = Field(default=128, ge=1)
    """Event streams that are open at once; they count among the concurrent requests."""
    exports: int = Field(default=4, ge=1)
    """Exports of whole bases at once; they count among the concurrent requests."""
    uploads: int = Field(default=64, ge=1)
    """Uploads and imports at once; they count apart from the concurrent requests."""
    tries_per_minute: int = Field(default=60, ge=1)
    """Requests a minute without a valid key, and tries at signing in, for each address."""
    proxies: tuple[IPvAnyNetwork, ...] = ()
    """Addresses or networks of proxies whose X-Forwarded-For is believed."""
    stall_s: float = Field(default=60.0, gt=0)
    """A connection is closed that reads less than `least_kb_s` over so many seconds of a reply that waits."""
    body_s: float = Field(default=30.0, gt=0)
    """A connection is closed that sends less than `least_kb_s` of a request's body over so many seconds."""
    least_kb_s: float = Field(default=1.0, ge=0)
    """The least pace of a connection, in kilobytes a second."""
    drain_s: float = Field(default=20.0, ge=0)
    """On SIGTERM, what runs is given so many seconds to finish."""
    settings: Literal["none", "safe", "models"] = "safe"
    """What administrators of every space may change in the page: nothing; thresholds, retrieval, answers and the like;
    or with "models" also which models are asked, and where: they can then have the keys of models and the texts of
    documents sent to an address of theirs."""
    mcp_add: bool = False
    """Whether models may add documents over MCP."""
