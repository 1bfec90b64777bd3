"""A reading process that is taken over: whatever it sends costs its own source only, and nothing else changes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from random import Random

from campaign.bases import FAKE, document, word
from campaign.trial import Faults, Trial
from rove.records import Text
from rove.sync import Rove
from sandbox import hostile

EACH = 6
"""Sources of a trial; half of them take their process over, the last one always."""
RAW = ("noise", "deep", "surrogate", "empty", "huge frame", "a wish that is none")
"""What is sent beside the changed messages of `hostile.SEIZED`: no message at all."""
REFUSED = ("damaged", "partial")
"""How a source ends whose process was taken over: "partial" where only what it said at the end was refused."""
LABELS = ("hr",)
ENTRY = "[rove.loaders]\nhostile = hostile:HostileLoader\n"


class Jail:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        plugin = folder / "plugin"
        about = plugin / "hostile-1.dist-info"
        about.mkdir(parents=True)
        shutil.copy(str(hostile.__file__), plugin / "hostile.py")
        (about / "METADATA").write_text("Name: hostile\nVersion: 1\n")
        (about / "entry_points.txt").write_text(ENTRY)
        self.before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(plugin), self.before)))

    def close(self) -> None:
        """Let new processes know the plug-in no longer."""
        if self.before is None:
            os.environ.pop("PYTHONPATH", None)
        else:
            os.environ["PYTHONPATH"] = self.before

    def trial(self, seed: int) -> Trial:
        """Add a few sources to a base with one that has a label of its own."""
        chance, faults, folder = Random(seed), Faults(), self.folder / f"jail{seed}"
        ways = [*hostile.SEIZED, *RAW]
        seized = [f"seize {ways[seed % len(ways)]}", *(f"seize {chance.choice(ways)}" for _ in range(EACH // 2 - 1))]
        honest = [f"say {word(seed, number)}" for number in range(EACH - len(set(seized)))]
        deeds = list(dict.fromkeys([*seized, *honest]))
        chance.shuffle(deeds)
        try:
            with Rove.open(folder, **FAKE) as kb:
                kb.add(document("victim", 1))
                before = kb.document("victim"), kb.documents()
                with faults.typed("add"):
                    kb.add([Text(one, id=one, title=one, kind="hostile", metadata={"access": LABELS}) for one in deeds])
                faults.expect(kb.document("victim") == before[0], "another document has changed")
                faults.expect(kb.documents()[:1] == before[1], "another document's fields have changed")
                self._judge(kb, faults, deeds)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return faults.trial("refused", len(deeds))

    def _judge(self, kb: Rove, faults: Faults, deeds: list[str]) -> None:
        """Hold what became of each source against what it did."""
        ledger = {entry.source: entry for entry in kb.ledger()}
        faults.expect(set(ledger) == {"victim", *deeds}, f"the ledger names {sorted(set(ledger) ^ {'victim', *deeds})}")
        for one in deeds:
            entry = ledger.get(one)
            said = f"{one}: {entry}"
            if one.startswith("say ") and faults.expect(entry and entry.state == "live", said):
                faults.expect(kb.text(one) == one.removeprefix("say "), f"{one}: its text is another")
            elif one.startswith("seize "):
                refused = entry and entry.outcome in REFUSED and "parser sent" in entry.reason and entry.cure
                faults.expect(refused, said)
        for info in kb.documents():
            mine = info.document_id in ledger and info.source == info.document_id
            faults.expect(mine, f"a document {info.document_id!r} of {info.source!r} is there")
            labels = info.metadata.get("access", ())
            faults.expect(info.document_id == "victim" or labels == LABELS, f"{info.document_id} has {labels!r}")
