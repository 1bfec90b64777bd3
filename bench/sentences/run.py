"""Reads one half of the set, holds each sentence against its source by Rove's own check, and counts what it marks."""

from __future__ import annotations

import asyncio
import hashlib
import tomllib
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from pydantic import BaseModel

from bench.report import Table, say
from bench.vectors import use_remembered
from rove.answer.chat import AnswerContext, write_answer
from rove.models import EMBEDDERS, Embedder
from rove.models.judge import JUDGES, Judge
from rove.models.judge_chat import Comparison
from rove.records import Chunk, Hit, Verdict
from rove.settings import AnswerSettings, EmbedderSettings, JudgeSettings

FOLDER = Path(__file__).parent
HALVES = ("open", "held")
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
LANGUAGES = ("en", "de", "hu", "zh", "ja")
TRUE_KINDS = ("verbatim", "paraphrase", "merged", "summary", "translation", "units", "pronoun", "row", "list")
FALSE_KINDS = (
    *("roles", "number", "date", "time", "unit", "subject", "actor", "added", "only"),
    *("modality", "quantifier", "negation", "cell", "cause", "comparison", "condition"),
)
WARNING = (
    "The held half is not to be looked at while the check is worked on: these figures are all that is taken from it."
)


@dataclass(frozen=True, slots=True)
class Source:
    """A passage, verbatim. `document` names where it is from, `language` is ISO 639-1.

    Its text is not in its `repr`, so that no traceback or failing test shows the held half; nor is a sentence's.
    """

    document: str
    language: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A sentence about a source. `holds`: it follows from the source alone; else it is refuted or not said there."""

    id: str
    language: str
    holds: bool
    kind: str
    text: str = field(repr=False)
    source: Source = field(repr=False)


@dataclass(frozen=True, slots=True)
class Judged:
    """What the check made of a sentence; the least sure verdict where it was taken for several."""

    claimed: Claimed
    verdict: Verdict

    @property
    def is_marked(self) -> bool:
        """Whether it bears a mark: it differs from its source, or stands in none."""
        return self.verdict in ("differs", "unsourced")


def half_of(document: str) -> str:
    """Return the half that a document's sentences are in: "open" where the SHA-1 of its name is even."""
    return HALVES[hashlib.sha1(document.encode()).digest()[-1] % 2]


def read_half(half: str) -> list[Claimed]:
    """Read the sentences of a half, in the order of its files."""
    return [claimed for path in sorted((FOLDER / half).glob("*.toml")) for claimed in _read_file(path)]


def _read_file(path: Path) -> Iterator[Claimed]:
    for source in tomllib.loads(path.read_text("utf-8"))["source"]:
        sentences = source.pop("sentences")
        yield from (Claimed(**sentence, source=Source(**source)) for sentence in sentences)


@dataclass(frozen=True, slots=True)
class Says:
    """A chat model that writes one text, and compares without ever being wrong."""

    text: str
    holds: bool
    name: str = "says"

    async def stream(
        self, instructions: str, prompt: str, *, shape: type[BaseModel] | None = None
    ) -> AsyncIterator[str]:
        """Yield the text; of a comparison, whether it holds."""
        del instructions, prompt
        yield self.text if shape is not Comparison else Comparison(unsaid="", holds=self.holds).model_dump_json()


async def check(claimed: Claimed, embedder: Embedder, judge: Judge | None, *, verify: bool = False) -> Judged:
    """Let a chat model's reply be this sentence, cited to its source, and see what is said of it.

    `verify`: the model reads too what the judge is unsure of, and is always right: what then is wrong still is the
    fault of rules and judge.
    """
    source = claimed.source
    hit = Hit(Chunk("chunk", "document", source.text, (0, len(source.text)), 0, language=source.language), 1.0)

    async def text_of(_: str) -> str:
        return source.text

    chat = Says(f"{claimed.text} [1]", claimed.holds)
    context = AnswerContext(embedder, chat, AnswerSettings(verify=verify), text_of, judge=judge)
    verified = await write_answer("", [hit], [hit], claimed.language, chat, context)
    found: list[Verdict] = [sentence.verdict for sentence in verified.sentences] or ["unsourced"]
    return Judged(claimed, max(found, key=VERDICTS.index))


