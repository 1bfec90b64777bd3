"""The installed package's weights and tokenizer, read once in a process however many models use them."""

from __future__ import annotations

from functools import cache

from rove.models.e5.tokens import Tokenizer
from rove.models.e5.weights import PieceVocabulary, Weights, packaged_file


@cache
def weights() -> Weights:
    """Open the installed package's file.

    Raises:
        UnsuitableError: see `Weights`.
    """
    return Weights(packaged_file())


@cache
def vocabulary() -> PieceVocabulary:
    """Read its pieces. Raises as `weights` does."""
    return weights().vocabulary()


@cache
def tokenizer() -> Tokenizer:
    """Return what cuts texts into its pieces. Raises as `weights` does."""
    return Tokenizer(vocabulary())
