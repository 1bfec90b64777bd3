"""The mutants of a module: one small change each, made from its syntax tree and put into its text."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

from mutate import FOLDERS, ROOT
from mutate.swaps import negated, swaps

PLAIN_SWITCHES = {
    "strict",
    "slots",
    "frozen",
    "exist_ok",
    "parents",
    "missing_ok",
    "stacklevel",
    "compare",
    "repr",
    "copy",
    "ignore_errors",
}
"""Keyword arguments that change no result."""
LEFT_OUT = (ast.JoinedStr, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom)
"""Where nothing is mutated: what is said to people, and what is checked by the linters."""
LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change: `before` becomes `after`, which is done by putting `new` from byte `start` to `end` of the module.

    `function` is the constant's name where it stands outside of any. `lines` are the first and last line of the
    statement; `number` tells apart equal changes in one function.
    """

    module: str
    function: str
    before: str
    after: str
    number: int
    start: int
    end: int
    new: str
    lines: tuple[int, int]

    @property
    def change(self) -> str:
        """What becomes what."""
        again = f" (no. {self.number})" if self.number > 1 else ""
        return f"{self.before} → {self.after}{again}"

    @property
    def key(self) -> str:
        """What names it for as long as its function stays: no line, no offset."""
        return f"{self.module} {self.function}: {self.change}"

    @property
    def folder(self) -> str:
        """The folder of src/rove that it is in."""
        return Path(self.module).parts[2]

    def applied(self, source: bytes) -> bytes:
        """The module's text with the change."""
        return source[: self.start] + f"({self.new})".encode() + source[self.end :]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the search is: the function, and the statement."""

    function: str
    lines: tuple[int, int]


Change = tuple[_Place, ast.AST, ast.expr, ast.expr]
"""Where, what it stands in, what is there, what is put there."""


def all_mutants(only: Sequence[str] = ()) -> list[Mutant]:
    """The mutants of all folders; of those whose module's path holds one of `only`, where there are such."""
    found: list[Mutant] = []
    for folder in FOLDERS:
        for path in sorted((ROOT / "src" / "rove" / folder).rglob("*.py")):
            module = path.relative_to(ROOT).as_posix()
            if not only or any(part in module for part in only):
                found += mutants(module, path.read_bytes())
    return found


def sampled(found: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """As many of them by a seed; a mutant that is in a sample stays there when code elsewhere changes."""
    return sorted(found, key=lambda mutant: sha256(f"{seed} {mutant.key}".encode()).digest())[:size]


def mutants(module: str, source: bytes) -> list[Mutant]:
    r"""The mutants of one module.

    >>> source = b"def f(a):\n    if a > 2:\n        return 1\n"
    >>> [mutant.change for mutant in mutants("src/rove/x/y.py", source)]
    ['a > 2 → not a > 2', 'a > 2 → False', 'a > 2 → a >= 2', 'a > 2 → a > 3', 'a > 2 → a > 1', '1 → 2', '1 → 0']
    """
    starts = [0, *accumulate(len(line) for line in source.splitlines(keepends=True))]
    seen: Counter[tuple[str, str, str]] = Counter()
    found: list[Mutant] = []
    tree = ast.parse(source)
    for place, parent, node, new in _changes(tree, tree, _Place("", (1, 1))):
        shown = _shown(parent, node, new)
        seen[place.function, *shown] += 1
        number = seen[place.function, *shown]
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        found.append(Mutant(module, place.function, *shown, number, start, end, ast.unparse(new), place.lines))
    return found


def _shown(parent: ast.AST, node: ast.expr, new: ast.expr) -> tuple[str, str]:
    """A change as it is shown: a number or a switch with what it stands in."""
    if not isinstance(node, ast.Constant) or isinstance(parent, ast.stmt):
        return ast.unparse(node), ast.unparse(new)
    copied = _replaced(parent, node, new)
    return ast.unparse(parent), ast.unparse(copied)


def _replaced(parent: ast.AST, node: ast.expr, new: ast.expr) -> ast.AST:
    fields = {
        name: [new if one is node else one for one in value]
        if isinstance(value, list)
        else new
        if value is node
        else value
        for name, value in ast.iter_fields(parent)
    }
    return type(parent)(**fields)


def _changes(node: ast.AST, parent: ast.AST, place: _Place) -> Iterator[Change]:
    """All changes at and below a node."""
    if isinstance(node, LEFT_OUT) or (not place.function and _is_union(node)):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        place = _Place(f"{place.function}.{node.name}".lstrip("."), (node.lineno, node.lineno))
    elif isinstance(node, ast.stmt):
        if not place.function and isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            place = _Place(ast.unparse(target), place.lines)
        inner = (
            node.body[0].lineno - 1 if isinstance(node, ast.If | ast.For | ast.While | ast.With) else node.end_lineno
        )
        place = _Place(place.function, (node.lineno, max(node.lineno, inner or node.lineno)))
    yield from ((place, parent, old, new) for old, new in _own(node))
    for below in _below(node):
        yield from _changes(below, node, place)


def _is_union(node: ast.AST) -> bool:
    """Say whether it may be a union of types, given a name at the top of a module."""
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr)


def _own(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The changes of a node itself."""
    if isinstance(node, ast.If):
        yield node.test, negated(node.test)
        if not node.orelse and len(node.body) == 1 and isinstance(node.body[0], LEAVING):
            yield node.test, ast.Constant(value=False)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
        yield node.value, ast.Constant(value=None)
    elif isinstance(node, ast.comprehension):
        yield from ((test, ast.Constant(value=True)) for test in node.ifs)
    elif isinstance(node, ast.expr):
        yield from ((node, new) for new in swaps(node))


def _below(node: ast.AST) -> Iterator[ast.AST]:
    """What stands below a node, without annotations, decorators and switches that change no result."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for below in value if isinstance(value, list) else [value]:
            if isinstance(below, ast.keyword) and below.arg in PLAIN_SWITCHES:
                continue
            if isinstance(below, ast.AST):
                yield below
