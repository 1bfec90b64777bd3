"""What an embedder gave, checked before a number of it is used: one finite vector of unit length for each text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from rove.errors import ConfigError, InputError

if TYPE_CHECKING:
    from rove.models import Fingerprint, Vectors

UNIT_WITHIN = 1e-3
"""How far from 1 the length of a vector may be that passes for one of unit length."""
NUMBERS = "biuf"
"""Kinds of NumPy types that a vector may be of: truth values, whole numbers, numbers."""
NO_ROWS = (str, bytes, dict)
"""Types that can be gone through, and are no vectors."""
NAMED = 3
"""Texts of a batch that an error names at most."""
SHOWN_CHARS = 60
LOOK = "Look at this text, and at the embedder."
PROMISE = "passages and queries return (n, dimension) float32, of unit length, in the order of the texts."


class UnusableVectorsError(InputError):
    """Of some texts an embedder gave no vector that could be used; those of the others are sound.

    `rows`: which ones, as places in the batch.
    """

    def __init__(self, message: str, rows: Sequence[int]) -> None:
        super().__init__(message, cure=LOOK)
        self.rows = tuple(rows)


@dataclass(frozen=True, slots=True)
class UnitVectors:
    """Vectors, (n, dimension) float32, of unit length.

    `length`: of the first that was not, before it was normalised; None where all were.
    """

    vectors: Vectors
    length: float | None = None


def unit_vectors(given: object, texts: Sequence[str], fingerprint: Fingerprint) -> UnitVectors:
    """Check what an embedder of this fingerprint gave for texts, and normalise what is not of unit length.

    Any array or sequence of numbers passes, of any type, layout and length of the vectors but 0. What is returned is no
    view of what was given: an embedder may use its memory again.

    >>> from rove.models import Fingerprint
    >>> made = unit_vectors([[3, 4]], ["a"], Fingerprint("mine", 2))
    >>> made.vectors.round(1).tolist(), made.length
    ([[0.6000000238418579, 0.800000011920929]], 5.0)

    Raises:
        ConfigError: it is no array of numbers, or has another shape than (texts, dimension).
        UnusableVectorsError: of some texts the vector holds a number that is not finite, is zero, or is of another
            length than the others.
    """
    rows = _array(given, texts, fingerprint)
    vectors = np.array(rows, np.float32, order="C") if rows.dtype.itemsize <= 4 else rows  # noqa: PLR2004 - bytes
    squares = np.einsum("ij,ij->i", vectors, vectors)
    if vectors.dtype == np.float32 and (np.abs(squares - 1) <= 2 * UNIT_WITHIN).all():
        return UnitVectors(vectors)
    return _unit_vectors_from_rows(np.asarray(rows, np.float64), texts, fingerprint)


def _unit_vectors_from_rows(rows: NDArray[np.float64], texts: Sequence[str], fingerprint: Fingerprint) -> UnitVectors:
    """Give rows unit length, but for those that have it: these stay as they are, to the bit."""
    largest = np.abs(rows).max(axis=1, initial=0)
    if (endless := ~np.isfinite(largest)).any():
        raise _unusable(fingerprint, "a number that is not finite", endless, texts)
    if (zero := largest == 0).any():
        raise _unusable(fingerprint, "a vector of zeros", zero, texts)
    apart = rows / largest[:, None]  # so that no square overflows, or vanishes
    lengths = np.sqrt(np.vecdot(apart, apart))
    off = np.abs(lengths * largest - 1) > UNIT_WITHIN
    made = np.where(off[:, None], apart / lengths[:, None], rows).astype(np.float32)
    return UnitVectors(made, float((lengths * largest)[off][0]) if off.any() else None)


def _array(given: Any, texts: Sequence[str], fingerprint: Fingerprint) -> NDArray[Any]:  # noqa: ANN401 - anything
    """Make an array of (texts, dimension) numbers of what was given."""
    of = cast("type[Any]", type(given))
    if not hasattr(given, "__array__") and issubclass(of, Iterable) and not issubclass(of, NO_ROWS):
        given = list(given)
    try:
        rows = np.asarray(given)
    except ValueError:  # vectors that are not as long as each other
        rows = _of_one_length(given, texts, fingerprint)
    except (TypeError, RuntimeError) as error:  # as of a tensor on another device
        raise _embedder_error(fingerprint, f"gave {of.__name__}, which is no array: {error}") from error
    if rows.dtype.kind not in NUMBERS:
        rows = _to_float_rows(rows, of.__name__, fingerprint)
    if rows.ndim != 2 or len(rows) != len(texts):  # noqa: PLR2004 - vectors in rows
        raise _embedder_error(fingerprint, f"gave an array of shape {rows.shape} for {len(texts)} texts")
    if (length := rows.shape[1]) != fingerprint.dimension:
        what = f"gave vectors of shape ({length},), where its fingerprint says {fingerprint.dimension} numbers"
        raise _embedder_error(fingerprint, what, cure=f"Let its fingerprint say dimension={length}, or mend the model.")
    return rows


def _of_one_length(given: object, texts: Sequence[str], fingerprint: Fingerprint) -> NDArray[Any]:
    """Say which vectors are of another length than the fingerprint says; there are some."""
    lengths = [np.size(cast("Any", row)) for row in cast("list[object]", given)]
    if len(lengths) != len(texts):
        raise _embedder_error(fingerprint, f"gave {len(lengths)} vectors for {len(texts)} texts")
    other = np.array(lengths) != fingerprint.dimension
    if not other.any():
        raise _embedder_error(fingerprint, "gave vectors whose numbers are no numbers")
    what = f"a vector of shape ({lengths[int(other.argmax())]},), and not of {fingerprint.dimension} numbers,"
    raise _unusable(fingerprint, what, other, texts)


def _to_float_rows(rows: NDArray[Any], given: str, fingerprint: Fingerprint) -> NDArray[np.float64]:
    """Read objects as numbers; None is not a number."""
    if rows.dtype == object:
        try:
            return rows.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            pass
    raise _embedder_error(fingerprint, f"gave {given} of {rows.dtype.name}, not of numbers")


def _embedder_error(fingerprint: Fingerprint, what: str, *, cure: str = PROMISE) -> ConfigError:
    return ConfigError(f"The embedder {fingerprint.model} {what}.", cure=cure)


def _unusable(
    fingerprint: Fingerprint, what: str, bad: NDArray[np.bool_], texts: Sequence[str]
) -> UnusableVectorsError:
    rows = np.flatnonzero(bad).tolist()
    shown = ", ".join(repr(texts[row][:SHOWN_CHARS]) for row in rows[:NAMED])
    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    return UnusableVectorsError(f"The embedder {fingerprint.model} gave {what} for {shown}{more}.", rows)
