"""The study's data as it was published: rankings with what reranked them, votes, and the scores of every question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from reproduce.votes import FIRST, published_votes
from rove.evaluate.labels import NOT_RELEVANT, RELATED, RELEVANT, Merged, Vote, gold_of
from rove.records.source import Metadata

Key = tuple[str, str]
"""A configuration and a question."""
EMBEDDINGS = ("512", "512+meta", "256", "256+meta", "128")
RULES = ("sentiment", "agree", "disagree")
BINARY = {RELEVANT: 1, RELATED: 0, NOT_RELEVANT: 0}


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration by its code: two digits embedding, two digits index, two filters, three rules."""

    code: str

    @property
    def embedding(self) -> str:
        """How the posts were cut: characters, "+meta" with the subreddit before each chunk."""
        return EMBEDDINGS[int(self.code[:2])]

    @property
    def filters(self) -> str:
        """The prefilter: "00" none, "10" without short questions, "01" without submissions, "11" without both."""
        return self.code[4:6]

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that reranked, in the order in which they apply.

        >>> Config("010010110").rules, Config("010010110").embedding
        (('sentiment', 'agree'), '512+meta')
        """
        return tuple(name for name, flag in zip(RULES, self.code[6:], strict=True) if flag == "1")

    @property
    def unreranked(self) -> str:
        """The code of the same search without rules."""
        return self.code[:6] + "000"


@dataclass(frozen=True, slots=True)
class Stored:
    """One place of a stored ranking: a chunk of a post, and what was known of the replies to that post."""

    post: str
    distance: float
    short: bool
    chars: int
    fields: Metadata

    @property
    def same(self) -> tuple[str, float, int]:
        """What tells a chunk from others: the data gives chunks no name."""
        return self.post, self.distance, self.chars


@dataclass(frozen=True, slots=True)
class Published:
    """The study's scores of one question under one configuration."""

    rr: float
    ext_rr: float
    ndcg: float | None


class Study:
    """Everything that `folder` holds, read when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _rows(self, name: str) -> list[dict[str, Any]]:
        return pq.read_table(self.folder / f"{name}.parquet").to_pylist()

    @cached_property
    def rankings(self) -> Mapping[Key, Sequence[Stored]]:
        """Configuration and question → its 50 places, best first."""
        found: dict[Key, list[tuple[int, Stored]]] = defaultdict(list)
        for row in self._rows("rankings"):
            fields = {
                "reply_sentiment": row["summed_sentiments"],
                "reply_agree_distance": row["avg_reply_agree_distance"],
                "reply_disagree_distance": row["avg_reply_disagree_distance"],
            }
            place = Stored(row["reddit_name"], row["distance"], row["is_short_question"], row["chunk_chars"], fields)
            found[row["config"], row["query"]].append((row["rank"], place))
        return {key: [place for _, place in sorted(rows, key=lambda row: row[0])] for key, rows in found.items()}

    @cached_property
    def published(self) -> Mapping[Key, Published]:
        """Configuration and question → the published scores, of all 160 configurations."""
        return {
            (row["config"], row["query"]): Published(row["rr"], row["mext_rr"], row["dcg"])
            for row in self._rows("published_scores")
        }

    @cached_property
    def merged(self) -> Mapping[str, Sequence[Merged]]:
        """Round of voting → its votes, merged as the study did."""
        votes: dict[str, list[Vote]] = {run: [] for run in FIRST}
        for row in self._rows("labels"):
            votes[row["run"]].append(Vote(row["annotator"], row["query"], row["reddit_name"], row["label"]))
        return {run: published_votes(votes[run], first) for run, first in FIRST.items()}

    @cached_property
    def gold(self) -> Mapping[str, Mapping[str, int]]:
        """Question → post → 1 where it is relevant, 0 where it was judged and is not."""
        return gold_of([row for votes in self.merged.values() for row in votes], BINARY)

    @cached_property
    def questions(self) -> list[str]:
        """All questions, in the order of the alphabet."""
        return sorted({query for _, query in self.published})

    @cached_property
    def stored(self) -> list[str]:
        """Codes of the configurations whose rankings are stored."""
        return sorted({config for config, _ in self.rankings})

    @cached_property
    def configs(self) -> list[str]:
        """Codes of all configurations that have published scores."""
        return sorted({config for config, _ in self.published})
