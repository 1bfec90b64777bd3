"""The attack campaign: `python -m campaign --minutes 60 --seed 1`; `campaign.kinds` names the kinds of attack."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Read when a library loads, so set first: trials are many small processes, which must not each start threads of BLAS.
for _name, _value in {"OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}.items():
    os.environ.setdefault(_name, _value)

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(1, str(ROOT / "tests"))  # its bad files and its scripted chat server serve here too
