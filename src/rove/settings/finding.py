"""What settings say of finding and answering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator

from rove.errors import ConfigError
from rove.settings.section import FILE, Change, SettingsSection


class GraphSettings(SettingsSection):
    """Where the graph of knowledge is looked through."""

    store: str = "catalog"
    """"catalog", which needs nothing else, "bolt" (Neo4j, Memgraph, ArcadeDB) and "tugraph" (an extra: `pip install
    'rove[bolt]'`), or a plug-in's name."""
    url: str = "bolt://localhost:7687"
    """The address of the graph database."""
    user: str = ""
    """Who asks; "": nobody in particular."""
    password: SecretStr = SecretStr("")
    """The user's password. It is never printed; give it in the environment: `ROVE_STORE__GRAPH__PASSWORD`."""
    database: str = "neo4j"
    """The graph database's database: "neo4j", "memgraph", for TuGraph "default"."""
    timeout_s: float = Field(default=10.0, gt=0)
    """How long a connection is waited for, and a query that the server asks for again is repeated."""


class IndexServerSettings(SettingsSection):
    """How an index is reached that is a server of its own."""

    url: str = ""
    """Its address: "https://localhost:9200", say. "": where such a server usually is on this machine."""
    user: str = ""
    """Who asks; "": nobody in particular."""
    password: SecretStr = SecretStr("")
    """The user's password. It is never printed; give it in the environment: `ROVE_STORE__SERVER__PASSWORD`."""
    api_key: SecretStr = SecretStr("")
    """A key in place of user and password. It is never printed: `ROVE_STORE__SERVER__API_KEY`."""
    database: str = ""
    """The server's database, where it has several; "": the one that it takes by itself."""
    name: str = Field(default="", pattern=r"^([a-z][a-z0-9_]{2,62})?$")
    """What the base is called there, its index, collection or table; "": "rove_" and an id of the base's own."""
    verify: bool = True
    """Whether the certificate of an https address is checked."""
    ca_file: str = ""
    """The certificates that are trusted for that; "": those that this machine trusts."""
    timeout_s: float = Field(default=30.0, gt=0)
    """How long a reply is waited for."""
    retries: int = Field(default=3, ge=0)
    """How often a call is tried again that the server could not answer."""
    bulk_rows: int = Field(default=500, ge=1)
    """Chunks that are written by one call."""


class StoreSettings(SettingsSection):
    """Keeping and finding chunks."""

    change = Change("page", "start")
    index: Annotated[str, FILE] = "embedded"
    """What compares vectors: "embedded", which is in the catalog's own folder and needs nothing else, "lancedb" (an
    extra: `pip install 'rove[lance]'`), a server (see `store.server`), or a plug-in's name."""
    keywords: Annotated[Literal["embedded", "index"], FILE] = "embedded"
    """What compares words: the embedded index, whose ranking is one at every size, or the one that `index` names, by
    its own BM25 over passages alone. A caller who may see a part of the base is answered by the embedded one."""
    resident_chunks: int = Field(default=131_072, ge=0)
    """Chunks up to which the embedded index compares vectors, exactly, also where `index` names another one."""
    vector_index: Annotated[Literal["ivf_sq", "ivf_pq"], FILE] = "ivf_sq"
    """How the vectors of a base of 65,536 chunks or more are indexed in LanceDB: by scalar or by product quantization.
    A base whose vectors are indexed in the other way is indexed anew when it is next written to."""
    num_partitions: Annotated[int, FILE] = Field(default=0, ge=0)
    """Partitions of the vector index; 0: as many as the square root of the rows."""
    num_sub_vectors: Annotated[int, FILE] = Field(default=0, ge=0)
    """Of "ivf_pq": the parts that each vector is cut into. It must divide the embedder's dimension (96 of 384, say); 0:
    a sixteenth of the dimension."""
    nprobes: int = Field(default=20, ge=1)
    """Partitions that a search looks into; with a filter, as many as it takes."""
    refine: int = Field(default=50, ge=1)
    """So many candidates, at least, are compared by their whole vectors; each is a read from the disk."""
    refine_factor: int = Field(default=0, ge=0)
    """LanceDB's refine factor, in place of `refine`: whole vectors are compared of so many candidates for each hit that
    is asked for. 0: `refine` holds."""
    k1: float = Field(default=1.2, ge=0)
    """BM25's k1: how soon a term's further occurrences stop to count."""
    b: float = Field(default=0.75, ge=0, le=1)
    """BM25's b: how much a long chunk's terms count less."""
    document_share: float = Field(default=0.5, ge=0, le=1)
    """The share of a chunk's keyword score that is its whole document's score."""
    files: Annotated[str, FILE] = ""
    """An object store for the files that the base keeps, in place of its own folder or database, as long as there are
    none: "s3://bucket/prefix?region=eu-central-1", with `endpoint=https://host:port` for one that is not Amazon's. Keys
    are taken from the environment, as S3's clients know it."""
    server: Annotated[IndexServerSettings, FILE] = IndexServerSettings.model_construct()
    """How an index is reached that is a server of its own."""
    graph: Annotated[GraphSettings, FILE] = GraphSettings.model_construct()
    """Where the graph of knowledge is looked through."""


