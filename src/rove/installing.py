"""How a missing extra is installed: the command that works for this copy of Rove, however it came here."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from shlex import quote
from urllib.parse import unquote

NAME = "rove"
SOURCE = Path(__file__).parents[2]
"""Where the sources lie, if this copy runs from a checkout."""


def install_cure(extra: str, module: str = "") -> str:
    """Say what installs an extra, "serve": from the folder or the file that Rove was installed from, else by its name.

    `module`: what is missing; it is named itself where there is no such extra.
    """
    metadata = import_module("importlib.metadata")  # takes 30 ms, which only those pay who lack something
    try:
        own = metadata.distribution(NAME)
    except metadata.PackageNotFoundError:
        return (
            _pip_install_text(f"-e {quote(f'{SOURCE}[{extra}]')}")
            if (SOURCE / "pyproject.toml").is_file()
            else _pip_install_text(module)
        )
    if extra not in own.metadata.get_all("Provides-Extra", []):
        return _pip_install_text(quote(module or extra))
    origin = json.loads(own.read_text("direct_url.json") or "{}")
    address = str(origin.get("url", ""))
    place = Path(unquote(address.removeprefix("file://")))
    if address.startswith("file://") and place.exists():
        edited = "-e " if origin.get("dir_info", {}).get("editable") else ""
        return _pip_install_text(edited + quote(f"{place}[{extra}]"))
    return _pip_install_text(quote(f"{NAME}[{extra}]"))


def _pip_install_text(what: str) -> str:
    return f"Run: pip install {what}"
