"""What settings say of serving: spaces, keys and limits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, IPvAnyNetwork, model_validator

from rove.settings.section import SettingsSection

Label = Annotated[str, Field(pattern=r"^[\w.-]{1,64}$")]
SpaceName = Annotated[str, Field(pattern=r"^[\w.-]{1,64}$")]


class SpaceSettings(SettingsSection):
    """A base that `rove serve` serves: its folder or TOML file, as seen from the folder of the file that names it."""

    path: Path


class KeySettings(SettingsSection):
    """What the holder of a key may do; `rove serve key` makes one, and only its hash is kept.

    `spaces` are those it opens, "*" all of them. With `labels` it opens only documents that have one of these access
    labels, and cannot be an administrator's.
    """

    hash: str = Field(pattern=r"^sha256:[0-9a-f]{64}$", repr=False)
    spaces: tuple[str, ...] = ("*",)
    rights: tuple[Literal["read", "add", "delete", "admin"], ...] = ("read",)
    labels: tuple[Label, ...] | None = None

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if self.labels is not None and "admin" in self.rights:
            message = 'a key with labels cannot have the right "admin", which sees every document'
            raise ValueError(message)
        return self


class ServeSettings(SettingsSection):
    """`rove serve`. Without `spaces` it serves this one base, as "default"; without `keys` only this machine is let in.

    `hosts` are the names that it may be called by beside localhost, `origins` the web pages of other hosts that may
    call it. `access_field` is the metadata field with a document's access labels. These hold for each key:
    `requests_per_minute`; `concurrent` requests that are worked at (once their bodies are there), of those `streams`;
    `uploads` and imports, which are apart from these; and `max_queued` jobs of a space that are not done.
    `max_eval_questions` holds for each evaluation; `tries_per_minute`, without a valid key, for each address, which is
    taken from X-Forwarded-For where one of `proxies` (addresses or networks) says so.

    A connection is closed whose other end sends less than `least_kb_s` kilobytes a second of a request's body over
    `body_s`, or reads less than that over `stall_s` of a reply that waits. On SIGTERM, what runs is given `drain_s` to
    finish. With `keep_originals` a base keeps the PDFs and images that are handed in, to show their pages, up to
    `max_originals_mb` in all.
    """

    host: str = "127.0.0.1"
    port: int = Field(default=8017, ge=0, le=65_535)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    spaces: Mapping[SpaceName, SpaceSettings] = Field(default_factory=dict)
    keys: Mapping[str, KeySettings] = Field(default_factory=dict)
    access_field: str = Field(default="access", min_length=1)
    max_upload_mb: int = Field(default=256, ge=1)
    max_files: int = Field(default=100, ge=1)
    max_body_kb: int = Field(default=1024, ge=16)
    max_question_chars: int = Field(default=4_000, ge=1)
    max_queued: int = Field(default=1_000, ge=1)
    max_eval_questions: int = Field(default=1_000, ge=1)
    requests_per_minute: int = Field(default=6_000, ge=1)
    concurrent: int = Field(default=256, ge=1)
    keep_originals: bool = True
    max_originals_mb: int = Field(default=10_000, ge=0)
    streams: int = Field(default=128, ge=1)
    uploads: int = Field(default=64, ge=1)
    tries_per_minute: int = Field(default=60, ge=1)
    proxies: tuple[IPvAnyNetwork, ...] = ()
    stall_s: float = Field(default=60.0, gt=0)
    body_s: float = Field(default=30.0, gt=0)
    least_kb_s: float = Field(default=1.0, ge=0)
    drain_s: float = Field(default=20.0, ge=0)
    mcp_add: bool = False
