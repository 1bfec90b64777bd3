"""Makes and trains on the judge of `rove.models.e5.judge`; what it is worth and what went into it: train/judge.md.

One step after another; PAIRS is a folder with `texts.jsonl.xz` and `pairs.tsv.xz` (see `read_pairs`):

    python -m train.judge train PAIRS WEIGHTS.npz OUT.npz --seconds 2400    # needs torch; seeds are fixed
    python -m train.judge mean OUT.npz A.npz:.5 B.npz:.5                    # keeps more of what each could do
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rove.models.e5.judge import FIRST_TOKENS, WINDOW_TOKENS, CrossEncoder

Arrays = Mapping[str, NDArray[np.float32]]
KINDS = ("n3", "n2", "q")
"""Three classes (supported, neither, contradicted); supported or not; answers or not, and where."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim or question and a passage as tokens. `label`: see `KINDS`; `begin`, `end`: tokens, -1 where unknown."""

    kind: int
    first: Sequence[int]
    passage: Sequence[int]
    label: int
    begin: int
    end: int


def main() -> None:
    """Do the step that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    learn = steps.add_parser("train")
    learn.add_argument("pairs", type=Path)
    learn.add_argument("weights", type=Path)
    learn.add_argument("out", type=Path)
    learn.add_argument("--seconds", type=float, default=2_400)
    learn.add_argument("--rate", type=float, default=5e-5)
    learn.add_argument("--size", type=int, default=32, help="pairs a step")
    learn.add_argument("--frozen", type=int, default=6, help="lower layers that stay as they are")
    learn.add_argument("--most", type=int, default=40_000, help="pairs")
    learn.add_argument("--seed", type=int, default=1)
    average = steps.add_parser("mean")
    average.add_argument("out", type=Path)
    average.add_argument("parts", nargs="+", help="FILE:SHARE")
    chosen = parser.parse_args()
    if chosen.step == "mean":
        write(mean(chosen.parts), chosen.out)
    else:
        train(chosen)


def read(path: Path) -> dict[str, NDArray[np.float32]]:
    """Read weights: matrices of int8 times the steps of their rows, the others as they are."""
    with np.load(path) as file:
        return {
            name: file[name].astype(np.float32) * (file[f"{name}.scale"][:, None] if f"{name}.scale" in file else 1)
            for name in file.files
            if not name.endswith(".scale")
        }


def write(arrays: Arrays, path: Path) -> None:
    """Write weights: the layers' matrices in int8 by output row, other matrices in float16, vectors in float32."""
    kept: dict[str, NDArray[np.generic]] = {}
    for name, array in arrays.items():
        if name.startswith("layers") and array.ndim == 2:
            steps = np.abs(array).max(axis=1) / 127
            kept[name] = np.rint(array / steps[:, None]).astype(np.int8)
            kept[f"{name}.scale"] = steps.astype(np.float32)
        else:
            kept[name] = array.astype(np.float16 if array.ndim > 1 else np.float32)
    np.savez(path, **kept)  # pyright: ignore[reportArgumentType]


def mean(parts: Sequence[str]) -> Arrays:
    """Average weights, each FILE:SHARE."""
    total: dict[str, NDArray[np.float32]] = {}
    for part in parts:
        path, _, share = part.rpartition(":")
        for name, array in read(Path(path)).items():
            total[name] = total.get(name, 0) + np.float32(share) * array
    return total


def read_rows(folder: Path) -> Iterator[tuple[str, str, str, int, int, int, str]]:
    """Yield kind, first, passage, label, begin and end in characters, language.

    `texts.jsonl.xz` has a text a line; `pairs.tsv.xz`, under one line of names: kind, the lines of first and passage
    from 0, label, start, end (-1: unknown), source, language.
    """
    with lzma.open(folder / "texts.jsonl.xz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line) for line in file]
    with lzma.open(folder / "pairs.tsv.xz", "rt", encoding="utf-8") as file:
        next(file)
        for line in file:
            kind, first, passage, label, start, end, _, language = line.rstrip("\n").split("\t")
            yield kind, texts[int(first)], texts[int(passage)], int(label), int(start), int(end), language


def read_pairs(folder: Path, most: int, seed: int) -> list[Pair]:
    """Draw pairs whose passages fit into one window, as tokens."""
    rows = list(read_rows(folder))
    encoder = CrossEncoder()
    found: list[Pair] = []
    for place in np.random.default_rng(seed).permutation(len(rows)):
        kind, first, passage, label, start, end, _ = rows[place]
        ids = encoder.ids(passage)
        if not 0 < len(ids) <= WINDOW_TOKENS:
            continue
        begin = last = -1
        if kind == "q" and label == 1 and start >= 0:
            spans = encoder.token_spans(passage)
            inside = np.flatnonzero((spans[:, 1] > start) & (spans[:, 0] < end))
            if len(inside):
                begin, last = int(inside[0]), int(inside[-1])
        found.append(Pair(KINDS.index(kind), encoder.ids(first)[:FIRST_TOKENS], ids, label, begin, last))
        if len(found) == most:
            break
    return found


def train(chosen: argparse.Namespace) -> None:
    """Train for so many seconds, rising for the first 4 % and then falling to 0; the lower layers stay as they are."""
    import torch

    from train.judge_model import JudgeModel, batch, loss

    torch.manual_seed(chosen.seed)
    pairs = read_pairs(chosen.pairs, chosen.most, chosen.seed)
    model = JudgeModel(read(chosen.weights), chosen.frozen)
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=chosen.rate, betas=(0.9, 0.98), weight_decay=0.01)
    drawn, began, step = np.random.default_rng(chosen.seed), time.monotonic(), 0
    while (done := (time.monotonic() - began) / chosen.seconds) < 1:
        some = batch([pairs[place] for place in drawn.choice(len(pairs), chosen.size)])
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * min(1, done / 0.04) * max(0.02, 1 - done)
        value = loss(*model(some), some)
        optimizer.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        step += 1
        if step % 50 == 0:
            print(f"{step} steps of {chosen.size} pairs, loss {value.item():.3f}", flush=True)
    write(model.arrays(), chosen.out)


if __name__ == "__main__":
    main()
