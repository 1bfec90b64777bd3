"""The index in Postgres keeps its contract, in a real server: without an index of vectors, and with one."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import pglite_server
import postgres_server
from rove.settings import StoreSettings
from rove.store import Index
from rove.store.servers import pgvector, pgvector_tables, pgvector_words
from rove.testing import IndexContract
from rove.testing.durable_indexes import LastingIndexContract
from rove.testing.index_rows import make_rows


class InPostgres(IndexContract):
    name = "pgvector"

    def make(self, folder: Path) -> Index:
        name = f"t{sha256(bytes(folder)).hexdigest()[:20]}"
        server = {"url": postgres_server.address(), "name": name}
        settings = StoreSettings.model_validate({"document_share": 0.0, "server": server})
        return self.registered()(folder=folder, dimension=self.dimension, settings=settings)


class TestPgvector(LastingIndexContract, InPostgres):
    """As it is for 50,000 rows and fewer."""


class TestLargePgvector(InPostgres):
    """With an index of vectors, which it has from 50,000 rows on, and with it for filters that many pass."""

    @pytest.fixture(autouse=True)
    def large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pgvector, "VECTOR_INDEX_FROM", 1_500)
        monkeypatch.setattr(pgvector, "COMPARED_ROWS", 100)


@pytest.mark.servers
class TestPgTextsearch(InPostgres):
    """With the extension pg_textsearch, which names the candidates of a search by words.

    PGlite takes no COPY from a client: here rows go in by INSERT. All its clients share one session, so that two
    transactions at once cannot be shown.
    """

    test_searches_go_on_while_it_is_written_to = None

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(postgres_server, "address", pglite_server.address)
        monkeypatch.setattr(pgvector_words, "INDEX_FROM", 1)
        monkeypatch.setattr(pgvector_tables, "_copy", pglite_server.insert)

    async def test_candidates_are_named_by_the_extension(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A search asks it, and has the order and the scores that the postings give."""
        index = self.make(tmp_path)
        assert isinstance(index, pgvector.PgvectorIndex)
        rows = make_rows(2_000)
        await index.add(rows)
        questions = [rows[place].terms.split()[-4:] for place in range(0, 2_000, 40)]
        exact = [await index.keyword(terms, top_k=10) for terms in questions]
        await index.optimize()
        named = list[list[int]]()
        ask = pgvector_words.candidates

        def counted(*given: Any) -> list[int]:
            named.append(ask(*given))
            return named[-1]

        monkeypatch.setattr(pgvector_words, "candidates", counted)
        found = [await index.keyword(terms, top_k=10) for terms in questions]
        shares = [len(dict(ranked).keys() & dict(best).keys()) / 10 for ranked, best in zip(found, exact, strict=True)]
        assert sum(shares) / len(shares) >= self.recall
        assert found[0] == [(one, pytest.approx(score)) for one, score in exact[0]]
        assert len(named) == len(questions)
        assert all(len(candidates) < len(rows) for candidates in named)
        best = exact[0][0][0]
        await index.remove([best])
        assert best not in dict(await index.keyword(questions[0], top_k=10))
        await index.close()
