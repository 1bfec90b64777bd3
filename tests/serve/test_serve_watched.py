"""What is watched is seen to its end, also where it ends while somebody looks at it."""

from __future__ import annotations

from dataclasses import dataclass

from rove.serve.progress import Progress


@dataclass(slots=True)
class Count(Progress):
    number: int = 0

    @property
    def over(self) -> bool:
        return self.number == 2


async def test_the_end_is_seen_by_whoever_was_busy_meanwhile() -> None:
    count, seen = Count(), list[int]()
    async for now in count.watch():
        seen.append(now.number)
        if now.number < 2:
            now.number += 1
            now.changed()
    assert seen == [0, 1, 2]
