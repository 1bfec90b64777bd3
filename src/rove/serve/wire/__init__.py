"""What goes over the wire: requests, checked and bounded, and replies; records become these here and nowhere else."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    """What a client sends: unknown fields are errors, so that a misspelt filter cannot be none."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Reply(BaseModel):
    """What a client gets."""

    model_config = ConfigDict(frozen=True)
