"""FastText vectors: word vectors that are trained on a base's own texts, and texts as weighted sums of them.

`training` makes the model file, `word_vectors` reads it, `embedder` adds up texts. A text is cut by Rove's own analyser
in all languages alike, without stems: parts of words do their work. What it is worth: docs/decisions/052-fasttext.md.
"""

from __future__ import annotations

from rove.language.words import terms

NO_LANGUAGE = "und"
"""Words are folded only: an embedder is not told the language of a text, and it must not guess it for short ones."""


def word_tokens(text: str) -> list[str]:
    """Cut a text into what has a vector: words in lower case, and pairs of characters in scripts without spaces.

    >>> word_tokens("The Lighthouses"), word_tokens("猫在沙发")
    (['the', 'lighthouses'], ['猫在', '在沙', '沙发', '猫', '在', '沙', '发'])
    """
    return terms(text, NO_LANGUAGE)
