"""Conversations of two turns: is the second question asked of what the first was about, where it means that?"""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.report import Table, say
from rove import Rove, Text

HALVES = ("turns", "blind_turns")
"""Files beside this one. The second was written by somebody who has not seen the engine. Looked into before the rules
were made: en, de and hu of the first, en, hu, es and ru of the second."""
KINDS = ("spoken-of", "another")


@dataclass(frozen=True, slots=True)
class TwoTurns:
    """A question, and one that follows it. `right`, `wrong`: what a right answer to the second has, and has not."""

    language: str
    kind: str
    first: str
    second: str
    right: str
    wrong: str

    def is_right(self, answer: str) -> bool:
        """Say whether an answer is the one that is meant, and only that.

        >>> TwoTurns("en", "spoken-of", "Where is the gym?", "What does a visit cost?", "9 euros", "5 euros").is_right(
        ...     "A visit costs 9 euros. [1]")
        True
        """
        return bool(re.search(self.right, answer)) and not (self.wrong and re.search(self.wrong, answer))


def read_turns(half: str) -> tuple[list[Text], list[TwoTurns]]:
    """Return the documents of a file, and the turns."""
    told = tomllib.loads(Path(__file__).with_name(f"{half}.toml").read_text("utf-8"))
    texts = [
        Text(text.strip(), id=f"{language}-{name}", title=text.strip().splitlines()[0].lstrip("# "))
        for language, documents in told["documents"].items()
        for name, text in documents.items()
    ]
    return texts, [TwoTurns(**one) for one in told["turns"]]


def converse(kb: Rove, turns: Sequence[TwoTurns]) -> Iterator[tuple[TwoTurns, str]]:
    """Ask both questions of each in a conversation of its own; yield the answer to the second."""
    for one in turns:
        conversation = kb.begin_conversation()
        kb.converse(conversation, one.first)
        yield one, kb.converse(conversation, one.second).answer.text


def run(halves: Sequence[str] = HALVES) -> list[Table]:
    """Measure each file, all its documents in one base, without a chat model."""
    return [_table(half) for half in halves]


def _table(half: str) -> Table:
    texts, turns = read_turns(half)
    with tempfile.TemporaryDirectory() as folder, Rove.open(folder) as kb:
        kb.add(*texts)
        said: list[tuple[TwoTurns, bool]] = []
        for one, answer in converse(kb, turns):
            said.append((one, one.is_right(answer)))
            say(f"{half} {one.language} {one.second!r}: {'right' if said[-1][1] else answer[:80]!r}")
    languages = list(dict.fromkeys(one.language for one in turns))
    rows: list[list[object]] = [[name, *_shares(name, said)] for name in ("all", *languages)]
    title = f"{half}: {len(turns)} conversations of two turns over {len(texts)} documents"
    return Table(title, ["language", *(f"{kind}: right" for kind in KINDS)], rows)


def _shares(language: str, said: Sequence[tuple[TwoTurns, bool]]) -> list[str]:
    counts: Mapping[str, list[bool]] = {
        kind: [right for one, right in said if one.kind == kind and language in ("all", one.language)] for kind in KINDS
    }
    return [f"{sum(rights)} of {len(rights)}" for rights in counts.values()]
