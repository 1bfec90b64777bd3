"""The types of the tables in `rove.settings.finding`.

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from pydantic import SecretStr


class IndexServerTable(TypedDict, total=False):
    """The settings of `IndexServerSettings`, as a table."""

    url: str
    """Its address: "https://localhost:9200", say. "": where such a server usually is on this machine."""
    user: str
    """Who asks; "": nobody in particular."""
    password: str | SecretStr
    """The user's password."""
    api_key: str | SecretStr
    """A key in place of user and password."""
    database: str
    """The server's database, where it has several; "": the one that it takes by itself."""
    name: str
    """What the base is called there, its index, collection or table; "": "rove_" and an id of the base's own."""
    verify: bool
    """Whether the certificate of an https address is checked. Default: True."""
    ca_file: str
    """The certificates that are trusted for that; "": those that this machine trusts."""
    timeout_s: float
    """How long a reply is waited for. Default: 30.0."""
    retries: int
    """How often a call is tried again that the server could not answer. Default: 3."""
    bulk_rows: int
    """Chunks that are written by one call. Default: 500."""


class GraphTable(TypedDict, total=False):
    """The settings of `GraphSettings`, as a table."""

    store: str
    """\"catalog", which needs nothing else, "bolt" (Neo4j, Memgraph, ArcadeDB) and "tugraph" (an extra: `pip install
    'rove[bolt]'`), or a plug-in's name. Default: "catalog"."""
    url: str
    """The address of the graph database. Default: "bolt://localhost:7687"."""
    user: str
    """Who asks; "": nobody in particular."""
    password: str | SecretStr
    """The user's password."""
    database: str
    """The graph database's database: "neo4j", "memgraph", for TuGraph "default". Default: "neo4j"."""
    timeout_s: float
    """How long a connection is waited for, and a query that the server asks for again is repeated. Default: 10.0."""


class StoreTable(TypedDict, total=False):
    """The settings of `StoreSettings`, as a table."""

    index: str
    """What compares vectors: "embedded", which is in the catalog's own folder and needs nothing else, "lancedb" (an
    extra: `pip install 'rove[lance]'`), a server (see `store.server`), or a plug-in's name. Default: "embedded"."""
    keywords: Literal["embedded", "index"]
    """What compares words: the embedded index, whose ranking is one at every size, or the one that `index` names, by
    its own BM25 over passages alone. Default: "embedded"."""
    resident_chunks: int
    """Chunks up to which the embedded index compares vectors, exactly, also where `index` names another one. Default:
    131072."""
    vector_index: Literal["ivf_sq", "ivf_pq"]
    """How the vectors of a base of 65,536 chunks or more are indexed in LanceDB: by scalar or by product quantization.
    Default: "ivf_sq"."""
    num_partitions: int
    """Partitions of the vector index; 0: as many as the square root of the rows. Default: 0."""
    num_sub_vectors: int
    """Of "ivf_pq": the parts that each vector is cut into. Default: 0."""
    nprobes: int
    """Partitions that a search looks into; with a filter, as many as it takes. Default: 20."""
    refine: int
    """So many candidates, at least, are compared by their whole vectors; each is a read from the disk. Default: 50."""
    refine_factor: int
    """LanceDB's refine factor, in place of `refine`: whole vectors are compared of so many candidates for each hit that
    is asked for. Default: 0."""
    k1: float
    """BM25's k1: how soon a term's further occurrences stop to count. Default: 1.2."""
    b: float
    """BM25's b: how much a long chunk's terms count less. Default: 0.75."""
    document_share: float
    """The share of a chunk's keyword score that is its whole document's score. Default: 0.5."""
    files: str
    """An object store for the files that the base keeps, in place of its own folder or database, as long as there are
    none: "s3://bucket/prefix?region=eu-central-1", with `endpoint=https://host:port` for one that is not Amazon's."""
    server: IndexServerTable
    """How an index is reached that is a server of its own."""
    graph: GraphTable
    """Where the graph of knowledge is looked through."""


