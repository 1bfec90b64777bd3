"""Reads one half of the set, holds each sentence against its source by Rove's own check, and counts what it kept."""

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
from rove.answer.chat import AnswerContext, write
from rove.answer.entailment import Comparison
from rove.models import EMBEDDERS, Embedder
from rove.records import Chunk, Hit, Verdict
from rove.settings import AnswerSettings, EmbedderSettings

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
    def kept(self) -> bool:
        """Whether it stands in the answer, marked or not."""
        return self.verdict != "unsupported"

    @property
    def is_marked(self) -> bool:
        """Whether it stands there marked as doubtful."""
        return self.verdict == "doubtful"


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


async def judge(claimed: Claimed, embedder: Embedder, *, verify: bool = False) -> Judged:
    """Let a chat model's reply be this sentence, cited to its source, and see what is said of it.

    `verify`: the model is asked too, and is always right: what then is wrong still is the fault of the rules.
    """
    source = claimed.source
    hit = Hit(Chunk("chunk", "document", source.text, (0, len(source.text)), 0, language=source.language), 1.0)

    async def text_of(_: str) -> str:
        return source.text

    chat = Says(f"{claimed.text} [1]", claimed.holds)
    context = AnswerContext(embedder, chat, AnswerSettings(verify=verify), text_of)
    verified = await write("", [hit], [hit], claimed.language, chat, context)
    found = [sentence.verdict for sentence in verified.sentences] or ["unsupported"]
    return Judged(claimed, max(found, key=VERDICTS.index))


def run(halves: Sequence[str], *, wrong: bool = False) -> list[Table]:
    """Judge the halves with the packaged embedder. `wrong`: list what was judged wrongly, of the open half alone."""
    embedder = EMBEDDERS.get(use_remembered())(EmbedderSettings())
    tables: list[Table] = []
    for half in halves:
        say(f"sentences {half}")
        judged = asyncio.run(_judge_all(read_half(half), embedder))
        verified = asyncio.run(_judge_all(read_half(half), embedder, verify=True))
        tables += [by_verdict(judged, f"The {half} half by verdict")]
        title = f"The {half} half by verdict, if the model that verifies were always right"
        tables += [by_verdict(verified, title), by_language(judged, half), by_kind(judged, half)]
        if wrong and half == "open":
            tables.append(judged_wrongly(judged))
    return tables


async def _judge_all(sentences: Sequence[Claimed], embedder: Embedder, *, verify: bool = False) -> list[Judged]:
    return [await judge(claimed, embedder, verify=verify) for claimed in sentences]


def by_verdict(judged: Sequence[Judged], title: str) -> Table:
    """How many true and how many false sentences got each verdict, and how right those are that stand unmarked."""
    rows: list[list[object]] = []
    for verdict in VERDICTS:
        true, false = (
            [one.verdict == verdict for one in judged if one.claimed.holds is holds] for holds in (True, False)
        )
        rows.append([verdict, sum(true), _share(sum(true), len(true)), sum(false), _share(sum(false), len(false))])
    bare = [one.claimed.holds for one in judged if one.kept and not one.is_marked]
    note = f"Shown without a mark: {len(bare)}, of which {sum(bare)} are true."
    return Table(title, ["verdict", "true", "share", "false", "share"], rows, note)


def by_language(judged: Sequence[Judged], half: str) -> Table:
    """Precision and recall of "kept": all, by the sentence's language, and by the pair of languages."""
    groups = {("all", "all"): list(judged)}
    for language in LANGUAGES:
        groups[language, "all"] = [one for one in judged if one.claimed.language == language]
    pairs = sorted({(one.claimed.source.language, one.claimed.language) for one in judged}, key=_order_of)
    for pair in pairs:
        groups[pair[1], pair[0]] = [
            one for one in judged if (one.claimed.source.language, one.claimed.language) == pair
        ]
    columns = ["sentence in", "source in", "true", "kept of them", "recall", "false", "kept of them", "precision"]
    rows = [[*names, *_figures(group)] for names, group in groups.items()]
    note = "Recall: true sentences kept of all true ones. Precision: true ones of all that were kept."
    return Table(f"The {half} half by language", columns, rows, note if half == "open" else f"{note} {WARNING}")


def _order_of(pair: tuple[str, str]) -> tuple[bool, int, int]:
    """Sort pairs: the same language first, then in the order of `LANGUAGES`."""
    return pair[0] != pair[1], LANGUAGES.index(pair[0]), LANGUAGES.index(pair[1])


def _figures(judged: Sequence[Judged]) -> list[object]:
    true = [one.kept for one in judged if one.claimed.holds]
    false = [one.kept for one in judged if not one.claimed.holds]
    precision = _share(sum(true), sum(true) + sum(false))
    return [len(true), sum(true), _share(sum(true), len(true)), len(false), sum(false), precision]


def by_kind(judged: Sequence[Judged], half: str) -> Table:
    """Recall of each true kind; of each false kind the precision that it alone would leave."""
    recall = _kept_share([one for one in judged if one.claimed.holds])
    rows: list[list[object]] = []
    for kind in (*TRUE_KINDS, *FALSE_KINDS):
        of_kind = [one for one in judged if one.claimed.kind == kind]
        kept = _kept_share(of_kind)
        last = [f"{kept:.2f}", ""] if kind in TRUE_KINDS else ["", f"{_precision(recall, kept)}"]
        by_languages = [_kept_of([one for one in of_kind if one.claimed.language == name]) for name in LANGUAGES]
        rows.append([kind, "true" if kind in TRUE_KINDS else "false", _kept_of(of_kind), *last, *by_languages])
    note = (
        "Kept of all, then of those in each language of the sentence. Precision of a false kind: what it would be if "
        "all false sentences were of that kind, and as many as the true ones."
    )
    return Table(f"The {half} half by kind", ["kind", "is", "kept", "recall", "precision", *LANGUAGES], rows, note)


def judged_wrongly(judged: Sequence[Judged]) -> Table:
    """List true sentences that were left out, and false ones that were kept."""
    wrong = [one.claimed for one in judged if one.kept != one.claimed.holds]
    rows = [[one.id, "left out" if one.holds else "kept", one.kind, one.text] for one in wrong]
    return Table("Judged wrongly in the open half", ["id", "was", "kind", "sentence"], rows)


def _kept_share(judged: Sequence[Judged]) -> float:
    return sum(one.kept for one in judged) / max(len(judged), 1)


def _kept_of(judged: Sequence[Judged]) -> str:
    return f"{sum(one.kept for one in judged)} of {len(judged)}" if judged else ""


def _precision(recall: float, kept: float) -> str:
    return f"{recall / (recall + kept):.2f}" if recall + kept else ""


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else ""
