"""What goes over the wire: requests, checked and bounded, and replies; records become these here and nowhere else."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticSerializationError


class Wire(BaseModel):
    """What a client sends: unknown fields are errors, so that a misspelt filter cannot be none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="after")
    def _is_text(self) -> Self:
        r"""Refuse half a surrogate pair ("\ud800"), which JSON can hold and no file can."""
        try:
            self.model_dump_json()
        except PydanticSerializationError:
            message = "the text is not Unicode"
            raise ValueError(message) from None
        return self


class Reply(BaseModel):
    """What a client gets."""

    model_config = ConfigDict(frozen=True)
