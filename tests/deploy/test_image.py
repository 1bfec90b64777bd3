"""The image, without Docker: what is copied is there and is enough, and what runs in it is what `rove` takes."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import httpx
import pytest

from serve.conftest import ENVIRONMENT, ROVE

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
EXTRAS = ("chat", "serve", "tools", "postgres", "sql", "parquet")
LEFT_OUT = (
    ".git/config", ".venv/bin/python", "tests/conftest.py", "bench/.cache/x", "docs/architecture.md",
    "kb/catalog.sqlite", "deploy/Dockerfile", "src/rove/__pycache__/engine.cpython-312.pyc", "rove.toml", ".env",
)  # fmt: skip


def instructions() -> Iterator[tuple[str, str]]:
    """The Dockerfile's instructions, each on one line."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.M).replace("\\\n", " ")
    for line in filter(str.strip, text.splitlines()):
        word, _, rest = line.partition(" ")
        yield word, " ".join(rest.split())


def of(name: str) -> list[str]:
    return [rest for word, rest in instructions() if word == name]


def variables() -> dict[str, str]:
    return dict(one.split("=", 1) for rest in of("ENV") for one in shlex.split(rest))


def is_ignored(path: str) -> bool:
    """As Docker reads .dockerignore: the last line that is true of a path, or of a folder above it, decides."""
    parts, ignored = path.split("/"), False
    above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        pattern = line.removeprefix("!")
        if not line or line.startswith("#"):
            continue
        if pattern.startswith("**/"):
            if any(fnmatch(part, pattern[3:]) for part in parts):
                ignored = not line.startswith("!")
        elif any(fnmatch(one, pattern) and one.count("/") == pattern.count("/") for one in above):
            ignored = not line.startswith("!")
    return ignored


def context() -> list[str]:
    """The files that Docker is given, by their paths."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in tracked.stdout.splitlines() if not is_ignored(path) and (ROOT / path).is_file()]


def test_nothing_but_what_is_copied_is_given_to_docker() -> None:
    assert [path for path in LEFT_OUT if not is_ignored(path)] == []
    sources = {source for rest in of("COPY") if "--from" not in rest for source in rest.split()[:-1]}
    given = context()
    for source in sources:
        assert (ROOT / source).exists(), source
        assert any(path == source or path.startswith(f"{source}/") for path in given), source
    assert [path for path in given if path not in sources and path.split("/")[0] not in sources] == []


def test_what_is_copied_is_enough_to_install(tmp_path: Path) -> None:
    for path in context():
        (tmp_path / "src" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / "src" / path)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "wheels")]
    subprocess.run(build, cwd=tmp_path / "src", check=True, capture_output=True)
    (wheel,) = (tmp_path / "wheels").iterdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    assert {f"src/{name}" for name in archive.namelist() if name.startswith("rove/")} == {
        path for path in context() if path.startswith("src/rove/")
    }
    code = "import rove, rove.serve.run; from importlib.metadata import version; print(rove.__file__, version('rove'))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(tmp_path / "installed"))


def test_it_installs_what_it_promises() -> None:
    named = {name for rest in of("RUN") for name in re.findall(r"requirements/([\w-]+)\.txt", rest)}
    assert named == {"run", *EXTRAS}
    pinned = "\n".join((ROOT / "requirements" / f"{name}.txt").read_text("utf-8") for name in named).lower()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    wanted = {re.split(r"[\[<>=]", one)[0].lower() for name in EXTRAS for one in extras[name]} - {"pg8000"}
    assert [name for name in wanted if f"\n{name.replace('-', '_')}==" not in pinned.replace("-", "_")] == []
    for rest in of("RUN"):
        subprocess.run(["sh", "-n", "-c", rest], check=True)
    assert {"tesseract-ocr", *(f"tesseract-ocr-{name}" for name in ("deu", "hun", "chi-sim", "jpn"))} <= set(
        " ".join(of("RUN")).split()
    )


def test_it_runs_as_nobody_of_importance_with_places_to_write() -> None:
    (user,) = of("USER")
    assert re.fullmatch(r"\d{5}:\d{5}", user)
    volumes = json.loads(of("VOLUME")[0])
    assert {variables()["ROVE_KB"], variables()["ROVE_DATA"]} == set(volumes)
    assert any(variables()["ROVE_CACHE"].startswith(f"{volume}/") for volume in volumes)


@pytest.mark.long
def test_a_container_that_is_started_without_a_key_explains_itself_and_then_serves(tmp_path: Path) -> None:
    """With the command, the variables and the look at its health that are in the Dockerfile."""
    address, port = "127.0.0.2", "18017"
    places = {
        name: value.replace("/data", str(tmp_path / "data")) for name, value in variables().items() if "ROVE" in name
    }
    places = {name: value.replace("/var/lib/rove", str(tmp_path / "var")) for name, value in places.items()}
    (tmp_path / "data").mkdir()
    environment = {**ENVIRONMENT, **places}
    command = [str(ROVE), *json.loads(of("CMD")[0])[1:], "--port", port]
    command[command.index("0.0.0.0")] = address
    check = json.loads(of("HEALTHCHECK")[0].partition("CMD ")[2])
    assert "8017" in check[2]
    healthy = [sys.executable, *check[1:2], check[2].replace("127.0.0.1", address).replace("8017", port)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://{address}:{port}", headers={"host": f"rove:{port}"}, timeout=30) as client:
            assert waited(client, 503).json()["type"] == "urn:rove:problem:awaiting-key"
            assert subprocess.run(healthy, check=False).returncode == 0
            key = subprocess.run(
                [str(ROVE), "serve", "key", "anna"], env=environment, capture_output=True, text=True, check=True
            ).stdout.strip()
            client.headers["authorization"] = f"Bearer {key}"
            assert waited(client, 200).json()["spaces"] == ["default"]
            assert subprocess.run(healthy, check=False).returncode == 0
    finally:
        process.terminate()
        process.wait(timeout=60)
    assert subprocess.run(healthy, check=False, stderr=subprocess.DEVNULL).returncode != 0


def waited(client: httpx.Client, status: int) -> httpx.Response:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        try:
            if (reply := client.get("/v1/spaces")).status_code == status:
                return reply
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    pytest.fail(f"no reply with {status}")
