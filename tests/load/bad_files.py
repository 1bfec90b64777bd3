"""Bad files by the thousand, the same ones for the same seed: hostile, mislabelled, and good ones damaged."""

from __future__ import annotations

import gzip
import random
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePath

from contracts.test_loaders import SAMPLES
from load import hostile_binary, hostile_packed, hostile_text
from load.packing import packed
from rove.load import SUFFIXES

MAKERS = {**hostile_text.MAKERS, **hostile_packed.MAKERS, **hostile_binary.MAKERS}
FAR_ONLY, FAR_FROM = {"substitutions.rst", "both.ods", "nested-bomb.zip", "bomb.png"}, 1_000
"""Hostile files that take seconds however little they reach; left out below this reach."""
LARGEST_REAL_BYTES = 200_000
PDF_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.S)
INFLATED_MOST = 1 << 22

Damage = Callable[[bytes, random.Random], bytes]


@dataclass(frozen=True, slots=True)
class BadFile:
    """`name` ends in the suffix that the file bears, and says before it what was done."""

    name: str
    data: bytes


def good_files(shared: Path | None = None) -> dict[str, bytes]:
    """Name → bytes: a sample of every loader and, where the shared data is, the real files that are not large."""
    suffixes = {kind: suffix for suffix, kind in reversed(SUFFIXES.items())}
    good = {f"sample{suffixes.get(kind, '.' + kind)}": data for kind, data in SAMPLES.items()}
    real = sorted(path for path in (shared / "files").rglob("*") if path.is_file()) if shared else []
    for path in real:
        if path.suffix.lower() in SUFFIXES and path.stat().st_size <= LARGEST_REAL_BYTES:
            good[f"{path.parent.name}-{path.name}"] = path.read_bytes()
    return good


def hostile_files(reach: int) -> Iterator[BadFile]:
    """Every hostile file, `reach` long, deep or many."""
    for name, make in MAKERS.items():
        if reach < FAR_FROM and name in FAR_ONLY:
            continue
        yield BadFile(f"hostile-{name}", make(reach))


def mislabelled_files(good: Mapping[str, bytes], seed: int) -> Iterator[BadFile]:
    """Every content under every suffix, in the order of chance."""
    pairs = [(name, suffix) for name in good if name.startswith("sample.") for suffix in SUFFIXES]
    random.Random(seed).shuffle(pairs)
    for name, suffix in pairs:
        yield BadFile(f"{PurePath(name).suffix[1:]}-as{suffix}", good[name])


def damaged_files(good: Mapping[str, bytes], seed: int) -> Iterator[BadFile]:
    """Without end: the good files in turn, each time with another damage."""
    number = 0
    while True:
        names = sorted(good)
        random.Random(seed + number).shuffle(names)
        for name in names:
            number += 1
            chance = random.Random(f"{seed} {number}")
            damage = chance.choice(DAMAGES)
            data = damage(good[name] or b"\0", chance)
            yield BadFile(f"{number}-{damage.__name__}-{name}", data)


def bad_files(shared: Path | None, *, count: int, reach: int, seed: int = 4) -> Iterator[BadFile]:
    """The first `count` files: the hostile ones, then a mislabelled one for every three damaged ones."""
    good = good_files(shared)
    hostile = list(hostile_files(reach))
    yield from islice(hostile, count)
    rest = max(0, count - len(hostile))
    mislabelled = list(islice(mislabelled_files(good, seed), rest // 4))
    yield from mislabelled
    yield from islice(damaged_files(good, seed), rest - len(mislabelled))


def truncated(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(1, max(2, len(data)))]


def beheaded(data: bytes, chance: random.Random) -> bytes:
    return data[chance.randrange(1, max(2, len(data) // 2)) :] or b"\0"


def bytes_changed(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 4, 16, 64))):
        changed[chance.randrange(len(changed))] = chance.choice((0, 32, 127, 128, 255, chance.randrange(256)))
    return bytes(changed)


def bits_flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 2, 8, 32))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def zeroed(data: bytes, chance: random.Random) -> bytes:
    start, size = chance.randrange(len(data)), chance.choice((4, 64, 512, 4096))
    return data[:start] + bytes(min(size, len(data) - start)) + data[start + size :]


def block_doubled(data: bytes, chance: random.Random) -> bytes:
    start, size = chance.randrange(len(data)), chance.choice((2, 32, 512, 4096))
    return data[: start + size] + data[start : start + size] * chance.choice((1, 3, 200)) + data[start + size :]


def block_lost(data: bytes, chance: random.Random) -> bytes:
    start, size = chance.randrange(len(data)), chance.choice((1, 16, 512, 4096))
    return data[:start] + data[start + size :] or b"\0"


def blocks_shuffled(data: bytes, chance: random.Random) -> bytes:
    size = max(1, len(data) // chance.choice((3, 10, 40)))
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    head, tail = blocks[:1], blocks[1:]
    chance.shuffle(tail)
    return b"".join([*head, *tail])


def numbers_changed(data: bytes, chance: random.Random) -> bytes:
    """Some of the numbers written as digits become others that nobody expects."""
    odd = (b"0", b"-1", b"99999999999", b"2147483648", b"1e308", b"", b"x", b"\xff")
    return re.sub(rb"\d+", lambda found: chance.choice(odd) if chance.random() < 0.02 else found[0], data)


def tags_lost(data: bytes, chance: random.Random) -> bytes:
    """Some of the brackets, quotes and braces are gone."""
    return re.sub(rb"[<>{}\[\]\"'|]", lambda found: b"" if chance.random() < 0.02 else found[0], data)


def packed_parts_damaged(data: bytes, chance: random.Random) -> bytes:
    """What is compressed is damaged before it is compressed, so that the damage reaches the inmost parser."""
    damage = chance.choice(PLAIN)
    if data.startswith(b"PK\x03\x04"):
        return _zip_damaged(data, chance, damage)
    if data.startswith(b"\x1f\x8b"):
        return gzip.compress(damage(gzip.decompress(data)[:INFLATED_MOST] or b"\0", chance), mtime=0)
    if b"%PDF-" in data[:1024]:
        return PDF_STREAM.sub(lambda found: b"stream\n" + _inflated(found[1], chance, damage) + b"\nendstream", data)
    return damage(damage(data, chance) or b"\0", chance)


def _zip_damaged(data: bytes, chance: random.Random, damage: Damage) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = {part.filename: archive.read(part) for part in archive.infolist() if part.file_size < INFLATED_MOST}
    told = [name for name, part in parts.items() if part]
    for name in chance.sample(told, min(len(told), chance.choice((1, 1, 3)))):
        parts[name] = damage(parts[name], chance)
    if chance.random() < 0.1 and len(parts) > 1:
        del parts[chance.choice(sorted(parts))]
    return packed(parts)


def _inflated(packed_stream: bytes, chance: random.Random, damage: Damage) -> bytes:
    try:
        plain = zlib.decompressobj().decompress(packed_stream, INFLATED_MOST)
    except zlib.error:
        return packed_stream
    return zlib.compress(damage(plain, chance)) if plain and chance.random() < 0.3 else packed_stream


PLAIN = (
    truncated,
    bytes_changed,
    bits_flipped,
    zeroed,
    block_doubled,
    block_lost,
    blocks_shuffled,
    numbers_changed,
    tags_lost,
)
DAMAGES = (*PLAIN, beheaded, packed_parts_damaged, packed_parts_damaged, packed_parts_damaged)
