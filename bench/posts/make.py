"""Any number of posts, made from the real ones by seeded variation: `python -m bench.posts.make COUNT FILE`.

The first 39,441 are the real ones. Each further round is all of them again under new ids, with the same threads, kinds,
lengths and dates a day later, and other words: half of the words of a text (all of a short one) are replaced by words
of the same length, spelling and script, drawn as often as the real posts use them. What they say means nothing.

Not varied are texts that a dump repeats: "[deleted]", "[removed]", "", texts of a bot, and short ones such as "Done".
The vocabulary grows with the number of posts as it does within the real ones (Heaps' law): as many new words as that
takes stand where a real post has a word that no other has.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bench.posts import REAL, SEED
from rove.load.posts.clean import FREQUENT_BYTES, FREQUENT_TIMES

REPLACED = 0.5
SHORT_WORDS = 8
"""Words up to which all of a text are replaced, lest the text itself comes again in many rounds."""
GROWTH = 0.40
"""The exponent of Heaps' law: the vocabulary grows 1.32 times, 2 ** 0.40, from half of the real posts to all."""
DAY_S = 86_400
LEFT = frozenset({"https", "http", "www", "com", "reddit"})
LETTERS = np.array(list("etaoinshrdlcumwfgypbvk"))
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
LINKED = ("reddit_id", "reddit_name", "reddit_link_id", "reddit_parent_id", "reddit_submission")
_TOKEN = re.compile(r"[^\W_]+|[\W_]+")
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Words:
    """All different texts and titles as tokens: words, and what stands between them.

    `tokens`: each different one; `ids`: (n,), the token at each place; `starts`: where each text begins. `drawn`: the
    places whose word may be replaced, `owners` the text of each; `first` and `count`: where its like begin in `alike`,
    which are places too. `rare`: places whose word occurs once. `short`: the texts all of whose words are replaced.
    """

    tokens: list[str]
    ids: Places
    starts: Places
    drawn: Places
    owners: Places
    first: Places
    count: Places
    alike: Places
    rare: Places
    short: NDArray[np.bool_]


