"""Attack "patterns": every regular expression of Rove against texts made up from its own parts: 1 ms for a kilobyte."""

from __future__ import annotations

import json
import math
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from campaign.machine import slowness
from campaign.pattern_sites import SCANNING, Site, find_sites, live_sites
from campaign.pattern_texts import END, PLAIN, Pump, pumps, whole
from campaign.text_functions import CALLS
from campaign.trial import Faults, Trial
from rove.errors import RoveError

LARGE_CHARS = 200_000
S_PER_CHAR = 1e-6
"""1 ms for a kilobyte, where the machine is no slower than usual."""
SMALL_CHARS = 1_024
STEPS = 4
"""A text that is suspect is made so many times longer, to see how the time grows."""
QUICK_S = 0.000_1
"""What takes less for `SMALL_CHARS` is not measured again: the square of it would take longer."""
STEEPEST = 1.5
"""The exponent by which the time may grow, what noise there is included."""
MOST_S = 0.25
AGAIN, PAUSE_S = 6, 0.3
"""What seems slow is measured again, and so long after: a busy machine slows down whatever it does for a while."""
MEASURED = 2
"""Lengths that are measured at least; where the time seems to grow too steeply, longer texts are tried as well."""
ENOUGH = 2
"""Texts that are reported of one pattern."""
EACH, PUMPS = 12, 4
"""Patterns that a trial tries, and texts for each."""
LARGE_S = 2 * LARGE_CHARS * S_PER_CHAR
"""Twice what is allowed: other processes take caches away, and a pattern that fails takes many times as long."""
FUNCTION_CHARS, CALL_S, AT_ONCE_S = 8_000, 6.0, 0.05
UNITS = (
    *PLAIN, "[[a]](#note ", "[^1]: ", "**a", "_a_", "$$a\n", "|a\n", "<div>", "<p>", "<table><tr><td>",
    "</div>", "{", "}", "# a\n", "1. a\n", "    ", "> > ", "```\n", "~~~\n", "=====\n", "a\n===\n",
    "|a|b|\n|-|-|\n", "\\|", "`a", "``", "~~", "![a](", "[a]: b\n", "<a href='", "&amp;", "a@b.c ", "Q: a?\n",
    "A: b\n", "See section 1.", "see ", "“a", "a. B", "A.B", "a=1 ", "1 km ", "1.000.000 ", "12:30 ", "May 1 ",
    "on Monday ", "is not ", "--a\n", ":a:`", "`a`_ ", "..a::\n", '"a",', "a\n\n", "𝒳", "İ", "ﬁ", "가",
)  # fmt: skip
"""Texts for functions are one of these, over and over."""
EXEMPT: Mapping[str, str] = {
    "chunk/boundary.py:_KINDS": "held against a window of a few hundred characters",
    "language/quantities/labels.py:_SHAPES": "meets a word of LONGEST characters",
    "load/html/tree.py:CHARSET": "meets the first 4,096 bytes",
    "load/office/odf/odp.py:MOVED": "meets 256 characters",
    "load/sheets/header.py:NUMBER": "meets a cell of fewer than 40 characters",
    **dict.fromkeys(
        (f"load/sheets/number_format.py:{name}" for name in ("LITERAL", "SECTION_END", "MINUTES", "DIGITS", "search")),
        "meets a format code: LONGEST_CODE characters",
    ),
    "tools/hiding.py:PASSWORD": "meets the settings' own addresses",
    "models/fake_typed.py:MATERIAL": "meets what Rove itself has fenced, in tests",
}
"""By "file:NAME": patterns that may take longer, because what they meet is bounded before."""
AT_ONE_PLACE: Mapping[str, str] = {
    "chunk/caption.py:compile": "matched against the beginning of a paragraph",
    "chunk/heading.py:_NAMED": "a loop matches each against the beginning of a line",
    "load/front_matter.py:compile": "PyYAML matches it against the beginning of a value",
}
"""By "file:NAME": patterns that are held against one place, which the source does not show."""


@dataclass(frozen=True, slots=True)
class Slow:
    """A pattern that takes too long on a text: `seconds` for `LARGE_CHARS`, as measured or as the growth has it."""

    place: str
    name: str
    pattern: str
    begin: str
    pump: str
    growth: float
    seconds: float


