"""What has become of files since they were added last: which are gone from a folder, and which lie elsewhere by now.

What is not there just now is not taken for gone: a folder that is missing, empty or closed may be a disk that is not
mounted.
"""

from __future__ import annotations

import os
import unicodedata
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path, PurePath
from stat import S_ISREG

from rove.errors import count_text
from rove.ingest.given import Given
from rove.load.discover import SCHEMA_MARK, URL, Location, path_spelled_as, spelled
from rove.load.folder_files import LeftOut
from rove.prepare import Recipe, source_traits
from rove.records.identity import ID_BYTES
from rove.records.ledger import GONE
from rove.store.ledger import HeldSource
from rove.store.store import Store

EMPTY = "Nothing is in it now; {documents} of it stay, in case its disk is not mounted."
PIECE_BYTES = 1 << 20
SAMPLED = 20
"""Files of a folder by whose names it is looked whether it lay elsewhere."""
CLOCKS_DIFFER_S = 2.0
"""So much older than its entry a file has to be to be taken for unchanged without a look at it."""


@dataclass(frozen=True, slots=True)
class FolderChanges:
    """Of what was added before: `moves`, new names by old ones, and the sources that are `gone` from a folder.

    `ignored`: those that are there, and that patterns leave out by now.
    """

    moves: Mapping[str, str] = field(default_factory=dict[str, str])
    gone: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def renamed(self) -> set[str]:
        """The new names of what has another name, not only another folder."""
        return {new for old, new in self.moves.items() if PurePath(old).name != PurePath(new).name}

    @property
    def vanished(self) -> tuple[str, ...]:
        """All that is held of the folders and that `add` does not find there any more."""
        return tuple(sorted((*self.gone, *self.ignored)))


def folder_changes(
    store: Store, given: Iterable[Given], found: Sequence[Location], left_out: LeftOut, recipe: Recipe
) -> FolderChanges:
    """Compare folders with what the base holds of them, and files by themselves with what it had elsewhere; blocks.

    Args:
        store: the base.
        given: what is added, of which the folders and files are looked at.
        found: all that was found there.
        left_out: what patterns left out there; a folder that is empty now, and was not, is put there too.
        recipe: how sources are read.
    """
    here = {location.uri: location for location in found}
    roots = tuple(f"{root}{os.sep}" for root in _roots(given))
    seen = mounted(roots, here)
    for root in roots:
        count = 0 if root in seen else sum(one.documents for one in store.ledger.held_under([root]))
        if count:
            left_out.add(path_spelled_as(root), EMPTY.format(documents=count_text(count, "document")))
    held = {one.source: one for one in store.ledger.held_under(seen)} if seen else {}
    files = [at for at in found if at.path and at.text is None and not at.is_schema]
    looked = _Looked(here, roots)
    named = _ledger_sources_of_files(store, [at for at in files if not at.uri.startswith(roots)], recipe)
    below = [at for at in files if at.uri.startswith(roots) and at.uri not in held]
    if any(looked.is_gone(one.source) for one in store.ledger.held_ending(_sample_name_ends(below)) if one.documents):
        named |= _ledger_sources_of_files(store, below, recipe)  # the folder itself has moved, as it seems
    if not held and not named:
        return FolderChanges()
    missing = [source for source in held if source not in here and source.removesuffix(SCHEMA_MARK) not in here]
    gone = [source for source in missing if looked.is_gone(source)]
    is_gone = set(gone)
    ignored = {spelled(path) for path in left_out.ignored}
    left = [s for s in missing if s not in is_gone and not ignored.isdisjoint({s, *map(str, PurePath(s).parents)})]
    elsewhere = [source for source in named if source not in held and source not in here and looked.is_gone(source)]
    moves = _moves({**named, **held}, [*gone, *elsewhere], files, recipe)
    return FolderChanges(moves, tuple(source for source in gone if source not in moves), tuple(left))