class Original:
    """The real posts, taken apart once; `round` puts them together anew."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table.combine_chunks()
        texts, titles = (table[f"reddit_{name}"].to_pylist() for name in ("text", "title"))
        pieces = {piece: place for place, piece in enumerate(dict.fromkeys([*texts, *titles]))}
        self.places = {
            "reddit_text": np.array([pieces[text] for text in texts]),
            "reddit_title": np.array([pieces[title] for title in titles]),
        }
        self.pieces = [piece or "" for piece in pieces]
        self.missing = np.array([piece is None for piece in pieces])
        self.words = _taken_apart(self.pieces, [stays(piece, times) for piece, times in _times(pieces, texts)])
        names = zip(table["reddit_name"].to_pylist(), table["reddit_link_id"].to_pylist(), strict=True)
        threads = [link or name for name, link in names]
        numbers = {thread: number for number, thread in enumerate(dict.fromkeys(threads))}
        self.threads = np.array([numbers[thread] for thread in threads])

    def round(self, number: int) -> pa.Table:
        """All posts once more, as round `number`; round 0 is the real ones."""
        if not number:
            return self.table
        texts = pa.array(self.varied(number), mask=self.missing, type=pa.large_string())
        mark = f"{DIGITS[number // 36 % 36]}{DIGITS[number % 36]}"
        made = self.table
        for name, places in self.places.items():
            made = _with(made, name, texts.take(pa.array(places)))
        for name in LINKED:
            made = _with(made, name, pc.binary_join_element_wise(made[name], _large(mark), _large("")))
        comment = r"^(.*/comments/[^/]+/[^/]*/[^/]+)/$"
        links = pc.replace_substring_regex(made["reddit_permalink"], comment, rf"\1{mark}/")
        links = pc.replace_substring_regex(links, r"(/comments/[^/]+)", rf"\1{mark}")
        created = pc.add(made["reddit_created_utc"], number * DAY_S)
        times = pc.strftime(created.cast(pa.timestamp("s")), "%Y-%m-%dT%H:%M:%S")
        made = _with(made, "reddit_permalink", links)
        made = _with(made, "reddit_created_utc", created)
        return _with(made, "aware_created_ts", times).cast(self.table.schema)

    def part(self, number: int, count: int) -> pa.Table:
        """`count` posts of a round: whole threads, by chance, but for the last."""
        rng = np.random.default_rng((SEED, number, 1))
        turn = rng.permutation(self.threads.max() + 1)[self.threads]
        rows = np.sort(np.argsort(turn, kind="stable")[:count])
        return self.round(number).take(pa.array(rows))

    def varied(self, number: int) -> list[str]:
        """All texts and titles with other words."""
        words, rng = self.words, np.random.default_rng((SEED, number))
        ids, tokens = words.ids.copy(), list(words.tokens)
        chosen = words.short[words.owners] | (rng.random(len(words.drawn)) < REPLACED)
        like = words.first + (rng.random(len(words.drawn)) * words.count).astype(np.int64)
        ids[words.drawn[chosen]] = words.ids[words.alike[like[chosen]]]
        real = len(set(words.ids.tolist()))
        share = min(1.0, real * ((number + 1) ** GROWTH - number**GROWTH) / max(len(words.rare), 1))
        coined = words.rare[rng.random(len(words.rare)) < share]
        ids[coined] = len(tokens) + np.arange(len(coined))
        tokens += [_coined(words.tokens[old], rng) for old in words.ids[coined].tolist()]
        flat = pa.array(tokens, pa.string()).take(pa.array(ids))
        joined = pc.binary_join(pa.ListArray.from_arrays(pa.array(words.starts, pa.int32()), flat), "")
        return joined.to_pylist()


def stays(text: str, times: int) -> bool:
    """Say whether a text that occurs so many times is left as it is.

    >>> stays("[deleted]", 1_099), stays("Done", 33), stays("I have seen that nobody in my department knows", 2)
    (True, True, False)
    """
    long = len(text.encode()) > FREQUENT_BYTES
    return not text or times > (FREQUENT_TIMES if long else 1)


def posts(count: int) -> Iterator[pa.Table]:
    """So many posts, round by round: no more than a round is held."""
    original = Original(pq.read_table(REAL / "posts.parquet"))
    size = original.table.num_rows
    for number in range(count // size):
        yield original.round(number)
    if left := count % size:
        yield original.part(count // size, left)


def write(count: int, file: Path) -> None:
    """Write them to one file, whole or not at all."""
    part = file.with_suffix(".part")
    writer: pq.ParquetWriter | None = None
    for table in posts(count):
        writer = writer or pq.ParquetWriter(part, table.schema, compression="zstd")
        writer.write_table(table)
    if writer:
        writer.close()
        part.rename(file)


def _times(pieces: dict[str | None, int], texts: Sequence[str | None]) -> Iterator[tuple[str, int]]:
    times = Counter(texts)
    return ((piece or "", times[piece]) for piece in pieces)


def _taken_apart(pieces: Sequence[str], staying: Sequence[bool]) -> Words:
    numbers: dict[str, int] = {}
    split = [_TOKEN.findall(piece) for piece in pieces]
    ids = np.array([numbers.setdefault(token, len(numbers)) for tokens in split for token in tokens])
    lengths = np.array([len(tokens) for tokens in split])
    owners = np.repeat(np.arange(len(pieces)), lengths)
    tokens = list(numbers)
    kinds: dict[tuple[object, ...], int] = {}
    kind = np.array([kinds.setdefault(_kind(token), len(kinds)) for token in tokens])[ids]
    free = (kind != kinds.get((), -1)) & ~np.array(staying)[owners]
    often = np.bincount(ids, minlength=len(tokens))
    # Words are drawn from all places, those of texts that stay too: so often does the real thing use them.
    alike = np.argsort(kind, kind="stable")
    sizes = np.bincount(kind, minlength=len(kinds))
    first = np.cumsum(sizes) - sizes
    drawn = np.flatnonzero(free)
    words_of = np.bincount(owners[drawn], minlength=len(pieces))
    single = sizes[kind] < SHORT_WORDS
    return Words(
        tokens,
        ids,
        np.concatenate([[0], np.cumsum(lengths)]),
        drawn,
        owners[drawn],
        first[kind[drawn]],
        sizes[kind[drawn]],
        alike,
        np.flatnonzero(free & ((often[ids] == 1) | single)),
        words_of <= SHORT_WORDS,
    )


def _kind(token: str) -> tuple[object, ...]:
    """What a word has in common with those that may stand for it; () for what stays."""
    if not token[0].isalnum() or token.lower() in LEFT:
        return ()
    spelling = "digits" if token.isdigit() else "upper" if token.isupper() else "title" if token.istitle() else "lower"
    script = "LATIN" if token.isascii() else unicodedata.name(token[0], "").partition(" ")[0]
    return len(token), len(token.encode()), spelling, script


def _coined(word: str, rng: np.random.Generator) -> str:
    """A new word of the same length and spelling: all letters but the first and the last two are others."""
    if not word.isascii() or not word.isalpha() or len(word) < SHORT_WORDS // 2:
        return word
    inner = "".join(LETTERS[rng.integers(0, len(LETTERS), len(word) - 3)].tolist()) if len(word) > 3 else ""
    return f"{word[0]}{inner.upper() if word.isupper() else inner}{word[-2:]}"


def _with(table: pa.Table, name: str, column: pa.ChunkedArray | pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, column)


def _large(text: str) -> pa.Scalar:
    return pa.scalar(text, pa.large_string())


if __name__ == "__main__":
    write(int(sys.argv[1]), Path(sys.argv[2]))