class _TooLong(BaseException):  # so that nothing on the way takes it for an error of its own
    pass


def _stop(_: int, __: FrameType | None) -> None:
    raise _TooLong


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise `_TooLong` in what takes more CPU time; both libraries look for signals while they match."""
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _seconds(compiled: Any, site: Site, text: str | bytes, most: float = MOST_S) -> float:  # noqa: ANN401 - a pattern
    """CPU seconds that a pattern takes for a text as the code uses it, infinity where it was stopped."""
    began = time.thread_time()
    try:
        with _within(most):
            if site.methods & SCANNING and site.key not in AT_ONE_PLACE:
                deque(compiled.finditer(text), 0)
            if "match" in site.methods:
                compiled.match(text)
            if "fullmatch" in site.methods:
                compiled.fullmatch(text)
    except _TooLong:
        return math.inf
    except (RecursionError, MemoryError):
        return math.inf
    return time.thread_time() - began


def made(pump: Pump, chars: int, site: Site, tail: str = "") -> str | bytes:
    """Repeat a pump up to a length; `tail` stands far behind it."""
    text = pump[0] + pump[1] * (chars // len(pump[1]) + 1) + END + tail
    return text.encode("utf-8", "surrogatepass") if isinstance(site.pattern, bytes) else text


@cache
def tails(site: Site) -> tuple[str, ...]:
    """What may stand behind a text: nothing, or, for `regex`, what the pattern looks for, without which it gives up."""
    pattern = site.pattern
    if site.library == "re" or isinstance(pattern, bytes):
        return ("",)
    return tuple(dict.fromkeys(("", whole(pattern, site.flags))))


def try_small(site: Site, texts: list[Pump], enough: int = ENOUGH) -> list[Slow]:
    """Measure a pattern on small texts, and how the time grows where one is not done at once; stop at so many."""
    compiled, found = site.compiled(), list[Slow]()
    for pump, tail in product(texts, tails(site)):
        first = _seconds(compiled, site, made(pump, SMALL_CHARS, site, tail))
        if first < QUICK_S:
            continue
        times = [min(first, _seconds(compiled, site, made(pump, SMALL_CHARS, site, tail)))]
        if times[0] < QUICK_S:
            continue
        while len(times) < STEPS and (len(times) < MEASURED or _is_steep(times)):  # noise is no growth that goes on
            longer = made(pump, SMALL_CHARS * STEPS ** len(times), site, tail)
            times.append(_seconds(compiled, site, longer))
            if _is_steep(times):
                times[-1] = min(times[-1], _seconds(compiled, site, longer))
        longest = made(pump, SMALL_CHARS * STEPS ** (len(times) - 1), site, tail)
        for _ in range(AGAIN):
            if not _is_slow(times):
                break
            time.sleep(PAUSE_S)
            times[-1] = min(times[-1], _seconds(compiled, site, longest))
        if _is_slow(times):
            found.append(_slow(site, pump, _growth(times), _large(times)))
            if len(found) >= enough:
                break
    return found


def _is_slow(times: list[float]) -> bool:
    chars = SMALL_CHARS * STEPS ** (len(times) - 1)
    steep = _growth(times) > STEEPEST and _large(times) > LARGE_CHARS * S_PER_CHAR
    return steep or times[-1] > (most := 2 * chars * S_PER_CHAR) and times[-1] > most * slowness()


def _large(times: list[float]) -> float:
    """What the last of these times comes to for `LARGE_CHARS`."""
    chars = SMALL_CHARS * STEPS ** (len(times) - 1)
    return times[-1] * (LARGE_CHARS / chars) ** max(_growth(times), 1.0)


def _growth(times: list[float]) -> float:
    """By which power the time grows, where each text is `STEPS` times as long as the one before."""
    return math.inf if times[-1] == math.inf else math.log(times[-1] / times[0]) / math.log(STEPS) / (len(times) - 1)


def _is_steep(times: list[float]) -> bool:
    return STEEPEST < _growth(times) < math.inf


def _slow(site: Site, pump: Pump, growth: float, seconds: float) -> Slow:
    return Slow(site.place, site.name, str(site.pattern)[:200], pump[0], pump[1], round(growth, 2), round(seconds, 2))


def texts_of(site: Site, chance: Random | None = None) -> list[Pump]:
    """What a pattern is tried on. See `pumps`."""
    pattern = site.pattern
    return pumps(pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern, site.flags, chance)


def small(part: int, parts: int) -> None:
    """Try every pattern of a part on small texts, and print a line of JSON for each text that takes too long.

    What seems slow is tried again when all others are done: a machine that others share may be slow for seconds.
    The first line says how many patterns there are, what could not be read, and which exemptions nothing bears.
    """
    sites, unread = find_sites()
    known = {site.key for site in sites}
    told = {"patterns": len(sites), "unread": unread, "unused": sorted({*EXEMPT, *AT_ONE_PLACE} - known)}
    sys.stdout.write(json.dumps(told) + "\n")
    wanted = {(one.pattern, one.flags, one.library, one.methods): one for one in sites if one.key not in EXEMPT}

    def tried(site: Site) -> list[Slow]:
        sys.stderr.write(f"{site.place}\n")  # the last line says which pattern could not be stopped
        sys.stderr.flush()
        return try_small(site, texts_of(site))

    seem_slow = [site for site in list(wanted.values())[part::parts] if tried(site)]
    for slow in (slow for site in seem_slow for slow in tried(site)):
        sys.stdout.write(json.dumps(asdict(slow)) + "\n")
        sys.stdout.flush()


class Patterns:
    """The kind of attack. A trial tries a few patterns on long texts, and a function on longer and longer ones."""

    def __init__(self, folder: Path) -> None:
        """See `Attack`. Nothing is written."""
        del folder
        sites, unread = find_sites()
        self._sites, self._unread = [one for one in sites if one.key not in EXEMPT], unread

    def trial(self, seed: int) -> Trial:
        """See `Attack.trial`."""
        chance, faults = Random(seed), Faults()
        faults.expect(not self._unread, f"patterns that could not be read: {self._unread}")
        live = list(live_sites())
        bounded = {one.pattern for one in live if one.key in EXEMPT}  # other modules have them by their names as well
        sites = [*self._sites, *(one for one in live if one.pattern not in bounded)]
        for site in chance.sample(sites, EACH):
            compiled, texts = site.compiled(), texts_of(site, chance)
            for pump in chance.sample(texts, min(PUMPS, len(texts))):
                spent = _seconds(compiled, site, made(pump, LARGE_CHARS, site, chance.choice(tails(site))), 4 * LARGE_S)
                said = f"{site.place} {site.name} {site.pattern!r:.120} on {pump!r:.60}: {spent:.2f} s for 200 kB"
                faults.expect(spent < LARGE_S or spent < LARGE_S * slowness(), said)
        name, unit = chance.choice(list(CALLS)), chance.choice(UNITS)
        growth = growth_of(CALLS[name], unit)
        faults.expect(growth < STEEPEST, f"{name} on {unit!r}: the time grows with the power {growth:.2f}")
        return faults.trial("in time", EACH * PUMPS + 1)

    def close(self) -> None:
        """See `Attack.close`."""


def growth_of(call: Callable[[str], object], unit: str, chars: int = FUNCTION_CHARS) -> float:
    """By which power the CPU time of a call grows with its text; 0 where even the longer text is done at once.

    No text is given twice: some calls keep what they have found.
    """
    times: list[float] = []
    while len(times) < MEASURED or (len(times) < STEPS and _is_steep(times)):
        longer = chars * STEPS ** len(times)
        times.append(min(_call_seconds(call, unit, longer - again) for again in range(2)))
        if len(times) == MEASURED and times[-1] < AT_ONCE_S:
            return 0.0
    return _growth(times)


def _call_seconds(call: Callable[[str], object], unit: str, chars: int) -> float:
    text = (unit * (chars // len(unit) + 1))[:chars]
    began = time.thread_time()
    try:
        with _within(CALL_S), suppress(RoveError, ValueError):
            call(text)
    except _TooLong:
        return math.inf
    return time.thread_time() - began


if __name__ == "__main__":
    small(*(int(one) for one in (*sys.argv[1:], "0", "1")[:2]))