def check_sub_vectors(settings: StoreSettings, dimension: int) -> None:
    """See that vectors of this dimension can be cut into the parts that the settings want.

    Raises:
        ConfigError: they cannot.
    """
    parts = settings.num_sub_vectors
    if settings.vector_index == "ivf_pq" and parts and dimension % parts:
        message = f"store.num_sub_vectors is {parts}, which does not divide the embedder's dimension, {dimension}."
        near = max(size for size in range(1, min(parts, dimension) + 1) if dimension % size == 0)
        raise ConfigError(message, cure=f"Set it to {near}, or to 0.")


class SearchSettings(SettingsSection):
    """Retrieval."""

    change = Change("page", "now")
    top_k: int = Field(default=10, ge=1)
    """How many hits a search gives where the call does not say. Mode "gather" goes by its five numbers instead."""
    candidates: int = Field(default=100, ge=1)
    """How long each ranked list is before the lists are fused."""
    fusion: Literal["adaptive", "zscore", "rrf", "weighted"] = "adaptive"
    """How the keyword list and the semantic list become one: by how much of the question the keywords cover
    ("adaptive"), by the sum of z-scores, by reciprocal ranks ("rrf"), or by the weighted sum of scores, each list
    scaled to 0 … 1 ("weighted")."""
    rrf_k: int = Field(default=60, ge=0)
    """Of "rrf": k in the sum of weight / (k + rank), rank from 1."""
    keyword_weight: float = Field(default=1.0, ge=0)
    """Of "rrf" and "weighted": what the keyword list counts."""
    semantic_weight: float = Field(default=1.0, ge=0)
    """Of "rrf" and "weighted": what the semantic list counts."""
    outdated: Literal["note", "hide_gone", "hide"] = "hide_gone"
    """Documents whose file is gone, empty or damaged by now: found, with the day that their text is of ("note"), or not
    at all ("hide"); with "hide_gone" those are not found whose file is gone, and the others are."""
    deduplicate: Literal["off", "equal", "near"] = "equal"
    """Hits with the same text are one: the one with the best score, which has the others in `same`. With "equal" where
    they differ in white space and case only, with "near" also where they share 90 % of their runs of five characters.
    They are looked for among the first `candidates`, and as far as ten times that until `top_k` hits differ."""
    k_keyword: int = Field(default=3, ge=0)
    """Of mode "gather": so many of the keyword list go straight to the result."""
    k_semantic: int = Field(default=3, ge=0)
    """Of mode "gather": so many of the semantic list go straight to the result."""
    k_rerank: int = Field(default=3, ge=0)
    """Of mode "gather": so many of the reranked pool go to the result."""
    pool_keyword: int = Field(default=10, ge=0)
    """Of mode "gather": so many of the keyword list go to the reranker."""
    pool_semantic: int = Field(default=10, ge=0)
    """Of mode "gather": so many of the semantic list go to the reranker."""
    reranker: str = ""
    """"late", "embedder", "endpoint", "onnx" or a plug-in's name. "": "late" where the embedder keeps tokens, else
    "embedder"."""
    rerank_weight: float | None = Field(default=None, ge=0, le=1)
    """What the reranker's score counts beside the first stage's; none: the reranker's own weight."""
    rerank_pool: int = Field(default=20, ge=1)
    """How many of the best hits the reranker looks at."""
    rules: tuple[str, ...] = ()
    """Rules that order the best hits by their metadata, one after the other."""
    rule_options: Mapping[str, Mapping[str, str | int | float | bool]] = Field(default_factory=dict)
    """Options of the rules, by the rule's name."""
    rule_pool: int = Field(default=50, ge=1)
    """How many of the best hits the rules order."""
    chain: tuple[str, ...] = ("questions", "hybrid")
    """Of mode "chain": the modes that are asked in turn; the first that finds anything wins."""
    chain_scores: Mapping[str, float] = Field(default_factory=dict)
    """Of mode "chain": a mode, and the least score with which something counts as found by it."""
    together: Mapping[str, float] = Field(default_factory=lambda: {"hybrid": 1.0, "tree": 1.0})
    """Of mode "together": the modes that are asked at once, and what each counts; their lists are fused by ranks."""
    keyword_fields: tuple[str, ...] = ("keywords", "tags")
    """Metadata that "sparse" looks into. Of a record a text in such a field is read as a list: "校名,校史,简介"."""

    @model_validator(mode="after")
    def _weighed(self) -> Self:
        if not self.keyword_weight and not self.semantic_weight:
            message = "keyword_weight and semantic_weight are both 0; give one of them a weight"
            raise ValueError(message)
        if not self.chain or not self.together:
            message = "chain and together must each name a mode"
            raise ValueError(message)
        if composed := {"chain", "together"} & {*self.chain, *self.together}:
            message = f"chain and together are made of other modes: they cannot name {', '.join(sorted(composed))}"
            raise ValueError(message)
        if unknown := sorted(self.chain_scores.keys() - set(self.chain)):
            message = f"chain_scores has scores for what chain does not name: {', '.join(unknown)}"
            raise ValueError(message)
        if any(weight <= 0 for weight in self.together.values()):
            message = "the weights of together must be above 0"
            raise ValueError(message)
        return self


