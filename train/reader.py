"""Trains the reader of `rove.models.e5.reader`: `python -m train.reader`, on what `python -m train.reader_data` keeps.

A run that broke off is taken up from its last checkpoint. What came out: train/README.md.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from bench import CACHE
from rove.models.e5.interaction import Interaction
from rove.models.e5.reader import ANSWER, BEGIN, END, RELEVANCE, CrossReader
from train.reader_eval import evaluate, show
from train.reader_examples import Batch, batch, examples, order
from train.reader_model import ReaderModel, Shape
from train.reader_sets import bases

WARM_UP = 200


def main() -> None:
    """Train, or go on training; at every checkpoint evaluate what would be shipped."""
    chosen = arguments()
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(chosen.seed)
    folder = chosen.cache / "runs" / chosen.run
    folder.mkdir(parents=True, exist_ok=True)
    found = bases(chosen.cache)
    data = examples(found, chosen.questions, chosen.leave_out, chosen.seed)
    model = ReaderModel(Shape(**{f.name: getattr(chosen, f.name) for f in fields(Shape) if hasattr(chosen, f.name)}))
    print(f"{len(data)} training questions, {model.parameters_count()} parameters", flush=True)
    trainer = Trainer(model, chosen, folder / "last.pt")
    batches = order(data, chosen.batch, chosen.seed)
    for _ in range(trainer.step):
        next(batches)
    shown = trainer.seconds
    while not trainer.is_done:
        drawn = np.random.default_rng((chosen.seed, trainer.step))
        trainer.learn(batch(next(batches), chosen.passages, drawn))
        if trainer.seconds - shown >= 60 * chosen.every or trainer.is_done:
            shown = trainer.seconds
            trainer.keep()
            print(trainer.report(), flush=True)
            model.save(folder / "reader.npz")
            reader = CrossReader(folder / "reader.npz", Interaction())
            print(show(evaluate(reader, found, chosen.test)), flush=True)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=CACHE / "reader")
    parser.add_argument("--run", default="reader", help="name of the run, whose checkpoints are in CACHE/runs/RUN")
    parser.add_argument("--minutes", type=float, default=90, help="of training, evaluation not counted")
    parser.add_argument("--steps", type=int, default=40_000, help="the rate falls to 0 by then, or by --minutes")
    parser.add_argument("--every", type=float, default=10, help="minutes between checkpoints")
    parser.add_argument("--test", type=int, default=60, help="at most so many test questions of each group")
    parser.add_argument("--questions", type=int, default=5000, help="at most so many training questions of each group")
    parser.add_argument("--leave-out", nargs="*", default=[], help="languages not to be trained on")
    parser.add_argument("--batch", type=int, default=8, help="questions a step")
    parser.add_argument("--passages", type=int, default=8, help="passages of each question, one of them right")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--beside", type=float, default=0.5, help="weight of the relevance loss beside the first stage")
    parser.add_argument("--answer", type=float, default=1.0, help="weight of the loss of whether a passage answers")
    parser.add_argument("--spans", type=float, default=0.5, help="weight of the loss of where; 0: no spans")
    parser.add_argument("--no-cosines", dest="cosines", action="store_false", help="best cosines are no input")
    for field in fields(Shape):
        if field.name not in ("cosines", "token"):
            parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    parser.add_argument("--bf16", action="store_true", help="products in bfloat16")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class Trainer:
    """The model, its optimiser and where they stand; what is in the file `kept` is taken up."""

    def __init__(self, model: ReaderModel, chosen: argparse.Namespace, kept: Path) -> None:
        self.model, self.chosen, self.kept = model, chosen, kept
        self.sharpness = nn.Parameter(torch.zeros(()))
        self.learned = [*model.parameters(), self.sharpness]
        self.optimiser = torch.optim.AdamW(self.learned, lr=chosen.rate, weight_decay=0.01)
        self.step, self.seconds = 0, 0.0
        self._recent: list[list[float]] = []
        if kept.is_file():
            state = torch.load(kept)
            model.load_state_dict(state["model"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.sharpness.data.copy_(state["sharpness"])
            self.step, self.seconds = state["step"], state["seconds"]

    @property
    def is_done(self) -> bool:
        """Whether the steps or the minutes are over."""
        return self.step >= self.chosen.steps or self.seconds >= 60 * self.chosen.minutes

    def learn(self, given: Batch) -> None:
        """Take one step."""
        started = time.perf_counter()
        torch.manual_seed(self.chosen.seed + self.step)  # for dropout: a run that is taken up goes on as it would have
        done = max(self.step / self.chosen.steps, self.seconds / (60 * self.chosen.minutes))
        for group in self.optimiser.param_groups:
            group["lr"] = self.chosen.rate * min(1.0, (self.step + 1) / WARM_UP) * (1 - done)
        self.model.train()
        with torch.autocast("cpu", torch.bfloat16, enabled=self.chosen.bf16):
            parts = self._losses(given)
        weights = (1.0, self.chosen.beside, self.chosen.answer, self.chosen.spans)
        loss = sum(weight * part for weight, part in zip(weights, parts, strict=True))
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.learned, 1.0)
        self.optimiser.step()
        self._recent.append([float(part.detach()) for part in parts])
        self.step += 1
        self.seconds += time.perf_counter() - started

    def _losses(self, given: Batch) -> list[Tensor]:
        """Relevance alone and beside the first stage, answer, spans."""
        start, tokens = self.model(given.pairs)
        relevance = start[:, RELEVANCE].view(given.first.shape)
        first_is_right = torch.zeros(len(relevance), dtype=torch.long)
        beside = relevance + self.sharpness.exp() * given.first
        is_labelled = given.answers >= 0
        return [
            nn.functional.cross_entropy(relevance, first_is_right),
            nn.functional.cross_entropy(beside, first_is_right),
            nn.functional.binary_cross_entropy_with_logits(
                start[is_labelled, ANSWER], given.answers[is_labelled].float()
            ),
            surprise(start, tokens, given, BEGIN, given.begins) + surprise(start, tokens, given, END, given.ends),
        ]

    def keep(self) -> None:
        """Write the checkpoint, whole or not at all."""
        state = {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "sharpness": self.sharpness.data,
            "step": self.step,
            "seconds": self.seconds,
        }
        torch.save(state, self.kept.with_suffix(".part"))
        self.kept.with_suffix(".part").replace(self.kept)

    def report(self) -> str:
        """Say where the run stands; losses are means since the last report."""
        means = np.mean(self._recent, axis=0)
        self._recent = []
        names = ("relevance", "beside the first stage", "answer", "spans")
        losses = ", ".join(f"{name} {mean:.3f}" for name, mean in zip(names, means, strict=True))
        return f"\nstep {self.step}, {self.seconds / 60:.1f} minutes, {self.seconds / self.step:.3f} s a step; {losses}"


def surprise(start: Tensor, tokens: Tensor, given: Batch, head: int, wanted: Tensor) -> Tensor:
    """-log of the softmax's share of the places that are right, of which the start stands for none.

    Passages with an answer and passages without count as much as one another.
    """
    scores = torch.cat([start[:, head, None], tokens[:, :, head].masked_fill(~given.pairs.given, -1e4)], 1)
    each = torch.logsumexp(scores, 1) - torch.logsumexp(scores.masked_fill(~wanted, -1e4), 1)
    kinds = (given.is_known & ~wanted[:, 0], given.is_known & wanted[:, 0])
    return sum((each[kind].mean() for kind in kinds if kind.any()), torch.zeros(()))


if __name__ == "__main__":
    main()
