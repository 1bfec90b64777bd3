"""What Rove is worth and costs, measured: `python -m bench PART`, whose parts `python -m bench --help` names."""

from __future__ import annotations

import os
from pathlib import Path

# Spinning OpenMP threads cost up to 100 × beside another busy process; read when a library loads, so set it first.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

ROOT = Path(__file__).parents[1]
CACHE = ROOT / "bench" / ".cache"
DATA = ROOT.parent / "shared" / "data" / "retrieval"
