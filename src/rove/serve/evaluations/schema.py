"""Evaluations: what is wanted, how far it is, and the report."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue, field_validator, model_validator

from rove.errors import ConfigError, InputError
from rove.registry import load
from rove.retrieve import RETRIEVERS
from rove.retrieve.condition import parse_where
from rove.serve.redaction import Cure, Said
from rove.serve.schema import Reply, Wire

METRICS = ("ndcg@10", "recall@10", "rr", "hit@1")
AS_SET_UP = "as set up"
LARGEST = 100_000
State = Literal["preparing", "asking", "answering", "scoring", "done", "failed", "cancelled"]
ENDED = ("done", "failed", "cancelled")
Metric = Annotated[str, Field(min_length=1, max_length=40)]


class WayIn(Wire):
    """A configuration: how the base is asked, and settings of the table "search" that differ from its own.

    `mode`: keyword, semantic, hybrid, gather, or a plug-in's name. `where`: conditions, e.g. "year>=2020".
    """

    name: str = Field(default=AS_SET_UP, min_length=1, max_length=60)
    mode: str = Field(default="hybrid", max_length=40)
    rerank: bool | None = None
    top_k: int = Field(default=10, ge=1, le=100)
    where: tuple[Annotated[str, Field(max_length=200)], ...] = Field(default=(), max_length=10)
    search: dict[str, JsonValue] = Field(default={}, examples=[{"fusion": "rrf"}])


def _can_be_run(way: WayIn) -> WayIn:
    try:
        parse_where(way.where)
        load("rove.evaluate.configuration:check_keys")({"search": way.search}, way.name)
    except (InputError, ConfigError) as error:
        raise ValueError(error.reason) from None
    if way.mode not in RETRIEVERS.names():
        message = f"there is no mode {way.mode!r}; there are {', '.join(RETRIEVERS.names())}"
        raise ValueError(message)
    if any(isinstance(value, int | float) and value > LARGEST for value in way.search.values()):
        message = f"a number of the table search is larger than {LARGEST}"
        raise ValueError(message)
    return way


class TableIn(Wire):
    """A file of questions: CSV, TSV or lines of JSON with `question` and `source`, as `rove eval` takes it."""

    name: str = Field(max_length=200, pattern=r"(?is)^.+\.(csv|tsv|jsonl)$", examples=["questions.csv"])
    text: str = Field(min_length=1, max_length=10_000_000, examples=["question,source\nWho approves?,policy.md\n"])


class MakeIn(Wire):
    """Questions made from the base's own documents: from headings and tables, or with `model` by the chat model."""

    count: int = Field(default=50, ge=1, le=1_000)
    model: bool = False


class EvaluationIn(Wire):
    """What is to be evaluated: either a `table` of questions, or some to `make`; asked in each of the configurations.

    The first configuration is the baseline that the others are compared with. `answers`: each question is answered too,
    as the base answers with the configuration's `search` and `where`, and the answers are measured.
    """

    table: TableIn | None = None
    make: MakeIn | None = None
    configurations: tuple[Annotated[WayIn, AfterValidator(_can_be_run)], ...] = Field(
        default=(WayIn(),), min_length=1, max_length=12
    )
    metrics: tuple[Metric, ...] = Field(default=METRICS, min_length=1, max_length=12)
    answers: bool = False

    @model_validator(mode="after")
    def _one_of_them(self) -> EvaluationIn:
        if (self.table is None) == (self.make is None):
            message = "give either table or make"
            raise ValueError(message)
        if len({way.name for way in self.configurations}) < len(self.configurations):
            message = "two configurations have the same name"
            raise ValueError(message)
        return self

    @field_validator("metrics")
    @classmethod
    def _are_known(cls, metrics: tuple[str, ...]) -> tuple[str, ...]:
        try:
            load("rove.evaluate.scoring:check_metrics")(metrics)
        except ConfigError as error:
            raise ValueError(str(error)) from None
        return tuple(dict.fromkeys(metrics))


