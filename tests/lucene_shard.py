"""The documents of one index as Elasticsearch searches them: a double for tests, by its documentation.

Real arithmetic: BM25 with Lucene's rounded lengths and with the documents that are deleted and not yet merged away,
cosines in 32 bits. Not real: a graph of vectors (all are compared), segments, shards, disks. What the adapters do not
send is refused, as a server refuses what it does not know.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Json = dict[str, Any]
Mask = NDArray[np.bool_]
Scores = NDArray[np.float32]
LONGEST_TOKEN = 32_766
MOST = 10_000
MOST_DIMENSIONS = 4_096
MOST_CLAUSES = 65_536
SCRIPT = r"Math\.max\(0\.0, cosineSimilarity\(params\.(\w+), '(\w+)'\) \+ 1\.0\)"
JAVA_WHITESPACE = re.compile("[\t-\r\x1c-\x1f \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]+")


class Refused(Exception):  # noqa: N818 - what the server answers
    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.kind, self.reason = status, kind, reason


def bad(kind: str, reason: str) -> Refused:
    return Refused(400, kind, reason)


def only(body: Json, *known: str) -> None:
    """Refuse what nobody knows, as a parser of the server does."""
    if unknown := set(body) - set(known):
        raise bad("parsing_exception", f"unknown field [{min(unknown)}]")


def rounded(length: int) -> int:
    """A length as Lucene's norms keep it: SmallFloat.intToByte4 and back."""
    if length < 40:
        return length
    rest = length - 24
    shift = max(rest.bit_length() - 4, 0)
    return 24 + ((rest >> shift) << shift)


class Mapping:
    """What may be written, by the request that made the index."""

    def __init__(self, made: Json) -> None:
        self.settings, self.mappings = made["settings"]["index"], made["mappings"]
        only(self.settings, "similarity", "analysis")
        only(self.mappings, "dynamic", "_meta", "_source", "properties")
        self.fields: Json = self.mappings["properties"]
        vector = self.fields["vector"]
        only(vector, "type", "dims", "index", "similarity", "index_options")
        assert (vector["type"], vector["similarity"]) == ("dense_vector", "cosine")
        self.dimension = vector["dims"]
        if not 1 <= self.dimension <= MOST_DIMENSIONS:
            raise bad("mapper_parsing_exception", "The number of dimensions should be in the range [1, 4096]")
        terms = self.fields["terms"]
        similarity = self.settings["similarity"][terms["similarity"]]
        assert similarity["type"] == "BM25"
        self.k1, self.b = similarity["k1"], similarity["b"]
        analysis = self.settings["analysis"]
        tokenizer = analysis["tokenizer"][analysis["analyzer"][terms["analyzer"]]["tokenizer"]]
        assert tokenizer["type"] == "whitespace"
        self.longest = tokenizer.get("max_token_length", 255)

    def tokens(self, text: str) -> list[str]:
        found = [token for token in JAVA_WHITESPACE.split(text) if token]
        return [token[i : i + self.longest] for token in found for i in range(0, len(token), self.longest)]

    def check(self, source: Json) -> None:
        """Refuse a document, with the words of a server."""
        kind = "document_parsing_exception"
        for name, value in source.items():
            if name not in self.fields:
                reason = f"mapping set to strict, dynamic introduction of [{name}] within [_doc] is not allowed"
                raise bad("strict_dynamic_mapping_exception", reason)
            if self.fields[name]["type"] == "keyword":
                for token in value if isinstance(value, list) else [value]:
                    if len(token.encode()) > LONGEST_TOKEN:
                        raise bad(kind, f'Document contains at least one immense term in field="{name}"')
        vector = source.get("vector", [])
        if len(vector) != self.dimension:
            raise bad(kind, f"failed to parse: the vector has a different number of dimensions [{len(vector)}]")
        if not any(vector):
            raise bad(kind, "The [cosine] similarity does not support vectors with zero magnitude.")


