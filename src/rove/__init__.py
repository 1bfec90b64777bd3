"""Rove: retrieval that walks — answers from your own documents, every sentence cited to an exact span."""

from typing import TYPE_CHECKING

from rove.registry import load as _load

if TYPE_CHECKING:
    from rove.engine import AsyncRove
    from rove.errors import ConfigError, FieldWarning, InputError, RoveError, ServiceError
    from rove.language.rendering import render
    from rove.records import Answer, Hit, Text, field
    from rove.sync import Rove

__all__ = [
    "Answer",
    "AsyncRove",
    "ConfigError",
    "FieldWarning",
    "Hit",
    "InputError",
    "Rove",
    "RoveError",
    "ServiceError",
    "Text",
    "field",
    "render",
]

_HOMES = {
    "AsyncRove": "engine",
    "Rove": "sync",
    "render": "language.rendering",
    **dict.fromkeys(("Answer", "Hit", "Text", "field"), "records"),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for, so that `rove --help` waits for none of them."""
    if name == "__version__":
        return _load("importlib.metadata:version")("rove")
    if name not in __all__:
        message = f"module 'rove' has no attribute {name!r}"
        raise AttributeError(message)
    return _load(f"rove.{_HOMES.get(name, 'errors')}:{name}")
