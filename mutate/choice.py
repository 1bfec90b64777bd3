"""Which tests a mutant is shown: those that run its lines, measured once for each test file and kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock

from mutate import CACHE, ROOT
from mutate.copies import Copy
from mutate.mutants import Mutant

LIMIT_S = 600
"""A test file that takes longer to measure is not asked."""


@dataclass(slots=True)
class Choice:
    """What was measured. `kills` counts by module which tests have killed its mutants, and so are asked first.

    `ran` counts the lines that each test runs: a test that runs little but a module is about that module.
    """

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    lines: dict[str, dict[int, set[str]]] = field(default_factory=dict[str, dict[int, set[str]]])
    sources: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    ran: Counter[str] = field(default_factory=Counter[str])
    kills: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    lock: Lock = field(default_factory=Lock)

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests for a mutant: those that have killed others of its module, then those that run little else.

        Of a module that has changed since, and for what runs when a module is loaded, all tests that run any of it.
        """
        lines = self.lines.get(mutant.module, {})
        first, last = mutant.lines
        found: set[str] = set()
        if self.sources.get(mutant.module) == {source_hash(mutant.module)}:
            found = set[str]().union(*(lines.get(line, set()) for line in range(first, last + 1)))
        if not found:
            found = set[str]().union(*lines.values())
        killed = self.kills.get(mutant.module, Counter())
        here = Counter(test for tests in lines.values() for test in tests)
        return sorted(found, key=lambda test: (-killed[test], -here[test] / self.ran[test], self.seconds[test], test))

    def killed(self, mutant: Mutant, test: str) -> None:
        """Remember which test has killed a mutant."""
        with self.lock:
            self.kills.setdefault(mutant.module, Counter())[test] += 1

    def take(self, measured: dict[str, dict]) -> None:
        """Take in what was measured of a test file. A test that fails on the code as it is can kill nothing."""
        seconds, failed = measured["seconds"], set(measured["failed"])
        held = {test: took for test, took in seconds.items() if test not in failed}
        self.seconds.update(held)
        for module, of in measured["lines"].items():
            self.sources.setdefault(module, set()).add(measured["sources"][module])
            lines = self.lines.setdefault(module, {})
            for name, numbers in of.items():
                tests = [name] if name in seconds else [test for test in held if name and test.startswith(f"{name}::")]
                tests = [test for test in tests if test in held]
                for number in numbers:
                    lines.setdefault(number, set()).update(tests)
                for test in tests:
                    self.ran[test] += len(numbers)


def measure(copy: Copy, tests: Sequence[str]) -> Choice:
    """Measure the test files that have changed since they were measured; take the others as they were kept."""
    choice = Choice()
    for path in test_files(copy.root, tests):
        kept = CACHE / f"{path.replace('/', '-')}.json"
        mark = sha256((copy.root / path).read_bytes()).hexdigest()
        measured = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
        if measured.get("mark") != mark:
            measured = {**_measured(copy, path), "mark": mark}
            if measured["seconds"]:
                CACHE.mkdir(exist_ok=True)
                kept.write_text(json.dumps(measured), "utf-8")
        choice.take(measured)
    return choice


def test_files(root: Path, tests: Sequence[str]) -> Iterator[str]:
    """The files of tests in these places, by their paths in the project."""
    for place in tests:
        path = root / place
        for file in [path] if path.is_file() else sorted(path.rglob("test_*.py")):
            yield file.relative_to(root).as_posix()


def source_hash(module: str) -> str:
    """What a module said when it was measured."""
    return sha256((ROOT / module).read_bytes()).hexdigest()


def _measured(copy: Copy, path: str) -> dict[str, dict]:
    result = copy.root.parent / "lines.json"
    result.unlink(missing_ok=True)
    copy.run([path], LIMIT_S, ROVE_MUTATE_LINES=str(result))
    measured = json.loads(result.read_text("utf-8")) if result.exists() else {"seconds": {}, "failed": [], "lines": {}}
    return {**measured, "sources": {module: source_hash(module) for module in measured["lines"]}}
