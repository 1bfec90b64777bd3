"""Odd files that Debian packages bring, read in the sandbox: none may hang, kill, or end without a word.

The packages are fetched once by `apt-get download` and unpacked under bench/.cache; nothing is installed.
"""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic

from bench import CACHE
from bench.process import ChildError, output
from bench.report import Table, say
from rove.load import SUFFIXES
from rove.load.discover import Location, locate
from rove.prepare import Recipe
from rove.records import Prepared, SourceEnd
from rove.records.ledger import OUTCOMES
from rove.sandbox import Limits
from rove.sandbox.pool import Pool

FOLDER = CACHE / "debian"
PACKAGES = (
    "clamav-testfiles",
    "docutils-doc",
    "fbreader",
    "ghostscript-doc",
    "gnumeric-doc",
    "libemail-mime-perl",
    "libmime-tools-perl",
    "libpdf-api2-perl",
    "libreoffice-smoketest-data",
    "libspreadsheet-read-perl",
    "libxml-libxml-perl",
    "lyx-common",
    "openscap-common",
    "poppler-data",
    "python3-feedparser",
    "python3-html5lib",
    "python3-nbclient",
    "python3-nbconvert",
    "r-cran-jsonlite",
    "r-cran-officer",
    "r-cran-openxlsx",
    "r-cran-pdftools",
    "r-cran-readxl",
    "r-cran-rio",
    "r-cran-sf",
    "r-cran-tm",
    "r-cran-xml2",
    "sqlite3-doc",
)
PROCESSES = 2
MOST_EACH = 25
"""Files of one suffix; a manual has thousands of pages that are all alike."""
SLOW_S = 5.0


def run() -> list[Table]:
    """Read them all."""
    packages = fetched()
    files = chosen()
    say(f"{len(files)} files from {packages} packages")
    ends: dict[str, tuple[str, str]] = {}
    documents = Counter[str]()
    slow: list[str] = []
    pool = Pool(Recipe("none", "none"), Limits(), PROCESSES)
    began = last = monotonic()
    for item in pool.read([(location, "") for location in files]):
        if isinstance(item, Prepared):
            documents[item.ledger_source] += 1
        elif isinstance(item, SourceEnd):
            ends[item.source] = (item.outcome or "read", item.reason)
            if monotonic() - last > SLOW_S:
                slow.append(Path(item.source).name)
            last = monotonic()
    pool.close()
    seconds = monotonic() - began
    return [outcomes(files, ends, seconds), faults(files, ends, documents, slow)]


def fetched() -> int:
    """Fetch and unpack what is not there yet, as far as there is apt; returns how many packages are there."""
    for name in PACKAGES if shutil.which("apt-get") else ():
        if not (FOLDER / name).is_dir():
            FOLDER.mkdir(parents=True, exist_ok=True)
            try:
                output(["sh", "-c", f"cd {FOLDER} && apt-get download -q {name} && dpkg-deb -x {name}_*.deb {name}"])
            except ChildError as error:
                say(f"{name}: {error}")
    return sum(1 for name in PACKAGES if (FOLDER / name).is_dir())


def chosen() -> list[Location]:
    """Every file of the packages that is no link, also those without a suffix, but not too many of one suffix."""
    taken: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(FOLDER.glob("*/**/*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size:
            taken[path.suffix.lower()].append(path)
    kept = [path for paths in taken.values() for path in paths[:: max(1, len(paths) // MOST_EACH)][:MOST_EACH]]
    return locate(kept)


def outcomes(files: Sequence[Location], ends: dict[str, tuple[str, str]], seconds: float) -> Table:
    """Count how they ended, by what their suffix says they are."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for file in files:
        kind = SUFFIXES.get(Path(file.name).suffix.lower(), "no known suffix")
        counts[kind][ends.get(file.uri, ("", ""))[0] or "nothing"] += 1
    shown = ["read", *[name for name in OUTCOMES if any(count[name] for count in counts.values())], "nothing"]
    rows = [[kind, count.total(), *(count[name] or "" for name in shown)] for kind, count in sorted(counts.items())]
    note = (
        f"{len(files)} files of {len(PACKAGES)} Debian packages, at most {MOST_EACH} of a suffix, in {seconds:.0f} s."
    )
    return Table("Odd files", ["by suffix", "files", *shown], rows, note)


def faults(
    files: Sequence[Location], ends: dict[str, tuple[str, str]], documents: Counter[str], slow: Sequence[str]
) -> Table:
    """Name what must not be: no ending, nothing read and nothing said, a parser that crashed or took long."""
    rows = list(_faults(files, ends, documents)) + [[name, "took over 5 s", ""] for name in slow]
    return Table("Odd files that ended badly", ["file", "what", "why"], rows or [["none", "", ""]])


def _faults(
    files: Sequence[Location], ends: dict[str, tuple[str, str]], documents: Counter[str]
) -> Iterator[list[object]]:
    for file in files:
        outcome, reason = ends.get(file.uri, ("", ""))
        if not outcome:
            yield [file.name, "no ending", ""]
        elif outcome == "read" and not documents[file.uri]:
            yield [file.name, "silently empty", ""]
        elif "crashed its parser" in reason or "could not be read as" in reason:
            yield [file.name, outcome, reason[:200]]
