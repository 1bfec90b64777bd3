"""Recordings of speech that lie beside this file."""

from __future__ import annotations

from pathlib import Path

SPEECH = Path(__file__).with_name("files") / "speech"
LEASE = SPEECH / "lease.opus"
"""9 s of English, by flite's voice slt: "The lease begins on the first of March. The monthly rent is nine hundred and
forty euros. Please bring two copies of your passport to the office in Bristol."""
BERLET = SPEECH / "berlet.ogg"
"""12 s of Hungarian, by espeak-ng."""
