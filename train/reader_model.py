"""The reader as it is trained: what `rove.models.e5.reader` runs, in torch, for a batch of padded pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from rove.models.e5.interaction import BACK, POWER, Interaction
from rove.models.e5.reader import EPSILON, PASSAGE, QUESTION, START

STEEPEST_AND_FLATTEST = (math.log10(0.5), math.log10(0.05))


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the model; `reach`: distances beyond it count alike; `cosines`: whether best cosines are an input."""

    layers: int = 2
    width: int = 128
    attention: int = 64
    heads: int = 2
    inner: int = 256
    reach: int = 32
    dropout: float = 0.1
    cosines: bool = True
    token: int = 128


@dataclass(frozen=True, slots=True)
class Pairs:
    """Padded pairs: `question` (n, q, 128) and `passage` (n, p, 128) float32, and which of their tokens are there."""

    question: Tensor
    asked: Tensor
    passage: Tensor
    given: Tensor


class Layer(nn.Module):
    """Attention, then two products with ReLU between; each on the normalised state and added to it."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.attention_norm = nn.LayerNorm(shape.width, EPSILON)
        self.query, self.key, self.value = (nn.Linear(shape.width, shape.attention) for _ in range(3))
        self.mix = nn.Linear(shape.attention, shape.width)
        self.inner_norm = nn.LayerNorm(shape.width, EPSILON)
        self.inner = nn.Linear(shape.width, shape.inner)
        self.outer = nn.Linear(shape.inner, shape.width)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, state: Tensor, added: Tensor) -> Tensor:
        """`state` (n, tokens, width); `added` (n, heads, tokens, tokens) is added to attention's scores."""
        even = self.attention_norm(state)
        q, k, v = (self._by_head(side(even)) for side in (self.query, self.key, self.value))
        shares = torch.softmax((q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5 + added, -1)
        state = state + self.dropout(self.mix((shares.to(v.dtype) @ v).transpose(1, 2).flatten(2)))
        return state + self.dropout(self.outer(torch.relu(self.inner(self.inner_norm(state)))))

    def _by_head(self, state: Tensor) -> Tensor:
        return state.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class ReaderModel(nn.Module):
    """See `rove.models.e5.reader`."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.enter = nn.Linear(shape.token + 4, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.last_norm = nn.LayerNorm(shape.width, EPSILON)
        self.heads = nn.Linear(shape.width, 4)
        # What stands beside a token's vector is as loud as the vector.
        nn.init.normal_(self.enter.weight.data[:, shape.token :], std=0.5)
        # From the start heads look near themselves, some more than others (ALiBi, Press et al., ICLR 2022).
        slopes = torch.logspace(*STEEPEST_AND_FLATTEST, shape.heads)
        self.distance = nn.Parameter(-slopes[:, None] * torch.arange(-shape.reach, shape.reach + 1).abs())

    def forward(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """Return the four numbers at the start, (n, 4), and at the passage's tokens, (n, p, 4)."""
        asked = pairs.question.shape[1]
        there = torch.cat([torch.ones_like(pairs.asked[:, :1]), pairs.asked, pairs.given], 1)
        hidden = torch.zeros(there.shape).masked_fill(~there, -1e4)[:, None, None]
        added = self._near(asked, pairs.passage.shape[1]) + hidden
        state = self.enter(self._entered(pairs))
        for layer in self.layers:
            state = layer(state, added)
        read = self.heads(self.last_norm(state)).float()
        return read[:, 0], read[:, 1 + asked :]

    def _entered(self, pairs: Pairs) -> Tensor:
        """Each token's vector, its best cosine to the other side (at the start their MaxSim), and its side."""
        count, asked = pairs.question.shape[:2]
        vectors = torch.cat([torch.zeros(count, 1, self.shape.token), pairs.question, pairs.passage], 1)
        extra = torch.zeros(*vectors.shape[:2], 4)
        if self.shape.cosines:
            cosines = pairs.question @ pairs.passage.transpose(1, 2)
            cosines = cosines.masked_fill(~(pairs.asked[:, :, None] & pairs.given[:, None]), 0).clamp(min=0)
            forth, back = cosines.amax(2), cosines.amax(1)
            extra[:, 0, 0] = mean(forth**POWER, pairs.asked) + BACK * mean(back**POWER, pairs.given)
            extra[:, 1 : 1 + asked, 0] = forth
            extra[:, 1 + asked :, 0] = back
        extra[:, 0, 1 + START] = 1
        extra[:, 1 : 1 + asked, 1 + QUESTION] = 1
        extra[:, 1 + asked :, 1 + PASSAGE] = 1
        return torch.cat([vectors, extra], 2)

    def _near(self, asked: int, given: int) -> Tensor:
        """What attention adds for tokens of one side by their distance, (1, heads, tokens, tokens)."""
        reach = self.shape.reach
        places = torch.arange(max(asked, given))
        near = self.distance[:, (places[None] - places[:, None]).clamp(-reach, reach) + reach]
        sides = [torch.zeros(1, 1).expand(self.shape.heads, 1, 1), near[:, :asked, :asked], near[:, :given, :given]]
        rows, before, whole = [], 0, 1 + asked + given
        for side in sides:
            after = whole - before - side.shape[2]
            rows.append(nn.functional.pad(side, (before, after)))
            before += side.shape[2]
        return torch.cat(rows, 1)[None]

    def parameters_count(self) -> int:
        """How many numbers are learned."""
        return sum(p.numel() for p in self.parameters())

    def save(self, path: Path) -> None:
        """Write what `CrossReader` loads, float16."""
        arrays = {name: value.numpy().astype(np.float16) for name, value in self.state_dict().items()}
        if not self.shape.cosines:
            arrays["enter.weight"][:, self.shape.token] = 0
        np.savez(path, mark=np.frombuffer(Interaction().mark, np.uint8), **arrays)


def mean(values: Tensor, there: Tensor) -> Tensor:
    """Mean over the tokens that are there; 0 where there are none."""
    return (values * there).sum(1) / there.sum(1).clamp(min=1)