def run(halves: Sequence[str], *, wrong: bool = False) -> list[Table]:
    """Check the halves with the packaged models. `wrong`: list what is judged wrongly, of the open half alone."""
    embedder = EMBEDDERS.get(use_remembered())(EmbedderSettings())
    judge = JUDGES.get("e5")(JudgeSettings())
    tables: list[Table] = []
    for half in halves:
        say(f"sentences {half}")
        judged = asyncio.run(_check_all(read_half(half), embedder, judge))
        ways = {
            "by the packaged judge and rules": judged,
            "by rules alone": asyncio.run(_check_all(read_half(half), embedder, None)),
            "by both and a second judge that is always right": asyncio.run(
                _check_all(read_half(half), embedder, judge, verify=True)
            ),
        }
        tables += [by_verdict(found, f"The {half} half {way}") for way, found in ways.items()]
        tables += [by_language(judged, half), by_kind(judged, half)]
        if wrong and half == "open":
            tables.append(judged_wrongly(judged))
    return tables


async def _check_all(
    sentences: Sequence[Claimed], embedder: Embedder, judge: Judge | None, *, verify: bool = False
) -> list[Judged]:
    return [await check(claimed, embedder, judge, verify=verify) for claimed in sentences]


def by_verdict(judged: Sequence[Judged], title: str) -> Table:
    """How many true and how many false sentences got each verdict, and how many of each bear a mark."""
    rows: list[list[object]] = []
    for verdict in VERDICTS:
        true, false = (
            [one.verdict == verdict for one in judged if one.claimed.holds is holds] for holds in (True, False)
        )
        rows.append([verdict, sum(true), _share(sum(true), len(true)), sum(false), _share(sum(false), len(false))])
    true, false = (_marked_of([one for one in judged if one.claimed.holds is holds]) for holds in (True, False))
    note = f"Marked: {true} true ones, {false} false ones."
    return Table(title, ["verdict", "true", "share", "false", "share"], rows, note)


def by_language(judged: Sequence[Judged], half: str) -> Table:
    """How many are marked: of all, by the sentence's language, and by the pair of languages."""
    groups = {("all", "all"): list(judged)}
    for language in LANGUAGES:
        groups[language, "all"] = [one for one in judged if one.claimed.language == language]
    pairs = sorted({(one.claimed.source.language, one.claimed.language) for one in judged}, key=_order_of)
    for pair in pairs:
        groups[pair[1], pair[0]] = [
            one for one in judged if (one.claimed.source.language, one.claimed.language) == pair
        ]
    columns = ["sentence in", "source in", "true", "marked of them", "share", "false", "marked of them", "share"]
    rows = [[*names, *_figures(group)] for names, group in groups.items()]
    return Table(f"The {half} half by language", columns, rows, "" if half == "open" else WARNING)


def _order_of(pair: tuple[str, str]) -> tuple[bool, int, int]:
    """Sort pairs: the same language first, then in the order of `LANGUAGES`."""
    return pair[0] != pair[1], LANGUAGES.index(pair[0]), LANGUAGES.index(pair[1])


def _figures(judged: Sequence[Judged]) -> list[object]:
    figures: list[object] = []
    for holds in (True, False):
        marked = [one.is_marked for one in judged if one.claimed.holds is holds]
        figures += [len(marked), sum(marked), _share(sum(marked), len(marked))]
    return figures


def by_kind(judged: Sequence[Judged], half: str) -> Table:
    """How many of each kind are marked, in all and in each language of the sentence."""
    rows: list[list[object]] = []
    for kind in (*TRUE_KINDS, *FALSE_KINDS):
        of_kind = [one for one in judged if one.claimed.kind == kind]
        share = _share(sum(one.is_marked for one in of_kind), len(of_kind))
        by_languages = [_marked_of([one for one in of_kind if one.claimed.language == name]) for name in LANGUAGES]
        rows.append([kind, "true" if kind in TRUE_KINDS else "false", _marked_of(of_kind), share, *by_languages])
    note = "Marked of all, then of those in each language of the sentence."
    return Table(f"The {half} half by kind", ["kind", "is", "marked", "share", *LANGUAGES], rows, note)


def judged_wrongly(judged: Sequence[Judged]) -> Table:
    """List true sentences that are marked, and false ones that are not."""
    wrong = [one for one in judged if one.is_marked is one.claimed.holds]
    rows = [[one.claimed.id, one.verdict, one.claimed.kind, one.claimed.text] for one in wrong]
    return Table("Judged wrongly in the open half", ["id", "verdict", "kind", "sentence"], rows)


def _marked_of(judged: Sequence[Judged]) -> str:
    return f"{sum(one.is_marked for one in judged)} of {len(judged)}" if judged else ""


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else ""
