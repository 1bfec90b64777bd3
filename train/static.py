"""Makes what `rove.models.static` ships: `python -m train.static [--states FILE]`; see docs/decisions/044-static.md.

No text is read. Every piece of the vocabulary goes through the packaged model `ROUNDS` times, among others drawn at
random; the mean of its last states is whitened, and the sign of each of the first components kept. With the token
table's own first components, in part whitened, that is a piece's vector.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rove.models.e5 import packaged
from rove.models.e5.runtime import E5Runtime
from rove.models.static.pieces import MAP, SIGNS

SEED = 1
ROUNDS = 4
COMPANY = 16
"""Pieces in one text: alone, a piece's state is worse across languages."""
TABLE_DIMENSIONS, STATE_DIMENSIONS = 128, 256
TABLE_POWER = 0.5
"""How far the table's components are whitened: 0 not at all, 1 to equal variance."""
SMOOTHING = 1e-5
SIGNS_OF_MODEL = 4
UNIT = 32_000
LEAST_DEVIATION = 1e-6
Floats = NDArray[np.float64]


def states(runtime: E5Runtime) -> NDArray[np.float16]:
    """Return the mean last state of every piece in random company, (250002, 384). About ten minutes on a quiet core."""
    vocabulary = packaged.vocabulary()
    count = len(vocabulary.pieces)
    prefix = runtime.tokenizer.ids("", is_query=True)[: runtime.tokenizer.prefix_tokens[True]]
    own = slice(1 + len(prefix), -1)
    total = np.zeros((count, 384), np.float32)
    generator = np.random.default_rng(SEED)
    began = time.perf_counter()
    for number in range(ROUNDS):
        order = generator.permutation(np.arange(SIGNS_OF_MODEL, count - 1))
        for begin in range(0, len(order), COMPANY):
            ids = order[begin : begin + COMPANY]
            total[ids] += runtime.hidden([*prefix, *ids.tolist()])[own]
        print(f"round {number + 1} of {ROUNDS}: {time.perf_counter() - began:.0f} s", flush=True)
    return (total / ROUNDS).astype(np.float16)


def components(rows: Floats, power: float) -> tuple[Floats, Floats]:
    """Return the mean, and the map to principal components, the largest first, each divided by its deviation^power."""
    mean = rows.mean(axis=0)
    variances, axes = np.linalg.eigh(np.cov(rows - mean, rowvar=False, bias=True))
    deviations = np.sqrt(np.maximum(variances[::-1], 0)) + LEAST_DEVIATION
    return mean, axes[:, ::-1] / deviations**power


def write(kept: NDArray[np.float16]) -> None:
    """Write both files."""
    table = packaged.weights().words(np.arange(len(kept))).astype(np.float64)
    real = slice(SIGNS_OF_MODEL, len(kept) - 1)
    mean, mapped = components(table[real], TABLE_POWER)
    length = np.sqrt(((table[real] - mean) @ mapped).var(axis=0).sum())
    mapped = mapped[:, :TABLE_DIMENSIONS] * (UNIT / length)
    np.savez(
        MAP,
        map=mapped.astype(np.float32),
        mean=mean.astype(np.float32),
        smoothing=np.float64(SMOOTHING),
        sign=np.float64(UNIT / np.sqrt(STATE_DIMENSIONS)),
    )
    wide = kept.astype(np.float64)
    mean, mapped = components(wide[real], 1.0)
    np.save(SIGNS, np.packbits((wide - mean) @ mapped[:, :STATE_DIMENSIONS] > 0, axis=1))


def main() -> None:
    """Make the states, or read them, and write the files."""
    parser = argparse.ArgumentParser(prog="python -m train.static", description=__doc__)
    parser.add_argument("--states", type=Path, default=Path("static-states.npy"), help="kept there, and read if there")
    options = parser.parse_args()
    if not options.states.is_file():
        np.save(options.states, states(E5Runtime(1)))
    write(np.load(options.states))


if __name__ == "__main__":
    main()
