"""Whether a question asks what all the documents are about, which no single passage answers."""

from __future__ import annotations

from rove.language.scripts import is_unspaced
from rove.question.word_tables import table
from rove.question.wording import telling_words


def asks_for_overview(question: str, language: str) -> bool:
    """Say whether a question asks for the themes of all there is: it has a phrase for that, and names nothing else.

    >>> asks_for_overview("What are the main themes?", "en"), asks_for_overview("The main themes of Hamlet?", "en")
    (True, False)
    >>> asks_for_overview("Worum geht es in den Dokumenten?", "de"), asks_for_overview("这些文档的主要内容", "zh")
    (True, True)
    """
    folded = " ".join(question.casefold().split())
    phrases = table("overview")["asks"].get(language, "").split("|")
    found = [phrase for phrase in phrases if phrase and phrase in folded]
    if not found:
        return False
    for phrase in sorted(found, key=len, reverse=True):
        folded = folded.replace(phrase, " ")
    allowed = table("overview")["rest"].get(language, "").split()
    if is_unspaced(question):
        for word in sorted(allowed, key=len, reverse=True):
            folded = folded.replace(word, " ")
        return not telling_words(folded, language)
    return all(word.casefold() in allowed for word in telling_words(folded, language))