class AnswerSettings(SettingsSection):
    """Answers."""

    change = Change("page", "now")
    pipeline: Literal["search", "gather", "none"] = "search"
    """"search": by the retriever `mode`. "gather": two rounds, every chunk graded. "none": the chat model is asked
    without a search, and the answer says so."""
    mode: str = "hybrid"
    """The retriever whose hits are answered from."""
    fallback: tuple[str, ...] = ("refuse",)
    """What is tried, in turn, where nothing near enough was found: "synonyms", "hyde", "unsourced", "refuse", or a
    plug-in's name."""
    references: int = Field(default=5, ge=1)
    """How many passages an answer may rest on; all that a gathering gives, if these are more."""
    quotes: int = Field(default=3, ge=1)
    """How many sentences an answer without a chat model quotes, at most; a walk as many again from its leads."""
    overview: bool = True
    """Whether a question for what all the documents are about ("What are the main themes?") is answered by mode
    "themes"."""
    forms: bool = True
    """Whether questions that no passage answers by itself are answered from whole documents and from the catalog:
    "Summarise the travel policy", "Which documents mention X?", "What is new since Monday?", "What changed between v1
    and v2?", "Tell me about X", and, with the extra "sql", from all rows of a table: "Who has not paid?". The forms are
    known by the packaged embedder alone; of another one's, all but tables are searched for."""
    stored: bool = True
    """Whether a question that stands in a document with its answer ("Q: … A: …", a FAQ's table, a heading that asks) is
    answered by that answer, word for word and without a model. Mode "questions" takes what means the same, too."""
    related: int = Field(default=0, ge=0, le=10)
    """How many related questions stand beside an answer, at most: what else the documents say near it, each a question
    that the base answers; three cost a tenth of a second of one core. 0: none is looked for; the page then looks for
    its own once an answer stands there."""
    seconds: float = Field(default=600.0, ge=0)
    """How long models may be asked for one question, all steps and retries together. What is left is then done by
    rules, which have 30 s more. 0: no bound."""
    max_distance: float = Field(default=0.0, ge=0, le=2)
    """The cosine distance within which something must lie for a question to be answered; it holds in every `mode`.

    0: what was found is read, and answered from where it seems to answer. An embedder that keeps no tokens cannot read:
    then its own distance decides, where the mode knows distances; "keyword" and "sparse" know none, and the answer's
    note says so, as it does of what the fallback "synonyms" finds. In the pipeline "gather" the grades stand in for it.
    """
    verify: bool = False
    """Whether a second judge reads the sentences of a chat model of which the packaged one is not sure: the one that
    `judge.name` names, or else the chat model itself; a call more for each. Worth it with a strong model; a weak one
    confirms what is false."""
    strict: bool = False
    """Whether sentences of a chat model are deleted that no source says, or that their source contradicts. Else they
    stand, and are marked; what is deleted is told beside the answer."""
    thoughts: bool = False
    """Whether what a reasoning model thinks before it writes is kept beside its answer: folded in the page, unchecked,
    never a part of the answer and never cited."""
    persona: str = "You answer questions from the user's own documents."
    """Who answers: it opens the chat model's instructions."""
    style: str = ""
    """What is wished of the tone and the form of what the chat model writes ("In short sentences, as to a child").
    It changes no rule: what no source holds is left out. A system prompt over the OpenAI-shaped API stands here."""
    demonstrations: Literal["usual", "campus"] = "usual"
    """The three examples in the chat model's instructions. "campus": they are in the question's language, and the
    second answers a question about the assistant itself from the persona; such sentences then need no source, nor does
    such a question need anything within `max_distance`."""

    @property
    def self_portrait(self) -> str:
        """The persona, where the demonstrations let the model speak of itself; else ""."""
        return self.persona if self.demonstrations == "campus" else ""


