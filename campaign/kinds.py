"""The kinds of attack: one file each, one line here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from campaign import DATA
from campaign.trial import Attack


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of attack.

    place: "module:Class" of the `Attack`.
    what: what is tried, and what must hold.
    quota: tries that a campaign of 60 minutes makes; a shorter one makes fewer, in proportion.
    share: minutes of one core that 60 minutes leave it at most.
    needs: a module that it cannot do without.
    patience_s: after so many seconds without an end a trial counts as hung, and is killed.
    """

    place: str
    what: str
    quota: int
    share: float
    patience_s: float = 120.0
    needs: str = ""
    needs_data: bool = False

    def missing(self) -> str:
        """Say what it needs and is not there; "" where all is."""
        if self.needs and find_spec(self.needs) is None:
            return f"{self.needs} is not there"
        return "../shared/data is not there" if self.needs_data and not DATA.is_dir() else ""

    def load(self) -> type[Attack]:
        """Import it."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)


KINDS: dict[str, Kind] = {
    "kills": Kind(
        "campaign.kills:Kills",
        "kill -9 amid add, replace, delete, enrich, erase, doctor, import, walk and serve: what was acknowledged is "
        "there, once and whole; the rest is there whole or not at all; doctor finds it sound, search finds it",
        1_000, 10,
    ),
    "torn": Kind(
        "campaign.torn:Torn",
        "files of a base cut, zeroed, flipped, removed, emptied or older: it opens, heals, or is refused with a cure",
        500, 10,
    ),
    "lost": Kind(
        "campaign.lost:Lost",
        "rows, tables and root pages of the catalog taken away, bits of the snapshot flipped, its files cut, zeroed, "
        "turned round, noise or folders: right answers, or what is lost is said, and its own cure makes it anew",
        400, 4,
    ),
    "disks": Kind(
        "campaign.disks:Disks",
        "the disk is full at a random byte: said so with a cure, what was acknowledged stays, and goes on with room",
        200, 4,
    ),
    "writers": Kind(
        "campaign.writers:Writers",
        "processes that write and search one base at once: what is replaced is found, old or new; in the end all agree",
        60, 8,
    ),
    "swaps": Kind(
        "campaign.swaps:Swaps",
        "catalogs moved, deleted, replaced or rebuilt under who has them open: refused, or noticed before anything is "
        "acknowledged that would be lost",
        200, 4,
    ),
    "filters": Kind(
        "campaign.filters:Filters",
        "random filters over random metadata, by the embedded index and LanceDB: what passes is the reference's",
        20_000, 8,
    ),
    "callers": Kind(
        "campaign.callers:Callers",
        "every route of the OpenAPI document, MCP and the web page, by every kind of caller: no more than its rights, "
        "and no byte of what it may not see",
        6_000, 6,
    ),
    "worlds": Kind(
        "campaign.hooks:Worlds",
        "two worlds that differ in hidden documents alone: every reply is the same to the byte",
        2_000, 6, 600.0, needs="campaign.worlds",
    ),
    "chat": Kind(
        "campaign.chatfaults:ChatFaults",
        "a chat endpoint that fails, hangs, floods or lies, under ask, walk, gather and HTTP: an answer or a typed "
        "error, in time, the loop free, no quotation that no source has",
        500, 10,
    ),
    "files": Kind(
        "campaign.files:Files",
        "damaged, hostile and mislabelled files: each has a typed outcome in the ledger, in time",
        10_000, 12, needs_data=True,
    ),
    "jail": Kind(
        "campaign.jail:Jail",
        "a reading process that is taken over, and sends ids, labels, places, spans and noise that are not its "
        "source's: refused with a cure, and no other document changes",
        300, 2,
    ),
    "folders": Kind(
        "campaign.folders:Folders",
        "files of a folder written, renamed, swapped, moved and deleted between adds: what is there is found where it "
        "lies, as the document that it was; what is gone is told until it is pruned; what is not mounted stays",
        500, 6,
    ),
    "addresses": Kind(
        "campaign.addresses:Addresses",
        "addresses that lead into the private network, in any spelling: refused, and nothing is connected to",
        250, 2,
    ),
    "patterns": Kind(
        "campaign.patterns:Patterns",
        "every regular expression on 200 kB made up from its own parts, and what reads texts on longer ones: "
        "1 ms for a kilobyte, and never the square",
        400, 6,
    ),
    "trips": Kind(
        "campaign.trips:Trips",
        "export → import, and a copy of the folder: the other base holds and finds the same",
        100, 4,
    ),
    "vectors": Kind(
        "campaign.vectors:BadVectors",
        "vectors that cannot be used, from an embedder, in an export, in rows of the catalog: each costs its passage "
        "alone, which is said and made anew; what is not of unit length is normalised",
        1_500, 4,
    ),
    "soak": Kind(
        "campaign.hooks:Soak",
        "the same work for as long as there is time: memory, handles, threads and the folder stay flat",
        1, 14, 3_600.0, needs="campaign.soak",
    ),
}  # fmt: skip
"""In the order of the page."""
