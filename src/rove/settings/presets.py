"""Presets: settings that belong together, by one name. What file, environment or call say wins over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Preset = Literal["", "campus", "framework", "pawsitive"]
CUT_BY_SIZE = ("pdf", "pptx", "docx", "txt", "string", "html", "url", "csv", "xlsx")
PRESETS: Mapping[Preset, Mapping[str, Any]] = {
    "": {},
    "campus": {
        "chunk": {"template": "instruction\nQuery: {query}\nAnswer: {answer}"},
        "search": {"top_k": 3},
        "answer": {
            "mode": "semantic",
            "references": 3,
            "max_distance": 0.35,
            "fallback": ("hyde", "refuse"),
            "demonstrations": "campus",
            "persona": "You are the assistant of the university, and you answer questions about it.",
        },
    },
    "framework": {
        "chunk": {
            "strategy": {**dict.fromkeys(CUT_BY_SIZE, "size"), "markdown": "header"},
            "size_chars": 512,
            "overlap_chars": 50,
            "separator": "\n",
        },
        "search": {"top_k": 4},
        "answer": {"references": 5},
    },
    "pawsitive": {
        "store": {
            "vector_index": "ivf_pq",
            "num_partitions": 1024,
            "num_sub_vectors": 96,
            "nprobes": 20,
            "refine_factor": 10,
        },
        "load": {"max_file_mb": 2_000, "max_cpu_s": 120.0, "max_memory_mb": 3_000},
        "search": {"top_k": 50},
    },
}
"""What each preset sets.

"campus" is the campus assistant (mission E). Its distance is that of the original's embedder: with the packaged one, in
which all texts lie nearer to each other, set `answer.max_distance = 0`, its own. "framework" cuts each type of
document as the knowledge framework does by default (mission B.2), gives 4 hits, and answers from at most 5 (B.6);
Rove's own default, by sentence, finds more. "pawsitive" is the vector index of the study of that name (mission C.4),
for embedders whose dimension 96 divides, and room for its 5.5 million posts in one file.
"""
