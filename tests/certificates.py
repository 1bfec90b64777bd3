"""A certificate for servers on this machine, for tests of https. It is its own authority."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for localhost and its key; returns both files."""
    certificate, key = folder / "server.pem", folder / "server.key"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "30", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", key, "-out", certificate,
        ],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    return certificate, key
