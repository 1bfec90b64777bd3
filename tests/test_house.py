"""The house rules that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import rove

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "rove"
MODULES = sorted(SOURCE.rglob("*.py"))
BANNED_NAMES = {"utils", "util", "helpers", "core", "base", "common", "manager", "misc"}
# Put together from parts, so that this file does not name what it looks for.
REGISTRIES = (
    "pypi." + "org",
    "pythonhosted." + "org",
    "npmjs." + "org",
    "index" + "-url",
    "/sim" + "ple/",
    "/opt/" + "pypi",
)
MACHINE_PATHS = re.compile(
    "|".join(["/wo" + r"rk/(main|shared)\b", "/ro" + r"ot/", "/home/" + r"\w+/", "/Us" + r"ers/\w+/"])
)
PINNED = re.compile(r"[A-Za-z0-9._-]+(\[[a-z-]+\])?==[A-Za-z0-9.!+]+(; [^;]+)?")


def tracked_files() -> list[Path]:
    """Files that git tracks, or would; where there is no git, e.g. in an sdist, all files of the house's folders."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (ROOT / ".git").exists():
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
        return [ROOT / name for name in listed if name and (ROOT / name).is_file()]
    folders = ("src", "tests", "docs", "demo", "requirements")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    return [path for path in found if "__pycache__" not in path.parts]


def text_of(path: Path) -> str:
    """The text of a file; "" for one that is not text."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        return ""


def lines_with(words: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in tracked_files()
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if words.search(line)
    ]


def test_no_tracked_file_names_a_registry() -> None:
    assert lines_with(re.compile("|".join(map(re.escape, REGISTRIES)))) == []


def test_no_tracked_file_names_a_path_of_a_machine() -> None:
    assert lines_with(MACHINE_PATHS) == []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_module_says_what_it_is(module: Path) -> None:
    text = module.read_text("utf-8")
    docstring = ast.get_docstring(ast.parse(text))
    assert docstring
    assert docstring.splitlines()[0].endswith((".", "?"))


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [path for path in SOURCE.rglob("*") if path.stem in BANNED_NAMES] == []


def test_each_file_of_tests_has_a_name_of_its_own() -> None:
    """Pytest imports them by these names."""
    names = Counter(file.name for file in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_types_are_shipped() -> None:
    assert (Path(rove.__file__).parent / "py.typed").is_file()


def test_requirements_are_exact_versions() -> None:
    for file in sorted((ROOT / "requirements").glob("*.txt")):
        lines = [line for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")]
        assert lines, f"{file.name} is empty"
        assert [line for line in lines if not PINNED.fullmatch(line)] == [], file.name


def test_requirements_hold_what_pyproject_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for name, wanted in (
        ("run", project["dependencies"]),
        ("chat", project["optional-dependencies"]["chat"]),
        ("serve", project["optional-dependencies"]["serve"]),
    ):
        lines = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8").splitlines()
        pinned = [Requirement(line) for line in lines if line and not line.startswith("#")]
        versions = {
            canonicalize_name(item.name): str(item.specifier).removeprefix("==")
            for item in pinned
            if not item.marker or item.marker.evaluate()
        }
        for requirement in map(Requirement, wanted):
            if requirement.marker and not requirement.marker.evaluate():
                continue
            assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), requirement


def test_help_names_every_command() -> None:
    command = [Path(sys.executable).with_name("rove"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for name in ("add", "search", "ask", "serve", "mcp", "inspect", "delete", "doctor", "export", "import"):
        assert re.search(rf"^  {name} ", done.stdout, re.M), name
