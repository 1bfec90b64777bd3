"""Write the tree of src/rove, each file with the first line of its docstring, into docs/architecture.md.

`python docs/architecture.py` writes; with `--check` it only says, by its exit status, whether the page is up to date.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
SOURCE = ROOT / "src" / "rove"
BEGIN, END = "<!-- tree: made by docs/architecture.py -->\n", "<!-- end of tree -->"
NAME_COLUMNS = 24


def first_line(file: Path) -> str:
    """Return the first line of a module's docstring; "" where there is none."""
    return (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").partition("\n")[0]


def tree(folder: Path, depth: int = 0) -> Iterator[str]:
    """Yield one line for each file below `folder`; a folder's line is that of its `__init__.py`."""
    for file in sorted(folder.glob("*.py")):
        if file.name != "__init__.py":
            yield line(file.name, first_line(file), depth)
    for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
        yield line(f"{inner.name}/", first_line(inner / "__init__.py"), depth)
        yield from tree(inner, depth + 1)


def line(name: str, says: str, depth: int) -> str:
    """Lay out one line of the tree."""
    return f"{'  ' * depth + name:<{NAME_COLUMNS}} {says}".rstrip()


def page(text: str) -> str:
    """Put the present tree between the marks of the page.

    Raises:
        ValueError: the marks are not there.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        message = f"{PAGE.name} lacks the line {BEGIN.strip()!r} or {END!r}."
        raise ValueError(message)
    body = "\n".join(["src/rove/", *tree(SOURCE, depth=1)])
    return f"{before}{begin}```text\n{body}\n```\n{end}{after}"


def main(arguments: list[str]) -> int:
    """Write the page, or check it."""
    old = PAGE.read_text("utf-8")
    new = page(old)
    if "--check" in arguments:
        if old != new:
            sys.stderr.write("docs/architecture.md is out of date: run `python docs/architecture.py`.\n")
        return int(old != new)
    PAGE.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