class MeanOut(Reply):
    """The mean of a metric over `scored` of `asked` questions, with its 95 % interval; None: none could be scored."""

    metric: str
    mean: float | None
    low: float | None
    high: float | None
    scored: int
    asked: int


class EvaluationOut(Reply):
    """An evaluation as it stands, or stood in the end: `asked` of `expected` searches and answers; 0 of 0 at first.

    `table`: the file of questions that was handed in, "" where `make` of them are made from the documents, by the chat
    model if `model`. `starts`: how often it was begun. `best` is the configuration with the highest mean of the first
    metric, and `headline` are its means. `reason` and `cure` say why it failed. Times are ISO 8601 in UTC.
    """

    evaluation_id: str
    by: str
    name: str
    began_at: str
    configurations: tuple[WayIn, ...]
    metrics: tuple[str, ...]
    table: str = ""
    make: int = 0
    model: bool = False
    answers: bool = False
    state: State = "preparing"
    starts: int = 0
    reason: Said = ""
    cure: Cure = ""
    ended_at: str = ""
    questions: int = 0
    asked: int = 0
    expected: int = 0
    best: str = ""
    headline: tuple[MeanOut, ...] = ()

    @property
    def over(self) -> bool:
        """Whether it has come to an end, good or bad."""
        return self.state in ENDED


class EvaluationList(Reply):
    """Evaluations of a base, the latest first; `next_cursor` asks for what follows."""

    evaluations: list[EvaluationOut]
    next_cursor: int | None = None


class BesideOut(Reply):
    """The mean difference from the baseline, question by question, with its 95 % interval and Holm's p-value."""

    mean: float
    low: float
    high: float
    p_value: float


class RowOut(Reply):
    """One configuration. Latencies are of a search, in milliseconds; `errors` questions could not be asked.

    `beside` goes by metric; the baseline's is empty. `same_as`: an equal configuration that came before.
    """

    configuration: WayIn
    means: tuple[MeanOut, ...]
    beside: dict[str, BesideOut]
    p50_ms: float | None
    p95_ms: float | None
    errors: int
    same_as: str


class AnswersOut(Reply):
    """What the answers of some `configurations`, which answer alike, are worth.

    See `rove.evaluate.answering.AnswerScores`. `beside` is the difference from the first of all, by metric. Latencies
    are of an answer. Tokens were used by the chat model for the answers, and by it as the judge; `estimated`: it did
    not say how many. `graded_by`: who gave the relevancy. `errors` questions could not be asked.
    """

    configurations: tuple[str, ...]
    means: tuple[MeanOut, ...]
    beside: dict[str, BesideOut]
    p50_s: float | None
    p95_s: float | None
    calls: int
    tokens_read: int
    tokens_written: int
    estimated: bool
    judge_calls: int
    judge_tokens: int
    graded_by: str
    errors: int


class FoundOut(Reply):
    """A document that was found, in its order; `expected`: it is one of those that should be."""

    document_id: str
    title: str
    expected: bool


class WorstOut(Reply):
    """A question that the best configuration does badly at; `values` of the first metric go by configuration."""

    question_id: str
    question: str
    expected: tuple[str, ...]
    found: tuple[FoundOut, ...]
    values: dict[str, float | None]
    error: Said


class ReportOut(Reply):
    """What an evaluation says. `rows` are in the order of their mean rank; `worst` begins with the worst question.

    `answers` begins with that of the baseline; it is empty where nothing was to be answered.
    """

    baseline: str
    best: str
    metrics: tuple[str, ...]
    questions: int
    documents: int
    rows: tuple[RowOut, ...]
    worst: tuple[WorstOut, ...]
    answers: tuple[AnswersOut, ...] = ()


class EvaluationTold(Reply):
    """An evaluation, and its report if it is done."""

    evaluation: EvaluationOut
    report: ReportOut | None
