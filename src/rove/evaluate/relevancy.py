"""Answer relevancy, 0 – 5: does an answer answer the question? By a chat model; without one, by nearness and words."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field

from rove.language.words import query_terms, terms
from rove.models import ChatModel, Embedder
from rove.models.prompts import fence_material, fill, prompt
from rove.models.typed import reply_as
from rove.records import Answer

MOST = 5.0
MATERIAL = "Question:\n{question}\n\nAnswer:\n{answer}"


class Grade(BaseModel):
    """What the model writes."""

    reason: str = Field(max_length=300)
    score: int = Field(ge=0, le=5)


@dataclass(frozen=True, slots=True)
class Relevancy:
    """`score`: 0 (about something else) … 5 (answers it, and nothing more). `by`: who gave it; compare like with like.

    `reason`: in the model's words; "" without one.
    """

    score: float
    by: str
    reason: str = ""


async def relevancy(answer: Answer, embedder: Embedder, chat: ChatModel | None = None) -> Relevancy | None:
    """Grade an answer by itself: whether it is true is not asked here. None: it refuses, which is graded elsewhere.

    Raises:
        ServiceError: the chat model or the embedder failed, or wrote no grade.
    """
    if answer.refused:
        return None
    if chat is None:
        return await relevancy_by_nearness(answer, embedder)
    slots = {"question": fence_material(answer.question, "question"), "answer": fence_material(answer.text, "answer")}
    found = await reply_as(chat, Grade, prompt("rove.evaluate", "relevancy"), fill(MATERIAL, slots))
    return Relevancy(float(found.score), chat.name, found.reason)


async def relevancy_by_nearness(answer: Answer, embedder: Embedder) -> Relevancy:
    """Grade without a chat model: 5 · (nearness + words) / 2.

    nearness = 1 − distance / (2 · max_distance), at least 0, with the embedder's cosine distance of answer and
    question. words = the share of the question's terms, function words left out, that stand in the answer.
    Deterministic. A poor judge of one answer; its means are of use to compare configurations of one base.
    """
    said = " ".join(sentence.text for sentence in answer.sentences if sentence.kept) or answer.text
    asked = await embedder.queries([answer.question])
    told = await embedder.passages([said])
    distance = 1.0 - float(asked[0] @ told[0])
    nearness = min(1.0, max(0.0, 1.0 - distance / (2 * embedder.max_distance)))
    wanted = set(query_terms(answer.question, answer.language))
    words = len(wanted & set(terms(said, answer.language))) / len(wanted) if wanted else nearness
    return Relevancy(MOST * (nearness + words) / 2, f"nearness by {embedder.fingerprint.model}, and words")
