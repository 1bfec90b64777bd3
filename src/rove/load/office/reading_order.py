"""The order in which a person reads what lies on a page: bands from the top down, columns within them."""

from __future__ import annotations

from collections.abc import Sequence

from rove.load.office.compose import PiecePlace

OVERLAP = 0.01
"""By how much of the page's size two things may overlap that still stand apart."""
MAX_CUT, MAX_DEPTH = 200, 12


def reading_order(places: Sequence[PiecePlace]) -> list[int]:
    """Return the indices of `places` in reading order.

    Recursive XY-cut (Nagy and Seth, 1984): the page is cut along its widest gap, across or down, again and again. What
    no gap parts is read from the top down, then from the left. Ties in the order given.

    >>> title, left = PiecePlace(1, 0, 0, 1, 0.1), PiecePlace(1, 0, 0.2, 0.4, 0.9)
    >>> right = PiecePlace(1, 0.6, 0.15, 1, 0.8)
    >>> reading_order([right, left, title])
    [2, 1, 0]
    """
    return _xy_cut_order(places, list(range(len(places))), 0)


def _xy_cut_order(places: Sequence[PiecePlace], chosen: list[int], depth: int) -> list[int]:
    chosen.sort(key=lambda i: (round(places[i].top, 2), places[i].left))
    if len(chosen) < 2 or len(chosen) > MAX_CUT or depth == MAX_DEPTH:
        return chosen
    rows = _widest_gap_cut(chosen, {i: (places[i].top, places[i].bottom) for i in chosen})
    columns = _widest_gap_cut(chosen, {i: (places[i].left, places[i].right) for i in chosen})
    gap, parts = max(rows, columns, key=lambda cut: cut[0])
    if gap <= 0:
        return chosen
    return [index for part in parts for index in _xy_cut_order(places, part, depth + 1)]


def _widest_gap_cut(chosen: list[int], ranges: dict[int, tuple[float, float]]) -> tuple[float, list[list[int]]]:
    """Part them at the widest gap between their ranges; the gap's width is negative or 0 where there is none."""
    ordered = sorted(chosen, key=lambda i: ranges[i])
    best, at, end = 0.0, 0, ranges[ordered[0]][1]
    for position, index in enumerate(ordered[1:], 1):
        gap = ranges[index][0] - end + OVERLAP
        if gap > best:
            best, at = gap, position
        end = max(end, ranges[index][1])
    return best, [ordered[:at], ordered[at:]] if at else [ordered]
