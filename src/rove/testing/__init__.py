"""Tests for plug-ins: one suite for each contract, which a plug-in's author inherits in tests of their own.

>>> from rove.testing import RuleContract
>>> class TestMine(RuleContract):
...     def make(self):
...         return MyRule()

Pytest runs every test of the suite on what `make` returns; nothing else is needed, no plug-in of pytest, no key, no
network. A plug-in that is installed needs its name only: `name = "mine"`. `import rove` does not import this package.
"""

from __future__ import annotations

import pytest

SUITES = (
    "catalogs chat_models chunkers datasets durable_indexes embedders enrichers fallbacks graph_stores indexes judges "
    "loaders metrics ocr_engines operators readers rerankers retrievers rules sentiments tool_sources transcribers "
    "worker_pools"
)
pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in SUITES.split()))

from rove.testing.catalogs import CatalogContract  # noqa: E402 - asserts are rewritten in what comes after
from rove.testing.chat_models import ChatModelContract  # noqa: E402
from rove.testing.chunkers import ChunkerContract, ModelChunkerContract  # noqa: E402
from rove.testing.contract import Contract  # noqa: E402
from rove.testing.datasets import LayoutContract  # noqa: E402
from rove.testing.durable_indexes import DurableIndexContract, LastingIndexContract  # noqa: E402
from rove.testing.embedders import EmbedderContract  # noqa: E402
from rove.testing.enrichers import EnricherContract  # noqa: E402
from rove.testing.fallbacks import FallbackContract  # noqa: E402
from rove.testing.graph_stores import GraphStoreContract  # noqa: E402
from rove.testing.indexes import IndexContract, VectorIndexContract  # noqa: E402
from rove.testing.judges import JudgeContract  # noqa: E402
from rove.testing.loaders import LoaderContract  # noqa: E402
from rove.testing.metrics import MetricContract  # noqa: E402
from rove.testing.ocr_engines import OcrEngineContract  # noqa: E402
from rove.testing.operators import OperatorContract  # noqa: E402
from rove.testing.readers import ReaderContract  # noqa: E402
from rove.testing.rerankers import RerankerContract  # noqa: E402
from rove.testing.retrievers import RetrieverContract  # noqa: E402
from rove.testing.rules import RuleContract  # noqa: E402
from rove.testing.sentiments import SentimentContract  # noqa: E402
from rove.testing.tool_sources import ToolSourceContract  # noqa: E402
from rove.testing.transcribers import TranscriberContract  # noqa: E402
from rove.testing.worker_pools import WorkerPoolContract  # noqa: E402

__all__ = [
    "CatalogContract", "ChatModelContract", "ChunkerContract", "Contract", "DurableIndexContract", "EmbedderContract",
    "EnricherContract", "FallbackContract", "GraphStoreContract", "IndexContract", "JudgeContract",
    "LastingIndexContract", "LayoutContract", "LoaderContract", "MetricContract", "ModelChunkerContract",
    "OcrEngineContract", "OperatorContract",
    "ReaderContract", "RerankerContract", "RetrieverContract", "RuleContract", "SentimentContract",
    "ToolSourceContract", "TranscriberContract", "VectorIndexContract", "WorkerPoolContract",
]  # fmt: skip