class SearchTable(TypedDict, total=False):
    """The settings of `SearchSettings`, as a table."""

    top_k: int
    """How many hits a search gives where the call does not say. Default: 10."""
    candidates: int
    """How long each ranked list is before the lists are fused. Default: 100."""
    fusion: Literal["adaptive", "zscore", "rrf", "weighted"]
    """How the keyword list and the semantic list become one: by how much of the question the keywords cover
    ("adaptive"), by the sum of z-scores, by reciprocal ranks ("rrf"), or by the weighted sum of scores, each list
    scaled to 0 … 1 ("weighted"). Default: "adaptive"."""
    rrf_k: int
    """Of "rrf": k in the sum of weight / (k + rank), rank from 1. Default: 60."""
    keyword_weight: float
    """Of "rrf" and "weighted": what the keyword list counts. Default: 1.0."""
    semantic_weight: float
    """Of "rrf" and "weighted": what the semantic list counts. Default: 1.0."""
    outdated: Literal["note", "hide_gone", "hide"]
    """Documents whose file is gone, empty or damaged by now: found, with the day that their text is of ("note"), or not
    at all ("hide"); with "hide_gone" those are not found whose file is gone, and the others are. Default:
    "hide_gone"."""
    deduplicate: Literal["off", "equal", "near"]
    """Hits with the same text are one: the one with the best score, which has the others in `same`. Default:
    "equal"."""
    k_keyword: int
    """Of mode "gather": so many of the keyword list go straight to the result. Default: 3."""
    k_semantic: int
    """Of mode "gather": so many of the semantic list go straight to the result. Default: 3."""
    k_rerank: int
    """Of mode "gather": so many of the reranked pool go to the result. Default: 3."""
    pool_keyword: int
    """Of mode "gather": so many of the keyword list go to the reranker. Default: 10."""
    pool_semantic: int
    """Of mode "gather": so many of the semantic list go to the reranker. Default: 10."""
    reranker: str
    """\"late", "embedder", "endpoint", "onnx" or a plug-in's name. "": "late" where the embedder keeps tokens, else
    "embedder"."""
    rerank_weight: float | None
    """What the reranker's score counts beside the first stage's; none: the reranker's own weight."""
    rerank_pool: int
    """How many of the best hits the reranker looks at. Default: 20."""
    rules: Sequence[str]
    """Rules that order the best hits by their metadata, one after the other."""
    rule_options: Mapping[str, Mapping[str, str | int | float | bool]]
    """Options of the rules, by the rule's name."""
    rule_pool: int
    """How many of the best hits the rules order. Default: 50."""
    chain: Sequence[str]
    """Of mode "chain": the modes that are asked in turn; the first that finds anything wins."""
    chain_scores: Mapping[str, float]
    """Of mode "chain": a mode, and the least score with which something counts as found by it."""
    together: Mapping[str, float]
    """Of mode "together": the modes that are asked at once, and what each counts; their lists are fused by ranks."""
    keyword_fields: Sequence[str]
    """Metadata that "sparse" looks into."""


class AnswerTable(TypedDict, total=False):
    """The settings of `AnswerSettings`, as a table."""

    pipeline: Literal["search", "gather", "none"]
    """\"search": by the retriever `mode`. "gather": two rounds, every chunk graded. "none": the chat model is asked
    without a search, and the answer says so. Default: "search"."""
    mode: str
    """The retriever whose hits are answered from. Default: "hybrid"."""
    fallback: Sequence[str]
    """What is tried, in turn, where nothing near enough was found: "synonyms", "hyde", "unsourced", "refuse", or a
    plug-in's name."""
    references: int
    """How many passages an answer may rest on; all that a gathering gives, if these are more. Default: 5."""
    quotes: int
    """How many sentences an answer without a chat model quotes, at most; a walk as many again from its leads. Default:
    3."""
    overview: bool
    """Whether a question for what all the documents are about ("What are the main themes?") is answered by mode
    "themes". Default: True."""
    forms: bool
    """Whether questions that no passage answers by itself are answered from whole documents and from the catalog:
    "Summarise the travel policy", "Which documents mention X?", "What is new since Monday?", "What changed between v1
    and v2?", "Tell me about X", and, with the extra "sql", from all rows of a table: "Who has not paid?". Default:
    True."""
    stored: bool
    """Whether a question that stands in a document with its answer ("Q: … A: …", a FAQ's table, a heading that asks) is
    answered by that answer, word for word and without a model. Default: True."""
    related: int
    """How many related questions stand beside an answer, at most: what else the documents say near it, each a question
    that the base answers; three cost a tenth of a second of one core. Default: 0."""
    seconds: float
    """How long models may be asked for one question, all steps and retries together. Default: 600.0."""
    max_distance: float
    """The cosine distance within which something must lie for a question to be answered; it holds in every `mode`.
    Default: 0.0."""
    verify: bool
    """Whether a second judge reads the sentences of a chat model of which the packaged one is not sure: the one that
    `judge.name` names, or else the chat model itself; a call more for each. Default: False."""
    strict: bool
    """Whether sentences of a chat model are deleted that no source says, or that their source contradicts. Default:
    False."""
    thoughts: bool
    """Whether what a reasoning model thinks before it writes is kept beside its answer: folded in the page, unchecked,
    never a part of the answer and never cited. Default: False."""
    persona: str
    """Who answers: it opens the chat model's instructions. Default: "You answer questions from the user's own
    documents."."""
    style: str
    """What is wished of the tone and the form of what the chat model writes ("In short sentences, as to a child")."""
    demonstrations: Literal["usual", "campus"]
    """The three examples in the chat model's instructions. "campus": they are in the question's language, and the
    second answers a question about the assistant itself from the persona; such sentences then need no source, nor does
    such a question need anything within `max_distance`. Default: "usual"."""


class WalkTable(TypedDict, total=False):
    """The settings of `WalkSettings`, as a table."""

    rounds: int
    """Rounds at most. Default: 4."""
    calls: int
    """Calls to the chat model at most. Default: 24."""
    tokens: int
    """Tokens at most, read and written together. Default: 100000."""
    seconds: float
    """Seconds at most, without pauses. Default: 120.0."""
    money: float
    """What a walk may cost at most, in the currency of the prices. Default: 0.0."""
    price_input: float
    """The price of a million tokens that the chat model reads. Default: 0.0."""
    price_output: float
    """The price of a million tokens that the chat model writes. Default: 0.0."""
    reader: str
    """\"model", "extractive" or a plug-in's name. "": "model" where there is a chat model, else "extractive"."""
    leads: int
    """How many leads are followed in each round. Default: 3."""
    first_chunks: int
    """How many chunks are read for the question itself. Default: 8."""
    lead_chunks: int
    """How many chunks that were not seen before are read for each lead. Default: 3."""
    facts: int
    """How many facts are taken from one reading. Default: 6."""
    memory: bool
    """Whether walks learn from earlier ones. Default: True."""
