"""The judge in PyTorch, to be trained: see train/judge.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from rove.models.e5 import packaged
from rove.models.e5.weights import HEADS, HIDDEN, LAYERS

if TYPE_CHECKING:
    from train.judge import Pair

DROPOUT, SMOOTHING, NO_SPAN_SHARE = 0.05, 0.05, 0.3
THREE, TWO, QUESTION = range(3)


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs, padded to one length. `words`: the token table's rows; `first`: tokens before the passage begins."""

    words: Tensor
    sides: Tensor
    lengths: Tensor
    first: Tensor
    kinds: Tensor
    labels: Tensor
    begins: Tensor
    ends: Tensor


def batch(pairs: Sequence[Pair]) -> Batch:
    """Look up the tokens' rows in the package's table, which is not trained."""
    table, vocabulary = packaged.weights(), packaged.vocabulary()
    longest = max(len(pair.first) + len(pair.passage) + 3 for pair in pairs)
    words = np.zeros((len(pairs), longest, HIDDEN), np.float32)
    sides = np.zeros((len(pairs), longest), np.int64)
    for row, pair in enumerate(pairs):
        ids = np.array([vocabulary.begin, *pair.first, vocabulary.end, *pair.passage, vocabulary.end], np.int64)
        words[row, : len(ids)] = table.words(ids)
        sides[row, len(pair.first) + 2 : len(ids)] = 1
    numbers = [
        [len(pair.first) + len(pair.passage) + 3, len(pair.first) + 2, pair.kind, pair.label, pair.begin, pair.end]
        for pair in pairs
    ]
    lengths, first, kinds, labels, begins, ends = torch.tensor(numbers).T
    return Batch(torch.from_numpy(words), torch.from_numpy(sides), lengths, first, kinds, labels, begins, ends)


class JudgeModel(nn.Module):
    """Its parameters have the names of the file's arrays, with "/" for "."."""

    def __init__(self, arrays: Mapping[str, NDArray[np.float32]], frozen: int) -> None:
        super().__init__()
        self.frozen = frozen
        self.kept = nn.ParameterDict(
            {
                name.replace(".", "/"): nn.Parameter(torch.from_numpy(array), requires_grad=self._learns(name))
                for name, array in arrays.items()
                if name != "peaks"
            }
        )

    def _learns(self, name: str) -> bool:
        layer = name.split(".")[1] if name.startswith("layers.") else ""
        return name.startswith(("cls", "span")) or (bool(layer) and int(layer) >= self.frozen)

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the weights by the file's names."""
        return {name.replace("/", "."): one.detach().numpy() for name, one in self.kept.items()}

    def forward(self, some: Batch) -> tuple[Tensor, Tensor]:
        """Return the four logits of each pair, (n, 4), and those of begin and end of each token, (n, tokens, 2)."""
        count = some.words.shape[1]
        mask = (torch.arange(count)[None] < some.lengths[:, None])[:, None, None, :]
        x = self._even(some.words + self._of("pos")[:count] + self._of("seg")[some.sides], "ln")
        for layer in range(LAYERS):
            with torch.set_grad_enabled(layer >= self.frozen and torch.is_grad_enabled()):
                x = self._layer(x, f"layers.{layer}", mask, DROPOUT if layer >= self.frozen else 0.0)
        return self._through(F.gelu(self._through(x[:, 0], "cls.0")), "cls.2"), self._through(x, "span")

    def _layer(self, x: Tensor, name: str, mask: Tensor, dropout: float) -> Tensor:
        rows, count, _ = x.shape
        q, k, v = (self._through(x, f"{name}.{part}").view(rows, count, HEADS, -1).transpose(1, 2) for part in "qkv")
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(rows, count, -1)
        x = self._even(x + F.dropout(self._through(mixed, f"{name}.ao"), dropout, self.training), f"{name}.aln")
        inner = self._through(F.gelu(self._through(x, f"{name}.fi")), f"{name}.fo")
        return self._even(x + F.dropout(inner, dropout, self.training), f"{name}.oln")

    def _even(self, x: Tensor, name: str) -> Tensor:
        return F.layer_norm(x, (HIDDEN,), self._of(f"{name}.weight"), self._of(f"{name}.bias"), 1e-12)

    def _through(self, x: Tensor, name: str) -> Tensor:
        return F.linear(x, self._of(f"{name}.weight"), self._of(f"{name}.bias"))

    def _of(self, name: str) -> Tensor:
        return self.kept[name.replace(".", "/")]


def loss(logits: Tensor, edges: Tensor, some: Batch) -> Tensor:
    """Cross-entropy of the three classes, of supported or not, or of answers or not; of questions also of the edges.

    Where nothing answers, both edges are the first token: no span.
    """
    tokens = torch.arange(edges.shape[1])[None]
    allowed = (some.sides == 1) & (tokens < some.lengths[:, None] - 1)
    allowed[:, 0] = True
    edges = edges.masked_fill(~allowed[:, :, None], -1e4)
    yes = some.labels.float().clamp(0, 1)
    three = F.cross_entropy(logits[:, :3], some.labels, reduction="none", label_smoothing=SMOOTHING)
    supported = logits[:, 0] - torch.logsumexp(logits[:, 1:3], dim=1)
    two = F.binary_cross_entropy_with_logits(supported, yes, reduction="none")
    answers = F.binary_cross_entropy_with_logits(logits[:, 3], yes, reduction="none")
    span = sum(
        F.cross_entropy(edges[:, :, side], torch.where(place >= 0, some.first + place, 0), reduction="none")
        for side, place in enumerate((some.begins, some.ends))
    )
    known = (some.kinds == QUESTION) & ((some.begins >= 0) | (some.labels == 0))
    weights = torch.where(some.labels == 1, 1.0, NO_SPAN_SHARE) * known / 2
    own = torch.where(some.kinds == THREE, three, torch.where(some.kinds == TWO, two, answers))
    return (own + weights * span).mean()