class View:
    """All documents at one moment. `alive`: those that are not deleted; the others count in statistics of words."""

    def __init__(self, mapping: Mapping, documents: list[Json], alive: list[bool]) -> None:
        self.mapping, self.documents, self.alive = mapping, documents, np.array(alive, bool)
        self.count = len(documents)

    @cached_property
    def vectors(self) -> Scores:
        found = np.array([one["vector"] for one in self.documents], np.float32).reshape(self.count, -1)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    @cached_property
    def facts(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row, one in enumerate(self.documents):
            for token in one["facts"]:
                found.setdefault(token, []).append(row)
        return found

    @cached_property
    def bags(self) -> dict[str, dict[int, int]]:
        found: dict[str, dict[int, int]] = {}
        for row, one in enumerate(self.documents):
            for token, times in Counter(self.mapping.tokens(one["terms"])).items():
                found.setdefault(token, {})[row] = times
        return found

    @cached_property
    def lengths(self) -> list[int]:
        return [len(self.mapping.tokens(one["terms"])) for one in self.documents]

    def mask(self, rows: Iterable[int]) -> Mask:
        found = np.zeros(self.count, bool)
        found[list(rows)] = True
        return found

    def none(self) -> Scores:
        return np.zeros(self.count, np.float32)


class Searcher:
    """Runs queries over a view."""

    def __init__(self, view: View) -> None:
        self.view = view

    def passing(self, query: Json) -> Mask:
        return self.run(query)[0] & self.view.alive

    def run(self, query: Json) -> tuple[Mask, Scores]:
        if len(query) != 1:
            raise bad("parsing_exception", "[bool] malformed query, expected [END_OBJECT] but found [FIELD_NAME]")
        ((kind, body),) = query.items()
        do = getattr(self, f"_{kind}", None)
        if do is None:
            raise bad("parsing_exception", f"unknown query [{kind}]")
        return do(body)

    def _match_all(self, body: Json) -> tuple[Mask, Scores]:
        return np.ones(self.view.count, bool), self.view.none() + np.float32(1)

    def _match_none(self, body: Json) -> tuple[Mask, Scores]:
        return self.view.mask([]), self.view.none()

    def _term(self, body: Json) -> tuple[Mask, Scores]:
        ((name, wanted),) = body.items()
        if name == "facts":
            return self._constant(self.view.mask(self.view.facts.get(wanted, [])))
        assert name == "terms"
        value, boost = (wanted, 1.0) if isinstance(wanted, str) else (wanted["value"], wanted.get("boost", 1.0))
        return self._bm25(value, boost)

    def _bm25(self, term: str, boost: float) -> tuple[Mask, Scores]:
        view, k1, b = self.view, self.view.mapping.k1, self.view.mapping.b
        held = view.bags.get(term, {})
        with_terms = [length for length in view.lengths if length]
        scores = view.none()
        if held:
            average = sum(with_terms) / len(with_terms)
            idf = np.log(1 + (len(with_terms) - len(held) + 0.5) / (len(held) + 0.5))
            weight = boost * idf * (k1 + 1)
            for row, times in held.items():
                norm = k1 * (1 - b + b * rounded(view.lengths[row]) / average)
                scores[row] = np.float32(weight - weight / (1 + times / norm) if norm else weight)
        return view.mask(held), scores

    def _constant(self, found: Mask) -> tuple[Mask, Scores]:
        return found, found.astype(np.float32)

    def _terms(self, body: Json) -> tuple[Mask, Scores]:
        values = body["facts"]
        if len(values) > MOST_CLAUSES:
            raise bad("illegal_argument_exception", "The number of terms has exceeded the allowed maximum of [65536].")
        return self._constant(self.view.mask(row for value in values for row in self.view.facts.get(value, ())))

    def _range(self, body: Json) -> tuple[Mask, Scores]:
        bounds = body["facts"]
        only(bounds, "gt", "gte", "lt", "lte")
        by = {"gt": str.__gt__, "gte": str.__ge__, "lt": str.__lt__, "lte": str.__le__}
        ends = [(by[name], end) for name, end in bounds.items()]  # all tokens are ASCII: as bytes are ordered
        passing = (rows for token, rows in self.view.facts.items() if all(test(token, end) for test, end in ends))
        return self._constant(self.view.mask(row for rows in passing for row in rows))

    def _exists(self, body: Json) -> tuple[Mask, Scores]:
        name = body["field"]
        return self._constant(self.view.mask(n for n, one in enumerate(self.view.documents) if one.get(name)))

    def _bool(self, body: Json) -> tuple[Mask, Scores]:
        only(body, "must", "should", "filter", "must_not", "minimum_should_match")
        found, scores = self._match_all({})[0], self.view.none()
        for part in body.get("must", []):
            mask, more = self.run(part)
            found, scores = found & mask, scores + more
        if should := [self.run(part) for part in body.get("should", [])]:
            most = body.get("minimum_should_match", 0 if {"must", "filter"} & set(body) else 1)
            found &= np.sum([mask for mask, _ in should], axis=0) >= most
            scores = scores + np.sum([more for _, more in should], axis=0, dtype=np.float32)
        for part in body.get("filter", []):
            found = found & self.run(part)[0]
        for part in body.get("must_not", []):
            found = found & ~self.run(part)[0]
        return found, np.where(found, scores, 0).astype(np.float32)

    def _constant_score(self, body: Json) -> tuple[Mask, Scores]:
        only(body, "filter", "boost")
        found = self.run(body["filter"])[0]
        return found, np.where(found, np.float32(body.get("boost", 1.0)), 0).astype(np.float32)

    def _cosines(self, vector: list[float]) -> Scores:
        if len(vector) != self.view.mapping.dimension:
            raise bad("illegal_argument_exception", "the query vector has a different number of dimensions")
        asked = np.array(vector, np.float32)
        return self.view.vectors @ (asked / np.linalg.norm(asked)) if self.view.count else self.view.none()

    def _script_score(self, body: Json) -> tuple[Mask, Scores]:
        only(body, "query", "script")
        script = body["script"]
        match = re.fullmatch(SCRIPT, script["source"])
        if not match or match[2] not in self.view.mapping.fields:
            raise bad("script_exception", "compile error")
        found = self.run(body["query"])[0]
        return found, np.maximum(self._cosines(script["params"][match[1]]) + np.float32(1), 0)

    def _knn(self, body: Json) -> tuple[Mask, Scores]:
        only(body, "field", "query_vector", "k", "num_candidates", "filter")
        if not 1 <= body["k"] <= body["num_candidates"] <= MOST:
            raise bad("illegal_argument_exception", "[num_candidates] cannot be less than [k] or exceed [10000]")
        scores = (1 + self._cosines(body["query_vector"])) / 2
        found = self.view.alive & (self.run(body["filter"])[0] if "filter" in body else True)
        rows = np.flatnonzero(found)
        return self.view.mask(rows[np.argsort(-scores[rows], kind="stable")][: body["k"]]), scores.astype(np.float32)

    # -- a whole search ------------------------------------------------------------------------------------------------

    def hits(self, body: Json) -> list[Json]:
        size = body.get("size", 10)
        if size > MOST:
            raise bad("illegal_argument_exception", "Result window is too large, from + size must be less than [10000]")
        found, scores = self.run(body["query"])
        if not np.isfinite(scores[found]).all() or (scores[found] < 0).any():
            raise bad("illegal_argument_exception", "script_score script returned an invalid score")
        sort = body.get("sort", [{"_score": "desc"}])
        rows = [
            (tuple(self._key(one, row, scores) for one in sort), row) for row in np.flatnonzero(found & self.view.alive)
        ]
        if "pit" in body:  # it adds what no two documents share
            rows, sort = [((*key, int(row)), row) for key, row in rows], [*sort, {"_shard_doc": "asc"}]
        rows.sort()
        if after := body.get("search_after"):
            last = tuple(-value if one == {"_score": "desc"} else value for one, value in zip(sort, after, strict=True))
            rows = [one for one in rows if one[0] > last]
        return [self._hit(body, int(row), key, scores) for key, row in rows[:size]]

    def _key(self, one: Json, row: int, scores: Scores) -> Any:
        assert one in ({"_score": "desc"}, {"chunk_id": "asc"})
        return -float(scores[row]) if "_score" in one else self.view.documents[row]["chunk_id"]

    def _hit(self, body: Json, row: int, key: tuple[Any, ...], scores: Scores) -> Json:
        one = self.view.documents[row]
        hit: Json = {"_index": "x", "_id": one["_id"], "_score": None if "sort" in body else float(scores[row])}
        if "sort" in body:
            hit["sort"] = [-value if isinstance(value, float) else value for value in key]
        if names := body.get("docvalue_fields"):
            hit["fields"] = {name: [one[name]] for name in names}
        if isinstance(kept := body.get("_source"), list):
            held = self.view.mapping.mappings["_source"]["includes"]
            hit["_source"] = {name: one[name] for name in kept if name in held}
        return hit

    def aggregations(self, body: Json) -> Json:
        passing = self.passing(body["query"])
        found: Json = {}
        for name, asked in body.get("aggs", {}).items():
            ((kind, inner),) = asked.items()
            if kind == "filter":
                found[name] = {"doc_count": int((passing & self.run(inner)[0]).sum())}
            else:
                values = [self.view.documents[row][inner["field"]] for row in np.flatnonzero(passing)]
                found[name] = {"value": {"sum": float(sum(values)), "value_count": len(values)}[kind]}
        return found