def mounted(roots: Iterable[str], here: Iterable[str]) -> list[str]:
    """Return the folders in which anything was found: another may be where a disk is not mounted just now."""
    found = list(here)
    return [root for root in roots if any(uri.startswith(root) for uri in found)]


def _sample_name_ends(files: Sequence[Location]) -> list[str]:
    """Return how the names of some of the files end, spread evenly."""
    return [f"{os.sep}{PurePath(at.uri).name}" for at in files[:: max(1, -(-len(files) // SAMPLED))]]


def _ledger_sources_of_files(store: Store, files: Sequence[Location], recipe: Recipe) -> dict[str, HeldSource]:
    """What is held of files that are named by themselves, and of those that had the bytes of the new ones."""
    held = {one.source: one for one in store.ledger.held_as([at.uri for at in files], [])}
    new = [at for at in files if at.uri not in held or not held[at.uri].documents]
    kinds = store.ledger.kinds() if new else []
    fingerprints = [made for at in new for made in _fingerprints(at, kinds, recipe)] if kinds else []
    return held | {one.source: one for one in store.ledger.held_as([], fingerprints)}


class _Looked:
    """Whether sources that were not found are gone from the disk."""

    def __init__(self, here: Collection[str], roots: tuple[str, ...]) -> None:
        self._here = here
        self._roots = roots
        self._same: dict[str, str] | None = None
        self._cut_off: dict[str, bool] = {}

    def is_gone(self, source: str) -> bool:
        """Say whether a file is not there any more, in a folder that is open to us."""
        path = path_spelled_as(source.removesuffix(SCHEMA_MARK))
        parents = [str(parent) for parent in PurePath(source).parents]
        if any(parent in self._here and path_spelled_as(parent).is_dir() for parent in parents):
            return False  # that folder may not be listed
        if os.path.lexists(path) and not path.is_dir():
            return self._is_found_by_another_case(source, path)
        if not source.startswith(self._roots):
            there = next((parent for parent in parents if os.path.exists(parent)), "")  # noqa: PTH110 - closed: not there
            return path.is_absolute() and not self._is_empty(path_spelled_as(there))
        return not any(self._is_cut_off(parent) for parent in parents if f"{parent}{os.sep}".startswith(self._roots))

    def _is_found_by_another_case(self, source: str, path: Path) -> bool:
        """Say whether a file was found by another spelling of its name, as file systems that heed no case allow."""
        if self._same is None:
            self._same = {_normalize_file_name(uri): uri for uri in self._here}
        other = self._same.get(_normalize_file_name(source))
        with suppress(OSError):
            return other is not None and path.samefile(path_spelled_as(other))
        return False

    def _is_cut_off(self, folder: str) -> bool:
        """Say whether a folder is a link to what is not there, or is empty, as where a disk is not mounted."""
        if folder not in self._cut_off:
            path = path_spelled_as(folder)
            with suppress(OSError):
                self._cut_off[folder] = path.is_symlink() and self._is_empty(path)
        return self._cut_off.setdefault(folder, True)

    @staticmethod
    def _is_empty(folder: Path) -> bool:
        """Say whether nothing is in a folder, as where a disk is not mounted, or it may not be listed."""
        with suppress(OSError):
            return not (folder.is_dir() and any(folder.iterdir()))
        return True


def _normalize_file_name(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _roots(given: Iterable[Given]) -> Iterator[str]:
    for item in given:
        if isinstance(item, Path) or (isinstance(item, str) and not URL.match(item)):
            path = os.path.abspath(Path(item).expanduser())  # noqa: PTH100 - as a link stands
            with suppress(OSError, ValueError):
                if os.path.isdir(path):  # noqa: PTH112 - of a name that may hold what no path can
                    yield spelled(path).rstrip(os.sep)


def _moves(
    held: Mapping[str, HeldSource], gone: Sequence[str], files: Sequence[Location], recipe: Recipe
) -> dict[str, str]:
    """Return the new name of each source whose bytes stand under another name by now."""
    known = [(at, held.get(at.uri)) for at in files]
    new = [at for at, entry in known if entry is None or not entry.documents]
    changed = [at for at, entry in known if entry and entry.documents and _may_have_changed(at, entry)]
    if not (gone or len(changed) > 1 or (changed and new)):
        return {}
    wanted = [held[source] for source in (*gone, *(at.uri for at in changed))]
    wanted = [one for one in wanted if one.fingerprint and one.documents and one.outcome in {"", GONE}]
    kinds = sorted({one.kind for one in wanted})
    lying: dict[str, list[str]] = defaultdict(list)
    same_bytes: dict[str, str] = {}
    for at in (*new, *changed) if wanted else ():
        if fingerprints := _fingerprints(at, kinds, recipe):
            lying[fingerprints[0]].append(at.uri)
            same_bytes |= dict.fromkeys(fingerprints, fingerprints[0])
    moved: dict[str, list[str]] = defaultdict(list)
    for one in wanted:
        if one.fingerprint in same_bytes:
            moved[same_bytes[one.fingerprint]].append(one.source)
    moves: dict[str, str] = {}
    for found_as, sources in moved.items():
        places = lying[found_as]
        left = [source for source in sources if source not in places]
        moves |= _file_moves(left, [uri for uri in places if uri not in sources])
    return moves


def _file_moves(sources: Sequence[str], places: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pair files of the same bytes with where they may lie by now: first those that have kept their name, in order.

    >>> list(_file_moves(["/a/x.md", "/a/y.md"], ["/b/x.md", "/b/z.md"])), list(_file_moves(["/a/y.md"], ["/b/x.md"]))
    ([('/a/x.md', '/b/x.md'), ('/a/y.md', '/b/z.md')], [('/a/y.md', '/b/x.md')])
    """
    named: dict[str, deque[str]] = defaultdict(deque)
    for place in sorted(places):
        named[PurePath(place).name].append(place)
    kept = {old: named[PurePath(old).name].popleft() for old in sorted(sources) if named[PurePath(old).name]}
    yield from kept.items()
    left = sorted(place for others in named.values() for place in others)
    yield from zip((old for old in sorted(sources) if old not in kept), left, strict=False)


def _may_have_changed(location: Location, entry: HeldSource) -> bool:
    """Say whether a file was written or renamed since its entry was; where that cannot be told, it may have been."""
    try:
        facts = os.stat(location.path or "")  # noqa: PTH116 - of each file of a folder: half as long as `Path.stat`
        return max(facts.st_mtime, facts.st_ctime) > _ledger_timestamp(entry.updated_at) - CLOCKS_DIFFER_S
    except (OSError, ValueError):
        return True


@lru_cache(maxsize=64)
def _ledger_timestamp(time: str) -> float:
    """A time of the ledger in seconds; those of one `add` are few."""
    return datetime.fromisoformat(time).timestamp()


def _fingerprints(location: Location, kinds: Sequence[str], recipe: Recipe) -> list[str]:
    """Return what `Preparer.fingerprint` would make of a file if it were of each of these kinds; none if unreadable."""
    digest = blake2b(digest_size=ID_BYTES)
    try:
        facts = location.path.stat() if location.path else None
        if (
            location.path is None
            or facts is None
            or not S_ISREG(facts.st_mode)
            or facts.st_size > recipe.max_file_bytes
        ):
            return []
        _take(digest, recipe.pipeline.encode())
        digest.update(facts.st_size.to_bytes(8, "little"))
        with location.path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                digest.update(piece)
    except (OSError, ValueError):
        return []
    made: list[str] = []
    for kind in kinds:
        one = digest.copy()
        _take(one, source_traits(kind, "", "", location.metadata).encode("utf-8", "surrogatepass"))
        made.append(one.hexdigest())
    return made


def _take(digest: blake2b, part: bytes) -> None:
    """Add a part as `content_hash` does."""
    digest.update(len(part).to_bytes(8, "little") + part)