class WalkSettings(SettingsSection):
    """Walks, and the budget of a walk that is given none; a bound of 0 is none."""

    change = Change("page", "now")
    rounds: int = Field(default=4, ge=0)
    """Rounds at most."""
    calls: int = Field(default=24, ge=0)
    """Calls to the chat model at most."""
    tokens: int = Field(default=100_000, ge=0)
    """Tokens at most, read and written together."""
    seconds: float = Field(default=120.0, ge=0)
    """Seconds at most, without pauses."""
    money: float = Field(default=0.0, ge=0)
    """What a walk may cost at most, in the currency of the prices."""
    price_input: float = Field(default=0.0, ge=0)
    """The price of a million tokens that the chat model reads."""
    price_output: float = Field(default=0.0, ge=0)
    """The price of a million tokens that the chat model writes."""
    reader: str = ""
    """"model", "extractive" or a plug-in's name. "": "model" where there is a chat model, else "extractive"."""
    leads: int = Field(default=3, ge=1)
    """How many leads are followed in each round."""
    first_chunks: int = Field(default=8, ge=1)
    """How many chunks are read for the question itself."""
    lead_chunks: int = Field(default=3, ge=1)
    """How many chunks that were not seen before are read for each lead."""
    facts: int = Field(default=6, ge=1)
    """How many facts are taken from one reading."""
    memory: bool = True
    """Whether walks learn from earlier ones."""
